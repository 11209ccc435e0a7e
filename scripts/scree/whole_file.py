"""Files and folders that appear whole under their names, or not at all."""

import contextlib
import os
import pathlib
import shutil


@contextlib.contextmanager
def path_of(path):
    """Gives a path to write to, which gets the name at the end of the block; nothing is left if that raises.

    Pipes and devices, /dev/stdout, are written to as they are, and so are open files.
    """
    if hasattr(path, "write"):
        yield path
        return
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(path.name + ".tmp")
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def opened(path, newline=None):
    """The same of a text file, which is open for writing."""
    with path_of(path) as part, open(part, "w", encoding="utf-8", newline=newline) as file:
        yield file


def write(path, text):
    """Writes a text file in one call."""
    with opened(path) as file:
        file.write(text)


@contextlib.contextmanager
def folder_of(path):
    """Gives an empty folder to fill, which replaces that of the name at the end of the block; nothing changes if that raises."""
    part = path.with_name(path.name + ".tmp")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        shutil.rmtree(path, ignore_errors=True)
        os.replace(part, path)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


@contextlib.contextmanager
def all_of():
    """Gives a list for the paths of files that belong together; if the block raises, none is left."""
    paths = []
    try:
        yield paths
    except BaseException:
        for path in paths:
            pathlib.Path(path).unlink(missing_ok=True)
        raise
