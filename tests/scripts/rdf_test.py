"""Tests of scripts/rdf.py: gases and lattices with known g(r), errors, bad input."""

import unittest
import weakref

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree
import scree.rdf
import scree.region
import scree.structure_factor
import scree.table

D = 1e-3  # diameter [m]


def gas(count, extent, seed=1, periodic=(False, False, False)):
    """Random points: an ideal gas."""
    positions = np.random.default_rng(seed).uniform(size=(count, 3)) * extent
    fields = made_snapshot.fields_at(positions, radius=D / 2)
    return made_snapshot.in_memory(fields, extent, periodic)


def lattice(basis, cells, spacing, periodic):
    """A cubic lattice of this many cells along each axis, with a basis [B, 3] in cell lengths."""
    corners = np.indices((cells,) * 3).reshape(3, -1).T
    positions = ((corners[:, None] + basis).reshape(-1, 3) + 0.1) * spacing
    fields = made_snapshot.fields_at(positions, radius=D / 2)
    return made_snapshot.in_memory(fields, (cells * spacing,) * 3, (periodic,) * 3)


SIMPLE = np.zeros((1, 3))
FACE_CENTRED = np.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
# Neighbours at 1, sqrt 2, sqrt 3, 2 and sqrt 5 diameters.
DISTANCES = np.sqrt([1, 2, 3, 4, 5])
SIMPLE_NEIGHBOURS = [6, 12, 8, 6, 24]
FACE_CENTRED_NEIGHBOURS = [12, 6, 24, 12, 24]


def neighbours(snapshot, result, region):
    """Mean number of neighbours in each bin, [K], from g."""
    density = (result.particles - 1) / region.volume
    return result.g * density * 4 / 3 * np.pi * np.diff((result.edges * result.diameter) ** 3)


class Gas(unittest.TestCase):
    TOLERANCE = 0.01  # three standard deviations, for each bin has 8e4 independent pairs or more

    def assert_is_one(self, snapshot):
        result = scree.rdf.radial_distribution(snapshot, scree.region.make(snapshot), 3.0, 1.0)
        np.testing.assert_allclose(result.g, 1.0, atol=self.TOLERANCE)
        return result

    def test_faces_have_no_effect_if_centres_are_far_enough(self):
        for extent, periodic, centre_fraction in (
            ((25, 25, 25), (True, True, True), 1.0),
            ((25, 25, 20), (False, False, False), (19 / 25) ** 2 * (14 / 20)),
            ((25, 25, 20), (True, False, False), (19 / 25) * (14 / 20)),
        ):
            result = self.assert_is_one(gas(40000, np.array(extent) * D, periodic=periodic))
            tolerance = 0.02 if centre_fraction < 1.0 else 0.0
            self.assertAlmostEqual(result.centres / 40000 / centre_fraction, 1.0, delta=tolerance)

    def test_region_inside_the_domain_has_neighbours_outside(self):
        snapshot = gas(60000, np.array([75, 25, 20]) * D)
        region = scree.region.make(snapshot, (30 * D, 0, 0), (32 * D, 25 * D, 20 * D))
        result = scree.rdf.radial_distribution(snapshot, region, r_max=5.0, bin_width=2.5)
        # The region contains about 1600 particles, so the statistical error is 2.5 %.
        self.assertAlmostEqual(result.g[0], 1.0, delta=0.08)

    def test_uncorrected_function_falls_where_shells_leave_the_box(self):
        a, b, c = extent = np.array([30, 25, 20]) * D
        snapshot = gas(20000, extent)
        region = scree.region.make(snapshot)
        result = scree.rdf.radial_distribution(snapshot, region, 7.0, 1.0, corrected=False)
        powers = [np.diff(result.edges**k) for k in (3, 4)]
        r = 0.75 * powers[1] / powers[0] * D  # mean over each shell
        # Fraction of a sphere of radius r inside the box, averaged over all centres and directions.
        fraction_inside = (
            1.0
            - r / 2 * (1 / a + 1 / b + 1 / c)
            + 2 * r**2 / (3 * np.pi) * (1 / (a * b) + 1 / (b * c) + 1 / (c * a))
            - r**3 / (4 * np.pi * a * b * c)
        )
        self.assertLess(fraction_inside[-1], 0.7)
        np.testing.assert_allclose(result.g, fraction_inside, atol=self.TOLERANCE)

    def test_two_particles_are_one_pair(self):
        snapshot = made_snapshot.in_memory(
            made_snapshot.fields_at([[0, 0.01, 0.01], [2.2 * D, 0.01, 0.01]], radius=D / 2)
        )
        region = scree.region.make(snapshot)
        result = scree.rdf.radial_distribution(snapshot, region, 5.0, 1.0, corrected=False)
        np.testing.assert_allclose(neighbours(snapshot, result, region), [0, 1, 0, 0])


