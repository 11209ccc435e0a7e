"""Statistics of contacts in a region: coordination, forces, fabric, stress; figures of these and of force chains.

Coordination Z is the number of touching neighbours of a body, including walls if contacts were recorded. The number of
contact points is larger if polyhedra or clumps touch in several points. The force of a pair is the norm of the sum of
the normal forces at its contact points (scree.contacts.Contacts.pairs). In means over frames each body, pair or contact
has the same weight. In the mean of the stress each frame has the same weight.
"""

import dataclasses

import numpy as np
from matplotlib.collections import LineCollection

import scree.configuration
import scree.figure
import scree.force_network
import scree.free_space
import scree.means
import scree.region
import scree.table
import scree.view
import scree.wall_drawing
from scree.errors import UsageError

FIELDS = ("position", "radius", "material")
COORDINATIONS = 16  # more than the 12 of equal spheres; the last bin contains all larger numbers
FORCE_BIN, MAX_FORCE = 0.25, 100.0  # bins of P(f) [mean forces]: width, and largest upper end of the last bin
SLAB = 4.0  # largest thickness of the slab whose chains are drawn [mean diameters]
LINE_WIDTH, MAX_LINE_WIDTH = 0.08, 1.0  # line width of the mean force [mean diameters], and its maximum [points]
MAX_LINE_FORCE = 8.0  # force of the widest line [mean forces]
LOG_BINS, MIN_FORCE = 8, 1e-4  # log. bins per decade; lower limit [mean forces]: weaker forces are solver errors
DRAWS, BAND = 400, (2.5, 97.5)  # bootstrap: number of resamples, and percentiles of the band
COMPONENTS = [f"{i}{j}" for i in "xyz" for j in "xyz"]


@dataclasses.dataclass
class Statistics:
    """Statistics of one frame; those that require impulses are None if contacts were not recorded."""

    time: float  # [s]
    particles: int
    coordination: np.ndarray  # [COORDINATIONS + 1], fractions of the particles with 0, 1, ... neighbours
    mean_coordination: float
    contact_points: float  # mean per particle
    touching: int  # number of touching contact points in the region
    fabric: np.ndarray  # [3, 3]; NaN without contacts
    plane: tuple[int, int]  # axes of the rose diagrams
    rose: np.ndarray  # touching contacts per sector of a half turn in the plane, see scree.force_network
    forces: np.ndarray | None = None  # normal forces of the loaded pairs, divided by their mean, [P]
    mean_impulse: float | None = None  # mean of the loaded pairs [N s]
    mean_force: float | None = None  # mean impulse divided by the time step [N]
    stress: np.ndarray | None = None  # [3, 3] [Pa]
    network: scree.force_network.Network | None = None  # of the loaded contacts


def contact_points(snapshot, contacts):
    """Number of contacts of each particle: [N]."""
    ends = np.concatenate([contacts.a, contacts.b[contacts.b >= 0]])
    return np.bincount(ends, minlength=len(snapshot))


def coordination(snapshot, contacts):
    """Number of touching neighbours of each particle, walls included: [N]."""
    touching = contacts.taken(contacts.touching)
    return contact_points(snapshot, touching.taken(np.unique(touching.pairs(), return_index=True)[1]))


def pair_impulses(contacts):
    """For each pair with normal impulses: row of one of its contacts [P], norm of the sum of its impulses [P] [N s]."""
    pair = contacts.pairs()
    rows = np.unique(pair, return_index=True)[1]
    sums = np.zeros((len(rows), 3))
    sign = np.where(contacts.a == contacts.a[rows][pair], 1.0, -1.0)
    np.add.at(sums, pair, (sign * contacts.normal_impulse)[:, None] * contacts.normal)
    norm = np.linalg.norm(sums, axis=1)
    return rows[norm > 0.0], norm[norm > 0.0]


def fabric(normals):
    """<n n> [3, 3] of normals [C, 3]; NaN without normals."""
    if not len(normals):
        return np.full((3, 3), np.nan)
    return normals.T @ normals / len(normals)


def stress(contacts, branches, dt, volume):
    """Contact stress [3, 3] [Pa] of contacts with branch vectors [C, 3] [m]; positive in compression.

    dt: time step [s]
    """
    return contacts.total_impulse.T @ branches / (dt * volume)


