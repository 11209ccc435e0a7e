"""Cases of bodies of several spheres, whose motion is known in closed form."""

import numpy as np
from scipy.special import ellipj

import scree.contacts
import scree.snapshot
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Figure, Result, last_of, relative
from scree.figure import COLOURS, plt


# ---- free top

TOP_SPINS = {"about the first axis": (20.0, 0.0, 3.0), "about the third axis": (3.0, 0.0, 20.0),
             "near the middle axis": (10.0, 0.0, 8.0)}  # fmt: skip
TOP_STEPS = (1e-3, 5e-4, 2.5e-4)  # [s]
TOP_END = 3.0  # about ten turns [s]
TOP_TOLERANCE = 1e-12  # rounding errors only, because free rotation is exact with any step


def free_top_velocity(moments, omega, time):
    """ω of a torque-free top in body axes, [3]; the component along the middle axis is zero at time 0."""
    energy, square = moments @ omega**2, np.sum((moments * omega) ** 2)
    k = 2 if square > energy * moments[1] else 0
    other = 2 - k
    square_other, square_k = abs(energy * moments[k] - square), abs(square - energy * moments[other])
    middle, outer = abs(moments[k] - moments[1]), abs(moments[2] - moments[0])  # differences of moments
    parameter = abs(moments[1] - moments[other]) * square_other / (middle * square_k)
    sn, cn, dn, _ = ellipj(time * np.sqrt(middle * square_k / moments.prod()), parameter)
    angular_velocity = np.zeros(3)
    angular_velocity[other] = np.sqrt(square_other / (moments[other] * outer)) * cn
    angular_velocity[1] = np.sqrt(square_other / (moments[1] * middle)) * sn
    angular_velocity[k] = np.sqrt(square_k / (moments[k] * outer)) * dn
    return angular_velocity


def top_runs(full):
    table = {"x": 0.03 * np.arange(3), "y": np.zeros(3), "z": np.full(3, 0.1), "shape": ["top"] * 3,
             **dict(zip(("wx", "wy", "wz"), np.array(list(TOP_SPINS.values())).T))}  # fmt: skip
    options = {"scene.gravity": "0 0 0", "time.end": seconds(TOP_END), "output.every": seconds(TOP_END)}
    return [
        Run(f"step{1e6 * step:g}us", "clumps", {**options, "time.step": seconds(step)}, table)
        for step in TOP_STEPS
    ]


def top_analysis(runs):
    errors, drift = [], 0.0
    for run in runs.values():
        moments = run.numbers("shape.top", "inertia")
        last = last_of(run)
        row = []
        for spin, q, omega in zip(TOP_SPINS.values(), last["orientation"], last["angular_velocity"]):
            spin = np.array(spin)
            rotation = scree.snapshot.rotation(*q)
            row.append(np.linalg.norm(rotation.T @ omega - free_top_velocity(moments, spin, TOP_END)) / np.linalg.norm(spin))
            initial, final = moments * spin, rotation @ (moments * (rotation.T @ omega))
            drift = max(drift, np.linalg.norm(final - initial) / np.linalg.norm(initial))
        errors.append(row)
    errors, steps = np.array(errors), np.array(TOP_STEPS)
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    figures = [Figure("change of the angular momentum, worst", drift, 0.0, 1e-13)]
    for name, error, colour in zip(TOP_SPINS, errors.T, COLOURS):
        figures.append(Figure(f"relative error of ω, {name}, worst", error.max(), 0.0, TOP_TOLERANCE))
        axes.loglog(1e6 * steps, error, "o-", color=colour, label=name)
    axes.set(xlabel="time step [µs]", ylabel="relative error of ω", title=f"after {TOP_END:g} s")
    return Result(figures, picture)


# ---- impact of a dumbbell

DUMBBELL_RADIUS = 0.01  # radius of its spheres [m]
DUMBBELL_STEP = 1e-3  # [s]
DUMBBELL_RESTITUTIONS = (0.0, 0.6)


def dumbbell_angles():
    return np.radians(np.linspace(5.0, 85.0, 17))


