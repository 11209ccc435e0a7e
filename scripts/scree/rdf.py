"""The radial distribution function g(r) of the particles in a region, and g_ij(r) of two kinds of particles.

There are three treatments of shells that extend beyond a region. (1) Only particles of the region farther than r_max
from the faces of the domain count as centres (`radial_distribution`). (2) Counts are divided by the set covariance of
the region: the fraction of the region that stays inside after a shift by the distance, averaged over directions
(`in_window`; J. Ohser, Math. Operationsforsch. Statist. 14, 63 (1983)). This works for regions of any size. (3) No
correction.
"""

import dataclasses
import itertools
import math
import warnings

import matplotlib.ticker
import numpy as np
import scipy.spatial

import scree.figure
import scree.means
import scree.region
import scree.structure_factor
import scree.table
import scree.walls
from scree.errors import UsageError

R_MAX = 5.0  # default range of r in a large region [diameters]
MIN_INSIDE = 0.1  # smallest fraction of a window that must stay inside after a shift by r_max
DIRECTIONS = 32  # number of directions per quarter turn
MAX_REACH = 0.4  # largest r_max relative to a non-periodic edge of the domain; above 0.5 there would be no centres
BIN = 0.05  # default width of a bin [diameters]


@dataclasses.dataclass
class Rdf:
    """g in K bins, of one frame or averaged."""

    edges: np.ndarray  # [K + 1] [diameters]; middles are multiples of the width, so that r = d is one of them
    g: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error
    diameter: float  # mean of the region's particles [m]
    particles: float  # number of particles in the region
    centres: float  # number of particles whose neighbours were counted
    times: tuple = ()  # of the frames [s]

    @property
    def r_over_d(self):
        """Middles of the bins, [K]."""
        return 0.5 * (self.edges[:-1] + self.edges[1:])


def _counts(snapshot, centres, neighbours, edges):
    """Ordered pairs of two different particles with edges[k] < r <= edges[k + 1]: [K].

    centres, neighbours: positions [M, 3] [m]
    """
    trees = [
        scipy.spatial.cKDTree(snapshot.wrapped(positions), boxsize=snapshot.period)
        for positions in (centres, neighbours)
    ]
    # The first entry, r <= edges[0], contains the pair of each centre with itself.
    return trees[0].count_neighbors(trees[1], edges, cumulative=False)[1:]


def _check_reach(snapshot, region, reach, r_max, periodic):
    """Raises UsageError if a shell of radius `reach` [m] would overlap its image.  r_max: `reach` in diameters"""
    extent = snapshot.upper - snapshot.lower
    if np.any(periodic & (reach > 0.5 * extent)):
        raise UsageError(
            f"--r-max {r_max:g} diameters ({reach:g} m) is more than half of the periodic domain; "
            f"expected at most {0.5 * extent[periodic].min() / reach * r_max:g}"
        )


def radial_distribution(snapshot, region, r_max=R_MAX, bin_width=BIN, corrected=True):
    """g(r) of one Snapshot in a Region; r_max and bin_width in diameters.

    corrected: treatment (1) at the head of this file, otherwise (3)

    Raises UsageError if there are fewer than two particles, no centre, or too little space for r_max.
    """
    positions = snapshot["position"]
    is_inside = region.holds(positions)
    number = np.count_nonzero(is_inside)
    if number < 2:
        raise UsageError(f"'{snapshot.path}' has {number} particles in {region}; two are needed")
    diameter = 2.0 * float(snapshot["radius"][is_inside].mean())
    edges = bin_width * (np.arange(round(r_max / bin_width)) + 0.5)
    reach = r_max * diameter
    _check_reach(snapshot, region, reach, r_max, snapshot.periodic)
    if corrected:
        is_centre = is_inside & scree.region.make(snapshot).within(reach).holds(positions)
        is_near = np.all((positions > region.lower - reach) & (positions < region.upper + reach), axis=1)
        is_neighbour = is_near | np.any(snapshot.periodic)
    else:
        is_centre = is_neighbour = is_inside
    centres = np.count_nonzero(is_centre)
    if centres == 0:
        raise UsageError(
            f"'{snapshot.path}': no particle of {region} is r_max = {r_max:g} diameters "
            f"({reach:g} m) away from the domain's faces; choose a smaller --r-max"
        )
    counts = _counts(snapshot, positions[is_centre], positions[is_neighbour], edges * diameter)
    shells = 4.0 / 3.0 * np.pi * diameter**3 * np.diff(edges**3)
    expected = centres * (number - 1) / region.volume * shells
    error = np.sqrt(2.0 * counts) / expected  # most pairs are counted from both ends
    return Rdf(edges, counts / expected, error, diameter, float(number), float(centres), (snapshot.time,))


