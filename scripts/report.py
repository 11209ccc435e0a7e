#!/usr/bin/env python3
"""One HTML page on one run or several side by side: any scene, and for the paper's channel the paper too.

The page holds its pictures and needs no network: what held at a glance, key figures, the last frames, maps or
profiles of velocity, spin and solid fraction, the radial distribution function, contacts and force chains,
series, loads of the walls, averages; folded away where the time went, machine, versions, configuration. A
section that does not apply to a scene is left out, and the page says why. Pictures follow the scene: gravity
points down, maps look along the domain's shortest side, and walls are drawn.

Key figures are averages over the window of --from and --to, without it over the whole run; maps are those of
its last snapshot, distribution functions and contacts averages over its later half, its last ten snapshots at
most. The numbers of the table also go to a CSV file beside the page. For the channel of T. Preclik, S. Eibl, U. Ruede,
arXiv:1706.00221, at full scale the page has the paper's table 2 and figures 9 to 12 beside its own.
"""

import argparse
import dataclasses
import functools
import itertools
import math
import pathlib
import re

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import numpy as np

import _command_line
import scree.colour
import scree.contact_statistics
import scree.contacts
import scree.directory
import scree.figure
import scree.html
import scree.key_figures
import scree.means
import scree.mixing
import scree.picture
import scree.profiles
import scree.rdf
import scree.region
import scree.snapshot
import scree.table
import scree.units
import scree.view
from scree.errors import FileError, UsageError
from scree.html import State, Verdict

MIXING_FRAMES = 30
FRAMES = 10  # over which distribution functions and contacts are averaged
# [12, 14] of 15 cm in the paper's channel, and the same shares of another length.
RDF_REGION = (12.0 / 15.0, 14.0 / 15.0)
FEW = 12  # particles whose paths are told one by one
ENOUGH = 100  # particles for a field or a distribution
SMALL, LARGE = 1.0, 10.0  # overlaps [% of the radius]: as good as hard, and too deep
ROUNDING = 1e-6  # of the energies: more is no rounding

# Table 2 and section 4.3 of the paper: Coulomb, maximum dissipation; in the units of `shown`.
PAPER = {
    "particles": ("246992.29", "247005.05"),
    "solid fraction": ("0.572", "0.572"),
    "closed contacts": ("320276.51", "320196.82"),
    "contacts per particle": ("2.5934", "2.5926"),
    "greatest penetration": ("39.06", "46.50"),
    "greatest penetration / radius": ("8.31", "9.89"),
    "peak of the speed profile, last": ("1.42", "1.39"),
}
PAPER_EXTENT = (0.15, 0.065, 0.02)  # of its channel [m]
PAPER_RADIUS = 4.7e-4  # [m]

PAPER_NOTE = (
    "Granular flow computed by Scree, compared with T. Preclik, S. Eibl, U. Rüde, “The Maximum Dissipation "
    "Principle in Rigid-Body Dynamics with Purely Inelastic Impacts”, arXiv:1706.00221, section 4.3: table 2, "
    "figures 9 to 12."
)
TWO_LAWS = (
    "Coulomb's law and the maximum dissipation principle cannot differ for spheres: their contact "
    "operator is diagonal with one entry for both tangents, so that the impulse which opposes the slip "
    "is also the one that dissipates most. Runs by the two general kernels part by rounding only; the "
    "closed form for spheres relaxes the contacts in another order, as runs on different numbers of "
    "ranks do, and that too makes them differ like two seeds."
)
DIFFERENCES = (
    "Where these runs differ from the paper: it averages over 10 s, the filling included, while a "
    "window here may leave the filling out; its contacts are those that touch, which closed contacts "
    "count here too, walls included, and of which there are fewer where velocities push overlaps apart "
    "(solver.position_sweeps = 0 with contacts that take part before they close); and its "
    "ten sweeps, started from zero in each step, leave penetration that contacts which take part "
    "before they close, and better starting values, remove. What the paper calls a "
    "diameter of 0.47 mm is the radius, as its own figures show (apps/scenes/channel.ini)."
)

