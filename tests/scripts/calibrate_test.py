"""scripts/calibrate: plans, the surrogate, recovery of known parameters, failed and stopped runs, the page."""

import json
import re
import sys
import unittest
import unittest.mock

import made_run
import made_snapshot
from script_test import ScriptTest

import numpy as np

import scree.table
from _calibrate import command, page, plan, search, surrogate
from _study import running
from scree.errors import UsageError

TRUTH = (0.4, 0.1)  # friction, rolling friction
NOISE = 0.3  # standard deviation of the figures over seeds


def heap(friction, rolling):
    return 10.0 + 15.0 * np.tanh(2.0 * friction) + 60.0 * rolling


def drum(friction, rolling):
    return 30.0 + 20.0 * friction - 30.0 * rolling


def angle_of_sum(friction, rolling):
    """An angle that depends only on a sum of friction and rolling friction."""
    return 20.0 + 10.0 * friction + 30.0 * rolling


class Plans(ScriptTest):
    GOOD = ("[study]\nscene = silo\nseeds = 1 2\nruns = 60\n[vary]\ncontact.friction = 0.1 to 0.9\n"
            "wall.gate.radius = 5 to 10 mm\n[figures]\nn = last particles\n[targets]\nn = 27 +- 1\n")  # fmt: skip

    def read(self, text):
        (self.folder / "plan.ini").write_text(text)
        return plan.read(self.folder / "plan.ini")

    def test_plan_has_bounds_targets_and_runs(self):
        plan = self.read(self.GOOD)
        friction, radius = plan.parameters
        self.assertEqual((friction.text(0.5), radius.text(0.2)), ("0.5", "6 mm"))
        self.assertAlmostEqual(radius.fraction("6 mm"), 0.2)
        self.assertEqual((plan.targets[0].value, plan.targets[0].tolerance), (27.0, 1.0))
        self.assertEqual((plan.budget, plan.seeds, plan.runs_per_point), (60, ("1", "2"), 2))
        run = plan.experiments[""].run({"contact.friction": "0.5", "wall.gate.radius": "6 mm"}, "2")
        self.assertEqual(run.options, {"contact.friction": "0.5", "wall.gate.radius": "6 mm", "scene.seed": "2"})

    def test_each_experiment_has_its_scene_and_figures(self):
        plan = self.read("[study]\nseeds = 1 2\n[set]\ntime.end = 1 s\n[vary]\ncontact.friction = 0.1 to 0.9\n"
                         "[study.a]\nscene = silo\n[set.a]\ntime.end = 2 s\n[figures.a]\nn = last particles\n"
                         "[study.b]\nscene = hopper\n[figures.b]\nm = last contacts\n"
                         "[targets]\nm = 3 +- 1\nn = 2 +- .1\n")  # fmt: skip
        result = {name: (experiment.scene.stem, experiment.values["time.end"], *experiment.figures)
                  for name, experiment in plan.experiments.items()}
        self.assertEqual(result, {"a": ("silo", "2 s", "n"), "b": ("hopper", "1 s", "m")})
        self.assertEqual((plan.runs_per_point, plan.budget), (4, 80))

    def test_mistakes_are_reported(self):
        good = self.GOOD
        for words, text in {
            "n = 27: a target needs a tolerance": good.replace("27 +- 1", "27"),
            "tolerance must be greater than 0": good.replace("+- 1", "+- 0"),
            "contact.friction = 0.9 to 0.1: the bounds are reversed": good.replace("0.1 to 0.9", "0.9 to 0.1"),
            "expected LOW to HIGH UNIT": good.replace("0.1 to 0.9", "0.1, 0.9"),
            "'friction' is not a key of a scene": good.replace("contact.friction", "friction"),
            "target 'm' is not a figure; expected one of n": good.replace("n = 27", "m = 27"),
            "figure 'm' has no target": good.replace("[targets]", "m = last contacts\n[targets]"),
            "no key 'seed'": good.replace("seeds", "seed"),
            "no section [varied]": good.replace("[vary]", "[varied]"),
            "no section [set.heap]": good + "[set.heap]\ntime.end = 1 s\n",
            "[study.heap] has no key 'seeds'": good + "[study.heap]\nscene = silo\nseeds = 1\n",
            "[study] needs 'scene'": good.replace("scene = silo", ""),
            "expected mean, last": good.replace("last particles", "median particles"),
            "[vary] is empty": good.replace("[vary]\ncontact.friction = 0.1 to 0.9\nwall.gate.radius = 5 to 10 mm\n", ""),
            "is both in [vary] and in [set]": good + "[set]\ncontact.friction = 1\n",
            "runs = 9; expected a whole number from 24": good.replace("60", "9"),
        }.items():
            with self.subTest(words), self.assertRaises(UsageError) as raised:
                self.read(text)
            self.assertIn(words, str(raised.exception))

    def test_shipped_plans_are_complete(self):
        files = sorted((running.SCENES / "studies" / "calibration").glob("*.ini"))
        self.assertTrue(files)
        for file in files:
            self.assertGreater(plan.read(file).budget, 20)
            self.assertEqual(plan.read(file.stem).targets, plan.read(file).targets)


