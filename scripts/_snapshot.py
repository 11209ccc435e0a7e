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
    if item.ndim != len(trailing) + 1 + has_frames or item.shape[item.ndim - len(trailing) :] != trailing:
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


def _configuration(file):
    """Effective configuration of the run that wrote the file."""
    group = _item(file, "scree")
    if "configuration" in group.attrs:
        return _text(group.attrs["configuration"])
    return _text(_item(file, "scree/configuration")[()])


def _box(file):
    """Corners of the domain and its periodic axes: (lower [3], upper [3], periodic [3])."""
    box = _item(file, f"{GROUP}/box")
    edges = box.get("edges", box.attrs.get("edges"))
    if isinstance(edges, h5py.Group):
        edges = _item(file, f"{GROUP}/box/edges/value")[-1]
    if edges is None or "boundary" not in box.attrs:
        raise SnapshotError(f"'{file.filename}': /{GROUP}/box lacks its edges or its boundary")
    lower = np.array(box.get("offset", box.attrs.get("offset", np.zeros(3))), dtype=float)
    extent = np.array(edges, dtype=float)
    periodic = np.array([_text(name) == "periodic" for name in box.attrs["boundary"]])
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
                configuration=_configuration(file),
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
