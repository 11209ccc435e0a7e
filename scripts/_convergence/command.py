"""Tells how far the figures of flows and piles are from their limit, against sweeps, step and scheme.

Each study continues one state of a shipped scene with every setting, measures what users read off such a run, and
compares it with the finest run, of 200 sweeps and a quarter of the step. Each error is uncertain by the scatter of
five parts of both runs. OUTPUT/convergence.html has a table and a picture of each study, convergence.md and .png the
same in short, convergence.csv the numbers. Times are those of the runs: run one at a time (--jobs 1, the default) on
an idle machine for them to mean something. Runs that were done before with the same program and values are not made
again.
"""

import argparse
import pathlib
import sys

import _command_line
import scree.figure
import scree.program
import scree.table
from _convergence import page
from _convergence.studies import SETTINGS, STUDIES, dense_study
from _study import running
from scree.errors import FileError, UsageError


def time_of(run):
    """What the steps took [s]."""
    timing = scree.table.read(run.path / "timing.csv", ("wall_seconds",))
    return timing["wall_seconds"][-1]


def measured(study, runner, outcome):
    """A page.Measured, or the first exception of its runs."""
    runs = study.runs()
    for run in runs:
        if outcome[study.name, run.name] is not None:
            return outcome[study.name, run.name]
    done = list(runner.read(study.name, runs).values())[len(study.prepared):]
    by_label = {setting.label: study.measure(run.columns) for setting, run in zip(SETTINGS, done)}
    return page.Measured({label: figures for label, (figures, _) in by_label.items()},
                         {label: uncertain for label, (_, uncertain) in by_label.items()},
                         {setting.label: time_of(run) for setting, run in zip(SETTINGS, done)})  # fmt: skip


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"studies: {', '.join(STUDIES)}; and dense, with --dense",
    )  # fmt: skip
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these studies alone")
    parser.add_argument("--dense", type=pathlib.Path, metavar="STATE",
                        help="also the full channel, from a snapshot of its steady flow on (scripts/reproduce_channel "
                        "--end \"0.3 s\" makes one): half an hour")  # fmt: skip
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/study/convergence"), metavar="DIR",
                        help="of runs and page (default: output/study/convergence)")  # fmt: skip
    parser.add_argument("--program", default="scree-run", help="the scree-run to use (default: that of the tree, or on PATH)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    arguments = parser.parse_args()
    if arguments.dense is not None and not arguments.dense.exists():
        raise UsageError(f"--dense: there is no file '{arguments.dense}'")
    if arguments.jobs < 1:
        raise UsageError(f"--jobs is {arguments.jobs}; expected 1 or more")
    return arguments


def chosen(arguments):
    """The studies asked for."""
    studies = dict(STUDIES)
    if arguments.dense is not None:
        studies["dense"] = dense_study(arguments.dense.resolve())
    for name in arguments.only or ():
        if name == "dense" and name not in studies:
            raise UsageError("the study 'dense' needs a state to begin with: --dense STATE")
        if name not in studies:
            raise UsageError(f"there is no study '{name}'; expected of {', '.join(studies)}")
    return [studies[name] for name in arguments.only or studies]


def main():
    arguments = parsed()
    studies = chosen(arguments)
    try:
        program = scree.program.found(arguments.program)
    except FileError as error:
        raise FileError(f"--program: {error}") from error
    runner = running.Runner(program, [], arguments.output, arguments.jobs)
    outcome = runner.run_all({study.name: study.runs() for study in studies})
    results = {study: measured(study, runner, outcome) for study in studies}
    notes = [f"One rank, {arguments.jobs} run(s) at a time.", runner.version]
    path = arguments.output / "convergence.html"
    path.write_text(page.page(results, notes), encoding="utf-8")
    page.write_table(path.with_suffix(".csv"), results, notes)
    path.with_suffix(".md").write_text("\n".join(page.markdown(results, notes)), encoding="utf-8")
    scree.figure.save(page.overview(results), path.with_suffix(".png"), dpi=100)
    for _, line in page.glance(results):
        print(line)
    print(path)
    return 1 if any(isinstance(result, Exception) for result in results.values()) else 0
