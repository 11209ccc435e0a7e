"""Tests of scripts/contacts.py: packings and loads with known statistics, recorded contacts, bad input."""

import unittest

import made_snapshot
from script_test import ScriptTest

import h5py
import numpy as np
import scree.contact_statistics
import scree.contacts
import scree.region
import scree.snapshot
import scree.table
from scree.errors import UsageError

D = 1e-3  # diameter [m]
DT = 1e-5  # [s]
CELLS = 6
CONFIGURATION = f"[time]\nstep = {DT} s\n"


def simple_cubic(spacing=D, periodic=True):
    """A box filled by CELLS^3 touching spheres."""
    positions = (np.indices((CELLS,) * 3).reshape(3, -1).T + 0.5) * spacing
    extent = (CELLS * spacing,) * 3
    return made_snapshot.in_memory(
        made_snapshot.fields_at(positions, D / 2), extent, (periodic,) * 3, configuration=CONFIGURATION
    )


def load_contacts(actual, force):
    """Gives contacts the impulses of normal forces in a step; returns the contacts.  force: along each axis, [3] [N]"""
    strength = np.abs(actual.normal) @ np.array(force) * DT
    actual.impulse = strength[:, None] * actual.normal
    return actual


def statistics(snapshot, contacts):
    """Contact statistics of the whole domain."""
    return scree.contact_statistics.statistics(snapshot, contacts, scree.region.make(snapshot))


class Packings(unittest.TestCase):
    def test_simple_cubic_has_six_neighbours_across_periodic_faces(self):
        snapshot = simple_cubic()
        actual = scree.contacts.found(snapshot)
        self.assertEqual(len(actual), 3 * CELLS**3)
        np.testing.assert_array_equal(scree.contact_statistics.coordination(snapshot, actual), 6)
        np.testing.assert_allclose(scree.contact_statistics.fabric(actual.normal), np.eye(3) / 3, atol=1e-12)

    def test_simple_cubic_packing_between_walls_counts_walls(self):
        snapshot = simple_cubic(periodic=False)
        result = statistics(snapshot, scree.contacts.found(snapshot))
        inner = CELLS - 2
        expected = {3: 8, 4: 12 * inner, 5: 6 * inner**2, 6: inner**3}
        for count, fraction in enumerate(result.coordination):
            self.assertAlmostEqual(fraction, expected.get(count, 0) / CELLS**3)
        self.assertAlmostEqual(result.mean_coordination, 6 * (1 - 1 / CELLS))

    def test_gap_beyond_a_hundredth_of_the_radius_is_not_a_contact(self):
        self.assertEqual(len(scree.contacts.found(simple_cubic(1.0051 * D))), 0)
        self.assertEqual(len(scree.contacts.found(simple_cubic(1.0049 * D))), 3 * CELLS**3)

    def test_touching_gap_is_relative_to_the_radius(self):
        for radius, gaps in ((4.7e-4, (4.65e-6, 4.75e-6)), (4.7e-7, (4.65e-9, 4.75e-9))):
            for gap, count in zip(gaps, (1, 0)):
                position = [[0.0, 0.0, 0.0], [2 * radius + gap, 0.0, 0.0]]
                snapshot = made_snapshot.in_memory(made_snapshot.fields_at(position, radius))
                self.assertEqual(len(scree.contacts.found(snapshot)), count, (radius, gap))

    def test_smallest_member_of_a_clump_sets_the_tolerance(self):
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0]], 1e-3))
        snapshot.fields["shape"] = np.array([0, 1])
        snapshot.shapes = [scree.snapshot.Shape("rod", np.array([[0.9, 0, 0, 0.1], [-0.8, 0, 0, 0.2]]), 1.0, 0.0, np.eye(3))]
        self.assertAlmostEqual(scree.contacts.touching_gap(snapshot), 0.01 * 1e-4, delta=1e-18)

    def test_contacts_of_polyhedra_must_be_recorded(self):
        fields = made_snapshot.fields_at([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0]], 1e-3, shape=np.array([0, 1]))
        with self.assertRaisesRegex(UsageError, "output.contacts = yes"):
            scree.contacts.found(made_snapshot.in_memory(fields, shapes=[made_snapshot.CUBE]))

    def test_contacts_of_spheres_of_different_size_are_found(self):
        fields = made_snapshot.fields_at([[0.01, 0.01, 0.01], [0.013, 0.01, 0.01], [0.02, 0.01, 0.01]])
        fields["radius"] = np.array([2e-3, 1.1e-3, 1e-3])
        actual = scree.contacts.found(made_snapshot.in_memory(fields))
        self.assertEqual((list(actual.a), list(actual.b)), ([0], [1]))
        self.assertAlmostEqual(actual.gap[0], -1e-4)
        np.testing.assert_allclose(actual.normal[0], [-1.0, 0.0, 0.0])
        np.testing.assert_allclose(actual.position[0], [0.01195, 0.01, 0.01])

    def test_neighbours_outside_the_region_count_for_those_inside(self):
        snapshot = simple_cubic()
        region = scree.region.make(snapshot, (0, 0, 0), (1.2 * D, 1.2 * D, 1.2 * D))
        result = scree.contact_statistics.statistics(snapshot, scree.contacts.found(snapshot), region)
        self.assertEqual(result.mean_coordination, 6.0)


