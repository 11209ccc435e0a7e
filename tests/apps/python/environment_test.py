"""scree.environment: shapes, arrays without copies, seeds, ends of episodes, bad input.

Needs SCREE_NATIVE (the folder of the compiled part) in the environment.
"""

import textwrap
import unittest

import numpy as np
from engine_test import Test

import scree.engine
import scree.environment
import scree.errors

EXAMPLE = textwrap.dedent(scree.environment.__doc__.split("::\n\n", 1)[1].split("\n**Arrays", 1)[0])
# 60 grains that fall on a floor under a paddle.
SCENE = {
    "domain": {"lower": "0 0 -1 mm", "upper": "10 8 20 mm", "periodic": "x y"},
    "time": {"step": "500 us", "end": "1 s"},
    "material.glass": {"density": 2500.0},
    "contact": {"friction": 0.4},
    "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
    "wall.paddle": {"shape": "box", "lower": "3 3 10 mm", "upper": "7 5 15 mm"},
    "link.paddle": {"walls": "paddle", "density": "1000 kg/m^3"},
    "joint.lift": {"child": "paddle", "kind": "slider", "axis": "0 0 1"},
    "fill": {"lower": "0 0 0 mm", "upper": "10 8 6 mm", "spacing": "2 mm", "radius": "0.9 mm", "jitter": "5 5 5 cm/s"},
}


def scene(seed):
    return scree.engine.parse({**SCENE, "scene": {"seed": seed}})


class Lift(scree.environment.Task):
    """Moves the paddle at a given speed; observes its position, the mean height of the grains and a
    random number."""

    actions, observations, tick, horizon = 1, 3, 0.005, 4

    def start(self, simulation, random):
        self.random_number = random.uniform()
        simulation.joints["lift"].set(speed=0.0, largest=1.0)
        simulation.step(duration=0.005)

    def act(self, simulation, action):
        simulation.joints["lift"].set(speed=float(action[0]), largest=1.0)

    def observe(self, simulation, row):
        row[:] = simulation.joints["lift"].position, simulation.position[:, 2].mean(), self.random_number

    def reward(self, simulation, row):
        return -row[0]

    def is_over(self, simulation, row):
        return row[0] < -0.8e-3


def lifts(count):
    return scree.environment.Environments(scene, Lift, count)


