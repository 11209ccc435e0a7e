"""Tries the binaries of a release as a user does: installs them into a clean Debian and runs three scenes and a notebook.

Needs root and debootstrap, which uses its default mirror of Debian. Each command mounts in a namespace of its own, so
that its mounts end with it.
"""

import os
import shutil
import subprocess
import time

from .binaries import Refused, run

SUITE = "bookworm"
# Packages that the tarball and the wheel need: MPI, HDF5 and the libraries that scree-run is linked with.
LIBRARIES = ("openmpi-bin", "libhdf5-openmpi-103-1", "libboost-program-options1.74.0", "libxxhash0")
PYTHON = ("python3-scipy", "python3-h5py", "python3-xxhash", "python3-matplotlib", "python3-pandas")
SCENES = ("hopper --ranks 2 --time.end 0.1s", "drum_cubes --time.end 0.05s", "screw_conveyor --time.end 0.05s")
NOTEBOOK = """import json, pathlib, sys, matplotlib
matplotlib.use("Agg")
for cell in json.loads(pathlib.Path(sys.argv[1]).read_text())["cells"]:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), sys.argv[1], "exec"))
"""
# Mounts /proc and the shared memory that MPI needs in a root directory, and changes to that root.
ENTER = """mount -t proc proc "$0/proc" && mkdir -p "$0/dev/shm" && mount -t tmpfs shm "$0/dev/shm"
exec chroot "$0" "$@" """


def run_in_root(root, shell_command, user=None):
    """Runs a shell command in a root directory, as root or in the home of a user; raises Refused."""
    line = f"cd /home/{user} && {shell_command}" if user else shell_command
    command = ["su", "-", user, "-c", line] if user else ["sh", "-c", line]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return run("unshare", "--mount", "sh", "-c", ENTER, root, *command, env=environment)


def require_tools():
    """Raises Refused if a clean root directory cannot be made."""
    if os.geteuid() != 0:
        raise Refused("the trial of binaries requires root, for chroot; run it as root or give --no-trial")
    if not shutil.which("debootstrap"):
        raise Refused("the trial of binaries requires debootstrap; install it or give --no-trial")


def base_of(folder):
    """Installs the smallest Debian in a folder, unless it is there; returns its root directory."""
    base = folder / SUITE
    if not (base / "etc" / "debian_version").is_file():
        print(f"making a clean root directory by debootstrap: {base}", flush=True)
        partial = folder / f"{SUITE}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        run("debootstrap", "--variant=minbase", SUITE, partial)
        partial.rename(base)
    return base


def new_root(folder, name, packages):
    """Makes a copy of the base with further packages and an ordinary user; returns its root directory."""
    root = folder / name
    subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)
    run("cp", "-a", base_of(folder), root)
    shutil.copy("/etc/resolv.conf", root / "etc")
    run_in_root(root, "apt-get -q update && useradd --create-home user")
    if packages:
        run_in_root(root, f"apt-get -qy install --no-install-recommends {' '.join(packages)}")
    return root


def copy_to_home(root, file, name=None):
    """Copies a file into the home of the user; returns its name there."""
    target = root / "home" / "user" / (name or file.name)
    shutil.copy(file, target)
    return target.name


def use_as_user(root, python, render, notebook):
    """Runs three scenes, a picture and a notebook, as a user does; returns the time [s].

    python, render: commands in the root
    """
    began = time.monotonic()
    (root / "home/user/notebook.py").write_text(NOTEBOOK)
    for scene in SCENES:
        run_in_root(root, f"{python} -m scree.examples run {scene}", "user")
    run_in_root(root, f"{render} hopper/output --output again.png && test -s again.png && test -s hopper/output/last.png", "user")
    run_in_root(root, f"{python} notebook.py {copy_to_home(root, notebook)}", "user")
    return time.monotonic() - began


def try_all(binaries, folder, notebook):
    """Installs packages, tarball and wheel, [path], in clean roots, and uses each; raises Refused."""
    require_tools()
    folder = folder.resolve()
    packages = [file for file in binaries if file.suffix == ".deb" and not file.name.startswith("libscree")]
    tarball = next(file for file in binaries if file.name.endswith(".tar.gz"))
    wheel = next(file for file in binaries if file.suffix == ".whl")
    root = new_root(folder, "packages", PYTHON)
    names = [copy_to_home(root, file) for file in packages]
    began = time.monotonic()
    run_in_root(root, f"apt-get -qy install --no-install-recommends {' '.join(f'/home/user/{name}' for name in names)}")
    installed = time.monotonic() - began
    run_in_root(root, "scree-run --self-test", "user")
    print(f"packages: installed in {installed:.0f} s, used in {use_as_user(root, 'python3', 'scree-render', notebook):.0f} s", flush=True)

    root = new_root(folder, "tarball", [*LIBRARIES, *PYTHON, "python3-venv"])
    run_in_root(root, f"mkdir 'my scree' && tar xzf {copy_to_home(root, tarball)} -C 'my scree' && mv 'my scree'/* 'my scree/moved'", "user")
    moved = "'my scree/moved/bin'"
    run_in_root(root, f"{moved}/scree-run --self-test", "user")
    print(f"tarball: used in {use_as_user(root, f'{moved}/scree-python', f'{moved}/scree-render', notebook):.0f} s", flush=True)

    run_in_root(root, "rm -rf 'my scree' hopper drum_cubes screw_conveyor bed && python3 -m venv --system-site-packages v", "user")
    # Without dependencies, because pip does not find Debian's h5py, which has another package name.
    run_in_root(root, f"v/bin/pip install --quiet --no-index --no-deps {copy_to_home(root, wheel)} && v/bin/scree-run --self-test", "user")
    print(f"wheel: used in {use_as_user(root, 'v/bin/python', 'v/bin/scree-render', notebook):.0f} s", flush=True)
    for name in ("packages", "tarball"):
        subprocess.run(["rm", "-rf", "--one-file-system", folder / name], check=True)
