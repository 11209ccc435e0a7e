"""The engine in Python: steps, reads, changes and steers simulations. An example is a servo that holds 2 kPa::

    import scree.engine

    scene = scree.engine.parse({
        "domain": {"lower": "0 0 0 mm", "upper": "8 8 12 mm", "periodic": "x y"},
        "time": {"step": "100 us", "end": "1 s"},
        "material.glass": {"density": "2.5 g/cm^3"},
        "contact": {"friction": 0.3},
        "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
        "wall.lid": {"shape": "plane", "point": "0 0 12 mm", "normal": "0 0 -1"},
        "fill": {"lower": "0 0 0 mm", "upper": "8 8 12 mm", "spacing": "1 mm", "radius": "0.45 mm",
                 "jitter": "5 5 5 cm/s"},
        "solver": {"scheme": "jacobi", "sweeps": 20},  # the same bits on any number of ranks
    })
    simulation = scree.engine.Simulation(scene)
    lid, area = simulation.walls["lid"], 8e-3 * 8e-3
    error, rate, gain = 1.0, 1.0, 0.1
    while abs(error) > 0.02 or rate > 0.3:  # until the load is 2 kPa and the strain rate of the bed is below 0.3 1/s
        last_error, error = error, 1.0 - lid.force[2] / area / 2e3 if simulation.steps else 1.0
        gain = 0.5 * gain if error * last_error < 0.0 else min(1.05 * gain, 0.1)  # halving keeps the lid from bouncing
        lid.set(velocity=(0.0, 0.0, -gain * error))
        rate = abs(lid.velocity[2]) / lid.position[2]
        simulation.step(5)
    if simulation.rank == 0:
        print(f"{simulation.time:.4f} s: {lid.force[2] / area:.0f} Pa, lid at {1e3 * lid.position[2]:.3f} mm")

**Views.** `position`, `velocity` and the other arrays of particles are read-only views, without a copy, of the
particles that this rank owns. A view keeps its values, so it is out of date after the next `step` or the end of an
`edit`. Then read the arrays again, because the order, number and ranks of the particles may have changed. Keeping a
view during a step is safe, but costs a copy of its array. A control loop that reads the array in each tick, as in
`simulation.velocity.mean(axis=0)`, copies nothing. `mass`, `contacts`, `body_impulse` and all numbers of walls, joints
and links are copies. `contacts` and `observe()` cost about one contact detection, because they detect touching bodies.

Velocities are those of the current time. In a rotating frame the scheme stores other velocities, so `velocity` is a
copy. Positions may be outside periodic faces until the neighbour lists are rebuilt, also in snapshots;
`scree.snapshot.read_snapshot` wraps them.

**Between steps**

* `step(drag=40.0 * simulation.mass)` adds a drag to the forces of the scene; `force` and `torque` add more.
* `cells` and `body_impulse` couple a fluid solver.
* `with simulation.edit() as grains: grains.velocity[:] = 0.0` changes particles; `insert` and `remove` change their number.
* `walls["lid"].set(velocity=...)` steers a wall, `joints["boom"].set(speed=...)` drives a joint (scree.steering).
* `step(duration=0.01)` steps to the end of a control tick.
* `state = save()` and `restore(state)` return to an earlier state, for planning and learning; `reset()` returns to the start.
* `observe()`, `contacts`, `walls["lid"].force`, `averages` and `energy` return results of the steps.
* `problem()` returns the contact problem of the last step, for other solvers.
* `write("last.h5")` writes a snapshot, for scree.snapshot.read_snapshot and the scripts.

**Rows** are particles in an order that changes; `id` identifies them. Rows with the id -1 have left the domain, and are
removed when the neighbour lists are rebuilt.

**Ranks.** Under mpirun each rank has its own particles. All methods are collective, and so are `averages` and
`energy`; views and other attributes are not.
Without `comm` a simulation uses all ranks of mpirun; mpi4py is required only for another communicator and to gather
data. With `solver.scheme = jacobi` results have the same bits on any number of ranks.

No rank waits forever. An exception of one rank in a collective call, or in the block of an `edit`, is raised on all
ranks. Different calls on different ranks raise an error on all ranks. An exception that a rank does not catch ends all
ranks, as with `python -m mpi4py`. If a rank ends its program early, the next call of the other ranks fails; with `comm`
all ranks must end together.

Keys that only scree-run uses (output, checkpoints, the end) have no effect here. A simulation starts at time zero, or
from a state that the same program has saved. Errors are scree.UsageError (a ValueError), scree.FileError and
scree.OutputError (OSError), scree.SimulationError (an ArithmeticError). The engine is compiled: see scree.native.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
import os
import pathlib
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import scree.arguments
import scree.configuration
import scree.native
import scree.ranks
import scree.steering
from scree.errors import UsageError
from scree.steering import StepContacts

if TYPE_CHECKING:
    import pandas

    import scree.problem
    from scree import _native
else:
    _native = scree.native.load("scree.engine")

Floats = NDArray[np.float64]

# Defaults for arrays of particles; None: required.
_DEFAULTS: dict[str, Any] = {
    "position": None, "radius": None, "velocity": (0.0, 0.0, 0.0), "angular_velocity": (0.0, 0.0, 0.0),
    "orientation": (1.0, 0.0, 0.0, 0.0), "material": 0, "shape": 0,
}  # fmt: skip
_COLUMNS = {"position": 3, "velocity": 3, "angular_velocity": 3, "orientation": 4}
_WHOLE: dict[str, Any] = {"id": np.int64, "material": np.int32, "shape": np.int32}  # types of whole numbers in the engine


def _property(name: str, description: str, convert: Callable[[Any], Any] | None = None) -> Any:
    """A property that reads an attribute of the compiled part, or calls it without arguments.

    convert: applied to the value
    """

    def get(self: Scene | Simulation) -> Any:
        value = getattr(self._native, name)
        value = value() if callable(value) else value
        return convert(value) if convert else value

    return property(get, doc=description)


def _view_property(name: str, description: str) -> Any:
    """A property that is a view of an array of the engine."""
    return property(lambda self: self._native.view(name, False), doc=description)


class Scene:
    """A scene, as read by `read` or `parse`."""

    def __init__(self, native: _native.Scene):
        self._native = native

    configuration: str = _property("configuration", "The scene as text in SI units, with all automatic and default values.")
    time_step: float = _property("time_step", "Length of a step [s], or of the base step if steps are automatic.")
    end: float = _property("end", "End of a run by scree-run [s].")
    gravity: Floats = _property("gravity", "Acceleration by gravity, [3] [m/s^2].", np.array)
    lower: Floats = _property("lower", "Lower corner of the domain, [3] [m].", np.array)
    upper: Floats = _property("upper", "Upper corner of the domain, [3] [m].", np.array)
    periodic: tuple[bool, bool, bool] = _property("periodic", "Whether each axis is periodic.")
    materials: list[str] = _property("materials", "Names; particles store indices into this list.")
    shapes: list[str] = _property("shapes", "Names; particles store indices into this list; 0 is the sphere.")

    def __repr__(self) -> str:
        size = " x ".join(f"{extent:.4g}" for extent in self.upper - self.lower)
        return f"Scene({size} m, {', '.join(self.materials)}, step {self.time_step:g} s, end {self.end:g} s)"


def read(path: str | os.PathLike[str], comm: Any = None, **changes: Any) -> Scene:
    """Reads a scene file, and the tables and meshes that it names. Collective.

    comm: communicator of the ranks that read the scene, as for Simulation
    changes: values that replace those of the scene, by sections: time={"step": "20 us"}

    Raises UsageError, with a line for each error in the scene, or FileError.
    """
    handle = scree.ranks.handle(comm)
    with scree.ranks.agree(handle, "read()") as texts:
        changed = scree.configuration.changed(changes)
        texts += [os.fspath(path), str(changed)]
    return Scene(_native.read(handle, os.fspath(path), changed))


def parse(
    scene: str | Mapping[str, Mapping[str, Any]],
    folder: str | os.PathLike[str] = "",
    comm: Any = None,
    **changes: Any,
) -> Scene:
    """The Scene of a text, or of sections with keys, {"domain": {"lower": (0, 0, 0)}, ...}; otherwise as `read`.

    folder: names of tables and meshes are relative to it
    """
    handle = scree.ranks.handle(comm)
    with scree.ranks.agree(handle, "parse()") as texts:
        text = scene if isinstance(scene, str) else scree.configuration.text(scene)
        changed = scree.configuration.changed(changes)
        texts += [text, os.fspath(folder), str(changed)]
    return Scene(_native.parse(handle, text, os.fspath(folder), changed))


@dataclasses.dataclass(frozen=True)
class Observables:
    """Quantities of a state and the last step, over all ranks; contacts include those with walls."""

    step: int
    time: float  # [s]
    particles: int
    inserted: int  # since the start
    deleted: int  # since the start
    contacts: int  # active in the solve; this count and the next four depend on the time step
    closed_contacts: int  # contacts with a gap of at most 2.13e-5 of the smallest radius
    loaded_contacts: int  # contacts with a normal impulse
    open_contacts: int  # loaded contacts that are not closed
    wall_contacts: int  # closed contacts with a wall
    # Contacts with a gap of at most 0.01 of the smallest radius at the beginning of the step; None: no step since a restart.
    touching_contacts: int | None
    touching_per_particle: float | None  # 2 touching / particles
    max_penetration: float  # [m]
    kinetic_energy: float  # of translation and rotation [J]
    mean_velocity: tuple[float, float, float]  # [m/s]
    max_speed: float  # [m/s]


@dataclasses.dataclass(frozen=True)
class SolveError:
    """Relative errors of the solution of a step; the reference is a solution with ten times as many sweeps."""

    step: int  # number of steps so far, this one included
    impulses: float  # of all contact impulses, L2 norm
    normal_rms: float  # of the root mean square of the normal impulses; > 0: too large
    normal_mean: float  # of the mean normal impulse; > 0: too large
    loads: dict[str, float]  # of the force on each wall, by name


@dataclasses.dataclass(frozen=True)
class Report:
    """Accuracy of the solution of the last step's contact problem, over all ranks."""

    sweeps: int
    residual_max: float  # [m/s]
    residual_rms: float  # [m/s]
    converged: bool | None  # None: the scene has no tolerance
    solve_error: SolveError | None  # None: the last step was not measured (Simulation.measure_solves)


