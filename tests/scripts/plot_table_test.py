"""plot_table.py: logarithmic ticks, means over repetitions and seeds, expressions, missing columns."""

import unittest

from script_test import ScriptTest

import numpy as np
import plot_table
import scree.figure

TABLE = """# law: both
law,speed [mm/s],e
linear,1,0.5
linear,2,0.5
hertz,1,0.6
hertz,2,
"""


class Logarithmic(unittest.TestCase):
    def tick_labels(self, low, high):
        figure, (axes,) = scree.figure.panels(1, 1)
        axes.set_xlim(low, high)
        scree.figure.logarithmic(axes, "x")
        figure.draw_without_rendering()
        texts = [*axes.xaxis.get_ticklabels(which="major"), *axes.xaxis.get_ticklabels(which="minor")]
        scree.figure.plt.close(figure)
        labels = [text.get_text() for text in texts if low <= text.get_position()[0] <= high and text.get_text()]
        self.assertEqual(len(labels), len(set(labels)), labels)
        return set(labels)

    def test_tick_labels_are_short_and_do_not_overlap(self):
        self.assertEqual(self.tick_labels(0.08, 0.4), {"0.1", "0.2"})
        self.assertEqual(self.tick_labels(0.3, 40.0), {"1", "10"})
        # The ticks at 0.012, 0.014 and so on have no label.
        self.assertEqual(self.tick_labels(0.0098, 0.0204), {"0.01", "0.02"})
        self.assertEqual(self.tick_labels(2e-7, 3e-6), {r"$2\cdot 10^{-7}$", r"$5\cdot 10^{-7}$", "$10^{-6}$", r"$2\cdot 10^{-6}$"})


