"""scripts/render.py: spheres at true scale and in depth order, obstacles, films, bad input."""

import dataclasses
import shutil
import unittest
import unittest.mock

import made_run
import made_snapshot
import walls_test
from script_test import ScriptTest

import PIL.Image
import h5py
import numpy as np
import scree.colour
import scree.figure
import scree.picture
import scree.scene_image
import scree.snapshot
import scree.depth_buffer
import scree.solids
import scree.view
import scree.walls
import matplotlib
import matplotlib.image

DPI = 50


def with_particle(fields, position, radius, velocity):
    """Fields with one additional particle."""
    particle = made_snapshot.made_fields(1)
    particle.update(position=np.array([position]), radius=np.array([radius]))
    particle.update(velocity=np.array([velocity]), id=np.array([10**6 + len(fields["id"])]))
    return {name: np.concatenate([fields[name], particle[name]]) for name in fields}


class Render(ScriptTest):
    script = "render.py"

    def setUp(self):
        super().setUp()
        self.snapshot = self.folder / "frame.h5"
        self.picture = self.folder / "frame.png"

    def draw(self, fields, walls=(), views=("above", "side"), dpi=DPI):
        """The views as arrays [rows, columns, rgb], the first row at the top."""
        made_snapshot.write(self.snapshot, fields, walls=walls)
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        views = [scree.view.views(snapshot)[name] for name in views]
        scale = scree.colour.scale(scree.colour.of("speed", snapshot), [snapshot], top=1.0)
        figure, panels = scree.picture.figure_of(snapshot, views, scale, whole=True)
        box = scree.figure.draw(figure, dpi)  # the box to which scree.figure.save crops
        figure.savefig(self.picture, dpi=dpi, bbox_inches=box)
        image = matplotlib.image.imread(self.picture)[:, :, :3]
        drawn = []
        for axes in panels:
            corners = axes.get_position().get_points() * figure.get_size_inches()
            (left, bottom), (right, top) = dpi * (corners - box.get_points()[0])
            drawn.append(image[round(len(image) - top) : round(len(image) - bottom), round(left) : round(right)])
        scree.figure.plt.close(figure)
        return drawn

    def pixel(self, view, x, y):
        """Colour at fractions of the view's width and height, y upwards."""
        return view[round((1 - y) * (len(view) - 1)), round(x * (view.shape[1] - 1))]

    def colour(self, speed):
        return np.array(matplotlib.colormaps["viridis"](speed)[:3])

    def has_colour_of(self, pixels, speed, tolerance=0.02):
        """Whether pixels [..., 3] have the colour of this speed, or a darker one as at the rims of spheres."""
        colour = self.colour(speed)
        shade = np.clip(pixels @ colour / (colour @ colour), scree.depth_buffer.DARKEST, 1.0)
        return np.abs(pixels - shade[..., None] * colour).max(axis=-1) < tolerance

    def test_disc_covers_its_fraction_of_the_picture(self):
        radius = 0.009
        fields = with_particle(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], radius, [0.5, 0.0, 0.0])
        top, side = self.draw(fields)
        for view, area in ((top, 0.1 * 0.06), (side, 0.1 * 0.02)):
            coloured = self.has_colour_of(view, 0.5)
            self.assertAlmostEqual(coloured.mean(), np.pi * radius**2 / area, delta=0.02)

    def test_spheres_have_their_colour_in_the_middle_and_a_darker_rim(self):
        top, _ = self.draw(with_particle(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], 0.025, [0.5, 0.0, 0.0]))
        disc = np.argwhere(self.has_colour_of(top, 0.5))
        (low, left), (high, right) = disc.min(axis=0), disc.max(axis=0)
        # Lambert's law: the brightness follows from the normal.
        for fraction in (0.0, 0.4, 0.8, 0.95):
            pixel = top[(low + high) // 2, round(0.5 * (left + right) + 0.5 * fraction * (right - left))]
            shade = np.mean(pixel / self.colour(0.5))
            facing = np.sqrt(1.0 - fraction**2)
            self.assertAlmostEqual(shade, scree.depth_buffer.DARKEST + (1.0 - scree.depth_buffer.DARKEST) * facing,
                                   delta=0.1, msg=fraction)
            self.assertTrue(fraction > 0.0 or abs(shade - 1.0) < 0.02)

    def test_members_of_a_clump_differ_and_bodies_keep_their_colour(self):
        owners, colours = np.array([0, 1, 1, 2, 1]), np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
        result = scree.solids.colours_of(owners, colours)
        darkest = scree.solids.LAST_SHADE
        np.testing.assert_allclose(result[:, :3].max(axis=1), [1.0, 1.0, 0.5 * (1.0 + darkest), 1.0, darkest])
        np.testing.assert_array_equal(np.argmax(result[:, :3], axis=1), owners)

    def test_section_has_an_edge_between_touching_bodies_but_not_between_members(self):
        positions = [[0.03, 0.03, 0.01], [0.05, 0.03, 0.01]]
        two_bodies = made_snapshot.fields_at(positions, radius=0.01, shape=np.array([0, 0]))
        one_body = made_snapshot.fields_at([[0.04, 0.03, 0.01]], radius=0.02, shape=np.array([1]))
        members = np.array([[-0.45, 0.0, 0.0, 0.5], [0.45, 0.0, 0.0, 0.5]])
        body = dataclasses.replace(made_snapshot.DUMBBELL, members=members)
        for fields, has_edge in ((two_bodies, True), (one_body, False)):
            made_snapshot.write(self.snapshot, fields, walls=[], shapes=[body])
            snapshot = scree.snapshot.read_snapshot(self.snapshot)
            view = scree.view.of_axis(snapshot, 2)
            scale = scree.colour.scale(scree.colour.of("speed", snapshot), [snapshot], top=1.0)
            scree.picture.render(snapshot, self.picture, [view], scale, 200, place=0.01, whole=True)
            image = matplotlib.image.imread(self.picture)[:, :, :3]
            left, bottom, width, height = scree.picture._layout(snapshot, [view])[1][0]
            row = image[round((1.0 - bottom - 0.5 * height) * len(image))]
            column = round((left + 0.4 * width) * len(row))
            middle_pixels = np.abs(row[column - 6 : column + 7] - self.colour(0.0)).max(axis=1)
            self.assertEqual(bool((middle_pixels > 0.2).any()), has_edge)

    def test_legend_lists_only_existing_kinds(self):
        fields = made_snapshot.made_fields(5) | {"shape": np.array([2, 2, 2, 2, 2])}
        made_snapshot.write(self.snapshot, fields, shapes=[made_snapshot.CUBE, made_snapshot.DUMBBELL])
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        scale = scree.colour.scale(scree.colour.of("shape", snapshot), [snapshot])
        figure, _ = scree.picture.figure_of(snapshot, [scree.view.views(snapshot)["side"]], scale)
        self.assertEqual([text.get_text() for text in figure.legends[0].get_texts()], ["dumbbell"])

    def test_nearest_sphere_lies_on_top(self):
        fields = with_particle(made_snapshot.made_fields(0), [0.05, 0.01, 0.015], 0.004, [1.0, 0.0, 0.0])
        fields = with_particle(fields, [0.05, 0.01, 0.005], 0.004, [0.0, 0.0, 0.0])
        fields = with_particle(fields, [0.05, 0.05, 0.015], 0.004, [0.0, 0.5, 0.0])
        top, side = self.draw(fields)
        np.testing.assert_allclose(self.pixel(top, 0.5, 1 / 6), self.colour(1.0), atol=0.02)
        np.testing.assert_allclose(self.pixel(side, 0.5, 0.75), self.colour(1.0), atol=0.02)
        np.testing.assert_allclose(self.pixel(side, 0.5, 0.25), self.colour(0.0), atol=0.02)

    def test_obstacle_is_drawn_and_planes_are_not(self):
        top, _ = self.draw(made_snapshot.made_fields(0), made_snapshot.WALLS)
        for x, y in ((0.33, 0.5), (0.47, 0.37)):  # in the curved front, in the back
            np.testing.assert_allclose(self.pixel(top, x, y), 0.75, atol=0.02)
        for x, y in ((0.32, 0.36), (0.7, 0.5)):  # next to the curved front, far away
            np.testing.assert_allclose(self.pixel(top, x, y), 1.0)

    def test_wall_outside_the_domain_hides_nothing(self):
        lid = made_snapshot.wall("lid", made_snapshot.box((-1, -1, 0.02), (1, 1, 0.03)))
        top, _ = self.draw(made_snapshot.made_fields(0), [lid])
        np.testing.assert_allclose(self.pixel(top, 0.5, 0.5), 1.0)

    def test_moving_wall_is_drawn_at_its_position(self):
        box = made_snapshot.box((0, 0, 0), (0.01, 0.01, 0.01))
        wall = made_snapshot.wall("a", box, displacement=(0.05, 0.03, 0.0))
        top, _ = self.draw(made_snapshot.made_fields(0), [wall])
        np.testing.assert_allclose(self.pixel(top, 0.55, 0.58), 0.75, atol=0.02)
        np.testing.assert_allclose(self.pixel(top, 0.05, 0.08), 1.0)

    def pixel_at(self, image, name, position):
        """The pixel at which a view draws a point [3]."""
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        view = scree.view.views(snapshot)[name]
        lower, upper = scree.picture._drawing_corners(snapshot, view)
        return self.pixel(image, *((view.project(np.array(position)) - lower) / (upper - lower)))

    def test_obstacle_in_the_oblique_view_hides_only_the_sphere_behind_it(self):
        fields = made_snapshot.made_fields(0)
        # Seen from small x and y, one sphere is in front of the obstacle, one behind it, and two are to the side.
        positions = ([0.045, 0.01, 0.01], [0.045, 0.045, 0.005], [0.08, 0.03, 0.01], [0.09, 0.01, 0.01])
        for position in positions:
            fields = with_particle(fields, position, 0.002, [0.5, 0.0, 0.0])
        (image,) = self.draw(fields, made_snapshot.WALLS, views=("oblique",), dpi=4 * DPI)
        # Walls are grey.
        shown = [bool(np.ptp(self.pixel_at(image, "oblique", position)) > 0.1) for position in positions]
        self.assertEqual(shown, [True, False, True, True])

    def test_sphere_touching_the_front_is_visible_and_one_touching_the_back_is_hidden(self):
        # The box reaches from y = 2 to 4 cm; the spheres overlap it by 1 % of their radius.
        positions = [[0.045, 0.02 - 0.00099, 0.015], [0.045, 0.04 + 0.00099, 0.005], [0.09, 0.01, 0.01], [0.09, 0.02, 0.01]]
        fields = made_snapshot.fields_at(positions, radius=0.001, velocity=np.array(4 * [[0.5, 0.0, 0.0]]))
        for view in ("side", "oblique"):
            (image,) = self.draw(fields, made_snapshot.WALLS, views=(view,), dpi=4 * DPI)
            shown = [bool(np.ptp(self.pixel_at(image, view, position)) > 0.1) for position in positions[:2]]
            self.assertEqual(shown, [True, False], view)

    def test_wall_that_hides_most_particles_is_transparent_and_the_back_wall_opaque(self):
        # Two plates: the front plate is transparent, the plate behind the particles is opaque.
        plates = [made_snapshot.box(*corners) for corners in (
            ((0.02, 0.01, 0.0), (0.08, 0.012, 0.02)), ((0.02, 0.048, 0.0), (0.08, 0.05, 0.02)))]  # fmt: skip
        walls = [made_snapshot.wall(f"plate {k}", plate) for k, plate in enumerate(plates)]
        positions = [[x, 0.03, 0.01] for x in np.linspace(0.03, 0.07, 5)]
        fields = made_snapshot.fields_at(positions, radius=0.003, velocity=np.array(5 * [[0.5, 0.0, 0.0]]))
        (image,) = self.draw(fields, walls, views=("side",), dpi=4 * DPI)
        for position in positions:
            colour_of_grain = self.pixel_at(image, "side", position)
            glass = scree.scene_image.GLASS
            np.testing.assert_allclose(colour_of_grain, (1.0 - glass) * self.colour(0.5) + glass * 0.75, atol=0.03)
        # Between the particles the back plate is as bright as without the front plate.
        np.testing.assert_allclose(self.pixel_at(image, "side", [0.035, 0.03, 0.018]), 0.75, atol=0.1)
        # Now the front plate hides only one of the five particles; the others are next to it.
        fields["position"][1:, 0] = [0.085, 0.09, 0.093, 0.096]
        (image,) = self.draw(fields, walls, views=("side",), dpi=4 * DPI)
        np.testing.assert_allclose(self.pixel_at(image, "side", [0.03, 0.03, 0.01]), 0.75, atol=0.1)

    def test_oblique_view_shows_the_floor_also_without_particles(self):
        fields = made_snapshot.fields_at([[0.05, 0.03, 0.002]], radius=0.002)
        floor = scree.walls.Plane("floor", np.zeros(3), np.array([0.0, 0.0, 1.0]))
        lid = scree.walls.Plane("lid", np.array([0.0, 0.0, 0.02]), np.array([0.0, 0.0, -1.0]))
        for planes, grey in (([floor], scree.scene_image.FLOOR_COLOUR), ([lid], 1.0), ([], 1.0)):
            with unittest.mock.patch.object(scree.walls, "planes", return_value=planes):
                (image,) = self.draw(fields, views=("oblique",), dpi=4 * DPI)
            np.testing.assert_allclose(self.pixel_at(image, "oblique", [0.08, 0.045, 0.0]), grey, atol=0.08)
            self.assertGreater(abs(self.pixel_at(image, "oblique", [0.08, 0.045, 0.0]).mean() - 0.93), 0.01)
        top, side = self.draw(made_snapshot.made_fields(0))
        np.testing.assert_allclose(top[5:-5, 5:-5], 1.0)

    def test_walls_end_at_the_domain(self):
        # A tube along y that reaches beyond both ends: nothing of it is drawn outside the box.
        tube = walls_test.tube(0.004, 0.2)[..., [0, 2, 1]] + [0.05, -0.1, 0.01]
        with unittest.mock.patch.object(scree.walls, "sheets", return_value=[scree.walls.Sheet("tube", tube)]):
            (image,) = self.draw(made_snapshot.made_fields(0), views=("oblique",), dpi=4 * DPI)
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        self.assertTrue(np.all(self.pixel_at(image, "oblique", [0.05, 0.03, 0.014]) < 0.85))
        self.assertTrue(np.all(self.pixel_at(image, "oblique", [0.05, 0.005, 0.0142]) < 0.95))
        view = scree.view.views(snapshot)["oblique"]
        for outside in ([0.05, -0.02, 0.014], [0.05, 0.08, 0.014]):
            lower, upper = scree.picture._drawing_corners(snapshot, view)
            fraction = (view.project(np.array(outside)) - lower) / (upper - lower)
            if np.all((fraction > 0.0) & (fraction < 1.0)):
                np.testing.assert_allclose(self.pixel(image, *fraction), 1.0)

    def test_oblique_view_keeps_areas_of_spheres(self):
        radius = 0.005
        fields = with_particle(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], radius, [0.5, 0.0, 0.0])
        (view,) = self.draw(fields, views=("oblique",), dpi=4 * DPI)
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        oblique = scree.view.views(snapshot)["oblique"]
        lower, upper = scree.picture._drawing_corners(snapshot, oblique)
        (width, _), ((_, _, panel_width, _),), _ = scree.picture._layout(snapshot, [oblique])
        pixels = 4 * DPI * width * panel_width / (upper - lower)[0]  # per metre
        self.assertAlmostEqual(self.has_colour_of(view, 0.5).sum() / (np.pi * (radius * pixels) ** 2), 1.0, delta=0.1)

    def test_section_shows_circles_and_squares_where_the_plane_cuts(self):
        # The plane cuts a sphere 3 mm above its centre, and a cube with edges of 9.2 mm.
        for shape, radius, area in ((0, 0.005, np.pi * (0.005**2 - 0.003**2)), (1, 0.008, 4.0 / 3.0 * 0.008**2)):
            fields = made_snapshot.fields_at([[0.03, 0.03, 0.008], [0.07, 0.03, 0.0195]], radius=radius,
                                             velocity=np.array([[0.5, 0, 0], [0, 0, 0]]), shape=np.array([shape, 0]))  # fmt: skip
            made_snapshot.write(self.snapshot, fields, walls=[], shapes=[made_snapshot.CUBE])
            snapshot = scree.snapshot.read_snapshot(self.snapshot)
            scale = scree.colour.scale(scree.colour.of("speed", snapshot), [snapshot], top=1.0)
            view = scree.view.of_axis(snapshot, 2)
            scree.picture.render(snapshot, self.picture, [view], scale, DPI, place=0.011, whole=True)
            image = matplotlib.image.imread(self.picture)[:, :, :3]
            left, bottom, width, height = scree.picture._layout(snapshot, [view])[1][0]
            coloured = np.abs(image - self.colour(0.5)).max(axis=2) < 0.02
            coloured[:, round((left + width) * image.shape[1]) :] = False  # the colour bar
            self.assertAlmostEqual(coloured.mean() / (area / (0.1 * 0.06) * width * height), 1.0, delta=0.1)
            # The second body begins above the plane.
            self.assertFalse((np.abs(image - self.colour(0.0)).max(axis=2) < 0.02)[:, : coloured.shape[1] // 2].any())

    def test_paths_follow_ids_and_break_at_periodic_faces(self):
        positions = [0.02, 0.06, 0.095, 0.02]
        frames = []
        for number, x in enumerate(positions):
            fields = made_snapshot.fields_at([[0.01, 0.01, 0.01], [x, 0.03, 0.01]], id=np.array([4, 9]))
            rows = [1, 0] if number % 2 else [0, 1]
            fields = {name: values[rows] for name, values in fields.items()}
            frames.append(made_snapshot.in_memory(fields, periodic=(True, False, False)))
        resting_path, moving_path = scree.picture.paths(frames, 5)
        np.testing.assert_allclose(resting_path, [[0.01, 0.01, 0.01]] * 4)
        np.testing.assert_allclose(moving_path[:3, 0], positions[:3])
        self.assertTrue(np.isnan(moving_path[3]).all())

    def test_scene_on_its_side_is_drawn_upright(self):
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(3),
                            configuration="[scene]\ngravity = 0 9.81 0\n")
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        lower, upper = scree.picture._drawing_corners(snapshot, scree.view.views(snapshot)["side"])
        self.assertAlmostEqual((upper - lower)[1], 0.06)
        scree.picture.render(snapshot, self.picture, dpi=DPI)
        self.assert_is_picture(self.picture)

    def test_stills_end_above_the_grains(self):
        fields = made_snapshot.made_fields(200)
        fields["position"][:, 2] *= 0.2  # 4 of 20 mm
        for gravity, ends in ((-9.81, (0.0, 0.005)), (9.81, (0.0, 0.02))):
            frame = made_snapshot.in_memory(fields, configuration=f"[scene]\ngravity = 0 0 {gravity}\n")
            close_up = scree.picture.close_up(frame)
            np.testing.assert_allclose([close_up.lower[2], close_up.upper[2]], ends, atol=2e-4)
            np.testing.assert_array_equal(close_up.upper[:2], frame.upper[:2])
        falling_fields = made_snapshot.made_fields(200)  # grains over the whole height
        self.assertEqual(scree.picture.close_up(made_snapshot.in_memory(falling_fields)).upper[2], 0.02)

    def test_views_of_a_film_stay_if_gravity_turns(self):
        fields = made_snapshot.made_fields(20)
        fields["position"][:, 2] *= 0.2
        turned = '[scene]\ngravity = 0 0 -9.81\n[time]\nstep = 10 ms\n[at "0.1 s"]\nscene.gravity = 0 0 9.81\n'
        frames = [made_snapshot.in_memory(fields, configuration=turned, time=time) for time in (0.1, 0.2)]
        view, scale = scree.view.views(frames[0])["side"], scree.colour.scale(scree.colour.of("speed", frames[0]), frames, top=1.0)
        boxes = [scree.picture.contents(frame) for frame in frames]
        with unittest.mock.patch("scree.picture.draw", wraps=scree.picture.draw) as draw:
            scree.picture.film(frames, self.folder / "film.gif", [view], scale, DPI, boxes=boxes)
        tops = [call.args[1].upper[2] for call in draw.call_args_list]
        self.assertEqual(tops[0], tops[1])
        self.assertLess(tops[0], 0.006)
        arrows = [[text.get_text() for text in scree.picture.figure_of(frame, [view], scale)[1][0].texts] for frame in frames]
        self.assertEqual(["g" in texts for texts in arrows], [False, True])  # no arrow where gravity points down

    def test_machines_are_drawn_whole_but_not_walls_beyond_the_domain(self):
        fields = made_snapshot.made_fields(200)
        fields["position"] *= [0.2, 1.0, 0.2]
        frame = made_snapshot.in_memory(fields, configuration="[scene]\ngravity = 0 0 -9.81\n")
        self.assertLess(scree.picture.close_up(frame).upper[0], 0.025)
        for low, high, ends in (((0.01, 0.01, 0.001), (0.06, 0.05, 0.012), (0.06, 0.012)), ((0.01, -1, 0.001), (0.06, 1, 1), (0.06, 0.005)),
                                ((0.01, 0.01, 0.01), (0.06, 0.05, 0.02), (0.06, 0.02)),  # it ends at the top of the domain
                                ((0.2, 0.01, 0.001), (0.3, 0.05, 0.012), (0.0211, 0.005))):  # fmt: skip
            frame.walls[:] = [made_snapshot.wall("machine", made_snapshot.box(low, high))]
            close_up = scree.picture.close_up(frame)
            np.testing.assert_allclose([close_up.upper[0], close_up.upper[2]], ends, atol=1.1e-3)

    def test_oblique_planes_are_drawn_but_not_faces_of_the_domain(self):
        fields = made_snapshot.made_fields(200)
        fields["position"] *= [0.2, 1.0, 0.2]
        frame = made_snapshot.in_memory(fields, configuration="[scene]\ngravity = 0 0 -9.81\n")
        low = scree.picture.contents(frame)[1]
        for normal, ends in (((1.0, 0.0, 0.0), low), ((0.6, 0.0, 0.8), (0.016, 0.06, 0.012))):
            chute = scree.walls.Plane("chute", np.array([0.0, 0.0, 0.012]), np.array(normal))
            with unittest.mock.patch("scree.walls.planes", return_value=[chute]):
                np.testing.assert_allclose(scree.picture.contents(frame)[1], np.maximum(low, ends), atol=1e-6)

    def test_film_is_cropped_to_the_contents_of_all_frames(self):
        paths = [self.folder / f"{k}.h5" for k in range(3)]
        for path, x in zip(paths, (0.01, 0.02, 0.03)):
            fields = with_particle(made_snapshot.made_fields(0), [x, 0.03, 0.002], 0.002, [0.1, 0, 0])
            made_snapshot.write(path, fields, walls=())
        frames = list(scree.snapshot.read_frames(paths))
        boxes = [scree.picture.contents(frame) for frame in frames]
        close_ups = [scree.picture.close_up(frame, boxes) for frame in frames]
        for close_up in close_ups:
            np.testing.assert_allclose([close_up.lower[0], close_up.upper[0], close_up.upper[2]], [0.006, 0.034, 0.006])
        sizes = {}
        for options in ([], ["--whole"]):
            film = self.folder / "film.gif"
            self.assert_runs(*paths, "--view", "side", "--output", film, "--dpi", DPI, *options)
            with PIL.Image.open(film) as image:
                self.assertEqual(image.n_frames, 3)
                pixels = np.array(image.convert("RGB"))[:, : int(0.6 * image.width)] / 255.0
                sizes[bool(options)] = int((np.ptp(pixels, axis=2) > 0.1).sum())
        self.assertGreater(sizes[False], 2.0 * sizes[True])

    def test_grains_at_rest_are_coloured_by_their_kind(self):
        fields = made_snapshot.fields_at([[0.03, 0.03, 0.01], [0.07, 0.03, 0.01]], radius=0.009, velocity=np.full((2, 3), 1e-24))
        made_snapshot.write(self.snapshot, fields, walls=())
        images = []
        for options in ([], ["--colour", "speed"]):
            self.assert_runs(self.snapshot, "--view", "side", "--output", self.picture, "--dpi", DPI, *options)
            image = matplotlib.image.imread(self.picture)[:, :, :3]
            first = np.array(matplotlib.colors.to_rgb(scree.figure.COLOURS[0]))
            images.append((bool((np.abs(image - first).max(axis=2) < 0.05).sum() > 20),
                           bool(self.has_colour_of(image, 0.0, 0.05).sum() > 500)))
        self.assertEqual([images[0][0], images[1][0]], [True, False])

    def test_letters_have_seven_points_in_a_column_of_text(self):
        # The picture, whose letters have 10 points, is scaled to a column of 8.6 cm.
        for extent in ((0.1, 0.06, 0.02), (1.5, 0.06, 0.02), (0.02, 0.02, 0.1), (0.1, 0.1, 0.1)):
            fields = made_snapshot.made_fields(50)
            fields["position"] *= np.array(extent) / [0.1, 0.06, 0.02]
            frame = made_snapshot.in_memory(fields, extent)
            scale = scree.colour.scale(scree.colour.of("speed", frame), [frame])
            for names in [(name,) for name in scree.view.NAMES] + [scree.view.default_views(frame)]:
                figure, _ = scree.picture.figure_of(frame, [scree.view.views(frame)[name] for name in names], scale)
                box = scree.figure.draw(figure, DPI)
                self.assertGreater(10.0 * 8.6 / 2.54 / box.width, 6.95, (extent, names))
                scree.figure.plt.close(figure)

    def test_every_colour_can_be_drawn(self):
        second = self.folder / "second.h5"
        for path in (self.snapshot, second):
            made_snapshot.write(path, made_snapshot.made_fields(20))
        all_colours = [name for name in scree.colour.NAMES if name not in ("cluster", "pressure")]
        for colour in (*all_colours, "angular_velocity", "velocity_x", "position_z", "radius"):
            with self.subTest(colour=colour):
                self.assert_runs(self.snapshot, second, "--colour", colour, "--view", "side", "--dpi", 30)
        self.assert_refused(2, ["output.contacts"], self.snapshot, "--colour", "pressure")
        self.assert_refused(2, ["no bonds", "[bond.NAME]"], self.snapshot, "--colour", "cluster")
        self.assert_refused(2, ["'taste'", "speed", "velocity_x"], self.snapshot, "--colour", "taste")

    def test_picture_is_next_to_each_snapshot(self):
        second = self.folder / "second.h5"
        for path in (self.snapshot, second):
            made_snapshot.write(path, made_snapshot.made_fields(20))
        self.assert_runs(self.snapshot, second, "--dpi", DPI)
        self.assert_is_picture(self.picture)
        self.assert_is_picture(second.with_suffix(".png"))

    def test_directory_gives_a_picture_of_its_last_snapshot_or_a_film(self):
        run = made_run.steady(self.folder / "run")
        self.assert_runs(run, "--dpi", DPI)
        last_snapshot = max((run / "snapshots").glob("*.h5"))
        self.assertEqual([path.stem for path in (run / "snapshots").glob("*.png")], [last_snapshot.stem])
        self.assert_runs(run, "--output", self.folder / "film.gif", "--dpi", DPI)
        with PIL.Image.open(self.folder / "film.gif") as film:
            self.assertEqual(film.n_frames, len(list((run / "snapshots").glob("*.h5"))))
        self.assert_refused(3, ["output directory of a run"], self.folder)

    def test_film_has_a_frame_per_snapshot_at_one_colour_scale(self):
        paths = [self.folder / f"{k}.h5" for k in range(3)]
        for path, speed in zip(paths, (0.25, 0.5, 1.0)):
            fields = with_particle(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], 0.025, [speed, 0, 0])
            made_snapshot.write(path, fields, walls=())
        film = self.folder / "film.gif"
        self.assert_runs(*paths, "--view", "above", "--output", film)
        with PIL.Image.open(film) as image:
            self.assertEqual(image.n_frames, 3)
            for frame, speed in enumerate((0.25, 0.5, 1.0)):
                image.seek(frame)
                pixels = np.array(image.convert("RGB")) / 255.0
                # A tolerance, because the palette of a frame has 256 colours.
                self.assertGreater(self.has_colour_of(pixels, speed, 0.05).mean(), 0.1)

    def test_films_have_smooth_shades(self):
        fields = with_particle(made_snapshot.made_fields(0), [0.05, 0.03, 0.01], 0.025, [0.5, 0.0, 0.0])
        made_snapshot.write(self.snapshot, fields, walls=())
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        scale = scree.colour.scale(scree.colour.of("speed", snapshot), [snapshot], top=1.0)
        film, view = self.folder / "film.gif", scree.view.views(snapshot)["above"]
        scree.picture.film([snapshot, snapshot], film, [view], scale, 100)
        with PIL.Image.open(film) as image:
            pixels = np.array(image.convert("RGB"))
        is_sphere = self.has_colour_of(pixels / 255.0, 0.5, 0.05)
        self.assertGreater(len(np.unique(pixels[is_sphere], axis=0)), 60)

    def test_borders_of_subdomains_are_drawn(self):
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(0))
        with h5py.File(self.snapshot, "a") as file:
            del file["scree/subdomains"]
        self.assert_refused(2, ["has no subdomains"], self.snapshot, "--subdomains")
        with h5py.File(self.snapshot, "a") as file:
            file["scree/subdomains"] = np.array([[0, 0, 0, 0.04, 0.06, 0.02], [0.04, 0, 0, 0.1, 0.06, 0.02]])
        images = {}
        for option in ([], ["--subdomains"]):
            self.assert_runs(self.snapshot, "--view", "above", "--output", self.picture, *option)
            image = matplotlib.image.imread(self.picture)[:, :, :3]
            images[bool(option)] = np.abs(image - matplotlib.colors.to_rgb("crimson")).max(axis=2) < 0.02
        self.assertFalse(images[False].any())
        # The border is the column with most pixels of this colour, except for the two ends of the domain.
        columns = np.flatnonzero(images[True].any(axis=0))
        border_column = np.argmax(images[True][:, columns[0] + 20 : columns[-1] - 20].sum(axis=0)) + 20
        self.assertAlmostEqual(border_column / (columns[-1] - columns[0]), 0.4, delta=0.01)

    def test_faces_of_a_rounded_cube_meet_in_its_sharp_corners(self):
        cube = made_snapshot.CUBE
        corners = np.sign(cube.members[:, :3]) / np.sqrt(3.0)
        for face, sharp in zip(cube.faces, cube.sharp_faces()):
            np.testing.assert_allclose(sharp, corners[face], atol=1e-12)
        # A corner that rounding split in two: member 8 coincides with member 0.
        split = [np.append(face, 8) if face[0] == 0 else face for face in cube.faces]
        members = np.concatenate([cube.members, cube.members[:1]])
        shape = dataclasses.replace(cube, members=members, faces=split)
        self.assertEqual([len(face) for face in shape.sharp_faces()], [4] * 6)

    def test_body_of_two_cubes_and_a_sphere_has_three_members(self):
        cube = made_snapshot.CUBE
        halves = [0.5 * cube.members + [x, 0.0, 0.0, 0.0] for x in (-0.5, 0.4)]
        members = np.concatenate([*halves, [[0.0, 0.6, 0.0, 0.3]]])
        faces = cube.faces + [face + len(cube.members) for face in cube.faces]
        body = dataclasses.replace(cube, name="body", members=members, faces=faces)
        self.assertEqual([len(faces) for _, faces in body.solids], [6, 6])
        np.testing.assert_allclose([ball[0] for ball, _ in body.solids], [-0.5, 0.4])
        np.testing.assert_allclose(body.spheres, [[0.0, 0.6, 0.0, 0.3]])
        for (ball, sharp), x in zip(body.solids, (-0.5, 0.4)):
            corners = np.concatenate(sharp) * ball[3] + ball[:3]
            np.testing.assert_allclose(np.abs(corners - [x, 0, 0]), 0.5 / np.sqrt(3.0), atol=1e-12)
        fields = made_snapshot.made_fields(3) | {"shape": np.array([2, 0, 1])}
        made_snapshot.write(self.snapshot, fields, shapes=[cube, body])
        snapshot = scree.snapshot.read_snapshot(self.snapshot)
        positions, radii, rows, kinds = snapshot.pieces()
        self.assertEqual((rows.tolist(), kinds.tolist()), ([1, 2, 0, 0, 0], [0, 1, 2, 3, 0]))
        np.testing.assert_allclose(radii[4], 0.3 * fields["radius"][0])
        self.assertEqual(len(snapshot.solids), 3)
        for option in ([], ["--slice", "z", "1", "cm"]):
            self.assert_runs(self.snapshot, "--dpi", DPI, "--output", self.picture, *option)

    def test_bad_input_is_refused(self):
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(2))
        self.assert_refused(2, ["x, y or z"], self.snapshot, "--slice", "w", "1", "cm")
        self.assert_refused(2, ["outside of the domain"], self.snapshot, "--slice", "z", "5", "cm")
        self.assert_refused(2, ["units"], self.snapshot, "--slice", "z", "5", "s")
        self.assert_refused(2, ["two snapshots"], self.snapshot, "--trajectories", "3")
        self.assert_refused(2, ["--dpi"], self.snapshot, "--dpi", "0")

    def test_output_must_suit_the_snapshots(self):
        made_snapshot.write(self.snapshot, made_snapshot.made_fields(2))
        two_snapshots = (self.snapshot, self.snapshot)
        self.assert_refused(2, ["one picture, but there are 2 snapshots"], *two_snapshots, "--output", self.picture)
        self.assert_refused(2, [".gif"], *two_snapshots, "--output", self.folder / "film.avi")
        for ending, head in ((".pdf", b"%PDF"), (".svg", b"<?xml")):
            self.assert_runs(self.snapshot, "--view", "side", "--dpi", DPI, "--output", self.picture.with_suffix(ending))
            self.assertEqual(self.picture.with_suffix(ending).read_bytes()[: len(head)], head)
        if not shutil.which("ffmpeg"):
            self.assert_refused(2, ["ffmpeg"], *two_snapshots, "--output", self.folder / "film.mp4")


if __name__ == "__main__":
    unittest.main()
