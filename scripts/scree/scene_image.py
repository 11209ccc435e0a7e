"""The image of a snapshot in a View from a depth buffer: particles, walls and floor.

Walls that hide many particles are glass.
"""

import dataclasses
from collections.abc import Collection, Mapping

import matplotlib.artist
import matplotlib.colors
import numpy as np

import scree.figure
import scree.solids
import scree.view
import scree.wall_drawing
import scree.walls
from scree.depth_buffer import Buffer, smooth_normals

MAX_HIDDEN = 0.35  # largest fraction of the particles that an opaque wall may hide
GLASS, GLASS_LINES = 0.1, 0.45  # opacity of glass, and of its edges
SAMPLE_SIZE, SAMPLE_WIDTH = 500, 200  # test for hidden particles: number of tested ones, image width [pixels]
MAX_PIXELS = 1.2e7  # largest number of pixels of an image with supersampling
REACH = 1.4  # reach of ambient occlusion [median radii]
WALL_SHIFT = 0.15  # shift of walls towards the viewer [median radii], because particles overlap facets of round walls
FLOOR_COSINE = 0.5  # smallest upward component of the normal of a floor
FLOOR_COLOUR = 0.86  # brightness


@dataclasses.dataclass(frozen=True)
class Look:
    """Appearance of the walls."""

    paint: Mapping[str, str] = dataclasses.field(default_factory=dict)  # colours by names of walls
    glass: Collection[str] | None = None  # transparent walls; None: those that hide many particles
    hidden: Collection[str] = ()  # walls that are not drawn


class _Camera:
    """Converts positions [m] to pixels of a View.  lower: corner of the drawing [2] [m];  pixel: size of a pixel [m]"""

    def __init__(self, view, lower, pixel):
        self.axes = np.array([view.right, view.up, np.array(view.towards) / np.linalg.norm(view.towards)])
        self.pixel, self.shift = pixel, np.array([*lower, 0.0]) / pixel + [0.5, 0.5, 0.0]  # to the middle of pixels

    def pixels(self, points):
        return points @ self.axes.T / self.pixel - self.shift

    def space(self, pixels):
        return (pixels + self.shift) @ self.axes * self.pixel


def _walls_of(snapshot):
    """Triangles of each wall in the domain, {name: (triangles [T, 3, 3], normals at their corners)}, without planes."""
    surfaces = {}
    for name, solids in scree.walls.in_domain(snapshot).items():
        for solid in solids:
            points = np.clip(solid.points, snapshot.lower, snapshot.upper)  # their hull stays closed
            if np.linalg.matrix_rank(points - points[0], tol=1e-9 * np.ptp(points)) == 3:
                triangles = scree.walls.Solid(name, points).triangles()
                surfaces.setdefault(name, []).append((triangles, smooth_normals(triangles, scree.walls.EDGE_ANGLE)))
    for sheet in scree.walls.sheets(snapshot):
        surfaces.setdefault(sheet.wall, []).append((sheet.triangles, smooth_normals(sheet.triangles, scree.walls.EDGE_ANGLE)))
    return {name: tuple(map(np.concatenate, zip(*parts))) for name, parts in surfaces.items()}


def _floors(snapshot, view):
    """Triangles [T, 3, 3] of upward planes that face the viewer, in oblique views."""
    triangles = [np.zeros((0, 3, 3))]
    for normal, polygon in scree.wall_drawing.plane_polygons(snapshot) if not view.axes else ():
        if normal @ scree.view.vertical(snapshot) > FLOOR_COSINE and view.depth(normal) > 0.0:
            triangles.append(np.array([polygon[[0, k, k + 1]] for k in range(1, len(polygon) - 1)]))
    return np.concatenate(triangles)


def _hides_many(triangles, snapshot, view, lower, extent):
    """Whether a wall hides more than MAX_HIDDEN of the particles."""
    if not len(snapshot):
        return False
    pixel = extent[0] / SAMPLE_WIDTH
    camera = _Camera(view, lower, pixel)
    buffer = Buffer(SAMPLE_WIDTH, int(np.ceil(extent[1] / pixel)))
    buffer.add_triangles(camera.pixels(triangles), np.zeros((len(triangles), 3)), np.zeros(len(triangles), int),
                         keep=_box(camera, snapshot))  # fmt: skip
    sample = snapshot["position"][np.linspace(0, len(snapshot) - 1, min(SAMPLE_SIZE, len(snapshot))).astype(int)]
    x, y, z = camera.pixels(sample).T
    pixels = np.clip(np.round(y).astype(int), 0, buffer.height - 1) * buffer.columns + np.clip(np.round(x).astype(int), 0, SAMPLE_WIDTH - 1)
    return np.mean(buffer.depth[pixels] > z) > MAX_HIDDEN


