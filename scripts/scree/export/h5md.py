"""One H5MD file for MDAnalysis, PREFIX.h5md, with the particles that are in all frames.

MDAnalysis supports no unit of length above nm and no varying number of particles. Therefore lengths are in nm,
velocities in m s-1, times in s, and rows are sorted by id. Particles that enter or leave are omitted with a warning.
"""

import h5py
import numpy as np

import scree.whole_file
from scree.export import columns

NANOMETRES = 1e9  # in a metre
GROUP = "particles/trajectory"


def write(frames, prefix):
    """Writes the file. Raises UsageError if no particle is in all frames."""
    frames = list(frames)
    ids = columns.common_ids(frames, "h5md")
    rows = [frame.rows_of(ids) for frame in frames]
    path = f"{prefix}.h5md"
    with scree.whole_file.path_of(path) as partial_path, h5py.File(partial_path, "w") as file:
        _write_head(file)
        position = _element(file, "position", [f["position"][r] * NANOMETRES for f, r in zip(frames, rows)], "nm")
        position["step"] = np.array([frame.step for frame in frames])
        position["time"] = np.array([frame.time for frame in frames])
        position["time"].attrs["unit"] = "s"
        for name, unit in (("velocity", "m s-1"), ("angular_velocity", "rad s-1"), ("orientation", "1")):
            element = _element(file, name, [f[name][r] for f, r in zip(frames, rows)], unit)
            element["step"], element["time"] = position["step"], position["time"]
        group = file[GROUP]
        group["id"] = ids
        group["radius"] = frames[0]["radius"][rows[0]] * NANOMETRES
        group["radius"].attrs["unit"] = "nm"
        group["material"] = frames[0]["material"][rows[0]]
        _write_box(group, frames, position)
    return [path]


def _write_head(file):
    head = file.create_group("h5md")
    head.attrs["version"] = np.array([1, 1])
    head.create_group("author").attrs["name"] = "Scree"
    creator = head.create_group("creator")
    creator.attrs["name"], creator.attrs["version"] = "Scree export.py", "1"
    head.create_group("modules/units").attrs["version"] = np.array([1, 0])


def _element(file, name, values, unit):
    element = file.create_group(f"{GROUP}/{name}")
    element["value"] = np.array(values)
    element["value"].attrs["unit"] = unit  # a string of variable length, because MDAnalysis compares it with text
    return element


def _write_box(group, frames, position):
    first = frames[0]
    box = group.create_group("box")
    box.attrs["dimension"] = 3
    box.attrs["boundary"] = ["periodic" if periodic else "none" for periodic in columns.common_periodic(frames)]
    if all(np.array_equal(frame.lower, first.lower) for frame in frames):  # not in a cell that deforms
        box.attrs["offset"] = first.lower * NANOMETRES
    box["edges/value"] = np.array([np.diag(frame.upper - frame.lower) for frame in frames]) * NANOMETRES
    box["edges/value"].attrs["unit"] = "nm"
    box["edges/step"], box["edges/time"] = position["step"], position["time"]
