"""The page of a calibration: best values, posterior, targets, advice."""

import numpy as np

import _study.page
import scree.figure
import scree.html
import scree.table
from scree.html import State, Verdict

UNDETERMINED, WEAK = 0.75, 0.4  # standard deviation of the posterior over that of the prior, from which on
CORRELATED = 0.8  # rank correlation
AT_BOUND = 0.02  # distance of the best value from a bound, over the distance of the bounds
MISSED = 2.0  # deviation of a figure from its target, in standard deviations
SETTLED = 0.5  # deviation of a former mean from the last, in standard deviations of the posterior
UNIFORM = 12.0**-0.5  # standard deviation of the prior, over the distance of the bounds


def means(posterior):
    """Mean and standard deviation of the parameters, {key: text}."""
    return {one.key: _with_unit(_study.page.text(one.low + mean * (one.high - one.low), deviation * (one.high - one.low)), one.unit)
            for one, mean, deviation in zip(posterior.plan.parameters, posterior.mean, posterior.deviation)}  # fmt: skip


def _with_unit(text, unit):
    return f"({text}) {unit}" if unit and "±" in text else f"{text} {unit}".strip()


class Results:
    """What came of a calibration: its points and the posteriors after each batch."""

    def __init__(self, plan, points, history):
        self.plan, self.points, self.history, self.last = plan, points, history, history[-1]
        ran = [point for point in points if point.kind == "best"]
        self.best = ran[-1] if ran else None
        self.texts = ran[-1].texts if ran else tuple(one.text(u) for one, u in zip(plan.parameters, self.last.best))
        self.spread = self.last.deviation / UNIFORM

    @property
    def snippet(self):
        """The best values as sections of a scene."""
        sections = {}
        for parameter, text in zip(self.plan.parameters, self.texts):
            section, _, key = parameter.key.rpartition(".")
            sections.setdefault(section, []).append(f"{key} = {text}")
        return "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in sections.items())

    def at_best(self, k):
        """Mean and standard error of a target's figure at the best values: of its runs, else of the surrogate."""
        name = self.plan.targets[k].name
        values = self.best.values.get(name) if self.best else None
        if values:
            error = np.nan if np.isnan(self.last.seed_errors[name]) else self.last.seed_errors[name] / np.sqrt(len(values))
            return float(np.mean(values)), float(error)
        u = np.array([[one.share(text) for one, text in zip(self.plan.parameters, self.texts)]])
        mean, variance = self.last.surrogates[k].predict(u)
        return float(mean[0]), float(np.sqrt(variance[0]))

    def remarks(self):
        """Warnings and the advice, [(Verdict, text)]."""
        found = [(Verdict(State.OFF, "missed"), text) for text in self._missed()]
        found += [(Verdict(State.LOOK, "warning"), text) for text in (*self._undetermined(), *self._correlated(), *self._at_bound())]
        return [*found, self._advice()]

    def _missed(self):
        for k, target in enumerate(self.plan.targets):
            mean, error = self.at_best(k)
            if abs(mean - target.value) > MISSED * np.hypot(target.tolerance, 0.0 if np.isnan(error) else error):
                yield (f"target {target.name}, {target.words}, is not met within the bounds: {_study.page.text(mean, error)} at the "
                       "best values. Another parameter, wider bounds or another scene is needed.")  # fmt: skip

    def _undetermined(self):
        for parameter, spread in zip(self.plan.parameters, self.spread):
            if spread > UNDETERMINED:
                yield (f"{parameter.key} is not determined by the targets: its posterior is {spread:.0%} as wide as its prior. "
                       "Add a target that depends on it, or set it.")  # fmt: skip

    def _correlated(self):
        for i, one in enumerate(self.plan.parameters):
            for j, other in enumerate(self.plan.parameters[:i]):
                if abs(r := self.last.correlation[i, j]) > CORRELATED:
                    yield (f"{other.key} and {one.key} are correlated ({r:+.2f}): the targets determine a combination of both, "
                           "and not each. Add a target that depends on them in another way.")  # fmt: skip

    def _at_bound(self):
        for parameter, text in zip(self.plan.parameters, self.texts):
            for bound, near in ((parameter.low, parameter.share(text)), (parameter.high, 1.0 - parameter.share(text))):
                if near < AT_BOUND:
                    yield f"the best {parameter.key}, {text}, lies at its bound {bound:g}: wider bounds may fit better."

    def _advice(self):
        last, shares = self.last, dict(zip((target.name for target in self.plan.targets), self.last.shares))
        needed = last.runs
        for posterior in reversed(self.history):
            if np.any(np.abs(posterior.mean - last.mean) > SETTLED * last.deviation):
                break
            needed = posterior.runs
        text = f"{last.runs} runs; from run {needed} on, the means stayed within half a standard deviation of the last. "
        worst = max(shares, key=shares.get)
        if last.is_good:
            return Verdict(State.HELD, "enough"), text + (
                f"More runs would not narrow the posterior: at most {shares[worst]:.0%} of the variance of a target comes from the "
                "surrogate, the rest is the tolerance. Smaller tolerances or more targets would.")  # fmt: skip
        return Verdict(State.LOOK, "more runs"), text + (
            f"More runs would help: {shares[worst]:.0%} of the variance of {worst} comes from the surrogate. Raise 'runs' of [study] "
            f"above {self.plan.budget} and repeat the command.")  # fmt: skip


