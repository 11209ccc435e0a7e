"""Runs scripts/tutorial.py as a new user does, and checks its numbers and pictures.

Needs the path of scree-run in SCREE_RUN.
"""

import pathlib
import re
import unittest

from script_test import ScriptTest

import matplotlib.image
import numpy as np

PICTURES = ("series.png", "bed.png", "density.png", "forces.png")


class Tutorial(ScriptTest):
    script = "tutorial.py"

    def test_tutorial_prints_its_results_and_draws(self):
        process = self.run_script(self.folder)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        printed = [float(re.search(pattern, process.stdout)[1]) for pattern in (
            r"weight, mean after 100 ms: (\S+)", r"the floor carry (\S+) weights", r"solid fraction inside: (\S+)",
        )]  # fmt: skip
        np.testing.assert_allclose(printed[:2], 1.0, atol=0.02)
        self.assertTrue(0.5 < printed[2] < 0.7, printed)
        smooth, rough = (float(low) for low in re.findall(r"lie below (\S+) mm", process.stdout))
        self.assertLess(smooth, rough)
        smooth, rough = (float(mean) for mean in re.findall(r"(\S+) contacts of a sphere", process.stdout))
        # Six is the isostatic number without friction. Seven beds had 5.86 to 6.05.
        self.assertTrue(3.5 < rough < smooth < 6.2, (smooth, rough))
        for name in PICTURES:
            self.assertGreater(np.ptp(matplotlib.image.imread(self.folder / name)[..., :3]), 0.5, name)

    def test_options_are_not_taken_as_folders(self):
        for option, code in (("--help", 0), ("--output", 2)):
            process = self.run_script(option)
            self.assertEqual((process.returncode, "usage" in process.stdout), (code, True), process.stderr)
            self.assertFalse(pathlib.Path(option).exists())


if __name__ == "__main__":
    unittest.main()
