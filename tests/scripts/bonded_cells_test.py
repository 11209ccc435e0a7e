"""bonded_cells.py: cells fill the body, masses with rounded edges, bonds of a run; bad input.

The run needs the path of scree-run in SCREE_RUN.
"""

import os
import unittest

from script_test import ScriptTest, skipped_unless
from clump_test import brick

import numpy as np
import scipy.spatial

import scree
import scree.bonded_cells
import scree.bonds
from scree.errors import UsageError

SCENE = """
[scene]
seed = 1
gravity = 0 0 0
[domain]
lower = -2 -2 -2 cm
upper = 2 2 2 cm
[time]
step = 20 us
end = 40 us
[contact]
friction = 0.3
[material.rock]
density = 2.5 g/cm^3
[initial]
file = grain.csv
[output]
directory = out
every = 20 us
"""


class Geometry(unittest.TestCase):
    def test_a_rounded_box_has_the_exact_volume(self):
        planes = scree.bonded_cells.planes_of(scree.bonded_cells.box(np.array([2.0, 3.0, 4.0])) + [1.0, 2.0, 3.0])
        self.assertEqual(len(planes), 6)
        r = 0.2
        volume, centre = scree.bonded_cells.rounded_moments(planes, np.array([1.0, 2.0, 3.0]), r)
        a, b, c = 2.0 - 2 * r, 3.0 - 2 * r, 4.0 - 2 * r
        expected = a * b * c + 2 * r * (a * b + b * c + c * a) + np.pi * r**2 * (a + b + c) + 4 / 3 * np.pi * r**3
        self.assertAlmostEqual(volume, expected, places=12)
        np.testing.assert_allclose(centre, [1.0, 2.0, 3.0], atol=1e-12)

    def test_cells_fill_the_body_and_do_not_overlap(self):
        for corners in (scree.bonded_cells.ball(0.02), scree.bonded_cells.cylinder(0.02, 0.01), scree.bonded_cells.box(np.array([1.0, 2.0, 3.0]))):
            cells, rounding = scree.bonded_cells.cut(corners, 15, seed=3)
            volumes = [scree.bonded_cells.moments(cell.corners)[0] for cell in cells]
            body_volume = scree.bonded_cells.moments(corners)[0]
            self.assertAlmostEqual(sum(volumes) / body_volume, 1.0, places=9)
            for cell, volume in zip(cells, volumes):
                self.assertTrue(0.98 * volume < cell.volume < volume)
            random = np.random.default_rng(1)
            points = random.dirichlet(np.ones(len(corners)), size=200) @ corners
            contains = [(points @ planes[:, :3].T + planes[:, 3] < 0.0).all(axis=1)
                        for planes in (scree.bonded_cells.planes_of(cell.corners) for cell in cells)]  # fmt: skip
            self.assertTrue((np.sum(contains, axis=0) == 1).all())
            self.assertGreater(rounding, 0.0)

    def test_prisms_reach_through_the_body_and_fill_it(self):
        corners = scree.bonded_cells.cylinder(0.02, 0.01)
        cells, _ = scree.bonded_cells.cut(corners, 12, seed=2, along=1)
        self.assertAlmostEqual(sum(scree.bonded_cells.moments(cell.corners)[0] for cell in cells), scree.bonded_cells.moments(corners)[0])
        for cell in cells:
            low, high = (cell.corners[np.isclose(cell.corners[:, 1], side * 0.005)][:, [0, 2]] for side in (-1.0, 1.0))
            self.assertEqual(len(low) + len(high), len(cell.corners))
            self.assertLess(scipy.spatial.cKDTree(low).query(high)[0].max(), 1e-9)

    def test_rounds_even_out_the_volumes_of_cells_and_seeds_change_the_cells(self):
        corners = scree.bonded_cells.box(np.ones(3))
        spread = [np.std([cell.volume for cell in scree.bonded_cells.cut(corners, 20, 1, rounds, 1e-4)[0]]) for rounds in (0, 3)]
        self.assertLess(spread[1], 0.5 * spread[0])
        first, repeated, second = (scree.bonded_cells.cut(corners, 5, seed)[0] for seed in (1, 1, 2))
        np.testing.assert_array_equal(first[0].corners, repeated[0].corners)
        self.assertNotEqual(first[0].corners.shape == second[0].corners.shape
                            and np.allclose(first[0].corners, second[0].corners), True)

    def test_thin_cells_flat_bodies_and_a_single_cell_are_refused(self):
        corners = scree.bonded_cells.box(np.ones(3))
        with self.assertRaisesRegex(UsageError, "thinner than 2.5 times the rounding of 0.2 m"):
            scree.bonded_cells.cut(corners, 20, rounding=0.2)
        with self.assertRaisesRegex(UsageError, "1 cells has no bonds"):
            scree.bonded_cells.cut(corners, 1)
        with self.assertRaisesRegex(UsageError, "span no volume"):
            scree.bonded_cells.cut(corners * [1.0, 1.0, 0.0], 5)


