#!/usr/bin/env python3
"""Draws columns of tables, such as those of the small apps.

usage: scree-restitution curve --material steel --radius 0.01 --dissipation 1e-6 --output steel.csv
       plot_table.py steel.csv -x speed -y e --log x --output steel.png

       plot_table.py output/triaxial/series.csv --from 0.2 s -x "strain = 0.03 * (time - 0.2) / 0.0363"
           -y "load [N] = -wall_floor_force_z" --output load.png

-x and -y take a column, an expression of columns, or LABEL = EXPRESSION, in the units of the table. Expressions have
numbers, names of columns, + - * / ** ( ), sqrt, log, exp, abs.

There is a panel for each -y. Each panel has a curve for each file, or with --by for each value of a column
(law, model, method and so on) of each file. In a table with a column `seed`, such as study.csv, runs that differ only
by the seed become one point: their mean with its standard error, along both axes. (The columns before `seed` are the
varied columns.)

With --mean the files are repetitions, such as series.csv of runs with different seeds. They become one curve, the mean,
with a band of its standard error. The points of the curve are the rows of the first file in the range that all files
share, and the other files are interpolated at these points.
"""

import math
import pathlib

import _environment

_environment.require("numpy", "matplotlib", "scipy")

import numpy as np

import _command_line
import scree.expression
import scree.figure
import scree.means
import scree.table
import scree.units
from scree.errors import UsageError, did_you_mean

ROUNDING = 1e-9  # tolerance of the ends of a time window, relative to the largest time


def read(path, columns, begin=-math.inf, end=math.inf):
    """The rows of a file in the time window, as a Table.  columns: columns or expressions of them

    Raises FileError if the file cannot be read, and UsageError if a column is missing.
    """
    table = scree.table.read(path, is_whole=True)
    is_windowed = math.isfinite(begin) or math.isfinite(end)
    for name in [name for text in columns for name in names_in(text, table)] + ["time"] * is_windowed:
        if name not in table:
            raise UsageError(f"'{path}' has no column '{name}'{did_you_mean(name, table)}; it has {', '.join(table)}")
    if is_windowed:
        time = _column(table, "time", path)
        slack = ROUNDING * np.nanmax(np.abs(time))
        rows = (time >= begin - slack) & (time <= end + slack)
        if not rows.any():
            raise UsageError(f"'{path}' has no row from {begin:g} to {end:g} s; its times are {np.nanmin(time):g} to {np.nanmax(time):g} s")
        table.update({name: column[rows] for name, column in table.items()})
    return table


def names_in(text, table):
    """Names of the columns in a column or expression."""
    return [text] if text in table or text.isidentifier() else scree.expression.parse(text).columns


def numbers(table, text, path):
    """A column or expression as floats; a cell without a number is NaN and leaves a gap in the curve."""
    if text in table:
        return _column(table, text, path)
    names = names_in(text, table)
    values = scree.expression.parse(text).value({name: _column(table, name, path) for name in names})
    return np.broadcast_to(np.asarray(values, dtype=float), len(next(iter(table.values()))))


def _column(table, name, path):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return np.nan

    values = np.array([number(value) for value in table[name]])
    if np.isnan(values).all():
        raise UsageError(f"column '{name}' of '{path}' holds no numbers; use --by for a column of names")
    return values


def mean_over_seeds(table, columns):
    """(means, errors, first row of each point [K]); a point is made of runs that differ only by the seed.

    columns: arrays to average;  means, errors: an array [K] for each column. Errors are standard errors over the
    seeds. In a table without seeds each row is a point, and errors are None.
    """
    if "seed" not in table:
        return columns, [None] * len(columns), np.arange(len(columns[0]))
    varied = [table[name] for name in list(table)[: list(table).index("seed")]]
    keys = list(zip(*varied)) if varied else [()] * len(columns[0])
    points = {key: [row for row, other in enumerate(keys) if other == key] for key in dict.fromkeys(keys)}
    means_and_errors = [np.array([scree.means.frame_mean(column[rows]) for rows in points.values()]).T for column in columns]
    means, errors = [mean for mean, _ in means_and_errors], [np.nan_to_num(error) for _, error in means_and_errors]
    return means, errors, np.array([rows[0] for rows in points.values()])


