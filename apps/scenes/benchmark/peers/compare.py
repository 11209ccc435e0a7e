#!/usr/bin/env python3
"""Scree, LAMMPS and Yade continue from the same frame of a run, in turns; prints medians of the rounds as a table.

    compare.py SNAPSHOT --output DIR --figure "above=sum(z > 0.04)" SETTING ...

A setting is CODE:MODEL@TIME. CODE:MODEL is `scree:auto`, `scree:50 us` (the step), `lammps:linear:1000` (stiffness
[N/m]), `lammps:hertz:5e6` (Young's modulus [Pa]; several with commas, one for each material) or `yade:hertz:5e6`. TIME
is the simulated time [s]; `x2` after it means two ranks: `lammps:linear:1000@0.05x2`. Steps of LAMMPS and Yade are 1/20
of the contact time. With Hertz this is the time of an impact at 1 m/s, and a step is also at most 1/5 of the Rayleigh
time.
Friction and restitution are those of the scene; if it has no rebound, LAMMPS and Yade have a restitution of 0.5.

Times are processor times per rank and simulated second. The overlap of a frame is the largest one, relative to the
smaller radius; printed are the mean and the largest of all frames except the first. A figure is an expression of numpy
over x, y, z, radius and type of the spheres, printed for the first and the last frame.
"""

import argparse
import itertools
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash")

import numpy as np
import scipy.spatial
import scree.configuration
import scree.directory
import scree.export.lammps_data
import scree.snapshot

FRAMES = 5  # after the first
NU = 0.2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshot", type=pathlib.Path)
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--figure", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/scree-run"))
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    frame = scree.snapshot.read_snapshot(args.snapshot)
    scree.export.lammps_data.write([frame], args.output / "start")
    start_path = args.output / f"start_{frame.step:012d}"
    measured = {setting: [] for setting in args.settings}
    for number, setting in itertools.product(range(args.rounds), args.settings):
        code, model, time, ranks = parse_setting(setting)
        out = args.output / f"{setting.translate(str.maketrans(':@, ', '____'))}_{number}"
        commands = {"scree": scree_command, "lammps": lammps_command, "yade": yade_command}
        command, step, frames = commands[code](args, frame, start_path, model, time, out)
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        seconds, memory = processor_time(command, f"{out}.log")
        frames_of_run = list(frames())
        measured[setting].append((seconds / ranks / time, memory, step, *overlaps(frames_of_run[1:]),
                                  *evaluate_figures(args.figure, [frames_of_run[0], frames_of_run[-1]])))  # fmt: skip
        print("#", setting, *(f"{value:.6g}" for value in measured[setting][-1]), flush=True)
    names = [name.partition("=")[0] for name in args.figure]
    print("setting,seconds_per_second,memory_MB,step_us,mean_overlap_percent,greatest_overlap_percent,ratio_to_first,"
          "lowest_ratio,highest_ratio", *(f"{name}_{end}" for end in ("first", "last") for name in names), sep=",")
    for setting, rows in measured.items():
        medians = [statistics.median(column) for column in zip(*rows)]
        ratios = [row[0] / first[0] for row, first in zip(rows, measured[args.settings[0]])]
        print(f'"{setting}"', *(f"{value:.5g}" for value in (
            *medians[:5], statistics.median(ratios), min(ratios), max(ratios), *medians[5:])), sep=",")  # fmt: skip
    return 0


def parse_setting(setting):
    head, _, tail = setting.partition("@")
    time, _, ranks = tail.partition("x")
    code, _, model = head.partition(":")
    return code, model, float(time), int(ranks or 1)


def processor_time(command, log):
    """(user and system time [s], largest memory of a process [MB]) of a command with its children, by GNU time."""
    with open(log, "w", encoding="utf-8") as file:
        timed = ["nice", "/usr/bin/time", "-f", "%U %S %M", "-o", f"{log}.time", *command]
        if subprocess.run(timed, stdout=file, stderr=file).returncode:
            raise SystemExit(f"{' '.join(command)} failed; see {log}")
    user, system, memory = map(float, pathlib.Path(f"{log}.time").read_text(encoding="utf-8").split())
    return user + system, memory / 1024


