"""The image of a snapshot in a View, from a depth buffer: particles, walls, and the floor. Walls that hide particles are glass."""

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

HIDES = 0.35  # a wall that hides a larger fraction of the particles is drawn as glass
GLASS, GLASS_LINES = 0.1, 0.45  # opacity of glass, and of its edges
SAMPLE, COARSE = 500, 200  # number of particles, and width in pixels, of the test whether a wall hides them
MAX_PIXELS = 1.2e7  # larger images are not supersampled by two [pixels]
REACH = 1.4  # of ambient occlusion, in radii of the particles
BEFORE = 0.15  # radii by which walls are drawn nearer, because particles stick out of the facets of round walls
LEVEL = 0.5  # least upward component of a floor's normal
FLOOR_COLOUR = 0.86


@dataclasses.dataclass(frozen=True)
class Look:
    """Which walls are drawn how."""

    paint: Mapping[str, str] = dataclasses.field(default_factory=dict)  # colours by names of walls
    glass: Collection[str] | None = None  # transparent walls; None: those that hide many particles
    hidden: Collection[str] = ()


class _Camera:
    """Converts positions [m] to pixels of a View.  lower: corner of the drawing [2] [m];  pixel: its size [m]"""

    def __init__(self, view, lower, pixel):
        self.axes = np.array([view.right, view.up, np.array(view.towards) / np.linalg.norm(view.towards)])
        self.pixel, self.shift = pixel, np.array([*lower, 0.0]) / pixel + [0.5, 0.5, 0.0]  # 0.5: to the middle

    def pixels(self, points):
        return points @ self.axes.T / self.pixel - self.shift

    def space(self, pixels):
        return (pixels + self.shift) @ self.axes * self.pixel


def _walls_of(snapshot):
    """Triangles of each wall in the domain, {name: (triangles [T, 3, 3], normals at their corners)}, without planes."""
    triangles_of = {}
    for name, solids in scree.walls.in_domain(snapshot).items():
        for solid in solids:
            points = np.clip(solid.points, snapshot.lower, snapshot.upper)  # a solid that is cut off stays closed
            if np.linalg.matrix_rank(points - points[0], tol=1e-9 * np.ptp(points)) == 3:
                triangles = scree.walls.Solid(name, points).triangles()
                triangles_of.setdefault(name, []).append((triangles, smooth_normals(triangles, scree.walls.ROUND)))
    for sheet in scree.walls.sheets(snapshot):
        triangles_of.setdefault(sheet.wall, []).append((sheet.triangles, smooth_normals(sheet.triangles, scree.walls.ROUND)))
    return {name: tuple(map(np.concatenate, zip(*parts))) for name, parts in triangles_of.items()}


def _floors(snapshot, view):
    """Triangles [T, 3, 3] of the planes that carry particles, in oblique views."""
    triangles = [np.zeros((0, 3, 3))]
    for normal, polygon in scree.wall_drawing.plane_polygons(snapshot) if not view.axes else ():
        if normal @ scree.view.vertical(snapshot) > LEVEL and view.depth(normal) > 0.0:
            triangles.append(np.array([polygon[[0, k, k + 1]] for k in range(1, len(polygon) - 1)]))
    return np.concatenate(triangles)


def _hides(triangles, snapshot, view, lower, extent):
    """Whether a wall hides so many particles that it should be transparent."""
    if not len(snapshot):
        return False
    pixel = extent[0] / COARSE
    camera = _Camera(view, lower, pixel)
    buffer = Buffer(COARSE, int(np.ceil(extent[1] / pixel)))
    buffer.add_triangles(camera.pixels(triangles), np.zeros((len(triangles), 3)), np.zeros(len(triangles), int),
                         keep=_box(camera, snapshot))  # fmt: skip
    chosen = snapshot["position"][np.linspace(0, len(snapshot) - 1, min(SAMPLE, len(snapshot))).astype(int)]
    x, y, z = camera.pixels(chosen).T
    pixels = np.clip(np.round(y).astype(int), 0, buffer.height - 1) * buffer.columns + np.clip(np.round(x).astype(int), 0, COARSE - 1)
    return np.mean(buffer.depth[pixels] > z) > HIDES


def _box(camera, snapshot):
    """Returns a function that says which points, in pixel coordinates [P, 3], are in the domain."""
    slack = 1e-3 * (snapshot.upper - snapshot.lower).max() + 0.5 * float(np.max(snapshot["radius"], initial=0.0))
    return lambda pixels: np.all(np.abs(camera.space(pixels) - 0.5 * (snapshot.lower + snapshot.upper))
                                 <= 0.5 * (snapshot.upper - snapshot.lower) + slack, axis=1)  # fmt: skip


