"""Avalanches: events of a series over time, their sizes, durations, and the times between them.

There are two kinds. In `bursts` a quantity that is large during motion, such as the kinetic energy, exceeds a threshold.
The size is the integral of the excess (L. Laurson, X. Illa, M. J. Alava, J. Stat. Mech. P01019 (2009), who show the
influence of the threshold). In `falls` a quantity that builds up and relaxes, such as the angle of a drum's bed, falls. The
size is the drop (H. M. Jaeger, C.-h. Liu, S. R. Nagel, Phys. Rev. Lett. 62, 40 (1989)). Incomplete
events at the ends of the series do not count.
"""

from __future__ import annotations

import dataclasses

import numpy as np

import scree.figure
import scree.table


@dataclasses.dataclass
class Events:
    begin: np.ndarray  # [E] [s]
    end: np.ndarray  # [E] [s]
    size: np.ndarray  # [E], in the unit of the quantity; for bursts times s

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def duration(self) -> np.ndarray:
        """[E] [s]"""
        return self.end - self.begin

    @property
    def waiting(self) -> np.ndarray:
        """Times from the end of an event to the beginning of the next, [E - 1] [s]."""
        return self.begin[1:] - self.end[:-1]


def bursts(times: np.ndarray, values: np.ndarray, threshold: float) -> Events:
    """The Events of a series [K] above a threshold; the series is linear between its rows."""
    over = values - threshold
    up = np.flatnonzero((over[:-1] <= 0.0) & (over[1:] > 0.0))
    down = np.flatnonzero((over[:-1] > 0.0) & (over[1:] <= 0.0))
    down = down[np.searchsorted(down, up[0]) :] if len(up) else down[:0]
    up = up[: len(down)]

    def crossing(rows):
        return times[rows] - over[rows] * (times[rows + 1] - times[rows]) / (over[rows + 1] - over[rows])

    begin, end = crossing(up), crossing(down)
    area = np.append(0.0, np.cumsum(0.5 * np.diff(times) * (over[1:] + over[:-1])))
    # Between the rows next to the crossings there are triangles.
    size = area[down] - area[up + 1] + 0.5 * over[up + 1] * (times[up + 1] - begin) + 0.5 * over[down] * (end - times[down])
    return Events(begin, end, size)


def falls(times: np.ndarray, values: np.ndarray, least: float) -> Events:
    """The Events in which a series [K] falls by at least `least`, to a minimum after which it rises by at least `least`."""
    events = []
    top = bottom = 0  # rows of the last maximum, and of the minimum after it
    is_falling, is_cut = False, True  # the first maximum may be before the series
    for row in range(1, len(values)):
        if is_falling:
            if values[row] < values[bottom]:
                bottom = row
            elif values[row] - values[bottom] >= least:
                events += [] if is_cut else [(top, bottom)]
                is_falling, is_cut, top = False, False, row
        elif values[row] > values[top]:
            top, is_cut = row, False
        elif values[top] - values[row] >= least:
            is_falling, bottom = True, row
    tops, bottoms = np.array(events, int).reshape(-1, 2).T
    return Events(times[tops], times[bottoms], values[tops] - values[bottoms])


def exceedance(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values in ascending order, and the fraction of values that are at least as large: a distribution without bins."""
    rising = np.sort(values)
    return rising, 1.0 - np.arange(len(rising)) / max(len(rising), 1)


def write_table(path, events: Events, note: str) -> None:
    columns = {"begin": events.begin, "end": events.end, "duration": events.duration, "size": events.size,
               "waiting": np.append(events.waiting, np.full(min(len(events), 1), np.nan))}  # fmt: skip
    scree.table.write(path, [note, "waiting: from the end of an event to the begin of the next; SI units"], columns)


def figure_of(times: np.ndarray, values: np.ndarray, events: Events, label: str, size_label: str, threshold: float | None):
    """The series with its events and, from three events on, distributions of sizes, durations and waiting times."""
    figure, panels = scree.figure.panels(4 if len(events) > 2 else 1, 2)
    panels[0].plot(times, values, linewidth=0.9)
    for begin, end in zip(events.begin, events.end):
        panels[0].axvspan(begin, end, color=scree.figure.COLOURS[1], alpha=0.3, linewidth=0.0)
    if threshold is not None:
        panels[0].axhline(threshold, color="0.4", linestyle=":", linewidth=1.0)
    panels[0].set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    scree.figure.label(panels[0].yaxis, label)
    panels[0].set_title(f"{len(events)} event{'s' * (len(events) != 1)}", fontsize="medium")
    drawn = (events.size, size_label), (events.duration, "duration $T$ [s]"), (events.waiting, "waiting time [s]")
    for axes, (distribution_values, words) in zip(panels[1:], drawn):
        axes.plot(*exceedance(distribution_values), "o", markersize=3)
        if distribution_values.min() > 0.0 and distribution_values.max() > 3.0 * distribution_values.min():
            scree.figure.logarithmic(axes, "x")
        axes.set(xlabel=words, ylabel="share as large", ylim=(0.0, 1.05))
    return figure
