"""Draws a snapshot's walls in a flat picture: filled outlines of solids, lines of sheets and planes."""

import matplotlib.collections
import numpy as np
import scipy.spatial

import scree.figure
import scree.walls

LINE_COLOUR = "0.25"
PLANE_WIDTH, SHEET_WIDTH, FINE_WIDTH = 1.8, 1.0, 0.4  # widths of lines [points]
MANY_PIECES = 2000  # if sheets have more pieces of lines than this, as a ribbed floor has, lines are thin
MAX_PIECES = 200  # largest number of pieces of a line; spheres hide whole pieces
EDGE_ON = 1e-6  # a plane is edge-on if the component of its unit normal towards the viewer is smaller


def solid_outlines(snapshot, view):
    """Outlines [K, 2] [m] of the solids in the plane of a View, one list for each wall."""
    return [
        [scree.figure.outline(view.project(solid.points)) for solid in solids]
        for solids in scree.walls.in_domain(snapshot).values()
    ]


def _longest_piece(snapshot):
    """Largest length of the pieces of lines [m]: the radius of the largest sphere."""
    extent = float(np.max(snapshot.upper - snapshot.lower))
    return float(np.max(snapshot["radius"], initial=0.0)) or extent / MAX_PIECES


def _pieces(segments, longest):
    """Segments [S, 2, 3] cut into equal pieces no longer than `longest` [m], [P, 2, 3]."""
    counts = np.ceil(np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) / longest)
    counts = np.clip(counts, 1, MAX_PIECES).astype(int)
    line = np.repeat(np.arange(len(segments)), counts)
    number = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
    start, step = segments[line, 0], (segments[line, 1] - segments[line, 0]) / counts[line, None]
    return np.stack([start + number[:, None] * step, start + (number + 1)[:, None] * step], axis=1)


def _is_hidden(points, snapshot, view):
    """Which points [P, 3] are hidden by a sphere, or by the bounding sphere of a polyhedron, [P] of bool."""
    hidden = np.zeros(len(points), bool)
    if not len(snapshot) or not len(points):
        return hidden
    centre, radius, *_ = snapshot.pieces()
    tree = scipy.spatial.cKDTree(view.project(centre))
    near_rows = tree.query_ball_point(view.project(points), radius.max())
    point = np.repeat(np.arange(len(points)), [len(rows) for rows in near_rows])
    sphere = np.concatenate([np.asarray(rows, int) for rows in near_rows])
    offset = points[point] - centre[sphere]
    square = np.sum(view.project(offset) ** 2, axis=1)
    hidden[point[(square < radius[sphere] ** 2) & (view.depth(offset) < 0.0)]] = True
    return hidden


def _face_cuts(sheet, snapshot):
    """Intersections of a sheet with the faces of the domain, such as the ends of a drum: segments [S, 2, 3] [m]."""
    faces = [(axis, corner[axis]) for corner in (snapshot.lower, snapshot.upper) for axis in range(3)]
    return np.concatenate([scree.walls.cut(sheet.triangles, axis, position).reshape(-1, 2, 3) for axis, position in faces])


def sheet_lines(snapshot, view):
    """Visible lines of walls without thickness in the domain: segments [S, 2, 2] [m]."""
    lines = _sheet_segments(snapshot, view)
    return view.project(lines[~_is_hidden(lines.mean(axis=1), snapshot, view)])


def outlines(snapshot, view):
    """Lines in an image of the surfaces, as segments [S, 2, 3] [m].

    Oblique views have outlines of planes; flat views have those of sheets, which may be edge-on.
    """
    return _sheet_segments(snapshot, view) if view.axes else plane_outlines(snapshot)


def _sheet_segments(snapshot, view):
    """Rims, creases and silhouettes of walls without thickness in the domain: segments [S, 2, 3] [m]."""
    sheets = scree.walls.sheets(snapshot)
    extent = snapshot.upper - snapshot.lower
    longest = _longest_piece(snapshot)
    lines = [
        _pieces(np.concatenate([sheet.lines(view.towards), _face_cuts(sheet, snapshot)]), longest) for sheet in sheets
    ]
    lines = np.concatenate([np.zeros((0, 2, 3)), *lines])
    middle = lines.mean(axis=1)
    slack = 1e-6 * extent.max()
    return lines[np.all((middle > snapshot.lower - slack) & (middle < snapshot.upper + slack), axis=1)]


