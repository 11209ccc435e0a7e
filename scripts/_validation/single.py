"""Cases of one or few spheres, whose motion is known in closed form."""

import numpy as np

from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Figure, Result, by_id, last_of, relative
from scree.figure import COLOURS, plt

RADIUS = 0.01  # radius of the sphere in bouncing_sphere.ini [m]

# ---- impacts

IMPACT_FRICTION = 0.3
IMPACT_RESTITUTIONS = (0.0, 0.5, 0.9)
IMPACT_STEP = 1e-3  # [s]
IMPACT_RADII = (5e-3, 8e-3)  # radii of the spheres of a pair [m]
IMPACT_DISTANCE = 0.05  # distance between impacts [m]


def rigid_impact(delta_v, normal, inverse_mass, restitution, friction):
    """Impulse on sphere a in an impact of two solid spheres, a and b, [K, 3] [N s].

    delta_v: velocity of a minus velocity of b at the contact point, [K, 3] [m/s];  normal: from b to a, [K, 3]
    inverse_mass: 1/m_a + 1/m_b, [K] [1/kg]

    The impulse along the normal is -(1 + e) m v_n with 1/m = 1/m_a + 1/m_b. An impulse of 2/7 m v_t stops the slip,
    because the surface of a solid sphere is 7/2 times as mobile along the tangent as along the normal. Friction gives
    at most mu times the normal impulse (O. R. Walton, R. L. Braun, J. Rheol. 30, 949 (1986), with tangential
    restitution 0).
    """
    normal_velocity = np.einsum("ij,ij->i", delta_v, normal)
    slip = delta_v - normal_velocity[:, None] * normal
    normal_impulse = -(1.0 + restitution) * normal_velocity / inverse_mass
    sticking_impulse = -2.0 / 7.0 * slip / inverse_mass[:, None]
    sticking_size = np.linalg.norm(sticking_impulse, axis=1)
    factor = np.minimum(1.0, friction * normal_impulse / np.maximum(sticking_size, 1e-300))
    return normal_impulse[:, None] * normal + factor[:, None] * sticking_impulse


def impact_table():
    """(columns of initial.file, partner of each sphere) of spheres that approach at all angles with all kinds of spin.

    There are spheres on a plane and touching pairs above the plane. A partner is a row, or -1 for the plane.
    """
    angles = np.radians(np.linspace(0.0, 85.0, 18))
    spins = [(0, 0, 0), (0, 1, 0), (0, -1, 0), (0, 3, 0), (1, 0, 0), (0.4, -0.7, 1.5)]  # ratio of r w to the speed
    rows, partner = [], []
    for i, angle in enumerate(angles):
        for j, spin in enumerate(spins):
            site = np.array([i * IMPACT_DISTANCE, j * IMPACT_DISTANCE, 0.0])
            velocity = np.array([np.sin(angle), 0.0, -np.cos(angle)])
            radius = IMPACT_RADII[0]
            rows.append([*(site + [0, 0, radius]), radius, *velocity, *np.divide(spin, radius)])
            partner.append(-1)
            # The line of the centres has another direction for each pair; a common velocity is added to both spheres.
            normal = np.array([np.cos(0.3 * i), np.sin(0.3 * i) * np.cos(j), np.sin(0.3 * i) * np.sin(j)])
            tangent = np.cross(normal, [0.36, 0.48, 0.8])
            tangent /= np.linalg.norm(tangent)
            middle = site + [0, 0, 2 * IMPACT_DISTANCE]
            common = 0.1 * np.array([j, -1, 1])
            approach = -np.cos(angle) * normal + np.sin(angle) * tangent
            for sign, radius, factor in ((1, IMPACT_RADII[0], 1.0), (-1, IMPACT_RADII[1], 0.0)):
                partner.append(len(rows) + sign)
                rows.append([*(middle + sign * radius * normal), radius, *(common + factor * approach),
                             *(sign * np.roll(spin, j) / radius)])  # fmt: skip
    names = ("x", "y", "z", "radius", "vx", "vy", "vz", "wx", "wy", "wz")
    return dict(zip(names, np.array(rows).T)), np.array(partner)