class Plot(ScriptTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "figure.png"

    def write_table(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name


class PlotTable(Plot):
    script = "plot_table.py"
    COLUMNS = ("-x", "speed", "-y", "e")

    def test_repetitions_are_drawn_as_mean_and_band(self):
        texts = ("time,v\n0,0\n1,2\n2,4\n3,6\n", "time,v\n0.5,2\n1.5,4\n2.5,6\n", "time,v\n0,2\n2,6\n9,20\n")
        paths = [self.write_table(f"{number}.csv", text) for number, text in enumerate(texts)]
        ((label, time, mean, error),) = plot_table.mean_curves({path: plot_table.read(path, ["v"]) for path in paths}, "time", "v", None)
        self.assertEqual(label, "")
        np.testing.assert_allclose(time, [1.0, 2.0])  # up to the end of the shortest table
        np.testing.assert_allclose(mean, [9.0 / 3.0, 15.0 / 3.0])  # means of 2, 3, 4 and of 4, 5, 6
        np.testing.assert_allclose(error, 1.0 / np.sqrt(3.0))
        self.assert_runs(*paths, "-x", "time", "-y", "v", "--mean", "--output", self.out)
        self.assert_is_picture(self.out)
        later_path = self.write_table("later.csv", "time,v\n5,1\n6,1\n")
        self.assert_refused(2, ["share no range of 'time'"], paths[0], later_path, "-x", "time", "-y", "v", "--mean",
                            "--output", self.out)

    def test_labels_have_units_that_are_known_and_not_1(self):
        table = plot_table.read(self.write_table("t.csv", "time,strain,stress_zz,speed [mm/s],wall_lid_travel\n0,0,0,0,0\n"), [])
        labels = [plot_table.axis_label(name, table) for name in table]
        self.assertEqual(labels, ["time [s]", "strain", "stress zz [Pa]", "speed [mm/s]", "wall lid travel"])

    def test_rounding_of_times_loses_no_row_of_a_window(self):
        path = self.write_table("series.csv", "time,v\n0.05,1\n0.060000000000000005,2\n0.07,3\n")
        np.testing.assert_array_equal(plot_table.read(path, ["v"], 0.05, 0.06)["v"], [1.0, 2.0])

    def test_expressions_of_columns_are_evaluated_in_a_window(self):
        path = self.write_table("series.csv", "time,force_z,travel\n0,9,9\n0.2,-4,0.25\n0.4,-9,0.5\n")
        stress = "stress [Pa] = -force_z / (1 - travel) ** 2"
        table = plot_table.read(path, ["time", stress], 0.1, 0.5)
        np.testing.assert_allclose(plot_table.numbers(table, stress, path), [4.0 / 0.5625, 36.0])
        np.testing.assert_allclose(plot_table.numbers(table, "sqrt(2) * abs(travel)", path), np.sqrt(2.0) * np.array([0.25, 0.5]))
        np.testing.assert_allclose(plot_table.numbers(table, "-1", path), [-1.0, -1.0])
        self.assertEqual(plot_table.axis_label(stress, table), "stress [Pa]")
        self.assertEqual(plot_table.axis_label("1 - travel", table), "1 - travel")
        words = (path, "-x", "travel", "--output", self.out)
        self.assert_runs(*words, "-y", stress, "--from", "0.1 s")
        self.assert_is_picture(self.out)
        for text, message in (("force_x / 2", "no column 'force_x'"), ("travel +", "is not an expression; expected numbers"),
                              ("= travel", "expected LABEL = EXPRESSION"), ("open(travel)", "'open(travel)' cannot be in"),
                              ("travel.real", "'travel.real' cannot be in"), ("'a' * 3", "cannot be in an expression"),
                              ("travel if 1 else 2", "cannot be in an expression")):  # fmt: skip
            self.assert_refused(2, [message], *words, "-y", text)
        self.assert_refused(2, ["has no row from 1 to inf s; its times are 0 to 0.4 s"], *words, "-y", "travel", "--from", "1 s")
        self.assert_refused(2, ["has no column 'time'"], self.write_table("t.csv", TABLE), "-x", "speed", "-y", "e", "--from", "1 s",
                            "--output", self.out)  # fmt: skip

    def test_each_value_of_a_column_has_a_curve_with_gaps_for_empty_cells(self):
        path = self.write_table("table.csv", TABLE)
        table = plot_table.read(path, ["speed", "e", "law"])
        result = plot_table.curves({str(path): table}, "speed", "e", "law")
        self.assertEqual([label for label, *_ in result], ["linear", "hertz"])
        self.assertEqual([plot_table.axis_label(name, table) for name in ("speed", "e")], ["speed [mm/s]", "e"])
        self.assertEqual(list(result[0][2]), [0.5, 0.5])
        self.assertEqual((result[1][2][0], str(result[1][2][1])), (0.6, "nan"))
        self.assert_runs(path, path, *self.COLUMNS, "--by", "law", "--log", "x", "--output", self.out)
        self.assert_is_picture(self.out)

    def test_runs_that_differ_only_by_the_seed_become_one_point_with_error_bars(self):
        text = "law,load,seed,I,mu\na,2 Pa,1,0.30,0.5\na,2 Pa,2,0.10,0.3\na,1 Pa,1,0.01,0.2\na,1 Pa,2,0.01,0.2\nb,1 Pa,1,1,1\n"
        path = self.write_table("study.csv", text)
        table = plot_table.read(path, ["I", "mu"])
        (_, *first), (_, *other) = plot_table.curves({str(path): table}, "I", "mu", "law")
        np.testing.assert_allclose(first, [[0.01, 0.2], [0.2, 0.4], [0.0, 0.1], [0.0, 0.1]])  # in the order of I
        np.testing.assert_allclose(other, [[1.0], [1.0], [0.0], [0.0]])
        self.assert_runs(path, "-x", "I", "-y", "mu", "--by", "law", "--log", "xy", "--output", self.out)

    def test_missing_columns_are_named(self):
        path, empty = self.write_table("table.csv", TABLE), self.write_table("empty.csv", "")
        for arguments, code, word in (
            ((path, "-x", "time", "-y", "e"), 2, "no column 'time'; it has law, speed, e"),
            ((path, "-x", "speed", "-y", "law"), 2, "column 'law'"),
            ((self.folder / "none.csv", *self.COLUMNS), 3, "none.csv"),
            ((empty, *self.COLUMNS), 3, "no rows"),
        ):
            self.assert_refused(code, [word], *arguments, "--output", self.out)
        self.assert_refused(5, [path.name], path, *self.COLUMNS, "--output", path / "figure.png")


if __name__ == "__main__":
    unittest.main()
