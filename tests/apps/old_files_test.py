"""Files of Scree 0.1.0 (ca89745), in tests/data/old_run, are still read.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import _environment

_environment.require("h5py", "numpy", "xxhash")

import h5py
import numpy as np
import xxhash

from restart_test import finish

OLD = pathlib.Path(__file__).resolve().parents[1] / "data" / "old_run"
CHECKPOINT = "checkpoints/step_000000000300.h5"
LAST = "snapshots/step_000000000600.h5"
# [m]: what three hundred steps of sweeps with momentum, today's default where a checkpoint names none, move a pile that
# still creeps away from where plain ones leave it (0.2 um)
NEAR = 3e-7


def put(source, target):
    """Copies a file and lays its digest beside it."""
    shutil.copyfile(source, target)
    digest = xxhash.xxh64(target.read_bytes()).hexdigest()
    pathlib.Path(f"{target}.xxh64").write_text(f"{digest}  {target.name}\n")


def positions(path):
    """By id, [N, 3]."""
    with h5py.File(path) as file:
        order = np.argsort(file["particles/grains/id"])
        return file["particles/grains/position/value"][0][order].astype(float)


class OldFiles(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="scree_old_files_test_")
        self.addCleanup(holder.cleanup)
        self.out = pathlib.Path(holder.name) / "out"

    def run_scene(self, *options):
        done = finish(
            1, OLD / "scene.ini", "--output.directory", self.out, "--quiet", *options
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_run_goes_on_from_an_old_checkpoint(self):
        # Plain sweeps to the checkpoint, as there was nothing else then.
        self.run_scene("--solver.momentum", "0")
        expected = positions(self.out / LAST)
        (self.out / LAST).unlink()
        for path in (self.out / "checkpoints").glob("*.h5*"):
            path.unlink()
        put(OLD / "checkpoint.h5", self.out / CHECKPOINT)
        (self.out / "checkpoints/latest").write_text(pathlib.Path(CHECKPOINT).name + "\n")
        done = finish(1, "--restart", self.out, "--quiet", "--allow-changes")
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(positions(self.out / LAST), expected, atol=NEAR)
        # The checkpoint's numbers of what the earlier snapshots hold are still understood.
        index = (self.out / "snapshots.xdmf").read_text()
        for field, times in (("velocity", 7), ("radius", 7), ("material", 0), ("orientation", 0)):
            self.assertEqual(index.count(f'<Attribute Name="{field}"'), times, field)
        self.assertNotIn('NumberType="Float" Precision="8"', index)

    def test_run_begins_from_an_old_snapshot(self):
        old = self.out.parent / "old.h5"
        put(OLD / "snapshot.h5", old)
        self.run_scene("--initial.file", old, "--time.end", "50 us", "--output.precision", "double")
        np.testing.assert_array_equal(
            positions(self.out / "snapshots/step_000000000000.h5"), positions(old)
        )


if __name__ == "__main__":
    unittest.main()
