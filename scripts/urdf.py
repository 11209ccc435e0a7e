#!/usr/bin/env python3
"""Turns a robot (URDF) into a scene with its walls, links and joints, to be read, edited and filled with particles.

usage: urdf.py ROBOT.urdf --output arm.ini --base "0 0 10 cm" --start shoulder=30deg

The scene starts in the pose given by --start (NAME=ANGLE in rad or deg, or NAME=TRAVEL in m, cm or mm; once for each
joint; without a unit rad or m). Positions of joints count from this pose; limits and mimic joints are shifted
accordingly. Links and joints keep their names. The root link and the links fixed to it do not move, unless --free gives
the root a free joint. A massless link is merged into the link to which it is fixed, a massless root with --free into
the first link with a mass that is fixed to it. Collision geometry becomes walls. Rotated boxes become STL files next to
the scene. Meshes (STL or OBJ) become sheets; --packages names the folders in which package://NAME/... is found. Each
joint with an effort gets a motor, which holds the position of the joint at zero, or with --drive speed its speed.

Elements that a scene cannot represent are errors: capsules, sensors, unknown joints. A message lists the kinds of
elements that have no effect: visuals, materials, transmissions, extensions of other programs, efforts of planar joints.
"""

import itertools
import math
import os
import pathlib
import re
import xml.etree.ElementTree

import _environment

_environment.require("numpy")

import numpy as np

import _command_line
import scree.whole_file
from scree.errors import FileError, UsageError, did_you_mean

CHILDREN = {
    "robot": {"link", "joint"}, "link": {"inertial", "collision"},
    "inertial": {"origin", "mass", "inertia"}, "collision": {"origin", "geometry"},
    "geometry": {"box", "cylinder", "sphere", "mesh"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
}  # fmt: skip
WITHOUT_EFFECT = {
    "visual": "it is only drawn; particles touch the <collision> geometry",
    "material": "it is a colour; friction is that of [contact] or of a [material.NAME] of the walls",
    "transmission": "motors act on their joints; for gears give a [joint.NAME] mimic and ratio",
    "gazebo": "it extends another program",
    "ros2_control": "it extends another program; Python sets motors with simulation.joints",
    "safety_controller": "limits are those of <limit>; for softer ones give the joint a spring",
    "calibration": "positions count from the pose of --start",
    "contact": "friction and restitution are those of [contact] or of a [material.NAME] of the walls",
}
KINDS = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "fixed": "fixed", "floating": "free", "planar": "planar",
}  # fmt: skip
UNITS = {"": 1.0, "rad": 1.0, "deg": math.pi / 180, "m": 1.0, "cm": 1e-2, "mm": 1e-3}
ANGLE_UNITS, LENGTH_UNITS = ("rad", "deg"), ("m", "cm", "mm")
# Names of keys of a hinge and of a slider, with the units of their values.
KEYS = {
    "hinge": {"lower": ("lower_angle", "rad"), "upper": ("upper_angle", "rad"), "damping": ("torsion_damping", "N m s"),
              "friction": ("friction_torque", "N m"), "effort": ("largest_torque", "N m"), "velocity": ("largest_rate", "1/s"),
              "position": ("angle", "rad"), "speed": ("rate", "1/s")},
    "slider": {"lower": ("lower_travel", "m"), "upper": ("upper_travel", "m"), "damping": ("damping", "N s/m"),
               "friction": ("friction_force", "N"), "effort": ("largest_force", "N"), "velocity": ("largest_speed", "m/s"),
               "position": ("travel", "m"), "speed": ("speed", "m/s")},
}  # fmt: skip


# ---- reading


def title(element):
    name = element.get("name")
    return f"<{element.tag}>" if name is None else f"<{element.tag} name=\"{name}\">"


def check_elements(element, where, unused):
    """Removes elements without effect; raises FileError for unknown ones.  unused: gets {removed element: reason}"""
    for child in list(element):
        if child.tag in WITHOUT_EFFECT:
            unused[f"<{child.tag}>"] = WITHOUT_EFFECT[child.tag]
            element.remove(child)
        elif child.tag not in CHILDREN.get(element.tag, ()):
            raise FileError(f"{where}: {title(element)} has an element <{child.tag}>, which a scene cannot represent")
        else:
            check_elements(child, where, unused)


