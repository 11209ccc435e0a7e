#!/usr/bin/env python3
"""Runs scree-pendulum as a user does: pendulum_test.py PROGRAM"""

import math
import pathlib
import tempfile
import unittest

from small_app import check_program, check_refused, notes_of, output, rows_of, run, table

# {friction: times of the impacts}, published
OBSTACLE = {
    "0": [1.47817536676585, 2.38971682499515, 2.90309373588072, 3.70435768185015, 4.51786436733303, 5.42184799477972],
    "0.15": [1.47817536676585, 2.39249042219417, 3.08699587073957, 3.77899581641069, 4.31208107591758,
             4.73433881001931, 5.09115399193068, 5.40322490074819, 5.65289020286372, 5.85442940867827],
}
# Impulse paths with friction 0.15.
PATHS = ["+-|-", "+|+-", "-+|+", "-|-+", "-|-+", "-+|+", "-+|+", "-+|+", "-|-+", "-|-+"]
# {model: (tolerance, times)}
PAIR = {
    "piecewise": (1e-8, [1.1424458183715558, 3.763188759933992, 6.694251411227819]),
    "linear-damping": (1e-6, [1.1424458183715558, 3.762041005409255, 6.692355287482666]),
    "hunt-crossley": (1e-6, [1.1424458183715558, 3.86330942911113, 6.8641956385877885]),
}


