"""Limit loads of rigid bodies in contact by linear programming: the largest load with admissible contact forces.

If every sliding contact dilated at its angle of friction, bodies would begin to move at this load (theorems of limit
analysis). With Coulomb's law, contacts do not dilate, and bodies move at this load or at a smaller one (D. C.
Drucker, J. Appl. Mech. 21 (1954) 71).
"""

import numpy as np
import scipy.optimize
import scipy.sparse

import scree.contacts

FACETS = 8  # sides of the pyramid inside a friction cone


def _cross_matrix(arm):
    """The matrix that multiplies a force to give its moment, arm x force."""
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _pyramid(normal, friction):
    """Rows g of the conditions g.force <= 0 for forces inside the friction cone about the normal, [FACETS + 1, 3]."""
    first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    first /= np.linalg.norm(first)
    angles = 2.0 * np.pi * np.arange(FACETS) / FACETS
    sides = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(normal, first))
    return np.vstack([sides - friction * np.cos(np.pi / FACETS) * normal, -normal])


def limit(frame, dt, friction, bond_friction, gap, dead=None, live=None):
    """The largest factor of the live loads that contacts, walls and bonds can carry.

    frame: snapshot with contacts;  gap: largest gap of contacts that touch [m]
    dead, live: constant forces on the particles, and forces that the factor multiplies, [N, 3] [N]
    With live = None, the result is the largest force along -z on a wall above the particles [N].
    """
    contacts = scree.contacts.recorded(frame)
    pull = np.linalg.norm(contacts.pull, axis=1) / dt
    # Contacts that the narrow phase finds between bonded surfaces are recorded, but bonds replace them, so
    # they are left out.
    pairs = np.sort(np.stack([contacts.a, contacts.b], axis=1), axis=1)
    is_bonded = (pairs[:, None] == pairs[pull > 0.0]).all(axis=2).any(axis=1)
    active = np.flatnonzero((pull > 0.0) | (contacts.gap < gap) & ~is_bonded)
    count, size = len(frame["position"]), np.cbrt(frame.volumes.mean())
    balance, cones, loads = [], [], np.zeros((count, 6))
    if dead is not None:
        loads[:, :3] = dead
    gain = np.zeros(3 * len(active) + 1)
    for k, c in enumerate(active):
        normal = contacts.normal[c]
        for row, sign in ((contacts.a[c], 1.0), (contacts.b[c], -1.0)):
            if row < 0:
                continue
            matrix = sign * np.vstack([np.eye(3), _cross_matrix(contacts.position[c] - frame["position"][row]) / size])
            balance += [(6 * row + i, 3 * k + j, matrix[i, j]) for i in range(6) for j in range(3)]
            loads[row] -= matrix @ (pull[c] * normal)
        pyramid = _pyramid(normal, bond_friction if pull[c] > 0.0 else friction)
        cones += [((FACETS + 1) * k + i, 3 * k + j, pyramid[i, j]) for i in range(FACETS + 1) for j in range(3)]
        if live is None and contacts.b[c] < 0 and normal[2] < -0.5:
            gain[3 * k + 2] = 1.0
    if live is not None:
        gain[-1] = -1.0
        balance += [(6 * row + i, 3 * len(active), live[row, i]) for row in range(count) for i in range(3)]

    def matrix(entries, rows):
        i, j, values = zip(*entries)
        return scipy.sparse.csr_array((values, (i, j)), shape=(rows, len(gain)))

    solution = scipy.optimize.linprog(
        gain, A_ub=matrix(cones, (FACETS + 1) * len(active)), b_ub=np.zeros((FACETS + 1) * len(active)),
        A_eq=matrix(balance, 6 * count), b_eq=-loads.ravel(), bounds=(None, None), method="highs",
    )  # fmt: skip
    return -solution.fun if solution.status == 0 else np.inf
