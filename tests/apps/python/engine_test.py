"""The engine, single contacts and single impacts in Python: scree.engine, scree.solvers, scree.impact.

Needs SCREE_NATIVE (the folder of the compiled part), SCREE_RUN (scree-run) and SCREE_MPIEXEC in the environment.
"""

import contextlib
import copy
import gc
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))

import scree
import scree.bonds
import scree.engine
import scree.impact
import scree.native
import scree.snapshot
import scree.solvers

SCENES = ROOT / "apps" / "scenes"

# 11 x 11 x 11 particles in a box that is periodic along some axes.
BOX = {
    "domain": {"lower": "0 0 0 mm", "upper": "22 22 30 mm", "periodic": "x y"},
    "time": {"step": "50 us", "end": "1 s"},
    "material.glass": {"density": 2500.0},
    "material.steel": {"density": 7800.0},
    "wall.floor": {"shape": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)},
    "fill": {"lower": "0 0 0 mm", "upper": "22 22 22 mm", "spacing": "2 mm", "radius": "0.9 mm", "jitter": "9 9 9 cm/s"},
    "solver": {"scheme": "jacobi"},
}  # fmt: skip
# An empty domain.
VOID = {
    "domain": {"lower": (-1, -1, -1), "upper": (1, 1, 1)},
    "scene": {"gravity": (0, 0, 0)},
    "time": {"step": 1e-3, "end": 1.0},
    "material.glass": {"density": 2500.0},
    "material.steel": {"density": 7800.0},
}


def box(**changes):
    return scree.engine.Simulation(scree.engine.parse(BOX, **changes))


def spheres(position, **options):
    return scree.engine.Simulation(scree.engine.parse(VOID), particles={"position": position, "radius": 0.01} | options)


def sorted_by_id(simulation):
    order = np.argsort(simulation.id)
    return [array[order] for array in (simulation.id, simulation.position, simulation.velocity)]


class Test(unittest.TestCase):
    def assert_same(self, first, second):
        """Checks that both simulations have the same bits, in the order of their ids."""
        for a, b in zip(sorted_by_id(first), sorted_by_id(second), strict=True):
            np.testing.assert_array_equal(a, b)


class Scenes(Test):
    def test_dictionary_of_sections_is_a_scene(self):
        scene = scree.engine.parse(BOX)
        self.assertEqual((scene.time_step, scene.end, scene.periodic), (50e-6, 1.0, (True, True, False)))
        self.assertEqual((scene.materials, scene.shapes), (["glass", "steel"], ["sphere"]))
        np.testing.assert_array_equal(scene.upper, [0.022, 0.022, 0.03])
        np.testing.assert_array_equal(scene.gravity, [0.0, 0.0, -9.81])
        parsed_again = scree.engine.parse(scene.configuration)
        self.assertEqual(parsed_again.configuration, scene.configuration)

    def test_changes_during_the_run_are_refused(self):
        with self.assertRaisesRegex(scree.UsageError, r"changes during a run"):
            scree.engine.parse({**BOX, 'at "1 ms"': {"contact.friction": 0.3}})

    def test_scene_file_is_read_with_changed_values(self):
        scene = scree.engine.read(SCENES / "hopper.ini", time={"step": "20 us"}, **{"scene.gravity": (0, 0, -1.5)})
        self.assertEqual((scene.time_step, scene.gravity[2]), (20e-6, -1.5))

    def test_files_of_a_text_are_relative_to_its_folder(self):
        text = (SCENES / "hopper.ini").read_text()
        self.assertEqual(scree.engine.parse(text, SCENES).materials, ["grain"])
        with self.assertRaisesRegex(scree.FileError, "hopper_funnel.stl"):
            scree.engine.parse(text, "/")

    def test_path_instead_of_a_text_is_refused(self):
        with self.assertRaisesRegex(scree.UsageError, r"the scene is 'box.ini'; expected one of scree.engine.read"):
            scree.engine.Simulation("box.ini")

    def test_all_errors_are_reported_together(self):
        with self.assertRaises(scree.UsageError) as caught:
            scree.engine.parse({**BOX, "fil": {}}, time={"stp": 1})
        self.assertRegex(str(caught.exception), r'time.stp: unknown key "stp" in \[time\] \(did you mean "step"\?\)')
        self.assertRegex(str(caught.exception), r"scene text:\d+: .*\[fil\]")
        with self.assertRaisesRegex(scree.UsageError, "'end' is not a key of a scene; expected SECTION.KEY"):
            scree.engine.parse(BOX, end=1.0)
        with self.assertRaisesRegex(scree.FileError, "none.ini: cannot be opened"):
            scree.engine.read("none.ini")


class Lines(Test):
    def test_line_breaks_in_values_and_names_are_refused(self):
        """A line break would begin another key or section."""
        two_lines = "0.3\n[field.e]\nacceleration = 5 0 0 m/s^2"
        with self.assertRaisesRegex(scree.UsageError, "holds a line break or another"):
            scree.engine.parse(BOX, **{"contact.friction": two_lines})
        for changes in ({"contact": {"friction": two_lines}}, {"contact": {f"friction = {two_lines}\nx": 1}},
                        {f"contact]\n{two_lines}\n[x": {"friction": 1}}, {"contact": {"friction": "0.3\r"}},
                        {"contact": {"friction": "0\0"}}, {"contact": {"friction": ("0.3", "\n[a]")}}):  # fmt: skip
            for parse in (lambda: scree.engine.parse(BOX, **changes), lambda: scree.engine.parse({**BOX, **changes})):
                with self.subTest(changes), self.assertRaisesRegex(scree.UsageError, "holds a line break or another"):
                    parse()

    def test_changed_values_may_name_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "rod.csv").write_text("x_mm;y;z;r_mm\n-1;0;0;1\n1;0;0;1\n")
            scene = scree.engine.parse({**BOX, "shape.rod": {"mass": "1 g"}}, folder, **{"shape.rod.file": "rod.csv"})
        self.assertEqual(scene.shapes, ["sphere", "rod"])


class Compiled(Test):
    def test_objects_come_only_from_functions(self):
        """Python cannot construct these objects, because their memory would be uninitialised."""
        native = scree.engine._native
        for kind in (native.Simulation, native.Scene):
            for construct in (lambda: kind(), lambda: kind.__new__(kind), lambda: object.__new__(kind),
                              lambda: type("Own", (kind,), {})(), lambda: copy.copy(box()._native)):  # fmt: skip
                with self.subTest(kind=kind), self.assertRaises(TypeError):
                    construct()
        for kind in (scree.engine.Simulation, scree.engine.Scene):
            with self.assertRaisesRegex(AttributeError, "_native"):
                repr(kind.__new__(kind))

    def test_wall_numbers_and_row_counts_are_checked(self):
        native = box()._native
        for call in (native.wall, native.wall_load, lambda w: native.move_wall(w, [0.0] * 3, [0.0] * 3)):
            with self.assertRaises((IndexError, scree.UsageError)):
                call(1)
        with self.assertRaisesRegex(scree.UsageError, "remove: 2000 rows; expected 1331"):
            native.remove(np.ones(2000, np.uint8))


