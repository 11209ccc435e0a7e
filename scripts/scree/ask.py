"""The most common analyses of frames as functions: `scree.rdf(frame)`, `scree.profile(run, "z")`, ...

Frames are a Snapshot, several Snapshots, or all frames of a Run. Results are means over the frames. Each analysis has a
default region; `lower` and `upper` are corners of another region [m]. The steps, tables and figures of an analysis are
in the module of the same name.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import scree.contact_statistics
import scree.directory
import scree.fields
import scree.force_network
import scree.grid
import scree.key_figures
import scree.means
import scree.mixing
import scree.motion
import scree.picture
import scree.profiles
import scree.rdf
import scree.region
import scree.view
from scree.errors import UsageError
from scree.snapshot import Snapshot

Frames = Snapshot | scree.directory.Run | Iterable[Snapshot]


def rdf(
    frames: Frames, lower: ArrayLike | None = None, upper: ArrayLike | None = None, r_max: float | None = None,
    bin_width: float = scree.rdf.BIN, corrected: bool = True,
) -> scree.rdf.Rdf:  # fmt: skip
    """Radial distribution function g(r); r_max and bin_width in mean diameters. Raises UsageError.

    corrected: whether to correct for shells that extend beyond the region, see scree.rdf
    """
    snapshots = _as_list(frames)

    def region_of(frame):
        return _region(frame, lower, upper, scree.rdf.natural_region)

    window = False
    if r_max is None and corrected:
        r_max, window = scree.rdf.natural_way(snapshots, region_of)
    r_max = scree.rdf.natural_r_max(snapshots, region_of) if r_max is None else r_max
    return scree.rdf.of_frames(snapshots, region_of, r_max, bin_width, corrected, window)


def profile(
    frames: Frames, axes: str | None = None, cells: int | tuple[int, ...] | None = None,
    lower: ArrayLike | None = None, upper: ArrayLike | None = None,
) -> scree.grid.Grid:  # fmt: skip
    """Velocities and densities in cells along an axis (axes="z") or in a plane ("xz"); axes=None: chosen from the
    scene.

    The columns of the Grid are those of scripts/profiles.py. Raises UsageError.
    """
    snapshots = _as_list(frames)
    region_of, axis_numbers, counts = _grid(snapshots, axes, cells, lower, upper)
    return scree.profiles.profile(snapshots, region_of, axis_numbers, counts)


def fields(
    frames: Frames, axes: str | None = None, cells: int | tuple[int, ...] | None = None,
    lower: ArrayLike | None = None, upper: ArrayLike | None = None, width: float | None = None, by: str = "all",
) -> scree.fields.Fields:  # fmt: skip
    """Coarse-grained fields at points along an axis or in a plane. Raises UsageError.

    width: standard deviation of the Gaussian [m]
    by: "all", or "material" or "shape" for separate fields of each kind
    """
    snapshots = _as_list(frames)
    region_of, axis_numbers, counts = _grid(snapshots, axes, cells, lower, upper)
    return scree.fields.fields(snapshots, region_of, axis_numbers, counts, width, by)


def contact_statistics(
    frame: Snapshot, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> scree.contact_statistics.Statistics:
    """Coordination, fabric and stress of a frame. Raises UsageError."""
    region = _region(frame, lower, upper, scree.region.taken)
    return scree.contact_statistics.statistics(frame, frame.contacts, region)


@dataclasses.dataclass
class Fabric:
    """Directions of the touching contacts of one or more frames."""

    tensor: np.ndarray  # <n n>, mean over the unit normals n, [3, 3]; its trace is 1
    error: np.ndarray  # standard error over the frames, [3, 3]; NaN for one frame
    anisotropy: float  # a_c = sqrt(3/2 a : a) with a = 15/2 dev <n n>; 0 if all directions are equally frequent
    values: np.ndarray  # eigenvalues of the tensor, ascending, [3]
    directions: np.ndarray  # unit eigenvectors, in columns, [3, 3]
    contacts: int  # number of contacts


def fabric(frames: Frames, lower: ArrayLike | None = None, upper: ArrayLike | None = None) -> Fabric:
    """Fabric tensor and its anisotropy; all contacts have the same weight. Raises UsageError."""
    tensors, counts = [], []
    for frame in _as_list(frames):
        contacts = frame.contacts.within(_region(frame, lower, upper, scree.region.taken), frame)
        normals = contacts.normal[contacts.touching]
        tensors.append(scree.contact_statistics.fabric(normals))
        counts.append(len(normals))
    if not sum(counts):
        raise UsageError("no contact touches in the region of the frames; fabric needs one or more")
    mean, error = scree.means.frame_mean(tensors, counts)
    density = 7.5 * scree.force_network.deviator(mean)
    values, directions = np.linalg.eigh(mean)
    return Fabric(mean, error, float(np.sqrt(1.5 * np.sum(density**2))), values, directions, sum(counts))


def force_distribution(
    frames: Frames, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> scree.contact_statistics.ForceDistribution:
    """P(f) of f, the normal force of a pair divided by the mean one, in logarithmic bins with a 95 % band. Raises UsageError."""
    distribution = scree.contact_statistics.force_distribution([contact_statistics(frame, lower, upper) for frame in _as_list(frames)])
    if distribution is None:
        raise UsageError("there are no forces; expected loaded contacts, in frames of a run with output.contacts = yes")
    return distribution


@dataclasses.dataclass
class NonAffine:
    """Motion of the N particles of a first frame until a second frame; NaN for particles without a result."""

    id: np.ndarray  # [N]
    displacement: np.ndarray  # non-affine displacement, see scree.motion, [N, 3] [m]
    gradient: np.ndarray  # matrix A of the affine map that fits all particles, see scree.motion, [3, 3]
    d2min: np.ndarray  # D^2_min divided by the square of the mean diameter, [N]


def non_affine(first: Snapshot, last: Snapshot) -> NonAffine:
    """Non-affine displacements and D^2_min between two frames, between which a particle moves less than half a period."""
    displacement, gradient = scree.motion.non_affine_displacement(first, scree.motion.displacements_by_nearest_image(first, last))
    return NonAffine(first["id"], displacement, gradient, scree.motion.non_affine(first, last))


def mixing(frames: Frames, by: str = "material") -> scree.mixing.Mixing:
    """Lacey's index and segregation with jackknife errors, by "material" or "shape". Raises UsageError."""
    return scree.mixing.over_time(_as_list(frames), by)


