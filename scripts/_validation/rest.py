"""Cases at rest. Each step is tested, because means can be right although every step is wrong."""

import numpy as np

import scree.contacts
import scree.snapshot
from _study.measures import force_on
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Figure, Result, by_id, last_of, within
from _validation.piles import RING
from scree.figure import COLOURS, plt
from scree.repose import depth_profile


def weight_of(run):
    """Weight of all particles of the last snapshot [N]."""
    return last_of(run).masses.sum() * GRAVITY


def load(run, walls):
    """Total downward force on these walls over the weight of all particles, for each row of the series, [K]."""
    return -force_on(run.columns, "z", *walls) / weight_of(run)


def scatter(run, walls, rows):
    """Standard deviation of `load` over all steps of these rows, from the scatter between and within rows.

    Deviations of several walls are added, as if the loads were fully correlated: an upper bound.
    """
    within_rows = sum(run.columns[f"wall_{wall}_force_z_deviation"] for wall in walls)[rows] / weight_of(run)
    return np.sqrt(load(run, walls)[rows].var() + (within_rows**2).mean())


def positions(path):
    """Positions of the particles of a snapshot in order of id, [N, 3] [m]."""
    return by_id(path)["position"]


def max_displacement(first, last):
    """Largest displacement of any particle between two snapshots [m]."""
    return np.linalg.norm(positions(last) - positions(first), axis=1).max()


def plot_loads(runs, walls, begin):
    """A picture of load over weight against time, for each run.  begin: start of the tested rows [s]"""
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    for colour, (name, run) in zip(COLOURS, runs.items()):
        rows = run.is_after(0.0)
        axes.semilogy(run.columns["time"][rows], np.abs(load(run, walls)[rows] - 1.0) + 1e-17, ".", markersize=2,
                      color=colour, label=name)  # fmt: skip
    axes.axvline(begin, color="black", linewidth=0.8)
    axes.set(xlabel="time [s]", ylabel="|force over weight − 1|", title="each row of the series; tested after the line")
    return picture


# ---- packing on a floor

LAYERS = {"short": 35, "full": 70}
PACKING_BEGIN = 0.3  # from this time on the packing rests [s]
TALL_BEGIN = 1.0  # the same for the tall packing [s]


def floor_runs(full):
    options = {"output.log_every": "1 ms", "output.every": "0.4 s", "time.end": "0.4 s"}
    runs = [Run(f"sweeps{n}", "settle_box", {**options, "solver.sweeps": n}) for n in (10, 5)]
    height = 4 * LAYERS["full" if full else "short"]  # [mm]; the initial positions are three times as loose as the packing
    tall = {"domain.upper": f"16 16 {height + 10} mm", "fill.upper": f"16 16 {height} mm",
            "time.end": seconds(TALL_BEGIN + 0.2), "output.every": seconds(TALL_BEGIN + 0.2)}  # fmt: skip
    # Small spheres among large ones, with images beyond the periodic ends.
    sizes = {"fill.radius": "unset", "fill.sizes": "uniform", "fill.smallest_radius": "0.2 mm",
             "fill.largest_radius": "1 mm", "fill.upper": "8 8 150 mm", "domain.upper": "8 8 160 mm",
             "time.step": "25 us"}  # fmt: skip
    return [*runs, Run("tall", "settle_box", {**options, **tall, "solver.sweeps": 10}),
            Run("sizes", "settle_box", {**options, **sizes, "solver.sweeps": 10})]  # fmt: skip


def floor_analysis(runs):
    bounds = {"sweeps10": (PACKING_BEGIN, 0.001), "sweeps5": (PACKING_BEGIN, 0.005), "tall": (TALL_BEGIN, 0.001),
              "sizes": (PACKING_BEGIN, 0.001)}  # fmt: skip
    words = {"sweeps10": "10 sweeps", "sweeps5": "5 sweeps", "tall": "tall, 10 sweeps", "sizes": "radii of 1 to 5"}
    figures = []
    for name, (begin, bound) in bounds.items():
        rows = runs[name].is_after(begin)
        force, spread = load(runs[name], ["floor"])[rows], scatter(runs[name], ["floor"], rows)
        figures.append(Figure(f"mean force over weight less 1, {words[name]}", force.mean() - 1.0, 0.0, bound))
        figures.append(Figure(f"its standard deviation from step to step, {words[name]}", spread, 0.0, bound))
    return Result(figures, plot_loads({words[name]: runs[name] for name in bounds}, ["floor"], PACKING_BEGIN))


# ---- columns of single spheres

RADIUS = 0.01  # radius of the sphere in bouncing_sphere.ini [m]
COLUMN_BEGIN = 0.4  # from this time on the column rests [s]


