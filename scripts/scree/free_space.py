"""Free space between walls: its volume in a domain, and its fraction of each cell of a grid.

Space behind planes and inside solids is not free, as in the averages of a run (engine/observation/free_volume). Unlike
in those averages, pipes, cones and other open sheets also bound the free space. With closed rims a sheet would enclose
a volume. If nearly all particles at the heights of the sheet are in that volume, the space outside of it is not free at
these heights.
"""

import warnings

import numpy as np
import scipy.sparse

import scree.snapshot
import scree.view
import scree.walls

VOLUME_POINTS = 1e6  # points of the grid that measures a volume; the error is 0.1 % for the obstacle in the channel
SAMPLES = {1: 96, 2: 64, 3: 64}  # number of resolved axes -> smallest number of samples along each axis
FINE = 4  # smallest number of samples along a resolved axis in each cell
MAX_FACES = 16  # largest number of faces per axis at which cells are cut; the errors of more faces average out
MAX_SAMPLES = 3e7  # largest number of samples of a grid
MIN_FREE = 0.02  # smallest free fraction of a cell that gets a solid fraction
SLIT = 0.1  # smaller gaps between a sheet and the domain, as around a drum, are not free space [height of the sheet]
ENCLOSED = 0.9  # a sheet encloses the free space if at least this fraction of the particles at its heights is inside


def _is_solid(solids, closed, lines):
    """Whether points of a lattice are in a Solid, or on the solid side of a closed Sheet, [n_x, n_y, n_z] of bool.

    lines: coordinates of the points along each axis, three ascending arrays [m]
    """
    is_inside = np.zeros([len(line) for line in lines], dtype=bool)
    for solid in solids:
        low, high = solid.points.min(axis=0), solid.points.max(axis=0)
        box = tuple(slice(*np.searchsorted(line, (a, b))) for line, a, b in zip(lines, low, high))
        x, y = np.meshgrid(lines[0][box[0]], lines[1][box[1]], indexing="ij")
        low, high = (values.reshape(*x.shape, 1) for values in solid.heights(x.ravel(), y.ravel()))
        is_inside[box] |= (low <= lines[2][box[2]]) & (lines[2][box[2]] <= high)
    for sheet in closed:
        x, y = (values.ravel() for values in np.meshgrid(*lines[:2], indexing="ij"))
        # A line through an edge would cross both of its triangles, so lines are shifted slightly.
        step = np.ptp(lines[0]) / len(lines[0])
        line, height = sheet.crossings(x + 1.234e-5 * step, y + 2.718e-5 * step)
        crossing_counts = np.zeros((len(x), len(lines[2]) + 1), dtype=np.int32)
        np.add.at(crossing_counts, (line, np.searchsorted(lines[2], height, side="right")), 1)
        crossings_below = crossing_counts.cumsum(axis=1)[:, :-1].reshape(is_inside.shape)
        is_inside |= (crossings_below % 2 == 1) == (sheet.interior == "inside")
    return is_inside


def _middles(lower, upper, counts):
    """Middles of equal cells of a box along its axes."""
    return [a + (b - a) * (np.arange(n) + 0.5) / n for a, b, n in zip(lower, upper, counts)]