class Views(Test):
    def test_views_show_the_memory_of_the_engine(self):
        simulation = box()
        first, second = simulation.position, simulation.position
        self.assertTrue(np.shares_memory(first, second))
        self.assertEqual((first.shape, first.dtype), ((1331, 3), np.float64))
        kinds = [simulation.orientation.shape, simulation.radius.shape, simulation.id.dtype, simulation.shape.dtype]
        self.assertEqual(kinds, [(1331, 4), (1331,), np.int64, np.int32])

    def test_views_cannot_be_written(self):
        velocity = box().velocity
        with self.assertRaisesRegex(ValueError, "read-only"):
            velocity[0] = 1.0
        with self.assertRaises(ValueError):
            velocity.flags.writeable = True

    def test_views_of_earlier_moments_keep_their_values(self):
        simulation = box()
        kept_views = []
        for _ in range(8):
            # Slices and arrays derived from views keep the memory too.
            for view in (simulation.position[3:700:2], simulation.velocity.T[1], simulation.id, simulation.radius):
                kept_views.append((view, view.copy()))
            simulation.step(25)  # particles are sorted again during these steps
        for view, values in kept_views:
            np.testing.assert_array_equal(view, values)
        del simulation
        gc.collect()
        garbage = [np.full((1331, 3), np.nan) for _ in range(50)]
        for view, values in kept_views:
            np.testing.assert_array_equal(view, values)
        del garbage

    def test_stored_views_do_not_change_the_run(self):
        viewed, unread = box(), box()
        for _ in range(40):
            kept_views = [viewed.position, viewed.velocity, viewed.angular_velocity, viewed.id, viewed.material]
            viewed.step(3)
            unread.step(3)
        self.assertEqual(len(kept_views), 5)
        self.assert_same(viewed, unread)

    def test_views_are_refused_in_the_middle_of_a_step(self):
        simulation = box()
        stepping = threading.Thread(target=simulation.step, args=(300,))
        stepping.start()
        refused = 0
        while stepping.is_alive():
            try:
                simulation.position.sum()
            except scree.UsageError as error:
                self.assertIn("another thread is making a step", str(error))
                refused += 1
        stepping.join()
        self.assertGreater(refused, 0)
        self.assertEqual(simulation.steps, 300)


class Edits(Test):
    def test_next_step_starts_from_the_edit(self):
        simulation = spheres([[0.1, 0, 0], [0.5, 0, 0]])
        with simulation.edit() as grains:
            grains.velocity = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
            grains.position[:, 2] += 0.25
            grains.orientation *= 3.0
            grains.material[1] = 1
            self.assertFalse(simulation.velocity.flags.writeable)
        self.assertAlmostEqual(simulation.mass[1] / simulation.mass[0], 7800 / 2500)
        simulation.step(10)
        _, position, velocity = sorted_by_id(simulation)
        np.testing.assert_allclose(position, [[0.11, 0, 0.25], [0.5, 0.02, 0.25]], rtol=0, atol=1e-15)
        np.testing.assert_array_equal(velocity, [[1, 0, 0], [0, 2, 0]])
        np.testing.assert_array_equal(simulation.orientation, [[1, 0, 0, 0]] * 2)

    def test_grain_moved_next_to_another_touches_it(self):
        simulation = spheres([[-0.5, 0, 0], [0.5, 0, 0]], velocity=[[1, 0, 0], [0, 0, 0]])
        simulation.step()
        with simulation.edit() as grains:
            grains.position[simulation.id == 0] = [0.4795, 0.0, 0.0]
        simulation.step(2)
        _, position, velocity = sorted_by_id(simulation)
        np.testing.assert_allclose(velocity[:, 0], 0.5, atol=1e-12)
        self.assertGreater(position[1, 0] - position[0, 0], 0.02 - 1e-9)

    def test_positions_far_beyond_a_periodic_end_are_refused(self):
        """A thousand periods away, positions are wrapped. From 1e6 m away, wrapping would leave no correct digits."""
        simulation = box()
        with simulation.edit() as grains:
            grains.position[:, 0] += 22e-3 * 1000
        simulation.step()
        self.assertLess(simulation.position[:, 0].max(), 0.022)
        for coordinate in (1e6, -1e6, 1e300, -1e300):
            with self.subTest(coordinate):
                with simulation.edit() as grains:
                    position_before = grains.position[0].copy()
                with self.assertRaisesRegex(scree.SimulationError, "(?s)1 particle lost.*periods beyond"):
                    with simulation.edit() as grains:
                        grains.position[0, 1] = coordinate
                with simulation.edit() as grains:
                    grains.position[0] = position_before

    def test_arrays_of_an_ended_edit_change_nothing(self):
        simulation = spheres([[0, 0, 0]])
        with simulation.edit() as grains:
            velocity = grains.velocity
            part = velocity[:, 0]
        with self.assertRaisesRegex(ValueError, "read-only"):
            velocity[0] = 1.0
        with self.assertRaisesRegex(scree.UsageError, "the edit has ended; radius can no longer be changed"):
            grains.radius
        part[:] = 5.0  # the simulation no longer uses this memory
        np.testing.assert_array_equal(simulation.velocity, [[0, 0, 0]])

    def test_edit_within_an_edit_is_refused_and_the_outer_edit_stays_open(self):
        simulation = spheres([[0, 0, 0]])
        with simulation.edit() as grains:
            velocity = grains.velocity
            with self.assertRaisesRegex(scree.UsageError, "edit: an edit is open; expected its end first"), simulation.edit():
                pass
            velocity[:] = 1.0
            with self.assertRaisesRegex(scree.UsageError, "end the edit"):
                simulation.step()
        simulation.step()
        np.testing.assert_array_equal(simulation.velocity, [[1, 1, 1]])

    def test_edits_that_fail_leave_the_simulation_open_for_another(self):
        simulation = spheres([[0, 0, 0]])
        with self.assertRaises(ZeroDivisionError), simulation.edit() as grains:
            grains.velocity[:] = 1.0 / 0
        with self.assertRaisesRegex(scree.UsageError, "end the edit with valid particles first"):
            simulation.step()
        for name, value, error, words in (
            ("radius", 0.02, scree.UsageError, "cannot have the radius 0.02 m; expected 0.01 to 0.01 m"),
            ("material", 2, scree.UsageError, "material 2; expected 0 to 1"),
            ("material", -1, scree.UsageError, "material -1; expected 0 to 1"),
            ("orientation", 0.0, scree.UsageError, "can be normalised"),
            ("position", 3.0, scree.SimulationError, "lost"),
            ("position", np.nan, scree.SimulationError, "lost"),
            ("position", 1e300, scree.SimulationError, "lost"),
            ("velocity", np.inf, scree.SimulationError, "id 0"),
        ):
            with self.subTest(name, value=value):
                with simulation.edit() as grains:
                    values_before = getattr(grains, name).copy()
                with self.assertRaisesRegex(error, words), simulation.edit() as grains:
                    setattr(grains, name, value)
                with self.assertRaisesRegex(scree.UsageError, "end the edit"):
                    simulation.observe()
                with simulation.edit() as grains:
                    setattr(grains, name, values_before)
                simulation.step()