def _box(camera, snapshot):
    """A function that returns whether points, in pixel coordinates [P, 3], are in the domain."""
    slack = 1e-3 * (snapshot.upper - snapshot.lower).max() + 0.5 * float(np.max(snapshot["radius"], initial=0.0))
    return lambda pixels: np.all(np.abs(camera.space(pixels) - 0.5 * (snapshot.lower + snapshot.upper))
                                 <= 0.5 * (snapshot.upper - snapshot.lower) + slack, axis=1)  # fmt: skip


def _polyhedra(snapshot, colours):
    """Triangles of all polyhedra [T, 3, 3], with their colours [T, 3] and rows of their particles [T]."""
    corners, counts, rows, pieces = scree.solids.faces_of(snapshot)
    first = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), counts - 2)
    step = np.arange(len(face)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    triangles = np.stack([corners[first[face]], corners[first[face] + step + 1], corners[first[face] + step + 2]], axis=1)
    return triangles, colours[pieces[face]], rows[face]


class Scene:
    """Content of an image with any number of pixels.  colours: of the particles [N, 4]"""

    def __init__(self, snapshot, view, colours, look=Look()):
        self.snapshot, self.view, self.look = snapshot, view, look
        corners = view.project(scree.view.corners_of(snapshot.lower, snapshot.upper))
        self.lower, self.extent = corners.min(axis=0), np.ptp(corners, axis=0)
        self.pieces = snapshot.pieces()
        colours = scree.solids.colours_of(self.pieces[2], colours)
        self.colours = colours[:, :3] * colours[:, 3:] + FLOOR_COLOUR * (1.0 - colours[:, 3:])  # alpha 0: no value
        self.solids = _polyhedra(snapshot, self.colours) if scree.solids.any_in(snapshot) else None
        self.radius = np.median(self.pieces[1]) if len(snapshot) else 0.02 * self.extent[0]
        self._sort_walls()

    def _sort_walls(self):
        """Collects triangles, normals and wall indices of opaque walls and of glass, and floors and lines."""
        parts = {False: [], True: []}
        middle = self.snapshot["position"].mean(axis=0) if len(self.snapshot) else None
        walls = {name: surface for name, surface in _walls_of(self.snapshot).items() if name not in self.look.hidden}
        colours = {name: self.look.paint.get(name, scree.figure.WALL_COLOUR) for name in walls}
        self.paint = matplotlib.colors.to_rgba_array([*colours.values(), "black"])[:, :3]  # [W + 1, 3]
        for number, (name, (triangles, normals)) in enumerate(walls.items()):
            is_glass = np.zeros(len(triangles), bool)
            if self._is_glass(name, triangles):
                face_normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
                face_normals *= np.sign(self.view.depth(face_normals))[:, None]
                is_glass = np.einsum("ij,ij->i", middle - triangles[:, 0], face_normals) < 0.0  # in front of the particles
            for is_transparent in (False, True):
                is_chosen = is_glass == is_transparent
                parts[is_transparent].append((triangles[is_chosen], normals[is_chosen], np.full(is_chosen.sum(), number)))
        empty = (np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros(0, int))
        self.walls, self.glass = (tuple(map(np.concatenate, zip(empty, *parts[is_transparent]))) for is_transparent in (False, True))
        self.floors = _floors(self.snapshot, self.view)
        self.lines = scree.wall_drawing.outlines(self.snapshot, self.view)

    def _is_glass(self, name, triangles):
        """Whether a wall is transparent."""
        if self.look.glass is not None:
            return name in self.look.glass
        return _hides_many(triangles, self.snapshot, self.view, self.lower, self.extent)

    def _add_surfaces(self, buffer, camera):
        """Adds particles, walls that are not glass, and floors to the buffer."""
        positions, radii, owners, kinds = self.pieces
        is_sphere = kinds == 0
        buffer.add_spheres(camera.pixels(positions[is_sphere]), radii[is_sphere] / camera.pixel, self.colours[is_sphere], owners[is_sphere])
        triangles, normals, numbers = self.walls
        floor_body = len(self.snapshot)
        parts = [(triangles, self.paint[numbers], floor_body + 1 + numbers, normals)]
        if self.solids:
            triangles, colours, bodies = self.solids
            face_normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            parts.append((triangles, colours, bodies, np.repeat(face_normals[:, None], 3, axis=1)))
        count = len(self.floors)
        up = np.broadcast_to(scree.view.vertical(self.snapshot), (count, 3, 3))
        parts.append((self.floors, np.full((count, 3), FLOOR_COLOUR), np.full(count, floor_body), up))
        triangles, colours, bodies, normals = map(np.concatenate, zip(*parts))
        is_wall = bodies >= floor_body
        corners = camera.pixels(triangles)
        corners[is_wall, :, 2] += WALL_SHIFT * self.radius / camera.pixel
        buffer.add_triangles(corners, colours, bodies, normals @ camera.axes.T,
                             keep=_box(camera, self.snapshot), is_kept=~is_wall)  # fmt: skip

    def image(self, width, height, point=1.0):
        """RGBA [height, width, 4] of bytes, rows upwards.  point: size of a typographic point [pixels]"""
        supersampling = 2 if 4 * width * height <= MAX_PIXELS else 1
        camera = _Camera(self.view, self.lower, self.extent[0] / (supersampling * width))
        buffer = Buffer(supersampling * width, supersampling * height)
        self._add_surfaces(buffer, camera)
        reach = float(np.clip(REACH * self.radius / camera.pixel, 4.0, 80.0))
        colours, is_covered, darkness = buffer.shade(reach)
        alpha = np.where(is_covered, 1.0, darkness).astype(np.float32)
        if len(self.glass[0]):
            colours, alpha = self._add_glass(buffer, camera, colours, alpha, reach)
        if len(self.lines):
            line_width = max(1, round(supersampling * point * scree.wall_drawing.SHEET_WIDTH))
            y, x = np.divmod(buffer.find_line_pixels(camera.pixels(self.lines), line_width), buffer.columns)
            colours[y, x], alpha[y, x] = float(scree.wall_drawing.LINE_COLOUR), 1.0
        image = np.concatenate([colours * alpha[..., None], alpha[..., None]], axis=2)
        image = sum(image[k::supersampling, j::supersampling] for k in range(supersampling) for j in range(supersampling)) / supersampling**2
        image[..., :3] /= np.maximum(image[..., 3:], 1e-6)
        return np.round(255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8)

    def _add_glass(self, behind, camera, colours, alpha, reach):
        """Blends glass over an image; returns new colours and alpha.  behind: buffer of the image"""
        triangles, normals, numbers = self.glass
        buffer = Buffer(behind.width, behind.height)
        buffer.add_triangles(camera.pixels(triangles), self.paint[numbers], numbers, normals @ camera.axes.T, keep=_box(camera, self.snapshot))
        glass_colours, is_covered, darkness = buffer.shade(reach)
        window = (slice(behind.height), slice(behind.width))
        is_nearer = (buffer.depth > behind.depth).reshape(behind.lines, behind.columns)[window]
        glass_alpha = ((is_nearer | ~is_covered) * np.maximum(GLASS * is_covered, GLASS_LINES * (darkness > 0.0))).astype(np.float32)
        total = glass_alpha + alpha * (1.0 - glass_alpha)
        blended = glass_colours * glass_alpha[..., None] + colours * (alpha * (1.0 - glass_alpha))[..., None]
        return blended / np.maximum(total, 1e-6)[..., None], total


class SceneArtist(matplotlib.artist.Artist):
    """Draws a Scene that fills its axes, at the resolution of the renderer."""

    def __init__(self, scene, zorder):
        super().__init__()
        self.scene = scene
        self.set_zorder(zorder)
        self.set_in_layout(False)

    def draw(self, renderer):
        if not self.get_visible():
            return
        size = renderer.get_image_magnification()
        box = self.axes.bbox
        left, bottom, right, top = (round(size * end) for end in box.extents)
        image = self.scene.image(max(right - left, 1), max(top - bottom, 1), size * self.figure.dpi / 72.0)
        gc = renderer.new_gc()
        renderer.draw_image(gc, box.x0, box.y0, image)
        gc.restore()
        self.stale = False
