"""scripts/scree/colour.py: pressures, colour scales, kinds of grains; also bond order and contacts of clumps."""

import unittest
from unittest import mock

import made_snapshot

import matplotlib.colors
import numpy as np
import scree.bond_order
import scree.colour
import scree.contacts
import scree.snapshot
from scree.errors import UsageError

DT, RADIUS = 1e-4, 5e-4
CONFIGURATION = f"[time]\nstep = {DT} s\n"


def squeezed_pair(force, periodic=False):
    """(snapshot, contacts) of two touching spheres in a row, pressed between two walls with a force [N]."""
    x = np.array([0.01, 0.01 + 2 * RADIUS]) + (0.1 - 0.01 - 1.5 * RADIUS if periodic else 0.0)
    fields = made_snapshot.fields_at([[x[0], 0.03, 0.01], [x[1], 0.03, 0.01]], RADIUS)
    if periodic:
        fields["position"][:, 0] %= 0.1
    snapshot = made_snapshot.in_memory(fields, periodic=(periodic, False, False), configuration=CONFIGURATION)
    positions = [[x[0] - RADIUS, 0.03, 0.01], [x[0] + RADIUS, 0.03, 0.01], [x[1] + RADIUS, 0.03, 0.01]]
    normals = np.array([[1.0, 0, 0], [-1.0, 0, 0], [-1.0, 0, 0]])  # from b into a
    contacts = scree.contacts.Contacts(np.array([0, 0, 1]), np.array([-1, 1, -1]), np.array(positions), normals,
                                  np.zeros(3), force * DT * normals)
    return snapshot, contacts


class Default(unittest.TestCase):
    """The default quantity to colour by; rounding errors of speeds are ignored."""

    def frame(self, speed, **fields):
        grains = made_snapshot.fields_at([[0.02, 0.03, 0.01], [0.05, 0.03, 0.01]], RADIUS, velocity=np.array([[speed, 0, 0], [0, 0, 0]]))
        return made_snapshot.in_memory(grains | fields, configuration="[scene]\ngravity = 0 0 -9.81\n", densities=[1.0, 2.0],
                                       shapes=[made_snapshot.CUBE])

    def test_moving_grains_show_their_speed_and_resting_grains_their_kind(self):
        self.assertEqual(scree.colour.default([self.frame(1e-3)]), "speed")
        for speed in (0.0, 1e-24, 1e-8):
            self.assertEqual(scree.colour.default([self.frame(speed)]), "material", speed)
        self.assertEqual(scree.colour.default([self.frame(0.0, material=np.array([0, 1]))]), "material")
        self.assertEqual(scree.colour.default([self.frame(0.0, shape=np.array([0, 1]))]), "shape")
        self.assertEqual(scree.colour.default([self.frame(0.0, radius=np.array([1e-3, 2e-3]))]), "size")

    def test_film_in_which_grains_move_shows_speeds(self):
        self.assertEqual(scree.colour.default([self.frame(0.0), self.frame(0.1), self.frame(0.0)]), "speed")
        self.assertEqual(scree.colour.default([self.frame(0.0), self.frame(0.0)]), "material")
        self.assertEqual(scree.colour.default([]), "speed")
        moving_only = made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01]], 1e-3, velocity=np.array([[1.0, 0.0, 0.0]])))
        self.assertEqual(scree.colour.default([moving_only]), "material")
        self.assertEqual(scree.colour.default([moving_only, moving_only]), "speed")
        self.assertEqual(scree.colour.default([made_snapshot.in_memory(made_snapshot.made_fields(0))]), "speed")


class BondOrder(unittest.TestCase):
    """Crystals with known Q_6: P. J. Steinhardt, D. R. Nelson, M. Ronchetti, Phys. Rev. B 28, 784 (1983), figure 2."""

    def q6(self, basis, counts, edges):
        positions = (np.indices(counts).reshape(3, -1).T[:, None] + np.array(basis)).reshape(-1, 3) * edges + 1e-4 * np.max(edges)
        fields = made_snapshot.fields_at(positions, 0.5)
        snapshot = made_snapshot.in_memory(fields, np.array(counts) * edges, (True,) * 3)
        return scree.bond_order.q6(snapshot)

    def test_crystals_have_the_published_order(self):
        hexagonal = np.array([1.0, np.sqrt(3.0), np.sqrt(8.0 / 3.0)])
        planes = [[0, 0, 0], [0.5, 0.5, 0], [0.5, 5 / 6, 0.5], [0, 1 / 3, 0.5]]
        for name, expected, result in (
            ("face centred", 0.57452, self.q6([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]], (4, 4, 4), np.sqrt(2.0) * np.ones(3))),
            ("hexagonal", 0.48476, self.q6(planes, (5, 4, 4), hexagonal)),
            ("body centred", 0.51069, self.q6([[0, 0, 0], [0.5, 0.5, 0.5]], (5, 5, 5), 2.0 / np.sqrt(3.0) * np.ones(3))),
            ("simple", 0.35355, self.q6([[0, 0, 0]], (5, 5, 5), np.ones(3))),
        ):  # fmt: skip
            np.testing.assert_allclose(result, expected, atol=1e-5, err_msg=name)

    def test_particle_with_few_neighbours_has_no_order(self):
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01], [0.011, 0.01, 0.01], [0.05, 0.01, 0.01]], 5e-4))
        np.testing.assert_array_equal(scree.bond_order.q6(snapshot), 0.0)


