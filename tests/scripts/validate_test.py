"""Tests of the validation suite: its analyses on made-up data with known results, its page, its runs."""

import contextlib
import io
import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scipy.spatial.transform

import scree.repose
from _study import running
from _validation import apparatus, case, catalogue, drums, flows, gas, impacts, packing, page, piles, rest, silo, single


class SingleSpheres(unittest.TestCase):
    def test_impact_sticks_or_slides(self):
        normal, mass = np.array([[0.0, 0.0, 1.0]] * 2), np.array([0.5, 0.5])
        # Steep impact: the slip of 0.1 m/s ends. Shallow impact: friction stays at the Coulomb limit.
        delta_v = np.array([[0.1, 0.0, -1.0], [0.0, 10.0, -1.0]])
        impulse = single.rigid_impact(delta_v, normal, mass, 0.5, 0.3)
        np.testing.assert_allclose(impulse, [[-2 / 7 * 0.1 / 0.5, 0.0, 3.0], [0.0, -0.9, 3.0]], atol=1e-15)

    def test_impacts_conserve_momentum_and_lose_energy(self):
        table, partner = single.impact_table()
        v, w = single.after_impact(table, partner, 0.5, 0.3)
        velocity_before = np.column_stack([table[f"v{axis}"] for axis in "xyz"])
        spin = np.column_stack([table[f"w{axis}"] for axis in "xyz"])
        mass, radius = table["radius"] ** 3, table["radius"]
        pairs = partner >= 0
        np.testing.assert_allclose(mass[pairs] @ v[pairs], mass[pairs] @ velocity_before[pairs], rtol=1e-12)

        def energy(velocity, spin):
            return mass * ((velocity**2).sum(axis=1) + 0.4 * radius**2 * (spin**2).sum(axis=1))

        self.assertTrue((energy(v, w)[~pairs] <= energy(velocity_before, spin)[~pairs]).all())

    def test_incline_accelerations_agree_where_rolling_ends(self):
        angle = np.arctan(3.5 * 0.2)
        rolling, sliding = (single.incline_accelerations(angle + d, 0.2) for d in (-1e-9, 1e-9))
        np.testing.assert_allclose(rolling, sliding, rtol=1e-7)

    def test_bouncing_sphere_follows_the_exact_motion(self):
        g = case.GRAVITY
        # The sphere falls 0.2 m and rebounds to 0.8^2 of this height.
        fall_time = np.sqrt(0.4 / g)
        self.assertAlmostEqual(single.bounced_height(0.2, 0.8, 0.0), 0.2)
        self.assertAlmostEqual(single.bounced_height(0.2, 0.8, 1.8 * fall_time), 0.128)
        sliding_time = 2.0 / (7.0 * 0.2 * g)
        self.assertAlmostEqual(single.thrown_distance(1.0, 0.2, sliding_time), sliding_time * 6 / 7)
        self.assertAlmostEqual(single.thrown_distance(1.0, 0.2, sliding_time + 1.0), sliding_time * 6 / 7 + 5 / 7)


class Columns(unittest.TestCase):
    def test_two_beads_have_the_speeds_calculated_by_hand(self):
        # The lower bead hits the plate, the upper bead, the plate again, and the upper bead again.
        speed, _ = impacts.column_by_events(2, 1e-4, 0.8)
        np.testing.assert_allclose(speed, [0.6236, 0.6524], rtol=1e-12)

    def test_elastic_beads_rebound_with_their_speeds(self):
        speed, _ = impacts.column_by_events(5, 1e-4, 1.0)
        np.testing.assert_allclose(speed, np.ones(5), rtol=1e-12)

    def test_columns_of_beads_have_the_recorded_remaining_energy(self):
        remaining_energy = {name: (impacts.column_by_events(*column)[0] ** 2).mean() for name, column in impacts.COLUMNS.items()}
        self.assertAlmostEqual(remaining_energy["ten"], 0.001849, places=6)
        self.assertAlmostEqual(remaining_energy["five"], 0.0002346, places=7)
        self.assertAlmostEqual(remaining_energy["hard"], 0.10818, places=5)


