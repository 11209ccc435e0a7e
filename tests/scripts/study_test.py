"""scripts/study: plans, new and kept runs, figures with errors, the page."""

import pathlib
import sys
import types
import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

import numpy as np

import scree.directory
import scree.program
import scree.table
from _study import command, measures, page, plan, running
from _study.running import Run
from scree.errors import FileError, UsageError


class Plans(ScriptTest):
    def read(self, text):
        (self.folder / "plan.ini").write_text(text)
        return plan.read(self.folder / "plan.ini")

    def test_every_combination_of_values_and_seeds_has_a_run(self):
        plan = self.read("[study]\nscene = silo\nseeds = 1 2\n[set]\ntime.end = 1 ms\n"
                         "[vary]\ncontact.friction = 0.1, 0.5\nwall.floor.hole = 6 to 8 mm in 3\n"
                         "[figures]\nn = last particles\n")  # fmt: skip
        runs = plan.runs()
        self.assertEqual(len(runs), 12)
        point, seed, run = runs[3]
        self.assertEqual((point, seed), ({"contact.friction": "0.1", "wall.floor.hole": "7 mm"}, "2"))
        self.assertEqual(run.options, {"time.end": "1 ms", **point, "scene.seed": "2"})
        self.assertEqual(len({each_run.name for *_, each_run in runs}), 12)

    def test_byte_order_mark_of_an_editor_is_skipped(self):
        (self.folder / "plan.ini").write_text("[study]\nscene = silo\n[figures]\nn = last particles\n", encoding="utf-8-sig")
        self.assertEqual(len(plan.read(self.folder / "plan.ini").runs()), 1)

    def test_columns_of_joints_and_free_walls_have_the_units_of_their_motions(self):
        plan = self.read("[study]\nscene = screw_conveyor\n[figures]\nspeed = mean joint_screw_speed from 3 s\n"
                         "torque = last joint_screw_motor\nflow = mean outflow.mass_flow\n")  # fmt: skip
        self.assertEqual([measure.unit for measure in plan.figures.values()], ["rad/s", "N m", "kg/s"])
        for figure, words in (("mean joint_scrw_speed", r"no \[joint.scrw\] \(did you mean 'screw'\?\); it has screw"),
                              ("mean outflw.mass_flow", r"no \[average.outflw\] \(did you mean 'outflow'\?\)")):  # fmt: skip
            with self.assertRaisesRegex(UsageError, words):
                self.read(f"[study]\nscene = screw_conveyor\n[figures]\nn = {figure}\n")
        plan = self.read("[study]\nscene = shear_cell_pressure\n[figures]\ntravel = last wall_lid_travel\nspeed = slope wall_lid_travel\n"
                         "stress = mean shear_stress\nother = slope wall_other_travel\n")  # fmt: skip
        self.assertEqual([measure.unit for measure in plan.figures.values()], ["m", "m/s", "Pa", ""])
        self.read("[study]\nscene = silo\n[set]\naverage.out.plane = 0 0 0\n[figures]\nn = mean out.mass_flow\n")
        (self.folder / "broken.ini").write_text("no scene")  # the program reports this mistake
        plan = self.read("[study]\nscene = broken.ini\n[figures]\nt = last joint_a_motor\n")
        self.assertEqual(plan.figures["t"].unit, "")

    def test_averages_of_several_cells_or_kinds_are_no_figures(self):
        scene = "[material.a]\n[material.b]\n[shape.rod]\n[average.p]\nevery = 1 ms\ninterval = 10 ms\n"
        (self.folder / "scene.ini").write_text(scene)
        figures = "[study]\nscene = scene.ini\n[figures]\nn = mean p.speed\n"
        self.read(figures)
        for changes, words in {"cells = 1x2x3": r"\[average.p\] has 6 cells; a figure needs one", "by = material": "has 2 materials or shapes",
                               "by = shape": "has 2 materials or shapes"}.items():  # fmt: skip
            with self.subTest(changes), self.assertRaisesRegex(UsageError, rf"\[figures\] n: .*{words}"):
                self.read(f"{figures}[set]\naverage.p.{changes}\n")
        (self.folder / "scene.ini").write_text(f"{scene}cells = 1x1x3\n")
        with self.assertRaisesRegex(UsageError, "has 3 cells"):
            self.read(figures)
        self.read(f"{figures}[set]\naverage.p.cells = 1x1x1\n")

    def test_figure_is_plotted_against_another_with_error_bars_and_a_logarithmic_axis(self):
        plan = self.read("[study]\nscene = silo\nseeds = 1 2\nx = I\nlog = x\n[vary]\ncontact.friction = 0.1, 0.5\n"
                         "[figures]\nI = last particles\nmu = last contacts\n")  # fmt: skip
        measured = {(point, seed): {"I": (number, 0.0), "mu": (0.2 + number, 0.0)} for point, seed, number in
                ((("0.1",), "1", 0.1), (("0.1",), "2", 0.3), (("0.5",), "1", 1.0), (("0.5",), "2", 1.0))}  # fmt: skip
        picture = page.picture(page.Results(plan, measured, {}), "mu")
        axes = picture.axes[0]
        line = axes.containers[0].lines[0]
        np.testing.assert_allclose(line.get_xydata(), [[0.2, 0.4], [1.0, 1.2]])
        self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.get_xlabel()), ("log", "linear", "I"))
        horizontal, vertical = axes.containers[0].lines[2]
        np.testing.assert_allclose(horizontal.get_segments()[0], [[0.1, 0.4], [0.3, 0.4]])
        np.testing.assert_allclose(vertical.get_segments()[0], [[0.2, 0.3], [0.2, 0.5]])

    def test_last_unit_applies_to_all_values_without_a_unit(self):
        self.assertEqual(plan.values("a.b", "1, 2, 3 mm"), ["1 mm", "2 mm", "3 mm"])
        self.assertEqual(plan.values("a.b", "1 cm, 2 mm"), ["1 cm", "2 mm"])
        self.assertEqual(plan.values("a.b", "yes, no"), ["yes", "no"])
        self.assertEqual(plan.values("a.b", "0 to 1 in 3"), ["0", "0.5", "1"])

    def test_mistakes_are_reported(self):
        good = "[study]\nscene = silo\n[figures]\nn = last particles\n"
        for words, text in {
            "no section [varied]": good + "[varied]\na.b = 1\n",
            "scene = sillo": good.replace("silo", "sillo"),
            "seeds = 1 1": good.replace("[figures]", "seeds = 1 1\n[figures]"),
            "x = m is not a figure; [figures] has n": good.replace("[figures]", "x = m\n[figures]"),
            "x = nn is not a figure (did you mean 'n'?)": good.replace("[figures]", "x = nn\n[figures]"),
            "no key 'seed' (did you mean 'seeds'?)": good.replace("[figures]", "seed = 1\n[figures]"),
            "log = z": good.replace("[figures]", "log = z\n[figures]"),
            "ranks = 0": good.replace("[figures]", "ranks = 0\n[figures]"),
            "[figures] is empty": "[study]\nscene = silo\n",
            "expected mean, last": good + "m = median particles\n",
            "no file": good + "m = angle in mine.py\n",
            "chooses its times itself": good + "m = angle in mine.py from 1 s\n",
            "is not a key of a scene": good + "[vary]\nfriction = 1, 2\n",
            "a value is empty": good + "[vary]\ncontact.friction = 1,,2\n",
            "a value twice": good + "[vary]\ncontact.friction = 1, 1\n",
            "two values or more": good + "[vary]\ncontact.friction = 0 to 1 in 1\n",
        }.items():
            with self.subTest(words), self.assertRaises(UsageError) as raised:
                self.read(text)
            self.assertIn(words, str(raised.exception))
        with self.assertRaises(FileError):
            plan.read(self.folder / "none.ini")


