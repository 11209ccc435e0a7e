"""Coarse-grained fields satisfy the balances of mass and momentum, and agree with exact sums and theory."""

import dataclasses
import unittest

import made_snapshot
from script_test import ScriptTest

import matplotlib.collections
import numpy as np

import scree
import scree.contacts
import scree.fields
import scree.figure
import scree.grid
import scree.region
import scree.snapshot
import scree.table
from scree.errors import UsageError

WIDTH = 3e-3  # [m]
STEP = 1e-4  # [s]
CONFIGURATION = f"[scene]\nseed = 1\n[time]\nstep = {STEP} s\n"
POINT = np.array([[0.045, 0.031, 0.011]])  # near the middle of the domain [m]
LENGTH = 1e-6  # half the distance of the points of a difference quotient [m]


def random_snapshot(count=300, walls=60):
    """(snapshot of random spheres, contacts between spheres and with walls, with random forces)."""
    fields = made_snapshot.made_fields(count)
    snapshot = made_snapshot.in_memory(fields, configuration=CONFIGURATION)
    random = np.random.default_rng(5)
    a = random.integers(0, count - 1, 2 * count)
    b = (a + random.integers(1, count, 2 * count)) % count
    b[:walls] = -1
    normal = random.normal(size=(2 * count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    gap = random.uniform(-1e-3, 1e-3, 2 * count)
    position = fields["position"][a] - (fields["radius"][a] + 0.5 * gap)[:, None] * normal
    impulse = random.normal(size=(2 * count, 3))
    # The contact points match only the positions of particles a; the branch to b follows from normal and gap.
    return snapshot, scree.contacts.Contacts(a, b, position, normal, gap, impulse)


def fields_at(points, snapshot, contacts=None, by="all"):
    """Fields at these points, along all three axes, from the given contacts."""
    return scree.fields.fields(
        [snapshot], scree.region.make, (0, 1, 2), (), WIDTH, by, points, contacts_of=lambda _: contacts)


def vector(columns, name):
    return np.stack([columns[f"{name}_{k}"] for k in "xyz"], axis=-1)


def tensor(columns, name):
    """A tensor of the fields, [P, 3, 3]."""
    keys = [f"{name}_{i}{j}" if f"{name}_{i}{j}" in columns else f"{name}_{j}{i}" for i in "xyz" for j in "xyz"]
    return np.stack([columns[key] for key in keys], axis=-1).reshape(-1, 3, 3)


def stencil():
    """POINT, then the points after and before it along each axis, [7, 3]."""
    steps = LENGTH * np.eye(3)
    return np.concatenate([POINT, POINT + steps, POINT - steps])


def derivatives(values):
    """Derivatives along x, y and z from values at the `stencil` points: [3, ...]."""
    return (values[1:4] - values[4:7]) / (2.0 * LENGTH)


class Balances(unittest.TestCase):
    def snapshot_after(self, snapshot, time):
        """The snapshot after all particles have moved with their velocities."""
        fields = snapshot.fields | {"position": snapshot["position"] + time * snapshot["velocity"]}
        return dataclasses.replace(snapshot, fields=fields)

    def test_mass_is_conserved(self):
        snapshot, _ = random_snapshot()
        time = 1e-7
        density = [fields_at(POINT, self.snapshot_after(snapshot, t)).columns()["mass_density"][0] for t in (time, -time)]
        change = (density[0] - density[1]) / (2.0 * time)
        flow = derivatives(vector(fields_at(stencil(), snapshot).columns(), "momentum_density"))
        self.assertGreater(abs(change), 0.0)
        np.testing.assert_allclose(change, -np.trace(flow), rtol=1e-5)

    def test_momentum_of_free_flight_is_carried_by_the_kinetic_stress(self):
        snapshot, _ = random_snapshot()
        time = 1e-7
        momentum = [vector(fields_at(POINT, self.snapshot_after(snapshot, t)).columns(), "momentum_density")[0] for t in (time, -time)]
        change = (momentum[0] - momentum[1]) / (2.0 * time)
        columns = fields_at(stencil(), snapshot).columns()
        velocity, density = vector(columns, "velocity"), columns["mass_density"]
        flux = density[:, None, None] * velocity[:, :, None] * velocity[:, None, :] + tensor(columns, "kinetic_stress")
        divergence = np.einsum("jij->i", derivatives(flux))
        np.testing.assert_allclose(change, -divergence, atol=1e-5 * np.abs(change).max())

    def test_forces_are_balanced_by_contact_stress_and_walls(self):
        snapshot, contacts = random_snapshot()
        columns = fields_at(stencil(), snapshot, contacts).columns()
        divergence = np.einsum("jij->i", derivatives(tensor(columns, "contact_stress")))
        walls = vector(columns, "wall_force_density")[0]
        # The force on each particle acts at its centre.
        sides = contacts.sides(snapshot)
        weights = scree.fields.gaussian(POINT - contacts.position[sides.contact] - sides.arm, WIDTH)
        expected = weights @ sides.force
        self.assertGreater(np.linalg.norm(walls), 1e-3 * np.linalg.norm(expected))
        np.testing.assert_allclose(walls - divergence, expected, atol=2e-5 * np.abs(expected).max())

    def test_fields_of_materials_add_up_to_the_total(self):
        snapshot, contacts = random_snapshot()
        snapshot.fields["material"] = np.arange(len(snapshot), dtype=np.int32) % 2
        snapshot.densities, snapshot.materials = np.array([2650.0, 1000.0]), ("heavy", "light")
        total = fields_at(POINT, snapshot, contacts)
        parts = fields_at(POINT, snapshot, contacts, by="material")
        self.assertEqual(len(parts.kinds), 2)
        for name, values in total.sums.items():
            np.testing.assert_allclose(parts.sums[name].sum(axis=0), values[0], rtol=1e-9, atol=1e-12 * np.abs(values).max())


class Functions(unittest.TestCase):
    def test_gaussian_has_the_integral_one(self):
        line = np.linspace(-6.0, 6.0, 61) * WIDTH
        for dimensions in (1, 2, 3):
            offsets = np.stack(np.meshgrid(*[line] * dimensions), axis=-1)
            total = scree.fields.gaussian(offsets, WIDTH).sum() * (line[1] - line[0]) ** dimensions
            self.assertAlmostEqual(total, 1.0, places=7)

    def test_line_integral_is_the_mean_over_many_points(self):
        random = np.random.default_rng(2)
        fraction = (np.arange(4000) + 0.5) / 4000
        for dimensions in (1, 2, 3):
            start, path = random.normal(size=(2, dimensions)) * WIDTH
            points = start + fraction[:, None] * path
            expected = scree.fields.gaussian(points, WIDTH).mean()
            self.assertAlmostEqual(scree.fields.line_integral(start, path, WIDTH) / expected, 1.0, places=6)
            point = scree.fields.line_integral(start, 0.0 * path, WIDTH)
            self.assertAlmostEqual(point / scree.fields.gaussian(start, WIDTH), 1.0, places=5)


class Totals(unittest.TestCase):
    def test_fields_of_a_periodic_box_integrate_to_mass_and_stress(self):
        snapshot, contacts = random_snapshot()
        snapshot.periodic[:] = True
        result = scree.fields.fields(
            [snapshot], scree.region.make, (0, 1), (40, 24), WIDTH, contacts_of=lambda _: contacts)
        columns = result.columns()
        volume = np.prod(snapshot.upper)
        self.assertAlmostEqual(columns["mass_density"].mean() * volume / snapshot.masses.sum(), 1.0, places=4)
        sides = contacts.sides(snapshot)
        total = np.einsum("ni,nj->ij", sides.force, sides.arm) / volume
        mean = tensor(columns, "contact_stress").mean(axis=0)
        np.testing.assert_allclose(mean, total, atol=1e-4 * np.abs(total).max())
        np.testing.assert_allclose(columns["free_share"], 1.0, atol=1e-4)

    def test_region_at_a_periodic_face_has_the_images_beyond_it(self):
        snapshot, contacts = random_snapshot()
        snapshot.periodic[:] = True

        def columns(upper, cells):
            return scree.fields.fields([snapshot], lambda s: scree.region.make(s, np.zeros(3), upper), (0,), (cells,), WIDTH,
                                       contacts_of=lambda _: contacts).columns()  # fmt: skip

        whole, half = columns(snapshot.upper, 20), columns(snapshot.upper * [0.5, 1.0, 1.0], 10)
        for name in ("mass_density", "velocity_x", "contact_stress_xy", "free_share"):
            np.testing.assert_allclose(half[name], whole[name][:10], rtol=1e-9, err_msg=name)

    def test_regions_at_faces_of_a_sheared_domain_have_the_images_beyond_them(self):
        base, contacts = random_snapshot(2000)
        contacts.position = contacts.position % base.upper
        wide = {"lower": -2.0 * base.upper, "upper": 3.0 * base.upper}
        shear = {"periodic": np.array([True, False, True]), "shear": (3.0, 0, 1), "image_offset": 0.013}
        sheared = dataclasses.replace(base, **shear)
        # All images of particles and contacts near the domain, without periodic axes.
        numbers = np.stack(np.meshgrid(*[np.arange(-1.0, 2.0)] * 3), axis=-1).reshape(-1, 3)
        offsets = numbers * base.upper + [[0.013, 0.0, 0.0]] * numbers[:, [1]]
        shifts = np.repeat(offsets, len(base), axis=0)
        speeds = np.repeat(numbers[:, 1], len(base))[:, None] * [3.0 * base.upper[1], 0.0, 0.0]
        copied = {name: np.concatenate([values] * len(numbers)) for name, values in base.fields.items()}
        copied["position"], copied["velocity"] = copied["position"] + shifts, copied["velocity"] + speeds
        images = dataclasses.replace(base, fields=copied, **wide)
        rows = np.repeat(np.arange(len(numbers)) * len(base), len(contacts))
        copies = contacts.taken(np.tile(np.arange(len(contacts)), len(numbers)))
        copies = dataclasses.replace(copies, a=copies.a + rows, b=np.where(copies.b < 0, -1, copies.b + rows),
                                     position=copies.position + np.repeat(offsets, len(contacts), axis=0))  # fmt: skip
        whole, half = base.upper, 0.5 * base.upper
        for axes, upper in (((0,), whole), ((0,), half), ((1,), half), ((2,), whole), ((2,), half), ((0, 2), whole)):
            results = [scree.fields.fields([snapshot], lambda s: scree.region.Region(np.zeros(3), upper, endless), axes,
                                           (20,) * len(axes), 1.5e-3, contacts_of=lambda _: record).columns()
                       for snapshot, record, endless in ((sheared, contacts, sheared.periodic & (upper == whole)),
                                                         (images, copies, np.zeros(3, bool)))]  # fmt: skip
            for name in ("mass_density", "granular_temperature", "contact_stress_xx", "contact_stress_xy", "coordination", "fabric_xx"):
                with self.subTest(axes=axes, upper=upper, name=name):
                    np.testing.assert_allclose(results[0][name], results[1][name], rtol=1e-7, atol=1e-6 * np.abs(results[1][name]).max())

    def test_sheared_domain_has_its_images_with_their_velocities(self):
        random = np.random.default_rng(6)
        extent, rate, count = np.array([0.1, 0.06, 0.02]), 3.0, 20000
        positions = random.uniform(size=(count, 3)) * extent
        velocity = rate * (positions[:, [1]] - 0.03) * [1.0, 0.0, 0.0]
        fields = made_snapshot.fields_at(positions, 5e-4, velocity=velocity)
        snapshot = made_snapshot.in_memory(fields, periodic=(True, False, True), shear=(rate, 0, 1))
        columns = scree.fields.fields([snapshot], scree.region.make, (1,), (30,), 2e-3, contacts_of=lambda _: None).columns()
        density = columns["mass_density"]
        self.assertAlmostEqual(density.mean() * np.prod(extent) / snapshot.masses.sum(), 1.0, places=4)
        np.testing.assert_allclose(density, density.mean(), rtol=0.15)  # scatter of random positions: 4 %
        heights = (np.arange(30) + 0.5) / 30 * 0.06
        np.testing.assert_allclose(columns["velocity_x"], rate * (heights - 0.03), atol=0.002)

    def test_solid_fraction_refers_to_the_space_without_walls(self):
        random = np.random.default_rng(4)
        positions = random.uniform(size=(60000, 3)) * [0.1, 0.06, 0.02]
        positions = positions[positions[:, 0] > 0.03]  # the block occupies the rest
        snapshot = made_snapshot.in_memory(
            made_snapshot.fields_at(positions, radius=2e-4),
            walls=[made_snapshot.wall("block", made_snapshot.box((-0.01, -0.01, -0.01), (0.03, 0.07, 0.03)))],
        )
        result = scree.fields.fields([snapshot], scree.region.make, (0,), (50,), WIDTH, contacts_of=lambda _: None)
        columns = result.columns()
        expected = snapshot.volumes.sum() / (0.07 * 0.06 * 0.02)
        is_beyond = result.points[:, 0] > 0.03
        np.testing.assert_allclose(columns["solid_fraction"][is_beyond], expected, rtol=0.05)
        block_column = np.argmin(np.abs(result.points[:, 0] - 0.03))
        self.assertAlmostEqual(columns["free_share"][block_column], 0.5, delta=0.2)

    def test_pressure_refers_to_the_free_space(self):
        # A fluid whose stress is uniform in the free half of the box.
        random = np.random.default_rng(4)
        positions = random.uniform(size=(60000, 3)) * [0.1, 0.06, 0.01]
        velocity = random.normal(size=positions.shape)
        snapshot = made_snapshot.in_memory(
            made_snapshot.fields_at(positions, radius=2e-4, velocity=velocity),
            walls=[made_snapshot.wall("lid", made_snapshot.box((-0.01, -0.01, 0.01), (0.11, 0.07, 0.03)))],
        )
        columns = scree.fields.fields([snapshot], scree.region.make, (0,), (10,), WIDTH, contacts_of=lambda _: None).columns()
        density = snapshot.masses.sum() / (0.1 * 0.06 * 0.01)
        np.testing.assert_allclose(columns["pressure"], density, rtol=0.05)  # times the temperature 1 m²/s²
        trace = sum(columns[f"kinetic_stress_{k}{k}"] for k in "xyz")
        np.testing.assert_allclose(trace[3:7] / 3.0, 0.5 * density, rtol=0.05)

    def test_contact_points_of_a_pair_count_as_one_neighbour(self):
        fields = made_snapshot.fields_at([[0.05, 0.03, 0.01], [0.0508, 0.03, 0.01]], radius=4e-4)
        snapshot = made_snapshot.in_memory(fields, configuration=CONFIGURATION)
        normal = np.tile([-1.0, 0.0, 0.0], (4, 1))
        pair = scree.contacts.Contacts(np.zeros(4, int), np.ones(4, int), np.tile([0.0504, 0.03, 0.01], (4, 1)), normal,
                                       np.zeros(4), 1e-6 * normal)  # fmt: skip
        self.assertAlmostEqual(fields_at(POINT, snapshot, pair).columns()["coordination"][0], 1.0)

    def test_temperature_of_a_gas_is_the_variance_of_its_velocities(self):
        snapshot, _ = random_snapshot(20000)
        columns = scree.fields.fields([snapshot], scree.region.make, (0,), (10,), WIDTH, contacts_of=lambda _: None).columns()
        inner = slice(2, 8)
        np.testing.assert_allclose(columns["granular_temperature"][inner], 1.0, rtol=0.1)


class Refused(unittest.TestCase):
    def test_unresolvable_or_missing_width_is_refused(self):
        tiny = made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01]], radius=1e-9))
        empty = made_snapshot.in_memory(made_snapshot.fields_at(np.zeros((0, 3))))
        for snapshot, words in ((tiny, "too small"), (empty, "no particles, whose mean radius is the default width")):
            with self.assertRaisesRegex(UsageError, words):
                scree.fields.fields([snapshot], scree.region.make, (0, 1), (3, 2))


