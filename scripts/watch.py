#!/usr/bin/env python3
"""Follows a run that is going on, from the files in its output directory, until it ends.

Writes a page (DIR/watch.html) again and again, which reloads itself in a browser: how far the run is, how
fast, how long it will still take, its series and its last frame. With --text the same is printed on the
terminal, without pictures. The run may be on another machine, if both see the directory.

A run that waits to begin, goes on, is done, was stopped after a checkpoint or has failed looks different; one
that has written nothing for a minute, or for ten times as long as usual, is called silent: it hangs or was
killed. Ends with 0 when the run is done or was stopped, with 4 if it became invalid.
"""

import dataclasses
import enum
import os
import pathlib
import sys
import time

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import numpy as np

import _command_line
import scree.directory
import scree.html
import scree.table
import scree.whole_file
from _report import particles, tables
from _report.part import NotHere, Part
from scree.errors import FileError
from scree.html import State, Verdict

FILES = ("run.log", "series.csv", "timing.csv")
RATES = ("step", "steps_done", "wall_seconds", "steps_per_second", "particle_steps_per_second")  # of timing.csv
EVERY = 5.0  # [s]
SHORTEST_SILENCE = 60.0  # [s]
LONG = 10.0  # times the usual time between rows, that a run may be silent
LINES = 6  # of run.log that are shown


class Stage(enum.Enum):
    """What a run is doing: its word and its colour."""

    WAITING = ("waiting", State.NONE)
    RUNNING = ("running", State.HELD)
    SILENT = ("silent", State.LOOK)
    DONE = ("done", State.HELD)
    STOPPED = ("stopped", State.LOOK)
    FAILED = ("failed", State.OFF)

    @property
    def is_end(self):
        return self in (Stage.DONE, Stage.STOPPED, Stage.FAILED)


@dataclasses.dataclass
class Progress:
    """What the files tell of a run at a moment."""

    stage: Stage
    words: str  # on the stage
    log: list  # of the last start of the program, [str]
    rows: list  # [(quantity, text)], empty while it waits


class Watch:
    """Looks at a directory again and again."""

    def __init__(self, directory, now=time.time):
        self.directory, self.now = pathlib.Path(directory), now
        self.seen, self.changed = None, None  # state of the files, and when that was new by our clock
        self.drawn = (None, "")  # the snapshot drawn last, and its picture

    def look(self):
        """The Progress; raises FileError if a file is damaged."""
        log = self._log()
        if log is None:
            return Progress(Stage.WAITING, f"there is no {self.directory / 'run.log'} yet", [], [])
        quiet = self._quiet()
        rows, interval = self._figures()
        return Progress(*self._stage(log, quiet, interval), log, rows)

    def _log(self):
        """Lines of run.log since the program began last; None if there is none."""
        if not (self.directory / "run.log").exists():
            return None
        lines = "".join(scree.table.lines_of(self.directory / "run.log", errors="replace")).splitlines()
        begins = [k for k, line in enumerate(lines) if line.startswith("Scree ")]
        return lines[begins[-1] if begins else 0 :]

    def _quiet(self):
        """How long no file has changed [s]: by our own clock, once we have seen a change."""
        state = {name: os.stat(self.directory / name) for name in FILES if (self.directory / name).exists()}
        state = {name: (stat.st_mtime_ns, stat.st_size) for name, stat in state.items()}
        if state != self.seen:
            newest = max(written for written, _ in state.values()) / 1e9
            self.changed = newest if self.seen is None else self.now()
            self.seen = state
        return max(0.0, self.now() - self.changed)

    def _stage(self, log, quiet, interval):
        for line in log:  # what was done is told after it, in as many lines as there is to tell
            if line.startswith("done in"):
                return Stage.DONE, line
            if line.startswith("stopped at"):
                return Stage.STOPPED, line
        failed, config = self.directory / "failed.h5", self.directory / "config.ini"
        if failed.exists() and config.exists() and failed.stat().st_mtime_ns >= config.stat().st_mtime_ns:
            return Stage.FAILED, f"the simulation became invalid; its last state is in {failed}"
        if quiet > max(SHORTEST_SILENCE, LONG * interval):
            return Stage.SILENT, f"nothing was written for {duration(quiet)}: it hangs or was killed"
        return Stage.RUNNING, f"last written {duration(quiet)} ago"

    def _figures(self):
        """Rows for a reader, and the usual time between rows of timing.csv [s]."""
        try:
            run = scree.directory.read(self.directory)
            timing = scree.table.read(self.directory / "timing.csv", numbers=RATES)
        except FileError:
            return [], 0.0  # it has just begun
        step, now = run.columns["step"][-1], run.columns["time"][-1]
        wall = np.diff(timing["wall_seconds"][-11:])
        interval = float(np.median(wall[wall > 0.0])) if np.any(wall > 0.0) else 0.0
        speed = float(timing["steps_per_second"][-1])
        rows = [("simulated time", f"{scree.html.number(now)} s"), ("step", f"{step:.0f}")]
        if run.end > 0.0:  # and no NaN
            rows.append(("done", f"{100.0 * min(now / run.end, 1.0):.1f} %"))
            # Steps may change on the way: what is left takes as long a simulated second as the last rows did.
            steps, of_time = (np.ptp(timing[name][-11:]) for name in ("steps_done", "step"))
            left = max(0.0, run.end - now) / run.time_step
            if speed > 0.0 and of_time > 0.0:
                rows.append(("time left", duration(left * steps / of_time / speed)))
        rows += [
            ("steps per second", scree.html.number(speed, 3)),
            ("particle-steps per second", scree.html.number(float(timing["particle_steps_per_second"][-1]), 3)),
            ("particles", f"{run.columns['particles'][-1]:.0f}"),
            ("contacts", f"{run.columns['contacts'][-1]:.0f}"),
            ("greatest penetration", f"{scree.html.number(1e6 * run.columns['max_penetration_interval'][-1], 3)} µm"),
            ("residual (RMS)", f"{scree.html.number(run.columns['residual_rms'][-1], 2)} m/s"),
            ("snapshots", str(len(run.snapshots))),
        ]  # fmt: skip
        if "imbalance" in timing and timing["imbalance"].dtype.kind == "f" and np.isfinite(timing["imbalance"][-1]):
            rows.append(("load imbalance (greatest over mean)", scree.html.number(float(timing["imbalance"][-1]), 3)))
        return rows, interval

    def pictures(self):
        """Series and the last frame, as parts of a page; none before there are rows."""
        try:
            run = scree.directory.read(self.directory)
        except FileError:
            return []
        part = Part(run.name, run, [], {}, -np.inf, np.inf)
        parts = []
        try:
            parts += [scree.html.heading("Series"), *tables.series([part], "")]
        except NotHere:
            parts = []
        if run.snapshots and run.snapshots[-1] != self.drawn[0]:
            part.paths = run.snapshots[-1:]
            self.drawn = (run.snapshots[-1], "\n".join(particles.frames([part], "")) if len(part.last) else "")
        if self.drawn[1]:
            parts += [scree.html.heading("Last frame"), self.drawn[1]]
        return parts


