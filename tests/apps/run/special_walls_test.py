"""Walls that are more than a rigid surface: belts, sieves for some materials, blades that wedge grains; a domain too
narrow for its lists.

Needs SCREE_RUN (the program) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import csv
import pathlib
import re
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy", "h5py", "xxhash")

import numpy as np
from run_test import WithFolder, run_scree

import scree.snapshot

SPEED, RADIUS, DENSITY = 0.1, 1e-3, 2650.0  # speed of the belt; radius and density of the sphere on it
MASS = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
STL = """solid belt
facet normal 0 0 1
outer loop
vertex -1 -1 0
vertex 1 -1 0
vertex 1 1 0
endloop
endfacet
facet normal 0 0 1
outer loop
vertex -1 -1 0
vertex 1 1 0
vertex -1 1 0
endloop
endfacet
endsolid belt
"""
SHAPES = {
    "box": "shape = box\nlower = -5 -5 -1 cm\nupper = 5 5 0 cm\n",
    "mesh": "shape = mesh\nfile = belt.stl\nunit = 5 cm\nsolid = no\n",
    # Rotates by a quarter turn about z per second.
    "turned": "shape = box\nlower = -5 -5 -1 cm\nupper = 5 5 0 cm\nangular_velocity = 0 0 1.5707963267948966 1/s\n",
}
BELT = """
[domain]
lower = -6 -6 -2 cm
upper = 6 6 2 cm
[time]
step = 100 us
end = 0.2 s
[contact]
friction = 0.5
[initial]
file = one.csv
[wall.belt]
{shape}surface_velocity = 0.1 0 0 m/s
[output]
log_every = 1 ms
every = 0.1 s
wall_forces = yes
energy_book = yes
"""
SIEVE = """
[domain]
lower = 0 0 -11 mm
upper = 12 12 11 mm
periodic = x y
[time]
step = 100 us
end = 0.15 s
[material.coarse]
[material.fine]
[wall.floor]
shape = plane
point = 0 0 -10 mm
normal = 0 0 1
[wall.sieve]
shape = box
lower = -5 -5 -1 mm
upper = 17 17 0 mm
stops = coarse
[fill.coarse]
lower = 0 0 0 mm
upper = 12 12 4 mm
spacing = 4 mm
radius = 1 mm
material = coarse
[fill.fine]
lower = 0 0 4 mm
upper = 12 12 6 mm
spacing = 2 mm
radius = 0.5 mm
material = fine
{more}
[output]
every = 0.15 s
log_every = 10 ms
"""
CLUMPS = ("[shape.rod]\nspheres = -0.5 0 0 0.5, 0.5 0 0 0.5 mm\n", "shape = rod\n")
NARROW = """
[scene]
gravity = 0 0 0 m/s^2
[domain]
lower = 0 0 0 mm
upper = 20 5 20 mm
periodic = x y z
[time]
step = 100 us
end = 1 ms
[fill]
lower = 0 0 0 mm
upper = 20 5 20 mm
spacing = 2.5 mm
radius = 1 mm
velocity = 0.1 0 0 m/s
[output]
every = never
"""
# A blade that moves over a floor towards grains.
WEDGE = """
[domain]
lower = -30 -30 -1 mm
upper = 30 30 30 mm
[time]
step = 50 us
end = 80 ms
[contact]
friction = 0.5
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[wall.blade]
shape = box
lower = -20 -5 {edge} mm
upper = {face} 5 10 mm
velocity = 0.02 0 0 m/s
moves_from = 10 ms
[fill]
{fill}
radius = 1 mm
[output]
every = 80 ms
wall_forces = yes
"""
ONE_GRAIN = "lower = -0.5 -1.1 0 mm\nupper = 1.7 1.1 2.2 mm\nspacing = 2.2 mm"
ROW = "lower = -2 1 0 mm\nupper = 2 3 2 mm\nspacing = 2 mm"
POST = "[wall.post]\nshape = plane\npoint = 2 0 0 mm\nnormal = -1 0 0\n"


class SpecialWalls(WithFolder):
    def run_text(self, text, *options, ranks=1):
        scene, output = self.put("scene.ini", text), self.folder / "out"
        process = run_scree(ranks, scene, "--output.directory", output, "--overwrite", "--quiet", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(output / "series.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return rows, scree.snapshot.read_snapshot(sorted((output / "snapshots").glob("*.h5"))[-1])

    def run_belt(self, *options, shape="box", ranks=1):
        self.put("belt.stl", STL)
        self.put("one.csv", "x,y,z,radius\n0.002,0.003,0.001,0.001\n")
        text = BELT.format(shape=SHAPES[shape]).replace("file = one.csv", f"file = {self.folder / 'one.csv'}")
        return self.run_text(text, *options, ranks=ranks)

    def test_belt_makes_a_sphere_roll(self):
        # A sphere that slides until it rolls ends at 2/7 of the belt's speed.
        for shape in ("box", "mesh"):
            for ranks in (1, 2):
                with self.subTest(shape=shape, ranks=ranks):
                    _, last_frame = self.run_belt(shape=shape, ranks=ranks)
                    np.testing.assert_allclose(last_frame["velocity"][0], [2.0 / 7.0 * SPEED, 0.0, 0.0], atol=1e-6)
                    self.assertAlmostEqual(last_frame["position"][0, 2], RADIUS, delta=1e-6)

    def test_belt_carries_a_sphere_that_does_not_roll(self):
        rows, last_frame = self.run_belt("--contact.rolling_friction", "10")
        np.testing.assert_allclose(last_frame["velocity"][0], [SPEED, 0.0, 0.0], atol=1e-6)
        # While the sphere slides, its friction acts on the belt.
        self.assertAlmostEqual(float(rows[5]["wall_belt_force_x"]) / (-0.5 * MASS * 9.81), 1.0, places=3)

    def test_belt_rotates_with_its_wall(self):
        # The wall rotates by a quarter turn per second, and the belt with it.
        _, last_frame = self.run_belt("--contact.rolling_friction", "10", "--initial.file", self.put(
            "centre.csv", "x,y,z,radius\n0,0,0.001,0.001\n"), shape="turned")  # fmt: skip
        velocity = last_frame["velocity"][0]
        self.assertGreater(velocity[1], 0.2 * SPEED)
        self.assertGreater(velocity[0], 0.8 * SPEED)

    def test_work_of_a_belt_is_in_the_energies(self):
        rows, _ = self.run_belt()
        last_row = {name: float(value) for name, value in rows[-1].items() if name.startswith("energy_") and value}
        belt_work = 2.0 / 7.0 * MASS * SPEED**2
        self.assertAlmostEqual(last_row["energy_walls"] / belt_work, 1.0, places=4)
        self.assertAlmostEqual(last_row["energy_kinetic"] / (0.5 * belt_work), 1.0, places=4)
        self.assertAlmostEqual(last_row["energy_contacts"] / (-0.5 * belt_work), 1.0, places=4)  # the loss by sliding
        self.assertLess(abs(last_row["energy_imbalance"]), 1e-9 * belt_work)

    def test_belt_begins_ends_and_changes_at_its_times(self):
        rows, _ = self.run_belt("--wall.belt.moves_from", "50 ms", "--contact.rolling_friction", "10")
        speeds = {round(1e3 * float(row["time"])): float(row["mean_velocity_x"]) for row in rows}
        self.assertLess(abs(speeds[49]), 1e-9)
        self.assertAlmostEqual(speeds[200], SPEED, delta=1e-6)
        text = BELT.format(shape=SHAPES["box"]) + '[at "0.1 s"]\nwall.belt.surface_velocity = 0 0 0 m/s\n'
        text = text.replace("file = one.csv", f"file = {self.folder / 'one.csv'}")
        rows, _ = self.run_text(text, "--contact.rolling_friction", "10")
        self.assertAlmostEqual(float(rows[100]["mean_velocity_x"]), SPEED, delta=1e-6)
        self.assertAlmostEqual(float(rows[-1]["mean_velocity_x"]), 0.0, delta=1e-6)

    def test_sieve_stops_only_its_materials(self):
        for ranks in (1, 2):
            _, last_frame = self.run_text(SIEVE.format(more=""), ranks=ranks)
            self.assertEqual(list(np.unique(last_frame["material"])), [0, 1])
            height = last_frame["position"][:, 2]
            coarse, fine = height[last_frame["material"] == 0], height[last_frame["material"] == 1]
            self.assertGreater(coarse.min(), 0.9e-3)
            self.assertLess(fine.max(), -5e-3)
            self.assertGreater(fine.min(), -9.6e-3)

    def test_clumps_pass_by_the_material_of_the_body(self):
        head, shape = CLUMPS
        text = SIEVE.format(more=head).replace("radius = 0.5 mm\n", shape)
        text = text.replace("upper = 12 12 6 mm", "upper = 12 12 7 mm").replace("spacing = 2 mm", "spacing = 3 mm")
        _, last_frame = self.run_text(text)
        fine = last_frame["material"] == 1
        self.assertTrue((last_frame.shape_numbers[fine] == 1).all())
        self.assertLess(last_frame["position"][fine, 2].max(), -5e-3)
        self.assertGreater(last_frame["position"][~fine, 2].min(), 0.9e-3)

    def test_wedged_grain_ends_the_run(self):
        scene = self.put("scene.ini", WEDGE.format(edge=1.8, face=-1, fill=ONE_GRAIN))
        for ranks in (1, 2):
            process = run_scree(ranks, scene, "--output.directory", self.folder / "out", "--overwrite", "--quiet")
            self.assertEqual(process.returncode, 4, process.stderr)
            self.assertRegex(process.stderr, r"\[wall\.blade\] jams particle 0 .* against \[wall\.floor\]")

    def test_jam_across_ranks_is_reported_at_the_end(self):
        scene = self.put("scene.ini", WEDGE.format(edge=0.5, face=-2, fill=ROW) + POST)
        serial = run_scree(1, scene, "--output.directory", self.folder / "out", "--quiet")
        self.assertEqual(serial.returncode, 4, serial.stderr)
        self.assertIn("[wall.blade] jams particle 0", serial.stderr)
        process = run_scree(2, scene, "--output.directory", self.folder / "out", "--overwrite", "--quiet")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("a wall seemed to jam grains of several ranks", process.stderr)

    def test_unknown_material_is_refused_by_its_name(self):
        scene = self.put("scene.ini", SIEVE.format(more="").replace("stops = coarse", "stops = coarse fines"))
        process = run_scree(1, scene, "--output.directory", self.folder / "out", "--quiet")
        self.assertEqual(process.returncode, 2)
        self.assertIn("there is no [material.fines]", process.stderr)

    def test_error_of_a_narrow_periodic_domain_suggests_a_skin(self):
        scene = self.put("scene.ini", NARROW)
        refused = run_scree(1, scene, "--output.directory", self.folder / "out", "--quiet")
        self.assertEqual(refused.returncode, 2)
        message = re.search(r"parallel\.skin = (\S+) m", refused.stderr)
        self.assertTrue(message, refused.stderr)
        process = run_scree(1, scene, "--output.directory", self.folder / "out", "--quiet", "--parallel.skin", message[1] + " m")
        self.assertEqual((process.returncode, process.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
