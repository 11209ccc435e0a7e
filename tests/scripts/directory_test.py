"""Tests of scree.directory: the rows of a series in a time window."""

import unittest

import made_run
from script_test import ScriptTest

import scree.directory


class Rows(ScriptTest):
    """A series with a row every 0.15 s, whose times 0.30000000000000004 and 0.6000000000000001 s have rounding errors."""

    def setUp(self):
        super().setUp()
        rows = [{"step": 15000 * k, "particles": k} for k in range(5)]
        self.run_of_rows = scree.directory.read(made_run.write(self.folder / "run", rows, {}))

    def chosen(self, rows):
        return self.run_of_rows.columns["particles"][rows].tolist()

    def test_window_has_the_rows_of_both_its_ends(self):
        self.assertEqual(self.chosen(self.run_of_rows.is_from(0.3, 0.6)), [2, 3, 4])
        self.assertEqual(self.run_of_rows.rows(0.3, 0.6)["particles"].tolist(), [2, 3, 4])

    def test_rows_after_a_time_do_not_have_the_row_of_that_time(self):
        self.assertEqual(self.chosen(self.run_of_rows.is_after(0.3, 0.6)), [3, 4])
        self.assertEqual(self.chosen(self.run_of_rows.is_after(0.15)), [2, 3, 4])


if __name__ == "__main__":
    unittest.main()
