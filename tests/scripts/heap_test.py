"""Tests of scripts/heap.py: a cone and a box with known depths and run-out, loads of a layer, bad input."""

import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.contacts
import scree.heap
import scree.repose
import scree.table
from scree.errors import UsageError

D = 1e-3
GRAVITY = "[scene]\ngravity = 0 0 -9.81 m/s^2\n[time]\nstep = 10 us\n"
EXTENT = np.array([0.1, 0.1, 0.05])
CENTRE = np.array([0.05, 0.05, 0.0])


def snapshot(positions, **options):
    return made_snapshot.in_memory(made_snapshot.fields_at(positions, D / 2), EXTENT, configuration=GRAVITY, **options)


def lattice_below(height):
    """Points of a lattice with spacing D below height(x, y), [N, 3]."""
    positions = (np.indices((100, 100, 40)).reshape(3, -1).T + 0.5) * D
    return positions[positions[:, 2] < height(*positions[:, :2].T)]


def depth_of(height):
    """Depth that scree.heap finds for a lattice of this height, because scree.heap assumes a random packing."""
    return np.asarray(height) * (np.pi / 6.0) / scree.repose.PACKED


class Surface(unittest.TestCase):
    def test_depth_and_run_out_of_a_cone_match_its_geometry(self):
        packing = snapshot(lattice_below(lambda x, y: 0.03 * (1.0 - np.hypot(x - 0.05, y - 0.05) / 0.04)))
        rings = scree.heap.bins(packing, centre=CENTRE, width=5 * D)  # each ring but the first contains many lattice points
        depth = scree.heap.depths(packing, rings)
        is_within = rings.middles < 0.038
        expected = depth_of(0.03 * (1.0 - rings.middles / 0.04))
        np.testing.assert_allclose(depth[is_within][1:], expected[is_within][1:], atol=0.03 * expected[0])
        # Radius at which the depth of the cone falls to a diameter. The foot of the cone, at 0.04, is an edge of a bin.
        edge = 0.04 * (1.0 - D / depth_of(0.03))
        self.assertAlmostEqual(scree.heap.runout(rings.edges, depth, D), edge, delta=D)
        self.assertAlmostEqual(np.sum(depth * rings.areas) * scree.repose.PACKED, packing.volumes.sum())

    def test_depths_in_slices_of_a_box_match_its_height(self):
        packing = snapshot(lattice_below(lambda x, y: np.where(x < 0.04, 0.02, 0.0)))
        slices = scree.heap.bins(packing, along=0, width=2 * D)
        depth = scree.heap.depths(packing, slices)
        np.testing.assert_allclose(depth, np.where(slices.middles < 0.04, depth_of(0.02), 0.0), rtol=1e-9)
        # The depth falls to 0 between the bin centres at 39 and 41 mm.
        self.assertAlmostEqual(scree.heap.runout(slices.edges, depth, 0.5 * D), 0.041 - 2 * D * 0.5 * D / depth_of(0.02))

    def test_slices_end_with_the_domain(self):
        """The domain, 10 cm long, is not a multiple of the width."""
        bed = snapshot(lattice_below(lambda x, y: 0.02 + 0.0 * x))
        for width in (6.3 * D, 6.4 * D, 7.0 * D):
            slices = scree.heap.bins(bed, along=0, width=width)
            self.assertEqual((slices.edges[0], slices.edges[-1]), (0.0, 0.1))
            depth = scree.heap.depths(bed, slices)
            np.testing.assert_allclose(depth, depth_of(0.02), rtol=0.15)  # six or seven layers of the lattice
            self.assertEqual(scree.heap.runout(slices.edges, depth, 0.5 * D), 0.1)

    def test_run_out_ends_at_the_first_gap(self):
        edges = np.arange(7.0)
        self.assertAlmostEqual(scree.heap.runout(edges, np.array([1.0, 4.0, 2.0, 0.0, 3.0, 0.0]), 1.0), 3.0)
        self.assertAlmostEqual(scree.heap.runout(edges, np.ones(6), 1.0), 6.0)

    def test_gravity_off_the_axes_and_slices_along_gravity_are_refused(self):
        tilted = made_snapshot.in_memory(made_snapshot.fields_at(np.ones((3, 3)) * 0.01), configuration="[scene]\ngravity = 1 0 -9 m/s^2\n")
        with self.assertRaisesRegex(UsageError, "expected x, y or z"):
            scree.heap.bins(tilted)
        with self.assertRaisesRegex(UsageError, "not the axis of the slices"):
            scree.heap.bins(snapshot(np.ones((3, 3)) * 0.01), along=2)


