"""The formats of scripts/export.py: name -> function that gets frames and a prefix, writes files and returns their
paths.
"""

from scree.export import gltf, gns, h5md, initial, lammps, lammps_data, table, vtk, xyz

FORMATS = {
    "lammps": lammps.write, "lammps-data": lammps_data.write, "xyz": xyz.write,
    "vtk": vtk.write, "surroundings": vtk.write_surroundings,
    "h5md": h5md.write, "csv": table.write, "initial": initial.write, "gns": gns.write,
    "gltf": gltf.write,
}  # fmt: skip
