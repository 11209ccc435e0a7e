#!/usr/bin/env python3
"""Profiles of velocity, spin and density in the cells of a plane or along an axis.

Averaged over snapshots. A region is cut into equal cells across a plane (--plane xy) or along an axis
(--axis x), over its whole extent in the other directions. A sphere counts whole in the cell that
holds its centre. Without --plane and --axis the scene decides: the plane that looks along its shortest
side; the third axis where it repeats along the other two. Cells are a sphere wide if that leaves eight
of them in a cell where they lie (150 x 65 in the channel of T. Preclik, S. Eibl, U. Ruede,
arXiv:1706.00221, figures 10 and 11), else larger.

Writes PREFIX.csv and PREFIX.png. Columns, in SI units, as in averages/*.csv of a run: centre of the
cell, `samples` (particles times snapshots), mean velocity and its norm `velocity_norm`, `speed` (the
mean of the norms), the same for the spin as angular_*, number_density, mass_density, solid_fraction.
Velocities are means over the samples, empty where there are none; densities are means over the
snapshots, and the volume of walls and obstacles is not taken off that of the cells.
"""

import argparse

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.profiles
import scree.snapshot
from scree.errors import UsageError

EXAMPLE = {2: "150x65", 1: "150"}  # by the number of axes


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser)
    _command_line.add_axes(parser)
    parser.add_argument(
        "--cells", type=_command_line.cells, metavar="N[xM]",
        help="cells across the plane or along the axis (default: a sphere or more)",
    )
    return parser.parse_args()


def _cells_of_region(snapshot, axes, frames, arguments):
    """`cells` for the region of the options: as wide as they would be in the domain."""
    region = _command_line.region(arguments, snapshot)
    share = ((region.upper - region.lower) / (snapshot.upper - snapshot.lower))[list(axes)]
    counts = scree.profiles.cells(snapshot, axes, frames)
    return tuple(int(count) for count in np.maximum(np.round(counts * share), 1))


def main():
    arguments = _arguments()
    paths, prefix = _command_line.snapshots(arguments, "profile")
    first = scree.snapshot.first_filled(paths, scree.profiles.FIELDS)
    axes = _command_line.axes(arguments, first)
    counts = arguments.cells or _cells_of_region(first, axes, len(paths), arguments)
    if len(counts) != len(axes):
        raise UsageError(f"--cells must be {len(axes)} numbers here, as in {EXAMPLE[len(axes)]}")
    last = None

    def frames():
        nonlocal last
        for last in scree.snapshot.read_frames(paths, scree.profiles.FIELDS):
            yield last

    result = scree.profiles.profile(frames(), lambda frame: _command_line.region(arguments, frame), axes, counts)
    scree.profiles.write_table(f"{prefix}.csv", result, _command_line.region(arguments, last))
    if len(axes) == 2:
        scree.profiles.write_maps(f"{prefix}.png", result, last)
    else:
        scree.profiles.write_lines(f"{prefix}.png", result)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
