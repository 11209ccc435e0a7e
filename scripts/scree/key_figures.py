"""Key figures of a run: means over time with their standard errors."""

import contextlib
import dataclasses
import itertools
import math

import numpy as np

import scree.cell
import scree.free_space
import scree.grid
import scree.means
import scree.profiles
import scree.region
import scree.repose
import scree.snapshot
import scree.table
import scree.units
from scree.errors import UsageError, did_you_mean

OF_CELL = (
    "stress xx", "stress yy", "stress zz", "shear stress", "mean stress p", "deviatoric stress q",
    "shear stress over pressure", "inertial number",
)  # fmt: skip
# Order of the table; figures that cannot be computed are omitted.
QUANTITIES = (
    "particles", "solid fraction", "solid fraction amid the particles", "touching contacts per particle",
    "closed contacts", "closed contacts per particle", "contacts in the solve", "largest penetration", "largest penetration / radius",
    "mean of the largest penetration", "mean of the largest penetration / radius",
    "mean velocity in x", "mean velocity in y", "mean velocity in z", "largest speed", "residual (RMS)", "peak of the speed profile",
    "peak of the speed profile, last", "its x", "its y", "its z", "angle of repose, last", "angle of the bed in the drum",
    "radius", "smallest radius", *OF_CELL,
)  # fmt: skip

ENOUGH = 100  # smallest number of particles for figures of the bulk, which is the middle half of the particles
ROUNDING = 1e-6  # largest relative error of a constant value, for example of a bed at rest


@dataclasses.dataclass
class KeyFigure:
    """One row of the table, in SI units."""

    quantity: str
    unit: str
    value: float
    error: float = math.nan  # standard error; NaN if there is none
    samples: int = 1
    is_bound: bool = False  # whether the error is a lower bound


def _mean(quantity, unit, values):
    """Mean of a column of the series as a KeyFigure."""
    mean, error, is_reliable = scree.means.mean_error(values)
    return KeyFigure(quantity, unit, mean, error, len(values), not is_reliable)


def _scale(figure, quantity, unit, factor):
    return dataclasses.replace(
        figure, quantity=quantity, unit=unit, value=figure.value * factor,
        error=figure.error * factor,
    )  # fmt: skip


def profile_peak(snapshot):
    """Largest mean speed in cells as wide as a sphere, and its position: (value, {axis: coordinate}) in SI."""
    axes = scree.grid.natural_axes(snapshot)
    cells = scree.grid.cells(snapshot, axes, samples=0)
    profile = scree.profiles.profile([snapshot], scree.region.make, axes, cells)
    speed = profile.columns["speed"]
    peak = np.unravel_index(np.nanargmax(speed), speed.shape)
    return float(speed[peak]), {name: float(coordinates[peak]) for name, coordinates in profile.centres().items()}


def main_axis(rows):
    """Axis with the largest mean velocity; x if the series has no other axis."""
    velocities = {axis: rows[f"mean_velocity_{axis}"] for axis in "xyz" if f"mean_velocity_{axis}" in rows}
    return max(velocities, key=lambda axis: np.nanmax(np.abs(velocities[axis]), initial=0.0), default="x")


def from_series(rows):
    """[KeyFigure] from the columns of a series."""
    penetration, main = rows["max_penetration_interval"], main_axis(rows)
    touching = rows.get("touching_per_particle", np.zeros(0))  # older runs do not have this column
    touching = touching[np.isfinite(touching)]
    return [
        _mean("particles", "1", rows["particles"]),
        *([_mean("touching contacts per particle", "1", touching)] if len(touching) else []),
        _mean("closed contacts", "1", rows["closed_contacts"]),
        _mean("closed contacts per particle", "1", 2.0 * rows["closed_contacts"] / np.maximum(rows["particles"], 1.0)),
        _mean("contacts in the solve", "1", rows["contacts"]),
        KeyFigure("largest penetration", "m", float(penetration.max()), samples=len(penetration)),
        _mean("mean of the largest penetration", "m", penetration),
        _mean(f"mean velocity in {main}", "m/s", rows[f"mean_velocity_{main}"]),
        KeyFigure("largest speed", "m/s", float(rows["max_speed"].max())),
        _mean("residual (RMS)", "m/s", rows["residual_rms"]),
    ]


