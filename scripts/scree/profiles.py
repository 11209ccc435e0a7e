"""Velocity, spin and density in the cells of a plane or along an axis."""

import dataclasses

import numpy as np

import scree.figure
import scree.region
import scree.table
import scree.view
import scree.wall_drawing
from scree.errors import UsageError

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
AXES = {"x": (0,), "y": (1,), "z": (2,)}
# Cells of the paper's profiles: 1 mm for spheres of 0.94 mm, 150 x 65 across its channel.
SMALLEST_CELL = 1.0 / 0.94  # [diameters]
MOST_CELLS = 10**6  # that nobody has asked for
SAMPLES = 8  # of all frames in a cell, at least, where the spheres lie
FIELDS = ("position", "velocity", "angular_velocity", "radius", "material")
# The upper end of a colour scale leaves this share of the filled cells beyond it.
OUTLIERS = 0.005
# Column and label of each panel.
PANELS = (
    ("speed", "mean speed [m/s]"),
    ("angular_speed", "mean angular speed [rad/s]"),
    ("velocity_norm", "norm of the mean velocity [m/s]"),
    ("solid_fraction", "solid fraction"),
)


@dataclasses.dataclass
class Profile:
    """Sums over F frames in the cells; axes are those of space that the cells divide (D = 1 or 2)."""

    axes: tuple  # [D]
    edges: list  # D arrays, [n_0 + 1], [n_1 + 1] [m]
    cell_volume: float  # [m^3]
    frames: int
    sums: dict  # name -> [n_0, n_1] or [n_0, n_1, 3]

    def columns(self):
        """Means, {name: [n_0, n_1]}: velocities over the samples, densities over the frames; NaN without samples."""
        samples = self.sums["samples"]
        result = {"samples": samples.astype(int)}
        with np.errstate(invalid="ignore", divide="ignore"):
            for name, norm in (("velocity", "speed"), ("angular_velocity", "angular_speed")):
                mean = self.sums[name] / samples[..., None]
                result |= {f"{name}_{'xyz'[k]}": mean[..., k] for k in range(3)}
                result[f"{name}_norm"] = np.linalg.norm(mean, axis=-1)
                result[norm] = self.sums[norm] / samples
        volume = self.frames * self.cell_volume
        result["number_density"] = samples / volume
        result["mass_density"] = self.sums["mass"] / volume
        result["solid_fraction"] = self.sums["volume"] / volume
        return result

    def centres(self):
        """Of the cells, {"x": [n_0, n_1], ...}."""
        middles = [0.5 * (edges[:-1] + edges[1:]) for edges in self.edges]
        grids = np.meshgrid(*middles, indexing="ij")
        return {"xyz"[axis]: grid for axis, grid in zip(self.axes, grids)}


def natural_axes(snapshot):
    """Axes along which a snapshot's scene is worth dividing: one if it repeats along the others, or two."""
    across = [axis for axis in range(3) if not snapshot.periodic[axis]]
    return tuple(across) if len(across) == 1 else scree.view.main(snapshot).axes


def cells(snapshot, axes, frames=1, samples=SAMPLES):
    """Numbers of cells along these axes of the domain, one if it is empty: as wide as a sphere, or so that
    they hold SAMPLES of all frames where the spheres lie; wider if there were more than MOST_CELLS.

    frames: over how many such snapshots the profile will be;  samples: 0 takes the smallest cells
    """
    if not len(snapshot):
        return (1,) * len(axes)
    diameter = 2.0 * float(snapshot["radius"].mean())
    taken = np.ptp(snapshot["position"], axis=0)[list(axes)] + diameter
    room = np.prod(taken / diameter)
    size = diameter * max(SMALLEST_CELL, (samples * room / (frames * len(snapshot))) ** (1.0 / len(axes)))
    extent = (snapshot.upper - snapshot.lower)[list(axes)]
    counts = extent / size
    counts *= min(1.0, MOST_CELLS / np.prod(counts)) ** (1.0 / len(axes))
    return tuple(int(count) for count in np.maximum(np.round(counts), 1))


def _add_frame(sums, snapshot, inside, cell, count):
    """Adds the particles of a frame; inside: rows of those in the region, cell: where each lies."""

    def total(weights=None):
        return np.bincount(cell, weights, minlength=count)

    sums["samples"] += total()
    for name, norm in (("velocity", "speed"), ("angular_velocity", "angular_speed")):
        vectors = snapshot[name][inside]
        for k in range(3):
            sums[name][:, k] += total(vectors[:, k])
        sums[norm] += total(np.linalg.norm(vectors, axis=1))
    sums["volume"] += total(snapshot.volumes[inside])
    sums["mass"] += total(snapshot.masses[inside])


