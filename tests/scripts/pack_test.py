"""scripts/pack.py: fractions and contacts, sizes, results that are read back, equal bits on 1 and 2 ranks, bad input.

Needs the paths of scree-run in SCREE_RUN and of mpirun in SCREE_MPIEXEC. Packings have few spheres, so tolerances are
wide.
"""

import unittest

from script_test import ScriptTest, new_folder

import numpy as np
import pack
import scree.configuration
import scree.packing
import scree.program
import scree.snapshot
import scree.table
from _pack import scenes, search, sizes
from scree.errors import FileError, UsageError

SIEVES = "opening_mm,passing_percent\n0.8,0\n1.2,40\n1.6,100\n"


def report(folder):
    """{quantity: value} of a packing."""
    table = scree.table.read(folder / "packing_report.csv")
    return dict(zip(table["quantity"], table["value"]))


class ClosePacking(ScriptTest):
    """A periodic packing without friction."""

    script = "pack.py"

    @classmethod
    def setUpClass(cls):
        cls.out = new_folder(cls.addClassCleanup)
        test = cls("test_contacts_are_isostatic")
        test.setUp()
        test.assert_runs(150, "--output", cls.out, "--format", "initial", "xyz", "lammps-data")
        test.doCleanups()
        cls.report = report(cls.out)

    def test_packing_has_the_fraction_of_random_close_packing(self):
        self.assertAlmostEqual(self.report["solid fraction"], 0.64, delta=0.02)
        self.assertAlmostEqual(self.report["solid fraction of random close packing"], 0.634)
        self.assertLess(self.report["largest overlap over the smallest radius"], 2e-3)

    def test_contacts_are_isostatic(self):
        self.assertAlmostEqual(self.report["coordination without rattlers"], 6.0, delta=0.3)

    def test_normal_stresses_equal_the_pressure(self):
        for axes in ("xx", "yy", "zz"):
            self.assertAlmostEqual(self.report[f"stress {axes}"], 1000.0, delta=10.0)

    def test_spheres_are_read_back_by_a_scene(self):
        """In a domain with the edges of the line `# box`, scree-run reads the table and moves no sphere in a step."""
        table = scree.table.read(self.out / "packing_initial.csv")
        scene = {
            "scene": {"gravity": "0 0 0"}, "initial": {"file": self.out / "packing_initial.csv"},
            "domain": {"lower": "0 0 0", "upper": table.notes[0].removeprefix("box "), "periodic": "x y z"},
            "time": {"step": "1 ns", "end": "1 ns"}, "output": {"every": "1 ns"},
        }  # fmt: skip
        file = self.folder / "again.ini"
        file.write_text(scree.configuration.text(scene))
        run = scree.program.run(file, self.folder / "again")
        repeated = scree.snapshot.read_snapshot(run.snapshots[-1]).by_id()
        packing = scree.snapshot.read_snapshot(self.out / "packing.h5")
        np.testing.assert_allclose(repeated["position"], packing["position"] - packing.lower, atol=1e-9)
        np.testing.assert_array_equal(repeated["radius"], packing["radius"])
        solid = repeated.volumes.sum() / np.prod(repeated.upper - repeated.lower)
        self.assertAlmostEqual(solid, self.report["solid fraction"], places=9)

    def test_results_have_all_spheres(self):
        self.assertEqual(len((self.out / "packing.xyz").read_text().splitlines()), 152)
        data, = self.out.glob("packing_*.data")
        self.assertIn("150 atoms", data.read_text())
        self.assertIn("boundary p p p", data.read_text())
        g = scree.table.read(self.out / "packing_rdf.csv")
        self.assertAlmostEqual(g["r_over_d"][np.argmax(g["g"])], 1.0, delta=0.06)
        self.assert_is_picture(self.out / "packing_rdf.png")


