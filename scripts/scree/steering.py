"""Walls, joints, links and contacts of a stepped simulation: their state, and the motion that a program prescribes.

**A closed loop.** A blade is pulled through a bed at 0.1 m/s; a servo lifts or lowers it so that the drawbar pull is
50 mN, as the automatic blade control of a grader does::

    import numpy as np
    import scree.engine

    simulation = scree.engine.Simulation(scree.engine.parse({
        "domain": {"lower": "0 0 -1 mm", "upper": "60 8 30 mm", "periodic": "y"},
        "time": {"step": "200 us", "end": "1 s"},
        "material.sand": {"density": "2.6 g/cm^3"},
        "contact": {"friction": 0.5},
        "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
        "wall.rear": {"shape": "plane", "point": "0 0 0 mm", "normal": "1 0 0"},
        "wall.front": {"shape": "plane", "point": "60 0 0 mm", "normal": "-1 0 0"},
        "wall.cart": {"shape": "box", "lower": "5 3 26 mm", "upper": "11 5 28 mm"},
        "wall.blade": {"shape": "box", "lower": "7 -1 12 mm", "upper": "9 9 24 mm"},
        "link.cart": {"walls": "cart", "mass": "10 g", "centre": "8 4 27 mm", "inertia": "1 1 1 g cm^2"},
        "link.blade": {"walls": "blade", "mass": "5 g", "centre": "8 4 18 mm", "inertia": "1 1 1 g cm^2"},
        "joint.pull": {"child": "cart", "kind": "slider", "axis": "1 0 0"},
        "joint.lift": {"parent": "cart", "child": "blade", "kind": "slider", "axis": "0 0 1"},
        "fill": {"lower": "0 0 0 mm", "upper": "60 8 12 mm", "spacing": "2 mm", "radius": "0.9 mm", "jitter": "5 5 5 cm/s"},
        "solver": {"scheme": "jacobi", "sweeps": 20},  # the same bits on any number of ranks
    }))
    pull, lift = simulation.joints["pull"], simulation.joints["lift"]
    pull.set(speed=0.0, largest=5.0)
    lift.set(position=-5e-3, largest=5.0, largest_speed=0.1)
    simulation.step(duration=0.15)  # the bed comes to rest with the blade in it
    settled = simulation.save()  # simulation.restore(settled) returns to this state, to try another controller
    pull.set(speed=0.1)
    force, forces = 0.0, []
    while pull.position < 0.03:
        force += 0.2 * (pull.force - force)  # a running mean, because contacts open and close
        lift.set(speed=float(np.clip(2.0 * (force - 0.05), -0.05, 0.05)))
        simulation.step(duration=0.002)
        forces.append(pull.force)
    if simulation.rank == 0:
        late = np.array(forces[40:])
        print(f"{1e3 * late.mean():.1f} mN, blade at {1e3 * lift.position:.3f} mm, load {1e3 * pull.load:.3f} mN")

Reading joints and links is not collective, and gives the same numbers on all ranks; `set` and `release` are collective.
The drives of a scene are active until `set` replaces them. Torques and forces, also those on walls, are means over the
steps of the last call of `step`. Returned arrays are copies.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

import scree.arguments
from scree.errors import UnknownName, UsageError, did_you_mean

if TYPE_CHECKING:
    from scree import _native

Floats = NDArray[np.float64]
Agreed = Callable[[str], contextlib.AbstractContextManager[list[str]]]  # scree.ranks.agree for a simulation


@dataclasses.dataclass(frozen=True, repr=False)
class StepContacts:
    """Contacts of the last step on this rank, C of them. Each contact is between a particle a and a particle or
    wall b.

    Each contact is on one rank. Positions, normals and gaps are those at the beginning of the step. Touching bodies
    (gap at most 0.01 of the smallest radius) that were not in the solve are included with zero impulse.
    """

    id: NDArray[np.int64]  # of a and b, [C, 2]; the second is -1 for a wall
    wall: NDArray[np.int32]  # row in list(simulation.walls); -1: b is a particle, [C]
    position: Floats  # half way between the surfaces, [C, 3] [m]
    normal: Floats  # from b to a, [C, 3]
    gap: Floats  # negative where the bodies overlap, [C] [m]
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

    def _value(self, quantity: str) -> Floats:
        return np.array(self._native.wall(self._row)[quantity])

    @property
    def position(self) -> Floats:
        """Position: the `point` of a plane, or the middle of the bounding box of another shape, [3] [m]."""
        return self._value("position")

    @property
    def displacement(self) -> Floats:
        """Displacement since time zero, [3] [m]."""
        return self._value("displacement")

    @property
    def velocity(self) -> Floats:
        """Velocity of the wall's centre in the next step, [3] [m/s]."""
        return self._value("velocity")

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity in the next step, [3] [rad/s]."""
        return self._value("angular_velocity")

    @property
    def is_there(self) -> bool:
        """Whether the wall has appeared and is not removed."""
        return bool(self._native.wall(self._row)["is_there"])

    @property
    def force(self) -> Floats:
        """Force of the particles on the wall, mean over the last call of `step`, [3] [N]; NaN before the first call."""
        return np.array(self._native.wall_load(self._row)[0])

    @property
    def torque(self) -> Floats:
        """Torque of the particles on the wall about its moving centre (`centre` in the scene), [3] [N m].

        Mean as for `force`.
        """
        return np.array(self._native.wall_load(self._row)[1])

    def set(self, velocity: ArrayLike | None = None, angular_velocity: ArrayLike | None = None) -> None:
        """Sets the wall's motion from now on; motions in the scene no longer apply. None: unchanged. Collective.

        velocity: of the wall's centre, [3] [m/s]
        angular_velocity: about the centre, [3] [rad/s]; later calls cannot change the axis of rotation

        The wall moves as if its mass were infinite. Its work is in the energy balance, and its path in snapshots.
        Raises UsageError on all ranks, without changes, if forces, a piston, an oscillation, a table or a [motion]
        move the wall.
        """
        with self._agreed(f"set() of the wall '{self.name}'"):
            vectors = [
                self._value(name) if value is None else _vector(value, f"{name} of the wall '{self.name}'")
                for name, value in (("velocity", velocity), ("angular_velocity", angular_velocity))
            ]
        self._native.move_wall(self._row, vectors[0].tolist(), vectors[1].tolist())

    def __repr__(self) -> str:
        return f"Wall('{self.name}', at {_vector_text(self.position)} m, velocity {_vector_text(self.velocity)} m/s)"


class Joint:
    """A joint of a simulation as it is now: `simulation.joints["boom"]`. Its position is zero at time zero."""

    def __init__(self, native: _native.Simulation, agreed: Agreed, row: int, name: str, kind: str):
        self._native = native
        self._agreed = agreed
        self._row = row
        self.name = name
        self.kind = kind  # "hinge", "slider", "fixed", ...

    def _value(self, quantity: str, kinds: tuple[str, ...] = ("hinge", "slider")) -> float:
        if self.kind not in kinds:
            expected = " or ".join(map(_with_article, kinds))
            raise UsageError(f"the joint '{self.name}' is {_with_article(self.kind)} and has no such number; expected {expected}")
        return float(self._native.joint(self._row)[quantity])

    @property
    def position(self) -> float:
        """Angle of a hinge [rad] or travel of a slider [m]."""
        return self._value("position")

    @property
    def speed(self) -> float:
        """Angular speed of a hinge [rad/s] or speed of a slider [m/s]."""
        return self._value("speed")

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of all axes of the joint, [axes] [rad] and [m]. A ball joint has a rotation vector; a planar joint
        x, y and an angle; a free joint a displacement and a rotation vector.
        """
        return np.array(self._native.joint(self._row)["positions"], dtype=float)

    @property
    def speeds(self) -> NDArray[np.float64]:
        """Speeds of all axes of the joint, [axes] [rad/s] and [m/s].

        Those of a rotation vector are the angular velocity, not the derivative of the vector.
        """
        return np.array(self._native.joint(self._row)["speeds"], dtype=float)

    @property
    def torque(self) -> float:
        """Torque of a hinge's motor plus the prescribed torque, mean over the last call of `step` [N m].

        NaN before the first call.
        """
        return self._value("effort", ("hinge",))

    @property
    def force(self) -> float:
        """Force of a slider's motor plus the prescribed force, mean as for `torque` [N]."""
        return self._value("effort", ("slider",))

    @property
    def load(self) -> float:
        """Torque or force of the particles, mean as for `torque` [N m] or [N]."""
        return self._value("load")

    @property
    def power(self) -> float:
        """Power of the motor and of the prescribed torque or force, mean as for `torque` [W]."""
        return self._value("power")

    @property
    def drive(self) -> str:
        """Quantity that the motor controls: "none", "speed", "position"."""
        return str(self._native.joint(self._row)["drive"])

    def set(
        self,
        *,
        speed: float | None = None,
        position: float | None = None,
        torque: float | None = None,
        force: float | None = None,
        largest: float | None = None,
        largest_speed: float | None = None,
    ) -> None:
        """Sets the drive of the joint, instead of the drive and the table of the scene; None: unchanged. Collective.

        speed or position: target of the motor [rad/s], [m/s], [rad] or [m]
        torque, force: prescribed torque of a hinge [N m] or force of a slider [N], added to the motor's
        largest: maximum torque or force of the motor (`largest_torque`, `largest_force` of the scene)
        largest_speed: maximum speed of a motor with a target position

        Raises UsageError on all ranks, without changes, if the joint cannot be driven in this way.
        """
        with self._agreed(f"set() of the joint '{self.name}'"):
            if speed is not None and position is not None:
                raise UsageError(f"the joint '{self.name}': speed and position cannot be combined; expected one")
            foreign = {"hinge": ("force", force, "torque"), "slider": ("torque", torque, "force")}.get(self.kind)
            if foreign is not None and foreign[1] is not None:
                raise UsageError(f"the joint '{self.name}' is a {self.kind} and has no {foreign[0]}; expected {foreign[2]}")
            numbers = [
                None if value is None else _number(value, f"{label} of the joint '{self.name}'")
                for label, value in (
                    ("the speed", speed), ("the position", position), ("largest", largest),
                    ("largest_speed", largest_speed), ("the torque", torque), ("the force", force),
                )
            ]  # fmt: skip
        drive = "speed" if speed is not None else "position" if position is not None else None
        target = next((number for number in numbers[:2] if number is not None), 0.0)
        effort = next((number for number in numbers[4:] if number is not None), None)
        self._native.drive_joint(self._row, drive, target, numbers[2], numbers[3], effort)

    def release(self) -> None:
        """Turns the motor off; a prescribed torque or force stays. Collective."""
        with self._agreed(f"release() of the joint '{self.name}'"):
            pass
        self._native.drive_joint(self._row, "none", 0.0, None, None, None)

    def __repr__(self) -> str:
        if self.kind not in ("hinge", "slider"):
            return f"Joint('{self.name}', {self.kind})"
        units = ("rad", "rad/s") if self.kind == "hinge" else ("m", "m/s")
        return f"Joint('{self.name}', {self.kind} at {self.position:.4g} {units[0]}, speed {self.speed:.4g} {units[1]})"


