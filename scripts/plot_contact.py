#!/usr/bin/env python3
"""Draws what scree-contact computes: the contact problem's energy and solutions, Painleve's map.

Figures: contact_plane.png (contours of the energy on the plane of maximum compression with the
conic section and all solutions), contact_section.png (the energy along the conic section),
contact_painleve.png (which impulses the grazing rod has, over angle and friction),
contact_bodies.png (figures 6 and 8: the academic body and the rod, drawn from the problems that are
solved), contact_multiplicity.png (how often Coulomb's law has several solutions, over friction and
shape), contact_steps.png (time steps of both bodies under both laws, dt to 0).
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
    axes.plot(section["xt"], section["xo"], color=SECTION_COLOUR, linewidth=1.8, label="conic section of cone and plane")
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
    axes.text(0.05, 1.05, "finite forces, no impulse")
    axes.set_xlabel(r"angle $\theta$ of the rod [rad]")
    axes.set_ylabel(r"friction coefficient $\mu$")
    axes.set_title("Grazing rod: above the threshold only an impulse helps")
    axes.legend(loc="lower right", framealpha=1.0)
    save(figure, folder / "contact_painleve.png")


def academic_numbers(table, name):
    return np.array([float(word) for word in table.notes[name].split()])


def draw_academic_body(axes, program):
    """Six masses on their axes, the plane that one of them hits, its velocity, impulses of both laws."""
    table = run_table(program, "academic", "--problem", "orthonormal")
    masses, distances = academic_numbers(table, "masses [kg]"), academic_numbers(table, "distances [m]")
    normal = academic_numbers(table, "normal")
    approach = academic_numbers(table, "approach [m/s]")
    contact = np.array([distances[0], 0.0, 0.0])
    for axis in range(3):
        end = distances[axis] * np.eye(3)[axis]
        axes.plot(*np.transpose([-end, end]), color="0.4", linewidth=1.5)
        for point in (-end, end):
            axes.scatter(*point, s=12 + 2 * masses[axis], color=SECTION_COLOUR, depthshade=False)
    along = np.cross(normal, (1.0, 0.0, 0.0))
    along /= np.linalg.norm(along)
    across = np.cross(normal, along)
    a, b = np.meshgrid((-5.0, 5.0), (-5.0, 5.0))
    plane = contact[:, None, None] + along[:, None, None] * a + across[:, None, None] * b
    axes.plot_surface(*plane, color="0.8", alpha=0.35)
    axes.quiver(*contact, *(4.0 * normal), color="black", linewidth=1.5, arrow_length_ratio=0.2, label="normal")
    axes.quiver(*contact, *(6.0 * approach), color="#c21807", linewidth=1.5, arrow_length_ratio=0.2,
                label="velocity before the impact")
    text = "\n".join(f"{mass:g} kg at ±{distance:g} m on {axis}"
                     for mass, distance, axis in zip(masses, distances, "xyz"))
    axes.text2D(0.02, 0.06, text, transform=axes.transAxes, fontsize=8)
    axes.legend(fontsize=8, loc="upper left")
    axes.set_box_aspect((3.0, 1.2, 1.2))
    axes.set_xlim(-12.0, 18.0)
    axes.set_ylim(-6.0, 6.0)
    axes.set_zlim(-6.0, 6.0)
    axes.set_xlabel("x [m]", labelpad=14)
    axes.set_ylabel("y [m]")
    axes.text2D(0.02, 0.22, "z is up", transform=axes.transAxes, fontsize=8)
    axes.set_yticks([-5, 0, 5])
    axes.set_zticks([-5, 0, 5])
    axes.view_init(elev=18.0, azim=-60.0)
    axes.set_title("Figure 6: the academic body and its inclined plane")


def draw_cone(axes, program):
    """Friction cone and plane of maximum compression in impulse space, and where both laws end."""
    section = run_table(program, "academic", "--problem", "orthonormal", "--table", "section", "--points", "2000")
    solutions = run_table(program, "academic", "--problem", "orthonormal")
    mu = float(solutions.notes["mu"])
    top = 2.0 * np.max(solutions["xn"][solutions["law"] == "coulomb"])
    feasible = (section["radial_factor"] > 0.0) & (section["xn"] < top)
    order = np.flatnonzero(np.diff(feasible.astype(int)) < 0)  # begin where the curve leaves the picture
    section = {name: np.roll(values, -order[0] - 1) if len(order) else values for name, values in section.items()}
    feasible = np.roll(feasible, -order[0] - 1) if len(order) else feasible
    angle, height = np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 60), np.linspace(0.0, top, 12))
    axes.plot_surface(mu * height * np.cos(angle), mu * height * np.sin(angle), height, color="0.8", alpha=0.35)
    axes.plot(section["xt"][feasible], section["xo"][feasible], section["xn"][feasible], color=SECTION_COLOUR,
              linewidth=2.0, label="plane of maximum compression on the cone")
    for law in ("coulomb", "max_dissipation"):
        rows = solutions["law"] == law
        style = dict(marker="o" if law == "coulomb" else "x", color="#c21807", s=50, depthshade=False)
        axes.scatter(solutions["xt"][rows], solutions["xo"][rows], solutions["xn"][rows], **style,
                     label=MARKERS[law]["label"])
    for name in "xy":
        axes.locator_params(axis=name, nbins=5)
    axes.set_xlabel("$x_t$ [N s]", labelpad=8)
    axes.set_ylabel("$x_o$ [N s]", labelpad=8)
    axes.set_zlabel("$x_n$ [N s]", labelpad=-1)
    axes.view_init(elev=28.0, azim=-130.0)
    axes.set_title("Its friction cone, the cut, and the solutions")
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.06))


def draw_rod(axes, program):
    """The rod of the paradox, its tip's motion, and the impulse that ends it."""
    angle, friction = math.atan(2.0), 2.0
    table = run_table(program, "painleve", "--theta", repr(angle), "--mu", friction)
    half = 0.5 * np.array([math.cos(angle), math.sin(angle)])
    axes.fill_between((-1.0, 1.5), -0.15, 0.0, facecolor="0.85", edgecolor="0.5", hatch="///", linewidth=0.0)
    axes.axhline(0.0, color="black", linewidth=1.0)
    axes.plot(*np.transpose([np.zeros(2), 2.0 * half]), color=SECTION_COLOUR, linewidth=5.0, solid_capstyle="round")
    axes.plot(*half, "ko", markersize=5)
    axes.annotate("", (-0.55, 0.03), (-0.02, 0.03), arrowprops=dict(arrowstyle="->", color="#c21807", linewidth=1.6))
    axes.text(-0.75, 0.07, "grazing velocity", color="#c21807", fontsize=9)
    rows = np.flatnonzero((table["law"] == "max_dissipation") if "law" in table else np.ones(1, dtype=bool))
    xn, xt = table["xn"][rows[0]], table["xt"][rows[0]]
    size = math.hypot(xn, xt)
    if size > 0.0:
        axes.annotate("", (0.45 * xt / size, 0.45 * xn / size), (0.0, 0.0),
                      arrowprops=dict(arrowstyle="->", color="black", linewidth=1.8))
        axes.text(0.47 * xt / size, 0.47 * xn / size, f"impulse ({xn:.3g}, {xt:.3g}) N s", fontsize=9)
    axes.plot((0.0, friction * 0.3), (0.0, 0.3), color="0.5", linestyle="--", linewidth=1.0)
    axes.plot((0.0, -friction * 0.3), (0.0, 0.3), color="0.5", linestyle="--", linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_xlim(-0.8, 1.3)
    axes.set_ylim(-0.15, 1.1)
    axes.set_xlabel("x [lengths of the rod]")
    axes.set_title(rf"Figure 8: the rod, tan $\theta$ = 2, $\mu$ = {friction:g};" "\ndashed: friction cone")


def figure_bodies(program, folder):
    figure = plt.figure(figsize=(17, 5.5))
    draw_academic_body(figure.add_subplot(1, 3, 1, projection="3d"), program)
    draw_cone(figure.add_subplot(1, 3, 2, projection="3d"), program)
    draw_rod(figure.add_subplot(1, 3, 3), program)
    figure.subplots_adjust(wspace=0.25)
    save(figure, folder / "contact_bodies.png")


def figure_multiplicity(program, folder):
    table = run_table(program, "multiplicity", "--samples", 3000)
    mu, arm = np.unique(table["mu"]), np.unique(table["arm"])
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.8))
    for panel, column, label in ((axes[0], "several", "part with several Coulomb solutions"),
                                 (axes[1], "laws_differ", "part in which both laws differ")):
        values = table[column].reshape(len(mu), len(arm))
        mesh = panel.pcolormesh(mu, arm, 100.0 * values.T, shading="nearest", cmap="viridis")
        figure.colorbar(mesh, ax=panel, label=f"{label} [%]")
        for name, place, below in (("solid sphere", 1.29, True), ("tip of a rod", 1.73, False),
                                   ("academic body", 9.87, False)):
            panel.axhline(place, color="white", linewidth=0.7, linestyle=":")
            panel.text(mu[-1], place, name, color="white", fontsize=7, ha="right", va="top" if below else "bottom")
        panel.set_xlabel(r"friction coefficient $\mu$")
        panel.set_ylabel("distance of the contact over radius of gyration")
    figure.suptitle("Random bodies that hit a plane")
    figure.tight_layout()
    save(figure, folder / "contact_multiplicity.png")


def figure_steps(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5))
    for panel, body, arguments in ((axes[0], "rod", ()), (axes[1], "academic", ("--end", 1, "--dt", 0.05))):
        table = run_table(program, "step", "--body", body, *arguments)
        for law, style in (("max_dissipation", "x-"), ("coulomb", "o--")):
            rows = table.where(law=law)
            panel.loglog(rows["dt"][1:], rows["change"][1:], style, fillstyle="none", label=law.replace("_", " "))
            panel.loglog(rows["dt"][1:], rows["change"][-1] * rows["dt"][1:] / rows["dt"][-1], "k:", linewidth=1.0,
                         label="first order" if law == "coulomb" else None)
        panel.set_xlabel("time step [s]")
        panel.set_ylabel("turn since the last halving [rad]")
        panel.set_title(f"{'Rod' if body == 'rod' else 'Academic body'}: does dt to 0 converge?")
        panel.legend()
    figure.tight_layout()
    save(figure, folder / "contact_steps.png")


if __name__ == "__main__":
    main(__doc__, "scree-contact", (figure_plane, figure_section, figure_painleve, figure_bodies,
                                    figure_multiplicity, figure_steps))
