"""Files and folders that appear under their names only when they are complete."""

import contextlib
import os
import pathlib
import shutil


@contextlib.contextmanager
def path_of(path):
    """Yields a temporary path, which is renamed to `path` at the end of the block; if the block raises, no file remains.

    Pipes and devices such as /dev/stdout, and open files, are written directly.
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
    """Like `path_of`, but yields a text file that is open for writing."""
    with path_of(path) as part, open(part, "w", encoding="utf-8", newline=newline) as file:
        yield file


def write(path, text):
    """Writes a text file in one call."""
    with opened(path) as file:
        file.write(text)


@contextlib.contextmanager
def folder_of(path):
    """Yields an empty folder, which replaces `path` at the end of the block; if the block raises, nothing changes.

    Folders cannot be exchanged in one step: after a kill between the two renames the former folder is NAME.old, and the next call
    renames it back.
    """
    part, old = (path.with_name(path.name + end) for end in (".tmp", ".old"))
    if old.exists() and not path.exists():
        os.rename(old, path)
    for left in (part, old):
        shutil.rmtree(left, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        _replace_folder(part, path, old)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _replace_folder(part, path, old):
    """Renames path to old, if it is there, and part to path; renames old back if that fails."""
    existed = path.exists()
    if existed:
        os.rename(path, old)
    try:
        os.rename(part, path)
    except BaseException:
        if existed:
            os.rename(old, path)
        raise


@contextlib.contextmanager
def all_of():
    """Yields a list for the paths of files that belong together; if the block raises, all of them are removed."""
    paths = []
    try:
        yield paths
    except BaseException:
        for path in paths:
            pathlib.Path(path).unlink(missing_ok=True)
        raise
