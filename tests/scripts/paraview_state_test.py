"""Tests of scripts/paraview_state.py without ParaView: the walls that are drawn, the camera, bad input."""

import contextlib
import importlib
import io
import math
import os
import re
import sys
import types
import unittest
from unittest import mock

from made_snapshot import SCRIPTS
from script_test import ScriptTest

import numpy as np

CONFIG = """
[scene]
gravity = 0 9.81 0 m/s^2
[domain]
lower = 0 -0.5 0 m
upper = 0.05 0.02 0.012 m
[wall.floor]
shape = plane
[wall.obstacle]
velocity = 0 0 0 m/s
[wall.obstacle.part1]
shape = cylinder
[wall.obstacle.part2]
shape = box
[wall.lid]
shape = plane
[wall.rod]
shape = cylinder
[wall.mantle]
shape = pipe
removed_at = 0.2 s
[wall.body]
shape = mesh
solid = inside
appears_at = 0.1 s
[wall.funnel]
shape = mesh
solid = no
"""


def load_script():
    """The script as a module, without ParaView."""
    paraview = types.ModuleType("paraview")
    paraview.simple = types.ModuleType("paraview.simple")
    with (
        mock.patch.dict(sys.modules, {"paraview": paraview, "paraview.simple": paraview.simple}),
        mock.patch.object(sys, "path", [str(SCRIPTS), *sys.path]),
    ):
        return importlib.import_module("paraview_state")


