"""CSV tables: `# ` lines of provenance, one row of column names, then numbers."""

import csv

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


def read(path, required=()):
    """Columns of a table, {name: [K]}; an empty value is NaN, words make a column of str.

    Raises FileError if the file is missing, has no rows, or lacks a required column. A last line
    without its end, as a run that goes on or was killed may leave, is left out.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = [line for line in file if line.endswith("\n") and not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read as a table: {error}") from error
    rows = list(csv.reader(lines))
    if len(rows) < 2:
        raise FileError(f"'{path}' has no rows")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            raise FileError(
                f"'{path}': row {number} has {len(row)} values, the header {len(rows[0])}"
            )
    for name in required:
        if name not in rows[0]:
            raise FileError(f"'{path}' has no column '{name}'")
    return {name: _numbers(values) for name, values in zip(rows[0], zip(*rows[1:]))}


def notes(path):
    """The lines above a table, without their `# `, [str]; raises FileError if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return [line[1:].strip() for line in file if line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read as a table: {error}") from error


def _numbers(texts):
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)