class AttributeReader:
    """Reads attributes. Errors name the file, the element and the attribute."""

    def __init__(self, path, owner):
        self.where = f"'{path}' {title(owner)}"

    def fail(self, what):
        raise FileError(f"{self.where}: {what}")

    def numbers(self, element, attribute, count=1, default=None):
        text = None if element is None else element.get(attribute)
        if text is None:
            if default is None:
                self.fail(f"lacks {attribute}=\"...\"" if element is None else f"<{element.tag}> lacks the attribute {attribute}")
            return np.array(default, float)
        try:
            values = np.array(text.split(), float)
        except ValueError:
            values = np.array([])
        if len(values) != count or not np.isfinite(values).all():
            self.fail(f"<{element.tag}> has {attribute}=\"{text}\"; expected {count} number{'s' * (count > 1)}")
        return values

    def number(self, element, attribute, default=None):
        return float(self.numbers(element, attribute, 1, None if default is None else [default])[0])

    def positive(self, element, attribute):
        value = self.number(element, attribute)
        if not value > 0:
            self.fail(f"<{element.tag}> has {attribute}=\"{value:g}\"; expected more than 0")
        return value

    def origin(self, element):
        """Pose [4, 4] of an element's <origin>."""
        origin = element.find("origin")
        xyz, rpy = (self.numbers(origin, name, 3, [0, 0, 0]) for name in ("xyz", "rpy"))
        return pose(rpy_matrix(rpy), xyz)


