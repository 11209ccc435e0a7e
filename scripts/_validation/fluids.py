"""Cases of forces in addition to weight: a suspension that settles, a centrifuge."""

import numpy as np

import scree.snapshot
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Result, density_of, last_of, within
from scree.figure import COLOURS, plt

# ---- hindered settling

D, WATER = 1e-3, 1000.0  # diameter of the spheres [m] and density of the fluid [kg/m^3] in suspension.ini
FRACTIONS = (0.05, 0.1, 0.2, 0.3)
VISCOSITIES = {"creeping": 3.0, "between": 5e-3, "fast": 1e-3}  # [Pa s]


def settling_runs(full):
    size = 0.018 if full else 0.012
    corner, cells = metres(size, size, size), "x".join(3 * [f"{size / 0.006:.0f}"])
    runs = []
    for name, viscosity in VISCOSITIES.items():
        step = 1e-3 if name == "creeping" else 5e-4
        options = {
            "domain.upper": corner, "fill.upper": corner, "fluid.viscosity": f"{viscosity} Pa s", "fluid.cells": cells,
            "time.step": seconds(step), "time.end": seconds(400 * step),
            "output.every": seconds(40 * step), "output.log_every": seconds(40 * step),
        }  # fmt: skip
        runs += [Run(f"{name}{phi:g}", "suspension", options | {"fill.solid_fraction": phi}) for phi in FRACTIONS]
    return runs


def published_exponents(reynolds, galileo):
    """The exponents n of four correlations.

    reynolds: Reynolds number of a single sphere in a wide vessel;  galileo: d³ ρ Δρ g/μ²
    """
    richardson_zaki = 4.65 if reynolds < 0.2 else 4.35 * reynolds**-0.03 if reynolds < 1 else 4.45 * reynolds**-0.1
    garside, rowe, khan = 0.1 * reynolds**0.9, 0.175 * reynolds**0.75, 0.043 * galileo**0.57
    return (
        richardson_zaki if reynolds < 500 else 2.39,
        (5.1 + 2.7 * garside) / (1 + garside),
        2.35 * (2 + rowe) / (1 + rowe),
        (4.8 + 2.4 * khan) / (1 + khan),
    )