class Streamlines(unittest.TestCase):
    def test_streamlines_of_a_rotation_are_circles(self):
        edges = [np.linspace(-0.02, 0.02, 41), np.linspace(-0.02, 0.02, 41)]
        grid = scree.grid.Grid((0, 1), edges, {})
        positions = grid.centres()
        grid.columns.update({"velocity_x": -positions["y"], "velocity_y": positions["x"],
                             "velocity_norm": np.hypot(positions["x"], positions["y"])})
        figure, (axes,) = scree.figure.panels(1, 1)
        scree.grid.draw_streamlines(axes, grid, 1e-3)
        (lines,) = [collection for collection in axes.collections if isinstance(collection, matplotlib.collections.LineCollection)]
        ends = np.linalg.norm([line[[0, -1]] for line in lines.get_segments()], axis=2)  # [mm]
        self.assertGreater(len(ends), 100)
        np.testing.assert_allclose(ends[:, 1], ends[:, 0], atol=0.05)
        scree.figure.plt.close(figure)

    def test_particles_at_rest_have_no_streamlines(self):
        edges = [np.linspace(0.0, 0.02, 5)] * 2
        grid = scree.grid.Grid((0, 1), edges, {name: np.zeros((4, 4)) for name in ("velocity_x", "velocity_y", "velocity_norm")})
        figure, (axes,) = scree.figure.panels(1, 1)
        scree.grid.draw_streamlines(axes, grid, 1e-3)
        self.assertFalse(axes.collections)
        scree.figure.plt.close(figure)


