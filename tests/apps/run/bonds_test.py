"""A body of bonded cells between plates: breaking, the cost of steps with fragments, and restarts.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import pathlib
import tempfile
import unittest

from restart_test import finish

DISK = pathlib.Path(__file__).parents[3] / "apps/scenes/brazilian_disk.ini"

MAX_SWEEPS = 10240  # sweeps of an undecided step: they do not show whether bonds break
CRUSH = ["--wall.top.velocity", "0 0 -0.2 m/s", "--time.step", "20 us", "--output.log_every", "20 us"]


class BrokenBodies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def series(self, name, *arguments):
        """Runs scree-run with these arguments; returns the series in the output directory `name`."""
        run = finish(1, *arguments, "--quiet")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.folder / name / "series.csv", newline="") as file:
            return list(csv.DictReader(file))

    def run_disk(self, name, *options):
        return self.series(name, DISK, *options, "--output.directory", self.folder / name)

    def test_a_body_that_yields_slowly_breaks(self):
        """Velocities at bonds do not grow, so no step is decided. Bonds break when they have opened or slipped far."""
        last = self.run_disk("slow", "--time.end", "3 ms")[-1]
        self.assertGreater(int(last["bonds_broken_tension"]) + int(last["bonds_broken_shear"]), 0)

    def test_steps_of_free_fragments_need_few_sweeps(self):
        """If redundant impulses of bonds did not fade, they would stay at their limits, and each step would take 10 240
        sweeps."""
        rows = self.run_disk("crushed", *CRUSH, "--time.end", "8 ms")
        sweeps = [int(row["sweeps"]) for row in rows if float(row["time"]) > 2e-3]
        self.assertLess(sum(sweeps) / len(sweeps), 2000)

    def test_restart_after_an_undecided_step_has_the_same_bits(self):
        options = [*CRUSH, "--checkpoint.every", "20 us"]
        uninterrupted = self.run_disk("whole", *options, "--time.end", "0.6 ms")
        undecided = [row["time"] for row in uninterrupted if int(row["sweeps"]) == MAX_SWEEPS]
        self.run_disk("stopped", *options, "--time.end", f"{undecided[0]} s")
        continued = self.series("stopped", "--restart", self.folder / "stopped", "--time.end", "0.6 ms")
        self.assertEqual(continued, uninterrupted)


if __name__ == "__main__":
    unittest.main()
