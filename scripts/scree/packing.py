"""Packings at rest: contacts of the particles that carry load, and the solid fraction of random close packing.

A contact is a gap of at most GAP mean radii: the cutoff of packings of hard spheres, above the overlaps that a time step
leaves and below the gaps of neighbours that do not touch. Particles with too few contacts to be held are rattlers.
"""

import numpy as np

import scree.contact_statistics
import scree.contacts
import scree.free_space
import scree.region

GAP = 5e-4  # [mean radii]
# Contacts that hold a sphere: without friction four, or three and its weight.
MIN_CONTACTS, MIN_WITH_WEIGHT, MIN_WITH_FRICTION = 4, 3, 2


def carriers(a, b, count, min_contacts):
    """Numbers of contacts [count] after the removal of spheres with fewer than `min_contacts`.

    a, b: rows of the spheres of each contact, [C]; b = -1 is a wall. The removal of one may leave another with too
    few, so it is repeated. Removed spheres have 0.
    """
    alive = np.ones(len(a), dtype=bool)
    while True:
        number = np.bincount(np.concatenate([a[alive], b[alive & (b >= 0)]]), minlength=count)
        poor = (number > 0) & (number < min_contacts)
        if not poor.any():
            return number
        alive &= ~poor[a] & ~((b >= 0) & poor[b])


def maxwell_coordination(a, b, count, min_contacts):
    """Twice the contacts, those with walls included, over the spheres that carry; parameters as for `carriers`.

    J. C. Maxwell, Phil. Mag. 27, 294 (1864): as many normal forces as there are coordinates, 3 N, balance all spheres
    in exactly one way. This is for the whole packing; a slab may have more where the surface has fewer.
    """
    number = carriers(a, b, count, min_contacts)
    carried = (number[a] > 0) & ((b < 0) | (number[b] > 0))
    return 2.0 * carried.sum() / max((number > 0).sum(), 1)


def size_moments(radii):
    """Polydispersity and skewness of radii [N]: standard deviation over the mean, and third moment over its cube."""
    deviation = radii - radii.mean()
    spread = np.sqrt(np.mean(deviation**2))
    if spread <= 1e-12 * radii.mean():
        return 0.0, 0.0
    return float(spread / radii.mean()), float(np.mean(deviation**3) / spread**3)


def close_packing(polydispersity, skewness):
    """Solid fraction of random close packing without friction, for polydispersities up to 0.4.

    K. W. Desmond, E. R. Weeks, Phys. Rev. E 90, 022204 (2014): φ = 0.634 + 0.0658 δ + 0.0857 S δ².
    """
    return 0.634 + 0.0658 * polydispersity + 0.0857 * skewness * polydispersity**2


def summary(snapshot, friction, has_weight=False):
    """Quantities of a packing of spheres: {quantity: (value, unit)}. Raises UsageError without particles.

    friction: coefficient with which it was made;  has_weight: whether it rests on a floor, so that means
    are over the middle half of the particles
    """
    region = scree.region.middle(snapshot)  # which is all of a periodic domain
    if not region.holds(snapshot["position"]).any():  # a few particles on a floor leave it empty
        region = scree.region.make(snapshot)
    contacts = scree.contacts.of_snapshot(snapshot)
    statistics = scree.contact_statistics.statistics(snapshot, contacts, region)
    radii = snapshot["radius"]
    near_contacts = contacts.taken(contacts.gap <= GAP * radii.mean())
    min_contacts = MIN_WITH_WEIGHT if has_weight else MIN_CONTACTS
    ends = (near_contacts.a, near_contacts.b, len(snapshot), MIN_WITH_FRICTION if friction > 0.0 else min_contacts)
    delta, skewness = size_moments(radii)
    overlap = max(0.0, -float(contacts.gap.min(initial=0.0)))
    edges = snapshot.upper - snapshot.lower
    stress = np.full((3, 3), np.nan) if statistics.stress is None else statistics.stress
    return {
        "particles": (len(snapshot), "1"), "friction": (friction, "1"),
        "solid fraction": (scree.free_space.solid_fraction(snapshot, region), "1"),
        "solid fraction of random close packing": (close_packing(delta, skewness), "1"),
        "coordination": (statistics.mean_coordination, "1"),
        "coordination without rattlers": (maxwell_coordination(*ends), "1"),
        "rattlers": (float(np.mean(carriers(*ends) == 0)), "1"),
        "mean stress": (float(np.trace(stress)) / 3.0, "Pa"),
        **{f"stress {axis}{axis}": (float(stress[k, k]), "Pa") for k, axis in enumerate("xyz")},
        "mean radius": (float(radii.mean()), "m"), "smallest radius": (float(radii.min()), "m"),
        "largest radius": (float(radii.max()), "m"), "polydispersity": (delta, "1"), "skewness": (skewness, "1"),
        "largest overlap over the smallest radius": (overlap / float(radii.min()), "1"),
        **{f"edge along {axis}": (float(edges[k]), "m") for k, axis in enumerate("xyz")},
    }  # fmt: skip
