"""scripts/scree/table.py reads what it wrote, and the tables of runs that were killed or go on."""

import unittest

from script_test import ScriptTest

import numpy as np
import scree.table
from scree.errors import FileError


class Table(ScriptTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "table.csv"

    def test_returns_what_was_written_to_the_last_bit(self):
        columns = {"a": np.array([0.1, np.nan, 1e-300]), "n": np.array([1, 2, 3]), "t": ["x", "y", "z"]}
        scree.table.write(self.path, ["made", "twice"], columns)
        self.assertEqual(self.path.read_text().splitlines()[:3], ["# made", "# twice", "a,n,t"])
        read = scree.table.read(self.path, ("a", "t"))
        for name, values in columns.items():
            np.testing.assert_array_equal(read[name], values)

    def test_line_that_was_cut_off_is_left_out(self):
        self.path.write_text("step,time\n0,0\n100,0.1\n200,0.")
        np.testing.assert_array_equal(scree.table.read(self.path)["step"], [0, 100])

    def test_bad_tables(self):
        cases = (
            ("", "no rows"),
            ("a,b\n", "no rows"),
            ("a,b\n1,2\n1\n", "row 2 has 1 values"),
            ("a,b\n1,2\n", "no column 'c'"),
        )
        for text, words in cases:
            self.path.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(FileError, words):
                scree.table.read(self.path, ("c",))
        self.path.write_bytes(b"\xff\xfe\x00")
        with self.assertRaisesRegex(FileError, "table.csv"):
            scree.table.read(self.path)
        self.path.unlink()
        with self.assertRaisesRegex(FileError, "table.csv"):
            scree.table.read(self.path)


if __name__ == "__main__":
    unittest.main()
