"""scripts/compare.py matches particles by id and finds the largest differences; exit codes."""

import unittest

import made_snapshot
import script_process
from script_test import ScriptTest

import numpy as np

SCRIPT = made_snapshot.SCRIPTS / "compare.py"


class Compare(ScriptTest):
    def setUp(self):
        super().setUp()
        self.a, self.b = self.folder / "a.h5", self.folder / "b.h5"
        self.fields = made_snapshot.made_fields(50)

    def compare(self, changed_fields, *options, **domain):
        """Runs compare.py on the fields and on changed fields, which are written in another order of particles.

        domain: further arguments of made_snapshot.write
        """
        made_snapshot.write(self.a, self.fields, **domain)
        shuffle = np.random.default_rng(2).permutation(len(changed_fields["id"]))
        shuffled = {name: values[shuffle] for name, values in changed_fields.items()}
        made_snapshot.write(self.b, shuffled, **domain)
        return script_process.run(SCRIPT, self.a, self.b, *options)

    def copy_fields(self):
        return {name: values.copy() for name, values in self.fields.items()}

    def line(self, result, field):
        return next(line for line in result.stdout.splitlines() if line.startswith(field + " "))

    def test_order_does_not_matter(self):
        result = self.compare(self.copy_fields(), "--tolerance", "position=0", "velocity=0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("0.000000e+00", self.line(result, "position"))

    def test_largest_difference_is_reported_with_its_id(self):
        changed_fields = self.copy_fields()
        changed_fields["velocity"][3] += [3.0, 0.0, 4.0]
        changed_fields["velocity"][9] += [0.0, 1.0, 0.0]
        result = self.compare(changed_fields)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(self.line(result, "velocity"), r"5\.000000e\+00 m/s +at id 103")

    def test_exit_code_follows_the_tolerance(self):
        changed_fields = self.copy_fields()
        changed_fields["radius"][0] += 1e-6
        self.assertEqual(self.compare(changed_fields, "--tolerance", "radius=1e-7").returncode, 1)
        self.assertEqual(self.compare(changed_fields, "--tolerance", "radius=1e-5").returncode, 0)
        self.assertEqual(self.compare(changed_fields, "--tolerance", "velocity=0").returncode, 0)

    def test_ids_in_only_one_file_are_a_difference(self):
        without_last = {name: values[:-2] for name, values in self.fields.items()}
        result = self.compare(without_last)
        self.assertEqual(result.returncode, 1)
        self.assertIn("50 particles, 2 only here", result.stdout)
        self.assertIn("48 particles, 0 only here", result.stdout)

    def test_nan_is_a_difference(self):
        changed_fields = self.copy_fields()
        changed_fields["position"][4, 1] = np.nan
        result = self.compare(changed_fields, "--tolerance", "position=1")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(self.line(result, "position"), r"inf m +at id 104")

    def test_opposite_quaternion_is_the_same_rotation(self):
        changed_fields = self.copy_fields()
        changed_fields["orientation"] *= -1.0
        self.assertEqual(self.compare(changed_fields, "--tolerance", "orientation=0").returncode, 0)

    def test_position_across_a_periodic_face_is_near(self):
        changed_fields = self.copy_fields()
        changed_fields["position"][:, 0] += 0.1
        comparison = self.compare(changed_fields, "--tolerance", "position=1e-12", periodic=(True, False, False))
        self.assertEqual(comparison.returncode, 0, comparison.stdout)
        self.assertEqual(self.compare(changed_fields, "--tolerance", "position=1e-12").returncode, 1)

    def test_velocity_across_the_face_of_a_sheared_domain_is_that_of_the_image(self):
        # The image above moves at 10/s x 2 cm = 0.2 m/s, and is 5 cm ahead after 0.25 s.
        domain = {"periodic": (True, True, True), "configuration": "[domain]\nshear_rate = 10 1/s\n"}
        self.fields["position"][3] = [0.07, 0.03, 0.02 - 1e-8]
        changed_fields = self.copy_fields()
        changed_fields["position"][3] = [0.02, 0.03, 1e-8]
        changed_fields["velocity"][3] -= [0.2, 0.0, 0.0]
        comparison = self.compare(changed_fields, "--tolerance", "position=3e-8", "velocity=1e-12", **domain)
        self.assertEqual(comparison.returncode, 0, comparison.stdout)
        changed_fields["velocity"][3] += [0.2, 0.0, 0.0]
        self.assertRegex(self.line(self.compare(changed_fields, **domain), "velocity"), r"2\.000000e-01 m/s +at id 103")

    def test_files_without_common_id_are_different(self):
        changed_fields = self.copy_fields()
        changed_fields["id"] += 1000
        self.assertEqual(self.compare(changed_fields).returncode, 1)

    def test_repeated_id_is_a_damaged_file(self):
        changed_fields = self.copy_fields()
        changed_fields["id"][1] = changed_fields["id"][0]
        result = self.compare(changed_fields)
        self.assertEqual(result.returncode, 3)
        self.assertIn("id 100 more than once", result.stderr)

    def test_wrong_tolerances_are_refused(self):
        bad_tolerances = (("mass=1", "not a field"), ("radius=x", "number"), ("radius=-1", "0 or greater"))
        for option, words in bad_tolerances:
            result = self.compare(self.copy_fields(), "--tolerance", option)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
