#!/usr/bin/env python3
"""Cuts a convex body into Voronoi cells with bonds between their faces, and prints them as shapes of a scene: a grain
that breaks.

usage: bonded_cells.py --ball 2 cm --cells 40 --table grain.csv >> scene.ini
       bonded_cells.py ROCK.stl --unit mm --cells 100 --table rock.csv >> scene.ini

The output has sections [shape.NAME_0], ... for the cells, and [bond.NAME]. The scene must name the table: [initial]
file = grain.csv. A mesh is replaced by its convex hull. Edges of cells are rounded while faces stay in place, so the
flat areas that bonds cover are slightly smaller than the faces. Each of the --rounds moves the point that defines a
cell to the centroid of this cell. This makes the cells more even; with 0 rounds the cells are random, and some are too
thin. Equal options and --seed give equal cells.
"""

import pathlib

import _environment

_environment.require("numpy", "scipy")

import numpy as np

import _command_line
import clump
import scree.bonded_cells
import scree.units
import scree.whole_file
from scree.errors import FileError, UsageError

HULL_GAP = 0.01  # a mesh that leaves a larger fraction of its convex hull empty causes a warning


def body(arguments):
    """Corners of the body, [K, 3] [m]; raises UsageError or FileError."""
    if arguments.ball is not None:
        return scree.bonded_cells.ball(*_command_line.quantity(arguments.ball, "--ball", scree.units.METRES, 1))
    if arguments.cylinder is not None:
        return scree.bonded_cells.cylinder(*_command_line.quantity(arguments.cylinder, "--cylinder", scree.units.METRES, 2))
    if arguments.box is not None:
        return scree.bonded_cells.box(np.array(_command_line.quantity(arguments.box, "--box", scree.units.METRES, 3)))
    triangles = clump.triangles_of(arguments.mesh) * scree.units.METRES[arguments.unit]
    if not len(triangles):
        raise FileError(f"'{arguments.mesh}' has no triangles")
    corners = np.unique(triangles.reshape(-1, 3), axis=0)
    scree.bonded_cells.planes_of(corners)  # raises an error if the hull has no volume
    filled = clump.moments_of(triangles)[0] / scree.bonded_cells.moments(corners)[0]
    if not filled > 1.0 - HULL_GAP:
        _command_line.warn(f"'{arguments.mesh}' fills {100.0 * filled:.0f} % of its convex hull; the hull is used instead")
    return corners


def main():
    parser = _command_line.parser(__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("mesh", nargs="?", metavar="MESH.stl")
    source.add_argument("--ball", nargs="+", metavar=("D", "UNIT"), help="a polyhedron of 80 triangles with corners on a sphere, resting on a face")
    source.add_argument("--cylinder", nargs="+", metavar=("D", "LENGTH UNIT"), help="a cylinder with 32 sides and its axis along y")
    source.add_argument("--box", nargs="+", metavar=("X", "Y Z UNIT"), help="a box with these edges")
    units = [unit for unit in scree.units.METRES if unit]
    parser.add_argument("--unit", default="m", choices=units, help="unit of the mesh (default: m)")
    parser.add_argument("--cells", type=_command_line.count, default=40, help="number of cells (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random points from which cells are made (default: 1)")
    parser.add_argument("--rounds", type=int, default=scree.bonded_cells.ROUNDS,
                        help=f"steps that make cells more even (default: {scree.bonded_cells.ROUNDS})")  # fmt: skip
    parser.add_argument("--prisms", choices=("x", "y", "z"), help="make cells that are prisms along this axis, for a plane problem")
    parser.add_argument("--rounding", nargs="+", metavar=("R", "UNIT"), help=f"radius of rounded edges (default: "
                        f"{scree.bonded_cells.ROUNDING:g} times the radius of a ball with the mean volume of a cell)")  # fmt: skip
    parser.add_argument("--at", nargs="+", default=["0", "0", "0", "m"], metavar=("X", "Y Z UNIT"), help="position of the body's origin (default: 0 0 0)")
    parser.add_argument("--name", default="grain", help="name of shapes and bonds (default: grain)")
    parser.add_argument("--material", default="rock", help="material of cells and bonds (default: rock)")
    parser.add_argument("--tension", nargs=2, default=["1", "MPa"], metavar=("SIGMA", "UNIT"), help="tensile strength (default: 1 MPa)")
    parser.add_argument("--shear", nargs=2, metavar=("SIGMA", "UNIT"), help="shear strength (default: as --tension)")
    parser.add_argument("--table", type=pathlib.Path, required=True, help="CSV file to write, for initial.file")
    arguments = parser.parse_args()
    if arguments.rounds < 0 or arguments.seed < 0:
        raise UsageError(f"--rounds {arguments.rounds} and --seed {arguments.seed}; expected 0 or more")
    rounding = None
    if arguments.rounding is not None:
        (rounding,) = _command_line.quantity(arguments.rounding, "--rounding", scree.units.METRES, 1)
        if not rounding > 0.0:
            raise UsageError(f"--rounding is {rounding:g} m; expected more than 0")
    position = np.array(_command_line.quantity(arguments.at, "--at", scree.units.METRES, 3))
    corners = body(arguments)
    axis = None if arguments.prisms is None else "xyz".index(arguments.prisms)
    cells, rounding = scree.bonded_cells.cut(corners, arguments.cells, arguments.seed, arguments.rounds, rounding, axis)
    bond = [f"material = {arguments.material}", f"tension = {' '.join(arguments.tension)}", f"shear = {' '.join(arguments.shear or arguments.tension)}"]
    print(scree.bonded_cells.sections(cells, rounding, arguments.name, bond), end="")
    text = scree.bonded_cells.table(cells, arguments.name, arguments.material, position)
    scree.whole_file.write(_command_line.make_parent(arguments.table), text)


if __name__ == "__main__":
    _command_line.run(main)
