"""Solves contact problems of single steps by sweeps in different ways, and prints the errors of the results.

usage: scripts/study problems [--only NAME ...] [--output DIR]

Each scene runs to its time and writes the problem of the last step (FCLIB files, OUTPUT/NAME/run/problems). The
reference is the limit of sweeps with momentum (solver.momentum) that start from the impulses which the run has found.
The compared sweeps start from the warm start of the step: plain sweeps, sweeps with momentum and, if python3-siconos is
installed, nsgs of Siconos. OUTPUT/profile.csv has these errors after each number of sweeps:

  impulses    relative L2 error of all impulses, which are not unique for rigid bodies on faces
  rms         error of the root mean square of the normal impulses
  walls       error of the loads on walls: sum of the differences divided by the sum of the loads
  velocities  error of the velocities in the norm of kinetic energy, relative to their change by contacts in the step

Ignore errors relative to a reference with the note "not converged", and errors below the reference's residual.
"""

import subprocess

import h5py
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import _command_line
import scree.directory
import scree.program
import scree.table
from _problems.scenes import SCENES
from _study import command
from _study.running import print_line
from scree.errors import FileError

ERRORS = ("impulses", "rms", "walls", "velocities")


class Problem:
    """An FCLIB file of a step: M v = H r + f, with the impulses r and the velocities v of the bodies after the step.

    r, v: as the run has found them;  guess: impulses of the warm start;  walls: wall of each contact, or -1
    """

    def __init__(self, path):
        with h5py.File(path) as file:
            group = file["fclib_global"]
            self.m, self.h = (_matrix(group[name]) for name in ("M", "H"))
            self.f, self.w, self.mu = (group["vectors"][name][()] for name in ("f", "w", "mu"))
            self.r, self.v = file["solution/r"][()], file["solution/v"][()]
            self.guess = file["guesses/1/r"][()]
            bodies, ids = file["scree/bodies"][()], file["scree/contacts/id"][()]
            self.walls = file["scree/contacts/wall"][()]
        self._rows = 6 * np.searchsorted(bodies, ids[:, 0])  # first row of each contact's first body

    def velocities(self, r):
        """Velocities of the bodies after the impulses r."""
        return scipy.sparse.linalg.spsolve(self.m.tocsc(), self.h @ r + self.f)

    def wall_loads(self, r):
        """Impulse of the particles on each wall with contacts, [walls, 3] [N s]."""
        loads = {}
        for j in np.flatnonzero(self.walls >= 0):
            rows, columns = slice(self._rows[j], self._rows[j] + 3), slice(3 * j, 3 * j + 3)
            load = self.h[rows, columns] @ r[columns]
            loads[self.walls[j]] = loads.get(self.walls[j], 0.0) - load
        return np.array(list(loads.values())).reshape(-1, 3)

    def errors(self, r, reference):
        """Errors of impulses relative to a reference, in the order of ERRORS."""
        rms = [np.sqrt(np.mean(np.square(impulses[::3]))) for impulses in (r, reference)]
        loads = [self.wall_loads(impulses) for impulses in (r, reference)]
        wall_errors = np.linalg.norm(loads[0] - loads[1], axis=1).sum(), np.linalg.norm(loads[1], axis=1).sum()
        v, solved, free = (self.velocities(impulses) for impulses in (r, reference, 0 * r))
        energies = [x @ (self.m @ x) for x in (v - solved, solved - free)]
        return (np.linalg.norm(r - reference) / np.linalg.norm(reference), rms[0] / rms[1] - 1,
                wall_errors[0] / wall_errors[1] if wall_errors[1] > 0 else np.nan, np.sqrt(energies[0] / energies[1]))  # fmt: skip


def _matrix(group):
    shape = int(group["m"][0]), int(group["n"][0])
    return scipy.sparse.csc_matrix((group["x"][()], group["i"][()], group["p"][()]), shape=shape)


