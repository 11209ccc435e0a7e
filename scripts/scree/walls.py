"""Surfaces of the walls of a snapshot.

A convex part is the hull of the corners in the snapshot. Triangles of other parts come from walls.vtk of the run.
"""

import dataclasses
import functools
import pathlib
import warnings

import numpy as np
import scipy.spatial

import scree.table
from scree.errors import FileError


EDGE_ANGLE = 40.0  # smallest angle between adjacent faces that makes a visible edge [degrees]


@dataclasses.dataclass
class Solid:
    """A convex part: the hull of its points."""

    wall: str  # name; the parts of a union have the same name
    points: np.ndarray  # [K, 3] [m]

    def planes(self):
        """Outward normals [F, 3] and offsets [F] of the faces; inside is normal.x + offset <= 0."""
        equations = np.unique(scipy.spatial.ConvexHull(self.points).equations.round(12), axis=0)
        return equations[:, :3], equations[:, 3]

    def triangles(self):
        """Surface as triangles [T, 3, 3] [m], counter-clockwise as seen from outside."""
        hull = scipy.spatial.ConvexHull(self.points)
        corners = self.points[hull.simplices]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        points_inwards = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
        corners[points_inwards] = corners[points_inwards, ::-1]
        return corners

    def heights(self, x, y):
        """Heights at which lines along z through (x, y) enter and leave the solid: (low [L], high [L]) [m].

        low >= high for lines outside.
        """
        low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
        for (nx, ny, nz), offset in zip(*self.planes()):
            beyond = nx * x + ny * y + offset
            if abs(nz) < 1e-12:
                high[beyond > 0.0] = -np.inf
            elif nz > 0.0:
                np.minimum(high, -beyond / nz, out=high)
            else:
                np.maximum(low, -beyond / nz, out=low)
        return low, high

    def reaches_into(self, lower, upper):
        """Whether the bounding box of the solid overlaps the box between two corners."""
        overlaps = (self.points.min(axis=0) < upper) & (self.points.max(axis=0) > lower)
        return bool(np.all(overlaps))


