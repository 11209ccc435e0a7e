#!/usr/bin/env python3
"""Draws what scree-restitution computes: the figures of Chatterjee, James & Brogliato, Approximate
coefficient of restitution for nonlinear viscoelastic contact with external load.

Figures: restitution_bead.png (1: the bead and its forces), restitution_scales.png (2: dissipation
over speed, load over force), restitution_paths.png (3 and 4: a rebound and none), restitution_loads.png (5: e over the load), restitution_critical.png
(6: where nothing rebounds), restitution_expansions.png (7 and 8), restitution_9.png, _10.png and
_11.png (e over the dissipation for three models), and restitution_speeds.png, which is not in the
paper: e, force and duration of a steel ball over its speed, in SI units.
"""

import _environment

_environment.require("numpy", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

from _figures import main, rows_where, run_table, save

COLOURS = ["#1f4e9c", "#c21807", "#2a7f3b", "#a0522d"]
LOADS = (0.0, 0.05, 1.0, 10.0)
BEAD_LOAD = 5.1224e-4  # of the 8 mm steel bead that the insets of figure 5 are about
MODELS = {1.0: "Hertz spring, linear dashpot", 1.5: "Kuwabara-Kono", 2.5: "Simon-Hunt-Crossley"}
DISSIPATION = r"dissipation $\gamma$"
LOAD = r"load $\tilde g$"


def draw_zoom(axes, x, curves):
    """A detail inside another panel: (values, line style, colour) each."""
    for values, style, colour in curves:
        axes.plot(x, values, style, color=colour, linewidth=1.0)
    axes.tick_params(labelsize=6)
    axes.ticklabel_format(style="sci", scilimits=(-2, 3), useOffset=False)
    for text in (axes.xaxis.get_offset_text(), axes.yaxis.get_offset_text()):
        text.set_fontsize(6)


def share_legend(figure, axes):
    """One legend below all panels, where it hides no detail."""
    figure.legend(*axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=4)


def draw_bead(folder):
    """The geometry of (1): a bead on the ground, and the forces on it; x < 0 is a compression."""
    figure, axes = plt.subplots(figsize=(4.5, 3.6))
    axes.add_patch(plt.Circle((0.0, 1.0), 1.0, facecolor="0.9", edgecolor="black"))
    axes.axhspan(-0.25, 0.0, facecolor="0.85", edgecolor="0.5", hatch="///", linewidth=0.0)
    axes.axhline(0.0, color="black", linewidth=1.0)
    axes.plot(0.0, 1.0, "k.")
    axes.text(0.12, 1.05, "$m$")
    arrows = (((0.0, 1.0), (0.0, 0.25), "$m g$", (0.1, 0.35)), ((0.0, 2.9), (0.0, 2.05), "$F$", (0.1, 2.5)),
              ((-0.45, 0.0), (-0.45, 0.75), "contact force", (-3.0, 0.25)))
    for start, end, label, place in arrows:
        axes.annotate("", end, start, arrowprops=dict(arrowstyle="->", color=COLOURS[1], linewidth=1.6))
        axes.text(*place, label, color=COLOURS[1])
    axes.annotate("", (1.6, 1.8), (1.6, 1.0), arrowprops=dict(arrowstyle="->", linewidth=1.4))
    axes.text(1.7, 1.35, "$x$, 0 at the\nfirst touch")
    axes.plot((0.0, 1.75), (1.0, 1.0), "k-.", linewidth=0.5)
    axes.set_xlim(-3.1, 3.2)
    axes.set_ylim(-0.25, 3.0)
    axes.set_aspect("equal")
    axes.axis("off")
    save(figure, folder / "restitution_bead.png")


def figure_scales(program, folder):
    table = run_table(program, "sweep", "--figure", 2)
    draw_bead(folder)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    alone = rows_where(table, force=0.0)
    axes[0].plot(alone["speed"], alone["gamma"], ".", color=COLOURS[0], markersize=3)
    axes[0].set_xlabel(r"approach speed $v_0$ [m/s]")
    axes[0].set_ylabel(DISSIPATION)
    for colour, speed in zip(COLOURS, (0.1, 0.2, 0.5, 1.0)):
        rows = rows_where(table, speed=speed)
        rows = rows if speed != 1.0 and speed != 0.5 else {k: v[rows["force"] != 0.0] for k, v in rows.items()}
        order = np.argsort(rows["force"])
        axes[1].plot(rows["force"][order], rows["load"][order], color=colour, label=rf"$v_0$ = {speed:g} m/s")
    axes[1].set_xlabel("external force F [N]")
    axes[1].set_ylabel(LOAD)
    axes[1].legend()
    figure.suptitle("Steel balls of Kuwabara and Kono")
    figure.tight_layout()
    save(figure, folder / "restitution_scales.png")


def figure_paths(program, folder):
    figure, axes = plt.subplots(2, 2, figsize=(11, 8))
    for row, (gamma, load, title) in enumerate(((0.006, 0.1, "rebound"), (0.06, 4.0, "no rebound"))):
        path = run_table(program, "trajectory", "--gamma", gamma, "--load", load)
        axes[row, 0].plot(path["time"], path["deformation"], color=COLOURS[0], label=r"deformation $u$")
        axes[row, 0].plot(path["time"], path["velocity"], "--", color=COLOURS[1], label=r"velocity $u'$")
        axes[row, 0].set_xlabel(r"time $\tau$")
        axes[row, 0].legend()
        axes[row, 0].set_title(rf"{title}: $\gamma$ = {gamma}, $\tilde g$ = {load}")
        axes[row, 1].plot(path["deformation"], path["velocity"], color=COLOURS[0])
        axes[row, 1].plot(path["deformation"][-1], path["velocity"][-1], "o", color=COLOURS[1], label="end")
        axes[row, 1].set_xlabel(r"deformation $u$")
        axes[row, 1].set_ylabel(r"velocity $u'$")
        axes[row, 1].legend()
    for each in axes.flat:
        each.axhline(0.0, color="black", linewidth=0.6)
    figure.tight_layout()
    save(figure, folder / "restitution_paths.png")


def figure_loads(program, folder):
    table = run_table(program, "sweep", "--figure", 5, "--points", 401)
    near_bead = run_table(program, "sweep", "--figure", 5, "--points", 21, "--load-to", 2.0 * BEAD_LOAD)
    figure, axes = plt.subplots(3, 2, figsize=(11, 10))
    for row, gamma in enumerate((1e-4, 1e-3, 1e-2)):
        rows = rows_where(table, gamma=gamma)
        for column, limit in enumerate((10.0, 1.0)):
            shown = rows["load"] <= limit
            each = axes[row, column]
            each.plot(rows["load"][shown], rows["e"][shown], color=COLOURS[0], label="integrated")
            each.plot(rows["load"][shown], rows["e_first_order"][shown], "--", color=COLOURS[1], label="(18)")
            each.set_xlabel(LOAD)
            each.set_ylabel("e")
            each.set_title(rf"$\gamma$ = {gamma:g}")
            zoom = each.inset_axes((0.57, 0.32, 0.4, 0.3) if gamma > 1e-3 and limit > 1.0 else (0.17, 0.13, 0.36, 0.36))
            near = rows_where(near_bead, gamma=gamma)
            draw_zoom(zoom, near["load"], ((near["e"], "-", COLOURS[0]), (near["e_first_order"], "--", COLOURS[1])))
            zoom.axvline(BEAD_LOAD, color="0.5", linewidth=0.8)
            zoom.set_title(r"around $\tilde g_0$ of a steel bead", fontsize=7)
    axes[0, 1].legend(loc="upper right")
    figure.tight_layout()
    save(figure, folder / "restitution_loads.png")


def figure_critical(program, folder):
    table = run_table(program, "sweep", "--figure", 6, "--points", 60)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5))
    for colour, (beta, name) in zip(COLOURS, MODELS.items()):
        rows = rows_where(table, beta=beta)
        axes[0].loglog(rows["gamma"], rows["load"], color=colour, label=name)
        axes[0].loglog(rows["gamma"], rows["load_by_22"], ":", color=colour)
        shown = rows["gamma"] <= 0.3
        axes[1].plot(rows["gamma"][shown], rows["relative_error"][shown], color=colour, label=name)
    axes[0].plot([], [], "k:", label="(22)")
    axes[0].set_ylabel(r"critical load $\tilde g_c$")
    axes[1].set_ylabel("relative error of (22)")
    for each in axes:
        each.set_xlabel(DISSIPATION)
        each.legend()
    figure.tight_layout()
    save(figure, folder / "restitution_critical.png")


