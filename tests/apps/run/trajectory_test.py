"""A cube on a plate that a table of orientations tilts. It rests up to the angle of friction and slides beyond.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import math
import pathlib
import tempfile
import unittest

import h5py
import numpy as np
from restart_test import finish

SCENE = """
[domain]
lower = -6 -6 -6 cm
upper = 6 6 6 cm
[time]
step = 100 us
end = 0.3 s
[contact]
friction = 0.6                     # 31 degrees
[initial]
file = cube.csv
[shape.cube]
solid = box
size = 1 cm
[wall.plate]
shape = box
lower = -5 -5 -1 cm
upper = 5 5 0 cm
motion = tilt.csv
[output]
every = 0.1 s
log_every = 10 ms
wall_forces = yes
[checkpoint]
every = 50 ms
"""


def rotated_about_x(angle, x):
    """A point after a rotation about the axis x."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]])


class Trajectory(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="scree_trajectory_test_")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "scene.ini").write_text(SCENE)
        (self.folder / "cube.csv").write_text("x_mm,y_mm,z_mm,shape\n1,2,5,cube\n")

    def tilt(self, degrees):
        """Writes a table that tilts the plate to this angle in 0.2 s and lifts it by 4 mm. The sign of its quaternions
        alternates, because q and -q are the same rotation."""
        lines = ["# a log", "time_s,z_mm,qw,qx,qy,qz"]
        for k in range(41):
            phase = 0.5 - 0.5 * math.cos(math.pi * k / 40)
            half, sign = 0.5 * math.radians(degrees) * phase, (-1) ** k
            lines.append(f"{0.005 * k},{80 + 4 * phase},{sign * math.cos(half):.9f},{sign * math.sin(half):.9f},0,0")
        (self.folder / "tilt.csv").write_text("\n".join(lines) + "\n")

    def run_scene(self, name, ranks, *options):
        output = self.folder / name
        process = finish(ranks, self.folder / "scene.ini", "--output.directory", output, "--quiet", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return output

    def cube(self, output):
        with h5py.File(sorted((output / "snapshots").glob("*.h5"))[-1]) as file:
            return file["particles/grains/position/value"][0, 0]

    def test_cube_follows_the_plate_up_to_the_angle_of_friction(self):
        self.tilt(25)
        position = rotated_about_x(math.radians(25), [1e-3, 2e-3, 5e-3]) + [0, 0, 4e-3]
        resting = self.cube(self.run_scene("stays", 1))
        self.assertLess(np.abs(resting - position).max(), 3e-5)
        self.tilt(40)
        position = rotated_about_x(math.radians(40), [1e-3, 2e-3, 5e-3]) + [0, 0, 4e-3]
        displacement = rotated_about_x(-math.radians(40), self.cube(self.run_scene("slides", 1)) - position)
        self.assertLess(displacement[1], -5e-3)  # down the plate
        self.assertLess(abs(displacement[2]), 3e-5)

    def test_restart_has_the_same_bytes_and_jacobi_the_same_bits_on_any_number_of_ranks(self):
        self.tilt(40)
        uninterrupted, output = self.run_scene("whole", 2), self.run_scene("out", 2, "--time.end", "0.13 s")
        process = finish(2, "--restart", output, "--time.end", "0.3 s", "--quiet")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual((output / "series.csv").read_bytes(), (uninterrupted / "series.csv").read_bytes())
        jacobi = [self.cube(self.run_scene(f"on{ranks}", ranks, "--solver.scheme", "jacobi")) for ranks in (1, 2, 4)]
        self.assertEqual([positions.tobytes() for positions in jacobi[1:]], [jacobi[0].tobytes()] * 2)

    def test_row_that_is_not_a_rotation_is_named(self):
        (self.folder / "tilt.csv").write_text("# a log\ntime_s,qw,qx,qy,qz\n0,1,0,0,0\n1,0.9,0,0,0\n")
        process = finish(1, self.folder / "scene.ini", "--output.directory", self.folder / "bad", "--quiet")
        self.assertEqual(process.returncode, 3)
        self.assertIn("[wall.plate] motion: ", process.stderr)
        self.assertIn("tilt.csv' line 4: has the quaternion (0.9, 0, 0, 0) of norm 0.9; expected 1", process.stderr)


if __name__ == "__main__":
    unittest.main()
