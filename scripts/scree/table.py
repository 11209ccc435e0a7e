"""CSV tables: `# ` lines of provenance, one row of column names, then numbers."""

import csv
import pathlib

import numpy as np

from scree.errors import FileError


def write(path, notes, columns):
    """Writes columns, {name: [K]}, with 17 significant digits under the notes, [str]."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        for note in notes:
            file.write(f"# {note}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        for row in zip(*columns.values()):
            rows.writerow([_text(value) for value in row])


def _text(value):
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.17g}"
    return str(value)


def lines_of(path, errors="strict"):
    """All lines of a text file with their ends; raises FileError if it cannot be read, or is a pipe or the like."""
    try:
        if pathlib.Path(path).exists() and not pathlib.Path(path).is_file():
            raise FileError(f"'{path}' is no file that can be read twice")
        with open(path, encoding="utf-8", newline="", errors=errors) as file:
            return list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error


def read(path, required=(), numbers=()):
    """Columns of a table, {name: [K]}; an empty value is NaN, words make a column of str.

    Raises FileError if the file is missing, has no rows, or lacks a required column; those of `numbers` are
    required too, and must not have words. A last line without its end, as a run that goes on or was killed may leave,
    is left out.
    """
    lines = [line for line in lines_of(path) if line.endswith("\n") and not line.startswith("#")]
    try:
        rows = list(csv.reader(lines))
    except csv.Error as error:
        raise FileError(f"'{path}' cannot be read as a table: {error}") from error
    if len(rows) < 2:
        raise FileError(f"'{path}' has no rows")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            raise FileError(
                f"'{path}': row {number} has {len(row)} values, the header {len(rows[0])}"
            )
    for name in (*required, *numbers):
        if name not in rows[0]:
            raise FileError(f"'{path}' has no column '{name}'")
    columns = {name: _numbers(values) for name, values in zip(rows[0], zip(*rows[1:]))}
    for name in numbers:
        if columns[name].dtype.kind != "f":
            raise FileError(f"'{path}': the column '{name}' holds what is no number")
    return columns


def notes(path):
    """The lines above a table, without their `# `, [str]; raises FileError if it cannot be read."""
    return [line[1:].strip() for line in lines_of(path) if line.startswith("#")]


def _numbers(texts):
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)
