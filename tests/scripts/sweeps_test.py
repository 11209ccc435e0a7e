"""Tests of scripts/study sweeps: means over seeds, their differences with standard errors, expressions."""

import unittest

import made_run
import made_snapshot
import numpy as np
from script_test import ScriptTest

import scree.directory
from _sweeps import command
from _sweeps.scenes import Scene


class Sweeps(unittest.TestCase):
    def test_relative_difference_combines_the_errors_of_both_means(self):
        result = {10: [{"load": 9.0}, {"load": 11.0}], 160: [{"load": 19.0}, {"load": 21.0}]}
        ((name, reference_mean, reference_error, shifts),) = command.compare_with_largest(result)
        self.assertEqual((name, reference_mean), ("load", 20.0))
        self.assertAlmostEqual(reference_error, 1.0)
        self.assertEqual(list(shifts), [10])
        self.assertAlmostEqual(shifts[10][0], -0.5)
        self.assertAlmostEqual(shifts[10][1], np.sqrt(2.0) / 20.0)

    def test_expressions_are_means_ratios_of_means_and_rates(self):
        columns = {"time": np.arange(4.0), "n": np.array([9.0, 1.0, 3.0, 5.0]), "m": np.array([0.0, 2.0, 2.0, 2.0])}
        rows = np.arange(1, 4)
        self.assertEqual(command.evaluate(columns, "n", rows), 3.0)
        self.assertEqual(command.evaluate(columns, "n / m", rows), 1.5)
        self.assertAlmostEqual(command.evaluate(columns, "d/dt n", rows), 2.0)


class Window(ScriptTest):
    def test_window_has_the_snapshot_and_the_row_of_its_end_despite_rounding(self):
        """0.3 s is 30000 steps of 10 us, whose time is 0.30000000000000004 s."""
        def contacts_of(fields):
            return {"id": [[0, 1]], "gap": [0.0], "position": [[0.02, 0.02, 0.01]], "normal": [[1.0, 0.0, 0.0]],
                    "impulse": [fields["velocity"][0] * made_run.TIME_STEP]}  # fmt: skip

        def touching_spheres(force):
            return made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.021, 0.02, 0.01]], velocity=np.full((2, 3), [force, 0.0, 0.0]))

        rows = [{"step": 15000 * k, "particles": 2 + k} for k in range(4)]
        frames = {15000 * k: touching_spheres(force) for k, force in enumerate([0.0, 2.0, 4.0, 8.0])}
        run = scree.directory.read(made_run.write(self.folder / "run", rows, frames, contacts_of=contacts_of))
        figures = command.figures(Scene("", "", 0.15, 0.3, {"particles": "particles"}), run)
        self.assertAlmostEqual(figures["mean force"], 0.5 * (2.0 + 4.0) / 2)  # of two particles
        self.assertEqual(figures["particles"], 4.0)


if __name__ == "__main__":
    unittest.main()