class Steps(Test):
    def test_steps_are_those_of_scree_run(self):
        changes = {"time": {"end": "2 ms", "step": "50 us"}, "output": {"every": "2 ms"}, "solver": {"scheme": "jacobi"}}
        scree.engine.parse(BOX)  # mpirun must not be affected by the MPI of this process
        with tempfile.TemporaryDirectory() as folder:
            run = scree.run(SCENES / "hopper.ini", pathlib.Path(folder) / "out", ranks=2, **changes)
            frame = run.frames[-1]
            simulation = scree.engine.Simulation(scree.engine.read(SCENES / "hopper.ini", **changes))
            simulation.step(40)
            order = np.argsort(frame["id"])
            ids, position, velocity = sorted_by_id(simulation)
            np.testing.assert_array_equal(ids, frame["id"][order])
            np.testing.assert_array_equal(position, frame["position"][order])
            np.testing.assert_array_equal(velocity, frame["velocity"][order])
            energy = run.series["kinetic_energy"].iloc[-1]
            self.assertAlmostEqual(simulation.observe().kinetic_energy / energy, 1.0, delta=1e-14)

    def test_steps_of_a_duration_end_exactly_at_its_end(self):
        automatic = box(time={"step": "auto"})
        automatic.step(400)  # grains touch
        begin, contacts = automatic.steps, 0
        for k in range(5):
            automatic.step(duration=0.004)
            self.assertEqual(automatic.steps, begin + 4_000_000 * (k + 1))
            contacts += len(automatic.contacts)  # of the last step of each call
        self.assertGreater(contacts, 0)
        self.assertGreater(abs(automatic.walls["floor"].force[2]), 0.0)
        by_duration, stepwise = box(), box()
        by_duration.step(duration=0.00305)
        stepwise.step(61)
        self.assert_same(by_duration, stepwise)
        by_duration.step(duration=0.0)
        self.assertEqual(by_duration.steps, 61)

    def test_impossible_durations_are_refused(self):
        simulation = box()
        for duration in (-1.0, np.nan, np.inf, "1 ms", [1.0, 2.0], 1e300):
            with self.assertRaisesRegex(scree.UsageError, "^duration = .*; expected "):
                simulation.step(duration=duration)
        with self.assertRaisesRegex(scree.UsageError, r"^duration = 0.00102 s is 20.4 time steps of 5e-05 s; expected .* 0.001 s"):
            simulation.step(duration=0.00102)
        for arguments in ({"count": 2}, {"drag": 1.0}):
            with self.assertRaisesRegex(scree.UsageError, "duration cannot be combined with count or with forces of one step"):
                simulation.step(duration=0.001, **arguments)
        self.assertEqual(simulation.steps, 0)

    def test_field_changes_the_velocities_of_a_step(self):
        simulation = spheres([[0.1, 0, 0], [0.5, 0, 0]], material=["glass", "steel"])
        x, v = simulation.position.copy(), np.zeros((2, 3))
        for _ in range(100):
            simulation.step(acceleration=-40.0 * simulation.position, force=[0.0, 1e-3, 0.0])
            v += 1e-3 * (-40.0 * x + np.array([0, 1e-3, 0]) / simulation.mass[:, np.newaxis])
            x += 1e-3 * v
        np.testing.assert_allclose(simulation.position, x, rtol=0, atol=1e-14)
        np.testing.assert_allclose(simulation.mass, np.pi / 6 * 0.02**3 * np.array([2500, 7800]), rtol=1e-14)

    def test_drag_acts_on_the_velocity_at_the_end_of_the_step(self):
        simulation = spheres([[-0.1, 0, 0], [0.5, 0, 0]], velocity=[1.0, 0, 0])
        mass, dt, rows = simulation.mass[0], 1e-3, np.arange(2.0)
        simulation.step(force=[0, 0, 2.0], torque=[0, 0, 1e-6], drag=5e3 * mass * rows)
        order = np.argsort(simulation.id)
        v = np.array([[1, 0, dt * 2 / mass], [1 / 6, 0, dt * 2 / mass / 6]])
        np.testing.assert_allclose(simulation.velocity[order], v, rtol=1e-13)
        inertia = 0.4 * mass * 0.01**2
        np.testing.assert_allclose(simulation.angular_velocity[:, 2], dt * 1e-6 / inertia, rtol=1e-13)
        impulse = mass * (v - [1.0, 0, 0])
        np.testing.assert_allclose(simulation.body_impulse[order], impulse, rtol=0, atol=1e-15)
        lower, upper = simulation.scene.lower[0], simulation.scene.upper[0]
        cells = ((simulation.position[:, 0] - lower) / (upper - lower) * 50).astype(int)
        sums = simulation.cells((50, 1, 1), simulation.body_impulse)
        self.assertEqual(sums.shape, (50, 1, 1, 3))
        np.testing.assert_array_equal(sums[cells, 0, 0], simulation.body_impulse)
        np.testing.assert_allclose(sums.sum(axis=(0, 1, 2)), impulse.sum(axis=0), rtol=1e-13)

    def test_sums_in_cells_do_not_depend_on_the_order_of_particles(self):
        simulation = box()
        cell = (simulation.position / [11e-3, 11e-3, 15e-3]).astype(int) @ [4, 2, 1]
        values = np.sin(np.arange(len(cell), dtype=float))
        sums = simulation.cells((2, 2, 2), values).ravel()
        np.testing.assert_array_equal(sums, [math.fsum(values[cell == k]) for k in range(8)])
        np.testing.assert_array_equal(simulation.cells((2, 2, 2), np.empty((len(cell), 0))).shape, (2, 2, 2, 0))
        # Many cells are summed block by block.
        fine = simulation.cells((44, 44, 60), np.stack((values, np.ones(len(cell))), axis=1))
        self.assertEqual((np.count_nonzero(fine[..., 1]), fine[..., 1].sum()), (1331, 1331))
        np.testing.assert_array_equal(np.sort(fine[fine[..., 1] > 0, 0]), np.sort(values))
        values[7] = np.nan
        self.assertEqual(np.isnan(simulation.cells((2, 2, 2), values)).sum(), 1)
        for value in (1e19, -np.inf):
            values[3] = value
            with self.assertRaisesRegex(scree.UsageError, f"cells: a value is {re.escape(str(abs(value)))}; expected less than 9.2e18"):
                simulation.cells((2, 2, 2), values)
        for cells, wrong, words in (
            ((2, 2, 2), np.full(1331, 1j), "cells: values = array.*; expected numbers"),
            ((2, 2, 2), ["a"] * 1331, "cells: values = .*; expected numbers"),
            ((2.0, 2, 2), values, r"cells = \(2.0, 2, 2\); expected three whole numbers"),
            ((2, 2), values, r"cells = \(2, 2\); expected three whole numbers"),
        ):
            with self.assertRaisesRegex(scree.UsageError, words):
                simulation.cells(cells, wrong)

    def test_grids_of_csv_and_hdf5_files_are_interpolated_linearly(self):
        axes = ([-1, 0.25, 1], [-1, 1], [-1, 0, 0.5, 1])
        points = np.random.default_rng(1).permutation(np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3))
        slopes, constant = np.array([[1, 2, 0], [0, -1, 3], [0.5, 0, 0]]), [1, 0, -2]
        coordinate = np.random.default_rng(2).uniform(-0.9, 0.9, (20, 3))
        expected = coordinate @ slopes.T + constant
        fluid = {"density": 1000.0, "viscosity": 100.0, "drag": "stokes"}
        with tempfile.TemporaryDirectory() as folder:
            rows = np.hstack([1e3 * points, points @ slopes.T + constant])
            for name, unit, times in (("a", "m/s^2", 1), ("f", "kN/m^3", 2.5), ("v", "m/s", 1)):
                head = "x_mm,y_mm,z_mm," + ",".join(f"{name}{axis}_{unit}" for axis in "xyz")
                table = rows * [1, 1, 1, times, times, times]
                np.savetxt(f"{folder}/{name}.csv", table, "%.17g", ",", header=head, comments="")
            with h5py.File(f"{folder}/v.h5", "w") as file:
                file.update(zip("xyz", points.T))
                file["velocity"] = rows[:, 3:]
            for sections in (
                {"field.swirl": {"grid": "a.csv"}}, {"field.swirl": {"grid": "f.csv"}},
                {"fluid": fluid | {"grid": "v.csv"}}, {"fluid": fluid | {"grid": "v.h5"}},
            ):  # fmt: skip
                scene = scree.engine.parse(VOID | sections, folder)
                simulation = scree.engine.Simulation(scene, particles={"position": coordinate, "radius": 1e-3})
                simulation.step()
                ratio, order = 1e-3, np.argsort(simulation.id)
                if "fluid" in sections:
                    drag_ratio = 1e-3 * 3 * np.pi * 100 * 2e-3 / simulation.mass[0]
                    ratio = drag_ratio / (1 + drag_ratio)
                    curl = [slopes[2, 1] - slopes[1, 2], slopes[0, 2] - slopes[2, 0], slopes[1, 0] - slopes[0, 1]]
                    rotation_rate = 1e-3 * np.pi * 100 * 2e-3**3 / (simulation.mass[0] * 2e-3**2 / 10)
                    omega = rotation_rate / (1 + rotation_rate) * 0.5 * np.tile(curl, (20, 1))
                    np.testing.assert_allclose(simulation.angular_velocity, omega, rtol=1e-12)
                np.testing.assert_allclose(simulation.velocity[order], ratio * expected, rtol=0, atol=1e-14)
            with h5py.File(f"{folder}/v.h5", "r+") as file:
                file["velocity"][5, 1] = np.nan
            with self.assertRaisesRegex(scree.FileError, "has nan in row 5 of vy_m/s"):
                scree.engine.parse(VOID | {"fluid": fluid | {"grid": "v.h5"}}, folder)

    def test_fluid_acts_on_all_shapes_as_on_the_sphere_of_their_volume(self):
        scene = scree.engine.parse(VOID, **{
            "scene.gravity": "0 0 -9.81", "domain.periodic": "x y z",
            "fluid": {"density": 1000.0, "viscosity": 0.5, "drag": "stokes"},
            "shape.cube": {"solid": "box", "size": "8 mm"}, "shape.rod": {"spheres": "0 0 -3 4 mm, 0 0 3 4 mm"},
        })  # fmt: skip
        bodies = {"position": [[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0]], "radius": 0.004, "shape": [0, 1, 2]}
        simulation = scree.engine.Simulation(scene, particles=bodies | {"angular_velocity": [0, 0, 5.0]})
        d = np.cbrt(6 / np.pi * simulation.mass / 2500)
        simulation.step(3)
        rotation_rate = 1e-3 * np.pi * 0.5 * d**3 / (simulation.mass * d**2 / 10)
        np.testing.assert_allclose(simulation.angular_velocity[:, 2], 5 / (1 + rotation_rate) ** 3, rtol=1e-12)
        simulation.step(997)
        speed = 1500 * np.pi / 6 * d**3 * 9.81 / (3 * np.pi * 0.5 * d)
        np.testing.assert_allclose(-simulation.velocity[:, 2], speed, rtol=1e-12)

    def test_bed_is_carried_at_minimum_fluidisation(self):
        """The fluid carries the bed at Ergun's speed, within 5 %. At lower speeds the bed rests; at higher speeds it
        expands, but the fluid carries no more weight.
        """
        program = [sys.executable, str(ROOT / "apps" / "example" / "fluidised_bed.py")]
        path = os.pathsep.join([str(SCRIPTS), os.environ.get("PYTHONPATH", "")])
        process = subprocess.run(program, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
        rows = re.findall(r"^([\d.]+) of .* carried ([\d.]+), void fraction ([\d.]+)$", process.stdout, re.MULTILINE)
        speed, carried, void = np.array(rows, dtype=float).T
        self.assertLess(carried[speed == 0.5], 0.55)
        np.testing.assert_allclose(carried[speed >= 1.0], 1.0, atol=0.05)
        self.assertLess(np.ptp(void[speed < 1.0]), 0.002)
        self.assertGreater(void[-1] - void[0], 0.01)

    def test_wrong_fields_are_refused(self):
        simulation = spheres([[0.1, 0, 0], [0.5, 0, 0]])
        for arguments, words in (
            ({"acceleration": np.zeros((3, 3))}, r"acceleration has the shape \(3, 3\); expected \(2, 3\)"),
            ({"force": np.zeros(2)}, r"force has the shape \(2,\)"),
            ({"drag": np.zeros((2, 3))}, r"drag has the shape \(2, 3\)"),
            ({"drag": [1.0, -1.0]}, "the drag on particle 1 is -1 kg/s; expected a finite number, at least 0"),
            ({"drag": np.inf}, "the drag on particle 0 is inf kg/s"),
            ({"acceleration": np.nan}, r"the force on particle 0 is \(nan nan nan\) N; expected finite numbers"),
            ({"force": [(0, 0, 0), (0, np.inf, 0)]}, r"the force on particle 1 is \( +0 inf +0\) N"),
            ({"torque": (0, 0, np.nan)}, r"the torque on particle 0 is \( +0 +0 nan\) N m; expected finite numbers"),
            ({"force": "a"}, "force = 'a'; expected numbers"),
            ({"acceleration": (0, 0, 1j)}, r"acceleration = \(0, 0, 1j\); expected numbers"),
            ({"torque": [None, 0, 0]}, r"torque = \[None, 0, 0\]; expected numbers"),
            ({"drag": np.array([1j, 0])}, "drag = array.*; expected numbers"),
            ({"count": 3, "force": 1.0}, "count = 3: forces apply to a single step"),
            ({"count": -1}, "count = -1 must be"),
        ):
            with self.assertRaisesRegex(scree.UsageError, words):
                simulation.step(**arguments)
        self.assertEqual(simulation.time, 0.0)
        with self.assertRaisesRegex(scree.SimulationError, "running away .*: id 0 at"):
            simulation.step(torque=(0, 0, 1e6))

    def test_observables_and_report_describe_the_last_step(self):
        simulation = box()
        simulation.step(200)
        observed, report = simulation.observe(), simulation.report()
        self.assertEqual((observed.step, observed.particles, observed.time, simulation.time), (200, 1331, 0.01, 0.01))
        self.assertGreater(observed.loaded_contacts, 100)
        energy = (simulation.mass * (simulation.velocity**2).sum(axis=1)).sum() / 2
        self.assertTrue(energy <= observed.kinetic_energy < 1.5 * energy)
        self.assertEqual((report.sweeps, report.converged), (10, None))

    def test_error_of_solves_is_measured_and_changes_no_bit(self):
        unmeasured, measured = box(), box()
        unmeasured.step(200)
        self.assertIsNone(unmeasured.report().solve_error)
        measured.measure_solves()
        measured.step(150)
        self.assertEqual(measured.report().solve_error.step, 150)
        measured.step(50)
        error = measured.report().solve_error
        self.assertEqual((error.step, set(error.loads)), (200, set(measured.walls)))
        self.assertGreater(error.impulses, 1e-4)
        self.assertLess(error.impulses, 1.0)
        self.assertGreaterEqual(error.loads["floor"], 0.0)
        np.testing.assert_array_equal(measured.velocity, unmeasured.velocity)
        measured.measure_solves(False)
        measured.step()
        self.assertIsNone(measured.report().solve_error)

    def test_written_snapshot_can_be_read(self):
        simulation = box()
        simulation.step(20)
        with tempfile.TemporaryDirectory() as folder:
            simulation.write(pathlib.Path(folder) / "frame.h5")
            frame = scree.snapshot.read_snapshot(pathlib.Path(folder) / "frame.h5")
            np.testing.assert_array_equal(np.sort(frame["id"]), np.arange(1331))
            self.assertEqual((frame.step, frame.walls[0].name), (20, "floor"))
            with self.assertRaisesRegex(scree.OutputError, "none"):
                simulation.write(pathlib.Path(folder) / "none/frame.h5")

    def test_written_snapshot_has_the_bonds_and_clusters(self):
        scene = scree.engine.parse(VOID, **{"bond.glue": {"gap": 1e-4, "tension": 1e5, "shear": 1e5}})
        simulation = scree.engine.Simulation(
            scene, particles={"position": [[0, 0, 0], [0.02, 0, 0], [0.1, 0, 0]], "radius": 0.01, "id": [5, 3, 8]})  # fmt: skip
        simulation.step()
        with tempfile.TemporaryDirectory() as folder:
            simulation.write(pathlib.Path(folder) / "frame.h5")
            frame = scree.snapshot.read_snapshot(pathlib.Path(folder) / "frame.h5")
            bonds = scree.bonds.of_snapshot(frame)
        self.assertEqual((len(bonds), bonds.intact.all()), (1, True))
        self.assertEqual(dict(zip(frame["id"], frame["cluster"], strict=True)), {3: 3, 5: 3, 8: 8})
        self.assertEqual(dict(zip(frame["id"], frame["cluster_size"], strict=True)), {3: 2, 5: 2, 8: 1})

    def test_paths_without_a_file_name_are_refused_and_leave_no_files(self):
        simulation = spheres([[0, 0, 0]])
        simulation.step()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for call in (simulation.write, simulation.problem):
                for path in ("", ".", folder, pathlib.Path(folder), "none/"):
                    if call == simulation.problem and path == "":
                        continue  # no file
                    with self.assertRaisesRegex(scree.UsageError, "path = '.*'; expected the name of a file"):
                        call(path)
            self.assertEqual(os.listdir(folder), [])


class Particles(Test):
    def test_particles_get_defaults(self):
        simulation = spheres([[0, 0, 0], [0.1, 0, 0]], id=[7, 3], material="steel", velocity=[1, 0, 0])
        ids, position, velocity = sorted_by_id(simulation)
        np.testing.assert_array_equal(ids, [3, 7])
        np.testing.assert_array_equal(position, [[0.1, 0, 0], [0, 0, 0]])
        np.testing.assert_array_equal(velocity, [[1, 0, 0]] * 2)
        np.testing.assert_array_equal(simulation.material, [1, 1])
        np.testing.assert_array_equal(spheres([[0, 0, 0], [0.1, 0, 0]]).id, [0, 1])

    def test_numbers_may_be_of_any_type_if_they_are_whole(self):
        two_positions = [[0, 0, 0], [0.1, 0, 0]]
        for numbers in ([0, 1], [0.0, 1.0], np.array([0, 1], np.uint64), np.array([0, 1], object), [False, True]):
            simulation = spheres(two_positions, material=numbers, id=numbers)
            np.testing.assert_array_equal(simulation.material, simulation.id)
            self.assertEqual(set(simulation.material), {0, 1})

    def test_impossible_particles_are_refused(self):
        two_positions = [[0, 0, 0], [0.1, 0, 0]]
        for arguments, words in (
            ({"radius": -1.0}, "a radius that is not positive"),
            ({"radius": [0.01, 0.01, 0.01]}, r"particles: radius has the shape \(3,\); expected \(2,\)"),
            ({"velocity": np.nan}, "a velocity that is not finite"),
            ({"orientation": (1, 1, 0, 0)}, "an orientation that is not a unit quaternion"),
            ({"id": [4, 4]}, "id 4 occurs more than once"),
            ({"id": [-4, 4]}, "a negative id"),
            ({"material": 2}, "has material 2; expected 0 to 1"),
            ({"material": "wood"}, "wood.*expected glass, steel"),
            ({"shape": 1}, "has shape 1; expected 0 to 0"),
            ({"material": 0.5}, r"particles: material = 0.5; expected whole numbers below 2\^31"),
            ({"material": 2**32}, "material = 4294967296; expected whole numbers"),
            ({"material": [0, np.nan]}, "material = .*nan.*expected whole numbers"),
            ({"shape": 2**70}, "shape = .*expected whole numbers"),
            ({"shape": None}, "shape = None; expected whole numbers"),
            ({"id": [0.0, 0.5]}, r"id = .*0.5.*; expected whole numbers below 2\^63"),
            ({"velocity": 1j}, "particles: velocity = 1j; expected numbers"),
            ({"radius": "x"}, "particles: radius = 'x'; expected numbers"),
            ({"colour": 1}, "colour is not known; expected some of position"),
        ):
            with self.subTest(arguments):
                with self.assertRaisesRegex(scree.UsageError, words):
                    spheres(two_positions, **arguments)
        for position in ([["a", 0, 0]], [[0, 0, 0], [0.1, 0]]):
            with self.assertRaisesRegex(scree.UsageError, "particles: position = .*; expected numbers"):
                spheres(position)
        with self.assertRaisesRegex(scree.UsageError, "particles: radius is missing"):
            scree.engine.Simulation(scree.engine.parse(VOID), particles={"position": two_positions})
        with self.assertRaisesRegex(scree.SimulationError, "lost"):
            spheres([[2, 0, 0]])
        with self.assertRaisesRegex(scree.UsageError, "the scene has no particles; expected a .* or particles"):
            scree.engine.Simulation(scree.engine.parse(VOID))


RANKS = """
import sys
import numpy as np
sys.path[:0] = [{scripts!r}, {tests!r}]
import scree.engine
from engine_test import BOX
{begin}
scene = scree.engine.parse(BOX, comm=comm)
simulation = scree.engine.Simulation(scene, comm)
assert simulation.ranks == {ranks}, simulation.ranks
held = []
for step in range(120):
    held.append((simulation.position, simulation.position.copy()))
    turned = np.stack((-simulation.velocity[:, 1], simulation.velocity[:, 0], np.sin(simulation.position[:, 2])), axis=1)
    sums = simulation.cells((3, 1, 2), np.column_stack((simulation.mass[:, None] * simulation.velocity, simulation.mass)))
    mean_velocity = sums[..., :3].sum(axis=(0, 1, 2)) / sums[..., 3].sum()
    simulation.step(acceleration=20.0 * turned - 5.0 * mean_velocity)
    if step == 60:
        with simulation.edit() as grains:
            grains.position[:, 0] += 0.011
            grains.velocity[:] *= 0.5
assert all((a == b).all() for a, b in held)
simulation.write({output!r})
"""


# Runs on two ranks. Prints the error of each call and then makes the next call.
TWO_RANKS = """
import os, signal, sys, time
sys.path[:0] = [{scripts!r}, {tests!r}]
import numpy as np
from engine_test import BOX
import scree.engine
scene = scree.engine.parse(BOX)
simulation = scree.engine.Simulation(scene)
is_second = simulation.rank == 1
sys.stdout = open(f"printed by {{simulation.rank}}", "w")  # mpirun mixes the output of ranks

def edit(name, value):
    with simulation.edit() as grains:
        if is_second:
            getattr(grains, name)[0] = value() if callable(value) else value

def interrupt():
    if is_second:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
    simulation.step(10**9)

signal.signal(signal.SIGALRM, signal.default_int_handler)
calls = {calls!r}
for number, call in enumerate(calls):
    try:
        exec(call)
        print(f"{{number}} nothing")
    except BaseException as error:
        print(f"{{number}} {{type(error).__name__}}: {{error}}".replace(chr(10), " | "))
with simulation.edit() as grains:
    grains.velocity = 0.0
simulation.step(3)
{end}
print("end")
"""

# Calls with other arguments on rank 1, and the errors that rank 1 and rank 0 raise.
ERRORS_OF_RANK_1 = {
    "simulation.step(-1 if is_second else 2)": (
        "UsageError: count = -1 must be a whole number from 0", "UsageError: rank 1: UsageError: count = -1 must be"),
    "simulation.step(2**70 if is_second else 2)": (
        "UsageError: count = 1180591620717411303424 must be a whole number from 0 to", "UsageError: rank 1: UsageError: count"),
    "simulation.cells((2**40 if is_second else 2, 1, 1), np.zeros(simulation.position.shape[0]))": (
        "UsageError: cells = 1099511627776, 1, 1: expected at least 1 each", "UsageError: rank 1: UsageError: cells"),
    "simulation.step(2.5 if is_second else 2)": ("UsageError: count = 2.5 must be", "UsageError: rank 1: UsageError: count"),
    "simulation.step(3 if is_second else 2)": (
        "UsageError: ranks make different calls: | rank 0: step.2. | rank 1: step.3. | expected the same on all",) * 2,
    "simulation.observe() if is_second else simulation.step(2)": (
        "UsageError: ranks make different calls: | rank 0: step.2. | rank 1: observe.. |",) * 2,
    "simulation.step(force=np.zeros((2 if is_second else 1, 3)))": (
        "UsageError: force has the shape .2, 3.; expected .*, 3., a row for each", "UsageError: rank 1: UsageError: force"),
    "simulation.step(drag=-1.0 if is_second else 0.0)": ("UsageError: the drag on particle .* is -1 kg/s",) * 2,
    "edit('velocity', 0.0)": ("nothing", "nothing"),
    "edit('velocity', lambda: 1 / 0)": ("ZeroDivisionError: division", "UsageError: rank 1: ZeroDivisionError: division"),
    "edit('colour', 0.0)": ("AttributeError: .*colour", "UsageError: rank 1: AttributeError: .*colour"),
    "edit('position', 1e300)": ("SimulationError: .*lost on rank 1",) * 2,
    "edit('position', (5e-3, 5e-3, 26e-3))": ("nothing", "nothing"),
    "simulation.remove(np.zeros(3, bool) if is_second else simulation.id < 0)": (
        "UsageError: remove: rows are bool of the shape .3,.", "UsageError: rank 1: UsageError: remove"),
    "simulation.insert(**({'colour': 1} if is_second else {}))": (
        "UsageError: particles: colour is not known", "UsageError: rank 1: UsageError: particles: colour"),
    "simulation.walls['floor'].set(velocity='up' if is_second else (0, 0, 0))": (
        "UsageError: velocity of the wall 'floor' = 'up'; expected three numbers", "UsageError: rank 1: UsageError: vel"),
    "simulation.cells((2, 2, -2 if is_second else 2), simulation.mass)": (
        "UsageError: cells = 2, 2, -2: expected at least 1 each", "UsageError: rank 1: UsageError: cells = 2, 2, -2"),
    "simulation.cells((1, 1, 1), simulation.mass[:5] if is_second else simulation.mass)": (
        "UsageError: cells: values have the shape .5,.; expected", "UsageError: rank 1: UsageError: cells"),
    "simulation.write(3 if is_second else 'a.h5')": ("TypeError: expected str", "UsageError: rank 1: TypeError: expected str"),
    "scree.engine.parse(3 if is_second else BOX)": ("AttributeError", "UsageError: rank 1: AttributeError"),
    "scree.engine.parse(BOX, time={'step': '20 us' if is_second else '50 us'})": (
        "UsageError: ranks make different calls: | rank 0: parse",) * 2,
    "scree.engine.Simulation(scene, energy=is_second)": ("UsageError: ranks make different calls",) * 2,
    "simulation.energy": ("UsageError: the energy balance is not recorded",) * 2,
    "simulation.averages if is_second else simulation.report()": ("UsageError: ranks make different calls",) * 2,
    "interrupt()": ("KeyboardInterrupt", "KeyboardInterrupt: a signal interrupted another rank"),
    "simulation.step(torque=(np.nan if is_second else 0.0, 0, 0))": ("UsageError: the torque on particle .* is .nan",) * 2,
    "simulation.step(acceleration=(1e300 if is_second else 0.0, 0, 0))": ("SimulationError: .* running away on rank 1",) * 2,
}  # fmt: skip


class Ranks(Test):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_on(self, started, begin, ranks, name):
        """Starts the program on `started` processes; returns the particles that it writes at its end, by id.

        ranks: number of ranks of the simulation
        """
        output = self.folder / f"{name}.h5"
        program = self.folder / "program.py"
        program.write_text(RANKS.format(scripts=str(SCRIPTS), tests=str(ROOT / "tests/apps/python"), begin=begin, ranks=ranks,
                                        output=str(output)))  # fmt: skip
        command = [os.environ["SCREE_MPIEXEC"], "-n", str(started), sys.executable, str(program)]
        # mpirun must not see the MPI of this process.
        process = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))
        self.assertEqual(process.returncode, 0, process.stderr)
        frame = scree.snapshot.read_snapshot(output)
        order = np.argsort(frame["id"])
        return [frame[field][order] for field in ("id", "position", "velocity", "angular_velocity")]

    def test_jacobi_gives_the_same_bits_on_any_number_of_ranks(self):
        alone = self.run_on(1, "comm = None", 1, "alone")
        self.assertEqual(len(alone[0]), 1331)
        for started in (2, 4):
            for a, b in zip(alone, self.run_on(started, "comm = None", started, "together"), strict=True):
                np.testing.assert_array_equal(a, b)

    def test_communicators_of_mpi4py_are_accepted(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            print("skipped: mpi4py is not installed", file=sys.stderr)
            self.skipTest("mpi4py is not installed")
        world = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD"
        mpi4py_library = subprocess.run([sys.executable, "-c", world + "\nprint(MPI.Get_library_version())"],
                                        capture_output=True, text=True, check=True).stdout  # fmt: skip
        if not mpi4py_library.startswith(scree.engine._native.mpi_library()):
            with self.assertRaisesRegex(AssertionError, "UsageError: comm: mpi4py was built with '.+', Scree with '"):
                self.run_on(1, world, 1, "together")
            print("skipped: mpi4py is of another MPI, which is refused", file=sys.stderr)
            self.skipTest("mpi4py is of another MPI, which is refused")
        alone = self.run_on(1, "comm = None", 1, "alone")
        # Cases: Scree starts MPI before mpi4py; two of three ranks; communicators are created and freed.
        scree_first = "scree.engine.parse(BOX)\n" + world
        two_of_three = world + ".Split(MPI.COMM_WORLD.rank == 2)\nif MPI.COMM_WORLD.rank == 2: sys.exit()"
        freed = world + "\nfor _ in range(3):\n  own = comm.Dup(); scree.engine.parse(BOX, comm=own); own.Free()"
        for begin, started in ((world, 2), (scree_first, 2), (two_of_three, 3), (freed, 2)):
            with self.subTest(begin):
                for a, b in zip(alone, self.run_on(started, begin, 2, "together"), strict=True):
                    np.testing.assert_array_equal(a, b)

    def run_two(self, calls=(), end=""):
        """Runs a program on two ranks, which must not take longer than a minute."""
        program = self.folder / "two.py"
        program.write_text(TWO_RANKS.format(scripts=str(SCRIPTS), tests=str(ROOT / "tests/apps/python"), calls=list(calls),
                                            end=end))  # fmt: skip
        command = [os.environ["SCREE_MPIEXEC"], "-n", "2", sys.executable, str(program)]
        # mpirun must not see the MPI of this process.
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
                              env=dict(os.environ))  # fmt: skip

    def test_errors_of_one_rank_are_those_of_all(self):
        process = self.run_two(ERRORS_OF_RANK_1)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        printed = [(self.folder / f"printed by {rank}").read_text() for rank in (0, 1)]
        for number, (call, (second, first)) in enumerate(ERRORS_OF_RANK_1.items()):
            for rank, words in ((0, first), (1, second)):
                with self.subTest(call, rank=rank):
                    self.assertRegex(printed[rank], rf"(?m)^{number} {words}".replace(" | ", r" \| "))
        self.assertEqual([text.splitlines()[-1] for text in printed], ["end", "end"])

    def test_rank_that_ends_ends_all_ranks(self):
        """Cases: exceptions outside and inside of a call, and a program that ends before that of the other rank."""
        for end, words in (
            ("if is_second: [][3]\nsimulation.step(3)", "IndexError: list index out of range"),
            ("simulation.step(-1 if is_second else 3)", "UsageError: rank 1: UsageError: count = -1"),
            ("if is_second: sys.exit()\ntry: simulation.step(2)\nexcept ValueError: simulation.step(3)",
             r"rank 0: step\(3\)\s+rank 1: the end of its program"),
        ):  # fmt: skip
            with self.subTest(end):
                process = self.run_two(end=end)
                self.assertNotEqual(process.returncode, 0)
                self.assertRegex(process.stderr, words)

    def test_wrong_communicators_are_refused(self):
        with self.assertRaisesRegex(scree.UsageError, "comm: .*mpi4py"):
            scree.engine.parse(BOX, comm=3)


