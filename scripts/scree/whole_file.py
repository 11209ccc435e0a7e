"""Files and folders that appear under their names only when they are complete."""

import contextlib
import os
import pathlib
import shutil


@contextlib.contextmanager
def path_of(path):
    """Yields a temporary path, which is renamed to `path` at the end of the block, or removed if the block raises.

    For an open file, a pipe or a device such as /dev/stdout, yields `path` itself.
    """
    if hasattr(path, "write"):
        yield path
        return
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    temporary = path.with_name(path.name + ".tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def opened(path, newline=None):
    """Like `path_of`, but yields a text file that is open for writing."""
    with path_of(path) as temporary, open(temporary, "w", encoding="utf-8", newline=newline) as file:
        yield file


def write(path, text):
    """Writes a text file in one call."""
    with opened(path) as file:
        file.write(text)


@contextlib.contextmanager
def folder_of(path):
    """Yields an empty folder, which replaces `path` at the end of the block; if the block raises, nothing changes.

    Two renames exchange the folders. If the program is killed between them, the former folder is NAME.old, and the next
    call renames it back.
    """
    temporary, former = (path.with_name(path.name + end) for end in (".tmp", ".old"))
    if former.exists() and not path.exists():
        os.rename(former, path)
    for leftover in (temporary, former):
        shutil.rmtree(leftover, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        _replace_folder(temporary, path, former)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _replace_folder(new, path, former):
    """Renames `path`, if it exists, to `former`, and `new` to `path`; on failure renames `former` back."""
    existed = path.exists()
    if existed:
        os.rename(path, former)
    try:
        os.rename(new, path)
    except BaseException:
        if existed:
            os.rename(former, path)
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
