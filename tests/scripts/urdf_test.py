"""Runs urdf.py as a user does, on robots of a few elements (tests/apps/run/urdf_test.py runs a whole arm)."""

import configparser
import re
import unittest

import numpy as np
from script_test import ScriptTest

INERTIAL = ('<inertial><origin xyz="0 0 0.5"/><mass value="2"/>'
            '<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.2" iyz="0.03" izz="0.1"/></inertial>')  # fmt: skip
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def link(name, content=INERTIAL + BALL):
    return f'<link name="{name}">{content}</link>'


def joint(name, kind, parent, child, content=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{content}</joint>'


LIMIT = '<limit lower="-1" upper="2" effort="5" velocity="3"/>'
ROBOT = link("base", BALL) + link("arm") + joint("hinge", "revolute", "base", "arm", '<origin xyz="0 0 1"/>' + LIMIT)


class Urdf(ScriptTest):
    script = "urdf.py"

    def put(self, content):
        path = self.folder / "robot.urdf"
        path.write_text(f"<robot name='r'>{content}</robot>")
        return path

    def convert(self, content, *options):
        self.assert_runs(self.put(content), *options)
        scene = configparser.ConfigParser(interpolation=None, inline_comment_prefixes="#")
        scene.read(self.folder / "robot.ini")
        return scene

    def values(self, scene, section, key):
        return [float(word) for word in scene[section][key].split() if re.fullmatch(r"[-+.\de]+", word)]

    def test_hinge_has_its_limits_motor_and_position(self):
        scene = self.convert(ROBOT, "--base", "0 0 20 cm", "--base-turn", "0 0 90 deg")
        self.assertEqual(self.values(scene, "joint.hinge", "point"), [0, 0, 1.2])
        np.testing.assert_allclose(self.values(scene, "joint.hinge", "axis"), [0, 1, 0], atol=1e-15)
        values = {key: self.values(scene, "joint.hinge", key)[0] for key in
                  ("lower_angle", "upper_angle", "largest_torque", "largest_rate")}  # fmt: skip
        self.assertEqual(list(values.values()), [-1, 2, 5, 3])
        self.assertNotIn("parent", scene["joint.hinge"])  # the base does not move
        self.assertEqual(self.values(scene, "link.arm", "centre"), [0, 0, 1.7])
        # A quarter turn about z: the former x axis is now along y.
        np.testing.assert_allclose(self.values(scene, "link.arm", "inertia"), [0.2, 0.3, 0.1])
        np.testing.assert_allclose(self.values(scene, "link.arm", "inertia_products"), [-0.01, 0.02, -0.03])

    def test_start_position_of_a_joint_moves_links_and_limits(self):
        scene = self.convert(ROBOT, "--start", "hinge=90deg", "--drive", "none")
        np.testing.assert_allclose(self.values(scene, "link.arm", "centre"), [0, -0.5, 1], atol=1e-15)
        self.assertAlmostEqual(self.values(scene, "joint.hinge", "upper_angle")[0], 2 - np.pi / 2, places=12)
        self.assertNotIn("drive", scene["joint.hinge"])
        for start in ("hinge=0.3", "hinge=30cm"):  # a number without a unit is in m
            scene = self.convert(ROBOT.replace("revolute", "prismatic"), "--start", start)
            self.assertEqual(self.values(scene, "link.arm", "centre"), [0.3, 0, 1.5])

    def test_mimic_has_a_ratio_or_a_lead_and_starts_with_its_leader(self):
        elements = link("second") + joint("second", "revolute", "arm", "second",
                                          '<limit lower="-5" upper="5"/><mimic joint="hinge" multiplier="-2" offset="0.5"/>')  # fmt: skip
        slide = '<limit lower="-5" upper="5"/><mimic joint="hinge" multiplier="0.1"/>'
        scene = self.convert(ROBOT + elements + link("rack") + joint("rack", "prismatic", "base", "rack", slide),
                             "--start", "hinge=0.4")
        self.assertEqual((scene["joint.second"]["mimic"], self.values(scene, "joint.second", "ratio")), ("hinge", [-2]))
        self.assertAlmostEqual(self.values(scene, "joint.second", "upper_angle")[0], 5 - (0.5 - 0.8), places=12)
        self.assertAlmostEqual(self.values(scene, "joint.rack", "lead")[0], 0.2 * np.pi, places=12)
        self.assertEqual(self.values(scene, "wall.rack", "point"), [0.04, 0, 0])

    def test_links_without_mass_join_the_link_to_which_they_are_fixed_and_meshes_are_found(self):
        (self.folder / "part").mkdir()
        (self.folder / "part" / "a.stl").write_text("solid\nendsolid\n")
        tool = '<collision><geometry><mesh filename="package://part/a.stl" scale="1 -1 1"/></geometry></collision>'
        rotated = '<collision><origin rpy="0.3 0 0"/><geometry><box size="1 2 3"/></geometry></collision>'
        scene = self.convert(ROBOT + link("tool", tool + rotated) + joint("f", "fixed", "arm", "tool"), "--packages", self.folder)
        self.assertEqual(scene["link.arm"]["walls"], "arm tool_1 tool_2")
        self.assertEqual((scene["wall.tool_1"]["file"], scene["wall.tool_1"]["scale"]), ("part/a.stl", "1 -1 1"))
        np.testing.assert_allclose(self.values(scene, "wall.tool_2", "turn"), [0.3, 0, 0], atol=1e-15)
        self.assertEqual((self.folder / "robot_tool_2.stl").read_text().count("facet normal"), 12)

    def test_output_of_xacro_is_read_and_its_input_is_not(self):
        comment = "<!-- This document was autogenerated by xacro from arm.xacro -->"
        self.assertIn("joint.hinge", self.convert(comment + ROBOT))
        macro = "<x:macro xmlns:x='http://www.ros.org/wiki/xacro' name='leg'/>"
        self.assert_refused(3, ["is a xacro file"], self.put(macro + ROBOT))

    def test_a_free_root_is_a_link(self):
        scene = self.convert(ROBOT.replace(link("base", BALL), link("base")), "--free")
        self.assertEqual((scene["joint.base"]["kind"], scene["joint.hinge"]["parent"]), ("free", "base"))

    def test_a_free_root_without_mass_joins_the_link_with_mass_that_is_fixed_to_it(self):
        """As base_footprint and base_link of ROS, which have a massless link between them here."""
        turned, raised = '<origin xyz="0 0 0.2" rpy="0 0 1.5707963267948966"/>', '<origin xyz="1 0 0"/>'
        robot = (link("footprint", BALL) + link("frame", "") + link("base") + link("imu") + link("wheel")
                 + joint("stand", "fixed", "footprint", "frame", turned) + joint("mount", "fixed", "frame", "base", raised)
                 + joint("clip", "fixed", "frame", "imu") + joint("axle", "continuous", "footprint", "wheel"))  # fmt: skip
        scene = self.convert(robot, "--free", "--base", "0 0 3 m")
        self.assertEqual({name for name in scene if name.startswith(("link.", "joint."))},
                         {"link.base", "link.imu", "link.wheel", "joint.base", "joint.clip", "joint.axle"})
        self.assertEqual(dict(scene["joint.base"]), {"child": "base", "kind": "free"})
        self.assertEqual(scene["link.base"]["walls"], "footprint base")
        self.assertEqual([scene[f"joint.{name}"]["parent"] for name in ("clip", "axle")], ["base", "base"])
        np.testing.assert_allclose(self.values(scene, "link.base", "centre"), [0, 1, 3.7], atol=1e-15)
        np.testing.assert_allclose(self.values(scene, "link.base", "inertia"), [0.2, 0.3, 0.1])
        np.testing.assert_allclose(self.values(scene, "wall.base", "point"), [0, 1, 3.2], atol=1e-15)
        self.assertEqual(self.values(scene, "wall.footprint", "point"), [0, 0, 3])
        self.assert_refused(3, ['<link name="a">', "moves and has no <inertial>"], self.put(link("a", BALL)), "--free")

    def test_each_section_has_another_name(self):
        """A joint named `base` keeps its name, and so does the first of the two walls of the link `arm` next to a link `arm_1`."""
        parts = link("base") + link("arm", INERTIAL + BALL + BALL) + link("arm_1")
        joints = joint("base", "revolute", "base", "arm", LIMIT) + joint("j", "revolute", "arm", "arm_1", LIMIT)
        scene = self.convert(parts + joints, "--free")  # a section that is there twice is an error of the parser
        self.assertEqual((scene["joint.base"]["kind"], scene["joint.base_2"]["kind"]), ("hinge", "free"))
        self.assertEqual((scene["link.arm"]["walls"], scene["link.arm_1"]["walls"]), ("arm_1 arm_2", "arm_1_2"))

    def test_planar_and_floating_joints_move_in_their_plane_and_freely(self):
        table = joint("table", "planar", "arm", "plate", '<origin xyz="1 0 0" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 2"/>')
        drift = joint("drift", "floating", "arm", "buoy", '<origin xyz="0 3 0"/>')
        scene = self.convert(ROBOT + link("plate") + link("buoy") + table + drift)
        self.assertEqual(dict(scene["joint.table"]) | {"axis": ""}, {"parent": "arm", "child": "plate", "kind": "planar", "axis": ""})
        np.testing.assert_allclose(self.values(scene, "joint.table", "axis"), [0, -1, 0], atol=1e-15)
        self.assertEqual(dict(scene["joint.drift"]), {"child": "buoy", "kind": "free"})  # a free joint has no parent
        self.assertEqual(self.values(scene, "link.buoy", "centre"), [0, 3, 1.5])

    def test_a_sentence_names_each_kind_of_element_without_effect(self):
        elements = "<material name='red'/><gazebo/><transmission name='t'/><gazebo reference='arm'/>"
        plate = link("plate") + joint("table", "planar", "arm", "plate", LIMIT + '<dynamics damping="1"/>')
        lines = self.assert_runs(self.put(ROBOT + elements + plate)).stdout.splitlines()
        self.assertEqual([line.partition(":")[0] for line in lines[1:]],
                         ["<dynamics> of the planar joint table has no effect", "<gazebo> has no effect",
                          "<limit> of the planar joint table has no effect", "<material> has no effect",
                          "<transmission> has no effect"])  # fmt: skip
        self.assertEqual(self.assert_runs(self.put(ROBOT)).stdout.count("\n"), 1)

    def test_unsupported_elements_are_errors_that_name_them(self):
        capsule = "<collision><geometry><capsule radius='1' length='1'/></geometry></collision>"
        dae = "<collision><geometry><mesh filename='a.dae'/></geometry></collision>"
        cases = {
            ROBOT.replace("revolute", "spherical"): ['<joint name="hinge">', 'type "spherical"', "expected revolute,"],
            ROBOT.replace("revolute", "planar").replace(LIMIT, '<axis xyz="0 0 0"/>'): ["an axis of length 0"],
            ROBOT.replace("revolute", "planar").replace(LIMIT, '<mimic joint="a"/>'): ["is planar and mimics a joint"],
            link("base", capsule): ["<geometry> has an element <capsule>"],
            link("base", dae): ['the mesh "a.dae"', "expected an .stl or .obj file"],
            ROBOT + "<sensor name='eye'/>": ["has an element <sensor>"],
            ROBOT.replace(INERTIAL, ""): ['<link name="arm">', "moves and has no <inertial>"],
            ROBOT.replace('mass value="2"', 'mass value="0"'): ['value="0"', "expected more than 0"],
            ROBOT.replace(LIMIT, ""): ["lacks <limit>"],
            ROBOT.replace('lower="-1"', 'lower="0.5"'): ["starts at 0 and has limits of 0.5 to 2", "--start hinge="],
            ROBOT.replace(LIMIT, LIMIT + '<axis xyz="0 0 0"/>'): ["an axis of length 0"],
            ROBOT.replace('link="base"', 'link="bas"'): ['connects the link "bas", which the file lacks'],
            ROBOT + link("lost"): ["2 links that no joint moves (base, lost)"],
            ROBOT + link("arm"): ['<link name="arm"> twice'],
            ROBOT.replace(LIMIT, LIMIT + '<mimic joint="none"/>'): ['mimics "none"'],
            ROBOT.replace(LIMIT, LIMIT + '<mimic multiplier="2"/>'): ['<joint name="hinge">', "<mimic> lacks the attribute joint"],
            ROBOT.replace('xyz="0 0 1"', 'xyz="0 0"'): ['has xyz="0 0"; expected 3 numbers'],
        }
        for content, words in cases.items():
            with self.subTest(words):
                self.assert_refused(3, words, self.put(content))
        self.assert_refused(3, ["cannot be read"], self.folder / "none.urdf")
        self.assert_refused(2, ["--start elbow", "is not a moving joint"], self.put(ROBOT), "--start", "elbow=1")
        self.assert_refused(2, ["--start hinge=1x", "expected NAME=VALUE"], self.put(ROBOT), "--start", "hinge=1x")
        for kind, unit, expected in (("revolute", "mm", "rad or deg"), ("prismatic", "deg", "m or cm or mm")):
            self.assert_refused(2, [f"--start hinge: it is {kind}", unit, f"expected {expected}"],
                                self.put(ROBOT.replace("revolute", kind)), "--start", f"hinge=3{unit}")  # fmt: skip
        self.assert_refused(2, ["--base", "expected three numbers"], self.put(ROBOT), "--base", "1 2 m")


if __name__ == "__main__":
    unittest.main()
