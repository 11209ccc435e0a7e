"""Laws of single impacts, as functions of broadcast arrays::

    import numpy as np
    import scree.impact

    speed = np.geomspace(0.01, 10.0, 100)
    scree.impact.restitution_of_speed(speed, mass=1e-3, stiffness=1e8, dissipation=2e-4)
    scree.impact.viscoelastic(gamma=0.2, load=np.linspace(0.0, 1.0, 50)).restitution
    scree.impact.routh(alpha=1.0, epsilon=0.2, gamma=1.0, s=0.3, c=-1.0, mu=0.4, restitution=0.5).mode

Sources, signs and accuracy are documented in apps/single/README.md and in the C++ headers of the files that it names.
An argument out of range raises scree.UsageError with its name, value and range. The functions are compiled: see
scree.native.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import scree.native
from scree.errors import UsageError

if TYPE_CHECKING:
    from scree import _native
else:
    _native = scree.native.load("scree.impact")

Floats = NDArray[np.float64]
End = Literal["deformation_zero", "force_zero"]
Formula = Literal["hunt-crossley", "lankarani-nikravesh", "hu-guo", "flores", "exact"]
ENDS = ("deformation_zero", "force_zero")
FORMULAS = ("hunt-crossley", "lankarani-nikravesh", "hu-guo", "flores", "exact")
MODELS = {name: (alpha, beta) for name, alpha, beta in _native.contact_models()}  # exponents of spring and dissipation
Model = str | tuple[float, float]  # a name of MODELS, or the exponents alpha of the spring and beta of the dissipation


@dataclasses.dataclass(frozen=True)
class Viscoelastic:
    """Results of impacts, in units in which mass, stiffness and approach speed are 1."""

    detached: NDArray[np.bool_]
    restitution: Floats  # 0 if not detached
    loss: Floats  # 1 - e^2, without cancellation
    duration: Floats  # infinite if bodies come to rest
    max_deformation: Floats
    end_deformation: Floats  # of bodies that come to rest: at rest under the load


@dataclasses.dataclass(frozen=True)
class Path:
    """Path of an impact in the units of `Viscoelastic`, [n] each."""

    time: Floats
    deformation: Floats
    velocity: Floats
    force: Floats  # positive: repulsive


@dataclasses.dataclass(frozen=True)
class HuntCrossley:
    """Results of impacts with a Hunt-Crossley spring and damper."""

    restitution: Floats
    max_compression: Floats  # [m]
    contact_time: Floats  # [s]


class RouthMode(enum.IntEnum):
    """Course of a planar impact, see apps/single/models/routh.hpp."""

    SEPARATING = 0
    FRICTIONLESS = 1
    SLIP = 2
    STICK_IN_COMPRESSION = 3
    REVERSAL_IN_COMPRESSION = 4
    STICK_IN_RESTITUTION = 5
    REVERSAL_IN_RESTITUTION = 6
    STICK_FROM_START = 7
    SLIP_FROM_START = 8


@dataclasses.dataclass(frozen=True)
class Routh:
    """Planar impacts of rough bodies."""

    normal: Floats  # impulse [N s]
    tangential: Floats  # impulse [N s]
    s: Floats  # sliding velocity after the impact [m/s]
    c: Floats  # separation velocity after the impact [m/s]
    energy: Floats  # change of kinetic energy [J]
    energetic_restitution: Floats  # by Stronge's definition
    mode: NDArray[np.int64]  # RouthMode


def hertz_stiffness(
    young_a: ArrayLike, poisson_a: ArrayLike, radius_a: ArrayLike, young_b: ArrayLike, poisson_b: ArrayLike,
    radius_b: ArrayLike = np.inf,
) -> Floats:  # fmt: skip
    """Stiffness of Hertz's law for two spheres, or a sphere and a wall (infinite `radius_b`) [N/m^1.5]; young [Pa]."""
    return _evaluate("hertz_stiffness", young_a, poisson_a, radius_a, young_b, poisson_b, radius_b)[0]


def viscoelastic(
    gamma: ArrayLike, load: ArrayLike = 0.0, model: Model = "kuwabara-kono", end: End = "deformation_zero"
) -> Viscoelastic:
    """Impacts on viscoelastic contacts with the dissipation gamma under a load, integrated to rounding errors.

    end: the impact ends when the deformation is zero, or when the force would become attractive
    """
    values = _evaluate("viscoelastic", *_exponents(model), gamma, load, choice=scree.native.number_of(end, ENDS, "end"))
    return Viscoelastic(values[0] != 0.0, *values[1:])


def path(
    gamma: float, load: float = 0.0, model: Model = "kuwabara-kono", end: End = "deformation_zero", parts: int = 1
) -> Path:
    """Path of an impact of `viscoelastic`; each step of the integrator gives `parts` points."""
    if parts < 1:
        raise UsageError(f"parts = {parts} must be a whole number from 1")
    return Path(*_native.impact_path(*_exponents(model), gamma, load, scree.native.number_of(end, ENDS, "end"), parts).T)


