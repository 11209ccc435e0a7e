"""A program whose output meets the end of the disk ends on all ranks, with the right code.

Needs FAILING_WRITER (the program of tests/support) and SCREE_MPIEXEC (mpirun) in the environment.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TIMEOUT = 120  # of a program that takes a tenth of a second [s]
ENVIRONMENT = {**os.environ, "OMPI_MCA_orte_execute_quiet": "1"}


class ExitCodes(unittest.TestCase):
    def test_full_disk_in_the_middle_of_a_file(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "a.h5"
                done = subprocess.run(
                    [os.environ["SCREE_MPIEXEC"], "-n", str(ranks), os.environ["FAILING_WRITER"],
                     str(path)],
                    capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False,
                )  # fmt: skip
                self.assertEqual(done.returncode, 5, done.stderr)
                told = re.findall("^failing_writer: cannot write .*$", done.stderr, re.MULTILINE)
                self.assertEqual(len(told), 1, done.stderr)
                self.assertIn(str(path), told[0])


if __name__ == "__main__":
    unittest.main()
