"""Runs one of the small apps and reads the CSV that it prints."""

import csv
import pathlib
import subprocess

import numpy as np

from scree.errors import FileError


class Table(dict):
    """Columns by name, as float arrays where all values are numbers, else as arrays of text."""

    def __init__(self, text):
        """`text` is a whole CSV: '# name: value' lines, which go to `notes`, a header row, rows."""
        lines = text.splitlines()
        marked = [line[2:].partition(": ") for line in lines if line.startswith("# ")]
        self.notes = {name: value for name, _, value in marked}
        reader = csv.DictReader(line for line in lines if not line.startswith("#"))
        rows = list(reader)
        for name in reader.fieldnames or ():
            values = [row[name] for row in rows]
            try:
                self[name] = np.array([float(value) for value in values])
            except ValueError:
                self[name] = np.array(values)

    def where(self, **values):
        """The columns of those rows in which the named columns have these values."""
        chosen = np.logical_and.reduce([self[name] == value for name, value in values.items()])
        return {name: column[chosen] for name, column in self.items()}


def run_table(program, *arguments):
    """The table of a command.

    @raises FileError if the program cannot be run, fails, or prints no table
    """
    command = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise FileError(f"cannot run '{program}': {error.strerror}; give its path with --program") from error
    if done.returncode != 0:
        raise FileError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    table = Table(done.stdout)
    if not table:
        raise FileError(f"{' '.join(command)} printed no table; is --program the right one?")
    return table


def read(path):
    """The Table of a file; raises FileError."""
    try:
        table = Table(pathlib.Path(path).read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error
    except (IndexError, TypeError):
        table = None
    if not table:
        raise FileError(f"'{path}' has no rows of a table")
    return table
