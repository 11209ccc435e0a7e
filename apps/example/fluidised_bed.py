#!/usr/bin/env python3
"""A fluid of one dimension, coupled from Python: water goes up through a bed until it carries the grains' weight.

    fluidised_bed.py     # prints speed of the empty column, share of the weight that the pressure carries, void fraction
"""

import numpy as np

import scree.engine

DENSITY, VISCOSITY, D, CELLS, DT = 1000.0, 1e-3, 1e-3, 12, 2e-4
scene = scree.engine.parse({
    "domain": {"lower": "0 0 0 mm", "upper": "8 8 24 mm", "periodic": "x y"},
    "time": {"step": f"{DT} s", "end": "1 s"},
    "material.glass": {"density": "2.5 g/cm^3"},
    "contact": {"friction": 0.2},
    "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
    "fill": {"lower": "0 0 0 mm", "upper": "8 8 16 mm", "spacing": "1.1 mm", "radius": "0.5 mm", "jitter": "5 5 5 cm/s"},
})  # fmt: skip
simulation = scree.engine.Simulation(scene)
volume, area, height = np.pi / 6 * D**3, 64e-6, 2e-3
simulation.step(2000)
grains = int(simulation.cells((1, 1, 1), np.ones(len(simulation.id))).sum())
weight = grains * volume * (2500 - DENSITY) * 9.81
void = float(np.median(1 - simulation.cells((1, 1, CELLS), np.full(len(simulation.id), volume))[0, 0, :5] / (area * height)))
bed = np.array([1.75 * DENSITY / (void**3 * D), 150 * (1 - void) * VISCOSITY / (void**3 * D**2), -1500 * 9.81])
ergun = np.roots(bed).max()  # where the pressure drop is the weight of the bed
for speed in ergun * np.linspace(0.25, 1.5, 11):
    carried = 0.0
    for _ in range(500):
        solid = simulation.cells((1, 1, CELLS), np.full(len(simulation.id), volume))[0, 0] / (area * height)
        row = np.clip((simulation.position[:, 2] / height).astype(int), 0, CELLS - 1)
        e = np.clip(1 - solid, 0.3, 1.0)[row]
        slip = np.abs(speed / e - simulation.velocity[:, 2])
        drag = volume / e * (150 * (1 - e) * VISCOSITY / (e * D**2) + 1.75 * DENSITY * slip / D)
        simulation.step(force=(drag * speed / e + DENSITY * volume * 9.81)[:, None] * [0, 0, 1], drag=drag)
        taken = simulation.cells((1, 1, 1), simulation.body_impulse)[0, 0, 0, 2] / DT - grains * DENSITY * volume * 9.81
        carried += taken / weight / 500
    if simulation.rank == 0:
        print(f"{speed / ergun:.3f} of Ergun's {1e3 * ergun:.2f} mm/s: carried {carried:.3f}, void fraction {1 - solid[:5].mean():.3f}")
