#!/usr/bin/env python3
"""Runs scree-restitution as a user does: restitution_test.py PROGRAM"""

import math
import unittest

from small_app import check_program, check_refused, notes_of, output, rows_of, run, table

# (model, gamma, load): e from an integration with 128 bits; 0: no rebound.
REFERENCE = {
    ("kuwabara-kono", 0.1, 0): 0.843339410924882923,
    ("kuwabara-kono", 0.08, 1): 0.220994607701176623,
    ("kuwabara-kono", 0.0015, 10): 0.303034586369209787,
    ("kuwabara-kono", 0.1, 1): 0.0,
}


class Cor(unittest.TestCase):
    def test_restitution_matches_the_reference(self):
        for (model, gamma, load), e in REFERENCE.items():
            rows = {r["method"]: float(r["e"]) for r in table("cor", "--model", model, "--gamma", gamma, "--load", load)}
            self.assertLess(abs(rows["integrated"] - e), 1e-12)
        rows = {r["method"]: float(r["e"]) for r in table("cor", "--gamma", 0.01, "--load", 1)}
        self.assertLess(abs(rows["eq. (36), quadrature"] - 0.92403765166530048), 1e-14)
        self.assertLess(abs(rows["eq. (36), Beta sums (53)"] - 0.9240814281968645), 1e-7)

    def test_values_may_have_units(self):
        # The steel ball of figure 5.
        process = run("cor", "--mass", 2.05e-3, "--stiffness", 6.9716e9, "--dissipation", 1e-6, "--speed", 0.246,
                      "--gravity", 9.8)
        self.assertEqual(f"{float(notes_of(process.stdout)['load']):.4e}", "5.1224e-04")
        # Without damping the impact lasts 3.22 (m/k)^(2/5) v^(-1/5) seconds.
        self.assertTrue(4e-5 < float(notes_of(process.stdout)["duration"]) < 5e-5)

    def test_quantities_named_as_in_the_paper_are_right(self):
        notes = notes_of(output("cor", "--gamma", 0.01, "--load", 1))
        value = {name: float(notes[name]) for name in ("I0", "Q0", "A1", "A2", "u_M", "energy lost", "1 - e^2")}
        self.assertAlmostEqual(value["A1"], 1.5 * value["I0"], places=15)
        self.assertAlmostEqual(value["A2"], 2.25 * value["I0"] * (0.5 * value["I0"] - value["Q0"]), places=14)
        self.assertAlmostEqual(value["u_M"] ** 2.5 / 2.5 - value["u_M"], 0.5, places=13)
        self.assertAlmostEqual(value["energy lost"], 0.5 * value["1 - e^2"], places=15)
        # (41) with these values gives e to second order.
        e = 1 - 0.01 * value["A1"] - 1e-4 * value["A2"]
        self.assertLess(abs(e - math.sqrt(1 - value["1 - e^2"])), 1e-4)

    def test_two_masses_act_as_the_reduced_mass(self):
        def notes(*masses):
            return notes_of(output("cor", "--mass", *masses, "--stiffness", 1e9, "--dissipation", 1e-6, "--speed", 0.5))

        with_two_masses, with_one_mass = notes(0.3, "--mass-b", 0.6), notes(0.2)
        for name in ("gamma", "largest force", "duration", "energy lost"):
            self.assertAlmostEqual(float(with_two_masses[name]) / float(with_one_mass[name]), 1.0, delta=1e-10)
        laws = [table("invert", "--restitution", 0.8, "--speed", 1, "--stiffness", 1e9, "--mass", *masses)
                for masses in ((0.3, "--mass-b", 0.6), (0.2,))]
        for a, b in zip(*laws):
            self.assertAlmostEqual(float(a["gamma0"]) / float(b["gamma0"]), 1.0, delta=1e-10)

    def test_more_nodes_make_the_sums_more_accurate(self):
        errors = []
        for n in (5, 21):
            notes = notes_of(output("cor", "--gamma", 0.01, "--load", 1, "--nodes", n))
            errors.append(abs(float(notes[f"I0 by Beta sums, n = {n}"]) - float(notes["I0"])))
        self.assertLess(errors[1], errors[0])

    def test_exponents_and_end_select_the_model(self):
        model_lines = run("cor", "--model", "hunt-crossley", "--gamma", 0.2).stdout.splitlines()[2:]
        exponent_lines = run("cor", "--exponent", 1.5, "--damping-exponent", 2.5, "--gamma", 0.2).stdout.splitlines()[2:]
        self.assertEqual(model_lines, exponent_lines)
        # Ended at zero force, the model with exponents 3/2 and 1 is linear damping. This gamma gives e = 0.05.
        row = table("cor", "--model", "hertz-linear", "--gamma", 2.84867978826, "--until", "force")[0]
        self.assertLess(abs(float(row["e"]) - 0.05), 1e-11)

    def test_gamma_beyond_the_limit_gives_a_warning(self):
        process = run("cor", "--gamma", 0.3)
        self.assertEqual(process.returncode, 0)
        self.assertIn("(37) starts to rise", process.stderr)
        self.assertEqual(run("cor", "--gamma", 0.25).stderr, "")

    def test_bad_input_is_refused(self):
        units = "--mass 1 --stiffness 1 --dissipation 0.1"
        check_refused(self, "cor", {
            "--model hertz": "kuwabara-kono", "--exponent 0.9": "--exponent", "--damping-exponent 0.5": "--damping-exponent", "--gamma -1": "gamma",
            "--load -1": "load", "--gamma nan": "expected a number", "--model linear --damping-exponent 2": "exclude", "--mass 1": "missing",
            f"{units} --speed 1 --gamma 1": "exclude", f"{units} --speed 1 --gravity -9.8": "acceleration",
            "--mass -1 --stiffness 1 --dissipation 0.1 --speed 1": "mass", f"{units} --speed 0": "speed", "--until never": "--until",
            "--nodes 2": "--nodes", "--nodes 20": "--nodes", "--nodes 43": "--nodes",
            "--model linear --material steel --radius 0.01 --dissipation 1 --speed 1": "Hertz",
        })  # fmt: skip

    def test_heavy_loads_cost_no_digits(self):
        """e^2 + loss = 1; without dissipation e = 1."""
        for arguments in (("--model", "linear", "--load", "1e7", "--gamma", 0), ("--load", "1e10", "--gamma", "1e-20"),
                          ("--load", "1e6", "--gamma", "1e-12"), ("--load", "1e3", "--gamma", "1e-7")):
            text = output("cor", *arguments)
            e, loss = float(rows_of(text)[0]["e"]), float(notes_of(text)["1 - e^2"])
            self.assertLess(abs(e * e + loss - 1.0), 1e-14, arguments)
        self.assertEqual(float(table("cor", "--model", "linear", "--load", "1e7", "--gamma", 0)[0]["e"]), 1.0)

    def test_creeping_body_reaches_its_position_of_rest(self):
        notes = notes_of(output("cor", "--gamma", 20, "--load", 5))
        self.assertLess(abs(float(notes["largest deformation"]) / 5 ** (2 / 3) - 1), 1e-14)
        self.assertEqual((notes["detached"], notes["duration"]), ("no", "inf"))
        last_row = table("trajectory", "--gamma", 20, "--load", 5)[-1]
        self.assertLess(abs(float(last_row["deformation"]) / 5 ** (2 / 3) - 1), 1.1e-3)
        self.assertLess(float(last_row["velocity"]), 1e-3)


