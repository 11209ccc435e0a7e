"""Sizes of the spheres of a packing, as keys of a scene, from options or a sieve curve."""

import re

import numpy as np

import scree.table
import scree.units
from scree.errors import FileError

EXPECTED_COLUMNS = "expected the columns opening_mm (or another unit of length) and passing_percent"


def metres(*values):
    """Lengths as text of a scene."""
    return " ".join(f"{value:.17g}" for value in values) + " m"


def equal(radius):
    return {"radius": metres(radius)}


def uniform(smallest, largest):
    return {"sizes": "uniform", "smallest_radius": metres(smallest), "largest_radius": metres(largest)}


def lognormal(median, spread):
    """Keys of a lognormal distribution, cut off at three standard deviations of ln r."""
    ends = median * np.exp([-3.0 * spread, 3.0 * spread])
    return uniform(*ends) | {"sizes": "lognormal", "radius": metres(median), "spread": f"{spread:.17g}"}


def sieved(path):
    """Keys from a sieve curve: rows of an opening and the percentage of the mass that passes it; raises FileError."""
    table = scree.table.read(path, is_whole=True)
    opening = next((name for name in table if re.fullmatch(r"opening_\w+", name)), None)
    unit = opening.removeprefix("opening_") if opening else ""
    if not unit or unit not in scree.units.METRES or "passing_percent" not in table:
        raise FileError(f"'{path}' has the columns {', '.join(table)}; {EXPECTED_COLUMNS}")
    openings, passing = table[opening], table["passing_percent"]
    for name, values in ((opening, openings), ("passing_percent", passing)):
        if values.dtype.kind != "f" or not np.all(np.isfinite(values)):
            raise FileError(f"'{path}': the column {name} has a value that is not a number")
    if len(openings) < 2:
        raise FileError(f"'{path}' has one sieve; expected two or more")
    if openings[0] <= 0.0 or np.any(np.diff(openings) <= 0.0):
        raise FileError(f"'{path}': the openings are not positive and increasing; expected the finest sieve first")
    if np.any(np.diff(passing) < 0.0) or passing[0] < 0.0:
        raise FileError(f"'{path}': passing_percent decreases or is below 0; expected percentages from 0 to 100")
    for row, expected, sieve in ((0, 0.0, "finest"), (-1, 100.0, "coarsest")):
        if abs(passing[row] - expected) > 1e-9:
            curve_end = f"{passing[row]:g} % pass the {sieve} sieve, {openings[row]:g} {unit}"
            raise FileError(f"'{path}': {curve_end}; expected {expected:g} %")
    radii = 0.5 * scree.units.METRES[unit] * openings
    fractions = " ".join(f"{fraction:.17g}" for fraction in passing / 100.0)
    return {"sizes": "sieved", "sieves": metres(*radii), "passing": fractions}


def largest(keys):
    """The largest radius that the keys allow [m]."""
    text = keys.get("sieves", keys.get("largest_radius", keys.get("radius")))
    return float(scree.units.in_si(text, scree.units.METRES)[-1])
