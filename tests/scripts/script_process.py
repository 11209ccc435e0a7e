"""Starts a script in a process of its own that has the packages of others already.

A start of Python with Matplotlib takes most of a second, and hundreds of tests start a script. Here only the first start
of each script is that of a user; later ones are forks of the test, which imports the packages once. What is ours is
imported again in each, so that nothing of the test's own modules gets there.
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
OURS = (str(made_snapshot.SCRIPTS), str(pathlib.Path(__file__).parent))
# Before unittest sets its own.
FILTERS, SHOW_WARNING = list(warnings.filters), warnings.showwarning

_started = set()


def run(script, *arguments):
    """The finished script, a subprocess.CompletedProcess with its text."""
    path = os.path.realpath(script)
    words = [str(word) for word in arguments]
    if path not in _started:
        _started.add(path)
        return subprocess.run([sys.executable, path, *words], capture_output=True, text=True, check=False)
    return forked(path, *words)


def forked(script, *arguments):
    """The same, a fork at once: for scripts that tests of their own start as a user does."""
    path = os.path.realpath(script)
    words = [str(word) for word in arguments]
    for package in PACKAGES:
        importlib.import_module(package)
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            _be(path, words, out, errors)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (out, errors):
            file.seek(0)
            texts.append(io.TextIOWrapper(file, encoding="utf-8").read())
        return subprocess.CompletedProcess([path, *words], os.waitstatus_to_exitcode(status), *texts)


def _be(path, words, out, errors):
    """The rest of the life of a fork: what Python does that is started with this script."""
    code = 1
    try:
        _begin(path, words, out, errors)
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
    except SystemExit as end:  # of an excepthook
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _begin(path, words, out, errors):
    """Leaves nothing of the test in a fork but the packages of others."""
    atexit._clear()  # the test's temporary folders stay
    os.dup2(out.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv = [path, *words]
    sys.path = [os.path.dirname(path), *(place for place in sys.path if place not in OURS)]
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(OURS):
            del sys.modules[name]
    warnings.filters[:], warnings.showwarning = FILTERS, SHOW_WARNING
    warnings._filters_mutated()
    matplotlib = sys.modules["matplotlib"]
    matplotlib.pyplot.close("all")
    settings = {key: value for key, value in matplotlib.rcParamsOrig.items() if not key.startswith("backend")}
    matplotlib.rcParams.update(settings)
