"""In-run averages of scree-run on 1, 2 and 4 ranks equal those computed from a snapshot of every step.

Only the run on one rank writes these snapshots. With Jacobi's scheme, runs on more ranks have the same bits.

usage: averages_test.py LAUNCHER SCREE_RUN
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import h5py
import numpy as np

import scree.contacts
import scree.snapshot

STEPS, FIRST, LAST, EVERY = 160, 20, 150, 5
STEP = 1e-5  # [s]
DENSITY = 2650.0  # [kg/m^3]
RANKS = (1, 2, 4)
LOWER, UPPER, CELLS = [0.001, 0.0, 0.001], [0.012, 0.01, 0.005], (5, 4, 2)
PLANES = {
    "middle": 0.009,
    "exit": 0.011997,  # so near to the outflow that most particles cross it and are deleted in one step
    "entry": 0.000465,  # just upstream of the inserted layers, so nothing crosses it
}
# Relative difference between two sums of the same numbers in different order.
TOLERANCE = 1e-12
# Fraction of the stress that lies outside the domain, because particles overlap walls in faces of the domain. It is of
# the order of overlap / radius.
OUTSIDE_FRACTION = 1e-5

SCENE = f"""
[domain]
lower = 0 0 0
upper = 1.2 1 0.6 cm
periodic = y
[time]
step = 10 us
end = {STEPS * 10} us
[material.grain]
density = {DENSITY}
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[wall.ceiling]
shape = plane
point = 0 0 0.6 cm
normal = 0 0 -1
[wall.piston]
shape = plane
point = 0 0 0
normal = 1 0 0
velocity = 1 0 0 m/s
[wall.post]
shape = cylinder
from = 0.6 0.5 -1 cm
to = 0.6 0.5 2 cm
radius = 1 mm
[fill]
lower = 0 0 0
upper = 1.2 1 0.6 cm
spacing = 1 mm
radius = 0.47 mm
velocity = 1 0 0 m/s
jitter = 0 0.5 0.5 m/s
[inflow]
piston = piston
lower = 0 0 0
upper = 0.1 1 0.6 cm
spacing = 1 mm
radius = 0.47 mm
velocity = 1 0 0 m/s
jitter = 0 0.5 0.5 m/s
[outflow]
faces = x+
[solver]
scheme = jacobi
[output]
log_every = 100 steps
contacts = yes
[average.profile]
lower = {" ".join(map(str, LOWER))}
upper = {" ".join(map(str, UPPER))}
cells = {" ".join(map(str, CELLS))}
from = {FIRST * 10} us
to = {LAST * 10} us
every = {EVERY} steps
[average.all]
every = {EVERY * 10} us
[average.parts]
by = material
every = 10 steps
interval = 50 steps
[average.too_late]
every = 1 step
from = 1 s
""" + "".join(f"[average.{name}]\nplane = {x} 0 0\nnormal = 1 0 0\n" for name, x in PLANES.items()) + f"""
[average.over_time]
plane = {PLANES['middle']} 0 0
normal = 1 0 0
interval = 50 steps
"""


def read_table(path):
    """Columns of a CSV file without its comments, by name; empty cells are NaN."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    return {name: column([row[name] for row in rows]) for name in rows[0]}


def column(texts):
    """The texts as numbers, or unchanged if they are words."""
    try:
        return np.array([float(text or "nan") for text in texts])
    except ValueError:
        return np.array(texts)


def raw_positions(file):
    """Positions as in the file, [N, 3]. A Snapshot would wrap them into the domain."""
    with h5py.File(file) as snapshot_file:
        return snapshot_file["particles/grains/position/value"][0]


def volume(radius):
    return 4.0 / 3.0 * np.pi * radius**3


