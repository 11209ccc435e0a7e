"""The contacts of snapshots as problems of one contact, and what each law makes of them.

A contact between bodies a and b has in the step that led to the snapshot, all else fixed,

    v = A x - b,   A = (w_a + w_b) E - [s_a]x J_a [s_a]x - [s_b]x J_b [s_b]x,   b = A lambda - (dv + max(gap, 0)/dt n)

with the impulse lambda, the relative velocity dv after the step and the gap before it: what the sweeps have of it in
their last relaxation. Both laws are asked about the same problems, so that their difference is no matter of chaos.
Walls, whose velocity a snapshot does not tell, are left out.
"""

import dataclasses
import pathlib
import subprocess
import tempfile

import numpy as np

import scree.configuration
import scree.contacts
import scree.snapshot
import scree.table
from scree.errors import FileError

HEADER = ("a11", "a12", "a13", "a21", "a22", "a23", "a31", "a32", "a33", "b1", "b2", "b3", "mu")
SAME = 1e-9  # of |b|: velocities that differ by less are equal


@dataclasses.dataclass
class Problems:
    """C contacts in their frames (n, t, o)."""

    a: np.ndarray  # A [C, 3, 3] [1/kg]
    b: np.ndarray  # [C, 3] [m/s]
    mu: np.ndarray  # [C]

    def __len__(self):
        return len(self.mu)

    def velocity(self, x):
        """v = A x - b, [C, 3]."""
        return np.einsum("cij,cj->ci", self.a, x) - self.b

    def taken_by(self, x):
        """Kinetic energy that the impulses x take, x.b - x.A x/2, [C] [J]."""
        return np.einsum("ci,ci->c", x, self.b) - 0.5 * np.einsum("ci,cij,cj->c", x, self.a, x)


def cross_matrix(s):
    """[s]x, [C, 3, 3]."""
    zero = np.zeros(len(s))
    x, y, z = s.T
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def turned_back(orientation, omega, dt):
    """Rotations [N, 3, 3] of bodies before a step in which they turned with omega."""
    turn = np.moveaxis(scree.snapshot._rotation(*orientation.T), -1, 0)
    angle = np.linalg.norm(omega, axis=1) * dt
    axis = omega / np.maximum(np.linalg.norm(omega, axis=1), 1e-300)[:, None]
    half = -0.5 * angle
    back = scree.snapshot._rotation(np.cos(half), *(np.sin(half) * axis.T))
    return np.einsum("ijn,njk->nik", back, turn)


def frames_of_normals(n):
    """(n, t, o) as columns, [C, 3, 3]."""
    least = np.eye(3)[np.argmin(abs(n), axis=1)]
    t = np.cross(least, n)
    t /= np.linalg.norm(t, axis=1)[:, None]
    return np.stack([n, t, np.cross(n, t)], axis=2)


def problems(snapshot, friction):
    """The Problems of the contacts between bodies that a snapshot has, and their impulses [C, 3] in their frames."""
    dt = scree.configuration.time_step_of(snapshot)
    found = scree.contacts.recorded(snapshot)
    found = found.taken(found.b >= 0)
    v, omega = snapshot["velocity"], snapshot["angular_velocity"]
    turn = turned_back(snapshot["orientation"], omega, dt)
    inverse = np.einsum("nij,njk,nlk->nil", turn, np.linalg.inv(snapshot.inertia()), turn)
    before = snapshot["position"] - dt * v
    block, relative = np.zeros((len(found), 3, 3)), np.zeros((len(found), 3))
    for body, sign in ((found.a, 1.0), (found.b, -1.0)):
        arm = snapshot.nearest(found.position - before[body])
        matrix = cross_matrix(arm)
        block += np.eye(3) / snapshot.masses[body, None, None]
        block -= np.einsum("cij,cjk,ckl->cil", matrix, inverse[body], matrix)
        relative += sign * (v[body] + np.cross(omega[body], arm))
    relative += (np.maximum(found.gap, 0.0) / dt)[:, None] * found.normal
    frame = frames_of_normals(found.normal)
    turned = np.einsum("cji,cjk,ckl->cil", frame, block, frame)
    impulse = np.einsum("cji,cj->ci", frame, found.impulse)
    b = np.einsum("cij,cj->ci", turned, impulse) - np.einsum("cji,cj->ci", frame, relative)
    return Problems(0.5 * (turned + turned.transpose(0, 2, 1)), b, np.full(len(found), friction)), impulse


