#!/usr/bin/env python3
"""A heap or a collapse over time: profile of the surface, height, run-out, and stress on the base.

PREFIX.csv           height, run-out, and load of the base over the weight of the grains, of each snapshot
PREFIX_profiles.csv  depth of the grains and stress on the base over the radius, or over the place along an axis, of each snapshot
PREFIX.png           both

Rings are about the vertical line through --centre, the mean place of the first snapshot's grains unless given; with --along x
there are slices along an axis, as of a column that collapses in a channel. The stress needs snapshots of a run with
output.contacts = yes. Definitions and sources: scree/heap.py; the angle of repose is a measure of studies (repose in study.py).
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.figure
import scree.heap
import scree.snapshot
import scree.units


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser, "begin of the run")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--along", choices=("x", "y", "z"), help="slices along this axis in place of rings")
    way.add_argument("--centre", nargs="+", metavar=("X", "Y Z UNIT"), help="of the rings, for example 0 0 0 cm")
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "heap", with_first=True)
    centre = None
    if arguments.centre:
        centre = _command_line.quantity(arguments.centre, "--centre", scree.units.METRES, 3)
    along = "xyz".index(arguments.along) if arguments.along else None
    result = scree.heap.over_time(scree.snapshot.read_frames(paths), along, centre)
    written = scree.heap.write_tables(prefix, result)
    scree.figure.save(scree.heap.figure_of(result), f"{prefix}.png")
    _command_line.print_written(*written, f"{prefix}.png")
    print(f"height {1e3 * result.height[-1]:.4g} mm, run-out {1e3 * result.runout[-1]:.4g} mm at {result.times[-1]:g} s")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
