"""Cases of steady dense flows: down an incline, and between walls."""

import numpy as np

from _rheology.page import JOP
from _study.measures import select_rows, force_on
from _study.running import Run, metres
from _validation.case import Case, Figure, Result, density_of, relative
from scree.figure import COLOURS, plt

# ---- incline

DIAMETER = 2e-3  # mean diameter in inclined_plane.ini and shear_cell.ini [m]


def incline_runs(full):
    deeper = {
        "domain.upper": "10 8 120 mm", "fill.upper": metres(0.01, 0.008, 1e-3 + 40 * 2.4e-3),
        "fill.velocity": "1 0 0 m/s", "average.profile.upper": "10 8 120 mm", "average.profile.cells": "1x1x120",
        "average.profile.from": "4 s", "time.end": "8 s",
    }  # fmt: skip
    return [Run("flow", "inclined_plane", deeper if full else {})]


def profile(run):
    """Columns of the height profile, restricted to cells with samples, {column: [K]}."""
    table = run.average("profile", ("z", "velocity_x", "solid_fraction"))
    return select_rows(table, table["samples"] > 0)


def flow_depth(height, solid):
    """Height of the free surface [m]: twice the height of the centre of mass, as in a layer of uniform density."""
    return 2.0 * (height * solid).sum() / solid.sum()


def bagnold_fit(height, velocity, depth, power):
    """(v_0, A, sum of squared residuals) of the least-squares fit v = v_0 + A (1 - (1 - z/h)^p).

    height, velocity: z, v [K];  depth: h [m];  power: p
    """
    matrix = np.column_stack([np.ones_like(height), 1.0 - (1.0 - height / depth) ** power])
    solution = np.linalg.lstsq(matrix, velocity, rcond=None)[0]
    return *solution, ((matrix @ solution - velocity) ** 2).sum()


def bagnold_exponent(height, velocity, depth):
    """The p of `bagnold_fit` with the smallest residual."""
    powers = np.linspace(0.5, 3.0, 2501)
    residuals = [bagnold_fit(height, velocity, depth, power)[-1] for power in powers]
    return powers[int(np.argmin(residuals))]


def incline_analysis(runs):
    run = runs["flow"]
    gravity = run.numbers("scene", "gravity")
    angle = np.degrees(np.arctan2(gravity[0], -gravity[2]))
    table = profile(run)
    height, velocity, solid = table["z"], table["velocity_x"], table["solid_fraction"]
    depth = flow_depth(height, solid)
    # Two diameters at the base, where spheres form layers, and one at the surface, where spheres fly, are left out.
    rows = (height > 2.0 * DIAMETER) & (height < depth - DIAMETER)
    inner = height[rows], velocity[rows], depth
    power = bagnold_exponent(*inner)
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].plot(velocity, height / DIAMETER, ".", color=COLOURS[0], label="measured")
    fine = np.linspace(0.0, depth, 200)
    for exponent, style, colour in ((power, "-", COLOURS[1]), (1.5, "--", "black")):
        slip, speed, _ = bagnold_fit(*inner, exponent)
        law = slip + speed * (1.0 - (1.0 - fine / depth) ** exponent)
        axes[0].plot(law, fine / DIAMETER, style, color=colour, linewidth=0.9, label=f"exponent {exponent:.3g}")
    axes[0].set(xlabel="velocity [m/s]", ylabel="height [diameters]")
    axes[1].plot(run.columns["time"], run.columns["mean_velocity_x"], color=COLOURS[0], label="mean velocity")
    begin = run.number("average.profile", "from")
    axes[1].axvspan(begin, run.columns["time"][-1], color="0.9", label="averaged")
    axes[1].set(xlabel="time [s]", ylabel="[m/s]", ylim=(0, None))
    note = (
        f"At {angle:.3g}°, a layer of {depth / DIAMETER:.1f} diameters. Fitted from 2 diameters above the base, which "
        "orders the spheres, to 1 below the surface, above which they fly. With the exponent 3/2 the velocity grows "
        f"from {slip:.3f} m/s at the base by {speed:.3f} m/s."
    )
    return Result([Figure("exponent of the velocity profile", power, 1.5, 0.1)], picture, note)


