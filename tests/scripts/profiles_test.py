"""Tests of scripts/profiles.py: flows with known profiles, averages over frames, bad input."""

import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.ask
import scree.axisymmetric
import scree.fields
import scree.grid
import scree.profiles
import scree.region
import scree.table

EXTENT = np.array([0.1, 0.06, 0.02])
CELLS = (20, 12)
SPIN = np.array([1.0, -2.0, 3.0])  # [rad/s]
CENTRE = 0.5 * EXTENT
RADIUS = 5e-4


def lattice():
    """2 x 2 x 8 positions in each of the CELLS, symmetric about the centre of the cell: [N, 3]."""
    counts = np.array([2 * CELLS[0], 2 * CELLS[1], 8])
    return (np.indices(counts).reshape(3, -1).T + 0.5) / counts * EXTENT


def rotating_fields(positions):
    """Fields of a rigid body that rotates about CENTRE."""
    velocity = np.cross(SPIN, positions - CENTRE)
    spin = np.tile(SPIN, (len(positions), 1))
    return made_snapshot.fields_at(positions, RADIUS, velocity=velocity, angular_velocity=spin)


def profile(*frames, axes=(0, 1), cells=CELLS, lower=None, upper=None, shapes=()):
    def region_of(snapshot):
        return scree.region.make(snapshot, lower, upper)

    snapshots = (made_snapshot.in_memory(frame, shapes=list(shapes)) for frame in frames)
    return scree.profiles.profile(snapshots, region_of, axes, cells)


class RigidRotation(unittest.TestCase):
    def setUp(self):
        self.profile = profile(rotating_fields(lattice()))
        self.columns = self.profile.columns

    def test_mean_velocity_of_a_cell_is_the_velocity_at_its_centre(self):
        centres = self.profile.centres()
        middle = np.stack([centres["x"], centres["y"], np.full(CELLS, CENTRE[2])], axis=-1)
        expected = np.cross(SPIN, middle - CENTRE)
        for axis in range(3):
            np.testing.assert_allclose(
                self.columns[f"velocity_{'xyz'[axis]}"], expected[..., axis], atol=1e-15
            )
        np.testing.assert_allclose(
            self.columns["velocity_norm"], np.linalg.norm(expected, axis=-1), atol=1e-15
        )

    def test_arrows_show_the_rotation(self):
        positions, velocities, side = scree.grid.arrows(self.profile, 10)
        self.assertEqual((len(positions), side), (60, 0.01))  # blocks of two by two cells
        expected = np.cross(SPIN, np.insert(positions, 2, CENTRE[2], axis=1) - CENTRE)[:, :2]
        np.testing.assert_allclose(velocities, expected, atol=1e-15)

    def test_spin_is_the_same_everywhere(self):
        for name in ("angular_speed", "angular_velocity_norm"):
            np.testing.assert_allclose(self.columns[name], np.linalg.norm(SPIN), rtol=1e-14)
        np.testing.assert_allclose(self.columns["angular_velocity_y"], -2.0, rtol=1e-14)

    def test_speed_is_the_mean_of_norms(self):
        positions = lattice()
        speed = np.linalg.norm(np.cross(SPIN, positions - CENTRE), axis=1)
        in_first_cell = (positions[:, 0] < EXTENT[0] / 20) & (positions[:, 1] < EXTENT[1] / 12)
        self.assertAlmostEqual(self.columns["speed"][0, 0], speed[in_first_cell].mean(), places=14)
        self.assertTrue(np.all(self.columns["speed"] >= self.columns["velocity_norm"]))

    def test_densities_follow_from_the_particles_of_a_cell(self):
        cell = np.prod(EXTENT) / np.prod(CELLS)
        sphere = 4 / 3 * np.pi * RADIUS**3
        np.testing.assert_array_equal(self.columns["samples"], 32)
        np.testing.assert_allclose(self.columns["number_density"], 32 / cell)
        np.testing.assert_allclose(self.columns["solid_fraction"], 32 * sphere / cell)
        mass = made_snapshot.DENSITY * 32 * sphere
        np.testing.assert_allclose(self.columns["mass_density"], mass / cell)

    def test_volume_of_a_polyhedron_is_divided_among_cells(self):
        # A cube of 4 mm, rotated by 45 degrees about z. Its centre is 1 mm from the border of two cells.
        edge = 4e-3
        orientation = np.array([[np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)]])
        fields = made_snapshot.fields_at([[0.051, 0.03, 0.01]], 0.5 * np.sqrt(3.0) * edge, shape=np.array([1]), orientation=orientation)
        actual = profile(fields, axes=(0,), cells=(2,), shapes=[made_snapshot.CUBE])
        solid = actual.columns["solid_fraction"] * np.prod(EXTENT) / 2
        volume_left = edge * (edge / np.sqrt(2.0) - 1e-3) ** 2  # the part on the left is a prism with a triangular base
        np.testing.assert_allclose(solid.sum(), edge**3)
        self.assertAlmostEqual(solid[0], volume_left, delta=0.1 * edge**3)

    def test_profile_along_one_axis_averages_the_others(self):
        result = profile(rotating_fields(lattice()), axes=(2,), cells=(8,))
        np.testing.assert_allclose(result.centres()["z"], (np.arange(8) + 0.5) / 8 * 0.02)
        # The mean over x and y equals the value on the line through the centre.
        expected = SPIN[1] * (result.centres()["z"] - CENTRE[2])
        np.testing.assert_allclose(result.columns["velocity_x"], expected, atol=1e-15)

    def test_particles_outside_the_region_are_left_out(self):
        lower, upper = (0.05, 0.03, 0.0), (0.1, 0.06, 0.01)
        part = profile(rotating_fields(lattice()), cells=(10, 6), lower=lower, upper=upper)
        self.assertEqual(part.columns["samples"].sum(), len(lattice()) / 8)
        np.testing.assert_allclose(part.centres()["x"][:, 0], 0.05 + 0.005 * (np.arange(10) + 0.5))


