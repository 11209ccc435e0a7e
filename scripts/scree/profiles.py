"""Velocity, spin and density in cells of a plane or along an axis; space-time diagrams of profiles along an axis."""

import numpy as np

import scree.figure
import scree.free_space
import scree.grid
import scree.means
import scree.table
import scree.units
from scree.errors import UsageError

FIELDS = ("position", "velocity", "angular_velocity", "radius", "material")
# Column and label of each panel.
PANELS = (
    ("speed", "mean " + scree.units.LABELS["speed"]), ("angular_speed", "mean " + scree.units.LABELS["angular_speed"]),
    ("solid_fraction", scree.units.LABELS["solid_fraction"]),
)  # fmt: skip
# Quantities that are summed in cells: number of components, and the values of a snapshot, [N, components].
SUMS = {
    "samples": (1, lambda snapshot: np.ones((len(snapshot), 1))),
    "velocity": (3, lambda snapshot: snapshot["velocity"]),
    "speed": (1, lambda snapshot: np.linalg.norm(snapshot["velocity"], axis=1, keepdims=True)),
    "angular_velocity": (3, lambda snapshot: snapshot["angular_velocity"]),
    "angular_speed": (1, lambda snapshot: np.linalg.norm(snapshot["angular_velocity"], axis=1, keepdims=True)),
    "mass": (1, lambda snapshot: snapshot.masses[:, None]),
}


def profile(snapshots, region_of, axes, cells):
    """Grid of Snapshots; its columns are those of PREFIX.csv of scripts/profiles.py.

    region_of: Snapshot -> Region;  axes: one or two axes;  cells: number of cells along each axis

    Several frames and one axis give columns NAME_error of the PANELS, with standard errors over the frames. Raises
    UsageError if no frame has particles in its region.
    """
    frames, total, free_fraction, times, last_space = [], {}, None, [], None
    for snapshot in snapshots:
        region = region_of(snapshot)
        space = (snapshot.poses, *region.lower, *region.upper)
        if space != last_space:
            free_fraction, last_space = scree.free_space.shares(snapshot, region.lower, region.upper, axes, cells), space
        sums = _sums(snapshot, region, axes, cells)
        sums["free"] = free_fraction.reshape(cells, order="F").ravel() * sums["volume"]
        total = {name: total.get(name, 0.0) + values for name, values in sums.items()}
        frames += [sums] if len(axes) == 1 else []
        times.append(snapshot.time)
    if not total["samples"].any():
        raise UsageError(f"there are no particles in {region}")
    errors = scree.means.jackknife(frames, lambda sums, _: _columns(sums))
    columns = _columns(total) | {f"{name}_error": errors[name] for name, _ in PANELS if errors}
    shaped = {name: values.reshape(cells) for name, values in columns.items()}
    return scree.grid.Grid(tuple(axes), scree.grid.edges(region, axes, cells), shaped, tuple(times))


def _sums(snapshot, region, axes, cells):
    """Sums of a frame in each cell: SUMS, the volume of particles ("solid"), and the volume of the cell [m^3]."""
    number = int(np.prod(cells))
    rows_inside, cell = _cells(snapshot["position"], region, axes, cells)
    sums = {"solid": np.zeros(number), "volume": np.full(number, region.volume / number)}
    for positions, volumes in scree.free_space.pieces(snapshot):
        rows, cell_of_row = _cells(positions, region, axes, cells)
        sums["solid"] += np.bincount(cell_of_row, volumes[rows], minlength=number)
    for name, (components, values) in SUMS.items():
        sums[name] = np.zeros((number, components))
        scree.grid.add(sums[name], cell, values(snapshot)[rows_inside])
    return sums


def _cells(positions, region, axes, cells):
    """Rows of the positions [N, 3] that are in the region, [M], and their cells, [M]."""
    rows_inside = np.flatnonzero(region.holds(positions))
    fraction = (positions[rows_inside] - region.lower) / (region.upper - region.lower)
    index = [np.minimum((fraction[:, axis] * number).astype(int), number - 1)  # rounding at the upper end
             for axis, number in zip(axes, cells)]  # fmt: skip
    return rows_inside, np.ravel_multi_index(index, cells)


