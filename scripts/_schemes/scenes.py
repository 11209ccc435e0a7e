"""The scenes that are run with both schemes: shipped scenes with fewer or larger particles and shorter times.

A seed changes the initial positions, so the scatter between seeds is the natural scatter of the flow.
"""

import dataclasses

from _study.running import Run, seconds

# label -> values: the default, and Jacobi, which needs five times the sweeps to converge nearly as well
SCHEMES = {
    "Gauss-Seidel": {"solver.scheme": "gauss_seidel", "solver.sweeps": 10},
    "Jacobi": {"solver.scheme": "jacobi", "solver.sweeps": 50},
}
ROWS = 100  # rows in the series of a run
ALL = {"kinetic energy": "mean kinetic_energy", "loaded contacts": "mean loaded_contacts",
       "contacts": "mean touching_per_particle", "dissipated": "last energy_dissipated"}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Scene:
    name: str
    step: float  # [s]
    begin: float  # of the measurement [s]
    end: float  # [s]
    options: dict  # key -> value that differs from the shipped scene
    figures: dict = dataclasses.field(default_factory=dict)  # in addition to ALL: name -> text, see _study.measures
    shipped: str = ""  # name of the shipped scene; empty: `name`

    def runs(self, seeds):
        interval = seconds(self.step * max(1, round((self.end - self.begin) / self.step / ROWS)))
        common = {**self.options, "time.step": seconds(self.step), "time.end": seconds(self.end),
                  "output.every": seconds(self.end), "output.log_every": interval, "output.energy_book": "yes",
                  "output.wall_forces": "yes"}  # fmt: skip
        return {(scheme, seed): Run(f"{scheme}_{seed}", self.shipped or self.name,
                                    {**common, **values, "scene.seed": seed})
                for scheme, values in SCHEMES.items() for seed in seeds}  # fmt: skip


def force_figure(wall, axis):
    return {f"force on the {wall}": f"mean wall_{wall}_force_{axis}"}


GAS = {"domain.upper": "8.685 8.685 8.685 mm", "fill.upper": "8.685 8.685 8.685 mm"}
DENSE_GAS = {"domain.upper": "7.1 7.1 7.1 mm", "fill.upper": "7.1 7.1 7.1 mm", "fill.spacing": "1.42 mm"}
DRUM = {"domain.upper": "5.1 2 5.1 cm", "wall.rear.point": "0 2 0 cm"}
DELETED = {"left": "last deleted"}
TORQUE = {"torque": "mean wall_drum_torque_y"}
VELOCITY = {"velocity": "mean mean_velocity_x"}

SCENES = {scene.name: scene for scene in (
    Scene("bouncing_sphere", 1e-4, 0.0, 1.0, {"fill.jitter": "1 1 1 cm/s"}),
    Scene("granular_gas", 2e-5, 0.05, 0.15, GAS),
    Scene("granular_gas_viscoelastic", 2e-5, 0.05, 0.15, GAS),
    Scene("dense_gas", 2e-5, 0.01, 0.04, DENSE_GAS, shipped="granular_gas"),
    Scene("elastic_gas", 2e-5, 0.01, 0.04, {**DENSE_GAS, "contact.restitution": 1}, shipped="granular_gas"),
    Scene("settle_box", 1e-4, 0.05, 0.2,
          {"domain.upper": "8 8 70 mm", "fill.upper": "8 8 40 mm", "fill.solid_fraction": 0.25}, force_figure("floor", "z")),
    Scene("column_collapse", 1e-4, 0.25, 0.4,
          {"fill.upper": "13.2 13.2 29.4 mm", "fill.spacing": "4 mm", "fill.smallest_radius": "1.4 mm",
           "fill.largest_radius": "1.95 mm"}),
    Scene("hopper", 1e-4, 0.15, 0.35,
          {"fill.upper": "2.6 2.6 11 cm", "fill.spacing": "5.2 mm", "fill.radius": "2.5 mm"}, DELETED),
    Scene("silo", 1e-4, 0.2, 0.4, {"fill.spacing": "4 mm", "fill.radius": "1.9 mm"}, {**DELETED, **force_figure("floor", "z")}),
    Scene("rotating_drum", 1e-4, 0.2, 0.4,
          {**DRUM, "fill.upper": "3.2 2 1.4 cm", "fill.spacing": "6 mm", "fill.radius": "2.9 mm"}, TORQUE),
    Scene("mixing_drum", 1e-4, 0.2, 0.4,
          {"material.glass.radius": "3 mm", "material.steel.smallest_radius": "1.8 mm",
           "material.steel.largest_radius": "2.2 mm", "fill.mixed.solid_fraction": 0.14}, TORQUE),
    Scene("inclined_plane", 1e-4, 0.2, 0.4, {"fill.upper": "10 8 16 mm"}, VELOCITY),
    Scene("periodic_shear", 5e-5, 0.1, 0.2, {"domain.upper": "7 7 7 mm", "fill.upper": "7 7 7 mm"},
          {"work of shear": "last energy_shear"}),
    Scene("shear_cell_pressure", 1e-4, 0.1, 0.3,
          {"domain.upper": "24 20 20 mm", "fill.upper": "24 20 12 mm", "wall.lid.offset": "0 0 12 mm"},
          {**force_figure("bottom", "x"), "travel of the lid": "mean wall_lid_travel"}),
    Scene("press", 1e-4, 0.18, 0.32, {}, force_figure("plate", "z")),
    Scene("triaxial", 1e-4, 0.2, 0.35,
          {"fill.solid_fraction": 0.15, "material.grain.smallest_radius": "1.3 mm",
           "material.grain.largest_radius": "1.5 mm"}, force_figure("top", "z")),
    Scene("vibrated_box", 1e-4, 0.25, 0.6, {"fill.beads.upper": "24 24 12 mm"}, force_figure("floor", "z")),
    Scene("wet_heap", 1e-4, 0.2, 0.5, {"inflow.rain.rate": "30 g/s"}),
    Scene("feed_and_heap", 1e-4, 0.2, 0.4, {"inflow.sand.rate": "0.1 kg/s"}),
    Scene("channel_small", 5e-5, 0.02, 0.06,
          {"fill.spacing": "2.5 mm", "fill.radius": "1.17 mm", "inflow.spacing": "2.5 mm", "inflow.radius": "1.17 mm",
           "inflow.upper": "0.25 2 1.2 cm"}, {**VELOCITY, **force_figure("piston", "x")}),
    Scene("clumps", 1e-4, 0.1, 0.3, {}),
    Scene("hopper_pebbles", 1e-4, 0.15, 0.35, {"fill.spacing": "5.5 mm", "fill.upper": "2.6 2.6 11 cm"}, DELETED),
    Scene("heap_tetrapods", 1e-4, 0.25, 0.4, {"fill.spacing": "5 mm", "fill.radius": "2.4 mm"}),
    Scene("drum_tetrapods", 1e-4, 0.2, 0.4,
          {**DRUM, "fill.upper": "3.1 2 1 cm", "fill.spacing": "6 mm", "fill.radius": "2.9 mm"}, TORQUE),
)}  # fmt: skip
