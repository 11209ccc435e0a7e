#!/usr/bin/env python3
"""Radial distribution function g(r) of the particles in a region, averaged over snapshots.

g(r) = (pairs at distances in a bin) / (pairs in a gas of the same density without any order). Distances are
in mean diameters of the region's particles. There are three ways to treat the faces of the region:

corrected (default): neighbours come from the whole domain, and only particles at least r_max away from the domain's
    faces count as centres. Every shell is then complete, and a gas has g = 1. (Faces of the region inside the domain
    cut no shell, so centres may lie next to them.)
uncorrected (--uncorrected): all pairs within the region, as in figure 12 of T. Preclik, S. Eibl,
    U. Ruede, arXiv:1706.00221, section 4.3. Shells reach beyond the region, so g falls with r.
window (--window): all pairs within the region, divided by the fraction of the region that stays inside it after a shift
    by r, averaged over directions. A gas has g = 1 in a box of any shape. At walls the box ends at the outermost
    particles. Without --r-max this is also the default if it reaches larger r than `corrected`, whose complete shells
    end below 5 diameters if few centres are far enough from the faces, for example between the end plates of a drum.

Each snapshot uses the density of its region, and each centre has the same weight in the mean over snapshots. Without
--lower and --upper the region is chosen for each snapshot from its particles.

The expected number of pairs is (M centres) x (N - 1)/V x (volume of the shell) for N particles in the region of
volume V. If all particles are centres, pairs are thus normalised by N(N - 1). Next to a wall spheres leave a thin
layer free, which lowers N/V. Therefore g tends to slightly more than 1 in a narrow channel. A periodic axis has no
face.

With several materials or shapes, or with --by, there are PREFIX_partial.csv and .png: g_ij of each pair of kinds,
counted as with --window, as functions of r in units of the mean diameter of both kinds, up to half a period. If the
region is the whole domain and all axes are periodic, there is PREFIX_structure.csv: the structure factor S(k) as a
function of kd, averaged over the domain's wave vectors in each bin.

Writes PREFIX.csv with r_over_d (middle of the bin, a whole number of widths), g and its error, and PREFIX.png. The
error is the standard error over the snapshots, which are assumed to be independent. With a single snapshot it follows
from the number of pairs.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.figure
import scree.means
import scree.rdf
import scree.snapshot
import scree.structure_factor
import scree.table
from scree.errors import UsageError


FIELDS = ("position", "radius", "material")


def _kind(arguments, snapshot):
    """The property by which kinds of particles differ, material or shape; None if there is only one kind."""
    if arguments.by:
        return arguments.by
    return next((property_name for property_name in ("material", "shape") if len(np.unique(snapshot.kinds(property_name)[0])) > 1), None)


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser, "the whole domain if particles fill it, otherwise the middle half of the particles")
    parser.add_argument(
        "--r-max", type=_command_line.positive, metavar="DIAMETERS",
        help=f"largest distance (default: {scree.rdf.R_MAX:g}, or what fits into a narrow domain)",
    )
    parser.add_argument(
        "--bin", type=_command_line.positive, default=scree.rdf.BIN, metavar="DIAMETERS",
        help=f"width of a bin (default: {scree.rdf.BIN:g})",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--uncorrected", action="store_true", help="all pairs within the region")
    group.add_argument("--window", action="store_true", help="all pairs within the region, divided by the fraction of it that stays inside after a shift by r")
    parser.add_argument("--by", choices=("material", "shape"), help="kinds of g_ij (default: material, else shape, if several)")
    arguments = parser.parse_args()
    corrected = not arguments.uncorrected
    paths, prefix = _command_line.snapshots(arguments, "rdf")

    def region_of(snapshot):
        return _command_line.region(arguments, snapshot, scree.rdf.natural_region)

    r_max, window, window_r_max = _choose_r_max(arguments, paths, region_of)
    if arguments.bin > r_max:
        raise UsageError(f"--bin {arguments.bin:g} is greater than --r-max {r_max:g}")
    result = scree.rdf.of_frames(_frames(paths), region_of, r_max, arguments.bin, corrected, window)
    if len(result.times) < len(paths):
        left_out = len(paths) - len(result.times)
        _command_line.warn(f"{left_out} snapshots with fewer than two particles in the region are left out")
    last = scree.snapshot.first_filled(reversed(paths), FIELDS)
    region = region_of(last)
    scree.rdf.warn_of_walls(last, region, r_max * result.diameter if corrected and not window else 0.0)
    scree.rdf.write_table(f"{prefix}.csv", result, region, corrected, window)
    structure = _structure(paths, prefix) if region.endless.all() else None
    scree.rdf.write_picture(f"{prefix}.png", result, corrected, structure)
    written = [f"{prefix}.csv", f"{prefix}.png"] + ([f"{prefix}_structure.csv"] if structure else [])
    property_name = _kind(arguments, last)
    if property_name:
        written += _write_partials(arguments, paths, prefix, region_of, property_name, r_max if window else window_r_max)
    _command_line.print_written(*written, averaged_times=result.times)
    return 0


def _frames(paths):
    """Yields the snapshots one by one, with only one in memory."""
    return scree.snapshot.read_frames(paths, FIELDS)


def _choose_r_max(arguments, paths, region_of):
    """(r_max [diameters], whether to count as with --window, largest r_max of --window or None if not known)."""
    if arguments.r_max is not None:
        return arguments.r_max, arguments.window, None
    shell_r_max, window_r_max = scree.rdf.reaches(_frames(paths), region_of)
    in_window = arguments.window or (window_r_max > shell_r_max and not arguments.uncorrected)
    return max(shell_r_max, window_r_max), in_window, window_r_max


def _write_partials(arguments, paths, prefix, region_of, property_name, r_max):
    """Writes g_ij of the kinds; returns the names of the files.  r_max: [diameters]; None: the largest for the window"""
    r_max = scree.rdf.window_r_max(_frames(paths), region_of) if r_max is None else r_max
    results = scree.rdf.partial(_frames(paths), region_of, min(r_max, scree.rdf.R_MAX), property_name, arguments.bin)
    if not results:
        _command_line.warn(
            f"every pair of kinds by {property_name} has too few particles or no bin below r_max; no {prefix}_partial.csv is written"
        )
        return []
    scree.rdf.write_partial(f"{prefix}_partial.csv", results)
    times = next(iter(results.values())).times
    scree.figure.save(scree.rdf.partial_figure(results), f"{prefix}_partial.png", averaged_times=times)
    return [f"{prefix}_partial.csv", f"{prefix}_partial.png"]


def _structure(paths, prefix):
    """Writes and returns the StructureFactor of the snapshots."""
    frames = [scree.structure_factor.structure_factor(frame) for frame in _frames(paths) if len(frame) > 1]
    result = scree.structure_factor.average(frames)
    columns = {"k_d": result.middles, "structure_factor": result.values, "error": result.error}
    scree.table.write(f"{prefix}_structure.csv", [f"structure factor, {scree.means.over(result.times)}"], columns)
    return result


if __name__ == "__main__":
    _command_line.run(main)
