"""scripts/export.py --format gltf, read by the class Glb and by assimp: bounds, volumes, poses over time, materials."""

import dataclasses
import json
import re
import shutil
import subprocess
import unittest
from unittest import mock

import made_snapshot
from script_test import ScriptTest, skipped_unless

import numpy as np
import scipy.spatial.transform
import scree.errors
import scree.export
import scree.export.gltf
import scree.snapshot

Rotation = scipy.spatial.transform.Rotation
GRAVITY = "[scene]\ngravity = 0 0 -9.81 m/s^2\n"


class Glb:
    """A file, read by the rules of glTF 2.0."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, length = data[:4], *np.frombuffer(data[4:12], "<u4")
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size = int(np.frombuffer(data[12:16], "<u4")[0])
        assert data[16:20] == b"JSON" and size % 4 == 0
        self.parts = json.loads(data[20 : 20 + size])
        remainder = data[20 + size :]
        assert remainder[4:8] == b"BIN\0" and np.frombuffer(remainder[:4], "<u4")[0] == len(remainder) - 8
        self.binary = remainder[8:]
        assert self.parts["buffers"] == [{"byteLength": len(self.binary)}]
        self.node = {node["name"]: number for number, node in enumerate(self.parts["nodes"])}

    def array(self, number):
        accessor = self.parts["accessors"][number]
        view = self.parts["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        item_count = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert view["byteOffset"] % 4 == 0
        values = np.frombuffer(self.binary[view["byteOffset"] :][: view["byteLength"]], kind).reshape(accessor["count"], item_count)
        if "min" in accessor:
            np.testing.assert_array_equal([accessor["min"], accessor["max"]], [values.min(axis=0), values.max(axis=0)])
        return values

    def triangles(self, name):
        """(triangles of a node's mesh in the axes of the node, normals at the corners), [T, 3, 3] each."""
        (primitive,) = self.parts["meshes"][self.parts["nodes"][self.node[name]]["mesh"]]["primitives"]
        index = self.array(primitive["indices"]).ravel().reshape(-1, 3)
        return tuple(self.array(primitive["attributes"][attribute])[index].astype(float) for attribute in ("POSITION", "NORMAL"))

    def pose(self, name, frame):
        """(position [3], Rotation, scale [3]) of a node at a frame."""
        node = self.parts["nodes"][self.node[name]]
        values = {path: np.array(node.get(path)) for path in ("translation", "rotation", "scale")}
        for animation in self.parts.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"]["node"] == self.node[name]:
                    sampler = animation["samplers"][channel["sampler"]]
                    values[channel["target"]["path"]] = self.array(sampler["output"])[frame]
        return values["translation"], Rotation.from_quat(values["rotation"]), values["scale"]

    def in_space(self, name, frame=0):
        """Triangles of a node in the axes of the file."""
        position, rotation, scale = self.pose(name, frame)
        corners = rotation.apply((scale * self.triangles(name)[0]).reshape(-1, 3)) + position
        root = Rotation.from_quat(self.parts["nodes"][self.parts["scenes"][0]["nodes"][0]]["rotation"])
        return root.apply(corners).reshape(-1, 3, 3)


def volume(triangles):
    return float(np.linalg.det(triangles).sum() / 6.0)


class Gltf(ScriptTest):
    script = "export.py"

    def setUp(self):
        super().setUp()
        self.fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.03, 0.02, 0.01], [0.04, 0.02, 0.01]], radius=2e-3,
                                              shape=np.array([0, 1, 2]), material=np.array([0, 1, 1], dtype=np.int32))  # fmt: skip
        self.walls = [made_snapshot.wall("blade", made_snapshot.box([0.05, 0.0, 0.0], [0.06, 0.01, 0.02]))]

    def export(self, *frames, walls=None):
        """The Glb of frames, each {fields}, at intervals of 0.1 s.  walls: [walls of a frame]; None: self.walls"""
        paths = []
        for number, fields in enumerate(frames):
            paths.append(self.folder / f"{number}.h5")
            made_snapshot.write(paths[-1], fields, time=0.5 + 0.1 * number, step=number, configuration=GRAVITY, materials=2,
                                walls=walls[number] if walls else self.walls,
                                shapes=[made_snapshot.DUMBBELL, made_snapshot.CUBE])  # fmt: skip
        self.assert_runs(*paths, "--format", "gltf", "--output", self.folder / "out")
        return Glb(self.folder / "out.glb")

    def test_bodies_have_their_shapes_and_positions(self):
        glb = self.export(self.fields)
        self.assertEqual(sorted(glb.node), ["body 0", "body 1", "body 2", "scree", "wall blade"])
        ball, dumbbell, cube = (glb.in_space(f"body {k}") for k in range(3))
        sphere = 4.0 / 3.0 * np.pi * 2e-3**3
        self.assertTrue(0.95 < volume(ball) / sphere < 1.0)  # 320 flat triangles, which lie within the sphere
        self.assertTrue(0.95 < volume(dumbbell) / (0.25 * sphere) < 1.0)
        self.assertAlmostEqual(volume(cube) / (4e-3 / np.sqrt(3.0)) ** 3, 1.0, 5)
        for triangles, x, half in ((ball, 0.02, 2e-3), (dumbbell, 0.03, 2e-3), (cube, 0.04, 2e-3 / np.sqrt(3.0))):
            np.testing.assert_allclose([triangles[..., 0].min(), triangles[..., 0].max()], [x - half, x + half], atol=2e-5)
            # z is up in the scene, y in the file.
            np.testing.assert_allclose(triangles.reshape(-1, 3).mean(axis=0)[1:], [0.01, -0.02], atol=1e-6)
        wall = glb.in_space("wall blade")
        np.testing.assert_allclose(volume(wall), 2e-6, rtol=1e-5)
        np.testing.assert_allclose([wall.min(axis=(0, 1)), wall.max(axis=(0, 1))], [[0.05, 0, -0.01], [0.06, 0.02, 0]], atol=1e-8)

    def test_normals_belong_to_the_surfaces(self):
        glb = self.export(self.fields)
        for name in ("body 0", "body 1", "body 2", "wall blade"):
            triangles, normals = glb.triangles(name)
            flat_normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            flat_normals /= np.linalg.norm(flat_normals, axis=1, keepdims=True)
            np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0, atol=1e-6)
            self.assertGreater(np.einsum("tkj,tj->tk", normals, flat_normals).min(), 0.9)

    def test_frames_are_an_animation(self):
        rotated = dict(self.fields, position=self.fields["position"] + [0.0, 1e-3, 0.0],
                       orientation=np.tile(np.roll(Rotation.from_rotvec([0, 0, 0.3]).as_quat(), 1), (3, 1)))  # fmt: skip
        rotated["orientation"][2] *= -1.0  # the same rotation; readers must still interpolate the short way
        displaced_walls = [dataclasses.replace(self.walls[0], displacement=np.array([0.0, 0.0, z])) for z in (0.0, 5e-3)]
        glb = self.export(self.fields, rotated, walls=[[wall] for wall in displaced_walls])
        (animation,) = glb.parts["animations"]
        np.testing.assert_allclose(glb.array(animation["samplers"][0]["input"]).ravel(), [0.0, 0.1], atol=1e-7)
        for frame, fields in enumerate((self.fields, rotated)):
            for body in range(3):
                position, rotation, scale = glb.pose(f"body {body}", frame)
                np.testing.assert_allclose(position, fields["position"][body], atol=1e-8)
                self.assertAlmostEqual(rotation.magnitude(), 0.3 * frame, 6)
                np.testing.assert_allclose(scale, 2e-3, rtol=1e-6)
        self.assertGreater(min(glb.array(sampler["output"])[1, 3] for channel, sampler in
                               zip(animation["channels"], animation["samplers"]) if channel["target"]["path"] == "rotation"), 0.9)
        self.assertAlmostEqual(glb.pose("wall blade", 1)[0][2], 5e-3, 8)

    def test_absent_bodies_and_walls_have_the_scale_zero(self):
        first_two = {name: values[:2] for name, values in self.fields.items()}
        walls = [dataclasses.replace(self.walls[0], is_there=is_present) for is_present in (True, False)]
        glb = self.export(first_two, self.fields, walls=[[wall] for wall in walls])
        np.testing.assert_allclose([glb.pose("body 2", frame)[2] for frame in (0, 1)], [[0.0] * 3, [2e-3] * 3], rtol=1e-6)
        np.testing.assert_allclose(glb.pose("body 2", 0)[0], self.fields["position"][2])
        np.testing.assert_allclose([glb.pose("wall blade", frame)[2] for frame in (0, 1)], [[1.0] * 3, [0.0] * 3])
        modes = {sampler["interpolation"] for channel, sampler in
                 zip(glb.parts["animations"][0]["channels"], glb.parts["animations"][0]["samplers"])
                 if channel["target"]["path"] == "scale"}  # fmt: skip
        self.assertEqual(modes, {"STEP"})

    def test_materials_differ(self):
        glb = self.export(self.fields)
        colours = [material["pbrMetallicRoughness"]["baseColorFactor"] for material in glb.parts["materials"]]
        np.testing.assert_allclose(colours[0], [0.0, 0.1683, 0.4452, 1.0], atol=1e-3)  # #0072b2, linear
        self.assertEqual(len({tuple(colour) for colour in colours}), 3)
        meshes = [mesh["name"] for mesh in glb.parts["meshes"]]
        self.assertEqual(meshes, ["sphere of material 0", "dumbbell of material 1", "cube of material 1", "blade"])

    def test_unsuitable_snapshots_are_refused(self):
        frame = self.folder / "0.h5"
        made_snapshot.write(frame, self.fields, materials=2, shapes=[made_snapshot.DUMBBELL, made_snapshot.CUBE])
        with mock.patch.object(scree.export.gltf, "MAX_BODIES", 2):
            with self.assertRaisesRegex(scree.errors.UsageError, "there are 3; expected at most 2"):
                scree.export.gltf.write(scree.snapshot.read_frames([frame]), self.folder / "out")
        with self.assertRaisesRegex(scree.errors.UsageError, "glTF needs a frame"):
            scree.export.gltf.write([], self.folder / "out")

    @skipped_unless(shutil.which("assimp"), "assimp-utils is not installed: no independent reader of glTF")
    def test_assimp_reads_the_file(self):
        displaced = dict(self.fields, position=self.fields["position"] + [0.0, 1e-3, 0.0])
        self.export(self.fields, displaced)
        printed = subprocess.run(["assimp", "info", self.folder / "out.glb"], capture_output=True, text=True, check=True).stdout
        result = dict(re.findall(r"^(Nodes|Meshes|Animations|Faces|Materials|Animation Channels): +(\d+)", printed, re.M))
        self.assertEqual(result, {"Nodes": "5", "Meshes": "4", "Animations": "1", "Faces": str(320 + 640 + 12 + 12),
                                  "Materials": "3",
                                  "Animation Channels": "3"})  # fmt: skip
        # `assimp info` multiplies the transformations of nodes in the wrong order, so the bounds come from an export.
        subprocess.run(["assimp", "export", self.folder / "out.glb", self.folder / "out.obj"], capture_output=True, check=True)
        lines = [line.split() for line in (self.folder / "out.obj").read_text().splitlines()]
        positions = np.array([line[1:4] for line in lines if line[:1] == ["v"]], dtype=float)
        np.testing.assert_allclose([positions.min(axis=0), positions.max(axis=0)],
                                   [[0.018, 0.0, -0.022], [0.06, 0.02, 0.0]], atol=1e-5)


if __name__ == "__main__":
    unittest.main()
