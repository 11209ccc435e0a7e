#!/usr/bin/env python3
"""Runs scree-contact as a user does: contact_test.py PROGRAM"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "single"))

from small_app import check_program, check_refused, output, run, table

# Table 1 of Preclik, Eibl and Ruede 2018 (xn, xt, xo, energy), computed again with 40 digits.
ACCURATE = {
    ("paper", "coulomb"): [
        (0.1199453812147118278, -0.43901625580930408215, -0.064971628380433263906, -0.25170285934884491648),
        (0.29197278653545115782, -0.88708912675452227284, -0.61653830438327943454, -0.39256780581912420344),
        (1.5581245739426653062, -0.99291108899782606036, -5.6789131902173746227, -0.63096000613892258006),
    ],
    ("paper", "max_dissipation"): [
        (1.60309776368512349, -1.0818613451421006734, -5.8319648689408054008, -0.63400741667395789497)
    ],
    ("orthonormal", "coulomb"): [
        (0.12449475415495123209, -0.4550911601971436525, -0.071222023967945830156, -0.26434333032644672999),
        (0.2607144771058697154, -0.8352128318589833881, -0.48265591631804789194, -0.38355164618046069763),
        (2.6779821419124103785, -0.96718663451428180744, -9.8612166875288427961, -0.74529962133357862232),
    ],
    ("orthonormal", "max_dissipation"): [
        (2.7782868279563222943, -1.0509030739571128361, -10.225802580735817177, -0.74831715535034538332)
    ],
}


def numbers(row, *names):
    return [float(row[name]) for name in names]


class Academic(unittest.TestCase):

    def test_academic_problem_matches_the_paper_in_both_frames(self):
        rows = table("academic")
        for (problem, law), expected in ACCURATE.items():
            solutions = [r for r in rows if r["problem"] == problem and r["law"] == law]
            self.assertEqual(len(solutions), len(expected))
            for row, values in zip(solutions, expected):
                for value, reference in zip(numbers(row, "xn", "xt", "xo", "energy"), values):
                    self.assertLess(abs(value - reference), 1e-11 * abs(reference))

    def test_data_of_the_figures_of_the_paper_are_complete(self):
        section = table("academic", "--problem", "hyperbola", "--table", "section", "--points", "100")
        self.assertEqual(len(section), 101)
        factors = [float(r["radial_factor"]) for r in section]
        self.assertTrue(min(factors) < 0 < max(factors))
        plane = table("academic", "--problem", "paper", "--table", "plane", "--points", "10")
        self.assertEqual(len(plane), 121)
        check_refused(self, "academic", {"--table plane": "--problem"})
        # The hyperbola belongs to no body.
        for problem, has_body in (("paper", True), ("hyperbola", False)):
            self.assertEqual("masses [kg]" in output("academic", "--problem", problem), has_body)


class Painleve(unittest.TestCase):
    # theta, mu_star, sticking impulse along t and n for m = l = v0 = 1, computed with 20 digits
    REFERENCE = [
        (0.2, 6.6451098459520823709, 0.97039787275108190605, 0.14603187836574393437),
        (0.8, 1.6381656532174205543, 0.61405017913701672767, 0.37484010114056443663),
        (1.5, 4.7950264414607763943, 0.25375281377483295352, 0.052920003022450208288),
    ]

    def test_rod_slides_without_impulse_below_the_threshold(self):
        for theta, mu_star, _, _ in self.REFERENCE:
            rows = table("painleve", "--angle", repr(theta), "--friction", repr(0.99 * mu_star))
            self.assertEqual([(r["law"], r["solution"]) for r in rows], [("coulomb", "zero"), ("max_dissipation", "zero")])
            self.assertTrue(all(r["forces_exist_after"] == "1" for r in rows))
            self.assertLess(abs(float(rows[0]["mu_star"]) - mu_star), 1e-12 * mu_star)

    def test_impulse_sticks_above_the_threshold(self):
        for theta, mu_star, along_t, along_n in self.REFERENCE:
            rows = table("painleve", "--angle", repr(theta), "--friction", repr(1.01 * mu_star))
            self.assertEqual([(r["law"], r["solution"], r["forces_exist_after"]) for r in rows],
                             [("coulomb", "zero", "0"), ("coulomb", "stick", "1"), ("max_dissipation", "stick", "1")])
            for row in rows[1:]:
                self.assertLess(abs(float(row["xt"]) - along_t), 1e-12)
                self.assertLess(abs(float(row["xn"]) - along_n), 1e-12)

    def test_coulomb_has_a_family_of_solutions_at_the_threshold(self):
        mu_star = 1.6381656532174205543
        rows = table("painleve", "--angle", "0.8", "--friction", repr(mu_star))
        family = [r for r in rows if r["law"] == "coulomb"]
        self.assertEqual(len(family), 5)
        self.assertEqual([r["forces_exist_after"] for r in family], ["0", "0", "0", "0", "1"])
        self.assertEqual(rows[-1]["solution"], "stick")
        for row in family:
            self.assertLess(abs(float(row["vn"])), 1e-14)
            self.assertLess(abs(float(row["xt"]) - mu_star * float(row["xn"])), 1e-12)

    def test_impulse_scales_with_mass_and_speed_not_length(self):
        rows = table("painleve", "--angle", "0.8", "--friction", "2", "--mass", "3", "--speed", "0.1", "--length", "7")
        self.assertAlmostEqual(float(rows[-1]["xt"]), 0.3 * 0.61405017913701672767, places=14)

    def test_tip_that_lifts_needs_no_force(self):
        """With tan theta = 2 and the threshold mu = 4/3, any fraction of the sticking impulse makes the rod rotate. At
        20 m/s it rotates so fast that omega x (omega x r) exceeds gravity, and the tip lifts."""
        arguments = ("painleve", "--angle", "1.1071487177940904", "--friction", "1.3333333333333333", "--speed", "20")
        fast_tip = [row["forces_exist_after"] for row in table(*arguments)]
        self.assertEqual((fast_tip[0], set(fast_tip[1:])), ("0", {"1"}))
        slow_tip = [row["forces_exist_after"] for row in table(*arguments[:-1], "0.01")]
        self.assertIn("0", slow_tip[1:])
        self.assertEqual({row["forces_exist_after"] for row in table(*arguments, "--gravity", "0")}, {"1"})

    def test_map_changes_at_the_threshold(self):
        rows = table("painleve", "--map", "--angles", "20", "--frictions", "40")
        self.assertEqual(len(rows), 19 * 41)
        for row in rows:
            mu, mu_star = numbers(row, "mu", "mu_star")
            is_above = mu > mu_star
            self.assertEqual(row["forces_exist_before"], "0" if is_above else "1")
            if mu > 0.0:
                self.assertEqual(row["max_dissipation"], "stick" if is_above else "zero")
            self.assertEqual(row["coulomb_solutions"], "2" if is_above else "1")

    def test_bad_input_is_refused(self):
        check_refused(self, "painleve", {"--angle 1.6": "--angle", "--angle 0": "--angle", "--mass 0": "--mass", "--friction -1": "--friction",
                                         "--angles 1": "--angles"})  # fmt: skip


class Solve(unittest.TestCase):
    MATRIX = "15 1 -12 1 11 -4 -12 -4 14"
    HEADER = "a11,a12,a13,a21,a22,a23,a31,a32,a33,b1,b2,b3,mu\n"

    def test_one_problem_is_solved(self):
        rows = table("solve", "--matrix", self.MATRIX, "--b", "0 4 -5", "--friction", "3",
                     "--kernel", "max_dissipation")  # fmt: skip
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0]["state"], "slip")
        self.assertAlmostEqual(float(rows[0]["energy"]), -0.0817351572230943, places=14)

    def test_kernels_give_different_solutions(self):
        problem = ("solve", "--matrix", "2 .8 .3 .8 3 .2 .3 .2 2.5", "--b", "1 2 -1", "--friction", "0.3")
        dissipative = float(table(*problem, "--kernel", "max_dissipation")[0]["energy"])
        coulomb = float(table(*problem, "--kernel", "coulomb")[0]["energy"])
        self.assertEqual(float(table(*problem)[0]["energy"]), coulomb)
        self.assertLess(dissipative, coulomb - 1e-6)
        all_solutions = table(*problem, "--kernel", "all-coulomb")
        self.assertEqual(float(all_solutions[0]["energy"]), coulomb)

    def solve_text(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "problems.csv"
            path.write_text(text)
            return run("solve", "--input", str(path), *arguments)

    def test_slipping_sphere_rebounds_alike_under_both_laws_and_all_hypotheses(self):
        problem = ("solve", "--matrix", "1 0 0 0 3.5 0 0 0 3.5", "--b", "1 40 0", "--friction", "0.3")
        rows = table(*problem, "--restitution", "0.8")
        self.assertEqual([(row["law"], row["hypothesis"]) for row in rows],
                         [(law, name) for law in ("max_dissipation", "coulomb") for name in ("newton", "poisson", "energetic")])
        for row in rows:  # the sphere slips throughout, so all rows are equal
            self.assertAlmostEqual(float(row["xn"]), 1.8, places=12)
            self.assertAlmostEqual(float(row["xt"]), 0.54, places=12)
            self.assertAlmostEqual(float(row["vn"]), 0.8, places=12)
            self.assertLess(float(row["energy"]), 0.0)

    def test_file_of_problems_is_solved_into_a_table(self):
        row = self.MATRIX.replace(" ", ",")
        text = "# remark\n" + self.HEADER + f"{row},0,4,-5,3\n\n{row},-1,4,-5,3\n"
        process = self.solve_text(text)
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = [line for line in process.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(lines[0], "problem,solution,xn [N s],xt [N s],xo [N s],energy [J],state")
        self.assertEqual([line.split(",")[0] for line in lines[1:]], ["0", "1"])
        self.assertEqual(lines[2], "1,0,0,0,0,0,separating")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.csv"
            self.assertEqual(self.solve_text(text, "--output", str(path)).stdout, "")
            self.assertEqual(path.read_text().splitlines()[-3:], lines)

    def test_errors_name_the_line(self):
        row = self.MATRIX.replace(" ", ",")
        good = f"{row},0,4,-5,3\n"
        for bad, reason in (
            (f"{row},0,4,-5,-3\n", "negative"),
            (f"{row},0,nan,-5,3\n", "finite"),
            (f"{row},0,4,-5\n", "13 numbers"),
            ("1,2,0,2,1,0,0,0,1,0,4,-5,3\n", "positive definite"),
            ("1,.5,0,.4,1,0,0,0,1,0,4,-5,3\n", "symmetric"),
            ("what,ever\n", "13 numbers"),
        ):
            process = self.solve_text(self.HEADER + good + bad)
            self.assertEqual(process.returncode, 2, bad)
            self.assertIn("problems.csv:3", process.stderr)
            self.assertIn(reason, process.stderr)
            self.assertEqual(process.stdout, "")
        process = self.solve_text(good)
        self.assertEqual(process.returncode, 2)
        self.assertIn("header", process.stderr)

    def test_bad_input_is_refused(self):
        complete = f"--matrix '{self.MATRIX}' --b '0 4 -5' --friction 3"
        check_refused(self, "solve", {
            "": "--input", f"{complete} --kernel newton": "--kernel", f"{complete} --input x.csv": "--input",
            "--matrix '1 2 3' --b '0 4 -5' --friction 3": "--matrix", f"{complete} --restitution 1.1": "--restitution",
            f"{complete} --restitution 1 --kernel coulomb": "exclude",
        })  # fmt: skip
        self.assertEqual(run("solve", "--input", "missing.csv").returncode, 3)


class Step(unittest.TestCase):
    def test_steps_converge_with_the_first_order_under_both_laws(self):
        rows = table("step", "--halvings", "8")
        for law in ("max_dissipation", "coulomb"):
            changes = [float(row["change"]) for row in rows if row["law"] == law]
            self.assertEqual(len(changes), 9)
            self.assertLess(abs(changes[-2] / changes[-1] - 2), 0.1)
        self.assertLess(abs(float(rows[8]["theta"]) - float(rows[17]["theta"])), 1e-9)

    def test_academic_body_converges_too(self):
        rows = table("step", "--body", "academic", "--end", "1", "--step", "0.01", "--halvings", "5")
        coarsest_omega = {}
        for law in ("max_dissipation", "coulomb"):
            rows_of_law = [row for row in rows if row["law"] == law]
            changes = [float(row["change"]) for row in rows_of_law]
            self.assertLess(abs(changes[-2] / changes[-1] - 2), 0.1)
            coarsest_omega[law] = float(rows_of_law[0]["omega_y"])
        self.assertNotAlmostEqual(coarsest_omega["max_dissipation"], coarsest_omega["coulomb"], places=5)
        # A single step that starts at the contact is the impact: it gives the energy of table 1 in an orthonormal frame.
        single_step = table("step", "--body", "academic", "--end", "1e-3", "--step", "1e-3", "--halvings", "0")
        energy_before = 0.5 * 230.06 * (0.06**2 + 0.7**2 + 0.23**2)
        for row in single_step:
            solution = [r for r in table("academic", "--problem", "orthonormal") if r["law"] == row["law"]][-1]
            self.assertLess(abs(float(row["energy"]) - energy_before - float(solution["energy"])), 1e-4)

    def test_bad_input_is_refused(self):
        check_refused(self, "step", {"--step 0": "--step", "--end -1": "--end", "--friction -1": "--friction", "--mass nan": "--mass",
                                     "--halvings -1": "--halvings", "--halvings 40": "--halvings", "--height -1": "--height",
                                     "--body academic --angle 1": "--angle has no effect"})  # fmt: skip


class Multiplicity(unittest.TestCase):
    def test_map_counts_problems_with_several_solutions(self):
        arguments = ("multiplicity", "--frictions", 3, "--arms", 2, "--samples", 300)
        rows = table(*arguments)
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows, table(*arguments))
        self.assertNotEqual(rows, table(*arguments, "--seed", 2))
        for row in rows:
            several_fraction, differ = float(row["several"]), float(row["laws_differ"])
            self.assertTrue(0 <= several_fraction <= differ <= 1, row)
        self.assertGreater(max(float(row["several"]) for row in rows), 0)
        # Without an arm all laws agree.
        short_arms = table("multiplicity", "--frictions", 1, "--arms", 1, "--arm-to", 1e-6, "--samples", 300)
        self.assertEqual((float(short_arms[0]["several"]), float(short_arms[0]["laws_differ"])), (0, 0))

    def test_bad_input_is_refused(self):
        check_refused(self, "multiplicity", {"--friction-to 0": "--friction-to", "--arm-to -1": "--arm-to", "--frictions 0": "--frictions",
                                             "--arms 0": "--arms", "--samples 0": "--samples", "--seed -1": "--seed"})  # fmt: skip


class Program(unittest.TestCase):
    def test_help_and_output_are_complete(self):
        check_program(self, ("academic", "painleve", "solve", "multiplicity", "step", "fclib"), "painleve")

    def test_missing_files_are_refused(self):
        self.assertEqual(run("fclib").returncode, 2)
        self.assertEqual(run("fclib", "missing.hdf5").returncode, 3)

    def test_digits_and_units_can_be_chosen(self):
        """Angles and lengths in any unit; the header gives the unit of the numbers and the source of the equations."""
        message = run("painleve", "--angle", "45 deg", "--length", "50 cm", "--friction", "1", "--digits", 6).stdout
        for words in ("# theta [rad]: 0.785398\n", "# length [m]: 0.5\n", "# source: T. Preclik", ",xn [N s],"):
            self.assertIn(words, message)
        self.assertIn("# theta [rad]: 0.80000000000000004\n", run("painleve", "--angle", "0.8").stdout)
        check_refused(self, "painleve", {"--digits 1": "--digits", "--angle '1 m'": "a length"})


if __name__ == "__main__":
    unittest.main()