class Contacts(Test):
    """Random contacts of a body with a wall: A, b and mu."""

    def setUp(self):
        random = np.random.default_rng(5)
        self.normal = random.normal(size=(500, 3))
        self.normal /= np.linalg.norm(self.normal, axis=1, keepdims=True)
        arm = random.normal(size=(500, 3))
        inertia = random.normal(size=(500, 3, 3))
        inertia = inertia @ np.swapaxes(inertia, 1, 2) + 0.1 * np.eye(3)
        body = scree.solvers.Body(1.0, inertia, arm)
        self.frame, self.a = scree.solvers.contact_block(self.normal, body)
        self.b = random.normal(size=(500, 3))
        self.mu = random.uniform(0.0, 1.0, size=500)

    def assert_obeys(self, solution, selection=slice(None)):
        """Checks Signorini's law and the friction cone."""
        x, v, mu = solution.impulse, solution.velocity, self.mu[selection]
        np.testing.assert_allclose(v, np.einsum("kij,kj->ki", self.a[selection], x) - self.b[selection], atol=1e-12)
        self.assertGreaterEqual(x[:, 0].min(), 0.0)
        self.assertGreaterEqual(v[:, 0].min(), -1e-10)
        self.assertLess(abs(x[:, 0] * v[:, 0]).max(), 1e-10)
        self.assertLess((np.hypot(x[:, 1], x[:, 2]) - mu * x[:, 0]).max(), 1e-12)

    def test_frames_are_orthonormal_and_blocks_match_closed_forms(self):
        np.testing.assert_allclose(self.frame[..., 0], self.normal, atol=1e-15)
        np.testing.assert_allclose(np.swapaxes(self.frame, 1, 2) @ self.frame, np.tile(np.eye(3), (500, 1, 1)), atol=1e-14)
        # Two equal solid spheres: the tangential entries are 7/2 of the normal entry.
        sphere = scree.solvers.Body(2.0, 5.0 / (0.1**2), (0.0, 0.0, -0.1))
        second = scree.solvers.Body(2.0, 5.0 / (0.1**2), (0.0, 0.0, 0.1))
        _, a = scree.solvers.contact_block((0, 0, 1), sphere, second)
        np.testing.assert_allclose(a, np.diag([4.0, 14.0, 14.0]), atol=1e-12)

    def test_solutions_obey_both_laws(self):
        dissipative = scree.solvers.max_dissipation(self.a, self.b, self.mu)
        coulomb = scree.solvers.coulomb(self.a, self.b, self.mu)
        self.assert_obeys(dissipative)
        self.assert_obeys(coulomb)
        self.assertLess((dissipative.energy - coulomb.energy).max(), 1e-12)
        self.assertLess((dissipative.energy - coulomb.energy).min(), -1e-4)
        x, v = coulomb.impulse[:, 1:], coulomb.velocity[:, 1:]
        is_slipping = coulomb.state == scree.solvers.State.SLIP
        self.assertGreater(is_slipping.sum(), 100)
        power = (x * v).sum(axis=1) + np.linalg.norm(x, axis=1) * np.linalg.norm(v, axis=1)
        self.assertLess(abs(power[is_slipping]).max(), 1e-9)
        is_sticking = coulomb.state == scree.solvers.State.STICK
        self.assertLess(abs(coulomb.velocity[is_sticking]).max(), 1e-10)
        np.testing.assert_array_equal(coulomb.state == scree.solvers.State.SEPARATING, self.b[:, 0] < 0)

    def test_all_solutions_of_coulombs_law_are_found(self):
        solutions = scree.solvers.coulomb_solutions(self.a, self.b, self.mu)
        best = scree.solvers.coulomb(self.a, self.b, self.mu)
        np.testing.assert_array_equal(solutions.impulse[:, 0], best.impulse)
        self.assertEqual(solutions.count.min(), 1)
        for k in range(6):
            exists = solutions.count > k
            np.testing.assert_array_equal(solutions.state[:, k] >= 0, exists)
            np.testing.assert_array_equal(np.isnan(solutions.energy[:, k]), ~exists)
        self.assertTrue((np.diff(solutions.energy, axis=1)[solutions.count > 1, 0] >= 0.0).all())

    def test_no_contacts_have_no_solutions(self):
        for shape in ((0,), (2, 0)):
            solutions = scree.solvers.coulomb_solutions(np.empty((*shape, 3, 3)), np.empty((*shape, 3)), 0.5)
            self.assertEqual(solutions.count.shape, shape)
            self.assertEqual(solutions.impulse.shape, (*shape, solutions.state.shape[-1], 3))

    def test_leading_axes_are_broadcast(self):
        b = self.b[:6].reshape(2, 3, 3)
        broadcast = scree.solvers.max_dissipation(self.a[0], b, 0.3)
        self.assertEqual((broadcast.impulse.shape, broadcast.energy.shape, broadcast.state.shape), ((2, 3, 3), (2, 3), (2, 3)))
        first = scree.solvers.max_dissipation(self.a[0], b[1, 2], 0.3)
        np.testing.assert_array_equal(first.impulse, broadcast.impulse[1, 2])
        self.assertEqual(first.energy, broadcast.energy[1, 2])

    def test_rebounds_follow_the_restitution(self):
        b = np.array([1.0, 0.2, 0.0])
        for hypothesis in scree.solvers.HYPOTHESES:
            hit = scree.solvers.rebound(np.diag([1.0, 3.5, 3.5]), b, 0.3, [0.0, 0.5, 1.0], hypothesis=hypothesis)
            np.testing.assert_allclose(hit.velocity[:, 0], [0.0, 0.5, 1.0], atol=1e-14)
            self.assertTrue((hit.energy <= 0.0).all())
        default, law = (scree.solvers.rebound(self.a[0], b, 0.1, 0.5, *law) for law in ((), ("coulomb",)))
        np.testing.assert_array_equal(default.impulse, law.impulse)

    def test_names_are_those_of_the_solvers(self):
        names = scree.native.load("test").names()
        self.assertEqual([state.name.lower() for state in scree.solvers.State], names["states"])
        self.assertEqual(list(scree.solvers.LAWS), names["laws"])
        self.assertEqual(list(scree.solvers.HYPOTHESES), names["hypotheses"])
        self.assertEqual([mode.name.lower() for mode in scree.impact.RouthMode], names["routh_modes"])
        self.assertEqual(list(scree.impact.FORMULAS), names["formulas"])

    def test_impossible_contacts_are_refused(self):
        a, b = np.eye(3), np.ones(3)
        for call, words in (
            (lambda: scree.solvers.coulomb([a, -a], b, 0.1), "contact 1: A is not positive definite"),
            (lambda: scree.solvers.max_dissipation(a, b, [0.1, -1.0]), "contact 1: mu is negative"),
            (lambda: scree.solvers.max_dissipation(a, b * np.nan, 0.1), "contact 0: b has an entry"),
            (lambda: scree.solvers.max_dissipation(a, np.ones(2), 0.1), r"shape \(2,\); expected \[..., 3\]"),
            (lambda: scree.solvers.max_dissipation(a, np.ones((4, 3)), [1.0, 1.0]), "cannot be broadcast together"),
            (lambda: scree.solvers.rebound(a, b, 0.1, 1.5), "contact 0: restitution 1.5; expected 0 to 1"),
            (lambda: scree.solvers.rebound(a, b, 0.1, 0.5, "amontons"), "law = 'amontons'; expected max_dissipation"),
            (lambda: scree.solvers.contact_block((0, 0, 2), scree.solvers.Body(1.0)), "has the length 2; expected 1"),
        ):
            with self.assertRaisesRegex(scree.UsageError, words):
                call()