def statistics(snapshot, contacts, region, plane=None):
    """Statistics of a Snapshot's Contacts in a Region; raises UsageError if no particle is in it.

    plane: two axes of the rose diagrams; None: those of the scene
    """
    is_inside = region.holds(snapshot["position"])
    if not is_inside.any():
        raise UsageError(f"'{snapshot.path}' has no particles in {region}")
    counts = coordination(snapshot, contacts)[is_inside]
    neighbour_counts = np.bincount(np.minimum(counts, COORDINATIONS), minlength=COORDINATIONS + 1)
    region_contacts = contacts.within(region, snapshot)
    normals = region_contacts.normal[region_contacts.touching]
    plane = plane or scree.view.main(snapshot).axes
    rose = scree.force_network.rose(normals, np.ones(len(normals)), plane)
    result = Statistics(
        snapshot.time, len(counts), neighbour_counts / len(counts), float(counts.mean()),
        float(contact_points(snapshot, contacts.taken(contacts.touching))[is_inside].mean()),
        len(normals), fabric(normals), plane, rose,
    )  # fmt: skip
    if region_contacts.impulse is not None:
        dt = scree.configuration.time_step_of(snapshot)
        free_volume = scree.free_space.volume(snapshot, region.lower, region.upper) or region.volume
        result.stress = stress(region_contacts, region_contacts.branch(snapshot), dt, free_volume)
        _, loads = pair_impulses(region_contacts)
        if len(loads):
            result.mean_impulse, result.mean_force = float(loads.mean()), float(loads.mean() / dt)
            result.forces = loads / result.mean_impulse
            result.network = scree.force_network.network(snapshot, contacts, region, plane)
    return result


# Weight of a frame when a quantity is averaged over frames: the number of items that the quantity is a mean of. For
# quantities that are not listed the weight is 1.
_COUNTS = {
    "coordination": lambda frame: frame.particles, "mean_coordination": lambda frame: frame.particles,
    "contact_points": lambda frame: frame.particles, "fabric": lambda frame: frame.touching, "mean_impulse": lambda frame: len(frame.forces),
    "mean_force": lambda frame: len(frame.forces),
}  # fmt: skip


def average(frames, name):
    """Mean and standard error of a quantity over the [Statistics] with a value; None without values."""
    frames_with_value = [frame for frame in frames if getattr(frame, name) is not None]
    weights = [_COUNTS.get(name, lambda _: 1)(frame) for frame in frames_with_value]
    return scree.means.frame_mean([getattr(frame, name) for frame in frames_with_value], weights) if frames_with_value else None


def force_density(frames):
    """P(f) of all loaded pairs of [Statistics]. Each f is divided by the mean of its frame, so that its mean is 1.

    Returns edges of bins [K + 1], the density and its standard error over the frames [K], and the fraction of pairs
    beyond the last edge, which is 0 unless a force exceeds MAX_FORCE. None without forces.
    """
    frame_forces = [frame.forces for frame in frames if frame.forces is not None]
    if not frame_forces:
        return None
    max_force = min(max(values.max() for values in frame_forces), MAX_FORCE)
    edges = FORCE_BIN * np.arange(max(np.ceil(max_force / FORCE_BIN), 1) + 1)
    counts = [len(values) for values in frame_forces]
    fractions = [np.histogram(values, edges)[0] / len(values) for values in frame_forces]
    density, error = scree.means.frame_mean(np.array(fractions) / FORCE_BIN, counts)
    return edges, density, error, max(0.0, 1.0 - density.sum() * FORCE_BIN)


@dataclasses.dataclass
class ForceDistribution:
    """P(f) of f = force / mean force, in K logarithmic bins, with a 95 % band."""

    edges: np.ndarray  # [K + 1]
    density: np.ndarray  # [K]
    low: np.ndarray  # lower end of the band, [K]
    high: np.ndarray  # upper end of the band, [K]
    below: float  # fraction of the pairs below the first edge

    @property
    def middles(self):
        """Geometric means of the edges of each bin, [K]."""
        return np.sqrt(self.edges[1:] * self.edges[:-1])


