#!/usr/bin/env python3
"""Turns a terrain raster (ESRI ASCII grid, .asc) into the mesh of a wall: an STL in metres, two triangles per cell.

usage: terrain.py SLOPE.asc --output slope.stl

The corners of the triangles are the centres of the raster's cells; cells with NODATA_VALUE are holes. --origin moves
the lower left centre, whose coordinates are large in maps, to x = y = 0, and the lowest height to z = 0. An STL has
seven digits: where these are too few for the cells, --origin is required. The triangles face up: in a scene

    [wall.terrain]
    shape = mesh
    file  = slope.stl

is a sheet on which blocks fall. [outflow] removes blocks that leave the domain at its faces. GDAL makes such a raster
from a GeoTIFF: gdal_translate -of AAIGrid slope.tif slope.asc
"""

import pathlib

import _environment

_environment.require("numpy")

import numpy as np

import _command_line
import scree.whole_file
from scree.errors import FileError, UsageError

KEYS = ("ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "nodata_value")
MAX_ROUNDING = 1e-3  # largest spacing of the numbers of an STL, which has single precision [cells]


def read_grid(path):
    """(heights [rows, columns] from the south on, x and y of the south-west cell's centre [2], size of a cell) [m].

    A cell without a height is NaN. Raises FileError.
    """
    try:
        lines = path.read_text(encoding="ascii").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error
    header = {}
    while lines and len(words := lines[0].split()) == 2 and words[0].lower() in KEYS:
        header[words[0].lower()] = words[1]
        lines.pop(0)
    try:
        columns, rows, cell = int(header["ncols"]), int(header["nrows"]), float(header["cellsize"])
        origin = np.array([float(header[f"{axis}llcenter"]) if f"{axis}llcenter" in header else float(header[f"{axis}llcorner"]) + 0.5 * cell
                           for axis in "xy"])  # fmt: skip
        heights = np.array(" ".join(lines).split(), float)
    except KeyError as error:
        raise FileError(f"'{path}' is not an ESRI ASCII grid: it lacks {error}; expected lines ncols, nrows, xllcorner, yllcorner, cellsize") from error
    except ValueError as error:
        raise FileError(f"'{path}' is not an ESRI ASCII grid: {error}") from error
    if min(columns, rows) < 2 or not cell > 0.0 or len(heights) != columns * rows:
        raise FileError(f"'{path}' has {len(heights)} heights, {columns} columns, {rows} rows of {cell:g} m; "
                        "expected columns x rows heights, two or more of each, and cells above 0")  # fmt: skip
    heights[heights == float(header.get("nodata_value", -9999))] = np.nan
    if np.isinf(heights).any():
        raise FileError(f"'{path}' has an infinite height; expected finite numbers")
    return heights.reshape(rows, columns)[::-1], origin, cell


def triangles(heights, origin, cell):
    """Triangles [T, 3, 3] of the terrain, facing up, from the results of read_grid."""
    y, x = np.indices(heights.shape)
    points = np.stack([origin[0] + cell * x, origin[1] + cell * y, heights], axis=-1)
    a, b, c, d = (points[rows, columns].reshape(-1, 3) for rows in (slice(-1), slice(1, None)) for columns in (slice(-1), slice(1, None)))
    all_triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    return all_triangles[np.isfinite(all_triangles).all(axis=(1, 2))]


def require_fine_spacing(path, corners, cell):
    """Raises UsageError if single precision has too few digits for the corners of triangles [T, 3, 3]."""
    largest = np.abs(corners).max(initial=0.0)
    spacing = np.spacing(np.float32(largest))
    if spacing > MAX_ROUNDING * cell:
        raise UsageError(f"'{path}' has coordinates up to {largest:.9g} m, which an STL has in steps of {spacing:g} m, and "
                         f"cells of {cell:g} m; expected --origin, which makes coordinates small")  # fmt: skip


def write_stl(path, corners):
    """Writes triangles [T, 3, 3] as a binary STL."""
    facets = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = corners
    with scree.whole_file.path_of(path) as temporary:
        pathlib.Path(temporary).write_bytes(b"scree terrain".ljust(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("grid", type=pathlib.Path, metavar="GRID.asc")
    parser.add_argument("--output", type=pathlib.Path, help="STL to write (default: GRID.stl)")
    parser.add_argument("--origin", action="store_true", help="lower left cell at x = y = 0, lowest height at z = 0")
    arguments = parser.parse_args()
    heights, origin, cell = read_grid(arguments.grid)
    output = arguments.output or arguments.grid.with_suffix(".stl")
    corners = triangles(heights, origin, cell)
    if not len(corners):
        raise FileError(f"'{arguments.grid}' has no height in any three neighbouring cells; the others are NODATA_VALUE")
    if arguments.origin:
        lowest = np.nanmin(heights)
        corners, origin, heights = corners - [*origin, lowest], np.zeros(2), heights - lowest
    if not arguments.origin:
        require_fine_spacing(arguments.grid, corners, cell)
    write_stl(output, corners)
    rows, columns = heights.shape
    ranges = (("x", origin[0], origin[0] + cell * (columns - 1)), ("y", origin[1], origin[1] + cell * (rows - 1)),
              ("z", np.nanmin(heights), np.nanmax(heights)))  # fmt: skip
    print(f"{output}: {len(corners)} triangles, " + ", ".join(f"{axis} {low:.9g} to {high:.9g} m" for axis, low, high in ranges))
    return 0


if __name__ == "__main__":
    _command_line.run(main)
