"""Tests of scripts/terrain.py: a small raster with a hole, its triangles one by one, bad files."""

import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np

GRID = "ncols 3\nnrows 3\nxllcorner 100\nyllcorner 200\ncellsize 2\nNODATA_value -9999\n7 8 9\n4 5 6\n1 2 -9999\n"


class Terrain(ScriptTest):
    script = "terrain.py"

    def triangles_of(self, text, *options):
        path = self.folder / "slope.asc"
        path.write_text(text)
        self.assert_runs(path, *options)
        data = (self.folder / "slope.stl").read_bytes()
        facets = np.frombuffer(data[84:], [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        self.assertEqual(len(facets), int.from_bytes(data[80:84], "little"))
        return facets["corners"].astype(float)

    def test_every_cell_is_two_triangles_that_face_up(self):
        result = self.triangles_of(GRID)
        self.assertEqual(len(result), 7)  # without one of 8, which has a corner in the hole in the south-east
        heights = {(x, y): height for x, y, height in (
            (101, 201, 1), (103, 201, 2), (101, 203, 4), (103, 203, 5), (105, 203, 6), (101, 205, 7), (103, 205, 8), (105, 205, 9))}  # fmt: skip
        area = 0.0
        for corners in result:
            for x, y, z in corners:
                self.assertEqual(heights[x, y], z)
            normal_z = np.cross(corners[1] - corners[0], corners[2] - corners[0])[2]
            self.assertGreater(normal_z, 0.0)
            area += 0.5 * normal_z
        self.assertAlmostEqual(area, 14.0)

    def test_option_origin_moves_the_terrain_and_xllcenter_needs_no_shift(self):
        np.testing.assert_array_equal(self.triangles_of(GRID, "--origin").min(axis=(0, 1)), [0.0, 0.0, 0.0])
        result = self.triangles_of(GRID.replace("corner", "center"))
        np.testing.assert_array_equal(result.min(axis=(0, 1)), [100.0, 200.0, 1.0])

    def test_coordinates_that_an_stl_would_round_require_option_origin(self):
        path = self.folder / "slope.asc"
        path.write_text(GRID.replace("yllcorner 200", "yllcorner 5412345"))  # single precision has steps of 0.5 m there
        self.assert_refused(2, [str(path), "up to 5412350 m", "steps of 0.5 m", "cells of 2 m", "--origin"], path)
        self.assert_runs(path, "--origin")
        path.write_text(GRID.replace("yllcorner 200", "yllcorner 5412345").replace("cellsize 2", "cellsize 1000"))
        self.assertIn("y 5412845 to 5414845 m, z 1 to 9 m", self.assert_runs(path).stdout)

    def test_bad_files_are_refused(self):
        path = self.folder / "bad.asc"
        for text, words in (
            (GRID.replace("ncols 3\n", ""), "lacks 'ncols'"), (GRID.replace("7 8 9", "7 8"), "has 8 heights"),
            (GRID.replace("7", "seven"), "seven"), (GRID.replace("cellsize 2", "cellsize 0"), "cells above 0"),
            (GRID[:GRID.index("7 8")] + "-9999 " * 9, "has no height"), (GRID.replace("7", "inf"), "infinite height"),
            (GRID[:GRID.index("7 8")] + "1 -9999 2 -9999 -9999 -9999 3 -9999 4", "has no height in any three neighbouring cells"),
        ):  # fmt: skip
            path.write_text(text)
            with self.subTest(words=words):
                self.assert_refused(3, [str(path), words], path)
        self.assert_refused(3, ["cannot be read"], self.folder / "missing.asc")

    def test_shipped_mesh_is_that_of_its_raster(self):
        scenes = made_snapshot.SCRIPTS.parent / "apps" / "scenes"
        self.triangles_of((scenes / "rockfall.asc").read_text())
        self.assertEqual((self.folder / "slope.stl").read_bytes(), (scenes / "rockfall.stl").read_bytes())


if __name__ == "__main__":
    unittest.main()
