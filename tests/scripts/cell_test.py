"""Tests of scree.cell on packings with known stresses and strains."""

import unittest

import made_snapshot  # which finds the package

import numpy as np
import scree.cell

assert made_snapshot

ROWS = 101


def columns(**others):
    """A cell of 10 mm at rest: 1 kPa is prescribed in the first half, compression along z in the second."""
    half = np.arange(ROWS) >= 50
    held = np.full(ROWS, 1000.0)
    made = {f"stress_{axes}": held.copy() for axes in scree.cell.NORMAL} | {f"cell_length_{axis}": np.full(ROWS, 0.01) for axis in "xyz"}
    made |= {"target_xx": held, "target_yy": held, "target_zz": np.where(half, np.nan, 1000.0), "target_shear_stress": np.full(ROWS, np.nan)}
    zeros = ("shear_stress", "shear_rate", "shear_strain")
    return made | {name: np.zeros(ROWS) for name in zeros} | {"time": 1e-3 * np.arange(ROWS)} | others


class ShearTest(unittest.TestCase):
    def test_triaxial_compression(self):
        strain = np.linspace(0.0, 0.1, ROWS - 49)
        length = np.concatenate([np.full(49, 0.01), 0.01 * np.exp(-strain)])
        width = np.concatenate([np.full(49, 0.01), 0.01 * np.exp(0.6 * strain)])
        stress = np.concatenate([np.full(49, 1000.0), 1000.0 * (1.0 + 20.0 * strain)])
        found = scree.cell.shear_test(columns(cell_length_z=length, cell_length_x=width, cell_length_y=width, stress_zz=stress))
        self.assertEqual(found.axis, "z")
        np.testing.assert_allclose(found.strain, strain, atol=1e-12)
        np.testing.assert_allclose(found.volume, -0.2 * strain, atol=1e-12)  # the cell dilates
        # q = 3000 Pa - 1000 Pa is the difference of the stresses, p is their mean.
        self.assertAlmostEqual(found.ratio[-1], 2000.0 / (5000.0 / 3.0))
        self.assertEqual(found.ratio[0], 0.0)

    def test_simple_shear(self):
        half = np.arange(ROWS) >= 50
        rate = np.where(half, 10.0, 0.0)
        strain = np.where(half, 0.01 * (np.arange(ROWS) - 49), 0.0)
        stress = np.where(half, 300.0, 0.0)
        found = scree.cell.shear_test(columns(shear_rate=rate, shear_strain=strain, shear_stress=stress, target_zz=np.full(ROWS, 1000.0)))
        self.assertEqual(found.axis, "shear")
        np.testing.assert_allclose(found.strain, 0.01 * np.arange(ROWS - 49))
        self.assertAlmostEqual(found.ratio[-1], np.sqrt(3.0) * 0.3)

    def test_packing_that_keeps_its_shape_has_none(self):
        self.assertIsNone(scree.cell.shear_test(columns()))
        edge = 0.01 * np.exp(-np.linspace(0.0, 0.3, ROWS))
        self.assertIsNone(scree.cell.shear_test(columns(cell_length_x=edge, cell_length_y=edge, cell_length_z=edge)))


if __name__ == "__main__":
    unittest.main()