class Lattice(unittest.TestCase):
    def test_lattice_has_the_known_neighbours_in_periodic_and_closed_boxes(self):
        for basis, cells, spacing, expected in (
            (SIMPLE, (8, 8), D, SIMPLE_NEIGHBOURS), (FACE_CENTRED, (5, 6), np.sqrt(2) * D, FACE_CENTRED_NEIGHBOURS)):
            for count, periodic in zip(cells, (True, False)):
                snapshot = lattice(basis, count, spacing, periodic)
                region = scree.region.make(snapshot)
                result = scree.rdf.radial_distribution(snapshot, region, r_max=2.28)
                peaks = np.zeros(len(result.g))
                # Multiples of BIN are in the middle of bins.
                peaks[np.round(DISTANCES / scree.rdf.BIN).astype(int) - 1] = expected
                np.testing.assert_allclose(neighbours(snapshot, result, region), peaks, rtol=1e-12)


class Average(unittest.TestCase):
    def test_error_is_the_standard_error_over_frames(self):
        frames = [
            scree.rdf.Rdf(np.array([0.0, 1.0]), np.array([g]), np.array([9.0]), D, 10.0, 5.0, (g,))
            for g in (1.0, 2.0, 6.0)
        ]
        result = scree.rdf.average(frames)
        self.assertAlmostEqual(result.g[0], 3.0)
        self.assertAlmostEqual(result.error[0], np.sqrt(7.0 / 3.0))
        self.assertEqual(result.times, (1.0, 2.0, 6.0))

    def test_each_centre_has_the_same_weight(self):
        frames = [scree.rdf.Rdf(np.array([0.0, 1.0]), np.array([g]), np.array([0.0]), D, 2 * centres, centres, (g,))
                  for g, centres in ((1.0, 9.0), (2.0, 1.0))]  # fmt: skip
        self.assertAlmostEqual(scree.rdf.average(frames).g[0], 1.1)

    def test_error_of_one_frame_predicts_the_scatter_between_frames(self):
        boxes = [gas(2000, np.full(3, 20 * D), seed, (True,) * 3) for seed in range(50)]
        region = scree.region.make(boxes[0])
        frames = [scree.rdf.radial_distribution(box, region, 5.0, 1.0) for box in boxes]
        scatter = scree.rdf.average(frames).error * np.sqrt(50)
        single = np.mean([frame.error for frame in frames], axis=0)
        # 50 frames give the scatter within 10 %; the tolerance is three times that.
        np.testing.assert_allclose(scatter / single, 1.0, atol=0.3)


