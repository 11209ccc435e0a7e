"""plot_table.py as a user starts it, and what it makes of tables."""

import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/plot_table.py"
sys.path.insert(0, str(SCRIPT.parent))

import plot_table
import script_process

TABLE = """# law: both
law,speed,e
linear,1,0.5
linear,2,0.5
hertz,1,0.6
hertz,2,
"""


class PlotTable(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.path = self.folder / "table.csv"
        self.path.write_text(TABLE)

    def start(self, *arguments):
        return script_process.run(SCRIPT, *arguments)

    def test_a_curve_for_each_name_and_gaps_for_empty_cells(self):
        table = plot_table.read(self.path, ["speed", "e", "law"])
        found = plot_table.curves({str(self.path): table}, "speed", "e", "law")
        self.assertEqual([label for label, _, _ in found], ["linear", "hertz"])
        self.assertEqual(list(found[0][2]), [0.5, 0.5])
        self.assertEqual((found[1][2][0], str(found[1][2][1])), (0.6, "nan"))

    def test_figure_is_written(self):
        out = self.folder / "figure.png"
        done = self.start(self.path, self.path, "-x", "speed", "-y", "e", "--by", "law", "--log", "x", "--out", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(out.read_bytes()[:4], b"\x89PNG")

    def test_what_is_missing_is_named(self):
        out = self.folder / "figure.png"
        for arguments, code, word in (
            ((self.path, "-x", "time", "-y", "e"), 2, "no column 'time'; it has law, speed, e"),
            ((self.path, "-x", "speed", "-y", "law"), 2, "column 'law'"),
            ((self.folder / "none.csv", "-x", "speed", "-y", "e"), 3, "none.csv"),
        ):
            done = self.start(*arguments, "--out", out)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        empty = self.folder / "empty.csv"
        empty.write_text("")
        self.assertEqual(self.start(empty, "-x", "speed", "-y", "e", "--out", out).returncode, 3)
        done = self.start(self.path, "-x", "speed", "-y", "e", "--out", "/nonexistent/figure.png")
        self.assertEqual(done.returncode, 5)


if __name__ == "__main__":
    unittest.main()
