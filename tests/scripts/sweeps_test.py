"""Tests of scripts/study sweeps: means over seeds, their differences with standard errors, expressions."""

import unittest

import numpy as np
import script_process  # noqa: F401  makes the scripts importable

from _sweeps import command


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


if __name__ == "__main__":
    unittest.main()
