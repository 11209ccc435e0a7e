#!/usr/bin/env python3
"""Mixing of two materials or shapes over time: Lacey's index from counts in cubes, and a segregation index.

Lacey's index M is 0 if the kinds are separate and 1 if they are mixed at random; it may be slightly above 1 by chance.
Inside the bed a cube contains --per-cell particles on average. Cubes at a surface contain fewer, and their weight is
smaller. If a cube contains on average less than one particle of a kind, M is meaningless, and there is a warning.

The segregation index S depends only on heights, not on cubes. It is the probability that a particle of the second
kind is above one of the first kind, minus the probability of the opposite. 1: the second kind is completely above the
first; -1: completely below; 0: neither is higher, as in a good mixture but also if both are side by side. The head of
the table names the first and the second kind, in the order of the scene. With more than two kinds S is the value of the
pair with the largest |S|.

If Lacey's index relaxes, M = M_inf + (M_0 - M_inf) exp(-t/tau) is fitted. The time tau is in the figure, in the head of
the table and in the last printed line.

Errors are from a jackknife: the bed is divided into 16 columns, and each is left out in turn.

Writes PREFIX.csv with time, both indices and their errors, and PREFIX.png. Formulas are in the manual's page on
results, the source is in scree/mixing.py.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.figure
import scree.mixing
import scree.snapshot


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser, "beginning of the run")
    parser.add_argument("--by", choices=("material", "shape"), default="material", help="property that distinguishes the kinds (default: material)")
    parser.add_argument(
        "--per-cell", type=_command_line.positive, default=scree.mixing.PER_CELL, metavar="N",
        help=f"particles in a cube (default: {scree.mixing.PER_CELL:g})",
    )
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "mixing", with_first_half=True, over_time=True)
    frames = scree.snapshot.read_frames(paths, None if arguments.by == "shape" else scree.mixing.FIELDS)
    result = scree.mixing.over_time(frames, arguments.by, arguments.per_cell)
    scree.mixing.write_table(f"{prefix}.csv", result)
    scree.figure.save(scree.mixing.figure_of({"": result}), f"{prefix}.png")
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png")
    for name, values, error in (("Lacey's", result.index, result.index_error),
                                ("segregation", result.segregation, result.segregation_error)):  # fmt: skip
        print(f"{name} index of {', '.join(result.kinds)}: {values[0]:.3f} ± {error[0]:.3f} at {result.times[0]:g} s, "
              f"{values[-1]:.3f} ± {error[-1]:.3f} at {result.times[-1]:g} s")
    tau, first, end = scree.mixing.relaxation(result.times, result.index)
    if np.isfinite(tau):
        print(f"relaxes from {first:.3f} to {end:.3f} in tau = {tau:.3g} s")
    if result.rarest_per_cell < scree.mixing.MIN_COUNT:
        _command_line.warn(f"a cube of {1e3 * result.cell:.3g} mm holds {result.rarest_per_cell:.2g} particles of the rarest "
                           "kind, too few for Lacey's index; use a larger --per-cell or the segregation index")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
