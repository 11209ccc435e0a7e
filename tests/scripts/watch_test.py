"""scripts/watch.py: a run that waits, goes on, is silent, done, stopped or failed; its page and its end."""

import os
import subprocess
import sys
import time
import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

import watch
from watch import Stage

START = "Scree 0.1.0 (abc), 1 rank as 1x1x1\n"


class Watch(ScriptTest):
    script = "watch.py"

    def setUp(self):
        super().setUp()
        self.run_directory = self.folder / "run"

    def make(self, log="", end="0.01 s"):
        """A run of 6 ms of these lines of log."""
        rows = [{"step": 100 * k, "particles": 50 + k, "contacts": 7} for k in range(7)]
        made_run.write(self.run_directory, rows, {600: made_snapshot.made_fields(56)})
        config = self.run_directory / "config.ini"
        config.write_text(config.read_text() + f"end = {end}\n")
        (self.run_directory / "run.log").write_text(START + " 60.0% t 6ms n 56\n" + log)
        timing = (self.run_directory / "timing.csv")
        lines = [f"{100 * k},{100 * k},{2 * k},50,2800" for k in range(7)]
        timing.write_text("step,steps_done,wall_seconds,steps_per_second,particle_steps_per_second\n" + "\n".join(lines) + "\n")

    def stage(self, later=0.0):
        looking = watch.Watch(self.run_directory, now=lambda: time.time() + later)
        return looking.look()

    def test_waiting(self):
        self.assertEqual(self.stage().stage, Stage.WAITING)
        self.run_directory.mkdir()
        self.assertEqual(self.stage().stage, Stage.WAITING)

    def test_running_tells_rates_and_what_is_left(self):
        self.make()
        progress = self.stage()
        rows = dict(progress.rows)
        self.assertEqual(progress.stage, Stage.RUNNING)
        self.assertEqual((rows["done"], rows["steps per second"], rows["particles"]), ("60.0 %", "50", "56"))
        self.assertEqual(rows["time left"], "8 s")  # 400 steps at 50 a second

    def test_load_imbalance_is_told_where_the_program_writes_it(self):
        self.make()
        self.assertNotIn("imbalance", " ".join(name for name, _ in self.stage().rows))
        timing = self.run_directory / "timing.csv"
        lines = timing.read_text().splitlines()
        timing.write_text("\n".join([lines[0] + ",imbalance", *(line + ",1.25" for line in lines[1:])]) + "\n")
        self.assertEqual(dict(self.stage().rows)["load imbalance (greatest over mean)"], "1.25")

    def test_just_begun(self):
        self.run_directory.mkdir()
        (self.run_directory / "run.log").write_text(START)
        (self.run_directory / "series.csv").write_text("step,time\n")
        progress = self.stage()
        self.assertEqual((progress.stage, progress.rows), (Stage.RUNNING, []))

    def test_silent_after_ten_usual_intervals_but_a_minute_at_least(self):
        self.make()
        self.assertEqual(self.stage(later=50.0).stage, Stage.RUNNING)
        self.assertEqual(self.stage(later=70.0).stage, Stage.SILENT)
        timing = self.run_directory / "timing.csv"
        timing.write_text(timing.read_text().replace(",50,", "0,50,"))  # ten times the times
        self.assertEqual(self.stage(later=70.0).stage, Stage.RUNNING)
        self.assertEqual(self.stage(later=300.0).stage, Stage.SILENT)

    def test_clocks_that_differ_do_not_make_it_silent(self):
        self.make()
        looking = watch.Watch(self.run_directory, now=lambda: time.time() + 1000.0)  # our clock is ahead
        self.assertEqual(looking.look().stage, Stage.SILENT)
        with open(self.run_directory / "run.log", "a") as file:
            file.write(" 70.0% t 7ms n 56\n")
        self.assertEqual(looking.look().stage, Stage.RUNNING)

    def test_ends(self):
        self.make("done in 1m16s: 65.9 steps/s\nseconds per phase: ...\nlast step: residual 0\n", end="6 ms")
        progress = self.stage(later=1e6)
        self.assertEqual((progress.stage, dict(progress.rows)["done"]), (Stage.DONE, "100.0 %"))
        log = self.run_directory / "run.log"
        log.write_text(log.read_text() + START + " 61.0% t 6ms\n")  # begun again
        self.assertEqual(self.stage().stage, Stage.RUNNING)
        log.write_text(log.read_text() + "stopped at step 610 of 1000, as a signal asked for\n")
        self.assertEqual(self.stage(later=1e6).stage, Stage.STOPPED)

    def test_what_is_told_at_the_end_may_be_long(self):
        said = "".join(f"inflow.{k}: 1 kg of 1 kg entered\n" for k in range(9)) + "energy in J: kinetic 0\n"
        self.make("done in 3s: 65.9 steps/s\nseconds per phase: ...\nlast step: residual 0\n" + said, end="6 ms")
        self.assertEqual(self.stage(later=1e6).stage, Stage.DONE)

    def test_failed_state_counts_if_it_is_of_this_run(self):
        self.make()
        (self.run_directory / "failed.h5").write_text("")
        self.assertEqual(self.stage().stage, Stage.FAILED)
        os.utime(self.run_directory / "failed.h5", (1, 1))
        self.assertEqual(self.stage().stage, Stage.RUNNING)

    def test_directory_of_a_run_to_come_is_not_made(self):
        self.assertIn("waiting", self.assert_runs(self.run_directory, "--once").stdout)
        self.assertFalse(self.run_directory.exists())
        page = self.folder / "page.html"
        self.assert_runs(self.run_directory, "--once", "--output", page)
        self.assertIn('verdict none">waiting', page.read_text())

    def test_page_reloads_until_the_end(self):
        self.make()
        self.assert_runs(self.run_directory, "--once", "--every", "3")
        text = (self.run_directory / "watch.html").read_text()
        self.assertIn('http-equiv="refresh" content="3"', text)
        self.assertIn('verdict held">running', text)
        self.assertEqual(text.count("<img"), 2)  # series and last frame
        with open(self.run_directory / "run.log", "a") as file:
            file.write("done in 3s\n")
        self.assert_runs(self.run_directory)  # ends by itself
        self.assertNotIn("refresh", (self.run_directory / "watch.html").read_text())

    def test_text_follows_a_run_to_its_end(self):
        command = [sys.executable, made_snapshot.SCRIPTS / self.script, self.run_directory, "--text", "--every", "0.1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as script:
            self.assertIn("waiting", script.stdout.readline())
            self.make("done in 3s\n", end="6 ms")
            rest = script.stdout.read()
        self.assertEqual(script.returncode, 0)
        self.assertIn("done: done in 3s", rest)

    def test_exit_codes(self):
        self.make()
        (self.run_directory / "failed.h5").write_text("")
        done = self.run_script(self.run_directory, "--text")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("became invalid", done.stdout)
        self.assert_refused(2, ["--every"], self.run_directory, "--every", "0")


if __name__ == "__main__":
    unittest.main()
