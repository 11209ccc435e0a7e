"""Published laws of steady shear, and the page that compares them with the measurements."""

import dataclasses

import numpy as np

import _study.page
import scree.figure
import scree.html
from scree.html import State, Verdict


@dataclasses.dataclass(frozen=True)
class Law:
    """A curve with its source."""

    label: str
    source: str
    curve: object  # I -> value
    quantity: str  # "friction" or "solid_fraction"


# P. Jop, Y. Forterre, O. Pouliquen: glass spheres, fitted to flows down inclines and on heaps.
JOP = Law(
    "Jop et al. 2006, glass spheres",
    "P. Jop, Y. Forterre, O. Pouliquen, A constitutive law for dense granular flows, Nature 441, 727 (2006)",
    lambda i: np.tan(np.radians(20.9))
    + (np.tan(np.radians(32.76)) - np.tan(np.radians(20.9))) / (0.279 / np.asarray(i) + 1.0),
    "friction",
)
# A second law of glass beads, which shows the scatter of published laws of one material. (For slow flows the paper of
# 2017 has another branch of this law, which makes the equations well posed. That branch is not included here.)
BARKER_STATIC, BARKER_DYNAMIC, BARKER_EXCESS, BARKER_I0 = 0.342, 0.557, 0.05, 0.069
BARKER = Law(
    "Barker et al. 2021, glass beads",
    "T. Barker, M. Rauter, E. S. F. Maguire, C. G. Johnson, J. M. N. T. Gray, Coupling rheology and segregation in "
    "granular flows, J. Fluid Mech. 909, A22 (2021), with the law of T. Barker, J. M. N. T. Gray, Partial "
    "regularisation of the incompressible mu(I)-rheology for granular flow, J. Fluid Mech. 828, 5 (2017)",
    lambda i: (BARKER_STATIC * BARKER_I0 + BARKER_DYNAMIC * np.asarray(i) + BARKER_EXCESS * np.asarray(i) ** 2)
    / (BARKER_I0 + np.asarray(i)),
    "friction",
)
# Soft spheres with friction 0.5 in simple shear at constant volume: the limit of slow flows and, in the inertial
# regime, p = 0.021 rho (rate d)²/(phi_c - phi)², which is phi = phi_c - sqrt(0.021) I.
CHIALVO_FRACTION, CHIALVO_FRICTION, CHIALVO_PRESSURE = 0.587, 0.382, 0.021
CHIALVO = (
    "S. Chialvo, J. Sun, S. Sundaresan, Bridging the rheology of granular flows in three regimes, Phys. Rev. E 85, "
    "021305 (2012)"
)
CHIALVO_PHI = Law(
    "Chialvo et al. 2012, friction 0.5", CHIALVO,
    lambda i: CHIALVO_FRACTION - np.sqrt(CHIALVO_PRESSURE) * np.asarray(i), "solid_fraction",
)  # fmt: skip
CHIALVO_MU = Law(
    "Chialvo et al. 2012, slow limit", CHIALVO, lambda i: np.full(np.shape(i), CHIALVO_FRICTION), "friction"
)  # fmt: skip
LAWS = (JOP, BARKER, CHIALVO_MU, CHIALVO_PHI)


def deviations(points):
    """Measured value minus law: [(law, [K])] over the points of all seeds."""
    inertia = np.array([point.inertia for point in points])
    return [(law, np.array([getattr(point, law.quantity) for point in points]) - law.curve(inertia)) for law in LAWS]


def summary(points):
    """Sentences with the result of the comparison."""
    inertia = np.array([point.inertia for point in points])
    lines = [f"I from {inertia.min():.2g} to {inertia.max():.2g}."]
    for law, deviation in deviations(points):
        is_compared = inertia < 0.01 if law is CHIALVO_MU else inertia <= 0.35
        if not is_compared.any():
            continue
        worst = abs(deviation[is_compared]).max()
        where = "I < 0.01" if law is CHIALVO_MU else "I <= 0.35"
        quantity = "mu" if law.quantity == "friction" else "phi"
        lines.append(f"{quantity} against {law.label}, {where}: at most {worst:.3f} apart, "
                     f"on average {deviation[is_compared].mean():+.4f}.")  # fmt: skip
    spread = np.abs(JOP.curve(inertia) - BARKER.curve(inertia)).max()
    return [*lines, f"The two laws of glass beads are up to {spread:.3f} apart, which is the scatter of published laws."]


COLUMNS = {
    "seed": "-", "solid_fraction": "-", "inertia": "-", "friction": "-", "friction_error": "-", "pressure": "Pa",
    "shear_stress": "Pa", "temperature": "(rate d)^2", "coordination": "-", "strain": "-",
    "work": "of that of the stress",
}  # fmt: skip


def figure(by_seed):
    """mu(I) and phi(I) with the laws."""
    plot, axes = scree.figure.panels(2, 1, (scree.figure.PAGE, 2.8))
    inertia = np.array([point.inertia for points in by_seed.values() for point in points])
    fine = np.geomspace(0.7 * inertia.min(), 1.3 * inertia.max(), 200)
    for ax, quantity, label in zip(axes, ("friction", "solid_fraction"), ("friction $μ = τ/p$", "solid fraction $φ$")):
        for seed, points in by_seed.items():
            errors = [point.friction_error for point in points] if quantity == "friction" else None
            coordinates = [point.inertia for point in points], [getattr(point, quantity) for point in points]
            ax.errorbar(*coordinates, yerr=errors, fmt="o", markersize=4, label=f"measured, seed {seed}")
        for style, law in zip(("-", ":", "--"), (law for law in LAWS if law.quantity == quantity)):
            ax.plot(fine, law.curve(fine), style, color="black", linewidth=0.9, label=law.label)
        scree.figure.logarithmic(ax, "x")
        ax.set(xlabel="inertial number $I$", ylabel=label)
        scree.figure.legend(ax)
    return plot


def page(by_seed, notes):
    """The page as text.  by_seed: {seed: [flow.Point]}"""
    points = [point for points_of_seed in by_seed.values() for point in points_of_seed]
    rows = [[str(seed), f"{p.solid_fraction:.4f}", f"{p.inertia:.3g}", f"{p.friction:.4f}", f"{p.friction_error:.4f}",
             f"{p.coordination:.2f}", f"{p.temperature:.3g}", f"{p.work:.3f}"]
            for seed, points_of_seed in by_seed.items() for p in points_of_seed]  # fmt: skip
    header = ["seed", "φ", "I", "μ", "±", "contacts per sphere", "T/(γ̇ d)²", "work of shear / stress"]
    parts = [scree.html.picture(figure(by_seed), "μ and φ over I"), scree.html.table(header, rows, "Each flow")]
    sources = dict.fromkeys(law.source for law in LAWS)
    parts += [scree.html.heading("Sources"), *map(scree.html.paragraph, sources)]
    glance = [(Verdict(State.NONE, "measured"), line) for line in summary(points)]
    return _study.page.text_of("Rheology of steady shear", glance, parts, notes)


def write(by_seed, notes, path):
    """Writes the page, and one row per stage as CSV."""
    rows = [[float(seed), *(float(getattr(point, name)) for name in COLUMNS if name != "seed")]
            for seed, points in by_seed.items() for point in points]  # fmt: skip
    comments = [*notes, *(f"{name} [{unit}]" for name, unit in COLUMNS.items())]
    _study.page.save(page(by_seed, notes), list(COLUMNS), rows, comments, path)
