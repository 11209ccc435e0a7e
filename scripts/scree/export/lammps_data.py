"""Writes a frame as LAMMPS input (units si), to continue the run in LAMMPS. PREFIX_STEP.data is for `read_data`
(atom_style sphere). PREFIX_STEP.walls is for `include`: a region and a `fix wall/gran/region ${walls}` for each part of
each wall.

The user defines the variable `walls` with the contact model and its coefficients. The id of an atom is that of the
particle plus 1; its type is the row of the material, counted from 1. The box is the domain. The first line has the
`boundary`, which read_data does not set. Walls are those of the last step before the frame; their later removals,
insertions and changes, also an [at] of the frame's time, are not written. Pipes and cones have two sides in Scree, but
only the inner side in LAMMPS.
"""

import numpy as np

import scree.configuration
import scree.units
import scree.whole_file
from scree.errors import UsageError
from scree.export import columns

MAX_IDS = 2**31 - 2  # limit of LAMMPS with 32-bit ids, which its packages have by default
# Keys of motions that cannot be written; a region moves with a velocity and an angular velocity only.
UNSUPPORTED_MOTIONS = {
    "amplitude": "oscillates", "surface_velocity": "is a belt", "motion": "moves by a table",
}


def write(frames, prefix):
    """Writes the files. Raises UsageError for clumps, sheared domains, ids above MAX_IDS and unsupported walls."""
    with scree.whole_file.all_of() as paths:
        for frame in frames:
            stem = f"{prefix}_{frame.step:012d}"
            walls = _walls(frame)
            for ending, text in (("data", _data(frame)), ("walls", walls)):
                paths.append(f"{stem}.{ending}")
                scree.whole_file.write(paths[-1], text)
    return paths


def _data(frame):
    if frame.shapes or frame.shear:
        obstacle = "bodies other than spheres" if frame.shapes else "a sheared domain"
        raise UsageError(f"'{frame.path}' has {obstacle}, which `--format lammps-data` cannot write")
    if len(frame) and frame["id"].max() > MAX_IDS:
        raise UsageError(f"'{frame.path}' has the id {frame['id'].max()}; LAMMPS takes up to {MAX_IDS}")
    boundary = " ".join("p" if periodic else "f" for periodic in frame.periodic)
    edges = "".join(f"{low:.17g} {high:.17g} {axis}lo {axis}hi\n"
                    for axis, low, high in zip("xyz", frame.lower, frame.upper))
    ids, material = frame["id"] + 1, frame.material_numbers
    atoms = columns.rows(ids, material + 1, 2.0 * frame["radius"], frame.densities[material], frame["position"])
    return (f"Scree, step {frame.step}, t = {frame.time:.17g} s; units si, boundary {boundary}\n\n"
            f"{len(frame)} atoms\n{len(frame.materials)} atom types\n\n{edges}\nAtoms # sphere\n\n{atoms}\n"
            f"Velocities\n\n{columns.rows(ids, frame['velocity'], frame['angular_velocity'])}")


def _walls(frame):
    scene = scree.configuration.at(frame.configuration, frame.time)
    lines = []
    for wall in frame.walls:
        if not wall.is_there:
            continue
        sections = [name for name in scene.sections() if f"{name}.".startswith(f"wall.{wall.name}.") and "shape" in scene[name]]
        stopped = scene[f"wall.{wall.name}"].get("stops", "").split()
        if stopped and not set(frame.materials) <= set(stopped):
            raise _unsupported(wall, f"stops only {' '.join(stopped)}")
        variables, motion_keywords = _motion(scene, wall, frame.time)
        for part, section in enumerate(sections):
            name = f"wall_{wall.name.replace('-', '_')}" + (f"_{part + 1}" if part else "")
            lines += variables + [f"region {name} {_region(scene[section], wall)}{motion_keywords}",
                                  f"fix {name} all wall/gran/region ${{walls}} region {name}"]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _unsupported(wall, reason):
    return UsageError(f"wall {wall.name} {reason}, which `--format lammps-data` cannot write")


def _metres(keys, name):
    values = scree.units.in_si(keys[name], scree.units.METRES)
    return values if len(values) > 1 else values[0]


