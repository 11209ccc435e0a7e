#!/usr/bin/env python3
"""Coarse-grained fields in a plane or along an axis: density, momentum, stress, temperature, coordination, fabric.

Fields are averages over snapshots, on the points of a grid. Contact stress, coordination and fabric need snapshots of a
run with `output.contacts = yes`; otherwise they are empty. A Gaussian of standard deviation --width smooths along the
axes of the grid. Along the other axes fields are averaged over the region. The fields satisfy the balances of mass and
momentum, in which wall_force_density is the force of the walls. Near walls and ends of the domain densities decrease,
because the Gaussian reaches beyond them. solid_fraction and pressure do not, because they refer to free space only.
Formulas and sources: scree/fields.py.

Without --plane and --axis the grid is chosen from the scene, as in profiles.py. `[average.NAME]` of a scene gives
averages over cells instead, which cover the whole run and need no snapshots.

Writes PREFIX.csv and PREFIX.png, and for a plane PREFIX_velocity.png with streamlines of the mean velocity. Columns are
named as in averages/*.csv of a run, in SI units: position, densities, velocity, granular_temperature, kinetic_stress (6
components) and contact_stress (9 components, the second index is that of the branch), both positive under pressure,
wall_force_density, coordination (touching neighbours), fabric, pressure (a third of the trace of the sum of both
stresses, or of the kinetic stress if no contacts are known, divided by the fraction of free space). With --by the first
column is `kind`. For one axis and several snapshots the column NAME_error is the standard error of the drawn
column NAME over the snapshots, which are assumed to be independent.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.fields
import scree.figure
import scree.grid
import scree.snapshot
import scree.units
from scree.errors import UsageError

PANELS = {name: scree.units.LABELS[name] for name in scree.fields.PANELS}


def _figure(result, snapshot):
    """The picture of the first kind in the result; fields without values have no panel."""
    grid, panels = result.grid(), dict(PANELS)
    if not result.with_contacts:
        panels["pressure"] = "kinetic pressure\n(no contacts) [Pa]"
    panels = [panel for panel in panels.items() if np.isfinite(grid.columns[panel[0]]).any()]
    return scree.grid.figure_of(grid, panels, snapshot, is_smooth=True)


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_grid(parser, "points across the plane or along the axis (default: at least a sphere apart)")
    parser.add_argument("--width", nargs="+", metavar=("LENGTH", "UNIT"),
                        help="standard deviation of the Gaussian (default: the mean radius)")  # fmt: skip
    parser.add_argument("--by", choices=scree.fields.KINDS, default="all", help="separate fields for each material, shape and so on (default: all together)")
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "fields")
    first = scree.snapshot.first_filled(paths)
    axes, counts, region, region_of = _command_line.grid(arguments, paths, samples=0)
    width = float(first["radius"].mean()) if len(first) else None
    if arguments.width:
        width = _command_line.quantity(arguments.width, "--width", scree.units.METRES, 1)[0]
        if not width > 0.0:
            raise UsageError(f"--width {width:g} m must be greater than 0")
    frames = _command_line.progress(scree.snapshot.read_frames(paths), len(paths), "snapshot")
    result = scree.fields.fields(frames, region_of, axes, counts, width, arguments.by)
    scree.fields.write_table(f"{prefix}.csv", result, region)
    figure = _figure(result, scree.snapshot.read_snapshot(paths[-1]))
    scree.figure.save(figure, f"{prefix}.png", averaged_times=result.times, where=scree.grid.across(region, axes))
    written = [f"{prefix}.csv", f"{prefix}.png"]
    if len(axes) == 2:
        written.append(f"{prefix}_velocity.png")
        figure = scree.grid.streamline_figure(result.grid(), scree.snapshot.read_snapshot(paths[-1]))
        scree.figure.save(figure, written[-1], averaged_times=result.times, where=scree.grid.across(region, axes))
    _command_line.print_written(*written, averaged_times=result.times)
    if not result.with_contacts:
        _command_line.warn("contact stress, coordination and fabric need snapshots of a run with output.contacts = yes")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
