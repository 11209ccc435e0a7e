"""Mixing of kinds of particles: Lacey's index from counts in cells, and segregation of their heights.

P. M. C. Lacey, Developments in the theory of particle mixing, J. Appl. Chem. 4, 257 (1954).

Lacey's index compares the contents of cells with random mixing. It detects neither order within a cell, nor the order
of a kind with hardly one particle per cell. The segregation index depends only on heights: the probability that a
particle of the second kind is higher than one of the first kind, minus the probability of the opposite, -1 to 1
(Mann-Whitney's U). For several kinds the pair with the largest absolute value counts.

Errors are those of the jackknife over blocks (M. H. Quenouille, Biometrika 43, 353 (1956)): the bed is divided into
B vertical columns of equal numbers of cells, each column b is left out in turn, which gives M_b, and

    error^2 = (B - 1)/B sum_b (M_b - mean of all M_b)^2

The error is too small if the columns are not much broader than the structures of the mixture.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import scipy.stats

import scree.figure
import scree.table
import scree.view
from scree.errors import UsageError
from scree.snapshot import Snapshot

PER_CELL = 25.0  # mean number of particles of a cell inside the bed
PACKED = 0.6  # solid fraction inside the bed
MIN_COUNT = 1.0  # smallest mean number of the rarest kind per cell; with fewer, mixed and separate look alike
FIELDS = ("position", "radius", "material")
MIN_TIMES = 5  # smallest number of times for the fit of a relaxation
BLOCKS = 16  # columns of the jackknife; a power of two
MAX_RESIDUAL = 0.2  # largest fraction of the variance of the index that a valid fit may leave


@dataclasses.dataclass
class Mixing:
    """Lacey's index of F frames."""

    times: np.ndarray  # [F] [s]
    index: np.ndarray  # [F]; 0 separate, 1 random; NaN where a frame has one kind
    segregation: np.ndarray  # [F]; 1 if the second kind is above the first, -1 if below; see `segregation`
    kinds: tuple[str, ...]  # names
    cell: float  # side of the cells [m]
    rarest_per_cell: float  # mean number of the rarest kind per cell, maximum over the frames
    index_error: np.ndarray  # [F], jackknife over blocks
    segregation_error: np.ndarray  # [F]


def cell_side(snapshot: Snapshot, per_cell: float = PER_CELL) -> float:
    """Side of cubes that contain this number of particles at a solid fraction of 60 % [m]."""
    return float((per_cell * snapshot.volumes.mean() / PACKED) ** (1.0 / 3.0))


def cells_of(snapshot: Snapshot, side: float) -> np.ndarray:
    """Indices along x, y, z of the cell of each particle, [N, 3]; cells are cubes of this side [m]."""
    return np.floor((snapshot["position"] - snapshot.lower) / side).astype(int)


def lacey(snapshot: Snapshot, kinds: np.ndarray, side: float) -> float:
    """M = (s_0^2 - s^2) / (s_0^2 - s_r^2) of the kinds, [N], in cubes of this side [m]; NaN for one kind.

    s^2 is the variance of a kind's fractions p_i in the cells about its overall fraction p, weighted by the particles
    of a cell and summed over the kinds. s_0^2 = p (1 - p) is the variance of separate kinds, and s_r^2 = p (1 - p) K /
    N that of random mixing in K cells with N particles. Cells with a single particle give no information and are not
    used.
    """
    return _lacey(cells_of(snapshot, side), kinds)


def _lacey(cell_indices: np.ndarray, kinds: np.ndarray) -> float:
    """Lacey's index of particles in these cells [N, 3]."""
    _, cell, count = np.unique(cell_indices, axis=0, return_inverse=True, return_counts=True)
    cell = cell.ravel()
    is_counted = count[cell] > 1
    cells, cell = np.unique(cell[is_counted], return_inverse=True)
    count, kinds = count[cells], kinds[is_counted]
    separated = spread = 0.0
    for kind in np.unique(kinds):
        fractions = np.bincount(cell, kinds == kind, minlength=len(cells)) / count
        mean = np.average(fractions, weights=count)
        separated += mean * (1.0 - mean)
        spread += np.average((fractions - mean) ** 2, weights=count)
    if separated == 0.0:
        return np.nan
    return float((separated - spread) / (separated * (1.0 - len(cells) / count.sum())))


def segregation(snapshot: Snapshot, kinds: np.ndarray) -> float:
    """P(second higher) - P(first higher) for a random particle of each of two kinds; NaN for one kind.

    For several kinds, the result of the most segregated pair.
    """
    heights = snapshot["position"] @ scree.view.vertical(snapshot)
    return _segregation_of(_most_segregated(heights, kinds), heights, kinds)