def _stored_property(name: str) -> Any:
    def get(self: Grains) -> NDArray[Any]:
        return self._view(name)

    def put(self: Grains, values: ArrayLike) -> None:
        self._view(name)[...] = values

    return property(get, put)


class Grains:
    """Arrays of this rank's particles during an edit: writable views."""

    position = _stored_property("position")
    velocity = _stored_property("velocity")
    angular_velocity = _stored_property("angular_velocity")
    orientation = _stored_property("orientation")  # will be normalised
    radius = _stored_property("radius")  # must be between the smallest and largest radius of the scene
    material = _stored_property("material")

    def __init__(self, native: _native.Simulation):
        self._native: _native.Simulation | None = native
        self._views: list[weakref.ref[NDArray[Any]]] = []

    def _view(self, name: str) -> NDArray[Any]:
        if self._native is None:
            raise UsageError(f"the edit has ended; {name} can no longer be changed")
        view = self._native.view(name, True)
        self._views.append(weakref.ref(view))
        return view

    def _end(self) -> None:
        self._native = None
        for reference in self._views:
            view = reference()
            if view is not None:
                view.flags.writeable = False


class Simulation:
    """A simulation of a scene, step by step."""

    def __init__(
        self,
        scene: Scene,
        comm: Any = None,
        *,
        particles: Mapping[str, ArrayLike] | None = None,
        energy: bool = False,
    ):
        """Starts from the particles of the scene, or from `particles`. Collective.

        comm: communicator of mpi4py; None: all ranks of mpirun
        particles: arrays by name, which replace the particles of the scene; each particle is on one rank. Required are
            position [n, 3] [m] and radius [m], for clumps the bounding radius. Optional are velocity, angular_velocity,
            orientation (w, x, y, z), material and shape (numbers or names), id. A single value is used for all.
            Velocities include the mean flow of a [cell]; if all are zero, the first step adds it.
        energy: whether to record the energy balance, which takes a few percent of the time

        Raises UsageError if scene, particles and ranks do not match, or FileError.
        """
        if not isinstance(scene, Scene):
            raise UsageError(f"the scene is {scene!r}; expected one of scree.engine.read(path) or parse(text)")
        self.scene = scene
        handle = scree.ranks.handle(comm)
        particles_text = "" if particles is None else f"particles of {sorted(particles)}, "
        with scree.ranks.agree(handle, f"Simulation({particles_text}{energy=})") as texts:
            texts.append(scene.configuration)
            arrays = None if particles is None else _complete(particles, scene)
        self._native = _native.simulate(scene._native, handle, arrays)
        self._agreed = functools.partial(_agree, self._native, handle)
        self.walls = scree.steering.walls(self._native, self._agreed)
        self.joints = scree.steering.joints(self._native, self._agreed)
        self.links = scree.steering.links(self._native)
        self._is_edited = False
        self._had_particles = particles is not None
        self._saved = 0  # number of saved states
        self._keeps_energy = energy
        if energy:
            self._native.keep_energy()

    def __repr__(self) -> str:
        rank_text = f" of rank {self.rank} of {self.ranks}" if self.ranks > 1 else ""
        walls = f", walls {', '.join(self.walls)}" if self.walls else ""
        return f"Simulation(t = {self.time:g} s, {int((self.id >= 0).sum())} particles{rank_text}{walls})"

    def _repr_html_(self) -> str | None:
        """Text and a small picture for notebooks, on one rank only."""
        if self.ranks > 1:
            return None
        import scree.shown

        with tempfile.TemporaryDirectory() as folder:
            self.write(pathlib.Path(folder) / "now.h5")
            return scree.shown.html(repr(self), scree.snapshot.read_snapshot(pathlib.Path(folder) / "now.h5"))

    def step(
        self,
        count: int = 1,
        *,
        duration: float | None = None,
        acceleration: ArrayLike | None = None,
        force: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        drag: ArrayLike | None = None,
    ) -> None:
        """Does `count` steps, or one step with additional forces. Collective.

        The force f + m a - k v' and the torque T act on each particle in addition to the forces of the scene; v' is
        the velocity at the end of the step, so that the drag is stable in a step of any length.

        duration: simulated time [s] instead of `count`, for control loops. Automatic steps together take this time,
            rounded to base steps (`scene.time_step`). A fixed step must divide it.
        acceleration: a [m/s^2], with a row for each particle of the rank, or one row for all
        force: f, in the same form [N]; include k u if the drag is relative to a velocity u
        torque: T, in the same form, in world axes [N m]
        drag: k, a number for each particle, or one for all [kg/s]

        Raises SimulationError on all ranks if the state is no longer valid, UsageError if a value is not finite or a
        drag negative.
        """
        has_forces = not (acceleration is None and force is None and torque is None and drag is None)
        if duration is not None:
            with self._agreed("step()") as texts:
                seconds = _duration(duration)
                if has_forces or count != 1:
                    raise UsageError(
                        "step: duration cannot be combined with count or with forces of one step; expected duration alone"
                    )
                texts.append(repr(seconds))
            self._native.step_for(seconds)
            return
        if not has_forces:
            with self._agreed(f"step({count})"):
                steps = _steps(count)
            self._native.step(steps)
            return
        with self._agreed("step() with forces"):
            fields = self._fields(count, acceleration, force, torque, drag)
        self._native.step_with(*fields)

    def _fields(self, count: int, acceleration: Any, force: Any, torque: Any, drag: Any) -> tuple[Floats, ...]:
        """Forces, torques and drags with a row for each particle; raises UsageError."""
        if _steps(count) != 1:
            raise UsageError(
                f"count = {count}: forces apply to a single step; expected count = 1, and a call for each step"
            )
        n = self._native.count()
        total = np.zeros((n, 3))
        if acceleration is not None:
            total += _broadcast(acceleration, (n, 3), "acceleration") * self.mass[:, np.newaxis]
        if force is not None:
            total += _broadcast(force, (n, 3), "force")
        torques = np.ascontiguousarray(_broadcast(0.0 if torque is None else torque, (n, 3), "torque"), dtype=float)
        drags = np.array(_broadcast(0.0 if drag is None else drag, (n,), "drag"), dtype=float)
        return total, torques, drags[:, np.newaxis]

    @property
    def body_impulse(self) -> Floats:
        """Impulse of all forces except weight and contacts on each particle, in the last step, [n, 3], a copy [N s].

        A fluid that drags the particles receives the opposite impulse.
        """
        return np.array(self._native.body_impulses())

    def cells(self, cells: tuple[int, int, int], values: ArrayLike) -> Floats:
        """For each cell of a grid over the domain, the sum of the values of its particles, over all ranks. Collective.

        cells: numbers of cells along x, y, z
        values: [n] or [n, k], a row for each particle of the rank, below 9e18 in size; the result is [nx, ny, nz] or
            [nx, ny, nz, k]

        Sums are rounded once, to 53 bits and multiples of 1.6e-58, so that equal values give the same bits on any
        number of ranks. In a deforming cell the grid divides the present domain.

        `1 - simulation.cells((1, 1, 20), volume) / cell_volume` is the void fraction, and
        `-simulation.cells((1, 1, 20), simulation.body_impulse)` the momentum that a fluid gained in the last step.
        """
        with self._agreed("cells()") as texts:
            try:
                nx, ny, nz = map(operator.index, cells)
            except (TypeError, ValueError):
                raise UsageError(f"cells = {cells!r}; expected three whole numbers") from None
            if min(nx, ny, nz) < 1 or nx * ny * nz >= 2**31:
                raise UsageError(f"cells = {nx}, {ny}, {nz}: expected at least 1 each, together fewer than 2^31")
            rows, count = np.asarray(scree.arguments.numbers(values, "cells: values"), dtype=float), self._native.count()
            if rows.ndim not in (1, 2) or len(rows) != count:
                raise UsageError(f"cells: values have the shape {rows.shape}; expected ({count},) or ({count}, k)")
            table = np.ascontiguousarray(rows if rows.ndim == 2 else rows[:, np.newaxis])
            if (np.abs(rows[self.id >= 0]) >= 2.0**63).any():
                raise UsageError(f"cells: a value is {np.nanmax(np.abs(rows[self.id >= 0]))}; expected less than 9.2e18 (2^63)")
            texts.append(f"{nx} x {ny} x {nz} of {rows.shape[1:]}")
        return np.array(self._native.sum_in_cells((nx, ny, nz), table)).reshape(nx, ny, nz, *rows.shape[1:])

    @contextlib.contextmanager
    def edit(self) -> Iterator[Grains]:
        """A context with writable arrays, whose values are applied at the end of the block. Collective.

        The neighbour lists are rebuilt, and contacts keep their stored impulses. Raises UsageError or SimulationError
        on all ranks if a value is invalid. After such an error, or an exception in the block, no step is possible until
        an edit succeeds.
        """
        with self._agreed("edit()"):
            if self._is_edited:
                raise UsageError("edit: an edit is open; expected its end first")
            self._native.alter()
        grains = Grains(self._native)
        self._is_edited = True
        with self._agreed("the end of edit()"):
            try:
                yield grains
            finally:
                grains._end()
                self._is_edited = False
        self._native.take_changes()

    def save(self) -> State:
        """Stores the complete state in memory; `restore` continues from it with the same bits. Collective.

        The state is a copy of this rank's part of the simulation, about 2 kB per particle with lists and contacts.
        Saving takes about as long as a step. A state can be restored any number of times, but only in this simulation.
        """
        with self._agreed("save()"):
            pass
        self._saved += 1
        return State(self._saved, self.steps, self.time, self._native.save())

    def restore(self, state: State) -> None:
        """Continues from a saved state, with its particles, walls, drives, contacts, loads, averages and energies.
        Collective.

        This also works after an edit or a step that failed. Views keep their values. Raises UsageError on all ranks,
        and changes nothing, if the state belongs to another simulation.
        """
        with self._agreed("restore()") as texts:
            if not isinstance(state, State):
                raise UsageError(f"restore: {state!r} is not a state; expected a result of save()")
            if self._is_edited:
                raise UsageError("restore: an edit is open; expected its end first")
            texts.append(str(state.number))
        self._native.restore(state._native)

    def reset(self, particles: Mapping[str, ArrayLike] | None = None) -> None:
        """Restarts the scene at time zero, with its initial walls and drives. Collective.

        particles: as for the constructor; required if the constructor had particles

        Raises UsageError on all ranks, without changes, if particles do not match the scene.
        """
        particles_text = "" if particles is None else f"particles of {sorted(particles)}"
        with self._agreed(f"reset({particles_text})"):
            if self._is_edited:
                raise UsageError("reset: an edit is open; expected its end first")
            if particles is None and self._had_particles:
                raise UsageError("reset: the simulation began with given particles; expected particles=... here, too")
            arrays = None if particles is None else _complete(particles, self.scene)
        self._native.reset(self.scene._native, arrays)
        self._had_particles = particles is not None

    def insert(self, **particles: ArrayLike) -> NDArray[np.int64]:
        """Inserts particles and returns their ids on this rank. Collective.

        particles: arrays as for the constructor, without ids; without arrays this rank inserts none. Velocities include
            the mean flow of a [cell].

        Radii must be between the smallest and largest radius of the scene and its initial particles, so a simulation
        that begins without particles accepts none. Raises UsageError on all ranks, and changes
        nothing, if a particle is invalid, outside the domain, or overlaps a wall or another particle; clumps count as
        their bounding spheres.
        """
        with self._agreed("insert()"):
            if "id" in particles:
                raise UsageError("insert: ids are given by the engine; expected none")
            no_particles: dict[str, ArrayLike] = {"position": np.empty((0, 3)), "radius": 1.0}
            arrays = _complete(particles or no_particles, self.scene)
        return np.array(self._native.insert(arrays), dtype=np.int64)

    def remove(self, rows: ArrayLike) -> int:
        """Removes particles of this rank; returns the number of removed particles on all ranks. Collective.

        rows: whether to remove each particle, [n] of bool

        `remove(simulation.position[:, 2] > 0.1)`, `remove(np.isin(simulation.id, [3, 7]))`
        """
        with self._agreed("remove()"):
            is_removed, count = np.asarray(rows), self._native.count()
            if is_removed.dtype != bool or is_removed.shape != (count,):
                raise UsageError(f"remove: rows are {is_removed.dtype} of the shape {is_removed.shape}; expected bool of ({count},)")
        return self._native.remove(np.ascontiguousarray(is_removed, dtype=np.uint8))

    @property
    def contacts(self) -> StepContacts:
        """Contacts of the last step, on this rank."""
        return StepContacts(**self._native.contacts())

    @property
    def averages(self) -> dict[str, pandas.DataFrame]:
        """Results of each [average.NAME] of the scene so far, as `Run.averages`. Collective."""
        import scree.directory

        with self._agreed("averages"):
            pass
        return {name: scree.directory.framed(text, f"the average '{name}'") for name, text in self._native.averages()}

    @property
    def energy(self) -> dict[str, float]:
        """Energy balance of all steps [J]: change of kinetic energy, work of forces, contacts, walls, ..., imbalance.

        Collective.
        """
        with self._agreed("energy"):
            if not self._keeps_energy:
                raise UsageError("the energy balance is not recorded; expected Simulation(..., energy=True)")
        return self._native.energy()

    position: Floats = _view_property("position", "Positions of the particles, [n, 3], a view [m].")
    velocity: Floats = _view_property("velocity", "Velocities of the particles, [n, 3], a view [m/s].")
    angular_velocity: Floats = _view_property("angular_velocity", "Angular velocities in world axes, [n, 3], a view [rad/s].")
    orientation: Floats = _view_property("orientation", "Unit quaternions (w, x, y, z), body to world axes, [n, 4], a view.")
    radius: Floats = _view_property("radius", "Radius of spheres, bounding radius of clumps, [n], a view [m].")
    id: NDArray[np.int64] = _view_property("id", "Ids of the particles, [n], a view; -1: the particle has left the domain.")
    material: NDArray[np.int32] = _view_property("material", "Indices into scene.materials, [n], a view.")
    shape: NDArray[np.int32] = _view_property("shape", "Indices into scene.shapes, [n], a view.")
    mass: Floats = _property("masses", "Masses of the particles, [n], a copy [kg].")
    steps: int = _property("steps", "Number of steps so far.")
    time: float = _property("time", "Current time [s].")
    rank: int = _property("rank", "Number of this rank, from 0.")
    ranks: int = _property("ranks", "Number of ranks of the simulation.")

    def observe(self) -> Observables:
        """Quantities of the state and of the last step. Collective."""
        with self._agreed("observe()"):
            pass
        return Observables(**self._native.observe())

    def report(self) -> Report:
        """Accuracy of the solution of the last step. Collective."""
        with self._agreed("report()"):
            pass
        fields = self._native.report()
        error = fields.pop("solve_error")
        return Report(**fields, solve_error=SolveError(**error) if error else None)

    def measure_solves(self, yes: bool = True) -> None:
        """Switches on (`yes`) or off the measurement of the solve error in the last step of each call of `step`.
        Collective.

        `report` returns the result. The measurement takes as long as ten steps. It does not change the results.
        """
        with self._agreed(f"measure_solves({yes})"):
            pass
        self._native.measure_solves(yes)

    def problem(self, path: str | os.PathLike[str] = "") -> scree.problem.Problem | None:
        """Contact problem of the last step as sparse arrays, on the first rank; None on the others. Collective.

        path: file in the FCLIB format (HDF5) to which the problem is also written, for other solvers and scree-contact fclib

        Raises OutputError; UsageError before the first step, and in scenes that a problem cannot describe (rolling
        friction, cohesion, free walls, a cell with controlled stress).
        """
        import scree.problem

        with self._agreed("problem()") as texts:
            name = os.fspath(path) and _file_name(path)
            texts.append(name)
        arrays = self._native.problem(name)
        return None if arrays is None else scree.problem.from_native(arrays)

    def write(self, path: str | pathlib.Path) -> None:
        """Writes a snapshot and its digest; the folder must exist. Collective. Raises OutputError."""
        with self._agreed("write()") as texts:
            name = _file_name(path)
            texts.append(name)
        self._native.write(name)