class Averages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        launcher, program = sys.argv[1:3]
        cls.holder = tempfile.TemporaryDirectory()
        directory = pathlib.Path(cls.holder.name)
        scene = directory / "scene.ini"
        scene.write_text(SCENE)
        cls.outputs = {ranks: directory / f"ranks{ranks}" for ranks in RANKS}
        for ranks, output in cls.outputs.items():
            interval = "1 step" if ranks == 1 else f"{STEPS} steps"
            command = [launcher, "-n", str(ranks), program, scene, "--output.directory", output,
                       "--output.every", interval]  # fmt: skip
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                raise RuntimeError(result.stdout + result.stderr)
        cls.snapshots = [cls.snapshot(1, step) for step in range(STEPS + 1)]

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def snapshot(cls, ranks, step):
        return scree.snapshot.read_snapshot(cls.outputs[ranks] / f"snapshots/step_{step:012d}.h5")

    def tables(self, name):
        """The tables of all runs: pairs of the number of ranks and the table."""
        return [(ranks, read_table(output / "averages" / f"{name}.csv"))
                for ranks, output in self.outputs.items()]  # fmt: skip

    def test_all_ranks_end_with_the_same_bits(self):
        expected = self.snapshots[-1]
        for ranks in RANKS[1:]:
            end = self.snapshot(ranks, STEPS)
            for field in ("id", "position", "velocity", "angular_velocity"):
                np.testing.assert_array_equal(
                    end[field][np.argsort(end["id"])],
                    expected[field][np.argsort(expected["id"])],
                    err_msg=f"{field} on {ranks} ranks",
                )

    def check_profile(self, name, lower, upper, cells, steps):
        frames = [self.snapshots[step] for step in steps]

        def joined(field):
            return np.concatenate([frame[field] for frame in frames])

        position, speed = joined("position"), np.concatenate([frame.speed for frame in frames])
        velocity, angular_velocity = joined("velocity"), joined("angular_velocity")
        position[:, 1] %= self.snapshots[0].upper[1]
        edges = [np.linspace(lower[k], upper[k], cells[k] + 1) for k in range(3)]

        def summed(weights=None):
            sums, _ = np.histogramdd(position, edges, weights=weights)
            return sums.ravel(order="F")  # x fastest

        samples = summed()
        self.assertTrue((samples > 0).all())
        angular_speed = np.linalg.norm(angular_velocity, axis=1)
        expected = {"speed": summed(speed) / samples}
        expected["angular_speed"] = summed(angular_speed) / samples
        scale = {"velocity": speed.max(), "angular_velocity": angular_speed.max()}
        expected_vectors = {}
        for vector, values in (("velocity", velocity), ("angular_velocity", angular_velocity)):
            means = [summed(values[:, k]) / samples for k in range(3)]
            expected_vectors.update({f"{vector}_{a}": (m, scale[vector]) for a, m in zip("xyz", means)})
            if vector == "velocity":
                expected["velocity_norm"] = np.linalg.norm(means, axis=0)
        sampled_volume = np.prod(np.subtract(upper, lower) / cells) * len(frames)
        volumes = summed(volume(joined("radius")))
        expected["number_density"] = samples / sampled_volume
        expected["mass_density"] = DENSITY * volumes / sampled_volume
        whole_cell_fraction = volumes / sampled_volume  # the cell includes the space inside walls
        for ranks, table in self.tables(name):
            with self.subTest(ranks=ranks):
                np.testing.assert_array_equal(table["samples"], samples)
                np.testing.assert_allclose(
                    table["solid_fraction"] * table["free_share"], whole_cell_fraction, rtol=TOLERANCE, err_msg="solid_fraction"
                )
                for column, values in expected.items():
                    np.testing.assert_allclose(table[column], values, rtol=TOLERANCE, err_msg=column)
                for column, (mean, size) in expected_vectors.items():
                    # If a mean nearly vanishes, its error is that of the large numbers that it sums.
                    np.testing.assert_allclose(
                        table[column], mean, rtol=TOLERANCE, atol=TOLERANCE * size, err_msg=column
                    )

    def test_profile_covers_its_region_and_window(self):
        self.check_profile("profile", LOWER, UPPER, CELLS, range(FIRST, LAST + 1, EVERY))

    def test_average_covers_the_whole_domain_and_all_states(self):
        first = self.snapshots[0]
        steps = range(0, STEPS + 1, EVERY)
        self.check_profile("all", first.lower, first.upper, (1, 1, 1), steps)

    def test_post_and_piston_reduce_the_free_space(self):
        for ranks, table in self.tables("all"):
            with self.subTest(ranks=ranks):
                post_fraction = np.pi * 1e-3**2 / (0.012 * 0.01)
                # The piston is reset every 94 steps, once per layer.
                piston_fraction = np.mean(np.arange(0, STEPS + 1, EVERY) % 94) * STEP / 0.012
                self.assertAlmostEqual(table["free_share"][0], 1.0 - post_fraction - piston_fraction, delta=1e-3)

    def test_stress_is_that_of_the_contacts_of_all_frames(self):
        """The stress of a frame is the sum of force times branch vector over its contacts, divided by the volume."""
        frames = [snapshot for snapshot in self.snapshots[::EVERY] if snapshot.step > 0]
        volume = np.prod(frames[0].upper - frames[0].lower)
        stress, count, walls = np.zeros((3, 3)), 0, np.zeros(3)
        for frame in frames:
            contacts = scree.contacts.recorded(frame)
            force = contacts.total_impulse / STEP
            sides = contacts.sides(frame)
            stress += sides.force.T @ sides.arm / volume
            walls += force[contacts.b < 0].sum(axis=0) / volume
            count += len(contacts)
        self.assertGreater(count, 100)
        for ranks, table in self.tables("all"):
            with self.subTest(ranks=ranks):
                for i, a in enumerate("xyz"):
                    self.assertAlmostEqual(
                        table[f"wall_force_density_{a}"][0], walls[i] / len(frames),
                        delta=OUTSIDE_FRACTION * np.abs(walls).max())
                    for j, b in enumerate("xyz"):
                        self.assertAlmostEqual(
                            table[f"contact_stress_{a}{b}"][0], stress[i, j] / len(frames),
                            delta=OUTSIDE_FRACTION * np.abs(stress).max())

    def test_materials_and_intervals_have_their_own_rows(self):
        """One material, rows of five frames, and a last row of two frames."""
        (total,) = [table for ranks, table in self.tables("all") if ranks == 1]
        for ranks, table in self.tables("parts"):
            with self.subTest(ranks=ranks):
                self.assertEqual(set(table["material"]), {"grain"})
                np.testing.assert_allclose(table["time_from"], np.arange(0, STEPS + 1, 50) * STEP)
                frames = np.array([5, 5, 5, 2])
                # Frames of this average are ten steps apart, those of `all` five steps.
                self.assertAlmostEqual(table["samples"].sum() / total["samples"][0], 17 / 33, delta=0.02)
                np.testing.assert_allclose(
                    (table["mass_density"] * frames).sum() / frames.sum(), total["mass_density"][0], rtol=0.02)

    def test_rows_have_the_centres_of_their_cells(self):
        extent = np.subtract(UPPER, LOWER)
        for ranks, table in self.tables("profile"):
            with self.subTest(ranks=ranks):
                for k, (index, axis) in enumerate(zip("ijk", "xyz")):
                    centre = LOWER[k] + (table[index] + 0.5) * extent[k] / CELLS[k]
                    np.testing.assert_allclose(table[axis], centre, rtol=TOLERANCE)

    def crossings(self, plane):
        """Masses of the particles that crossed the plane between two snapshots: (forwards, backwards)."""
        forward_mass, backward_mass = [], []
        for previous, current in zip(self.snapshots, self.snapshots[1:]):
            x_after = dict(zip(current["id"], current["position"][:, 0]))
            for name, x, radius in zip(previous["id"], previous["position"][:, 0], previous["radius"]):
                x_now = x_after.get(name, np.inf)  # missing particles left through the face x+
                if x < plane <= x_now:
                    forward_mass.append(DENSITY * volume(radius))
                elif x_now < plane <= x:
                    backward_mass.append(DENSITY * volume(radius))
        return forward_mass, backward_mass

    def test_flow_equals_the_crossings_of_planes(self):
        for name, plane in PLANES.items():
            forward_mass, backward_mass = self.crossings(plane)
            mass, duration = sum(forward_mass) - sum(backward_mass), STEPS * STEP
            count = len(forward_mass) - len(backward_mass)
            for ranks, columns in self.tables(name):
                with self.subTest(ranks=ranks):
                    table = {column: values[0] for column, values in columns.items()}
                    self.assertEqual(table["particles_forward"], len(forward_mass), name)
                    self.assertEqual(table["particles_backward"], len(backward_mass), name)
                    np.testing.assert_allclose(table["duration"], duration, rtol=TOLERANCE)
                    np.testing.assert_allclose(table["mass_forward"], sum(forward_mass), rtol=TOLERANCE)
                    np.testing.assert_allclose(table["mass_flow"], mass / duration, rtol=TOLERANCE)
                    np.testing.assert_allclose(table["particle_flow"], count / duration, rtol=TOLERANCE)

    def test_flows_of_intervals_add_up_to_the_total(self):
        for (ranks, rows), (_, total) in zip(self.tables("over_time"), self.tables("middle")):
            with self.subTest(ranks=ranks):
                np.testing.assert_allclose(rows["time_to"], np.array([50, 100, 150, 160]) * STEP, rtol=TOLERANCE)
                np.testing.assert_allclose(rows["duration"], rows["time_to"] - rows["time_from"], rtol=1e-9)
                for name in ("particles_forward", "mass_forward"):
                    np.testing.assert_allclose(rows[name].sum(), total[name][0], rtol=TOLERANCE)
                self.assertGreater(np.count_nonzero(rows["particles_forward"]), 1)

    def test_scene_has_particles_that_are_hard_to_count(self):
        """Particles deleted as they cross, and layers that appear beyond a plane."""
        forward_mass, _ = self.crossings(PLANES["exit"])
        self.assertGreater(len(forward_mass), 50)
        inserted = set(self.snapshots[-1]["id"]) - set(self.snapshots[0]["id"])
        self.assertEqual(len(inserted), 60)
        self.assertEqual(self.crossings(PLANES["entry"]), ([], []))
        lowest = min(raw_positions(file)[:, 1].min() for file in (self.outputs[1] / "snapshots").glob("*.h5"))
        self.assertLess(lowest, 0.0)  # not yet wrapped across the periodic end

    def test_average_that_begins_after_the_end_has_no_table(self):
        for output in self.outputs.values():
            self.assertFalse((output / "averages" / "too_late.csv").exists())
            self.assertIn("average.too_late would begin", (output / "run.log").read_text())


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
