"""Cases of coarse-grained stress: it balances weight and walls, and equals n T in a gas."""

import numpy as np

from _study.measures import force_on
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Figure, Result, last_of, relative
from _validation.gas import carnahan_starling, elastic_gas, temperature
from scree.figure import COLOURS, plt


# ---- a silo at rest

SILO_REST = 0.4  # from this time on the silo is at rest [s]
SILO_MEASURED = {False: 0.1, True: 0.4}  # duration of the averages from SILO_REST on, by `full` [s]
SILO_CELLS = 22
SILO_LOWER, SILO_UPPER = 0.018, 0.062  # heights [m]
SILO_SIDE = 0.05  # side of the region, which contains the pipe [m]
SILO_WALLS = ("floor", "gate", "pipe")


def silo_runs(full):
    end = seconds(SILO_REST + SILO_MEASURED[full])
    options = {
        "time.step": "50 us", "wall.gate.removed_at": "1000 s", "time.end": end, "output.every": end,
        "output.log_every": "10 ms",
        "average.stress.lower": metres(-0.5 * SILO_SIDE, -0.5 * SILO_SIDE, SILO_LOWER),
        "average.stress.upper": metres(0.5 * SILO_SIDE, 0.5 * SILO_SIDE, SILO_UPPER),
        "average.stress.cells": f"1x1x{SILO_CELLS}", "average.stress.from": seconds(SILO_REST),
        "average.stress.every": "0.5 ms", "average.outflow.from": "0 s",
    }  # fmt: skip
    return [Run("rest", "silo", options)]


def carried_above(table, height, volume):
    """Load that the stress of each cell carries [N]: weight less wall forces above the middle of the cell."""
    load = (table["mass_density"] * GRAVITY - table["wall_force_density_z"]) * volume
    return np.cumsum(load[::-1])[::-1] - 0.5 * load


def silo_analysis(runs):
    run = runs["rest"]
    table = run.average("stress")
    area, step = SILO_SIDE**2, (SILO_UPPER - SILO_LOWER) / SILO_CELLS
    volume = area * step
    weight = last_of(run).masses.sum() * GRAVITY
    stress = table["contact_stress_zz"] + table["kinetic_stress_zz"]
    carried = carried_above(table, table["z"], volume)
    walls = (table["wall_force_density_z"] * volume).sum()
    is_measured = run.is_after(SILO_REST)
    loads = -force_on(run.columns, "z", *SILO_WALLS)[is_measured].mean()
    # The stress ends at the floor, so that carried_above is a bad approximation in the lowest cells.
    inner = table["z"] > SILO_LOWER + 2.5 * step
    figures = [
        relative("weight of the fields over that of the grains", (table["mass_density"] * volume).sum() * GRAVITY / weight,
                 1.0, 0.01),
        relative("force of the walls in the fields over their loads in the series", walls / loads, 1.0, 0.01),
        relative("loads of the walls over the weight", loads / weight, 1.0, 0.01),
        Figure("largest of |A σ_zz − weight above + walls above| over the weight",
               np.abs(area * stress - carried)[inner].max() / weight, 0.0, 0.01),
    ]  # fmt: skip
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    axes.plot(area * stress / weight, 1e3 * table["z"], "o", color=COLOURS[0], markersize=4, label="$A\\,\\sigma_{zz}$")
    axes.plot(carried / weight, 1e3 * table["z"], color=COLOURS[1], label="weight above less walls above")
    axes.set(xlabel="over the weight", ylabel="height [mm]")
    note = (
        f"Means over {run.end - SILO_REST:g} s at rest, in cells of {1e3 * step:g} mm over the whole width; the rest of the "
        "weight is carried by the pipe. The branch vectors of the stress reach to the contacts with the walls."
    )
    return Result(figures, picture, note)


# ---- a gas

GAS_SOLID = 0.25
GAS_STEP = 2e-6  # [s]
GAS_COLLISIONS = {False: 40, True: 160}  # collisions per sphere, by `full`
GAS_WARM = 0.25  # fraction of the run in which velocities become Gaussian
# Tolerance for a single axis: T along an axis scatters by √(2/N) = 3.4 %, and the run has few independent instants.
GAS_ISOTROPY = 0.04


def gas_runs(full):
    frequency, elastic = elastic_gas(GAS_SOLID)
    steps = 400 * int(GAS_COLLISIONS[full] / frequency / GAS_STEP / 400)
    end = seconds(steps * GAS_STEP)
    options = {
        **elastic, "time.step": seconds(GAS_STEP), "time.end": end, "output.every": end, "output.log_every": "10 steps",
        "average.stress.cells": "1x1x1", "average.stress.every": "1 step",
        "average.stress.from": seconds(GAS_WARM * steps * GAS_STEP),
    }  # fmt: skip
    return [Run("elastic", "granular_gas", options)]


def gas_analysis(runs):
    run = runs["elastic"]
    table = run.average("stress")
    time, theta = temperature(run)
    is_warm = time >= GAS_WARM * time[-1]
    last = last_of(run)
    density = last.masses.sum() / np.prod(last.upper - last.lower)
    expected = density * theta[is_warm].mean()  # n T [Pa]
    kinetic, contact = ([table[f"{part}_stress_{ii}"].mean() for ii in ("xx", "yy", "zz")] for part in ("kinetic", "contact"))
    figures = [
        relative(f"kinetic stress along {axis} over n T", value / expected, 1.0, GAS_ISOTROPY) for axis, value in zip("xyz", kinetic)
    ]
    figures += [
        relative("mean kinetic stress over n T", np.mean(kinetic) / expected, 1.0, 0.01),
        relative("p/(n T) of kinetic and contact stress", (np.mean(kinetic) + np.mean(contact)) / expected,
                 carnahan_starling(GAS_SOLID), 0.02),
    ]  # fmt: skip
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    for colour, part, values in zip(COLOURS, ("kinetic", "contact"), (kinetic, contact)):
        axes.bar(np.arange(3) + 0.4 * (part == "contact"), np.array(values) / expected, 0.4, color=colour, label=part)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.axhline(carnahan_starling(GAS_SOLID) - 1.0, color="black", linewidth=0.8, linestyle="--")
    axes.set(xticks=np.arange(3) + 0.2, xticklabels=["xx", "yy", "zz"], ylabel="stress over n T",
             title="lines: 1, and the contact part of Carnahan and Starling")  # fmt: skip
    note = (
        f"Elastic spheres at a solid fraction of {GAS_SOLID:g}, means over all space and every step; n T from the kinetic "
        "energy of the series. In small cells the kinetic stress would be relative to the mean velocity of each cell, "
        "and smaller by the fluctuations of these means."
    )
    return Result(figures, picture, note)


CASES = [
    Case("stress_silo", "Coarse-grained stress of a silo at rest", "A σ_zz(z) = ∫_z (ρ g − t_z) A dz",
         "T. Weinhart, A. R. Thornton, S. Luding, O. Bokhove, Granular Matter 14, 289 (2012)", silo_runs, silo_analysis),
    Case("stress_gas", "Coarse-grained stress of a gas", "σ_kinetic = n T,  p = n T (1 + φ + φ² − φ³)/(1 − φ)³",
         "I. Goldhirsch, Granular Matter 12, 239 (2010); N. F. Carnahan, K. E. Starling, J. Chem. Phys. 51, 635 (1969)",
         gas_runs, gas_analysis),
]  # fmt: skip
