"""Errors of the settings of a study, and the page and table that show them."""

import dataclasses

import numpy as np

import _study.page
import scree.figure
import scree.html
from _convergence.studies import DEFAULT, FINEST, SETTINGS
from scree.figure import COLOURS
from scree.html import State, Verdict

CLOSE = 0.01  # largest error that counts as close


@dataclasses.dataclass(frozen=True)
class Measured:
    """The results of a study, by label of the setting."""

    figures: dict  # {label: {name of the figure: value}}
    uncertainty: dict  # {label: {name: standard error of one run}}
    seconds: dict  # {label: wall-clock time of the steps}


def scale(study, figures, name):
    """The value by which errors of a figure are divided: its entry of `scales`, else its finest value."""
    scale_or_figure = study.scales.get(name, name)
    return abs(figures[FINEST][scale_or_figure] if isinstance(scale_or_figure, str) else scale_or_figure)


def errors(study, figures):
    """{label of the setting: {name of the figure: error / its scale}}.  figures: {label: {name: value}}"""
    limit = figures[FINEST]
    return {label: {name: (value - limit[name]) / scale(study, figures, name) for name, value in own_figures.items()}
            for label, own_figures in figures.items()}  # fmt: skip


def uncertainties(study, measured):
    """Uncertainties of the `errors`, from the standard errors of the setting's run and of the finest run."""
    limit = measured.uncertainty[FINEST]
    return {label: {name: np.hypot(error, limit[name]) / scale(study, measured.figures, name) for name, error in own_errors.items()}
            for label, own_errors in measured.uncertainty.items()}  # fmt: skip


def worst(errors_of_setting):
    return max(abs(error) for error in errors_of_setting.values())


def error_cell(error, uncertainty):
    return Verdict(State.HELD if abs(error) <= CLOSE else State.LOOK, f"{100 * error:+.2g} ± {100 * uncertainty:.1g} %")


def cheapest(study, figures, seconds):
    """Label of the cheapest setting with all figures close; None if there is none."""
    close = [label for label, label_errors in errors(study, figures).items() if worst(label_errors) <= CLOSE and label != FINEST]
    return min(close, key=seconds.get, default=None)


def draw(axes, study, measured, names, title):
    """Draws the errors of some figures against the wall-clock time of a run, and the limit below which they are close.

    Error bars reach from the error to the sum of the error and its uncertainty. A star marks the default.
    """
    by_setting, uncertainty = errors(study, measured.figures), uncertainties(study, measured)
    labels = [label for label in measured.figures if label != FINEST]
    axes.set(xscale="log", yscale="log", xlabel="time of a run [s]", ylabel="error / figure")
    axes.set_title(title, fontsize="medium")
    for colour, name in zip(COLOURS, names):
        for label in labels:
            error = max(abs(by_setting[label][name]), 1e-7)
            time, star = measured.seconds[label], label == DEFAULT.label
            axes.plot([time, time], [error, error + uncertainty[label][name]], color=colour, linewidth=0.8, alpha=0.6)
            axes.plot(time, error, "*" if star else "o", color=colour, markersize=11 if star else 4,
                      label=name if star else None)  # fmt: skip
    axes.axhline(CLOSE, color="black", linewidth=0.8, label=f"{100 * CLOSE:g} %")


def picture(study, measured):
    """The error of each figure."""
    plot, (axes,) = scree.figure.panels(1, 1)
    draw(axes, study, measured, measured.figures[FINEST], study.title)
    axes.legend(fontsize=scree.figure.SMALL, bbox_to_anchor=(1.02, 1.0), loc="upper left")
    return plot


def section(study, measured):
    figures, seconds = measured.figures, measured.seconds
    by_setting, uncertainty, names = errors(study, figures), uncertainties(study, measured), list(figures[FINEST])
    rows = [[label, f"{seconds[label]:.3g}",
             *(error_cell(by_setting[label][name], uncertainty[label][name]) for name in names)]
            for label in figures if label != FINEST]  # fmt: skip
    limit = ", ".join(f"{name} {scree.html.number(value)}" for name, value in figures[FINEST].items())
    cheapest_label = cheapest(study, figures, seconds)
    words = (f"The cheapest setting with all figures within {100 * CLOSE:g} %: {cheapest_label}." if cheapest_label else
             f"No setting has all figures within {100 * CLOSE:g} %.")  # fmt: skip
    return [
        scree.html.heading(study.title),
        scree.html.paragraph(f"Steps of {study.step:g} s by default, {study.duration:g} s simulated. {words}"),
        scree.html.table(["setting", "time [s]", *names], rows, "Errors relative to the finest run, with their uncertainties "
                         "from the scatter within both runs"),
        scree.html.paragraph(f"The finest run ({SETTINGS[-1].sweeps} sweeps, a quarter of the step): {limit}."),
        scree.html.picture(picture(study, measured), f"{study.title}: errors against the time of a run"),
    ]


def glance(results):
    lines = []
    for study, outcome in results.items():
        if isinstance(outcome, Exception):
            lines.append((Verdict(State.OFF, "failed"), f"{study.title}: {outcome}"))
            continue
        default = worst(errors(study, outcome.figures)[DEFAULT.label])
        verdict = Verdict(State.HELD, "close") if default <= CLOSE else Verdict(State.LOOK, "off")
        lines.append((verdict, f"{study.title}: the default's worst figure is off by {100 * default:.2g} %"))
    return lines


def page(results, notes):
    """The page as text.  results: {Study: Measured or the exception};  notes: how the runs were made"""
    parts = []
    for study, outcome in results.items():
        if not isinstance(outcome, Exception):
            parts += section(study, outcome)
    return _study.page.text_of("Scree: convergence", glance(results), parts, notes)


def overview(results):
    """The errors of each study's first two figures against the time of a run, with a panel for each study."""
    measured_studies = {study: outcome for study, outcome in results.items() if not isinstance(outcome, Exception)}
    plot, panels = scree.figure.panels(max(len(measured_studies), 1), 2, (0.5 * scree.figure.PAGE, 2.8))
    for panel, (study, measured) in zip(panels, measured_studies.items()):
        draw(panel, study, measured, list(measured.figures[FINEST])[:2], study.name)
        panel.legend(fontsize=scree.figure.SMALL, loc="upper center", bbox_to_anchor=(0.5, -0.25))
    return plot


def write(results, notes, path):
    """Writes the page, and one row for each figure of each setting as CSV."""
    rows = []
    for study, outcome in results.items():
        if isinstance(outcome, Exception):
            continue
        uncertainty = uncertainties(study, outcome)
        for label, by_name in errors(study, outcome.figures).items():
            numbers = [(outcome.figures[label][name], error, uncertainty[label][name]) for name, error in by_name.items()]
            rows += [(study.name, label, float(outcome.seconds[label]), name, *map(float, numbers_of_figure))
                     for name, numbers_of_figure in zip(by_name, numbers)]  # fmt: skip
    header = ("study", "setting", "seconds", "figure", "value", "error", "uncertain")
    _study.page.save(page(results, notes), header, rows, notes, path)