def impact_runs(full):
    table, _ = impact_table()
    options = {
        "scene.gravity": "0 0 0", "contact.friction": IMPACT_FRICTION, "fill.lower": "0 0 0", "fill.upper": "2 2 2 cm",
        "domain.lower": metres(-IMPACT_DISTANCE, -IMPACT_DISTANCE, 0.0), "domain.upper": metres(1.0, 0.4, 0.3),
        "time.step": seconds(IMPACT_STEP), "time.end": seconds(IMPACT_STEP),
        "output.every": seconds(IMPACT_STEP), "output.log_every": seconds(IMPACT_STEP),
    }  # fmt: skip
    return [
        Run(f"e{e:g}", "bouncing_sphere", {**options, "contact.restitution": e}, table)
        for e in IMPACT_RESTITUTIONS
    ]


def after_impact(table, partner, restitution, friction):
    """(velocities, spins) after the impacts by the closed form: ([K, 3], [K, 3])."""
    position, v, w = (np.column_stack([table[f"{name}{axis}"] for axis in "xyz"]) for name in ("", "v", "w"))
    radius = table["radius"]
    inverse_masses = 1.0 / radius**3  # in units in which 4/3 pi rho is 1
    hits_plane = partner < 0
    normal = np.where(hits_plane[:, None], [0.0, 0.0, 1.0], position - position[partner])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    surface = v + np.cross(w, -radius[:, None] * normal)
    other = v[partner] + np.cross(w[partner], radius[partner][:, None] * normal)
    delta_v = surface - np.where(hits_plane[:, None], 0.0, other)
    inverse_mass = inverse_masses + np.where(hits_plane, 0.0, inverse_masses[partner])
    impulse = rigid_impact(delta_v, normal, inverse_mass, restitution, friction)
    inertia = 0.4 * radius**2 / inverse_masses
    delta_w = np.cross(-radius[:, None] * normal, impulse) / inertia[:, None]
    return v + inverse_masses[:, None] * impulse, w + delta_w


def impact_analysis(runs):
    table, partner = impact_table()
    hits_plane = partner < 0
    worst = {"wall": 0.0, "pair": 0.0}
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    for colour, e in zip(COLOURS, IMPACT_RESTITUTIONS):
        last = last_of(runs[f"e{e:g}"])
        v, w = last["velocity"], last["angular_velocity"]
        expected_v, expected_w = after_impact(table, partner, e, IMPACT_FRICTION)
        # All spheres approach at 1 m/s; spins are compared as r w.
        deviation = np.abs(np.hstack([v - expected_v, table["radius"][:, None] * (w - expected_w)])).max(axis=1)
        worst["wall"] = max(worst["wall"], deviation[hits_plane].max())
        worst["pair"] = max(worst["pair"], deviation[~hits_plane].max())
        rows = np.flatnonzero(hits_plane)[::6]  # impacts without spin
        angle = np.degrees(np.arctan2(table["vx"][rows], -table["vz"][rows]))
        slip = v[rows, 0] - table["radius"][rows] * w[rows, 1]
        law = expected_v[rows, 0] - table["radius"][rows] * expected_w[rows, 1]
        axes[0].plot(angle, slip, "o", color=colour, markersize=4, label=f"e = {e:g}")
        axes[0].plot(angle, law, color=colour, linewidth=0.8)
        axes[1].semilogy(np.arange(len(deviation)), deviation + 1e-18, ".", color=colour, markersize=3, label=f"e = {e:g}")
    axes[0].set(xlabel="angle of incidence [°]", ylabel="slip after the impact [m/s]",
                title="without spin, on the plane; lines: closed form")
    axes[1].axhline(1e-12, color="black", linewidth=0.8)
    axes[1].set(xlabel="sphere", ylabel="largest difference [m/s]", title="all impacts")
    return Result([Figure(f"difference over the speed, {name}, worst", value, 0.0, 1e-12)
                   for name, value in worst.items()], picture)  # fmt: skip


# ---- sliding and rolling

ON_THE_PLANE = {
    "fill.lower": "-1 -1 0 cm", "fill.upper": "1 1 2 cm", "contact.restitution": 0,
    "domain.lower": "-1 -1 0 m", "domain.upper": "3 1 1 m",
}  # fmt: skip


def rolling_runs(full):
    return [
        Run(f"friction{mu:g}", "bouncing_sphere", {
            **ON_THE_PLANE, "contact.friction": mu, "fill.velocity": "1 0 0 m/s", "time.step": "0.1 ms",
            "time.end": "0.4 s", "output.every": "0.4 s", "output.log_every": "0.1 ms"})
        for mu in (0.1, 0.3, 0.6)
    ]  # fmt: skip


