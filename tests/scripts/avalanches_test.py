"""scripts/avalanches.py: triangles and sawteeth with known events, bad input."""

import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.avalanches
import scree.table


class Bursts(unittest.TestCase):
    def test_bursts_of_triangles_begin_and_end_where_they_cross_the_threshold(self):
        # Values rise by 1 in 1 s, fall in 1 s, and rest for 2 s: above 0.25 for 1.5 s, with an area of 1.5 x 0.75/2.
        times = np.arange(0.0, 21.0)
        values = np.tile([0.0, 1.0, 0.0, 0.0], 6)[: len(times)]
        events = scree.avalanches.bursts(times, values, 0.25)
        np.testing.assert_allclose(events.begin, 0.25 + 4.0 * np.arange(5))
        np.testing.assert_allclose(events.duration, 1.5)
        np.testing.assert_allclose(events.size, 0.5625)
        np.testing.assert_allclose(events.waiting, 2.5)

    def test_bursts_cut_off_by_the_ends_of_the_series_are_left_out(self):
        times = np.arange(7.0)
        self.assertEqual(len(scree.avalanches.bursts(times, np.array([1.0, 1, 0, 1, 0, 0, 1]), 0.5)), 1)
        self.assertEqual(len(scree.avalanches.bursts(times, np.array([1.0, 1, 1, 0, 0, 0, 0]), 0.5)), 0)
        self.assertEqual(len(scree.avalanches.bursts(times, np.ones(7), 0.5)), 0)
        self.assertEqual(len(scree.avalanches.bursts(times, np.zeros(7), 0.5)), 0)

    def test_size_of_a_burst_is_its_integral(self):
        times = np.array([0.0, 1.0, 1.5, 4.0, 5.0])
        events = scree.avalanches.bursts(times, np.array([0.0, 2.0, 1.0, 3.0, -1.0]), 0.0)
        # Integrals: from 0 to 1: 1; to 1.5: 0.75; to 4: 5; to 4.75: 1.125.
        np.testing.assert_allclose(events.size, [7.875])
        np.testing.assert_allclose(events.end, [4.75])


class Falls(unittest.TestCase):
    def test_falls_of_a_sawtooth_are_found(self):
        # The angle rises from 30 to 35 degrees in 5 s and falls in 1 s. The last fall, maybe incomplete, is left out.
        times = np.arange(31.0)
        values = 30.0 + np.tile([0.0, 1, 2, 3, 4, 5], 6)[: len(times)]
        events = scree.avalanches.falls(times, values, 1.0)
        np.testing.assert_allclose(events.begin, 5.0 + 6.0 * np.arange(4))
        np.testing.assert_allclose(events.size, 5.0)
        np.testing.assert_allclose(events.duration, 1.0)
        np.testing.assert_allclose(events.waiting, 5.0)

    def test_rises_below_the_least_size_do_not_end_a_fall(self):
        values = np.array([0.0, 5.0, 3.0, 3.5, 1.0, 1.4, 0.9, 4.0, 3.8, 4.1])
        events = scree.avalanches.falls(np.arange(10.0), values, 1.0)
        np.testing.assert_allclose(events.size, [4.1])
        np.testing.assert_allclose([events.begin[0], events.end[0]], [1.0, 6.0])

    def test_falls_cut_off_by_the_ends_of_the_series_are_left_out(self):
        self.assertEqual(len(scree.avalanches.falls(np.arange(4.0), np.array([5.0, 1.0, 0.0, 3.0]), 1.0)), 0)
        self.assertEqual(len(scree.avalanches.falls(np.arange(4.0), np.array([0.0, 5.0, 3.0, 0.0]), 1.0)), 0)

    def test_exceedance_is_the_fraction_at_or_above_each_value(self):
        rising, fraction = scree.avalanches.exceedance(np.array([3.0, 1.0, 2.0, 4.0]))
        np.testing.assert_allclose(rising, [1.0, 2.0, 3.0, 4.0])
        np.testing.assert_allclose(fraction, [1.0, 0.75, 0.5, 0.25])


DRUM = "[scene]\ngravity = 0 0 -9.81\n[wall.drum]\nshape = pipe\ncentre = 5 3 1 cm\nangular_velocity = 0 1 0 rad/s\n"


class Script(ScriptTest):
    script = "avalanches.py"

    def write_run(self, values, angles=()):
        """Writes a run: each 1 ms a row with kinetic energy [J]; for each angle [°] a snapshot of a grain in a drum."""
        folder = made_run.write(self.folder / "run", [{"step": 100 * k, "kinetic_energy": value} for k, value in enumerate(values)], {})
        for number, angle in enumerate(np.radians(angles)):
            position = np.array([[0.05, 0.03, 0.01]]) + 0.005 * np.array([[-np.sin(angle), 0.0, -np.cos(angle)]])
            path = folder / "snapshots" / f"step_{100 * (number + 1):012d}.h5"
            made_snapshot.write(path, made_snapshot.fields_at(position), time=1e-3 * (number + 1), configuration=DRUM,
                                step=100 * (number + 1))
        return folder

    def test_bursts_and_falls_of_a_run(self):
        folder = self.write_run([0.0, 1.0, 0.0, 0.0] * 5, [30, 34, 31, 35, 31, 36, 32, 33])
        process = self.assert_runs(folder, "--threshold", "0.5", "--fall", "2")
        self.assertIn("5 bursts of kinetic energy above 0.5 J", process.stdout)
        table = scree.table.read(folder / "avalanches_bursts.csv")
        np.testing.assert_allclose(table["duration"], 1e-3)
        np.testing.assert_allclose(table["size"], 0.25e-3)
        np.testing.assert_allclose(table["waiting"][:-1], 3e-3)
        table = scree.table.read(folder / "avalanches_falls.csv")
        # The fall from 36 to 32 is left out, because the angle then rises by less than 2.
        np.testing.assert_allclose(table["size"], [3.0, 4.0])
        for name in ("bursts", "falls"):
            self.assert_is_picture(folder / f"avalanches_{name}.png")

    def test_bad_input_is_refused(self):
        folder = self.write_run([0.0, 1.0])
        self.assert_refused(2, ["no column 'energy'", "kinetic_energy"], folder, "--column", "energy")
        self.assert_refused(2, ["has 2 rows", "expected 3 or more"], folder)
        self.assert_refused(2, ["--threshold", "'nan' must be a finite number"], folder, "--threshold", "nan")


if __name__ == "__main__":
    unittest.main()
