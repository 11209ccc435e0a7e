#!/usr/bin/env python3
"""Runs scree-integrators as a user does: integrators_test.py PROGRAM"""

import unittest

from small_app import check_program, check_refused, notes_of, output, rows_of, run, table

CASES = {
    "I": ("--stiffness", "1e3", "--relative-damping", "0.5", "--exponent", "1.5", "--speed", "0.5"),
    "IIb": ("--stiffness", "1e9", "--relative-damping", "0.5", "--exponent", "1.5", "--speed", "1"),
}


METHODS = ("am1", "verlet", "heun", "rk4")


def notes_and_table(*arguments):
    text = output(*arguments)
    return notes_of(text), rows_of(text)


class ClosedForm(unittest.TestCase):
    def test_closed_form_has_the_published_quantities(self):
        notes, rows = notes_and_table("closed-form", *CASES["IIb"], "--points", "100")
        for name, value in (("v_out", -0.74843493159743415812), ("contact_time", 0.00013289823592586660016),
                            ("x_max", 0.000038925737782239712437), ("energy_out", 0.0028007742341762797942),
                            ("v_out_approximate", -0.74852864179270454672)):
            self.assertLess(abs(float(notes[name]) / value - 1.0), 1e-13, name)
        self.assertEqual(len(rows), 101)
        self.assertEqual(float(rows[50]["v"]), 0.0)
        self.assertLess(abs(float(rows[50]["x"]) / float(notes["x_max"]) - 1.0), 1e-15)
        self.assertEqual(rows[-1]["time"], notes["contact_time"])
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(times))


    def test_bodies_give_mass_and_stiffness(self):
        notes = notes_of(output("closed-form", "--material", "glass", "--radius", 0.005))
        self.assertLess(abs(float(notes["stiffness"]) / (4 / 3 * 65e9 / (2 * (1 - 0.22**2)) * 0.005**0.5) - 1), 1e-12)


    def test_two_masses_act_as_the_reduced_mass(self):
        with_two_masses, with_one_mass = (notes_of(output("closed-form", "--mass", *masses))
                                          for masses in ((0.03, "--mass-b", 0.06), (0.02,)))
        self.assertAlmostEqual(float(with_two_masses["contact_time"]) / float(with_one_mass["contact_time"]), 1.0, delta=1e-12)
        self.assertAlmostEqual(float(with_two_masses["mass"]), 0.02, delta=1e-15)


class Simulate(unittest.TestCase):
    def test_samples_deviate_as_published(self):
        notes, rows = notes_and_table("simulate", *CASES["IIb"], "--method", "heun")
        self.assertEqual(len(rows), 7)
        self.assertLess(abs(float(rows[-1]["v"]) + 0.7134062802561716), 1e-13)
        self.assertLess(abs(float(notes["error_v_out_percent"]) + 4.68025340112046), 1e-9)
        self.assertEqual((notes["released"], notes["constrained"]), ("yes", "no"))

    def test_corrections_reduce_the_deviations(self):
        notes, rows = notes_and_table("simulate", *CASES["IIb"], "--method", "heun", "--hybrid", "--constrain")
        self.assertEqual(notes["constrained"], "yes")
        self.assertEqual(rows[-1]["x"], "0")
        for row in rows:
            self.assertAlmostEqual(float(row["x"]), float(row["x_exact"]), delta=1e-18)
        notes = notes_and_table("simulate", *CASES["IIb"], "--constrain", "--threshold", "1e-5")[0]
        self.assertEqual(notes["constrained"], "no")

    def test_oversampling_prints_samples_of_the_rate_and_the_end(self):
        rows = table("simulate", *CASES["IIb"], "--method", "rk4", "--oversampling", "16")
        self.assertEqual([row["step"] for row in rows], ["0", "16", "32", "48", "64", "80", "94"])

    def test_external_force_has_an_equilibrium_and_no_closed_form(self):
        notes, rows = notes_and_table("simulate", *CASES["I"], "--force", "0.0981", "--end", "0.01")
        self.assertEqual(notes["released"], "no")
        self.assertAlmostEqual(float(notes["x_equilibrium"]), (0.0981 / 1e3) ** (1 / 1.5), places=15)
        self.assertNotIn("x_exact", rows[0])

    def test_too_few_samples_are_refused(self):
        process = run("simulate", *CASES["IIb"], "--rate", "22050")
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        for word in ("2.93", "30099 Hz"):
            self.assertIn(word, process.stderr)

    def test_fewer_samples_show_the_breakdown(self):
        coarse = ("simulate", *CASES["IIb"], "--method", "rk4", "--fewer-samples")
        errors = [abs(float(notes_of(output(*coarse, "--rate", rate))["error_v_out_percent"]))
                  for rate in (44100, 22050, 11025)]
        self.assertLess(errors[0], 1.0)
        self.assertGreater(errors[2], 10.0)

    def test_iterations_of_the_implicit_method_are_counted(self):
        notes = notes_of(output("simulate", *CASES["IIb"], "--method", "am1"))
        self.assertTrue(2 < float(notes["iterations_per_step"]) < 20)
        self.assertNotIn("iterations_per_step", notes_of(output("simulate", *CASES["IIb"], "--method", "heun")))

    def test_implicit_method_is_accurate_near_the_limit_velocity(self):
        """1 + mu v nears zero at release, so the rounding of k x^alpha is a noticeable part of the force."""
        notes = notes_of(output("simulate", "--relative-damping", 1, "--stiffness", "1e7", "--speed", 12, "--method", "am1", "--rate",
                                "1e6"))
        self.assertEqual(notes["released"], "yes")
        self.assertLess(abs(float(notes["error_v_out_percent"])), 1e-4)

    def test_limit_of_the_hybrid_correction_is_reported(self):
        arguments = ("simulate", "--relative-damping", 1, "--stiffness", "1e7", "--method", "rk4", "--rate", "4e6", "--constrain")
        process = run(*arguments, "--speed", 30, "--hybrid")
        self.assertEqual((process.returncode, process.stdout), (4, ""))
        self.assertIn("mu v_in = 30", process.stderr)
        self.assertIn("double precision", process.stderr)
        self.assertEqual(notes_of(output(*arguments, "--speed", 30))["released"], "yes")
        self.assertEqual(notes_of(output(*arguments, "--speed", 15, "--hybrid"))["released"], "yes")


