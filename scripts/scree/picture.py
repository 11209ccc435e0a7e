"""Pictures and films of snapshots: spheres and members of clumps at true scale, and the walls."""

import dataclasses

import matplotlib.animation
import numpy as np
import PIL.Image
from matplotlib.collections import LineCollection
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

import scree.colour
import scree.figure
import scree.region
import scree.scene_image
import scree.solids
import scree.view
import scree.wall_drawing
import scree.walls
from scree.errors import UsageError

TICK_DISTANCE = 0.6  # smallest distance between numbers below the axis [inch]
MARGIN = {"left": 0.6, "right": 1.3, "bottom": 0.5, "top": 0.6, "between": 0.7}  # [inch]
TITLE_HEIGHT = 0.3  # height of the line with time and number of particles above the views [inch]
MIN_FILLING = 0.8  # empty space is omitted if the contents fill less than this fraction of the domain's height or width
FLAT_MARGIN, OBLIQUE_MARGIN = 0.0, 0.5  # left margin of flat and oblique views, for the label of an edge [inch]
LABEL_WIDTH = 0.9  # width of the label of an edge [inch]
MAX_SIZE = (2.7, 4.2)  # largest size of all views together [inch]; with the margins they are as wide as figure.PAGE
FILM_DPI, PICTURE_DPI = 200, 400
FILMS = (".gif", ".mp4")
PALETTE_FRAMES = 8  # approximate number of frames that determine the palette of a GIF
CUT_COLOUR = "crimson"  # edges of subdomains; visible on all colours of spheres


def _drawing_corners(snapshot, view):
    """Corners of the drawing in the plane of the view: (lower [2], upper [2]) [m]."""
    corners = view.project(scree.view.corners_of(snapshot.lower, snapshot.upper))
    return corners.min(axis=0), corners.max(axis=0)


def _layout(snapshot, views):
    """Size of the figure [inch]; the rectangle of each view's axes and the right end of all views, as fractions of that
    size.

    The views are side by side or one below the other, whichever makes them larger.
    """
    extents = np.array([np.subtract(*_drawing_corners(snapshot, view)[::-1]) for view in views])  # [V, 2]
    side_widths = [FLAT_MARGIN if view.axes else OBLIQUE_MARGIN for view in views]
    between = MARGIN["between"] * (len(views) - 1)
    row_scale = min((MAX_SIZE[0] - between - sum(side_widths)) / extents[:, 0].sum(), MAX_SIZE[1] / extents[:, 1].max())
    column_scale = min((MAX_SIZE[0] - max(side_widths)) / extents[:, 0].max(), (MAX_SIZE[1] - between) / extents[:, 1].sum())
    sizes = max(row_scale, column_scale) * extents
    left, bottom = MARGIN["left"], MARGIN["bottom"]
    if row_scale > column_scale:
        lefts = left + np.cumsum(side_widths) + np.append(0.0, np.cumsum(sizes[:-1, 0] + MARGIN["between"]))
        bottoms = np.full(len(views), bottom)
    else:
        lefts = np.full(len(views), left + max(side_widths))
        offsets = np.cumsum((sizes[:, 1] + MARGIN["between"])[::-1])[::-1]  # offsets of the tops, plus a gap
        bottoms = bottom + offsets - sizes[:, 1] - MARGIN["between"]
    overhangs = [_overhang(snapshot, view, view_width / extent) for view, (view_width, _), (extent, _) in zip(views, sizes, extents)]
    right = (lefts + sizes[:, 0] + overhangs).max()
    width = right + MARGIN["right"]
    height = (bottoms + sizes[:, 1]).max() + MARGIN["top"]
    rectangles = [(x / width, y / height, view_width / width, view_height / height)
              for x, y, (view_width, view_height) in zip(lefts, bottoms, sizes)]
    return (width, height), rectangles, right / width


def _overhang(snapshot, view, scale):
    """Length by which the labels of edges extend beyond the right end of an oblique view [inch].  scale: [inch/m]"""
    if view.axes:
        return 0.0
    corners = view.project(scree.view.corners_of(snapshot.lower, snapshot.upper))[:, 0]
    lowest = int(np.argmin(view.project(scree.view.corners_of(snapshot.lower, snapshot.upper))[:, 1]))
    middles = [corners[[lowest, lowest ^ (1 << axis)]].mean() for axis in (0, 1)]
    return max(0.0, LABEL_WIDTH - scale * (corners.max() - max(middles)))


def _draw_view(axes, snapshot, view, unit, values, scale):
    """Draws particles and walls as an image; planes that are edge-on, and the frame, as lines."""
    scene = scree.scene_image.Scene(snapshot, view, scale.colours(scale.norm(values)))
    axes.add_artist(scree.scene_image.SceneArtist(scene, 1))
    if view.axes:
        scree.wall_drawing.draw_planes(axes, snapshot, view, unit[1], 2)
    _finish(axes, snapshot, view, unit, 2)