# ---- the codes: functions that return a command, its step [us] and a function that yields (radius, position [N, 3], type)

def scree_command(args, frame, _, model, time, out):
    scene = scree.configuration.parsed(frame.configuration)
    for wall in frame.walls:
        if not wall.is_there:
            scene.remove_section(f"wall.{wall.name}")
        else:
            scene[f"wall.{wall.name}"]["moves_from"] = "0 s"  # time starts again
    removed_sections = ("fill", "inflow", "average", "checkpoint")
    for section in [name for name in scene.sections() if name.split(".")[0] in removed_sections]:
        scene.remove_section(section)
    changes = {"time": {"step": model, "end": f"{time:.17g} s"}, "initial": {"file": args.snapshot.resolve()},
               "output": {"directory": out, "every": f"{time / FRAMES:.17g} s", "log_every": f"{time / FRAMES:.17g} s",
                          "overwrite": "yes"}}  # fmt: skip
    for section, keys in changes.items():
        if section not in scene:
            scene.add_section(section)
        for key, value in keys.items():
            scene[section][key] = str(value)
    if model != "auto":
        scene.remove_option("time", "accuracy")
    path = f"{out}.ini"
    with open(path, "w", encoding="utf-8") as file:
        file.write(scree.configuration.text({name: scene[name] for name in scene.sections()}))

    def frames():
        for frame_of_run in scree.snapshot.read_frames(scree.directory.snapshots_of([out])):
            yield frame_of_run["radius"], frame_of_run["position"], frame_of_run["material"] + 1
    step = math.nan if model == "auto" else 1e6 * scree.configuration.time_step(scene)
    return [args.program, path, "--quiet"], step, frames


def contact_law(frame, a, b, default):
    """Friction and restitution (or `default`) of two materials. b = None: with the walls, which share one material."""
    scene = scree.configuration.parsed(frame.configuration)
    if b is None:
        b = next((scene[f"wall.{wall.name}"].get("material") for wall in frame.walls if wall.is_there), a)
    sections = [scene[name] for name in (f"pair.{a}.{b}", f"pair.{b}.{a}", "contact") if name in scene]
    mu, e = (float(next((keys[key] for keys in sections if key in keys), "0")) for key in ("friction", "restitution"))
    return mu, e if e > 0.0 else default


def lammps_command(args, frame, start_path, model, time, out):
    kind, _, values = model.partition(":")
    materials = np.unique(frame["material"])
    mass = {k: frame.masses[frame["material"] == k].min() for k in materials}
    radius = {k: frame["radius"][frame["material"] == k].min() for k in materials}
    stiffness = {k: float(value) for k, value in zip(materials, itertools.cycle(values.split(",")))}
    models, steps = {}, []
    for a, b in [*itertools.combinations_with_replacement(materials, 2), (materials[0], None)]:
        mu, e = contact_law(frame, frame.materials[a], None if b is None else frame.materials[b], 0.5)
        reduced = mass[a] if b is None else mass[a] * mass[b] / (mass[a] + mass[b])
        if kind == "linear":
            damping = -math.log(e) / math.hypot(math.pi, math.log(e))
            omega = math.sqrt(stiffness[a] / reduced)
            models[a, b] = linear_coefficients(stiffness[a], 2.0 * damping * omega, mu)
            steps.append(math.pi / omega / math.sqrt(1.0 - damping**2) / 20.0)
        else:
            models[a, b] = (f"hertz/material {stiffness[a]:g} {e:g} {NU} tangential mindlin NULL 0.5 {mu:g} "
                            "damping tsuji",) * 2  # fmt: skip
            steps.append(hertz_step(reduced, radius[a], stiffness[a], frame.densities[a]))
    dt, step_count, every = plan_steps(min(steps), time)
    uses_hooke = kind == "linear" and len(materials) == 1  # a faster style is sufficient
    style = f"gran/hooke/history {models[materials[0], materials[0]][0]}" if uses_hooke else "granular"
    wall = models[materials[0], None]
    coefficients = "pair_coeff * *\n" if uses_hooke else "".join(
        f"pair_coeff {a + 1} {b + 1} {text}\n" for (a, b), (_, text) in models.items() if b is not None)
    unused = set(range(len(frame.materials))) - set(materials)
    if not uses_hooke and unused:  # LAMMPS requires coefficients of all types
        coefficients = f"pair_coeff * * {models[materials[0], materials[0]][1]}\n{coefficients}"
    path = pathlib.Path(f"{out}.coefficients")
    path.write_text(coefficients, encoding="utf-8")
    dump = f"{out}.dump"
    variables = {"boundary": " ".join("p" if periodic else "f" for periodic in frame.periodic), "start": start_path,
                 "skin": 0.5 * min(radius.values()), "pair": style, "coefficients": path,
                 "wall_model": f"hooke/history {wall[0]}" if uses_hooke else f"granular {wall[1]}", "dt": dt,
                 "steps": step_count, "every": every, "out": dump}  # fmt: skip
    words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
    return ["lmp", "-in", str(HERE / "flow.lammps"), "-log", "none", *words], 1e6 * dt, lambda: read_dump(dump)


