"""The contacts of a snapshot, as recorded by the run or found from the positions."""

import dataclasses

import h5py
import numpy as np

import scree.configuration
import scree.hdf5
from scree.errors import SnapshotError, UsageError

GROUP = "scree/contacts"
TOUCHING_RADII = 0.01  # largest gap of touching bodies, relative to the smallest radius, as in the series of a run

# Field -> shape and kind of a contact's value.
FIELDS = {
    "id": ((2,), scree.hdf5.WHOLE),  # ids of the particles; the second is -1 for a wall
    "position": ((3,),),
    "normal": ((3,),),
    "gap": ((),),
    "impulse": ((3,),),
    "pull": ((3,),),
    "dissipation": ((),),
    "wall": ((), scree.hdf5.WHOLE),  # row of the wall; older files do not have it
}


class UnknownContacts(UsageError):
    """Contacts were not recorded and cannot be found from positions."""


@dataclasses.dataclass
class Sides:
    """S sides of contacts. A side has the force on one of the two particles; wall contacts have one side."""

    particle: np.ndarray  # [S], row in the snapshot
    contact: np.ndarray  # [S], row of the contact
    force: np.ndarray  # on the particle, cohesion included, [S, 3] [N]
    arm: np.ndarray  # from the contact point to the particle's centre, [S, 3] [m]

    def taken(self, rows):
        """Sides of these rows."""
        return Sides(self.particle[rows], self.contact[rows], self.force[rows], self.arm[rows])


