#!/usr/bin/env python3
"""Relative motion of particles: mean square displacement, non-affine motion, distribution of velocities.

PREFIX_msd.csv       mean square displacement as a function of the time lag, total and along x, y, z, relative to the
    mean displacement. It is averaged over the particles that are in all snapshots and over all pairs of snapshots with
    this lag. The error is that of a mean over particles. Between two snapshots a particle must move less than half a
    period of the domain
PREFIX_velocity.csv  probability density of the velocity components relative to their mean, in units of the standard
    deviation of all components. The head has the Sonine coefficient a_2, which is 0 for a Gaussian
PREFIX_d2min.csv     D^2_min of each particle from the first to the last snapshot, divided by the squared mean diameter.
    D^2_min is the part of the motion of the neighbours within 1.5 diameters that no affine map explains. It is empty
    with fewer than four neighbours. Columns x, y, z: the displacement less the affine displacement of all particles;
    empty for particles that are not in all snapshots
PREFIX.png           the first two results; slopes of 1 and 2 mean diffusion and free flight
PREFIX_d2min.png     the particles in the first snapshot, coloured by D^2_min

--from and --to select the times. D^2_min covers the whole window, so choose a short window for a flow. Definitions and
sources: scree/motion.py.
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
    paths, prefix = _command_line.snapshots(arguments, "motion", over_time=True)
    if len(paths) < 2:
        raise UsageError(f"there are {len(paths)} snapshots; a displacement needs two")
    ids, positions, times = scree.motion.unfolded(scree.snapshot.read_frames(paths, scree.motion.FIELDS))
    displacement = scree.motion.mean_square_displacement(positions, times)
    velocities = scree.motion.velocities(scree.snapshot.read_frames(paths, scree.motion.FIELDS))
    first, last = (scree.snapshot.read_snapshot(path) for path in (paths[0], paths[-1]))
    values = scree.motion.non_affine(first, last)
    non_affine_displacements, _ = scree.motion.non_affine_displacement(first, scree.motion.displacements(first, ids, positions))
    written = scree.motion.write_tables(prefix, displacement, velocities, (first, last), non_affine_displacements, values)
    figure = scree.motion.figure_of(displacement, velocities)
    scree.figure.save(figure, f"{prefix}.png", averaged_times=displacement.times)
    scree.motion.write_picture(f"{prefix}_d2min.png", first, last, values)
    _command_line.print_written(*written, f"{prefix}.png", f"{prefix}_d2min.png", averaged_times=displacement.times)
    finite_values = values[np.isfinite(values)]
    print(f"a_2 = {velocities.sonine:.3g}" + (f", mean D^2_min = {finite_values.mean():.3g} d^2" if len(finite_values) else ""))
    return 0


if __name__ == "__main__":
    _command_line.run(main)
