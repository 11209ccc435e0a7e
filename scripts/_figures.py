"""What the scripts that draw the small apps' results have in common.

Import after `_environment.require("numpy", "matplotlib")`.
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import _command_line
from scree.app_table import run_table  # noqa: F401: for those who import this module
from scree.errors import FileError


def rows_where(table, **conditions):
    """The rows of a table whose columns have the given values."""
    chosen = np.ones(len(next(iter(table.values()))), dtype=bool)
    for name, value in conditions.items():
        chosen &= table[name] == value
    return {name: values[chosen] for name, values in table.items()}


def save(figure, path):
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)
    print(path)


def main(description, program, figures):
    """Draws the figures, each a function of the program and the folder."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=program, help=f"the {program} to run (default: on PATH)")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="where the PNGs go (default: .)")
    arguments = parser.parse_args()

    def draw():
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            try:
                figure(arguments.program, arguments.folder)
            except KeyError as error:
                raise FileError(f"what '{arguments.program}' prints has no column {error}; "
                                f"is it {program} of this version?") from error

    _command_line.run(draw)
