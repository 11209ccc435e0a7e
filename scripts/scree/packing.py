"""Packings at rest: coordination without rattlers, and the solid fraction of random close packing.

Spheres with a gap of at most GAP are in contact. This cutoff is above the overlaps of a time step and below the gaps of
neighbours that do not touch. Particles with too few contacts for mechanical equilibrium are rattlers.
"""

import numpy as np

import scree.contact_statistics
import scree.contacts
import scree.free_space
import scree.region

GAP = 5e-4  # largest gap of a contact [mean radii]
# Smallest contact number of a sphere in equilibrium: without friction; without friction, on a floor; with friction.
MIN_CONTACTS, MIN_WITH_WEIGHT, MIN_WITH_FRICTION = 4, 3, 2


def contacts_without_rattlers(a, b, count, min_contacts):
    """Numbers of contacts [count] after the removal of spheres with fewer than `min_contacts`.

    a, b: rows of the spheres of each contact, [C]; b = -1 is a wall

    The removal is repeated, because neighbours of a removed sphere may lack contacts then. Removed spheres have 0.
    """
    is_counted = np.ones(len(a), dtype=bool)
    while True:
        numbers = np.bincount(np.concatenate([a[is_counted], b[is_counted & (b >= 0)]]), minlength=count)
        is_rattler = (numbers > 0) & (numbers < min_contacts)
        if not is_rattler.any():
            return numbers
        is_counted &= ~is_rattler[a] & ~((b >= 0) & is_rattler[b])


def maxwell_coordination(a, b, count, min_contacts):
    """Twice the number of contacts, with walls included, divided by the number of spheres that are not rattlers.

    Parameters as in `contacts_without_rattlers`.

    J. C. Maxwell, Phil. Mag. 27, 294 (1864): the forces are unique if N spheres have 3 N normal forces, one for each
    coordinate. This holds for the whole packing; a slab may have more contacts where the surface has fewer.
    """
    number = contacts_without_rattlers(a, b, count, min_contacts)
    is_load_bearing = (number[a] > 0) & ((b < 0) | (number[b] > 0))
    return 2.0 * is_load_bearing.sum() / max((number > 0).sum(), 1)


def size_moments(radii):
    """Polydispersity and skewness of radii [N]: standard deviation s over the mean, and third moment over s^3."""
    deviation = radii - radii.mean()
    spread = np.sqrt(np.mean(deviation**2))
    if spread <= 1e-12 * radii.mean():
        return 0.0, 0.0
    return float(spread / radii.mean()), float(np.mean(deviation**3) / spread**3)


def close_packing(polydispersity, skewness):
    """Solid fraction of random close packing without friction, for polydispersities up to 0.4.

    K. W. Desmond, E. R. Weeks, Phys. Rev. E 90, 022204 (2014): φ = 0.634 + 0.0658 δ + 0.0857 S δ², with
    polydispersity δ and skewness S.
    """
    return 0.634 + 0.0658 * polydispersity + 0.0857 * skewness * polydispersity**2


def summary(snapshot, friction, has_weight=False):
    """Quantities of a packing of spheres: {quantity: (value, unit)}. Raises UsageError without particles.

    friction: coefficient of friction
    has_weight: whether the packing rests on a floor; means are then over the middle half of the particles
    """
    region = scree.region.middle(snapshot)  # the whole domain if it is periodic
    if not region.holds(snapshot["position"]).any():  # the middle is empty if a few particles lie on a floor
        region = scree.region.make(snapshot)
    contacts = scree.contacts.of_snapshot(snapshot)
    statistics = scree.contact_statistics.statistics(snapshot, contacts, region)
    radii = snapshot["radius"]
    near_contacts = contacts.taken(contacts.gap <= GAP * radii.mean())
    min_contacts = MIN_WITH_WEIGHT if has_weight else MIN_CONTACTS
    spheres = (near_contacts.a, near_contacts.b, len(snapshot), MIN_WITH_FRICTION if friction > 0.0 else min_contacts)
    delta, skewness = size_moments(radii)
    overlap = max(0.0, -float(contacts.gap.min(initial=0.0)))
    edges = snapshot.upper - snapshot.lower
    stress = np.full((3, 3), np.nan) if statistics.stress is None else statistics.stress
    return {
        "particles": (len(snapshot), "1"), "friction": (friction, "1"),
        "solid fraction": (scree.free_space.solid_fraction(snapshot, region), "1"),
        "solid fraction of random close packing": (close_packing(delta, skewness), "1"),
        "coordination": (statistics.mean_coordination, "1"),
        "coordination without rattlers": (maxwell_coordination(*spheres), "1"),
        "rattlers": (float(np.mean(contacts_without_rattlers(*spheres) == 0)), "1"),
        "mean stress": (float(np.trace(stress)) / 3.0, "Pa"),
        **{f"stress {axis}{axis}": (float(stress[k, k]), "Pa") for k, axis in enumerate("xyz")},
        "mean radius": (float(radii.mean()), "m"), "smallest radius": (float(radii.min()), "m"),
        "largest radius": (float(radii.max()), "m"), "polydispersity": (delta, "1"), "skewness": (skewness, "1"),
        "largest overlap over the smallest radius": (overlap / float(radii.min()), "1"),
        **{f"edge along {axis}": (float(edges[k]), "m") for k, axis in enumerate("xyz")},
    }  # fmt: skip
