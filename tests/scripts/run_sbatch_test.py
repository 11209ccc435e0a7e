"""Tests of the job script for Slurm with a fake srun that only records its arguments."""

import os
import subprocess
import unittest

from made_snapshot import SCRIPTS
from script_test import ScriptTest

SCRIPT = SCRIPTS / "cluster/run.sbatch"


class RunSbatch(ScriptTest):
    def setUp(self):
        super().setUp()
        self.put_program("scree-run", "exit 0")
        self.put_program("scontrol", f'echo "$@" > {self.folder}/requeued')

    def run_job(self, *arguments, exit_code=0):
        """Runs the script with an srun that ends with this code; returns the process and the arguments of srun."""
        self.put_program("srun", f'printf "%s\\n" "$@" > {self.folder}/srun_arguments; exit {exit_code}')
        environment = {**os.environ, "SLURM_JOB_ID": "4711"}
        environment["PATH"] = f"{self.folder}:{environment['PATH']}"
        process = subprocess.run(
            ["bash", SCRIPT, *map(str, arguments)], env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        srun_arguments = self.folder / "srun_arguments"
        lines = srun_arguments.read_text().splitlines() if srun_arguments.exists() else []
        return process, lines[lines.index("scree-run") + 1 :] if "scree-run" in lines else lines

    def output_with_checkpoint(self):
        output = self.folder / "my out"
        (output / "checkpoints").mkdir(parents=True)
        (output / "checkpoints/latest").write_text("step_000000000001.h5\n")
        return output

    def test_new_run_gets_its_arguments(self):
        scene = ["a.ini", "--output.directory", str(self.folder / "new"), "--time.end", "2 s"]
        process, srun_arguments = self.run_job(*scene)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual(srun_arguments, scene)
        self.assertFalse((self.folder / "requeued").exists())

    def test_run_with_a_checkpoint_continues(self):
        output = self.output_with_checkpoint()
        for directory in (["--output.directory", output], [f"--output.directory={output}"]):
            process, srun_arguments = self.run_job("a.ini", *directory, "--time.end", "2 s")
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(srun_arguments, ["--restart", str(output)])

    def test_continued_run_keeps_its_limit_of_time(self):
        output = self.output_with_checkpoint()
        for limit in (["--max-wall-time", "23.9 h"], ["--max-wall-time=23.9 h", "--quiet"]):
            _, srun_arguments = self.run_job("a.ini", "--output.directory", output, *limit, "--time.end", "2 s")
            self.assertEqual(srun_arguments, ["--restart", str(output), *limit])

    def test_check_ignores_a_checkpoint(self):
        scene = ["a.ini", "--output.directory", str(self.output_with_checkpoint()), "--check"]
        self.assertEqual(self.run_job(*scene)[1], scene)

    def test_job_that_stopped_early_is_queued_again(self):
        process, _ = self.run_job("a.ini", exit_code=75)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((self.folder / "requeued").read_text(), "requeue 4711\n")

    def test_job_ends_with_the_exit_code_of_the_program(self):
        for code in (2, 3, 4, 5):
            self.assertEqual(self.run_job("a.ini", exit_code=code)[0].returncode, code)
        self.assertFalse((self.folder / "requeued").exists())

    def test_bad_usage_is_refused(self):
        self.assertEqual(self.run_job()[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
