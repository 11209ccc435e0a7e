"""Small flows that run with different numbers of sweeps, and the figures of each."""

import dataclasses

COMMON = """[scene]
seed = 1
gravity = 0 0 {gravity} m/s^2
[time]
step = auto
end = {end} s
[contact]
friction = 0.5
[material.grain]
density = 2500 kg/m^3
[output]
every = 5 ms
log_every = 5 ms
contacts = yes
wall_forces = yes
"""
DRUM = """[domain]
lower = -21 0 -21 mm
upper = 21 6 21 mm
periodic = y
[wall.drum]
shape = pipe
from = 0 -1 0 cm
to = 0 2 0 cm
radius = 20 mm
angular_velocity = 0 4.18879 0 1/s
[fill]
lower = -14 0 -14 mm
upper = 14 6 8 mm
spacing = 2.05 mm
radius = 1 mm
jitter = 5 5 5 cm/s
"""
HOPPER = """[domain]
lower = -16 0 0 mm
upper = 16 8 80 mm
periodic = y
[wall.left]
shape = plane
point = -6 0 0 mm
normal = 1 0 1
[wall.right]
shape = plane
point = 6 0 0 mm
normal = -1 0 1
[wall.gate]
shape = disk
point = 0 4 1 mm
normal = 0 0 1
radius = 9 mm
removed_at = 200 ms
[fill]
lower = -8 0 14 mm
upper = 8 8 78 mm
spacing = 2.05 mm
radius = 1 mm
jitter = 5 5 5 cm/s
[outflow]
faces = z- z+ x- x+
"""
SILO = """[domain]
lower = -7 -7 -12 mm
upper = 7 7 70 mm
[wall.pipe]
shape = pipe
from = 0 0 -20 mm
to = 0 0 100 mm
radius = 6.5 mm
[wall.floor]
shape = plane
point = 0 0 0 mm
normal = 0 0 1
velocity = 0 0 -10 mm/s
[fill]
lower = -4.5 -4.5 0 mm
upper = 4.5 4.5 64 mm
spacing = 2.05 mm
radius = 1 mm
jitter = 5 5 5 cm/s
"""
SHEAR = """[domain]
lower = 0 0 0 mm
upper = 11 11 11 mm
periodic = x y z
[cell]
stress_z = 1 kPa
shear_rate = 20 /s
flow = x
gradient = z
[fill]
lower = 0 0 0 mm
upper = 11 11 11 mm
spacing = 1.1 mm
sizes = uniform
smallest_radius = 0.47 mm
largest_radius = 0.53 mm
jitter = 0.05 0.05 0.05 m/s
"""


@dataclasses.dataclass(frozen=True)
class Scene:
    """A scene, the time window of the measurement, and figures of the series."""

    title: str
    sections: str
    begin: float  # [s]
    end: float  # [s]
    figures: dict  # name -> column of the series, COLUMN / COLUMN, or d/dt COLUMN
    gravity: float = -9.81

    @property
    def text(self):
        return COMMON.format(gravity=self.gravity, end=self.end) + self.sections


SCENES = {
    "hopper": Scene("Hopper, two slopes of 45 degrees", HOPPER, 0.22, 0.34,
                    {"load of a slope": "wall_left_force_z", "kinetic energy": "kinetic_energy",
                     "rate of outflow": "d/dt deleted"}),
    "drum": Scene("Drum at 40 rpm", DRUM, 0.6, 1.6,
                  {"torque": "wall_drum_torque_y", "kinetic energy": "kinetic_energy"}),
    "shear": Scene("Shear under 1 kPa, inertial number 0.03", SHEAR, 0.1, 0.2,
                   {"friction": "shear_stress / stress_zz", "solid fraction": "solid_fraction",
                    "kinetic energy": "kinetic_energy"}, gravity=0.0),
    "silo": Scene("Silo whose floor sinks (Janssen)", SILO, 0.4, 0.8,
                  {"load of the floor": "wall_floor_force_z", "load of the pipe": "wall_pipe_force_z",
                   "scatter of the floor's load": "wall_floor_force_z_deviation"}),
}  # fmt: skip
