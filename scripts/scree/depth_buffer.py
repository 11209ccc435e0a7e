"""A depth buffer in numpy for spheres, triangles and lines in a parallel projection, with light and ambient occlusion.

All lengths are in pixels: x to the right, y upwards, z towards the viewer; the middle of the first pixel is at (0, 0).
"""

import numpy as np
import scipy.ndimage

LIGHT = np.array([-0.32, 0.38, 0.87], np.float32)  # direction of the lamp; surfaces that face the viewer are fully lit
DARKEST = 0.45  # brightness of a surface that the light does not reach
AMBIENT = 0.55  # largest fraction of light that ambient occlusion removes
FADE = 0.18  # fraction of white in the colour of the farthest surface
EDGE_ANGLE = 25.0  # smallest angle between normals of adjacent pixels that makes an edge [degrees]
TILE = 8  # side of the tiles with which spheres are tested for occlusion
FIRST_BATCH, BATCH_PIXELS = 2 * 10**5, 2 * 10**6  # number of pixels in the first batch, and in later batches
MIN_RADIUS = 0.71  # smallest radius; a smaller sphere could lie between pixels
OUTLINE = 0.65  # largest darkness of an outline
OUTLINE_RADIUS = 3.0  # smaller spheres have no outline; the full outline begins at twice this radius
LINE_SHIFT = 1.5  # shift of lines in front of their surface [line widths]
RINGS = ((0.3, 0.0), (0.65, 0.26), (1.0, 0.52))  # samples of occlusion: (radius of the ring [range], rotation [rad])
SAMPLES = 8  # samples per ring
SMOOTHING_REACH = 6.0  # largest reach of occlusion without smoothing
MIN_COSINE = 0.25  # lower limit of the cosine between normal and line of sight, so that slopes are finite


def _ranges(first, count):
    """Numbers first[k] .. first[k] + count[k] - 1 for each k in turn, as arrays (k, number)."""
    count = np.maximum(count, 0)
    item = np.repeat(np.arange(len(count)), count)
    return item, np.arange(len(item)) + np.repeat(first - (np.cumsum(count) - count), count)


