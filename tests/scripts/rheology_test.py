"""Tests of scripts/study rheology: compressed packings, the search for a solid fraction, laws, the page."""

import unittest

from script_test import ScriptTest

import numpy as np

import scree.directory
import scree.table
from _rheology import flow, page
from _study import running
from scree.errors import FileError


# Columns of a flow's averages: pressure 10 Pa, shear stress 4 Pa.
STEADY = {
    "samples": 1000.0, "solid_fraction": 0.58, "granular_temperature": 1e-6, "coordination": 3.0,
    "contact_stress_xx": 9.0, "contact_stress_yy": 9.0, "contact_stress_zz": 9.0, "contact_stress_xz": -3.5,
    "kinetic_stress_xx": 1.0, "kinetic_stress_yy": 1.0, "kinetic_stress_zz": 1.0, "kinetic_stress_xz": -0.5,
}  # fmt: skip


def point(fraction, inertia, friction=0.4):
    return flow.Point(fraction, 10.0, 4.0, inertia, friction, 0.01, 0.1, 3.0, 2.0, 1.0)


class Packings(unittest.TestCase):
    def test_relaxed_spheres_hardly_overlap_and_have_the_mean_flow(self):
        packing = flow.relaxed_packing(8, 0.55, 1)
        self.assertAlmostEqual(packing.solid_fraction, 0.55, places=12)
        separations = packing.x[:, None] - packing.x[None]
        separations -= packing.edge * np.round(separations / packing.edge)
        distance = np.linalg.norm(separations, axis=2) + 10.0 * np.eye(len(packing.x))
        overlap = packing.radius[:, None] + packing.radius[None] - distance
        self.assertLess(overlap.max(), flow.OVERLAP * flow.DIAMETER)
        slope, intercept = np.polyfit(packing.x[:, 2], packing.v[:, 0], 1)
        self.assertAlmostEqual(slope / flow.RATE, 1.0, delta=0.05)
        self.assertAlmostEqual((intercept + slope * 0.5 * packing.edge) / (flow.RATE * packing.edge), 0.0, delta=0.01)

    def test_compression_keeps_radii_fluctuations_and_mean_flow(self):
        packing = flow.relaxed_packing(6, 0.5, 2)
        compressed = packing.compressed(0.55)
        self.assertAlmostEqual(compressed.solid_fraction, 0.55, places=12)
        np.testing.assert_array_equal(compressed.radius, packing.radius)
        np.testing.assert_allclose(compressed.v - compressed.mean_flow(), packing.v - packing.mean_flow(), atol=1e-12)
        self.assertTrue((compressed.x < compressed.edge).all())

    def test_stage_lasts_a_whole_number_of_steps_and_rows(self):
        for inertia in (0.3, 0.05, 0.0013):
            run = flow.stage("a", flow.relaxed_packing(4, 0.5, 1), flow.SHORT, inertia, 3, 1)
            step = float(run.options["time.step"].split()[0])
            rows = int(run.options["average.stress.interval"].split()[0])
            self.assertAlmostEqual(1.0 / flow.RATE / step, rows * flow.ROWS, places=6)
            self.assertEqual(rows % int(run.options["average.stress.every"].split()[0]), 0)
            self.assertLessEqual(step * flow.RATE, min(flow.MAX_STRAIN, flow.INERTIA_FRACTION * inertia) * 1.000001)


class Search(unittest.TestCase):
    def test_search_extrapolates_the_last_flows(self):
        points = [point(0.59 - 0.2 * inertia, inertia) for inertia in (0.3, 0.1)]
        self.assertAlmostEqual(flow.next_fraction(points, 0.01), 0.588, places=12)

    def test_single_flow_has_a_default_slope_and_steps_have_limits(self):
        self.assertAlmostEqual(flow.next_fraction([point(0.54, 0.3)], 0.1), 0.54 + flow.SLOPE[1] * 0.2, places=12)
        slow = [point(0.587, 0.004), point(0.5872, 0.003)]
        self.assertAlmostEqual(flow.next_fraction(slow, 0.001), 0.5872 + flow.MIN_STEP, places=12)
        steep = [point(0.58, 0.02), point(0.585, 0.01)]
        self.assertAlmostEqual(flow.next_fraction(steep, 0.001), 0.585 + flow.SLOPE[2] * 0.009, places=12)


