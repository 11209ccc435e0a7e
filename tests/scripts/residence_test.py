"""Tests of scripts/residence.py: plug flow and a mixed volume with known times, stays that exceed the window."""

import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.region
import scree.residence
import scree.table
from scree.errors import UsageError

EXTENT = np.array([0.1, 0.06, 0.02])
STEP = 0.01  # between frames [s]


def frames(count, positions_of, ids_of):
    for number in range(count):
        positions = positions_of(number)
        fields = made_snapshot.fields_at(positions) | {"id": np.asarray(ids_of(number), dtype=np.int64)}
        yield made_snapshot.in_memory(fields, EXTENT, time=STEP * number)


def result_of_frames(*arguments):
    return scree.residence.residence(frames(*arguments), scree.region.make)


def plug(number):
    """Ids per frame: one particle enters in each frame and stays for 7 frames."""
    return np.arange(number, number + 7)


def inside_domain(ids):
    return np.full((len(ids), 3), 0.01)


class Residence(unittest.TestCase):
    def test_plug_flow_has_a_single_residence_time(self):
        result = result_of_frames(40, lambda number: inside_domain(plug(number)), plug)
        self.assertAlmostEqual(result.mean, 7 * STEP)
        self.assertAlmostEqual(result.variance, 0.0)
        np.testing.assert_allclose(result.there, [0.0], atol=1e-12)
        edges, density = scree.residence.density(result)
        self.assertAlmostEqual(np.sum(density * np.diff(edges)), 1.0)

    def test_positions_outside_the_region_do_not_count(self):
        # The particle crosses the region of 4 cm at 0.5 m/s in 8 frames. Before and after, it is in the domain only.
        def positions_of_frame(number):
            return [[0.005 * number + 0.0023, 0.01, 0.01]]

        first = made_snapshot.in_memory(made_snapshot.fields_at(positions_of_frame(0)))
        region = scree.region.make(first, [0.03, 0.0, 0.0], [0.07, 0.06, 0.02])
        result = scree.residence.residence(frames(19, positions_of_frame, lambda _: [5]), lambda _: region)
        self.assertAlmostEqual(result.mean, 8 * STEP)
        self.assertEqual((result.stays, result.left), (1, 1))

    def mixed_ids(self, count):
        """Ids per frame of 600 particles; each leaves at random after 0.2 s on average and is replaced."""
        random = np.random.default_rng(1)
        ids, highest, all_ids = np.arange(600), 600, []
        for _ in range(count):
            all_ids.append(ids)
            is_staying = random.uniform(size=len(ids)) < np.exp(-STEP / 0.2)
            new = np.arange(highest, highest + np.sum(~is_staying))
            highest += len(new)
            ids = np.concatenate([ids[is_staying], new])
        return all_ids

    def test_mixed_volume_has_exponential_residence_times(self):
        all_ids = self.mixed_ids(200)
        result = result_of_frames(200, lambda number: inside_domain(all_ids[number]), lambda number: all_ids[number])
        # The mean is the sum of exp(-t/tau) over all frames, times STEP.
        self.assertAlmostEqual(result.mean, STEP / (1.0 - np.exp(-STEP / 0.2)), delta=0.008)
        self.assertAlmostEqual(result.variance / result.mean**2, 1.0, delta=0.1)

    def test_stays_that_continue_at_the_end_of_the_window_do_not_shorten_the_times(self):
        all_ids = self.mixed_ids(41)  # as long as two mean times
        result = result_of_frames(41, lambda number: inside_domain(all_ids[number]), lambda number: all_ids[number])
        is_short = result.times < 0.3
        np.testing.assert_allclose(result.there[is_short], np.exp(-result.times[is_short] / 0.2), atol=0.06)
        self.assertTrue(np.all(np.abs(result.there - np.exp(-result.times / 0.2))[is_short] < 4.0 * result.error[is_short] + 0.01))
        # A mean over only the particles that left would be too short.
        durations, has_ended, _ = scree.residence.stays(
            frames(41, lambda number: inside_domain(all_ids[number]), lambda number: all_ids[number]), scree.region.make)
        self.assertLess(durations[has_ended].mean(), 0.14)

    def test_survival_and_its_error_match_a_hand_calculation(self):
        # Calculated by hand: of 4 stays, one ends after 1, two end after 3, and one lasts 2 when the window ends.
        times, survival, error = scree.residence.survival(np.array([3.0, 1.0, 2.0, 3.0]), np.array([True, True, False, True]))
        np.testing.assert_allclose(times, [1.0, 3.0])
        np.testing.assert_allclose(survival, [0.75, 0.0])
        np.testing.assert_allclose(error, [0.75 * np.sqrt(1.0 / 12.0), 0.0])

    def test_window_in_which_no_particle_leaves_is_refused(self):
        with self.assertRaisesRegex(UsageError, "no particle comes into the region and leaves it"):
            result_of_frames(9, lambda _: inside_domain([1, 2]), lambda _: [1, 2])
        with self.assertRaisesRegex(UsageError, "need three or more"):
            result_of_frames(2, lambda _: inside_domain([1]), lambda _: [1])


class Script(ScriptTest):
    script = "residence.py"

    def test_writes_table_and_picture(self):
        paths = []
        for number in range(20):
            paths.append(self.folder / f"{number:02}.h5")
            fields = made_snapshot.fields_at(inside_domain(plug(number)) + np.arange(7)[:, None] * [0.01, 0, 0]) | {"id": plug(number)}
            made_snapshot.write(paths[-1], fields, time=STEP * number, step=number)
        prefix = self.folder / "r"
        process = self.assert_runs(*paths[::-1], "--output", prefix)  # in the order of their times
        self.assertIn("mean residence time 0.07 s, variance / mean^2", process.stdout)
        self.assertAlmostEqual(scree.table.read(f"{prefix}.csv")["time"][0], 0.07)
        self.assert_is_picture(self.folder / "r.png")
        self.assert_refused(2, ["need three or more"], *paths[:2], "--output", prefix)


if __name__ == "__main__":
    unittest.main()
