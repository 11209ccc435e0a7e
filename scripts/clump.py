#!/usr/bin/env python3
"""Fits spheres into a closed mesh and prints them as a clump, [shape.NAME] of a scene.

usage: clump.py STONE.stl --unit mm --spheres 20 >> scene.ini

Spheres touch the surface from inside. Each sphere is placed where it adds the most volume. The axes of the shape are
the principal axes of the mesh. With --density the shape has the mass and moments of inertia of the mesh. A message on
stderr gives the fraction of the volume that the spheres cover.
"""

import pathlib
import re

import _environment

_environment.require("numpy", "scipy")

import numpy as np
from scipy.spatial import cKDTree

import _command_line
import scree.units
from scree.errors import FileError, UsageError

MIN_CELLS, MAX_CELLS = 32, 200  # limits of the number of cells of the grid along the longest side of the mesh
# Number along the shortest side, within these limits: odd, so that slender meshes have cells centred on their axis.
SHORT_CELLS = 5
MAX_PAIRS = 4e6  # largest number of pairs (point, triangle) in memory at a time
CLOSED = 1e-4  # largest sum of the area vectors of a closed mesh over its area; rounded corners give less
# A line `solid NAME` or `endsolid NAME` of a text STL file, which may continue with a facet.
SOLID_LINE = re.compile(r"^[ \t]*(end)?solid\b.*?(?=\bfacet\b|$)", re.MULTILINE)


def triangles_of(path):
    """Corners of the triangles of a binary or text STL file, [T, 3, 3]; raises FileError."""
    try:
        content = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error
    count = int.from_bytes(content[80:84], "little")
    if len(content) >= 84 and 0 <= len(content) - 84 - 50 * count < 50:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        return np.frombuffer(content, record, count, 84)["corners"].astype(float)
    # Without the names of solids, which may contain the word vertex.
    words = SOLID_LINE.sub("", content.decode("ascii", "replace").lower()).split()
    try:
        corners = [words[k + 1 : k + 4] for k, word in enumerate(words) if word == "vertex"]
        return np.array(corners, dtype=float).reshape(-1, 3, 3)
    except ValueError as error:
        raise FileError(f"'{path}' is not an STL file: {error}") from error


def moments_of(triangles):
    """(volume, centroid, second moments about the centroid) of a closed mesh, by tetrahedra from the origin."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    volumes = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6
    volume = volumes.sum()
    centroid = np.einsum("t,ti->i", volumes, a + b + c) / 4 / volume
    s = a + b + c
    outer = sum(np.einsum("t,ti,tj->ij", volumes, x, x) for x in (a, b, c, s)) / 20
    return volume, centroid, outer - volume * np.outer(centroid, centroid)


def is_closed(triangles):
    """Whether the area vectors of a mesh add up to zero, as those of each closed mesh do."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    areas = np.cross(b - a, c - a)
    return np.linalg.norm(areas.sum(axis=0)) <= CLOSED * np.linalg.norm(areas, axis=1).sum()


def are_inside(points, triangles):
    """Whether points are in a closed mesh, [N]: by the winding number from solid angles (van Oosterom, Strackee)."""
    is_inside = np.empty(len(points), dtype=bool)
    step = max(1, int(MAX_PAIRS / len(triangles)))
    for k in range(0, len(points), step):
        corners = triangles[None] - points[k : k + step, None, None]
        a, b, c = np.moveaxis(corners, 2, 0)
        la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
        numerator = np.einsum("pti,pti->pt", a, np.cross(b, c))
        denominator = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
        is_inside[k : k + step] = np.abs(np.arctan2(numerator, denominator).sum(-1)) > np.pi
    return is_inside


