"""Starts scree-run on a scene and follows it until it ends."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from typing import Any

import scree.configuration
import scree.directory
import scree.table
from scree.directory import Run
from scree.errors import FileError, UsageError

NAMED_FILE = r"[\w./-]+\.(?:stl|csv(?:\.gz)?)\b"
STOPPED_EARLY = 75  # exit code after a requested stop with a checkpoint
CHECK_INTERVAL = 0.2  # default interval between checks of a run [s]
# Folders of the programs, relative to that of the package: in a wheel, in the source tree, installed.
PROGRAM_FOLDERS = ("tree/bin", "../../build/release/bin", "../../../../bin")
# Variables that lift restrictions of Open MPI's mpirun. Options of mpirun would do the same, but other launchers do not
# know these options.
OPEN_MPI_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")


class RunFailed(RuntimeError):
    """A run that failed; the message has the error of the program, `code` its exit code."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


def found(program: str = "scree-run") -> pathlib.Path:
    """Path of a program: `program` itself if it is a path, else next to this package (PROGRAM_FOLDERS) or on PATH.

    SCREE_RUN names another scree-run. Raises FileError.
    """
    if program == "scree-run":
        program = os.environ.get("SCREE_RUN", program)
    package = pathlib.Path(__file__).resolve().parent
    folders = [*(str(package / folder) for folder in PROGRAM_FOLDERS), os.environ.get("PATH", os.defpath)]
    path = shutil.which(program, path=os.pathsep.join(folders))
    if path:
        return pathlib.Path(path).resolve()
    raise FileError(f"there is no program '{program}'; build it, put it on PATH or set SCREE_RUN to its path")


def named_files(scene: pathlib.Path) -> list[pathlib.Path]:
    """Existing files that a scene names, relative to its folder: meshes, shapes, tables, initial states."""
    text = re.sub("#.*", "", scene.read_text(encoding="utf-8"))
    return [pathlib.Path(file) for file in sorted(set(re.findall(NAMED_FILE, text))) if (scene.parent / file).is_file()]


def film_plan(scene: pathlib.Path) -> pathlib.Path:
    """Path of the film plan of a scene (scree.film), which may be missing."""
    return scene.with_suffix(".toml")


def launcher(ranks: int) -> list[str]:
    """Words to put before a program that runs on several ranks: mpirun, or the launcher that SCREE_MPIEXEC names.

    None are needed for one rank. The launcher must belong to the MPI library of scree-run. Raises FileError if it is
    missing.
    """
    if ranks < 1:
        raise UsageError(f"ranks = {ranks} must be a whole number from 1")
    if ranks == 1:
        return []
    name = os.environ.get("SCREE_MPIEXEC", "mpirun")
    if shutil.which(name) is None:
        raise FileError(f"there is no program '{name}' to start several ranks; set SCREE_MPIEXEC to another launcher")
    return ["env", *OPEN_MPI_VARIABLES, name, "-n", str(ranks)]


def options(changes: Mapping[str, Any]) -> list[str]:
    """Changed values of a scene as options: {"time": {"end": "20 ms"}} or {"time.end": "20 ms"}."""
    words = []
    for section, key, text in scree.configuration.changed(changes):
        words += [f"--{section}.{key}", text]
    return words


@dataclasses.dataclass
class Running:
    """A run that `start` has started, and that may have ended."""

    path: pathlib.Path
    process: subprocess.Popen
    errors: Any  # file with stderr of the process; `wait` closes it
    earlier: tuple[int, int] | None  # _mark of the series.csv of an earlier run
    words: str = ""  # error output, after `wait`

    def code(self) -> int | None:
        """Exit code; None while the program runs."""
        return self.process.poll()

    def follow(self, every: float = CHECK_INTERVAL) -> Iterator[dict[str, float]]:
        """Yields each new row of series.csv until the run has ended; then raises RunFailed if it failed.

        every: interval of checks [s]
        """
        reported = 0
        while True:
            has_ended = self.process.poll() is not None
            columns = self._columns()
            count = len(next(iter(columns.values()), ()))
            for row in range(reported, count):
                yield {name: values[row] for name, values in columns.items()}
            reported = max(reported, count)
            if has_ended:
                break
            time.sleep(every)
        self.wait()

    def _columns(self):
        """Columns of series.csv; none before this run has written any rows."""
        file = self.path / "series.csv"
        try:
            return {} if _mark(file) == self.earlier else scree.table.read(file)
        except FileError:  # there are no rows yet
            return {}

    def wait(self) -> Run:
        """Waits for the end and returns the run; raises RunFailed.

        A run that was stopped early after a checkpoint counts as a success.
        """
        code = self.process.wait()
        if not self.errors.closed:
            self.errors.seek(0)
            self.words = self.errors.read().decode(errors="replace").strip()
            self.errors.close()
        if code not in (0, STOPPED_EARLY):
            raise RunFailed(f"'{self.path}' ended with exit code {code}: {self.words[-1000:]}", code)
        return scree.directory.read(self.path)

    def stop(self) -> None:
        """Asks the run to finish its step, write a checkpoint and end; `wait` then returns the run."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGUSR1)


def _mark(file):
    """Identity of a file, to detect that it was replaced; None if it does not exist."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def start(
    scene: str | pathlib.Path,
    directory: str | pathlib.Path | None = None,
    *,
    ranks: int = 1,
    overwrite: bool = False,
    program: str | pathlib.Path = "scree-run",
    **changes: Any,
) -> Running:
    """Starts a run of a scene file and returns at once.

    scene: path of the file
    directory: output directory; None: that of the scene
    ranks: number of MPI processes; 1 requires no mpirun
    overwrite: replace the output of an earlier run
    program: name or path of scree-run, see `found`
    changes: values that replace those of the scene, by sections: time={"end": "20 ms"}

    Raises FileError if the scene or the program is missing. Errors in values raise RunFailed in `wait`, or here if
    `directory` is None.
    """
    scene = pathlib.Path(scene)
    if not scene.is_file():
        raise FileError(f"there is no scene file '{scene}'")
    command = [*launcher(ranks), str(found(str(program))), str(scene), "--quiet", *options(changes)]
    if overwrite:
        command.append("--overwrite")
    if directory is not None:
        command += ["--output.directory", str(directory)]
    path = pathlib.Path(directory) if directory is not None else _directory_of(command)
    earlier = _mark(path / "series.csv")
    errors = tempfile.TemporaryFile()
    # If scree.engine has started MPI in this process, the C environment has its variables, which mpirun must not inherit.
    # Therefore pass os.environ, which does not have them.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=dict(os.environ)
    )
    return Running(path, process, errors, earlier)


def _directory_of(command):
    """Output directory of a run; raises RunFailed if the program rejects the scene."""
    finished = subprocess.run([*command, "--print-config"], capture_output=True, text=True)
    if finished.returncode != 0:
        raise RunFailed(finished.stderr.strip(), finished.returncode)
    return pathlib.Path(scree.configuration.parsed(finished.stdout)["output"]["directory"])


def run(scene: str | pathlib.Path, directory: str | pathlib.Path | None = None, **options: Any) -> Run:
    """Runs a scene file to its end and returns the run; options as for `start`. Raises RunFailed."""
    return start(scene, directory, **options).wait()