@dataclasses.dataclass
class Sheet:
    """A part that is neither convex nor a plane, for example a pipe or a mesh, as triangles."""

    wall: str  # name
    triangles: np.ndarray  # [T, 3, 3] [m]
    interior: str = "none"  # solid side of a closed surface: "inside" or "outside"; "none": open

    def crossings(self, x, y):
        """Crossings of the surface with lines along z through (x, y): (index of the line [K], height [K] [m])."""
        lines, heights = [np.zeros(0, int)], [np.zeros(0)]
        order = np.argsort(x)
        x, y = x[order], y[order]
        for a, b, c in self.triangles:
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if area == 0.0:  # the triangle is parallel to z
                continue
            first = np.searchsorted(x, min(a[0], b[0], c[0]))
            last = np.searchsorted(x, max(a[0], b[0], c[0]))
            u, v = x[first:last] - a[0], y[first:last] - a[1]
            s = (u * (c[1] - a[1]) - v * (c[0] - a[0])) / area
            t = (v * (b[0] - a[0]) - u * (b[1] - a[1])) / area
            hits = np.flatnonzero((s >= 0.0) & (t >= 0.0) & (s + t <= 1.0))
            lines.append(order[first + hits])
            heights.append(a[2] + s[hits] * (b[2] - a[2]) + t[hits] * (c[2] - a[2]))
        return np.concatenate(lines), np.concatenate(heights)

    def lines(self, towards):
        """Rims, creases and silhouettes for a view: segments [S, 2, 3] [m].

        towards: direction to the viewer, [3]
        """
        corners = self.triangles.reshape(-1, 3)
        quantum = 1e-6 * max(np.ptp(corners, axis=0).max(), 1e-300)
        _, vertex = np.unique(np.round(corners / quantum), axis=0, return_inverse=True)
        vertex = vertex.reshape(-1, 3)
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        ends = np.concatenate([vertex[:, [k, (k + 1) % 3]] for k in range(3)])
        segments = np.concatenate([self.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
        triangle = np.tile(np.arange(len(vertex)), 3)
        keys, first, inverse, count = np.unique(
            np.sort(ends, axis=1), axis=0, return_index=True, return_inverse=True,
            return_counts=True,
        )
        order = np.argsort(inverse.ravel(), kind="stable")
        begin = np.cumsum(count) - count
        first_normal, second_normal = normal[triangle[order[begin]]], normal[triangle[order[begin + count - 1]]]
        is_crease = np.abs(np.sum(first_normal * second_normal, axis=1)) < np.cos(np.radians(EDGE_ANGLE))
        is_silhouette = (first_normal @ np.array(towards)) * (second_normal @ np.array(towards)) < 0.0
        return segments[first[(count != 2) | is_crease | is_silhouette]]


@dataclasses.dataclass
class Plane:
    """Surface of a half space."""

    wall: str  # name
    point: np.ndarray  # [3] [m]
    normal: np.ndarray  # [3], unit vector of any sign

    def polygon(self, lower, upper):
        """Polygon of the plane within the box between two corners: [K, 3] [m]; [0, 3] if there is none."""
        slack = 1e-6 * np.max(upper - lower)  # includes planes in a face of the box
        corners = np.where(np.arange(8)[:, None] >> np.arange(3) & 1, upper, lower)
        height = (corners - self.point) @ self.normal
        height[np.abs(height) < slack] = 0.0
        crossings = list(corners[height == 0.0])
        for a in range(8):
            for b in (a | 1, a | 2, a | 4):
                if height[a] * height[b] < 0.0:
                    fraction = height[a] / (height[a] - height[b])
                    crossings.append(corners[a] + fraction * (corners[b] - corners[a]))
        if len(crossings) < 3:
            return np.zeros((0, 3))
        points = np.array(crossings)
        right = np.cross(self.normal, np.eye(3)[np.argmin(np.abs(self.normal))])
        from_middle = points - points.mean(axis=0)
        angle = np.arctan2(from_middle @ np.cross(self.normal, right), from_middle @ right)
        return points[np.argsort(angle)]


def cut(triangles, axis, place):
    """Sections of triangles [T, 3, 3] by the plane perpendicular to an axis at `place` [m]: segments [S, 2, 3]."""
    height = triangles[:, :, axis] - place
    height = np.where(height == 0.0, 1e-300, height)  # corners in the plane count as above
    crossed = np.flatnonzero((height.min(axis=1) < 0.0) & (height.max(axis=1) > 0.0))
    corners, height = triangles[crossed], height[crossed]
    lone_corner = np.argmax(np.sign(height) == -np.sign(height).sum(axis=1, keepdims=True), axis=1)  # alone on its side
    rows = np.arange(len(crossed))
    tip, tip_height = corners[rows, lone_corner], height[rows, lone_corner]
    ends = []
    for step in (1, 2):
        other_corner = (lone_corner + step) % 3
        fraction = tip_height / (tip_height - height[rows, other_corner])
        ends.append(tip + fraction[:, None] * (corners[rows, other_corner] - tip))
    return np.stack(ends, axis=1).reshape(-1, 2, 3)


def _present_walls(snapshot):
    """Present walls, with their rows: [(row, Wall)]."""
    return [(row, wall) for row, wall in enumerate(snapshot.walls) if wall.is_there]


def _shifts(snapshot, row, wall):
    """Shifts from a wall to those of its periodic images, itself included, that are in the domain, [K, 3] [m].

    As in a run (engine/scene/wall_images.hpp): a wall that covers both ends of an axis is one without images along it.
    """
    triangles = [_triangles_in(_walls_file(snapshot), row, number).reshape(-1, 3) for number, part in enumerate(wall.parts)
                 if part.interior not in ("convex", "half space")] if has_file(snapshot) else []  # fmt: skip
    points = np.concatenate([np.zeros((0, 3)), *(part.corners for part in wall.parts if part.interior == "convex"), *triangles])
    if not (snapshot.periodic.any() and len(points)):
        return np.zeros((1, 3))
    points = wall.moved(points)
    low, high, period = points.min(axis=0), points.max(axis=0), snapshot.upper - snapshot.lower
    nearest = -np.round((low + high - snapshot.lower - snapshot.upper) / (2.0 * period))
    slack = 1e-6 * period
    covers = (low + nearest * period < snapshot.lower + slack) & (high + nearest * period > snapshot.upper - slack)
    first = np.where(covers, nearest, np.ceil((snapshot.lower + slack - high) / period))
    last = np.where(covers, nearest, np.floor((snapshot.upper - slack - low) / period))
    first, last = (np.where(snapshot.periodic, ends, 0.0) for ends in (first, last))
    numbers = np.meshgrid(*(np.arange(a, b + 0.5) for a, b in zip(first, last)), indexing="ij")
    return np.stack(numbers, axis=-1).reshape(-1, 3) * period


def _placed_walls(snapshot):
    """Present walls and their images in the domain: [(row, Wall)], an image with the same row and another displacement."""
    return [(row, dataclasses.replace(wall, displacement=wall.displacement + shift))
            for row, wall in _present_walls(snapshot) for shift in _shifts(snapshot, row, wall)]  # fmt: skip


def _solids(walls):
    """All convex parts of walls [(row, Wall)], [Solid]."""
    return [Solid(wall.name, wall.moved(part.corners))
            for _, wall in walls for part in wall.parts if part.interior == "convex"]  # fmt: skip


def in_domain(snapshot):
    """Solids and their periodic images that overlap the domain, {wall: [Solid]}."""
    walls = {}
    for solid in _solids(_placed_walls(snapshot)):
        if solid.reaches_into(snapshot.lower, snapshot.upper):
            walls.setdefault(solid.wall, []).append(solid)
    return walls


def sheets(snapshot):
    """All parts of the walls and their periodic images except planes and Solids, [Sheet].

    Their triangles come from walls.vtk of the run; without this file they are omitted with a warning.
    """
    return _sheets(snapshot, _placed_walls(snapshot))


def _sheets(snapshot, walls):
    """Parts of walls [(row, Wall)] except planes and Solids, [Sheet]."""
    return [
        Sheet(wall.name, wall.moved(triangles), part.interior)
        for wall, part, triangles in _written_parts(
            snapshot, walls, lambda part: part.interior not in ("convex", "half space")
        )
    ]


def planes(snapshot):
    """Planes of the walls at their present positions, [Plane]; empty without walls.vtk of the run."""
    if not _walls_file(snapshot).is_file():
        return []  # without a warning, because most planes coincide with the frame of the domain
    wall_planes = []
    for wall, _, triangles in _written_parts(
        snapshot, _present_walls(snapshot), lambda part: part.interior == "half space"
    ):
        a, b, c = wall.moved(triangles[0])
        normal = np.cross(b - a, c - a)
        wall_planes.append(Plane(wall.name, a, normal / np.linalg.norm(normal)))
    return wall_planes


def surfaces(snapshot, in_domain_only=True):
    """Surfaces of all present walls: [(wall, triangles [T, 3, 3] [m], normal of a plane or None)].

    Planes are cut at the faces of the domain.

    in_domain_only: omits solids outside the domain, and adds the periodic images of walls in it
    """
    if in_domain_only:
        solids, sheet_parts = sum(in_domain(snapshot).values(), []), sheets(snapshot)
    else:
        walls = _present_walls(snapshot)
        solids, sheet_parts = _solids(walls), _sheets(snapshot, walls)
    found_surfaces = [(solid.wall, solid.triangles(), None) for solid in solids]
    found_surfaces += [(sheet.wall, sheet.triangles, None) for sheet in sheet_parts]
    for plane in planes(snapshot):
        polygon = plane.polygon(snapshot.lower, snapshot.upper)
        if len(polygon):
            fan = [[polygon[0], polygon[k], polygon[k + 1]] for k in range(1, len(polygon) - 1)]
            found_surfaces.append((plane.wall, np.array(fan), plane.normal))
    return found_surfaces


def at_time_zero(snapshot):
    """Snapshot with all its walls present, at their positions at time zero."""
    walls = [
        dataclasses.replace(wall, is_there=True, turn=np.eye(3), displacement=np.zeros(3))
        for wall in snapshot.walls
    ]
    return dataclasses.replace(snapshot, walls=walls)


def _written_parts(snapshot, walls, is_wanted):
    """Parts of walls [(row, Wall)] as in walls.vtk, at time zero: yields (Wall, WallPart, triangles [T, 3, 3] [m])."""
    for row, wall in walls:
        for number, part in enumerate(wall.parts):
            if not is_wanted(part):
                continue
            path = _walls_file(snapshot)
            if not path.is_file():
                warnings.warn(f"wall {wall.name} is left out: there is no {path}")
                continue
            triangles = _triangles_in(path, row, number)
            if len(triangles):
                yield wall, part, triangles


def has_file(snapshot):
    """Whether walls.vtk of the run exists."""
    return _walls_file(snapshot).is_file()


def _walls_file(snapshot):
    """walls.vtk of the run that wrote the snapshot (in snapshots/, or failed.h5). The file may be missing."""
    folder = pathlib.Path(snapshot.path).resolve().parent
    return (folder if (folder / "walls.vtk").is_file() else folder.parent) / "walls.vtk"


def _triangles_in(path, wall, part):
    """Triangles [T, 3, 3] [m] of a part in a walls.vtk.  wall, part: their rows"""
    triangles, walls, parts = _read_triangles(path, path.stat().st_mtime_ns)
    return triangles[(walls == wall) & (parts == part)]


@functools.lru_cache(maxsize=8)
def _read_triangles(path, _written_at):
    """All triangles of a walls.vtk: (triangles [T, 3, 3] [m], row of the wall [T], row of the part [T]).

    Cached by modification time. Raises FileError.
    """
    words = " ".join(scree.table.lines_of(path)).split()
    try:
        triangles, walls, parts = _parse_triangles(words)
    except (ValueError, IndexError) as error:
        raise FileError(f"'{path}' cannot be read as the walls of a run: {error}") from error
    if len({len(triangles), len(walls), len(parts)}) > 1 or not np.isfinite(triangles).all():
        raise FileError(f"'{path}' has triangles that are incomplete")
    return triangles, walls, parts


def _parse_triangles(words):
    """Parses the words of a walls.vtk, as `_read_triangles`; raises ValueError or IndexError."""
    line = words.index("POINTS")
    count = int(words[line + 1])
    points = np.array(words[line + 3 : line + 3 + 3 * count], dtype=float).reshape(-1, 3)
    line = words.index("POLYGONS")
    count = int(words[line + 1])
    corners = np.array(words[line + 3 : line + 3 + 4 * count], dtype=int).reshape(-1, 4)[:, 1:]

    def cell_data(name):
        line = words.index(name, words.index("CELL_DATA"))
        return np.array(words[line + 5 :][:count], dtype=int)

    return points[corners], cell_data("wall"), cell_data("part")
