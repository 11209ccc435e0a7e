#!/usr/bin/env python3
"""One HTML page that compares runs with each other and, for the channel at full scale, with the paper.

The page holds its pictures and needs no network: key figures (table 2 of T. Preclik, S. Eibl, U. Ruede,
arXiv:1706.00221), the last frames, the profiles of velocity and spin (figures 10, 11), the radial
distribution function near the outflow (figure 12), series, what differs between the configurations,
time per phase, machine and versions.

Key figures are averages over the window of --from and --to, without it over the whole run as in the
paper; profiles are those of its last snapshot, and the radial distribution function is averaged over
its last ten. The numbers of the table also go to a CSV file beside the page.
"""

import argparse
import dataclasses
import pathlib
import re

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import numpy as np

import _command_line
import _figure
import _html
import _region
import _run
import _snapshot
import _table
import key_figures
import profiles
import rdf
import render
from _errors import UsageError

RDF_FRAMES = 10
# [12, 14] of 15 cm in the paper's channel, and the same shares of another length.
RDF_REGION = (12.0 / 15.0, 14.0 / 15.0)

# Table 2 and section 4.3 of the paper: Coulomb, maximum dissipation; in the units of `shown`.
PAPER = {
    "particles": ("246992.29", "247005.05"),
    "solid fraction": ("0.572", "0.572"),
    "closed contacts": ("320276.51", "320196.82"),
    "contacts per particle": ("2.5934", "2.5926"),
    "greatest penetration": ("39.06", "46.50"),
    "greatest penetration / radius": ("8.31", "9.89"),
    "peak of the speed profile, last": ("1.42", "1.39"),
}
PAPER_EXTENT = (0.15, 0.065, 0.02)  # of its channel [m]
PAPER_RADIUS = 4.7e-4  # [m]

TWO_LAWS = (
    "Coulomb's law and the maximum dissipation principle cannot differ for spheres: their contact "
    "operator is diagonal with one entry for both tangents, so that the impulse which opposes the slip "
    "is also the one that dissipates most. Runs by the two general kernels part by rounding only; the "
    "closed form for spheres relaxes the contacts in another order, as runs on different numbers of "
    "ranks do, and that too makes them differ like two seeds."
)
DIFFERENCES = (
    "Where these runs differ from the paper: it averages over 10 s, the filling included, while a "
    "window here may leave the filling out; its contacts are those that touch, which closed contacts "
    "count here too, walls included, and of which there are fewer where spheres overlap less; and its "
    "ten sweeps, started from zero in each step, leave penetration that contacts which take part "
    "before they close, and better starting values, remove. What the paper calls a "
    "diameter of 0.47 mm is the radius, as its own figures show (apps/scenes/channel.ini)."
)

# Column of series.csv, label, factor to the label's unit.
SERIES = (
    ("particles", "particles", 1.0),
    ("contacts_per_particle", "contacts per particle", 1.0),
    ("max_penetration_interval", "greatest penetration [µm]", 1e6),
    ("residual_rms", "residual, RMS [m/s]", 1.0),
    ("mean_velocity_x", "mean velocity in x [m/s]", 1.0),
)
ENERGIES = re.compile("energy|work|dissipat")


@dataclasses.dataclass
class Part:
    """One run, as the report shows it."""

    label: str
    run: _run.Run
    figures: dict  # quantity -> key_figures.KeyFigure
    last: _snapshot.Snapshot  # last snapshot of the window
    profile: profiles.Profile  # of it
    rdf: rdf.Rdf
    rdf_uncorrected: rdf.Rdf


def _rdf_region(snapshot):
    lower, upper = snapshot.lower.copy(), snapshot.upper.copy()
    ends = snapshot.lower[0] + np.array(RDF_REGION) * (upper[0] - lower[0])
    lower[0], upper[0] = ends
    return _region.make(snapshot, lower, upper)