class ShrinkingBed(unittest.TestCase):
    """Each frame of a gas fills less of the domain: g = 1 if each frame uses its own region and density."""

    def frames(self):
        frames_of_gas = []
        for seed, height in enumerate((20.0, 14.0, 9.0)):
            random = np.random.default_rng(seed)
            positions = random.uniform(size=(round(400 * height), 3)) * np.array([20.0, 20.0, height]) * D
            fields = made_snapshot.fields_at(positions, D / 2)
            frames_of_gas.append(made_snapshot.in_memory(fields, np.full(3, 20.0 * D), (True, True, False)))
        return frames_of_gas

    def test_each_frame_uses_its_region_and_density(self):
        g = scree.rdf(self.frames(), bin_width=0.25)
        np.testing.assert_allclose(g.g[2:], 1.0, atol=0.05)

    def test_range_is_the_smallest_of_all_frames(self):
        frames = self.frames()
        smallest_range = scree.rdf.natural_r_max(frames[2:], scree.rdf.natural_region)
        self.assertAlmostEqual(smallest_range, 9.0 / 4.0, delta=0.1)
        self.assertEqual(scree.rdf.natural_r_max(frames, scree.rdf.natural_region), smallest_range)


class Windows(unittest.TestCase):
    """g(r) from pairs in a box: counts are divided by the fraction of each shell that lies inside the box."""

    EXTENT = np.array([25, 20, 4]) * D

    def test_gas_between_narrow_walls_has_no_order(self):
        snapshot = gas(12000, self.EXTENT)
        result = scree.rdf.in_window(snapshot, scree.region.make(snapshot), 7.0, 1.0)
        np.testing.assert_allclose(result.g, 1.0, atol=0.02)

    def test_fraction_inside_is_the_set_covariance_of_a_box(self):
        snapshot = gas(2, self.EXTENT)
        region = scree.region.make(snapshot)
        a, b, c = self.EXTENT
        r = np.array([0.0, 1.0, 3.9]) * D
        exact = (1.0 - 0.5 * r * (1 / a + 1 / b + 1 / c) + 2.0 * r**2 / (3.0 * np.pi) * (1 / (a * b) + 1 / (b * c) + 1 / (c * a))
                 - r**3 / (4.0 * np.pi * a * b * c))  # fmt: skip
        np.testing.assert_allclose(scree.rdf.share_inside(region, r), exact, rtol=1e-6)
        region.endless = np.array([True, True, False])
        np.testing.assert_allclose(scree.rdf.share_inside(region, r), 1.0 - 0.5 * r / c, rtol=1e-6)

    def test_window_equals_whole_shells_in_a_periodic_box(self):
        snapshot = lattice(FACE_CENTRED, 5, np.sqrt(2) * D, True)
        region = scree.region.make(snapshot)
        whole_shells, windowed = (function(snapshot, region, 2.28)
                                  for function in (scree.rdf.radial_distribution, scree.rdf.in_window))
        np.testing.assert_allclose(windowed.g, whole_shells.g)
        np.testing.assert_allclose(windowed.error, whole_shells.error)

    def test_window_of_a_thin_bed_reaches_several_diameters(self):
        frames = [gas(5000, self.EXTENT)]
        g = scree.rdf(frames)
        self.assertAlmostEqual(g.edges[-1], 5.0, delta=0.05)
        self.assertLess(scree.rdf.natural_r_max(frames, scree.rdf.natural_region), 2.0)
        self.assertAlmostEqual(float(np.mean(g.g[20:])), 1.0, delta=0.02)


    def test_both_ranges_are_computed_in_one_pass_without_storing_frames(self):
        extents = (self.EXTENT, self.EXTENT * [1.0, 1.0, 2.0])
        alive = []

        def frames():
            for extent in extents:
                frame = gas(2000, extent)
                alive.append(weakref.ref(frame))
                yield frame
                del frame

        def region_of(frame):
            self.assertEqual(sum(reference() is not None for reference in alive), 1)
            return scree.rdf.natural_region(frame)

        stored = [gas(2000, extent) for extent in extents]
        expected = [function(stored, scree.rdf.natural_region) for function in (scree.rdf.natural_r_max, scree.rdf.window_r_max)]
        self.assertEqual(list(scree.rdf.reaches(frames(), region_of)), expected)
        self.assertEqual(len(alive), 2)


