"""Reads the HDF5 snapshots of scree-run (H5MD 1.1; io/README.md describes the layout)."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import math
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import h5py
import numpy as np
import xxhash

import scree.configuration
import scree.units
from scree.errors import FileError

if TYPE_CHECKING:
    import pandas

    from scree.contacts import Contacts

GROUP = "particles/grains"

BOX = "box"  # beside the fields in their group


class SnapshotError(FileError):
    """A file that is not a readable snapshot; the message names the file and what is wrong."""


@dataclasses.dataclass
class WallPart:
    """A part of a wall's shape."""

    interior: str  # what is solid: "none" of a sheet, "convex", "inside", "outside", "half space"
    corners: np.ndarray  # of a convex part, whose hull it is, at time zero, [K, 3] [m]


@dataclasses.dataclass
class Wall:
    """A wall at the time of a snapshot."""

    name: str
    is_there: bool  # has appeared and is not removed yet
    turn: np.ndarray  # rotation since time zero, [3, 3]
    displacement: np.ndarray  # of what was at the origin at time zero, [3] [m]
    parts: list[WallPart]

    def moved(self, points: np.ndarray) -> np.ndarray:
        """Places [..., 3] of the shape at time zero where they are now."""
        return points @ self.turn.T + self.displacement


@dataclasses.dataclass
class Shape:
    """A shape of particles; lengths are multiples of a particle's radius, its bounding radius."""

    name: str
    members: np.ndarray  # x, y, z, r of each sphere about the centre of mass, [K, 4]
    volume: float  # of their union, over the radius cubed
    density: float  # [kg/m^3]; 0: that of the material
    # About the centre of mass in body axes over mass times radius squared, [3, 3]; None: the file does not tell.
    inertia: np.ndarray | None = None