class Pressure(unittest.TestCase):
    def test_pressure_of_a_sphere_between_two_forces(self):
        for periodic in (False, True):
            snapshot, contacts = squeezed_pair(2.0, periodic)
            with mock.patch.object(scree.contacts, "recorded", return_value=contacts):
                expected = 2 * 2.0 * RADIUS / (3 * 4 / 3 * np.pi * RADIUS**3)
                np.testing.assert_allclose(scree.colour.pressure(snapshot), expected)

    def test_pressure_needs_contacts(self):
        snapshot, _ = squeezed_pair(1.0)
        with mock.patch.object(scree.contacts, "recorded", return_value=None):
            with self.assertRaisesRegex(UsageError, "output.contacts"):
                scree.colour.pressure(snapshot)
            snapshot.step = 0  # before the first solve
            np.testing.assert_array_equal(scree.colour.pressure(snapshot), 0.0)


class Scale(unittest.TestCase):
    def setUp(self):
        self.snapshot = made_snapshot.in_memory(made_snapshot.made_fields(2000), units={"velocity": "m/s"})

    def scale(self, name, snapshot=None):
        snapshot = snapshot or self.snapshot
        return scree.colour.scale(scree.colour.of(name, snapshot), [snapshot])

    def test_scale_covers_the_values(self):
        self.assertEqual(self.scale("speed").norm.vmin, 0.0)
        component = self.scale("velocity_y")
        self.assertEqual(component.norm.vmin, -component.norm.vmax)
        self.assertEqual(component.colouring.label, "velocity in y [m/s]")
        size = self.scale("size").norm
        self.assertTrue(0.8 <= size.vmin < size.vmax <= 1.2)

    def test_one_outlier_does_not_set_the_scale(self):
        self.snapshot.fields["velocity"][0] = [1e6, 0, 0]
        self.assertLess(self.scale("speed").norm.vmax, 10.0)

    def test_rounding_errors_of_grains_at_rest_do_not_set_the_scale(self):
        self.snapshot.fields["velocity"] = np.full((2000, 3), 4e-15)
        self.assertEqual(self.scale("speed").norm.vmax, 1.0)

    def test_equal_values_have_a_scale(self):
        at_rest = made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01]]))
        empty = made_snapshot.in_memory(made_snapshot.made_fields(0))
        for snapshot in (at_rest, empty):
            for name in ("speed", "size", "material", "velocity_x", "id"):
                norm = self.scale(name, snapshot).norm
                self.assertLess(norm.vmin, norm.vmax)

    def test_rounding_error_of_one_grain_does_not_set_the_scale(self):
        fields = made_snapshot.fields_at([[0.01, 0.03, 0.01]], RADIUS)
        fields["velocity"] = np.array([[0.0, 0.0, 4.8e-21]])
        frame = made_snapshot.in_memory(fields)
        norm = scree.colour.scale(scree.colour.of("speed", frame), [frame]).norm
        self.assertEqual((norm.vmin, norm.vmax), (0.0, 1.0))

    def test_kinds_have_their_names(self):
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at(np.zeros((2, 3)), material=np.array([0, 1])),
                                           materials=("glass", "steel"), densities=np.array([2500.0, 7800.0]))
        self.assertEqual(self.scale("material", snapshot).names, ("glass", "steel"))
        self.assertEqual(self.scale("shape", snapshot).names, ("sphere",))

    def test_kinds_named_after_a_colour_have_this_colour(self):
        frame = made_snapshot.in_memory(made_snapshot.made_fields(3))
        frame.materials, frame.densities = ("white", "sand", "red"), np.full(3, 2500.0)
        frame.fields["material"] = np.array([0, 1, 2])
        colours = [matplotlib.colors.to_rgb(colour) for colour in self.scale("material", frame).colours.colors]
        self.assertEqual((colours[0], colours[2]), ((1.0, 1.0, 1.0), (1.0, 0.0, 0.0)))
        self.assertNotIn(colours[1], (colours[0], colours[2]))


class Clumps(unittest.TestCase):
    def test_members_of_different_clumps_have_contacts(self):
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.024, 0.02, 0.01], [0.024, 0.0235, 0.01]], radius=2e-3,
                                         shape=np.array([1, 1, 1]))
        snapshot = made_snapshot.in_memory(fields, shapes=[made_snapshot.DUMBBELL])
        result = scree.contacts.found(snapshot)
        # The first two bodies touch end to end. The third is within the bounding radius of the second but touches
        # nothing.
        self.assertEqual([set(pair) for pair in zip(result.a.tolist(), result.b.tolist())], [{0, 1}])
        np.testing.assert_allclose(result.position, [[0.022, 0.02, 0.01]], atol=1e-9)
        np.testing.assert_allclose(np.abs(result.branch(snapshot)), [[0.004, 0, 0]], atol=1e-12)


if __name__ == "__main__":
    unittest.main()
