"""Tables of the small apps. Expressions refer to their columns and notes by name."""

import shlex

import numpy as np

import scree.table
from scree.errors import FileError

FUNCTIONS = {name: getattr(np, name) for name in (
    "abs", "arctan2", "array", "cos", "hypot", "isin", "linspace", "max", "maximum", "nan", "ones_like", "outer", "pi",
    "sign", "sin", "sqrt", "stack", "unique", "where")} | {"len": len}  # fmt: skip


class Apps:
    """The small apps. Each command is run only once.

    program: function from the name of an app, such as `damping`, to its path
    """

    def __init__(self, program):
        self._program = program
        self._tables = {}

    def table(self, app, command):
        key = app, command
        if key not in self._tables:
            self._tables[key] = scree.table.printed(self._program(app), *shlex.split(command), "--digits", 17)
        return self._tables[key]

    def names(self, app, commands):
        """Names that an expression may use, from the tables of commands (separated by `;`); later tables win."""
        names = dict(FUNCTIONS, notes={})
        for command in filter(None, map(str.strip, commands.split(";"))):
            table = self.table(app, command)
            names["notes"] |= {name: _number(text) for name, text in table.parameters.items()}
            names |= names["notes"] | table
        return names


def value(expression, names):
    """The value of an expression in these names."""
    try:
        return eval(str(expression), {"__builtins__": {}}, names)  # noqa: S307: the tables are part of this program
    except (NameError, KeyError, IndexError, ValueError, TypeError) as error:
        raise FileError(f"'{expression}' cannot be computed from what the program prints: {error}; "
                        "is it of this version?") from error  # fmt: skip


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text