@dataclasses.dataclass(repr=False)
class Snapshot:
    """One frame of N particles, in the order of the file, in SI units."""

    path: str
    step: int
    time: float  # [s]
    lower: np.ndarray  # [3], corner of the domain [m]
    upper: np.ndarray  # [3] [m]
    periodic: np.ndarray  # [3] of bool
    configuration: str  # effective configuration, the text of a scene file in SI units
    densities: np.ndarray  # of the materials, [M], row k is material k [kg/m^3]
    fields: dict[str, np.ndarray]  # name -> array [N] or [N, 3] or [N, 4], as the file has them
    units: Mapping[str, str] = dataclasses.field(default_factory=dict)  # name -> SI unit, "1" of a pure number
    materials: tuple[str, ...] = ()  # names, [M]; empty if the file does not tell
    shapes: list[Shape] = dataclasses.field(default_factory=list)  # shape k > 0 is shapes[k - 1]
    walls: list[Wall] | None = None  # None if the file does not tell, being of an earlier version
    subdomains: np.ndarray | None = None  # lower and upper corner of each rank's box, [R, 2, 3] [m]; None likewise

    def __repr__(self) -> str:
        return f"Snapshot('{self.path}', t = {self.time:g} s, {len(self)} particles)"

    def __len__(self) -> int:
        return len(self.fields["id"])

    def __getitem__(self, field: str) -> np.ndarray:
        """A field of all particles, [N] or [N, 3] or [N, 4]; its unit is units[field]. Raises SnapshotError."""
        if field not in self.fields:
            known = ", ".join(self.fields)
            raise SnapshotError(f"'{self.path}' has no {field} of the particles; it has {known}")
        return self.fields[field]

    @property
    def period(self) -> np.ndarray:
        """Lengths of the domain for scipy's trees, [3] in m; 0 along axes that do not repeat."""
        return np.where(self.periodic, self.upper - self.lower, 0.0)

    def wrapped(self, positions: np.ndarray) -> np.ndarray:
        """Positions [M, 3] as scipy's trees want them, in m.

        From the domain's lower corner, and in [0, length) along periodic axes.
        """
        positions = positions - self.lower
        extent = self.upper - self.lower
        inside = np.mod(positions, extent)
        inside[inside >= extent] = 0.0  # np.mod of a tiny negative number rounds up to the extent
        return np.where(self.periodic, inside, positions)

    def nearest(self, offsets: np.ndarray) -> np.ndarray:
        """Differences of places [M, 3] to the nearest periodic image, [M, 3]."""
        extent = self.upper - self.lower
        return offsets - np.where(self.periodic, extent * np.round(offsets / extent), 0.0)

    @property
    def volumes(self) -> np.ndarray:
        """Volume of each particle, [N], in m^3."""
        factors = np.array([4.0 / 3.0 * np.pi, *(shape.volume for shape in self.shapes)])
        return factors[self.shape_numbers] * self.fields["radius"] ** 3

    @property
    def masses(self) -> np.ndarray:
        """Mass of each particle, [N], in kg; raises SnapshotError if it is of an unknown material."""
        material = self.fields["material"]
        if len(material) and not (0 <= material.min() and material.max() < len(self.densities)):
            raise SnapshotError(f"'{self.path}' has particles of a material that it does not list")
        told = np.array([0.0, *(shape.density for shape in self.shapes)])[self.shape_numbers]
        return np.where(told > 0.0, told, self.densities[material]) * self.volumes

    @property
    def shape_numbers(self) -> np.ndarray:
        """Shape of each particle, [N], 0 of a sphere; raises SnapshotError if the file does not describe it."""
        shape = self.fields.get("shape")
        if shape is None:
            return np.zeros(len(self), dtype=int)
        if len(shape) and not (0 <= shape.min() and shape.max() <= len(self.shapes)):
            raise SnapshotError(f"'{self.path}' has particles of a shape that it does not list")
        return shape

    def inertia(self) -> np.ndarray:
        """Inertia of each particle about its centre of mass in body axes, [N, 3, 3] in kg m^2; raises SnapshotError."""
        if any(shape.inertia is None for shape in self.shapes):
            raise SnapshotError(f"'{self.path}' does not tell the inertia of its shapes, being of an earlier version")
        factors = np.array([0.4 * np.eye(3), *(shape.inertia for shape in self.shapes)])
        return (self.masses * self["radius"] ** 2)[:, None, None] * factors[self.shape_numbers]

    def members(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spheres that all particles are made of: centres [M, 3], radii [M] and rows [M].

        In m; the rows say whose they are.
        """
        shape, radii, centres = self.shape_numbers, self["radius"], self["position"]
        rows = [np.flatnonzero(shape == 0)]
        places, sizes = [centres[rows[0]]], [radii[rows[0]]]
        for number, its in enumerate(self.shapes, start=1):
            of_it = np.flatnonzero(shape == number)
            turn = _rotation(*self["orientation"][of_it].T)  # [3, 3, n]
            for *arm, radius in its.members:
                rows.append(of_it)
                arms = np.einsum("ijn,j->ni", turn, arm)
                places.append(centres[of_it] + radii[of_it, None] * arms)
                sizes.append(radius * radii[of_it])
        return np.concatenate(places), np.concatenate(sizes), np.concatenate(rows)

    @property
    def speed(self) -> np.ndarray:
        """Norm of each particle's velocity, [N], in m/s."""
        return np.linalg.norm(self.fields["velocity"], axis=1)

    @functools.cached_property
    def contacts(self) -> Contacts:
        """Those that the run recorded, with impulses; else the closed ones between particles."""
        import scree.contacts  # which needs snapshots itself

        return scree.contacts.of_snapshot(self)

    def table(self) -> pandas.DataFrame:
        """The particles as a pandas table, a row each by their id, vectors as columns NAME_x, NAME_y, NAME_z."""
        import pandas

        columns: dict[str, np.ndarray] = {}
        for name, values in self.fields.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns |= dict(zip((f"{name}_{letter}" for letter in "wxyz"[-values.shape[1] :]), values.T))
        del columns["id"]
        return pandas.DataFrame(columns, index=pandas.Index(self["id"], name="id"))


def _item(file, path):
    """The group or dataset at `path`; raises SnapshotError if there is none."""
    item = file.get(path)
    if item is None:
        raise SnapshotError(f"'{file.filename}' is not a snapshot of Scree: it has no /{path}")
    return item


def frame(file, path, trailing=None):
    """Last frame of a field, [N, *trailing]; a plain dataset is a field that never changes.

    trailing: shape of one row; None: whatever the file has
    """
    item = _item(file, path)
    if trailing is None:
        is_plain = isinstance(item, h5py.Dataset)
        trailing = item.shape[1:] if is_plain else _item(file, f"{path}/value").shape[2:]
    if isinstance(item, h5py.Group):
        item = _item(file, f"{path}/value")
        has_frames = True
    else:
        has_frames = item.ndim == len(trailing) + 2
    leading = item.ndim - len(trailing)
    if leading != 1 + has_frames or item.shape[leading:] != trailing:
        expected = "x".join(["N", *map(str, trailing)])
        raise SnapshotError(
            f"'{file.filename}': /{path} has the shape {item.shape}; expected {expected} per frame"
        )
    if has_frames and item.shape[0] == 0:
        raise SnapshotError(f"'{file.filename}': /{path} has no frame")
    values = item[-1] if has_frames else item[()]
    return values.astype(float) if values.dtype.kind == "f" else values  # stored single or double


def _unit(file, path):
    """SI unit of a field, "1" of a pure number; raises SnapshotError if the file has another."""
    item = _item(file, path)
    item = item["value"] if isinstance(item, h5py.Group) else item
    unit = _text(item.attrs.get("unit", ""))
    if not scree.units.is_coherent(unit):
        raise SnapshotError(f"'{file.filename}': /{path} is in '{unit}'; expected SI units")
    return scree.units.from_h5md(unit)


def _last(file, path):
    """Last entry of a dataset of one number per frame, or its only number."""
    return np.ravel(_item(file, path)[()])[-1]


def _text(value):
    """A string attribute or dataset as str; HDF5's fixed-length strings arrive as bytes."""
    value = value.decode("utf-8") if isinstance(value, bytes) else str(value)
    return value.rstrip("\0")


def _box(file):
    """Corners of the domain and its periodic axes: (lower [3], upper [3], periodic [3])."""
    extent = np.array(_item(file, f"{GROUP}/box/edges"), dtype=float)
    attributes = _item(file, f"{GROUP}/box").attrs
    for name in ("boundary", "offset"):
        if name not in attributes:
            raise SnapshotError(f"'{file.filename}': /{GROUP}/box has no attribute '{name}'")
    lower = np.array(attributes["offset"], dtype=float)  # H5MD boxes start at 0; this is our own
    periodic = np.array([_text(name) == "periodic" for name in attributes["boundary"]])
    if lower.shape != (3,) or extent.shape != (3,) or periodic.shape != (3,):
        raise SnapshotError(f"'{file.filename}': /{GROUP}/box is not three-dimensional")
    return lower, lower + extent, periodic


def _rotation(w, x, y, z):
    """The matrix [3, 3] of a unit quaternion."""
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


def _walls(file):
    """The walls, [Wall], or None if the file does not tell; raises ValueError if it is confused."""
    group = file.get("scree/walls")
    if group is None or "name" not in group.attrs:
        return None if group is None else []
    names = [_text(name) for name in group.attrs["name"]]
    interiors = [_text(name) for name in group.attrs["interior"]]
    counts, owners = group["corners_of_part"][()], group["wall_of_part"][()]
    there, turns, displacements = (group[k][()] for k in ("is_there", "orientation", "displacement"))
    rows = {len(names), len(there), len(turns), len(displacements)}
    if len(rows) > 1 or len({len(interiors), len(counts), len(owners)}) > 1:
        raise ValueError("the entries of /scree/walls differ in their number of walls or parts")
    corners = np.split(group["corners"][()], np.cumsum(counts))
    if [len(part) for part in corners] != [*counts, 0]:
        raise ValueError("/scree/walls/corners has not as many rows as its parts have corners")
    parts = [WallPart(*part) for part in zip(interiors, corners)]
    return [
        Wall(name, bool(is_there), _rotation(*turn), displacement,
             [part for part, owner in zip(parts, owners) if owner == row])
        for row, (name, is_there, turn, displacement) in enumerate(
            zip(names, there, turns, displacements))
    ]  # fmt: skip


def _shapes(file):
    """The shapes of the particles, [Shape]; none of a file in which all are spheres."""
    group = file.get("scree/shapes")
    names = [] if group is None else [_text(name) for name in group.attrs["name"]]
    return [
        Shape(name, np.reshape(group[name].attrs["members"], (-1, 4)),
              float(group[name].attrs["volume"]), float(group[name].attrs["density"]),
              np.reshape(group[name].attrs["inertia"], (3, 3)) if "inertia" in group[name].attrs else None)
        for name in names
    ]  # fmt: skip


DIGEST_HEAD = re.compile(r"# XXH64 of blocks of ([1-9]\d*) bytes")


def digest_of(path, first=0, count=math.inf):
    """XXH64 of the bytes of a file from `first` on, at most `count`."""
    digest = xxhash.xxh64()
    with open(path, "rb") as file:
        file.seek(first)
        while count > 0 and (block := file.read(min(1 << 20, count))):
            digest.update(block)
            count -= len(block)
    return digest.hexdigest()


def _digests_of_blocks(path, text, size):
    """(found, expected) for each block of `size` bytes, read by all cores at once, and for their lines."""
    lines = text.splitlines()
    blocks = range(0, pathlib.Path(path).stat().st_size, size)
    if len(blocks) != len(lines) - 2:
        raise SnapshotError(f"'{path}' is damaged: it has not the length of its digests")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda first: digest_of(path, first, size), blocks))
    of_lines = xxhash.xxh64("".join(f"{line}\n" for line in lines[:-1])).hexdigest()
    return [*zip(found, lines[1:-1], strict=True), (of_lines, lines[-1].split()[0])]


