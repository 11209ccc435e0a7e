"""Tests of scripts/mixing.py: Lacey's index of separated, randomly mixed and half mixed particles."""

import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

import matplotlib.image
import numpy as np

import scree
import scree.mixing
import scree.table

COUNT = 8000
DOMAIN = np.array([0.1, 0.06, 0.02])
# Standard deviation of Lacey's index of a random mixture of two kinds in K = 1875 cells of n = 4.3 particles:
# sqrt(2 / K) / (n - 1).
SCATTER = 0.0100
FRAMES = 8


def mixture(fraction, seed=1):
    """A frame with kind 0 in the left half and kind 1 in the right half; a fraction of particles exchange kinds."""
    fields = made_snapshot.made_fields(COUNT, seed)
    random = np.random.default_rng(1000 + seed)  # independent of the random numbers of the positions
    kinds = (fields["position"][:, 0] > 0.5 * DOMAIN[0]).astype(np.int32)
    is_shuffled = random.uniform(size=COUNT) < fraction
    kinds[is_shuffled] = random.permutation(kinds[is_shuffled])
    return made_snapshot.in_memory(fields | {"material": kinds}, densities=np.array([1.0, 1.0]))


class Relaxation(unittest.TestCase):
    TIMES = np.linspace(0.5, 4.5, 21)

    def test_relaxation_time_of_an_exponential_is_found(self):
        index = 0.9 - 0.7 * np.exp(-(self.TIMES - 0.5) / 0.8)
        tau, first, end = scree.mixing.relaxation(self.TIMES, index)
        np.testing.assert_allclose((tau, first, end), (0.8, 0.2, 0.9), rtol=0.02)
        index[3] = np.nan
        noise = 0.02 * np.random.default_rng(1).normal(size=len(index))
        np.testing.assert_allclose(scree.mixing.relaxation(self.TIMES, index + noise)[0], 0.8, rtol=0.1)

    def test_index_that_does_not_relax_has_no_relaxation_time(self):
        random = np.random.default_rng(1)
        for index in (0.1 * self.TIMES, 0.5 + 0.01 * random.normal(size=21), np.full(21, np.nan)):
            self.assertTrue(np.isnan(scree.mixing.relaxation(self.TIMES, index)).all())


class Lacey(unittest.TestCase):
    def index(self, frame, side=0.004):
        return scree.mixing.lacey(frame, frame["material"], side)

    def test_random_mixture_has_index_one(self):
        self.assertAlmostEqual(np.mean([self.index(mixture(1.0, seed)) for seed in range(FRAMES)]), 1.0,
                               delta=3.0 * SCATTER / FRAMES**0.5)

    def test_separated_kinds_have_index_zero_if_no_cell_contains_both(self):
        # With cells of 5 mm, x = 0.05 is a face of cells, so no cell contains both kinds.
        self.assertAlmostEqual(self.index(mixture(0.0), 0.005), 0.0, delta=1e-12)
        self.assertLess(self.index(mixture(0.0), 0.004), 0.05)

    def test_half_mixed_kinds_have_index_three_quarters(self):
        # Fractions of 1/4 and 3/4 have s^2 = 1/16, and s_0^2 is 1/4.
        self.assertAlmostEqual(self.index(mixture(0.5), 0.005), 0.75, delta=0.02)

    def test_index_hardly_depends_on_cell_size(self):
        values = [self.index(mixture(0.5), side) for side in (0.0025, 0.005, 0.01)]
        self.assertLess(np.ptp(values), 0.03)

    def test_one_kind_has_no_index(self):
        frame = made_snapshot.in_memory(made_snapshot.made_fields(100))
        self.assertTrue(np.isnan(self.index(frame)))
        with self.assertRaisesRegex(scree.UsageError, "have the same material"):
            scree.mixing.over_time([frame])

    def test_random_mixture_of_three_kinds_has_index_one(self):
        frame = mixture(1.0)
        kinds = np.random.default_rng(2).integers(0, 3, COUNT)
        self.assertAlmostEqual(scree.mixing.lacey(frame, kinds, 0.004), 1.0, delta=3.0 * SCATTER)


