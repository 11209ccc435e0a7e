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
