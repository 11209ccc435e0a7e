"""Controlled stresses and strains of a periodic cell, from the columns of series.csv of a run with a [cell]."""

import dataclasses

import numpy as np

import scree.configuration

MIN_STRAIN = 0.01  # smallest deviatoric strain along an axis, or shear strain, of a shear test

NORMAL = ("xx", "yy", "zz")
AT_REST = 1e-3  # tolerance of the stresses of a cell at rest, relative to the largest target stress
MAX_REST_STRAIN = 1e-4  # largest remaining strain of a cell at rest
LONG_ENOUGH = 0.1  # smallest duration of rest, as a fraction of the time since the control last changed
MIN_ROWS = 5  # smallest number of rows of a stage that can be at rest


def rows(run, begin, end):
    """Columns of the series from `begin` to `end` [s], without time zero; None without a cell or rows."""
    columns = run.rows(begin, end)
    if "cell_length_x" not in columns:
        return None
    is_after_begin = columns["step"] > 0
    return {name: values[is_after_begin] for name, values in columns.items()} if is_after_begin.any() else None


def stage_begins(columns):
    """First row of the last stage.

    In a stage the same stresses are controlled, and the shear is driven in the same way. An earlier stage is for
    example the preparation of a packing. Means or strains over several stages are meaningless.
    """
    is_controlled = [np.isfinite(columns[f"target_{name}"]) for name in (*NORMAL, "shear_stress")]
    modes = np.array([*is_controlled, ~is_controlled[3] & (columns["shear_rate"] != 0.0)])
    changes = np.flatnonzero(np.any(modes[:, 1:] != modes[:, :-1], axis=0))
    return int(changes[-1]) + 1 if len(changes) else 0


def last_stage(columns):
    """Columns from `stage_begins` on."""
    return {name: values[stage_begins(columns) :] for name, values in columns.items()}


def strains(columns):
    """Strains of the last stage, from the row before it to its end: (time of the row before it [s], {name: strain}).

    The strains along x, y, z and of the volume are logarithmic and positive in compression; "shear" is the shear
    strain.
    """
    first = max(stage_begins(columns) - 1, 0)
    strains_by_name = {axis: float(np.log(edge[first] / edge[-1])) for axis in "xyz" for edge in [columns[f"cell_length_{axis}"]]}
    strains_by_name |= {name: float(columns[key][-1] - columns[key][first]) for name, key in (("volume", "strain"), ("shear", "shear_strain"))}
    return columns["time"][first], strains_by_name


def mean_stress(columns):
    """Mean stress p = tr(σ)/3, [K] [Pa]."""
    return np.mean([columns[f"stress_{axes}"] for axes in NORMAL], axis=0)


def deviator(columns):
    """Deviatoric stress q = √(3/2 s:s) of the stress components in the series, [K] [Pa]."""
    x, y, z = (columns[f"stress_{axes}"] for axes in NORMAL)
    return np.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3.0 * columns["shear_stress"] ** 2)


@dataclasses.dataclass
class ShearTest:
    """Stress ratio and volumetric strain in the last stage, [K] each.

    Strains are logarithmic and positive in compression.
    """

    axis: str  # axis with the largest deviatoric strain; "shear" for a sheared cell
    strain: np.ndarray  # along that axis, or shear strain
    ratio: np.ndarray  # q/p
    volume: np.ndarray  # volumetric strain; it decreases in dilation


