"""Reads the HDF5 snapshots of scree-run (H5MD 1.1; io/README.md describes the layout)."""

import dataclasses
import sys

import h5py
import numpy as np

GROUP = "particles/grains"

# Field, shape of one particle's value, SI unit.
FIELDS = {
    "position": ((3,), "m"),
    "velocity": ((3,), "m/s"),
    "angular_velocity": ((3,), "rad/s"),
    "orientation": ((4,), "1"),  # unit quaternion (w, x, y, z)
    "radius": ((), "m"),
    "id": ((), "1"),
    "material": ((), "1"),
}


class SnapshotError(Exception):
    """A file that is not a readable snapshot; the message names the file and what is wrong."""


@dataclasses.dataclass
class Snapshot:
    """One frame of N particles, in the order of the file, in SI units."""

    path: str
    step: int
    time: float  # [s]
    lower: np.ndarray  # [3], corner of the domain [m]
    upper: np.ndarray  # [3] [m]
    periodic: np.ndarray  # [3] of bool
    configuration: str  # effective configuration, the text of a scene file in SI units
    fields: dict  # name -> array [N] or [N, 3] or [N, 4]; see FIELDS

    def __len__(self):
        return len(self.fields["id"])

    def __getitem__(self, field):
        return self.fields[field]

    @property
    def speed(self):
        """Norm of each particle's velocity, [N], in m/s."""
        return np.linalg.norm(self.fields["velocity"], axis=1)


def _item(file, path):
    """The group or dataset at `path`; raises SnapshotError if there is none."""
    item = file.get(path)
    if item is None:
        raise SnapshotError(f"'{file.filename}' is not a snapshot of Scree: it has no /{path}")
    return item


def _frame(file, path, trailing):
    """Last frame of a field, [N, *trailing]; a plain dataset is a field that never changes."""
    item = _item(file, path)
    if isinstance(item, h5py.Group):
        item = _item(file, f"{path}/value")
        has_frames = True
    else:
        has_frames = item.ndim == len(trailing) + 2
    leading = item.ndim - len(trailing)
    if leading != 1 + has_frames or item.shape[leading:] != trailing:
        expected = "x".join(["N", *map(str, trailing)])
        raise SnapshotError(
            f"'{file.filename}': /{path} has the shape {item.shape}; expected {expected} per frame"
        )
    if has_frames and item.shape[0] == 0:
        raise SnapshotError(f"'{file.filename}': /{path} has no frame")
    return item[-1] if has_frames else item[()]


def _last(file, path):
    """Last entry of a dataset of one number per frame, or its only number."""
    return np.ravel(_item(file, path)[()])[-1]


def _text(value):
    """A string attribute or dataset as str; HDF5's fixed-length strings arrive as bytes."""
    value = value.decode("utf-8") if isinstance(value, bytes) else str(value)
    return value.rstrip("\0")


def _box(file):
    """Corners of the domain and its periodic axes: (lower [3], upper [3], periodic [3])."""
    extent = np.array(_item(file, f"{GROUP}/box/edges"), dtype=float)
    attributes = _item(file, f"{GROUP}/box").attrs
    for name in ("boundary", "offset"):
        if name not in attributes:
            raise SnapshotError(f"'{file.filename}': /{GROUP}/box has no attribute '{name}'")
    lower = np.array(attributes["offset"], dtype=float)  # H5MD boxes start at 0; this is our own
    periodic = np.array([_text(name) == "periodic" for name in attributes["boundary"]])
    if lower.shape != (3,) or extent.shape != (3,) or periodic.shape != (3,):
        raise SnapshotError(f"'{file.filename}': /{GROUP}/box is not three-dimensional")
    return lower, lower + extent, periodic


def read_snapshot(path, fields=tuple(FIELDS)):
    """Reads a snapshot with the named fields (`id` always comes along).

    Raises SnapshotError if the file is missing, damaged, foreign, or lacks something.
    """
    try:
        with h5py.File(path, "r") as file:
            lower, upper, periodic = _box(file)
            arrays = {
                name: _frame(file, f"{GROUP}/{name}", FIELDS[name][0]) for name in {"id", *fields}
            }
            snapshot = Snapshot(
                path=str(path),
                step=int(_last(file, f"{GROUP}/position/step")),
                time=float(_last(file, f"{GROUP}/position/time")),
                lower=lower,
                upper=upper,
                periodic=periodic,
                configuration=_text(_item(file, "scree/configuration")[()]),
                fields=arrays,
            )
    except (OSError, KeyError, ValueError, IndexError, RuntimeError) as error:
        raise SnapshotError(f"'{path}' cannot be read as a snapshot: {error}") from error
    sizes = {name: len(values) for name, values in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise SnapshotError(f"'{path}': the fields differ in their number of particles: {sizes}")
    return snapshot


def run(main):
    """Runs a script's `main()` and exits with its code; an unreadable snapshot is exit code 3."""
    try:
        code = main()
    except SnapshotError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 3
    sys.exit(code)