class Environments(Test):
    def test_tick_acts_on_each_simulation_separately(self):
        environments = lifts(3)
        observations, infos = environments.reset(seed=5)
        self.assertEqual((environments.num_envs, observations.shape, infos), (3, (3, 3), {}))
        np.testing.assert_allclose(observations[:, 0], 0.0)
        self.assertEqual(len(set(observations[:, 1])), 3)  # different seeds give different beds
        observed, rewards, terminated, truncated, infos = environments.step([[0.0], [0.02], [-0.02]])
        np.testing.assert_allclose(observed[:, 0], [0.0, 1e-4, -1e-4], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(rewards, -observed[:, 0])
        self.assertEqual((terminated.tolist(), truncated.tolist(), infos), ([False] * 3, [False] * 3, {}))
        for row, simulation in zip(observed, environments.simulations):
            self.assertAlmostEqual(simulation.time, 0.01, 12)
            self.assertEqual(row[1], simulation.position[:, 2].mean())

    def test_results_are_the_arrays_of_the_environments(self):
        environments = lifts(2)
        first_observations, _ = environments.reset(seed=1)
        copied = first_observations.copy()
        for _ in range(2):
            results = environments.step(np.full((2, 1), 0.02))
            for result, array in zip(results, (environments.observations, environments.rewards, environments.terminated, environments.truncated)):
                self.assertIs(result, array)
        self.assertIs(results[0], first_observations)
        self.assertFalse(np.array_equal(first_observations, copied))

    def test_episode_is_a_function_of_its_seed_and_actions(self):
        def episode(environments, **seed):
            observed = [environments.reset(**seed)[0].copy()]
            return np.array(observed + [environments.step([[0.1], [-0.1]])[0].copy() for _ in range(3)])

        environments = lifts(2)
        first_observations, repeated = episode(environments, seed=[7, 3]), episode(environments)
        np.testing.assert_array_equal(first_observations[..., :2], repeated[..., :2])  # reset() without a seed restores the beds bit for bit
        self.assertTrue((first_observations[..., 2] != repeated[..., 2]).all())  # and draws new random numbers
        np.testing.assert_array_equal(episode(environments, seed=[7, 3]), first_observations)
        np.testing.assert_array_equal(episode(lifts(2), seed=[7, 3]), first_observations)
        np.testing.assert_array_equal(lifts(2).reset(seed=7)[0][0], first_observations[0, 0])
        self.assertFalse(np.array_equal(episode(environments, seed=[3, 7]), first_observations))

    def test_reset_restores_a_scene_that_made_no_step(self):
        class Drop(Lift):
            def start(self, simulation, random):
                simulation.insert(position=[[1e-3, 1e-3, random.uniform(15e-3, 18e-3)]], radius=0.9e-3)
                with simulation.edit() as grains:
                    grains.velocity[:, 2] -= 0.1

            def observe(self, simulation, row):
                row[:] = len(simulation.id), simulation.velocity[:, 2].sum(), simulation.position[:, 2].max()

        environments = scree.environment.Environments(scene, Drop, 1)
        first = environments.reset(seed=3)[0].copy()
        for _ in range(3):
            repeated = environments.reset()[0]
            np.testing.assert_array_equal(repeated[0, :2], first[0, :2])
            self.assertNotEqual(repeated[0, 2], first[0, 2])  # new random numbers
        np.testing.assert_array_equal(environments.reset(seed=3)[0], first)

    def test_seeds_may_be_whole_numbers_of_any_type(self):
        environments = lifts(2)
        observed = environments.reset(seed=3)[0].copy()
        for seed in (np.int64(3), np.array([3, 4]), (np.uint8(3), 4), range(3, 5)):
            np.testing.assert_array_equal(environments.reset(seed=seed)[0], observed)

    def test_ended_episode_restarts_at_the_next_step(self):
        environments = lifts(2)
        start = environments.reset(seed=2)[0].copy()
        ends = []
        for _ in range(6):
            observed, rewards, terminated, truncated, _ = environments.step([[0.0], [-0.1]])
            ends.append((terminated.tolist(), truncated.tolist()))
            if ends[-2:][0] != ends[-1] and terminated.any():
                self.assertLess(observed[1, 0], -0.8e-3)
        # The second paddle moves down by 0.5 mm in a tick, so its episode ends after two ticks. The episode of the
        # first paddle ends at the horizon of four ticks.
        self.assertEqual([end[0] for end in ends], [[False, k in (1, 4)] for k in range(6)])
        self.assertEqual([end[1] for end in ends], [[k == 3, False] for k in range(6)])
        environments.reset(seed=2)
        for _ in range(2):
            environments.step([[0.0], [-0.1]])
        observed, rewards, terminated, truncated, _ = environments.step([[0.0], [-0.1]])
        np.testing.assert_array_equal(observed[1, :2], start[1, :2])  # the action was ignored
        self.assertEqual((rewards[1], terminated[1], truncated[1]), (0.0, False, False))
        self.assertAlmostEqual(environments.simulations[1].time, 0.005, 12)

    def test_bad_input_is_refused(self):
        with self.assertRaisesRegex(scree.errors.UsageError, "count = 0; expected a number"):
            lifts(0)
        for count in (1.5, "2"):
            with self.assertRaisesRegex(scree.errors.UsageError, f"count = {count!r}; expected a number"):
                lifts(count)
        environments = lifts(2)
        for call, words in (
            (lambda: environments.step([[0.0], [0.0]]), r"no episode has begun; expected reset\(seed=...\)"),
            (lambda: environments.reset(), "the first call needs a seed"),
            (lambda: environments.reset(seed=[1]), "expected a whole number from 0, or 2 of them"),
            (lambda: environments.reset(seed=-1), "seed = -1; expected a whole number"),
            (lambda: environments.reset(seed=1.5), "seed = 1.5; expected a whole number"),
            (lambda: environments.reset(seed=[1.5, 2]), r"seed = \[1.5, 2\]; expected a whole number"),
            (lambda: environments.reset(seed="ab"), "seed = 'ab'; expected a whole number"),
            (lambda: environments.reset(seed=1, options={}), "options = {}; expected None"),
        ):
            with self.assertRaisesRegex(scree.errors.UsageError, words):
                call()
        environments.reset(seed=1)
        for actions, words in (
            ([0.0, 0.0], r"actions have the shape \(2,\); expected \(2, 1\)"),
            ([[0.0, 0.0]], r"actions have the shape \(1, 2\); expected \(2, 1\)"),
            ([[0.0], [np.nan]], r"the action of environment 1 is \[nan\]; expected finite numbers"),
            ([["a"], [0.0]], r"actions = \[\['a'\], \[0.0\]\]; expected numbers"),
            ([[1j], [0.0]], "actions = .*1j.*; expected numbers"),
            ([[0.0], [0.0, 1.0]], "actions = .*; expected numbers"),
        ):
            with self.assertRaisesRegex(scree.errors.UsageError, words):
                environments.step(actions)
        self.assertAlmostEqual(environments.simulations[0].time, 0.005, 12)  # no step was made

    def test_example_of_the_module_runs(self):
        program = EXAMPLE.replace("duration=0.35", "duration=0.002").replace("Pull, 4)", "Pull, 2)").replace("(4, 1)", "(2, 1)")
        program = program.replace('scene={"seed": seed}', 'scene={"seed": seed}, fill={"upper": "110 24 6 mm"}')
        self.assertEqual(program.count("(2, 1)") + program.count("0.002") + program.count("6 mm"), 3)
        namespace: dict = {}
        exec(compile(program, "example", "exec"), namespace)
        self.assertEqual(namespace["observations"].shape, (2, 3))
        self.assertTrue(np.isfinite(namespace["observations"]).all())


if __name__ == "__main__":
    unittest.main()