class OtherPackings(ScriptTest):
    script = "pack.py"

    def pack(self, *arguments):
        self.process = self.assert_runs(*arguments, "--output", self.folder / "out", "--format", "initial")
        return report(self.folder / "out")

    def test_friction_makes_the_packing_loose(self):
        packing = self.pack(100, "--friction", 10)
        self.assertTrue(0.53 < packing["solid fraction"] < 0.59, packing)
        self.assertTrue(3.8 < packing["coordination without rattlers"] < 4.8, packing)

    def test_intermediate_fraction_is_reached(self):
        packing = self.pack(60, "--solid-fraction", 0.6, "--tolerance", 0.015)
        self.assertAlmostEqual(packing["solid fraction"], 0.6, delta=0.015)
        self.assertGreater(packing["friction"], 0.0)
        self.assertIn("friction 0.0000: solid fraction 0.6", self.process.stdout)

    def test_spheres_rest_in_a_cylinder(self):
        packing = self.pack(60, "--container", "cylinder", "--width", 4, "mm", "--friction", 0.5, "--radius", 0.5, "mm")
        frame = scree.snapshot.read_snapshot(self.folder / "out/packing.h5")
        self.assertLess(np.hypot(*frame["position"][:, :2].T).max(), 1.5e-3 + 1e-6)
        self.assertGreater(frame["position"][:, 2].min(), 0.5e-3 - 1e-6)
        self.assertLess(frame.speed.max(), 1e-2)
        self.assertLess(frame["position"][:, 2].max(), 8e-3)
        self.assertTrue(0.4 < packing["solid fraction"] < 0.7, packing)

    def test_results_on_one_and_two_ranks_have_equal_bits(self):
        """Compares the states after 300 steps, when spheres touch."""
        plan = scenes.Plan(90, sizes.uniform(0.4e-3, 0.6e-3), scheme="jacobi")
        radii = np.random.default_rng(1).uniform(0.4e-3, 0.6e-3, 90)  # similar to the radii that a run draws
        scene, file = scenes.compression(plan, radii, 0.5), self.folder / "packing.ini"
        end = f"{300 * float(scene['time']['step'].split()[0]):.17g} s"
        scene["time"]["end"] = scene["output"]["every"] = scene["output"]["log_every"] = end
        scene["solver"]["sweeps"] = 10
        file.write_text(scree.configuration.text(scene))
        runs = [scree.program.run(file, self.folder / f"on_{ranks}", ranks=ranks) for ranks in (1, 2)]
        frames = [scree.snapshot.read_snapshot(run.snapshots[-1]).by_id() for run in runs]
        self.assertGreater(len(frames[0].contacts), 50)
        for field in ("position", "velocity", "angular_velocity", "radius"):
            np.testing.assert_array_equal(frames[0][field], frames[1][field])
        np.testing.assert_array_equal(frames[0].upper, frames[1].upper)


class Sizes(ScriptTest):
    def write_sieves(self, text):
        path = self.folder / "sieve.csv"
        path.write_text(text)
        return path

    def test_masses_follow_the_sieve_curve(self):
        radii = pack.Packer(scenes.Plan(4000, sizes.sieved(self.write_sieves(SIEVES))), self.folder, 1).radii
        masses = radii**3 / np.sum(radii**3)
        self.assertEqual(len(radii), 4000)
        self.assertTrue(0.4e-3 <= radii.min() and radii.max() <= 0.8e-3)
        self.assertAlmostEqual(masses[radii < 0.6e-3].sum(), 0.4, delta=0.02)

    def test_wrong_curves_are_refused(self):
        for text, words in (
            (SIEVES.replace("1.6,100", "1.6,95"), "95 % pass the coarsest sieve, 1.6 mm; expected 100 %"),
            (SIEVES.replace("0.8,0", "0.8,5"), "5 % pass the finest sieve"),
            (SIEVES.replace("0.8,", "1.4,"), "the openings are not positive and increasing"),
            (SIEVES.replace("0.8,", "-0.8,"), "the openings are not positive and increasing"),
            (SIEVES.replace("1.2,40", "1.2,140"), "passing_percent decreases"),
            (SIEVES.replace("1.2,40", "1.2,some"), "not a number"),
            (SIEVES.replace("1.2,40", "1.2,nan"), "not a number"),
            (SIEVES.replace("opening_mm", "size"), "expected the columns opening_mm"),
            (SIEVES.replace("opening_mm", "opening_ly"), "expected the columns opening_mm"),
            (SIEVES[: SIEVES.index("1.2")], "one sieve"),
        ):
            with self.subTest(words), self.assertRaisesRegex(FileError, words):
                sizes.sieved(self.write_sieves(text))

    def test_moments_of_sizes_are_exact(self):
        self.assertEqual(scree.packing.size_moments(np.full(7, 0.3e-3)), (0.0, 0.0))
        # Three spheres of size 1 and one of size 3: mean 1.5, standard deviation sqrt(3)/2, skewness 2/sqrt(3).
        moments = scree.packing.size_moments(np.array([1.0, 1.0, 1.0, 3.0]))
        np.testing.assert_allclose(moments, (1.0 / np.sqrt(3.0), 2.0 / np.sqrt(3.0)))
        self.assertAlmostEqual(scree.packing.close_packing(0.2, 0.5), 0.634 + 0.01316 + 0.001714)