def surface_points(triangles, spacing):
    """Points on the triangles; neighbours are at most about `spacing`, or 1/200 of the longest edge, apart."""
    points = []
    longest = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=-1).max(axis=1)
    for corners, length in zip(triangles, longest):
        n = int(min(200, np.ceil(length / spacing))) + 1
        i, j = np.array([(i, j) for i in range(n) for j in range(n - i)]).T / max(1, n - 1)
        points.append(corners[0] + np.outer(i, corners[1] - corners[0]) + np.outer(j, corners[2] - corners[0]))
    return np.concatenate(points)


def fit(triangles, spheres):
    """(centres [S, 3], radii [S], covered fraction of the volume); each sphere adds as much volume as possible."""
    lower, upper = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    shortest, longest = np.sort(upper - lower)[[0, -1]]
    cell = longest / np.clip(SHORT_CELLS * longest / shortest, MIN_CELLS, MAX_CELLS)
    axes = [np.arange(a + cell / 2, b, cell) for a, b in zip(lower, upper)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    grid = grid[are_inside(grid, triangles)]
    if not len(grid):
        raise UsageError("the mesh encloses no volume; expected a closed surface")
    radii = cKDTree(surface_points(triangles, cell / 2)).query(grid)[0]
    tree, is_free = cKDTree(grid), np.ones(len(grid), dtype=bool)
    # The grid does not resolve spheres below two cells well, but thin meshes have no larger ones.
    candidates = np.flatnonzero(radii >= min(2 * cell, 0.5 * radii.max()))
    covered_by = [np.array(covered_points) for covered_points in tree.query_ball_point(grid[candidates], radii[candidates])]
    chosen = []
    for _ in range(spheres):
        gains = [np.count_nonzero(is_free[covered_points]) for covered_points in covered_by]
        best = int(np.argmax(gains))
        if gains[best] == 0:
            break
        is_free[covered_by[best]] = False
        chosen.append(candidates[best])
    return grid[chosen], radii[chosen], 1 - is_free.mean()


def section(name, triangles, spheres, density):
    """[shape.NAME] of a scene.  spheres: their largest number;  density: [kg/m^3]; None: no mass and inertia"""
    if not is_closed(triangles):
        raise UsageError("the mesh has a hole; expected a closed surface")
    volume, centroid, second = moments_of(triangles)
    if volume < 0:
        raise UsageError("the triangles face inwards; expected corners counter-clockwise seen from outside")
    axes = np.linalg.eigh(second)[1]
    axes[:, 2] *= np.linalg.det(axes)  # a rotation, not a reflection
    second = axes.T @ second @ axes
    centres, radii, covered = fit((triangles - centroid) @ axes, spheres)
    _command_line.warn(f"{len(radii)} spheres cover {100 * covered:.1f} % of the mesh, whose volume is {volume:.4g} m^3")
    spheres = np.column_stack([centres, radii])
    rows = ", ".join(" ".join(f"{x:.6g}" for x in sphere) for sphere in spheres)
    lines = [f"[shape.{name}]", f"spheres = {rows} m"]
    if density:
        inertia = density * (np.trace(second) - np.diag(second))
        lines += [f"mass = {density * volume:.6g} kg", "inertia = " + " ".join(f"{x:.6g}" for x in inertia) + " kg m^2"]
    return "\n".join(lines)


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("mesh", metavar="MESH.stl")
    units = [unit for unit in scree.units.METRES if unit]
    parser.add_argument("--unit", default="m", choices=units, help="unit of the file (default: m)")
    parser.add_argument("--spheres", type=_command_line.count, default=20, help="largest number of spheres (default: 20)")
    parser.add_argument("--name", default="stone", help="name of the shape (default: stone)")
    parser.add_argument("--density", type=_command_line.positive, help="density in kg/m^3, which gives mass and inertia")
    arguments = parser.parse_args()
    triangles = triangles_of(arguments.mesh) * scree.units.METRES[arguments.unit]
    if not len(triangles):
        raise FileError(f"'{arguments.mesh}' has no triangles")
    print(section(arguments.name, triangles, arguments.spheres, arguments.density))


if __name__ == "__main__":
    _command_line.run(main)
