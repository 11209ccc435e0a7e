"""Runs that are killed, stopped and continued have the results of an uninterrupted run.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from run_test import ENVIRONMENT, MPIEXEC, PROGRAM, SCENE, run_command, running_programs

TIMEOUT = 300  # of one run [s]; it takes a second or two, but ranks may have to share cores
STEPS = 400
# Makes mpirun wait a second for killed ranks to end. Tests of errors do not need it.
PATIENT_ENVIRONMENT = {**ENVIRONMENT, "OMPI_MCA_odls_base_sigkill_timeout": "1"}
SCENE_WITH_CHECKPOINTS = (
    SCENE.replace("end = 3 ms", "end = 4 ms").replace("log_every = 500 us", "log_every = 1 steps")
    + """contacts = yes
wall_forces = yes
[parallel]
balance = every 5 steps
[checkpoint]
every = 25 steps
keep = 3
[average.profile]
cells = 5x3x2
from = 0.1 ms
every = 0.1 ms
by = material
interval = 0.7 ms
[average.out]
plane = 8 0 0 mm
normal = 1 0 0
"""
)


def start_scree(ranks, *arguments):
    """A scree-run under mpirun."""
    return subprocess.Popen(
        [MPIEXEC, "-n", str(ranks), PROGRAM, *map(str, arguments)], env=PATIENT_ENVIRONMENT, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def finish(ranks, *arguments, environment=ENVIRONMENT):
    """The finished scree-run."""
    return subprocess.run(
        run_command(ranks, *arguments), env=environment, capture_output=True, text=True,
        timeout=TIMEOUT, check=False,
    )  # fmt: skip


def ranks_of(mpirun):
    """Process ids of the ranks below an mpirun: its children, or those of a process that it started (MPICH)."""
    parents, programs = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            programs[int(path.name)] = (path / "cmdline").read_bytes().split(b"\0")[0]
        except OSError:
            continue  # ended meanwhile

    def is_below(pid):
        while pid in parents and pid != mpirun.pid:
            pid = parents[pid]
        return pid == mpirun.pid

    return sorted(pid for pid, name in programs.items() if name.endswith(b"scree-run") and is_below(pid))


def is_hydra():
    """Whether mpirun is that of MPICH."""
    version = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False)
    return "HYDRA" in version.stdout


def rows(output):
    """Number of rows of the series so far: one per step, and one of step 0."""
    path = output / "series.csv"
    return path.read_bytes().count(b"\n") - 1 if path.exists() else 0


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the event for which the test waits did not happen")
        time.sleep(0.002)


class WithRuns(unittest.TestCase):
    """Uninterrupted runs are made once for all tests."""

    folder = None
    uninterrupted_outputs = {}

    @classmethod
    def setUpClass(cls):
        if WithRuns.folder is not None:
            return
        holder = tempfile.TemporaryDirectory(prefix="scree_restart_test_")
        unittest.addModuleCleanup(holder.cleanup)
        WithRuns.folder = pathlib.Path(holder.name)
        WithRuns.scene = WithRuns.folder / "scene.ini"
        WithRuns.scene.write_text(SCENE_WITH_CHECKPOINTS)

    def uninterrupted_output(self, ranks):
        """Output of the uninterrupted run on this number of ranks."""
        if ranks not in self.uninterrupted_outputs:
            output = self.folder / f"whole{ranks}"
            process = finish(ranks, self.scene, "--output.directory", output, "--quiet")
            self.assertEqual(process.returncode, 0, process.stderr)
            self.uninterrupted_outputs[ranks] = output
        return self.uninterrupted_outputs[ranks]

    def empty_output(self, name="out"):
        output = self.folder / name
        shutil.rmtree(output, ignore_errors=True)
        return output

    def checkpoints(self, output):
        return sorted(path.name for path in (output / "checkpoints").glob("step_*.h5"))

    def assert_same_output(self, output, expected):
        for name in ("series.csv", "snapshots.xdmf", "averages/profile.csv", "averages/out.csv"):
            self.assertEqual((output / name).read_bytes(), (expected / name).read_bytes(), name)
        names = sorted(path.name for path in (expected / "snapshots").iterdir())
        self.assertEqual(sorted(path.name for path in (output / "snapshots").iterdir()), names)
        for name in names:
            is_same = (output / "snapshots" / name).read_bytes() == (expected / "snapshots" / name).read_bytes()
            self.assertTrue(is_same, name)

    def restart_to_the_end(self, ranks, output):
        process = finish(ranks, "--restart", output, "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))


class InterruptedRuns(WithRuns):
    def start_scene(self, ranks, output, *options):
        run = start_scree(ranks, self.scene, "--output.directory", output, *options)
        self.addCleanup(run.stdout.close)
        return run

    def kill(self, run, whole_job):
        victims = ranks_of(run)
        if whole_job:
            victims.append(run.pid)
        else:
            victims = [random.choice(victims)]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        run.wait(timeout=TIMEOUT)

    def test_run_killed_at_any_moment_continues(self):
        for ranks, whole_job, while_writing in (
            (1, True, False), (2, False, True), (4, True, True), (2, False, False),
        ):  # fmt: skip
            with self.subTest(ranks=ranks, whole_job=whole_job, while_writing=while_writing):
                output = self.empty_output()
                run = self.start_scene(ranks, output, "--quiet")
                moment = random.uniform(40, 250)
                wait_for(lambda: rows(output) > moment)
                if while_writing:
                    wait_for(lambda: list((output / "checkpoints").glob("*.tmp")))
                self.kill(run, whole_job)
                wait_for(lambda: not running_programs(str(output)))
                self.assertLess(rows(output), STEPS)
                self.restart_to_the_end(ranks, output)
                self.assert_same_output(output, self.uninterrupted_output(ranks))
                self.assertEqual(list(output.glob("*/*.tmp")), [])

    def check_stopped(self, run, output, ranks, codes=(75,)):
        """Checks that the run ends with 75 after a checkpoint, and that a restart gives the uninterrupted output.

        Returns the step at which it stopped.
        """
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertIn(run.returncode, codes, text)
        step = int(re.search(r"stopped at step (\d+) of", text)[1])
        self.assertEqual(
            (output / "checkpoints/latest").read_text(), f"step_{step:012d}.h5\n", "the checkpoint of the last step"
        )
        self.restart_to_the_end(ranks, output)
        self.assert_same_output(output, self.uninterrupted_output(ranks))
        return step

    def test_signals_stop_the_run_after_a_checkpoint(self):
        cases = [(1, signal.SIGINT, "rank"), (1, signal.SIGUSR2, "mpirun"),
                 (2, signal.SIGTERM, "rank"), (2, signal.SIGUSR1, "mpirun")]  # fmt: skip
        for ranks, number, receiver in cases:
            with self.subTest(ranks=ranks, signal=number, receiver=receiver):
                output = self.empty_output()
                run = self.start_scene(ranks, output)
                moment = random.uniform(40, 200)
                wait_for(lambda: rows(output) > moment)
                pid = run.pid if receiver == "mpirun" else random.choice(ranks_of(run))
                rows_before = rows(output)
                os.kill(pid, number)
                # Hydra, MPICH's launcher, may end with 0 once it has passed a signal on.
                codes = (0, 75) if receiver == "mpirun" and is_hydra() else (75,)
                # The signal itself takes the time of some steps to arrive.
                self.assertLess(self.check_stopped(run, output, ranks, codes) - rows_before, STEPS // 2)

    def start_waiting_for_scene(self, *options, **popen_options):
        """Starts a program without mpirun that waits for its scene on a pipe. Returns it, the pipe and the output directory."""
        output, pipe = self.empty_output(), self.folder / "pipe.ini"
        if not pipe.exists():
            os.mkfifo(pipe)
        run = subprocess.Popen(
            [PROGRAM, pipe, "--output.directory", output, "--time.end", "0.5 ms", "--checkpoint.every", "never", *options],
            env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **popen_options,
        )  # fmt: skip
        self.addCleanup(run.stdout.close)
        return run, open(pipe, "w"), output  # this call returns when the program has opened the pipe

    def test_each_signal_before_the_first_step_stops_the_run_after_a_checkpoint(self):
        for name in ("SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGTERM", "SIGINT", "SIGHUP"):
            with self.subTest(signal=name):
                run, pipe, output = self.start_waiting_for_scene()
                run.send_signal(signal.Signals[name])
                with pipe:
                    pipe.write(SCENE_WITH_CHECKPOINTS)
                text, _ = run.communicate(timeout=TIMEOUT)
                self.assertEqual(run.returncode, 75, text)
                self.assertEqual(self.checkpoints(output), ["step_000000000001.h5"])

    def test_run_without_a_launcher_starts_no_daemon(self):
        run, pipe, _ = self.start_waiting_for_scene()
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text()
        with pipe:
            pipe.write(SCENE_WITH_CHECKPOINTS)
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual((run.returncode, children), (0, ""), text)

    def test_run_under_nohup_outlives_its_terminal(self):
        run, pipe, _ = self.start_waiting_for_scene(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.send_signal(signal.SIGHUP)
        with pipe:
            pipe.write(SCENE_WITH_CHECKPOINTS)
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0, text)

    def test_signals_end_programs_without_a_run(self):
        run, pipe, _ = self.start_waiting_for_scene("--check")
        run.send_signal(signal.SIGTERM)
        text, _ = run.communicate(timeout=TIMEOUT)
        pipe.close()
        self.assertEqual(run.returncode, -signal.SIGTERM, text)

    def test_table_that_is_emptied_begins_again_with_its_header(self):
        output = self.empty_output()
        run = self.start_scene(1, output, "--quiet")
        wait_for(lambda: rows(output) > 20)
        for name in ("series.csv", "timing.csv", "run.log"):
            os.truncate(output / name, 0)
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0, text)
        for name in ("series.csv", "timing.csv", "run.log"):
            self.assertNotIn(b"\0", (output / name).read_bytes(), name)
        for name in ("series.csv", "timing.csv"):
            self.assertTrue((output / name).read_text().startswith("step,"), name)

    def test_run_without_memory_for_threads_succeeds_or_reports_it(self):
        limit = 250_000 * 1024  # limit of the address space [bytes]; MPI takes half of it
        process = subprocess.run(
            [PROGRAM, self.scene, "--output.directory", self.empty_output(), "--time.end", "1 ms", "--quiet"],
            env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )  # fmt: skip
        self.assertTrue(process.returncode == 0 or "memory" in process.stderr, (process.returncode, process.stderr))

    def test_wall_time_stops_the_run_after_a_checkpoint(self):
        output = self.empty_output()
        run = self.start_scene(2, output, "--max-wall-time", "5 ms", "--checkpoint.every", "never")
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 75, text)
        self.assertIn("wall-clock time is over", text)
        self.assertEqual(len(self.checkpoints(output)), 1)
        self.restart_to_the_end(2, output)
        self.assertEqual(
            (output / "series.csv").read_bytes(), (self.uninterrupted_output(2) / "series.csv").read_bytes()
        )

    def test_term_to_mpirun_leaves_a_usable_checkpoint(self):
        output = self.empty_output()
        run = self.start_scene(2, output)
        wait_for(lambda: rows(output) > 100)
        os.kill(run.pid, signal.SIGTERM)
        run.communicate(timeout=TIMEOUT)
        self.assertNotEqual(run.returncode, 0)
        wait_for(lambda: not running_programs(str(output)))
        self.restart_to_the_end(2, output)
        self.assert_same_output(output, self.uninterrupted_output(2))

    def test_checkpoint_that_cannot_be_written_leaves_the_last_one(self):
        output = self.empty_output()
        run = self.start_scene(2, output, "--quiet")
        wait_for(lambda: rows(output) > 100)
        (output / "checkpoints").rename(output / "away")
        text, _ = run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 5, text)
        self.assertIn("scree-run: cannot ", text)
        (output / "away").rename(output / "checkpoints")
        self.restart_to_the_end(2, output)
        self.assert_same_output(output, self.uninterrupted_output(2))

    def test_run_in_many_parts_has_the_same_output(self):
        output = self.empty_output()
        run = finish(2, self.scene, "--output.directory", output, "--max-wall-time", "0.01 s",
                     environment=PATIENT_ENVIRONMENT)  # fmt: skip
        part_count = 1
        while run.returncode == 75:
            # Every part except the last makes one step, or more if the clock allows.
            limit = "0.01 s" if part_count < 10 else "1 h"
            run = finish(2, "--restart", output, "--max-wall-time", limit, "--quiet", environment=PATIENT_ENVIRONMENT)
            part_count += 1
        self.assertEqual((run.returncode, part_count), (0, 11), run.stderr)
        self.assert_same_output(output, self.uninterrupted_output(2))


class Continued(WithRuns):
    def run_shortened(self, ranks, end="2.22 ms", name="short"):
        output = self.empty_output(name)
        process = finish(ranks, self.scene, "--output.directory", output, "--time.end", end, "--quiet")
        self.assertEqual(process.returncode, 0, process.stderr)
        return output

    def test_interval_of_the_series_continues(self):
        intervals = ("--output.log_every", "80 steps", "--quiet")
        uninterrupted, output = self.empty_output("long_rows"), self.empty_output()
        for directory, end in ((uninterrupted, "4 ms"), (output, "1.23 ms")):
            process = finish(2, self.scene, "--output.directory", directory, "--time.end", end, *intervals)
            self.assertEqual(process.returncode, 0, process.stderr)
        process = finish(2, "--restart", output, "--time.end", "4 ms", "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("_force_x_deviation", (uninterrupted / "series.csv").read_text())
        self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())

    def test_run_without_checkpoints_has_the_same_results(self):
        output = self.empty_output()
        process = finish(2, self.scene, "--output.directory", output, "--checkpoint.every", "never")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(self.checkpoints(output), [])
        for name in ("series.csv", "averages/profile.csv", "averages/out.csv"):
            self.assertEqual((output / name).read_bytes(), (self.uninterrupted_output(2) / name).read_bytes(), name)

    def test_last_checkpoints_are_kept(self):
        steps = [f"step_{step:012d}.h5" for step in (STEPS - 50, STEPS - 25, STEPS)]
        self.assertEqual(self.checkpoints(self.uninterrupted_output(2)), steps)

    def test_prolonged_run_has_no_trace_of_its_first_end(self):
        # 2.22 ms is not a multiple of the snapshots' interval, so the last snapshot exists only because the run ends.
        output = self.run_shortened(2)
        self.assertEqual(len(list((output / "snapshots").glob("*.h5"))), 4)
        process = finish(2, "--restart", output, "--time.end", "4 ms")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("time.end: 0.00222 s -> 0.004 s", process.stdout)
        for name in ("series.csv", "snapshots.xdmf", "averages/profile.csv", "averages/out.csv"):
            self.assertEqual((output / name).read_bytes(), (self.uninterrupted_output(2) / name).read_bytes(), name)
        last_snapshot = "snapshots/step_000000000400.h5"
        expected = self.uninterrupted_output(2) / last_snapshot
        self.assertEqual((output / last_snapshot).read_bytes(), expected.read_bytes())

    def test_restart_of_a_finished_run_changes_nothing(self):
        output = self.uninterrupted_output(1)
        bytes_before = {path: path.read_bytes() for path in output.glob("**/*") if path.is_file()}
        process = finish(1, "--restart", output)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("is complete", process.stdout)
        bytes_after = {path: path.read_bytes() for path in output.glob("**/*") if path.is_file()}
        self.assertEqual(bytes_before, bytes_after)

    def test_restart_works_on_any_number_of_ranks(self):
        output = self.run_shortened(2, name="two")
        rows_before = rows(output)
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                copy = self.empty_output(f"on{ranks}")
                shutil.copytree(output, copy)
                process = finish(ranks, "--restart", copy, "--time.end", "3 ms", "--quiet")
                self.assertEqual((process.returncode, process.stderr), (0, ""))
                lines = (copy / "series.csv").read_text().splitlines()
                self.assertEqual(len(lines), 302)
                self.assertEqual(
                    lines[:rows_before], (output / "series.csv").read_text().splitlines()[:rows_before]
                )
                columns = lines[0].split(",")
                for line in lines[rows_before:]:
                    row = dict(zip(columns, line.split(",")))
                    balance = 300 + int(row["inserted"]) - int(row["deleted"])
                    self.assertEqual(int(row["particles"]), balance)

    def test_restart_works_with_ranks_without_particles(self):
        table = self.folder / "one.csv"
        table.write_text("x,y,z,radius,vx\n0.001,0.001,0.001,0.00047,0.1\n")
        output = self.empty_output("lonely")
        lonely = self.scene.read_text().replace("[fill]", "[fill.never]")
        lonely = lonely.partition("[fill.never]")[0] + f"[initial]\nfile = {table}\n"
        scene = self.folder / "lonely.ini"
        scene.write_text(lonely.replace("velocity = 1 0 0", "velocity = 0 0 0"))
        options = ["--checkpoint.every", "100 steps", "--output.every", "100 steps", "--quiet"]
        process = finish(4, scene, "--output.directory", output, "--time.end", "2 ms", *options)
        self.assertEqual(process.returncode, 0, process.stderr)
        for ranks, end in ((4, "3 ms"), (3, "4 ms"), (1, "5 ms"), (4, "6 ms")):
            process = finish(ranks, "--restart", output, "--time.end", end, "--quiet")
            self.assertEqual((process.returncode, process.stderr), (0, ""), ranks)
        lines = (output / "series.csv").read_text().splitlines()
        self.assertEqual([line.split(",")[2] for line in lines], ["particles"] + 7 * ["1"])

    def test_another_directory_begins_its_own_series(self):
        output = self.run_shortened(1)
        other_directory = self.empty_output("other")
        series_before = (output / "series.csv").read_bytes()
        process = finish(1, "--restart", output, "--output.directory", other_directory, "--time.end", "3 ms")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((output / "series.csv").read_bytes(), series_before)
        lines = (other_directory / "series.csv").read_text().splitlines()
        uninterrupted = (self.uninterrupted_output(1) / "series.csv").read_text().splitlines()
        self.assertEqual(lines[1:], uninterrupted[224:302])

    def test_changed_physics_must_be_allowed(self):
        output = self.run_shortened(1)
        arguments = ["--restart", output, "--time.end", "3 ms", "--contact.friction", "0.1"]
        process = finish(1, *arguments)
        self.assertEqual(process.returncode, 2)
        self.assertIn("contact.friction: 0.4 -> 0.1", process.stderr)
        process = finish(1, *arguments, "--allow-changes")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("contact.friction: 0.4 -> 0.1", (output / "run.log").read_text())
        process = finish(1, "--restart", output, "--time.step", "5 us", "--allow-changes")
        self.assertEqual(process.returncode, 2)
        self.assertIn("time.step", process.stderr)

    def test_energies_that_would_lack_the_first_steps_are_refused(self):
        output = self.run_shortened(1)
        process = finish(1, "--restart", output, "--time.end", "3 ms", "--output.energy_book", "yes")
        self.assertEqual(process.returncode, 2)
        self.assertIn("its sums would lack the steps so far", process.stderr)


class DamagedCheckpoints(WithRuns):
    def setUp(self):
        self.out = self.empty_output()
        shutil.copytree(self.uninterrupted_output(2), self.out)
        self.files = [self.out / "checkpoints" / name for name in self.checkpoints(self.out)]

    def flip(self, path):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    def test_previous_checkpoint_is_used_and_reported(self):
        self.flip(self.files[2])
        self.files[1].write_bytes(self.files[1].read_bytes()[:-100])
        process = finish(2, "--restart", self.out)
        self.assertEqual(process.returncode, 0, process.stderr)
        for path in self.files[1:]:
            self.assertIn(f"{path.name}' is damaged", process.stdout)
        self.assertIn(f"{self.files[0].name}, step {STEPS - 50}", process.stdout)
        self.assert_same_output(self.out, self.uninterrupted_output(2))

    def test_run_without_valid_checkpoint_gives_exit_code_3(self):
        for path in self.files:
            self.flip(path)
        for source in (self.out, self.files[2]):
            process = finish(2, "--restart", source)
            self.assertEqual(process.returncode, 3, process.stdout)
            for path in self.files:
                self.assertIn(f"{path.name}' is damaged", process.stderr)
        self.assertEqual(
            (self.out / "series.csv").read_bytes(), (self.uninterrupted_output(2) / "series.csv").read_bytes()
        )

    def replace_last(self, *options):
        """Replaces the last checkpoint by that of a run with these options."""
        foreign = self.empty_output("foreign")
        process = finish(2, self.scene, "--output.directory", foreign, "--quiet", *options)
        self.assertEqual(process.returncode, 0, process.stderr)
        for name in (self.files[2].name, self.files[2].name + ".xxh64"):
            shutil.copy(foreign / "checkpoints" / name, self.out / "checkpoints" / name)

    def test_checkpoint_of_another_scene_gives_exit_code_3(self):
        arguments = ["--restart", self.out, "--time.end", "5 ms", "--quiet"]
        self.replace_last("--fill.radius", "0.46 mm")
        process = finish(2, *arguments, "--allow-changes")
        self.assertEqual(process.returncode, 3, process.stdout)
        self.assertIn("belongs to another scene than", process.stderr)
        self.assertIn("radius: 0.00047 m -> 0.00046 m", process.stderr)
        self.replace_last("--contact.friction", "0.3")
        process = finish(2, *arguments)
        self.assertEqual(process.returncode, 3, process.stdout)
        self.assertIn("contact.friction: 0.4 -> 0.3", process.stderr)
        self.assertEqual(
            (self.out / "series.csv").read_bytes(), (self.uninterrupted_output(2) / "series.csv").read_bytes()
        )
        process = finish(2, *arguments, "--allow-changes")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("contact.friction: 0.4 -> 0.3", (self.out / "run.log").read_text())

    def test_wrong_latest_file_changes_nothing(self):
        uninterrupted = self.uninterrupted_output(2)
        for path in self.files[2:]:
            path.unlink()  # so that the restart still has steps to do
        for text in (self.files[0].name, self.files[2].name, "no name"):
            with self.subTest(latest=text):
                output = self.empty_output("stale")
                shutil.copytree(self.out, output)
                (output / "checkpoints/latest").write_text(text + "\n")
                self.restart_to_the_end(2, output)
                self.assert_same_output(output, uninterrupted)

    def test_files_other_than_checkpoints_give_exit_code_3(self):
        (self.out / "empty").mkdir()
        for path in ("no_such", "empty", "series.csv", "snapshots/step_000000000000.h5"):
            process = finish(1, "--restart", self.out / path)
            self.assertEqual(process.returncode, 3, process.stdout)
            self.assertEqual(len(process.stderr.splitlines()) <= 2, True, process.stderr)

    def test_partial_lines_and_later_output_are_removed(self):
        with open(self.out / "series.csv", "ab") as file:
            file.write(b"401,0.00401,30")
        (self.out / "snapshots/step_000000000500.h5").write_bytes(b"of a lost future")
        process = finish(2, "--restart", self.files[0], "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assert_same_output(self.out, self.uninterrupted_output(2))


if __name__ == "__main__":
    unittest.main()