class Script(ScriptTest):
    script = "fields.py"

    def snapshot(self, **options):
        path = self.folder / "a.h5"
        made_snapshot.write(path, made_snapshot.made_fields(2000), configuration=CONFIGURATION, **options)
        return path

    def test_without_contacts_table_and_picture_are_written_with_a_warning(self):
        path = self.snapshot()
        self.assert_warns("output.contacts = yes", path, "--output", self.folder / "fields", "--cells", "20x12")
        table = scree.table.read(self.folder / "fields.csv", ("x", "y", "granular_temperature", "contact_stress_xz"))
        self.assertEqual(len(table["x"]), 240)
        self.assertTrue(np.isnan(table["contact_stress_xx"]).all())
        self.assert_is_picture(self.folder / "fields.png")
        self.assert_is_picture(self.folder / "fields_velocity.png")

    def test_stress_uses_the_contacts_of_a_snapshot(self):
        normals = np.array([[1.0, 0, 0], [0, 0, 1.0]])
        path = self.snapshot(contacts={"id": [[100, 101], [102, -1]], "position": [[0.05, 0.03, 0.01]] * 2,
                                       "normal": normals, "gap": np.zeros(2), "impulse": normals})  # fmt: skip
        self.assert_runs(path, "--output", self.folder / "fields", "--axis", "x", "--cells", 30)
        table = scree.table.read(self.folder / "fields.csv")
        self.assertGreater(table["contact_stress_xx"].max(), 0.0)
        self.assertGreater(table["wall_force_density_z"].max(), 0.0)

    def test_errors_along_an_axis_are_standard_errors_over_the_snapshots(self):
        paths = []
        for number, factor in enumerate((1.0, 2.0, 6.0)):
            fields = made_snapshot.made_fields(2000)
            fields["velocity"] *= np.sqrt(factor)
            paths.append(self.folder / f"{number}.h5")
            made_snapshot.write(paths[-1], fields, configuration=CONFIGURATION, step=25 + number)
        self.assertEqual(self.run_script(*paths, "--axis", "x", "--output", self.folder / "f").returncode, 0)
        table = scree.table.read(self.folder / "f.csv")
        # Temperatures in the ratio 1 : 2 : 6 have the mean 3 and the standard error sqrt(7/3).
        np.testing.assert_allclose(table["granular_temperature_error"] / table["granular_temperature"], np.sqrt(7.0 / 3.0) / 3.0,
                                   rtol=5e-3)  # the mean velocities cause a small deviation
        np.testing.assert_allclose(table["solid_fraction_error"], 0.0, atol=1e-12)

    def test_frames_without_particles_count_as_empty(self):
        empty, full = self.folder / "empty.h5", self.snapshot()
        made_snapshot.write(empty, made_snapshot.made_fields(0), configuration=CONFIGURATION)
        totals = []
        for paths in ((full,), (empty, full), (full, empty)):
            self.assertEqual(self.run_script(*paths, "--axis", "z", "--output", self.folder / "f").returncode, 0)
            totals.append(scree.table.read(self.folder / "f.csv")["number_density"].sum())
        np.testing.assert_allclose(totals, totals[0] * np.array([1.0, 0.5, 0.5]))
        self.assert_refused(2, ["no particles"], empty, "--output", self.folder / "f")

    def test_bad_input_is_refused(self):
        path = self.snapshot(periodic=(True, True, False))
        output = ("--output", self.folder / "fields")
        self.assert_refused(2, ["--cells", "2 numbers"], path, *output, "--plane", "xy", "--cells", "12")
        self.assert_refused(2, ["--width", "greater than 0"], path, *output, "--width", "0", "mm")
        self.assert_refused(2, ["width", "period", "at most"], path, *output, "--plane", "xy", "--width", "3", "cm")
        self.assert_refused(2, ["--output"], path)


if __name__ == "__main__":
    unittest.main()