def key_figures(
    run: scree.directory.Run, begin: float | None = None, end: float = np.inf
) -> dict[str, scree.key_figures.KeyFigure]:
    """Key figures of a run between two times [s], by default in its later half. Raises UsageError."""
    return scree.key_figures.key_figures(run, begin, end)


def picture(frame: Snapshot, path: str | pathlib.Path, view: str | None = None) -> None:
    """Draws a frame into a file.  view: "front", "oblique", ...; None: the default views. Raises UsageError."""
    known_views = scree.view.views(frame)
    if view is not None and view not in known_views:
        raise UsageError(f"there is no view '{view}'; expected {', '.join(known_views)}")
    scree.picture.render(frame, path, None if view is None else [known_views[view]])


def _as_list(frames: Frames) -> list[Snapshot]:
    if isinstance(frames, Snapshot):
        return [frames]
    snapshots = list(frames.frames if isinstance(frames, scree.directory.Run) else frames)
    if not snapshots:
        raise UsageError("there are no frames; expected one or more")
    return snapshots


def _region(frame: Snapshot, lower: ArrayLike | None, upper: ArrayLike | None, natural: Any) -> scree.region.Region:
    return natural(frame) if lower is None and upper is None else scree.region.make(frame, lower, upper)


def _grid(snapshots, axes, cells, lower, upper):
    """(function from a Snapshot to its Region, axes, numbers of cells along these axes).

    Raises UsageError.
    """
    last = next((frame for frame in reversed(snapshots) if len(frame)), snapshots[0])
    axis_numbers = scree.grid.natural_axes(last) if axes is None else tuple("xyz".find(name) for name in axes)
    if not 1 <= len(axis_numbers) <= 2 or min(axis_numbers) < 0 or len(set(axis_numbers)) < len(axis_numbers):
        raise UsageError(f"axes = {axes!r}; expected one or two of x, y and z, as 'z' or 'xz'")
    region = _region(last, lower, upper, lambda _: scree.region.of_grains(snapshots, axis_numbers))
    counts = scree.grid.cells(last, axis_numbers, len(snapshots), region=region) if cells is None else cells
    counts = (counts,) * len(axis_numbers) if isinstance(counts, int) else tuple(counts)
    if len(counts) != len(axis_numbers) or min(counts) < 1:
        raise UsageError(f"cells = {cells!r}; expected whole numbers from 1, one for each of the axes")
    return scree.region.following(region, last), axis_numbers, counts