def _most_segregated(heights, kinds):
    """The pair of kinds with the largest absolute segregation; None for one kind."""
    pairs = itertools.combinations(np.unique(kinds), 2)
    return max(pairs, key=lambda pair: abs(_segregation_of(pair, heights, kinds)), default=None)


def _segregation_of(pair, heights, kinds):
    """Segregation of a pair of kinds, both of which there are; NaN for None."""
    if pair is None:
        return np.nan
    is_of_pair = np.isin(kinds, pair)
    is_second = kinds[is_of_pair] == pair[1]
    count, other_count = np.sum(is_second), np.sum(~is_second)
    ranks = scipy.stats.rankdata(heights[is_of_pair])
    higher = ranks[is_second].sum() - 0.5 * count * (count + 1)  # pairs in which the second kind is higher
    return float(2.0 * higher / (count * other_count) - 1.0)


def blocks(places: np.ndarray, vertical: np.ndarray, number: int = BLOCKS) -> np.ndarray:
    """Columns of equal numbers of cells: the block of each particle, [N]; fewer than `number` if there are few cells.

    The cells are divided repeatedly, each time at the median along the longer horizontal axis.

    places: cells of the particles, as from `cells_of` [N, 3];  vertical: unit vector
    """
    cells, cell = np.unique(places[:, np.abs(vertical) < 0.7], axis=0, return_inverse=True)
    parts = [np.arange(len(cells))]
    while len(parts) < number and min(map(len, parts)) > 1:
        parts = [half for part in parts for half in _halves(part, cells[part])]
    block = np.empty(len(cells), int)
    for row, part in enumerate(parts):
        block[part] = row
    return block[cell.ravel()]


