"""Heaps and collapses over time: the profile of the surface, the height, the run-out, and the stress on the base.

The depth of a bin is the volume that its particles fill at a solid fraction of 0.6, divided by the area of the bin
(scree.repose). Bins are rings about an axis, or slices along a horizontal axis. The run-out is the radius or coordinate
beyond the deepest bin at which the depth falls below half a mean diameter, which is less than a layer (G. Lube, H. E.
Huppert, R. S. J. Sparks, M. A. Hallworth, J. Fluid Mech. 508, 175 (2004)). The stress on the base is the vertical force
that the walls below exert on the particles, divided by the area of a bin. For a bed at rest the integral of the stress
is the weight; under a heap the stress may have a dip (J. Smid, J. Novosad, Proc. Powtech, I. Chem. E. Symp. Ser. 63,
D3/V/1 (1981)).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

import scree.configuration
import scree.contacts
import scree.figure
import scree.repose
import scree.table
import scree.view
from scree.errors import UsageError
from scree.snapshot import Snapshot

BIN = 1.5  # default width of a bin [mean diameters]
LAYER = 0.5  # bins with a smaller depth are beyond the run-out [mean diameters]
BASE_COSINE = 0.1  # smallest cosine between the vertical and the normals of a base, which may be rough
DRAWN_PROFILES = 6  # number of drawn profiles


@dataclasses.dataclass
class Bins:
    """Rings about a vertical line, or slices along a horizontal axis."""

    edges: np.ndarray  # distances from the line, or positions along the axis, [K + 1] [m]
    up: np.ndarray  # unit vector upwards [3]
    centre: np.ndarray  # a point of the vertical line [3] [m]
    along: int | None  # axis of the slices; None: rings
    breadth: float  # of the slices [m]

    @property
    def middles(self) -> np.ndarray:
        return 0.5 * (self.edges[1:] + self.edges[:-1])

    @property
    def areas(self) -> np.ndarray:
        """Areas of the bins, [K] [m^2]."""
        return np.pi * np.diff(self.edges**2) if self.along is None else self.breadth * np.diff(self.edges)

    def sums(self, places: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums of values [N] at positions [N, 3] in the bins, [K]."""
        if self.along is None:
            arms = places - self.centre
            distance = np.linalg.norm(arms - np.outer(arms @ self.up, self.up), axis=1)
        else:
            distance = places[:, self.along]
        return np.histogram(distance, self.edges, weights=values)[0]


def bins(snapshot: Snapshot, along: int | None = None, centre: np.ndarray | None = None, width: float | None = None) -> Bins:
    """Bins over the domain of a Snapshot with particles.

    along: axis of slices; None: rings
    centre: of the rings [m]; None: mean position of the particles
    width: of a bin [m]; None: BIN diameters. Slices have nearly this width, because they divide the domain

    Raises UsageError if the vertical is not parallel to x, y or z, or if it is `along`.
    """
    up = scree.view.vertical(snapshot)
    vertical_axis = int(np.argmax(np.abs(up)))
    if abs(up[vertical_axis]) < 1.0 - 1e-6 or along == vertical_axis:
        restriction = ", but not the axis of the slices" if along == vertical_axis else ""
        raise UsageError(f"gravity is along {-up}; expected x, y or z{restriction}")
    if not len(snapshot):
        raise UsageError(f"'{snapshot.path}' has no particles")
    width = width or BIN * 2.0 * float(snapshot["radius"].mean())
    centre = snapshot["position"].mean(axis=0) if centre is None else np.asarray(centre, dtype=float)
    is_horizontal = np.arange(3) != vertical_axis
    if along is None:
        reach = float(np.linalg.norm(np.maximum(centre - snapshot.lower, snapshot.upper - centre)[is_horizontal]))
        edges, breadth = width * np.arange(max(int(np.ceil(reach / width - 1e-9)), 1) + 1), 0.0
    else:
        low, high = float(snapshot.lower[along]), float(snapshot.upper[along])
        edges = np.linspace(low, high, max(round((high - low) / width), 1) + 1)
        breadth = float((snapshot.upper - snapshot.lower)[is_horizontal & (np.arange(3) != along)][0])
    return Bins(edges, up, centre, along, breadth)


def depths(snapshot: Snapshot, binning: Bins) -> np.ndarray:
    """Depth of the grains in the bins, [K] [m]."""
    return binning.sums(snapshot["position"], snapshot.volumes) / scree.repose.PACKED / binning.areas


def runout(edges: np.ndarray, depth: np.ndarray, layer: float) -> float:
    """Position, outwards from the deepest bin, at which the depth [K] first falls below `layer`, else the end [m]."""
    top = int(np.argmax(depth))
    shallow = np.flatnonzero(depth[top:] < layer)
    if not len(shallow) or not shallow[0]:
        return float(edges[-1] if not len(shallow) else edges[top])
    last = top + shallow[0] - 1
    middles = 0.5 * (edges[1:] + edges[:-1])
    fraction = (depth[last] - layer) / (depth[last] - depth[last + 1])
    return float(middles[last] + fraction * (middles[last + 1] - middles[last]))


