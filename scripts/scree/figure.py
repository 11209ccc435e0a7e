"""What figures share: colours, panels, length units, outlines of walls, colour bars."""

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


def panels(count, across, size=(5.0, 3.5), **others):
    """A figure of panels of a size [inch], at most so many beside each other: (figure, [axes])."""
    columns = min(across, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(columns * size[0], rows * size[1]), squeeze=False,
                                layout="constrained", **others)  # fmt: skip
    for unused in axes.flat[count:]:
        unused.set_axis_off()
    return figure, list(axes.flat[:count])


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
