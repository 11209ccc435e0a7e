"""Compares Gauss-Seidel and Jacobi in scenes of all kinds.

Every scene runs with each scheme and several seeds. After some impacts the flows of both schemes diverge, as those of
two seeds do, so the study compares means. OUTPUT/schemes.html has each figure with its standard error over the seeds,
and the difference of the schemes in standard errors of a normal distribution (Welch's t test; for equal schemes one
figure in 370 is beyond 3). schemes.csv has the numbers of all runs. The exit code is 1 if a figure is beyond 4.4,
which happens by chance on one of a thousand such pages. Finished runs of the same program and values are not repeated.
"""

import sys

import numpy as np
from scipy.stats import norm

import _study.page
import scree.html
from _schemes.scenes import ALL, SCENES, SCHEMES
from _study import command, measures
from _study.page import mean_over_seeds, text
from _two_laws.page import chance
from scree.errors import UsageError
from scree.html import State, Verdict

LIMIT = 4.4  # standard errors, for some hundred figures


def measure(scene, runs, finished):
    """{figure: {scheme: [value of each seed]}}.  finished: {name: scree.directory.Run}"""
    window = f" from {scene.begin:g} s"
    figure_measures = [measures.parse(name, expression + window, None) for name, expression in {**ALL, **scene.figures}.items()]
    return {figure.name: {scheme: [figure.evaluate(finished[run.name])[0] for (scheme_of_run, _), run in runs.items() if scheme_of_run == scheme]
                       for scheme in SCHEMES} for figure in figure_measures}  # fmt: skip


def deviation(values):
    """Difference of the schemes' means in standard errors of a normal distribution; NaN for single seeds."""
    first, second = values.values()
    return float(np.sign(np.mean(second) - np.mean(first)) * norm.isf(0.5 * chance(first, second)))


def section(scene, figures):
    """Heading and table of a scene."""
    rows = []
    for name, values in figures.items():
        means = [mean_over_seeds([(value, np.nan) for value in values_of_scheme]) for values_of_scheme in values.values()]
        difference = deviation(values)
        rows.append([name, *(text(mean, error) for mean, error, _ in means),
                     Verdict(State.OFF if abs(difference) > LIMIT else State.NONE, f"{difference:+.1f}")])  # fmt: skip
    caption = f"Means from {scene.begin:g} to {scene.end:g} s, SI units, steps of {scene.step:g} s"
    return [scree.html.heading(scene.name), scree.html.table(["", *SCHEMES, "standard errors apart"], rows, caption)]


def summary(results):
    """[(words, number)] of all figures."""
    differences = np.abs([deviation(values) for figures in results.values() for values in figures.values()])
    return [("figures", len(differences)), *((f"beyond {limit:g} standard errors", int((differences > limit).sum()))
            for limit in (1, 2, 3, LIMIT)), ("root mean square", float(np.sqrt(np.mean(differences**2))))]  # fmt: skip


def options():
    parser = command.Parser("schemes", __doc__, SCENES, ("scene", "scenes"), jobs=None)
    parser.add_seeds(4, "of each scheme")
    return parser


def main():
    parser = options()
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        raise UsageError("--seeds: standard errors need two seeds or more")
    runner = command.runner_of(arguments)
    runs = {name: SCENES[name].runs(range(1, arguments.seeds + 1)) for name in parser.chosen(arguments)}
    outcome = runner.run_all({name: list(runs_by_key.values()) for name, runs_by_key in runs.items()})
    failed = {f"{scene}/{run}": str(error) for (scene, run), error in outcome.items() if error is not None}
    for run, error in failed.items():
        print(f"{run}: {error}", file=sys.stderr)
    results = {name: measure(SCENES[name], runs_by_key, runner.read(name, runs_by_key.values())) for name, runs_by_key in runs.items()
               if not any(key.startswith(f"{name}/") for key in failed)}  # fmt: skip
    for name, figures in results.items():
        print(f"{name:28}", ", ".join(f"{figure} {deviation(values):+.1f}" for figure, values in figures.items()))
    totals = summary(results)
    print(*(f"{words}: {number:.3g}" for words, number in totals), sep="\n")
    glance = [(Verdict(State.OFF, "failed"), f"{run}: {error}") for run, error in failed.items()]
    glance += [(Verdict(State.NONE, f"{number:.3g}"), words) for words, number in totals]
    parts = [piece for name, figures in results.items() for piece in section(SCENES[name], figures)]
    page = _study.page.text_of("Scree: Gauss-Seidel and Jacobi", glance, parts,
                               [f"{arguments.seeds} seeds of each scheme, one rank. {runner.version}."])  # fmt: skip
    rows = [(name, figure, scheme, seed, float(value)) for name, figures in results.items()
            for figure, values in figures.items() for scheme, values_of_scheme in values.items()
            for seed, value in enumerate(values_of_scheme, start=1)]  # fmt: skip
    _study.page.save(page, ("scene", "figure", "scheme", "seed", "value"), rows, [runner.version],
                     arguments.output / "schemes.html")  # fmt: skip
    return 1 if failed or dict(totals)[f"beyond {LIMIT:g} standard errors"] else 0
