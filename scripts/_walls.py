"""The walls but planes of a snapshot.

Boxes, cylinders and spheres are read from the configuration text that it carries; every other shape
is drawn as the program wrote it to walls.vtk.
"""

import configparser
import dataclasses
import functools
import math
import pathlib
import sys

import numpy as np
import scipy.spatial
import scipy.spatial.transform

import _scene
import _units
from _snapshot import SnapshotError

RIM_POINTS = 120  # of a circle; the outline then deviates by less than 0.04 % of the radius
VOLUME_POINTS = 1e6  # of the grid that measures a volume: the channel's obstacle within 0.1 %


@dataclasses.dataclass
class Solid:
    """A box, cylinder or sphere: the convex hull of its points."""

    wall: str  # name; the parts of a union share it
    points: np.ndarray  # [K, 3] [m]

    def planes(self):
        """Outward normals [F, 3] and offsets [F] of the faces; inside is normal.x + offset <= 0."""
        equations = np.unique(scipy.spatial.ConvexHull(self.points).equations.round(12), axis=0)
        return equations[:, :3], equations[:, 3]

    def reaches_into(self, lower, upper):
        """Whether its bounding box and the box between two corners overlap."""
        inside = (self.points.min(axis=0) < upper) & (self.points.max(axis=0) > lower)
        return bool(np.all(inside))


def _length(section, key):
    """A length or a point of the section, in metres; raises ValueError if there is none."""
    try:
        return _units.in_si(section.get(key, ""), _units.METRES)
    except ValueError as error:
        raise ValueError(f"[{section.name}] {key} = {error}") from error


def _box_points(section):
    corners = np.array([_length(section, "lower"), _length(section, "upper")])
    choices = np.indices((2, 2, 2)).reshape(3, -1).T
    return corners[choices, np.arange(3)]


def _cylinder_points(section):
    start, end = _length(section, "from"), _length(section, "to")
    radius = _length(section, "radius")[0]
    axis = (end - start) / np.linalg.norm(end - start)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    angle = np.linspace(0.0, 2.0 * np.pi, RIM_POINTS, endpoint=False)[:, None]
    rim = radius * (np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))
    return np.concatenate([start + rim, end + rim])


def _sphere_points(section):
    centre, radius = _length(section, "point"), _length(section, "radius")[0]
    # Evenly over the sphere: equal steps of height, and of the golden angle around.
    count = 500
    height = (2.0 * np.arange(count) + 1.0) / count - 1.0
    angle = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    away = np.sqrt(1.0 - height**2)
    return centre + radius * np.stack([away * np.cos(angle), away * np.sin(angle), height], axis=1)


POINTS_OF = {"box": _box_points, "cylinder": _cylinder_points, "sphere": _sphere_points}