class Impacts(Test):
    def test_laws_match_closed_forms(self):
        e = np.linspace(0.05, 1.0, 20)
        np.testing.assert_allclose(scree.impact.hysteresis_factor(e, "hunt-crossley"), 1.5 * (1 - e), atol=1e-15)
        np.testing.assert_allclose(scree.impact.restitution_of_hysteresis(scree.impact.hysteresis_factor(e)), e, rtol=1e-12)
        damping = scree.impact.optimal_damping(e[:, np.newaxis], mass=[1.0, 2.0], stiffness=3.0, speed=0.5)
        self.assertEqual(damping.shape, (20, 2))
        restitution = scree.impact.restitution_of_damping(damping, mass=[1.0, 2.0], stiffness=3.0, speed=0.5)
        np.testing.assert_allclose(restitution, np.tile(e[:, np.newaxis], 2), rtol=1e-8)
        # By Hertz, for a sphere on a wall.
        k = scree.impact.hertz_stiffness(1e9, 0.3, [1e-3, 4e-3], 1e9, 0.3)
        np.testing.assert_allclose(k, 2 / 3 * 1e9 / 0.91 * np.sqrt([1e-3, 4e-3]), rtol=1e-14)
        hit = scree.impact.hunt_crossley([0.1, 1.0, 10.0])
        # The restitution e satisfies K(v) = K(-e v), where K is `energy`.
        energy = lambda v: (0.5 * v - np.log1p(0.5 * v)) / 0.25
        np.testing.assert_allclose(energy(-hit.restitution * [0.1, 1, 10]), energy(np.array([0.1, 1, 10])), rtol=1e-12)

    def test_viscoelastic_contacts_match_closed_forms(self):
        gamma = np.array([0.0, 0.1, 0.5])
        hit = scree.impact.viscoelastic(gamma)
        self.assertAlmostEqual(hit.restitution[0], 1.0, delta=1e-13)
        self.assertTrue((np.diff(hit.restitution) < 0).all() and hit.detached.all())
        np.testing.assert_allclose(scree.impact.dissipation_of(hit.restitution[1:]), gamma[1:], rtol=1e-9)
        load = scree.impact.critical_load(0.5)
        self.assertTrue(scree.impact.viscoelastic(0.5, 0.99 * load).detached)
        self.assertFalse(scree.impact.viscoelastic(0.5, 1.01 * load).detached)
        np.testing.assert_allclose(scree.impact.critical_dissipation(load), 0.5, rtol=1e-9)
        # Damped oscillation of a linear spring about the load, which the body does not leave.
        gamma, load = 0.4, 3.0
        caught = scree.impact.viscoelastic(gamma, load, model="linear")
        time = np.linspace(0.0, 20.0, 200001)
        frequency = np.sqrt(1.0 - 0.25 * gamma**2)
        sine = (1.0 - 0.5 * gamma * load) / frequency
        path = load + np.exp(-0.5 * gamma * time) * (sine * np.sin(frequency * time) - load * np.cos(frequency * time))
        self.assertEqual((bool(caught.detached), float(caught.duration), float(caught.restitution)), (False, np.inf, 0.0))
        np.testing.assert_allclose([caught.max_deformation, caught.end_deformation], [path.max(), load], rtol=1e-8)
        # A spring and dashpot have the same restitution at any speed.
        constants = {"mass": 2.0, "stiffness": 5.0, "dissipation": 0.1, "model": "linear"}
        e = scree.impact.restitution_of_speed([0.01, 1.0, 9.0], **constants)
        ratio = 0.1 * 5.0 / (2 * np.sqrt(5.0 * 2.0))
        np.testing.assert_allclose(e, np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2)), rtol=1e-12)
        dissipation = scree.impact.physical_dissipation(e, [0.01, 1.0, 9.0], 2.0, 5.0, model=(1.0, 1.0))
        np.testing.assert_allclose(dissipation, 0.1, rtol=1e-9)

    def test_path_ends_with_the_duration_and_restitution_of_the_impact(self):
        path = scree.impact.path(0.3, parts=3)
        hit = scree.impact.viscoelastic(0.3)
        self.assertEqual((path.time[0], path.deformation[0], path.velocity[0]), (0.0, 0.0, 1.0))
        np.testing.assert_allclose([path.time[-1], -path.velocity[-1]], [hit.duration, hit.restitution], rtol=1e-10)
        self.assertTrue((np.diff(path.time) > 0).all())

    def test_planar_impacts_obey_the_laws(self):
        hit = scree.impact.routh(1.0, 0.0, 1.0, s=[0.0, 0.1, 5.0], c=-1.0, mu=0.4, restitution=0.5)
        np.testing.assert_allclose(hit.c, 0.5)
        np.testing.assert_allclose(hit.normal, 1.5)
        np.testing.assert_allclose(hit.s, [0.0, 0.0, 5.0 - 0.4 * 1.5], atol=1e-15)
        modes = scree.impact.RouthMode
        self.assertEqual(list(hit.mode), [modes.STICK_FROM_START, modes.STICK_IN_COMPRESSION, modes.SLIP])
        np.testing.assert_allclose(hit.energetic_restitution, 0.5)

    def test_values_out_of_range_are_refused(self):
        for call, words in (
            (lambda: scree.impact.viscoelastic([0.1, -0.2]), "gamma.*-0.2"),
            (lambda: scree.impact.viscoelastic(0.1, model="hertz"), "model = 'hertz'; expected linear"),
            (lambda: scree.impact.viscoelastic(0.1, end="nowhere"), "end = 'nowhere'; expected deformation_zero"),
            (lambda: scree.impact.optimal_damping(2.0), "restitution"),
            (lambda: scree.impact.hysteresis_factor(0.5, "mine"), "formula = 'mine'; expected hunt-crossley"),
            (lambda: scree.impact.routh(-1.0, 0.0, 1.0, 0.0, -1.0, 0.1), "alpha"),
            (lambda: scree.impact.routh([1.0, 1.0], 0.0, 1.0, [0.0] * 3, -1.0, 0.1), "routh: arrays of .* cannot be broadcast"),
            (lambda: scree.impact.path(0.1, parts=0), "parts = 0 must be"),
        ):
            with self.assertRaisesRegex(scree.UsageError, words):
                call()


class Missing(Test):
    def test_import_without_compiled_modules_gives_a_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            for module in ("engine", "solvers", "impact"):
                program = f"import scree\nprint('{module}' in dir(scree))\nimport scree.{module}"
                process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                         env=os.environ | {"PYTHONPATH": str(SCRIPTS), "SCREE_NATIVE": folder})  # fmt: skip
                self.assertEqual((process.returncode, process.stdout), (1, "False\n"), process.stderr)
                self.assertRegex(process.stderr.splitlines()[-1],
                                 f"^ImportError: scree.{module} needs the compiled part .*The packages, the tarball and")

    def test_engine_that_cannot_be_loaded_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            name = scree.native.found().name
            (pathlib.Path(folder) / name).write_bytes(b"no library")
            process = subprocess.run([sys.executable, "-c", "import scree.engine"], capture_output=True, text=True,
                                     env=os.environ | {"PYTHONPATH": str(SCRIPTS), "SCREE_NATIVE": folder})  # fmt: skip
            self.assertRegex(process.stderr, f"ImportError: scree.engine: '.*{name}' cannot be loaded")


if __name__ == "__main__":
    unittest.main()