class Kinds(unittest.TestCase):
    """A lattice of two kinds of ions; the nearest neighbours of an ion are of the other kind."""

    def setUp(self):
        positions = (np.indices((8,) * 3).reshape(3, -1).T + 0.1) * D
        self.kinds = np.indices((8,) * 3).reshape(3, -1).sum(axis=0) % 2
        fields = made_snapshot.fields_at(positions, np.where(self.kinds, 0.4, 0.6) * D, material=self.kinds)
        self.snapshot = made_snapshot.in_memory(fields, (8 * D,) * 3, (True,) * 3, densities=np.ones(2))

    def test_partial_functions_have_the_neighbours_of_each_kind(self):
        actual = scree.rdf.partial([self.snapshot], scree.region.make, 1.9, "material", 0.1)
        first, second = self.snapshot.materials
        self.assertEqual(list(actual), [(first, first), (first, second), (second, second)])
        for pair, diameter, expected in (((first, second), D, {1.0: 6, np.sqrt(3.0): 8}), ((first, first), 1.2 * D, {np.sqrt(2.0) / 1.2: 12, 2.0 / 1.2: 6}),
                                         ((second, second), 0.8 * D, {np.sqrt(2.0) / 0.8: 12})):  # fmt: skip
            partial = actual[pair]
            self.assertAlmostEqual(partial.diameter / diameter, 1.0)
            shells = 4 / 3 * np.pi * np.diff((partial.edges * partial.diameter) ** 3)
            count = partial.g * shells * (256 - (pair[0] == pair[1])) / (8 * D) ** 3
            peak_bins = np.flatnonzero(count > 0.5)
            np.testing.assert_allclose(count[peak_bins], list(expected.values()), rtol=1e-9)
            np.testing.assert_allclose(partial.r_over_d[peak_bins], list(expected), atol=0.05)

    def test_two_kinds_of_a_gas_are_not_correlated(self):
        snapshot = gas(10000, np.array([25, 20, 4]) * D)
        snapshot.fields["material"] = np.arange(10000) % 3 // 2
        snapshot.densities, snapshot.materials = np.ones(2), ("a", "b")
        for partial in scree.rdf.partial([snapshot], scree.region.make, 5.0, "material", 1.0).values():
            np.testing.assert_allclose(partial.g, 1.0, atol=0.06)


    def test_partial_functions_end_at_half_of_a_periodic_box(self):
        positions = np.random.default_rng(1).uniform(size=(2000, 3)) * 10 * D
        kinds = (np.arange(2000) < 300).astype(int)
        fields = made_snapshot.fields_at(positions, np.where(kinds, 2.0, 0.5) * D / 2, material=kinds)
        for extent in (10 * D, 10.4 * D):
            frames = [made_snapshot.in_memory(fields, (extent_of_frame,) * 3, (True,) * 3, densities=np.ones(2))
                      for extent_of_frame in (extent, 10 * D)]
            actual = scree.rdf.partial(frames, scree.region.make, 5.0, "material", 0.5)
            ends = [partial.edges[-1] for partial in actual.values()]
            np.testing.assert_allclose(ends, [4.75, 3.75, 2.25])  # half a box is 10, 4 and 2.5 diameters of these pairs
            for partial in actual.values():
                self.assertEqual(len(partial.times), 2)
                self.assertAlmostEqual(float(np.mean(partial.g[1:])), 1.0, delta=0.1)

    def test_single_particle_has_no_pair_with_its_kind(self):
        self.snapshot.fields["material"] = (np.arange(512) == 7).astype(int)
        first, second = self.snapshot.materials
        actual = scree.rdf.partial([self.snapshot], scree.region.make, 1.9, "material", 0.1)
        self.assertEqual(list(actual), [(first, first), (first, second)])
        self.assertEqual(scree.rdf.partial([self.snapshot], scree.region.make, 0.1, "material", 0.1), {})  # less than a bin


