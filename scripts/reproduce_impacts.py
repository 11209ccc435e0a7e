#!/usr/bin/env python3
"""One page with every figure and table of the papers on single impacts, beside what they print.

usage: reproduce_impacts.py [--bin DIR] [--output DIR]

Runs the small apps and the scripts that draw their results, and writes OUTPUT/impacts.html with the
pictures inside; the pictures alone stay in OUTPUT/figures. Ends with 1 if a printed value is not met
and the page has no reason for it.
"""

import argparse
import pathlib
import subprocess
import sys

import _environment

_environment.require("numpy", "matplotlib", "PIL")

import _command_line
import _html
from _app_table import run_table
from _errors import FileError

SCRIPTS = pathlib.Path(__file__).resolve().parent

# Printed in the paper on the optimal damping: what, by which command and where in its output, value.
# Fits by other means and over other points agree to so much of the value.
FITTED = 0.02
SPRING_FITS = {1.2: (1.59, -0.3794), 1.8: (2.47, -0.2323)}  # alpha and beta of figure 6
FORMULAS = {1.5: (1.95, -0.3), 1.0: (1.4181, -0.44)}  # of (52), (57)

PAPERS = {
    "damping": "An analytical approximation of the optimal linear damping of a Hertz-type contact",
    "restitution": "A. Chatterjee, G. James, B. Brogliato: Approximate coefficient of restitution for nonlinear "
                   "viscoelastic contact with external load",
    "integrators": "S. Papetti, F. Avanzini, D. Rocchesso: Numerical methods for a nonlinear impact model",
    "pendulum": "G. Sypniewska-Kaminska, R. Starosta, J. Awrejcewicz: Motion of double pendulum colliding with an "
                "obstacle of rough surface; and the two rods of the paper on the optimal damping",
    "contact": "T. Preclik, S. Eibl, U. Ruede: The maximum dissipation principle in rigid-body dynamics with purely "
               "inelastic impacts: single contacts",
}
# What the pictures show, by the end of their names.
CAPTIONS = {
    "force": "Figure 2: force against penetration", "scaling": "Figures 3 to 5: c over mass, speed, stiffness",
    "fits": "Figures 6 and 7", "error": "Figures 8 and 9", "hysteresis": "Restitution that the factors (13)-(16) give",
    "scales": "Figure 2", "paths": "Figures 3 and 4", "loads": "Figure 5", "critical": "Figure 6",
    "expansions": "Figures 7 and 8", "order": "Order of the methods", "cost": "Error over the time spent",
    "routh": "Figure 4: arrangements of Routh's method", "energy": "Figure 5: energy over time",
    "velocities": "Angular velocities", "reactions": "Joint reactions", "strobe": "The motions",
    "plane": "Plane of maximum compression (figure 3)", "section": "Energy along the conic section",
    "painleve": "Painleve's rod over angle and friction",
    "bodies": "Figures 6 and 8: the academic body with its friction cone, and the rod",
    "multiplicity": "How often Coulomb's law has several solutions", "steps": "Time steps under both laws, dt to 0",
    "mirrored": "Figure 4, mirror images", "impulses": "Impulse paths of a run",
    "speeds": "Restitution, force and duration of a steel ball over its speed (not in the paper)",
    "breakdown": "Where the methods break down: four samples and fewer", "pair": "Two rods by three models (figure 11)",
}


class Judgement:
    """Rows of a table, and how many of them differ from the print without a reason."""

    def __init__(self):
        self.unexplained = 0

    def word(self, agrees, remark):
        if agrees or remark:
            return ("yes" if agrees else "no: ") + ("" if agrees else remark)
        self.unexplained += 1
        return "NO"


def number(text):
    try:
        return f"{float(text):.5g}"
    except ValueError:
        return str(text)


def integrators(program, judgement):
    table = run_table(program, "tables")
    parts = []
    for name in dict.fromkeys(table["table"]):
        rows = [
            (f"{column}, {quantity}", number(computed), printed,
             judgement.word(agreement in ("rounded", "truncated", "below", ""), remark))
            for at, column, quantity, computed, printed, agreement, remark in zip(
                table["table"], table["column"], table["quantity"], table["computed"], table["printed"],
                table["agreement"], table["remark"])
            if at == name
        ]
        parts.append(_html.table(("entry", "computed", "printed", "agrees"), rows, f"Table {name}"))
    return parts


def restitution(program, judgement):
    table = run_table(program, "tables")
    rows = [
        (f"table {number(name)}{part}, beta = {number(beta)}, load = {number(load)}, {span}, {coefficients}",
         number(computed), number(printed), judgement.word(bool(agrees), remark))
        for name, part, beta, load, span, coefficients, computed, printed, agrees, remark in zip(
            *(table[column] for column in ("table", "part", "beta", "load", "range", "coefficients", "computed",
                                           "printed", "agrees", "remark")))
    ]
    return [_html.table(("entry", "computed", "printed", "agrees"), rows, "Tables 2 and 3")]