class Trajectory(unittest.TestCase):
    def test_trajectory_ends_with_rebound_or_capture(self):
        rebound = table("trajectory", "--gamma", 0.006, "--load", 0.1)
        self.assertEqual([float(rebound[0][c]) for c in ("time", "deformation", "velocity")], [0, 0, 1])
        self.assertLess(abs(float(rebound[-1]["deformation"])), 1e-20)
        e = float(table("cor", "--gamma", 0.006, "--load", 0.1)[0]["e"])
        self.assertLess(abs(float(rebound[-1]["velocity"]) + e), 1e-14)
        captured = table("trajectory", "--gamma", 0.06, "--load", 4)
        self.assertLess(abs(float(captured[-1]["velocity"])), 1e-12)
        self.assertTrue(0 < float(captured[-1]["deformation"]) < 4 ** (2 / 3))

    def test_values_may_have_units(self):
        rows = table("trajectory", "--model", "linear", "--mass", 2, "--stiffness", 8, "--dissipation", 0,
                     "--speed", 3)
        # Half a period of the oscillator, amplitude v/omega, force k times the amplitude.
        self.assertLess(abs(float(rows[-1]["time"]) - 3.14159265358979 / 2), 1e-12)
        self.assertLess(abs(max(float(r["deformation"]) for r in rows) - 1.5), 1e-2)
        self.assertLess(abs(max(float(r["force"]) for r in rows) - 12), 0.1)


