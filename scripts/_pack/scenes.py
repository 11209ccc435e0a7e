"""Scenes that make packings: a periodic cell that is compressed, and spheres that settle in a container."""

import dataclasses
import math

import numpy as np

from _pack.sizes import metres

DENSITY = 2650.0  # [kg/m^3]
GRAVITY = 9.81  # [m/s^2]
# Solid fractions of spheres at random positions; more than 0.38 is impossible if spheres are placed one by one.
SPARSE, LOOSE = 0.2, 0.28
DENSE = 0.64  # solid fraction of a dense packing
# The compression. Its unit of time is d sqrt(density/pressure), the time in which the pressure moves a sphere by its
# diameter d. The numbers are: largest rate of the edges (the inertial number); steps per unit; number of units until
# the last rearrangements have ended, without friction and with friction.
INERTIAL_NUMBER, STEPS_PER_TIME, TIMES, TIMES_WITH_FRICTION = 0.03, 16, 90, 60
# The settling. Its unit of time is sqrt(d/g). Steps per unit; units after twice the time of fall of the highest sphere.
STEPS_PER_FALL, FALLS_AT_REST = 70, 30
SWEEPS, JACOBI_SWEEPS = 50, 150
ROWS = 200  # approximate number of rows of series.csv, from which progress is shown


@dataclasses.dataclass(frozen=True)
class Plan:
    """The packing that the options describe."""

    number: int
    sizes: dict  # keys of a [fill]
    seed: int = 1
    pressure: float = 1e3  # [Pa]
    container: str = "periodic"  # or box, cylinder
    width: float | None = None  # of the container [m]; None: the width that makes the packing as high as wide
    scheme: str = "gauss_seidel"


def _common(plan, lower, upper, periodic, step, end, interval, friction):
    """The sections that all these scenes have.  step, end, interval of the series: [s]"""
    return {
        "scene": {"seed": plan.seed, "gravity": "0 0 0 m/s^2"},
        "domain": {"lower": metres(*lower), "upper": metres(*upper), "periodic": periodic},
        "time": {"step": f"{step:.17g} s", "end": f"{end:.17g} s"},
        "solver": {"scheme": plan.scheme, "sweeps": JACOBI_SWEEPS if plan.scheme == "jacobi" else SWEEPS},
        "material.grain": {"density": f"{DENSITY:g} kg/m^3"},
        "contact": {"friction": f"{friction:.17g}"},
        "output": {"every": f"{end:.17g} s", "log_every": f"{interval:.17g} s", "contacts": "yes"},
    }  # fmt: skip


def rows_of(scene):
    """Number of rows of series.csv, including that of time zero."""
    end, interval = (float(scene[section][key].split()[0]) for section, key in (("time", "end"), ("output", "log_every")))
    return round(end / interval) + 1


def _fill(plan, lower, upper):
    return {"lower": metres(*lower), "upper": metres(*upper), "places": "random", "number": plan.number, **plan.sizes}


def sampling(plan, largest):
    """A scene of one step in a sparse box, whose snapshot has the radii that the seed draws.  largest: radius [m]"""
    edge = (plan.number * 4.0 / 3.0 * math.pi * largest**3 / SPARSE) ** (1.0 / 3.0)
    upper = np.full(3, edge + 6.0 * largest)  # with a margin, which a small number of spheres needs
    scene = _common(plan, np.zeros(3), upper, "x y z", 1e-9, 1e-9, 1e-9, 0.0)
    scene["output"]["contacts"] = "no"
    return scene | {"fill": _fill(plan, np.zeros(3), upper)}


def _volume(radii):
    return float(4.0 / 3.0 * math.pi * np.sum(radii**3))


def compression(plan, radii, friction):
    """A scene that compresses a periodic cell from random positions to the pressure of the plan.  radii: [N] [m]"""
    diameter = 2.0 * radii.mean()
    time = diameter * math.sqrt(DENSITY / plan.pressure)
    # A fill keeps whole spheres inside its region, even at periodic ends, so the region is larger by a radius.
    upper = np.full(3, (_volume(radii) / LOOSE) ** (1.0 / 3.0) + radii.max())
    steps = STEPS_PER_TIME * (TIMES_WITH_FRICTION if friction > 0.0 else TIMES)
    step = time / STEPS_PER_TIME
    interval = max(steps // ROWS, 1)
    steps = interval * math.ceil(steps / interval)
    scene = _common(plan, np.zeros(3), upper, "x y z", step, steps * step, interval * step, friction)
    pressure = f"{plan.pressure:.17g} Pa"
    cell = {f"stress_{axis}": pressure for axis in "xyz"} | {"max_rate": f"{INERTIAL_NUMBER / time:.17g} /s"}
    return scene | {"cell": cell, "fill": _fill(plan, np.zeros(3), upper)}


def edge_of(radii):
    """Edge of the cube that a dense packing fills [m]."""
    return (_volume(radii) / DENSE) ** (1.0 / 3.0)


def width_of(plan, radii):
    """Width of the container [m]: the plan's, or that of a packing of solid fraction 0.6 that is as high as wide."""
    area = math.pi / 4.0 if plan.container == "cylinder" else 1.0
    return plan.width or (_volume(radii) / (0.6 * area)) ** (1.0 / 3.0)


def settling(plan, radii, friction):
    """A scene of spheres that fall from random positions into a box or cylinder and come to rest.  radii: [N] [m]"""
    width, diameter = width_of(plan, radii), 2.0 * radii.mean()
    is_round = plan.container == "cylinder"
    # Centres have less space than the container, because whole spheres are within its walls.
    free_width = max(width - 0.5 * diameter, 0.5 * width)
    height = _volume(radii) / (0.9 * LOOSE * free_width**2 * (math.pi / 4.0 if is_round else 1.0)) + 2.0 * radii.max()
    time = math.sqrt(diameter / GRAVITY)
    steps = STEPS_PER_FALL * math.ceil(2.0 * math.sqrt(2.0 * height / GRAVITY) / time + FALLS_AT_REST)
    interval = max(steps // ROWS, 1)
    steps = interval * math.ceil(steps / interval)
    step, half = time / STEPS_PER_FALL, 0.5 * width
    low, high = np.array([-half, -half, 0.0]), np.array([half, half, height])
    margin = diameter * np.array([1.0, 1.0, 0.0])
    floor = diameter * np.array([1.0, 1.0, 1.0])
    scene = _common(plan, low - floor, high + margin, "none", step, steps * step, interval * step, friction)
    scene["scene"]["gravity"] = f"0 0 {-GRAVITY} m/s^2"
    if is_round:
        ends = {"from": metres(0.0, 0.0, 0.0), "to": metres(0.0, 0.0, height)}
        fill = _fill(plan, low, high) | {"region": "cylinder", **ends, "region_radius": metres(half)}
        del fill["lower"], fill["upper"]
        axis = {"from": metres(0, 0, -diameter), "to": metres(0, 0, height)}
        walls = {"wall.side": {"shape": "pipe", **axis, "radius": metres(half)}}
    else:
        fill = _fill(plan, low, high)
        sides = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "back": (0, 1)}
        walls = {f"wall.{name}": _plane((half * x, half * y, 0), (-x, -y, 0)) for name, (x, y) in sides.items()}
    return scene | {"wall.floor": _plane((0, 0, 0), (0, 0, 1)), **walls, "fill": fill}


def _plane(point, normal):
    return {"shape": "plane", "point": metres(*point), "normal": " ".join(map(str, normal))}
