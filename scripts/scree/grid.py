"""Grids of cells in a plane or along an axis, with defaults from the scene; tables, maps and lines of their values."""

import dataclasses

import numpy as np

import scree.figure
import scree.region
import scree.table
import scree.units
import scree.view
import scree.wall_drawing

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
AXES = {"x": (0,), "y": (1,), "z": (2,)}
# As in arXiv:1706.00221, section 4.3: cells of 1 mm for spheres of 0.94 mm, 150 x 65 over the section of the channel.
SMALLEST_CELL = 1.0 / 0.94  # [diameters]
MAX_CELLS = 10**6  # largest number of cells by default
SAMPLES = 8  # smallest number of samples over all frames in a cell inside the bed
OUTLIERS = 0.005  # fraction of the filled cells beyond the upper end of a colour scale
MIN_SOLID = 1e-3  # maps omit cells with a smaller solid fraction, relative to the largest
MAX_HEIGHT = 6.0  # largest height of a map [inch]
FLOWS = ("speed", "velocity_norm")  # maps of these columns have arrows of the velocity
STREAMLINES = 1.0  # density of streamlines, as matplotlib defines it
ARROWS = 12  # largest number of arrows along the longer side of a map
ARROW_OUTLIERS = 0.05  # fraction of arrows that are longer than the side of a block of cells
MIN_ARROW = 0.1  # shortest arrow, relative to the side of a block


@dataclasses.dataclass
class Grid:
    """Values in cells along D = 1 or 2 axes."""

    axes: tuple  # [D], 0 to 2
    edges: list  # D arrays, [n_0 + 1], [n_1 + 1] [m]
    columns: dict  # name -> [n_0] or [n_0, n_1]; NaN: no data
    times: tuple = ()  # times of the averaged snapshots [s]

    def middles(self):
        """Middles of the cells along each axis, D arrays."""
        return [0.5 * (edges[:-1] + edges[1:]) for edges in self.edges]

    def centres(self):
        """Centres of the cells, {"x": [n_0, n_1], ...}."""
        return dict(zip(("xyz"[axis] for axis in self.axes), np.meshgrid(*self.middles(), indexing="ij")))


def natural_axes(snapshot):
    """Default axes of a grid: one axis if the scene is periodic along the others, otherwise two."""
    bounded_axes = [axis for axis in range(3) if not snapshot.periodic[axis]]
    return tuple(bounded_axes) if len(bounded_axes) == 1 else scree.view.main(snapshot).axes


def cells(snapshot, axes, frames=1, samples=SAMPLES, region=None):
    """Numbers of cells along these axes of a Region; 1 if it is empty.

    Cells are about as wide as a sphere. They are wider if cells in the bed would have fewer than `samples` particles,
    summed over all frames, or if there would be more than MAX_CELLS cells.

    frames: number of averaged snapshots;  samples: 0: cells are about as wide as a sphere
    region: scree.region.Region; None: the domain
    """
    region = region or scree.region.make(snapshot)
    rows = np.flatnonzero(region.holds(snapshot["position"]))
    if not len(rows):
        return (1,) * len(axes)
    diameter = 2.0 * float(snapshot["radius"][rows].mean())
    filled_extent = np.ptp(snapshot["position"][rows], axis=0)[list(axes)] + diameter
    sphere_sites = np.prod(filled_extent / diameter)
    cell_width = diameter * max(SMALLEST_CELL, (samples * sphere_sites / (frames * len(rows))) ** (1.0 / len(axes)))
    extent = (region.upper - region.lower)[list(axes)]
    counts = extent / cell_width
    counts *= min(1.0, MAX_CELLS / np.prod(counts)) ** (1.0 / len(axes))
    return tuple(int(count) for count in np.maximum(np.round(counts), 1))


def across(region, axes):
    """Description of the part of a Region over which a grid along `axes` averages."""
    return region.text([axis for axis in range(3) if axis not in axes])


def edges(region, axes, counts):
    """Edges of equal cells of a region along these axes, D arrays [m]."""
    return [np.linspace(region.lower[k], region.upper[k], n + 1) for k, n in zip(axes, counts)]


def add(sums, rows, values):
    """Adds values [N, K] to rows of sums [M, K].  rows: [N]"""
    for column in range(values.shape[1]):
        sums[:, column] += np.bincount(rows, values[:, column], minlength=len(sums))