def profile(snapshots, region_of, axes, cells):
    """The Profile of one Snapshot or more.

    region_of: Snapshot -> Region;  axes: of space, one or two;  cells: as many numbers
    Raises UsageError if no particle is in the region in any frame.
    """
    count = int(np.prod(cells))
    sums = {name: np.zeros(count) for name in ("samples", "speed", "angular_speed", "volume", "mass")}
    sums |= {name: np.zeros((count, 3)) for name in ("velocity", "angular_velocity")}
    frames = 0
    for snapshot in snapshots:
        region = region_of(snapshot)
        inside = np.flatnonzero(region.holds(snapshot["position"]))
        share = (snapshot["position"][inside] - region.lower) / (region.upper - region.lower)
        index = [
            np.minimum((share[:, axis] * number).astype(int), number - 1)  # rounding at the end
            for axis, number in zip(axes, cells)
        ]
        _add_frame(sums, snapshot, inside, np.ravel_multi_index(index, cells), count)
        frames += 1
    if not sums["samples"].any():
        raise UsageError(f"there are no particles in {region}")
    edges = [np.linspace(region.lower[k], region.upper[k], n + 1) for k, n in zip(axes, cells)]
    shaped = {name: values.reshape(*cells, *values.shape[1:]) for name, values in sums.items()}
    return Profile(tuple(axes), edges, region.volume / count, frames, shaped)


def whole_domain(snapshot):
    """The region that `profile` asks for, if it is all of the domain."""
    return scree.region.make(snapshot)


def write_table(path, result, region):
    counts = "x".join(str(len(edges) - 1) for edges in result.edges)
    along = "".join("xyz"[axis] for axis in result.axes)
    notes = [
        f"profile along {along}, {counts} cells, {result.frames} frames; SI units",
        f"region {region}",
        "velocities are means over the samples, densities over the frames; the volume of walls and "
        "obstacles is not taken off that of the cells",
    ]
    columns = {**result.centres(), **result.columns()}
    rows = {name: values.ravel(order="F") for name, values in columns.items()}  # x runs fastest
    scree.table.write(path, notes, rows)


def colour_top(values):
    """Upper end of a colour scale for values with NaN that a few outliers do not wash out."""
    return float(np.nanquantile(values, 1.0 - OUTLIERS)) or None


def draw_map(axes, result, name, label, snapshot, top=None):
    """One quantity of a Profile over a plane, with the walls of a snapshot."""
    values = result.columns()[name]
    unit = scree.figure.length_unit(max(np.ptp(edges) for edges in result.edges))
    scree.figure.draw_map(axes, result.edges, values, label, unit, top or colour_top(values))
    scree.wall_drawing.draw(axes, snapshot, scree.view.of_plane(snapshot, result.axes), unit[1])
    for set_label, axis in zip((axes.set_xlabel, axes.set_ylabel), result.axes):
        set_label(f"{'xyz'[axis]} [{unit[0]}]")


def panels_for(result, count):
    """Figure and [count] axes for maps of a Profile: in columns where it is high, else in two rows."""
    wide, high = (np.ptp(edges) for edges in result.edges)
    rows = 1 if high > wide else -(-count // 2)
    columns = -(-count // rows)
    width = 6.0 if rows > 1 else min(6.0, max(2.0, 7.0 * wide / high) + 0.8)
    height = min(max(width * high / wide, 1.5), 8.0)
    figure, panels = scree.figure.plt.subplots(
        rows, columns, figsize=(columns * (width + 1.0), rows * (height + 0.5)), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axes in panels.flat[count:]:
        axes.set_axis_off()
    return figure, list(panels.flat[:count])


def write_maps(path, result, snapshot):
    figure, panels = panels_for(result, len(PANELS))
    for axes, (name, label) in zip(panels, PANELS):
        draw_map(axes, result, name, label, snapshot)
    scree.figure.save(figure, path)


def draw_lines(panels, results, names=PANELS):
    """Profiles along one axis, {label: Profile}, a panel for each of the columns and labels in `names`."""
    first = next(iter(results.values()))
    unit, metres = scree.figure.length_unit(np.ptp(first.edges[0]))
    for index, (label, result) in enumerate(results.items()):
        (edges,) = result.edges
        columns = result.columns()
        for axes, (column, title) in zip(panels, names):
            colour = scree.figure.COLOURS[index % len(scree.figure.COLOURS)]
            axes.stairs(columns[column], edges / metres, color=colour, baseline=None, label=label)
            axes.set(ylabel=title, xlabel=f"{'xyz'[result.axes[0]]} [{unit}]")
            if not column[-2:] in ("_x", "_y", "_z"):
                axes.set_ylim(bottom=0.0)


def write_lines(path, result):
    figure, panels = scree.figure.plt.subplots(2, 2, figsize=(10.0, 6.0), layout="constrained")
    draw_lines(panels.flat, {"": result})
    scree.figure.save(figure, path)