def curves(tables, x, y, group_column):
    """[(label, x, y, error of x, error of y)] of all files. Tables without seeds have None as errors."""
    result = []
    for path, table in tables.items():
        (x_values, y_values), errors, rows = mean_over_seeds(table, [numbers(table, name, path) for name in (x, y)])
        label = pathlib.PurePath(path).stem if len(tables) > 1 else ""
        for value in dict.fromkeys(table[group_column][rows]) if group_column else [None]:
            group_rows = np.flatnonzero(table[group_column][rows] == value) if group_column else np.arange(len(rows))
            if errors[0] is not None:
                group_rows = group_rows[np.argsort(x_values[group_rows], kind="stable")]
            name = label if group_column is None else " ".join(filter(None, (label, f"{value}")))
            result.append((name, x_values[group_rows], y_values[group_rows], *(error if error is None else error[group_rows] for error in errors)))
    return result


def mean_curves(tables, x, y, group_column):
    """[(label, x, mean, standard error)] of repetitions, each [K]; raises UsageError if their ranges of x do not overlap."""
    curves_of_label: dict = {}
    for path, table in tables.items():
        for label, x_values, y_values, *_ in curves({path: table}, x, y, group_column):
            is_known = np.isfinite(x_values) & np.isfinite(y_values)
            order = np.argsort(x_values[is_known], kind="stable")
            if is_known.any():
                curves_of_label.setdefault(label, []).append((x_values[is_known][order], y_values[is_known][order]))
    means = []
    for label, curves_to_average in curves_of_label.items():
        low, high = max(x_values[0] for x_values, _ in curves_to_average), min(x_values[-1] for x_values, _ in curves_to_average)
        positions = curves_to_average[0][0][(curves_to_average[0][0] >= low) & (curves_to_average[0][0] <= high)]
        if not len(positions):
            raise UsageError(f"the files share no range of '{x}': one begins at {low:g}, another ends at {high:g}")
        means.append((label, positions, *scree.means.frame_mean([np.interp(positions, x_values, y_values) for x_values, y_values in curves_to_average])))
    return means


def draw_means(panel, means):
    for label, x_values, mean, error in means:
        (line,) = panel.plot(x_values, mean, linewidth=1.3, label=label)
        panel.fill_between(x_values, mean - error, mean + error, color=line.get_color(), alpha=0.3, linewidth=0.0)


def axis_label(column, table):
    """The label of an axis, with the unit of the column."""
    if column not in table:
        return scree.expression.parse(column).label
    unit = table.units.get(column, scree.units.of_column(column))
    words = column.replace("_", " ")
    return words if unit in ("1", "") else f"{words} [{unit}]"


def draw(tables, arguments):
    figure, panels = scree.figure.panels(len(arguments.y), 2)
    for panel, name in zip(panels, arguments.y):
        if arguments.mean:
            draw_means(panel, mean_curves(tables, arguments.x, name, arguments.by))
        for label, x_values, y_values, x_errors, y_errors in [] if arguments.mean else curves(tables, arguments.x, name, arguments.by):
            marker = "." if len(x_values) < 80 else ""
            panel.errorbar(x_values, y_values, y_errors, x_errors, linewidth=1.3, elinewidth=0.8, marker=marker, label=label)
        first = next(iter(tables.values()))
        panel.set(xlabel=axis_label(arguments.x, first), ylabel=axis_label(name, first))
        scree.figure.logarithmic(panel, arguments.log)
    scree.figure.legend(panels[0])
    scree.figure.save(figure, _command_line.make_parent(arguments.output))
    _command_line.print_written(arguments.output)


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    parser.add_argument("-x", required=True, metavar="COLUMN", help="column or expression for the horizontal axis")
    parser.add_argument("-y", required=True, metavar="COLUMN", action="append", help="column or expression for the vertical axis; may be repeated")
    parser.add_argument("--by", metavar="COLUMN", help="a curve for each value of this column")
    parser.add_argument("--mean", action="store_true", help="the mean of the files with a band of its standard error")
    parser.add_argument("--log", default="", choices=("", "x", "y", "xy"), help="logarithmic axes: x, y or xy")
    _command_line.add_times(parser, "first row", "last row")
    parser.add_argument("--output", required=True, metavar="FIGURE.png")
    arguments = parser.parse_args()
    columns = [arguments.x, *arguments.y, *filter(None, [arguments.by])]
    begin, end = _command_line.window(arguments)
    draw({path: read(path, columns, begin, end) for path in arguments.files}, arguments)


if __name__ == "__main__":
    _command_line.run(main)
