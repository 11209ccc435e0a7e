"""Voronoi cells of particles: their volumes, and the solid fraction phi_i = V_i/V_cell of each particle in its cell.

The cell of a particle is the space nearer to its centre than to any other (G. Voronoi, J. reine angew. Math. 134, 198
(1908)). Beyond periodic faces lie images of the particles, with an offset in a sheared domain. Flat walls and other
faces of the domain mirror the centres, so that cells end at these planes. Sizes of particles have no influence: the
cell of a large particle next to a small one is too small. The distribution of phi_i shows more than the mean (T. Aste,
T. Di Matteo, Phys. Rev. E 77, 021309 (2008)).
"""

from __future__ import annotations

import numpy as np
import scipy.spatial

import scree.free_space
from scree.errors import UsageError
from scree.snapshot import Snapshot

REACH = 1.2  # largest distance of a cell's corners from its particle [mean diameters]; larger cells are open
MARGIN = 3.0  # initial depth of the layer of images beyond faces [mean distances of particles]
MIN_POINTS = 5  # smallest number of points for scipy's Voronoi


def _planes(snapshot):
    """Flat walls and non-periodic faces of the domain: [(normal into the free space, offset [m])]."""
    planes = list(scree.free_space.FreeSpace(snapshot).planes) if snapshot.walls else []
    for axis in range(3):
        if not snapshot.repeats[axis]:
            normal = np.eye(3)[axis]
            planes += [(normal, snapshot.lower[axis]), (-normal, -snapshot.upper[axis])]
    return planes


def _add_surroundings(snapshot, places, planes, margin):
    """Positions [N, 3], followed by their images up to `margin` [m] beyond periodic faces and planes: [M, 3]."""
    points = places
    extent = snapshot.upper - snapshot.lower
    # The axis of the gradient comes first: images along it have moved with the flow, and are wrapped into the flow's period.
    for axis in sorted(np.flatnonzero(snapshot.repeats), key=lambda k: not snapshot.shear or k != snapshot.shear[2]):
        step = extent[axis] * np.eye(3)[axis]
        if snapshot.shear and axis == snapshot.shear[2]:
            flow = snapshot.shear[1]
            step += snapshot.image_offsets(np.ones((1, 3)))[0]
        low, high = points[:, axis] < snapshot.lower[axis] + margin, points[:, axis] >= snapshot.upper[axis] - margin
        images = np.concatenate([points[low] + step, points[high] - step])
        if snapshot.shear and axis == snapshot.shear[2]:
            images[:, flow] = snapshot.lower[flow] + np.mod(images[:, flow] - snapshot.lower[flow], extent[flow])
        points = np.concatenate([points, images])
    for normal, offset in planes:
        height = points @ normal - offset
        is_near = (height > 0.0) & (height < margin)
        points = np.concatenate([points, points[is_near] - 2.0 * height[is_near, None] * normal])
    return points


def _cells(points, count):
    """Volumes of the cells of the first `count` points [M, 3], and distances of their farthest corners from the points.

    Both are infinite for open cells.
    """
    diagram = scipy.spatial.Voronoi(points)
    ends, corners = diagram.ridge_points, diagram.ridge_vertices
    sizes = np.fromiter(map(len, corners), int, len(corners))
    first = np.cumsum(sizes) - sizes
    corner_numbers = np.concatenate([*corners]).astype(int)
    ridge = np.repeat(np.arange(len(corners)), sizes)
    next_corner = np.arange(len(corner_numbers)) + 1
    next_corner[first + sizes - 1] = first
    # The corners of a ridge, the face between two cells, are in order. Cross products relative to the first corner lose
    # no digits.
    arms = diagram.vertices[corner_numbers] - diagram.vertices[corner_numbers[first]][ridge]
    cross = np.cross(arms, arms[next_corner])
    area = 0.5 * np.linalg.norm([np.bincount(ridge, column, len(corners)) for column in cross.T], axis=0)
    # A cell consists of pyramids over its ridges, which lie half-way to its neighbours.
    pyramid = area * np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1) / 6.0
    distance = np.linalg.norm(diagram.vertices[corner_numbers] - points[ends[ridge, 0]], axis=1)  # the same for both particles
    farthest = np.maximum.reduceat(np.where(corner_numbers < 0, np.inf, distance), first)
    volumes, reaches = np.zeros(len(points)), np.zeros(len(points))
    for side in range(2):
        np.add.at(volumes, ends[:, side], pyramid)
        np.maximum.at(reaches, ends[:, side], farthest)
    volumes[np.isinf(reaches)] = np.inf
    return volumes[:count], reaches[:count]


def cells(snapshot: Snapshot, reach: float = np.inf) -> tuple[np.ndarray, np.ndarray]:
    """Volume of the cell of each particle [N] [m^3], and distance of its farthest corner [N] [m]; infinite if open.

    reach: to save time, cells with a corner beyond this distance may be computed too large [m]

    Raises UsageError without particles, or if two particles have the same position.
    """
    positions = snapshot["position"]
    if not len(positions):
        raise UsageError(f"'{snapshot.path}' has no particles")
    if len(np.unique(positions, axis=0)) < len(positions):
        raise UsageError(f"'{snapshot.path}' has two particles at one place: they share a cell")
    extent = snapshot.upper - snapshot.lower
    # The ball about a corner of a cell, up to the cell's centre, must not contain another centre. This is known only if the
    # ball lies within the margin of images.
    planes, max_reach = _planes(snapshot), min(2.0 * reach, float(extent.max()))
    margin = min(MARGIN * float(np.cbrt(np.prod(extent) / len(positions))), max_reach)
    while True:
        points = _add_surroundings(snapshot, positions, planes, margin)
        if len(points) < MIN_POINTS:
            return np.full(len(positions), np.inf), np.full(len(positions), np.inf)
        volumes, reaches = _cells(points, len(positions))
        needed = 2.0 * np.max(reaches, where=np.isfinite(reaches), initial=0.0)
        if margin >= max_reach or (np.isfinite(reaches).all() and needed <= margin):
            return volumes, reaches
        margin = min(2.0 * margin, max_reach)


def solid_fractions(snapshot: Snapshot, reach: float = REACH) -> np.ndarray:
    """phi_i of each particle, [N]; NaN if the cell is open to a free surface or to a wall that is not flat.

    reach: largest distance of the corners of a closed cell [mean diameters]
    """
    max_reach = reach * 2.0 * float(snapshot["radius"].mean())
    volumes, reaches = cells(snapshot, max_reach)
    is_closed = reaches <= max_reach
    return np.where(is_closed, snapshot.volumes / volumes, np.nan)