class Link:
    """A link of a simulation as it is now: `simulation.links["bucket"]`."""

    def __init__(self, native: _native.Simulation, row: int, name: str):
        self._native = native
        self._row = row
        self.name = name

    def _value(self, *quantities: str) -> Floats:
        state = self._native.link(self._row)
        return np.concatenate([state[quantity] for quantity in quantities])

    @property
    def position(self) -> Floats:
        """Position of the centre of mass, [3] [m]."""
        return self._value("position")

    @property
    def orientation(self) -> Floats:
        """Rotation since time zero: a unit quaternion (w, x, y, z), [4]."""
        return self._value("orientation")

    @property
    def pose(self) -> Floats:
        """Position and orientation, [7]."""
        return self._value("position", "orientation")

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass, [3] [m/s]."""
        return self._value("velocity")

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity, [3] [rad/s]."""
        return self._value("angular_velocity")

    @property
    def force(self) -> Floats:
        """Force of the particles on the walls of the link, mean over the last call of `step`, [3] [N].

        NaN before the first call.
        """
        return self._value("force")

    @property
    def torque(self) -> Floats:
        """Torque of the particles about the moving centre of mass, mean as for `force`, [3] [N m]."""
        return self._value("torque")

    @property
    def wrench(self) -> Floats:
        """Force and torque, [6]."""
        return self._value("force", "torque")

    def __repr__(self) -> str:
        return f"Link('{self.name}', at {_vector_text(self.position)} m, velocity {_vector_text(self.velocity)} m/s)"


