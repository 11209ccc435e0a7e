"""A Gaussian process through figures of runs, and samples of a density by sequential Monte Carlo.

C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press (2006), chapters 2 and 5.
P. Del Moral, A. Doucet, A. Jasra, Sequential Monte Carlo samplers, J. R. Stat. Soc. B 68 (2006).
"""

import numpy as np
import scipy.linalg
import scipy.optimize

TREND = 4.0  # prior variance of level and slopes, divided by the variance of the values
SMALLEST_NOISE = 1e-6  # smallest variance of the noise, divided by that of the values; needed if runs have no noise
STARTS = (0.3, 1.0)  # length scales from which the fit starts


class Surrogate:
    """Gaussian process with a linear trend and Matern's 5/2 kernel, fitted to values at points of the unit cube.

    u: [N, D];  values: [N];  noise: variance of each value, [N], or None to fit one variance for all
    """

    def __init__(self, u, values, noise=None):
        self.u = u
        self.level, self.scale = values.mean(), values.std() or 1.0
        self.y = (values - self.level) / self.scale
        self.fixed_noise = None if noise is None else np.maximum(noise / self.scale**2, SMALLEST_NOISE)
        # fitted: log of length scales, of the amplitude and, if `noise` is None, of the standard deviation of the noise
        size = u.shape[1] + 1 + (noise is None)
        fits = []
        for start in STARTS:
            first = np.log([start] * u.shape[1] + [1.0] + [0.1] * (noise is None))
            fits.append(scipy.optimize.minimize(self._cost, first, method="L-BFGS-B", bounds=[(-4.0, 2.5)] * size))
        self._factorise(min(fits, key=lambda fit: fit.fun).x)

    def _kernel(self, a, b):
        distance = np.sqrt(5.0 * np.sum(((a[:, None] - b[None]) / self.lengths) ** 2, axis=2))
        matern = (1.0 + distance + distance**2 / 3.0) * np.exp(-distance)
        return self.amplitude**2 * matern + TREND * (1.0 + (a - 0.5) @ (b - 0.5).T)

    def _factorise(self, logs):
        dimension = self.u.shape[1]
        self.lengths, self.amplitude = np.exp(logs[:dimension]), np.exp(logs[dimension])
        self.noise = self.fixed_noise
        if self.noise is None:
            self.noise = np.full(len(self.y), np.exp(2.0 * logs[-1]) + SMALLEST_NOISE)
        self.factor = scipy.linalg.cholesky(self._kernel(self.u, self.u) + np.diag(self.noise), lower=True)
        self.weights = scipy.linalg.cho_solve((self.factor, True), self.y)

    def _cost(self, logs):
        """Minus the log of likelihood times prior, up to a constant. Weak prior: lengths and amplitude about 1."""
        self._factorise(logs)
        prior = 0.5 * np.sum(logs[: self.u.shape[1] + 1] ** 2)
        return 0.5 * self.y @ self.weights + np.sum(np.log(np.diag(self.factor))) + prior

    def predict(self, u):
        """Mean and variance of the figure's expectation at points u: [M] each."""
        across = self._kernel(self.u, u)
        prior_variance = self.amplitude**2 + TREND * (1.0 + np.sum((u - 0.5) ** 2, axis=1))
        variance = prior_variance - np.sum(scipy.linalg.solve_triangular(self.factor, across, lower=True) ** 2, axis=0)
        return self.level + self.scale * (across.T @ self.weights), self.scale**2 * np.maximum(variance, 0.0)

    def covariance(self, u):
        """Covariance of the figure's expectation between points u: [M, M]."""
        across = scipy.linalg.solve_triangular(self.factor, self._kernel(self.u, u), lower=True)
        return self.scale**2 * (self._kernel(u, u) - across.T @ across)

    @property
    def noise_variance(self):
        """Variance of the noise of a value, as a mean over the points."""
        return self.scale**2 * float(self.noise.mean())


def sample(log_density, dimension, count, random, moves=8):
    """Samples of a density in the unit cube, [count, dimension], and the log of the density at them, [count].

    The samples follow a power of the density. The power grows from 0, at which samples are uniform, to 1. At each power
    the samples are drawn again by weight and moved by Metropolis steps.
    """
    u = random.random((count, dimension))
    value, power = log_density(u), 0.0
    while power < 1.0:
        step = _next_step(value, 1.0 - power)
        power += step
        weights = np.exp(step * (value - value.max()))
        chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(count) + random.random()) / count)
        chosen = np.minimum(chosen, count - 1)  # the last sum may be rounded to less than 1
        u, value = u[chosen], value[chosen]
        covariance = np.cov(u.T).reshape(dimension, dimension) + 1e-10 * np.eye(dimension)
        spread = scipy.linalg.cholesky(covariance, lower=True)
        for move in range(moves):
            length = 2.4 / np.sqrt(dimension) * 0.5 ** (move % 3)
            moved = u + length * random.standard_normal(u.shape) @ spread.T
            is_inside = np.all((moved >= 0.0) & (moved <= 1.0), axis=1)
            density = np.where(is_inside, log_density(np.clip(moved, 0.0, 1.0)), -np.inf)
            is_accepted = np.log(random.random(count)) < power * (density - value)
            u, value = np.where(is_accepted[:, None], moved, u), np.where(is_accepted, density, value)
    return u, value


def _next_step(value, max_step):
    """The growth of the power, up to `max_step`, that leaves half of the samples effective."""

    def effective_fraction(step):
        weights = np.exp(step * (value - value.max()))
        return weights.sum() ** 2 / np.sum(weights**2) / len(value)

    return max_step if effective_fraction(max_step) > 0.5 else scipy.optimize.brentq(lambda step: effective_fraction(step) - 0.5, 0.0, max_step)
