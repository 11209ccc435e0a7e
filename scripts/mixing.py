#!/usr/bin/env python3
"""How well two materials or shapes are mixed, over time: Lacey's index from the counts in cubes, and a segregation index.

Lacey's index M, 0: apart; 1: as well as chance mixes them; a little above 1 by chance. The cubes hold --per-cell particles
where these lie close, on the average; cubes at a surface hold fewer, and count by what they hold. Where a cube holds less
than one particle of a kind, M is no measure, and the script prints a warning.

The segregation index S depends on heights alone, not on cubes: the chance that a particle of the second kind lies above
one of the first, less that of the opposite. 1: all of the second kind above the first; -1: all below; 0: none is higher, as
in a good mixture, but also side by side. The first and the second are as in the scene; the table's head names them. Of more
kinds than two it is that of the pair which is farthest apart.

Where Lacey's index relaxes, M = M_inf + (M_0 - M_inf) exp(-t/tau) is fitted to it; the figure, the table's head and the last line
have the time tau.

Writes PREFIX.csv with time and both, and PREFIX.png. Formulas are in the manual's page on results, the source in
scree/mixing.py.
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
    _command_line.add_snapshots(parser, "begin of the run")
    parser.add_argument("--by", choices=("material", "shape"), default="material", help="default: material")
    parser.add_argument(
        "--per-cell", type=_command_line.positive, default=scree.mixing.PER_CELL, metavar="N",
        help=f"particles in a cube (default: {scree.mixing.PER_CELL:g})",
    )
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "mixing", with_first=True)
    frames = scree.snapshot.read_frames(paths, None if arguments.by == "shape" else scree.mixing.FIELDS)
    result = scree.mixing.over_time(frames, arguments.by, arguments.per_cell)
    scree.mixing.write_table(f"{prefix}.csv", result)
    scree.figure.save(scree.mixing.figure_of({"": result}), f"{prefix}.png")
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png")
    for name, values in (("Lacey's", result.index), ("segregation", result.segregation)):
        print(f"{name} index of {', '.join(result.kinds)}: {values[0]:.3f} at {result.times[0]:g} s, "
              f"{values[-1]:.3f} at {result.times[-1]:g} s")
    tau, first, end = scree.mixing.relaxation(result.times, result.index)
    if np.isfinite(tau):
        print(f"relaxes from {first:.3f} to {end:.3f} in tau = {tau:.3g} s")
    if result.rarest < scree.mixing.MIN_COUNT:
        _command_line.warn(f"a cube of {1e3 * result.cell:.3g} mm holds {result.rarest:.2g} particles of the rarest kind: Lacey's "
                           "index cannot distinguish from mixed; a larger --per-cell may, or the segregation index")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
