#!/usr/bin/env python3
"""How well two materials or shapes are mixed, over time: Lacey's index from the counts in cubes.

0: apart; 1: as well as chance mixes them; a little above 1 by chance. Writes PREFIX.csv with time and index, and
PREFIX.png. The cubes hold --per-cell particles where these lie close, on the average; cubes at a surface hold fewer,
and count by what they hold. Formulas and source are in scree/mixing.py.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.figure
import scree.mixing
import scree.snapshot


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
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
    print(f"Lacey's index of {', '.join(result.kinds)}: {result.index[0]:.3f} at {result.times[0]:g} s, "
          f"{result.index[-1]:.3f} at {result.times[-1]:g} s")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
