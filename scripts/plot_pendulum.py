#!/usr/bin/env python3
"""Draws what scree-pendulum computes: impacts in impulse space, both pendulums over time, strobes.

Figures: pendulum_schematics.png (the geometry, the times of the impacts, the forces of one),
pendulum_routh.png and pendulum_mirrored.png (the arrangements of Routh's method and their mirror
images), pendulum_impulses.png (the paths of a run's impacts), pendulum_energy.png,
pendulum_velocities.png, pendulum_reactions.png (the double pendulum without and with friction),
pendulum_rods.png (the two rods at the start and at their first impact), pendulum_pair.png (the angular velocities of the two rods by three models of the contact),
pendulum_force.png (force against penetration in their first contact), pendulum_strobe.png (the
motion of both systems).
"""

import pathlib
import tempfile

import _environment

_environment.require("numpy", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

from _figures import main, run_table, save
from scree.app_table import Table

FRICTIONS = {"0": dict(color="black", label=r"$\mu = 0$"), "0.15": dict(color="#c21807", label=r"$\mu = 0.15$")}
MODELS = {
    "piecewise": dict(color="black", linestyle="-", label="piecewise: impulse and momentum"),
    "linear-damping": dict(color="#1f4e9c", linestyle="--", label="optimal linear damping, (50)"),
    "hunt-crossley": dict(color="#c21807", linestyle=":", label="Hunt-Crossley, (16)"),
}
# alpha, epsilon, gamma, s, c, mu, k: one problem for each arrangement of the paper's figure 4
ARRANGEMENTS = {
    "a: slip": (3, 0.3, 1, 2.6, -1, 0.2, 0.5),
    "b: stick in compression": (3, 0.3, 1, 0.5, -1, 0.5, 0.5),
    "c: reversal in compression": (1, -0.5, 1, 0.2, -1, 0.25, 0.5),
    "d: stick in restitution": (3, 0.3, 1, 1.5, -1, 0.5, 0.5),
    "e: reversal in restitution": (1, -0.5, 1, 0.85, -1, 0.25, 0.5),
    "start without slip": (1, 0.5, 1, 0, -1, 0.25, 0.5),
}
# The double pendulum of the paper: scree-pendulum's defaults.
L1, L2, RADIUS, DEPTH = 0.5, 0.6, 0.05, 0.9
# The pair: lengths and distance of the pivots.
PAIR_L1, PAIR_L2, PAIR_A = 6.0, 4.0, 2.0


def draw_arrangement(axes, program, title, numbers):
    alpha, epsilon, gamma, s, c, mu, k = numbers
    names = ("alpha", "epsilon", "gamma", "s", "c", "mu", "k")
    options = [part for name, value in zip(names, numbers) for part in (f"--{name}", str(value))]
    path = run_table(program, "impact", *options, "--table", "corners")
    end = path["F"][-1]
    F = np.array([0.0, 1.15 * end])
    axes.axhline(0.0, color="0.6", linewidth=0.6)
    axes.plot(F, -(s + epsilon * F) / alpha, color="#1f4e9c", linestyle=":", label="sticking, $s = 0$")
    if epsilon == 0.0:
        axes.axvline(-c / gamma, color="black", linestyle="--", label="greatest compression, $c = 0$")
    else:
        axes.plot(F, -(c + gamma * F) / epsilon, color="black", linestyle="--",
                  label="greatest compression, $c = 0$")
    axes.axvline(end, color="black", linestyle="-.", linewidth=0.9, label="end of the impact")
    axes.plot(path["F"], path["T"], color="#c21807", linewidth=2.2, label="path of the impulses")
    axes.plot(path["F"][1:], path["T"][1:], "o", color="#c21807", markersize=4)
    reach = 1.4 * max(np.max(np.abs(path["T"])), 0.4 * mu * end)
    axes.set_xlim(0.0, 1.15 * end)
    axes.set_ylim(-reach, reach)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(r"$\bar F$ [N s]")
    axes.set_ylabel(r"$\bar T$ [N s]")


def mirrored(numbers):
    """The arrangement seen from behind: sliding and friction change their signs."""
    alpha, epsilon, gamma, s, c, mu, k = numbers
    return alpha, -epsilon, gamma, -s, c, mu, k


def figure_routh(program, folder):
    draw_arrangements(program, ARRANGEMENTS, folder / "pendulum_routh.png")
    draw_arrangements(program, {f"{title}, mirrored": mirrored(numbers) for title, numbers in ARRANGEMENTS.items()},
                      folder / "pendulum_mirrored.png")


def figure_paths(program, folder):
    """The impacts of the double pendulum with friction in impulse space."""
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "paths.csv"
        run_table(program, "obstacle", "--mu", "0.15", "--end", "6", "--paths", str(file))
        paths = Table(file.read_text())
    figure, axes = plt.subplots(figsize=(7.5, 5))
    for impact in np.unique(paths["impact"]):
        rows = paths.where(impact=impact)
        line, = axes.plot(rows["F"], rows["T"], marker="o", markersize=3, linewidth=1.3,
                          label=f"impact {impact:.0f}")
        turn = rows["greatest_compression"] == 1
        axes.plot(rows["F"][turn], rows["T"][turn], "s", color=line.get_color(), markersize=6, fillstyle="none")
    axes.plot([], [], "ks", fillstyle="none", label="greatest compression")
    axes.set_xlabel(r"$\bar F$ [N s]")
    axes.set_ylabel(r"$\bar T$ [N s]")
    axes.set_title(r"Double pendulum, $\mu$ = 0.15: its impacts in impulse space")
    axes.legend(fontsize=8, ncol=2)
    save(figure, folder / "pendulum_impulses.png")


def draw_arrangements(program, arrangements, path):
    figure, axes = plt.subplots(2, 3, figsize=(12, 7))
    figure.subplots_adjust(wspace=0.3, hspace=0.35)
    for place, (title, numbers) in zip(axes.flat, arrangements.items()):
        draw_arrangement(place, program, title, numbers)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.05), ncol=4)
    save(figure, path)