class Structure(unittest.TestCase):
    def test_structure_factor_of_a_gas_is_one(self):
        frames = [gas(500, np.array([20, 18, 16]) * D, seed, (True,) * 3) for seed in range(6)]
        actual = scree.structure_factor.average([scree.structure_factor.structure_factor(frame) for frame in frames])
        is_known = np.isfinite(actual.values)
        # A bin has up to 200 wave vectors of six frames, each with a scatter of 1.
        np.testing.assert_allclose(actual.values[is_known][5:], 1.0, atol=0.13)
        self.assertAlmostEqual(float(actual.values[is_known].mean()), 1.0, delta=0.02)

    def test_structure_factor_of_a_lattice_is_its_number_of_particles_or_zero(self):
        snapshot = lattice(SIMPLE, 6, D, True)
        extent = snapshot.upper - snapshot.lower
        actual = scree.structure_factor.at(snapshot["position"], extent, np.array([[6, 0, 0], [6, -6, 12], [1, 0, 0], [6, 5, 0]]))
        np.testing.assert_allclose(actual, [216, 216, 0, 0], atol=1e-9)

    def test_large_domain_uses_a_subset_of_wave_vectors_in_all_directions(self):
        numbers, bins = scree.structure_factor.wave_vectors(np.array([1.0, 0.5, 2.0]), 2.0 * np.pi * np.array([40.0, 50.0, 60.0]))
        self.assertTrue((np.bincount(bins) == scree.structure_factor.MAX_VECTORS).all())
        self.assertEqual(len(np.unique(np.concatenate([numbers, -numbers]), axis=0)), 4 * scree.structure_factor.MAX_VECTORS)
        directions = numbers / [1.0, 0.5, 2.0]
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        np.testing.assert_allclose(np.mean(directions**2, axis=0), 1.0 / 3.0, atol=0.06)

    def test_wave_vectors_of_the_domain_include_one_of_each_opposite_pair(self):
        extent = np.array([2.0, 1.0, 1.0])
        numbers, bins = scree.structure_factor.wave_vectors(extent, 2.0 * np.pi * np.array([0.0, 0.4, 0.8, 1.05]))
        self.assertEqual({tuple(vector) for vector in numbers[bins == 1]}, {(1, 0, 0)})
        self.assertEqual({tuple(vector) for vector in numbers[bins == 2]}, {(2, 0, 0), (0, 1, 0), (0, 0, 1)})
        self.assertEqual(len(numbers), 4)


