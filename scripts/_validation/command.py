"""Compares scenes with known laws of mechanics and of granular matter, and writes one page about it.

Each case runs scenes of apps/scenes with some values changed, measures what a law says of them, and draws it. The page,
OUTPUT/validation.html, holds its pictures; validation.csv has the numbers. Runs that were done before with the same
program and values are not made again. Ends with 1 if a figure is off by more than its tolerance.
"""

import argparse
import os
import pathlib
import sys
import time

import _command_line
import scree.program
from _study import running
from _validation import page
from _validation.catalogue import CASES
from scree.errors import FileError, UsageError


def analysed(case, runs, runner, outcome):
    """The Result of a case, or the exception that says why there is none."""
    failures = [outcome[case.name, run.name] for run in runs if outcome[case.name, run.name] is not None]
    if failures:
        return failures[0]
    try:
        return case.analyse(runner.read(case.name, runs))
    except Exception as error:  # whatever it is must not cost the other cases their page
        return running.RunFailed(f"the runs cannot be analysed: {error!r}")


def say_figures(case, result):
    if isinstance(result, Exception):
        print(f"{case.name:28} FAILED: {result}")
        return
    for figure in result.figures:
        verdict = "" if figure.passed else "  OFF"
        print(f"{case.name:28} {figure.quantity:62} {figure.measured:11.5g}, "
              f"expected {page.expected_text(figure)} {figure.unit}{verdict}")  # fmt: skip


def has_passed(result):
    return not isinstance(result, Exception) and all(figure.passed for figure in result.figures)


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="cases: " + ", ".join(CASES),
    )  # fmt: skip
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--short", action="store_true", help="smaller and shorter runs (the default)")
    size.add_argument("--full", action="store_true", help="larger and longer runs")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(CASES), help="these cases alone")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/study/validation"), metavar="DIR",
                        help="of runs and page (default: output/study/validation)")  # fmt: skip
    parser.add_argument("--program", default="scree-run", help="the scree-run to use (default: that of the tree, or on PATH)")
    parser.add_argument("--mpirun", default="mpirun", help="starts several ranks")
    parser.add_argument("--ranks", type=int, default=1, help="of each run (default: 1)")
    parser.add_argument("--jobs", type=int, help="runs at a time (default: the number of cores by the ranks)")
    arguments = parser.parse_args()
    for name in arguments.only:
        if name not in CASES:
            raise UsageError(f"there is no case '{name}'; expected of {', '.join(CASES)}")
    if arguments.ranks < 1 or (arguments.jobs is not None and arguments.jobs < 1):
        raise UsageError("--ranks and --jobs must be 1 or more")
    arguments.jobs = arguments.jobs or max(1, len(os.sched_getaffinity(0)) // arguments.ranks)
    return arguments


def main():
    arguments = parsed()
    started = time.monotonic()
    size = "full" if arguments.full else "short"
    launcher = [arguments.mpirun, "-n", str(arguments.ranks)] if arguments.ranks > 1 else []
    try:
        program = scree.program.found(arguments.program)
    except FileError as error:
        raise FileError(f"--program: {error}") from error
    runner = running.Runner(program, launcher, arguments.output / size, arguments.jobs)
    runs = {name: CASES[name].runs(arguments.full) for name in CASES if name in arguments.only}
    outcome = runner.run_all(runs)
    outcomes = {CASES[name]: analysed(CASES[name], each, runner, outcome) for name, each in runs.items()}
    for case, result in outcomes.items():
        say_figures(case, result)
    notes = [
        f"The {size} form of the suite, runs of {arguments.ranks} rank(s), {arguments.jobs} at a time; "
        f"{time.monotonic() - started:.0f} s, runs that were done before not counted.",
        runner.version,
    ]
    path = arguments.output / "validation.html"
    path.write_text(page.page(outcomes, notes), encoding="utf-8")
    page.write_table(path.with_suffix(".csv"), outcomes, notes)
    print(path)
    return 0 if all(map(has_passed, outcomes.values())) else 1
