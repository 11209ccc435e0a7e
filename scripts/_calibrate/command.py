"""The command line of a calibration."""

import json
import pathlib
import sys
import time

import numpy as np

import _command_line
import _study.command
import scree.whole_file
from _calibrate import page, plan, search
from _study.running import RunStopped, print_line
from scree.errors import FileError, UsageError

OUTPUT = pathlib.Path("output/calibrate")
POINTS = "points.json"  # file in the output folder with the points chosen so far


def evaluate(calibration, runner, points):
    """Runs points with all seeds in all experiments, and fills in their figures; raises RunStopped."""
    keys = [parameter.key for parameter in calibration.parameters]
    points_and_seeds = [(dict(zip(keys, point.texts)), seed) for point in points for seed in calibration.seeds]
    runs = {name: [(values, seed, experiment.run(values, seed)) for values, seed in points_and_seeds]
            for name, experiment in calibration.experiments.items()}  # fmt: skip
    cases = {name: name or "runs" for name in runs}
    outcome = runner.run_all({cases[name]: [run for *_, run in runs[name]] for name in runs})
    for error in outcome.values():
        if isinstance(error, RunStopped):
            raise error
    for name, experiment in calibration.experiments.items():
        figures, failed = _study.command.measure_runs(experiment, runner, runs[name], outcome, cases[name])
        for point in points:
            figures_of_seeds = [figures[point.texts, seed] for seed in calibration.seeds if (point.texts, seed) in figures]
            for figure in experiment.figures:
                values = [figures_of_seed[figure][0] for figures_of_seed in figures_of_seeds]
                point.values[figure] = [value for value in values if np.isfinite(value)]
            names = [run.name for values, _, run in runs[name] if tuple(values.values()) == point.texts]
            point.failures |= {f"{cases[name]}/{run}": failed[run] for run in names if run in failed}


def read_points(file, calibration):
    """Batches of an earlier call, [[(kind, texts)]]; raises FileError, or UsageError if they have other parameters."""
    if not file.exists():
        return []
    keys = [parameter.key for parameter in calibration.parameters]
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        batches = [[(kind, tuple(texts)) for kind, texts in batch] for batch in stored["batches"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"'{file}' cannot be read: {error!r}; delete it to begin again") from error
    if stored["parameters"] != [[parameter.key, parameter.unit] for parameter in calibration.parameters]:
        others = ", ".join(key for key, _ in stored["parameters"])
        raise UsageError(f"'{file}' is of a calibration of {others}, but the plan varies {', '.join(keys)}; expected "
                         "another --output")  # fmt: skip
    return batches


def split_at_budget(batches, calibration):
    """(batches within the plan's budget, later batches) of an earlier call.

    One point of the budget is reserved for the best values.
    """
    points, max_points = 0, calibration.budget // calibration.runs_per_point
    for k, batch in enumerate(batches):
        points += len(batch)
        if points > max_points - (batch[-1][0] != "best"):
            return batches[:k], batches[k:]
    return batches, []


class Pace:
    """Estimates the time of the remaining runs from the slowest batch, because runs of earlier calls take no time."""

    def __init__(self):
        self.runs, self.time, self.slowest = 0, time.monotonic(), 0.0

    def remaining_time(self, runs, budget):
        """Text on the remaining time after `runs` of `budget` runs; empty at the end."""
        now = time.monotonic()
        self.slowest = max(self.slowest, (now - self.time) / max(1, runs - self.runs))
        self.runs, self.time = runs, now
        seconds = self.slowest * (budget - runs)
        return "" if runs >= budget else f" (remaining runs: {seconds:.0f} s)" if seconds < 120 else f" (remaining runs: {seconds / 60:.0f} min)"


def calibrate(words, description):
    """Runs the calibration of a user's plan; returns the exit code.  words: command line"""
    parser = _study.command.Parser("NAME OF THE PLAN", description, jobs=None, usage="%(prog)s PLAN.ini [option ...]")
    parser.set_defaults(output=OUTPUT / "NAME OF THE PLAN")
    parser.add_argument("plan", type=pathlib.Path, help="file of targets, bounds and experiments, or the name of a shipped one, heap_and_drum")
    parser.add_argument("--runs", type=_command_line.count, metavar="N", help="largest number of runs, in place of the plan's, for a first trial")
    parser.add_argument("--seeds", type=_command_line.count, metavar="N", help="only the first N seeds of the plan")
    arguments = parser.parse_args(words)
    calibration = plan.read(arguments.plan, arguments.runs, arguments.seeds)
    if arguments.output == parser.get_default("output"):
        arguments.output = OUTPUT / calibration.name
    runner = _study.command.runner_of(arguments, calibration.ranks, repeats_failed=False)
    file = arguments.output / POINTS
    recorded, later = split_at_budget(read_points(file, calibration), calibration)
    if later:
        print_line(f"points of an earlier call beyond {calibration.budget} runs, with {calibration.runs_per_point} runs for each point, "
                   "are left out; a larger --runs uses them")  # fmt: skip

    def record(batches):
        keys = [[parameter.key, parameter.unit] for parameter in calibration.parameters]
        file.parent.mkdir(parents=True, exist_ok=True)
        scree.whole_file.write(file, json.dumps({"parameters": keys, "batches": [*batches, *later]}, indent=1))

    pace = Pace()

    def report(posterior):
        values = [f"{name} {value}" for name, value in page.means(posterior).items()]
        remaining_time = pace.remaining_time(posterior.runs, calibration.budget)
        print_line(f"after {posterior.runs} of at most {calibration.budget} runs{remaining_time}: {', '.join(values)}")

    try:
        points, history = search.search(calibration, lambda new: evaluate(calibration, runner, new), recorded, record,
                                        -(-runner.jobs // calibration.runs_per_point), report)  # fmt: skip
    except (RunStopped, search.TooFewValues) as error:
        reason = "" if isinstance(error, RunStopped) else "a target needs figures of at least two points: "
        print(f"error: {reason}{error}", file=sys.stderr)
        return 1
    results = page.Results(calibration, points, history)
    page.write(results, arguments.output, [f"{calibration.ranks} rank(s) a run. {runner.version}."])
    print(results.snippet)
    for verdict, text in results.remarks():
        print(f"{verdict}: {text}")
    return 0