def from_cell(run, rows):
    """[KeyFigure] of a run with a cell, from the columns since its control last changed."""
    rows = scree.cell.last_stage(rows)
    figures = [_mean(f"stress {axes}", "Pa", rows[f"stress_{axes}"]) for axes in scree.cell.NORMAL]
    figures += [_mean("mean stress p", "Pa", scree.cell.mean_stress(rows)), _mean("deviatoric stress q", "Pa", scree.cell.deviator(rows)),
              _mean("solid fraction", "1", rows["solid_fraction"])]  # fmt: skip
    if not scree.cell.is_sheared(rows):
        return figures
    shear = _mean("shear stress", "Pa", rows["shear_stress"])
    pressure = scree.cell.stress_along_gradient(run, rows).mean()
    if pressure > 0.0:
        figures.append(_scale(shear, "shear stress over pressure", "1", 1.0 / pressure))
    if pressure > 0.0 and run.snapshots:
        last = scree.snapshot.read_snapshot(run.snapshots[-1])
        figures += [KeyFigure("inertial number", "1", scree.cell.inertial_number(run, rows, last))] if len(last) else []
    return [*figures, shear]


def from_planes(run, begin, end):
    """[KeyFigure] of the mass flow through each plane of an average, over intervals from `begin` to `end` [s]."""
    figures = []
    for file in sorted((run.path / "averages").glob("*.csv")):
        table = run.average(file.stem)
        if "mass_flow" not in table:
            continue
        flow = (run.average_rows(file.stem, begin, end) if "time_from" in table else table)["mass_flow"]
        if len(flow):
            figures.append(_mean(f"mass flow, {file.stem}", "kg/s", flow))
    return figures


def chosen(run, columns, begin=None, end=math.inf):
    """Key figures of columns of the series, {column: KeyFigure}; raises UsageError for unknown or empty columns."""
    begin = begin_of(run, begin, end)
    rows = run.rows(begin, end)
    for name in columns:
        if name not in rows:
            raise UsageError(f"series.csv has no column '{name}'{did_you_mean(name, rows)}; it has {', '.join(rows)}")
        if not np.isfinite(rows[name]).any():
            raise UsageError(f"the column '{name}' of series.csv has no value from {begin:g} to {end:g} s")
    units = {name: scree.units.of_column(name, run.scene) for name in columns}
    return {name: _mean(name, unit, rows[name][np.isfinite(rows[name])]) for name, unit in units.items()}


def slopes(last, beds):
    """[KeyFigure] of slopes: of a heap in the last Snapshot, and of the bed in a drum.  beds: angle in each frame"""
    figures = []
    with contextlib.suppress(UsageError):  # if the particles are no heap
        figures.append(KeyFigure("angle of repose, last", "°", *scree.repose.angle(last)))
    if beds:
        mean, error = scree.means.frame_mean(beds)
        figures.append(KeyFigure("angle of the bed in the drum", "°", float(mean), float(error), len(beds)))
    return figures


def _solid_fraction(particles, numbers, volumes, free_volumes):
    """[KeyFigure] of the solid fraction, empty if a free volume is unknown or 0.

    particles: as in `from_frames`;  numbers, volumes, free_volumes: of frames, [F]: number of particles, their volume
    and the free volume [m^3]
    """
    if not all(free_volumes):
        return []
    numbers, volumes = np.array(numbers), np.array(volumes)
    sizes = volumes[numbers > 0] / numbers[numbers > 0]
    if len(set(free_volumes)) == 1 and np.ptp(sizes) <= ROUNDING * sizes[0]:
        # The series has more rows than there are frames.
        return [_scale(particles, "solid fraction", "1", sizes[0] / free_volumes[0])]
    mean, error = scree.means.frame_mean(volumes / free_volumes)
    return [KeyFigure("solid fraction", "1", float(mean), float(error), len(numbers))]