def _vector(keys, name):
    """A velocity or an angular velocity of a configuration in SI units."""
    return scree.units.split(keys.get(name, "0 0 0"))[0]


# ---- shapes: functions that get the keys of a wall's part, and the wall, and return the text after the region's name

def _plane(keys, wall):
    normal = wall.turn @ scree.units.split(keys["normal"])[0]
    return f"plane {_numbers(wall.moved(_metres(keys, 'point')), normal)} side in"


def _sphere(keys, wall):
    return f"sphere {_numbers(wall.moved(_metres(keys, 'point')), _metres(keys, 'radius'))} side out"


def _box(keys, wall):
    if not np.allclose(wall.turn, np.eye(3), atol=1e-9):
        raise _unsupported(wall, "is a box that has turned")
    ends = np.stack([_metres(keys, "lower"), _metres(keys, "upper")]) + wall.displacement
    return f"block {_numbers(ends.T.ravel())} side out"


def _axial_region(kind, radii, suffix):
    """A function of SHAPES for a shape with an axis.  radii: keys of the radii;  suffix: end of the text"""
    def region(keys, wall):
        ends = np.stack([wall.moved(_metres(keys, name)) for name in ("from", "to")])
        length = np.abs(ends[1] - ends[0])
        axis = int(np.argmax(length))
        if np.delete(length, axis).max() > 1e-9 * length[axis]:
            raise _unsupported(wall, f"is a {keys['shape']} that is not parallel to x, y or z")
        order = np.argsort(ends[:, axis])
        values = [_metres(keys, name) for name in radii]
        sizes = [values[k] for k in order] if len(values) > 1 else values
        return f"{kind} {'xyz'[axis]} {_numbers(np.delete(ends[0], axis), sizes, ends[order, axis])} {suffix}"
    return region


SHAPES = {
    "plane": _plane, "sphere": _sphere, "box": _box, "cylinder": _axial_region("cylinder", ["radius"], "side out"),
    "pipe": _axial_region("cylinder", ["radius"], "side in open 1 open 2"),
    "cone": _axial_region("cone", ["from_radius", "to_radius"], "side in open 1 open 2"),
}  # fmt: skip


def _region(keys, wall):
    if keys["shape"] not in SHAPES:
        raise _unsupported(wall, f"is a {keys['shape']}")
    return SHAPES[keys["shape"]](keys, wall) + " units box"


# ---- motion

def _motion(scene, wall, time):
    """Motion of a wall: (variables to define before its regions, keywords of the regions)."""
    keys = scene[f"wall.{wall.name}"]
    for name, motion in UNSUPPORTED_MOTIONS.items():
        if name in keys and (name == "motion" or _vector(keys, name).any()):
            raise _unsupported(wall, motion)
    other_motions = [section for section in scene if section.startswith("motion.") and wall.name in scene[section].get("wall", "").split()]
    links = [section for section in scene if section.startswith("link.") and wall.name in scene[section].get("walls", "").split()]
    if keys.get("free", "no") != "no" or other_motions or links:
        raise _unsupported(wall, "is moved by forces or by several motions")
    begin, end = (scree.units.in_si(keys.get(name, default), scree.units.SECONDS)[0]
                  for name, default in (("moves_from", "0 s"), ("moves_until", "1e300 s")))
    velocity, rate = (_vector(keys, name) * (begin <= time < end) for name in ("velocity", "angular_velocity"))
    variables, keywords, name = [], "", wall.name.replace("-", "_")
    if velocity.any():
        variables += [f"variable {name}_{axis} equal {_numbers(speed)}*time" for axis, speed in zip("xyz", velocity)]
        keywords += f" move v_{name}_x v_{name}_y v_{name}_z"
    if rate.any():
        centre = wall.moved(_metres(keys, "centre") if "centre" in keys else np.zeros(3))
        variables.append(f"variable {name}_angle equal {_numbers(np.linalg.norm(rate))}*time")
        keywords += f" rotate v_{name}_angle {_numbers(centre, rate / np.linalg.norm(rate))}"
    return variables, keywords


def _numbers(*values):
    return " ".join(repr(float(value)) for part in values for value in np.atleast_1d(part))