class Measures(ScriptTest):
    def setUp(self):
        super().setUp()
        self.directory = scree.directory.read(made_run.steady(self.folder / "run"))

    def evaluate(self, text):
        return measures.parse("figure", text, self.folder).evaluate(self.directory)

    def test_measures_use_the_rows_in_their_window(self):
        self.directory.columns["deleted"] = 7.0 * self.directory.columns["time"]
        value, error = self.evaluate("slope deleted from 5 ms to 60 ms")
        self.assertAlmostEqual(value, 7.0)
        self.assertAlmostEqual(error, 0.0)
        time, particles = self.directory.columns["time"], self.directory.columns["particles"]
        in_window = (time > 9.9e-3) & (time < 20.1e-3)
        self.assertAlmostEqual(self.evaluate("mean particles from 10 ms to 20 ms")[0], particles[in_window].mean())
        self.assertEqual(self.evaluate("last particles")[0], particles[-1])
        self.assertEqual(self.evaluate("largest particles")[0], particles.max())

    def write_probe(self, times, values):
        """Writes averages/probe.csv with a row for each (time_from, time_to) [s]."""
        (self.folder / "run" / "averages").mkdir()
        lines = ["time_from,time_to,speed", *(f"{begin},{end},{value}" for (begin, end), value in zip(times, values))]
        (self.folder / "run" / "averages" / "probe.csv").write_text("\n".join([*lines, ""]))

    def test_incomplete_last_interval_of_an_average_does_not_count(self):
        self.write_probe([(0.0, 9.99e-3), (0.01, 0.01999), (0.02, 0.02)], [1.0, 3.0, 50.0])
        for text, expected in {"mean": 2.0, "last": 3.0, "largest": 3.0, "slope": 200.0}.items():
            self.assertAlmostEqual(self.evaluate(f"{text} probe.speed")[0], expected)
        with self.assertRaisesRegex(UsageError, "no whole interval of averages/probe.csv"):
            self.evaluate("last probe.speed from 20 ms")

    def test_tables_with_several_rows_in_an_interval_are_refused(self):
        self.write_probe([(0.0, 0.01), (0.01, 0.02)], [1.0, 3.0])
        probe = self.folder / "run" / "averages" / "probe.csv"
        for title, cells, words in (("i,j,k", ("0,0,0", "0,1,0", "1,0,0"), "3 cells"), ("shape", ("sphere", "rod"), "2 materials or shapes")):
            rows = [f"{times},{cell},1" for times in ("0,0.01", "0.01,0.02") for cell in cells]
            probe.write_text("\n".join([f"time_from,time_to,{title},speed", *rows, ""]))
            with self.subTest(words), self.assertRaisesRegex(UsageError, rf"\[average.probe\] has {words}; a figure needs one"):
                self.evaluate("mean probe.speed")

    def test_intervals_of_one_frame_count(self):
        self.write_probe([(0.0, 0.0), (0.01, 0.01)], [1.0, 3.0])
        self.assertEqual(self.evaluate("last probe.speed")[0], 3.0)

    def test_rounding_of_times_loses_no_interval(self):
        self.write_probe([(0.05, 0.060000000000000005), (0.060000000000000005, 0.07), (0.07, 0.08)], [1.0, 3.0, 8.0])
        for window, expected in {"from 50 ms to 60 ms": 1.0, "from 0 s to 70 ms": 2.0, "from 0.06 s to 0.07 s": 3.0}.items():
            self.assertEqual(self.evaluate(f"mean probe.speed {window}")[0], expected)

    def test_rows_without_a_measurement_do_not_count(self):
        particles = self.directory.columns["particles"].astype(float)
        self.directory.columns["particles"] = np.where(np.arange(len(particles)) < 2, np.nan, particles)
        self.assertEqual(self.evaluate("mean particles")[0], particles[2:].mean())
        self.directory.columns["particles"][:] = np.nan
        with self.assertRaisesRegex(UsageError, "'particles' has no value"):
            self.evaluate("last particles")

    def test_missing_columns_are_reported(self):
        for words, text in {"no column 'nothing'": "mean nothing", "no row": "mean particles from 9 s"}.items():
            with self.subTest(words), self.assertRaises(UsageError) as raised:
                self.evaluate(text)
            self.assertIn(words, str(raised.exception))

    def test_function_of_the_user_is_called(self):
        (self.folder / "mine.py").write_text("def count(run):\n    return len(run.snapshots), 0.5\n")
        self.assertEqual(self.evaluate("count in mine.py"), (3.0, 0.5))

    def test_mean_over_seeds_has_a_standard_error(self):
        mean, error, count = page.mean_over_seeds([(1.0, 9.0), (2.0, 9.0), (3.0, 9.0), page.NO_FIGURES])
        self.assertEqual((mean, count), (2.0, 3))
        self.assertAlmostEqual(error, 1.0 / np.sqrt(3.0))
        self.assertEqual(page.mean_over_seeds([(1.0, 0.25)]), (1.0, 0.25, 1))


