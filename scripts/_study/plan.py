"""A plan of a study: the scene, the values and seeds with which it runs, and the figures to measure.

    [study]
    scene = column_collapse            # a file next to the plan, or a scene of the project
    seeds = 1 2 3                      # values of scene.seed (default: the scene's seed)
    x = flow                           # figure on the horizontal axis (default: the key with most values)
    log = x                            # logarithmic axes: x, y or xy
    [set]
    time.end = 0.8 s                   # for all runs
    [vary]
    contact.friction = 0.1, 0.3, 0.5   # every combination of the values of all lines
    wall.pipe.radius = 16 to 24 mm in 5
    [figures]
    slope = angle_of_repose            # see `measures`
    flow = slope deleted from 0.3 s
"""

import configparser
import dataclasses
import itertools
import pathlib
import re

import numpy as np

import _study.running
import scree.configuration
import scree.units
from _study import measures
from _study.running import Run
from scree.errors import FileError, UsageError, did_you_mean

SECTIONS = {"study": ("scene", "seeds", "ranks", "x", "log"), "set": None, "vary": None, "figures": None}  # None: any key
MAX_RUNS = 10_000


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a study runs and measures."""

    name: str
    scene: pathlib.Path
    seeds: tuple  # texts; one empty text: the scene's seed
    ranks: int
    values: dict  # key of a scene -> text, for all runs
    varied: dict  # key of a scene -> [texts]
    figures: dict  # name -> measures.Measure
    x: str = ""  # figure on the horizontal axis; "": the key with most values
    log: str = ""  # the logarithmic axes: x, y or xy

    def points(self):
        """Every combination of the varied values, [{key: text}]."""
        return [dict(zip(self.varied, texts)) for texts in itertools.product(*self.varied.values())]

    def run(self, point, seed):
        """The Run of a combination and a seed."""
        words = [f"{key}_{text}" for key, text in point.items()] + ([f"seed_{seed}"] if seed else [])
        name = re.sub(r"[^\w.+-]+", "_", "_".join(words)) or "run"
        options = {**self.values, **point, **({"scene.seed": seed} if seed else {})}
        return Run(name, self.scene, options)

    def runs(self):
        """All runs, [(point, seed, Run)]."""
        return [(point, seed, self.run(point, seed)) for point in self.points() for seed in self.seeds]


def read(file, make=None, known=None):
    """The Plan of a file; raises FileError if it cannot be read and UsageError for errors in it.

    file: a path, or the name of a shipped plan;  known: shipped plans, {name: path}, by default those of studies
    make: (path, ConfigParser) -> the result; by default plan_of
    """
    file = _find(pathlib.Path(file), shipped() if known is None else known)
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), inline_comment_prefixes=("#", ";"))
    parser.optionxform = str  # names of materials may have capitals
    try:
        parser.read_string(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"the plan '{file}' cannot be read: {error}") from error
    except configparser.Error as error:
        raise UsageError(f"the plan '{file}': {error}") from error
    try:
        return (make or plan_of)(file, parser)
    except UsageError as error:
        raise UsageError(f"the plan '{file}': {error}") from error


def shipped():
    """Files of the plans that Scree ships, {name: path}, without plans of calibrations, which are in another folder."""
    return {path.stem: path for path in sorted(_study.running.SCENES.glob("studies/*.ini"))}


def _find(file, known):
    """The file, or the shipped plan of this name; raises FileError if there is neither."""
    if file.is_file():
        return file
    if file.name == str(file) and file.stem in known:
        return known[file.stem]
    guess = did_you_mean(file.stem, known)
    raise FileError(f"there is no plan '{file}'{guess}; expected a file, or one of the shipped plans {', '.join(known)}")


def plan_of(file, parser):
    """The Plan of a file's sections; raises UsageError."""
    for section in parser.sections():
        if section not in SECTIONS:
            raise UsageError(f"there is no section [{section}]{did_you_mean(section, SECTIONS)}; expected one of {', '.join(f'[{name}]' for name in SECTIONS)}")
        for key in parser[section]:
            if SECTIONS[section] is not None and key not in SECTIONS[section]:
                raise UsageError(f"[{section}] has no key '{key}'{did_you_mean(key, SECTIONS[section])}; expected one of {', '.join(SECTIONS[section])}")
    study, figures = section_of(parser, "study"), section_of(parser, "figures")
    if "scene" not in study:
        raise UsageError("[study] needs 'scene', a file next to the plan or a scene of the project")
    if not figures:
        raise UsageError(f"[figures] is empty; a line is NAME = {measures.FORMS}")
    varied = {key: values(key, text) for key, text in section_of(parser, "vary").items()}
    for key in (*varied, *section_of(parser, "set")):
        if not re.fullmatch(r"[\w.]+\.\w+", key):
            raise UsageError(f"'{key}' is not a key of a scene; expected SECTION.KEY, as in contact.friction")
    seeds = tuple(study.get("seeds", "").split()) or ("",)
    if any(not re.fullmatch(r"\d*", seed) for seed in seeds) or len(set(seeds)) != len(seeds):
        raise UsageError(f"seeds = {study['seeds']}; expected whole numbers, each once")
    scene = _scene(file, study["scene"])
    sections = _sections(scene, {**section_of(parser, "set"), **{key: texts[0] for key, texts in varied.items()}})
    plan = Plan(file.stem, scene, seeds, _ranks(study.get("ranks", "1")),
                section_of(parser, "set"), varied,
                {name: measures.parse(name, text, file.parent, sections) for name, text in figures.items()},
                study.get("x", ""), study.get("log", ""))  # fmt: skip
    if plan.x and plan.x not in figures:
        raise UsageError(f"x = {plan.x} is not a figure{did_you_mean(plan.x, figures)}; [figures] has {', '.join(figures)}")
    if plan.log not in ("", "x", "y", "xy"):
        raise UsageError(f"log = {plan.log}; expected x, y or xy")
    count = len(seeds) * int(np.prod([len(texts) for texts in varied.values()]))
    if count > MAX_RUNS:
        raise UsageError(f"{count} runs are more than {MAX_RUNS}")
    names = [run.name for _, _, run in plan.runs()]
    if len(set(names)) != len(names):
        raise UsageError("[vary] has a value twice")
    return plan