@dataclasses.dataclass(repr=False)
class Contacts:
    """C contacts, each of particle a with particle or wall b."""

    a: np.ndarray  # [C], row of the particle in its snapshot
    b: np.ndarray  # [C], row of the particle, -1: a wall
    position: np.ndarray  # in the domain, [C, 3] [m]
    normal: np.ndarray  # [C, 3], from b to a
    gap: np.ndarray  # [C], negative where the bodies overlap [m]
    impulse: np.ndarray | None  # [C, 3], on a [N s]; None: unknown
    pull: np.ndarray | None = None  # [C, 3], impulse of cohesion on a [N s]; None: unknown
    dissipation: np.ndarray | None = None  # [C], dissipated energy in the step [J]; None: unknown
    wall: np.ndarray | None = None  # [C], row of the wall, if b is one; None: unknown
    touching_gap: float = 0.0  # largest gap of touching contacts [m]

    def __repr__(self) -> str:
        return f"Contacts({len(self)}, {int((self.b < 0).sum())} of them with walls)"

    def __len__(self):
        return len(self.gap)

    @property
    def touching(self):
        """Whether contacts touch, [C] of bool."""
        return self.gap <= self.touching_gap

    @property
    def normal_impulse(self):
        """Normal component of the impulse, [C] [N s]."""
        return np.einsum("ij,ij->i", self.impulse, self.normal)

    @property
    def total_impulse(self):
        """Total impulse of the contact on a, cohesion included: [C, 3] [N s]."""
        return self.impulse if self.pull is None else self.impulse + self.pull

    def pairs(self):
        """Index of the pair of each contact, from 0: [C].

        Two polyhedra or clumps may have several contact points. A pair consists of two bodies, or of a body and a wall.
        If the walls are unknown, contact points of a body with walls are one pair if their normals are equal.
        """
        wall = np.round(self.normal, 6) if self.wall is None else self.wall[:, None]
        wall = np.where((self.b < 0)[:, None], wall, 0.0)
        keys = np.column_stack([np.minimum(self.a, self.b), np.maximum(self.a, self.b), wall + 0.0])
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel()

    def taken(self, rows):
        """Contacts of these rows."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Contacts(
            **{name: value[rows] if isinstance(value, np.ndarray) else value for name, value in values.items()}
        )

    def within(self, region, snapshot):
        """Contacts in a scree.region.Region.

        Contacts on a periodic face belong to the lower side. Contacts with walls in a face of the domain count as
        inside, although an overlap puts their position slightly outside.
        """
        last = np.nextafter(snapshot.upper, snapshot.lower)
        positions = snapshot.wrapped(self.position) + snapshot.lower
        return self.taken(region.holds(np.clip(positions, snapshot.lower, last)))

    def sides(self, snapshot):
        """The Sides of all contacts. Requires impulses.

        Arms are those at the beginning of the step. They follow from gap and normal if all bodies are spheres,
        otherwise from the positions.
        """
        dt = scree.configuration.time_step_of(snapshot)
        pairs = np.flatnonzero(self.b >= 0)
        rows = np.concatenate([self.a, self.b[pairs]])
        numbers = np.concatenate([np.arange(len(self)), pairs])
        sign = np.where(np.arange(len(rows)) < len(self), 1.0, -1.0)[:, None]
        if snapshot.shapes:
            centres = snapshot["position"][rows] - dt * snapshot["velocity"][rows]
            arms = snapshot.nearest(centres - self.position[numbers], earlier=dt)
        else:
            arms = sign * (snapshot["radius"][rows] + 0.5 * self.gap[numbers])[:, None] * self.normal[numbers]
        return Sides(rows, numbers, sign * self.total_impulse[numbers] / dt, arms)

    def branch(self, snapshot):
        """Vector from the centre of b, or from the surface of a wall, to the centre of a: [C, 3] [m]."""
        if snapshot.shapes:
            centre = snapshot["position"]
            end = np.where((self.b < 0)[:, None], self.position, centre[self.b])
            return snapshot.nearest(centre[self.a] - end)
        radius = snapshot["radius"]
        partner = np.where(self.b < 0, 0.0, radius[self.b])
        return (radius[self.a] + partner + self.gap)[:, None] * self.normal


def touching_gap(snapshot):
    """Largest gap of touching bodies [m]: that of the run if the snapshot has it, otherwise TOUCHING_RADII times the
    radius of the smallest sphere; 0 without radii."""
    if np.isfinite(snapshot.touching_gap):
        return snapshot.touching_gap
    if "radius" not in snapshot.fields or not len(snapshot):
        return 0.0
    smallest_member = np.array([1.0, *(shape.members[:, 3].min() for shape in snapshot.shapes)])
    return TOUCHING_RADII * float((smallest_member[snapshot.shape_numbers] * snapshot["radius"]).min())


def has_record(path):
    """Whether a snapshot's file contains solved contacts, which step 0 does not have.

    Also True for a damaged file, so that it is read and the error is raised.
    """
    try:
        with h5py.File(path, "r") as file:
            return scree.hdf5.has(file, GROUP) and scree.hdf5.last(file, f"{scree.hdf5.GRAINS}/position/step") > 0
    except (*scree.hdf5.DAMAGE_ERRORS, SnapshotError):
        return True


def recorded(snapshot):
    """Contacts in the snapshot's file; None without a record, and at step 0, which has no solved contacts.

    Contacts of particles that left the domain in the step are not included. Raises SnapshotError if the contacts are
    damaged.
    """
    arrays = {}
    try:
        with h5py.File(snapshot.path, "r") as file:
            if snapshot.step == 0 or not scree.hdf5.has(file, GROUP):
                return None
            names = [name for name in FIELDS if name != "wall" or scree.hdf5.has(file, f"{GROUP}/wall")]
            for name in names:
                arrays[name] = scree.hdf5.frame(file, f"{GROUP}/{name}", *FIELDS[name])
    except scree.hdf5.DAMAGE_ERRORS as error:
        raise SnapshotError(f"'{snapshot.path}': the contacts cannot be read: {error}") from error
    if len({len(values) for values in arrays.values()}) > 1:
        raise SnapshotError(f"'{snapshot.path}': the fields of the contacts differ in length")
    # The contacts are those at the beginning of the step; the images of a sheared domain have moved since then.
    age = scree.configuration.time_step_of(snapshot) if snapshot.shear else 0.0
    arrays["position"] = snapshot.home(arrays["position"], earlier=age)[0]
    ids = arrays.pop("id")
    a, b = snapshot.rows_of(ids[:, 0]), snapshot.rows_of(ids[:, 1])
    is_present = (a >= 0) & ((b >= 0) | (ids[:, 1] < 0))
    return Contacts(a, b, **arrays, touching_gap=touching_gap(snapshot)).taken(is_present)


def found(snapshot):
    """Touching contacts of spheres and members of clumps, found from positions; without walls and impulses.

    Raises UnknownContacts if there are polyhedra, whose contacts this function does not find.
    """
    if any(snapshot.shapes[number - 1].faces for number in np.unique(snapshot.shape_numbers) if number):
        raise UnknownContacts(f"'{snapshot.path}' has polyhedra; expected recorded contacts "
                              "(output.contacts = yes)")
    positions, radius, owner = snapshot.members()
    no_vectors = np.zeros((0, 3))
    if len(positions) < 2:
        return Contacts(np.zeros(0, int), np.zeros(0, int), no_vectors, no_vectors, np.zeros(0), None)
    max_gap = touching_gap(snapshot)
    a, b = snapshot.pairs(positions, 2.0 * radius.max() + max_gap)
    offset = snapshot.nearest(positions[a] - positions[b])
    distance = np.linalg.norm(offset, axis=1)
    gap = distance - radius[a] - radius[b]
    is_touching = (gap <= max_gap) & (distance > 0.0) & (owner[a] != owner[b])
    a, b, gap = a[is_touching], b[is_touching], gap[is_touching]
    normal = offset[is_touching] / distance[is_touching, None]
    position = positions[b] + (radius[b] + 0.5 * gap)[:, None] * normal
    return Contacts(owner[a], owner[b], position, normal, gap, None, touching_gap=max_gap)


def of_snapshot(snapshot):
    """The recorded contacts; without a record those that `found` returns."""
    contacts = recorded(snapshot)
    return found(snapshot) if contacts is None else contacts
