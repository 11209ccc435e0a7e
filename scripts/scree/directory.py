"""The output directory of a run, as io/README.md describes it."""

from __future__ import annotations

import configparser
import dataclasses
import functools
import math
import pathlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import scree.configuration
import scree.table
import scree.units
from scree.errors import FileError, UsageError, did_you_mean
from scree.frames import Frames

if TYPE_CHECKING:
    import pandas

SERIES_COLUMNS = (
    "step", "time", "particles", "contacts", "closed_contacts",
    "max_penetration_interval", "mean_velocity_x", "max_speed", "residual_rms",
)  # fmt: skip


@dataclasses.dataclass(repr=False)
class Run:
    """Output of a run at the time of reading; the run may continue."""

    path: pathlib.Path
    configuration: str  # text of config.ini
    columns: dict[str, np.ndarray]  # columns of series.csv in SI units, [K] each
    snapshots: list[pathlib.Path]  # in the order of their steps
    steps: np.ndarray  # of the snapshots

    def __repr__(self) -> str:
        return f"Run('{self.path}', {len(self.snapshots)} snapshots)"

    def _repr_html_(self) -> str:
        """HTML with a small picture of the last snapshot."""
        import scree.shown

        return scree.shown.html(repr(self), self.frames[-1] if self.snapshots else None)

    @property
    def name(self) -> str:
        """Name of the output directory."""
        return self.path.resolve().name

    @functools.cached_property
    def scene(self) -> configparser.ConfigParser:
        """Parsed config.ini with all values at the start as text, scene["time"]["end"]; raises FileError."""
        try:
            return scree.configuration.parsed(self.configuration)
        except configparser.Error as error:
            raise FileError(f"'{self.path / 'config.ini'}' cannot be read: {error}") from error

    def numbers(self, section: str, key: str) -> np.ndarray:
        """Numbers of a key of the configuration at the start, in SI: numbers("domain", "upper"), [K].

        Raises UsageError if there is no such key, or if its value has no numbers.
        """
        text = self.scene.get(section, key, fallback=None)
        if text is None:
            raise UsageError(f"'{self.path / 'config.ini'}' has no {section}.{key}")
        values, _ = scree.units.split(text)
        if not len(values):
            raise UsageError(f"'{self.path / 'config.ini'}': {section}.{key} = {text} is not a number")
        return values

    def number(self, section: str, key: str) -> float:
        """First number of a key of the configuration, in SI: number("time", "step"); raises UsageError."""
        return float(self.numbers(section, key)[0])

    @property
    def time_step(self) -> float:
        """The length of a step, or of the base step if steps are automatic [s].

        Raises FileError if config.ini has none.
        """
        try:
            return float(scree.configuration.time_step(self.scene))
        except ValueError as error:
            raise FileError(f"'{self.path / 'config.ini'}', [time] step: {error}") from error

    @property
    def end(self) -> float:
        """Planned end of the run [s]; NaN if config.ini has no such time."""
        try:
            return float(scree.units.in_si(self.scene.get("time", "end", fallback=""), scree.units.SECONDS)[0])
        except ValueError:
            return math.nan

    @property
    def frames(self) -> Frames:
        """Snapshots; each is read at first use."""
        return Frames(str(self.path), self.snapshots, self.steps, self.steps * self.time_step)

    @property
    def series(self) -> pandas.DataFrame:
        """Key figures over time, the rows of series.csv, in SI units.

        attrs["units"] has the units of the columns, "1" for pure numbers and "" for unknown columns.
        """
        return _data_frame(self.columns, self.scene)

    @property
    def timing(self) -> pandas.DataFrame:
        """Computing time per phase, the rows of timing.csv; raises FileError."""
        return _data_frame(scree.table.read(self.path / "timing.csv"))

    @property
    def averages(self) -> dict[str, pandas.DataFrame]:
        """Table of each [average.NAME], by NAME; attrs["notes"] has its comment lines."""
        tables = {}
        for file in sorted((self.path / "averages").glob("*.csv")):
            tables[file.stem] = _with_notes(scree.table.read(file))
        return tables

    def average(self, name: str, required: Sequence[str] = ()) -> dict[str, np.ndarray]:
        """Columns of the table of [average.NAME]; raises FileError if the table or a required column is missing."""
        file = self.path / "averages" / f"{name}.csv"
        if not file.is_file():
            known_names = sorted(table_file.stem for table_file in file.parent.glob("*.csv"))
            raise FileError(f"'{self.path}' has no average '{name}'{did_you_mean(name, known_names)}; it has {', '.join(known_names) or 'none'}")
        return scree.table.read(file, required)

    def average_rows(self, name: str, begin: float = -math.inf, end: float = math.inf) -> dict[str, np.ndarray]:
        """Rows of the table of [average.NAME] for the whole intervals with begin <= time_from and time_to <= end [s].

        The last interval does not count if it is shorter than the others: it often has one frame only, at the end of the run,
        but would get equal weight in a mean. Raises FileError as `average`, also if the table has no intervals.
        """
        table = self.average(name, ("time_from", "time_to"))
        slack = 0.5 * self.time_step
        time_from, time_to = table["time_from"], table["time_to"]
        lengths = time_to - time_from
        is_whole = lengths >= lengths.max(initial=0.0) - slack
        is_chosen = is_whole & (time_from >= begin - slack) & (time_to <= end + slack)
        return {column: values[is_chosen] for column, values in table.items()}

    def is_from(self, begin: float, end: float = math.inf) -> np.ndarray:
        """Whether a row of the series has begin <= time <= end [s], [K] of bool; the tolerance is half a time step.

        Times are numbers of steps times the step, with rounding errors: 30000 steps of 10 us end at 0.30000000000000004 s.
        """
        slack = 0.5 * self.time_step
        return (self.columns["time"] >= begin - slack) & (self.columns["time"] <= end + slack)

    def is_after(self, begin: float, end: float = math.inf) -> np.ndarray:
        """Whether a row of the series has begin < time <= end [s], [K] of bool; the tolerance is half a time step.

        Choose these rows for columns that are means over the steps since the previous row, such as forces on walls.
        """
        return self.is_from(begin + self.time_step, end)

    def rows(self, begin: float = -math.inf, end: float = math.inf) -> dict[str, np.ndarray]:
        """Columns of the series with begin <= time <= end [s]; raises UsageError without rows."""
        is_inside = self.is_from(begin, end)
        if not is_inside.any():
            time = self.columns["time"]
            raise UsageError(
                f"'{self.path}' has no row of series.csv from {begin:g} to {end:g} s; "
                f"it has {time[0]:g} to {time[-1]:g} s"
            )
        return {name: values[is_inside] for name, values in self.columns.items()}


