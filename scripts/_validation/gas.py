"""Cases of gases of hard spheres: cooling, and pressure."""

import numpy as np

from _study.running import Run, metres, seconds
from _validation.case import Case, Figure, Result, last_of, relative
from scree.figure import COLOURS, plt

# Options that make the gases of the scenes smaller.
SMALL_GAS = {
    "domain.upper": "15.633 15.633 15.633 mm", "fill.upper": "15.633 15.633 15.633 mm",
    "time.step": "10 us", "time.end": "0.2 s", "output.every": "0.2 s",
}  # fmt: skip


def temperature(run):
    """(times [s], T/m [m^2/s^2]) of the rows of the series; T does not include the common motion."""
    last = last_of(run)
    mass = last.masses
    drift = (mass[:, None] * last["velocity"]).sum(axis=0) / mass.sum()
    energy = run.columns["kinetic_energy"] / mass.sum() - 0.5 * (drift**2).sum()
    return run.columns["time"], energy / 1.5


def enskog_chi(solid):
    """Pair distribution function at contact for a solid fraction.

    N. F. Carnahan, K. E. Starling, J. Chem. Phys. 51, 635 (1969).
    """
    return (1.0 - 0.5 * solid) / (1.0 - solid) ** 3


def collision_frequency(run, theta):
    """Enskog's collision frequency of one sphere at T/m = theta [1/s]."""
    radius = run.number("fill", "radius")
    density = run.columns["particles"][0] / run.numbers("domain", "upper").prod()
    solid = density * 4.0 / 3.0 * np.pi * radius**3
    return 4.0 * density * (2.0 * radius) ** 2 * enskog_chi(solid) * np.sqrt(np.pi * theta)


def power_law(time, theta, guess):
    """The p of a fit T = T_0 (1 + t/tau)^-p. Least squares in ln T give p and T_0 for each tau; a search gives tau.

    guess: of tau
    """
    def fit(tau):
        x = np.log1p(time / tau)
        slope, constant = np.polyfit(x, np.log(theta), 1)
        return ((np.log(theta) - constant - slope * x) ** 2).sum(), -slope

    taus = guess * np.geomspace(0.2, 5.0, 2001)
    return min(map(fit, taus))[1]


def gaussian_rows(run):
    """(times [s], T/m) from five collisions per sphere on, when velocities are Gaussian; the first time is 0."""
    time, theta = temperature(run)
    begin = np.searchsorted(time, 5.0 / collision_frequency(run, theta[0]))
    return time[begin:] - time[begin], theta[begin:]


def haff_analysis(runs):
    run = runs["granular_gas"]
    e = run.number("contact", "restitution")
    time, theta = gaussian_rows(run)
    tau = 6.0 / ((1.0 - e**2) * collision_frequency(run, theta[0]))
    # Fitted with the theoretical exponent 2.
    measured = 1.0 / np.polyfit(time, np.sqrt(theta[0] / theta), 1)[0]
    figures = [
        Figure("exponent of Haff's law", power_law(time, theta, tau), 2.0, 0.1),
        relative("time constant of Haff's law", measured, tau, 0.05, "s"),
    ]
    return Result(figures, draw_cooling(time, theta, tau, 2.0))


def viscoelastic_analysis(runs):
    run = runs["granular_gas_viscoelastic"]
    frequency = collision_frequency(run, temperature(run)[1][0])
    time, theta = gaussian_rows(run)
    exponent = power_law(time, theta, 30.0 / frequency)
    tau = 1.0 / np.polyfit(time, (theta[0] / theta) ** 0.6, 1)[0]
    return Result([relative("exponent of t in T", exponent, 5 / 3, 0.05)], draw_cooling(time, theta, tau, 5 / 3))


def draw_cooling(time, theta, tau, power):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    law = (1.0 + time / tau) ** -power
    axes[0].loglog(1.0 + time / tau, theta / theta[0], color=COLOURS[0], label="measured")
    axes[0].loglog(1.0 + time / tau, law, "--", color=COLOURS[1], label=f"$(1 + t/\\tau)^{{-{power:.4g}}}$")
    axes[0].set(xlabel=r"$1 + t/\tau$", ylabel=r"$T/T_0$")
    axes[1].plot(time / tau, theta / theta[0] / law - 1.0, color=COLOURS[0], label="measured over law, less 1")
    axes[1].axhline(0.0, color="black", linewidth=0.6)
    axes[1].set(xlabel=r"$t/\tau$", ylabel="relative difference")
    return picture


def cooling_runs(name):
    return lambda full: [Run(name, name, {} if full else SMALL_GAS)]


# ---- pressure

SOLID_FRACTIONS = {"short": (0.15, 0.35, 0.45), "full": (0.05, 0.15, 0.25, 0.35, 0.45)}
GAS_RADIUS = 0.5e-3  # [m]
SITES = 12  # sites of the lattice along each axis
THETA = 1.0 / 3.0  # T/m of velocity components that are uniform within ±1 m/s [m^2/s^2]
ROWS = 200  # rows of the series
WARM_UP = 0.25  # fraction of the run in which velocities become Gaussian


def elastic_gas(solid):
    """(collision frequency of a sphere [1/s], options) of a gas of this solid fraction on a lattice of SITES."""
    spacing = (4.0 / 3.0 * np.pi / solid) ** (1.0 / 3.0) * GAS_RADIUS
    frequency = 4.0 * (2.0 * GAS_RADIUS) ** 2 / spacing**3 * enskog_chi(solid) * np.sqrt(np.pi * THETA)
    corner = metres(*[SITES * spacing] * 3)
    return frequency, {"contact.restitution": 1, "domain.upper": corner, "fill.upper": corner,
                       "fill.spacing": metres(spacing)}  # fmt: skip