class Frames(unittest.TestCase):
    def fields(self, velocities):
        """Particles in the first of two cells along x."""
        positions = np.tile([0.01, 0.01, 0.01], (len(velocities), 1))
        return made_snapshot.fields_at(positions, RADIUS, velocity=np.array(velocities, dtype=float))

    def test_opposite_velocities_have_speed_but_no_mean_velocity(self):
        columns = profile(
            self.fields([[1, 0, 0], [-1, 0, 0]]), axes=(0,), cells=(2,)
        ).columns  # fmt: skip
        self.assertEqual((columns["speed"][0], columns["velocity_norm"][0]), (1.0, 0.0))

    def test_velocities_average_over_samples_and_densities_over_frames(self):
        frames = [self.fields([[1, 0, 0]] * 3), self.fields([[5, 0, 0]])]
        columns = profile(*frames, axes=(0,), cells=(2,)).columns
        self.assertAlmostEqual(columns["velocity_x"][0], 2.0)
        cell_volume = np.prod(EXTENT) / 2
        np.testing.assert_allclose(columns["number_density"], [2 / cell_volume, 0.0])

    def test_empty_cell_has_no_velocity(self):
        columns = profile(self.fields([[1, 0, 0]]), axes=(0,), cells=(2,)).columns
        self.assertTrue(np.isnan(columns["speed"][1]) and np.isnan(columns["velocity_norm"][1]))
        self.assertEqual(columns["solid_fraction"][1], 0.0)


class Cells(unittest.TestCase):
    def test_number_of_default_cells_is_limited(self):
        tiny = made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01], [0.09, 0.05, 0.01]], radius=1e-9))
        counts = scree.grid.cells(tiny, (0, 1), samples=0)
        self.assertLessEqual(np.prod(counts), 1.01 * scree.grid.MAX_CELLS)
        self.assertAlmostEqual(counts[0] / counts[1], 10.0 / 6.0, places=2)


