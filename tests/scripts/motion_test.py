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
    return made_snapshot.in_memory(made_snapshot.at(positions, D / 2, **others), EXTENT, (periodic,) * 3, time=time)


class Displacement(unittest.TestCase):
    def walk(self, frames=9, step=0.002):
        """A random walk of 2000 particles in a periodic domain with a drift along x."""
        random = np.random.default_rng(3)
        places = random.uniform(size=(2000, 3)) * EXTENT
        made = []
        for number in range(frames):
            made.append(frame(np.mod(places, EXTENT), 0.1 * number))
            places = places + step * random.normal(size=places.shape) * [1.0, 2.0, 0.5] + [0.003, 0.0, 0.0]
        return made

    def test_diffusion_grows_with_time_across_periodic_faces_and_without_the_wind(self):
        found = scree.motion.mean_square_displacement(*scree.motion.unfolded(self.walk()))
        number = np.arange(1, 9)
        np.testing.assert_allclose(found.lags, 0.1 * number)
        for k, scale in enumerate((1.0, 2.0, 0.5)):
            np.testing.assert_allclose(found.squares[:, k] / (number * (0.002 * scale) ** 2), 1.0, atol=0.1)
        self.assertEqual(found.particles, 2000)
        # The squared displacement of one step sums three unequal chi-squared parts; the mean is over 8.
        self.assertAlmostEqual(found.error[-1] / (8 * 0.002**2 * np.sqrt(2.0 * (1.0 + 16.0 + 0.0625) / 2000)), 1.0, delta=0.15)

    def test_free_flight(self):
        random = np.random.default_rng(5)
        places, velocity = random.uniform(0.3, 0.7, size=(50, 3)) * EXTENT, random.normal(size=(50, 3))
        velocity -= velocity.mean(axis=0)
        frames = [frame(places + 1e-3 * time * velocity, time) for time in (0.0, 1.0, 3.0)]  # not evenly spaced
        found = scree.motion.mean_square_displacement(*scree.motion.unfolded(frames))
        np.testing.assert_allclose(found.total, 1e-6 * np.mean(np.sum(velocity**2, axis=1)) * np.array([1.0, 9.0]))

    def test_particles_that_are_not_always_there_do_not_count(self):
        frames = self.walk(3)
        rows = np.arange(2000) != 7
        frames[1].fields = {name: values[rows] for name, values in frames[1].fields.items()}
        places, _ = scree.motion.unfolded(frames)
        self.assertEqual(places.shape, (3, 1999, 3))
        frames[1].fields = {name: values[:0] for name, values in frames[1].fields.items()}
        with self.assertRaisesRegex(UsageError, "no particle"):
            scree.motion.unfolded(frames)


