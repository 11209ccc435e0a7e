#!/usr/bin/env python3
"""Contact statistics of a region: coordination, forces, fabric and stress, force chains.

All results are averages over snapshots. Some need a run with `output.contacts = yes`, which records the contacts. From
other snapshots the script gets only coordination and fabric, without walls: it finds the touching contacts between
spheres (gap at most 0.01 of the smallest radius) from the positions.

PREFIX_coordination.csv  coordination (number of touching neighbours), fraction of the particles that have it, error.
    Particles count if their centre is in the region. Recorded walls are neighbours too. Bodies that touch in several
    contact points are one pair of neighbours
PREFIX_impulses.csv      normal impulse of pairs in units of the mean, its probability density, error. Impulses are
    summed over the contact points of a loaded pair in the region and divided by the mean of the snapshot
PREFIX_impulses_log.csv  the same in bins of equal ratio, with the 95 % band of a bootstrap over the snapshots, or over
    the pairs of a single snapshot
PREFIX_tensors.csv       fabric and contact stress, components xx, xy, ..., zz, and their errors
PREFIX_network.csv       for the loaded contacts: coordination without rattlers, anisotropies a_c, a_n, a_t of
    directions, normal and tangential forces, mobilised friction, sliding fraction, decay beta of the density of
    impulses beyond the mean
PREFIX.png               coordination, density of impulses over linear and logarithmic axes, rose diagram of the
    normals with the mean force in each direction, and the mobilised friction |f_t|/(mu f_n), if no coefficient mu
    depends on the slip (kinetic_friction)
PREFIX_chains.png        loaded pairs of the last snapshot in a slab of four diameters. The line width grows with the
    impulse, and pairs above the mean impulse are bold

Fabric F = <n n> over the touching contacts in the region; its trace is 1. Stress = 1/V sum of f l over the contacts in
the region. V is the volume of the region without walls, f = impulse / time step is the force on the first particle of
the contact, and the branch l points to its centre from the centre of the second (or the surface of a wall). Pressure is
positive. The stress does not include the kinetic part. Anisotropies are second harmonics; for spheres of about one size
q/p of the stress is close to 2/5 (a_c + a_n + 3/2 a_t). A rattler has fewer than two loaded neighbours (four without
friction) after other rattlers have been removed. Sources: scree/force_network.py.
The stress is a mean over snapshots; in all other means each particle, pair or contact of any snapshot has the same
weight. Without --lower and --upper the region is chosen for each snapshot. Errors are standard errors over the
snapshots, which are assumed to be independent; with one snapshot they are empty.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.contact_statistics
import scree.contacts
import scree.figure
import scree.grid
import scree.region
import scree.snapshot
import scree.view
from scree.errors import UsageError


def _recorded_or_all(paths):
    """The snapshots with recorded contacts (the first of a run has none), or all snapshots if no snapshot has any."""
    recorded = [path for path in paths if scree.contacts.has_record(path)]
    return recorded or paths


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser, "the part of the domain that the particles fill")
    parser.add_argument(
        "--plane", choices=scree.grid.PLANES, help="plane of rose diagram and chains (default: chosen from the scene)"
    )
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "contacts")
    frames = []
    for frame in scree.snapshot.read_frames(_recorded_or_all(paths), scree.contact_statistics.FIELDS):
        if not len(frame):
            continue
        snapshot, region = frame, _command_line.region(arguments, frame, scree.region.taken)
        contacts = scree.contacts.of_snapshot(snapshot)
        plane = scree.grid.PLANES.get(arguments.plane) or scree.view.main(snapshot).axes
        frames.append(scree.contact_statistics.statistics(snapshot, contacts, region, plane))
    if not frames:
        raise UsageError("there are no particles in any of the snapshots")
    tables = scree.contact_statistics.write_tables(prefix, frames, region)
    times = [frame.time for frame in frames]
    scree.figure.save(scree.contact_statistics.figure_of(frames), f"{prefix}.png", averaged_times=times)
    _command_line.print_written(*tables, f"{prefix}.png", averaged_times=times)
    if not scree.contact_statistics.force_density(frames):
        _command_line.warn(
            "impulses, stress and chains need snapshots of a run with output.contacts = yes and "
            "loaded contacts in the region"
        )
    if frames[-1].forces is not None:
        figure = scree.contact_statistics.chain_figure(snapshot, contacts, region, plane)
        scree.figure.save(figure, f"{prefix}_chains.png", averaged_times=times[-1:])
        _command_line.print_written(f"{prefix}_chains.png")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
