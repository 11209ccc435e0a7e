"""Axisymmetric means for hoppers, silos, mixers and heaps: velocity and density in rings about an axis.

A particle counts in the ring that contains its centre. Velocities have components along r, theta (positive for a
right-handed rotation about the axis) and the axis. For the solid fraction, the volume of each sphere is divided among
the rings, and the volume of a ring is its free space in the domain (scree.free_space).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

import scree.figure
import scree.free_space
import scree.grid
import scree.means
import scree.table
import scree.units
from scree.errors import UsageError
from scree.snapshot import Snapshot

FINE, FINE_ALONG = 8, 2  # lattice points in a ring, which measure its free space: radially, along the axis
MAX_POINTS = 5e7  # largest number of lattice points
# Quantities that are summed in the rings.
NAMES = ("samples", "velocity_r", "velocity_theta", "velocity_axis", "speed", "mass", "solid", "free")


@dataclasses.dataclass
class Rings:
    """Means in rings about an axis."""

    axis: int  # 0 to 2
    centre: np.ndarray  # a point of the axis [3] [m]
    edges: tuple[np.ndarray, np.ndarray]  # radii [n + 1] [m], positions along the axis [m + 1] [m]
    columns: dict[str, np.ndarray]  # name -> [n, m]; NaN without particles or free space
    times: tuple  # of the snapshots [s]


def edges(snapshot: Snapshot, axis: int, centre: np.ndarray, counts: tuple[int, int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Edges of rings that contain all particles of a Snapshot; by default each ring is approximately one
    mean diameter wide.

    counts: numbers of rings along the radius and along the axis
    """
    positions, radius = snapshot["position"], snapshot["radius"]
    if not len(positions):
        raise UsageError(f"'{snapshot.path}' has no particles")
    distance = _cylindrical(positions - centre, axis)[0] + radius
    low = max((positions[:, axis] - radius).min(), snapshot.lower[axis])
    high = min((positions[:, axis] + radius).max(), snapshot.upper[axis])
    ring_width = 2.0 * float(radius.mean()) * scree.grid.SMALLEST_CELL
    rings, layers = counts or (max(int(length / ring_width), 1) for length in (distance.max(), high - low))
    return np.linspace(0.0, distance.max(), rings + 1), np.linspace(low, high, layers + 1)


def _cylindrical(arms, axis):
    """Distances from the axis [N], and unit vectors along r [N, 3], which are zero on the axis."""
    radial_arms = np.where(np.arange(3) == axis, 0.0, arms)
    distance = np.linalg.norm(radial_arms, axis=1)
    return distance, radial_arms / np.maximum(distance, 1e-300)[:, None]


def _histogram(distance, height, ends, weights=None):
    return np.histogram2d(distance, height, ends, weights=weights)[0]


def _free(snapshot, axis, centre, ends):
    """Free volumes of the rings [n, m] [m^3]."""
    spans = [[centre[k] - ends[0][-1], centre[k] + ends[0][-1]] for k in range(3)]
    spans[axis] = [ends[1][0], ends[1][-1]]
    counts = [2 * FINE * (len(ends[0]) - 1)] * 3
    counts[axis] = FINE_ALONG * (len(ends[1]) - 1)
    if np.prod(counts, dtype=float) > MAX_POINTS:
        raise UsageError(f"{len(ends[0]) - 1} x {len(ends[1]) - 1} rings need {np.prod(counts, dtype=float):.3g} "
                         f"lattice points for their free space; expected at most {MAX_POINTS:g}")  # fmt: skip
    lines = [low + (high - low) * (np.arange(count) + 0.5) / count for (low, high), count in zip(spans, counts)]
    free = scree.free_space.FreeSpace(snapshot).at(lines) if snapshot.walls else np.ones(counts, bool)
    for k, line in enumerate(lines):
        # Images do not count (profile), so space outside the domain does not either.
        is_inside = (line >= snapshot.lower[k]) & (line < snapshot.upper[k])
        free &= is_inside.reshape([-1 if k == j else 1 for j in range(3)])
    distance = np.linalg.norm(np.meshgrid(*(line - centre[k] for k, line in enumerate(lines) if k != axis), indexing="ij"), axis=0)
    ring = (distance / ends[0][-1] * (len(ends[0]) - 1)).astype(int).ravel()  # lattice corners are beyond the last ring
    layers = np.moveaxis(free, axis, 0).reshape(len(ends[1]) - 1, FINE_ALONG, -1).mean(axis=1)
    fraction = np.array([np.bincount(ring, layer)[: len(ends[0]) - 1] for layer in layers]).T
    fraction /= np.bincount(ring)[: len(ends[0]) - 1, None]
    return np.pi * np.diff(ends[0] ** 2)[:, None] * np.diff(ends[1]) * fraction