class Sweeps:
    """Runs `scree-contact fclib`, preferably of the same build as the scree-run of a runner."""

    def __init__(self, runner, folder):
        self._program = runner.program.with_name("scree-contact")
        if not self._program.is_file():
            self._program = scree.program.found("scree-contact")
        self._answer = folder / "answer.h5"

    def solve(self, path, start, momentum, sweeps, tolerance):
        """(impulses, whether they have converged).  start: "solution" or "guess" of the file"""
        table = scree.table.printed(self._program, "fclib", str(path), "--start", start, "--momentum", str(momentum),
                                    "--max-sweeps", str(sweeps), "--tolerance", str(tolerance), "--solution",
                                    str(self._answer))  # fmt: skip
        with h5py.File(self._answer) as file:
            return file["solution/r"][()], table["outcome"][0] == "converged"


def nsgs(problem, sweeps):
    """Impulses by Siconos, started from `guess`; None if Siconos is not installed."""
    try:
        from siconos import numerics
    except ImportError:
        return None
    inverse = scipy.sparse.linalg.spsolve(problem.m.tocsc(), scipy.sparse.identity(problem.m.shape[0], format="csc"))
    w = problem.h.T @ inverse @ problem.h
    q = problem.h.T @ (inverse @ problem.f) + problem.w
    siconos_problem = numerics.FrictionContactProblem(3, len(problem.mu), w.toarray(), q, problem.mu)
    options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = sweeps
    options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-300
    r, u = problem.guess.copy(), np.zeros(len(q))
    numerics.fc3d_nsgs(siconos_problem, r, u, options)
    return r


def profile(run, sweeps, arguments):
    """(rows (method, sweeps, *errors) of the problem of a Run, number of contacts, whether the reference converged)."""
    (path,) = (run.path / "problems").glob("step_*.h5")
    problem, momentum = Problem(path), run.number("solver", "momentum")
    reference, is_converged = sweeps.solve(path, "solution", momentum, arguments.reference, 1e-8)
    rows = [("the step", 0, *problem.errors(problem.r, reference)), ("warm start", 0, *problem.errors(problem.guess, reference))]
    for count in arguments.sweeps:
        for name, factor in (("plain", 0.0), ("momentum", momentum)):
            rows.append((name, count, *problem.errors(sweeps.solve(path, "guess", factor, count, 0.0)[0], reference)))
        if len(problem.mu) <= arguments.siconos and (solution := nsgs(problem, count)) is not None:
            rows.append(("Siconos nsgs", count, *problem.errors(solution, reference)))
    return rows, len(problem.mu), is_converged


def options():
    parser = command.Parser("problems", __doc__, SCENES, ("problem", "problems"), jobs=None)
    parser.add_argument("--sweeps", nargs="+", type=_command_line.count, default=[10, 20, 50, 100, 200], metavar="N",
                        help="numbers of sweeps after which errors are computed (default: 10 20 50 100 200)")  # fmt: skip
    parser.add_argument("--reference", type=_command_line.count, default=20000, metavar="N",
                        help="largest number of sweeps of the reference (default: 20000)")  # fmt: skip
    parser.add_argument("--siconos", type=_command_line.count, default=1500, metavar="N",
                        help="largest number of contacts for Siconos, which uses a dense operator (default: 1500)")  # fmt: skip
    return parser


def main():
    parser = options()
    arguments = parser.parse_args()
    runner = command.runner_of(arguments)
    names = parser.chosen(arguments)
    runs = {name: [SCENES[name].run(name, arguments.output / "scenes")] for name in names}
    outcome = runner.run_all(runs)
    sweeps = Sweeps(runner, arguments.output)
    rows, failed = [], False
    for name in names:
        if (error := outcome[name, "run"]) is not None:
            print_line(f"{name}: {error}")
            failed = True
            continue
        try:
            results, contacts, is_converged = profile(scree.directory.read(arguments.output / name / "run"), sweeps, arguments)
        except (FileError, subprocess.CalledProcessError) as error:
            print_line(f"{name}: {error}")
            failed = True
            continue
        print_line(f"{name}, {contacts} contacts{'' if is_converged else ', reference not converged'}")
        for method, count, *errors in results:
            print_line(f"  {method:13}{count:6}" + "".join(f"  {error_name} {error:10.3g}" for error_name, error in zip(ERRORS, errors)))
            rows.append((name, contacts, int(is_converged), method, count, *errors))
    if not rows:
        return 1
    columns = ("problem", "contacts", "converged", "way", "sweeps", *ERRORS)
    scree.table.write(arguments.output / "profile.csv", [runner.version], dict(zip(columns, map(list, zip(*rows)))))
    return 1 if failed else 0
