"""Runs with automatic steps: output at the given times, energy balance, equal bits on all ranks and after restarts.

Needs scree-run in SCREE_RUN, mpirun in SCREE_MPIEXEC.
"""

import csv
import pathlib
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

from run_test import run_command

# A rain fills a box, a gate is removed, and a lid hits the bed. There are many event times, none of them a multiple of
# a step or of each other.
SCENE = """
[scene]
gravity = 0 0 -9.81 m/s^2
[domain]
lower = 0 0 -2 cm
upper = 1 1 6 cm
periodic = x y
[time]
step = auto
end = 0.0911 s
[contact]
friction = 0.4
[wall.floor]
shape = plane
point = 0 0 -1.5 cm
normal = 0 0 1
[wall.gate]
shape = box
lower = -1 -1 -0.2 cm
upper = 2 2 0 cm
removed_at = 51.3 ms
[wall.lid]
shape = plane
point = 0 0 5 cm
normal = 0 0 -1
velocity = 0 0 -0.1 m/s
moves_from = 20.7 ms
moves_until = 33.1 ms
[fill]
lower = 0 0 0
upper = 1 1 1.2 cm
spacing = 2.2 mm
radius = 1 mm
jitter = 0.1 0.1 0.1 m/s
[inflow.rain]
kind = rain
lower = 0 0 2 cm
upper = 1 1 4 cm
radius = 1 mm
number_rate = 1000 1/s
[outflow]
faces = z-
[at "61.7 ms"]
scene.gravity = 1 0 -9.81 m/s^2
[average.flow]
plane = 0 0 0
normal = 0 0 -1
from = 52 ms
[average.cells]
cells = 1x1x4
every = 0.7 ms
interval = 7 ms
from = 14 ms
[output]
directory = out
every = 30.7 ms
log_every = 1.3 ms
wall_forces = yes
energy_book = yes
"""


# Particles of micrometres at 100 m/s.
POWDER = """
[scene]
gravity = 0 0 0 m/s^2
[domain]
lower = 0 0 0 um
upper = 20 20 20 um
periodic = x y z
[time]
end = 1 us
[contact]
friction = 0.4
[fill]
lower = 0 0 0 um
upper = 20 20 20 um
spacing = 2.5 um
radius = 1 um
jitter = 100 100 100 m/s
[output]
log_every = 50 ns
"""


