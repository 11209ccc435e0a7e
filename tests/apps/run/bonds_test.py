"""A body of bonded cells between plates: when it breaks, and what the steps of its fragments cost.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import pathlib
import tempfile
import unittest

from restart_test import finish

DISK = pathlib.Path(__file__).parents[3] / "apps/scenes/brazilian_disk.ini"


class BrokenBodies(unittest.TestCase):
    def series(self, *options):
        """Rows of the series of the disk."""
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "output")
            run = finish(1, DISK, *options, "--output.directory", output)
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(output / "series.csv", newline="") as file:
                return list(csv.DictReader(file))

    def test_a_body_that_yields_slowly_breaks(self):
        """Every step stays undecided, so no growth of a velocity breaks a bond: the path that bonds open or slip does."""
        last = self.series("--time.end", "3 ms")[-1]
        self.assertGreater(int(last["bonds_broken_tension"]) + int(last["bonds_broken_shear"]), 0)

    def test_steps_of_free_fragments_need_few_sweeps(self):
        """Unless they fade, redundant impulses of bonds stay at their limits, and each step takes 10 240 sweeps."""
        crush = ["--wall.top.velocity", "0 0 -0.2 m/s", "--time.step", "20 us", "--time.end", "8 ms"]
        rows = self.series(*crush, "--output.log_every", "20 us")
        sweeps = [int(row["sweeps"]) for row in rows if float(row["time"]) > 2e-3]
        self.assertLess(sum(sweeps) / len(sweeps), 2000)


if __name__ == "__main__":
    unittest.main()
