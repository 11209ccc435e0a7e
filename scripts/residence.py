#!/usr/bin/env python3
"""Residence times of particles in a region, or in the domain between inflow and outflow.

PREFIX.csv  fraction of the particles that are still inside, as a function of the time since entry, and its standard
    error; the head has the mean residence time
PREFIX.png  this fraction compared with plug flow and with a perfectly mixed volume of the same mean, and the density
    of the residence times

The resolution in time is the interval of the snapshots. Particles that are inside in the first snapshot do not count.
Particles that are inside in the last snapshot count until this snapshot. If some of the latter have stayed longer than
every particle that left, the mean is a lower bound, and the script prints a warning. Definitions and sources:
scree/residence.py.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.figure
import scree.region
import scree.residence
import scree.snapshot


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser, "beginning of the run")
    _command_line.add_region(parser)
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "residence", with_first_half=True, over_time=True)
    last = scree.snapshot.read_snapshot(paths[-1], ("position",))
    region = _command_line.region(arguments, last)
    result = scree.residence.residence(scree.snapshot.read_frames(paths, ("position",)), scree.region.following(region, last))
    scree.residence.write_table(f"{prefix}.csv", result, region)
    scree.figure.save(scree.residence.figure_of(result), f"{prefix}.png")
    _command_line.print_written(f"{prefix}.csv", f"{prefix}.png", averaged_times=result.frames)
    print(f"mean residence time {result.mean:.4g} s, variance / mean^2 {result.variance / result.mean**2:.3g} "
          "(0: plug flow, 1: mixed)")
    if result.there[-1] > 0.0:
        _command_line.warn(f"{100.0 * result.there[-1]:.2g} % stay longer than {result.times[-1]:.3g} s: the mean is a lower bound")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
