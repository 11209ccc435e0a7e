"""Cases of periodic cells under a given stress: packings compressed from a gas, compression along one axis, shear."""

import numpy as np

from _rheology import page
from _study.running import Run, seconds
from _validation import apparatus
from _validation.case import Case, Figure, Result, last_of, relative, within
from _validation.packing import MIN_CONTACTS, LOOSE_FRICTION, loaded_contacts
from scree.figure import COLOURS, plt
from scree.packing import maxwell_coordination

STRESS, DIAMETER, DENSITY = 1e3, 1e-3, 2500.0  # in the scenes [Pa], [m], [kg/m^3]
AXES = ("xx", "yy", "zz")

# ---- compressed along all axes


def isotropic_runs(full):
    # Without friction the last rearrangements are slow.
    ends = {0.0: "0.3 s" if full else "0.2 s", 0.5: "80 ms"}
    return [
        Run(f"friction{friction:g}", "isotropic",
            {"contact.friction": friction, "time.end": end, "output.contacts": "yes", "output.every": end})
        for friction, end in ends.items()
    ]  # fmt: skip


def stresses(run, first):
    """Normal stresses over their targets in the rows of the series from the time `first` [s] on, [K, 3]."""
    rows = run.is_from(first)
    return np.column_stack([run.columns[f"stress_{axes}"][rows] for axes in AXES]) / STRESS


def isotropic_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    values = {}
    for colour, (name, run) in zip(COLOURS, runs.items()):
        friction = run.number("contact", "friction")
        last = last_of(run)
        loaded = loaded_contacts(last)
        min_contacts = MIN_CONTACTS[LOOSE_FRICTION if friction else 0.0]
        values[name] = (
            run.columns["solid_fraction"][-1],
            maxwell_coordination(loaded.a, loaded.b, len(last), min_contacts),
            np.abs(stresses(run, 0.9 * run.end) - 1.0).max(),
        )
        time, label = 1e3 * run.columns["time"], f"µ = {friction:g}"
        axes[0].plot(time, run.columns["solid_fraction"], color=colour, label=label)
        axes[1].plot(time, stresses(run, 0.0).mean(axis=1), color=colour, label=label)
    axes[0].set(xlabel="time t [ms]", ylabel="solid fraction φ")
    axes[1].set(xlabel="time t [ms]", ylabel="pressure over its target")
    smooth_spheres, rough_spheres = values["friction0"], values["friction0.5"]
    figures = [
        Figure("solid fraction without friction", smooth_spheres[0], 0.64, 0.01),
        Figure("contacts per sphere that carries load, without friction", smooth_spheres[1], 6.0, 0.1),
        within("solid fraction with friction 0.5", rough_spheres[0], 0.57, 0.61),
        within("contacts per sphere that carries load, with friction 0.5", rough_spheres[1], 4.0, 4.7),
        within("largest deviation of the stress in the last tenth, friction 0.5", rough_spheres[2], 0.0, 1e-3),
    ]
    note = "Compression from a gas within 30 ms. Slower compression packs rough grains more densely."
    return Result(figures, picture, note)


# ---- compressed along one axis


def triaxial_runs(full):
    return [
        Run("dense", "triaxial_periodic", {"time.end": "0.2 s" if full else "0.16 s", "output.every": "20 ms"}),
        Run("plates", "triaxial", {"time.end": "0.65 s"} if full else {}),
    ]


def friction_angle(ratio):
    """Mobilised friction angle [degrees].  ratio: axial over lateral stress"""
    return np.degrees(np.arcsin((ratio - 1.0) / (ratio + 1.0)))


def moving_mean(values, width):
    return np.convolve(values, np.full(width, 1.0 / width), "valid")


