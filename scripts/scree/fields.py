"""Coarse-grained fields of snapshots: density, momentum, stress, temperature, coordination, fabric.

With a coarse-graining function phi, positions x_i, velocities v_i, masses m_i, and forces f_ik on i at contacts x_ik,

    rho   = sum_i m_i phi(x - x_i)              rho V = sum_i m_i v_i phi(x - x_i)
    sigma = sum_i m_i (v_i - V)(v_i - V) phi(x - x_i)
          + sum_ik f_ik (x_i - x_ik) int_0^1 phi(x - x_ik - s (x_i - x_ik)) ds
    t     = sum_walls f_iw phi(x - x_iw)

The stress is positive in compression; its second index is that of the branch vector. With the force density t of the
walls on the grains (T. Weinhart, A. R. Thornton, S. Luding, O. Bokhove, Granular Matter 14, 289 (2012)), these fields
satisfy the balances of mass and momentum at each point (I. Goldhirsch, Granular Matter 12, 239 (2010)):

    d rho/dt + div(rho V) = 0,      d(rho V)/dt + div(rho V V + sigma) = rho g + t

Along the D resolved axes phi is a Gaussian of standard deviation w, (2 pi w^2)^(-D/2) exp(-r^2/(2 w^2)). It is cut off
at CUT w, where it is 1e-8 of its maximum. Along the other axes phi is 1/L inside the region of length L and 0 outside.
The integral of phi along a contact line is an error function. Densities refer to the whole space, as in the balances.
The solid fraction and the pressure, tr sigma / 3, are divided by the fraction of phi in free space. (Means over cells,
which need no width, are those of `[average.NAME]` in a scene.)
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np
import scipy.spatial
import scipy.special

import scree.contacts
import scree.free_space
import scree.grid
import scree.means
import scree.region
import scree.table
from scree.errors import UsageError

CUT = 6.0  # radius of phi [w]
FREE_CELLS = 4  # cells per w of the lattice that measures free space
MAX_POINT_RADIUS = 1.5  # larger particles are divided into pieces [w]
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")
TENSOR = tuple(i + j for i in "xyz" for j in "xyz")
MAX_POINTS = 10**8  # largest number of points of the lattice that measures free space
KINDS = ("all", "material", "shape")
PANELS = ("solid_fraction", "pressure", "granular_temperature", "coordination")

# Sums at each point, with their numbers of components.
SUMS = {
    "number": 1, "mass": 1, "volume": 1, "momentum": 3, "flux": 6, "stress": 9, "wall_force": 3, "touching": 1,
    "contacts": 1, "fabric": 6,
}  # fmt: skip


@dataclasses.dataclass
class Fields:
    """Means over F frames at the points of a grid, for each kind of particles."""

    axes: tuple[int, ...]  # the resolved axes, [D]
    points: np.ndarray  # positions along these axes, [P, D] [m]
    edges: list[np.ndarray]  # of cells around the points, [D] of [n + 1] [m]; empty if the points are no grid
    width: float  # w [m]
    times: list[float]  # of the F frames [s]
    with_contacts: int  # number of frames with recorded contacts
    kinds: tuple[str, ...]  # [K]; "" means all particles
    sums: dict[str, np.ndarray]  # name -> [K, P, numbers]
    free_share: np.ndarray  # fraction of phi in the domain and outside of solid walls, [P]
    frames: list[dict] = dataclasses.field(default_factory=list)  # sums of each frame; empty unless there is one axis

    def errors(self, kind: int = 0) -> dict[str, np.ndarray]:
        """Standard errors of the columns over the frames, {name: [P]}; empty for several axes and for one frame."""

        def estimate(sums, count):
            remaining = {name: sums[name] for name in SUMS}
            remaining_fields = dataclasses.replace(self, times=self.times[:count], with_contacts=int(sums["with_contacts"]), sums=remaining,
                                          free_share=sums["free_share"] / count)  # fmt: skip
            return remaining_fields.columns(kind)

        return scree.means.jackknife(self.frames, estimate)

    def columns(self, kind: int = 0) -> dict[str, np.ndarray]:
        """Fields of a kind, {name: [P]}, with the column names of averages/*.csv; NaN: unknown."""
        mean = {name: values[kind] / len(self.times) for name, values in self.sums.items()}
        contact_means = {name: self._contact_mean(name, kind) for name in ("stress", "wall_force", "touching")}
        with np.errstate(invalid="ignore", divide="ignore"):
            density, number = mean["mass"][:, 0], mean["number"][:, 0]
            velocity = mean["momentum"] / density[:, None]
            kinetic = mean["flux"] - density[:, None] * _symmetric(velocity)
            columns = {"number_density": number, "mass_density": density}
            columns["solid_fraction"] = np.where(
                self.free_share > scree.free_space.MIN_FREE, mean["volume"][:, 0] / self.free_share, np.nan)
            columns["free_share"] = self.free_share
            columns |= _name_columns("momentum_density", "xyz", mean["momentum"]) | _name_columns("velocity", "xyz", velocity)
            columns["granular_temperature"] = kinetic[:, :3].sum(axis=1) / (3.0 * density)
            columns |= _name_columns("kinetic_stress", SYMMETRIC, kinetic)
            columns |= _name_columns("contact_stress", TENSOR, contact_means["stress"])
            columns |= _name_columns("wall_force_density", "xyz", contact_means["wall_force"])
            columns["coordination"] = contact_means["touching"][:, 0] / number
            traces = kinetic[:, :3].sum(axis=1) + np.nan_to_num(contact_means["stress"][:, ::4].sum(axis=1))
            columns["pressure"] = np.where(self.free_share > scree.free_space.MIN_FREE, traces / (3.0 * self.free_share), np.nan)
            fabric = self.sums["fabric"][kind] / self.sums["contacts"][kind]
            columns |= _name_columns("fabric", SYMMETRIC, fabric)
        return columns

    def _contact_mean(self, name, kind):
        """Mean over the frames with contacts, [P, numbers]; NaN if there are no such frames."""
        with np.errstate(invalid="ignore"):
            return self.sums[name][kind] / (self.with_contacts or np.nan)

    def grid(self, kind: int = 0) -> scree.grid.Grid:
        """Fields of a kind on one or two axes."""
        counts = [len(edges) - 1 for edges in self.edges]
        columns = self.columns(kind) | {f"{name}_error": values for name, values in self.errors(kind).items()}
        columns = {name: values.reshape(counts, order="F") for name, values in columns.items()}
        return scree.grid.Grid(self.axes, self.edges, columns, tuple(self.times))


def _name_columns(name, components, values):
    return {f"{name}_{component}": values[:, k] for k, component in enumerate(components)}


def _symmetric(vectors):
    """Six components of the dyads v v of vectors [N, 3], in the order of SYMMETRIC, [N, 6]."""
    x, y, z = vectors.T
    return np.stack([x * x, y * y, z * z, x * y, x * z, y * z], axis=1)


def gaussian(offsets: np.ndarray, width: float) -> np.ndarray:
    """phi at offsets [..., D] from its centre [1/m^D]."""
    dimensions = offsets.shape[-1]
    return np.exp(-0.5 * (offsets**2).sum(axis=-1) / width**2) / (2.0 * np.pi * width**2) ** (0.5 * dimensions)


def line_integral(starts: np.ndarray, spans: np.ndarray, width: float) -> np.ndarray:
    """Integral over s from 0 to 1 of phi(start + s span) in closed form, [...] for vectors [..., D] [1/m^D]."""
    length = np.linalg.norm(spans, axis=-1)
    length_or_limit = np.maximum(length, 1e-6 * width)  # shorter lines count as points
    projection = (starts * spans).sum(axis=-1) / length_or_limit
    distance_squared = np.maximum((starts**2).sum(axis=-1) - projection**2, 0.0)
    scale = 1.0 / (np.sqrt(2.0) * width)
    erf_difference = scipy.special.erf((projection + length_or_limit) * scale) - scipy.special.erf(projection * scale)
    dimensions = starts.shape[-1]
    factor = np.exp(-0.5 * distance_squared / width**2) / (2.0 * np.pi * width**2) ** (0.5 * (dimensions - 1))
    return factor * 0.5 * erf_difference / length_or_limit


class _Smoother:
    """Spreads values at positions or along lines to the points of a grid by phi."""

    def __init__(self, snapshot, region, axes, points, width):
        self.axes, self.points, self.width = list(axes), points, width
        self.period = snapshot.period
        self.averaged_axes = [axis for axis in range(3) if axis not in axes]
        self.region = region
        self.depth = float(np.prod((region.upper - region.lower)[self.averaged_axes]))  # [m^(3 - D)]
        periods = self.period[self.axes]
        for axis, period in zip(axes, periods):
            if 0.0 < period < 2.0 * CUT * width:
                raise UsageError(
                    f"width {width:g} m: its Gaussian reaches {CUT:g} widths to each side, more than half of the "
                    f"period of {period:g} m along {'xyz'[axis]}; expected at most {period / (2.0 * CUT):g} m"
                )
        self.lower = snapshot.lower[self.axes]
        self.tree = scipy.spatial.cKDTree(self._wrapped(points), boxsize=periods if periods.any() else None)
        self.place_images(snapshot)

    def place_images(self, snapshot):
        """Sets the numbers of periods to the images that can reach the points, [I, 3].

        There are images across the gradient of a shear, and along unresolved periodic axes at the faces of the region. The
        tree has those along resolved periodic axes, and a region without faces needs none.
        """
        self.snapshot = snapshot
        self.has_images = snapshot.repeats & ~(snapshot.periodic & (np.isin(np.arange(3), self.axes) | self.region.endless))
        numbers = itertools.product(*([0, -1, 1] if has_images else [0] for has_images in self.has_images))
        self.images = np.array(list(numbers), dtype=float)[1:]

    def copies(self, positions, margin=0.0):
        """Positions [N, 3], then those of each image near the region: rows [M], positions [M, 3], added velocity [3].

        margin: largest length of lines that begin at the positions [m]
        """
        yield np.arange(len(positions)), positions, np.zeros(3)
        snapshot, is_resolved = self.snapshot, np.isin(np.arange(3), self.axes)
        extent = snapshot.upper - snapshot.lower
        reach = np.where(is_resolved, CUT * self.width, 0.0) + margin
        lower = np.where(is_resolved, snapshot.lower, self.region.lower) - reach
        upper = np.where(is_resolved, snapshot.upper, self.region.upper) + reach
        for periods in self.images:
            places, velocity = positions, np.zeros(3)
            if snapshot.shear and periods[snapshot.shear[2]] != 0.0:
                rate, flow, gradient = snapshot.shear
                places = positions + snapshot.image_offsets(periods[None])
                places[:, flow] = snapshot.lower[flow] + np.mod(places[:, flow] - snapshot.lower[flow], extent[flow])
                velocity = periods[gradient] * rate * extent[gradient] * np.eye(3)[flow]
            places = places + periods * extent
            rows = np.flatnonzero(np.all((places > lower) & (places < upper) | ~self.has_images, axis=1))
            if len(rows):
                yield rows, places[rows], velocity

    def _wrapped(self, positions):
        period = self.period[self.axes]
        relative = positions - self.lower
        wrapped = np.mod(relative, np.where(period > 0.0, period, 1.0))
        wrapped[wrapped >= np.where(period > 0.0, period, np.inf)] = 0.0
        return np.where(period > 0.0, wrapped, relative)

    def _pairs(self, middles, reach):
        """Pairs of positions [N, D] and points that are at most `reach` apart: rows of both, ([M], [M])."""
        if np.ndim(reach) == 0 and len(middles) > len(self.points):
            tree_of_middles = scipy.spatial.cKDTree(self._wrapped(middles), boxsize=self.tree.boxsize)
            points, rows = _near(tree_of_middles, self.tree.data, reach)
            return rows, points
        return _near(self.tree, self._wrapped(middles), reach)

    def _offsets(self, differences):
        """Wraps differences of positions along the resolved axes to the nearest image."""
        period = self.period[self.axes]
        return differences - period * np.round(differences / np.where(period > 0.0, period, np.inf))

    def add_points(self, positions, values, sums):
        """Adds values [N, numbers] at positions [N, 3] and their images; those outside the region do not count."""
        for rows, places, _ in self.copies(positions):
            self.add_copies(places, values[rows], sums)

    def add_copies(self, positions, values, sums):
        """As add_points, without the images."""
        is_in_region = np.all(
            (positions[:, self.averaged_axes] >= self.region.lower[self.averaged_axes])
            & (positions[:, self.averaged_axes] < self.region.upper[self.averaged_axes])
            | self.region.endless[self.averaged_axes], axis=1,
        )  # fmt: skip
        positions, values = positions[is_in_region][:, self.axes], values[is_in_region]
        rows, neighbours = self._pairs(positions, CUT * self.width)
        weights = gaussian(self._offsets(self.points[neighbours] - positions[rows]), self.width) / self.depth
        scree.grid.add(sums, neighbours, weights[:, None] * values[rows])

    def add_lines(self, starts, spans, values, sums):
        """Adds values [N, numbers], spread evenly along lines from `starts` [N, 3] to `starts + spans` [N, 3] and their images."""
        margin = float(np.linalg.norm(spans, axis=1).max(initial=0.0))
        for rows, places, _ in self.copies(starts, margin):
            self._add_line_copies(places, spans[rows], values[rows], sums)

    def _add_line_copies(self, starts, spans, values, sums):
        first, last = self._clipped(starts, spans)
        is_in_region = last > first
        fraction = (last - first)[is_in_region]
        begins = (starts + first[:, None] * spans)[is_in_region][:, self.axes]
        spans, values = ((last - first)[:, None] * spans)[is_in_region][:, self.axes], values[is_in_region] * fraction[:, None]
        reach = CUT * self.width + 0.5 * np.linalg.norm(spans, axis=1)
        rows, neighbours = self._pairs(begins + 0.5 * spans, reach)
        middle = self._offsets(begins[rows] + 0.5 * spans[rows] - self.points[neighbours])
        weights = line_integral(middle - 0.5 * spans[rows], spans[rows], self.width) / self.depth
        scree.grid.add(sums, neighbours, weights[:, None] * values[rows])

    def _clipped(self, starts, spans):
        """Part of each line inside the region along the unresolved axes: first and last s, [N] each."""
        first, last = np.zeros(len(starts)), np.ones(len(starts))
        for axis in self.averaged_axes:
            if self.region.endless[axis]:
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                crossing = (self.region.lower[axis] - starts[:, axis]) / spans[:, axis]
                other_crossing = (self.region.upper[axis] - starts[:, axis]) / spans[:, axis]
            is_parallel = spans[:, axis] == 0.0
            is_inside = (starts[:, axis] >= self.region.lower[axis]) & (starts[:, axis] < self.region.upper[axis])
            first = np.where(is_parallel, np.where(is_inside, first, 1.0), np.maximum(first, np.fmin(crossing, other_crossing)))
            last = np.where(is_parallel, last, np.minimum(last, np.fmax(crossing, other_crossing)))
        return first, last


def _near(tree, positions, reach):
    """Pairs of positions [N, D] and points of a tree that are at most `reach` apart: rows of both, ([M], [M])."""
    indices = tree.query_ball_point(positions, reach, return_sorted=False)
    counts = np.fromiter(map(len, indices), int, len(indices))
    rows = np.repeat(np.arange(len(indices)), counts)
    return rows, (np.concatenate([*indices]).astype(int) if counts.any() else np.zeros(0, int))


def _add_particles(smoother, snapshot, rows, sums):
    positions, velocity, mass = snapshot["position"][rows], snapshot["velocity"][rows], snapshot.masses[rows]
    for copied, places, added_velocity in smoother.copies(positions):
        copy_mass, copy_velocity = mass[copied, None], velocity[copied] + added_velocity
        values = {
            "number": np.ones((len(copied), 1)), "mass": copy_mass,
            "momentum": copy_mass * copy_velocity, "flux": copy_mass * _symmetric(copy_velocity),
        }  # fmt: skip
        for name, particle_values in values.items():
            smoother.add_copies(places, particle_values, sums[name])
    is_large = snapshot["radius"][rows] > MAX_POINT_RADIUS * smoother.width
    small_rows = rows[~is_large]
    smoother.add_points(snapshot["position"][small_rows], snapshot.volumes[small_rows, None], sums["volume"])
    for pieces, volumes in scree.free_space.pieces(snapshot, rows[is_large]):
        smoother.add_points(pieces, volumes[:, None], sums["volume"])


def _add_contacts(smoother, snapshot, contacts, sides, sums):
    """Adds contacts to the sums of a kind.  sides: those of particles of this kind"""
    contact_rows, forces, spans = sides.contact, sides.force, sides.arm
    # Contact points are those at the beginning of the step; particle positions follow from the arms.
    starts = contacts.position[contact_rows]
    # Contacts with walls in faces of the domain may be slightly outside.
    last = np.nextafter(snapshot.upper, snapshot.lower)
    wall_positions = np.where(snapshot.periodic, starts, np.clip(starts, snapshot.lower, last))
    is_wall, is_touching = contacts.b[contact_rows] < 0, contacts.touching[contact_rows]
    stress = np.einsum("ni,nj->nij", forces, spans).reshape(-1, 9)
    smoother.add_lines(starts, spans, stress, sums["stress"])
    smoother.add_points(wall_positions[is_wall], forces[is_wall], sums["wall_force"])
    ends = starts[is_touching] + spans[is_touching]
    # All contact points of a pair count as one neighbour.
    pair_of_touching = contacts.taken(contacts.touching).pairs()
    weight_in_pair = np.zeros(len(contacts))
    weight_in_pair[contacts.touching] = 1.0 / np.bincount(pair_of_touching)[pair_of_touching]
    smoother.add_points(ends, weight_in_pair[contact_rows[is_touching], None], sums["touching"])
    weights = np.where(is_wall, 1.0, 0.5)[is_touching, None]
    smoother.add_points(starts[is_touching], weights, sums["contacts"])
    smoother.add_points(starts[is_touching], weights * _symmetric(contacts.normal[contact_rows][is_touching]), sums["fabric"])


def grid(region, axes, counts):
    """Points in the middle of equal cells of a region along these axes, x fastest: [P, D] [m]."""
    edges = scree.grid.edges(region, axes, counts)
    middles = np.meshgrid(*(0.5 * (axis_edges[:-1] + axis_edges[1:]) for axis_edges in edges), indexing="ij")
    return np.stack([values.ravel(order="F") for values in middles], axis=1)


def fields(
    snapshots: Iterable, region_of, axes, counts, width: float | None = None, by: str = "all", points=None,
    contacts_of=scree.contacts.recorded,
) -> Fields:  # fmt: skip
    """The Fields of Snapshots.

    region_of: Snapshot -> Region;  axes: one to three resolved axes;  counts: numbers of points along these axes
    width: w [m]; None: the mean radius in the first snapshot, which must have particles;  by: one of KINDS
    points: positions of the points, [P, D] [m]; None: those of a grid
    contacts_of: Snapshot -> Contacts with impulses, or None

    Without output.contacts = yes the fields of contacts are NaN. Raises UsageError if no particle
    is in its region, or if the width is too small for the region.
    """
    result = space = None
    for snapshot in snapshots:
        kinds, names = (np.zeros(len(snapshot), int), ("",)) if by == "all" else snapshot.kinds(by)
        region = region_of(snapshot)
        if result is None:
            if width is None and not len(snapshot):
                raise UsageError(f"'{snapshot.path}' has no particles, whose mean radius is the default width; "
                                 "expected a width")
            width = width or float(snapshot["radius"].mean())
            count = int(np.prod(counts)) if points is None else len(points)
            result = Fields(tuple(axes), np.zeros((count, len(axes))), [], width, [], 0, names, {}, np.zeros(count))
        last_space, space = space, (snapshot.poses, *region.lower, *region.upper)
        is_new_space = last_space != space
        if is_new_space:
            result.points = grid(region, axes, counts) if points is None else np.asarray(points, dtype=float)
            result.edges = scree.grid.edges(region, axes, counts) if points is None else []
            smoother = _Smoother(snapshot, region, axes, result.points, width)
        smoother.place_images(snapshot)
        if is_new_space:
            frame_free_share = free_share(smoother, snapshot)
        contacts = contacts_of(snapshot)
        sums = {name: np.zeros((len(names), len(result.points), numbers)) for name, numbers in SUMS.items()}
        _add_frame(smoother, snapshot, contacts, kinds, sums)
        result.times.append(snapshot.time)
        result.free_share += frame_free_share
        result.with_contacts += contacts is not None
        result.sums = {name: result.sums.get(name, 0.0) + values for name, values in sums.items()}
        if len(axes) == 1:
            result.frames.append(sums | {"free_share": frame_free_share, "with_contacts": float(contacts is not None)})
    if result is None or not result.sums["number"].any():
        raise UsageError("there are no particles in the region")
    result.free_share /= len(result.times)
    return result


def _add_frame(smoother, snapshot, contacts, kinds, sums):
    """Adds the particles and contacts of a Snapshot.  kinds: row of each particle in the sums, [N]"""
    sides = contacts.sides(snapshot) if contacts is not None and len(contacts) else None
    for kind in range(len(sums["number"])):
        sums_of_kind = {name: values[kind] for name, values in sums.items()}
        _add_particles(smoother, snapshot, np.flatnonzero(kinds == kind), sums_of_kind)
        if sides is not None:
            _add_contacts(smoother, snapshot, contacts, sides.taken(kinds[sides.particle] == kind), sums_of_kind)


def free_share(smoother, snapshot):
    """Fraction of phi in free space (scree.free_space) at each point, [P]."""
    region, axes = smoother.region, smoother.axes
    is_resolved = np.isin(np.arange(3), axes)
    reach = np.where(is_resolved, np.where(snapshot.repeats, np.inf, CUT * smoother.width), 0.0)
    lower = np.maximum(region.lower - reach, snapshot.lower)
    upper = np.minimum(region.upper + reach, snapshot.upper)
    with np.errstate(over="ignore"):
        lattice_counts = np.maximum(np.ceil(FREE_CELLS * ((upper - lower)[axes] / smoother.width)), 1.0)
    if np.prod(lattice_counts) > MAX_POINTS:
        raise UsageError(f"width {smoother.width:g} m is too small for {region}: its free space needs "
                         f"{np.prod(lattice_counts):.3g} lattice points; expected at most {MAX_POINTS}")
    counts = lattice_counts.astype(int)
    lattice_points = grid(scree.region.Region(lower, upper, region.endless), axes, counts)
    free_fraction = scree.free_space.shares(snapshot, lower, upper, axes, counts, fine=1)
    volume = np.prod((upper - lower)[axes] / counts) * smoother.depth
    positions = np.tile(0.5 * (lower + upper), (len(lattice_points), 1))
    positions[:, axes] = lattice_points
    sums = np.zeros((len(smoother.points), 1))
    smoother.add_points(positions, volume * free_fraction[:, None], sums)
    return sums[:, 0]


def write_table(path, result: Fields, region) -> None:
    """Writes a row for each point, x fastest, for each kind in turn."""
    axis_names = "".join("xyz"[axis] for axis in result.axes)
    notes = [
        f"fields along {axis_names}, {scree.means.over(result.times)}, {result.with_contacts} of them with contacts; SI units",
        f"region {region}",
        f"coarse graining by a Gaussian of standard deviation {result.width:.9g} m along {axis_names}",
        "stress is positive under pressure, and its second index is that of the branch vector; coordination counts "
        "neighbours; solid_fraction and pressure (a third of the trace) are relative to the free space, free_share; "
        "the other densities are relative to the whole space",
    ]  # fmt: skip
    rows: dict[str, np.ndarray] = {}
    blocks = []
    for kind, name in enumerate(result.kinds):
        block = {"kind": np.full(len(result.points), name)} if len(result.kinds) > 1 else {}
        block |= {"xyz"[axis]: result.points[:, k] for k, axis in enumerate(result.axes)}
        errors = result.errors(kind)
        blocks.append(block | result.columns(kind) | {f"{name}_error": errors[name] for name in PANELS if errors})
    for name in blocks[0]:
        rows[name] = np.concatenate([block[name] for block in blocks])
    scree.table.write(path, notes, rows)