@dataclasses.dataclass(frozen=True)
class State:
    """Complete state of a simulation, as returned by `Simulation.save`."""

    number: int  # order of saving, from 1
    steps: int
    time: float  # [s]
    _native: _native.SavedMoment = dataclasses.field(repr=False)


@contextlib.contextmanager
def _agree(native: _native.Simulation, handle: int | None, call: str) -> Iterator[list[str]]:
    """scree.ranks.agree for the ranks of a simulation."""
    native.count()  # Raises an error, on this rank alone, if another thread is in a step: ranks cannot communicate then.
    with scree.ranks.agree(handle, call) as texts:
        yield texts


def _broadcast(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """The values, repeated to a shape; raises UsageError."""
    array = scree.arguments.numbers(values, name)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise UsageError(
            f"{name} has the shape {array.shape}; expected {shape}, a row for each particle of the rank, or one for all"
        ) from None


def _file_name(path: str | os.PathLike[str]) -> str:
    """The path of a file to be written; raises UsageError if it is empty or a folder."""
    name = os.fspath(path)
    if not os.path.basename(name) or os.path.isdir(name):
        raise UsageError(f"path = {name!r}; expected the name of a file, such as 'last.h5'")
    return name


def _steps(count: Any) -> int:
    """A checked number of steps; raises UsageError."""
    with contextlib.suppress(TypeError):
        if 0 <= operator.index(count) < 2**63:
            return operator.index(count)
    raise UsageError(f"count = {count!r} must be a whole number from 0 to 2^63 - 1")


def _duration(duration: Any) -> float:
    """A checked duration [s]; raises UsageError."""
    with contextlib.suppress(TypeError, ValueError):
        if not isinstance(duration, str) and 0.0 <= float(duration) < float("inf"):
            return float(duration)
    raise UsageError(f"duration = {duration!r}; expected a finite time in seconds, at least 0")


def _complete(particles: Mapping[str, ArrayLike], scene: Scene) -> dict[str, NDArray[Any]]:
    """All arrays of particles, with defaults for those that are missing; raises UsageError."""
    unknown = set(particles) - {*_DEFAULTS, "id"}
    if unknown:
        known_names = ", ".join([*_DEFAULTS, "id"])
        raise UsageError(f"particles: {', '.join(sorted(unknown))} is not known; expected some of {known_names}")
    for name, default in _DEFAULTS.items():
        if default is None and name not in particles:
            raise UsageError(f"particles: {name} is missing")
    position = scree.arguments.numbers(particles["position"], "particles: position")
    if position.ndim != 2:
        raise UsageError(f"particles: position has the shape {position.shape}; expected [n, 3]")
    values = {**_DEFAULTS, **particles}
    for name, names in (("material", scene.materials), ("shape", scene.shapes)):
        values[name] = _numbers(values[name], names, name)
    complete = {}
    for name, value in values.items():
        shape = (len(position), _COLUMNS[name]) if name in _COLUMNS else (len(position),)
        if name in _WHOLE:
            value = _whole(value, _WHOLE[name], name)
        kind = _WHOLE.get(name, np.float64)
        complete[name] = np.ascontiguousarray(_broadcast(value, shape, f"particles: {name}"), dtype=kind)
    return complete


def _whole(values: ArrayLike, kind: type[np.signedinteger[Any]], name: str) -> NDArray[Any]:
    """The values as integers of this type; raises UsageError for a value that would change."""
    array = np.asarray(values)
    with contextlib.suppress(TypeError, ValueError, OverflowError), np.errstate(invalid="ignore"):
        integers = array.astype(kind)
        if np.array_equal(integers, array):
            return integers
    raise UsageError(f"particles: {name} = {array}; expected whole numbers below 2^{np.iinfo(kind).bits - 1}")


def _numbers(values: ArrayLike, names: list[str], label: str) -> NDArray[Any]:
    """Converts names to their indices; numbers stay. Raises UsageError."""
    array = np.asarray(values)
    if array.dtype.kind not in "US":
        return array
    try:
        return np.vectorize(names.index, otypes=[np.int32])(array)
    except ValueError as error:
        raise UsageError(f"particles: {label}: {error}; expected {', '.join(names)}") from None
