"""Output of a run: one run at a time, no links, no pipes, limits of file size, and reports of lost output.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import os
import resource
import signal
import unittest

from restart_test import ranks_of, rows, wait_for
from restart_test import start_scree
from run_test import TIMEOUT, WithFolder, run_scree

CHECKPOINTS = ["--checkpoint.every", "20 steps", "--output.every", "50 steps"]


class OutputPlace(WithFolder):
    def out(self, *options):
        return ["--output.directory", self.folder / "out", "--quiet", *options]

    def test_second_run_in_the_directory_is_refused_until_the_first_is_gone(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                out = self.folder / f"out{ranks}"
                options = ["--output.directory", out, "--quiet", "--overwrite"]
                first = start_scree(ranks, self.scene, *options, "--output.log_every", "1 steps", "--time.end", "1 s",
                              "--checkpoint.keep", "9999", *CHECKPOINTS)  # fmt: skip
                try:
                    wait_for(lambda: rows(out) > 60)
                    config = (out / "config.ini").read_bytes()
                    for arguments in ([self.scene, *options, "--scene.seed", "7"], ["--restart", out]):
                        process = run_scree(ranks, *arguments)
                        self.assertEqual(process.returncode, 2, process.stderr)
                        self.assertIn("is being written by another run (process ", process.stderr)
                    self.assertEqual((out / "config.ini").read_bytes(), config)
                finally:
                    for pid in ranks_of(first):
                        os.kill(pid, signal.SIGKILL)
                    first.communicate(timeout=TIMEOUT)
                process = run_scree(ranks, "--restart", out, "--quiet", "--time.end", "3 ms")
                self.assertIn(process.returncode, (0, 2), process.stderr)  # 2: the end lies before the checkpoint
                self.assertNotIn("another run", process.stderr)

    def test_links_are_not_written_through(self):
        victim = self.put("victim", "kept")
        out = self.folder / "out"
        for name, options in ((".scree_lock", []), (".scree_write_test", []), ("check_walls.vtk", ["--check"]),
                              ("check_walls.vtk.tmp", ["--check"])):  # fmt: skip
            with self.subTest(name=name):
                out.mkdir(exist_ok=True)
                (out / name).symlink_to(victim)
                process = run_scree(1, self.scene, *self.out("--overwrite", *options))
                self.assertEqual(process.returncode, 5, process.stderr)
                self.assertIn(f"{name}': it is a link; expected a regular file", process.stderr)
                self.assertEqual(victim.read_text(), "kept")
                (out / name).unlink()

    def test_run_does_not_wait_for_pipes(self):
        out = self.folder / "out"
        for name in ("series.csv", "run.log", "config.ini", "snapshots.xdmf.tmp"):
            with self.subTest(name=name):
                out.mkdir(exist_ok=True)
                os.mkfifo(out / name)
                process = run_scree(2, self.scene, *self.out())
                self.assertEqual(process.returncode, 5, process.stderr)
                self.assertIn(f"{name}': it is a pipe", process.stderr)
                (out / name).unlink()

    def test_restart_does_not_wait_for_a_pipe(self):
        out = self.folder / "out"
        run_scree(1, self.scene, *self.out(*CHECKPOINTS, "--time.end", "1 ms"))
        for name in ("checkpoints/latest", "config.ini", "checkpoints/step_000000000100.h5.xxh64",
                     "checkpoints/step_000000000080.h5"):  # fmt: skip
            (out / name).unlink()
            os.mkfifo(out / name)
        process = run_scree(2, "--restart", out, "--quiet")
        self.assertIn(process.returncode, (3, 5), process.stderr)
        self.assertRegex(process.stderr, "is a pipe|is not a regular file|has no digest")

    def test_limit_of_file_sizes_is_reported(self):
        limits = (30_000, 30_000)  # only for the ranks, because their launcher needs files too
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                out = self.folder / f"out{ranks}"
                run = start_scree(ranks, self.scene, "--output.directory", out, "--quiet", "--time.end", "1 s",
                            "--output.log_every", "1 steps", *CHECKPOINTS)  # fmt: skip
                wait_for(lambda: rows(out) > 60)
                pids = ranks_of(run)
                for pid in pids:  # all ranks at once: if only one had the limit, the others would wait in MPI-IO
                    os.kill(pid, signal.SIGSTOP)
                for pid in pids:
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
                for pid in pids:
                    os.kill(pid, signal.SIGCONT)
                printed, _ = run.communicate(timeout=TIMEOUT)
                self.assertEqual(run.returncode, 5, printed)
                self.assertIn("scree-run: cannot ", printed)

    def test_output_missing_at_a_restart_is_reported_on_stderr(self):
        out = self.folder / "out"
        process = run_scree(1, self.scene, *self.out(*CHECKPOINTS, "--output.log_every", "10 steps", "--time.end", "2 ms"))
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        process = run_scree(1, "--restart", out, "--quiet", "--time.end", "2.2 ms")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        for name in ("series.csv", "timing.csv"):
            lines = (out / name).read_text().splitlines(keepends=True)
            (out / name).write_text("".join(lines[:-4]))
        (out / "snapshots/step_000000000050.h5").unlink()
        process = run_scree(1, "--restart", out, "--quiet", "--time.end", "2.4 ms")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertRegex(process.stderr, r"series.csv has lost \d+ of \d+ rows")
        self.assertRegex(process.stderr, r"timing.csv has lost \d+ of \d+ rows")
        self.assertIn("snapshots of the run so far are missing: 1 of ", process.stderr)
        self.assertIn("step_000000000050.h5", process.stderr)
        self.assertIn("has lost", (out / "run.log").read_text())

    def test_snapshots_that_a_restart_removes_are_reported(self):
        out = self.folder / "out"
        run_scree(1, self.scene, *self.out(*CHECKPOINTS, "--checkpoint.keep", "9", "--time.end", "2 ms"))
        process = run_scree(1, "--restart", out / "checkpoints/step_000000000120.h5", "--time.end", "2 ms")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("snapshots written after the checkpoint were removed: 2, ", process.stdout)


if __name__ == "__main__":
    unittest.main()
