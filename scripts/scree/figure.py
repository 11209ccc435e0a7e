"""Common parts of figures: colours, panels, length units, outlines of walls, colour bars."""

import math
import pathlib

import matplotlib.pyplot as plt
import matplotlib.ticker
import matplotlib.transforms
import numpy as np
import scipy.spatial

import scree.means
import scree.units
import scree.whole_file

DPI = 200
PAGE = 4.7  # width of a figure [inch]; in a column of 8.6 cm its 10-point letters still have 7 points
SMALL = 10.0  # font size of legends [points]
LINE_HEIGHT = 0.25  # height of a line of text [inch]
MAX_LABEL = 26  # largest number of characters of a label next to a panel
LETTER_WIDTH = 0.085  # width of a character [inch]
BAR = 0.04  # height of a colour bar relative to its width
COLOUR_MAP = "viridis"
WALL_COLOUR = "0.75"
# Distinct also with colour blindness (M. Okabe, K. Ito, "Color Universal Design", 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def save(figure, path, dpi=DPI, averaged_times=None, where=None):
    """Writes and closes the figure.

    averaged_times: times of the averaged snapshots, for the title [s];  where: description of the region
    """
    box = draw(figure, dpi)
    if averaged_times is not None:
        place = [0.5 * (box.x0 + box.x1), box.y1] / figure.get_size_inches()
        words = scree.means.over(averaged_times) + (f"\nover {where}" if where else "")
        figure.text(*place, words, ha="center", va="bottom")
        box.y1 += round(LINE_HEIGHT * dpi) * len(words.splitlines()) / dpi
    try:
        with scree.whole_file.path_of(path) as part:
            kind = None if part is path else pathlib.Path(path).suffix[1:] or None
            figure.savefig(part, format=kind, dpi=dpi, bbox_inches=box)
    finally:
        plt.close(figure)


def draw(figure, dpi):
    """Lays a figure out, and returns the box of its content [inch], which is a whole number of pixels.

    Without this box maps would have wide margins or exceed the figure.
    """
    outside_layout = figure.findobj(lambda artist: artist.get_visible() and not artist.get_in_layout())
    for artist in outside_layout:
        artist.set_visible(False)
    figure.draw_without_rendering()
    for artist in outside_layout:
        artist.set_visible(True)
    figure.set_layout_engine("none")  # repeating the finished layout would be slow
    # The tight box of matplotlib omits the parts of labels beyond their axis.
    labels = [label for axes in figure.axes for label in (axes.xaxis.label, axes.yaxis.label, axes.title) if axes.axison]
    inch = figure.dpi_scale_trans.inverted()
    label_boxes = [label.get_window_extent().transformed(inch) for label in labels if label.get_text()]
    box = matplotlib.transforms.Bbox.union([figure.get_tightbbox(), *label_boxes]).padded(0.05)
    size = np.ceil(box.size * dpi) / dpi
    return matplotlib.transforms.Bbox.from_bounds(box.x0, box.y0, *size)


