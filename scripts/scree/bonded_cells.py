"""Breakable grains: convex bodies cut into Voronoi cells, with bonds across the shared faces.

D.-H. Nguyen, E. Azema, P. Sornay, F. Radjai, "Bonded-cell model for particle fracture", Phys. Rev. E 91, 022203 (2015).
"""

import dataclasses
import itertools

import numpy as np
import scipy.spatial

from scree.errors import UsageError

ROUNDING = 0.03  # default radius of rounded edges [radius of a ball with the mean volume of a cell]
ROUNDS = 3  # default number of smoothing steps, which make cells more even
TOLERANCE = 1e-9  # corners of a cell that are closer than this fraction of its size count as one
MIN_THICKNESS = 2.5  # smallest distance of a cell's faces from its centroid [rounding]; a thinner cell raises an error
GAP = 1e-3  # largest gap of bonded faces [rounding]; above 0, because the text of a scene rounds the corners


@dataclasses.dataclass
class Cell:
    """A cell of a body."""

    corners: np.ndarray  # [K, 3] [m]
    centre: np.ndarray  # centre of mass with rounded edges, [3] [m]
    volume: float  # with rounded edges [m^3]


def ball(diameter, steps=1):
    """Corners of a subdivided icosahedron on a sphere, [K, 3]; each step halves all edges. One face points down."""
    golden = 0.5 + 0.5 * np.sqrt(5.0)
    corners = np.array([np.roll([0.0, a, b * golden], k) for a in (-1, 1) for b in (-1, 1) for k in range(3)])
    for _ in range(steps):
        triangles = corners[scipy.spatial.ConvexHull(corners).simplices]
        middles = np.concatenate([triangles[:, k] + triangles[:, k - 1] for k in range(3)])
        corners = np.concatenate([corners, middles])
        corners /= np.linalg.norm(corners, axis=1, keepdims=True)
        corners = np.unique(np.round(corners, 12), axis=0)
    corners *= 0.5 * diameter / np.linalg.norm(corners, axis=1, keepdims=True)
    down = scipy.spatial.ConvexHull(corners).equations[0, :3]
    across = np.cross(down, [1.0, 0.0, 0.0] if abs(down[0]) < 0.9 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    return corners @ np.column_stack([across, np.cross(across, down), -down])


def cylinder(diameter, length, sides=32):
    """Corners of a cylinder about y, [2 sides, 3]; one of its flat sides points down."""
    angle = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
    rim = 0.5 * diameter * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)
    return np.concatenate([rim + [0.0, side * 0.5 * length, 0.0] for side in (-1, 1)])


def box(lengths):
    """Corners of a box about the origin, [8, 3]."""
    return 0.5 * np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * lengths


def planes_of(corners):
    """Planes of the hull of corners, [F, 4]: outward normal and -distance from the origin.

    Raises UsageError if there is no volume.
    """
    try:
        planes = scipy.spatial.ConvexHull(corners).equations
    except (scipy.spatial.QhullError, ValueError) as error:
        raise UsageError("the corners of the body span no volume") from error
    size = np.ptp(corners, axis=0).max()
    keys = np.round(planes / [1.0, 1.0, 1.0, size], 7)
    return planes[np.unique(keys, axis=0, return_index=True)[1]]


def moments(corners):
    """Volume and centroid of the hull of corners."""
    hull = scipy.spatial.ConvexHull(corners)
    centre = corners.mean(axis=0)
    arms = corners[hull.simplices] - centre
    volumes = np.abs(np.linalg.det(arms)) / 6.0
    return volumes.sum(), centre + volumes @ arms.sum(axis=1) / 4.0 / volumes.sum()


def rounded_moments(planes, inside, rounding):
    """Volume and centroid of a polyhedron with rounded edges: all points whose distance from a core is at most the
    rounding.

    The core is the polyhedron whose planes are moved inwards by the rounding. The volume is the sum over the core and
    its faces (prisms), edges (sectors of cylinders) and corners (sectors of the ball). `inside` is a point of the core.
    Raises UsageError if there is no core.
    """
    core = half_spaces(planes + [0.0, 0.0, 0.0, rounding], inside)
    hull = scipy.spatial.ConvexHull(core)
    volume, centroid = moments(core)
    volumes, centroids = [volume], [centroid]
    normals = hull.equations[:, :3]
    triangles = core[hull.simplices]
    sides = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    volumes += list(0.5 * rounding * np.linalg.norm(sides, axis=1))
    centroids += list(triangles.mean(axis=1) + 0.5 * rounding * normals)
    cones = np.full(len(core), 2.0 * np.pi)  # solid angles of the normals at the corners: 2 pi minus the angles of faces
    for row, (corners, others) in enumerate(zip(hull.simplices, hull.neighbors)):
        for k, corner in enumerate(corners):
            first_edge, second_edge = core[corners[k - 1]] - core[corner], core[corners[k - 2]] - core[corner]
            cones[corner] -= np.arccos(np.clip(first_edge @ second_edge / np.linalg.norm(first_edge) / np.linalg.norm(second_edge), -1.0, 1.0))
            if others[k] < row:  # the edge opposite to corner k is shared with neighbour k; count each edge once
                continue
            ends = core[corners[k - 1]], core[corners[k - 2]]
            middle = normals[row] + normals[others[k]]
            angle = 2.0 * np.arctan2(np.linalg.norm(normals[row] - normals[others[k]]), np.linalg.norm(middle))
            if angle < 1e-9:
                continue
            volumes.append(0.5 * angle * rounding**2 * np.linalg.norm(ends[0] - ends[1]))
            arm = 4.0 / 3.0 * rounding * np.sin(0.5 * angle) / angle
            centroids.append(0.5 * (ends[0] + ends[1]) + arm * middle / np.linalg.norm(middle))
    on_hull = np.unique(hull.simplices)
    volumes += list(cones[on_hull] * rounding**3 / 3.0)  # first moments of the sectors about their corners cancel
    centroids += list(core[on_hull])
    return float(np.sum(volumes)), np.array(volumes) @ np.array(centroids) / np.sum(volumes)


