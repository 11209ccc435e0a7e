#!/usr/bin/env python3
"""Coarse-grained fields in a plane or along an axis: density, momentum, stress, temperature, coordination, fabric.

Averaged over snapshots, on the points of a grid. Stress and what else needs contacts come from snapshots of a run
with `output.contacts = yes`; of others they are empty. Formulas and sources are in scree/fields.py: a Gaussian of
standard deviation --width smooths along the axes of the grid, over the others the region is averaged. The fields
fulfil the balances of mass and momentum, with the force of the walls as wall_force_density. Near walls and ends of the
domain a Gaussian reaches beyond: densities fall there, solid_fraction does not, as it counts free space alone.

Without --plane and --axis the scene decides, as in profiles.py. Means over cells instead, of all the run and without
snapshots, are `[average.NAME]` of a scene.

Writes PREFIX.csv and PREFIX.png. Columns as in averages/*.csv of a run, in SI units: place, densities, velocity,
granular_temperature, kinetic_stress (6 components), contact_stress (9, the second index along the branch), both
positive under pressure, wall_force_density, coordination, fabric; with --by a column `kind` in front.
"""

import argparse

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.contacts
import scree.fields
import scree.figure
import scree.profiles
import scree.snapshot
import scree.units
import scree.view
import scree.wall_drawing
from scree.errors import UsageError

PANELS = (
    ("solid_fraction", "solid fraction"),
    ("pressure", "pressure [Pa]"),
    ("granular_temperature", "granular temperature [m²/s²]"),
    ("coordination", "coordination"),
)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser)
    _command_line.add_axes(parser)
    parser.add_argument(
        "--cells", type=_command_line.cells, metavar="N[xM]", help="points across the plane or along the axis "
        "(default: a sphere apart or more)",
    )  # fmt: skip
    parser.add_argument(
        "--width", nargs="+", metavar=("LENGTH", "UNIT"), help="of the Gaussian, its standard deviation "
        "(default: the mean radius)",
    )  # fmt: skip
    parser.add_argument("--by", choices=scree.fields.KINDS, default="all", help="fields of each of these (default: all)")
    return parser.parse_args()


def pressure(columns):
    """A third of the trace of kinetic and contact stress, the former alone where contacts are not known."""
    traces = [sum(columns[f"{part}_stress_{k}{k}"] for k in "xyz") for part in ("kinetic", "contact")]
    return (traces[0] + np.nan_to_num(traces[1])) / 3.0


def _figure(result, snapshot):
    """Panels of the first kind that has particles everywhere: all, or the first."""
    columns = result.columns()
    columns["pressure"] = pressure(columns)
    extent = np.ptp(result.points, axis=0)
    unit = scree.figure.length_unit(extent.max())
    figure, panels = scree.figure.plt.subplots(2, 2, figsize=(10.0, 7.0), layout="constrained")
    for axes, (name, label) in zip(panels.flat, PANELS):
        if len(result.axes) == 1:
            axes.plot(result.points[:, 0] / unit[1], columns[name], color=scree.figure.COLOURS[0])
            axes.set(xlabel=f"{'xyz'[result.axes[0]]} [{unit[0]}]", ylabel=label)
            axes.set_ylim(bottom=min(0.0, np.nanmin(columns[name], initial=0.0)))
            continue
        values = columns[name].reshape(result.shape, order="F")
        middles = [np.unique(result.points[:, k]) for k in range(2)]
        edges = [np.append(line - 0.5 * step, line[-1] + 0.5 * step) for line, step in
                 ((line, line[1] - line[0] if len(line) > 1 else extent.max()) for line in middles)]  # fmt: skip
        scree.figure.draw_map(axes, edges, values, label, unit, scree.profiles.colour_top(values))
        scree.wall_drawing.draw(axes, snapshot, scree.view.of_plane(snapshot, result.axes), unit[1])
        for set_label, axis in zip((axes.set_xlabel, axes.set_ylabel), result.axes):
            set_label(f"{'xyz'[axis]} [{unit[0]}]")
    return figure


def main():
    arguments = _arguments()
    paths, prefix = _command_line.snapshots(arguments, "fields")
    first = scree.snapshot.first_filled(paths)
    axes = _command_line.axes(arguments, first)
    region = _command_line.region(arguments, first)
    share = ((region.upper - region.lower) / (first.upper - first.lower))[list(axes)]
    counts = arguments.cells or tuple(
        int(count) for count in np.maximum(np.round(scree.profiles.cells(first, axes, len(paths), 0) * share), 1))
    if len(counts) != len(axes):
        raise UsageError(f"--cells must be {len(axes)} numbers here, as in {'150x65' if len(axes) == 2 else '150'}")
    width = float(first["radius"].mean()) if len(first) else None
    if arguments.width:
        width = _command_line.quantity(arguments.width, "--width", scree.units.METRES, 1)[0]
        if not width > 0.0:
            raise UsageError(f"--width {width:g} m must be greater than 0")
    frames = _command_line.told(scree.snapshot.read_frames(paths), len(paths), "snapshot")
    result = scree.fields.fields(frames, lambda _: region, axes, counts, width, arguments.by)
    scree.fields.write_table(f"{prefix}.csv", result, region)
    scree.figure.save(_figure(result, first), f"{prefix}.png")
    if not result.with_contacts:
        _command_line.warn("contact stress, coordination and fabric need snapshots of a run with output.contacts = yes")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