def dumbbell_runs(full):
    half = 0.5 * dumbbell_angles()
    table = {
        "x": 0.06 * np.arange(len(half)), "y": np.zeros_like(half),
        "z": DUMBBELL_RADIUS * (1.0 + np.sin(2.0 * half)), "vz": -np.ones_like(half),
        "qw": np.cos(half), "qx": np.zeros_like(half), "qy": np.sin(half), "qz": np.zeros_like(half),
        "shape": ["dumbbell"] * len(half),
    }  # fmt: skip
    options = {
        "scene.gravity": "0 0 0", "contact.friction": 0, "domain.upper": metres(2.0, 0.1, 0.3),
        "time.step": seconds(DUMBBELL_STEP), "time.end": seconds(DUMBBELL_STEP), "output.every": seconds(DUMBBELL_STEP),
    }  # fmt: skip
    return [Run(f"e{e:g}", "clumps", {**options, "contact.restitution": e}, table) for e in DUMBBELL_RESTITUTIONS]


def dumbbell_analysis(runs):
    angles, r = dumbbell_angles(), DUMBBELL_RADIUS
    lever = r * np.cos(angles)
    inertia = 1.4 * r**2  # moment of inertia about the middle, per mass of the dumbbell [m^2]
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    worst = 0.0
    for e, colour in zip(DUMBBELL_RESTITUTIONS, COLOURS):
        last = last_of(runs[f"e{e:g}"])
        impulse = (1.0 + e) / (1.0 + lever**2 / inertia)  # per mass, for an impact at 1 m/s [m/s]
        v, w = last["velocity"], last["angular_velocity"]
        spin = np.linalg.norm(w, axis=1)
        deviation = np.abs([v[:, 2] - (impulse - 1.0), r * (spin - lever * impulse / inertia)])
        worst = max(worst, deviation.max())
        axes.plot(np.degrees(angles), v[:, 2], "o", color=colour, markersize=4, label=f"e = {e:g}")
        axes.plot(np.degrees(angles), impulse - 1.0, color=colour, linewidth=0.8)
    axes.set(xlabel="angle to the plane [°]", ylabel="velocity of the middle afterwards [m/s]",
             title="lines: closed form")
    return Result([Figure("difference over the speed, worst", worst, 0.0, 1e-12)], picture)


# ---- tripod at rest


def tripod_runs(full):
    table = {"x": [0.0], "y": [0.0], "z": [0.012], "shape": ["tripod"]}
    return [Run("rests", "clumps", {"solver.sweeps": 50, "time.end": "0.2 s", "output.every": "0.1 s"}, table)]


def tripod_analysis(runs):
    run = runs["rests"]
    last = last_of(run)
    step = float(run.scene["time"]["step"].split()[0])
    weight = last.masses[0] * GRAVITY
    contacts = scree.contacts.recorded(last)
    forces = contacts.impulse[:, 2] / step
    arms = contacts.position[:, :2] - last["position"][0, :2]
    expected = np.linalg.solve(np.vstack([np.ones(3), arms.T]), [weight, 0.0, 0.0])
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    axes.bar(np.arange(3) - 0.2, forces, 0.4, color=COLOURS[0], label="measured")
    axes.bar(np.arange(3) + 0.2, expected, 0.4, color=COLOURS[1], label="statics")
    axes.set(xlabel="foot", ylabel="force [N]")
    figures = [relative(f"force of foot {k + 1}", f, x, 1e-6, "N") for k, (f, x) in enumerate(zip(forces, expected))]
    figures.append(Figure("speed over g dt", last.speed[0] / (GRAVITY * step), 0.0, 1e-3))
    return Result(figures, picture)


CASES = [
    Case("free_top", "A torque-free asymmetric top",
         "ω in body axes by Jacobi's cn, sn, dn of t √(|I_k − I_2| |L² − 2 E I_l|/(I_1 I_2 I_3)); L constant; no error of the step",
         "L. D. Landau, E. M. Lifshitz, Mechanics, § 37",
         top_runs, top_analysis),
    Case("dumbbell", "A dumbbell that meets a plane, at various angles",
         "λ = (1 + e) v/(1/m + (s × n)⋅J⋅(s × n)), s the arm of the contact",
         "Newton and Euler's equations, without friction",
         dumbbell_runs, dumbbell_analysis),
    Case("tripod", "A tripod at rest", "three forces with the weight as their sum and no moment", "Statics",
         tripod_runs, tripod_analysis),
]  # fmt: skip
