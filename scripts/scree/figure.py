"""What figures share: colours, length units, outlines of walls, maps of colours."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.spatial

DPI = 150
COLOUR_MAP = "viridis"
WALL_COLOUR = "0.75"
# Told apart in colour blindness too (M. Okabe, K. Ito, "Color Universal Design", 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def save(figure, path, dpi=DPI):
    """Writes and closes the figure."""
    figure.savefig(path, dpi=dpi)
    plt.close(figure)


def length_unit(extent):
    """Unit that gives handy numbers for lengths up to `extent` [m]: (name, metres)."""
    for name, metres in (("mm", 1e-3), ("cm", 1e-2)):
        if extent < 50 * metres:
            return name, metres
    return "m", 1.0


def outline(points):
    """Convex outline of points [K, 2]: [L, 2]."""
    return points[scipy.spatial.ConvexHull(points).vertices]


def draw_union(axes, outlines, zorder):
    """The union of convex outlines, each [K, 2]: the fills cover the edges inside the union."""
    for points in outlines:
        axes.fill(*points.T, edgecolor="black", linewidth=2.0, snap=False, zorder=zorder)
    for points in outlines:
        axes.fill(
            *points.T, facecolor=WALL_COLOUR, linewidth=0.0, snap=False, zorder=zorder + 1
        )


def draw_bar(axes, artist, label, above):
    """The colour bar of an artist beside axes of equal scales, slim where they are high and narrow.

    above: whether there are values above the scale
    """
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    slim = np.clip(15.0 * (top - bottom) / (right - left), 20.0, 40.0)
    axes.figure.colorbar(
        artist, ax=axes, label=label, extend="max" if above else "neither", extendfrac=0.03, aspect=slim, pad=0.02
    )


def draw_map(axes, edges, values, label, unit, top=None):
    """A colour map of values [nx, ny] over a plane, with its colour bar; NaN is left white.

    edges: those of the cells along both axes of the plane, ([nx + 1], [ny + 1]) [m]
    unit: (name, metres) of the axes
    top: upper end of the colour scale; None takes the greatest value
    """
    name, metres = unit
    mesh = axes.pcolormesh(
        edges[0] / metres, edges[1] / metres, np.ma.masked_invalid(values).T, cmap=COLOUR_MAP,
        vmin=0.0, vmax=top, rasterized=True,
    )
    axes.set_aspect("equal")
    axes.set_xlim(edges[0][0] / metres, edges[0][-1] / metres)
    axes.set_ylim(edges[1][0] / metres, edges[1][-1] / metres)
    above = top is not None and np.nanmax(values, initial=0.0) > top
    draw_bar(axes, mesh, label, above)
