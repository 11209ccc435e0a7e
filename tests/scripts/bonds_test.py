"""scripts/scree/bonds.py: clusters and fragments of known bonds, bonds with walls and lost particles, bad files; their colours."""

import pathlib
import tempfile
import unittest

import made_snapshot

import h5py
import numpy as np
import scree.bonds
import scree.colour
import scree.snapshot
from scree.errors import SnapshotError, UsageError

COUNT = 12
# Ids are 100, ..., 111: a chain of four, a triangle with a broken side, a pair with a broken bond, two particles bonded
# to each other and to a wall, and a removed particle.
PAIRS = [(100, 101), (102, 103), (101, 103), (104, 105), (105, 106), (104, 106), (107, 108), (109, -1), (110, -1), (111, 999)]
STATES = [0, 0, 0, 0, 0, 2, 1, 0, 0, 0]
LABELS = [100, 100, 100, 100, 104, 104, 104, 107, 108, 109, 110, 111]


def write_bonds(path, pairs=PAIRS, states=STATES, **options):
    """Adds bonds to a snapshot.  options: fields instead of the default ones"""
    count = len(pairs)
    values = {
        "id": np.array(pairs, dtype=np.int64).reshape(-1, 2), "state": np.array(states, dtype=np.int32),
        "wall": np.where(np.array(pairs).reshape(-1, 2)[:, 1] < 0, 0, -1), "rule": np.zeros(count, dtype=np.int32),
        "area": np.full(count, 1e-6), "strength": np.ones(count), "born": np.zeros(count), "broken": -np.ones(count),
    }  # fmt: skip
    with h5py.File(path, "a") as file:
        for name, values_of_field in (values | options).items():
            file[f"scree/bonds/{name}"] = values_of_field


class Bonds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "a.h5"
        self.fields = made_snapshot.made_fields(COUNT)
        order = np.random.default_rng(2).permutation(COUNT)
        self.fields = {name: values[order] for name, values in self.fields.items()}

    def read(self, fields=None):
        made_snapshot.write(self.path, self.fields | (fields or {}))
        write_bonds(self.path)
        return scree.snapshot.read_snapshot(self.path)

    def labels(self, snapshot):
        return list(scree.bonds.clusters(snapshot)[snapshot.rows_of(np.arange(100, 100 + COUNT))])

    def test_damage_is_zero_if_it_is_not_recorded(self):
        self.assertEqual(list(scree.bonds.of_snapshot(self.read()).damage), [0.0] * len(PAIRS))
        made_snapshot.write(self.path, self.fields)
        write_bonds(self.path, damage=np.arange(len(PAIRS)) / 100.0)
        damage = scree.bonds.of_snapshot(scree.snapshot.read_snapshot(self.path)).damage
        self.assertEqual(list(damage), list(np.arange(len(PAIRS)) / 100.0))

    def test_rows_of_particles_walls_and_lost_particles(self):
        snapshot = self.read()
        bonds = scree.bonds.of_snapshot(snapshot)
        self.assertEqual(len(bonds), len(PAIRS))
        self.assertEqual(int(bonds.intact.sum()), STATES.count(0))
        ids = np.append(snapshot["id"], -1)  # row -1
        self.assertEqual(list(ids[bonds.a]), [a for a, _ in PAIRS])
        self.assertEqual(list(ids[bonds.b]), [b if b < 200 else -1 for _, b in PAIRS])
        self.assertEqual(list(bonds.wall), [0 if b == -1 else -1 for _, b in PAIRS])

    def test_intact_bonds_between_particles_form_clusters(self):
        self.assertEqual(self.labels(self.read()), LABELS)

    def test_recorded_clusters_of_the_run_are_used(self):
        self.assertEqual(self.labels(self.read({"cluster": np.full(COUNT, 100)})), [100] * COUNT)

    def test_fragments_have_the_mass_of_their_particles(self):
        snapshot = self.read()
        result = scree.bonds.fragments(snapshot)
        self.assertEqual(sorted(result.label), sorted(set(LABELS)))
        self.assertTrue((np.diff(result.mass) <= 0.0).all())
        for label, particles, mass, volume in zip(result.label, result.particles, result.mass, result.volume):
            rows = snapshot.rows_of(100 + np.flatnonzero(np.array(LABELS) == label))
            self.assertEqual(particles, len(rows))
            self.assertAlmostEqual(volume, (4.0 / 3.0 * np.pi * snapshot["radius"][rows] ** 3).sum(), delta=1e-12 * volume)
            self.assertAlmostEqual(mass, volume * made_snapshot.DENSITY, delta=1e-9 * mass)
        diameter, fraction = result.passing()
        self.assertTrue((np.diff(diameter) >= 0.0).all() and (np.diff(fraction) > 0.0).all())
        self.assertAlmostEqual(fraction[-1], 1.0)
        self.assertAlmostEqual(np.pi / 6.0 * (diameter**3).sum(), snapshot.volumes.sum())

    def test_clusters_of_random_graphs_match_the_reference(self):
        random = np.random.default_rng(3)
        for count in (1, 30, 60, 120):
            ids = random.permutation(1000)[:80]
            a, b = random.integers(0, 80, size=(2, count))
            state = random.integers(0, 3, size=count)
            zeros = np.zeros(count)
            bonds = scree.bonds.Bonds(a, b, zeros - 1, zeros, state, zeros, zeros, zeros, zeros, zeros)
            labels = ids.copy()
            for _ in range(80):
                for first, second in zip(a[state == 0], b[state == 0]):
                    labels[first] = labels[second] = min(labels[first], labels[second])
            self.assertTrue((scree.bonds.joined(ids, bonds) == labels).all())

    def test_missing_and_damaged_bonds_are_errors(self):
        made_snapshot.write(self.path, self.fields)
        self.assertFalse(scree.bonds.has_record(self.path))
        with self.assertRaisesRegex(UsageError, r"has no bonds; expected a run of a scene with \[bond.NAME\]"):
            scree.bonds.clusters(scree.snapshot.read_snapshot(self.path))
        for bad, message in (({"area": np.ones(3)}, "differ in length"), ({"state": np.full(len(PAIRS), 7)}, "0, 1 and 2")):
            made_snapshot.write(self.path, self.fields)
            write_bonds(self.path, **bad)
            self.assertTrue(scree.bonds.has_record(self.path))
            with self.assertRaisesRegex(SnapshotError, message):
                scree.bonds.of_snapshot(scree.snapshot.read_snapshot(self.path))
        snapshot = scree.snapshot.read_snapshot(self.path)
        self.path.write_bytes(b"no snapshot any more")
        with self.assertRaisesRegex(SnapshotError, "the bonds cannot be read"):
            scree.bonds.of_snapshot(snapshot)

    def test_clusters_have_one_colour_and_single_particles_are_grey(self):
        snapshot = self.read()
        kinds = scree.colour.cluster_kinds(snapshot)[snapshot.rows_of(np.arange(100, 100 + COUNT))]
        self.assertEqual(len(set(kinds[:4])), 1)
        self.assertEqual(len(set(kinds[4:7])), 1)
        self.assertEqual(set(kinds[7:]), {0})
        self.assertGreater(min(kinds[:7]), 0)
        self.assertLessEqual(max(kinds), len(scree.colour.CLUSTERS))
        scale = scree.colour.scale(scree.colour.of("cluster", snapshot), [snapshot])
        self.assertEqual(scale.present, (0,))
        self.assertEqual(len(scale.colours.colors), len(scale.names))


if __name__ == "__main__":
    unittest.main()
