"""The contacts of a snapshot: as the run recorded them, or found again from the positions."""

import dataclasses

import h5py
import numpy as np

import scree.configuration
import scree.hdf5
from scree.errors import SnapshotError, UsageError

GROUP = "scree/contacts"
TOUCHING_RADII = 0.01  # gap in smallest radii up to which bodies touch, as in the series of a run

# Field, shape of one contact's value and kind.
FIELDS = {
    "id": ((2,), scree.hdf5.WHOLE),  # of the particles; the second is -1 for a wall
    "position": ((3,),),
    "normal": ((3,),),
    "gap": ((),),
    "impulse": ((3,),),
    "pull": ((3,),),
    "dissipation": ((),),
}


class UnknownContacts(UsageError):
    """Contacts that no run recorded, and that cannot be found from positions."""


@dataclasses.dataclass
class Sides:
    """S contacts as one of their particles feels them; a contact with a wall has one side."""

    particle: np.ndarray  # [S], row in the snapshot
    contact: np.ndarray  # [S], row of the contact
    force: np.ndarray  # on the particle, cohesion included, [S, 3] [N]
    arm: np.ndarray  # from the contact point to the particle's centre, [S, 3] [m]

    def taken(self, rows):
        """The sides of these rows."""
        return Sides(self.particle[rows], self.contact[rows], self.force[rows], self.arm[rows])


@dataclasses.dataclass(repr=False)
class Contacts:
    """C contacts, each of particle a with particle or wall b."""

    a: np.ndarray  # [C], row of the particle in its snapshot
    b: np.ndarray  # [C], row of the particle, -1: a wall
    position: np.ndarray  # in the domain, [C, 3] [m]
    normal: np.ndarray  # [C, 3], from b to a
    gap: np.ndarray  # [C], negative where they overlap [m]
    impulse: np.ndarray | None  # [C, 3], on a [N s]; None: not known
    pull: np.ndarray | None = None  # [C, 3], that of cohesion on a [N s]; None: not known
    dissipation: np.ndarray | None = None  # [C], in the step [J]; None: not known
    touching_gap: float = 0.0  # up to which they touch [m]

    def __repr__(self) -> str:
        return f"Contacts({len(self)}, {int((self.b < 0).sum())} of them with walls)"

    def __len__(self):
        return len(self.gap)

    @property
    def touching(self):
        """Which touch, [C] of bool."""
        return self.gap <= self.touching_gap

    @property
    def normal_impulse(self):
        """[C] [N s]"""
        return np.einsum("ij,ij->i", self.impulse, self.normal)

    @property
    def total_impulse(self):
        """Of all that acts in the contact, on a: [C, 3] [N s]"""
        return self.impulse if self.pull is None else self.impulse + self.pull

    def pairs(self):
        """Which contacts are of the same pair: numbers of the pairs, from 0, [C].

        Polyhedra and clumps that touch may have several contact points. A pair is of two bodies, or of a body and a wall;
        as records do not name the wall, that is all contact points of a body with walls that have the same normal.
        """
        wall = np.where((self.b < 0)[:, None], np.round(self.normal, 6), 0.0)
        keys = np.column_stack([np.minimum(self.a, self.b), np.maximum(self.a, self.b), wall + 0.0])
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel()

    def taken(self, rows):
        """The contacts of these rows."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Contacts(
            **{name: value[rows] if isinstance(value, np.ndarray) else value for name, value in values.items()}
        )

    def within(self, region, snapshot):
        """The contacts in a scree.region.Region.

        Those on a periodic face belong to its lower side, those in a face of the domain to the
        domain, although walls that are overlapped have them a little outside.
        """
        last = np.nextafter(snapshot.upper, snapshot.lower)
        inside = snapshot.wrapped(self.position) + snapshot.lower
        return self.taken(region.holds(np.clip(inside, snapshot.lower, last)))

    def sides(self, snapshot):
        """The Sides of all contacts, whose impulses are known.

        Arms are those of spheres by the geometry of the contact, at the beginning of the step, of clumps by the places
        that they had there.
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
        """From the centre of b, or from the surface of a wall, to the centre of a: [C, 3] [m]."""
        if snapshot.shapes:
            centre = snapshot["position"]
            end = np.where((self.b < 0)[:, None], self.position, centre[self.b])
            return snapshot.nearest(centre[self.a] - end)
        radius = snapshot["radius"]
        partner = np.where(self.b < 0, 0.0, radius[self.b])
        return (radius[self.a] + partner + self.gap)[:, None] * self.normal


