"""plot_convergence.py as a user starts it, and what it makes of tables."""

import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/plot_convergence.py"
sys.path.insert(0, str(SCRIPT.parent))

import plot_convergence
import script_process

TABLE = """# source: {source}
# ranks: {ranks}
variant,sweeps,contacts,residual_max,residual_rms,seconds,max_penetration
as run,1,9,0.5,0.25,1,0
as run,10,9,0.05,0.025,1,0
warm_start=no,1,9,0.8,0.5,1,0
"""


class PlotConvergence(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def table(self, name, source="packing a.csv", ranks=2):
        path = self.folder / name
        path.write_text(TABLE.format(source=source, ranks=ranks))
        return path

    def start(self, *arguments):
        return script_process.run(SCRIPT, *arguments)

    def test_curves_are_by_source_variant_and_ranks(self):
        paths = [self.table("a", ranks=1), self.table("b"), self.table("c", "scene s.ini")]
        panels = plot_convergence.curves([plot_convergence.read(path) for path in paths], [])
        self.assertEqual(list(panels), ["packing a.csv", "scene s.ini"])
        packing = panels["packing a.csv"]
        self.assertEqual(len(packing), 4)
        sweeps, residuals = packing["as run", "1"]
        self.assertEqual((list(sweeps), list(residuals)), ([1, 10], [0.25, 0.025]))
        only = plot_convergence.curves([plot_convergence.read(paths[0])], ["warm_start=no"])
        self.assertEqual(list(only["packing a.csv"]), [("warm_start=no", "1")])

    def test_figure_is_written(self):
        out = self.folder / "figure.png"
        done = self.start(self.table("a"), self.table("b", "scene s.ini"), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.read_bytes()[:4], b"\x89PNG")

    def test_what_cannot_be_drawn_is_told(self):
        out = ("--out", self.folder / "figure.png")
        done = self.start(self.table("a"), "--variants", "none such", *out)
        self.assertEqual((done.returncode, "none such" in done.stderr), (2, True), done.stderr)
        for text in ("", "variant,sweeps\na,1\n", "# source: a\n# ranks: 1\nx,y\n1,2\n"):
            bad = self.folder / "bad.csv"
            bad.write_text(text)
            done = self.start(bad, *out)
            self.assertEqual((done.returncode, "bad.csv" in done.stderr), (3, True), done.stderr)
        self.assertEqual(self.start(self.folder / "nothing.csv", *out).returncode, 3)
        nowhere = self.folder / "no folder" / "figure.png"
        self.assertEqual(self.start(self.table("a"), "--out", nowhere).returncode, 5)


if __name__ == "__main__":
    unittest.main()