def of_table(columns, names):
    """The Grid of these columns of a table of averages/*.csv; None unless the cells divide one or two axes.

    columns: a row for each cell, so only one interval, and only one material or shape of a table with `by`
    """
    positions = {axis: np.unique(columns["xyz"[axis]]) for axis in range(3)}
    axes = tuple(axis for axis in range(3) if len(positions[axis]) > 1)
    if len(axes) not in (1, 2):
        return None
    # The table has the middles of equal cells.
    halves = [0.5 * (positions[axis][-1] - positions[axis][0]) / (len(positions[axis]) - 1) for axis in axes]
    lines = [np.linspace(positions[axis][0] - half, positions[axis][-1] + half, len(positions[axis]) + 1)
             for axis, half in zip(axes, halves)]  # fmt: skip
    counts = [len(positions[axis]) for axis in axes]
    return Grid(axes, lines, {name: columns[name].reshape(counts, order="F") for name in names})


def write_table(path, notes, grid):
    """Writes a row for each cell; the first axis changes fastest."""
    columns = {**grid.centres(), **grid.columns}
    scree.table.write(path, notes, {name: values.ravel(order="F") for name, values in columns.items()})


def colour_top(values):
    """Upper end of a colour scale for values, which may be NaN, without a few outliers; None if it is 0."""
    return float(np.nanquantile(values, 1.0 - OUTLIERS)) or None


def streamline_figure(grid, snapshot):
    """A map of the norm of the mean velocity with streamlines.

    grid: with columns velocity_x, ... and solid_fraction
    """
    norm = np.sqrt(sum(grid.columns[f"velocity_{axis}"] ** 2 for axis in "xyz"))
    grid = _cropped(dataclasses.replace(grid, columns=grid.columns | {"velocity_norm": norm}))
    width, height = (np.ptp(edges) for edges in grid.edges)
    size = (scree.figure.PAGE, min(scree.figure.PAGE * height / width, MAX_HEIGHT) + 0.8)
    figure, (axes,) = scree.figure.panels(1, 1, size, layout="compressed")
    draw_map(axes, grid, "velocity_norm", scree.units.LABELS["velocity_norm"], snapshot)
    draw_streamlines(axes, grid, scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))[1])
    return figure


def _cropped(grid):
    """The Grid cropped to cells with particles; cells with almost none are NaN."""
    solid = grid.columns.get("solid_fraction")
    if solid is None or not np.nanmax(solid, initial=0.0) > 0.0:
        return grid
    has_particles = np.nan_to_num(solid) > MIN_SOLID * np.nanmax(solid)
    ranges = []
    for axis in range(2):
        rows = np.flatnonzero(has_particles.any(axis=1 - axis))
        ranges.append(slice(max(rows[0] - 1, 0), rows[-1] + 2))
    columns = {name: np.where(has_particles, values, np.nan)[tuple(ranges)] for name, values in grid.columns.items()}
    lines = [edges[cells.start : cells.stop + 1] for edges, cells in zip(grid.edges, ranges)]
    return dataclasses.replace(grid, edges=lines, columns=columns)


def arrows(grid, max_blocks=ARROWS):
    """Mean velocities in the plane of a map, in blocks of cells.  max_blocks: along the longer side

    Returns, for blocks with samples, their middles [B, 2] [m] and velocities [B, 2] [m/s], and the side of a block [m].
    """
    counts = [len(edges) - 1 for edges in grid.edges]
    side = max(np.ptp(edges) for edges in grid.edges) / max_blocks
    blocks = [np.minimum(((middles - edges[0]) / side).astype(int), max_blocks - 1)
              for middles, edges in zip(grid.middles(), grid.edges)]  # fmt: skip
    block = (blocks[0][:, None] * max_blocks + blocks[1]).ravel()
    samples = np.nan_to_num(grid.columns["samples"]).ravel()
    values = [np.nan_to_num(grid.columns[f"velocity_{'xyz'[axis]}"]) for axis in grid.axes]
    positions = np.meshgrid(*grid.middles(), indexing="ij")
    weight = np.bincount(block, samples)
    has_weight = weight > 0.0
    sums = [np.bincount(block, samples * np.broadcast_to(component, counts).ravel())[has_weight] / weight[has_weight] for component in (*positions, *values)]
    return np.stack(sums[:2], axis=1), np.stack(sums[2:], axis=1), side


def _draw_arrows(axes, grid, metres):
    positions, velocities, side = arrows(grid)
    sizes = np.linalg.norm(velocities, axis=1)
    longest = np.quantile(sizes, 1.0 - ARROW_OUTLIERS) if len(sizes) else 0.0
    if longest < scree.units.AT_REST["velocity_norm"]:
        return
    scale = longest / (side / metres)
    is_visible = sizes > MIN_ARROW * longest
    factor = np.minimum(1.0, 1.5 * longest / np.maximum(sizes, 1e-300))[:, None]
    axes.quiver(*(positions[is_visible] / metres).T, *(factor * velocities)[is_visible].T, angles="xy", scale_units="xy", scale=scale, pivot="mid",
                color="white", edgecolor="black", linewidth=0.3, width=0.01, headwidth=3.5, headlength=4.0, headaxislength=3.6,
                zorder=2.5)  # fmt: skip


