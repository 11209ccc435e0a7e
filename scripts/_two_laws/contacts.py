"""The contacts of snapshots as problems of one contact, and their solutions by each law.

A contact between bodies a and b in the step before the snapshot, with all other impulses fixed, is the problem

    v = A x - b,   A = (w_a + w_b) E - [s_a]x J_a [s_a]x - [s_b]x J_b [s_b]x,   b = A lambda - (dv + max(gap, 0)/dt n)

with the inverse mass w and the inverse inertia tensor J of a body, the arm s from its centre to the contact ([s]x is
its cross product), the impulse lambda, the relative velocity dv after the step and the gap before the step. The unknown
is the impulse x; for x = lambda, v is dv plus the speed that closes the gap. This is the problem of the last relaxation
of the sweeps. Both laws solve the same problems, so their difference is not due to
chaos. Contacts with walls are not included, because a snapshot does not have the walls' velocities. scree.solvers
computes the blocks A and the solutions.
"""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

import scree.configuration
import scree.contacts
import scree.solvers

SAME = 1e-9  # velocities that differ by less than this fraction of |b| are equal


@dataclasses.dataclass
class Problems:
    """The problems of C contacts, each in its contact frame (n, t, o)."""

    a: np.ndarray  # A [C, 3, 3] [1/kg]
    b: np.ndarray  # [C, 3] [m/s]
    mu: np.ndarray  # [C]

    def __len__(self):
        return len(self.mu)

    def solve(self, law):
        """The scree.solvers.Solution by max_dissipation, coulomb or coulomb_solutions."""
        return getattr(scree.solvers, law)(self.a, self.b, self.mu)


def rotations_before(orientation, omega, dt):
    """Rotations [N, 3, 3] of bodies before a step in which they rotated with omega."""
    rotation = Rotation.from_quat(np.roll(orientation, -1, axis=1))  # w last
    return (Rotation.from_rotvec(-dt * omega) * rotation).as_matrix()


def problems(snapshot, friction):
    """(Problems of the contacts between bodies of a snapshot, contact frames [C, 3, 3], impulses in them [C, 3])."""
    dt = scree.configuration.time_step_of(snapshot)
    contacts = scree.contacts.recorded(snapshot)
    contacts = contacts.taken(contacts.b >= 0)
    normal = contacts.normal / np.linalg.norm(contacts.normal, axis=1, keepdims=True)  # files may have single precision
    v, omega = snapshot["velocity"], snapshot["angular_velocity"]
    rotation = rotations_before(snapshot["orientation"], omega, dt)
    inverse = np.einsum("nij,njk,nlk->nil", rotation, np.linalg.inv(snapshot.inertia()), rotation)
    position = snapshot["position"] - dt * v
    bodies, relative = [], (np.maximum(contacts.gap, 0.0) / dt)[:, None] * normal
    for body, sign in ((contacts.a, 1.0), (contacts.b, -1.0)):
        arm = snapshot.nearest(contacts.position - position[body])
        bodies.append(scree.solvers.Body(1.0 / snapshot.masses[body], inverse[body], arm))
        relative += sign * (v[body] + np.cross(omega[body], arm))
    frame, a = scree.solvers.contact_block(normal, *bodies)
    impulse = np.einsum("cji,cj->ci", frame, contacts.impulse)
    b = np.einsum("cij,cj->ci", a, impulse) - np.einsum("cji,cj->ci", frame, relative)
    return Problems(a, b, np.full(len(contacts), friction)), frame, impulse


def several_solutions(problem_set):
    """Whether Coulomb's law has several solutions, [C] of bool, and the relative spread of their energies, [C]."""
    solutions = problem_set.solve("coulomb_solutions")
    best, worst = np.fmin.reduce(solutions.energy, axis=1), np.fmax.reduce(solutions.energy, axis=1)
    several = (solutions.count > 1) & (best < 0.0)
    return several, np.where(several, (worst - best) / np.where(several, -best, 1.0), 0.0)


def count_several(problem_set):
    return int(several_solutions(problem_set)[0].sum()) if len(problem_set) else 0


@dataclasses.dataclass
class ContactStatistics:
    """Statistics of the contacts of snapshots. Arrays [S] have the S contacts that slide by maximum dissipation."""

    contacts: int = 0  # between bodies
    loaded: int = 0  # contacts that have an impulse and lose energy by maximum dissipation
    several: int = 0  # contacts with several Coulomb solutions
    spread: float = 0.0  # largest relative spread of energy among the solutions of a contact
    energies: tuple = (0.0, 0.0)  # dissipated by all contacts: (by maximum dissipation, by Coulomb's law) [J]
    angle: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # [S] between -x_T and slip v_T [rad]
    distance: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # [S] |v - v_Coulomb| / |b|
    # [S] Energy dissipated by Coulomb's law, divided by that of maximum dissipation.
    energy_ratio: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))
    # [loaded] Energy that a contact dissipates by the law of the run, divided by the mean kinetic energy of a body.
    dissipated: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))

    def __add__(self, other):
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)])
                  for name in ("angle", "distance", "energy_ratio", "dissipated")}  # fmt: skip
        return ContactStatistics(self.contacts + other.contacts, self.loaded + other.loaded, self.several + other.several,
                    max(self.spread, other.spread), tuple(np.add(self.energies, other.energies)), **joined)  # fmt: skip


def contact_statistics(snapshot, friction, law):
    """The ContactStatistics of one snapshot of a flow with this law."""
    problem_set, *_ = problems(snapshot, friction)
    if not len(problem_set):
        return ContactStatistics()
    solutions = {kernel: problem_set.solve(kernel) for kernel in ("max_dissipation", "coulomb")}
    dissipated_by = {kernel: -solution.energy for kernel, solution in solutions.items()}
    several, spread = several_solutions(problem_set)
    impulse, v = solutions["max_dissipation"].impulse, solutions["max_dissipation"].velocity
    is_loaded = (impulse[:, 0] > 0.0) & (dissipated_by["max_dissipation"] > 0.0)
    size = np.linalg.norm(problem_set.b, axis=1)
    cone = np.linalg.norm(impulse[:, 1:], axis=1) / np.maximum(problem_set.mu * impulse[:, 0], 1e-300)
    slip = np.linalg.norm(v[:, 1:], axis=1)
    is_sliding = is_loaded & (cone > 1.0 - 1e-9) & (slip > SAME * size)
    cosine = -np.einsum("ci,ci->c", impulse[:, 1:], v[:, 1:])[is_sliding]
    sine = (impulse[:, 1] * v[:, 2] - impulse[:, 2] * v[:, 1])[is_sliding]
    distance = np.linalg.norm(v - solutions["coulomb"].velocity, axis=1) / np.maximum(size, 1e-300)
    return ContactStatistics(
        len(problem_set), int(is_loaded.sum()), int(several.sum()),
        float(spread.max()),
        (float(dissipated_by["max_dissipation"].sum()), float(dissipated_by["coulomb"].sum())),
        np.arctan2(abs(sine), cosine), distance[is_sliding],
        dissipated_by["coulomb"][is_sliding] / dissipated_by["max_dissipation"][is_sliding],
        dissipated_by[law][is_loaded] / mean_kinetic_energy(snapshot),
    )  # fmt: skip


def mean_kinetic_energy(snapshot):
    """Mean translational kinetic energy of a body [J]."""
    return 0.5 * np.mean(snapshot.masses * snapshot.speed**2)
