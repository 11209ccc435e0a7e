#!/usr/bin/env python3
"""Runs scree-damping as a user does: damping_test.py PROGRAM"""

import unittest

from small_app import check_program, check_refused, notes_of, output, run, table

# (exponent n, restitution e): optimal c for m = k = v = 1, 12 digits.
OPTIMAL = {
    (1, 0.1): 2.48637570203, (1.2, 0.3): 0.923459838624, (1.5, 0.5): 0.451733514725,
    (1.8, 0.7): 0.212379210437, (2, 0.99): 0.00534465152816,
}


class Table(unittest.TestCase):

    def test_table_has_the_resulting_restitutions(self):
        rows = table("table")
        formulas = ["hunt-crossley", "lankarani-nikravesh", "hu-guo", "flores", "exact"]
        self.assertEqual([row["formula"] for row in rows[:5]], formulas)
        self.assertEqual([round(10 * float(row["e"]), 9) for row in rows[::5]], list(range(1, 10)))
        self.assertLess(abs(float(rows[0]["e_out"]) - 0.5158326164003957), 1e-14)
        for row in rows[4::5]:
            self.assertLess(abs(float(row["error"])), 1e-14)


class Optimal(unittest.TestCase):
    def test_optimal_damping_matches_exact_and_fitted_values(self):
        for (n, e), c in OPTIMAL.items():
            exact, fit = table("optimal", "--restitution", e, "--exponent", n)
            self.assertEqual((exact["method"], fit["method"]), ("exact, eq. (23)", "fit, eq. (49)"))
            self.assertLess(abs(float(exact["c"]) / c - 1), 1e-11)
            self.assertLess(abs(float(exact["e_out"]) - e), 1e-11)
            self.assertLess(abs(float(fit["e_out"]) - e), 3.4e-3)
            self.assertTrue(0 < float(exact["lambda"]) < 1)

    def test_quantities_named_as_in_the_paper_are_right(self):
        for arguments in (("optimal", "--restitution", 0.6), ("force", "--restitution", 0.6)):
            text = output(*arguments, "--exponent", 2, "--mass", 3, "--stiffness", 4, "--speed", 5)
            self.assertAlmostEqual(float(notes_of(text)["delta_m"]), (1.5 * 3 / 4 * 25) ** (1 / 3), delta=1e-14)
        for row in table("optimal", "--restitution", 0.6, "--exponent", 2, "--mass", 3, "--stiffness", 4, "--speed", 5):
            self.assertAlmostEqual(float(row["energy_lost"]), 37.5 * (1 - float(row["e_out"]) ** 2), delta=1e-13)

    def test_restitution_of_a_damping_inverts_the_optimum(self):
        row = table("optimal", "--damping", 3, "--exponent", 1)[0]
        self.assertLess(abs(float(row["e_out"]) - 0.07558830936495606916), 1e-15)
        self.assertEqual(float(row["damping_ratio"]), 1.5)
        c = table("optimal", "--restitution", 0.42, "--exponent", 1.7, "--mass", 2, "--stiffness", 3, "--speed", 4)[0]["c"]
        recovered = table("optimal", "--damping", c, "--exponent", 1.7, "--mass", 2, "--stiffness", 3, "--speed", 4)[0]
        self.assertLess(abs(float(recovered["e_out"]) - 0.42), 1e-11)

    def test_bad_input_is_refused(self):
        check_refused(self, "optimal", {
            "--restitution 0": "infinite", "--restitution -0.1": "restitution", "--restitution 1.1": "restitution", "--restitution nan": "expected a number", "--restitution half": "expected a number",
            "--exponent 0.9": "n = 0.9", "--exponent 2.1": "at most 2", "--mass 0": "mass", "--stiffness -1": "stiffness", "--speed 0": "speed",
            "--damping -1": "damping", "--damping 1 --restitution 0.5": "exclude", "--exponent 1 --restitution 5e-324": "restitution e",
            "--exponent 2 --restitution 1e-14": "restitution e", "--exponent 1.5 --restitution 1e-200": "restitution e", "--mass-b 3": "--mass-b needs --mass",
            "--mass 1 --mass-b 0": "above 0", "--mass 1 --mass-b 2 --radius 0.01": "exclude", "--exponent 1.2 --radius 0.005": "Hertz",
            "--material glass": "--radius", "--mass 1 --radius 0.005": "exclude",
        })  # fmt: skip
        check_refused(self, "force", {"--restitution 0": "infinite"})

    def test_bodies_give_mass_and_stiffness(self):
        """Two glass spheres act as half the mass of one with Hertz' stiffness."""
        mass = 4 / 3 * 3.141592653589793 * 0.005**3 * 2500 / 2
        stiffness = 4 / 3 * 65e9 / (2 * (1 - 0.22**2)) * (0.005 / 2) ** 0.5
        with_constants = table("optimal", "--restitution", 0.5, "--mass", repr(mass), "--stiffness", repr(stiffness), "--speed", 2)[0]
        with_bodies = table("optimal", "--restitution", 0.5, "--material", "glass", "--radius", 0.005, "--radius-b", 0.005, "--speed", 2)[0]
        self.assertLess(abs(float(with_constants["c"]) / float(with_bodies["c"]) - 1), 1e-12)

    def test_two_masses_act_as_the_reduced_mass(self):
        for command in ("optimal", "force"):
            with_two_masses = table(command, "--mass", 3, "--mass-b", 6, "--stiffness", 5)
            with_one_mass = table(command, "--mass", 2, "--stiffness", 5)
            self.assertEqual(len(with_two_masses), len(with_one_mass))
            for name, value in with_two_masses[0].items():
                if name not in ("method", "model"):
                    self.assertAlmostEqual(float(value), float(with_one_mass[0][name]), delta=1e-12)

    def test_extreme_restitutions_are_reached(self):
        for n, e in ((1, 1e-299), (1.001, 1e-12), (1.5, 1e-12), (2, 1e-12), (2, 1 - 1e-9)):
            exact = table("optimal", "--exponent", n, "--restitution", e)[0]
            self.assertLess(abs(float(exact["e_out"]) / e - 1), 1e-9, (n, e))

    def test_strong_damping_leaves_little_restitution(self):
        self.assertLess(abs(float(table("optimal", "--exponent", 1, "--damping", "1e155")[0]["e_out"]) / 1e-310 - 1), 1e-9)


