"""Cases of a sphere that bounces until it lies still."""

import numpy as np

from _study.running import Run
from _validation.case import GRAVITY, Case, Figure, Result, density_of, relative
from scree.figure import COLOURS, plt


def flights(run):
    """(times, heights of the centre above its rest position, energies per mass, first row of each flight) of the series.

    The first three are [K]. The last one ends with K, the number of rows.
    """
    series = run.columns
    radius = run.number("fill", "radius")
    mass = 4.0 / 3.0 * np.pi * radius**3 * density_of(run)
    drop = initial_height(run) - radius
    height = drop + (series["energy_potential"] + series["energy_projection"]) / (mass * GRAVITY)
    energy = GRAVITY * height + series["kinetic_energy"] / mass
    is_impact = np.diff(series["energy_restitution"]) > 0.0
    begins = np.concatenate(([0], np.flatnonzero(is_impact) + 1, [len(height)]))
    return series["time"], height, energy, begins


def initial_height(run):
    """z of the only lattice site of the fill [m]."""
    lower = float(run.scene["fill"]["lower"].split()[2])
    return lower + 0.5 * run.number("fill", "spacing")


def constant_restitution_analysis(runs):
    run = runs["bouncing_sphere"]
    e = run.number("contact", "restitution")
    time, height, _, begins = flights(run)
    tops = [height[a:b].max() for a, b in zip(begins, begins[1:])]
    drop, count = tops[0], 25
    ratio = np.array(tops[1 : count + 1]) / drop / e ** (2.0 * np.arange(1, count + 1))
    moving = np.flatnonzero(run.columns["max_speed"] > GRAVITY * run.time_step)
    total = np.sqrt(2.0 * drop / GRAVITY) * (1.0 + e) / (1.0 - e)
    results = [
        Figure(f"heights over e^2n, worst of {count}", ratio[np.argmax(np.abs(ratio - 1.0))], 1.0, 0.01),
        relative("time until it lies still", time[moving[-1]], total, 0.01, "s"),
    ]
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].plot(time, 100.0 * height, color=COLOURS[0], linewidth=0.8, label="measured")
    axes[0].axvline(total, color=COLOURS[1], linestyle="--", label="end in theory")
    axes[0].set(xlabel="time [s]", ylabel="height [cm]")
    numbers = np.arange(len(tops) - 1)
    axes[1].semilogy(numbers, 100.0 * np.array(tops[:-1]), "o", color=COLOURS[0], label="measured", markersize=4)
    axes[1].semilogy(numbers, 100.0 * drop * e ** (2.0 * numbers), color=COLOURS[1], label=r"$h e^{2n}$")
    axes[1].set(xlabel="impact n", ylabel="height after it [cm]")
    return Result(results, picture)


def viscoelastic_analysis(runs):
    _, _, energy, begins = flights(runs["bouncing_sphere_viscoelastic"])
    min_speed = 0.2  # [m/s]; at lower speeds the step is no longer short compared with a flight
    levels = np.array([np.median(energy[a:b]) for a, b in zip(begins, begins[1:])])
    levels = levels[levels > 0.5 * min_speed**2]
    speed = np.sqrt(2.0 * levels)
    e = np.sqrt(levels[1:] / levels[:-1])
    x, y = np.log(speed[:-1]), np.log(1.0 - e)
    exponent, constant = np.polyfit(x, y, 1)
    picture, axes = plt.subplots(1, 1, figsize=(6, 4.5))
    axes.loglog(speed[:-1], 1.0 - e, ".", color=COLOURS[0], label="impacts")
    axes.loglog(speed[:-1], np.exp(constant) * speed[:-1] ** exponent, color=COLOURS[1],
                label=f"fit, exponent {exponent:.4f}")
    axes.loglog(speed[:-1], np.exp(constant + (exponent - 0.2) * x.mean()) * speed[:-1] ** 0.2, "--",
                color=COLOURS[2], label="exponent 1/5")
    axes.set(xlabel="approach speed [m/s]", ylabel="1 - e")
    return Result([Figure("exponent of v in 1 - e", exponent, 0.2, 0.01)], picture)


CASES = [
    Case("bouncing_sphere", "A sphere that bounces with a constant restitution",
         "bounce n reaches h e^(2n); the end is at √(2h/g) (1 + e)/(1 − e)", "Geometric series of free flights",
         lambda full: [Run("bouncing_sphere", "bouncing_sphere")], constant_restitution_analysis),
    Case("bouncing_sphere_viscoelastic", "A sphere that bounces by the law of Kuwabara and Kono",
         "1 − e ∝ v^(1/5) for small losses",
         "G. Kuwabara, K. Kono, Jpn. J. Appl. Phys. 26, 1230 (1987); T. Schwager, T. Pöschel, Phys. Rev. E 57, 650 (1998)",
         lambda full: [Run("bouncing_sphere_viscoelastic", "bouncing_sphere_viscoelastic")], viscoelastic_analysis),
]  # fmt: skip