def arrow(axes, place, direction, label, colour="#c21807", size=0.16):
    """A force of unit direction at a place, with its name at the tip."""
    tip = np.asarray(place) + size * np.asarray(direction)
    axes.annotate("", tip, place, arrowprops=dict(arrowstyle="->", color=colour, linewidth=1.5))
    axes.annotate(label, tip, xytext=4.0 * np.asarray(direction), textcoords="offset points", color=colour,
                  ha="center", va="center")


def draw_double_pendulum(axes, psi1, psi2):
    """The pendulum over its obstacle; returns the places of A and of the disk."""
    a = L1 * np.array([np.sin(psi1), -np.cos(psi1)])
    disk = a + (L2 + RADIUS) * np.array([np.sin(psi2), -np.cos(psi2)])
    axes.plot(*np.transpose([np.zeros(2), a]), color="#1f4e9c", linewidth=4.0, solid_capstyle="round")
    axes.plot(*np.transpose([a, disk]), color="#2a7f3b", linewidth=4.0, solid_capstyle="round")
    axes.add_patch(plt.Circle(disk, RADIUS, facecolor="#2a7f3b", edgecolor="black", zorder=3))
    for place, name in ((np.zeros(2), "O"), (a, "A")):
        axes.plot(*place, "ko", markersize=5, zorder=4)
        axes.annotate(name, place, xytext=(-15, 4), textcoords="offset points")
    axes.axhspan(-DEPTH - 0.1, -DEPTH, facecolor="0.85", edgecolor="0.5", hatch="///", linewidth=0.0)
    axes.axhline(-DEPTH, color="black", linewidth=1.0)
    axes.set_aspect("equal")
    axes.set_ylim(-DEPTH - 0.1, 0.35)
    axes.set_xlim(-0.35, 1.0)
    axes.axis("off")
    return a, disk


