"""Figures that a study measures in a run: numbers, with standard errors where one run gives them."""

import dataclasses
import math
import re
import runpy
from collections.abc import Callable

import numpy as np

import scree.means
import scree.repose
import scree.units
from scree.errors import UsageError, did_you_mean

FORMS = ("mean, last, largest or slope COLUMN of series.csv or AVERAGE.COLUMN, angle_of_repose or angle_of_drum, each with "
         "[from TIME] [to TIME]; or FUNCTION in FILE.py")  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Measure:
    """A figure of a plan."""

    name: str
    text: str  # as in the plan
    function: Callable  # (scree.directory.Run, begin, end [s]) -> (value, standard error or NaN)
    unit: str
    begin: float = -math.inf  # of the time window [s]
    end: float = math.inf

    def evaluate(self, run):
        """(value, standard error or NaN) of a finished run; raises UsageError."""
        try:
            return self.function(run, self.begin, self.end)
        except UsageError as error:
            raise UsageError(f"figure '{self.name}': {error}") from error


def parse(name, text, folder, scene=None):
    """The Measure of a line `name = text`; raises UsageError.

    folder: folder of the files that the line names;  scene: the parsed scene, or None if it is not known. The averages
    and joints of the scene give the units, and reveal errors before any run
    """
    words = re.fullmatch(r"(?P<what>.*?)(?: from (?P<begin>.+?))?(?: to (?P<end>.+?))?", " ".join(text.split()))
    begin = _time(name, words["begin"], -math.inf)
    end = _time(name, words["end"], math.inf)
    quantity_words = words["what"].split()
    if quantity_words == ["angle_of_repose"]:
        return Measure(name, text, angle_of_repose, "°", begin, end)
    if quantity_words == ["angle_of_drum"]:
        return Measure(name, text, angle_of_drum, "°", begin, end)
    if len(quantity_words) == 2 and quantity_words[0] in COLUMN_FUNCTIONS:
        _require_part(name, quantity_words[1], scene)
        return Measure(name, text, _of_column(COLUMN_FUNCTIONS[quantity_words[0]], quantity_words[1]), _unit(*quantity_words, scene), begin, end)
    if len(quantity_words) == 3 and quantity_words[1] == "in":
        if words["begin"] or words["end"]:
            raise UsageError(f"[figures] {name} = {text}: a function gets the whole run and chooses its times itself; remove from and to")
        return Measure(name, text, _function(name, quantity_words[0], folder / quantity_words[2]), "", begin, end)
    raise UsageError(f"[figures] {name} = {text}; expected {FORMS}")


def _require_part(name, column, scene):
    """Raises UsageError unless the scene has the average, with one cell and kind, or the joint to which a column belongs."""
    average, _, quantity = column.rpartition(".")
    head = "average" if average else "joint" if quantity.startswith("joint_") else None
    if scene is None or head is None:
        return
    known = [section.partition(".")[2] for section in scene.sections() if section.startswith(f"{head}.")]
    if not (average in known if average else any(quantity.startswith(f"joint_{joint}_") for joint in known)):
        wrong = average or quantity.removeprefix("joint_").rpartition("_")[0]
        raise UsageError(f"[figures] {name}: the scene has no [{head}.{wrong}]{did_you_mean(wrong, known)}; it has {', '.join(known) or 'none'}")
    if average:
        _require_one_row(f"[figures] {name}: [average.{average}]", *_count_rows(scene, scene[f"average.{average}"]))


def _count_rows(scene, average):
    """Numbers of cells and of kinds, materials or shapes, for which an average of a scene has separate rows."""
    cells = math.prod(int(count) for count in re.findall(r"\d+", average.get("cells", "1x1x1")))
    by = average.get("by", "all")
    is_sphere_a_kind = by == "shape"
    return cells, is_sphere_a_kind + sum(section.startswith(f"{by}.") for section in scene.sections())


def _require_one_row(label, cells, kinds):
    """Raises UsageError if an average has rows for several cells or kinds in each interval."""
    counts = [f"{count} {what}" for count, what in ((cells, "cells"), (kinds, "materials or shapes")) if count > 1]
    if counts:
        raise UsageError(f"{label} has {' and '.join(counts)}; a figure needs one (cells = 1x1x1, without by), "
                         "or a function in a FILE.py")  # fmt: skip


def _time(name, text, default):
    if text is None:
        return default
    try:
        return float(scree.units.in_si(text, scree.units.SECONDS)[0])
    except ValueError as error:
        raise UsageError(f"[figures] {name}: {error}") from None


