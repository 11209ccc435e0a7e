"""The static structure factor of particles in a domain that repeats along all axes,

    S(k) = |sum_j exp(i k . x_j)|^2/N,   k = 2 pi (n_x/L_x, n_y/L_y, n_z/L_z),

mean over the directions of k (J.-P. Hansen, I. R. McDonald, Theory of Simple Liquids, 2013, eq. 4.1.1). 1 in a gas of points;
N at a lattice's own wave vectors; its end at k = 0 tells how large the fluctuations of the density are.
"""

import dataclasses

import numpy as np

import scree.means

K_MAX = 20.0  # [1/diameters]
BIN = 0.5
MOST = 300  # wave vectors in a bin: more tell hardly more


@dataclasses.dataclass
class StructureFactor:
    """S over K bins, of one frame or averaged; NaN in bins without a wave vector of the domain."""

    edges: np.ndarray  # of |k| d, [K + 1]
    values: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error over the frames; NaN of one
    times: tuple = ()  # of the frames [s]

    @property
    def middles(self):
        return 0.5 * (self.edges[:-1] + self.edges[1:])


def at(positions, extent, numbers):
    """S at the wave vectors with these whole numbers of periods [W, 3]; positions [N, 3] in a box of these edges [m]: [W]"""
    waves = 2.0 * np.pi * positions / extent  # per period
    total = np.empty(len(numbers))
    for rows in np.array_split(np.arange(len(numbers)), len(numbers) * len(positions) // 10**6 + 1):
        phase = waves @ numbers[rows].T
        total[rows] = np.cos(phase).sum(axis=0) ** 2 + np.sin(phase).sum(axis=0) ** 2
    return total / len(positions)


def wave_vectors(extent, edges):
    """Whole numbers [W, 3] of the wave vectors of a box with |k| between edges [1/m], one of k and -k, and their bins [W]."""
    most = np.floor(edges[-1] * extent / (2.0 * np.pi)).astype(int)
    numbers = np.stack(np.meshgrid(*(np.arange(-n, n + 1) for n in most), indexing="ij"), axis=-1).reshape(-1, 3)
    x, y, z = numbers.T
    numbers = numbers[(z > 0) | (z == 0) & ((y > 0) | (y == 0) & (x > 0))]
    length = np.linalg.norm(2.0 * np.pi * numbers / extent, axis=1)
    bins = np.searchsorted(edges, length, side="right") - 1
    inside = (bins >= 0) & (bins < len(edges) - 1)
    numbers, bins = numbers[inside], bins[inside]
    # Of a bin with many every n-th, in the order of no direction.
    order = np.random.default_rng(1).permutation(len(bins))
    numbers, bins = numbers[order], bins[order]
    order = np.argsort(bins, kind="stable")
    first = np.searchsorted(bins[order], bins[order])
    kept = order[np.arange(len(order)) - first < MOST]
    return numbers[kept], bins[kept]


def structure_factor(snapshot, k_max=K_MAX, bin_width=BIN):
    """That of all particles of a Snapshot whose domain repeats along all axes; k_max, bin_width: in 1/mean diameters"""
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
    """The mean of [StructureFactor] with the same bins."""
    values, error = scree.means.frame_mean([frame.values for frame in frames])
    return StructureFactor(frames[0].edges, values, error, sum((frame.times for frame in frames), ()))


def draw(axes, result):
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    known = np.isfinite(result.values)
    error = np.nan_to_num(result.error[known])
    axes.errorbar(result.middles[known], result.values[known], error, fmt="o-", markersize=2.5, linewidth=1.0, elinewidth=0.8)
    axes.set(xlabel="wave number $kd$", ylabel="structure factor $S(k)$", xlim=(0.0, result.edges[-1]))
    axes.set_ylim(bottom=0.0)
