"""PREFIX.glb, glTF 2.0 in one binary file, for Blender, browsers and viewers of 3D models. SI units; the y axis is
vertical.

Each body and each wall is a node. Bodies of the same shape and material share a mesh. Sheets and planes are
transparent. Several frames make an animation, which begins at the first frame; an absent body or wall has the scale
zero. Only core features of glTF are used, so any viewer shows the file.
"""

import json

import matplotlib.colors
import numpy as np
import scipy.spatial.transform

import scree.depth_buffer
import scree.figure
import scree.view
import scree.walls
import scree.whole_file
from scree.errors import UsageError

MAX_BODIES = 50_000  # largest number of bodies; viewers store a node for each
SUBDIVISIONS = 2  # of an icosahedron, which give a sphere of 320 triangles
GLASS = 0.25  # opacity of sheets and planes
FLOAT, UINT = 5126, 5125  # codes of component types
VERTICES, INDICES = 34962, 34963  # codes of the targets of buffer views
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}  # number of components per element of an accessor


class _File:
    """A glTF file that is built part by part."""

    def __init__(self):
        self.binary = bytearray()
        self.parts = {name: [] for name in ("accessors", "bufferViews", "materials", "meshes", "nodes")}

    def add(self, kind, part):
        """Appends a part; returns its index."""
        self.parts[kind].append(part)
        return len(self.parts[kind]) - 1

    def array(self, values, kind, target=None, has_ends=False):
        """Appends numbers [K] or [K, n] as an accessor of a kind such as VEC3; returns its index.

        has_ends: whether to write min and max
        """
        values = np.ascontiguousarray(values, dtype="<u4" if target == INDICES else "<f4")
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": values.nbytes}
        self.binary += values.tobytes()
        accessor = {"bufferView": self.add("bufferViews", view | ({"target": target} if target else {})), "count": len(values),
                    "componentType": UINT if target == INDICES else FLOAT, "type": kind}  # fmt: skip
        if has_ends:
            rows = values.reshape(-1, WIDTH[kind])
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self.add("accessors", accessor)

    def material(self, name, colour, opacity=1.0):
        """Appends a material; returns its index."""
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in matplotlib.colors.to_rgb(colour))
        surface = {"baseColorFactor": [red, green, blue, opacity], "metallicFactor": 0.0, "roughnessFactor": 0.7}
        entry = {"name": name, "pbrMetallicRoughness": surface, "doubleSided": True}
        return self.add("materials", entry | ({"alphaMode": "BLEND"} if opacity < 1.0 else {}))

    def mesh(self, name, triangles, normals, material):
        """Appends a mesh of triangles [T, 3, 3] with normals at their corners; returns its index."""
        corners = np.concatenate([triangles, normals], axis=2).reshape(-1, 6)
        vertices, index = np.unique(corners.astype("<f4"), axis=0, return_inverse=True)
        attributes = {"POSITION": self.array(vertices[:, :3], "VEC3", VERTICES, has_ends=True),
                      "NORMAL": self.array(vertices[:, 3:], "VEC3", VERTICES)}  # fmt: skip
        primitive = {"attributes": attributes, "indices": self.array(index.ravel(), "SCALAR", INDICES), "material": material}
        return self.add("meshes", {"name": name, "primitives": [primitive]})

    def content(self):
        """Bytes of the file; empty parts are omitted."""
        self.binary += bytes(-len(self.binary) % 4)
        self.parts["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps({name: part for name, part in self.parts.items() if part != []}, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = b"".join(np.array([len(data)], "<u4").tobytes() + kind + data
                          for kind, data in ((b"JSON", text), (b"BIN\0", bytes(self.binary))))  # fmt: skip
        return b"glTF" + np.array([2, 12 + len(chunks)], "<u4").tobytes() + chunks


