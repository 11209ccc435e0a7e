"""The static structure factor of particles in a domain that is periodic along all axes,

    S(k) = |sum_j exp(i k . x_j)|^2/N,   k = 2 pi (n_x/L_x, n_y/L_y, n_z/L_z),

with whole numbers n, averaged over the directions of k (J.-P. Hansen, I. R. McDonald, Theory of Simple Liquids, 2013,
eq. 4.1.1). S is 1 for independent points, and N at the reciprocal vectors of a lattice. The limit k -> 0 measures
fluctuations of the density.
"""

import dataclasses

import numpy as np

import scree.means

K_MAX = 20.0  # default largest wave number [1/diameters]
BIN = 0.5  # default width of a bin [1/diameters]
MAX_VECTORS = 200  # largest number of wave vectors in a bin; more would hardly reduce the error


@dataclasses.dataclass
class StructureFactor:
    """S in K bins, of one frame or averaged; NaN in bins that contain no wave vector of the domain."""

    edges: np.ndarray  # of |k| d, [K + 1]
    values: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error over the frames; NaN for one frame
    times: tuple = ()  # of the frames [s]

    @property
    def middles(self):
        return 0.5 * (self.edges[:-1] + self.edges[1:])


def at(positions, extent, numbers):
    """S [W] at the wave vectors with these numbers n [W, 3], for positions [N, 3] in a box with edges `extent` [m]."""
    unit_phases = 2.0 * np.pi * positions / extent  # k . x of n = 1, along each axis
    power = np.empty(len(numbers))
    for rows in np.array_split(np.arange(len(numbers)), len(numbers) * len(positions) // 10**6 + 1):
        phase = unit_phases @ numbers[rows].T
        power[rows] = np.cos(phase).sum(axis=0) ** 2 + np.sin(phase).sum(axis=0) ** 2
    return power / len(positions)


def _drop_opposites(numbers):
    """Keeps each vector once, and of k and -k only that whose last nonzero component is positive; drops k = 0."""
    sign = np.sign(numbers)
    last_sign = np.where(sign[:, 2] != 0, sign[:, 2], np.where(sign[:, 1] != 0, sign[:, 1], sign[:, 0]))
    return np.unique(numbers[last_sign != 0] * last_sign[last_sign != 0, None], axis=0)


def _list_within(extent, end):
    """All wave vectors with components up to `end` [1/m], as whole numbers [W, 3]."""
    largest = np.floor(end * extent / (2.0 * np.pi)).astype(int)
    return np.stack(np.meshgrid(*(np.arange(-n, n + 1) for n in largest), indexing="ij"), axis=-1).reshape(-1, 3)


def _sample_between(extent, begin, end, random):
    """Wave vectors near random points of a shell that contains far more than MAX_VECTORS, as whole numbers [W, 3]."""
    directions = random.normal(size=(2 * MAX_VECTORS, 3))
    lengths = np.cbrt(random.uniform(begin**3, end**3, size=2 * MAX_VECTORS))
    points = directions * (lengths / np.linalg.norm(directions, axis=1))[:, None]
    return np.round(points * extent / (2.0 * np.pi)).astype(int)


def wave_vectors(extent, edges):
    """Numbers n [W, 3] of wave vectors with |k| between edges [1/m], one of each pair k, -k, and their bins [W].

    A bin has all its wave vectors, or a random selection of MAX_VECTORS.
    """
    random = np.random.default_rng(1)
    vectors, bins = [], []
    for bin_index, (begin, end) in enumerate(zip(edges, edges[1:])):
        has_too_many = 2.0 / 3.0 * np.pi * (end**3 - begin**3) * np.prod(extent / (2.0 * np.pi)) > 5 * MAX_VECTORS
        numbers = _drop_opposites(_sample_between(extent, begin, end, random) if has_too_many else _list_within(extent, end))
        length = np.linalg.norm(2.0 * np.pi * numbers / extent, axis=1)
        numbers = random.permutation(numbers[(length >= begin) & (length < end)])[:MAX_VECTORS]
        vectors.append(numbers)
        bins.append(np.full(len(numbers), bin_index))
    return np.concatenate(vectors), np.concatenate(bins)


def structure_factor(snapshot, k_max=K_MAX, bin_width=BIN):
    """S of a Snapshot that is periodic along all axes.  k_max, bin_width: in 1/mean diameters"""
    diameter = 2.0 * float(snapshot["radius"].mean())
    extent = snapshot.upper - snapshot.lower
    edges = bin_width * np.arange(round(k_max / bin_width) + 1)
    numbers, bins = wave_vectors(extent, edges / diameter)
    values = at(snapshot["position"] - snapshot.lower, extent, numbers)
    count = np.bincount(bins, minlength=len(edges) - 1)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(bins, values, minlength=len(edges) - 1) / count
    return StructureFactor(edges, mean, np.full(len(mean), np.nan), (snapshot.time,))


def average(frames):
    """Mean of [StructureFactor] with the same bins."""
    values, error = scree.means.frame_mean([frame.values for frame in frames])
    return StructureFactor(frames[0].edges, values, error, sum((frame.times for frame in frames), ()))


def draw(axes, result):
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    has_value = np.isfinite(result.values)
    error = np.nan_to_num(result.error[has_value])
    axes.errorbar(result.middles[has_value], result.values[has_value], error, fmt="o-", markersize=2.5, linewidth=1.0, elinewidth=0.8)
    axes.set(xlabel="wave number $kd$", ylabel="structure factor $S(k)$", xlim=(0.0, result.edges[-1]))
    axes.set_ylim(bottom=0.0)
