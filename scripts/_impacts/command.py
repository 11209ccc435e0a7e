"""One page with every figure and table of the papers on single impacts, beside what they print.

usage: scripts/study impacts [--bin DIR] [--output DIR]

Runs the small apps and the scripts that draw their results, and writes OUTPUT/impacts.html with the
pictures inside; the pictures alone stay in OUTPUT/figures. Ends with 1 if a printed value is not met
and the page has no reason for it.
"""

import argparse
import pathlib
import subprocess
import sys

import _command_line
import scree.html
from scree.app_table import run_table
from scree.errors import FileError
from scree.html import State, Verdict

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]

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
# What the pictures show, by the names of their files.
CAPTIONS = {
    "damping_spheres": "Figure 1: direct central impact of two spheres",
    "damping_force": "Figure 2: force against penetration by three models",
    "damping_scaling": "Figures 3 to 5: the optimal damping over mass, speed and stiffness, and the exponents",
    "damping_fits": "Figures 6 and 7: the optimal damping over e with its fits, and alpha and beta over n",
    "damping_error": "Figures 8 and 9: the error of (49) over random impacts, and of (57) for n = 1",
    "damping_hysteresis": "Not in the paper: the restitution that the factors (13)-(16) and (18) really give",
    "restitution_bead": "Figure 1: a bead on the ground under a load",
    "restitution_scales": "Figure 2: dissipation over the speed, load over the external force",
    "restitution_paths": "Figures 3 and 4: an impact that rebounds, and one that does not",
    "restitution_loads": "Figure 5: e over the load, with details near the load of a steel bead",
    "restitution_critical": "Figure 6: the load beyond which nothing rebounds, and the error of (22)",
    "restitution_expansions": "Figures 7 and 8: e over the dissipation by (18) and (23), and their errors",
    "restitution_9": "Figure 9: e by Proposition 1, Hertz spring with a linear dashpot",
    "restitution_10": "Figure 10: e by Proposition 1, Kuwabara-Kono",
    "restitution_11": "Figure 11: e by Proposition 1, Simon-Hunt-Crossley",
    "restitution_speeds": "Not in the paper: restitution, force, deformation and duration of a steel ball over its "
                          "speed",
    "integrators_figure_01": "Figure 1: phase portraits for four speeds",
    "integrators_figure_02": "Figure 2: compression and force",
    "integrators_figure_03": "Figure 3: error of the approximate outbound velocity",
    "integrators_figure_04": "Figure 4: the Hamiltonian over the velocity",
    "integrators_figure_05": "Figure 5: phase portraits under an external force, details",
    "integrators_figure_06": "Figure 6: a non-critical impact by four methods",
    "integrators_figure_07": "Figure 7: Hamiltonians in the case of low dissipation",
    "integrators_figure_08": "Figure 8: a hard impact by four methods",
    "integrators_figure_09": "Figure 9: low dissipation, Heun with and without corrections",
    "integrators_figure_10": "Figure 10: a hard impact, Heun with and without corrections",
    "integrators_figure_11": "Figure 11: error of the Hamiltonian for small mu and small v_in",
    "integrators_figure_12": "Figure 12: a hundred rebounds",
    "integrators_order": "Not in the paper: error over the step, and the order of the methods",
    "integrators_cost": "Not in the paper: error over the time that one impact takes to compute",
    "integrators_breakdown": "Section III-B2: where the methods break down, four samples and fewer",
    "integrators_resonator": "The paper's outlook: an impact on a body that rings, with the corrections carried over",
    "pendulum_schematics": "Figures 1 to 3: the pendulum, its impacts in time, the forces of the first one",
    "pendulum_routh": "Figure 4: arrangements of Routh's method",
    "pendulum_mirrored": "Figure 4: its mirror images, of which the paper speaks",
    "pendulum_impulses": "Not in the paper: the impacts of the run with friction in impulse space",
    "pendulum_energy": "Figure 5: mechanical energy over time",
    "pendulum_velocities": "Figures 6 and 7: angular velocities over time",
    "pendulum_reactions": "Figures 8 and 9: the joint reactions P and R at O, V and H at A",
    "pendulum_rods": "Paper on the optimal damping, figure 10: the two rods at the start and at their first impact",
    "pendulum_pair": "Paper on the optimal damping, figure 11: the two rods by three models",
    "pendulum_force": "Paper on the optimal damping, figure 12: force against penetration in their first contact",
    "pendulum_strobe": "Not in the papers: the motions of both systems",
    "contact_plane": "Figures 2 and 7: energy on the plane of maximum compression, conic section and solutions",
    "contact_section": "Figure 3, and the same for the academic problem: energy along the conic section",
    "contact_painleve": "Section 4.2: the impulses of the grazing rod over angle and friction",
    "contact_bodies": "Figures 6 and 8: the academic body with its friction cone, and the rod",
    "contact_multiplicity": "Not in the paper: how often Coulomb's law has several solutions",
    "contact_steps": "Not in the paper: time steps under both laws, dt to 0",
}