class PeriodicCell(unittest.TestCase):
    """A cubic [cell] whose edge changes: positions as fractions of the edge are the same in all frames."""

    EDGES = np.array([0.012, 0.011, 0.01])  # edge in each frame [m]
    SOLID = 1000 * 4.0 / 3.0 * np.pi * RADIUS**3  # volume of the spheres [m^3]

    def frames(self, edges=EDGES):
        fraction = (np.indices((10,) * 3).reshape(3, -1).T + 0.5) / 10
        return [made_snapshot.in_memory(made_snapshot.fields_at(0.005 + fraction * edge, RADIUS), periodic=(True,) * 3,
                                        lower=np.full(3, 0.005), upper=np.full(3, 0.005 + edge)) for edge in edges]  # fmt: skip

    def test_each_frame_has_the_volume_of_its_cell(self):
        frames = self.frames()
        actual = scree.ask.profile(frames, "z", 10)
        np.testing.assert_allclose(actual.columns["solid_fraction"], 3.0 * self.SOLID / np.sum(self.EDGES**3), rtol=1e-9)
        np.testing.assert_allclose(actual.columns["number_density"], 3000.0 / np.sum(self.EDGES**3), rtol=1e-9)
        np.testing.assert_array_equal(actual.columns["samples"], 300)
        np.testing.assert_allclose(actual.edges[0][[0, -1]], (0.005, 0.015))  # of the last frame

    def test_smoothed_fields_use_the_cell_of_each_frame(self):
        frames = self.frames()
        region_of = scree.region.following(scree.region.of_grains(frames, (2,)), frames[-1])
        actual = scree.fields.fields(frames, region_of, (2,), (10,), 8e-4, contacts_of=lambda _: None)
        np.testing.assert_allclose(actual.columns()["solid_fraction"], np.mean(self.SOLID / self.EDGES**3), rtol=2e-3)
        np.testing.assert_allclose(actual.points[[0, -1], 0], (0.0055, 0.0145))

    def test_errors_are_standard_errors_of_the_means(self):
        frames = self.frames((0.01,) * 4)
        for frame, speed in zip(frames, (1.0, 2.0, 3.0, 6.0)):
            frame.fields["velocity"][:, 0] = speed
        columns = scree.ask.profile(frames, "z", 10).columns
        np.testing.assert_allclose(columns["speed"], 3.0)
        np.testing.assert_allclose(columns["speed_error"], np.sqrt(14.0 / 3.0 / 4.0))
        self.assertNotIn("speed_error", scree.ask.profile(frames[:1], "z", 10).columns)
        self.assertNotIn("speed_error", scree.ask.profile(frames, "xz", (4, 4)).columns)


