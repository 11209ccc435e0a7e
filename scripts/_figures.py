"""What the scripts that draw the small apps' results have in common.

Import after `_environment.require("numpy", "matplotlib")`.
"""

import argparse
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from _app_table import run_table  # noqa: F401: for those who import this module


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
    arguments.folder.mkdir(parents=True, exist_ok=True)
    try:
        for figure in figures:
            figure(arguments.program, arguments.folder)
    except FileNotFoundError:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: cannot run '{arguments.program}'; give its path with --program")
