#!/usr/bin/env python3
"""Radial distribution function g(r) of the particles in a region, averaged over snapshots.

g(r) = (pairs at distances in a bin) / (those in a gas of the same density without any order). The
distance is in mean diameters of the region's particles. Two ways to treat the region's faces:

corrected (default): neighbours come from the whole domain, and only particles at least r_max away
    from the domain's faces count as centres. Every shell is then whole, and a gas has g = 1. (Faces
    of the region inside the domain cut no shell, so centres may lie beside them.)
uncorrected (--uncorrected): all pairs within the region, as in figure 12 of T. Preclik, S. Eibl,
    U. Ruede, arXiv:1706.00221, section 4.3. Shells reach beyond the region, so g falls with r.

Each snapshot has the density of its own region, and each centre counts once in the mean over them. Without corners the
region follows the particles, snapshot by snapshot.

The expected number is (M centres) x (N - 1)/V x (volume of the shell), with the N particles and the
volume V of the region: the pairs are normalised by N(N - 1) if all particles are centres. Spheres
leave a thin layer at a wall, which lowers N/V: in a narrow channel g tends to a little more than 1.
A periodic axis has no face.

Writes PREFIX.csv with r_over_d (middle of the bin, a whole number of widths), g and its error, and
PREFIX.png. The error is the standard error over the snapshots, taken as independent, or from the
number of pairs if there is one snapshot only.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.rdf
import scree.snapshot
from scree.errors import UsageError


FIELDS = ("position", "radius")


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser, "all of a domain that the particles fill, else the middle half of them")
    parser.add_argument(
        "--r-max", type=_command_line.positive, metavar="DIAMETERS",
        help=f"greatest distance (default: {scree.rdf.R_MAX:g}, or what fits into a narrow domain)",
    )
    parser.add_argument(
        "--bin", type=_command_line.positive, default=scree.rdf.BIN, metavar="DIAMETERS",
        help=f"width of a bin (default: {scree.rdf.BIN:g})",
    )
    parser.add_argument("--uncorrected", action="store_true", help="all pairs within the region")
    arguments = parser.parse_args()
    corrected = not arguments.uncorrected
    paths, prefix = _command_line.snapshots(arguments, "rdf")

    def region_of(snapshot):
        return _command_line.region(arguments, snapshot, scree.rdf.natural_region)

    r_max = arguments.r_max or scree.rdf.natural_r_max(scree.snapshot.read_frames(paths, FIELDS), region_of)
    if arguments.bin > r_max:
        raise UsageError(f"--bin {arguments.bin:g} is greater than --r-max {r_max:g}")
    result = scree.rdf.of_frames(scree.snapshot.read_frames(paths, FIELDS), region_of, r_max, arguments.bin, corrected)
    if len(result.times) < len(paths):
        few = len(paths) - len(result.times)
        _command_line.warn(f"{few} snapshots with fewer than two particles in the region are left out")
    last = scree.snapshot.first_filled(reversed(paths), FIELDS)
    region = region_of(last)
    scree.rdf.warn_of_walls(last, region, r_max * result.diameter if corrected else 0.0)
    scree.rdf.write_table(f"{prefix}.csv", result, region, corrected)
    scree.rdf.write_picture(f"{prefix}.png", result, corrected)
    _command_line.wrote(f"{prefix}.csv", f"{prefix}.png", over=result.times)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
