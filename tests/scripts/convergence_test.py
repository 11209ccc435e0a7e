"""The convergence study: its runs, its errors on made figures, and its page."""

import pathlib
import types
import unittest

import script_test  # noqa: F401  finds the scripts

import numpy as np

import convergence
from _convergence import page
from _convergence.studies import DEFAULT, FINEST, SETTINGS, STUDIES, dense_study, late
from scree.errors import UsageError

ALL_STUDIES = (*STUDIES.values(), dense_study("state.h5"))


def made(default, finest, steady=(1.0, 1.0)):
    """Figures of two settings: {label: {name: value}}."""
    return {DEFAULT.label: {"flow": default, "rest": steady[0]}, FINEST: {"flow": finest, "rest": steady[1]}}


class Made(types.SimpleNamespace):
    """A study that a table can be keyed by."""

    __hash__ = object.__hash__


STUDY = Made(name="made", title="Made", step=1e-5, measured=0.1, scales={"rest": 10.0})


class Studies(unittest.TestCase):
    def test_every_setting_begins_where_the_preparation_ends(self):
        for study in ALL_STUDIES:
            runs = study.runs()
            self.assertEqual(len(runs), len(study.prepared) + len(SETTINGS))
            for run in runs[len(study.prepared):]:
                self.assertEqual(run.after, study.prepared[-1].name)

    def test_the_finest_has_most_sweeps_and_the_shortest_step(self):
        self.assertEqual(SETTINGS[-1].label, FINEST)
        self.assertEqual(SETTINGS[-1].sweeps, max(setting.sweeps for setting in SETTINGS))
        self.assertEqual(SETTINGS[-1].step, min(setting.step for setting in SETTINGS))

    def test_steps_divide_what_is_simulated(self):
        for study in ALL_STUDIES:
            for setting in SETTINGS:
                steps = study.measured / (setting.step * study.step)
                self.assertAlmostEqual(steps, round(steps), places=6)

    def test_late_rows(self):
        run = types.SimpleNamespace(columns={"time": np.linspace(0.0, 1.0, 11)})
        self.assertEqual(late(run, 0.5).sum(), 5)


class Errors(unittest.TestCase):
    def test_are_shares_of_the_limit_or_of_the_scale(self):
        its = page.errors(STUDY, made(0.98, 2.0, (1.5, 1.0)))[DEFAULT.label]
        self.assertAlmostEqual(its["flow"], -0.51)
        self.assertAlmostEqual(its["rest"], 0.05)

    def test_another_figure_can_be_the_scale(self):
        study = Made(scales={"rest": "flow"})
        self.assertAlmostEqual(page.errors(study, made(2.0, 4.0, (3.0, 1.0)))[DEFAULT.label]["rest"], 0.5)

    def test_the_cheapest_that_is_close(self):
        figures = {"dear": {"flow": 1.001}, "cheap": {"flow": 1.002}, "off": {"flow": 1.1}, FINEST: {"flow": 1.0}}
        seconds = {"dear": 3.0, "cheap": 2.0, "off": 1.0, FINEST: 9.0}
        self.assertEqual(page.cheapest(STUDY, figures, seconds), "cheap")
        self.assertIsNone(page.cheapest(STUDY, {"off": {"flow": 2.0}, FINEST: {"flow": 1.0}}, seconds))


class Choice(unittest.TestCase):
    def test_dense_flow_needs_a_state(self):
        wanted = types.SimpleNamespace(dense=None, only=["dense"])
        with self.assertRaisesRegex(UsageError, "--dense STATE"):
            convergence.chosen(wanted)
        wanted.dense = pathlib.Path("state.h5")
        self.assertEqual([study.name for study in convergence.chosen(wanted)], ["dense"])
        wanted.only = ["dnse"]
        with self.assertRaisesRegex(UsageError, "no study 'dnse'"):
            convergence.chosen(wanted)


class Page(unittest.TestCase):
    def test_says_what_is_close_and_what_failed(self):
        seconds = {DEFAULT.label: 1.0, FINEST: 5.0}
        failed = Made(name="failed", title="Failed")
        text = page.page({STUDY: (made(1.0, 1.001), seconds), failed: RuntimeError("no reason")}, ["note"])
        for words in ("Made: the default", "close", "Failed: no reason", "note", "<img"):
            self.assertIn(words, text)

    def test_short_form_has_a_row_for_each_setting(self):
        failed = Made(name="failed", title="Failed")
        results = {STUDY: (made(0.98, 2.0), {DEFAULT.label: 1.0, FINEST: 5.0}), failed: RuntimeError("no reason")}
        lines = page.markdown(results, ["note"])
        self.assertIn("* Failed: failed, no reason", lines)
        self.assertIn("* note", lines)
        self.assertIn(f"| {DEFAULT.label} | 1 | -51 | +0 |", lines)
        self.assertEqual(sum(line.startswith(f"| {FINEST} | 5 |") for line in lines), 1)
        panels = page.overview(results).axes
        self.assertEqual([panel.get_title() for panel in panels], ["made"])


if __name__ == "__main__":
    unittest.main()
