"""Damaged files, vanishing directories and extreme scenes give a correct result or a clear error.

Needs SCREE_RUN and SCREE_INFO (the programs) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import math
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy", "h5py", "xxhash")

import h5py
import numpy as np
from restart_test import start_scree, rows, wait_for
from run_test import ENVIRONMENT, TIMEOUT, WithFolder, run_scree


class ExtremeScenes(WithFolder):
    """A box of six walls, |x|, |y|, |z| < half, and some spheres in it."""

    def run_box(self, spheres, half, step, steps, *options, ranks=1):
        """Runs the box; returns the exit code, stderr and the rows of the series."""
        walls = ""
        for n, axis in enumerate("xyz"):
            for sign in (-1, 1):
                unit = [float(k == n) for k in range(3)]
                point = " ".join(repr(sign * half * u) for u in unit)
                normal = " ".join(repr(-sign * u) for u in unit)
                walls += f"[wall.{axis}{sign + 1}]\nshape = plane\npoint = {point}\n"
                walls += f"normal = {normal}\n"
        corner = " ".join([repr(half)] * 3)
        lower = " ".join([repr(-half)] * 3)
        table = "".join(",".join(map(repr, sphere)) + "\n" for sphere in spheres)
        file = self.put("spheres.csv", "x,y,z,radius,vx\n" + table)
        scene = self.put(
            "box.ini",
            f"[domain]\nlower = {lower}\nupper = {corner}\n[time]\nstep = {step!r}\n"
            f"end = {step * steps!r}\n{walls}[initial]\nfile = {file}\n"
            f"[output]\nlog_every = {max(1, steps // 100)} steps\nevery = never\n",
        )
        output = self.folder / "box"
        shutil.rmtree(output, ignore_errors=True)
        process = run_scree(ranks, scene, "--output.directory", output, "--quiet", *options)
        series = output / "series.csv"
        lines = series.read_text().splitlines() if series.exists() else []
        return process.returncode, process.stderr, list(csv.DictReader(lines))

    def test_speeds_scale_with_the_square_root_of_the_size(self):
        speeds = []
        for radius in (1e-6, 1.0, 10.0):
            scale = math.sqrt(radius)  # factor of times and speeds
            spheres = [(0.1 * radius * k, 0.0, (2.2 * k - 8.9) * radius, radius, 0.0)
                       for k in range(4)]  # fmt: skip
            code, message, table = self.run_box(spheres, 10 * radius, 0.003 * scale, 1000)
            self.assertEqual((code, message), (0, ""))
            speeds.append(float(table[-1]["max_speed"]) / scale)
        for speed in speeds[1:]:
            self.assertAlmostEqual(speed / speeds[0], 1.0, places=6)

    def test_zero_and_huge_friction_are_accepted(self):
        spheres = [(3e-4 * k, 1e-4 * k, 2.1e-3 * k - 0.0085, 1e-3, 0.3) for k in range(4)]
        for friction in ("0", "1e6"):
            code, message, table = self.run_box(
                spheres, 0.01, 1e-4, 1000, "--contact.friction", friction
            )
            self.assertEqual((code, message), (0, ""))
            self.assertLess(max(float(row["max_speed"]) for row in table), 0.5)
            self.assertLess(float(table[-1]["max_penetration"]), 1e-6)

    def test_huge_rolling_and_spinning_friction_is_accepted_and_invalid_refused(self):
        spheres = [(3e-4 * k, 1e-4 * k, 2.1e-3 * k - 0.0085, 1e-3, 0.3) for k in range(4)]
        for key in ("--contact.rolling_friction", "--contact.spinning_friction"):
            for huge in ("1e6", "1e60"):
                code, message, table = self.run_box(spheres, 0.01, 1e-4, 1000, key, huge)
                self.assertEqual((code, message), (0, ""))
                self.assertLess(max(float(row["max_speed"]) for row in table), 0.5)
                self.assertLess(float(table[-1]["max_penetration"]), 1e-6)
            for bad in ("-0.1", "nan", "inf"):
                code, message, _ = self.run_box(spheres, 0.01, 1e-4, 1000, key, bad)
                self.assertEqual(code, 2)
                self.assertIn(key[len("--contact.") :], message)

    def test_too_strong_or_too_distant_attraction_is_refused(self):
        """Attraction must not move a particle by more than the diagonal of the box, 35 mm, in one step. It must not act
        over a longer distance either."""
        spheres = [(3e-4 * k, 1e-4 * k, 2.1e-3 * k - 0.0085, 1e-3, 0.3) for k in range(4)]
        options = {"--contact.cohesion": "30 N", "--contact.cohesion_range": "10 um"}
        code, message, _ = self.run_box(spheres, 0.01, 1e-4, 10, *(word for option in options.items() for word in option))
        self.assertEqual((code, message), (0, ""))
        for key, value, words in (
            ("--contact.cohesion", "50 N", "cohesion and adhesion pull with 50 N"),
            ("--contact.cohesion", "1e47 N", "expected at most 38.4"),
            ("--contact.adhesion", "1e47 J/m^2", "or a shorter step"),
            ("--contact.cohesion_range", "40 mm", "cohesion_range is 0.04 m"),
            ("--contact.cohesion_range", "1e8 m", "expected at most 0.0346"),
        ):
            impossible = options | {key: value}
            code, message, _ = self.run_box(spheres, 0.01, 1e-4, 10, *(word for option in impossible.items() for word in option))
            self.assertEqual(code, 2, message)
            self.assertIn(words, message)

    def test_fast_sphere_is_stopped_by_a_wall(self):
        for speed, ranks in ((1e2, 1), (1e4, 1), (1e2, 2)):
            code, message, table = self.run_box(
                [(0.0, 0.0, 0.0, 1e-3, speed)], 0.05, 1e-6, 1000, ranks=ranks
            )
            self.assertEqual((code, message), (0, ""))
            self.assertEqual(table[-1]["particles"], "1")
            self.assertLess(float(table[-1]["max_speed"]), 0.1)
            self.assertLess(float(table[-1]["max_penetration"]), 1e-6)

    def test_sphere_that_crosses_the_box_in_one_step_ends_the_run(self):
        code, message, _ = self.run_box([(0.0, 0.0, 0.0, 1e-3, 1e8)], 0.05, 1e-5, 10)
        self.assertEqual(code, 4)
        self.assertIn("running away", message)

    def lattice(self, spacing):
        return [(spacing * i, spacing * j, spacing * k, 1e-3, 0.0)
                for i in range(5) for j in range(5) for k in range(5)]  # fmt: skip

    def test_deep_overlaps_relax(self):
        code, message, table = self.run_box(self.lattice(1.02e-3), 0.05, 1e-4, 1000)
        self.assertEqual((code, message), (0, ""))
        self.assertEqual(table[-1]["particles"], "125")
        self.assertLess(max(float(row["max_speed"]) for row in table), 10.0)
        # The remaining motion comes from the fall, not from the overlaps.
        self.assertLess(float(table[-1]["max_speed"]), 2.0)
        self.assertLess(float(table[-1]["max_penetration_interval"]), 1e-4)

    def test_overlaps_beyond_a_radius_are_refused(self):
        for spheres in (self.lattice(0.5e-3), [(0.0, 0.0, 0.0, 1e-3, 0.0)] * 50_000):
            code, message, _ = self.run_box(spheres, 0.05, 1e-4, 10)
            self.assertEqual(code, 4)
            self.assertIn("more than a radius", message)

    def test_resting_sphere_does_not_drift(self):
        code, message, table = self.run_box([(0.01, 0.013, -0.049, 1e-3, 0.0)], 0.05, 1e-2, 100_000)
        self.assertEqual((code, message), (0, ""))
        for row in table:
            self.assertLess(float(row["max_speed"]), 1e-14)
            self.assertLess(float(row["max_penetration"]), 1e-15)


class DamagedFiles(WithFolder):
    def from_file(self, snapshot):
        """A scene that starts from the snapshot, and the options for a short run."""
        scene = self.scene.read_text().partition("[fill]")[0]
        scene = self.put("from_file.ini", scene.replace("velocity = 1 0 0 m/s", "")
                         + f"[initial]\nfile = {snapshot}\n")  # fmt: skip
        return scene, ["--output.directory", self.folder / "more", "--time.end", "10 us", "--quiet"]

    def test_snapshot_in_other_units_is_refused(self):
        output = self.run_scene(1, "out", "--time.end", "1 ms")
        snapshot = output / "snapshots" / "step_000000000100.h5"
        with h5py.File(snapshot, "a") as file:
            file["particles/grains/velocity/value"].attrs["unit"] = np.bytes_("mm s-1")
        (snapshot.parent / (snapshot.name + ".xxh64")).unlink()
        scene, options = self.from_file(snapshot)
        process = run_scree(1, scene, *options)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn("velocity/value is in 'mm s-1'; expected 'm s-1'", process.stderr)

    def test_links_within_a_snapshot_are_followed_and_links_to_other_files_refused(self):
        output = self.run_scene(1, "out", "--time.end", "1 ms")
        snapshot = output / "snapshots" / "step_000000000100.h5"
        (snapshot.parent / (snapshot.name + ".xxh64")).unlink()
        name = "particles/grains/velocity/value"
        scene, options = self.from_file(snapshot)
        options += ["--output.overwrite", "yes"]
        with h5py.File(snapshot, "a") as file:
            file.move(name, "elsewhere")
            file[name] = h5py.SoftLink("/elsewhere")
        process = run_scree(1, scene, *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with h5py.File(snapshot, "a") as file, h5py.File(self.folder / "other.h5", "w") as other_file:
            file.copy("elsewhere", other_file, "elsewhere")
            del file[name]
            file[name] = h5py.ExternalLink(str(self.folder / "other.h5"), "/elsewhere")
        process = run_scree(1, scene, *options)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn("velocity/value", process.stderr)

    def test_changed_and_truncated_snapshots_are_refused(self):
        output = self.run_scene(1, "out", "--time.end", "1 ms")
        good = output / "snapshots" / "step_000000000100.h5"
        content = good.read_bytes()
        scene, options = self.from_file(good)
        damaged = [content[:length] for length in (0, 1000, len(content) - 1)]
        for offset in range(5, len(content), len(content) // 5):
            damaged.append(content[:offset] + bytes([content[offset] ^ 16]) + content[offset + 1 :])
        for bad in damaged:
            good.write_bytes(bad)
            process = run_scree(1, scene, *options)
            self.assertEqual(process.returncode, 3, process.stderr)
            self.assertIn("is damaged: its digest is", process.stderr)
            info = subprocess.run(
                [os.environ["SCREE_INFO"], good], capture_output=True, text=True, timeout=TIMEOUT,
                env=ENVIRONMENT, check=False,
            )  # fmt: skip
            self.assertEqual(info.returncode, 3, info.stdout)
            self.assertIn("is damaged: its digest is", info.stdout + info.stderr)
        good.write_bytes(content)
        process = run_scree(1, scene, *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))


class VanishingDirectories(WithFolder):
    def test_removed_folder_ends_the_run_and_leaves_the_checkpoints(self):
        for ranks, folder in ((1, "snapshots"), (2, "checkpoints"), (2, ".")):
            with self.subTest(ranks=ranks, folder=folder):
                output = self.folder / f"out{ranks}{len(folder)}"
                options = ["--output.log_every", "1 steps", "--time.end", "8 ms"]
                run = start_scree(ranks, self.scene, "--output.directory", output, "--quiet", *options,
                            "--checkpoint.every", "20 steps")  # fmt: skip
                wait_for(lambda: rows(output) > 60)
                moved_away = self.folder / f"away{ranks}{len(folder)}"
                (output if folder == "." else output / folder).rename(moved_away)
                text, _ = run.communicate(timeout=TIMEOUT)
                self.assertEqual(run.returncode, 5, text)
                self.assertIn("scree-run: cannot ", text)
                if folder != ".":
                    moved_away.rename(output / folder)
                restart_directory = moved_away if folder == "." else output
                process = run_scree(ranks, "--restart", restart_directory, "--quiet")
                self.assertEqual((process.returncode, process.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