def rpy_matrix(rpy):
    """Rotation about the fixed axes x, then y, then z."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])  # fmt: skip


def axis_matrix(axis, angle):
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def rotation_vector(rotation):
    """Axis times angle of a rotation matrix [3, 3]."""
    sines = 0.5 * np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    sine, cosine = np.linalg.norm(sines), 0.5 * (np.trace(rotation) - 1)
    angle = math.atan2(sine, cosine)
    if sine > 1e-8:
        return angle / sine * sines
    if cosine > 0:
        return sines
    column = int(np.argmax(np.diag(rotation)))  # for a rotation by 180 degrees R + 1 = 2 n nᵀ
    return math.pi * (rotation + np.eye(3))[:, column] / math.sqrt(2 * (1 + rotation[column, column]))


def pose(rotation, xyz):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, xyz
    return matrix


class Joint:
    def __init__(self, path, element, unused):
        read = self.read = AttributeReader(path, element)
        self.name, self.type = element.get("name"), element.get("type")
        if self.type not in KINDS:
            read.fail(f"is of type \"{self.type}\", which a scene cannot represent; expected {', '.join(KINDS)}")
        self.kind = KINDS[self.type]
        ends = [element.find(tag) for tag in ("parent", "child")]
        if None in ends:
            read.fail("lacks <parent> or <child>")
        self.parent, self.child = (end.get("link") for end in ends)
        self.origin = read.origin(element)
        self.axis = read.numbers(element.find("axis"), "xyz", 3, [1, 0, 0])
        if self.kind in (*KEYS, "planar"):
            if not np.linalg.norm(self.axis) > 0:
                read.fail("has an axis of length 0")
            self.axis = self.axis / np.linalg.norm(self.axis)
        if self.kind in KEYS:
            self.read_motion(element)
            return
        if element.find("mimic") is not None:
            read.fail(f"is {self.type} and mimics a joint; only revolute, continuous and prismatic joints can")
        for tag, roles in (("limit", "limits and motors"), ("dynamics", "damping and friction")):
            if self.kind != "fixed" and element.find(tag) is not None:
                unused[f"<{tag}> of the {self.type} joint {self.name}"] = f"{roles} act on revolute, continuous and prismatic joints"

    def read_motion(self, element):
        read, limit, dynamics = self.read, element.find("limit"), element.find("dynamics")
        self.lower, self.upper = -math.inf, math.inf
        if self.type != "continuous":
            if limit is None:
                read.fail("lacks <limit>, which a joint of this type requires")
            self.lower, self.upper = read.number(limit, "lower", 0), read.number(limit, "upper", 0)
        self.effort, self.velocity = read.number(limit, "effort", 0), read.number(limit, "velocity", 0)
        self.damping, self.friction = read.number(dynamics, "damping", 0), read.number(dynamics, "friction", 0)
        for name in ("effort", "velocity", "damping", "friction"):
            if getattr(self, name) < 0:
                read.fail(f"has {name}=\"{getattr(self, name):g}\"; expected 0 or more")
        mimic = element.find("mimic")
        self.leader = None if mimic is None else mimic.get("joint")
        if mimic is not None and self.leader is None:
            read.fail("<mimic> lacks the attribute joint; expected the name of the joint to follow")
        self.multiplier, self.offset = read.number(mimic, "multiplier", 1), read.number(mimic, "offset", 0)

    def pose_at(self, position):
        """Pose [4, 4] of the child in the frame of the parent at a position of the joint [rad or m]."""
        if self.kind == "hinge":
            return self.origin @ pose(axis_matrix(self.axis, position), 0)
        if self.kind == "slider":
            return self.origin @ pose(np.eye(3), position * self.axis)
        return self.origin


class Robot:
    """Links and joints of a file, with initial poses.

    base: pose [4, 4] of the root;  start: {joint: (position [rad or m], unit in which it was given or "")}
    """

    def __init__(self, path, base, start):
        try:
            root = xml.etree.ElementTree.parse(path).getroot()
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            raise FileError(f"'{path}' cannot be read: {error}") from error
        if root.tag != "robot":
            raise FileError(f"'{path}' begins with <{root.tag}>; expected <robot>")
        # Elements of xacro, not a comment or namespace, which its output has too.
        if any("xacro" in element.tag for element in root.iter() if isinstance(element.tag, str)):
            raise FileError(f"'{path}' is a xacro file; expected the output of: xacro {path} > robot.urdf")
        self.path, self.unused = path, {}
        check_elements(root, f"'{path}'", self.unused)
        self.links, self.joints = self.elements_by_name(root, "link"), {}
        for name, element in self.elements_by_name(root, "joint").items():
            self.joints[name] = Joint(path, element, self.unused)
        self.find_tree()
        self.set_start(start)
        self.poses = {self.root: base}
        for joint in self.ordered:
            self.poses[joint.child] = self.poses[joint.parent] @ joint.pose_at(self.start.get(joint.name, 0.0))

    def elements_by_name(self, root, tag):
        elements = {}
        for element in root.findall(tag):
            name = element.get("name")
            if not name or name in elements:
                raise FileError(f"'{self.path}' has {title(element)} {'twice' if name else 'without a name'}; expected each name once")
            elements[name] = element
        return elements

    def find_tree(self):
        """Sets `root` and `ordered`: the joints, each after the joint of its parent."""
        to_child = {}
        for joint in self.joints.values():
            for link in (joint.parent, joint.child):
                if link not in self.links:
                    joint.read.fail(f"connects the link \"{link}\", which the file lacks")
            if joint.child in to_child:
                joint.read.fail(f"moves the link \"{joint.child}\", as joint \"{to_child[joint.child].name}\" does; expected a tree")
            to_child[joint.child] = joint
        roots = [link for link in self.links if link not in to_child]
        if len(roots) != 1:
            raise FileError(f"'{self.path}' has {len(roots)} links that no joint moves ({', '.join(roots)}); expected one, the root")
        self.root, self.ordered, reached = roots[0], [], [roots[0]]
        for link in reached:
            for joint in self.joints.values():
                if joint.parent == link:
                    self.ordered.append(joint)
                    reached.append(joint.child)
        if len(reached) < len(self.links):
            lost = ", ".join(link for link in self.links if link not in reached)
            raise FileError(f"'{self.path}' has links that no joint connects to the root {self.root}: {lost}")

    def set_start(self, start):
        self.start = {name: value for name, (value, _) in start.items()}
        moving = {name: joint for name, joint in self.joints.items() if joint.kind in KEYS}
        for name, (_, unit) in start.items():
            if name not in moving:
                raise UsageError(f"--start {name}: it is not a moving joint{did_you_mean(name, moving)}; expected one of {', '.join(moving)}")
            if moving[name].leader is not None:
                raise UsageError(f"--start {name}: it mimics the joint {moving[name].leader}; give the start of that joint")
            units = ANGLE_UNITS if moving[name].kind == "hinge" else LENGTH_UNITS
            if unit and unit not in units:
                raise UsageError(f"--start {name}: it is {moving[name].type}, and its start is in {unit}; expected {' or '.join(units)}")
        for joint in moving.values():
            position = self.start[joint.name] = self.position_of(joint, moving, [])
            if not joint.lower <= position <= joint.upper:
                joint.read.fail(f"starts at {position:g} and has limits of {joint.lower:g} to {joint.upper:g}; "
                                f"expected a --start {joint.name}=... within these")  # fmt: skip

    def position_of(self, joint, moving, followers):
        if joint.leader is None:
            return self.start.get(joint.name, 0.0)
        leader = moving.get(joint.leader)
        if leader is None or joint.name in followers:
            joint.read.fail(f"mimics \"{joint.leader}\"; expected a joint that moves and does not follow this one")
        if joint.kind == "hinge" and leader.kind == "slider":
            joint.read.fail(f"is revolute and mimics \"{leader.name}\", which is prismatic; expected the prismatic one to mimic")
        if joint.multiplier == 0:
            joint.read.fail("mimics with a multiplier of 0; expected a fixed joint, or another multiplier")
        return joint.multiplier * self.position_of(leader, moving, [*followers, joint.name]) + joint.offset


# ---- writing


def numbers_text(values):
    """Numbers as text; values as small as rounding errors of a rotation become 0."""
    values = np.atleast_1d(np.asarray(values, float))
    values = np.where(np.abs(values) < 1e-14 * max(1e-6, np.abs(values).max()), 0.0, values)
    return " ".join(f"{value:.15g}" for value in values)


class Names:
    """Maps parts of a robot to unique names of sections with letters, digits and _."""

    def __init__(self):
        self.known, self.used = {}, set()

    def section_name(self, key, name=None):
        """key: name in the URDF, or for a part without one any other hashable value;  name: of a part without one"""
        if key not in self.known:
            plain = re.sub(r"\W", "_", name or key, flags=re.ASCII) or "unnamed"
            candidates = itertools.chain([plain], (f"{plain}_{k}" for k in itertools.count(2)))
            self.known[key] = next(candidate for candidate in candidates if candidate not in self.used)
            self.used.add(self.known[key])
        return self.known[key]


def box_triangles(size):
    corners = 0.5 * size * np.array(list(itertools.product((-1, 1), repeat=3)))
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return np.array([corners[list(three)] for a, b, c, d in faces for three in ((a, b, c), (a, c, d))])


def write_stl(path, triangles):
    lines = ["solid box"]
    for corners in triangles:
        lines += ["facet normal 0 0 0", "outer loop", *("vertex " + numbers_text(corner) for corner in corners), "endloop", "endfacet"]
    with scree.whole_file.path_of(path) as temporary:
        pathlib.Path(temporary).write_text("\n".join([*lines, "endsolid box", ""]), encoding="ascii")


class Scene:
    def __init__(self, robot, arguments):
        self.robot, self.arguments = robot, arguments
        self.names = {kind: Names() for kind in ("wall", "link", "joint")}
        self.walls = {}  # link of a moving body, or None for the ground -> names of its walls
        # link -> link of the moving body that it is part of, or None for the ground
        self.body_of = {robot.root: self.free_link() if arguments.free else None}
        self.text = []
        for joint in robot.ordered:
            body = self.body_of[joint.parent]
            is_merged = joint.kind == "fixed" and (body in (None, joint.child) or self.mass_of(joint.child) is None)
            self.body_of[joint.child] = body if is_merged else joint.child
            if not is_merged:
                self.names["joint"].section_name(joint.name)  # before the free joint of the root gets its name

    def free_link(self):
        """Link that carries the free joint: the root, or if it is massless the first link with a mass that is fixed to it."""
        fixed_links = [self.robot.root]
        for joint in self.robot.ordered:
            if joint.kind == "fixed" and joint.parent in fixed_links:
                fixed_links.append(joint.child)
        return next((link for link in fixed_links if self.mass_of(link) is not None), self.robot.root)

    def mass_of(self, link):
        inertial = self.robot.links[link].find("inertial")
        return None if inertial is None else inertial.find("mass")

    def section(self, head, rows):
        self.text += [f"[{head}]", *(f"{key} = {value}" for key, value in rows), ""]

    # Walls

    def mesh_path(self, read, filename):
        """Path of a mesh, relative to the folder of the scene."""
        name = filename.removeprefix("file://")
        candidates = [self.robot.path.parent / name]
        if name.startswith("package://"):
            rest = name.removeprefix("package://")
            candidates = [folder / rest for folder in self.arguments.packages]
            candidates += [folder / rest.partition("/")[2] for folder in self.arguments.packages]
        existing_path = next((path for path in candidates if path.is_file()), None)
        if pathlib.Path(name).suffix.lower() not in (".stl", ".obj"):
            read.fail(f"has the mesh \"{filename}\"; expected an .stl or .obj file")
        if existing_path is None:
            read.fail(f"has the mesh \"{filename}\", which is not there; looked for {', '.join(map(str, candidates)) or 'it in --packages'}")
        return os.path.relpath(existing_path, self.arguments.output.parent)

    def shape(self, read, geometry, placement, wall):
        """Rows (key, value) of a wall's shape.  placement: pose [4, 4];  wall: name"""
        rotation, xyz = placement[:3, :3], placement[:3, 3]
        if geometry.tag == "sphere":
            return [("shape", "sphere"), ("point", numbers_text(xyz) + " m"), ("radius", numbers_text(read.positive(geometry, "radius")) + " m")]
        if geometry.tag == "cylinder":
            half = 0.5 * read.positive(geometry, "length") * rotation[:, 2]
            return [("shape", "cylinder"), ("from", numbers_text(xyz - half) + " m"), ("to", numbers_text(xyz + half) + " m"),
                    ("radius", numbers_text(read.positive(geometry, "radius")) + " m")]  # fmt: skip
        if geometry.tag == "mesh":
            name = geometry.get("filename", "")
            rows = [("file", self.mesh_path(read, name)), ("scale", numbers_text(read.numbers(geometry, "scale", 3, [1, 1, 1])))]
        else:
            size = read.numbers(geometry, "size", 3)
            if not size.min() > 0:
                read.fail(f"<box> has size=\"{geometry.get('size')}\"; expected more than 0")
            permutation = np.abs(rotation)
            if np.allclose(permutation, np.round(permutation), atol=1e-12):  # edges along the axes
                half = 0.5 * np.round(permutation) @ size
                return [("shape", "box"), ("lower", numbers_text(xyz - half) + " m"), ("upper", numbers_text(xyz + half) + " m")]
            path = self.arguments.output.parent / f"{self.arguments.output.stem}_{wall}.stl"
            write_stl(path, box_triangles(size))
            rows = [("file", path.name)]
        placement_rows = [("turn", numbers_text(rotation_vector(rotation)) + " rad"), ("offset", numbers_text(xyz) + " m")]
        return [("shape", "mesh"), *rows, *placement_rows, ("solid", "no")]

    def add_walls(self, link):
        collisions = self.robot.links[link].findall("collision")
        read = AttributeReader(self.robot.path, self.robot.links[link])
        for number, collision in enumerate(collisions, 1):
            geometry = collision.find("geometry")
            if geometry is None or len(geometry) != 1:
                read.fail("has a <collision> without geometry; expected a box, cylinder, sphere or mesh")
            name = self.names["wall"].section_name((link, number), link if len(collisions) == 1 else f"{link}_{number}")
            rows = self.shape(read, geometry[0], self.robot.poses[link] @ read.origin(collision), name)
            self.section(f"wall.{name}", rows)
            self.walls.setdefault(self.body_of[link], []).append(name)

    # Links and joints

    def add_link(self, link):
        read, mass = AttributeReader(self.robot.path, self.robot.links[link]), self.mass_of(link)
        if mass is None:
            read.fail("moves and has no <inertial> with a <mass>; expected one")
        inertial = self.robot.links[link].find("inertial")
        link_pose, tensor = self.robot.poses[link] @ read.origin(inertial), inertial.find("inertia")
        xx, xy, xz, yy, yz, zz = (read.number(tensor, "i" + axes) for axes in ("xx", "xy", "xz", "yy", "yz", "zz"))
        world = link_pose[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ link_pose[:3, :3].T
        walls = [("walls", " ".join(self.walls[link]))] if link in self.walls else []
        self.section(f"link.{self.names['link'].section_name(link)}", [
            *walls, ("mass", numbers_text(read.positive(mass, "value")) + " kg"), ("centre", numbers_text(link_pose[:3, 3]) + " m"),
            ("inertia", numbers_text(np.diag(world)) + " kg m^2"),
            ("inertia_products", numbers_text([world[0, 1], world[1, 2], world[2, 0]]) + " kg m^2")])  # fmt: skip

    def ends(self, parent, child):
        body = self.body_of[parent]
        rows = [] if body is None else [("parent", self.names["link"].section_name(body))]
        return [*rows, ("child", self.names["link"].section_name(child))]

    def motor(self, joint, keys):
        drive = self.arguments.drive
        if not joint.effort > 0 or drive == "none":
            return []
        (key, unit), (effort_key, effort_unit), (velocity_key, velocity_unit) = keys[drive], keys["effort"], keys["velocity"]
        rows = [("drive", drive), (key, f"0 {unit}"), (effort_key, f"{numbers_text(joint.effort)} {effort_unit}")]
        if drive == "position" and joint.velocity > 0:
            rows.append((velocity_key, f"{numbers_text(joint.velocity)} {velocity_unit}"))
        return rows

    def add_joint(self, joint):
        rows = [*self.ends(joint.parent, joint.child), ("kind", joint.kind)]
        name = self.names["joint"].section_name(joint.name)
        if joint.kind == "free":  # a free joint has no parent
            rows = [row for row in rows if row[0] != "parent"]
        if joint.kind == "planar":
            rows.append(("axis", numbers_text(self.robot.poses[joint.child][:3, :3] @ joint.axis)))
        if joint.kind not in KEYS:
            return self.section(f"joint.{name}", rows)
        keys, child_pose, start = KEYS[joint.kind], self.robot.poses[joint.child], self.robot.start[joint.name]
        if joint.kind == "hinge":
            rows.append(("point", numbers_text(child_pose[:3, 3]) + " m"))
        rows.append(("axis", numbers_text(child_pose[:3, :3] @ joint.axis)))
        for limit, value in (("lower", joint.lower - start), ("upper", joint.upper - start)):
            if math.isfinite(value):
                rows.append((keys[limit][0], f"{numbers_text(value)} {keys[limit][1]}"))
        for resistance in ("damping", "friction"):
            if getattr(joint, resistance) > 0:
                rows.append((keys[resistance][0], f"{numbers_text(getattr(joint, resistance))} {keys[resistance][1]}"))
        if joint.leader is None:
            rows += self.motor(joint, keys)
        else:
            leader = self.robot.joints[joint.leader]
            is_lead = joint.kind != leader.kind
            ratio = ("lead", numbers_text(2 * math.pi * joint.multiplier) + " m") if is_lead else ("ratio", numbers_text(joint.multiplier))
            rows += [("mimic", self.names["joint"].section_name(leader.name)), ratio]
        return self.section(f"joint.{name}", rows)

    def head(self):
        """Lines of the comment and of sections that the user will change: time, and a domain for the robot."""
        lengths = {self.robot.root: 0.0}
        for joint in self.robot.ordered:
            travel = joint.upper - joint.lower if joint.kind == "slider" else 0.0
            lengths[joint.child] = lengths[joint.parent] + np.linalg.norm(joint.origin[:3, 3]) + travel
        reach, base = 1.5 * max(lengths.values()) + 0.1, self.robot.poses[self.robot.root][:3, 3]
        start = ", ".join(f"{name} = {numbers_text(value)}" for name, value in self.robot.start.items() if value)
        unused = ", ".join(sorted(self.robot.unused)) or "none"
        return [f"# From {self.robot.path.name} by urdf.py. Elements without effect: {unused}.",
                f"# Joint positions count from these values of the URDF's joints (rad, m): {start or 'all 0'}.",
                "# Change domain and time, and add particles by [fill] or [initial].", "",
                "[domain]", f"lower = {numbers_text(base - reach)} m", f"upper = {numbers_text(base + reach)} m", "",
                "[time]", "end = 1 s", ""]  # fmt: skip

    def write(self):
        robot = self.robot
        for link in [robot.root, *(joint.child for joint in robot.ordered)]:
            self.add_walls(link)
        free_link = self.body_of[robot.root]
        if free_link is not None:
            self.add_link(free_link)
            self.section("joint." + self.names["joint"].section_name(None, "base"), [("child", self.names["link"].section_name(free_link)), ("kind", "free")])
        for joint in robot.ordered:
            if self.body_of[joint.child] == joint.child != free_link:
                self.add_link(joint.child)
                self.add_joint(joint)
        with scree.whole_file.path_of(self.arguments.output) as temporary:
            pathlib.Path(temporary).write_text("\n".join(self.head() + self.text), encoding="utf-8")


# ---- command line


def position(text):
    """(name, (value [rad or m], unit or "")) of NAME=VALUE, with or without a unit; raises UsageError."""
    match = re.fullmatch(r"(.+?)=\s*([-+.\deE]+)\s*([a-z]*)", text)
    try:
        name, value = match[1], float(match[2]) * UNITS[match[3]]
    except (TypeError, ValueError, KeyError):
        raise UsageError(f"--start {text}: expected NAME=VALUE in rad or deg, m, cm or mm, such as elbow=30deg") from None
    return name, (value, match[3])


def vector(option, text, units):
    words = text.split()
    unit = words.pop() if len(words) == 4 else ""
    try:
        values = np.array(words, float) * UNITS[unit]
    except (ValueError, KeyError):
        values = np.array([])
    if len(values) != 3 or unit and unit not in units:
        raise UsageError(f"{option} \"{text}\": expected three numbers and {' or '.join(units)}")
    return values


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("robot", type=pathlib.Path, metavar="ROBOT.urdf")
    parser.add_argument("--output", type=pathlib.Path, help="scene to write (default: ROBOT.ini)")
    parser.add_argument("--base", default="0 0 0 m", help='position of the root, such as "0 0 10 cm" (default: 0 0 0 m)')
    parser.add_argument("--base-turn", default="0 0 0 rad", help='roll, pitch, yaw of the root, such as "0 0 90 deg" (default: 0 0 0 rad)')
    parser.add_argument("--start", action="append", default=[], metavar="JOINT=VALUE", help="position of a joint at time zero (default: 0)")
    parser.add_argument("--free", action="store_true", help="the root moves freely, as in a vehicle")
    parser.add_argument("--drive", choices=("position", "speed", "none"), default="position", help="what motors hold; none: no motors (default: position)")
    parser.add_argument("--packages", type=pathlib.Path, action="append", default=[], metavar="FOLDER", help="folder of package://...")
    arguments = parser.parse_args()
    arguments.output = arguments.output or arguments.robot.with_suffix(".ini")
    base = pose(rpy_matrix(vector("--base-turn", arguments.base_turn, ANGLE_UNITS)), vector("--base", arguments.base, LENGTH_UNITS))
    scene = Scene(Robot(arguments.robot, base, dict(position(text) for text in arguments.start)), arguments)
    scene.write()
    joints = sum(joint.kind != "fixed" for joint in scene.robot.ordered)
    print(f"{arguments.output}: {len(scene.names['wall'].used)} walls, {len(scene.names['link'].used)} links, {joints} joints that move")
    for element, reason in sorted(scene.robot.unused.items()):
        print(f"{element} has no effect: {reason}")


if __name__ == "__main__":
    _command_line.run(main)
