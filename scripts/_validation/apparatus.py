"""Cases of apparatus: a triaxial press, a shaken box, a mixer, a heap of cohesive grains."""

import numpy as np

import scree.mixing
import scree.snapshot
from _study.running import Run
from _validation.case import GRAVITY, Case, Figure, Result, density_of, last_of, within
from _validation.piles import RING
from scree.figure import COLOURS, plt
from scree.repose import depth_profile

# ---- a triaxial press

STRAIN = 0.25  # smallest axial strain at the end
WINDOW = 0.01  # strain over which stress ratios are averaged


def triaxial_runs(full):
    options = {"time.end": "0.65 s"} if full else {}
    return [Run("dense", "triaxial", options), Run("loose", "triaxial", {**options, "contact.friction": 1})]


def triaxial_curve(run):
    """(axial strain, stress ratio, volume strain, solid fraction, pressure ratio) of a run.

    The first four are [K], for the rows of the series from the start of the compression on; compression is positive.
    The pressure ratio is the mean ratio of the load on the sides to its target.
    """
    column = run.columns
    begin, rate = run.number("wall.floor", "moves_from"), run.numbers("wall.floor", "velocity")[2]
    rows = run.is_from(begin)
    time = column["time"][rows]

    def travel(*walls):
        return sum(column[f"wall_{wall}_travel"][rows] for wall in walls)

    def load(*walls):
        return -sum(column[f"wall_{wall}_load"][rows] for wall in walls)

    width = run.numbers("wall.right", "point")[0] - travel("left", "right")
    depth = run.numbers("wall.rear", "point")[1] - travel("front", "rear")
    height = run.numbers("wall.top", "point")[2] - travel("top") - rate * (time - begin)
    axial = -column["wall_floor_force_z"][rows] / (width * depth)
    lateral = load("left", "right", "front", "rear") / (2.0 * height * (width + depth))
    volume = width * depth * height
    grains = scree.snapshot.read_snapshot(run.snapshots[0]).volumes.sum()
    pressure_ratio = load("left", "right", "front", "rear")[1:].mean() / (
        4.0 * run.number("wall.left", "pressure") * run.number("wall.left", "area")
    )
    return np.log(height[0] / height), axial / lateral, np.log(volume[0] / volume), grains / volume, pressure_ratio


def windows(strain, values):
    """Middles of the windows of strain, [L], and means of the values over the windows, [L]."""
    number = (strain / WINDOW).astype(int)
    number[0] = -1  # the first row belongs to the preparation
    numbers = np.arange(number.max())  # without the last window, which is incomplete
    return (numbers + 0.5) * WINDOW, np.array([values[number == k].mean() for k in numbers])


def triaxial_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    plateau, peak, ends, fractions, figures = {}, {}, {}, {}, []
    for colour, (name, run) in zip(COLOURS, runs.items()):
        strain, ratio, volume, fraction, pressure_ratio = triaxial_curve(run)
        middles, means = windows(strain, ratio)
        plateau[name] = means[middles > 0.2].mean()
        peak[name] = means[middles < 0.1].max()
        ends[name], fractions[name] = volume[-1], fraction[strain > 0.2].mean()
        label = f"{name}, {fraction[0]:.3f} at first"
        axes[0].plot(middles, means, color=colour, label=label)
        axes[1].plot(strain, -volume, color=colour, label=label)
        figures += [
            within(f"axial strain at the end, {name}", strain[-1], STRAIN, 0.5),
            Figure(f"mean load of the sides over pressure times area, {name}", pressure_ratio, 1.0, 0.01),
        ]
    axes[0].set(xlabel="axial strain", ylabel="axial over lateral stress", ylim=(1.0, 3.0))
    axes[1].set(xlabel="axial strain", ylabel="dilation")
    figures += [
        within("dense: largest stress ratio over that of the plateau", peak["dense"] / plateau["dense"], 1.1, 1.8),
        within("loose: the same ratio, up to a strain of 0.1", peak["loose"] / plateau["loose"], 0.6, 1.02),
        within("dense: dilation at the end", -ends["dense"], 0.03, 0.12),
        within("loose: contraction at the end", ends["loose"], 0.01, 0.06),
        within("stress ratio of the plateau, dense over loose", plateau["dense"] / plateau["loose"], 0.9, 1.1),
        Figure("solid fraction of the plateau, dense less loose", fractions["dense"] - fractions["loose"], 0.0, 0.015),
    ]  # fmt: skip
    note = (
        "The law is qualitative: a dense packing has a peak and dilates, a loose one contracts without a peak, and both "
        f"reach the same stress ratio and solid fraction, the critical state. Ratios are means over windows of strain of "
        f"{WINDOW:g}; the plateau begins at a strain of 0.2. The packings are nine spheres wide, between smooth plates."
    )
    return Result(figures, picture, note)


