#!/usr/bin/env python3
"""Draws a snapshot: spheres coloured by speed, seen from above and from the side, in one PNG."""

import argparse
import configparser
import pathlib
import sys

import _environment

_environment.require("numpy", "scipy", "h5py", "matplotlib")

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import scipy.spatial
from matplotlib.collections import EllipseCollection
from matplotlib.colors import Normalize

import _snapshot
import _walls

# Title, horizontal and vertical axis, viewing axis, its sign towards the viewer.
VIEWS = (("top view, from +z", 0, 1, 2, +1.0), ("side view, from −y", 0, 2, 1, -1.0))
MARGIN = {"left": 0.8, "right": 1.3, "bottom": 0.6, "top": 0.7, "between": 0.9}  # [inch]
LARGEST = (12.0, 10.0)  # space for the drawings [inch]
WALL_COLOUR = "0.75"


def _length_unit(extent):
    """Unit that gives handy numbers for lengths up to `extent` [m]: (name, metres)."""
    for name, metres in (("mm", 1e-3), ("cm", 1e-2)):
        if extent < 50 * metres:
            return name, metres
    return "m", 1.0


def _axes(snapshot, dpi):
    """A figure with one drawing area per view, all at the same scale: (figure, [axes])."""
    extent = snapshot.upper - snapshot.lower
    heights = np.array([extent[vertical] for _, _, vertical, _, _ in VIEWS])
    scale = min(LARGEST[0] / extent[0], LARGEST[1] / heights.sum())  # inch per metre
    width = scale * extent[0] + MARGIN["left"] + MARGIN["right"]
    height = scale * heights.sum() + MARGIN["bottom"] + MARGIN["between"] + MARGIN["top"]
    figure = plt.figure(figsize=(width, height), dpi=dpi)
    axes = []
    top = height - MARGIN["top"]
    for view_height in scale * heights:
        top -= view_height
        size = (scale * extent[0] / width, view_height / height)
        axes.append(figure.add_axes((MARGIN["left"] / width, top / height, *size)))
        top -= MARGIN["between"]
    return figure, axes


def _visible_walls(snapshot):
    """Parts that reach into the domain, one list of solids per wall."""
    try:
        solids = _walls.bounded_walls(snapshot.configuration, snapshot.time)
    except (configparser.Error, ValueError) as error:
        raise _snapshot.SnapshotError(
            f"'{snapshot.path}' carries a configuration whose walls cannot be read: {error}"
        ) from error
    walls = {}
    for solid in solids:
        if np.all(solid.points.min(axis=0) < snapshot.upper) and np.all(
            solid.points.max(axis=0) > snapshot.lower
        ):
            walls.setdefault(solid.wall, []).append(solid)
    return list(walls.values())


def _draw_wall(axes, outlines, zorder):
    """The union of convex outlines, each [K, 2]: the fills cover the edges inside the union."""
    for outline in outlines:
        axes.fill(*outline.T, edgecolor="black", linewidth=2.0, snap=False, zorder=zorder)
    for outline in outlines:
        axes.fill(*outline.T, facecolor=WALL_COLOUR, linewidth=0.0, snap=False, zorder=zorder + 1)


def _draw_discs(axes, centres, radii, speeds, style):
    """Filled discs at true scale; the last lies on top.  centres [M, 2], radii [M], speeds [M]."""
    diameters = 2.0 * radii
    discs = EllipseCollection(
        diameters, diameters, np.zeros(len(radii)), units="xy", offsets=centres,
        transOffset=axes.transData, linewidths=0.15, edgecolors="black", **style,
    )
    discs.set_array(speeds)
    axes.add_collection(discs)