def _polyhedra(snapshot, colours):
    """Triangles [T, 3, 3], their colours [T, 3] and rows of their bodies [T]."""
    corners, counts, rows, pieces = scree.solids.faces_of(snapshot)
    first = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), counts - 2)
    step = np.arange(len(face)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    triangles = np.stack([corners[first[face]], corners[first[face] + step + 1], corners[first[face] + step + 2]], axis=1)
    return triangles, colours[pieces[face]], rows[face]


class Scene:
    """What an image shows, for any number of pixels.  colours: of the particles [N, 4]"""

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
        """Finds triangles, normals and wall numbers of opaque walls and of glass; also floors and lines."""
        parts = {False: [], True: []}
        middle = self.snapshot["position"].mean(axis=0) if len(self.snapshot) else None
        walls = {name: surface for name, surface in _walls_of(self.snapshot).items() if name not in self.look.hidden}
        greys = {name: self.look.paint.get(name, scree.figure.WALL_COLOUR) for name in walls}
        self.paint = matplotlib.colors.to_rgba_array([*greys.values(), "black"])[:, :3]  # [W + 1, 3]
        for number, (name, (triangles, normals)) in enumerate(walls.items()):
            is_glass = np.zeros(len(triangles), bool)
            if self._is_glass(name, triangles):
                flat = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
                flat *= np.sign(self.view.depth(flat))[:, None]
                is_glass = np.einsum("ij,ij->i", middle - triangles[:, 0], flat) < 0.0  # between them and the viewer
            for kind in (False, True):
                some = is_glass == kind
                parts[kind].append((triangles[some], normals[some], np.full(some.sum(), number)))
        empty = (np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros(0, int))
        self.walls, self.glass = (tuple(map(np.concatenate, zip(empty, *parts[kind]))) for kind in (False, True))
        self.floors = _floors(self.snapshot, self.view)
        self.lines = scree.wall_drawing.outlines(self.snapshot, self.view)

    def _is_glass(self, name, triangles):
        if self.look.glass is not None:
            return name in self.look.glass
        return _hides(triangles, self.snapshot, self.view, self.lower, self.extent)

    def _add_surfaces(self, buffer, camera):
        """Adds particles, walls that are not glass, and floors to the buffer."""
        places, radii, owners, kinds = self.pieces
        balls = kinds == 0
        buffer.add_spheres(camera.pixels(places[balls]), radii[balls] / camera.pixel, self.colours[balls], owners[balls])
        triangles, normals, numbers = self.walls
        last = len(self.snapshot)
        parts = [(triangles, self.paint[numbers], last + 1 + numbers, normals)]
        if self.solids:
            triangles, colours, bodies = self.solids
            flat = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            parts.append((triangles, colours, bodies, np.repeat(flat[:, None], 3, axis=1)))
        count = len(self.floors)
        up = np.broadcast_to(scree.view.vertical(self.snapshot), (count, 3, 3))
        parts.append((self.floors, np.full((count, 3), FLOOR_COLOUR), np.full(count, last), up))
        triangles, colours, bodies, normals = map(np.concatenate, zip(*parts))
        is_wall = bodies >= last
        places = camera.pixels(triangles)
        places[is_wall, :, 2] += BEFORE * self.radius / camera.pixel
        buffer.add_triangles(places, colours, bodies, normals @ camera.axes.T,
                             keep=_box(camera, self.snapshot), is_kept=~is_wall)  # fmt: skip

    def image(self, width, height, point=1.0):
        """RGBA [height, width, 4] of bytes, rows upwards.  point: size of a typographic point [pixels]"""
        finer = 2 if 4 * width * height <= MAX_PIXELS else 1
        camera = _Camera(self.view, self.lower, self.extent[0] / (finer * width))
        buffer = Buffer(finer * width, finer * height)
        self._add_surfaces(buffer, camera)
        reach = float(np.clip(REACH * self.radius / camera.pixel, 4.0, 80.0))
        colours, seen, dark = buffer.shade(reach)
        alpha = np.where(seen, 1.0, dark).astype(np.float32)
        if len(self.glass[0]):
            colours, alpha = self._add_glass(buffer, camera, colours, alpha, reach)
        if len(self.lines):
            wide = max(1, round(finer * point * scree.wall_drawing.SHEET_WIDTH))
            y, x = np.divmod(buffer.find_line_pixels(camera.pixels(self.lines), wide), buffer.columns)
            colours[y, x], alpha[y, x] = float(scree.wall_drawing.LINE_COLOUR), 1.0
        image = np.concatenate([colours * alpha[..., None], alpha[..., None]], axis=2)
        image = sum(image[k::finer, j::finer] for k in range(finer) for j in range(finer)) / finer**2
        image[..., :3] /= np.maximum(image[..., 3:], 1e-6)
        return np.round(255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8)

    def _add_glass(self, behind, camera, colours, alpha, reach):
        triangles, normals, numbers = self.glass
        buffer = Buffer(behind.width, behind.height)
        buffer.add_triangles(camera.pixels(triangles), self.paint[numbers], numbers, normals @ camera.axes.T, keep=_box(camera, self.snapshot))
        front, seen, dark = buffer.shade(reach)
        cut = (slice(behind.height), slice(behind.width))
        nearer = (buffer.depth > behind.depth).reshape(behind.lines, behind.columns)[cut]
        cover = ((nearer | ~seen) * np.maximum(GLASS * seen, GLASS_LINES * (dark > 0.0))).astype(np.float32)
        total = cover + alpha * (1.0 - cover)
        mixed = front * cover[..., None] + colours * (alpha * (1.0 - cover))[..., None]
        return mixed / np.maximum(total, 1e-6)[..., None], total


class SceneArtist(matplotlib.artist.Artist):
    """Draws a Scene all over its axes, at the resolution of the renderer."""

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