def figure_expansions(program, folder):
    table = run_table(program, "sweep", "--figure", 7)
    coarse, fine = (run_table(program, "sweep", "--figure", 7, "--points", 101, "--gamma-to", to) for to in (0.05, 0.005))
    details = {load: fine if load == 10.0 else coarse for load in LOADS}
    figure, axes = plt.subplots(2, 4, figsize=(16, 7.5))
    for column, load in enumerate(LOADS):
        rows = rows_where(table, load=load)
        above, below = axes[0, column], axes[1, column]
        above.plot(rows["gamma"], rows["e"], color=COLOURS[0], label="integrated")
        above.plot(rows["gamma"], rows["e_first_order"], "--", color=COLOURS[1], label="(18)")
        above.plot(rows["gamma"], rows["e_schwager_poschel"], ":", color=COLOURS[2], label="(23), Schwager-Pöschel")
        zoom = above.inset_axes((0.52, 0.55, 0.45, 0.4) if load < 10.0 else (0.4, 0.55, 0.55, 0.4))
        near = rows_where(details[load], load=load)
        draw_zoom(zoom, near["gamma"],
                  ((near["e"], "-", COLOURS[0]), (near["e_first_order"], "--", COLOURS[1]),
                   (near["e_schwager_poschel"], ":", COLOURS[2])))
        above.set_title(rf"$\tilde g$ = {load:g}")
        above.set_ylabel("e")
        below.plot(rows["gamma"], rows["error_first_order"], "--", color=COLOURS[1])
        below.plot(rows["gamma"], rows["error_schwager_poschel"], ":", color=COLOURS[2])
        below.set_ylabel("absolute error of e")
        for each in (above, below):
            each.set_xlabel(DISSIPATION)
            if load == 10.0:
                each.set_xlim(0.0, 0.1)
    for panel in axes[0, :2]:
        panel.set_ylim(-0.05, 2.5)  # (23) rises to 1.1, below the detail
    figure.tight_layout()
    share_legend(figure, axes[0, 0])
    save(figure, folder / "restitution_expansions.png")


