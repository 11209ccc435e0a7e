"""Scenes that change during the run, in their [at "TIME"] sections and at restarts.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import math
import pathlib
import resource
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import _environment

_environment.require("h5py")

import h5py
from restart_test import SCENE_WITH_CHECKPOINTS, WithRuns, finish

WITH_CHANGES = (
    SCENE_WITH_CHECKPOINTS.replace("every = 25 steps\nkeep = 3", "every = 50 steps\nkeep = 20")
    + """[at "1 ms"]
contact.friction = 0.1
scene.gravity = 3 0 -9 m/s^2
[at "1.999 ms"]
contact.restitution = 0.3
contact.cohesion = 1 uN
solver.sweeps = 15
[at "3 ms"]
contact.cohesion = 0 N
outflow.faces = x+ z+
[at "4 ms"]
contact.friction = 0.7
contact.kinetic_friction = 0.1
contact.friction_speed = 10 cm/s
"""
)
NEW_WALL = [
    "--wall.gate.shape", "plane", "--wall.gate.point", "10.45 0 0 mm", "--wall.gate.normal", "-1 0 0",
    "--wall.gate.appears_at", "3.5 ms",
]  # fmt: skip
NEW_RAIN = [
    "--inflow.rain.kind", "rain", "--inflow.rain.lower", "1 1 3.5 mm", "--inflow.rain.upper", "4 5 5 mm",
    "--inflow.rain.number_rate", "20000 /s", "--inflow.rain.radius", "0.12 mm",
    "--inflow.rain.shower_every", "0.2 ms",
]  # fmt: skip


class Changes(WithRuns):
    """Scenes that change during the run."""

    def run_scene(self, ranks, name, *options, text=WITH_CHANGES):
        scene = self.folder / "changes.ini"
        scene.write_text(text)
        output = self.empty_output(name)
        process = finish(ranks, scene, "--output.directory", output, "--quiet", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return output

    def particles(self, output, step):
        """The particles of a snapshot, by id."""
        with h5py.File(output / "snapshots" / f"step_{step:012d}.h5") as file:
            grains = file["particles/grains"]
            order = grains["id"][:].argsort()
            return {name: grains[f"{name}/value"][0][order].tobytes() for name in ("position", "velocity")}

    def test_restart_before_at_and_after_a_change_gives_the_same_output(self):
        # Changes do not depend on the ranks, so one rank is enough for the complete list of steps.
        for ranks, steps in ((1, (50, 100, 150, 200, 300)), (2, (50, 200))):
            uninterrupted = self.run_scene(ranks, f"changed{ranks}")
            for step in steps:
                with self.subTest(ranks=ranks, step=step):
                    output = self.empty_output()
                    shutil.copytree(uninterrupted, output)
                    process = finish(ranks, "--restart", output / "checkpoints" / f"step_{step:012d}.h5", "--quiet")
                    self.assertEqual((process.returncode, process.stderr), (0, ""))
                    self.assert_same_output(output, uninterrupted)

    def test_check_of_many_changes_takes_linear_time(self):
        times = []
        for count in (500, 2000):
            scene = self.folder / "many.ini"
            changes = (f'[at "{k + 1} us"]\ncontact.friction = 0.{1000 + k}\n' for k in range(count))
            scene.write_text(WITH_CHANGES.split("[at ")[0] + "".join(changes))
            usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process = finish(1, scene, "--check", "--time.step", "1 us", "--output.directory", self.folder / "many")
            self.assertEqual(process.returncode, 0, process.stderr)
            usage_after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(usage_after.ru_utime - usage_before.ru_utime)
        self.assertLess(times[1], 8 * times[0])  # it would be 12 times if each change applied all earlier ones again

    def test_changes_give_the_same_bits_on_any_number_of_ranks(self):
        early_changes = WITH_CHANGES.replace('"1 ms"', '"0.05 ms"').replace('"1.999 ms"', '"0.1 ms"')
        options = ["--solver.scheme", "jacobi", "--time.end", "0.2 ms", "--output.every", "0.1 ms"]
        outputs = [self.run_scene(n, f"any{n}", *options, text=early_changes) for n in (1, 2, 4)]
        self.assertIn("step 10, changed from now on", (outputs[2] / "run.log").read_text())
        for step in (10, 20):
            for output in outputs[1:]:
                self.assertEqual(self.particles(outputs[0], step), self.particles(output, step), step)

    def test_check_finds_impossible_changes(self):
        for key, value, words in (
            ("contact.cohesion", "1e9 N", "cohesion and adhesion pull with 1000000000 N"),
            ("contact.cohesion_range", "1 m", "cohesion_range is 1 m"),
        ):
            with self.subTest(key):
                scene = self.folder / "impossible.ini"
                scene.write_text(f'{WITH_CHANGES}[at "4.5 ms"]\ncontact.cohesion = 1 uN\n{key} = {value}\n'.replace(
                    "contact.cohesion = 1 uN\ncontact.cohesion =", "contact.cohesion ="))  # fmt: skip
                process = finish(1, scene, "--check", "--output.directory", self.empty_output("impossible"))
                self.assertEqual(process.returncode, 2, process.stderr)
                self.assertIn(f'[at "0.0045 s"]: [contact] or [pair] {words}', process.stderr)

    def test_changes_are_in_the_log_and_the_configuration(self):
        output = self.run_scene(1, "logged")
        log = (output / "run.log").read_text()
        self.assertIn("step 100, changed from now on:\n  scene.gravity: 0 0 -9.81 m/s^2 -> 3 0 -9 m/s^2", log)
        self.assertIn("step 200, changed from now on:", log)
        self.assertIn('[at "0.004 s"] would change the scene at step 400, not before the end of the run', log)
        self.assertNotIn("step 400, changed", log)
        self.assertIn('[at "0.001 s"]\nscene.gravity = 3 0 -9 m/s^2\ncontact.friction = 0.1\n', (output / "config.ini").read_text())

    def test_change_at_a_restart_equals_the_change_in_a_scene(self):
        """Both runs have the same bits, and their configurations contain the same change."""
        change = '[at "2 ms"]\ncontact.friction = 0.1\n'
        uninterrupted = self.run_scene(1, "by_scene", text=SCENE_WITH_CHECKPOINTS + change)
        output = self.run_scene(1, "by_restart", "--time.end", "2 ms", text=SCENE_WITH_CHECKPOINTS)
        process = finish(1, "--restart", output, "--time.end", "4 ms", "--contact.friction", "0.1", "--allow-changes")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())
        self.assertEqual(self.particles(output, 400), self.particles(uninterrupted, 400))
        self.assertIn('[at "0.002 s"]\ncontact.friction = 0.1\n', (output / "config.ini").read_text())

    def test_new_walls_and_rain_can_be_added_at_a_restart(self):
        output = self.run_scene(2, "new", "--time.end", "2 ms", text=SCENE_WITH_CHECKPOINTS)
        arguments = ["--restart", output, "--time.end", "4 ms", *NEW_WALL, *NEW_RAIN]
        process = finish(2, *arguments)
        self.assertEqual(process.returncode, 2)
        self.assertIn("--allow-changes", process.stderr)
        process = finish(2, *arguments, "--allow-changes")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(output / "series.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 401)
        self.assertEqual(rows[150]["wall_gate_force_x"], "")
        self.assertEqual(float(rows[349]["wall_gate_force_x"]), 0.0)
        self.assertGreater(max(float(row["wall_gate_force_x"]) for row in rows[351:]), 0.0)
        self.assertGreater(int(rows[345]["deleted"]), 0)
        self.assertEqual(rows[355]["deleted"], rows[400]["deleted"])  # nothing passes the gate
        self.assertGreater(float(rows[400]["inflow_rain_mass"]), 0.0)
        with h5py.File(output / "snapshots" / "step_000000000400.h5") as file:
            ids = file["particles/grains/id"][:]
        self.assertEqual(len(set(ids)), len(ids))
        copied = self.empty_output("again")
        shutil.copytree(output, copied)
        process = finish(2, "--restart", copied / "checkpoints" / "step_000000000375.h5", "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assert_same_output(copied, output)

    def test_changes_of_the_past_and_of_fixed_keys_are_refused(self):
        output = self.run_scene(1, "past", "--time.end", "2 ms", text=SCENE_WITH_CHECKPOINTS)
        for options, words in (
            ([*NEW_WALL[:-1], "1 ms"], "wall.gate.appears_at: (none) -> 0.001 s: appears_at is before the time of the checkpoint"),
            (["--wall.floor.point", "0 0 -1 mm"], "a wall keeps its shape"),
            (["--wall.floor.removed_at", "1 ms"], "removed_at is before the time of the checkpoint, 0.002 s"),
            (["--inflow.velocity", "2 0 0 m/s"], "the count of inserted particles depends on it"),
        ):
            process = finish(1, "--restart", output, "--time.end", "4 ms", "--allow-changes", *options)
            self.assertEqual(process.returncode, 2, process.stdout)
            self.assertIn(words, process.stderr)


FRAME = """
[scene]
gravity = 0 0 0 m/s^2
[domain]
lower = -1 -1 -1 m
upper = 1 1 1 m
[time]
step = 1 ms
end = 100 ms
[frame]
angular_velocity = 0 0 7 rad/s
[initial]
file = one.csv
[output]
every = 50 ms
log_every = 50 ms
"""


class Frames(WithRuns):
    def test_failed_state_in_a_rotating_frame_has_the_velocities_of_its_time(self):
        scene = self.folder / "turning.ini"
        scene.write_text("""
            [scene]
            gravity = 0 0 0
            [domain]
            lower = -10 -10 -10 mm
            upper = 10 10 10 mm
            [time]
            step = 1 ms
            end = 1 s
            [frame]
            angular_velocity = 0 0 7 rad/s
            [initial]
            file = one.csv
            """)
        # At rest in the laboratory: in the rotating frame the particle circles until it leaves the domain.
        (self.folder / "one.csv").write_text("x,y,z,radius,vx,vy,vz\n9e-3,9e-3,0,1e-3,63e-3,-63e-3,0\n")
        output = self.folder / "turning"
        process = finish(1, scene, "--output.directory", output)
        self.assertEqual(process.returncode, 4, process.stderr)
        with h5py.File(output / "failed.h5") as file:
            self.assertEqual(file["scree/observables"].attrs["particles"], 1)
            grains = file["particles/grains"]
            x, v = (grains[f"{name}/value"][()].ravel() for name in ("position", "velocity"))
        for value, expected in zip(v, (7.0 * x[1], -7.0 * x[0], 0.0), strict=True):
            self.assertAlmostEqual(value, expected, delta=1e-12)

    def test_failed_state_has_the_bonds_and_clusters(self):
        scene = self.folder / "bonded.ini"
        scene.write_text("""
            [scene]
            gravity = 0 0 0
            [domain]
            lower = -10 -10 -10 mm
            upper = 10 10 10 mm
            [time]
            step = 1 ms
            end = 1 s
            [bond.glue]
            gap = 1 um
            tension = 1 MPa
            shear = 1 MPa
            [initial]
            file = three.csv
            """)
        # The third particle leaves the domain.
        (self.folder / "three.csv").write_text("x,y,z,radius,vx\n-6e-3,0,0,1e-3,0\n-4e-3,0,0,1e-3,0\n8e-3,0,0,1e-3,0.1\n")
        output = self.folder / "bonded"
        process = finish(1, scene, "--output.directory", output)
        self.assertEqual(process.returncode, 4, process.stderr)
        with h5py.File(output / "failed.h5") as file:
            self.assertEqual(file["scree/bonds/state"][()].ravel().tolist(), [0])
            self.assertEqual(sorted(file["particles/grains/cluster_size/value"][()].ravel().tolist()), [1, 2, 2])

    def test_snapshot_of_a_rotating_frame_can_start_another_run(self):
        """A particle at rest in the laboratory circles in the frame, in three consecutive runs with different steps."""
        table, scene = self.folder / "one.csv", self.folder / "frame.ini"
        table.write_text("x,y,z,radius,vy\n0.35,0,0,0.01,-2.45\n")
        scene.write_text(FRAME)
        time, options = 0.0, []
        for name, step in (("first", "1 ms"), ("second", "0.5 ms"), ("third", "2 ms")):
            output = self.empty_output(name)
            process = finish(1, scene, "--output.directory", output, "--quiet", "--time.step", step, *options)
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            with open(output / "series.csv") as file:
                rows = list(csv.DictReader(file))
            for path, row in zip(sorted(output.glob("snapshots/*.h5")), rows, strict=True):
                angle = -7.0 * (time + float(row["time"]))
                with h5py.File(path) as file:
                    grains = file["particles/grains"]
                    position, velocity = grains["position/value"][0, 0], grains["velocity/value"][0, 0]
                expected = [0.35 * math.cos(angle), 0.35 * math.sin(angle)]
                expected_velocity = [7.0 * expected[1], -7.0 * expected[0]]
                for value, target in zip([*position[:2], *velocity[:2]], [*expected, *expected_velocity], strict=True):
                    self.assertAlmostEqual(value, target, delta=1e-11)
                self.assertAlmostEqual(float(row["mean_velocity_x"]), expected_velocity[0], delta=1e-11)
                self.assertAlmostEqual(float(row["max_speed"]), 2.45, delta=1e-11)
            time += 0.1
            options = ["--initial.file", path]


if __name__ == "__main__":
    unittest.main()
