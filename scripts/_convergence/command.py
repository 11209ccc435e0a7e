"""Measures errors of computed flows and piles at different sweeps, steps and schemes.

Each study continues one state of a shipped scene with every setting. Quantities that users typically read from such a
run are compared with those of the finest run, which has 200 sweeps and a quarter of the step. The uncertainty of an
error follows from the scatter between five parts of each of the two runs. OUTPUT/convergence.html has a table and a
picture of each study, convergence.png a summary picture, convergence.csv the numbers. Times are the wall-clock times of
the runs. They are meaningful if runs are made one at a time (--jobs 1, the default) on an idle machine. Finished runs
of the same program and values are not repeated.
"""

import functools
import pathlib

import scree.figure
import scree.table
from _convergence import page
from _convergence.studies import SETTINGS, STUDIES, dense_study
from _study import command
from scree.errors import UsageError


def time_of(run):
    """Wall-clock time of the steps [s]."""
    timing = scree.table.read(run.path / "timing.csv", ("wall_seconds",))
    return timing["wall_seconds"][-1]


def measure(study, runs):
    """The page.Measured of a study.  runs: {name: scree.directory.Run}"""
    measured_runs = list(runs.values())[len(study.prepared):]
    by_label = {setting.label: study.measure(run.columns) for setting, run in zip(SETTINGS, measured_runs)}
    return page.Measured({label: figures for label, (figures, _) in by_label.items()},
                         {label: uncertainty for label, (_, uncertainty) in by_label.items()},
                         {setting.label: time_of(run) for setting, run in zip(SETTINGS, measured_runs)})  # fmt: skip


def choose_studies(parser, arguments):
    """The requested studies; without --only all studies with a state to start from."""
    studies = dict(STUDIES)
    if arguments.dense is not None:
        if not arguments.dense.exists():
            raise UsageError(f"--dense: there is no file '{arguments.dense}'")
        studies["dense"] = dense_study(arguments.dense.resolve())
    names = parser.chosen(arguments)
    if arguments.only and "dense" in names and "dense" not in studies:
        raise UsageError("the study 'dense' needs a state to begin with: --dense STATE")
    return [studies[name] for name in names if name in studies]


def options():
    parser = command.Parser("convergence", __doc__, [*STUDIES, "dense"])
    parser.add_argument("--dense", type=pathlib.Path, metavar="STATE",
                        help="also study the full channel, starting from this snapshot of its steady flow "
                        "(scripts/reproduce_channel --end \"0.3 s\" makes one): half an hour")  # fmt: skip
    return parser


def main():
    parser = options()
    arguments = parser.parse_args()
    studies = choose_studies(parser, arguments)
    runner = command.runner_of(arguments)
    outcome = runner.run_all({study.name: study.runs() for study in studies})
    results = {
        study: command.analyse_runs(study.name, functools.partial(measure, study), study.runs(), runner, outcome)
        for study in studies
    }
    for _, line in page.glance(results):
        print(line)
    scree.figure.save(page.overview(results), arguments.output / "convergence.png")
    notes = [f"One rank, {runner.jobs} run(s) at a time.", runner.version]
    page.write(results, notes, arguments.output / "convergence.html")
    return 1 if any(isinstance(result, Exception) for result in results.values()) else 0