def _draw_section(axes, snapshot, view, unit, values, scale, place):
    """Draws the section of particles and walls by the plane perpendicular to the line of sight at `place` [m]."""
    name, metres = unit
    sight_axis = 3 - sum(view.axes)
    scree.solids.draw_section(axes, snapshot, view, metres, (sight_axis, place), scale.colours(scale.norm(values)))
    scree.wall_drawing.draw_section(axes, snapshot, view, sight_axis, place, metres)
    _finish(axes, snapshot, view, unit, 4)
    axes.set_title(f"section at {'xyz'[sight_axis]} = {place / metres:.4g} {name}", fontsize="medium")


def _finish(axes, snapshot, view, unit, front):
    """Draws title, limits, labels and the direction of gravity, or the edges of the domain in an oblique view."""
    name, metres = unit
    lower, upper = (corner / metres for corner in _drawing_corners(snapshot, view))
    axes.set_title(view.title, fontsize="medium")
    axes.set(xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]))
    if not view.axes:
        _draw_domain(axes, snapshot, view, unit, front)
        return
    for line, axis, sign in zip((axes.xaxis, axes.yaxis), view.axes, view.signs):
        line.set_label_text(f"${'xyz'[axis]}$ [{name}]")
        if sign < 0:
            line.set_major_formatter(FuncFormatter(lambda value, _: f"{-value + 0.0:g}"))
    width = axes.get_position().width * axes.figure.get_figwidth()
    axes.xaxis.set_major_locator(MaxNLocator(int(np.clip(width / TICK_DISTANCE, 1, 9)), steps=[1, 2, 5, 10]))
    step = np.diff(axes.get_xticks())[:1]
    if len(step) and 2.0 <= (upper[1] - lower[1]) / step[0] <= 10.0:
        axes.yaxis.set_major_locator(MultipleLocator(step[0]))  # x and y have the same scale
    _draw_gravity(axes, snapshot, view)


def _draw_gravity(axes, snapshot, view):
    """Draws an arrow for gravity unless it points down in the view, or along the line of sight."""
    down = view.project(-scree.view.vertical(snapshot))
    if (abs(down[0]) < 1e-3 and down[1] < 1e-3) or not np.any(scree.view.gravity(snapshot)):
        return
    axes.annotate("", (0.88 + 0.07 * down[0], 0.92 + 0.07 * down[1]), (0.88, 0.92), zorder=10**3,
                  xycoords="axes fraction", arrowprops={"arrowstyle": "-|>", "linewidth": 1.5})
    axes.text(0.88, 0.925, "g", transform=axes.transAxes, ha="center", va="bottom", zorder=10**3)


