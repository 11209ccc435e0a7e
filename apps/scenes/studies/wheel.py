"""Figures of a wheel on grains: ../wheel.ini."""

import numpy as np

RADIUS = 0.03  # over the grousers [m]
HEIGHT = 0.06  # of the lowest point of the wheel at time zero [m]
BEGIN = 0.9  # of the steady part: the wheel has sunk in after 70 mm of its path [s]
CELL = 0.01  # side of the cells in which the height of the bed is measured [m]


def _mean(run, name):
    return float(run.rows(BEGIN)[name].mean())


def slip(run):
    return 1.0 - _mean(run, "joint_carriage_speed") / (RADIUS * _mean(run, "joint_axle_speed"))


def drawbar_pull(run):
    """Net force with which the wheel can pull [N]."""
    return -_mean(run, "joint_carriage_motor")


def torque(run):
    """Torque of the axle's motor [N m]."""
    return _mean(run, "joint_axle_motor")


def sinkage(run):
    """Depth of the wheel's lowest point below the surface of the bed before the wheel came [m]."""
    bed = run.frames.at(0.1)
    cells = np.unique(np.floor(bed["position"][:, :2] / CELL).astype(int), axis=0, return_inverse=True)[1].ravel()
    tops = np.zeros(cells.max() + 1)
    np.maximum.at(tops, cells, bed["position"][:, 2] + bed["radius"])
    return float(tops.mean()) - HEIGHT + _mean(run, "joint_fork_position")


def imbalance(run):
    """Imbalance of the energies of links and grains, over the work of the axle's motor."""
    last_row = {name: column[-1] for name, column in run.columns.items() if name.startswith("energy_")}
    energy_supplied = last_row["energy_links_motors"] + last_row["energy_links_weight"] + last_row["energy_forces"]
    energy_spent = (last_row["energy_dissipated"] + last_row["energy_links_lost"] + last_row["energy_links_kinetic"]
                    + last_row["energy_kinetic"])  # fmt: skip
    start = run.columns["energy_links_kinetic"][0]
    rows = run.columns
    axle = float(np.sum(rows["joint_axle_motor_power"][1:] * np.diff(rows["time"])))
    return (energy_supplied - energy_spent + start) / axle