def plane_lines(snapshot, view):
    """Planes that are edge-on in a flat View: segments [S, 2, 2] [m]."""
    lines = []
    for plane in scree.walls.planes(snapshot):
        if abs(view.depth(plane.normal)) > EDGE_ON:
            continue
        polygon = view.project(plane.polygon(snapshot.lower, snapshot.upper))
        if len(polygon):
            coordinate = polygon @ (polygon[np.argmax(np.linalg.norm(polygon - polygon[0], axis=1))] - polygon[0])
            lines.append(polygon[[np.argmin(coordinate), np.argmax(coordinate)]])
    return np.array(lines).reshape(-1, 2, 2)


def _clip_to_free_side(polygon, plane, slack):
    """Part of a polygon [K, 3] that lies in a plane or on the free side of the plane."""
    height = (polygon - plane.point) @ plane.normal + slack
    corners = []
    for k in range(len(polygon)):
        last_height, this_height = height[k - 1], height[k]
        if last_height * this_height < 0.0:
            corners.append(polygon[k - 1] + last_height / (last_height - this_height) * (polygon[k] - polygon[k - 1]))
        if this_height >= 0.0:
            corners.append(polygon[k])
    return np.array(corners).reshape(-1, 3)


def plane_polygons(snapshot):
    """Part of each plane in the domain that is on the free side of all others: [(normal, polygon [K, 3] [m])]."""
    slack = 1e-6 * np.max(snapshot.upper - snapshot.lower)
    polygons = []
    planes = scree.walls.planes(snapshot)
    for plane in planes:
        polygon = plane.polygon(snapshot.lower, snapshot.upper)
        for other_plane in planes:
            polygon = _clip_to_free_side(polygon, other_plane, slack)
        if len(polygon):
            polygons.append((plane.normal, polygon))
    return polygons


def plane_outlines(snapshot):
    """Edges of planes, except planes in a face of the domain, where the frame is drawn: segments [S, 2, 3] [m]."""
    slack = 1e-6 * np.max(snapshot.upper - snapshot.lower)
    lines = [np.zeros((0, 2, 3))]
    for _, polygon in plane_polygons(snapshot):
        if not any(np.any(np.all(np.abs(polygon - end) < slack, axis=0)) for end in (snapshot.lower, snapshot.upper)):
            lines.append(np.stack([polygon, np.roll(polygon, -1, axis=0)], axis=1))
    return np.concatenate(lines)


def draw_lines(axes, segments, metres, width, zorder, clipped=True):
    axes.add_collection(matplotlib.collections.LineCollection(
        segments / metres, colors=LINE_COLOUR, linewidths=width, zorder=zorder, capstyle="round", clip_on=clipped))


def draw_open(axes, snapshot, view, metres, zorder, clipped=False):
    """Draws sheets and planes as lines, so that objects behind them stay visible.

    clipped: whether lines of planes are cut off at the frame; otherwise they may cover the frame
    """
    sheets = sheet_lines(snapshot, view)
    draw_lines(axes, sheets, metres, SHEET_WIDTH if len(sheets) < MANY_PIECES else FINE_WIDTH, zorder)
    draw_planes(axes, snapshot, view, metres, zorder, clipped)


def draw_planes(axes, snapshot, view, metres, zorder, clipped=False):
    draw_lines(axes, plane_lines(snapshot, view), metres, PLANE_WIDTH, zorder, clipped)


def draw_section(axes, snapshot, view, sight, place, metres):
    """Draws the sections of all walls by the plane perpendicular to the axis `sight` at `place` [m]."""
    for solids in scree.walls.in_domain(snapshot).values():
        cuts = [scree.walls.cut(solid.triangles(), sight, place).reshape(-1, 3) for solid in solids]
        outlines = [scree.figure.outline(view.project(points)) for points in cuts if len(points) > 2]
        scree.figure.draw_union(axes, [points / metres for points in outlines], 2)
    for sheet in scree.walls.sheets(snapshot):
        lines = view.project(scree.walls.cut(sheet.triangles, sight, place))
        draw_lines(axes, lines, metres, SHEET_WIDTH, 4)
    draw_lines(axes, plane_lines(snapshot, view), metres, PLANE_WIDTH, 4, clipped=False)


def draw(axes, snapshot, view, metres, zorder=2):
    """Draws all walls over a map: solids are filled, others are lines."""
    for outlines in solid_outlines(snapshot, view):
        scree.figure.draw_union(axes, [points / metres for points in outlines], zorder)
    draw_open(axes, snapshot, view, metres, zorder + 2, clipped=True)
