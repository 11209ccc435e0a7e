"""Draws the pictures of the papers on single impacts from their table, pictures.toml.

A picture consists of one or more panels, a panel of one or more curves. Keys that a curve does not have are taken from
its panel, or else from the picture.

* `run` is a command of the paper's app. `x`, `y` and `z` are expressions in the columns and notes of its table. The
  expression `rows` selects rows, and each value of the column `by` becomes a curve.
* `over` is a list of values. In a curve, it makes one curve for each value, which replaces {} in the curve's texts. In
  a panel, it makes one panel for each value, which replaces @. A value that is a table has one mark per key:
  { n = 1, speed = 2 } replaces @n and @speed.
* `style` is matplotlib's ("k--"), `map` colours the x-y plane by z, `contour` has the levels of z. `level` and
  `vertical` list the positions of horizontal and vertical lines across the panel. A panel may have `texts`
  [x, y, text] and `arrows` [x, y, to x, to y]; `three = true` makes the panel three-dimensional.
"""

import pathlib
import tomllib

import matplotlib.pyplot as plt
import numpy as np

import scree.figure
from _impacts.app_tables import value

with (pathlib.Path(__file__).parent / "pictures.toml").open("rb") as _file:
    _CONTENT = tomllib.load(_file)
PICTURES = _CONTENT["picture"]
LABELS = _CONTENT["label"]
PICTURE_KEYS = ("app", "name", "caption", "columns", "size", "panel")  # keys that panels do not take from their picture
ARROW = {"arrowstyle": "->", "linewidth": 1.4}
# Keys that are passed to matplotlib unchanged.
LINE_KEYS = ("color", "linewidth", "linestyle", "marker", "markersize", "fillstyle", "alpha")


def _fill(settings, mark, text):
    """Settings in which a text replaces a mark everywhere except in the values of `over`."""
    if isinstance(settings, dict):
        return {name: value if name == "over" else _fill(value, mark, text) for name, value in settings.items()}
    if isinstance(settings, list):
        return [_fill(value, mark, text) for value in settings]
    if not isinstance(settings, str):
        return settings
    return text if settings == mark else settings.replace(mark, str(text))


def _expand(settings, mark):
    """The settings once, or once for each value of `over`."""
    if "over" not in settings:
        return [settings]
    filled = []
    for entry in settings["over"]:
        texts = {mark + name: text for name, text in entry.items()} if isinstance(entry, dict) else {mark: entry}
        copy = settings
        for name in sorted(texts, key=len, reverse=True):  # @speed before @s
            copy = _fill(copy, name, texts[name])
        filled.append(copy)
    return filled


TABLES = [settings for table in _CONTENT["table"] for settings in _expand(table, "@")]


def _rows(settings, names):
    """[(label, names)] of a curve: its rows, or the rows of each value of the column `by`."""
    def select(selection):
        whole = len(selection)
        return {name: group[selection] if isinstance(group, np.ndarray) and len(group) == whole else group
                for name, group in names.items()}  # fmt: skip

    if "rows" in settings:
        names = select(value(settings["rows"], names))
    if "by" not in settings:
        return [(settings.get("label"), names)]
    column = value(settings["by"], names)
    return [(settings.get("label", "{}").replace("{}", f"{group:g}" if isinstance(group, float) else group),
             select(column == group)) for group in dict.fromkeys(column.tolist())]  # fmt: skip


def _curve(axes, settings, label, names, colour):
    coordinates = [np.asarray(value(settings[name], names)) for name in "xyz" if name in settings]
    if "map" in settings or "contour" in settings:
        x, y = np.unique(coordinates[0]), np.unique(coordinates[1])
        z = coordinates[2].reshape(len(x), len(y)).T
        if "contour" in settings:
            axes.contour(x, y, z, levels=settings["contour"], colors="0.75", linewidths=0.7)
        else:
            axes.figure.colorbar(axes.pcolormesh(x, y, z, shading="nearest"), ax=axes, label=settings["map"])
        return
    style = {name: settings[name] for name in LINE_KEYS if name in settings}
    code = settings.get("style", "-")
    if "color" not in style and not any(letter in code for letter in "kgrbcmy"):
        style["color"] = colour
    drawn = axes.plot(*coordinates, code, **{"linewidth": 1.2, "markersize": 4} | style)
    drawn[0].set_label(label)
    if "colours" in settings:  # one curve per time; later ones are darker
        for line, shade in zip(drawn, np.linspace(0.85, 0.1, len(drawn))):
            line.set_color(plt.get_cmap(settings["colours"])(shade))


def _panel(axes, panel, app, apps):
    number = 0
    for settings in panel.get("curve", [{}]):
        shared = {name: value for name, value in panel.items() if name not in ("curve", "over")}
        for curve in _expand(shared | settings, "{}"):
            for label, names in _rows(curve, apps.names(app, curve.get("run", ""))):
                if "x" in curve:
                    _curve(axes, curve, label, names, scree.figure.COLOURS[number % len(scree.figure.COLOURS)])
                    number += 1
    for position in panel.get("vertical", ()):
        axes.axvline(position, color="0.5", linewidth=0.8)
    for position in panel.get("level", ()):
        axes.axhline(position, color="0.5", linewidth=0.8)
    for *position, text in panel.get("texts", ()):
        axes.text(*position, text)
    for x, y, to_x, to_y in panel.get("arrows", ()):
        axes.annotate("", (to_x, to_y), (x, y), arrowprops=ARROW)
    for axis in "xyz":
        shown = str(panel.get(axis) or panel.get("curve", [{}])[0].get(axis))
        if shown in LABELS[app]:
            getattr(axes, f"set_{axis}label")(LABELS[app][shown])
        for setting in ("label", "lim", "scale"):
            if axis + setting in panel:
                getattr(axes, f"set_{axis}{setting}")(panel[axis + setting])
    if "title" in panel:
        axes.set_title(panel["title"], fontsize=10)
    if panel.get("equal"):
        axes.set_aspect("equal")
    if panel.get("bare"):
        axes.axis("off")
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize=8, loc=panel.get("legend", "best"))


def draw(picture, apps, path):
    """Writes the picture as a PNG."""
    shared = {name: value for name, value in picture.items() if name not in PICTURE_KEYS}
    panels = [value for panel in picture.get("panel", [{}]) for value in _expand(shared | panel, "@")]
    columns = picture.get("columns", min(len(panels), 2))
    rows = -(-len(panels) // columns)
    width, height = picture.get("size", (3.0 if columns > 1 else scree.figure.PAGE, 3.4))
    figure = plt.figure(figsize=(width * columns, height * rows), layout="constrained")
    for number, panel in enumerate(panels, start=1):
        space = {"projection": "3d"} if panel.get("three") else {}
        _panel(figure.add_subplot(rows, columns, number, **space), panel, picture["app"], apps)
    scree.figure.save(figure, path)
