#!/usr/bin/env python3
"""Checks that files include only files of their own layer and folder, or of those to the left in these lists.

The layers are solvers <- engine <- io <- apps. The folders of solvers are
base <- simd <- one_contact <- batches <- sweeps <- delassus <- restitution, those of engine
geometry <- scene <- particles <- ranks <- filling <- lists <- contacts <- observation <- step, those
of io files <- scene <- command_line <- output <- state. In apps each folder is a product, which includes
no other product except apps/common and the library apps/single/models.

usage: check_includes.py [ROOT]

Prints each violation as `file:line: reason`. Exit code 0: none, 1: some, 2: ROOT is not a tree of
Scree. Tests may include anything and are not read.
"""

import pathlib
import re
import sys

import _environment  # noqa: F401: a closed pipe is no error

LAYERS = ("solvers", "engine", "io", "apps")
FOLDERS = {
    "solvers": ("base", "simd", "one_contact", "batches", "sweeps", "delassus", "restitution"),
    "engine": (
        "geometry",
        "scene",
        "particles",
        "ranks",
        "filling",
        "lists",
        "contacts",
        "observation",
        "step",
    ),
    "io": ("files", "scene", "command_line", "output", "state"),
}
# Folders that every product of apps may include.
SHARED_BY_PRODUCTS = ("apps/common/", "apps/single/models/")
SUFFIXES = {".hpp", ".cpp", ".h", ".hh", ".cc", ".cxx", ".inl", ".ipp"}

# Libraries, and the only files that may include them: `x` stands for x.hpp and x.cpp.
CONFINED = (
    (
        re.compile(r"mpi\.h|mpi/|mpi-ext\.h"),
        "MPI",
        {"engine/ranks/communicator", "io/files/hdf5_file"},
    ),
    (re.compile(r"hdf5|H5"), "HDF5", {"io/files/hdf5_file", "io/files/hdf5_objects", "io/files/hdf5_reader"}),
    (re.compile(r"xxhash"), "xxHash", {"io/files/digest"}),
    (re.compile(r"dlfcn\.h|link\.h"), "the dynamic linker", {"apps/common/simd_request", "engine/ranks/communicator"}),
    (
        re.compile(r"boost/program_options"),
        "Boost.Program_options",
        {"io/command_line/split_arguments"},
    ),
)
ODD_HEADERS = re.compile(r"boost/(?!math/|numeric/odeint|program_options)")
BOOST_NUMERICS = re.compile(r"boost/(math/|numeric/odeint)")

# The two lower layers only compute: they neither access files nor print.
PURE_LAYERS = ("solvers", "engine")
PURE_HEADERS = re.compile(r"[a-z0-9_]+|Eigen/.+|immintrin\.h|arm_neon\.h")
PRINTING = {"iostream", "istream", "ostream", "fstream", "cstdio", "filesystem", "print"}
PRINTS_BEFORE_ABORT = "solvers/base/check"  # a failed assertion prints its position

INCLUDE = re.compile(r"\s*#\s*include\b\s*(.*)")
TARGET = re.compile(r'"([^"]+)"|<([^>]+)>')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def includes(text):
    """Yields (line number, rest of the include directive) outside block comments."""
    text = COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def layer_violation(layer, path):
    """Reason why a file of `layer` must not include the project's file `path`, or None."""
    parts = path.split("/")
    if parts[0] not in LAYERS or ".." in parts:
        return f'"{path}" is not a path from the root ({", ".join(LAYERS)})'
    if LAYERS.index(parts[0]) > LAYERS.index(layer):
        return f'"{path}" is to the right of {layer} in {" <- ".join(LAYERS)}'
    return None


def folder_violation(layer, stem, path):
    """Reason why the file `stem` must not include `path`; None if it may, or if `path` is in another layer.

    The reason is that `path` is in a folder to the right or in none, or belongs to another product.
    """
    if path.split("/")[0] != layer:
        return None
    own_folder, included_folder = stem.split("/")[1], path.split("/")[1]
    if layer == "apps":
        is_known = included_folder == own_folder or path.startswith(SHARED_BY_PRODUCTS)
        return None if is_known else f'"{path}" is part of another product than apps/{own_folder}'
    folders = FOLDERS[layer]
    if included_folder not in folders:
        return f'"{path}" is in no folder of {layer} ({", ".join(folders)})'
    if folders.index(included_folder) > folders.index(own_folder):
        return f'"{path}" is to the right of {layer}/{own_folder} in {" <- ".join(folders)}'
    return None


def foreign_violation(layer, stem, header):
    """Reason why the file `stem` (path without suffix) must not include <header>, or None."""
    for pattern, library, allowed in CONFINED:
        if pattern.match(header):
            if stem in allowed:
                return None
            return f"<{header}>: {library} may be included only by {', '.join(sorted(allowed))}"
    if ODD_HEADERS.match(header):
        return f"<{header}>: of Boost only Math, Odeint and Program_options are used"
    if BOOST_NUMERICS.match(header):
        return f"<{header}>: engine uses no Boost" if layer == "engine" else None
    if layer in PURE_LAYERS and header in PRINTING and stem != PRINTS_BEFORE_ABORT:
        return f"<{header}>: {layer} has no files and prints nothing"
    if layer in PURE_LAYERS and not PURE_HEADERS.fullmatch(header):
        return f"<{header}>: {layer} uses the standard library and Eigen only"
    return None


def violation(layer, stem, directive):
    """Reason why the directive is forbidden in the file `stem` of `layer`, or None."""
    target = TARGET.match(directive)
    if not target:
        return f"include of '{directive}' cannot be checked; name the header"
    path = target.group(1) or target.group(2)
    is_foreign = target.group(2) or any(pattern.match(path) for pattern, _, _ in CONFINED)
    if path.split("/")[0] in LAYERS or not is_foreign:
        return layer_violation(layer, path) or folder_violation(layer, stem, path)
    return foreign_violation(layer, stem, path)


def violations(root):
    """All violations below `root`, as lines `file:line: reason` in the order of the files."""
    messages = []
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            name = path.relative_to(root)
            stem = name.with_suffix("").as_posix()
            if layer in FOLDERS and stem.split("/")[1] not in FOLDERS[layer]:
                messages.append(f"{name.as_posix()}:1: in no folder of {layer}")
                continue
            for number, directive in includes(path.read_text(encoding="utf-8")):
                reason = violation(layer, stem, directive)
                if reason:
                    messages.append(f"{name.as_posix()}:{number}: {reason}")
    return messages


def main(arguments):
    if len(arguments) > 1 or arguments[:1] in (["--help"], ["-h"]):
        print(__doc__)
        return 0 if len(arguments) == 1 else 2
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    missing = [layer for layer in LAYERS if not (root / layer).is_dir()]
    if missing:
        print(f"'{root}' is not a tree of Scree: it lacks {', '.join(missing)}", file=sys.stderr)
        return 2
    messages = violations(root)
    print("\n".join(messages) if messages else "every include points to its own layer and folder or to the left")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
