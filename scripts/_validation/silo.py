"""Cases of silos: the load on the floor, and the discharge."""

import numpy as np

from _study.measures import select_rows, force_on, rate
from _study.running import Run, metres
from _validation.case import GRAVITY, Case, Figure, Result, relative, within
from scree.figure import COLOURS, plt

RADIUS = 1e-3  # radius of the spheres in silo.ini [m]
DENSITY = 2500.0  # density of the material in silo.ini [kg/m^3]
SPHERE_MASS = 4.0 / 3.0 * np.pi * RADIUS**3 * DENSITY  # [kg]
AFTER_THE_END = "1000 s"  # a time that no run reaches

# ---- load on the floor

PIPE = 10e-3  # radius [m]
PIPE_SPEED = 20e-3  # upwards [m/s]
FILL_LOWER = 21e-3  # lower end of the fills [m]
LAYERS = (8, 16, 24, 36, 48, 64, 80)  # numbers of layers of 6 x 6 spheres
SPACING = 2.2e-3  # [m]


def janssen_runs(full):
    settle, measure = (0.3, 2.0) if full else (0.3, 0.4)  # [s]
    layers = (*LAYERS, 110) if full else LAYERS[:-1]
    side = 3.0 * SPACING
    runs = []
    for count in layers:
        options = {
            "wall.pipe.radius": metres(PIPE), "wall.pipe.from": "0 0 -100 mm", "wall.pipe.to": "0 0 400 mm",
            "wall.floor.hole": "0.4 mm", "wall.gate.removed_at": AFTER_THE_END,
            "wall.pipe.velocity": metres(0, 0, PIPE_SPEED).replace(" m", " m/s"), "domain.lower": "-25 -25 -1 mm",
            "domain.upper": metres(0.025, 0.025, FILL_LOWER + count * SPACING + 0.02), "fill.spacing": metres(SPACING),
            "fill.lower": metres(-side, -side, FILL_LOWER), "fill.upper": metres(side, side, FILL_LOWER + count * SPACING),
            "time.step": "50 us", "time.end": f"{settle + measure:g} s", "output.every": f"{settle + measure:g} s",
            "output.log_every": "1 ms",
        }  # fmt: skip
        runs.append(Run(f"layers{count}", "silo", options))
    return runs


SETTLED = 0.3  # time from which loads are averaged [s]


def saturation(filled, carried):
    """(M, R^2) of the least-squares fit carried = M (1 - exp(-filled/M)).  filled, carried: [K] [kg]"""
    def law(limit):
        return limit * (1.0 - np.exp(-filled / limit))

    limits = np.geomspace(0.05, 20.0, 4001) * filled.max()
    squares = [((carried - law(limit)) ** 2).sum() for limit in limits]
    best = limits[int(np.argmin(squares))]
    return best, 1.0 - min(squares) / ((carried - carried.mean()) ** 2).sum()