def _data_frame(columns, scene=None):
    """Columns as a pandas table with their units."""
    import pandas  # slow to import, and no script uses it

    table = pandas.DataFrame(columns)
    table.attrs["units"] = {name: scree.units.of_column(name, scene) for name in columns}
    return table


def _with_notes(table):
    """Pandas table of a Table, with its notes."""
    result = _data_frame(table)
    result.attrs["notes"] = table.notes
    return result


def framed(text: str, source: str) -> pandas.DataFrame:
    """Pandas table of a text, such as a file in averages/.  source: name of the text, for errors"""
    return _with_notes(scree.table.of_text(text, source))


def read(directory: str | pathlib.Path) -> Run:
    """Reads the output directory of a run; raises FileError if `directory` is not one."""
    path = pathlib.Path(directory)
    try:
        configuration = "".join(scree.table.lines_of(path / "config.ini"))
    except FileError as error:
        raise FileError(f"'{path}' is not the output directory of a run: {error}") from error
    columns = scree.table.read(path / "series.csv", numbers=SERIES_COLUMNS)
    if not (np.isfinite(columns["step"]).all() and np.isfinite(columns["time"]).all()):
        raise FileError(f"'{path / 'series.csv'}' has a row without a step or a time")
    step_files = []
    for file in (path / "snapshots").glob("step_*.h5"):
        step = re.fullmatch(r"step_(\d+)", file.stem)
        if step:
            step_files.append((int(step[1]), file))
    step_files.sort()
    steps = np.array([step for step, _ in step_files], dtype=int)
    return Run(path, configuration, columns, [file for _, file in step_files], steps)


def snapshots_of(paths: list[pathlib.Path]) -> list[pathlib.Path]:
    """The snapshots of a run if `paths` is its output directory, otherwise `paths`; raises UsageError."""
    if len(paths) == 1 and paths[0].is_dir():
        snapshots = read(paths[0]).snapshots
        if not snapshots:
            raise UsageError(f"'{paths[0]}' has no snapshots; set output.every")
        return snapshots
    return paths
