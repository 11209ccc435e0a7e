"""Shared by several formats: text columns, common ids and periodic axes, and particles as spheres."""

import dataclasses
import warnings

import numpy as np

from scree.errors import UsageError

NUMBER_FORMAT = "%.17g"  # with enough digits to restore every double


def rows(*columns):
    """Columns [N] or [N, K] of numbers as lines of text; integers have no decimal point."""
    if not len(columns[0]):
        return ""
    flat_columns = [column for values in columns for column in np.reshape(values, (len(values), -1)).T]
    texts = [["%d" % value for value in column] if column.dtype.kind in "iu" else
             [NUMBER_FORMAT % value for value in column] for column in flat_columns]
    return "".join(" ".join(row) + "\n" for row in zip(*texts))


def common_ids(frames, name):
    """Ids of the particles that are in all frames, ascending; warns if there are other particles.

    frames: [Snapshot];  name: of the format, for messages.  Raises UsageError if no particle is in all frames.
    """
    ids = np.sort(frames[0]["id"])
    for frame in frames[1:]:
        ids = np.intersect1d(ids, frame["id"])
    max_count = max(map(len, frames))
    if not len(ids):
        raise UsageError(f"{name} needs particles that are in all frames, but there are none; "
                         "choose frames closer in time, or another format")
    if len(ids) < max_count:
        warnings.warn(f"{name} has the {len(ids)} particles that are in all frames, of up to {max_count}")
    return ids


def common_periodic(frames):
    """Whether each axis is periodic in all frames, [3] of bool; the gradient axis of a [cell] is not once it is sheared."""
    return np.logical_and.reduce([frame.periodic for frame in frames])


@dataclasses.dataclass
class Spheres:
    """K spheres, body after body, for programs that draw only spheres. A clump has one for each member, a polyhedron
    its bounding sphere.
    """

    id: np.ndarray  # ids of the spheres, the same in all frames, [K]
    body: np.ndarray  # id of the particle, [K]
    row: np.ndarray  # of the particle in the snapshot, [K]
    position: np.ndarray  # [K, 3] [m]
    velocity: np.ndarray  # of the centre, [K, 3] [m/s]
    radius: np.ndarray  # [K] [m]
    mass: np.ndarray  # mass of the body divided by its number of members, [K] [kg]
    solid: np.ndarray  # 0: a sphere; k: bounding sphere of the k-th polyhedron of the snapshot, [K]

    def __len__(self):
        return len(self.id)

    def taken(self, rows):
        """Spheres of these rows."""
        return Spheres(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))


def most_members(frame):
    """Largest number m of members of a shape of a Snapshot. The id of a sphere is m x (id of the body) + member."""
    return max([1, *(len(shape.solids) + len(shape.spheres) for shape in frame.shapes)])


def spheres(frame):
    """The Spheres of a Snapshot; without clumps they are its particles."""
    pieces = frame.pieces()
    order = np.argsort(pieces[2], kind="stable")
    position, radius, row, solid = (piece[order] for piece in pieces)
    count = np.bincount(row, minlength=len(frame))
    body = frame["id"][row]
    number = np.arange(len(row)) - np.searchsorted(row, row)  # of each member in its body
    max_members = most_members(frame)
    arm = frame.nearest(position - frame["position"][row])
    velocity = frame["velocity"][row] + np.cross(frame["angular_velocity"][row], arm)
    position, velocity = frame.home(frame["position"][row] + arm, velocity)
    return Spheres(body * max_members + number, body, row, position, velocity, radius, frame.masses[row] / count[row],
                   solid)  # fmt: skip
