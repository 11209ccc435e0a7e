"""Snapshots made for the tests of the scripts, in the layout of io/README.md."""

import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import h5py
import numpy as np

import _snapshot

DENSITY = 2650.0  # of the only material [kg/m^3]
CONFIGURATION = """
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[wall.obstacle]
velocity = 0 0 0
[wall.obstacle.front]
shape = cylinder
from = 0.04 0.03 -0.01
to = 0.04 0.03 0.03
radius = 0.01
[wall.obstacle.back]
shape = box
lower = 0.04 0.02 -0.01
upper = 0.05 0.04 0.03
"""


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


def write(path, fields, time=0.25, periodic=(False, False, False), configuration=CONFIGURATION):
    """Writes a snapshot; radius, id and material are plain datasets, the rest has a frame."""
    with h5py.File(path, "w") as file:
        grains = file.create_group("particles/grains")
        for name, values in fields.items():
            is_plain = name in ("radius", "id", "material")
            dataset = name if is_plain else f"{name}/value"
            grains[dataset] = values if is_plain else values[None]
            if name in UNITS:
                grains[dataset].attrs["unit"] = np.bytes_(UNITS[name])
            if is_plain:
                continue
            grains[f"{name}/step"] = np.array([25])
            grains[f"{name}/time"] = np.array([time])
        box = grains.create_group("box")
        box.attrs["boundary"] = np.array(
            [b"periodic" if axis else b"none" for axis in periodic], dtype="S8"
        )
        box["edges"] = np.array([0.1, 0.06, 0.02])
        box.attrs["offset"] = np.zeros(3)
        file.create_group("scree/materials").attrs["density"] = np.array([DENSITY])
        file["scree/configuration"] = np.bytes_(configuration)


def at(positions, radius=5e-4, **others):
    """Fields of equal spheres at rest at these positions [N, 3], with `others` as given."""
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
    """A _snapshot.Snapshot of these fields that no file holds."""
    values = {
        "path": "made.h5", "step": 25, "time": 0.25, "lower": np.zeros(3),
        "upper": np.array(extent, dtype=float), "periodic": np.array(periodic),
        "configuration": "", "densities": np.array([DENSITY]), "fields": fields,
    }  # fmt: skip
    return _snapshot.Snapshot(**(values | others))
