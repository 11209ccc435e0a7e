"""Cases of the automatic step: columns of beads, compared with an event-driven solution, and a sphere in a pipe."""

import numpy as np

from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Result, last_of, relative, within
from scree.figure import COLOURS, plt

RADIUS = 1e-3  # [m]
NO_FILL = {"fill.lower": "0 0 0", "fill.upper": "2 2 2 mm", "fill.radius": "1 mm", "fill.spacing": "2 mm"}

# ---- columns of beads

SPEED = 1.0  # speed of the beads before the first impact [m/s]
COLUMNS = {"ten": (10, 1e-4, 0.8), "five": (5, 2e-4, 0.6), "hard": (10, 1e-4, 0.9)}  # number of beads, gap [m], e
COLUMN_ERROR = 0.01  # largest relative error of the energy and of the top bead's speed with automatic steps
COLUMN_END = 0.06  # time after all impacts [s]


def column_by_events(count, gap, restitution):
    """(velocities of equal beads after all impacts, the bead at the plate first, [count]; time of the last impact [s]).

    Beads fly freely between impacts, which are computed one by one in the order of time. Positions do not include
    the diameters of the beads.
    """
    position = gap * np.arange(1.0, count + 1.0)
    speed = np.full(count, -SPEED)
    time = 0.0
    while True:
        gaps, opening = np.diff(position, prepend=0.0), np.diff(speed, prepend=0.0)
        flights = np.full(count, np.inf)
        np.divide(gaps, -opening, out=flights, where=opening < 0.0)
        k = flights.argmin()
        if not np.isfinite(flights[k]):
            return speed, time
        position += flights[k] * speed
        time += flights[k]
        if k == 0:
            position[0], speed[0] = 0.0, -restitution * speed[0]
            continue
        position[k] = position[k - 1]
        mean, half = 0.5 * (speed[k - 1] + speed[k]), 0.5 * restitution * (speed[k - 1] - speed[k])
        speed[k - 1], speed[k] = mean - half, mean + half


def column_table(count, gap):
    """Columns of initial.file: equal beads above the plate, with these gaps [m]."""
    height = RADIUS + gap + (2.0 * RADIUS + gap) * np.arange(count)
    zero = np.zeros(count)
    return {"x": zero, "y": zero, "z": height, "radius": zero + RADIUS, "vx": zero, "vy": zero, "vz": zero - SPEED}


def column_runs(full):
    return [
        Run(name, "bouncing_sphere", {
            **NO_FILL, "scene.gravity": "0 0 0", "domain.lower": "-5 -5 0 mm", "domain.upper": "5 5 100 mm",
            "contact.restitution": e, "time.step": "auto", "time.end": seconds(COLUMN_END),
            "output.every": seconds(COLUMN_END), "output.log_every": "1 ms"}, column_table(count, gap))
        for name, (count, gap, e) in COLUMNS.items()
    ]  # fmt: skip


def column_analysis(runs):
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    figures = []
    for colour, (name, (count, gap, e)) in zip(COLOURS, COLUMNS.items()):
        expected, _ = column_by_events(count, gap, e)
        speed = last_of(runs[name])["velocity"][:, 2]
        energy_ratio = (speed**2).mean() / SPEED**2
        label = f"{count} beads, gaps of {1e3 * gap:g} mm, e = {e:g}"
        exact = (expected**2).mean() / SPEED**2
        figures.append(relative(f"remaining kinetic energy over its exact value, {label}", energy_ratio / exact, 1.0, COLUMN_ERROR))
        figures.append(relative(f"speed of the top bead, {label}", speed[-1], expected[-1], COLUMN_ERROR, "m/s"))
        axes.plot(np.arange(1, count + 1), speed, "o", color=colour, markersize=4, label=label)
        axes.plot(np.arange(1, count + 1), expected, color=colour, linewidth=0.8)
    axes.set(xlabel="bead, from the plate", ylabel="speed after all impacts [m/s]", title="lines: by events")
    note = (
        "A column of e = 0.8 keeps only 0.2 % of its energy, so the order of its impacts decides: if the impacts of a step "
        "act together, up to twice as much remains. Each bead has one impact per step; further impacts wait for the next step. "
        "Longer columns, which keep less energy, are harder: fifteen beads of e = 0.85 keep 0.05 %, with an error of 2.5 %."
    )
    return Result(figures, picture, note)


