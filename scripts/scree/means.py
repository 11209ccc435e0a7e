"""Means of correlated series and of frames, with standard errors."""

import math

import numpy as np

MIN_BLOCKS = 5  # 5 blocks determine the scatter of their means to 35 %; fewer are not sufficient
MAX_DECIMALS = 6  # largest number of decimals of numbers without a power of ten


def blocked_errors(values):
    """Standard errors of the mean of a series [n] from blocks of 1, 2, 4, ... values: (sizes, errors).

    Means of blocks much longer than the correlation are independent, so that the error no longer
    grows with the size (H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461 (1989)). Blocks are counted from
    the end, because a series is more likely to be unsteady at its beginning.
    """
    values = np.asarray(values, dtype=float)
    sizes, errors = [], []
    size = 1
    while len(values) // size >= (MIN_BLOCKS if size > 1 else 2):
        count = len(values) // size
        means = values[len(values) - count * size :].reshape(count, size).mean(axis=1)
        sizes.append(size)
        errors.append(means.std(ddof=1) / np.sqrt(count))
        size *= 2
    return np.array(sizes), np.array(errors)


def mean_error(values):
    """Mean of a correlated series [n], its standard error, and whether the error is reliable.

    The block size is the smallest B with B^3 > 2 n (e_B/e_1)^4, where e_B is the error from blocks of B.
    This size balances the remaining correlation against the scatter of few blocks (R. M. Lee et al.,
    Phys. Rev. E 83, 066706 (2011)). Ratios below 1 are due to scatter and count as 1. If no B fits,
    the series is too short: the result is the largest error, which is a lower bound, and False. The
    error of a single value is NaN.
    """
    values = np.asarray(values, dtype=float)
    mean = float(values.mean()) if len(values) else np.nan
    sizes, errors = blocked_errors(values)
    if not len(sizes):
        return mean, np.nan, False
    if errors[0] == 0.0:
        return mean, 0.0, True
    ratio = np.maximum(errors / errors[0], 1.0)
    is_long_enough = sizes**3 > 2 * len(values) * ratio**4
    if not is_long_enough.any():
        return mean, float(errors.max()), False
    return mean, float(errors[np.argmax(is_long_enough)]), True


def with_error(mean, error, is_bound=False):
    """Text such as `246992 ± 31`, to the second digit of the error; `>` before an error that is a lower bound.

    error: finite and above 0
    """
    power = math.floor(math.log10(error)) - 1  # power of ten of the last digit
    sign = ">" * is_bound
    if power >= -MAX_DECIMALS:
        digits = max(0, -power)
        return f"{round(mean, digits) + 0.0:.{digits}f} ± {sign}{error:.{digits}f}"
    common = math.floor(math.log10(max(abs(mean), error)))
    digits, scale = max(0, common - power), 10.0**-common
    return f"({round(mean * scale, digits) + 0.0:.{digits}f} ± {sign}{error * scale:.{digits}f})e{common:03d}"


def over(times):
    """Describes the snapshots that were averaged.  times: of these snapshots, [F] [s]"""
    if len(times) == 1:
        return f"one snapshot, t = {times[0]:.4g} s"
    return f"mean of {len(times)} snapshots, t = {min(times):.4g} to {max(times):.4g} s"


def jackknife(frames, estimate):
    """Jackknife standard errors {name: [...]} of the results of `estimate`; empty below two frames.

    frames: [F] independent frames {name: array}, the terms of the sums
    estimate: function from {name: sum} and the number of frames to {name: values}

    Each frame is omitted in turn (B. Efron, C. Stein, Ann. Stat. 9, 586 (1981)). For a mean over frames the result is
    the usual standard error.
    """
    count = len(frames)
    if count < 2:
        return {}
    total = {name: sum(frame[name] for frame in frames) for name in frames[0]}
    estimates = [estimate({name: total[name] - frame[name] for name in total}, count - 1) for frame in frames]
    scale = np.sqrt((count - 1) ** 2 / count)
    return {name: scale * np.std([sample[name] for sample in estimates], axis=0, ddof=1) for name in estimates[0]}


def frame_mean(frames, weights=None):
    """Mean over independent frames [F, ...], and its standard error.

    NaN, for example in an empty cell, does not count. The error is NaN if fewer than two values count.
    weights: of the frames, [F], for example numbers of contacts; None: equal weights
    """
    frames = np.asarray(frames, dtype=float)
    weights = np.ones(len(frames)) if weights is None else np.asarray(weights, dtype=float)
    weight = np.where(np.isnan(frames), 0.0, weights.reshape(-1, *[1] * (frames.ndim - 1)))
    count = np.count_nonzero(weight, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction = weight / weight.sum(axis=0)
        mean = np.where(weight > 0.0, fraction * frames, 0.0).sum(axis=0)
        mean = np.where(count > 0, mean, np.nan)
        squares = np.where(weight > 0.0, (fraction * (frames - mean)) ** 2, 0.0).sum(axis=0)
        error = np.where(count > 1, np.sqrt(squares * count / (count - 1)), np.nan)
    return mean, error
