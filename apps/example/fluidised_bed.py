#!/usr/bin/env python3
"""A one-dimensional fluid, coupled from Python: water rises through a bed until it carries the grains' weight.

    fluidised_bed.py     # prints the speed in the empty column, the fraction of the weight carried, the void fraction

Grains in the partly filled cell at the surface get the drag of the cell below. With the void fraction of the surface
cell they would get a seventh of this drag.
"""

import numpy as np

import scree.engine

# Density and viscosity of water, diameter of the grains, number of cells, time step; in SI units.
DENSITY, VISCOSITY, D, CELLS, DT = 1000.0, 1e-3, 1e-3, 24, 2e-4
scene = scree.engine.parse({
    "domain": {"lower": "0 0 0 mm", "upper": "6 6 48 mm", "periodic": "x y"},
    "time": {"step": f"{DT} s", "end": "1 s"},
    "material.glass": {"density": "2.5 g/cm^3"},
    "contact": {"friction": 0.2},
    "wall.floor": {"shape": "plane", "point": "0 0 0 mm", "normal": "0 0 1"},
    "fill": {"lower": "0 0 0 mm", "upper": "6 6 40 mm", "spacing": "1.1 mm", "radius": "0.5 mm", "jitter": "5 5 5 cm/s"},
})  # fmt: skip
simulation = scree.engine.Simulation(scene)
volume, cell, height = np.pi / 6 * D**3, 72e-9, 2e-3  # volumes of a grain and a cell, a cell's height
simulation.step(700)
grains = int(simulation.cells((1, 1, 1), np.ones(len(simulation.id))).sum())
weight = grains * volume * (2500 - DENSITY) * 9.81


def void_fractions():
    """Void fraction of each cell, and the index of the surface cell."""
    solid = simulation.cells((1, 1, CELLS), np.full(len(simulation.id), volume))[0, 0] / cell
    top = int(np.flatnonzero(solid > 0.05)[-1])
    solid[top:] = np.maximum(solid[top:], solid[top - 1])
    return 1 - solid, top


fractions, top = void_fractions()
void = fractions[1:top].mean()  # without the cell at the floor, where the wall orders the grains
balance = np.array([1.75 * DENSITY / (void**3 * D), 150 * (1 - void) * VISCOSITY / (void**3 * D**2), -1500 * 9.81])
ergun = np.roots(balance).max()  # speed at which the pressure drop by Ergun's law equals the bed's weight
for speed in ergun * np.linspace(0.25, 1.5, 6):
    carried = 0.0
    for _ in range(150):
        fractions, top = void_fractions()
        local = np.clip(fractions, 0.3, 1.0)[np.clip((simulation.position[:, 2] / height).astype(int), 0, CELLS - 1)]
        slip = np.abs(speed / local - simulation.velocity[:, 2])
        drag = volume / local * (150 * (1 - local) * VISCOSITY / (local * D**2) + 1.75 * DENSITY * slip / D)
        simulation.step(force=(drag * speed / local + DENSITY * volume * 9.81)[:, None] * [0, 0, 1], drag=drag)
        force = simulation.cells((1, 1, 1), simulation.body_impulse)[0, 0, 0, 2] / DT - grains * DENSITY * volume * 9.81
        carried += force / weight / 150
    void = fractions[1:top].mean()
    if simulation.rank == 0:
        print(f"{speed / ergun:.3f} of Ergun's {1e3 * ergun:.2f} mm/s: carried {carried:.3f}, void fraction {void:.3f}")
