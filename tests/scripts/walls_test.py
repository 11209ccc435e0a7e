"""scripts/_walls.py: volumes of walls, configurations that cannot be read."""

import unittest

import made_snapshot

import _snapshot
import _walls
import numpy as np

# The obstacle of made_snapshot within the domain, 2 cm high: half a cylinder of 1 cm and a box.
OBSTACLE = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02


class Walls(unittest.TestCase):
    def test_volume_of_the_obstacle(self):
        snapshot = made_snapshot.in_memory(
            made_snapshot.made_fields(0), configuration=made_snapshot.CONFIGURATION
        )
        solids = _walls.in_domain(snapshot)["obstacle"]
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / OBSTACLE, 1.0, delta=1e-3)

    def test_overlapping_boxes_count_once_and_what_juts_out_not_at_all(self):
        text = (
            "[wall.a]\nshape = box\nlower = 0 0 0 cm\nupper = 2 2 2 cm\n"
            "[wall.b]\nshape = box\nlower = 1 0 0 cm\nupper = 3 2 2 cm\n"
            "[wall.c]\nshape = box\nlower = 9 5 0 cm\nupper = 12 7 9 cm\n"
        )
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
        solids = sum(_walls.in_domain(snapshot).values(), [])
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / (12e-6 + 2e-6), 1.0, delta=0.01)

    def test_foreign_configuration(self):
        empty = made_snapshot.made_fields(0)
        for text in ("rubbish", "[wall.a]\nshape = box\nlower = 1 1 1 kg\nupper = 2 2 2\n"):
            snapshot = made_snapshot.in_memory(empty, configuration=text)
            with self.assertRaisesRegex(_snapshot.SnapshotError, "configuration"):
                _walls.in_domain(snapshot)


if __name__ == "__main__":
    unittest.main()
