"""A case of a rotating drum: the slope of beds of polyhedra compared with beds of spheres."""

import numpy as np

import scree.snapshot
from _study.running import Run, metres, seconds
from _validation.case import GRAVITY, Case, Result, within
from scree.figure import COLOURS, plt
from scree.repose import PACKED, drum_angle, drum_of

VOLUME = 5e-3**3  # volume of each body with sharp edges, equal to that of the cubes of drum_cubes.ini [m^3]
FROUDE = 0.02  # ω² R/g: the bed flows all the time, and its surface is straight
FILLED = 0.35  # fraction of the drum that the bed fills; a shallow bed may slide along the mantle as a whole
HALF_ANGLE = 1.33  # half of the angle of the surface's chord at this filling, seen from the axis [rad]
SETTLED, MEASURED = 1.6, 3.0  # rotation of the drum until the slope is steady, and during the measurement [rad]
# Sizes of each shape: the edge (or the diameter of a sphere) over the edge of a cube of the same volume; the box of a
# body at the start, over the edge; the largest distance of a corner from the line that passes through the body's centre
# parallel to the drum, over the edge. The box has space for a cube rotated about x, y or z, an octahedron with edges
# along x and y, or a tetrahedron with edges along the diagonals.
SOLIDS = {
    "sphere": (np.cbrt(6 / np.pi), (1.0, 1.0, 1.0), 0.5),
    "cube": (1.0, 3 * (np.sqrt(2),), np.sqrt(0.75)),
    "octahedron": (np.cbrt(3 / np.sqrt(2)), (1.0, 1.0, np.sqrt(2)), np.sqrt(0.5)),
    "tetrahedron": (np.cbrt(np.sqrt(72)), 3 * (np.sqrt(0.5),), 0.5),
}
SHAPES = tuple(SOLIDS)
GAP = 1.03  # size of a box over the size that the body needs
# Small drum, Coulomb's law, from 1.6 to 4.6 rad: means of three seeds, with standard errors 0.5, 0.4, 0.5. The scatter
# of a seed is pooled over the shapes and over runs with both laws, 12 degrees of freedom (0.8 for Coulomb's law, 1.3
# for maximum dissipation). The scatter of the smallest difference from spheres is pooled from those of the laws, 2.4
# and 1.6.
MEASURED_ANGLES = {"cube": 44.5, "octahedron": 43.9, "tetrahedron": 40.6}  # [°]
SCATTER, ABOVE_SPHERES, SCATTER_ABOVE = 1.1, 15.4, 2.0  # [°]
# Large drum, whose scatter is not measured yet. Two limits were set before the first run: steeper than an incline on
# which a block slides, tan θ = µ, because polyhedra hardly roll; and steeper than spheres.
STEEPEST, STEEPER = 50.0, 5.0  # [°]


def orientations(shape, count, random):
    """Quaternions of bodies in their boxes, [count, 4]."""
    angle, axis = np.zeros(count), np.full(count, 2)
    if shape == "octahedron":
        angle[:] = np.pi / 4
    elif shape != "sphere":
        axis = random.integers(3, size=count)
        angle = random.random(count) * np.pi if shape == "cube" else random.integers(2, size=count) * np.pi / 2
    quaternion = np.zeros((count, 4))
    quaternion[:, 0] = np.cos(0.5 * angle)
    quaternion[np.arange(count), 1 + axis] = np.sin(0.5 * angle)
    return quaternion


def bed(shape, radius, width, seed):
    """Columns of initial.file: bodies in separate boxes, which fill a fraction of a drum about y from below."""
    random = np.random.default_rng(seed)
    size, box, reach = SOLIDS[shape]
    edge = np.cbrt(VOLUME) * size
    box = GAP * edge * np.array(box)
    layers = int(width / box[1])
    x, z = (np.arange(-int(radius / b), int(radius / b) + 1) * b for b in box[[0, 2]])
    z, y, x = (axis.ravel() for axis in np.meshgrid(z, (np.arange(layers) + 0.5) * width / layers, x, indexing="ij"))
    count = round(FILLED * PACKED * np.pi * radius**2 * width / VOLUME)
    rows = np.flatnonzero(np.hypot(x, z) < radius - GAP * reach * edge)[:count]
    assert len(rows) == count, f"{len(rows)} sites for {count} bodies"
    columns = {"x": x[rows], "y": y[rows], "z": z[rows]}
    columns |= {f"v{axis}": random.uniform(-0.1, 0.1, count) for axis in "xyz"}
    if shape == "sphere":
        return columns | {"radius": np.full(count, 0.5 * edge)}
    return columns | {"shape": [shape] * count} | dict(zip(("qw", "qx", "qy", "qz"), orientations(shape, count, random).T))