def force_distribution(frames, draws=DRAWS, seed=1):
    """The ForceDistribution of all loaded pairs of [Statistics]; None without forces.

    The ends of the band are percentiles of a bootstrap (B. Efron, Ann. Stat. 7, 1 (1979)), which draws frames with
    replacement. For a single frame it draws pairs, which are correlated, so that the band is too narrow. Each f is
    divided by the mean of its resample.
    """
    frame_forces = [frame.forces for frame in frames if frame.forces is not None]
    if not frame_forces:
        return None
    all_forces = np.concatenate(frame_forces)
    first, last = np.floor(LOG_BINS * np.log10(max(all_forces.min(), MIN_FORCE)) + 1e-9), np.floor(LOG_BINS * np.log10(all_forces.max())) + 1
    edges = 10.0 ** (np.arange(first, last + 1) / LOG_BINS)
    random = np.random.default_rng(seed)

    def density(values):
        values = np.minimum(values / values.mean(), edges[-1])
        return np.histogram(values, edges)[0] / (len(values) * np.diff(edges))

    def resample():
        if len(frame_forces) == 1:
            return random.choice(all_forces, len(all_forces))
        return np.concatenate([frame_forces[k] for k in random.integers(len(frame_forces), size=len(frame_forces))])

    densities = [density(resample()) for _ in range(draws)]
    lower, upper = np.percentile(densities, BAND, axis=0)
    return ForceDistribution(edges, density(all_forces), lower, upper, float(np.mean(all_forces / all_forces.mean() < edges[0])))


def write_tables(prefix, frames, region):
    """Writes the tables of scripts/contacts.py, PREFIX_coordination.csv and others; returns their paths."""
    notes = [f"region of the last snapshot {region}, {scree.means.over([frame.time for frame in frames])}"]
    fractions, error = average(frames, "coordination")
    mean, _ = average(frames, "mean_coordination")
    columns = {"coordination": np.arange(len(fractions)), "share": fractions, "error": error}
    points, _ = average(frames, "contact_points")
    note = (f"neighbours that touch, mean {mean:.9g}, in {points:.9g} contact points; "
            f"the last row has all particles with {COORDINATIONS} or more")
    scree.table.write(f"{prefix}_coordination.csv", notes + [note], columns)

    tensors = {"component": COMPONENTS}
    for name, unit in (("fabric", ""), ("stress", "_pa")):
        tensor = average(frames, name)
        if tensor is not None:
            mean, error = (values.ravel() for values in tensor)
            tensors |= {f"{name}{unit}": mean, f"{name}{unit}_error": error}
    scree.table.write(f"{prefix}_tensors.csv", notes, tensors)
    paths = [f"{prefix}_coordination.csv", f"{prefix}_tensors.csv"]

    density_of_forces = force_density(frames)
    if density_of_forces:
        edges, density, error, beyond = density_of_forces
        (mean, _), (force, _) = (average(frames, f"mean_{name}") for name in ("impulse", "force"))
        columns = {"impulse_over_mean": 0.5 * (edges[:-1] + edges[1:]), "density": density, "error": error}
        note = f"of pairs: mean impulse {mean:.9g} N s, mean force {force:.9g} N; fraction beyond the last row {beyond:.3g}"
        scree.table.write(f"{prefix}_impulses.csv", notes + [note], columns)
        numbers = network_numbers(frames)
        columns = {"quantity": list(numbers), "value": [mean for mean, _ in numbers.values()],
                   "error": [error for _, error in numbers.values()]}  # fmt: skip
        scree.table.write(f"{prefix}_network.csv", notes + ["of loaded contacts; formulas: scree/force_network.py"], columns)
        distribution = force_distribution(frames)
        columns = {"impulse_over_mean": distribution.middles, "density": distribution.density, "low": distribution.low, "high": distribution.high}
        scree.table.write(f"{prefix}_impulses_log.csv", notes + [
            f"of pairs, logarithmic bins; low, high: 95 % band of a bootstrap; fraction below the first row {distribution.below:.3g}"], columns)
        paths += [f"{prefix}_impulses.csv", f"{prefix}_impulses_log.csv", f"{prefix}_network.csv"]
    return paths


