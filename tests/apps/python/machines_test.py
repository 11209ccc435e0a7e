"""Joints, links and saved states in Python, on one and several ranks.

Needs SCREE_NATIVE (the folder of the compiled part) and SCREE_MPIEXEC in the environment.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy as np
from engine_test import SCRIPTS, Test, sorted_by_id, spheres

import scree
import scree.engine
import scree.steering

GRADER = textwrap.dedent(scree.steering.__doc__.split("::\n\n", 1)[1].split("\nReading", 1)[0])
# A bed of 192 grains, in which a paddle rotates and into which a ram is pushed.
MACHINE = {
    "domain": {"lower": "0 0 -1 mm", "upper": "12 12 24 mm", "periodic": "y"},
    "time": {"step": "100 us", "end": "1 s"},
    "material.glass": {"density": 2500.0},
    "contact": {"friction": 0.4},
    "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
    "wall.left": {"shape": "plane", "point": "0 0 0 mm", "normal": "1 0 0"},
    "wall.right": {"shape": "plane", "point": "12 0 0 mm", "normal": "-1 0 0"},
    "wall.paddle": {"shape": "box", "lower": "3.5 3 6 mm", "upper": "4.5 9 19 mm"},
    "wall.ram": {"shape": "box", "lower": "8 3 13 mm", "upper": "10 9 20 mm"},
    "link.arm": {"walls": "paddle", "mass": "2 g", "centre": "4 6 12 mm", "inertia": "40 40 40 g mm^2"},
    "link.ram": {"walls": "ram", "mass": "1 g", "centre": "9 6 16 mm", "inertia": "5 5 5 g mm^2"},
    "joint.shoulder": {"child": "arm", "kind": "hinge", "point": "4 6 19 mm", "axis": "0 1 0", "drive": "speed",
                       "rate": "2 1/s", "largest_torque": "2 N mm"},
    "joint.guide": {"child": "ram", "kind": "slider", "axis": "0 0 1", "lower_travel": "-12 mm", "upper_travel": "4 mm",
                    "drive": "position", "travel": "0 mm", "largest_force": "0.1 N", "largest_speed": "0.1 m/s"},
    "fill": {"lower": "0 0 0 mm", "upper": "12 12 12 mm", "spacing": "2 mm", "radius": "0.9 mm", "jitter": "5 5 5 cm/s"},
    "solver": {"scheme": "jacobi", "sweeps": 10},
}  # fmt: skip
# The machine without bed: a single grain touches neither link.
ALONE = {"position": [[0.011, 0.011, 0.0009]], "radius": 0.0009}
STILL = {"joint.shoulder": {**MACHINE["joint.shoulder"], "rate": "0 1/s"}}


def machine(**changes):
    return scree.engine.Simulation(scree.engine.parse(MACHINE, **changes))


def machine_without_bed(**changes):
    scene = scree.engine.parse({**MACHINE, **changes})
    return scree.engine.Simulation(scene, particles=ALONE)


def numbers(simulation):
    """All numbers of the state and the last steps that a program can read."""
    joints = [(j.position, j.speed, j._value("effort"), j.load, j.power) for j in simulation.joints.values()]
    links = [np.concatenate([link.pose, link.velocity, link.wrench]) for link in simulation.links.values()]
    walls = [np.concatenate([w.position, w.velocity, w.force, w.torque]) for w in simulation.walls.values()]
    contacts = simulation.contacts
    return [*sorted_by_id(simulation), simulation.angular_velocity, simulation.orientation, np.array(joints), np.array(links),
            np.array(walls), contacts.gap, contacts.impulse, np.array([simulation.time, simulation.steps])]  # fmt: skip


class SameBits(Test):
    def assert_equal(self, first, second):
        for k, (a, b) in enumerate(zip(first, second, strict=True)):
            np.testing.assert_array_equal(a, b, err_msg=f"number {k}")


class Joints(SameBits):
    def test_joints_go_where_motors_drive_them(self):
        simulation = machine_without_bed(**STILL)
        shoulder, guide = simulation.joints["shoulder"], simulation.joints["guide"]
        self.assertEqual((shoulder.kind, guide.kind, shoulder.drive, guide.drive), ("hinge", "slider", "speed", "position"))
        self.assertTrue(np.isnan([shoulder.torque, guide.force, guide.load, guide.power]).all())
        shoulder.set(speed=0.5)
        guide.set(position=0.002)
        simulation.step(1000)
        self.assertAlmostEqual(shoulder.speed, 0.5, delta=1e-12)
        self.assertAlmostEqual(shoulder.position, 0.05, delta=1e-4)
        self.assertAlmostEqual(guide.position, 0.002, delta=1e-12)
        simulation.step(1)
        # The weights that the motors hold: one gram along the guide, and 2 g on an arm of 7 mm about the shoulder.
        self.assertAlmostEqual(guide.force, 1e-3 * 9.81, delta=1e-12)
        torque = 2e-3 * 9.81 * 7e-3 * np.sin(shoulder.position)
        self.assertAlmostEqual(abs(shoulder.torque), torque, delta=0.01 * torque)
        self.assertAlmostEqual(shoulder.power, shoulder.torque * 0.5, delta=1e-9)
        self.assertEqual(shoulder.load, 0.0)

    def test_joints_with_several_axes_have_positions_and_speeds(self):
        ball = {"child": "arm", "kind": "ball", "point": "4 6 19 mm"}
        simulation = machine_without_bed(**{"joint.shoulder": ball,
                                            "joint.guide": {"child": "ram", "kind": "planar", "axis": "0 1 0"}})
        shoulder, guide = simulation.joints["shoulder"], simulation.joints["guide"]
        self.assertEqual((shoulder.kind, guide.kind), ("ball", "planar"))
        simulation.step(100)
        self.assertEqual((shoulder.positions.shape, shoulder.speeds.shape), ((3,), (3,)))
        np.testing.assert_allclose(shoulder.positions, 0.0, atol=1e-12)  # it hangs
        self.assertAlmostEqual(np.hypot(*guide.speeds[:2]), 9.81 * 0.01, delta=1e-9)
        self.assertAlmostEqual(np.hypot(*guide.positions[:2]), 0.5 * 9.81 * 0.01 * 0.0101, delta=1e-9)
        self.assertEqual(guide.positions[2], 0.0)
        with self.assertRaisesRegex(scree.UsageError, "is a ball joint and has no such number"):
            _ = shoulder.position
        with self.assertRaisesRegex(scree.UsageError, "is a ball joint and has no motor"):
            shoulder.set(speed=1.0)
        self.assertEqual(machine_without_bed().joints["shoulder"].speeds.shape, (1,))

    def test_given_torque_is_its_mean_over_steps_that_change(self):
        shoulder = {**MACHINE["joint.shoulder"], "drive": "none", "torque": "1 N mm"}
        for name in ("rate", "largest_torque"):
            del shoulder[name]
        simulation = machine_without_bed(**{"joint.shoulder": shoulder, "time": {"end": "1 s"}})
        for _ in range(4):
            simulation.step(duration=0.05)
            self.assertAlmostEqual(simulation.joints["shoulder"].torque, 1e-3, delta=1e-12)

    def test_joints_stall_at_the_maximum_force_and_fall_when_released(self):
        simulation = machine_without_bed(**STILL)
        guide = simulation.joints["guide"]
        guide.set(speed=0.1, largest=0.5 * 1e-3 * 9.81)  # half the weight of the ram
        simulation.step(100)
        self.assertAlmostEqual(guide.force, 0.5e-3 * 9.81, delta=1e-12)
        self.assertAlmostEqual(guide.speed, -0.5 * 9.81 * 0.01, delta=1e-9)
        guide.release()
        self.assertEqual(guide.drive, "none")
        simulation.step(100)
        self.assertEqual(guide.force, 0.0)
        self.assertAlmostEqual(guide.speed, -1.5 * 9.81 * 0.01, delta=1e-9)
        guide.set(force=2e-3 * 9.81)
        simulation.step(100)
        self.assertAlmostEqual(guide.speed, -0.5 * 9.81 * 0.01, delta=1e-9)
        self.assertAlmostEqual(guide.force, 2e-3 * 9.81, delta=1e-12)

    def test_force_set_by_the_program_replaces_a_table_of_the_scene(self):
        free = {"child": "ram", "kind": "slider", "axis": "0 0 1", "drive": "force", "table": "time_s 0 1, force_N 0.02 0.02"}
        simulation = machine_without_bed(**STILL, **{"joint.guide": free})
        guide = simulation.joints["guide"]
        simulation.step(100)
        self.assertAlmostEqual(guide.speed, (20 - 9.81) * 0.01, delta=1e-9)
        guide.set(force=0.0)
        simulation.step(100)
        self.assertAlmostEqual(guide.speed, (20 - 2 * 9.81) * 0.01, delta=1e-9)

    def test_drives_act_like_those_of_a_scene(self):
        """A drive set by a program at the start acts like the same drive in a scene."""
        driven_scene = {"joint.shoulder": {"rate": "-3 1/s", "largest_torque": "1 N mm"}, "joint.guide": {"travel": "-8 mm"}}
        driven_by_scene, steered = machine(**driven_scene), machine()
        steered.joints["shoulder"].set(speed=-3.0, largest=1e-3)
        steered.joints["guide"].set(position=-8e-3)
        for simulation in (driven_by_scene, steered):
            simulation.step(900)
        self.assert_equal(numbers(driven_by_scene), numbers(steered))
        self.assertNotEqual(steered.joints["guide"].load, 0.0)

    def test_wrong_drives_are_refused_with_the_reason(self):
        fixed = {"link.foot": {**MACHINE["link.ram"], "walls": "foot"}, "joint.weld": {"child": "foot", "kind": "fixed"},
                 "wall.foot": {**MACHINE["wall.ram"], "lower": "1 3 20 mm", "upper": "2 9 22 mm"}}  # fmt: skip
        simulation = machine_without_bed(**fixed)
        drive_before = simulation.joints["guide"].drive
        for name, drive, message in (
            ("weld", {"speed": 1.0}, r"\[joint.weld\] is a fixed joint and has no motor; expected a hinge or a slider"),
            ("shoulder", {"speed": np.nan}, r"\[joint.shoulder\] cannot have the speed nan; expected a finite number"),
            ("shoulder", {"position": np.inf}, "cannot have the position inf; expected a finite"),
            ("shoulder", {"torque": np.nan}, "cannot have the torque nan; expected a finite"),
            ("shoulder", {"speed": 1.0, "position": 1.0}, "'shoulder': speed and position cannot be combined"),
            ("shoulder", {"force": 1.0}, "'shoulder' is a hinge and has no force; expected torque"),
            ("guide", {"torque": 1.0}, "'guide' is a slider and has no torque; expected force"),
            ("guide", {"largest": 0.0}, "cannot have the largest force 0; expected more than 0"),
            ("guide", {"largest_speed": -1.0}, "cannot have the largest speed -1; expected more than 0"),
            ("guide", {"largest": np.nan}, "cannot have the largest force nan; expected more than 0"),
            ("guide", {"speed": "fast"}, "the speed of the joint 'guide' = 'fast'; expected a number"),
            ("guide", {"speed": 1e6}, "would move by 100 m in a step; expected at most 0.012"),
            ("shoulder", {"speed": 1e5}, "would move by 10 rad in a step; expected at most 3.14"),
        ):
            with self.subTest(name=name, drive=drive), self.assertRaisesRegex(scree.UsageError, message):
                simulation.joints[name].set(**drive)
        self.assertEqual(simulation.joints["guide"].drive, drive_before)
        free = machine_without_bed(**{"joint.guide": {"child": "ram", "kind": "slider", "axis": "0 0 1"}})
        with self.assertRaisesRegex(scree.UsageError, "has a motor without a largest force, .*; expected largest > 0"):
            free.joints["guide"].set(speed=1.0)
        for name, attribute, message in (
            ("weld", "position", "the joint 'weld' is a fixed joint and has no such number; expected a hinge or a slider"),
            ("guide", "torque", "'guide' is a slider and has no such number; expected a hinge"),
            ("shoulder", "force", "'shoulder' is a hinge and has no such number; expected a slider"),
        ):
            with self.assertRaisesRegex(scree.UsageError, message):
                getattr(simulation.joints[name], attribute)
        with self.assertRaisesRegex(scree.UnknownName, "there is no joint 'gide' .did you mean 'guide'.*; there is"):
            simulation.joints["gide"]
        with self.assertRaisesRegex(scree.UnknownName, "there is no link 'leg'"):
            simulation.links["leg"]
        with self.assertRaises(AttributeError):
            simulation.joints["guide"].speed = 1.0
        self.assertRegex(repr(simulation.joints["guide"]), "^Joint.'guide', slider at 0 m, speed 0 m/s.$")
        self.assertEqual(repr(simulation.joints["weld"]), "Joint('weld', fixed)")
        self.assertEqual(repr(simulation.links), "Links(arm, ram, foot)")
        for row in (3, 2**40):
            with self.assertRaises((scree.UsageError, IndexError)):
                simulation._native.joint(row)
            with self.assertRaises((scree.UsageError, IndexError)):
                simulation._native.link(row)
            with self.assertRaises(scree.UsageError):
                simulation._native.drive_joint(row, None, 0.0, None, None, None)

    def test_scenes_without_machines_have_no_joints(self):
        simulation = spheres([[0, 0, 0]])
        self.assertEqual((len(simulation.joints), len(simulation.links)), (0, 0))
        with self.assertRaisesRegex(scree.UnknownName, "there is no joint 'boom'; there is none"):
            simulation.joints["boom"]


class Links(Test):
    def test_links_are_where_joints_move_them(self):
        simulation = machine_without_bed(**STILL)
        arm, shoulder = simulation.links["arm"], simulation.joints["shoulder"]
        np.testing.assert_allclose(arm.pose, [4e-3, 6e-3, 12e-3, 1, 0, 0, 0], rtol=0, atol=1e-15)
        shoulder.set(speed=2.0)
        simulation.step(2000)
        angle = shoulder.position
        self.assertAlmostEqual(angle, 0.4, delta=1e-3)
        np.testing.assert_allclose(arm.position, [4e-3 - 7e-3 * np.sin(angle), 6e-3, 19e-3 - 7e-3 * np.cos(angle)], atol=1e-12)
        np.testing.assert_allclose(arm.orientation, [np.cos(angle / 2), 0, np.sin(angle / 2), 0], atol=1e-12)
        np.testing.assert_allclose(arm.angular_velocity, [0, 2, 0], atol=1e-12)
        np.testing.assert_allclose(arm.velocity, np.cross([0, 2, 0], arm.position - [4e-3, 6e-3, 19e-3]), atol=1e-12)
        np.testing.assert_array_equal(arm.wrench, np.zeros(6))

    def test_links_report_the_force_of_the_grains(self):
        simulation = machine()
        self.assertTrue(np.isnan(simulation.links["ram"].wrench).all())
        simulation.joints["guide"].set(position=-8e-3)
        simulation.step(1500)
        ram, guide, wall = simulation.links["ram"], simulation.joints["guide"], simulation.walls["ram"]
        self.assertGreater(ram.force[2], 1e-3)
        np.testing.assert_array_equal(ram.force, wall.force)
        np.testing.assert_allclose(guide.load, ram.force[2], rtol=1e-10)
        np.testing.assert_array_equal(ram.wrench, np.concatenate([ram.force, ram.torque]))
        shoulder, arm = simulation.joints["shoulder"], simulation.links["arm"]
        simulation.step(1)
        self.assertNotEqual(shoulder.load, 0.0)
        moment = arm.torque + np.cross(arm.position - [4e-3, 6e-3, 19e-3], arm.force)
        self.assertAlmostEqual(shoulder.load / moment[1], 1.0, delta=1e-2)  # the pose is that after the step


class States(SameBits):
    def assert_returns(self, simulation, advance, disturb=lambda s: None):
        """Checks that steps from a restored state repeat the same bits, also after other steps in between."""
        state = simulation.save()
        saved = numbers(simulation)
        advance(simulation)
        expected = numbers(simulation)
        disturb(simulation)
        simulation.restore(state)
        self.assert_equal(numbers(simulation), saved)
        advance(simulation)
        self.assert_equal(numbers(simulation), expected)
        return state, expected

    def test_restored_states_continue_with_the_same_bits(self):
        for changes in ({}, {"time": {"step": "auto"}}, {"solver": {"scheme": "gauss_seidel"}}):
            with self.subTest(changes=changes):
                simulation = machine(**changes)
                simulation.step(duration=0.03)

                def disturb(simulation):
                    simulation.joints["shoulder"].set(speed=-5.0)
                    simulation.joints["guide"].set(position=-9e-3)
                    simulation.walls["right"].set(velocity=(-0.01, 0, 0))
                    simulation.insert(position=[[6e-3, 6e-3, 22.5e-3]], radius=0.9e-3)
                    simulation.remove(simulation.id == 3)
                    simulation.step(100)

                state, expected = self.assert_returns(simulation, lambda s: s.step(100), disturb)
                self.assertEqual(simulation.joints["shoulder"].drive, "speed")
                for _ in range(2):  # a state can be restored any number of times
                    simulation.restore(state)
                    simulation.step(100)
                    self.assert_equal(numbers(simulation), expected)

    def test_states_contain_drives_insertions_and_forces(self):
        """A program drives joints, inserts particles and applies forces, and repeats this from the state."""
        for step in ("100 us", "auto"):
            with self.subTest(step=step):
                simulation = machine(time={"step": step})
                simulation.joints["guide"].set(position=-5e-3)
                simulation.step(drag=0.01 * simulation.mass)

                def advance(simulation):
                    ids = simulation.insert(position=[[6e-3, 6e-3, 22.5e-3]], radius=0.9e-3)
                    for k in range(40):
                        simulation.joints["shoulder"].set(speed=2.0 - 0.1 * k)
                        simulation.walls["right"].set(velocity=(-0.002 * k, 0, 0))
                        simulation.step(drag=0.5 * simulation.mass)
                    simulation.remove(np.isin(simulation.id, ids))
                    with simulation.edit() as grains:
                        grains.velocity[:, 0] += 0.01
                    simulation.step(20)

                self.assert_returns(simulation, advance, lambda s: s.step(50))

    def test_states_contain_free_walls_averages_energy_and_feeds(self):
        scene = {
            "domain": {"lower": "0 0 0 mm", "upper": "12 12 30 mm", "periodic": "x y"},
            "time": {"step": "100 us", "end": "1 s"},
            "material.glass": {"density": 2500.0},
            "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
            "wall.lid": {"shape": "plane", "point": "0 0 20 mm", "normal": "0 0 -1", "free": "along", "axis": "0 0 1",
                         "mass": "2 g", "spring": "10 N/m"},
            "fill": {"lower": "0 0 0 mm", "upper": "12 12 12 mm", "spacing": "2 mm", "radius": "0.9 mm"},
            "inflow": {"kind": "rain", "lower": "1 1 13 mm", "upper": "11 11 18 mm", "number_rate": "300 1/s", "radius": "0.9 mm"},
            "average.bed": {"cells": "1x1x4", "every": "1 ms"},
        }  # fmt: skip
        simulation = scree.engine.Simulation(scree.engine.parse(scene), energy=True)
        simulation.step(100)
        state = simulation.save()
        results = []
        for _ in range(2):
            simulation.step(300)
            energy, observed = simulation.energy, simulation.observe()
            results.append((*sorted_by_id(simulation), simulation.walls["lid"].position, list(energy.values()),
                            observed.inserted, observed.touching_contacts, simulation.averages["bed"].to_numpy()))  # fmt: skip
            simulation.step(7)
            simulation.restore(state)
        self.assert_equal(*results)
        self.assertGreater(results[0][5], 5)

    def test_states_can_be_restored_after_failures(self):
        simulation = machine()
        simulation.step(20)
        state, numbers_before = simulation.save(), numbers(simulation)
        with self.assertRaises(scree.SimulationError):
            simulation.step(acceleration=1e300)
        simulation.restore(state)
        with self.assertRaises(scree.UsageError), simulation.edit() as grains:
            grains.radius[:] = -1.0
        with self.assertRaisesRegex(scree.UsageError, "particles are being edited"):
            simulation.step()
        simulation.restore(state)
        self.assert_equal(numbers(simulation), numbers_before)
        simulation.step(5)

    def test_views_keep_their_values_after_a_restore(self):
        simulation = machine()
        simulation.step(50)
        state = simulation.save()
        simulation.step(50)
        view = simulation.position
        values = view.copy()
        simulation.restore(state)
        np.testing.assert_array_equal(view, values)
        self.assertFalse(np.array_equal(simulation.position, values))

    def test_unsuitable_states_are_refused(self):
        simulation, second = machine(), machine()
        state = second.save()
        for unsuitable, message in (
            (state, "the state belongs to another simulation; expected one saved by this simulation"),
            (None, "restore: None is not a state; expected a result of save.."),
            (7, "restore: 7 is not a state"),
        ):
            with self.assertRaisesRegex(scree.UsageError, message):
                simulation.restore(unsuitable)
        own_state = simulation.save()
        with self.assertRaisesRegex(scree.UsageError, "restore: an edit is open"), simulation.edit():
            simulation.restore(own_state)
        simulation.restore(own_state)
        with self.assertRaisesRegex(scree.UsageError, "particles are being edited"), simulation.edit():
            simulation.save()
        simulation.restore(own_state)
        del second  # a state does not need its simulation
        self.assertRegex(repr(state), r"^State\(number=1, steps=0, time=0.0\)$")

    def test_simulation_runs_after_a_reset_like_a_new_one(self):
        simulation = machine()
        simulation.step(40)
        state, expected = simulation.save(), numbers(simulation)
        simulation.joints["shoulder"].set(speed=-1.0)
        simulation.walls["right"].set(velocity=(-0.01, 0, 0))
        simulation.insert(position=[[6e-3, 6e-3, 22.5e-3]], radius=0.9e-3)
        simulation.step(10)
        simulation.reset()
        self.assertEqual((simulation.steps, simulation.time), (0, 0.0))
        self.assertTrue(np.isnan(simulation.walls["floor"].force).all())
        simulation.step(40)
        self.assert_equal(numbers(simulation), expected)
        simulation.step(3)
        simulation.restore(state)  # a state from before the reset
        self.assert_equal(numbers(simulation), expected)

    def test_reset_accepts_particles(self):
        simulation = machine_without_bed()
        simulation.step(30)
        expected = numbers(simulation)
        with self.assertRaisesRegex(scree.UsageError, "reset: the simulation began with given particles; expected particles="):
            simulation.reset()
        with self.assertRaisesRegex(scree.UsageError, "radius"):
            simulation.reset(particles={"position": [[0.01, 0.01, 0.01]], "radius": -1.0})
        self.assert_equal(numbers(simulation), expected)  # nothing has changed
        simulation.reset(particles=ALONE)
        simulation.step(30)
        self.assert_equal(numbers(simulation), expected)


ON_RANKS = """
import sys
import numpy as np
from machines_test import machine
simulation = machine()
simulation.joints["guide"].set(position=-7e-3)
simulation.step(80)
state = simulation.save()
for is_repeated in (False, True):
    for k in range(10):
        simulation.joints["shoulder"].set(speed=3.0 - 0.2 * k)
        simulation.insert(**({"position": [[6e-3, 6e-3, 22.5e-3]], "radius": 0.9e-3} if simulation.rank == 0 and k == 3 else {}))
        simulation.step(5)
    values = [float(x).hex() for j in simulation.joints.values() for x in (j.position, j.speed, j.load, j._value("effort"))]
    values += [float(x).hex() for link in simulation.links.values() for x in link.wrench]
    if simulation.rank == 0:
        print(*values)
    simulation.write(f"{sys.argv[1]}_{is_repeated:d}.h5")
    if not is_repeated:
        simulation.step(11)
        simulation.restore(state)