def drum_options(radius, width):
    """A periodic drum. The end plates are removed at the start, because they would carry a part of the bed."""
    rate = np.sqrt(FROUDE * GRAVITY / radius)
    plates = {"wall.front.removed_at": "1 us", "wall.rear.removed_at": "1 us", "wall.rear.point": metres(0, width, 0)}
    sizes = {f"shape.{shape}.size": metres(np.cbrt(VOLUME) * SOLIDS[shape][0]) for shape in SHAPES[1:]}
    return {
        **plates, **sizes, "shape.octahedron.solid": "octahedron", "shape.octahedron.rounding": "0.3 mm",
        "domain.periodic": "y", "domain.lower": metres(-1.02 * radius, 0.0, -1.02 * radius),
        "domain.upper": metres(1.02 * radius, width, 1.02 * radius), "wall.drum.radius": metres(radius),
        "wall.drum.from": metres(0.0, -width, 0.0), "wall.drum.to": metres(0.0, 2.0 * width, 0.0),
        "wall.drum.angular_velocity": f"0 {rate:.9g} 0 1/s", "time.end": seconds((SETTLED + MEASURED) / rate),
        "output.every": seconds(0.05 / rate),
    }  # fmt: skip


def polyhedra_runs(full):
    sizes = [("", 0.05, 0.034, (1, 2, 3) if full else (1,)), *([("_large", 0.1, 0.08, (1,))] if full else [])]
    return [Run(f"{shape}{size}{seed}", "drum_cubes", {**drum_options(radius, width), "scene.seed": seed},
                bed(shape, radius, width, seed))
            for size, radius, width, seeds in sizes for shape in SHAPES for seed in seeds]  # fmt: skip


def surface_angle(frame, radius):
    """Angle of the free surface of a bed in a drum about y [°].

    It is the slope of a line through the highest centre of each cell, in the middle half of the chord. Cells are as
    wide as the edge of a cube with the volume of a body.
    """
    position = frame["position"]
    cell = np.floor(position[:, :2] / np.cbrt(np.median(frame.volumes))).astype(int)
    order = np.lexsort((position[:, 2], *cell.T))
    is_top = np.append(np.any(np.diff(cell[order], axis=0), axis=1), True)
    x, z = position[order[is_top]][:, ::2].T
    across, down = np.average(position, axis=0, weights=frame.masses)[::2]
    across, down = np.array([across, -down]) / np.hypot(across, down)
    rows = np.abs(x - radius * np.cos(HALF_ANGLE) * across) < 0.5 * radius * np.sin(HALF_ANGLE) * down
    return float(np.degrees(np.arctan(abs(np.polyfit(x[rows], z[rows], 1)[0]))))


def angles(run):
    """Rotation of the drum [rad], angles of the surface and of the centre of mass [°] in the snapshots, [3, K]."""
    radius, rate = run.number("wall.drum", "radius"), run.numbers("wall.drum", "angular_velocity")[1]
    frames = [scree.snapshot.read_snapshot(path) for path in run.snapshots]
    table = [(rate * frame.time, surface_angle(frame, radius), drum_angle(frame, drum_of(frame))) for frame in frames]
    return np.array(table).T


def within_scatter(mean, scatter, seeds):
    """The interval mean ± three standard errors of the mean over `seeds` runs [°]."""
    width = 3.0 * scatter / np.sqrt(seeds)
    return mean - width, mean + width