class Surrogates(unittest.TestCase):
    def test_surrogate_of_a_smooth_function_is_within_its_error(self):
        random = np.random.default_rng(1)
        u, points = random.random((40, 2)), random.random((200, 2))
        noise = np.full(40, 0.01)
        fitted = surrogate.Surrogate(u, heap(*u.T) + 0.1 * random.standard_normal(40), noise)
        mean, variance = fitted.predict(points)
        deviation = (mean - heap(*points.T)) / np.sqrt(variance)
        self.assertLess(np.abs(mean - heap(*points.T)).max(), 1.0)
        self.assertLess(np.sqrt(np.mean(deviation**2)), 1.5)
        np.testing.assert_allclose(np.diag(fitted.covariance(points)), variance, rtol=1e-6)

    def test_noise_is_fitted_if_it_is_not_known(self):
        random = np.random.default_rng(2)
        u = random.random((60, 1))
        fitted = surrogate.Surrogate(u, 20.0 * u[:, 0] + 0.5 * random.standard_normal(60))
        self.assertAlmostEqual(np.sqrt(fitted.noise_variance), 0.5, delta=0.12)

    def test_samples_have_the_moments_of_a_narrow_correlated_density(self):
        covariance = 0.02**2 * np.array([[1.0, 0.9], [0.9, 1.0]])
        inverse, centre = np.linalg.inv(covariance), np.array([0.7, 0.2])

        def log_density(u):
            return -0.5 * np.einsum("ki,ij,kj->k", u - centre, inverse, u - centre)

        u, value = surrogate.sample(log_density, 2, 4000, np.random.default_rng(3))
        np.testing.assert_allclose(u.mean(axis=0), centre, atol=0.003)
        np.testing.assert_allclose(np.cov(u.T), covariance, atol=0.15 * 0.02**2)
        np.testing.assert_allclose(value, log_density(u))