def column_runs(full):
    runs = []
    for count in (100, 300) if full else (100,):
        height = count * 2 * RADIUS
        runs.append(Run(f"spheres{count}", "bouncing_sphere", {
            "contact.restitution": 0, "fill.lower": "-1 -1 0 cm", "fill.upper": metres(0.01, 0.01, height),
            "domain.lower": "-1 -1 0 m", "domain.upper": metres(1, 1, height + 1), "time.step": "100 us",
            "time.end": "2 s", "output.every": "0.1 s", "output.log_every": "1 ms", "output.wall_forces": "yes"}))
    return runs  # fmt: skip


def column_analysis(runs):
    figures = []
    for name, run in runs.items():
        count = int(name.removeprefix("spheres"))
        start = positions(run.snapshots[0])
        rise = max((positions(path) - start)[:, 2].max() for path in run.snapshots[1:])
        rows = run.is_after(COLUMN_BEGIN)
        force = load(run, ["floor"])[rows]
        figures += [
            Figure(f"largest rise of a sphere over the radius, {count} spheres", max(rise, 0.0) / RADIUS, 0.0, 1e-3),
            Figure(f"mean force over weight less 1, {count} spheres", force.mean() - 1.0, 0.0, 0.02),
            Figure(f"its standard deviation, {count} spheres", scatter(run, ["floor"], rows), 0.0, 0.05),
        ]
    return Result(figures, plot_loads(runs, ["floor"], COLUMN_BEGIN))


# ---- heap

HEAP_DIAMETER = 2e-3  # mean diameter in column_collapse.ini [m]


def heap_runs(full):
    duration = 10.0 if full else 2.0  # [s]
    common = {"contact.rolling_friction": 0.01, "output.log_every": "5 ms", "time.step": "50 us"}
    pouring = Run("poured", "column_collapse", {**common, "time.end": "1.5 s", "output.every": "0.5 s"})
    observation = {"wall.pipe.removed_at": "50 us", "time.end": seconds(duration), "output.every": seconds(duration / 4)}
    return [pouring, Run("watched", "column_collapse", {**common, **observation}, after="poured")]


def heap_analysis(runs):
    run = runs["watched"]
    unit = np.sqrt(GRAVITY * HEAP_DIAMETER)
    time, speed = run.columns["time"], run.columns["max_speed"]
    # The first half is left out, because the run starts without stored impulses and a single grain may roll for half a
    # second until it rests.
    first, last = run.snapshots[2], run.snapshots[-1]
    rows = run.is_after(0.5 * time[-1])
    profiles = [depth_profile(scree.snapshot.read_snapshot(path), 0.095, RING)[1] for path in (first, last)]
    figures = [
        Figure("largest speed over √(g d)", speed[rows].max() / unit, 0.0, 1e-6),
        Figure("largest displacement over d", max_displacement(first, last) / HEAP_DIAMETER, 0.0, 1e-3),
        Figure("largest change of the surface over d", np.abs(profiles[1] - profiles[0]).max() / HEAP_DIAMETER,
               0.0, 1e-3),
    ]  # fmt: skip
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].semilogy(time[1:], speed[1:] / unit + 1e-18, color=COLOURS[0], label="largest of all")
    axes[0].axhline(1e-6, color="black", linewidth=0.8)
    axes[0].set(xlabel="time [s]", ylabel="speed / √(g d)")
    radius, depth = depth_profile(scree.snapshot.read_snapshot(last), 0.095, RING)
    axes[1].plot(1e3 * radius, 1e3 * depth, color=COLOURS[1], label="surface")
    axes[1].set(xlabel="distance from the axis [mm]", ylabel="depth [mm]")
    return Result(figures, picture)


# ---- force chains

CHAINS_BEGIN, CHAINS_APART = 0.5, 0.1  # [s]


def chains_runs(full):
    end = CHAINS_BEGIN + CHAINS_APART
    return [Run("settled", "settle_box", {"solver.sweeps": 10, "time.end": seconds(end),
                                          "output.every": seconds(CHAINS_APART), "output.log_every": "1 ms"})]  # fmt: skip


def impulses_by_pair(snapshot):
    """Loaded contacts of a snapshot, {(smaller id, larger id): normal impulse [N s]}; the id of a wall is -1."""
    contacts = scree.contacts.recorded(snapshot)
    ids = np.append(snapshot["id"], -1)
    pairs = np.sort(np.column_stack([ids[contacts.a], ids[contacts.b]]), axis=1)
    return {tuple(pair): value for pair, value in zip(pairs, contacts.normal_impulse) if value > 0.0}


