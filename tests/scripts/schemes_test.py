"""Tests of the comparison of schemes: its runs, differences of results, and its page."""

import unittest
from unittest import mock

import made_run
from script_test import ScriptTest

import numpy as np

import scree.directory
from _schemes import command
from _schemes.scenes import ALL, SCENES, SCHEMES, Scene
from _study import measures, running


class Schemes(ScriptTest):
    def test_every_scene_exists_with_valid_key_figures(self):
        self.assertGreaterEqual(len(SCENES), 20)
        for scene in SCENES.values():
            runs = scene.runs((1, 2)).values()
            self.assertEqual(len({run.name for run in runs}), 4)
            self.assertTrue(running.scene_file(next(iter(runs)).scene).is_file(), scene.name)
            for name, measure in {**ALL, **scene.figures}.items():
                measures.parse(name, measure, None)

    def test_deviation_is_zero_for_equal_results_and_has_the_sign_of_the_difference(self):
        values = np.array([1.0, 1.1, 0.9, 1.05])
        self.assertLess(abs(command.deviation({"one": values, "other": values[::-1]})), 1e-9)
        self.assertGreater(command.deviation({"one": values, "other": values + 2.0}), command.LIMIT)
        self.assertLess(command.deviation({"one": values + 2.0, "other": values}), -command.LIMIT)

    def test_page_and_table_have_every_quantity(self):
        made_run.steady(self.folder / "run")
        directory = scree.directory.read(self.folder / "run")
        scene = Scene("made", 1e-5, 0.0, 0.06, {})
        with mock.patch.dict(command.ALL, {"contacts": "mean touching_per_particle"}, clear=True):
            runs = scene.runs((1, 2))
            figures = command.measure(scene, runs, {run.name: directory for run in runs.values()})
        self.assertEqual({name: list(by_scheme) for name, by_scheme in figures.items()}, {"contacts": list(SCHEMES)})
        self.assertIn("contacts", command.section(scene, figures)[1])
        self.assertEqual(dict(command.summary({"made": figures}))["figures"], 1)


if __name__ == "__main__":
    unittest.main()