def draw_coordination(axes, frames):
    fractions, error = average(frames, "coordination")
    axes.bar(np.arange(len(fractions)), fractions, width=0.9)
    error = np.nan_to_num(error)  # a single frame has no error
    axes.errorbar(np.arange(len(fractions)), fractions, error, fmt="none", ecolor="black", capsize=2)
    last_used = np.flatnonzero(fractions)[-1]
    axes.set(
        xlabel="neighbours that touch a particle", ylabel="share of the particles", xlim=(-0.7, last_used + 0.7),
    )
    mean, points = (average(frames, name)[0] for name in ("mean_coordination", "contact_points"))
    in_points = f"\n({points:.4g} contact points)" if points > (1.0 + 1e-9) * mean else ""
    axes.set_title(f"coordination, mean $Z$ = {mean:.4g}{in_points}", fontsize="medium")
    axes.xaxis.get_major_locator().set_params(integer=True)


def draw_forces(axes, frames):
    edges, density, error, beyond = force_density(frames)
    density = np.where(density > 0.0, density, np.nan)
    middles = 0.5 * (edges[:-1] + edges[1:])
    axes.errorbar(middles, density, np.nan_to_num(error), fmt="o", markersize=3)
    frame_forces = [frame.forces for frame in frames if frame.forces is not None]
    beta, _ = scree.force_network.tail(frame_forces)
    if np.isfinite(beta):
        start, fraction = scree.force_network.TAIL, np.mean(np.concatenate(frame_forces) > scree.force_network.TAIL)
        forces = np.linspace(start, edges[-1], 50)
        axes.plot(forces, fraction * beta * np.exp(-beta * (forces - start)), linewidth=1.2, label=rf"$e^{{-{beta:.2g} f}}$")
        axes.legend(fontsize=scree.figure.SMALL, frameon=False)
    axes.set_yscale("log")
    # The limits ignore error bars: one as large as its value would extend to zero, which has no logarithm.
    axes.set_ylim(0.5 * np.nanmin(density), 2.0 * np.nanmax(density))
    axes.set(
        xlabel=r"normal force $f_n\,/\,\langle f_n\rangle$", ylabel="probability density", xlim=(0.0, edges[-1]),
    )
    beyond_text = f"\n({100.0 * beyond:.2g} % beyond)" if beyond > 1e-12 else ""
    axes.set_title(rf"forces of pairs, $\langle f_n\rangle$ = {average(frames, 'mean_force')[0]:.3g} N{beyond_text}", fontsize="medium")


def draw_log_forces(axes, frames):
    """P(f) with a logarithmic axis of f, which shows the weak forces."""
    distribution = force_distribution(frames)
    is_filled = distribution.density > 0.0
    axes.plot(distribution.middles[is_filled], distribution.density[is_filled], "o", markersize=3)
    floor = 0.5 * distribution.density[is_filled].min()
    axes.fill_between(distribution.middles, np.maximum(distribution.low, floor), np.maximum(distribution.high, floor), alpha=0.3, linewidth=0.0)
    scree.figure.logarithmic(axes, "xy")
    axes.set_ylim(floor, 2.0 * distribution.density.max())
    axes.set(xlabel=r"normal force $f_n\,/\,\langle f_n\rangle$", ylabel="probability density")
    axes.set_title("band: 95 %, bootstrap", fontsize="medium")


def network_numbers(frames):
    """Result of scree.force_network.numbers for the [Statistics] with loaded contacts; None if there are none."""
    frames_with_network = [frame for frame in frames if frame.network is not None]
    if not frames_with_network:
        return None
    return scree.force_network.numbers(*([getattr(frame, name) for frame in frames_with_network] for name in ("network", "stress", "forces")))


def _sector_counts(frames):
    """Numbers of contacts in the sectors of the rose: loaded contacts, or touching contacts if forces are unknown."""
    networks = [frame.network for frame in frames if frame.network is not None]
    return np.sum([network.counts for network in networks] if networks else [frame.rose for frame in frames], axis=0)


def draw_rose(axes, frames):
    """Draws the rose diagram of directions.  axes: polar"""
    networks = [frame.network for frame in frames if frame.network is not None]
    loads = np.sum([network.loads for network in networks], axis=0) if networks else None
    scree.force_network.draw_rose(axes, _sector_counts(frames), loads, frames[0].plane)


def figure_of(frames):
    """A figure of [Statistics]: coordination and directions.

    With recorded contacts also forces and mobilised friction.
    """
    drawings = [draw_coordination] + [draw_rose] * bool(_sector_counts(frames).any())
    networks = [frame.network for frame in frames if frame.network is not None]
    if networks:
        drawings[1:1] = [draw_forces, draw_log_forces]
    if any(network.limited for network in networks):
        drawings.append(lambda axes, _: scree.force_network.draw_mobilised(axes, networks))
    figure, panels = scree.figure.panels(len(drawings), 2, polar=[k for k, draw in enumerate(drawings) if draw is draw_rose])
    for axes, draw in zip(panels, drawings):
        draw(axes, frames)
    return figure