def _r_max(snapshot):
    """Distance [diameters] that leaves centres between the walls: the usual one, or less."""
    walls = np.where(snapshot.periodic, np.inf, snapshot.upper - snapshot.lower)
    room = walls.min() / (2.0 * float(snapshot["radius"].mean()))
    return float(np.clip(np.floor(0.4 * room), 1.0, rdf.R_MAX))


def gather(directory, label, begin, end):
    """Reads a run and computes what the report needs of it."""
    run = _run.read(directory)
    if not run.snapshots:
        raise UsageError(f"'{directory}' has no snapshots; the report needs output.every")
    paths = run.frames(begin, end)
    last = _snapshot.read_snapshot(paths[-1])
    if not len(last):
        raise UsageError(f"'{last.path}' has no particles")
    region, r_max = _rdf_region(last), _r_max(last)
    distributions = []
    for corrected in (True, False):
        frames = _snapshot.read_frames(paths[-RDF_FRAMES:], ("position", "radius"))
        distributions.append(
            rdf.average(
                [rdf.radial_distribution(f, region, r_max, corrected=corrected) for f in frames]
            )
        )
    cells = _run.cells(last, (0, 1))
    profile = profiles.profile([last], profiles.whole_domain, (0, 1), cells)
    figures = key_figures.key_figures(run, begin, end)
    return Part(label, run, figures, last, profile, *distributions)


def labels(directories):
    """Shortest ends of the paths that tell the runs apart: [str]."""
    paths = [pathlib.Path(directory).resolve().parts for directory in directories]
    if len(set(paths)) < len(paths):
        raise UsageError("a run is given twice")
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(path[-length:]) for path in paths]
        if len(set(ends)) == len(ends):
            return ends


def is_papers_channel(snapshot):
    extent = snapshot.upper - snapshot.lower
    return np.allclose(extent, PAPER_EXTENT) and np.allclose(snapshot["radius"], PAPER_RADIUS)


def key_figure_section(parts, window):
    """Table 2 side by side."""
    with_paper = all(is_papers_channel(part.last) for part in parts)
    header = ["quantity", "unit", *(part.label for part in parts)]
    header += ["paper, Coulomb", "paper, max. dissipation"] if with_paper else []
    rows = []
    for quantity in key_figures.QUANTITIES:
        known = [part.figures.get(quantity) for part in parts]
        if not any(known):
            continue
        known = [figure and key_figures.shown(figure) for figure in known]
        unit = next(figure.unit for figure in known if figure).replace("1", "")
        row = [quantity, unit, *(key_figures.text(figure) if figure else "" for figure in known)]
        rows.append(row + (list(PAPER.get(quantity, ("", ""))) if with_paper else []))
    caption = (
        f"Averages {window}, with standard errors (“>”: the window is too short to know the error, "
        "which is greater). Contacts count walls in."
    )
    section = [_html.heading("Key figures (table 2)"), _html.table(header, rows, caption)]
    section.append(_html.paragraph(TWO_LAWS))
    return section + ([_html.paragraph(DIFFERENCES)] if with_paper else [])


def write_numbers(path, parts):
    """The numbers of the table: run, quantity, unit, value, error."""
    rows = [
        (part.label, figure.quantity, figure.unit, figure.value, figure.error)
        for part in parts
        for figure in part.figures.values()
    ]
    _table.write(
        path, ["key figures of the report; SI units"],
        dict(zip(("run", "quantity", "unit", "value", "error"), zip(*rows))),
    )  # fmt: skip


def frame_section(parts):
    """The last frames from above, at one colour scale."""
    top = render.usual_speed([part.last for part in parts])
    section = [_html.heading("Last frames (figure 9)")]
    for part in parts:
        views = [render.VIEWS["above"]]
        figure = _figure.plt.figure(figsize=render.figure_size(part.last, views))
        render.draw(figure, part.last, views, top)
        section.append(_html.picture(figure, part.label))
    return section


