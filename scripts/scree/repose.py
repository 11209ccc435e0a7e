"""Slopes: the flank of a heap with its angle of repose, and the bed of a rotating drum."""

from __future__ import annotations

import configparser

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial

import scree.configuration
import scree.snapshot
import scree.units
import scree.view
from scree.errors import UsageError

PACKED = 0.6  # solid fraction that is assumed in order to convert volumes to depths
DEPTHS = (0.1, 0.5)  # range of depths in `flank`, as fractions of the largest
FLANK = (0.2, 0.8)  # range of heights in `angle`, as fractions of the heap's height
MIN_PARTICLES = 100  # smallest number of particles of a heap
SECTORS = 8  # number of sectors of the jackknife
MIN_LAYERS = 3  # smallest height of a heap, and width of its flank [mean diameters]
MIN_COVERED = 0.7  # smallest fraction of a ring's cells that contain particles
AT_REST = 0.5  # largest speed of a particle at rest [(g d)^(1/2)]
MAX_MOVING = 0.2  # largest fraction of moving particles of a heap
MAX_DEVIATION = 0.1  # largest standard deviation of the sectors' surfaces from the cone [height of the heap]


def depth_profile(snapshot, extent, ring=None, rows=slice(None)):
    """Mean radii of rings [m] and the mean depth of the heap in them [m], up to the radius `extent` [m].

    ring: width of the rings [m], three quarters of the mean diameter by default
    rows: of the particles in the heap

    Depths are along z. The axis goes through the mean position of the particles.
    """
    position = snapshot["position"][rows, :2]
    ring = 1.5 * float(snapshot["radius"][rows].mean()) if ring is None else ring
    radius = np.hypot(*(position - position.mean(axis=0)).T)
    edges = np.arange(0.0, extent + ring, ring)
    volume = np.histogram(radius, edges, weights=snapshot.volumes[rows])[0]
    return 0.5 * (edges[1:] + edges[:-1]), volume / PACKED / (np.pi * np.diff(edges**2))


def flank(radius, depth, shares=DEPTHS):
    """Slope -dh/dr of a heap's flank, and the radius of its foot: h = 0 on the fitted line [m].

    radius, depth: of the rings, [K] [m];  shares: range of depths of the fitted rings, as DEPTHS
    """
    top = depth[: max(3, len(depth) // 20)].max()
    rows = (depth > shares[0] * top) & (depth < shares[1] * top)
    slope, constant = np.polyfit(radius[rows], depth[rows], 1)
    return -slope, -constant / slope


def _groups(snapshot):
    """Connected sets of particles at rest, the largest first: [(rows, fraction of moving particles among them)].

    The sets separate the heap from falling particles and from particles below a plate or in a hopper.
    """
    if not len(snapshot):
        return []
    diameter = 2.0 * float(snapshot["radius"].mean())
    acceleration = np.linalg.norm(scree.view.gravity(snapshot))
    is_at_rest = np.ones(len(snapshot), bool)
    if acceleration > 0.0 and "velocity" in snapshot.fields:
        is_at_rest = snapshot.speed < AT_REST * np.sqrt(acceleration * diameter)
    positions, owner = np.unique(np.floor(snapshot["position"] / diameter).astype(int), axis=0, return_inverse=True)
    is_occupied = np.bincount(owner.ravel(), is_at_rest) > 0.0
    pairs = scipy.spatial.cKDTree(positions).query_pairs(1.8, output_type="ndarray")  # cells with a common corner
    pairs = pairs[is_occupied[pairs].all(axis=1)]
    links = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), 2 * [len(positions)])
    group = scipy.sparse.csgraph.connected_components(links, directed=False)[1][owner.ravel()]
    group_sizes = np.bincount(group, is_at_rest)
    largest_first = np.argsort(-group_sizes)[: np.count_nonzero(group_sizes >= MIN_PARTICLES)]
    return [(np.flatnonzero((group == k) & is_at_rest), np.mean(~is_at_rest[group == k])) for k in largest_first]


def _surface(snapshot, rows):
    """Surface of a set: distance from the axis [m], angle about it [rad], height above the set's lowest point [m];
    [C] each.

    One point per cell of a mean diameter: the top of the highest sphere with its centre in the cell.
    """
    centre, radius, owner = snapshot.members()
    is_in_set = np.isin(owner, rows)
    centre, top = centre[is_in_set], (centre[:, 2] + radius)[is_in_set]
    arm = centre[:, :2] - centre[:, :2].mean(axis=0)
    cell = np.floor(arm / (2.0 * float(snapshot["radius"].mean()))).astype(int)
    order = np.lexsort((top, *cell.T))
    is_last = np.append(np.any(np.diff(cell[order], axis=0), axis=1), True)
    arm, top = arm[order[is_last]], top[order[is_last]]
    return np.hypot(*arm.T), np.arctan2(arm[:, 1], arm[:, 0]), top - np.quantile((centre[:, 2] - radius[is_in_set]), 0.01)