class Gases(unittest.TestCase):
    def test_power_law_is_fitted(self):
        time = np.linspace(0.0, 3.0, 400)
        self.assertAlmostEqual(gas.power_law(time, 2.0 * (1.0 + time / 0.3) ** -1.7, 0.4), 1.7, places=2)

    def test_compressibility_follows_from_the_impulses_of_impacts(self):
        temperature, mass, count, diameter, pairs = 0.4, 2.0, 10.0, 0.1, 200000
        spread = np.sqrt(2.0 * temperature)
        speed = spread * np.sqrt(-2.0 * np.log(1.0 - np.random.default_rng(1).random(pairs)))  # ~ g exp(-g^2/(2 s^2))
        impulses = mass * speed
        time, energy = np.linspace(0.0, 1.0, 11), np.linspace(0.0, (impulses * speed).sum(), 11)
        virial = 1.0 + diameter * impulses.sum() / (3.0 * count * mass * temperature)
        measured = gas.compressibility(time, energy, temperature, mass, count, diameter)
        self.assertAlmostEqual(measured / virial, 1.0, places=2)

    def test_carnahan_starling_begins_with_the_second_virial_coefficient(self):
        self.assertAlmostEqual((gas.carnahan_starling(1e-6) - 1.0) / 1e-6, 4.0, places=4)
        solid = 0.3
        self.assertAlmostEqual(gas.carnahan_starling(solid), 1.0 + 4.0 * solid * gas.enskog_chi(solid))


class Packings(unittest.TestCase):
    def test_solid_fraction_counts_only_volumes_inside(self):
        # One sphere is half inside the slab, one entirely, one outside.
        fraction = packing.solid_fraction(np.array([0.0, 2.0, 9.0]), np.ones(3), 0.0, 4.0, 5.0)
        self.assertAlmostEqual(fraction, 1.5 * 4.0 / 3.0 * np.pi / 20.0)

    def test_removal_of_rattlers_is_repeated(self):
        # A square with a diagonal and a tail of two particles: 0-1, 1-2, 2-3, 3-0, 0-2, 3-4, 4-5.
        a, b = np.array([0, 1, 2, 3, 0, 3, 4]), np.array([1, 2, 3, 0, 2, 4, 5])
        np.testing.assert_array_equal(packing.contacts_without_rattlers(a, b, 6, 2), [3, 2, 3, 2, 0, 0])
        np.testing.assert_array_equal(packing.contacts_without_rattlers(a, b, 6, 3), np.zeros(6))

    def test_three_forces_hold_each_sphere_of_an_isostatic_pile(self):
        # Three particles on a floor, with three forces each, carry a fourth particle. A fifth rests on the fourth only.
        a = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4])
        b = np.array([-1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3])
        self.assertEqual(packing.maxwell_coordination(a, b, 5, 3), 6.0)

    def test_walls_count_as_supports(self):
        a, b = np.array([0, 0, 1]), np.array([1, -1, -1])
        np.testing.assert_array_equal(packing.contacts_without_rattlers(a, b, 2, 2), [2, 2])


class Rest(unittest.TestCase):
    def test_momentum_gain_of_free_fall_is_minus_the_weight(self):
        time = np.linspace(0.0, 1.0, 11)
        self.assertAlmostEqual(rest.momentum_gain(time, -0.5 * rest.GRAVITY * time**2, time > 0.35), -1.0)
        self.assertAlmostEqual(rest.momentum_gain(time, 0.3 - 2.0 * time, time > 0.35), 0.0)


class Silos(unittest.TestCase):
    def test_saturation_of_the_wall_load_is_found(self):
        filled = np.linspace(0.1, 2.0, 8)
        limit, fit = silo.saturation(filled, 0.4 * (1.0 - np.exp(-filled / 0.4)))
        self.assertAlmostEqual(limit, 0.4, places=3)
        self.assertGreater(fit, 0.9999)
        self.assertLess(silo.saturation(filled, 0.3 * filled**2)[1], 0.99)

    def test_exponent_of_the_flow_rates_is_found(self):
        holes = np.array([5.0, 7.0, 9.0])
        self.assertAlmostEqual(silo.exponent(holes, 3.0 * (holes - 1.4) ** 2.2, 1.4)[0], 2.2)
        time = np.linspace(0.0, 1.0, 20)
        discharge = {"time": time, "particles": 500.0 - np.where(time < 0.5, 120.0 * time, 60.0 + 60.0 * (time - 0.5))}
        self.assertAlmostEqual(silo.low_over_high(discharge), 0.5, delta=0.05)


