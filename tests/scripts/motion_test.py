"""Tests of scripts/motion.py: random walks, affine maps and gases with known results, bad input."""

import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.motion
import scree.table
from scree.errors import UsageError

D = 1e-3  # diameter [m]
EXTENT = np.array([0.1, 0.06, 0.02])


def frame(positions, time=0.25, periodic=True, **others):
    fields = made_snapshot.fields_at(positions, D / 2, **others)
    return made_snapshot.in_memory(fields, EXTENT, (periodic,) * 3, time=time)


class Displacement(unittest.TestCase):
    def walk(self, frames=9, step=0.002):
        """A random walk of 2000 particles in a periodic domain with a drift along x."""
        random = np.random.default_rng(3)
        positions = random.uniform(size=(2000, 3)) * EXTENT
        frames_of_walk = []
        for number in range(frames):
            frames_of_walk.append(frame(np.mod(positions, EXTENT), 0.1 * number))
            positions = positions + step * random.normal(size=positions.shape) * [1.0, 2.0, 0.5] + [0.003, 0.0, 0.0]
        return frames_of_walk

    def test_diffusion_grows_with_time_and_excludes_the_drift(self):
        actual = scree.motion.mean_square_displacement(*scree.motion.unfolded(self.walk())[1:])
        number = np.arange(1, 9)
        np.testing.assert_allclose(actual.lags, 0.1 * number)
        for k, scale in enumerate((1.0, 2.0, 0.5)):
            np.testing.assert_allclose(actual.squares[:, k] / (number * (0.002 * scale) ** 2), 1.0, atol=0.1)
        self.assertEqual(actual.particles, 2000)
        # The squared displacement is the sum of three chi-squared variables with variances in the ratio 1 : 4 : 1/4.
        self.assertAlmostEqual(actual.error[-1] / (8 * 0.002**2 * np.sqrt(2.0 * (1.0 + 16.0 + 0.0625) / 2000)), 1.0, delta=0.15)

    def test_free_flight_has_a_quadratic_displacement(self):
        random = np.random.default_rng(5)
        positions, velocity = random.uniform(0.3, 0.7, size=(50, 3)) * EXTENT, random.normal(size=(50, 3))
        velocity -= velocity.mean(axis=0)
        frames = [frame(positions + 1e-3 * time * velocity, time) for time in (0.0, 1.0, 3.0)]  # not evenly spaced
        actual = scree.motion.mean_square_displacement(*scree.motion.unfolded(frames)[1:])
        np.testing.assert_allclose(actual.total, 1e-6 * np.mean(np.sum(velocity**2, axis=1)) * np.array([1.0, 9.0]))

    def assert_paths_in_a_flow_are_found(self, rate, strain_rate, is_cell):
        """Paths in a flow that cross the faces of a sheared domain or cell are found from the positions at home."""
        random = np.random.default_rng(6)
        paths, frames, dt = [random.uniform(size=(50, 3)) * EXTENT], [], 0.05
        fluctuation = random.uniform(-0.1, 0.1, size=(50, 3))  # from frame to frame [periods]
        flow = np.diag(np.exp(strain_rate * dt))
        flow[0, 2] = rate * dt
        extent, offset = EXTENT, 0.0
        for number in range(20):
            image_offset = offset - extent[0] * np.round(offset / extent[0]) if is_cell else None
            made = made_snapshot.in_memory(made_snapshot.fields_at(paths[-1]), extent, (True, True, False), time=number * dt,
                                           shear=(rate, 0, 2), image_offset=image_offset, strain_rate=strain_rate)  # fmt: skip
            made.fields["position"] = made.home(paths[-1])[0]
            frames.append(made)
            paths.append(paths[-1] @ flow.T + fluctuation * extent)
            offset = flow[0, 0] * offset + flow[0, 2] * extent[2]
            extent = flow.diagonal() * extent
        np.testing.assert_allclose(scree.motion.unfolded(frames)[1], paths[:-1], atol=1e-12)

    def test_paths_cross_the_faces_of_a_sheared_domain(self):
        # Images are 0.3 periods ahead after each frame, so those two periods away move by more than half a period.
        self.assert_paths_in_a_flow_are_found(30.0, np.zeros(3), is_cell=False)

    def test_paths_cross_the_faces_of_a_sheared_cell_that_changes_its_edges(self):
        self.assert_paths_in_a_flow_are_found(20.0, np.array([0.2, 0.0, -0.5]), is_cell=True)

    def test_particles_missing_in_a_frame_are_left_out(self):
        frames = self.walk(3)
        rows = np.arange(2000) != 7
        frames[1].fields = {name: values[rows] for name, values in frames[1].fields.items()}
        _, positions, _ = scree.motion.unfolded(frames)
        self.assertEqual(positions.shape, (3, 1999, 3))
        frames[1].fields = {name: values[:0] for name, values in frames[1].fields.items()}
        with self.assertRaisesRegex(UsageError, "no particle"):
            scree.motion.unfolded(frames)


