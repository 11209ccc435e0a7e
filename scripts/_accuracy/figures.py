"""Figures of snapshots for figures.ini: functions of a run (scree.directory.Run)."""

import numpy as np

import scree.snapshot


def _second_half(run):
    """The snapshots of the second half of a run."""
    return [scree.snapshot.read_snapshot(path) for path in run.snapshots[len(run.snapshots) // 2 :]]


def _last_snapshot(run):
    return scree.snapshot.read_snapshot(run.snapshots[-1])


def height(run):
    """Height of the centre of mass, mean over the second half of the run [m]."""
    return np.mean([np.average(frame["position"][:, 2], weights=frame.masses) for frame in _second_half(run)])


def spread(run):
    """Horizontal distance from the origin that a tenth of the particles exceeds at the end [m]."""
    frame = _last_snapshot(run)
    axes = [axis for axis in (0, 1) if not frame.periodic[axis]]
    return np.quantile(np.linalg.norm(frame["position"][:, axes], axis=1), 0.9)


def ball(run):
    """Height of the largest particle at the end [m]."""
    frame = _last_snapshot(run)
    return frame["position"][np.argmax(frame["radius"]), 2]


def precession(run):
    """Angle by which the axis of the only body has turned about z since the first snapshot [rad]."""
    angles = []
    for path in run.snapshots:
        w, x, y, z = scree.snapshot.read_snapshot(path)["orientation"][0]
        angles.append(np.arctan2(2.0 * (y * z - w * x), 2.0 * (x * z + w * y)))
    return np.unwrap(angles)[-1] - angles[0]
