"""scripts/scree/table.py reads its own tables, tables of killed or active runs, and output of programs."""

import unittest

from script_test import ScriptTest

import numpy as np
import scree.table
from scree.errors import FileError, did_you_mean


class Table(ScriptTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "table.csv"

    def test_written_values_are_read_to_the_last_bit(self):
        columns = {"a": np.array([0.1, np.nan, 1e-300]), "n": np.array([1, 2, 3]), "t": ["x", "y", "z"]}
        scree.table.write(self.path, ["made", "twice"], columns)
        self.assertEqual(self.path.read_text().splitlines()[:3], ["# made", "# twice", "a,n,t"])
        table = scree.table.read(self.path, ("a", "t"))
        for name, values in columns.items():
            np.testing.assert_array_equal(table[name], values)

    def test_truncated_line_is_omitted(self):
        self.path.write_text("step,time\n0,0\n100,0.1\n200,0.")
        np.testing.assert_array_equal(scree.table.read(self.path)["step"], [0, 100])
        np.testing.assert_array_equal(scree.table.read(self.path, is_whole=True)["step"], [0, 100, 200])

    def test_byte_order_mark_of_spreadsheets_is_skipped(self):
        for text in ("step,time\n0,0.5\n", "# a note\nstep,time\n0,0.5\n"):
            self.path.write_text(text, encoding="utf-8-sig")
            self.assertEqual(list(scree.table.read(self.path, numbers=("step", "time"))["step"]), [0.0])

    def test_notes_are_read_and_rows_selected_by_value(self):
        self.path.write_text('# program: Scree\n# made by hand\n# mu: 0.5\nname,x\na,1\n"b, c",2.5\na,nan\n')
        table = scree.table.read(self.path)
        self.assertEqual((table.notes[1], table.parameters), ("made by hand", {"program": "Scree", "mu": "0.5"}))
        self.assertEqual(list(table["name"]), ["a", "b, c", "a"])
        self.assertEqual(list(table.where(name="b, c")["x"]), [2.5])
        self.assertEqual(len(table.where(name="a", x=1.0)["x"]), 1)

    def test_program_is_run_and_its_failure_reported(self):
        program = self.put_program("app", '[ "$1" = good ] || { echo "bad option" >&2; exit 2; }\necho x\necho "$2"')
        self.assertEqual(list(scree.table.printed(program, "good", 3)["x"]), [3.0])
        for command, words in (((program, "else"), "bad option"), ((self.folder, "good"), "--program"),
                               ((self.folder / "none",), "--program"), (("true",), "no table")):  # fmt: skip
            with self.subTest(words), self.assertRaisesRegex(FileError, words):
                scree.table.printed(*command)
        self.assertEqual(list(scree.table.printed("echo", "x,y")), ["x", "y"])  # without rows

    def test_bad_tables_are_refused(self):
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

    def test_mistyped_name_gets_the_nearest_name_or_the_names_with_this_word(self):
        columns = ("time", "kinetic_energy", "wall_drum_torque_x", "wall_drum_torque_y", "joint_screw_speed")
        for name, words in (
            ("kinetic_enrgy", " (did you mean 'kinetic_energy'?)"),
            ("torqe", " (did you mean 'wall_drum_torque_x' or 'wall_drum_torque_y'?)"),
            ("density", ""),
        ):
            self.assertEqual(did_you_mean(name, columns), words)


if __name__ == "__main__":
    unittest.main()
