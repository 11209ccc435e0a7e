"""scripts/scree/depth_buffer.py: the visible surface at each pixel, normals, light, edges and occlusion."""

import unittest

import numpy as np
import scree.depth_buffer
from scree.depth_buffer import Buffer

RED, GREEN, GREY = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.75, 0.75, 0.75]


def add_spheres(buffer, positions, radii, colours=None):
    count = len(radii)
    buffer.add_spheres(np.array(positions, float), np.array(radii, float),
                       np.array(colours or count * [GREY], float).reshape(-1, 3), np.arange(count))  # fmt: skip


def square(low, high, height):
    """Two triangles of a square.  height: z of the four corners"""
    corners = np.array([[low, low, height[0]], [high, low, height[1]], [high, high, height[2]], [low, high, height[3]]], float)
    return corners[[[0, 1, 2], [0, 2, 3]]]


def add_triangles(buffer, corners, first_body=100, **others):
    buffer.add_triangles(corners, np.full((len(corners), 3), 0.75), np.full(len(corners), first_body), **others)


def items(buffer):
    return buffer.item.reshape(buffer.lines, buffer.columns)[: buffer.height, : buffer.width]


def reference_items(centres, radii, width, height):
    """The nearest sphere at each pixel, found by testing all spheres."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    depth, result = np.full(x.shape, -np.inf), np.full(x.shape, -1)
    for number, ((cx, cy, cz), radius) in enumerate(zip(centres, radii)):
        depth_squared = radius**2 - (x - cx) ** 2 - (y - cy) ** 2
        z = np.where(depth_squared >= 0.0, cz + np.sqrt(np.maximum(depth_squared, 0.0)), -np.inf)
        result[z > depth] = number
        depth = np.maximum(depth, z)
    return result


class Surfaces(unittest.TestCase):
    def test_nearest_of_many_spheres_is_seen_at_each_pixel(self):
        random = np.random.default_rng(1)
        positions = random.uniform(-5.0, 105.0, (2000, 3)) * [1.0, 0.7, 3.0]
        radii = random.uniform(1.0, 9.0, 2000)
        buffer = Buffer(101, 67)  # not multiples of the tile size
        add_spheres(buffer, positions, radii)
        self.assertLess(np.mean(items(buffer) != reference_items(positions, radii, 101, 67)), 1e-3)

    def test_hidden_spheres_are_left_out(self):
        buffer = Buffer(64, 64)
        add_triangles(buffer, square(-10.0, 80.0, 4 * [50.0]))
        behind, front = np.array([[32.0, 32.0, 20.0]]), np.array([[32.0, 32.0, 45.0]])
        self.assertEqual(buffer._can_be_seen(behind, np.array([10.0])).tolist(), [False])
        self.assertEqual(buffer._can_be_seen(front, np.array([10.0])).tolist(), [True])

    def test_triangle_through_a_sphere_ends_at_the_intersection(self):
        # A plane that rises to the right passes through the centre, so only the left part of the sphere is visible.
        buffer = Buffer(100, 100)
        add_spheres(buffer, [[50.0, 50.0, 0.0]], [30.0])
        add_triangles(buffer, square(0.0, 99.0, [-50.0, 49.0, 49.0, -50.0]))
        row = items(buffer)[50]
        ball = np.flatnonzero(row == 0)
        expected_edge = 50.0 + 30.0 / np.sqrt(2.0)  # z = x - 50 on the sphere
        self.assertEqual((ball[0], ball[-1]), (20, int(expected_edge)))
        self.assertEqual(len(ball), ball[-1] - ball[0] + 1)
        self.assertTrue(np.all(row[ball[-1] + 1 :] > 0))

    def test_adjacent_triangles_leave_no_gap_and_their_depths_are_exact(self):
        random = np.random.default_rng(2)
        for _ in range(20):
            x = np.sort(np.append(random.uniform(5.0, 95.0, 6), [0.0, 99.0]))
            strips = []
            for left, right in zip(x[:-1], x[1:]):
                corners = np.array([[left, 0.0, left], [right, 0.0, right], [right, 99.0, right], [left, 99.0, left]])
                strips += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
            buffer = Buffer(100, 100)
            add_triangles(buffer, np.array(strips))
            self.assertTrue(np.all(items(buffer) >= 0))
            depth = buffer.depth.reshape(buffer.lines, buffer.columns)[:100, :100]
            np.testing.assert_allclose(depth, np.broadcast_to(np.arange(100.0), (100, 100)), atol=1e-3)

    def test_triangles_seen_edge_on_or_outside_the_picture_are_skipped(self):
        buffer = Buffer(20, 20)
        upright = np.array([[[5.0, 5.0, 0.0], [5.0, 15.0, 0.0], [5.0, 10.0, 9.0]]])
        outside = np.array([[[-50.0, 500.0, 0.0], [-40.0, 500.0, 0.0], [-40.0, 510.0, 0.0]]])
        point = np.full((1, 3, 3), 7.0)
        add_spheres(buffer, [[-100.0, 10.0, 0.0], [1e6, 1e6, 0.0]], [10.0, 3.0])
        add_triangles(buffer, np.concatenate([upright, outside, point]))
        colours, is_covered, dark = buffer.shade(5.0)
        self.assertTrue(np.isfinite(colours).all() and np.isfinite(dark).all())
        self.assertLessEqual(set(np.flatnonzero(is_covered.any(axis=0))), {5, 7})

    def test_parts_behind_discarded_parts_are_seen(self):
        buffer = Buffer(20, 20)
        corners = np.concatenate([square(0.0, 19.0, 4 * [5.0]), square(0.0, 19.0, 4 * [1.0])])
        add_triangles(buffer, corners, keep=lambda positions: (positions[:, 0] < 9.5) | (positions[:, 2] < 3.0))
        self.assertTrue(np.all(np.isin(items(buffer)[:, :10], (0, 1))) and np.all(np.isin(items(buffer)[:, 10:], (2, 3))))

    def test_small_spheres_do_not_fall_between_pixels(self):
        positions = np.random.default_rng(3).uniform(2.0, 60.0, (50, 3))
        for position in positions:
            buffer = Buffer(64, 64)
            add_spheres(buffer, [position], [0.01])
            self.assertTrue(np.any(items(buffer) == 0))

    def test_lines_are_hidden_by_nearer_surfaces(self):
        buffer = Buffer(100, 20)
        add_spheres(buffer, [[50.0, 10.0, 0.0]], [8.0])
        for height, hidden in ((20.0, 0), (-20.0, 17)):
            line = np.array([[[0.0, 10.0, height], [99.0, 10.0, height]]])
            self.assertEqual(len(np.unique(buffer.find_line_pixels(line, 1))), 100 - hidden)


class Light(unittest.TestCase):
    def test_surface_facing_the_viewer_has_its_colour_and_the_lit_side_is_brighter(self):
        buffer = Buffer(100, 100)
        add_spheres(buffer, [[50.0, 50.0, 0.0]], [40.0], [RED])
        colours, is_covered, _ = buffer.shade(1.0)
        np.testing.assert_allclose(colours[50, 50], RED, atol=0.01)
        left, right = colours[50, 22, 0], colours[50, 78, 0]
        self.assertGreater(left, right + 0.15)
        self.assertGreater(colours[78, 50, 0], colours[22, 50, 0] + 0.15)
        # Lambert's law with the normal of the sphere at the right pixel.
        normal = np.array([0.7, 0.0, np.sqrt(1.0 - 0.7**2)])
        light = np.array(scree.depth_buffer.LIGHT) / scree.depth_buffer.LIGHT[2]
        expected = scree.depth_buffer.DARKEST + (1.0 - scree.depth_buffer.DARKEST) * (normal @ light)
        self.assertAlmostEqual(right, expected, delta=0.03)
        self.assertAlmostEqual(is_covered.mean(), np.pi * 0.4**2, delta=0.01)

    def test_shade_depends_on_the_direction_of_a_face_and_not_on_its_winding(self):
        shades = []
        for heights in ([0.0, 30.0, 30.0, 0.0], [30.0, 0.0, 0.0, 30.0]):
            for order in ([0, 1, 2], [2, 1, 0]):
                buffer = Buffer(40, 40)
                add_triangles(buffer, square(0.0, 39.0, heights)[:, order])
                shades.append(buffer.shade(1.0)[0][20, 20, 0])
        self.assertAlmostEqual(shades[0], shades[1], places=5)
        self.assertAlmostEqual(shades[2], shades[3], places=5)
        self.assertGreater(shades[0], shades[2] + 0.1)  # the first square faces left, where the lamp is

    def test_edges_between_faces_at_an_angle_are_dark_and_edges_in_a_plane_are_not(self):
        left, right = np.array([[0.0, 0.0, 0.0], [20.0, 0.0, 20.0], [20.0, 39.0, 20.0], [0.0, 39.0, 0.0]]), None
        for height, has_edge in ((0.0, True), (40.0, False)):
            right = np.array([[20.0, 0.0, 20.0], [39.0, 0.0, 20.0 + (height - 20.0) * 0.95],
                              [39.0, 39.0, 20.0 + (height - 20.0) * 0.95], [20.0, 39.0, 20.0]])  # fmt: skip
            buffer = Buffer(40, 40)
            add_triangles(buffer, np.concatenate([square[[[0, 1, 2], [0, 2, 3]]] for square in (left, right)]))
            dark = buffer.shade(1.0)[2]
            self.assertEqual(bool(dark[20, 18:23].max() > 0.3), has_edge)
            self.assertEqual(dark[20, 5:15].max(), 0.0)

    def test_gap_is_darker_than_a_plane_and_a_slope(self):
        shades = {}
        for name, heights in (("plane", 4 * [0.0]), ("slope", [0.0, 60.0, 60.0, 0.0])):
            buffer = Buffer(100, 100)
            add_triangles(buffer, square(0.0, 99.0, heights))
            depth = np.maximum(buffer.depth, -1e9).reshape(buffer.lines, buffer.columns)
            normals = np.broadcast_to(np.array([-heights[1] / 99.0, 0.0, 1.0])[:, None, None], (3, *depth.shape))
            shades[name] = scree.depth_buffer._occlusion(depth, normals, 20.0)[50, 50]
        buffer = Buffer(100, 100)
        add_spheres(buffer, [[30.0, 50.0, 0.0], [70.0, 50.0, 0.0]], [20.0, 20.0])
        add_triangles(buffer, square(0.0, 99.0, 4 * [-20.0]))
        colours = buffer.shade(20.0)[0]
        np.testing.assert_allclose(list(shades.values()), 0.0, atol=1e-3)
        self.assertLess(colours[50 - 12, 50, 0], 0.9 * colours[8, 8, 0])

    def test_distant_surfaces_fade(self):
        buffer = Buffer(60, 30)
        add_spheres(buffer, [[15.0, 15.0, 0.0], [45.0, 15.0, -500.0]], [8.0, 8.0], [GREEN, GREEN])
        colours = buffer.shade(2.0)[0]
        np.testing.assert_allclose(colours[15, 15], GREEN, atol=0.01)
        self.assertTrue(0.1 < colours[15, 45, 0] < 0.3 < 0.7 < colours[15, 45, 1])

    def test_empty_buffer_shows_nothing(self):
        buffer = Buffer(30, 20)
        add_spheres(buffer, np.zeros((0, 3)), [])
        add_triangles(buffer, np.zeros((0, 3, 3)))
        colours, is_covered, dark = buffer.shade(5.0)
        self.assertEqual((colours.shape, bool(is_covered.any()), float(dark.max())), ((20, 30, 3), False, 0.0))

    def test_round_wall_is_smooth_and_a_box_is_not(self):
        for sides, is_round in ((24, True), (4, False)):
            angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
            rim = np.stack([np.cos(angle), np.sin(angle)], axis=1)
            low, high = np.insert(rim, 2, 0.0, axis=1), np.insert(rim, 2, 1.0, axis=1)
            tube = np.concatenate([np.stack([low[:-1], low[1:], high[1:]], 1), np.stack([low[:-1], high[1:], high[:-1]], 1)])
            normals = scree.depth_buffer.smooth_normals(tube, 40.0)
            normals /= np.linalg.norm(normals, axis=2, keepdims=True)
            radial = tube * [1.0, 1.0, 0.0]
            cosine = np.abs(np.einsum("tki,tki->tk", normals, radial))
            self.assertAlmostEqual(cosine.min(), 1.0 if is_round else np.cos(np.pi / 4.0), delta=0.01)


if __name__ == "__main__":
    unittest.main()
