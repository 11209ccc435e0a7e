"""Space that walls leave to the particles: of a whole domain, and of each cell of a grid.

Space behind planes and inside solids is not free, as in the averages of a run (engine/observation/free_volume). In contrast
to these averages, pipes, cones and other open sheets also bound the free space. Such a sheet encloses a volume once its
rims are closed. If the particles at the heights of the sheet are inside, the space outside is not free.
"""

import warnings

import numpy as np
import scipy.sparse

import scree.snapshot
import scree.view
import scree.walls

VOLUME_POINTS = 1e6  # points of the grid that measures a volume: accurate to 0.1 % for the channel's obstacle
SAMPLES = {1: 48, 2: 32}  # samples along each unresolved axis, by the number of resolved axes
FINE = 4  # samples along a resolved axis in each cell
MAX_SAMPLES = 3e7
MIN_FREE = 0.02  # smallest free fraction of a cell for which fractions of free space are computed
SLIT = 0.1  # of a sheet's height: thinner gaps between sheet and domain, as around a drum, count as enclosed
ENCLOSED = 0.9  # fraction of the particles at its levels that are within an enclosing sheet


def _is_solid(solids, closed, lines):
    """Whether points of a lattice are in a solid, or on the solid side of a closed Sheet, [n_x, n_y, n_z] of bool.

    lines: coordinates of the points along each axis, three ascending arrays [m]
    """
    inside = np.zeros([len(line) for line in lines], dtype=bool)
    for solid in solids:
        low, high = solid.points.min(axis=0), solid.points.max(axis=0)
        box = tuple(slice(*np.searchsorted(line, (a, b))) for line, a, b in zip(lines, low, high))
        x, y = np.meshgrid(lines[0][box[0]], lines[1][box[1]], indexing="ij")
        low, high = (values.reshape(*x.shape, 1) for values in solid.heights(x.ravel(), y.ravel()))
        inside[box] |= (low <= lines[2][box[2]]) & (lines[2][box[2]] <= high)
    for sheet in closed:
        x, y = (values.ravel() for values in np.meshgrid(*lines[:2], indexing="ij"))
        # Lines through an edge would count both of its triangles, so lines are shifted slightly.
        step = np.ptp(lines[0]) / len(lines[0])
        line, height = sheet.crossings(x + 1.234e-5 * step, y + 2.718e-5 * step)
        crossed = np.zeros((len(x), len(lines[2]) + 1), dtype=np.int32)
        np.add.at(crossed, (line, np.searchsorted(lines[2], height, side="right")), 1)
        below = crossed.cumsum(axis=1)[:, :-1].reshape(inside.shape)
        inside |= (below % 2 == 1) == (sheet.interior == "inside")
    return inside


def _middles(lower, upper, counts):
    """Middles of equal cells of a box along its axes."""
    return [a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(lower, upper, counts)]


def solid_volume(solids, lower, upper, closed=()):
    """Volume [m^3] of the union of solids within the box, by counting the points of a grid.

    closed: Sheets with a closed surface; their solid side counts too
    """
    solids = [solid for solid in solids if solid.reaches_into(lower, upper)]
    if not solids and not closed:
        return 0.0
    start, end = np.array(lower, dtype=float), np.array(upper, dtype=float)
    if all(sheet.interior == "inside" for sheet in closed):
        points = [solid.points for solid in solids]
        points = np.concatenate(points + [sheet.triangles.reshape(-1, 3) for sheet in closed])
        start, end = np.maximum(start, points.min(axis=0)), np.minimum(end, points.max(axis=0))
        if np.any(start >= end):
            return 0.0
    counts = np.ceil((end - start) / np.cbrt(np.prod(end - start) / VOLUME_POINTS)).astype(int)
    return float(np.prod(end - start) * _is_solid(solids, closed, _middles(start, end, counts)).mean())


