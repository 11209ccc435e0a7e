"""Reads the configuration text of a run: its config.ini, which every snapshot carries too."""

import configparser

import _units


def parsed(configuration):
    """The text as a ConfigParser; raises configparser.Error if it is not a scene."""
    parser = configparser.ConfigParser(
        interpolation=None, delimiters=("=",), inline_comment_prefixes=("#", ";"), strict=False
    )
    parser.read_string(configuration)
    return parser


def time_step(scene):
    """The time step [s] of a parsed configuration; raises ValueError if it has none."""
    return _units.in_si(scene.get("time", "step", fallback=""), _units.SECONDS)[0]