def _parameters_table(results):
    rows = []
    for k, (one, text) in enumerate(zip(results.plan.parameters, results.texts)):
        spread = results.spread[k]
        state = (State.OFF, "no") if spread > UNDETERMINED else (State.LOOK, "weakly") if spread > WEAK else (State.HELD, "yes")
        rows.append([one.key, text, means(results.last)[one.key], f"{one.low:g} to {one.high:g} {one.unit}", f"{spread:.0%}",
                     Verdict(*state)])  # fmt: skip
    header = ["parameter", "best value", "posterior", "bounds", "width over prior", "determined"]
    return scree.html.table(header, rows, "Posterior: mean ± standard deviation; the prior is uniform between the bounds")


def _targets_table(results):
    rows = []
    for k, target in enumerate(results.plan.targets):
        mean, error = results.at_best(k)
        noise = results.last.seed_errors[target.name]
        rows.append([target.name, target.words, _study.page.text(mean, error), f"{(mean - target.value) / target.tolerance:+.1f}",
                     "–" if np.isnan(noise) else f"{noise:.2g}", f"{results.last.shares[k]:.0%}"])  # fmt: skip
    header = ["target", "asked", "at the best values", "deviation / tolerance", "noise of a run", "variance of the surrogate"]
    source = "of runs with all seeds" if results.best else "of the surrogate, as the best point was not run"
    return scree.html.table(header, rows, f"Figures at the best values are {source}")