class Judgement:
    """Rows of a table, and how many of them differ from the print without a reason."""

    def __init__(self):
        self.unexplained = 0

    def word(self, agrees, remark, printed="printed"):
        if printed == "":
            return Verdict(State.NONE, "not printed")
        if agrees:
            return Verdict(State.HELD, "yes")
        if remark:
            return f"no: {remark}"
        self.unexplained += 1
        return Verdict(State.OFF, "NO")


    def near(self, what, computed, printed):
        """A row for a number of the paper's text: it agrees if it rounds or truncates to what is printed."""
        digits = len(printed.lower().partition("e")[0].partition(".")[2])
        unit = 10.0 ** (int(printed.lower().partition("e")[2] or 0) - digits)
        return what, f"{computed:.8g}", printed, self.word(abs(computed - float(printed)) <= 1.001 * unit, "")


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
             judgement.word(agreement in ("rounded", "truncated", "below"), remark, printed))
            for at, column, quantity, computed, printed, agreement, remark in zip(
                table["table"], table["column"], table["quantity"], table["computed"], table["printed"],
                table["agreement"], table["remark"])
            if at == name
        ]
        parts.append(scree.html.table(("entry", "computed", "printed", "agrees"), rows, f"Table {name}"))
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
    header = ("entry", "computed", "printed", "agrees")
    return [scree.html.table(header, restitution_text(program, judgement), "Numbers of the text"),
            *scheme(program), scree.html.table(header, rows, "Tables 2 to 4")]


def restitution_text(program, judgement):
    notes = run_table(program, "cor", "--gamma", 0.01).notes
    bead = run_table(program, "cor", "--mass", 2.05e-3, "--stiffness", 6.9716e9, "--dissipation", 1e-7, "--speed", 0.246,
                     "--gravity", 9.8).notes
    critical = run_table(program, "critical", "--gamma", 0.01)
    large = run_table(program, "sweep", "--figure", 6, "--points", 2)
    by_22 = float(large["load_by_22"][(large["beta"] == 1.5) & (large["gamma"] == 1.0)][0])
    exponent = 1.0 + 0.5 / 1.5 + 0.5  # of (22) for alpha = beta
    return [
        judgement.near("(28), C0 of Kuwabara and Kono", float(notes["C0"]), "1.7302"),
        judgement.near("(29), C2 of Kuwabara and Kono", float(notes["C2"]), "-1.7961"),
        judgement.near("(21), C of Kuwabara and Kono", 0.5 * by_22**-exponent, "4.403986"),
        judgement.near("(22), critical load at gamma = 1", by_22, "0.30522"),
        judgement.near("figure 5, load of a steel bead of 8 mm", float(bead["load"]), "5.1224e-4"),
        judgement.near("figure 5, critical load at gamma = 0.01", float(critical["load"][0]), "3.7"),
    ]