class NonAffine(unittest.TestCase):
    def setUp(self):
        self.sites = (np.indices((8, 8, 8)).reshape(3, -1).T + 5.0) * D
        self.middle = int(np.flatnonzero((self.sites == 9.0 * D).all(axis=1))[0])

    def test_affine_map_has_no_nonaffine_part(self):
        mapped = self.sites @ (np.eye(3) + [[0.1, 0.3, 0.0], [-0.2, 0.0, 0.1], [0.0, 0.05, -0.1]]) + 0.01
        actual = scree.motion.non_affine(frame(self.sites, periodic=False), frame(mapped, periodic=False))
        np.testing.assert_allclose(actual, 0.0, atol=1e-20)

    def test_grain_that_leaves_its_cage_has_the_square_of_its_displacement(self):
        displaced = self.sites.copy()
        displaced[self.middle] += [0.3 * D, 0.4 * D, 0.0]
        actual = scree.motion.non_affine(frame(self.sites), frame(displaced))
        # Relative to the grain, its neighbours are displaced equally. They are symmetric about it, so no affine map
        # describes a part of this displacement.
        self.assertAlmostEqual(actual[self.middle], 0.25)
        # One of the 18 neighbours of the next particle moves differently, and an affine map follows it only in part.
        neighbour = int(np.flatnonzero((np.abs(self.sites - [10.0 * D, 9.0 * D, 9.0 * D]) < 1e-9).all(axis=1))[0])
        self.assertTrue(0.0 < actual[neighbour] < 0.25 / 18)
        self.assertAlmostEqual(actual[0], 0.0)

    def test_result_is_unknown_for_few_neighbours_or_removed_grains(self):
        last_frame = frame(self.sites)
        last_frame.fields = {name: values[1:] for name, values in last_frame.fields.items()}
        with_distant = np.append(self.sites, [[0.05, 0.05, 0.015]], axis=0)
        actual = scree.motion.non_affine(frame(with_distant), last_frame)
        self.assertTrue(np.isnan(actual[[0, -1]]).all())
        self.assertTrue(np.isfinite(actual[self.middle]))

    def test_result_matches_a_least_squares_fit_for_each_particle(self):
        random = np.random.default_rng(7)
        positions = random.uniform(0.3, 0.5, size=(120, 3)) * EXTENT
        displaced = positions + 2e-4 * random.normal(size=positions.shape)
        actual = scree.motion.non_affine(frame(positions, periodic=False), frame(displaced, periodic=False), reach=4.0)
        for particle in range(len(positions)):
            neighbours = [k for k in range(len(positions)) if k != particle and np.linalg.norm(positions[k] - positions[particle]) <= 4.0 * D]
            if len(neighbours) < scree.motion.MIN_NEIGHBOURS:
                self.assertTrue(np.isnan(actual[particle]))
                continue
            remainder = np.linalg.lstsq(positions[neighbours] - positions[particle],
                                        displaced[neighbours] - displaced[particle], rcond=None)[1]
            self.assertAlmostEqual(actual[particle], np.sum(remainder) / len(neighbours) / D**2 if len(neighbours) > 3 else 0.0, delta=1e-9)

    def test_fluctuations_exclude_the_affine_map_of_all_particles(self):
        random = np.random.default_rng(8)
        positions = random.uniform(0.2, 0.6, size=(300, 3)) * EXTENT
        gradient = np.array([[0.02, 0.1, 0.0], [0.0, -0.03, 0.0], [0.05, 0.0, 0.01]])
        fluctuation = 1e-5 * random.normal(size=positions.shape)
        first, last_frame = frame(positions), frame(np.mod(positions + positions @ gradient.T + [0.01, 0.02,
                                                                                                 0.001] + fluctuation, EXTENT))
        result = scree.non_affine(first, last_frame)
        np.testing.assert_allclose(result.gradient, gradient, atol=2e-3)
        # The reference fits each component by a linear map with a constant.
        with_constant = np.column_stack([positions, np.ones(len(positions))])
        displacement = first.nearest(last_frame["position"] - positions)
        for axis in range(3):
            expected = displacement[:, axis] - with_constant @ np.linalg.lstsq(with_constant, displacement[:, axis], rcond=None)[0]
            np.testing.assert_allclose(result.displacement[:, axis], expected, atol=1e-12)
        last_frame.fields = {name: values[1:] for name, values in last_frame.fields.items()}
        self.assertTrue(np.isnan(scree.non_affine(first, last_frame).displacement[0]).all())
        np.testing.assert_array_equal(scree.non_affine(first, last_frame).id, first["id"])

    def test_fluctuations_of_a_stream_follow_the_paths(self):
        """The stream moves by more than a period, in frames a fifth of a period apart."""
        random = np.random.default_rng(9)
        start = random.uniform(size=(300, 3)) * EXTENT
        velocity = 1e-5 * random.normal(size=start.shape) + [0.2 * EXTENT[0], 0.0, 0.0]
        ids = random.permutation(300)
        frames = []
        for number in range(7):
            keep = ids != 17 if number == 3 else slice(None)  # as if it had left and another had come
            frames.append(frame(np.mod(start + number * velocity, EXTENT)[keep], 0.1 * number, id=ids[keep]))
        paths = scree.motion.unfolded(frames)
        displacement = scree.motion.displacements(frames[0], *paths[:2])
        np.testing.assert_allclose(displacement[ids != 17], (6 * velocity)[ids != 17], atol=1e-12)
        self.assertTrue(np.isnan(displacement[ids == 17]).all())
        fluctuation, _ = scree.motion.non_affine_displacement(frames[0], displacement)
        self.assertLess(np.nanstd(fluctuation), 7e-5)

    def test_result_is_unknown_without_neighbours(self):
        distant = frame(5.0 * self.sites[:3] + 5.0 * D * np.arange(3)[:, None], periodic=False)
        self.assertTrue(np.isnan(scree.motion.non_affine(distant, distant)).all())

    def test_neighbours_across_periodic_faces_are_included(self):
        random = np.random.default_rng(2)
        positions = random.uniform(size=(20000, 3)) * EXTENT
        actual = scree.motion.non_affine(frame(positions), frame(np.mod(positions + [0.02, 0.01, 0.003], EXTENT)))
        np.testing.assert_allclose(actual[np.isfinite(actual)], 0.0, atol=1e-20)


