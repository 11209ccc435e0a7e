"""What the scripts share on the command line: options with units, messages and exit codes."""

import argparse
import math
import os
import pathlib
import select
import sys
import warnings

import scree.region
import scree.units
from scree.errors import FileError, UsageError


def run(main):
    """Runs a script's `main()` and exits with its code.

    2 for a UsageError, 3 for an input file that cannot be read, 5 for an output that cannot be
    written: the scripts turn an OSError while reading into one of the former. 0 if whoever reads what
    is printed has seen enough, as `| head` does. What the package warns of is said as `warn` says it.
    """
    warnings.showwarning = lambda message, *_: warn(message)
    try:
        code = main()
        sys.stdout.flush()
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except FileError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 3
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _nobody_reads(sys.stdout):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
            sys.exit(0)
        print(f"error: the output cannot be written: {error}", file=sys.stderr)
        code = 5
    sys.exit(code)


def _nobody_reads(stream):
    """Whether a stream is a pipe that was closed at its other end."""
    pipe = select.poll()
    pipe.register(stream, 0)
    return any(event & select.POLLERR for _, event in pipe.poll(0))


def positive(text):
    """An option's number greater than 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number greater than 0")
    return value


def count(text):
    """An option's whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1")
    return int(text)


def told(items, total, noun):
    """Yields the items; on a terminal a line on stderr tells how many of them are done."""
    shows = total > 1 and sys.stderr.isatty()
    for number, item in enumerate(items):
        if shows:
            done = 30 * number // total
            print(f"\r[{'#' * done}{'.' * (30 - done)}] {noun} {number + 1} of {total}", end="", file=sys.stderr)
        yield item
    if shows:
        print("\r\033[K", end="", file=sys.stderr)


def cells(text):
    """An option's numbers of cells, `150x65` as (150, 65)."""
    try:
        counts = tuple(int(word) for word in text.lower().split("x"))
    except ValueError:
        counts = (0,)
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be whole numbers from 1, as in 150x65")
    return counts


def quantity(words, option, units, count):
    """`count` numbers and their unit in SI; words as argparse's nargs="+" gives them: [count]."""
    try:
        values = scree.units.in_si(" ".join(words), units)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    if len(values) != count:
        numbers = "one number" if count == 1 else f"{count} numbers"
        raise UsageError(f"{option} '{' '.join(words)}' must be {numbers} and a unit")
    return values


def add_snapshots(parser):
    """The snapshots of a run, and the option --output for results computed from them."""
    parser.add_argument("snapshot", nargs="+", type=pathlib.Path, help="HDF5 files of a run")
    parser.add_argument("--output", required=True, metavar="PREFIX", help="names of the results")


def add_region(parser):
    """Options --lower and --upper of a region."""
    for name in ("lower", "upper"):
        parser.add_argument(
            f"--{name}", nargs="+", metavar=("X", "Y Z UNIT"),
            help=f"{name} corner of the region, for example 12 0 0 cm (default: the domain's)",
        )


def region(arguments, snapshot):
    """The scree.region.Region of the options; raises UsageError."""
    corners = []
    for name in ("lower", "upper"):
        words = getattr(arguments, name)
        corner = quantity(words, f"--{name}", scree.units.METRES, 3) if words else None
        corners.append(corner)
    return scree.region.make(snapshot, *corners)


def add_window(parser):
    """Options --from and --to of a time window."""
    for option, end in (("--from", "begin"), ("--to", "end")):
        parser.add_argument(
            option, nargs="+", metavar=("TIME", "UNIT"), dest=f"window_{end}",
            help=f"{end} of the time window, for example 0.1 s (default: {end} of the run)",
        )


def window(arguments):
    """The time window of the options: (begin, end) [s]; infinite where none was given."""
    begin, end = -math.inf, math.inf
    if arguments.window_begin:
        begin = quantity(arguments.window_begin, "--from", scree.units.SECONDS, 1)[0]
    if arguments.window_end:
        end = quantity(arguments.window_end, "--to", scree.units.SECONDS, 1)[0]
    if not begin <= end:
        raise UsageError(f"--from {begin:g} s lies after --to {end:g} s")
    return begin, end


def warn(message):
    """Says on stderr what the user should know of a result that is written nevertheless."""
    print(f"warning: {message}", file=sys.stderr)
