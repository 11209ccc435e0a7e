"""Extended XYZ for OVITO and ASE: all frames in PREFIX.xyz, lengths in m, times in s.

All atoms have the species X; the column `material` has the name of the material. `Origin` is the lower corner of the
domain. In a scene with clumps the atoms are the members, `body` is the id of the body, and the mass of the body is
divided equally among its members.
"""

import numpy as np

import scree.whole_file
from scree.export import columns

PROPERTIES = "species:S:1:pos:R:3:velo:R:3:angular_velocity:R:3:orientation:R:4:radius:R:1:mass:R:1:id:I:1"


def write(frames, prefix):
    path = f"{prefix}.xyz"
    with scree.whole_file.opened(path) as file:
        for frame in frames:
            spheres = columns.spheres(frame)
            lattice = " ".join(columns.NUMBER_FORMAT % value for value in np.diag(frame.upper - frame.lower).ravel())
            origin = " ".join(columns.NUMBER_FORMAT % value for value in frame.lower)
            pbc = " ".join("FT"[int(periodic)] for periodic in frame.periodic)
            body_property, bodies = (":body:I:1", [spheres.body]) if frame.shapes else ("", [])
            file.write(f'{len(spheres)}\nLattice="{lattice}" Origin="{origin}" pbc="{pbc}" '
                       f'Properties={PROPERTIES}{body_property}:material:S:1 '
                       f'Time={frame.time:.17g} Step={frame.step} units="m s kg"\n')
            text = columns.rows(spheres.position, spheres.velocity, frame["angular_velocity"][spheres.row],
                                frame["orientation"][spheres.row], spheres.radius, spheres.mass, spheres.id, *bodies)
            names = [name.replace(" ", "_") for name in frame.materials]
            materials = frame["material"][spheres.row]
            file.writelines(f"X {line} {names[row]}\n" for line, row in zip(text.splitlines(), materials))
    return [path]