def restitution_of_speed(
    speed: ArrayLike, mass: ArrayLike, stiffness: ArrayLike, dissipation: ArrayLike, acceleration: ArrayLike = 0.0,
    model: Model = "kuwabara-kono", end: End = "deformation_zero",
) -> Floats:  # fmt: skip
    """Restitution at an approach speed [m/s], by integration.

    mass: effective mass [kg];  stiffness [N/m^alpha];  dissipation [s m^(alpha - beta)]
    acceleration: towards the contact, from weight and load [m/s^2]
    """
    arguments = (*_exponents(model), mass, stiffness, dissipation, acceleration, speed)
    return _evaluate("restitution_of_speed", *arguments, choice=scree.native.number_of(end, ENDS, "end"))[0]


def dissipation_of(restitution: ArrayLike, load: ArrayLike = 0.0, model: Model = "kuwabara-kono") -> Floats:
    """gamma of an impact with this restitution."""
    return _evaluate("dissipation_of", *_exponents(model), restitution, load)[0]


def physical_dissipation(
    restitution: ArrayLike, speed: ArrayLike, mass: ArrayLike, stiffness: ArrayLike, model: Model = "kuwabara-kono"
) -> Floats:
    """Dissipation [s m^(alpha - beta)] of an impact without load that has this restitution at a speed [m/s]."""
    return _evaluate("physical_dissipation", *_exponents(model), mass, stiffness, speed, restitution)[0]


def critical_dissipation(load: ArrayLike, model: Model = "kuwabara-kono") -> Floats:
    """gamma above which a body under a load does not detach."""
    return _evaluate("critical_dissipation", *_exponents(model), load)[0]


def critical_load(gamma: ArrayLike, model: Model = "kuwabara-kono") -> Floats:
    """Load above which a body does not detach; 0 if it does not detach without a load either."""
    return _evaluate("critical_load", *_exponents(model), gamma)[0]


def optimal_damping(
    restitution: ArrayLike, mass: ArrayLike = 1.0, stiffness: ArrayLike = 1.0, speed: ArrayLike = 1.0, n: ArrayLike = 1.5
) -> Floats:
    """Linear damping [kg/s] that gives this restitution with a spring of exponent n, 1 to 2."""
    return _evaluate("optimal_damping", n, mass, stiffness, speed, restitution)[0]


def restitution_of_damping(
    damping: ArrayLike, mass: ArrayLike = 1.0, stiffness: ArrayLike = 1.0, speed: ArrayLike = 1.0, n: ArrayLike = 1.5
) -> Floats:
    """Restitution of a spring of exponent n with this linear damping [kg/s]."""
    return _evaluate("restitution_of_damping", n, mass, stiffness, speed, damping)[0]


def hysteresis_factor(restitution: ArrayLike, formula: Formula = "exact") -> Floats:
    """Hysteresis factor h of Hunt and Crossley's damping that gives this restitution.

    h = mu v with the approach speed v and the mu of `hunt_crossley`; if the force is (k + mu d') d^n, h = mu v/k.
    """
    return _evaluate("hysteresis_factor", restitution, choice=scree.native.number_of(formula, FORMULAS, "formula"))[0]


def restitution_of_hysteresis(factor: ArrayLike) -> Floats:
    """Restitution of a hysteresis factor h."""
    return _evaluate("restitution_of_hysteresis", factor)[0]


def hunt_crossley(
    speed: ArrayLike, mass: ArrayLike = 0.01, stiffness: ArrayLike = 1e7, mu: ArrayLike = 0.5, alpha: ArrayLike = 1.5
) -> HuntCrossley:
    """Impacts with f = k x^alpha (1 + mu v), in closed form."""
    return HuntCrossley(*_evaluate("hunt_crossley", mass, stiffness, mu, alpha, speed))


def routh(
    alpha: ArrayLike, epsilon: ArrayLike, gamma: ArrayLike, s: ArrayLike, c: ArrayLike, mu: ArrayLike,
    restitution: ArrayLike = 0.0,
) -> Routh:  # fmt: skip
    """Planar impacts of rough bodies by Routh's method, with Poisson's hypothesis.

    After the tangential impulse T and the normal impulse F the contact velocity is s + alpha T + epsilon F along the
    surface and c + epsilon T + gamma F normal to it. c < 0 means approach.
    """
    values = _evaluate("routh", alpha, epsilon, gamma, s, c, mu, restitution)
    normal, tangential, s_after, c_after, energy, energetic, mode = values
    return Routh(normal, tangential, s_after, c_after, energy, energetic, mode.astype(int))


def _evaluate(name: str, *arguments: ArrayLike, choice: int = 0) -> list[Floats]:
    """Evaluates a law row by row and returns its results in the shape of the arguments."""
    try:
        arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=float) for argument in arguments))
    except ValueError:
        shapes = ", ".join(str(np.shape(argument)) for argument in arguments)
        raise UsageError(f"{name}: arrays of {shapes} cannot be broadcast together") from None
    rows = np.stack([array.reshape(-1) for array in arrays], axis=1)
    return [column.reshape(arrays[0].shape)[()] for column in _native.impact_law(name, rows, choice).T]


def _exponents(model: Model) -> tuple[float, float]:
    if not isinstance(model, str):
        alpha, beta = model
        return alpha, beta
    if model not in MODELS:
        raise UsageError(f"model = '{model}'; expected {', '.join(MODELS)}, or two exponents")
    return MODELS[model]