class NonAffine(unittest.TestCase):
    def setUp(self):
        self.places = (np.indices((8, 8, 8)).reshape(3, -1).T + 5.0) * D
        self.middle = int(np.flatnonzero((self.places == 9.0 * D).all(axis=1))[0])

    def test_affine_map_has_no_nonaffine_part(self):
        turned = self.places @ (np.eye(3) + [[0.1, 0.3, 0.0], [-0.2, 0.0, 0.1], [0.0, 0.05, -0.1]]) + 0.01
        found = scree.motion.non_affine(frame(self.places, periodic=False), frame(turned, periodic=False))
        np.testing.assert_allclose(found, 0.0, atol=1e-20)

    def test_grain_that_leaves_its_cage_has_the_square_of_its_displacement(self):
        moved = self.places.copy()
        moved[self.middle] += [0.3 * D, 0.4 * D, 0.0]
        found = scree.motion.non_affine(frame(self.places), frame(moved))
        # The neighbours are symmetric, so that no affine map can describe an equal step of all of them.
        self.assertAlmostEqual(found[self.middle], 0.25)
        # One of the 18 neighbours of the next particle moves differently, and an affine map follows it only in part.
        neighbour = int(np.flatnonzero((np.abs(self.places - [10.0 * D, 9.0 * D, 9.0 * D]) < 1e-9).all(axis=1))[0])
        self.assertTrue(0.0 < found[neighbour] < 0.25 / 18)
        self.assertAlmostEqual(found[0], 0.0)

    def test_result_is_unknown_for_few_neighbours_or_grains_that_left(self):
        last = frame(self.places)
        last.fields = {name: values[1:] for name, values in last.fields.items()}
        alone = np.append(self.places, [[0.05, 0.05, 0.015]], axis=0)
        found = scree.motion.non_affine(frame(alone), last)
        self.assertTrue(np.isnan(found[[0, -1]]).all())
        self.assertTrue(np.isfinite(found[self.middle]))

    def test_result_is_the_least_squares_of_each_particle(self):
        random = np.random.default_rng(7)
        places = random.uniform(0.3, 0.5, size=(120, 3)) * EXTENT
        moved = places + 2e-4 * random.normal(size=places.shape)
        found = scree.motion.non_affine(frame(places, periodic=False), frame(moved, periodic=False), reach=4.0)
        for one in range(len(places)):
            near = [k for k in range(len(places)) if k != one and np.linalg.norm(places[k] - places[one]) <= 4.0 * D]
            if len(near) < scree.motion.MIN_NEIGHBOURS:
                self.assertTrue(np.isnan(found[one]))
                continue
            left = np.linalg.lstsq(places[near] - places[one], moved[near] - moved[one], rcond=None)[1]
            self.assertAlmostEqual(found[one], np.sum(left) / len(near) / D**2 if len(near) > 3 else 0.0, delta=1e-9)

    def test_displacements_less_the_affine_map_of_all(self):
        random = np.random.default_rng(8)
        places = random.uniform(0.2, 0.6, size=(300, 3)) * EXTENT
        gradient = np.array([[0.02, 0.1, 0.0], [0.0, -0.03, 0.0], [0.05, 0.0, 0.01]])
        own = 1e-5 * random.normal(size=places.shape)
        first, last = frame(places), frame(np.mod(places + places @ gradient.T + [0.01, 0.02, 0.001] + own, EXTENT))
        result = scree.non_affine(first, last)
        np.testing.assert_allclose(result.gradient, gradient, atol=2e-3)
        # Column by column, with a map that has a constant.
        with_one = np.column_stack([places, np.ones(len(places))])
        moved = first.nearest(last["position"] - places)
        for axis in range(3):
            expected = moved[:, axis] - with_one @ np.linalg.lstsq(with_one, moved[:, axis], rcond=None)[0]
            np.testing.assert_allclose(result.displacement[:, axis], expected, atol=1e-12)
        last.fields = {name: values[1:] for name, values in last.fields.items()}
        self.assertTrue(np.isnan(scree.non_affine(first, last).displacement[0]).all())
        np.testing.assert_array_equal(scree.non_affine(first, last).id, first["id"])

    def test_result_is_unknown_without_neighbours(self):
        apart = frame(5.0 * self.places[:3] + 5.0 * D * np.arange(3)[:, None], periodic=False)
        self.assertTrue(np.isnan(scree.motion.non_affine(apart, apart)).all())

    def test_neighbours_across_periodic_faces(self):
        random = np.random.default_rng(2)
        places = random.uniform(size=(20000, 3)) * EXTENT
        found = scree.motion.non_affine(frame(places), frame(np.mod(places + [0.02, 0.01, 0.003], EXTENT)))
        np.testing.assert_allclose(found[np.isfinite(found)], 0.0, atol=1e-20)


class Velocities(unittest.TestCase):
    def test_sonine_coefficient(self):
        random = np.random.default_rng(1)
        gaussian = random.normal(size=(200000, 3)) + 4.0
        self.assertAlmostEqual(scree.motion.sonine(gaussian), 0.0, delta=0.01)
        # With equal speeds <c^4> = <c^2>^2. With temperatures 1 and 9 the ratio is that of mean square to squared mean.
        self.assertAlmostEqual(scree.motion.sonine(np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])), -0.4)
        both = np.concatenate([gaussian - 4.0, 3.0 * (gaussian - 4.0)])
        self.assertAlmostEqual(scree.motion.sonine(both), 0.5 * (1.0 + 81.0) / 25.0 - 1.0, delta=0.02)

    def test_velocity_density_is_in_units_of_the_standard_deviation(self):
        random = np.random.default_rng(1)
        density = scree.motion.velocity_density(7.0 * random.normal(size=(200000, 3)) + 2.0)
        middles = 0.5 * (scree.motion.SPEEDS[1:] + scree.motion.SPEEDS[:-1])
        np.testing.assert_allclose(density, np.exp(-0.5 * middles**2) / np.sqrt(2.0 * np.pi), atol=4e-3)

    def test_grains_at_rest_are_reported(self):
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
        self.assert_runs(*paths, "--output", prefix)
        moved = scree.table.read(f"{prefix}_msd.csv")
        np.testing.assert_allclose(moved["msd"][1] / moved["msd"][0], 4.0)
        self.assertEqual(len(scree.table.read(f"{prefix}_d2min.csv")["d2min"]), 3000)
        self.assertAlmostEqual(scree.table.read(f"{prefix}_velocity.csv")["density"].sum() * 0.25, 1.0)
        for name in ("m.png", "m_d2min.png"):
            self.assert_is_picture(self.folder / name)
        self.assert_refused(2, ["a displacement needs two"], paths[0], "--output", prefix)


if __name__ == "__main__":
    unittest.main()
