"""Figures of a raft of boxes on a shaken bed: ../raft.ini."""

import numpy as np

BEGIN = 0.405  # the raft has settled; from here whole periods of the floor follow [s]
VOLUME = 36e-3 * 38e-3 * 16e-3  # of a box [m^3]
GRAVITY = 9.81


def _mean(run, name):
    return float(np.nanmean(run.rows(BEGIN)[name]))


def middle(run):
    """Density of the box in the middle [kg/m^3]."""
    return run.number("link.middle", "mass") / VOLUME


def bend(run):
    """Mean of the angles of the hinges, > 0 if the middle is lowest [deg]."""
    return float(np.degrees(0.5 * (_mean(run, "joint_left_position") - _mean(run, "joint_right_position"))))


def sinking(run):
    """Sinking of the box in the middle since time zero [mm]."""
    return -1e3 * _mean(run, "joint_float_y")


def load(run):
    """Mean upward force of the grains over the weight of the raft; the force includes the raft's change of momentum."""
    mass = sum(run.number(f"link.{name}", "mass") for name in ("left", "middle", "right"))
    return _mean(run, "joint_float_force_y") / (mass * GRAVITY)


def imbalance(run):
    """Imbalance of the energies of the links, over the work of their weights."""
    return float(run.columns["energy_links_imbalance"][-1] / run.columns["energy_links_weight"][-1])
