"""Contact problems of steps as FCLIB files: written by runs, read by other programs, solved by scree-contact.

Needs SCREE_RUN, SCREE_CONTACT and SCREE_MPIEXEC in the environment. FCLIB's own library and Siconos read them too, if
they are installed.
"""

import csv
import ctypes
import ctypes.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import h5py
import numpy as np
import scipy.sparse

from run_test import run_command

RUN, CONTACT = os.environ["SCREE_RUN"], os.environ["SCREE_CONTACT"]
SCENE = """
[domain]
lower = 0 0 0 mm
upper = 3 3 12 mm
periodic = x
[time]
step = 50 us
end = 40 ms
[contact]
friction = 0.4
restitution = 0.3
[material.glass]
density = 2500 kg/m^3
[wall.floor]
shape = plane
point = 0 0 0 mm
normal = 0 0 1
velocity = 0.03 -0.02 0 m/s
[wall.left]
shape = plane
point = 0 0 0 mm
normal = 0 1 0
[wall.right]
shape = plane
point = 0 3 0 mm
normal = 0 -1 0
[fill]
lower = 0 0 0 mm
upper = 3 3 3 mm
spacing = 1 mm
radius = 0.45 mm
jitter = 5 5 5 cm/s
[output]
log_every = 10 ms
problems = 40 10 ms
"""
DENSITY, RADIUS, FRICTION, STEP = 2500.0, 0.45e-3, 0.4, 50e-6
CUBES = SCENE.replace("radius = 0.45 mm", "radius = 0.45 mm\nshape = cube") + textwrap.dedent("""
    [shape.cube]
    solid = box
    size = 0.5 0.5 0.5 mm
    rounding = 0.02 mm
""")


def run(folder, scene, *options, ranks=1):
    (folder / "scene.ini").write_text(scene)
    command = run_command(ranks, folder / "scene.ini", "--output.directory", folder / "out", "--overwrite", *options)
    process = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert process.returncode == 0, process.stderr
    return folder / "out"


def contact(*arguments):
    """Runs scree-contact fclib and returns the rows that it prints."""
    process = subprocess.run([CONTACT, "fclib", *map(str, arguments), "--digits", "17"], capture_output=True,
                             text=True, timeout=100)
    assert process.returncode == 0, process.stderr
    rows = list(csv.reader(line for line in process.stdout.splitlines() if not line.startswith("#")))
    names = [re.sub(r" \[.*", "", name) for name in rows[0]]
    return [dict(zip(names, row)) for row in rows[1:]]


class Problem:
    """An FCLIB file, read by h5py alone."""

    def __init__(self, path):
        with h5py.File(path) as file:
            group = file["fclib_global"]
            self.m, self.h = (self.matrix(group[name]) for name in ("M", "H"))
            self.f, self.w, self.mu = (group["vectors"][name][()] for name in ("f", "w", "mu"))
            self.description = group["info/description"][()].decode()
            self.solution = {name: file["solution"][name][()] for name in "vur"}
            self.guess = {name: file["guesses/1"][name][()] for name in "vur"}
            self.bodies = file["scree/bodies"][()]
            self.ids, self.walls = file["scree/contacts/id"][()], file["scree/contacts/wall"][()]
            assert (group["spacedim"][0], file["guesses/number_of_guesses"][0]) == (3, 1)

    @staticmethod
    def matrix(group):
        assert group["nz"][0] == -1 and len(group["x"]) == group["nzmax"][0]
        shape = int(group["m"][0]), int(group["n"][0])
        return scipy.sparse.csc_matrix((group["x"][()], group["i"][()], group["p"][()]), shape=shape)

    def delassus(self):
        inverse = np.linalg.inv(self.m.toarray())
        h = self.h.toarray()
        return h.T @ inverse @ h, h.T @ inverse @ self.f + self.w

    def natural_map(self, r):
        """The largest change of an impulse by the natural map, as a velocity (natural_map_max of scree-contact)."""
        w, q = self.delassus()
        errors = []
        for j, mu in enumerate(self.mu):
            rows = slice(3 * j, 3 * j + 3)
            u = w[rows] @ r + q[rows]
            u[0] += mu * np.hypot(u[1], u[2])
            compliance = np.trace(w[rows, rows]) / 3
            errors.append(compliance * np.linalg.norm(r[rows] - project_on_cone(r[rows] - u / compliance, mu)))
        return max(errors)


