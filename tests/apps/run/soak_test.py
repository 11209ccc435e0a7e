"""The small channel in ten legs, each a restart on another number of ranks: every particle is accounted
for in every row of the series, nothing is printed, and in long legs memory does not grow.

Needs SCREE_RUN (the program), SCREE_MPIEXEC (mpirun) and SCREE_SCENES (apps/scenes) in the environment.
The full form, some 75 minutes on two cores, keeps its output and a table of the memory of the ranks;
the same command continues after the finished legs:

    SCREE_SOAK_LEG=200000 SCREE_SOAK_OUTPUT=DIR python3 tests/apps/run/soak_test.py
"""

import csv
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import unittest

from restart_test import ranks_of
from run_test import ENVIRONMENT, PROGRAM, run_command

SCENE = pathlib.Path(os.environ["SCREE_SCENES"]) / "channel_small.ini"
LEG = int(os.environ.get("SCREE_SOAK_LEG", 100))  # steps, a multiple of LOG_EVERY
RANKS = [1, 2, 4, 2, 1, 3, 1, 2, 4, 1]  # of the legs
LOG_EVERY = 100  # steps
STEP = 1e-5  # of the scene [s]
IS_LONG = LEG >= 10000  # enough to see a trend of the memory within a leg, beyond the start
SAMPLE_INTERVAL = 2.0 if IS_LONG else 0.02  # of the memory [s]
TIMEOUT = 3600 if IS_LONG else 300  # of a leg [s]
SLACK = 1024  # allowed growth of memory [kB]; the full form finds a leak of 30 bytes per step


def resident_memory(pid):
    """Memory that a process holds [kB]; 0 if it has ended."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run(ranks, *arguments):
    """A finished run: exit code, output, and the memory of all its ranks over time [kB]."""
    memory = []
    with tempfile.TemporaryFile("w+") as printed:
        job = subprocess.Popen(
            run_command(ranks, *arguments, "--quiet"),
            env=ENVIRONMENT, stdout=printed, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + TIMEOUT
        while job.poll() is None:
            if time.monotonic() > deadline:
                job.kill()
                raise TimeoutError(f"a leg on {ranks} ranks takes more than {TIMEOUT} s")
            memory_now = [resident_memory(pid) for pid in ranks_of(job)]
            if len(memory_now) == ranks and all(memory_now):
                memory.append(sum(memory_now))
            time.sleep(SAMPLE_INTERVAL)
        printed.seek(0)
        return job.returncode, printed.read(), memory


def legs_in(out):
    """Number of finished legs."""
    path = out / "series.csv"
    return int(path.read_text().splitlines()[-1].split(",")[0]) // LEG if path.exists() else 0


def memory_in(path):
    """{leg: memory of its ranks over time [kB]} of the finished legs."""
    memory = {}
    if path.exists():
        with open(path, newline="") as file:
            for leg, _, memory_now in csv.reader(file):
                memory.setdefault(int(leg), []).append(int(memory_now))
    return memory


class Soak(unittest.TestCase):
    def output(self):
        if "SCREE_SOAK_OUTPUT" in os.environ:
            return pathlib.Path(os.environ["SCREE_SOAK_OUTPUT"])
        holder = tempfile.TemporaryDirectory(prefix="scree_soak_test_")
        self.addCleanup(holder.cleanup)
        return pathlib.Path(holder.name) / "out"

    def run_leg(self, leg, out):
        """Runs a leg; returns the memory of its ranks over time [kB]."""
        if leg == 0:
            arguments = [SCENE, "--output.directory", out, "--output.every", f"{LEG} steps",
                         "--output.log_every", f"{LOG_EVERY} steps", "--checkpoint.every", f"{LEG // 4} steps",
                         "--average.profile.from", "1 ms", "--average.out.from", "1 ms"]  # fmt: skip
        else:
            arguments = ["--restart", out]
        code, printed, memory = run(RANKS[leg], *arguments, "--time.end", f"{(leg + 1) * LEG * STEP!r} s")
        self.assertEqual((code, printed), (0, ""), f"leg {leg}")
        return memory

    def assert_every_particle_accounted_for(self, out):
        with open(out / "series.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        steps = [int(row["step"]) for row in rows]
        self.assertEqual(steps, list(range(0, len(RANKS) * LEG + 1, LOG_EVERY)))
        count_before = int(rows[0]["particles"])
        for row in rows:
            present = count_before + int(row["inserted"]) - int(row["deleted"])
            self.assertEqual(int(row["particles"]), present, f"step {row['step']}")
        self.assertGreater(int(rows[-1]["inserted"]), 0)
        self.assertGreater(int(rows[-1]["deleted"]), 0)

    def assert_constant(self, memory, leg):
        """Checks that memory grows neither within a leg nor between legs on equal numbers of ranks.

        No leg is compared with leg 0, because a fresh start needs less memory than a restart. Medians hide single
        peaks of memory that the C library returns late.
        """
        third = len(memory[leg]) // 3
        middle = statistics.median(memory[leg][third : 2 * third])
        end = statistics.median(memory[leg][2 * third :])
        self.assertLess(end, 1.02 * middle + SLACK * RANKS[leg], f"kB in leg {leg}")
        first = next(k for k in range(1, len(RANKS)) if RANKS[k] == RANKS[leg])
        if leg > first:
            median_before = statistics.median(memory[first])
            self.assertLess(end, 1.05 * median_before + SLACK * RANKS[leg], f"kB in legs {first}, {leg}")

    def test_ten_legs_on_changing_numbers_of_ranks_lose_no_particle(self):
        out = self.output()
        finished_legs = legs_in(out)
        memory = memory_in(out / "memory.csv")
        for leg in range(finished_legs, len(RANKS)):
            memory[leg] = self.run_leg(leg, out)
            with open(out / "memory.csv", "a", newline="") as file:
                csv.writer(file).writerows((leg, RANKS[leg], memory_now) for memory_now in memory[leg])
        self.assert_every_particle_accounted_for(out)
        if IS_LONG:
            for leg in range(len(RANKS)):
                self.assert_constant(memory, leg)


if __name__ == "__main__":
    unittest.main(verbosity=2)
