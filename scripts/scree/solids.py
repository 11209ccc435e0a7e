"""Pictures of bodies that are polyhedra: their faces, flat shaded."""

import numpy as np
from matplotlib.collections import PolyCollection

import scree.snapshot

CIRCLE = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)])  # of spheres
DARKEST = 0.45  # of a face that is seen from its edge


def rows_of(snapshot):
    """Rows of the particles that are polyhedra."""
    numbers = [number for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces]
    return np.flatnonzero(np.isin(snapshot.shape_numbers, numbers)) if numbers else np.empty(0, int)


def draw(axes, snapshot, view, metres, items, values, scale, zorder):
    """Paints spheres and polyhedra in their order, each at its place.

    items: places [M, 3], radii [M] and rows of the particles [M];  values: of the particles, [N]
    """
    sharp = {number: shape.sharp_faces() for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces}
    towards = np.array(view.towards) / np.linalg.norm(view.towards)
    colours = scale.colours(scale.norm(values))
    polygons, fills = [], []
    for place, radius, row in zip(*items):
        faces = sharp.get(snapshot.shape_numbers[row])
        if faces is None:
            polygons.append((view.project(place[None]) + radius * CIRCLE) / metres)
            fills.append(colours[row])
            continue
        turn = scree.snapshot.rotation(*snapshot["orientation"][row])
        for face in faces:
            corners = face @ turn.T
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
            facing = normal @ towards / np.linalg.norm(normal)
            if facing > 0.0:
                polygons.append(view.project(place + radius * corners) / metres)
                shade = DARKEST + (1.0 - DARKEST) * facing
                fills.append((*(shade * colours[row][:3]), colours[row][3]))
    axes.add_collection(PolyCollection(polygons, facecolors=fills, edgecolors="black", linewidths=0.3, zorder=zorder))