class Heaps(unittest.TestCase):
    def test_angle_of_a_cone_of_points_is_that_of_the_cone(self):
        random = np.random.default_rng(1)
        radius, height = 0.05, 0.05 * np.tan(np.radians(25.0))
        position = random.uniform([-radius, -radius, 0.0], [radius, radius, height], (400_000, 3))
        position = position[np.hypot(position[:, 0], position[:, 1]) < radius * (1.0 - position[:, 2] / height)]
        heap = made_snapshot.in_memory(made_snapshot.fields_at(position, 1e-3), (0.1, 0.1, 0.1))
        angle, error = measures.angle_of_repose(types.SimpleNamespace(frames=[heap]), -np.inf, np.inf)
        self.assertAlmostEqual(angle, 25.0, delta=0.3)
        self.assertLess(error, 0.3)


class Drums(ScriptTest):
    def frames(self, rate, angles):
        """Snapshots of one grain, the middle of a bed at these angles [°].  rate: of the drum about y [1/s]"""
        scene = (f"[scene]\ngravity = 0 0 -9.81 m/s^2\n[wall.drum]\nshape = pipe\nfrom = 0 0 0 m\nto = 0 1 0 m\n"
                 f"angular_velocity = 0 {rate} 0 1/s\n")  # fmt: skip
        for angle in np.radians(angles):
            position = np.array([[-np.sin(angle), 0.0, -np.cos(angle)]]) * 0.03
            yield made_snapshot.in_memory(made_snapshot.fields_at(position, 1e-3), (0.1, 0.1, 0.1), configuration=scene)

    def test_angle_of_the_bed_is_the_mean_over_the_frames(self):
        frames = list(self.frames(3.0, [30.0, 34.0, 32.0]))
        run = types.SimpleNamespace(frames=types.SimpleNamespace(between=lambda begin, end: frames))
        measure = measures.parse("drum", "angle_of_drum from 0.2 s", self.folder)
        self.assertAlmostEqual(measure.evaluate(run)[0], 32.0)
        self.assertEqual((measure.unit, measure.begin), ("°", 0.2))
        for words, bad_frames in {"the scene has no drum": list(self.frames(0.0, [30.0])), "no snapshot": []}.items():
            frames = bad_frames
            with self.subTest(words), self.assertRaises(UsageError) as raised:
                measure.evaluate(run)
            self.assertIn(words, str(raised.exception))


