"""Tests of scripts/report.py: the self-contained page, its numbers, the column with those of a paper, bad input."""

import base64
import contextlib
import html.parser
import io
import re
import subprocess
import sys
import types
import unittest
from unittest import mock

import made_run
import made_snapshot
from script_test import ScriptTest, new_folder

import numpy as np
import scree.configuration
import scree.directory
import scree.key_figures
import scree.table
from scree.errors import UsageError
import matplotlib.image
import report
from _report import glance, origin, paper, tables
from _report.part import NotApplicable, gather, labels

MAX_SIZE = 3e6  # largest size of a page [bytes]


class Page(html.parser.HTMLParser):
    """Parses a page and collects its tables, pictures, references and text."""

    def __init__(self, path):
        super().__init__()
        self.tables, self.pictures, self.references = [], [], []
        self.in_cell = False
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.references += [attributes[key] for key in ("src", "href") if key in attributes]
        if tag == "img":
            kind, _, data = attributes["src"].partition(";base64,")
            data = base64.b64decode(data)
            is_drawing = kind == "data:image/svg+xml"
            self.pictures.append(data if is_drawing else matplotlib.image.imread(io.BytesIO(data)))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.in_cell:
            self.tables[-1][-1][-1] += data.strip()

    def row(self, table, title):
        return next(row for row in self.tables[table] if row[0].startswith(title))