def panels(count, across, size=None, layout="constrained", polar=(), **others):
    """A figure with `count` panels, at most `across` next to each other: (figure, [axes]). Curves use COLOURS in turn.

    size: of a panel [inch]; None: a row of panels is as wide as a page;  polar: indices of panels with polar axes
    """
    columns = min(across, count)
    rows = -(-count // columns)
    size = size or (PAGE / columns, 3.2 if columns == 1 else 2.25)
    figure, axes = plt.subplots(rows, columns, figsize=(columns * size[0], rows * size[1]), squeeze=False,
                                layout=layout, **others)  # fmt: skip
    for unused in axes.flat[count:]:
        unused.remove()
    if layout == "constrained":  # the last panel fills its row, except for maps, whose shape is fixed
        last = axes.flat[count - 1].get_subplotspec()
        axes.flat[count - 1].set_subplotspec(last.get_gridspec()[last.rowspan.start, last.colspan.start :])
    panel_axes = list(axes.flat[:count])
    for number in polar:
        panel_axes[number].remove()
        panel_axes[number] = figure.add_subplot(panel_axes[number].get_subplotspec(), projection="polar")
    for axes_of_panel in panel_axes:
        axes_of_panel.set_prop_cycle(color=COLOURS)
    return figure, panel_axes


def legend(axes, **others):
    """Adds a legend to axes with several kinds of curves."""
    if len(axes.get_legend_handles_labels()[1]) > 1:
        axes.legend(fontsize=SMALL, **others)


class Multiples(matplotlib.ticker.Formatter):
    """Tick labels in a unit of the given size, with enough digits to distinguish them, instead of a power of ten."""

    def __init__(self, size):
        self.size = size

    def __call__(self, value, position=None):
        return f"{value / self.size:g}"

    def format_ticks(self, values):
        values = np.asarray(values) / self.size
        step = np.min(np.diff(values)) if len(values) > 1 else 1.0
        digits = next((n for n in range(12) if np.abs(np.round(values, n) - values).max(initial=0.0) < 1e-3 * step), 12)
        return [f"{value + 0.0:.{digits}f}".replace("-", "−") for value in np.round(values, digits)]


class Decades(matplotlib.ticker.Formatter):
    """Tick labels of a logarithmic axis: short plain numbers, or powers of ten.

    Multiples by 2 and 5 have labels only on less than 1.5 decades.
    """

    def __call__(self, value, position=None):
        low, high = self.axis.get_view_interval()
        power = math.floor(math.log10(value) + 1e-9)
        mantissa = round(value / 10.0**power)
        if abs(value / 10.0**power - mantissa) > 1e-6:  # an axis of less than a decade has ticks without labels
            return ""
        if mantissa != 1 and not (mantissa in (2, 5) and high < 30.0 * low):
            return ""
        if -2 <= power <= 3:
            return f"{mantissa * 10.0**power:g}"
        return rf"$10^{{{power}}}$" if mantissa == 1 else rf"${mantissa}\cdot 10^{{{power}}}$"


def logarithmic(axes, which):
    """Makes axes logarithmic.  which: their letters, "x", "y" or "xy"; may be empty"""
    for letter in which:
        axes.set(**{f"{letter}scale": "log"})
        axis = axes.xaxis if letter == "x" else axes.yaxis
        axis.set_major_formatter(Decades())
        axis.set_minor_formatter(Decades())


def label(axis, text, max_length=MAX_LABEL):
    """Labels an axis after drawing, in a unit that suits the values: `speed $|v|$ [m/s]` may change to mm/s.

    max_length: largest number of characters of a line
    """
    ends = np.abs(axis.get_view_interval())
    text, size = scree.units.handy(text, float(ends.max()))
    axis.set_label_text(text.replace(" $", "\n$", 1) if len(text) > max_length and "\n" not in text else text)
    if 1e-4 <= ends.max() / size < 1e5:
        axis.set_major_formatter(Multiples(size))


def length_unit(extent):
    """Unit for lengths up to `extent` [m]: (name, its size [m])."""
    for name, metres in (("mm", 1e-3), ("cm", 1e-2)):
        if extent < 50 * metres:
            return name, metres
    return "m", 1.0


def outline(points):
    """Convex outline of points [K, 2]: [L, 2]."""
    return points[scipy.spatial.ConvexHull(points).vertices]


def draw_union(axes, outlines, zorder):
    """Draws the union of convex outlines, [K, 2] each; their fills cover the edges inside the union."""
    for points in outlines:
        axes.fill(*points.T, edgecolor="black", linewidth=2.0, snap=False, zorder=zorder)
    for points in outlines:
        axes.fill(
            *points.T, facecolor=WALL_COLOUR, linewidth=0.0, snap=False, zorder=zorder + 1
        )


def draw_bar(axes, artist, text, is_exceeded):
    """Draws the colour bar of an artist above a map with equal scales. It is as wide as the map; its label is above.

    is_exceeded: whether values are above the end of the scale
    """
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    height = BAR * (right - left) / (top - bottom)
    bar_axes = axes.inset_axes([0.0, 1.0 + height, 1.0, height])
    bar = axes.figure.colorbar(
        artist, cax=bar_axes, orientation="horizontal", ticklocation="top", extend="max" if is_exceeded else "neither",
        extendfrac=0.03,
    )
    bar.locator = matplotlib.ticker.MaxNLocator(3)
    bar.update_ticks()
    label(bar_axes.xaxis, text, axes.get_position().width * axes.figure.get_figwidth() / LETTER_WIDTH)
    bar_axes.set_title(bar_axes.get_xlabel(), fontsize="medium")
    bar_axes.set_xlabel("")