def run(ranks, *arguments):
    return subprocess.run(
        run_command(ranks, *arguments, "--quiet"),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def rows(output, name="series.csv"):
    with open(output / name, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def last_state(output):
    """Name of the last snapshot, and its ids and positions in the order of ids."""
    path = sorted((output / "snapshots").glob("*.h5"))[-1]
    with h5py.File(path) as file:
        grains = file["particles/grains"]
        ids, positions = grains["id"][()], grains["position/value"][()].reshape(-1, 3)
    order = np.argsort(ids)
    return path.name, ids[order], positions[order]


class AutomaticSteps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="scree_automatic_test_")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.scene = cls.folder / "scene.ini"
        cls.scene.write_text(SCENE)
        cls.whole_run = cls.run_to_end("whole", 1)

    @classmethod
    def run_to_end(cls, name, ranks, *options):
        output = cls.folder / name
        process = run(ranks, cls.scene, "--output.directory", output, *options)
        if process.returncode:
            raise AssertionError(process.stderr)
        return output

    def test_rows_and_snapshots_are_at_the_given_times(self):
        times = [float(row["time"]) for row in rows(self.whole_run)]
        expected = [1.3e-3 * k for k in range(len(times) - 1)] + [0.0911]
        np.testing.assert_allclose(times, expected, rtol=0, atol=1e-15)
        names = [path.stem for path in sorted((self.whole_run / "snapshots").glob("*.h5"))]
        self.assertEqual([int(name.removeprefix("step_")) for name in names], [0, 30_700_000, 61_400_000, 91_100_000])

    def test_step_length_changes_and_steps_are_few(self):
        timing = rows(self.whole_run, "timing.csv")
        steps_done = np.array([int(row["steps_done"]) for row in timing])
        self.assertGreater(2 * np.max(np.diff(steps_done)), 3 * np.min(np.diff(steps_done)[:-1]))
        self.assertLess(steps_done[-1], 1500)

    def test_energy_balance_closes(self):
        for row in rows(self.whole_run):
            scale = abs(float(row["energy_potential"])) + float(row["kinetic_energy"]) + 1e-9
            self.assertLess(abs(float(row["energy_imbalance"])), 1e-12 * scale, row["time"])

    def test_gate_carries_the_weight_of_the_bed(self):
        # The last row before the lid moves, while the latest rain is still in the air.
        row = [row for row in rows(self.whole_run) if float(row["time"]) < 20e-3][-1]
        weight = 9.81 * 2500 * 4 / 3 * np.pi * 1e-9 * int(row["particles"])
        self.assertGreater(-float(row["wall_gate_force_z"]), 0.5 * weight)
        self.assertLess(-float(row["wall_gate_force_z"]), 2.0 * weight)

    def test_restarts_continue_with_the_same_bits(self):
        uninterrupted = self.run_to_end("uninterrupted", 1, "--checkpoint.every", "10.1 ms", "--checkpoint.keep", "99")
        # Steps end at checkpoints too, so the run to compare with must write checkpoints at the same times.
        name, ids, positions = last_state(uninterrupted)
        for checkpoint in sorted((uninterrupted / "checkpoints").glob("*.h5"))[1:-1:3]:
            output = self.folder / f"from_{checkpoint.stem}"
            process = run(1, "--restart", checkpoint, "--output.directory", output)
            self.assertEqual(process.returncode, 0, process.stderr)
            restarted = last_state(output)
            self.assertEqual(restarted[0], name)
            np.testing.assert_array_equal(restarted[1], ids)
            np.testing.assert_array_equal(restarted[2], positions)

    def test_jacobi_has_the_same_bits_on_any_number_of_ranks(self):
        on_one, on_two = (last_state(self.run_to_end(f"jacobi{n}", n, "--solver.scheme", "jacobi")) for n in (1, 2))
        self.assertEqual(on_one[0], on_two[0])
        np.testing.assert_array_equal(on_one[1], on_two[1])
        np.testing.assert_array_equal(on_one[2], on_two[2])

    def test_jacobi_restarts_on_any_number_of_ranks_with_the_same_bits(self):
        shared_options = ("--solver.scheme", "jacobi", "--time.end", "30.1 ms", "--checkpoint.every", "10.1 ms",
                          "--checkpoint.keep", "9")  # fmt: skip
        never_stopped = last_state(self.run_to_end("on2", 2, *shared_options))
        for ranks in (1, 4):
            output = self.folder / f"on2_then_{ranks}"
            process = run(ranks, "--restart", self.folder / "on2/checkpoints/step_000010100000.h5", "--output.directory", output)
            self.assertEqual(process.returncode, 0, process.stderr)
            restarted = last_state(output)
            self.assertEqual(restarted[0], never_stopped[0])
            np.testing.assert_array_equal(restarted[1], never_stopped[1])
            np.testing.assert_array_equal(restarted[2], never_stopped[2])

    def test_higher_accuracy_needs_more_steps(self):
        finer = self.run_to_end("finer", 1, "--time.accuracy", "0.002", "--time.end", "14.3 ms")
        steps_done = [int(rows(output, "timing.csv")[11]["steps_done"]) for output in (self.whole_run, finer)]
        self.assertGreater(steps_done[1], 2 * steps_done[0])

    def printed_lines(self, *options, text="base_step"):
        process = run(1, self.scene, "--print-config", *options)
        self.assertEqual(process.returncode, 0, process.stderr)
        return [line for line in process.stdout.splitlines() if line.startswith(text)]

    def test_base_step_depends_on_the_scene_and_restarts_keep_it(self):
        self.assertEqual(self.printed_lines(), ["base_step = 1e-09 s"])
        self.assertEqual(self.printed_lines("--time.end", "1e6 s", "--average.cells.interval", "never"), ["base_step = 1e-05 s"])
        self.assertEqual(self.printed_lines("--fill.jitter", "900 0 0 m/s"), ["base_step = 1e-11 s"])
        self.assertEqual(self.printed_lines("--time.base_step", "1e-10 s"), ["base_step = 1e-10 s"])
        short = self.run_to_end("short", 1, "--time.end", "14.3 ms", "--checkpoint.every", "7 ms")
        output = self.folder / "faster"
        process = run(1, "--restart", short, "--output.directory", output, "--allow-changes", "--time.end", "16 ms",
                      "--wall.lid.velocity", "0 0 -0.1 m/s", "--scene.gravity", "0 0 -1e5 m/s^2")  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("base_step = 1e-09 s", (output / "config.ini").read_text())

    def test_overlaps_of_fast_powder_are_small(self):
        output = self.folder / "powder"
        scene = self.folder / "powder.ini"
        scene.write_text(POWDER)
        process = run(1, scene, "--output.directory", output)
        self.assertEqual(process.returncode, 0, process.stderr)
        for row in rows(output):
            self.assertLess(float(row["max_penetration"]), 0.05 * 1e-6)

    def test_output_gives_times_in_seconds(self):
        text = (self.whole_run / "averages/flow.csv").read_text()
        self.assertIn("# counted in each step from 0.052 to 0.0911 s", text)
        self.assertIn("frames, every 0.0007 s from 0.014 to", (self.whole_run / "averages/cells.csv").read_text())
        process = run(1, self.scene, "--check", "--output.directory", self.folder / "checked")
        self.assertIn("counted in base steps of 1e-09 s", process.stdout)
        self.assertNotIn("plan for 0s", process.stdout)
        self.assertIn("# change      at 0.0617 s: scene.gravity", process.stdout)

    def test_counts_of_steps_and_unsuitable_accuracies_are_refused(self):
        for option, value, message in (
            ("--output.log_every", "10 steps", "which time.step = auto chooses; expected a time"),
            ("--time.accuracy", "0.5", "expected"),
        ):
            process = run(1, self.scene, "--output.directory", self.folder / "refused", option, value)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertIn(message, process.stderr)
        process = run(1, self.scene, "--output.directory", self.folder / "refused", "--time.step", "0.1 ms",
                      "--time.accuracy", "0.01")  # fmt: skip
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("expected step = auto", process.stderr)


if __name__ == "__main__":
    unittest.main()
