"""Scenes for _problems.command, which solves the contact problem of one step: shipped ones, beds, a landing, tower."""

import dataclasses
import pathlib

import scree.whole_file
from _study.running import Run
from _validation import blocks

BED = """[domain]
lower = 0 0 0 mm
upper = {width} {width} {height} mm
periodic = x y
[time]
step = 100 us
end = {end} s
[contact]
friction = 0.5
restitution = 0.3
[material.glass]
density = 2.5 g/cm^3
[wall.floor]
shape = plane
point = 0 0 0 mm
normal = 0 0 1
[fill]
lower = 0 0 0 mm
upper = {width} {width} {layers} mm
spacing = 1 mm
radius = 0.49 mm
jitter = 2 2 2 cm/s
"""
BALL = """[material.lead]
density = 800 g/cm^3
[fill.ball]
lower = {low} {low} {layers} mm
upper = {high} {high} {above} mm
spacing = 3 mm
radius = 1.45 mm
material = lead
velocity = 0 0 -0.5 m/s
"""


def bed(layers, width=5, end=0.05, ball=""):
    """Text of a bed that is a lattice at first; only jitter and small gaps have to settle.  width: [mm], end: [s]"""
    scene = BED.format(layers=layers, width=width, height=layers + 6, end=end)
    half = 0.5 * width
    return scene + ball.format(low=half - 1.5, high=half + 1.5, layers=layers, above=layers + 3)


def tower(cubes, edge=0.1):
    return blocks.table([[0.0, 0.0, (k + 0.5) * edge] for k in range(cubes)], ["block"] * cubes)


@dataclasses.dataclass(frozen=True)
class Scene:
    """A scene, and the time of the step whose contact problem is solved."""

    scene: str  # name of a shipped scene, or the text of a scene
    time: float  # [s]
    options: dict = dataclasses.field(default_factory=dict)
    particles: dict | None = None  # instead of the scene's own particles

    def run(self, name, folder):
        """The run that writes the problem.  folder: where the text of the scene is written"""
        scene = self.scene
        if "\n" in scene:
            folder.mkdir(parents=True, exist_ok=True)
            path = pathlib.Path(folder) / f"{name}.ini"
            scree.whole_file.write(path, scene)
            scene = path
        time = f"{self.time:g} s"
        options = {"output.problems": time, "time.end": time, "output.log_every": time, "checkpoint.every": "never"}
        return Run("run", scene, options | self.options, self.particles)


SCENES = {
    "bed_15": Scene(bed(15), 0.05),
    "bed_70": Scene(bed(70), 0.05),
    "bed_300": Scene(bed(300, width=3), 0.05),
    "landing": Scene(bed(10, ball=BALL, width=9), 0.02),
    "hopper": Scene("hopper", 0.25),
    "drum": Scene("rotating_drum", 0.2),
    "channel": Scene("channel_small", 0.1),
    "shear": Scene("periodic_shear", 0.1),
    "clumps": Scene("clumps", 0.15),
    "pouring": Scene("cubes", 0.4),
    "poured": Scene("cubes", 1.2),
    "masonry": Scene("blocks_arch", 0.02, particles=blocks.wall_table()),
    "tower": Scene("blocks_arch", 0.02, {**blocks.box_size(0.1, 0.1, 0.1), "domain.upper": "1.3 0.2 10.2 m"}, tower(100)),
}
