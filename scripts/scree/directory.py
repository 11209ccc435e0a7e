"""The output directory of a run, as io/README.md describes it."""

import configparser
import dataclasses
import functools
import pathlib
import re

import numpy as np

import scree.configuration
import scree.table
from scree.errors import FileError, UsageError

SERIES_COLUMNS = (
    "step", "time", "particles", "contacts", "closed_contacts", "contacts_per_particle",
    "max_penetration_interval", "mean_velocity_x", "max_speed", "residual_rms",
)  # fmt: skip


@dataclasses.dataclass
class Run:
    """What a run has written so far; it may still go on."""

    path: pathlib.Path
    configuration: str  # text of config.ini
    series: dict  # column -> [K]; SI
    snapshots: list  # paths in the order of their steps
    steps: np.ndarray  # of the snapshots

    @property
    def name(self):
        return self.path.resolve().name

    @functools.cached_property
    def scene(self):
        """config.ini, parsed; raises FileError."""
        try:
            return scree.configuration.parsed(self.configuration)
        except configparser.Error as error:
            raise FileError(f"'{self.path / 'config.ini'}' cannot be read: {error}") from error

    @property
    def time_step(self):
        """[s]; raises FileError if config.ini has none."""
        try:
            return scree.configuration.time_step(self.scene)
        except ValueError as error:
            raise FileError(f"'{self.path / 'config.ini'}', [time] step: {error}") from error

    def rows(self, begin, end):
        """Columns of the series with begin <= time <= end [s]; raises UsageError without rows."""
        slack = 0.5 * self.time_step
        time = self.series["time"]
        inside = (time >= begin - slack) & (time <= end + slack)
        if not inside.any():
            raise UsageError(
                f"'{self.path}' has no row of series.csv from {begin:g} to {end:g} s; "
                f"it has {time[0]:g} to {time[-1]:g} s"
            )
        return {name: values[inside] for name, values in self.series.items()}

    def frames(self, begin, end):
        """Paths of the snapshots with begin <= time <= end [s]; raises UsageError without any."""
        time = self.steps * self.time_step
        slack = 0.5 * self.time_step
        chosen = np.flatnonzero((time >= begin - slack) & (time <= end + slack))
        if not len(chosen):
            raise UsageError(f"'{self.path}' has no snapshot from {begin:g} to {end:g} s")
        return [self.snapshots[k] for k in chosen]


def read(directory):
    """Reads the output directory of a run; raises FileError if it is none."""
    path = pathlib.Path(directory)
    try:
        configuration = (path / "config.ini").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' is not the output directory of a run: {error}") from error
    series = scree.table.read(path / "series.csv", SERIES_COLUMNS)
    found = []
    for file in (path / "snapshots").glob("step_*.h5"):
        step = re.fullmatch(r"step_(\d+)", file.stem)
        if step:
            found.append((int(step[1]), file))
    found.sort()
    steps = np.array([step for step, _ in found], dtype=int)
    return Run(path, configuration, series, [file for _, file in found], steps)


def snapshots_of(paths):
    """The snapshots that are meant by the output directory of a run, or by themselves; raises UsageError."""
    if len(paths) == 1 and paths[0].is_dir():
        found = read(paths[0]).snapshots
        if not found:
            raise UsageError(f"'{paths[0]}' has no snapshots; output.every asks for them")
        return found
    return paths
