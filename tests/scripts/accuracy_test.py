"""Tests of scripts/study accuracy: the scenes, error bars that a log states, verdicts, and a study of a tiny scene."""

import os
import unittest
from unittest import mock

from script_test import ScriptTest

import scree.table
from _accuracy import command
from scree.errors import FileError

LOG = """accuracy: good; up to 0.2 radii per step; the longest step corresponds to time.accuracy = 0.008; its error is not measured
error bars of means: flow 4.5 % (2 % for the step, not measured; 2.5 % for the solve), stress 5 %, energies 2e-05 J, the same share of 0.0004 J; loads of walls 2 % plus those of the solve
solve, against 10 times the sweeps in 3 steps: impulses are off by 28 %; loads of walls off by: left_side 1.5 %, top below 0.01 %
"""
BOUNCE = """[domain]
lower = 0 0 0 mm
upper = 9 9 30 mm
[time]
end = 20 ms
[material.grain]
density = 2500 kg/m^3
[wall.floor]
shape = plane
point = 0 0 0 mm
normal = 0 0 1
[fill]
lower = 3 3 0 mm
upper = 6 6 3 mm
spacing = 3 mm
radius = 1 mm
velocity = 0 0 -1 m/s
jitter = 0 0 5 cm/s
"""
FIGURES = "[bounce]\nkinetic energy = mean kinetic_energy to 0.3 ms\nload = mean wall_floor_force_z\n"


def row(default, finer, stated=0.01, force=False, error=0.0):
    return command.Row("a figure", force, default, finer, error, stated)


class Functions(unittest.TestCase):
    def test_every_scene_has_key_figures(self):
        result = command.scenes()
        self.assertEqual(len(result), 26)
        files = {path.stem for path in (command.HERE / "scenes").glob("*.ini")}
        self.assertEqual(files, set(result))
        for scene in result.values():
            self.assertGreaterEqual(len(scene.figures), 2)

    def test_error_bars_are_read_from_a_log(self):
        errors_in_log = command.stated_errors(LOG)
        loads = {"left_side": 0.015, "top": 0.0001}
        self.assertEqual(errors_in_log, command.StatedErrors(0.02, 0.045, 0.05, 2e-5, loads))
        figures = {name: mock.Mock(text=name) for name in (
            "mean kinetic_energy from 0.1 s", "slope energy_dissipated", "last energy_dissipated", "mean shear_stress",
            "mean wall_left_side_force_x", "mean wall_other_force_x")}  # fmt: skip
        errors = {name: errors_in_log.error_bar(measure, -1e-4) for name, measure in figures.items()}
        self.assertEqual(list(errors.values())[:2], [0.045, 0.045])
        self.assertAlmostEqual(errors["last energy_dissipated"], 0.2)
        self.assertEqual(errors["mean shear_stress"], 0.05)
        self.assertAlmostEqual(errors["mean wall_left_side_force_x"], 0.035)
        self.assertEqual(errors["mean wall_other_force_x"], 0.02)
        for log in ("accuracy: DOUBTFUL, results may be wrong", "error bars of means: not known"):
            self.assertEqual(command.stated_errors(log).error_bar(figures["mean shear_stress"], 1.0), float("inf"))
        with self.assertRaises(FileError):
            command.stated_errors("no such words")

    def test_verdicts_allow_a_difference_of_two_standard_errors(self):
        self.assertEqual(row(1.009, 1.0).verdicts, {"promise": True, "stated": True, "thrice": True})
        self.assertEqual(row(0.98, 1.0).verdicts, {"promise": False, "stated": False, "thrice": True})
        self.assertEqual(row(1.04, 1.0, force=True).verdicts, {"promise": True, "stated": False, "thrice": False})
        self.assertTrue(row(1.04, 1.0, error=0.016).verdicts["promise"])
        self.assertFalse(row(1.04, 1.0, error=0.014).verdicts["promise"])
        self.assertFalse(row(1.0, 1.0, error=float("nan")).verdicts["promise"])  # one seed has no standard error

    def test_wall_loads_and_motor_torques_are_forces(self):
        figures = command.scenes()["silo_insert"].figures | command.scenes()["mixer_arm"].figures
        forces = {name for name, measure in figures.items() if command.is_force(measure)}
        self.assertEqual(forces, {"load of the bar", "load of the floor", "load of the left wall", "torque of the motor"})


@unittest.skipUnless(os.environ.get("SCREE_RUN"), "runs scree-run")
class Study(ScriptTest):
    def test_tiny_scene_runs_with_both_settings(self):
        (self.folder / "bounce.ini").write_text(BOUNCE)
        (self.folder / "figures.ini").write_text(FIGURES)
        scenes = command.scenes(self.folder / "figures.ini", self.folder)
        words = ["study accuracy", "--output", str(self.folder / "out"), "--program", os.environ["SCREE_RUN"], "--seeds", "2"]
        with mock.patch("sys.argv", words):
            self.assertEqual(command.main(scenes), 0)
        table = scree.table.read(self.folder / "out" / "accuracy.csv")
        self.assertEqual(list(table["figure"]), ["kinetic energy", "load"])
        self.assertEqual([value == "True" for value in table["force"]], [False, True])
        self.assertLess(abs(table["difference"][0]), 1e-6)  # the sphere falls freely in this window
        self.assertEqual(table["within_promise"][0], 1)
        steps = [scree.table.read(self.folder / "out" / "bounce" / name / "timing.csv")["steps_done"][-1]
                 for name in ("default_1", "finer_1")]  # fmt: skip
        self.assertGreater(steps[1], steps[0])


if __name__ == "__main__":
    unittest.main()
