"""Starts a script in a separate process in which third-party packages are already imported.

Python with Matplotlib takes most of a second to start, and hundreds of tests start a script. Only the first start
of each script is a new process, as for a user. Later starts are forks of the test, which imports the packages once.
Each fork imports the modules of Scree again, so that no state of the test reaches the script.
"""

import atexit
import importlib
import io
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import traceback
import warnings

import made_snapshot

PACKAGES = ("numpy", "scipy.spatial", "h5py", "xxhash", "matplotlib.pyplot")
OWN_FOLDERS = (str(made_snapshot.SCRIPTS), str(pathlib.Path(__file__).parent))
# Copied before unittest changes them.
FILTERS, SHOW_WARNING = list(warnings.filters), warnings.showwarning

_started = set()


def run(script, *arguments):
    """Runs the script; returns a subprocess.CompletedProcess with its output as text."""
    path = os.path.realpath(script)
    words = [str(word) for word in arguments]
    if path not in _started:
        _started.add(path)
        return subprocess.run([sys.executable, path, *words], capture_output=True, text=True, check=False)
    return run_in_fork(path, *words)


def run_in_fork(script, *arguments):
    """Like `run`, but always by a fork: for scripts that other tests start as a user does."""
    path = os.path.realpath(script)
    words = [str(word) for word in arguments]
    for package in PACKAGES:
        importlib.import_module(package)
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _run_as_main(path, words, output, errors)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(io.TextIOWrapper(file, encoding="utf-8").read())
        return subprocess.CompletedProcess([path, *words], os.waitstatus_to_exitcode(status), *texts)


def _run_as_main(path, words, output, errors):
    """Runs the script in the fork as `python script` would; never returns."""
    code = 1
    try:
        _remove_state(path, words, output, errors)
        try:
            runpy.run_path(path, run_name="__main__")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as end:  # raised by an excepthook
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _remove_state(path, words, output, errors):
    """Removes the state of the test from a fork, except for third-party packages."""
    atexit._clear()  # the test's temporary folders stay
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv = [path, *words]
    sys.path = [os.path.dirname(path), *(folder for folder in sys.path if folder not in OWN_FOLDERS)]
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(OWN_FOLDERS):
            del sys.modules[name]
    warnings.filters[:], warnings.showwarning = FILTERS, SHOW_WARNING
    warnings._filters_mutated()
    matplotlib = sys.modules["matplotlib"]
    matplotlib.pyplot.close("all")
    settings = {key: value for key, value in matplotlib.rcParamsOrig.items() if not key.startswith("backend")}
    matplotlib.rcParams.update(settings)
