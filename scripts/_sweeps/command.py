"""Measures how time averages of flows depend on the number of sweeps: loads, forces, contacts, energies.

Four small flows (hopper, drum, shear cell, silo) run with 10, 40 and 160 sweeps (`solver.sweeps`) and automatic steps,
with several seeds. OUTPUT/sweeps.csv, which is also printed, has a row for each figure: the time average with the
largest number of sweeps, and the differences with fewer sweeps, with standard errors over the seeds. A force is an
impulse divided by the time step. Figures of contacts:

  RMS of forces        sqrt(sum f^2 / particles)
  mean force           sum f / particles
  above half, twice    contacts per particle with more than half, or twice, the mean force per particle
  touching             contacts per particle between particles with a gap of at most 0.01 r
  loaded               contacts per particle with an impulse in the solver's step, for comparison
"""

import functools

import numpy as np

import _command_line
import scree.contacts
import scree.configuration
import scree.table
import scree.whole_file
from _study import command
from _study.measures import rate
from _study.running import Run, print_line
from _sweeps.scenes import SCENES

FORCES = ("RMS of forces", "mean force", "above half", "above twice", "touching", "loaded")


def make_runs(name, folder, sweeps, seeds):
    """Writes the file of a scene, and returns its runs {(sweeps, seed): Run}."""
    folder.mkdir(parents=True, exist_ok=True)
    scene = folder / f"{name}.ini"
    scree.whole_file.write(scene, SCENES[name].text)
    return {(count, seed): Run(f"{count}_{seed}", scene, {"solver.sweeps": count, "scene.seed": seed})
            for count in sweeps for seed in range(1, seeds + 1)}  # fmt: skip


def forces(snapshot):
    """The figures of FORCES in one snapshot; the first is the mean square instead of the RMS."""
    contacts = scree.contacts.recorded(snapshot)
    particles = len(snapshot)
    force = contacts.normal_impulse / scree.configuration.time_step_of(snapshot)
    force = force[force > 0.0]
    mean = force.sum() / particles
    touching = 2.0 * len(scree.contacts.found(snapshot)) / particles
    per_particle = [2.0 * (force > factor * mean).sum() / particles for factor in (0.5, 2.0)]
    return np.array([np.square(force).sum() / particles, mean, *per_particle, touching, 2.0 * len(force) / particles])


def figures(scene, run):
    """{name: value} of a finished run."""
    means = np.mean([forces(frame) for frame in run.frames.between(scene.begin, scene.end)], axis=0)
    means[0] = np.sqrt(means[0])
    values = dict(zip(FORCES, means))
    rows = run.is_after(scene.begin, scene.end)
    for name, expression in scene.figures.items():
        values[name] = evaluate(run.columns, expression, rows)
    return values


def evaluate(columns, expression, rows):
    """The mean of a column, the ratio of the means of two columns, or the growth of a column per second."""
    if expression.startswith("d/dt "):
        return rate(columns, expression.removeprefix("d/dt "), rows)
    numerator, _, denominator = expression.partition(" / ")
    mean = columns[numerator][rows].mean()
    return mean / columns[denominator][rows].mean() if denominator else mean


def compare_with_largest(values):
    """Rows (figure, mean with most sweeps, its error, {sweeps: (difference, error)}) from {sweeps: [{figure: value}]}.

    Seeds are independent because flows are chaotic, so the error of a difference combines the errors of both means.
    """
    *fewer, largest = sorted(values)
    table = []
    for name in values[largest][0]:
        values_of_count = {count: np.array([figures[name] for figures in runs]) for count, runs in values.items()}
        mean = {count: values.mean() for count, values in values_of_count.items()}
        error = {count: values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan for count, values in values_of_count.items()}
        scale = abs(mean[largest])
        shifts = {count: ((mean[count] - mean[largest]) / scale, np.hypot(error[count], error[largest]) / scale) for count in fewer}
        table.append((name, mean[largest], error[largest], shifts))
    return table


def options():
    parser = command.Parser("sweeps", __doc__, SCENES, ("flow", "flows"), jobs=None)
    parser.add_argument("--sweeps", nargs="+", type=_command_line.count, default=[10, 40, 160], metavar="N",
                        help="numbers of sweeps; the largest is the reference (default: 10 40 160)")  # fmt: skip
    parser.add_seeds(3, "of each flow")
    return parser


def analyse(scene, runs_by_key, finished):
    values = {}
    for (count, _), run in runs_by_key.items():
        values.setdefault(count, []).append(figures(scene, finished[run.name]))
    return compare_with_largest(values)


def main():
    parser = options()
    arguments = parser.parse_args()
    runner = command.runner_of(arguments)
    chosen = {name: make_runs(name, arguments.output, arguments.sweeps, arguments.seeds) for name in parser.chosen(arguments)}
    outcome = runner.run_all({name: list(runs_by_key.values()) for name, runs_by_key in chosen.items()})
    rows, failed = [], False
    for name, runs_by_key in chosen.items():
        scene = SCENES[name]
        table = command.analyse_runs(name, functools.partial(analyse, scene, runs_by_key), runs_by_key.values(), runner, outcome)
        if isinstance(table, Exception):
            print_line(f"{name}: {table}")
            failed = True
            continue
        print_line(f"{scene.title}: {max(arguments.sweeps)} sweeps, then the differences with fewer sweeps")
        for figure, value, error, shifts in table:
            texts = (f"  {count}: {100 * shift:+.2f} ± {100 * shift_error:.2f} %" for count, (shift, shift_error) in shifts.items())
            print_line(f"  {figure:28} {value:10.4g} ± {error:<8.2g}" + "".join(texts))
            rows += [(name, figure, value, error, count, shift, shift_error) for count, (shift, shift_error) in shifts.items()]
    if not rows:
        return 1
    header = ("flow", "figure", "value", "error", "sweeps", "difference", "difference_error")
    scree.table.write(arguments.output / "sweeps.csv", [runner.version], dict(zip(header, map(list, zip(*rows)))))
    return 1 if failed else 0
