"""Base of the tests of scripts: a folder, running a script, expected errors."""

import pathlib
import sys
import tempfile
import unittest

import made_snapshot
import script_process


def skipped_unless(condition, message):
    """Decorates tests with a requirement; prints the reason if they are skipped, because ctest does not show it."""
    if not condition:
        print(f"skipped: {message}", file=sys.stderr)
    return unittest.skipUnless(condition, message)


def new_folder(add_cleanup):
    """An empty folder, which the cleanup of a test or class of tests removes."""
    holder = tempfile.TemporaryDirectory()
    add_cleanup(holder.cleanup)
    return pathlib.Path(holder.name)


class ScriptTest(unittest.TestCase):
    """A test of one script, `script`, in an empty folder, `folder`."""

    script = None

    def setUp(self):
        self.folder = new_folder(self.addCleanup)

    def put_program(self, name, text, interpreter="/bin/sh"):
        """Writes a program of this name and text into the folder; returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{interpreter}\n{text}\n")
        path.chmod(0o755)
        return path

    def run_script(self, *arguments):
        """Runs the script and returns the finished process."""
        return script_process.run(made_snapshot.SCRIPTS / self.script, *arguments)

    def assert_runs(self, *arguments):
        process = self.run_script(*arguments)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return process

    def assert_warns(self, words, *arguments):
        """The script succeeds and prints these words."""
        process = self.run_script(*arguments)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn(words, process.stderr)
        return process

    def assert_refused(self, code, words, *arguments):
        """The script ends with this exit code and a message that contains the words, [str]."""
        process = self.run_script(*arguments)
        self.assertEqual(process.returncode, code, process.stderr)
        self.assertNotIn("Traceback", process.stderr)
        for word in words:
            self.assertIn(word, process.stderr)

    def assert_is_picture(self, path):
        self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
