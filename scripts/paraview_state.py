"""Sets up a run in ParaView: spheres at true scale and polyhedra, coloured by speed, with the walls.

In the window of ParaView, with all time steps:

    SCREE_OUTPUT=OUTPUT_DIRECTORY paraview --script=scripts/paraview_state.py

A picture without a window:

    pvbatch scripts/paraview_state.py OUTPUT_DIRECTORY --picture flow.png [--time SECONDS]

OUTPUT_DIRECTORY is the output directory of scree-run, which may still be running. Gravity at time zero points down.
Boxes, cylinders and other solids are opaque; pipes, funnels, disks and meshes are translucent. Planes are not drawn
because they would hide the flow; the frame of the domain replaces them. Walls come from walls.vtk, which has their
positions at time zero; walls that appear later, or have been removed, are not drawn. Better data come from

    scripts/export.py OUTPUT_DIRECTORY --format surroundings --output OUTPUT_DIRECTORY/paraview

which writes the positions of walls in each snapshot, the members of clumps, the faces of polyhedra, and the contacts
of a run that recorded them. Without these files clumps and polyhedra are drawn as their bounding spheres. --contacts
draws the contacts as tubes whose width and darkness grow with the normal force, up to the 99th percentile.
"""

import argparse
import configparser
import dataclasses
import itertools
import math
import os
import pathlib

import numpy as np
from paraview import simple

FILES = ("snapshots.xdmf", "walls.vtk", "config.ini")
# Files of export.py.
MOVED_WALLS, CONTACTS = "paraview_walls.pvd", "paraview_contacts.pvd"
MEMBERS, SOLIDS = "paraview_members.pvd", "paraview_solids.pvd"
EXPORT_COMMAND = "`scripts/export.py {0} --format surroundings --output {0}/paraview`"
BLACK, WHITE, STONE = [0.0] * 3, [1.0] * 3, [0.55, 0.55, 0.6]
THIN = 0.22  # opacity of translucent walls
FAINT = 0.12  # opacity of spheres if contacts are drawn
# Direction from the scene to the camera: components along both horizontal axes and the vertical.
VIEW_FROM = (-0.45, -1.0, 0.9)
DISTANCE = 1.9  # distance of the camera from the middle of the domain, in diagonals of the domain
FILLED = 0.92  # fraction of the picture that the domain fills; the rest is margin
SHEETS = ("pipe", "cone", "disk", "mesh")
# Fraction of the values within the colour scale, so that an outlier does not set the scale.
SCALE_QUANTILE = {"velocity": 0.999, "normal_force": 0.99}
WIDEST, THINNEST = 0.5, 0.02  # radii of contact tubes, relative to the smallest sphere


@dataclasses.dataclass
class Scene:
    """The contents of config.ini that the picture needs. The row of a wall is its number in the scene."""

    corners: np.ndarray  # lower and upper corner of the domain, [2, 3] [m]
    solids: list  # rows of the opaque walls
    sheets: list  # rows of the translucent walls
    up: np.ndarray  # unit vector
    appearing: dict  # row -> time at which the wall appears [s]
    removed: dict  # row -> time at which the wall is removed [s]
    moving: list  # names of the walls that move
    has_shapes: bool  # whether there are bodies that are not spheres


def parse_arguments():
    parser = argparse.ArgumentParser(prog="paraview_state.py", description=__doc__.split("\n")[0])
    # paraview --script passes no arguments to the script.
    parser.add_argument(
        "output",
        nargs="?",
        default=os.environ.get("SCREE_OUTPUT"),
        help="output directory of scree-run (default: $SCREE_OUTPUT)",
    )
    parser.add_argument("--picture", help="PNG to write")
    parser.add_argument("--time", type=float, help="simulated time [s] (default: the last snapshot)")
    parser.add_argument("--width", type=int, default=1600, help="width of the picture [pixels]")
    parser.add_argument("--contacts", action="store_true", help="draw contacts by their force")
    options = parser.parse_args()
    if not options.output:
        parser.error("no output directory is given, nor is SCREE_OUTPUT set")
    for name in FILES:
        if not (pathlib.Path(options.output) / name).is_file():
            parser.error(f"'{options.output}' has no {name}; expected the output of scree-run")
    if options.contacts and not (pathlib.Path(options.output) / CONTACTS).is_file():
        parser.error(
            f"'{options.output}' has no {CONTACTS}; scripts/export.py writes it if the run had "
            "output.contacts = yes (see the head of this script)"
        )
    return options