def section_of(parser, name):
    """The lines of a section, {key: text}; none without it."""
    return dict(parser[name]) if parser.has_section(name) else {}


def _ranks(text):
    if not re.fullmatch(r"[1-9]\d*", text):
        raise UsageError(f"ranks = {text}; expected a whole number from 1")
    return int(text)


def _scene(plan, text):
    for file in (plan.parent / text, _study.running.SCENES / f"{text}.ini"):
        if file.is_file():
            return file.resolve()
    raise UsageError(f"scene = {text}: there is no such file next to the plan, nor a scene of this name in "
                     f"{_study.running.SCENES}")  # fmt: skip


def _sections(scene, changes):
    """The ConfigParser of a scene file with changed keys, {"section.key": text}; None if the file is no scene.

    scree-run will report the error.
    """
    try:
        parsed = scree.configuration.parsed(scene.read_text(encoding="utf-8-sig"))
    except (configparser.Error, UnicodeDecodeError):
        return None
    for name, text in changes.items():
        section, _, key = name.rpartition(".")
        parsed.read_dict({section: {key: text}})
    return parsed


def values(key, text):
    """Texts of the values of a line, `a, b, c` or `1 to 5 mm in 3`.

    A unit at the end applies to all values without one.
    """
    span = re.fullmatch(r"(\S+) to (\S+)( \S.*?)? in (\d+)", text.strip())
    if span:
        try:
            begin, end, count = float(span[1]), float(span[2]), int(span[4])
        except ValueError:
            raise UsageError(f"{key} = {text}: '{span[1]}' and '{span[2]}' must be numbers") from None
        if count < 2:
            raise UsageError(f"{key} = {text}: expected two values or more")
        return [f"{value:.12g}{span[3] or ''}" for value in np.linspace(begin, end, count)]
    texts = [part.strip() for part in text.split(",")]
    if not all(texts):
        raise UsageError(f"{key} = {text}: a value is empty")
    unit = scree.units.split(texts[-1])[1] if len(scree.units.split(texts[-1])[0]) else ""
    return [f"{part} {unit}" if unit and _has_no_unit(part) else part for part in texts]


def _has_no_unit(text):
    numbers, unit = scree.units.split(text)
    return len(numbers) > 0 and not unit
