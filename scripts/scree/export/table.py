"""CSV in SI units: PREFIX.csv with a row per particle and frame, PREFIX_contacts.csv with a row per contact."""

import numpy as np

import scree.contacts
import scree.table


def write(frames, prefix):
    grains, contacts = [], []
    for frame in frames:
        grains.append(_grains(frame))
        recorded = scree.contacts.recorded(frame)
        if recorded is not None:
            contacts.append(_rows_of_contacts(frame, recorded))
    paths = [f"{prefix}.csv"]
    scree.table.write(paths[0], ["particles of snapshots; SI units"], _join(grains))
    if contacts:
        paths.append(f"{prefix}_contacts.csv")
        notes = ["contacts of snapshots; SI units; b is -1 for a wall",
                 "the normal points from b to a; the impulse acts on a, cohesion included"]  # fmt: skip
        scree.table.write(paths[1], notes, _join(contacts))
    return paths


def _join(tables):
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _vector(name, values, components="xyz"):
    return {f"{name}_{component}": values[:, k] for k, component in enumerate(components)}


def _grains(frame):
    count = len(frame)
    return {
        "step": np.full(count, frame.step), "time": np.full(count, frame.time), "id": frame["id"],
        "material": frame["material"], **_shape(frame), "radius": frame["radius"], "mass": frame.masses,
        **_vector("position", frame["position"]), **_vector("velocity", frame["velocity"]),
        **_vector("angular_velocity", frame["angular_velocity"]), **_vector("orientation", frame["orientation"], "wxyz"),
    }  # fmt: skip


def _shape(frame):
    """The column of shape numbers if the scene has shapes; the column `radius` is then the bounding radius."""
    return {"shape": frame.shape_numbers} if frame.shapes else {}


def _rows_of_contacts(frame, contacts):
    ids = frame["id"]
    return {
        "step": np.full(len(contacts), frame.step), "time": np.full(len(contacts), frame.time),
        "a": ids[contacts.a], "b": np.where(contacts.b < 0, -1, ids[contacts.b]), "gap": contacts.gap,
        **_vector("position", contacts.position), **_vector("normal", contacts.normal),
        **_vector("impulse", contacts.total_impulse),
    }  # fmt: skip