def touching_gap(snapshot):
    """Up to which bodies touch [m]: as the run says, else by the smallest sphere; without radii what overlaps."""
    if np.isfinite(snapshot.touching_gap):
        return snapshot.touching_gap
    if "radius" not in snapshot.fields or not len(snapshot):
        return 0.0
    smallest_member = np.array([1.0, *(shape.members[:, 3].min() for shape in snapshot.shapes)])
    return TOUCHING_RADII * float((smallest_member[snapshot.shape_numbers] * snapshot["radius"]).min())


def has_record(path):
    """Whether a snapshot's file holds contacts of a step; at step 0 nothing has been solved."""
    try:
        with h5py.File(path, "r") as file:
            return scree.hdf5.has(file, GROUP) and scree.hdf5.last(file, f"{scree.hdf5.GRAINS}/position/step") > 0
    except (*scree.hdf5.BROKEN, SnapshotError):
        return False  # reading it will raise the error


def recorded(snapshot):
    """The contacts in the snapshot's file; None if the run did not record them.

    Nothing has been solved at step 0, which counts as no record. Contacts of particles that left
    in the step are left out. Raises SnapshotError if they are damaged.
    """
    arrays = {}
    try:
        with h5py.File(snapshot.path, "r") as file:
            if snapshot.step == 0 or not scree.hdf5.has(file, GROUP):
                return None
            for name, how in FIELDS.items():
                arrays[name] = scree.hdf5.frame(file, f"{GROUP}/{name}", *how)
    except scree.hdf5.BROKEN as error:
        raise SnapshotError(f"'{snapshot.path}': the contacts cannot be read: {error}") from error
    if len({len(values) for values in arrays.values()}) > 1:
        raise SnapshotError(f"'{snapshot.path}': the fields of the contacts differ in length")
    # They are as the step found them. How old that is matters only to images that move.
    age = scree.configuration.time_step_of(snapshot) if snapshot.shear else 0.0
    arrays["position"] = snapshot.home(arrays["position"], earlier=age)[0]
    ids = arrays.pop("id")
    a, b = snapshot.rows_of(ids[:, 0]), snapshot.rows_of(ids[:, 1])
    is_here = (a >= 0) & ((b >= 0) | (ids[:, 1] < 0))
    return Contacts(a, b, **arrays, touching_gap=touching_gap(snapshot)).taken(is_here)


def found(snapshot):
    """Contacts that touch, between spheres, or members of clumps, from their positions; no walls, no impulses.

    Raises UnknownContacts where there are polyhedra, whose features are not looked for here.
    """
    if any(snapshot.shapes[number - 1].faces for number in np.unique(snapshot.shape_numbers) if number):
        raise UnknownContacts(f"'{snapshot.path}' has polyhedra, whose contacts are reported by runs with output.contacts = yes")
    positions, radius, owner = snapshot.members()
    none = np.zeros((0, 3))
    if len(positions) < 2:
        return Contacts(np.zeros(0, int), np.zeros(0, int), none, none, np.zeros(0), None)
    most_gap = touching_gap(snapshot)
    a, b = snapshot.pairs(positions, 2.0 * radius.max() + most_gap)
    offset = snapshot.nearest(positions[a] - positions[b])
    distance = np.linalg.norm(offset, axis=1)
    gap = distance - radius[a] - radius[b]
    touching = (gap <= most_gap) & (distance > 0.0) & (owner[a] != owner[b])
    a, b, gap = a[touching], b[touching], gap[touching]
    normal = offset[touching] / distance[touching, None]
    position = positions[b] + (radius[b] + 0.5 * gap)[:, None] * normal
    return Contacts(owner[a], owner[b], position, normal, gap, None, touching_gap=most_gap)


def of_snapshot(snapshot):
    """The recorded contacts, or those found where there is no record."""
    contacts = recorded(snapshot)
    return found(snapshot) if contacts is None else contacts
