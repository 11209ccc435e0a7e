"""What can be wrong with a user's input; scripts turn these into exit codes.

Each is also the exception that Python has for its like, so that `except OSError` and `except KeyError` find them.
"""


class UsageError(ValueError):
    """A request that cannot be met; the message has what would be right."""


class UnknownName(UsageError, KeyError):
    """An unknown name; the message has the known ones."""

    __str__ = Exception.__str__  # a KeyError puts its message in quotes


class FileError(OSError):
    """An input file that is missing, damaged or foreign; the message names the file."""


class SnapshotError(FileError):
    """A file that is not a readable snapshot; the message names the file and what is wrong."""


class MissingField(SnapshotError, KeyError):
    """A field that a snapshot does not have; the message lists those that it has."""

    __str__ = Exception.__str__


class SimulationError(ArithmeticError):
    """A simulation whose state is no longer physical; the message names particles, places and the step."""


class OutputError(OSError):
    """Output that cannot be written; the message names the file."""
