#!/usr/bin/env python3
"""Spheres rain in a wind that this program defines: a vortex sweeps the falling grains into a heap.

    rain.py FOLDER                  # writes rain.h5, a snapshot, and the pictures rain.png and rain_curve.png
    mpirun -n 2 rain.py FOLDER      # the same bits on any number of ranks

Three parts, as in cluster.cpp: a scene, a loop with a force field that Scree does not have, and output.
"""

import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import scree.engine
import scree.picture
import scree.snapshot
import scree.view

SCENE = {
    "scene": {"seed": 1},
    "domain": {"lower": "-12 -12 0 mm", "upper": "12 12 30 mm", "periodic": "x y"},
    "time": {"step": "100 us", "end": "200 ms"},
    "contact": {"friction": 0.5},
    "material.glass": {"density": "2.5 g/cm^3"},
    "wall.floor": {"shape": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)},
    "inflow": {
        "kind": "rain", "lower": "-9 -9 26 mm", "upper": "9 9 29 mm", "number_rate": "6000 1/s", "radius": "0.6 mm",
        "velocity": "0 0 -0.3 m/s", "end": "150 ms",
    },
    "solver": {"scheme": "jacobi"},  # the same bits on any number of ranks
}  # fmt: skip
RELAXATION = 20e-3  # time in which a grain adopts the velocity of the air [s]
INWARD_RATE, SWIRL_RATE = 40.0, 15.0  # inward and circumferential speed of the wind per distance from the axis [1/s]
CURVE_POINTS = 40


def communicator():
    """Returns MPI.COMM_WORLD if mpi4py is installed, otherwise None, with which the engine uses all ranks."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def wind_velocity(points):
    """Velocity of the wind [m/s] at points [n, 3], as [n, 3]."""
    x, y = points[:, 0], points[:, 1]
    return np.stack((-INWARD_RATE * x - SWIRL_RATE * y, SWIRL_RATE * x - INWARD_RATE * y, 0.0 * x), axis=1)


def run(folder):
    """Runs the rain. Returns whether this is the root rank, and the curve: times [s], grains, kinetic energies [J]."""
    comm = communicator()
    scene = scree.engine.parse(SCENE, comm=comm)
    simulation = scree.engine.Simulation(scene, comm)
    steps = round(scene.end / scene.time_step)
    curve = []
    for step in range(1, steps + 1):
        is_inside = simulation.id >= 0  # id -1 marks a row whose particle has left the domain
        field = np.zeros((len(is_inside), 3))
        wind = wind_velocity(simulation.position[is_inside])
        field[is_inside] = (wind - simulation.velocity[is_inside]) / RELAXATION
        simulation.step(acceleration=field)
        if step % (steps // CURVE_POINTS) == 0:
            observed = simulation.observe()
            curve.append((observed.time, observed.particles, observed.kinetic_energy))
    simulation.write(folder / "rain.h5")
    return simulation.rank == 0, np.array(curve).T


def draw(folder, curve):
    """Draws the final heap, and curves of the number of grains and of the mean kinetic energy per grain against time."""
    frame = scree.snapshot.read_snapshot(folder / "rain.h5")
    views = scree.view.views(frame)
    scree.picture.render(frame, folder / "rain.png", [views["oblique"], views["above"]])

    time, grains, energy = curve
    figure, (above, below) = plt.subplots(2, 1, sharex=True, layout="constrained")
    above.plot(1e3 * time, grains)
    above.set(ylabel="grains")
    below.plot(1e3 * time, 1e6 * energy / grains)
    below.set(xlabel="t [ms]", ylabel="kinetic energy of a grain [µJ]", ylim=(0.0, None))
    figure.savefig(folder / "rain_curve.png", dpi=150)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    is_root, curve = run(folder)
    if is_root:
        draw(folder, curve)


if __name__ == "__main__":
    main()
