"""Tests of scree.force_network: anisotropies, mobilised friction and rattlers of networks with known results."""

import unittest

import made_snapshot

import numpy as np
import scree.contact_statistics
import scree.contacts
import scree.force_network
import scree.region

DT = 1e-5  # [s]
COUNT = 20000
HARMONIC = np.diag([-1.0, -1.0, 2.0])  # n.HARMONIC.n = 3 cos^2 - 1, with the angle from z


def directions(a):
    """COUNT normals with the density (1 + a (3 cos^2 - 1))/(4 pi) on the unit sphere, with the angle from z."""
    fraction = (np.arange(COUNT) + 0.5) / COUNT
    fine = np.linspace(-1.0, 1.0, 20001)
    cos = np.interp(fraction, 0.5 * (fine + 1.0 + a * (fine**3 - fine)), fine)
    azimuth = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(COUNT)
    sin = np.sqrt(1.0 - cos**2)
    return np.stack([sin * np.cos(azimuth), sin * np.sin(azimuth), cos], axis=1)


def forces(normals, a_n, a_t):
    """Forces with the normal part 1 + n.a_n.n and the tangential part of a_t.n."""
    normal_part = np.einsum("ij,ni,nj->n", a_n, normals, normals)
    product = normals @ a_t
    tangential_part = product - np.einsum("ni,ni->n", product, normals)[:, None] * normals
    return (1.0 + normal_part)[:, None] * normals + tangential_part


class Anisotropies(unittest.TestCase):
    def test_anisotropies_of_a_known_network_are_found(self):
        normals = directions(0.12)
        actual = scree.force_network.anisotropies(normals, forces(normals, -0.08 * HARMONIC, 0.05 * HARMONIC))
        for tensor, size in zip(actual, (0.12, -0.08, 0.05)):
            np.testing.assert_allclose(tensor, size * HARMONIC, atol=5e-4)

    def test_scalar_is_positive_if_the_anisotropy_is_aligned_with_the_stress(self):
        stress = np.diag([1.0, 1.0, 3.0])
        self.assertAlmostEqual(scree.force_network.scalar(0.1 * HARMONIC, stress), 0.3)  # sqrt(3/2 (1 + 1 + 4)) is 3
        self.assertAlmostEqual(scree.force_network.scalar(-0.1 * HARMONIC, stress), -0.3)
        self.assertAlmostEqual(scree.force_network.stress_ratio(stress), 2.0 / (5.0 / 3.0))

    def test_anisotropies_carry_the_stress_of_spheres(self):
        normals = directions(0.04)
        force = forces(normals, 0.03 * HARMONIC, 0.02 * HARMONIC)
        stress = force.T @ normals
        actual = scree.force_network.anisotropies(normals, force)
        a_c, a_n, a_t = (scree.force_network.scalar(tensor, stress) for tensor in actual)
        self.assertAlmostEqual(a_t, 0.06, delta=1e-3)
        ratio = scree.force_network.stress_ratio(stress)
        # The equation neglects products of the anisotropies.
        self.assertAlmostEqual(0.4 * (a_c + a_n + 1.5 * a_t) / ratio, 1.0, delta=0.03)

    def test_network_without_contacts_has_no_anisotropies(self):
        actual = scree.force_network.anisotropies(np.zeros((0, 3)), np.zeros((0, 3)))
        self.assertTrue(np.isnan(actual).all())


