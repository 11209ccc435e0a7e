"""Definition of a validation case: the runs, the law, and an analysis that computes results from the runs."""

import dataclasses
from collections.abc import Callable

import scree.snapshot

GRAVITY = 9.81  # in the scenes [m/s^2]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A measured number, with the prediction of theory. (Plots are called pictures here.)"""

    quantity: str
    measured: float
    expected: float
    tolerance: float  # absolute
    unit: str = ""
    is_range: bool = False  # a range is expected, and `expected` is only its middle

    @property
    def passed(self):
        """Whether the value is within the tolerance; False for NaN."""
        return bool(abs(self.measured - self.expected) <= self.tolerance)


def within(quantity, measured, low, high, unit=""):
    """A figure that must lie between two values."""
    return Figure(quantity, measured, 0.5 * (low + high), 0.5 * (high - low), unit, is_range=True)


def relative(quantity, measured, expected, tolerance, unit=""):
    """A figure whose tolerance is a fraction of the expected value."""
    return Figure(quantity, measured, expected, tolerance * abs(expected), unit)


@dataclasses.dataclass
class Result:
    """What the analysis of a case finds."""

    figures: list  # of Figure
    picture: object  # matplotlib.figure.Figure
    note: str = ""  # a remark, such as why a quantity misses its tolerance


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    law: str  # the formula
    source: str  # the source of the law
    runs: Callable  # runs(full: bool) -> [Run]
    analyse: Callable  # {name of a run: scree.directory.Run} -> Result


def by_id(path):
    """A snapshot whose particles are in the order of their ids."""
    return scree.snapshot.read_snapshot(path).by_id()


def last_of(run):
    """The last snapshot of a run, its particles in the order of their ids."""
    return by_id(run.snapshots[-1])


def density_of(run):
    """Density of the only material [kg/m^3]."""
    return run.number(next(name for name in run.scene if name.startswith("material.")), "density")
