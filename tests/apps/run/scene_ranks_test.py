"""Shipped scenes of apparatus run on one, two and four ranks: the same grains are there, and none is lost.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import pathlib
import re
import tempfile
import unittest

from restart_test import finish

SCENES = pathlib.Path(__file__).resolve().parents[3] / "apps" / "scenes"
NAMES = ("blade_mixer", "feed_and_heap", "mixing_drum", "press", "rotary_valve", "screw_conveyor", "shear_cell_pressure",
         "triaxial", "vibrated_box", "wet_heap")  # fmt: skip
STEPS = 40


class OnRanks(unittest.TestCase):
    def last_row(self, name, ranks, folder):
        scene = SCENES / f"{name}.ini"
        step = re.search(r"^step\s*=\s*(\S+ \S+|auto)", scene.read_text(), re.M)[1]
        value, unit = ("50", "us") if step == "auto" else step.split()
        end = f"{STEPS * float(value):.12g} {unit}"
        output = pathlib.Path(folder) / f"{name}{ranks}"
        process = finish(
            ranks, scene, "--output.directory", output, "--time.end", end,
            "--output.every", "never", "--output.log_every", end, "--quiet",
        )  # fmt: skip
        self.assertEqual((process.returncode, process.stderr), (0, ""), (name, ranks))
        with open(output / "series.csv", newline="") as file:
            return list(csv.DictReader(file))[-1]

    def test_each_scene_runs_and_loses_nothing(self):
        with tempfile.TemporaryDirectory(prefix="scree_scene_ranks_test_") as folder:
            for name in NAMES:
                serial = self.last_row(name, 1, folder)
                for ranks in (2, 4):
                    with self.subTest(scene=name, ranks=ranks):
                        row = self.last_row(name, ranks, folder)
                        for count in ("step", "particles", "inserted", "deleted"):
                            self.assertEqual(row[count], serial[count], count)
                        energy = float(serial["kinetic_energy"])
                        self.assertLessEqual(abs(float(row["kinetic_energy"]) - energy), 0.02 * energy)


if __name__ == "__main__":
    unittest.main()
