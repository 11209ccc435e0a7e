#!/usr/bin/env python3
"""Runs a scene over lists of values and seeds, and makes a page of its figures with standard errors.

A plan names a scene, values to set and to vary, and what to measure; the manual has a page on them. Runs go several
at a time into OUTPUT/runs; the same command goes on where it was stopped and repeats nothing that was run with the same
program and values. OUTPUT/study.html has tables and plots, study.csv the figures of every run.
"""

import argparse
import importlib
import os
import pathlib
import sys

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import _command_line
import scree.figure
import scree.program
from scree.errors import FileError, UsageError

# The project's own studies: name -> module with a `main`, and what it does.
REGISTRY = {
    "validation": ("_validation.command", "scenes against known laws of mechanics and of granular matter"),
    "convergence": ("_convergence.command", "figures of flows and piles against sweeps, step and scheme"),
    "rheology": ("_rheology.command", "friction and solid fraction of steady shear over the inertial number"),
    "two_laws": ("_two_laws.command", "maximum dissipation beside Coulomb's law in flows of clumps"),
    "impacts": ("_impacts.command", "every printed figure of the papers on single impacts"),
}


def part(text):
    """`2/8` as (2, 8)."""
    try:
        number, count = map(int, text.split("/"))
    except ValueError:
        number, count = 0, 0
    if not 1 <= number <= count:
        raise argparse.ArgumentTypeError(f"'{text}' must be K/N with K from 1 to N, as in 2/8")
    return number, count


def parsed(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s PLAN.ini [option ...]\n       %(prog)s NAME [option of that study ...]",
        epilog="studies of the project:\n" + "\n".join(f"  {name:12} {what}" for name, (_, what) in REGISTRY.items()),
    )  # fmt: skip
    parser.add_argument("plan", type=pathlib.Path, help="file that says what to run and to measure")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="default: output/study/NAME OF THE PLAN")
    parser.add_argument("--program", default="scree-run", help="the scree-run to use (default: that of the tree, or on PATH)")
    parser.add_argument("--jobs", type=_command_line.count, metavar="N",
                        help="runs at a time (default: the number of cores by the ranks of a run)")  # fmt: skip
    parser.add_argument("--part", type=part, metavar="K/N",
                        help="run every N-th run, from the K-th on: job arrays of a cluster; a call without it collects")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="print the runs and leave")
    return parser.parse_args(words)


def measured(plan, runner, runs, outcome):
    """({(values, seed): figures}, {run: why it has none})."""
    figures, failed = {}, {}
    for point, seed, run in runs:
        error = outcome["runs", run.name]
        try:
            if error is not None:
                raise error
            done = runner.read("runs", [run])[run.name]
            figures[tuple(point.values()), seed] = {name: each.of(done) for name, each in plan.figures.items()}
        except Exception as why:  # whatever it is must not cost the other runs their page
            failed[run.name] = str(why)
    return figures, failed


def study(words):
    import _study.page
    import _study.plan
    import _study.running

    arguments = parsed(words)
    plan = _study.plan.read(arguments.plan)
    runs = plan.runs()
    if arguments.part:
        number, count = arguments.part
        runs = runs[number - 1 :: count]
    if arguments.list:
        print(*(run.name for *_, run in runs), sep="\n")
        return 0
    try:
        program = scree.program.found(arguments.program)
    except FileError as error:
        raise FileError(f"--program: {error}") from error
    output = arguments.output or pathlib.Path("output/study") / plan.name
    jobs = arguments.jobs or max(1, len(os.sched_getaffinity(0)) // plan.ranks)
    runner = _study.running.Runner(program, scree.program.launcher(plan.ranks), output, jobs)
    outcome = runner.run_all({"runs": [run for *_, run in runs]})
    figures, failed = measured(plan, runner, runs, outcome)
    for run, why in failed.items():
        print(f"{run}: {why}", file=sys.stderr)
    if not arguments.part:
        results = _study.page.Results(plan, figures, failed)
        notes = [f"{plan.ranks} rank(s) a run. {runner.version}."]
        (output / "study.html").write_text(_study.page.page(results, notes), encoding="utf-8")
        _study.page.write_table(output / "study.csv", results, notes)
        for name in plan.figures if plan.varied else ():
            scree.figure.save(_study.page.picture(results, name), output / f"{name}.png", dpi=150)
        print(output / "study.html")
    return 1 if failed else 0


def main():
    words = sys.argv[1:]
    if words and words[0] in REGISTRY:
        sys.argv = [f"{sys.argv[0]} {words[0]}", *words[1:]]
        return importlib.import_module(REGISTRY[words[0]][0]).main()
    if words and not words[0].startswith("-") and not pathlib.Path(words[0]).is_file():
        raise UsageError(f"there is no plan '{words[0]}', nor a study of this name; expected a file, or one of "
                         f"{', '.join(REGISTRY)}")  # fmt: skip
    return study(words)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    _command_line.run(main)