def demand_whole(path):
    """Raises SnapshotError unless the file has the XXH64 digest that lies beside it, if one does."""
    beside = pathlib.Path(f"{path}.xxh64")
    if not beside.exists():
        return
    text = beside.read_text(errors="replace")
    head = DIGEST_HEAD.match(text)
    if head is None:
        digests = [(digest_of(path), (text.split() or ["none"])[0])]
    else:
        digests = _digests_of_blocks(path, text, int(head[1]))
    for found, expected in digests:
        if found != expected:
            raise SnapshotError(f"'{path}' is damaged: its digest is {found}, expected {expected}")


def _bring_home(snapshot, rate, flow, gradient):
    """Moves what is beyond an end of a sheared domain to where its image is, with the velocity of that.

    Along the gradient the domain does not repeat as others do: its images have moved. It counts as having ends there.
    """
    extent = snapshot.upper - snapshot.lower
    periodic, snapshot.periodic = snapshot.periodic, snapshot.periodic.copy()
    snapshot.periodic[gradient] = False
    if "position" not in snapshot.fields:
        return
    positions = snapshot.fields["position"] = snapshot.fields["position"].copy()
    away = np.floor((positions[:, gradient] - snapshot.lower[gradient]) / extent[gradient])
    speed = rate * extent[gradient]
    positions[:, flow] -= away * speed * snapshot.time
    positions -= np.where(periodic, extent * np.floor((positions - snapshot.lower) / extent), 0.0)
    if "velocity" in snapshot.fields:
        velocities = snapshot.fields["velocity"] = snapshot.fields["velocity"].copy()
        velocities[:, flow] -= away * speed


