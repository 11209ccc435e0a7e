"""Walls and contacts of a stepped simulation, and how walls are steered: see scree.engine."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scree.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from scree import _native

Floats = NDArray[np.float64]
Agreed = Callable[[str], contextlib.AbstractContextManager[list[str]]]  # scree.ranks.agree for a simulation


@dataclasses.dataclass(frozen=True, repr=False)
class StepContacts:
    """The C contacts of the last step on this rank, each of a particle a with a particle or wall b.

    Each contact is on one rank. The geometry is that at the beginning of the step. Touching bodies (gap at most 0.01 of the
    smallest radius) that were not in the solve are included with zero impulse.
    """

    id: NDArray[np.int64]  # of a and b, [C, 2]; the second is -1 for a wall
    wall: NDArray[np.int32]  # row in list(simulation.walls), -1: none, [C]
    position: Floats  # half way between the surfaces, [C, 3] [m]
    normal: Floats  # from b to a, [C, 3]
    gap: Floats  # negative where they overlap, [C] [m]
    impulse: Floats  # on a, [C, 3] [N s]
    force: Floats  # on a, mean over the step, cohesion included, [C, 3] [N]

    def __len__(self) -> int:
        return len(self.gap)

    def __repr__(self) -> str:
        return f"StepContacts({len(self)}, {int((self.wall >= 0).sum())} of them with walls)"


class Wall:
    """A wall of a simulation in its present state: `simulation.walls["lid"]`."""

    def __init__(self, native: _native.Simulation, agreed: Agreed, row: int, name: str):
        self._native = native
        self._agreed = agreed
        self._row = row
        self.name = name

    def _now(self, what: str) -> Floats:
        return np.array(self._native.wall(self._row)[what])

    @property
    def position(self) -> Floats:
        """Position: the given point of a plane, or the middle of the bounding box of another shape, [3] [m]."""
        return self._now("position")

    @property
    def displacement(self) -> Floats:
        """Displacement since time zero, [3] [m]."""
        return self._now("displacement")

    @property
    def velocity(self) -> Floats:
        """Velocity of its centre in the next step, [3] [m/s]."""
        return self._now("velocity")

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity in the next step, [3] [rad/s]."""
        return self._now("angular_velocity")

    @property
    def is_there(self) -> bool:
        """Whether it has appeared and is not removed."""
        return bool(self._native.wall(self._row)["is_there"])

    @property
    def force(self) -> Floats:
        """Force of the particles on it, mean over the steps of the last call of `step`, [3] [N]; NaN before."""
        return np.array(self._native.wall_load(self._row)[0])

    @property
    def torque(self) -> Floats:
        """Torque of the particles on it about its centre (`centre` of its scene), which moves with it, [3] [N m]; NaN before."""
        return np.array(self._native.wall_load(self._row)[1])

    def set(self, velocity: ArrayLike | None = None, angular_velocity: ArrayLike | None = None) -> None:
        """Sets its motion from now on, regardless of later motions in the scene; None: the present value. Collective.

        velocity: of its centre, [3] [m/s];  angular_velocity: about the centre; its axis cannot change later, [3] [rad/s]

        The wall moves as if its mass were infinite. Its work is in the energy balance, and its path in snapshots. If forces, a
        piston, an oscillation, a table or a [motion] move it, raises UsageError on all ranks and changes nothing.
        """
        with self._agreed(f"set() of the wall '{self.name}'"):
            given = [
                self._now(name) if value is None else _vector(value, f"{name} of the wall '{self.name}'")
                for name, value in (("velocity", velocity), ("angular_velocity", angular_velocity))
            ]
        self._native.move_wall(self._row, given[0].tolist(), given[1].tolist())

    def __repr__(self) -> str:
        return f"Wall('{self.name}', at {_words(self.position)} m, velocity {_words(self.velocity)} m/s)"


class Walls(Mapping[str, Wall]):
    """The walls of a simulation by their names, in the order of its scene."""

    def __init__(self, native: _native.Simulation, agreed: Agreed):
        self._walls = {name: Wall(native, agreed, row, name) for row, name in enumerate(native.walls())}

    def __getitem__(self, name: str) -> Wall:
        """Raises UnknownName, which is a KeyError."""
        if name in self._walls:
            return self._walls[name]
        alike = difflib.get_close_matches(str(name), self._walls, 1)
        guess = f" (did you mean '{alike[0]}'?)" if alike else ""
        known = ", ".join(self._walls) or "none"
        raise UnknownName(f"there is no wall '{name}'{guess}; there is {known}")

    def __contains__(self, name: object) -> bool:
        return name in self._walls

    def __iter__(self) -> Iterator[str]:
        return iter(self._walls)

    def __len__(self) -> int:
        return len(self._walls)

    def __repr__(self) -> str:
        return f"Walls({', '.join(self._walls)})"


def _vector(value: ArrayLike, name: str) -> Floats:
    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {value!r}; expected three numbers") from None
    if vector.shape != (3,):
        raise UsageError(f"{name} has the shape {vector.shape}; expected (3,)")
    return vector


def _words(vector: Any) -> str:
    return f"({', '.join(f'{value:.4g}' for value in vector)})"
