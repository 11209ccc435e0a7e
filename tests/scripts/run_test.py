"""Tests of scripts/run with fake programs: output directory, number of processes, refused input."""

import os
import shutil
import subprocess
import sys
import unittest

import made_snapshot
from script_test import ScriptTest

PROGRAM = """
import pathlib, sys
words = sys.argv[1:]
options = {words[k]: words[k + 1] for k in range(len(words) - 1)}
scene = pathlib.Path(words[0]).read_text().split()
if "bad" in scene:
    sys.exit("scree-run: a bad scene") if "--print-config" in words else None
if "--print-config" in words:
    overwrite = "yes" if "--overwrite" in words else "no"
    print(f"[time]\\nend = 1 s\\n\\n[output]\\ndirectory = {options.get('--output.directory', scene[0])}\\noverwrite = {overwrite}\\n")
    print("[average.a]\\ninterval = never")
elif "--check" in words:
    print(f"# particles   7 at time zero, at most {scene[1]}\\n# walls       x")
"""


class Run(ScriptTest):
    def setUp(self):
        super().setUp()
        tree = self.folder / "a tree"
        (tree / "scripts").mkdir(parents=True)
        for name in ("run", "lib.sh", "packages.txt"):
            shutil.copy(made_snapshot.SCRIPTS / name, tree / "scripts")
        self.program = self.put_program(tree / "build/release/bin/scree-run", PROGRAM, sys.executable)
        self.put_program(tree / "bin/cmake", f'touch "{self.folder}/configured"')
        self.put_program(tree / "bin/lscpu", 'printf "%s\\n" 0,0 1,0 2,0 3,0')
        self.put_program(tree / "bin/nproc", "echo 8")
        self.put_program(tree / "bin/mpirun", f'printf "%s\\n" "$@" > "{self.folder}/arguments"; exit 0')
        self.environment = {**os.environ, "PATH": f"{tree / 'bin'}:{os.environ['PATH']}", "SCREE_PACKAGES": "own"}
        self.environment.pop("SCREE_RANKS", None)
        self.put_program(tree / "scripts/render.py", "exit 0")
        self.tree = tree

    def run_scene(self, scene, *options, **others):
        """The finished script and the arguments of mpirun.  scene: text of the fake scene, "DIRECTORY PARTICLES" """
        (self.folder / "my scene.ini").write_text(scene)
        process = subprocess.run([self.tree / "scripts/run", "my scene.ini", *options], cwd=self.folder, text=True,
                                 env=self.environment | others, capture_output=True, check=False)  # fmt: skip
        argument_file = self.folder / "arguments"
        return process, argument_file.read_text().splitlines() if argument_file.exists() else []

    def test_output_is_in_the_directory_that_the_scene_names_and_ranks_follow_the_particles(self):
        for particles, ranks in ((300, "1"), (3999, "1"), (4000, "2"), (10**6, "4")):
            process, words = self.run_scene(f"out/mine {particles}")
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual((words[:2], words[3:]), (["-n", ranks], ["my scene.ini"]))
            self.assertIn("snapshots   out/mine/snapshots/", process.stdout)
            self.assertIn(f"{ranks} MPI processes", process.stderr)
        _, words = self.run_scene("out/mine 10", SCREE_RANKS="3")
        self.assertEqual(words[:2], ["-n", "3"])
        _, words = self.run_scene("output 10")  # the default directory
        self.assertEqual(words[-2:], ["--output.directory", str(self.tree / "output/my scene")])
        process, words = self.run_scene("output 10", "--output.directory", "there")
        self.assertEqual(words[-2:], ["--output.directory", "there"])
        self.assertIn("series.csv", process.stdout)

    def test_second_call_is_refused_before_anything_is_built(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/series.csv").write_text("")
        process, words = self.run_scene("out 10")
        self.assertEqual((process.returncode, words), (2, []))
        self.assertIn("--overwrite", process.stderr)
        self.assertFalse((self.folder / "configured").exists())
        process, words = self.run_scene("out 10", "--overwrite")
        self.assertEqual((process.returncode, words[-1]), (0, "--overwrite"))

    def test_program_is_built_before_a_scene_is_refused(self):
        process, words = self.run_scene("bad 10")
        self.assertEqual((process.returncode, words), (1, []))
        self.assertTrue((self.folder / "configured").exists())
        self.assertIn("a bad scene", process.stderr)


if __name__ == "__main__":
    unittest.main()
