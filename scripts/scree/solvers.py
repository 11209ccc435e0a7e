"""Single contacts with friction, solved independently of each other, as functions of arrays::

    import scree.solvers

    frame, a = scree.solvers.contact_block(normal, body_a, body_b)   # the block of the Delassus operator
    solution = scree.solvers.max_dissipation(a, b, mu)               # as many contacts as there are rows
    solution.impulse, solution.velocity, solution.energy, solution.state == scree.solvers.State.SLIP

The contact frame is (n, t, o), with n from body b to body a. The impulse x acts on a, and v = A x - b is the velocity
of a relative to b after the impulse; v_n > 0 means separation. A is symmetric positive definite [1/kg], b is minus the
relative velocity before the impulse [m/s], and mu the friction coefficient. Arrays are A [..., 3, 3], b [..., 3], mu
[...]; leading axes are broadcast. The theory is in solvers/README.md. An invalid contact raises scree.UsageError with
its number. The functions are compiled: see scree.native.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import scree.native
from scree.errors import UsageError

if TYPE_CHECKING:
    from scree import _native
else:
    _native = scree.native.load("scree.solvers")

Floats = NDArray[np.float64]
Law = Literal["max_dissipation", "coulomb"]
Hypothesis = Literal["newton", "poisson", "energetic"]
LAWS = ("max_dissipation", "coulomb")
HYPOTHESES = ("newton", "poisson", "energetic")


class State(enum.IntEnum):
    """State of a contact."""

    SEPARATING = 0  # b_n < 0: no impulse
    FRICTIONLESS = 1  # mu = 0
    STICK = 2  # v = 0
    SLIP = 3  # x on the friction cone
    ZERO = 4  # b_n = 0, and no impulse dissipates


@dataclasses.dataclass(frozen=True)
class Solution:
    """Impulses of contacts and their effects, in contact frames."""

    impulse: Floats  # x [..., 3] [N s]
    velocity: Floats  # after the impulse, A x - b [..., 3] [m/s]
    energy: Floats  # x A x/2 - x b: the change of kinetic energy [...] [J]
    state: NDArray[np.int64]  # State [...]; -1: there is no solution


@dataclasses.dataclass(frozen=True)
class Solutions(Solution):
    """All solutions of each contact in the order of increasing energy.

    They are along an additional axis after the leading axes. Entries beyond `count` are NaN.
    """

    count: NDArray[np.int64]  # number of solutions [...]


@dataclasses.dataclass(frozen=True)
class Rebound:
    """Impacts with restitution, in contact frames."""

    compression: Floats  # impulse of the compression phase; zero with Newton's hypothesis [..., 3] [N s]
    impulse: Floats  # of the whole impact [..., 3] [N s]
    velocity: Floats  # after the impact [..., 3] [m/s]
    energy: Floats  # change of kinetic energy; positive: a gain [...] [J]


@dataclasses.dataclass(frozen=True)
class Body:
    """Data of a body in a contact; zero inverse mass and inertia mean a driven body."""

    inverse_mass: ArrayLike = 0.0  # [...] [1/kg]
    inverse_inertia: ArrayLike = 0.0  # in world axes [..., 3, 3], or a factor of the identity [1/(kg m^2)]
    arm: ArrayLike = (0.0, 0.0, 0.0)  # from the centre of mass to the contact [..., 3] [m]


def max_dissipation(a: ArrayLike, b: ArrayLike, mu: ArrayLike) -> Solution:
    """Impulses that dissipate most kinetic energy: the principle of maximum dissipation."""
    return _solve(a, b, mu, "max_dissipation")


def coulomb(a: ArrayLike, b: ArrayLike, mu: ArrayLike) -> Solution:
    """Impulses by Coulomb's law; if there are several solutions, the one that dissipates most."""
    return _solve(a, b, mu, "coulomb")