def write(frames, prefix):
    frames = list(frames)
    if not frames:
        raise UsageError("glTF needs a frame, but there is none")
    ids = np.unique(np.concatenate([frame["id"] for frame in frames]))
    if len(ids) > MAX_BODIES:
        raise UsageError(f"glTF has a node for each body, and there are {len(ids)}; expected at most {MAX_BODIES}, "
                         "or the format vtk")
    file = _File()
    times = np.array([frame.time for frame in frames]) - frames[0].time
    animation = _Animation(file, times) if len(frames) > 1 else None
    nodes = _bodies(file, frames, ids, animation) + _walls(file, frames, animation)
    up = scree.view.vertical(frames[0])
    root = {"name": "scree", "rotation": _upright(up)} | ({"children": nodes} if nodes else {})
    file.parts |= {"asset": {"version": "2.0", "generator": "Scree"}, "scene": 0, "scenes": [{"nodes": [file.add("nodes", root)]}]}
    if animation is not None and animation.channels:
        file.parts["animations"] = [{"name": "run", "channels": animation.channels, "samplers": animation.samplers}]
    path = f"{prefix}.glb"
    with scree.whole_file.path_of(path) as partial_path, open(partial_path, "wb") as output:
        output.write(file.content())
    return [path]


def _upright(up):
    """Quaternion (x, y, z, w) that rotates the vertical to y; if the vertical is z, it rotates about x."""
    rotation, _ = scipy.spatial.transform.Rotation.align_vectors([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [up, _horizontal(up)])
    return rotation.as_quat().tolist()


def _horizontal(up):
    """A horizontal direction, -y if that is horizontal."""
    helper = -np.eye(3)[1] if abs(up[1]) < 0.9 else np.eye(3)[2]
    helper = helper - (helper @ up) * up
    return helper / np.linalg.norm(helper)


class _Animation:
    """Animation of nodes whose values change."""

    def __init__(self, file, times):
        self.file, self.channels, self.samplers = file, [], []
        self.times = file.array(times, "SCALAR", has_ends=True)

    def add(self, node, path, values, interpolation="LINEAR"):
        """Animates a property of a node ("translation", "rotation", "scale").  values: at all times, [F, n]"""
        kind = "VEC4" if path == "rotation" else "VEC3"
        self.samplers.append({"input": self.times, "output": self.file.array(values, kind), "interpolation": interpolation})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})


def _node(file, animation, name, mesh, translations, rotations, scales):
    """Adds a node with translations [F, 3], rotations (x, y, z, w) [F, 4] and scales [F], animated if they change."""
    signs = np.where(np.sum(rotations[1:] * rotations[:-1], axis=1) < 0.0, -1.0, 1.0)
    # q and -q are the same rotation; interpolation requires the nearer sign.
    rotations = rotations * np.cumprod(np.append(1.0, signs))[:, None]
    node = file.add("nodes", {"name": name, "mesh": mesh, "translation": translations[0].tolist(), "rotation": rotations[0].tolist(),
                              "scale": [float(scales[0])] * 3})  # fmt: skip
    if animation is not None:
        for path, values in (("translation", translations), ("rotation", rotations)):
            if np.ptp(values, axis=0).max() > 0.0:
                animation.add(node, path, values)
        if np.ptp(scales) > 0.0:
            animation.add(node, "scale", np.repeat(scales[:, None], 3, axis=1), "STEP")
    return node


def _bodies(file, frames, ids, animation):
    """Adds a node for each body; returns the indices of the nodes."""
    shape_names = ("sphere", *(shape.name for shape in frames[0].shapes))
    materials = [file.material(name, _colour(name, k)) for k, name in enumerate(frames[0].materials)] if len(ids) else []
    count = (len(frames), len(ids))
    translations, rotations, scales = np.zeros((*count, 3)), np.zeros((*count, 4)), np.zeros(count)
    kinds = np.zeros((len(ids), 2), int)  # material and shape
    for k, frame in enumerate(frames):
        rows = np.searchsorted(ids, frame["id"])
        if k > 0:  # an absent body keeps its last position
            translations[k], rotations[k] = translations[k - 1], rotations[k - 1]
        translations[k, rows], scales[k, rows] = frame["position"], frame["radius"]
        rotations[k, rows] = np.roll(frame["orientation"], -1, axis=1)
        kinds[rows] = np.stack([frame.material_numbers, frame.shape_numbers], axis=1)
    first = np.argmax(scales > 0.0, axis=0)  # before a body appears, it has its first position
    is_early = np.arange(len(frames))[:, None] < first
    for values in (translations, rotations):
        values[is_early] = np.broadcast_to(values[first, np.arange(len(ids))], values.shape)[is_early]
    meshes, nodes = {}, []
    for row, (body, (material, shape)) in enumerate(zip(ids.tolist(), kinds.tolist())):
        if (material, shape) not in meshes:
            triangles, normals = _surface(frames[0].shapes[shape - 1] if shape else None)
            name = f"{shape_names[shape]} of {frames[0].materials[material]}"
            meshes[material, shape] = file.mesh(name, triangles, normals, materials[material])
        motion = translations[:, row], rotations[:, row], scales[:, row]
        nodes.append(_node(file, animation, f"body {body}", meshes[material, shape], *motion))
    return nodes


