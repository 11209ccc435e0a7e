#!/usr/bin/env python3
"""Runs a scene for lists of values and seeds, and makes a page of figures with standard errors.

A plan gives a scene, values to set and to vary, and the quantities to measure; the manual has a page on plans. Several runs
at a time write into OUTPUT/runs. After an interruption the same command continues: finished runs of the same program and
values are not repeated. OUTPUT/study.html has tables and plots, study.csv the figures of every run.
"""

import importlib
import pathlib
import sys

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import _command_line
import scree.native
from scree.errors import FileError, UsageError, did_you_mean

# Studies of the project: name -> module with a `main`, and description.
REGISTRY = {
    "validation": ("_validation.command", "scenes against known laws of mechanics and of granular matter"),
    "convergence": ("_convergence.command", "errors of results for flows and piles at different sweeps, steps and schemes"),
    "schemes": ("_schemes.command", "Gauss-Seidel compared with Jacobi in scenes of all kinds"),
    "rheology": ("_rheology.command", "friction and solid fraction of steady shear at different inertial numbers"),
    "two_laws": ("_two_laws.command", "maximum dissipation compared with Coulomb's law in flows of clumps and polyhedra"),
    "sweeps": ("_sweeps.command", "time averages of flows with different numbers of sweeps: loads, forces, contacts, energies"),
    "accuracy": ("_accuracy.command", "figures of 26 scenes with default settings, compared with finer steps and more sweeps"),
    "problems": ("_problems.command", "contact problems of single steps, solved by sweeps in different ways"),
    "impacts": ("_impacts.command", "all printed values and plots of the papers on single impacts, computed again and compared"),
}


def main():
    words = sys.argv[1:]
    if words and words[0] in REGISTRY:
        sys.argv = [f"{sys.argv[0]} {words[0]}", *words[1:]]
        try:
            module = importlib.import_module(REGISTRY[words[0]][0])
        except ImportError as error:
            if error.name == scree.native.NAME:  # two_laws needs the compiled part of the package
                raise FileError(error) from error
            raise
        return module.main()
    import _study.command

    shipped = _study.command.plan.shipped()
    if words and not words[0].startswith("-") and not pathlib.Path(words[0]).is_file() and words[0] not in shipped:
        guess = did_you_mean(words[0], [*shipped, *REGISTRY])
        raise UsageError(f"there is no plan '{words[0]}', nor a study of this name{guess}; expected a file, one of the shipped plans "
                         f"{', '.join(shipped)}, or one of the studies {', '.join(REGISTRY)}")  # fmt: skip

    return _study.command.study(
        words, __doc__, usage="%(prog)s PLAN.ini [option ...]\n       %(prog)s NAME [option of that study ...]",
        epilog="studies of the project:\n" + "\n".join(f"  {name:12} {description}" for name, (_, description) in REGISTRY.items()),
    )  # fmt: skip


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    _command_line.run(main)
