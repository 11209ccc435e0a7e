"""Steady shear without walls: friction and solid fraction at two inertial numbers, and the energy balance."""

import dataclasses

import numpy as np

from _rheology import flow, page
from _validation.case import Case, Figure, Result, relative
from scree.figure import COLOURS, plt

FRACTIONS = (0.56, 0.575)
# Strains before and during the measurement. The works of shear and stress differ by the shear rate times the change of
# sum m v_x z. This change is bounded, so the ratio of the works tends to 1 as the strain grows.
SETTLING, MEASURED = 2, 3


def runs(full):
    plan = dataclasses.replace(flow.SHORT, across=14 if full else 10)
    return [
        flow.stage(f"phi{fraction:g}", flow.relaxed_packing(plan.across, fraction, 1), plan, 0.1, SETTLING + MEASURED, SETTLING)
        for fraction in FRACTIONS
    ]


def profile_rate(run):
    """Shear rate of the velocity profile over the shear rate of the domain."""
    table = run.average("profile")
    return np.polyfit(table["z"], table["velocity_x"], 1)[0] / flow.RATE


def analyse(finished):
    points = {name: flow.measure_run(run) for name, run in finished.items()}
    figures = []
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    fine = np.geomspace(0.01, 0.4, 100)
    axes[0].plot(fine, page.JOP.curve(fine), color="black", label=page.JOP.label)
    axes[1].plot(fine, page.CHIALVO_PHI.curve(fine), color="black", label=page.CHIALVO_PHI.label)
    for name, point in points.items():
        law, fraction = float(page.JOP.curve(point.inertia)), float(page.CHIALVO_PHI.curve(point.inertia))
        figures += [
            relative(f"friction, {name}, I = {point.inertia:.3g}", point.friction, law, 0.12),
            Figure(f"solid fraction, {name}", point.solid_fraction, fraction, 0.006),
            Figure(f"work of the shear over that of the stress, {name}", point.work, 1.0, 0.02),
            Figure(f"shear rate of the profile over that of the domain, {name}", profile_rate(finished[name]), 1.0, 0.05),
        ]
        axes[0].errorbar([point.inertia], [point.friction], yerr=[point.friction_error], fmt="o", color=COLOURS[0])
        axes[1].plot([point.inertia], [point.solid_fraction], "o", color=COLOURS[0])
    for panel, label in zip(axes, ("μ", "φ")):
        panel.set(xscale="log", xlabel="I", ylabel=label)
    note = (
        f"{len(next(iter(finished.values())).frames[-1]['id'])} spheres of friction {flow.FRICTION:g}, strain "
        f"{SETTLING} to {SETTLING + MEASURED}. The law of friction was measured with glass spheres on inclines. "
        "scripts/study rheology has more flows, down to I below 1e-3."
    )
    return Result(figures, picture, note)


CASES = (
    Case(
        "periodic_shear",
        "Steady shear without walls",
        "mu(I) = tan 20.9° + (tan 32.76° - tan 20.9°)/(0.279/I + 1); phi = 0.587 - 0.145 I; work = sigma_xz rate V",
        f"{page.JOP.source}; {page.CHIALVO}",
        runs,
        analyse,
    ),
)