class ParaViewState(ScriptTest):
    def setUp(self):
        super().setUp()
        self.script = load_script()

    def arguments(self, *words, environment=None):
        with (
            mock.patch.object(sys, "argv", ["paraview_state.py", *map(str, words)]),
            mock.patch.dict(os.environ, environment or {}, clear=True),
        ):
            return self.script.parse_arguments()

    def error_message(self, *words):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), self.assertRaises(SystemExit) as stop:
            self.arguments(*words)
        self.assertEqual(stop.exception.code, 2)
        return printed.getvalue()

    def test_every_shape_is_known_as_a_solid_or_a_sheet(self):
        keys = (SCRIPTS.parent / "io/scene/shape_keys.cpp").read_text(encoding="utf-8")
        shapes = re.findall(r'"(\w+)"', re.search(r'\{\s*("plane".*?)\}', keys, flags=re.S)[1])
        self.assertIn("cone", shapes)
        self.assertEqual(sorted(shapes), sorted([*self.script.SHEETS, "plane", "box", "cylinder", "sphere"]))

    def test_walls_are_solids_or_sheets_while_they_are_there(self):
        path = self.folder / "config.ini"
        path.write_text(CONFIG)
        scene = self.script.read_config(path)
        self.assertEqual(scene.corners.tolist(), [[0.0, -0.5, 0.0], [0.05, 0.02, 0.012]])
        # Rows of the scene's walls: parts share the row of their wall.
        self.assertEqual(scene.solids, [1, 3, 5])
        self.assertEqual(scene.sheets, [4, 6])  # translucent
        self.assertEqual([abs(part) for part in scene.up], [0.0, 1.0, 0.0])
        self.assertLess(scene.up[1], 0.0)
        self.assertEqual(self.script.at_time(scene, 0.1).sheets, [4, 6])
        self.assertEqual(self.script.at_time(scene, 0.2).sheets, [6])
        self.assertEqual(self.script.at_time(scene, 0.09).solids, [1, 3])
        self.assertEqual(self.script.at_time(scene, 0.1).solids, [1, 3, 5])

    def test_camera_is_above_the_scene_for_any_gravity(self):
        for upward in ([0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [0.6, 0.0, 0.8]):
            camera = self.script.camera_direction(upward)
            self.assertGreater(sum(a * b for a, b in zip(camera, upward)), 0.3)
            # The camera is also to the side, not straight above.
            self.assertGreater(sum(part**2 for part in camera), 1.5)

    def test_whole_domain_fits_into_the_picture(self):
        # The camera looks along y at a box of 6 x 2 x 4 m: its centre is 10 m away, its near face 9 m.
        corners = [[-3.0, -1.0, -2.0], [3.0, 1.0, 2.0]]
        for aspect, half in ((2.0, 2.0), (1.0, 3.0)):  # the dimension that fills the picture: height, width
            angle = self.script.view_angle(corners, [0.0, -10.0, 0.0], [0.0] * 3, [0.0, 0.0, 1.0], aspect)
            self.assertAlmostEqual(math.tan(math.radians(angle) / 2), half / 9.0 / self.script.FILLED, places=12)
        # The camera looks from above, and x points up in the picture.
        flat = [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
        angle = self.script.view_angle(flat, [0.0, 0.0, 10.0], [0.0] * 3, [1.0, 0.0, 0.0], 1.0)
        self.assertAlmostEqual(math.tan(math.radians(angle) / 2), 0.1 / self.script.FILLED, places=12)

    def test_one_outlier_does_not_set_a_scale(self):
        forces = np.append(np.full(999, 2.0), 500.0)
        self.assertEqual(self.script.norm_quantile(forces, 0.99), 2.0)
        self.assertEqual(self.script.norm_quantile(np.tile([3.0, 0.0, -4.0], (9, 1)), 0.5), 5.0)
        self.assertEqual((self.script.norm_quantile(np.zeros(5), 0.99), self.script.norm_quantile(np.zeros(0), 0.99)), (1.0, 1.0))

    def test_z_is_up_without_gravity(self):
        path = self.folder / "config.ini"
        path.write_text(CONFIG.replace("0 9.81 0", "0 0 0"))
        self.assertEqual(self.script.read_config(path).up.tolist(), [0.0, 0.0, 1.0])

    def test_walls_that_move_are_reported(self):
        path = self.folder / "config.ini"
        for line in ("velocity = 0.05 0 0 m/s", "angular_velocity = 0 3 0 1/s", "amplitude = 0 0 0.002 m",
                     "motion = time_s 0 1, z_m 0 1"):
            path.write_text(CONFIG.replace("[wall.rod]", "[wall.rod]\n" + line))
            self.assertEqual(self.script.read_config(path).moving, ["rod"], line)
            path.write_text(CONFIG + "\n[motion.swing]\nwall = rod mantle\n" + line)
            self.assertEqual(self.script.read_config(path).moving, ["rod", "mantle"], line)
        path.write_text(CONFIG + "\n[motion.rest]\nwall = rod\nvelocity = 0 0 0 m/s\n")
        self.assertEqual(self.script.read_config(path).moving, [])
        path.write_text(CONFIG.replace("[wall.rod]", "[wall.rod]\nfree = along"))
        self.assertEqual(self.script.read_config(path).moving, ["rod"])
        path.write_text(CONFIG + "\n[link.arm]\nwalls = rod\n[link.carriage]\nmass = 1 kg\n")  # the second has no walls
        self.assertEqual(self.script.read_config(path).moving, ["rod"])
        path.write_text(CONFIG.replace("[wall.rod]", "[wall.rod]\nvelocity = 0 0 0 m/s\nfree = no"))
        self.assertEqual(self.script.read_config(path).moving, [])

    def test_contacts_need_the_file_of_the_export(self):
        for name in self.script.FILES:
            (self.folder / name).write_text("")
        self.assertIn("paraview_contacts.pvd", self.error_message(self.folder, "--contacts"))
        (self.folder / self.script.CONTACTS).write_text("")
        self.assertTrue(self.arguments(self.folder, "--contacts").contacts)

    def test_directory_comes_from_the_command_or_the_environment(self):
        for name in self.script.FILES:
            (self.folder / name).write_text("")
        self.assertEqual(self.arguments(self.folder, "--time", "2").time, 2.0)
        result = self.arguments(environment={"SCREE_OUTPUT": str(self.folder)})
        self.assertEqual(result.output, str(self.folder))

    def test_wrong_directories_are_refused(self):
        self.assertIn("SCREE_OUTPUT", self.error_message())
        self.assertIn("has no snapshots.xdmf", self.error_message(self.folder))


if __name__ == "__main__":
    unittest.main()
