"""Reads the configuration text of a run: its config.ini, which every snapshot carries too."""

import configparser

import scree.units
from scree.errors import FileError


def parsed(configuration):
    """The text as a ConfigParser; raises configparser.Error if it is not a scene."""
    parser = configparser.ConfigParser(
        interpolation=None, delimiters=("=",), inline_comment_prefixes=("#", ";"), strict=False
    )
    parser.read_string(configuration)
    return parser


def time_step(scene):
    """The time step [s] of a parsed configuration; raises ValueError if it has none."""
    return scree.units.in_si(scene.get("time", "step", fallback=""), scree.units.SECONDS)[0]


def time_step_of(snapshot):
    """The time step [s] that a snapshot's configuration tells; raises FileError."""
    try:
        return time_step(parsed(snapshot.configuration))
    except (configparser.Error, ValueError) as error:
        raise FileError(
            f"'{snapshot.path}' carries a configuration without a time step: {error}"
        ) from error


def shear_of(configuration):
    """The shear of a domain: (rate [1/s], axis of the flow, axis of the gradient) as numbers; None if there is none."""
    try:
        domain = parsed(configuration)["domain"]
        rate = scree.units.in_si(domain.get("shear_rate", fallback="0 1/s"), {"": 1.0, "1/s": 1.0})[0]
        axes = [domain.get(key, fallback=fallback) for key, fallback in (("shear_flow", "x"), ("shear_gradient", "z"))]
        return (rate, *("xyz".index(axis) for axis in axes)) if rate != 0.0 else None
    except (configparser.Error, KeyError, ValueError):
        return None