def coulomb_solutions(a: ArrayLike, b: ArrayLike, mu: ArrayLike) -> Solutions:
    """All impulses that Coulomb's law allows, at most six per contact."""
    rows, shape = _contacts(a, b, mu)
    table = _native.coulomb_solutions(rows)
    solutions = table[:, 1:].reshape(*shape, (table.shape[1] - 1) // 8, 8)
    return Solutions(*_parts(solutions), count=table[:, 0].astype(int).reshape(shape)[()])


def rebound(
    a: ArrayLike, b: ArrayLike, mu: ArrayLike, restitution: ArrayLike, law: Law = "coulomb",
    hypothesis: Hypothesis = "newton",
) -> Rebound:  # fmt: skip
    """Impacts with a restitution, 0 to 1, by a law of friction and a hypothesis on restitution."""
    rows, shape = _contacts(a, b, mu, np.asarray(restitution, dtype=float))
    numbers = (scree.native.number_of(law, LAWS, "law"), scree.native.number_of(hypothesis, HYPOTHESES, "hypothesis"))
    table = _native.rebounds(rows[:, :13], rows[:, 13:], *numbers).reshape(*shape, 10)
    return Rebound(table[..., 0:3], table[..., 3:6], table[..., 6:9], table[..., 9][()])


def contact_block(normal: ArrayLike, a: Body, b: Body | None = None) -> tuple[Floats, Floats]:
    """Contact frame (columns n, t, o in world axes) and the matrix A of contacts of two bodies, [..., 3, 3] each.

    normal: unit vectors from b to a [..., 3]
    b: None means a driven body
    """
    columns: list[tuple[ArrayLike, int]] = [(normal, 1)]
    for body in (a, b if b is not None else Body()):
        inertia = np.asarray(body.inverse_inertia, dtype=float)
        full = inertia if inertia.ndim >= 2 else inertia[..., np.newaxis, np.newaxis] * np.eye(3)
        columns += [(body.inverse_mass, 0), (full, 2), (body.arm, 1)]
    rows, shape = _rows(columns)
    lengths = np.linalg.norm(rows[:, :3], axis=1)
    if not np.allclose(lengths, 1.0, rtol=0.0, atol=1e-9):
        raise UsageError(f"normal: a vector has the length {lengths[np.argmax(abs(lengths - 1.0))]:.9g}; expected 1")
    table = _native.contact_blocks(rows).reshape(*shape, 2, 3, 3)
    return table[..., 0, :, :], table[..., 1, :, :]


def _solve(a, b, mu, law):
    rows, shape = _contacts(a, b, mu)
    return Solution(*_parts(_native.solve_contacts(rows, LAWS.index(law)).reshape(*shape, 8)))


def _parts(table: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    state = np.where(np.isnan(table[..., 7]), -1, table[..., 7]).astype(int)
    return table[..., 0:3], table[..., 3:6], table[..., 6][()], state[()]


def _contacts(a, b, mu, *scalars):
    return _rows([(a, 2), (b, 1), (mu, 0), *((scalar, 0) for scalar in scalars)])


def _rows(columns: list[tuple[Any, int]]) -> tuple[Floats, tuple[int, ...]]:
    """Joins arrays with these numbers of trailing axes to rows [N, K]; also returns their leading shape.

    Raises UsageError.
    """
    arrays = [(np.asarray(values, dtype=float), axes) for values, axes in columns]
    for array, axes in arrays:
        if array.shape[array.ndim - axes :] != (3,) * axes or array.ndim < axes:
            raise UsageError(f"an array has the shape {array.shape}; expected {('[...]', '[..., 3]', '[..., 3, 3]')[axes]}")
    try:
        shape = np.broadcast_shapes(*(array.shape[: array.ndim - axes] for array, axes in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array, _ in arrays)
        raise UsageError(f"arrays of {shapes} cannot be broadcast together") from None
    parts = [np.broadcast_to(array, shape + (3,) * axes).reshape(-1, 3**axes) for array, axes in arrays]
    return np.ascontiguousarray(np.hstack(parts)), shape