def triaxial_analysis(runs):
    run = runs["dense"]
    rows = run.is_after(0.04)  # start of the compression
    axial = run.columns["stress_zz"][rows]
    lateral = 0.5 * (run.columns["stress_xx"] + run.columns["stress_yy"])[rows]
    width = 50  # rows of 0.1 ms, together a strain of 1.5 %
    angle = friction_angle(moving_mean(axial, width) / moving_mean(lateral, width))
    strain = moving_mean(3.0 * (run.columns["time"][rows] - 0.04), width)
    fraction = run.columns["solid_fraction"][rows]
    is_late = strain > 0.8 * strain[-1]
    plate_curve = apparatus.triaxial_curve(runs["plates"])
    middles, ratios = apparatus.windows(*plate_curve[:2])
    plates = friction_angle(ratios)
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    axes[0].plot(strain, angle, color=COLOURS[0], label="periodic cell")
    axes[0].plot(middles, plates, color=COLOURS[1], label="between plates")
    axes[1].plot(plate_curve[0], plate_curve[3], color=COLOURS[1])
    axes[0].set(xlabel="axial strain", ylabel="mobilised friction angle [°]")
    axes[1].plot(strain, moving_mean(fraction, width), color=COLOURS[0])
    axes[1].set(xlabel="axial strain", ylabel="solid fraction φ")
    figures = [
        within("peak friction angle", angle.max(), 24.0, 34.0, "°"),
        within("friction angle, mean of the last fifth", angle[is_late].mean(), 16.0, 23.0, "°"),
        within("solid fraction at the end over that at the beginning", fraction[-1] / fraction[0], 0.88, 0.96),
        within("relative deviation of the mean lateral stress from 1 kPa", abs(lateral.mean() / STRESS - 1.0), 0.0, 1e-2),
        within("peak angle less that between plates", angle.max() - plates.max(), -5.0, 5.0, "°"),
        within("angle at the end less that between plates", angle[is_late].mean() - plates[middles > 0.2].mean(), -3.0, 3.0, "°"),
    ]
    note = (
        "1000 spheres: the plateau scatters by 3° within strains of a per cent. Between smooth plates nine spheres apart "
        "a third of the grains are in the layers at the plates. These layers are looser than the rest and carry "
        "less, because the plates have no friction."
    )
    return Result(figures, picture, note)


# ---- sheared at a constant pressure

# Inertial number -> time step [s], total strain.
SHEARED = {0.1: (1e-5, 5.0), 0.01: (5e-5, 4.0), 1e-3: (1e-4, 3.0), 1e-4: (1e-4, 2.0)}


def sheared_runs(full):
    runs = []
    for inertial_number, (step, strain) in SHEARED.items():
        if inertial_number < 1e-3 and not full:
            continue
        rate = inertial_number / (DIAMETER * np.sqrt(DENSITY / STRESS))
        steps = 1000 * round(strain / rate / step / 1000)
        options = {
            "cell.shear_rate": f"{rate} 1/s", "time.step": seconds(step), "time.end": seconds(steps * step),
            "output.every": "never", "output.log_every": seconds(steps // 1000 * step),
        }  # fmt: skip
        runs.append(Run(f"I{inertial_number:g}", "shear_constant_pressure", options))
    return runs


def sheared_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    fine = np.geomspace(1e-4, 0.2, 100)
    for panel, law in zip(axes, (page.JOP, page.CHIALVO_PHI)):
        panel.plot(fine, law.curve(fine), color="black", label=law.label)
    figures = []
    for name, run in runs.items():
        target = float(name[1:])
        is_late = run.is_after(0.5 * run.end)
        stress = run.columns["stress_zz"][is_late]
        inertial_number = run.columns["shear_rate"][is_late].mean() * DIAMETER * np.sqrt(DENSITY / stress.mean())
        friction = run.columns["shear_stress"][is_late].mean() / stress.mean()
        fraction = run.columns["solid_fraction"][is_late].mean()
        figures += [
            relative(f"inertial number over its target, {target:g}", inertial_number / target, 1.0, 0.02),
            relative(f"friction at I = {target:g}", friction, float(page.JOP.curve(target)), 0.12),
            Figure(f"solid fraction at I = {target:g}", fraction, float(page.CHIALVO_PHI.curve(target)), 0.01),
        ]
        axes[0].plot([inertial_number], [friction], "o", color=COLOURS[0])
        axes[1].plot([inertial_number], [fraction], "o", color=COLOURS[0])
    for panel, label in zip(axes, ("friction µ", "solid fraction φ")):
        panel.set(xscale="log", xlabel="inertial number I", ylabel=label)
    return Result(figures, picture, "1000 spheres of friction 0.5, the second half of each run.")


CASES = [
    Case("isotropic_cell", "A cell pressed along all axes",
         "without friction φ = 0.64, z = 6; with 0.5 about 0.60 and 4.5",
         "J. G. Berryman, Phys. Rev. A 27, 1053 (1983); L. E. Silbert, Soft Matter 6, 2918 (2010)",
         isotropic_runs, isotropic_analysis),
    Case("triaxial_cell", "A dense packing compressed along one axis, without walls",
         "peak, dilation and a critical state", "C. Thornton, Géotechnique 50, 43 (2000)",
         triaxial_runs, triaxial_analysis),
    Case("sheared_cell", "Shear at a constant pressure", "I on target; mu(I) and phi(I) of steady shear",
         f"{page.JOP.source}; {page.CHIALVO}", sheared_runs, sheared_analysis),
]  # fmt: skip