# Column of series.csv, label, factor to the label's unit.
SERIES = (
    ("particles", "particles", 1.0),
    ("contacts_per_particle", "contacts per particle", 1.0),
    ("max_penetration_interval", "greatest penetration [µm]", 1e6),
    ("residual_rms", "residual, RMS [m/s]", 1.0),
    ("mean_velocity_x", "mean velocity in x [m/s]", 1.0),
)
ENERGIES = re.compile("energy|work|dissipat")
LOAD = re.compile(r"wall_(.+)_(force|torque)_([xyz])")


class NotHere(Exception):
    """A section does not apply; the message says why, as the end of a sentence."""


@dataclasses.dataclass
class Part:
    """One run, as the report shows it."""

    label: str
    run: scree.directory.Run
    paths: list  # of the snapshots in the window
    figures: dict  # quantity -> scree.key_figures.KeyFigure
    begin: float  # of the window [s]
    end: float

    @functools.cached_property
    def last(self):
        """The last snapshot of the window; raises NotHere without one."""
        if not self.paths:
            raise NotHere("the run has no snapshots; output.every asks for them")
        return scree.snapshot.read_snapshot(self.paths[-1])

    def filled(self, fewest=1):
        """The last snapshot, if it has so many particles; else raises NotHere."""
        if len(self.last) < fewest:
            raise NotHere(f"it needs {fewest} particles, and there are {len(self.last)}")
        return self.last

    @functools.cached_property
    def profile(self):
        """scree.profiles.Profile of the last snapshot; raises NotHere."""
        last = self.filled(ENOUGH)
        if last.periodic.all():
            raise NotHere("the domain repeats along all axes, so that no place differs from another")
        axes = scree.profiles.natural_axes(last)
        cells = scree.profiles.cells(last, axes, samples=0 if is_papers_channel(last) else scree.profiles.SAMPLES)
        return scree.profiles.profile([last], scree.profiles.whole_domain, axes, cells)

    def frames(self, fields):
        """The snapshots of the later half of the window, at most FRAMES: the first may be a lattice."""
        count = min(FRAMES, -(-len(self.paths) // 2))
        return scree.snapshot.read_frames(self.paths[-count:], fields)


def gather(directory, label, begin, end):
    """Reads a run and computes its key figures."""
    run = scree.directory.read(directory)
    paths = run.frames.between(begin, end).paths if run.snapshots else []
    return Part(label, run, paths, scree.key_figures.key_figures(run, begin, end), begin, end)


def labels(directories):
    """Shortest ends of the paths that tell the runs apart: [str]."""
    paths = [pathlib.Path(directory).resolve().parts for directory in directories]
    if len(set(paths)) < len(paths):
        raise UsageError("a run is given twice")
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(path[-length:]) for path in paths]
        if len(set(ends)) == len(ends):
            return ends


def is_papers_channel(snapshot):
    extent = snapshot.upper - snapshot.lower
    return np.allclose(extent, PAPER_EXTENT) and np.allclose(snapshot["radius"], PAPER_RADIUS)


def has_paper(parts):
    """Whether all runs are of the paper's channel."""
    return all(part.paths and len(part.last) and is_papers_channel(part.last) for part in parts)


def each(parts, make):
    """What `make` gives for each run to which it applies, [(Part, made)]; raises NotHere if for none."""
    made, reasons = [], {}
    for part in parts:
        try:
            made.append((part, make(part)))
        except NotHere as reason:
            reasons.setdefault(str(reason), part)
    if not made:
        raise NotHere("; ".join(reasons))
    return made


# ---- what held, at a glance


def _ended(part):
    time = part.run.columns["time"][-1]
    try:
        end = float(scree.units.in_si(part.run.scene.get("time", "end", fallback=""), scree.units.SECONDS)[0])
    except ValueError:
        return Verdict(State.NONE, "ended"), f"at {scree.html.number(time)} s"
    if time >= end - 0.5 * part.run.time_step:
        return Verdict(State.HELD, "complete"), f"{scree.html.number(time)} s were simulated, as asked for"
    return Verdict(State.LOOK, "not at its end"), (
        f"{scree.html.number(time)} of {scree.html.number(end)} s; it goes on or was stopped"
    )


def _balance(part):
    series = part.run.columns
    if "inserted" not in series or "deleted" not in series:
        return None
    change = series["particles"] - series["inserted"] + series["deleted"]
    if np.ptp(change) > 0:
        return Verdict(State.OFF, "particles lost"), f"{np.ptp(change):.0f} appeared or vanished without a flow"
    flow = series["inserted"][-1] + series["deleted"][-1]
    words = f"{series['inserted'][-1]:.0f} flowed in, {series['deleted'][-1]:.0f} out, none is missing"
    return Verdict(State.HELD, "particles kept"), words if flow else f"all {series['particles'][-1]:.0f} are there"


def _overlap(part):
    share = part.figures.get("greatest penetration / radius")
    if share is None:
        return None
    share = 100.0 * share.value
    words = f"the deepest overlap is {scree.html.number(share, 2)} % of the radius"
    if share > LARGE:
        return Verdict(State.OFF, "deep overlaps"), words
    return Verdict(*((State.LOOK, "overlaps") if share > SMALL else (State.HELD, "hard contacts"))), words


def _converged(part):
    told = part.run.columns.get("converged", np.zeros(0))
    told = told[np.isfinite(told) & (told >= 0)] if told.dtype.kind == "f" else np.zeros(0)
    if len(told):
        words = f"in {100 * told.mean():.3g} % of the steps logged the solver reached its tolerance"
        return Verdict(*((State.HELD, "converged") if told.all() else (State.LOOK, "not always converged"))), words
    residual = float(np.nanmedian(part.run.columns["residual_rms"]))
    words = f"the usual residual of the solver is {scree.html.number(residual, 2)} m/s"
    return Verdict(State.NONE, "no tolerance"), words


def _energy(part):
    series = part.run.columns
    imbalance = series.get("energy_imbalance")
    if imbalance is None or not np.isfinite(imbalance).any():
        return None
    scale = max(np.nanmax(np.abs(series[name])) for name in series if name.startswith("energy_"))
    share = np.nanmax(np.abs(imbalance)) / scale if scale else 0.0
    words = f"the energy book closes to {scree.html.number(share, 2)} of the energies in it"
    return Verdict(*((State.HELD, "energy kept") if share < ROUNDING else (State.OFF, "energy off"))), words


def glance(parts):
    """The summary: [(Verdict, text)]."""
    lines = []
    for part in parts:
        name = f"{part.label}: " if len(parts) > 1 else ""
        found = [check(part) for check in (_ended, _balance, _overlap, _converged, _energy)]
        lines += [(verdict, name + words) for verdict, words in filter(None, found)]
    return lines


# ---- sections: each a function of the parts that gives its pieces, or raises NotHere


def key_figure_section(parts, window):
    """Table 2 side by side."""
    with_paper = has_paper(parts)
    header = ["quantity", "unit", *(part.label for part in parts)]
    header += ["paper, Coulomb", "paper, max. dissipation"] if with_paper else []
    rows = []
    for quantity in scree.key_figures.QUANTITIES:
        known = [part.figures.get(quantity) for part in parts]
        if not any(known):
            continue
        known = [figure and scree.key_figures.shown(figure) for figure in known]
        unit = next(figure.unit for figure in known if figure).replace("1", "")
        row = [quantity, unit, *(scree.key_figures.text(figure) if figure else "" for figure in known)]
        rows.append(row + (list(PAPER.get(quantity, ("", ""))) if with_paper else []))
    caption = (
        f"Averages {window}, with standard errors (“>”: the window is too short to know the error, "
        "which is greater). Contacts count walls in; per particle are twice the contacts over the particles."
    )
    section = [scree.html.table(header, rows, caption)]
    return section + ([scree.html.paragraph(TWO_LAWS), scree.html.paragraph(DIFFERENCES)] if with_paper else [])


def write_numbers(path, parts):
    """The numbers of the table: run, quantity, unit, value, error."""
    rows = [
        (part.label, figure.quantity, figure.unit, figure.value, figure.error)
        for part in parts
        for figure in part.figures.values()
    ]
    scree.table.write(
        path, ["key figures of the report; SI units"],
        dict(zip(("run", "quantity", "unit", "value", "error"), zip(*rows))),
    )  # fmt: skip


def frame_section(parts, window):
    """The last frames, at one colour scale."""
    drawn = [part for part, _ in each(parts, lambda part: part.filled())]
    scale = scree.colour.scale(scree.colour.of("speed", drawn[0].last), [part.last for part in drawn])
    section = []
    for part in drawn:
        known = scree.view.views(part.last)
        names = scree.view.usual(part.last)[: 1 if has_paper(parts) else 2]
        figure, _ = scree.picture.figure_of(part.last, [known[name] for name in names], scale)
        section.append(scree.html.picture(figure, part.label))
    return section


def path_section(parts, window):
    """Places of few particles over time."""

    def paths(part):
        if len(part.filled()) > FEW:
            raise NotHere(f"there are {len(part.last)} particles; up to {FEW} would be told one by one")
        if len(part.paths) < 3:
            raise NotHere("three snapshots would tell a path")
        frames = list(scree.snapshot.read_frames(part.paths, ("position",)))
        return [frame.time for frame in frames], scree.picture.paths(frames, FEW)

    section = []
    for part, (time, drawn) in each(parts, paths):
        figure, panels = scree.figure.plt.subplots(1, 3, figsize=(12.0, 3.2), layout="constrained")
        for axis, axes in enumerate(panels):
            axes.plot(time, drawn[:, :, axis].T, marker=".", linewidth=1.0)
            axes.set(xlabel="time [s]", ylabel=f"{'xyz'[axis]} [m]")
            axes.ticklabel_format(axis="y", useOffset=False)
            if np.nanmax(drawn[:, :, axis]) - np.nanmin(drawn[:, :, axis]) < 1e-9:
                axes.set_ylim(part.last.lower[axis], part.last.upper[axis])  # not the ripple of rounding
        section.append(scree.html.picture(figure, f"{part.label}: of the snapshots"))
    return section


def field_section(parts, window):
    """Maps of each run at one colour scale, or profiles along one axis of all runs in one drawing."""
    made = each(parts, lambda part: part.profile)
    section = []
    lines = {part.label: profile for part, profile in made if len(profile.axes) == 1}
    if lines:
        names = (*scree.profiles.PANELS[:2], scree.profiles.PANELS[3])
        figure, panels = scree.figure.plt.subplots(1, 3, figsize=(14.0, 4.0), layout="constrained")
        scree.profiles.draw_lines(panels, lines, names)
        panels[0].legend()
        section.append(scree.html.picture(figure, "Last frames, means over the domain across the axis"))
    maps = [(part, profile) for part, profile in made if len(profile.axes) == 2]
    names = [panel for panel in scree.profiles.PANELS if panel[0] != "velocity_norm"]
    tops = {column: max((scree.profiles.colour_top(profile.columns()[column]) or 0.0 for _, profile in maps), default=0.0)
            for column, _ in names}
    for part, profile in maps:
        figure, panels = scree.profiles.panels_for(profile, len(names))
        for axes, (column, label) in zip(panels, names):
            scree.profiles.draw_map(axes, profile, column, label, part.last, tops[column] or None)
        counts = "x".join(str(len(edges) - 1) for edges in profile.edges)
        peak = np.nanmax(profile.columns()["speed"])
        caption = f"{part.label}, t = {part.last.time:.6g} s, {counts} cells, greatest speed {peak:.4g} m/s"
        section.append(scree.html.picture(figure, caption))
    return section


def _rdf_region(part):
    """Where g(r) is taken: near the outflow of what flows through, else the middle half of the particles."""
    last = part.last
    lower, upper = last.lower.copy(), last.upper.copy()
    if part.run.scene.has_section("inflow"):
        lower[0], upper[0] = last.lower[0] + np.array(RDF_REGION) * (upper[0] - lower[0])
        return scree.region.make(last, lower, upper)
    return scree.region.middle(last)


def _rdf_reach(part, region):
    """r_max [diameters]: within the domain, and not beyond the place that the particles take."""
    if part.run.scene.has_section("inflow"):
        return scree.rdf.fitting_r_max(part.last, region)
    return scree.rdf.r_max_among(part.last, region)


def _distributions(part):
    """Rdf of a run's last frames, corrected and as in the paper."""
    part.filled(ENOUGH)
    region = _rdf_region(part)
    inside = np.count_nonzero(region.holds(part.last["position"]))
    if inside < ENOUGH:
        raise NotHere(f"there are {inside} particles in the middle of them all, too few to count pairs of")
    reach = _rdf_reach(part, region)
    if reach < 1.5:
        raise NotHere(f"the particles leave room for distances up to {scree.html.number(reach, 2)} diameters only")
    result = []
    for corrected in (True, False):
        frames = [frame for frame in part.frames(("position", "radius")) if region.holds(frame["position"]).sum() > 1]
        made = [scree.rdf.radial_distribution(frame, region, reach, corrected=corrected) for frame in frames]
        result.append(scree.rdf.average(made))
    return result


def rdf_section(parts, window):
    """g(r) of all runs in one drawing; for the paper's channel also as in the paper."""
    made = each(parts, _distributions)
    with_paper = has_paper(parts)
    figure, panels = scree.figure.plt.subplots(
        1, 1 + with_paper, figsize=(14.0 if with_paper else 8.0, 4.5), layout="constrained", squeeze=False
    )
    (panels,) = panels
    scree.rdf.draw(panels[0], {part.label: both[0] for part, both in made})
    if with_paper:
        scree.rdf.draw(panels[1], {part.label: both[1] for part, both in made})
        panels[0].set_title("every shell whole")
        panels[1].set_title("all pairs in the region, as in the paper")
    panels[0].legend()
    frames = max(both[0].frames for _, both in made)
    caption = f"Region {_rdf_region(made[0][0]).text()}, frames averaged: {frames}; r in diameters."
    if with_paper:
        caption += " The paper shows a strong peak at one diameter, then no order (g = 1)."
    return [scree.html.picture(figure, caption)]


def _contact_statistics(part):
    part.filled(ENOUGH // 2)
    found = []
    for frame in part.frames(scree.contact_statistics.FIELDS):
        if len(frame):
            of_frame = scree.contacts.of_snapshot(frame)
            found.append(scree.contact_statistics.statistics(frame, of_frame, scree.region.make(frame)))
    if not any(one.mean_coordination for one in found):
        raise NotHere("no particles touch in the snapshots")
    return found


def contact_section(parts, window):
    """Coordination, impulses, directions of each run."""
    section = []
    for part, found in each(parts, _contact_statistics):
        impulses = scree.contact_statistics.average(found, "impulses") is not None
        words = "" if impulses else "; spheres that touch, walls left out: output.contacts = yes tells more"
        caption = f"{part.label}, frames averaged: {len(found)}{words}"
        section.append(scree.html.picture(scree.contact_statistics.figure_of(found), caption))
    return section


def chain_section(parts, window):
    """The loaded contacts of the last frame."""

    def recorded(part):
        found = scree.contacts.recorded(part.filled())
        if found is None:
            raise NotHere("the run did not record its contacts; output.contacts = yes does")
        if not np.any(found.normal_impulse > 0.0):
            raise NotHere("no contact of the last snapshot carries anything")
        return found

    section = []
    for part, found in each(parts, recorded):
        plane = scree.view.main(part.last).axes
        figure = scree.contact_statistics.chain_figure(part.last, found, scree.region.taken(part.last), plane)
        section.append(scree.html.picture(figure, f"{part.label}, t = {part.last.time:.6g} s"))
    return section


def mixing_section(parts, window):
    """Lacey's index over time of runs with several materials, or shapes."""

    def mixed(part):
        last = part.filled(ENOUGH)
        for by in ("material", "shape"):
            if len(np.unique(scree.mixing.kinds_of(last, by)[0])) > 1:
                chosen = np.unique(np.linspace(0, len(part.paths) - 1, MIXING_FRAMES).astype(int))
                return scree.mixing.over_time(scree.snapshot.read_frames([part.paths[k] for k in chosen]), by)
        raise NotHere("the particles are of one material and one shape")

    results = {part.label: result for part, result in each(parts, mixed)}
    kinds = "; ".join(dict.fromkeys(", ".join(result.kinds) for result in results.values()))
    caption = f"Of {kinds}: 0 apart, 1 as chance mixes them, in cubes of some {scree.mixing.PER_CELL:g} particles."
    return [scree.html.picture(scree.mixing.figure_of(results), caption)]


def series_columns(runs):
    """Columns of series.csv to draw, as (name, label, factor): key figures and energies.

    Those of the energy book are empty unless a run kept it; what never changes is not drawn.
    """
    columns = {
        name
        for run in runs
        for name, values in run.columns.items()
        if values.dtype.kind == "f" and np.isfinite(values).any() and np.nanmax(values) > np.nanmin(values)
    }
    energies = sorted(name for name in columns if ENERGIES.search(name))
    if "energy_kinetic" in energies and "kinetic_energy" in energies:
        energies.remove("energy_kinetic")  # the same in the book
    return [entry for entry in SERIES if entry[0] in columns] + [
        (name, f"{name.replace('_', ' ')} [J]", 1.0) for name in energies
    ]


def series_section(parts, window):
    """Key figures and energies over time."""
    drawn = series_columns([part.run for part in parts])
    if not drawn:
        raise NotHere("nothing in series.csv changes")
    columns = min(3, len(drawn))
    rows = -(-len(drawn) // columns)
    figure, panels = scree.figure.plt.subplots(
        rows, columns, figsize=(5.0 * columns, 3.2 * rows), sharex=True, squeeze=False, layout="constrained"
    )
    for axes in panels.flat[len(drawn) :]:
        axes.set_axis_off()
    for axes, (column, label, factor) in zip(panels.flat, drawn):
        for index, part in enumerate(parts):
            if column in part.run.columns:
                axes.plot(
                    part.run.columns["time"], factor * part.run.columns[column], linewidth=0.9,
                    color=scree.figure.COLOURS[index % len(scree.figure.COLOURS)], label=part.label,
                )  # fmt: skip
        axes.set(ylabel=label, xlabel="time [s]")
        axes.tick_params(labelbottom=True)
    if len(parts) > 1:
        panels.flat[0].legend(fontsize="small")
    return [scree.html.picture(figure, "series.csv of each run; what does not change is not drawn")]


def _loads(part):
    """Columns of the forces and torques on walls in the window, {wall: {"force_x": [K]}}."""
    walls = {}
    for name, values in part.run.rows(part.begin, part.end).items():
        column = LOAD.fullmatch(name)
        if column and np.isfinite(values).any():
            walls.setdefault(column[1], {})[f"{column[2]}_{column[3]}"] = values
    if not walls:
        raise NotHere("the run did not record them; output.wall_forces = yes does")
    return walls


def load_section(parts, window):
    """Means of the forces on the walls and the force along the vertical over time."""
    made = each(parts, _loads)
    rows = []
    for part, walls in made:
        for wall, columns in walls.items():
            means = [scree.means.mean_error(columns[f"force_{axis}"][1:]) for axis in "xyz"]
            cells = [scree.means.with_error(mean, error, not sure) if np.isfinite(error) and error > 0.0
                     else scree.html.number(mean) for mean, error, sure in means]
            rows.append([f"{part.label}: {wall}" if len(parts) > 1 else wall, *cells])
    caption = f"Force of the particles on each wall [N], mean {window}, standard error; samples of single steps"
    section = [scree.html.table(["wall", "in x", "in y", "in z"], rows, caption)]
    for part, walls in made:
        if not part.paths:
            continue
        up = scree.view.vertical(part.last)
        loads = {wall: -sum(up[k] * columns[f"force_{'xyz'[k]}"] for k in range(3)) for wall, columns in walls.items()}
        drawn = {wall: load for wall, load in loads.items() if np.ptp(load) > 0.0}
        if not drawn:
            continue
        figure, axes = scree.figure.plt.subplots(figsize=(8.0, 3.5), layout="constrained")
        time = part.run.rows(part.begin, part.end)["time"]
        for (wall, load), colour in zip(drawn.items(), itertools.cycle(scree.figure.COLOURS)):
            axes.plot(time, load, linewidth=0.9, label=wall, color=colour)
        axes.set(xlabel="time [s]", ylabel="force downwards [N]")
        axes.legend(fontsize="small")
        section.append(scree.html.picture(figure, f"{part.label}, single steps"))
    return section


def _averages(part):
    """Tables of the averages that the run took, {name: columns}."""
    files = sorted((part.run.path / "averages").glob("*.csv"))
    if not files:
        asked = re.search(r"^\[average\.", part.run.configuration, re.MULTILINE)
        raise NotHere("the run ended before any had begun" if asked else "the scene asks for none; [average.NAME] does")
    return {file.stem: scree.table.read(file) for file in files}


def average_section(parts, window):
    """Flows through planes as a table; profiles along one axis and maps as pictures."""
    flows, section = [], []
    for part, tables in each(parts, _averages):
        for name, columns in tables.items():
            title = f"{part.label}: {name}" if len(parts) > 1 else name
            if "mass_flow" in columns:
                keys = ("duration", "particles_forward", "particles_backward", "particle_flow", "mass_flow")
                flows.append([title, *(scree.html.number(columns[key][0]) for key in keys)])
            elif "samples" in columns:
                figure = _grid_figure(columns, part)
                if figure:
                    section.append(scree.html.picture(figure, f"{title}: averages/{name}.csv"))
    if flows:
        header = ["plane", "time [s]", "forward", "backward", "particles [1/s]", "mass [kg/s]"]
        section.insert(0, scree.html.table(header, flows, "Flow through planes"))
    if not section:
        raise NotHere("what was averaged has no samples, or is no plane, line or map")
    return section


def _grid_figure(columns, part):
    """Velocity and solid fraction of an average over a grid of one or two dimensions; None of another."""
    places = {axis: np.unique(columns[axis]) for axis in "xyz"}
    divided = [axis for axis in "xyz" if len(places[axis]) > 1]
    if not np.any(columns["samples"] > 0) or len(divided) not in (1, 2):
        return None
    names = (("velocity_norm", "norm of the mean velocity [m/s]"), ("solid_fraction", "solid fraction"))
    edges = [_edges(places[axis]) for axis in divided]
    numbers = tuple("xyz".index(axis) for axis in divided)
    shaped = {name: columns[name].reshape([len(values) - 1 for values in edges], order="F") for name, _ in names}
    result = _Grid(numbers, edges, shaped)
    if len(divided) == 1:
        figure, panels = scree.figure.plt.subplots(1, 2, figsize=(10.0, 3.5), layout="constrained")
        scree.profiles.draw_lines(panels, {"": result}, names)
        return figure
    figure, panels = scree.profiles.panels_for(result, 2)
    for axes, (column, label) in zip(panels, names):
        scree.profiles.draw_map(axes, result, column, label, part.last)
    return figure


@dataclasses.dataclass
class _Grid:
    """A table of an average in the form of a scree.profiles.Profile."""

    axes: tuple
    edges: list
    values: dict

    def columns(self):
        return self.values


def _edges(middles):
    """Edges of equal cells [K + 1] from their middles [K]."""
    half = 0.5 * (middles[-1] - middles[0]) / (len(middles) - 1)
    return np.linspace(middles[0] - half, middles[-1] + half, len(middles) + 1)


SECTIONS = (
    ("Key figures", key_figure_section),
    ("Last frames", frame_section),
    ("Paths of the particles", path_section),
    ("Velocity, spin and solid fraction", field_section),
    ("Radial distribution function", rdf_section),
    ("Contacts", contact_section),
    ("Force chains", chain_section),
    ("Mixing", mixing_section),
    ("Series", series_section),
    ("Loads of the walls", load_section),
    ("Averages taken during the run", average_section),
)


# ---- where it comes from, folded away


def total_over_restarts(values):
    """Sum of a running total that begins at zero again after each restart."""
    falls = np.flatnonzero(np.diff(values) < 0)
    return float(values[falls].sum() + values[-1])


def timing_table(parts):
    """Wall-clock time and its share per phase."""
    timings = [scree.table.read(part.run.path / "timing.csv", ("wall_seconds",)) for part in parts]
    phases = [name for name in timings[0] if name.endswith("_seconds") and name != "wall_seconds"]
    walls = [total_over_restarts(timing["wall_seconds"]) for timing in timings]
    steps = [np.ptp(part.run.columns["step"]) for part in parts]
    rows = [
        ["wall-clock time [s]", *(f"{wall:.0f}" for wall in walls)],
        ["steps", *(f"{count:.0f}" for count in steps)],
        ["steps per second", *(f"{count / wall:.3g}" if wall else "" for count, wall in zip(steps, walls))],
    ]
    for phase in phases:
        totals = [total_over_restarts(timing.get(phase, np.zeros(1))) for timing in timings]
        shares = [f"{100 * total / wall:.1f}" if wall else "" for total, wall in zip(totals, walls)]
        rows.append([f"{phase.removesuffix('_seconds').replace('_', ' ')} [%]", *shares])
    header = ["", *(part.label for part in parts)]
    caption = "From timing.csv; phases on the slowest rank, so that their sum may exceed 100 %."
    return [scree.html.table(header, rows, caption)]


def machine_notes(parts):
    """Version and ranks as run.log tells them; the machine, if whoever ran noted it."""
    section = []
    for part in parts:
        notes = [f"{part.label}:"]
        for name in ("run.log", "machine.txt"):
            try:
                text = (part.run.path / name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            lines = text.splitlines()
            if name == "run.log":
                lines = [line for line in lines if line.startswith("Scree ")]
            notes += lines
        section.append("<pre>" + scree.html.escape("\n".join(notes)) + "</pre>")
    return section


def difference_section(parts, window):
    """What differs between the runs' configurations."""
    if len(parts) < 2:
        raise NotHere("there is one run")
    scenes = [
        {f"{title}.{key}": value for title in part.run.scene.sections()
         for key, value in part.run.scene[title].items()}
        for part in parts
    ]  # fmt: skip
    keys = sorted(set.union(*map(set, scenes)) - {"output.directory", "output.overwrite"})
    rows = [[key, *(scene.get(key, "") for scene in scenes)] for key in keys]
    rows = [row for row in rows if len(set(row[1:])) > 1]
    if not rows:
        return [scree.html.paragraph("The runs have the same configuration.")]
    return [scree.html.table(["key", *(part.label for part in parts)], rows, "Keys of the scenes")]


def provenance(parts):
    """Time per phase, machine, versions and configurations, folded."""
    section = [scree.html.heading("Where it comes from")]
    try:
        section.append(scree.html.folded("Time per phase", timing_table(parts)))
    except FileError as error:
        section.append(scree.html.paragraph(f"Time per phase is left out: {error}."))
    section.append(scree.html.folded("Machine and versions", machine_notes(parts)))
    return section + [scree.html.details(f"config.ini of {part.label}", part.run.configuration) for part in parts]


def made(title, section, parts, window, left_out):
    """A section with its heading; one that does not apply, or fails, leaves a line in `left_out`."""
    try:
        return [scree.html.heading(title), *section(parts, window)]
    except NotHere as reason:
        left_out.append((Verdict(State.NONE, "left out"), f"{title}: {reason}."))
    except Exception as error:  # whatever it is must not cost the rest of the page
        _command_line.warn(f"the section '{title}' could not be made: {error!r}")
        left_out.append((Verdict(State.OFF, "failed"), f"{title}: {error or repr(error)}"))
    scree.figure.plt.close("all")
    return []


def report(parts, window):
    """The page, as text."""
    sections, left_out = [], []
    differences = [("Where the runs differ", difference_section)] if len(parts) > 1 else []
    for title, section in (*SECTIONS, *differences):
        sections += made(title, section, parts, window, left_out)
    sections += provenance(parts)
    if left_out:
        sections += [scree.html.heading("What is left out"), scree.html.at_a_glance(left_out)]
    opening = [scree.html.paragraph(PAPER_NOTE)] if has_paper(parts) else []
    opening.append(scree.html.at_a_glance(glance(parts)))
    title = parts[0].label if len(parts) == 1 else "comparison of runs"
    return scree.html.page(f"Scree: {title}", sections, opening)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="+", type=pathlib.Path, help="output directories of runs")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("report.html"), metavar="HTML",
        help="page to write; the numbers go to the same name with .csv (default: report.html)",
    )
    _command_line.add_window(parser)
    arguments = parser.parse_args()
    begin, end = _command_line.window(arguments)
    window = "over the whole run"
    if arguments.window_begin or arguments.window_end:
        window = f"from {max(begin, 0.0):g} s to {'the end' if end == math.inf else f'{end:g} s'}"
    named = zip(arguments.run, labels(arguments.run))
    parts = [gather(directory, label, begin, end) for directory, label in named]
    page = report(parts, window)
    arguments.output.write_text(page, encoding="utf-8")
    write_numbers(arguments.output.with_suffix(".csv"), parts)
    print(f"{arguments.output} ({len(page.encode()) / 1e6:.2g} MB)")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