class Report(ScriptTest):
    script = "report.py"

    @classmethod
    def setUpClass(cls):
        """The page of two runs, which most tests check."""
        folder = new_folder(cls.addClassCleanup)
        names = {"seed1": 1, "<b>&run": 2}
        cls.runs = [made_run.steady(folder / name, seed=seed) for name, seed in names.items()]
        cls.path = folder / "page.html"
        command = [sys.executable, made_snapshot.SCRIPTS / cls.script, *cls.runs]
        options = ["--from", "10", "ms", "--output", cls.path]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
        cls.page = Page(cls.path)

    def table(self, first):
        """The number of the page's table whose second row begins with this word."""
        starts = [table[1][0].startswith(first) for table in self.page.tables]
        return starts.index(True)

    def test_page_is_self_contained(self):
        page = self.page
        self.assertTrue(all(link.startswith(("data:image/", "#")) for link in page.references))
        self.assertLess(len(page.text.encode()), MAX_SIZE)
        # A frame, maps and contacts of each run; the distribution functions and the series of both.
        self.assertEqual(len(page.pictures), 2 * 3 + 2)
        for picture in page.pictures:
            if isinstance(picture, bytes):
                self.assertGreater(picture.count(b"<path"), 10)
            else:
                self.assertGreater(picture[:, :, :3].std(), 0.05)  # not blank
        self.assertIn("Scree 0.1.0 (abc), 2 ranks", page.text)

    def test_contents_lead_to_every_section(self):
        links = re.findall(r'<a href="#([^"]+)">', self.page.text)
        anchors = re.findall(r'<h2 id="([^"]+)">', self.page.text)
        self.assertEqual(links, anchors)
        self.assertIn("key-figures", links)
        self.assertEqual(len(set(anchors)), len(anchors))

    def test_missing_sections_have_a_reason(self):
        omitted = self.page.text.partition("What is left out")[2]
        for words in ("Force chains: the run did not record its contacts", "Loads of the walls",
                      "Paths of the particles: there are 3000 particles"):
            self.assertIn(words, self.page.text)
        self.assertNotIn("failed", omitted)

    def test_failing_section_does_not_prevent_the_page(self):
        part = gather(self.runs[0], "run", -np.inf, np.inf)

        def broken(parts, window):
            raise ZeroDivisionError("nothing to divide by")

        sections = (("Broken", broken), ("Key figures", tables.key_figures))
        with mock.patch.object(report, "SECTIONS", sections), contextlib.redirect_stderr(io.StringIO()) as printed:
            page = report.report([part], "always")
        self.assertIn("'Broken' could not be made", printed.getvalue())
        self.assertIn("Broken: nothing to divide by", page)
        self.assertIn("contacts per particle", page)

    def test_summary_has_a_verdict_for_each_check(self):
        def verdicts(**changes):
            part = gather(self.runs[0], "run", -np.inf, np.inf)
            part.run.columns.update(changes)
            if "end" in changes:
                part.run.scene["time"]["end"] = changes["end"]
            return {outcome.word: text for outcome, text in glance.glance([part])}

        count = len(gather(self.runs[0], "run", -np.inf, np.inf).run.columns["time"])
        at_rest = {"particles": np.full(count, 3000.0)}
        self.assertIn("particles kept", verdicts(**at_rest))
        losing = np.full(count, 3000.0)
        losing[-1] = 2999.0
        self.assertIn("1 appeared or vanished", verdicts(particles=losing)["particles lost"])
        self.assertIn("complete", verdicts(end="0.063 s"))
        self.assertIn("0.063 of 1 s", verdicts(end="1 s")["not at its end"])
        self.assertIn("energy off", verdicts(energy_imbalance=np.ones(count), energy_forces=np.ones(count)))
        self.assertIn("energy kept", verdicts(energy_imbalance=1e-12 * np.ones(count), energy_forces=np.ones(count)))
        self.assertIn("not always converged", verdicts(converged=np.arange(count) % 2 * 1.0))
        failed = self.runs[0] / "failed.h5"
        failed.touch()
        self.addCleanup(failed.unlink)
        self.assertIn("became invalid", verdicts(end="1 s"))
        self.assertNotIn("particles kept", verdicts(**at_rest))

    def test_key_figures_are_side_by_side(self):
        page = self.page
        self.assertEqual(page.tables[0][0], ["quantity", "unit", "seed1", "<b>&run"])
        self.assertEqual(page.row(0, "closed contacts")[2:], ["4000", "4000"])
        self.assertEqual(page.row(0, "largest penetration")[1:], ["µm", "10", "10"])
        self.assertIn("from 0.01 s to the end", page.text)

    def test_mass_flows_of_either_run_are_key_figures(self):
        parts = [gather(self.runs[0], label, -np.inf, np.inf) for label in ("a", "b")]
        parts[1].figures["mass flow, gate"] = scree.key_figures.KeyFigure("mass flow, gate", "kg/s", 2.0, 0.1, 9)
        table = tables.key_figures(parts, "always")[0]
        self.assertRegex(re.sub("<[^>]+>", " ", table), r"mass flow, gate +kg/s +2.00 ± 0.10")

    def test_numbers_are_next_to_the_page(self):
        table = scree.table.read(self.path.with_suffix(".csv"))
        self.assertEqual(set(table["run"]), {"seed1", "<b>&run"})
        is_chosen = (table["run"] == "seed1") & (table["quantity"] == "contacts per particle")
        rows = scree.table.read(self.runs[0] / "series.csv")
        expected = rows["touching_per_particle"][rows["time"] > 0.0095].mean()
        np.testing.assert_allclose(table["value"][is_chosen], expected)

    def test_configurations_are_compared(self):
        table = next(table for table in self.page.tables if table[0][0] == "key")
        self.assertEqual(table[1:], [["scene.seed", "1", "2"]])

    def test_constant_and_repeated_columns_are_not_drawn(self):
        time = np.array([0.0, 1.0])
        for runs, drawn in (
            ([{"particles": 0.0 * time, "residual_rms": time}], ["residual_rms"]),
            ([{"kinetic_energy": time, "energy_kinetic": time, "energy_walls": time}], ["energy_walls", "kinetic_energy"]),
            ([{"particles": time, "energy_walls": np.nan * time}], ["particles"]),
            ([{"particles": time, "energy_walls": np.nan * time}, {"energy_walls": time}],
             ["particles", "energy_walls"]),
            # Rounding errors relative to the other energies, to the maximum speed and to the mean.
            ([{"kinetic_energy": time, "energy_imbalance": 1e-19 * time}], ["kinetic_energy"]),
            ([{"max_speed": 1.0 + time, "mean_velocity_x": 1e-18 * time, "particles": time}], ["particles"]),
            ([{"max_speed": 1.0 + time, "mean_velocity_x": 0.5 + 1e-16 * time, "particles": time}], ["particles"]),
        ):  # fmt: skip
            runs = [types.SimpleNamespace(columns={"time": time, **columns}) for columns in runs]
            self.assertEqual([column for column, *_ in tables.series_columns(runs)], drawn)

    def test_travels_of_free_walls_have_the_unit_of_their_motion(self):
        def run_of(motion):
            scene = scree.configuration.parsed(f"[wall.gate]\nfree = {motion}\n")
            return types.SimpleNamespace(columns={"time": np.arange(5.0), "wall_gate_travel": np.arange(5.0)}, scene=scene)

        for motions, label in ((["along"], "travel of gate $s$ [m]"), (["about"], "travel of gate $s$ [rad]"),
                               (["along", "about"], "travel of gate $s$ [m; rad]")):  # fmt: skip
            columns = tables.series_columns([run_of(motion) for motion in motions])
            self.assertEqual(columns, [("wall_gate_travel", label)])

    def test_cell_has_the_times_and_strains_of_its_stages(self):
        # 1 kPa along all axes until 30 ms, reached at 20 ms. Then constant stress along x and y while z gets shorter.
        target, no_target = np.full(5, 1000.0), np.full(5, np.nan)
        columns = {
            "time": np.array([0.01, 0.02, 0.03, 0.04, 0.05]), "stress_xx": np.array([1.0, 1100.0, 1000.0, 990.0, 1000.0]),
            "stress_yy": target, "stress_zz": np.array([1.0, 900.0, 1000.0, 2000.0, 1500.0]), "shear_stress": np.zeros(5),
            "target_xx": target, "target_yy": target, "target_zz": np.array([*target[:3], np.nan, np.nan]),
            "target_shear_stress": no_target, "shear_rate": np.zeros(5), "shear_strain": np.zeros(5),
            "solid_fraction": np.array([0.3, 0.6, 0.6, 0.59, 0.58]), "coordination": np.array([0.0, 4.0, 4.0, 3.5, 3.5]),
            "cell_length_x": np.array([20e-3, 10e-3, 10e-3, 10.5e-3, 11e-3]), "cell_length_y": np.full(5, 10e-3),
            "cell_length_z": np.array([20e-3, 10e-3, 10e-3, 9e-3, 8e-3]),
        }  # fmt: skip
        volume = np.prod([columns[f"cell_length_{axis}"] for axis in "xyz"], axis=0)
        columns["strain"] = -np.log(volume / volume[0])
        rows = {label: row for label, *row in tables._rows_of_cell(types.SimpleNamespace(figures={}), columns)}
        self.assertEqual(rows["stress zz [Pa]"][::2], ["", ""])  # neither a target nor a deviation
        self.assertIn("1750", rows["stress zz [Pa]"][1])
        self.assertEqual((rows["stress xx [Pa]"][0], rows["stress xx [Pa]"][2]), ("1000", "1 %"))
        self.assertEqual(float(rows["strain of the volume from 0.03 s to the end"][1]), round(-np.log(0.88), 4))
        strains = [float(text) for text in rows["strains along x, y, z from 0.03 s to the end"][1].split(", ")]
        np.testing.assert_allclose(strains, [-np.log(1.1), 0.0, -np.log(0.8)], atol=1e-4)
        # Deviations count from the row at which 1 kPa is reached.
        self.assertEqual(tables._target_texts(columns["stress_xx"], target), ("1000", "10 %"))
        self.assertEqual(tables._target_texts(np.full(5, 1.0), target), ("1000", "not reached"))

    def test_averages_over_time_are_curves(self):
        columns = {"time_from": np.arange(4.0), "time_to": np.arange(4.0) + 1.0, "mass_flow": np.array([0.0, 1.0, 2.0, 2.0])}
        axes = tables._figure_over_time(columns).axes
        np.testing.assert_array_equal(axes[0].lines[0].get_xdata(), [0.5, 1.5, 2.5, 3.5])
        np.testing.assert_array_equal(axes[0].lines[0].get_ydata(), columns["mass_flow"])
        position = {"i": np.zeros(4), "j": np.zeros(4), "k": np.zeros(4), "solid_fraction": np.full(4, 0.5), "samples": np.ones(4)}
        del columns["mass_flow"]
        self.assertEqual(len(tables._figure_over_time(columns | position).axes), 1)
        two_cells = columns | position | {"i": np.array([0.0, 1.0, 0.0, 1.0]), "time_from": np.array([0.0, 0.0, 1.0, 1.0])}
        self.assertIsNone(tables._figure_over_time(two_cells))
        np.testing.assert_array_equal(tables._last_interval(two_cells)["i"], [0.0, 1.0])

    def test_incomplete_last_interval_of_an_average_is_not_shown(self):
        run = self.folder / "with_averages"
        made_run.steady(run)
        (run / "averages").mkdir()
        (run / "averages" / "probe.csv").write_text("time_from,time_to,i\n0,0.009,0\n0.01,0.019,1\n0.02,0.02,2\n")
        shown = tables._averages(types.SimpleNamespace(run=scree.directory.read(run)))["probe"]
        np.testing.assert_array_equal(tables._last_interval(shown)["i"], [1.0])

    def test_averages_by_kind_have_a_picture_for_each_kind_with_samples(self):
        run = made_run.steady(self.folder / "by_shape")
        (run / "averages").mkdir()
        header = "shape,i,j,k,x,y,z,samples,velocity_norm,solid_fraction"
        rows = [f"{shape},0,0,{k},0.5,0.5,{0.5 + k},{samples},0.1,{samples / 20}"
                for shape, samples in (("sphere", 4), ("rod", 2), ("cube", 0)) for k in range(3)]  # fmt: skip
        (run / "averages" / "profile.csv").write_text("\n".join([header, *rows, ""]))
        section = "".join(tables.averages([gather(run, "", 0.0, np.inf)], ""))
        captions = re.findall(r"<figcaption>profile(, \w+)?: averages/profile.csv", section)
        self.assertEqual(captions, [", sphere", ", rod"])

    def test_missing_averages_give_a_reason_instead_of_a_section(self):
        (self.folder / "averages").mkdir()
        for text, reason in (("[average.profile]\nfrom = 1 s\n", "the run writes them at its end"), ("", "the scene has none")):
            part = types.SimpleNamespace(run=types.SimpleNamespace(path=self.folder, configuration=text))
            with self.assertRaisesRegex(NotApplicable, reason):
                tables._averages(part)

    def test_names_are_escaped(self):
        self.assertIn("&lt;b&gt;&amp;run", self.page.text)
        self.assertNotIn("<b>", self.page.text)

    def test_time_per_phase_is_listed(self):
        # made_run: the clock starts at 2 s and advances 1 s per row; half of this time is spent in sweeps.
        table = self.table("wall-clock")
        self.assertEqual(self.page.row(table, "wall-clock")[1:], ["65", "65"])
        self.assertEqual(self.page.row(table, "steps")[1:], ["6300", "6300"])
        fraction = f"{100 * (1 + 0.5 * 63) / 65:.1f}"
        self.assertEqual(self.page.row(table, "sweeps")[1:], [fraction, fraction])

    def test_totals_add_up_over_restarts_of_the_run(self):
        self.assertEqual(origin.total_over_restarts(np.array([0.5, 10.0, 20.0, 1.0, 20.0])), 40.0)
        self.assertEqual(origin.total_over_restarts(np.array([0.0, 4.0])), 4.0)

    def test_runs_with_equal_names_get_longer_labels(self):
        other_run = self.folder / "other" / "seed1"
        self.assertEqual(
            labels([self.runs[0], other_run]),
            [f"{self.runs[0].parent.name}/seed1", "other/seed1"],
        )
        with self.assertRaisesRegex(UsageError, "twice"):
            labels([self.runs[0], self.runs[0]])

    def test_column_of_the_paper_is_shown_only_for_its_channel(self):
        fields = made_snapshot.fields_at(np.random.default_rng(1).uniform(size=(900, 3)) * 0.02, 4.7e-4)
        small = made_snapshot.in_memory(fields)
        self.assertFalse(paper.is_channel(small))
        self.assertTrue(paper.is_channel(made_snapshot.in_memory(fields, (0.15, 0.065, 0.02))))
        self.assertNotIn("246992", self.page.text)
        self.assertNotIn("paper", self.page.text)

    def test_papers_numbers_agree_with_each_other(self):
        for law in (0, 1):
            numbers = {quantity: float(values[law]) for quantity, values in paper.NUMBERS.items()}
            ratio = 2 * numbers["closed contacts"] / numbers["particles"]
            self.assertAlmostEqual(ratio / numbers["closed contacts per particle"], 1.0, delta=1e-3)
            fraction = numbers["largest penetration"] / (1e6 * paper.RADIUS)
            self.assertAlmostEqual(100 * fraction, numbers["largest penetration / radius"], places=2)
            sphere = 4 / 3 * np.pi * paper.RADIUS**3
            obstacle = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02
            fraction = numbers["particles"] * sphere / (np.prod(paper.EXTENT) - obstacle)
            self.assertAlmostEqual(fraction, numbers["solid fraction"], places=3)

    def test_run_without_snapshots_or_timing_has_a_page(self):
        run = made_run.steady(self.folder / "run")
        (run / "timing.csv").unlink()
        for snapshot in (run / "snapshots").iterdir():
            snapshot.unlink()
        self.assert_runs(run)
        page = Page(run / "report.html")
        self.assertIn("set output.every", page.text)
        self.assertIn("timing.csv", page.text)
        self.assertEqual(page.row(0, "closed contacts")[2], "4000")

    def test_runs_with_few_or_no_particles_have_a_page(self):
        path = self.folder / "page.html"
        too_few = "solid fraction: it needs 100 particles, and there are 1."
        for count, words in ((1, (">Paths of the particles</h2>", too_few)), (0, ("it needs 1 particles",))):
            rows = [{"step": 1000 * k, "particles": count} for k in range(4)]
            frames = {1000 * k: made_snapshot.fields_at([[0.05, 0.03, 0.001 * k]] * count) for k in range(4)}
            self.assert_runs(made_run.write(self.folder / f"run{count}", rows, frames), "--output", path)
            for word in words:
                self.assertIn(word, Page(path).text)

    def test_closed_pipe_is_no_error(self):
        command = [sys.executable, made_snapshot.SCRIPTS / "key_figures.py", self.runs[0]]
        script = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        script.stdout.close()
        self.assertEqual((script.stderr.read(), script.wait()), ("", 0))
        script.stderr.close()

    def test_bad_input_is_refused(self):
        path = self.folder / "page.html"
        run = made_run.steady(self.folder / "run")
        output = ("--output", path)
        self.assert_refused(3, ["output directory of a run"], self.folder, *output)
        self.assert_refused(2, ["no snapshot from"], run, "--from", "1 s", *output)
        self.assertFalse(path.exists())
        run_of_few = made_run.steady(self.folder / "few", particles=20)
        self.assert_refused(5, ["series.csv"], run_of_few, "--output", run / "series.csv" / "such.html")


if __name__ == "__main__":
    unittest.main()
