"""Tests of scripts/scree/view.py: up direction, default view, right-handed axes of views."""

import unittest

import made_snapshot

import numpy as np
import scree.view


def scene(gravity="", extent=(0.1, 0.1, 0.2)):
    """A snapshot of an empty scene."""
    text = f"[scene]\ngravity = {gravity}\n" if gravity else ""
    return made_snapshot.in_memory(made_snapshot.made_fields(0), extent, configuration=text)


class View(unittest.TestCase):
    def test_views_are_right_handed_and_gravity_points_down(self):
        for gravity in ("", "0 0 -9.81 m/s^2", "0 9.81 0", "-9 0 1 m/s^2", "4.4 0 -8.7 m/s^2"):
            snapshot = scene(gravity)
            for name, view in scree.view.views(snapshot).items():
                with self.subTest(gravity=gravity, view=name):
                    frame = np.array([view.right, view.up, view.towards])
                    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
                    self.assertAlmostEqual(np.linalg.det(frame), 1.0)
                    if name != "above":
                        self.assertLess(view.up @ scree.view.gravity(snapshot), 1e-12)
            oblique = scree.view.views(snapshot)["oblique"]
            self.assertAlmostEqual(oblique.right @ scree.view.gravity(snapshot), 0.0)

    def test_axes_have_their_directions(self):
        views = scree.view.views(scene("0 0 -9.81"))
        self.assertEqual([views[name].axes for name in ("above", "side", "front")], [(0, 1), (0, 2), (1, 2)])
        self.assertEqual({views[name].signs for name in ("above", "side", "front")}, {(1, 1)})
        self.assertIsNone(views["oblique"].axes)
        self.assertIn("from −y", views["side"].title)
        upside_down = scree.view.views(scene("0 0 9.81"))["side"]
        self.assertEqual((upside_down.axes[1], upside_down.signs[1]), (2, -1))

    def test_default_view_is_along_the_shortest_side_or_a_horizontal_one_of_similar_length(self):
        cases = (
            ((0.15, 0.065, 0.02), "above"),  # a channel
            ((0.19, 0.19, 0.2), "side"),
            ((0.1, 0.1, 0.1), "side"),
            ((0.03, 0.1, 0.1), "front"),
        )
        for extent, name in cases:
            self.assertEqual(scree.view.main_name(scene("0 0 -9.81", extent)), name, extent)

    def test_views_can_be_chosen_by_axis_and_plane(self):
        snapshot = scene("0 0 -9.81")
        for axis in range(3):
            self.assertNotIn(axis, scree.view.of_axis(snapshot, axis).axes)
        self.assertEqual(scree.view.of_plane(snapshot, (2, 0)).axes, (2, 0))

    def test_gravity_and_the_vertical_follow_changes_during_the_run(self):
        turned = '[scene]\ngravity = 0 0 -9.81 m/s^2\n[time]\nstep = 1 ms\n[at "0.25 s"]\nscene.gravity = 4.905 0 0 m/s^2\n'
        for time, gravity, up in ((0.25, (0, 0, -9.81), (0, 0, 1)), (0.251, (4.905, 0, 0), (-1, 0, 0))):
            snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=turned, time=time)
            np.testing.assert_array_equal(scree.view.gravity(snapshot), gravity)
            np.testing.assert_array_equal(scree.view.vertical(snapshot), up)

    def test_configuration_without_gravity_has_no_up_direction(self):
        for text in ("", "[scene]\nseed = 1\n", "[scene]\ngravity = down\n", "[["):
            snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
            self.assertFalse(scree.view.gravity(snapshot).any())


if __name__ == "__main__":
    unittest.main()
