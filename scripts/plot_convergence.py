#!/usr/bin/env python3
"""Draws tables of scree-bench --convergence: the residual of one step against sweeps.

usage: plot_convergence.py FILE.csv... [--variants "as run; warm_start=no"] --output FIGURE.png

A panel for each source of particles, a curve for each variant and number of ranks.
"""

import pathlib

import _environment

_environment.require("numpy", "matplotlib", "scipy")

import _command_line
import scree.figure
import scree.table
from scree.errors import FileError, UsageError

COLUMNS = ("variant", "sweeps", "residual_rms")
MARKERS = "osD^vx"


def read(path):
    """The Table of a file; raises FileError if it is none of scree-bench --convergence."""
    table = scree.table.read(path, is_whole=True)
    missing = [name for name in COLUMNS if name not in table]
    missing += [f"# {name}:" for name in ("source", "ranks") if name not in table.parameters]
    if missing:
        raise FileError(f"'{path}' is no table of scree-bench --convergence: {missing} missing")
    return table


def curves(tables, wanted):
    """{source: {(variant, ranks): (sweeps, residuals)}} of the wanted variants, all if empty."""
    panels = {}
    for table in tables:
        panel = panels.setdefault(table.parameters["source"], {})
        for variant in dict.fromkeys(table["variant"]):
            if wanted and variant not in wanted:
                continue
            rows = table.where(variant=variant)
            panel[variant, table.parameters["ranks"]] = rows["sweeps"], rows["residual_rms"]
    return panels


def draw(panels, path):
    figure, drawn = scree.figure.panels(len(panels), 2, sharey=True)
    for panel_axes, (source, panel) in zip(drawn, panels.items()):
        variants = list(dict.fromkeys(variant for variant, _ in panel))
        ranks = list(dict.fromkeys(count for _, count in panel))
        for (variant, count), (sweeps, residuals) in panel.items():
            panel_axes.loglog(
                sweeps, residuals, color=scree.figure.COLOURS[variants.index(variant) % 7], markersize=3,
                marker=MARKERS[ranks.index(count) % 6], linewidth=1.0, label=f"{variant}, {count}",
            )
        panel_axes.set_title(pathlib.PurePath(source.split(" ", 1)[-1]).name, fontsize="medium")
        panel_axes.set(xlabel="number of sweeps", ylabel="residual, RMS [m/s]")
        panel_axes.label_outer()
        panel_axes.legend(fontsize=scree.figure.SMALL, title="variant, ranks", title_fontsize=scree.figure.SMALL)
    scree.figure.save(figure, path)


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    parser.add_argument("--variants", default="", help="these alone, separated by semicolons")
    parser.add_argument("--output", required=True, metavar="FIGURE.png")
    arguments = parser.parse_args()
    wanted = [name.strip() for name in arguments.variants.split(";") if name.strip()]
    panels = curves([read(path) for path in arguments.files], wanted)
    if not all(panels.values()):
        raise UsageError(f"--variants '{arguments.variants}': a source has none of them")
    draw(panels, arguments.output)


if __name__ == "__main__":
    _command_line.run(main)