def chains_analysis(runs):
    run = runs["settled"]
    before, after = (impulses_by_pair(scree.snapshot.read_snapshot(path)) for path in run.snapshots[-2:])
    pairs = sorted(before.keys() & after.keys())
    x, y = np.array([before[pair] for pair in pairs]), np.array([after[pair] for pair in pairs])
    total = sum(before.values())
    lost = sum(value for pair, value in before.items() if pair not in after) / total
    figures = [
        within("correlation of the contacts' normal impulses between two frames", np.corrcoef(x, y)[0, 1], 0.999, 1.0),
        Figure("fraction of the load on contacts that the later frame does not have", lost, 0.0, 1e-3),
    ]
    picture, axes = plt.subplots(1, 1, figsize=(5.2, 4.2))
    axes.loglog(x, y, ".", color=COLOURS[0], markersize=3, label=f"{len(pairs)} contacts")
    axes.set(xlabel="normal impulse [N s]", ylabel=f"{CHAINS_APART:g} s later [N s]", title="force chains stay")
    return Result(figures, picture)


# ---- silo

SILO_WALLS = ("floor", "gate", "pipe")
SILO_BEGIN = 0.5  # [s]


def silo_runs(full):
    layers = 32 if full else 16
    return [Run("closed", "silo", {
        "time.step": "50 us", "wall.gate.removed_at": "1000 s",
        "domain.upper": metres(0.025, 0.025, 0.06 + 2.1e-3 * layers),
        "fill.upper": metres(0.0168, 0.0168, 0.021 + 2.1e-3 * layers), "time.end": seconds(SILO_BEGIN + 0.3),
        "output.every": seconds(SILO_BEGIN + 0.3), "output.log_every": "1 ms"})]  # fmt: skip


def silo_analysis(runs):
    run = runs["closed"]
    rows = run.is_after(SILO_BEGIN)
    force, floor = load(run, SILO_WALLS)[rows], load(run, SILO_WALLS[:2])[rows]
    figures = [
        Figure("mean force on floor, gate and pipe over weight less 1", force.mean() - 1.0, 0.0, 0.001),
        Figure("its standard deviation from step to step", scatter(run, SILO_WALLS, rows), 0.0, 0.001),
        Figure("relative standard deviation of the force on floor and gate alone",
               scatter(run, SILO_WALLS[:2], rows) / floor.mean(), 0.0, 0.005),
    ]
    note = f"Floor and gate carry {floor.mean():.3f} of the weight, friction at the pipe the rest."
    return Result(figures, plot_loads({"all walls": run}, SILO_WALLS, SILO_BEGIN), note)


# ---- drum

DRUM_WALLS = ("drum", "front", "rear")
DRUM_STOPS = 0.4  # [s]


def drum_runs(full):
    """The first run has a rotating drum; the second continues with the drum at rest."""
    no_rotation = {f"wall.{wall}.angular_velocity": "0 0 0 1/s" for wall in DRUM_WALLS}
    options = {"output.log_every": "1 ms", "contact.rolling_friction": 0.01, "output.energy_book": "yes",
             "time.step": "50 us"}  # fmt: skip
    turning = Run("turning", "rotating_drum", {**options, "time.end": seconds(DRUM_STOPS), "output.every": "0.4 s",
                                               "average.slope.from": "0.25 s"})  # fmt: skip
    return [turning, Run("stopped", "rotating_drum", {**options, **no_rotation, "time.end": "1 s", "output.every": "1 s"},
                         after="turning")]  # fmt: skip


def momentum_gain(time, height, rows):
    """Mean rate of change of the upward momentum over these rows, divided by the weight.

    time: [K] [s];  height: height of the centre of mass, [K] [m];  rows: [K] of bool, at least three adjacent rows
    """
    velocity = np.gradient(height, time)[rows][1:-1]  # the first and the last difference cover half a row
    return (velocity[-1] - velocity[0]) / (GRAVITY * (time[rows][-2] - time[rows][1]))


