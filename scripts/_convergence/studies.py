"""The flows and piles of the convergence study, and the settings with which each is computed.

Every run of a study begins with the same state. The figures of a run are compared with those of the finest run, which
has more sweeps and a shorter step than all others. Two further runs have only the sweeps or only the step of the finest
run: how far they are from the finest run shows how accurate that run is. The scatter of a run's parts gives the
uncertainty of the run.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from _validation import flows
from _study.measures import select_rows, rate
from _study.running import Run, seconds

FINEST = "finest"
PARTS = 5  # parts of the measured time, whose scatter gives the uncertainty


@dataclasses.dataclass(frozen=True)
class Setting:
    """Parameters with which a state is advanced."""

    label: str
    sweeps: int
    step: float = 1.0  # relative to the step of the study
    options: dict = dataclasses.field(default_factory=dict)
    momentum: float = 0.0  # solver.momentum, the heavy-ball factor; 0: plain sweeps


DEFAULT = Setting("10 sweeps with momentum, the default", 10, momentum=0.85)
SETTINGS = (
    DEFAULT,
    Setting("5 sweeps with momentum", 5, momentum=0.85), Setting("20 sweeps with momentum", 20, momentum=0.85),
    Setting("2 sweeps", 2), Setting("5 sweeps", 5), Setting("10 sweeps", 10), Setting("20 sweeps", 20),
    Setting("50 sweeps", 50), Setting("200 sweeps", 200),
    Setting("5 sweeps, half the step", 5, 0.5), Setting("10 sweeps, half the step", 10, 0.5),
    Setting("10 sweeps, a quarter of the step", 10, 0.25),
    Setting("10 sweeps of Jacobi", 10, 1.0, {"solver.scheme": "jacobi"}),
    Setting("50 sweeps of Jacobi", 50, 1.0, {"solver.scheme": "jacobi"}),
    Setting("10 sweeps, closed contacts, cold", 10, 1.0,
            {"solver.speculative": "no", "solver.warm_start": "no", "solver.position_sweeps": 0}),
    Setting(FINEST, 200, 0.25),
)  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    name: str
    title: str
    scene: str
    step: float  # [s]
    prepared: tuple  # of Run; all settings start from the end of the last one
    duration: float  # simulated time of each run [s]
    options: dict  # values of each run
    measured_fraction: float  # fraction of the duration, at its end, in which figures are measured
    figures: Callable  # series in the measured time, {name of a column: [K]} -> {name: value}
    # Figures whose limit is zero -> the scale of their errors: a number, or another figure.
    scales: dict = dataclasses.field(default_factory=dict)

    def measure(self, columns):
        """({name of a figure: value}, {name: standard error}) of a series, {name of a column: [K]}."""
        rows = np.flatnonzero(columns["time"] > (1.0 - self.measured_fraction) * columns["time"][-1])
        parts = [self.figures(select_rows(columns, part)) for part in np.array_split(rows, PARTS)]
        figures = self.figures(select_rows(columns, rows))
        return figures, {name: np.std([part[name] for part in parts], ddof=1) / np.sqrt(PARTS) for name in figures}

    def runs(self):
        """The preparing runs, and one run for each setting."""
        runs = list(self.prepared)
        for number, setting in enumerate(SETTINGS):
            options = {
                **self.options, "time.step": seconds(setting.step * self.step), "time.end": seconds(self.duration),
                "output.every": seconds(self.duration), "solver.sweeps": setting.sweeps,
                "solver.momentum": setting.momentum, **setting.options,
                "output.energy_book": "yes", "output.wall_forces": "yes",
            }  # fmt: skip
            runs.append(Run(f"setting{number}", self.scene, options, after=self.prepared[-1].name))
        return runs


def channel_figures(columns):
    return {
        "mean velocity [m/s]": columns["mean_velocity_x"].mean(),
        "kinetic energy [mJ]": 1e3 * columns["kinetic_energy"].mean(),
        "loaded contacts": columns["loaded_contacts"].mean(),
        "force on the piston [N]": -columns["wall_piston_force_x"].mean(),
        "work of the walls [W]": rate(columns, "energy_walls"),
        "dissipation [W]": rate(columns, "energy_dissipated"),
        "largest penetration [um]": 1e6 * columns["max_penetration"].mean(),
    }


def shear_figures(columns):
    shear, normal = flows.wall_loads(columns)
    return {
        "shear force [N]": shear,
        "normal force [N]": normal,
        "friction τ/p": shear / normal,
        "kinetic energy [mJ]": 1e3 * columns["kinetic_energy"].mean(),
        "loaded contacts": columns["loaded_contacts"].mean(),
        "dissipation [W]": rate(columns, "energy_dissipated"),
    }


def hopper_figures(columns):
    return {
        "discharge [grains/s]": -rate(columns, "particles"),
        "kinetic energy [mJ]": 1e3 * columns["kinetic_energy"].mean(),
        "force on the funnel [N]": -columns["wall_funnel_force_z"].mean(),
    }


def pile_figures(columns):
    force = -columns["wall_floor_force_z"]
    return {
        "mean force on the floor [N]": force.mean(),
        "its standard deviation from row to row [N]": force.std(),
        "loaded contacts": columns["loaded_contacts"].mean(),
        "largest penetration [um]": 1e6 * columns["max_penetration"].mean(),
    }


LAYER = 0.94e-3  # time between two layers of the channel's inflow [s]; a run begins just after a layer
CHANNEL_OUTPUT = {
    "output.log_every": "0.1 ms", "average.profile.from": "0 s", "average.profile.every": seconds(LAYER),
}  # fmt: skip
RELAXATION_TIME, DENSE_TIME = 3 * LAYER, 2 * LAYER  # times of the full channel: before and during the measurement [s]


def dense_study(state):
    """The full channel, started from a state of its steady flow.

    state: a snapshot, or a table of particles as for initial.file. Its overlaps depend on the program that wrote it, so
    a first run continues the state with the default settings.
    """
    first = {"initial.file": str(state), "time.end": seconds(RELAXATION_TIME), "output.every": seconds(RELAXATION_TIME)}
    return Study("dense", "Dense flow past an obstacle at full scale, channel.ini", "channel", 1e-5,
                 (Run("relaxed", "channel", {**first, "average.profile.from": "0 s"}),), DENSE_TIME, CHANNEL_OUTPUT,
                 0.5, channel_figures, {"largest penetration [um]": 470.0})  # fmt: skip


SHEAR_NAME = f"height{flows.HEIGHTS[0]:g}"


def shear_run():
    """The runs of flows.shear_runs at the smallest solid fraction: (earlier runs, last run)."""
    *earlier, last = [run for run in flows.shear_runs(False) if run.name.startswith(SHEAR_NAME)]
    return tuple(earlier), last


SHEAR_BEFORE, SHEAR = shear_run()
STUDIES = {
    study.name: study
    for study in (
        Study("channel", "Dense flow past an obstacle, channel_small.ini from 60 ms on", "channel_small", 1e-5,
              (Run("filled", "channel_small", {"time.end": seconds(64 * LAYER), "output.every": seconds(64 * LAYER)}),),
              10 * LAYER,
              {**CHANNEL_OUTPUT, "average.out.from": "0 s"}, 0.5, channel_figures, {"largest penetration [um]": 470.0}),
        Study("shear", "Dense shear, shear_cell.ini when it is steady", "shear_cell", 1e-4, SHEAR_BEFORE, flows.LEG,
              {**SHEAR.options, "output.log_every": "1 ms"}, 0.7, shear_figures),
        Study("hopper", "Discharge, hopper.ini from the removal of its gate on", "hopper", 5e-5,
              (Run("settled", "hopper", {"time.step": "50 us", "time.end": "150 ms", "output.every": "150 ms",
                                         "average.outflow.from": "0 s"}),), 0.25,
              {"output.log_every": "1 ms", "wall.gate.removed_at": "50 us", "average.outflow.from": "0 s"},
              0.6, hopper_figures),
        Study("pile", "A pile at rest, settle_box.ini from 0.3 s on", "settle_box", 1e-4,
              (Run("settled", "settle_box", {"time.end": "0.3 s", "output.every": "0.3 s"}),), 0.1,
              {"output.log_every": "1 ms"}, 0.5, pile_figures,
              {"its standard deviation from row to row [N]": "mean force on the floor [N]",
               "largest penetration [um]": 1000.0}),
    )
}  # fmt: skip