# Replaces scree-run: records its arguments and writes the files of a run. On request, it fails or stops early.
PROGRAM = """
import pathlib, shutil, sys
here = pathlib.Path({here!r})
if "--version" in sys.argv:
    print("Scree 0.1.0")
    sys.exit(0)
with open(here / "calls", "a") as calls:
    print(*sys.argv[1:], sep="|", file=calls)
if "fail" in sys.argv:
    print("no such thing", file=sys.stderr)
    sys.exit(2)
option = "--restart" if "--restart" in sys.argv else "--output.directory"
directory = pathlib.Path(sys.argv[sys.argv.index(option) + 1])
shutil.copytree(here / "run", directory, dirs_exist_ok=True)
if (here / "stop").exists():
    (directory / "checkpoints").mkdir()
    (directory / "checkpoints" / "latest").touch()
    sys.exit(75)
"""


class WithProgram(ScriptTest):
    def setUp(self):
        super().setUp()
        made_run.steady(self.folder / "run")
        self.program = self.put_program("scree-run", PROGRAM.format(here=str(self.folder)), sys.executable)

    def calls(self):
        path = self.folder / "calls"
        return [line.split("|") for line in path.read_text().splitlines()] if path.exists() else []


class Runs(WithProgram):
    def run_all(self, runs):
        runner = running.Runner(self.program, [], self.folder / "out", 2, report=lambda words: None)
        return runner, runner.run_all({"case": runs})

    def test_options_particles_and_the_previous_run_are_passed_to_the_program(self):
        first = Run("first", "settle_box", {"contact.friction": 0.1}, {"x": np.array([0.25])})
        second = Run("second", "settle_box", after="first")
        runner, outcome = self.run_all([second, first])
        self.assertEqual(set(outcome.values()), {None})
        first_call, second_call = self.calls()
        self.assertEqual(pathlib.Path(first_call[0]).name, "settle_box.ini")
        self.assertEqual(first_call[first_call.index("--contact.friction") + 1], "0.1")
        self.assertEqual(pathlib.Path(first_call[first_call.index("--initial.file") + 1]).read_text(), "x\n0.25\n")
        self.assertIn("first/snapshots/step_000000003000.h5", second_call[second_call.index("--initial.file") + 1])
        self.assertEqual(runner.read("case", [first])["first"].columns["particles"].shape, (64,))

    def test_finished_runs_are_kept_until_something_changes(self):
        run = Run("one", "settle_box", {"scene.seed": 1})
        self.run_all([run])
        self.run_all([run])
        self.assertEqual(len(self.calls()), 1)
        self.run_all([Run("one", "settle_box", {"scene.seed": 2})])
        self.assertEqual(len(self.calls()), 2)
        self.program.write_text(self.program.read_text() + "# another program\n")
        self.run_all([Run("one", "settle_box", {"scene.seed": 2})])
        self.assertEqual(len(self.calls()), 3)

    def test_checkpoints_of_other_values_are_not_continued(self):
        (self.folder / "stop").touch()
        self.run_all([Run("one", "settle_box")])
        (self.folder / "stop").unlink()
        for _ in range(2):  # the program ends before it clears the folder
            self.run_all([Run("one", "settle_box", {"fail": "fail"})])
        self.assertEqual(sum("--restart" in call for call in self.calls()), 0)

    def test_run_after_a_repeated_run_is_repeated(self):
        def pair(seed):
            first = Run("first", "settle_box", {"scene.seed": seed})
            return [first, Run("second", "settle_box", after="first")]

        self.run_all(pair(1))
        self.run_all(pair(2))
        self.assertEqual(len(self.calls()), 4)

    def test_failure_is_reported_and_the_next_runs_do_not_start(self):
        runs = [Run("first", "settle_box", {"fail": "fail"}), Run("second", "settle_box", after="first")]
        _, outcome = self.run_all(runs)
        self.assertIn("exit code 2: no such thing", str(outcome["case", "first"]))
        self.assertIn("which failed", str(outcome["case", "second"]))
        self.assertEqual(len(self.calls()), 1)
        self.run_all(runs)
        self.assertEqual(len(self.calls()), 2)

    def test_case_that_cannot_be_analysed_is_reported(self):
        run = Run("one", "settle_box")
        runner = running.Runner(self.program, [], self.folder / "out", 1, report=lambda words: None)
        outcome = runner.run_all({"case": [run]})
        for analyse, result in ((lambda runs: runs["another"], "KeyError('another')"),
                                (lambda runs: len(runs["one"].snapshots), "3")):
            self.assertIn(result, str(command.analyse_runs("case", analyse, [run], runner, outcome)))

    def test_missing_program_is_reported(self):
        with self.assertRaises(FileError):
            scree.program.found(str(self.folder / "none"))