def base_stress(snapshot: Snapshot, contacts, binning: Bins) -> np.ndarray:
    """Upward force of the base on the grains, divided by the area of each bin, [K] [Pa].

    Wall contacts belong to the base if their normal points upwards and they are at most a mean diameter above the
    lowest such contact.
    """
    floor_contacts = np.flatnonzero((contacts.b < 0) & (contacts.normal @ binning.up > BASE_COSINE))
    if not len(floor_contacts):
        return np.zeros(len(binning.areas))
    height = contacts.position[floor_contacts] @ binning.up
    floor_contacts = floor_contacts[height <= height.min() + 2.0 * float(snapshot["radius"].mean())]
    force = contacts.total_impulse[floor_contacts] @ binning.up / scree.configuration.time_step_of(snapshot)
    return binning.sums(contacts.position[floor_contacts], force) / binning.areas


@dataclasses.dataclass
class Heap:
    """Quantities of a heap in F frames."""

    times: np.ndarray  # [F] [s]
    bins: Bins
    depth: np.ndarray  # [F, K] [m]
    stress: np.ndarray  # on the base [F, K] [Pa]; NaN for frames without recorded contacts
    height: np.ndarray  # the largest depth, [F] [m]
    runout: np.ndarray  # [F] [m]
    weight: np.ndarray  # of the grains [F] [N]

    @property
    def load(self) -> np.ndarray:
        """Force on the base divided by the weight, [F]; NaN for frames without recorded contacts."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.stress @ self.bins.areas / self.weight


def over_time(frames: Iterable[Snapshot], along: int | None = None, centre: np.ndarray | None = None) -> Heap:
    """The Heap of Snapshots, with the bins of the first Snapshot with particles.

    Raises UsageError without particles.
    """
    binning, profiles = None, []
    for frame in frames:
        if not len(frame):
            continue
        binning = binning or bins(frame, along, centre)
        depth, contacts = depths(frame, binning), scree.contacts.recorded(frame)
        stress = np.full(len(depth), np.nan) if contacts is None else base_stress(frame, contacts, binning)
        layer = LAYER * 2.0 * float(frame["radius"].mean())
        weight = float(frame.masses.sum() * np.linalg.norm(scree.view.gravity(frame)))
        profiles.append((frame.time, depth, stress, depth.max(), runout(binning.edges, depth, layer), weight))
    if binning is None:
        raise UsageError("there are no particles in any of the snapshots")
    times, depth_profiles, stresses, heights, runouts, weights = map(np.array, zip(*profiles))
    return Heap(times, binning, depth_profiles, stresses, heights, runouts, weights)


def write_tables(prefix, heap: Heap) -> list[str]:
    columns = {"time": heap.times, "height": heap.height, "runout": heap.runout, "base_load_over_weight": heap.load}
    scree.table.write(f"{prefix}.csv", ["height, run-out, and load of the base divided by the weight; SI units"], columns)
    position_name = "radius" if heap.bins.along is None else "xyz"[heap.bins.along]
    count = len(heap.bins.areas)
    columns = {"time": np.repeat(heap.times, count), position_name: np.tile(heap.bins.middles, len(heap.times)),
               "depth": heap.depth.ravel(), "base_stress": heap.stress.ravel()}  # fmt: skip
    scree.table.write(f"{prefix}_profiles.csv", ["depth of the grains and stress on the base; SI units"], columns)
    return [f"{prefix}.csv", f"{prefix}_profiles.csv"]


def figure_of(heap: Heap):
    """Profiles at some times, height and run-out over time, and the stress on the base if contacts are recorded."""
    rows_with_stress = np.flatnonzero(np.isfinite(heap.load))
    figure, panels = scree.figure.panels(4 if len(rows_with_stress) else 2, 2)
    filled = np.flatnonzero(heap.depth.any(axis=0))
    shown_bins = slice(max(filled[0] - 1, 0), filled[-1] + 2)
    positions = heap.bins.middles[shown_bins]
    colours = scree.figure.plt.get_cmap(scree.figure.COLOUR_MAP)

    def draw(axes, rows, values, label):
        drawn_rows = np.unique(rows[np.linspace(0, len(rows) - 1, min(DRAWN_PROFILES, len(rows))).astype(int)])
        for number, row in enumerate(drawn_rows):
            axes.plot(positions, values[row][shown_bins], color=colours(0.9 * number / max(len(drawn_rows) - 1, 1)), linewidth=1.1,
                      label=f"{heap.times[row]:.3g} s" if number in (0, len(drawn_rows) - 1) else None)  # fmt: skip
        axes.set_ylim(bottom=min(0.0, np.nanmin(values[drawn_rows])))
        scree.figure.label(axes.xaxis, "radius $r$ [m]" if heap.bins.along is None else f"${'xyz'[heap.bins.along]}$ [m]")
        scree.figure.label(axes.yaxis, label)
        scree.figure.legend(axes, frameon=False, handlelength=1.0)

    draw(panels[0], np.arange(len(heap.times)), heap.depth, "depth $h$ [m]")
    for values, label in ((heap.height, "height"), (heap.runout, "run-out")):
        panels[1].plot(heap.times, values, label=label)
    panels[1].set(xlabel="time $t$ [s]")
    panels[1].set_ylim(bottom=0.0)
    scree.figure.label(panels[1].yaxis, "length [m]")
    scree.figure.legend(panels[1], frameon=False, handlelength=1.0)
    if len(rows_with_stress):
        draw(panels[2], rows_with_stress, heap.stress, "stress on the\nbase $σ$ [Pa]")
        panels[3].plot(heap.times[rows_with_stress], heap.load[rows_with_stress])
        panels[3].axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
        panels[3].set(xlabel="time $t$ [s]", ylabel="load of the base\nover the weight", ylim=(0.0, None))
    return figure