class Searches(ScriptTest):
    """Calibrations without runs: figures are functions of friction and rolling friction."""

    def search(self, tolerance=0.5, does_fail=lambda *values: False, runs=80, seeds="1 2", recorded=(), **figures):
        lines = "".join(f"{name} = last particles\n" for name in figures)
        targets = "".join(f"{name} = {figure(*TRUTH):.3f} +- {tolerance}\n" for name, figure in figures.items())
        (self.folder / "plan.ini").write_text(
            f"[study]\nscene = silo\nseeds = {seeds}\nruns = {runs}\n[vary]\ncontact.friction = 0.1 to 0.9\n"
            f"contact.rolling_friction = 0 to 0.3\n[figures]\n{lines}[targets]\n{targets}")  # fmt: skip
        self.plan, self.batches, self.evaluated = plan.read(self.folder / "plan.ini"), [], []

        def evaluate(points):
            for point in points:
                self.evaluated.append(point.texts)
                values = tuple(map(float, point.texts))
                random = np.random.default_rng(int(1e6 * sum(values)))
                for name, figure in figures.items():
                    point.values[name] = [figure(*values) + NOISE * random.standard_normal() for _ in self.plan.seeds]
                if does_fail(*values):
                    point.values, point.failures = {}, {"run": "no heap"}

        def record(batches):
            self.batches = list(batches)

        points, history = search.search(self.plan, evaluate, recorded, record)
        return page.Results(self.plan, points, history)

    def words(self, results):
        return " ".join(f"{kind}: {text}" for kind, text in results.remarks())

    def assert_finds_the_truth(self, results):
        for parameter, truth, mean, deviation in zip(self.plan.parameters, TRUTH, results.last.mean, results.last.deviation):
            self.assertLess(deviation, 0.1)
            self.assertLess(abs(mean - (truth - parameter.low) / (parameter.high - parameter.low)), 2.5 * deviation)

    def test_two_targets_give_the_truth_within_its_error(self):
        results = self.search(heap=heap, drum=drum)
        self.assert_finds_the_truth(results)
        # If the surrogate were exact, the posterior would have the covariance (J^T J)^-1 tolerance^2. J is `slope`:
        # the derivatives of the figures with respect to the scaled parameters.
        slope = np.array([[15.0 * 2.0 / np.cosh(0.8) ** 2 * 0.8, 18.0], [16.0, -9.0]])
        ideal = 0.5 * np.sqrt(np.diag(np.linalg.inv(slope.T @ slope)))
        np.testing.assert_allclose(results.last.deviation, ideal, rtol=0.25)
        words = self.words(results)
        self.assertIn("More runs would not narrow the posterior", words)
        self.assertNotIn("warning", words)
        self.assertNotIn("missed", words)
        self.assertLess(len(results.points), 25)
        self.assertEqual(results.points[-1].kind, "best")

    def test_one_angle_does_not_separate_sliding_from_rolling_friction(self):
        results = self.search(heap=angle_of_sum)
        self.assertRegex(self.words(results), r"contact.friction and contact.rolling_friction are correlated \(-0.9\d\): .*neither alone")
        self.assertGreater(results.spread.min(), 0.5)
        results.spread[:] = 0.3, 0.6
        self.assertIn("a combination of both, and contact.rolling_friction weakly at most", self.words(results))
        results.spread[:] = 0.3  # both are "determined" in the table
        self.assertIn("each only within its posterior: a larger value of one needs a smaller one", self.words(results))
        self.assertNotIn("are correlated", self.words(self.search(heap=angle_of_sum, drum=drum)))

    def test_mean_between_two_solutions_is_not_reported_as_a_solution(self):
        words = self.words(self.search(heap=lambda friction, rolling: 20.0 + 400.0 * (friction - 0.5) ** 2))
        self.assertIn("the mean of the posterior is no solution", words)
        self.assertNotIn("is no solution", self.words(self.search(heap=angle_of_sum)))

    def test_parameter_without_influence_is_not_determined(self):
        words = self.words(self.search(heap=lambda friction, rolling: 20.0 + 10.0 * friction))
        self.assertIn("contact.rolling_friction is not determined by the targets", words)
        self.assertNotIn("contact.friction is not determined", words)

    def test_targets_out_of_reach_are_reported(self):
        heap_out_of_reach = lambda friction, rolling: 60.0 if (friction, rolling) == TRUTH else heap(friction, rolling)  # noqa: E731
        words = self.words(self.search(heap=heap_out_of_reach))
        self.assertIn("target heap, 60 ± 0.5, is not met within the bounds", words)
        self.assertIn("the best contact.friction, 0.9, lies at its bound 0.9", words)

    def test_targets_that_few_runs_miss_are_not_called_out_of_reach(self):
        results = self.search(heap=lambda friction, rolling: 20.0 + 8.0 * np.sin(40.0 * friction), tolerance=0.01, runs=24, seeds="1")
        self.assertGreater(max(results.last.variance_shares), search.GOOD_SHARE)
        results.best.values = {"heap": [3.0]}
        self.assertIn("is not met by these few runs: it is 3", self.words(results))
        self.assertNotIn("within the bounds", self.words(results))

    def test_noise_is_fitted_if_there_is_one_seed(self):
        results = self.search(heap=heap, drum=drum, seeds="1", runs=40)
        self.assert_finds_the_truth(results)
        self.assertTrue(np.isnan(results.last.seed_errors["heap"]))
        self.assertIn("one seed does not measure the noise of a run", self.words(results))
        self.assertNotIn("one seed", self.words(self.search(heap=heap, drum=drum, runs=40)))

    def test_more_runs_are_recommended_where_they_help(self):
        results = self.search(heap=heap, drum=drum, tolerance=0.05, runs=28)
        self.assertEqual(len(results.points), 14)
        self.assertIn("more runs: 28 runs;", self.words(results))
        self.assertIn("above 28 and repeat the command", self.words(results))

    def test_failed_points_are_recorded_and_avoided(self):
        def does_fail(friction, rolling):
            return friction > 0.6

        results = self.search(heap=angle_of_sum, does_fail=does_fail)
        self.assertTrue(any(not point.is_complete for point in results.points[:10]))
        failed_later = [does_fail(*map(float, point.texts)) for point in results.points[10:]]
        self.assertLess(sum(failed_later), 0.35 * len(failed_later) + 1)
        fraction_above = np.mean(results.last.u[:, 0] > 0.75)  # friction above 0.7
        self.assertLess(fraction_above, 0.5 * np.mean(self.search(heap=angle_of_sum).last.u[:, 0] > 0.75))
        with self.assertRaisesRegex(search.TooFewValues, "no heap"):
            self.search(heap=angle_of_sum, does_fail=lambda *values: True)

    def test_search_with_recorded_batches_continues_as_without_interruption(self):
        uninterrupted = self.search(heap=heap, drum=drum, runs=50)
        batches = self.batches
        for kept_batches in (1, len(batches) - 1, len(batches)):
            with self.subTest(kept_batches):
                continued = self.search(heap=heap, drum=drum, runs=50, recorded=batches[:kept_batches])
                self.assertEqual([point.texts for point in continued.points], [point.texts for point in uninterrupted.points])
        extra_batch = [("search", ("0.5", "0.123"))]
        continued = self.search(heap=heap, drum=drum, runs=50, recorded=[batches[0], extra_batch])
        self.assertEqual(continued.points[len(batches[0])].texts, extra_batch[0][1])


