"""scripts/scree/wall_drawing.py: the visible parts of walls without thickness."""

import unittest
import unittest.mock

import made_snapshot

import numpy as np
import scree.view
import scree.wall_drawing
import scree.walls
from walls_test import tube

MAX_EXCESS = 0.5 * 6.0 / scree.wall_drawing.MAX_PIECES  # half a piece of a line may lie outside of the domain [m]


class Sheets(unittest.TestCase):
    def lines(self, view, triangles):
        """Segments of a sheet in an empty domain of 6 x 6 x 4 m."""
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), (6.0, 6.0, 4.0), configuration="")
        sheets = [scree.walls.Sheet("pipe", triangles)]
        with unittest.mock.patch.object(scree.walls, "sheets", return_value=sheets):
            return scree.wall_drawing.sheet_lines(snapshot, scree.view.views(snapshot)[view])

    def test_pipe_that_leaves_the_domain_ends_at_its_faces(self):
        pipe = tube(2.0, 8.0) + [3.0, 3.0, -2.0]
        lines = self.lines("side", pipe)  # a view along y; lines have x and z
        self.assertGreaterEqual(lines[..., 1].min(), -MAX_EXCESS)
        self.assertLessEqual(lines[..., 1].max(), 4.0 + MAX_EXCESS)
        for end in (0.0, 4.0):
            rim = lines[np.all(np.abs(lines[..., 1] - end) < 1e-9, axis=1)]
            np.testing.assert_allclose([rim[..., 0].min(), rim[..., 0].max()], [1.0, 5.0], atol=0.01)
        rim = self.lines("above", pipe)
        np.testing.assert_allclose(np.linalg.norm(rim - 3.0, axis=-1), 2.0, atol=0.01)
        self.assertGreater(len(rim), 100)

    def test_pipe_within_the_domain_has_its_rims_and_sides(self):
        lines = self.lines("side", tube(2.0, 2.0) + [3.0, 3.0, 1.0])
        self.assertEqual({round(float(z), 9) for z in (lines[..., 1].min(), lines[..., 1].max())}, {1.0, 3.0})


class Planes(unittest.TestCase):
    def outlines(self, planes, fields=None):
        """Edges of planes in a domain of 6 x 6 x 4 m."""
        self.snapshot = made_snapshot.in_memory(fields or made_snapshot.made_fields(0), (6.0, 6.0, 4.0), configuration="")
        planes = [scree.walls.Plane("lid", np.array(point, float), np.array(normal, float)) for point, normal in planes]
        with unittest.mock.patch.object(scree.walls, "planes", return_value=planes):
            return scree.wall_drawing.plane_outlines(self.snapshot)

    def length(self, lines):
        return np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum()

    def test_lid_within_the_domain_has_an_outline(self):
        lines = self.outlines([([0.0, 0.0, 3.0], [0.0, 0.0, -1.0])])
        self.assertAlmostEqual(self.length(lines), 24.0, places=9)
        np.testing.assert_allclose(lines[..., 2], 3.0)

    def test_planes_that_form_a_box_end_where_they_meet(self):
        lines = self.outlines([([1, 0, 0], [1, 0, 0]), ([5, 0, 0], [-1, 0, 0]), ([0, 1, 0], [0, 1, 0]), ([0, 5, 0], [0, -1, 0])])
        self.assertAlmostEqual(self.length(lines), 4 * (4 + 4 + 4 + 4), delta=1e-3)  # four sides of 4 x 4 m

    def test_planes_in_faces_or_outside_have_no_outline(self):
        for point, normal in (([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), ([6.0, 0.0, 0.0], [-1.0, 0.0, 0.0])):
            self.assertEqual(len(self.outlines([(point, normal)])), 0)
        self.assertEqual(len(self.outlines([([0.0, 0.0, 9.0], [0.0, 0.0, 1.0])])), 0)


if __name__ == "__main__":
    unittest.main()
