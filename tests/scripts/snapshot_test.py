"""scripts/scree/snapshot.py reads written files back, and reports the reason for each bad file."""

import pathlib
import unittest

import made_snapshot
from script_test import ScriptTest

import h5py
import numpy as np
import scree.snapshot
import xxhash


class SnapshotReader(ScriptTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "a b.h5"
        self.fields = made_snapshot.made_fields(7)
        made_snapshot.write(self.path, self.fields, periodic=(True, False, False))

    def change(self, path, value=None):
        """Replaces the object at `path`, or removes it."""
        with h5py.File(self.path, "a") as file:
            del file[path]
            if value is not None:
                file[path] = value

    def assert_refused(self, *words, fields=None):
        """Reading the file raises an error that contains the words."""
        with self.assertRaises(scree.snapshot.SnapshotError) as context:
            scree.snapshot.read_snapshot(self.path, fields)
        for word in (str(self.path), *words):
            self.assertIn(word, str(context.exception))

    def test_reader_returns_what_was_written(self):
        snapshot = scree.snapshot.read_snapshot(self.path)
        for name, values in self.fields.items():
            np.testing.assert_array_equal(snapshot[name], values)
        self.assertEqual((snapshot.step, snapshot.time, len(snapshot)), (25, 0.25, 7))
        np.testing.assert_array_equal(snapshot.upper, [0.1, 0.06, 0.02])
        np.testing.assert_array_equal(snapshot.periodic, [True, False, False])
        self.assertEqual(snapshot.configuration, made_snapshot.CONFIGURATION)

    def test_particles_beyond_an_end_of_a_periodic_domain_are_wrapped(self):
        self.fields["position"][:5, 0] = [-1e-22, 0.11, 0.1, -0.35, np.nextafter(0.1, 0.0)]
        self.fields["position"][5, 1] = 0.07
        made_snapshot.write(self.path, self.fields, periodic=(True, False, False))
        result = scree.snapshot.read_snapshot(self.path)["position"]
        np.testing.assert_allclose(result[:4, 0], [0.0, 0.01, 0.0, 0.05], atol=1e-15)
        np.testing.assert_array_equal(result[4:], self.fields["position"][4:])  # bitwise
        self.assertTrue((0.0 <= result[:, 0]).all() and (result[:, 0] < 0.1).all())

    def test_members_beyond_an_end_are_wrapped(self):
        positions = [[0.0002, 0.01, 0.01], [0.09, 0.01, 0.01]]
        fields = made_snapshot.fields_at(positions, radius=1e-3, shape=np.array([1, 0], np.int32))
        made_snapshot.write(self.path, fields, periodic=(True, False, False), shapes=[made_snapshot.DUMBBELL])
        centres, _, rows = scree.snapshot.read_snapshot(self.path).members()
        np.testing.assert_allclose(centres[rows == 0, 0], [0.0007, 0.0997], atol=1e-15)

    def test_nearest_image_in_a_sheared_domain_is_offset(self):
        shear = "[domain]\nshear_rate = 10 1/s\n"  # an image is 0.05 m ahead after 0.25 s
        made_snapshot.write(self.path, self.fields, periodic=(True, True, True), configuration=shear)
        snapshot = scree.snapshot.read_snapshot(self.path)
        separations = np.array([[0.052, 0.001, 0.019], [0.001, 0.001, 0.001]])
        np.testing.assert_allclose(snapshot.nearest(separations), [[0.002, 0.001, -0.001], separations[1]], atol=1e-15)
        np.testing.assert_allclose(snapshot.nearest(separations, earlier=0.01)[0], [0.004, 0.001, -0.001], atol=1e-15)

    def test_pairs_include_images_also_in_a_sheared_domain(self):
        random = np.random.default_rng(1)
        centres, reach = random.uniform(size=(400, 3)) * [0.1, 0.06, 0.02], 0.004
        for shear, periodic in ((None, [True, False, True]), ((3.7, 0, 2), [True, True, False]), ((-40.0, 2, 1), [True, False, True])):
            snapshot = made_snapshot.in_memory(made_snapshot.fields_at(centres), periodic=periodic, shear=shear)
            a, b = np.triu_indices(len(centres), 1)
            is_near = np.linalg.norm(snapshot.nearest(centres[a] - centres[b]), axis=1) <= reach
            expected = set(zip(a[is_near].tolist(), b[is_near].tolist()))
            pairs = np.sort(np.stack(snapshot.pairs(centres, reach)), axis=0).T.tolist()
            self.assertEqual(len(pairs), len(expected))
            self.assertEqual(set(map(tuple, pairs)), expected)

    def test_images_of_a_sheared_cell_are_at_their_stored_offset(self):
        made_snapshot.write(self.path, self.fields, periodic=(True, True, True), configuration="[cell]\nstress_z = 1 kPa\n")
        np.testing.assert_array_equal(scree.snapshot.read_snapshot(self.path).periodic, [True] * 3)
        made_snapshot.write(self.path, self.fields, periodic=(True, True, True), configuration="[cell]\n")
        with h5py.File(self.path, "a") as file:
            file["particles/grains/box"].attrs.update(image_offset=0.02, shear_rate=5.0, shear_axes=np.array(["x", "y"], dtype="S1"))
        snapshot = scree.snapshot.read_snapshot(self.path)
        self.assertEqual((snapshot.shear, snapshot.image_offset), ((5.0, 0, 1), 0.02))
        np.testing.assert_array_equal(snapshot.periodic, [True, False, True])
        separations = np.array([[0.022, 0.059, 0.001]])
        np.testing.assert_allclose(snapshot.nearest(separations), [[0.002, -0.001, 0.001]], atol=1e-15)
        np.testing.assert_allclose(snapshot.nearest(separations, earlier=0.01), [[0.005, -0.001, 0.001]], atol=1e-15)

    def test_particles_beyond_an_end_of_a_sheared_domain_are_wrapped(self):
        # U = 10 1/s x 0.02 m = 0.2 m/s: after 0.25 s the image above is 0.05 m ahead, half a period.
        shear = "[domain]\nperiodic = x y z\nshear_rate = 10 1/s\n"
        self.fields["position"][:3] = [[0.01, 0.03, 0.021], [0.01, 0.03, -0.001], [0.01, 0.03, 0.011]]
        made_snapshot.write(self.path, self.fields, periodic=(True, True, True), configuration=shear)
        snapshot = scree.snapshot.read_snapshot(self.path)
        expected = [[0.06, 0.03, 0.001], [0.06, 0.03, 0.019], [0.01, 0.03, 0.011]]
        np.testing.assert_allclose(snapshot["position"][:3], expected, atol=1e-15)
        np.testing.assert_allclose((snapshot["velocity"] - self.fields["velocity"])[:3],
                                   [[-0.2, 0, 0], [0.2, 0, 0], [0, 0, 0]], atol=1e-15)  # fmt: skip
        np.testing.assert_array_equal(snapshot.periodic, [True, True, False])
        velocity = scree.snapshot.read_snapshot(self.path, ["velocity"])["velocity"]
        np.testing.assert_array_equal(velocity, snapshot["velocity"])
        np.testing.assert_array_equal(snapshot["position"][3:], self.fields["position"][3:])

    def test_particles_beyond_an_end_of_a_cell_get_the_velocity_of_their_image(self):
        # A mean flow D x about the centre is the same before and after the move, because images have it, too.
        self.fields["position"] += np.random.default_rng(2).integers(-2, 3, (len(self.fields["position"]), 3)) * [0.1, 0.06, 0.02]
        gradient = np.diag([-20.0, 8.0, -5.0])
        for shear_rate, offset in ((0.0, None), (30.0, 0.013), (0.0, 0.013)):
            gradient[0, 2] = shear_rate
            self.fields["velocity"] = (self.fields["position"] - [0.05, 0.03, 0.01]) @ gradient.T
            made_snapshot.write(self.path, self.fields, periodic=(True, True, True), configuration="[cell]\n")
            with h5py.File(self.path, "a") as file:
                attributes = file["particles/grains/box"].attrs
                attributes["strain_rate"] = np.diag(gradient)
                if offset is not None:
                    attributes.update(image_offset=offset, shear_rate=shear_rate, shear_axes=np.array(["x", "z"], dtype="S1"))
            snapshot = scree.snapshot.read_snapshot(self.path)
            expected = (snapshot["position"] - [0.05, 0.03, 0.01]) @ gradient.T
            self.assertTrue(((snapshot["position"] >= snapshot.lower) & (snapshot["position"] < snapshot.upper)).all())
            np.testing.assert_allclose(snapshot["velocity"], expected, atol=1e-13)
            np.testing.assert_array_equal(scree.snapshot.read_snapshot(self.path, ["velocity"])["velocity"], snapshot["velocity"])

    def test_digest_next_to_the_snapshot_is_checked(self):
        digest_file = pathlib.Path(f"{self.path}.xxh64")
        # xxh64sum prints 44bc2cf5ad770999 for abc.
        intact = self.path.read_bytes()
        self.path.write_bytes(b"abc")
        digest_file.write_text("44bc2cf5ad770999  a b.h5\n")
        scree.snapshot.demand_whole(self.path)
        self.path.write_bytes(intact)
        self.assert_refused("is damaged: its digest is", "expected 44bc2cf5ad770999")
        digest_file.write_text("")
        self.assert_refused("is damaged", "expected none")
        digest_file.unlink()
        scree.snapshot.read_snapshot(self.path)

    def test_digests_of_blocks_are_checked(self):
        digest_file = pathlib.Path(f"{self.path}.xxh64")
        intact, size = self.path.read_bytes(), 1000
        header = f"# XXH64 of blocks of {size} bytes, then of the lines above\n"
        blocks = [intact[first : first + size] for first in range(0, len(intact), size)]
        lines = header + "".join(xxhash.xxh64(block).hexdigest() + "\n" for block in blocks)
        digests = f"{lines}{xxhash.xxh64(lines).hexdigest()}  a.h5\n"
        digest_file.write_text(digests)
        scree.snapshot.read_snapshot(self.path)
        self.path.write_bytes(intact[:1234] + bytes([intact[1234] ^ 4]) + intact[1235:])
        self.assert_refused("is damaged: its digest is", xxhash.xxh64(blocks[1]).hexdigest())
        self.path.write_bytes(intact + b"x" * size)
        self.assert_refused("is damaged: its length does not match its digests")
        self.path.write_bytes(intact)
        digest_file.write_text(lines + "0" * 16 + "  a.h5\n")
        self.assert_refused("is damaged")

    def test_subdomains_are_boxes_or_none(self):
        self.change("scree/subdomains", np.arange(12.0).reshape(2, 6))
        boxes = scree.snapshot.read_snapshot(self.path).subdomains
        np.testing.assert_array_equal(boxes, np.arange(12.0).reshape(2, 2, 3))
        self.change("scree/subdomains")
        self.assertEqual(len(scree.snapshot.read_snapshot(self.path).subdomains), 0)

    def test_box_starts_at_its_offset(self):
        with h5py.File(self.path, "a") as file:
            file["particles/grains/box"].attrs["offset"] = [1.0, 2.0, 3.0]
        snapshot = scree.snapshot.read_snapshot(self.path)
        np.testing.assert_allclose(snapshot.lower, [1.0, 2.0, 3.0])
        np.testing.assert_allclose(snapshot.upper, [1.1, 2.06, 3.02])

    def test_positions_are_wrapped_into_a_periodic_domain(self):
        positions = np.array([[-1e-22, 0.03, 0.01], [0.11, 0.07, 0.02], [0.1, 0.0, 0.0]])
        snapshot = made_snapshot.in_memory(made_snapshot.fields_at(positions), periodic=(True, False, False))
        expected = [[0.0, 0.03, 0.01], [0.01, 0.07, 0.02], [0.0, 0.0, 0.0]]
        np.testing.assert_allclose(snapshot.wrapped(positions), expected, atol=1e-15)
        np.testing.assert_array_equal(snapshot.period, [0.1, 0.0, 0.0])

    def test_masses_follow_the_materials(self):
        self.fields["material"][3] = 1
        snapshot = made_snapshot.in_memory(self.fields, densities=np.array([1000.0, 2000.0]))
        volume = 4 / 3 * np.pi * self.fields["radius"] ** 3
        expected = np.where(np.arange(7) == 3, 2000.0, 1000.0) * volume
        np.testing.assert_allclose(snapshot.masses, expected)
        snapshot = made_snapshot.in_memory(self.fields)
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "material"):
            snapshot.masses

    def test_members_rotate_with_their_body_and_count_once_in_its_mass(self):
        rod = scree.snapshot.Shape("rod", np.array([[0.5, 0, 0, 0.5], [-0.5, 0, 0, 0.25]]), 0.7, 0.0, np.eye(3))
        shape_with_density = scree.snapshot.Shape("known", np.array([[0.0, 0, 0, 1.0]]), 4.0, 500.0, np.eye(3))
        half = np.sqrt(0.5)  # for a quarter turn about z
        fields = made_snapshot.fields_at(
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 0.0, 0.0]], radius=0.1,
            shape=np.array([1, 0, 2], dtype=np.int32),
            orientation=np.array([[half, 0, 0, half], [1, 0, 0, 0], [1, 0, 0, 0]]),
        )  # fmt: skip
        snapshot = made_snapshot.in_memory(fields, shapes=[rod, shape_with_density], densities=np.array([1000.0]))
        centres, radii, rows = snapshot.members()
        np.testing.assert_array_equal(rows, [1, 0, 0, 2])
        np.testing.assert_allclose(radii, [0.1, 0.05, 0.025, 0.1])
        np.testing.assert_allclose(
            centres, [[4, 5, 6], [1, 2.05, 3], [1, 1.95, 3], [0, 0, 0]], atol=1e-15
        )
        np.testing.assert_allclose(snapshot.masses, [0.7, 4 / 3 * np.pi, 500.0 * 0.004])
        snapshot = made_snapshot.in_memory(fields, shapes=[rod])
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "of a shape that it does not list"):
            snapshot.members()

    def test_frames_are_read_in_order_and_share_their_domain(self):
        other_path = self.path.with_name("other.h5")
        made_snapshot.write(other_path, self.fields, time=0.5, periodic=(True, False, False))
        frames = list(scree.snapshot.read_frames([self.path, other_path]))
        self.assertEqual([frame.time for frame in frames], [0.25, 0.5])
        made_snapshot.write(other_path, self.fields)
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "differ in their domain"):
            list(scree.snapshot.read_frames([self.path, other_path]))

    def test_snapshot_may_have_no_particles(self):
        made_snapshot.write(self.path, made_snapshot.made_fields(0))
        self.assertEqual(len(scree.snapshot.read_snapshot(self.path)), 0)

    def test_field_may_be_a_plain_dataset_or_have_frames(self):
        self.change("particles/grains/radius")
        with h5py.File(self.path, "a") as file:
            file["particles/grains/radius/value"] = self.fields["radius"][None]
        np.testing.assert_array_equal(
            scree.snapshot.read_snapshot(self.path)["radius"], self.fields["radius"]
        )

    def test_unused_field_may_be_missing(self):
        self.change("particles/grains/orientation")
        self.assertEqual(len(scree.snapshot.read_snapshot(self.path, ("position",))), 7)
        self.assert_refused("orientation", fields=("orientation",))
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "no orientation.*it has .*velocity"):
            scree.snapshot.read_snapshot(self.path)["orientation"]

    def test_quantities_name_the_field_that_they_lack(self):
        for quantity, field in (("material_numbers", "material"), ("masses", "material"), ("volumes", "radius"), ("speed", "velocity")):
            with self.subTest(quantity):
                snapshot = made_snapshot.in_memory({name: values for name, values in self.fields.items() if name != field})
                with self.assertRaisesRegex(scree.snapshot.MissingField, f"'made.h5' has no {field} of the particles"):
                    getattr(snapshot, quantity)

    def test_unknown_field_is_read_as_it_is_in_the_file(self):
        values = np.arange(14.0).reshape(7, 2)
        with h5py.File(self.path, "a") as file:
            file["particles/grains/heat/value"] = values[None]
            file["particles/grains/heat/value"].attrs["unit"] = np.bytes_("J m-2 s-1")
        snapshot = scree.snapshot.read_snapshot(self.path)
        np.testing.assert_array_equal(snapshot["heat"], values)
        self.assertEqual(snapshot.units["heat"], "J/m^2/s")
        self.assertEqual([snapshot.units[name] for name in ("velocity", "id")], ["m/s", "1"])

    def test_files_that_are_no_snapshots_are_refused(self):
        intact = self.path.read_bytes()
        for content in (None, intact[: len(intact) // 2], b"x,y,z,radius\n"):
            self.path.unlink()
            if content is not None:
                self.path.write_bytes(content)
            self.assert_refused("cannot be read")
            self.path.write_bytes(b"")
        with h5py.File(self.path, "w") as file:
            file["temperature"] = np.zeros(3)
        self.assert_refused("not a snapshot of Scree", "particles/grains")

    def test_missing_or_wrong_datasets_are_named(self):
        for name, value, words in (
            ("particles/grains/box/edges", None, ["edges"]),
            ("scree", None, ["/scree"]),
            ("scree/materials", None, ["materials"]),
            ("particles/grains/position/value", np.zeros((1, 7, 2)), ["position", "(1, 7, 2)", "Nx3"]),
            ("particles/grains/radius", np.zeros(6), ["number of particles"]),
            ("scree/walls/displacement", None, ["displacement"]),
            ("scree/walls/corners_of_part", np.array([0, 256, 9]), ["parts of /scree/walls"]),
            ("scree/walls/is_there", np.array([1]), ["walls/is_there"]),
        ):
            made_snapshot.write(self.path, self.fields)
            self.change(name, value)
            with self.subTest(name):
                self.assert_refused(*words)
        for owner, name, value, words in (
            ("box", "boundary", None, "'boundary'"),
            ("velocity/value", "unit", np.bytes_("mm s-1"), "velocity is in 'mm s-1'; expected SI units"),
        ):
            made_snapshot.write(self.path, self.fields)
            with h5py.File(self.path, "a") as file, self.subTest(name):
                attributes = file[f"particles/grains/{owner}"].attrs
                del attributes[name]
                if value is not None:
                    attributes[name] = value
            self.assert_refused(words)


if __name__ == "__main__":
    unittest.main()
