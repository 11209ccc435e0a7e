"""The flank of a heap: its depth over the distance from its middle, and the angle of repose."""

import numpy as np

PACKED = 0.6  # solid fraction with which volumes become heights
FLANK = (0.1, 0.5)  # shares of the greatest depth between which the flank is: not single layers, not the top


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


def flank(radius, depth):
    """Slope and foot of a heap: -dh/dr, and where the line through its flank comes to h = 0 [m]; radius, depth: [K] [m]."""
    top = depth[: max(3, len(depth) // 20)].max()
    rows = (depth > FLANK[0] * top) & (depth < FLANK[1] * top)
    slope, constant = np.polyfit(radius[rows], depth[rows], 1)
    return -slope, -constant / slope


def angle(snapshot):
    """Angle of repose of a heap on a floor across z [degrees], from the slope of its flank."""
    return float(np.degrees(np.arctan(flank(*depth_profile(snapshot, float(snapshot.upper[0])))[0])))