class Loads(unittest.TestCase):
    FORCE = np.array([1.0, 2.0, 5.5])  # [N]

    def setUp(self):
        self.snapshot = simple_cubic()
        self.contacts = load_contacts(scree.contacts.found(self.snapshot), self.FORCE)

    def test_stress_of_a_loaded_lattice_is_force_over_area(self):
        result = statistics(self.snapshot, self.contacts)
        # Each column of spheres carries its force on an area d x d.
        np.testing.assert_allclose(result.stress, np.diag(self.FORCE) / D**2, atol=1e-6)

    def test_shear_force_gives_the_stress_component_of_its_branch(self):
        self.contacts.impulse = DT * np.abs(self.contacts.normal[:, [2]]) * [1.0, 0.0, 0.0]
        self.contacts.impulse *= np.sign(self.contacts.normal[:, [2]])
        result = statistics(self.snapshot, self.contacts)
        expected = np.zeros((3, 3))
        expected[0, 2] = 1.0 / D**2  # force along x over branches along z
        np.testing.assert_allclose(result.stress, expected, atol=1e-6)

    def test_impulses_are_in_units_of_their_mean(self):
        result = statistics(self.snapshot, self.contacts)
        self.assertAlmostEqual(result.mean_impulse / DT, 17.0 / 6.0)
        _, density, _, _ = scree.contact_statistics.force_density([result])
        filled = np.flatnonzero(density)
        np.testing.assert_array_equal(filled, (self.FORCE / (17 / 6) / 0.25).astype(int))
        np.testing.assert_allclose(density[filled], 1 / 3 / 0.25)

    def test_distribution_of_exponential_impulses_is_exponential(self):
        strength = np.random.default_rng(4).exponential(3e-7, size=len(self.contacts))
        self.contacts.impulse = strength[:, None] * self.contacts.normal
        result = statistics(self.snapshot, self.contacts)
        self.assertAlmostEqual(result.mean_impulse / 3e-7, 1.0, delta=0.15)
        # A fraction 1 - 1/e of an exponential distribution lies below its mean.
        _, density, _, _ = scree.contact_statistics.force_density([result])
        self.assertAlmostEqual(density[:4].sum() * 0.25, 1 - np.exp(-1), delta=0.06)

    def test_branch_of_a_wall_contact_ends_at_the_wall(self):
        fields = made_snapshot.fields_at([[0.01, 0.01, D / 2]], D / 2)
        snapshot = made_snapshot.in_memory(fields, configuration=CONFIGURATION)
        upward = np.array([[0.0, 0.0, 1.0]])
        contact = scree.contacts.Contacts(
            np.array([0]), np.array([-1]), np.array([[0.01, 0.01, 0.0]]), upward, np.zeros(1), 2 * DT * upward
        )
        result = statistics(snapshot, contact)
        self.assertEqual(result.mean_coordination, 1.0)
        self.assertAlmostEqual(result.stress[2, 2], 2.0 * (D / 2) / scree.region.make(snapshot).volume)

    def test_statistics_average_over_frames(self):
        frames = []
        for factor in (1.0, 2.0, 6.0):
            self.contacts.impulse = factor * DT * self.contacts.normal
            frames.append(statistics(self.snapshot, self.contacts))
        mean, error = scree.contact_statistics.average(frames, "stress")
        self.assertAlmostEqual(mean[0, 0] * D**2, 3.0)
        self.assertAlmostEqual(error[0, 0] * D**2, np.sqrt(7.0 / 3.0))

    def test_frames_are_weighted_by_their_number_of_contacts(self):
        """A frame with one loaded contact has little weight compared with a frame of hundreds."""
        random = np.random.default_rng(3)
        self.contacts.impulse = random.exponential(DT, size=len(self.contacts))[:, None] * self.contacts.normal
        hundreds = statistics(self.snapshot, self.contacts)
        single = statistics(self.snapshot, self.contacts.taken([0]))
        _, density, _, _ = scree.contact_statistics.force_density([hundreds])
        _, combined, _, _ = scree.contact_statistics.force_density([hundreds, single])
        count = len(self.contacts)
        expected = density * count / (count + 1.0)
        expected[4] += 4.0 / (count + 1.0)  # f = 1 is the only force of its frame; a bin is 1/4 wide
        np.testing.assert_allclose(combined, expected)
        force, _ = scree.contact_statistics.average([hundreds, single], "mean_force")
        self.assertAlmostEqual(float(force), (count * hundreds.mean_force + single.mean_force) / (count + 1.0))

    def test_mean_of_the_plotted_forces_is_one(self):
        strength = np.full(len(self.contacts), DT)
        strength[0] = 30.0 * DT
        self.contacts.impulse = strength[:, None] * self.contacts.normal
        edges, density, _, fraction_beyond = scree.contact_statistics.force_density([statistics(self.snapshot, self.contacts)])
        self.assertAlmostEqual(density.sum() * 0.25, 1.0)
        self.assertEqual(fraction_beyond, 0.0)
        self.assertAlmostEqual((0.5 * (edges[:-1] + edges[1:]) * density).sum() * 0.25, 1.0, delta=0.125)  # half a bin

    def test_fraction_of_forces_beyond_the_axis_is_reported(self):
        self.contacts.impulse = 1e-9 * DT * self.contacts.normal
        self.contacts.impulse[0] *= 1e12
        edges, _, _, fraction_beyond = scree.contact_statistics.force_density([statistics(self.snapshot, self.contacts)])
        self.assertEqual(edges[-1], scree.contact_statistics.MAX_FORCE)
        self.assertAlmostEqual(fraction_beyond, 1.0 / len(self.contacts))