class Rose(unittest.TestCase):
    def test_rose_has_the_second_harmonic_of_the_fabric(self):
        fraction = (np.arange(COUNT) + 0.5) / COUNT
        fine = np.linspace(0.0, np.pi, 20001)
        angle = np.interp(fraction, (fine + 0.15 * (np.sin(2.0 * (fine - 0.7)) + np.sin(1.4))) / np.pi, fine)
        normals = np.stack([np.cos(angle), np.zeros(COUNT), np.sin(angle)], axis=1)
        normals[::2] *= -1.0
        counts = scree.force_network.rose(normals, np.ones(COUNT), (0, 2))
        self.assertEqual(counts.sum(), COUNT)
        np.testing.assert_allclose(scree.force_network.second_harmonic(counts), (0.3, 0.7), atol=2e-3)

    def test_axes_are_in_the_middle_of_a_sector(self):
        tangent = 1e-3 * np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
        counts = scree.force_network.rose(tangent + [0.0, 0.0, 1.0], np.ones(2), (0, 2))
        self.assertEqual(np.flatnonzero(counts).tolist(), [scree.force_network.ROSE // 2])
        self.assertEqual(scree.force_network.rose(tangent[:, ::-1] + [1.0, 0.0, 0.0], np.ones(2), (0, 2))[0], 2)

    def test_normals_nearly_across_the_plane_are_left_out(self):
        normals = np.array([[0.0, 1.0, 0.0], [0.1, 0.995, 0.0], [0.8, 0.6, 0.0]])
        counts = scree.force_network.rose(normals, np.ones(3), (0, 2))
        np.testing.assert_array_equal(np.flatnonzero(counts), [0])
        self.assertEqual(counts[0], 1)


class Rattlers(unittest.TestCase):
    # A ring of six particles, a chain of two attached to the ring, and a single particle.
    A, B = np.array([0, 1, 2, 3, 4, 5, 0, 6]), np.array([1, 2, 3, 4, 5, 0, 6, 7])

    def test_chains_are_removed_from_their_end(self):
        is_supported, neighbours = scree.force_network.without_rattlers(self.A, self.B, 9, 2)
        np.testing.assert_array_equal(np.flatnonzero(is_supported), np.arange(6))
        np.testing.assert_array_equal(neighbours[:6], 2)

    def test_walls_support_particles_but_are_not_counted(self):
        is_supported, neighbours = scree.force_network.without_rattlers(np.append(self.A, 7), np.append(self.B, -1), 9, 2)
        np.testing.assert_array_equal(np.flatnonzero(is_supported), np.arange(8))
        np.testing.assert_array_equal(neighbours[:8], [3, 2, 2, 2, 2, 2, 2, 2])

    def test_four_neighbours_are_needed_without_friction(self):
        is_supported, _ = scree.force_network.without_rattlers(self.A, self.B, 9, 4)
        self.assertFalse(is_supported.any())


class Friction(unittest.TestCase):
    CONFIGURATION = ("[time]\nstep = 1e-05 s\n[contact]\nfriction = 0.5\n[pair.material 1.material 0]\nfriction = 0.2\n"
                     '[at "0.1 s"]\ncontact.friction = 0.4\n[at "0.3 s"]\ncontact.friction = 0.9\n')  # fmt: skip

    def snapshot(self, configuration=CONFIGURATION):
        fields = made_snapshot.fields_at([[0.01 + 1e-3 * k, 0.01, 5e-4] for k in range(4)], 5e-4, material=np.array([0, 0, 1, 1]))
        return made_snapshot.in_memory(fields, configuration=configuration, densities=np.ones(2))

    def contacts(self):
        """A row of four spheres on a floor; f_t / f_n is 0.1, 0.2, 0.1 and 0.2."""
        normal = np.array([[1.0, 0, 0]] * 3 + [[0, 0, 1.0]])
        tangent = np.array([0.1, 0.2, 0.1, 0.2])[:, None] * [0, 1.0, 0]
        position = [[0.0105 + 1e-3 * k, 0.01, 5e-4] for k in range(3)] + [[0.01, 0.01, 0.0]]
        return scree.contacts.Contacts(np.array([1, 2, 3, 0]), np.array([0, 1, 2, -1]), np.array(position), normal, np.zeros(4),
                                       2.0 * DT * (normal + tangent))  # fmt: skip

    def test_friction_depends_on_the_pair_and_the_time(self):
        snapshot, contacts = self.snapshot(), self.contacts()
        np.testing.assert_allclose(scree.force_network.coefficients(snapshot, contacts), [0.4, 0.2, 0.4, np.nan])
        snapshot.time = 0.05
        np.testing.assert_allclose(scree.force_network.coefficients(snapshot, contacts), [0.5, 0.2, 0.5, np.nan])
        snapshot.time = 1.0
        np.testing.assert_allclose(scree.force_network.coefficients(snapshot, contacts), [0.9, 0.2, 0.9, np.nan])

    def test_single_coefficient_also_applies_to_walls(self):
        snapshot = self.snapshot("[contact]\nfriction = 0.25\n")
        np.testing.assert_allclose(scree.force_network.coefficients(snapshot, self.contacts()), 0.25)

    def test_coefficient_that_depends_on_the_slip_is_not_known(self):
        text = self.CONFIGURATION.split("[at")[0]
        for contact, pair, expected in (
            ("kinetic_friction = 0.1\n", "", [np.nan] * 4),
            ("kinetic_friction = 0.1\n", "kinetic_friction = 0.2\n", [np.nan, 0.2, np.nan, np.nan]),
            ("", "kinetic_friction = 0.1\n", [0.5, np.nan, 0.5, np.nan]),
            ("kinetic_friction = auto\n", "kinetic_friction = auto\n", [0.5, 0.2, 0.5, np.nan]),
        ):
            with self.subTest(contact=contact, pair=pair):
                configuration = text.replace("[contact]\n", "[contact]\n" + contact)
                configuration = configuration.replace("friction = 0.2\n", "friction = 0.2\n" + pair)
                result = scree.force_network.coefficients(self.snapshot(configuration), self.contacts())
                np.testing.assert_allclose(result, expected)

    def test_fractions_of_mobilised_friction_and_of_sliding_contacts(self):
        snapshot = self.snapshot()
        result = scree.contact_statistics.statistics(snapshot, self.contacts(), scree.region.make(snapshot)).network
        self.assertEqual((result.contacts, result.limited), (4, 3))
        self.assertAlmostEqual(result.mean_mobilised, (0.25 + 1.0 + 0.25) / 3.0)
        self.assertAlmostEqual(result.sliding, 1.0 / 3.0)
        np.testing.assert_allclose(result.mobilised[[5, 19]], [2.0 / 3.0, 1.0 / 3.0])
        self.assertAlmostEqual(result.rattlers, 1.0)  # removed one after the other from the free end

    def test_friction_is_omitted_if_the_configuration_has_none(self):
        snapshot = self.snapshot("[time]\nstep = 1e-05 s\n")
        result = scree.contact_statistics.statistics(snapshot, self.contacts(), scree.region.make(snapshot)).network
        self.assertEqual(result.limited, 0)
        self.assertNotIn("mean_mobilised", scree.force_network.numbers([result], [np.diag([1.0, 1.0, 2.0])], [np.ones(1)]))


class PointKinds(unittest.TestCase):
    def test_fractions_of_pairs_and_of_their_load(self):
        count, shares, load = scree.force_network.point_kinds(np.array([5, 0, 0, 7, 7, 7, 7, 2]), np.array([1.0, 2, 2, 1, 1, 1, 1, 1]))
        self.assertEqual(count, 4)
        np.testing.assert_allclose(shares, [0.5, 0.25, 0.25])
        np.testing.assert_allclose(load, [0.2, 0.4, 0.4])


class Tail(unittest.TestCase):
    def test_decay_of_exponential_forces_is_found(self):
        fraction = (np.arange(COUNT) + 0.5) / COUNT
        beta, error = scree.force_network.tail([-np.log(fraction) / 1.7])
        self.assertAlmostEqual(beta, 1.7, delta=0.01)
        self.assertAlmostEqual(error, 1.7 / np.sqrt(COUNT * np.exp(-1.7)), delta=1e-3)

    def test_pairs_of_all_frames_count_once(self):
        beta, _ = scree.force_network.tail([np.array([1.5, 1.5, 1.5]), np.array([2.5, 0.1])])
        self.assertAlmostEqual(beta, 4.0 / (3 * 0.5 + 1.5))

    def test_tail_without_forces_has_no_decay(self):
        self.assertTrue(np.isnan(scree.force_network.tail([np.ones(3)])).all())


if __name__ == "__main__":
    unittest.main()
