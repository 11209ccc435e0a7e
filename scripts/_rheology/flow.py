"""Steady shear at increasing solid fractions. Each flow starts from the compressed packing of the one before.

Hard spheres have no scale of stress. At a given solid fraction, pressure and shear stress grow with the square of the
shear rate, so the inertial number I = rate d sqrt(rho/p) depends on the solid fraction only. A search finds the solid
fraction of a flow with a given I, by linear extrapolation from the stages before.

A stage, which is one run, ends after an integer strain, when the periodic images are aligned again. Therefore its last
snapshot is a normal periodic packing, which can be scaled and used as the start of the next stage.
"""

import dataclasses

import numpy as np
import scipy.spatial

import scree.means
from _study.running import Run, metres, seconds

RATE = 10.0  # [1/s]
DIAMETER = 1e-3  # mean [m]
SPREAD = 0.05  # diameters differ from the mean by up to this fraction
FRICTION = 0.5
SCENE = "periodic_shear"
BEGIN = 0.54  # solid fraction of the packing before the first stage
OVERLAP, MAX_ITERATIONS = 0.02, 2000  # largest overlap [diameters] of the first packing; maximum number of iterations to relax it
SLOPE = (0.1, 0.145, 0.25)  # -d(phi)/dI: minimum, first guess, maximum
MIN_STEP = 0.001  # smallest change of the solid fraction, because I scatters near jamming
FIRST_FRACTION = 0.587  # first guess of the solid fraction at I = 0
TRIES = 12  # maximum number of stages until I is within a factor of two of its target
ROWS = 20  # rows of the averages per unit of strain
# Strain per step: this fraction of I, so that forces are in balance in each step, and at most MAX_STRAIN.
INERTIA_FRACTION, MAX_STRAIN = 0.1, 2e-4
FAST = 0.1  # from this inertial number on, collisions are short, so averages use every step instead of every tenth


@dataclasses.dataclass(frozen=True)
class Plan:
    """Size and duration of the flows."""

    across: int  # spheres along each edge
    targets: tuple  # inertial numbers, decreasing
    settling: int  # strain before the measurement, an integer
    measured_strain: int  # strain of the measurement, an integer
    sweeps: int


SHORT = Plan(16, (0.3, 0.1, 0.03, 0.01, 0.003, 0.0005), 1, 2, 20)
FULL = Plan(24, (0.3, 0.2, 0.1, 0.06, 0.03, 0.02, 0.01, 0.006, 0.003, 0.002, 0.001, 0.0007, 0.0005), 2, 6, 50)


@dataclasses.dataclass
class Packing:
    """Spheres in a periodic cube, as columns of an initial.file."""

    edge: float  # [m]
    x: np.ndarray  # [N, 3]
    v: np.ndarray  # [N, 3]
    omega: np.ndarray  # [N, 3]
    radius: np.ndarray  # [N]

    @property
    def solid_fraction(self):
        return 4.0 / 3.0 * np.pi * (self.radius**3).sum() / self.edge**3

    def compressed(self, solid_fraction):
        """The packing scaled to this solid fraction; the solver removes the overlaps."""
        factor = (self.solid_fraction / solid_fraction) ** (1.0 / 3.0)
        mean = self.mean_flow()
        x = np.minimum(factor * self.x, np.nextafter(factor * self.edge, 0.0))  # inside the domain
        return Packing(factor * self.edge, x, self.v - mean + factor * mean, self.omega, self.radius)

    def mean_flow(self):
        flow = np.zeros_like(self.x)
        flow[:, 0] = RATE * (self.x[:, 2] - 0.5 * self.edge)
        return flow

    def columns(self):
        names = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
        return {**dict(zip(names, np.hstack([self.x, self.v, self.omega]).T)), "radius": self.radius}


def relaxed_packing(across, solid_fraction, seed):
    """A Packing of across³ random spheres, moved apart until they hardly overlap. Velocities: mean flow, fluctuations.

    solid_fraction: well below 0.64, that of a jammed packing
    """
    random = np.random.default_rng(seed)
    count = across**3
    radius = 0.5 * DIAMETER * random.uniform(1.0 - SPREAD, 1.0 + SPREAD, count)
    edge = (4.0 / 3.0 * np.pi * (radius**3).sum() / solid_fraction) ** (1.0 / 3.0)
    x = edge * random.random((count, 3))
    for _ in range(MAX_ITERATIONS):
        x -= edge * np.floor(x / edge)
        x[x >= edge] = 0.0  # x = -1e-20 becomes x = edge by rounding
        a, b = scipy.spatial.cKDTree(x, boxsize=edge).query_pairs(2.0 * radius.max(), output_type="ndarray").T
        separation = x[a] - x[b]
        separation -= edge * np.round(separation / edge)
        distance = np.linalg.norm(separation, axis=1)
        overlap = np.maximum(radius[a] + radius[b] - distance, 0.0)
        if overlap.max() < OVERLAP * DIAMETER:
            break
        shift = (0.5 * overlap / distance)[:, None] * separation
        for rows, sign in ((a, 1.0), (b, -1.0)):
            for axis in range(3):
                x[:, axis] += sign * np.bincount(rows, shift[:, axis], minlength=count)
    packing = Packing(edge, x, np.zeros_like(x), np.zeros_like(x), radius)
    packing.v = packing.mean_flow() + 0.5 * RATE * DIAMETER * random.uniform(-1.0, 1.0, x.shape)
    return packing


