"""scripts/render.py: spheres at true scale and in depth order, obstacles, bad input."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import made_snapshot

import _snapshot
import _walls
import matplotlib.image
import numpy as np
import render

SCRIPT = made_snapshot.SCRIPTS / "render.py"
DPI = 50
NO_WALLS = "[scene]\nseed = 1\n"


def row_of(fields, position, radius, velocity):
    """The fields of one particle more."""
    one = made_snapshot.made_fields(1)
    one.update(position=np.array([position]), radius=np.array([radius]))
    one.update(velocity=np.array([velocity]), id=np.array([10**6 + len(fields["id"])]))
    return {name: np.concatenate([fields[name], one[name]]) for name in fields}


class Render(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.snapshot = pathlib.Path(holder.name) / "frame.h5"
        self.picture = pathlib.Path(holder.name) / "frame.png"

    def draw(self, fields, configuration=NO_WALLS):
        """Top and side view as arrays [rows, columns, rgb], the first row at the top."""
        made_snapshot.write(self.snapshot, fields, configuration=configuration)
        snapshot = _snapshot.read_snapshot(self.snapshot)
        render.render(snapshot, self.picture, max_speed=1.0, dpi=DPI)
        image = matplotlib.image.imread(self.picture)[:, :, :3]
        figure, axes = render._axes(snapshot, DPI)
        views = []
        for view in axes:
            box = view.get_position()
            rows = ((1 - box.y1) * len(image), (1 - box.y0) * len(image))
            columns = (box.x0 * image.shape[1], box.x1 * image.shape[1])
            views.append(image[slice(*map(round, rows)), slice(*map(round, columns))])
        render.plt.close(figure)
        return views

    def pixel(self, view, x, y):
        """Colour at fractions of the view's width and height, y upwards."""
        return view[round((1 - y) * (len(view) - 1)), round(x * (view.shape[1] - 1))]

    def colour(self, speed):
        return np.array(render.matplotlib.colormaps["viridis"](speed)[:3])

    def test_disc_covers_its_share_of_the_picture(self):
        radius = 0.009
        fields = row_of(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], radius, [0.5, 0.0, 0.0])
        top, side = self.draw(fields)
        for view, area in ((top, 0.1 * 0.06), (side, 0.1 * 0.02)):
            coloured = np.abs(view - self.colour(0.5)).max(axis=2) < 0.02
            self.assertAlmostEqual(coloured.mean(), np.pi * radius**2 / area, delta=0.02)

    def test_nearest_sphere_lies_on_top(self):
        fields = row_of(made_snapshot.made_fields(0), [0.05, 0.01, 0.015], 0.004, [1.0, 0.0, 0.0])
        fields = row_of(fields, [0.05, 0.01, 0.005], 0.004, [0.0, 0.0, 0.0])
        fields = row_of(fields, [0.05, 0.05, 0.015], 0.004, [0.0, 0.5, 0.0])
        top, side = self.draw(fields)
        np.testing.assert_allclose(self.pixel(top, 0.5, 1 / 6), self.colour(1.0), atol=0.02)
        np.testing.assert_allclose(self.pixel(side, 0.5, 0.75), self.colour(1.0), atol=0.02)
        np.testing.assert_allclose(self.pixel(side, 0.5, 0.25), self.colour(0.0), atol=0.02)

    def test_obstacle_is_drawn_and_planes_are_not(self):
        top, _ = self.draw(made_snapshot.made_fields(0), made_snapshot.CONFIGURATION)
        for x, y in ((0.33, 0.5), (0.47, 0.37)):  # in the curved front, in the back
            np.testing.assert_allclose(self.pixel(top, x, y), 0.75, atol=0.02)
        for x, y in ((0.32, 0.36), (0.7, 0.5)):  # beside the curved front, far away
            np.testing.assert_allclose(self.pixel(top, x, y), 1.0)

    def test_wall_outside_the_domain_hides_nothing(self):
        lid = "[wall.lid]\nshape = box\nlower = -1 -1 0.02\nupper = 1 1 0.03\n"
        top, _ = self.draw(made_snapshot.made_fields(0), lid)
        np.testing.assert_allclose(self.pixel(top, 0.5, 0.5), 1.0)

    def test_moving_wall_is_drawn_where_it_is(self):
        text = "[wall.a]\nshape = box\nlower = 0 0 0 cm\nupper = 1 1 1 cm\nvelocity = 2 0 0 m/s\n"
        (solid,) = _walls.bounded_walls(text, time=0.25)
        np.testing.assert_allclose(solid.points.min(axis=0), [0.5, 0.0, 0.0])
        np.testing.assert_allclose(solid.points.max(axis=0), [0.51, 0.01, 0.01])

    def run_script(self, *options):
        return subprocess.run(
            [sys.executable, SCRIPT, self.snapshot, *options], capture_output=True, text=True
        )

    def test_picture_stands_beside_the_snapshot(self):
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(20))
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_bad_input_and_its_exit_codes(self):
        self.assertEqual(self.run_script().returncode, 3)
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(2), configuration="rubbish")
        result = self.run_script()
        self.assertEqual((result.returncode, "Traceback" in result.stderr), (3, False))
        no_radius = "[wall.a]\nshape = cylinder\nfrom = 0 0 0\nto = 0 0 1\n"
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(2), configuration=no_radius)
        result = self.run_script()
        self.assertEqual(result.returncode, 3)
        self.assertIn("[wall.a] radius", result.stderr)
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(2))
        result = self.run_script("--output", self.picture.parent / "no" / "such.png")
        self.assertEqual(result.returncode, 5)
        self.assertIn("such.png", result.stderr)
        self.assertEqual(self.run_script("--dpi", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