def linear_coefficients(k, gamma, mu):
    """Coefficients of one law for the style gran/hooke/history, and for the style granular."""
    return (f"{k:g} {2 * k / 7:g} {gamma:g} {gamma / 2:g} {mu:g} 1",
            f"hooke {k:g} {gamma:g} tangential linear_history {2 * k / 7:g} 0.5 {mu:g} damping mass_velocity")


def hertz_step(reduced, radius, young, density):
    effective = young / (2.0 * (1.0 - NU**2))
    contact = 2.87 * (reduced**2 / (radius / 2.0 * effective**2)) ** 0.2  # of an impact at 1 m/s
    rayleigh = math.pi * radius * math.sqrt(density * 2.0 * (1.0 + NU) / young) / (0.1631 * NU + 0.8766)
    return min(contact / 20.0, 0.2 * rayleigh)


def plan_steps(longest, time):
    """(length of a step, number of steps, steps per frame) with steps of at most `longest`."""
    every = math.ceil(time / FRAMES / longest)
    return time / FRAMES / every, FRAMES * every, every


def yade_command(_, frame, start_path, model, time, out):
    young = float(model.partition(":")[2])
    grain = frame["material"][0]
    name, radius = frame.materials[grain], frame["radius"].min()
    dt, steps, every = plan_steps(hertz_step(frame.masses.min() / 2.0, radius, young, frame.densities[grain]), time)
    laws = [*contact_law(frame, name, name, 0.5), *contact_law(frame, name, None, 0.5)]
    words = [str(value) for value in (start_path, young, *laws, dt, steps, every, f"{out}.dump")]
    return ["yade", "-n", "-x", str(HERE / "flow.yade.py"), *words], 1e6 * dt, lambda: read_dump(f"{out}.dump")


def read_dump(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    heads = [k for k, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    for head in heads:
        count = int(lines[lines.index("ITEM: NUMBER OF ATOMS", max(0, head - 9)) + 1])
        table = np.array([line.split() for line in lines[head + 1 : head + 1 + count]], dtype=float)
        yield table[:, 2], table[:, 3:6], table[:, 1]


# ---- quantities of frames

def overlaps(frames):
    """Largest overlap of two spheres over the smaller radius [%]: mean and maximum over the frames."""
    largest_overlaps = []
    for radius, position, _ in frames:
        pairs = scipy.spatial.cKDTree(position).query_pairs(2.0 * np.partition(radius, -2)[-2], output_type="ndarray")
        a, b = pairs.T
        gap = np.linalg.norm(position[a] - position[b], axis=1) - radius[a] - radius[b]
        largest_overlaps.append(100.0 * max(0.0, (-gap / np.minimum(radius[a], radius[b])).max(initial=0.0)))
    return statistics.fmean(largest_overlaps), max(largest_overlaps)


def evaluate_figures(texts, frames):
    values = []
    for radius, position, kind in frames:
        names = vars(np) | {"x": position[:, 0], "y": position[:, 1], "z": position[:, 2], "radius": radius, "type": kind}
        values += [float(eval(text.partition("=")[2], names)) for text in texts]
    return values


if __name__ == "__main__":
    sys.exit(main())
