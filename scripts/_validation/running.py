"""Runs the scenes of the cases, several at a time, and leaves alone what was done before."""

import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import time

import scree.directory
import scree.table
from scree.errors import FileError

# In the source tree, or installed.
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "apps" / "scenes" if (ROOT / "apps").is_dir() else ROOT / "scenes"
MARK = "validated"  # written when a run is done: what was run


def say_line(words):
    """Prints a line at once, so that lines of several threads stay apart."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class RunFailed(Exception):
    """A run that did not end well; the message says why."""


class Runner:
    """Runs into FOLDER/CASE/RUN, `jobs` at a time.

    program: path of scree-run;  launcher: command and options before it, [str]
    """

    def __init__(self, program, launcher, folder, jobs, say=say_line):
        self.program = str(program)
        self.launcher = list(launcher)
        self.folder = pathlib.Path(folder)
        self.jobs = jobs
        self.say = say
        self.version = self._version()
        self.identity = f"{self.version}\n{os.stat(self.program).st_mtime_ns}"

    def _version(self):
        """What the program says of itself, in one line; raises FileError."""
        try:
            done = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise FileError(f"cannot run '{self.program}': {error}") from error
        return ", ".join(" ".join(line.split()) for line in done.stdout.splitlines())

    def run_all(self, cases):
        """Runs the runs of all cases, {name of the case: [Run]}.

        Returns {(case, run): None or the exception}; a run begins when the one it goes on from is done.
        """
        outcome = {}
        waiting = [(name, run) for name, runs in cases.items() for run in runs]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            while waiting:
                ready = [item for item in waiting if not item[1].after or (item[0], item[1].after) in outcome]
                waiting = [item for item in waiting if item not in ready]
                futures = {pool.submit(self._run_one, *item, outcome): item for item in ready}
                for future in concurrent.futures.as_completed(futures):
                    name, run = futures[future]
                    outcome[name, run.name] = future.exception()
        return outcome

    def _run_one(self, case, run, outcome):
        directory = self.folder / case / run.name
        begin = None
        if run.after:
            if outcome[case, run.after] is not None:
                raise RunFailed(f"{run.name} begins where {run.after} ends, which failed")
            begin = scree.directory.read(self.folder / case / run.after).snapshots[-1]
        elif run.particles is not None:
            directory.mkdir(parents=True, exist_ok=True)
            begin = directory / "particles.csv"
            scree.table.write(begin, [], run.particles)
        command = self._command(run, directory, begin)
        mark = self._mark(case, run, command, begin)
        if (directory / MARK).is_file() and (directory / MARK).read_text() == mark:
            self.say(f"{case}/{run.name}: done before")
            return
        started = time.monotonic()
        (directory / MARK).unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RunFailed(f"{run.name} ended with exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        (directory / MARK).write_text(mark)
        self.say(f"{case}/{run.name}: {time.monotonic() - started:.1f} s")

    def _mark(self, case, run, command, begin):
        """A digest of all that a run comes from: program, scene, values, and where it begins."""
        before = self.folder / case / run.after / MARK if run.after else begin
        parts = [self.identity, *command, (SCENES / f"{run.scene}.ini").read_text(encoding="utf-8")]
        parts.append(before.read_text() if before else "")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _command(self, run, directory, begin):
        command = [*self.launcher, self.program, str(SCENES / f"{run.scene}.ini"), "--overwrite", "--quiet"]
        command += ["--output.directory", str(directory)]
        if begin is not None:
            command += ["--initial.file", str(begin)]
        for key, value in run.options.items():
            command += [f"--{key}", str(value)]
        return command

    def read(self, case, runs):
        """The finished runs of a case, {name: scree.directory.Run}."""
        return {run.name: scree.directory.read(self.folder / case / run.name) for run in runs}
