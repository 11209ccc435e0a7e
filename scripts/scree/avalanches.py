"""Avalanches: events in a series, their sizes, durations and waiting times.

There are two kinds. In `bursts` a quantity that is large during motion, such as the kinetic energy, exceeds a
threshold. The size is the integral of the excess (L. Laurson, X. Illa, M. J. Alava, J. Stat. Mech. P01019 (2009), who
show the influence of the threshold). In `falls` a quantity that builds up and relaxes, such as the angle of the bed in
a drum, drops. The size is the drop (H. M. Jaeger, C.-h. Liu, S. R. Nagel, Phys. Rev. Lett. 62, 40 (1989)). Incomplete
events at the ends of the series do not count.
"""

from __future__ import annotations

import dataclasses

import numpy as np

import scree.figure
import scree.table


@dataclasses.dataclass
class Events:
    """E events of a series."""

    begin: np.ndarray  # [E] [s]
    end: np.ndarray  # [E] [s]
    size: np.ndarray  # [E], in the unit of the quantity for falls, in this unit times seconds for bursts

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def duration(self) -> np.ndarray:
        """Durations, [E] [s]."""
        return self.end - self.begin

    @property
    def waiting(self) -> np.ndarray:
        """Times from the end of an event to the beginning of the next, [E - 1] [s]."""
        return self.begin[1:] - self.end[:-1]


def bursts(times: np.ndarray, values: np.ndarray, threshold: float) -> Events:
    """The Events in which a series [K] is above a threshold; the series is interpolated linearly."""
    excess = values - threshold
    up_rows = np.flatnonzero((excess[:-1] <= 0.0) & (excess[1:] > 0.0))
    down_rows = np.flatnonzero((excess[:-1] > 0.0) & (excess[1:] <= 0.0))
    down_rows = down_rows[np.searchsorted(down_rows, up_rows[0]) :] if len(up_rows) else down_rows[:0]
    up_rows = up_rows[: len(down_rows)]

    def crossing(rows):
        return times[rows] - excess[rows] * (times[rows + 1] - times[rows]) / (excess[rows + 1] - excess[rows])

    begin, end = crossing(up_rows), crossing(down_rows)
    area = np.append(0.0, np.cumsum(0.5 * np.diff(times) * (excess[1:] + excess[:-1])))
    # The integral between rows of positive excess, plus the triangles at both crossings.
    size = area[down_rows] - area[up_rows + 1] + 0.5 * excess[up_rows + 1] * (times[up_rows + 1] - begin) + 0.5 * excess[down_rows] * (end - times[down_rows])
    return Events(begin, end, size)


def falls(times: np.ndarray, values: np.ndarray, least: float) -> Events:
    """The Events in which a series [K] falls by at least `least` to a minimum, then rises by at least as much."""
    events = []
    top = bottom = 0  # rows of the last maximum, and of the minimum after it
    is_falling, is_incomplete = False, True  # the first fall may begin before the series
    for row in range(1, len(values)):
        if is_falling:
            if values[row] < values[bottom]:
                bottom = row
            elif values[row] - values[bottom] >= least:
                events += [] if is_incomplete else [(top, bottom)]
                is_falling, is_incomplete, top = False, False, row
        elif values[row] > values[top]:
            top, is_incomplete = row, False
        elif values[top] - values[row] >= least:
            is_falling, bottom = True, row
    tops, bottoms = np.array(events, int).reshape(-1, 2).T
    return Events(times[tops], times[bottoms], values[tops] - values[bottoms])


def exceedance(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A distribution without bins: values in ascending order, and for each the fraction of at least as large values."""
    ascending = np.sort(values)
    return ascending, 1.0 - np.arange(len(ascending)) / max(len(ascending), 1)


def write_table(path, events: Events, note: str) -> None:
    columns = {"begin": events.begin, "end": events.end, "duration": events.duration, "size": events.size,
               "waiting": np.append(events.waiting, np.full(min(len(events), 1), np.nan))}  # fmt: skip
    scree.table.write(path, [note, "waiting: from the end of an event to the beginning of the next; SI units"], columns)


def figure_of(times: np.ndarray, values: np.ndarray, events: Events, label: str, size_label: str, threshold: float | None):
    """Series with its events; for three or more events also distributions of sizes, durations and waiting times."""
    figure, panels = scree.figure.panels(4 if len(events) > 2 else 1, 2)
    panels[0].plot(times, values, linewidth=0.9)
    for begin, end in zip(events.begin, events.end):
        panels[0].axvspan(begin, end, color=scree.figure.COLOURS[1], alpha=0.3, linewidth=0.0)
    if threshold is not None:
        panels[0].axhline(threshold, color="0.4", linestyle=":", linewidth=1.0)
    panels[0].set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    scree.figure.label(panels[0].yaxis, label)
    panels[0].set_title(f"{len(events)} event{'s' * (len(events) != 1)}", fontsize="medium")
    distributions = (events.size, size_label), (events.duration, "duration $T$ [s]"), (events.waiting, "waiting time [s]")
    for axes, (distribution_values, axis_label) in zip(panels[1:], distributions):
        axes.plot(*exceedance(distribution_values), "o", markersize=3)
        if distribution_values.min() > 0.0 and distribution_values.max() > 3.0 * distribution_values.min():
            scree.figure.logarithmic(axes, "x")
        axes.set(xlabel=axis_label, ylabel="fraction at least as large", ylim=(0.0, 1.05))
    return figure