def share_inside(region, distances):
    """Fraction of a Region that stays inside after a shift by distances [K] [m], mean over all directions: [K]."""
    nodes, weights = np.polynomial.legendre.leggauss(DIRECTIONS)
    cos, azimuth = 0.5 * (nodes + 1.0), 0.25 * np.pi * (nodes + 1.0)  # of one octant; the others are equal by symmetry
    sin = np.sqrt(1.0 - cos**2)[:, None]
    directions = np.stack([sin * np.cos(azimuth), sin * np.sin(azimuth), np.broadcast_to(cos[:, None], sin.shape[:1] + azimuth.shape)], axis=-1)
    relative = directions / np.where(region.endless, np.inf, region.upper - region.lower)
    weights = 0.25 * weights[:, None] * weights
    return np.array([np.sum(weights * np.prod(np.maximum(1.0 - r * relative, 0.0), axis=-1)) for r in np.atleast_1d(distances)])


def _window(snapshot, region):
    """The Region, cut to the outermost positions where it reaches a face of the domain: walls exclude positions there."""
    positions = snapshot["position"][region.holds(snapshot["position"])]
    domain = scree.region.make(snapshot)
    lower, upper = region.lower.copy(), region.upper.copy()
    if len(positions) > 1:
        at_lower, at_upper = ~region.endless & (lower <= domain.lower), ~region.endless & (upper >= domain.upper)
        lower[at_lower], upper[at_upper] = positions.min(axis=0)[at_lower], np.nextafter(positions.max(axis=0), np.inf)[at_upper]
    return scree.region.Region(lower, upper, region.endless)


def in_window(snapshot, region, r_max=R_MAX, bin_width=BIN, first=None, second=None):
    """g(r) of pairs of a Snapshot's particles within a Region, corrected by its set covariance.

    first, second: particles of two kinds, [N] of bool; None: all
    r_max, bin_width: in diameters; for two kinds in mean diameters of both

    Raises UsageError if there is no pair.
    """
    region = _window(snapshot, region)
    is_inside = region.holds(snapshot["position"])
    is_first, is_second = (is_inside if kind is None else is_inside & kind for kind in (first, second))
    is_same_kind = np.array_equal(is_first, is_second)
    numbers = [np.count_nonzero(kind) for kind in (is_first, is_second)]
    if min(numbers) < 1 + is_same_kind:
        raise UsageError(f"'{snapshot.path}' has {' and '.join(map(str, numbers))} particles in {region}: there is no pair")
    diameter = float(snapshot["radius"][is_first].mean() + snapshot["radius"][is_second].mean())
    edges = bin_width * (np.arange(round(r_max / bin_width)) + 0.5)
    period = np.where(region.endless, region.upper - region.lower, 0.0)
    _check_reach(snapshot, region, r_max * diameter, r_max, region.endless)
    wrapped = snapshot.wrapped(snapshot["position"])
    trees = [scipy.spatial.cKDTree(wrapped[kind], boxsize=period) for kind in (is_first, is_second)]
    counts = trees[0].count_neighbors(trees[1], edges * diameter, cumulative=False)[1:]
    shells = 4.0 / 3.0 * np.pi * diameter**3 * np.diff(edges**3)
    mean_distance = 0.75 * diameter * np.diff(edges**4) / np.diff(edges**3)  # in each shell
    expected = numbers[0] * (numbers[1] - is_same_kind) / region.volume * shells * share_inside(region, mean_distance)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((1.0 + is_same_kind) * counts) / expected
        return Rdf(edges, counts / expected, error, diameter, float(numbers[1]), float(numbers[0]), (snapshot.time,))


def _fitting_window_r_max(snapshot, region):
    """Largest multiple of half a diameter, up to R_MAX, by which a window may shift so that MIN_INSIDE stays inside.

    Returns 0 if there is none.
    """
    diameter = 2.0 * float(snapshot["radius"][region.holds(snapshot["position"])].mean())
    window, candidates = _window(snapshot, region), 0.5 * np.arange(1, round(2.0 * R_MAX) + 1)
    fitting = candidates[(share_inside(window, candidates * diameter) >= MIN_INSIDE) & (candidates * diameter <= _half_period(snapshot, region))]
    return float(fitting[-1]) if len(fitting) else 0.0


def reaches(snapshots, region_of):
    """The r_max [diameters] that all Snapshots allow with whole shells, and with the window of `in_window`.

    region_of: Snapshot -> Region.  Reads each Snapshot once and stores none. Raises UsageError if no Snapshot has two
    particles in its region.
    """
    fitting, reach_among_particles, window = math.inf, math.inf, R_MAX
    for snapshot in snapshots:
        region = region_of(snapshot)
        if fills(snapshot, region):
            fitting = min(fitting, fitting_r_max(snapshot, region))
            is_whole = np.all((region.lower == snapshot.lower) & (region.upper == snapshot.upper))
            reach_among_particles = min(reach_among_particles, fitting if is_whole else r_max_among(snapshot, region))
            window = min(window, _fitting_window_r_max(snapshot, region))
    if fitting == math.inf:
        raise UsageError(f"no snapshot has two particles in {region}")
    return (reach_among_particles if reach_among_particles > 0.0 else fitting), window