class DefaultRegion(unittest.TestCase):
    """The default region of a column and a cone of random, possibly overlapping grains."""

    SOLID = 0.6  # solid fraction

    def bed(self, is_cone):
        random = np.random.default_rng(6)
        extent, radius, top = (0.2, 0.2, 0.1), 0.03, 0.04
        volume = np.pi * radius**2 * top / (3.0 if is_cone else 1.0)
        size = 8e-4
        count = round(self.SOLID * volume / (4.0 / 3.0 * np.pi * size**3))
        height = top * (1.0 - random.uniform(size=count) ** (1.0 / 3.0)) if is_cone else top * random.uniform(size=count)
        distance = radius * (1.0 - height / top if is_cone else 1.0) * np.sqrt(random.uniform(size=count))
        angle = random.uniform(0.0, 2.0 * np.pi, count)
        positions = np.column_stack([0.1 + distance * np.cos(angle), 0.1 + distance * np.sin(angle), height])
        return made_snapshot.in_memory(made_snapshot.fields_at(positions, size), extent)

    def test_column_has_the_true_fraction_along_z_and_in_a_map(self):
        column = self.bed(is_cone=False)
        profile_along_z = scree.ask.profile(column, "z", cells=10).columns["solid_fraction"]
        np.testing.assert_allclose(profile_along_z[1:-1], self.SOLID, rtol=0.06)
        plane = scree.ask.profile(column, "xz", cells=(14, 8)).columns["solid_fraction"]
        self.assertAlmostEqual(plane[4:-4, 1:-1].mean(), self.SOLID, delta=0.03)  # cells scatter by a tenth

    def test_heap_has_the_true_fraction_in_a_map_and_along_its_core(self):
        cone = self.bed(is_cone=True)
        plane = scree.ask.profile(cone, "xz", cells=(14, 12)).columns["solid_fraction"]
        self.assertAlmostEqual(plane[5:-5, 1:4].mean(), self.SOLID, delta=0.03)
        profile_along_z = scree.ask.profile(cone, "z", cells=10).columns["solid_fraction"]
        np.testing.assert_allclose(profile_along_z[1:4], self.SOLID, rtol=0.1)

    def test_region_covers_the_grains_of_all_frames(self):
        first = made_snapshot.fields_at([[0.05, 0.03, 0.015]] * 4, RADIUS)
        last_fields = made_snapshot.fields_at([[0.05, 0.03, 0.005]] * 4, RADIUS)
        no_fields = made_snapshot.fields_at([], RADIUS)
        frames = [made_snapshot.in_memory(fields) for fields in (first, last_fields, no_fields)]
        region = scree.region.of_grains(iter(frames), (2,))
        np.testing.assert_allclose([region.lower[2], region.upper[2]], [0.005 - 2 * RADIUS, 0.015 + 2 * RADIUS])
        np.testing.assert_allclose([region.lower[0], region.upper[0]], [0.05 - RADIUS, 0.05 + RADIUS])
        empty = scree.region.of_grains(frames[2:], (2,))
        np.testing.assert_array_equal([empty.lower, empty.upper], [np.zeros(3), EXTENT])


class OverTime(unittest.TestCase):
    def test_falling_layer_is_in_another_cell_at_each_time(self):
        positions = lattice()[lattice()[:, 2] > 0.015]
        frames = [made_snapshot.in_memory(made_snapshot.fields_at(positions - [0, 0, 0.005 * k],
                                                                  velocity=np.tile([0, 0, -0.5 - k], (len(positions), 1))),
                                          time=0.01 * k) for k in range(4)]  # fmt: skip
        grids = scree.profiles.over_time([*frames, made_snapshot.in_memory(made_snapshot.fields_at(np.zeros((0, 3))))], scree.region.make, 2, 4)
        self.assertEqual([grid.times for grid in grids], [(0.0,), (0.01,), (0.02,), (0.03,)])
        samples = np.array([grid.columns["samples"] for grid in grids])
        np.testing.assert_array_equal(samples, len(positions) * np.eye(4)[::-1])
        speed = [np.nanmax(grid.columns["speed"]) for grid in grids]
        np.testing.assert_allclose(speed, [0.5, 1.5, 2.5, 3.5])


