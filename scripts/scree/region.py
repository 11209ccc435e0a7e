"""Regions: boxes in space."""

import dataclasses

import numpy as np

from scree.errors import UsageError

# Tolerance for equal corners of domain and region, relative to the extent of the domain.
ROUNDING = 1e-9


@dataclasses.dataclass
class Region:
    """A box: lower <= position < upper along each axis."""

    lower: np.ndarray  # [3] [m]
    upper: np.ndarray  # [3] [m]
    endless: np.ndarray  # [3] of bool: the axis is periodic and the region spans it, without faces

    @property
    def volume(self):
        """Volume [m^3]."""
        return float(np.prod(self.upper - self.lower))

    def holds(self, positions):
        """Whether positions [N, 3] are inside: [N] of bool."""
        return np.all((positions >= self.lower) & (positions < self.upper), axis=1)

    def within(self, margin):
        """This region, reduced by a margin [m] at each of its faces."""
        inset = np.where(self.endless, 0.0, margin)
        return Region(self.lower + inset, self.upper - inset, self.endless)

    def text(self, axes=(0, 1, 2)):
        """Region as text in a suitable unit; the axes have names if there are fewer than three."""
        for name, metres in (("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)):
            if np.max(np.abs([self.lower, self.upper])) < 100 * metres or name == "m":
                ends = zip(self.lower / metres, self.upper / metres)
                ends = [f"{a:.3g} to {b:.3g}" for a, b in ends]
                if len(axes) == 3:
                    return " × ".join(ends) + f" {name}"
                return ", ".join(f"{'xyz'[axis]} = {ends[axis]} {name}" for axis in axes)

    def __str__(self):
        return " x ".join(f"[{a:.9g}, {b:.9g}]" for a, b in zip(self.lower, self.upper)) + " m"


def make(snapshot, lower=None, upper=None):
    """Region between two corners, [3] each [m]; None means the corner of the snapshot's domain.

    Raises UsageError if the region is empty or reaches beyond the domain.
    """
    extent = snapshot.upper - snapshot.lower
    slack = ROUNDING * extent
    lower = snapshot.lower if lower is None else np.asarray(lower, dtype=float)
    upper = snapshot.upper if upper is None else np.asarray(upper, dtype=float)
    for axis in range(3):
        edges_text = f"the region's {'xyz'[axis]} from {lower[axis]:g} to {upper[axis]:g} m"
        if not lower[axis] < upper[axis]:
            raise UsageError(f"{edges_text}: the lower corner must lie below the upper")
        if lower[axis] < snapshot.lower[axis] - slack[axis] or (
            upper[axis] > snapshot.upper[axis] + slack[axis]
        ):
            raise UsageError(
                f"{edges_text} reaches beyond the domain of '{snapshot.path}', which has "
                f"{snapshot.lower[axis]:g} to {snapshot.upper[axis]:g} m"
            )
    spans = (upper > snapshot.upper - slack) & (lower < snapshot.lower + slack)
    return Region(lower, upper, snapshot.periodic & spans)


def carried(region, domain, other):
    """Scales a Region from one domain to another, because the edges of a [cell] change.

    domain, other: Snapshots with the domains before and after
    """
    if np.array_equal(domain.lower, other.lower) and np.array_equal(domain.upper, other.upper):
        return region
    stretch = (other.upper - other.lower) / (domain.upper - domain.lower)
    lower, upper = (other.lower + (corner - domain.lower) * stretch for corner in (region.lower, region.upper))
    return Region(np.where(region.endless, other.lower, lower), np.where(region.endless, other.upper, upper), region.endless)


def following(region, domain):
    """A function that scales `region` from the Snapshot `domain` to the Snapshot that it gets, by `carried`."""
    return lambda snapshot: carried(region, domain, snapshot)


def taken(snapshot):
    """Part of the domain with particles and a margin of the largest diameter; without particles the whole domain."""
    if not len(snapshot):
        return make(snapshot)
    margin = 2.0 * snapshot["radius"].max()
    lower = np.maximum(snapshot["position"].min(axis=0) - margin, snapshot.lower)
    upper = np.minimum(snapshot["position"].max(axis=0) + margin, snapshot.upper)
    # Along periodic axes there is no empty space.
    return make(snapshot, np.where(snapshot.periodic, snapshot.lower, lower),
                np.where(snapshot.periodic, snapshot.upper, upper))  # fmt: skip


def of_grains(snapshots, axes):
    """Default region of maps and profiles along `axes`: the region of the grains of all these Snapshots.

    Along `axes` it contains all grains at all times. Values are averaged along the other axes. If the grains fill the
    domain along such an axis, the region spans the domain; otherwise it contains the middle half of the grains,
    averaged over the snapshots, to exclude free surfaces and round walls. The domain is that of the last snapshot.
    """
    regions, last = [], None
    for snapshot in snapshots:
        if len(snapshot):
            regions.append((dataclasses.replace(snapshot, fields={}), taken(snapshot), middle(snapshot)))
        last = snapshot
    domain = make(last)
    boxes = [[carried(box, snapshot, last) for box in corners] for snapshot, *corners in regions]
    if not boxes:
        return domain
    (low, high), (inner_low, inner_high) = (
        ([box.lower for box in kind], [box.upper for box in kind]) for kind in zip(*boxes))
    low, high = np.min(low, axis=0), np.max(high, axis=0)
    spans_grains = (low <= domain.lower) & (high >= domain.upper) | np.isin(np.arange(3), axes)
    lower, upper = np.where(spans_grains, (low, high), np.mean([inner_low, inner_high], axis=1))
    return Region(lower, upper, domain.endless)


def middle(snapshot):
    """Middle half of the particles along each non-periodic axis, at least as wide as the largest sphere."""
    inner = np.quantile(snapshot["position"], [0.25, 0.5, 0.75], axis=0)
    radius = snapshot["radius"].max()
    inner = np.minimum(inner[0], inner[1] - radius), np.maximum(inner[2], inner[1] + radius)
    lower = np.where(snapshot.periodic, snapshot.lower, np.maximum(inner[0], snapshot.lower))
    return make(snapshot, lower, np.where(snapshot.periodic, snapshot.upper, np.minimum(inner[1], snapshot.upper)))