def figure_proposition(program, folder):
    for number, (beta, name) in zip((9, 10, 11), MODELS.items()):
        table = run_table(program, "sweep", "--figure", number)
        figure, axes = plt.subplots(1, 4, figsize=(16, 4))
        for each, load in zip(axes, LOADS):
            rows = rows_where(table, load=load)
            each.plot(rows["gamma"], rows["e"], color=COLOURS[0], linewidth=2.0, label="integrated")
            each.plot(rows["gamma"], rows["e_quadrature"], "--", color=COLOURS[1], label="(36), quadrature")
            each.plot(rows["gamma"], rows["e_beta_sums"], ":", color="black", label="(36), Beta sums")
            if beta == 1.5:
                each.plot(rows["gamma"], rows["e_schwager_poschel"], "-.", color=COLOURS[2], label=r"(23)")
            zoom = each.inset_axes((0.16, 0.14, 0.37, 0.34) if load > 0.5 else (0.6, 0.6, 0.37, 0.34))
            shown = rows["gamma"] <= 0.1 * rows["gamma"][-1]
            draw_zoom(zoom, rows["gamma"][shown],
                      ((rows["e"][shown], "-", COLOURS[0]), (rows["e_quadrature"][shown], "--", COLOURS[1]),
                       (rows["e_beta_sums"][shown], ":", "black")))
            each.set_title(rf"$\tilde g$ = {load:g}")
            each.set_xlabel(DISSIPATION)
            each.set_ylabel("e")
            each.ticklabel_format(axis="x", style="sci", scilimits=(-2, 2))
        figure.suptitle(name)
        figure.tight_layout()
        share_legend(figure, axes[0])
        save(figure, folder / f"restitution_{number}.png")


def figure_speeds(program, folder):
    """A steel ball of 1 cm on a wall; each law's constant is that which gives e = 0.9 at 1 m/s."""
    ball = ("--material", "steel", "--radius", 0.005)
    laws = run_table(program, "invert", *ball, "--e", 0.9, "--speed", 1.0)
    figure, axes = plt.subplots(1, 4, figsize=(17, 4))
    quantities = (("e", "restitution e"), ("greatest_force", "greatest force [N]"),
                  ("greatest_deformation", "greatest deformation [m]"), ("duration", "duration [s]"))
    for colour, law, constant in zip(COLOURS, laws["law"], laws["gamma0"]):
        curve = run_table(program, "curve", "--model", law, *ball, "--dissipation", constant, "--from", 0.01,
                          "--to", 10.0, "--points", 40)
        for panel, (column, label) in zip(axes, quantities):
            panel.loglog(curve["speed"], curve[column], color=colour, label=law)
            panel.set_xlabel("approach speed [m/s]")
            panel.set_ylabel(label)
    axes[0].set_yscale("linear")
    axes[0].legend()
    figure.suptitle("A steel ball of 10 mm on steel; every law gives e = 0.9 at 1 m/s")
    figure.tight_layout()
    save(figure, folder / "restitution_speeds.png")


if __name__ == "__main__":
    main(__doc__, "scree-restitution", (figure_scales, figure_paths, figure_loads, figure_critical,
                                        figure_expansions, figure_proposition, figure_speeds))
