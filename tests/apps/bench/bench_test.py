"""scree-bench as a user starts it: packings of every kind, scenes, output, and all errors.

usage: bench_test.py LAUNCHER SCREE_BENCH
"""

import csv
import gzip
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, PROGRAM = sys.argv[1:3]
SCENES = pathlib.Path(__file__).resolve().parents[3] / "apps/scenes"
TIMEOUT = 100  # of one run [s]; a run here takes a second
# Without this variable, mpirun adds its own paragraphs to the error of a program.
ENVIRONMENT = {**os.environ, "OMPI_MCA_orte_execute_quiet": "1"}

SPHERES = 500
PHASES = [
    "neighbor_list", "detection", "assembly", "sweeps", "exchange", "integration", "balance", "other",
]  # fmt: skip


def run_bench(ranks, *arguments):
    command = [LAUNCHER, "-n", str(ranks), PROGRAM, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, check=False, env=ENVIRONMENT
    )


def measure(ranks, *arguments):
    """Quantities by key, and rows of the table by phase, of a run that succeeds."""
    process = run_bench(ranks, *arguments)
    if process.returncode != 0:
        raise AssertionError(f"{arguments}: exit code {process.returncode}: {process.stderr}")
    lines, table = process.stdout.split("\n\n")
    quantities = dict(line.split("=", 1) for line in lines.splitlines())
    phases = {row.split()[0]: list(map(float, row.split()[1:])) for row in table.splitlines()[1:]}
    return quantities, phases


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.snapshot, cls.table = cls.folder / "packing.h5", cls.folder / "packing.csv"
        for process in (
            run_bench(1, "--generate", SPHERES, "--steps", 0, "--output", cls.snapshot),
            run_bench(1, "--packing", cls.snapshot, "--steps", 0, "--output", cls.table),
        ):
            if process.returncode != 0 or process.stdout:
                raise AssertionError(process.stdout + process.stderr)
        cls.gzipped = cls.folder / "packing.csv.gz"
        cls.gzipped.write_bytes(gzip.compress(cls.table.read_bytes()))

    def check_refused(self, code, *arguments, ranks=1):
        process = run_bench(ranks, *arguments)
        self.assertEqual(process.returncode, code, process.stderr)
        self.assertEqual(process.stdout, "")
        # The error is printed once on any number of ranks.
        self.assertEqual(process.stderr.count("scree-bench: "), 1, process.stderr)
        self.assertNotIn("internal error", process.stderr)
        return process.stderr

    def write_file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_snapshot_csv_table_and_gzipped_table_give_the_same_contacts(self):
        counts = set()
        for path in (self.snapshot, self.table, self.gzipped):
            for ranks in (1, 2):
                # Before any motion the contacts of the first step are those of the file, on any number of ranks.
                quantities, _ = measure(ranks, "--packing", path, "--warm-up", 0, "--steps", 1)
                self.assertEqual(quantities["particles"], str(SPHERES))
                self.assertEqual(quantities["ranks"], str(ranks))
                counts.add(int(quantities["contacts"]))
        self.assertEqual(len(counts), 1, counts)
        self.assertGreater(counts.pop(), 2.5 * SPHERES)

    def test_printed_quantities_agree_with_each_other(self):
        sweeps, steps, warm_up = 7, 20, 5
        quantities, phases = measure(
            2, "--packing", self.table, "--sweeps", sweeps, "--steps", steps, "--warm-up", warm_up
        )
        self.assertEqual(quantities["sweeps"], str(sweeps))
        self.assertEqual(quantities["steps"], str(steps))
        self.assertEqual(quantities["warm_up_steps"], str(warm_up))
        self.assertEqual(list(phases), [*PHASES, "sum"])
        for phase in PHASES:
            min_time, mean, max_time, _ = phases[phase]
            self.assertLessEqual(min_time, mean)
            self.assertLessEqual(mean, max_time)
            self.assertGreaterEqual(min_time, 0.0)
        self.assertAlmostEqual(sum(phases[phase][3] for phase in PHASES), 100.0, delta=1.0)
        texts = ("source", "version", "subdomains")
        number = {key: float(value) for key, value in quantities.items() if key not in texts}
        per_sphere = number["contacts"] / SPHERES
        self.assertAlmostEqual(number["contacts_per_sphere"], per_sphere, delta=1e-4)
        # Only roughly equal: the table has four decimals of a millisecond, and contacts open and close in the steps.
        per_step = number["contacts"] * sweeps / (1e-3 * phases["sweeps"][2])
        self.assertLess(abs(math.log(number["contact_relaxations_per_second"] / per_step)), 0.1)
        rate = SPHERES * number["steps_per_second"]
        self.assertAlmostEqual(number["particle_steps_per_second"] / rate, 1.0, delta=1e-4)
        ratio = number["sweep_bytes_per_second"] / number["triad_bytes_per_second"]
        self.assertAlmostEqual(number["sweep_share_of_triad"] / ratio, 1.0, delta=1e-4)
        # A position has 24 bytes. Two bodies and the normal of a contact need more.
        self.assertGreater(number["bytes_per_particle"], 100)
        self.assertGreater(number["bytes_per_contact"], 80)
        self.assertGreater(number["memory_bytes"], number["memory_bytes_most_of_a_rank"])
        self.assertGreater(number["memory_bytes_most_of_a_rank"], 1e6)

    def test_threshold_decides_which_contacts_are_active(self):
        def contacts(*options):
            return measure(1, "--packing", self.table, "--warm-up", 0, "--steps", 1, *options)[0]

        touching_only, with_threshold = contacts("--threshold", "0d"), contacts("--threshold", "0.1d")
        self.assertLess(int(touching_only["contacts"]) + 100, int(with_threshold["contacts"]))
        self.assertEqual(with_threshold["contact_threshold"], "4.7e-05")
        self.assertEqual(contacts("--threshold", "47 um")["contacts"], with_threshold["contacts"])
        self.assertEqual(contacts("--step", "2e-6")["time_step"], "2e-06")

    def test_overlaps_are_removed_by_the_given_fraction(self):
        pair = self.write_file("pair.csv", "# box 1 1 1\nx,y,z,radius\n.4,.5,.5,.1\n.59,.5,.5,.1\n")

        def overlap(fraction):
            # The overlap is measured before a step, so that the second step shows one correction.
            options = ("--gravity", 0, "--warm-up", 1, "--steps", 1, "--error-reduction", fraction)
            return float(measure(1, "--packing", pair, *options)[0]["max_penetration"])

        self.assertAlmostEqual(overlap(0), 0.01, delta=1e-9)
        # A step removes this fraction of the overlap beyond the slop, which is 3e-4 of the radius.
        self.assertAlmostEqual(overlap(0.75), 0.0025 + 0.75 * 3e-5, delta=1e-9)

    def test_tiles_multiply_the_packing(self):
        single, _ = measure(1, "--packing", self.table, "--warm-up", 0, "--steps", 1)
        tiled = self.folder / "tiled.h5"
        options = ("--tile", "3,1,2", "--warm-up", 0, "--steps", 1, "--output", tiled)
        quantities, _ = measure(2, "--packing", self.table, *options)
        self.assertEqual(quantities["particles"], str(6 * SPHERES))
        self.assertEqual(quantities["tile"], "3,1,2")
        # At the positions of the walls some spheres of neighbouring copies touch.
        self.assertAlmostEqual(int(quantities["contacts"]) / (6 * int(single["contacts"])), 1, delta=0.1)
        repeated, _ = measure(1, "--packing", tiled, "--warm-up", 0, "--steps", 1)
        self.assertEqual(repeated["contacts"], quantities["contacts"])

    def test_repeated_measurements_give_a_median_in_a_range(self):
        quantities, _ = measure(1, "--packing", self.table, "--steps", 5, "--repeat", 3)
        self.assertEqual(quantities["measurements"], "3")
        for key in ("contact_relaxations_per_second", "particle_steps_per_second"):
            self.assertLessEqual(float(quantities[key + "_least"]), float(quantities[key]))
            self.assertLessEqual(float(quantities[key]), float(quantities[key + "_most"]))

    def test_scenes_run_with_changed_keys_and_with_particles_of_a_file(self):
        scene = SCENES / "channel_small.ini"
        quantities, _ = measure(2, "--scene", scene, "--steps", 3, "--solver.sweeps", 4)
        self.assertEqual(quantities["particles"], "11532")
        self.assertEqual(quantities["sweeps"], "4")
        quantities, _ = measure(1, "--scene", scene, "--steps", 3, f"--initial.file={self.gzipped}")
        self.assertEqual(quantities["particles"], str(SPHERES))

    def test_meshes_of_a_scene_are_loaded(self):
        hopper = ("--scene", SCENES / "hopper.ini", "--warm-up", 0, "--steps", 1)
        self.assertEqual(measure(2, *hopper)[0]["particles"], "6400")
        self.assertIn("no_funnel.stl", self.check_refused(3, *hopper, "--wall.funnel.file", "no_funnel.stl"))

    def test_messages_are_counted(self):
        for ranks, peers in ((1, 0), (2, 1)):
            options = ("--packing", self.table, "--steps", 10, "--sweeps", 5)
            quantities, _ = measure(ranks, *options)
            self.assertEqual(float(quantities["neighbors_mean"]), peers)
            self.assertEqual(float(quantities["messages_per_sweep_most"]), peers)
            # In addition, the counts of shared contacts are sent in both directions, and lists may be rebuilt.
            self.assertGreaterEqual(float(quantities["messages_per_step_most"]), 6 * peers)
            self.assertEqual(float(quantities["message_bytes_per_sweep_mean"]) > 0, ranks > 1)
            self.assertGreaterEqual(float(quantities["collectives_per_step"]), 1)

    def test_convergence_is_a_table_of_sweeps_and_variants(self):
        options = ("--convergence", "2 20", "--variants", "; warm_start=no", "--warm-up", 30)
        packing = ("--packing", self.table, "--open-top", "--error-reduction", 0)
        packing += ("--solver.warm_start", "yes", "--solver.speculative", "yes")
        scene = ("--scene", SCENES / "channel_small.ini")
        for source, ranks in ((packing, 1), (packing, 2), (scene, 2)):
            process = run_bench(ranks, *source, *options)
            self.assertEqual(process.returncode, 0, process.stderr)
            lines = [line for line in process.stdout.splitlines() if not line.startswith("# ")]
            rows = list(csv.DictReader(lines))
            names = [(row["variant"], row["sweeps"]) for row in rows]
            cases = ("as run", "warm_start=no")
            self.assertEqual(names, [(case, sweeps) for case in cases for sweeps in ("2", "20")])
            residual = [float(row["residual_rms"]) for row in rows]
            self.assertLess(residual[1], residual[0])
            self.assertLess(residual[3], residual[2])
        typo = (*packing, "--convergence", "1", "--variants", "shceme=jacobi")
        self.assertIn("shceme", self.check_refused(2, *typo))

    def test_wrong_usage_is_refused(self):
        self.assertIn("nothing to measure", self.check_refused(2, ranks=2))
        scene = ("--scene", SCENES / "channel_small.ini")
        self.assertIn("1x1x3", self.check_refused(2, *scene, "--parallel.subdomains", "1x1x3"))
        self.assertIn("unknown key", self.check_refused(2, *scene, "--solver.sweep", "3"))
        self.assertIn("--sweeps", self.check_refused(2, "--packing", self.table, "--sweeps", "0"))

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "AddressSanitizer ends the program itself")
    def test_too_large_a_problem_is_reported(self):
        huge_tiles = ("--generate", 100, "--tile", "10000,10000,10000")
        self.assertIn("rank 0: out of memory", self.check_refused(1, *huge_tiles))

    def test_bad_files_are_refused(self):
        text = self.table.read_text()
        head, rows = text.split("\n", 1)
        without_box = self.write_file("no_box.csv", rows)
        self.assertIn("has no box; expected a line", self.check_refused(3, "--packing", without_box, ranks=2))
        small = self.write_file("small.csv", "# box 1e-3 1e-3 1e-3\n" + rows)
        self.assertIn("is outside the box", self.check_refused(3, "--packing", small, ranks=2))
        truncated = self.folder / "cut.csv.gz"
        truncated.write_bytes(self.gzipped.read_bytes()[:-100])
        self.assertIn("damaged gzip file", self.check_refused(3, "--packing", truncated, ranks=2))
        text_h5 = self.write_file("text.h5", text)
        self.assertIn("text.h5", self.check_refused(3, "--packing", text_h5))
        self.assertIn("nothing.csv", self.check_refused(3, "--packing", self.folder / "nothing.csv"))
        self.assertIn("nothing.ini", self.check_refused(3, "--scene", self.folder / "nothing.ini"))

    def test_unwritable_output_is_reported(self):
        for name in ("a.csv", "a.h5"):
            path = self.folder / "no folder" / name
            self.assertIn("no folder", self.check_refused(5, "--packing", self.table, "--output", path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