def janssen_analysis(runs):
    filled, carried, error = [], [], []
    for run in runs.values():
        is_settled = run.is_after(SETTLED)
        load = -force_on(run.columns, "z", "floor", "gate")[is_settled] / GRAVITY
        filled.append(run.columns["particles"][-1] * SPHERE_MASS)
        carried.append(load.mean())
        blocks = load[: len(load) // 10 * 10].reshape(10, -1).mean(axis=1)
        error.append(blocks.std(ddof=1) / np.sqrt(10))
    filled, carried = np.array(filled), np.array(carried)
    limit, fit = saturation(filled, carried)
    picture, axes = plt.subplots(1, 1, figsize=(6.5, 4.2))
    fine = np.linspace(0.0, 1.05 * filled.max(), 200)
    axes.errorbar(1e3 * filled, 1e3 * carried, 1e3 * np.array(error), fmt="o", color=COLOURS[0], markersize=5,
                  label="measured, standard error")
    axes.plot(1e3 * fine, 1e3 * limit * (1.0 - np.exp(-fine / limit)), color=COLOURS[1],
              label=f"fit, M = {1e3 * limit:.3g} g, R² = {fit:.4f}")
    axes.plot(1e3 * fine, 1e3 * fine, "--", color="black", linewidth=0.8, label="all of the weight")
    axes.set(xlabel="filled mass [g]", ylabel="mass that the floor carries [g]", ylim=(0, 2e3 * limit))
    length = limit / (0.6 * DENSITY * np.pi * PIPE**2)
    note = (
        f"The pipe is drawn upwards at {1e3 * PIPE_SPEED:g} mm/s, so that friction is mobilised all along it and pulls "
        f"the pipe downwards. With a solid fraction of 0.6 the fit's length is {length / PIPE:.2f} radii of "
        f"the pipe, so that K μ = {PIPE / (2 * length):.2f} by λ = R/(2 K μ)."
    )
    return Result([within("R² of the exponential law", fit, 0.99, 1.0)], picture, note)


# ---- discharge

HOLES = (5.0, 6.0, 8.0, 10.0)  # diameter of the orifice over diameter of a sphere
BEVERLOO_K = 1.4
FILLING_TEST_HOLE = 8.0  # orifice with which the dependence on the filling is measured
# Seeds of the fillings for each orifice. Flow through narrow orifices comes in bursts: seven discharges of 1.5 s
# through the narrowest orifice scatter by 3 %, which changes the exponent by 0.03. So several discharges are averaged.
FILLINGS = {5.0: (1, 2, 3), 6.0: (1,), 8.0: (1, 2, 3), 10.0: (1,)}
DURATIONS = {5.0: 1.5, 6.0: 1.0, 8.0: 0.6, 10.0: 0.4}  # [s]


def beverloo_runs(full):
    """A silo settles once for each seed. From this state, orifices of all sizes are opened."""
    layers, pipe = (72, 24e-3) if full else (48, 20e-3)
    side = np.floor(pipe / np.sqrt(2.0) / 2.1e-3) * 2.1e-3
    common = {
        "wall.pipe.radius": metres(pipe), "wall.floor.radius": metres(pipe + 1e-3),
        "domain.lower": metres(-pipe - 1e-3, -pipe - 1e-3, 0.0),
        "domain.upper": metres(pipe + 1e-3, pipe + 1e-3, 0.2),
        "fill.lower": metres(-side, -side, FILL_LOWER), "fill.upper": metres(side, side, FILL_LOWER + layers * 2.1e-3),
        "time.step": "50 us",
    }  # fmt: skip
    settle = {"wall.gate.removed_at": AFTER_THE_END, "wall.floor.hole": metres(HOLES[0] * RADIUS), "time.end": "0.35 s",
              "output.every": "0.35 s"}  # fmt: skip
    seeds = sorted({seed for filling in FILLINGS.values() for seed in filling})
    runs = [Run(f"settle{seed}", "silo", {**common, **settle, "scene.seed": seed}) for seed in seeds]
    for hole in HOLES:
        end = DURATIONS[hole] * (2.0 if full else 1.0)
        options = {
            "wall.floor.hole": metres(hole * RADIUS), "wall.gate.radius": metres(hole * RADIUS),
            "wall.gate.removed_at": "50 us", "time.end": f"{end:g} s", "output.every": f"{end:g} s",
            "output.log_every": "2 ms", "average.outflow.from": "0 s",
        }  # fmt: skip
        runs += [Run(f"hole{hole:g}_{seed}", "silo", {**common, **options, "scene.seed": seed}, after=f"settle{seed}")
                 for seed in FILLINGS[hole]]  # fmt: skip
    return runs


def steady_rows(run):
    """The rows of the series with steady flow, while the filling is high above the orifice.

    Flow starts in the first tenth of a second. Below half of the filling the surface may come near the orifice.
    """
    count = run.columns["particles"]
    return select_rows(run.columns, run.is_after(0.1) & (count > 0.5 * count[0]))


def low_over_high(columns):
    """Discharge in the lower half of the range of the filling, over the discharge in the upper half."""
    count = columns["particles"]
    high = count > 0.5 * (count[0] + count[-1])
    return rate(columns, "particles", ~high) / rate(columns, "particles", high)


def exponent(holes, rates, k):
    """(b, ln a) of W = a (D/d - k)^b, by least squares of the logarithms.  holes: D/d [K];  rates: W [K]"""
    return np.polyfit(np.log(holes - k), np.log(rates), 1)


def beverloo_analysis(runs):
    holes, rates = np.array(HOLES), []
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    for colour, hole in zip(COLOURS, HOLES):
        discharges = [runs[f"hole{hole:g}_{seed}"] for seed in FILLINGS[hole]]
        rates.append(SPHERE_MASS * np.mean([-rate(steady_rows(run), "particles") for run in discharges]))
        series, steady_series = discharges[0].columns, steady_rows(discharges[0])
        time, count = steady_series["time"], steady_series["particles"]
        axes[0].plot(series["time"], series["particles"], color=colour, label=f"D = {hole:g} d")
        axes[0].plot(time, np.polyval(np.polyfit(time, count, 1), time), "--", color="black", linewidth=0.8)
    rates = np.array(rates)
    power, constant = exponent(holes, rates, BEVERLOO_K)
    ratios = [low_over_high(steady_rows(runs[f"hole{FILLING_TEST_HOLE:g}_{seed}"])) for seed in FILLINGS[FILLING_TEST_HOLE]]
    axes[0].set(xlabel="time [s]", ylabel="spheres in the silo", title="dashed: fits")
    fine = np.linspace(holes.min() - 0.3, holes.max() + 0.3, 50)
    axes[1].loglog(holes - BEVERLOO_K, 1e3 * rates, "o", color=COLOURS[0], label="measured")
    axes[1].loglog(fine - BEVERLOO_K, 1e3 * np.exp(constant) * (fine - BEVERLOO_K) ** power, color=COLOURS[1],
                   label=f"fit, exponent {power:.3f}")
    middle_rate = np.exp(np.log(rates).mean() - 2.5 * np.log(holes - BEVERLOO_K).mean())
    axes[1].loglog(fine - BEVERLOO_K, 1e3 * middle_rate * (fine - BEVERLOO_K) ** 2.5, "--", color="black",
                   label="exponent 5/2")
    axes[1].set(xlabel=f"D/d − {BEVERLOO_K:g}", ylabel="mass rate [g/s]")
    factor = middle_rate / (0.6 * DENSITY * np.sqrt(GRAVITY) * (2.0 * RADIUS) ** 2.5)
    figures = [
        Figure("exponent of the mass rate", power, 2.5, 0.1),
        relative(f"rate with a low filling over that with a high one, D = {FILLING_TEST_HOLE:g} d", np.mean(ratios), 1.0, 0.05),
    ]
    note = (
        f"k = {BEVERLOO_K:g}, as Beverloo found for round grains. The rate of the narrowest orifice is the mean of "
        f"{len(FILLINGS[HOLES[0]])} fillings. With the bulk density at a solid fraction of 0.6 the "
        f"factor C is {factor:.3f} (0.55 to 0.65 in the literature). High and low are the halves of the range "
        f"of fillings in the steady part of a discharge; the {len(ratios)} ratios: {', '.join(f'{ratio:.2f}' for ratio in ratios)}."
    )
    return Result(figures, picture, note)


CASES = [
    Case("janssen_silo", "Load on the floor of a silo", "carried mass = M (1 − exp(−m/M))",
         "H. A. Janssen, Z. Ver. Dtsch. Ing. 39, 1045 (1895); with a moving wall: Y. Bertho, F. Giorgiutti-Dauphiné, "
         "J.-P. Hulin, Phys. Rev. Lett. 90, 144301 (2003)",
         janssen_runs, janssen_analysis),
    Case("beverloo_discharge", "Discharge of a silo", "W = C ρ √g (D − k d)^(5/2), for any height of the filling",
         "W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15, 260 (1961)",
         beverloo_runs, beverloo_analysis),
]  # fmt: skip
