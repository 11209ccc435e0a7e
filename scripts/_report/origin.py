"""Origin of runs: time per phase, machine, versions, configurations and their differences."""

import numpy as np

import scree.html
import scree.table
from _report.part import NotApplicable
from scree.errors import FileError


def total_over_restarts(values):
    """Total over a run of a quantity that is counted from zero after each restart."""
    falls = np.flatnonzero(np.diff(values) < 0)
    return float(values[falls].sum() + values[-1])


def timing_table(parts):
    """Wall-clock time, and the fraction of each phase."""
    timings = [scree.table.read(part.run.path / "timing.csv", ("wall_seconds",)) for part in parts]
    phases = [name for name in timings[0] if name.endswith("_seconds") and name != "wall_seconds"]
    walls = [total_over_restarts(timing["wall_seconds"]) for timing in timings]
    steps = [np.ptp(timing["steps_done"]) for timing in timings]
    rows = [
        ["wall-clock time [s]", *(f"{wall:.0f}" for wall in walls)],
        ["steps", *(f"{count:.0f}" for count in steps)],
        ["steps per second", *(f"{count / wall:.3g}" if wall else "" for count, wall in zip(steps, walls))],
    ]
    for phase in phases:
        totals = [total_over_restarts(timing.get(phase, np.zeros(1))) for timing in timings]
        percentages = [f"{100 * total / wall:.1f}" if wall else "" for total, wall in zip(totals, walls)]
        rows.append([f"{phase.removesuffix('_seconds').replace('_', ' ')} [%]", *percentages])
    header = ["", *(part.label for part in parts)]
    caption = "From timing.csv; each phase on the rank that is slowest in it, so the sum may exceed 100 %."
    return [scree.html.table(header, rows, caption)]


def machine_notes(parts):
    """Version and ranks from run.log, and the machine if the run recorded it."""
    section = []
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
        section.append("<pre>" + scree.html.escape("\n".join(notes)) + "</pre>")
    return section


def differences(parts, window):
    """The differences between the runs' configurations."""
    if len(parts) < 2:
        raise NotApplicable("there is one run")
    scenes = [
        {f"{title}.{key}": value for title in part.run.scene.sections()
         for key, value in part.run.scene[title].items()}
        for part in parts
    ]  # fmt: skip
    keys = sorted(set.union(*map(set, scenes)) - {"output.directory", "output.overwrite"})
    rows = [[key, *(scene.get(key, "") for scene in scenes)] for key in keys]
    rows = [row for row in rows if len(set(row[1:])) > 1]
    if not rows:
        return [scree.html.paragraph("The runs have the same configuration.")]
    return [scree.html.table(["key", *(part.label for part in parts)], rows, "Keys of the scenes")]


def provenance(parts):
    """Time per phase, machine, versions and configurations, folded."""
    section = [scree.html.heading("Where it comes from")]
    try:
        section.append(scree.html.fold("Time per phase", timing_table(parts)))
    except FileError as error:
        section.append(scree.html.paragraph(f"Time per phase is left out: {error}."))
    section.append(scree.html.fold("Machine and versions", machine_notes(parts)))
    return section + [scree.html.details(f"config.ini of {part.label}", part.run.configuration) for part in parts]
