"""Errors of the settings of a study, and the page and table that tell them."""

import scree.html
import scree.table
from _convergence.studies import DEFAULT, FINEST, SETTINGS
from scree.figure import COLOURS, plt
from scree.html import State, Verdict

CLOSE = 0.01  # an error that is close enough


def errors(study, figures):
    """Of each setting, {label: {name of the figure: error over its scale}}; figures: {label: {name: value}}."""
    limit = figures[FINEST]

    def scale(name):
        its = study.scales.get(name, name)
        return abs(limit[its] if isinstance(its, str) else its)

    return {label: {name: (value - limit[name]) / scale(name) for name, value in its.items()}
            for label, its in figures.items()}  # fmt: skip


def worst(its):
    return max(abs(error) for error in its.values())


def error_cell(error):
    words = f"{100 * error:+.2g} %"
    return Verdict(State.HELD if abs(error) <= CLOSE else State.LOOK, words)


def cheapest(study, figures, seconds):
    """Label of the cheapest setting all of whose figures are close; None if there is none."""
    close = [label for label, its in errors(study, figures).items() if worst(its) <= CLOSE and label != FINEST]
    return min(close, key=seconds.get, default=None)


def draw(axes, study, figures, seconds, names, title):
    """The errors of some figures against the time that a run took, and the line below which they are close."""
    by_setting = errors(study, figures)
    labels = [label for label in figures if label != FINEST]
    for colour, name in zip(COLOURS, names):
        axes.loglog([seconds[label] for label in labels],
                    [max(abs(by_setting[label][name]), 1e-7) for label in labels], "o", color=colour, label=name,
                    markersize=4)  # fmt: skip
    axes.axhline(CLOSE, color="black", linewidth=0.8, label=f"{100 * CLOSE:g} %")
    axes.set(xlabel="time of a run [s]", ylabel="error over the figure", title=title)


def picture(study, figures, seconds):
    """The error of each figure."""
    plot, axes = plt.subplots(figsize=(8, 4.6))
    draw(axes, study, figures, seconds, figures[FINEST], study.title)
    axes.legend(fontsize="small", bbox_to_anchor=(1.02, 1.0), loc="upper left")
    plot.tight_layout()
    return plot


def section(study, figures, seconds):
    by_setting, names = errors(study, figures), list(figures[FINEST])
    rows = [[label, f"{seconds[label]:.3g}", *(error_cell(by_setting[label][name]) for name in names)]
            for label in figures if label != FINEST]  # fmt: skip
    limit = ", ".join(f"{name} {scree.html.number(value)}" for name, value in figures[FINEST].items())
    found = cheapest(study, figures, seconds)
    words = (f"The cheapest setting with all figures within {100 * CLOSE:g} %: {found}." if found else
             f"No setting has all figures within {100 * CLOSE:g} %.")  # fmt: skip
    return [
        scree.html.heading(study.title),
        scree.html.paragraph(f"Steps of {study.step:g} s unless told, {study.measured:g} s simulated. {words}"),
        scree.html.table(["setting", "time [s]", *names], rows, "Errors against the finest run"),
        scree.html.paragraph(f"The finest run ({SETTINGS[-1].sweeps} sweeps, a quarter of the step): {limit}."),
        scree.html.picture(picture(study, figures, seconds), f"{study.title}: errors against the time of a run"),
    ]


def glance(results):
    lines = []
    for study, outcome in results.items():
        if isinstance(outcome, Exception):
            lines.append((Verdict(State.OFF, "failed"), f"{study.title}: {outcome}"))
            continue
        default = worst(errors(study, outcome[0])[DEFAULT.label])
        verdict = Verdict(State.HELD, "close") if default <= CLOSE else Verdict(State.LOOK, "off")
        lines.append((verdict, f"{study.title}: the default's worst figure is off by {100 * default:.2g} %"))
    return lines


def page(results, notes):
    """results: {Study: ({label: {figure: value}}, {label: seconds}) or the exception};  notes: how it was made."""
    parts = []
    for study, outcome in results.items():
        if not isinstance(outcome, Exception):
            parts += section(study, *outcome)
    parts += [scree.html.heading("How it was made"), *map(scree.html.paragraph, notes)]
    return scree.html.page("Scree: convergence", parts, [scree.html.at_a_glance(glance(results))])


def markdown(results, notes):
    """The tables, as lines of a page of the repository."""
    lines = []
    for study, outcome in results.items():
        if isinstance(outcome, Exception):
            lines += ["", f"* {study.title}: failed, {outcome}"]
            continue
        figures, seconds = outcome
        names, by_setting = list(figures[FINEST]), errors(study, figures)
        limit = "; ".join(f"{name} {scree.html.number(value)}" for name, value in figures[FINEST].items())
        lines += ["", f"## {study.title}", "",
                  f"{study.measured:g} s, step {study.step:g} s. Errors in per cent; the finest run has: {limit}.", "",
                  "| setting | time [s] | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]  # fmt: skip
        for label in figures:
            if label != FINEST:
                cells = [f"{100 * by_setting[label][name]:+.2g}" for name in names]
                lines.append(f"| {label} | {seconds[label]:.3g} | " + " | ".join(cells) + " |")
        lines.append(f"| {FINEST} | {seconds[FINEST]:.3g} |" + " 0 |" * len(names))
    return ["# Convergence", "", *(f"* {note}" for note in notes), *lines, ""]


def overview(results):
    """The error of each study's first two figures against time, a panel for each study."""
    done = {study: outcome for study, outcome in results.items() if not isinstance(outcome, Exception)}
    plot, panels = plt.subplots(1, max(len(done), 1), figsize=(4.2 * max(len(done), 1), 3.8), squeeze=False)
    for panel, (study, (figures, seconds)) in zip(panels[0], done.items()):
        draw(panel, study, figures, seconds, list(figures[FINEST])[:2], study.name)
        panel.legend(fontsize="small")
    plot.tight_layout()
    return plot


def write_table(path, results, notes):
    """One row for each figure of each setting, as CSV."""
    columns = {name: [] for name in ("study", "setting", "seconds", "figure", "value", "error")}
    for study, outcome in results.items():
        if isinstance(outcome, Exception):
            continue
        figures, seconds = outcome
        for label, by_name in errors(study, figures).items():
            for name, error in by_name.items():
                row = (study.name, label, float(seconds[label]), name, float(figures[label][name]), float(error))
                for values, value in zip(columns.values(), row):
                    values.append(value)
    scree.table.write(path, notes, columns)