def settling_analysis(runs):
    picture, axes = plt.subplots(figsize=(6.5, 4.2))
    figures = []
    for colour, (name, viscosity) in zip(COLOURS, VISCOSITIES.items()):
        void, speed = [], []
        for phi in FRACTIONS:
            run = runs[f"{name}{phi:g}"]
            solid = run.columns["particles"][-1] * np.pi / 6 * D**3 / run.numbers("domain", "upper").prod()
            frames = [scree.snapshot.read_snapshot(path) for path in run.snapshots[len(run.snapshots) // 2 :]]
            void.append(1.0 - solid)
            # Speed in a frame with equal volume fluxes up and down. In the run the water between the grains is at rest.
            speed.append(-(1.0 - solid) * np.mean([frame["velocity"][:, 2].mean() for frame in frames]))
        exponent, log_speed = np.polyfit(np.log(void), np.log(speed), 1)
        single_speed = np.exp(log_speed)  # of a single sphere
        reynolds = WATER * D * single_speed / viscosity
        published = published_exponents(reynolds, D**3 * WATER * (density_of(run) - WATER) * GRAVITY / viscosity**2)
        figures.append(within(f"n of the fit, Re = {reynolds:.3g}", exponent, min(published), max(published)))
        axes.loglog(void, np.array(speed) / single_speed, "o", color=colour, label=f"Re = {reynolds:.3g}: n = {exponent:.2f}")
        axes.loglog(void, np.array(void) ** exponent, color=colour, linewidth=0.9)
    axes.set(xlabel="void fraction", ylabel="speed over that of a single grain")
    note = (
        "Drag is that of Di Felice with void fractions of cells 6 diameters wide; in cells of 3 diameters the volume "
        "of a grain itself counts at low solid fractions, and n is smaller by up to 0.12. The range is that of the "
        "four correlations at this Reynolds number."
    )
    return Result(figures, picture, note)


# ---- centrifuge

# Curvature of the surface without friction, divided by ω²/2g: mean of seeds 1 to 3, plus and minus three standard
# errors of 0.03. The mean is 0.795 after 0.3 s (0.85, 0.79, 0.74) and 0.808 after 1 s (0.85, 0.83, 0.74).
CURVATURE = (0.70, 0.90)


def centrifuge_runs(full):
    longer = {"time.end": "1 s", "output.every": "0.1 s"} if full else {}
    kinds = (("smooth", 0, (1, 2, 3)), ("rough", 0.5, (1,)))
    return [Run(f"{name}{seed}", "centrifuge", longer | {"contact.friction": mu, "scene.seed": seed})
            for name, mu, seeds in kinds for seed in seeds]  # fmt: skip


def surface(run, slices=12):
    """(distances from the axis, heights) of the surface [m]: means of the three highest grains of each slice."""
    last = last_of(run)
    x, top = last["position"][:, 0], last["position"][:, 2] + last["radius"]
    slice_numbers = np.minimum((slices * x / run.numbers("domain", "upper")[0]).astype(int), slices - 1)
    highest = [rows[np.argsort(-top[rows])[:3]] for rows in (np.flatnonzero(slice_numbers == k) for k in range(slices))]
    return np.array([(x[rows].mean(), top[rows].mean()) for rows in highest]).T


def centrifuge_analysis(runs):
    picture, axes = plt.subplots(figsize=(6.5, 4.2))
    # Grains slide if the surface is flatter than a liquid's by more than the angle of repose, 5.8° without friction.
    expected = {"smooth": (0.0, 5.8), "rough": (8.0, 30.0)}
    deviations, curvatures = {}, []
    for colour, (name, run) in zip(COLOURS, runs.items()):
        kind = name.rstrip("0123456789")
        rate = run.numbers("frame", "angular_velocity")[2]
        x, height = surface(run)
        curvature, bottom = np.polyfit(x**2, height, 1)
        law = rate**2 / (2.0 * GRAVITY)
        angle = np.degrees(np.arctan(2.0 * law * x) - np.arctan(2.0 * curvature * x)).mean()
        deviations.setdefault(kind, []).append(angle)
        if kind == "smooth":
            curvatures.append(curvature / law)
        axes.plot(1e3 * x, 1e3 * height, "o", color=colour, label=f"{name}: {curvature / law:.2f} ω²/2g")
        axes.plot(1e3 * x, 1e3 * (bottom + curvature * x**2), color=colour, linewidth=0.9)
    figures = [within(f"{kind}: mean angle by which a liquid's surface is steeper", np.mean(angles), *expected[kind], "°")
               for kind, angles in deviations.items()]  # fmt: skip
    figures.append(within("smooth: curvature of the surface over ω²/2g", np.mean(curvatures), *CURVATURE))
    axes.plot(1e3 * x, 1e3 * (height.min() - 3e-3 + law * x**2), "--", color="black", label="liquid")
    axes.set(xlabel="distance from the axis [mm]", ylabel="height of the surface [mm]")
    note = (
        "The bed is level at first. Grains without friction bear a slope of 5.8° against the effective gravity, so "
        "that they may be less curved than a liquid. Angles, as means over the seeds, are tested against this slope "
        f"(smooth: {', '.join(f'{angle:.1f}°' for angle in deviations['smooth'])}; a single one may be above). The band "
        f"of the curvature, {CURVATURE[0]:g} to {CURVATURE[1]:g}, is the mean of three seeds of this program, ± 3 "
        "standard errors. It detects changes and is not a law."
    )
    return Result(figures, picture, note)


CASES = [
    Case("hindered_settling", "A suspension settles", "v = v_0 (1 − φ)^n",
         "J. F. Richardson, W. N. Zaki, Trans. Inst. Chem. Eng. 32, 35 (1954); J. Garside, M. R. Al-Dibouni, "
         "Ind. Eng. Chem. Process Des. Dev. 16, 206 (1977); P. N. Rowe, Chem. Eng. Sci. 42, 2795 (1987); A. R. Khan, "
         "J. F. Richardson, Chem. Eng. Commun. 78, 111 (1989)", settling_runs, settling_analysis),
    Case("centrifuge", "The surface of grains in a centrifuge", "z = z_0 + ω² r²/(2 g), less the angle of repose",
         "hydrostatics in a rotating frame; P.-E. Peyneau, J.-N. Roux, Phys. Rev. E 78, 011307 (2008)", centrifuge_runs,
         centrifuge_analysis),
]  # fmt: skip
