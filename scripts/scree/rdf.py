"""The radial distribution function g(r) of the particles in a region, and g_ij(r) of two kinds of them.

There are three treatments of shells that extend beyond a region. (1) Centres stay away from its faces
(`radial_distribution`). (2) The count at each distance is divided by the set covariance of the region, that is the mean
fraction that stays inside when the region is shifted by this distance (`in_window`; J. Ohser, Math. Operationsforsch.
Statist. 14, 63 (1983)). This needs no minimum size of the box. (3) No correction.
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

R_MAX = 5.0  # [diameters], if the region is large enough
SHARE = 0.1  # smallest fraction of a window that stays inside when shifted by r_max
DIRECTIONS = 32  # number of directions per quarter turn
CENTRES = 0.4  # largest r_max relative to the distance of two walls, so that centres remain between
BIN = 0.05  # [diameters]


@dataclasses.dataclass
class Rdf:
    """g over K bins, of one frame or averaged."""

    edges: np.ndarray  # [K + 1], in diameters; middles are multiples of the width, so that r = d is the middle of a bin
    g: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error
    diameter: float  # mean of the region's particles [m]
    particles: float  # N in the region
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
    # The entry of r <= edges[0] contains the pair of each centre with itself.
    return trees[0].count_neighbors(trees[1], edges, cumulative=False)[1:]


def _check_reach(snapshot, region, reach, r_max, periodic):
    """Raises UsageError if a shell of r_max cannot be counted.  periodic: axes along which it would meet its image"""
    extent = snapshot.upper - snapshot.lower
    if np.any(periodic & (reach > 0.5 * extent)):
        raise UsageError(
            f"--r-max {r_max:g} diameters ({reach:g} m) is more than half of the periodic domain; "
            f"at most {0.5 * extent[periodic].min() / reach * r_max:g}"
        )


def radial_distribution(snapshot, region, r_max=R_MAX, bin_width=BIN, corrected=True):
    """g(r) of one Snapshot in a Region; r_max and bin_width in diameters.

    Raises UsageError if there are fewer than two particles, no centre, or too little space for r_max.
    """
    positions = snapshot["position"]
    inside = region.holds(positions)
    number = np.count_nonzero(inside)
    if number < 2:
        raise UsageError(f"'{snapshot.path}' has {number} particles in {region}; two are needed")
    diameter = 2.0 * float(snapshot["radius"][inside].mean())
    edges = bin_width * (np.arange(round(r_max / bin_width)) + 0.5)
    reach = r_max * diameter
    _check_reach(snapshot, region, reach, r_max, snapshot.periodic)
    if corrected:
        is_centre = inside & scree.region.make(snapshot).within(reach).holds(positions)
        is_near = np.all((positions > region.lower - reach) & (positions < region.upper + reach), axis=1)
        neighbours = is_near | np.any(snapshot.periodic)
    else:
        is_centre = neighbours = inside
    centres = np.count_nonzero(is_centre)
    if centres == 0:
        raise UsageError(
            f"'{snapshot.path}': no particle of {region} is r_max = {r_max:g} diameters "
            f"({reach:g} m) away from the domain's faces; choose a smaller --r-max"
        )
    counts = _counts(snapshot, positions[is_centre], positions[neighbours], edges * diameter)
    shells = 4.0 / 3.0 * np.pi * diameter**3 * np.diff(edges**3)
    expected = centres * (number - 1) / region.volume * shells
    error = np.sqrt(2.0 * counts) / expected  # most pairs are counted from both ends
    return Rdf(edges, counts / expected, error, diameter, float(number), float(centres), (snapshot.time,))


def share_inside(region, distances):
    """The fraction of a Region that stays inside when shifted by distances [K] [m], as a mean over all directions: [K]."""
    nodes, weights = np.polynomial.legendre.leggauss(DIRECTIONS)
    cos, turn = 0.5 * (nodes + 1.0), 0.25 * np.pi * (nodes + 1.0)  # of one octant: the others are equal
    sin = np.sqrt(1.0 - cos**2)[:, None]
    directions = np.stack([sin * np.cos(turn), sin * np.sin(turn), np.broadcast_to(cos[:, None], sin.shape[:1] + turn.shape)], axis=-1)
    part = directions / np.where(region.endless, np.inf, region.upper - region.lower)
    weights = 0.25 * weights[:, None] * weights
    return np.array([np.sum(weights * np.prod(np.maximum(1.0 - r * part, 0.0), axis=-1)) for r in np.atleast_1d(distances)])


def _window(snapshot, region):
    """The Region, shortened to the outermost centres where it ends with the domain, because walls exclude centres there."""
    positions = snapshot["position"][region.holds(snapshot["position"])]
    domain = scree.region.make(snapshot)
    lower, upper = region.lower.copy(), region.upper.copy()
    if len(positions) > 1:
        at_lower, at_upper = ~region.endless & (lower <= domain.lower), ~region.endless & (upper >= domain.upper)
        lower[at_lower], upper[at_upper] = positions.min(axis=0)[at_lower], np.nextafter(positions.max(axis=0), np.inf)[at_upper]
    return scree.region.Region(lower, upper, region.endless)


def in_window(snapshot, region, r_max=R_MAX, bin_width=BIN, first=None, second=None):
    """g(r) of pairs of a Snapshot's particles within a Region, corrected by its set covariance.

    first, second: particles of two kinds, [N] of bool; None: all.  r_max, bin_width: in diameters; for two kinds in the mean
    of both.  Raises UsageError if there is no pair.
    """
    region = _window(snapshot, region)
    inside = region.holds(snapshot["position"])
    firsts, seconds = (inside if kind is None else inside & kind for kind in (first, second))
    is_same_kind = np.array_equal(firsts, seconds)
    numbers = [np.count_nonzero(kind) for kind in (firsts, seconds)]
    if min(numbers) < 1 + is_same_kind:
        raise UsageError(f"'{snapshot.path}' has {' and '.join(map(str, numbers))} particles in {region}: there is no pair")
    diameter = float(snapshot["radius"][firsts].mean() + snapshot["radius"][seconds].mean())
    edges = bin_width * (np.arange(round(r_max / bin_width)) + 0.5)
    period = np.where(region.endless, region.upper - region.lower, 0.0)
    _check_reach(snapshot, region, r_max * diameter, r_max, region.endless)
    wrapped = snapshot.wrapped(snapshot["position"])
    trees = [scipy.spatial.cKDTree(wrapped[kind], boxsize=period) for kind in (firsts, seconds)]
    counts = trees[0].count_neighbors(trees[1], edges * diameter, cumulative=False)[1:]
    shells = 4.0 / 3.0 * np.pi * diameter**3 * np.diff(edges**3)
    mean = 0.75 * diameter * np.diff(edges**4) / np.diff(edges**3)  # distance in a shell
    expected = numbers[0] * (numbers[1] - is_same_kind) / region.volume * shells * share_inside(region, mean)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((1.0 + is_same_kind) * counts) / expected
        return Rdf(edges, counts / expected, error, diameter, float(numbers[1]), float(numbers[0]), (snapshot.time,))


def _fitting_window(snapshot, region):
    """The largest multiple of half a diameter up to R_MAX whose shift leaves SHARE of a Region's window inside; 0 if none."""
    diameter = 2.0 * float(snapshot["radius"][region.holds(snapshot["position"])].mean())
    window, known = _window(snapshot, region), 0.5 * np.arange(1, round(2.0 * R_MAX) + 1)
    fit = known[(share_inside(window, known * diameter) >= SHARE) & (known * diameter <= _half_period(snapshot, region))]
    return float(fit[-1]) if len(fit) else 0.0


