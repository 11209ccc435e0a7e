"""Tests of scripts/reproduce_channel: which runs it starts, continues and skips; its report.

The tests use a temporary tree, in which small programs replace cmake, mpirun and scree-run.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

# Replaces mpirun and scree-run, which mpirun would start: records its arguments and writes a run.
MPIRUN = """
import pathlib, shutil, signal, sys, time
tree = pathlib.Path({tree!r})
arguments = sys.argv[1:]
with open(tree / "calls", "a") as calls:
    print(*arguments, sep="|", file=calls)
def path_of(option):
    return pathlib.Path(arguments[arguments.index(option) + 1])
if "--restart" in arguments:
    directory = path_of("--restart")
else:
    directory = path_of("--output.directory")
    shutil.copytree(tree / "run", directory, dirs_exist_ok=True)
def stop(*_):
    (directory / "checkpoints").mkdir(exist_ok=True)
    (directory / "checkpoints" / "latest").touch()
    sys.exit(75)
signal.signal(signal.SIGUSR1, stop)
if (tree / "slow").exists():
    (tree / "started").touch()
    time.sleep(60)
code = tree / "code"
sys.exit(int(code.read_text()) if code.exists() else 0)
"""
# Replaces report.py in tests that do not check its page: records its arguments.
REPORT = 'echo "$@" >"$(dirname "$0")/../report"'
TIMEOUT = 30.0  # time for a script to start [s]


class ReproduceChannel(ScriptTest):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "a tree"
        shutil.copytree(
            made_snapshot.SCRIPTS, self.tree / "scripts", ignore=shutil.ignore_patterns("__pycache__")
        )
        made_run.steady(self.tree / "run")
        self.put_program(self.tree / "bin/mpirun", MPIRUN.format(tree=str(self.tree)), sys.executable)
        self.put_program(self.tree / "bin/cmake", "exit 0")
        self.put_program(self.tree / "build/release/bin/scree-run", "echo Scree 0.1.0")
        for name in ("channel", "other"):
            scene = self.tree / "apps/scenes" / f"{name}.ini"
            scene.parent.mkdir(parents=True, exist_ok=True)
            scene.write_text("[scene]\n")
        self.put_program(self.tree / "scripts/report.py", REPORT)
        path = f"{self.tree / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "SCREE_RANKS": "3"}

    def start(self, *arguments):
        command = [self.tree / "scripts/reproduce_channel", *arguments]
        return subprocess.Popen(
            command, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def reproduce(self, *arguments, code=0):
        """Runs the script and returns its output."""
        process = self.start(*arguments)
        output, err = process.communicate()
        self.assertEqual(process.returncode, code, err)
        return output + err

    def calls(self):
        """Arguments of each mpirun so far, [[str]]."""
        path = self.tree / "calls"
        return [line.split("|") for line in path.read_text().splitlines()] if path.exists() else []

    def options(self, call):
        """The options of scree-run in one mpirun call, {key: value}."""
        keys = [k for k, word in enumerate(call) if word.startswith("--")]
        return {call[k]: call[k + 1] if k + 1 < len(call) else "" for k in keys}

    def test_each_setting_runs_with_each_seed_before_the_report(self):
        shutil.copy(made_snapshot.SCRIPTS / "report.py", self.tree / "scripts/report.py")
        shutil.rmtree(self.tree / "run")
        made_run.steady(self.tree / "run", particles=20)  # too few particles for most plots of a report
        printed = self.reproduce(
            "--settings", "default reference", "--seeds", "1 7", "--end", "60 ms",
            "--from", "10 ms", "--", "--output.every", "5 ms",
        )  # fmt: skip
        calls = self.calls()
        self.assertEqual(len(calls), 4)
        program_path = str(self.tree / "build/release/bin/scree-run")
        scene = str(self.tree / "apps/scenes/channel.ini")
        for call, (settings, seed) in zip(
            calls, (("default", 1), ("default", 7), ("reference", 1), ("reference", 7))
        ):
            self.assertEqual(call[:4], ["-n", "3", program_path, scene])
            options = self.options(call)
            self.assertEqual(options["--scene.seed"], str(seed))
            self.assertEqual(options["--time.end"], "60 ms")
            self.assertEqual(options["--output.every"], "5 ms")
            self.assertIn("--checkpoint.every", options)
            self.assertEqual(options.get("--solver.speculative"), "no" if settings == "reference" else None)
            self.assertEqual(options.get("--solver.warm_start"), options.get("--solver.speculative"))
            directory = self.tree / f"output/reproduce_channel/{settings}_seed{seed}"
            self.assertEqual(options["--output.directory"], str(directory))
            self.assertIn("Scree 0.1.0", (directory / "machine.txt").read_text())
        page = (self.tree / "output/reproduce_channel/report.html").read_text()
        self.assertIn("reference_seed7", page)
        self.assertIn("from 0.01 s", page)
        self.assertIn("report.html", printed)

    def test_settings_choose_sweeps_and_momentum(self):
        self.reproduce("--settings", "plain reference_100", "--end", "1 ms")
        ten_sweeps, hundred_sweeps = (self.options(call) for call in self.calls())
        for options, sweeps in ((ten_sweeps, "10"), (hundred_sweeps, "100")):
            self.assertEqual((options["--solver.momentum"], options["--solver.sweeps"]), ("0", sweeps))
        self.assertNotIn("--solver.warm_start", ten_sweeps)
        self.assertEqual(hundred_sweeps["--solver.warm_start"], "no")
        self.assertEqual(hundred_sweeps["--solver.error_reduction"], "0.7")

    def test_finished_runs_are_kept_and_can_be_continued(self):
        arguments = ("--from", "10 ms", "--output", self.tree / "out", "--end")
        self.reproduce(*arguments, "50 ms")
        self.assertIn("is already finished to 50 ms", self.reproduce(*arguments, "50 ms"))
        self.assertEqual(len(self.calls()), 1)
        (self.tree / "out/default_seed1/checkpoints").mkdir()
        (self.tree / "out/default_seed1/checkpoints/latest").touch()
        self.reproduce(*arguments, "60 ms")
        self.assertEqual(
            self.calls()[1][3:], ["--restart", str(self.tree / "out/default_seed1"), "--time.end", "60 ms"]
        )

    def test_signal_stops_after_a_checkpoint_and_the_same_command_continues(self):
        (self.tree / "slow").touch()
        arguments = ("--end", "60 ms", "--from", "10 ms", "--output", self.tree / "out")
        for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start(*arguments)
            deadline = time.monotonic() + TIMEOUT
            while not (self.tree / "started").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(signal_number)
            _, err = process.communicate()
            self.assertEqual(process.returncode, 75, err)
            self.assertIn("the same command continues", err)
            (self.tree / "started").unlink()
        self.assertFalse((self.tree / "report").exists())
        (self.tree / "slow").unlink()
        self.reproduce(*arguments)
        self.assertEqual(["--restart" in call for call in self.calls()], [False, True, True, True])
        self.assertIn("default_seed1 --output", (self.tree / "report").read_text())

    def test_failed_run_is_repeated(self):
        (self.tree / "code").write_text("4")
        arguments = ("--end", "60 ms", "--from", "10 ms", "--output", self.tree / "out")
        self.assertIn("exit code 4", self.reproduce(*arguments, code=4))
        (self.tree / "code").unlink()
        self.reproduce(*arguments)
        # There was no checkpoint, so the run starts from the beginning.
        self.assertIn("--overwrite", self.calls()[1])

    def test_other_scene_has_another_directory_and_no_default_window(self):
        self.reproduce("--scene", self.tree / "apps/scenes/other.ini", "--end", "60 ms")
        arguments = (self.tree / "report").read_text()
        self.assertIn("output/reproduce_other/report.html", arguments)
        self.assertNotIn("--from", arguments)

    def test_bad_usage_is_refused(self):
        cases = (
            (["--settings", "fast"], "default, plain, reference or reference_100"),
            (["--seeds", "one"], "whole numbers"),
            (["--seeds", ""], "at least one"),
            (["--scene", "none.ini"], "no scene file"),
            (["--end"], "needs a value"),
            (["--time.end", "1 s"], "unknown option"),
        )
        for arguments, words in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.reproduce(*arguments, code=2))
        self.assertEqual(self.calls(), [])
        self.assertIn("usage:", self.reproduce("--help"))


if __name__ == "__main__":
    unittest.main()
