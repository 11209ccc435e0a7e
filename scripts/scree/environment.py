"""Independent simulations as environments for learning and control, with the interface of Gymnasium's vector
environments.

A task defines actions and observations. In this example four wheels, each on its own bed, learn to hold a drawbar
pull::

    import numpy as np
    import scree.engine
    import scree.environment
    import scree.examples

    class Pull(scree.environment.Task):
        actions, observations, tick, horizon = 1, 3, 0.01, 60

        def start(self, simulation, random):
            simulation.step(duration=0.35)  # the wheel sinks
            self.wanted = random.uniform(0.2, 0.7)  # [N]

        def act(self, simulation, action):
            simulation.joints["axle"].set(speed=float(np.clip(action[0], 0.0, 12.0)))

        def observe(self, simulation, row):
            row[:] = -simulation.joints["carriage"].force, simulation.joints["fork"].position, self.wanted

        def reward(self, simulation, row):
            return -abs(row[0] - row[2])

    def bed(seed):
        return scree.engine.read(scree.examples.path("wheel"), scene={"seed": seed})

    wheels = scree.environment.Environments(bed, Pull, 4)
    observations, _ = wheels.reset(seed=1)  # [4, 3]
    observations, rewards, terminated, truncated, _ = wheels.step(np.full((4, 1), 3.6))

**Arrays.** Observations are an array [N, K] that belongs to the environments: each task writes into its row, and `step`
returns the same array in each call, without a copy. Use `.copy()` to keep the values. Rewards, terminated and truncated
are such arrays, too. A task that observes grains reads `simulation.position` and other arrays, which are also views.

**Episodes.** An episode ends by `Task.is_over` (terminated) or after `horizon` ticks (truncated). The next `step`
ignores the action of this environment, begins a new episode and returns its first observation with the reward 0. This
is Gymnasium's mode NEXT_STEP.

**Seeds.** `reset(seed=s)` gives the environment k the scene of the seed s + k and its own random numbers. Without a
seed, `reset` restores the state before the first `Task.start`, in about the time of a step, and the random numbers
continue. So an episode is a function of the seed, the number of the episode and the actions in it.

The simulations run in turn on one core; to use more cores, start several processes with different seeds. Under mpirun
each simulation has all ranks. A task must then act and observe in the same way on all ranks, for example by joints and
links.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import scree.arguments
from scree.engine import Scene, Simulation
from scree.errors import UsageError


class Task:
    """Base class for the actions, observations and rewards of an environment; each environment has its own object."""

    actions: int = 1  # length of an action
    observations: int = 1  # length of an observation
    tick: float = 0.01  # simulated time per step of the environment [s]
    horizon: int = 1000  # ticks after which an episode is truncated

    def start(self, simulation: Simulation, random: np.random.Generator) -> None:
        """Prepares an episode, for example draws targets and lets the grains settle. The simulation is at time zero."""

    def act(self, simulation: Simulation, action: NDArray[np.float64]) -> None:
        """Applies an action before a tick."""
        raise NotImplementedError

    def observe(self, simulation: Simulation, row: NDArray[np.float64]) -> None:
        """Writes the observation into a row."""
        raise NotImplementedError

    def reward(self, simulation: Simulation, row: NDArray[np.float64]) -> float:
        """Reward of the last tick.  row: the observation after it"""
        return 0.0

    def is_over(self, simulation: Simulation, row: NDArray[np.float64]) -> bool:
        """Whether the episode has ended."""
        return False


class Environments:
    """N simulations, each with its task."""

    def __init__(self, make_scene: Callable[[int], Scene], make_task: Callable[[], Task], count: int = 1):
        """make_scene: returns the scene of a seed;  make_task: returns a task; may be its class.  Raises UsageError."""
        if not isinstance(count, (int, np.integer)) or count < 1:
            raise UsageError(f"count = {count!r}; expected a number of environments from 1")
        self._make_scene = make_scene
        self.tasks = [make_task() for _ in range(count)]
        self.simulations: list[Simulation] = []  # none before the first reset
        self._states: list[Any] = []
        self._are_new: list[bool] = []  # whether a simulation has had no episode yet
        self._random: list[np.random.Generator] = []
        self._ticks = np.zeros(count, dtype=np.int64)
        self.observations = np.zeros((count, self.tasks[0].observations))
        self.rewards = np.zeros(count)
        self.terminated, self.truncated = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)

    @property
    def num_envs(self) -> int:
        return len(self.tasks)

    def reset(self, *, seed: int | Sequence[int] | None = None, options: Any = None) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Begins an episode in all environments; returns the observations and an empty dictionary.

        seed: a number, to which environment k adds k, or a seed for each environment; None: the same scenes again
        options: None; the interface of Gymnasium has this argument
        """
        if options is not None:
            raise UsageError(f"options = {options!r}; expected None")
        if seed is not None:
            self._make(_seeds(seed, self.num_envs))
        elif not self.simulations:
            raise UsageError("reset: the first call needs a seed, as in reset(seed=1)")
        for k in range(self.num_envs):
            self._begin(k)
        return self.observations, {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Does a tick in all environments.

        Returns observations [N, K], rewards [N], terminated [N], truncated [N] and an empty dictionary.
        """
        if not self.simulations:
            raise UsageError("step: no episode has begun; expected reset(seed=...) before")
        rows = np.asarray(scree.arguments.numbers(actions, "actions"), dtype=float)
        shape = (self.num_envs, self.tasks[0].actions)
        if rows.shape != shape:
            raise UsageError(f"actions have the shape {rows.shape}; expected {shape}")
        is_finite = np.isfinite(rows).all(axis=1)
        if not is_finite.all():
            raise UsageError(f"the action of environment {is_finite.argmin()} is {rows[is_finite.argmin()]}; expected finite numbers")
        has_ended = self.terminated | self.truncated
        for k, (task, simulation) in enumerate(zip(self.tasks, self.simulations, strict=True)):
            if has_ended[k]:
                self._begin(k)
                continue
            row = self.observations[k]
            task.act(simulation, rows[k])
            simulation.step(duration=task.tick)
            task.observe(simulation, row)
            self._ticks[k] += 1
            self.rewards[k] = task.reward(simulation, row)
            self.terminated[k] = task.is_over(simulation, row)
            self.truncated[k] = self._ticks[k] >= task.horizon and not self.terminated[k]
        return self.observations, self.rewards, self.terminated, self.truncated, {}

    def _make(self, seeds: list[int]) -> None:
        """Makes the simulations of these seeds, and saves their states."""
        self.simulations = [Simulation(self._make_scene(seed)) for seed in seeds]
        self._states = [simulation.save() for simulation in self.simulations]
        self._are_new = [True] * len(seeds)
        self._random = [np.random.default_rng(seed) for seed in seeds]

    def _begin(self, k: int) -> None:
        """Begins an episode in environment k."""
        simulation, task = self.simulations[k], self.tasks[k]
        if not self._are_new[k]:  # also if no step was made: Task.start may insert, edit and steer
            simulation.restore(self._states[k])
        self._are_new[k] = False
        task.start(simulation, self._random[k])
        task.observe(simulation, self.observations[k])
        self._ticks[k], self.rewards[k], self.terminated[k], self.truncated[k] = 0, 0.0, False, False


def _seeds(seed: int | Sequence[int], count: int) -> list[int]:
    """Seed of each environment; raises UsageError."""
    seeds: list[int] = []
    with contextlib.suppress(TypeError):  # not whole numbers
        if isinstance(seed, Iterable):
            seeds = [operator.index(value) for value in seed]
        else:
            seeds = [operator.index(seed) + k for k in range(count)]
    if len(seeds) != count or min(seeds) < 0:
        raise UsageError(f"seed = {seed!r}; expected a whole number from 0, or {count} of them")
    return seeds
