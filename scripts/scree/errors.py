"""What can be wrong with a user's input; scripts turn these into exit codes."""


class UsageError(Exception):
    """What was asked for cannot be done; the message says what would be right."""


class FileError(Exception):
    """An input file that is missing, damaged or foreign; the message names the file."""


class SnapshotError(FileError):
    """A file that is not a readable snapshot; the message names the file and what is wrong."""


class SimulationError(Exception):
    """A simulation whose state is no longer physical; the message names particles, places and the step."""


class OutputError(Exception):
    """Output that cannot be written; the message names the file."""