def band(kind, seeds, sliding_angle):
    """Allowed angles of a shape [°]."""
    return (sliding_angle, STEEPEST) if "_" in kind else within_scatter(MEASURED_ANGLES[kind], SCATTER, seeds)


def polyhedra_analysis(runs):
    picture, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    means = {}  # shape and size -> mean angles of surface and centre of mass of each run
    for name, run in runs.items():
        kind = name.rstrip("0123456789")
        shape, is_large = SHAPES.index(kind.split("_")[0]), "_" in kind
        rotation, *both_angles = angles(run)
        means.setdefault(kind, []).append([angle[rotation > SETTLED].mean() for angle in both_angles])
        if len(means[kind]) == 1 and not is_large:
            axes[0].plot(rotation, both_angles[0], color=COLOURS[shape], linewidth=0.9, label=kind)
        axes[1].plot(shape, means[kind][-1][0], "s" if is_large else "o", color=COLOURS[shape])
    sliding_angle = np.degrees(np.arctan(run.number("contact", "friction")))
    axes[0].axvspan(SETTLED, SETTLED + MEASURED, color="0.95")
    axes[0].set(xlabel="rotation of the drum [rad]", ylabel="angle of the surface [°]", ylim=(0, 70))
    axes[1].axhline(sliding_angle, color="0.5", linestyle="--", label="arctan µ")
    axes[1].set(xticks=range(len(SHAPES)), xticklabels=SHAPES, ylabel="mean of each run [°]", ylim=(0, 70))
    mean = {kind: np.mean(values, axis=0) for kind, values in means.items()}
    polyhedra = {kind: value[0] for kind, value in mean.items() if not kind.startswith("sphere")}
    figures = [
        within(f"{kind.replace('_', ', ')}: angle of the surface", angle, *band(kind, len(means[kind]), sliding_angle), "°")
        for kind, angle in polyhedra.items()
    ]
    for size in dict.fromkeys(kind.partition("_")[2] for kind in polyhedra):
        ending = f"_{size}" if size else ""
        smallest = min(mean[shape + ending][0] for shape in SHAPES[1:]) - mean["sphere" + ending][0]
        seeds = len(means["sphere" + ending])
        limits = (STEEPER, STEEPEST) if size else within_scatter(ABOVE_SPHERES, SCATTER_ABOVE, seeds)
        figures.append(within(f"polyhedra less spheres, the smallest{', large' * bool(size)}", smallest, *limits, "°"))
    errors = [f"{kind} {np.std(values, axis=0, ddof=1)[0] / np.sqrt(len(values)):.1f}°"
              for kind, values in means.items() if len(values) > 1]  # fmt: skip
    note = (
        "The source has the order of the shapes, but no angle of these solids; a block slides at arctan µ. Bands of the "
        f"small drum are means of seeds 1 to 3 of this program, ± 3 standard errors of a mean ({SCATTER:g}° is the "
        "scatter of a seed). They detect changes and are not laws. Bands of the large drum, arctan µ to "
        f"{STEEPEST:g}°, and at least {STEEPER:g}° above spheres, were chosen before the first run. Spheres, at "
        f"{mean['sphere'][0]:.1f}°, roll on the smooth mantle, which is a part of the difference. "
        f"Bodies of one volume and friction in an endless drum at ω² R/g = {FROUDE:g}; the large drum has twice the "
        "radius. The surface is a line through the highest centres in the middle half of its chord. The angle of the "
        "line from the axis to the centre of mass is "
        + ", ".join(f"{value[1]:.1f}° ({kind.replace('_', ', ')})" for kind, value in mean.items())
        + (f". Standard errors over the seeds: {', '.join(errors)}." if errors else ".")
    )  # fmt: skip
    return Result(figures, picture, note)


CASES = [
    Case("drum_polyhedra", "Slope of polyhedra in a turning drum",
         "tan θ > µ of polyhedra, which slide rather than roll; steeper than spheres",
         "E. Azéma, Y. Descantes, N. Roquet, J.-N. Roux, F. Chevoir, Phys. Rev. E 86, 031303 (2012)",
         polyhedra_runs, polyhedra_analysis),
]  # fmt: skip