class Base(unittest.TestCase):
    def test_base_stress_is_the_weight_and_ignores_side_walls_and_higher_contacts(self):
        positions = lattice_below(lambda x, y: np.where(np.hypot(x - 0.05, y - 0.05) < 0.03, 0.9 * D, 0.0))
        packing = snapshot(positions, time_step=1e-5)
        weight = packing.masses[0] * 9.81
        count = len(positions)
        points = np.concatenate([positions - [0, 0, D / 2], positions[:5], positions[:5] + [0, 0, 0.02]])
        normal = np.tile([0.0, 0.0, 1.0], (count + 10, 1))
        normal[count : count + 5] = [1.0, 0.0, 0.0]
        impulse = np.concatenate([np.full((count, 1), weight * 1e-5) * [0, 0, 1], np.full((10, 3), 5.0)])
        rows = np.append(np.arange(count), np.arange(10))
        contacts = scree.contacts.Contacts(rows, np.full(count + 10, -1), points, normal, np.zeros(count + 10), impulse)
        rings = scree.heap.bins(packing, centre=CENTRE, width=5 * D)
        stress = scree.heap.base_stress(packing, contacts, rings)
        self.assertAlmostEqual(stress @ rings.areas / (count * weight), 1.0)
        is_within = rings.middles < 0.025
        np.testing.assert_allclose(stress[is_within][1:], weight / D**2, rtol=0.05)
        np.testing.assert_array_equal(stress[rings.edges[:-1] > 0.031], 0.0)


class Script(ScriptTest):
    script = "heap.py"

    def test_writes_tables_and_a_picture(self):
        fields = made_snapshot.fields_at(np.random.default_rng(1).uniform(size=(500, 3)) * [0.02, 0.02, 0.01] + [0.04, 0.02, 0.0])
        contacts = {"id": np.array([[3, -1]]), "position": [[0.05, 0.03, 0.0]], "normal": [[0.0, 0.0, 1.0]], "gap": [0.0],
                    "impulse": [[0.0, 0.0, 2e-5]]}  # fmt: skip
        paths = [self.folder / f"{number}.h5" for number in range(2)]
        halved = GRAVITY + '[at "50 ms"]\nscene.gravity = 0 0 -4.905 m/s^2\n'
        for number, path in enumerate(paths):
            made_snapshot.write(path, fields, time=0.1 * number, step=1 + number, configuration=halved, contacts=contacts)
        prefix = self.folder / "h"
        self.assert_runs(*paths, "--output", prefix, "--centre", "5", "3", "0", "cm")
        table = scree.table.read(f"{prefix}.csv")
        weight = 500 * made_snapshot.DENSITY * np.pi / 6.0 * D**3 * 9.81
        np.testing.assert_allclose(table["base_load_over_weight"], [2e-5 / 1e-5 / weight, 2e-5 / 1e-5 / (0.5 * weight)])
        profiles = scree.table.read(f"{prefix}_profiles.csv")
        np.testing.assert_array_equal(np.unique(profiles["time"]), [0.0, 0.1])
        self.assert_is_picture(self.folder / "h.png")
        self.assert_refused(2, ["not the axis of the slices"], *paths, "--output", prefix, "--along", "z")


if __name__ == "__main__":
    unittest.main()
