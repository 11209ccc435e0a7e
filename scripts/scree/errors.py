"""What can be wrong with a user's input; scripts turn these into exit codes."""


class UsageError(Exception):
    """What was asked for cannot be done; the message says what would be right."""


class FileError(Exception):
    """An input file that is missing, damaged or foreign; the message names the file."""
