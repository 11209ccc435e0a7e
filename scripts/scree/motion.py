"""Relative motion of particles: mean square displacement, non-affine motion, distribution of velocities.

The mean square displacement over a time tau is a mean over particles and, for equally spaced frames, over all times t.
For other frames t is the first time. The mean displacement of all particles is subtracted:

    MSD(tau) = <|x(t + tau) - x(t)|^2>,   6 D tau for diffusion with the coefficient D

D^2_min is the part of the motion of the n neighbours of a particle, between two frames, that no affine map J explains
(M. L. Falk, J. S. Langer, Phys. Rev. E 57, 7192 (1998)), here divided by n:

    D^2_min = min_J sum_j |r_j' - J r_j|^2/n,   r_j = x_j - x_i before, r_j' after

The non-affine displacement of a particle between two frames is x' - x - (A x + b), with A and b by least squares over
all particles.

The Sonine coefficient a_2 measures how far velocities c about their mean deviate from a Gaussian, which has a_2 = 0. It
grows with the weight of the tails (T. P. C. van Noije, M. H. Ernst, Granular Matter 1, 57 (1998)):

    a_2 = 3/5 <c^4>/<c^2>^2 - 1
"""

from __future__ import annotations

import dataclasses

import numpy as np

import scree.colour
import scree.figure
import scree.means
import scree.picture
import scree.snapshot
import scree.table
import scree.view
from scree.errors import UsageError

REACH = 1.5  # largest distance of neighbours for D^2_min [mean diameters]
MIN_NEIGHBOURS = 4  # smallest number of neighbours; an affine map fits any motion of three
VELOCITY_EDGES = np.linspace(-5.0, 5.0, 41)  # edges of the bins of a velocity component [standard deviations]
FIELDS = ("position", "velocity", "radius")


@dataclasses.dataclass
class Displacements:
    """Mean square displacements at K time lags, over the particles that are in all frames."""

    lags: np.ndarray  # tau, [K] [s]
    squares: np.ndarray  # along x, y, z, [K, 3] [m^2]
    error: np.ndarray  # standard error of the sum of `squares`, from the scatter of the particles, [K] [m^2]
    particles: int
    times: tuple  # of the frames [s]

    @property
    def total(self):
        """Mean square displacement, [K] [m^2]."""
        return self.squares.sum(axis=1)


def unfolded(frames):
    """`scree.snapshot.unwrapped` of two or more Snapshots that have a particle in common; raises UsageError."""
    ids, positions, times = scree.snapshot.unwrapped(frames)
    if len(times) < 2:
        raise UsageError(f"there are {len(times)} snapshots; a displacement needs two")
    if not len(ids):
        raise UsageError("no particle is in all of the snapshots")
    return ids, positions, times


def mean_square_displacement(places, times):
    """The Displacements of positions [F, N, 3] at times [F].

    If times are not equally spaced, lags begin at the first frame only.
    """
    frames = len(times)
    steps = np.diff(times)
    is_even = np.allclose(steps, steps[0], rtol=1e-3)
    squares, errors = [], []
    for lag in range(1, frames):
        displacement = places[lag:] - places[:-lag] if is_even else places[lag : lag + 1] - places[:1]
        displacement = displacement - displacement.mean(axis=1, keepdims=True)
        square = (displacement**2).mean(axis=0)  # per particle, [N, 3]
        squares.append(square.mean(axis=0))
        errors.append(square.sum(axis=1).std(ddof=1) / np.sqrt(len(square)) if len(square) > 1 else np.nan)
    return Displacements(times[1:] - times[0], np.array(squares), np.array(errors), places.shape[1], tuple(times))


def non_affine(first, last, reach=REACH):
    """D^2_min of particles from a Snapshot to a later one, divided by the squared mean diameter, [N].

    NaN for particles that are not in both Snapshots, or have fewer than MIN_NEIGHBOURS neighbours.
    reach: largest distance of neighbours [mean diameters]
    """
    diameter = 2.0 * float(first["radius"].mean())
    rows = last.rows_of(first["id"])
    result = np.full(len(first), np.nan)
    present_rows = np.flatnonzero(rows >= 0)
    positions = first["position"][present_rows]
    a, b = first.pairs(positions, reach * diameter)
    a, b = np.concatenate([a, b]), np.concatenate([b, a])
    before = first.nearest(positions[b] - positions[a])
    after = last["position"][rows[present_rows]]
    after = last.nearest(after[b] - after[a])
    number = len(present_rows)
    count = np.bincount(a, minlength=number)

    if not len(a):
        return result

    def sums(values):
        columns = values.reshape(len(values), -1)
        return np.stack([np.bincount(a, column, number) for column in columns.T], axis=1).reshape(number, *values.shape[1:])

    to_after, to_before = sums(after[:, :, None] * before[:, None]), sums(before[:, :, None] * before[:, None])
    has_enough = count >= MIN_NEIGHBOURS
    affine = np.zeros((number, 3, 3))
    affine[has_enough] = to_after[has_enough] @ np.linalg.pinv(to_before[has_enough], hermitian=True)
    residual = after - np.einsum("nij,nj->ni", affine[a], before)
    with np.errstate(invalid="ignore", divide="ignore"):
        result[present_rows] = np.where(has_enough, sums(np.einsum("ni,ni->n", residual, residual)) / count, np.nan) / diameter**2
    return result


