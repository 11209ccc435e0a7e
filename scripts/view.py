#!/usr/bin/env python3
"""Makes one HTML page with a run in 3D: rotate, zoom, play, colour, cut, and click a grain to read its values.

Reads the output directory of a run, or snapshots (*.h5), and writes a self-contained page: any recent browser shows it,
without a network. If there are more than --most grains, the page shows grains with evenly spaced ids, the same in all
frames; if there are more than --frames frames, it shows evenly spaced frames. A note on the page then says so.
Polyhedra are drawn with sharp edges.
Positions are rounded to 1/65535 of the domain, values to 1/65535 of their range. Colours are speed, spin, size,
material, shape, id, the pressure of the contacts if the run recorded them, and the quantities of
--colour (see render.py).

The page contains three.js (Debian: libjs-three) and its licence.
"""

import pathlib

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import numpy as np

import _command_line
import scree.snapshot
import scree.viewer
import scree.whole_file


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("run", nargs="+", type=pathlib.Path, help="output directory of a run, or HDF5 files")
    parser.add_argument("--output", type=pathlib.Path, metavar="HTML", help="page to write (default: view.html in the directory)")
    parser.add_argument("--most", type=_command_line.count, default=scree.viewer.MAX_GRAINS, metavar="N", help=f"largest number of grains shown (default: {scree.viewer.MAX_GRAINS})")
    parser.add_argument("--frames", type=_command_line.count, default=scree.viewer.FRAMES, metavar="N", help=f"largest number of frames (default: {scree.viewer.FRAMES})")
    parser.add_argument("--colour", nargs="+", default=[], metavar="QUANTITY", help="further quantities to colour by")
    _command_line.add_window(parser)
    arguments = parser.parse_args()
    paths = _command_line.choose_snapshots(arguments, arguments.run)
    output = arguments.output or (arguments.run[0] if arguments.run[0].is_dir() else pathlib.Path()) / "view.html"
    rows = np.unique(np.linspace(0, len(paths) - 1, min(arguments.frames, len(paths))).astype(int))
    frames = list(_command_line.progress(scree.snapshot.read_frames([paths[k] for k in rows]), len(rows), "frame"))
    run, arrays = scree.viewer.describe(frames, arguments.most, arguments.colour)
    note = scree.viewer.notice(run, len(frames), len(paths))
    name = (arguments.run[0] if arguments.run[0].is_dir() else arguments.run[0].parent.parent).resolve().name
    text = scree.viewer.page(f"Scree: {name}", run, arrays, note)
    scree.whole_file.write(_command_line.make_parent(output), text)
    print(f"{output} ({len(text.encode()) / 1e6:.2g} MB) {note}".rstrip())
    return 0


if __name__ == "__main__":
    _command_line.run(main)
