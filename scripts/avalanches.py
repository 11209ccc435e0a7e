#!/usr/bin/env python3
"""Finds the avalanches of a run in its kinetic energy and, in a drum, in the angle of the bed.

PREFIX_bursts.csv  size, duration and waiting time of events in which a column of series.csv (--column) exceeds
    --threshold (default: mean of the column in the window); the size is the integral of the excess
PREFIX_falls.csv   the same for events in which the angle of the bed of a drum falls by --fall degrees or more, between
    two snapshots or over several; the size is the fall
PREFIX_bursts.png, PREFIX_falls.png  the series with its events, and the fractions of events whose size, duration or
    waiting time is at least a given value

Events that begin before the window or end after it do not count. Definitions and sources: scree/avalanches.py.
"""

import pathlib

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.avalanches
import scree.directory
import scree.figure
import scree.repose
import scree.snapshot
import scree.units
from scree.errors import UsageError, did_you_mean

FALL = 1.0  # default of --fall [degrees]


def _write_bursts(run, prefix, arguments):
    """Writes table and picture of the bursts of a column; returns the names of the files."""
    rows = run.rows(*_command_line.window(arguments))
    if arguments.column not in rows:
        guess = did_you_mean(arguments.column, rows)
        raise UsageError(f"series.csv of '{run.path}' has no column '{arguments.column}'{guess}; it has {', '.join(rows)}")
    is_known = np.isfinite(rows[arguments.column])
    times, values = rows["time"][is_known], rows[arguments.column][is_known]
    if len(times) < 3:
        raise UsageError(f"series.csv of '{run.path}' has {len(times)} rows in the window; expected 3 or more")
    threshold = float(values.mean()) if arguments.threshold is None else arguments.threshold
    events = scree.avalanches.bursts(times, values, threshold)
    words, unit = arguments.column.replace("_", " "), scree.units.of_column(arguments.column, run.scene)
    value = f"{threshold:.6g} {unit}".rstrip()
    note = f"bursts of {words} above {value}, t = {times[0]:g} to {times[-1]:g} s"
    scree.avalanches.write_table(f"{prefix}_bursts.csv", events, note)
    label = words if unit in ("1", "") else f"{words} [{unit}]"
    size_label = f"size $\\int$ [{unit} s]".replace("[1 s]", "[s]") if unit else "size $\\int$"
    figure = scree.avalanches.figure_of(times, values, events, label, size_label, threshold)
    scree.figure.save(figure, f"{prefix}_bursts.png")
    print(f"{len(events)} {note}")
    return [f"{prefix}_bursts.csv", f"{prefix}_bursts.png"]


def _write_falls(run, prefix, arguments):
    """Writes table and picture of the falls of the bed's angle; returns the names of the files.

    Without a drum, or with fewer than three snapshots of it, writes nothing and returns [].
    """
    begin, end = _command_line.window(arguments)
    paths = run.frames.between(begin, end, _command_line.every(arguments)).paths if run.snapshots else []
    first = scree.snapshot.read_snapshot(paths[0]) if len(paths) > 2 else None
    drum = scree.repose.drum_of(first) if first else None
    if drum is None:
        return []
    angles_over_time = [(frame.time, scree.repose.drum_angle(frame, drum)) for frame in scree.snapshot.read_frames(paths) if len(frame)]
    if len(angles_over_time) < 3:
        return []
    times, angles = np.array(angles_over_time).T
    events = scree.avalanches.falls(times, angles, arguments.fall)
    note = f"falls of the angle of the bed by {arguments.fall:g} degrees or more, t = {times[0]:g} to {times[-1]:g} s; size in degrees"
    scree.avalanches.write_table(f"{prefix}_falls.csv", events, note)
    figure = scree.avalanches.figure_of(times, angles, events, "angle of the bed $θ$ [°]", "size $Δθ$ [°]", None)
    scree.figure.save(figure, f"{prefix}_falls.png")
    print(f"{len(events)} {note}")
    return [f"{prefix}_falls.csv", f"{prefix}_falls.png"]


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run")
    parser.add_argument("--output", metavar="PREFIX", help="prefix of the output files (default: RUN/avalanches)")
    parser.add_argument("--column", default="kinetic_energy", help="column of series.csv whose bursts are found (default: kinetic_energy)")
    parser.add_argument("--threshold", type=_command_line.finite, metavar="VALUE", help="threshold of the bursts, in the SI unit of the column (default: the mean)")
    parser.add_argument("--fall", type=_command_line.positive, default=FALL, metavar="DEGREES",
                        help=f"smallest fall that counts (default: {FALL:g})")  # fmt: skip
    _command_line.add_window(parser)
    arguments = parser.parse_args()
    run = scree.directory.read(arguments.run)
    prefix = _command_line.prefix_of(arguments.output or arguments.run / "avalanches")
    _command_line.print_written(*_write_bursts(run, prefix, arguments), *_write_falls(run, prefix, arguments))
    return 0


if __name__ == "__main__":
    _command_line.run(main)
