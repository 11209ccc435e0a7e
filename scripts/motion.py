#!/usr/bin/env python3
"""Relative motion of particles: mean square displacement, non-affine motion, distribution of velocities.

PREFIX_msd.csv       mean square displacement over time, and along x, y, z, less the displacement of all together; of the particles
    that are in all snapshots, over all pairs of snapshots so far apart, its error over the particles. Between two snapshots a
    particle must go less than half a period of the domain
PREFIX_velocity.csv  density of the components of the velocities about their mean, over the standard deviation of all; its head
    has the Sonine coefficient a_2, 0 of a Gaussian
PREFIX_d2min.csv     D^2_min of each particle from the first snapshot to the last, over the square of the mean diameter: what of the
    motion of its neighbours within 1.5 diameters no affine map explains; empty below four neighbours
PREFIX.png           the former two; slopes of 1 and 2 are those of diffusion and of free flight
PREFIX_d2min.png     the particles in the first snapshot, coloured by D^2_min

--from and --to choose the times: D^2_min is of the whole window, so that of a flow it wants a short one. Definitions and sources:
scree/motion.py.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.figure
import scree.motion
import scree.snapshot
from scree.errors import UsageError


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "motion")
    if len(paths) < 2:
        raise UsageError(f"there are {len(paths)} snapshots; a displacement needs two")
    moved = scree.motion.mean_square_displacement(*scree.motion.unfolded(scree.snapshot.read_frames(paths, scree.motion.FIELDS)))
    found = scree.motion.velocities(scree.snapshot.read_frames(paths, scree.motion.FIELDS))
    first, last = (scree.snapshot.read_snapshot(path) for path in (paths[0], paths[-1]))
    values = scree.motion.non_affine(first, last)
    written = scree.motion.write_tables(prefix, moved, found, (first, last), values)
    scree.figure.save(scree.motion.figure_of(moved, found), f"{prefix}.png", over=moved.times)
    scree.motion.write_picture(f"{prefix}_d2min.png", first, last, values)
    _command_line.print_written(*written, f"{prefix}.png", f"{prefix}_d2min.png", over=moved.times)
    known = values[np.isfinite(values)]
    print(f"a_2 = {found.sonine:.3g}" + (f", mean D^2_min = {known.mean():.3g} d^2" if len(known) else ""))
    return 0


if __name__ == "__main__":
    _command_line.run(main)
