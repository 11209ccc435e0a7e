"""python -m scree.film and `scree.examples film`: plans, colours of grains and walls, runs that are not repeated, bad input.

Needs the path of scree-run in SCREE_RUN.
"""

import contextlib
import dataclasses
import io
import os
import re
import signal
import subprocess
import unittest
from unittest import mock

import made_snapshot
from script_test import ScriptTest

import PIL.Image
import numpy as np
import scree.directory
import scree.examples
import scree.film
import scree.snapshot

SCENES = made_snapshot.SCRIPTS.parent / "apps" / "scenes"
FILMED = ("blade_mixer", "centrifuge", "drum_cubes", "drum_tetrapods", "gripper", "mill", "mixing_drum", "rockfall", "rotary_valve",
          "rotating_drum", "screen", "screw_conveyor", "v_blender", "wheel")
# A quick scene: one ball falls 1 mm next to a box.
SCENE = """[domain]
lower = 0 0 0 mm
upper = 40 20 20 mm
[time]
step = 1 ms
end = 14 ms
[material.glass]
density = 2500 kg/m^3
[initial]
file = one.csv
[wall.floor]
shape = plane
point = 0 0 0
normal = 0 0 1
[wall.box]
shape = box
lower = 2 2 0 mm
upper = 18 18 16 mm
[output]
directory = elsewhere
"""
PLAN = """every = "2 ms"
size = [160, 120]
camera = [0, 0]
colour = "material"
colours = ["#ff0000"]
[paint]
box = "#0000ff"
"""


