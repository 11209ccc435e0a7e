"""Command line of the scripts: options with units, messages and exit codes."""

import argparse
import itertools
import math
import pathlib
import sys
import warnings

import numpy as np

import _environment
import scree.directory
import scree.frames
import scree.means
import scree.region
import scree.snapshot
import scree.units
from scree.errors import FileError, UsageError


MAX_CELLS = 10**7  # largest product of the numbers of --cells


def run(main):
    """Runs a script's `main()` and exits with its code.

    The code is 2 for a UsageError and for lack of memory, 3 for an input file that cannot be read, 5 for an output that
    cannot be written. Any other OSError counts as a failed output, so functions that read files must raise FileError or
    UsageError instead. If the program that reads the output has closed it, as `| head` does, the code is 0. Warnings that
    the package issues are printed by `warn`.
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
    except MemoryError as error:
        print(f"error: there is not enough memory: {error}", file=sys.stderr)
        code = 2
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _environment.is_closed_pipe(sys.stdout):
            raise  # _environment ends without a message
        print(f"error: the output cannot be written: {error}", file=sys.stderr)
        code = _environment.OUTPUT_FAILED
        try:
            sys.stdout.flush()
        except OSError:
            _environment.drop_output()
    sys.exit(code)


def parser(description):
    """The parser of a script's options.  description: docstring of the script, printed unchanged"""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def positive(text):
    """The value of an option that must be a number greater than 0."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number greater than 0")
    return value


def finite(text):
    """The value of an option that must be a finite number."""
    value = _number(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' must be a finite number")
    return value


def _number(text):
    """The number in a text, NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def count(text):
    """The value of an option that must be a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from 1")
    return int(text)


def progress(items, total, noun):
    """Yields the items; on a terminal a line on stderr shows the number of the current one."""
    is_shown = total > 1 and sys.stderr.isatty()
    for number, item in enumerate(items):
        if is_shown:
            done = 30 * number // total
            print(f"\r[{'#' * done}{'.' * (30 - done)}] {noun} {number + 1} of {total}", end="", file=sys.stderr)
        yield item
    if is_shown:
        print("\r\033[K", end="", file=sys.stderr)


def cells(text):
    """The numbers of cells in an option: (150, 65) for `150x65`."""
    try:
        counts = tuple(int(word) for word in text.lower().split("x"))
    except ValueError:
        counts = (0,)
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be whole numbers from 1, as in 150x65")
    if math.prod(counts) > MAX_CELLS:
        raise argparse.ArgumentTypeError(f"'{text}' are {math.prod(counts):.3g} cells; expected at most {MAX_CELLS}")
    return counts


def quantity(words, option, units, count):
    """The `count` numbers of an option, converted to SI: [count].  words: numbers and unit, from nargs="+" """
    try:
        values = scree.units.in_si(" ".join(words), units)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    if len(values) != count:
        numbers = "one number" if count == 1 else f"{count} numbers"
        raise UsageError(f"{option} '{' '.join(words)}' must be {numbers} and a unit")
    return values


def add_snapshots(parser, first="for a directory the middle of the run, because its first half is usually the filling"):
    """Adds the arguments for the snapshots of a run, their time window, and the results; see `snapshots`.

    first: start of the window without --from
    """
    parser.add_argument("run", nargs="+", type=pathlib.Path, help="output directory of a run, or HDF5 files")
    parser.add_argument(
        "--output", metavar="PREFIX", help="prefix of the result files (default: the name of the script, in the output directory)"
    )
    add_window(parser, first)


# Endings of result files; users may give a prefix with one of them.
ENDINGS = (".csv", ".data", ".dump", ".h5md", ".pdf", ".png", ".pvd", ".svg", ".xyz")


def snapshots(arguments, name, with_first_half=False, over_time=False):
    """The paths of the snapshots in the window, and the prefix of the results, called `name` by default.

    Without --from, a directory gives only the later half of these snapshots, because the first half of a run is usually
    its filling. If with_first_half, it gives all of them. If over_time, the results are functions of time, so files are
    put in the order of their times.
    Raises UsageError for files without --output, because they may belong to several runs.
    """
    is_run = len(arguments.run) == 1 and arguments.run[0].is_dir()
    if not is_run and not arguments.output:
        raise UsageError("single files require --output PREFIX; results of a directory go into it")
    run = arguments.run
    if over_time and len(run) > 1:
        run = in_order_of_time(run)
    paths = choose_snapshots(arguments, run)
    if is_run and len(paths) > 1 and not with_first_half and not arguments.window_begin:
        del paths[: len(paths) // 2]
    return paths, prefix_of(arguments.output or arguments.run[0] / name)


def in_order_of_time(paths):
    """Snapshots in the order of their times; raises UsageError if two have the same time or step.

    Animations and differences need times that increase, and the names of exported files have the step.
    """
    heads = []
    for path in paths:
        head = scree.snapshot.read_snapshot(path, ("id",))
        heads.append({"path": path, "step": head.step, "time": head.time})
    for name, text in (("step", "step {:d}"), ("time", "time {:g} s")):
        heads.sort(key=lambda head: head[name])
        for one, other in itertools.pairwise(heads):
            if one[name] == other[name]:
                raise UsageError(f"'{one['path']}' and '{other['path']}' both have the {text.format(one[name])}; "
                                 "expected different steps and times, as in the snapshots of one run")  # fmt: skip
    return [head["path"] for head in heads]


def prefix_of(output):
    """The prefix of results: `output` without an ending of ENDINGS. Creates the folder of the results."""
    prefix = pathlib.Path(output)
    return make_parent(str(prefix.with_suffix("") if prefix.suffix in ENDINGS else prefix))


def choose_snapshots(arguments, run):
    """The snapshots in the window of `add_window`; raises UsageError.  run: output directory, or HDF5 files"""
    paths = scree.directory.snapshots_of(run)
    if not (arguments.window_begin or arguments.window_end or arguments.window_every):
        return paths
    begin, end = window(arguments)
    if paths is not run:
        frames = scree.directory.read(run[0]).frames
    else:
        heads = [scree.snapshot.read_snapshot(path, ("id",)) for path in paths]
        steps, times = (np.array([getattr(head, name) for head in heads]) for name in ("step", "time"))
        frames = scree.frames.Frames("the files", paths, steps, times)
    return frames.between(begin, end, every(arguments)).paths


def make_parent(output):
    """Creates the parent folder of the output, and returns the output."""
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    return output


def print_written(*paths, averaged_times=None):
    """Prints the written files.  averaged_times: times of the averaged snapshots, which are also printed, [F] [s]"""
    if averaged_times is not None:
        print(scree.means.over(averaged_times))
    print(*paths, sep="\n")


def add_grid(parser, cells_help):
    """Adds the arguments of `add_snapshots` and `add_region`, and --plane, --axis and --cells; see `grid`."""
    import scree.grid  # here, because it loads matplotlib, which is slow and which scripts without pictures do not need

    add_snapshots(parser)
    add_region(parser, "along the axes of the grid all particles; along the other axes the middle half of the particles, "
               "or the whole domain if the particles fill it")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--plane", choices=scree.grid.PLANES, help="plane of a map (default: chosen from the scene)")
    group.add_argument("--axis", choices=scree.grid.AXES, help="axis of a profile")
    parser.add_argument("--cells", type=cells, metavar="N[xM]", help=cells_help)


def grid(arguments, paths, **others):
    """The values of the options of `add_grid`: (axes, numbers of cells, Region, function from a Snapshot to its Region).

    There are one or two axes; the default is chosen from the scene. Without --lower and --upper the region is
    scree.region.of_grains, in the domain of the last snapshot. The region deforms with a [cell].
    others: arguments of scree.grid.cells.  Raises UsageError.
    """
    import scree.grid

    fields = ("position", "radius")
    last = scree.snapshot.first_filled(reversed(paths), fields)
    named_axes = scree.grid.AXES.get(arguments.axis) or scree.grid.PLANES.get(arguments.plane)
    axes = named_axes or scree.grid.natural_axes(last)
    grid_region = region(arguments, last, lambda _: scree.region.of_grains(scree.snapshot.read_frames(paths, fields), axes))
    counts = arguments.cells or scree.grid.cells(last, axes, len(paths), region=grid_region, **others)
    if len(counts) != len(axes):
        raise UsageError(f"--cells must be {len(axes)} numbers here, as in {'150x65' if len(axes) == 2 else '150'}")
    return axes, counts, grid_region, scree.region.following(grid_region, last)


def add_region(parser, default="the domain's"):
    """Adds --lower and --upper of a region.  default: description of the region without them"""
    for name in ("lower", "upper"):
        parser.add_argument(
            f"--{name}", nargs="+", metavar=("X", "Y Z UNIT"),
            help=f"{name} corner of the region, for example 12 0 0 cm (default: {default})",
        )


def region(arguments, snapshot, default=scree.region.make):
    """The scree.region.Region of the options, or default(snapshot) without options; raises UsageError."""
    if not arguments.lower and not arguments.upper:
        return default(snapshot)
    corners = []
    for name in ("lower", "upper"):
        words = getattr(arguments, name)
        corner = quantity(words, f"--{name}", scree.units.METRES, 3) if words else None
        corners.append(corner)
    return scree.region.make(snapshot, *corners)


def add_window(parser, first="beginning of the run"):
    """Adds --from, --to and --every of the snapshots to read.  first: start of the window without --from"""
    add_times(parser, first)
    parser.add_argument(
        "--every", nargs="+", metavar=("TIME", "UNIT"), dest="window_every",
        help="shortest time between two snapshots that are read (default: all of the window)",
    )


def add_times(parser, first, last="end of the run"):
    """Adds --from and --to.  first, last: ends of the window without them"""
    for option, end, default in (("--from", "begin", first), ("--to", "end", last)):
        parser.add_argument(
            option, nargs="+", metavar=("TIME", "UNIT"), dest=f"window_{end}",
            help=f"{end} of the time window, for example 0.1 s (default: {default})",
        )


def every(arguments):
    """The value of the option --every [s]; 0 without it."""
    if not arguments.window_every:
        return 0.0
    return float(quantity(arguments.window_every, "--every", scree.units.SECONDS, 1)[0])


def window(arguments):
    """The time window of the options: (begin, end) [s]; infinite by default."""
    begin, end = -math.inf, math.inf
    if arguments.window_begin:
        begin = quantity(arguments.window_begin, "--from", scree.units.SECONDS, 1)[0]
    if arguments.window_end:
        end = quantity(arguments.window_end, "--to", scree.units.SECONDS, 1)[0]
    if not begin <= end:
        raise UsageError(f"--from {begin:g} s is after --to {end:g} s")
    return begin, end


def warn(message):
    """Prints a warning on stderr about a result that is written nevertheless."""
    print(f"warning: {message}", file=sys.stderr)
