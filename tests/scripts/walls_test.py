"""Tests of scripts/scree/walls.py: volumes of walls, walls in snapshots and in walls.vtk."""

import contextlib
import dataclasses
import io
import unittest

import made_snapshot
from script_test import ScriptTest

import numpy as np
import scree.free_space
import scree.region
import scree.snapshot
import scree.walls

# Volume of the obstacle of made_snapshot in the domain, which is 2 cm high: a box and half a cylinder of 1 cm radius.
OBSTACLE = (0.5 * np.pi * 0.01**2 + 0.01 * 0.02) * 0.02
SIDES = 90  # of the polygon of a tube


def tube(radius, length):
    """Triangles of a pipe along z from the origin, [T, 3, 3]."""
    angle = 2.0 * np.pi * np.arange(SIDES + 1) / SIDES
    rim = radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    low, high = rim, rim + [0.0, 0.0, length]
    first = np.stack([low[:-1], low[1:], high[1:]], axis=1)
    return np.concatenate([first, np.stack([low[:-1], high[1:], high[:-1]], axis=1)])


def cuboid(lower, upper):
    """Triangles of a box, in no particular orientation, [12, 3, 3]."""
    corners = made_snapshot.box(lower, upper)
    faces = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    return np.array([[corners[a], corners[b], corners[c]] for a, b, c, _ in faces]
                    + [[corners[a], corners[c], corners[d]] for a, _, c, d in faces])


def vtk(parts):
    """Text of a walls.vtk.  parts: (row of the wall, row of its part, triangles)"""
    triangles = np.concatenate([triangles_of_part for _, _, triangles_of_part in parts])
    text = f"# vtk DataFile Version 3.0\nwalls\nASCII\nDATASET POLYDATA\nPOINTS {3 * len(triangles)} double\n"
    text += "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in triangles.reshape(-1, 3).tolist())
    text += f"POLYGONS {len(triangles)} {4 * len(triangles)}\n"
    text += "".join(f"3 {3 * k} {3 * k + 1} {3 * k + 2}\n" for k in range(len(triangles)))
    text += f"CELL_DATA {len(triangles)}\n"
    for name, column in (("wall", 0), ("part", 1)):
        text += f"SCALARS {name} int 1\nLOOKUP_TABLE default\n"
        text += "".join(f"{part[column]}\n" * len(part[2]) for part in parts)
    return text


def rotation_about_z(angle):
    """A rotation about z, [3, 3]."""
    return np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0, 0, 1]])