def solved(program, its, kernel):
    """What scree-contact solve says of Problems: its table."""
    with tempfile.TemporaryDirectory() as folder:
        table, answer = pathlib.Path(folder) / "problems.csv", pathlib.Path(folder) / "solutions.csv"
        rows = np.column_stack([its.a.reshape(-1, 9), its.b, its.mu])
        scree.table.write(table, [], dict(zip(HEADER, rows.T)))
        command = [str(program), "solve", "--input", str(table), "--kernel", kernel, "--out", str(answer)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise FileError(f"'{program}' ended with exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        return scree.table.read(answer)


def impulses(table):
    return np.column_stack([table["xn"], table["xt"], table["xo"]])


def several_solutions(program, its):
    """Whether Coulomb's law has more than one, [C] of bool, and the spread of their energies over the best, [C]."""
    every = solved(program, its, "all-coulomb")
    of = every["problem"].astype(int)
    best, worst = np.full(len(its), np.inf), np.full(len(its), -np.inf)
    np.minimum.at(best, of, every["energy"])
    np.maximum.at(worst, of, every["energy"])
    several = (np.bincount(of, minlength=len(its)) > 1) & (best < 0.0)
    return several, np.where(several, (worst - best) / np.where(several, -best, 1.0), 0.0)


def count_several(program, its):
    return int(several_solutions(program, its)[0].sum()) if len(its) else 0


@dataclasses.dataclass
class Look:
    """What the contacts of one or more snapshots tell; arrays of those that slide by maximum dissipation, [S]."""

    contacts: int = 0  # between bodies
    loaded: int = 0  # of which both laws have an impulse
    several: int = 0  # Coulomb solutions
    spread: float = 0.0  # greatest of the energies of one contact's solutions over what the best takes
    energies: tuple = (0.0, 0.0)  # taken by all contacts: maximum dissipation, Coulomb [J]
    angle: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # of -x_T and v_T [rad]
    apart: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # |v - v_Coulomb| over |b|
    taken: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # by Coulomb, over maximum dissipation
    # Of all loaded contacts, by the law of the run, over the mean kinetic energy of a body.
    dissipated: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))

    def __add__(self, other):
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)])
                  for name in ("angle", "apart", "taken", "dissipated")}  # fmt: skip
        return Look(self.contacts + other.contacts, self.loaded + other.loaded, self.several + other.several,
                    max(self.spread, other.spread), tuple(np.add(self.energies, other.energies)), **joined)  # fmt: skip


def look_at(program, snapshot, friction, law):
    """The Look at one snapshot of a flow with this law."""
    its, _ = problems(snapshot, friction)
    if not len(its):
        return Look()
    x = {kernel: impulses(solved(program, its, kernel)) for kernel in ("max_dissipation", "coulomb")}
    taken = {kernel: its.taken_by(impulse) for kernel, impulse in x.items()}
    several, spread = several_solutions(program, its)
    most = x["max_dissipation"]
    loaded = (most[:, 0] > 0.0) & (taken["max_dissipation"] > 0.0)
    v, size = its.velocity(most), np.linalg.norm(its.b, axis=1)
    cone = np.linalg.norm(most[:, 1:], axis=1) / np.maximum(its.mu * most[:, 0], 1e-300)
    slip = np.linalg.norm(v[:, 1:], axis=1)
    slides = loaded & (cone > 1.0 - 1e-9) & (slip > SAME * size)
    cosine = -np.einsum("ci,ci->c", most[:, 1:], v[:, 1:])[slides]
    sine = (most[:, 1] * v[:, 2] - most[:, 2] * v[:, 1])[slides]
    apart = np.linalg.norm(v - its.velocity(x["coulomb"]), axis=1) / np.maximum(size, 1e-300)
    return Look(
        len(its), int(loaded.sum()), int(several.sum()),
        float(spread.max()),
        (float(taken["max_dissipation"].sum()), float(taken["coulomb"].sum())),
        np.arctan2(abs(sine), cosine), apart[slides],
        taken["coulomb"][slides] / taken["max_dissipation"][slides],
        taken[law][loaded] / mean_kinetic_energy(snapshot),
    )  # fmt: skip


def mean_kinetic_energy(snapshot):
    """Of a body, without its rotation [J]."""
    return 0.5 * np.mean(snapshot.masses * snapshot.speed**2)
