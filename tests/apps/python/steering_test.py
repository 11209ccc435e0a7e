"""Simulations that a Python program steers: walls, contacts, averages, energy, grains that come and go.

Needs SCREE_NATIVE (the folder of the compiled part), SCREE_RUN (scree-run) and SCREE_MPIEXEC in the environment.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import matplotlib.pyplot
import numpy as np
from engine_test import BOX, SCRIPTS, VOID, Test, sorted_by_id, spheres

import scree
import scree.engine
import scree.snapshot

try:
    import pandas
except ImportError:
    pandas = None

matplotlib.use("Agg")
NATIVE = scree.engine._native
LID = {"wall.lid": {"shape": "plane", "point": (0, 0, 0.025), "normal": (0, 0, -1)}}
RADIUS = 0.01  # radius in spheres()
MASS = 2500 * np.pi / 6 * (2 * RADIUS) ** 3
SERVO = textwrap.dedent(scree.engine.__doc__.split("::\n\n", 1)[1].split("\n**", 1)[0])


def among_walls(walls, **options):
    """One grain at the origin among walls."""
    scene = scree.engine.parse({**VOID, **walls})
    return scree.engine.Simulation(scene, particles={"position": [[0, 0, 0]], "radius": RADIUS} | options, energy=True)


def plane(z, facing=1, **options):
    return {"shape": "plane", "point": (0, 0, z), "normal": (0, 0, facing)} | options


class Walls(Test):
    def test_steered_walls_reach_their_targets(self):
        simulation = among_walls({"wall.lid": plane(0.5, -1)})
        lid = simulation.walls["lid"]
        np.testing.assert_array_equal(lid.position, [0, 0, 0.5])
        z = 0.5
        for velocity, steps in ((-0.3, 10), (0.0, 7), (0.2, 40), (-0.1, 1), (-0.1, 1)):
            lid.set(velocity=(0.01, 0, velocity))
            self.assertEqual((lid.velocity[2], simulation.walls["lid"].velocity[0]), (velocity, 0.01))
            simulation.step(steps)
            z += 1e-3 * velocity * steps
        np.testing.assert_allclose(lid.position, [0.01 * 0.059, 0, z], rtol=0, atol=1e-15)
        np.testing.assert_allclose(lid.displacement, lid.position - [0, 0, 0.5], atol=0)

    def test_steered_walls_move_like_walls_driven_by_the_scene(self):
        """The walls are steered from the start or later. New lists may wrap grains across a periodic end, which rounds
        their positions. The two runs may do this at different steps, so they are equal only up to rounding.
        """
        for begin in (0, 60):
            driven_scene = {**BOX, "wall.lid": LID["wall.lid"] | {"velocity": (0, 0, -0.2)} | (
                {"moves_from": begin * 50e-6} if begin else {})}  # fmt: skip
            steered, prescribed = (scree.engine.Simulation(scree.engine.parse(s)) for s in ({**BOX, **LID}, driven_scene))
            steered.step(begin)
            steered.walls["lid"].set(velocity=(0, 0, -0.2))
            prescribed.step(begin)
            for simulation in (steered, prescribed):
                simulation.step(400 - begin)
            self.assertEqual(steered.observe().loaded_contacts, prescribed.observe().loaded_contacts)
            np.testing.assert_allclose(sorted_by_id(steered)[2], sorted_by_id(prescribed)[2], rtol=0, atol=1e-10)
            self.assertGreater(steered.walls["lid"].force[2], 1e-5)
            np.testing.assert_allclose(steered.walls["lid"].force, prescribed.walls["lid"].force, rtol=1e-7)

    def test_fast_walls_touch_grains_outside_the_lists(self):
        """Contact begins in the first step of the fast motion, for a wall at rest and for a slow wall."""
        for creep in (0.0, -1e-9):
            simulation = among_walls({"wall.lid": plane(0.055, -1)})
            lid = simulation.walls["lid"]
            lid.set(velocity=(0, 0, creep))
            simulation.step()
            lid.set(velocity=(0, 0, -50.0))
            simulation.step()
            np.testing.assert_allclose(lid.position[2], 0.005, atol=1e-9)
            self.assertLessEqual(simulation.position[0, 2] + RADIUS, lid.position[2] + 1e-9)
            simulation.step(9)
            np.testing.assert_allclose(simulation.velocity, [[0, 0, -50.0]], rtol=1e-9)

    def test_work_of_walls_is_in_the_energy_balance(self):
        simulation = among_walls({"wall.plate": plane(-RADIUS), "contact": {"restitution": 0.5}})
        plate = simulation.walls["plate"]
        for velocity in (1.0, 2.0, 0.5):
            plate.set(velocity=(0, 0, velocity))
            simulation.step(20)
        energy = simulation.energy
        final = 0.5 * MASS * (simulation.velocity**2).sum()
        self.assertAlmostEqual(energy["kinetic"], final, delta=1e-12 * final)
        self.assertGreater(energy["walls"], final)
        self.assertLess(abs(energy["imbalance"]), 1e-12 * energy["walls"])

    def test_walls_report_the_force_on_them(self):
        walls = {"wall.floor": plane(-RADIUS), "wall.lid": plane(0.5, -1)}
        simulation = among_walls(walls | {"scene": {"gravity": (0, 0, -10)}})
        floor = simulation.walls["floor"]
        self.assertTrue(np.isnan(floor.force).all())
        simulation.step(50)
        np.testing.assert_allclose(floor.force, [0, 0, -10 * MASS], rtol=1e-9)
        np.testing.assert_array_equal(simulation.walls["lid"].force, [0, 0, 0])
        simulation.step(acceleration=(0.0, 0.0, -5.0))
        np.testing.assert_allclose(floor.force, [0, 0, -15 * MASS], rtol=1e-9)
        simulation.step(9)  # the acceleration of the step before has no effect any more
        np.testing.assert_allclose(floor.force, [0, 0, -10 * MASS], rtol=1e-9)

    def test_walls_report_the_torque_on_them(self):
        """The torque is about the moving centre of the wall. A grain rests on a beam 0.3 m from its centre."""
        beam = {"shape": "box", "lower": (-0.5, -0.1, -0.9), "upper": (0.5, 0.1, -RADIUS), "centre": (-0.3, 0.05, -0.5)}
        scene = {"wall.beam": beam, "scene": {"gravity": (0, 0, -10)}, "contact": {"friction": 0}}
        simulation = among_walls(scene)
        wall = simulation.walls["beam"]
        self.assertTrue(np.isnan(wall.torque).all())
        simulation.step(50)
        expected = np.cross([0.3, -0.05, 0.5 - RADIUS], [0, 0, -10 * MASS])
        np.testing.assert_allclose(wall.torque, expected, rtol=1e-9)
        wall.set(velocity=(1.0, 0, 0))
        simulation.step(100)
        wall.set(velocity=(0.0, 0, 0))
        simulation.step()
        expected[1] += 0.1 * -10 * MASS  # the arm is shorter by 0.1 m
        np.testing.assert_allclose(wall.torque, expected, rtol=1e-9)

    def test_walls_rotate_about_one_axis(self):
        simulation = among_walls({"wall.beam": {"shape": "box", "lower": (-0.5, -0.1, -0.9), "upper": (0.5, 0.1, -0.8),
                                                "centre": (0, 0, -0.85)}})  # fmt: skip
        beam = simulation.walls["beam"]
        beam.set(angular_velocity=(0, 0, 3.0))
        simulation.step(100)
        beam.set(angular_velocity=(0, 0, -1.0), velocity=(0, 0, 0.1))
        simulation.step(50)
        beam.set(angular_velocity=(0, 0, 0))
        simulation.step(5)
        with tempfile.TemporaryDirectory() as folder:
            simulation.write(pathlib.Path(folder) / "frame.h5")
            frame = scree.snapshot.read_snapshot(pathlib.Path(folder) / "frame.h5")
        c, s = np.cos(0.25), np.sin(0.25)
        np.testing.assert_allclose(frame.walls[0].turn, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-13)
        np.testing.assert_allclose(beam.position, [0, 0, -0.85 + 0.1 * 0.055], atol=1e-15)
        with self.assertRaisesRegex(scree.UsageError, "has rotated about another axis so far"):
            beam.set(angular_velocity=(1.0, 0, 0))
        # The written scene contains the wall at its position, and its motion.
        reloaded = scree.engine.Simulation(
            scree.engine.parse(frame.configuration), particles={"position": [[0, 0, 0]], "radius": RADIUS})  # fmt: skip
        for _ in range(2):
            reloaded.step(simulation.steps - reloaded.steps)
            np.testing.assert_allclose(reloaded.walls["beam"].position, beam.position, atol=1e-15)
            simulation.step(10)

    def test_walls_that_cannot_be_steered_are_refused_with_the_reason(self):
        simulation = among_walls({
            "wall.lid": plane(0.5, -1),
            "wall.press": plane(0.9, -1, free="along", axis=(0, 0, -1), mass=1.0),
            "wall.sieve": plane(-0.9, amplitude=(0, 0, 0.01), frequency=5.0),
            "wall.ram": plane(-0.8, motion="time_s 0 1, z_m 0 0.1"),
            "wall.gate": plane(-0.95),
            "motion.opening": {"wall": "gate", "from": 0.1, "velocity": (1, 0, 0)},
        })  # fmt: skip
        position_before = simulation.walls["lid"].position
        for name, motion, words in (
            ("press", {"velocity": (0, 0, 1)}, "cannot be steered: forces move it"),
            ("sieve", {"velocity": (0, 0, 1)}, "it oscillates"),
            ("ram", {"velocity": (0, 0, 1)}, "a table of motion moves it"),
            ("gate", {"velocity": (0, 0, 1)}, r"a \[motion\] moves it"),
            ("lid", {"velocity": (0, np.nan, 1)}, r"wall.lid.*velocity.*nan.*expected finite"),
            ("lid", {"angular_velocity": (np.inf, 0, 0)}, "expected finite"),
            ("lid", {"velocity": (0, 0, 1e5)}, "would move 100 m .*in a step; expected at most 2 m"),
            ("lid", {"angular_velocity": (0, 0, 1e4)}, "rotate 10 rad in a step"),
            ("lid", {"velocity": 1.0}, r"velocity of the wall 'lid' has the shape \(\); expected \(3,\)"),
            ("lid", {"velocity": [[0, 0, 1]]}, r"shape \(1, 3\)"),
            ("lid", {"velocity": np.array([0, 0, 1j])}, "velocity of the wall 'lid' = array.*; expected three numbers"),
            ("lid", {"velocity": "down"}, "velocity of the wall 'lid' = 'down'; expected three numbers"),
        ):
            with self.subTest(name, **motion), self.assertRaisesRegex(scree.UsageError, words):
                simulation.walls[name].set(**motion)
        simulation.step(2)
        np.testing.assert_array_equal(simulation.walls["lid"].position, position_before)
        with self.assertRaisesRegex(KeyError, r"there is no wall 'lidd' \(did you mean 'lid'\?\); there is lid, press"):
            simulation.walls["lidd"]
        self.assertTrue("lid" in simulation.walls and "lit" not in simulation.walls)
        self.assertIsNone(simulation.walls.get("lit"))

    def test_edit_must_end_before_other_calls(self):
        simulation = among_walls({"wall.lid": plane(0.5, -1)})
        with simulation.edit():
            for call in (lambda: simulation.walls["lid"].set(velocity=(0, 0, 1)), lambda: simulation.walls["lid"].force,
                         lambda: simulation.contacts, simulation.insert):  # fmt: skip
                self.assertRaisesRegex(scree.UsageError, "end the edit with valid particles first", call)


class Contacts(Test):
    def test_contacts_change_velocities_by_their_forces(self):
        simulation = scree.engine.Simulation(scree.engine.parse({**BOX, **LID, "contact": {"friction": 0.4}}))
        self.assertEqual(len(simulation.contacts), 0)
        simulation.step(700)
        velocities_before = sorted_by_id(simulation)[2]
        simulation.step()
        contacts = simulation.contacts
        self.assertGreater(len(contacts), 1331)
        self.assertEqual(set(contacts.wall), {-1, 0})
        np.testing.assert_array_equal(contacts.wall < 0, contacts.id[:, 1] >= 0)
        total = np.zeros((1331, 3))
        np.add.at(total, contacts.id[:, 0], contacts.force)
        pairs = contacts.wall < 0
        np.subtract.at(total, contacts.id[pairs, 1], contacts.force[pairs])
        mass = simulation.mass[0]
        change = mass * ((sorted_by_id(simulation)[2] - velocities_before) / 50e-6 - [0, 0, -9.81])
        np.testing.assert_allclose(total, change, atol=1e-9 * abs(total).max())
        np.testing.assert_allclose(simulation.walls["floor"].force, -contacts.force[~pairs].sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(contacts.force, contacts.impulse / 50e-6)

    def test_contacts_are_those_of_the_step_also_after_steering(self):
        """Contacts are detected when they are read. At the second reading, the lid already has another velocity."""
        results = []
        for is_read_late in (False, True):
            simulation = scree.engine.Simulation(scree.engine.parse({**BOX, **LID}))
            lid = simulation.walls["lid"]
            for velocity, steps in ((-0.5, 320), (-0.0625, 600)):
                lid.set(velocity=(0, 0, velocity))
                simulation.step(steps)
            if is_read_late:
                lid.set(velocity=(0, 0, 3.0))
                simulation.remove(simulation.id == 7)
            contacts, touching = simulation.contacts, simulation.observe().touching_contacts
            results.append((contacts, touching))
            self.assertEqual(int((contacts.gap <= 0.01 * 0.9e-3).sum()), touching)
            self.assertGreater(int((~contacts.impulse.any(axis=1)).sum()), 0)
            self.assertIn(1, contacts.wall)
        (early, _), (late, _) = results
        np.testing.assert_array_equal(early.gap, late.gap)
        np.testing.assert_array_equal(early.id, late.id)

    def test_contact_points_are_where_bodies_touch(self):
        simulation = among_walls({"wall.floor": plane(-1.5 * RADIUS)}, velocity=(0, 0, -10.0))
        simulation.step()
        (contact,) = [simulation.contacts]
        np.testing.assert_array_equal(contact.normal, [[0, 0, 1]])
        np.testing.assert_allclose(contact.gap, 0.5 * RADIUS)
        np.testing.assert_allclose(contact.position, [[0, 0, -1.25 * RADIUS]], atol=1e-15)
        np.testing.assert_allclose(contact.impulse, [[0, 0, 10 * MASS - MASS * 0.5 * RADIUS / 1e-3]])
        self.assertEqual(repr(contact), "StepContacts(1, 1 of them with walls)")
        with simulation.edit() as grains:  # the contacts remain those of the last step
            grains.position[:, 2] += 0.5
        np.testing.assert_allclose(simulation.contacts.position, contact.position)


class Problems(Test):
    def test_problem_is_the_one_that_the_step_solved(self):
        simulation = scree.engine.Simulation(scree.engine.parse({**BOX, **LID, "contact": {"friction": 0.4}}))
        self.assertRaisesRegex(scree.UsageError, "do a step first", simulation.problem)
        simulation.step(700)
        velocity = sorted_by_id(simulation)[2]
        problem = simulation.problem()
        contacts = simulation.contacts
        solved = {*zip(*problem.id.T, problem.wall, strict=True)}
        is_solved = np.array([pair in solved for pair in zip(*contacts.id.T, contacts.wall, strict=True)])
        self.assertEqual(repr(problem), f"Problem({is_solved.sum()} contacts of {len(problem.body)} particles)")
        self.assertFalse(contacts.impulse[~is_solved].any())  # they touch without being active
        self.assertGreater(len(problem.body), 1000)  # particles with contacts
        np.testing.assert_allclose(problem.velocity.reshape(-1, 6)[:, :3], velocity[problem.body], atol=1e-15)
        np.testing.assert_allclose(problem.M.diagonal()[::6], simulation.mass[0], rtol=1e-12)
        # Contacts and problem have the same normal impulses, and velocities follow from the impulses (M v = H r + f).
        order = np.lexsort((contacts.wall, contacts.id[:, 1], contacts.id[:, 0]))
        normal = np.einsum("ij,ij->i", contacts.normal, contacts.impulse)[order][is_solved[order]]
        order_of_pairs = np.lexsort((problem.wall, problem.id[:, 1], problem.id[:, 0]))
        np.testing.assert_allclose(problem.impulse[::3][order_of_pairs], normal, atol=1e-15 * abs(normal).max())
        np.testing.assert_allclose(problem.M @ problem.velocity, problem.H @ problem.impulse + problem.f, atol=1e-18)
        self.assertLess(np.linalg.norm(problem.guess - problem.impulse), np.linalg.norm(problem.impulse))
        # The residual is an upper bound of the approach velocities that the sweeps leave.
        self.assertGreater(problem.relative_velocity[::3].min(), -(1 + 1e-9) * simulation.report().residual_max)

    def test_problem_is_written(self):
        simulation = among_walls({"wall.floor": plane(-1.0 * RADIUS)}, velocity=(0, 0, -10.0))
        simulation.step()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "problem.h5"
            problem = simulation.problem(path)
            import h5py

            with h5py.File(path) as file:
                np.testing.assert_array_equal(file["solution/r"], problem.impulse)
                np.testing.assert_array_equal(file["fclib_global/vectors/f"], problem.f)
            self.assertRaises(scree.OutputError, simulation.problem, pathlib.Path(folder) / "none" / "problem.h5")

    def test_problem_with_rolling_friction_is_refused(self):
        scene = scree.engine.parse({**VOID, "contact": {"rolling_friction": 0.1}})
        simulation = scree.engine.Simulation(scene, particles={"position": [[0, 0, 0]], "radius": RADIUS})
        simulation.step()
        self.assertRaisesRegex(scree.UsageError, "rolling or spinning friction", simulation.problem)


class Population(Test):
    def test_new_grain_may_be_fast_after_a_long_rest(self):
        """The long step that was planned at rest would move the new grain too far."""
        scene = scree.engine.parse({name: keys for name, keys in VOID.items() if name != "time"} | {"time": {"end": "1 s"}})
        simulation = scree.engine.Simulation(scene, particles={"position": [[0, 0, 0]], "radius": RADIUS})
        simulation.step(300)
        time_at_rest = simulation.time
        simulation.insert(position=[[0.5, 0, 0]], radius=RADIUS, velocity=(0, 0, -50.0))
        simulation.step()
        self.assertLess(50.0 * (simulation.time - time_at_rest), 2 * RADIUS)
        distance = simulation.position[simulation.id == 1][0, 2]
        self.assertAlmostEqual(distance, -50.0 * (simulation.time - time_at_rest))

    def test_grains_can_be_inserted_and_removed(self):
        simulation = among_walls({"wall.floor": plane(-0.5)}, velocity=(1.0, 0, 0))
        simulation.step(5)
        two_grains = {"position": [[0.5, 0, 0], [0.5, 0.1, 0]], "radius": RADIUS}
        ids = simulation.insert(**two_grains, velocity=(0, 0, -2.0), material="steel")
        np.testing.assert_array_equal(ids, [1, 2])
        self.assertEqual(simulation.insert().size, 0)
        simulation.step(100)
        ids, positions, _ = sorted_by_id(simulation)
        np.testing.assert_array_equal(ids, [0, 1, 2])
        np.testing.assert_allclose(positions, [[0.105, 0, 0], [0.5, 0, -0.2], [0.5, 0.1, -0.2]], atol=1e-14)
        self.assertEqual(simulation.remove(np.isin(simulation.id, [0, 2])), 2)
        self.assertEqual(simulation.remove(simulation.id == 0), 0)  # already removed
        simulation.step()
        observed = simulation.observe()
        self.assertEqual((observed.particles, observed.inserted, observed.deleted), (1, 2, 2))
        np.testing.assert_array_equal(simulation.id, [1])
        energy = simulation.energy
        heavy = MASS * 7800 / 2500
        np.testing.assert_allclose([energy["entered"], energy["left"]], [4 * heavy, 0.5 * MASS + 2 * heavy], rtol=1e-12)
        np.testing.assert_array_equal(simulation.insert(position=[[0, 0, 0]], radius=RADIUS), [3])

    def test_grains_in_addition_to_feeds_have_separate_ids(self):
        rain = {"kind": "rain", "lower": (-0.5, -0.5, 0.5), "upper": (0.5, 0.5, 0.9), "number_rate": 4e3,
                "radius": RADIUS, "velocity": (0, 0, -5.0), "shower_every": "10 ms"}  # fmt: skip
        simulation = among_walls({"wall.floor": plane(-0.9), "inflow": rain})
        for k in range(3):
            self.assertEqual(simulation.insert(position=[[0.1 * k, 0.9, -0.5]], radius=RADIUS)[0], 2**52 + k)
            simulation.step(20)
        self.assertGreater(simulation.observe().particles, 30)
        self.assertEqual(len(set(simulation.id)), simulation.observe().particles)

    def test_impossible_grains_are_refused_without_a_change(self):
        simulation = among_walls({"wall.floor": plane(-0.5), "domain": VOID["domain"] | {"periodic": "x"}})
        with simulation.edit() as grains:
            grains.position[:] = [[-0.995, 0, 0]]
        for arrays, words in (
            ({"position": [[0, 2, 0]]}, r"cannot insert particle 1 at \(0 2 0\) m; expected a position in the domain"),
            ({"position": [[1.1, 0, 0]]}, "expected a position in the domain"),
            ({"position": [[0, np.nan, 0]]}, "cannot insert particle .* at .*nan"),
            ({"position": [[0, 0, -0.491]]}, "cannot insert particle .* at .*: it overlaps a wall"),
            ({"position": [[0, 0, -0.8]]}, "overlaps a wall"),
            ({"position": [[0.996, 0, 0]]}, "overlaps a particle"),  # an image across the periodic end
            ({"position": [[0, 0, 0], [0, 0, 0.019]]}, "cannot insert particle 2 .*overlaps another inserted"),
            ({"radius": 0.02}, "cannot have the radius 0.02 m; expected 0.01 to 0.01 m"),
            ({"radius": [0.01, 0.01]}, r"radius has the shape \(2,\)"),
            ({"velocity": (np.inf, 0, 0)}, "velocity .inf +0 +0. m/s.*expected values"),
            ({"velocity": (1e5, 0, 0)}, "expected values that move its centre and surface by less than"),
            ({"material": "wood"}, "wood.*expected glass, steel"),
            ({"material": 2}, "material 2; expected 0 to 1"),
            ({"material": 1.5}, "material = 1.5; expected whole numbers"),
            ({"shape": 1}, "cannot have the shape 1; expected 0 to 0"),
            ({"shape": -1}, "cannot have the shape -1; expected 0 to 0"),
            ({"shape": 2**31 - 1}, "cannot have the shape 2147483647; expected 0 to 0"),
            ({"shape": 2**31}, "shape = 2147483648; expected whole numbers"),
            ({"orientation": 0.0}, "can be normalised"),
            ({"id": [7]}, "ids are given by the engine"),
            ({"colour": 1}, "colour is not known"),
        ):
            with self.subTest(arrays), self.assertRaisesRegex(scree.UsageError, words):
                simulation.insert(**{"position": [[0, 0, 0]], "radius": RADIUS} | arrays)
        for rows in ([0], [True, False], True, np.zeros((1, 1), bool)):
            with self.assertRaisesRegex(scree.UsageError, r"expected bool of \(1,\)"):
                simulation.remove(rows)
        simulation.step(3)
        self.assertEqual((simulation.observe().particles, simulation.observe().inserted), (1, 0))
        empty = scree.engine.Simulation(scree.engine.parse(VOID), particles={"position": np.empty((0, 3)), "radius": RADIUS})
        with self.assertRaisesRegex(scree.UsageError, "radius 0.01 m, because the run began without particles.*; expected particles of"):
            empty.insert(position=[[0, 0, 0]], radius=RADIUS)
        # Grains that touch can be inserted.
        self.assertEqual(len(simulation.insert(position=[[0, 0, -0.49], [0, 0, -0.47]], radius=RADIUS)), 2)


# A periodic cell that shrinks along z.
CELL = {
    "domain": {"lower": "0 0 0 mm", "upper": "12 12 12 mm", "periodic": "x y z"},
    "cell": {"rate_x": "0 /s", "rate_y": "0 /s", "rate_z": "-20 /s"},
    "scene": {"gravity": (0, 0, 0)},
    "time": {"step": "100 us", "end": "10 ms"},
    "material.glass": {"density": 2500.0},
    "solver": {"scheme": "jacobi"},
}


class Cells(Test):
    def assert_domain_is(self, simulation, height):
        """Checks that snapshots, cells() and insert() use a domain of about this height."""
        with tempfile.TemporaryDirectory() as folder:
            simulation.write(pathlib.Path(folder) / "cell.h5")
            frame = scree.snapshot.read_snapshot(pathlib.Path(folder) / "cell.h5")
        lower, upper = frame.lower[2], frame.upper[2]
        self.assertAlmostEqual((upper - lower) / height, 1.0, delta=0.01)
        z = lower + np.mod(simulation.position[simulation.id >= 0, 2] - lower, upper - lower)
        counts = simulation.cells((1, 1, 4), np.ones(len(simulation.id)))[0, 0]
        np.testing.assert_array_equal(counts, np.histogram(z, 4, (lower, upper))[0])
        below, above, outside = ([6e-3, 6e-3, height] for height in (lower + 1e-4, upper - 1e-4, upper + 1e-4))
        for positions, words in (([outside], "expected a position in the domain"), ([below, above], "overlaps another inserted")):
            with self.assertRaisesRegex(scree.UsageError, words):
                simulation.insert(position=positions, radius=0.5e-3)
        new_id = simulation.insert(position=[below], radius=0.5e-3)
        with self.assertRaisesRegex(scree.UsageError, "overlaps a particle"):
            simulation.insert(position=[above], radius=0.5e-3)
        self.assertEqual(simulation.remove(simulation.id == new_id), 1)

    def test_domain_is_the_present_cell(self):
        heights = np.array([1e-3, 4e-3, 7e-3, 10e-3])
        position = np.stack((np.full(4, 2e-3), np.full(4, 2e-3), heights), axis=1)
        simulation = scree.engine.Simulation(scree.engine.parse(CELL), particles={"position": position, "radius": 0.5e-3})
        start = simulation.save()
        self.assert_domain_is(simulation, 12e-3)
        simulation.step(300)
        self.assert_domain_is(simulation, 12e-3 * np.exp(-0.6))
        shrunken = simulation.save()
        simulation.restore(start)
        self.assert_domain_is(simulation, 12e-3)
        simulation.restore(shrunken)
        self.assert_domain_is(simulation, 12e-3 * np.exp(-0.6))
        simulation.reset(particles={"position": position, "radius": 0.5e-3})
        self.assert_domain_is(simulation, 12e-3)

    def test_snapshot_continues_with_velocities_and_image_offset(self):
        cell = {**CELL, "cell": {**CELL["cell"], "shear_rate": "30 /s"}}
        grains = {"position": [[2e-3, 2e-3, 1e-3], [5e-3, 2e-3, 8e-3]], "radius": 0.5e-3}
        first = scree.engine.Simulation(scree.engine.parse(cell), particles=grains)
        first.step(100)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cell.h5"
            first.write(path)
            frame = scree.snapshot.read_snapshot(path)
            box = {"lower": tuple(frame.lower), "upper": tuple(frame.upper), "periodic": "x y z"}
            continued = scree.engine.Simulation(scree.engine.parse({**cell, "domain": box, "initial": {"file": str(path)}}))
            frames = []
            for simulation in (first, continued):
                simulation.step(50)
                simulation.write(path)
                frames.append(scree.snapshot.read_snapshot(path).by_id())
        expected, actual = frames
        self.assertAlmostEqual(actual.image_offset / expected.image_offset, 1.0)
        for field in ("position", "velocity"):
            np.testing.assert_allclose(actual[field], expected[field], rtol=1e-9, atol=1e-12)


class Shear(Test):
    """After 25 ms the next image up is 3 mm farther along x."""

    STEPS = 250

    def simulation(self, position, velocity):
        domain = CELL["domain"] | {"shear_rate": "10 /s", "shear_flow": "x", "shear_gradient": "z"}
        scene = {name: keys for name, keys in CELL.items() if name != "cell"} | {"domain": domain}
        particles = {"position": [position], "velocity": velocity, "radius": 0.5e-3}
        return scree.engine.Simulation(scree.engine.parse(scene), particles=particles)

    def test_inserted_grains_do_not_overlap_moved_images(self):
        simulation = self.simulation([9e-3, 6e-3, 11.3e-3], (0, 0, 0))
        simulation.step(self.STEPS)
        for positions, words in (
            ([[6e-3, 6e-3, 0.1e-3]], "overlaps a particle"),
            ([[3e-3, 6e-3, 11.3e-3], [0.1e-3, 6e-3, 0.1e-3]], "overlaps another inserted"),
        ):
            with self.assertRaisesRegex(scree.UsageError, words):
                simulation.insert(position=positions, radius=0.5e-3)
        simulation.insert(position=[[9e-3, 6e-3, 0.1e-3], [3e-3, 6e-3, 0.1e-3]], radius=0.5e-3)
        simulation.step()
        self.assertEqual(simulation.observe().max_penetration, 0.0)

    def test_cells_contain_the_images_of_grains_that_have_left(self):
        length, flow = 12e-3, 10.0 * 12e-3  # flow: velocity of the next image up [m/s]
        simulation = self.simulation([2.5e-3, 6e-3, 7e-3], (0, 0, 0.2))
        simulation.step(self.STEPS)
        outside = 0
        for _ in range(40):
            simulation.step()
            x, _, z = simulation.position[0]
            if z >= length:
                outside += 1
                x, z = x - flow * simulation.time, z - length
            cell = int(x % length / 1e-3), int(z / 1e-3)
            counts = simulation.cells((12, 1, 12), [1.0])[:, 0]
            self.assertEqual((counts[cell], counts.sum()), (1.0, 1.0))
        self.assertGreater(outside, 2)


class Averaging(Test):
    def assert_averages_are_those_of_scree_run(self, scene, simulation):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scene.ini"
            path.write_text(scree.configuration.text(scene))
            run = scree.run(path, pathlib.Path(folder) / "out")
            for name, table in simulation.averages.items():
                pandas.testing.assert_frame_equal(table, run.averages[name])
                self.assertEqual(table.attrs["units"], run.averages[name].attrs["units"])

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_averages_equal_those_of_scree_run(self):
        scene = {**BOX, "average.bed": {"cells": "1x1x4", "every": "500 us"},
                 "average.gate": {"plane": "0 0 5 mm", "normal": (0, 0, 1)},
                 "time": {"step": "50 us", "end": "10 ms"}}  # fmt: skip
        simulation = scree.engine.Simulation(scree.engine.parse(scene))
        self.assertEqual(list(simulation.averages), ["bed"])
        simulation.step(150)
        for _ in range(50):
            simulation.step(acceleration=0.0)
        self.assert_averages_are_those_of_scree_run(scene, simulation)
        self.assertEqual(list(simulation.averages), ["bed", "gate"])

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_averages_in_a_cell_equal_those_of_scree_run(self):
        fill = {"lower": "0 0 0 mm", "upper": "12 12 12 mm", "spacing": "2 mm", "radius": "0.9 mm", "jitter": "9 9 9 cm/s"}
        scene = {**CELL, "fill": fill, "average.bed": {"cells": "1x1x4", "every": "500 us"}}
        simulation = scree.engine.Simulation(scree.engine.parse(scene))
        simulation.step(100)
        self.assertGreater(simulation.observe().loaded_contacts, 50)
        self.assert_averages_are_those_of_scree_run(scene, simulation)


INSERTION_AND_REMOVAL = """
lid.set(velocity=(0.0, 0.0, 1.0))
simulation.step(30)
new_grain = {"position": [[4e-3, 4e-3, lid.position[2] - 1e-3]], "radius": 0.45e-3}
simulation.insert(**(new_grain if simulation.rank == simulation.ranks - 1 else {}))
simulation.remove(simulation.id % 50 == 7)
simulation.step(10)
simulation.write(sys.argv[1])
assert simulation.ranks == int(sys.argv[2])
"""


class Ranks(Test):
    def test_servo_has_the_same_bits_on_any_number_of_ranks(self):
        """Runs the program of the documentation, then inserts and removes grains."""
        self.assertLessEqual(len(SERVO.strip().splitlines()), 25)
        results = []
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (1, 2):
                output = pathlib.Path(folder) / f"{ranks}.h5"
                file = pathlib.Path(folder) / "servo.py"
                file.write_text("import sys\n" + SERVO + INSERTION_AND_REMOVAL)
                command = [os.environ["SCREE_MPIEXEC"], "-n", str(ranks), sys.executable, file, output, str(ranks)]
                process = subprocess.run(command, capture_output=True, text=True,
                                         env=os.environ | {"PYTHONPATH": str(SCRIPTS)})  # fmt: skip
                self.assertEqual(process.returncode, 0, process.stderr)
                frame = scree.snapshot.read_snapshot(output).by_id()
                results.append((set(process.stdout.splitlines()), frame))
        (printed, frame_of_one), (printed_on_two, frame_of_two) = results
        self.assertEqual(printed, printed_on_two)
        pressure = float(re.search(r"(\d+) Pa", printed.pop())[1])
        self.assertLess(abs(pressure - 2000), 100)
        self.assertEqual(frame_of_one.configuration, frame_of_two.configuration)  # with the displacement of the lid
        for field in ("id", "position", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(frame_of_one[field], frame_of_two[field])
        self.assertEqual(len(frame_of_one), 768 + 1 - len(range(7, 769, 50)))


@unittest.skipUnless(pandas, "pandas is not installed")
class Notebooks(Test):
    def test_notebooks_run_from_the_first_cell_to_the_last(self):
        """Runs the notebooks in order, because they use results of earlier ones. Their cells do not need Jupyter."""
        folder = SCRIPTS / "notebooks"
        self.assertEqual(sorted(file.stem for file in folder.glob("*.ipynb")), ["drawbar", "look", "run", "servo"])
        with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
            printed = {}
            for name in ("run", "look", "servo", "drawbar"):
                cells = json.loads((folder / f"{name}.ipynb").read_text())["cells"]
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    program = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
                    namespace: dict = {}
                    for cell in program:
                        exec(compile(cell, name, "exec"), namespace)
                printed[name] = out.getvalue()
                matplotlib.pyplot.close("all")
        self.assertRegex(printed["run"], r"the floor carries (0\.99|1\.00)\d weights")
        self.assertRegex(printed["look"], r"^[45]\.\d\d contacts of a grain, peak of g\(r\) \d\.\d\n.*has no colour")
        pressure, deviation = map(float, re.findall(r"(\d+) Pa", printed["servo"])[:2])
        self.assertLess(abs(pressure - 2000), 100)
        self.assertLess(deviation, 100)  # a constant force, not the mean of impacts
        # Without control the pull would be -0.9 N at a slip of 0 and 0.8 N at 0.6 (apps/scenes/README.md).
        pull, error, target, slip = map(float, re.findall(r"\d+\.\d+", printed["drawbar"]))
        self.assertLess(abs(pull - target), 0.3)
        self.assertLess(error, 0.2)
        self.assertTrue(0.2 < slip < 0.5, slip)


class Conventions(Test):
    def test_errors_are_also_exceptions_of_python(self):
        simulation = spheres([[0, 0, 0]])
        with tempfile.TemporaryDirectory() as folder:
            frame = pathlib.Path(folder) / "frame.h5"
            simulation.write(frame)
            for call, error, kind in (
                (lambda: scree.engine.parse({}), scree.UsageError, ValueError),
                (lambda: scree.engine.read("none.ini"), scree.FileError, OSError),
                (lambda: scree.open(folder), scree.FileError, OSError),
                (lambda: simulation.write(f"{folder}/none/frame.h5"), scree.OutputError, OSError),
                (lambda: simulation.walls["lid"], scree.UnknownName, KeyError),
                (lambda: scree.snapshot.read_snapshot(frame)["colour"], scree.MissingField, KeyError),
                (lambda: simulation.step(acceleration=1e300), scree.SimulationError, ArithmeticError),
            ):
                with self.assertRaises(kind) as context:
                    call()
                self.assertIsInstance(context.exception, error)
                self.assertNotRegex(str(context.exception), "^['\"].*\\\\n|^\\(")  # a sentence, not the repr of a text

    def test_energy_must_be_requested(self):
        with self.assertRaisesRegex(scree.UsageError, r"expected Simulation\(..., energy=True\)"):
            spheres([[0, 0, 0]]).energy

    def test_all_objects_have_a_text(self):
        simulation = among_walls({"wall.lid": plane(0.5, -1)})
        self.assertEqual(repr(simulation.scene), "Scene(2 x 2 x 2 m, glass, steel, step 0.001 s, end 1 s)")
        self.assertEqual(repr(simulation), "Simulation(t = 0 s, 1 particles, walls lid)")
        self.assertEqual(repr(simulation.walls["lid"]), "Wall('lid', at (0, 0, 0.5) m, velocity (0, 0, 0) m/s)")
        self.assertEqual(repr(simulation.walls), "Walls(lid)")
        html = simulation._repr_html_()
        self.assertRegex(html, '^<figure><img alt="Simulation.* src="data:image/png;base64,')
        self.assertLess(len(html), 50_000)

    def test_declarations_and_module_have_the_same_names(self):
        """The declarations for mypy match the module."""
        declared = ast.parse((SCRIPTS / "scree/_native.pyi").read_text())
        functions = {node.name for node in declared.body if isinstance(node, ast.FunctionDef)}
        classes = [node for node in declared.body if isinstance(node, ast.ClassDef)]
        public = lambda module: {name for name in dir(module) if not name.startswith("_")}
        self.assertEqual(functions | {node.name for node in classes}, public(NATIVE))
        for node in classes:
            methods = {function.name for function in node.body if isinstance(function, ast.FunctionDef)} - {"__init__"}
            self.assertEqual(methods, public(getattr(NATIVE, node.name)), node.name)

    def test_version_is_that_of_the_program(self):
        self.assertEqual(scree.__version__, NATIVE.version())


if __name__ == "__main__":
    unittest.main()
