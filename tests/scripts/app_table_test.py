"""scripts/scree/app_table.py reads what the small apps print."""

import pathlib
import stat
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy")

from scree.app_table import Table, run_table
from scree.errors import FileError

TEXT = '# program: Scree\n# mu: 0.5\nname,x\na,1\n"b, c",2.5\na,nan\n'


class AppTable(unittest.TestCase):
    def test_columns_and_notes(self):
        table = Table(TEXT)
        self.assertEqual(table.notes, {"program": "Scree", "mu": "0.5"})
        self.assertEqual(list(table["name"]), ["a", "b, c", "a"])
        self.assertEqual(list(table["x"][:2]), [1.0, 2.5])

    def test_rows_by_value(self):
        self.assertEqual(list(Table(TEXT).where(name="b, c")["x"]), [2.5])
        self.assertEqual(len(Table(TEXT).where(name="a", x=1.0)["x"]), 1)

    def test_program_is_run_and_its_failure_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "app"
            program.write_text('#!/bin/sh\n[ "$1" = good ] || { echo "bad option" >&2; exit 2; }\necho x\necho "$2"\n')
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            self.assertEqual(list(run_table(program, "good", 3)["x"]), [3.0])
            with self.assertRaisesRegex(FileError, "bad option"):
                run_table(program, "else")
            with self.assertRaisesRegex(FileError, "--program"):
                run_table(folder, "good")
        with self.assertRaisesRegex(FileError, "--program"):
            run_table(program, "good")

    def test_a_program_that_prints_no_table(self):
        with self.assertRaisesRegex(FileError, "no table"):
            run_table("true")
        self.assertEqual(Table("# a: b\n"), {})
        self.assertEqual(list(Table("x,y\n")), ["x", "y"])


if __name__ == "__main__":
    unittest.main()