def map_section(parts, column, label, title):
    """One quantity's map of each run, at one colour scale."""
    top = max(profiles.colour_top(part.profile.columns()[column]) or 0.0 for part in parts)
    section = [_html.heading(title)]
    for part in parts:
        wide, high = (np.ptp(edges) for edges in part.profile.edges)
        figure, axes = _figure.plt.subplots(
            figsize=(7.0, min(max(5.6 * high / wide, 1.2), 8.0) + 0.6), layout="constrained"
        )
        walls = profiles.shadows(part.last, part.profile.axes)
        profiles.draw_map(axes, part.profile, column, label, walls, top or None)
        values = part.profile.columns()[column]
        counts = "x".join(map(str, values.shape))
        caption = f"{part.label}, t = {part.last.time:.6g} s, {counts} cells, greatest "
        section.append(_html.picture(figure, f"{caption}{np.nanmax(values):.4g}"))
    return section


def rdf_section(parts):
    """g(r) of all runs in one drawing, corrected and as in the paper."""
    figure, (left, right) = _figure.plt.subplots(1, 2, figsize=(14.0, 4.5), layout="constrained")
    rdf.draw(left, {part.label: part.rdf for part in parts})
    rdf.draw(right, {part.label: part.rdf_uncorrected for part in parts})
    left.set_title("every shell whole")
    right.set_title("all pairs in the region, as in the paper")
    left.legend()
    frames = max(part.rdf.frames for part in parts)
    caption = (
        f"Region {_rdf_region(parts[0].last)}, up to {frames} frames; r in diameters. The paper "
        "shows a strong peak at one diameter, then no order (g = 1)."
    )
    title = "Radial distribution function near the outflow (figure 12)"
    return [_html.heading(title), _html.picture(figure, caption)]


def series_columns(runs):
    """Columns of series.csv to draw, as (name, label, factor): key figures and energies.

    Those of the energy book are empty unless a run kept it.
    """
    columns = {
        name
        for run in runs
        for name, values in run.series.items()
        if np.isfinite(values).any()
    }
    energies = sorted(name for name in columns if ENERGIES.search(name))
    return [entry for entry in SERIES if entry[0] in columns] + [
        (name, f"{name.replace('_', ' ')} [J]", 1.0) for name in energies
    ]


