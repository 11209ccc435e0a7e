"""Tests of scripts/key_figures.py: made-up runs with known key figures, windows, bad input."""

import types
import unittest

import made_run
import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.cell
import scree.directory
import scree.key_figures
import scree.repose
import scree.table
from _report import tables
from scree.errors import UsageError

RADIUS = 4.7e-4
# Volume of the obstacle of made_snapshot in the domain, which is 2 cm high: a box and half a cylinder of 1 cm radius.
OBSTACLE = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02


def scattered_points(spacing):
    """(points [N, 3] near the sites of a lattice in a box of 2 x 2 x 1, radius for a dense packing)."""
    sites = np.mgrid[-1.0:1.0:spacing, -1.0:1.0:spacing, 0.0:1.0:spacing].reshape(3, -1).T
    position = sites + np.random.default_rng(1).uniform(0.0, spacing, sites.shape)
    return position, spacing * (0.75 / np.pi * scree.repose.PACKED) ** (1.0 / 3.0)


class KeyFigures(ScriptTest):
    script = "key_figures.py"

    def rows(self, **columns):
        """Rows of a series, one every 100 steps.  columns: [K] each"""
        count = len(next(iter(columns.values())))
        return [
            {"step": 100 * k, **{name: values[k] for name, values in columns.items()}}
            for k in range(count)
        ]

    def make_run(self, frames=None, **columns):
        directory = made_run.write(self.folder / "run", self.rows(**columns), frames or {})
        return scree.directory.read(directory)

    def test_means_and_maxima_are_taken_from_the_series(self):
        penetration = np.array([1.0, 5.0, 2.0, 4.0]) * 1e-6
        run = self.make_run(
            particles=[10, 20, 30, 40], closed_contacts=[1, 2, 3, 6],
            max_penetration_interval=penetration, max_speed=[1.0, 3.0, 2.0, 0.0],
        )  # fmt: skip
        figures = scree.key_figures.key_figures(run, 0.0)
        self.assertEqual(figures["particles"].value, 25.0)
        self.assertEqual(figures["closed contacts"].value, 3.0)
        self.assertAlmostEqual(figures["largest penetration"].value, 5e-6, places=12)
        self.assertAlmostEqual(figures["mean of the largest penetration"].value, 3e-6, places=12)
        self.assertEqual(figures["largest speed"].value, 3.0)
        self.assertNotIn("solid fraction", figures)

    def test_stress_of_a_sheared_cell_excludes_the_compression(self):
        # The first row still belongs to the compression along z; the control changes before the second row.
        rows = {"stress_xx": [9.0, 3.0, 5.0], "stress_yy": [9.0, 2.0, 2.0], "stress_zz": [9.0, 2.0, 2.0],
                "shear_stress": [0.0, 0.5, 1.5], "shear_rate": [0.0, 4.0, 4.0], "solid_fraction": [0.1, 0.5, 0.6],
                "target_zz": [9.0, np.nan, np.nan], "time": [0.1, 0.2, 0.3]}  # fmt: skip
        rows |= {f"target_{name}": [np.nan] * 3 for name in ("xx", "yy", "shear_stress")}
        configuration = '[time]\nstep = 1 ms\n[cell]\nstress_z = 9 Pa\n[at "0.1 s"]\ncell.gradient = y\n[at "0.3 s"]\ncell.gradient = x\n'
        run = types.SimpleNamespace(configuration=configuration, snapshots=[])
        result = scree.key_figures.from_cell(run, {name: np.array(values) for name, values in rows.items()})
        values = {figure.quantity: figure.value for figure in result}
        self.assertAlmostEqual(values["mean stress p"], (7.0 / 3.0 + 3.0) / 2.0)
        self.assertAlmostEqual(values["deviatoric stress q"], 0.5 * (np.sqrt(1.0 + 0.75) + np.sqrt(9.0 + 6.75)))
        self.assertAlmostEqual(values["shear stress over pressure"], 0.5)
        self.assertAlmostEqual(values["solid fraction"], 0.55)

    def test_time_of_rest_of_a_cell_is_found(self):
        time = np.linspace(0.0, 1.0, 101)
        deviation = 0.02 * np.exp(-time / 0.1) * np.sign(np.sin(60.0 * time) + 2.0)
        columns = {"time": time, "shear_rate": np.zeros(101), "shear_strain": np.zeros(101), "shear_stress": np.zeros(101)}
        columns |= {f"cell_length_{axis}": 1e-2 * (1.0 + 1e-3 * np.exp(-time / 0.1)) for axis in "xyz"}
        for axes, target in zip(scree.cell.NORMAL, (1e3, 1e3, 200.0)):
            columns |= {f"target_{axes}": np.full(101, target), f"stress_{axes}": target + 1e3 * deviation}
        columns["target_shear_stress"] = np.full(101, np.nan)
        with_values = lambda **values: columns | values  # noqa: E731
        self.assertAlmostEqual(scree.cell.rest_from(columns), 0.3)  # 0.1 ln 20 = 0.2996
        slow = 1e-2 * (1.0 + 1e-3 * np.exp(-time / 0.2))
        # Strains count up to the last row: exp(-t/0.2) - exp(-5) = 0.1.
        self.assertAlmostEqual(scree.cell.rest_from(with_values(cell_length_y=slow)), 0.45)
        burst = columns["stress_yy"].copy()
        burst[80] += 2.0
        self.assertAlmostEqual(scree.cell.rest_from(with_values(stress_yy=burst)), 0.81)
        first_rows = {name: values[time < 0.32] for name, values in columns.items()}
        self.assertTrue(np.isnan(scree.cell.rest_from(first_rows)))  # at rest for less than a tenth of the time
        self.assertIn("not yet: in the last 10 % of the time stresses", tables._rows_of_rest(first_rows)[0][2])
        self.assertEqual(tables._rows_of_rest(columns), [["at rest", "", "from 0.3 s on", ""]])
        for rows, expected_rest in ((1, np.nan), (4, np.nan), (5, 0.96)):
            np.testing.assert_equal(scree.cell.rest_from({name: values[-rows:] for name, values in columns.items()}), expected_rest)
        single = {name: values[-1:] for name, values in columns.items()}
        self.assertIn("not known", tables._rows_of_rest(single)[0][2])
        # A flow under a given shear stress could rest, but does not. A cell driven by rates or lengths cannot rest.
        flows = {"target_shear_stress": np.zeros(101), "shear_rate": np.ones(101), "shear_strain": time}
        self.assertTrue(np.isnan(scree.cell.rest_from(with_values(**flows))))
        no_target = np.full(101, np.nan)
        self.assertIsNone(scree.cell.rest_from(with_values(shear_rate=np.ones(101))))
        self.assertIsNone(scree.cell.rest_from(with_values(target_zz=no_target)))  # lengths along z change
        fixed = {"target_zz": no_target, "cell_length_z": np.full(101, 1e-2)}
        self.assertAlmostEqual(scree.cell.rest_from(with_values(**fixed)), 0.3)
        self.assertIsNone(scree.cell.rest_from(with_values(**{f"target_{axes}": no_target for axes in scree.cell.NORMAL})))

    def test_window_includes_its_ends(self):
        run = self.make_run(particles=[10, 20, 30, 40])
        self.assertEqual(scree.key_figures.key_figures(run, 1e-3, 2e-3)["particles"].value, 25.0)
        self.assertEqual(scree.key_figures.key_figures(run, 1.5e-3)["particles"].value, 35.0)
        with self.assertRaisesRegex(UsageError, "0 to 0.003 s"):
            scree.key_figures.key_figures(run, 0.5)

    def test_default_window_is_the_second_half_and_is_printed(self):
        run = self.make_run({0: made_snapshot.fields_at([[0.01, 0.01, 0.01]])}, particles=[10, 20, 30, 40, 50])
        figures = scree.key_figures.key_figures(run)
        self.assertEqual(figures["particles"].value, 40.0)
        self.assertIn("radius", figures)  # from the last snapshot, which is before the window
        self.assertEqual(scree.key_figures.key_figures(run, end=2e-3)["particles"].value, 25.0)
        self.assertEqual(scree.key_figures.chosen(run, ["particles"])["particles"].value, 40.0)
        self.assertRegex(self.assert_runs(run.path).stdout, r"\Afrom 0.002 to 0.004 s, the later half of the run \(--from TIME")
        self.assertRegex(self.assert_runs(run.path, "--from", "0").stdout, r"\Afrom 0 to 0.004 s\nparticles +30.0 ")

    def test_error_of_independent_values_is_the_standard_error(self):
        values = np.random.default_rng(3).normal(100.0, 2.0, size=256)
        figure = scree.key_figures.key_figures(self.make_run(particles=values), 0.0)["particles"]
        self.assertFalse(figure.is_bound)
        self.assertAlmostEqual(figure.error / (2.0 / 16.0), 1.0, delta=0.3)

    def test_solid_fraction_excludes_the_obstacle(self):
        fields = made_snapshot.fields_at(np.full((2, 3), 0.01), RADIUS)
        run = self.make_run({0: fields}, particles=[100, 300])
        figure = scree.key_figures.key_figures(run, 0.0)["solid fraction"]
        expected = 200 * 4 / 3 * np.pi * RADIUS**3 / (0.1 * 0.06 * 0.02 - OBSTACLE)
        self.assertAlmostEqual(figure.value / expected, 1.0, delta=1e-4)

    def test_solid_fraction_follows_a_wall_that_moves_into_the_domain(self):
        """A piston leaves 10, 8 and 4 cm of the length; particles leave too."""
        corners = made_snapshot.box((-0.1, -0.01, -0.01), (0.0, 0.07, 0.03))
        frames, expected = [], []
        for number, (count, depth) in enumerate(((6, 0.0), (5, 0.02), (4, 0.06))):
            fields = made_snapshot.fields_at(np.full((count, 3), 0.01) + [0.07, 0.0, 0.0], RADIUS)
            piston = made_snapshot.wall("piston", corners, displacement=(depth, 0.0, 0.0))
            frames.append(made_snapshot.in_memory(fields, time=0.1 * number, walls=[piston]))
            expected.append(count * 4 / 3 * np.pi * RADIUS**3 / ((0.1 - depth) * 0.06 * 0.02))
        particles = scree.key_figures.KeyFigure("particles", "1", 5.0)
        figures = {figure.quantity: figure for figure in scree.key_figures.from_frames(particles, frames)}
        figure = figures["solid fraction"]
        self.assertAlmostEqual(figure.value / np.mean(expected), 1.0, delta=1e-6)
        self.assertAlmostEqual(figure.error / (np.std(expected, ddof=1) / np.sqrt(3.0)), 1.0, delta=1e-6)
        self.assertEqual(figure.samples, 3)

    def test_solid_fraction_counts_sizes_by_their_numbers_and_empty_frames(self):
        """Large grains, then many small ones, then none: with a fixed volume, and with a piston."""
        corners = made_snapshot.box((-0.1, -0.01, -0.01), (0.0, 0.07, 0.03))
        for depths in ((0.0, 0.0, 0.0), (0.0, 0.02, 0.06)):
            frames, expected = [], []
            for number, (count, radius, depth) in enumerate(zip((2, 50, 0), (RADIUS, 0.2 * RADIUS, RADIUS), depths)):
                fields = made_snapshot.fields_at(np.full((count, 3), 0.01) + [0.07, 0.0, 0.0], radius)
                piston = made_snapshot.wall("piston", corners, displacement=(depth, 0.0, 0.0))
                frames.append(made_snapshot.in_memory(fields, time=0.1 * number, walls=[piston]))
                expected.append(count * 4 / 3 * np.pi * radius**3 / ((0.1 - depth) * 0.06 * 0.02))
            particles = scree.key_figures.KeyFigure("particles", "1", 52 / 3)
            figures = {figure.quantity: figure for figure in scree.key_figures.from_frames(particles, frames)}
            figure = figures["solid fraction"]
            self.assertAlmostEqual(figure.value / np.mean(expected), 1.0, delta=1e-6)
            self.assertEqual(figure.samples, 3)

    def test_penetration_is_a_fraction_of_the_radius(self):
        fields = made_snapshot.fields_at(np.full((2, 3), 0.01), RADIUS)
        run = self.make_run({0: fields}, max_penetration_interval=[3.906e-5, 1e-5])
        figures = scree.key_figures.key_figures(run, 0.0)
        self.assertAlmostEqual(figures["largest penetration / radius"].value, 0.0831, places=4)
        fraction = scree.key_figures.shown(figures["largest penetration / radius"])
        self.assertEqual((fraction.unit, scree.key_figures.text(fraction)), ("%", "8.311"))

    def test_peak_of_the_profile_has_a_position_in_the_last_frame(self):
        def fields(speed, x):
            """Fields of two particles in one cell and one particle in another."""
            positions = [[x, 0.0301, 0.01], [x, 0.0302, 0.01], [0.09, 0.03, 0.01]]
            velocity = [[speed, 0.0, 0.0], [0.0, speed, 0.0], [0.1, 0.0, 0.0]]
            return made_snapshot.fields_at(positions, RADIUS, velocity=np.array(velocity))

        run = self.make_run({0: fields(2.0, 0.02), 100: fields(4.0, 0.0605)}, particles=[3, 3])
        figures = scree.key_figures.key_figures(run, 0.0)
        self.assertAlmostEqual(figures["peak of the speed profile, last"].value, 4.0)
        # Cells are 1 mm wide for spheres of 0.94 mm.
        self.assertAlmostEqual(figures["its x"].value, 0.0605)
        self.assertAlmostEqual(figures["its y"].value, 0.0305)
        self.assertAlmostEqual(figures["peak of the speed profile"].value, 3.0)
        self.assertAlmostEqual(figures["peak of the speed profile"].error, 1.0)

    def test_only_heaps_have_an_angle_of_repose(self):
        """Cones of 20 degrees on a floor or on a plate with grains below it have an angle. Other beds have none."""
        position, radius = scattered_points(0.05)
        distance, slope = np.hypot(*position.T[:2]), np.tan(np.radians(20.0))
        cone, floor = position[:, 2] < slope * (1.0 - distance), (distance > 0.7) & (position[:, 2] < 0.1)
        raised = [0.0, 0.0, 0.4]
        cases = (
            ("heap", position[cone], True), ("plate", np.concatenate([position[cone & (distance < 0.6)] + raised, position[floor]]), True),
            ("pipe", position[(distance < 0.6) & (position[:, 2] < 0.3)], False), ("box", position[position[:, 2] < 0.3], False),
            ("funnel", position[(distance < 0.8 * position[:, 2]) & (position[:, 2] < 0.9)], False),
            ("ridge", position[position[:, 2] < 2.0 * slope * (0.5 - np.abs(position[:, 0]))], False),
            ("few", position[cone][:50], False),
        )  # fmt: skip
        for name, positions_of_bed, has_angle in cases:
            with self.subTest(name):
                grains = made_snapshot.in_memory(made_snapshot.fields_at(positions_of_bed, radius), (1.0, 1.0, 1.0))
                result = {figure.quantity: figure for figure in scree.key_figures.slopes(grains, [])}
                self.assertEqual(list(result), ["angle of repose, last"] * has_angle)
                if has_angle:
                    angle = result["angle of repose, last"]
                    self.assertLess(angle.error, 1.0)
                    self.assertAlmostEqual(angle.value, 20.0, delta=1.5)  # the cone is seven diameters high
                else:
                    self.assertRaisesRegex(UsageError, "expected", scree.repose.angle, grains)

    def test_falling_grains_do_not_belong_to_the_heap(self):
        position, radius = scattered_points(0.06)
        falling = position[:: len(position) // 600] + [0.0, 0.0, 0.1]
        position = position[position[:, 2] < 0.4 * (1.0 - np.hypot(*position.T[:2]))]
        scene = "[scene]\ngravity = 0 0 -9.81 m/s^2\n"

        def angle(*added, speed=3.0):
            all_positions = np.concatenate([position, *added])
            velocity = np.where(np.arange(len(all_positions)) < len(position), 0.0, speed)[:, None] * [0.0, 0.0, -1.0]
            fields = made_snapshot.fields_at(all_positions, radius, velocity=velocity)
            return scree.repose.angle(made_snapshot.in_memory(fields, (1.0, 1.0, 1.0), configuration=scene))

        self.assertAlmostEqual(angle(falling)[0], angle()[0], delta=0.2)  # the falling grains move the axis a little
        self.assertRaisesRegex(UsageError, "still move", angle, position)

    def test_angle_of_the_bed_in_a_drum_has_the_sign_of_the_rotation(self):
        drum = "[scene]\ngravity = 0 0 -9.81 m/s^2\n[wall.drum]\nshape = pipe\ncentre = 1 0 2 cm\nangular_velocity = 0 {} 0 rpm\n"
        arm = 0.01 * np.array([np.sin(np.radians(35.0)), 0.5, -np.cos(np.radians(35.0))])
        fields = made_snapshot.fields_at(np.array([[0.01, 0.0, 0.02]] * 2) + arm, RADIUS)
        forwards = made_snapshot.in_memory(fields, configuration=drum.format(30))
        backwards = made_snapshot.in_memory(fields, configuration=drum.format(-30))
        # If the drum rotates about +y, its bottom moves towards -x.
        for frame, angle in ((forwards, -35.0), (backwards, 35.0)):
            self.assertAlmostEqual(scree.repose.drum_angle(frame, scree.repose.drum_of(frame)), angle)
        self.assertIsNone(scree.repose.drum_of(made_snapshot.in_memory(fields, configuration=drum.format(0))))

    def test_drum_may_turn_by_a_table_or_a_further_motion(self):
        scene = "[scene]\ngravity = 0 0 -9.81 m/s^2\n[wall.drum]\nshape = pipe\ncentre = 1 0 2 cm\nangular_velocity = 0 0 0 rad/s\n"
        fields = made_snapshot.fields_at(np.zeros((1, 3)), RADIUS)
        for text, sense in (
            ("axis = 0 1 0\nmotion = time_s 0 1, rate_rad/s 3 4\n", 1.0),
            ("axis = 0 2 0\nmotion = time_s 0 1 2, angle_rad 0.5 -2 -1.5e0\n", -1.0),
            ("[motion.spin]\nwall = lid drum\nangular_velocity = 0 -3 0 rad/s\n", -1.0),
            ("[motion.lift]\nwall = drum\nvelocity = 0 0 1 m/s\n[motion.spin]\nwall = drum\nangular_velocity = 0 3 0 rad/s\n", 1.0),
        ):
            with self.subTest(text):
                centre, axis = scree.repose.drum_of(made_snapshot.in_memory(fields, configuration=scene + text))
                np.testing.assert_allclose((centre, axis), ([0.01, 0.0, 0.02], [0.0, sense, 0.0]))
        for text in (
            "[motion.spin]\nwall = lid\nangular_velocity = 0 3 0 rad/s\n",
            "motion = time_s 0 1, z_m 0 1\n",
            "axis = 0 0 1\nmotion = time_s 0 1, rate_rad/s 3 4\n",
            "motion = time_s 0 1, qw 1 0.9, qx 0 0.1, qy 0 0, qz 0 0\n",
        ):
            with self.subTest(text):
                self.assertIsNone(scree.repose.drum_of(made_snapshot.in_memory(fields, configuration=scene + text)))

    def test_angle_in_a_drum_is_that_of_the_centre_of_mass(self):
        scene = "[scene]\ngravity = 0 0 -9.81 m/s^2\n[wall.drum]\nshape = pipe\nangular_velocity = 0 -30 0 rpm\n"
        positions = 0.01 * np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
        fields = made_snapshot.fields_at(positions, RADIUS, material=np.arange(2))
        frame = made_snapshot.in_memory(fields, configuration=scene, densities=np.array([7000.0, 1000.0]))
        # Two equal spheres are at 90° and 0°; the middle of their volumes would be at 45°.
        angle = scree.repose.drum_angle(frame, scree.repose.drum_of(frame))
        self.assertAlmostEqual(angle, np.degrees(np.arctan(7.0)))

    def test_text_has_two_digits_of_the_error(self):
        figure = scree.key_figures.KeyFigure("a", "1", 246992.29, 31.4)
        self.assertEqual(scree.key_figures.text(figure), "246992 ± 31")
        figure = scree.key_figures.KeyFigure("a", "1", 2.59341, 0.00123, is_bound=True)
        self.assertEqual(scree.key_figures.text(figure), "2.5934 ± >0.0012")
        self.assertEqual(scree.key_figures.text(scree.key_figures.KeyFigure("a", "1", 1.42)), "1.42")
        conserved = scree.key_figures.KeyFigure("a", "1", -2.08119623906606765e-2, 7.2e-18, 100, True)
        self.assertEqual(scree.key_figures.text(conserved), "-0.02081")

    def test_script_prints_and_writes_the_same_values(self):
        directory = made_run.steady(self.folder / "run")
        output = self.folder / "figures.csv"
        printed = self.assert_runs(directory, "--from", "1", "ms", "--output", output).stdout
        table = scree.table.read(output)
        # The profile averages over z, the shortest axis, so its peak has no z. The run is neither a heap nor a drum.
        absent_quantities = ("its z", "mean velocity in y", "mean velocity in z", *scree.key_figures.OF_CELL)
        expected = [quantity for quantity in scree.key_figures.QUANTITIES if quantity not in absent_quantities and "angle" not in quantity]
        self.assertEqual(list(table["quantity"]), expected)
        self.assertRegex(printed, r"(?m)^largest penetration +10 µm$")
        row = list(table["quantity"]).index("largest penetration")
        self.assertEqual(table["value"][row], 1e-5)

    def test_mass_flow_through_planes_is_listed_and_columns_can_be_chosen(self):
        directory = made_run.steady(self.folder / "run")
        (directory / "averages").mkdir()
        flow = np.random.default_rng(4).normal(2.0, 0.1, size=64)
        rows = [f"{k * 1e-3:g},{(k + 1) * 1e-3:g},{100.0 if k < 16 else value}" for k, value in enumerate(flow)]
        (directory / "averages" / "gate.csv").write_text("\n".join(["# plane", "time_from,time_to,mass_flow", *rows, ""]))
        (directory / "averages" / "all.csv").write_text("duration,mass_flow\n0.064,3.5\n")
        (directory / "averages" / "grid.csv").write_text("i,j,k,speed\n0,0,0,1\n")
        figures = scree.key_figures.key_figures(scree.directory.read(directory), 16e-3)
        self.assertEqual(list(figures)[-2:], ["mass flow, all", "mass flow, gate"])
        flow_at_gate = figures["mass flow, gate"]
        self.assertEqual((flow_at_gate.samples, flow_at_gate.unit), (48, "kg/s"))
        self.assertAlmostEqual(flow_at_gate.value, flow[16:].mean())
        self.assertAlmostEqual(flow_at_gate.error / (0.1 / np.sqrt(48.0)), 1.0, delta=0.4)
        self.assertTrue(np.isnan(figures["mass flow, all"].error))
        printed = self.assert_runs(directory, "--mean", "closed_contacts", "max_penetration").stdout
        self.assertRegex(printed, r"(?m)^mass flow, all +3.5 kg/s$")
        self.assertRegex(printed, r"(?m)^closed_contacts +4000$")
        self.assert_refused(2, ["series.csv has no column 'torque'; it has step, time"], directory, "--mean", "torque")
        self.assert_refused(2, ["has no column 'closed_contats' (did you mean 'closed_contacts'?)"], directory, "--mean", "closed_contats")

    def test_bad_input_is_refused(self):
        self.assert_refused(3, ["output directory of a run"], self.folder)
        directory = made_run.steady(self.folder / "run")
        self.assert_refused(2, ["0 to 0.063 s"], directory, "--from", "1", "s")
        self.assert_refused(2, ["no snapshot"], directory, "--from", "40", "ms")
        self.assert_refused(2, ["is after"], directory, "--from", "2 ms", "--to", "1 ms")
        self.assert_refused(2, ["units"], directory, "--to", "2", "cm")
        snapshot = directory / "snapshots" / "step_000000002000.h5"
        snapshot.write_bytes(snapshot.read_bytes()[:5000])
        self.assert_refused(3, [str(snapshot)], directory, "--from", "0")
        (directory / "config.ini").write_text("[scene]\nseed = 1\n")
        self.assert_refused(3, ["config.ini", "step"], directory)
        (directory / "series.csv").write_text("step,time\n0,0\n")
        self.assert_refused(3, ["no column 'particles'"], directory)


if __name__ == "__main__":
    unittest.main()
