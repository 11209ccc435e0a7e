"""The page of a calibration: best values, posterior, targets, advice."""

import numpy as np

import _study.page
import scree.figure
import scree.html
import scree.table
from _calibrate import search
from scree.figure import COLOURS
from scree.html import State, Verdict

# Ratio of the standard deviations of posterior and prior above which a parameter is undetermined, or weakly determined.
UNDETERMINED, WEAK = 0.75, 0.4
CORRELATED = 0.8  # rank correlation
AT_BOUND = 0.02  # distance of the best value from a bound, divided by the distance of the bounds
MISSED = 2.0  # deviation of a figure from its target, in standard deviations
OFF_THE_MEAN = 4.5  # log density at the best values less that at the mean; normal density: three deviations away
SETTLED = 0.5  # deviation of a former mean from the last, in standard deviations of the posterior
UNIFORM = 12.0**-0.5  # standard deviation of the prior, divided by the distance of the bounds


def means(posterior):
    """Mean and standard deviation of the parameters, {key: text}."""
    texts = {}
    for parameter, mean, deviation in zip(posterior.plan.parameters, posterior.mean, posterior.deviation):
        text = _study.page.text(parameter.low + mean * parameter.span, deviation * parameter.span)
        texts[parameter.key] = f"({text}) {parameter.unit}" if parameter.unit else text
    return texts


class Results:
    """Results of a calibration: its points and the posteriors after each batch."""

    def __init__(self, plan, points, history):
        self.plan, self.points, self.history, self.last = plan, points, history, history[-1]
        self.best = next((point for point in reversed(points) if point.kind == "best"), None)
        self.texts = self.best.texts if self.best else plan.texts(self.last.best)
        self.best_fractions = plan.fractions(self.texts)
        self.spread = self.last.deviation / UNIFORM

    @property
    def snippet(self):
        """The best values as sections of a scene, with the posterior as comments."""
        sections = {}
        for (name, posterior), text in zip(means(self.last).items(), self.texts):
            section, _, key = name.rpartition(".")
            sections.setdefault(section, []).append(f"{key} = {text}  # best value; posterior: {posterior}")
        return "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in sections.items())

    def at_best(self, k):
        """Mean and standard error of a target's figure at the best values: from runs, else from the surrogate."""
        name = self.plan.targets[k].name
        if self.best and (values := self.best.values.get(name)):
            return float(np.mean(values)), float(self.last.seed_errors[name] / np.sqrt(len(values)))
        mean, variance = self.last.surrogates[k].predict(self.best_fractions[None])
        return float(mean[0]), float(np.sqrt(variance[0]))

    def remarks(self):
        """Warnings and the advice, [(Verdict, text)]."""
        warnings = [*self._one_seed(), *self._off_the_mean(), *self._undetermined(), *self._correlated(), *self._at_bound()]
        return [*self._missed(),
                *((Verdict(State.LOOK, "warning"), text) for text in warnings), self._advice()]  # fmt: skip

    def _missed(self):
        for k, target in enumerate(self.plan.targets):
            mean, error = self.at_best(k)
            if abs(mean - target.value) > MISSED * np.hypot(target.tolerance, np.nan_to_num(error)):
                result = f"it is {_study.page.text(mean, error)} at the best values"
                if self.last.variance_shares[k] < search.GOOD_SHARE:
                    yield Verdict(State.OFF, "missed"), (
                        f"target {target.name}, {target.words}, is not met within the bounds: {result}. Another parameter, "
                        "wider bounds or another scene is needed.")  # fmt: skip
                else:
                    yield Verdict(State.LOOK, "not yet"), (
                        f"target {target.name}, {target.words}, is not met by these few runs: {result}. Make more runs first.")  # fmt: skip

    def _one_seed(self):
        if len(self.plan.seeds) == 1:
            yield ("one seed does not measure the noise of a run: it is estimated from the scatter about the surrogate, and "
                   "so are the errors. Repeat the command with two seeds or more.")  # fmt: skip

    def _off_the_mean(self):
        at_mean, at_best = self.last.log_posterior(np.stack([self.last.mean, self.last.best]))
        if at_best - at_mean > OFF_THE_MEAN:
            yield ("the mean of the posterior is no solution: the values that fit lie in several places or along a curve "
                   "(posterior.png). Use the best values; more runs or another target would leave one place.")  # fmt: skip

    def _undetermined(self):
        for parameter, spread in zip(self.plan.parameters, self.spread):
            if spread > UNDETERMINED:
                yield (f"{parameter.key} is not determined by the targets: its posterior is {spread:.0%} as wide as its "
                       "prior. Add a target that depends on it, or fix it in [set].")  # fmt: skip

    def _correlated(self):
        for i, parameter in enumerate(self.plan.parameters):
            for j, other in enumerate(self.plan.parameters[:i]):
                if abs(r := self.last.correlation[i, j]) > CORRELATED:
                    weak = [self.plan.parameters[k].key for k in (j, i) if self.spread[k] > WEAK]
                    finding = "but neither alone" if len(weak) == 2 else f"and {weak[0]} weakly at most" if weak else (
                        "and each only within its posterior: a larger value of one needs a "
                        f"{'smaller' if r < 0.0 else 'larger'} one of the other")  # fmt: skip
                    yield (f"{other.key} and {parameter.key} are correlated ({r:+.2f}): the targets determine a combination of "
                           f"both, {finding}. A target that depends on them in another way would help.")  # fmt: skip

    def _at_bound(self):
        for parameter, text, fraction in zip(self.plan.parameters, self.texts, self.best_fractions):
            if min(fraction, 1.0 - fraction) < AT_BOUND:
                bound = parameter.low if fraction < 0.5 else parameter.high
                yield f"the best {parameter.key}, {text}, lies at its bound {bound:g}: wider bounds may fit better."

    def _advice(self):
        last, needed = self.last, self.last.runs
        for posterior in reversed(self.history):
            if np.any(np.abs(posterior.mean - last.mean) > SETTLED * last.deviation):
                break
            needed = posterior.runs
        share, name = max(zip(last.variance_shares, (target.name for target in self.plan.targets)))
        text = f"{last.runs} runs; from run {needed} on, the means stayed within half a standard deviation of the last. "
        if last.is_good:
            return Verdict(State.HELD, "enough"), text + (
                f"More runs would not narrow the posterior: at most {share:.0%} of the variance of a target comes from "
                "the surrogate, the rest is the tolerance. Smaller tolerances or more targets would.")  # fmt: skip
        return Verdict(State.LOOK, "more runs"), text + (
            f"More runs would help: {share:.0%} of the variance of {name} comes from the surrogate. Raise 'runs' of "
            f"[study], or --runs, above {self.plan.budget} and repeat the command.")  # fmt: skip


