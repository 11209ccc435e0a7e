"""Reads untrusted HDF5 files: only data in the file itself, of the required shape and kind.

HDF5 files can refer to other files (external links and storage, virtual data sets), and can declare huge arrays with
almost no stored data. Both are detected before reading, so that reading a file never takes more memory than its size.
All functions raise SnapshotError.
"""

from __future__ import annotations

import h5py
import numpy as np

from scree.errors import SnapshotError

GRAINS = "particles/grains"  # the group of the particles

# Kinds of values, as in numpy.dtype.kind.
NUMBERS, WHOLE, TEXT = "fiu", "iu", "S"
KIND_NAMES = {NUMBERS: "numbers", WHOLE: "whole numbers", TEXT: "text of fixed length"}

# Exceptions of h5py for damaged files, such as MemoryError for a damaged size.
DAMAGE_ERRORS = (OSError, KeyError, ValueError, IndexError, RuntimeError, TypeError, OverflowError, MemoryError)


def item(file, path):
    """Group or dataset at `path`.

    Raises SnapshotError if there is none, or if the path contains a soft or external link.
    """
    node = file
    for name in path.encode().split(b"/"):
        if not isinstance(node, h5py.Group) or not node.id.links.exists(name):
            raise SnapshotError(f"'{file.filename}' is not a snapshot of Scree: it has no /{path}")
        if node.id.links.get_info(name).type != h5py.h5l.TYPE_HARD:
            raise SnapshotError(f"'{file.filename}': /{path} is a link; a snapshot must contain its data")
        node = node[name]
    return node


def has(file, path):
    """Whether there is any object at `path`; does not follow links out of the file."""
    folder, _, name = path.rpartition("/")
    if folder and not has(file, folder):
        return False
    group = item(file, folder) if folder else file
    return isinstance(group, h5py.Group) and group.id.links.exists(name.encode())


def group(file, path):
    """Group at `path`."""
    node = item(file, path)
    if not isinstance(node, h5py.Group):
        raise SnapshotError(f"'{file.filename}': /{path} is an array; expected a group")
    return node


def dataset(file, path, kind=NUMBERS):
    """Dataset at `path`, checked: reading it takes no more memory than the size of the file."""
    node = item(file, path)
    if not isinstance(node, h5py.Dataset):
        raise SnapshotError(f"'{file.filename}': /{path} is a group; expected an array")
    properties = node.id.get_create_plist()
    if properties.get_external_count() or node.is_virtual:
        raise SnapshotError(f"'{file.filename}': /{path} is stored in another file; a snapshot must contain its data")
    if properties.get_nfilters():
        raise SnapshotError(f"'{file.filename}': /{path} is compressed; `h5repack -f NONE` decompresses it")
    _require_stored(file, path, node.id, node.dtype, kind)
    return node


def attribute(file, path, name, shape, kind=NUMBERS):
    """An attribute of the object at `path`; a None in `shape` stands for any length."""
    owner = item(file, path)
    attribute_name = f"{path}, attribute '{name}'"
    if name not in owner.attrs:
        raise SnapshotError(f"'{file.filename}': /{path} has no attribute '{name}'")
    identifier = owner.attrs.get_id(name)
    _require_stored(file, attribute_name, identifier, identifier.dtype, kind)
    _require_shape(file, attribute_name, identifier.shape, shape)
    return _check(file, attribute_name, owner.attrs[name])


def array(file, path, shape, kind=NUMBERS):
    """Whole dataset at `path`; a None in `shape` stands for any length."""
    data = dataset(file, path, kind)
    _require_shape(file, path, data.shape, shape)
    return _check(file, path, data[()])


def frame(file, path, row=None, kind=NUMBERS, finite=True):
    """Last frame of a field, [N, *row]; a plain dataset is a field that never changes.

    row: shape of a row; None: any shape;  finite: False accepts NaN and infinity
    """
    has_frames = isinstance(item(file, path), h5py.Group)
    data = dataset(file, f"{path}/value" if has_frames else path, kind)
    if row is None:
        row = data.shape[1 + has_frames :]
    has_frames = has_frames or data.ndim == len(row) + 2
    leading = data.ndim - len(row)
    if leading != 1 + has_frames or data.shape[leading:] != row:
        expected = "x".join(["N", *map(str, row)])
        raise SnapshotError(f"'{file.filename}': /{path} has the shape {data.shape}; expected {expected} per frame")
    if has_frames and data.shape[0] == 0:
        raise SnapshotError(f"'{file.filename}': /{path} has no frame")
    return _check(file, path, data[-1] if has_frames else data[()], finite)


def last(file, path, kind=NUMBERS):
    """Last entry of a dataset of one number per frame, or its only number."""
    values = np.ravel(dataset(file, path, kind)[()])
    if not len(values):
        raise SnapshotError(f"'{file.filename}': /{path} has no frame")
    return _check(file, path, values[-1:])[0]


def text(value):
    """A string of fixed length as str."""
    return value.decode("utf-8").rstrip("\0")


def _require_stored(file, name, identifier, dtype, kind):
    """Raises SnapshotError unless data are of a kind and completely stored.  identifier: of a dataset or attribute"""
    if dtype.kind not in kind:
        raise SnapshotError(f"'{file.filename}': /{name} holds {dtype}; expected {KIND_NAMES[kind]}")
    if identifier.get_space().get_simple_extent_type() == h5py.h5s.NULL:
        raise SnapshotError(f"'{file.filename}': /{name} is empty")
    size = identifier.get_space().get_simple_extent_npoints() * dtype.itemsize
    stored_bytes = min(identifier.get_storage_size(), file.id.get_filesize())
    if size > stored_bytes:
        raise SnapshotError(f"'{file.filename}': /{name} should have {size} bytes, of which the file holds {stored_bytes}")


def _require_shape(file, name, shape, expected):
    """Raises SnapshotError unless a shape is as expected; None stands for any length."""
    if len(shape) == len(expected) and all(n in (None, m) for n, m in zip(expected, shape)):
        return
    expected_text = "x".join("N" if n is None else str(n) for n in expected) or "a single value"
    raise SnapshotError(f"'{file.filename}': /{name} has the shape {shape}; expected {expected_text}")


def _check(file, name, values, finite=True):
    """Converts floats to double precision.

    Raises SnapshotError unless the values are finite, and also their squares, because norms need these.
    """
    if values.dtype.kind != "f":
        return values
    values = values.astype(float)
    if not finite:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        is_bad = ~np.isfinite(values * values)
    if is_bad.any():
        row = np.argwhere(is_bad)[0]
        row_text = f" in row {row[0]}" if len(row) else ""
        raise SnapshotError(f"'{file.filename}': /{name} is {values[tuple(row)]:g}{row_text}; expected finite numbers")
    return values
