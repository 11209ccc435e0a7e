#!/usr/bin/env python3
"""Contact statistics of a region: coordination, forces, fabric and stress, force chains.

A run with `output.contacts = yes` records its contacts; then all of this is written. Of other
snapshots the contacts that touch (gap at most 0.01 of the smallest radius) between spheres are found again from the
positions: coordination and fabric, without walls. Averaged over snapshots.

PREFIX_coordination.csv  coordination, share of the particles with this number of touching neighbours, its error;
    the particles are those with their centre in the region, walls are neighbours where recorded. Bodies that touch in
    several contact points are one pair of neighbours
PREFIX_impulses.csv      normal impulse of pairs in units of its mean, probability density, its error;
    the sum over the contact points of a pair, of loaded pairs in the region, each over the mean of its snapshot
PREFIX_tensors.csv       fabric and contact stress, components xx, xy, ..., zz, and their errors
PREFIX_network.csv       of the contacts that carry: coordination without rattlers, anisotropies a_c, a_n, a_t of
    directions, normal and tangential forces, mobilised friction, the share that slides, the decay beta of P(f) beyond 1
PREFIX.png               coordination, P(f), rose diagram of the normals with the mean force in each direction, and the
    mobilised friction |f_t|/(mu f_n)
PREFIX_chains.png        loaded pairs of the last snapshot in a slab of four diameters, those above the mean impulse drawn
    bold, as wide as they are strong

Fabric F = <n n> over the contacts that touch in the region, with trace 1. Stress = 1/V sum of f l over
its contacts, V the space in it that walls leave, f = impulse / time step the force on a, l the branch
from b (its centre, or a wall's surface) to the centre of a; pressure is positive. It leaves out the
momentum that the particles carry. Anisotropies are those of second harmonics, with q/p of the stress near
2/5 (a_c + a_n + 3/2 a_t) for spheres of about one size; a rattler has fewer than two neighbours that carry it, without
friction fewer than four, once other rattlers are left out. Sources: scree/force_network.py.
Each particle, pair and contact counts once in the means, whatever snapshot it is of; the stress is the mean over the
snapshots, each with a region of its own unless corners are given. Errors are standard errors over the snapshots, taken as
independent; empty for one snapshot.
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


def _with_record(paths):
    """Those of the snapshots that have a record of contacts, as the first of a run has none; all if none has."""
    kept = [path for path in paths if scree.contacts.has_record(path)]
    return kept or paths


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser)
    _command_line.add_region(parser, "what the particles take of the domain")
    parser.add_argument(
        "--plane", choices=scree.grid.PLANES, help="of rose diagram and chains (default: of the scene)"
    )
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "contacts")
    frames = []
    for frame in scree.snapshot.read_frames(_with_record(paths), scree.contact_statistics.FIELDS):
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
    scree.figure.save(scree.contact_statistics.figure_of(frames), f"{prefix}.png", over=times)
    _command_line.print_written(*tables, f"{prefix}.png", over=times)
    if not scree.contact_statistics.force_density(frames):
        _command_line.warn(
            "impulses, stress and chains need snapshots of a run with output.contacts = yes and "
            "loaded contacts in the region"
        )
    if frames[-1].forces is not None:
        figure = scree.contact_statistics.chain_figure(snapshot, contacts, region, plane)
        scree.figure.save(figure, f"{prefix}_chains.png", over=times[-1:])
        _command_line.print_written(f"{prefix}_chains.png")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
