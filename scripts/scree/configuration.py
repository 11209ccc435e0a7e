"""Scene texts: reads config.ini, which each snapshot also contains, and writes values in the format of scenes."""

import configparser
import math
import pathlib
import unicodedata
from collections.abc import Mapping
from typing import Any

import scree.units
from scree.errors import FileError, UsageError

CHANGE_ROUNDING = 1e-6  # error of the time of a change [steps]


def _one_line(text: str, label: str) -> str:
    """Returns the text; raises UsageError if it has a line break, after which another key could follow."""
    if any(unicodedata.category(character) == "Cc" and character != "\t" for character in text):
        raise UsageError(f"{label} {text!r} holds a line break or another control character; expected one line of text")
    return text


def value(content: Any) -> str:
    """A number, truth value, text, or a list of these, in the format of scenes; raises UsageError."""
    return _one_line(_text(content), "the value")


def _text(content: Any) -> str:
    if isinstance(content, bool):
        return "yes" if content else "no"
    if isinstance(content, (str, pathlib.PurePath)):
        return str(content)
    try:
        return " ".join(map(_text, content))
    except TypeError:
        return f"{content:.17g}" if isinstance(content, float) else str(content)


def text(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Sections with their keys as the text of a scene; raises UsageError."""
    lines = []
    for section, keys in sections.items():
        lines.append(f"[{_one_line(section, 'the section')}]")
        lines += [f"{_one_line(key, 'the key')} = {value(content)}" for key, content in keys.items()]
        lines.append("")
    return "\n".join(lines)


def changed(changes: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Converts {"time": {"end": "20 ms"}} or {"time.end": "20 ms"} to [(section, key, text)].

    Raises UsageError if a name is not a section.key.
    """
    changed_values = []
    for name, content in changes.items():
        keys = {f"{name}.{key}": entry for key, entry in content.items()} if isinstance(content, Mapping) else {name: content}
        for full, entry in keys.items():
            section, _, key = full.rpartition(".")
            if not section or not key:
                raise UsageError(f"'{full}' is not a key of a scene; expected SECTION.KEY, or SECTION={{KEY: value}}")
            changed_values.append((_one_line(section, "the section"), _one_line(key, "the key"), value(entry)))
    return changed_values


def parsed(configuration):
    """Text as a ConfigParser; raises configparser.Error if it is not a scene.

    Its sections have the values at the start; for those at a later time see `at`.
    """
    parser = configparser.ConfigParser(
        interpolation=None, delimiters=("=",), inline_comment_prefixes=("#", ";"), strict=False
    )
    parser.optionxform = str  # keys of [at "TIME"] contain names of sections, whose case counts
    parser.read_string(configuration)
    return parser


def at(configuration, time):
    """The configuration as a ConfigParser, with the values of the last step before output at `time` [s].

    Output is written at the end of a step, and a change is made before the next step. Hence output at the time of an
    [at "TIME"] still belongs to the values before this change. Raises configparser.Error, or ValueError if a change or
    the step has no time.
    """
    scene = parsed(configuration)
    for section in sorted((name for name in scene.sections() if name.startswith("at ")), key=_moment):
        if _steps_before(_moment(section), scene) >= round(time / time_step(scene)):
            break
        _change(scene, scene[section])
    return scene


def _moment(section):
    """Time of a section `at "0.04 s"` [s]."""
    return float(scree.units.in_si(section[3:].strip().strip('"'), scree.units.SECONDS)[0])


def _steps_before(moment, scene):
    """Number of steps that are done when the change of `moment` [s] is made, as StepOf in io/scene/config_changes.cpp."""
    return math.ceil(moment / time_step(scene) - CHANGE_ROUNDING)


def _change(scene, changes):
    """Gives keys of a ConfigParser new values.  changes: {"section.key": value}, "unset" removes the key"""
    for name, content in changes.items():
        section, _, key = name.rpartition(".")
        if content == "unset":
            scene.remove_option(section, key)
        else:
            scene.read_dict({section: {key: content}})


def time_step(scene):
    """time.step of a parsed configuration, or its base step if the step is automatic [s]; raises ValueError."""
    text = scene.get("time", "step", fallback="")
    if text == "auto":  # files of older programs have no base step
        text = scene.get("time", "base_step", fallback="1 ns")
    step = scree.units.in_si(text, scree.units.SECONDS)[0]
    if not 0.0 < step < math.inf:
        raise ValueError(f"'{text}' must be a time greater than 0")
    return step


def time_step_of(snapshot):
    """Last time step before a snapshot [s], from the snapshot or its configuration; raises FileError."""
    if snapshot.time_step > 0.0:
        return snapshot.time_step
    try:
        return time_step(parsed(snapshot.configuration))
    except (configparser.Error, ValueError) as error:
        raise FileError(
            f"'{snapshot.path}' carries a configuration without a time step: {error}"
        ) from error


def shear_of(configuration):
    """Shear of a domain: (rate [1/s], number of the flow axis, number of the gradient axis); None without shear."""
    try:
        domain = parsed(configuration)["domain"]
        rate = scree.units.in_si(domain.get("shear_rate", fallback="0 1/s"), {"": 1.0, "1/s": 1.0})[0]
        axes = [domain.get(key, fallback=fallback) for key, fallback in (("shear_flow", "x"), ("shear_gradient", "z"))]
        return (rate, *("xyz".index(axis) for axis in axes)) if rate != 0.0 and math.isfinite(rate) else None
    except (configparser.Error, KeyError, ValueError):
        return None


def cell_axes(configuration):
    """Axes of the flow and of the gradient of a [cell], as numbers; raises ValueError if they are not axes."""
    scene = parsed(configuration)
    return tuple("xyz".index(scene.get("cell", key, fallback=fallback)) for key, fallback in (("flow", "x"), ("gradient", "z")))