def scheme(program):
    """What the scheme of table 1 comes to, for several degrees n of the interpolation."""
    rows = []
    for load in (0.05, 1, 10):
        for n in (5, 11, 21, 31):
            notes = run_table(program, "cor", "--gamma", 0.01, "--load", load, "--n", n).notes
            rows.append((f"load = {load}, n = {n}", *(number(notes[name]) for name in (
                f"I0 by Beta sums, n = {n}", "I0", f"Q0 by Beta sums, n = {n}", "Q0"))))
    header = ("Kuwabara-Kono", "I0 by the sums", "I0 by quadrature", "Q0 by the sums", "Q0 by quadrature")
    return [scree.html.table(header, rows, "Table 1 is a scheme for the sums of (53); what they come to")]


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
    parts = [scree.html.table(("entry", "computed", "printed", "agrees"), rows, "Constants")]
    factors = run_table(program, "table")
    rows = [(f"{formula}, e = {e:.1f}", number(factor), number(out))
            for formula, e, factor, out in zip(*(factors[name] for name in ("formula", "e", "mu_v_over_k", "e_out")))]
    return parts + [scree.html.table(("formula", "mu v/k", "restitution that comes out"), rows,
                                "Damping factors of Hunt and Crossley's force; the paper prints formulas only")]


def impacts(run, columns):
    return [[number(value) for value in row] for row in zip(*(run[name] for name in columns))]


def pendulum(program, judgement):
    counts = {mu: len(run_table(program, "obstacle", "--mu", mu, "--impacts", "-")["t"]) for mu in ("0", "0.15")}
    rest = run_table(program, "obstacle", "--free", "--psi1", 0, "--psi2", 0, "--omega1", 0, "--omega2", 0, "--end", 0.1)
    rows = [judgement.near("energy at rest below [J]", rest["energy"][0], "-40.007"),
            judgement.near("impacts without friction", counts["0"], "6"),
            judgement.near("impacts with mu = 0.15", counts["0.15"], "10")]
    parts = [scree.html.table(("entry", "computed", "printed", "agrees"), rows, "Numbers of the text")]
    columns = ("impact", "t", "path", "c_before", "c_after", "energy_lost")
    for mu in ("0", "0.15"):
        run = run_table(program, "obstacle", "--mu", mu, "--impacts", "-")
        parts.append(scree.html.table(columns, impacts(run, columns), f"Impacts of the double pendulum, mu = {mu}"))
    columns = ("impact", "t", "speed_in", "restitution", "impulse", "energy_lost")
    for model in ("piecewise", "linear-damping", "hunt-crossley"):
        run = run_table(program, "pair", "--model", model, "--impacts", "-")
        parts.append(scree.html.table(columns, impacts(run, columns), f"Impacts of the two rods, {model}"))
    return parts


def contact(program, judgement):
    del judgement  # table 1 is held to all printed digits by the tests of scree-contact
    table = run_table(program, "academic")
    columns = tuple(name for name in table)
    rows = [[number(value) for value in row] for row in zip(*(table[name] for name in columns))]
    return [scree.html.table(columns, rows, "Table 1: solutions of the academic problem under both laws")]


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
        parts.append(scree.html.picture_of(picture, f"{CAPTIONS[picture.stem]} ({picture.name})"))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"),
                        help="where the programs are (default: build/release/bin)")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/study/impacts"),
                        help="where the page goes (default: output/study/impacts)")
    arguments = parser.parse_args()
    figures = arguments.output / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    judgement, parts = Judgement(), []
    tables = {"damping": damping, "restitution": restitution, "integrators": integrators, "pendulum": pendulum,
              "contact": contact}
    for name, paper in PAPERS.items():
        program = arguments.bin / f"scree-{name}"
        parts += [scree.html.heading(paper), *tables[name](program, judgement), *draw(program, name, figures)]
        print(name, flush=True)
    summary, verdict = "Every printed value is met, or the page says why not.", Verdict(State.HELD, "reproduced")
    if judgement.unexplained:
        verdict = Verdict(State.OFF, "off")
        summary = f"{judgement.unexplained} printed values are not met and nothing here says why: look for NO."
    page = arguments.output / "impacts.html"
    glance = scree.html.at_a_glance([(verdict, summary)])
    page.write_text(scree.html.page("Single impacts", parts, [glance]), encoding="utf-8")
    print(f"{page}\n{summary}")
    return 1 if judgement.unexplained else 0