class Script(ScriptTest):
    script = "bonded_cells.py"

    def test_a_mesh_with_a_unit_is_cut(self):
        mesh = self.folder / "mesh.stl"
        mesh.write_text(brick())
        process = self.assert_runs(mesh, "--unit", "mm", "--cells", 6, "--table", self.folder / "a.csv", "--name", "b",
                                   "--tension", 2, "kPa")
        self.assertEqual(process.stdout.count("[shape.b_"), 6)
        self.assertIn("[bond.b]\ngap = ", process.stdout)
        self.assertIn("tension = 2 kPa\nshear = 2 kPa", process.stdout)
        table = np.genfromtxt(self.folder / "a.csv", delimiter=",", names=True, dtype=None, encoding="ascii")
        positions = np.stack([table["x"], table["y"], table["z"]], axis=1)
        self.assertTrue((positions > 7e-3).all() and (positions < np.array([11e-3, 9e-3, 9e-3])).all())
        self.assertEqual(list(table["shape"]), [f"b_{k}" for k in range(6)])
        process = self.assert_runs(mesh, "--unit", "mm", "--cells", 3, "--table", self.folder / "a.csv", "--prisms", "z")
        for line in process.stdout.splitlines():
            if line.startswith("vertices"):
                heights = np.array(line.split("=")[1].split()[:-1], dtype=float).reshape(-1, 3)[:, 2]
                self.assertEqual(len(np.unique(np.round(heights, 9))), 2)

    def test_bad_input_is_refused(self):
        table = ("--table", self.folder / "a.csv")
        self.assert_refused(2, ["--ball '2 3 cm' must be one number and a unit"], "--ball", 2, 3, "cm", *table)
        self.assert_refused(2, ["not allowed with argument"], "--ball", 2, "cm", "--box", 1, 1, 1, "cm", *table)
        self.assert_refused(2, ["--rounding is 0 m"], "--ball", 2, "cm", "--rounding", 0, "mm", *table)
        self.assert_refused(2, ["expected 0 or more"], "--ball", 2, "cm", "--rounds", -1, *table)
        self.assert_refused(3, ["none.stl"], self.folder / "none.stl", *table)

    @skipped_unless("SCREE_RUN" in os.environ, "no scree-run in SCREE_RUN")
    def test_a_run_bonds_all_faces_and_has_one_cluster(self):
        process = self.assert_runs("--ball", 2, "cm", "--cells", 25, "--table", self.folder / "grain.csv")
        (self.folder / "scene.ini").write_text(SCENE + process.stdout)
        run = scree.run(self.folder / "scene.ini", self.folder / "out")
        last_frame = run.frames[-1]
        cells, rounding = scree.bonded_cells.cut(scree.bonded_cells.ball(0.02), 25)
        np.testing.assert_allclose(last_frame["position"][last_frame.rows_of(np.arange(25))],
                                   [cell.centre for cell in cells], atol=1e-10)
        np.testing.assert_allclose(last_frame.volumes[last_frame.rows_of(np.arange(25))],
                                   [cell.volume for cell in cells], rtol=1e-7)
        bonds = scree.bonds.of_snapshot(last_frame)
        self.assertEqual(len(np.unique(np.sort(np.stack([bonds.a, bonds.b], axis=1), axis=1), axis=0)), len(bonds))
        self.assertTrue(bonds.intact.all())
        self.assertEqual(set(scree.bonds.clusters(last_frame)), {0})
        self.assertEqual(list(run.series["clusters"])[-1], 1)
        self.assertEqual(list(run.series["largest_cluster"])[-1], 25)
        self.assertEqual(set(last_frame["cluster_size"]), {25})
        # Cells that share a wide face are bonded. Bonds are smaller than faces, because edges are rounded.
        area_of_bond = {tuple(sorted(pair)): area for *pair, area in
                        zip(last_frame["id"][bonds.a], last_frame["id"][bonds.b], bonds.area)}  # fmt: skip
        area_of_faces = 0.0
        for first in range(25):
            for second in range(first):
                area = _shared_area(cells[first].corners, cells[second].corners)
                area_of_faces += area
                self.assertLessEqual(area_of_bond.get((second, first), 0.0), 1.001 * area)
                if area > 50.0 * rounding**2:
                    self.assertIn((second, first), area_of_bond)
        self.assertGreater(sum(area_of_bond.values()), 0.9 * area_of_faces)


def _shared_area(first, second):
    """Area of the common face of two cells."""
    is_common = scipy.spatial.cKDTree(first).query(second)[0] < 1e-9
    if is_common.sum() < 3:
        return 0.0
    points = second[is_common] - second[is_common].mean(axis=0)
    axes = np.linalg.svd(points)[2][:2]
    return scipy.spatial.ConvexHull(points @ axes.T).volume


if __name__ == "__main__":
    unittest.main()