class Walls(ScriptTest):
    def snapshot_with(self, walls, *parts):
        """A snapshot of a run with these walls; walls.vtk of the run has these parts."""
        if parts:
            (self.folder / "walls.vtk").write_text(vtk(parts))
        return made_snapshot.in_memory(
            made_snapshot.made_fields(0), walls=walls, path=self.folder / "snapshots" / "step.h5"
        )

    @staticmethod
    def wall_volume(snapshot):
        """Volume of the domain that walls occupy."""
        return np.prod(snapshot.upper) - scree.free_space.volume(snapshot)

    def volume_of(self, *solids):
        """Volume of the union of convex solids within the domain; each solid is a wall."""
        walls = [made_snapshot.wall(str(row), solid) for row, solid in enumerate(solids)]
        return self.wall_volume(self.snapshot_with(walls))

    def test_volume_of_the_obstacle_is_exact(self):
        volume = self.wall_volume(self.snapshot_with(made_snapshot.WALLS))
        self.assertAlmostEqual(volume / OBSTACLE, 1.0, delta=1e-3)

    def test_overlapping_boxes_count_once_and_only_within_the_domain(self):
        volume = self.volume_of(
            made_snapshot.box((0, 0, 0), (0.02, 0.02, 0.02)),
            made_snapshot.box((0.01, 0, 0), (0.03, 0.02, 0.02)),
            made_snapshot.box((0.09, 0.05, 0), (0.12, 0.07, 0.09)),
        )
        self.assertAlmostEqual(volume / (12e-6 + 2e-6), 1.0, delta=0.01)

    def test_ball_has_its_volume(self):
        random = np.random.default_rng(1).normal(size=(1000, 3))
        corners = [0.05, 0.03, 0.01] + 0.008 * random / np.linalg.norm(random, axis=1, keepdims=True)
        volume = self.volume_of(corners)
        self.assertAlmostEqual(volume / (4.0 / 3.0 * np.pi * 0.008**3), 1.0, delta=0.02)

    def test_closed_meshes_have_their_volume_and_count_once(self):
        def mesh(interior):
            return made_snapshot.wall("a", interior)

        box = made_snapshot.wall("b", made_snapshot.box((0.01, 0, 0), (0.03, 0.02, 0.02)))
        cube = (0, 0, cuboid([-0.02, 0.01, -0.01], [0.02, 0.02, 0.015]))
        domain_volume = 0.1 * 0.06 * 0.02
        for walls, volume in (
            ([mesh("inside")], 0.02 * 0.01 * 0.015),
            ([mesh("outside")], domain_volume - 0.02 * 0.01 * 0.015),
            ([mesh("none")], 0.0),
            ([mesh("inside"), box], 8e-6 + 0.01 * 0.01 * 0.015),
        ):
            result = self.wall_volume(self.snapshot_with(walls, cube))
            self.assertAlmostEqual(result, volume, delta=0.01 * domain_volume)
        ring = np.concatenate([cube[2], cuboid([-0.02, 0.012, -0.01], [0.02, 0.018, 0.015])])
        result = self.wall_volume(self.snapshot_with([mesh("inside")], (0, 0, ring)))
        self.assertAlmostEqual(result / (0.02 * 0.004 * 0.015), 1.0, delta=0.02)  # hollow

    def test_walls_have_their_images_at_periodic_ends(self):
        lower, upper = np.array([-0.01, 0.01, 0.005]), np.array([0.02, 0.02, 0.03])
        volume = 0.03 * 0.01 * 0.015  # in the domain, with the image at the upper end of x
        mesh = (0, 0, cuboid(lower, upper))
        for displacement in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (-0.3, 0.0, 0.0), (0.25, 0.0, 0.0)):
            for interior, parts in ((made_snapshot.box(lower, upper), ()), ("inside", (mesh,))):
                with self.subTest(displacement=displacement, parts=len(parts)):
                    frame = self.snapshot_with([made_snapshot.wall("a", interior, displacement=displacement)], *parts)
                    frame = dataclasses.replace(frame, periodic=np.array([True, False, False]))
                    self.assertAlmostEqual(self.wall_volume(frame) / volume, 1.0, delta=0.02)
                    surfaces = [triangles for _, triangles, _ in scree.walls.surfaces(frame)]
                    is_split = displacement[0] != 0.25
                    self.assertEqual(len(surfaces), 2 if is_split else 1)
                    ends = sorted(triangles[..., 0].max() for triangles in surfaces)
                    np.testing.assert_allclose(ends, [0.02, 0.12] if is_split else [0.07], atol=1e-12)

    def test_wall_through_both_periodic_ends_has_no_images(self):
        parts = [made_snapshot.box((-0.03, 0, 0), (0.04, 0.02, 0.02)), made_snapshot.box((0.04, 0, 0), (0.14, 0.01, 0.01))]
        frame = self.snapshot_with([made_snapshot.wall("a", *parts, displacement=(0.2, 0.0, 0.0))])
        frame = dataclasses.replace(frame, periodic=np.array([True, True, False]))
        self.assertAlmostEqual(self.wall_volume(frame) / (0.04 * 0.02 * 0.02 + 0.06 * 0.01 * 0.01), 1.0, delta=0.02)

    def test_free_share_of_a_wide_cell_has_as_many_samples_as_an_axis_without_cells(self):
        rod = made_snapshot.wall("rod", made_snapshot.box((0.03, 0.02, -1.0), (0.06, 0.035, 1.0)) @ rotation_about_z(1e-4).T)
        share = 1.0 - 0.03 * 0.015 / (0.1 * 0.06)
        frame = self.snapshot_with([rod])
        for axes, counts in (((0,), (1,)), ((0, 1), (1, 1)), ((0, 1, 2), (1, 1, 1))):
            result = scree.free_space.shares(frame, frame.lower, frame.upper, axes, counts)
            np.testing.assert_allclose(result, [share], atol=3e-3)

    def test_free_volume_is_unknown_if_the_file_of_walls_is_missing(self):
        with contextlib.redirect_stderr(io.StringIO()):
            walls = [made_snapshot.wall("a", "inside")]
            self.assertIsNone(scree.free_space.volume(self.snapshot_with(walls)))

    def test_free_space_is_in_front_of_planes_and_within_a_pipe_that_contains_the_particles(self):
        fields = made_snapshot.fields_at([[0.05, 0.03, z] for z in np.linspace(0.001, 0.015, 30)], radius=5e-4)
        # The half space of the plane reaches 2 mm into the domain.
        plane = np.array([[[0.0, 0.0, 0.002], [0.01, 0.0, 0.002], [0.0, 0.01, 0.002]]])
        pipe = tube(0.02, 0.016) + [0.05, 0.03, -0.002]
        for has_pipe, area in ((False, 0.1 * 0.06), (True, np.pi * 0.02**2)):
            walls = [made_snapshot.wall("floor", "half space"), made_snapshot.wall("pipe", "none", is_there=has_pipe)]
            (self.folder / "walls.vtk").write_text(vtk([(0, 0, plane), (1, 0, pipe)]))
            frame = made_snapshot.in_memory(fields, walls=walls, path=self.folder / "snapshots" / "step.h5")
            # The space above the pipe is free.
            expected = 0.012 * area + 0.006 * 0.1 * 0.06
            self.assertAlmostEqual(scree.free_space.volume(frame) / expected, 1.0, delta=0.02)
            result = scree.free_space.shares(frame, frame.lower, frame.upper, (2,), (10,))
            np.testing.assert_allclose(result, [0.0] + 6 * [area / 0.006] + 3 * [1.0], atol=0.03)

    def test_free_shares_are_exact_for_planes_and_boxes_along_the_axes(self):
        low, high = 0.0251, 0.0274  # a slot across y, with a box in it
        planes = [(row, 0, np.array([[[0.0, y, 0.0], [0.01, y, 0.0], [0.0, y, 0.01]]])) for row, y in enumerate((low, high))]
        (self.folder / "walls.vtk").write_text(vtk(planes))
        walls = [made_snapshot.wall("a", "half space"), made_snapshot.wall("b", "half space"),
                 made_snapshot.wall("box", made_snapshot.box((0.0137, 0.02, -0.01), (0.0345, 0.027, 0.0133)))]  # fmt: skip
        fields = made_snapshot.fields_at([[0.05, 0.026, 0.01]], radius=1e-3)

        def fractions(lower, upper, counts):
            """Fraction of each cell of the domain between two corners, [cells]."""
            edges = [np.linspace(0.0, end, count + 1) for end, count in zip((0.1, 0.06, 0.02), counts)]
            parts = [np.diff(np.clip(edge, a, b)) / np.diff(edge) for edge, a, b in zip(edges, lower, upper)]
            return np.einsum("i,j,k->ijk", *parts).ravel(order="F")

        for number_of_walls in (2, 3):
            frame = made_snapshot.in_memory(fields, walls=walls[:number_of_walls], path=self.folder / "snapshots" / "step.h5")
            for counts in ((10, 1, 1), (1, 7, 1), (1, 1, 3), (5, 1, 3), (4, 7, 1)):
                expected = fractions((0.0, low, 0.0), (0.1, high, 0.02), counts)
                if number_of_walls == 3:
                    expected -= fractions((0.0137, low, 0.0), (0.0345, 0.027, 0.0133), counts)
                axes = [axis for axis in range(3) if counts[axis] > 1]
                result = scree.free_space.shares(frame, frame.lower, frame.upper, axes, [counts[axis] for axis in axes])
                np.testing.assert_allclose(result, expected, atol=1e-12, err_msg=f"{number_of_walls} walls, {counts} cells")

    def test_failed_state_and_snapshots_find_the_walls_of_their_run(self):
        (self.folder / "walls.vtk").write_text(vtk([(0, 0, tube(0.01, 0.02))]))
        for name in ("failed.h5", "snapshots/step.h5"):
            frame = made_snapshot.in_memory(made_snapshot.made_fields(0), walls=[made_snapshot.wall("tube", "none")],
                                            path=self.folder / name)
            self.assertTrue(scree.walls.has_file(frame), name)

    def test_sheet_among_the_particles_excludes_no_space(self):
        fields = made_snapshot.made_fields(500)
        (self.folder / "walls.vtk").write_text(vtk([(0, 0, tube(0.01, 0.02) + [0.05, 0.03, 0.0])]))
        frame = made_snapshot.in_memory(fields, walls=[made_snapshot.wall("tube", "none")], path=self.folder / "a" / "b.h5")
        self.assertEqual(scree.free_space.volume(frame), np.prod(frame.upper))

    def test_cell_counts_the_part_of_a_sphere_that_lies_in_it(self):
        frame = made_snapshot.in_memory(made_snapshot.fields_at([[0.05, 0.03, 0.01]], radius=5e-3))
        for lower, fraction in (((0.05, 0, 0), 0.5), ((0.0525, 0, 0), 0.15625), ((0.05, 0.03, 0.01), 0.125)):
            region = scree.region.make(frame, lower)
            result = scree.free_space.solid_fraction(frame, region) * region.volume / frame.volumes[0]
            self.assertAlmostEqual(result, fraction, delta=0.04)

    def test_lines_are_rims_and_the_silhouette(self):
        pipe = scree.walls.Sheet("a", tube(2.0, 4.0))
        rims = pipe.lines((0.0, 0.0, 1.0))
        np.testing.assert_allclose(np.abs(rims[..., 2] - 2.0), 2.0)  # rims only
        self.assertEqual(len(rims), 2 * SIDES)
        silhouette = pipe.lines((0.0, -1.0, 0.0))
        upright = silhouette[np.abs(silhouette[:, 0, 2] - silhouette[:, 1, 2]) > 1.0]
        self.assertEqual(len(upright), 2)
        np.testing.assert_allclose(np.abs(upright[..., 0]), 2.0, atol=0.01)

    def test_walls_move_and_vanish(self):
        plate = (0, 0, np.array([[[0.9, 0, 0], [1.1, 0.1, 0], [1.0, -0.1, 0]]]))
        motion = {"turn": rotation_about_z(0.5 * np.pi), "displacement": (0.0, 0.0, 0.5)}
        walls = [made_snapshot.wall("a", "none", **motion)]
        (sheet,) = scree.walls.sheets(self.snapshot_with(walls, plate))
        np.testing.assert_allclose(sheet.triangles.mean(axis=(0, 1)), [0, 1, 0.5], atol=1e-12)
        box = made_snapshot.box((0.01, 0, 0), (0.02, 0.01, 0.01))
        ((solid,),) = scree.walls.in_domain(
            self.snapshot_with([made_snapshot.wall("a", box, turn=rotation_about_z(0.5 * np.pi),
                                            displacement=(0.03, 0.0, 0.0))])
        ).values()  # fmt: skip
        np.testing.assert_allclose(solid.points.min(axis=0), [0.02, 0.01, 0.0], atol=1e-12)
        np.testing.assert_allclose(solid.points.max(axis=0), [0.03, 0.02, 0.01], atol=1e-12)
        without_wall = self.snapshot_with([made_snapshot.wall("a", box, "none", is_there=False)], plate)
        self.assertEqual((scree.walls.in_domain(without_wall), scree.walls.sheets(without_wall)), ({}, []))

    def test_parts_other_than_planes_and_convex_ones_are_read_from_the_run(self):
        walls = [
            made_snapshot.wall("a", "half space"),
            made_snapshot.wall("b", made_snapshot.box((0, 0, 0), (1, 1, 1)), "none",
                               displacement=(1.0, 0.0, 0.0)),
            made_snapshot.wall("c", "inside"),
        ]  # fmt: skip
        triangles = np.arange(9.0).reshape(1, 3, 3)
        parts = [(wall, part, triangles + 10 * wall + part) for wall, part in ((0, 0), (1, 0), (1, 1), (2, 0))]
        warning = io.StringIO()
        with contextlib.redirect_stderr(warning):
            self.assertEqual(scree.walls.sheets(self.snapshot_with(walls)), [])
        self.assertIn("wall b is left out: there is no", warning.getvalue())
        sheet, mesh = scree.walls.sheets(self.snapshot_with(walls, *parts))
        self.assertEqual((sheet.wall, sheet.interior, mesh.wall, mesh.interior), ("b", "none", "c", "inside"))
        np.testing.assert_allclose(sheet.triangles, triangles + 11 + np.array([1, 0, 0]))
        np.testing.assert_allclose(mesh.triangles, triangles + 20)

    def test_walls_are_read_back_from_a_file(self):
        path = self.folder / "new.h5"
        rotated = made_snapshot.wall("c", "none", turn=rotation_about_z(0.3), displacement=(1, 2, 3), is_there=False)
        made_snapshot.write(path, made_snapshot.made_fields(1), walls=[*made_snapshot.WALLS, rotated])
        floor, obstacle, last_wall = scree.snapshot.read_snapshot(path).walls
        self.assertEqual([floor.name, obstacle.name, last_wall.name], ["floor", "obstacle", "c"])
        self.assertEqual([part.interior for part in floor.parts + obstacle.parts],
                         ["half space", "convex", "convex"])  # fmt: skip
        np.testing.assert_array_equal(obstacle.parts[1].corners, made_snapshot.WALLS[1].parts[1].corners)
        np.testing.assert_allclose(last_wall.turn, rotated.turn, atol=1e-15)
        np.testing.assert_array_equal(last_wall.displacement, [1, 2, 3])
        self.assertEqual([wall.is_there for wall in (floor, last_wall)], [True, False])


if __name__ == "__main__":
    unittest.main()