class Search(unittest.TestCase):
    def fraction_found(self, target, tolerance=1e-3):
        self.calls = []

        def fraction(friction):
            self.calls.append(friction)
            return 0.56 + 0.08 / (1.0 + (friction / 0.1) ** 1.3)

        return fraction(search.friction_of(fraction, target, tolerance))

    def test_fractions_are_found(self):
        for target in (0.64, 0.625, 0.6, 0.58, 0.565, 0.5602):
            self.assertAlmostEqual(self.fraction_found(target), target, delta=1e-3)
            self.assertLess(len(self.calls), 9)

    def test_impossible_fractions_are_refused(self):
        for target, words in ((0.7, "more than these spheres have without friction, 0.64"),
                              (0.5, "less than .* friction 10, 0.56")):  # fmt: skip
            with self.assertRaisesRegex(UsageError, words):
                self.fraction_found(target)
        with self.assertRaisesRegex(UsageError, "not found in 10 runs"):
            search.friction_of(lambda friction: 0.63 if friction < 0.2 else 0.57, 0.6, 1e-3)


class BadInput(ScriptTest):
    script = "pack.py"

    def test_each_error_names_the_bad_value(self):
        for arguments, words in (
            (["0"], ["'0' must be a whole number from 1"]), (["-5"], ["-5"]), (["many"], ["'many'"]),
            (["99999999999"], ["too many", "50000000"]),
            (["10", "--radius", "-1", "mm"], ["--radius -1 mm must be greater than 0"]),
            (["10", "--radius", "1", "ly"], ["--radius", "units"]),
            (["10", "--radius", "1", "2", "mm"], ["one number and a unit"]),
            (["10", "--uniform", "2", "1", "mm"], ["smallest radius must be below the largest"]),
            (["10", "--uniform", "0", "1", "mm"], ["greater than 0"]),
            (["10", "--spread", "0.2"], ["belongs to --lognormal"]),
            (["10", "--lognormal", "1", "mm", "--spread", "2"], ["at most 1"]),
            (["10", "--friction", "-0.1"], ["--friction -0.1 must be a number from 0"]),
            (["10", "--friction", "nan"], ["--friction nan"]),
            (["10", "--solid-fraction", "1.2"], ["--solid-fraction 1.2 is impossible"]),
            (["10", "--solid-fraction", "-1"], ["impossible"]), (["10", "--solid-fraction", "nan"], ["impossible"]),
            (["10", "--solid-fraction", "0.6", "--container", "box"], ["belongs to a periodic packing, not to --container box"]),
            (["10", "--width", "1", "mm"], ["belongs to a box or a cylinder"]),
            (["10", "--pressure", "0", "Pa"], ["greater than 0"]),
            (["10", "--format", "pdb"], ["'pdb'", "xyz"]), (["10", "--container", "sphere"], ["'sphere'"]),
            (["10", "--ranks", "0"], ["'0' must be a whole number from 1"]),
            (["10", "--radius", "1", "mm", "--uniform", "1", "2", "mm"], ["not allowed with"]),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.assert_refused(2, words, *arguments, "--output", self.folder / "out")
                self.assertFalse((self.folder / "out").exists())

    def test_missing_files_are_refused(self):
        self.assert_refused(3, ["none.csv"], 10, "--sieves", self.folder / "none.csv", "--output", self.folder / "out")

    def test_too_few_spheres_are_refused(self):
        self.assert_refused(2, ["10 spheres are too few", "at least 3.5, which takes about 53 spheres"], 10, "--output",
                            self.folder / "out")  # fmt: skip

    def test_packing_too_small_for_an_rdf_is_written_with_a_warning(self):
        self.assert_warns("there is no g(r)", 1, "--container", "box", "--width", 10, "mm", "--output", self.folder / "out")
        self.assertEqual(report(self.folder / "out")["coordination"], 1.0)

    def test_narrow_containers_are_refused(self):
        self.assert_refused(2, ["narrower than 3 largest diameters"], 10, "--container", "cylinder", "--width", 2,
                            "mm", "--radius", 0.5, "mm", "--output", self.folder / "out")  # fmt: skip

    def test_error_for_an_impossible_fraction_gives_the_limit(self):
        self.assert_refused(2, ["--solid-fraction 0.8 is more than these spheres have without friction, 0.6"], 60,
                            "--solid-fraction", 0.8, "--output", self.folder / "out")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
