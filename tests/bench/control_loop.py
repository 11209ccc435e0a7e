#!/usr/bin/env python3
"""Times a control loop in Python: a drum of spheres on one core, read and driven at each tick.

usage: control_loop.py [--step auto] [--accuracy 0.01] [--sweeps 10] [--tick 0.01] [--ticks 60]

The engine needs SCREE_NATIVE, or an installed package. Prints the processor time per step, with all steps in one call
and with a call for each step. A tick advances by a duration, reads velocities and a torque, and drives three walls.
Prints the ticks per second of processor time, also for ticks of one step, and the time to observe and to read the
contacts.

"""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import scree.engine

SPIN = {"angular_velocity": "0 3.1416 0 1/s"}


def drum(step, accuracy, sweeps):
    """1920 spheres in a drum with two end plates."""
    automatic = {"accuracy": accuracy} if step == "auto" else {}
    return scree.engine.parse({
        "domain": {"lower": "-5.1 0 -5.1 cm", "upper": "5.1 1.2 5.1 cm"},
        "time": {"step": step, "end": "10 s"} | automatic,
        "contact": {"friction": 0.5},
        "material.grain": {"density": "2.65 g/cm^3"},
        "wall.drum": {"shape": "pipe", "from": "0 -1 0 cm", "to": "0 5 0 cm", "radius": "5 cm"} | SPIN,
        "wall.front": {"shape": "plane", "point": "0 0 0 cm", "normal": "0 1 0"} | SPIN,
        "wall.rear": {"shape": "plane", "point": "0 1.2 0 cm", "normal": "0 -1 0"} | SPIN,
        "fill": {"lower": "-3.2 0 -3.6 cm", "upper": "3.2 1.2 1.6 cm", "spacing": "2.6 mm", "radius": "1.25 mm",
                 "jitter": "5 5 5 cm/s"},
        "solver": {"sweeps": sweeps},
    })  # fmt: skip


def processor_time(call):
    """Processor time of a call [s]."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def run_single_steps(simulation, ticks, tick):
    """Runs these ticks with a call for each step; returns the number of steps."""
    count = 0
    for _ in range(ticks):
        end = simulation.time + tick
        while simulation.time < end * (1.0 - 1e-9):
            simulation.step()
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--step", default="auto", help="time.step of the scene")
    parser.add_argument("--accuracy", type=float, default=0.01, help="time.accuracy of automatic steps")
    parser.add_argument("--sweeps", type=int, default=10, help="solver.sweeps")
    parser.add_argument("--tick", type=float, default=0.01, help="length of a tick [s]")
    parser.add_argument("--ticks", type=int, default=60, help="number of ticks")
    args = parser.parse_args()
    simulation = scree.engine.Simulation(drum(args.step, args.accuracy, args.sweeps))
    simulation.step(duration=0.25)  # until the grains have fallen
    walls = simulation.walls

    def tick(count=0):
        simulation.step(count) if count else simulation.step(duration=args.tick)
        _ = simulation.velocity.mean(axis=0), walls["drum"].torque
        for name in ("drum", "front", "rear"):
            walls[name].set(angular_velocity=(0.0, 3.1416, 0.0))

    count = []
    single = processor_time(lambda: count.append(run_single_steps(simulation, args.ticks, args.tick)))
    steps_only = processor_time(lambda: simulation.step(count[0]))
    ticks = processor_time(lambda: [tick() for _ in range(args.ticks)])
    single_ticks = processor_time(lambda: [tick(1) for _ in range(count[0])])
    observations = processor_time(lambda: [(simulation.observe(), len(simulation.contacts)) for _ in range(100)])
    print(f"{len(simulation.id)} spheres, {count[0] / args.ticks:.1f} steps in a tick of {args.tick:g} s")
    one_call, many_calls = 1e3 * steps_only / count[0], 1e3 * single / count[0]
    print(f"time per step: {one_call:.3f} ms in one call, {many_calls:.3f} ms with a call each")
    print(f"ticks of {args.tick:g} s: {args.ticks / ticks:.1f} per second; of one step: {count[0] / single_ticks:.1f} per second")
    print(f"observe() and contacts: {10 * observations:.3f} ms")


if __name__ == "__main__":
    main()
