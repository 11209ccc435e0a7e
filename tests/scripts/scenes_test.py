"""Runs a few steps of every shipped scene; makes its viewer page and key figures, and for some a picture or report.

Needs the path of scree-run in SCREE_RUN.
"""

import contextlib
import io
import re
import sys
import unittest
from unittest import mock

import made_snapshot
from script_test import new_folder, skipped_unless

import matplotlib.image
import numpy as np

import scree
import scree.html
import scree.viewer
import key_figures
import render
import report
import view

SCENES = sorted((made_snapshot.SCRIPTS.parent / "apps" / "scenes").glob("*.ini"))
STEPS = 20
# Scenes with a report: rain on a heap, no wall, clumps with averages, shear with averages. A report takes seconds;
# the other scenes differ only in their walls, for which a picture is enough.
REPORTED = ("feed_and_heap", "granular_gas", "hopper_pebbles", "periodic_shear")
# Pictures of these scenes show the same walls and grains as pictures of other scenes.
ALIKE = ("ballast_box", "bouncing_sphere_viscoelastic", "channel_clumps", "channel_small", "clumps", "drum_cubes",
         "granular_gas_viscoelastic", "heap_tetrapods", "hopper", "mixing_drum", "rotating_drum", "shear_cell_pressure", "wet_heap")  # fmt: skip
# Grains fill only the front of the channels: full ones have 190 000 spheres and 14 000 clumps.
CHANGES = {"channel": {"fill": {"upper": "1.5 6.5 2 cm"}}, "channel_clumps": {"fill": {"upper": "1 4 1.2 cm"}}}


def output_of(script, *arguments):
    """Runs a script in this process, because a hundred starts of Python would take longer; returns its output."""
    output = io.StringIO()
    argv = [script.__name__, *map(str, arguments)]
    with mock.patch.object(sys, "argv", argv), contextlib.redirect_stdout(output):
        code = script.main()
    if code:
        raise AssertionError(f"{argv} ended with {code}")
    return output.getvalue()


class EveryScene(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        cls.runs = {}
        for scene in SCENES:
            step = re.search(r"^step\s*=\s*(\S+ \S+|auto)", scene.read_text(), re.M)[1]
            value, unit = ("50", "us") if step == "auto" else step.split()
            duration, log_interval = f"{STEPS * float(value):.12g} {unit}", f"{value} {unit}"
            cls.runs[scene.stem] = scree.run(
                scene, cls.folder / scene.stem, time={"end": duration},
                output={"every": duration, "log_every": log_interval, "contacts": True, "wall_forces": True},
                **CHANGES.get(scene.stem, {}),
            )  # fmt: skip

    def each_run(self):
        for name, run in self.runs.items():
            with self.subTest(scene=name):
                yield run

    def test_all_scenes_have_run(self):
        self.assertGreater(len(self.runs), 10)
        for run in self.each_run():
            self.assertEqual(run.columns["step"][-1], round(run.end / run.time_step))
            self.assertEqual(len(run.frames), 2)

    def test_reports_are_written(self):
        for run in [self.runs[name] for name in REPORTED]:
            # Coarse pictures are enough here; html_test checks their sharpness.
            with contextlib.redirect_stderr(io.StringIO()) as messages, mock.patch.object(scree.html, "SHARP", 0.5):
                output_of(report, run.path, "--output", run.path / "report.html")
            text = (run.path / "report.html").read_text(encoding="utf-8")
            self.assertIn("<img", text)
            self.assertNotIn("could not be made", text + messages.getvalue())

    def test_pictures_are_written(self):
        # Scenes with reports are left out, because reports contain pictures.
        for run in [run for name, run in self.runs.items() if name not in REPORTED + ALIKE]:
            output_of(render, run.snapshots[-1], "--output", run.path / "flow.png", "--dpi", 60)
            picture = matplotlib.image.imread(run.path / "flow.png")[..., :3]
            self.assertGreater(np.unique(picture.reshape(-1, 3), axis=0).shape[0], 20)

    @skipped_unless(all(path.is_file() for path in scree.viewer.LIBRARY), "libjs-three is not installed")
    def test_pages_in_three_dimensions_are_written(self):
        for run in self.each_run():
            self.assertIn("view.html", output_of(view, run.path, "--most", 2000))

    def test_key_figures_are_printed(self):
        # Scenes with reports are left out, because reports contain key figures.
        for run in [run for name, run in self.runs.items() if name not in REPORTED]:
            self.assertIn("particles", output_of(key_figures, run.path))


if __name__ == "__main__":
    unittest.main()