def series_section(parts):
    """Key figures and energies over time."""
    drawn = series_columns([part.run for part in parts])
    rows = -(-len(drawn) // 3)
    figure, panels = _figure.plt.subplots(
        rows, 3, figsize=(15.0, 3.2 * rows), sharex=True, squeeze=False, layout="constrained"
    )
    for axes in panels.flat[len(drawn) :]:
        axes.set_axis_off()
    for axes, (column, label, factor) in zip(panels.flat, drawn):
        for index, part in enumerate(parts):
            if column in part.run.series:
                axes.plot(
                    part.run.series["time"], factor * part.run.series[column], linewidth=0.9,
                    color=_figure.COLOURS[index % len(_figure.COLOURS)], label=part.label,
                )  # fmt: skip
        axes.set(ylabel=label, xlabel="time [s]")
        axes.tick_params(labelbottom=True)
    panels.flat[0].legend(fontsize="small")
    return [_html.heading("Series"), _html.picture(figure, "series.csv of each run")]


def configuration_section(parts):
    """What differs between the runs, and each run's configuration in full."""
    scenes = [
        {f"{title}.{key}": value for title in part.run.scene.sections()
         for key, value in part.run.scene[title].items()}
        for part in parts
    ]  # fmt: skip
    keys = sorted(set.union(*map(set, scenes)) - {"output.directory", "output.overwrite"})
    rows = [[key, *(scene.get(key, "") for scene in scenes)] for key in keys]
    rows = [row for row in rows if len(set(row[1:])) > 1]
    section = [_html.heading("Configuration")]
    if rows:
        header = ["key", *(part.label for part in parts)]
        section.append(_html.table(header, rows, "Where the runs differ"))
    elif len(parts) > 1:
        section.append(_html.paragraph("The runs have the same configuration."))
    return section + [
        _html.details(f"config.ini of {part.label}", part.run.configuration) for part in parts
    ]


def total_over_restarts(values):
    """Sum of a running total that begins at zero again after each restart."""
    falls = np.flatnonzero(np.diff(values) < 0)
    return float(values[falls].sum() + values[-1])


def timing_section(parts):
    """Wall-clock time and its share per phase."""
    timings = [_table.read(part.run.path / "timing.csv", ("wall_seconds",)) for part in parts]
    phases = [name for name in timings[0] if name.endswith("_seconds") and name != "wall_seconds"]
    walls = [total_over_restarts(timing["wall_seconds"]) for timing in timings]
    steps = [np.ptp(part.run.series["step"]) for part in parts]
    rows = [
        ["wall-clock time [s]", *(f"{wall:.0f}" for wall in walls)],
        ["steps", *(f"{count:.0f}" for count in steps)],
        ["steps per second", *(f"{count / wall:.3g}" for count, wall in zip(steps, walls))],
    ]
    for phase in phases:
        totals = [total_over_restarts(timing.get(phase, np.zeros(1))) for timing in timings]
        shares = [f"{100 * total / wall:.1f}" for total, wall in zip(totals, walls)]
        rows.append([f"{phase.removesuffix('_seconds').replace('_', ' ')} [%]", *shares])
    header = ["", *(part.label for part in parts)]
    caption = "From timing.csv; phases on the slowest rank, so that their sum may exceed 100 %."
    return [_html.heading("Time per phase"), _html.table(header, rows, caption)]


def machine_section(parts):
    """Version and ranks as run.log tells them; the machine, if whoever ran noted it."""
    section = [_html.heading("Machine and versions")]
    for part in parts:
        notes = [f"{part.label}:"]
        for name in ("run.log", "machine.txt"):
            try:
                text = (part.run.path / name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            lines = text.splitlines()
            if name == "run.log":
                lines = [line for line in lines if line.startswith("Scree ")]
            notes += lines
        section.append("<pre>" + _html.escape("\n".join(notes)) + "</pre>")
    return section


def report(parts, window):
    """The page, as text."""
    sections = [
        _html.paragraph(
            "Granular flow computed by Scree, compared with T. Preclik, S. Eibl, U. Rüde, “The "
            "Maximum Dissipation Principle in Rigid-Body Dynamics with Purely Inelastic Impacts”, "
            "arXiv:1706.00221, section 4.3."
        )
    ]
    sections += key_figure_section(parts, window)
    sections += frame_section(parts)
    sections += map_section(parts, "speed", "mean speed [m/s]", "Velocity profile (figure 10)")
    sections += map_section(
        parts, "angular_speed", "mean angular speed [rad/s]", "Angular velocity profile (figure 11)"
    )
    sections += rdf_section(parts) + series_section(parts)
    sections += timing_section(parts) + machine_section(parts) + configuration_section(parts)
    return _html.page("Scree: comparison of runs", sections)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="+", type=pathlib.Path, help="output directories of runs")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("report.html"), metavar="HTML",
        help="page to write; the numbers go to the same name with .csv (default: report.html)",
    )
    _command_line.add_window(parser)
    arguments = parser.parse_args()
    begin, end = _command_line.window(arguments)
    window = "over the whole run"
    if arguments.window_begin or arguments.window_end:
        window = f"from {max(begin, 0.0):g} s to {'the end' if end == np.inf else f'{end:g} s'}"
    named = zip(arguments.run, labels(arguments.run))
    parts = [gather(directory, label, begin, end) for directory, label in named]
    page = report(parts, window)
    arguments.output.write_text(page, encoding="utf-8")
    write_numbers(arguments.output.with_suffix(".csv"), parts)
    print(f"{arguments.output} ({len(page.encode()) / 1e6:.2g} MB)")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
