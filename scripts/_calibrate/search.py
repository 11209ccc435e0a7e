"""Chooses the points that a calibration runs: first points spread over the bounds, then points whose runs narrow
the posterior most."""

import dataclasses

import numpy as np
import scipy.stats

from _calibrate import plan as plans
from _calibrate.surrogate import Surrogate, sample

SAMPLES = 2000  # number of samples of the posterior
CANDIDATES = 300  # number of these samples among which the next points are chosen
GOOD_SHARE = 0.1  # more runs hardly help if the surrogate adds a smaller share to the variance of every target
GOOD_TIMES = 2  # number of consecutive batches for which this must hold
NEIGHBOURHOOD = 0.1  # width of a point's neighbourhood / (distance of the bounds x root of the number of parameters)
TRUST = 0.1  # weight of the prior belief that a run succeeds, as a number of runs at the same point


class TooFewValues(Exception):
    """A target of the calibration has values at fewer than two points."""


@dataclasses.dataclass
class Point:
    """A combination of values, and the figures of its runs."""

    texts: tuple  # of the parameters
    kind: str  # "spread", "search" or "best"
    values: dict = dataclasses.field(default_factory=dict)  # target -> [a value per seed]
    failures: dict = dataclasses.field(default_factory=dict)  # run -> reason
    targets: int = 0  # number of targets that should have values

    @property
    def is_complete(self):
        return sum(map(bool, self.values.values())) == self.targets


class Posterior:
    """Belief about the parameters after the runs of points."""

    def __init__(self, plan, points):
        points = list({point.texts: point for point in points}.values())  # equal values share their runs
        self.plan, self.runs = plan, len(points) * plan.runs_per_point
        self.texts_of_points = {point.texts for point in points}
        positions = np.array([plan.fractions(point.texts) for point in points])
        self.positions, self.is_complete = positions, np.array([point.is_complete for point in points])
        self.surrogates, self.seed_errors = [], {}
        for target in plan.targets:
            known = [k for k, point in enumerate(points) if point.values.get(target.name)]
            if len(known) < 2:
                reasons = [reason for point in points for reason in point.failures.values()]
                raise TooFewValues(reasons[0] if reasons else f"{target.name} is not a number")
            values = [np.array(points[k].values[target.name]) for k in known]
            noise, self.seed_errors[target.name] = _noise_of(values)
            self.surrogates.append(Surrogate(positions[known], np.array([values_of_point.mean() for values_of_point in values]), noise))
        random = np.random.default_rng(len(points))
        self.u, self.log_density = sample(self.log_posterior, len(plan.parameters), SAMPLES, random)
        self.best = self.u[np.argmax(self.log_density)]
        self.mean, self.deviation = self.u.mean(axis=0), self.u.std(axis=0)
        self.correlation = np.atleast_2d(np.corrcoef(scipy.stats.rankdata(self.u, axis=0).T))
        variances = [surrogate.predict(self.u)[1] for surrogate in self.surrogates]
        self.variance_shares = [float(np.mean(v / (v + target.tolerance**2))) for v, target in zip(variances, plan.targets)]

    def log_posterior(self, u):
        """Log of likelihood times probability of success at points u, [M, D]. The likelihood's variance includes that
        of the surrogates."""
        total = np.log(self.success(u))
        for target, surrogate in zip(self.plan.targets, self.surrogates):
            mean, variance = surrogate.predict(u)
            variance = variance + target.tolerance**2
            total -= 0.5 * ((mean - target.value) ** 2 / variance + np.log(variance))
        return total

    def success(self, u):
        """Estimated probability that a run at u yields all figures: the fraction of neighbouring points that did."""
        size = NEIGHBOURHOOD * np.sqrt(u.shape[1])
        weight = np.exp(-0.5 * np.sum((u[:, None] - self.positions[None]) ** 2, axis=2) / size**2)
        return (TRUST + weight @ self.is_complete) / (TRUST + weight.sum(axis=1))

    def next_points(self, count):
        """Samples, chosen one by one so that their runs reduce the mean variance of the figures most: [count, D]."""
        random = np.random.default_rng(len(self.positions))
        u = random.permutation(self.u)[:CANDIDATES]
        u = u[[self.plan.texts(point) not in self.texts_of_points for point in u]]
        count = min(count, len(u))
        covariances = [surrogate.covariance(u) / target.tolerance**2
                       for surrogate, target in zip(self.surrogates, self.plan.targets)]  # fmt: skip
        noises = [max(surrogate.noise_variance / target.tolerance**2, 1e-9)
                  for surrogate, target in zip(self.surrogates, self.plan.targets)]  # fmt: skip
        weight, chosen = self.success(u), []
        for _ in range(count):
            gain = sum(np.sum(c**2, axis=0) / (np.diag(c) + noise) for c, noise in zip(covariances, noises))
            k = int(np.argmax(weight * gain))
            chosen.append(u[k])
            covariances = [c - np.outer(c[:, k], c[k]) / (c[k, k] + noise) for c, noise in zip(covariances, noises)]
        return np.array(chosen)

    @property
    def is_good(self):
        return max(self.variance_shares) < GOOD_SHARE


def _noise_of(values):
    """(variance of the mean of each point, standard deviation of a run); (None, NaN) if there are too few seeds."""
    freedom = sum(len(values_of_point) - 1 for values_of_point in values)
    if freedom < 3:
        return None, np.nan
    variance = sum((len(values_of_point) - 1) * values_of_point.var(ddof=1) for values_of_point in values if len(values_of_point) > 1) / freedom
    return variance / np.array([len(values_of_point) for values_of_point in values]), float(np.sqrt(variance))


def search(plan, evaluate, recorded=(), record=lambda batches: None, batch_size=1, report=lambda posterior: None):
    """Runs a calibration: (points, [Posterior after each batch]).

    evaluate: [Point] -> None, fills in the figures;  recorded: batches of an earlier call, [[(kind, texts)]], which run first
    record: called with all batches before each batch is run;  batch_size: number of points of a batch
    """
    points, history, batches = [], [], []
    recorded = list(recorded)
    while True:
        new_points = recorded.pop(0) if recorded else _next_batch(plan, points, history, batch_size)
        if not new_points:
            return points, history
        batches.append(new_points)
        record([*batches, *recorded])
        new = [Point(tuple(texts), kind, targets=len(plan.targets)) for kind, texts in new_points]
        evaluate(new)
        points += new
        history.append(Posterior(plan, points))
        report(history[-1])


def _next_batch(plan, points, history, batch_size):
    """Points to run next, [(kind, texts)]; none at the end, after the best one was run."""
    if not points:
        u = scipy.stats.qmc.Halton(len(plan.parameters), seed=1).random(plans.first_points(plan))
        return [("spread", plan.texts(point)) for point in u]
    remaining = plan.budget // plan.runs_per_point - len(points)
    is_good = all(posterior.is_good for posterior in history[-GOOD_TIMES:]) and len(history) > GOOD_TIMES
    if remaining > 1 and not is_good:
        if len(u := history[-1].next_points(min(batch_size, remaining - 1))):  # none if all values of the posterior were run
            return [("search", plan.texts(point)) for point in u]
    return [] if points[-1].kind == "best" or remaining < 1 else [("best", plan.texts(history[-1].best))]