def draw_angles(axes):
    """Figure 1: lengths and angles."""
    psi = (0.5, 1.05)
    a, disk = draw_double_pendulum(axes, *psi)
    for origin, angle, name, size in ((np.zeros(2), psi[0], r"$\psi_1$", 0.25), (a, psi[1], r"$\psi_2$", 0.22)):
        axes.plot(*np.transpose([origin, origin - (0.0, size + 0.08)]), "k-.", linewidth=0.7)
        turn = np.linspace(0.0, angle, 30)
        axes.plot(origin[0] + size * np.sin(turn), origin[1] - size * np.cos(turn), "k", linewidth=0.9)
        axes.text(*(origin + (size + 0.05) * np.array([np.sin(angle / 2), -np.cos(angle / 2)])), name, ha="center",
                  va="center")
    axes.text(*(0.5 * a + (0.03, 0.04)), "$m_1, l_1$", color="#1f4e9c")
    axes.text(*(0.5 * (a + disk) + (0.02, 0.05)), "$m_2, l_2$", color="#2a7f3b")
    axes.text(*(disk + (0.07, 0.0)), "$r$", color="#2a7f3b")
    axes.annotate("", (-0.2, -DEPTH), (-0.2, 0.0), arrowprops=dict(arrowstyle="<->"))
    axes.text(-0.28, -0.5 * DEPTH, "$D$")
    axes.plot((-0.25, 0.0), (0.0, 0.0), "k:", linewidth=0.8)
    axes.set_title("Figure 1: the pendulum and its angles")


def draw_impulses(axes, run):
    """Figure 3: the first impact of the paper's run with friction, forces in the paper's directions."""
    a, disk = draw_double_pendulum(axes, run["psi1"][0], run["psi2"][0])
    touch = disk - (0.0, RADIUS)
    arrow(axes, touch, (0.0, 1.0), "$F$")
    arrow(axes, touch, (-1.0, 0.0), "$T$")
    arrow(axes, np.zeros(2), (0.0, 1.0), "$P$")
    arrow(axes, np.zeros(2), (1.0, 0.0), "$R$")
    arrow(axes, a, (0.0, 1.0), "$V$")
    arrow(axes, a, (-1.0, 0.0), "$H$")
    axes.set_title(f"Figure 3: forces at the first impact (t = {run['t'][0]:.3f} s);\n$H$ and $V$ on the rod OA")


def draw_times(axes, runs):
    """Figure 2: smooth motion between instants at which velocities jump."""
    for height, (friction, style) in enumerate(FRICTIONS.items()):
        run = runs[friction]
        axes.plot((0.0, 6.0), (height, height), color=style["color"], linewidth=1.0)
        axes.plot(run["t"], np.full(len(run["t"]), height), "o", color=style["color"], markersize=6)
        for number, time in enumerate(run["t"], start=1):
            axes.annotate(f"$t^*_{{{number}}}$", (time, height), xytext=(0, 8), textcoords="offset points", ha="center",
                          fontsize=9)
        axes.text(0.0, height + 0.12, style["label"])
    axes.set_ylim(-0.5, 1.6)
    axes.set_yticks([])
    axes.set_xlabel("t [s]")
    axes.set_title("Figure 2: smooth motion between impacts")


def figure_schematics(program, folder):
    runs = {mu: run_table(program, "obstacle", "--mu", mu, "--impacts", "-") for mu in FRICTIONS}
    figure, axes = plt.subplots(1, 3, figsize=(16, 5))
    draw_angles(axes[0])
    draw_times(axes[1], runs)
    draw_impulses(axes[2], runs["0.15"])
    figure.tight_layout()
    save(figure, folder / "pendulum_schematics.png")


