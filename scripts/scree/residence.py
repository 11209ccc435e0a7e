"""Residence times: how long particles stay in a region, or between inflow and outflow.

W(t) is the fraction of particles that are still inside a time t after their entry. E = -dW/dt is the density of
residence times (P. V. Danckwerts, Chem. Eng. Sci. 2, 1 (1953)). Plug flow has W = 1 until the mean tau and 0
afterwards. A perfectly mixed volume V with the flow Q has W = exp(-t/tau), tau = V/Q. Particles that are inside at the
end count until then, by the estimator of E. L. Kaplan, P. Meier, J. Am. Stat. Assoc. 53, 457 (1958). Without them a
short run would favour short times. The standard error is by Greenwood's formula. Particles that are inside in the first
frame do not count, because their entry is not known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import numpy as np

import scree.figure
import scree.means
import scree.region
import scree.table
from scree.errors import UsageError
from scree.snapshot import Snapshot

BINS = 20  # number of bins of the density
ROUNDING = 1e-9  # durations are rounded to this fraction of the time from the first to the last frame


@dataclasses.dataclass
class Residence:
    """Residence times of S stays. A particle that returns begins another stay."""

    times: np.ndarray  # residence times of particles that left, ascending, [K] [s]
    there: np.ndarray  # W just after these times, [K]
    error: np.ndarray  # standard error of W, [K]
    mean: float  # integral of W until the last of these times [s]; a lower bound if W does not reach 0
    variance: float  # of the residence times [s^2]; a lower bound in the same case
    stays: int  # S
    left: int  # number of stays that ended
    frames: tuple  # times of the frames [s]


def stays(
    frames: Iterable[Snapshot], region_of: Callable[[Snapshot], scree.region.Region]
) -> tuple[np.ndarray, np.ndarray, tuple]:
    """Observed durations of the stays [S] [s], whether they ended [S] of bool, and the times of the frames [s].

    A stay begins midway between the last frame without the particle and the first with it, and ends in the same way.
    The resolution is the time between frames.
    """
    # Ids inside, ascending, and their entry times; NaN: before the first frame.
    known_ids, entry_times = np.zeros(0, np.int64), np.zeros(0)
    durations, ended = [], []
    times: list[float] = []
    for frame in frames:
        region = region_of(frame)
        ids_inside = np.sort(frame["id"][region.holds(frame["position"])])
        middle = 0.5 * (times[-1] + frame.time) if times else np.nan
        is_gone = ~np.isin(known_ids, ids_inside)
        durations.append(middle - entry_times[is_gone])
        ended.append(np.ones(is_gone.sum(), bool))
        new_entry_times = np.full(len(ids_inside), middle)
        new_entry_times[np.isin(ids_inside, known_ids)] = entry_times[~is_gone]
        known_ids, entry_times = ids_inside, new_entry_times
        times.append(frame.time)
    if len(times) < 3:
        raise UsageError(f"there are {len(times)} snapshots; residence times need three or more")
    durations.append(times[-1] - entry_times)
    ended.append(np.zeros(len(entry_times), bool))
    quantum = ROUNDING * (times[-1] - times[0])  # stays of the same number of frames have the same duration
    all_durations, has_ended = np.round(np.concatenate(durations) / quantum) * quantum, np.concatenate(ended)
    has_known_entry = np.isfinite(all_durations)
    return all_durations[has_known_entry], has_ended[has_known_entry], tuple(times)


def survival(durations: np.ndarray, has_ended: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times at which stays ended, W just after them, and its standard error, [K] each; arguments as from `stays`."""
    times, counts = np.unique(durations[has_ended], return_counts=True)
    at_risk = len(durations) - np.searchsorted(np.sort(durations), times)
    fraction_inside = np.cumprod(1.0 - counts / at_risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = fraction_inside * np.sqrt(np.cumsum(counts / (at_risk * (at_risk - counts))))
    return times, fraction_inside, np.nan_to_num(error)


def residence(frames: Iterable[Snapshot], region_of: Callable[[Snapshot], scree.region.Region]) -> Residence:
    """The Residence of particles in the Region of each Snapshot; raises UsageError if no particle enters and leaves."""
    durations, has_ended, times = stays(frames, region_of)
    if not has_ended.any():
        raise UsageError(f"no particle comes into the region and leaves it from {times[0]:g} to {times[-1]:g} s")
    ends, fraction_inside, error = survival(durations, has_ended)
    fraction_before, widths = np.concatenate([[1.0], fraction_inside[:-1]]), np.diff(ends, prepend=0.0)
    mean = float(np.sum(fraction_before * widths))
    mean_square = float(np.sum(fraction_before * widths * (2.0 * ends - widths)))  # <t^2> = 2 int t W dt
    variance = mean_square - mean**2
    return Residence(ends, fraction_inside, error, mean, variance, len(durations), int(has_ended.sum()), times)


def density(result: Residence, bins: int = BINS) -> tuple[np.ndarray, np.ndarray]:
    """Edges of bins [K + 1] [s] and E in the bins [K] [1/s]. Bins are at least as wide as the time between frames."""
    step = (result.frames[-1] - result.frames[0]) / (len(result.frames) - 1)
    width = max(step * np.ceil(result.times[-1] / bins / step), step)
    edges = width * np.arange(np.ceil(result.times[-1] / width - 1e-9) + 1)
    edges[-1] = max(edges[-1], result.times[-1])
    rows = np.searchsorted(result.times, edges, side="right")
    fraction_inside = np.concatenate([[1.0], result.there])[rows]
    return edges, -np.diff(fraction_inside) / np.diff(edges)


def write_table(path, result: Residence, region) -> None:
    bound_note = "" if result.there[-1] == 0.0 else " (lower bounds, because the longest stays had not ended)"
    notes = [f"residence times, {scree.means.over(result.frames)}", f"region {region}",
             f"mean {result.mean:.6g} s, standard deviation {result.variance**0.5:.6g} s{bound_note}; {result.stays} stays, "
             f"{result.left} of them ended"]  # fmt: skip
    scree.table.write(path, notes, {"time": result.times, "still_there": result.there, "error": result.error})


def figure_of(result: Residence):
    """W and E, and W of plug flow and of a perfectly mixed volume with the same mean."""
    figure, panels = scree.figure.panels(2, 2)
    top = 1.05 * result.times[-1]
    times, fraction_inside = np.append(0.0, result.times), np.append(1.0, result.there)
    error = np.append(0.0, result.error)
    panels[0].step(times, fraction_inside, where="post", label="measured")
    panels[0].fill_between(times, fraction_inside - error, fraction_inside + error, step="post", alpha=0.3, linewidth=0.0)
    curve_times = np.linspace(0.0, top, 200)
    panels[0].plot([0.0, result.mean, result.mean, top], [1.0, 1.0, 0.0, 0.0], ":", color="0.4", linewidth=1.0, label="plug flow")
    panels[0].plot(curve_times, np.exp(-curve_times / result.mean), "--", color="0.4", linewidth=1.0, label="mixed")
    panels[0].set(xlabel="time $t$ [s]", ylabel="share still there $W$", xlim=(0.0, top), ylim=(0.0, 1.05))
    scree.figure.legend(panels[0], frameon=False, handlelength=1.2)
    edges, values = density(result)
    panels[1].stairs(values, edges, fill=True, alpha=0.5)
    panels[1].set(xlabel="residence time $t$ [s]", ylabel="density $E$ [1/s]", xlim=(0.0, top))
    greater_than = "" if result.there[-1] == 0.0 else "> "
    panels[1].set_title(rf"$\tau$ {greater_than or '= '}{result.mean:.3g} s", fontsize="medium")
    return figure