def _numbers(text):
    """The first three words of a value as numbers."""
    return [float(word) for word in text.split()[:3]]


def is_sheet(section):
    """Whether a wall or part of a wall is translucent because particles touch it from inside or on both sides."""
    shape = section.get("shape", "")
    return shape in SHEETS and section.get("solid", "no") != "inside"


def read_config(path):
    """The Scene of a config.ini."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.read(path, encoding="utf-8")
    corners = np.array([_numbers(parser["domain"][key]) for key in ("lower", "upper")])
    # A wall without a shape consists of parts, whose sections follow it.
    walls = [name for name in parser.sections() if name.startswith("wall.") and name.count(".") == 1]
    rows = [row for row, name in enumerate(walls) if parser[name].get("shape", "") != "plane"]
    sheets = [row for row in rows if is_sheet(parser[walls[row]])]
    weight = np.array(_numbers(parser.get("scene", "gravity", fallback="0 0 -1")))
    up = _unit(-weight) if weight.any() else np.array([0.0, 0.0, 1.0])
    appearing = {row: float(parser[name].get("appears_at", "0").split()[0]) for row, name in enumerate(walls)}
    removed = {
        row: float(parser[name]["removed_at"].split()[0])
        for row, name in enumerate(walls)
        if parser[name].get("removed_at", "never").split()[0] not in ("never", "inf")
    }
    moved_walls = {wall for name in parser.sections() if name.startswith("link.") for wall in parser[name].get("walls", "").split()}
    for name in parser.sections():
        if name.startswith("motion.") and is_moving(parser[name]):
            moved_walls.update(parser[name].get("wall", "").split())
    names = {row: walls[row].removeprefix("wall.") for row in rows}
    moving = [names[row] for row in rows if names[row] in moved_walls or is_moving(parser[walls[row]])]
    has_shapes = any(name.startswith("shape.") for name in parser.sections())
    return Scene(corners, [row for row in rows if row not in sheets], sheets, up, appearing, removed, moving, has_shapes)


def is_moving(wall):
    """Whether the wall or motion of a section of config.ini moves, driven or by forces."""
    motion_keys = ("velocity", "amplitude", "angular_velocity")
    return "motion" in wall or wall.get("free", "no") != "no" or any(any(_numbers(wall.get(key, "0"))) for key in motion_keys)


def at_time(scene, time):
    """The scene with the walls that are there at a time [s]."""
    present = [
        [row for row in rows if scene.appearing[row] <= time < scene.removed.get(row, math.inf)] for rows in (scene.solids, scene.sheets)
    ]
    return dataclasses.replace(scene, solids=present[0], sheets=present[1])


def show_grains(snapshots, directory, time, view, opacity, has_shapes):
    """Shows the spheres, members of clumps and polyhedra that export.py wrote, else all bodies as bounding spheres."""
    members, solids = (open_export(directory / name, time) for name in (MEMBERS, SOLIDS))
    if members is None and solids is None:
        if has_shapes:
            print(f"bodies are drawn as their bounding spheres; {EXPORT_COMMAND.format(directory)} writes their shapes")
        members = snapshots
    if members is not None:
        show_spheres(members, view, opacity)
    if solids is not None:
        show_solids(solids, view, opacity, with_bar=members is None)


def show_spheres(snapshots, view, opacity):
    """Shows every particle as a shaded sphere of its radius, by point Gaussians, which need no triangles."""
    representation = simple.Show(snapshots, view)
    representation.SetRepresentationType("Point Gaussian")
    representation.ShaderPreset = "Sphere"
    representation.GaussianRadius = 1.0  # factor of the radius array
    representation.ScaleByArray = 1
    representation.SetScaleArray = ["POINTS", "radius"]
    representation.UseScaleFunction = 0
    representation.Opacity = opacity
    simple.ColorBy(representation, ("POINTS", "velocity", "Magnitude"))
    top = scale_top(snapshots, "PointData", "velocity")
    colour_by(representation, view, "velocity", top, "speed [m/s]", with_bar=opacity == 1.0)


def show_solids(solids, view, opacity, with_bar):
    """Shows the faces of polyhedra, each face in one shade."""
    representation = simple.Show(solids, view)
    representation.SetRepresentationType("Surface")
    representation.Interpolation = "Flat"
    representation.Opacity = opacity
    simple.ColorBy(representation, ("CELLS", "velocity", "Magnitude"))
    top = scale_top(solids, "CellData", "velocity")
    colour_by(representation, view, "velocity", top, "speed [m/s]", with_bar=with_bar and opacity == 1.0)


def scale_top(source, kind, array):
    """Upper end of the colour scale of an array: its SCALE_QUANTILE.  kind: PointData or CellData"""
    from vtkmodules.numpy_interface import dataset_adapter  # in the Python of ParaView

    values = getattr(dataset_adapter.WrapDataObject(simple.servermanager.Fetch(source)), kind)[array]
    values = np.concatenate([np.asarray(part) for part in getattr(values, "Arrays", [values])])
    return norm_quantile(values, SCALE_QUANTILE[array])


def norm_quantile(values, level):
    """The quantile at this level of values [N], or of the norms of vectors [N, 3]; 1 if it is zero or N = 0."""
    if not len(values):
        return 1.0
    return float(np.quantile(np.linalg.norm(values.reshape(len(values), -1), axis=1), level)) or 1.0


def colour_by(representation, view, array, top, title, preset="Viridis (matplotlib)", with_bar=True):
    """Sets the colours of values from zero to `top`, and the colour bar."""
    colours = simple.GetColorTransferFunction(array)
    colours.ApplyPreset(preset, True)
    colours.RescaleTransferFunction(0.0, top)
    representation.SetScalarBarVisibility(view, with_bar)
    bar = simple.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = title, ""
    bar.RangeLabelFormat = "%.2g"
    bar.TitleColor = bar.LabelColor = BLACK


def wall_surface(walls, row):
    """The triangles of the wall with this row."""
    triangles = simple.Threshold(registrationName=f"wall {row}", Input=walls)
    triangles.Scalars = ["CELLS", "wall"]
    triangles.LowerThreshold = triangles.UpperThreshold = row
    return simple.ExtractSurface(Input=triangles)


def show_walls(walls, rows, corners, view, is_solid):
    """Shows walls, clipped at the faces of the domain: solids are closed there, sheets stay open."""
    for row in rows:
        source = wall_surface(walls, row)
        for axis, (corner, sign) in itertools.product(range(3), zip(corners, (1.0, -1.0))):
            if is_solid:
                source = simple.ClipClosedSurface(Input=source)
                plane = source.ClippingPlane
            else:
                source = simple.Clip(Input=source, ClipType="Plane", Invert=0)
                plane = source.ClipType
            plane.Origin, plane.Normal = corner.tolist(), (sign * np.eye(3)[axis]).tolist()
        representation = simple.Show(source, view)
        representation.ColorArrayName = ["POINTS", ""]
        representation.DiffuseColor = representation.AmbientColor = STONE
        representation.Opacity = 1.0 if is_solid else THIN


def show_contacts(path, time, view, radius):
    """Shows tubes between centres; width and darkness grow with the normal force.  radius: smallest sphere radius [m]"""
    contacts = simple.PVDReader(registrationName="contacts", FileName=str(path))
    contacts.UpdatePipeline(time)
    if not contacts.CellData["normal_force"]:
        return  # nothing touches yet
    top = scale_top(contacts, "CellData", "normal_force")
    width = f"{radius} * max({THINNEST}, {WIDEST} * min(1, normal_force / {top}))"
    wide = simple.Calculator(Input=contacts, AttributeType="Cell Data", ResultArrayName="width", Function=width)
    # Each line has two points that no other line shares, so they can have the values of the line.
    ends = simple.CellDatatoPointData(Input=wide, ProcessAllArrays=1)
    tubes = simple.Tube(registrationName="forces", Input=ends)
    tubes.Scalars, tubes.VaryRadius = ["POINTS", "width"], "By Absolute Scalar"
    representation = simple.Show(tubes, view)
    simple.ColorBy(representation, ("POINTS", "normal_force"))
    colour_by(representation, view, "normal_force", top, "normal force [N]", "Inferno (matplotlib)")
    simple.GetColorTransferFunction("normal_force").InvertTransferFunction()


def show_frame(corners, view):
    lower, upper = corners
    frame = simple.Box(registrationName="domain")
    frame.XLength, frame.YLength, frame.ZLength = (upper - lower).tolist()
    frame.Center = (0.5 * (lower + upper)).tolist()
    representation = simple.Show(frame, view)
    representation.SetRepresentationType("Wireframe")
    representation.ColorArrayName = ["POINTS", ""]
    representation.AmbientColor = representation.DiffuseColor = BLACK


def camera_direction(up):
    """Direction from the scene to the camera, which is in front of the scene, to its side and above it, for any `up`."""
    axis = int(np.argmax(np.abs(up)))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    if up[axis] < 0.0:
        first, second = second, first
    return VIEW_FROM[2] * np.asarray(up) + VIEW_FROM[0] * np.eye(3)[first] + VIEW_FROM[1] * np.eye(3)[second]


def view_angle(corners, camera, centre, up, aspect):
    """Vertical view angle [degrees] at which a camera sees the whole box between two corners.

    camera: position of the camera [m];  centre: point at which it looks [m];  aspect: width over height of the picture
    """
    towards = _unit(np.subtract(centre, camera))
    right = _unit(np.cross(towards, up))
    offsets = np.array([*itertools.product(*np.transpose(corners))]) - camera  # from the camera to the corners of the box
    width, height = np.abs(offsets @ right), np.abs(offsets @ np.cross(right, towards))
    max_tangent = np.max(np.maximum(height, width / aspect) / (offsets @ towards))
    return math.degrees(2.0 * math.atan(max_tangent / FILLED))


def _unit(vector):
    return vector / np.linalg.norm(vector)


def place_camera(scene, view):
    """Places the camera so far away that perspective is weak, and the domain's frame fills the picture."""
    lower, upper = scene.corners
    centre = 0.5 * (lower + upper)
    camera = centre + DISTANCE * np.linalg.norm(upper - lower) * _unit(camera_direction(scene.up))
    view.CameraFocalPoint, view.CameraPosition = centre.tolist(), camera.tolist()
    view.CameraViewUp = scene.up.tolist()
    width, height = view.ViewSize
    view.CameraViewAngle = view_angle(scene.corners, camera, centre, scene.up, width / height)


