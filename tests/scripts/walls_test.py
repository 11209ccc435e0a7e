"""scripts/_walls.py: volumes of walls, what walls.vtk tells, configurations that cannot be read."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import made_snapshot

import _snapshot
import _walls
import numpy as np

# The obstacle of made_snapshot within the domain, 2 cm high: half a cylinder of 1 cm and a box.
OBSTACLE = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02


SIDES = 90


def tube(radius, length):
    """Triangles of a pipe along z from the origin, [T, 3, 3]."""
    angle = 2.0 * np.pi * np.arange(SIDES + 1) / SIDES
    rim = radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    low, high = rim, rim + [0.0, 0.0, length]
    first = np.stack([low[:-1], low[1:], high[1:]], axis=1)
    return np.concatenate([first, np.stack([low[:-1], high[1:], high[:-1]], axis=1)])


def cuboid(lower, upper):
    """Triangles of a box, in no particular orientation, [12, 3, 3]."""
    corners = np.array([lower, upper])[np.indices((2, 2, 2)).reshape(3, -1).T, np.arange(3)]
    faces = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    return np.array([[corners[a], corners[b], corners[c]] for a, b, c, _ in faces]
                    + [[corners[a], corners[c], corners[d]] for a, _, c, d in faces])


def vtk(parts, with_parts=True):
    """Text of a walls.vtk.  parts: (row of the wall, row of its part, triangles)"""
    triangles = np.concatenate([one for _, _, one in parts])
    text = f"# vtk DataFile Version 3.0\nwalls\nASCII\nDATASET POLYDATA\nPOINTS {3 * len(triangles)} double\n"
    text += "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in triangles.reshape(-1, 3).tolist())
    text += f"POLYGONS {len(triangles)} {4 * len(triangles)}\n"
    text += "".join(f"3 {3 * k} {3 * k + 1} {3 * k + 2}\n" for k in range(len(triangles)))
    text += f"CELL_DATA {len(triangles)}\n"
    for name, column in (("wall", 0), ("part", 1)):
        if name == "part" and not with_parts:
            continue
        text += f"SCALARS {name} int 1\nLOOKUP_TABLE default\n"
        text += "".join(f"{part[column]}\n" * len(part[2]) for part in parts)
    return text


class Walls(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.out = pathlib.Path(holder.name)

    def of_run(self, configuration, *parts, with_parts=True, **others):
        """A snapshot of a run whose walls.vtk has these parts."""
        if parts:
            (self.out / "walls.vtk").write_text(vtk(parts, with_parts))
        return made_snapshot.in_memory(
            made_snapshot.made_fields(0), configuration=configuration,
            path=self.out / "snapshots" / "step.h5", **others,
        )  # fmt: skip

    def test_volume_of_the_obstacle(self):
        snapshot = made_snapshot.in_memory(
            made_snapshot.made_fields(0), configuration=made_snapshot.CONFIGURATION
        )
        solids = _walls.in_domain(snapshot)["obstacle"]
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / OBSTACLE, 1.0, delta=1e-3)

    def test_overlapping_boxes_count_once_and_what_juts_out_not_at_all(self):
        text = (
            "[wall.a]\nshape = box\nlower = 0 0 0 cm\nupper = 2 2 2 cm\n"
            "[wall.b]\nshape = box\nlower = 1 0 0 cm\nupper = 3 2 2 cm\n"
            "[wall.c]\nshape = box\nlower = 9 5 0 cm\nupper = 12 7 9 cm\n"
        )
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
        solids = sum(_walls.in_domain(snapshot).values(), [])
        volume = _walls.solid_volume(solids, snapshot.lower, snapshot.upper)
        self.assertAlmostEqual(volume / (12e-6 + 2e-6), 1.0, delta=0.01)

    def test_ball_has_its_volume(self):
        text = "[wall.a]\nshape = sphere\npoint = 5 3 1 cm\nradius = 8 mm\n"
        snapshot = made_snapshot.in_memory(made_snapshot.made_fields(0), configuration=text)
        volume = _walls.solid_volume(
            _walls.in_domain(snapshot)["a"], snapshot.lower, snapshot.upper
        )
        self.assertAlmostEqual(volume / (4.0 / 3.0 * np.pi * 0.008**3), 1.0, delta=0.02)

    def test_closed_meshes_have_their_volume_and_count_once(self):
        mesh = "[wall.a]\nshape = mesh\nfile = a.stl\nsolid = {}\n"
        box = "[wall.b]\nshape = box\nlower = 1 0 0 cm\nupper = 3 2 2 cm\n"
        cube = (0, 0, cuboid([-0.02, 0.01, -0.01], [0.02, 0.02, 0.015]))
        whole = 0.1 * 0.06 * 0.02
        for text, volume in (
            (mesh.format("inside"), 0.02 * 0.01 * 0.015),
            (mesh.format("outside"), whole - 0.02 * 0.01 * 0.015),
            (mesh.format("no"), 0.0),
            (mesh.format("inside") + box, 8e-6 + 0.01 * 0.01 * 0.015),
        ):
            found = _walls.volume_in_domain(self.of_run(text, cube))
            self.assertAlmostEqual(found, volume, delta=0.01 * whole)
        ring = np.concatenate([cube[2], cuboid([-0.02, 0.012, -0.01], [0.02, 0.018, 0.015])])
        found = _walls.volume_in_domain(self.of_run(mesh.format("inside"), (0, 0, ring)))
        self.assertAlmostEqual(found / (0.02 * 0.004 * 0.015), 1.0, delta=0.02)  # hollow

    def test_lines_are_rims_and_the_silhouette(self):
        pipe = _walls.Sheet("a", tube(2.0, 4.0))
        along = pipe.lines((0.0, 0.0, 1.0))
        np.testing.assert_allclose(np.abs(along[..., 2] - 2.0), 2.0)  # rims only
        self.assertEqual(len(along), 2 * SIDES)
        across = pipe.lines((0.0, -1.0, 0.0))
        upright = across[np.abs(across[:, 0, 2] - across[:, 1, 2]) > 1.0]
        self.assertEqual(len(upright), 2)
        np.testing.assert_allclose(np.abs(upright[..., 0]), 2.0, atol=0.01)

    def test_walls_move_and_vanish(self):
        plate = (0, 0, np.array([[[0.9, 0, 0], [1.1, 0.1, 0], [1.0, -0.1, 0]]]))
        keys = "[wall.a]\nshape = disk\npoint = 1 0 0 m\nnormal = 0 0 1\nradius = 0.1 m\n"

        def sheets(more, time):
            return _walls.sheets(self.of_run(keys + more, plate, time=time))

        (turned,) = sheets(f"angular_velocity = 0 0 {2.0 * np.pi} 1/s\n", 0.25)
        np.testing.assert_allclose(turned.triangles.mean(axis=(0, 1)), [0, 1, 0], atol=1e-3)
        (swung,) = sheets("amplitude = 0 0 0.5 m\nfrequency = 1 Hz\nphase = 0\n", 0.25)
        np.testing.assert_allclose(swung.triangles[..., 2], 0.5)
        for time, count in ((0.1, 1), (0.2, 0), (0.3, 0)):
            self.assertEqual(len(sheets("removed_at = 0.2 s\n", time)), count)

    def test_any_other_shape_is_what_the_run_wrote(self):
        text = (
            "[wall.a]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n"
            "[wall.b]\nvelocity = 4 0 0 m/s\n"
            "[wall.b.one]\nshape = box\nlower = 0 0 0\nupper = 1 1 1\n"
            "[wall.b.two]\nshape = torus of a later version\n"
            "[wall.c]\nshape = mesh\nfile = c.stl\nsolid = inside\n"
        )
        triangles = np.arange(9.0).reshape(1, 3, 3)
        parts = [(wall, part, triangles + 10 * wall + part) for wall, part in ((0, 0), (1, 0), (1, 1), (2, 0))]
        warning = io.StringIO()
        with contextlib.redirect_stderr(warning):
            self.assertEqual(_walls.sheets(self.of_run(text)), [])
        self.assertIn("wall b is left out: there is no", warning.getvalue())
        torus, mesh = _walls.sheets(self.of_run(text, *parts))
        self.assertEqual((torus.wall, torus.solid, mesh.wall, mesh.solid), ("b", "no", "c", "inside"))
        np.testing.assert_allclose(torus.triangles, triangles + 11 + np.array([1, 0, 0]))
        np.testing.assert_allclose(mesh.triangles, triangles + 20)
        (old,) = _walls.sheets(self.of_run(text, *parts, with_parts=False))
        np.testing.assert_allclose(old.triangles, triangles + 20)  # of part 0 of wall c

    def test_foreign_configuration(self):
        empty = made_snapshot.made_fields(0)
        for text in ("rubbish", "[wall.a]\nshape = box\nlower = 1 1 1 kg\nupper = 2 2 2\n"):
            snapshot = made_snapshot.in_memory(empty, configuration=text)
            with self.assertRaisesRegex(_snapshot.SnapshotError, "configuration"):
                _walls.in_domain(snapshot)


if __name__ == "__main__":
    unittest.main()
