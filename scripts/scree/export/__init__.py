"""Formats into which scripts/export.py writes runs, by their names: functions of frames and prefix that return the paths
of what they wrote.
"""

from scree.export import h5md, lammps, table, vtk, xyz

FORMATS = {
    "lammps": lammps.write, "xyz": xyz.write, "vtk": vtk.write, "surroundings": vtk.write_surroundings,
    "h5md": h5md.write, "csv": table.write,
}  # fmt: skip
