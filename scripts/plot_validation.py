#!/usr/bin/env python3
"""Runs validation scenes, measures what theory predicts of them, and draws it.

For each scene: a line per figure with the measured value, the expected one and what it may be off;
NAME.png. Ends with 1 if a figure is off by more.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import _environment

_environment.require("numpy", "h5py", "xxhash", "matplotlib")

import matplotlib.pyplot as plt
import numpy as np

import _figure
import _run
import _snapshot

# In the source tree, or installed.
ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ROOT / "apps" / "scenes" if (ROOT / "apps").is_dir() else ROOT / "scenes"
GRAVITY = 9.81  # of the scenes [m/s^2]
COLOURS = _figure.COLOURS


class Report:
    """Prints figures and remembers whether all were as expected."""

    def __init__(self):
        self.is_good = True

    def add(self, scene, name, measured, expected, tolerance):
        """`tolerance` is absolute."""
        is_good = abs(measured - expected) <= tolerance
        self.is_good &= is_good
        print(
            f"{scene:30} {name:28} {measured:10.5g}, expected {expected:10.5g} +- {tolerance:.2g}"
            + ("" if is_good else "  OFF")
        )


def value_of(run, section, key):
    """The first number of a key of the configuration, in SI as there."""
    return float(run.scene[section][key].split()[0])


def impacts(run):
    """Height of the centre above its place of rest, mechanical energy per mass, and where the rows
    of the series begin that are between the same two impacts."""
    series = run.series
    radius = value_of(run, "fill.region1", "radius")
    density = value_of(run, next(s for s in run.scene if s.startswith("material.")), "density")
    mass = 4.0 / 3.0 * np.pi * radius**3 * density
    start = value_of_height(run) - radius
    height = start + series["energy_potential"] / (mass * GRAVITY)
    energy = GRAVITY * height + series["kinetic_energy"] / mass
    lost = np.diff(series["energy_restitution"]) > 0.0
    begins = np.concatenate(([0], np.flatnonzero(lost) + 1, [len(height)]))
    return series["time"], height, energy, begins


def value_of_height(run):
    """z of the one lattice site."""
    lower = float(run.scene["fill.region1"]["lower"].split()[2])
    return lower + 0.5 * value_of(run, "fill.region1", "spacing")


def bouncing_sphere(run, report, picture):
    e = value_of(run, "contact", "restitution")
    time, height, energy, begins = impacts(run)
    tops = [height[a:b].max() for a, b in zip(begins, begins[1:])]
    drop, count = tops[0], 25
    ratio = np.array(tops[1 : count + 1]) / drop / e ** (2.0 * np.arange(1, count + 1))
    worst = ratio[np.argmax(np.abs(ratio - 1.0))]
    report.add(run.name, f"heights over e^2n, worst of {count}", worst, 1.0, 0.01)
    moving = np.flatnonzero(run.series["max_speed"] > GRAVITY * run.time_step)
    total = np.sqrt(2.0 * drop / GRAVITY) * (1.0 + e) / (1.0 - e)
    report.add(run.name, "time until it lies still [s]", time[moving[-1]], total, 0.01 * total)

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].plot(time, 100.0 * height, color=COLOURS[0], linewidth=0.8)
    axes[0].axvline(total, color=COLOURS[1], linestyle="--", label="end in theory")
    axes[0].set(xlabel="time [s]", ylabel="height [cm]")
    numbers = np.arange(len(tops) - 1)
    axes[1].semilogy(numbers, 100.0 * np.array(tops[:-1]), "o", color=COLOURS[0], label="measured", markersize=4)
    axes[1].semilogy(numbers, 100.0 * drop * e ** (2.0 * numbers), color=COLOURS[1], label=r"$h e^{2n}$")
    axes[1].set(xlabel="impact n", ylabel="height after it [cm]")
    finish(figure, axes, f"A sphere that bounces with e = {e:g}", picture)


def bouncing_sphere_viscoelastic(run, report, picture):
    _, _, energy, begins = impacts(run)
    slow = 0.2  # [m/s]; then the step is no longer short against a flight
    levels = np.array([np.median(energy[a:b]) for a, b in zip(begins, begins[1:])])
    levels = levels[levels > 0.5 * slow**2]
    speed = np.sqrt(2.0 * levels)
    e = np.sqrt(levels[1:] / levels[:-1])
    x, y = np.log(speed[:-1]), np.log(1.0 - e)
    exponent, constant = np.polyfit(x, y, 1)
    report.add(run.name, "exponent of v in 1 - e", exponent, 0.2, 0.01)

    figure, axes = plt.subplots(1, 1, figsize=(6, 4.5))
    axes.loglog(speed[:-1], 1.0 - e, ".", color=COLOURS[0], label="impacts")
    axes.loglog(speed[:-1], np.exp(constant) * speed[:-1] ** exponent, color=COLOURS[1],
                label=f"fit, exponent {exponent:.4f}")
    axes.loglog(speed[:-1], np.exp(constant + (exponent - 0.2) * x.mean()) * speed[:-1] ** 0.2, "--",
                color=COLOURS[2], label="exponent 1/5")
    axes.set(xlabel="approach speed [m/s]", ylabel="1 - e")
    finish(figure, [axes], "A sphere that bounces by the law of Kuwabara and Kono", picture)


def temperature(run):
    """Time and T/m of the rows [s, m^2/s^2]; the motion of all together is no heat."""
    last = _snapshot.read_snapshot(run.snapshots[-1])
    radius, velocity = last["radius"].astype(float), last["velocity"].astype(float)
    density = value_of(run, next(s for s in run.scene if s.startswith("material.")), "density")
    mass = density * 4.0 / 3.0 * np.pi * radius**3
    drift = (mass[:, None] * velocity).sum(axis=0) / mass.sum()
    heat = run.series["kinetic_energy"] / mass.sum() - 0.5 * (drift**2).sum()
    return run.series["time"], heat / 1.5


def collision_frequency(run, heat):
    """Enskog's, of one sphere at T/m = heat [1/s]."""
    radius = value_of(run, "fill.region1", "radius")
    extent = np.array(run.scene["domain"]["upper"].split()[:3], dtype=float)
    density = run.series["particles"][0] / extent.prod()
    solid = density * 4.0 / 3.0 * np.pi * radius**3
    chi = (1.0 - 0.5 * solid) / (1.0 - solid) ** 3
    return 4.0 * density * (2.0 * radius) ** 2 * chi * np.sqrt(np.pi * heat)


