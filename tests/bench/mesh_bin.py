#!/usr/bin/env python3
"""Writes two scenes that differ only in the mantle of a bin: a mesh of 1e5 triangles, or a pipe.

usage: mesh_bin.py DIR

53 000 spheres fall into the bin and come to rest. The times of further steps of both scenes show the cost of the mesh:

    scree-run DIR/mesh.ini
    LAST=DIR/mesh/snapshots/step_000000008000.h5
    scree-bench --scene DIR/mesh.ini --initial.file $LAST --steps 200 --repeat 5
    scree-bench --scene DIR/pipe.ini --initial.file $LAST --steps 200 --repeat 5
"""

import math
import pathlib
import struct
import sys

RADIUS, HEIGHT = 35.0, 200.0  # of the mantle [mm]
SIDES, RINGS = 250, 200  # 2 x SIDES x RINGS triangles

SCENE = """\
[scene]
gravity = 0 0 -9.81 m/s^2
[domain]
lower = -36 -36 -1 mm
upper = 36 36 200 mm
[time]
step = 50 us
end  = 0.4 s
[contact]
friction = 0.5
[material.grain]
density = 2.65 g/cm^3
[wall.floor]
shape  = plane
point  = 0 0 0
normal = 0 0 1
[wall.mantle]
{mantle}
[fill]
lower   = -24.6 -24.6 1 mm
upper   = 24.6 24.6 192 mm
spacing = 2.05 mm
radius  = 1 mm
jitter  = 5 5 5 cm/s
[output]
directory = {directory}/{name}
every     = 0.4 s
log_every = 10 ms
"""
MESH = "shape = mesh\nfile  = mantle.stl\nunit  = 1 mm\nsolid = no"
PIPE = f"shape = pipe\nfrom = 0 0 -10 mm\nto = 0 0 {HEIGHT:g} mm\nradius = {RADIUS:g} mm"


def triangles():
    """Yields the triangles of the mantle as three points each [mm]. They face the axis."""
    circle = [
        (RADIUS * math.cos(2 * math.pi * k / SIDES), RADIUS * math.sin(2 * math.pi * k / SIDES))
        for k in range(SIDES)
    ]
    levels = [-1 + (HEIGHT + 1) * k / RINGS for k in range(RINGS + 1)]
    for low, high in zip(levels, levels[1:]):
        for corner, next_corner in zip(circle, circle[1:] + circle[:1]):
            yield (*corner, low), (*corner, high), (*next_corner, low)
            yield (*next_corner, low), (*corner, high), (*next_corner, high)


def stl(facets):
    """Returns binary STL without normals; programs that read it compute them from the corners."""
    facets = list(facets)
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *first, *second, *third, 0) for first, second, third in facets)
    return b"mantle".ljust(80, b" ") + struct.pack("<I", len(facets)) + body


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mantle.stl").write_bytes(stl(triangles()))
    for name, mantle in (("mesh", MESH), ("pipe", PIPE)):
        (folder / f"{name}.ini").write_text(SCENE.format(mantle=mantle, directory=folder, name=name))


if __name__ == "__main__":
    main()
