"""python -m scree.examples: lists the shipped scenes, copies one with its files, runs one.

Needs the path of scree-run in SCREE_RUN.
"""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import unittest
from unittest import mock

import made_snapshot
from script_test import ScriptTest

import scree
import scree.examples

SCENES = made_snapshot.SCRIPTS.parent / "apps" / "scenes"
RUN = os.environ["SCREE_RUN"]


def run_command(*words, folder=None):
    """Runs the command in a folder; returns the finished process."""
    return subprocess.run([sys.executable, "-m", "scree.examples", *map(str, words)], capture_output=True, text=True, cwd=folder,
                          env=os.environ | {"PYTHONPATH": str(made_snapshot.SCRIPTS)})  # fmt: skip


def call(*words):
    """(exit code, stdout, stderr) of the command in this process, which has already imported the packages."""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
        code = scree.examples.main(list(map(str, words)))
    return code, output.getvalue(), errors.getvalue()


class Examples(ScriptTest):
    def test_every_scene_is_listed_in_one_line(self):
        code, text, _ = call()
        self.assertEqual(code, 0)
        expected = [*SCENES.glob("*.ini"), *SCENES.glob("benchmark/*.ini")]
        lines = text.splitlines()
        self.assertEqual(sorted(line.split()[0] for line in lines),
                         sorted(str(file.relative_to(SCENES).with_suffix("")) for file in expected))  # fmt: skip
        for line in lines:
            self.assertRegex(line, r"^\S+ +[A-Z].{20}")
            self.assertLessEqual(len(line), 120)
        self.assertEqual(call("list"), call())

    def test_copy_contains_all_files_that_a_scene_names(self):
        for name in scree.examples.names():
            text = scree.examples.path(name).read_text()
            named_files = re.findall(r"^(?:file|motion)\s*=\s*(\S+\.\w+)$", text, re.M)
            self.assertLessEqual(set(named_files), {str(file) for file in scree.examples.files(name)}, name)

    def test_copied_scene_runs(self):
        for name in ("hopper_pebbles", "press", "blocks_arch", "rotary_valve"):
            code, printed, _ = call("copy", name, self.folder / name)
            self.assertEqual((code, printed.strip()), (0, str(self.folder / name / f"{name}.ini")))
            process = subprocess.run([RUN, self.folder / name / f"{name}.ini", "--check"], capture_output=True, text=True, cwd="/")
            self.assertEqual(process.returncode, 0, process.stderr)
        self.assertTrue((self.folder / "hopper_pebbles/shapes/pebble.csv").is_file())

    def test_changed_files_are_kept(self):
        scene = scree.examples.copy("hopper", self.folder)
        self.assertEqual(scree.examples.copy("hopper", self.folder), scene)
        scene.write_text("[domain]\n")
        (self.folder / "hopper_funnel.stl").unlink()
        code, _, words = call("copy", "hopper", self.folder)
        self.assertEqual(code, 2)
        self.assertIn(f"'{scene}' differs from the shipped file; choose another folder", words)
        self.assertEqual((scene.read_text(), len(list(self.folder.iterdir()))), ("[domain]\n", 1))

    def test_run_writes_scene_results_and_picture(self):
        process = run_command("run", "hopper", "mine", "--time.end", "2 ms", "--output.every", "2 ms", folder=self.folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(re.findall(r"^(?:scene|results|picture) +(\S+)$", process.stdout, re.M),
                         ["mine/hopper.ini", "mine/output", "mine/output/last.png"])  # fmt: skip
        self.assert_is_picture(self.folder / "mine/output/last.png")
        self.assertEqual(scree.open(self.folder / "mine/output").frames[-1].time, 0.002)
        code, _, _ = call("run", "hopper", self.folder / "mine")  # which has output already
        self.assertEqual(code, 2)

    def test_output_directory_is_accepted_in_both_forms(self):
        for form in (["--output.directory=there"], ["--output.directory", "there"]):
            process = run_command("run", "bouncing_sphere", "mine", "--time.end=1 ms", *form, "--output.overwrite=yes",
                            folder=self.folder)  # fmt: skip
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertIn("results   there\n", process.stdout)
            self.assertTrue((self.folder / "there/series.csv").is_file())
            self.assertFalse((self.folder / "mine/output").exists())

    def test_impossible_requests_are_refused(self):
        for words, code, text in (
            (("copy", "hoper"), 2, "there is no scene 'hoper' (did you mean 'hopper'?); expected one of ballast_box,"),
            (("run", "hopper", self.folder, "--ranks", "0"), 2, "ranks = 0 must be a whole number from 1"),
            (("copy", "hopper", "/dev/null/x"), 5, "cannot be written"),
        ):
            result = call(*words)
            self.assertEqual(result[0], code, result)
            self.assertIn(text, result[2])
        with mock.patch.object(scree.examples, "PLACES", ("nowhere",)):
            self.assertEqual(call()[0], 3)
        for words in (("copy", "hopper", "--no"), ("walk", "hopper")):
            with self.assertRaises(SystemExit) as end:
                call(*words)
            self.assertEqual(end.exception.code, 2)
        self.assertEqual(list(pathlib.Path(self.folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
