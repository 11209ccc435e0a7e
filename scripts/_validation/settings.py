"""Cases that test the default step and sweeps: a small drum and a shaken bed, compared with finer settings."""

import numpy as np

from _study.running import Run
from _validation.case import Case, Result, relative
from scree.figure import COLOURS, plt

SEEDS = (1, 2, 3)
GRAINS = {"fill.radius": "0.98 mm", "fill.jitter": "5 5 5 cm/s", "outflow.faces": "none", "time.step": "auto",
          "output.wall_forces": "yes"}  # fmt: skip
DRUM = {
    **GRAINS, "domain.lower": "-21 0 -21 mm", "domain.upper": "21 6 21 mm", "domain.periodic": "y",
    "contact.friction": 0.5, "contact.restitution": 0, "wall.floor.shape": "pipe", "wall.floor.point": "unset",
    "wall.floor.normal": "unset", "wall.floor.from": "0 -10 0 mm", "wall.floor.to": "0 20 0 mm",
    "wall.floor.radius": "20 mm", "wall.floor.angular_velocity": "0 4.18879 0 1/s", "fill.lower": "-12 0 -15 mm",
    "fill.upper": "12 6 1.05 mm", "fill.spacing": "2 mm", "time.end": "21 s", "output.log_every": "10 ms",
    "output.every": "21 s",
}  # fmt: skip
BED = {
    **GRAINS, "domain.lower": "0 0 -5 mm", "domain.upper": "12 12 120 mm", "domain.periodic": "x y",
    "contact.friction": 0.3, "contact.restitution": 0.7, "wall.floor.amplitude": "0 0 0.552 mm",
    "wall.floor.frequency": "30 Hz", "fill.lower": "0 0 1 mm", "fill.upper": "12 12 15.7 mm", "fill.spacing": "2 mm",
    "time.end": "2 s", "output.log_every": "1 ms", "output.every": "2 s",
}  # fmt: skip


def mean(column):
    return lambda columns, rows: columns[column][rows].mean()


def slope(column):
    return lambda columns, rows: np.polyfit(columns["time"][rows], columns[column][rows], 1)[0]


# Quantity -> (unit, unit in SI, function, mean with finer settings, allowed relative error). The aim is 1 %, for forces
# 5 %. The allowed errors include the scatter of three seeds and measured biases.
#
# Drum: 20 s of each run. The kinetic energy of 5 s scatters by 7 %, so that shorter runs show biases that do not exist.
# Biases of eleven seeds with the defaults: torque +1.3 ± 0.3 %, contacts −0.9 ± 0.2 %, kinetic energy −0.2 ± 1.6 %;
# more sweeps change none of them. Biases of the bed: energy +1.6 %, power −1.5 %. The means of the bed were measured
# with 2500 kg/m³ and scaled to the 2650 kg/m³ of the runs, which is exact for hard contacts.
# Means over all runs with time.accuracy = 0.0025 or 0.00125 (contacts: only 0.00125) and 40 sweeps; standard errors
# 0.2, 0.2 and 1.1 %.
DRUM_QUANTITIES = {
    "torque of the drum": ("µN m", 1e-6, lambda *arguments: -mean("wall_floor_torque_y")(*arguments), 156.1, 0.03),
    "touching contacts per grain": ("", 1.0, mean("touching_per_particle"), 4.865, 0.02),
    "kinetic energy": ("µJ", 1e-6, mean("kinetic_energy"), 2.91, 0.07),
}  # fmt: skip
BED_QUANTITIES = {  # means of six seeds with time.accuracy = 0.0025 and 40 sweeps; standard errors 0.2 and 0.3 %
    "kinetic energy": ("µJ", 1e-6, mean("kinetic_energy"), 8.758, 0.025),
    "dissipated power": ("mW", 1e-3, slope("energy_dissipated"), 1.592, 0.025),
}  # fmt: skip


def runs_of(options):
    return lambda full: [Run(f"seed{seed}", "bouncing_sphere", {**options, "scene.seed": seed}) for seed in SEEDS]


def analysis_of(quantities, begin):
    """The function that analyses runs, from the rows of their series after the time `begin` [s]."""

    def analyse(runs):
        picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
        measured = {name: [] for name in quantities}
        for colour, (name, run) in zip(COLOURS, runs.items()):
            rows = run.is_after(begin)
            axes.plot(run.columns["time"], 1e6 * run.columns["kinetic_energy"], color=colour, linewidth=0.7, label=name)
            for quantity, (_, unit_in_si, compute, *_) in quantities.items():
                measured[quantity].append(compute(run.columns, rows) / unit_in_si)
        axes.axhline(quantities["kinetic energy"][3], color="black", linewidth=0.8)
        axes.set(xlabel="time [s]", ylabel="kinetic energy [µJ]", title="black: mean with finer settings", yscale="log")
        figures = [relative(quantity, np.mean(measured[quantity]), expected, error, unit)
                   for quantity, (unit, _, _, expected, error) in quantities.items()]  # fmt: skip
        return Result(figures, picture)

    return analyse


CASES = [
    Case("small_drum", "A small smooth drum with the default step and sweeps",
         "Means over the flow do not depend on step and sweeps",
         "Own runs with time.accuracy of 0.0025 and 0.00125 and 40 sweeps, 20 s each",
         runs_of(DRUM), analysis_of(DRUM_QUANTITIES, 1.0)),
    Case("shaken_bed", "Seven layers on a floor that shakes them, with the default step and sweeps",
         "Means over the motion do not depend on step and sweeps",
         "Own runs with time.accuracy = 0.0025 and 40 sweeps, six seeds",
         runs_of(BED), analysis_of(BED_QUANTITIES, 0.2)),
]  # fmt: skip
