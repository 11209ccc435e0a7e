"""The formats by their names."""

from _export import h5md, lammps, table, vtk, xyz

FORMATS = {"lammps": lammps, "xyz": xyz, "vtk": vtk, "h5md": h5md, "csv": table}
