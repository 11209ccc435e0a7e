"""Orientational order of bodies: nematic, of one axis n per body, and cubatic, of three axes at right angles.

    S = eigenvalue of Q = <3 n n - 1>/2 with the largest magnitude,   1: all parallel, -1/2: all normal to one line
    C^2 = <P_4(u . v)>/(7/12),  mean over all pairs of axes u, v,     1: all axes along three directions

S is the order parameter of liquid crystals (P.-G. de Gennes, J. Prost, The Physics of Liquid Crystals, 1993, section
2.1). C does not change when a cube is rotated onto itself. Cubatic order follows B. S. John, C. Juhlin, F. A. Escobedo,
J. Chem. Phys. 128, 044909 (2008), who maximise over all directions instead of averaging over pairs. For N bodies
without order both are about N^(-1/2), not 0.
"""

from __future__ import annotations

import numpy as np

from scree.snapshot import Shape, Snapshot

MOMENT_TOLERANCE = 0.02  # largest difference of equal moments of inertia, relative to the largest moment
MAX_COSINE = 1e-3  # largest cosine between faces at right angles
CUBIC_MEAN = 7.0 / 12.0  # <P_4> over all pairs of three axes at right angles, including each axis with itself


def nematic(axes: np.ndarray) -> tuple[float, np.ndarray]:
    """S and its eigenvector, the director [3], of unit vectors [N, 3] of any sign; NaN without vectors."""
    if not len(axes):
        return np.nan, np.full(3, np.nan)
    values, vectors = np.linalg.eigh(1.5 * axes.T @ axes / len(axes) - 0.5 * np.eye(3))
    best = int(np.argmax(np.abs(values)))
    return float(values[best]), vectors[:, best]


def cubatic(turns: np.ndarray) -> float:
    """C of N bodies whose three axes are the columns of [N, 3, 3]; NaN without bodies."""
    if not len(turns):
        return np.nan
    axes = np.moveaxis(turns, 1, 2).reshape(-1, 3)
    squares = (axes[:, :, None] * axes[:, None]).reshape(-1, 9)
    # The squared norms of these tensors are the means of (u . v)^2 and (u . v)^4 over pairs.
    second, fourth = axes.T @ axes / len(axes), squares.T @ squares / len(axes)
    order = (35.0 * np.sum(fourth**2) - 30.0 * np.sum(second**2) + 3.0) / 8.0
    return float(np.sqrt(max(order, 0.0) / CUBIC_MEAN))


def axis_of(shape: Shape) -> np.ndarray | None:
    """The principal axis [3] of a Shape with the moment of inertia that differs most from the other two.

    None if all three moments are equal.
    """
    moments, vectors = np.linalg.eigh(shape.inertia)
    if moments[2] - moments[0] < MOMENT_TOLERANCE * moments[2]:
        return None
    return vectors[:, 0 if moments[1] - moments[0] > moments[2] - moments[1] else 2]


def square_axes(shape: Shape) -> np.ndarray | None:
    """Normals of three faces of a Shape at right angles to each other, the columns of [3, 3].

    None without such faces.
    """
    normals = []
    for loop in shape.sharp_faces() if shape.faces else []:
        if len(loop):
            normal = np.cross(loop, np.roll(loop, -1, axis=0)).sum(axis=0)
            normals.append(normal / np.linalg.norm(normal))
    for first in normals:
        for second in normals:
            third = np.cross(first, second)
            if abs(first @ second) < MAX_COSINE and any(abs(third @ face_normal) > 1.0 - MAX_COSINE for face_normal in normals):
                return np.column_stack([first, second, third])
    return None


def orders(snapshot: Snapshot) -> dict[str, float]:
    """{"nematic NAME": S, "cubatic NAME": C} for each shape with such axes."""
    parameters: dict[str, float] = {}
    for number in np.unique(snapshot.shape_numbers):
        if number == 0:
            continue
        shape = snapshot.shapes[number - 1]
        rotations = snapshot.turns(np.flatnonzero(snapshot.shape_numbers == number))
        axis, square = axis_of(shape), square_axes(shape)
        if axis is not None:
            parameters[f"nematic {shape.name}"] = nematic(rotations @ axis)[0]
        if square is not None:
            parameters[f"cubatic {shape.name}"] = cubatic(rotations @ square)
    return parameters