def read_snapshot(path: str | pathlib.Path, fields: Iterable[str] | None = None) -> Snapshot:
    """Reads a snapshot with the named fields (`id` always comes along), or with all it has.

    Of a sheared domain all particles are inside, and the axis of the gradient counts as not periodic, because the
    images there have moved. Raises SnapshotError if the file is missing, damaged, foreign, or lacks something.
    """
    try:
        demand_whole(path)
        with h5py.File(path, "r") as file:
            lower, upper, periodic = _box(file)
            if fields is None:
                fields = [name for name in _item(file, GROUP) if name != BOX]
            shapes = _shapes(file)
            # Sizes of clumps mean nothing without their shapes.
            more = ("shape", "orientation") if shapes and "radius" in fields else ()
            names = sorted({"id", *fields, *more})
            configuration = _text(_item(file, "scree/configuration")[()])
            shear = scree.configuration.shear_of(configuration)
            if shear is not None and "velocity" in names:
                names = sorted({"position", *names})
            # The place says what a particle and a frame are; it is one row of three for each.
            rows = {"position": (3,), "id": ()}
            arrays = {name: frame(file, f"{GROUP}/{name}", rows.get(name)) for name in names}
            units = {name: _unit(file, f"{GROUP}/{name}") for name in names}
            snapshot = Snapshot(
                path=str(path),
                step=int(_last(file, f"{GROUP}/position/step")),
                time=float(_last(file, f"{GROUP}/position/time")),
                lower=lower,
                upper=upper,
                periodic=periodic,
                configuration=configuration,
                densities=np.array(_item(file, "scree/materials").attrs["density"], dtype=float),
                fields=arrays,
                units=units,
                materials=tuple(map(_text, np.ravel(file["scree/materials"].attrs.get("name", ())))),
                shapes=shapes,
                walls=_walls(file),
                subdomains=np.reshape(file["scree/subdomains"][()], (-1, 2, 3)) if "scree/subdomains" in file else None,
            )
    except (OSError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise SnapshotError(f"'{path}' cannot be read as a snapshot: {error}") from error
    if shear is not None:
        _bring_home(snapshot, *shear)
    sizes = {name: len(values) for name, values in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise SnapshotError(f"'{path}': the fields differ in their number of particles: {sizes}")
    return snapshot


def read_frames(
    paths: Iterable[str | pathlib.Path], fields: Iterable[str] | None = None
) -> Iterator[Snapshot]:
    """Reads the snapshots one after the other, which must have the same domain: yields Snapshots.

    Raises SnapshotError as `read_snapshot`, or if a domain differs from the first one's.
    """
    first = None
    for path in paths:
        snapshot = read_snapshot(path, fields)
        first = first or (snapshot.path, snapshot.lower, snapshot.upper, snapshot.periodic)
        domain = (snapshot.lower, snapshot.upper, snapshot.periodic)
        if not all(np.array_equal(a, b) for a, b in zip(domain, first[1:])):
            raise SnapshotError(f"'{first[0]}' and '{path}' differ in their domain")
        yield snapshot
