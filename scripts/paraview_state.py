"""Shows a run in ParaView: spheres at true scale, coloured by speed, with the solid obstacles.

In ParaView's window, all steps:

    SCREE_OUTPUT=OUTPUT_DIRECTORY paraview --script=scripts/paraview_state.py

A picture without a window:

    pvbatch scripts/paraview_state.py OUTPUT_DIRECTORY --picture flow.png [--time SECONDS]

OUTPUT_DIRECTORY is what scree-run wrote; the run may still be going. Planes would hide the flow: the
frame of the domain stands for them. Boxes and cylinders are drawn where walls.vtk has them, at time
zero; for walls that move see `velocity` in config.ini.
"""

import argparse
import configparser
import os
import pathlib

from paraview import simple

FILES = ("snapshots.xdmf", "walls.vtk", "config.ini")
BLACK, WHITE, STONE = [0.0] * 3, [1.0] * 3, [0.55, 0.55, 0.6]
VIEW_FROM = [-0.45, -1.0, 0.9]  # before, beside and above a flow along x


def parse_arguments():
    parser = argparse.ArgumentParser(prog="paraview_state.py", description=__doc__.split("\n")[0])
    # paraview --script passes no arguments on.
    parser.add_argument(
        "output",
        nargs="?",
        default=os.environ.get("SCREE_OUTPUT"),
        help="output directory of scree-run (default: $SCREE_OUTPUT)",
    )
    parser.add_argument("--picture", help="PNG to write")
    parser.add_argument("--time", type=float, help="simulated time [s] (default: the last)")
    parser.add_argument("--width", type=int, default=1600, help="of the picture [pixels]")
    options = parser.parse_args()
    if not options.output:
        parser.error("no output directory is given, nor is SCREE_OUTPUT set")
    for name in FILES:
        if not (pathlib.Path(options.output) / name).is_file():
            parser.error(f"'{options.output}' has no {name}; expected the output of scree-run")
    return options


def read_config(path):
    """Lower and upper corner of the domain [m], and the numbers of the walls that are no planes."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.read(path, encoding="utf-8")
    corners = [
        [float(word) for word in parser["domain"][key].split()[:3]] for key in ("lower", "upper")
    ]
    # A wall without a shape is made of parts, each with a section of its own after it.
    walls = [name for name in parser.sections() if name.startswith("wall.") and name.count(".") == 1]
    solid = [
        number for number, name in enumerate(walls) if parser[name].get("shape", "") != "plane"
    ]
    return corners, solid


def show_spheres(snapshots, view):
    """Every particle as a shaded sphere of its own radius; point Gaussians need no triangles."""
    shown = simple.Show(snapshots, view)
    shown.SetRepresentationType("Point Gaussian")
    shown.ShaderPreset = "Sphere"
    shown.GaussianRadius = 1.0  # times the array
    shown.ScaleByArray = 1
    shown.SetScaleArray = ["POINTS", "radius"]
    shown.UseScaleFunction = 0
    simple.ColorBy(shown, ("POINTS", "velocity", "Magnitude"))
    colours = simple.GetColorTransferFunction("velocity")
    colours.ApplyPreset("Viridis (matplotlib)", True)
    fastest = snapshots.PointData["velocity"].GetRange(-1)[1]  # -1: of the magnitude
    colours.RescaleTransferFunction(0.0, fastest or 1.0)
    shown.SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = "speed [m/s]", ""
    bar.RangeLabelFormat = "%.2g"
    bar.TitleColor = bar.LabelColor = BLACK


def show_obstacles(walls, solid, corners, view):
    """The solids, cut off at the domain's faces, which most of them reach through."""
    for number in solid:
        part = simple.Threshold(registrationName=f"wall {number}", Input=walls)
        part.Scalars = ["CELLS", "wall"]
        part.LowerThreshold = part.UpperThreshold = number
        source = simple.ExtractSurface(Input=part)
        for axis in range(3):
            for corner, sign in zip(corners, (1.0, -1.0)):
                source = simple.ClipClosedSurface(Input=source)
                source.ClippingPlane.Origin = corner
                source.ClippingPlane.Normal = [sign * (k == axis) for k in range(3)]
        shown = simple.Show(source, view)
        shown.ColorArrayName = ["POINTS", ""]
        shown.DiffuseColor = shown.AmbientColor = STONE


def show_frame(corners, view):
    lower, upper = corners
    frame = simple.Box(registrationName="domain")
    frame.XLength, frame.YLength, frame.ZLength = (b - a for a, b in zip(lower, upper))
    frame.Center = [(a + b) / 2 for a, b in zip(lower, upper)]
    shown = simple.Show(frame, view)
    shown.SetRepresentationType("Wireframe")
    shown.ColorArrayName = ["POINTS", ""]
    shown.AmbientColor = shown.DiffuseColor = BLACK


def place_camera(corners, view):
    centre = [(a + b) / 2 for a, b in zip(*corners)]
    view.CameraFocalPoint = centre
    view.CameraPosition = [c + step for c, step in zip(centre, VIEW_FROM)]
    view.CameraViewUp = [0.0, 0.0, 1.0]
    simple.ResetCamera(view)
    camera = simple.GetActiveCamera()
    camera.Zoom(1.3)  # ResetCamera leaves room for a sphere around everything


def show_time(snapshots, wanted):
    times = list(snapshots.TimestepValues)
    time = times[-1] if wanted is None else min(times, key=lambda known: abs(known - wanted))
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.AnimationTime = time
    return time


def main():
    options = parse_arguments()
    directory = pathlib.Path(options.output)
    corners, solid = read_config(directory / "config.ini")
    snapshots = simple.XDMFReader(
        registrationName="snapshots", FileNames=[str(directory / "snapshots.xdmf")]
    )
    snapshots.UpdatePipelineInformation()
    walls = simple.LegacyVTKReader(
        registrationName="walls", FileNames=[str(directory / "walls.vtk")]
    )
    view = simple.GetActiveViewOrCreate("RenderView")
    view.UseColorPaletteForBackground = 0
    view.Background = WHITE
    view.ViewSize = [options.width, options.width * 9 // 16]
    time = show_time(snapshots, options.time)
    view.ViewTime = time
    snapshots.UpdatePipeline(time)
    show_spheres(snapshots, view)
    show_obstacles(walls, solid, corners, view)
    show_frame(corners, view)
    place_camera(corners, view)
    simple.Render(view)
    if options.picture:
        simple.SaveScreenshot(options.picture, view, ImageResolution=view.ViewSize)
        points = snapshots.GetDataInformation().GetNumberOfPoints()
        print(f"{options.picture}: {points} particles at t = {time:g} s")


if __name__ == "__main__":
    main()