class Study(WithProgram):
    script = "study.py"
    PLAN = ("[study]\nscene = silo\nseeds = 1 2\n[vary]\ncontact.friction = 0.1, 0.5\nsolver.sweeps = 5, 10\n"
            "[figures]\nn = mean particles from 5 ms\nmost = largest closed_contacts\n")  # fmt: skip

    def setUp(self):
        super().setUp()
        (self.folder / "mine.ini").write_text(self.PLAN)
        self.arguments = (self.folder / "mine.ini", "--program", self.program, "--output", self.folder / "study")

    def test_page_pictures_and_table_are_written(self):
        process = self.assert_runs(*self.arguments)
        self.assertEqual(process.stdout.splitlines()[-1], str(self.folder / "study/study.html"))
        self.assertEqual(len(self.calls()), 8)
        table = scree.table.read(self.folder / "study/study.csv")
        self.assertEqual(len(table["n"]), 8)
        self.assertIn("n_error", table)
        self.assert_is_picture(self.folder / "study/n.png")
        text = (self.folder / "study/study.html").read_text()
        self.assertEqual(text.count("<img"), 2)
        self.assertIn("8 runs of silo", text)
        self.assert_runs(*self.arguments)
        self.assertEqual(len(self.calls()), 8)  # no further runs

    def test_parts_for_job_arrays_are_collected(self):
        for part in ("1/3", "2/3", "3/3"):
            self.assert_runs(*self.arguments, "--part", part)
        self.assertEqual(len(self.calls()), 8)
        self.assertFalse((self.folder / "study/study.html").exists())
        self.assert_runs(*self.arguments)
        self.assertEqual(len(self.calls()), 8)

    def test_failed_run_is_reported_and_the_others_have_their_page(self):
        (self.folder / "mine.ini").write_text(self.PLAN.replace("0.5", "fail"))
        self.assert_refused(1, ["contact.friction_fail", "no such thing"], *self.arguments)
        text = (self.folder / "study/study.html").read_text()
        self.assertIn("4 of 8 runs are missing, or failed", text)

    def test_stopped_run_continues_from_its_checkpoint(self):
        (self.folder / "stop").touch()
        self.assert_refused(1, ["stopped after a checkpoint; the same command continues"], *self.arguments)
        (self.folder / "stop").unlink()
        self.assert_runs(*self.arguments)
        self.assertEqual(sum("--restart" in call for call in self.calls()), 8)

    def test_bad_usage_is_refused(self):
        self.assert_refused(2, ["no plan 'nothing'", "one of the shipped plans angle_of_repose, ", "validation"], "nothing")
        self.assert_refused(2, ["K/N"], *self.arguments, "--part", "3/2")
        self.assert_refused(3, ["--program"], self.folder / "mine.ini", "--program", self.folder / "none")

    def test_shipped_plans_are_short_and_complete(self):
        for file in sorted((running.SCENES / "studies").glob("*.ini")):
            with self.subTest(file.name):
                self.assertLessEqual(len(file.read_text().splitlines()), 24)
                self.assertGreater(len(plan.read(file).runs()), 1)
                self.assertEqual(plan.read(file.stem).scene, plan.read(file).scene)


if __name__ == "__main__":
    unittest.main()