def _closed_rims(sheet):
    """The Sheet with a fan of triangles over each of its rims."""
    corners = sheet.triangles.reshape(-1, 3)
    grain = 1e-6 * max(np.ptp(corners, axis=0).max(), 1e-300)
    _, first, vertex = np.unique(np.round(corners / grain), axis=0, return_index=True, return_inverse=True)
    vertex, points = vertex.reshape(-1, 3), corners[first]
    ends = np.sort(np.concatenate([vertex[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, count = np.unique(ends, axis=0, return_counts=True)
    rim = edges[count == 1]
    joined = scipy.sparse.coo_matrix((np.ones(len(rim)), rim.T), shape=(len(points),) * 2)
    number = scipy.sparse.csgraph.connected_components(joined, directed=False)[1][rim[:, 0]]
    fans = [np.concatenate([points[rim[number == part]], np.broadcast_to(
        points[np.unique(rim[number == part])].mean(axis=0), (np.sum(number == part), 1, 3))], axis=1)
            for part in np.unique(number)]  # fmt: skip
    return scree.walls.Sheet(sheet.wall, np.concatenate([sheet.triangles, *fans]), "inside")


def _holds(closed, points):
    """Whether points [P, 3] are within a closed Sheet."""
    line, height = closed.crossings(points[:, 0], points[:, 1])
    return np.bincount(line[height < points[line, 2]], minlength=len(points)) % 2 == 1


class FreeSpace:
    """Free space of a Snapshot, at points of a lattice."""

    def __init__(self, snapshot):
        places = snapshot["position"]
        self.solids = [solid for wall in scree.walls.in_domain(snapshot).values() for solid in wall]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # drawing functions warn about unknown walls
            sheets = scree.walls.sheets(snapshot)
        self.closed = [sheet for sheet in sheets if sheet.interior in ("inside", "outside")]
        self.planes = []  # (normal into the free space, offset)
        for plane in scree.walls.planes(snapshot):
            sign = 1.0 if np.sum((places - plane.point) @ plane.normal > 0.0) >= 0.5 * len(places) else -1.0
            self.planes.append((sign * plane.normal, sign * plane.normal @ plane.point))
        self.up = scree.view.vertical(snapshot)
        self.vessels = []  # (closed Sheet, lowest level, highest level)
        levels = places @ self.up
        for sheet in sheets:
            vessel = _closed_rims(sheet) if sheet not in self.closed else None
            if vessel is None or not len(places):
                continue
            span = vessel.triangles.reshape(-1, 3) @ self.up
            inside = (levels >= span.min()) & (levels <= span.max())
            if not inside.any() or _holds(vessel, places[inside]).mean() < ENCLOSED:
                continue
            ends = np.sort([snapshot.lower @ self.up, snapshot.upper @ self.up])
            slit = SLIT * np.ptp(span)
            low = span.min() if ends[0] < span.min() - slit else -np.inf
            self.vessels.append((vessel, low, span.max() if ends[1] > span.max() + slit else np.inf))

    def at(self, lines):
        """Whether points of a lattice are free, [n_x, n_y, n_z] of bool.  lines: ascending coordinates along each axis [m]"""
        free = ~_is_solid(self.solids, self.closed, lines)
        x, y, z = np.meshgrid(*lines, indexing="ij", sparse=True)
        for normal, offset in self.planes:
            free &= normal[0] * x + normal[1] * y + normal[2] * z > offset
        for vessel, low, high in self.vessels:
            level = self.up[0] * x + self.up[1] * y + self.up[2] * z
            free &= _is_solid([], [vessel], lines) | (level < low) | (level > high)
        return free

    def box(self, lower, upper):
        """The part of a box in front of planes perpendicular to its axes: corners, [3] each [m]."""
        lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
        for normal, offset in self.planes:
            axis = int(np.argmax(np.abs(normal)))
            if abs(normal[axis]) > 1.0 - 1e-12:
                place = offset / normal[axis]
                if normal[axis] > 0.0:
                    lower[axis] = max(lower[axis], min(place, upper[axis]))
                else:
                    upper[axis] = min(upper[axis], max(place, lower[axis]))
        return lower, upper


def volume(snapshot, lower=None, upper=None):
    """Volume of free space in the domain, or between two corners of it [m^3]; None if meshes are unknown without walls.vtk."""
    meshes = [part for wall in snapshot.walls if wall.is_there for part in wall.parts if part.interior in ("inside", "outside")]
    if meshes and not scree.walls.has_file(snapshot):
        return None
    space = FreeSpace(snapshot)
    lower, upper = space.box(snapshot.lower if lower is None else lower, snapshot.upper if upper is None else upper)
    whole = float(np.prod(upper - lower))
    if whole == 0.0 or not (space.solids or space.closed or space.planes or space.vessels):
        return whole
    if not space.vessels and not any(abs(normal).max() < 1.0 - 1e-12 for normal, _ in space.planes):
        return whole - solid_volume(space.solids, lower, upper, space.closed)
    counts = np.ceil((upper - lower) / np.cbrt(whole / VOLUME_POINTS)).astype(int)
    return whole * float(space.at(_middles(lower, upper, counts)).mean())


def shares(snapshot, lower, upper, axes, counts, fine=FINE):
    """The free fraction of each cell of a box, by sampling: [cells], the first axis fastest.

    lower, upper: corners of the box [3] [m];  axes: divided into `counts` cells, which extend over the other axes
    fine: samples per cell along each of these axes, up to a limit
    """
    space = FreeSpace(snapshot)
    if not (space.solids or space.closed or space.planes or space.vessels):
        return np.ones(int(np.prod(counts)))
    cells = dict(zip(axes, counts))
    numbers = [fine * cells[k] if k in cells else SAMPLES.get(len(axes), 1) for k in range(3)]
    if fine > 1 and np.prod(numbers, dtype=float) > MAX_SAMPLES:
        numbers = [cells.get(k, numbers[k]) for k in range(3)]
    free = space.at(_middles(lower, upper, numbers)).astype(float)
    split = [size for k in range(3) for size in ((cells[k], numbers[k] // cells[k]) if k in cells else (1, numbers[k]))]
    mean = free.reshape(split).mean(axis=(1, 3, 5)).transpose(*axes, *(k for k in range(3) if k not in cells))
    return mean.ravel(order="F")


# Pieces of a unit ball of equal volume: their positions, [Q, 3].
_BALL = np.stack(np.meshgrid(*[np.array([-0.75, -0.25, 0.25, 0.75])] * 3), axis=-1).reshape(-1, 3)
_BALL = _BALL[np.sum(_BALL**2, axis=1) < 1.0]
# Quadrature points of a tetrahedron, in terms of its corners, which are exact for polynomials of degree 2.
_TETRAHEDRON = np.full((4, 4), 0.13819660112501052) + 0.4472135954999579 * np.eye(4)
CHUNK_SIZE = 2_000_000  # pieces


def _parts(shape):
    """Points in a body of radius 1 in its axes, and their fractions of its volume: [Q, 3] and [Q]."""
    places, volumes = [], []
    for (*centre, radius), faces in shape.solids:
        fans = [np.stack([np.broadcast_to(face[0], face[2:].shape), face[1:-1], face[2:]], axis=1) for face in faces]
        corners = np.concatenate(fans)  # [T, 3, 3]
        tetrahedra = np.concatenate([np.zeros((len(corners), 1, 3)), corners], axis=1)  # from the middle
        places.append(centre + radius * np.einsum("qc,tcx->tqx", _TETRAHEDRON, tetrahedra).reshape(-1, 3))
        volumes.append(np.repeat(radius**3 * np.linalg.det(corners) / 6.0, 4) / 4.0)
    for *centre, radius in shape.spheres:
        places.append(centre + radius * _BALL)
        volumes.append(np.full(len(_BALL), 4.0 / 3.0 * np.pi * radius**3 / len(_BALL)))
    volumes = np.concatenate(volumes)
    return np.concatenate(places), volumes / volumes.sum()


def pieces(snapshot, among=None):
    """Divides the particles, or some rows of them, into pieces: yields positions in the domain [M, 3] [m] and volumes [M] [m^3].

    With pieces only the part of a body inside a cell or region counts. Clumps of spheres count as balls of their bounding
    radius. The total volume of a body is exact, for polyhedra that of the rounded body; it is distributed as if edges were
    sharp and members did not overlap.
    """
    among = np.arange(len(snapshot)) if among is None else among
    shapes = snapshot.shape_numbers[among]
    solids = [number for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces]
    kinds = [(among[~np.isin(shapes, solids)], _BALL, np.full(len(_BALL), 1.0 / len(_BALL)))]
    kinds += [(among[shapes == number], *_parts(snapshot.shapes[number - 1])) for number in solids]
    for rows_of_kind, places, shares in kinds:
        for rows in np.array_split(rows_of_kind, len(rows_of_kind) * len(places) // CHUNK_SIZE + 1):
            arms = places if places is _BALL else _rotate(places, snapshot["orientation"][rows])
            points = snapshot["position"][rows, None] + snapshot["radius"][rows, None, None] * arms
            yield snapshot.home(points.reshape(-1, 3))[0], np.outer(snapshot.volumes[rows], shares).ravel()


def _rotate(places, orientations):
    """Positions of points [Q, 3], given in the body axes, of N bodies: [N, Q, 3]."""
    return np.einsum("ijn,qj->nqi", scree.snapshot.rotation(*orientations.T), places)


def solid_fraction(snapshot, region):
    """Solid fraction of a Region; None where free space is unknown."""
    room = volume(snapshot, region.lower, region.upper)
    if not room:
        return None
    return float(sum(volumes[region.holds(places)].sum() for places, volumes in pieces(snapshot))) / room
