#!/usr/bin/env python3
"""Scree, LAMMPS and Yade continue from the same frame of a run, in turns; prints medians of the rounds as a table.

    compare.py SNAPSHOT --output DIR --figure "above=sum(z > 0.04)" SETTING ...

A setting is CODE:MODEL@TIME, of `scree:auto`, `scree:50 us` (the step), `lammps:linear:1000` (stiffness [N/m]),
`lammps:hertz:5e6` (Young's modulus [Pa]; several with commas, of the materials), `yade:hertz:5e6`; TIME is simulated,
such as 0.05 [s], and `x2` at the end means two ranks: `lammps:linear:1000@0.05x2`. Steps of the others are 1/20 of the
contact time, of two spheres that meet with 1 m/s with Hertz, there at most 1/5 of the Rayleigh time. Friction and
restitution are those of the scene; where it has no rebound theirs is 0.5.

Time is that of the processor, of all ranks over their number, over the simulated time. Overlaps are the largest of a
frame over the smaller radius, mean and largest of the frames but the first. A figure is an expression of numpy over x,
y, z, radius and type of the spheres, printed for the first and the last frame.
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
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    frame = scree.snapshot.read_snapshot(asked.snapshot)
    scree.export.lammps_data.write([frame], asked.output / "start")
    start = asked.output / f"start_{frame.step:012d}"
    measured = {setting: [] for setting in asked.settings}
    for number, setting in itertools.product(range(asked.rounds), asked.settings):
        code, model, time, ranks = parsed(setting)
        out = asked.output / f"{setting.translate(str.maketrans(':@, ', '____'))}_{number}"
        commands = {"scree": scree_command, "lammps": lammps_command, "yade": yade_command}
        command, step, frames = commands[code](asked, frame, start, model, time, out)
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        seconds, memory = processor_time(command, f"{out}.log")
        shots = list(frames())
        measured[setting].append((seconds / ranks / time, memory, step, *overlaps(shots[1:]),
                                  *figures(asked.figure, [shots[0], shots[-1]])))  # fmt: skip
        print("#", setting, *(f"{value:.6g}" for value in measured[setting][-1]), flush=True)
    names = [name.partition("=")[0] for name in asked.figure]
    print("setting,seconds_per_second,memory_MB,step_us,mean_overlap_percent,greatest_overlap_percent,ratio_to_first,"
          "lowest_ratio,highest_ratio", *(f"{name}_{end}" for end in ("first", "last") for name in names), sep=",")
    for setting, rows in measured.items():
        medians = [statistics.median(column) for column in zip(*rows)]
        ratios = [row[0] / first[0] for row, first in zip(rows, measured[asked.settings[0]])]
        print(f'"{setting}"', *(f"{value:.5g}" for value in (
            *medians[:5], statistics.median(ratios), min(ratios), max(ratios), *medians[5:])), sep=",")  # fmt: skip
    return 0


def parsed(setting):
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


# ---- the codes: functions that return a command, its step [us] and a function that yields (radius, place [N, 3], type)

def scree_command(asked, frame, _, model, time, out):
    scene = scree.configuration.parsed(frame.configuration)
    for wall in frame.walls:
        if not wall.is_there:
            scene.remove_section(f"wall.{wall.name}")
        else:
            scene[f"wall.{wall.name}"]["moves_from"] = "0 s"  # time starts again
    over = ("fill", "inflow", "average", "checkpoint")
    for section in [name for name in scene.sections() if name.split(".")[0] in over]:
        scene.remove_section(section)
    changes = {"time": {"step": model, "end": f"{time:.17g} s"}, "initial": {"file": asked.snapshot.resolve()},
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
        for shot in scree.snapshot.read_frames(scree.directory.snapshots_of([out])):
            yield shot["radius"], shot["position"], shot["material"] + 1
    step = math.nan if model == "auto" else 1e6 * scree.configuration.time_step(scene)
    return [asked.program, path, "--quiet"], step, frames


def law(frame, a, b, default):
    """Friction and restitution of two materials. b = None: of the walls, which share one
    material."""
    scene = scree.configuration.parsed(frame.configuration)
    if b is None:
        b = next((scene[f"wall.{wall.name}"].get("material") for wall in frame.walls if wall.is_there), a)
    sections = [scene[name] for name in (f"pair.{a}.{b}", f"pair.{b}.{a}", "contact") if name in scene]
    mu, e = (float(next((keys[key] for keys in sections if key in keys), "0")) for key in ("friction", "restitution"))
    return mu, e if e > 0.0 else default


def lammps_command(asked, frame, start, model, time, out):
    kind, _, values = model.partition(":")
    used = np.unique(frame["material"])
    mass = {k: frame.masses[frame["material"] == k].min() for k in used}
    radius = {k: frame["radius"][frame["material"] == k].min() for k in used}
    stiff = {k: float(value) for k, value in zip(used, itertools.cycle(values.split(",")))}
    models, steps = {}, []
    for a, b in [*itertools.combinations_with_replacement(used, 2), (used[0], None)]:
        mu, e = law(frame, frame.materials[a], None if b is None else frame.materials[b], 0.5)
        reduced = mass[a] if b is None else mass[a] * mass[b] / (mass[a] + mass[b])
        if kind == "linear":
            damping = -math.log(e) / math.hypot(math.pi, math.log(e))
            omega = math.sqrt(stiff[a] / reduced)
            models[a, b] = linear(stiff[a], 2.0 * damping * omega, mu)
            steps.append(math.pi / omega / math.sqrt(1.0 - damping**2) / 20.0)
        else:
            models[a, b] = (f"hertz/material {stiff[a]:g} {e:g} {NU} tangential mindlin NULL 0.5 {mu:g} "
                            "damping tsuji",) * 2  # fmt: skip
            steps.append(hertz_step(reduced, radius[a], stiff[a], frame.densities[a]))
    dt, step_count, every = counted(min(steps), time)
    one = kind == "linear" and len(used) == 1  # then the faster style will do
    style = f"gran/hooke/history {models[used[0], used[0]][0]}" if one else "granular"
    wall = models[used[0], None]
    coefficients = "pair_coeff * *\n" if one else "".join(
        f"pair_coeff {a + 1} {b + 1} {text}\n" for (a, b), (_, text) in models.items() if b is not None)
    unused = set(range(len(frame.materials))) - set(used)
    if not one and unused:  # LAMMPS requires coefficients of all types
        coefficients = f"pair_coeff * * {models[used[0], used[0]][1]}\n{coefficients}"
    path = pathlib.Path(f"{out}.coefficients")
    path.write_text(coefficients, encoding="utf-8")
    dump = f"{out}.dump"
    variables = {"boundary": " ".join("p" if periodic else "f" for periodic in frame.periodic), "start": start,
                 "skin": 0.5 * min(radius.values()), "pair": style, "coefficients": path,
                 "wall_model": f"hooke/history {wall[0]}" if one else f"granular {wall[1]}", "dt": dt,
                 "steps": step_count, "every": every, "out": dump}  # fmt: skip
    words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
    return ["lmp", "-in", str(HERE / "flow.lammps"), "-log", "none", *words], 1e6 * dt, lambda: dumped(dump)


def linear(k, gamma, mu):
    """Coefficients of gran/hooke/history, and the same for granular."""
    return (f"{k:g} {2 * k / 7:g} {gamma:g} {gamma / 2:g} {mu:g} 1",
            f"hooke {k:g} {gamma:g} tangential linear_history {2 * k / 7:g} 0.5 {mu:g} damping mass_velocity")


def hertz_step(reduced, radius, young, density):
    effective = young / (2.0 * (1.0 - NU**2))
    contact = 2.87 * (reduced**2 / (radius / 2.0 * effective**2)) ** 0.2  # of an impact at 1 m/s
    rayleigh = math.pi * radius * math.sqrt(density * 2.0 * (1.0 + NU) / young) / (0.1631 * NU + 0.8766)
    return min(contact / 20.0, 0.2 * rayleigh)


def counted(longest, time):
    """(step, number of steps, number from frame to frame) with steps of at most `longest`."""
    every = math.ceil(time / FRAMES / longest)
    return time / FRAMES / every, FRAMES * every, every


def yade_command(_, frame, start, model, time, out):
    young = float(model.partition(":")[2])
    grain = frame["material"][0]
    name, radius = frame.materials[grain], frame["radius"].min()
    dt, steps, every = counted(hertz_step(frame.masses.min() / 2.0, radius, young, frame.densities[grain]), time)
    laws = [*law(frame, name, name, 0.5), *law(frame, name, None, 0.5)]
    words = [str(value) for value in (start, young, *laws, dt, steps, every, f"{out}.dump")]
    return ["yade", "-n", "-x", str(HERE / "flow.yade.py"), *words], 1e6 * dt, lambda: dumped(f"{out}.dump")


def dumped(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    heads = [k for k, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
    for head in heads:
        count = int(lines[lines.index("ITEM: NUMBER OF ATOMS", max(0, head - 9)) + 1])
        table = np.array([line.split() for line in lines[head + 1 : head + 1 + count]], dtype=float)
        yield table[:, 2], table[:, 3:6], table[:, 1]


# ---- what is measured of frames

def overlaps(frames):
    """Largest overlap of two spheres over the smaller radius [%]: mean over the frames, largest."""
    found = []
    for radius, place, _ in frames:
        pairs = scipy.spatial.cKDTree(place).query_pairs(2.0 * np.partition(radius, -2)[-2], output_type="ndarray")
        a, b = pairs.T
        gap = np.linalg.norm(place[a] - place[b], axis=1) - radius[a] - radius[b]
        found.append(100.0 * max(0.0, (-gap / np.minimum(radius[a], radius[b])).max(initial=0.0)))
    return statistics.fmean(found), max(found)


def figures(texts, frames):
    values = []
    for radius, place, kind in frames:
        names = vars(np) | {"x": place[:, 0], "y": place[:, 1], "z": place[:, 2], "radius": radius, "type": kind}
        values += [float(eval(text.partition("=")[2], names)) for text in texts]
    return values


if __name__ == "__main__":
    sys.exit(main())
