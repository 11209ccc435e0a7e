"""LAMMPS text dump for OVITO, VMD and ASE: all frames in PREFIX.dump, units si.

`type` is the row of the material, counted from 1. The box bounds are those of the domain. In a scene with clumps the
atoms are the members, `mol` is the id of the body, and the mass of the body is divided equally among its members.
"""

import numpy as np

import scree.whole_file
from scree.export import columns

FIELDS = "type radius mass x y z vx vy vz omegax omegay omegaz"


def write(frames, prefix):
    path = f"{prefix}.dump"
    with scree.whole_file.opened(path) as file:
        file.write("ITEM: UNITS\nsi\n")
        for frame in frames:
            spheres = columns.spheres(frame)
            bounds = " ".join("pp" if periodic else "ff" for periodic in frame.periodic)
            file.write(f"ITEM: TIME\n{frame.time:.17g}\nITEM: TIMESTEP\n{frame.step}\n"
                       f"ITEM: NUMBER OF ATOMS\n{len(spheres)}\nITEM: BOX BOUNDS {bounds}\n")
            file.write(columns.rows(np.stack([frame.lower, frame.upper], axis=1)))
            names, bodies = ("id mol", [spheres.body]) if frame.shapes else ("id", [])
            file.write(f"ITEM: ATOMS {names} {FIELDS}\n")
            file.write(columns.rows(spheres.id, *bodies, frame["material"][spheres.row] + 1, spheres.radius, spheres.mass, spheres.position,
                                    spheres.velocity, frame["angular_velocity"][spheres.row]))
    return [path]