def draw_chains(axes, snapshot, contacts, region, plane):
    """Draws the branch vectors of the loaded pairs in the region, projected onto a plane of two axes.

    Width and colour grow with the normal force; lines below the mean force are thin and grey.
    """
    region_contacts = contacts.within(region, snapshot)
    rows, impulses = pair_impulses(region_contacts)
    region_contacts, ratio = region_contacts.taken(rows), impulses / impulses.mean()
    start = snapshot["position"][region_contacts.a]
    end = start - region_contacts.branch(snapshot)
    name, metres = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    lines = np.stack([start, end], axis=1)[:, :, list(plane)] / metres
    is_weak = ratio < 1.0
    axes.add_collection(LineCollection(lines[is_weak], colors="0.75", linewidths=0.3))
    strong_rows = np.flatnonzero(~is_weak)
    strong_rows = strong_rows[np.argsort(ratio[strong_rows])]
    top = max(float(np.quantile(ratio, 0.999)), 2.0)
    chains = LineCollection(
        lines[strong_rows], array=ratio[strong_rows], cmap="inferno_r", capstyle="round",
    )  # fmt: skip
    chains.set_clim(1.0, top)
    axes.add_collection(chains)
    scree.wall_drawing.draw(axes, snapshot, scree.view.of_plane(snapshot, plane), metres, zorder=3)
    axes.set_aspect("equal")
    h, v = plane
    axes.set(xlabel=f"${'xyz'[h]}$ [{name}]", ylabel=f"${'xyz'[v]}$ [{name}]")
    margin = snapshot["radius"].max() / metres
    for set_limits, k in ((axes.set_xlim, 0), (axes.set_ylim, 1)):
        set_limits(lines[:, :, k].min() - margin, lines[:, :, k].max() + margin)
    # Line widths are proportional to the drawn size of the particles [points].
    extent = lines.max(axis=(0, 1)) - lines.min(axis=(0, 1)) + 2.0 * margin
    scale = 72.0 * min(axes.figure.get_size_inches() * axes.get_position().size / extent)
    unit = min(scale * LINE_WIDTH * 2.0 * float(snapshot["radius"].mean()) / metres, MAX_LINE_WIDTH)
    chains.set_linewidths(unit * np.minimum(ratio[strong_rows], MAX_LINE_FORCE))
    title = f"loaded pairs at {region.text([3 - sum(plane)])}\n" + r"$f_n\,/\,\langle f_n\rangle$ (grey: below 1)"
    scree.figure.draw_bar(axes, chains, title, is_exceeded=True)


def slab(snapshot, contacts, region, plane):
    """Part of a Region whose chains are drawn: SLAB mean diameters thick, centred on the median loaded contact."""
    sight_axis = 3 - sum(plane)
    half_thickness = SLAB * float(snapshot["radius"].mean())
    region_contacts = contacts.within(region, snapshot)
    positions = np.sort(region_contacts.position[region_contacts.normal_impulse > 0.0, sight_axis])
    middle = float(positions[len(positions) // 2])
    lower, upper, endless = region.lower.copy(), region.upper.copy(), region.endless.copy()
    lower[sight_axis], upper[sight_axis] = max(lower[sight_axis], middle - half_thickness), min(upper[sight_axis], middle + half_thickness)
    endless[sight_axis] &= upper[sight_axis] - lower[sight_axis] == (region.upper - region.lower)[sight_axis]
    return scree.region.Region(lower, upper, endless)


def chain_figure(snapshot, contacts, region, plane):
    """The figure that `draw_chains` draws in the `slab` of a region."""
    region = slab(snapshot, contacts, region, plane)
    extent_x, extent_y = (region.upper - region.lower)[list(plane)]
    width = scree.figure.PAGE
    height = min(max(width * extent_y / extent_x, 1.5), 1.2 * width) + 0.8
    figure, (axes,) = scree.figure.panels(1, 1, (width, height), layout="compressed")
    draw_chains(axes, snapshot, contacts, region, plane)
    return figure
