"""The environment of every script: a Python that has the packages, and a standard output that may be closed.

The first python3 on PATH is often one without the packages (pyenv, conda, an environment module), because
Debian's packages are only for /usr/bin/python3. A script calls `require` before it imports packages.
"""

import atexit
import errno
import importlib
import os
import select
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"
OUTPUT_FAILED = 5  # apps/common/exit_codes.hpp
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def missing_modules(modules):
    """Those of the modules that this interpreter cannot import."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(module)
    return missing


def system_python_has(modules):
    """Whether SYSTEM_PYTHON is a different interpreter than this one and finds the modules.

    It does not import them, because that takes a second and the restarted script imports them
    anyway.
    """
    if not os.path.exists(SYSTEM_PYTHON) or os.path.samefile(SYSTEM_PYTHON, sys.executable):
        return False
    program = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
    return subprocess.run([SYSTEM_PYTHON, "-c", program, *modules], capture_output=True).returncode == 0


def is_closed_pipe(stream):
    """Whether a stream is a pipe whose reader has closed it."""
    pipe = select.poll()
    pipe.register(stream, 0)
    return any(event & select.POLLERR for _, event in pipe.poll(0))


def drop_output():
    """Discards all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit does not fail


def _end_with_lost_output(error):
    """Ends with OUTPUT_FAILED because standard output was lost."""
    print(f"error: standard output cannot be written: {error}", file=sys.stderr)
    drop_output()
    os._exit(OUTPUT_FAILED)


def _end_quietly(kind, error, trace):
    """Ends with 0 if the reader of the output has closed it, as `| head` does.

    A full disk gives a message, any other error a traceback.
    """
    if issubclass(kind, BrokenPipeError) and is_closed_pipe(sys.stdout):
        drop_output()
        sys.exit(0)
    if issubclass(kind, OSError) and error.filename is None and error.errno in DISK_ERRORS:
        _end_with_lost_output(error)
    sys.__excepthook__(kind, error, trace)


@atexit.register
def _flush():
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:  # a full disk: output, for example of --help, is lost
        _end_with_lost_output(error)


sys.excepthook = _end_quietly
os.environ["MPLBACKEND"] = "Agg"  # scripts write files; a window would need a display


def require(*modules):
    """Returns if all modules can be imported; otherwise restarts the program with SYSTEM_PYTHON.

    If that interpreter lacks them too, prints the missing Debian packages and exits with 2.
    """
    missing = missing_modules(modules)
    if not missing:
        return
    if system_python_has(modules):
        sys.stdout.flush()
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.orig_argv[1:]])
    packages = " ".join(f"python3-{module.lower()}" for module in missing)
    print(
        f"error: {sys.executable} cannot import {', '.join(missing)}, nor can {SYSTEM_PYTHON}; "
        f"on Debian: apt-get install {packages}",
        file=sys.stderr,
    )
    sys.exit(2)
