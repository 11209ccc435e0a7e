"""Finds the compiled part of the package for `engine`, `solvers` and `impact`."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
from collections.abc import Sequence
from types import ModuleType

from scree.errors import UsageError

NAME = "scree._native"
MISSING = """needs the compiled part of the package for Python {version}, which is not in {places}. \
The packages, the tarball and the wheel of a release contain it, and so does a build in which CMake found pybind11 \
(cmake -DSCREE_PYTHON=ON). `pip install scripts/` does not install it. If it is in another folder, set SCREE_NATIVE to \
that folder"""


def places() -> list[pathlib.Path]:
    """Folders to search: SCREE_NATIVE alone, or those of the package, a build, an installed tree, a wheel."""
    package = pathlib.Path(__file__).resolve().parent
    override = os.environ.get("SCREE_NATIVE")
    if override:
        return [pathlib.Path(override)]
    root = package.parents[1]  # root of the source, or share/scree
    libraries = [tree / name for tree in (root.parents[1], package / "tree") for name in ("lib", "lib64")]
    installed = [path for library in libraries for path in (library, *sorted(library.glob("*-linux-*")))]
    return [package, root / "build/release/lib/python", *(path / "scree/python" for path in installed)]


def found() -> pathlib.Path | None:
    """Path of the compiled part for this Python; None if there is none."""
    files = (folder / f"_native{suffix}" for folder in places() for suffix in importlib.machinery.EXTENSION_SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def number_of(name: str, names: Sequence[str], label: str) -> int:
    """Position of a name in `names`, which the compiled part expects; raises UsageError."""
    if name not in names:
        raise UsageError(f"{label} = {name!r}; expected {', '.join(names)}")
    return names.index(name)


def load(user: str) -> ModuleType:
    """Loads the compiled part; raises ImportError with a remedy.  user: name of the module that needs it"""
    if NAME in sys.modules:
        return sys.modules[NAME]
    path = found()
    if path is None:
        tried = " or in ".join(map(str, places()))
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ImportError(f"{user} {MISSING.format(version=version, places=tried)}", name=NAME)
    loader = importlib.machinery.ExtensionFileLoader(NAME, str(path))
    spec = importlib.util.spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise ImportError(f"{user}: '{path}' cannot be loaded: {error}", name=NAME) from error
    sys.modules[NAME] = module
    return module
