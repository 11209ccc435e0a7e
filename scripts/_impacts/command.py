"""One page with every printed value and figure of the papers on single impacts.

usage: scripts/study impacts [PICTURE ...] [--no-pictures] [--bin DIR] [--output DIR]

Computes the printed values of the papers (scripts/_impacts/*.csv) and their figures (pictures.toml) with the small apps.
Writes the page OUTPUT/impacts.html, and the pictures also to OUTPUT/figures. With names of pictures or papers it only
draws these; with --no-pictures it only compares values. Ends with 1 if a printed value is not reproduced and the page
gives no reason.
"""

import argparse
import pathlib

import scree.html
import scree.program
import scree.whole_file
from _impacts import drawing, printed
from _impacts.app_tables import Apps
from scree.errors import UsageError, did_you_mean
from scree.html import State, Verdict

PAPERS = {
    "damping": "An analytical approximation of the optimal linear damping of a Hertz-type contact",
    "restitution": "A. Chatterjee, G. James, B. Brogliato: Approximate coefficient of restitution for nonlinear "
                   "viscoelastic contact with external load",
    "integrators": "S. Papetti, F. Avanzini, D. Rocchesso: Numerical methods for a nonlinear impact model",
    "pendulum": "G. Sypniewska-Kaminska, R. Starosta, J. Awrejcewicz: Motion of double pendulum colliding with an "
                "obstacle of rough surface; and the two rods of the paper on the optimal damping",
    "contact": "T. Preclik, S. Eibl, U. Ruede: The maximum dissipation principle in rigid-body dynamics with purely "
               "inelastic impacts: single contacts",
}  # fmt: skip


def compare(app, apps):
    """The table of a paper's printed values, and the number of unexplained differences."""
    rows, unexplained = [], 0
    for entry in printed.entries_of(app):
        computed = entry.computed(app, apps)
        if not entry.printed:
            verdict = Verdict(State.NONE, "not printed")
        elif entry.is_reproduced_by(computed):
            verdict = Verdict(State.HELD, "yes")
        elif entry.is_known(computed):
            verdict = Verdict(State.LOOK, "no")
        else:
            verdict, unexplained = Verdict(State.OFF, "NO"), unexplained + 1
        rows.append((entry.where, f"{computed:.8g}", entry.printed, verdict, entry.remark))
    return scree.html.table(("entry", "computed", "printed", "agrees", "remark"), rows, "Printed values"), unexplained


def tables(app, apps):
    """Tables in addition to the printed values, such as all impacts of the pendulums."""
    parts = []
    for settings in drawing.TABLES:
        if settings["app"] == app:
            run = apps.table(app, settings["run"])
            rows = zip(*(_texts(run[name]) for name in settings["columns"]))
            parts.append(scree.html.table(settings["columns"], rows, settings["caption"]))
    return parts


def _texts(column):
    return [f"{value:.5g}" if isinstance(value, float) else str(value) for value in column]


def draw(wanted, apps, folder):
    """{app: parts of the page} with the wanted pictures, or with all if none are given."""
    known = {*PAPERS, *(picture["name"] for picture in drawing.PICTURES)}
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"there is no picture '{unknown[0]}'{did_you_mean(unknown[0], known)}; expected one of {', '.join(sorted(known))}")
    folder.mkdir(parents=True, exist_ok=True)
    parts = {app: [] for app in PAPERS}
    for picture in drawing.PICTURES:
        if wanted and not {picture["app"], picture["name"]} & set(wanted):
            continue
        path = folder / f"{picture['name']}.png"
        drawing.draw(picture, apps, path)
        parts[picture["app"]].append(scree.html.picture_of(path, f"{picture['caption']} ({path.name})"))
        print(path, flush=True)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="*", help="draw only these pictures, or those of these papers")
    parser.add_argument("--no-pictures", action="store_true", help="compare the printed values, draw nothing")
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the programs (default: in the tree, or on PATH)")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/study/impacts"),
                        help="folder of the page (default: output/study/impacts)")  # fmt: skip
    arguments = parser.parse_args()
    if arguments.picture and arguments.no_pictures:
        parser.error("--no-pictures and names of pictures exclude each other")
    arguments.output.mkdir(parents=True, exist_ok=True)
    folder = f"{arguments.bin}/" if arguments.bin else ""
    apps = Apps(lambda app: scree.program.found(f"{folder}scree-{app}"))
    pictures = {app: [] for app in PAPERS}
    if not arguments.no_pictures:
        pictures = draw(arguments.picture, apps, arguments.output / "figures")
    if arguments.picture:
        return 0
    parts, unexplained = [], 0
    for app, paper in PAPERS.items():
        table, missed = compare(app, apps)
        unexplained += missed
        parts += [scree.html.heading(paper), table, *tables(app, apps), *pictures[app]]
    summary, verdict = "Every printed value is reproduced, or the page gives the reason.", Verdict(State.HELD, "reproduced")
    if unexplained:
        verdict = Verdict(State.OFF, "off")
        summary = f"{unexplained} printed values are not reproduced and have no remark: look for NO."
    page = arguments.output / "impacts.html"
    glance = scree.html.at_a_glance([(verdict, summary)])
    scree.whole_file.write(page, scree.html.page("Single impacts", parts, [glance]))
    print(f"{page}\n{summary}")
    return 1 if unexplained else 0