def figure_rods(program, folder):
    """Figure 10 of the paper on the optimal damping: the start and the first impact."""
    first = run_table(program, "pair", "--impacts", "-")
    figure, axes = plt.subplots(figsize=(7, 5))
    angles = ((np.pi / 12, -np.pi / 2), (first["theta1"][0], first["theta2"][0]))
    for (theta1, theta2), style, label in zip(angles, ("-", ":"), ("start", f"first impact, t = {first['t'][0]:.3f} s")):
        for pivot, length, angle, colour in ((0.0, PAIR_L1, theta1, "#1f4e9c"), (-PAIR_A, PAIR_L2, theta2, "#c21807")):
            axes.plot([pivot, pivot + length * np.sin(angle)], [0.0, -length * np.cos(angle)], style, color=colour,
                      linewidth=3.0)
        axes.plot([], [], "k" + style, linewidth=3.0, label=label)
    axes.plot([0.0, -PAIR_A], [0.0, 0.0], "ko", markersize=6)
    axes.annotate("", (0.0, 0.45), (-PAIR_A, 0.45), arrowprops=dict(arrowstyle="<->"))
    axes.text(-0.5 * PAIR_A, 0.55, "$a$ = 2 m", ha="center")
    axes.text(1.0, -2.5, "rod 1:\n1 kg, 6 m", color="#1f4e9c")
    axes.text(-5.6, -0.7, "rod 2: 0.2 kg, 4 m", color="#c21807")
    axes.set_aspect("equal")
    axes.set_xlim(-6.4, 2.9)
    axes.set_ylim(-6.4, 1.0)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")
    axes.legend(loc="lower left")
    save(figure, folder / "pendulum_rods.png")


def figure_energy(runs, folder):
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for friction, run in runs.items():
        axes.plot(run["t"], run["energy"], **FRICTIONS[friction])
    axes.axhline(-40.0077, color="0.5", linestyle=":", label="at rest below, without obstacle")
    axes.set_xlim(0.0, 6.0)
    axes.set_xlabel("t [s]")
    axes.set_ylabel("mechanical energy [J]")
    axes.set_title("Double pendulum: the energy falls at impacts only")
    axes.legend()
    save(figure, folder / "pendulum_energy.png")


def figure_columns(runs, folder, name, columns, labels, title, legend_place):
    """One panel per column over time, for all runs."""
    figure, axes = plt.subplots(len(columns), 1, figsize=(9, 2.6 * len(columns)), sharex=True)
    for place, column, label in zip(axes, columns, labels):
        for friction, run in runs.items():
            place.plot(run["t"], run[column], linewidth=1.2, **FRICTIONS[friction])
        place.set_ylabel(label)
    axes[0].set_title(title)
    axes[0].legend(loc=legend_place, framealpha=1.0)
    axes[-1].set_xlim(0.0, 6.0)
    axes[-1].set_xlabel("t [s]")
    save(figure, folder / name)


def figures_of_double_pendulum(program, folder):
    runs = {mu: run_table(program, "obstacle", "--mu", mu, "--dt", "0.002") for mu in FRICTIONS}
    figure_energy(runs, folder)
    figure_columns(runs, folder, "pendulum_velocities.png", ("omega1", "omega2"),
                   (r"$\dot\psi_1$ [rad/s]", r"$\dot\psi_2$ [rad/s]"), "Angular velocities of the double pendulum",
                   "lower right")
    figure_columns(runs, folder, "pendulum_reactions.png", ("P", "R", "V", "H"),
                   ("P at O, up [N]", "R at O, right [N]", "V at A, up [N]", "H at A, left [N]"),
                   "What the joints do to the rod OA", "upper right")


def figures_of_pair(program, folder):
    with tempfile.TemporaryDirectory() as place:
        force_file = pathlib.Path(place) / "force.csv"
        velocities, velocity_axes = plt.subplots(2, 1, figsize=(9, 6), sharex=True)
        forces, force_axes = plt.subplots(figsize=(6.5, 4.8))
        for model, style in MODELS.items():
            arguments = ["pair", "--model", model]
            if model != "piecewise":
                arguments += ["--force", str(force_file)]
            run = run_table(program, *arguments)
            for axes, column in zip(velocity_axes, ("omega1", "omega2")):
                axes.plot(run["t"], run[column], linewidth=1.4, **style)
            if model != "piecewise":
                contact = Table(force_file.read_text())
                first = contact["impact"] == 1
                force_axes.plot(1e3 * contact["penetration"][first], 1e-3 * contact["force"][first], **style)
    velocity_axes[0].set_ylabel(r"$\dot\theta_1$ [rad/s]")
    velocity_axes[1].set_ylabel(r"$\dot\theta_2$ [rad/s]")
    velocity_axes[1].set_xlabel("t [s]")
    velocity_axes[1].set_xlim(0.0, 8.0)
    velocity_axes[0].set_title("Two rods, e = 0.3: three impacts in 8 s")
    velocity_axes[1].legend(loc="upper right", framealpha=1.0)
    save(velocities, folder / "pendulum_pair.png")
    force_axes.axhline(0.0, color="0.6", linewidth=0.6)
    force_axes.set_xlabel("penetration [mm]")
    force_axes.set_ylabel("contact force [kN]")
    force_axes.set_title("First contact of the two rods")
    force_axes.legend()
    save(forces, folder / "pendulum_force.png")


