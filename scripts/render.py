#!/usr/bin/env python3
"""Draws snapshots: spheres and members of clumps at true scale, coloured by any quantity; one picture, or a film of many.

From an output directory the last snapshot is drawn; films and --trajectories use all. One snapshot makes a
picture. Several make a film if --output ends in .gif (or .mp4, where ffmpeg is installed), otherwise one picture
each. Without --view two views are drawn: along the shortest side of the domain, and oblique (parallel lines stay
parallel). Gravity points down. No window is opened.

Particles and walls are surfaces in the light of a lamp at the upper left: surfaces that face the viewer have the
colour of the scale, gaps are darker, and distant surfaces are paler. A wall in front of more than a third of the
particles is transparent. The floor is drawn in oblique views, other planes as lines. Members of a clump differ in
brightness, which shows its rotation. Pictures and films are cropped to the particles and the walls that end within the
domain.

--colour takes speed, spin, size, material, id, pressure (of a run with output.contacts = yes), q6 (bond-orientational
order: 0.57 in a face-centred, 0.48 in a hexagonal crystal, less in a random packing), cluster (of a scene with bonds;
particles without intact bonds are grey), or any field of the snapshots:
the norm of a vector, or a component as in velocity_x.
--slice y 1 cm draws the section of spheres and walls by a plane, seen along that axis.
--trajectories 50 draws the last snapshot, and over it the paths of 50 particles through all snapshots.
"""

import pathlib
import shutil

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.colour
import scree.figure
import scree.picture
import scree.snapshot
import scree.units
import scree.view
from scree.errors import UsageError


PICTURES = (".png", ".pdf", ".svg")


def _arguments():
    parser = _command_line.parser(__doc__)
    parser.add_argument("snapshot", nargs="+", type=pathlib.Path, help="HDF5 files of a run, or its output directory")
    parser.add_argument(
        "--output", type=pathlib.Path,
        help="PNG, PDF or SVG or, for a film, GIF or MP4 to write (default: a PNG next to each snapshot)",
    )
    view = parser.add_mutually_exclusive_group()
    view.add_argument(
        "--view", nargs="+", choices=scree.view.NAMES,
        help="what to draw, from top to bottom (default: the most informative view, and oblique)",
    )
    view.add_argument(
        "--slice", nargs="+", metavar=("AXIS", "PLACE UNIT"), help="a section, as in y 1 cm"
    )
    parser.add_argument(
        "--colour", metavar="QUANTITY",
        help="what the particles show (default: speed or, if all rest, material, shape or size)",
    )
    parser.add_argument(
        "--max", type=_command_line.positive, metavar="VALUE",
        help="upper end of the colour scale, in its unit (default: 99.9 %% of the particles lie below)",
    )
    parser.add_argument(
        "--trajectories", type=_command_line.count, metavar="N",
        help="draw the paths of N particles, in one picture",
    )
    parser.add_argument(
        "--subdomains", action="store_true", help="draw the subdomains of the ranks"
    )
    parser.add_argument(
        "--whole", action="store_true",
        help="draw all of the domain, with its empty space",
    )
    parser.add_argument(
        "--dpi", type=_command_line.positive,
        help=f"pixels per inch (default: {scree.picture.PICTURE_DPI}, of a film {scree.picture.FILM_DPI})",
    )
    parser.add_argument(
        "--rate", type=_command_line.positive, default=10.0,
        help="frames of a film per second (default: 10)",
    )
    _command_line.add_window(parser)
    return parser.parse_args()


def _check_output(arguments):
    """Raises UsageError if the output does not suit the number of snapshots or cannot be made."""
    output = arguments.output
    if arguments.trajectories and (len(arguments.snapshot) < 2 or output is None or output.suffix not in PICTURES):
        raise UsageError("--trajectories needs two snapshots or more, and a picture as --output")
    if output is None:
        return
    if output.suffix not in (*PICTURES, *scree.picture.FILMS):
        raise UsageError(f"--output '{output}' must end in .png, .pdf, .svg, .gif or .mp4")
    if output.suffix in PICTURES and len(arguments.snapshot) > 1 and not arguments.trajectories:
        raise UsageError(
            f"--output '{output}' is one picture, but there are {len(arguments.snapshot)} snapshots; name a "
            "film (.gif or .mp4), or leave out --output to get a picture of each"
        )
    if output.suffix == ".mp4" and not shutil.which("ffmpeg"):
        raise UsageError(f"--output '{output}' needs ffmpeg, which is not installed; .gif does not")