# ---- Brazil nuts


# Mean height of the large grains over that of the small grains in the last fifth of the run: the mean of seeds 1 to 8,
# plus and minus three standard errors of a mean of three seeds. Single seeds scatter by 0.15.
HEIGHT_RATIO = (1.32, 1.84)


def nut_runs(full):
    options = {} if full else {"time.step": "50 us"}
    return [Run(f"box{seed}", "vibrated_box", {**options, "scene.seed": seed}) for seed in (1, 2, 3)]


def nut_heights(run):
    """(times [s], mean heights of the large and of the small grains above the lowest grain [m])."""
    times, nuts, beads = [], [], []
    for path in run.snapshots:
        frame = scree.snapshot.read_snapshot(path)
        is_nut = frame["material"] == list(frame.materials).index("nut")
        height = frame["position"][:, 2] - frame["position"][:, 2].min()  # the box oscillates
        times.append(frame.time)
        nuts.append(height[is_nut].mean())
        beads.append(height[~is_nut].mean())
    return np.array(times), np.array(nuts), np.array(beads)


def nut_analysis(runs):
    first, last = [], []
    picture, axes = plt.subplots(figsize=(6.5, 4.2))
    for k, run in enumerate(runs.values()):
        times, nuts, beads = nut_heights(run)
        axes.plot(times, 1e3 * nuts, color=COLOURS[0], label="large" if k == 0 else None)
        axes.plot(times, 1e3 * beads, color=COLOURS[1], label="small" if k == 0 else None)
        first.append(nuts[0] / beads[0])
        last.append((nuts / beads)[times >= 0.8 * times[-1]].mean())
    axes.set(xlabel="time [s]", ylabel="mean height [mm]")
    figures = [
        within("mean height of the large over that of the small at first", np.mean(first), 0.0, 0.5),
        within("that ratio in the last fifth of the time", np.mean(last), *HEIGHT_RATIO),
    ]
    note = (
        "The law is qualitative: large grains start at the floor and rise above the small ones, a ratio above 1. The "
        f"band {HEIGHT_RATIO[0]:g} to {HEIGHT_RATIO[1]:g} is the mean of eight seeds of this program, ± 3 times the "
        "scatter of a mean of three. It detects changes and is not a law. While large grains rise, runs differ "
        f"by a quarter. Ratios of the {len(runs)} runs at the end: {', '.join(f'{height:.2f}' for height in last)}."
    )
    return Result(figures, picture, note)


# ---- a mixer


def mixer_runs(full):
    """Larger grains, half as many as in the scene, and faster paddles: mixing reaches the limit sooner."""
    rpm, end = (90, "6 s") if full else (150, "2.2 s")
    options = {"time.step": "50 us", "time.end": end}
    for wall in ("shaft", "paddle_one", "paddle_two"):
        options[f"wall.{wall}.motion"] = f"time_s 0 0.15 0.35, rate_rpm 0 0 {rpm}"
    for fill in ("below", "above"):
        options |= {f"fill.{fill}.spacing": "2.9 mm", f"fill.{fill}.radius": "1.25 mm"}
    return [Run("mixer", "blade_mixer", options)]


