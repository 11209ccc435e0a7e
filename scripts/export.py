#!/usr/bin/env python3
"""Writes a run in the formats of other programs; all values in SI units unless stated otherwise.

Reads the output directory of a run, or snapshots (*.h5) of different steps and times. Frames are written in the order of
their times.

lammps  PREFIX.dump: text dump, units si, for OVITO, VMD, ASE
lammps-data  for each frame PREFIX_STEP.data with the spheres, for `read_data` of LAMMPS, and PREFIX_STEP.walls with
        regions and `fix wall/gran/region`, for `include`; a wall without an equivalent region is an error
xyz     PREFIX.xyz: extended XYZ, for OVITO, ASE
vtk     PREFIX_grains.pvd, PREFIX_walls.pvd, PREFIX_contacts.pvd with a VTP file for each frame, for ParaView, VTK;
        PREFIX_members.pvd too if there are clumps, PREFIX_solids.pvd with the faces of polyhedra
surroundings  only the walls, members, solids and contacts of vtk; snapshots.xdmf of a run has the particles
gltf    PREFIX.glb: glTF 2.0 for Blender, browsers and viewers of 3D models: bodies true to shape, and walls, of which
        sheets and planes are transparent. Several frames make an animation. Up to 50 000 bodies
h5md    PREFIX.h5md for MDAnalysis: only the particles that are in all frames; lengths in nm
gns     PREFIX_gns/train.npz and metadata.json: training data for graph network simulators (GNS), a trajectory of the
        particles that are in all frames
csv     PREFIX.csv, and PREFIX_contacts.csv of a run that recorded its contacts
initial PREFIX_initial.csv: the spheres of the last frame, as `initial.file` of a scene reads them

lammps and xyz contain the members of clumps, each with the id of its body; the other formats contain the bodies with
their bounding radius. Polyhedra are spheres of their bounding radius in all formats except vtk and gltf; xyz, h5md and
csv contain their orientations.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.snapshot
from scree.export import FORMATS


def main():
    parser = _command_line.parser(__doc__)
    _command_line.add_snapshots(parser, "beginning of the run")
    parser.add_argument("--format", nargs="+", required=True, choices=FORMATS, help="one or several formats")
    arguments = parser.parse_args()
    paths, prefix = _command_line.snapshots(arguments, "export", with_first_half=True, over_time=True)
    for name in dict.fromkeys(arguments.format):
        frames = _command_line.progress(scree.snapshot.read_frames(paths), len(paths), f"{name}: frame")
        print(*FORMATS[name](frames, prefix), sep="\n")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