class Velocities(unittest.TestCase):
    def test_sonine_coefficient_of_known_velocities(self):
        random = np.random.default_rng(1)
        gaussian = random.normal(size=(200000, 3)) + 4.0
        self.assertAlmostEqual(scree.motion.sonine(gaussian), 0.0, delta=0.01)
        # With equal speeds <c^4> = <c^2>^2. With temperatures 1 and 9, <T^2>/<T>^2 is ((1 + 81)/2)/25.
        self.assertAlmostEqual(scree.motion.sonine(np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])), -0.4)
        mixture = np.concatenate([gaussian - 4.0, 3.0 * (gaussian - 4.0)])
        self.assertAlmostEqual(scree.motion.sonine(mixture), 0.5 * (1.0 + 81.0) / 25.0 - 1.0, delta=0.02)

    def test_velocity_density_is_in_units_of_the_standard_deviation(self):
        random = np.random.default_rng(1)
        density = scree.motion.velocity_density(7.0 * random.normal(size=(200000, 3)) + 2.0)
        middles = 0.5 * (scree.motion.VELOCITY_EDGES[1:] + scree.motion.VELOCITY_EDGES[:-1])
        np.testing.assert_allclose(density, np.exp(-0.5 * middles**2) / np.sqrt(2.0 * np.pi), atol=4e-3)

    def test_grains_at_rest_are_refused(self):
        with self.assertRaisesRegex(UsageError, "nothing moves"):
            scree.motion.velocities([frame([[0.01, 0.01, 0.01], [0.02, 0.01, 0.01]])])


class Script(ScriptTest):
    script = "motion.py"

    def test_writes_tables_and_pictures(self):
        paths = []
        fields = made_snapshot.made_fields(3000)
        for number in range(3):
            paths.append(self.folder / f"{number}.h5")
            made_snapshot.write(paths[-1], fields, time=0.1 * number, step=number)
            fields = fields | {"position": fields["position"] + 1e-5 * fields["velocity"]}
        prefix = self.folder / "m"
        self.assert_runs(paths[1], paths[2], paths[0], "--output", prefix)  # in the order of their times
        displacements = scree.table.read(f"{prefix}_msd.csv")
        np.testing.assert_allclose(displacements["msd"][1] / displacements["msd"][0], 4.0)
        self.assertEqual(len(scree.table.read(f"{prefix}_d2min.csv")["d2min"]), 3000)
        self.assertAlmostEqual(scree.table.read(f"{prefix}_velocity.csv")["density"].sum() * 0.25, 1.0)
        for name in ("m.png", "m_d2min.png"):
            self.assert_is_picture(self.folder / name)
        self.assert_refused(2, ["a displacement needs two"], paths[0], "--output", prefix)


if __name__ == "__main__":
    unittest.main()
