"""Quantities of the benchmark for studies, from averages: counts in the quadrants of a drum, the depth of a ball."""

import numpy as np

import scree.means


def _count(run, material, high):
    """Number of spheres of a material in a quadrant: (mean, error) over the last half of the run.

    high: the quadrant x < 0, z > 0, to which the drum lifts spheres; else x > 0, z < 0
    """
    rows = run.average("quadrants", ("time_to", "material", "i", "k", "samples"))
    is_late = rows["time_to"] > 0.5 * (rows["time_to"][0] + rows["time_to"][-1])
    in_quadrant = (rows["material"] == material) & (rows["i"] == (0 if high else 1)) & (rows["k"] == (1 if high else 0))
    mean, error, _ = scree.means.mean_error(rows["samples"][is_late & in_quadrant])
    return mean, error


def m1_high(run):
    return _count(run, "m1", True)


def m1_low(run):
    return _count(run, "m1", False)


def m2_high(run):
    return _count(run, "m2", True)


def m2_low(run):
    return _count(run, "m2", False)


def way(run):
    """Largest depth of the ball below the point where it appears [m]."""
    rows = run.average("ball", ("time_to", "material", "velocity_z"))
    ball = rows["material"] == "steel"
    speed = np.nan_to_num(rows["velocity_z"][ball])
    return -np.cumsum(speed[1:] * np.diff(rows["time_to"][ball])).min()