def natural_way(snapshots, region_of):
    """Default r_max [diameters], and whether to use `in_window`, which is the case if it allows a larger r_max."""
    shells, window = reaches(snapshots, region_of)
    return (window, True) if window > shells else (shells, False)


def partial(snapshots, region_of, r_max, by, bin_width=BIN):
    """g_ij(r) of the kinds by "material" or "shape", {(name, name): Rdf}; r in units of the mean diameter of both.

    r_max of each pair is at most half of a period. A kind with one particle has no g_ii; two kinds have no g_ij if
    there is no space for a bin.
    """
    frames, names = {}, ()
    for snapshot in snapshots:
        kinds, names = snapshot.kinds(by)
        region = region_of(snapshot)
        is_inside = region.holds(snapshot["position"])
        masks = {kind: is_inside & (kinds == kind) for kind in np.unique(kinds[is_inside])}
        diameters = {kind: 2.0 * float(snapshot["radius"][rows_of_kind].mean()) for kind, rows_of_kind in masks.items()}
        for first, second in itertools.combinations_with_replacement(masks, 2):
            diameter = 0.5 * (diameters[first] + diameters[second])
            reach = min(r_max, np.nextafter(_half_period(snapshot, region) / diameter, 0.0))
            if (first == second and np.count_nonzero(masks[first]) < 2) or reach < 1.5 * bin_width:
                continue
            counts = in_window(snapshot, region, reach, bin_width, masks[first], masks[second])
            frames.setdefault((first, second), []).append(counts)
    return {(names[first], names[second]): average(_truncated(frames_of_pair)) for (first, second), frames_of_pair in sorted(frames.items())}


def _half_period(snapshot, region):
    """Half of the shortest period of the endless axes of a Region [m]; infinite if there is no such axis."""
    return float(np.min(0.5 * (snapshot.upper - snapshot.lower)[region.endless], initial=np.inf))


def _truncated(frames):
    """[Rdf] with bins of the same width, truncated to the smallest number of bins among them."""
    bins = min(len(frame.g) for frame in frames)
    return [dataclasses.replace(frame, edges=frame.edges[: bins + 1], g=frame.g[:bins], error=frame.error[:bins]) for frame in frames]


def fitting_r_max(snapshot, region):
    """Smallest of R_MAX, half of a periodic side, and MAX_REACH times a non-periodic side [diameters].

    It is rounded down to whole diameters if it is at least 1. Raises UsageError if the region has no particles.
    """
    is_inside = region.holds(snapshot["position"])
    if not is_inside.any():
        raise UsageError(f"'{snapshot.path}' has 0 particles in {region}; two are needed")
    diameter = 2.0 * float(snapshot["radius"][is_inside].mean())
    fraction = np.where(snapshot.periodic, 0.5, MAX_REACH)
    space = float(np.min(fraction * (snapshot.upper - snapshot.lower))) / diameter
    return min(R_MAX, float(np.floor(space)) if space >= 1.0 else space)


def natural_region(snapshot):
    """Default region for g(r): the whole domain if particles fill it, otherwise their middle half."""
    region = scree.region.taken(snapshot)
    is_filled = np.all((region.lower == snapshot.lower) & (region.upper == snapshot.upper))
    return region if is_filled else scree.region.middle(snapshot)


def r_max_among(snapshot, region):
    """`fitting_r_max`, but at most the distance from the region to the outermost particles [diameters]."""
    low, high = snapshot["position"].min(axis=0), snapshot["position"].max(axis=0)
    space = np.minimum(region.lower - low, high - region.upper)[~snapshot.periodic]
    space_in_diameters = float(np.min(space, initial=np.inf)) / (2.0 * float(snapshot["radius"].mean()))
    return min(fitting_r_max(snapshot, region), space_in_diameters)


def fills(snapshot, region):
    """Whether a Snapshot has at least two particles in a Region, as g(r) requires."""
    return np.count_nonzero(region.holds(snapshot["position"])) > 1


def natural_r_max(snapshots, region_of):
    """Largest distance for which all Snapshots have whole shells [diameters]."""
    return reaches(snapshots, region_of)[0]


def window_r_max(snapshots, region_of):
    """Largest shift that leaves MIN_INSIDE of the window of `in_window` inside, in all Snapshots [diameters]."""
    return reaches(snapshots, region_of)[1]


