"""Compares figures of 26 scenes at the default settings with those at a quarter of time.accuracy and 4 times the sweeps.

The scenes and their figures were written down before any of them was run (_accuracy/scenes, figures.ini), and no
rule of the program was tuned with them. Each runs with several seeds. OUTPUT/accuracy.csv, which is also printed, has a
row for each figure: the mean with each setting, the difference, the error that the default run states in its log,
and three verdicts. Each verdict allows two standard errors of the difference:

  promise  the difference is at most time.accuracy; for forces, torques and stresses, at most five times that
  stated   the difference is no larger than the error bar in the log of the default run
  thrice   the difference is no larger than three times that error bar
"""

import configparser
import dataclasses
import functools
import math
import pathlib
import re

import numpy as np

import scree.table
import scree.whole_file
from _study import command, measures
from _study.running import Run, print_line
from scree.errors import FileError

HERE = pathlib.Path(__file__).resolve().parent
ACCURACY, SWEEPS, SWEEPS_OF_CELLS = 0.01, 10, 40  # the defaults
SETTINGS = ("default", "finer")
FORCES = 5.0  # allowed error of forces, divided by that of other figures
OUTPUT = {"output.wall_forces": "yes", "output.energy_book": "yes"}
ROWS, SNAPSHOTS = 200, 20  # rows of the series and snapshots in a run


@dataclasses.dataclass(frozen=True)
class Scene:
    """A scene and its figures."""

    name: str
    file: pathlib.Path
    figures: dict  # name -> measures.Measure

    @functools.cached_property
    def keys(self):
        parser = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=("#",))
        parser.read_string(self.file.read_text(encoding="utf-8"))
        return parser

    @property
    def is_random(self):
        return any(name.startswith(("fill", "inflow")) for name in self.keys.sections())

    def keys_of(self, setting):
        """{key: value} of a setting."""
        if setting == "default":
            return {}
        sweeps = SWEEPS_OF_CELLS if self.keys.has_section("cell") else SWEEPS
        return {"time.accuracy": ACCURACY / 4, "solver.sweeps": 4 * sweeps}

    def runs(self, seeds):
        """{(setting, seed): Run}; a scene without random numbers has one seed."""
        number, unit = self.keys["time"]["end"].split()
        output = {"output.every": f"{float(number) / SNAPSHOTS:.9g} {unit}",
                  "output.log_every": f"{float(number) / ROWS:.9g} {unit}"}  # fmt: skip
        return {(name, seed): Run(f"{name}_{seed}", self.file,
                                  {**self.keys_of(name), **OUTPUT, **output, "scene.seed": seed})
                for name in SETTINGS for seed in range(1, (seeds if self.is_random else 1) + 1)}  # fmt: skip