class Obstacle(unittest.TestCase):
    def test_published_impacts_are_reproduced(self):
        for mu, times in OBSTACLE.items():
            rows = table("obstacle", "--friction", mu, "--impacts", "-")
            self.assertEqual(len(rows), len(times))
            for row, time in zip(rows, times):
                self.assertLess(abs(float(row["t"]) - time), 1e-9)
                energy_loss = float(row["energy_before"]) - float(row["energy_after"])
                self.assertEqual(float(row["energy_lost"]), energy_loss)
                self.assertGreater(energy_loss, 0.0)
            if mu == "0.15":
                self.assertEqual([row["path"] for row in rows], PATHS)
            else:
                self.assertEqual({row["mode"] for row in rows}, {"frictionless"})

    def test_energy_balance_closes_and_columns_are_complete(self):
        rows = table("obstacle", "--joint-damping-1", "0.1", "--drive-torque-2", "2", "--drive-frequency-2", "3")
        balance = [float(r["energy"]) + float(r["damped"]) + float(r["rubbed"]) + float(r["struck"]) - float(r["supplied"])
                   for r in rows]
        self.assertLess(max(balance) - min(balance), 1e-9)
        self.assertEqual({row["phase"] for row in rows}, {"flight"})
        self.assertEqual((float(rows[0]["t"]), float(rows[-1]["t"])), (0.0, 6.0))
        self.assertTrue(all(float(row["gap"]) > -1e-12 for row in rows))

    def test_joints_carry_the_weight_at_rest(self):
        rows = table("obstacle", "--angle-1", "0.2", "--angle-2", "-1.2", "--angular-velocity-1", "0", "--angular-velocity-2", "0", "--restitution", "0",
                     "--friction", "3", "--end", "5")
        self.assertEqual(rows[-1]["phase"], "sticking")
        self.assertAlmostEqual(float(rows[-1]["P"]) + float(rows[-1]["F"]), 7.0 * 9.81, places=9)
        self.assertAlmostEqual(float(rows[-1]["R"]), float(rows[-1]["T"]), places=9)

    def test_method_of_the_paper_finds_the_same_impacts(self):
        rows = table("obstacle", "--method", "paper", "--step", "1e-3", "--impacts", "-")
        self.assertEqual([row["path"] for row in rows], PATHS)
        errors = [abs(float(row["t"]) - time) for row, time in zip(rows, OBSTACLE["0.15"])]
        self.assertTrue(1e-9 < max(errors) < 1e-3, errors)

    def test_run_without_contact_is_reported(self):
        process = run("obstacle", "--end", "1")
        self.assertIn("# impacts: 0\n", process.stdout)
        self.assertEqual(len(rows_of(process.stdout)), 101)
        self.assertEqual(table("obstacle", "--end", "1", "--impacts", "-"), [])

    def test_free_pendulum_keeps_its_energy(self):
        """Swings below the position of the obstacle."""
        rows = table("obstacle", "--free", "--end", "5")
        depth = [0.5 * math.cos(float(row["psi1"])) + 0.65 * math.cos(float(row["psi2"])) + 0.05 for row in rows]
        self.assertGreater(max(depth), 1.0)
        energies = [float(row["energy"]) for row in rows]
        self.assertLess(max(energies) - min(energies), 1e-9)
        self.assertTrue(all(row["gap"] == "" and row["phase"] == "flight" for row in rows))

    def test_paths_of_the_impacts_end_at_their_impulses(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "paths.csv"
            impacts = table("obstacle", "--impacts", "-", "--paths", path)
            corners = rows_of(path.read_text())
        self.assertEqual(len({row["impact"] for row in corners}), len(impacts))
        for number, impact in enumerate(impacts, 1):
            path = [row for row in corners if int(row["impact"]) == number]
            self.assertEqual((path[0]["F"], path[-1]["F"], path[-1]["T"]), ("0", impact["F"], impact["T"]))
            self.assertEqual(sum(row["greatest_compression"] == "1" for row in path), 1)

    def test_tables_go_to_the_given_files(self):
        with tempfile.TemporaryDirectory() as folder:
            trajectory, impacts = pathlib.Path(folder) / "t.csv", pathlib.Path(folder) / "i.csv"
            process = run("obstacle", "--output", str(trajectory), "--impacts", str(impacts))
            self.assertEqual((process.returncode, process.stdout), (0, ""))
            self.assertEqual(len(rows_of(impacts.read_text())), 10)
            self.assertGreater(len(rows_of(trajectory.read_text())), 600)
            process = run("obstacle", "--output", str(trajectory), "--impacts", "-")
            self.assertEqual(len(rows_of(process.stdout)), 10)
            process = run("obstacle", "--impacts", str(impacts))
            self.assertGreater(len(rows_of(process.stdout)), 600)

    def test_bad_input_is_refused(self):
        check_refused(self, "obstacle", {
            "--depth 0.5": "D", "--depth 1.2": "D", "--depth -1": "D", "--mass-1 -3": "m1", "--mass-2 0": "m2", "--length-1 0": "l1", "--radius -1": "r",
            "--inertia-1 0": "I1", "--centre 2": "lc", "--joint-damping-1 -1": "c1", "--friction -0.1": "--friction", "--restitution 1.1": "--restitution", "--restitution -0.1": "--restitution", "--end 0": "end",
            "--interval 0": "--interval", "--interval 1e-9": "--interval", "--rest-speed 0": "rest-speed", "--max-impacts 0": "max-impacts",
            "--method euler": "method", "--mass-1 nan": "--mass-1", "--gravity inf": "--gravity", "--mass 3": "--mass: unknown option", "--mu 0.1": "--mu: is now called --friction", "--degrees": "--degrees: is now called --angle-1",
            "--angle-1 0.1 --angle-2 0": "into the obstacle", "--step 1e-3": "--method paper",
            "--method paper --step 10": "--step = 10 must be at most 0.07", "--free --depth 0.9": "--depth has no effect",
            "--free --friction 0.9": "--friction has no effect", "--free --restitution 0.9": "--restitution has no effect",
            "--free --rest-speed 0.9": "--rest-speed has no effect",
            "--impacts a.csv --output ./a.csv": "--impacts and --output both write",
        })  # fmt: skip

    def test_axes_of_forces_are_printed(self):
        """The help says that positive R points right. At rest, to the right of O, R balances the friction of the
        obstacle, which points left.
        """
        self.assertIn("R to the right", run("obstacle", "--help").stdout)

    def test_extreme_damping_is_an_error(self):
        process = run("obstacle", "--joint-damping-1", "1e12")
        self.assertEqual(process.returncode, 4)
        self.assertIn("steps", process.stderr)

    def test_stop_is_reported_and_tables_are_written(self):
        process = run("obstacle", "--max-impacts", "3")
        self.assertEqual(process.returncode, 4)
        self.assertIn("more than 3 impacts", process.stderr)
        self.assertIn("# stopped: more than 3 impacts", process.stdout)
        self.assertGreater(len(rows_of(process.stdout)), 100)


class Pair(unittest.TestCase):
    def test_published_impacts_are_reproduced(self):
        for model, (tolerance, times) in PAIR.items():
            rows = table("pair", "--model", model, "--impacts", "-")
            self.assertEqual(len(rows), 3)
            for row, time in zip(rows, times):
                self.assertLess(abs(float(row["t"]) - time), tolerance)

    def test_force_of_the_contacts_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "force.csv"
            rows = table("pair", "--model", "hunt-crossley", "--impacts", "-", "--forces", str(path))
            samples = rows_of(path.read_text())
            self.assertEqual({row["impact"] for row in samples}, {"1", "2", "3"})
            largest = max(float(row["force"]) for row in samples)
            self.assertEqual(largest, float(rows[0]["greatest_force"]))

    def test_bad_input_is_refused(self):
        check_refused(self, "pair", {
            "--model rigid": "model", "--k 1e8": "--k: is now called --stiffness", "--e 0.5": "--restitution", "--length-1 5": "L1", "--mass-1 -1": "m1", "--distance 0": "a", "--restitution 1.5": "--restitution", "--restitution -1": "--restitution",
            "--angle-2 1.2": "theta2", "--end -1": "end", "--interval 0": "--interval", "--forces x.csv": "--forces",
            "--stiffness 1e6": "--stiffness has no effect", "--radius 0.01": "--radius has no effect", "--damping-formula fit": "--damping-formula",
            "--model hunt-crossley --paths x": "--paths has no effect", "--model linear-damping --stiffness 0": "k",
            "--model linear-damping --exponent 3": "n", "--model linear-damping --restitution 0": "e",
            "--model linear-damping --damping-formula flores": "--damping-formula", "--model hunt-crossley --radius 0.01 --stiffness 1e8": "--stiffness and --radius",
            "--model hunt-crossley --material glass": "--radius", "--model hunt-crossley --material glas --radius 0.01": "glas",
            "--model hunt-crossley --radius 0.01 --exponent 1.2": "3/2", "--model hunt-crossley --radius -1": "--radius",
        })  # fmt: skip

    def test_extreme_stiffness_is_not_an_internal_error(self):
        for model in ("linear-damping", "hunt-crossley"):
            process = run("pair", "--stiffness", "1e24", "--model", model)
            self.assertEqual(process.returncode, 4, process.stderr)
            self.assertNotIn("internal", process.stderr)

    def test_materials_give_the_stiffness(self):
        """A glass tip with a radius of 1 cm on steel: Hertz' stiffness."""
        stiffness = 4 / 3 / ((1 - 0.22**2) / 65e9 + (1 - 0.30**2) / 210e9) * 0.01**0.5
        for model in ("linear-damping", "hunt-crossley"):
            text = output("pair", "--model", model, "--material", "glass", "--material-b", "steel", "--radius", "0.01",
                          "--end", "1.2", "--impacts", "-")
            self.assertLess(abs(float(notes_of(text)["k"]) / stiffness - 1), 1e-12)
            expected = table("pair", "--model", model, "--stiffness", repr(stiffness), "--end", "1.2", "--impacts", "-")[0]
            self.assertLess(abs(float(rows_of(text)[0]["greatest_force"]) / float(expected["greatest_force"]) - 1), 1e-9)

    def test_friction_stays_in_its_cone(self):
        rows = table("pair", "--friction", "0.3", "--impacts", "-")
        for row in rows:
            self.assertLessEqual(abs(float(row["friction_impulse"])), 0.3 * float(row["impulse"]) * (1 + 1e-12))
            self.assertLess(float(row["energy_after"]), float(row["energy_before"]))
        self.assertGreater(max(abs(float(row["friction_impulse"])) for row in rows), 1e-3)
        frictionless = table("pair", "--impacts", "-")[0]
        self.assertEqual(rows[0]["t"], frictionless["t"])
        self.assertEqual(float(frictionless["friction_impulse"]), 0.0)
        total = [float(row["energy"]) + float(row["rubbed"]) + float(row["struck"])
                 for row in table("pair", "--friction", "0.3", "--end", "20", "--restitution", "0.1")]
        self.assertLess(max(total) - min(total), 1e-9)

    def test_impulse_paths_end_at_the_impulses(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "paths.csv"
            impacts = table("pair", "--friction", "0.3", "--impacts", "-", "--paths", path)
            corners = rows_of(path.read_text())
        for number, impact in enumerate(impacts, 1):
            last_corner = [row for row in corners if int(row["impact"]) == number][-1]
            self.assertEqual((last_corner["F"], last_corner["T"]), (impact["impulse"], impact["friction_impulse"]))

    def test_every_damping_formula_gives_its_restitution(self):
        """For e = 0.3 the exact factor gives 0.3, Hunt and Crossley's (13) gives 0.58; see scree-damping table."""
        for damping, e in (("exact", 0.3), ("hunt-crossley", 0.58128804), ("lankarani-nikravesh", 0.6842246),
                           ("hu-guo", 0.27065845), ("flores", 0.2562079)):
            row = table("pair", "--model", "hunt-crossley", "--damping-formula", damping, "--end", "2", "--impacts", "-")[0]
            self.assertLess(abs(float(row["restitution"]) - e), 3e-4, damping)
        exact, fit = (float(table("pair", "--model", "linear-damping", "--damping-formula", damping, "--end", "2", "--impacts",
                                  "-")[0]["restitution"]) for damping in ("exact", "fit"))
        self.assertLess(abs(exact - 0.3), abs(fit - 0.3))

    def test_angles_may_be_in_degrees(self):
        rows = table("pair", "--angle-1", "15 deg", "--angle-2", "-90 deg", "--impacts", "-")
        self.assertAlmostEqual(float(rows[0]["t"]), PAIR["piecewise"][1][0], places=9)
        rows = table("obstacle", "--angle-1", "140 deg", "--angle-2", "-90 deg", "--impacts", "-")
        self.assertAlmostEqual(float(rows[0]["t"]), OBSTACLE["0.15"][0], places=9)

    def test_rod_over_a_pivot_stops_the_run_with_the_reason(self):
        for model in PAIR:
            process = run("pair", "--model", model, "--angular-velocity-1", "8")
            self.assertEqual(process.returncode, 4)
            self.assertIn("pivot", process.stderr)
            self.assertGreater(len(rows_of(process.stdout)), 10)


class Impact(unittest.TestCase):
    HEADER = "alpha,epsilon,gamma,s,c,mu,k\n"

    def test_one_problem_is_solved(self):
        row = table("impact", "--inverse-mass-tt", "3", "--inverse-mass-tn", "0", "--inverse-mass-nn", "1", "--sliding-velocity", "0.6", "--closing-velocity", "-1", "--friction", "0.4",
                    "--restitution", "0.5")[0]
        self.assertEqual((row["mode"], row["path"]), ("stick_in_compression", "+K|K"))
        self.assertAlmostEqual(float(row["F"]), 1.5, places=14)
        self.assertAlmostEqual(float(row["T"]), -0.2, places=14)

    def run_file(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "problems.csv"
            path.write_text(text)
            return run("impact", "--input", str(path), *arguments)

    def test_file_of_problems_is_solved(self):
        process = self.run_file(self.HEADER + "3,0,1,2,-1,0.1,0.5\n1,0.5,1,0,-1,0.5,0.5\n1,0,1,0,1,0.5,0.5\n")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual([row["mode"] for row in rows_of(process.stdout)], ["slip", "stick_from_start", "separating"])
        corners = rows_of(self.run_file(self.HEADER + "1,-0.5,1,0.2,-1,0.2,0.5\n", "--table", "corners").stdout)
        self.assertEqual([row["slip"] for row in corners], ["1", "1", "-1", "-1"])
        self.assertEqual([row["greatest_compression"] for row in corners], ["0", "0", "1", "0"])

    def test_bad_problems_are_refused(self):
        for bad, reason in (("1,1,1,1,-1,.2,.5", "epsilon"), ("0,0,1,1,-1,.2,.5", "alpha"), ("1,0,1,1,-1,-1,.5", "mu"),
                            ("1,0,1,1,-1,.2,2", "restitution"), ("1,0,1,1,-1,.2", "7 numbers"), ("1,0,1,1,nan,.2,0", "finite")):
            process = self.run_file(self.HEADER + bad + "\n")
            self.assertEqual(process.returncode, 2, bad)
            self.assertIn("problems.csv:2", process.stderr)
            self.assertIn(reason, process.stderr)
        check_refused(self, "impact", {"--friction -1": "mu", "--table rows": "--table", "--input missing.csv --friction 1": "not both"})
        self.assertEqual(run("impact", "--input", "missing.csv").returncode, 3)


class Program(unittest.TestCase):
    def test_help_and_output_are_complete(self):
        check_program(self, ("obstacle", "pair", "impact"), "pair", "--end", "1")
        self.assertEqual(run("obstacle", "--impacts", "/dev/null/x.csv").returncode, 5)


if __name__ == "__main__":
    unittest.main()
