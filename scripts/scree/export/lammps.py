"""LAMMPS text dump, which OVITO, VMD and ASE read: all frames in PREFIX.dump, units si.

`type` is the row of the material, from 1. The box bounds of the dump are the domain.
"""

import numpy as np

from scree.export import columns

HEADER = "ITEM: ATOMS id type radius mass x y z vx vy vz omegax omegay omegaz"


def write(frames, prefix):
    path = f"{prefix}.dump"
    with open(path, "w", encoding="utf-8") as file:
        file.write("ITEM: UNITS\nsi\n")
        for frame in frames:
            bounds = " ".join("pp" if periodic else "ff" for periodic in frame.periodic)
            file.write(f"ITEM: TIME\n{frame.time:.17g}\nITEM: TIMESTEP\n{frame.step}\n"
                       f"ITEM: NUMBER OF ATOMS\n{len(frame)}\nITEM: BOX BOUNDS {bounds}\n")
            file.write(columns.rows(np.stack([frame.lower, frame.upper], axis=1)))
            file.write(HEADER + "\n")
            file.write(columns.rows(frame["id"], frame["material"] + 1, frame["radius"], frame.masses,
                                    frame["position"], frame["velocity"], frame["angular_velocity"]))
    return [path]