class AboutAnAxis(unittest.TestCase):
    def rings(self, axis, positions, velocity, periodic=False, centre=CENTRE, counts=(5, 2)):
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at(positions, RADIUS, velocity=velocity), EXTENT, (periodic,) * 3)
        return scree.axisymmetric.profile([snapshot, snapshot], axis, centre,
                                          scree.axisymmetric.edges(snapshot, axis, centre, counts))

    def test_helical_motion_has_velocities_along_theta_and_the_axis(self):
        for axis in range(3):
            positions = np.random.default_rng(1).uniform(size=(20000, 3)) * EXTENT
            rotation = 3.0 * np.eye(3)[axis]
            rings = self.rings(axis, positions, np.cross(rotation, positions - CENTRE) + 2.0 * np.eye(3)[axis])
            r = np.linalg.norm(np.delete(positions - CENTRE, axis, axis=1), axis=1)
            low, high = rings.edges[0][2:4]
            is_inside = (r >= low) & (r < high) & (positions[:, axis] < rings.edges[1][1])
            self.assertAlmostEqual(rings.columns["velocity_theta"][2, 0], 3.0 * r[is_inside].mean())
            np.testing.assert_allclose(rings.columns["velocity_r"], 0.0, atol=1e-12)
            np.testing.assert_allclose(rings.columns[f"velocity_{'xyz'[axis]}"], 2.0)
            self.assertEqual(rings.columns["samples"].sum(), 2 * len(positions))

    def test_motion_away_from_the_axis_has_a_positive_velocity_along_r(self):
        rings = self.rings(2, CENTRE + [[0.01, 0, 0], [0, -0.01, 0]], np.array([[1.0, 0, 0], [0, -1.0, 0]]))
        np.testing.assert_allclose(rings.columns["velocity_r"][rings.columns["samples"] > 0], 1.0)

    def test_uniform_packing_has_one_solid_fraction_out_to_the_corners_of_the_box(self):
        positions = (np.indices((100, 60, 20)).reshape(3, -1).T + 0.5) * 1e-3
        rings = self.rings(2, positions, np.zeros((len(positions), 3)), counts=(6, 4))
        np.testing.assert_allclose(rings.columns["solid_fraction"][:-1], np.pi / 6.0, rtol=0.02)
        # The last ring contains only the corners.
        np.testing.assert_allclose(rings.columns["solid_fraction"][-1], np.pi / 6.0, rtol=0.06)
        # Half the edges of the box are 5 and 3 cm: rings within 3 cm are in the box, rings beyond 5.83 cm outside.
        np.testing.assert_allclose(rings.columns["free_share"][rings.edges[0][1:] < 0.03], 1.0)
        self.assertTrue(np.all(rings.columns["free_share"][-1] < 0.3))
        ring_volumes = np.pi * np.diff(rings.edges[0] ** 2)[:, None] * np.diff(rings.edges[1])
        self.assertAlmostEqual(np.sum(rings.columns["number_density"] * ring_volumes), len(positions))