# Replaces scree-run: writes the files of a run, its friction and seed. Fails with friction above 0.8; if a file `stop`
# exists, stops with friction above 0.5.
PROGRAM = """
import pathlib, shutil, sys
here = pathlib.Path({here!r})
if "--version" in sys.argv:
    print("Scree 0.1.0")
    sys.exit(0)
with open(here / "calls", "a") as calls:
    print(*sys.argv[1:], sep="|", file=calls)
if "--restart" in sys.argv:
    sys.exit(0)
values = {{sys.argv[k]: sys.argv[k + 1] for k in range(len(sys.argv) - 1)}}
directory = pathlib.Path(values["--output.directory"])
shutil.copytree(here / "run", directory, dirs_exist_ok=True)
(directory / "values").write_text(values["--contact.friction"] + " " + values["--scene.seed"])
if float(values["--contact.friction"]) > 0.8:
    print("it became invalid", file=sys.stderr)
    sys.exit(4)
if (here / "stop").exists() and float(values["--contact.friction"]) > 0.5:
    (directory / "checkpoints").mkdir(exist_ok=True)
    (directory / "checkpoints" / "latest").touch()
    sys.exit(75)
"""
FIGURE = """
def angle(run):
    friction, seed = map(float, (run.path / "values").read_text().split())
    return 10.0 + 30.0 * friction + 0.1 * seed
"""


