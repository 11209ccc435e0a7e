#!/usr/bin/env python3
"""Draws what scree-damping computes: the figures of the paper on optimal linear damping.

Figures: damping_spheres.png (1: the two spheres), damping_force.png (2: force against penetration),
damping_scaling.png (3 to 5: c over mass, speed and stiffness, and its exponents), damping_fits.png
(6 and 7: c over the restitution, and the fits), damping_error.png (8 and 9: the error of the
formula), damping_hysteresis.png (the restitution that the formulas for Hunt and Crossley's damping
factor really give). Figures 10 to 12, the two rods, are those of plot_pendulum.py.
"""

import _environment

_environment.require("numpy", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

from _figures import main, rows_where, run_table, save

COLOURS = ["#1f4e9c", "#c21807", "#2a7f3b", "#a0522d", "#6a3d9a", "#555555"]


def draw_spheres(folder):
    """The geometry of (1) to (5): two spheres just touching, the second slower than the first."""
    figure, axes = plt.subplots(figsize=(6.5, 3.2))
    for centre, radius, name, speed in ((0.0, 1.0, "i", 1.3), (1.75, 0.75, "j", 0.6)):
        axes.add_patch(plt.Circle((centre, 0.0), radius, facecolor="0.9", edgecolor="black"))
        axes.plot(centre, 0.0, "k.")
        axes.text(centre, 0.22, rf"$m_{name}$", ha="center")
        axes.annotate("", (centre + speed, radius + 0.2), (centre, radius + 0.2),
                      arrowprops=dict(arrowstyle="->", color=COLOURS[0], linewidth=1.6))
        axes.text(centre + 0.5 * speed, radius + 0.28, rf"$^{{-}}V_{name}$", ha="center", color=COLOURS[0])
        level = -1.2 if name == "i" else -1.45
        axes.annotate("", (centre, level), (-1.6, level), arrowprops=dict(arrowstyle="->"))
        axes.text(centre + 0.08, level - 0.05, rf"$\delta_{name}$")
    for at, towards, label in ((1.0, 0.45, "$f_c$"), (1.0, 1.55, "$f_c$")):
        axes.annotate("", (towards, 0.0), (at, 0.0), arrowprops=dict(arrowstyle="->", color=COLOURS[1], linewidth=1.8))
        axes.text(towards, -0.24, label, ha="center", color=COLOURS[1])
    axes.annotate("", (3.4, 0.0), (2.7, 0.0), arrowprops=dict(arrowstyle="->", linewidth=1.6))
    axes.text(3.05, 0.1, r"$\mathbf{n}$", ha="center")
    axes.plot((-1.6, 2.7), (0.0, 0.0), "k-.", linewidth=0.5)
    axes.set_xlim(-1.8, 3.6)
    axes.set_ylim(-1.65, 1.7)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(r"Direct central impact: $\delta = \delta_i - \delta_j$")
    save(figure, folder / "damping_spheres.png")


def figure_force(program, folder):
    table = run_table(program, "force", "--e", 0.5)
    draw_spheres(folder)
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    styles = {"hertz": ("k:", "spring alone"), "hunt-crossley": ("--", "Hunt-Crossley"),
              "linear-damping": ("-", "linear damping")}
    for model, (style, label) in styles.items():
        rows = rows_where(table, model=model)
        if model == "hertz":
            axes.plot(rows["penetration"], rows["force"], style, label=label)
            continue
        colour = COLOURS[0] if model == "linear-damping" else COLOURS[1]
        held = rows["separated"] == 0
        axes.plot(rows["penetration"][held], rows["force"][held], style, color=colour, label=label)
        if model == "linear-damping":
            pull = ~held
            axes.plot(rows["penetration"][pull], rows["force"][pull], ":", color=colour,
                      label="pull that is released")
            deepest = np.argmax(rows["penetration"])
            for point, at, shift in (("A", 0, (6, 4)), ("B", deepest, (6, -4)),
                                     ("C", np.flatnonzero(held)[-1], (6, -12))):
                axes.plot(rows["penetration"][at], rows["force"][at], "o", color=colour)
                axes.annotate(point, (rows["penetration"][at], rows["force"][at]), xytext=shift,
                              textcoords="offset points", color=colour)
            axes.plot([], [], "o", color=colour, label="A touch, B greatest depth, C separation")
    axes.axvline(float(table.notes["delta_m [m]"]), color="0.6", linewidth=0.8)
    axes.annotate(r"$\delta_m$, (27)", (float(table.notes["delta_m [m]"]), -0.2), xytext=(-4, 0),
                  textcoords="offset points", ha="right", color="0.4")
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.set_xlabel(r"penetration $\delta$ [m]")
    axes.set_ylabel("force [N]")
    axes.set_title("One impact, e = 0.5, n = 3/2, m = k = v = 1")
    axes.set_ylim(-0.25, 1.75)
    axes.legend(loc="upper left", fontsize=9)
    save(figure, folder / "damping_force.png")


def figure_scaling(program, folder):
    figure, axes = plt.subplots(2, 3, figsize=(13, 7.5))
    quantities = (("m", "mass m [kg]", "n/(n+1)"), ("v", "approach speed v [m/s]", "(n-1)/(n+1)"),
                  ("k", r"stiffness k [N/m$^n$]", "1/(n+1)"))
    for column, (name, label, exponent) in enumerate(quantities):
        table = run_table(program, "sweep", "--figure", 3 + column)
        for colour, n in zip(COLOURS, (1.0, 1.2, 1.5, 1.8, 2.0)):
            rows = rows_where(table, n=n)
            axes[0, column].loglog(rows[name], rows["c"], color=colour, label=f"n = {n:g}")
        # As the paper did it: every impact integrated in SI units, the other quantities random.
        experiment = run_table(program, "sweep", "--figure", 3 + column, "--unscaled", "--points", 12)
        for colour, n in zip(COLOURS[::2], (1.0, 1.5, 2.0)):
            rows = rows_where(experiment, n=n)
            axes[0, column].loglog(rows[name], rows["c"], "x", color=colour, markersize=4)
        axes[0, column].set_xlabel(label)
        axes[0, column].set_ylabel(r"$c_{opt}$ [kg/s]")
        first = np.unique(table["n"], return_index=True)[1]
        axes[1, column].plot(table["n"][first], table["slope"][first], "o", color=COLOURS[0],
                             label="slope of the logarithms")
        each = np.unique(experiment["n"], return_index=True)[1]
        axes[1, column].plot(experiment["n"][each], experiment["slope"][each], "x", color="0.35",
                             label="the same, integrated in SI units")
        axes[1, column].plot(table["n"][first], table["exponent"][first], color=COLOURS[1], label=exponent)
        axes[1, column].set_xlabel("exponent n of the spring")
        axes[1, column].set_ylabel(f"exponent of {name} in c")
        axes[1, column].legend()
    axes[0, 0].plot([], [], "x", color="0.35", label="integrated in SI units,\nother quantities random")
    figure.tight_layout()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=6)
    save(figure, folder / "damping_scaling.png")


