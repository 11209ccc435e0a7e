"""Polyhedra, bodies or members: their faces in space, and pictures of them, flat shaded, or of what a plane cuts."""

import numpy as np
from matplotlib.collections import PolyCollection

CIRCLE = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)])  # of spheres
DARKEST = 0.45  # of a face that is seen from its edge


def any_in(snapshot):
    """Whether a particle has a polyhedron."""
    return any(shape.faces and np.any(snapshot.shape_numbers == number)
               for number, shape in enumerate(snapshot.shapes, start=1))  # fmt: skip


def faces_of(snapshot):
    """The faces of all polyhedra.

    Corners one face after the other [K, 3] [m], how many a face has [F], the row of the particle [F], and which of the
    snapshot's polyhedra it belongs to [F].
    """
    places, radii, owners, kinds = snapshot.pieces()
    corners, counts, rows, whose = [np.zeros((0, 3))], [], [], []
    for kind, faces in enumerate(snapshot.solids, start=1):
        pieces = np.flatnonzero(kinds == kind)
        arms = np.einsum("nij,kj->nki", snapshot.turns(owners[pieces]), np.concatenate(faces))
        corners.append((places[pieces, None] + radii[pieces, None, None] * arms).reshape(-1, 3))
        counts.append(np.tile([len(face) for face in faces], len(pieces)))
        rows.append(np.repeat(owners[pieces], len(faces)))
        whose.append(np.repeat(pieces, len(faces)))
    return np.concatenate(corners), *(np.concatenate(each) for each in (counts, rows, whose))


def draw(axes, snapshot, view, metres, pieces, values, scale, zorder):
    """Paints spheres and polyhedra in their order, each at its place.

    pieces: as of the snapshot's, some;  values: of the particles, [N]
    """
    sharp = snapshot.solids
    towards = np.array(view.towards) / np.linalg.norm(view.towards)
    colours = scale.colours(scale.norm(values))
    polygons, fills = [], []
    for place, radius, row, kind in zip(*pieces):
        if kind == 0:
            polygons.append((view.project(place[None]) + radius * CIRCLE) / metres)
            fills.append(colours[row])
            continue
        turn = snapshot.turns([row])[0]
        for face in sharp[kind - 1]:
            corners = face @ turn.T
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
            facing = normal @ towards / np.linalg.norm(normal)
            if facing > 0.0:
                polygons.append(view.project(place + radius * corners) / metres)
                shade = DARKEST + (1.0 - DARKEST) * facing
                fills.append((*(shade * colours[row][:3]), colours[row][3]))
    axes.add_collection(PolyCollection(polygons, facecolors=fills, edgecolors="black", linewidths=0.3, zorder=zorder))


def draw_section(axes, snapshot, view, metres, plane, values, scale):
    """What a plane cuts of the polyhedra.  plane: the axis that it is across and where [m];  values: [N]"""
    if not any_in(snapshot):
        return
    corners, counts, rows, whose = faces_of(snapshot)
    face = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    following = np.arange(len(corners)) + 1
    following[np.cumsum(counts) - 1] = first
    height = corners[:, plane[0]] - plane[1]
    cut = np.flatnonzero((height < 0.0) != (height[following] < 0.0))
    share = height[cut] / (height[cut] - height[following[cut]])
    ends = view.project(corners[cut] + share[:, None] * (corners[following[cut]] - corners[cut])) / metres
    polygons, fills = [], []
    for piece in np.unique(whose[face[cut]]):
        its = whose[face[cut]] == piece
        aside = ends[its] - ends[its].mean(axis=0)
        polygons.append(ends[its][np.argsort(np.arctan2(*aside.T))])
        fills.append(scale.colours(scale.norm(values[rows[face[cut]][its][0]])))
    axes.add_collection(PolyCollection(polygons, facecolors=fills, linewidths=0.0, zorder=1))
