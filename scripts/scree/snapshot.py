"""Reads the HDF5 snapshots of scree-run, in H5MD 1.1 with the layout in io/README.md."""

from __future__ import annotations

import dataclasses
import functools
import math
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import h5py
import numpy as np

import scree.configuration
import scree.hdf5
import scree.units
from scree.digest import demand_whole
from scree.errors import MissingField, SnapshotError, UsageError, did_you_mean
from scree.hdf5 import GRAINS as GROUP, NUMBERS, TEXT, WHOLE

if TYPE_CHECKING:
    import pandas

    from scree.contacts import Contacts

BOX = "box"  # the group of the domain, next to the fields
OBSERVABLES = "scree/observables"  # the group of the key figures

# Fields that scripts use -> shape of a row, and kind. Other fields may have any shape and kind.
FIELDS = {
    "position": ((3,), NUMBERS), "velocity": ((3,), NUMBERS), "angular_velocity": ((3,), NUMBERS),
    "orientation": ((4,), NUMBERS), "velocity_change": ((), NUMBERS), "radius": ((), NUMBERS),
    "id": ((), WHOLE), "material": ((), WHOLE), "shape": ((), WHOLE),
}  # fmt: skip
MAX_DISTANCE = 1e6  # largest distance of a particle [lengths of the domain]; farther positions are too inaccurate
SAME_CORNER = 1e-5  # largest distance of equal corners [bounding radii]
MIN_RADIUS, MAX_RADIUS = 1e-9, 1e3  # limits of radii, relative to the longest edge of the domain
INTERIORS = ("none", "convex", "inside", "outside", "half space")


@dataclasses.dataclass
class WallPart:
    """A part of a wall's shape."""

    interior: str  # the solid side: "none" for a sheet, "convex", "inside", "outside", "half space"
    corners: np.ndarray  # of a convex part at time zero, [K, 3] [m]: it is their hull; empty for other parts


@dataclasses.dataclass
class Wall:
    """A wall at the time of a snapshot."""

    name: str
    is_there: bool  # whether it has appeared and is not removed
    turn: np.ndarray  # rotation since time zero, [3, 3]
    displacement: np.ndarray  # displacement since time zero of the point at the origin, [3] [m]
    parts: list[WallPart]

    def moved(self, points: np.ndarray) -> np.ndarray:
        """Present positions of points [..., 3] of the shape at time zero."""
        return points @ self.turn.T + self.displacement


@dataclasses.dataclass
class Shape:
    """A shape of particles; lengths are relative to the bounding radius, which is the radius of a particle."""

    name: str
    members: np.ndarray  # x, y, z, r of each sphere about the centre of mass, [K, 4]
    volume: float  # of the union of members, divided by the cube of the radius
    density: float  # [kg/m^3]; 0 means that of the material
    inertia: np.ndarray  # about the centre of mass in body axes, divided by mass times radius squared, [3, 3]
    # Faces of polyhedra: rows of the members at the corners of each face, counter-clockwise as seen from outside. Members in
    # no face are spheres.
    faces: list[np.ndarray] = dataclasses.field(default_factory=list)

    @functools.cached_property
    def solids(self) -> list[tuple[np.ndarray, list[np.ndarray]]]:
        """For each polyhedron x, y, z, r of its bounding ball [4], and its sharp faces.

        Faces are relative to the centre of the ball, in units of its radius.
        """
        groups: list[tuple[set, list]] = []  # members, and rows of faces
        for row, face in enumerate(self.faces):
            adjacent = [group for group in groups if not group[0].isdisjoint(face)]
            groups = [group for group in groups if group not in adjacent]
            members = set(face).union(*(group[0] for group in adjacent))
            groups.append((members, sum((group[1] for group in adjacent), []) + [row]))
        faces = self.sharp_faces() if groups else []
        polyhedra = []
        for members, rows in sorted(groups, key=lambda group: min(group[0])):
            balls = self.members[sorted(members)]
            ball = np.array([0.0, 0.0, 0.0, 1.0])
            if len(members) < len(self.members):
                ball[:3] = (balls[:, :3].min(axis=0) + balls[:, :3].max(axis=0)) / 2.0
                ball[3] = (np.linalg.norm(balls[:, :3] - ball[:3], axis=1) + balls[:, 3]).max()
            polyhedra.append((ball, [(faces[row] - ball[:3]) / ball[3] for row in rows if len(faces[row])]))
        return polyhedra

    @functools.cached_property
    def spheres(self) -> np.ndarray:
        """Members that are spheres, [K, 4]."""
        return self.members[~np.isin(np.arange(len(self.members)), np.concatenate([[-1], *self.faces]))]

    def sharp_faces(self) -> list[np.ndarray]:
        """Faces of the polyhedra without rounding: corners [n, 3] of each. Faces without area are empty.

        Where more than three faces meet, rounding splits a corner; this function merges it again.
        """
        core, rounding = self.members[:, :3], np.array([self.members[face[0], 3] for face in self.faces])
        loops = [core[face] for face in self.faces]
        normals = np.array([np.cross(loop, np.roll(loop, -1, axis=0)).sum(axis=0) for loop in loops])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        heights = np.array([(loop @ normal).mean() for loop, normal in zip(loops, normals)]) + rounding
        corners = np.empty_like(core)
        for corner in np.unique(np.concatenate(self.faces)):
            rows = [row for row, face in enumerate(self.faces) if corner in face]
            corners[corner] = np.linalg.lstsq(normals[rows], heights[rows], rcond=None)[0]
        loops = [corners[face] for face in self.faces]
        loops = [loop[np.linalg.norm(loop - np.roll(loop, 1, axis=0), axis=1) > SAME_CORNER] for loop in loops]
        return [loop if len(loop) > 2 else loop[:0] for loop in loops]