def shear_test(columns):
    """The ShearTest of the last stage; None if the shape does not change, as in isotropic compression."""
    first = max(stage_begins(columns) - 1, 0)
    edges = [columns[f"cell_length_{axis}"][first:] for axis in "xyz"]
    strains_over_time = np.array([np.log(edge[0] / edge) for edge in edges])
    deviatoric = strains_over_time - strains_over_time.mean(axis=0)
    shear = np.abs(columns["shear_strain"] - columns["shear_strain"][first])[first:]
    stage = {name: values[first:] for name, values in columns.items()}
    pressure = mean_stress(stage)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(pressure > 0.0, deviator(stage) / pressure, np.nan)
    row = int(np.argmax(np.abs(deviatoric[:, -1])))
    if shear[-1] > max(MIN_STRAIN, abs(deviatoric[row, -1])):
        return ShearTest("shear", shear, ratio, strains_over_time.sum(axis=0))
    if abs(deviatoric[row, -1]) < MIN_STRAIN:
        return None
    return ShearTest("xyz"[row], strains_over_time[row], ratio, strains_over_time.sum(axis=0))


def is_sheared(columns):
    """Whether the cell is sheared."""
    return bool(np.any(columns["shear_rate"] != 0.0))


def deviation_from_target(columns):
    """Largest difference of a stress from its target, divided by the largest target, [K]; None without targets.

    Only stresses that are controlled in the last row count.
    """
    stress = np.array([columns[f"stress_{axes}"] for axes in NORMAL] + [columns["shear_stress"]])
    target = np.array([columns[f"target_{name}"] for name in (*NORMAL, "shear_stress")])
    is_controlled = np.isfinite(target[:, -1])
    scale = np.abs(target[is_controlled]).max(initial=0.0)
    return np.abs(stress[is_controlled] - target[is_controlled]).max(axis=0) / scale if scale > 0.0 else None


def remaining_strain(columns):
    """Largest strain along x, y, z or in shear from each row to the last, [K]."""
    paths = [np.log(columns[f"cell_length_{axis}"]) for axis in "xyz"] + [columns["shear_strain"]]
    return np.abs([path - path[-1] for path in paths]).max(axis=0)


def is_driven(columns):
    """Whether prescribed rates or lengths deform the cell, so that it never rests."""
    is_uncontrolled = [not np.isfinite(columns[f"target_{name}"][-1]) for name in (*NORMAL, "shear_stress")]
    changes = [*(np.ptp(columns[f"cell_length_{axis}"][-2:]) for axis in "xyz"), columns["shear_rate"][-1]]
    return any(is_prescribed and change != 0.0 for is_prescribed, change in zip(is_uncontrolled, changes))


def rest_from(columns):
    """Time from which a cell is at rest until the last row [s]: its stresses are within AT_REST of their targets, and
    its remaining strain is at most MAX_REST_STRAIN.

    columns: of one stage, from `last_stage`

    NaN if the rest is shorter than LONG_ENOUGH, or the stage has fewer than MIN_ROWS rows. None for a driven cell, or
    one without target stresses.
    """
    time, deviation = columns["time"], deviation_from_target(columns)
    if deviation is None or is_driven(columns):
        return None
    restless = np.flatnonzero(~((deviation <= AT_REST) & (remaining_strain(columns) <= MAX_REST_STRAIN)))
    first = restless[-1] + 1 if len(restless) else 0
    is_at_rest = len(time) >= MIN_ROWS and first < len(time) and time[first] <= time[-1] - LONG_ENOUGH * np.ptp(time)
    return float(time[first]) if is_at_rest else np.nan


def stress_along_gradient(run, columns):
    """Normal stress along the gradient of the shear, [K] [Pa].  columns: of one stage, from `last_stage`"""
    _, gradient = scree.configuration.cell_axes(run.configuration)
    return columns["stress_" + 2 * "xyz"[gradient]]


def inertial_number(run, columns, snapshot):
    """Inertial number, γ' d √(ρ/σ) with the mean shear rate γ'.

    ρ is the density of the grains, d their mean diameter of equal volume, σ the normal stress along the gradient.
    """
    diameter = np.cbrt(6.0 / np.pi * snapshot.volumes).mean()
    density = snapshot.masses.sum() / snapshot.volumes.sum()
    return abs(columns["shear_rate"].mean()) * diameter * np.sqrt(density / stress_along_gradient(run, columns).mean())