def reaches(snapshots, region_of):
    """The maximum distances [diameters] for which all Snapshots have whole shells, and enough of a window for `in_window`.

    Reads each Snapshot once and stores none.  region_of: Snapshot -> Region.  Raises UsageError if none has two
    particles in its region.
    """
    fitting, reach_among_particles, window = math.inf, math.inf, R_MAX
    for snapshot in snapshots:
        region = region_of(snapshot)
        if fills(snapshot, region):
            fitting = min(fitting, fitting_r_max(snapshot, region))
            is_whole = np.all((region.lower == snapshot.lower) & (region.upper == snapshot.upper))
            reach_among_particles = min(reach_among_particles, fitting if is_whole else r_max_among(snapshot, region))
            window = min(window, _fitting_window(snapshot, region))
    if fitting == math.inf:
        raise UsageError(f"no snapshot has two particles in {region}")
    return (reach_among_particles if reach_among_particles > 0.0 else fitting), window


def natural_way(snapshots, region_of):
    """The default maximum distance [diameters], and whether pairs are counted in the window: yes if this allows more."""
    shells, window = reaches(snapshots, region_of)
    return (window, True) if window > shells else (shells, False)


def partial(snapshots, region_of, r_max, by, bin_width=BIN):
    """g_ij(r) of the kinds by "material" or "shape", {(name, name): Rdf}; r over the mean diameter of both kinds.

    r_max of each pair is at most half of a period. A kind with one particle has no g_ii; a pair without space for a bin no g_ij.
    """
    frames, names = {}, ()
    for snapshot in snapshots:
        kinds, names = snapshot.kinds(by)
        region = region_of(snapshot)
        inside = region.holds(snapshot["position"])
        members = {kind: inside & (kinds == kind) for kind in np.unique(kinds[inside])}
        diameters = {kind: 2.0 * float(snapshot["radius"][rows_of_kind].mean()) for kind, rows_of_kind in members.items()}
        for first, second in itertools.combinations_with_replacement(members, 2):
            diameter = 0.5 * (diameters[first] + diameters[second])
            reach = min(r_max, np.nextafter(_half_period(snapshot, region) / diameter, 0.0))
            if (first == second and np.count_nonzero(members[first]) < 2) or reach < 1.5 * bin_width:
                continue
            counts = in_window(snapshot, region, reach, bin_width, members[first], members[second])
            frames.setdefault((first, second), []).append(counts)
    return {(names[first], names[second]): average(_cut(frames_of_pair)) for (first, second), frames_of_pair in sorted(frames.items())}