def figure_fits(program, folder):
    curves = run_table(program, "sweep", "--figure", 6)
    fits = run_table(program, "sweep", "--figure", 7)
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.8))
    for colour, n in zip(COLOURS, np.unique(curves["n"])):
        rows = rows_where(curves, n=n)
        axes[0].plot(rows["e"][::4], rows["c"][::4], ".", color=colour, markersize=5)
        axes[0].plot(rows["e"], rows["c_pattern"], color=colour,
                     label=f"n = {n:g}: {rows['alpha'][0]:.3f} (e^{rows['beta'][0]:.3f} - 1)")
    axes[0].set_xlabel("restitution e")
    axes[0].set_ylabel(r"$c_{opt}$, m = k = v = 1 (dots: exact, lines: fits)")
    axes[0].legend()
    other = axes[1].twinx()
    handles = axes[1].plot(fits["n"], fits["alpha"], ".", color=COLOURS[0], label=r"$\alpha$, fitted here")
    handles += axes[1].plot(fits["n"], fits["alpha_formula"], color=COLOURS[0], label=r"$\alpha$, (46)")
    handles += other.plot(fits["n"], fits["beta"], "x", color=COLOURS[1], label=r"$\beta$, fitted here")
    handles += other.plot(fits["n"], fits["beta_formula"], color=COLOURS[1], label=r"$\beta$, (47)")
    axes[1].set_xlabel("exponent n of the spring")
    axes[1].set_ylabel(r"$\alpha$", color=COLOURS[0])
    other.set_ylabel(r"$\beta$", color=COLOURS[1])
    axes[1].legend(handles=handles, loc="lower right")
    figure.tight_layout()
    save(figure, folder / "damping_fits.png")


def figure_error(program, folder):
    random = run_table(program, "verify", "--samples", 300)
    linear = run_table(program, "sweep", "--figure", 9)
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.2))
    unscaled = run_table(program, "verify", "--samples", 60, "--points", 21, "--from", 0.01, "--seed", 2,
                         "--unscaled")
    axes[0].plot(random["e"], random["max_error"], ".-", color=COLOURS[0], label="scaled, 300 each")
    axes[0].plot(unscaled["e"], unscaled["max_error"], "x", color="0.35", label="in SI units, 60 each")
    axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 0.03), fontsize=9)
    axes[0].set_ylabel(r"greatest $|e_{out} - e|$ of random impacts")
    axes[1].plot(linear["e"], linear["e_exact"], color=COLOURS[0], label=r"$e_{exact}$ by (55)")
    axes[1].plot([0, 1], [0, 1], "k:", label="wanted")
    axes[1].set_ylabel("restitution, n = 1")
    axes[1].legend()
    axes[2].plot(linear["e"], np.abs(linear["error"]), color=COLOURS[0])
    axes[2].set_ylabel(r"$|e_{exact} - e|$, n = 1")
    for each in axes:
        each.set_xlabel("wanted restitution e")
    figure.tight_layout()
    save(figure, folder / "damping_error.png")


def figure_hysteresis(program, folder):
    table = run_table(program, "table", "--from", 0.01, "--to", 0.99, "--points", 99)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5))
    for colour, formula in zip(COLOURS, ("hunt-crossley", "lankarani-nikravesh", "hu-guo", "flores", "exact")):
        rows = rows_where(table, formula=formula)
        axes[0].plot(rows["e"], rows["e_out"], color=colour, label=formula)
        axes[1].semilogy(rows["e"], rows["mu_v_over_k"], color=colour)
    axes[0].set_ylabel("restitution that comes out")
    axes[1].set_ylabel(r"damping factor $\mu v/k$")
    axes[0].legend()
    for each in axes:
        each.set_xlabel("wanted restitution e")
    figure.tight_layout()
    save(figure, folder / "damping_hysteresis.png")


if __name__ == "__main__":
    main(__doc__, "scree-damping", (figure_force, figure_scaling, figure_fits, figure_error, figure_hysteresis))
