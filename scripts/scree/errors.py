"""Errors of the package, which scripts convert to exit codes.

Each error is derived from a similar exception of Python, so that `except OSError` and `except KeyError` also work.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable


class UsageError(ValueError):
    """An impossible request; the message gives a valid one."""


class UnknownName(UsageError, KeyError):
    """An unknown name; the message lists the known names."""

    __str__ = Exception.__str__  # without it KeyError puts its message in quotes


class FileError(OSError):
    """An input file that is missing, damaged or of another kind; the message names the file."""


class SnapshotError(FileError):
    """A file that is not a readable snapshot; the message names the file and the reason."""


class MissingField(SnapshotError, KeyError):
    """A field that a snapshot does not have; the message lists the existing ones."""

    __str__ = Exception.__str__


class SimulationError(ArithmeticError):
    """A simulation whose state is no longer physical; the message names particles, positions and the step."""


class OutputError(OSError):
    """Output that cannot be written; the message names the file."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for a message, " (did you mean 'speed'?)", with the known name nearest to a wrong name; empty if none is
    near.

    The words of longer names count too: `torqe` finds wall_drum_torque_y.
    """
    names = [str(known_name) for known_name in known]
    matches = difflib.get_close_matches(name, names, 1)
    if not matches:
        words = difflib.get_close_matches(name, sorted({word for known_name in names for word in known_name.split("_")}), 1)
        matches = [known_name for known_name in names if words and words[0] in known_name.split("_")][:3]
    return f" (did you mean {' or '.join(repr(known_name) for known_name in matches)}?)" if matches else ""


def exit_code(command: Callable[[], int]) -> int:
    """Runs a command of the package; prints its error, if there is one, and returns the exit code."""
    try:
        return command()
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except FileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"error: '{error.filename}' cannot be written: {error.strerror}", file=sys.stderr)
        return 5