def rolling_analysis(runs):
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    figures, slips = [], []
    for colour, run in zip(COLOURS, runs.values()):
        mu = run.number("contact", "friction")
        time, v = run.columns["time"], run.columns["mean_velocity_x"]
        rolling_begin = time[np.flatnonzero(np.abs(v - v[-1]) > 1e-9)[-1] + 1]
        expected = 2.0 / (7.0 * mu * GRAVITY)
        figures.append(relative(f"speed of rolling over the initial speed, friction {mu:g}", v[-1] / v[0], 5 / 7, 0.01))
        figures.append(relative(f"start of rolling, friction {mu:g}", rolling_begin, expected, 0.01, "s"))
        last = last_of(run)
        slips.append(abs(last["velocity"][0, 0] - RADIUS * last["angular_velocity"][0, 1]))
        axes.plot(time, v, color=colour, label=f"friction {mu:g}")
        axes.plot(time, np.maximum(1.0 - mu * GRAVITY * time, 5 / 7), "--", color="black", linewidth=0.8)
    figures.append(Figure("slip at the end over the speed, worst", max(slips), 0.0, 0.01))
    axes.set(xlabel="time [s]", ylabel="speed [m/s]", title="dashed: theory")
    return Result(figures, picture)


# ---- incline

INCLINE_FRICTION = 0.2
INCLINES = (0.1, 0.3, 0.6, 0.9, 0.97, 1.03, 1.1, 1.5, 2.0)  # tan of the angle over 7/2 mu


def incline_runs(full):
    runs = []
    for ratio in INCLINES:
        angle = np.arctan(3.5 * INCLINE_FRICTION * ratio)
        gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
        options = {
            **ON_THE_PLANE, "contact.friction": INCLINE_FRICTION, "scene.gravity": "{:.17g} {:g} {:.17g}".format(*gravity),
            "time.step": "0.1 ms", "time.end": "0.2 s", "output.every": "0.2 s", "output.log_every": "1 ms",
        }  # fmt: skip
        runs.append(Run(f"ratio{ratio:g}", "bouncing_sphere", options))
    return runs


def incline_accelerations(angle, friction):
    """(acceleration of the centre, r times the angular acceleration) of a solid sphere on an incline [m/s^2]."""
    if np.tan(angle) <= 3.5 * friction:
        return (5.0 / 7.0 * GRAVITY * np.sin(angle),) * 2
    return GRAVITY * (np.sin(angle) - friction * np.cos(angle)), 2.5 * friction * GRAVITY * np.cos(angle)


def incline_analysis(runs):
    ratios, measured, expected = np.array(INCLINES), [], []
    for ratio, run in zip(ratios, runs.values()):
        last = last_of(run)
        spin = RADIUS * last["angular_velocity"][0, 1] / last.time
        measured.append((np.polyfit(run.columns["time"], run.columns["mean_velocity_x"], 1)[0], spin))
        expected.append(incline_accelerations(np.arctan(3.5 * INCLINE_FRICTION * ratio), INCLINE_FRICTION))
    measured, expected = np.array(measured), np.array(expected)
    is_rolling = ratios < 1.0
    deviation = np.abs(measured / expected - 1.0)
    slip = 1.0 - measured[:, 1] / measured[:, 0]
    figures = [
        Figure("acceleration over theory less 1, rolling, worst", deviation[is_rolling, 0].max(), 0.0, 1e-3),
        Figure("acceleration over theory less 1, sliding, worst", deviation[~is_rolling, 0].max(), 0.0, 1e-3),
        Figure("angular acceleration over theory less 1, worst", deviation[:, 1].max(), 0.0, 1e-3),
        Figure("slip over speed below tan θ = 7/2 μ, worst", np.abs(slip[is_rolling]).max(), 0.0, 1e-3),
        Figure("inclines above tan θ = 7/2 μ on which the sphere slips", (slip[~is_rolling] > 1e-3).sum(), (~is_rolling).sum(), 0.0),
    ]
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    fine = np.linspace(0.01, 2.1, 400)
    law = np.array([incline_accelerations(np.arctan(3.5 * INCLINE_FRICTION * r), INCLINE_FRICTION) for r in fine])
    for column, name in enumerate(("centre", "surface by its spin")):
        axes.plot(ratios, measured[:, column], "o", color=COLOURS[column], markersize=5, label=name)
        axes.plot(fine, law[:, column], color=COLOURS[column], linewidth=0.8)
    axes.set(xlabel=r"$\tan\theta / (7\mu/2)$", ylabel="acceleration [m/s²]", title="lines: theory")
    return Result(figures, picture)


