"""Statistics of contacts in a region: coordination, impulses, fabric, stress; pictures of force chains."""

import dataclasses

import numpy as np
from matplotlib.collections import LineCollection

import scree.configuration
import scree.figure
import scree.means
import scree.table
import scree.view
import scree.wall_drawing
from scree.errors import UsageError

FIELDS = ("position", "radius")
COORDINATIONS = 16  # more than spheres of equal size can have, 12; the last bin holds all above
IMPULSE_EDGES = np.linspace(0.0, 10.0, 41)  # [mean impulses]
DIRECTION_EDGES = np.linspace(0.0, 1.0, 11)  # |cos| of the angle between normal and an axis
WIDEST = 8.0  # chains are drawn no wider than that of this impulse [mean impulses]
COMPONENTS = [f"{i}{j}" for i in "xyz" for j in "xyz"]


@dataclasses.dataclass
class Statistics:
    """Of one frame; what needs impulses is None where they are not known."""

    time: float  # [s]
    coordination: np.ndarray  # [COORDINATIONS + 1], shares of the particles
    mean_coordination: float
    fabric: np.ndarray  # [3, 3]; NaN without closed contacts
    directions: np.ndarray  # [3, 10], density of |n_x|, |n_y|, |n_z|; 1 if isotropic
    impulses: np.ndarray | None = None  # [40], probability density
    mean_impulse: float | None = None  # normal, of the loaded contacts [N s]
    mean_force: float | None = None  # that over the time step [N]
    stress: np.ndarray | None = None  # [3, 3] [Pa]


def coordination(snapshot, contacts):
    """Closed contacts of each particle: [N]."""
    closed = contacts.closed
    count = np.bincount(contacts.a[closed], minlength=len(snapshot))
    partners = contacts.b[closed & (contacts.b >= 0)]
    return count + np.bincount(partners, minlength=len(snapshot))


def fabric(normals):
    """<n n>, [3, 3], of normals [C, 3]; NaN if there are none."""
    if not len(normals):
        return np.full((3, 3), np.nan)
    return normals.T @ normals / len(normals)


def stress(contacts, branches, dt, volume):
    """Contact stress [3, 3] in Pa of the contacts and their branches [C, 3]; compression positive."""
    return contacts.total_impulse.T @ branches / (dt * volume)


def _directions(normals):
    """Density of the normals' components without sign, [3, 10]; 1 if all directions are alike."""
    if not len(normals):
        return np.full((3, len(DIRECTION_EDGES) - 1), np.nan)
    # Rounding makes 1 + 1e-16 of the component of a unit vector.
    components = np.minimum(np.abs(normals), 1.0)
    return np.array(
        [np.histogram(values, DIRECTION_EDGES, density=True)[0] for values in components.T]
    )


def statistics(snapshot, contacts, region):
    """Statistics of a Snapshot's Contacts in a Region; raises UsageError if no particle is in it."""
    inside = region.holds(snapshot["position"])
    if not inside.any():
        raise UsageError(f"'{snapshot.path}' has no particles in {region}")
    counts = coordination(snapshot, contacts)[inside]
    shares = np.bincount(np.minimum(counts, COORDINATIONS), minlength=COORDINATIONS + 1)
    here = contacts.within(region, snapshot)
    normals = here.normal[here.closed]
    result = Statistics(
        snapshot.time, shares / len(counts), float(counts.mean()), fabric(normals), _directions(normals)
    )
    if here.impulse is not None:
        dt = scree.configuration.time_step_of(snapshot)
        result.stress = stress(here, here.branch(snapshot), dt, region.volume)
        loads = here.normal_impulse[here.normal_impulse > 0.0]
        if len(loads):
            result.mean_impulse, result.mean_force = float(loads.mean()), float(loads.mean() / dt)
            counted = np.histogram(loads / result.mean_impulse, IMPULSE_EDGES)[0]
            result.impulses = counted / (len(loads) * np.diff(IMPULSE_EDGES))
    return result


def average(frames, name):
    """Mean and standard error of a quantity over the [Statistics] that have it; None if none has."""
    values = [getattr(frame, name) for frame in frames if getattr(frame, name) is not None]
    return scree.means.frame_mean(values) if values else None


def write_tables(prefix, frames, region):
    """Writes PREFIX_coordination.csv, PREFIX_tensors.csv and PREFIX_impulses.csv, as contacts.py describes: their names."""
    notes = [f"region {region}, {scree.means.over([frame.time for frame in frames])}"]
    shares, error = average(frames, "coordination")
    mean, _ = average(frames, "mean_coordination")
    columns = {"coordination": np.arange(len(shares)), "share": shares, "error": error}
    last = f"mean {mean:.9g}; the last row holds all of {COORDINATIONS} contacts or more"
    scree.table.write(f"{prefix}_coordination.csv", notes + [last], columns)

    tensors = {"component": COMPONENTS}
    for name, unit in (("fabric", ""), ("stress", "_pa")):
        tensor = average(frames, name)
        if tensor is not None:
            mean, error = (values.ravel() for values in tensor)
            tensors |= {f"{name}{unit}": mean, f"{name}{unit}_error": error}
    scree.table.write(f"{prefix}_tensors.csv", notes, tensors)
    written = [f"{prefix}_coordination.csv", f"{prefix}_tensors.csv"]

    density = average(frames, "impulses")
    if density is not None:
        (mean, _), (force, _) = (average(frames, f"mean_{name}") for name in ("impulse", "force"))
        middles = 0.5 * (IMPULSE_EDGES[:-1] + IMPULSE_EDGES[1:])
        columns = {"impulse_over_mean": middles, "density": density[0], "error": density[1]}
        scree.table.write(f"{prefix}_impulses.csv", notes + [f"mean impulse {mean:.9g} N s, mean force {force:.9g} N"], columns)
        written.append(f"{prefix}_impulses.csv")
    return written


