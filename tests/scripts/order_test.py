"""Tests of scripts/order.py: Voronoi cells of lattices and gases, orientational order of bodies, bad input."""

import unittest
import unittest.mock

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scipy.spatial.transform
import scree.orientation
import scree.table
import scree.voronoi
import scree.walls
from scree.errors import UsageError

D = 1e-3
EXTENT = np.array([0.1, 0.06, 0.02])
ROTATION = scipy.spatial.transform.Rotation


def snapshot(positions, extent, periodic, **options):
    return made_snapshot.in_memory(made_snapshot.fields_at(positions, D / 2), extent, (periodic,) * 3, **options)


class Voronoi(unittest.TestCase):
    def test_cells_of_a_simple_cubic_lattice_are_cubes(self):
        positions = (np.indices((6, 5, 4)).reshape(3, -1).T + 0.5) * D
        for periodic in (True, False):
            result = scree.voronoi.solid_fractions(snapshot(positions, np.array([6, 5, 4]) * D, periodic))
            np.testing.assert_allclose(result, np.pi / 6.0, rtol=1e-9)

    def test_cells_of_a_face_centred_cubic_lattice_have_the_close_packed_fraction(self):
        cell = np.sqrt(2.0) * D
        basis = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
        positions = ((np.indices((3, 3, 3)).reshape(3, -1).T[:, None] + basis).reshape(-1, 3) + 0.1) * cell
        result = scree.voronoi.solid_fractions(snapshot(positions, np.full(3, 3 * cell), True))
        np.testing.assert_allclose(result, np.pi / np.sqrt(18.0), rtol=1e-9)

    def test_cells_fill_the_domain(self):
        random = np.random.default_rng(1)
        for count in (3, 50, 400):
            positions = random.uniform(size=(count, 3)) * EXTENT
            for periodic in (True, False):
                volumes, _ = scree.voronoi.cells(snapshot(positions, EXTENT, periodic))
                self.assertAlmostEqual(volumes.sum() / EXTENT.prod(), 1.0, places=9)

    def test_cells_fill_a_sheared_domain_with_offset_images(self):
        # Each layer is shifted by 0.3 D. Images are shifted by 1.2 D, as after four layers, so the lattice continues.
        layers = 4
        positions = (np.indices((4, 4, layers)).reshape(3, -1).T + [0.1, 0.5, 0.5]) * D
        positions[:, 0] = np.mod(positions[:, 0] + 0.3 * D * (np.arange(len(positions)) % layers), 4 * D)
        extent = np.full(3, 4 * D)
        rate = 0.3 * layers * D / extent[2] / 0.25  # the time of the frame is 0.25 s
        packing = made_snapshot.in_memory(made_snapshot.fields_at(positions, D / 2), extent, (True, True, False), shear=(rate, 0, 2))
        np.testing.assert_allclose(scree.voronoi.cells(packing)[0], D**3, rtol=1e-9)

    def test_cells_at_a_free_surface_are_not_known(self):
        positions = (np.indices((6, 5, 4)).reshape(3, -1).T + 0.5) * D
        result = scree.voronoi.solid_fractions(snapshot(positions, np.array([6, 5, 20]) * D, False))
        is_in_top_layer = positions[:, 2] > 3.0 * D
        np.testing.assert_array_equal(np.isnan(result), is_in_top_layer)
        np.testing.assert_allclose(result[~is_in_top_layer], np.pi / 6.0, rtol=1e-9)

    def test_walls_within_the_domain_bound_cells(self):
        positions = (np.indices((6, 5, 4)).reshape(3, -1).T + [0.5, 0.5, 2.5]) * D
        extent = np.array([6, 5, 6]) * D
        floor = scree.walls.Plane("floor", np.array([0.0, 0.0, 2.0 * D]), np.array([0.0, 0.0, -1.0]))
        with unittest.mock.patch("scree.walls.planes", lambda _: [floor]):
            result = scree.voronoi.solid_fractions(snapshot(positions, extent, False,
                                                            walls=[made_snapshot.wall("floor", "half space")]))
        np.testing.assert_allclose(result, np.pi / 6.0, rtol=1e-9)

    def test_frames_without_cells_are_refused(self):
        for positions, words in ((np.zeros((0, 3)), "no particles"),
                                 ([[0.01] * 3, [0.01] * 3, [0.02, 0.01, 0.01]], "at one place")):
            with self.assertRaisesRegex(UsageError, words):
                scree.voronoi.cells(snapshot(positions, EXTENT, True))


