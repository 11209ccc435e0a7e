"""Slopes: the flank of a heap with its angle of repose, and the bed of a turning drum."""

import configparser

import numpy as np

import scree.configuration
import scree.units
import scree.view

PACKED = 0.6  # solid fraction with which volumes become heights
FLANK = (0.1, 0.5)  # shares of the greatest depth between which the flank is: not single layers, not the top
# What tells a heap from a bed between walls: by sectors about its middle as far, over more than a step of rings, on a floor.
SECTORS = 8
ROUND = 0.06  # standard deviation of the sectors' reach over its mean; that of a square is 0.1
FEWEST_RINGS = 3  # of the flank
MIDDLE, CUT = (0.25, 0.75), 1.1  # shares of the height; how far a line through them may end beyond all grains
FLOOR = 3.0  # height of the flank's lowest grains above the lowest of all [mean radii]


def depth_profile(snapshot, extent, ring=None, rows=slice(None)):
    """Radii of the middles of rings [m] and the mean depth of the heap in them [m], out to `extent` [m].

    ring: their width [m], three quarters of the mean diameter unless told;  rows: of the particles in the heap.
    Heights are along z; the middle is the mean of the places.
    """
    place = snapshot["position"][rows, :2]
    ring = 1.5 * float(snapshot["radius"][rows].mean()) if ring is None else ring
    radius = np.hypot(*(place - place.mean(axis=0)).T)
    edges = np.arange(0.0, extent + ring, ring)
    volume = np.histogram(radius, edges, weights=snapshot.volumes[rows])[0]
    return 0.5 * (edges[1:] + edges[:-1]), volume / PACKED / (np.pi * np.diff(edges**2))


def flank(radius, depth, shares=FLANK):
    """Slope and foot of a heap: -dh/dr, and where the line through its flank comes to h = 0 [m]; radius, depth: [K] [m]."""
    top = depth[: max(3, len(depth) // 20)].max()
    rows = (depth > shares[0] * top) & (depth < shares[1] * top)
    slope, constant = np.polyfit(radius[rows], depth[rows], 1)
    return -slope, -constant / slope


def angle(snapshot):
    """Angle of repose of a heap on a floor across z [degrees], from the slope of its flank between FLANK of its height.

    Whatever they form: see `is_heap`. The edge of a plate within that range would be taken for flank.
    """
    return float(np.degrees(np.arctan(flank(*depth_profile(snapshot, float(snapshot.upper[0])))[0])))


def is_heap(snapshot):
    """Whether the grains lie as a round heap on a floor across z, and not in a box, a pipe or a funnel."""
    if snapshot.periodic[:2].any() or scree.view.vertical(snapshot)[2] < 0.999:
        return False
    place = snapshot["position"] - snapshot["position"].mean(axis=0)
    distance, sector = np.hypot(*place.T[:2]), np.arctan2(place[:, 1], place[:, 0]) / (2.0 * np.pi / SECTORS)
    sector = np.round(sector).astype(int) % SECTORS
    reach = [np.quantile(distance[sector == k], 0.9) for k in range(SECTORS) if np.any(sector == k)]
    if len(reach) < SECTORS or np.std(reach) > ROUND * np.mean(reach):
        return False
    radius, depth = depth_profile(snapshot, float(distance.max()))
    inner = slice(max(3, len(depth) // 5))
    top = np.average(depth[inner], weights=radius[inner])
    rows = np.flatnonzero((depth > FLANK[0] * top) & (depth < FLANK[1] * top))
    if len(rows) < FEWEST_RINGS or rows[-1] + 1 == len(depth):  # the latter: cut off, as by the edge of a plate
        return False
    middle = (depth > MIDDLE[0] * top) & (depth < MIDDLE[1] * top)
    if middle.sum() > 1 and flank(radius[middle], depth[middle], (0.0, np.inf))[1] > CUT * distance.max():
        return False
    in_flank = (distance > radius[rows[0]]) & (distance < radius[rows[-1]])
    lowest = np.quantile(place[in_flank, 2], 0.05) - place[:, 2].min() if in_flank.any() else np.inf
    return bool(lowest < FLOOR * snapshot["radius"].mean())


def drum_of(snapshot):
    """The pipe of its scene that turns about a horizontal axis: (centre [m], direction of the axis), None without one."""
    try:
        scene = scree.configuration.parsed(snapshot.configuration)
    except configparser.Error:
        return None
    for section in map(scene.__getitem__, scene.sections()):
        if not section.name.startswith("wall.") or section.get("shape") != "pipe" or "angular_velocity" not in section:
            continue
        rate = scree.units.split(section["angular_velocity"])[0]
        centre = scree.units.in_si(section.get("centre", "0 0 0"), scree.units.METRES)
        size = np.linalg.norm(rate)
        if size > 0.0 and abs(rate @ scree.view.vertical(snapshot)) < 1e-3 * size:
            return centre, rate / size
    return None


def drum_angle(snapshot, drum):
    """Angle of the bed of `drum_of`: between the vertical and the way from the axis to the centre of mass [degrees]."""
    centre, axis = drum
    arm = np.average(snapshot["position"], axis=0, weights=snapshot.volumes) - centre
    arm -= (arm @ axis) * axis
    down = -scree.view.vertical(snapshot)
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(arm, down)), arm @ down)))
