"""Continues in Yade from a frame that scripts/export.py --format lammps-data wrote: spheres, pipes, cones; Hertz, Mindlin.

yade -n -x flow.yade.py START YOUNG FRICTION RESTITUTION WALL_FRICTION WALL_RESTITUTION DT STEPS EVERY OUT
"""

import math
import sys

start, *numbers, out = sys.argv[1:]
young, mu, e, mu_wall, e_wall, dt = map(float, numbers[:6])
steps, every = map(int, numbers[6:])

lines = open(f"{start}.data").read().split("\n")
atoms, velocities = lines.index("Atoms # sphere") + 2, lines.index("Velocities") + 2
count = velocities - 3 - atoms
density = float(lines[atoms].split()[3])
wall = O.materials.append(FrictMat(young=young, poisson=0.2, density=density, label="wall"))
grain = O.materials.append(FrictMat(young=young, poisson=0.2, density=density, label="grain"))
for line in open(f"{start}.walls"):
    words = line.split()
    if words[0] == "region":
        kind, axis = words[2:4]
        assert kind in ("cylinder", "cone") and axis == "z", line
        radii, (low, high) = ([float(words[6])] * 2, words[7:9]) if kind == "cylinder" else (
            [float(word) for word in words[6:8]], words[8:10])  # fmt: skip
        low, high = float(low), float(high)
        O.bodies.append(geom.facetCone((0, 0, (low + high) / 2), radii[1], radii[0], high - low, segmentsNumber=48,
                                       wallMask=4, material="wall"))  # fmt: skip
speeds = {line.split()[0]: [float(word) for word in line.split()[1:]]
          for line in lines[velocities : velocities + count]}  # fmt: skip
for line in lines[atoms : atoms + count]:
    name, _, diameter, _, *place = line.split()
    body = sphere([float(word) for word in place], float(diameter) / 2, material="grain")
    body.state.vel, body.state.angVel = Vector3(speeds[name][:3]), Vector3(speeds[name][3:])
    O.bodies.append(body)

pairs = [MatchMaker(matches=((grain, grain, own), (wall, grain, other)))
         for own, other in ((math.atan(mu), math.atan(mu_wall)), (e, e_wall))]  # fmt: skip
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()], verletDist=-0.1),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom(hertzian=True)],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(frictAngle=pairs[0], en=pairs[1])],
                    [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0, gravity=[0, 0, -9.81]),
]  # fmt: skip
O.dt = dt
with open(out, "w") as file:
    for frame in range(steps // every + 1):
        if frame:
            O.run(every, True)
        grains_above_zero = [body for body in O.bodies if isinstance(body.shape, Sphere) and body.state.pos[2] > 0]
        file.write(f"ITEM: TIMESTEP\n{frame * every}\nITEM: NUMBER OF ATOMS\n{len(grains_above_zero)}\n"
                   "ITEM: ATOMS id type radius x y z\n")  # fmt: skip
        for body in grains_above_zero:
            file.write("%d 1 %.17g %.17g %.17g %.17g\n" % (body.id, body.shape.radius, *body.state.pos))
