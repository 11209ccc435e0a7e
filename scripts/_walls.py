"""The walls of bounded shape, read from the configuration text that a snapshot carries."""

import configparser
import dataclasses

import numpy as np
import scipy.spatial

import _scene
import _units
from _snapshot import SnapshotError

RIM_POINTS = 120  # of a circle; the outline then deviates by less than 0.04 % of the radius
VOLUME_POINTS = 1e6  # of the grid that measures a volume: the channel's obstacle within 0.1 %


@dataclasses.dataclass
class Solid:
    """A box or cylinder: the convex hull of its points."""

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


POINTS_OF = {"box": _box_points, "cylinder": _cylinder_points}


def bounded_walls(configuration, time=0.0):
    """Boxes and cylinders among the walls at `time` [s], [Solid]; planes are left out.

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
        velocity, _ = _units.split(owner.get("velocity", "0 0 0"))
        solids.append(Solid(wall, POINTS_OF[shape](parser[title]) + velocity * time))
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


def solid_volume(solids, lower, upper):
    """Volume [m^3] of the union of solids within the box, by counting the points of a grid."""
    solids = [solid for solid in solids if solid.reaches_into(lower, upper)]
    if not solids:
        return 0.0
    points = np.concatenate([solid.points for solid in solids])
    start, end = np.maximum(lower, points.min(axis=0)), np.minimum(upper, points.max(axis=0))
    spacing = np.cbrt(np.prod(end - start) / VOLUME_POINTS)
    counts = np.ceil((end - start) / spacing).astype(int)
    x, y, z = (a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(start, end, counts))
    layer = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = 0
    faces = [solid.planes() for solid in solids]
    for height in z:  # layer by layer, to stay small in memory
        in_any = np.zeros(len(layer), dtype=bool)
        for normals, offsets in faces:
            distance = layer @ normals[:, :2].T + (normals[:, 2] * height + offsets)
            in_any |= np.all(distance <= 0.0, axis=1)
        inside += np.count_nonzero(in_any)
    return float(np.prod(end - start)) * inside / float(np.prod(counts))