def strobe_rows(run, begin, end, step):
    """Rows nearest to begin, begin + step, ..., end, those at impacts too, and the times of these."""
    rows = np.searchsorted(run["t"], np.arange(begin, end + 0.5 * step, step)).clip(max=len(run["t"]) - 1)
    impacts = np.flatnonzero(np.diff(run["t"]) == 0.0)
    impacts = impacts[(run["t"][impacts] >= begin) & (run["t"][impacts] <= end)]
    return np.union1d(rows, impacts), run["t"][impacts]


def strobe_title(name, begin, end, step, impacts):
    times = ", ".join(f"{time:.3f}" for time in impacts)
    return f"{name}, {begin} to {end} s, every {step} s and\nat the impacts ({times} s); the later the darker"


def strobe_double_pendulum(axes, program, begin, end, step):
    run = run_table(program, "obstacle", "--dt", "0.005")
    xa, za = L1 * np.sin(run["psi1"]), -L1 * np.cos(run["psi1"])
    xm, zm = xa + (L2 + RADIUS) * np.sin(run["psi2"]), za - (L2 + RADIUS) * np.cos(run["psi2"])
    within = (run["t"] >= begin) & (run["t"] <= end)
    axes.plot(xm[within], zm[within], color="0.7", linewidth=0.8)
    rows, impacts = strobe_rows(run, begin, end, step)
    for shade, row in zip(np.linspace(0.85, 0.15, len(rows)), rows):
        colour = plt.cm.viridis(shade)
        axes.plot([0.0, xa[row], xm[row]], [0.0, za[row], zm[row]], color=colour, linewidth=1.2)
        axes.add_patch(plt.Circle((xm[row], zm[row]), RADIUS, facecolor=colour, edgecolor="black", linewidth=0.5))
    axes.plot(0.0, 0.0, "ko", markersize=5)
    axes.axhspan(-DEPTH - 0.12, -DEPTH, facecolor="0.85", edgecolor="0.5", hatch="///", linewidth=0.0)
    axes.axhline(-DEPTH, color="black", linewidth=1.0)
    axes.set_ylim(-DEPTH - 0.12, 0.75)
    axes.set_title(strobe_title("double pendulum", begin, end, step, impacts))


def strobe_pair(axes, program, begin, end, step):
    run = run_table(program, "pair", "--dt", "0.005")
    rows, impacts = strobe_rows(run, begin, end, step)
    for shade, row in zip(np.linspace(0.85, 0.15, len(rows)), rows):
        colour = plt.cm.viridis(shade)
        for pivot, length, angle in ((0.0, PAIR_L1, run["theta1"][row]), (-PAIR_A, PAIR_L2, run["theta2"][row])):
            axes.plot([pivot, pivot + length * np.sin(angle)], [0.0, -length * np.cos(angle)], color=colour)
    axes.plot([0.0, -PAIR_A], [0.0, 0.0], "ko", markersize=5)
    axes.set_title(strobe_title("two rods", begin, end, step, impacts))


def figure_strobe(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
    strobe_double_pendulum(axes[0], program, 1.2, 2.4, 0.03)
    strobe_pair(axes[1], program, 0.0, 1.8, 0.12)
    for place in axes:
        place.set_aspect("equal")
        place.set_xlabel("x [m]")
        place.set_ylabel("z [m]")
    save(figure, folder / "pendulum_strobe.png")


if __name__ == "__main__":
    main(__doc__, "scree-pendulum", (figure_schematics, figure_routh, figure_paths, figures_of_double_pendulum,
                                     figure_rods, figures_of_pair, figure_strobe))
