#!/usr/bin/env python3
"""A heap or a collapse over time: profile of the surface, height, run-out, and stress on the base.

PREFIX.csv           for each snapshot height, run-out, and force on the base divided by the weight of the particles
PREFIX_profiles.csv  for each snapshot depth of the particles and stress on the base, as functions of the radius or of
    the position along an axis
PREFIX.png           the values of both tables

The profiles are means over rings about the vertical line through --centre, by default the mean position of the
particles in the first snapshot. With --along x they are means over slices along the axis, for example for a column that
collapses in a channel. The stress needs snapshots of a run with output.contacts = yes. Definitions and sources:
scree/heap.py. The figure `angle_of_repose` in a plan of study.py measures the angle of repose.
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
    _command_line.add_snapshots(parser, "beginning of the run")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--along", choices=("x", "y", "z"), help="slices along this axis instead of rings")
    group.add_argument("--centre", nargs="+", metavar=("X", "Y Z UNIT"), help="centre of the rings, for example 0 0 0 cm")
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "heap", with_first_half=True, over_time=True)
    centre = None
    if arguments.centre:
        centre = _command_line.quantity(arguments.centre, "--centre", scree.units.METRES, 3)
    axis = "xyz".index(arguments.along) if arguments.along else None
    result = scree.heap.over_time(scree.snapshot.read_frames(paths), axis, centre)
    written = scree.heap.write_tables(prefix, result)
    scree.figure.save(scree.heap.figure_of(result), f"{prefix}.png")
    _command_line.print_written(*written, f"{prefix}.png")
    print(f"height {1e3 * result.height[-1]:.4g} mm, run-out {1e3 * result.runout[-1]:.4g} mm at {result.times[-1]:g} s")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
