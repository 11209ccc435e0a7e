"""Cases of packings that settled under gravity."""

import numpy as np

import scree.contacts
from _study.running import Run
from _validation.case import Case, Figure, Result, last_of, within
from scree.figure import COLOURS, plt
from scree.packing import contacts_without_rattlers, maxwell_coordination

LOOSE_FRICTION = 1.0
MARGIN = 6.0  # thickness of the layers that are left out at the floor and at the top [radii]
# Smallest number of contacts of a sphere that carries load. Without friction, three contacts hold a sphere at the
# surface.
MIN_CONTACTS = {0.0: 3, LOOSE_FRICTION: 2}


def packing_runs(full):
    width, height = ("24 24", 64) if full else ("16 16", 48)
    settle = {"domain.upper": f"{width} 70 mm", "fill.upper": f"{width} {height} mm", "time.end": "1 s",
              "output.every": "1 s"}  # fmt: skip
    # Contacts beyond the isostatic 3 per sphere are due to overlaps, and decrease with the time step: 1 % at 100 us,
    # 0.5 % at 50 us, 0.2 % at 25 us. Without friction the last avalanche comes late.
    fine = {"time.step": "50 us", "time.end": "1.5 s", "output.every": "1.5 s"}
    return [
        Run("frictionless", "settle_box", {**settle, **fine, "contact.friction": 0}),
        Run("frictional", "settle_box", {**settle, "contact.friction": LOOSE_FRICTION}),
    ]


def volume_below(centre, radius, height):
    """Volume of each sphere below a plane, (N,) [m^3].  centre: heights of the centres;  centre, radius: (N,) [m]"""
    depth = np.clip(height - (centre - radius), 0.0, 2.0 * radius)
    return np.pi * depth**2 * (3.0 * radius - depth) / 3.0


def solid_fraction(centre, radius, low, high, area):
    """Solid fraction of the slab between two heights; centre, radius: (N,) [m]."""
    filled = volume_below(centre, radius, high) - volume_below(centre, radius, low)
    return filled.sum() / (area * (high - low))


def slab(snapshot):
    """(lowest, highest) height at which neither floor nor surface affects the packing [m].

    The surface is the height below which 99 % of the spheres are.
    """
    radius = snapshot["radius"].mean()
    top = np.quantile(snapshot["position"][:, 2], 0.99)
    return MARGIN * radius, top - MARGIN * radius


def loaded_contacts(snapshot):
    contacts = scree.contacts.recorded(snapshot)
    return contacts.taken(contacts.normal_impulse > 0.0)


def coordination(snapshot, min_contacts):
    """(mean number of loaded contacts per sphere that carries load, fraction of rattlers) in the slab."""
    loaded = loaded_contacts(snapshot)
    contact_counts = contacts_without_rattlers(loaded.a, loaded.b, len(snapshot), min_contacts)
    low, high = slab(snapshot)
    height = snapshot["position"][:, 2]
    in_slab = contact_counts[(height > low) & (height < high)]
    return in_slab[in_slab > 0].mean(), (in_slab == 0).mean()


def profile(snapshot, thickness):
    """(heights of the middles of slabs [m], solid fractions of the slabs)."""
    height, radius = snapshot["position"][:, 2], snapshot["radius"]
    area = (snapshot.upper - snapshot.lower)[:2].prod()
    edges = np.arange(0.0, height.max() + thickness, thickness)
    values = [solid_fraction(height, radius, a, b, area) for a, b in zip(edges, edges[1:])]
    return 0.5 * (edges[1:] + edges[:-1]), np.array(values)


def packing_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    values, notes = {}, []
    for colour, name, friction in ((COLOURS[0], "frictionless", 0.0), (COLOURS[1], "frictional", LOOSE_FRICTION)):
        run = runs[name]
        last = last_of(run)
        area = (last.upper - last.lower)[:2].prod()
        low, high = slab(last)
        solid = solid_fraction(last["position"][:, 2], last["radius"], low, high, area)
        mean_contacts, rattlers = coordination(last, MIN_CONTACTS[friction])
        if not friction:
            loaded = loaded_contacts(last)
            mean_contacts = maxwell_coordination(loaded.a, loaded.b, len(last), MIN_CONTACTS[friction])
        values[name] = solid, mean_contacts
        heights, fractions = profile(last, 0.5e-3)
        axes[0].plot(1e3 * heights, fractions, color=colour, linewidth=0.9, label=f"friction {friction:g}")
        axes[0].plot(1e3 * np.array([low, high]), [solid, solid], "--", color=colour)
        row = run.columns["step"] > 0
        axes[1].plot(
            1e3 * run.columns["time"][row], 2.0 * run.columns["loaded_contacts"][row] / len(last), color=colour,
            label=f"friction {friction:g}, all spheres and walls",
        )  # fmt: skip
        notes.append(f"with friction {friction:g}, {100 * rattlers:.1f} % of the spheres in the inner part carry nothing")
    axes[0].set(xlabel="height [mm]", ylabel="solid fraction", title="dashed: mean of the inner part")
    axes[1].set(xlabel="time [ms]", ylabel="loaded contacts per sphere")
    figures = [
        Figure("solid fraction without friction", values["frictionless"][0], 0.64, 0.01),
        Figure("contacts per sphere without friction, including contacts with the floor",
               values["frictionless"][1], 6.0, 0.06),
        within(f"solid fraction with friction {LOOSE_FRICTION:g}", values["frictional"][0], 0.55, 0.58),
        within(f"contacts per sphere with friction {LOOSE_FRICTION:g}", values["frictional"][1], 4.0, 4.6),
    ]
    note = (
        f"Only contacts that carry load are counted. Spheres with fewer than {MIN_CONTACTS[0.0]} of them "
        f"({MIN_CONTACTS[LOOSE_FRICTION]} with friction) are left out as rattlers: {'; '.join(notes)}. Solid fractions, "
        f"rattlers and the contacts with friction are of the inner part, without {MARGIN / 2:g} diameters at floor and top; "
        "the contacts without friction are of the whole packing."
    )
    return Result(figures, picture, note)


CASES = [
    Case("packing", "Random close and random loose packing",
         "without friction φ = 0.64 and N_c = 3 N, z = 6 (isostatic);  with much friction φ = 0.55 to 0.58, z = 4 to 4.6",
         "J. G. Berryman, Phys. Rev. A 27, 1053 (1983); L. E. Silbert, Soft Matter 6, 2918 (2010)",
         packing_runs, packing_analysis),
]  # fmt: skip