def _find_flank(distance, height, size, shares):
    """Which points of a surface are on the flank, [C] of bool, and the heap's height [m]; raises UsageError.

    distance, height: as from `_surface` [m];  size: mean diameter [m];  shares: fractions of the height, as FLANK
    """
    ring = (distance / size).astype(int)
    count = np.bincount(ring)
    mean = np.bincount(ring, height) / np.maximum(count, 1)
    is_covered = count > MIN_COVERED * np.pi * (2 * np.arange(len(count)) + 1)
    is_covered[:4] = True  # the innermost rings have too few cells to test
    reach = len(is_covered) if is_covered.all() else int(np.argmin(is_covered))
    top = mean[:reach].max()
    # The last covered ring is left out, because it is the edge of a plate if the heap ends there.
    rings = np.flatnonzero((mean > shares[0] * top) & (mean < shares[1] * top))
    rings = rings[rings < reach - 1]
    if min(len(rings), top / size) < MIN_LAYERS:
        raise UsageError(
            f"the grains lie {top / size:.1f} diameters high with a flank {len(rings)} diameters wide; "
            f"expected at least {MIN_LAYERS} for both in a round heap"
        )
    return np.isin(ring, rings), top


def angle(snapshot: scree.snapshot.Snapshot, shares: tuple[float, float] = FLANK) -> tuple[float, float]:
    """Angle of repose of a round heap about z and its standard error, in degrees.

    It is the slope of a line fitted to the height of the surface as a function of the distance from the axis. The line
    is fitted where the mean height is between these `shares` of the heap's height, counted from the lowest particles.
    The surface is the highest particle in each cell of a mean diameter. Moving and separate particles, and the edge of
    a plate, do not count. The error is the jackknife error over eight sectors. If the flank is not straight, the slope
    depends on `shares`. The heap is the largest connected set of particles that is round.

    Raises UsageError with the reason if there is no such heap, for example in a box, or while particles still move.
    """
    if snapshot.periodic[:2].any() or scree.view.vertical(snapshot)[2] < 0.999:
        raise UsageError("expected a round heap in a domain that is not periodic along x or y, with gravity along -z")
    errors = []
    for rows, moving in _groups(snapshot):
        try:
            return _angle_of(snapshot, rows, moving, shares)
        except UsageError as error:
            errors.append(error)
    message = f"there is no connected set of {MIN_PARTICLES} grains; expected a round heap"
    raise errors[0] if errors else UsageError(message)


def _angle_of(snapshot, rows, moving, shares):
    """`angle` of a set of particles, with the fraction of moving particles among them; raises UsageError."""
    if moving > MAX_MOVING:
        raise UsageError(f"{moving:.0%} of the grains still move; expected {MAX_MOVING:.0%} at most in a heap")
    distance, direction, height = _surface(snapshot, rows)
    is_on_flank, top = _find_flank(distance, height, 2.0 * float(snapshot["radius"].mean()), shares)
    distance, height = distance[is_on_flank], height[is_on_flank]
    sector = np.floor((direction[is_on_flank] / np.pi + 1.0) * 0.5 * SECTORS).astype(int) % SECTORS
    slope, constant = np.polyfit(distance, height, 1)
    count = np.bincount(sector, minlength=SECTORS)
    deviation = np.bincount(sector, height - constant - slope * distance, SECTORS) / np.maximum(count, 1)
    if slope >= 0.0 or count.min() == 0 or np.std(deviation) > MAX_DEVIATION * top:
        raise UsageError("the surface of the grains differs from a cone about z; expected a round heap")
    jackknife_slopes = [np.polyfit(distance[sector != k], height[sector != k], 1)[0] for k in range(SECTORS)]
    angles = np.degrees(np.arctan(np.negative([slope, *jackknife_slopes])))
    error = np.sqrt((SECTORS - 1) * np.mean((angles[1:] - angles[1:].mean()) ** 2))
    return float(angles[0]), float(error)


def drum_of(snapshot):
    """Pipe of the scene that rotates about a horizontal axis: (centre [m], direction of the axis).

    None without such a pipe. The first motion that turns the pipe counts: its own or that of a [motion.NAME].
    """
    try:
        scene = scree.configuration.parsed(snapshot.configuration)
    except configparser.Error:
        return None
    for section in map(scene.__getitem__, scene.sections()):
        if not section.name.startswith("wall.") or section.get("shape") != "pipe":
            continue
        wall = section.name.removeprefix("wall.")
        motions = [scene[name] for name in scene.sections() if name.startswith("motion.") and wall in scene[name].get("wall", "").split()]
        centre = scree.units.in_si(section.get("centre", "0 0 0"), scree.units.METRES)
        for rotation in map(_rotation, [section, *motions]):
            norm = np.linalg.norm(rotation)
            if norm > 0.0 and abs(rotation @ scree.view.vertical(snapshot)) < 1e-3 * norm:
                return centre, rotation / norm
    return None


def _rotation(section):
    """A vector along the axis of a wall or motion, in the sense of its rotation; zero without rotation, [3].

    The sense of a table is that of its mean rate or of the sum of its turns.
    """
    rate = scree.units.split(section.get("angular_velocity", "0 0 0"))[0]
    if rate.any():
        return rate
    for column in section.get("motion", "").split(","):
        head, _, values = column.strip().partition(" ")
        numbers = scree.units.split(values)[0]
        if head.startswith(("rate_", "angle_")):
            turn = numbers.mean() if head.startswith("rate_") else numbers[-1] - numbers[0]
            return turn * scree.units.split(section["axis"])[0]
    return np.zeros(3)


def drum_angle(snapshot, drum):
    """Angle of the bed in a drum from `drum_of`: from straight down to the line from the axis to the centre of mass
    [degrees].

    Positive if the bed is displaced in the sense of the rotation.
    """
    centre, axis = drum
    arm = np.average(snapshot["position"], axis=0, weights=snapshot.masses) - centre
    down = -scree.view.vertical(snapshot)
    return float(np.degrees(np.arctan2(axis @ np.cross(down, arm), arm @ down)))
