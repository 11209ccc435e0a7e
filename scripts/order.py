#!/usr/bin/env python3
"""Order of a packing over time: Voronoi solid fractions, bond-orientational order, orientational order of bodies.

PREFIX.csv        one row per snapshot: mean and standard deviation of the solid fractions phi_i in the particles'
    Voronoi cells, the fraction of particles with a phi_i, and the mean Q_6. For each shape with a long or a flat axis
    also the nematic order S (1: all parallel), for each shape with faces at right angles the cubatic order C (1: all
    equal up to rotations by 90 degrees)
PREFIX_cells.csv  phi_i and Q_6 of each particle in the last snapshot. phi_i is empty if the cell is open to a free
    surface or to a wall that is not flat; Q_6 is 0 with fewer than four neighbours
PREFIX.png        the distributions of phi_i and of Q_6 over all snapshots; S and C over time where they exist

Cells end at flat walls but continue across periodic faces. Definitions and sources: scree/voronoi.py,
scree/bond_order.py, scree/orientation.py.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.bond_order
import scree.figure
import scree.means
import scree.orientation
import scree.snapshot
import scree.table
import scree.voronoi
from scree.errors import UsageError

BINS = 40


def _order_of(frame):
    """(numbers {name: value}, phi_i [N], Q_6 [N]) of a Snapshot."""
    fractions, q6 = scree.voronoi.solid_fractions(frame), scree.bond_order.q6(frame)
    finite = fractions[np.isfinite(fractions)]
    mean, spread = (finite.mean(), finite.std()) if len(finite) else (np.nan, np.nan)
    numbers = {"time": frame.time, "voronoi_fraction": mean, "voronoi_deviation": spread,
               "with_cell": len(finite) / len(frame), "q6": q6.mean()}  # fmt: skip
    return numbers | {name.replace(" ", "_"): value for name, value in scree.orientation.orders(frame).items()}, fractions, q6


def _figure(rows, fractions, q6):
    names = [name for name in rows if name.startswith(("nematic", "cubatic"))]
    figure, panels = scree.figure.panels(2 + bool(names), 2)
    for axes, values, label in zip(panels, (fractions[np.isfinite(fractions)], q6[q6 > 0.0]),
                                   ("local solid fraction $φ_i$", "bond order $Q_6$")):  # fmt: skip
        if len(values):
            axes.hist(values, BINS, density=True, alpha=0.7)
            axes.set_title(f"mean {values.mean():.3f}, deviation {values.std():.3f}", fontsize="medium")
        axes.set(xlabel=label, ylabel="probability density")
    for name in names:
        panels[2].plot(rows["time"], rows[name], ".-", linewidth=1.0, label=name.replace("_", " "))
    if names:
        panels[2].set(xlabel="time $t$ [s]", ylabel="orientational order", ylim=(min(0.0, *(rows[name].min() for name in names)), 1.05))
        panels[2].legend(fontsize=scree.figure.SMALL, frameon=False)
    return figure


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "order")
    frames = _command_line.progress(scree.snapshot.read_frames(paths), len(paths), "snapshot")
    results, last = [], None
    for frame in frames:
        if len(frame):
            results.append(_order_of(frame))
            last = frame
    if not results:
        raise UsageError("there are no particles in any of the snapshots")
    numbers, fractions, q6 = zip(*results)
    names = dict.fromkeys(name for numbers_of_frame in numbers for name in numbers_of_frame)
    rows = {name: np.array([numbers_of_frame.get(name, np.nan) for numbers_of_frame in numbers]) for name in names}
    scree.table.write(f"{prefix}.csv", ["order of the packing; formulas: scripts/order.py --help"], rows)
    columns = {"id": last["id"], "voronoi_fraction": fractions[-1], "q6": q6[-1]}
    scree.table.write(f"{prefix}_cells.csv", [f"Voronoi solid fraction and Q_6 at {last.time:g} s"], columns)
    figure = _figure(rows, np.concatenate(fractions), np.concatenate(q6))
    scree.figure.save(figure, f"{prefix}.png", averaged_times=rows["time"])
    _command_line.print_written(f"{prefix}.csv", f"{prefix}_cells.csv", f"{prefix}.png", averaged_times=rows["time"])
    return 0


if __name__ == "__main__":
    _command_line.run(main)
