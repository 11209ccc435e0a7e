"""The page of a study, and its tables."""

import math

import numpy as np

import scree.figure
import scree.html
import scree.means
import scree.table
import scree.whole_file
import scree.units
from scree.html import State, Verdict

NO_FIGURES = (math.nan, math.nan)


def mean_over_seeds(values):
    """Mean and standard error over the seeds, and the number of runs, from [(value, error of one run)].

    With one run the error is that of the run. A run without the figure does not count.
    """
    known_values = [(value, error) for value, error in values if not math.isnan(value)]
    if not known_values:
        return (*NO_FIGURES, 0)
    if len(known_values) == 1:
        return (*known_values[0], 1)
    numbers = np.array([value for value, _ in known_values])
    return float(numbers.mean()), float(numbers.std(ddof=1) / np.sqrt(len(numbers))), len(numbers)


def text(value, error):
    """A value with its error as text, `4864 ± 17`."""
    if math.isnan(value):
        return "–"
    return scree.means.with_error(value, error) if error > 0.0 else scree.html.number(value)


def short(key):
    return key.rpartition(".")[2]


class Results:
    """Results of a plan: figures of all runs.

    figures: {(tuple of the varied texts, seed): {name: (value, error)}} of the runs that succeeded
    failed: {name of a run: reason} of the others
    """

    def __init__(self, plan, figures, failed):
        self.plan, self.figures, self.failed = plan, figures, failed
        self.points = [tuple(point.values()) for point in plan.points()]

    def mean(self, name, point):
        """(mean, error, number of seeds) of a figure at a point."""
        return mean_over_seeds([self.figures.get((point, seed), {}).get(name, NO_FIGURES) for seed in self.plan.seeds])


def names_with_units(plan):
    return {name: f"{name} [{measure.unit}]" if measure.unit else name for name, measure in plan.figures.items()}


def means_table(results):
    plan = results.plan
    header = [*map(short, plan.varied), *names_with_units(plan).values(), "runs"]
    rows = []
    for point in results.points:
        cells = [results.mean(name, point) for name in plan.figures]
        rows.append([*point, *(text(value, error) for value, error, _ in cells), str(max(n for *_, n in cells))])
    if not plan.varied:
        header, rows = ["scene", *header], [[plan.scene.stem, *row] for row in rows]
    caption = "Means with standard errors over the seeds" if len(plan.seeds) > 1 else "Errors are those of one run"
    return scree.html.table(header, rows, caption)


def axis_positions(texts):
    """Positions of the varied texts along an axis, and its unit; texts that are not numbers are at 0, 1, 2, ..."""
    split = [scree.units.split(text) for text in texts]
    units = {unit for _, unit in split}
    if all(len(numbers) == 1 for numbers, _ in split) and len(units) == 1:
        return [float(numbers[0]) for numbers, _ in split], units.pop()
    return list(range(len(texts))), None


def _with_errors(results, name, points):
    """Means of a figure at the points and their errors, 0 where they are not known."""
    means = [results.mean(name, point) for point in points]
    return [mean for mean, *_ in means], [0.0 if math.isnan(error) else error for _, error, _ in means]


def picture(results, name):
    """A plot of a figure against the figure x of the plan, or, if it has none, against the key with most values.

    Each combination of the other keys has a line.
    """
    plan = results.plan
    keys = list(plan.varied)
    axis = max(range(len(keys)), key=lambda k: len(plan.varied[keys[k]]))
    texts = plan.varied[keys[axis]]
    x, unit = axis_positions(texts)
    plot, (ax,) = scree.figure.panels(1, 1)
    lines = {}
    for point in results.points:
        lines.setdefault(tuple(value for k, value in enumerate(point) if k != axis), []).append(point)
    others = [short(key) for k, key in enumerate(keys) if k != axis]
    for rest, points in lines.items():
        x_values, x_errors = [x[texts.index(point[axis])] for point in points], None
        if plan.x:
            x_values, x_errors = _with_errors(results, plan.x, points)
        y_values, y_errors = _with_errors(results, name, points)
        label = ", ".join(f"{key} {value}" for key, value in zip(others, rest))
        ax.errorbar(x_values, y_values, y_errors, x_errors, fmt="o-", markersize=4, linewidth=0.8, capsize=2, label=label)
    if unit is None and not plan.x:
        ax.set_xticks(x, texts)
    x_label = names_with_units(plan)[plan.x] if plan.x else short(keys[axis]) + (f" [{unit}]" if unit else "")
    ax.set(xlabel=x_label.replace("_", " "), ylabel=names_with_units(plan)[name].replace("_", " "))
    scree.figure.logarithmic(ax, plan.log)
    scree.figure.legend(ax)
    return plot


def page(results, notes):
    """The page as text.  notes: how it was made"""
    plan = results.plan
    missing = len(plan.runs()) - len(results.figures)
    glance = [(Verdict(State.HELD, "done"), f"{len(results.figures)} runs of {plan.scene.stem}.")]
    if missing:
        glance = [(Verdict(State.LOOK, "open"), f"{missing} of {len(plan.runs())} runs are missing, or failed.")]
    glance += [(Verdict(State.OFF, "failed"), f"{run}: {reason}") for run, reason in results.failed.items()]
    parts = [scree.html.heading("Figures"), means_table(results)]
    if plan.varied:
        parts += [scree.html.picture(picture(results, name), f"{name}: {measure.text}")
                  for name, measure in plan.figures.items() if name != plan.x]  # fmt: skip
    measured = [[name, measure.text, measure.unit] for name, measure in plan.figures.items()]
    measured = scree.html.table(["figure", "measured as", "unit"], measured, "From the plan")
    return text_of(f"Study: {plan.name}", glance, parts, notes, [measured])


def text_of(title, glance, parts, notes, appendix=()):
    """The page of a study: a summary of the results, its parts, and at the end notes on the runs.

    glance: [(Verdict, text)];  parts, appendix: pieces of HTML;  notes: paragraphs
    """
    end = [scree.html.heading("How it was made"), *appendix, *map(scree.html.paragraph, notes)]
    return scree.html.page(title, [*parts, *end], [scree.html.at_a_glance(glance)])


def save(text, header, rows, notes, path):
    """Writes a page, and its numbers next to it as CSV.  rows: rows of values"""
    scree.whole_file.write(path, text)
    columns = zip(*rows) if rows else [()] * len(header)
    scree.table.write(path.with_suffix(".csv"), notes, dict(zip(header, columns)))
    print(path)


def write(results, output, notes):
    """Writes study.html, and study.csv with a row for each run: varied values, seed, figures and their errors."""
    plan = results.plan
    header = [*plan.varied, "seed", *(column for name in plan.figures for column in (name, f"{name}_error"))]
    rows = [[*point, seed or "-", *(number for name in plan.figures for number in figures[name])]
            for (point, seed), figures in results.figures.items()]  # fmt: skip
    measured = [f"{name} = {measure.text} [{measure.unit}]" for name, measure in plan.figures.items()]
    save(page(results, notes), header, rows, [*notes, *measured], output / "study.html")