class Force(unittest.TestCase):
    def test_force_curves_end_at_the_separation(self):
        rows = table("force", "--restitution", 0.3, "--mass", 2, "--stiffness", 50, "--speed", 3)
        linear = [r for r in rows if r["model"] == "linear-damping"]
        self.assertGreater(float(linear[0]["force"]), 0)
        self.assertEqual(float(linear[0]["velocity"]), 3)
        separation = next(i for i, r in enumerate(linear) if r["separated"] == "1")
        # At the separation the velocity is -e v, and stationary.
        self.assertLess(abs(float(linear[separation]["velocity"]) + 0.9), 1e-3)
        self.assertTrue(all(float(r["force"]) <= 0 for r in linear[separation:]))
        for model, e in (("hertz", 1.0), ("hunt-crossley", 0.3)):
            curve = [r for r in rows if r["model"] == model]
            self.assertLess(abs(float(curve[-1]["penetration"])), 1e-20)
            self.assertLess(abs(float(curve[-1]["velocity"]) + 3 * e), 1e-12)
            self.assertTrue(all(float(r["force"]) > -1e-12 for r in curve))


    def test_every_curve_of_linear_damping_reaches_the_separation(self):
        for e in (0.5, 0.135, 0.11, 0.1, 0.01, 1e-4):
            rows = [row for row in table("force", "--restitution", e) if row["model"] == "linear-damping"]
            first = next((row for row in rows if row["separated"] == "1"), None)
            self.assertIsNotNone(first, e)
            self.assertLess(abs(float(first["velocity"]) / -e - 1), 0.3)


class Sweep(unittest.TestCase):
    def test_slopes_of_the_sweep_are_the_exponents(self):
        for figure in (3, 4, 5):
            for row in table("sweep", "--figure", figure, "--points", 5, "--exponents", 3):
                self.assertLess(abs(float(row["slope"]) - float(row["exponent"])), 1e-11)

    def test_fits_are_those_of_the_paper(self):
        rows = table("sweep", "--figure", 7, "--points", 56, "--exponents", 6)
        for row in rows:
            self.assertLess(abs(float(row["alpha"]) / float(row["alpha_formula"]) - 1), 0.03)
            self.assertLess(abs(float(row["beta"]) - float(row["beta_formula"])), 0.006)
        notes = run("sweep", "--figure", 7, "--points", 56, "--exponents", 6).stdout
        self.assertIn("# alpha(n), our fit: ", notes)
        curves = table("sweep", "--figure", 6, "--points", 20)
        self.assertEqual(len(curves), 100)
        self.assertTrue(all(abs(float(r["c_pattern"]) - float(r["c"])) < 0.03 for r in curves))

    def test_error_of_the_fit_for_a_linear_spring_is_bounded(self):
        rows = table("sweep", "--figure", 9)
        max_error = max(abs(float(row["error"])) for row in rows)
        self.assertTrue(3.3e-3 < max_error < 3.4e-3)

    def test_error_of_the_formula_is_bounded(self):
        rows = table("sweep", "--figure", 8, "--points", 41)
        errors = [abs(float(row["error"])) for row in rows]
        self.assertTrue(2.5e-3 < max(errors) < 3.4e-3)
        self.assertLess(errors[40], 1e-13)
        self.assertEqual([row["e"] for row in rows[:41]], [row["e"] for row in table("sweep", "--figure", 9, "--points", 41)])

    def test_bad_numbers_of_figures_are_refused(self):
        check_refused(self, "sweep", {
            "--figure 2": "--figure", "--figure 7 --exponents 4": "--exponents", "--points 1": "--points",
            "--figure 6 --restitution-min 0": "--restitution-min", "--figure 6 --exponents 3": "--exponents has no effect",
            "--figure 3 --restitution-min 0.2": "--restitution-min has no effect",
        })  # fmt: skip


class Program(unittest.TestCase):
    def test_help_and_output_are_complete(self):
        check_program(self, ("force", "table", "optimal", "sweep"), "table")


if __name__ == "__main__":
    unittest.main()