class Buffer:
    """Depth and the item (-1: none) of the nearest surface at each pixel. Items are spheres, then triangles.

    Rows go upwards.
    """

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.lines, self.columns = -(-height // TILE) * TILE, -(-width // TILE) * TILE  # pixels, rounded up to tiles
        self.depth = np.full(self.lines * self.columns, -np.inf, np.float32)
        self.item = np.full(self.lines * self.columns, -1, np.int32)
        self.centres, self.radii, self.corners, self.normals = np.zeros((0, 3)), np.zeros(0), None, None
        self.colours, self.bodies, self.outlines = np.zeros((0, 3)), np.zeros(0, int), np.zeros(0)

    def _store(self, colours, bodies, outlines):
        """Stores the appearance of items; returns the index of the first."""
        first = len(self.bodies)
        self.colours = np.concatenate([self.colours, colours])
        self.bodies = np.concatenate([self.bodies, bodies])
        self.outlines = np.concatenate([self.outlines, outlines])
        return first

    def _put(self, pixel, z, item):
        """Draws items [P] at pixels [P] where their z [P] is nearer than the depth so far."""
        z = z.astype(np.float32)
        is_nearer = z > self.depth[pixel]
        while is_nearer.any():
            pixel, z, item = pixel[is_nearer], z[is_nearer], item[is_nearer]
            # Of several items at a pixel the assignment keeps the last, not the nearest. Therefore repeat.
            self.depth[pixel], self.item[pixel] = z, item
            is_nearer = z > self.depth[pixel]

    def _spans(self, y, left, right):
        """Pixels of horizontal lines at y from left to right: (line, x, pixel)."""
        first = np.maximum(np.ceil(left), 0).astype(int)
        line, x = _ranges(first, np.minimum(np.floor(right), self.width - 1).astype(int) - first + 1)
        return line, x, y[line] * self.columns + x

    def _rows(self, low, high):
        """Rows of pixels between low and high, for each k: (k, row)."""
        first = np.maximum(np.ceil(low), 0).astype(int)
        return _ranges(first, np.minimum(np.floor(high), self.height - 1).astype(int) - first + 1)

    def _can_be_seen(self, centres, radii):
        """Whether spheres may be visible: a pixel in the tiles of the sphere is farther than its nearest point."""
        tiles = self.depth.reshape(self.lines // TILE, TILE, -1, TILE).min(axis=(1, 3))
        low = np.maximum((centres[:, :2] - radii[:, None]) // TILE, 0).astype(int)
        high = np.minimum((centres[:, :2] + radii[:, None]) // TILE, np.array(tiles.shape)[::-1] - 1).astype(int)
        ball, y = _ranges(low[:, 1], high[:, 1] - low[:, 1] + 1)
        row, x = _ranges(low[ball, 0], (high - low)[ball, 0] + 1)
        ball = ball[row]
        can_be_seen = np.zeros(len(radii), bool)
        can_be_seen[ball[tiles[y[row], x] < centres[ball, 2] + radii[ball]]] = True
        return can_be_seen

    def add_spheres(self, centres, radii, colours, bodies):
        """Draws all spheres; must be called before `add_triangles`. Outlines separate different bodies."""
        radii = np.maximum(radii, MIN_RADIUS)
        self._store(colours, bodies, OUTLINE * np.clip(radii / OUTLINE_RADIUS - 1.0, 0.0, 1.0))
        self.centres, self.radii = centres, radii
        order = np.argsort(-(centres[:, 2] + radii))
        area = np.cumsum(4.0 * np.minimum(radii[order], max(self.width, self.height)) ** 2)
        ends = np.searchsorted(area, np.append(FIRST_BATCH, np.arange(1, area[-1] // BATCH_PIXELS + 2) * BATCH_PIXELS)
                               ) if len(order) else []  # fmt: skip
        begin = 0
        for end in ends:
            rows = order[begin : max(end, begin + 1)]
            begin = max(end, begin + 1)
            rows = rows[self._can_be_seen(centres[rows], radii[rows])]
            (cx, cy, cz), r = centres[rows].T, radii[rows]
            ball, y = self._rows(cy - r, cy + r)
            half_width = np.sqrt(np.maximum(r[ball] ** 2 - (y - cy[ball]) ** 2, 0.0))
            line, x, pixel = self._spans(y, cx[ball] - half_width, cx[ball] + half_width)
            rise = np.sqrt(np.maximum(half_width[line] ** 2 - (x - cx[ball[line]]) ** 2, 0.0))
            ball = ball[line]
            self._put(pixel, cz[ball] + rise, rows[ball])

    def add_triangles(self, corners, colours, bodies, normals=None, keep=None, is_kept=None):
        """Draws all triangles [T, 3, 3].

        normals: at the corners, [T, 3, 3]; None: those of the triangles
        keep: function that returns whether points [P, 3] are in a convex region; triangles are cut off at its surface
        is_kept: whether triangles are drawn whole in spite of `keep`, [T] of bool
        """
        if keep is not None:
            is_inside = keep(corners.reshape(-1, 3)).reshape(-1, 3).all(axis=1)
            is_kept = is_inside if is_kept is None else is_inside | is_kept
            keep = None if is_kept.all() else keep
        first_item = self._store(colours, bodies, np.full(len(bodies), OUTLINE))
        areas = np.minimum(np.ptp(corners[..., :2], axis=1), [self.width, self.height]).prod(axis=1)
        face_normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        self.corners, self.normals = corners, np.repeat(face_normals[:, None], 3, axis=1) if normals is None else normals
        batch = np.cumsum(areas) // BATCH_PIXELS
        for rows in np.split(np.arange(len(corners)), np.flatnonzero(np.diff(batch)) + 1):
            chunk, normal = corners[rows], face_normals[rows]
            triangle, y = self._rows(chunk[..., 1].min(axis=1), chunk[..., 1].max(axis=1))
            left, right = np.full(len(y), np.inf), np.full(len(y), -np.inf)
            for k in range(3):
                a, b = chunk[triangle, k], chunk[triangle, (k + 1) % 3]
                crossed = np.flatnonzero((np.minimum(a[:, 1], b[:, 1]) <= y) & (np.maximum(a[:, 1], b[:, 1]) >= y)
                                         & (a[:, 1] != b[:, 1]))  # fmt: skip
                a, b = a[crossed], b[crossed]
                crossing = a[:, 0] + (y[crossed] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
                left[crossed] = np.minimum(left[crossed], crossing)
                right[crossed] = np.maximum(right[crossed], crossing)
            is_crossed = left <= right
            triangle, y = triangle[is_crossed], y[is_crossed]
            line, x, pixel = self._spans(y, left[is_crossed], right[is_crossed])
            triangle, y = triangle[line], y[line]
            normal_z = np.where(np.abs(normal[:, 2]) > 1e-9, normal[:, 2], np.inf)
            slope = -normal[:, :2] / normal_z[:, None]
            z = chunk[triangle, 0, 2] + slope[triangle, 0] * (x - chunk[triangle, 0, 0]) + slope[triangle, 1] * (y - chunk[triangle, 0, 1])
            low, high = chunk[..., 2].min(axis=1), chunk[..., 2].max(axis=1)
            z = np.clip(z, low[triangle], high[triangle])
            if keep is not None:
                is_drawn = is_kept[rows[triangle]]
                to_check = np.flatnonzero(~is_drawn)
                is_drawn[to_check] = keep(np.stack([x[to_check], y[to_check], z[to_check]], axis=1))
                pixel, z, triangle = pixel[is_drawn], z[is_drawn], triangle[is_drawn]
            self._put(pixel, z, rows[triangle] + first_item)

    def find_line_pixels(self, segments, width):
        """Pixels [L] at which no surface occludes the lines [S, 2, 3]."""
        length = np.ceil(np.abs(segments[:, 1] - segments[:, 0])[:, :2].max(axis=1, initial=0.0)).astype(int) + 1
        length = np.minimum(length, 4 * (self.width + self.height))
        line, step = _ranges(np.zeros(len(segments), int), length)
        fraction = step / np.maximum(length[line] - 1, 1)
        points = segments[line, 0] + fraction[:, None] * (segments[line, 1] - segments[line, 0])
        pixels = []
        reach = int(np.ceil(0.5 * width - 0.5))
        for dx in range(-reach, width - reach):
            for dy in range(-reach, width - reach):
                x, y = np.round(points[:, 0]).astype(int) + dx, np.round(points[:, 1]).astype(int) + dy
                is_inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                pixel = y[is_inside] * self.columns + x[is_inside]
                pixels.append(pixel[points[is_inside, 2] + LINE_SHIFT * width >= self.depth[pixel]])
        return np.concatenate(pixels)

    def _pixel_normals(self, pixel):
        """Unit normals, towards the viewer, of the surfaces at covered pixels [P], [3, P]."""
        item = self.item[pixel]
        y, x = np.divmod(pixel.astype(np.int32), np.int32(self.columns))
        normals = np.empty((3, len(pixel)), np.float32)
        is_sphere = item < len(self.radii)
        for rows, normals_of in ((is_sphere, self._sphere_normals), (~is_sphere, self._triangle_normals)):
            if rows.all():
                return normals_of(item, x, y)
            if rows.any():
                normals[:, rows] = normals_of(item[rows], x[rows], y[rows])
        return normals

    def _sphere_normals(self, item, x, y):
        (cx, cy), r = self.centres[:, :2].T, self.radii
        u, v = ((x - cx[item]) / r[item]).astype(np.float32), ((y - cy[item]) / r[item]).astype(np.float32)
        return np.stack([u, v, np.sqrt(np.maximum(1.0 - u * u - v * v, 0.0))])

    def _triangle_normals(self, item, x, y):
        """Interpolates the normals at the corners linearly over triangles."""
        triangle = item - len(self.radii)
        corner_normals = self.normals.transpose(1, 2, 0)
        normals = _towards_viewer(corner_normals[0])[:, triangle]
        units = corner_normals / np.maximum(np.linalg.norm(corner_normals, axis=1, keepdims=True), 1e-300)
        is_curved = np.any(np.abs(units - units[0]) > 1e-5, axis=(0, 1))
        if is_curved.any():
            curved_pixels = np.flatnonzero(is_curved[triangle])
            curved_triangle, (a, b, c) = triangle[curved_pixels], self.corners[:, :, :2].transpose(1, 0, 2)
            total = _cross(b - a, c - a)
            to_b, to_c = np.stack([b - a, c - a]) / np.where(np.abs(total) > 1e-9, total, np.inf)[:, None]
            dx, dy = x[curved_pixels] - a[curved_triangle, 0], y[curved_pixels] - a[curved_triangle, 1]
            weight_b = np.clip(dx * to_c[curved_triangle, 1] - dy * to_c[curved_triangle, 0], 0.0, 1.0)
            weight_c = np.clip(dy * to_b[curved_triangle, 0] - dx * to_b[curved_triangle, 1], 0.0, 1.0)
            weights = np.stack([np.clip(1.0 - weight_b - weight_c, 0.0, 1.0), weight_b, weight_c]).astype(np.float32)
            corner_normals = corner_normals.astype(np.float32)
            sums = sum(weights[k] * corner_normals[k][:, curved_triangle] for k in range(3))
            normals[:, curved_pixels] = _towards_viewer(sums)
        return normals

    def _edges(self, normals, depth):
        """Darkness of outlines, [lines, columns]: between bodies, and at edges and jumps of depth between faces.

        normals: [3, lines, columns]
        """
        shape = (self.lines, self.columns)
        bodies = np.append(self.bodies, -1)[self.item].reshape(shape)
        outlines = np.append(self.outlines, 0.0).astype(np.float32)[self.item].reshape(shape)
        is_flat = (self.item >= len(self.radii)).reshape(shape)
        has_flat = is_flat.any()
        cosine = np.clip(normals[2], MIN_COSINE, 1.0)
        slope = np.sqrt(1.0 - cosine**2) / cosine
        darkness = np.zeros(shape, np.float32)
        for first, second in (((slice(None), slice(1, None)), (slice(None), slice(-1))), ((slice(1, None),), (slice(-1),))):
            is_edge = bodies[first] != bodies[second]
            if has_flat:
                is_sharp = sum(n[first] * n[second] for n in normals) < np.cos(np.radians(EDGE_ANGLE))
                is_jump = np.abs(depth[first] - depth[second]) > 4.0 + 2.0 * np.maximum(slope[first], slope[second])
                is_edge |= is_flat[first] & is_flat[second] & (is_sharp | is_jump)
            strength = is_edge * np.where(depth[first] > depth[second], outlines[first], outlines[second])
            np.maximum(darkness[first], strength, out=darkness[first])
            np.maximum(darkness[second], strength, out=darkness[second])
        return darkness

    def shade(self, reach):
        """Colours [height, width, 3], the mask of covered pixels, and the darkness of outlines.

        reach: range of ambient occlusion
        """
        shape = (self.lines, self.columns)
        is_covered = self.item >= 0
        covered = np.flatnonzero(is_covered)
        shaded = np.zeros((len(self.item), 3), np.float32)
        normals = np.zeros((3, len(self.item)), np.float32)
        if len(covered):
            pixel_normals = self._pixel_normals(covered)
            normals[:, covered] = pixel_normals
            light = DARKEST + (1.0 - DARKEST) * np.clip((LIGHT / LIGHT[2]) @ pixel_normals, 0.0, 1.0)
            depths = self.depth[covered]
            fading = FADE * (depths.max() - depths) / max(depths.max() - depths.min(), 8.0 * reach)
        normals, depth = normals.reshape(3, *shape), np.where(is_covered, self.depth, np.float32(-1e9)).reshape(shape)
        darkness = self._edges(normals, depth)
        if len(covered):
            light *= 1.0 - np.float32(AMBIENT) * _occlusion(depth, normals, reach).ravel()[covered]
            light *= 1.0 - darkness.ravel()[covered]
            colours = self.colours.astype(np.float32).take(self.item[covered], axis=0)
            shaded[covered] = colours * (light * (1.0 - fading))[:, None] + fading[:, None]
        window = (slice(self.height), slice(self.width))
        return shaded.reshape(*shape, 3)[window], is_covered.reshape(shape)[window], darkness[window]


def _towards_viewer(vectors):
    """Unit vectors along vectors [3, N], reversed if they point away from the viewer."""
    norms = np.sqrt(np.einsum("kp,kp->p", vectors, vectors))
    return (vectors / (np.maximum(norms, 1e-30) * np.where(vectors[2] < 0.0, -1.0, 1.0))).astype(np.float32)


def _cross(a, b):
    """z of the cross products of vectors [N, 2]."""
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _occlusion(depth, normals, reach):
    """Ambient occlusion, 0 to 1, [lines, columns]: mean slope at which the surroundings rise above a surface.

    It is computed at every second pixel.  normals: [3, lines, columns]
    """
    depth, normals = np.ascontiguousarray(depth[::2, ::2]), normals[:, ::2, ::2]
    cosine = np.clip(normals[2], MIN_COSINE, 1.0)
    slopes = [-normals[k] / cosine for k in (0, 1)]
    margin = int(np.ceil(0.5 * reach)) + 1
    padded = np.pad(depth, margin, constant_values=-1e9)
    total = np.zeros_like(depth)
    for ring, rotation in RINGS:
        for angle in rotation + np.arange(SAMPLES) * 2.0 * np.pi / SAMPLES:
            dx, dy = (int(np.round(0.5 * ring * reach * component(angle))) for component in (np.cos, np.sin))
            height = padded[margin + dy : margin + dy + len(depth), margin + dx : margin + dx + depth.shape[1]] - depth
            distance = max(2.0 * np.hypot(dx, dy), 1.0)
            rise = (height - 2.0 * (dx * slopes[0] + dy * slopes[1])) / distance
            total += np.clip(rise, 0.0, 1.0) * (height < 4.0 * reach)  # surfaces far in front cast no shadow
    occlusion = np.minimum(1.5 * total / (len(RINGS) * SAMPLES), 1.0)
    if reach > SMOOTHING_REACH:  # otherwise single samples would be visible
        occlusion = scipy.ndimage.uniform_filter(occlusion, int(reach / SMOOTHING_REACH))
    return np.repeat(np.repeat(occlusion, 2, axis=0), 2, axis=1)


def smooth_normals(triangles, angle):
    """Normals at the corners of triangles [T, 3, 3]: for each corner the sum over the faces that meet
    there at less than `angle` [degrees].
    """
    face_normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    units = face_normals / np.maximum(np.linalg.norm(face_normals, axis=1, keepdims=True), 1e-300)
    corners = triangles.reshape(-1, 3)
    quantum = 1e-6 * max(np.ptp(corners, axis=0).max(initial=0.0), 1e-300)
    _, vertex, count = np.unique(np.round(corners / quantum), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(vertex, kind="stable")
    corner, other = _ranges((np.cumsum(count) - count)[vertex], count[vertex])
    face, other = corner // 3, order[other] // 3
    cosine = np.einsum("ij,ij->i", units[face], units[other])
    is_smooth = np.abs(cosine) > np.cos(np.radians(angle))
    aligned_normals = np.sign(cosine[is_smooth])[:, None] * face_normals[other[is_smooth]]
    sums = [np.bincount(corner[is_smooth], aligned_normals[:, axis], minlength=len(corners)) for axis in range(3)]
    return np.stack(sums, axis=1).reshape(triangles.shape)