def power_law(time, heat, guess):
    """p of T = T_0 (1 + t/tau)^-p by least squares of ln T: p and T_0 for a given tau, tau by search."""
    def fit(tau):
        x = np.log1p(time / tau)
        slope, constant = np.polyfit(x, np.log(heat), 1)
        return ((np.log(heat) - constant - slope * x) ** 2).sum(), -slope

    taus = guess * np.geomspace(0.2, 5.0, 2001)
    return min(map(fit, taus))[1]


def granular_gas(run, report, picture):
    e = value_of(run, "contact", "restitution")
    time, heat = temperature(run)
    # The first impacts make velocities Gaussian.
    begin = np.searchsorted(time, 5.0 / collision_frequency(run, heat[0]))
    time, heat = time[begin:] - time[begin], heat[begin:]
    tau = 6.0 / ((1.0 - e**2) * collision_frequency(run, heat[0]))
    report.add(run.name, "exponent of Haff's law", power_law(time, heat, tau), 2.0, 0.1)
    # With the exponent 2 of theory.
    measured = 1.0 / np.polyfit(time, np.sqrt(heat[0] / heat), 1)[0]
    report.add(run.name, "its time constant [s]", measured, tau, 0.05 * tau)
    draw_gas(time, heat, tau, 2.0, f"A gas with e = {e:g}", picture)