# ---- stack

STACK = 10
STACK_STEP = 50e-6  # [s]


STACK_SWEEPS = 100  # a sweep transmits a change of force by about one sphere
STACK_BEGIN = 0.01  # time in which the impulses grow from zero to their final values [s]


def stack_runs(full):
    options = {
        **ON_THE_PLANE, "fill.upper": metres(0.01, 0.01, STACK * 2 * RADIUS),
        "time.step": seconds(STACK_STEP), "time.end": "0.5 s", "output.every": "0.5 s",
        "output.log_every": "1 step", "output.wall_forces": "yes",  # the force of each step is tested
    }  # fmt: skip
    return [
        Run("stack", "bouncing_sphere", {**options, "solver.sweeps": STACK_SWEEPS}),
        Run("default", "bouncing_sphere", options),
    ]


def stack_force(run, weight):
    """(times [s], force on the floor over the weight) of the rows after the first, [K] each."""
    return run.columns["time"][1:], -run.columns["wall_floor_force_z"][1:] / weight


def is_stack_settled(run):
    """Whether each row is later than STACK_BEGIN, [K] of bool."""
    return run.is_after(STACK_BEGIN)


def stack_analysis(runs):
    run = runs["stack"]
    first, last = by_id(run.snapshots[0]), last_of(run)
    weight = last.masses.sum() * GRAVITY
    time, force = stack_force(run, weight)
    moved = np.abs(last["position"] - first["position"]).max()
    settled = is_stack_settled(run)
    deviation = np.abs(force - 1.0)[settled[1:]].max()
    speed = run.columns["max_speed"][settled].max()
    figures = [
        Figure(f"force on the floor over the weight of {STACK} less 1, worst", deviation, 0.0, 1e-6),
        Figure("displacement of a sphere over the radius in 1e4 steps, worst", moved / RADIUS, 0.0, 1e-6),
        Figure("speed over g dt, worst", speed / (GRAVITY * STACK_STEP), 0.0, 1e-6),
    ]
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    default_time, default_force = stack_force(runs["default"], weight)
    axes.semilogy(default_time, np.abs(default_force - 1.0), ".", color=COLOURS[1], markersize=3, label="10 sweeps (default)")
    axes.semilogy(time, np.abs(force - 1.0) + 1e-18, ".", color=COLOURS[0], markersize=3,
                  label=f"{STACK_SWEEPS} sweeps")
    axes.axhline(1e-6, color="black", linewidth=0.8)
    axes.set(xlabel="time [s]", ylabel="|force over weight − 1|")
    note = (
        f"The stack is tested with {STACK_SWEEPS} sweeps a step, from {STACK_BEGIN:g} s on. The default of 10 does not solve "
        f"a column of {STACK} within a step: the force of single steps then scatters with a standard deviation of {default_force.std():.2g} of the weight around a "
        f"mean of {default_force.mean():.4f} of the weight, and spheres shake at speeds of some g dt."
    )
    return Result(figures, picture, note)


# ---- order in the time step

ORDER_STEPS = (400e-6, 200e-6, 100e-6, 50e-6, 25e-6)  # [s]
ORDER_END = 0.4  # [s]
ORDER_FRICTION, ORDER_RESTITUTION = 0.2, 0.8


def order_table():
    """(columns of initial.file, heights [m], speeds [m/s]): spheres that fall and bounce, then thrown spheres."""
    heights = np.linspace(0.05, 0.30, 64)
    speeds = np.linspace(0.6, 2.6, 21)
    count = len(heights) + len(speeds)
    row = np.arange(count)
    table = {name: np.zeros(count) for name in ("x", "y", "z", "radius", "vx", "vy", "vz")}
    table["radius"] += RADIUS
    table["y"] = 0.03 * row
    table["z"] = RADIUS + np.concatenate([heights, np.zeros(len(speeds))])
    table["vx"][len(heights):] = speeds
    return table, heights, speeds