def of_frames(snapshots, region_of, r_max, bin_width=BIN, corrected=True, window=False):
    """Mean g(r) of the Snapshots that have two particles in their region.

    Each is normalised with the density of its own region.

    region_of: Snapshot -> Region;  window: whether to use `in_window`
    Raises UsageError as `radial_distribution`, and if no Snapshot has two particles.
    """
    frames, region = [], None
    for snapshot in snapshots:
        region = region_of(snapshot)
        if fills(snapshot, region):
            frames.append(in_window(snapshot, region, r_max, bin_width) if window else
                          radial_distribution(snapshot, region, r_max, bin_width, corrected))  # fmt: skip
    if not frames:
        raise UsageError(f"no snapshot has two particles in {region}")
    return average(frames)


def average(frames):
    """Mean of [Rdf] with the same bins; g is weighted by the number of centres."""
    if len(frames) == 1:
        return frames[0]
    g, error = scree.means.frame_mean([frame.g for frame in frames], [frame.centres for frame in frames])
    diameter, particles, centres = np.mean(
        [(frame.diameter, frame.particles, frame.centres) for frame in frames], axis=0
    )
    return Rdf(frames[0].edges, g, error, diameter, particles, centres, sum((frame.times for frame in frames), ()))


def warn_of_walls(snapshot, region, reach):
    """Warns if walls in or near the region occupy space, which lowers g."""
    for wall, solids in scree.walls.in_domain(snapshot).items():
        if any(solid.reaches_into(region.lower - reach, region.upper + reach) for solid in solids):
            warnings.warn(f"the wall '{wall}' is within r_max of the region and lowers g there")


def notes(result, region, corrected, window=False):
    """Comment lines of PREFIX.csv."""
    pairs_text = "centres at least r_max from the domain's faces" if corrected else "all pairs within the region"
    if window:
        pairs_text = "pairs within the region, divided by the fraction of it that stays inside after a shift by r"
    return [
        f"radial distribution function, {'corrected' if corrected or window else 'uncorrected'}: {pairs_text}",
        f"region of the last snapshot {region}, diameter {result.diameter:.9g} m, {scree.means.over(result.times)}",
        f"per frame: {result.particles:.9g} particles in the region, {result.centres:.9g} centres; "
        "normalised by centres x (particles - 1)",
    ]


def write_table(path, result, region, corrected=True, window=False):
    columns = {"r_over_d": result.r_over_d, "g": result.g, "error": result.error}
    scree.table.write(path, notes(result, region, corrected, window), columns)


def write_partial(path, results):
    """Writes the rows of each pair of kinds in turn."""
    first = next(iter(results.values()))
    note = f"g_ij of pairs within the region, r over the mean diameter of both kinds, {scree.means.over(first.times)}; SI units"
    blocks = [{"first": np.full(len(pair_rdf.g), names[0]), "second": np.full(len(pair_rdf.g), names[1]),
               "diameter": np.full(len(pair_rdf.g), pair_rdf.diameter), "r_over_d": pair_rdf.r_over_d, "g": pair_rdf.g, "error": pair_rdf.error}
              for names, pair_rdf in results.items()]  # fmt: skip
    scree.table.write(path, [note], {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})


def draw(axes, results, diameter_symbol="d"):
    """Draws g(r) of {label: Rdf} as steps with error bars, and the line g = 1."""
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    for label, result in results.items():
        steps = axes.stairs(result.g, result.edges, baseline=None, linewidth=1.2, label=label)
        axes.errorbar(result.r_over_d, result.g, result.error, fmt="none", ecolor=steps.get_edgecolor(), elinewidth=0.8)
    edges = next(iter(results.values())).edges
    axes.set(xlabel=f"distance $r/{diameter_symbol}$", ylabel="radial distribution function $g(r)$", xlim=(0.0, edges[-1]))
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1.0))
    axes.xaxis.set_minor_locator(matplotlib.ticker.MultipleLocator(0.5 if edges[-1] > 3.0 else 0.1))


def partial_figure(results):
    """A figure of g_ij(r), {(name, name): Rdf}."""
    figure, (axes,) = scree.figure.panels(1, 1)
    draw(axes, {" – ".join(names): pair_rdf for names, pair_rdf in results.items()}, "d_{ij}")
    scree.figure.legend(axes)
    return figure


def write_picture(path, result, corrected=True, structure=None):
    """Draws g(r), and below it `structure`, a scree.structure_factor.StructureFactor, unless it is None."""
    figure, panels = scree.figure.panels(1 if structure is None else 2, 1)
    draw(panels[0], {"g": result})
    variant = "" if corrected else ", uncorrected"
    panels[0].set_title(f"$d$ = {1e3 * result.diameter:.4g} mm{variant}", fontsize="medium")
    if structure is not None:
        scree.structure_factor.draw(panels[1], structure)
    scree.figure.save(figure, path, averaged_times=result.times)