class Script(ScriptTest):
    script = "rdf.py"

    def setUp(self):
        super().setUp()
        self.frames = [self.folder / f"{k}.h5" for k in range(2)]
        for seed, path in enumerate(self.frames):
            made_snapshot.write(path, made_snapshot.made_fields(3000, seed))
        self.prefix = self.folder / "g"

    def test_writes_table_and_picture(self):
        self.assert_runs(
            *self.frames, "--lower", "6", "0", "0", "cm", "--output", self.prefix, "--r-max", 3
        )
        table = scree.table.read(f"{self.prefix}.csv")
        self.assertEqual(list(table), ["r_over_d", "g", "error"])
        np.testing.assert_allclose(table["r_over_d"], 0.05 * np.arange(1, 60))
        self.assertTrue(np.all(np.isfinite(table["error"])))
        self.assert_is_picture(self.folder / "g.png")

    def test_kinds_and_a_periodic_domain_have_further_tables(self):
        fields = made_snapshot.made_fields(3000) | {"material": np.arange(3000, dtype=np.int32) % 2}
        made_snapshot.write(self.frames[0], fields, periodic=(True, True, True), materials=2, walls=())
        self.assert_runs(self.frames[0], "--output", self.prefix)
        table = scree.table.read(f"{self.prefix}_partial.csv")
        np.testing.assert_array_equal(np.unique(table["first"]), ["material 0", "material 1"])
        self.assertAlmostEqual(float(np.mean(table["g"])), 1.0, delta=0.05)
        structure = scree.table.read(f"{self.prefix}_structure.csv")
        self.assertAlmostEqual(float(np.nanmean(structure["structure_factor"])), 1.0, delta=0.1)
        self.assert_is_picture(self.folder / "g_partial.png")

    def test_table_of_kinds_is_left_out_without_a_complete_bin(self):
        fields = made_snapshot.made_fields(3000) | {"material": np.arange(3000, dtype=np.int32) % 2}
        made_snapshot.write(self.frames[0], fields, materials=2)
        self.assert_warns("every pair of kinds", self.frames[0], "--output", self.prefix, "--r-max", 9, "--bin", 4, "--uncorrected")
        self.assertFalse((self.folder / "g_partial.csv").exists())
        self.assertTrue((self.folder / "g.csv").exists())

    def test_obstacle_near_the_region_is_reported(self):
        self.assert_warns("'obstacle'", self.frames[0], "--output", self.prefix, "--r-max", 3)

    def test_frames_with_fewer_than_two_particles_are_left_out(self):
        for count in (1, 0):
            made_snapshot.write(self.frames[0], made_snapshot.made_fields(count))
            self.assert_warns("1 snapshots with fewer than two", *self.frames, "--output", self.prefix, "--r-max", 3)
        self.assert_refused(2, ["two particles"], self.frames[0], "--output", self.prefix, "--r-max", 3)

    def test_bad_regions_are_refused(self):
        cases = (
            (["--lower", "20", "0", "0", "cm"], ["x from 0.2 to 0.1"]),
            (["--upper", "20", "1", "1", "cm"], ["beyond the domain", "0 to 0.1 m"]),
            (["--lower", "1", "1", "cm"], ["3 numbers"]),
            (["--lower", "1", "1", "1", "kg"], ["units"]),
            (["--upper", "10", "0.1", "0.1", "um"], ["no snapshot has two particles"]),
            (["--r-max", "20"], ["r_max", "smaller"]),
            (["--r-max", "0"], ["greater than 0"]),
            (["--bin", "9"], ["--bin 9", "--r-max 5"]),
        )
        for options, words in cases:
            with self.subTest(options=options):
                self.assert_refused(2, words, self.frames[0], "--output", self.prefix, *options)

    def test_default_range_fits_into_a_narrow_domain(self):
        fields = made_snapshot.fields_at(np.random.default_rng(1).uniform(size=(50, 3)) * 0.004, radius=5e-4)
        cases = (((0.004, 0.1, 0.1), True, 2.0), ((0.004, 0.1, 0.1), False, 1.0), ((0.1, 0.1, 0.1), False, 5.0),
                 ((0.0012, 0.1, 0.1), True, 0.6))
        for extent, periodic, expected in cases:
            snapshot = made_snapshot.in_memory(fields, extent, (periodic, False, False))
            self.assertAlmostEqual(scree.rdf.fitting_r_max(snapshot, scree.region.make(snapshot)), expected)

    def test_range_beyond_half_a_periodic_box_is_refused(self):
        made_snapshot.write(
            self.frames[0], made_snapshot.made_fields(100), periodic=(True, True, True)
        )
        self.assert_refused(
            2, ["half of the periodic domain"], self.frames[0], "--output", self.prefix,
            "--r-max", 11,
        )  # fmt: skip

    def test_default_region_is_the_middle_of_a_heap_or_a_full_domain(self):
        full = made_snapshot.in_memory(made_snapshot.made_fields(2000))
        self.assertTrue(np.all(scree.rdf.natural_region(full).upper == full.upper))
        fields = made_snapshot.made_fields(2000)
        fields["position"] = fields["position"] * [1.0, 1.0, 0.5]
        heap = made_snapshot.in_memory(fields, periodic=(True, True, False))
        region = scree.rdf.natural_region(heap)
        np.testing.assert_allclose([region.lower[2], region.upper[2]], [0.0025, 0.0075], atol=3e-4)
        np.testing.assert_array_equal(region.upper[:2], heap.upper[:2])
        self.assertAlmostEqual(scree.rdf.r_max_among(heap, region), 2.5, delta=0.3)


if __name__ == "__main__":
    unittest.main()
