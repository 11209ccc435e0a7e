"""scripts/manual.py: no link is dead, every key and every program is there, man pages are sound; its scenes run.

Needs scree-run in SCREE_RUN, beside it the other programs.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import urllib.parse
from html.parser import HTMLParser

import made_snapshot
from script_test import ScriptTest, new_folder, skipped_unless

import manual

SCRIPT = made_snapshot.SCRIPTS / "manual.py"
RUN = pathlib.Path(os.environ["SCREE_RUN"])
OWN_SCENE = (made_snapshot.SCRIPTS / "manual" / "own_scene.md").read_text()


class Links(HTMLParser):
    """What a page links to, and the anchors it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def dead_links(folder):
    """Links within the pages of a folder that lead nowhere: [(page, link)]."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else None
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (anchor and anchors is not None and anchor not in anchors):
                dead.append((path.name, link))
    return dead


@skipped_unless(all(map(importlib.util.find_spec, ("sphinx", "myst_parser"))), "Sphinx or its reader of Markdown is missing")
class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        done = subprocess.run([sys.executable, SCRIPT, "--output", cls.folder, "--programs", RUN.parent],
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def page(self, name):
        return (self.folder / "html" / name).read_text(encoding="utf-8")

    def test_no_link_is_dead(self):
        self.assertEqual(dead_links(self.folder / "html"), [])

    def test_a_dead_link_would_be_found(self):
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "a.html").write_text('<a href="b.html">b</a><a href="#here">x</a><h1 id="there">t</h1><a href="#there">y</a>')
        self.assertEqual(dead_links(folder), [("a.html", "b.html"), ("a.html", "#here")])

    def test_every_key_is_there(self):
        listed = subprocess.run([RUN, "--list-keys"], capture_output=True, text=True, check=True).stdout.split()
        text = self.page("keys.html")
        for key in listed:
            self.assertIn(f">{key.rsplit('.', 1)[-1]}<", text, key)
        self.assertGreater(len(listed), 100)

    def test_every_program_has_a_page_and_a_man_page(self):
        programs = sorted(path.name for path in RUN.parent.glob("scree-*"))
        self.assertEqual(programs, sorted(f"scree-{name}" for name in manual.PROGRAMS))
        for name in programs:
            self.assertIn("Synopsis", self.page(f"programs/{name}.html"))
            text = (self.folder / "man" / "man1" / f"{name}.1").read_text(encoding="utf-8")
            self.assertIn(".SH SYNOPSIS", text)
            self.assertRegex(text, r"\\-\\-help")

    @skipped_unless(shutil.which("man"), "man is not installed")
    def test_man_pages_are_sound(self):
        for path in (self.folder / "man" / "man1").glob("*.1"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], capture_output=True, text=True,
                                  env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)

    def test_the_tutorial_has_its_pictures_and_what_it_prints(self):
        text = self.page("analysis.html")
        for name in ("series", "bed", "density", "forces"):
            self.assertIn(f"_images/{name}.png", text)
        self.assertIn("weights", text[text.index("What it prints") :])
        self.assertNotIn("_environment", text)

    def test_tables_of_python_names_are_described(self):
        text = self.page("python.html")
        for module, names in manual.API:
            for name in names:
                self.assertIn(f'id="scree.{module}.{name}"', text)


class Text(unittest.TestCase):
    def test_links_of_a_readme_lead_to_pages(self):
        text = "See `io/README.md` and [this](general_kernels.md).\n\n    `io/README.md` in code\n\n`README.md` `io/README.md`\n"
        expected = ("See [io/README.md](files.md) and [this](general_kernels.md).\n\n    `io/README.md` in code\n\n"
                    "`README.md` [io/README.md](files.md)\n")  # fmt: skip
        self.assertEqual(manual.linked(text, "solvers/README.md"), expected)

    def test_help_without_keys_is_refused(self):
        with self.assertRaisesRegex(manual.UsageError, "no keys"):
            manual.keys_page("Options:\n  --help  print\n")

    def test_options_beside_and_above_their_meaning(self):
        text = "usage: x [options]\n\nDoes it.\n\n  --name TEXT\n      a *name*,\n      twice [1]\n  --help   print\n"
        self.assertEqual(manual.described(text, 2)[-2:], ["`--name TEXT`\n: a \\*name\\*, twice \\[1\\]", "`--help`\n: print"])


class Scenes(ScriptTest):
    def setUp(self):
        super().setUp()
        self.scene = re.search(r"```ini\n(.*?)```", OWN_SCENE, re.S)[1]

    def check(self, text):
        (self.folder / "chute.ini").write_text(text)
        return subprocess.run([RUN, "chute.ini", "--check"], capture_output=True, text=True, cwd=self.folder)

    def test_the_scene_of_the_tutorial_is_sound(self):
        done = self.check(self.scene)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ADVICE", done.stdout + done.stderr)

    def test_a_wrong_key_is_refused_in_the_words_of_the_tutorial(self):
        said = re.search(r"scree-run: chute.ini:.*", OWN_SCENE)[0]
        done = self.check(self.scene.replace("[wall.floor]\nshape", "[wall.floor]\nshpe"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
