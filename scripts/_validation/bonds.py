"""Cases of bonded bodies that break: a Brazilian disk of cells, a masonry wall. The reference is limit analysis."""

import numpy as np
import scipy.stats

import scree.bonded_cells
import scree.bonds
import scree.snapshot
from _study.running import Run
from _validation.case import GRAVITY, Case, Figure, Result, relative, within
from _validation.limit_loads import limit
from scree.figure import COLOURS, plt

TOUCHING = 1e-6  # largest gap of contacts that touch [m]
RESOLVED = 25.0  # resolution of a crack's direction: atan of 9 mm (a cell) over 21 mm (between the halves) [degrees]
CELLS, CENTRE = 30, (0.0, 0.0, 0.0248796)  # of brazilian_disk.ini; position of its axis [m]
NO_BONDS = {"bond.mortar.time": "9 s", "bond.footing.time": "9 s"}  # bonds would form after the end


def bond_friction(run, bond):
    return run.number(f"bond.{bond}", "shear") / run.number(f"bond.{bond}", "tension")


# ---- a disk


def disk_of(seed):
    """The disk of brazilian_disk.ini, cut into other cells."""
    cells, _ = scree.bonded_cells.cut(scree.bonded_cells.cylinder(0.05, 0.01), CELLS, seed, along=1)
    x, y, z = np.transpose([cell.centre + CENTRE for cell in cells])
    names = np.array([f"grain_{k}" for k in range(CELLS)])
    options = {f"shape.{name}.vertices": scree.bonded_cells.vertices(cell) for name, cell in zip(names, cells)} | {"time.end": "5 ms"}
    particles = {"x": x, "y": y, "z": z, "shape": names, "material": np.full(CELLS, "rock")}
    return Run(f"disk{seed}", "brazilian_disk", options, particles=particles)


def disk_runs(full):
    """The shipped disk; with --full also 29 disks of other cells, for the scatter of their strengths."""
    return [Run("disk", "brazilian_disk"), *map(disk_of, range(2, 31) if full else ())]


def limit_of_disk(run):
    """The limit load [N]."""
    early = scree.snapshot.read_snapshot(run.snapshots[1])
    return limit(early, run.number("time", "step"), run.number("contact", "friction"), bond_friction(run, "grain"), TOUCHING)


def scatter_of_disks(runs):
    """Figures of the peak loads of disks of different cells."""
    peaks = np.array([run.columns["wall_top_force_z"].max() for run in runs])
    relative_peaks = peaks / [limit_of_disk(run) for run in runs]
    modulus = scipy.stats.weibull_min.fit(peaks, floc=0.0)[0]
    return [
        relative(f"peak load over the limit load, median of {len(runs)} disks", np.median(relative_peaks), 1.0, 0.03),
        within("Weibull modulus of their peak loads", modulus, 1.5, 4.0),
    ]


def disk_analysis(runs):
    run, last = runs["disk"], scree.snapshot.read_snapshot(runs["disk"].snapshots[-1])
    time, load = run.columns["time"], run.columns["wall_top_force_z"]
    limit_load = limit_of_disk(run)
    pieces = scree.bonds.fragments(last)
    centres = [last.masses[cluster] @ last["position"][cluster] / last.masses[cluster].sum()
               for cluster in (scree.bonds.clusters(last) == label for label in pieces.label[:2])]  # fmt: skip
    separation = centres[0] - centres[1]
    picture, axes = plt.subplots(figsize=(6.5, 4.2))
    axes.plot(1e3 * time, load, color=COLOURS[0], label="load of the plate")
    axes.axhline(limit_load, color=COLOURS[1], label="limit load")
    axes.set(xlabel="time [ms]", ylabel="load [N]")
    axes.legend()
    figures = [
        relative("peak load over the limit load", load.max() / limit_load, 1.0, 0.05),
        within("mass of the two largest fragments over that of the disk", pieces.mass[:2].sum() / pieces.mass.sum(), 0.8, 1.0),
        within("angle between the line of their centres and the plates", np.degrees(np.arctan2(abs(separation[2]), abs(separation[0]))),
               0.0, RESOLVED, "degrees"),
        *(scatter_of_disks(list(runs.values())) if len(runs) > 1 else []),
    ]  # fmt: skip
    radius = 0.5 * (run.numbers("wall.top", "point")[2] - run.numbers("wall.floor", "point")[2])
    elastic = last.volumes.sum() / radius * run.number("bond.grain", "tension")
    note = (
        "Cells are rigid, so that a load spreads until no equilibrium is left: the peak is the limit load of a plastic "
        f"network, which is {load.max() / elastic:.2f} times the π R L σ_n of an elastic disk."
    )
    return Result(figures, picture, note)


# ---- a wall


def wall_runs(full):
    options = {"output.contacts": "yes", "output.every": "0.1 s"}
    return [Run("mortar", "masonry_wall", {**options, "time.end": "0.35 s"}), Run("dry", "masonry_wall", {**options, **NO_BONDS})]


MOVING = 1e-3  # speed above which the wall moves [m/s]


def wall_analysis(runs):
    picture, axes = plt.subplots(figsize=(6.5, 4.2))
    figures = []
    for colour, (name, run) in zip(COLOURS, runs.items()):
        frame = scree.snapshot.read_snapshot(run.snapshots[1])
        weights, lateral_forces = (np.outer(frame.masses, body_force) for body_force in ([0.0, 0.0, -GRAVITY], [1.0, 0.0, 0.0]))
        friction = run.number("contact", "friction")
        limit_load = limit(frame, run.number("time", "step"), friction, bond_friction(run, "mortar"), TOUCHING, weights, lateral_forces)
        time, speed = run.columns["time"], run.columns["max_speed"]
        acceleration = np.interp(time, (0.0, 0.4), (2.0, 8.0))  # as in the scene
        first_moving = acceleration[speed > MOVING][0]
        axes.semilogy(acceleration[1:], speed[1:], color=colour, label=name)
        axes.axvline(limit_load, color=colour, linestyle=":")
        figures.append(relative(f"{name}: acceleration at the first motion, divided by its limit", first_moving / limit_load, 1.0, 0.05))
        if name == "mortar":
            bonds = scree.bonds.of_snapshot(scree.snapshot.read_snapshot(run.snapshots[-1]))
            figures.append(Figure("mortar: bonds that broke before the wall moved", float(run.columns["bonds_broken_tension"][speed < MOVING].max()), 0.0, 0.0))
            figures.append(within("mortar: fraction of bonds that broke", 1.0 - bonds.intact.mean(), 0.2, 0.7))
    axes.set(xlabel="lateral acceleration [m/s²]", ylabel="largest speed [m/s]")
    axes.legend()
    return Result(figures, picture, "Dotted: the limits. The wall with mortar cracks in steps along its joints.")


SOURCE = "D. C. Drucker, J. Appl. Mech. 21 (1954) 71; M. Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235"
CASES = (
    Case("brazilian_disk", "A disk of bonded cells between plates", "peak load = limit load", SOURCE, disk_runs, disk_analysis),
    Case("masonry_wall", "A masonry wall under a lateral acceleration", "the wall moves at the limit load", SOURCE, wall_runs, wall_analysis),
)