class Critical(unittest.TestCase):
    def test_critical_load_and_dissipation_match(self):
        row = table("critical", "--gamma", 0.01)[0]
        self.assertLess(abs(float(row["load"]) - 3.6787225243256074), 1e-10)
        self.assertLess(abs(float(row["by_22"]) - 3.76289616647979), 1e-12)
        recovered = table("critical", "--load", row["load"])[0]
        self.assertLess(abs(float(recovered["gamma"]) - 0.01), 1e-12)


    def test_load_and_dissipation_are_inverse_to_each_other(self):
        for model, gamma in (("hunt-crossley", 200.0), ("hunt-crossley", 1e-3), ("kuwabara-kono", 30.0)):
            load = table("critical", "--model", model, "--gamma", gamma)[0]["load"]
            recovered = table("critical", "--model", model, "--load", load)[0]["gamma"]
            self.assertLess(abs(float(recovered) / gamma - 1), 1e-8, (model, gamma))
        row = table("critical", "--model", "hunt-crossley", "--load", "2.4003945e-4")[0]
        self.assertLess(abs(float(row["gamma"]) / 200 - 1), 1e-8)

    def test_strong_dissipation_has_a_critical_load_too(self):
        """Without load, cor --gamma 100 detaches."""
        load = float(table("critical", "--gamma", 100)[0]["load"])
        self.assertGreater(load, 0.0)
        for factor, detached in ((0.99, "yes"), (1.01, "no")):
            self.assertEqual(notes_of(output("cor", "--gamma", 100, "--load", load * factor))["detached"], detached)

    def test_heavy_loads_follow_equation_22(self):
        for load in (1e4, 1e7, 1e10):
            row = table("critical", "--load", load)[0]
            self.assertLess(abs(float(row["relative_error"])), 10 * load ** (-5 / 3) + 1e-9, load)

    def test_bad_input_is_refused(self):
        check_refused(self, "critical", {
            "": "one of", "--gamma 0.1 --load 1": "one of", "--gamma 0": "gamma", "--load -1": "load",
            "--gamma 1e-300": "comput", "--load 1e300": "comput", "--model hunt-crossley --load 1e-50": "comput",
        })  # fmt: skip


class Sweep(unittest.TestCase):
    def test_every_figure_has_data(self):
        for figure, curves in ((2, 5), (5, 3), (6, 3), (7, 4), (8, 4), (9, 4), (10, 4), (11, 4)):
            rows = table("sweep", "--figure", figure, "--points", 5)
            self.assertEqual(len(rows), 5 * curves)
        for figure in (7, 9):
            rows = table("sweep", "--figure", figure, "--points", 5, "--gamma-to", 0.05)
            self.assertEqual({float(row["gamma"]) for row in rows[4::5]}, {0.05})
        check_refused(self, "sweep", {"--figure 3": "trajectory", "--figure 12": "--figure", "--points 1": "--points",
                                      "--figure 5 --gamma-to 0.05": "--gamma-to"})  # fmt: skip
        check_refused(self, "trajectory", {"--parts 0": "--parts"})

    def test_closed_forms_are_near_the_integration(self):
        for figure in (9, 10, 11):
            for row in table("sweep", "--figure", figure, "--points", 11):
                if row["load"] in ("0", "0.050000000000000003"):
                    self.assertLess(abs(float(row["e_quadrature"]) - float(row["e"])), 6e-3)


class Curve(unittest.TestCase):
    BALL = ("--material", "glass", "--radius", 0.005, "--dissipation", 1e-6)

    def test_speeds_may_have_units(self):
        rows = table("curve", *self.BALL, "--from", 0.1, "--to", 1, "--points", 3)
        self.assertEqual([round(float(row["speed"]), 12) for row in rows], [0.1, round(0.1**0.5, 12), 1.0])
        for row in rows:
            notes = notes_of(output("cor", *self.BALL, "--speed", row["speed"]))
            for column, note in (("1 - e^2", "1 - e^2"), ("greatest_force", "largest force"),
                                 ("greatest_deformation", "largest deformation"), ("duration", "duration")):
                self.assertAlmostEqual(float(row[column]) / float(notes[note]), 1, places=12)
        # Kuwabara and Kono: 1 - e grows as the fifth root of the speed.
        loss = [1 - float(row["e"]) for row in table("curve", *self.BALL, "--from", 1e-6, "--to", 1e-5, "--points", 2)]
        self.assertAlmostEqual(math.log10(loss[1] / loss[0]), 0.2, delta=2e-3)

    def test_curves_of_dissipation_and_load_match_cor(self):
        for axis, fixed in (("gamma", "load"), ("load", "gamma")):
            rows = table("curve", "--over", axis, f"--{fixed}", 0.02, "--from", 0.01, "--to", 0.05, "--points", 2, "--linear")
            for row in rows:
                cor = table("cor", f"--{axis}", row[axis], f"--{fixed}", 0.02)
                self.assertEqual(row["e"], cor[0]["e"])
                self.assertEqual(row["e_36"], cor[1]["e"])

    def test_bad_input_is_refused(self):
        ball = "--material glass --radius 0.005 --dissipation 1e-6"
        check_refused(self, "curve", {
            "": "--dissipation", f"{ball} --speed 1": "--speed", f"{ball} --over gamma": "dimensionless",
            "--over gamma --gamma 1": "--gamma", "--over mass": "--over", f"{ball} --from 0": "--from",
            f"{ball} --from 2 --to 1": "--from", f"{ball} --points 1": "--points",
        })  # fmt: skip


