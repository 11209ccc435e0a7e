"""cmake --install: the installed tree works after it is moved, and other programs build on it.

Needs SCREE_BUILD (the build directory) and SCREE_CMAKE (cmake) in the environment.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["SCREE_BUILD"]
CMAKE = os.environ["SCREE_CMAKE"]


def output_of(*command, **options):
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    if process.returncode != 0:
        raise AssertionError(f"{command}: exit code {process.returncode}: {process.stderr}")
    return process.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        output_of(CMAKE, "--install", BUILD, "--prefix", folder / "first")
        # Spaces in the path reveal missing quotes.
        cls.tree = (folder / "first").rename(folder / "another place")

    def test_program_runs_an_installed_scene(self):
        output = self.tree / "output"
        text = output_of(
            self.tree / "bin/scree-run",
            self.tree / "share/scree/scenes/channel_small.ini",
            *("--time.end", "100 us", "--output.directory", output),
        )
        self.assertIn("11532 particles, 10 steps", text)
        self.assertTrue((output / "snapshots/step_000000000010.h5").is_file())

    def test_program_tests_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            text = output_of(self.tree / "bin/scree-run", "--self-test", cwd=folder)
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(re.findall(r"^(\w+):\s+good: ", text, re.MULTILINE), ["MPI", "bits", "HDF5"])
        # Runs in a folder in which no file can be written.
        process = subprocess.run([self.tree / "bin/scree-run", "--self-test"], capture_output=True, text=True, cwd="/proc")
        self.assertEqual(process.returncode, 5, process.stderr)
        self.assertRegex(process.stdout, r"bits: good: .*\nHDF5: FAILED: .*scree_self_test_")

    def test_simd_level_is_the_requested_one_or_refused(self):
        def run(simd_level, *words):
            environment = {**os.environ, "SCREE_SIMD": simd_level}
            return subprocess.run(words, executable=self.tree / "bin/scree-run", capture_output=True, text=True,
                                  env=environment, cwd=self.tree)  # fmt: skip

        default_level = re.search(r"kernels at work: (\w+)", run("", "scree-run", "--version").stdout)[1]
        built = {path.name.removeprefix("x86-64-") for path in self.tree.glob("lib*/**/glibc-hwcaps/*")} | {default_level}
        for simd_level in ("v2", "v3", "v4"):
            with self.subTest(simd_level):
                version, self_test = run(simd_level, "scree-run", "--version"), run(simd_level, "scree-run", "--self-test")
                if version.returncode == 0:
                    self.assertIn(simd_level, built)
                    self.assertIn(f"kernels at work: {simd_level},", version.stdout)
                    self.assertEqual(self_test.returncode, 0, self_test.stdout)
                else:
                    self.assertEqual((version.returncode, self_test.returncode), (2, 2))
                    self.assertRegex(version.stderr, f'SCREE_SIMD: "{simd_level}": this (build|processor) ')
        self.assertIn("expected v2, v3 or v4", run("v5", "scree-run", "--version").stderr)

    def test_installed_headers_include_only_installed_headers(self):
        headers = self.tree / "include/scree"
        installed = {str(path.relative_to(headers)) for path in headers.rglob("*.hpp")}
        self.assertIn("engine/step/simulation.hpp", installed)
        self.assertNotIn("engine/step/time_step.hpp", installed)
        included = {name for header in installed for name in re.findall(r'#include "(.+)"', (headers / header).read_text())}
        self.assertEqual(included - installed, set())

    def test_program_of_a_user_builds_on_the_installed_tree_and_runs(self):
        build, output = self.tree / "cluster build", self.tree / "cluster output"
        output.mkdir()
        output_of(CMAKE, "-S", self.tree / "share/scree/example", "-B", build, f"-DCMAKE_PREFIX_PATH={self.tree}",
                  "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1")
        output_of(CMAKE, "--build", build)
        output_of(build / "cluster", output)
        with open(output / "cluster.csv", newline="") as table:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(table)]
        # A cloud of 14 mm has become a ball without loose particles.
        self.assertGreater(rows[0]["gyration_radius"], 9e-3)
        self.assertLess(rows[-1]["gyration_radius"], 4.5e-3)
        self.assertGreater(rows[-1]["contacts"], 4.0)
        self.assertRegex(output_of(self.tree / "bin/scree-info", output / "cluster.h5"), "particles: +500 ")

    @unittest.skipUnless(os.environ["SCREE_HAS_PYTHON"] == "ON", "the bindings for Python are not built")
    def test_rain_in_python_is_the_same_on_two_ranks(self):
        environment = {**os.environ, "PYTHONPATH": str(self.tree / "share/scree/scripts")}
        environment.pop("SCREE_NATIVE", None)
        program = [os.environ["SCREE_PYTHON"], self.tree / "share/scree/example/rain.py"]
        dump_state = "import sys, numpy, scree.snapshot\nf = scree.snapshot.read_snapshot(sys.argv[1])\n" \
               "o = numpy.argsort(f['id'])\nnumpy.save(sys.argv[2], numpy.hstack([f[k][o] for k in ('position', 'velocity')]))"  # fmt: skip
        states = []
        for launcher in ([], [os.environ["SCREE_MPIEXEC"], "-n", "2"]):
            folder = self.tree / f"rain {len(launcher)}"
            folder.mkdir()
            try:
                output_of(*launcher, *program, folder, env=environment)
            except AssertionError as error:
                if "UsageError: comm: mpi4py was built with" not in str(error):
                    raise
                print("skipped: mpi4py is of another MPI, which is refused", file=sys.stderr)
                self.skipTest("mpi4py is of another MPI, which is refused")
            for name in ("rain.png", "rain_curve.png"):
                self.assertGreater((folder / name).stat().st_size, 10000, name)
            output_of(program[0], "-c", dump_state, folder / "rain.h5", folder / "state.npy", env=environment)
            states.append((folder / "state.npy").read_bytes())
        self.assertEqual(states[0], states[1])
        # Six numbers of 8 bytes for each of some 900 grains.
        self.assertGreater(len(states[0]), 800 * 48)

    def test_every_scene_is_installed_and_valid(self):
        source = pathlib.Path(__file__).resolve().parents[3] / "apps/scenes"
        kinds = (".ini", ".toml", ".stl", ".csv", ".py", ".lammps")
        files = sorted(str(path.relative_to(source)) for path in source.rglob("*") if path.suffix in kinds)
        installed = self.tree / "share/scree/scenes"
        self.assertEqual(
            sorted(str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()), files
        )
        for scene in (name for name in files if name.endswith(".ini") and not name.startswith("studies/")):
            output_of(
                self.tree / "bin/scree-run",
                self.tree / "share/scree/scenes" / scene,
                "--print-config",
            )

    def test_links_of_installed_pages_lead_to_files(self):
        pages = sorted((self.tree / "share/doc/scree").rglob("*.md"))
        dead = []
        for page in pages:
            text = re.sub(r"^```[\s\S]*?^```", "", page.read_text(encoding="utf-8"), flags=re.M)
            links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
            dead += [(page.name, link) for link in links if not re.match(r"\w+:", link) and not (page.parent / link).exists()]
        self.assertEqual(dead, [])
        self.assertIn("howto.md", [page.name for page in pages])

    def test_python_package_finds_the_program(self):
        scripts = self.tree / "share/scree/scripts"
        for name in ("pyproject.toml", "scree/py.typed", "scree/_native.pyi", "scree/viewer/viewer.js", "tutorial.py"):
            self.assertTrue((scripts / name).is_file(), name)
        # Sources of the manual and of packages are not installed.
        self.assertFalse((scripts / "manual.py").exists())
        self.assertFalse((scripts / "packaging").exists())
        environment = {"PYTHONPATH": str(scripts), "PATH": "/dev/null"}
        program = scripts / "found.py"
        program.write_text('import _environment\n_environment.require("numpy", "h5py")\n'
                           "import scree.program\nprint(scree.program.found())\n")
        process = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment)
        self.assertEqual(process.stdout.strip(), str(self.tree / "bin/scree-run"), process.stderr)

    def test_scripts_start_and_find_their_modules(self):
        scripts = self.tree / "share/scree/scripts"
        # Starts each script once, alternately by its file and by a link. One of them runs under the first python3 on
        # PATH, which may lack the packages, the others under the Python of this test.
        self.assertIn("usage:", output_of(scripts / "report.py", "--help"))
        path_with_python = {**os.environ, "PATH": os.pathsep.join((str(pathlib.Path(sys.executable).parent), os.environ["PATH"]))}
        for name in ("compare.py", "contacts.py", "mixing.py", "profiles.py", "rdf.py"):
            self.assertIn("usage:", output_of(scripts / name, "--help", env=path_with_python))
        for command in ("scree-render", "scree-key-figures", "scree-plot-table", "scree-study", "scree-calibrate"):
            self.assertIn(f"usage: {command}", output_of(self.tree / "bin" / command, "--help", env=path_with_python))
        for name in ("paraview_state.py", "cluster/run.sbatch", "cluster/README.md"):
            self.assertTrue((scripts / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