def scenes(file=HERE / "figures.ini", folder=HERE / "scenes"):
    """The scenes in the sections of a file, {name: Scene}."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str
    parser.read_string(file.read_text(encoding="utf-8"))
    return {name: Scene(name, folder / f"{name}.ini",
                        {figure: measures.parse(figure, text, file.parent) for figure, text in parser[name].items()})
            for name in parser.sections()}  # fmt: skip


def is_force(measure):
    return re.search(r"force|torque|stress|motor", measure.text) is not None


@dataclasses.dataclass(frozen=True)
class StatedErrors:
    """The error bars in the log of a run, relative except `energies`; infinite where the log has none.

    step: error of the time step alone;  flow, stress: errors of figures of the flow and of stresses, each including the
    error of the step
    """

    step: float
    flow: float = math.inf
    stress: float = math.inf
    energies: float = math.inf  # [J]
    loads: dict = dataclasses.field(default_factory=dict)  # wall -> error of its load in one step, from the sweeps

    def error_bar(self, measure, value):
        """The relative error bar of a figure with this value."""
        if wall := re.search(r"wall_(\w+)_force", measure.text):
            return self.step + self.loads.get(wall[1], 0.0)
        if "stress" in measure.text:
            return self.stress
        if measure.text.startswith("last energy_"):
            return self.energies / abs(value)
        return self.flow


def stated_errors(log):
    """The StatedErrors in the text of a run.log, infinite if it doubts them; raises FileError if it states none."""
    if "accuracy: DOUBTFUL" in log or "error bars of means: not known" in log:
        return StatedErrors(math.inf)
    bars = re.search(r"error bars of means: (.*)", log)
    if bars is None:
        raise FileError("run.log states no error bars")

    def number_of(pattern, unit):
        number = re.search(pattern + r" (?:below )?([\d.e+-]+) " + unit, bars[1])
        return float(number[1]) / (100.0 if unit == "%" else 1.0) if number else math.inf

    step = float(re.search(r"\((?:below )?([\d.e+-]+) % for the step", bars[1])[1]) / 100.0
    loads = re.search(r"loads of walls off by: (.*)", log)
    load_errors = re.findall(r"(\w+) (?:below )?([\d.e+-]+) %", loads[1]) if loads else ()
    return StatedErrors(step, number_of("flow", "%"), number_of("stress", "%"), number_of("energies", "J"),
                     {wall: float(percent) / 100.0 for wall, percent in load_errors})  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Row:
    """A figure with both settings, as means over the seeds. The errors are relative: `uncertain` to `finer`, `stated`
    to the figure of the default run."""

    figure: str
    force: bool  # whether it is a force, torque or stress
    default: float
    finer: float
    uncertain: float  # standard error of the mean difference of runs with equal seeds
    stated: float  # error bar in the log of the default run

    @property
    def difference(self):
        return (self.default - self.finer) / abs(self.finer)

    def is_within(self, limit):
        return bool(abs(self.difference) <= limit + 2.0 * self.uncertain)

    @property
    def verdicts(self):
        promise = ACCURACY * (FORCES if self.force else 1.0)
        return {name: self.is_within(limit)
                for name, limit in (("promise", promise), ("stated", self.stated), ("thrice", 3.0 * self.stated))}  # fmt: skip


def compare_settings(default, finer, is_random):
    """(mean of default, mean of finer, standard error of their difference).

    default, finer: [(value, error of one run)], one entry per seed. With several seeds, the standard error follows from
    the scatter of the differences. With one seed, it combines the errors of the two runs; if the scene has no random
    numbers, it is 0.
    """
    values = np.array([[value for value, _ in figures] for figures in (default, finer)])
    if len(default) > 1:
        error = np.std(values[0] - values[1], ddof=1) / np.sqrt(len(default))
    else:
        error = np.hypot(default[0][1], finer[0][1]) if is_random else 0.0
    return *values.mean(axis=1), float(error)


def analyse(scene, chosen, finished):
    """[Row] of the finished runs of a scene."""
    runs_of_setting = {name: [finished[run.name] for (setting, _), run in chosen.items() if setting == name] for name in SETTINGS}
    stated = [stated_errors((run.path / "run.log").read_text(encoding="utf-8")) for run in runs_of_setting["default"]]
    rows = []
    for name, measure in scene.figures.items():
        measured = ([measure.evaluate(run) for run in runs_of_setting[setting]] for setting in SETTINGS)
        default, finer, error = compare_settings(*measured, scene.is_random)
        stated_error = np.mean([run_statement.error_bar(measure, default) for run_statement in stated])
        rows.append(Row(name, is_force(measure), default, finer, error / abs(finer), stated_error))
    return rows


def line_of(row):
    failed = [name for name, is_met in row.verdicts.items() if not is_met]
    return (f"  {row.figure:28} {row.default:11.5g}  {row.finer:11.5g}  {100 * row.difference:+7.2f} "
            f"± {100 * row.uncertain:.2f} %, stated {100 * row.stated:.2g} %"
            + (f"  beyond: {', '.join(failed)}" if failed else ""))  # fmt: skip


def summary(rows):
    """Lines that count the verdicts."""
    names = {"promise": "within the promise", "stated": "within the stated error", "thrice": "within three times the stated error"}
    return [f"{sum(row.verdicts[name] for row in rows)} of {len(rows)} figures {words}, two standard errors allowed"
            for name, words in names.items()]  # fmt: skip


def write_table(file, notes, by_scene):
    lines = [{"scene": name, **dataclasses.asdict(row), "difference": row.difference,
              **{f"within_{verdict}": int(is_met) for verdict, is_met in row.verdicts.items()}}
             for name, rows in by_scene.items() for row in rows]  # fmt: skip
    scree.table.write(file, notes, {key: [line[key] for line in lines] for key in lines[0]})


def main(known=None):
    """known: {name: Scene}, instead of the project's scenes."""
    known = known or scenes()
    parser = command.Parser("accuracy", __doc__, known, ("scene", "scenes"))
    parser.add_seeds(3, "of each scene")
    arguments = parser.parse_args()
    runner = command.runner_of(arguments)
    chosen = {name: known[name].runs(arguments.seeds) for name in parser.chosen(arguments)}
    outcome = runner.run_all({name: list(runs.values()) for name, runs in chosen.items()})
    by_scene, failed = {}, False
    for name, runs in chosen.items():
        rows = command.analyse_runs(name, functools.partial(analyse, known[name], runs), runs.values(), runner, outcome)
        if isinstance(rows, Exception):
            print_line(f"{name}: {rows}")
            failed = True
            continue
        by_scene[name] = rows
        print_line("\n".join([f"{name}: default, finer, difference", *map(line_of, rows)]))
    if not by_scene:
        return 1
    print_line("\n".join(summary(sum(by_scene.values(), []))))
    write_table(arguments.output / "accuracy.csv", [runner.version], by_scene)
    return 1 if failed else 0