class Invert(unittest.TestCase):
    BALL = ("--material", "steel", "--radius", "0.01")

    def test_inverse_recovers_the_constants(self):
        """k by Hertz is (4/3) E/(2 (1 - nu^2)) sqrt(r), m is that of the ball."""
        text = output("invert", "--restitution", 0.9, "--speed", 2, *self.BALL)
        notes, rows = notes_of(text), rows_of(text)
        self.assertLess(abs(float(notes["stiffness"]) / (4 / 3 * 210e9 / (2 * 0.91) * 0.1) - 1), 1e-12)
        self.assertLess(abs(float(notes["mass"]) / (4 / 3 * math.pi * 1e-6 * 7850) - 1), 1e-12)
        self.assertEqual([row["law"] for row in rows],
                         ["hertz-linear", "tsuji-tanaka-ishida", "kuwabara-kono", "hunt-crossley"])
        for row in rows:
            recovered = output("cor", "--model", row["law"], *self.BALL, "--dissipation", row["gamma0"], "--speed", 2)
            self.assertLess(abs(float(rows_of(recovered)[0]["e"]) - 0.9), 1e-11)
            self.assertLess(abs(float(notes_of(recovered)["largest force"]) / float(row["greatest_force"]) - 1), 1e-9)
            self.assertLess(abs(float(notes_of(recovered)["duration"]) / float(row["duration"]) - 1), 1e-9)

    def test_two_bodies_act_as_the_reduced_pair(self):
        with_one_mass = notes_of(output("invert", "--restitution", 0.9, *self.BALL))
        with_two_masses = notes_of(output("invert", "--restitution", 0.9, *self.BALL, "--radius-b", "0.01"))
        self.assertLess(abs(float(with_one_mass["mass"]) / float(with_two_masses["mass"]) - 2), 1e-12)
        self.assertLess(abs(float(with_one_mass["stiffness"]) / float(with_two_masses["stiffness"]) - math.sqrt(2)), 1e-12)

    def test_two_measurements_give_the_exponent(self):
        rows = table("invert", "--restitution", 0.9, "--restitution-2", 0.87, "--speed-2", 2, "--mass", 0.1, "--stiffness", 1e9)
        self.assertEqual(len(rows), 6)
        self.assertLess(abs(float(rows[-1]["e_at_speed2"]) - 0.87), 1e-9)
        self.assertTrue(1.5 < float(rows[-1]["beta"]) < 2.5)

    def test_bad_input_is_refused(self):
        ball = "--material steel --radius 0.01"
        check_refused(self, "invert", {
            "--mass 1 --stiffness 1": "--restitution", "--restitution 0.5": "--radius", f"--restitution 1 {ball}": "e = 1",
            "--restitution 0.5 --material jelly --radius 1": "steel", f"--restitution 0.5 {ball} --mass 1": "exclude",
            f"--restitution 0.5 {ball} --restitution-2 0.4": "--speed-2", f"--restitution 0.5 {ball} --restitution-2 0.4 --speed-2 1": "different speeds",
            "--restitution 0.5 --radius -1": "--radius", f"--restitution 0.5 {ball} --speed 0": "--speed",
        })  # fmt: skip


class Program(unittest.TestCase):
    def test_help_and_output_are_complete(self):
        check_program(self, ("cor", "trajectory", "sweep", "invert", "curve", "critical"), "cor", "--gamma", "0.1")


if __name__ == "__main__":
    unittest.main()