@dataclasses.dataclass(repr=False)
class Snapshot:
    """One frame of N particles, in the order of the file, in SI units."""

    path: str
    step: int
    time: float  # [s]
    lower: np.ndarray  # lower corner of the domain, [3] [m]
    upper: np.ndarray  # upper corner, [3] [m]
    periodic: np.ndarray  # whether each axis is periodic, [3] of bool
    configuration: str  # effective configuration, the text of a scene file in SI units
    densities: np.ndarray  # of the materials, [M] [kg/m^3]
    fields: dict[str, np.ndarray]  # name -> [N], [N, 3] or [N, 4]
    units: Mapping[str, str] = dataclasses.field(default_factory=dict)  # field -> SI unit, "1" for a pure number
    materials: tuple[str, ...] = ()  # names of the materials, [M]
    shapes: list[Shape] = dataclasses.field(default_factory=list)  # shape k > 0 is shapes[k - 1]
    walls: list[Wall] = dataclasses.field(default_factory=list)
    # Lower and upper corner of each rank's box, [R, 2, 3] [m]; empty if the file does not have them.
    subdomains: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros((0, 2, 3)))
    # Shear of a domain or cell: rate [1/s], axes of flow and gradient. The gradient axis is not in `periodic`: its images move.
    shear: tuple[float, int, int] | None = None
    image_offset: float | None = None  # offset of the next image up the gradient [m]; None: it is rate x length x time
    # Strain rates of the edges of a [cell], [3] [1/s].
    strain_rate: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))
    time_step: float = math.nan  # length of the last step [s]; NaN: unknown
    touching_gap: float = math.nan  # largest gap of touching bodies [m]; NaN: unknown

    def __repr__(self) -> str:
        return f"Snapshot('{self.path}', t = {self.time:g} s, {len(self)} particles)"

    def _repr_html_(self) -> str:
        import scree.shown

        return scree.shown.html(repr(self), self)

    def __len__(self) -> int:
        return len(self.fields["id"])

    def __getitem__(self, field: str) -> np.ndarray:
        """A field of all particles, [N] or [N, 3] or [N, 4]; its unit is units[field]. Raises MissingField."""
        if field not in self.fields:
            known_names = ", ".join(self.fields)
            raise MissingField(f"'{self.path}' has no {field} of the particles{did_you_mean(field, self.fields)}; it has {known_names}")
        return self.fields[field]

    @property
    def period(self) -> np.ndarray:
        """Lengths of the domain for scipy's trees, [3] in m; 0 along non-periodic axes."""
        return np.where(self.periodic, self.upper - self.lower, 0.0)

    @property
    def repeats(self) -> np.ndarray:
        """Whether the domain has images along each axis, including moving images, [3] of bool."""
        return self.periodic | (np.arange(3) == self.shear[2]) if self.shear else self.periodic

    def home(
        self, places: np.ndarray, velocities: np.ndarray | None = None, earlier: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Moves positions [M, 3] [m] into the domain, and returns them with their velocities [M, 3].

        Positions inside are unchanged.  earlier: age of the positions relative to the snapshot [s]
        """
        extent = self.upper - self.lower
        if self.shear:
            periods = np.floor((places - self.lower) / extent)
            places = places - self.image_offsets(periods, earlier)
        images = np.where(self.repeats, np.floor((places - self.lower) / extent), 0.0)
        if not images.any():
            return places, velocities
        if velocities is not None and (self.shear or self.strain_rate.any()):
            velocities = velocities - self._image_velocities(images)
        wrapped = places - images * extent
        # Positions slightly outside may be rounded to the upper end, or below the lower end.
        is_outside = self.repeats & (images != 0.0) & ((wrapped < self.lower) | (wrapped >= self.upper))
        return np.where(is_outside, self.lower, wrapped), velocities

    def _image_velocities(self, periods: np.ndarray) -> np.ndarray:
        """Velocity of images that are these numbers of periods [M, 3] away, [M, 3] [m/s]."""
        velocities = periods * (self.upper - self.lower) * self.strain_rate
        if self.shear:
            rate, flow, gradient = self.shear
            speed = rate * (self.upper - self.lower)[gradient] + self.strain_rate[flow] * (self.image_offset or 0.0)
            velocities[:, flow] += speed * periods[:, gradient]
        return velocities

    def image_offsets(self, periods: np.ndarray, earlier: float = 0.0) -> np.ndarray:
        """Offset along the flow of images that are these numbers of periods [M, 3] away, [M, 3] [m].

        `earlier` as in `home`.
        """
        assert self.shear is not None
        rate, flow, gradient = self.shear
        length = (self.upper - self.lower)[gradient]
        offset = rate * length * self.time if self.image_offset is None else self.image_offset
        return (offset - earlier * rate * length) * periods[:, gradient, None] * (np.arange(3) == flow)

    def image_motion(self, shifts: np.ndarray, duration: float) -> np.ndarray:
        """Displacement of images in a time [s] relative to that of their particles, at the present rates: [M, 3] [m].

        shifts: from the particles to the images, [M, 3] [m]
        """
        rates = shifts * self.strain_rate
        if self.shear:
            rate, flow, gradient = self.shear
            rates[:, flow] += rate * shifts[:, gradient]
        return rates * duration

    def wrapped(self, positions: np.ndarray) -> np.ndarray:
        """Positions [M, 3] in the form that scipy's trees require, in m.

        They are relative to the lower corner of the domain, and in [0, length) along periodic axes.
        """
        positions = positions - self.lower
        extent = self.upper - self.lower
        remainders = np.mod(positions, extent)
        remainders[remainders >= extent] = 0.0  # np.mod of a tiny negative number rounds up to the extent
        return np.where(self.periodic, remainders, positions)

    def nearest(self, offsets: np.ndarray, earlier: float = 0.0) -> np.ndarray:
        """Shifts differences of positions [M, 3] [m] to the nearest image; `earlier` as in `home`."""
        aligned, periods = self._nearest_periods(offsets, earlier)
        return aligned - (self.upper - self.lower) * periods

    def nearest_velocities(self, velocities: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """Differences of velocities [M, 3] [m/s] relative to the images that are nearest by `offsets`.

        offsets: differences of positions [M, 3] [m]
        """
        if not (self.shear or self.strain_rate.any()):
            return velocities
        return velocities - self._image_velocities(self._nearest_periods(offsets)[1])

    def _nearest_periods(self, offsets, earlier=0.0):
        """Differences of positions [M, 3] without the offset of the nearest images, and their numbers of periods."""
        extent = self.upper - self.lower
        if self.shear:
            offsets = offsets - self.image_offsets(np.round(offsets / extent), earlier)
        return offsets, np.where(self.repeats, np.round(offsets / extent), 0.0)

    def pairs(self, positions: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of positions [M, 3] that are at most `reach` [m] apart, images included: rows [P] and [P], each pair
        once.

        Unlike scipy's trees, this includes the moving images of a sheared domain.
        """
        import scipy.spatial  # slow, and most programs that read snapshots do not use it

        tree = scipy.spatial.cKDTree(self.wrapped(positions), boxsize=self.period)
        a, b = tree.query_pairs(reach, output_type="ndarray").T
        if self.shear is None:
            return a, b
        extent, gradient = self.upper - self.lower, np.arange(3) == self.shear[2]
        low = np.flatnonzero(positions[:, self.shear[2]] < self.lower[self.shear[2]] + reach)
        images = positions[low] + gradient * extent + self.image_offsets(np.ones((len(low), 3)))
        near_rows = tree.query_ball_point(self.wrapped(images), reach)
        counts = np.fromiter(map(len, near_rows), int, len(near_rows))
        partners = np.concatenate([*near_rows, []]).astype(int)
        return np.concatenate([a, np.repeat(low, counts)]), np.concatenate([b, partners])

    @property
    def volumes(self) -> np.ndarray:
        """Volume of each particle, [N], in m^3."""
        factors = np.array([4.0 / 3.0 * np.pi, *(shape.volume for shape in self.shapes)])
        return factors[self.shape_numbers] * self["radius"] ** 3

    @property
    def masses(self) -> np.ndarray:
        """Mass of each particle, [N], in kg; raises SnapshotError for unknown materials."""
        material = self.material_numbers
        shape_density = np.array([0.0, *(shape.density for shape in self.shapes)])[self.shape_numbers]
        return np.where(shape_density > 0.0, shape_density, self.densities[material]) * self.volumes

    @property
    def material_numbers(self) -> np.ndarray:
        """Index of the material of each particle, [N]; raises SnapshotError for unknown materials."""
        material = self["material"]
        if len(material) and not (0 <= material.min() and material.max() < len(self.densities)):
            raise SnapshotError(f"'{self.path}' has particles of a material that it does not list")
        return material

    @property
    def shape_numbers(self) -> np.ndarray:
        """Index of the shape of each particle, [N], 0 for a sphere; raises SnapshotError for unknown shapes."""
        shape = self.fields.get("shape")
        if shape is None:
            return np.zeros(len(self), dtype=int)
        if len(shape) and not (0 <= shape.min() and shape.max() <= len(self.shapes)):
            raise SnapshotError(f"'{self.path}' has particles of a shape that it does not list")
        return shape

    def rows_of(self, ids: np.ndarray) -> np.ndarray:
        """Rows of the particles with these ids; -1 for absent ids."""
        order = np.argsort(self["id"], kind="stable")
        sorted_ids = self["id"][order]
        if not len(sorted_ids):
            return np.full(len(ids), -1)
        positions = np.minimum(np.searchsorted(sorted_ids, ids), len(sorted_ids) - 1)
        return np.where(sorted_ids[positions] == ids, order[positions], -1)

    def by_id(self) -> Snapshot:
        """The Snapshot with the particles in the order of their ids."""
        order = np.argsort(self["id"])
        return dataclasses.replace(self, fields={name: values[order] for name, values in self.fields.items()})

    def kinds(self, by: str) -> tuple[np.ndarray, tuple[str, ...]]:
        """Kind of each particle, [N], and the names of all kinds.  by: material or shape; raises UsageError"""
        if by == "material":
            return self.material_numbers, self.materials
        if by == "shape":
            return self.shape_numbers, ("sphere", *(shape.name for shape in self.shapes))
        raise UsageError(f"'{by}' must be material or shape")

    def inertia(self) -> np.ndarray:
        """Inertia of each particle about its centre of mass in body axes, [N, 3, 3] in kg m^2; raises SnapshotError."""
        factors = np.array([0.4 * np.eye(3), *(shape.inertia for shape in self.shapes)])
        return (self.masses * self["radius"] ** 2)[:, None, None] * factors[self.shape_numbers]

    def turns(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Rotations of all particles, or of these rows, from body axes to world axes, [K, 3, 3]."""
        return np.moveaxis(rotation(*self["orientation"][rows].T), -1, 0)

    def members(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Member spheres of all particles: centres in the domain [M, 3], radii [M] and rows of the particles [M].

        Lengths are in m. The members of polyhedra are balls at their corners.
        """
        return self._placed([shape.members for shape in self.shapes])

    def pieces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Drawn pieces of all particles: spheres as in `members`, and polyhedra by their bounding balls.

        Returns centres, radii and rows as `members`, and kinds [M]: 0 for a sphere, k for the k-th of `solids`.
        """
        balls = [np.array([*(ball for ball, _ in shape.solids), *shape.spheres]) for shape in self.shapes]
        kinds, solids = [np.zeros(np.count_nonzero(self.shape_numbers == 0), int)], 0
        for number, shape in enumerate(self.shapes, start=1):
            kind = np.zeros(len(balls[number - 1]), int)
            kind[: len(shape.solids)] = solids + 1 + np.arange(len(shape.solids))
            solids += len(shape.solids)
            kinds.append(np.repeat(kind, np.count_nonzero(self.shape_numbers == number)))
        positions, radii, rows = self._placed(balls)
        return positions, radii, rows, np.concatenate(kinds)

    @property
    def solids(self) -> list[list[np.ndarray]]:
        """Faces of the polyhedra of all shapes: corners [n, 3] relative to the bounding ball, in units of its
        radius.
        """
        return [faces for shape in self.shapes for _, faces in shape.solids]

    def _placed(self, balls: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres, radii and particle rows of spherical particles, and of the balls of all other particles.

        balls: of each shape, rows x, y, z, r relative to the bounding radius
        """
        shape, radii, centres = self.shape_numbers, self["radius"], self["position"]
        rows = [np.flatnonzero(shape == 0)]
        positions, sizes = [centres[rows[0]]], [radii[rows[0]]]
        for number, balls_of_shape in enumerate(balls, start=1):
            particle_rows = np.flatnonzero(shape == number)
            rotations = rotation(*self["orientation"][particle_rows].T)  # [3, 3, n]
            for x, y, z, radius in balls_of_shape:
                rows.append(particle_rows)
                arms = np.einsum("ijn,j->ni", rotations, (x, y, z))
                positions.append(centres[particle_rows] + radii[particle_rows, None] * arms)
                sizes.append(radius * radii[particle_rows])
        return self.home(np.concatenate(positions))[0], np.concatenate(sizes), np.concatenate(rows)

    @property
    def poses(self) -> list[tuple]:
        """Poses of the walls, for comparison with another snapshot."""
        return [(wall.is_there, *wall.turn.flat, *wall.displacement) for wall in self.walls]

    @property
    def speed(self) -> np.ndarray:
        """Norm of each particle's velocity, [N], in m/s."""
        return np.linalg.norm(self["velocity"], axis=1)

    @functools.cached_property
    def contacts(self) -> Contacts:
        """Contacts that the run recorded, with impulses; otherwise those between touching particles."""
        import scree.contacts  # imports scipy, which is slow

        return scree.contacts.of_snapshot(self)

    def table(self) -> pandas.DataFrame:
        """Particles as a pandas table indexed by id, with vectors as columns NAME_x, NAME_y, NAME_z."""
        import pandas

        columns: dict[str, np.ndarray] = {}
        for name, values in self.fields.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns |= dict(zip((f"{name}_{letter}" for letter in "wxyz"[-values.shape[1] :]), values.T))
        del columns["id"]
        return pandas.DataFrame(columns, index=pandas.Index(self["id"], name="id"))


def _unit(file, path):
    """SI unit of a field, "1" for a pure number; raises SnapshotError for other units."""
    dataset_path = f"{path}/value" if isinstance(scree.hdf5.item(file, path), h5py.Group) else path
    if "unit" not in scree.hdf5.item(file, dataset_path).attrs:
        return "1"
    unit = scree.hdf5.text(scree.hdf5.attribute(file, dataset_path, "unit", (), TEXT))
    if not scree.units.is_coherent(unit):
        raise SnapshotError(f"'{file.filename}': /{path} is in '{unit}'; expected SI units")
    return scree.units.from_h5md(unit)


def _box(file):
    """Corners of the domain and its periodic axes: (lower [3], upper [3], periodic [3])."""
    box = f"{GROUP}/{BOX}"
    extent = scree.hdf5.array(file, f"{box}/edges", (3,))
    lower = scree.hdf5.attribute(file, box, "offset", (3,))  # not in H5MD, whose boxes start at 0
    names = list(map(scree.hdf5.text, scree.hdf5.attribute(file, box, "boundary", (3,), TEXT)))
    if not (extent > 0.0).all():
        raise SnapshotError(f"'{file.filename}': /{box}/edges is {extent} m; expected edges longer than 0")
    if not set(names) <= {"periodic", "none"}:
        raise SnapshotError(f"'{file.filename}': /{box} has the boundary {names}; expected periodic or none")
    return lower, lower + extent, np.array(names) == "periodic"


def rotation(w, x, y, z):
    """Matrix [3, 3] of a unit quaternion."""
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


def _walls(file):
    """All walls, [Wall]; the group is empty without walls."""
    group = scree.hdf5.group(file, "scree/walls")
    if "name" not in group.attrs:
        return []
    names = list(map(scree.hdf5.text, scree.hdf5.attribute(file, "scree/walls", "name", (None,), TEXT)))
    interiors = list(map(scree.hdf5.text, scree.hdf5.attribute(file, "scree/walls", "interior", (None,), TEXT)))
    parts, walls = (len(interiors),), (len(names),)
    counts, owners = (
        scree.hdf5.array(file, f"scree/walls/{name}", parts, WHOLE) for name in ("corners_of_part", "wall_of_part"))
    presences = scree.hdf5.array(file, "scree/walls/is_there", walls, WHOLE)
    rotations = scree.hdf5.array(file, "scree/walls/orientation", (*walls, 4))
    displacements = scree.hdf5.array(file, "scree/walls/displacement", (*walls, 3))
    corners = scree.hdf5.array(file, "scree/walls/corners", (None, 3))
    if (counts < 0).any() or sum(map(int, counts)) != len(corners) or not np.isin(owners, np.arange(len(names))).all():
        raise SnapshotError(f"'{file.filename}': the parts of /scree/walls do not fit its names and corners")
    if not set(interiors) <= set(INTERIORS):
        raise SnapshotError(f"'{file.filename}': /scree/walls has the interior {sorted(set(interiors))}; "
                            f"expected one of {', '.join(INTERIORS)}")
    wall_parts = [WallPart(*part) for part in zip(interiors, np.split(corners, np.cumsum(counts)))]
    for part, owner in zip(wall_parts, owners):
        if part.interior == "convex" and not _has_volume(part.corners):
            raise SnapshotError(f"'{file.filename}': a part of the wall {names[owner]} has corners that span no volume")
    return [
        Wall(name, bool(is_there), rotation(*rotation_of_wall), displacement,
             [part for part, owner in zip(wall_parts, owners) if owner == row])
        for row, (name, is_there, rotation_of_wall, displacement) in enumerate(
            zip(names, presences, rotations, displacements))
    ]  # fmt: skip


def _has_volume(corners):
    """Whether the hull of corners [K, 3] has a volume that is more than a rounding error."""
    if len(corners) < 4:
        return False
    extents = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return extents[2] > 1e-12 * extents[0]


def _shapes(file):
    """Shapes of the particles, [Shape]; empty if all are spheres."""
    if not scree.hdf5.has(file, "scree/shapes"):
        return []
    names = map(scree.hdf5.text, scree.hdf5.attribute(file, "scree/shapes", "name", (None,), TEXT))
    return [_shape(file, name) for name in names]


def _shape(file, name):
    """The Shape of this name; raises SnapshotError."""
    path = f"scree/shapes/{name}"

    def numbers(key, *shape):
        return scree.hdf5.attribute(file, path, key, shape)

    members = numbers("members", None)
    if not len(members) or len(members) % 4 or not (members[3::4] > 0.0).all():
        raise SnapshotError(f"'{file.filename}': /{path} has bad members; expected x y z r of each, r > 0")
    volume, density = float(numbers("volume")), float(numbers("density"))
    if not (volume > 0.0 and density >= 0.0):
        raise SnapshotError(f"'{file.filename}': /{path} has the volume {volume:g} and the density {density:g}; "
                            "expected a volume above 0, and a density of 0 or more")
    is_polyhedron = "faces" in scree.hdf5.item(file, path).attrs
    faces = _faces(file, path, numbers("faces", None), len(members) // 4) if is_polyhedron else []
    return Shape(name, members.reshape(-1, 4), volume, density, numbers("inertia", 9).reshape(3, 3), faces)


def _faces(file, path, numbers, members):
    """Splits numbers into faces: for each face, in turn, its number of corners, then the members at its corners."""
    faces, begin = [], 0
    while begin < len(numbers):
        faces.append(np.asarray(numbers[begin + 1 : begin + 1 + int(numbers[begin])], int))
        begin += 1 + max(int(numbers[begin]), 0)
        if len(faces[-1]) < 3 or begin > len(numbers) or faces[-1].min() < 0 or faces[-1].max() >= members:
            raise SnapshotError(f"'{file.filename}': /{path} has bad faces; expected three corners or more of each, "
                                f"members 0 to {members - 1}")
    return faces


def _move_into_domain(snapshot):
    """Moves all particles into the domain; in files they may be slightly outside."""
    if "position" in snapshot.fields:
        positions, velocities = snapshot.home(snapshot["position"], snapshot.fields.get("velocity"))
        snapshot.fields["position"] = positions
        if velocities is not None:
            snapshot.fields["velocity"] = velocities


def _check_plausible(snapshot):
    """Raises SnapshotError if a particle has an impossible radius, material, shape or position.

    The fields must be finite.
    """
    extent = snapshot.upper - snapshot.lower
    radius = snapshot.fields.get("radius", np.zeros(0))
    for wrong_radius in radius[~((radius > MIN_RADIUS * extent.max()) & (radius < MAX_RADIUS * extent.max()))][:1]:
        raise SnapshotError(f"'{snapshot.path}' has a particle of the radius {wrong_radius:.3g} m in a domain of "
                            f"{extent.max():.3g} m")
    if "material" in snapshot.fields:
        snapshot.material_numbers  # raises
    snapshot.shape_numbers  # raises
    if "position" not in snapshot.fields:
        return
    with np.errstate(over="ignore"):
        distance = np.abs((snapshot["position"] - snapshot.lower) / extent).max(initial=0.0)
    if distance > MAX_DISTANCE:
        raise SnapshotError(f"'{snapshot.path}' has a particle {distance:.3g} lengths of the domain away from it")


def _fields(file, names, checked):
    """Named fields and their units, ({name: array}, {name: unit})."""
    arrays = {}
    for name in names:
        row, kind = FIELDS.get(name, (None, NUMBERS))
        arrays[name] = scree.hdf5.frame(file, f"{GROUP}/{name}", row, kind, checked)
    sizes = {name: len(values) for name, values in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise SnapshotError(f"'{file.filename}': the fields differ in their number of particles: {sizes}")
    return arrays, {name: _unit(file, f"{GROUP}/{name}") for name in names}


def _names(file, fields, shapes, has_mean_flow):
    """Names of the fields to read: `fields`, or all if None, and the fields that are required with these."""
    if fields is None:
        fields = [name for name in scree.hdf5.group(file, GROUP) if name != BOX]
    names = {"id", *fields}
    if shapes and "radius" in names:
        names |= {"shape", "orientation"}
    if has_mean_flow and "velocity" in names:
        names.add("position")
    return sorted(names)


def _shear(file, configuration):
    """`shear` and `image_offset` of a Snapshot, from the file for a [cell], otherwise from the configuration."""
    box = f"{GROUP}/{BOX}"
    if "image_offset" not in scree.hdf5.group(file, box).attrs:
        return scree.configuration.shear_of(configuration), None
    rate, offset = (float(scree.hdf5.attribute(file, box, name, ())) for name in ("shear_rate", "image_offset"))
    axes = list(map(scree.hdf5.text, scree.hdf5.attribute(file, box, "shear_axes", (2,), TEXT)))
    if not set(axes) <= set("xyz") or axes[0] == axes[1]:
        raise SnapshotError(f"'{file.filename}': /{box} has the shear_axes {axes}; expected two of x, y and z")
    return (rate, *map("xyz".index, axes)), offset


def _strain_rate(file):
    """`strain_rate` of a Snapshot."""
    box = f"{GROUP}/{BOX}"
    has_rate = "strain_rate" in scree.hdf5.group(file, box).attrs
    return scree.hdf5.attribute(file, box, "strain_rate", (3,)) if has_rate else np.zeros(3)


def _observable(file, name):
    """An observable at the time of the snapshot; NaN if the file does not have it."""
    if not scree.hdf5.has(file, OBSERVABLES) or name not in scree.hdf5.group(file, OBSERVABLES).attrs:
        return math.nan
    return float(scree.hdf5.attribute(file, OBSERVABLES, name, ()))


def _read(file, path, fields, checked):
    """The Snapshot in an open file, with positions as stored."""
    lower, upper, periodic = _box(file)
    shapes = _shapes(file)
    configuration = scree.hdf5.text(scree.hdf5.array(file, "scree/configuration", (), TEXT))
    time = float(scree.hdf5.last(file, f"{GROUP}/position/time"))
    shear, image_offset = _shear(file, configuration)
    strain_rate = _strain_rate(file)
    if shear is not None:
        periodic = periodic & (np.arange(3) != shear[2])
    arrays, units = _fields(file, _names(file, fields, shapes, shear is not None or strain_rate.any()), checked)
    densities = scree.hdf5.attribute(file, "scree/materials", "density", (None,))
    if not (densities > 0.0).all():
        raise SnapshotError(f"'{file.filename}' has materials with a density that is not greater than 0")
    names = scree.hdf5.attribute(file, "scree/materials", "name", (len(densities),), TEXT)
    boxes = np.zeros((0, 6))
    if scree.hdf5.has(file, "scree/subdomains"):  # scree.engine writes none
        boxes = scree.hdf5.array(file, "scree/subdomains", (None, 6))
    return Snapshot(
        path=str(path),
        step=int(scree.hdf5.last(file, f"{GROUP}/position/step", WHOLE)),
        time=time,
        lower=lower, upper=upper, periodic=periodic, configuration=configuration, densities=densities,
        fields=arrays, units=units, materials=tuple(map(scree.hdf5.text, names)), shapes=shapes,
        walls=_walls(file),
        subdomains=boxes.reshape(-1, 2, 3), shear=shear, image_offset=image_offset, strain_rate=strain_rate,
        time_step=_observable(file, "time_step"),
        touching_gap=_observable(file, "touching_gap"),
    )  # fmt: skip


def read_snapshot(
    path: str | pathlib.Path, fields: Iterable[str] | None = None, checked: bool = True
) -> Snapshot:
    """Reads a snapshot with the named fields (`id` is always included), or with all of them.

    Positions are wrapped into a periodic domain. The gradient axis of a sheared domain or [cell] is not in `periodic`,
    but `nearest` and `pairs` include its images. Raises SnapshotError if the file is missing, damaged, incomplete
    or not a snapshot, or has impossible values.

    checked: False accepts impossible values of particles, as in the file of a failed run
    """
    try:
        demand_whole(path)
        with h5py.File(path, "r") as file:
            snapshot = _read(file, path, fields, checked)
        if checked:
            _check_plausible(snapshot)
        _move_into_domain(snapshot)
    except scree.hdf5.DAMAGE_ERRORS as error:
        raise SnapshotError(f"'{path}' cannot be read as a snapshot: {error}") from error
    return snapshot


def first_filled(paths: Iterable[str | pathlib.Path], fields: Iterable[str] | None = None) -> Snapshot:
    """The first snapshot with particles, or the first of all if there is none; raises SnapshotError."""
    paths = list(paths)
    filled = (path for path in paths if len(read_snapshot(path, ("id",))))
    return read_snapshot(next(filled, paths[0]), fields)


def read_frames(
    paths: Iterable[str | pathlib.Path], fields: Iterable[str] | None = None
) -> Iterator[Snapshot]:
    """Reads snapshots of the same domain in turn, and yields them.

    Only the edges of a [cell] may change. Raises SnapshotError as `read_snapshot`, or if a domain differs from the
    first.
    """
    first = None
    for path in paths:
        snapshot = read_snapshot(path, fields)
        first = first or (snapshot.path, snapshot.lower, snapshot.upper, snapshot.periodic)
        domain = (snapshot.lower, snapshot.upper, snapshot.periodic)
        is_cell = "\n[cell]\n" in snapshot.configuration
        if not is_cell and not all(np.array_equal(a, b) for a, b in zip(domain, first[1:])):
            raise SnapshotError(f"'{first[0]}' and '{path}' differ in their domain")
        yield snapshot


def unwrapped(frames: Iterable[Snapshot]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Paths of the particles that are in all Snapshots: ids, ascending [N], positions [F, N, 3] [m] and times [F] [s].

    Where a particle leaves the domain, its path is that of its image outside, which in a sheared domain or a [cell]
    moves with the mean flow. Between two frames a particle must move less than half a period, not counting this motion.
    """
    ids, previous = np.zeros(0, int), np.zeros((0, 3))
    paths: list[np.ndarray] = []
    times: list[float] = []
    for frame in frames:
        ids = ids if times else np.sort(frame["id"])
        rows = frame.rows_of(ids)
        is_present = rows >= 0
        ids, paths = ids[is_present], [earlier[is_present] for earlier in paths]
        current = frame["position"][rows[is_present]]
        if times:
            expected = paths[-1] + frame.image_motion(paths[-1] - previous[is_present], frame.time - times[-1])
            paths.append(expected + frame.nearest(current - expected))
        else:
            paths.append(current)
        times.append(frame.time)
        previous = current
    return ids, np.array(paths), np.array(times)
