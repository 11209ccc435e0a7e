"""Tests of scree.cell on packings with known stresses and strains."""

import unittest

import made_snapshot  # makes the package importable

import numpy as np
import scree.cell

assert made_snapshot

ROWS = 101


def columns(**others):
    """Columns of a cell of 10 mm at rest: first 1 kPa is prescribed on all axes, then compression along z.

    others: columns that replace these
    """
    is_second_half = np.arange(ROWS) >= 50
    constant_stress = np.full(ROWS, 1000.0)
    columns_of_cell = {f"stress_{axes}": constant_stress.copy() for axes in scree.cell.NORMAL}
    columns_of_cell |= {f"cell_length_{axis}": np.full(ROWS, 0.01) for axis in "xyz"}
    columns_of_cell |= {"target_xx": constant_stress, "target_yy": constant_stress,
                        "target_zz": np.where(is_second_half, np.nan, 1000.0), "target_shear_stress": np.full(ROWS, np.nan)}
    zeros = ("shear_stress", "shear_rate", "shear_strain")
    return columns_of_cell | {name: np.zeros(ROWS) for name in zeros} | {"time": 1e-3 * np.arange(ROWS)} | others


class ShearTest(unittest.TestCase):
    def test_triaxial_compression_has_the_prescribed_strains_and_stresses(self):
        strain = np.linspace(0.0, 0.1, ROWS - 49)
        length = np.concatenate([np.full(49, 0.01), 0.01 * np.exp(-strain)])
        width = np.concatenate([np.full(49, 0.01), 0.01 * np.exp(0.6 * strain)])
        stress = np.concatenate([np.full(49, 1000.0), 1000.0 * (1.0 + 20.0 * strain)])
        result = scree.cell.shear_test(columns(cell_length_z=length, cell_length_x=width, cell_length_y=width, stress_zz=stress))
        self.assertEqual(result.axis, "z")
        np.testing.assert_allclose(result.strain, strain, atol=1e-12)
        np.testing.assert_allclose(result.volume, -0.2 * strain, atol=1e-12)  # the cell dilates
        # q is the difference of the stresses along z and x, 3000 Pa - 1000 Pa; p is the mean of all three.
        self.assertAlmostEqual(result.ratio[-1], 2000.0 / (5000.0 / 3.0))
        self.assertEqual(result.ratio[0], 0.0)

    def test_simple_shear_has_the_prescribed_strain_and_stresses(self):
        is_sheared = np.arange(ROWS) >= 50
        rate = np.where(is_sheared, 10.0, 0.0)
        strain = np.where(is_sheared, 0.01 * (np.arange(ROWS) - 49), 0.0)
        stress = np.where(is_sheared, 300.0, 0.0)
        result = scree.cell.shear_test(columns(shear_rate=rate, shear_strain=strain, shear_stress=stress,
                                               target_zz=np.full(ROWS, 1000.0)))
        self.assertEqual(result.axis, "shear")
        np.testing.assert_allclose(result.strain, 0.01 * np.arange(ROWS - 49))
        self.assertAlmostEqual(result.ratio[-1], np.sqrt(3.0) * 0.3)

    def test_packing_that_keeps_its_shape_has_no_shear_test(self):
        self.assertIsNone(scree.cell.shear_test(columns()))
        edge = 0.01 * np.exp(-np.linspace(0.0, 0.3, ROWS))
        self.assertIsNone(scree.cell.shear_test(columns(cell_length_x=edge, cell_length_y=edge, cell_length_z=edge)))


if __name__ == "__main__":
    unittest.main()