def half_spaces(planes, inside):
    """Corners [K, 3] of the body n x + d <= 0, for planes [F, 4] and a point inside.

    Raises UsageError if the point is outside.
    """
    try:
        corners = scipy.spatial.HalfspaceIntersection(planes, inside).intersections
    except (scipy.spatial.QhullError, ValueError) as error:
        raise UsageError("a cell is too thin for the rounding of its edges; expected fewer cells, or a smaller rounding") from error
    corners = corners[np.isfinite(corners).all(axis=1)]
    close_pairs = scipy.spatial.cKDTree(corners).query_pairs(TOLERANCE * np.ptp(corners, axis=0).max(), output_type="ndarray")
    return np.delete(corners, close_pairs[:, 1], axis=0)


def _random_points(planes, corners, count, random):
    """Uniformly distributed points in a body, [count, 3]."""
    points = np.zeros((0, 3))
    while len(points) < count:
        candidates = random.uniform(corners.min(axis=0), corners.max(axis=0), size=(4 * count, 3))
        points = np.concatenate([points, candidates[(candidates @ planes[:, :3].T + planes[:, 3] < 0.0).all(axis=1)]])
    return points[:count]


def _planes_of_cells(points, planes, along):
    """Planes of the Voronoi cell of each point in a body: those of the body and those midway to the other
    points, [[F, 4]].

    along: axis to which the planes between cells are parallel, 0 to 2, or None
    """
    planes_of_cells = []
    for k, point in enumerate(points):
        others = np.delete(points, k, axis=0)
        directions = others - point
        if along is not None:
            directions[:, along] = 0.0
        normals = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        heights = np.einsum("ij,ij->i", normals, 0.5 * (others + point))
        planes_of_cells.append(np.concatenate([planes, np.column_stack([normals, -heights])]))
    return planes_of_cells


def cut(corners, count, seed=1, rounds=ROUNDS, rounding=None, along=None):
    """Cuts the hull of corners [K, 3] [m] into Voronoi cells: ([Cell], rounding [m]).

    rounds: number of steps that move points to the centroids of their cells (S. Lloyd, 1982), for more even cells
    rounding: radius of rounded edges [m]; None: from ROUNDING.  Raises UsageError if a cell is too thin for it
    along: 0, 1 or 2: cells are prisms along this axis; None: cells in all directions
    """
    if count < 2:
        raise UsageError(f"a body in {count} cells has no bonds; expected 2 or more")
    planes = planes_of(corners)
    points = _random_points(planes, corners, count, np.random.default_rng(seed))
    for _ in range(rounds):
        points = np.array([moments(half_spaces(cell_planes, point))[1] for point, cell_planes in zip(points, _planes_of_cells(points, planes, along))])
    if rounding is None:
        rounding = ROUNDING * np.cbrt(3.0 * moments(corners)[0] / count / (4.0 * np.pi))
    cells = []
    for point, cell_planes in zip(points, _planes_of_cells(points, planes, along)):
        body = half_spaces(cell_planes, point)
        centroid = moments(body)[1]
        if -(cell_planes @ [*centroid, 1.0]).max() < MIN_THICKNESS * rounding:
            raise UsageError(f"a cell is thinner than {MIN_THICKNESS:g} times the rounding of {rounding:g} m; "
                             "expected more rounds, fewer cells, another seed or a smaller rounding")  # fmt: skip
        volume, centre = rounded_moments(planes_of(body), centroid, rounding)
        cells.append(Cell(body, centre, volume))
    return cells, rounding


def vertices(cell):
    """Value of the key `vertices` of a cell's shape."""
    return "  ".join(" ".join(f"{x:.12g}" for x in corner) for corner in cell.corners - cell.centre) + " m"


def sections(cells, rounding, name, bond):
    """Sections of a scene as text: [shape.NAME_0], ..., and [bond.NAME] with the lines of `bond`."""
    lines = []
    for k, cell in enumerate(cells):
        lines += [f"[shape.{name}_{k}]", f"vertices = {vertices(cell)}", f"rounding = {rounding:.6g} m", ""]
    lines += [f"[bond.{name}]", f"gap = {GAP * rounding:.3g} m", *bond, ""]
    return "\n".join(lines)


def table(cells, name, material, at=(0.0, 0.0, 0.0)):
    """Table for initial.file of a scene, as text.  at: position of the body's origin [m]"""
    lines = ["x,y,z,shape,material"]
    for k, cell in enumerate(cells):
        lines.append(",".join(f"{x:.17g}" for x in cell.centre + at) + f",{name}_{k},{material}")
    return "\n".join(lines) + "\n"
