"""scripts/scree/wall_drawing.py: what is seen of walls without thickness."""

import unittest
import unittest.mock

import made_snapshot

import numpy as np
import scree.view
import scree.wall_drawing
import scree.walls
from walls_test import tube

HALF_A_PIECE = 0.5 * 6.0 / scree.wall_drawing.MOST_PIECES  # that a line may go beyond a face [m]


class Sheets(unittest.TestCase):
    def lines(self, view, triangles):
        """Segments of a sheet in an empty domain of 6 x 6 x 4 m."""
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), (6.0, 6.0, 4.0), configuration="")
        sheets = [scree.walls.Sheet("pipe", triangles)]
        with unittest.mock.patch.object(scree.walls, "sheets", return_value=sheets):
            return scree.wall_drawing.sheet_lines(snapshot, scree.view.views(snapshot)[view])

    def test_a_pipe_that_leaves_the_domain_ends_at_its_faces(self):
        pipe = tube(2.0, 8.0) + [3.0, 3.0, -2.0]
        lines = self.lines("side", pipe)  # along y: x and z are left
        self.assertGreaterEqual(lines[..., 1].min(), -HALF_A_PIECE)
        self.assertLessEqual(lines[..., 1].max(), 4.0 + HALF_A_PIECE)
        for end in (0.0, 4.0):
            rim = lines[np.all(np.abs(lines[..., 1] - end) < 1e-9, axis=1)]
            np.testing.assert_allclose([rim[..., 0].min(), rim[..., 0].max()], [1.0, 5.0], atol=0.01)
        rim = self.lines("above", pipe)
        np.testing.assert_allclose(np.linalg.norm(rim - 3.0, axis=-1), 2.0, atol=0.01)
        self.assertGreater(len(rim), 100)

    def test_a_pipe_within_the_domain_has_its_rims_and_sides(self):
        lines = self.lines("side", tube(2.0, 2.0) + [3.0, 3.0, 1.0])
        self.assertEqual({round(float(z), 9) for z in (lines[..., 1].min(), lines[..., 1].max())}, {1.0, 3.0})


class Planes(unittest.TestCase):
    def outline(self, point, normal, fields=None):
        """What the oblique view of a domain of 6 x 6 x 4 m draws of a plane, and the view."""
        snapshot = made_snapshot.in_memory(fields or made_snapshot.made_fields(0), (6.0, 6.0, 4.0), configuration="")
        plane = scree.walls.Plane("lid", np.array(point), np.array(normal))
        view = scree.view.views(snapshot)["oblique"]
        with unittest.mock.patch.object(scree.walls, "planes", return_value=[plane]):
            return scree.wall_drawing.plane_lines(snapshot, view), view

    def length(self, lines):
        return np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum()

    def test_a_lid_within_the_domain_is_seen_askew_as_its_outline(self):
        lines, view = self.outline([0.0, 0.0, 3.0], [0.0, 0.0, -1.0])
        corners = view.project(np.array([[0, 0, 3], [6, 0, 3], [6, 6, 3], [0, 6, 3]], float))
        around = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).sum()
        self.assertAlmostEqual(self.length(lines), around, places=9)

    def test_planes_that_make_a_box_end_where_they_meet(self):
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), (6.0, 6.0, 4.0), configuration="")
        view = scree.view.views(snapshot)["oblique"]
        sides = [([1, 0, 0], [1, 0, 0]), ([5, 0, 0], [-1, 0, 0]), ([0, 1, 0], [0, 1, 0]), ([0, 5, 0], [0, -1, 0])]
        planes = [scree.walls.Plane("side", np.array(point, float), np.array(normal, float)) for point, normal in sides]
        with unittest.mock.patch.object(scree.walls, "planes", return_value=planes):
            lines = scree.wall_drawing.plane_lines(snapshot, view)
        edges = view.project(np.array([[4, 0, 0], [0, 4, 0], [0, 0, 4]], float)) - view.project(np.zeros((1, 3)))
        # Four sides of 4 x 4 m: two along each of x and y have two edges, and all have two upright ones.
        around = np.linalg.norm(edges, axis=1) @ [4, 4, 8]
        self.assertAlmostEqual(self.length(lines), around, delta=1e-3)

    def test_the_frame_stands_for_a_plane_in_a_face(self):
        for point, normal in (([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), ([6.0, 0.0, 0.0], [-1.0, 0.0, 0.0])):
            self.assertEqual(len(self.outline(point, normal)[0]), 0)
        self.assertEqual(len(self.outline([0.0, 0.0, 9.0], [0.0, 0.0, 1.0])[0]), 0)

    def test_spheres_hide_the_edges_behind_them(self):
        whole = self.length(self.outline([0.0, 0.0, 1.0], [0.0, 0.0, 1.0])[0])
        fields = made_snapshot.at([[3.0, 3.0, 2.5]], radius=1.5)
        part = self.length(self.outline([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], fields)[0])
        self.assertLess(part, 0.95 * whole)
        self.assertGreater(part, 0.3 * whole)


if __name__ == "__main__":
    unittest.main()
