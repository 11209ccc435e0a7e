"""How well kinds of particles are mixed: Lacey's index from the counts in cells.

P. M. C. Lacey, Developments in the theory of particle mixing, J. Appl. Chem. 4, 257 (1954).
"""

from __future__ import annotations

import dataclasses

import numpy as np

import scree.figure
import scree.table
from scree.errors import UsageError
from scree.snapshot import Snapshot

PER_CELL = 25.0  # particles in a cell where they lie, on the average
FIELDS = ("position", "radius", "material")


@dataclasses.dataclass
class Mixing:
    """Lacey's index of F frames."""

    times: np.ndarray  # [F] [s]
    index: np.ndarray  # [F]; 0 apart, 1 as chance mixes them; NaN where a frame has one kind
    kinds: tuple[str, ...]  # names
    cell: float  # side of the cells [m]


def cell_side(snapshot: Snapshot, per_cell: float = PER_CELL) -> float:
    """Side of cubes that hold so many of the particles where these lie, at 60 % of the volume [m]."""
    return float((per_cell * snapshot.volumes.mean() / 0.6) ** (1.0 / 3.0))


def lacey(snapshot: Snapshot, kinds: np.ndarray, side: float) -> float:
    """M = (s_0^2 - s^2) / (s_0^2 - s_r^2) of the kinds, [N], in cubes of this side [m]; NaN of one kind.

    s^2 is the variance of the shares p_i of a kind in the cells about its share p of all, each cell weighted by
    its particles and summed over the kinds; s_0^2 = p (1 - p), that of kinds apart; s_r^2 = p (1 - p) K / N, that of
    chance in K cells with N particles. Cells with a single particle tell nothing, and are left out.
    """
    place = np.floor((snapshot["position"] - snapshot.lower) / side).astype(int)
    _, cell, count = np.unique(place, axis=0, return_inverse=True, return_counts=True)
    counted = count[cell] > 1
    cells, cell = np.unique(cell[counted], return_inverse=True)
    count, kinds = count[cells], kinds[counted]
    apart = spread = 0.0
    for kind in np.unique(kinds):
        shares = np.bincount(cell, kinds == kind, minlength=len(cells)) / count
        mean = np.average(shares, weights=count)
        apart += mean * (1.0 - mean)
        spread += np.average((shares - mean) ** 2, weights=count)
    if apart == 0.0:
        return np.nan
    return float((apart - spread) / (apart * (1.0 - len(cells) / count.sum())))


def over_time(frames, by: str = "material", per_cell: float = PER_CELL) -> Mixing:
    """Lacey's index of each of the Snapshots; the cells are those of the first with particles.

    Raises UsageError if no frame has two kinds.
    """
    times, index, side = [], [], 0.0
    present: set[int] = set()
    names: tuple[str, ...] = ()
    for frame in frames:
        kinds, names = frame.kinds(by)
        if side == 0.0 and len(frame):
            side = cell_side(frame, per_cell)
        times.append(frame.time)
        index.append(lacey(frame, kinds, side) if len(frame) else np.nan)
        present |= set(np.unique(kinds).tolist())
    if len(present) < 2:
        raise UsageError(f"there is one {by} only: nothing to mix")
    return Mixing(np.array(times), np.array(index), tuple(names[kind] for kind in sorted(present)), side)


def write_table(path, mixing: Mixing) -> None:
    notes = [f"Lacey's mixing index of {', '.join(mixing.kinds)} in cubes of {mixing.cell:.6g} m; SI units"]
    scree.table.write(path, notes, {"time": mixing.times, "lacey_index": mixing.index})


def draw(axes, results) -> None:
    """The index over time of {label: Mixing}."""
    for label, mixing in results.items():
        axes.plot(mixing.times, mixing.index, "o-", markersize=3, linewidth=1.0, label=label)
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    axes.set(xlabel="time [s]", ylabel="Lacey's mixing index")
    axes.set_ylim(min(0.0, *(np.nanmin(mixing.index) for mixing in results.values())), 1.1)


def figure_of(results):
    """The drawing of `draw`, with a legend where there are several."""
    figure, axes = scree.figure.plt.subplots(figsize=(7.0, 3.5), layout="constrained")
    draw(axes, results)
    if len(results) > 1:
        axes.legend()
    return figure
