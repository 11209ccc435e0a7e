"""Runs scenes, several at a time. Finished runs are not repeated, and stopped runs continue."""

import concurrent.futures
import ctypes
import dataclasses
import hashlib
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import scree.directory
import scree.program
import scree.table
from scree.errors import FileError

# Root of the source tree, or of an installation.
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "apps" / "scenes" if (ROOT / "apps").is_dir() else ROOT / "scenes"
BEGUN, DONE = "begun", "done"  # files with the digest of a run: during the run, and after its end
FAILED = "failed"  # file of a run that ended with one of BAD_VALUES: the digest, then lines with the reason
BAD_VALUES = (2, 4)  # exit codes of runs that would fail again; other codes are errors of the machine


def print_line(words):
    """Prints a line at once, so that lines of several threads stay apart."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of scree-run."""

    name: str  # unique in its case
    scene: str | pathlib.Path  # path of a scene, or name of a scene in apps/scenes without .ini
    options: dict = dataclasses.field(default_factory=dict)  # key of a scene -> value
    particles: dict | None = None  # column of initial.file -> [K], SI; in place of the scene's fills
    after: str = ""  # name of the run of this case whose last snapshot is the start


def scene_file(scene):
    """The file of a Run's scene."""
    return scene if isinstance(scene, pathlib.Path) else SCENES / f"{scene}.ini"


def metres(*values):
    """A length or position as text of a scene."""
    return " ".join(f"{value:.17g}" for value in values) + " m"


def seconds(value):
    return f"{value:.12g} s"


class RunFailed(Exception):
    """Raised if a run failed or was stopped; the message has the reason."""


class RunStopped(RunFailed):
    """Raised if a run was stopped after a checkpoint, from which the same command continues."""


PR_SET_PDEATHSIG = 1  # of prctl, linux/prctl.h


def end_with_parent():
    """Asks the kernel to send SIGTERM to this child process when its parent ends; does nothing without prctl."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    except (OSError, AttributeError):
        pass


def is_marked(file, mark):
    return file.is_file() and file.read_text() == mark


class Runner:
    """Makes runs in FOLDER/CASE/RUN, `jobs` at a time.

    program: path of scree-run;  launcher: command and options before it, [str]
    repeats_failed: whether to repeat a run that ended with one of BAD_VALUES
    """

    def __init__(self, program, launcher, folder, jobs, report=print_line, repeats_failed=True):
        self.program = pathlib.Path(program)
        self.launcher = list(launcher)
        self.folder = pathlib.Path(folder)
        self.jobs = jobs
        self.report = report
        self.repeats_failed = repeats_failed
        self.version = self._version()
        self.identity = hashlib.sha256(self.program.read_bytes()).hexdigest()

    def _version(self):
        """The version line that the program prints; raises FileError."""
        try:
            process = subprocess.run([str(self.program), "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise FileError(f"cannot run '{self.program}': {error}") from error
        return ", ".join(" ".join(line.split()) for line in process.stdout.splitlines())

    def run_all(self, cases):
        """Runs the runs of all cases, {name of the case: [Run]}.

        Returns {(case, run): None or the exception}. A run that continues another run waits for the end of that run.
        """
        outcome = {}
        waiting = [(name, run) for name, runs in cases.items() for run in runs]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            while waiting:
                ready = [item for item in waiting if not item[1].after or (item[0], item[1].after) in outcome]
                waiting = [item for item in waiting if item not in ready]
                futures = {pool.submit(self._run, *item, outcome): item for item in ready}
                try:
                    for future in concurrent.futures.as_completed(futures):
                        name, run = futures[future]
                        outcome[name, run.name] = future.exception()
                except KeyboardInterrupt:
                    pool.shutdown(cancel_futures=True)  # otherwise waiting runs would still start
                    raise
        return outcome

    def _run(self, case, run, outcome):
        directory = self.folder / case / run.name
        begin = None
        if run.after:
            if outcome[case, run.after] is not None:
                raise RunFailed(f"{run.name} starts from the end of {run.after}, which failed")
            begin = scree.directory.read(self.folder / case / run.after).snapshots[-1]
        elif run.particles is not None:
            directory.mkdir(parents=True, exist_ok=True)
            begin = directory / "particles.csv"
            scree.table.write(begin, [], run.particles)
        command = self._command(run, directory, begin)
        mark = self._mark(case, run, command, begin)
        if is_marked(directory / DONE, mark):
            self.report(f"{case}/{run.name}: done before")
            return
        failed = directory / FAILED
        if not self.repeats_failed and failed.is_file() and failed.read_text().startswith(mark):
            self.report(f"{case}/{run.name}: failed before")
            raise RunFailed(failed.read_text().removeprefix(f"{mark}\n"))
        if not is_marked(directory / BEGUN, mark):
            # Checkpoints of other inputs. --overwrite removes them too, but a program that ends before it would leave
            # them to this mark, and the next call would continue the old run.
            shutil.rmtree(directory / "checkpoints", ignore_errors=True)
        elif (directory / "checkpoints" / "latest").exists():
            command = [*self.launcher, str(self.program), "--quiet", "--restart", str(directory)]
        started = time.monotonic()
        directory.mkdir(parents=True, exist_ok=True)
        for file in (directory / DONE, failed):
            file.unlink(missing_ok=True)
        (directory / BEGUN).write_text(mark)
        process = subprocess.run(command, capture_output=True, text=True, preexec_fn=end_with_parent)
        if process.returncode == scree.program.STOPPED_EARLY:
            raise RunStopped(f"{run.name} was stopped after a checkpoint; the same command continues it")
        if process.returncode != 0:
            reason = f"{run.name} ended with exit code {process.returncode}: {process.stderr.strip()[-500:]}"
            if process.returncode in BAD_VALUES:
                failed.write_text(f"{mark}\n{reason}")
            raise RunFailed(reason)
        (directory / BEGUN).replace(directory / DONE)
        self.report(f"{case}/{run.name}: {time.monotonic() - started:.1f} s")

    def _mark(self, case, run, command, begin):
        """A digest of all inputs of a run: program, scene, values, and initial state."""
        before = self.folder / case / run.after / DONE if run.after else begin
        parts = [self.identity, *command, scene_file(run.scene).read_text(encoding="utf-8")]
        parts.append(before.read_text() if before else "")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _command(self, run, directory, begin):
        command = [*self.launcher, str(self.program), str(scene_file(run.scene)), "--overwrite", "--quiet"]
        command += ["--output.directory", str(directory)]
        if begin is not None:
            command += ["--initial.file", str(begin)]
        for key, value in run.options.items():
            command += [f"--{key}", str(value)]
        return command

    def read(self, case, runs):
        """The finished runs of a case, {name: scree.directory.Run}."""
        return {run.name: scree.directory.read(self.folder / case / run.name) for run in runs}
