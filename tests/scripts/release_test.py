"""Tests of scripts/release: input that it refuses, and the release of a correct tree."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from made_snapshot import SCRIPTS
from script_test import ScriptTest

ROOT = SCRIPTS.parent
RELEASE = ROOT / "scripts/release"
CHANGELOG = "CHANGELOG.md"
FILES = ("CMakeLists.txt", CHANGELOG, "CITATION.cff", "scripts/pyproject.toml", "scripts/scree/__init__.py")


class Release(ScriptTest):
    """Each test has its own repository with the files that contain the version, set to 3.2.1."""

    def setUp(self):
        super().setUp()
        self.tree, self.output = self.folder / "tree", self.folder / "out"
        for name in FILES:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        present = re.search(r"Scree VERSION (\S+)", (self.tree / "CMakeLists.txt").read_text())[1]
        for name in FILES:
            self.change(name, present, "3.2.1")
        self.change(CHANGELOG, "## 3.2.1 (unreleased)", "## 3.2.1 (2026-01-31)")
        self.git("init", "--quiet")
        self.commit()

    def change(self, name, old, new):
        path = self.tree / name
        path.write_text(path.read_text().replace(old, new))

    def git(self, *words):
        settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(("git", *settings, "-C", self.tree, *words), check=True, capture_output=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "all")

    def run_release(self, *words, tree=None, may_fail=False):
        command = (sys.executable, RELEASE, "--tree", tree or self.tree, "--output", self.output, *words)
        names = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", **names})
        if not may_fail:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_refused(self, *words):
        done = self.run_release(may_fail=True)
        self.assertEqual(done.returncode, 2, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(self.output.exists())

    def test_tarball_holds_the_tagged_commit_and_its_digest_is_right(self):
        self.run_release()
        tarball = self.output / "scree-3.2.1.tar.gz"
        digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
        self.assertEqual((self.output / "scree-3.2.1.tar.gz.sha256").read_text(), f"{digest}  scree-3.2.1.tar.gz\n")
        with tarfile.open(tarball) as members:
            names = {name for name in members.getnames() if "." in pathlib.Path(name).name}
        self.assertLessEqual({f"scree-3.2.1/{name}" for name in FILES}, names)
        self.assert_tags("v3.2.1")

    def assert_tags(self, *tags):
        done = subprocess.run(("git", "-C", self.tree, "tag"), capture_output=True, text=True, check=True)
        self.assertEqual(tuple(done.stdout.split()), tags)

    def test_check_changes_nothing(self):
        self.assertIn("Scree 3.2.1: versions agree", self.run_release("--check").stdout)
        self.assert_tags()
        self.assertFalse(self.output.exists())

    def test_change_that_is_not_committed_is_refused(self):
        (self.tree / "new").write_text("")
        self.assert_refused("1 files", "new", "expected none")
        self.assert_tags()

    def test_each_other_version_is_refused(self):
        for name in FILES[1:]:
            self.change(name, "3.2.1", "3.2.2")
            self.commit()
            self.assert_refused(name, "3.2.2", "3.2.1")
            self.change(name, "3.2.2", "3.2.1")
            self.commit()

    def test_entry_without_a_date_is_refused(self):
        self.change(CHANGELOG, "(2026-01-31)", "(unreleased)")
        self.commit()
        self.assert_refused("3.2.1 (unreleased)", "YYYY-MM-DD")

    def test_version_that_was_released_is_refused(self):
        self.git("tag", "v3.2.1")
        self.assert_refused("v3.2.1 exists already")

    def test_versions_of_this_tree_agree(self):
        done = self.run_release("--check", tree=ROOT, may_fail=True)
        self.assertNotIn("has version", done.stderr)


if __name__ == "__main__":
    unittest.main()