_Part = TypeVar("_Part", Wall, Joint, Link)


class Parts(Mapping[str, _Part]):
    """Walls, joints or links of a simulation by name; walls and links as in the scene, joints parents first."""

    def __init__(self, kind: str, parts: list[_Part]):
        self._kind = kind
        self._parts: dict[str, _Part] = {part.name: part for part in parts}

    def __getitem__(self, name: str) -> _Part:
        """Raises UnknownName, which is a KeyError."""
        if name in self._parts:
            return self._parts[name]
        known_names = ", ".join(self._parts) or "none"
        raise UnknownName(f"there is no {self._kind} '{name}'{did_you_mean(str(name), self._parts)}; there is {known_names}")

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return f"{self._kind.capitalize()}s({', '.join(self._parts)})"


def walls(native: _native.Simulation, agreed: Agreed) -> Parts[Wall]:
    return Parts("wall", [Wall(native, agreed, row, name) for row, name in enumerate(native.walls())])


def joints(native: _native.Simulation, agreed: Agreed) -> Parts[Joint]:
    return Parts("joint", [Joint(native, agreed, row, name, kind) for row, (name, kind) in enumerate(native.joints())])


def links(native: _native.Simulation) -> Parts[Link]:
    return Parts("link", [Link(native, row, name) for row, name in enumerate(native.links())])


def _with_article(kind: str) -> str:
    return f"a {kind}" if kind in ("hinge", "slider") else f"a {kind} joint"


def _number(value: Any, name: str) -> float:
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise UsageError(f"{name} = {value!r}; expected a number")


def _vector(value: ArrayLike, name: str) -> Floats:
    vector = np.asarray(scree.arguments.numbers(value, name, "three numbers"), dtype=float)
    if vector.shape != (3,):
        raise UsageError(f"{name} has the shape {vector.shape}; expected (3,)")
    return vector


def _vector_text(vector: Any) -> str:
    return f"({', '.join(f'{value:.4g}' for value in vector)})"
