"""Tests of scripts/view.py: contents of the page; drawing, playing, cutting, picking in a browser."""

import base64
import io
import json
import pathlib
import re
import unittest
from unittest import mock

import browser
import made_run
import made_snapshot
from script_test import ScriptTest, new_folder, skipped_unless

import numpy as np
import PIL.Image

import scree.contacts
import scree.snapshot
from scree.errors import FileError
import scree.solids
import scree.viewer

MAX_SIZE = 60e6  # largest size of a page with the default numbers of grains and frames [bytes]
COUNT = 150  # grains in the browser
LIBRARY = all(path.is_file() for path in scree.viewer.LIBRARY)


def frames(count, number, seed=1):
    """Snapshots in memory in which all grains move by 1 mm along x from frame to frame."""
    fields = made_snapshot.made_fields(count, seed)
    snapshots = []
    for k in range(number):
        displaced = fields["position"] + [1e-3 * k, 0.0, 0.0]
        snapshots.append(made_snapshot.in_memory({**fields, "position": displaced}, time=0.1 * k, extent=(0.2, 0.06, 0.02)))
    return snapshots


class Description(unittest.TestCase):
    def setUp(self):
        # Frames in memory have no file with contacts.
        no_contacts = mock.patch.object(scree.contacts, "recorded", return_value=None)
        no_contacts.start()
        self.addCleanup(no_contacts.stop)

    def test_frames_are_restored_from_the_arrays(self):
        snapshots = frames(50, 3)
        run, arrays = scree.viewer.describe(snapshots, 1000)
        ids = np.frombuffer(arrays.data, "<f8", run["grains"], run["ids"])
        speed = next(field for field in run["fields"] if field["name"] == "speed")
        for frame, frame_data in zip(snapshots, run["frames"]):
            rows = np.frombuffer(arrays.data, "<u4", frame_data["count"], frame_data["rows"])
            np.testing.assert_array_equal(ids[rows], frame["id"])
            fraction = np.frombuffer(arrays.data, "<u2", 3 * frame_data["count"], frame_data["places"]).reshape(-1, 3) / 65535
            np.testing.assert_allclose(fraction * run["extent"], frame["position"], atol=0.2 / 65535)
            value = np.frombuffer(arrays.data, "<u2", frame_data["count"], frame_data["fields"]["speed"]) / 65535
            np.testing.assert_allclose(speed["low"] + value * (speed["high"] - speed["low"]), frame.speed, atol=1e-4)
        radius = np.frombuffer(arrays.data, "<f4", run["grains"], run["radius"])
        np.testing.assert_allclose(radius[rows], frame["radius"], rtol=1e-6)

    def test_grains_of_a_growing_cell_keep_their_places(self):
        snapshots = frames(50, 3)
        for k, frame in enumerate(snapshots):
            frame.lower, frame.upper = frame.lower - [0.03 * k, 0.0, 0.01], frame.upper + [0.03 * k, 0.0, -0.02 * (k == 1)]
            frame.fields["position"] = frame.lower + np.random.default_rng(k).uniform(size=(50, 3)) * (frame.upper - frame.lower)
        run, arrays = scree.viewer.describe(snapshots, 1000)
        np.testing.assert_allclose((run["lower"], run["extent"]), ([-0.06, 0.0, -0.01], [0.32, 0.06, 0.03]))
        for frame, frame_data in zip(snapshots, run["frames"]):
            fraction = np.frombuffer(arrays.data, "<u2", 150, frame_data["places"]).reshape(-1, 3) / 65535
            np.testing.assert_allclose(run["lower"] + fraction * run["extent"], frame["position"], atol=0.32 / 65535)

    def test_thinned_grains_are_the_same_in_all_frames(self):
        run, arrays = scree.viewer.describe(frames(1000, 3), 300)
        self.assertEqual((run["every"], run["grains"], run["most"]), (4, 250, 250))
        rows = [np.frombuffer(arrays.data, "<u4", frame_data["count"], frame_data["rows"]).tolist() for frame_data in run["frames"]]
        self.assertEqual(rows[0], rows[2])
        self.assertIn("one grain in 4 (250 of 1000)", scree.viewer.notice(run, 3, 3))
        self.assertIn("3 of 9 frames", scree.viewer.notice(run, 3, 9))
        self.assertEqual(scree.viewer.notice(scree.viewer.describe(frames(10, 1), 300)[0], 1, 1), "")

    def test_clumps_are_shown_by_their_members(self):
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.06, 0.02, 0.01]], radius=2e-3, shape=np.array([0, 1]))
        frame = made_snapshot.in_memory(fields, shapes=[made_snapshot.DUMBBELL])
        run, arrays = scree.viewer.describe([frame], 100)
        frame_data = run["frames"][0]
        self.assertEqual((frame_data["count"], run["shown"], run["known"]), (3, 2, 2))
        rows = np.frombuffer(arrays.data, "<u4", 3, frame_data["rows"])
        fraction = np.frombuffer(arrays.data, "<u2", 9, frame_data["places"]).reshape(3, 3) / 65535
        result = {(int(np.frombuffer(arrays.data, "<f8", 3, run["ids"])[row]), round(1e3 * x))
                  for row, x in zip(rows, fraction[:, 0] * run["extent"][0])}
        self.assertEqual(result, {(0, 20), (1, 59), (1, 61)})
        radius = np.frombuffer(arrays.data, "<f4", 3, run["radius"])[rows]
        np.testing.assert_allclose(np.sort(radius), [1e-3, 1e-3, 2e-3], rtol=1e-6)
        self.assertIn("shape", [field["name"] for field in run["fields"]])
        # Every second member is darker, so that the rotation of the body is visible.
        shades = np.frombuffer(arrays.data, "u1", 3, run["shade"]) / 255
        np.testing.assert_allclose(shades, [1.0, 1.0, scree.solids.LAST_SHADE], atol=2e-3)

    def test_polyhedra_are_shown_whole_and_turned(self):
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.06, 0.02, 0.01]], radius=2e-3, shape=np.array([0, 1]),
                                         orientation=np.array([[1.0, 0, 0, 0], [0.6, 0, 0, 0.8]]))  # fmt: skip
        run, arrays = scree.viewer.describe([made_snapshot.in_memory(fields, shapes=[made_snapshot.CUBE])], 100)
        frame_data, (cube,) = run["frames"][0], run["solids"]
        self.assertEqual((frame_data["count"], cube["name"], len(cube["triangles"])), (2, "cube", 12 * 9))
        np.testing.assert_allclose(np.abs(cube["triangles"]), 3**-0.5, atol=1e-6)
        self.assertEqual(np.frombuffer(arrays.data, "u1", 2, run["solid"]).tolist(), [0, 1])
        first_legend, last_legend = ([field["present"] for field in scree.viewer.describe([frame], 100)[0]["fields"] if field["name"] == "shape"]
                                     for frame in (made_snapshot.in_memory(fields,
                                                                           shapes=[made_snapshot.DUMBBELL, made_snapshot.CUBE]),
                                                   made_snapshot.in_memory(fields | {"shape": np.ones(2, int)},
                                                                           shapes=[made_snapshot.CUBE])))
        self.assertEqual((first_legend, last_legend), ([(0, 1)], [(1,)]))  # the legend lists only the kinds in the snapshot
        quaternions = np.frombuffer(arrays.data, "<i2", 8, frame_data["turns"]).reshape(2, 4) / 32767
        np.testing.assert_allclose(quaternions, [[0, 0, 0, 1], [0, 0, 0.8, 0.6]], atol=2e-5)

    def test_page_of_many_grains_is_small_enough(self):
        sizes = []
        for number in (1, 2):
            run, arrays = scree.viewer.describe(frames(scree.viewer.MAX_GRAINS, number), scree.viewer.MAX_GRAINS)
            sizes.append(len(json.dumps(run)) + 4 / 3 * len(arrays.data))
        self.assertLess(sizes[0] + (sizes[1] - sizes[0]) * (scree.viewer.FRAMES - 1) + 2e6, MAX_SIZE)

    def test_particles_that_appear_and_vanish_are_described(self):
        first, second = frames(40, 2)
        second.fields = {name: values[10:] for name, values in second.fields.items()}
        run, _ = scree.viewer.describe([first, second], 1000)
        self.assertEqual([frame_data["count"] for frame_data in run["frames"]], [40, 30])
        empty = made_snapshot.in_memory(made_snapshot.made_fields(0))
        self.assertEqual(scree.viewer.describe([empty], 1000)[0]["most"], 0)

    def test_walls_move_and_vanish(self):
        box = made_snapshot.wall("box", made_snapshot.box((0, 0, 0), (0.01, 0.01, 0.01)))
        moved_wall = made_snapshot.wall("box", made_snapshot.box((0, 0, 0), (0.01, 0.01, 0.01)),
                                        displacement=(0.02, 0.0, 0.0))
        removed = made_snapshot.wall("box", made_snapshot.box((0, 0, 0), (0.01, 0.01, 0.01)), is_there=False)
        snapshots = frames(5, 3)
        for frame, wall in zip(snapshots, (box, moved_wall, removed)):
            frame.walls = [wall]
        run, _ = scree.viewer.describe(snapshots, 10)
        self.assertEqual(len(run["walls"][0]["triangles"]), 12 * 9)
        poses = [frame_data["walls"][0] for frame_data in run["frames"]]
        self.assertEqual(poses[1]["displacement"], [0.02, 0.0, 0.0])
        self.assertIsNone(poses[2])

    def test_page_opens_with_the_frame_of_largest_spread(self):
        constant, mixed = np.zeros(8), np.tile([0.0, 1.0], 4)
        self.assertEqual(scree.viewer.opening([constant, mixed, constant]), 1)
        # The last frame has too few grains to count.
        self.assertEqual(scree.viewer.opening([constant, 0.5 * mixed, mixed[:2]]), 1)
        self.assertEqual(scree.viewer.opening([constant[:0]]), 0)

    def test_fields_have_their_colours(self):
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.06, 0.02, 0.01]], radius=np.array([1e-3, 2e-3]))
        fields["velocity"] = np.array([[-2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        run, arrays = scree.viewer.describe([made_snapshot.in_memory(fields)], 100, ["velocity_x"])
        field_by_name = {field["name"]: field for field in run["fields"]}
        palette = {name: np.frombuffer(base64.b64decode(field["palette"]), np.uint8).reshape(-1, 4)
                   for name, field in field_by_name.items()}
        with self.subTest("kinds"):
            self.assertEqual(field_by_name["size"]["names"], ("2", "4"))
            kinds = np.frombuffer(arrays.data, "<u2", 2, field_by_name["size"]["constant"])
            self.assertEqual((kinds.tolist(), len(palette["size"])), ([0, 1], 2))
        with self.subTest("components"):
            self.assertEqual(field_by_name["velocity_x"]["bottom"], -field_by_name["velocity_x"]["top"])
            blue, red = palette["velocity_x"][[0, -1]].astype(int)
            self.assertTrue(blue[2] > blue[0] and red[0] > red[2] and palette["velocity_x"][128, :3].min() > 200)
        self.assertEqual(field_by_name["speed"]["bottom"], 0.0)

    def test_missing_library_is_reported(self):
        run, arrays = scree.viewer.describe(frames(5, 1), 10)
        with mock.patch.object(scree.viewer, "LIBRARY", (pathlib.Path("/dev/null/three.min.js"),)):
            with self.assertRaisesRegex(FileError, "apt-get install libjs-three"):
                scree.viewer.page("", run, arrays, "")


@skipped_unless(LIBRARY, "libjs-three is not installed")
class Script(ScriptTest):
    script = "view.py"

    def test_page_needs_no_other_file_and_has_the_licence(self):
        run = made_run.steady(self.folder / "<run>")
        self.assertIn("view.html", self.assert_runs(run, "--frames", "2").stdout)
        text = (run / "view.html").read_text()
        self.assertIn("three.js authors", text)
        self.assertIn("2 of 3 frames", text)
        self.assertIn("<title>Scree: &lt;run&gt;</title>", text)
        self.assertFalse(re.findall(r'<(?:script|link|img)[^>]*(?:src|href)=', text))

    def test_snapshot_without_a_run_has_a_page_in_another_colour(self):
        path = self.folder / "a.h5"
        made_snapshot.write(path, made_snapshot.made_fields(20))
        self.assert_runs(path, "--output", self.folder / "a.html", "--colour", "velocity_x")
        self.assertIn("velocity in x", (self.folder / "a.html").read_text())

    def test_bad_input_is_refused(self):
        self.assert_refused(3, ["output directory of a run"], self.folder)
        run = made_run.write(self.folder / "run", [{"step": k} for k in range(2)], {})
        self.assert_refused(2, ["no snapshots"], run)
        path = self.folder / "a.h5"
        made_snapshot.write(path, made_snapshot.made_fields(2))
        self.assert_refused(2, ["'taste'"], path, "--colour", "taste")
        self.assert_refused(2, ["--most"], path, "--most", "0")


@skipped_unless(LIBRARY and browser.program(), "chromium or libjs-three is not installed")
class InBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        paths = []
        fields = made_snapshot.made_fields(COUNT)
        fields["radius"] = np.full(COUNT, 2e-3)
        fields["shape"] = np.arange(COUNT, dtype=np.int32) % 2
        for k in range(3):
            paths.append(cls.folder / f"{k}.h5")
            displaced = {**fields, "position": 0.8 * fields["position"] + [5e-3 * k, 0.0, 0.0]}
            made_snapshot.write(paths[-1], displaced, time=0.1 * k, shapes=[made_snapshot.CUBE])
        written_frames = list(scree.snapshot.read_frames(paths))
        cls.frames = written_frames
        cls.page = cls.folder / "view.html"
        cls.page.write_text(scree.viewer.page("test", *scree.viewer.describe(written_frames, 1000), ""), encoding="utf-8")

    SHOWN_COUNT = "scree.balls.count + scree.polyhedra[0].count"

    def open(self, width=720, height=480):
        page = browser.Browser(self.page, width, height)
        self.addCleanup(page.__exit__)
        page.__enter__()
        page.wait_for("Boolean(window.scree && scree.state.drawn)")
        return page

    def picture(self, page):
        """A picture of the window, [rows, columns, 3], drawn after this request."""
        drawn = page.value("(document.title = '', scree.show(scree.state.frame), scree.state.drawn)")
        page.wait_for(f"scree.state.drawn > {drawn}")
        path = self.folder / "shot.png"
        page.screenshot(path)
        return np.array(PIL.Image.open(io.BytesIO(path.read_bytes())).convert("RGB")).astype(int)

    def scene_rectangle(self, page):
        """Rectangle of the scene in the window: left, top, width, height [pixels]."""
        box = page.value("document.getElementById('scene').getBoundingClientRect().toJSON()")
        return [box[side] for side in ("left", "top", "width", "height")]

    def coloured_fraction(self, page, shot):
        """Fraction of the pixels of the scene that are not grey; the panel does not cover the scene."""
        left, top, width, height = map(round, self.scene_rectangle(page))
        return (np.ptp(shot[top : top + height, left : left + width], axis=2) > 40).mean()

    def test_page_draws_plays_cuts_and_picks(self):
        page = self.open()
        page.value("scree.show(0)")
        first = self.picture(page)
        self.assertGreater(self.coloured_fraction(page, first), 0.03)

        with self.subTest("colours"):
            page.value("(document.getElementById('colour').value = 1, document.getElementById('colour').onchange())")
            self.assertGreater((np.abs(self.picture(page) - first).max(axis=2) > 30).mean(), 0.01)
            self.assertEqual(page.value("scree.run.fields[scree.state.field].name"), "spin")

        with self.subTest("cut"):
            page.value("scree.state.cut = {axis: 0, place: 0.4, flip: false}; scree.show(0)")
            grains_left = int((self.frames[0]["position"][:, 0] <= 0.04).sum())
            self.assertEqual(page.value(self.SHOWN_COUNT), grains_left)
            self.assertGreater(page.value("scree.polyhedra[0].count"), 0)
            page.value("scree.state.cut = {axis: 0, place: 0.4, flip: true}; scree.show(0)")
            self.assertEqual(page.value(self.SHOWN_COUNT), COUNT - grains_left)
            page.value("scree.state.cut.axis = -1; scree.show(0)")

        with self.subTest("picks"):
            self.pick(page)

        with self.subTest("a ray past a corner of a cube meets its bounding sphere, but no face"):
            distance_call = ("distanceToSolid(new THREE.Vector3(0, 0, 9), 1, new THREE.Vector3({}, 0, 9).normalize(), "
                             "scree.polyhedra[0], [0, 0, 0, 1])")
            self.assertAlmostEqual(page.value(distance_call.format(0)), 9.0 - 3**-0.5, delta=1e-5)
            self.assertFalse(page.value(f"Number.isFinite({distance_call.format(0.8)})"))

        with self.subTest("turns"):
            camera_before = page.value("scree.camera.position.toArray()")
            page.drag((400, 100), (480, 140))
            page.wait_for(f"Math.abs(scree.camera.position.x - {camera_before[0]}) > 0.01")

        with self.subTest("plays"):
            page.value("document.getElementById('play').click()")
            page.wait_for("scree.state.frame === 2")
            page.wait_for("scree.state.frame === 1")  # starts from the first frame again
            page.value("document.getElementById('play').click()")
            self.assertFalse(page.value("scree.state.playing"))

    def pick(self, page):
        """A click in the middle of the picture picks the nearest grain and shows its values from the file."""
        frame = self.frames[0]
        left, top, width, height = self.scene_rectangle(page)
        positions = []
        for position in frame["position"]:
            x, y, z = page.value(
                f"(new THREE.Vector3(...[{position[0]}, {position[1]}, {position[2]}].map((v, k) => (v - scree.run.lower[k] - "
                "0.5 * scree.run.extent[k]) * 10 / Math.max(...scree.run.extent)))).project(scree.camera).toArray()")
            positions.append([left + 0.5 * width * (1 + x), top + 0.5 * height * (1 - y), z])
        nearest = min(range(COUNT), key=lambda k: positions[k][2])
        page.click(*map(round, positions[nearest][:2]))
        frame_data = {name: value for name, value, _ in page.value("scree.values()")}
        self.assertEqual(frame_data["id"], frame["id"][nearest])
        np.testing.assert_allclose([frame_data["x"], frame_data["y"], frame_data["z"]], frame["position"][nearest], atol=2e-6)
        self.assertAlmostEqual(frame_data["speed"], frame.speed[nearest], delta=1e-4)
        self.assertIn("diameter", page.value("document.getElementById('picked').textContent"))
        page.click(round(left) + 3, round(top) + 3)  # no grain is there
        self.assertIsNone(page.value("scree.values()"))

    def test_narrow_window_shows_the_scene(self):
        page = self.open(400, 800)
        self.assertGreater(self.coloured_fraction(page, self.picture(page)), 0.01)
        panel = page.value("document.getElementById('panel').getBoundingClientRect().top")
        self.assertGreater(panel, sum(self.scene_rectangle(page)[1::2]))
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 400)


if __name__ == "__main__":
    unittest.main()
