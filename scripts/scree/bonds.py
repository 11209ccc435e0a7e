"""The bonds of a snapshot, and the clusters (fragments) of particles that intact bonds join."""

import dataclasses

import h5py
import numpy as np

import scree.hdf5
from scree.errors import SnapshotError, UsageError

GROUP = "scree/bonds"

# Field -> shape and kind of a bond's value.
FIELDS = {
    "id": ((2,), scree.hdf5.WHOLE),  # ids of the particles; the second is -1 for a wall
    "wall": ((), scree.hdf5.WHOLE),
    "rule": ((), scree.hdf5.WHOLE),
    "state": ((), scree.hdf5.WHOLE),
    "area": ((),),
    "strength": ((),),
    "born": ((),),
    "broken": ((),),
}
INTACT, BROKEN_BY_TENSION, BROKEN_BY_SHEAR = range(3)  # values of the state


@dataclasses.dataclass(repr=False)
class Bonds:
    """B bonds, intact and broken, each of particle a with particle or wall b, in any order."""

    a: np.ndarray  # [B], row of the particle in its snapshot; -1: the particle was removed
    b: np.ndarray  # [B], row of the particle; -1: a wall, or a removed particle
    wall: np.ndarray  # [B], row of the wall, -1: two particles
    rule: np.ndarray  # [B], number of the section [bond.NAME], from 0
    state: np.ndarray  # [B], INTACT, BROKEN_BY_TENSION or BROKEN_BY_SHEAR
    area: np.ndarray  # [B] [m^2]
    strength: np.ndarray  # [B], factor by which the rule's tensile and shear strength are multiplied
    born: np.ndarray  # time of the formation, [B] [s]
    broken: np.ndarray  # time of the break, [B] [s]; -1: intact
    damage: np.ndarray  # [B], from 0 to 1; 0 in scenes without a fracture_energy

    def __repr__(self) -> str:
        return f"Bonds({len(self)}, {int(self.intact.sum())} of them intact)"

    def __len__(self):
        return len(self.area)

    @property
    def intact(self):
        """Whether bonds are intact, [B] of bool."""
        return self.state == INTACT


@dataclasses.dataclass(repr=False)
class Fragments:
    """F clusters of particles, the heaviest first; a particle without intact bonds is a fragment, too."""

    label: np.ndarray  # [F], smallest id of the particles
    particles: np.ndarray  # [F], number of particles
    mass: np.ndarray  # [F] [kg]
    volume: np.ndarray  # of the particles, [F] [m^3]

    def __repr__(self) -> str:
        return f"Fragments({len(self)}, the largest of {self.particles.max(initial=0)} particles)"

    def __len__(self):
        return len(self.label)

    @property
    def diameter(self):
        """Diameter of the ball of equal volume, [F] [m]."""
        return np.cbrt(6.0 * self.volume / np.pi)

    def passing(self):
        """Cumulative size distribution: ascending diameters [F] [m], and the mass fraction up to each diameter [F]."""
        order = np.argsort(self.diameter, kind="stable")
        return self.diameter[order], np.cumsum(self.mass[order]) / self.mass.sum()


def has_record(path):
    """Whether a snapshot's file contains bonds. Also True for a damaged file, so that it is read and the error is raised."""
    try:
        with h5py.File(path, "r") as file:
            return scree.hdf5.has(file, GROUP)
    except FileNotFoundError:
        return False  # a snapshot that a program made in memory
    except (*scree.hdf5.DAMAGE_ERRORS, SnapshotError):
        return True


def of_snapshot(snapshot):
    """The Bonds of a snapshot; raises UsageError if its scene has none, SnapshotError if they are damaged."""
    if not has_record(snapshot.path):
        raise UsageError(f"'{snapshot.path}' has no bonds; expected a run of a scene with [bond.NAME]")
    arrays = {}
    try:
        with h5py.File(snapshot.path, "r") as file:
            for name, layout in FIELDS.items():
                arrays[name] = scree.hdf5.frame(file, f"{GROUP}/{name}", *layout)
            has_damage = scree.hdf5.has(file, f"{GROUP}/damage")
            damage = scree.hdf5.frame(file, f"{GROUP}/damage", ()) if has_damage else np.zeros(len(arrays["area"]))
            arrays["damage"] = damage
    except scree.hdf5.DAMAGE_ERRORS as error:
        raise SnapshotError(f"'{snapshot.path}': the bonds cannot be read: {error}") from error
    if len({len(values) for values in arrays.values()}) > 1:
        raise SnapshotError(f"'{snapshot.path}': the fields of the bonds differ in length")
    if not np.isin(arrays["state"], (INTACT, BROKEN_BY_TENSION, BROKEN_BY_SHEAR)).all():
        raise SnapshotError(f"'{snapshot.path}': the bonds have a state other than 0, 1 and 2")
    ids = arrays.pop("id")
    return Bonds(snapshot.rows_of(ids[:, 0]), snapshot.rows_of(ids[:, 1]), **arrays)


def clusters(snapshot):
    """Cluster of each particle, [N]: the smallest id of the particles in it. Bonds with walls do not count."""
    if "cluster" in snapshot.fields:
        return snapshot["cluster"]
    return joined(snapshot["id"], of_snapshot(snapshot))


def joined(ids, bonds):
    """Cluster of each particle, [N], as in `clusters`, from the ids of the particles [N] and their Bonds."""
    import scipy.sparse.csgraph

    is_pair = bonds.intact & (bonds.a >= 0) & (bonds.b >= 0)
    graph = scipy.sparse.coo_array((np.ones(is_pair.sum()), (bonds.a[is_pair], bonds.b[is_pair])), (len(ids),) * 2)
    count, number = scipy.sparse.csgraph.connected_components(graph, directed=False)
    labels = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(labels, number, ids)
    return labels[number]


def fragments(snapshot):
    """The Fragments of a snapshot with all its fields."""
    label, number, particles = np.unique(clusters(snapshot), return_inverse=True, return_counts=True)
    mass = np.bincount(number, snapshot.masses, len(label))
    volume = np.bincount(number, snapshot.volumes, len(label))
    order = np.lexsort((label, -mass))
    return Fragments(label[order], particles[order], mass[order], volume[order])