def mixer_analysis(runs):
    mixing = scree.mixing.over_time(scree.snapshot.read_frames(runs["mixer"].snapshots, scree.mixing.FIELDS))
    picture = scree.mixing.figure_of({"": mixing})
    index = mixing.index
    figures = [
        within("Lacey's index at first", index[0], -0.1, 0.2),
        within("Lacey's index at the end", index[-1], 0.85, 1.03),
        within("largest fall of the index from one frame to the next", np.max(-np.diff(index)), -1.0, 0.05),
        within("fraction of the index's growth that is in the last third", (index[-1] - index[2 * len(index) // 3]) / (index[-1] - index[0]), -0.05, 0.25),
    ]  # fmt: skip
    note = "Two layers that differ in colour alone; a random mixture has the value 1."
    return Result(figures, picture, note)


# ---- a wet heap

PULL_OFF_FORCES = (0.0, 3e-4, 1e-3)  # [N]


def wet_runs(full):
    options = {} if full else {"time.step": "50 us", "time.end": "1.3 s", "inflow.rain.end": "1 s"}
    return [Run(f"pull{1e3 * pull:g}mN", "wet_heap", {**options, "contact.cohesion": f"{pull:g} N"}) for pull in PULL_OFF_FORCES]


def heap_on_plate(run):
    """(distances from the middle of the plate [m], mean depths of the heap at them [m])."""
    last = last_of(run)
    plate, top = run.number("wall.plate", "radius"), run.numbers("wall.plate", "to")[2]
    position = last["position"]
    is_on_plate = (np.hypot(*position[:, :2].T) < plate) & (position[:, 2] > top)
    return depth_profile(last, plate, RING, is_on_plate)


def heap_slope(radius, depth):
    """-dh/dr between 15 and 85 % of the height.

    The innermost rings, which contain few grains, and the outermost ring, which extends beyond the plate, are left out.
    """
    top = depth[:3].max()
    rows = (depth > 0.15 * top) & (depth < 0.85 * top)
    rows[:3] = rows[-1] = False
    return -np.polyfit(radius[rows], depth[rows], 1)[0]


def wet_analysis(runs):
    bonds, angles = [], []
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    for colour, (pull, run) in zip(COLOURS, zip(PULL_OFF_FORCES, runs.values())):
        radius, depth = heap_on_plate(run)
        slope = heap_slope(radius, depth)
        weight = density_of(run) * 4.0 / 3.0 * np.pi * run.number("inflow.rain", "radius") ** 3 * GRAVITY
        bonds.append(pull / weight)
        angles.append(np.degrees(np.arctan(slope)))
        axes[0].plot(1e3 * radius, 1e3 * depth, color=colour, label=f"Bo = {bonds[-1]:.1f}: {angles[-1]:.1f}°")
    axes[0].set(xlabel="distance from the axis [mm]", ylabel="depth [mm]")
    axes[1].plot(bonds, angles, "o-", color=COLOURS[0], label="measured")
    axes[1].set(xlabel="Bond number", ylabel="slope of the flank [°]")
    figures = [
        within("smallest growth of the angle from one Bond number to the next", np.diff(angles).min(), 0.5, 60.0, "°"),
        within("angle without cohesion", angles[0], 10.0, 30.0, "°"),
    ]
    note = "The Bond number is the pull that separates two grains, divided by the weight of one grain."
    return Result(figures, picture, note)


CASES = [
    Case("triaxial", "A dense and a loose packing in a triaxial press", "dense: peak and dilation; loose: contraction; one critical state",
         "A. Casagrande, J. Boston Soc. Civ. Eng. 23, 13 (1936); C. Thornton, Géotechnique 50, 43 (2000)",
         triaxial_runs, triaxial_analysis),
    Case("brazil_nut", "Large grains in a box that shakes", "large ones rise",
         "A. Rosato, K. J. Strandburg, F. Prinz, R. H. Swendsen, Phys. Rev. Lett. 58, 1038 (1987)", nut_runs, nut_analysis),
    Case("mixer", "Two layers in a mixer", "M = (s_0² − s²)/(s_0² − s_r²) grows to 1",
         "P. M. C. Lacey, J. Appl. Chem. 4, 257 (1954)", mixer_runs, mixer_analysis),
    Case("wet_heap", "Angle of repose of grains that cling", "the angle grows with the granular Bond number",
         "S. T. Nase, W. L. Vargas, A. A. Abatan, J. J. McCarthy, Powder Technol. 116, 214 (2001)", wet_runs, wet_analysis),
]  # fmt: skip