def displacements(first, ids, positions):
    """Displacements of the particles of a Snapshot along their paths, [N, 3] [m]; NaN for particles without a path.

    ids, positions: as from `unfolded`, the first frame of which is the Snapshot
    """
    rows = np.searchsorted(ids, first["id"]).clip(max=len(ids) - 1)
    return np.where((ids[rows] == first["id"])[:, None], (positions[-1] - positions[0])[rows], np.nan)


def displacements_by_nearest_image(first, last):
    """Displacements of the particles of a Snapshot to a later one, [N, 3] [m]; NaN for particles that are not in both.

    A particle must move less than half a period.
    """
    rows = last.rows_of(first["id"])
    moved = last.nearest(last["position"][rows] - first["position"]) if len(last) else np.zeros((len(first), 3))
    return np.where((rows >= 0)[:, None], moved, np.nan)


def non_affine_displacement(first, displacement):
    """Non-affine part of the displacements of the particles of a Snapshot, [N, 3] [m], and A [3, 3].

    NaN for particles with an unknown displacement (NaN). If all particles are in a plane, A has no gradient along its
    normal.
    """
    present_rows = np.flatnonzero(np.isfinite(displacement).all(axis=1))
    result = np.full((len(first), 3), np.nan)
    if not len(present_rows):
        return result, np.full((3, 3), np.nan)
    before, displacement = first["position"][present_rows], displacement[present_rows]
    arms = before - before.mean(axis=0)
    gradient = np.linalg.pinv(arms) @ (displacement - displacement.mean(axis=0))
    result[present_rows] = displacement - displacement.mean(axis=0) - arms @ gradient
    return result, gradient.T


def sonine(velocities):
    """a_2 of velocities [N, 3] about their mean."""
    squares = ((velocities - velocities.mean(axis=0)) ** 2).sum(axis=1)
    return float(0.6 * np.mean(squares**2) / np.mean(squares) ** 2 - 1.0)


def velocity_density(velocities):
    """Density in the bins VELOCITY_EDGES, [40], of velocity components minus their mean, divided by their standard
    deviation.

    velocities: [N, 3]
    """
    deviations = velocities - velocities.mean(axis=0)
    scaled = deviations / np.sqrt(np.mean(deviations**2))
    return np.histogram(scaled, VELOCITY_EDGES)[0] / (scaled.size * np.diff(VELOCITY_EDGES))


@dataclasses.dataclass
class Velocities:
    """Statistics of velocities, means over frames; errors are NaN for one frame."""

    density: np.ndarray  # in the bins VELOCITY_EDGES, [40]
    error: np.ndarray
    sonine: float
    sonine_error: float
    times: tuple  # [s]


def velocities(frames):
    """The Velocities of the Snapshots with moving particles; raises UsageError if there are none."""
    moving = [frame for frame in frames if len(frame) > 1 and np.ptp(frame["velocity"], axis=0).any()]
    if not moving:
        raise UsageError("nothing moves in the snapshots")
    counts = [len(frame) for frame in moving]
    density, error = scree.means.frame_mean([velocity_density(frame["velocity"]) for frame in moving], counts)
    mean, sonine_error = scree.means.frame_mean([sonine(frame["velocity"]) for frame in moving], counts)
    return Velocities(density, error, float(mean), float(sonine_error), tuple(frame.time for frame in moving))