# ---- figures of a column: functions of times [s] and values, [K] each

def _mean(_, values):
    mean, error, _ = scree.means.mean_error(values)
    return mean, error


def rate(columns, name, rows=slice(None)):
    """Growth of a column of a series per second, by least squares."""
    return np.polyfit(columns["time"][rows], columns[name][rows], 1)[0]


def select_rows(columns, rows):
    """A series reduced to the given rows."""
    return {name: column[rows] for name, column in columns.items()}


def force_on(columns, axis, *walls):
    """The total force of the particles on these walls in each row of a series, [K] [N].  axis: x, y or z"""
    return sum(columns[f"wall_{wall}_force_{axis}"] for wall in walls)


def _slope(time, values):
    """Slope of the line through all rows, and the error from the slopes of four parts."""
    if len(time) < 2:
        raise UsageError("a slope needs two rows of the series in its window")
    slopes = [np.polyfit(t, v, 1)[0] for t, v in zip(np.array_split(time, 4), np.array_split(values, 4)) if len(t) > 1]
    error = float(np.std(slopes, ddof=1) / 2.0) if len(slopes) == 4 else math.nan
    return float(np.polyfit(time, values, 1)[0]), error


COLUMN_FUNCTIONS = {
    "mean": _mean, "slope": _slope,
    "last": lambda _, values: (float(values[-1]), math.nan),
    "largest": lambda _, values: (float(np.max(values)), math.nan),
}  # fmt: skip


def _count_different(rows, names):
    """Number of different values of these columns, together; 1 without the columns."""
    return len(set(zip(*(rows[name] for name in names if name in rows)))) or 1


def _of_column(reduce, column):
    average, _, name = column.rpartition(".")

    def take(run, begin, end):
        if average:
            rows = run.average_rows(average, begin, end)
            _require_one_row(f"[average.{average}]", *(_count_different(rows, keys) for keys in ("ijk", ("material", "shape"))))
            time = rows["time_to"]
        else:
            rows = run.rows(begin, end)
            time = rows["time"]
        if name not in rows:
            raise UsageError(f"there is no column '{name}'{did_you_mean(name, rows)}; expected one of {', '.join(rows)}")
        if not len(time):
            raise UsageError(f"no whole interval of averages/{average}.csv lies in its window")
        is_known = np.isfinite(rows[name])  # steps without a measurement have empty cells
        if not is_known.any():
            raise UsageError(f"column '{name}' has no value in its window")
        return reduce(time[is_known], rows[name][is_known])

    return take


def _unit(reduce, column, scene):
    unit = scree.units.of_column(column.rpartition(".")[2], scene)
    if reduce == "slope":
        return unit and f"{unit}/s"
    return "" if unit == "1" else unit


# ---- figures of snapshots

def angle_of_repose(run, begin, end):
    """Mean angle of repose (scree.repose) over the snapshots in the window; without a window, of the last snapshot."""
    is_windowed = math.isfinite(begin) or math.isfinite(end)
    frames = run.frames.between(begin, end) if is_windowed else run.frames[-1:]
    angles = [scree.repose.angle(frame) for frame in frames]
    if not angles:
        raise UsageError("no snapshot lies in its window")
    mean, error = np.mean(angles, axis=0)
    return float(mean), float(error)  # not divided by √n, because frames of a heap at rest are alike


def angle_of_drum(run, begin, end):
    """Mean angle of the bed in a rotating drum over the snapshots in the window, see scree.repose.drum_angle."""
    frames = list(run.frames.between(begin, end))
    if not frames:
        raise UsageError("no snapshot lies in its window")
    drum = scree.repose.drum_of(frames[0])
    if drum is None:
        raise UsageError("the scene has no drum: a pipe that turns about a horizontal axis")
    mean, error, _ = scree.means.mean_error(np.array([scree.repose.drum_angle(frame, drum) for frame in frames]))
    return float(mean), float(error)


def _function(name, function, file):
    """A user's own figure: FUNCTION(run) -> number or (number, standard error)."""
    if not file.is_file():
        raise UsageError(f"[figures] {name}: there is no file '{file}'")
    names = runpy.run_path(str(file))
    if not callable(names.get(function)):
        raise UsageError(f"[figures] {name}: '{file}' has no function '{function}'{did_you_mean(function, names)}")

    def take(run, begin, end):
        value = names[function](run)
        value, error = value if isinstance(value, tuple) else (value, math.nan)
        return float(value), float(error)

    return take
