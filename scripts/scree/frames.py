"""The snapshots of a run as a sequence of frames, each of which is read at first use."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

import scree.snapshot
from scree.errors import UsageError
from scree.snapshot import Snapshot


@dataclasses.dataclass(frozen=True, repr=False)
class Frames(Sequence):
    """Snapshots in the order of their steps: frames[-1], frames[::10], for frame in frames, len(frames)."""

    where: str  # name of the run, for messages
    paths: list[pathlib.Path]
    steps: np.ndarray  # [F]
    times: np.ndarray  # [F] [s]
    fields: tuple[str, ...] | None = None  # fields to read; None: all

    def __repr__(self) -> str:
        span = f", t = {self.times[0]:g} to {self.times[-1]:g} s" if len(self) else ""
        return f"Frames('{self.where}', {len(self)}{span})"

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, index: int) -> Snapshot: ...

    @overload
    def __getitem__(self, index: slice) -> Frames: ...

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._select(np.arange(len(self))[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"'{self.where}' has {len(self)} frames; there is no frame {index}")
        return scree.snapshot.read_snapshot(self.paths[index], self.fields)

    def __iter__(self) -> Iterator[Snapshot]:
        """Reads the frames in turn; raises SnapshotError if the domain of a frame differs from that of the first."""
        return scree.snapshot.read_frames(self.paths, self.fields)

    def at(self, time: float) -> Snapshot:
        """Frame nearest to a time [s]; raises UsageError without frames."""
        if not len(self):
            raise UsageError(f"'{self.where}' has no snapshots; set output.every")
        return self[int(np.argmin(np.abs(self.times - time)))]

    def between(self, begin: float, end: float, every: float = 0.0) -> Frames:
        """Frames with begin <= time <= end, at least `every` apart [s]; the tolerance is half a time step.

        Raises UsageError if there are no such frames.
        """
        steps = np.diff(self.steps)
        is_later = steps > 0  # false from one run to the next, if these are files of several runs
        slack = 0.5 * np.min(np.diff(self.times)[is_later] / steps[is_later]) if is_later.any() else 0.0
        rows = np.flatnonzero((self.times >= begin - slack) & (self.times <= end + slack))
        if not len(rows):
            range_text = f"; it has {self.times[0]:g} to {self.times[-1]:g} s" if len(self) else ""
            raise UsageError(f"'{self.where}' has no snapshot from {begin:g} to {end:g} s{range_text}")
        selected = [rows[0]]
        for row in rows[1:]:
            since_last = self.times[row] - self.times[selected[-1]]
            if since_last >= every - slack or since_last <= 0.0:  # not later: of the next run
                selected.append(row)
        return self._select(np.array(selected))

    def only(self, *fields: str) -> Frames:
        """These frames with only some fields, which is faster to read."""
        return dataclasses.replace(self, fields=fields)

    def _select(self, rows):
        paths = [self.paths[row] for row in rows]
        return dataclasses.replace(self, paths=paths, steps=self.steps[rows], times=self.times[rows])
