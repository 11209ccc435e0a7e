"""Makes binaries from a finished build, which users install without a compiler: Debian packages, a tarball, a wheel."""

import gzip
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import scree.whole_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPONENTS = ("programs", "python")
EPOCH = 315532800  # 1980-01-01, the earliest time that a wheel can store; equal times make files of equal builds equal
# A program of the wheel. pip writes the path of the environment's Python into the first line.
PROGRAM = """#!python
import os, sys, scree
program = os.path.join(os.path.dirname(scree.__file__), "tree", {path!r})
os.execv({first}, [{first}, {more}*sys.argv[1:]])
"""


class Refused(Exception):
    """Raised if something is not ready for a release; the message is the reason, in one sentence."""


def run(*command, **options):
    """Runs a command; raises Refused with its output if it fails."""
    completed = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if completed.returncode != 0:
        raise Refused(f"{command[0]} {command[1]} ended with {completed.returncode}: {(completed.stderr or completed.stdout).strip()[-2000:]}")
    return completed.stdout


def name_of(version):
    """Name of the tarball and of the folder in it."""
    return f"scree-{version}-{platform.machine()}"


def install(build, folder):
    """Installs programs, scripts, scenes and the Python package of a build into an empty folder; raises Refused."""
    for component in COMPONENTS:
        run("cmake", "--install", build, "--prefix", folder, "--component", component, "--strip")
    if not module_of(folder):
        raise Refused(f"'{build}' has no compiled part for Python; expected a build with -DSCREE_PYTHON=ON")


def module_of(tree):
    """Path of the compiled Python module in an installed tree, relative to the tree; None if there is none."""
    return next((path.relative_to(tree) for path in sorted(tree.glob("lib/**/scree/python/_native.*.so"))), None)


def make_tarball(tree, version, output):
    """Packs an installed tree; returns the path of the tarball."""
    def without_owner(entry):
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = EPOCH, 0, 0, "root", "root"
        return entry

    path = output / f"{name_of(version)}.tar.gz"
    with scree.whole_file.path_of(path) as whole, open(whole, "wb") as file:
        with gzip.GzipFile("", "wb", 6, file, EPOCH) as packed, tarfile.open(mode="w", fileobj=packed) as archive:
            archive.add(tree, name_of(version), recursive=False, filter=without_owner)
            for part in sorted(tree.rglob("*")):
                archive.add(part, f"{name_of(version)}/{part.relative_to(tree)}", recursive=False, filter=without_owner)
    return path


def make_packages(build, output):
    """Makes Debian packages; returns their paths."""
    with tempfile.TemporaryDirectory() as directory:
        run("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", directory,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)})  # fmt: skip
        packages = sorted(pathlib.Path(directory).glob("*.deb"))
        return [pathlib.Path(shutil.copy(file, output)) for file in packages]


def make_wheel(tree, output):
    """Makes a wheel of the package scree, with an installed tree in scree/tree; returns the path of the wheel.

    setuptools makes the wheel of the pure part, to which the tree is added. A wheel cannot store links, so each library
    is stored under the name by which it is loaded.
    """
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        wheel = directory / "wheel"
        with zipfile.ZipFile(pure_wheel(directory)) as archive:
            archive.extractall(wheel)
        info = next(wheel.glob("*.dist-info"))
        copy_tree(tree, wheel / "scree" / "tree")
        write_programs(tree, wheel / f"{info.stem}.data" / "scripts")
        python = module_of(tree).name.split(".")[1].split("-")[1]  # _native.cpython-311-x86_64-linux-gnu.so
        tag = f"cp{python}-cp{python}-linux_{platform.machine()}"
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: scripts/release\nRoot-Is-Purelib: false\nTag: {tag}\n")
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)}
        (directory / "made").mkdir()
        run(sys.executable, "-m", "wheel", "pack", wheel, "--dest-dir", directory / "made", env=environment)
        return pathlib.Path(shutil.copy(next((directory / "made").glob("*.whl")), output))


def pure_wheel(directory):
    """Makes the wheel of scripts/ with pip; returns its path.  directory: empty folder, also for temporary files"""
    shutil.copytree(ROOT / "scripts" / "scree", directory / "scripts" / "scree", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scripts" / "pyproject.toml", directory / "scripts")
    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--quiet",
        "--wheel-dir", directory / "pure", directory / "scripts")  # fmt: skip
    return next((directory / "pure").glob("*.whl"))


def copy_tree(tree, target):
    """Copies programs, libraries, scripts and scenes of an installed tree, without its links and the package scree."""
    linked = {path.resolve() for path in tree.rglob("*.so.*") if path.is_symlink()}
    for file in sorted(tree.rglob("*")):
        path = file.relative_to(tree)
        is_program = path.parts[0] == "bin" and file.is_symlink()
        is_package = path.parts[:4] == ("share", "scree", "scripts", "scree")
        if file.is_dir() or is_program or is_package or (file in linked and not file.is_symlink()):
            continue
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target / path)


def write_programs(tree, folder):
    """Writes programs of the wheel, which start the programs of an installed tree."""
    folder.mkdir(parents=True)
    for file in sorted((tree / "bin").iterdir()):
        path = os.path.relpath(file.resolve(), tree.resolve())
        is_script = file.is_symlink()
        text = PROGRAM.format(path=path, first="sys.executable" if is_script else "program", more="program, " if is_script else "")
        (folder / file.name).write_text(text)
        (folder / file.name).chmod(0o755)


def make(build, version, output):
    """Makes all binaries from a finished build; returns their paths. Raises Refused."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        tree = pathlib.Path(directory) / "tree"
        install(build, tree)
        return [make_tarball(tree, version, output), make_wheel(tree, output), *make_packages(build, output)]
