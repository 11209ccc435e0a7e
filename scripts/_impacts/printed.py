"""Compares computed values with the values that a paper prints.

A file PAPER.csv has a row for each value: its place in the paper, its printed text, the tolerance, our value if it is
known to differ, the command of the paper's app, the expression in the columns and notes of the app's table, and a
remark with the reason of a difference.
"""

import csv
import dataclasses
import math
import pathlib

from _impacts.app_tables import value

FOLDER = pathlib.Path(__file__).parent
ZERO = 1e-6  # a printed "0" means a value below this, not below one half
SAME = 0.01  # allowed relative deviation of a computed value from `ours`
ROUNDING = 1e-10
HALF = 0.5 * (1.0 + 1e-9)  # half a digit, and a little more, because decimals are rounded to binary numbers


@dataclasses.dataclass(frozen=True)
class Printed:
    where: str
    printed: str  # "0.255", "-2e-5", "<1e-7"; empty where nothing is printed
    tolerance: str  # absolute, or in percent; empty: the printed digits by rounding or by truncation
    ours: str  # our value if it is known to differ from the printed one
    run: str
    value: str
    remark: str

    def computed(self, app, apps):
        return float(value(self.value, apps.names(app, self.run)))

    def is_known(self, computed):
        """Whether the computed value is `ours`."""
        return self.ours != "" and abs(computed - float(self.ours)) <= max(SAME * abs(float(self.ours)), ROUNDING)

    def is_reproduced_by(self, computed):
        text = self.printed
        if text.startswith("<"):
            return abs(computed) < float(text[1:])
        if text == "0":
            return abs(computed) < ZERO
        number, excess = float(text), math.copysign(1.0, float(text)) * (computed - float(text))
        if self.tolerance.endswith("%"):
            return abs(excess) <= 0.01 * float(self.tolerance[:-1]) * abs(number)
        if self.tolerance:
            return abs(excess) <= float(self.tolerance)
        mantissa, _, exponent = text.lower().partition("e")
        digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        return abs(excess) <= HALF * digit or 0.0 <= excess < digit


def entries_of(app):
    """[Printed] of the paper of an app."""
    with (FOLDER / f"{app}.csv").open(encoding="utf-8", newline="") as file:
        return [Printed(**row) for row in csv.DictReader(file)]
