"""Velocity, spin and density in the cells of a plane or along an axis."""

import numpy as np

import scree.figure
import scree.free_space
import scree.grid
import scree.means
import scree.units
from scree.errors import UsageError

FIELDS = ("position", "velocity", "angular_velocity", "radius", "material")
# Column and label of each panel.
PANELS = (
    ("speed", "mean " + scree.units.LABELS["speed"]), ("angular_speed", "mean " + scree.units.LABELS["angular_speed"]),
    ("solid_fraction", scree.units.LABELS["solid_fraction"]),
)  # fmt: skip
# What is summed up of the particles in a cell: how many numbers, and what they are in a snapshot, [N, numbers].
SUMS = {
    "samples": (1, lambda snapshot: np.ones((len(snapshot), 1))),
    "velocity": (3, lambda snapshot: snapshot["velocity"]),
    "speed": (1, lambda snapshot: np.linalg.norm(snapshot["velocity"], axis=1, keepdims=True)),
    "angular_velocity": (3, lambda snapshot: snapshot["angular_velocity"]),
    "angular_speed": (1, lambda snapshot: np.linalg.norm(snapshot["angular_velocity"], axis=1, keepdims=True)),
    "mass": (1, lambda snapshot: snapshot.masses[:, None]),
}


def profile(snapshots, region_of, axes, cells):
    """The scree.grid.Grid of one Snapshot or more; its columns are those of PREFIX.csv, see profiles.py.

    region_of: Snapshot -> Region;  axes: of space, one or two;  cells: as many numbers
    Raises UsageError if no particle is in the region in any frame.
    """
    sums = {name: np.zeros((int(np.prod(cells)), numbers)) for name, (numbers, _) in SUMS.items()}
    solid, free, last_poses, times = np.zeros(int(np.prod(cells))), np.zeros(int(np.prod(cells))), None, []
    for snapshot in snapshots:
        region = region_of(snapshot)
        inside, cell = _cells(snapshot["position"], region, axes, cells)
        for places, volumes in scree.free_space.pieces(snapshot):
            rows, of = _cells(places, region, axes, cells)
            solid += np.bincount(of, volumes[rows], minlength=len(solid))
        poses = snapshot.poses
        if poses != last_poses:
            share = scree.free_space.shares(snapshot, region.lower, region.upper, axes, cells)
            last_poses = poses
        free += share
        for name, (_, values) in SUMS.items():
            scree.grid.add(sums[name], cell, values(snapshot)[inside])
        times.append(snapshot.time)
    if not sums["samples"].any():
        raise UsageError(f"there are no particles in {region}")
    columns = _columns(sums, len(times) * region.volume / len(solid))
    shaped = {name: values.reshape(cells) for name, values in columns.items()}
    free = free.reshape(cells, order="F") / len(times)
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction = solid.reshape(cells) * solid.size / (free * len(times) * region.volume)
    shaped |= {"solid_fraction": np.where(free > scree.free_space.LEAST, fraction, np.nan), "free_share": free}
    return scree.grid.Grid(tuple(axes), scree.grid.edges(region, axes, cells), shaped, tuple(times))


def _cells(places, region, axes, cells):
    """Which of places [N, 3] are in the region, [M], and in which of its cells, [M]."""
    inside = np.flatnonzero(region.holds(places))
    share = (places[inside] - region.lower) / (region.upper - region.lower)
    index = [np.minimum((share[:, axis] * number).astype(int), number - 1)  # rounding at the end
             for axis, number in zip(axes, cells)]  # fmt: skip
    return inside, np.ravel_multi_index(index, cells)


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
    return columns


def write_table(path, result, region):
    counts = "x".join(str(len(edges) - 1) for edges in result.edges)
    along = "".join("xyz"[axis] for axis in result.axes)
    notes = [
        f"profile along {along}, {counts} cells, {scree.means.over(result.times)}; SI units",
        f"region {region}",
        "velocities are means over the samples, densities over the frames; solid_fraction is over the space that walls "
        "leave, free_share, and has of spheres what lies in a cell; what else is of those with their centre in it",
    ]
    scree.grid.write_table(path, notes, result)


def write_picture(path, result, snapshot, region):
    figure = scree.grid.figure_of(result, PANELS, snapshot)
    scree.figure.save(figure, path, over=result.times, where=scree.grid.across(region, result.axes))