class Orientation(unittest.TestCase):
    def test_nematic_order_of_known_directions(self):
        random = np.random.default_rng(1)
        signs = random.choice([-1.0, 1.0], size=(50, 1))
        order, director = scree.orientation.nematic(signs * [0.6, 0.0, 0.8])
        self.assertAlmostEqual(order, 1.0)
        self.assertAlmostEqual(abs(director @ [0.6, 0.0, 0.8]), 1.0)
        axes = random.normal(size=(200000, 3))
        self.assertAlmostEqual(scree.orientation.nematic(axes / np.linalg.norm(axes, axis=1, keepdims=True))[0], 0.0, delta=0.01)
        angle = np.linspace(0.0, np.pi, 100, endpoint=False)
        flat = np.stack([np.cos(angle), np.sin(angle), np.zeros(100)], axis=1)
        order, director = scree.orientation.nematic(flat)
        self.assertAlmostEqual(order, -0.5)
        self.assertAlmostEqual(abs(director[2]), 1.0)
        self.assertTrue(np.isnan(scree.orientation.nematic(np.zeros((0, 3)))[0]))

    def test_cubatic_order_is_invariant_under_symmetries_of_the_cube(self):
        cubes = ROTATION.create_group("O").as_matrix()
        rotated = ROTATION.random(random_state=1).as_matrix() @ cubes
        self.assertAlmostEqual(scree.orientation.cubatic(rotated), 1.0)
        random = ROTATION.random(100000, random_state=1).as_matrix()
        self.assertAlmostEqual(scree.orientation.cubatic(random), 0.0, delta=0.01)
        # Two groups, rotated by 45 degrees about z: z axes agree, x and y axes have P_4(cos 45 degrees) = -13/32.
        two_groups = np.concatenate([np.tile(np.eye(3), (4, 1, 1)),
                                     np.tile(ROTATION.from_euler("z", 45, degrees=True).as_matrix(), (4, 1, 1))])
        expected_order = (1.0 + 4.0 * (-13.0 / 32.0) + 4.0 * 0.375) / 9.0
        self.assertAlmostEqual(scree.orientation.cubatic(two_groups) ** 2, 0.5 * (1.0 + expected_order / (7.0 / 12.0)))

    def test_axes_follow_the_inertia_of_shapes(self):
        np.testing.assert_allclose(np.abs(scree.orientation.axis_of(made_snapshot.DUMBBELL)), [1.0, 0.0, 0.0])
        self.assertIsNone(scree.orientation.axis_of(made_snapshot.CUBE))
        self.assertIsNone(scree.orientation.square_axes(made_snapshot.DUMBBELL))
        axes = scree.orientation.square_axes(made_snapshot.CUBE)
        np.testing.assert_allclose(np.abs(axes).sum(axis=0), 1.0)
        np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)


class Script(ScriptTest):
    script = "order.py"

    def test_writes_order_over_time(self):
        fields = made_snapshot.made_fields(300)
        fields["shape"] = np.arange(300, dtype=np.int32) % 3
        fields["orientation"] = np.tile([1.0, 0.0, 0.0, 0.0], (300, 1))
        path, prefix = self.folder / "one.h5", self.folder / "o"
        made_snapshot.write(path, fields, shapes=[made_snapshot.DUMBBELL, made_snapshot.CUBE], walls=())
        self.assert_runs(path, "--output", prefix)
        rows = scree.table.read(f"{prefix}.csv")
        self.assertAlmostEqual(rows["nematic_dumbbell"][0], 1.0)
        self.assertAlmostEqual(rows["cubatic_cube"][0], 1.0)
        self.assertNotIn("nematic_cube", rows)
        self.assertEqual(len(scree.table.read(f"{prefix}_cells.csv")["voronoi_fraction"]), 300)
        self.assert_is_picture(self.folder / "o.png")

    def test_snapshot_without_particles_is_refused(self):
        made_snapshot.write(self.folder / "none.h5", made_snapshot.fields_at(np.zeros((0, 3))))
        self.assert_refused(2, ["no particles in any"], self.folder / "none.h5", "--output", self.folder / "o")


if __name__ == "__main__":
    unittest.main()
