"""Films of scenes: runs a scene and draws its frames by the film plan next to the scene file.

    python -m scree.film wheel.ini                          # wheel.gif, with the plan wheel.toml
    python -m scree.film wheel.ini wheel.mp4 --ranks 2      # MP4 needs ffmpeg
    python -m scree.film wheel.ini --time.end "0.5 s"       # any option of scree-run, instead of the value of the plan
    python -m scree.examples film wheel mine                # copies a shipped scene with its plan and films it

A run with the same scene, files and options is not repeated: after a change of camera or colours only the film is drawn
again. A plan in TOML has these keys, all of them optional, with their defaults in parentheses:

    end            time of the last frame, with a unit (the end of the scene)
    every          time between frames, with a unit (a 60th of the end)
    rate           frames per second; a GIF rounds the time of a frame to hundredths of a second (15)
    size           width and height in pixels, even numbers ([480, 320])
    camera         degrees from the first horizontal axis about the vertical, and above the horizon ([25, 40])
    show           two corners, as in ["-5 -5 0 cm", "5 5 8 cm"]; walls outside are cut off (the domain)
    colour         colour of grains: a quantity of render.py, or "layers z 5 mm" for layers at the beginning ("speed")
    colours        colours of the kinds or layers in turn, names or "#rrggbb"
    max            end of the colour scale, in its unit
    glass          names of transparent walls
    hidden         names of walls that are not drawn
    [paint]        colours of walls by their names
    [changes]      values for the scene, "section.key" = "value"
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from typing import Any

import matplotlib.colors
import matplotlib.font_manager
import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont

import scree.colour
import scree.configuration
import scree.directory
import scree.figure
import scree.picture
import scree.program
import scree.scene_image
import scree.units
import scree.view
import scree.whole_file
from scree.errors import FileError, UsageError, did_you_mean, exit_code

LAYERS = ("#e9c46a", "#a44a3f")  # default colours of layers: sand and brick
FRAMES = 60  # default number of frames of a film
SAMPLES = 12  # number of frames that determine the extent of the pictures
MARGIN = 0.03  # empty border around the drawing, as a fraction of its width and height
NOTE = "film_run.txt"  # file in the results with the digest of scene, files and options


@dataclasses.dataclass(frozen=True)
class Plan:
    """Keys of a film plan; the head of this file describes them."""

    end: str = ""
    every: str = ""
    rate: float = 15.0
    size: tuple[int, int] = (480, 320)
    camera: tuple[float, float] = (25.0, 40.0)
    show: tuple[str, str] | None = None
    colour: str = "speed"
    colours: tuple[str, ...] = ()
    max: float | None = None
    glass: tuple[str, ...] | None = None
    hidden: tuple[str, ...] = ()
    paint: dict[str, str] = dataclasses.field(default_factory=dict)
    changes: dict[str, str] = dataclasses.field(default_factory=dict)


def _is_pair(value, kind):
    return isinstance(value, list) and len(value) == 2 and all(isinstance(item, kind) for item in value)


def _are_texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_NUMBER = (int, float)
# Condition of each value, and its description in an error message.
_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "end": (lambda v: isinstance(v, str), 'a time, as in "2 s"'),
    "every": (lambda v: isinstance(v, str), 'a time, as in "20 ms"'),
    "rate": (lambda v: isinstance(v, _NUMBER) and 0 < v <= 100, "a number up to 100"),
    "size": (lambda v: _is_pair(v, int) and all(16 <= n <= 4096 and n % 2 == 0 for n in v), "two even numbers from 16 to 4096"),
    "camera": (lambda v: _is_pair(v, _NUMBER) and -90 <= v[1] <= 90, "two angles, the second from -90 to 90"),
    "show": (lambda v: _is_pair(v, str), 'two corners, as in ["0 0 0 mm", "10 10 10 mm"]'),
    "colour": (lambda v: isinstance(v, str), 'a quantity, or layers, as in "layers z 5 mm"'),
    "colours": (lambda v: _are_texts(v) and v and all(map(matplotlib.colors.is_color_like, v)), "a list of colours"),
    "max": (lambda v: isinstance(v, _NUMBER) and v > 0, "a number greater than 0"),
    "glass": (_are_texts, "a list of names of walls"),
    "hidden": (_are_texts, "a list of names of walls"),
    "paint": (lambda v: isinstance(v, dict) and all(map(matplotlib.colors.is_color_like, v.values())), "colours by names of walls"),
    "changes": (lambda v: isinstance(v, dict) and all(isinstance(text, str) for text in v.values()), "texts by names of keys"),
}  # fmt: skip


def read_plan(path: pathlib.Path) -> Plan:
    """Reads a film plan; raises FileError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"'{path}', the film plan of the scene, cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' is not a film plan: {error}") from error
    for name, value in values.items():
        if name not in _CHECKS:
            raise FileError(f"'{path}': {name} is not a key of a film plan; expected some of {', '.join(_CHECKS)}")
        is_valid, expected = _CHECKS[name]
        if not is_valid(value):
            raise FileError(f"'{path}': {name} = {value!r}; expected {expected}")
    return Plan(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def run_scene(scene: pathlib.Path, plan: Plan, output: pathlib.Path, ranks: int, words: list[str]) -> int:
    """Runs the scene in the foreground unless `output` already contains this run. Returns the exit code."""
    given_keys = {word.partition("=")[0].removeprefix("--") for word in words}  # these replace keys of the plan
    planned = {"time.end": plan.end or _end_of(scene, words), **plan.changes}
    seconds = scree.units.in_si(planned["time.end"], scree.units.SECONDS)[0]
    planned["output.every"] = plan.every or f"{seconds / FRAMES:.9g} s"
    options = scree.program.options({key: value for key, value in planned.items() if key not in given_keys}) + words
    digest = hashlib.sha256("\0".join(options).encode())
    for file in (scene, *(scene.parent / name for name in scree.program.named_files(scene))):
        digest.update(file.read_bytes())
    note = output / NOTE
    if note.is_file() and note.read_text(encoding="utf-8").strip() == digest.hexdigest():
        return 0
    overwrite = ["--overwrite"] if note.is_file() else []  # replaces only an earlier film's results, never the user's
    command = [*scree.program.launcher(ranks), str(scree.program.found()), str(scene), *options, *overwrite,
               "--output.directory", str(output)]  # fmt: skip
    if overwrite:
        scree.whole_file.write(note, "")  # a run that is interrupted leaves other results than those of the old digest
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        scree.whole_file.write(note, digest.hexdigest() + "\n")
    return code


def _end_of(scene, words):
    """End time of the scene with these options, as text."""
    command = [str(scree.program.found()), str(scene), *words, "--print-config"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise UsageError(finished.stderr.strip().removeprefix("error: "))
    return scree.configuration.parsed(finished.stdout)["time"]["end"]


class _Layers:
    """Sorts grains into layers by their positions when the film first shows them."""

    def __init__(self, text):
        match = re.fullmatch(r"layers ([xyz]) (.+)", text)
        if not match:
            raise UsageError(f"colour = '{text}'; expected an axis and a width, as in layers z 5 mm")
        try:
            width = float(scree.units.in_si(match[2], scree.units.METRES)[0])
        except ValueError as error:
            raise UsageError(f"colour = '{text}': {error}") from error
        if not 0.0 < width < np.inf:
            raise UsageError(f"colour = '{text}'; expected a width greater than 0")
        self.axis, self.width, self.layer_of_id = "xyz".index(match[1]), width, {}

    def values(self, frame):
        layers = np.floor(frame["position"][:, self.axis] / self.width).astype(int).tolist()
        return np.array([self.layer_of_id.setdefault(grain_id, layer) for grain_id, layer in zip(frame["id"].tolist(), layers)], dtype=int)


def _painter(plan, frames):
    """A function from a frame to the colours of its grains, [N, 4], and the Scale, which is None for layers."""
    if plan.colour.startswith("layers"):
        layers = _Layers(plan.colour)
        table = matplotlib.colors.to_rgba_array(plan.colours or LAYERS)
        return lambda frame: table[layers.values(frame) % len(table)], None
    scale = scree.colour.scale(scree.colour.of(plan.colour, frames[0]), frames, plan.max)
    if scale.names and plan.colours:
        kind_colours = [plan.colours[k % len(plan.colours)] for k in range(len(scale.names))]
        scale = dataclasses.replace(scale, colours=matplotlib.colors.ListedColormap(kind_colours))
    return lambda frame: scale.colours(scale.norm(scale.colouring.values(frame))), scale


def _corners(plan, frames):
    """Lower and upper corner of the region that the film shows, [2, 3] [m]: by default the box of the domains of all frames."""
    if plan.show is None:
        lower, upper = zip(*((frame.lower, frame.upper) for frame in frames))
        return np.array([np.min(lower, axis=0), np.max(upper, axis=0)])
    try:
        corners = [scree.units.in_si(text, scree.units.METRES) for text in plan.show]
    except ValueError as error:
        raise UsageError(f"show: {error}") from error
    if any(len(corner) != 3 for corner in corners) or not np.all(corners[0] < corners[1]):
        raise UsageError(f"show = {plan.show}; expected the lower and the upper corner, three numbers and a unit each")
    return np.array(corners)


def _bounds(scene, corners):
    """Lower and upper corner of grains and walls in the plane of the view, [2, 2] [m]."""
    positions, radii = scene.pieces[0], scene.pieces[1]
    is_inside = np.all((positions > corners[0]) & (positions < corners[1]), axis=1)
    projected = scene.view.project(positions[is_inside])
    polygons = [triangles.reshape(-1, 3) for triangles in (scene.walls[0], scene.glass[0], scene.floors)]
    walls = scene.view.project(np.clip(np.concatenate(polygons), *corners))
    points = np.concatenate([projected - radii[is_inside, None], projected + radii[is_inside, None], walls])
    if not len(points):
        points = scene.view.project(scree.view.corners_of(*corners))
    return np.array([points.min(axis=0), points.max(axis=0)])


class Camera:
    """Draws frames of a film as images, all with the same view and scale."""

    def __init__(self, plan, frames):
        self.plan = plan
        sample = sorted({round(k) for k in np.linspace(0, len(frames) - 1, SAMPLES)})
        self.corners = _corners(plan, (frames[k] for k in sample))
        self.view = scree.view.turned(frames[0], *np.radians(plan.camera))
        self.look = scree.scene_image.Look(plan.paint, plan.glass, plan.hidden)
        unknown = {*plan.paint, *(plan.glass or ()), *plan.hidden} - {wall.name for wall in frames[0].walls}
        if unknown:
            known_names = [wall.name for wall in frames[0].walls]
            guess = did_you_mean(min(unknown), known_names)
            raise UsageError(f"the film plan has the walls {', '.join(sorted(unknown))}{guess}; the scene has {', '.join(known_names) or 'none'}")
        self.colours, self.scale = _painter(plan, frames)
        boxes = np.array([_bounds(self._scene(frames[k]), self.corners) for k in sample])
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        font_size = max(10, plan.size[1] // 24)
        self.font = PIL.ImageFont.truetype(matplotlib.font_manager.findfont("DejaVu Sans"), font_size)
        self.size = np.array([plan.size[0], plan.size[1] - 2 * font_size])  # the rest is the caption
        self.extent = max((1.0 + 2.0 * MARGIN) * (high - low) / self.size) * self.size
        self.lower = 0.5 * (low + high - self.extent)

    def _scene(self, frame):
        close_frame = dataclasses.replace(frame, lower=self.corners[0], upper=self.corners[1])
        return scree.scene_image.Scene(close_frame, self.view, self.colours(frame), self.look)

    def picture(self, frame) -> PIL.Image.Image:
        scene = self._scene(frame)
        scene.lower, scene.extent = self.lower, self.extent
        pixels = scene.image(*self.size, point=0.7)[::-1].astype(int)
        image = PIL.Image.new("RGB", self.plan.size, "white")
        image.paste(PIL.Image.fromarray((255 + (pixels[..., :3] - 255) * pixels[..., 3:] // 255).astype(np.uint8)))
        self._write(PIL.ImageDraw.Draw(image), frame)
        return image

    def _write(self, draw, frame):
        """Writes the caption: the time at the lower left, the legend at the lower right."""
        (width, height), font_size = self.plan.size, self.font.size
        draw.text((font_size // 2, height - font_size // 2), f"{frame.time:.2f} s", "black", self.font, anchor="lb")
        if self.scale is None or len(self.scale.names) > 0 and len(self.scale.present) < 2:
            return
        right, bottom = width - font_size // 2, height - font_size // 2
        if self.scale.names:
            for kind in reversed(self.scale.present):
                name, colour = self.scale.names[kind], self.scale.colours.colors[kind]
                draw.text((right, bottom), name, "black", self.font, anchor="rb")
                right -= int(draw.textlength(name, self.font)) + font_size
                box = (right, bottom - font_size, right + 0.7 * font_size, bottom - 0.3 * font_size)
                draw.ellipse(box, matplotlib.colors.to_hex(colour), "black")
                right -= font_size // 2
            return
        label, unit = scree.units.handy(re.sub(r" \$[^$]*\$", "", self.scale.colouring.label), self.scale.norm.vmax)
        bar = np.linspace(self.scale.norm.vmin, self.scale.norm.vmax, 8 * font_size)
        maximum = f"{bar[-1] / unit:.3g}"
        draw.text((right, bottom), maximum, "black", self.font, anchor="rb")
        right -= int(draw.textlength(maximum, self.font)) + font_size // 2 + len(bar)
        for k, colour in enumerate(self.scale.colours(self.scale.norm(bar))):
            draw.line((right + k, bottom - 0.8 * font_size, right + k, bottom), matplotlib.colors.to_hex(colour))
        draw.text((right - font_size // 2, bottom), f"{label}  {bar[0] / unit:.3g}", "black", self.font, anchor="rb")


def make(scene: pathlib.Path, film: pathlib.Path, ranks: int = 1, words: list[str] | None = None) -> int:
    """Runs the scene and writes its film, GIF or MP4. Returns the exit code of the run.

    Raises UsageError, FileError.
    """
    if film.suffix not in scree.picture.FILMS:
        raise UsageError(f"'{film}' must end in .gif or .mp4")
    if film.suffix == ".mp4" and not shutil.which("ffmpeg"):
        raise UsageError(f"'{film}' needs ffmpeg, which is not installed; .gif does not")
    if not scene.is_file():
        raise FileError(f"there is no scene file '{scene}'")
    words = words or []
    if any(word.partition("=")[0] in ("--output.directory", "--overwrite") for word in words):
        raise UsageError("the results of a film are always in a folder next to it; expected neither "
                         "--output.directory nor --overwrite")
    plan = read_plan(scree.program.film_plan(scene))
    output = film.with_name(f"{film.stem}_run")
    code = run_scene(scene, plan, output, ranks, words)
    if code == 0:
        frames = scree.directory.read(output).frames
        if not frames:
            raise UsageError(f"'{output}' has no snapshots to draw; expected a run that writes some (output.every)")
        draw(frames, film, plan)
        print(f"scene     {scene}\nplan      {scree.program.film_plan(scene)}\nresults   {output}\nfilm      {film}")
    return code


def draw(frames, film: pathlib.Path, plan: Plan) -> None:
    """Draws the frames of a run into a film."""
    camera = Camera(plan, frames)
    if film.suffix == ".gif":
        images = [camera.picture(frame) for frame in frames]
        with scree.whole_file.path_of(film) as partial_file:
            images = scree.picture.share_palette(images)
            images[0].save(partial_file, format="gif", save_all=True, append_images=images[1:], loop=0,
                           duration=10 * round(100 / plan.rate))  # fmt: skip
        return
    with scree.whole_file.path_of(film) as partial_file:
        width, height = plan.size
        command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
                   "-r", str(plan.rate), "-i", "-", "-pix_fmt", "yuv420p", "-crf", "18", "-f", "mp4",
                   str(partial_file)]  # fmt: skip
        pixels = b"".join(camera.picture(frame).tobytes() for frame in frames)
        finished = subprocess.run(command, input=pixels, capture_output=True, check=False)
        if finished.returncode != 0:
            raise OSError(0, finished.stderr.decode(errors="replace").strip(), str(film))


def main(words: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scree.film", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("scene", type=pathlib.Path, help="scene file, with its film plan next to it")
    parser.add_argument("film", nargs="?", type=pathlib.Path, help=".gif or .mp4 (default: the scene's name as .gif)")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="MPI processes (default: 1)")
    options, rest = parser.parse_known_args(words)
    return exit_code(lambda: make(options.scene, options.film or options.scene.with_suffix(".gif"), options.ranks, rest))


if __name__ == "__main__":
    sys.exit(main())
