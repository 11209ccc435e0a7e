#!/usr/bin/env python3
"""Compares two snapshots: matches particles by id, and prints the largest difference of each field."""

import argparse
import dataclasses

import _environment

_environment.require("numpy", "h5py", "xxhash")

import numpy as np

import _command_line
import scree.snapshot
from scree.errors import UsageError


@dataclasses.dataclass
class Difference:
    """The largest difference of one field over the particles of both snapshots."""

    field: str
    value: float  # norm over the components, in the field's unit; inf if only one snapshot has a NaN
    id: int  # particle with this difference


def _sorted_ids(snapshot):
    """(ids in ascending order [N], rows of these ids [N]); raises SnapshotError for repeated ids."""
    order = np.argsort(snapshot["id"], kind="stable")
    ids = snapshot["id"][order]
    repeated = ids[1:][ids[1:] == ids[:-1]]
    if len(repeated):
        raise scree.snapshot.SnapshotError(f"'{snapshot.path}' has the id {repeated[0]} more than once")
    return ids, order


def match(a, b):
    """(rows of the common ids in a, their rows in b, ids only in a, ids only in b)."""
    ids_a, order_a = _sorted_ids(a)
    ids_b, order_b = _sorted_ids(b)
    _, in_a, in_b = np.intersect1d(ids_a, ids_b, assume_unique=True, return_indices=True)
    only_a = np.setdiff1d(ids_a, ids_b, assume_unique=True)
    only_b = np.setdiff1d(ids_b, ids_a, assume_unique=True)
    return order_a[in_a], order_b[in_b], only_a, only_b


def _distances(field, a, b, snapshot, offsets):
    """Norm of the difference of two arrays [M, ...] row by row, [M].

    snapshot: with the periodic images;  offsets: differences of the positions [M, 3] [m]
    """
    delta = a.astype(float) - b.astype(float)
    if field == "position":
        delta = snapshot.nearest(delta)
    if field == "velocity":
        delta = snapshot.nearest_velocities(delta, offsets)
    distance = np.linalg.norm(delta.reshape(len(delta), -1), axis=1)
    if field == "orientation":  # q and -q are the same rotation
        distance = np.minimum(distance, np.linalg.norm(a + b, axis=1))
    # A NaN in only one array is an infinite difference.
    both_nan = (np.isnan(a) & np.isnan(b)).reshape(len(delta), -1).any(axis=1)
    return np.where(both_nan, 0.0, np.nan_to_num(distance, nan=np.inf))


def fields_of(a, b):
    """Names of the fields to compare; raises SnapshotError if only one snapshot has a field."""
    for snapshot, other in ((a, b), (b, a)):
        for field in snapshot.fields:
            other[field]  # raises an error that names the file without the field
    return [field for field in a.fields if field != "id"]


def differences(a, b):
    """The largest difference of each field, [Difference]; empty if no id is in both."""
    rows_a, rows_b, _, _ = match(a, b)
    if not len(rows_a):
        return []
    result = []
    offsets = a["position"][rows_a] - b["position"][rows_b]
    for field in fields_of(a, b):
        distance = _distances(field, a[field][rows_a], b[field][rows_b], a, offsets)
        worst = int(np.argmax(distance))
        result.append(Difference(field, float(distance[worst]), int(a["id"][rows_a[worst]])))
    return result


def _tolerance(text):
    """FIELD=VALUE as (field, value)."""
    field, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"'{text}': the value must be a number, 0 or greater")
    return field, number


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Exit code 0: same ids, all within tolerance; 1: different; 2: wrong usage; "
        "3: a file cannot be read.",
    )
    parser.add_argument("a", metavar="A", help="snapshot")
    parser.add_argument("b", metavar="B", help="snapshot")
    parser.add_argument(
        "--tolerance",
        metavar="FIELD=VALUE",
        nargs="+",
        action="extend",
        type=_tolerance,
        default=[],
        help="largest allowed difference in SI units; fields that are not named may differ by any amount",
    )
    return parser.parse_args()


def main():
    arguments = _arguments()
    a = scree.snapshot.read_snapshot(arguments.a, checked=False)
    b = scree.snapshot.read_snapshot(arguments.b, checked=False)
    fields = fields_of(a, b)
    for field, _ in arguments.tolerance:
        if field not in fields:
            raise UsageError(
                f"--tolerance: '{field}' is not a field; the fields are {', '.join(fields)}"
            )
    _, _, only_a, only_b = match(a, b)
    for name, snapshot, unmatched in (("A", a, only_a), ("B", b, only_b)):
        when = f"step {snapshot.step}, {snapshot.time:.9g} s"
        print(f"{name}  {snapshot.path}: {when}, {len(snapshot)} particles, {len(unmatched)} only here")
    tolerances = dict(arguments.tolerance)
    failed = bool(len(only_a) or len(only_b))
    for difference in differences(a, b):
        is_exceeded = difference.value > tolerances.get(difference.field, np.inf)
        failed = failed or is_exceeded
        unit = a.units[difference.field]
        note = "  exceeds the tolerance" if is_exceeded else ""
        print(f"{difference.field:17} {difference.value:.6e} {unit:6} at id {difference.id}{note}")
    return 1 if failed else 0


if __name__ == "__main__":
    _command_line.run(main)
