"""The contact problem of a step, for other solvers: see scree.engine.Simulation.problem."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, repr=False)
class Problem:
    """M v = H r + f, u = H^T v + w, and at each contact 0 <= r_n, u_n >= 0, r_n u_n = 0, |r_t| <= mu r_n.

    Each of the n particles with contacts has six rows in M and H, for velocity and angular velocity in world axes. Each
    of the C contacts has three columns in H, for its axes (n, t, o), with n from its second body to its first. w
    contains driven motions, gaps and rebounds.
    """

    M: Any  # scipy.sparse.csc_matrix [6 n, 6 n] [kg, kg m^2]
    H: Any  # scipy.sparse.csc_matrix [6 n, 3 C]
    f: Floats  # [6 n] [N s, N m s]
    w: Floats  # [3 C] [m/s]
    mu: Floats  # [C]
    velocity: Floats  # v at the end of the step, [6 n] [m/s, 1/s]
    impulse: Floats  # r of the step, [3 C] [N s]
    guess: Floats  # r before the sweeps (warm start), [3 C] [N s]
    body: NDArray[np.int64]  # ids of the particles, ascending, [n]
    id: NDArray[np.int64]  # of the two bodies of each contact, [C, 2]; the second is -1 for a wall
    wall: NDArray[np.int32]  # row in list(simulation.walls); -1: none, [C]

    def __repr__(self) -> str:
        return f"Problem({len(self.mu)} contacts of {len(self.body)} particles)"

    @property
    def relative_velocity(self) -> Floats:
        """u at the end of the step, [3 C] [m/s]."""
        return np.asarray(self.H.T @ self.velocity + self.w)


def from_native(arrays: dict[str, Any]) -> Problem:
    """Makes a Problem of the arrays of the compiled part."""
    for name in ("M", "H"):
        columns, shape = arrays[name]
        arrays[name] = scipy.sparse.csc_matrix(columns, shape=shape)
    return Problem(**arrays)
