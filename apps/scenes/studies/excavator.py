"""Figures of an excavator's arm: ../excavator.ini."""

import numpy as np

ABOVE = 0.08  # grains above this height at the end are in the bucket [m]
DENSITY = 2500.0  # of the grains [kg/m^3]


def friction(run):
    return run.number("contact", "friction")


def mass(run):
    """Mass in the bucket at the end [kg]."""
    last = run.frames[-1]
    is_in_bucket = last["position"][:, 2] > ABOVE
    return float(DENSITY * 4 / 3 * np.pi * np.sum(last["radius"][is_in_bucket] ** 3))


def energy(run):
    """Energy that the arm gave to the grains, per mass in the bucket [J/kg]."""
    return -float(run.columns["energy_links_load"][-1]) / mass(run)


def motors(run):
    """Work of the motors, per mass in the bucket [J/kg]."""
    return float(run.columns["energy_links_motors"][-1]) / mass(run)


def torque(run):
    """Largest torque of the bucket's motor [N m]."""
    return float(np.nanmax(np.abs(run.columns["joint_bucket_motor"])))


def imbalance(run):
    """Imbalance of the energies of the links, over the work of the motors."""
    return float(run.columns["energy_links_imbalance"][-1] / run.columns["energy_links_motors"][-1])
