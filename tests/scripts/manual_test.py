"""scripts/manual.py: no link is dead, every key and program has an entry, man pages and scenes are valid.

Needs the path of scree-run in SCREE_RUN, and the other programs next to it.
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
import xml.dom.minidom
from html.parser import HTMLParser
from unittest import mock

import made_snapshot
import PIL.Image
from script_test import ScriptTest, new_folder, skipped_unless

import manual
from _manual import equations, gallery, keys

SCRIPT = made_snapshot.SCRIPTS / "manual.py"
RUN = pathlib.Path(os.environ["SCREE_RUN"])
WORDS = (made_snapshot.SCRIPTS / "manual" / "words.md").read_text()
# Words that users of other programs search for.
SEARCH_WORDS = (
    "angle of repose", "bond", "calibrate", "Chrono", "cohesion", "GPU", "hinge", "joint", "LAMMPS", "LIGGGHTS", "MercuryDPM", "MPI",
    "OVITO", "ParaView", "polyhedra", "Python", "restart", "rolling friction", "screw", "slip", "STL", "threads", "trajectory", "Yade",
)  # fmt: skip
OWN_SCENE = (made_snapshot.SCRIPTS / "manual" / "own_scene.md").read_text()


class Links(HTMLParser):
    """The links of a page, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def dead_links(folder):
    """Links between the pages of a folder whose targets do not exist: [(page, link)]."""
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


def without_code(page):
    return re.sub(r"^```[\s\S]*?^```|^    .*$", "", page.read_text(encoding="utf-8"), flags=re.M)


