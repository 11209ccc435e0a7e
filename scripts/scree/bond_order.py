"""Bond-orientational order of the neighbours of each particle,

    Q_l^2 = 4 pi/(2 l + 1) sum_m |<Y_lm>|^2 = <P_l(cos of the angle between two bonds)>,   l = 6,

where a bond is the line from a particle to a neighbour. The mean is over all pairs of bonds of a particle, including
pairs of a bond with itself (P. J. Steinhardt, D. R. Nelson, M. Ronchetti, Phys. Rev. B 28, 784 (1983)).
Q_6 is 0.575 in a face-centred cubic crystal, 0.485 in a hexagonal one, and about 0.4 with scatter in a random packing.
"""

import numpy as np

DEGREE = 6
REACH = 1.4  # largest distance of neighbours [sum of their radii]: the first minimum of g(r)
MIN_BONDS = 4  # particles with fewer bonds are at a surface and get Q = 0
CHUNK_SIZE = 10**4  # number of particles that are processed at a time


def order(bonds, degree=DEGREE):
    """Q [N] of particles from unit vectors to their neighbours [N, B, 3]; zero vectors do not count.

    Q is 0 for particles with fewer than MIN_BONDS neighbours.
    """
    has_bonds = np.any(bonds != 0.0, axis=2)
    cos = np.clip(np.einsum("nij,nkj->nik", bonds, bonds), -1.0, 1.0)
    values = np.polynomial.legendre.legval(cos, np.eye(degree + 1)[degree])
    count = has_bonds.sum(axis=1)
    sums = np.sum(values * (has_bonds[:, :, None] & has_bonds[:, None]), axis=(1, 2))
    return np.where(count >= MIN_BONDS, np.sqrt(np.maximum(sums, 0.0)) / np.maximum(count, 1), 0.0)


def q6(snapshot):
    """Q_6 of the particles of a Snapshot, [N]; 0 with fewer than MIN_BONDS neighbours."""
    positions, radius = snapshot["position"], snapshot["radius"]
    if len(positions) < 2:
        return np.zeros(len(positions))
    a, b = snapshot.pairs(positions, 2.0 * REACH * radius.max())
    branch = snapshot.nearest(positions[b] - positions[a])
    length = np.linalg.norm(branch, axis=1)
    is_neighbour = (length < REACH * (radius[a] + radius[b])) & (length > 0.0)
    a, b, branch = a[is_neighbour], b[is_neighbour], branch[is_neighbour] / length[is_neighbour, None]
    a, branch = np.concatenate([a, b]), np.concatenate([branch, -branch])
    by_particle = np.argsort(a, kind="stable")
    a, branch = a[by_particle], branch[by_particle]
    column = np.arange(len(a)) - np.searchsorted(a, a)
    values = np.zeros(len(positions))
    for first in range(0, len(positions), CHUNK_SIZE):
        rows = slice(*np.searchsorted(a, (first, first + CHUNK_SIZE)))
        bonds = np.zeros((min(CHUNK_SIZE, len(positions) - first), column[rows].max(initial=-1) + 1, 3))
        bonds[a[rows] - first, column[rows]] = branch[rows]
        values[first : first + CHUNK_SIZE] = order(bonds)
    return values