def _half_period(snapshot, region):
    """Half of the shortest period along which a Region has no end [m]; infinite without one."""
    return float(np.min(0.5 * (snapshot.upper - snapshot.lower)[region.endless], initial=np.inf))


def _cut(frames):
    """[Rdf] with bins of the same width, truncated to the smallest number of bins among them."""
    bins = min(len(frame.g) for frame in frames)
    return [dataclasses.replace(frame, edges=frame.edges[: bins + 1], g=frame.g[:bins], error=frame.error[:bins]) for frame in frames]


def fitting_r_max(snapshot, region):
    """The largest distance [diameters] that fits: R_MAX, half of a periodic side, the space between the walls.

    In whole diameters from 1 on; raises UsageError if the region has no particles.
    """
    inside = region.holds(snapshot["position"])
    if not inside.any():
        raise UsageError(f"'{snapshot.path}' has 0 particles in {region}; two are needed")
    diameter = 2.0 * float(snapshot["radius"][inside].mean())
    share = np.where(snapshot.periodic, 0.5, CENTRES)
    room = float(np.min(share * (snapshot.upper - snapshot.lower))) / diameter
    return min(R_MAX, float(np.floor(room)) if room >= 1.0 else room)


def natural_region(snapshot):
    """The default region for g(r): the whole domain if particles fill it, otherwise their middle half."""
    region = scree.region.taken(snapshot)
    fills = np.all((region.lower == snapshot.lower) & (region.upper == snapshot.upper))
    return region if fills else scree.region.middle(snapshot)