class Piles(unittest.TestCase):
    def test_flank_of_a_cone_has_its_angle(self):
        radius = np.linspace(0.5e-3, 59.5e-3, 60)
        slope, foot = scree.repose.flank(radius, np.maximum(0.0, 0.4 * (0.05 - radius)))
        self.assertAlmostEqual(slope, 0.4)
        self.assertAlmostEqual(foot, 0.05)

    def test_slope_of_a_heap_on_a_plate_is_found(self):
        radius = np.linspace(0.5e-3, 20.5e-3, 21)
        depth = np.maximum(12e-3 - 0.4 * radius, 0.0)
        depth[-1] = 0.0  # beyond the rim
        self.assertAlmostEqual(apparatus.heap_slope(radius, depth), 0.4)

    def test_means_are_over_windows_of_strain(self):
        strain = np.linspace(0.0, 0.0499, 500)
        middles, means = apparatus.windows(strain, 3.0 * strain)
        np.testing.assert_allclose(middles, [0.005, 0.015, 0.025, 0.035])  # the last window is not full
        np.testing.assert_allclose(means, 3.0 * middles, rtol=0.02)

    def test_depth_is_volume_per_area(self):
        count, extent = 40000, 0.06
        random = np.random.default_rng(3)
        angle, radius = 2 * np.pi * random.random(count), extent * np.sqrt(random.random(count))
        position = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)])

        class EvenFrame(dict):
            volumes = np.full(count, 1e-9)

        middles, depth = scree.repose.depth_profile(EvenFrame(position=position), extent - piles.RING, piles.RING)
        expected = count * 1e-9 / scree.repose.PACKED / (np.pi * extent**2)
        np.testing.assert_allclose(depth[5:], expected, rtol=0.1)
        self.assertAlmostEqual(middles[0], 0.5 * piles.RING)


class Flows(unittest.TestCase):
    def test_exponent_of_a_known_profile_is_found(self):
        depth = 0.03
        height = np.linspace(0.004, 0.028, 25)
        for power in (1.0, 1.5, 2.2):
            velocity = 0.1 + 0.6 * (1.0 - (1.0 - height / depth) ** power)
            self.assertAlmostEqual(flows.bagnold_exponent(height, velocity, depth), power, places=2)
            slip, speed, _ = flows.bagnold_fit(height, velocity, depth, power)
            self.assertAlmostEqual(slip, 0.1, places=3)
            self.assertAlmostEqual(speed, 0.6, places=3)

    def test_depth_of_an_even_layer_is_found(self):
        height = np.arange(0.5, 20.0)
        self.assertAlmostEqual(flows.flow_depth(height, np.where(height < 12.0, 0.55, 0.0)), 12.0)

    def test_wall_stress_and_shear_rate_are_found(self):
        walls = ("bottom", "lower_ridges", "top", "upper_ridges")
        names = [f"wall_{wall}_force_{axis}" for wall in walls for axis in "xz"]
        values = dict(zip(names, (1.0, -4.0, 2.0, -5.0, -1.5, 3.0, -1.5, 6.0)))
        self.assertEqual(flows.wall_loads({name: np.array([value, value]) for name, value in values.items()}), (3.0, 9.0))
        height = np.linspace(0.0, 1.0, 21)
        velocity = np.where(np.abs(height - 0.5) < 0.3, 7.0 * height, 50.0)
        self.assertAlmostEqual(flows.shear_rate(height, velocity), 7.0)


def made_result(measured, expected=1.0, tolerance=0.1):
    figure, axes = single.plt.subplots()
    axes.plot([0, 1], [0, 1])
    return case.Result([case.Figure("a quantity", measured, expected, tolerance, "m")], figure, "a note")


def made_case(name):
    return case.Case(name, f"title of {name}", "E = m c²", "a book", lambda full: [], lambda runs: None)


