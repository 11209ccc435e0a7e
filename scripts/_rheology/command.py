"""Friction and solid fraction of steady shear at different inertial numbers, compared with published laws.

A periodic cell of spheres with friction 0.5 (apps/scenes/periodic_shear.ini) is sheared at increasing solid fractions,
from fast flows to slow ones. The stress of each flow, with its contact and kinetic parts, gives the pressure p, the
friction mu = shear stress/p and the inertial number I = rate d sqrt(rho/p). OUTPUT/rheology.html and rheology.png show
mu(I) and phi(I), rheology.csv has the numbers. Finished runs of the same program and values are not repeated.
"""

import dataclasses
import sys

import _command_line
import scree.figure
from _rheology import flow, page
from _study import command, running


def main():
    parser = command.Parser("rheology", __doc__)
    parser.add_argument("--full", action="store_true", help="more and longer flows of more spheres; takes a day")
    parser.add_argument("--across", type=_command_line.count, metavar="N",
                        help="spheres along each edge (default: 16, or 24 with --full)")  # fmt: skip
    parser.add_seeds(1, "packings")
    parser.add_ranks()
    arguments = parser.parse_args()
    plan = flow.FULL if arguments.full else flow.SHORT
    if arguments.across is not None:
        plan = dataclasses.replace(plan, across=arguments.across)
    runner = command.runner_of(arguments, arguments.ranks)
    by_seed = {}
    for seed in range(1, arguments.seeds + 1):
        try:
            by_seed[seed] = flow.measure(runner, f"seed{seed}", plan, seed, runner.report)
        except running.RunFailed as error:
            print(f"seed {seed}: {error}", file=sys.stderr)
            return 1
    notes = [f"{plan.across**3} spheres, each flow measured over a strain of {plan.measured_strain}. {runner.version}."]
    scree.figure.save(page.figure(by_seed), arguments.output / "rheology.png")
    page.write(by_seed, notes, arguments.output / "rheology.html")
    return 0
