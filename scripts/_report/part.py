"""A run as the report shows it, and functions that its sections share."""

import dataclasses
import functools
import math
import pathlib

import scree.directory
import scree.grid
import scree.html
import scree.key_figures
import scree.profiles
import scree.region
import scree.snapshot
from _report import paper
from scree.errors import UsageError

FRAMES = 10  # number of frames over which distribution functions and contacts are averaged
ENOUGH = 100  # smallest number of particles with which a field or a distribution is drawn


class NotApplicable(Exception):
    """Raised if a section does not apply to a run. The message is the reason, as the end of a sentence."""


@dataclasses.dataclass
class Part:
    """One run of the report, with its key figures."""

    label: str
    run: scree.directory.Run
    paths: list  # of the snapshots in the window
    figures: dict  # quantity -> scree.key_figures.KeyFigure
    begin: float  # of the window [s]
    end: float  # of the window [s]

    @functools.cached_property
    def last(self):
        """The last snapshot of the window; raises NotApplicable without one."""
        if not self.paths:
            raise NotApplicable("the run has no snapshots; set output.every")
        return scree.snapshot.read_snapshot(self.paths[-1])

    def last_with_particles(self, min_count=1):
        """The last snapshot, if it has at least this many particles; else raises NotApplicable."""
        if len(self.last) < min_count:
            raise NotApplicable(f"it needs {min_count} particles, and there are {len(self.last)}")
        return self.last

    @functools.cached_property
    def profile(self):
        """(scree.grid.Grid of scree.profiles averaged over `frames`, its Region); raises NotApplicable.

        For the paper's channel: the last snapshot, the whole domain, the cells of the paper's figures.
        """
        last = self.last_with_particles(ENOUGH)
        if last.periodic.all():
            raise NotApplicable("the domain is periodic along all axes, so that all positions are equivalent")
        axes = scree.grid.natural_axes(last)
        if paper.is_channel(last):
            region, frames, samples = scree.region.make(last), [last], 0
        else:
            region = scree.region.of_grains(self.frames(("position", "radius")), axes)
            frames, samples = list(self.frames(scree.profiles.FIELDS)), scree.grid.SAMPLES
        cells = scree.grid.cells(last, axes, len(frames), samples, region)
        return scree.profiles.profile(frames, scree.region.following(region, last), axes, cells), region

    def frames(self, fields):
        """The last snapshots of the window: at most FRAMES, and at most half of all, because the first may be a lattice."""
        count = min(FRAMES, -(-len(self.paths) // 2))
        return scree.snapshot.read_frames(self.paths[-count:], fields)


def gather(directory, label, begin, end, every=0.0):
    """Reads a run and computes its key figures."""
    run = scree.directory.read(directory)
    paths = run.frames.between(begin, end, every).paths if run.snapshots else []
    figures = scree.key_figures.key_figures(run, begin if math.isfinite(begin) else None, end, every)
    return Part(label, run, paths, figures, begin, end)


def labels(directories):
    """The paths of the runs, shortened to the shortest ends that still differ, [str]."""
    paths = [pathlib.Path(directory).resolve().parts for directory in directories]
    if len(set(paths)) < len(paths):
        raise UsageError("a run is given twice")
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(path[-length:]) for path in paths]
        if len(set(ends)) == len(ends):
            return ends


def results_of_parts(parts, make):
    """The results of `make` for each run to which it applies, [(Part, result)]; raises NotApplicable without any."""
    results, reasons = [], {}
    for part in parts:
        try:
            results.append((part, make(part)))
        except NotApplicable as reason:
            reasons.setdefault(str(reason), part)
    if not results:
        raise NotApplicable("; ".join(reasons))
    return results


def pictures(parts, make, draw):
    """A picture of each run to which `make` applies; raises NotApplicable if there are none.

    draw(part, result) -> (figure, caption)
    """
    return [scree.html.picture(*draw(part, result)) for part, result in results_of_parts(parts, make)]


def title_in(parts, part, title):
    """A title, with the name of the run if there are several runs."""
    return f"{part.label}: {title}" if len(parts) > 1 else title