def draw_coordination(axes, frames):
    shares, error = average(frames, "coordination")
    axes.bar(np.arange(len(shares)), shares, width=0.9)
    error = np.nan_to_num(error)  # one frame has none
    axes.errorbar(np.arange(len(shares)), shares, error, fmt="none", ecolor="black", capsize=2)
    used = np.flatnonzero(shares)[-1]
    axes.set(
        xlabel="closed contacts of a particle", ylabel="share of the particles", xlim=(-0.7, used + 0.7),
    )
    axes.set_title(f"coordination, mean $Z$ = {average(frames, 'mean_coordination')[0]:.4g}", fontsize="medium")
    axes.xaxis.get_major_locator().set_params(integer=True)


def draw_impulses(axes, frames):
    density, error = average(frames, "impulses")
    density = np.where(density > 0.0, density, np.nan)
    middles = 0.5 * (IMPULSE_EDGES[:-1] + IMPULSE_EDGES[1:])
    axes.errorbar(middles, density, np.nan_to_num(error), fmt="o", markersize=3)
    axes.set_yscale("log")
    # Where the bar of an error ends that is as large as its value tells nothing.
    axes.set_ylim(0.5 * np.nanmin(density), 2.0 * np.nanmax(density))
    axes.set(
        xlabel=r"normal force $f_n\,/\,\langle f_n\rangle$", ylabel="probability density",
        xlim=(0.0, IMPULSE_EDGES[-1]),
    )
    axes.set_title(rf"forces, $\langle f_n\rangle$ = {average(frames, 'mean_force')[0]:.3g} N", fontsize="medium")


def draw_directions(axes, frames):
    density, _ = average(frames, "directions")
    axes.axhline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    for axis in range(3):
        axes.stairs(
            density[axis], DIRECTION_EDGES, baseline=None, linewidth=1.5, label=f"$|n_{'xyz'[axis]}|$",
        )  # fmt: skip
    axes.set(
        xlabel=r"component of the normal $|n_\alpha|$", ylabel="probability density", xlim=(0.0, 1.0),
    )
    axes.set_title("closed contacts", fontsize="medium")
    axes.set_ylim(bottom=0.0)
    scree.figure.legend(axes, ncols=3, loc="lower center", handlelength=1.0, columnspacing=1.0)


def figure_of(frames):
    """Coordination, impulses where they are known, and directions of [Statistics]."""
    drawings = [draw_coordination, draw_directions]
    if average(frames, "impulses") is not None:
        drawings.insert(1, draw_impulses)
    figure, panels = scree.figure.panels(len(drawings), 2)
    for axes, draw in zip(panels, drawings):
        draw(axes, frames)
    return figure


def draw_chains(axes, snapshot, contacts, region, plane):
    """Branches of the loaded contacts in the region, in a plane of two axes of space.

    Width and colour follow the normal impulse; those below the mean are thin and grey.
    """
    drawn = contacts.within(region, snapshot)
    drawn = drawn.taken(drawn.normal_impulse > 0.0)
    ratio = drawn.normal_impulse / drawn.normal_impulse.mean()
    start = snapshot["position"][drawn.a]
    end = start - drawn.branch(snapshot)
    name, metres = scree.figure.length_unit(np.max(snapshot.upper - snapshot.lower))
    lines = np.stack([start, end], axis=1)[:, :, list(plane)] / metres
    weak = ratio < 1.0
    axes.add_collection(LineCollection(lines[weak], colors="0.75", linewidths=0.3))
    strong = np.flatnonzero(~weak)
    strong = strong[np.argsort(ratio[strong])]
    top = max(float(np.quantile(ratio, 0.999)), 2.0)
    chains = LineCollection(
        lines[strong], array=ratio[strong], cmap="inferno_r", capstyle="round",
        linewidths=0.6 * np.minimum(ratio[strong], WIDEST),
    )  # fmt: skip
    chains.set_clim(1.0, top)
    axes.add_collection(chains)
    scree.wall_drawing.draw(axes, snapshot, scree.view.of_plane(snapshot, plane), metres, zorder=3)
    axes.set_aspect("equal")
    h, v = plane
    axes.set(xlabel=f"${'xyz'[h]}$ [{name}]", ylabel=f"${'xyz'[v]}$ [{name}]")
    margin = snapshot["radius"].max() / metres
    for set_limits, k in ((axes.set_xlim, 0), (axes.set_ylim, 1)):
        set_limits(lines[:, :, k].min() - margin, lines[:, :, k].max() + margin)
    title = r"loaded contacts: $f_n\,/\,\langle f_n\rangle$ (grey: below 1)"
    scree.figure.draw_bar(axes, chains, title, above=True)


def chain_figure(snapshot, contacts, region, plane):
    """The drawing of `draw_chains`."""
    wide, high = (region.upper - region.lower)[list(plane)]
    width = scree.figure.PAGE
    height = min(max(width * high / wide, 1.5), 1.2 * width) + 0.8
    figure, (axes,) = scree.figure.panels(1, 1, (width, height), layout="compressed")
    draw_chains(axes, snapshot, contacts, region, plane)
    return figure