def order_runs(full):
    table, _, _ = order_table()
    return [
        Run(f"step{step * 1e6:g}us", "bouncing_sphere", {
            "contact.friction": ORDER_FRICTION, "contact.restitution": ORDER_RESTITUTION,
            "domain.lower": "-0.1 -0.1 0 m", "domain.upper": "2 3 1 m", "time.step": seconds(step),
            "time.end": seconds(ORDER_END), "output.every": seconds(ORDER_END), "output.log_every": "4 ms"}, table)
        for step in ORDER_STEPS
    ]  # fmt: skip


def bounced_height(height, restitution, time):
    """Height of a bouncing sphere above its rest position [m], `time` [s] after it was dropped from `height` [m]."""
    begin, speed = -np.sqrt(2.0 * height / GRAVITY), np.sqrt(2.0 * GRAVITY * height)
    flight = 2.0 * speed / GRAVITY  # the first flight started at -flight/2
    while begin + flight < time:
        begin += flight
        speed *= restitution
        flight *= restitution
    return speed * (time - begin) - 0.5 * GRAVITY * (time - begin) ** 2


def thrown_distance(speed, friction, time):
    """Distance travelled by a solid sphere that is thrown along a plane without spin [m]."""
    sliding = np.minimum(time, 2.0 * speed / (7.0 * friction * GRAVITY))
    return speed * sliding - 0.5 * friction * GRAVITY * sliding**2 + 5.0 / 7.0 * speed * (time - sliding)


def order_analysis(runs):
    _, heights, speeds = order_table()
    exact_heights = np.array([bounced_height(h, ORDER_RESTITUTION, ORDER_END) for h in heights])
    distance = thrown_distance(speeds, ORDER_FRICTION, ORDER_END)
    errors = []
    for step in ORDER_STEPS:
        last = last_of(runs[f"step{step * 1e6:g}us"])
        position = last["position"]
        height_errors = position[: len(heights), 2] - RADIUS - exact_heights
        distance_errors = position[len(heights):, 0] - distance
        errors.append([np.sqrt((values**2).mean()) for values in (height_errors, distance_errors)])
    errors, steps = np.array(errors), np.array(ORDER_STEPS)
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    figures = []
    for column, name in enumerate(("bouncing", "sliding, then rolling")):
        order = np.polyfit(np.log(steps), np.log(errors[:, column]), 1)[0]
        figures.append(Figure(f"order of convergence, {name}", order, 1.0, 0.1))
        axes.loglog(1e6 * steps, 1e3 * errors[:, column], "o-", color=COLOURS[column], label=f"{name}: {order:.3f}")
    axes.loglog(1e6 * steps, 1e3 * errors[-1].mean() * steps / steps[-1], "--", color="black", label="order 1")
    axes.set(xlabel="time step [µs]", ylabel="RMS error of the position [mm]")
    return Result(figures, picture)


CASES = [
    Case("impact", "Impacts of pairs and on a plane, at various angles and spins",
         "λ_n = −(1+e) m v_n,  λ_t = −min(μ λ_n, 2/7 m |v_t|) v_t/|v_t|,  m = 1/(1/m_a + 1/m_b), v at the contact",
         "O. R. Walton, R. L. Braun, J. Rheol. 30, 949 (1986); rigid solid spheres, Coulomb friction",
         impact_runs, impact_analysis),
    Case("sliding_to_rolling", "A sphere thrown on a plane",
         "v = v_0 − μ g t until t = 2 v_0/(7 μ g), then rolling at v = 5/7 v_0",
         "A. Sommerfeld, Lectures on Theoretical Physics I: Mechanics, § 27, billiards",
         rolling_runs, rolling_analysis),
    Case("incline", "A sphere on an incline",
         "tan θ ≤ 7/2 μ: rolling, a = 5/7 g sin θ; above: sliding, a = g (sin θ − μ cos θ), r dω/dt = 5/2 μ g cos θ",
         "Newton and Euler's equations of a solid sphere with Coulomb friction",
         incline_runs, incline_analysis),
    Case("stack", "A stack at rest", "force on the floor = n m g; nothing moves", "Statics",
         stack_runs, stack_analysis),
    Case("time_step_order", "Order of convergence in the time step",
         "error of the position at a fixed time ∝ dt",
         "Exact solutions of a bouncing and of a sliding sphere; order of the scheme: V. Acary, B. Brogliato, "
         "Numerical Methods for Nonsmooth Dynamical Systems, Springer (2008), ch. 10",
         order_runs, order_analysis),
]  # fmt: skip
