"""Tests of scripts/release: input that it refuses, the release of a correct tree, binaries of this build.

Needs a release build with the Python package in SCREE_BUILD.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from made_snapshot import SCRIPTS
from script_test import ScriptTest, new_folder, skipped_unless

from _release import binaries, trial

ROOT = SCRIPTS.parent
RELEASE = ROOT / "scripts/release"
CHANGELOG = "CHANGELOG.md"
FILES = ("CMakeLists.txt", CHANGELOG, "CITATION.cff", "scripts/pyproject.toml", "scripts/scree/__init__.py")


class Release(ScriptTest):
    """Each test has a repository of the files that contain the version, which is set to 3.2.1."""

    def setUp(self):
        super().setUp()
        self.tree, self.output = self.folder / "tree", self.folder / "out"
        for name in FILES:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        current_version = re.search(r"Scree VERSION (\S+)", (self.tree / "CMakeLists.txt").read_text())[1]
        for name in FILES:
            self.change(name, current_version, "3.2.1")
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
        command = (sys.executable, RELEASE, "--source", "--tree", tree or self.tree, "--output", self.output, *words)
        names = {f"GIT_{role}_{attribute}": "a@b" for role in ("AUTHOR", "COMMITTER") for attribute in ("NAME", "EMAIL")}
        process = subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", **names})
        if not may_fail:
            self.assertEqual(process.returncode, 0, process.stderr)
        return process

    def assert_refused(self, *words):
        process = self.run_release(may_fail=True)
        self.assertEqual(process.returncode, 2, process.stdout)
        for word in words:
            self.assertIn(word, process.stderr)
        self.assertFalse(self.output.exists())

    def test_tarball_contains_the_tagged_commit_and_has_a_correct_digest(self):
        self.run_release()
        tarball = self.output / "scree-3.2.1.tar.gz"
        digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
        self.assertEqual((self.output / "scree-3.2.1.tar.gz.sha256").read_text(), f"{digest}  scree-3.2.1.tar.gz\n")
        with tarfile.open(tarball) as members:
            names = {name for name in members.getnames() if "." in pathlib.Path(name).name}
        self.assertLessEqual({f"scree-3.2.1/{name}" for name in FILES}, names)
        self.assert_tags("v3.2.1")

    def assert_tags(self, *tags):
        process = subprocess.run(("git", "-C", self.tree, "tag"), capture_output=True, text=True, check=True)
        self.assertEqual(tuple(process.stdout.split()), tags)

    def test_check_changes_nothing(self):
        self.assertIn("Scree 3.2.1: versions agree", self.run_release("--check").stdout)
        self.assert_tags()
        self.assertFalse(self.output.exists())

    def test_change_that_is_not_committed_is_refused(self):
        (self.tree / "new").write_text("")
        self.assert_refused("1 files", "new", "expected none")
        self.assert_tags()

    def test_each_inconsistent_version_is_refused(self):
        for name in FILES[1:]:
            self.change(name, "3.2.1", "3.2.2")
            self.commit()
            self.assert_refused(name, "3.2.2", "3.2.1")
            self.change(name, "3.2.2", "3.2.1")
            self.commit()

    def test_changelog_entry_without_a_date_is_refused(self):
        self.change(CHANGELOG, "(2026-01-31)", "(unreleased)")
        self.commit()
        self.assert_refused("3.2.1 (unreleased)", "YYYY-MM-DD")

    def test_released_version_is_refused(self):
        self.git("tag", "v3.2.1")
        self.assert_refused("v3.2.1 exists already")

    def test_versions_of_this_tree_agree(self):
        process = self.run_release("--check", tree=ROOT, may_fail=True)
        self.assertNotIn("has version", process.stderr)

    def test_build_that_is_not_finished_makes_no_binaries(self):
        process = self.run_release("--binaries", self.folder, may_fail=True)
        self.assertEqual(process.returncode, 2, process.stdout)
        self.assertIn("cmake --install ended with 1", process.stderr)

    def test_impossible_trial_is_refused_with_advice(self):
        if os.geteuid() == 0 and shutil.which("debootstrap"):
            trial.require_tools()
        else:
            with self.assertRaisesRegex(binaries.Refused, "requires .*; (run it as root or|install it or) give --no-trial"):
                trial.require_tools()


BUILD = pathlib.Path(os.environ["SCREE_BUILD"])


@skipped_unless(list(BUILD.glob("lib/python/_native.*")), "this build has no Python package")
class Binaries(unittest.TestCase):
    """Tarball and wheel of this build, moved to another folder.

    Debian packages take longer to try, so only scripts/release does it.
    """

    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        cls.tree = cls.folder / "tree"
        binaries.install(BUILD, cls.tree)
        for name in ("bench", "contact", "damping", "integrators", "pendulum", "restitution"):
            (cls.tree / f"bin/scree-{name}").unlink()  # compressing them would take as long as ten tests
        with tarfile.open(binaries.make_tarball(cls.tree, "3.2.1", cls.folder)) as archive:
            archive.extractall(cls.folder)
        cls.unpacked = cls.folder / binaries.name_of("3.2.1")
        cls.wheel = binaries.make_wheel(cls.tree, cls.folder)
        pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target", cls.folder / "pip", cls.wheel)
        subprocess.run(pip, check=True, capture_output=True)
        shutil.rmtree(cls.tree)

    def output_of(self, *command, **variables):
        """Output of a command that runs outside the tree, without the environment of Scree."""
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("SCREE_", "PYTHONPATH"))}
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd="/",
                                 env=environment | variables)  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout

    def test_tarball_has_programs_scripts_scenes_and_the_package(self):
        for name in ("bin/scree-run", "bin/scree-render", "bin/scree-python", "share/scree/scenes/hopper.ini",
                     "share/scree/scenes/shapes/pebble.csv", "share/scree/scripts/scree/examples.py",
                     "share/scree/scripts/notebooks/run.ipynb", "share/doc/scree/LICENSE"):  # fmt: skip
            self.assertTrue((self.unpacked / name).is_file(), name)
        self.assertFalse([path for path in self.unpacked.rglob("*") if path.is_symlink() and not path.exists()])
        self.assertEqual(list(self.unpacked.rglob("__pycache__")) + list(self.unpacked.rglob("_release")), [])
        with tarfile.open(self.folder / f"{self.unpacked.name}.tar.gz") as archive:
            self.assertEqual({(entry.uid, entry.mtime) for entry in archive}, {(0, binaries.EPOCH)})

    def run_package(self, python, **variables):
        """Runs a scene with the package; returns the paths of its compiled module and its program."""
        folder = self.folder / f"of_{len(list(self.folder.iterdir()))}"
        self.output_of(*python, "-m", "scree.examples", "run", "bouncing_sphere", folder, "--time.end", "1 ms",
                       "--output.every", "unset", **variables)
        self.assertTrue((folder / "output/series.csv").is_file())
        code = "import scree.engine, scree.native, scree.program; print(scree.native.found(), scree.program.found(), sep='\\n')"
        return self.output_of(*python, "-c", code, **variables).split()

    def test_unpacked_tarball_runs(self):
        for path in self.run_package([self.unpacked / "bin/scree-python"]):
            self.assertTrue(path.startswith(str(self.unpacked)), path)

    def test_wheel_has_programs_scripts_and_scenes_inside(self):
        self.assertRegex(self.wheel.name, r"^scree-\d+\.\d+\.\d+-cp3\d+-cp3\d+-linux_\w+\.whl$")
        variables = {"PYTHONPATH": str(self.folder / "pip")}
        for path in self.run_package([sys.executable], **variables):
            self.assertTrue(path.startswith(str(self.folder / "pip/scree/tree")), path)
        self.assertRegex(self.output_of(self.folder / "pip/bin/scree-run", "--version", **variables), r"^scree-run \d|^Scree \d")
        self.assertIn("usage", self.output_of(self.folder / "pip/bin/scree-render", "--help", **variables))
        self.assertEqual([path for path in (self.folder / "pip/scree/tree").rglob("*.so.*.*.*")], [])


if __name__ == "__main__":
    unittest.main()