def _halves(rows, cells):
    """Rows of the two halves of cells, divided at the median along their longer axis."""
    order = rows[np.argsort(cells[:, np.argmax(np.ptp(cells, axis=0))], kind="stable")]
    return order[: len(order) // 2], order[len(order) // 2 :]


def jackknife_errors(snapshot: Snapshot, kinds: np.ndarray, side: float) -> tuple[float, float]:
    """Jackknife errors of `lacey` and `segregation` over `blocks`.

    NaN if there is only one block, or if one block contains all particles of a kind. With several kinds, the error of
    the segregation is that of the pair that is most segregated in the whole bed.
    """
    cells, vertical = cells_of(snapshot, side), scree.view.vertical(snapshot)
    heights = snapshot["position"] @ vertical
    block, pair = blocks(cells, vertical), _most_segregated(heights, kinds)
    count = int(block.max()) + 1
    remaining = [block != omitted for omitted in range(count)] if count > 1 else []
    if not remaining or any(len(np.unique(kinds[rows])) < len(np.unique(kinds)) for rows in remaining):
        return np.nan, np.nan
    samples = np.array([(_lacey(cells[rows], kinds[rows]), _segregation_of(pair, heights[rows], kinds[rows])) for rows in remaining])
    lacey_error, segregation_error = np.sqrt((count - 1) / count * np.sum((samples - samples.mean(axis=0)) ** 2, axis=0))
    return float(lacey_error), float(segregation_error)


def over_time(frames, by: str = "material", per_cell: float = PER_CELL) -> Mixing:
    """Lacey's index of each of the Snapshots; all use the cell size of the first one with particles.

    Raises UsageError if no frame has two kinds.
    """
    times, index, height_segregation, errors, side, rarest_per_cell = [], [], [], [], 0.0, 0.0
    present: set[int] = set()
    names: tuple[str, ...] = ()
    for frame in frames:
        kinds, names = frame.kinds(by)
        if side == 0.0 and len(frame):
            side = cell_side(frame, per_cell)
        times.append(frame.time)
        index.append(lacey(frame, kinds, side) if len(frame) else np.nan)
        height_segregation.append(segregation(frame, kinds) if len(frame) else np.nan)
        errors.append(jackknife_errors(frame, kinds, side) if len(frame) else (np.nan, np.nan))
        if len(frame):
            counts = np.bincount(kinds)
            cells = frame.volumes.sum() / PACKED / side**3
            rarest_per_cell = max(rarest_per_cell, float(counts[counts > 0].min() / cells))
        present |= set(np.unique(kinds).tolist())
    if len(present) < 2:
        raise UsageError(f"all particles have the same {by}; expected two or more kinds of particles")
    index_errors, segregation_errors = np.array(errors).T
    return Mixing(np.array(times), np.array(index), np.array(height_segregation), tuple(names[kind] for kind in sorted(present)), side,
                  rarest_per_cell, index_errors, segregation_errors)  # fmt: skip


def relaxation(times: np.ndarray, index: np.ndarray) -> tuple[float, float, float]:
    """tau, M_0 and M_inf of M(t) = M_inf + (M_0 - M_inf) exp(-(t - t_0)/tau) by least squares, with t_0 the first time.

    NaN if the values do not determine them: fewer than five, a straight line, or noise.
    """
    is_known = np.isfinite(index)
    times, index = times[is_known], index[is_known]
    if len(times) < MIN_TIMES:
        return (np.nan,) * 3
    elapsed = times - times[0]
    taus = np.geomspace(0.5 * np.diff(times).min(), 2.0 * elapsed[-1], 400)
    fits = []
    for tau in taus:
        decay = np.exp(-elapsed / tau)
        slope, end = np.polyfit(decay, index, 1)
        fits.append((np.sum((index - end - slope * decay) ** 2), tau, end + slope, end))
    best = min(range(len(fits)), key=lambda row: fits[row][0])
    residual, tau, first, end = fits[best]
    if best in (0, len(fits) - 1) or residual > MAX_RESIDUAL * np.sum((index - index.mean()) ** 2):
        return (np.nan,) * 3
    return float(tau), float(first), float(end)


def write_table(path, mixing: Mixing) -> None:
    notes = [f"Lacey's mixing index of {', '.join(mixing.kinds)} in cubes of {mixing.cell:.6g} m; SI units"]
    if len(mixing.kinds) == 2:
        notes.append(f"segregation_index: 1 where all of {mixing.kinds[1]} is above {mixing.kinds[0]}, -1 below, 0 at equal heights")
    tau, first, end = relaxation(mixing.times, mixing.index)
    if np.isfinite(tau):
        notes.append(f"Lacey's index relaxes from {first:.4g} to {end:.4g} in tau = {tau:.6g} s")
    notes.append(f"errors: jackknife over {BLOCKS} columns of the bed")
    columns = {"time": mixing.times, "lacey_index": mixing.index, "lacey_error": mixing.index_error,
               "segregation_index": mixing.segregation, "segregation_error": mixing.segregation_error}  # fmt: skip
    scree.table.write(path, notes, columns)


def draw(axes, results) -> None:
    """Draws the indices over time of {label: Mixing} into two axes."""
    for label, mixing in results.items():
        for panel, values, error in zip(axes, (mixing.index, mixing.segregation), (mixing.index_error, mixing.segregation_error)):
            panel.errorbar(mixing.times, values, np.nan_to_num(error), fmt="o-", markersize=3, linewidth=1.0, elinewidth=0.8, label=label)
        tau, first, end = relaxation(mixing.times, mixing.index)
        if np.isfinite(tau):
            curve_times = np.linspace(mixing.times[0], mixing.times[-1], 200)
            axes[0].plot(curve_times, end + (first - end) * np.exp(-(curve_times - curve_times[0]) / tau), "--", color="0.3", linewidth=1.0,
                         label=f"{label} τ = {tau:.3g} s".strip())  # fmt: skip
        warning = "" if mixing.rarest_per_cell >= MIN_COUNT else ": too small"
        axes[0].set_title(f"cubes of {1e3 * mixing.cell:.3g} mm{warning}", fontsize="medium")
    axes[0].axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    axes[0].set(xlabel="time $t$ [s]", ylabel="Lacey's mixing index $M$")
    lowest = min(np.min(mixing.index, where=np.isfinite(mixing.index), initial=0.0) for mixing in results.values())
    axes[0].set_ylim(lowest, max(1.1, axes[0].get_ylim()[1]))
    kinds = next(iter(results.values())).kinds
    axes[1].axhline(0.0, color="0.5", linestyle=":", linewidth=1.0)
    axes[1].set(xlabel="time $t$ [s]", ylim=(-1.1, 1.1), ylabel="segregation index $S$")
    if len(kinds) == 2:
        axes[1].set_title(f"1: {kinds[1]} above {kinds[0]}", fontsize="medium")


def figure_of(results):
    """A figure by `draw`, with a legend if a curve has a label."""
    figure, axes = scree.figure.panels(2, 2)
    draw(axes, results)
    if axes[0].get_legend_handles_labels()[1]:
        axes[0].legend(fontsize=scree.figure.SMALL)
    return figure