errors = []
for call in (
    lambda: simulation.joints["guide"].set(speed=0.1 * simulation.rank),
    lambda: simulation.joints["guide"].set(speed=1.0 if simulation.rank else None),
    lambda: simulation.restore(state if simulation.rank else other),
):
    other = simulation.save()
    try:
        call()
    except Exception as error:
        errors.append(type(error).__name__)
if simulation.ranks > 1:
    assert errors == ["UsageError"] * 3, errors
"""


class Ranks(Test):
    def test_grader_holds_its_pull_on_any_number_of_ranks(self):
        """Runs the program of the documentation."""
        printed = set()
        for ranks in (1, 2):
            process = subprocess.run([os.environ["SCREE_MPIEXEC"], "-n", str(ranks), sys.executable, "-c", GRADER],
                                     capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(SCRIPTS)})  # fmt: skip
            self.assertEqual(process.returncode, 0, process.stderr)
            printed |= set(process.stdout.splitlines())
        (line,) = printed
        pull, depth = map(float, re.match(r"([\d.]+) mN, blade at ([-\d.]+) mm", line).groups())
        self.assertLess(abs(pull - 50), 7)
        self.assertLess(depth, -7.0)  # it began at -5 mm

    def test_states_and_drives_have_the_same_bits_on_any_number_of_ranks(self):
        results = []
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "program.py"
            file.write_text(ON_RANKS)
            for ranks in (1, 2, 4):
                output = pathlib.Path(folder) / str(ranks)
                path = os.pathsep.join([str(SCRIPTS), str(pathlib.Path(__file__).parent)])
                process = subprocess.run([os.environ["SCREE_MPIEXEC"], "-n", str(ranks), sys.executable, file, output],
                                         capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})  # fmt: skip
                self.assertEqual(process.returncode, 0, process.stderr)
                lines = process.stdout.splitlines()
                self.assertEqual(len(lines), 2)
                results += [(line, scree.snapshot.read_snapshot(f"{output}_{k}.h5").by_id()) for k, line in enumerate(lines)]
        (line, frame), *others = results
        self.assertEqual(len(frame), 193)
        for other_line, other_frame in others:
            self.assertEqual(line, other_line)
            for field in ("id", "position", "velocity", "angular_velocity"):
                np.testing.assert_array_equal(frame[field], other_frame[field])


if __name__ == "__main__":
    unittest.main()
