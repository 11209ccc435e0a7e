"""Friction and solid fraction of steady shear flows over the inertial number, beside published laws.

Spheres with the friction 0.5 are sheared without walls (apps/scenes/periodic_shear.ini) at one solid fraction after
the other, from fast to slow. Of each flow the stress, from the contacts and the motion, gives the pressure p, the
friction mu = shear stress/p and the inertial number I = rate d sqrt(rho/p). OUTPUT/rheology.md and rheology.png show
mu(I) and phi(I), rheology.csv has the numbers. What was run before with the same program and values is not run again.
"""

import argparse
import dataclasses
import pathlib
import sys

import _command_line
import scree.figure
import scree.program
from _rheology import flow, page
from _study import running


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="scree-run", help="scree-run, by name or path")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/study/rheology"))
    parser.add_argument("--full", action="store_true", help="more and longer flows of more spheres, a day")
    parser.add_argument("--across", type=_command_line.count, metavar="N",
                        help="spheres along each edge (default: 16, or 24 with --full)")  # fmt: skip
    parser.add_argument("--seeds", type=_command_line.count, default=1, metavar="N", help="packings (default: 1)")
    parser.add_argument("--ranks", type=_command_line.count, default=1, metavar="N", help="of each run (default: 1)")
    return parser.parse_args()


def main():
    arguments = parsed()
    plan = flow.FULL if arguments.full else flow.SHORT
    if arguments.across is not None:
        plan = dataclasses.replace(plan, across=arguments.across)
    program = scree.program.found(arguments.program)
    runner = running.Runner(program, scree.program.launcher(arguments.ranks), arguments.output, 1)
    by_seed = {}
    for seed in range(1, arguments.seeds + 1):
        try:
            by_seed[seed] = flow.measure(runner, f"seed{seed}", plan, seed, running.say_line)
        except running.RunFailed as error:
            print(f"seed {seed}: {error}", file=sys.stderr)
            return 1
    notes = [f"{plan.across**3} spheres, each flow measured over a strain of {plan.measured}. {runner.version}."]
    page.write_table(arguments.output / "rheology.csv", by_seed, notes)
    scree.figure.save(page.figure(by_seed), arguments.output / "rheology.png", dpi=100)
    path = arguments.output / "rheology.md"
    path.write_text("\n".join(page.lines_of(by_seed, notes)), encoding="utf-8")
    print(path)
    return 0
