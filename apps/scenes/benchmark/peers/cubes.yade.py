"""Yade's polyhedra and Scree continue from the same frame of cubes between planes, in turns.

taskset -c 1 yade -n -x cubes.yade.py SNAPSHOT --output DIR [option ...]

Yade's step is a twentieth of the contact time of two faces that meet. Prints for each round the processor time per
simulated second, and overlaps in % of the side: those of Yade's sharp cubes after its steps, by separating axes, and the
largest of all steps of Scree's rounded cubes.
"""

import argparse
import math
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[0]).resolve().parent))
import compare

import numpy as np
import scree.snapshot
import scree.table
from yade import polyhedra_utils

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("snapshot", type=pathlib.Path)
parser.add_argument("--output", type=pathlib.Path, required=True)
parser.add_argument("--stiffness", type=float, default=5e10, help="force over the volume of an overlap [N/m3]")
parser.add_argument("--friction", type=float, default=0.4)
parser.add_argument("--steps", type=int, default=20, help="steps of Yade in a round")
parser.add_argument("--step", default="100 us", help="time step of Scree")
parser.add_argument("--time", type=float, default=0.01, help="simulated time of Scree in a round [s]")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--program", default=str(compare.ROOT / "build/release/bin/scree-run"))
args = parser.parse_args(sys.argv[1:])
args.output.mkdir(parents=True, exist_ok=True)
frame = scree.snapshot.read_snapshot(args.snapshot)
rotations = [scree.snapshot.rotation(*q) for q in frame["orientation"]]
side = 2.0 * frame["radius"][0] * abs(np.concatenate(frame.shapes[0].sharp_faces())).max()
CORNERS = 0.5 * side * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])

# For two bodies of one Young's modulus, Yade uses half of it as stiffness.
stone = O.materials.append(PolyhedraMat(young=2.0 * args.stiffness, poisson=0.3, density=frame.masses[0] / side**3,
                                        frictionAngle=math.atan(args.friction)))  # fmt: skip
body_rotations = []  # rotations from the axes of a body in Scree to those in Yade
for k, rotation in enumerate(rotations):
    body = polyhedra_utils.polyhedra(O.materials[stone], v=[Vector3(*corner) for corner in CORNERS @ rotation.T])
    body.state.pos = Vector3(*frame["position"][k])
    body.state.vel, body.state.angVel = Vector3(*frame["velocity"][k]), Vector3(*frame["angular_velocity"][k])
    body.state.angMom = body.state.inertia[0] * body.state.angVel  # the inertia of a cube is the same about all axes
    body_rotations.append(np.array(body.state.ori.toRotationMatrix()).T @ rotation)
    O.bodies.append(body)
count = len(O.bodies)
for axis in range(3):
    for sense, position in ((1, frame.lower), (-1, frame.upper))[: 2 if axis < 2 else 1]:
        O.bodies.append(utils.wall(float(position[axis]), axis=axis, sense=sense, material=O.materials[stone]))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Polyhedra_Aabb(), Bo1_Wall_Aabb()], verletDist=0.02 * side),
    InteractionLoop([Ig2_Wall_Polyhedra_PolyhedraGeom(), Ig2_Polyhedra_Polyhedra_PolyhedraGeom()],
                    [Ip2_PolyhedraMat_PolyhedraMat_PolyhedraPhys()], [Law2_PolyhedraGeom_PolyhedraPhys_Volumetric()]),
    NewtonIntegrator(damping=0.3, gravity=[0, 0, -9.81]),
]  # fmt: skip
O.dt = math.pi * math.sqrt(frame.masses[0] / 2.0 / (args.stiffness * side**2)) / 20.0


def processor_seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def overlap(pair):
    """Depth of an Interaction [m]."""
    wall = pair.id2 if pair.id2 >= count else pair.id1
    grains = [k for k in (pair.id1, pair.id2) if k < count]
    axes = [(np.array(O.bodies[k].state.ori.toRotationMatrix()) @ body_rotations[k]).T for k in grains]
    places = [np.array(O.bodies[k].state.pos) for k in grains]
    if wall >= count:
        plane = O.bodies[wall]
        axis = plane.shape.axis
        offset, normals = places[0] - np.array(plane.state.pos), np.eye(3)[axis][None]
    else:
        offset = places[0] - places[1]
        normals = np.concatenate([*axes, np.cross(axes[0][:, None], axes[1][None]).reshape(-1, 3)])
        size = np.linalg.norm(normals, axis=1)
        normals = normals[size > 1e-6] / size[size > 1e-6, None]
    half_extents = 0.5 * side * sum(abs(normals @ cube_axes.T).sum(axis=1) for cube_axes in axes)
    return (half_extents - abs(normals @ offset)).min()


def run_scree(number):
    command, *_ = compare.scree_command(args, frame, None, args.step, args.time, args.output / f"scree_{number}")
    before = processor_seconds(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    columns = scree.table.read(args.output / f"scree_{number}" / "series.csv", ("max_penetration_interval",))
    return ((processor_seconds(resource.RUSAGE_CHILDREN) - before) / args.time,
            100.0 * max(columns["max_penetration_interval"]) / side)  # fmt: skip


def run_yade():
    before = processor_seconds(resource.RUSAGE_SELF)
    O.run(args.steps, True)
    seconds = (processor_seconds(resource.RUSAGE_SELF) - before) / args.steps / O.dt
    overlaps = 100.0 / side * np.array([overlap(pair) for pair in O.interactions
                                        if pair.isReal and pair.geom.penetrationVolume > 0])  # fmt: skip
    return seconds, len(overlaps), overlaps.mean(), overlaps.max()


print(f"{count} cubes of {1e3 * side:.3g} mm; Yade {args.stiffness:g} N/m3, step {1e6 * O.dt:.3g} us")
for number in range(args.rounds):
    scree_seconds, scree_overlap = run_scree(number)
    yade_seconds, contacts, mean, largest = run_yade()
    print(f"Scree {scree_seconds:.4g} s/s, overlap {scree_overlap:.2g} %; Yade {yade_seconds:.4g} s/s, "
          f"{1e3 * yade_seconds * O.dt:.4g} ms a step, {contacts} overlaps of {mean:.2g}, {largest:.2g} %; "
          f"ratio {yade_seconds / scree_seconds:.4g}", flush=True)  # fmt: skip