def solid_volume(solids, lower, upper, closed=()):
    """Volume [m^3] of the union of Solids within a box, by counting the points of a grid.

    closed: closed Sheets, whose solid side is added
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
    quantum = 1e-6 * max(np.ptp(corners, axis=0).max(), 1e-300)
    _, first, vertex = np.unique(np.round(corners / quantum), axis=0, return_index=True, return_inverse=True)
    vertex, points = vertex.reshape(-1, 3), corners[first]
    ends = np.sort(np.concatenate([vertex[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, count = np.unique(ends, axis=0, return_counts=True)
    rim_edges = edges[count == 1]
    joined = scipy.sparse.coo_matrix((np.ones(len(rim_edges)), rim_edges.T), shape=(len(points),) * 2)
    rim_of_edge = scipy.sparse.csgraph.connected_components(joined, directed=False)[1][rim_edges[:, 0]]
    fans = [np.concatenate([points[rim_edges[rim_of_edge == rim_number]], np.broadcast_to(
        points[np.unique(rim_edges[rim_of_edge == rim_number])].mean(axis=0), (np.sum(rim_of_edge == rim_number), 1, 3))], axis=1)
            for rim_number in np.unique(rim_of_edge)]  # fmt: skip
    return scree.walls.Sheet(sheet.wall, np.concatenate([sheet.triangles, *fans]), "inside")


def _contains(closed, points):
    """Whether points [P, 3] are within a closed Sheet."""
    line, height = closed.crossings(points[:, 0], points[:, 1])
    return np.bincount(line[height < points[line, 2]], minlength=len(points)) % 2 == 1


class FreeSpace:
    """Free space of a Snapshot, at points of a lattice."""

    def __init__(self, snapshot):
        positions = snapshot["position"]
        self.solids = [solid for wall in scree.walls.in_domain(snapshot).values() for solid in wall]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # drawing functions warn about missing walls
            sheets = scree.walls.sheets(snapshot)
        self.closed = [sheet for sheet in sheets if sheet.interior in ("inside", "outside")]
        self.planes = []  # (normal into the free space, offset)
        for plane in scree.walls.planes(snapshot):
            sign = 1.0 if np.sum((positions - plane.point) @ plane.normal > 0.0) >= 0.5 * len(positions) else -1.0
            self.planes.append((sign * plane.normal, sign * plane.normal @ plane.point))
        self.up = scree.view.vertical(snapshot)
        self.vessels = []  # (closed Sheet, low, high): at levels from low to high only space in the Sheet is free
        levels = positions @ self.up
        for sheet in sheets:
            if sheet.interior in ("inside", "outside") or not len(positions):
                continue
            vessel = _closed_rims(sheet)
            span = vessel.triangles.reshape(-1, 3) @ self.up
            is_at_sheet = (levels >= span.min()) & (levels <= span.max())
            if not is_at_sheet.any() or _contains(vessel, positions[is_at_sheet]).mean() < ENCLOSED:
                continue
            ends = np.sort([snapshot.lower @ self.up, snapshot.upper @ self.up])
            slit = SLIT * np.ptp(span)
            low = span.min() if ends[0] < span.min() - slit else -np.inf
            self.vessels.append((vessel, low, span.max() if ends[1] > span.max() + slit else np.inf))

    def at(self, lines):
        """Whether points of a lattice are free, [n_x, n_y, n_z] of bool.

        lines: ascending coordinates along each axis [m]
        """
        is_free = ~_is_solid(self.solids, self.closed, lines)
        x, y, z = np.meshgrid(*lines, indexing="ij", sparse=True)
        for normal, offset in self.planes:
            is_free &= normal[0] * x + normal[1] * y + normal[2] * z > offset
        for vessel, low, high in self.vessels:
            height = self.up[0] * x + self.up[1] * y + self.up[2] * z
            is_free &= _is_solid([], [vessel], lines) | (height < low) | (height > high)
        return is_free

    def faces(self, axis, low, high):
        """Positions from `low` to `high` of faces of Solids perpendicular to an axis [m]; none if there are too many."""
        positions = []
        for solid in self.solids:
            along = solid.points[:, axis]
            positions += [end for end in (along.min(), along.max())
                          if low < end < high and np.sum(np.abs(along - end) < 1e-9 * np.ptp(along)) >= 3]  # fmt: skip
        positions = np.unique(positions)
        return positions if len(positions) <= MAX_FACES else np.zeros(0)

    def box(self, lower, upper):
        """A box cut at the planes that are perpendicular to its axes: corners, [3] each [m]."""
        lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
        for normal, offset in self.planes:
            axis = int(np.argmax(np.abs(normal)))
            if abs(normal[axis]) > 1.0 - 1e-12:
                position = offset / normal[axis]
                if normal[axis] > 0.0:
                    lower[axis] = max(lower[axis], min(position, upper[axis]))
                else:
                    upper[axis] = min(upper[axis], max(position, lower[axis]))
        return lower, upper


def volume(snapshot, lower=None, upper=None):
    """Volume of free space in the domain, or between two corners [m^3]; None if there are meshes but no walls.vtk."""
    meshes = [part for wall in snapshot.walls if wall.is_there for part in wall.parts if part.interior in ("inside", "outside")]
    if meshes and not scree.walls.has_file(snapshot):
        return None
    space = FreeSpace(snapshot)
    lower, upper = space.box(snapshot.lower if lower is None else lower, snapshot.upper if upper is None else upper)
    box_volume = float(np.prod(upper - lower))
    if box_volume == 0.0 or not (space.solids or space.closed or space.planes or space.vessels):
        return box_volume
    if not space.vessels and not any(abs(normal).max() < 1.0 - 1e-12 for normal, _ in space.planes):
        return box_volume - solid_volume(space.solids, lower, upper, space.closed)
    counts = np.ceil((upper - lower) / np.cbrt(box_volume / VOLUME_POINTS)).astype(int)
    return box_volume * float(space.at(_middles(lower, upper, counts)).mean())


def _samples(edges, ends, spacing):
    """Samples of cells along an axis from ends[0] to ends[-1]: positions [S] [m], cells [S], parts of the cells [S].

    Each sample is the middle of a piece. Pieces end at the edges of the cells and at `ends`, and are equal in between.
    spacing: largest length of a piece [m]
    """
    ends = np.unique(np.concatenate([ends, edges[(edges > ends[0]) & (edges < ends[-1])]]))
    lengths = np.diff(ends)
    counts = np.maximum(np.ceil(lengths / spacing - 1e-6), 1.0).astype(int)
    pieces = np.repeat(lengths / counts, counts)
    positions = ends[0] + np.cumsum(pieces) - 0.5 * pieces
    cell = np.clip(np.searchsorted(edges, positions) - 1, 0, len(edges) - 2)
    return positions, cell, pieces / (edges[1] - edges[0])


def shares(snapshot, lower, upper, axes, counts, fine=FINE):
    """Free fraction of each cell of a box, by sampling: [cells], the first axis fastest.

    Exact if all walls are planes and boxes along the axes, with at most MAX_FACES faces of boxes across each axis.

    lower, upper: corners of the box [3] [m]
    axes, counts: the box is divided into `counts` cells along these axes
    fine: smallest number of samples per cell along each of these axes; exactly 1 is used instead if there would be more
        than MAX_SAMPLES
    """
    space = FreeSpace(snapshot)
    if not (space.solids or space.closed or space.planes or space.vessels):
        return np.ones(int(np.prod(counts)))
    cells = dict(zip(axes, counts))
    fractions = np.zeros([cells.get(k, 1) for k in range(3)])
    samples = []
    for k, (low, high) in enumerate(zip(*space.box(lower, upper))):
        edges = np.linspace(lower[k], upper[k], cells.get(k, 1) + 1)
        spacing = (high - low) / SAMPLES[len(axes)]
        if k in cells:
            per_cell = (edges[1] - edges[0]) / fine
            spacing = min(spacing, per_cell) if fine > 1 else per_cell
        samples.append(_samples(edges, [low, *space.faces(k, low, high), high], spacing))
    lines, cell, parts = zip(*samples)
    if fine > 1 and np.prod([len(line) for line in lines], dtype=float) > MAX_SAMPLES:
        return shares(snapshot, lower, upper, axes, counts, 1)
    if all(len(line) for line in lines):  # there is space in front of all planes
        free = space.at(lines)
        for k in range(3):
            first_samples = np.flatnonzero(np.diff(cell[k], prepend=-1))
            free = np.add.reduceat(free * parts[k].reshape(np.roll([-1, 1, 1], k)), first_samples, axis=k)
        fractions[np.ix_(*map(np.unique, cell))] = free
    return fractions.transpose(*axes, *(k for k in range(3) if k not in cells)).ravel(order="F")


# Positions of pieces of a unit ball with equal volumes, [Q, 3].
_BALL = np.stack(np.meshgrid(*[np.array([-0.75, -0.25, 0.25, 0.75])] * 3), axis=-1).reshape(-1, 3)
_BALL = _BALL[np.sum(_BALL**2, axis=1) < 1.0]
# Quadrature points of a tetrahedron as weights of its corners, exact for polynomials of degree 2.
_TETRAHEDRON = np.full((4, 4), 0.13819660112501052) + 0.4472135954999579 * np.eye(4)
CHUNK_SIZE = 2_000_000  # largest number of pieces at a time


def _unit_pieces(shape):
    """Points in a body of radius 1, in body axes [Q, 3], and their fractions of the volume [Q]."""
    positions, volumes = [], []
    for (*centre, radius), faces in shape.solids:
        fans = [np.stack([np.broadcast_to(face[0], face[2:].shape), face[1:-1], face[2:]], axis=1) for face in faces]
        corners = np.concatenate(fans)  # [T, 3, 3]
        tetrahedra = np.concatenate([np.zeros((len(corners), 1, 3)), corners], axis=1)  # from the middle
        positions.append(centre + radius * np.einsum("qc,tcx->tqx", _TETRAHEDRON, tetrahedra).reshape(-1, 3))
        volumes.append(np.repeat(radius**3 * np.linalg.det(corners) / 6.0, 4) / 4.0)
    for *centre, radius in shape.spheres:
        positions.append(centre + radius * _BALL)
        volumes.append(np.full(len(_BALL), 4.0 / 3.0 * np.pi * radius**3 / len(_BALL)))
    volumes = np.concatenate(volumes)
    return np.concatenate(positions), volumes / volumes.sum()


def pieces(snapshot, selected=None):
    """Divides particles into pieces: yields positions in the domain [M, 3] [m] and volumes [M] [m^3].

    So a cell or region can contain a part of a body. Clumps of spheres are divided as balls of their bounding
    radius. The volumes of the pieces add up to the exact volume of the body, with rounded edges for polyhedra. The
    positions of the pieces ignore that edges are rounded and that members overlap.

    selected: rows of the particles; None: all
    """
    selected = np.arange(len(snapshot)) if selected is None else selected
    shapes = snapshot.shape_numbers[selected]
    solids = [number for number, shape in enumerate(snapshot.shapes, start=1) if shape.faces]
    kinds = [(selected[~np.isin(shapes, solids)], _BALL, np.full(len(_BALL), 1.0 / len(_BALL)))]
    kinds += [(selected[shapes == number], *_unit_pieces(snapshot.shapes[number - 1])) for number in solids]
    for rows_of_kind, piece_positions, fractions in kinds:
        for rows in np.array_split(rows_of_kind, len(rows_of_kind) * len(piece_positions) // CHUNK_SIZE + 1):
            arms = piece_positions if piece_positions is _BALL else _rotate(piece_positions, snapshot["orientation"][rows])
            points = snapshot["position"][rows, None] + snapshot["radius"][rows, None, None] * arms
            yield snapshot.home(points.reshape(-1, 3))[0], np.outer(snapshot.volumes[rows], fractions).ravel()


def _rotate(points, orientations):
    """Rotates points [Q, 3] from the axes of N bodies: [N, Q, 3]."""
    return np.einsum("ijn,qj->nqi", scree.snapshot.rotation(*orientations.T), points)


def solid_fraction(snapshot, region):
    """Solid fraction of a Region; None if its free space is unknown."""
    free_volume = volume(snapshot, region.lower, region.upper)
    if not free_volume:
        return None
    return float(sum(volumes[region.holds(positions)].sum() for positions, volumes in pieces(snapshot))) / free_volume
