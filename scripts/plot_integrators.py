#!/usr/bin/env python3
"""Draws what scree-integrators computes: a Hunt-Crossley impact by closed forms and four methods.

integrators_figure_01.png to _12.png are figures 1 to 12 of Papetti, Avanzini & Rocchesso, Numerical
methods for a nonlinear impact model (2011); integrators_order.png shows the errors over the step,
integrators_cost.png the errors over the time that an impact takes to compute, and
integrators_breakdown.png what becomes of them when a contact has four samples or fewer, and
integrators_resonator.png an impact on a body that rings, with the corrections carried over to it.
"""

import _environment

_environment.require("numpy", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

from _figures import main, run_table, save

METHODS = {
    "am1": dict(color="#1f4e9c", marker="s", label="Adams-Moulton"),
    "verlet": dict(color="#c21807", marker="o", label="Verlet"),
    "heun": dict(color="#2e8b57", marker="^", label="Heun"),
    "rk4": dict(color="#d98e04", marker="D", label="Runge-Kutta 4"),
}
EXACT = dict(color="black", linewidth=1.2, linestyle="--", label="closed form")
CORRECTED = dict(color="#6a3d9a", marker="o", markersize=4)
CORRECTIONS = ("--hybrid", "--constrain")
MICRO, MILLI = 1e6, 1e3

# The parameters of the paper's examples; the mass is 0.01 kg everywhere.
SOFT = dict(stiffness=1e7, mu=0.5, alpha=1.5, v_in=0.5)  # figures 1, 2, 4, 5
NON_CRITICAL = dict(stiffness=1e3, mu=0.5, alpha=1.5, v_in=0.5)
LOW_DISSIPATION = dict(stiffness=1e7, mu=0.01, alpha=1.3, v_in=0.5)
HARD = dict(stiffness=1e9, mu=0.5, alpha=1.5, v_in=1.0)
SPEEDS = (0.5, 1.0, 2.0, 4.0)
GRAVITIES = (0.5, 1.0, 2.0, 4.0)
STANDARD_GRAVITY = 9.81


class App:
    """The commands of scree-integrators with the parameters of an example."""

    def __init__(self, program):
        self.program = program

    def run(self, command, parameters, *arguments):
        named = [text for name, value in parameters.items() for text in (f"--{name.replace('_', '-')}", repr(value))]
        return run_table(self.program, command, *named, *arguments)

    def closed_form(self, parameters, points=400):
        return self.run("closed-form", parameters, "--points", points)

    def simulate(self, parameters, method, *arguments):
        return self.run("simulate", parameters, "--method", method, *arguments)


def note(table, name):
    return float(table.notes[name])


def mark_energies(axes, exact):
    """Horizontal lines at the energies before and after the impact."""
    for name, label in (("energy_in", r"$H_0$"), ("energy_out", r"$H_\tau$")):
        axes.axhline(MILLI * note(exact, name), color="0.6", linewidth=0.8)
        axes.annotate(label, (0.985, MILLI * note(exact, name)), xycoords=("axes fraction", "data"),
                      xytext=(0, 2), textcoords="offset points", ha="right")


def label_phase(axes, scale_name=r"compression $x$ [µm]"):
    axes.set_xlabel(scale_name)
    axes.set_ylabel("velocity $v$ [m/s]")


def label_energy(axes):
    axes.set_xlabel("velocity $v$ [m/s], time runs to the right")
    axes.set_ylabel("Hamiltonian $H$ [mJ]")
    axes.invert_xaxis()


def figure_01_phase_portraits(app, axes):
    limit = -1.0 / SOFT["mu"]
    for speed in SPEEDS:
        curve = app.closed_form({**SOFT, "v_in": speed})
        line, = axes.plot(MICRO * curve["x"], curve["v"], label=rf"$v_{{in}}$ = {speed:g} m/s")
        for v in (speed, note(curve, "v_out")):
            axes.plot([-100, 0], [v, v], color=line.get_color(), linestyle="--", linewidth=1.0)
    axes.axhline(limit, color="0.5", linestyle=":", label=r"$v_{lim} = -1/\mu$")
    axes.axvline(0.0, color="0.7", linewidth=0.8)
    label_phase(axes)
    axes.set_title("Phase portraits; dashed: free motion")
    axes.set_xlim(-120, 800)
    axes.legend(loc="upper right")


def figure_02_hysteresis(app, axes):
    deepest = 0.0
    for speed in SPEEDS:
        curve = app.closed_form({**SOFT, "v_in": speed})
        axes.plot(MICRO * curve["x"], curve["force"], label=rf"$v_{{in}}$ = {speed:g} m/s")
        deepest = max(deepest, note(curve, "x_max"))
    x = np.linspace(0.0, deepest, 300)
    axes.plot(MICRO * x, SOFT["stiffness"] * x ** SOFT["alpha"], "k--", linewidth=1.0, label=r"$k x^\alpha$")
    axes.set_xlabel(r"compression $x$ [µm]")
    axes.set_ylabel("contact force $f$ [N]")
    axes.set_title("Compression and force: the loops enclose the energy dissipated")
    axes.legend()


def figure_03_outbound_error(app, axes):
    table = app.run("sweep", {}, "--over", "mu-v-in", "--from", "0.01", "--to", "30", "--points", "1200")
    axes.loglog(table["mu_v_in"], 100.0 * np.abs(table["relative_error"]), color=METHODS["am1"]["color"])
    for name, percent, colour in (("0.1_percent", 0.1, "#2e8b57"), ("1_percent", 1.0, "#d98e04")):
        below, above = (note(table, f"within_{name}_{side}") for side in ("below", "above"))
        axes.axhline(percent, color=colour, linewidth=0.9)
        axes.vlines((below, above), 1e-9, percent, color=colour, linestyle="--", linewidth=1.0,
                    label=rf"below {percent:g} % for $\mu v_{{in}}$ < {below:.4g} and > {above:.4g}")
    axes.set_ylim(1e-9, 10.0)
    axes.set_xlim(0.01, 30.0)
    axes.set_xlabel(r"$\mu v_{in}$")
    axes.set_ylabel(r"|error of the approximate $v_{out}$| [%]")
    axes.set_title(f"Greatest error {100 * note(table, 'greatest_error'):.4f} % at {note(table, 'greatest_error_at'):.4f}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=2)


def figure_04_hamiltonian(app, axes):
    curve = app.closed_form(SOFT)
    axes.plot(curve["v"], MILLI * curve["hamiltonian"], **EXACT)
    mark_energies(axes, curve)
    label_energy(axes)
    axes.set_title(r"Energy during an impact, $v_{in}$ = 0.5 m/s")


def figure_05_external_force(app, axes):
    exact = app.closed_form(SOFT)
    for panel in axes:
        panel.plot(MICRO * exact["x"], exact["v"], color="black", linewidth=2.2, label=r"$f_e$ = 0, closed form")
        for factor in GRAVITIES:
            force = 0.01 * STANDARD_GRAVITY * factor
            run = app.simulate(SOFT, "rk4", "--external-force", repr(force), "--rate", "2822400")
            panel.plot(MICRO * run["x"], run["v"], label=rf"$f_e$ = {factor:g} $m g$")
        label_phase(panel)
    axes[0].set_title("External force, first part of the impact")
    axes[0].set_xlim(0.0, 30.0)
    axes[0].set_ylim(0.494, 0.5008)
    axes[1].set_title("Release")
    axes[1].set_xlim(0.0, 30.0)
    axes[1].set_ylim(-0.4295, -0.4215)
    axes[0].legend(loc="lower left")


def draw_methods(app, axes, parameters, with_markers=True):
    """Phase portraits on axes[0], if there are two, and energies on axes[-1], with the closed form."""
    exact = app.closed_form(parameters)
    for method, style in METHODS.items():
        run = app.simulate(parameters, method)
        style = style if with_markers else {**style, "marker": ""}
        axes[-1].plot(run["v"], MILLI * run["hamiltonian"], linewidth=1.0, markersize=4, **style)
        if len(axes) > 1:
            axes[0].plot(MICRO * run["x"], run["v"], linewidth=1.0, markersize=4, **style)
    axes[-1].plot(exact["v"], MILLI * exact["hamiltonian"], **EXACT)
    mark_energies(axes[-1], exact)
    label_energy(axes[-1])
    if len(axes) > 1:
        axes[0].plot(MICRO * exact["x"], exact["v"], **EXACT)
        axes[0].axvline(MICRO * note(exact, "x_max"), color="0.6", linewidth=0.8)
        axes[0].axhline(note(exact, "v_out"), color="0.6", linewidth=0.8)
        label_phase(axes[0])


def figure_06_non_critical(app, axes):
    draw_methods(app, axes, NON_CRITICAL, with_markers=False)
    axes[0].set_title(r"Non-critical impact: lines at $x_{max}$ and $v_{out}$")
    axes[1].set_title("All methods lie on the closed form")
    axes[0].legend()


def figure_07_low_dissipation(app, axes):
    draw_methods(app, [axes], LOW_DISSIPATION)
    axes.set_ylim(1.234, 1.252)
    axes.set_title("Low dissipation: energies of the methods")
    axes.legend(loc="lower left", ncol=2)


def figure_08_hard_impact(app, axes):
    draw_methods(app, axes, HARD)
    axes[0].set_title("Hard impact of six samples: phase portraits")
    axes[1].set_title("Energies")
    axes[0].legend()


def draw_corrections(app, axes, parameters):
    """Heun's method without and with both corrections, like draw_methods."""
    exact = app.closed_form(parameters)
    plain = app.simulate(parameters, "heun")
    corrected = app.simulate(parameters, "heun", *CORRECTIONS)
    for run, style in ((plain, METHODS["heun"]), (corrected, {**CORRECTED, "label": "Heun, corrected"})):
        axes[-1].plot(run["v"], MILLI * run["hamiltonian"], linewidth=1.0, **style)
        if len(axes) > 1:
            axes[0].plot(MICRO * run["x"], run["v"], linewidth=1.0, **style)
    axes[-1].plot(exact["v"], MILLI * exact["hamiltonian"], **EXACT)
    mark_energies(axes[-1], exact)
    label_energy(axes[-1])
    if len(axes) > 1:
        axes[0].plot(MICRO * exact["x"], exact["v"], **EXACT)
        label_phase(axes[0])


def figure_09_corrected_low_dissipation(app, axes):
    draw_corrections(app, [axes], LOW_DISSIPATION)
    axes.set_title("Low dissipation: Heun's method with and without corrections")
    axes.legend()


def figure_10_corrected_hard_impact(app, axes):
    draw_corrections(app, axes, HARD)
    axes[0].set_title("Hard impact: Heun's method with and without corrections")
    axes[1].set_title("Energies")
    axes[0].legend()


def figure_11_energy_error(app, axes):
    parameters = {**HARD, "v_in": 0.5}
    for panel, over, name in ((axes[0], "mu", r"$\mu$ [s/m]"), (axes[1], "v-in", r"$v_{in}$ [m/s]")):
        swept = over.replace("-", "_")
        kept = {name: value for name, value in parameters.items() if name != swept}
        table = app.run("sweep", kept, "--over", over, "--from", "0.001", "--to", "0.5", "--points", "120")
        along = table[swept]
        panel.loglog(along, table["max_deviation_H_percent"], color=METHODS["rk4"]["color"], label="Runge-Kutta 4")
        panel.loglog(along, table["max_deviation_H_corrected_percent"], color=CORRECTED["color"],
                     label="Runge-Kutta 4, corrected")
        panel.set_xlabel(name)
        panel.set_ylabel("max. deviation of $H$, release included [%]")
        panel.set_ylim(1e-11, 1e4)
    axes[0].set_title(r"$v_{in}$ = 0.5 m/s")
    axes[1].set_title(r"$\mu$ = 0.5 s/m")
    axes[0].legend(loc="lower right")


def figure_12_rebounds(app, axes):
    last = 100
    curves = (("verlet", (), METHODS["verlet"], "Verlet"), ("rk4", (), METHODS["rk4"], "Runge-Kutta 4"),
              ("verlet", CORRECTIONS, CORRECTED, "corrected"))
    for method, corrections, style, label in curves:
        motion = app.run("rebounds", HARD, "--method", method, *corrections, "--count", last, "--motion")
        for panel in axes:
            panel.plot(motion["time"], -MILLI * motion["x"], color=style["color"], linewidth=1.2, label=label)
    ends = motion["time"][motion["impact"] == last]
    for panel in axes:
        panel.set_xlabel("time [s]")
        panel.set_ylabel("height $-x$ [mm]")
        panel.set_ylim(bottom=0.0)
    axes[0].set_xlim(0.0, 1.0)
    axes[0].set_title("Hard impacts and flights: the beginning")
    axes[1].set_xlim(ends[0] - 0.05, ends[0])
    axes[1].set_ylim(0.0, 0.08)
    axes[1].set_title("Before the hundredth impact: errors have added up")
    axes[0].legend()


def figure_order(app, axes):
    table = app.run("order", HARD)
    for panel, part, title in ((axes[0], "smooth", r"Smooth part, 0.8 $v_{in}$ to $v_{out}$/2"),
                               (axes[1], "whole", "Whole contact")):
        for method, style in METHODS.items():
            rows = table.where(part=part, method=method)
            reliable = rows["error_x"] > 1e-13
            order = np.polyfit(np.log(rows["h"][reliable][-4:]), np.log(rows["error_x"][reliable][-4:]), 1)[0]
            panel.loglog(MICRO * rows["h"], rows["error_x"], markersize=4, linewidth=1.0,
                         **{**style, "label": f"{style['label']}: order {order:.2f}"})
        panel.set_xlabel("step $h$ [µs]")
        panel.set_ylabel(r"error of $x$ at the end / $x_{max}$")
        panel.set_title(title)
        panel.legend(loc="lower right")
        panel.set_ylim(bottom=1e-16)


def figure_cost(app, axes):
    table = app.run("cost", HARD)
    for method, style in METHODS.items():
        for corrections, line, label in (("none", "-", style["label"]), ("both", ":", "")):
            rows = table.where(method=method, corrections=corrections)
            axes.loglog(rows["ns_per_impact"] / 1e3, rows["max_deviation_H_percent"], linestyle=line,
                        **{**style, "label": label})
    axes.plot([], [], "k:", label="with both corrections")
    axes.set_xlabel("time to compute one impact [µs]; 1 to 64 steps per sample")
    axes.set_ylabel("max. deviation of $H$, release included [%]")
    axes.set_title("What accuracy costs, hard impact")
    axes.legend()


def figure_breakdown(app, axes):
    widths = (5.0, 3.6, 2.4, 1.2)  # corrected methods lie on one line
    for (method, style), width in zip(METHODS.items(), widths):
        table = app.run("sweep", HARD, "--over", "rate", "--from", "7000", "--to", "2e6", "--points", "120",
                        "--method", method, "--fewer-samples")
        for panel, column in zip(axes, ("max_deviation_H_percent", "max_deviation_H_corrected_percent")):
            panel.loglog(table["samples_in_contact"], table[column], color=style["color"], label=style["label"],
                         linewidth=1.2 if panel is axes[0] else width)
    for panel, title in zip(axes, ("without corrections", "with both corrections")):
        panel.axvline(4.0, color="0.5", linestyle="--", label="four samples")
        panel.set_xlabel("samples during the contact")
        panel.set_ylabel("max. deviation of $H$, release included [%]")
        panel.set_title(f"Hard impact, {title}")
    axes[0].legend()


def figure_resonator(app, axes):
    """Energies during an impact on a wooden block, and what is wrong at release for three materials."""
    body = ("--resonator", "wood", "--body-mass", "0.2")
    exact = app.run("resonate", HARD, *body, "--method", "rk4", "--oversampling", "64", "--rate", "1e6")
    runs = (("Heun", app.run("resonate", HARD, *body, "--method", "heun"), METHODS["heun"]),
            ("Heun, corrected", app.run("resonate", HARD, *body, "--method", "heun", *CORRECTIONS), CORRECTED))
    for column, text in (("energy_mass", "mass"), ("energy_modes", "modes")):
        axes[0].plot(MICRO * exact["time"], MILLI * exact[column], "k--", linewidth=1.2)
        late = 3 * len(exact["time"]) // 4
        axes[0].annotate(text, (MICRO * exact["time"][late], MILLI * exact[column][late]), xytext=(-2, 12),
                         textcoords="offset points", ha="right")
        for label, run, style in runs:
            axes[0].plot(MICRO * run["time"], MILLI * run[column], linewidth=1.0,
                         **{**style, "label": label if column == "energy_mass" else None})
    axes[0].plot([], [], "k--", label="many short steps")
    axes[0].set_xlabel("time [µs]")
    axes[0].set_ylabel("energy [mJ]")
    axes[0].set_title("An impact on a wooden block that rings")
    axes[0].legend(loc="upper right")
    bars = [("plain", "0.6"), ("corrected", CORRECTED["color"])]
    place, ticks = 0, []
    for material in ("glass", "wood", "metal"):
        table = app.run("resonate", HARD, "--resonator", material, "--compare")
        for method in METHODS:
            for shift, corrections in ((-0.2, "none"), (0.2, "both")):
                error = np.abs(table.where(method=method, corrections=corrections)["error_mass_percent"][0])
                axes[1].bar(place + shift, error, width=0.4, color=bars[int(shift > 0)][1])
            ticks.append((place, f"{method}\n{material if method == 'verlet' else ''}"))
            place += 1
        place += 0.6
    for label, colour in bars:
        axes[1].bar(0, 0, color=colour, label=label)
    axes[1].set_yscale("log")
    axes[1].set_ylim(1e-3, 20.0)
    axes[1].set_xticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=8)
    axes[1].set_ylabel("error of the mass' energy [% of $H_0$]")
    axes[1].set_title("At release, struck body of 0.2 kg")
    axes[1].legend(loc="upper right", ncol=2)


# Name of the file, function, panels side by side.
FIGURES = (
    ("figure_01", figure_01_phase_portraits, 1),
    ("figure_02", figure_02_hysteresis, 1),
    ("figure_03", figure_03_outbound_error, 1),
    ("figure_04", figure_04_hamiltonian, 1),
    ("figure_05", figure_05_external_force, 2),
    ("figure_06", figure_06_non_critical, 2),
    ("figure_07", figure_07_low_dissipation, 1),
    ("figure_08", figure_08_hard_impact, 2),
    ("figure_09", figure_09_corrected_low_dissipation, 1),
    ("figure_10", figure_10_corrected_hard_impact, 2),
    ("figure_11", figure_11_energy_error, 2),
    ("figure_12", figure_12_rebounds, 2),
    ("order", figure_order, 2),
    ("cost", figure_cost, 1),
    ("breakdown", figure_breakdown, 2),
    ("resonator", figure_resonator, 2),
)


def draw_all(program, folder):
    app = App(program)
    for name, draw, panels in FIGURES:
        figure, axes = plt.subplots(1, panels, figsize=(6.5 * panels if panels > 1 else 7.5, 5))
        draw(app, axes)
        figure.tight_layout()
        save(figure, folder / f"integrators_{name}.png")


if __name__ == "__main__":
    main(__doc__, "scree-integrators", (draw_all,))
