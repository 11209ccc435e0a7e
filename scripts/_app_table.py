"""Runs one of the small apps and reads the CSV that it prints."""

import csv
import subprocess
import sys

import numpy as np


class Table(dict):
    """Columns by name, as float arrays where all values are numbers, else as arrays of text."""

    def __init__(self, text):
        """`text` is a whole CSV: '# name: value' lines, which go to `notes`, a header row, rows."""
        lines = text.splitlines()
        marked = [line[2:].partition(": ") for line in lines if line.startswith("# ")]
        self.notes = {name: value for name, _, value in marked}
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        for name in rows[0]:
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
    """The table of a command; exits with its message if it fails."""
    command = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit(f"{sys.argv[0]}: cannot run '{program}'; give its path with --program")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return Table(done.stdout)