def duration(seconds):
    """`45 s`, `12 min`, `3 h 05 min`; `?` of what is no number."""
    if not np.isfinite(seconds):
        return "?"
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def as_text(progress):
    """For a terminal."""
    word, _ = progress.stage.value
    lines = [f"{word}: {progress.words}"] + [f"  {name:28} {value}" for name, value in progress.rows]
    return "\n".join(lines)


def as_page(name, progress, pictures, every):
    """The page; it reloads itself while the run may still write."""
    word, state = progress.stage.value
    parts = [scree.html.table(["", ""], progress.rows, time.strftime("%Y-%m-%d %H:%M:%S"))] if progress.rows else []
    parts += pictures
    if progress.log:
        parts += [scree.html.heading("Log"), "<pre>" + scree.html.escape("\n".join(progress.log[-LINES:])) + "</pre>"]
    refresh = None if progress.stage.is_end else max(1, round(every))
    glance = scree.html.at_a_glance([(Verdict(state, word), progress.words)])
    return scree.html.page(f"{name}: {word}", parts, [glance], refresh)


def _show_text(progress, before):
    """Prints what has changed; on a terminal in the place of what was printed last.  Returns it."""
    text = as_text(progress)
    if text != before:
        if before and sys.stdout.isatty():
            print(f"\033[{before.count(chr(10)) + 1}A\033[J", end="")
        print(text, flush=True)
    return text


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run, there or to come")
    parser.add_argument("--text", action="store_true", help="print on the terminal, write no page")
    parser.add_argument("--output", type=pathlib.Path, metavar="HTML", help="page to write (default: watch.html in the directory)")
    parser.add_argument("--every", type=_command_line.positive, default=EVERY, metavar="SECONDS", help=f"between looks (default: {EVERY:g})")
    parser.add_argument("--once", action="store_true", help="look once")
    arguments = parser.parse_args()
    watch, before, shown = Watch(arguments.run), None, False
    output = arguments.output or arguments.run / "watch.html"
    name = arguments.run.resolve().name
    while True:
        progress = watch.look()
        if arguments.text or (arguments.output is None and not arguments.run.is_dir()):
            before = _show_text(progress, before)
        else:
            scree.whole_file.write(output, as_page(name, progress, watch.pictures(), arguments.every))
            if not shown:
                print(output, flush=True)
            shown = True
        if arguments.once or progress.stage.is_end:
            return 4 if progress.stage is Stage.FAILED else 0
        time.sleep(arguments.every)


if __name__ == "__main__":
    try:
        _command_line.run(main)
    except KeyboardInterrupt:
        sys.exit(0)
