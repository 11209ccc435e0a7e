"""Figures of a tumbling mill: ../mill.ini. The charge is lifted towards -x."""

import numpy as np

RADIUS, LENGTH, LIFTER = 0.05, 0.024, 0.005  # [m]
BEGIN = 0.8  # of the steady part [s]
PACKED = 0.6  # solid fraction of the charge
BINS = 36
GRAVITY = 9.81


def speed(run):
    """Speed over the critical speed, at which a ball at the mantle no longer falls."""
    radius = float(run.frames[0]["radius"].mean())
    return float(run.rows(BEGIN)["joint_shaft_speed"].mean()) / np.sqrt(GRAVITY / (RADIUS - radius))


def power(run):
    """Power that the charge takes [W]."""
    return -float(run.rows(BEGIN)["joint_shaft_load_power"].mean())


def torque(run):
    """Torque that the charge takes [N m]."""
    return -float(run.rows(BEGIN)["joint_shaft_load"].mean())


def torque_of_weight(run):
    """Torque of the weight of all balls about the axis, which is the mean torque of a steady mill
    [N m]."""
    frames = run.frames.between(BEGIN, np.inf)
    return float(np.mean([-GRAVITY * np.sum(frame.masses * frame["position"][:, 0]) for frame in frames]))


def toe_and_shoulder(run):
    """The part of the mantle covered by balls: angles of its ends from the lowest point, positive
    where balls rise [rad]."""
    counts = np.zeros(BINS)
    frames = run.frames.between(BEGIN, np.inf)
    for frame in frames:
        x, z = frame["position"][:, 0], frame["position"][:, 2]
        is_near_mantle = np.hypot(x, z) > RADIUS - LIFTER - 2.0 * frame["radius"]
        counts += np.histogram(np.arctan2(-x, -z)[is_near_mantle], BINS, (-np.pi, np.pi))[0]
    middles = (np.arange(BINS) + 0.5) * 2.0 * np.pi / BINS - np.pi
    is_covered = counts > 0.5 * counts.max()
    lowest = np.argmin(np.abs(middles))  # in the charge, which ends at the first uncovered bin on each side
    toe = next((k for k in range(lowest, -1, -1) if not is_covered[k]), 0)
    shoulder = next((k for k in range(lowest, BINS) if not is_covered[k]), BINS - 1)
    half = np.pi / BINS
    return middles[toe] + half, middles[shoulder] - half


def torque_of_segment(run):
    """Estimated torque if all balls lie in a segment of the circle whose chord is parallel to the line
    from toe to shoulder [N m]."""
    toe, shoulder = toe_and_shoulder(run)
    first_frame = run.frames[0]
    fill = float(first_frame.volumes.sum()) / PACKED / (np.pi * RADIUS**2 * LENGTH)
    halves = np.linspace(0.01, np.pi, 2000)  # half the angle of the segment, alpha - sin alpha cos alpha = pi fill
    alpha = np.interp(np.pi * fill, halves - np.sin(halves) * np.cos(halves), halves)
    arm = 2.0 * RADIUS * np.sin(alpha) ** 3 / (3.0 * np.pi * fill)
    return GRAVITY * float(first_frame.masses.sum()) * arm * np.sin(0.5 * (toe + shoulder))