def write_tables(prefix, msd, velocities, frames, non_affine_displacements, d2min):
    """Writes PREFIX_msd.csv, PREFIX_velocity.csv and PREFIX_d2min.csv and returns their paths.

    frames: the first and the last;  non_affine_displacements, d2min: between these
    """
    note = f"{msd.particles} particles, {scree.means.over(msd.times)}; SI units"
    columns = {"lag_time": msd.lags, "msd": msd.total, "error": msd.error}
    columns |= {f"msd_{axis}": msd.squares[:, k] for k, axis in enumerate("xyz")}
    scree.table.write(f"{prefix}_msd.csv", ["mean square displacement relative to the mean of all particles", note], columns)
    notes = [f"components of velocities about their mean, {scree.means.over(velocities.times)}; Sonine a_2 = {velocities.sonine:.6g}, "
             f"standard error {velocities.sonine_error:.3g}"]  # fmt: skip
    middles = 0.5 * (VELOCITY_EDGES[1:] + VELOCITY_EDGES[:-1])
    scree.table.write(f"{prefix}_velocity.csv", notes, {"c_over_sigma": middles, "density": velocities.density, "error": velocities.error})
    first, last = frames
    notes = [f"D^2_min from {first.time:g} to {last.time:g} s, divided by the square of the mean diameter; neighbours "
             f"within {REACH:g} diameters"]  # fmt: skip
    notes.append("x, y, z: displacement [m] minus that of the affine map of all particles")
    columns = {"id": first["id"], "d2min": d2min} | {axis: non_affine_displacements[:, k] for k, axis in enumerate("xyz")}
    scree.table.write(f"{prefix}_d2min.csv", notes, columns)
    return [f"{prefix}_{name}.csv" for name in ("msd", "velocity", "d2min")]


def draw_displacements(axes, msd):
    axes.errorbar(msd.lags, msd.total, np.nan_to_num(msd.error), fmt="o-", markersize=2.5, linewidth=1.0, label="all")
    for k, axis in enumerate("xyz"):
        axes.plot(msd.lags, msd.squares[:, k], linewidth=0.9, label=f"${axis}$")
    scree.figure.logarithmic(axes, "xy")
    axes.set(xlabel="time $τ$ [s]", ylabel="mean square\ndisplacement [m²]")
    if len(msd.lags) > 1 and msd.total[0] > 0.0:
        ends = msd.lags[[0, -1]]
        for power, style, label in ((1, ":", "$τ$"), (2, "--", "$τ^2$")):
            axes.plot(ends, msd.total[0] * (ends / ends[0]) ** power, style, color="0.5", linewidth=0.9, label=label)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.5)  # space for the legend
    axes.legend(fontsize=scree.figure.SMALL, ncols=3, handlelength=0.8, columnspacing=0.8, handletextpad=0.4, loc="upper center")


def draw_velocities(axes, velocities):
    middles = 0.5 * (VELOCITY_EDGES[1:] + VELOCITY_EDGES[:-1])
    density = np.where(velocities.density > 0.0, velocities.density, np.nan)
    axes.errorbar(middles, density, np.nan_to_num(velocities.error), fmt="o", markersize=2.5, elinewidth=0.8)
    axes.plot(middles, np.exp(-0.5 * middles**2) / np.sqrt(2.0 * np.pi), color="0.5", linewidth=1.0, label="Gaussian")
    axes.set(yscale="log", xlabel="velocity component $c/σ$", ylabel="probability density")
    axes.set_xlim(VELOCITY_EDGES[[0, -1]])
    axes.set_ylim(0.5 * np.nanmin(density), 2.0)
    text = scree.means.with_error(velocities.sonine, velocities.sonine_error) if velocities.sonine_error > 0.0 else f"{velocities.sonine:.2g}"
    axes.set_title(f"$a_2$ = {text}", fontsize="medium")
    axes.legend(fontsize=scree.figure.SMALL, loc="lower center", handlelength=0.8, frameon=False)


def figure_of(msd, velocities):
    figure, panels = scree.figure.panels(2, 2)
    draw_displacements(panels[0], msd)
    draw_velocities(panels[1], velocities)
    return figure


def write_picture(path, first, last, values):
    """Draws the particles of the first Snapshot, coloured by D^2_min from it to the last.

    Omits particles without a value.
    """
    known_rows = np.flatnonzero(np.isfinite(values))
    shown_particles = dataclasses.replace(first, fields={name: field_values[known_rows] for name, field_values in first.fields.items()})
    label = rf"$D^2_\mathrm{{min}}/d^2$ until {last.time:g} s"
    colouring = scree.colour.Colouring("d2min", label, lambda _: values[known_rows])
    view = scree.view.main(first)
    scree.picture.render(shown_particles, path, [view], scree.colour.scale(colouring, [shown_particles]))
