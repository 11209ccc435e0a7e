"""Velocity, spin and density in the cells of a plane or along an axis."""

import numpy as np

import scree.figure
import scree.grid
from scree.errors import UsageError

FIELDS = ("position", "velocity", "angular_velocity", "radius", "material")
# Column and label of each panel.
PANELS = (
    ("speed", "mean speed [m/s]"),
    ("angular_speed", "mean angular speed [rad/s]"),
    ("velocity_norm", "norm of the mean velocity [m/s]"),
    ("solid_fraction", "solid fraction"),
)
# What is summed up of the particles in a cell: how many numbers, and what they are in a snapshot, [N, numbers].
SUMS = {
    "samples": (1, lambda snapshot: np.ones((len(snapshot), 1))),
    "velocity": (3, lambda snapshot: snapshot["velocity"]),
    "speed": (1, lambda snapshot: np.linalg.norm(snapshot["velocity"], axis=1, keepdims=True)),
    "angular_velocity": (3, lambda snapshot: snapshot["angular_velocity"]),
    "angular_speed": (1, lambda snapshot: np.linalg.norm(snapshot["angular_velocity"], axis=1, keepdims=True)),
    "mass": (1, lambda snapshot: snapshot.masses[:, None]),
    "volume": (1, lambda snapshot: snapshot.volumes[:, None]),
}


def profile(snapshots, region_of, axes, cells):
    """The scree.grid.Grid of one Snapshot or more; its columns are those of PREFIX.csv, see profiles.py.

    region_of: Snapshot -> Region;  axes: of space, one or two;  cells: as many numbers
    Raises UsageError if no particle is in the region in any frame.
    """
    sums = {name: np.zeros((int(np.prod(cells)), numbers)) for name, (numbers, _) in SUMS.items()}
    frames = 0
    for snapshot in snapshots:
        region = region_of(snapshot)
        inside = np.flatnonzero(region.holds(snapshot["position"]))
        share = (snapshot["position"][inside] - region.lower) / (region.upper - region.lower)
        index = [
            np.minimum((share[:, axis] * number).astype(int), number - 1)  # rounding at the end
            for axis, number in zip(axes, cells)
        ]
        cell = np.ravel_multi_index(index, cells)
        for name, (_, values) in SUMS.items():
            scree.grid.add(sums[name], cell, values(snapshot)[inside])
        frames += 1
    if not sums["samples"].any():
        raise UsageError(f"there are no particles in {region}")
    columns = _columns(sums, frames * region.volume / len(sums["samples"]))
    shaped = {name: values.reshape(cells) for name, values in columns.items()}
    return scree.grid.Grid(tuple(axes), scree.grid.edges(region, axes, cells), shaped, frames)


def _columns(sums, volume):
    """Velocities are means over the samples, NaN without any; densities over a cell's volume of all frames [m^3]."""
    samples = sums["samples"][:, 0]
    columns = {"samples": samples.astype(int)}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, norm in (("velocity", "speed"), ("angular_velocity", "angular_speed")):
            mean = sums[name] / samples[:, None]
            columns |= {f"{name}_{'xyz'[k]}": mean[:, k] for k in range(3)}
            columns[f"{name}_norm"] = np.linalg.norm(mean, axis=1)
            columns[norm] = sums[norm][:, 0] / samples
    columns["number_density"] = samples / volume
    columns["mass_density"] = sums["mass"][:, 0] / volume
    columns["solid_fraction"] = sums["volume"][:, 0] / volume
    return columns


def write_table(path, result, region):
    counts = "x".join(str(len(edges) - 1) for edges in result.edges)
    along = "".join("xyz"[axis] for axis in result.axes)
    notes = [
        f"profile along {along}, {counts} cells, {result.frames} frames; SI units",
        f"region {region}",
        "velocities are means over the samples, densities over the frames; the volume of walls and "
        "obstacles is not taken off that of the cells",
    ]
    scree.grid.write_table(path, notes, result)


def write_picture(path, result, snapshot):
    scree.figure.save(scree.grid.figure_of(result, PANELS, snapshot), path)
