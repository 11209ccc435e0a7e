"""Faces, colours and plane sections of polyhedra and spheres, both as bodies and as members of clumps."""

import numpy as np
from matplotlib.collections import PolyCollection

CIRCLE = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)])  # unit circle
LAST_SHADE = 0.72  # shade of a clump's last member relative to its first; shades make rotations visible
EDGE = 0.7  # width of the outlines in a plane section [points]
LUMINANCE, DARK = np.array([0.299, 0.587, 0.114]), 0.25  # RGB weights; edges are white on colours below DARK


def colours_of(owners, colours):
    """Colours of pieces, [M, 4], from the colours of their bodies, [N, 4].

    Each member of a clump is darker than the previous one.
    """
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=len(colours))
    number = np.empty(len(owners))
    number[order] = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    piece_colours = colours[owners]
    piece_colours[:, :3] *= member_shade(number, counts[owners])[:, None]
    return piece_colours


def member_shade(number, count):
    """Shade of a member, a factor of its body's colour. number: of the member; count: members of the body"""
    return 1.0 - (1.0 - LAST_SHADE) * number / np.maximum(count - 1, 1)


def any_in(snapshot):
    """Whether a particle is a polyhedron, or has one as a member."""
    return any(shape.faces and np.any(snapshot.shape_numbers == number)
               for number, shape in enumerate(snapshot.shapes, start=1))  # fmt: skip


def faces_of(snapshot):
    """Faces of all polyhedra.

    Returns the corners of all faces in turn [K, 3] [m], and for each face [F] its number of corners, the row of its
    particle, and the index of its polyhedron in `snapshot.pieces()`.
    """
    positions, radii, owners, kinds = snapshot.pieces()
    corners, counts, rows, piece_numbers = [np.zeros((0, 3))], [], [], []
    for kind, faces in enumerate(snapshot.solids, start=1):
        pieces = np.flatnonzero(kinds == kind)
        arms = np.einsum("nij,kj->nki", snapshot.turns(owners[pieces]), np.concatenate(faces))
        corners.append((positions[pieces, None] + radii[pieces, None, None] * arms).reshape(-1, 3))
        counts.append(np.tile([len(face) for face in faces], len(pieces)))
        rows.append(np.repeat(owners[pieces], len(faces)))
        piece_numbers.append(np.repeat(pieces, len(faces)))
    return np.concatenate(corners), *(np.concatenate(parts) for parts in (counts, rows, piece_numbers))


def draw_section(axes, snapshot, view, metres, plane, colours):
    """Sections of the particles by a plane, with outlines that separate touching particles.

    plane: its normal axis (0 to 2) and its position [m]
    colours: of the particles, [N, 4]
    """
    outlines, rows = _cut_spheres(snapshot, view, plane)
    if any_in(snapshot):
        for outline, row in zip(*_cut_solids(snapshot, view, plane)):
            outlines.append(outline)
            rows.append(row)
    bodies = {}
    for outline, row in zip(outlines, rows):
        bodies.setdefault(row, []).append(outline / metres)
    # Each body is drawn twice: first with edges, then as fills, which cover the edges inside the body. The edges of the
    # next body are drawn over these fills.
    polygons = [outline for parts in bodies.values() for outline in 2 * parts]
    fills = [colours[row] for row, parts in bodies.items() for _ in 2 * parts]
    widths = [width for parts in bodies.values() for width in len(parts) * [EDGE] + len(parts) * [0.0]]
    edges = [("white" if fill[:3] @ LUMINANCE < DARK else "black") if width else "none" for fill, width in zip(fills, widths)]
    axes.add_collection(PolyCollection(polygons, facecolors=fills, edgecolors=edges, linewidths=widths, zorder=1))


def _cut_spheres(snapshot, view, plane):
    """Outlines [K, 2] [m] of the sections of spheres by a plane, and the rows of their particles."""
    positions, radii, owners, kinds = snapshot.pieces()
    distance = positions[:, plane[0]] - plane[1]
    rows = np.flatnonzero((np.abs(distance) < radii) & (kinds == 0))
    section_radii = np.sqrt(radii[rows] ** 2 - distance[rows] ** 2)
    return [*(view.project(positions[rows])[:, None] + section_radii[:, None, None] * CIRCLE)], owners[rows].tolist()


def _cut_solids(snapshot, view, plane):
    """Outlines of the sections of polyhedra, and the rows of their particles, as for spheres."""
    corners, counts, rows, pieces = faces_of(snapshot)
    face = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    next_corner = np.arange(len(corners)) + 1
    next_corner[np.cumsum(counts) - 1] = first
    height = corners[:, plane[0]] - plane[1]
    crossed = np.flatnonzero((height < 0.0) != (height[next_corner] < 0.0))
    fraction = height[crossed] / (height[crossed] - height[next_corner[crossed]])
    ends = view.project(corners[crossed] + fraction[:, None] * (corners[next_corner[crossed]] - corners[crossed]))
    outlines, bodies = [], []
    for piece in np.unique(pieces[face[crossed]]):
        is_in_piece = pieces[face[crossed]] == piece
        arms = ends[is_in_piece] - ends[is_in_piece].mean(axis=0)
        outlines.append(ends[is_in_piece][np.argsort(np.arctan2(*arms.T))])
        bodies.append(int(rows[face[crossed]][is_in_piece][0]))
    return outlines, bodies
