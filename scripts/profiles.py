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
snapshots. solid_fraction has of a sphere what lies in a cell, and is over the space that walls leave there, `free_share`. Along an
axis, of several snapshots, there are NAME_error of what is drawn: standard errors over the snapshots, taken as independent. In a [cell] the
cells of the grid go with its edges, and densities are over their volumes in each snapshot; places are those in the last.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.profiles
import scree.snapshot


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_grid(parser, "cells across the plane or along the axis (default: a sphere or more)")
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "profile")
    axes, counts, region, region_of = _command_line.grid(arguments, paths)
    frames = scree.snapshot.read_frames(paths, scree.profiles.FIELDS)
    result = scree.profiles.profile(frames, region_of, axes, counts)
    scree.profiles.write_table(f"{prefix}.csv", result, region)
    last = scree.snapshot.read_snapshot(paths[-1], scree.profiles.FIELDS)
    scree.profiles.write_picture(f"{prefix}.png", result, last, region)
    _command_line.wrote(f"{prefix}.csv", f"{prefix}.png", over=result.times)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
