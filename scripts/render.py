#!/usr/bin/env python3
"""Draws snapshots: spheres and members of clumps at true scale, coloured by speed; one picture, or a film of many.

One snapshot makes a picture; several make a film if --output ends in .gif (or .mp4, where ffmpeg is
installed), else a picture each. Views: from above, from the side, and oblique (parallel lines stay
parallel), stacked in one picture. Nothing is shown on a screen.
"""

import argparse
import dataclasses
import pathlib
import shutil

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import matplotlib.animation
import numpy as np
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import Normalize

import _command_line
import _figure
import _snapshot
import _walls
from _errors import UsageError

FIELDS = ("position", "velocity", "radius")
MARGIN = {"left": 0.8, "right": 1.3, "bottom": 0.6, "top": 0.7, "between": 0.9}  # [inch]
LARGEST = (12.0, 10.0)  # space for the drawings [inch]
FILM_DPI, PICTURE_DPI = 75, 150
FILMS = (".gif", ".mp4")
ENTRIES_AT_ONCE = 10**7  # of tables of spheres and faces
# A sphere that overlaps a wall a little, as hard contacts do, still lies in front of it.
CONTACT = 0.9  # [radii]


@dataclasses.dataclass(frozen=True)
class View:
    """A parallel projection: directions of space that point right, up and towards the viewer."""

    title: str
    right: tuple
    up: tuple
    towards: tuple

    @property
    def axes(self):
        """Axes of space that run right and up: (0, 2) for x and z; None if they run askew."""
        if max(self.right) < 1.0 or max(self.up) < 1.0:
            return None
        return self.right.index(1.0), self.up.index(1.0)

    def project(self, points):
        """Points [N, 3] in the plane of the view: [N, 2]."""
        return np.asarray(points) @ np.array([self.right, self.up]).T

    def depth(self, points):
        """Distance towards the viewer, [N] for points [N, 3]."""
        return np.asarray(points) @ np.array(self.towards)


def _oblique(turned, raised):
    """A view from the corner at small x and y: angles about the vertical and above the floor [rad]."""
    right = np.array([np.cos(turned), -np.sin(turned), 0.0])
    towards = np.array(
        [-np.sin(turned) * np.cos(raised), -np.cos(turned) * np.cos(raised), np.sin(raised)]
    )
    up = np.cross(towards, right)
    return View("oblique view", tuple(right), tuple(up), tuple(towards))