class Script(ScriptTest):
    script = "profiles.py"

    def setUp(self):
        super().setUp()
        self.frame = self.folder / "frame.h5"
        self.prefix = self.folder / "p"
        made_snapshot.write(self.frame, made_snapshot.made_fields(3000))

    def test_map_of_a_plane_is_drawn(self):
        self.assert_runs(self.frame, self.frame, "--cells", "150x65", "--output", self.prefix)
        table = scree.table.read(f"{self.prefix}.csv")
        self.assertEqual(len(table["x"]), 150 * 65)
        self.assertEqual(table["samples"].sum(), 6000)
        # x varies fastest, as in averages/*.csv.
        np.testing.assert_allclose(table["x"][:150], 1e-3 * (np.arange(150) + 0.5) * 2 / 3)
        self.assertEqual(np.isnan(table["speed"]).sum(), np.count_nonzero(table["samples"] == 0))
        self.assert_is_picture(self.folder / "p.png")

    def test_profiles_over_time_and_about_an_axis(self):
        later_path = self.folder / "later.h5"
        made_snapshot.write(later_path, made_snapshot.made_fields(3000), time=0.5, step=50)
        self.assert_runs(self.frame, later_path, "--axis", "z", "--over-time", "--output", self.prefix)
        table = scree.table.read(f"{self.prefix}.csv")
        np.testing.assert_array_equal(np.unique(table["time"]), [0.25, 0.5])
        self.assertEqual(table["samples"].sum(), 6000)
        self.assert_is_picture(self.folder / "p.png")
        rings = self.folder / "rings"
        self.assert_runs(self.frame, "--about", "z", "--centre", "4", "3", "0", "cm", "--cells", "6x3", "--output", rings)
        table = scree.table.read(f"{rings}.csv")
        self.assertEqual((len(table["r"]), table["samples"].sum()), (18, 3000))
        self.assert_is_picture(self.folder / "rings.png")
        periodic = self.folder / "periodic.h5"  # rings that reach beyond the domain do so whether it is periodic or not
        made_snapshot.write(periodic, made_snapshot.made_fields(3000), periodic=(True, True, True))
        self.assert_runs(periodic, "--about", "z", "--centre", "4", "3", "0", "cm", "--cells", "6x3", "--output", rings)
        np.testing.assert_array_equal(scree.table.read(f"{rings}.csv")["free_share"], table["free_share"])
        for words, options in ((["needs one axis"], ["--plane", "xy", "--over-time"]), (["--about cannot be combined"], ["--about", "z", "--axis", "x"]),
                               (["2 numbers with --about"], ["--about", "z", "--cells", "5"]), (["--about, which is missing"], ["--centre", "0 0 0 m"])):  # fmt: skip
            self.assert_refused(2, words, self.frame, "--output", rings, *options)

    def test_cells_are_a_sphere_wide_or_contain_8_spheres(self):
        random = np.random.default_rng(1)
        dense = made_snapshot.fields_at(random.uniform(size=(90000, 3)) * [0.1, 0.06, 0.02], 4.7e-4)
        self.assertEqual(scree.grid.cells(made_snapshot.in_memory(dense), (0, 1)), (100, 60))
        thin = made_snapshot.in_memory(made_snapshot.made_fields(3000))
        counts = scree.grid.cells(thin, (0, 1))
        self.assertAlmostEqual(3000 / np.prod(counts) / 8, 1.0, delta=0.1)
        self.assertAlmostEqual(counts[0] / counts[1] / (10 / 6), 1.0, delta=0.1)
        self.assertGreater(np.prod(scree.grid.cells(thin, (0, 1), frames=4)), 3.8 * np.prod(counts))

    def test_default_axes_follow_the_scene(self):
        fields = made_snapshot.made_fields(10)
        flat = made_snapshot.in_memory(fields, (0.1, 0.06, 0.02))
        self.assertEqual(scree.grid.natural_axes(flat), (0, 1))
        high = made_snapshot.in_memory(fields, (0.1, 0.1, 0.2))
        self.assertEqual(scree.grid.natural_axes(high), (0, 2))
        layer = made_snapshot.in_memory(fields, (0.1, 0.1, 0.2), (True, True, False))
        self.assertEqual(scree.grid.natural_axes(layer), (2,))

    def test_plane_and_axis_can_be_chosen(self):
        self.assert_runs(self.frame, "--plane", "yz", "--cells", "6x2", "--output", self.prefix)
        self.assertEqual(list(scree.table.read(f"{self.prefix}.csv"))[:3], ["y", "z", "samples"])
        self.assert_runs(self.frame, "--axis", "z", "--cells", "4", "--output", self.prefix)
        self.assertEqual(len(scree.table.read(f"{self.prefix}.csv")["z"]), 4)
        self.assert_is_picture(self.folder / "p.png")

    def test_bad_usage_is_refused(self):
        empty = self.folder / "empty.h5"
        made_snapshot.write(empty, made_snapshot.made_fields(0))
        cases = (
            ([empty], ["no particles"]),
            ([self.frame, "--lower", "0", "0", "3", "cm"], ["z from 0.03"]),
            ([self.frame, "--upper", "0", "1", "1", "cm"], ["below the upper"]),
            ([self.frame, "--cells", "10"], ["2 numbers"]),
            ([self.frame, "--axis", "x", "--cells", "10x10"], ["1 number"]),
            ([self.frame, "--cells", "0x3"], ["150x65"]),
            ([self.frame, "--axis", "x", "--plane", "xy"], ["not allowed with"]),
        )
        for arguments, words in cases:
            with self.subTest(arguments=arguments):
                self.assert_refused(2, words, *arguments, "--output", self.prefix)

    def test_empty_frames_do_not_affect_the_choice_of_cells(self):
        empty = self.folder / "empty.h5"
        made_snapshot.write(empty, made_snapshot.made_fields(0))
        self.assert_runs(empty, self.frame, self.frame, "--axis", "x", "--output", self.prefix)
        table = scree.table.read(f"{self.prefix}.csv")
        self.assertGreater(len(table["x"]), 10)


if __name__ == "__main__":
    unittest.main()