def granular_gas_viscoelastic(run, report, picture):
    time, heat = temperature(run)
    frequency = collision_frequency(run, heat[0])
    begin = np.searchsorted(time, 5.0 / frequency)
    time, heat = time[begin:] - time[begin], heat[begin:]
    report.add(run.name, "exponent of t in T", power_law(time, heat, 30.0 / frequency), 5.0 / 3.0, 0.05 * 5.0 / 3.0)
    tau = 1.0 / np.polyfit(time, (heat[0] / heat) ** 0.6, 1)[0]
    draw_gas(time, heat, tau, 5.0 / 3.0, "A gas of viscoelastic spheres", picture)


def draw_gas(time, heat, tau, power, title, picture):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    law = (1.0 + time / tau) ** -power
    axes[0].loglog(1.0 + time / tau, heat / heat[0], color=COLOURS[0], label="measured")
    axes[0].loglog(1.0 + time / tau, law, "--", color=COLOURS[1], label=f"$(1 + t/\\tau)^{{-{power:.4g}}}$")
    axes[0].set(xlabel=r"$1 + t/\tau$", ylabel=r"$T/T_0$")
    axes[1].plot(time / tau, heat / heat[0] / law - 1.0, color=COLOURS[0], label="measured over law, less 1")
    axes[1].axhline(0.0, color="black", linewidth=0.6)
    axes[1].set(xlabel=r"$t/\tau$", ylabel="relative difference")
    finish(figure, axes, title, picture)


def finish(figure, axes, title, picture):
    for each in axes:
        each.legend()
    figure.suptitle(title)
    figure.tight_layout()
    _figure.save(figure, picture)
    print(picture)


SMALL_GAS = ("--domain.upper", "15.633 15.633 15.633 mm", "--fill.upper", "15.633 15.633 15.633 mm",
             "--time.step", "10 us", "--time.end", "0.2 s", "--output.every", "0.2 s")
# What is measured, and what makes the scene small.
STUDIES = {
    "bouncing_sphere": (bouncing_sphere, ()),
    "bouncing_sphere_viscoelastic": (bouncing_sphere_viscoelastic, ()),
    "granular_gas": (granular_gas, SMALL_GAS),
    "granular_gas_viscoelastic": (granular_gas_viscoelastic, SMALL_GAS),
}


def simulate(name, arguments):
    """Runs a scene into a folder of its own and reads what it wrote."""
    folder = arguments.folder / name
    command = [arguments.program, SCENES / f"{name}.ini", "--output.directory", folder, "--overwrite"]
    command += STUDIES[name][1] if arguments.small else ()
    if arguments.ranks > 1:
        command = [arguments.mpirun, "-n", str(arguments.ranks), *command]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=os.environ)
    if done.returncode != 0:
        sys.exit(f"{name} ended with exit code {done.returncode}: {done.stderr.strip()}")
    return _run.read(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {', '.join(STUDIES)} (default: all)")
    parser.add_argument("--program", default="scree-run", help="the scree-run to use (default: on PATH)")
    parser.add_argument("--mpirun", default="mpirun", help="starts several ranks")
    parser.add_argument("--ranks", type=int, default=1, help="of each run (default: 1)")
    parser.add_argument("--small", action="store_true", help="smaller and shorter gases, in seconds")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("output/validation"),
                        help="of runs and figures (default: output/validation)")
    arguments = parser.parse_args()
    for name in arguments.scenes:
        if name not in STUDIES:
            parser.error(f"there is no scene '{name}' here; expected {', '.join(STUDIES)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    report = Report()
    for name in arguments.scenes or STUDIES:
        STUDIES[name][0](simulate(name, arguments), report, arguments.folder / f"{name}.png")
    sys.exit(0 if report.is_good else 1)


if __name__ == "__main__":
    main()
