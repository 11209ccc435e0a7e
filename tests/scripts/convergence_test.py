"""Tests of the convergence study: runs, errors computed from made-up results, and the page."""

import dataclasses
import types
import unittest

import script_test  # noqa: F401  makes the scripts importable

import numpy as np

from _convergence import command, page
from _convergence.studies import DEFAULT, FINEST, SETTINGS, STUDIES, dense_study
from scree.errors import UsageError

ALL_STUDIES = (*STUDIES.values(), dense_study("state.h5"))


def results_of(default, finest, rest=(1.0, 1.0)):
    """Results of two settings, {label: {name: value}}.  default, finest: values of `flow`;  rest: values of `rest`"""
    return {DEFAULT.label: {"flow": default, "rest": rest[0]}, FINEST: {"flow": finest, "rest": rest[1]}}


def with_standard_errors(figures):
    """The page.Measured of figures with standard errors of 0.03 and, in the finest run, 0.04."""
    uncertainty = {label: dict.fromkeys(values, 0.04 if label == FINEST else 0.03) for label, values in figures.items()}
    return page.Measured(figures, uncertainty, {DEFAULT.label: 1.0, FINEST: 5.0})


class FakeStudy(types.SimpleNamespace):
    """A hashable study, which can be the key of a dictionary."""

    __hash__ = object.__hash__


STUDY = FakeStudy(name="made", title="Made", step=1e-5, duration=0.1, scales={"rest": 10.0})


class Studies(unittest.TestCase):
    def test_every_setting_starts_from_the_end_of_the_preparation(self):
        for study in ALL_STUDIES:
            runs = study.runs()
            self.assertEqual(len(runs), len(study.prepared) + len(SETTINGS))
            for run in runs[len(study.prepared):]:
                self.assertEqual(run.after, study.prepared[-1].name)

    def test_finest_setting_has_most_sweeps_and_the_shortest_step(self):
        self.assertEqual(SETTINGS[-1].label, FINEST)
        self.assertEqual(SETTINGS[-1].sweeps, max(setting.sweeps for setting in SETTINGS))
        self.assertEqual(SETTINGS[-1].step, min(setting.step for setting in SETTINGS))

    def test_steps_divide_the_simulated_time(self):
        for study in ALL_STUDIES:
            for setting in SETTINGS:
                steps = study.duration / (setting.step * study.step)
                self.assertAlmostEqual(steps, round(steps), places=6)

    def test_means_and_their_errors_are_those_of_the_settled_part(self):
        time = np.arange(1, 21) / 20.0
        flow = np.where(time > 0.5, 2.0, 100.0) + np.where(time > 0.9, 0.5, 0.0)
        study = dataclasses.replace(STUDIES["hopper"], measured_fraction=0.5, figures=lambda columns: {"x": columns["x"].mean()})
        figures, uncertainty = study.measure({"time": time, "x": flow})
        self.assertAlmostEqual(figures["x"], 2.1)  # five parts of two rows: 2, 2, 2, 2, 2.5
        self.assertAlmostEqual(uncertainty["x"], 0.1)

    def test_discharge_is_the_decrease_of_particles_per_second(self):
        time = np.linspace(0.0, 1.0, 51)
        columns = {"time": time, "particles": 1000.0 - 50.0 * time, "kinetic_energy": 1e-3 + 0 * time,
                   "wall_funnel_force_z": -2.0 + 0 * time}  # fmt: skip
        figures, uncertainty = STUDIES["hopper"].measure(columns)
        self.assertAlmostEqual(figures["discharge [grains/s]"], 50.0)
        self.assertAlmostEqual(uncertainty["discharge [grains/s]"], 0.0)
        self.assertAlmostEqual(figures["kinetic energy [mJ]"], 1.0)
        self.assertAlmostEqual(figures["force on the funnel [N]"], 2.0)


class Errors(unittest.TestCase):
    def test_errors_are_fractions_of_the_finest_value_or_of_the_scale(self):
        result = page.errors(STUDY, results_of(0.98, 2.0, (1.5, 1.0)))[DEFAULT.label]
        self.assertAlmostEqual(result["flow"], -0.51)
        self.assertAlmostEqual(result["rest"], 0.05)

    def test_another_quantity_can_be_the_scale(self):
        study = FakeStudy(scales={"rest": "flow"})
        self.assertAlmostEqual(page.errors(study, results_of(2.0, 4.0, (3.0, 1.0)))[DEFAULT.label]["rest"], 0.5)

    def test_uncertainty_of_errors_includes_both_runs(self):
        result = page.uncertainties(STUDY, with_standard_errors(results_of(0.98, 2.0, (1.5, 1.0))))[DEFAULT.label]
        self.assertAlmostEqual(result["flow"], 0.025)
        self.assertAlmostEqual(result["rest"], 0.005)

    def test_cheapest_setting_close_to_the_finest_is_found(self):
        figures = {"expensive": {"flow": 1.001}, "cheap": {"flow": 1.002}, "off": {"flow": 1.1}, FINEST: {"flow": 1.0}}
        seconds = {"expensive": 3.0, "cheap": 2.0, "off": 1.0, FINEST: 9.0}
        self.assertEqual(page.cheapest(STUDY, figures, seconds), "cheap")
        self.assertIsNone(page.cheapest(STUDY, {"off": {"flow": 2.0}, FINEST: {"flow": 1.0}}, seconds))


class Choice(unittest.TestCase):
    def test_dense_flow_needs_a_state(self):
        parser = command.options()
        for words, reason in ((["dense"], "--dense STATE"), (["dnse"], "no study 'dnse'"),
                              (["dense", "--dense", "none.h5"], "no file 'none.h5'")):  # fmt: skip
            with self.assertRaisesRegex(UsageError, reason):
                command.choose_studies(parser, parser.parse_args(["--only", *words]))
        result = command.choose_studies(parser, parser.parse_args(["--only", "dense", "--dense", __file__]))
        self.assertEqual([study.name for study in result], ["dense"])
        self.assertEqual(len(command.choose_studies(parser, parser.parse_args([]))), len(STUDIES))


class Page(unittest.TestCase):
    def test_page_marks_quantities_that_are_close_and_lists_failures(self):
        failed = FakeStudy(name="failed", title="Failed")
        text = page.page({STUDY: with_standard_errors(results_of(1.0, 1.001)), failed: RuntimeError("no reason")}, ["note"])
        for words in ("Made: the default", "close", "Failed: no reason", "note", "<img"):
            self.assertIn(words, text)
        results = {STUDY: with_standard_errors(results_of(0.98, 2.0)), failed: RuntimeError("no reason")}
        self.assertIn("-51 ± 2 %", page.page(results, []))
        self.assertEqual([panel.get_title() for panel in page.overview(results).axes], ["made"])


if __name__ == "__main__":
    unittest.main()
