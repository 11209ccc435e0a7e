#!/usr/bin/env python3
"""Writes the meshes of scenes: wheel.stl, mill.stl, v_blender.stl and screen.stl, in millimetres, into the folder of this file.

    apps/scenes/meshes.py [FOLDER]

To change the machine of a scene, edit MESHES and run the script again.
"""

import pathlib
import sys

import numpy as np


def toothed_circle(radius, height, teeth, widths, steps):
    """A profile [P, 2], counter-clockwise: a circle with teeth of the widths at root and tip; inwards if height < 0.

    It must be star-shaped about the origin: teeth that point inwards must be narrower at the tip.
    """
    points = []
    for tooth in range(teeth):
        middle, pitch = 2.0 * np.pi * tooth / teeth, 2.0 * np.pi / teeth
        ends = [np.arcsin(0.5 * width / r) for width, r in zip(widths, (radius, radius + height))]
        points += [(radius, middle - ends[0]), (radius + height, middle - ends[1]),
                   (radius + height, middle + ends[1]), (radius, middle + ends[0])]  # fmt: skip
        points += [(radius, middle + angle) for angle in np.linspace(ends[0], pitch - ends[0], steps + 1)[1:-1]]
    return np.array([(r * np.cos(angle), r * np.sin(angle)) for r, angle in points])


def prism(profile, length):
    """Triangles [T, 3, 3] of a star-shaped profile in the x-z plane, extruded along y about the origin; they face outwards."""
    near, far = (np.stack([profile[:, 0], np.full(len(profile), y), profile[:, 1]], axis=1) for y in (-0.5 * length, 0.5 * length))
    return np.concatenate([fan([0.0, -0.5 * length, 0.0], near), fan([0.0, 0.5 * length, 0.0], far)[:, ::-1], band(near, far)])


def v_blender(radius, length, half_angle, steps):
    """Two tubes whose axes meet in the origin, at half_angle from z [rad], closed by disks; the triangles face inwards."""
    angle = 2.0 * np.pi * np.arange(steps) / steps
    along, across = np.array([np.sin(half_angle), 0.0, np.cos(half_angle)]), np.array([np.cos(half_angle), 0.0, -np.sin(half_angle)])
    ring = radius * (np.cos(angle)[:, None] * [0.0, 1.0, 0.0] + np.sin(angle)[:, None] * across)
    seam = ring - (ring[:, :1] / along[0]) * along  # where the tube ends in the plane x = 0
    end = ring + length * along
    right_half = np.concatenate([band(end, seam), fan(length * along, end)])
    return np.concatenate([right_half, (right_half * [-1.0, 1.0, 1.0])[:, ::-1]])


def bars(length, dip, pitch, count, radius, steps):
    """Parallel round bars that go down along x at the angle dip [rad]; the middle of their upper ends is the origin."""
    angle = 2.0 * np.pi * np.arange(steps) / steps
    bar = prism(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), length)
    along, normal = np.array([np.cos(dip), 0.0, -np.sin(dip)]), np.array([np.sin(dip), 0.0, np.cos(dip)])
    bar = bar @ np.array([[0.0, -1.0, 0.0], along, normal]) + 0.5 * length * along
    return np.concatenate([bar + [0.0, pitch * (k - 0.5 * (count - 1)), 0.0] for k in range(count)])


def fan(middle, ring):
    """Triangles between a point and a closed line [P, 3]."""
    return np.stack([np.broadcast_to(middle, ring.shape), ring, np.roll(ring, -1, axis=0)], axis=1)


def band(first, second):
    """Triangles between two closed lines of the same number of points [P, 3]."""
    third, fourth = np.roll(second, -1, axis=0), np.roll(first, -1, axis=0)
    return np.concatenate([np.stack([first, second, third], axis=1), np.stack([first, third, fourth], axis=1)])


def volume(triangles):
    """Volume of a closed surface; negative if the triangles face inwards."""
    return float(np.linalg.det(triangles).sum() / 6.0)


def write_stl(path, triangles):
    """Writes triangles [T, 3, 3] as a binary STL."""
    facets = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    facets["normal"] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    facets["corners"] = triangles
    path.write_bytes(b"scree scene".ljust(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())


MESHES = {
    # A rim of radius 25 mm with twelve grousers of 5 mm.
    "wheel": prism(toothed_circle(25.0, 5.0, 12, (2.0, 2.0), 3), 24.0),
    # The inside of a mill of radius 50 mm with eight lifters of 5 mm.
    "mill": prism(toothed_circle(50.0, -5.0, 8, (8.0, 4.0), 6), 24.0)[:, ::-1],
    "v_blender": v_blender(25.0, 70.0, np.radians(40.0), 32),
    # Seven bars of diameter 2 mm with gaps of 4.5 mm.
    "screen": bars(112.0, np.radians(10.0), 6.5, 7, 1.0, 12),
}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for name, triangles in MESHES.items():
        write_stl(folder / f"{name}.stl", triangles)
        print(f"{folder / name}.stl: {len(triangles)} triangles, volume {volume(triangles) / 1e3:.4g} cm^3")