def _draw_view(axes, snapshot, view, unit, style):
    """Paints from far to near: spheres and walls in the order of their centres."""
    title, horizontal, vertical, depth_axis, towards = view
    name, metres = unit
    plane = [horizontal, vertical]

    def wall_depth(wall):
        return np.mean([towards * solid.points[:, depth_axis].mean() for solid in wall])

    depth = towards * snapshot["position"][:, depth_axis]
    order = np.argsort(depth, kind="stable")
    walls = sorted(_visible_walls(snapshot), key=wall_depth)
    layers = np.split(order, np.searchsorted(depth[order], [wall_depth(wall) for wall in walls]))
    for index, rows in enumerate(layers):
        centres = snapshot["position"][rows][:, plane] / metres
        radii = snapshot["radius"][rows] / metres
        _draw_discs(axes, centres, radii, snapshot.speed[rows], {**style, "zorder": 3 * index})
        if index < len(walls):
            shadows = [solid.points[:, plane] / metres for solid in walls[index]]
            outlines = [shadow[scipy.spatial.ConvexHull(shadow).vertices] for shadow in shadows]
            _draw_wall(axes, outlines, 3 * index + 1)
    axes.set(
        title=title, xlabel=f"{'xyz'[horizontal]} [{name}]", ylabel=f"{'xyz'[vertical]} [{name}]",
        xlim=(snapshot.lower[horizontal] / metres, snapshot.upper[horizontal] / metres),
        ylim=(snapshot.lower[vertical] / metres, snapshot.upper[vertical] / metres),
    )


def render(snapshot, output, max_speed=None, dpi=150):
    """Writes the picture of a Snapshot to `output`.

    max_speed is the upper end of the colour scale [m/s]; None takes the speed that 99.9 % of the
    particles do not exceed, so that one outlier does not wash out the rest.
    """
    speed = snapshot.speed
    if max_speed is None:
        max_speed = np.quantile(speed, 0.999) if len(speed) else 0.0
    norm = Normalize(0.0, max_speed if max_speed > 0 else 1.0)
    style = {"cmap": "viridis", "norm": norm}
    figure, axes = _axes(snapshot, dpi)
    unit = _length_unit(np.max(snapshot.upper - snapshot.lower))
    for view, view_axes in zip(VIEWS, axes):
        _draw_view(view_axes, snapshot, view, unit, style)
    bar_left = axes[0].get_position().x1 + 0.2 / figure.get_figwidth()
    bottom, top = axes[-1].get_position().y0, axes[0].get_position().y1
    bar = figure.add_axes((bar_left, bottom, 0.2 / figure.get_figwidth(), top - bottom))
    extend = "max" if len(speed) and speed.max() > norm.vmax else "neither"
    colours = matplotlib.cm.ScalarMappable(norm, style["cmap"])
    figure.colorbar(colours, cax=bar, extend=extend, label="speed [m/s]")
    caption = f"t = {snapshot.time:.6g} s, {len(snapshot)} particles"
    figure.suptitle(caption, y=1.0 - 0.1 / figure.get_figheight(), va="top")
    figure.savefig(output)
    plt.close(figure)


def _positive(text):
    value = float(text)
    if not 0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"'{text}' must be greater than 0")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=pathlib.Path, help="HDF5 file of a run")
    parser.add_argument(
        "--output", type=pathlib.Path, help="PNG to write (default: beside the snapshot)"
    )
    parser.add_argument(
        "--max-speed", type=_positive, metavar="M_PER_S",
        help="upper end of the colour scale (default: 99.9 %% of the particles lie below)",
    )
    parser.add_argument("--dpi", type=_positive, default=150, help="pixels per inch (default: 150)")
    arguments = parser.parse_args()
    snapshot = _snapshot.read_snapshot(arguments.snapshot, ("position", "velocity", "radius"))
    output = arguments.output or arguments.snapshot.with_suffix(".png")
    try:
        render(snapshot, output, arguments.max_speed, arguments.dpi)
    except OSError as error:
        print(f"error: '{output}' cannot be written: {error}", file=sys.stderr)
        return 5
    return 0


if __name__ == "__main__":
    _snapshot.run(main)
