"""Starts runs of Scree from Python, and reads their output as NumPy arrays and pandas tables::

    import scree

    run = scree.run("apps/scenes/hopper.ini", "output/mine", ranks=2, time={"end": "0.1 s"})
    run = scree.open("output/mine")          # or an existing run, which may still be running

    run.series                               # pandas: key figures over time
    run.averages["profile"]                  # pandas: the table of [average.profile]
    run.number("time", "step")               # a number of the configuration, in SI
    frame = run.frames[-1]                   # a snapshot; also run.frames.at(0.05), run.frames[::10]
    frame["velocity"], frame.units["velocity"]   # [N, 3], "m/s"
    frame.contacts.gap, frame.walls          # contacts and walls of the frame
    scree.rdf(frame).g, scree.profile(run, "z").columns["velocity_x"]   # also of several frames; see scree.ask

All values are in SI units. An unreadable file raises scree.FileError (an OSError), a wrong argument scree.UsageError (a
ValueError; for unknown names also a KeyError), and a run that fails scree.RunFailed. Each message gives the reason.

`scree.engine` is the engine itself, stepped from Python; `scree.solvers` solves single contacts, and `scree.impact`
single impacts. These are compiled modules, which a pip installation of the scripts does not contain (`scree.native`).

Modules::

    ask             the most common analyses as functions: `scree.rdf`, `profile`, `fields`, `contact_statistics`, `fabric`,
                    `force_distribution`, `non_affine` (displacements, D^2_min), `mixing`, `key_figures`, `picture`
    key_figures, profiles, fields, rdf, mixing, motion, residence, avalanches, heap, contact_statistics
                    compute and draw the results of the scripts with the same names
    axisymmetric, voronoi, orientation, bond_order          compute and draw results of `profiles.py` and `order.py`
    bonds, bonded_cells                                     bonds, clusters and fragments; bodies cut into cells
    contacts, force_network, walls, region, grid, means     are used by the analyses
    picture, view, colour, figure, film                     make pictures and films
    export, html                                            write files for other programs, and pages
    snapshot, directory, table, configuration, units        read files
    examples        lists, copies, runs and films the shipped scenes: `python -m scree.examples`
    environment     simulations for machine learning
"""

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scree.ask import fabric, force_distribution, non_affine, profile
    from scree.contacts import Contacts
    from scree.directory import Run
    from scree.directory import read as open
    from scree.errors import FileError, MissingField, OutputError, SimulationError, UnknownName, UsageError
    from scree.frames import Frames
    from scree.program import RunFailed, Running, run, start
    from scree.snapshot import Shape, Snapshot, Wall, WallPart

__all__ = [
    "Contacts", "FileError", "Frames", "MissingField", "OutputError", "Run", "RunFailed", "Running", "Shape", "SimulationError",
    "Snapshot", "UnknownName", "UsageError", "Wall", "WallPart", "fabric", "force_distribution", "non_affine", "open", "profile", "run", "start",
]  # fmt: skip

__version__ = "0.1.0"

# Module of each name. Modules are imported at first use, because drawing a table needs neither h5py nor scipy.
_MODULE_OF_NAME = {
    "Contacts": "contacts.Contacts", "FileError": "errors.FileError", "Frames": "frames.Frames",
    "Run": "directory.Run", "RunFailed": "program.RunFailed", "Running": "program.Running",
    "OutputError": "errors.OutputError", "SimulationError": "errors.SimulationError",
    "MissingField": "errors.MissingField", "UnknownName": "errors.UnknownName",
    "Shape": "snapshot.Shape", "Snapshot": "snapshot.Snapshot", "UsageError": "errors.UsageError",
    "Wall": "snapshot.Wall", "WallPart": "snapshot.WallPart",
    "fabric": "ask.fabric", "force_distribution": "ask.force_distribution", "non_affine": "ask.non_affine",
    "open": "directory.read", "profile": "ask.profile", "run": "program.run", "start": "program.start",
}  # fmt: skip
_MODULES = (
    "ask", "avalanches", "axisymmetric", "bond_order", "bonded_cells", "bonds", "colour", "configuration", "contact_statistics", "contacts", "directory",
    "examples", "export", "fields", "figure", "film", "force_network", "free_space", "grid", "heap", "html", "key_figures", "means",
    "mixing", "motion", "native", "orientation", "picture", "problem", "profiles", "program", "rdf", "region", "residence", "shown", "snapshot", "steering",
    "structure_factor", "table", "units", "view", "viewer", "voronoi", "walls", "whole_file",
)  # fmt: skip
_COMPILED = ("engine", "environment", "impact", "solvers")  # these need the compiled part, see scree.native
# Modules that can also be called: scree.rdf(frame) is scree.ask.rdf(frame).
_CALLABLE_MODULES = ("contact_statistics", "fields", "key_figures", "mixing", "picture", "rdf")


class _CallableModule(types.ModuleType):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module("scree.ask"), self.__name__.rpartition(".")[2])(*arguments, **keywords)


class _Package(types.ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        """Makes modules callable; any import of a module of the package calls this."""
        if name in _CALLABLE_MODULES:
            value.__class__ = _CallableModule
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _MODULES or name in _COMPILED:
        return importlib.import_module(f"scree.{name}")
    if name not in _MODULE_OF_NAME:
        raise AttributeError(f"module 'scree' has no attribute '{name}'")
    module, _, attribute = _MODULE_OF_NAME[name].partition(".")
    return getattr(importlib.import_module(f"scree.{module}"), attribute)


def __dir__() -> list[str]:
    import scree.native

    compiled = _COMPILED if scree.native.found() is not None else ()
    return sorted({*globals(), *_MODULE_OF_NAME, *_MODULES, *compiled})