def r_max_among(snapshot, region):
    """The smaller of `fitting_r_max` and the distance to the outermost particles, for a region among them [diameters]."""
    low, high = snapshot["position"].min(axis=0), snapshot["position"].max(axis=0)
    room = np.minimum(region.lower - low, high - region.upper)[~snapshot.periodic]
    room_in_diameters = float(np.min(room, initial=np.inf)) / (2.0 * float(snapshot["radius"].mean()))
    return min(fitting_r_max(snapshot, region), room_in_diameters)


def fills(snapshot, region):
    """Whether a Snapshot has at least two particles in a Region, which g(r) needs."""
    return np.count_nonzero(region.holds(snapshot["position"])) > 1


def natural_r_max(snapshots, region_of):
    """The largest distance for which all Snapshots have whole shells [diameters]; the first of `reaches`."""
    return reaches(snapshots, region_of)[0]


def window_r_max(snapshots, region_of):
    """The largest distance for which all Snapshots have enough of a window [diameters]; the second of `reaches`."""
    return reaches(snapshots, region_of)[1]


def of_frames(snapshots, region_of, r_max, bin_width=BIN, corrected=True, window=False):
    """The mean g(r) of Snapshots, each with the density of its own region. Those with fewer than two particles in it do not count.

    region_of: Snapshot -> Region;  window: pairs as in `in_window`
    Raises UsageError as `radial_distribution`, and if all are left out.
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
    """The mean of [Rdf] with the same bins over all their centres."""
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
    """The lines of provenance of PREFIX.csv."""
    pairs_text = "centres r_max from the domain's faces" if corrected else "all pairs within the region"
    if window:
        pairs_text = "pairs within the region, over the share of it that a move by r leaves inside"
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
    """Rows of the pairs of kinds one after the other."""
    first = next(iter(results.values()))
    note = f"g_ij of pairs within the region, r over the mean diameter of both kinds, {scree.means.over(first.times)}; SI units"
    blocks = [{"first": np.full(len(pair_rdf.g), names[0]), "second": np.full(len(pair_rdf.g), names[1]),
               "diameter": np.full(len(pair_rdf.g), pair_rdf.diameter), "r_over_d": pair_rdf.r_over_d, "g": pair_rdf.g, "error": pair_rdf.error}
              for names, pair_rdf in results.items()]  # fmt: skip
    scree.table.write(path, [note], {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})


def draw(axes, results, over="d"):
    """g(r) of {label: Rdf} as steps with error bars, and the line g = 1.  over: symbol of the diameter"""
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    for label, result in results.items():
        steps = axes.stairs(result.g, result.edges, baseline=None, linewidth=1.2, label=label)
        axes.errorbar(result.r_over_d, result.g, result.error, fmt="none", ecolor=steps.get_edgecolor(), elinewidth=0.8)
    edges = next(iter(results.values())).edges
    axes.set(xlabel=f"distance $r/{over}$", ylabel="radial distribution function $g(r)$", xlim=(0.0, edges[-1]))
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1.0))
    axes.xaxis.set_minor_locator(matplotlib.ticker.MultipleLocator(0.5 if edges[-1] > 3.0 else 0.1))


def partial_figure(results):
    """g_ij(r) of {(name, name): Rdf}."""
    figure, (axes,) = scree.figure.panels(1, 1)
    draw(axes, {" – ".join(names): pair_rdf for names, pair_rdf in results.items()}, "d_{ij}")
    scree.figure.legend(axes)
    return figure


def write_picture(path, result, corrected=True, structure=None):
    """structure: a scree.structure_factor.StructureFactor, drawn next to it; None: not known"""
    figure, panels = scree.figure.panels(1 if structure is None else 2, 1)
    draw(panels[0], {"g": result})
    variant = "" if corrected else ", uncorrected"
    panels[0].set_title(f"$d$ = {1e3 * result.diameter:.4g} mm{variant}", fontsize="medium")
    if structure is not None:
        scree.structure_factor.draw(panels[1], structure)
    scree.figure.save(figure, path, over=result.times)
