"""Compares flows under the law of maximum dissipation with the same flows under Coulomb's law.

For spheres both laws are the same; for the clumps and polyhedra of this study they differ. Channel, hopper, drum and
heap run with each law and several seeds. OUTPUT/two_laws.html has key figures with standard errors over the seeds, and
the probability that equal laws would differ as much (Welch's t test). It also has the solutions of both laws for single
contacts of snapshots, and the key figures of one flow with twice the sweeps. OUTPUT/two_laws_figures.png and
two_laws_contacts.png are its pictures, two_laws.csv has the numbers of all runs. Finished runs of the same program and
values are not repeated, so that an interrupted study can be continued. Times are the wall-clock times of the runs,
which are meaningful on an idle machine with --jobs 1.
"""

import sys

import scree.figure
import scree.html
import scree.table
from _study import command
from _two_laws import contacts, page
from _two_laws.studies import LAWS, MORE_SWEEPS, STUDIES, SWEEPS, frames_of, run_name

FRICTIONS = (1.0, 2.0, 4.0)  # coefficients with which contacts are tested for several solutions


def time_per_relaxation(run):
    """Time of the sweeps per contact, sweep and step [ns]."""
    timing = scree.table.read(run.path / "timing.csv", ("sweeps_seconds",))
    relaxations = run.columns["contacts"].mean() * run.number("solver", "sweeps") * run.columns["step"][-1]
    return 1e9 * timing["sweeps_seconds"][-1] / relaxations


def statistics_of_run(study, run, law):
    """The ContactStatistics of a run, and {mu: number of contacts with several solutions} for FRICTIONS."""
    begin = study.begin if study.contacts_from is None else study.contacts_from
    friction = run.number("contact", "friction")
    total, several = contacts.ContactStatistics(), dict.fromkeys(FRICTIONS, 0)
    for frame in frames_of(run, begin):
        total += contacts.contact_statistics(frame, friction, law)
        for mu in FRICTIONS:
            several[mu] += contacts.count_several(contacts.problems(frame, mu)[0])
    return total, several


def sum_over_runs(study, runs):
    """The ContactStatistics of all runs, and {mu: fraction with several solutions}.  runs: [(law, scree.directory.Run)]"""
    total, several = contacts.ContactStatistics(), dict.fromkeys(FRICTIONS, 0)
    for law, run in runs:
        statistics, several_in_run = statistics_of_run(study, run, law)
        total += statistics
        several = {mu: several[mu] + several_in_run[mu] for mu in FRICTIONS}
    return total, {mu: count / max(total.contacts, 1) for mu, count in several.items()}


def sections(results, contact_statistics, several, times, more_sweeps):
    """Pieces of the page."""
    parts = []
    for study, by_law in results.items():
        span = f"Means from {study.begin:g} to {study.end:g} s"
        parts += [scree.html.heading(study.title), page.figures_table(by_law, span)]
        if study in more_sweeps:
            title = f"The same with {MORE_SWEEPS} sweeps per step instead of {SWEEPS}"
            parts.append(page.figures_table(more_sweeps[study], title))
    differences = page.differences_figure(results)
    parts.append(scree.html.picture(differences, "Differences of all figures, with standard errors"))
    parts += [scree.html.heading("Contacts"), page.contacts_table(contact_statistics, several)]
    parts.append(scree.html.picture(page.contacts_figure(contact_statistics), "Distributions over contacts"))
    return [*parts, scree.html.heading("Time"), page.costs_table(times)]


def options():
    parser = command.Parser("two_laws", __doc__, STUDIES)
    parser.add_argument("--full", action="store_true", help="scenes at their full size: hours to days on one core")
    parser.add_seeds(3, "of each law")
    parser.add_ranks()
    return parser


def main():
    parser = options()
    arguments = parser.parse_args()
    studies = [STUDIES[name] for name in parser.chosen(arguments)]
    runner = command.runner_of(arguments, arguments.ranks)
    seeds = range(1, arguments.seeds + 1)
    runs = {study.name: study.runs(arguments.full, seeds) for study in studies}
    failed = {key: error for key, error in runner.run_all(runs).items() if error is not None}
    for (study, run), error in failed.items():
        print(f"{study}/{run}: {error}", file=sys.stderr)
    if failed:
        return 1
    results, contact_statistics, several, times, more_sweeps = {}, {}, {}, {}, {}
    for study in studies:
        finished = runner.read(study.name, runs[study.name])
        runs_by_law = {law: [finished[run_name(law, seed)] for seed in seeds] for law in LAWS}
        results[study] = {law: [study.figures(run, study.begin) for run in runs_of_law] for law, runs_of_law in runs_by_law.items()}
        times[study] = {law: [time_per_relaxation(run) for run in runs_of_law] for law, runs_of_law in runs_by_law.items()}
        results_of_law = {law: sum_over_runs(study, [(law, run) for run in runs_of_law]) for law, runs_of_law in runs_by_law.items()}
        contact_statistics[study] = {law: pair[0] for law, pair in results_of_law.items()}
        several[study] = {law: pair[1] for law, pair in results_of_law.items()}
        if MORE_SWEEPS in study.sweeps(arguments.full):
            runs_with_more = {law: [finished[run_name(law, seed, MORE_SWEEPS)] for seed in seeds] for law in LAWS}
            more_sweeps[study] = {law: [study.figures(run, study.begin) for run in runs_of_law] for law, runs_of_law in runs_with_more.items()}
    size = "The scenes at their full size" if arguments.full else "The short form, with larger grains or smaller scenes"
    notes = [f"{size}; {arguments.seeds} seeds of each law. {runner.version}."]
    scree.figure.save(page.differences_figure(results), arguments.output / "two_laws_figures.png")
    scree.figure.save(page.contacts_figure(contact_statistics), arguments.output / "two_laws_contacts.png")
    page.write(results, sections(results, contact_statistics, several, times, more_sweeps), notes, arguments.output / "two_laws.html")
    return 0