class Page(ScriptTest):
    def test_quantities_pass_or_fail(self):
        self.assertTrue(case.Figure("", 1.1, 1.0, 0.2).passed)
        self.assertFalse(case.Figure("", 1.3, 1.0, 0.2).passed)
        self.assertFalse(case.Figure("", float("nan"), 1.0, 0.2).passed)
        self.assertTrue(case.within("", 0.56, 0.55, 0.58).passed)
        self.assertFalse(case.within("", 0.59, 0.55, 0.58).passed)
        self.assertEqual(page.expected_text(case.within("", 0.59, 0.55, 0.58)), "0.55 to 0.58")
        self.assertFalse(case.relative("", -1.2, -1.0, 0.1).passed)

    def test_page_has_law_numbers_verdict_and_picture(self):
        outcomes = {made_case("good"): made_result(1.05), made_case("bad"): made_result(2.0),
                    made_case("broken"): running.RunFailed("it ended with exit code 4")}  # fmt: skip
        text = page.page(outcomes, ["made by hand"])
        for words in ("E = m c²", "a book", "1.05", "a note", "FAILED", "exit code 4", "3 cases", "2 of them off"):
            self.assertIn(words, text)
        self.assertEqual(text.count("<img"), 2)
        with contextlib.redirect_stdout(io.StringIO()):
            page.write(outcomes, ["made by hand"], self.folder / "table.html")
        rows = (self.folder / "table.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[-1] for row in rows[2:]], ["1", "0", "0"])

    def test_page_reports_that_all_figures_are_within_tolerance(self):
        self.assertIn("All 1 figures of 1 cases", page.page({made_case("good"): made_result(1.05)}, []))


class Drums(unittest.TestCase):
    def test_bodies_start_inside_the_drum_without_overlap(self):
        radius, width = 0.05, 0.034
        corners = {
            "cube": made_snapshot.box([-0.5] * 3, [0.5] * 3),
            "octahedron": np.sqrt(0.5) * np.concatenate([np.eye(3), -np.eye(3)]),
            "tetrahedron": np.sqrt(0.125) * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]),
        }
        for shape, solid in corners.items():
            table = drums.bed(shape, radius, width, 7)
            centre = np.column_stack([table[axis] for axis in "xyz"])
            rotation = scipy.spatial.transform.Rotation.from_quat(np.column_stack([table[f"q{axis}"] for axis in "xyzw"]))
            self.assertAlmostEqual(scipy.spatial.ConvexHull(solid).volume, drums.SOLIDS[shape][0] ** -3)
            edge = np.cbrt(drums.VOLUME) * drums.SOLIDS[shape][0]
            vertices = centre[:, None] + edge * np.stack([rotation.apply(corner) for corner in solid], axis=1)
            self.assertLess(np.hypot(vertices[..., 0], vertices[..., 2]).max(), radius, shape)
            low, high = vertices.min(axis=1), vertices.max(axis=1)
            is_overlapping = (low[:, None] < high[None]).all(axis=2) & (high[:, None] > low[None]).all(axis=2)
            self.assertEqual(is_overlapping.sum(), len(centre), shape)  # each body only with itself
            self.assertTrue(((low[:, 1] > 0) & (high[:, 1] < width)).all(), shape)

    def test_angle_of_a_known_surface_is_found(self):
        position = np.random.default_rng(1).random((200000, 3)) * [0.1, 0.03, 0.1] - [0.05, 0.0, 0.05]
        slope = np.tan(np.radians(35.0))
        is_inside = (np.hypot(position[:, 0], position[:, 2]) < 0.05) & (position[:, 2] < -0.0146 - slope * position[:, 0])
        frame = made_snapshot.in_memory(made_snapshot.fields_at(position[is_inside], 1.5e-3))
        self.assertAlmostEqual(drums.surface_angle(frame, 0.05), 35.0, delta=0.5)


class Catalogue(unittest.TestCase):
    def test_names_of_runs_are_unique_and_scenes_exist(self):
        for each_case in catalogue.CASES.values():
            for full in (False, True):
                runs = each_case.runs(full)
                names = [run.name for run in runs]
                self.assertEqual(len(set(names)), len(names), each_case.name)
                for run in runs:
                    self.assertTrue((running.SCENES / f"{run.scene}.ini").is_file(), run.scene)
                    self.assertIn(run.after, ["", *names])


class Options(ScriptTest):
    script = "study.py"

    def test_bad_usage_is_refused(self):
        self.assert_refused(2, ["no case 'nothing'", "impact"], "validation", "--only", "nothing")
        self.assert_refused(3, ["--program"], "validation", "--program", self.folder / "none", "--output", self.folder)


if __name__ == "__main__":
    unittest.main()
