"""The command line of studies: options that they share, and the study of a user's plan."""

import argparse
import os
import pathlib
import sys

import _command_line
import scree.figure
import scree.program
from _study import page, plan, running
from scree.errors import FileError, UsageError, did_you_mean

OUTPUT = pathlib.Path("output/study")


class Parser(argparse.ArgumentParser):
    """Options of a study: output folder, program, number of runs at a time.

    name: name of the study and of its folder;  description: docstring of its module
    cases: names of the parts of the study, for --only;  noun: word for one part, and for several
    jobs: number of runs at a time; None: as many as the cores allow
    """

    def __init__(self, name, description, cases=(), noun=("study", "studies"), jobs=1, **others):
        others.setdefault("epilog", f"{noun[1]}: {', '.join(cases)}" if cases else None)
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter, **others)
        self.cases, self.noun = cases, noun
        if cases:
            self.add_argument("--only", nargs="+", metavar="NAME", help=f"only these {noun[1]}")
        self.add_argument("--output", type=pathlib.Path, default=OUTPUT / name, metavar="DIR",
                          help="folder of the runs and the page (default: %(default)s)")  # fmt: skip
        self.add_argument("--program", default="scree-run",
                          help="path of scree-run (default: in the tree, or on PATH)")  # fmt: skip
        default = jobs or "the number of cores divided by the ranks of a run"
        self._add_count("--jobs", jobs, f"runs at a time (default: {default})")

    def _add_count(self, name, default, words):
        self.add_argument(name, type=_command_line.count, default=default, metavar="N", help=words)

    def add_ranks(self):
        self._add_count("--ranks", 1, "ranks of each run (default: 1)")

    def add_seeds(self, default, what):
        self._add_count("--seeds", default, f"{what} (default: {default})")

    def chosen(self, arguments):
        """Names of the requested parts, or of all parts without --only; raises UsageError for unknown names."""
        for name in arguments.only or ():
            if name not in self.cases:
                raise UsageError(f"there is no {self.noun[0]} '{name}'{did_you_mean(name, self.cases)}; expected one of {', '.join(self.cases)}")
        return [name for name in self.cases if name in (arguments.only or self.cases)]


def runner_of(arguments, ranks=1, output=None, **others):
    """The Runner that the options of a Parser describe; raises FileError without the program.

    others: further arguments of the Runner
    """
    try:
        program = scree.program.found(arguments.program)
    except FileError as error:
        raise FileError(f"--program: {error}") from error
    jobs = arguments.jobs or max(1, len(os.sched_getaffinity(0)) // ranks)
    return running.Runner(program, scree.program.launcher(ranks), output or arguments.output, jobs, **others)


def analyse_runs(name, analyse, runs, runner, outcome):
    """The result of `analyse` for the runs of a part, or the exception of a failed run or analysis.

    analyse: called with {name: scree.directory.Run};  outcome: result of Runner.run_all
    """
    failures = [outcome[name, run.name] for run in runs if outcome[name, run.name] is not None]
    if failures:
        return failures[0]
    try:
        return analyse(runner.read(name, runs))
    except Exception as error:  # the other parts get their page despite an error in one part
        return running.RunFailed(f"the runs cannot be analysed: {error!r}")


def part_option(text):
    """`2/8` as (2, 8)."""
    try:
        number, count = map(int, text.split("/"))
    except ValueError:
        number, count = 0, 0
    if not 1 <= number <= count:
        raise argparse.ArgumentTypeError(f"'{text}' must be K/N with K from 1 to N, as in 2/8")
    return number, count


def measure_runs(study_plan, runner, runs, outcome, case="runs"):
    """({(values, seed): figures}, {run: reason of its failure}) of a plan.  outcome: of Runner.run_all;  case: of the runs"""
    figures, failed = {}, {}
    for point, seed, run in runs:
        error = outcome[case, run.name]
        try:
            if error is not None:
                raise error
            finished_run = runner.read(case, [run])[run.name]
            figures[tuple(point.values()), seed] = {name: measure.evaluate(finished_run) for name, measure in study_plan.figures.items()}
        except Exception as reason:  # the other runs get their page despite an error in one run
            failed[run.name] = str(reason)
    return figures, failed


def study(words, description, **parser_arguments):
    """Makes the study of a user's plan; returns the exit code.  words: command line"""
    parser = Parser("NAME OF THE PLAN", description, jobs=None, **parser_arguments)
    parser.add_argument("plan", type=pathlib.Path, help="file with the runs and the figures to measure, or the name of a shipped one, such as beverloo")
    parser.add_argument("--part", type=part_option, metavar="K/N",
                        help="run every N-th run, from the K-th on, for job arrays of a cluster; a call without --part "
                        "collects the results")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="print the runs and exit")
    arguments = parser.parse_args(words)
    study_plan = plan.read(arguments.plan)
    if arguments.output == parser.get_default("output"):
        arguments.output = OUTPUT / study_plan.name
    number, count = arguments.part or (1, 1)
    runs = study_plan.runs()[number - 1 :: count]
    if arguments.list:
        print(*(run.name for *_, run in runs), sep="\n")
        return 0
    runner = runner_of(arguments, study_plan.ranks)
    figures, failed = measure_runs(study_plan, runner, runs, runner.run_all({"runs": [run for *_, run in runs]}))
    for run, reason in failed.items():
        print(f"{run}: {reason}", file=sys.stderr)
    if not arguments.part:
        results = page.Results(study_plan, figures, failed)
        for name in study_plan.figures if study_plan.varied else ():
            scree.figure.save(page.picture(results, name), arguments.output / f"{name}.png")
        page.write(results, arguments.output, [f"{study_plan.ranks} rank(s) a run. {runner.version}."])
    return 1 if failed else 0