@dataclasses.dataclass
class Sheet:
    """Any other shape, a pipe or a mesh say: triangles, of which lines are drawn."""

    wall: str
    triangles: np.ndarray  # [T, 3, 3] [m]
    solid: str = "no"  # of a closed surface, what it bounds: "inside" or "outside"

    def crossings(self, x, y):
        """Where lines along z through (x, y) cross the surface: (line [K], height [K])."""
        lines, heights = [np.zeros(0, int)], [np.zeros(0)]
        order = np.argsort(x)
        x, y = x[order], y[order]
        for a, b, c in self.triangles:
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if area == 0.0:  # upright
                continue
            first = np.searchsorted(x, min(a[0], b[0], c[0]))
            last = np.searchsorted(x, max(a[0], b[0], c[0]))
            u, v = x[first:last] - a[0], y[first:last] - a[1]
            s = (u * (c[1] - a[1]) - v * (c[0] - a[0])) / area
            t = (v * (b[0] - a[0]) - u * (b[1] - a[1])) / area
            met = np.flatnonzero((s >= 0.0) & (t >= 0.0) & (s + t <= 1.0))
            lines.append(order[first + met])
            heights.append(a[2] + s[met] * (b[2] - a[2]) + t[met] * (c[2] - a[2]))
        return np.concatenate(lines), np.concatenate(heights)

    def lines(self, towards):
        """What a viewer in this direction sees of it: rims, creases, and where it turns away.

        Returns segments [S, 2, 3] [m].
        """
        corners = self.triangles.reshape(-1, 3)
        grain = 1e-6 * max(np.ptp(corners, axis=0).max(), 1e-300)
        _, vertex = np.unique(np.round(corners / grain), axis=0, return_inverse=True)
        vertex = vertex.reshape(-1, 3)
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        ends = np.concatenate([vertex[:, [k, (k + 1) % 3]] for k in range(3)])
        segments = np.concatenate([self.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
        of = np.tile(np.arange(len(vertex)), 3)
        keys, first, inverse, count = np.unique(
            np.sort(ends, axis=1), axis=0, return_index=True, return_inverse=True,
            return_counts=True,
        )
        order = np.argsort(inverse.ravel(), kind="stable")
        begin = np.cumsum(count) - count
        one, two = normal[of[order[begin]]], normal[of[order[begin + count - 1]]]
        crease = np.abs(np.sum(one * two, axis=1)) < np.cos(np.radians(25.0))
        turning = (one @ np.array(towards)) * (two @ np.array(towards)) < 0.0
        return segments[first[(count != 2) | crease | turning]]


def _numbers(owner, key):
    """Three numbers in SI; zeros if they are not given.  The unit of the configuration is SI."""
    return _units.split(owner.get(key, "0 0 0"))[0]


def _moved(points, owner, time):
    """Points [..., 3] of a wall as they are at `time` [s]."""
    amplitude = _numbers(owner, "amplitude")
    frequency, phase = (_units.split(owner.get(key, "0"))[0][0] for key in ("frequency", "phase"))
    swing = np.sin(2.0 * np.pi * frequency * time + phase) - np.sin(phase)
    centre, spin = _numbers(owner, "centre"), _numbers(owner, "angular_velocity")
    rate = np.linalg.norm(spin)
    if rate > 0.0:
        turn = scipy.spatial.transform.Rotation.from_rotvec(spin * time).as_matrix()
        points = (points - centre) @ turn.T + centre
    return points + _numbers(owner, "velocity") * time + amplitude * swing


def _is_there(owner, time):
    """Whether a wall has not been removed at `time` [s]."""
    return "removed_at" not in owner or time < _units.split(owner["removed_at"])[0][0]


def bounded_walls(configuration, time=0.0):
    """Boxes, cylinders and spheres among the walls at `time` [s], [Solid].

    Raises ValueError, with the section, if a shape lacks its lengths.
    """
    parser = _scene.parsed(configuration)
    solids = []
    for title in parser.sections():
        kind, _, rest = title.partition(".")
        shape = parser[title].get("shape", "")
        if kind != "wall" or shape not in POINTS_OF:
            continue
        wall = rest.split(".")[0]
        owner = parser[f"wall.{wall}"] if parser.has_section(f"wall.{wall}") else {}
        if _is_there(owner, time):
            solids.append(Solid(wall, _moved(POINTS_OF[shape](parser[title]), owner, time)))
    return solids


def in_domain(snapshot):
    """Solids that reach into the domain, {wall: [Solid]}.

    Raises SnapshotError if the snapshot's configuration cannot be read.
    """
    try:
        solids = bounded_walls(snapshot.configuration, snapshot.time)
    except (configparser.Error, ValueError) as error:
        raise SnapshotError(
            f"'{snapshot.path}' carries a configuration whose walls cannot be read: {error}"
        ) from error
    walls = {}
    for solid in solids:
        if solid.reaches_into(snapshot.lower, snapshot.upper):
            walls.setdefault(solid.wall, []).append(solid)
    return walls


def sheets(snapshot):
    """All shapes but planes and Solids among the walls, [Sheet].

    Their triangles come from the run's walls.vtk; without it they are left out, with a warning.
    Raises SnapshotError if the snapshot's configuration cannot be read.
    """
    try:
        parser = _scene.parsed(snapshot.configuration)
        names = list(dict.fromkeys(
            title.split(".")[1] for title in parser.sections() if title.startswith("wall.")
        ))
        found, parts = [], dict.fromkeys(names, 0)
        for title in parser.sections():
            shape = parser[title].get("shape", "")
            if not title.startswith("wall.") or not shape:
                continue
            wall = title.split(".")[1]
            part, parts[wall] = parts[wall], parts[wall] + 1
            owner = parser[f"wall.{wall}"] if parser.has_section(f"wall.{wall}") else {}
            if shape == "plane" or shape in POINTS_OF or not _is_there(owner, snapshot.time):
                continue
            path = _walls_file(snapshot)
            if not path.is_file():
                _warn(f"wall {wall} is left out: there is no {path}")
                continue
            triangles = _triangles_in(path, names.index(wall), part)
            if len(triangles):
                triangles = _moved(triangles, owner, snapshot.time)
                found.append(Sheet(wall, triangles, parser[title].get("solid", "no")))
        return found
    except (configparser.Error, ValueError) as error:
        raise SnapshotError(
            f"'{snapshot.path}' carries a configuration whose walls cannot be read: {error}"
        ) from error


@functools.lru_cache
def _warn(message):
    """Tells it once, however many views and frames there are."""
    print(message, file=sys.stderr)


def _walls_file(snapshot):
    """walls.vtk of the run that wrote the snapshot; it need not be there."""
    return pathlib.Path(snapshot.path).resolve().parent.parent / "walls.vtk"


def _triangles_in(path, wall, part):
    """Triangles [T, 3, 3] of a part of a wall, by their rows, in a walls.vtk."""
    words = path.read_text().split()
    at = words.index("POINTS")
    count = int(words[at + 1])
    points = np.array(words[at + 3 : at + 3 + 3 * count], dtype=float).reshape(-1, 3)
    at = words.index("POLYGONS")
    count = int(words[at + 1])
    corners = np.array(words[at + 3 : at + 3 + 4 * count], dtype=int).reshape(-1, 4)[:, 1:]

    def of_cells(name):
        at = words.index(name, words.index("CELL_DATA"))
        return np.array(words[at + 5 :][:count], dtype=int)

    # Files of earlier versions do not tell the parts of a wall from each other.
    parts = of_cells("part") if "part" in words else np.zeros(count, dtype=int)
    return points[corners[(of_cells("wall") == wall) & (parts == part)]]


def solid_volume(solids, lower, upper, closed=()):
    """Volume [m^3] of the union of solids within the box, by counting the points of a grid.

    closed: Sheets whose surface is closed; what is solid of them counts too
    """
    solids = [solid for solid in solids if solid.reaches_into(lower, upper)]
    if not solids and not closed:
        return 0.0
    start, end = np.array(lower, dtype=float), np.array(upper, dtype=float)
    if all(sheet.solid == "inside" for sheet in closed):
        points = [solid.points for solid in solids]
        points = np.concatenate(points + [sheet.triangles.reshape(-1, 3) for sheet in closed])
        start, end = np.maximum(start, points.min(axis=0)), np.minimum(end, points.max(axis=0))
        if np.any(start >= end):
            return 0.0
    spacing = np.cbrt(np.prod(end - start) / VOLUME_POINTS)
    counts = np.ceil((end - start) / spacing).astype(int)
    x, y, z = (a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(start, end, counts))
    layer = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = 0
    faces = [solid.planes() for solid in solids]
    # Lines that meet an edge would count both its triangles; a little aside hardly one does.
    aside = layer + spacing * np.array([1.234e-5, 2.718e-5])
    surfaces = [(sheet, *sheet.crossings(*aside.T)) for sheet in closed]
    for height in z:  # layer by layer, to stay small in memory
        in_any = np.zeros(len(layer), dtype=bool)
        for normals, offsets in faces:
            distance = layer @ normals[:, :2].T + (normals[:, 2] * height + offsets)
            in_any |= np.all(distance <= 0.0, axis=1)
        for sheet, line, crossed in surfaces:
            below = np.bincount(line[crossed < height], minlength=len(layer))
            in_any |= (below % 2 == 1) == (sheet.solid == "inside")
        inside += np.count_nonzero(in_any)
    return float(np.prod(end - start)) * inside / float(np.prod(counts))


def volume_in_domain(snapshot):
    """Volume [m^3] of all solid walls in the domain, closed meshes included."""
    solids = [solid for wall in in_domain(snapshot).values() for solid in wall]
    closed = [sheet for sheet in sheets(snapshot) if sheet.solid != "no"]
    return solid_volume(solids, snapshot.lower, snapshot.upper, closed)