def pressure_runs(full):
    # With 30 collisions per sphere the pressure of a run scatters by 0.7 %, with 90 by 0.3 %.
    collisions, min_steps = (200, 40000) if full else (90, 18000)
    runs = []
    for solid in SOLID_FRACTIONS["full" if full else "short"]:
        frequency, elastic = elastic_gas(solid)
        step = 1e-6 if solid > 0.3 else 2e-6 if solid > 0.2 else 4e-6  # [s]; in denser gases the error of the step matters
        row_steps = int(max(collisions / frequency / step, min_steps)) // ROWS
        options = {
            **elastic, "time.step": seconds(step), "time.end": seconds(ROWS * row_steps * step),
            "output.every": seconds(ROWS * row_steps * step), "output.log_every": seconds(row_steps * step),
            "output.energy_book": "yes",
        }  # fmt: skip
        runs.append(Run(f"solid{solid:g}", "granular_gas", options))
    return runs


def carnahan_starling(solid):
    """Compressibility p/(n T) of hard spheres (Carnahan, Starling 1969)."""
    return (1.0 + solid + solid**2 - solid**3) / (1.0 - solid) ** 3


def compressibility(time, restitution_energy, theta, mass, count, diameter):
    """p/(n T) of a gas of `count` elastic spheres from the impulses of the impacts.

    restitution_energy: sum over the impacts up to each time of impulse lambda times approach speed g, [K] [J]
    theta: T/M [m^2/s^2];  mass: mass M of a sphere [kg];  diameter: d [m]

    The virial is p V = N T + d/(3 t) sum lambda, and lambda = M g. In equilibrium the approach speeds of impacts
    are distributed as g exp(-g^2/(2 s^2)) with s^2 = 2 T/M, so that <g>/<g^2> = sqrt(pi/2)/(2 s). This ratio converts
    the sum of lambda g to the sum of lambda. (J.-P. Hansen, I. R. McDonald, Theory of Simple Liquids, section 2.5.)
    """
    spread = np.sqrt(2.0 * theta)
    impulse_rate = np.polyfit(time, restitution_energy, 1)[0] * np.sqrt(0.5 * np.pi) / (2.0 * spread)
    return 1.0 + diameter * impulse_rate / (3.0 * count * mass * theta)


def pressure_analysis(runs):
    solid, measured, drift = [], [], []
    for name, run in runs.items():
        solid.append(float(name.removeprefix("solid")))
        time, theta = temperature(run)
        is_warm = time > WARM_UP * time[-1]
        count = run.columns["particles"][0]
        mass = last_of(run).masses[0]
        measured.append(compressibility(
            time[is_warm], run.columns["energy_restitution"][is_warm], theta[is_warm].mean(), mass, count, 2.0 * GAS_RADIUS))
        drift.append(np.abs(theta / theta[0] - 1.0).max())
    solid, measured = np.array(solid), np.array(measured)
    figures = [
        relative(f"p/(n T) at a solid fraction of {s:g}", z, carnahan_starling(s), 0.02)
        for s, z in zip(solid, measured)
    ]
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    fine = np.linspace(0.0, 0.47, 200)
    axes[0].plot(fine, carnahan_starling(fine), color=COLOURS[1], label="Carnahan-Starling")
    axes[0].plot(solid, measured, "o", color=COLOURS[0], markersize=5, label="measured")
    axes[0].set(xlabel="solid fraction", ylabel="p/(n T)")
    axes[1].plot(solid, 100.0 * (measured / carnahan_starling(solid) - 1.0), "o-", color=COLOURS[0], label="difference")
    axes[1].axhspan(-2.0, 2.0, color="0.9", label="tolerance")
    axes[1].set(xlabel="solid fraction", ylabel="measured over law, less 1 [%]")
    note = (
        f"The kinetic energy changes by a fraction of at most {max(drift):.2g}. Spheres that would meet within a step collide "
        "at its beginning, up to v dt apart, as if they were larger by half of that. "
        "This changes p by tenths of a per cent."
    )
    return Result(figures, picture, note)


CASES = [
    Case("granular_gas", "Cooling of a gas of inelastic spheres",
         "T = T_0/(1 + t/τ)²,  1/τ = (1 − e²) ω/6,  ω = 4 n d² χ √(π T_0/m),  χ = (1 − φ/2)/(1 − φ)³",
         "P. K. Haff, J. Fluid Mech. 134, 401 (1983), with Enskog's frequency of impacts",
         cooling_runs("granular_gas"), haff_analysis),
    Case("granular_gas_viscoelastic", "Cooling of a gas of viscoelastic spheres", "T = T_0/(1 + t/τ)^(5/3)",
         "N. V. Brilliantov, T. Pöschel, Kinetic Theory of Granular Gases, Oxford University Press (2004)",
         cooling_runs("granular_gas_viscoelastic"), viscoelastic_analysis),
    Case("gas_pressure", "Pressure of a gas of elastic spheres",
         "p/(n T) = (1 + φ + φ² − φ³)/(1 − φ)³;  measured: p V = N T + d/(3 t) Σ λ",
         "N. F. Carnahan, K. E. Starling, J. Chem. Phys. 51, 635 (1969)",
         pressure_runs, pressure_analysis),
]  # fmt: skip