class Jackknife(unittest.TestCase):
    SIDE = 0.004

    def test_jackknife_error_matches_its_definition(self):
        """The reference omits one block at a time, and computes the index by cells and the segregation by pairs."""
        chosen = np.random.default_rng(5).permutation(COUNT)[:600]
        frame = mixture(0.6)
        frame.fields = {name: values[chosen] for name, values in frame.fields.items()}
        positions, kinds = frame["position"], frame["material"]
        block = scree.mixing.blocks(scree.mixing.cells_of(frame, self.SIDE), np.array([0.0, 0.0, 1.0]))
        indices, segregations = [], []
        for omitted_block in range(scree.mixing.BLOCKS):
            cells = {}
            for position, kind, particle_block in zip(positions, kinds, block):
                if particle_block != omitted_block:
                    cells.setdefault(tuple(int(x) for x in position // self.SIDE), []).append(kind)
            cells = [cell for cell in cells.values() if len(cell) > 1]
            number = sum(map(len, cells))
            p = sum(map(sum, cells)) / number
            spread = sum(len(cell) * (sum(cell) / len(cell) - p) ** 2 for cell in cells) / number
            indices.append((p * (1 - p) - spread) / (p * (1 - p) * (1 - len(cells) / number)))
            z = [positions[(block != omitted_block) & (kinds == kind), 2] for kind in (0, 1)]
            segregations.append(np.mean([np.sign(high - low) for low in z[0] for high in z[1]]))
        expected = [np.sqrt(15.0 / 16.0 * np.sum((np.array(values) - np.mean(values)) ** 2)) for values in (indices, segregations)]
        np.testing.assert_allclose(scree.mixing.jackknife_errors(frame, kinds, self.SIDE), expected, rtol=1e-9)

    def test_blocks_are_columns_of_whole_cells(self):
        cells = scree.mixing.cells_of(mixture(1.0), self.SIDE)
        block = scree.mixing.blocks(cells, np.array([0.0, 0.0, 1.0]))
        columns = {}
        for cell, number in zip(cells, block):
            columns.setdefault(tuple(cell[:2]), set()).add(int(number))
        self.assertTrue(all(len(blocks) == 1 for blocks in columns.values()))
        block_of_column = {tuple(cell[:2]): number for cell, number in zip(cells, block)}
        for number in range(16):  # 25 x 15 columns, bisected four times: a block has about 6 x 4
            block_columns = [column for column, column_block in block_of_column.items() if column_block == number]
            extent = np.ptp(block_columns, axis=0)
            self.assertLessEqual(extent.max(), 7)
        sizes = np.bincount([blocks.pop() for blocks in columns.values()])
        self.assertEqual(len(sizes), 16)
        self.assertLessEqual(np.ptp(sizes), 4)

    def test_jackknife_error_is_the_scatter_of_independent_mixtures(self):
        frames = [mixture(1.0, seed) for seed in range(30)]
        actual = np.array([(scree.mixing.lacey(frame, frame["material"], self.SIDE),
                            scree.mixing.segregation(frame, frame["material"]),
                            *scree.mixing.jackknife_errors(frame, frame["material"], self.SIDE)) for frame in frames])  # fmt: skip
        for value, error in ((0, 2), (1, 3)):
            # A standard deviation estimated from 30 values has a relative error of 13 %.
            self.assertAlmostEqual(np.mean(actual[:, error]) / np.std(actual[:, value], ddof=1), 1.0, delta=0.4)

    def test_error_of_several_kinds_is_that_of_the_most_segregated_pair(self):
        """The second kind rises from the two others, so that pairs of about equal segregation have opposite signs."""
        frame, random = mixture(1.0), np.random.default_rng(2)
        height = frame["position"][:, 2] / frame["position"][:, 2].max()
        kinds = np.where(random.random(COUNT) < height**2, 1, 2 * random.integers(0, 2, COUNT))
        _, error = scree.mixing.jackknife_errors(frame, kinds, self.SIDE)
        result = scree.mixing.segregation(frame, kinds)
        self.assertGreater(abs(result), 0.3)
        is_of_pair = kinds != (2 if result > 0.0 else 0)
        pair = mixture(1.0)
        pair.fields = {name: values[is_of_pair] for name, values in pair.fields.items()}
        self.assertAlmostEqual(error / scree.mixing.jackknife_errors(pair, kinds[is_of_pair], self.SIDE)[1], 1.0, delta=0.3)

    def test_kind_within_one_block_has_no_error(self):
        frame = mixture(1.0)
        kinds = np.where((frame["position"] < 0.006).all(axis=1), 2, frame["material"])
        self.assertGreater(np.sum(kinds == 2), 5)
        self.assertTrue(np.isnan(scree.mixing.jackknife_errors(frame, kinds, self.SIDE)).all())

    def test_single_column_has_no_error(self):
        frame = mixture(1.0)
        self.assertTrue(np.isnan(scree.mixing.jackknife_errors(frame, frame["material"], 1.0)).all())


class Segregation(unittest.TestCase):
    def test_segregation_is_one_if_the_second_kind_is_above(self):
        fields = made_snapshot.made_fields(400)
        frame = made_snapshot.in_memory(fields, configuration="[scene]\ngravity = 0 9.81 0\n")  # up is -y
        y = fields["position"][:, 1]
        random = np.random.default_rng(3).integers(0, 2, 400)
        for kinds, expected, tolerance in ((y < 0.03, 1.0, 0.0), (y >= 0.03, -1.0, 0.0), (random, 0.0, 0.15)):
            self.assertAlmostEqual(scree.mixing.segregation(frame, np.asarray(kinds, int)), expected, delta=tolerance)
        self.assertTrue(np.isnan(scree.mixing.segregation(frame, np.zeros(400, int))))

    def test_segregation_is_found_even_with_cells_as_small_as_a_grain(self):
        # Sixteen large grains lie below two thousand small grains; a cell has about the volume of a large grain.
        small = np.random.default_rng(1).uniform(size=(2000, 3)) * [0.1, 0.06, 0.012] + [0, 0, 0.008]
        large_positions = np.stack([*np.meshgrid(np.linspace(0.01, 0.09, 4), np.linspace(0.008, 0.052, 4)),
                                    np.full((4, 4), 0.004)], axis=-1)
        fields = made_snapshot.fields_at(np.concatenate([small, large_positions.reshape(-1, 3)]),
                                         radius=np.repeat([1e-3, 4e-3], [2000, 16]),
                                         material=np.repeat(np.array([0, 1], np.int32), [2000, 16]))  # fmt: skip
        result = scree.mixing.over_time([made_snapshot.in_memory(fields, densities=np.array([1.0, 1.0]))])
        self.assertEqual(result.segregation[0], -1.0)
        self.assertLess(result.rarest_per_cell, scree.mixing.MIN_COUNT)


class Script(ScriptTest):
    script = "mixing.py"

    def test_index_over_a_run_is_written_and_drawn(self):
        frames = {1000 * (k + 1): mixture(fraction).fields for k, fraction in enumerate((0.0, 0.5, 1.0))}
        run = made_run.write(self.folder / "run", [{"step": 0}], frames)
        process = self.run_script(run)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        table = scree.table.read(run / "mixing.csv")
        np.testing.assert_allclose(table["lacey_index"], [0.0, 0.75, 1.0], atol=0.06)
        np.testing.assert_allclose(table["time"], [0.01, 0.02, 0.03])
        self.assertGreater(np.ptp(matplotlib.image.imread(run / "mixing.png")[..., :3]), 0.5)
        self.assert_runs(*sorted((run / "snapshots").iterdir())[::-1], "--output", self.folder / "files")
        self.assertEqual((self.folder / "files.csv").read_text(), (run / "mixing.csv").read_text())

    def test_run_of_one_material_is_refused(self):
        self.assert_refused(2, ["have the same material"], made_run.steady(self.folder / "run"))

    def test_single_files_need_a_prefix(self):
        path = made_run.steady(self.folder / "run") / "snapshots"
        self.assert_refused(2, ["--output"], *sorted(path.glob("*.h5")))


if __name__ == "__main__":
    unittest.main()