# ---- a sphere that rolls in a pipe

PIPE = 5.0 * RADIUS  # radius of the pipe [m]
START = np.radians(60.0)  # initial angle of the sphere from the lowest line
PIPE_END = 1.0  # [s]
PIPE_ACCURACIES = (0.01, 0.0025)


def rolling_table():
    radius = PIPE - RADIUS
    positions = {"x": radius * np.sin(START), "y": 0.0, "z": -radius * np.cos(START), "radius": RADIUS}
    return {name: np.array([value]) for name, value in positions.items()}


def pipe_runs(full):
    return [
        Run(f"accuracy{accuracy:g}", "bouncing_sphere", {
            **NO_FILL, "wall.floor.shape": "pipe", "wall.floor.point": "unset", "wall.floor.normal": "unset",
            "wall.floor.from": "0 -10 0 mm", "wall.floor.to": "0 10 0 mm", "wall.floor.radius": metres(PIPE),
            "domain.lower": "-6 -5 -6 mm", "domain.upper": "6 5 6 mm", "contact.restitution": 0, "contact.friction": 1,
            "time.step": "auto", "time.accuracy": accuracy, "time.end": seconds(PIPE_END),
            "output.every": seconds(PIPE_END), "output.log_every": "1 ms"}, rolling_table())
        for accuracy in PIPE_ACCURACIES
    ]  # fmt: skip


def swings(run):
    """(times [s], maxima of the kinetic energy over the exact maximum) of the passes through the lowest line."""
    weight = last_of(run).masses.sum() * GRAVITY
    energy = run.columns["kinetic_energy"] / (weight * (PIPE - RADIUS) * (1.0 - np.cos(START)))
    inner = energy[1:-1]
    rows = 1 + np.flatnonzero((inner >= energy[:-2]) & (inner > energy[2:]) & (inner > 0.2))
    return run.columns["time"][rows], energy[rows]


def pipe_analysis(runs):
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    figures = []
    for colour, accuracy, run in zip(COLOURS, PIPE_ACCURACIES, runs.values()):
        time, energy = swings(run)
        change = 100.0 * ((energy[-1] / energy[0]) ** (1.0 / (len(energy) - 1)) - 1.0)
        figures.append(within(f"change of the energy per swing, accuracy {accuracy:g}", change, -0.01, 0.01, "%"))
        axes.plot(time, energy, "o-", color=colour, markersize=4, label=f"time.accuracy = {accuracy:g}")
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set(xlabel="time [s]", ylabel="largest kinetic energy of a swing over the exact one")
    note = (
        "Nothing dissipates, so that the exact change is 0. A step that moved the sphere along the tangent at its beginning, "
        "into the wall, would lose 1.1 % a swing with accuracy 0.01: the next contact would remove the velocity into the "
        "wall, a fraction (v dt/(R − r))² of the energy. So a step gives the velocity the direction of the chord of its path."
    )
    return Result(figures, picture, note)


CASES = [
    Case("bead_column", "Columns of beads that fall onto a plate without weight",
         "u'_n = −e u_n in each impact, one after the other in the order of time",
         "Exact by events: free flights and impacts of pairs of equal spheres",
         column_runs, column_analysis),
    Case("rolling_in_pipe", "A sphere that rolls to and fro in a pipe",
         "7/10 m v² = m g (R − r)(cos φ − cos φ_0) without slip: each swing has the largest kinetic energy m g (R − r)(1 − cos φ_0)",
         "Conservation of energy; a solid sphere that rolls without slip",
         pipe_runs, pipe_analysis),
]  # fmt: skip