VIEWS = {
    "above": View("top view, from +z", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "side": View("side view, from −y", (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "oblique": _oblique(np.radians(25.0), np.radians(40.0)),
}


def _corners(snapshot):
    """Of the domain, [8, 3]; bit k of the row says whether it is at the upper end of axis k."""
    upper = np.arange(8)[:, None] >> np.arange(3) & 1
    return np.where(upper, snapshot.upper, snapshot.lower)


def _frame(snapshot, view):
    """Corners of the drawing in the plane of the view: (lower [2], upper [2]) [m]."""
    corners = view.project(_corners(snapshot))
    return corners.min(axis=0), corners.max(axis=0)


def _layout(snapshot, views):
    """Size of the figure [inch] and the place of each view's axes in shares of it."""
    extents = np.array([np.subtract(*_frame(snapshot, view)[::-1]) for view in views])  # [V, 2]
    between = MARGIN["between"] * (len(views) - 1)
    scale = min(LARGEST[0] / extents[:, 0].max(), (LARGEST[1] - between) / extents[:, 1].sum())
    sizes = scale * extents
    width = sizes[:, 0].max() + MARGIN["left"] + MARGIN["right"]
    height = sizes[:, 1].sum() + MARGIN["bottom"] + between + MARGIN["top"]
    places = []
    top = height - MARGIN["top"]
    for wide, high in sizes:
        top -= high
        places.append((MARGIN["left"] / width, top / height, wide / width, high / height))
        top -= MARGIN["between"]
    return (width, height), places


def _draw_discs(axes, centres, radii, speeds, style):
    """Filled discs at true scale; the last lies on top.  centres [M, 2], radii [M], speeds [M]."""
    diameters = 2.0 * radii
    discs = EllipseCollection(
        diameters, diameters, np.zeros(len(radii)), units="xy", offsets=centres,
        transOffset=axes.transData, linewidths=0.15, edgecolors="black", **style,
    )
    discs.set_array(speeds)
    axes.add_collection(discs)


def _behind(centres, radii, solid, towards):
    """Which spheres lie behind a solid: from their centres the way to the viewer meets it, [N]."""
    faces = solid.planes()
    parts = max(1, len(centres) * len(faces[0]) // ENTRIES_AT_ONCE)
    split = zip(np.array_split(centres, parts), np.array_split(radii, parts))
    return np.concatenate([_some_behind(*some, faces, towards) for some in split])


def _some_behind(centres, radii, faces, towards):
    normals, offsets = faces
    # The ray centre + s towards is inside the face, moved out to where a sphere touches, for
    # distance + s slope <= 0; it meets the solid if some s >= 0 serves all faces.
    distance = centres @ normals.T + offsets - CONTACT * radii[:, None]
    slope = normals @ np.array(towards)
    entry, exit = np.zeros(len(centres)), np.full(len(centres), np.inf)
    parallel = np.abs(slope) < 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = -distance / slope
    entry = np.maximum(entry, meets[:, slope < -1e-12].max(axis=1, initial=0.0))
    exit = np.minimum(exit, meets[:, slope > 1e-12].min(axis=1, initial=np.inf))
    return (entry <= exit) & np.all(distance[:, parallel] <= 0.0, axis=1)


def _layers(snapshot, view, walls):
    """Rows of the spheres in the order of painting: those before each wall, and the rest.

    walls: lists of solids, from far to near
    """
    positions, radii, _ = snapshot.members()
    layer = np.full(len(positions), len(walls))
    drawn = view.project(positions)
    for index in reversed(range(len(walls))):
        for solid in walls[index]:
            shadow = view.project(solid.points)
            near = np.flatnonzero(
                np.all(
                    (drawn > shadow.min(axis=0) - radii[:, None])
                    & (drawn < shadow.max(axis=0) + radii[:, None]),
                    axis=1,
                )
            )
            hidden = _behind(positions[near], radii[near], solid, view.towards)
            layer[near[hidden]] = index
    depth = view.depth(positions)
    order = np.lexsort((depth, layer))
    return np.split(order, np.searchsorted(layer[order], np.arange(1, len(walls) + 1)))


def _draw_view(axes, snapshot, view, unit, style):
    """Paints from far to near: spheres and walls."""
    name, metres = unit
    walls = list(_walls.in_domain(snapshot).values())
    walls.sort(key=lambda wall: np.mean([view.depth(solid.points).mean() for solid in wall]))
    positions, radii, owners = snapshot.members()
    centres, radii, speeds = view.project(positions) / metres, radii / metres, snapshot.speed[owners]
    for index, rows in enumerate(_layers(snapshot, view, walls)):
        _draw_discs(
            axes, centres[rows], radii[rows], speeds[rows], {**style, "zorder": 3 * index + 1}
        )
        if index < len(walls):
            shadows = [_figure.outline(_clipped(solid, view, snapshot)) for solid in walls[index]]
            _figure.draw_union(axes, [shadow / metres for shadow in shadows], 3 * index + 2)
    _draw_sheets(axes, snapshot, view, metres, 3 * len(walls) + 2)
    lower, upper = (corner / metres for corner in _frame(snapshot, view))
    axes.set(title=view.title, xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]))
    if view.axes:
        axes.set(xlabel=f"{'xyz'[view.axes[0]]} [{name}]", ylabel=f"{'xyz'[view.axes[1]]} [{name}]")
    else:
        _draw_domain(axes, snapshot, view, unit, 3 * len(walls) + 2)


def _draw_sheets(axes, snapshot, view, metres, front):
    """Walls without thickness: lines over the spheres, which are seen through them."""
    for sheet in _walls.sheets(snapshot):
        segments = sheet.lines(view.towards)
        drawn = view.project(segments.reshape(-1, 3)).reshape(-1, 2, 2) / metres
        axes.add_collection(LineCollection(drawn, colors="0.25", linewidths=1.0, zorder=front))


def _clipped(solid, view, snapshot):
    """The solid's points in the plane of the view, [K, 2].

    Askew, what juts out of the domain along its axes is cut off, as the frame does otherwise.
    """
    if view.axes:
        return view.project(solid.points)
    return view.project(np.clip(solid.points, snapshot.lower, snapshot.upper))


def _draw_domain(axes, snapshot, view, unit, front):
    """The domain's edges with their lengths: those at the farthest corner behind all spheres."""
    name, metres = unit
    corners = _corners(snapshot)
    drawn = view.project(corners) / metres
    depth = view.depth(corners)
    for corner in range(8):
        for axis in range(3):
            other = corner ^ (1 << axis)
            if other < corner:
                continue
            ends = drawn[[corner, other]]
            hidden = np.argmin(depth) in (corner, other)
            axes.plot(
                *ends.T, color="0.4", linewidth=0.8, zorder=0 if hidden else front, clip_on=False
            )
    # x and y are told at the lowest corner, below their edges; z at the leftmost, beside it.
    at = (np.argmin(drawn[:, 1]), np.argmin(drawn[:, 1]), np.argmin(drawn[:, 0]))
    for axis, corner in enumerate(map(int, at)):
        middle = drawn[[corner, corner ^ (1 << axis)]].mean(axis=0)
        is_left = middle[0] < drawn[:, 0].mean()
        length = (snapshot.upper - snapshot.lower)[axis] / metres
        axes.annotate(
            f"{'xyz'[axis]}: {length:.4g} {name}", middle, (-8 if is_left else 8, -4),
            textcoords="offset points", ha="right" if is_left else "left", va="top",
            annotation_clip=False,
        )
    axes.set_axis_off()


def usual_speed(snapshots):
    """Upper end of a colour scale for all: in each, 99.9 % of the particles are not faster [m/s]."""
    tops = [np.quantile(frame.speed, 0.999) for frame in snapshots if len(frame)]
    top = max(tops, default=0.0)
    return top if top > 0 else 1.0


def figure_size(snapshot, views):
    """Width and height [inch] of the figure that `draw` wants for these Views."""
    return _layout(snapshot, views)[0]


def draw(figure, snapshot, views, max_speed):
    """Draws a Snapshot into an empty figure of `figure_size`; max_speed: see `render`."""
    _, places = _layout(snapshot, views)
    norm = Normalize(0.0, max_speed)
    style = {"cmap": _figure.COLOUR_MAP, "norm": norm}
    unit = _figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    for view, place in zip(views, places):
        _draw_view(figure.add_axes(place), snapshot, view, unit, style)
    wide, high = figure.get_size_inches()
    bottom, top = places[-1][1], places[0][1] + places[0][3]
    bar_left = max(left + width for left, _, width, _ in places) + 0.2 / wide
    bar = figure.add_axes((bar_left, bottom, 0.2 / wide, top - bottom))
    speed = snapshot.speed
    extend = "max" if len(speed) and speed.max() > norm.vmax else "neither"
    colours = matplotlib.cm.ScalarMappable(norm, style["cmap"])
    figure.colorbar(colours, cax=bar, extend=extend, label="speed [m/s]")
    caption = f"t = {snapshot.time:.6g} s, {len(snapshot)} particles"
    figure.suptitle(caption, y=1.0 - 0.1 / high, va="top")


def render(snapshot, output, views=("above", "side"), max_speed=None, dpi=PICTURE_DPI):
    """Writes the picture of a Snapshot to `output`.

    views: names of VIEWS, from top to bottom
    max_speed: upper end of the colour scale [m/s]; None takes the speed that 99.9 % of the
        particles do not exceed, so that one outlier does not wash out the rest
    """
    views = [VIEWS[name] for name in views]
    figure = _figure.plt.figure(figsize=figure_size(snapshot, views))
    draw(figure, snapshot, views, max_speed or usual_speed([snapshot]))
    _figure.save(figure, output, dpi)


def film(snapshots, output, views, max_speed, dpi=FILM_DPI, rate=10.0):
    """Writes the Snapshots, an iterable, as a film of `rate` frames per second; see `render`."""
    views = [VIEWS[name] for name in views]
    kind = matplotlib.animation.PillowWriter
    if output.suffix == ".mp4":
        kind = matplotlib.animation.FFMpegWriter
    figure, writer = None, kind(fps=rate)
    for snapshot in snapshots:
        if figure is None:
            size = figure_size(snapshot, views)
            even = np.round(np.array(size) * dpi / 2.0) * 2.0 / dpi  # pixels, as .mp4 wants them
            figure = _figure.plt.figure(figsize=even)
            writer.setup(figure, str(output), dpi)
        figure.clear()
        draw(figure, snapshot, views, max_speed)
        writer.grab_frame()
    writer.finish()
    _figure.plt.close(figure)


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", nargs="+", type=pathlib.Path, help="HDF5 files of a run")
    parser.add_argument(
        "--output", type=pathlib.Path,
        help="PNG or, for a film, GIF or MP4 to write (default: a PNG beside each snapshot)",
    )
    parser.add_argument(
        "--view", nargs="+", choices=VIEWS, default=["above", "side"],
        help="what to draw, from top to bottom (default: above side)",
    )
    parser.add_argument(
        "--max-speed", type=_command_line.positive, metavar="M_PER_S",
        help="upper end of the colour scale (default: 99.9 %% of the particles lie below)",
    )
    parser.add_argument(
        "--dpi", type=_command_line.positive,
        help=f"pixels per inch (default: {PICTURE_DPI}, of a film {FILM_DPI})",
    )
    parser.add_argument(
        "--rate", type=_command_line.positive, default=10.0,
        help="frames of a film per second (default: 10)",
    )
    return parser.parse_args()


def _check_output(arguments):
    """Raises UsageError if the output does not suit the number of snapshots or cannot be made."""
    output = arguments.output
    if output is None:
        return
    if output.suffix not in (".png", *FILMS):
        raise UsageError(f"--output '{output}' must end in .png, .gif or .mp4")
    if output.suffix == ".png" and len(arguments.snapshot) > 1:
        raise UsageError(
            f"--output '{output}' is one picture for {len(arguments.snapshot)} snapshots; a film "
            "ends in .gif or .mp4, and without --output there is a picture of each"
        )
    if output.suffix == ".mp4" and not shutil.which("ffmpeg"):
        raise UsageError(f"--output '{output}' needs ffmpeg, which is not installed; .gif does not")


def main():
    arguments = _arguments()
    _check_output(arguments)
    is_film = arguments.output is not None and arguments.output.suffix in FILMS
    top = arguments.max_speed
    if top is None and len(arguments.snapshot) > 1:
        top = usual_speed(_snapshot.read_frames(arguments.snapshot, ("velocity",)))
    frames = _snapshot.read_frames(arguments.snapshot, FIELDS)
    if is_film:
        dpi = arguments.dpi or FILM_DPI
        top = top or usual_speed([_snapshot.read_snapshot(arguments.snapshot[0], ("velocity",))])
        film(frames, arguments.output, arguments.view, top, dpi, arguments.rate)
        return 0
    for path, frame in zip(arguments.snapshot, frames):
        output = arguments.output or path.with_suffix(".png")
        render(frame, output, arguments.view, top, arguments.dpi or PICTURE_DPI)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
