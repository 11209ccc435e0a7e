"""scree-run as a user starts it: output of a run, equal runs, and all errors.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import concurrent.futures
import csv
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["SCREE_RUN"]
MPIEXEC = os.environ["SCREE_MPIEXEC"]
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
TIMEOUT = 300  # of one run [s]; it takes a second, but ranks that share cores wait for each other
# Without this variable, mpirun adds its own paragraphs to the error of a program.
ENVIRONMENT = {**os.environ, "OMPI_MCA_orte_execute_quiet": "1"}

# 10 x 6 x 5 spheres; a layer of 6 x 5 spheres is inserted every 94 steps.
SCENE = """
[domain]
lower = 0 0 0
upper = 10 6 5 mm
[time]
step = 10 us
end = 3 ms
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[wall.ceiling]
shape = plane
point = 0 0 5 mm
normal = 0 0 -1
[wall.right]
shape = plane
point = 0 0 0
normal = 0 1 0
[wall.left]
shape = plane
point = 0 6 0 mm
normal = 0 -1 0
[wall.piston]
shape = plane
point = 0 0 0
normal = 1 0 0
velocity = 1 0 0 m/s
[fill]
lower = 0 0 0
upper = 10 6 5 mm
spacing = 1 mm
radius = 0.47 mm
velocity = 1 0 0 m/s
jitter = 0 0.5 0.5 m/s
[inflow]
piston = piston
lower = 0 0 0
upper = 1 6 5 mm
spacing = 1 mm
radius = 0.47 mm
velocity = 1 0 0 m/s
[outflow]
faces = x+
[output]
every = 1 ms
log_every = 500 us
"""

REST = """
[domain]
lower = -0.2 -0.2 -0.2 m
upper = 0.2 0.2 0.3 m
[time]
end = 1 s
[initial]
file = sphere.csv
[wall.floor]
shape = plane
point = 0 0 -0.05 m
normal = 0 0 1
[output]
log_every = 2 ms
energy_book = yes
"""

BED = """
[domain]
lower = 0 0 0
upper = 12 12 60 mm
periodic = x y
[time]
step = 50 us
end = 150 ms
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[fill]
lower = 0 0 10 mm
upper = 12 12 22 mm
spacing = 2.4 mm
radius = 1 mm
jitter = 0.02 0.02 0.02 m/s
[output]
log_every = 10 ms
"""

# Elastic cylinders meet along lines. Two sweeps are too few for such impacts and add energy.
ELASTIC = """
[scene]
gravity = 0 0 0
[domain]
lower = 0 0 0
upper = 40 40 40 mm
periodic = x y z
[time]
step = 100 us
end = 50 ms
[contact]
friction = 0
restitution = 1
[solver]
sweeps = 2
[shape.can]
solid = cylinder
size = 6 10 mm
[fill]
lower = 0 0 0
upper = 40 40 40 mm
spacing = 13 mm
radius = 6 mm
jitter = 0.5 0.5 0.5 m/s
shape = can
[output]
energy_book = yes
"""

# The floor covers all positions of the fill.
BLOCKED = BED.replace("point = 0 0 0", "point = 0 0 30 mm")

# Coordinates as maps have them.
MAP = """
[domain]
lower = 500000 0 0 m
upper = 500000.01 0.01 0.01 m
periodic = x y z
[time]
end = 1 ms
[fill]
lower = 500000 0 0 m
upper = 500000.01 0.01 0.01 m
spacing = 1 mm
radius = 0.4 mm
"""

COLUMNS = [
    "step", "time", "particles", "inserted", "deleted", "contacts", "closed_contacts",
    "loaded_contacts", "wall_contacts", "touching_contacts", "touching_per_particle", "max_penetration",
    "max_penetration_interval", "kinetic_energy", "mean_velocity_x", "mean_velocity_y", "mean_velocity_z", "max_speed", "sweeps",
    "residual_max", "residual_rms", "converged", "solve_stalled", "solve_error_step", "solve_error_impulses",
    "solve_error_normal_rms", "solve_error_normal_mean", "energy_kinetic", "energy_forces",
    "energy_body_forces", "energy_contacts", "energy_walls", "energy_shear", "energy_rotation", "energy_imbalance",
    "energy_potential", "energy_projection", "energy_integration", "energy_error_reduction", "energy_restitution",
    "energy_dissipated", "energy_entered", "energy_left",
]  # fmt: skip


def run_command(ranks, *arguments):
    """The command that starts scree-run. One rank needs no mpirun, whose start takes longer than most of these runs."""
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, PROGRAM, *map(str, arguments)]


def run_scree(ranks, *arguments):
    """The finished scree-run on this many ranks."""
    process = subprocess.run(
        run_command(ranks, *arguments), capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False
    )
    # Occasionally mpirun closes the pipes of a job that ends with an error before its event library releases them, and
    # reports this (Open MPI, issue 2004).
    printed = [line for line in process.stderr.splitlines(keepends=True) if not line.startswith("[warn] Epoll ")]
    process.stderr = "".join(printed)
    return process


def bad_scenes():
    """Name and text of the scenes of bad_scenes.txt, which describes its format."""
    for paragraph in (DATA / "bad_scenes.txt").read_text().split("\n\n")[1:]:
        head, *edits = paragraph.splitlines()
        name, base = head.split(": ")
        text = [] if base == "none" else (DATA / f"{base}_scene.ini").read_text().splitlines(keepends=True)
        for number, sign, line in re.findall(r"^(\d*)([:+]) ?(.*)$", "\n".join(edits), re.MULTILINE):
            if number:
                old_line = text[int(number) - 1] if sign == "+" else ""
                text[int(number) - 1] = old_line + (line + "\n" if line else "")
            else:
                text.append(line + "\n")
        yield name, "".join(text)


def running_programs(word):
    """Processes of scree-run that have the word on their command line."""
    processes = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue  # ended meanwhile
        if b"scree-run" in line and word.encode() in line:
            processes.append(line)
    return processes


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="scree_run_test_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.scene = self.put("scene.ini", SCENE)

    def put(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def info(self, code, *arguments):
        process = subprocess.run([os.environ["SCREE_INFO"], *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(process.returncode, code, process.stdout + process.stderr)
        return process

    def run_scene(self, ranks, name, *options):
        """Runs the scene into a directory of this name; returns that directory."""
        output = self.folder / name
        process = run_scree(ranks, self.scene, "--output.directory", output, *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""), process.stdout)
        return output


class Output(WithFolder):
    """The unchanged scene runs once on each number of ranks, for all tests that only read its output."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="scree_run_test_")
        cls.addClassCleanup(holder.cleanup)
        cls.shared = pathlib.Path(holder.name)

    def plain_run(self, ranks):
        output = self.shared / f"ranks{ranks}"
        return output if output.exists() else self.run_scene(ranks, output)

    def rows(self, output):
        with open(output / "series.csv", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def test_series_and_files_at_any_rank_count(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                output = self.plain_run(ranks)
                rows = self.rows(output)
                self.assertEqual(list(rows[0]), COLUMNS)
                self.assertEqual([int(row["step"]) for row in rows], list(range(0, 301, 50)))
                # Layers after 94, 188 and 282 steps.
                inserted = [0, 0, 30, 30, 60, 60, 90]
                self.assertEqual([int(row["inserted"]) for row in rows], inserted)
                for row in rows:
                    balance = 300 + int(row["inserted"]) - int(row["deleted"])
                    self.assertEqual(int(row["particles"]), balance)
                self.assertGreater(int(rows[-1]["deleted"]), 0)
                names = {path.name for path in output.iterdir()}
                self.assertEqual(
                    names,
                    {"snapshots", "snapshots.xdmf", "walls.vtk", "series.csv", "timing.csv"}
                    | {"config.ini", "run.log", "averages", "checkpoints", "problems", ".scree_lock"},
                )
                snapshots = sorted(path.name for path in (output / "snapshots").iterdir())
                files = [f"step_{step:012d}.h5" for step in range(0, 301, 100)]
                digests = [f"{name}.xxh64" for name in files]
                self.assertEqual(snapshots, sorted(files + digests))

    def test_equal_numbers_of_ranks_give_equal_bytes_in_any_directory(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                first = self.plain_run(ranks)
                second = self.run_scene(ranks, f"another_directory{ranks}")
                for name in ["series.csv", *(f"snapshots/{p.name}" for p in (first / "snapshots").iterdir())]:
                    self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), name)

    def test_energy_balance_closes_over_the_whole_run(self):
        for ranks in (1, 4):
            with self.subTest(ranks=ranks):
                output = self.run_scene(ranks, f"balance{ranks}", "--output.energy_book", "yes")
                first, *rows = [
                    {name: float(text) for name, text in row.items() if text}
                    for row in self.rows(output)
                ]
                self.assertEqual(first["energy_forces"], 0.0)
                for row in rows:
                    change = row["kinetic_energy"] - first["kinetic_energy"]
                    balance = row["energy_kinetic"] + row["energy_entered"] - row["energy_left"]
                    self.assertAlmostEqual(change / row["kinetic_energy"],
                                           balance / row["kinetic_energy"], 10)  # fmt: skip
                    self.assertLess(abs(row["energy_imbalance"]), 1e-10 * abs(row["energy_contacts"]))
                self.assertGreater(rows[-1]["energy_walls"], 0.0)
                self.assertGreater(rows[-1]["energy_left"], 0.0)
                self.assertIn("energy in J: kinetic", (output / "run.log").read_text())

    def test_energy_balance_continues_after_a_restart(self):
        # The checkpoint is between two rows, and before the end of the run.
        options = ["--output.energy_book", "yes", "--checkpoint.every", "170 steps"]
        uninterrupted = self.run_scene(2, "whole", *options)
        parts = self.run_scene(2, "parts", *options, "--time.end", "1.7 ms")
        process = run_scree(2, "--restart", parts, "--time.end", "3 ms")
        self.assertEqual((process.returncode, process.stderr), (0, ""), process.stdout)
        self.assertEqual((uninterrupted / "series.csv").read_bytes(), (parts / "series.csv").read_bytes())

    def test_error_of_solves_is_in_the_series_also_after_a_restart(self):
        # The error is measured at the end of the first run too, step 1100, but the series does not show it.
        options = ["--output.wall_forces", "yes", "--checkpoint.every", "1100 steps"]
        uninterrupted = self.run_scene(2, "whole", *options, "--time.end", "12 ms")
        parts = self.run_scene(2, "parts", *options, "--time.end", "11 ms")
        process = run_scree(2, "--restart", parts, "--time.end", "12 ms")
        self.assertEqual((process.returncode, process.stderr), (0, ""), process.stdout)
        self.assertEqual((uninterrupted / "series.csv").read_bytes(), (parts / "series.csv").read_bytes())
        for row in self.rows(parts):
            measured = [step for step in (16, 64, 256, 1000) if step <= int(row["step"])]
            self.assertEqual(row["solve_error_step"], str(measured[-1]) if measured else "")
            self.assertEqual(row["wall_floor_solve_error"] != "", bool(measured))
            if measured:
                self.assertTrue(0.0 < float(row["solve_error_impulses"]) < 1.0)
        names = [f"snapshots/step_{step:012d}.h5" for step in (0, 1000, 1200)]
        self.assertNotIn("solve error", self.info(0, parts / names[0]).stdout)
        for name in names[1:]:
            self.assertIn("solve error:    impulses", self.info(0, parts / name).stdout)
        self.assertIn("loads of walls off by:", (parts / "run.log").read_text())
        self.assertNotIn("loads of walls off by:", (self.plain_run(1) / "run.log").read_text())

    def test_energies_are_empty_if_they_are_not_recorded(self):
        for row in self.rows(self.plain_run(1)):
            energies = {text for name, text in row.items() if name.startswith("energy_")}
            self.assertEqual(energies, {""})

    def test_another_seed_gives_other_bytes(self):
        first = self.plain_run(1)
        second = self.run_scene(1, "two", "--scene.seed", "2")
        self.assertNotEqual((first / "series.csv").read_bytes(), (second / "series.csv").read_bytes())

    def test_effective_configuration_gives_the_same_series(self):
        first = self.plain_run(2)
        self.scene = first / "config.ini"
        second = self.run_scene(2, "two")
        self.assertEqual((first / "series.csv").read_bytes(), (second / "series.csv").read_bytes())

    def test_earlier_output_is_kept_without_overwrite(self):
        output = self.run_scene(2, "out")
        note = self.put("out/note.txt", "mine")
        series_before = (output / "series.csv").read_bytes()
        refused = run_scree(2, self.scene, "--output.directory", output, "--time.end", "1 ms")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--overwrite", refused.stderr)
        self.assertEqual((output / "series.csv").read_bytes(), series_before)
        self.run_scene(2, "out", "--time.end", "1 ms", "--overwrite")
        self.assertEqual(len(list((output / "snapshots").glob("*.h5"))), 2)
        self.assertEqual(note.read_text(), "mine")

    def test_info_describes_a_run(self):
        output = self.plain_run(1)
        message, last_row = self.info(0, output).stdout, self.rows(output)[-1]
        for line in ("state:          finished", f"particles:      {last_row['particles']}", "snapshots:      ", "walls:          ",
                     f"largest speed:  {float(last_row['max_speed']):.4g} m/s"):
            self.assertIn(line, message)
        self.assertEqual(self.info(0, "--configuration", output).stdout, (output / "config.ini").read_text())
        stopped = self.folder / "stopped"
        shutil.copytree(output, stopped)
        rows = (stopped / "series.csv").read_text().splitlines(keepends=True)
        (stopped / "series.csv").write_text("".join(rows[: len(rows) // 2]) + rows[-1][:20])
        self.assertRegex(self.info(0, stopped).stdout, r"state: +\d+.* % done, .*scree-run --restart")
        self.assertIn("is not the output of a run", self.info(3, self.folder).stderr)

    def test_quiet_prints_nothing(self):
        process = run_scree(2, self.scene, "--output.directory", self.folder / "out", "--quiet")
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))
        self.assertIn("done in", (self.folder / "out/run.log").read_text())

    def test_quiet_keeps_the_warning_of_gained_energy(self):
        scene, output = self.put("elastic.ini", ELASTIC), self.folder / "out"
        # With cold starts no line search forbids the gain.
        process = run_scree(1, scene, "--output.directory", output, "--quiet", "--solver.warm_start", "no")
        self.assertEqual((process.returncode, process.stdout), (0, ""))
        self.assertRegex(process.stderr, r"^WARNING: contacts should only remove energy, but have added .*\n$")
        self.assertIn(process.stderr, (output / "run.log").read_text())

    def test_printed_lines_are_few_and_include_the_last(self):
        process = run_scree(1, self.scene, "--output.directory", self.folder / "out",
                        "--output.log_every", "1 steps")  # fmt: skip
        progress = [line for line in process.stdout.splitlines() if "% t " in line]
        self.assertLess(len(progress), TIMEOUT)  # at most one line per second
        self.assertTrue(progress[-1].startswith("100.0%"), progress[-1])
        log_text = (self.folder / "out/run.log").read_text()
        self.assertEqual(log_text.count("% t "), 301)


class Questions(WithFolder):
    def test_answers_need_no_scene_and_are_printed_once(self):
        for option, part in (
            ("--help", "--time.end"),
            ("--list-keys", "time.end\n"),
            ("--version", "HDF5:"),
        ):
            with self.subTest(option):
                process = run_scree(2, option)
                self.assertEqual((process.returncode, process.stderr), (0, ""))
                self.assertEqual(process.stdout.count(part), 1, process.stdout)

    def test_printed_configuration_is_a_scene(self):
        printed = run_scree(2, self.scene, "--print-config")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        reprinted = run_scree(1, self.put("effective.ini", printed.stdout), "--print-config")
        self.assertEqual(reprinted.stdout, printed.stdout)

    def test_check_predicts_and_writes_walls_without_a_run(self):
        for ranks in (1, 4):
            with self.subTest(ranks=ranks):
                output = self.folder / f"out{ranks}"
                process = run_scree(ranks, self.scene, "--output.directory", output, "--check")
                self.assertEqual((process.returncode, process.stderr), (0, ""))
                self.assertIn("# particles   300 at time zero", process.stdout)
                self.assertIn("# inserted    up to 30 every 94 steps", process.stdout)
                self.assertEqual([path.name for path in output.iterdir()], ["check_walls.vtk"])
                # The output of --check does not count as earlier output.
                self.run_scene(ranks, f"out{ranks}")


class Refusals(WithFolder):
    """Each error gives one message of Scree and the exit code, and leaves no process."""

    def check_all(self, cases):
        """cases: (name, exit code, part of the message, ranks, arguments)."""
        # In parallel, because mpirun waits for a second before it ends a failed job.
        with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
            started = [(case, pool.submit(run_scree, case[3], *case[4])) for case in cases]
        for (name, code, part, ranks, _), pending in started:
            with self.subTest(name, ranks=ranks):
                process = pending.result()
                self.assertEqual(process.returncode, code, process.stderr)
                lines = process.stderr.splitlines()
                self.assertEqual(len(lines), 1, process.stderr)
                self.assertTrue(lines[0].startswith("scree-run: "), process.stderr)
                self.assertIn(part, process.stderr)
        self.assertEqual(running_programs(str(self.folder)), [])

    def at_4_ranks(self, cases):
        """Runs all cases on 4 ranks, which must agree on the error, and the first case on one rank too."""
        output = ["--output.directory", self.folder / "out"]
        self.check_all(
            (name, code, part, ranks, [*arguments, *([] if "--output.directory" in arguments else output)])
            for k, (name, code, part, arguments) in enumerate(cases)
            for ranks in ((1, 4) if k == 0 else (4,))
        )

    def test_bad_scenes_are_refused(self):
        scenes_with_names = list(bad_scenes())
        self.assertGreater(len(scenes_with_names), 150)
        # One reader refuses all scenes, so every 20th is enough. config_reader_test checks all messages in one process.
        scenes = [self.put(f"{name}.ini", text) for name, text in scenes_with_names[::20]]
        self.at_4_ranks([(s.stem, 2, str(s), [s]) for s in scenes])

    def test_scenes_that_are_not_text_are_refused(self):
        # The bad scenes include an empty file.
        binary = self.put("binary.ini", bytes(range(256)) * 20)
        high = self.put("high.ini", b"\xff\xfe\xf8" * 100)
        self.at_4_ranks(
            [
                ("missing", 3, "No such file", [self.folder / "no.ini"]),
                ("directory", 3, "is a directory", [self.folder]),
                ("binary", 2, "is a binary file", [binary]),
                ("not UTF-8", 2, "bytes that are not text", [high]),
            ]
        )

    def test_bad_command_lines_are_refused(self):
        self.at_4_ranks(
            [
                ("no scene", 2, "no scene is given", []),
                ("two scenes", 2, "two scenes", [self.scene, self.scene]),
                ("unknown switch", 2, 'did you mean "--quiet"', [self.scene, "--quite"]),
                ("unknown key", 2, 'did you mean "end"', [self.scene, "--time.ende", "1 s"]),
                ("unknown wall", 2, "wall.pistn", [self.scene, "--wall.pistn.velocity", "0 0 0"]),
                ("bad value", 2, "--time.end", [self.scene, "--time.end", "1 kg"]),
            ]
        )

    def test_unsuitable_numbers_of_ranks_are_refused(self):
        big = self.put("big.ini", SCENE.replace("0.47 mm", "1.5 mm").replace("= 1 mm", "= 3 mm"))
        self.check_all(
            [
                ("more ranks than boxes", 2, "mpirun with -n 2", 4,
                 [self.scene, "--parallel.subdomains", "2x1x1"]),
                ("boxes without number", 2, "is 1e+18 boxes, one per rank, but there are 1", 1,
                 [self.scene, "--parallel.subdomains", "1000000x1000000x1000000"]),
                ("more particles than memory", 2, "[fill] would have", 1,
                 [self.scene, "--fill.spacing", "1 um", "--fill.radius", "0.4 um"]),
                ("more particles than memory, with --check", 2, "[fill] would have", 1,
                 ["--check", self.scene, "--fill.spacing", "1 um", "--fill.radius", "0.4 um"]),
                ("no free space for a particle", 2, "the scene has no particles", 1,
                 [self.put("blocked.ini", BLOCKED), "--check"]),
                ("single precision on a map", 2, "output.precision is single", 1,
                 [self.put("map.ini", MAP), "--output.precision", "single"]),
                ("single precision on a map, with --check", 2, "output.precision is single", 1,
                 ["--check", self.folder / "map.ini", "--output.precision", "single"]),
                ("fewer ranks than boxes", 2, "mpirun with -n 2", 1,
                 [self.scene, "--parallel.subdomains", "2x1x1"]),
                ("particle wider than a box", 2, "at least as wide as one particle diameter", 4, [big]),
                ("periodic length too short", 2, "periodic length", 1,
                 [big, "--domain.periodic", "y"]),
            ]
        )  # fmt: skip

    def test_unwritable_output_is_refused(self):
        file = self.put("file", "no directory")
        self.at_4_ranks(
            [
                ("below a file", 5, "out", [self.scene, "--output.directory", file / "out"]),
                ("refused by the system", 5, "/proc", [self.scene, "--output.directory", "/proc/scree"]),
            ]
        )

    def test_bad_initial_files_are_refused(self):
        snapshot = self.run_scene(1, "earlier") / "snapshots/step_000000000100.h5"
        content = snapshot.read_bytes()
        broken = bytearray(content)
        broken[len(content) // 2 :] = b""
        files = [
            ("missing", "missing.h5", None, "missing.h5"),
            ("cut", "cut.h5", bytes(broken), "cut.h5"),
            ("no HDF5", "text.h5", b"x,y,z\n", "text.h5"),
            ("no number", "bad.csv", b"x,y,z,radius\n0.001,0.002,much,0.00047\n", "bad.csv' line 2"),
            ("no radius", "column.csv", b"x,y,z\n0,0,0\n", "radius"),
            ("no rows", "rows.csv", b"x,y,z,radius\n", "no particles"),
            ("in mm, so that all are outside", "mm.csv", b"x,y,z,radius\n20,1,1,0.47\n30,1,1,0.47\n",
             "mm.csv': 2 of 2 particles are outside the domain, such as id 0 at (20  1  1) m"),
            ("too fast a spin", "spun.csv", b"x,y,z,radius,wy\n0.001,0.002,0.001,0.00047,1e160\n",
             "spun.csv': particle 0 has an angular velocity of 1e+160; expected -1e+15 to 1e+15"),
            ("too large a radius", "huge.csv", b"x,y,z,radius\n0.001,0.002,0.001,1e308\n", "1e-09 to 1000000"),
            ("too small a radius", "tiny.csv", b"x,y,z,radius\n0.001,0.002,0.001,1e-320\n", "1e-09 to 1000000"),
        ]
        cases = []
        for name, file_name, content_or_none, words in files:
            path = self.folder / file_name
            if content_or_none is not None:
                self.put(file_name, content_or_none)
            cases.append((name, 3, words, [self.scene, "--initial.file", path]))
        self.at_4_ranks(cases)

    def test_initial_file_next_to_the_scene_is_found(self):
        scene_folder = self.folder / "elsewhere"
        scene_folder.mkdir()
        (scene_folder / "beside.csv").write_text("x,y,z,radius\n0.001,0.002,0.001,0.00047\n")
        (scene_folder / "scene.ini").write_text(SCENE + "[initial]\nfile = beside.csv\n")
        for ranks in (1, 4):
            process = run_scree(ranks, scene_folder / "scene.ini", "--time.end", "20 us", "--output.every", "never",
                            "--output.directory", self.folder / f"beside{ranks}")  # fmt: skip
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            self.assertIn("1 particles, 2 steps", process.stdout)

    def test_excessive_spin_is_refused(self):
        self.put("spin.csv", "x,y,z,radius,wx\n0.001,0.002,0.001,0.00047,1e14\n")
        process = run_scree(1, self.scene, "--initial.file", self.folder / "spin.csv")
        self.assertEqual(process.returncode, 4, process.stderr)
        self.assertIn("1 particle running away", process.stderr)

    def test_final_report_has_the_accuracy(self):
        # A bed falls onto a floor; with 50 times the step spheres fall into each other.
        scene = self.put("bed.ini", BED)
        for step, accuracy_word in (("20 us", "accuracy: good"), ("1 ms", "accuracy: DOUBTFUL")):
            output = self.folder / f"bed{step.split()[0]}"
            process = run_scree(1, scene, "--time.step", step, "--output.directory", output)
            self.assertEqual(process.returncode, 0, process.stderr)
            log = (output / "run.log").read_text()
            self.assertIn(accuracy_word, log)
            self.assertEqual("the longest step corresponds to time.accuracy" in log, "good" in accuracy_word)
            self.assertRegex(log, r"solve, against 10 times the sweeps in \d+ steps?: the force at a contact in one step is off by ")
            self.assertRegex(log, r"error bars of means: (flow [\d.]+ %|not known)")
            if "DOUBTFUL" in accuracy_word:
                self.assertIn("overlap / r reached", log)
                self.assertIn("a shorter [time] step", log)

    def test_rounding_at_rest_is_not_reported_as_gained_energy(self):
        # A sphere lies on a floor all the time. Its weight and the contact do works of some 1e-17 J.
        scene = self.put("rest.ini", REST)
        self.put("sphere.csv", "x,y,z,radius\n0,0,0,0.05\n")
        output = self.folder / "rest"
        process = run_scree(1, scene, "--output.directory", output)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertNotIn("WARNING", (output / "run.log").read_text())

    def test_final_report_warns_of_very_different_masses(self):
        for small, has_warning in ((0.11, False), (0.1, True)):
            self.put("two.csv", f"x,y,z,radius\n3e-3,3e-3,2.5e-3,2.2e-3\n8e-3,3e-3,1e-3,{small}e-3\n")
            process = run_scree(1, self.scene, "--initial.file", self.folder / "two.csv", "--time.end", "20 us",
                            "--output.every", "never", "--output.overwrite", "yes")  # fmt: skip
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual("heaviest / lightest reached 1.1e+04" in process.stdout, has_warning, process.stdout)

    def test_lost_particle_leaves_its_state(self):
        # The fill leaves the domain where there is no wall.
        scene = self.put("open.ini", SCENE.replace("faces = x+", "faces = none"))
        for ranks in (1, 4):
            with self.subTest(ranks=ranks):
                output = self.folder / f"lost{ranks}"
                process = run_scree(ranks, scene, "--output.directory", output)
                self.assertEqual(process.returncode, 4, process.stderr)
                self.assertTrue(process.stderr.startswith("scree-run: "), process.stderr)
                self.assertEqual(process.stderr.count("A particle is lost when"), 1, process.stderr)
                log = (output / "run.log").read_text()
                self.assertIn("failed.h5", log)
                self.assertIn("A particle is lost when", log)
                self.assertGreater((output / "failed.h5").stat().st_size, 10_000)
        self.assertIn("state:          became invalid: the last state is in failed.h5", self.info(0, output).stdout)
        step = int(re.search(r"lost on rank \d+ at step (\d+)", process.stderr)[1])
        process = run_scree(4, scene, "--output.directory", output, "--output.overwrite", "yes",
                        "--output.problems", f"{10 * step} us")  # fmt: skip
        self.assertEqual(process.returncode, 4, process.stderr)
        self.assertEqual(len(list((output / "problems").iterdir())), 1)
        self.assertEqual(running_programs(str(self.folder)), [])


if __name__ == "__main__":
    unittest.main()