class Rebounds(unittest.TestCase):
    def test_motion_is_continuous_in_time_and_keeps_the_speed_in_flight(self):
        rows = table("rebounds", *CASES["IIb"], "--method", "rk4", "--count", "3", "--motion")
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(times))
        for impact in ("1", "2"):
            flight = [row for row in rows if row["impact"] == impact and row["in_contact"] == "0"]
            self.assertAlmostEqual(float(flight[0]["v"]), -float(flight[-1]["v"]), places=14)
            self.assertLess(abs(float(flight[-1]["x"])), 1e-14)
            next_row = next(row for row in rows if int(row["impact"]) == int(impact) + 1)
            self.assertAlmostEqual(float(next_row["v"]), float(flight[-1]["v"]), places=14)


class Resonate(unittest.TestCase):
    def test_corrections_are_compared_with_the_methods(self):
        rows = table("resonate", "--resonator", "wood", "--compare")
        self.assertEqual([row["method"] for row in rows], ["reference"] + [m for m in METHODS for _ in range(2)])
        errors = {(row["method"], row["corrections"]): abs(float(row["error_mass_percent"])) for row in rows[1:]}
        for method in METHODS:
            self.assertLess(errors[method, "both"], 0.5 * errors[method, "none"], method)
        exact = rows[0]
        self.assertGreater(float(exact["energy_into_modes"]), 0.1 * 0.005)
        self.assertLess(float(exact["energy_into_modes"]) + float(exact["energy_mass"]), 0.005)

    def test_wall_gives_the_results_of_simulate(self):
        notes, rows = notes_and_table("resonate", "--resonator", "none", "--method", "heun", "--hybrid", "--constrain")
        simulated = notes_and_table("simulate", "--method", "heun", "--hybrid", "--constrain")
        self.assertEqual(len(rows), len(simulated[1]))
        self.assertAlmostEqual(float(notes["mass_velocity"]), float(simulated[0]["v_end"]), delta=1e-13)
        self.assertAlmostEqual(float(notes["mass_velocity_exact"]), float(simulated[0]["v_out_exact"]), delta=1e-9)

    def test_energy_balance_of_a_resonator_closes(self):
        rows = table("resonate", "--resonator", "glass", "--method", "rk4", "--oversampling", "64")
        self.assertEqual(float(rows[0]["energy_sum"]), 0.005)
        for row in rows:
            self.assertAlmostEqual(float(row["energy_sum"]), 0.005, delta=2e-7)

    def test_impact_that_does_not_end_is_reported(self):
        process = run("resonate", "--force", 1e4, "--compare")
        self.assertEqual(process.returncode, 4)
        self.assertIn("not over", process.stderr)