def headings(page):
    """Anchors of the headings of a page, by the rules of GitHub and MyST."""
    titles = re.findall(r"^#+ (.*)$", without_code(page), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page):
    """Links of a Markdown page to files or headings that do not exist."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if "://" not in link and not (target.exists() and (not anchor or anchor in headings(target))):
            broken.append(link)
    return broken


@skipped_unless(all(map(importlib.util.find_spec, ("sphinx", "myst_parser"))), "Sphinx or myst_parser is missing")
class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        process = subprocess.run([sys.executable, SCRIPT, "--output", cls.folder, "--programs", RUN.parent, "--without-gallery"],
                                 capture_output=True, text=True)  # fmt: skip
        if process.returncode != 0:
            raise AssertionError(process.stderr)
        cls.steps = process.stderr.splitlines()

    def page(self, name):
        return (self.folder / "html" / name).read_text(encoding="utf-8")

    def test_no_link_is_dead(self):
        self.assertEqual(dead_links(self.folder / "html"), [])

    def test_steps_are_reported(self):
        self.assertEqual([step.split(",")[0] for step in self.steps],
                         ["manual: running the tutorial", "manual: writing pages", "manual: building HTML",
                          "manual: building man pages"])  # fmt: skip

    def test_dead_link_is_found(self):
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "a.html").write_text('<a href="b.html">b</a><a href="#here">x</a><h1 id="there">t</h1><a href="#there">y</a>')
        self.assertEqual(dead_links(folder), [("a.html", "b.html"), ("a.html", "#here")])

    def test_every_key_has_its_row(self):
        listed = subprocess.run([RUN, "--list-keys"], capture_output=True, text=True, check=True).stdout.split()
        text = self.page("keys.html")
        anchors = Links(text).anchors
        self.assertGreater(len(listed), 100)
        for key in listed:
            self.assertIn(key, anchors)
        rows = re.findall(r'<tr id="[^"]*">(.*?)</tr>', text)
        for row in rows:
            self.assertRegex(row, r"<td>[^<>]+</td><td>[^<]*</td><td>[^<]*</td><td><code>[^<]+</code>", "a key without example")

    def test_every_scene_is_in_the_gallery(self):
        scenes = made_snapshot.SCRIPTS.parent / "apps" / "scenes"
        index = self.page("gallery.html")
        for path in [*scenes.glob("*.ini"), *scenes.glob("benchmark/*.ini")]:
            name = str(path.relative_to(scenes).with_suffix(""))
            self.assertIn(name, gallery.SHOTS)
            self.assertIn(f">{name}</b>", index)
            text = self.page(f"gallery/{gallery.anchor(name)}.html")
            self.assertIn(f"scripts/run apps/scenes/{name}.ini", text)
            self.assertRegex(gallery.head(name), r"(?i)second|minute|hour", f"{name} does not state its duration")
        self.assertEqual(set(gallery.SHOTS), set(gallery.names()))
        self.assertEqual(sorted(name for topic in gallery.TOPICS.values() for name in topic), sorted(gallery.names()))

    def test_equations_are_typeset(self):
        for page, min_blocks in (("solvers", 12), ("impact", 3), ("engine", 3), ("gallery/silo", 1)):
            blocks = re.findall(r'<div class="equation">.*</div>', self.page(f"{page}.html"))
            self.assertGreaterEqual(len(blocks), min_blocks, page)
            for block in blocks:
                xml.dom.minidom.parseString(f"<a>{block.replace('&nbsp;', ' ')}</a>")

    def test_every_program_has_a_page_and_a_man_page(self):
        programs = sorted(path.name for path in RUN.parent.glob("scree-*"))
        self.assertEqual(programs, sorted(f"scree-{name}" for name in manual.PROGRAMS))
        for name in programs:
            self.assertIn("Synopsis", self.page(f"programs/{name}.html"))
            text = (self.folder / "man" / "man1" / f"{name}.1").read_text(encoding="utf-8")
            self.assertIn(".SH SYNOPSIS", text)
            self.assertRegex(text, r"\\-\\-help")

    @skipped_unless(shutil.which("man"), "man is not installed")
    def test_man_pages_are_valid(self):
        for path in (self.folder / "man" / "man1").glob("*.1"):
            process = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], capture_output=True, text=True,
                                     env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})  # fmt: skip
            self.assertEqual((process.returncode, process.stderr), (0, ""), path.name)

    def test_tutorial_has_its_pictures_and_printed_text(self):
        text = self.page("analysis.html")
        for name in ("series", "bed", "density", "forces"):
            self.assertIn(f"_images/{name}.png", text)
        self.assertIn("weights", text[text.index("What it prints") :])
        self.assertNotIn("_environment", text)

    def test_public_python_names_are_described(self):
        text = self.page("python.html")
        for module, names in manual.API:
            for name in names:
                self.assertIn(f'id="scree.{module}.{name}"', text)


class Text(unittest.TestCase):
    def test_links_of_a_readme_lead_to_pages(self):
        text = "See `io/README.md` and [this](performance.md).\n\n    `io/README.md` in code\n\n`README.md` `io/README.md`\n"
        expected = ("See [io/README.md](files.md) and [this](solvers_performance.md).\n\n    `io/README.md` in code\n\n"
                    "`README.md` [io/README.md](files.md)\n")  # fmt: skip
        self.assertEqual(manual.with_links(text, "solvers/README.md"), expected)

    def test_links_of_pages_lead_to_pages_of_the_manual(self):
        text = ("[a](../../io/README.md#walls) [b](howto.md#mix) ![c](hopper.png) [d](../notebooks/servo.ipynb) [e\nf](../tutorial.py)\n"
                "[g](../../LICENSE) [h](https://x.org/README.md) `README.md` `engine/README.md`\n")  # fmt: skip
        expected = ("[a](files.md#walls) [b](howto.md#mix) ![c](hopper.png) [d](notebooks/servo.md) [e\nf](analysis.md)\n"
                    "[g](../../LICENSE) [h](https://x.org/README.md) [README.md](overview.md) [engine/README.md](engine.md)\n")  # fmt: skip
        self.assertEqual(manual.with_links(text, "scripts/manual/words.md"), expected)

    def test_links_of_the_tree_lead_to_files_and_headings(self):
        """Links must work in the source tree too, without the manual."""
        root = made_snapshot.SCRIPTS.parent
        pages = [page for page in root.rglob("*.md") if not {"build", "output"} & set(page.relative_to(root).parts)]
        self.assertEqual([(page.name, link) for page in pages for link in broken_links(page)], [])

    def test_broken_link_of_the_tree_is_found(self):
        page = new_folder(self.addCleanup) / "a.md"
        text = "# The `a.b` one\n[x](a.md#the-ab-one) [y](a.md#no) [z\nz](b.md)\n\n    [in](code.md)\n\n```\n[in](code.md)\n```\n"
        page.write_text(text + "[far](https://x.org/c.md)\n")
        self.assertEqual(broken_links(page), ["a.md#no", "b.md"])

    def test_search_words_lead_to_a_page(self):
        """Checks the words, not the links, which test_no_link_is_dead checks."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in WORDS.splitlines() if line.startswith("| ")][1:]
        self.assertGreater(len(rows), 40)
        self.assertEqual([words for words, _ in rows], sorted((words for words, _ in rows), key=str.lower))
        listed = {word for words, _ in rows for word in words.split(", ")}
        self.assertEqual(set(SEARCH_WORDS) - listed, set())
        scenes = made_snapshot.SCRIPTS.parent / "apps" / "scenes"
        for words, answer in rows:
            self.assertRegex(answer, r"\]\([\w.]|`\w", f"{words} leads nowhere")
            if "not possible" in answer.lower():
                self.assertIn("because", answer, words)
            for name in re.findall(r"`(\w+)\.ini`", answer):
                self.assertTrue((scenes / f"{name}.ini").is_file(), name)
            for name in re.findall(r"`scripts/([\w.]+)", answer):
                self.assertTrue((made_snapshot.SCRIPTS / name).is_file(), name)

    def test_help_without_keys_is_refused(self):
        with self.assertRaisesRegex(keys.UsageError, "no keys"):
            keys.page("Options:\n  --help  print\n")

    def test_meaning_is_split_into_its_parts(self):
        for meaning, parts in (
            ("gravity [m/s^2]; default 0 0 -9.81 m/s^2; [at]", ("gravity", "m/s^2", "0 0 -9.81 m/s^2", True)),
            ("rows of series.csv [s]; whole steps; equal to every if not given",
             ("rows of series.csv; whole steps", "s", "equal to every if not given", False)),
            ("mesh: solid, or not; no: a sheet; no | inside; default no", ("mesh: solid, or not; no: a sheet; no | inside", "",
                                                                        "no", False)),
        ):  # fmt: skip
            self.assertEqual(keys.parts_of(meaning), parts)

    def test_mentions_of_keys_and_scenes_are_links(self):
        names = {"time.end", "wall.NAME.mass"}
        text = keys.with_links("`time.end`, `wall.lid.mass 3 g`, `time.no`\n\n    `time.end`\n", names, "../")
        self.assertEqual(re.findall('href="([^"]*)"', text), ["../keys.html#time.end", "../keys.html#wall.NAME.mass"])
        text = gallery.with_links("`hopper.ini`, `apps/scenes/benchmark/drum.ini`, `mine.ini`", False)
        self.assertEqual(re.findall(r"\]\(([^)]*)\)", text), ["gallery/hopper.md", "gallery/benchmark_drum.md"])

    def test_equations_become_mathml(self):
        for text, parts in (
            ("x = bₙ/(p d) (1 + u²)", ("<mfrac><mrow><msub><mi>b</mi><mtext>n</mtext></msub></mrow><mrow><mi>p</mi><mi>d</mi></mrow>",
                                      "<msup><mi>u</mi><mrow><mtext>2</mtext></mrow></msup>")),
            ("d²x/dt² = √(2 h/g)", ("<msup><mi>d</mi><mn>2</mn></msup><mi>x</mi>", "<msqrt><mrow><mn>2</mn><mfrac>")),
            ("W = C rho sqrt(g) (D - k d)^(5/2)", ("<mi>ρ</mi><msqrt>", "<mo>−</mo><mi>k</mi>")),
            ("b̂ = Tᵀb_T if large", ('<mover accent="true"><mi>b</mi>', "&nbsp;large&nbsp;")),
        ):  # fmt: skip
            for part in parts:
                self.assertIn(part, equations.block(f"    {text}\n"))
        for code in ("    scripts/run x.ini --time.end 3\n", "    gravity = 0 0 -9.81 m/s^2\n", "    rank 0   |  λ\n"):
            self.assertFalse(equations.is_equation(code), code)

    def test_rows_of_the_table_name_validation_cases(self):
        rows = gallery.figure_rows()
        self.assertGreater(len(rows), 20)
        case_names = {name for row in rows for name in row[0]}
        self.assertLessEqual(case_names, set(gallery.CASES))
        self.assertTrue(all(row[0] for row in rows))
        self.assertIn("4 to 4.6", gallery.figures("settle_box", {}))
        measured = {"packing": [{"quantity": "phi", "unit": "", "measured": "0.6381", "expected": "0.64", "tolerance": "0.01", "passed": "0"}]}
        self.assertIn("| phi  | 0.6381 | 0.64 ± 0.01: off |", gallery.figures("settle_box", measured))

    def test_picture_of_the_gallery_is_not_drawn_again(self):
        folder = new_folder(self.addCleanup)
        shots = {"bouncing_sphere": gallery.Shot("10 ms", column="kinetic_energy"), "clumps": gallery.Shot("1 ms", colour="shape")}
        with mock.patch.object(gallery, "SHOTS", shots):
            for name in shots:
                words = gallery.draw(name, folder)
                self.assertRegex(words, r"^\d+ bod\w+, at 0.0\d+ s$")
                time_written = (folder / f"{name}.png").stat().st_mtime_ns
                self.assertEqual(gallery.draw(name, folder), words)
                with PIL.Image.open(folder / f"{name}_card.png") as card:
                    self.assertTrue(card.width == gallery.CARD[0] or card.height == gallery.CARD[1], card.size)
                self.assertEqual((folder / f"{name}.png").stat().st_mtime_ns, time_written, "drawn again")

    def test_failed_build_keeps_the_previous_manual(self):
        folder = new_folder(self.addCleanup)
        for name in ("html/index.html", "man/man1/a.1", f"tutorial/{manual.PRINTED}"):
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_text("former")
        arguments = ["manual.py", "--output", str(folder), "--programs", str(RUN.parent), "--without-gallery"]
        for step in ("lay_out", "build"):
            with mock.patch.object(sys, "argv", arguments), mock.patch.object(manual, "lay_out"):
                with mock.patch.object(manual, step, side_effect=manual.FileError("no page")):
                    self.assertRaises(manual.FileError, manual.main)
            self.assertEqual((folder / "html" / "index.html").read_text(), "former")
            self.assertEqual((folder / "man" / "man1" / "a.1").read_text(), "former")
            self.assertEqual(list(folder.glob("*.tmp")), [])

    def test_meaning_of_an_option_is_on_its_line_or_below(self):
        text = "usage: x [options]\n\nDoes it.\n\n  --name TEXT\n      a *name*,\n      twice [1]\n  --help   print\n"
        self.assertEqual(manual.describe(text, 2)[-2:], ["`--name TEXT`\n: a \\*name\\*, twice \\[1\\]", "`--help`\n: print"])


class Scenes(ScriptTest):
    def setUp(self):
        super().setUp()
        self.scene = re.search(r"```ini\n(.*?)```", OWN_SCENE, re.S)[1]

    def check(self, text):
        (self.folder / "chute.ini").write_text(text)
        return subprocess.run([RUN, "chute.ini", "--check"], capture_output=True, text=True, cwd=self.folder)

    def test_scene_of_the_tutorial_is_valid(self):
        process = self.check(self.scene)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertNotIn("ADVICE", process.stdout + process.stderr)

    def test_wrong_key_gives_the_message_of_the_tutorial(self):
        printed = re.search(r"scree-run: chute.ini:.*", OWN_SCENE)[0]
        process = self.check(self.scene.replace("[wall.floor]\nshape", "[wall.floor]\nshpe"))
        self.assertEqual(process.returncode, 2)
        self.assertIn(printed, process.stderr)


if __name__ == "__main__":
    unittest.main()
