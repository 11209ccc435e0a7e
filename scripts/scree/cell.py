"""What a periodic cell held, from the columns of series.csv that a run with a [cell] has."""

import dataclasses

import numpy as np

MIN_STRAIN = 0.01  # that axes must differ by, or that a cell must be sheared by, for a test of its strength

NORMAL = ("xx", "yy", "zz")
AT_REST = 1e-3  # of the largest target stress: tolerance of the stresses of a cell at rest
STILL = 1e-4  # strain that is left
LONG_ENOUGH = 0.1  # of the time since what is held last changed: how long it has to stay so
MIN_ROWS = 5  # of a stage: fewer do not show whether it stays so


def rows(run, begin, end):
    """Columns of the series in the window but for time zero, before any step; None of a run without a cell."""
    columns = run.rows(begin, end)
    if "cell_length_x" not in columns:
        return None
    after = columns["step"] > 0
    return {name: values[after] for name, values in columns.items()} if after.any() else None


def stage_begins(columns):
    """The row from which on the same stresses have been held, and the shear has been driven or not, until the end.

    Before, as while a packing is made, other stresses were held: means over both, or strains of both, mean nothing.
    """
    held = [np.isfinite(columns[f"target_{name}"]) for name in (*NORMAL, "shear_stress")]
    modes = np.array([*held, ~held[3] & (columns["shear_rate"] != 0.0)])
    changes = np.flatnonzero(np.any(modes[:, 1:] != modes[:, :-1], axis=0))
    return int(changes[-1]) + 1 if len(changes) else 0


def last_stage(columns):
    """The columns from `stage_begins` on."""
    return {name: values[stage_begins(columns) :] for name, values in columns.items()}


def strains(columns):
    """Of the last stage, from the row before it to the end: the time of that row [s] and {name: strain}.

    Logarithmic, positive where the cell gets shorter or smaller: along x, y and z, of the volume; and the shear strain.
    """
    first = max(stage_begins(columns) - 1, 0)
    found = {axis: float(np.log(edge[first] / edge[-1])) for axis in "xyz" for edge in [columns[f"cell_length_{axis}"]]}
    found |= {name: float(columns[key][-1] - columns[key][first]) for name, key in (("volume", "strain"), ("shear", "shear_strain"))}
    return columns["time"][first], found


def mean_stress(columns):
    """p = tr(σ)/3 [K]."""
    return np.mean([columns[f"stress_{axes}"] for axes in NORMAL], axis=0)


def deviator(columns):
    """q = √(3/2 s:s) of the components that the series has [K]."""
    x, y, z = (columns[f"stress_{axes}"] for axes in NORMAL)
    return np.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3.0 * columns["shear_stress"] ** 2)


@dataclasses.dataclass
class ShearTest:
    """How a packing carries shear from where its last stage begins, [K]: strains are logarithmic, positive in compression."""

    axis: str  # along which it is compressed most, or stretched; "shear" of a sheared cell
    strain: np.ndarray  # along that axis; of shear
    ratio: np.ndarray  # q/p
    volume: np.ndarray  # strain of the volume: it dilates where that falls


def shear_test(columns):
    """The ShearTest of the last stage; None where it changes no shape, as in isotropic compression."""
    first = max(stage_begins(columns) - 1, 0)
    edges = [columns[f"cell_length_{axis}"][first:] for axis in "xyz"]
    along = np.array([np.log(edge[0] / edge) for edge in edges])
    aside = along - along.mean(axis=0)
    shear = np.abs(columns["shear_strain"] - columns["shear_strain"][first])[first:]
    later = {name: values[first:] for name, values in columns.items()}
    pressure = mean_stress(later)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(pressure > 0.0, deviator(later) / pressure, np.nan)
    row = int(np.argmax(np.abs(aside[:, -1])))
    if shear[-1] > max(MIN_STRAIN, abs(aside[row, -1])):
        return ShearTest("shear", shear, ratio, along.sum(axis=0))
    if abs(aside[row, -1]) < MIN_STRAIN:
        return None
    return ShearTest("xyz"[row], along[row], ratio, along.sum(axis=0))


def shears(columns):
    return bool(np.any(columns["shear_rate"] != 0.0))


def off_target(columns):
    """The largest difference of a stress from its target at the end, over the largest target [K]; None: no target."""
    stress = np.array([columns[f"stress_{axes}"] for axes in NORMAL] + [columns["shear_stress"]])
    target = np.array([columns[f"target_{name}"] for name in (*NORMAL, "shear_stress")])
    held = np.isfinite(target[:, -1])
    scale = np.abs(target[held]).max(initial=0.0)
    return np.abs(stress[held] - target[held]).max(axis=0) / scale if scale > 0.0 else None


def strain_left(columns):
    """The largest strain from each row to the end, along x, y or z or in shear [K]."""
    paths = [np.log(columns[f"cell_length_{axis}"]) for axis in "xyz"] + [columns["shear_strain"]]
    return np.abs([path - path[-1] for path in paths]).max(axis=0)


def is_driven(columns):
    """Whether the cell is deformed by rates or lengths that are given, so that it never rests."""
    free = [not np.isfinite(columns[f"target_{name}"][-1]) for name in (*NORMAL, "shear_stress")]
    changes = [*(np.ptp(columns[f"cell_length_{axis}"][-2:]) for axis in "xyz"), columns["shear_rate"][-1]]
    return any(is_free and change != 0.0 for is_free, change in zip(free, changes))


def rest_from(columns):
    """Time from which on a cell rests [s]: stresses within AT_REST of their targets, and no more than STILL to go.

    NaN if it does not, or for less than the last LONG_ENOUGH of the time, or in fewer than MIN_ROWS rows; None of a cell
    without a target stress, or that is driven. It is of one stage (last_stage).
    """
    time, off = columns["time"], off_target(columns)
    if off is None or is_driven(columns):
        return None
    moves = np.flatnonzero(~((off <= AT_REST) & (strain_left(columns) <= STILL)))
    first = moves[-1] + 1 if len(moves) else 0
    rests = len(time) >= MIN_ROWS and first < len(time) and time[first] <= time[-1] - LONG_ENOUGH * np.ptp(time)
    return float(time[first]) if rests else np.nan


def across(run, columns):
    """The normal stress along the gradient of the shear [K]."""
    return columns["stress_" + 2 * run.scene.get("cell", "gradient", fallback="z")]


def inertial_number(run, columns, snapshot):
    """Mean shear rate times d √(ρ/σ), with the normal stress along the gradient, and of the grains the mean diameter of
    equal volume and the density."""
    diameter = np.cbrt(6.0 / np.pi * snapshot.volumes).mean()
    density = snapshot.masses.sum() / snapshot.volumes.sum()
    return abs(columns["shear_rate"].mean()) * diameter * np.sqrt(density / across(run, columns).mean())
