"""Finds a Python that has the packages a script needs.

The first python3 on PATH is often one without them (pyenv, conda, an environment module), while
Debian's packages serve /usr/bin/python3 only. A script calls `require` before it imports them.
"""

import importlib
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"


def missing_modules(modules):
    """Those of the named modules that this interpreter cannot import."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(module)
    return missing


def system_python_has(modules):
    """Whether SYSTEM_PYTHON is another interpreter than this one and imports the modules."""
    if not os.path.exists(SYSTEM_PYTHON) or os.path.samefile(SYSTEM_PYTHON, sys.executable):
        return False
    command = [SYSTEM_PYTHON, "-c", f"import {', '.join(modules)}"]
    return subprocess.run(command, capture_output=True).returncode == 0


os.environ["MPLBACKEND"] = "Agg"  # scripts write files; a window would need a display


def require(*modules):
    """Returns if all modules can be imported; else starts the program again under SYSTEM_PYTHON.

    If that one lacks them too: says which Debian packages are missing and exits with 2.
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
