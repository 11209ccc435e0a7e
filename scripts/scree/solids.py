"""Bodies that are polyhedra: their faces in space, and pictures of them, flat shaded, or of what a plane cuts."""

import numpy as np
from matplotlib.collections import PolyCollection

CIRCLE = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)])  # of spheres
DARKEST = 0.45  # of a face that is seen from its edge


def _solids(snapshot):
    """{number of a shape: corners of its faces, [n, 3] each} of those that are polyhedra."""
    return {number: shape.sharp_faces() for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces}


def is_solid(snapshot):
    """Which particles are polyhedra, [N] of bool."""
    numbers = [number for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces]
    return np.isin(snapshot.shape_numbers, numbers)


def any_in(snapshot):
    """Whether a particle is a polyhedron."""
    return bool(is_solid(snapshot).any())


def faces_of(snapshot):
    """The faces of all polyhedra: corners one face after the other [K, 3] [m], how many a face has [F], whose it is [F].

    The last are rows of particles.
    """
    shapes, corners, counts, rows = snapshot.shape_numbers, [np.zeros((0, 3))], [], []
    for number, faces in _solids(snapshot).items():
        its = np.flatnonzero(shapes == number)
        arms = np.einsum("nij,kj->nki", snapshot.turns(its), np.concatenate(faces))
        places = snapshot.home(snapshot["position"][its])[0]
        corners.append((places[:, None] + snapshot["radius"][its, None, None] * arms).reshape(-1, 3))
        counts.append(np.tile([len(face) for face in faces], len(its)))
        rows.append(np.repeat(its, len(faces)))
    return np.concatenate(corners), np.concatenate(counts), np.concatenate(rows)


def draw(axes, snapshot, view, metres, items, values, scale, zorder):
    """Paints spheres and polyhedra in their order, each at its place.

    items: places [M, 3], radii [M] and rows of the particles [M];  values: of the particles, [N]
    """
    sharp = _solids(snapshot)
    towards = np.array(view.towards) / np.linalg.norm(view.towards)
    colours = scale.colours(scale.norm(values))
    polygons, fills = [], []
    for place, radius, row in zip(*items):
        faces = sharp.get(snapshot.shape_numbers[row])
        if faces is None:
            polygons.append((view.project(place[None]) + radius * CIRCLE) / metres)
            fills.append(colours[row])
            continue
        turn = snapshot.turns([row])[0]
        for face in faces:
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
    corners, counts, rows = faces_of(snapshot)
    face = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    following = np.arange(len(corners)) + 1
    following[np.cumsum(counts) - 1] = first
    height = corners[:, plane[0]] - plane[1]
    cut = np.flatnonzero((height < 0.0) != (height[following] < 0.0))
    share = height[cut] / (height[cut] - height[following[cut]])
    ends = view.project(corners[cut] + share[:, None] * (corners[following[cut]] - corners[cut])) / metres
    polygons, fills = [], []
    for row in np.unique(rows[face[cut]]):
        its = ends[rows[face[cut]] == row]
        aside = its - its.mean(axis=0)
        polygons.append(its[np.argsort(np.arctan2(*aside.T))])
        fills.append(scale.colours(scale.norm(values[row])))
    axes.add_collection(PolyCollection(polygons, facecolors=fills, linewidths=0.0, zorder=1))