def packing_of(run):
    """The Packing at the end of a run, after an integer strain."""
    frame = run.frames[-1].by_id()  # this order does not depend on the number of ranks
    x, v, omega, radius = (frame[name] for name in ("position", "velocity", "angular_velocity", "radius"))
    return Packing(run.numbers("domain", "upper")[0], x, v, omega, radius)


def stage(name, packing, plan, inertial_number, strain, settling):
    """A Run that shears a packing.

    inertial_number: the expected I;  strain: total strain, an integer;  settling: first part of it, without averages
    """
    strain_per_step = min(MAX_STRAIN, INERTIA_FRACTION * inertial_number)
    sample_steps = 1 if inertial_number >= FAST else 10
    steps = int(np.ceil(1.0 / strain_per_step / (ROWS * sample_steps))) * ROWS * sample_steps  # in a strain of 1
    edge = metres(packing.edge, packing.edge, packing.edge)
    options = {
        "domain.upper": edge, "fill.upper": edge, "domain.shear_rate": f"{RATE:g} /s",
        "time.step": seconds(1.0 / RATE / steps), "time.end": seconds(strain / RATE),
        "contact.friction": f"{FRICTION:g}", "solver.sweeps": plan.sweeps,
        "average.stress.from": seconds(settling / RATE), "average.stress.every": f"{sample_steps} steps",
        "average.stress.interval": f"{steps // ROWS} steps",
        "average.profile.from": seconds(settling / RATE), "average.profile.every": f"{steps // ROWS} steps",
        "output.every": seconds(strain / RATE), "output.log_every": f"{steps // ROWS} steps",
    }  # fmt: skip
    return Run(name, SCENE, options, particles=packing.columns())


@dataclasses.dataclass
class Point:
    """The measured quantities of a stage."""

    solid_fraction: float
    pressure: float  # a third of the trace of the stress [Pa]
    shear_stress: float  # [Pa]
    inertia: float  # inertial number I
    friction: float  # mu = shear stress over pressure
    friction_error: float  # standard error of friction
    temperature: float  # granular temperature divided by (rate d)²
    coordination: float
    strain: float  # of the measurement
    work: float  # work of the shear in the energy balance, divided by the work of the stress


def measure_run(run):
    """The Point of a finished stage."""
    table = run.average_rows("stress")
    stress = {axes: table[f"contact_stress_{axes}"] + table[f"kinetic_stress_{axes}"]
              for axes in ("xx", "yy", "zz", "xz")}  # fmt: skip
    pressures = (stress["xx"] + stress["yy"] + stress["zz"]) / 3.0
    pressure, shear = pressures.mean(), -stress["xz"].mean()
    density = run.number("material.grain", "density")
    friction = shear / pressure
    _, error, _ = scree.means.mean_error((-stress["xz"] - friction * pressures) / pressure)
    times, work = run.columns["time"], run.columns["energy_shear"]
    begins = table["time_from"]
    begin, end = begins[0], 2.0 * begins[-1] - begins[-2]
    shear_work = np.interp(end, times, work) - np.interp(begin, times, work)
    edge = run.numbers("domain", "upper")[0]
    inertia = RATE * DIAMETER * np.sqrt(density / pressure)
    return Point(
        float(table["solid_fraction"].mean()), pressure, shear, inertia, friction, error,
        float(table["granular_temperature"].mean()) / (RATE * DIAMETER) ** 2,
        float(table["coordination"].mean()), RATE * (end - begin), shear_work / (shear * RATE * edge**3 * (end - begin)),
    )  # fmt: skip


def next_fraction(points, target):
    """The solid fraction at which the inertial number is expected to reach the target, from the Points so far."""
    if not points:
        return FIRST_FRACTION - SLOPE[1] * target
    last = points[-3:]
    slope = SLOPE[1]
    if len(last) > 1:
        inertia = np.array([point.inertia for point in last])
        fraction = np.array([point.solid_fraction for point in last])
        if np.ptp(inertia) > 0.2 * inertia.max():
            slope = float(np.clip(-np.polyfit(inertia, fraction, 1)[0], SLOPE[0], SLOPE[2]))
    step = slope * (last[-1].inertia - target)
    must_be_denser = last[-1].inertia > 2.0 * target
    return last[-1].solid_fraction + (max(step, MIN_STEP) if must_be_denser else step)


def measure(runner, name, plan, seed, report):
    """The Points of all stages of a seed; finished stages are read from their files.

    runner: _study.running.Runner;  name: name of the folder
    """
    def run(stage_run):
        error = runner.run_all({name: [stage_run]})[name, stage_run.name]
        if error is not None:
            raise error
        return runner.read(name, [stage_run])[stage_run.name]

    packing = relaxed_packing(plan.across, BEGIN, seed)
    points = []
    for target in plan.targets:
        for _ in range(TRIES):
            compressed = packing.compressed(next_fraction(points, target))
            stage_run = stage(f"flow{len(points)}", compressed, plan, target, plan.settling + plan.measured_strain, plan.settling)
            finished_run = run(stage_run)
            packing = packing_of(finished_run)
            points.append(measure_run(finished_run))
            report(f"{name}/{stage_run.name}: I = {points[-1].inertia:.3g} (for {target:g}), "
                f"mu = {points[-1].friction:.3f}, phi = {points[-1].solid_fraction:.4f}")  # fmt: skip
            if points[-1].inertia < 2.0 * target:
                break
    return points