class FailingRunner:
    """A runner that only records the runs, and reports that they failed."""

    def __init__(self):
        self.runs = []

    def run_all(self, cases):
        self.runs += [run for runs in cases.values() for run in runs]
        return {(case, run.name): running.RunFailed("stopped") for case, runs in cases.items() for run in runs}


class Stages(unittest.TestCase):
    def test_first_stage_covers_the_strain_before_and_during_the_measurement(self):
        runner = FailingRunner()
        with self.assertRaisesRegex(running.RunFailed, "stopped"):
            flow.measure(runner, "seed1", flow.Plan(8, (0.3,), 1, 2, 20), 1, print)
        options = runner.runs[0].options
        self.assertEqual(options["time.end"], running.seconds(3.0 / flow.RATE))
        self.assertEqual(options["average.stress.from"], running.seconds(1.0 / flow.RATE))


class Laws(unittest.TestCase):
    def test_laws_have_the_published_limits(self):
        self.assertAlmostEqual(float(page.JOP.curve(1e-9)), np.tan(np.radians(20.9)), places=6)
        middle = 0.5 * (np.tan(np.radians(20.9)) + np.tan(np.radians(32.76)))
        self.assertAlmostEqual(float(page.JOP.curve(0.279)), middle)
        self.assertAlmostEqual(float(page.CHIALVO_PHI.curve(0.0)), 0.587)
        self.assertAlmostEqual(float(page.BARKER.curve(1e-9)), 0.342, places=6)
        self.assertAlmostEqual(float(page.BARKER.curve(0.069)), 0.5 * (0.342 + 0.557 + 0.05 * 0.069))

    def test_page_has_the_largest_deviation(self):
        law = [point(float(page.CHIALVO_PHI.curve(i)), i, float(page.JOP.curve(i))) for i in (0.001, 0.1)]
        law[1].friction += 0.03
        lines = page.summary(law)
        self.assertTrue(any("mu against Jop" in line and "0.030 apart" in line for line in lines), lines)
        self.assertTrue(any("up to 0.038 apart" in line for line in lines), lines)
        self.assertTrue(any("phi against" in line and "0.000 apart" in line for line in lines), lines)
        text = page.page({1: law}, ["a note"])
        row = "<td class=number>0.5869</td><td class=number>0.001</td><td class=number>0.3828"
        for words in (row, "Nature 441", "a note"):
            self.assertIn(words, text)


class MeasuredRun(ScriptTest):
    def test_incomplete_last_row_does_not_count(self):
        (self.folder / "averages").mkdir()
        rows = np.arange(5.0)
        table = {name: np.full(5, value) for name, value in STEADY.items()}
        table |= {"time_from": 0.1 + 0.01 * rows, "time_to": 0.109 + 0.01 * rows}
        for name, last_value in (("time_to", table["time_from"][-1]), ("contact_stress_xz", 0.0), ("contact_stress_xx", 0.0)):
            table[name][-1] = last_value
        scree.table.write(self.folder / "averages" / "stress.csv", [], table)
        series = {"time": np.array([0.0, 1.0]), "energy_shear": np.array([0.0, 4.0 * flow.RATE * 0.01**3])}
        scene = "[time]\nstep = 1 ms\n[material.grain]\ndensity = 2500 kg/m^3\n[domain]\nupper = 0.01 0.01 0.01 m\n"
        result = flow.measure_run(scree.directory.Run(self.folder, scene, series, [], np.zeros(0, int)))
        self.assertAlmostEqual(result.pressure, 10.0, places=12)
        self.assertAlmostEqual(result.friction, 0.4, places=12)
        self.assertAlmostEqual(result.strain, 0.04 * flow.RATE, places=12)
        self.assertAlmostEqual(result.work, 1.0, places=12)

    def test_run_without_averages_is_refused(self):
        with self.assertRaises(FileError):
            flow.measure_run(scree.directory.Run(self.folder / "none", "", {}, [], np.zeros(0, int)))


if __name__ == "__main__":
    unittest.main()