# ---- shear cell

# Heights of the cell [mm], which set the solid fraction. Denser flows (I < 0.05) in a cell of 17 diameters do not test
# the law: the pressure comes in bursts, and friction is 5 to 7 % below that of a flow without walls (periodic_shear).
HEIGHTS = (36.6, 35.8, 35)
BEGIN_HEIGHT = 37.28  # height of the cell in the scene [mm]
WALL_SPEED = 100.0  # speed of each wall [mm/s]
PITCH = 4.0  # distance of the ridges [mm]
COMPRESSION = 6 * PITCH / WALL_SPEED  # duration of the compression to the height of the cell [s]
# Duration of a leg of shear [s]. The ridges are long enough for a leg, and each leg starts with the ridges at their
# initial position.
LEG = 16 * PITCH / WALL_SPEED


def shear_stage(height, sinking, end):
    """Options for a stage.  height: at its start [mm];  sinking: speed of the upper wall downwards [mm/s];  end: [s]"""
    back, forth = f"{-WALL_SPEED:g} 0 0 mm/s", f"{WALL_SPEED:g} 0 {-sinking:.9g} mm/s"
    return {
        "wall.top.point": f"0 0 {height:g} mm", "wall.upper_ridges.offset": f"0 0 {height - 0.6:g} mm",
        "wall.bottom.velocity": back, "wall.lower_ridges.velocity": back, "wall.top.velocity": forth,
        "wall.upper_ridges.velocity": forth, "time.end": f"{end:g} s", "output.every": f"{end:g} s",
        "average.profile.from": f"{0.25 * LEG:g} s", "average.profile.every": "0.2 ms",
    }  # fmt: skip


def shear_grains():
    """Columns of initial.file: spheres on a body-centred lattice, denser than any fill without overlaps.

    The overlaps, at most a tenth of a diameter, are removed while the cell is compressed.
    """
    spacing, upper = 2.33e-3, np.array([24e-3, 20e-3, 1e-3 * BEGIN_HEIGHT])
    positions = []
    for lower, end in ((np.zeros(3), upper), (np.full(3, 0.5 * spacing), upper - 0.5 * spacing)):
        lines = [a + spacing * (0.5 + np.arange(int((b - a) / spacing + 1e-9))) for a, b in zip(lower, end)]
        positions.append(np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3))
    x, y, z = np.concatenate(positions).T
    random = np.random.default_rng(1)
    return {"x": x, "y": y, "z": z, "radius": 0.5 * DIAMETER * random.uniform(0.9, 1.1, len(x))}


def shear_runs(full):
    """For each height the cell is compressed, then sheared in legs, of which the last is measured.

    The flow is steady from the third leg on. (In the second leg the loosest cell has 80 % of its final shear rate.)
    """
    runs = []
    for height in HEIGHTS:
        name = f"height{height:g}"
        press = shear_stage(BEGIN_HEIGHT, (BEGIN_HEIGHT - height) / COMPRESSION, COMPRESSION)
        runs.append(Run(f"{name}_pressed", "shear_cell", press, particles=shear_grains()))
        legs = [f"{name}_leg{k}" for k in range(1, 6 if full else 3)] + [name]
        previous = runs[-1].name
        for leg in legs:
            runs.append(Run(leg, "shear_cell", shear_stage(height, 0.0, LEG), after=previous))
            previous = leg
    return runs


def wall_loads(columns):
    """(shear force, normal force) on a wall, averaged over both walls and the rows of a series [N]."""
    difference = {axis: force_on(columns, axis, "top", "upper_ridges") - force_on(columns, axis, "bottom", "lower_ridges")
              for axis in "xz"}  # fmt: skip
    return -0.5 * difference["x"].mean(), 0.5 * difference["z"].mean()