def correlation_plot(results):
    """Marginal densities on the diagonal, samples and runs of pairs below it, rank correlations above."""
    parameters, posterior = results.plan.parameters, results.last
    count = len(parameters)
    low, span = np.array([(one.low, one.high - one.low) for one in parameters]).T
    samples, runs = low + posterior.u * span, low + posterior.place * span
    best = np.array([float(text.split()[0]) for text in results.texts])
    drawn, axes = scree.figure.panels(count**2, count, (max(1.9, scree.figure.PAGE / count), 1.9))
    for (i, j), ax in zip(np.ndindex(count, count), axes):
        names = [f"{_study.page.short(one.key).replace('_', ' ')}" + f" [{one.unit}]" * bool(one.unit) for one in parameters]
        if j > i:
            ax.text(0.5, 0.5, f"r = {posterior.correlation[i, j]:+.2f}", ha="center", transform=ax.transAxes)
            ax.set_axis_off()
            continue
        ax.set(xlim=(parameters[j].low, parameters[j].high), xlabel=names[j] if i == count - 1 else "")
        if i == j:
            ax.hist(samples[:, i], 30, (parameters[i].low, parameters[i].high), density=True, color=scree.figure.COLOURS[5])
            ax.axhline(1.0 / span[i], color="0.5", linestyle="--", linewidth=0.8)
            ax.axvline(best[i], color=scree.figure.COLOURS[1], linewidth=1.0)
            ax.set_yticks([])
            continue
        ax.plot(samples[:, j], samples[:, i], ".", markersize=1.5, alpha=0.4, color=scree.figure.COLOURS[5], rasterized=True)
        for chosen, marker in ((posterior.is_whole, "o"), (~posterior.is_whole, "x")):
            ax.plot(runs[chosen, j], runs[chosen, i], marker, markersize=3.5, color="black", fillstyle="none")
        ax.plot(best[j], best[i], "*", markersize=9, color=scree.figure.COLOURS[1])
        ax.set(ylim=(parameters[i].low, parameters[i].high), ylabel=names[i] if j == 0 else "")
    return drawn


def history_plot(results):
    """Mean and standard deviation of the parameters over the number of runs."""
    drawn, axes = scree.figure.panels(len(results.plan.parameters), 2)
    runs = [posterior.runs for posterior in results.history]
    for k, (one, ax) in enumerate(zip(results.plan.parameters, axes)):
        mean, error = (np.array([getattr(posterior, name)[k] for posterior in results.history]) for name in ("mean", "deviation"))
        span = one.high - one.low
        ax.errorbar(runs, one.low + mean * span, error * span, fmt="o-", markersize=3, linewidth=0.8, capsize=2)
        unit = f" [{one.unit}]" * bool(one.unit)
        ax.set(xlabel="runs", ylabel=_study.page.short(one.key).replace("_", " ") + unit, ylim=(one.low, one.high))
    return drawn


def page(results, notes):
    """The page, as text; notes: how it was made."""
    failures = {run: reason for point in results.points for run, reason in point.failures.items()}
    parts = [scree.html.heading("Best values"), f"<pre>{scree.html.escape(results.snippet)}</pre>", _parameters_table(results),
             scree.html.heading("Targets"), _targets_table(results), scree.html.heading("Posterior"),
             scree.html.picture(correlation_plot(results), "Samples of the posterior, rank correlations r; circles: runs, crosses: "
                                "failed ones, star and line: best values, dashed: prior"),
             scree.html.heading("Runs"),
             scree.html.picture(history_plot(results), "Mean and standard deviation of the posterior over the runs")]  # fmt: skip
    if failures:
        parts.append(scree.html.details(f"{len(failures)} failed runs, whose neighbourhood was avoided",
                                        "\n".join(f"{run}: {reason}" for run, reason in failures.items())))  # fmt: skip
    return _study.page.text_of(f"Calibration: {results.plan.name}", results.remarks(), parts, notes)


def write(results, output, notes):
    """calibrate.html, calibrate.csv with the mean figures of every point, posterior.csv with samples of the parameters."""
    plan = results.plan
    keys = [parameter.key for parameter in plan.parameters]
    rows = [[*point.texts, point.kind, *(np.mean(point.values.get(target.name) or [np.nan]) for target in plan.targets)]
            for point in results.points]  # fmt: skip
    _study.page.save(page(results, notes), [*keys, "kind", *(target.name for target in plan.targets)], rows, notes,
                     output / "calibrate.html")  # fmt: skip
    samples = results.last.u * [one.high - one.low for one in plan.parameters] + [one.low for one in plan.parameters]
    units = [f"{one.key} [{one.unit or 1}]" for one in plan.parameters]
    scree.table.write(output / "posterior.csv", notes, dict(zip(units, samples.T)))
    scree.figure.save(correlation_plot(results), output / "posterior.png")
