#!/usr/bin/env python3
"""Two rains of two materials as a user runs them: masses, ranks, restarts, and lack of free space."""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

import _environment

_environment.require("numpy", "h5py")

import h5py
import numpy

from run_test import run_command

SCENE = """
[domain]
lower = 0 0 0 cm
upper = 20 10 40 cm
[material.glass]
density = 2.5 g/cm^3
radius = 5 mm
[material.steel]
density = 7.8 g/cm^3
sizes = uniform
smallest_radius = 3.5 mm
largest_radius = 4.5 mm
[wall.box]
shape = box
lower = -1 -1 -1 cm
upper = 21 11 0 cm
[wall.left]
shape = plane
point = 0 0 0 m
normal = 1 0 0
[wall.right]
shape = plane
point = 20 0 0 cm
normal = -1 0 0
[wall.front]
shape = plane
point = 0 0 0 m
normal = 0 1 0
[wall.back]
shape = plane
point = 0 10 0 cm
normal = 0 -1 0
[inflow.glass]
kind = rain
region = cylinder
from = 5 5 35 cm
to = 5 5 39 cm
region_radius = 4 cm
rate = 0.5 kg/s
end = 2 s
material = glass
velocity = 0 0 -1 m/s
[inflow.mixed]
kind = rain
lower = 11 1 35 cm
upper = 19 9 39 cm
rate = 0.2 kg/s
end = 2 s
mixture = glass 0.3, steel 0.7
[time]
step = 200 us
end = 2 s
[solver]
sweeps = 3
[output]
every = 0.5 s
log_every = 0.5 s
[checkpoint]
every = 1 s
keep = 9
"""
GLASS_MASS = 2500.0 * 4.0 / 3.0 * math.pi * 0.005**3
STEEL_MASS = 7800.0 * 4.0 / 3.0 * math.pi * 0.0045**3  # of the heaviest grain; both in kg


class Feeds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "feeds.ini").write_text(SCENE)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_scene(self, ranks, *arguments):
        process = subprocess.run(run_command(ranks, *arguments, "--quiet"), capture_output=True, text=True)
        self.assertEqual(process.returncode, 0, process.stderr)

    def run_feeds(self, ranks, name, *arguments):
        output = self.folder / name
        self.run_scene(ranks, self.folder / "feeds.ini", "--output.directory", output, *arguments)
        return output

    @staticmethod
    def grains(output, step):
        with h5py.File(output / "snapshots" / f"step_{step:012d}.h5") as file:
            group = file["particles/grains"]
            order = numpy.argsort(group["id"][:])
            return {key: group[key][:][order] for key in ("id", "material", "radius")}

    def check_masses(self, output, step, end):
        """Checks the masses inserted until the time `end` of this step [s]; returns the grains."""
        grains = self.grains(output, step)
        density = numpy.array([2500.0, 7800.0])[grains["material"]]
        mass = density * 4.0 / 3.0 * math.pi * grains["radius"] ** 3
        stream = grains["id"] % 2
        self.assertAlmostEqual(mass[stream == 0].sum(), 0.5 * end, delta=GLASS_MASS)
        self.assertAlmostEqual(mass[stream == 1].sum(), 0.2 * end, delta=STEEL_MASS)
        mixed_glass = mass[(stream == 1) & (grains["material"] == 0)].sum()
        self.assertAlmostEqual(mixed_glass, 0.06 * end, delta=STEEL_MASS)
        with open(output / "series.csv") as file:
            last_row = list(csv.DictReader(file))[-1]
        self.assertAlmostEqual(float(last_row["inflow_glass_mass"]), mass[stream == 0].sum(), places=12)
        self.assertAlmostEqual(float(last_row["inflow_mixed_mass"]), mass[stream == 1].sum(), places=12)
        return grains

    def test_masses_are_right_within_a_grain_and_restarts_have_the_same_bits_on_any_number_of_ranks(self):
        first_output = None
        # On four ranks, half the time is enough to show errors between ranks; more would be slow on two cores.
        for ranks, end in ((1, 1.0), (4, 0.5)):
            with self.subTest(ranks=ranks):
                step = round(end / 2e-4)
                output = self.run_feeds(ranks, f"ranks{ranks}", "--time.end", f"{end} s",
                                        "--checkpoint.every", f"{end / 2} s")
                grains = self.check_masses(output, step, end)
                first_output = first_output or output
                for key, values in self.grains(first_output, step).items():
                    self.assertTrue(numpy.array_equal(values, grains[key]), key)
                # Restarts from the middle, in another directory.
                restarted = self.folder / f"again{ranks}"
                middle_checkpoint = output / "checkpoints" / f"step_{step // 2:012d}.h5"
                self.run_scene(ranks, "--restart", middle_checkpoint, "--output.directory", restarted)
                end_file = f"snapshots/step_{step:012d}.h5"
                self.assertEqual((output / end_file).read_bytes(), (restarted / end_file).read_bytes())

    def test_jacobi_rain_has_the_same_positions_on_any_number_of_ranks(self):
        files = []
        for ranks in (1, 2):
            output = self.run_feeds(ranks, f"jacobi{ranks}", "--solver.scheme", "jacobi",
                                    "--time.end", "0.5 s", "--output.every", "0.5 s",
                                    "--output.log_every", "0.5 s", "--checkpoint.every", "never")
            with h5py.File(output / "snapshots" / f"step_{2500:012d}.h5") as file:
                group = file["particles/grains"]
                order = numpy.argsort(group["id"][:])
                files.append(group["position/value"][0][order])
        self.assertGreater(len(files[0]), 200)
        self.assertTrue(numpy.array_equal(files[0], files[1]))

    def test_rain_without_free_space_is_reported(self):
        output = self.run_feeds(1, "full", "--inflow.glass.rate", "50 kg/s", "--time.end", "0.2 s",
                                "--output.every", "0.1 s", "--output.log_every", "0.1 s",
                                "--checkpoint.every", "never")
        log = (output / "run.log").read_text()
        self.assertRegex(log, r"\[inflow.glass\] [0-9.]+ of 5 kg, [0-9]+ particles by 0.1 s; "
                              "full: the rest comes as space becomes free\n")
        self.assertRegex(log, r"\[inflow.glass\] .* by 0.2 s; full\n")
        self.assertRegex(log, r"\[inflow.mixed\] 0.0[34][0-9]* of 0.04 kg, [0-9]+ particles")


if __name__ == "__main__":
    unittest.main()