def field_stress(table, rows):
    """(tau, p) of the coarse-grained fields, averaged over these rows [Pa].

    Stresses are positive under pressure, and x-momentum flows along -z, so tau = -stress_xz.
    """
    shear, pressure = (table[f"kinetic_stress_{ij}"] + table[f"contact_stress_{ij}"] for ij in ("xz", "zz"))
    return -shear[rows].mean(), pressure[rows].mean()


def shear_rate(height, velocity):
    """dv/dz by least squares in the inner half of the cell [1/s]."""
    middle, extent = 0.5 * (height[0] + height[-1]), np.ptp(height)
    rows = np.abs(height - middle) < 0.25 * extent
    return np.polyfit(height[rows], velocity[rows], 1)[0]


def shear_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    inertial_number, friction, solid, balance = [], [], [], []
    last_legs = [runs[f"height{height:g}"] for height in HEIGHTS]
    for colour, run in zip(COLOURS, last_legs):
        upper = run.numbers("domain", "upper")
        is_averaged = run.is_from(run.number("average.profile", "from"))
        shear, pressure = (load / (upper[0] * upper[1]) for load in wall_loads(select_rows(run.columns, is_averaged)))
        table = profile(run)
        gamma = shear_rate(table["z"], table["velocity_x"])
        inertial_number.append(gamma * DIAMETER * np.sqrt(density_of(run) / pressure))
        friction.append(shear / pressure)
        inner = np.abs(table["z"] / np.ptp(table["z"]) - 0.5) < 0.25
        solid.append(table["solid_fraction"][inner].mean())
        tau, p = field_stress(table, inner)
        balance += [
            relative(f"{name} of the fields over that of the walls, φ = {solid[-1]:.3f}", field / wall, 1.0, 0.02)
            for name, field, wall in (("τ", tau, shear), ("p", p, pressure))
        ]
        axes[0].plot(table["velocity_x"], table["z"] / DIAMETER, ".-", color=colour, label=f"φ = {solid[-1]:.3f}")
    axes[0].set(xlabel="velocity [m/s]", ylabel="height [diameters]")
    fine = np.geomspace(0.01, 1.0, 200)
    axes[1].semilogx(fine, JOP.curve(fine), color=COLOURS[1], label="Jop, Forterre, Pouliquen")
    axes[1].fill_between(fine, 0.9 * JOP.curve(fine), 1.1 * JOP.curve(fine), color="0.9", label="tolerance")
    axes[1].semilogx(inertial_number, friction, "o", color=COLOURS[0], label="measured")
    axes[1].set(xlabel="I", ylabel="τ/p")
    figures = [relative(f"τ/p at I = {i:.3f}", mu, JOP.curve(i), 0.1) for i, mu in zip(inertial_number, friction)]
    note = (
        "The law with the parameters of its authors for glass spheres, μs = tan 20.9°, μ2 = tan 32.76°, I0 = 0.279. "
        "τ and p are the mean forces on the walls, I = γ d √(ρ/p) with the shear rate γ of the inner "
        "half of the cell, d the mean diameter and ρ the density of the spheres, whose friction is 0.5. The volume is "
        "fixed: each solid fraction has its I. The fields are those of [average.profile] in the same half, coarse-grained "
        "from single steps; steady flow has the same stress at all heights."
    )
    return Result(figures + balance, picture, note)


CASES = [
    Case("inclined_flow", "Flow down a rough incline", "v = v_0 + A (1 − (1 − z/h)^(3/2))",
         "R. A. Bagnold, Proc. R. Soc. A 225, 49 (1954); L. E. Silbert et al., Phys. Rev. E 64, 051302 (2001)",
         incline_runs, incline_analysis),
    Case("shear_cell", "Friction of a sheared flow", "τ/p = μ_s + (μ_2 − μ_s)/(I_0/I + 1)",
         "P. Jop, Y. Forterre, O. Pouliquen, Nature 441, 727 (2006)", shear_runs, shear_analysis),
]  # fmt: skip