def open_export(path, time):
    """A file of export.py; None if it does not exist."""
    if not path.is_file():
        return None
    reader = simple.PVDReader(registrationName=path.stem.removeprefix("paraview_"), FileName=str(path))
    reader.UpdatePipeline(time)
    return reader


def show_time(snapshots, requested):
    """Shows the snapshot nearest to the requested time [s], or the last one for None; returns its time."""
    times = list(snapshots.TimestepValues)
    time = times[-1] if requested is None else min(times, key=lambda snapshot_time: abs(snapshot_time - requested))
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.AnimationTime = time
    return time


def open_walls(directory, time):
    """The walls in each snapshot if export.py wrote them, else the walls at time zero."""
    return open_export(directory / MOVED_WALLS, time) or simple.LegacyVTKReader(registrationName="walls", FileNames=[str(directory / "walls.vtk")])


def main():
    options = parse_arguments()
    directory = pathlib.Path(options.output)
    scene = read_config(directory / "config.ini")
    snapshots = simple.XDMFReader(
        registrationName="snapshots", FileNames=[str(directory / "snapshots.xdmf")]
    )
    snapshots.UpdatePipelineInformation()
    view = simple.GetActiveViewOrCreate("RenderView")
    view.UseColorPaletteForBackground = 0
    view.Background = WHITE
    view.ViewSize = [options.width, options.width * 9 // 16]
    view.OrientationAxesLabelColor = BLACK
    time = show_time(snapshots, options.time)
    view.ViewTime = time
    snapshots.UpdatePipeline(time)
    walls = open_walls(directory, time)
    if not (directory / MOVED_WALLS).is_file():
        if scene.moving and time > 0.0:
            print(f"walls are drawn where they were at time zero, but {', '.join(scene.moving)} may have moved; "
                  f"{EXPORT_COMMAND.format(directory)} writes their positions")
        scene = at_time(scene, time)
    show_grains(snapshots, directory, time, view, FAINT if options.contacts else 1.0, scene.has_shapes)
    show_walls(walls, scene.solids, scene.corners, view, is_solid=True)
    show_walls(walls, scene.sheets, scene.corners, view, is_solid=False)
    if options.contacts:
        show_contacts(directory / CONTACTS, time, view, snapshots.PointData["radius"].GetRange()[0])
    show_frame(scene.corners, view)
    place_camera(scene, view)
    simple.Render(view)
    if options.picture:
        simple.SaveScreenshot(options.picture, view, ImageResolution=view.ViewSize)
        points = snapshots.GetDataInformation().GetNumberOfPoints()
        print(f"{options.picture}: {points} particles at t = {time:g} s")


if __name__ == "__main__":
    main()
