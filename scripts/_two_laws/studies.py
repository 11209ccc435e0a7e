"""The flows of the comparison of the two laws, and their measured figures.

A study runs with each law and several seeds. The short form has larger particles or smaller scenes, and its numbers
hold only for that size. Seeds change the jitter of positions and the orientations, so the scatter between
seeds is that of the flow.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

import scree.snapshot
from _study.measures import force_on, rate
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY
from _validation.piles import RING
from scree.repose import depth_profile, drum_angle, drum_of, flank

LAWS = ("max_dissipation", "coulomb")
SWEEPS = 10  # number of sweeps of the scenes
MORE_SWEEPS = 20  # number in the runs that show the influence of the sweeps


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    name: str
    title: str
    scene: str
    short: dict  # key -> value of the short form
    full: dict  # key -> value at full size
    begin: float  # of the measurement [s]
    end: float  # [s]
    figures: Callable  # (scree.directory.Run, begin [s]) -> {name: value}
    frames: int = 5  # snapshots from begin to end
    contacts_from: float | None = None  # time from which contacts of snapshots are examined [s]; None: begin
    checks_sweeps: bool = False

    def options(self, full):
        interval = (self.end - self.begin) / self.frames
        return {
            **(self.full if full else self.short), "time.end": seconds(self.end), "output.every": seconds(interval),
            "output.contacts": "yes", "output.energy_book": "yes", "output.wall_forces": "yes",
            "output.log_every": "1 ms",
        }  # fmt: skip

    def sweeps(self, full):
        """Numbers of sweeps of the runs; only the short form varies them."""
        return (SWEEPS, MORE_SWEEPS) if self.checks_sweeps and not full else (SWEEPS,)

    def runs(self, full, seeds):
        """One run for each law, seed and number of sweeps."""
        return [
            Run(run_name(law, seed, sweeps), self.scene,
                {**self.options(full), "scene.seed": seed, "solver.kernel": law, "solver.sweeps": sweeps})
            for sweeps in self.sweeps(full)
            for seed in seeds for law in LAWS
        ]  # fmt: skip


def run_name(law, seed, sweeps=SWEEPS):
    return f"{law}_seed{seed}" + ("" if sweeps == SWEEPS else f"_sweeps{sweeps}")


def frames_of(run, begin):
    """The snapshots after a time [s]."""
    return [scree.snapshot.read_snapshot(path) for path, step in zip(run.snapshots, run.steps)
            if step * run.time_step > begin * (1.0 + 1e-9)]  # fmt: skip


def common_figures(run, begin):
    """Figures that all flows have."""
    columns = run.columns
    rows = run.is_after(begin)
    count = columns["particles"][rows].mean()
    return {
        "bodies": count,
        "kinetic energy [mJ]": 1e3 * columns["kinetic_energy"][rows].mean(),
        "dissipation [mW]": 1e3 * rate(columns, "energy_dissipated", rows),
        "closed contacts per body": 2.0 * columns["closed_contacts"][rows].mean() / count,
        "loaded contacts per body": 2.0 * columns["loaded_contacts"][rows].mean() / count,
        "largest penetration [µm]": 1e6 * columns["max_penetration_interval"][rows].mean(),
    }


def mean_force(run, begin, axis, *walls):
    """Mean force on several walls together [N]."""
    return force_on(run.columns, axis, *walls)[run.is_after(begin)].mean()


def solid_fraction(frame, is_inside, volume):
    """Solid fraction of bodies in a volume [m³].  is_inside: whether their centres are in the volume, [N] of bool"""
    return frame.volumes[is_inside].sum() / volume


BALL = 0.012  # radius of the ball about the centre of mass in which the solid fraction is measured [m]


def fraction_in_the_middle(frame, selection=None):
    """Solid fraction in a ball about the centre of mass of selected bodies.  selection: [N] of bool"""
    position = frame["position"]
    selection = np.ones(len(frame), dtype=bool) if selection is None else selection
    centre = np.average(position[selection], axis=0, weights=frame.masses[selection])
    is_inside = np.linalg.norm(position - centre, axis=1) < BALL
    return solid_fraction(frame, is_inside, 4.0 / 3.0 * np.pi * BALL**3)


# ---- channel

DOWNSTREAM = (0.035, 0.055)  # range of x behind the obstacle, where the bed is dense [m]
BED = 0.005  # the solid fraction is measured from the floor up to this height [m]


def channel_figures(run, begin):
    rows = run.is_after(begin)
    lower, upper = run.numbers("domain", "lower"), run.numbers("domain", "upper")
    fractions, heights = [], []
    for frame in frames_of(run, begin):
        position = frame["position"]
        is_downstream = (position[:, 0] > DOWNSTREAM[0]) & (position[:, 0] < DOWNSTREAM[1])
        volume = (DOWNSTREAM[1] - DOWNSTREAM[0]) * (upper - lower)[1] * BED
        fractions.append(solid_fraction(frame, is_downstream & (position[:, 2] < BED), volume))
        heights.append(np.average(position[is_downstream, 2], weights=frame.masses[is_downstream]))
    return {
        **common_figures(run, begin),
        "mean velocity [m/s]": run.columns["mean_velocity_x"][rows].mean(),
        "flow out [g/s]": 1e3 * float(run.average("out")["mass_flow"][0]),
        "force on the piston [N]": -mean_force(run, begin, "x", "piston"),
        "force on the obstacle [N]": mean_force(run, begin, "x", "obstacle"),
        "drag of the floor over its load": -mean_force(run, begin, "x", "floor") / mean_force(run, begin, "z", "floor"),
        "solid fraction of the bed": np.mean(fractions),
        "height of the centre of mass [mm]": 1e3 * np.mean(heights),
    }


CHANNEL_SPEED = 1.0  # speed of the piston [m/s]
VOLUME_RADIUS = 0.47e-3  # radius of the sphere with the volume of a body in channel_clumps.ini [m]
# Bounding radius relative to the radius of the sphere of the same volume.
BOUNDING = {"dimer": 1.2597, "tetrapod": 1.2904, "pebble": 1.3721}


def channel_options(shape, enlargement, step):
    """Values for bodies with the scene's volume times enlargement³.

    The piston moves by a bounding diameter in a whole number of steps.
    """
    unit = 0.5 * CHANNEL_SPEED * step
    radius = unit * round(BOUNDING[shape] * VOLUME_RADIUS * enlargement / unit)
    spacing = 2.04 * radius
    grain = {"shape": shape, "radius": metres(radius), "spacing": metres(spacing)}
    return {
        **{f"fill.{key}": value for key, value in grain.items()},
        **{f"inflow.{key}": value for key, value in grain.items()},
        "inflow.upper": metres(spacing, 0.04, 0.012), "time.step": seconds(step),
    }  # fmt: skip


def channel(shape):
    return Study(f"channel_{shape}", f"Channel past an obstacle, {shape}s", "channel_clumps",
                 channel_options(shape, 2.2, 5e-5), channel_options(shape, 0.85, 2e-5), 0.1, 0.2, channel_figures,
                 checks_sweeps=shape == "tetrapod")  # fmt: skip


# ---- hopper

ORIFICE = 0.04  # height of the funnel's lower end [m]


def hopper_figures(run, begin):
    rows = run.is_after(begin)
    fractions = [fraction_in_the_middle(frame, frame["position"][:, 2] > ORIFICE) for frame in frames_of(run, begin)]
    figures = common_figures(run, begin)
    del figures["bodies"]
    return {
        **figures,
        "discharge [g/s]": 1e3 * float(run.average("outflow")["mass_flow"][0]),
        "force on the funnel over the weight above": hopper_load(run, rows),
        "solid fraction in the middle": np.mean(fractions),
    }


def hopper_load(run, rows):
    """Vertical force on the funnel divided by the weight of all bodies, as a mean over time."""
    columns = run.columns
    first = scree.snapshot.read_snapshot(run.snapshots[0])
    weight = GRAVITY * first.masses.sum() * columns["particles"] / columns["particles"][0]
    return (-columns["wall_funnel_force_z"] / weight)[rows].mean()


# ---- drum

SURFACE = 0.025  # half of the width over which the slope is measured [m]
BINS = 10


def surface_angle(frame):
    """Angle of the line through the highest bodies in bins along x [rad]."""
    x, z = frame["position"][:, 0], frame["position"][:, 2]
    edges = np.linspace(-SURFACE, SURFACE, BINS + 1)
    tops = []
    for low, high in zip(edges, edges[1:]):
        heights = np.sort(z[(x >= low) & (x < high)])
        # The three highest bodies are left out because they may be in flight.
        tops.append(np.mean(heights[-8:-3]) if len(heights) >= 8 else np.nan)
    middle, tops = 0.5 * (edges[1:] + edges[:-1]), np.array(tops)
    is_known = np.isfinite(tops)
    return np.arctan(np.polyfit(middle[is_known], tops[is_known], 1)[0])


def drum_figures(run, begin):
    rows = run.is_after(begin)
    frames = frames_of(run, begin)
    torque = sum(run.columns[f"wall_{wall}_torque_y"][rows].mean() for wall in ("drum", "front", "rear"))
    figures = common_figures(run, begin)
    del figures["bodies"]
    return {
        **figures,
        "angle of the surface [°]": np.degrees(np.mean([abs(surface_angle(frame)) for frame in frames])),
        "angle of the centre of mass [°]": np.mean([drum_angle(frame, drum_of(frame)) for frame in frames]),
        "torque on the drum [N mm]": 1e3 * abs(torque),
        "solid fraction in the middle": np.mean([fraction_in_the_middle(frame) for frame in frames]),
    }


# ---- heap

RELEASED = 0.25  # time when the column is released [s]
COLUMN_HEIGHTS = (0.003, 0.008)  # heights between which the solid fraction is measured [m]


def heap_figures(run, begin):
    frames = [scree.snapshot.read_snapshot(path) for path in run.snapshots]
    times = np.array([frame.time for frame in frames])
    released = frames[int(np.argmin(abs(times - RELEASED)))]
    position = released["position"]
    core = 0.8 * run.number("wall.pipe", "radius")
    is_inside = (np.hypot(position[:, 0], position[:, 1]) < core) & (position[:, 2] > COLUMN_HEIGHTS[0]) & (position[:, 2] < COLUMN_HEIGHTS[1])
    last = frames[-1]
    radius, depth = depth_profile(last, float(last.upper[0]), RING)
    slope, foot = flank(radius, depth)
    columns = run.columns
    dissipated = columns["energy_dissipated"][run.is_after(RELEASED)]
    return {
        "angle of repose [°]": np.degrees(np.arctan(slope)),
        "radius of the foot [mm]": 1e3 * foot,
        "height of the centre of mass [mm]": 1e3 * np.average(last["position"][:, 2], weights=last.masses),
        "dissipated in the collapse [mJ]": 1e3 * (dissipated[-1] - dissipated[0]),
        "closed contacts per body": (2.0 * columns["closed_contacts"] / columns["particles"])[run.is_after(begin)].mean(),
        "force on the floor over the weight": heap_load(run, last, begin),
        "solid fraction of the column": solid_fraction(released, is_inside, np.pi * core**2 * (COLUMN_HEIGHTS[1] - COLUMN_HEIGHTS[0])),
    }


def heap_load(run, last, begin):
    """Vertical force on floor and ridges divided by the weight, as a mean from `begin` on."""
    return -mean_force(run, begin, "z", "floor", "ridges") / (GRAVITY * last.masses.sum())


SOLIDS = {"cube": {"solid": "box", "size": "2 mm", "rounding": "0.2 mm"},
          "tetrahedron": {"solid": "tetrahedron", "size": "4 mm", "rounding": "0.3 mm"}}  # fmt: skip
PLURALS = {"cube": "cubes", "tetrahedron": "tetrahedra"}


def shape_options(name):
    """Keys of a shape that the scene lacks; a radius in the fill scales the shape."""
    return {f"shape.{name}.{key}": value for key, value in SOLIDS[name].items()}


DRUM_SHORT = {"domain.upper": "5.1 2 5.1 cm", "fill.upper": "3.1 2 3.5 cm", "wall.rear.point": "0 2 0 cm",
              "time.step": "100 us"}  # fmt: skip
ROUGH = {"contact.friction": 1.5}  # friction with which the laws differ much
HEAP_SHORT = {"time.step": "100 us", "fill.lower": "-9.9 -9.9 1.4 mm", "fill.upper": "9.9 9.9 57.4 mm",
              "wall.pipe.radius": "15.5 mm"}  # fmt: skip
SMALL_HEAP = {"fill.lower": "-5.6 -5.6 1.4 mm", "fill.upper": "5.6 5.6 46.2 mm",
              "wall.pipe.radius": "8 mm"}  # fmt: skip
STUDIES = {
    study.name: study
    for study in (
        channel("tetrapod"),
        Study("hopper", "Hopper with pebbles, tetrapods and dimers", "hopper_pebbles", {"time.step": "100 us"}, {},
              0.2, 0.32, hopper_figures),
        Study("drum", "Drum at half a revolution per second, tetrapods", "drum_tetrapods", DRUM_SHORT, {}, 0.4, 0.8,
              drum_figures),
        Study("drum_rough", "The same drum with a friction of 1.5", "drum_tetrapods", {**DRUM_SHORT, **ROUGH}, ROUGH,
              0.4, 0.8, drum_figures),
        Study("heap", "Column of tetrapods that collapses into a heap", "heap_tetrapods", HEAP_SHORT, {},
              0.6, 0.7, heap_figures, frames=2, contacts_from=RELEASED),
        channel("dimer"), channel("pebble"),
        *(Study(f"drum_{name}", f"Drum at half a revolution per second, {plural}", "drum_cubes",
                {"fill.shape": name}, {"fill.shape": name}, 0.4, 0.8, drum_figures)
          for name, plural in PLURALS.items()),
        *(Study(f"heap_{name}", f"Column of {plural} that collapses into a heap", "heap_tetrapods",
                {**SMALL_HEAP, **shape_options(name), "fill.shape": name}, {**shape_options(name), "fill.shape": name},
                0.6, 0.7, heap_figures, frames=2, contacts_from=RELEASED)
          for name, plural in PLURALS.items()),
    )
}  # fmt: skip
