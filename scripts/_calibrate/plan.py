"""A calibration plan: a plan of a study with bounds in place of lists of values, and targets.

    [study]
    seeds = 1 2                        # every point is run with each
    runs = 120                         # largest number of runs, over all points, seeds and experiments
    [vary]
    contact.friction = 0.1 to 0.9
    cohesion.force = 0 to 2 mN
    [study.heap]                       # an experiment; if there is only one, its scene may stand in [study]
    scene = column_collapse
    [set.heap]                         # keys of this experiment's scene; [set] is for all experiments
    time.end = 0.6 s
    [figures.heap]                     # see `_study.measures`
    heap = angle_of_repose
    [targets]
    heap = 27 +- 1                     # in the unit of the figure: value and standard deviation of the measurement
"""

import configparser
import dataclasses
import math
import re

import numpy as np

from _study import plan as study_plan
from _study import running
from scree.errors import UsageError, did_you_mean

KEYS = ("scene", "seeds", "ranks", "runs")  # keys of [study]; [study.NAME] has only the first
NAMED = ("study", "set", "figures")  # sections of an experiment
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
POINTS = 10  # points for each parameter, plus 10 more, if `runs` is not given


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A key of scenes with its bounds."""

    key: str
    low: float
    high: float
    unit: str

    @property
    def span(self):
        return self.high - self.low

    def text(self, fraction):
        """The value at a fraction of the range from low to high, as text of a scene."""
        return f"{self.low + fraction * self.span:.4g} {self.unit}".strip()

    def fraction(self, text):
        """The inverse of `text`."""
        return (float(text.split()[0]) - self.low) / self.span


@dataclasses.dataclass(frozen=True)
class Target:
    """The target value of a figure, with the standard deviation of the measurement."""

    name: str
    value: float
    tolerance: float
    unit: str

    @property
    def words(self):
        return f"{self.value:g} ± {self.tolerance:g}{' ' * bool(self.unit)}{self.unit}"


@dataclasses.dataclass(frozen=True)
class Plan:
    """The experiments, parameters and targets of a calibration."""

    name: str
    experiments: dict  # name -> _study.plan.Plan
    parameters: tuple  # of Parameter
    targets: tuple  # of Target
    budget: int  # largest number of runs

    @property
    def seeds(self):
        return next(iter(self.experiments.values())).seeds

    @property
    def ranks(self):
        return next(iter(self.experiments.values())).ranks

    def texts(self, fractions):
        """The values of a point of the unit cube, as texts of a scene."""
        return tuple(parameter.text(fraction) for parameter, fraction in zip(self.parameters, fractions))

    def fractions(self, texts):
        """The inverse of `texts`, [D]."""
        return np.array([parameter.fraction(text) for parameter, text in zip(self.parameters, texts)])

    @property
    def runs_per_point(self):
        return len(self.seeds) * len(self.experiments)


def read(file, runs=None, seeds=None):
    """The Plan of a file; raises FileError and UsageError as `_study.plan.read`.

    file: a path, or the name of a shipped plan
    runs: largest number of runs;  seeds: number of the file's seeds that are used;  None: both as in the file
    """
    shipped = {path.stem: path for path in running.SCENES.glob("studies/calibration/*.ini")}
    return study_plan.read(file, lambda path, parser: _plan(path, parser, runs, seeds), shipped)


def _plan(file, parser, runs, seeds):
    sections = [section.partition(".") for section in parser.sections()]
    names = [name for head, _, name in sections if head == "study" and name] or [""]
    for (head, dot, name), section in zip(sections, parser.sections()):
        if section not in ("vary", "targets") and (head not in NAMED or (dot and name not in names)):
            raise UsageError(f"there is no section [{section}]; expected [study], [set], [vary], [figures], [targets], "
                             "or [set.NAME] and [figures.NAME] of an experiment [study.NAME]")  # fmt: skip
        allowed = KEYS[:1] if dot else KEYS
        if head == "study" and (wrong := set(parser[section]) - set(allowed)):
            raise UsageError(f"[{section}] has no key '{min(wrong)}'{did_you_mean(min(wrong), allowed)}; expected one of {', '.join(allowed)}")
    parameters = tuple(_parameter(key, text) for key, text in study_plan.section_of(parser, "vary").items())
    if not parameters:
        raise UsageError("[vary] is empty; a line is KEY = LOW to HIGH UNIT, as in contact.friction = 0.1 to 0.9")
    experiments = {name: _experiment(file, parser, name, parameters) for name in names}
    if seeds is not None:
        experiments = {name: dataclasses.replace(experiment, seeds=experiment.seeds[:seeds]) for name, experiment in experiments.items()}
    measures = {}
    for experiment in experiments.values():
        for name, measure in experiment.figures.items():
            if name in measures:
                raise UsageError(f"two experiments have a figure '{name}'; expected different names")
            measures[name] = measure
    targets = tuple(_target(name, text, measures) for name, text in study_plan.section_of(parser, "targets").items())
    if missing := set(measures) - {target.name for target in targets}:
        raise UsageError(f"figure '{min(missing)}' has no target; expected a line {min(missing)} = VALUE +- TOLERANCE "
                         "in [targets]")  # fmt: skip
    plan = Plan(file.stem, experiments, parameters, targets, 0)
    default = str(POINTS * (1 + len(parameters)) * plan.runs_per_point)
    text = str(runs) if runs is not None else study_plan.section_of(parser, "study").get("runs", default)
    points = first_points(plan) + 2
    min_budget = points * plan.runs_per_point
    if not text.isdecimal() or int(text) < min_budget:
        fewer = f"; {points * len(names)} with --seeds 1" * (len(plan.seeds) > 1)
        raise UsageError(f"{'--runs' if runs is not None else 'runs'} = {text}; expected a whole number from {min_budget}, for the first points and the best one{fewer}")
    return dataclasses.replace(plan, budget=int(text))


def first_points(plan):
    """Number of the first points, which are spread over the bounds. The search chooses all later points."""
    return 4 * len(plan.parameters) + 2


def _experiment(file, parser, name, parameters):
    """The study plan of an experiment.  name: name of the experiment; "" if there is only one"""
    sections = configparser.ConfigParser(interpolation=None)
    sections.optionxform = str
    for head in NAMED:
        lines = study_plan.section_of(parser, head)
        sections[head] = {**lines, **study_plan.section_of(parser, f"{head}.{name}")} if name else lines
    sections.remove_option("study", "runs")
    experiment_plan = study_plan.plan_of(file, sections)
    for parameter in parameters:
        if parameter.key in experiment_plan.values:
            raise UsageError(f"'{parameter.key}' is both in [vary] and in [set]; expected only one of them")
    return dataclasses.replace(experiment_plan, varied={parameter.key: [] for parameter in parameters})


def _parameter(key, text):
    if not re.fullmatch(r"[\w.]+\.\w+", key):
        raise UsageError(f"'{key}' is not a key of a scene; expected SECTION.KEY, as in contact.friction")
    match = re.fullmatch(rf"({NUMBER}) to ({NUMBER})(?: (\S.*))?", " ".join(text.split()))
    if not match:
        raise UsageError(f"{key} = {text}; expected LOW to HIGH UNIT, as in 0.1 to 0.9 or 1 to 5 mN")
    low, high = float(match[1]), float(match[2])
    if not low < high:
        raise UsageError(f"{key} = {text}: the bounds are reversed or equal; expected the lower one first")
    return Parameter(key, low, high, match[3] or "")


def _target(name, text, measures):
    if name not in measures:
        raise UsageError(f"target '{name}' is not a figure{did_you_mean(name, measures)}; expected one of {', '.join(measures)}")
    match = re.fullmatch(rf"({NUMBER}) *(?:\+-|±) *({NUMBER})", text.strip())
    if not match:
        unit = f", {measures[name].unit}" * bool(measures[name].unit)
        raise UsageError(f"{name} = {text}: a target needs a tolerance; expected VALUE +- TOLERANCE in the figure's "
                         f"unit{unit}, as in 27 +- 1")  # fmt: skip
    if not 0.0 < float(match[2]) < math.inf:
        raise UsageError(f"{name} = {text}: the tolerance must be greater than 0")
    return Target(name, float(match[1]), float(match[2]), measures[name].unit)