def profile(snapshots: Iterable[Snapshot], axis: int, centre: np.ndarray, ends: tuple[np.ndarray, np.ndarray]) -> Rings:
    """The Rings of all Snapshots; periodic images do not count. Raises UsageError.  ends: from `edges`"""
    centre = np.asarray(centre, dtype=float)
    shape = (len(ends[0]) - 1, len(ends[1]) - 1)
    sums = {name: np.zeros(shape) for name in NAMES}
    times: list[float] = []
    free, last_space = np.zeros(shape), None
    for snapshot in snapshots:
        space = (snapshot.poses, *snapshot.lower, *snapshot.upper)
        if space != last_space:
            free, last_space = _free(snapshot, axis, centre, ends), space
        positions, velocity = snapshot["position"], snapshot["velocity"]
        distance, outward = _cylindrical(positions - centre, axis)
        azimuthal = np.cross(np.eye(3)[axis], outward)
        values = {"samples": np.ones(len(positions)), "velocity_r": np.einsum("ni,ni->n", velocity, outward),
                  "velocity_theta": np.einsum("ni,ni->n", velocity, azimuthal), "velocity_axis": velocity[:, axis],
                  "speed": np.linalg.norm(velocity, axis=1), "mass": snapshot.masses}  # fmt: skip
        for name, value in values.items():
            sums[name] = sums[name] + _histogram(distance, positions[:, axis], ends, value)
        for pieces, volumes in scree.free_space.pieces(snapshot):
            sums["solid"] = sums["solid"] + _histogram(_cylindrical(pieces - centre, axis)[0], pieces[:, axis], ends, volumes)
        sums["free"] = sums["free"] + free
        times.append(snapshot.time)
    if not times or not np.any(sums["samples"]):
        raise UsageError("there are no particles in the rings")
    volume = len(times) * np.pi * np.diff(ends[0] ** 2)[:, None] * np.diff(ends[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {"samples": sums["samples"]}
        for name in ("velocity_r", "velocity_theta", "velocity_axis", "speed"):
            columns[name.replace("axis", "xyz"[axis])] = sums[name] / sums["samples"]
        columns |= {"number_density": sums["samples"] / volume, "mass_density": sums["mass"] / volume}
        is_free = sums["free"] > scree.free_space.MIN_FREE * volume
        columns |= {"solid_fraction": np.where(is_free, sums["solid"] / sums["free"], np.nan), "free_share": sums["free"] / volume}
    return Rings(axis, centre, ends, columns, tuple(times))


def write_table(path, rings: Rings) -> None:
    """Writes one row per ring; r changes fastest."""
    middles = [0.5 * (edge[1:] + edge[:-1]) for edge in rings.edges]
    r, along = (values.ravel(order="F") for values in np.meshgrid(*middles, indexing="ij"))
    letter, centre = "xyz"[rings.axis], " ".join(f"{value:.9g}" for value in rings.centre)
    notes = [f"means about {letter} through {centre} m, {scree.means.over(rings.times)}; SI units"]
    columns = {"r": r, letter: along} | {name: values.ravel(order="F") for name, values in rings.columns.items()}
    scree.table.write(path, notes, columns)


def figure_of(rings: Rings):
    """Maps in r and along the axis: velocities with symmetric colour scales, and the solid fraction."""
    unit, metres = scree.figure.length_unit(max(np.ptp(edge) for edge in rings.edges))
    letter = "xyz"[rings.axis]
    names = [("velocity_r", "$v_r$ [m/s]"), ("velocity_theta", r"$v_\theta$ [m/s]"), (f"velocity_{letter}", f"$v_{letter}$ [m/s]"),
             ("solid_fraction", "$φ$")]  # fmt: skip
    width, height = (np.ptp(edge) for edge in rings.edges)
    size = (scree.figure.PAGE / 2, min(scree.figure.PAGE / 2 * height / width, scree.grid.MAX_HEIGHT) + 0.8)
    figure, panels = scree.figure.panels(4, 2, size, layout="compressed")
    has_particles = np.nan_to_num(rings.columns["solid_fraction"]) > 0.0
    for axes, (name, label) in zip(panels, names):
        values = np.where(has_particles, rings.columns[name], np.nan)
        top = scree.grid.colour_top(np.abs(values)) if np.isfinite(values).any() else None
        is_signed = name != "solid_fraction"
        top = top if top and top > scree.units.AT_REST["speed"] else 1.0
        mesh = axes.pcolormesh(*(edge / metres for edge in rings.edges), np.ma.masked_invalid(values).T, vmin=-top * is_signed,
                               vmax=top, cmap="RdBu_r" if is_signed else scree.figure.COLOUR_MAP, rasterized=True)  # fmt: skip
        axes.set_aspect("equal")
        scree.figure.draw_bar(axes, mesh, label, False)
        axes.set(xlabel=f"$r$ [{unit}]", ylabel=f"${letter}$ [{unit}]")
        axes.label_outer()
    return figure