def project_on_cone(x, mu):
    """The nearest point of the cone x_t <= mu x_n."""
    tangential = np.hypot(x[1], x[2])
    if tangential <= mu * x[0]:
        return x
    if mu * tangential <= -x[0]:
        return np.zeros(3)
    normal = (x[0] + mu * tangential) / (1 + mu * mu)
    return np.array([normal, *(mu * normal / tangential * x[1:])])


class Problems(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name, scene in (("spheres", SCENE), ("cubes", CUBES)):
            (cls.folder / name).mkdir()
            run(cls.folder / name, scene)

    def paths(self):
        for name in ("spheres", "cubes"):
            files = sorted((self.folder / name / "out" / "problems").iterdir())
            self.assertEqual([path.name for path in files], ["step_000000000200.h5", "step_000000000800.h5"])
            yield from ((name, path) for path in files)

    def test_matrices_are_those_of_the_scene(self):
        mass = DENSITY * 4 / 3 * np.pi * RADIUS**3
        problem = Problem(self.folder / "spheres" / "out" / "problems" / "step_000000000800.h5")
        self.assertGreater(len(problem.bodies), 15)
        expected = np.tile([mass] * 3 + [0.4 * mass * RADIUS**2] * 3, len(problem.bodies))
        np.testing.assert_allclose(problem.m.diagonal(), expected, rtol=1e-12)
        self.assertEqual(problem.m.nnz, len(expected))
        np.testing.assert_array_equal(problem.mu, FRICTION)
        h = problem.h.toarray()
        floor = np.flatnonzero(problem.walls == 0)
        self.assertGreater(len(floor), 5)
        for j in floor:
            row = 6 * np.searchsorted(problem.bodies, problem.ids[j, 0])
            frame = h[row : row + 3, 3 * j : 3 * j + 3]
            np.testing.assert_allclose(frame[:, 0], [0, 0, 1], atol=1e-12)
            np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-12)
            np.testing.assert_allclose(h[row + 3 : row + 6, 3 * j : 3 * j + 3], np.cross([0, 0, -RADIUS], frame.T).T, atol=1e-15)
            # The velocity of the floor along the tangents.
            np.testing.assert_allclose(problem.w[3 * j + 1 : 3 * j + 3], -(frame.T @ [0.03, -0.02, 0])[1:], atol=1e-12)
        for j in np.flatnonzero(problem.walls < 0):
            rows_of_a, rows_of_b = (6 * np.searchsorted(problem.bodies, id) for id in problem.ids[j])
            np.testing.assert_array_equal(h[rows_of_a : rows_of_a + 3, 3 * j : 3 * j + 3],
                                          -h[rows_of_b : rows_of_b + 3, 3 * j : 3 * j + 3])

    def test_solutions_obey_the_equations(self):
        for _, path in self.paths():
            problem = Problem(path)
            for answer in (problem.solution, problem.guess):
                momentum = problem.m @ answer["v"]
                np.testing.assert_allclose(problem.h @ answer["r"] + problem.f, momentum, atol=1e-12 * abs(momentum).max())
                np.testing.assert_allclose(problem.h.T @ answer["v"] + problem.w, answer["u"], atol=1e-12)

    def test_residual_is_that_of_the_run(self):
        """scree-contact computes the residual from the assembled operator, and NumPy the natural map."""
        for name, path in self.paths():
            with (self.folder / name / "out" / "series.csv").open() as file:
                series = {int(row["step"]): row for row in csv.DictReader(file)}
            row = series[int(path.stem[5:])]
            (found,) = contact(path, "--start", "solution", "--max-sweeps", 0)
            self.assertEqual(found["contacts"], row["contacts"])
            rounding = 1e-12 * float(found["velocity_scale"])
            problem = Problem(path)
            for column in ("residual_max", "residual_rms"):
                self.assertAlmostEqual(float(found[column]), float(row[column]), delta=rounding, msg=f"{name} {path.name} {column}")
                self.assertEqual(float(re.search(rf"{column} (\S+) m/s", problem.description)[1]), float(row[column]))
            self.assertAlmostEqual(problem.natural_map(problem.solution["r"]), float(found["natural_map_max"]), delta=rounding)

    def test_further_sweeps_end_at_the_same_velocities(self):
        """The last file is not used: when cubes lie on their faces, Coulomb's law has many solutions, 1e-4 apart in velocity."""
        for _, path in list(self.paths())[:3]:
            ends = []
            for start, options in (("zero", ()), ("guess", ("--momentum", 0.85)), ("solution", ())):
                solved = self.folder / f"{start}.h5"
                (row,) = contact(path, "--start", start, "--tolerance", 1e-12, "--solution", solved, *options)
                self.assertEqual(row["outcome"], "converged")
                ends.append(Problem(solved).solution["v"])
            problem = Problem(path)
            scale = float(row["velocity_scale"])
            for end in ends[1:]:
                np.testing.assert_allclose(end.reshape(-1, 6)[:, :3], ends[0].reshape(-1, 6)[:, :3], atol=1e-9 * scale)
            # The solution of the step is nearer to these velocities than its warm start.
            distances = [np.linalg.norm((problem.m @ (answer["v"] - ends[0]))) for answer in (problem.solution, problem.guess)]
            self.assertLess(distances[0], distances[1])

    def test_history_and_solution_of_the_solver_are_written(self):
        path = self.folder / "spheres" / "out" / "problems" / "step_000000000800.h5"
        rows = contact(path, "--history", 20, "--max-sweeps", 50, "--start", "guess", "--solution", self.folder / "answer.h5")
        self.assertEqual([row["sweeps"] for row in rows], ["0", "20", "40", "50"])
        residuals = [float(row["residual_max"]) for row in rows]
        self.assertEqual(residuals, sorted(residuals, reverse=True))
        problem, solved = Problem(path), Problem(self.folder / "answer.h5")
        for name in ("f", "w", "mu", "bodies", "ids", "walls"):
            np.testing.assert_array_equal(getattr(problem, name), getattr(solved, name))
        np.testing.assert_array_equal(problem.guess["r"], solved.guess["r"])
        self.assertAlmostEqual(solved.natural_map(solved.solution["r"]), float(rows[-1]["natural_map_max"]), delta=1e-12)

    def test_ranks_write_the_same_problem(self):
        """The problems are equal up to rounding, because with Jacobi's scheme all their inputs have the same bits."""
        options = ("--solver.scheme", "jacobi", "--solver.sweeps", "40", "--time.end", "20 ms", "--output.problems", "20 ms")
        problems = []
        for ranks in (1, 2):
            folder = self.folder / f"ranks{ranks}"
            folder.mkdir()
            problems.append(Problem(run(folder, SCENE, *options, ranks=ranks) / "problems" / "step_000000000400.h5"))
        on_one_rank, on_two_ranks = problems
        for name in ("mu", "bodies", "ids", "walls"):
            np.testing.assert_array_equal(getattr(on_one_rank, name), getattr(on_two_ranks, name))
        self.assertGreater(len(on_one_rank.mu), 10)
        self.assertEqual(abs(on_one_rank.h - on_two_ranks.h).max(), 0)
        np.testing.assert_array_equal(on_one_rank.solution["r"], on_two_ranks.solution["r"])
        np.testing.assert_allclose(on_one_rank.w, on_two_ranks.w, atol=1e-15)

    def test_problems_are_written_with_automatic_steps_and_after_restarts(self):
        """Problems are written at their times with steps of any length, and again after a restart."""
        folder = self.folder / "auto"
        folder.mkdir()
        scene = SCENE.replace("step = 50 us", "step = auto")
        output = run(folder, scene, "--checkpoint.every", "10 ms", "--checkpoint.keep", "9", "--output.problems",
                     "7.3 20 33.3 50 ms")
        paths = sorted((output / "problems").iterdir())
        self.assertEqual(len(paths), 3)
        with h5py.File(paths[1]) as file:
            self.assertRegex(file["fclib_global/info/title"][()].decode(), r"^Scree: the step of \S+ s that ends at 0.02 s")
        self.assertIn("times after the end of the run, up to 0.05 s", (output / "run.log").read_text())
        bytes_before = [path.read_bytes() for path in paths]
        checkpoint = sorted((output / "checkpoints").glob("step_*.h5"))[1]  # of 20 ms
        paths[-1].unlink()
        process = subprocess.run([RUN, "--restart", checkpoint, "--output.directory", output, "--overwrite"],
                                 capture_output=True, text=True)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(sorted((output / "problems").iterdir()), paths)
        self.assertEqual(paths[-1].read_bytes(), bytes_before[-1])

    @unittest.skipUnless(ctypes.util.find_library("fclib"), "FCLIB's library (libfclib0) is not installed")
    def test_problem_is_read_by_fclib(self):
        """FCLIB's library reads the file in a separate process, because it ends the program if it cannot read it."""
        for _, path in self.paths():
            program = textwrap.dedent(f"""
                import ctypes, ctypes.util
                library = ctypes.CDLL(ctypes.util.find_library("fclib"))
                for name in ("fclib_read_global", "fclib_read_solution"):
                    function = getattr(library, name)
                    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
                    assert function({str(path)!r}.encode()), name
                count = ctypes.c_int()
                library.fclib_read_guesses.restype = ctypes.c_void_p
                assert library.fclib_read_guesses({str(path)!r}.encode(), ctypes.byref(count)) and count.value == 1
            """)
            process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_problem_is_solved_by_siconos(self):
        try:
            import siconos.numerics as numerics
        except ImportError:
            self.skipTest("python3-siconos is not installed")
        for _, path in list(self.paths())[:3]:
            problem = Problem(path)
            w, q = problem.delassus()
            siconos_problem = numerics.FrictionContactProblem(3, len(problem.mu), w, q, problem.mu)
            options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
            options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 100000
            options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-12
            r, u = np.zeros(len(q)), np.zeros(len(q))
            numerics.fc3d_nsgs(siconos_problem, r, u, options)
            scale = np.abs(q).max()
            self.assertLess(problem.natural_map(r), 1e-6 * scale)
            contact(path, "--start", "solution", "--tolerance", 1e-9, "--solution", self.folder / "ours.h5")
            np.testing.assert_allclose(u, Problem(self.folder / "ours.h5").solution["u"], atol=1e-5 * scale)