class FabricAndForces(unittest.TestCase):
    """scree.fabric and scree.force_distribution."""

    def setUp(self):
        self.snapshot = simple_cubic()
        self.random = np.random.default_rng(6)

    def snapshot_with_normals(self, normals):
        count = len(normals)
        a, b = self.random.integers(0, 100, count), self.random.integers(100, 200, count)
        self.snapshot.contacts = scree.contacts.Contacts(
            a, b, self.snapshot["position"][a], normals, np.zeros(count), None
        )  # fmt: skip
        return self.snapshot

    def test_fabric_is_the_mean_over_contacts(self):
        normals = self.random.normal(size=(500, 3)) * [1.0, 1.0, 2.0]
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        actual = scree.fabric(self.snapshot_with_normals(normals))
        expected = sum(np.outer(n, n) for n in normals) / 500
        np.testing.assert_allclose(actual.tensor, expected, atol=1e-12)
        np.testing.assert_allclose(actual.directions @ np.diag(actual.values) @ actual.directions.T, expected, atol=1e-12)
        self.assertGreater(abs(actual.directions[2, 2]), 0.9)  # most normals are steep
        self.assertEqual(actual.contacts, 500)

    def test_anisotropy_is_the_amplitude_of_the_density_of_directions(self):
        # Directions sampled by rejection, with density 1 + a_c (3 cos^2 - 1)/3 about an axis.
        expected_anisotropy = 0.6
        normals = self.random.normal(size=(200000, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        density = 1.0 + expected_anisotropy * (3.0 * normals[:, 2] ** 2 - 1.0) / 3.0
        accepted = normals[self.random.uniform(0.0, 1.4, len(normals)) < density]
        self.assertAlmostEqual(scree.fabric(self.snapshot_with_normals(accepted)).anisotropy, expected_anisotropy, delta=0.02)

    def test_each_contact_counts_equally_in_several_frames(self):
        upward, along_x = (np.tile(row, (count, 1)) for row, count in (([0.0, 0.0, 1.0], 30), ([1.0, 0.0, 0.0], 10)))
        frames = [self.snapshot_with_normals(upward)]
        self.snapshot = simple_cubic()
        actual = scree.fabric([*frames, self.snapshot_with_normals(along_x)])
        np.testing.assert_allclose(np.diag(actual.tensor), [0.25, 0.0, 0.75])
        self.assertTrue(np.isfinite(actual.error).all())

    def test_frame_without_contacts_has_no_fabric(self):
        with self.assertRaisesRegex(UsageError, "no contact touches"):
            scree.fabric(self.snapshot_with_normals(np.zeros((0, 3))))
        with self.assertRaisesRegex(UsageError, "output.contacts"):
            scree.force_distribution(self.snapshot_with_normals(np.array([[0.0, 0.0, 1.0]])))

    def distribution_of_forces(self, *frames):
        results = [statistics(self.snapshot, scree.contacts.found(self.snapshot)) for _ in frames]
        for result, values in zip(results, frames):
            result.forces = values / values.mean()
        return scree.contact_statistics.force_distribution(results)

    def test_density_matches_a_count_of_single_forces(self):
        values = self.random.exponential(size=400)
        actual = self.distribution_of_forces(values)
        for low, high, density in zip(actual.edges, actual.edges[1:], actual.density):
            count = sum(low <= value < high for value in values / values.mean())
            self.assertAlmostEqual(density, count / 400 / (high - low))
        self.assertAlmostEqual(np.sum(actual.density * np.diff(actual.edges)), 1.0)
        values[:20] = 1e-100  # as from a solver that has not converged
        actual = self.distribution_of_forces(values)
        self.assertAlmostEqual(actual.edges[0], 1e-4)
        self.assertAlmostEqual(actual.below, 20 / 400)
        self.assertAlmostEqual(np.sum(actual.density * np.diff(actual.edges)), 380 / 400)

    def test_band_contains_the_true_density_at_its_confidence_level(self):
        # 12 frames of 200 forces with an exponential distribution.
        hits, bins = 0, 0
        for _ in range(12):
            actual = self.distribution_of_forces(*self.random.exponential(size=(12, 200)))
            true = (np.exp(-actual.edges[:-1]) - np.exp(-actual.edges[1:])) / np.diff(actual.edges)
            has_many = actual.density * np.diff(actual.edges) > 0.02
            hits += np.sum((actual.low <= true)[has_many] & (true <= actual.high)[has_many])
            bins += np.sum(has_many)
        self.assertGreater(bins, 80)
        self.assertAlmostEqual(hits / bins, 0.93, delta=0.06)  # with a dozen frames, a little below 0.95


class Pairs(unittest.TestCase):
    """Two bodies: four contact points between them, three of the first body with the floor, one with a wall."""

    def setUp(self):
        fields = made_snapshot.fields_at([[0.01, 0.01, 0.001], [0.012, 0.01, 0.001]], 1e-3)
        self.snapshot = made_snapshot.in_memory(fields, configuration=CONFIGURATION)
        a, b = np.array([0, 1, 0, 0, 0, 0, 0, 0]), np.array([1, 0, 1, 1, -1, -1, -1, -1])
        normal = np.array([[-1.0, 0, 0], [1.0, 0, 0], [-1.0, 0, 0], [-1.0, 0, 0], *[[0, 0, 1.0]] * 3, [0, 1.0, 0]])
        position = np.array([[0.011, 0.01, 0.001]] * 4 + [[0.01, 0.01, 0.0]] * 4)
        impulse = np.array([1.0, 2.0, 3.0, 0.0, 2.0, 2.0, 2.0, 3.0])[:, None] * DT * normal
        self.contacts = scree.contacts.Contacts(a, b, position, normal, np.zeros(8), impulse)

    def test_neighbours_and_contact_points_are_counted_separately(self):
        np.testing.assert_array_equal(scree.contact_statistics.coordination(self.snapshot, self.contacts), [3, 1])
        result = statistics(self.snapshot, self.contacts)
        self.assertEqual((result.mean_coordination, result.contact_points), (2.0, 6.0))

    def test_points_at_one_wall_are_one_neighbour_whatever_their_normals(self):
        self.contacts.wall = np.array([-1] * 4 + [2] * 4)  # all four at the same wall
        np.testing.assert_array_equal(scree.contact_statistics.coordination(self.snapshot, self.contacts), [2, 1])
        self.contacts.wall[4:] = [0, 0, 1, 2]  # two walls with the same normal are two neighbours
        np.testing.assert_array_equal(scree.contact_statistics.coordination(self.snapshot, self.contacts), [4, 1])

    def test_forces_are_summed_over_a_pair(self):
        result = statistics(self.snapshot, self.contacts)
        self.assertAlmostEqual(result.mean_force, (6.0 + 6.0 + 3.0) / 3.0)
        np.testing.assert_allclose(np.sort(result.forces) * result.mean_force, [3.0, 6.0, 6.0])

    def test_contact_points_with_a_gap_do_not_make_neighbours(self):
        self.contacts.gap = np.array([1e-3] * 4 + [0.0] + [1e-3] * 3)
        np.testing.assert_array_equal(scree.contact_statistics.coordination(self.snapshot, self.contacts), [1, 0])

    def test_slab_of_force_chains_is_four_diameters_thick(self):
        centres = np.stack([np.full(9, 0.01), np.linspace(0.01, 0.05, 9), np.full(9, 0.01)], axis=1)
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at(centres, 1e-3), configuration=CONFIGURATION)
        upward = np.tile([0.0, 0.0, 1.0], (9, 1))
        actual = scree.contacts.Contacts(np.arange(9), np.full(9, -1), centres, upward, np.zeros(9), DT * upward)
        slab = scree.contact_statistics.slab(snapshot, actual, scree.region.make(snapshot), (0, 2))
        np.testing.assert_allclose([slab.lower[1], slab.upper[1]], [0.026, 0.034])  # around the middle sphere

    def test_stress_refers_to_the_space_without_walls(self):
        block = made_snapshot.wall("block", made_snapshot.box((0.05, -0.01, -0.01), (0.11, 0.07, 0.03)))
        result = statistics(self.snapshot, self.contacts)
        self.snapshot.walls = [block]
        np.testing.assert_allclose(statistics(self.snapshot, self.contacts).stress, 2.0 * result.stress, rtol=0.02)


class Sheared(unittest.TestCase):
    def test_neighbours_across_the_faces_of_a_sheared_domain_are_found(self):
        # After 0.25 s the image above is 0.2 m/s x 0.25 s = 5 cm ahead.
        centres = [[0.01, 0.03, 0.0004], [0.06, 0.03, 0.0194], [0.01, 0.03, 0.0194]]
        fields = made_snapshot.fields_at(centres)
        snapshot = made_snapshot.in_memory(fields, periodic=(True, True, False), shear=(10.0, 0, 2))
        actual = scree.contacts.found(snapshot)
        np.testing.assert_array_equal(np.sort([actual.a[0], actual.b[0]]), [0, 1])
        self.assertEqual(len(actual), 1)
        np.testing.assert_allclose(np.abs(actual.normal), [[0.0, 0.0, 1.0]], atol=1e-12)

    def test_branches_cross_the_faces_of_a_sheared_cell(self):
        centres = [[0.01, 0.03, 0.0004], [0.04, 0.03, 0.0194], [0.01, 0.03, 0.0013]]  # the image above is 3 cm ahead
        fields = made_snapshot.fields_at(centres, shape=np.ones(3, np.int32))
        snapshot = made_snapshot.in_memory(fields, periodic=(True, True, False), shapes=[made_snapshot.DUMBBELL],
                                           shear=(1.0, 0, 2), image_offset=0.03)  # fmt: skip
        upward = np.array([[0.0, 0, 1.0], [0.0, 0, -1.0]])
        actual = scree.contacts.Contacts(np.array([0, 0]), np.array([1, 2]),
                                         np.array([[0.01, 0.03, 0.0], [0.01, 0.03, 0.0009]]), upward,
                                         np.zeros(2), DT * upward)  # fmt: skip
        np.testing.assert_allclose(actual.branch(snapshot), [[0.0, 0.0, 0.001], [0.0, 0.0, -0.0009]], atol=1e-15)


class Script(ScriptTest):
    script = "contacts.py"

    def setUp(self):
        super().setUp()
        self.path = self.folder / "frame.h5"
        self.prefix = self.folder / "c"

    def write(self, record=True):
        """Writes a row of touching spheres on a floor, with normal impulses of 1e-7, 2e-7, ... N s and ids from 100."""
        positions = [[0.01 + k * D, 0.01, D / 2] for k in range(8)]
        fields = made_snapshot.fields_at(positions, D / 2, id=np.arange(100, 108))
        normal = np.array([[1.0, 0.0, 0.0]] * 7 + [[0.0, 0.0, 1.0]])
        contacts = {
            # The order differs from the order of the particles, so that rows must be found by id.
            "id": [[k + 1, k] for k in range(106, 99, -1)] + [[100, -1]],
            "position": [[0.0175 - k * D, 0.01, D / 2] for k in range(7)] + [[0.01, 0.01, 0.0]],
            "normal": normal, "gap": np.zeros(8), "impulse": 1e-7 * np.arange(1, 9)[:, None] * normal,
        }  # fmt: skip
        made_snapshot.write(self.path, fields, configuration=CONFIGURATION, contacts=contacts if record else None)

    def test_recorded_contacts_are_matched_by_id(self):
        self.write()
        snapshot = scree.snapshot.read_snapshot(self.path)
        record = scree.contacts.recorded(snapshot)
        np.testing.assert_array_equal(record.a, [7, 6, 5, 4, 3, 2, 1, 0])
        np.testing.assert_array_equal(record.b, [6, 5, 4, 3, 2, 1, 0, -1])
        np.testing.assert_allclose(record.normal_impulse, 1e-7 * np.arange(1, 9))
        np.testing.assert_array_equal(
            scree.contact_statistics.coordination(snapshot, record), [2, 2, 2, 2, 2, 2, 2, 1]
        )
        np.testing.assert_allclose(record.branch(snapshot)[:, 0], [D] * 7 + [0.0])

    def test_recorded_walls_are_read(self):
        self.write()
        self.assertIsNone(scree.contacts.recorded(scree.snapshot.read_snapshot(self.path)).wall)
        walls = np.array([-1] * 7 + [1])
        with h5py.File(self.path, "a") as file:
            file[f"{scree.contacts.GROUP}/wall"] = walls
        np.testing.assert_array_equal(scree.contacts.recorded(scree.snapshot.read_snapshot(self.path)).wall, walls)

    def test_contacts_of_removed_particles_are_left_out(self):
        self.write()
        with h5py.File(self.path, "a") as file:
            file[f"{scree.contacts.GROUP}/id"][0, 0] = 500
            file[f"{scree.contacts.GROUP}/id"][7, 0] = 501
        record = scree.contacts.recorded(scree.snapshot.read_snapshot(self.path))
        np.testing.assert_array_equal(record.a, [6, 5, 4, 3, 2, 1])

    def test_positions_beyond_a_periodic_end_are_wrapped(self):
        self.write()
        with h5py.File(self.path, "a") as file:
            file["particles/grains/box"].attrs["boundary"] = np.array([b"periodic"] * 3, dtype="S8")
            positions = file[f"{scree.contacts.GROUP}/position"]
            expected = positions[()]
            positions[:, 0] += np.linspace(-0.2, 0.2, 9)[[0, 4, 8, 0, 4, 8, 0, 8]]  # two periods up and down
        actual = scree.contacts.recorded(scree.snapshot.read_snapshot(self.path))
        np.testing.assert_allclose(actual.position, expected, atol=1e-15)

    def test_step_zero_has_no_record(self):
        self.write()
        with h5py.File(self.path, "a") as file:
            file["particles/grains/position/step"][0] = 0
        self.assertIsNone(scree.contacts.recorded(scree.snapshot.read_snapshot(self.path)))
        later_path = self.folder / "later.h5"
        first, self.path = self.path, later_path
        self.write()
        self.assert_runs(first, later_path, "--output", self.prefix)
        self.assertTrue((self.folder / "c_impulses.csv").exists())

    def test_writes_tables_and_pictures(self):
        self.write()
        domain = ("--lower", 0, 0, 0, "cm", "--upper", 10, 6, 2, "cm")
        self.assert_runs(self.path, "--output", self.prefix, "--plane", "xz", *domain)
        table = scree.table.read(f"{self.prefix}_coordination.csv")
        np.testing.assert_allclose(table["share"][:4], [0.0, 1 / 8, 7 / 8, 0.0])
        tensors = scree.table.read(f"{self.prefix}_tensors.csv")
        np.testing.assert_array_equal(tensors["component"][[0, 8]], ["xx", "zz"])
        np.testing.assert_allclose(tensors["fabric"][[0, 8]], [7 / 8, 1 / 8])
        force = 1e-7 * np.arange(1, 8).sum() / DT
        obstacle = 0.01 * 0.02 + 0.5 * np.pi * 0.01**2  # a box, and the half of a cylinder outside the box
        volume = (0.1 * 0.06 - obstacle) * 0.02
        np.testing.assert_allclose(tensors["stress_pa"][0], force * D / volume, rtol=1e-3)
        density = scree.table.read(f"{self.prefix}_impulses.csv")["density"]
        self.assertAlmostEqual(density.sum() * 0.25, 1.0)
        network = scree.table.read(f"{self.prefix}_network.csv")
        values = dict(zip(network["quantity"], network["value"]))
        self.assertEqual(values["share of rattlers"], 1.0)  # the row has a free end, from which all spheres are removed
        row_load, floor_load = 1e-7 * np.arange(1, 8).sum() * D, 8e-7 * 0.5 * D  # sums of force times branch
        ratio = np.sqrt(0.5 * (row_load**2 + floor_load**2 + (row_load - floor_load) ** 2)) / ((row_load + floor_load) / 3.0)
        self.assertAlmostEqual(values["q/p of the stress"], ratio)
        self.assert_is_picture(self.folder / "c.png")
        self.assert_is_picture(self.folder / "c_chains.png")

    def test_stress_refers_by_default_to_the_space_of_the_particles(self):
        self.write()
        self.assert_runs(self.path, "--output", self.prefix)
        stress = scree.table.read(f"{self.prefix}_tensors.csv")["stress_pa"][0]
        occupied = scree.region.taken(scree.snapshot.read_snapshot(self.path))
        self.assertLess(occupied.volume, 0.1 * 0.1 * 0.06 * 0.02)
        np.testing.assert_allclose(stress, 1e-7 * np.arange(1, 8).sum() / DT * D / occupied.volume)

    def test_coordination_and_fabric_need_no_record(self):
        self.write(record=False)
        self.assert_warns("output.contacts", self.path, "--output", self.prefix)
        table = scree.table.read(f"{self.prefix}_coordination.csv")
        np.testing.assert_allclose(table["share"][:3], [0.0, 2 / 8, 6 / 8])
        self.assertEqual(
            list(scree.table.read(f"{self.prefix}_tensors.csv")), ["component", "fabric", "fabric_error"]
        )
        self.assertFalse((self.folder / "c_chains.png").exists())

    def test_bad_regions_are_refused(self):
        self.write()
        output = ("--output", self.prefix)
        empty = ("--lower", "5", "1", "1", "cm")
        self.assert_refused(2, ["no particles"], self.path, *output, *empty)
        self.assert_refused(
            2, ["beyond the domain"], self.path, *output, "--upper", "1", "1", "1", "m"
        )

    def test_bad_files_are_refused(self):
        for name, value, words in (
            ("gap", np.zeros(7), "differ in length"),
            ("impulse", np.zeros((8, 2)), "(8, 2)"),
            ("normal", None, "contacts/normal"),
            ("id", np.arange(8), "(8,)"),
        ):
            self.write()
            with h5py.File(self.path, "a") as file:
                del file[f"{scree.contacts.GROUP}/{name}"]
                if value is not None:
                    file[f"{scree.contacts.GROUP}/{name}"] = value
            with self.subTest(name=name):
                self.assert_refused(3, [str(self.path), words], self.path, "--output", self.prefix)


if __name__ == "__main__":
    unittest.main()