def _colour(name, number):
    return name if name in matplotlib.colors.CSS4_COLORS else scree.figure.COLOURS[number % len(scree.figure.COLOURS)]


def _surface(shape):
    """Triangles [T, 3, 3] and normals at their corners, for a shape of bounding radius 1; None: a sphere."""
    ball = _icosphere()
    parts = [(ball, ball)] if shape is None else [(centre + radius * ball, ball) for *centre, radius in shape.spheres]
    for (*centre, radius), faces in shape.solids if shape is not None else ():
        for face in faces:
            corners = np.array(centre) + radius * np.asarray(face)
            fan = np.array([corners[[0, k, k + 1]] for k in range(1, len(corners) - 1)])
            parts.append((fan, _face_normals(fan)))
    return tuple(map(np.concatenate, zip(*parts)))


def _face_normals(triangles):
    """Unit normals of triangles [T, 3, 3], at their corners."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return np.repeat(normals[:, None], 3, axis=1)


def _icosphere():
    """Triangles [T, 3, 3] of a unit sphere, counter-clockwise as seen from outside."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    corners = np.array([np.roll([0.0, a, b * golden], k) for a in (-1, 1) for b in (-1, 1) for k in range(3)])
    triangles = corners[scipy.spatial.ConvexHull(corners).simplices] / np.hypot(1.0, golden)
    points_inwards = np.linalg.det(triangles) < 0.0
    triangles[points_inwards] = triangles[points_inwards, ::-1]
    for _ in range(SUBDIVISIONS):
        a, b, c = np.moveaxis(triangles, 1, 0)
        ab, bc, ca = (middle / np.linalg.norm(middle, axis=1, keepdims=True) for middle in (a + b, b + c, c + a))
        triangles = np.concatenate([np.stack(points, axis=1) for points in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return triangles


def _walls(file, frames, animation):
    """Adds a node for each wall with a surface; returns the indices of the nodes."""
    solid_material, glass_material, nodes = None, None, []
    convex_walls = {wall.name for wall in frames[0].walls if any(part.interior == "convex" for part in wall.parts)}
    surfaces = {}
    for name, triangles, _ in scree.walls.surfaces(scree.walls.at_time_zero(frames[0]), in_domain_only=False):
        surfaces.setdefault(name, []).append(triangles)
    rows = {wall.name: row for row, wall in enumerate(frames[0].walls)}
    for name, parts in surfaces.items():
        triangles = np.concatenate(parts)
        is_solid = name in convex_walls or _is_closed_body(frames[0].walls[rows[name]])
        if is_solid and solid_material is None:
            solid_material = file.material("walls", scree.figure.WALL_COLOUR)
        if not is_solid and glass_material is None:
            glass_material = file.material("glass", scree.figure.WALL_COLOUR, GLASS)
        mesh = file.mesh(name, triangles, _unit(scree.depth_buffer.smooth_normals(triangles, scree.walls.EDGE_ANGLE)),
                         solid_material if is_solid else glass_material)  # fmt: skip
        poses = [frame.walls[rows[name]] for frame in frames]
        rotations = scipy.spatial.transform.Rotation.from_matrix([pose.turn for pose in poses]).as_quat()
        translations, is_there = np.array([pose.displacement for pose in poses]), np.array([pose.is_there for pose in poses], float)
        nodes.append(_node(file, animation, f"wall {name}", mesh, translations, rotations, is_there))
    return nodes


def _is_closed_body(wall):
    return any(part.interior == "inside" for part in wall.parts)


def _unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=2, keepdims=True), 1e-300)
