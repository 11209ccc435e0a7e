#!/usr/bin/env python3
"""Draws what scree-contact computes: the contact problem's energy and solutions, Painleve's map.

Figures: contact_plane.png (contours of the energy on the plane of maximum compression with the
conic section and all solutions), contact_section.png (the energy along the conic section),
contact_painleve.png (which impulses the grazing rod has, over angle and friction).
"""

import math

import _environment

_environment.require("numpy", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

from _figures import main, run_table, save

SECTION_COLOUR = "#1f4e9c"
MARKERS = {
    "max_dissipation": dict(marker="x", color="#c21807", s=80, linewidths=2.2, label="maximum dissipation"),
    "coulomb": dict(marker="o", facecolors="none", edgecolors="#c21807", s=70, linewidths=1.6, label="Coulomb"),
    "free_minimum": dict(marker="x", color="black", s=60, linewidths=1.8, label="unconstrained minimum"),
}
TITLES = {"paper": "academic problem, frame of the paper", "hyperbola": "hyperbola with two minima"}


def section_points(section):
    """Impulses and energies along the feasible conic section, cut where it runs to infinity."""
    feasible = section["radial_factor"] > 1e-3 * np.max(np.abs(section["radial_factor"]))
    return {name: np.where(feasible, values, np.nan) for name, values in section.items()}


def signed_root(energy):
    """Close contours near zero and far ones at the edge; same sign as the energy."""
    return np.sign(energy) * np.sqrt(np.abs(energy))


def draw_plane(axes, program, problem, centre, half_side):
    extent = max(abs(value) for value in centre) + half_side
    plane = run_table(program, "academic", "--problem", problem, "--table", "plane",
                      "--extent", repr(float(extent)), "--points", "300")
    side = round(math.sqrt(len(plane["xt"])))
    t, o, energy = (plane[name].reshape(side, side) for name in ("xt", "xo", "energy"))
    axes.contour(t, o, signed_root(energy), levels=24, colors="0.75", linewidths=0.7)
    axes.contour(t, o, energy, levels=[0.0], colors="black", linewidths=1.0)
    section = section_points(run_table(program, "academic", "--problem", problem, "--table", "section",
                                       "--points", "20000"))
    axes.plot(section["xt"], section["xo"], color=SECTION_COLOUR, linewidth=1.8, label="friction cone")
    solutions = run_table(program, "academic", "--problem", problem)
    for law, style in MARKERS.items():
        chosen = solutions["law"] == law
        axes.scatter(solutions["xt"][chosen], solutions["xo"][chosen], zorder=3, **style)
    axes.set_xlim(centre[0] - half_side, centre[0] + half_side)
    axes.set_ylim(centre[1] - half_side, centre[1] + half_side)
    axes.set_aspect("equal")
    axes.set_xlabel(r"$x_t$ [N s]")
    axes.set_ylabel(r"$x_o$ [N s]")
    axes.set_title(TITLES[problem])


def draw_section(axes, program, problem, limits):
    section = run_table(program, "academic", "--problem", problem, "--table", "section", "--points", "20000")
    feasible = section_points(section)
    axes.plot(feasible["alpha"], feasible["energy"], color=SECTION_COLOUR, linewidth=1.6,
              label="energy on the friction cone")
    closed = section["radial_factor"] <= 0.0
    axes.fill_between(section["alpha"], *limits, where=closed, facecolor="none", edgecolor="0.7", hatch="//",
                      linewidth=0.0, label="cone misses the plane")
    for index in np.flatnonzero(np.diff(closed.astype(int))):
        axes.axvline(section["alpha"][index], color="0.4", linestyle=":")
    solutions = run_table(program, "academic", "--problem", problem)
    for law in ("max_dissipation", "coulomb"):
        chosen = solutions["law"] == law
        alpha = np.arctan2(solutions["xo"][chosen], solutions["xt"][chosen])
        axes.scatter(alpha, solutions["energy"][chosen], zorder=3, **MARKERS[law])
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.set_xlim(-math.pi, math.pi)
    axes.set_xticks([-math.pi, -math.pi / 2, 0, math.pi / 2, math.pi], [r"$-\pi$", r"$-\pi/2$", "0", r"$\pi/2$", r"$\pi$"])
    axes.set_ylim(*limits)
    axes.set_xlabel(r"angle $\alpha$ of the friction impulse")
    axes.set_ylabel("energy [J]")
    axes.set_title(TITLES[problem])


def figure_plane(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(12, 6))
    draw_plane(axes[0], program, "hyperbola", (0.0, -0.3), 2.0)
    draw_plane(axes[1], program, "paper", (-4.0, -8.0), 10.0)
    axes[1].legend(loc="lower left", framealpha=1.0)
    save(figure, folder / "contact_plane.png")


def figure_section(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5))
    draw_section(axes[0], program, "hyperbola", (-2.0, 3.0))
    draw_section(axes[1], program, "paper", (-0.8, 0.6))
    axes[0].legend(loc="upper right", framealpha=1.0)
    save(figure, folder / "contact_section.png")


def figure_painleve(program, folder):
    table = run_table(program, "painleve", "--map", "--angles", "180", "--frictions", "300", "--mu-max", "6")
    theta, mu = np.unique(table["theta"]), np.unique(table["mu"])
    needed = (table["forces_exist_before"] == 0).reshape(len(theta), len(mu))
    impulse = np.where(needed, np.hypot(table["xn"], table["xt"]).reshape(needed.shape), np.nan)
    figure, axes = plt.subplots(figsize=(7, 5))
    mesh = axes.pcolormesh(theta, mu, impulse.T, shading="nearest", cmap="viridis")
    figure.colorbar(mesh, label="sticking impulse (both laws) [N s]")
    angles = np.linspace(theta[0], theta[-1], 1000)
    threshold = (np.cos(angles) + 1.0 / (3.0 * np.cos(angles))) / np.sin(angles)
    axes.plot(angles, threshold, color="#c21807", label=r"$\mu_*(\theta)$")
    axes.plot(math.atan(2.0), 4.0 / 3.0, "o", color="#c21807", label=r"least $\mu_*$ = 4/3 at $\theta$ = atan 2")
    axes.set_ylim(0.0, 6.0)
    axes.text(0.32, 0.6, "finite forces, no impulse")
    axes.set_xlabel(r"angle $\theta$ of the rod [rad]")
    axes.set_ylabel(r"friction coefficient $\mu$")
    axes.set_title("Grazing rod: above the threshold only an impulse helps")
    axes.legend(loc="upper center")
    save(figure, folder / "contact_painleve.png")


if __name__ == "__main__":
    main(__doc__, "scree-contact", (figure_plane, figure_section, figure_painleve))