def _columns(sums):
    """Columns from sums: velocities are means over samples, NaN without samples.

    Densities are sums over all frames, divided by the sum of the cell's volumes in these frames.
    """
    samples = sums["samples"][:, 0]
    columns = {"samples": samples.astype(int)}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, norm in (("velocity", "speed"), ("angular_velocity", "angular_speed")):
            mean = sums[name] / samples[:, None]
            columns |= {f"{name}_{'xyz'[k]}": mean[:, k] for k in range(3)}
            columns[f"{name}_norm"] = np.linalg.norm(mean, axis=1)
            columns[norm] = sums[norm][:, 0] / samples
        columns["number_density"] = samples / sums["volume"]
        columns["mass_density"] = sums["mass"][:, 0] / sums["volume"]
        free = sums["free"] / sums["volume"]
        columns["solid_fraction"] = np.where(free > scree.free_space.MIN_FREE, sums["solid"] / sums["free"], np.nan)
        columns["free_share"] = free
    return columns


def write_table(path, result, region):
    counts = "x".join(str(len(edges) - 1) for edges in result.edges)
    axis_names = "".join("xyz"[axis] for axis in result.axes)
    notes = [
        f"profile along {axis_names}, {counts} cells, {scree.means.over(result.times)}; SI units",
        f"region {region}",
        "velocities are means over the samples, densities over the frames; solid_fraction is the volume of the spheres "
        "inside the cell, divided by the free part of the cell (free_share); other columns count spheres by their centre",
    ]
    scree.grid.write_table(path, notes, result)


def write_picture(path, result, snapshot, region):
    figure = scree.grid.figure_of(result, PANELS, snapshot)
    scree.figure.save(figure, path, averaged_times=result.times, where=scree.grid.across(region, result.axes))


def over_time(snapshots, region_of, axis, count):
    """The Grids along an axis of the Snapshots with particles in their region, [T].

    Raises UsageError if there are none.
    """
    grids = []
    for snapshot in snapshots:
        region = region_of(snapshot)
        if region.holds(snapshot["position"]).any():
            grids.append(profile([snapshot], region_of, (axis,), (count,)))
    if not grids:
        raise UsageError("there are no particles in the region in any snapshot")
    return grids


def write_series(path, grids, region):
    """Writes a row for each cell of the `over_time` Grids, sorted by time."""
    axis_name = "xyz"[grids[0].axes[0]]
    columns = {"time": np.concatenate([np.full(len(grid.middles()[0]), grid.times[0]) for grid in grids])}
    columns[axis_name] = np.concatenate([grid.middles()[0] for grid in grids])
    columns |= {name: np.concatenate([grid.columns[name] for grid in grids]) for name in grids[0].columns}
    notes = [f"profiles along {axis_name} over time; SI units", f"region of the last snapshot {region}"]
    scree.table.write(path, notes, columns)


def series_figure(grids):
    """Space-time diagrams of the PANELS: time to the right, position upwards.

    grids: from `over_time`; all are drawn with the cells of the last Grid
    """
    times = np.array([grid.times[0] for grid in grids])
    middles = 0.5 * (times[1:] + times[:-1]) if len(times) > 1 else times - 0.5
    ends = np.concatenate([[2.0 * times[0] - middles[0]], middles, [2.0 * times[-1] - middles[-1]]])
    unit, metres = scree.figure.length_unit(np.ptp(grids[-1].edges[0]))
    figure, panels = scree.figure.panels(len(PANELS), 1, (scree.figure.PAGE, 2.0))
    for axes, (name, label) in zip(panels, PANELS):
        values = np.array([grid.columns[name] for grid in grids])
        solid = np.array([grid.columns["solid_fraction"] for grid in grids])
        values = np.where(np.nan_to_num(solid) > scree.grid.MIN_SOLID * np.nanmax(solid), values, np.nan)
        top = scree.grid.colour_top(values) if np.isfinite(values).any() else None
        label, size = scree.units.handy(label, top or 0.0)
        mesh = axes.pcolormesh(ends, grids[-1].edges[0] / metres, np.ma.masked_invalid(values).T / size, vmin=0.0,
                               vmax=top and top / size, cmap=scree.figure.COLOUR_MAP, rasterized=True)  # fmt: skip
        figure.colorbar(mesh, ax=axes, label=label.replace(" $", "\n$", 1), pad=0.02)
        axes.set(xlabel="time $t$ [s]", ylabel=f"${'xyz'[grids[-1].axes[0]]}$ [{unit}]")
        axes.label_outer()
    return figure