class Calibrations(ScriptTest):
    script = "calibrate.py"
    PLAN = ("[study]\nscene = silo\nseeds = 1 2\nruns = 30\n[vary]\ncontact.friction = 0.1 to 0.9\n"
            "[figures]\nheap = angle in mine.py\n[targets]\nheap = 22.15 +- 0.5\n")  # fmt: skip

    def setUp(self):
        super().setUp()
        made_run.write(self.folder / "run", [{"step": 0}], {0: made_snapshot.made_fields(10, 1)})
        self.program = self.put_program("scree-run", PROGRAM.format(here=str(self.folder)), sys.executable)
        (self.folder / "mine.py").write_text(FIGURE)
        (self.folder / "plan.ini").write_text(self.PLAN)
        self.output = self.folder / "out"
        self.arguments = (self.folder / "plan.ini", "--program", self.program, "--output", self.output, "--jobs", "2")

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_page_snippet_and_tables_are_written(self):
        process = self.assert_runs(*self.arguments)
        self.assertRegex(process.stdout, r"\[contact\]\nfriction = 0\.4\d*  # best value; posterior: 0\.\d+ ± 0\.0\d+\n")
        text = (self.output / "calibrate.html").read_text()
        for words in ("22.15 ± 0.5", "failed runs", "exit code 4: it became invalid", "friction = 0.4", "enough"):
            self.assertIn(words, text)
        self.assertEqual(text.count("<img"), 2)
        self.assert_is_picture(self.output / "posterior.png")
        samples = scree.table.read(self.output / "posterior.csv")["contact.friction"]
        self.assertAlmostEqual(samples.mean(), 0.4, delta=0.02)
        points = scree.table.read(self.output / "calibrate.csv")
        self.assertEqual(2 * len(points["heap"]), len(self.calls()))
        self.assertTrue(np.isnan(points["heap"]).any())
        count = len(self.calls())
        # A search with six jobs would choose other points, but it begins with the recorded ones.
        self.assertIn("failed before", self.assert_runs(*self.arguments, "--jobs", "6").stdout)
        self.assertEqual(len(self.calls()), count)  # no run is repeated, not even a failed one

    def test_stopped_calibration_continues_and_repeats_no_run(self):
        (self.folder / "stop").touch()
        self.assert_refused(1, ["stopped after a checkpoint; the same command continues"], *self.arguments)
        self.assertFalse((self.output / "calibrate.html").exists())
        (self.folder / "stop").unlink()
        self.assert_runs(*self.arguments)
        restarts = [call for call in self.calls() if "--restart" in call]
        self.assertGreater(len(restarts), 0)
        first_calls = [call for call in self.calls() if "--restart" not in call]
        self.assertEqual(len(first_calls), len(set(first_calls)))

    def test_more_runs_continue_a_calibration(self):
        plan_file = self.folder / "plan.ini"
        plan_file.write_text(self.PLAN.replace("+- 0.5", "+- 0.01").replace("30", "18"))
        self.assertIn("Raise 'runs'", self.assert_runs(*self.arguments).stdout)
        plan_file.write_text(self.PLAN.replace("+- 0.5", "+- 0.01").replace("30", "24"))
        self.assert_runs(*self.arguments)
        self.assertEqual(len(set(self.calls())), len(self.calls()))
        self.assertIn(len(self.calls()), (22, 24))  # the best point may have been run before

    def test_trial_with_fewer_runs_and_seeds_can_be_extended(self):
        process = self.assert_runs(*self.arguments, "--runs", "8", "--seeds", "1")
        self.assertRegex(process.stdout, r"after 6 of at most 8 runs \(remaining runs: \d+ s\): contact.friction")
        self.assertIn(len(self.calls()), (7, 8))
        first = set(self.calls())
        self.assert_runs(*self.arguments)
        self.assertEqual(len(set(self.calls())), len(self.calls()))  # runs of the trial are not repeated
        self.assertGreaterEqual(len(self.calls()), 2 * len(first))
        self.assert_refused(2, ["runs = 8; expected a whole number from 16", "8 with --seeds 1"], *self.arguments, "--runs", "8")

    def test_points_of_an_earlier_call_are_limited_by_the_number_of_runs(self):
        self.assert_runs(*self.arguments, "--seeds", "1")  # up to 30 points
        count = len(json.loads((self.output / command.POINTS).read_text())["batches"])
        process = self.assert_runs(*self.arguments, "--runs", "18")
        self.assertIn("beyond 18 runs, with 2 runs for each point, are left out", process.stdout)
        self.assertLessEqual(max(int(k) for k in re.findall(r"after (\d+) of at most 18 runs", process.stdout)), 18)
        self.assertGreaterEqual(len(json.loads((self.output / command.POINTS).read_text())["batches"]), count)
        continued = self.assert_runs(*self.arguments, "--runs", "18")
        self.assertEqual(len(set(self.calls())), len(self.calls()))
        self.assertEqual(continued.stdout.split("[contact]")[1], process.stdout.split("[contact]")[1])

    def test_remaining_time_follows_from_the_slowest_batch(self):
        with unittest.mock.patch("time.monotonic", side_effect=[0.0, 40.0, 40.1]):
            progress = command.Pace()
            self.assertEqual(progress.remaining_time(20, 110), " (remaining runs: 3 min)")
            self.assertEqual(progress.remaining_time(70, 110), " (remaining runs: 80 s)")

    def test_calibration_without_valid_run_is_an_error(self):
        (self.folder / "plan.ini").write_text(self.PLAN.replace("0.9", "0.7"))
        for figure, words in {"raise ValueError('no heap')": "no heap", "return float('nan')": "heap is not a number"}.items():
            (self.folder / "mine.py").write_text(f"def angle(run):\n    {figure}\n")
            with self.subTest(words):
                self.assert_refused(1, ["a target needs figures of at least two points", words], *self.arguments)

    def test_bad_usage_is_refused(self):
        self.assert_refused(3, ["there is no plan", "none.ini", "heap_and_drum"], self.folder / "none.ini")
        self.assert_refused(3, ["did you mean 'heap_and_drum'"], "heap_and_dru")
        self.assert_refused(3, ["--program"], self.folder / "plan.ini", "--program", self.folder / "none")
        self.assert_runs(*self.arguments)
        (self.folder / "plan.ini").write_text(self.PLAN.replace("contact.friction", "contact.restitution"))
        self.assert_refused(2, ["is of a calibration of contact.friction", "expected another --output"], *self.arguments)
        (self.output / command.POINTS).write_text("[]")
        self.assert_refused(3, ["points.json", "delete it to begin again"], *self.arguments)


if __name__ == "__main__":
    unittest.main()
