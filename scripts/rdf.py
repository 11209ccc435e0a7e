#!/usr/bin/env python3
"""Radial distribution function g(r) of the particles in a region, averaged over snapshots.

g(r) = (pairs at distances in a bin) / (those in a gas of the same density without any order). The
distance is in mean diameters of the region's particles. Two ways to treat the region's faces:

corrected (default): neighbours come from the whole domain, and only particles at least r_max away
    from the domain's faces count as centres. Every shell is then whole, and a gas has g = 1. (Faces
    of the region inside the domain cut no shell, so centres may lie beside them.)
uncorrected (--uncorrected): all pairs within the region, as in figure 12 of T. Preclik, S. Eibl,
    U. Ruede, arXiv:1706.00221, section 4.3. Shells reach beyond the region, so g falls with r.

The expected number is (M centres) x (N - 1)/V x (volume of the shell), with the N particles and the
volume V of the region: the pairs are normalised by N(N - 1) if all particles are centres. Spheres
leave a thin layer at a wall, which lowers N/V: in a narrow channel g tends to a little more than 1.
A periodic axis has no face.

Writes PREFIX.csv with r_over_d (middle of the bin), g and its error, and PREFIX.png. The error is
the standard error over the snapshots, taken as independent, or from the number of pairs if there is
one snapshot only.
"""

import argparse
import dataclasses

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np
import scipy.spatial

import _command_line
import scree.figure
import scree.means
import scree.region
import scree.snapshot
import scree.table
import scree.walls
from scree.errors import UsageError

R_MAX = 5.0  # [diameters], where there is room
CENTRES = 0.4  # of the way between two walls that r_max may take: centres remain in the rest
BIN = 0.05  # [diameters]


@dataclasses.dataclass
class Rdf:
    """g over K bins, of one frame or averaged."""

    edges: np.ndarray  # [K + 1], in diameters
    g: np.ndarray  # [K]
    error: np.ndarray  # [K], standard error
    diameter: float  # mean of the region's particles [m]
    particles: float  # N in the region
    centres: float  # of them, those whose neighbours were counted
    frames: int = 1

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
    # The entry of r <= 0 holds each centre's pair with itself.
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
    edges = bin_width * np.arange(round(r_max / bin_width) + 1)
    reach = edges[-1] * diameter
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
    return Rdf(edges, counts / expected, error, diameter, float(number), float(centres))


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


def average(frames):
    """The mean of [Rdf] with the same bins."""
    if len(frames) == 1:
        return frames[0]
    g, error = scree.means.frame_mean([frame.g for frame in frames])
    diameter, particles, centres = np.mean(
        [(frame.diameter, frame.particles, frame.centres) for frame in frames], axis=0
    )
    return Rdf(frames[0].edges, g, error, diameter, particles, centres, len(frames))


def warn_of_walls(snapshot, region, reach):
    """Says so if bodies in or near the region take room that g does not know of."""
    for wall, solids in scree.walls.in_domain(snapshot).items():
        if any(solid.reaches_into(region.lower - reach, region.upper + reach) for solid in solids):
            _command_line.warn(f"the wall '{wall}' is within r_max of the region and lowers g there")


def notes(result, region, corrected):
    """The lines of provenance of PREFIX.csv."""
    way = "centres r_max from the domain's faces" if corrected else "all pairs within the region"
    return [
        f"radial distribution function, {'corrected' if corrected else 'uncorrected'}: {way}",
        f"region {region}, diameter {result.diameter:.9g} m, {result.frames} frames",
        f"per frame: {result.particles:.9g} particles in the region, {result.centres:.9g} centres; "
        "normalised by centres x (particles - 1)",
    ]


def write_table(path, result, region, corrected=True):
    columns = {"r_over_d": result.r_over_d, "g": result.g, "error": result.error}
    scree.table.write(path, notes(result, region, corrected), columns)


def draw(axes, results):
    """g(r) of {label: Rdf} as steps with error bars, and the line g = 1."""
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    for index, (label, result) in enumerate(results.items()):
        colour = scree.figure.COLOURS[index % len(scree.figure.COLOURS)]
        axes.stairs(result.g, result.edges, color=colour, linewidth=1.2, label=label)
        axes.errorbar(
            result.r_over_d, result.g, result.error, fmt="none", ecolor=colour, elinewidth=0.8,
        )
    edges = next(iter(results.values())).edges
    axes.set(xlabel="distance r/d", ylabel="g(r)", xlim=(0.0, edges[-1]))
    axes.set_ylim(bottom=0.0)
    axes.set_xticks(np.arange(np.floor(edges[-1]) + 1))


def write_picture(path, result, corrected=True):
    figure, axes = scree.figure.plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    draw(axes, {"g": result})
    variant = "" if corrected else ", uncorrected"
    axes.set_title(f"radial distribution function{variant}, d = {1e3 * result.diameter:.4g} mm")
    scree.figure.save(figure, path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser)
    parser.add_argument(
        "--r-max", type=_command_line.positive, metavar="DIAMETERS",
        help=f"greatest distance (default: {R_MAX:g}, or what fits into a narrow domain)",
    )
    parser.add_argument(
        "--bin", type=_command_line.positive, default=BIN, metavar="DIAMETERS",
        help=f"width of a bin (default: {BIN:g})",
    )
    parser.add_argument("--uncorrected", action="store_true", help="all pairs within the region")
    arguments = parser.parse_args()
    corrected = not arguments.uncorrected
    frames, r_max = [], arguments.r_max
    for snapshot in scree.snapshot.read_frames(arguments.snapshot, ("position", "radius")):
        region = _command_line.region(arguments, snapshot)
        r_max = r_max or fitting_r_max(snapshot, region)
        if arguments.bin > r_max:
            raise UsageError(f"--bin {arguments.bin:g} is greater than --r-max {r_max:g}")
        frames.append(radial_distribution(snapshot, region, r_max, arguments.bin, corrected))
    result = average(frames)
    warn_of_walls(snapshot, region, r_max * result.diameter if corrected else 0.0)
    write_table(f"{arguments.output}.csv", result, region, corrected)
    write_picture(f"{arguments.output}.png", result, corrected)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
