"""Tests of scripts/study impacts: agreement of results with published numbers, tables of the apps, pictures."""

import unittest

import script_process
from made_snapshot import SCRIPTS
from script_test import ScriptTest

from _impacts import command, drawing, printed
from _impacts.app_tables import Apps, value
from scree.errors import FileError


def figure(text, tolerance=""):
    return printed.Printed("", text, tolerance, "", "", "", "")


class Agreement(unittest.TestCase):
    def test_results_agree_if_they_round_or_truncate_to_the_printed_digits(self):
        for computed, text, tolerance, is_expected in (
            (0.2545, "0.255", "", True), (0.25549, "0.255", "", True), (1.686e-5, "2e-5", "", True),
            (-4.69219, "-4.692", "", True), (0.4104, "0.410", "", True), (7.0, "7", "", True),  # rounded
            (0.2559, "0.255", "", True), (-0.2559, "-0.255", "", True), (0.256, "0.255", "", False),  # truncated
            (0.2544, "0.255", "", False), (0.416, "0.410", "", False), (1.4e-5, "2e-5", "", False),
            (0.255, "-0.255", "", False), (6.0, "7", "", False),
            (-3e-8, "<1e-7", "", True), (-3e-7, "<1e-7", "", False), (1e-11, "0", "", True), (0.03, "0", "", False),
            (1.61, "1.59", "2%", True), (1.63, "1.59", "2%", False), (-0.3, "-0.29", "2%", False),
            (5.3e-6, "5.39e-6", "1.5e-7", True), (5.2e-6, "5.39e-6", "1.5e-7", False), (7.0, "6", "0", False),
        ):  # fmt: skip
            self.assertEqual(figure(text, tolerance).is_reproduced_by(computed), is_expected, (computed, text, tolerance))


    def test_known_difference_is_recognised_by_its_value(self):
        recorded = printed.Printed("", "0.255", "", "0.1974", "", "", "why")
        for computed, is_expected in ((0.1974, True), (0.198, True), (0.21, False), (0.0, False)):
            self.assertEqual(recorded.is_known(computed), is_expected, computed)
        self.assertFalse(figure("0.255").is_known(0.0))


class Tables(unittest.TestCase):
    def test_every_printed_value_has_a_command_and_an_expression(self):
        for app in command.PAPERS:
            figures = printed.entries_of(app)
            self.assertTrue(figures)
            for entry in figures:
                self.assertTrue(entry.where and entry.run and entry.value, entry)
                self.assertFalse(entry.ours and not entry.remark, entry)

    def test_every_picture_has_a_paper_a_caption_and_a_unique_name(self):
        names = [picture["name"] for picture in drawing.PICTURES]
        self.assertEqual(len(names), len(set(names)))
        for picture in drawing.PICTURES:
            self.assertTrue(picture["app"] in command.PAPERS and picture["caption"], picture["name"])


class FakeApps(ScriptTest):
    """Tests with apps that print the same table for all arguments."""

    def setUp(self):
        super().setUp()
        for app in command.PAPERS:
            self.put_program(f"scree-{app}", 'printf "# mu: 0.5\\n# what: $1\\nlaw,x,y\\na,1,2\\nb,2,5\\nb,3,7\\n"')
        self.apps = Apps(lambda app: self.folder / f"scree-{app}")

    def run_study(self, *arguments):
        return script_process.run(SCRIPTS / "study.py", "impacts", "--output", self.folder / "out", *arguments)

    def test_expressions_combine_columns_and_notes(self):
        names = self.apps.names("damping", "one; two")
        self.assertEqual(value("max(y[law == 'b'])*mu", names), 3.5)
        self.assertEqual(names["notes"]["what"], "two")
        for bad_expression in ("z", "__import__('os')"):
            with self.assertRaises(FileError):
                value(bad_expression, names)

    def test_picture_has_curves_by_column_and_over_values(self):
        picture = {"app": "damping", "panel": [{"over": [{"name": "y", "n": 2}, {"name": "x", "n": 3}], "run": "go", "x": "x",
                   "y": "@n*@name", "title": "@name", "curve": [{"by": "law", "label": "law {}"}, {"over": [1, 2], "y": "{}*y",
                   "label": "{}"}]}]}  # fmt: skip
        drawn = []
        self.addCleanup(setattr, drawing.scree.figure, "save", drawing.scree.figure.save)
        drawing.scree.figure.save = lambda figure, path: drawn.append(figure)
        drawing.draw(picture, self.apps, None)
        left, right = drawn[0].axes
        self.assertEqual((left.get_title(), right.get_title()), ("y", "x"))
        self.assertEqual([line.get_label() for line in left.lines], ["law a", "law b", "1", "2"])
        self.assertEqual([list(line.get_ydata()) for line in left.lines], [[4], [10, 14], [2, 5, 7], [4, 10, 14]])
        self.assertEqual(list(right.lines[1].get_ydata()), [6, 9])

    def test_mistakes_are_reported_in_a_sentence(self):
        file = self.folder / "file"
        file.write_text("")
        for code, word, *arguments in (
            (2, "no picture", "damping_9", "--bin", self.folder), (3, "no program", "--bin", self.folder / "none"),
            (3, "is it of this version?", "damping_error", "--bin", self.folder),
            (5, "cannot be written", "damping", "--bin", self.folder, "--output", file / "x"),
        ):  # fmt: skip
            process = self.run_study(*arguments)
            self.assertEqual((process.returncode, len(process.stderr.splitlines())), (code, 1), process.stderr)
            self.assertIn(word, process.stderr)


if __name__ == "__main__":
    unittest.main()
