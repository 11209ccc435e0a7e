"""Snapshots made for the tests of the scripts, in the layout of io/README.md."""

import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import h5py
import numpy as np
import scipy.spatial.transform

import scree.snapshot

DENSITY = 2650.0  # density of all materials [kg/m^3]
CONFIGURATION = "[scene]\nseed = 1\n"


def box(lower, upper):
    """Corners of a box, [8, 3]."""
    return np.array([lower, upper])[np.indices((2, 2, 2)).reshape(3, -1).T, np.arange(3)]


def cylinder(centre, radius, low, high, sides=128):
    """Corners of an upright cylinder, [2 sides, 3]."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rim = np.array(centre) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([np.insert(rim, 2, height, axis=1) for height in (low, high)])


def wall(name, *parts, turn=None, displacement=(0.0, 0.0, 0.0), is_there=True):
    """A scree.snapshot.Wall.  parts: corners of a convex part, or the `interior` of a part without corners"""
    wall_parts = [
        scree.snapshot.WallPart(part, np.zeros((0, 3))) if isinstance(part, str)
        else scree.snapshot.WallPart("convex", np.array(part))
        for part in parts
    ]  # fmt: skip
    return scree.snapshot.Wall(
        name, is_there, np.eye(3) if turn is None else turn, np.array(displacement), wall_parts
    )


WALLS = [
    wall("floor", "half space"),
    wall("obstacle", cylinder((0.04, 0.03), 0.01, -0.01, 0.03),
         box((0.04, 0.02, -0.01), (0.05, 0.04, 0.03))),
]  # fmt: skip


def made_fields(count, seed=1):
    """Random fields of `count` particles in a box of 10 x 6 x 2 cm."""
    random = np.random.default_rng(seed)
    orientation = random.normal(size=(count, 4))
    return {
        "position": random.uniform(size=(count, 3)) * [0.1, 0.06, 0.02],
        "velocity": random.normal(size=(count, 3)),
        "angular_velocity": random.normal(size=(count, 3)),
        "orientation": orientation / np.linalg.norm(orientation, axis=1, keepdims=True),
        "radius": random.uniform(4e-4, 6e-4, size=count),
        "id": np.arange(100, 100 + count, dtype=np.int64),
        "material": np.zeros(count, dtype=np.int32),
    }


UNITS = {"position": "m", "velocity": "m s-1", "angular_velocity": "rad s-1", "radius": "m"}


def write(path, fields, time=0.25, periodic=(False, False, False), configuration=CONFIGURATION,
          walls=WALLS, shapes=(), materials=1, contacts=None, step=25):  # fmt: skip
    """Writes a snapshot. Radius, id, material and shape are plain datasets; the other fields have one frame.

    contacts: the contact record, {name: values}, in which a missing pull or dissipation is 0; None: no record
    """
    with h5py.File(path, "w") as file:
        grains = file.create_group("particles/grains")
        for name, values in fields.items():
            is_plain = name in ("radius", "id", "material", "shape")
            dataset = name if is_plain else f"{name}/value"
            grains[dataset] = values if is_plain else values[None]
            if name in UNITS:
                grains[dataset].attrs["unit"] = np.bytes_(UNITS[name])
            if is_plain:
                continue
            grains[f"{name}/step"] = np.array([step])
            grains[f"{name}/time"] = np.array([time])
        box = grains.create_group("box")
        box.attrs["boundary"] = np.array(
            [b"periodic" if axis else b"none" for axis in periodic], dtype="S8"
        )
        box["edges"] = np.array([0.1, 0.06, 0.02])
        box.attrs["offset"] = np.zeros(3)
        materials_attributes = file.create_group("scree/materials").attrs
        materials_attributes["density"] = np.full(materials, DENSITY)
        materials_attributes["name"] = np.bytes_([f"material {k}" for k in range(materials)])
        file["scree/configuration"] = np.bytes_(configuration)
        file["scree/subdomains"] = np.array([[0.0, 0.0, 0.0, 0.1, 0.06, 0.02]])
        _write_walls(file.create_group("scree/walls"), walls)
        if contacts is not None:
            defaults = {"pull": np.zeros((len(contacts["id"]), 3)), "dissipation": np.zeros(len(contacts["id"]))}
            for name, values in (defaults | contacts).items():
                file[f"scree/contacts/{name}"] = np.asarray(values)
        if shapes:
            _write_shapes(file.create_group("scree/shapes"), shapes)


def _write_walls(group, walls):
    if not walls:
        return
    parts = [(row, part) for row, wall_ in enumerate(walls) for part in wall_.parts]
    rotations = [scipy.spatial.transform.Rotation.from_matrix(wall_.turn).as_quat() for wall_ in walls]
    group.attrs["name"] = np.bytes_([wall_.name for wall_ in walls])
    group.attrs["interior"] = np.bytes_([part.interior for _, part in parts])
    group["is_there"] = np.array([wall_.is_there for wall_ in walls], dtype=np.int64)
    group["orientation"] = np.roll(rotations, 1, axis=1)  # w first
    group["displacement"] = np.array([wall_.displacement for wall_ in walls])
    group["wall_of_part"] = np.array([row for row, _ in parts], dtype=np.int64)
    group["corners_of_part"] = np.array([len(part.corners) for _, part in parts], dtype=np.int64)
    group["corners"] = np.concatenate([part.corners for _, part in parts])


def _write_shapes(group, shapes):
    group.attrs["name"] = np.bytes_([shape.name for shape in shapes])
    for shape in shapes:
        attributes = group.create_group(shape.name).attrs
        attributes["members"], attributes["volume"], attributes["density"] = shape.members.ravel(), shape.volume, shape.density
        attributes["inertia"] = shape.inertia.ravel()
        if shape.faces:
            attributes["faces"] = np.concatenate([[len(face), *face] for face in shape.faces])


# Two spheres of half the bounding radius that touch each other along x.
DUMBBELL = scree.snapshot.Shape("dumbbell", np.array([[0.5, 0, 0, 0.5], [-0.5, 0, 0, 0.5]]), np.pi / 3.0, 0.0,
                                np.diag([0.1, 0.35, 0.35]))  # fmt: skip


def cube(rounding=0.05):
    """The Shape of a rounded cube, with the bounding radius 1 and the mass properties of the sharp cube."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [np.array(face) for face in
             ([0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3])]  # fmt: skip
    half = 1.0 / np.sqrt(3.0)
    members = np.column_stack([(half - rounding) * corners, np.full(8, rounding)])
    return scree.snapshot.Shape("cube", members, (2.0 * half) ** 3, 0.0, 2.0 / 3.0 * half**2 * np.eye(3), faces)


CUBE = cube()


def fields_at(positions, radius=5e-4, **others):
    """Fields of equal spheres at rest at these positions [N, 3].  others: fields that replace these"""
    count = len(positions)
    fields = {
        "position": np.asarray(positions, dtype=float).reshape(-1, 3),
        "velocity": np.zeros((count, 3)),
        "angular_velocity": np.zeros((count, 3)),
        "orientation": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "radius": np.full(count, radius),
        "id": np.arange(count, dtype=np.int64),
        "material": np.zeros(count, dtype=np.int32),
    }
    return fields | others


def in_memory(fields, extent=(0.1, 0.06, 0.02), periodic=(False, False, False), **others):
    """A scree.snapshot.Snapshot of these fields without a file.  others: further attributes"""
    values = {
        "path": "made.h5", "step": 25, "time": 0.25, "lower": np.zeros(3),
        "upper": np.array(extent, dtype=float), "periodic": np.array(periodic),
        "configuration": "", "densities": np.array([DENSITY]), "fields": fields,
    }  # fmt: skip
    values |= others
    names = tuple(f"material {k}" for k in range(len(values["densities"])))
    return scree.snapshot.Snapshot(**({"materials": names} | values))
