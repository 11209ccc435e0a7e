"""The Python package scree: reads, starts and follows runs.

Tests that start runs need the path of scree-run in SCREE_RUN.
"""

import configparser
import dataclasses
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock

import made_run
import made_snapshot
from script_test import ScriptTest, skipped_unless

import numpy as np

import scree.configuration
import scree.program
import scree.units
import scree

try:
    import pandas
except ImportError:
    pandas = None

ROOT = made_snapshot.SCRIPTS.parent
SCENES = ROOT / "apps" / "scenes"
PROGRAM = os.environ.get("SCREE_RUN")
SPHERE = SCENES / "bouncing_sphere.ini"


class RunTest(ScriptTest):
    def setUp(self):
        super().setUp()
        self.run_path = made_run.steady(self.folder / "run")
        self.finished_run = scree.open(self.run_path)


class Reading(RunTest):
    def test_frames_are_a_sequence_of_snapshots(self):
        self.assertEqual(len(self.finished_run.frames), 3)
        def steps(frames):
            return [round(frame.time / made_run.TIME_STEP) for frame in frames]

        self.assertEqual(steps(self.finished_run.frames), [1000, 2000, 3000])
        self.assertEqual(steps([self.finished_run.frames[-1]]), [3000])
        self.assertEqual(steps(self.finished_run.frames[::2]), [1000, 3000])
        with self.assertRaisesRegex(IndexError, "has 3 frames; there is no frame 3"):
            self.finished_run.frames[3]

    def test_frames_are_selected_by_time(self):
        self.assertEqual(self.finished_run.frames.at(0.0212).time, 0.02)
        self.assertEqual(list(self.finished_run.frames.between(0.02, 0.03).steps), [2000, 3000])
        with self.assertRaisesRegex(scree.UsageError, "no snapshot from 0.5 to 0.6 s"):
            self.finished_run.frames.between(0.5, 0.6)

    def test_files_of_several_runs_are_selected_in_each(self):
        frames = self.finished_run.frames
        paths, steps, times = (np.concatenate([values, values]) for values in (frames.paths, frames.steps, frames.times))
        both = dataclasses.replace(frames, paths=list(paths), steps=steps, times=times)
        self.assertEqual(list(both.between(0.0, 1.0, 0.02).steps), [1000, 3000, 1000, 3000])
        same = dataclasses.replace(frames, paths=list(paths[::3]), steps=steps[::3], times=times[::3])
        self.assertEqual(list(same.between(0.0, 0.01).steps), [1000, 1000])

    def test_single_frame_is_found_by_its_time(self):
        self.assertEqual(len(self.finished_run.frames[:1].between(0.01, 0.01)), 1)

    def test_fields_have_units(self):
        frame = self.finished_run.frames[0]
        self.assertEqual((frame["velocity"].shape, frame.units["velocity"]), ((3000, 3), "m/s"))
        self.assertEqual(frame.units["angular_velocity"], "rad/s")

    def test_only_requested_fields_are_read(self):
        frame = self.finished_run.frames.only("radius")[0]
        self.assertEqual(sorted(frame.fields), ["id", "radius"])

    def test_contacts_and_walls_of_a_frame(self):
        frame = self.finished_run.frames[0]
        self.assertIsNone(frame.contacts.impulse)
        self.assertIs(frame.contacts, frame.contacts)
        self.assertEqual([wall.name for wall in frame.walls], ["floor", "obstacle"])

    def test_repr_fits_on_a_line(self):
        for object_ in (self.finished_run, self.finished_run.frames, self.finished_run.frames[-1], self.finished_run.frames[-1].contacts):
            self.assertRegex(repr(object_), r"^(Run|Frames|Snapshot|Contacts)\(")
            self.assertLess(len(repr(object_)), 200 + len(str(self.run_path)))

    def test_notebooks_show_a_small_picture(self):
        for object_ in (self.finished_run, self.finished_run.frames[-1]):
            text = object_._repr_html_()
            self.assertRegex(text, r'^<figure><img alt="(Run|Snapshot)\(.*src="data:image/png;base64,')
            self.assertLess(len(text), 150_000)
        with unittest.mock.patch("scree.shown.MAX_PARTICLES", 2999):
            self.assertRegex(self.finished_run._repr_html_(), "^<code>Run.*</code>$")

    def test_functions_are_in_the_package(self):
        frame = self.finished_run.frames[-1]
        g = scree.rdf(frame, r_max=2.0)
        parts = scree.rdf.radial_distribution(frame, scree.rdf.natural_region(frame), 2.0)
        np.testing.assert_array_equal(g.g, parts.g)
        self.assertEqual(len(scree.rdf(self.finished_run, r_max=1.0).times), 3)
        grid = scree.profile(self.finished_run, "z", cells=5)
        self.assertEqual((len(grid.times), grid.columns["solid_fraction"].shape), (3, (5,)))
        self.assertEqual(scree.profile(frame, "xz", cells=(4, 3)).columns["samples"].shape, (4, 3))
        self.assertEqual(len(scree.fields(frame, "y", cells=3).points), 3)
        self.assertGreater(scree.contact_statistics(frame).mean_coordination, 0.0)
        self.assertEqual(list(scree.key_figures(self.finished_run)), list(scree.key_figures.key_figures(self.finished_run)))
        scree.picture(frame, self.folder / "frame.png", "front")
        self.assertTrue((self.folder / "frame.png").is_file())
        for call, words in (
            (lambda: scree.profile(frame, "w"), "axes = 'w'; expected one or two of x, y and z"),
            (lambda: scree.profile(frame, "zz"), "axes = 'zz'"),
            (lambda: scree.profile(frame, "xz", cells=(4,)), "cells = .4,.; expected whole numbers"),
            (lambda: scree.profile(frame, "z", cells=0), "cells = 0"),
            (lambda: scree.rdf([]), "there are no frames"),
            (lambda: scree.rdf(frame, lower=(9, 9, 9)), "the lower corner must lie below the upper"),
            (lambda: scree.picture(frame, "x.png", "nowhere"), "there is no view 'nowhere'; expected .*front"),
            (lambda: scree.mixing(frame), "have the same material"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_configuration_of_a_run_has_its_keys(self):
        self.assertEqual(self.finished_run.scene["scene"]["seed"], "1")
        self.assertEqual(self.finished_run.number("time", "step"), made_run.TIME_STEP)
        for section, key, words in (("time", "end", "has no time.end"), ("domain", "lower", "has no domain.lower")):
            with self.assertRaisesRegex(scree.UsageError, words):
                self.finished_run.numbers(section, key)

    def test_folder_that_is_not_a_run_is_refused(self):
        with self.assertRaisesRegex(scree.FileError, "is not the output directory of a run"):
            scree.open(self.folder)

    def test_run_without_snapshots_has_no_frames(self):
        run = scree.open(made_run.write(self.folder / "empty", [{"step": 0}], {}))
        self.assertEqual(list(run.frames), [])
        with self.assertRaisesRegex(scree.UsageError, "output.every"):
            run.frames.at(0.0)


@skipped_unless(pandas, "pandas is not installed")
class Tables(RunTest):
    def test_series_has_rows_and_units(self):
        self.assertEqual(self.finished_run.series.shape, (64, len(made_run.SERIES)))
        units = self.finished_run.series.attrs["units"]
        self.assertEqual([units[k] for k in ("time", "max_speed", "particles", "kinetic_energy")], ["s", "m/s", "1", "J"])

    def test_averages_have_their_notes(self):
        (self.run_path / "averages").mkdir()
        text = "# one row per cell\n# SI\nx,velocity_x,samples\n0.5,,0\n1.5,2,3\n"
        (self.run_path / "averages" / "profile.csv").write_text(text)
        table = self.finished_run.averages["profile"]
        with self.assertRaisesRegex(scree.FileError, r"has no average 'profle' \(did you mean 'profile'\?\); it has profile$"):
            self.finished_run.average("profle")
        self.assertEqual(table.attrs["notes"], ["one row per cell", "SI"])
        self.assertEqual(table.attrs["units"], {"x": "m", "velocity_x": "m/s", "samples": "1"})
        self.assertTrue(np.isnan(table["velocity_x"][0]) and table["velocity_x"][1] == 2.0)

    def test_timing_is_a_table(self):
        self.assertEqual(self.finished_run.timing.attrs["units"]["sweeps_seconds"], "s")

    def test_particles_are_rows_by_their_ids(self):
        frame = self.finished_run.frames[0]
        table = frame.table()
        self.assertEqual(table.loc[frame["id"][7], "velocity_y"], frame["velocity"][7, 1])
        self.assertEqual(table.loc[frame["id"][7], "orientation_w"], frame["orientation"][7, 0])


class ColumnUnits(unittest.TestCase):
    def assert_units(self, expected_units, scene=None):
        """expected_units: {unit: names of columns}"""
        for unit, names in expected_units.items():
            for name in names.split():
                self.assertEqual(scree.units.of_column(name, scene), unit, name)

    def test_columns_of_the_series_have_units(self):
        self.assert_units({
            "1": "step particles inserted deleted contacts closed_contacts loaded_contacts wall_contacts touching_contacts "
                 "touching_per_particle sweeps converged solve_stalled solve_error_step solve_error_impulses "
                 "solve_error_normal_rms solve_error_normal_mean wall_floor_solve_error strain shear_strain solid_fraction "
                 "coordination bonds bonds_broken_tension bonds_broken_shear bonds_waiting clusters largest_cluster",
            "s": "time", "m": "max_penetration max_penetration_interval cell_length_x cell_length_z",
            "m/s": "mean_velocity_x max_speed residual_max residual_rms", "J": "kinetic_energy energy_walls energy_imbalance energy_bonds",
            "N": "wall_floor_force_z wall_a_b_force_x_deviation link_arm_force_y",
            "N m": "wall_a_b_torque_x wall_floor_torque_z_deviation link_arm_torque_z", "kg": "inflow_mass inflow_rain_mass",
            "1/s": "strain_rate_x strain_rate_z shear_rate", "Pa": "stress_xx stress_zz shear_stress target_yy target_shear_stress",
        })  # fmt: skip

    def test_columns_of_averages_and_timing_have_units(self):
        self.assert_units({
            "1": "i j k samples solid_fraction free_share coordination fabric_xx fabric_yz particles_forward particles_backward "
                 "steps_done rebuilds moves imbalance time_imbalance particles_imbalance contacts_imbalance",
            "s": "time_from time_to duration wall_seconds sweeps_seconds", "1/s": "particle_flow steps_per_second particle_steps_per_second",
            "m": "x y z", "m/s": "velocity_x velocity_norm speed", "rad/s": "angular_velocity_x angular_speed",
            "1/m^3": "number_density", "kg/m^3": "mass_density", "kg/m^2/s": "momentum_density_z", "m^2/s^2": "granular_temperature",
            "Pa": "kinetic_stress_xx kinetic_stress_yz contact_stress_zx", "N/m^3": "wall_force_density_x",
            "kg": "mass_forward mass_backward", "kg/s": "mass_flow",
        })  # fmt: skip

    def test_unknown_columns_have_no_unit(self):
        self.assert_units({"": "material shape law wall_lid_travel joint_a_b_speed joint_arm_turn_x wall_lid_speed"})

    def test_units_of_free_walls_and_joints_depend_on_their_motion(self):
        scene = configparser.ConfigParser()
        scene.read_string("[joint.a_b]\nkind = hinge\n[joint.lift]\nkind = slider\n[joint.free]\nkind = free\n"
                          "[joint.plane]\nkind = planar\n[joint.arm_turn]\nkind = free\n"
                          "[wall.lid]\nfree = along\n[wall.a_flap]\nfree = about\n")  # fmt: skip
        self.assert_units({
            "rad": "joint_a_b_position joint_free_turn_z joint_plane_turn joint_arm_turn_turn_x wall_a_flap_travel",
            "rad/s": "joint_a_b_speed joint_free_rate_z joint_plane_rate wall_a_flap_speed",
            "N m": "joint_a_b_motor joint_a_b_load joint_free_torque_y joint_plane_torque wall_a_flap_load",
            "W": "joint_a_b_motor_power joint_free_load_power", "m": "joint_lift_position joint_free_x joint_arm_turn_x wall_lid_travel",
            "m/s": "joint_lift_speed joint_free_vx wall_lid_speed", "N": "joint_lift_load joint_plane_force_x wall_lid_load",
            "": "joint_other_motor wall_other_travel",
        }, scene)  # fmt: skip


class Changes(unittest.TestCase):
    CONFIGURATION = ("[time]\nstep = 1 ms\n[contact]\nfriction = 0.1\n[wall.Lid]\npressure = 5 Pa\n"
                     '[at "0.0305 s"]\ncontact.friction = 0.3\nwall.Lid.pressure = unset\npair.A.B.friction = 0.7\n'
                     '[at "0.003 s"]\ncontact.friction = 0.2\n')  # fmt: skip

    def values(self, time):
        scene = scree.configuration.at(self.CONFIGURATION, time)
        keys = (("contact", "friction"), ("wall.Lid", "pressure"), ("pair.A.B", "friction"))
        return [scene.get(section, key, fallback=None) for section, key in keys]

    def test_change_acts_in_the_first_step_that_begins_at_or_after_its_time(self):
        for time, friction in ((0.0, "0.1"), (0.003, "0.1"), (0.004, "0.2"), (0.031, "0.2"), (0.032, "0.3")):
            self.assertEqual(self.values(time)[0], friction, time)

    def test_change_sets_or_removes_keys_of_any_section(self):
        self.assertEqual(self.values(0.03), ["0.2", "5 Pa", None])
        self.assertEqual(self.values(1.0), ["0.3", None, "0.7"])

    def test_configuration_without_changes_needs_no_step(self):
        self.assertEqual(scree.configuration.at("[contact]\nfriction = 0.1\n", 1.0)["contact"]["friction"], "0.1")


class Options(unittest.TestCase):
    def test_values_become_options_with_the_text_of_a_scene(self):
        changes = {"time": {"end": "20 ms", "step": 1e-5}, "output.contacts": True, "domain": {"upper": (1, 2.5, 3)},
                   "wall.piston": {"velocity": np.array([0.0, 1.0, 0.1])}}  # fmt: skip
        self.assertEqual(
            scree.program.options(changes),
            ["--time.end", "20 ms", "--time.step", "1.0000000000000001e-05", "--output.contacts", "yes",
             "--domain.upper", "1 2.5 3", "--wall.piston.velocity", "0 1 0.10000000000000001"],
        )  # fmt: skip

    def test_impossible_starts_are_refused(self):
        for arguments, error, words in (
            (("none.ini",), scree.FileError, "no scene file 'none.ini'"),
            ((SPHERE, "out", 0), scree.UsageError, "ranks = 0"),
        ):
            with self.assertRaisesRegex(error, words):
                scree.start(*arguments[:2], ranks=arguments[2] if len(arguments) > 2 else 1)
        with self.assertRaisesRegex(scree.FileError, "no program '/dev/null/scree-run'"):
            scree.start(SPHERE, program="/dev/null/scree-run")
        with unittest.mock.patch.dict(os.environ, SCREE_MPIEXEC="/dev/null/mpirun"):
            with self.assertRaisesRegex(scree.FileError, "no program '/dev/null/mpirun'"):
                scree.start(SPHERE, ranks=2)


@skipped_unless(PROGRAM, "SCREE_RUN does not name scree-run")
class Starting(ScriptTest):
    CHANGES = {"time": {"end": "20 ms"}, "output": {"log_every": "2 ms", "every": "10 ms"}}

    def test_run_with_changed_values(self):
        run = scree.run(SPHERE, self.folder / "out", **self.CHANGES)
        self.assertEqual((run.number("time", "end"), len(run.frames)), (0.02, 3))
        self.assertAlmostEqual(run.frames[-1].time, 0.02)

    def test_every_row_is_reported_once(self):
        running = scree.start(SPHERE, self.folder / "out", **self.CHANGES)
        times = [row["time"] for row in running.follow(0.01)]
        np.testing.assert_allclose(times, np.arange(11) * 2e-3)

    def test_rows_of_an_earlier_run_are_not_reported(self):
        scree.run(SPHERE, self.folder / "out", **self.CHANGES)
        changes = self.CHANGES | {"time": {"end": "4 ms"}}
        running = scree.start(SPHERE, self.folder / "out", overwrite=True, **changes)
        self.assertEqual(len(list(running.follow(0.001))), 3)

    def test_refused_value_raises_the_message_of_the_program(self):
        with self.assertRaisesRegex(scree.RunFailed, 'unknown key "stp"') as context:
            scree.run(SPHERE, self.folder / "out", time={"stp": 1})
        self.assertEqual(context.exception.code, 2)

    def test_existing_output_is_kept(self):
        scree.run(SPHERE, self.folder / "out", **self.CHANGES)
        with self.assertRaisesRegex(scree.RunFailed, "overwrite"):
            scree.run(SPHERE, self.folder / "out", **self.CHANGES)

    def test_run_that_is_stopped_leaves_a_checkpoint(self):
        running = scree.start(SPHERE, self.folder / "out", time={"end": "1000 s"}, output={"log_every": "1 s"})
        rows = running.follow(0.01)
        next(rows)
        running.stop()
        run = running.wait()
        self.assertEqual(running.code(), scree.program.STOPPED_EARLY)
        self.assertTrue((run.path / "checkpoints" / "latest").is_file())

    def test_states_of_other_programs_are_read_to_the_last_bit(self):
        fill = {"fill": {"lower": "-2 -2 20 cm", "upper": "2 2 30 cm", "spacing": "11 mm", "radius": "5 mm", "jitter": "1 1 1 cm/s"}}
        frame = scree.run(SPHERE, self.folder / "out", **fill | self.CHANGES).frames[-1]
        columns = np.column_stack([frame["position"], frame["radius"]])
        self.assertGreater(len(columns), 20)
        rows = ["\t".join(map(repr, row)) + "\t0\n" for row in columns.tolist()]
        (self.folder / "yade.txt").write_text("#format x_y_z_r_matId\n# by hand\n" + "".join(rows))
        (dump,) = scree.export.FORMATS["lammps"]([frame], self.folder / "liggghts")
        for file, velocity in ((self.folder / "yade.txt", 0 * frame["velocity"]), (dump, frame["velocity"])):
            changes = {"initial": {"file": file}, "time": {"end": "1 ms"}, "output": {"every": "1 ms"}}
            first = scree.run(SPHERE, self.folder / "again", overwrite=True, **changes).frames[0]
            self.assertEqual(first.time, 0.0)
            order = [np.lexsort(result["position"].T) for result in (frame, first)]
            for name in ("position", "radius"):
                np.testing.assert_array_equal(first[name][order[1]], frame[name][order[0]], file)
            np.testing.assert_array_equal(first["velocity"][order[1]], velocity[order[0]], file)

    def test_output_goes_to_the_directory_that_the_scene_names(self):
        scene = self.folder / "here.ini"
        scene.write_text(SPHERE.read_text().replace("output/bouncing_sphere", str(self.folder / "there")))
        self.assertEqual(scree.run(scene, overwrite=True, **self.CHANGES).path, self.folder / "there")


class Package(ScriptTest):
    def test_all_public_names_exist(self):
        for name in scree.__all__:
            self.assertIsNotNone(getattr(scree, name))
        for name in dir(scree):
            getattr(scree, name)
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            scree.nothing

    def test_type_checkers_see_the_names_that_are_imported(self):
        text = (made_snapshot.SCRIPTS / "scree" / "__init__.py").read_text()
        typed_imports = text[text.index("if TYPE_CHECKING") : text.index("_MODULE_OF_NAME")]
        names = [word.split(" as ")[-1] for line in typed_imports.splitlines()[1:] for word in line.partition("import ")[2].split(", ")]
        self.assertEqual(sorted(filter(None, names)), sorted(scree.__all__))
        self.assertEqual(sorted(scree._MODULE_OF_NAME), sorted(scree.__all__))

    @skipped_unless(shutil.which("mypy"), "mypy is not installed")
    def test_type_checker_accepts_the_package(self):
        process = subprocess.run(["mypy", "--ignore-missing-imports", "--cache-dir", self.folder, "-p", "scree"],
                                 capture_output=True, text=True, cwd=made_snapshot.SCRIPTS)  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stdout)

    def test_package_and_program_have_the_same_version(self):
        versions = [
            re.search(pattern, (ROOT / file).read_text())[1]
            for file, pattern in (("CMakeLists.txt", r"project\(Scree VERSION (\S+)"),
                                  ("scripts/pyproject.toml", r'version = "(\S+)"'))
        ]  # fmt: skip
        self.assertEqual([*versions, scree.__version__], [versions[0]] * 3)

    @skipped_unless(all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))), "pip, setuptools or wheel is missing")
    def test_pip_installs_the_package(self):
        copy = self.folder / "scripts"
        subprocess.run(["cp", "-r", made_snapshot.SCRIPTS, copy], check=True)  # builds leave files behind
        pip = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
               "--quiet", "--target", self.folder / "installed", copy]  # fmt: skip
        process = subprocess.run(pip, capture_output=True, text=True)
        self.assertEqual(process.returncode, 0, process.stderr)
        run_path = made_run.steady(self.folder / "run")
        code = f"import scree; print(scree.__file__, len(scree.open({str(run_path)!r}).frames))"
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=self.folder,
                                 env=os.environ | {"PYTHONPATH": str(self.folder / "installed")})  # fmt: skip
        self.assertEqual(process.stdout.split(), [str(self.folder / "installed/scree/__init__.py"), "3"], process.stderr)
        self.assertTrue((self.folder / "installed/scree/viewer/viewer.js").is_file())


if __name__ == "__main__":
    unittest.main()
