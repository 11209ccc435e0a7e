"""Tests of scripts/scree/means.py: standard errors of series with known correlation, means over frames."""

import unittest

import made_snapshot  # noqa: F401  makes the package importable

import numpy as np
import scree.means

LENGTH = 4096  # length of a series
SERIES = 200  # number of series, which gives the scatter within 5 %


def autoregressive(memory, seed, length=LENGTH):
    """x[k + 1] = memory x[k] + noise, started in its steady state with variance 1."""
    random = np.random.default_rng(seed)
    noise = np.sqrt(1.0 - memory**2) * random.normal(size=length)
    values = np.empty(length)
    values[0] = random.normal()
    for k in range(1, length):
        values[k] = memory * values[k - 1] + noise[k]
    return values


def true_error(memory, length=LENGTH):
    """Standard deviation of the mean of an autoregressive series, for length (1 - memory) >> 1."""
    return np.sqrt((1.0 + memory) / (1.0 - memory) / length)


class MeanError(unittest.TestCase):
    # Means of blocks keep a correlation of a few per cent, and the chosen error is one of several scattered estimates.
    TOLERANCE = 0.15

    def test_error_of_an_autoregressive_series_matches_theory(self):
        for memory in (0.0, 0.5, 0.9):
            with self.subTest(memory=memory):
                series = [autoregressive(memory, seed) for seed in range(SERIES)]
                results = [scree.means.mean_error(values) for values in series]
                self.assertTrue(all(is_sure for _, _, is_sure in results))
                error = np.mean([error for _, error, _ in results])
                self.assertAlmostEqual(error / true_error(memory), 1.0, delta=self.TOLERANCE)

    def test_means_scatter_within_their_error(self):
        results = [scree.means.mean_error(autoregressive(0.9, seed))[:2] for seed in range(SERIES)]
        means, errors = np.array(results).T
        self.assertAlmostEqual(means.std() / errors.mean(), 1.0, delta=0.2)

    def test_error_without_blocks_is_far_too_small(self):
        _, errors = scree.means.blocked_errors(autoregressive(0.9, 1))
        self.assertLess(errors[0], 0.4 * true_error(0.9))

    def test_series_shorter_than_its_correlation_is_reported(self):
        mean, error, is_sure = scree.means.mean_error(np.arange(20.0))
        self.assertEqual((mean, is_sure), (9.5, False))
        self.assertGreater(error, 2.0)

    def test_error_of_constant_single_and_no_values(self):
        self.assertEqual(scree.means.mean_error([3.0] * 10), (3.0, 0.0, True))
        mean, error, is_sure = scree.means.mean_error([3.0])
        self.assertTrue(mean == 3.0 and np.isnan(error) and not is_sure)
        self.assertTrue(np.isnan(scree.means.mean_error([])[0]))

    def test_blocks_drop_the_beginning(self):
        sizes, errors = scree.means.blocked_errors([100.0, *range(1, 11)])
        np.testing.assert_array_equal(sizes, [1, 2])
        # The block means 1.5, 3.5, ..., 9.5 have a variance of 10.
        self.assertAlmostEqual(errors[1], np.sqrt(10.0 / 5.0))

    def test_error_of_a_short_series_is_not_far_too_small_by_chance(self):
        random = np.random.default_rng(5)
        errors = np.array([scree.means.mean_error(random.normal(size=21))[1] for _ in range(1000)])
        naive = 1.0 / np.sqrt(21)
        # So small an error occurs in 0.3 % of the series with five blocks, and in 16 % with two.
        self.assertLess(np.mean(errors < 0.2 * naive), 0.01)
        self.assertAlmostEqual(errors.mean() / naive, 1.0, delta=0.15)


class FrameMean(unittest.TestCase):
    def test_mean_over_frames_has_its_standard_error(self):
        mean, error = scree.means.frame_mean([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]])
        np.testing.assert_allclose(mean, [4.0, 2.0])
        np.testing.assert_allclose(error, [np.sqrt(13.0 / 3.0), 0.0])

    def test_missing_values_of_a_frame_are_left_out(self):
        mean, error = scree.means.frame_mean([[1.0, np.nan], [3.0, np.nan], [np.nan, 5.0]])
        np.testing.assert_allclose(mean, [2.0, 5.0])
        np.testing.assert_allclose(error, [1.0, np.nan])

    def test_weight_counts_as_repeated_values(self):
        mean, error = scree.means.frame_mean([1.0, 4.0, 9.0], [3.0, 1.0, 0.0])
        self.assertAlmostEqual(float(mean), 7.0 / 4.0)  # the mean of 1, 1, 1 and 4
        # Error of a ratio of sums over two frames (W. G. Cochran, Sampling Techniques, 1977): 2 Σ (w (x - m))² / (Σ w)².
        self.assertAlmostEqual(float(error), np.sqrt(2.0 * (2.25**2 + 2.25**2)) / 4.0)


class Jackknife(unittest.TestCase):
    VALUES = np.array([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]])

    def test_error_of_a_mean_is_the_standard_error(self):
        errors = scree.means.jackknife([{"a": value} for value in self.VALUES], lambda sums, count: {"mean": sums["a"] / count})
        np.testing.assert_allclose(errors["mean"], scree.means.frame_mean(self.VALUES)[1])

    def test_error_of_a_ratio_includes_the_correlation_of_its_parts(self):
        random = np.random.default_rng(2)
        weight = random.uniform(0.9, 1.1, size=400)
        frames = [{"sum": 2.0 * value + extra, "weight": value} for value, extra in zip(weight, 0.1 * random.normal(size=400))]
        errors = scree.means.jackknife(frames, lambda sums, _: {"ratio": np.array([sums["sum"] / sums["weight"]])})
        # Varying weights add no error, because the ratio is 2 for all weights.
        self.assertAlmostEqual(errors["ratio"][0] / (0.1 / np.sqrt(400)), 1.0, delta=0.15)

    def test_one_frame_has_no_error(self):
        self.assertEqual(scree.means.jackknife([{"a": 1.0}], lambda sums, count: sums), {})


class WithError(unittest.TestCase):
    def test_value_and_error_end_at_the_second_digit_of_the_error(self):
        for (mean, error), text in {
            (246992.3, 31.4): "246992 ± 31",
            (-0.11650321, 0.0011): "-0.1165 ± 0.0011",
            (-9.135e-8, 3e-5): "0.000000 ± 0.000030",
            (-1e-9, 0.00015): "0.00000 ± 0.00015",
            (8194.2, 669.0): "8194 ± 669",
            (3.456e-9, 2.5e-10): "(3.46 ± 0.25)e-09",
            (1e-12, 3.21e-9): "(0.0 ± 3.2)e-09",
        }.items():
            self.assertEqual(scree.means.with_error(mean, error), text)

    def test_lower_bound_is_marked(self):
        self.assertEqual(scree.means.with_error(2.59337, 0.00121, True), "2.5934 ± >0.0012")


if __name__ == "__main__":
    unittest.main()
