"""scripts/_walls.py: volumes of walls, configurations that cannot be read."""

import pathlib
import tempfile
import unittest

import made_snapshot

import _snapshot
import _walls
import numpy as np

# The obstacle of made_snapshot within the domain, 2 cm high: half a cylinder of 1 cm and a box.
OBSTACLE = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02


class Walls(unittest.TestCase):
    def test_volume_of_the_obstacle(self):
        snapshot = made_snapshot.in_memory(
            made_snapshot.made_fields(0), configuration=made_snapshot.CONFIGURATION
        )
        solids = _walls.in_domain(snapshot)["obstacle"]
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / OBSTACLE, 1.0, delta=1e-3)

    def test_overlapping_boxes_count_once_and_what_juts_out_not_at_all(self):
        text = (
            "[wall.a]\nshape = box\nlower = 0 0 0 cm\nupper = 2 2 2 cm\n"
            "[wall.b]\nshape = box\nlower = 1 0 0 cm\nupper = 3 2 2 cm\n"
            "[wall.c]\nshape = box\nlower = 9 5 0 cm\nupper = 12 7 9 cm\n"
        )
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
        solids = sum(_walls.in_domain(snapshot).values(), [])
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / (12e-6 + 2e-6), 1.0, delta=0.01)

    def test_ball_has_its_volume(self):
        text = "[wall.a]\nshape = sphere\npoint = 5 3 1 cm\nradius = 8 mm\n"
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
        volume = _walls.solid_volume(
            _walls.in_domain(snapshot)["a"], snapshot.lower, snapshot.upper
        )
        self.assertAlmostEqual(volume / (4.0 / 3.0 * np.pi * 0.008**3), 1.0, delta=0.02)

    def sheet(self, keys, **others):
        snapshot = made_snapshot.in_memory(
            made_snapshot.made_fields(0), configuration="[wall.a]\n" + keys, **others
        )
        (sheet,) = _walls.sheets(snapshot)
        return sheet

    def test_sheets_have_their_area(self):
        def area(sheet):
            a, b, c = np.moveaxis(sheet.triangles, 1, 0)
            return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0

        pipe = self.sheet("shape = pipe\nfrom = 0 0 0 m\nto = 0 3 4 m\nradius = 2 m\n")
        self.assertAlmostEqual(area(pipe) / (20.0 * np.pi), 1.0, delta=1e-3)
        cone = self.sheet(
            "shape = cone\nfrom = 0 0 0 m\nto = 0 0 4 m\nfrom_radius = 1 m\nto_radius = 4 m\n"
        )
        self.assertAlmostEqual(area(cone) / (25.0 * np.pi), 1.0, delta=1e-3)
        disk = self.sheet("shape = disk\npoint = 1 2 3 m\nnormal = 0 0.6 0.8\nradius = 2 m\nhole = 1 m\n")
        self.assertAlmostEqual(area(disk) / (3.0 * np.pi), 1.0, delta=1e-3)
        np.testing.assert_allclose((disk.triangles - [1, 2, 3]) @ [0, 0.6, 0.8], 0.0, atol=1e-12)

    def test_lines_are_rims_and_the_silhouette(self):
        pipe = self.sheet("shape = pipe\nfrom = 0 0 0 m\nto = 0 0 4 m\nradius = 2 m\n")
        along = pipe.lines((0.0, 0.0, 1.0))
        np.testing.assert_allclose(np.abs(along[..., 2] - 2.0), 2.0)  # rims only
        self.assertEqual(len(along), 2 * _walls.RIM_POINTS)
        across = pipe.lines((0.0, -1.0, 0.0))
        upright = across[np.abs(across[:, 0, 2] - across[:, 1, 2]) > 1.0]
        self.assertEqual(len(upright), 2)
        np.testing.assert_allclose(np.abs(upright[..., 0]), 2.0, atol=0.01)

    def test_walls_move_and_vanish(self):
        keys = "shape = disk\npoint = 1 0 0 m\nnormal = 0 0 1\nradius = 0.1 m\n"
        turned = self.sheet(keys + f"angular_velocity = 0 0 {2.0 * np.pi} 1/s\n", time=0.25)
        np.testing.assert_allclose(turned.triangles.mean(axis=(0, 1)), [0, 1, 0], atol=1e-3)
        swung = self.sheet(keys + "amplitude = 0 0 0.5 m\nfrequency = 1 Hz\nphase = 0\n", time=0.25)
        np.testing.assert_allclose(swung.triangles[..., 2], 0.5)
        for time, count in ((0.1, 1), (0.2, 0), (0.3, 0)):
            snapshot = made_snapshot.in_memory(
                made_snapshot.made_fields(0), time=time,
                configuration="[wall.a]\n" + keys + "removed_at = 0.2 s\n",
            )
            self.assertEqual(len(_walls.sheets(snapshot)), count)

    def test_mesh_comes_from_the_walls_of_the_run(self):
        text = (
            "[wall.a]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n"
            "[wall.b]\nshape = mesh\nfile = b.stl\nvelocity = 4 0 0 m/s\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "snapshots" / "step.h5"
            snapshot = made_snapshot.in_memory(
                made_snapshot.made_fields(0), configuration=text, path=path
            )
            self.assertEqual(_walls.sheets(snapshot), [])  # no file: not drawn
            (pathlib.Path(folder) / "walls.vtk").write_text(
                "# vtk DataFile Version 3.0\nwalls\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n"
                "0 0 0\n1 0 0\n0 1 0\n0 0 1\nPOLYGONS 2 8\n3 0 1 2\n3 0 1 3\n"
                "CELL_DATA 2\nSCALARS wall int 1\nLOOKUP_TABLE default\n0\n1\n"
            )
            (sheet,) = _walls.sheets(snapshot)
        self.assertEqual(sheet.wall, "b")
        np.testing.assert_allclose(sheet.triangles, [[[1, 0, 0], [2, 0, 0], [1, 0, 1]]])

    def test_foreign_configuration(self):
        empty = made_snapshot.made_fields(0)
        for text in ("rubbish", "[wall.a]\nshape = box\nlower = 1 1 1 kg\nupper = 2 2 2\n"):
            snapshot = made_snapshot.in_memory(empty, configuration=text)
            with self.assertRaisesRegex(_snapshot.SnapshotError, "configuration"):
                _walls.in_domain(snapshot)


if __name__ == "__main__":
    unittest.main()
