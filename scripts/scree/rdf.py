"""The radial distribution function g(r) of the particles in a region."""

import dataclasses
import math
import warnings

import matplotlib.ticker
import numpy as np
import scipy.spatial

import scree.figure
import scree.means
import scree.region
import scree.table
import scree.walls
from scree.errors import UsageError

R_MAX, LEAST = 5.0, 2.0  # [diameters], where there is room; that are worth a look
CENTRES = 0.4  # of the way between two walls that r_max may take: centres remain in the rest
BIN = 0.05  # [diameters]


@dataclasses.dataclass
class Rdf:
    """g over K bins, of one frame or averaged."""

    edges: np.ndarray  # [K + 1], in diameters: middles are whole widths, so that contacts (r = d) are in the middle of one
    g: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error
    diameter: float  # mean of the region's particles [m]
    particles: float  # N in the region
    centres: float  # of them, those whose neighbours were counted
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
    # The entry of r <= edges[0] holds each centre's pair with itself.
    return trees[0].count_neighbors(trees[1], edges, cumulative=False)[1:]


def _check_reach(snapshot, region, reach, r_max):
    """Raises UsageError if a shell of r_max cannot be counted."""
    extent = snapshot.upper - snapshot.lower
    if np.any(snapshot.periodic & (reach > 0.5 * extent)):
        raise UsageError(
            f"--r-max {r_max:g} diameters ({reach:g} m) is more than half of the periodic domain; "
            f"at most {0.5 * extent[snapshot.periodic].min() / reach * r_max:g}"
        )


def radial_distribution(snapshot, region, r_max=R_MAX, bin_width=BIN, corrected=True):
    """g(r) of one Snapshot in a Region; r_max and bin_width in diameters.

    Raises UsageError if there are no two particles, or no centre, or no room for r_max.
    """
    positions = snapshot["position"]
    inside = region.holds(positions)
    number = np.count_nonzero(inside)
    if number < 2:
        raise UsageError(f"'{snapshot.path}' has {number} particles in {region}; two are needed")
    diameter = 2.0 * float(snapshot["radius"][inside].mean())
    edges = bin_width * (np.arange(round(r_max / bin_width)) + 0.5)
    reach = r_max * diameter
    _check_reach(snapshot, region, reach, r_max)
    if corrected:
        is_centre = inside & scree.region.make(snapshot).within(reach).holds(positions)
        near = np.all((positions > region.lower - reach) & (positions < region.upper + reach), axis=1)
        neighbours = near | np.any(snapshot.periodic)
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


def fitting_r_max(snapshot, region):
    """The greatest distance [diameters] that fits: R_MAX, half of a periodic side, room between the walls.

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
    """Where g(r) tells of the particles: all of a domain that they fill, else the middle half of them."""
    taken = scree.region.taken(snapshot)
    fills = np.all((taken.lower == snapshot.lower) & (taken.upper == snapshot.upper))
    return taken if fills else scree.region.middle(snapshot)


def r_max_among(snapshot, region):
    """As `fitting_r_max`, and not beyond the place that the particles take; for a region among them [diameters]."""
    low, high = snapshot["position"].min(axis=0), snapshot["position"].max(axis=0)
    room = np.minimum(region.lower - low, high - region.upper)[~snapshot.periodic]
    most = float(np.min(room, initial=np.inf)) / (2.0 * float(snapshot["radius"].mean()))
    return min(fitting_r_max(snapshot, region), most)


def fills(snapshot, region):
    """Whether a Snapshot has two particles in a Region, without which there is no pair."""
    return np.count_nonzero(region.holds(snapshot["position"])) > 1


def natural_r_max(snapshots, region_of):
    """The default maximum distance, which all Snapshots have room for [diameters]; warns if that misses neighbours.

    region_of: Snapshot -> Region.  Raises UsageError if none has two particles in its region.
    """
    fitting, among = math.inf, math.inf
    for one in snapshots:
        region = region_of(one)
        if fills(one, region):
            fitting = min(fitting, fitting_r_max(one, region))
            is_whole = np.all((region.lower == one.lower) & (region.upper == one.upper))
            among = min(among, fitting if is_whole else r_max_among(one, region))
    if fitting == math.inf:
        raise UsageError(f"no snapshot has two particles in {region}")
    if among >= LEAST or fitting <= LEAST:
        return among if among > 0.0 else fitting
    warnings.warn(f"beyond {among:.2g} diameters g misses neighbours: the particles end there")
    return LEAST


def of_frames(snapshots, region_of, r_max, bin_width=BIN, corrected=True):
    """The mean g(r) of Snapshots, each with the density of its own region; those without two particles in it are left out.

    region_of: Snapshot -> Region.  Raises UsageError as `radial_distribution`, and if all are left out.
    """
    frames, region = [], None
    for one in snapshots:
        region = region_of(one)
        if fills(one, region):
            frames.append(radial_distribution(one, region, r_max, bin_width, corrected))
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
    """Says so if bodies in or near the region take room that g does not know of."""
    for wall, solids in scree.walls.in_domain(snapshot).items():
        if any(solid.reaches_into(region.lower - reach, region.upper + reach) for solid in solids):
            warnings.warn(f"the wall '{wall}' is within r_max of the region and lowers g there")


def notes(result, region, corrected):
    """The lines of provenance of PREFIX.csv."""
    way = "centres r_max from the domain's faces" if corrected else "all pairs within the region"
    return [
        f"radial distribution function, {'corrected' if corrected else 'uncorrected'}: {way}",
        f"region of the last snapshot {region}, diameter {result.diameter:.9g} m, {scree.means.over(result.times)}",
        f"per frame: {result.particles:.9g} particles in the region, {result.centres:.9g} centres; "
        "normalised by centres x (particles - 1)",
    ]


def write_table(path, result, region, corrected=True):
    columns = {"r_over_d": result.r_over_d, "g": result.g, "error": result.error}
    scree.table.write(path, notes(result, region, corrected), columns)


def draw(axes, results):
    """g(r) of {label: Rdf} as steps with error bars, and the line g = 1."""
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    for label, result in results.items():
        steps = axes.stairs(result.g, result.edges, baseline=None, linewidth=1.2, label=label)
        axes.errorbar(result.r_over_d, result.g, result.error, fmt="none", ecolor=steps.get_edgecolor(), elinewidth=0.8)
    edges = next(iter(results.values())).edges
    axes.set(xlabel="distance $r/d$", ylabel="radial distribution function $g(r)$", xlim=(0.0, edges[-1]))
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(matplotlib.ticker.MultipleLocator(1.0))
    axes.xaxis.set_minor_locator(matplotlib.ticker.MultipleLocator(0.5 if edges[-1] > 3.0 else 0.1))


def write_picture(path, result, corrected=True):
    figure, (axes,) = scree.figure.panels(1, 1)
    draw(axes, {"g": result})
    variant = "" if corrected else ", uncorrected"
    axes.set_title(f"$d$ = {1e3 * result.diameter:.4g} mm{variant}", fontsize="medium")
    scree.figure.save(figure, path, over=result.times)