def draw_streamlines(axes, grid, metres):
    """Draws streamlines of the mean velocity in the plane of a map, over cells with particles.

    metres: unit of length [m]
    """
    x, y = (middles / metres for middles in grid.middles())
    values = [np.ma.masked_invalid(np.where(np.isfinite(grid.columns["velocity_norm"]), grid.columns[f"velocity_{'xyz'[axis]}"],
                                            np.nan)).T for axis in grid.axes]  # fmt: skip
    if min(len(x), len(y)) < 2 or not np.hypot(*values).max() > scree.units.AT_REST["velocity_norm"]:
        return
    axes.streamplot(x, y, *values, color="white", linewidth=0.8, arrowsize=0.7, density=STREAMLINES, zorder=2.5)


def draw_map(axes, grid, name, label, snapshot, top=None):
    """Draws a column over a plane, with its colour bar and the walls of a snapshot; NaN is white.

    Maps of the speed have arrows of the mean velocity.  top: upper end of the colours
    """
    unit, metres = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    values, (x, y) = grid.columns[name], (edges / metres for edges in grid.edges)
    top = top or colour_top(values)
    if top and top < scree.units.AT_REST.get(name, 0.0):
        top = 1.0
    mesh = axes.pcolormesh(x, y, np.ma.masked_invalid(values).T, cmap=scree.figure.COLOUR_MAP, vmin=0.0, vmax=top,
                           rasterized=True)  # fmt: skip
    axes.set_aspect("equal")
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    if name in FLOWS and "samples" in grid.columns:
        _draw_arrows(axes, grid, metres)
    scree.figure.draw_bar(axes, mesh, label, top is not None and np.nanmax(values, initial=0.0) > top)
    scree.wall_drawing.draw(axes, snapshot, scree.view.of_plane(snapshot, grid.axes), metres)
    axes.set(**{f"{side}label": f"${'xyz'[axis]}$ [{unit}]" for side, axis in zip("xy", grid.axes)})
    axes.label_outer()


def draw_lines(panels, grids, names, is_smooth=False):
    """Draws {label: Grid} of one axis, with errors if there are any, into a panel for each (column, title) in `names`.

    is_smooth: values belong to the middles of cells, and are not means over cells
    """
    first = next(iter(grids.values()))
    unit, metres = scree.figure.length_unit(np.ptp(first.edges[0]))
    ends = [end(grid.edges[0][k] / metres for grid in grids.values()) for end, k in ((min, 0), (max, -1))]
    for label, grid in grids.items():
        for axes, (column, title) in zip(panels, names):
            values, error = grid.columns[column], grid.columns.get(f"{column}_error")
            colour = axes._get_lines.get_next_color()
            middles = grid.middles()[0] / metres
            if is_smooth:
                axes.plot(middles, values, color=colour, label=label)
            else:
                axes.stairs(values, grid.edges[0] / metres, baseline=None, color=colour, label=label)
            if error is not None and is_smooth:
                axes.fill_between(middles, values - error, values + error, color=colour, alpha=0.3, linewidth=0.0)
            elif error is not None:
                axes.errorbar(middles, values, np.nan_to_num(error), fmt="none", ecolor=colour, elinewidth=0.8)
            axes.set(xlabel=f"${'xyz'[grid.axes[0]]}$ [{unit}]", xlim=ends)
            if column[-2:] not in ("_x", "_y", "_z"):
                axes.set_ylim(bottom=min(0.0, np.nanmin(values, initial=0.0)))
            scree.figure.label(axes.yaxis, title)


def lines_figure(grids, names, is_smooth=False):
    """A figure by `draw_lines`."""
    figure, panels = scree.figure.panels(len(names), 2)
    draw_lines(panels, grids, names, is_smooth)
    return figure


def figure_of(grid, names, snapshot, tops=None, is_smooth=False):
    """A figure with a map, or lines for one axis, for each (column, label) in `names`, cropped to the particles.

    tops: column -> upper end of its colours
    """
    if len(grid.axes) == 1:
        return lines_figure({"": grid}, names, is_smooth)
    grid = _cropped(grid)
    width, length = (np.ptp(edges) for edges in grid.edges)
    columns = len(names) if length > (1.5 if len(names) % 2 == 0 else 0.6) * width else 2 - len(names) % 2
    height = min(scree.figure.PAGE / columns * length / width, MAX_HEIGHT) + 0.8  # bar and labels
    size = (scree.figure.PAGE / min(columns, len(names)), height)
    figure, panels = scree.figure.panels(len(names), columns, size, layout="compressed")
    for axes, (name, label) in zip(panels, names):
        draw_map(axes, grid, name, label, snapshot, (tops or {}).get(name))
    for axes in panels[-columns:]:  # the lowest panels
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(panels[-1].get_xlabel())
    return figure
