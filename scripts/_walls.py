"""Reads the walls of bounded shape from the configuration text that a snapshot carries."""

import configparser
import dataclasses
import re

import numpy as np

METRES = {"": 1.0, "m": 1.0, "km": 1e3, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9}
RIM_POINTS = 120  # of a circle; the outline then deviates by less than 0.04 % of the radius


@dataclasses.dataclass
class Solid:
    """A box or cylinder: the convex hull of its points."""

    wall: str  # name; the parts of a union share it
    points: np.ndarray  # [K, 3] [m]


def _quantity(text):
    """Numbers and unit of `1 2 3 cm`: ([...], 'cm')."""
    words = text.split()
    numbers = [word for word in words if re.fullmatch(r"[-+.\d][-+.\deE]*", word)]
    return np.array(numbers, dtype=float), " ".join(words[len(numbers) :])


def _length(section, key):
    """A length or a point of the section, in metres; raises ValueError if there is none."""
    numbers, unit = _quantity(section.get(key, ""))
    if not len(numbers) or unit not in METRES:
        raise ValueError(f"[{section.name}] {key} = '{section.get(key, '')}' is not a length")
    return numbers * METRES[unit]


def _box_points(section):
    corners = np.array([_length(section, "lower"), _length(section, "upper")])
    choices = np.indices((2, 2, 2)).reshape(3, -1).T
    return corners[choices, np.arange(3)]


def _cylinder_points(section):
    start, end = _length(section, "from"), _length(section, "to")
    radius = _length(section, "radius")[0]
    axis = (end - start) / np.linalg.norm(end - start)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    angle = np.linspace(0.0, 2.0 * np.pi, RIM_POINTS, endpoint=False)[:, None]
    rim = radius * (np.cos(angle) * across + np.sin(angle) * np.cross(axis, across))
    return np.concatenate([start + rim, end + rim])


POINTS_OF = {"box": _box_points, "cylinder": _cylinder_points}


def bounded_walls(configuration, time=0.0):
    """Boxes and cylinders among the walls at `time` [s], [Solid]; planes are left out.

    Raises ValueError, with the section, if a shape lacks its lengths.
    """
    parser = configparser.ConfigParser(
        interpolation=None, delimiters=("=",), inline_comment_prefixes=("#", ";"), strict=False
    )
    parser.read_string(configuration)
    solids = []
    for title in parser.sections():
        kind, _, rest = title.partition(".")
        shape = parser[title].get("shape", "")
        if kind != "wall" or shape not in POINTS_OF:
            continue
        wall = rest.split(".")[0]
        owner = parser[f"wall.{wall}"] if parser.has_section(f"wall.{wall}") else {}
        velocity, _ = _quantity(owner.get("velocity", "0 0 0"))
        solids.append(Solid(wall, POINTS_OF[shape](parser[title]) + velocity * time))
    return solids