def from_frames(particles, frames):
    """[KeyFigure] of Snapshots.  particles: the KeyFigure of the number of particles"""
    peaks, radii, numbers, volumes, free_volumes, bulk, beds = [], [], [], [], [], [], []
    smallest = math.inf
    drum = None
    for _, frames_of_space in itertools.groupby(frames, lambda frame: (frame.poses, *frame.lower, *frame.upper)):
        for frame in frames_of_space:
            numbers.append(len(frame))
            volumes.append(float(frame.volumes.sum()) if len(frame) else 0.0)
            if len(frame):
                drum = drum or scree.repose.drum_of(frame)
                if drum:
                    beds.append(scree.repose.drum_angle(frame, drum))
                peaks.append(profile_peak(frame))
                radii.append(float(frame["radius"].mean()))
                smallest = min(smallest, float(frame.members()[1].min()))
                bulk.append(scree.free_space.solid_fraction(frame, scree.region.middle(frame)) if len(frame) >= ENOUGH else None)
        free_volumes += [scree.free_space.volume(frame)] * (len(volumes) - len(free_volumes))
    if not peaks:
        return []
    mean, error = scree.means.frame_mean([peak for peak, _ in peaks])
    solid = _solid_fraction(particles, numbers, volumes, free_volumes)
    if None not in bulk:
        bulk_mean, bulk_error = scree.means.frame_mean(bulk)
        solid.append(KeyFigure("solid fraction amid the particles", "1", float(bulk_mean), float(bulk_error), len(bulk)))
    return solid + slopes(frame, beds) + [
        KeyFigure("radius", "m", float(np.mean(radii)), samples=len(radii)),
        KeyFigure("smallest radius", "m", smallest, samples=len(radii)),
        KeyFigure("peak of the speed profile, last", "m/s", peaks[-1][0]),
        *(KeyFigure(f"its {axis}", "m", coordinate) for axis, coordinate in peaks[-1][1].items()),
        KeyFigure("peak of the speed profile", "m/s", float(mean), float(error), len(peaks)),
    ]


def begin_of(run, begin, end):
    """Beginning of the averages [s]. None: the middle of the run, because the first half is usually the filling."""
    if begin is not None:
        return begin
    time = run.columns["time"]
    return 0.5 * (time[0] + min(end, time[-1]))


def key_figures(run, begin=None, end=math.inf, every=0.0):
    """Key figures of a scree.directory.Run between two times [s]: {quantity: KeyFigure}.

    begin: None means the later half of the run until `end`;  every: shortest time between two snapshots [s]

    Mass flows through the planes of averages are last. If the run has no snapshots, figures of the particles are
    omitted. Raises UsageError if the series has no row in that time, or the run has snapshots, but none in that time.
    """
    is_half, begin = begin is None, begin_of(run, begin, end)
    figures = from_series(run.rows(begin, end))
    if run.snapshots:
        times = run.frames.times
        first = min(begin, times[times <= end].max(initial=-math.inf)) if is_half else begin  # also the last snapshot before `begin`
        fields = ("position", "velocity", "angular_velocity", "radius", "material")
        frames = run.frames.between(first, end, every).only(*fields)
        figures += from_frames(figures[0], frames)
    cell = scree.cell.rows(run, begin, end)
    figures += from_cell(run, cell) if cell else []
    result = {figure.quantity: figure for figure in figures}
    if "radius" in result:
        for name in ("largest penetration", "mean of the largest penetration"):
            relative_name = f"{name} / radius"
            result[relative_name] = _scale(result[name], relative_name, "1", 1.0 / result["smallest radius"].value)
    flows = {figure.quantity: figure for figure in from_planes(run, begin, end)}
    return {quantity: result[quantity] for quantity in QUANTITIES if quantity in result} | flows


def shown(figure):
    """The KeyFigure in a readable unit: penetrations in µm, or in % of the radius."""
    if "penetration / radius" in figure.quantity:
        return _scale(figure, figure.quantity, "%", 100.0)
    if "penetration" in figure.quantity:
        return _scale(figure, figure.quantity, "µm", 1e6)
    return figure


def text(figure):
    """Value and error as text: `246992 ± 31`, with `>` before an error that is a lower bound.

    Errors of constant values, which are rounding errors, are omitted.
    """
    if math.isnan(figure.error) or figure.error <= ROUNDING * abs(figure.value):
        return f"{figure.value:.4g}" if abs(figure.value) < 1e4 else f"{figure.value:.6g}"
    return scree.means.with_error(figure.value, figure.error, figure.is_bound)


def write_table(path, run, figures, begin, end):
    names = ("quantity", "unit", "value", "error")
    columns = {name: [getattr(figure, name) for figure in figures.values()] for name in names}
    columns["error_is_bound"] = [int(figure.is_bound) for figure in figures.values()]
    columns["samples"] = [figure.samples for figure in figures.values()]
    scree.table.write(path, [f"key figures of {run.name}, from {begin:g} to {end:g} s"], columns)
