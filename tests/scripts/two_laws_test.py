"""Tests of the comparison of two laws: single contacts, significance of differences, the page.

Needs the compiled part of the package, see scree.native.
"""

import types
import unittest

import made_snapshot
from script_test import ScriptTest, skipped_unless

import h5py
import numpy as np

import scree.native
import scree.snapshot
from _two_laws import page, studies

IS_COMPILED = scree.native.found() is not None
if IS_COMPILED:
    from _two_laws import contacts

DT = 1e-5
CONFIGURATION = f"[scene]\nseed = 1\n[time]\nstep = {DT} s\n"
RADIUS, GAP = 2e-3, 1e-6


def rotated(q, dt, omega):
    """The quaternion after a rotation with the angular velocity omega for the time dt."""
    angle = np.linalg.norm(omega) * dt
    w, (x, y, z) = np.cos(angle / 2), np.sin(angle / 2) * omega / np.linalg.norm(omega)
    a, b, c, d = q
    return np.array([w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
                     w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a])  # fmt: skip


@skipped_unless(IS_COMPILED, "the package has no compiled part")
class Problems(ScriptTest):
    """Two dumbbells along x, one above the other; made-up contacts of the dumbbells, and of one of them with a wall."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "two.h5"
        self.before = np.array([[0.02, 0.0202, 0.01], [0.02 + 1e-3, 0.02, 0.01 - 2e-3 - GAP]])
        self.v = np.array([[0.3, 0.1, -0.2], [-0.1, 0.2, 0.1]])
        self.omega = np.array([[5.0, -3.0, 100.0], [40.0, 2.0, 1.0]])
        q = [rotated(np.array([1.0, 0, 0, 0]), DT, omega) for omega in self.omega]
        self.impulse = np.array([1e-8, -2e-8, 6e-8])
        self.point = np.array([0.0208, 0.02, 0.009])
        fields = made_snapshot.fields_at(
            self.before + DT * self.v, radius=RADIUS, shape=np.array([1, 1]), velocity=self.v,
            angular_velocity=self.omega, orientation=np.array(q),
        )  # fmt: skip
        record = {"id": [[0, 1], [1, -1]], "gap": [GAP, 0.0], "position": [self.point, self.point],
                  "normal": [[0, 0, 1.0], [0, 0, 1.0]], "impulse": [self.impulse, self.impulse]}  # fmt: skip
        made_snapshot.write(self.path, fields, configuration=CONFIGURATION, shapes=[made_snapshot.DUMBBELL],
                            contacts=record)  # fmt: skip
        self.snapshot = scree.snapshot.read_snapshot(self.path)

    def test_block_maps_an_impulse_to_its_change_of_velocity(self):
        problems, (frame,), impulse = contacts.problems(self.snapshot, 0.5)
        self.assertEqual(len(problems), 1)  # the contact with a wall is left out
        mass = self.snapshot.masses
        inertia = mass[0] * RADIUS**2 * np.diag([0.1, 0.35, 0.35])

        def relative_velocity(factor):
            velocities = []
            for sign, k in ((1.0, 0), (-1.0, 1)):
                arm, kick = self.point - self.before[k], sign * factor * self.impulse
                omega = self.omega[k] + np.linalg.solve(inertia, np.cross(arm, kick))
                velocities.append(self.v[k] + kick / mass[k] + np.cross(omega, arm))
            return velocities[0] - velocities[1]

        np.testing.assert_allclose(frame @ impulse[0], self.impulse, rtol=1e-12)
        change = relative_velocity(1.0) - relative_velocity(0.0)
        np.testing.assert_allclose(frame @ problems.a[0] @ impulse[0], change, rtol=1e-9)
        # Velocities in the snapshot include the impulse. The gap closes at GAP/DT.
        expected = relative_velocity(0.0) + np.array([0, 0, GAP / DT])
        np.testing.assert_allclose(frame @ (problems.a[0] @ impulse[0] - problems.b[0]), expected, rtol=1e-9, atol=1e-12)

    def test_laws_differ_for_clumps_and_maximum_dissipation_dissipates_more(self):
        problems, *_ = contacts.problems(self.snapshot, 0.3)
        problems.b[:] = [0.4, 0.5, -0.6]  # approaches and slides
        dissipative, coulomb = problems.solve("max_dissipation"), problems.solve("coulomb")
        self.assertGreater(np.linalg.norm(dissipative.impulse - coulomb.impulse), 1e-6 * np.linalg.norm(dissipative.impulse))
        self.assertLess(dissipative.energy[0], coulomb.energy[0])
        friction, slip = coulomb.impulse[0, 1:], coulomb.velocity[0, 1:]
        self.assertAlmostEqual(np.cross(friction, slip) / np.linalg.norm(friction) / np.linalg.norm(slip), 0.0)
        summary = contacts.contact_statistics(self.snapshot, 0.3, "coulomb")
        self.assertEqual((summary.contacts, summary.several), (1, 0))

    def test_snapshot_without_contacts_between_bodies_is_empty(self):
        with h5py.File(self.path, "a") as file:
            file["scree/contacts/id"][...] = np.array([[0, -1], [1, -1]])
        summary = contacts.contact_statistics(scree.snapshot.read_snapshot(self.path), 0.3, "coulomb")
        self.assertEqual(summary.contacts, 0)

    def test_summaries_are_added(self):
        first = contacts.ContactStatistics(3, 2, 1, 0.1, (2.0, 1.0), *[np.ones(2)] * 4)
        total = first + contacts.ContactStatistics(1, 1, 0, 0.3, (1.0, 1.0), *[np.zeros(1)] * 4)
        self.assertEqual((total.contacts, total.loaded, total.several, total.spread, total.energies), (4, 3, 1, 0.3, (3.0, 2.0)))
        self.assertEqual(total.angle.tolist(), [1, 1, 0])


class Differences(unittest.TestCase):
    def test_chance_is_the_p_value_of_welchs_test(self):
        first, second = [1.0, 2.0, 3.0, 4.0], [2.5, 3.5, 4.5]
        # scipy.stats.ttest_ind(first, second, equal_var=False).pvalue
        self.assertAlmostEqual(page.chance(first, second), 0.300802707255176, places=12)
        self.assertTrue(np.isnan(page.chance([1.0], [2.0])))
        self.assertEqual(page.chance([1.0, 1.0], [1.0, 1.0]), 1.0)

    def test_significant_difference_is_marked(self):
        results = {"max_dissipation": [{"flow": v, "rest": w} for v, w in ((1.0, 1.0), (1.001, 1.2), (1.002, 0.9))],
                   "coulomb": [{"flow": v, "rest": w} for v, w in ((2.0, 1.1), (2.001, 0.8), (2.002, 1.2))]}
        text = page.figures_table(results, "means")
        self.assertIn('verdict look">-50 ± ', text)
        self.assertEqual(text.count("verdict"), 1)
        self.assertIn("1.00100 ± 0.00058", text)


class Studies(unittest.TestCase):
    def test_each_law_and_seed_has_a_run(self):
        for study in studies.STUDIES.values():
            for full in (False, True):
                runs = study.runs(full, [1, 2])
                self.assertEqual(len({run.name for run in runs}), len(runs))
                self.assertEqual(len(runs), 8 if study.checks_sweeps and not full else 4)

    def test_piston_of_the_channel_moves_by_a_diameter_in_a_whole_number_of_steps(self):
        for shape in studies.BOUNDING:
            for enlargement, step in ((2.2, 5e-5), (0.85, 2e-5)):
                options = studies.channel_options(shape, enlargement, step)
                steps = 2.0 * float(options["fill.radius"].split()[0]) / (studies.CHANNEL_SPEED * step)
                self.assertAlmostEqual(steps, round(steps), places=6)

    def test_angle_of_a_surface_is_found(self):
        random = np.random.default_rng(1)
        x = random.uniform(-0.04, 0.04, 40000)
        z = -0.03 + 0.03 * random.uniform(size=40000) + np.tan(np.radians(30.0)) * x
        frame = {"position": np.column_stack([x, 0.0 * x, z])}
        self.assertAlmostEqual(np.degrees(studies.surface_angle(frame)), 30.0, delta=0.5)

    def test_run_without_snapshots_has_no_frames(self):
        run = types.SimpleNamespace(snapshots=[], steps=np.array([]), time_step=1e-5)
        self.assertEqual(studies.frames_of(run, 0.1), [])


if __name__ == "__main__":
    unittest.main()