def _draw_domain(axes, snapshot, view, unit, front):
    """Draws the domain's edges with their lengths; the edges at the farthest corner are behind all spheres."""
    name, metres = unit
    corners = scree.view.corners_of(snapshot.lower, snapshot.upper)
    projected = view.project(corners) / metres
    depth = view.depth(corners)
    for corner in range(8):
        for axis in range(3):
            neighbour = corner ^ (1 << axis)
            if neighbour < corner:
                continue
            ends = projected[[corner, neighbour]]
            is_hidden = np.argmin(depth) in (corner, neighbour)
            axes.plot(
                *ends.T, color="0.4", linewidth=0.8, zorder=0 if is_hidden else front, clip_on=False
            )
    # The edges with labels: along x and y at the lowest corner, along z at the leftmost corner.
    label_points = (np.argmin(projected[:, 1]), np.argmin(projected[:, 1]), np.argmin(projected[:, 0]))
    for axis, corner in enumerate(map(int, label_points)):
        middle = projected[[corner, corner ^ (1 << axis)]].mean(axis=0)
        is_left = middle[0] < projected[:, 0].mean()
        length = (snapshot.upper - snapshot.lower)[axis] / metres
        axes.annotate(
            f"{'xyz'[axis]}: {length:.3g} {name}", middle, (-8 if is_left else 8, -4),
            textcoords="offset points", ha="right" if is_left else "left", va="top",
            annotation_clip=False, zorder=10**3, path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
    axes.set_axis_off()


def draw_subdomains(panels, views, snapshot):
    """Draws the edges of the ranks' boxes over the panels of `draw`; raises UsageError if the snapshot has none."""
    if not len(snapshot.subdomains):
        raise UsageError(f"'{snapshot.path}' has no subdomains; expected a snapshot that scree-run wrote")
    _, metres = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    edges = scree.view.edges_of(snapshot.subdomains)
    for axes, view in zip(panels, views):
        lines = view.project(edges.reshape(-1, 3)).reshape(-1, 2, 2) / metres
        axes.add_collection(LineCollection(lines, colors=CUT_COLOUR, linewidths=1.2, zorder=10**3 - 1))


def figure_size(snapshot, views):
    """Width and height [inch] of the figure that `draw` requires for these Views."""
    return _layout(snapshot, views)[0]


def draw(figure, snapshot, views, scale, place=None, subdomains=False):
    """Draws a Snapshot into an empty figure of `figure_size`, coloured by a scree.colour.Scale.

    place: position of a section perpendicular to the line of sight of flat views [m]; None: the whole scene
    subdomains: whether to draw the boxes of the ranks
    Returns the axes of the views.
    """
    _, rectangles, right = _layout(snapshot, views)
    unit = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    values = scale.colouring.values(snapshot)
    panels = []
    for view, rectangle in zip(views, rectangles):
        panels.append(figure.add_axes(rectangle))
        if place is None:
            _draw_view(panels[-1], snapshot, view, unit, values, scale)
        else:
            _draw_section(panels[-1], snapshot, view, unit, values, scale, place)
    width, height = figure.get_size_inches()
    bottom, top = min(rectangle[1] for rectangle in rectangles), max(rectangle[1] + rectangle[3] for rectangle in rectangles)
    scree.colour.draw_bar(figure, (right + 0.2 / width, bottom, 0.2 / width, top - bottom), scale, snapshot)
    count = "1 particle" if len(snapshot) == 1 else f"{len(snapshot)} particles"
    figure.suptitle(f"t = {snapshot.time:.6g} s, {count}", x=0.5 * (rectangles[0][0] + right), y=top + TITLE_HEIGHT / height, va="bottom",
                    fontsize="medium")  # fmt: skip
    if subdomains:
        draw_subdomains(panels, views, snapshot)
    return panels


def contents(snapshot):
    """Corners [2, 3] [m] of the contents of the scene: particles, walls that end in the domain, and oblique planes."""
    region = scree.region.taken(snapshot)
    lower, upper = region.lower.copy(), region.upper.copy()
    solids = [solid.points for wall in scree.walls.in_domain(snapshot).values() for solid in wall]
    for points in (*solids, *(sheet.triangles.reshape(-1, 3) for sheet in scree.walls.sheets(snapshot))):
        low, high = points.min(axis=0), points.max(axis=0)
        # Ends of walls beyond the domain do not count, for example of a tube that leads out of it.
        if np.all((low < snapshot.upper) & (high > snapshot.lower)):
            slack = 1e-6 * (snapshot.upper - snapshot.lower)
            begins, ends = low > snapshot.lower + slack, high < snapshot.upper - slack
            lower = np.where(begins | (ends & (low > snapshot.lower - slack)), np.minimum(lower, low), lower)
            upper = np.where(ends | (begins & (high < snapshot.upper + slack)), np.maximum(upper, high), upper)
    for plane in scree.walls.planes(snapshot):
        points = plane.polygon(snapshot.lower, snapshot.upper)
        if len(points) and np.abs(plane.normal).max() < 1.0 - 1e-6:
            lower, upper = np.minimum(lower, points.min(axis=0)), np.maximum(upper, points.max(axis=0))
    return np.array([lower, upper])


def close_up(snapshot, boxes=None, up=None):
    """The Snapshot in a domain that is cut along each axis of which the contents fill less than MIN_FILLING.

    Along the vertical only the space above the contents is cut.
    boxes: `contents` of all frames of a film [F, 2, 3]; None: those of the snapshot
    up: the vertical, a unit vector [3]; None: that of the snapshot
    """
    boxes = np.array([contents(snapshot)] if boxes is None else boxes)
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    up = scree.view.vertical(snapshot) if up is None else up
    axis = int(np.argmax(np.abs(up)))
    lower, upper = snapshot.lower.copy(), snapshot.upper.copy()
    smallest = MIN_FILLING * (upper - lower)
    if up[axis] > 0.0 and (high - lower)[axis] < smallest[axis]:
        upper[axis] = high[axis]
    elif up[axis] < 0.0 and (upper - low)[axis] < smallest[axis]:
        lower[axis] = low[axis]
    for other in range(3):
        if other != axis and (high - low)[other] < smallest[other]:
            lower[other], upper[other] = low[other], high[other]
    return dataclasses.replace(snapshot, lower=lower, upper=upper)


def figure_of(snapshot, views, scale, place=None, subdomains=False, whole=False):
    """A figure with a Snapshot in these Views, and its axes; see `draw`.  whole: without `close_up`"""
    if not (whole or subdomains):
        snapshot = close_up(snapshot)
    figure = scree.figure.plt.figure(figsize=figure_size(snapshot, views))
    return figure, draw(figure, snapshot, views, scale, place, subdomains)


def render(snapshot, output, views=None, scale=None, dpi=PICTURE_DPI, place=None, subdomains=False, whole=False):
    """Writes the picture of a Snapshot to `output`.

    views: Views, from top to bottom; None: those of scree.view.default_views
    scale: a scree.colour.Scale; None: that of scree.colour.default
    """
    views = views or [scree.view.views(snapshot)[name] for name in scree.view.default_views(snapshot)]
    scale = scale or scree.colour.scale(scree.colour.of(scree.colour.default([snapshot]), snapshot), [snapshot])
    scree.figure.save(figure_of(snapshot, views, scale, place, subdomains, whole)[0], output, dpi)


def image(snapshot, view, scale, width, height):
    """Scene without frame, axes and legend on white, [rows, columns, 3] of bytes.

    width, height: largest size [pixels]
    """
    close_snapshot = close_up(snapshot)
    scene = scree.scene_image.Scene(close_snapshot, view, scale.colours(scale.norm(scale.colouring.values(close_snapshot))))
    pixels_per_metre = min(width / scene.extent[0], height / scene.extent[1])
    pixels = scene.image(*(max(1, int(pixels_per_metre * length)) for length in scene.extent), point=0.7)[::-1].astype(int)
    return (255 + (pixels[..., :3] - 255) * pixels[..., 3:] // 255).astype(np.uint8)


def share_palette(frames):
    """Converts images to a common palette, made from some of them; this avoids colour steps on round walls."""
    sample = np.concatenate([np.asarray(frame) for frame in frames[:: -(-len(frames) // PALETTE_FRAMES)]])
    palette = PIL.Image.fromarray(sample).quantize(256, PIL.Image.Quantize.MEDIANCUT, kmeans=1)
    return [frame.quantize(palette=palette, dither=PIL.Image.Dither.NONE) for frame in frames]


class _GifWriter(matplotlib.animation.PillowWriter):
    """A writer of GIFs whose images share a palette."""

    def finish(self):
        self._frames = share_palette([frame.convert("RGB") for frame in self._frames])
        super().finish()


def film(snapshots, output, views, scale, dpi=FILM_DPI, rate=10.0, place=None, subdomains=False, boxes=None):
    """Writes the Snapshots, an iterable, as a film of `rate` frames per second; see `render`.

    boxes: `contents` of all Snapshots, for `close_up`; None: the whole domain
    """
    writer_class = _GifWriter
    if output.suffix == ".mp4":
        writer_class = matplotlib.animation.FFMpegWriter
    figure, writer, up = None, writer_class(fps=rate), None
    for snapshot in snapshots:
        if boxes is not None and not subdomains:
            up = scree.view.vertical(snapshot) if up is None else up  # of the first frame, as the views
            snapshot = close_up(snapshot, boxes, up)
        if figure is None:
            size = figure_size(snapshot, views)
            even_size = np.round(np.array(size) * dpi / 2.0) * 2.0 / dpi  # MP4 requires even numbers of pixels
            figure = scree.figure.plt.figure(figsize=even_size)
            writer.setup(figure, str(output), dpi)
        figure.clear()
        draw(figure, snapshot, views, scale, place, subdomains)
        writer.grab_frame()
    writer.finish()
    scree.figure.plt.close(figure)


def paths(frames, count):
    """Paths of `count` particles through the frames, [P, F, 3] [m]; NaN where a particle is absent.

    The particles are evenly spaced in the sorted ids of the last frame. A path is interrupted where its particle
    crosses a periodic face.
    """
    last = frames[-1]
    ids = np.sort(last["id"])
    ids = ids[np.unique(np.linspace(0, len(ids) - 1, min(count, len(ids))).astype(int))]
    positions = np.full((len(ids), len(frames), 3), np.nan)
    for number, frame in enumerate(frames):
        rows = frame.rows_of(ids)
        positions[rows >= 0, number] = frame["position"][rows[rows >= 0]]
    steps = np.diff(positions, axis=1).reshape(-1, 3)
    jumps = (np.abs(last.nearest(steps) - steps) > 0.0).any(axis=1)
    positions[:, 1:][jumps.reshape(len(ids), len(frames) - 1)] = np.nan
    return positions


def draw_paths(panels, views, snapshot, particle_paths):
    """Draws paths [P, F, 3] [m] over the panels of `draw`."""
    metres = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))[1]
    for axes, view in zip(panels, views):
        colours = [scree.figure.COLOURS[k % len(scree.figure.COLOURS)] for k in range(len(particle_paths))]
        lines = LineCollection(view.project(particle_paths) / metres, colors=colours, linewidths=1.2, zorder=10**3)
        axes.add_collection(lines)
