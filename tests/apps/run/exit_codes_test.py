"""A program whose output fills the disk ends on all ranks with the right exit code.

Needs FAILING_WRITER (the program of tests/support), SCREE_MPIEXEC (mpirun) and SCREE_RUN (scree-run, with the other
programs in its folder) in the environment.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TIMEOUT = 120  # [s]; a program takes a tenth of a second
SCENE = """
[domain]
lower = 0 0 0
upper = 5 5 5 mm
[time]
step = 50 us
end = 100 us
[fill]
lower = 0 0 0
upper = 5 5 5 mm
spacing = 2 mm
radius = 0.5 mm
[output]
directory = {folder}/out
"""
ENVIRONMENT = {**os.environ, "OMPI_MCA_orte_execute_quiet": "1"}


class ExitCodes(unittest.TestCase):
    def test_full_disk_in_the_middle_of_a_file_gives_exit_code_5(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "a.h5"
                process = subprocess.run(
                    [os.environ["SCREE_MPIEXEC"], "-n", str(ranks), os.environ["FAILING_WRITER"],
                     str(path)],
                    capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False,
                )  # fmt: skip
                self.assertEqual(process.returncode, 5, process.stderr)
                message = re.findall("^failing_writer: cannot write .*$", process.stderr, re.MULTILINE)
                self.assertEqual(len(message), 1, process.stderr)
                self.assertIn(str(path), message[0])

    def test_full_standard_output_gives_exit_code_5(self):
        programs = pathlib.Path(os.environ["SCREE_RUN"]).parent
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "a.ini"
            scene.write_text(SCENE.format(folder=folder))
            subprocess.run([programs / "scree-run", scene, "--quiet"], check=True, timeout=TIMEOUT, env=ENVIRONMENT)
            calls = [("run", "--help"), ("run", "--version"), ("run", "--self-test"), ("run", "--list-keys"),
                     ("run", scene, "--print-config"), ("run", scene, "--check"),
                     ("run", scene, "--output.overwrite", "yes"), ("info", f"{folder}/out"),
                     ("info", "--help"), ("info", "--version"), ("bench", "--help"), ("bench", "--generate", "100"),
                     ("contact", "solve", "--help"),
                     ("restitution", "curve", "--help")]  # fmt: skip
            small = ("contact", "damping", "restitution", "pendulum", "integrators")
            calls += [(name, option) for name in small for option in ("--help", "--version")]
            for name, *arguments in calls:
                with self.subTest(name, arguments=arguments), open("/dev/full", "w") as full:
                    command = [programs / f"scree-{name}", *map(str, arguments)]
                    process = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT,
                                             env=ENVIRONMENT, check=False)  # fmt: skip
                    self.assertEqual(process.returncode, 5, process.stderr)
                    self.assertIn(f"scree-{name}: standard output cannot be written (No space left", process.stderr)
            two_ranks = [os.environ["SCREE_MPIEXEC"], "-n", "2", "sh", "-c", f"{programs}/scree-run --self-test > /dev/full"]
            process = subprocess.run(two_ranks, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, env=ENVIRONMENT, check=False)
            self.assertEqual(process.returncode, 5, process.stderr)


if __name__ == "__main__":
    unittest.main()
