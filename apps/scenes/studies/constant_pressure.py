"""Quantities of a shear at constant pressure for mu_of_i.ini: means over the second half of a run."""

import numpy as np

DIAMETER, DENSITY = 1e-3, 2500.0  # of the scene [m], [kg/m³]


def mean(run, name):
    """Mean of a column of the series over the second half of the run."""
    time = run.columns["time"]
    return float(np.mean(run.columns[name][time >= 0.5 * time[-1]]))


def inertial_number(run):
    """shear rate x diameter x sqrt(density/stress), with the actual stress."""
    return mean(run, "shear_rate") * DIAMETER * np.sqrt(DENSITY / mean(run, "stress_zz"))


def friction(run):
    return mean(run, "shear_stress") / mean(run, "stress_zz")