def _determined(spread):
    if spread > UNDETERMINED:
        return Verdict(State.OFF, "no")
    return Verdict(State.LOOK, "weakly") if spread > WEAK else Verdict(State.HELD, "yes")


def _parameters_table(results):
    rows, mean = [], means(results.last)
    for parameter, text, spread in zip(results.plan.parameters, results.texts, results.spread):
        bounds = f"{parameter.low:g} to {parameter.high:g} {parameter.unit}"
        rows.append([parameter.key, text, mean[parameter.key], bounds, f"{spread:.0%}", _determined(spread)])
    header = ["parameter", "best value", "posterior", "bounds", "width over prior", "determined"]
    return scree.html.table(header, rows, "Posterior: mean ± standard deviation; the prior is uniform within the bounds")


def _targets_table(results):
    rows = []
    for k, target in enumerate(results.plan.targets):
        mean, error = results.at_best(k)
        noise = results.last.seed_errors[target.name]
        rows.append([target.name, target.words, _study.page.text(mean, error),
                     f"{(mean - target.value) / target.tolerance:+.1f}", "–" if np.isnan(noise) else f"{noise:.2g}",
                     f"{results.last.variance_shares[k]:.0%}"])  # fmt: skip
    header = ["target", "asked", "at the best values", "deviation / tolerance", "noise of a run", "surrogate's variance"]
    source = "of runs with all seeds" if results.best else "of the surrogate, because the best point was not run"
    return scree.html.table(header, rows, f"Figures at the best values are {source}")


def _label(parameter):
    return _study.page.short(parameter.key).replace("_", " ") + f" [{parameter.unit}]" * bool(parameter.unit)