def damping(program, judgement):
    rows = []
    curves = run_table(program, "sweep", "--figure", 6)
    for n, printed in SPRING_FITS.items():
        at = list(curves["n"]).index(n)
        for name, value in zip(("alpha", "beta"), printed):
            computed = curves[name][at]
            rows.append((f"figure 6, {name} at n = {n}", number(computed), value,
                         judgement.word(abs(computed / value - 1) < FITTED, "")))
    for n, printed in FORMULAS.items():
        notes = run_table(program, "optimal", "--n", n).notes
        for name, value in zip(("alpha", "beta"), printed):
            computed = float(notes[f"{name}(n)"])
            digits = len(str(value).partition(".")[2])
            rows.append((f"(46), (47): {name} at n = {n}", number(computed), value,
                         judgement.word(abs(computed - value) < 0.51 * 10.0**-digits, "")))
    parts = [_html.table(("entry", "computed", "printed", "agrees"), rows, "Constants")]
    factors = run_table(program, "table")
    rows = [(f"{formula}, e = {e:.1f}", number(factor), number(out))
            for formula, e, factor, out in zip(*(factors[name] for name in ("formula", "e", "mu_v_over_k", "e_out")))]
    return parts + [_html.table(("formula", "mu v/k", "restitution that comes out"), rows,
                                "Damping factors of Hunt and Crossley's force; the paper prints formulas only")]


def impacts(run, columns):
    return [[number(value) for value in row] for row in zip(*(run[name] for name in columns))]


def pendulum(program, judgement):
    del judgement  # the papers print curves and no numbers
    parts = []
    columns = ("impact", "t", "path", "c_before", "c_after", "energy_lost")
    for mu in ("0", "0.15"):
        run = run_table(program, "obstacle", "--mu", mu, "--impacts", "-")
        parts.append(_html.table(columns, impacts(run, columns), f"Impacts of the double pendulum, mu = {mu}"))
    columns = ("impact", "t", "speed_in", "restitution", "impulse", "energy_lost")
    for model in ("piecewise", "linear-damping", "hunt-crossley"):
        run = run_table(program, "pair", "--model", model, "--impacts", "-")
        parts.append(_html.table(columns, impacts(run, columns), f"Impacts of the two rods, {model}"))
    return parts


def contact(program, judgement):
    del judgement  # table 1 is held to its digits by the tests of scree-contact
    table = run_table(program, "academic")
    columns = tuple(name for name in table)
    rows = [[number(value) for value in row] for row in zip(*(table[name] for name in columns))]
    return [_html.table(columns, rows, "Table 1: solutions of the academic problem under both laws")]


def draw(program, script, folder):
    """The pictures of a script, as parts of a page."""
    done = subprocess.run([sys.executable, SCRIPTS / f"plot_{script}.py", "--program", program, "--folder", folder],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise FileError(f"plot_{script}.py failed: {done.stderr.strip()}")
    pictures = [pathlib.Path(line) for line in done.stdout.splitlines() if line.endswith(".png")]
    if not pictures:
        raise FileError(f"plot_{script}.py drew nothing")
    parts = []
    for picture in pictures:
        what = picture.stem.partition("_")[2]
        caption = CAPTIONS.get(what, what.replace("figure_", "Figure ").replace("_", " "))
        parts.append(_html.picture_of(picture, f"{caption} ({picture.name})"))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"),
                        help="where the programs are (default: build/release/bin)")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/reproduce_impacts"),
                        help="where the page goes (default: output/reproduce_impacts)")
    arguments = parser.parse_args()
    figures = arguments.output / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    judgement, parts = Judgement(), []
    tables = {"damping": damping, "restitution": restitution, "integrators": integrators, "pendulum": pendulum,
              "contact": contact}
    for name, paper in PAPERS.items():
        program = arguments.bin / f"scree-{name}"
        parts += [_html.heading(paper), *tables[name](program, judgement), *draw(program, name, figures)]
        print(name, flush=True)
    summary = "Every printed value is met, or the page says why not."
    if judgement.unexplained:
        summary = f"{judgement.unexplained} printed values are not met and nothing here says why: look for NO."
    page = arguments.output / "impacts.html"
    page.write_text(_html.page("Single impacts", [_html.paragraph(summary), *parts]), encoding="utf-8")
    print(f"{page}\n{summary}")
    return 1 if judgement.unexplained else 0


if __name__ == "__main__":
    _command_line.run(main)
