"""Cases with free walls: walls that forces move."""

import numpy as np

from _study.running import Run
from _validation.case import GRAVITY, Case, Figure, Result, density_of, relative
from scree.figure import COLOURS, plt

# ---- a lid at rest

LIDS = {"light": 2e-4, "equal": 2e-3, "heavy": 2e-2}  # masses of lids on a bed of about 2 g [kg]


def lid_runs(full):
    options = {
        "domain.upper": "10 10 45 mm", "fill.upper": "10 10 30 mm", "fill.solid_fraction": 0.26, "time.end": "1 s", "output.every": "1 s",
        "wall.lid.shape": "plane", "wall.lid.point": "0 0 32 mm", "wall.lid.normal": "0 0 -1", "wall.lid.free": "along",
        "wall.lid.axis": "0 0 -1", "solver.sweeps": 30,
    }  # fmt: skip
    return [Run(name, "settle_box", {**options, "wall.lid.mass": f"{mass:g} kg"}) for name, mass in LIDS.items()]


def values_from(run, column, begin):
    """The values of a column of the series from `begin` [s] on."""
    return run.columns[column][run.is_from(begin)]


def lid_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    figures = []
    for colour, (name, mass) in zip(COLOURS, LIDS.items()):
        run = runs[name]
        time, load = run.columns["time"], -run.columns["wall_lid_load"] / (mass * GRAVITY)
        label = f"{1e3 * mass:.3g} g"
        axes[0].plot(time, 1e3 * run.columns["wall_lid_travel"], color=colour, label=label)
        axes[1].plot(time, load, color=colour, label=label)
        load_at_rest = -values_from(run, "wall_lid_load", 0.9) / (mass * GRAVITY)
        figures.append(relative(f"load over weight of the lid of {label}", load_at_rest.mean(), 1.0, 1e-3))
        figures.append(Figure(f"largest difference of that ratio from 1 in any row of the series, {label}",
                              np.abs(load_at_rest - 1.0).max(), 0.0, 0.01))  # fmt: skip
    axes[0].set(xlabel="time [s]", ylabel="travel, downwards [mm]")
    axes[1].set(xlabel="time [s]", ylabel="grains' force over weight", ylim=(0, 3))
    note = (
        "Free lids fall on beds of about 2 g, which settle. Loads are compared from 0.9 s on; each row of the series is "
        "a mean over 5 ms. The heavier a lid is compared with the grains, the more sweeps it needs: these runs have 30."
    )
    return Result(figures, picture, note)


# ---- a drive that controls a pressure

SETTLED = 0.4  # from this time on the shear cell is steady [s]


def servo_runs(full):
    return [Run("cell", "shear_cell_pressure", {"time.step": "100 us"} if full else {"time.step": "100 us", "time.end": "0.6 s"})]


def servo_analysis(runs):
    run = runs["cell"]
    target, area = run.number("wall.lid", "pressure"), run.number("wall.lid", "area")
    time, pressure = run.columns["time"], -run.columns["wall_lid_load"] / area
    mean = -values_from(run, "wall_lid_load", SETTLED).mean() / area
    height = 37.28e-3 - run.columns["wall_lid_travel"]
    thickness = height[run.is_from(SETTLED)].mean()
    shear = -values_from(run, "wall_lid_force_x", SETTLED).mean() / area
    inertial_number = 0.1 / thickness * 2e-3 * np.sqrt(density_of(run) / mean)
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].plot(time, pressure, color=COLOURS[0], linewidth=0.6, label="of the grains, means over 2 ms")
    axes[0].axhline(target, color="black", linestyle="--", label="target")
    axes[1].plot(time, 1e3 * height, color=COLOURS[0], label="height of the lid")
    axes[0].set(xlabel="time [s]", ylabel="pressure [Pa]", ylim=(0, 3.0 * target))
    axes[1].set(xlabel="time [s]", ylabel="[mm]")
    figures = [relative(f"mean pressure from {SETTLED:g} s on", mean, target, 0.01, "Pa")]
    note = (
        f"From {SETTLED:g} s on the cell is {1e3 * thickness:.1f} mm high and τ/p = {shear / mean:.3f}. If all of it shears, its "
        f"inertial number is {inertial_number:.3f}."
    )
    return Result(figures, picture, note)


CASES = [
    Case("lid", "Free lids at rest", "Σ λ/dt = m g", "balance of momentum", lid_runs, lid_analysis),
    Case("servo", "A drive that holds a pressure", "p A = Σ λ/dt", "balance of momentum", servo_runs, servo_analysis),
]  # fmt: skip
