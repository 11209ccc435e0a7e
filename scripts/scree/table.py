"""CSV tables in files and in the output of programs: notes in `# ` lines, a header with column names, rows."""

import csv
import pathlib
import re
import subprocess

import numpy as np

import scree.whole_file
from scree.errors import FileError, did_you_mean


class Table(dict):
    """Columns by name, [K] each: floats, with NaN for empty cells; texts if any cell is not a number."""

    def __init__(self, columns, notes, units=None):
        super().__init__(columns)
        self.notes = notes  # comment lines without `# `, [str]
        self.units = units or {}  # column -> unit, from headers such as "time [s]"

    @property
    def parameters(self):
        """Notes of the form `name: value` or `name [unit]: value`, {name: text}."""
        return {_split(name)[0]: text for name, separator, text in (note.partition(": ") for note in self.notes) if separator}

    def where(self, **values):
        """Columns of the rows in which the named columns have these values."""
        is_chosen = np.logical_and.reduce([self[name] == value for name, value in values.items()])
        return {name: column[is_chosen] for name, column in self.items()}


def write(path, notes, columns):
    """Writes the notes, [str], then the columns, {name: [K]}, with 17 significant digits."""
    with scree.whole_file.opened(path, newline="") as file:
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
    """All lines of a regular text file, with line ends, without the byte order mark of Excel; raises FileError."""
    try:
        if pathlib.Path(path).exists() and not pathlib.Path(path).is_file():
            raise FileError(f"'{path}' is not a file that can be read twice")
        with open(path, encoding="utf-8-sig", newline="", errors=errors) as file:
            return list(file)
    except FileError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error


def read(path, required=(), numbers=(), is_whole=False):
    """The Table of a file.

    Raises FileError if the file is missing, has no rows, or lacks a required column. The columns `numbers` are
    required too, and must contain numbers only. A last line without line end, left by an active or killed run,
    is skipped unless `is_whole`.
    """
    table = _parse([line for line in lines_of(path) if is_whole or line.endswith("\n")], f"'{path}'")
    if not len(next(iter(table.values()))):
        raise FileError(f"'{path}' has no rows")
    for name in (*required, *numbers):
        if name not in table:
            raise FileError(f"'{path}' has no column '{name}'{did_you_mean(name, table)}")
    for name in numbers:
        if table[name].dtype.kind != "f":
            raise FileError(f"'{path}': the column '{name}' has a value that is not a number")
    return table


def of_text(text, source):
    """The Table of a text.  source: origin of the text, for error messages"""
    return _parse(text.splitlines(keepends=True), source)


def printed(program, *arguments):
    """The Table that a command prints, maybe without rows; raises FileError if the command fails or prints no table."""
    command = [str(program), *map(str, arguments)]
    command_text = " ".join(command)
    try:
        finished = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise FileError(f"cannot run '{program}': {error.strerror}; give its path with --program") from error
    if finished.returncode != 0:
        raise FileError(f"{command_text} failed: {finished.stderr.strip()}")
    try:
        return _parse(finished.stdout.splitlines(keepends=True), command_text)
    except FileError as error:
        raise FileError(f"{command_text} printed no table; is --program the right one?") from error


def _parse(lines, source):
    notes = [line[1:].strip() for line in lines if line.startswith("#")]
    try:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    except csv.Error as error:
        raise FileError(f"{source} cannot be read as a table: {error}") from error
    if not rows or not rows[0]:
        raise FileError(f"{source} has no rows")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            raise FileError(f"{source}: row {number} has {len(row)} values, the header {len(rows[0])}")
    names = [_split(title) for title in rows[0]]
    return Table({name: _numbers([row[k] for row in rows[1:]]) for k, (name, _) in enumerate(names)}, notes,
                 {name: unit for name, unit in names if unit})  # fmt: skip


def _split(title):
    """Name and unit of `time [s]`; the unit is None if there is none."""
    match = re.fullmatch(r"(.*\S) \[([^\]]+)\]", title)
    return match.groups() if match else (title, None)


def _numbers(texts):
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)