class Sweep(unittest.TestCase):
    def test_error_of_the_approximation_is_that_of_the_paper(self):
        notes, rows = notes_and_table("sweep", "--points", "50")
        self.assertAlmostEqual(float(notes["greatest_error"]), 0.0204499308, places=10)
        self.assertAlmostEqual(float(notes["greatest_error_at"]), 3.00076, places=5)
        self.assertAlmostEqual(float(notes["within_1_percent_above"]), 5.00288430, places=8)
        self.assertEqual((float(rows[0]["mu_v_in"]), len(rows)), (0.01, 51))
        first_order = notes_and_table("sweep", "--order", "1")[0]
        self.assertGreater(float(first_order["greatest_error"]), 0.05)

    def test_corrections_reduce_deviations_by_orders_of_magnitude(self):
        for axis in ("relative-damping", "speed"):
            for row in table("sweep", "--over", axis, "--points", "10"):
                uncorrected, corrected = (float(row[f"max_deviation_H_{kind}percent"]) for kind in ("", "corrected_"))
                self.assertLess(corrected, 1e-2 * uncorrected)


    def test_rates_are_swept_down_to_two_samples(self):
        arguments = ("sweep", "--over", "rate", "--from", "11025", "--to", "176400", "--points", "4")
        rows = table(*arguments, "--fewer-samples")
        samples = [float(row["samples_in_contact"]) for row in rows]
        self.assertLess(samples[0], 4)
        self.assertAlmostEqual(samples[-1] / samples[0], 16, places=9)
        self.assertLess(float(rows[-1]["max_deviation_H_percent"]), 0.01 * float(rows[0]["max_deviation_H_percent"]))
        self.assertEqual(table(*arguments)[0]["max_deviation_H_percent"], "nan")

    def test_bad_points_are_nan_in_the_table_with_a_warning(self):
        process = run("sweep", "--over", "speed", "--rate", "20000")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("warning", process.stderr)
        self.assertIn("samples", process.stderr)
        rows = rows_of(process.stdout)
        bad = [row for row in rows if row["max_deviation_H_percent"] == "nan"]
        self.assertEqual(len(rows), 201)
        self.assertTrue(0 < len(bad) < 201)


class Program(unittest.TestCase):
    def test_help_and_output_are_complete(self):
        check_program(self, ("closed-form", "simulate", "rebounds", "resonate", "sweep"), "closed-form")

    def test_bad_arguments_are_named(self):
        check_refused(self, "closed-form", {
            "--relative-damping -1": "mu", "--mass 0": "mass", "--stiffness -5": "stiffness", "--exponent 0.5": "alpha", "--speed -1": "velocity",
            "--points 1": "--points", "--speed 1e308": "too large", "--mass 1e-300": "small", "--radius 0.005 --exponent 1.3": "Hertz",
        })  # fmt: skip
        check_refused(self, "simulate", {
            "--method euler": "am1, verlet, heun, rk4", "--rate 0": "rate", "--oversampling 0": "oversampling",
            "--hybrid --force 1": "corrections", "--constrain --threshold 2": "threshold", "--end -1": "duration",
            "--threshold 0.1": "--threshold has no effect", "--method verlet --speed 5": "released after 3 samples",
        })  # fmt: skip
        check_refused(self, "rebounds", {
            "--count 0": "--count", "--gravity 0": "--gravity", "--gravity 3": "--gravity has no effect",
        })  # fmt: skip
        check_refused(self, "sweep", {
            "--over k": "--over", "--from 0": "--from", "--from 2 --to 1": "--to", "--order 0": "order",
            "--over speed --rate 20": "samples", "--over damping-times-speed --method heun": "--method has no effect",
            "--over relative-damping --relative-damping 3": "--relative-damping has no effect", "--over rate": "--from",
            "--over rate --from 11025 --to 176400 --rate 8000": "--rate",
        })  # fmt: skip
        check_refused(self, "resonate", {
            "--resonator stone": "stone", "--body-mass 0": "mass", "--resonator none --body-mass 1": "--resonator",
            "--mass 1 --mass-b 1": "--body-mass", "--compare --method heun": "--compare", "--rate 8000": "samples",
            "--threshold 0.1": "--constrain",
        })  # fmt: skip
        check_refused(self, "simulat", {"": "closed-form, simulate, rebounds, resonate, sweep"})

    def test_diverging_method_is_an_invalid_simulation(self):
        process = run("simulate", "--method", "rk4", "--speed", "20")
        self.assertEqual(process.returncode, 4)
        self.assertIn("no longer finite", process.stderr)


if __name__ == "__main__":
    unittest.main()
