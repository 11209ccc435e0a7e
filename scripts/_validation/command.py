"""Compares scenes with known laws of mechanics and of granular matter, and writes the results to a page.

Each case runs scenes of apps/scenes with some values changed, measures a quantity that a law predicts, and draws it. The
page OUTPUT/validation.html contains the pictures, and validation.csv the numbers. Existing runs with the same
program and values are reused. The exit code is 1 if a result deviates by more than its tolerance.
"""

import os
import time

from _study import command
from _validation import page
from _validation.catalogue import CASES


def print_figures(case, result):
    if isinstance(result, Exception):
        print(f"{case.name:28} FAILED: {result}")
        return
    for figure in result.figures:
        verdict = "" if figure.passed else "  OFF"
        print(f"{case.name:28} {figure.quantity:62} {figure.measured:11.5g}, "
              f"expected {page.expected_text(figure)} {figure.unit}{verdict}")  # fmt: skip


def has_passed(result):
    return not isinstance(result, Exception) and all(figure.passed for figure in result.figures)


def main():
    parser = command.Parser("validation", __doc__, CASES, ("case", "cases"), jobs=None)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--short", action="store_true", help="smaller and shorter runs (the default)")
    size.add_argument("--full", action="store_true", help="larger and longer runs")
    parser.add_argument("--mpirun", help="program that starts several ranks (default: SCREE_MPIEXEC of the environment, or mpirun)")
    parser.add_ranks()
    arguments = parser.parse_args()
    names = parser.chosen(arguments)
    if arguments.mpirun:
        os.environ["SCREE_MPIEXEC"] = arguments.mpirun
    started = time.monotonic()
    size = "full" if arguments.full else "short"
    runner = command.runner_of(arguments, arguments.ranks, arguments.output / size)
    runs = {name: CASES[name].runs(arguments.full) for name in names}
    run_errors = runner.run_all(runs)
    results = {
        CASES[name]: command.analyse_runs(name, CASES[name].analyse, runs_of_case, runner, run_errors)
        for name, runs_of_case in runs.items()
    }
    for case, result in results.items():
        print_figures(case, result)
    notes = [
        f"The {size} form of the suite: {arguments.ranks} rank(s) for each run, {runner.jobs} runs at a time. It took "
        f"{time.monotonic() - started:.0f} s, not counting earlier runs that were reused.",
        runner.version,
    ]
    page.write(results, notes, arguments.output / "validation.html")
    return 0 if all(map(has_passed, results.values())) else 1