class Refused(unittest.TestCase):
    def test_scenes_with_rolling_friction_or_free_walls_are_refused(self):
        lid = "[wall.lid]\nshape = plane\npoint = 0 0 12 mm\nnormal = 0 0 -1\nfree = along\naxis = 0 0 1\nmass = 1 g\n"
        for scene_text, word in (("[pair.glass.glass]\nrolling_friction = 0.1\n", "rolling"), (lid, "[wall.lid]")):
            with tempfile.TemporaryDirectory() as folder:
                scene = pathlib.Path(folder) / "scene.ini"
                scene.write_text(SCENE + scene_text)
                process = subprocess.run([RUN, scene, "--check"], capture_output=True, text=True)
                self.assertEqual(process.returncode, 2, process.stdout)
                self.assertIn("problems", process.stderr)
                self.assertIn(word, process.stderr)

    def test_bad_arguments_are_refused(self):
        for arguments, word in {
            ("x.h5", "--start", "one"): "--start", ("x.h5", "--history", "-1"): "--history", ("x.h5", "y.h5", "--solution", "z"): "--solution",
        }.items():  # fmt: skip
            process = subprocess.run([CONTACT, "fclib", *arguments], capture_output=True, text=True)
            self.assertEqual(process.returncode, 2)
            self.assertIn(word, process.stderr)


if __name__ == "__main__":
    unittest.main()
