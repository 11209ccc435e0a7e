"""Files of a scene: a restart in another folder finds them, accepts them under new names, and rejects new contents.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import gzip
import itertools
import subprocess
import unittest

from run_test import ENVIRONMENT, SCENE, TIMEOUT, WithFolder, run_command

FACETS = (((0, 0), (60, 0), (60, 60)), ((0, 0), (60, 60), (0, 60)))


def surface(height):
    """A horizontal square of two triangles, as an STL text."""
    text = "solid a\n"
    for facet in FACETS:
        text += "facet normal 0 0 1\nouter loop\n"
        text += "".join(f"vertex {x - 20} {y - 20} {height}\n" for x, y in facet)
        text += "endloop\nendfacet\n"
    return text + "endsolid a\n"


class Inputs(WithFolder):
    def setUp(self):
        super().setUp()
        floor = "[wall.floor]\nshape = mesh\nfile = parts/floor.stl\nunit = 1 mm\n"
        begin, _, after_floor = SCENE.partition("[wall.floor]")
        _, _, after_floor = after_floor.partition("[wall.ceiling]")
        (self.folder / "parts").mkdir()
        (self.folder / "elsewhere").mkdir()
        self.mesh = self.put("parts/floor.stl", surface(0))
        self.put("scene.ini", begin + floor + "[wall.ceiling]" + after_floor + "[checkpoint]\nevery = 50 steps\n")
        process = self.run_in(self.folder, "scene.ini", "--output.directory", "out", "--time.end", "1 ms")
        self.assertEqual(process.returncode, 0, process.stderr)

    def run_in(self, folder, *arguments, ranks=1):
        return subprocess.run(
            run_command(ranks, *arguments, "--quiet"), cwd=folder,
            capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False,
        )  # fmt: skip

    def restart(self, folder, *options, ranks=1):
        return self.run_in(folder, "--restart", self.folder / "out", "--time.end", "1.5 ms", *options, ranks=ranks)

    def test_restart_elsewhere_finds_the_inputs(self):
        for ranks in (1, 2):
            process = self.restart(self.folder / "elsewhere", ranks=ranks)
            self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_same_content_under_another_name_is_accepted(self):
        with gzip.open(self.folder / "elsewhere/packed.stl", "wt") as file:
            file.write(surface(0))
        self.mesh.unlink()
        process = self.restart(self.folder)
        self.assertEqual(process.returncode, 3)
        self.assertIn("[wall.floor] file: cannot read 'parts/floor.stl'", process.stderr)
        process = self.restart(self.folder, "--wall.floor.file", "elsewhere/packed.stl")
        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_another_content_under_the_same_name_is_refused(self):
        self.mesh.write_text(surface(0.5))
        for ranks in (1, 2):
            process = self.restart(self.folder, ranks=ranks)
            self.assertEqual(process.returncode, 3, process.stderr)
            self.assertRegex(
                process.stderr,
                r"'parts/floor.stl' has changed since the run began: its digest is [0-9a-f]{16}, "
                r"expected [0-9a-f]{16}; give the original file by --wall.floor.file PATH",
            )
        self.mesh.write_text(surface(0))
        process = self.restart(self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))


class Tables(WithFolder):
    """The output directory keeps one copy of a large table, so that the user may delete the original."""

    def setUp(self):
        super().setUp()
        axes = [range(13)] * 3
        rows = [f"{x},{y / 2:g},{z / 2:g},{(x + z) / 70}" for x, y, z in itertools.product(*axes)]
        self.put("flow.csv", "x_mm,y_mm,z_mm,vx_m/s\n" + "\n".join(rows) + "\n")
        fluid = "[fluid]\ndensity = 1000 kg/m^3\nviscosity = 1e-3 Pa s\ngrid = flow.csv ; measured\n"
        self.put("scene.ini", SCENE + fluid + "[checkpoint]\nevery = 50 steps\n")
        self.run_scene("scene.ini", "--output.directory", "out", "--time.end", "1 ms")
        (self.table,) = (self.folder / "out/tables").iterdir()

    def run_scene(self, *arguments, code=0):
        process = subprocess.run(
            run_command(2, *arguments, "--quiet"), cwd=self.folder,
            capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False,
        )  # fmt: skip
        self.assertEqual(process.returncode, code, process.stderr)
        return process

    def test_restart_does_not_need_the_file_of_the_user(self):
        self.run_scene("scene.ini", "--output.directory", "whole", "--time.end", "2 ms")
        (self.folder / "flow.csv").unlink()
        self.run_scene("--restart", "out", "--time.end", "2 ms")
        for name in ("series.csv", f"snapshots/step_{200:012d}.h5", "config.ini", f"tables/{self.table.name}"):
            uninterrupted = (self.folder / "whole" / name).read_text("latin-1").replace("directory = whole", "directory = out")
            self.assertEqual((self.folder / "out" / name).read_text("latin-1"), uninterrupted, name)
        self.assertIn(f"grid = tables/{self.table.name}", (self.folder / "out/config.ini").read_text())

    def test_edited_table_is_refused(self):
        self.table.write_text(self.table.read_text() + "\n")
        message = self.run_scene("--restart", "out", "--time.end", "2 ms", code=3).stderr
        self.assertIn("is not the table that the run stored: its digest is", message)
        self.table.unlink()
        message = self.run_scene("--restart", "out", "--time.end", "2 ms", code=3).stderr
        self.assertIn(f"[fluid] grid: cannot read 'tables/{self.table.name}'", message)


if __name__ == "__main__":
    unittest.main()