def _section(arguments, snapshot):
    """(View, position [m]) of --slice; raises UsageError."""
    axis, *words = arguments.slice
    if axis not in ("x", "y", "z") or not words:
        raise UsageError(f"--slice '{' '.join(arguments.slice)}' must be x, y or z, a number and a unit, as in y 1 cm")
    position = float(_command_line.quantity(words, "--slice", scree.units.METRES, 1)[0])
    number = "xyz".index(axis)
    if not snapshot.lower[number] <= position <= snapshot.upper[number]:
        raise UsageError(
            f"--slice {axis} at {position:g} m lies outside of the domain of '{snapshot.path}', which has "
            f"{snapshot.lower[number]:g} to {snapshot.upper[number]:g} m"
        )
    return scree.view.of_axis(snapshot, number), position


def _choose_drawing(arguments, is_film):
    """(views, Scale, position of the section [m], fields to read, extents of each frame of a film).

    The position is None without --slice, the extents are None for a picture or with --whole.
    """
    first = scree.snapshot.first_filled(arguments.snapshot)
    has_several = len(arguments.snapshot) > 1

    def frames(fields):
        return scree.snapshot.read_frames(arguments.snapshot, {"position", "radius", *fields}) if has_several else [first]

    name = arguments.colour or scree.colour.default(frames(("velocity", "material")))
    colouring = scree.colour.of(name, first)
    scale_frames = frames(colouring.fields) if arguments.max is None or colouring.categories else [first]
    scale = scree.colour.scale(colouring, scale_frames, arguments.max)
    boxes = None
    if is_film and not arguments.whole:
        boxes = [scree.picture.contents(frame) for frame in frames(())]
    fields = {"position", "radius", *colouring.fields}
    if arguments.slice:
        view, position = _section(arguments, first)
        return [view], scale, position, fields, boxes
    names = arguments.view or scree.view.default_views(first)
    return [scree.view.views(first)[name] for name in names], scale, None, fields, boxes


def main():
    arguments = _arguments()
    is_film = arguments.output is not None and arguments.output.suffix in scree.picture.FILMS
    is_run = len(arguments.snapshot) == 1 and arguments.snapshot[0].is_dir()
    arguments.snapshot = _command_line.choose_snapshots(arguments, arguments.snapshot)
    if is_run and not is_film and not arguments.trajectories:
        del arguments.snapshot[:-1]
    _check_output(arguments)
    if arguments.output:
        _command_line.make_parent(arguments.output)
    views, scale, position, fields, boxes = _choose_drawing(arguments, is_film)
    frames = scree.snapshot.read_frames(arguments.snapshot, fields)
    frames = _command_line.progress(frames, len(arguments.snapshot), "frame")
    if arguments.trajectories:
        frames = list(frames)
        figure, panels = scree.picture.figure_of(frames[-1], views, scale, position, arguments.subdomains, whole=True)
        scree.picture.draw_paths(panels, views, frames[-1], scree.picture.paths(frames, arguments.trajectories))
        scree.figure.save(figure, arguments.output, arguments.dpi or scree.picture.PICTURE_DPI)
        _command_line.print_written(arguments.output)
        return 0
    if is_film:
        dpi = arguments.dpi or scree.picture.FILM_DPI
        scree.picture.film(frames, arguments.output, views, scale, dpi, arguments.rate, position, arguments.subdomains, boxes)
        _command_line.print_written(arguments.output)
        return 0
    for path, frame in zip(arguments.snapshot, frames):
        output = arguments.output or path.with_suffix(".png")
        dpi = arguments.dpi or scree.picture.PICTURE_DPI
        scree.picture.render(frame, output, views, scale, dpi, position, arguments.subdomains, arguments.whole)
        _command_line.print_written(output)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
