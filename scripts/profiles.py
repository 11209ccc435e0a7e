#!/usr/bin/env python3
"""Profiles of velocity, spin and density in the cells of a plane or along an axis.

Profiles are averages over snapshots. The region is divided into equal cells across a plane (--plane xy) or along an
axis (--axis x); cells have the whole extent of the region in the other directions. A sphere counts fully in the cell
that contains its centre. Without --plane and --axis the choice depends on the scene: if the domain is periodic along
two axes, the third axis; otherwise the plane perpendicular to the shortest side. Cells are as wide as a sphere if cells
inside the bed then have 8 samples or more (150 x 65 cells in the channel of T. Preclik, S. Eibl, U. Ruede,
arXiv:1706.00221, figures 10 and 11), otherwise larger.

Writes PREFIX.csv and PREFIX.png. Columns are named as in averages/*.csv of a run, in SI units: centre of the cell,
`samples` (particles times snapshots), mean velocity and its norm `velocity_norm`, `speed` (the mean of the norms), the
same for the spin as angular_*, number_density, mass_density, solid_fraction. Velocities are means over the samples and
empty without samples; densities are means over the snapshots. For solid_fraction the volume of a sphere is divided
among the cells, and the volume of a cell is its free space (`free_share` is the free fraction). For one axis and
several snapshots the column NAME_error is the standard error of the drawn column NAME over the snapshots, which are
assumed to be independent. With a periodic [cell] the grid deforms with its edges: densities use the volumes in each
snapshot, and positions are those in the last snapshot.

--over-time, with one axis, writes a profile of each snapshot and draws them as space-time diagrams. --about z
averages about an axis, in rings with radius r and height z: columns r and z, velocity_r, velocity_theta (positive for
a right-handed rotation) and velocity_z. The axis passes through --centre, by default the middle of the domain.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.axisymmetric
import scree.figure
import scree.grid
import scree.profiles
import scree.snapshot
import scree.units
from scree.errors import UsageError


def _write_rings(arguments, paths, prefix):
    """Writes table and picture of the averages about the axis of --about."""
    if arguments.plane or arguments.axis or arguments.over_time or arguments.lower or arguments.upper:
        raise UsageError("--about cannot be combined with --plane, --axis, --over-time, --lower and --upper")
    last = scree.snapshot.first_filled(reversed(paths), scree.profiles.FIELDS)
    centre = 0.5 * (last.lower + last.upper)
    if arguments.centre:
        centre = _command_line.quantity(arguments.centre, "--centre", scree.units.METRES, 3)
    axis = "xyz".index(arguments.about)
    if arguments.cells and len(arguments.cells) != 2:
        raise UsageError("--cells must be 2 numbers with --about, of rings and of layers along the axis, as in 20x30")
    frames = scree.snapshot.read_frames(paths, scree.profiles.FIELDS)
    edges = scree.axisymmetric.edges(last, axis, centre, arguments.cells)
    result = scree.axisymmetric.profile(frames, axis, centre, edges)
    scree.axisymmetric.write_table(f"{prefix}.csv", result)
    scree.figure.save(scree.axisymmetric.figure_of(result), f"{prefix}.png", averaged_times=result.times)
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png", averaged_times=result.times)


def _write_over_time(arguments, paths, prefix):
    """Writes table and picture of the profiles of all snapshots along one axis."""
    axes, counts, region, region_of = _command_line.grid(arguments, paths)
    if len(axes) != 1:
        raise UsageError("--over-time needs one axis; give --axis x, y or z")
    frames = scree.snapshot.read_frames(paths, scree.profiles.FIELDS)
    grids = scree.profiles.over_time(frames, region_of, axes[0], counts[0])
    scree.profiles.write_series(f"{prefix}.csv", grids, region)
    scree.figure.save(scree.profiles.series_figure(grids), f"{prefix}.png")
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png")


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_grid(parser, "cells across the plane or along the axis (default: at least a sphere wide)")
    parser.add_argument("--over-time", action="store_true", help="a profile along --axis for each snapshot")
    parser.add_argument("--about", choices=scree.grid.AXES, help="averages in rings about this axis")
    parser.add_argument("--centre", nargs="+", metavar=("X", "Y Z UNIT"), help="a point of that axis, for example 0 0 0 cm")
    arguments = parser.parse_args()
    if arguments.centre and not arguments.about:
        raise UsageError("--centre is a point of the axis of --about, which is missing")
    over_time = arguments.over_time
    paths, prefix = _command_line.snapshots(arguments, "profile", with_first_half=over_time, over_time=over_time)
    if arguments.about or over_time:
        (_write_rings if arguments.about else _write_over_time)(arguments, paths, prefix)
        return 0
    axes, counts, region, region_of = _command_line.grid(arguments, paths)
    frames = scree.snapshot.read_frames(paths, scree.profiles.FIELDS)
    result = scree.profiles.profile(frames, region_of, axes, counts)
    scree.profiles.write_table(f"{prefix}.csv", result, region)
    last = scree.snapshot.read_snapshot(paths[-1], scree.profiles.FIELDS)
    scree.profiles.write_picture(f"{prefix}.png", result, last, region)
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png", averaged_times=result.times)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