def call(main, *words):
    """(exit code, stdout, stderr) of a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main(list(map(str, words)))
    return code, output.getvalue(), errors.getvalue()


def images(path):
    """The frames of a GIF, [F, rows, columns, 3]."""
    film = PIL.Image.open(path)
    result = []
    for k in range(film.n_frames):
        film.seek(k)
        result.append(np.asarray(film.convert("RGB")).astype(int))
    return np.array(result)


def dominance(image, channel):
    """Fraction of the pixels in which this channel is much stronger than the other channels."""
    other_channels = np.delete(image, channel, axis=-1).max(axis=-1)
    return np.mean(image[..., channel] > other_channels + 60)


class Film(ScriptTest):
    def setUp(self):
        super().setUp()
        self.scene, self.plan, self.film = (self.folder / f"fall.{end}" for end in ("ini", "toml", "gif"))
        self.scene.write_text(SCENE)
        self.plan.write_text(PLAN)
        (self.folder / "one.csv").write_text("x,y,z,radius\n0.030,0.010,0.007,0.006\n")

    def test_command_runs_a_scene_and_draws_it(self):
        code, printed, errors = call(scree.film.main, self.scene)
        self.assertEqual(code, 0, errors)
        self.assertEqual(re.findall(r"^film +(.*)$", printed, re.M), [str(self.film)])
        frames = images(self.film)
        self.assertEqual(frames.shape, (8, 120, 160, 3))
        self.assertEqual(PIL.Image.open(self.film).info["duration"], 70)  # [ms]: 1/15 s rounded to 0.01 s
        for frame in frames:
            self.assertGreater(dominance(frame, 0), 0.03)
            self.assertGreater(dominance(frame, 2), 0.1)
        rows = [np.flatnonzero((frame[..., 0] > frame[..., 1] + 60).any(axis=1)).mean() for frame in (frames[0], frames[-1])]
        self.assertGreater(rows[1], rows[0] + 1)  # the ball has fallen; the camera is at rest
        run = scree.directory.read(self.folder / "fall_run")
        self.assertEqual(len(run.frames), 8)

    def test_run_is_repeated_only_if_its_input_has_changed(self):
        series = self.folder / "fall_run" / "series.csv"

        def film_again(*words):
            code, _, errors = call(scree.film.main, self.scene, *words)
            self.assertEqual(code, 0, errors)
            return series.stat().st_mtime_ns

        first = film_again()
        self.plan.write_text(PLAN.replace("#ff0000", "#00ff00"))
        self.assertEqual(film_again(), first)
        self.assertGreater(dominance(images(self.film)[0], 1), 0.03)
        second = film_again("--time.end", "6 ms")
        self.assertNotEqual(second, first)
        self.assertEqual(len(images(self.film)), 4)
        (self.folder / "one.csv").write_text("x,y,z,radius\n0.030,0.010,0.008,0.006\n")
        self.assertNotEqual(film_again("--time.end", "6 ms"), second)

    def test_results_of_an_interrupted_run_are_not_drawn_as_those_of_the_run_before(self):
        self.assertEqual(call(scree.film.main, self.scene)[0], 0)
        run = subprocess.run

        def interrupted(command, **options):
            process = run(command, **options)
            return process if "--print-config" in command else subprocess.CompletedProcess(command, -signal.SIGINT)

        with mock.patch.object(subprocess, "run", interrupted):
            self.assertEqual(call(scree.film.main, self.scene, "--time.end", "6 ms")[0], -signal.SIGINT)
        self.assertEqual(call(scree.film.main, self.scene)[0], 0)
        self.assertEqual(len(images(self.film)), 8)

    def test_results_of_another_run_are_kept(self):
        self.assertEqual(call(scree.film.main, self.scene)[0], 0)
        (self.folder / "fall_run" / scree.film.NOTE).unlink()
        time_before = (self.folder / "fall_run" / "series.csv").stat().st_mtime_ns
        self.assertEqual(call(scree.film.main, self.scene)[0], 2)
        self.assertEqual((self.folder / "fall_run" / "series.csv").stat().st_mtime_ns, time_before)

    def test_mp4_is_written_by_ffmpeg(self):
        self.put_program("bin/ffmpeg", 'for last; do :; done; cat > "$last"')
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}):
            code, _, errors = call(scree.film.main, self.scene, self.folder / "fall.mp4")
            self.assertEqual(code, 0, errors)
            pixels = np.frombuffer((self.folder / "fall.mp4").read_bytes(), np.uint8).reshape(8, 120, 160, 3)
            self.assertGreater(dominance(pixels[0].astype(int), 2), 0.1)
            self.put_program("bin/ffmpeg", "echo no such codec >&2; exit 1")
            code, _, errors = call(scree.film.main, self.scene, self.folder / "other.mp4")
        self.assertEqual((code, "no such codec" in errors), (5, True))
        self.assertEqual(list(self.folder.glob("other.mp4*")), [])

    def test_shipped_scene_is_copied_with_its_plan(self):
        folder_of_copy = self.folder / "mine"
        code, _, errors = call(scree.examples.main, "film", "gripper", folder_of_copy, "--film", "../lift.gif", "--time.end",
                               "20 ms")  # fmt: skip
        self.assertEqual(code, 0, errors)
        self.assertEqual(sorted(file.name for file in folder_of_copy.iterdir()),
                         ["gripper.csv", "gripper.ini", "gripper.toml"])  # fmt: skip
        self.assertEqual(len(images(self.folder / "lift.gif")), 3)

    def test_bad_input_is_refused(self):
        for plan, words in (
            ("colour = 1", "colour = 1; expected a quantity, or layers"),
            ("size = [161, 120]", "expected two even numbers"),
            ("camera = [0]", "expected two angles"),
            ("rate = 0", "expected a number up to 100"),
            ('colours = ["no"]', "expected a list of colours"),
            ("speed = 1", "speed is not a key of a film plan; expected some of end, every, rate"),
            ("colour = ", "is not a film plan"),
        ):
            self.plan.write_text(plan)
            code, _, errors = call(scree.film.main, self.scene)
            self.assertEqual(code, 3, errors)
            self.assertIn(words, errors)
        for plan, words in (
            ('glass = ["pot"]', "the film plan has the walls pot; the scene has floor, box"),
            ('colour = "layers z"', "colour = 'layers z'; expected an axis and a width"),
            ('colour = "layers z 0 mm"', "expected a width greater than 0"),
            ('colour = "hue"', "particles have no quantity 'hue'"),
            ('show = ["0 0 0 mm", "1 1 0 mm"]', "expected the lower and the upper corner"),
            ('show = ["0 0 0 h", "1 1 0 mm"]', "show: '0 0 0 h' must be numbers and one of the units"),
        ):
            self.plan.write_text(f'every = "7 ms"\n{plan}\n')
            code, _, errors = call(scree.film.main, self.scene)
            self.assertEqual(code, 2, errors)
            self.assertIn(words, errors)
        self.plan.write_text(PLAN)
        for words, code, text in (
            ((self.scene, "fall.avi"), 2, "'fall.avi' must end in .gif or .mp4"),
            ((self.scene, self.film, "--output.directory", "x"), 2, "expected neither --output.directory nor"),
            ((self.folder / "none.ini",), 3, "there is no scene file"),
            ((self.scene, "--output.every", "never"), 2, "has no snapshots to draw"),
        ):
            result = call(scree.film.main, *words)
            self.assertEqual(result[0], code, result)
            self.assertIn(text, result[2])
        code, _, errors = call(scree.examples.main, "film", "hopper", self.folder / "mine")
        self.assertEqual(code, 2)
        self.assertIn("the scene 'hopper' has no film plan; expected one of", errors)
        self.plan.unlink()
        self.assertEqual(call(scree.film.main, self.scene)[0], 3)


class Looks(ScriptTest):
    """Colours and walls in pictures of frames without a run."""

    def pictures(self, plan, frames, walls=made_snapshot.WALLS, materials=1):
        paths = []
        for step, fields in enumerate(frames):
            paths.append(self.folder / f"{step}.h5")
            made_snapshot.write(paths[-1], fields, time=0.1 * step, step=step, walls=walls, materials=materials)
        snapshots = [scree.snapshot.read_snapshot(path) for path in paths]
        camera = scree.film.Camera(plan, snapshots)
        return [np.asarray(camera.picture(frame)).astype(int) for frame in snapshots]

    def test_layers_of_colour_follow_the_grains(self):
        fields = made_snapshot.made_fields(2)
        fields["position"] = np.array([[0.02, 0.01, 0.005], [0.02, 0.01, 0.015]])
        fields["radius"] = np.full(2, 4e-3)
        exchanged = dict(fields, position=fields["position"][::-1].copy())
        plan = scree.film.Plan(size=(160, 160), camera=(0.0, 0.0), colour="layers z 10 mm", colours=("#ff0000", "#0000ff"))
        for image, channel in zip(self.pictures(plan, [fields, exchanged], walls=()), (2, 0)):
            top, bottom = image[:72], image[72:144]
            self.assertGreater(dominance(top, channel), 0.05)
            self.assertEqual(dominance(bottom, channel), 0.0)
            self.assertGreater(dominance(bottom, 2 - channel), 0.05)

    def test_walls_are_painted_hidden_and_transparent(self):
        fields = made_snapshot.made_fields(1)
        fields["position"], fields["radius"] = np.array([[0.03, 0.05, 0.01]]), np.full(1, 8e-3)
        walls = [made_snapshot.wall("box", made_snapshot.box([0.01, 0.01, 0.0], [0.05, 0.02, 0.02]))]  # in front of the grain
        images_by_name = {}
        for name, changes in (("painted", {"glass": ()}), ("glass", {"glass": ("box",)}), ("hidden", {"hidden": ("box",)})):
            plan = scree.film.Plan(size=(160, 120), camera=(0.0, 0.0), colour="material", colours=("#ff0000",),
                                   paint={"box": "#0000ff"})  # fmt: skip
            images_by_name[name] = self.pictures(dataclasses.replace(plan, **changes), [fields], walls)[0]
        self.assertGreater(dominance(images_by_name["painted"], 2), 0.3)
        self.assertEqual(dominance(images_by_name["painted"], 0), 0.0)
        for name in ("glass", "hidden"):
            self.assertGreater(dominance(images_by_name[name], 0), 0.05)
            self.assertEqual(dominance(images_by_name[name], 2), 0.0)

    def test_pictures_contain_the_grains_of_a_growing_cell(self):
        fields = made_snapshot.made_fields(100)
        first = made_snapshot.in_memory(fields)
        last = made_snapshot.in_memory(fields | {"position": fields["position"] * [2.0, 1.0, 1.0]}, extent=(0.2, 0.06, 0.02))
        camera = scree.film.Camera(scree.film.Plan(size=(160, 120), camera=(0.0, 0.0)), [first, last])
        places = camera.view.project(last["position"])
        self.assertTrue(np.all((places > camera.lower) & (places < camera.lower + camera.extent)))

    def test_caption_has_the_time_and_the_colours(self):
        """The caption below the picture has dark letters and the colours of the scale."""
        fields = made_snapshot.made_fields(50)
        image = self.pictures(scree.film.Plan(size=(320, 240)), [fields])[0]
        caption = image[-20:]
        self.assertLess(caption[:, :80].min(), 60)  # the time
        self.assertGreater(dominance(caption[:, 160:], 2) + dominance(caption[:, 160:], 1), 0.01)  # viridis
        fields["material"] = np.arange(50, dtype=np.int32) % 2
        plan = scree.film.Plan(size=(320, 240), colour="material", colours=("#ff0000", "#0000ff"))
        caption = self.pictures(plan, [fields], materials=2)[0][-20:]
        self.assertGreater(min(dominance(caption[:, 80:], 0), dominance(caption[:, 80:], 2)), 2e-3)

    def test_plans_of_shipped_scenes_are_valid(self):
        plans = sorted(SCENES.glob("*.toml"))
        self.assertEqual([plan.stem for plan in plans], sorted(FILMED))
        for path in plans:
            plan = scree.film.read_plan(path)
            self.assertIn(f"python -m scree.film {path.stem}.ini", path.read_text())
            walls = re.findall(r"^\[wall\.(\w+)[\].]", path.with_suffix(".ini").read_text(), re.M)
            self.assertLessEqual({*plan.paint, *(plan.glass or ()), *plan.hidden}, {*walls}, path)
            words = ["--output.every", plan.every, *(["--time.end", plan.end] if plan.end else [])]
            process = subprocess.run([os.environ["SCREE_RUN"], path.with_suffix(".ini"), "--print-config", *words],
                                     capture_output=True, text=True)  # fmt: skip
            self.assertEqual(process.returncode, 0, process.stderr)


if __name__ == "__main__":
    unittest.main()