def drum_analysis(runs):
    rows = {name: runs[name].is_after(begin) for name, begin in (("turning", 0.3), ("stopped", 0.7))}
    turning, stopped = (load(runs[name], DRUM_WALLS)[rows[name]] for name in rows)
    run = runs["turning"]
    height = run.columns["energy_potential"] / weight_of(run)  # centre of mass above its initial height [m]
    gain = momentum_gain(run.columns["time"], height, rows["turning"])
    figures = [
        Figure("mean force over weight, less 1 and less the gain of momentum, turning",
               turning.mean() - 1.0 - gain, 0.0, 0.01),
        Figure("mean force over weight less 1, stopped", stopped.mean() - 1.0, 0.0, 0.001),
        Figure("standard deviation of that force from step to step, stopped",
               scatter(runs["stopped"], DRUM_WALLS, rows["stopped"]), 0.0, 0.001),
    ]
    note = (
        f"While the drum turns, the force scatters by {scatter(run, DRUM_WALLS, rows['turning']):.3g} of the weight "
        f"(avalanches and impacts), and the bed, which has not reached its slope, gains {gain:.3g} of the weight "
        "in upward momentum."
    )
    return Result(figures, plot_loads(runs, DRUM_WALLS, 0.7), note)


# ---- slope below the angle of repose

SLOPES = {"below": 15.0, "above": 27.0}  # below and above the angle of repose [degrees]
SLOPE_DIAMETER = 2e-3  # [m]


def slope_runs(full):
    end = 4.0 if full else 2.0  # [s]; a rattler may swing in its groove for 0.7 s
    # Without rolling friction a rattler rolls to and fro in a groove of the floor.
    common = {"contact.rolling_friction": 0.01, "output.log_every": "5 ms", "average.profile.from": "0.1 s",
              "fill.velocity": "0 0 0"}  # fmt: skip
    level = {**common, "scene.gravity": f"0 0 {-GRAVITY} m/s^2", "time.end": "0.5 s", "output.every": "0.5 s"}
    runs = [Run("level", "inclined_plane", level)]
    for name, degrees in SLOPES.items():
        gravity = GRAVITY * np.array([np.sin(np.radians(degrees)), 0.0, -np.cos(np.radians(degrees))])
        tilted = {**common, "scene.gravity": "{:.12g} {:g} {:.12g} m/s^2".format(*gravity), "time.end": seconds(end),
                  "output.every": seconds(end / 4)}  # fmt: skip
        runs.append(Run(name, "inclined_plane", tilted, after="level"))
    return runs


def slope_analysis(runs):
    unit = np.sqrt(GRAVITY * SLOPE_DIAMETER)
    below, above = runs["below"], runs["above"]
    rows = below.is_after(0.5 * below.columns["time"][-1])
    creep = np.abs(below.columns["mean_velocity_x"][rows]).max() / unit
    displacement = max_displacement(below.snapshots[-3], below.snapshots[-1]) / SLOPE_DIAMETER
    figures = [
        Figure(f"mean velocity over √(g d) at {SLOPES['below']:g}°", creep, 0.0, 1e-6),
        Figure(f"largest displacement over d in the second half, {SLOPES['below']:g}°", displacement, 0.0, 1e-3),
        within(f"mean velocity over √(g d) at {SLOPES['above']:g}°, at the end", above.columns["mean_velocity_x"][-1]
               / unit, 0.1, 100.0),
    ]  # fmt: skip
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    for colour, (name, run) in zip(COLOURS, ((name, runs[name]) for name in SLOPES)):
        axes.semilogy(run.columns["time"][1:], np.abs(run.columns["mean_velocity_x"][1:]) / unit + 1e-18, color=colour,
                      label=f"{SLOPES[name]:g}°")  # fmt: skip
    axes.axhline(1e-6, color="black", linewidth=0.8)
    axes.set(xlabel="time [s]", ylabel="mean velocity / √(g d)")
    return Result(figures, picture)


CASES = [
    Case("rest_floor", "Force on the floor of a packing at rest", "F = W at every moment", "Statics",
         floor_runs, floor_analysis),
    Case("rest_column", "Columns of single spheres", "nothing rises; F = W", "Statics", column_runs, column_analysis),
    Case("rest_heap", "A heap left alone", "nothing moves", "Statics of a pile below its angle of repose",
         heap_runs, heap_analysis),
    Case("rest_force_chains", "Force chains from frame to frame", "contacts keep their impulses", "Statics",
         chains_runs, chains_analysis),
    Case("rest_silo", "Forces on the walls of a silo at rest", "floor, gate and pipe together carry the weight",
         "Statics; the shares follow the history (H. A. Janssen, Z. Ver. Dtsch. Ing. 39, 1045 (1895))",
         silo_runs, silo_analysis),
    Case("rest_drum", "Forces on a drum that rotates, then stops", "mantle and end plates carry the weight and the rate of change of momentum",
         "Newton's second law", drum_runs, drum_analysis),
    Case("rest_slope", "A slope below and above its angle of repose",
         "a layer on a rough plane rests below its angle and flows above it",
         "O. Pouliquen, Phys. Fluids 11, 542 (1999)", slope_runs, slope_analysis),
]  # fmt: skip