def correlation_plot(results):
    """Marginal densities on the diagonal, samples and runs of pairs below it, rank correlations above."""
    parameters, posterior = results.plan.parameters, results.last
    count, is_complete = len(parameters), posterior.is_complete
    low, span = np.array([(parameter.low, parameter.span) for parameter in parameters]).T
    samples, runs, best = (low + u * span for u in (posterior.u, posterior.positions, results.best_fractions))
    figure, axes = scree.figure.panels(count**2, count, (max(1.9, scree.figure.PAGE / count), 1.9))
    for (i, j), ax in zip(np.ndindex(count, count), axes):
        bounds = (parameters[i].low, parameters[i].high)
        if j > i:
            ax.text(0.5, 0.5, f"r = {posterior.correlation[i, j]:+.2f}", ha="center", transform=ax.transAxes)
            ax.set_axis_off()
            continue
        ax.set(xlim=(parameters[j].low, parameters[j].high), xlabel=_label(parameters[j]) if i == count - 1 else "")
        if i == j:
            ax.hist(samples[:, i], 30, bounds, density=True, color=COLOURS[5])
            ax.axhline(1.0 / span[i], color="0.5", linestyle="--", linewidth=0.8)
            ax.axvline(best[i], color=COLOURS[1], linewidth=1.0)
            ax.set_yticks([])
            continue
        ax.plot(samples[:, j], samples[:, i], ".", markersize=1.5, alpha=0.4, color=COLOURS[5], rasterized=True)
        for shown, marker in ((is_complete, "o"), (~is_complete, "x")):
            ax.plot(runs[shown, j], runs[shown, i], marker, markersize=3.5, color="black", fillstyle="none")
        ax.plot(best[j], best[i], "*", markersize=9, color=COLOURS[1])
        ax.set(ylim=bounds, ylabel=_label(parameters[i]) if j == 0 else "")
    return figure


def history_plot(results):
    """Mean and standard deviation of the parameters over the number of runs."""
    figure, axes = scree.figure.panels(len(results.plan.parameters), 2)
    runs = [posterior.runs for posterior in results.history]
    mean, error = (np.array([getattr(posterior, name) for posterior in results.history]) for name in ("mean", "deviation"))
    for k, (parameter, ax) in enumerate(zip(results.plan.parameters, axes)):
        ax.errorbar(runs, parameter.low + mean[:, k] * parameter.span, error[:, k] * parameter.span, fmt="o-", markersize=3, linewidth=0.8)
        ax.set(xlabel="runs", ylabel=_label(parameter), ylim=(parameter.low, parameter.high))
    return figure


def page(results, notes):
    """The page as text.  notes: how the page was made"""
    failures = [f"{run}: {reason}" for point in results.points for run, reason in point.failures.items()]
    heading, picture = scree.html.heading, scree.html.picture
    parts = [heading("Best values"), f"<pre>{scree.html.escape(results.snippet)}</pre>", _parameters_table(results),
             heading("Targets"), _targets_table(results), heading("Posterior"),
             picture(correlation_plot(results), "Samples of the posterior, rank correlations r; circles: runs, crosses: "
                     "failed ones, star and line: best values, dashed: prior"),
             heading("Runs"),
             picture(history_plot(results), "Mean and standard deviation of the posterior over the runs")]  # fmt: skip
    if failures:
        title = f"{len(failures)} failed runs, whose neighbourhood was avoided"
        parts.append(scree.html.details(title, "\n".join(failures)))
    return _study.page.text_of(f"Calibration: {results.plan.name}", results.remarks(), parts, notes)


def write(results, output, notes):
    """Writes calibrate.html, calibrate.csv with the mean figures of every point, posterior.csv and posterior.png."""
    parameters, targets = results.plan.parameters, results.plan.targets
    rows = [[*point.texts, point.kind, *(np.mean(point.values.get(target.name) or [np.nan]) for target in targets)]
            for point in results.points]  # fmt: skip
    header = [*(parameter.key for parameter in parameters), "kind", *(target.name for target in targets)]
    _study.page.save(page(results, notes), header, rows, notes, output / "calibrate.html")
    columns = {f"{parameter.key} [{parameter.unit or 1}]": parameter.low + u * parameter.span for parameter, u in zip(parameters, results.last.u.T)}
    scree.table.write(output / "posterior.csv", notes, columns)
    scree.figure.save(correlation_plot(results), output / "posterior.png")
