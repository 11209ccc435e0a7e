"""Views of a scene: the vertical, the most informative plane, parallel projections."""

import configparser
import dataclasses

import numpy as np

import scree.configuration
import scree.units

SIDE_TOLERANCE = 1.3  # largest ratio of sides of a domain that count as equal
OBLIQUE_ROTATION, OBLIQUE_ELEVATION = np.radians(25.0), np.radians(40.0)  # oblique view: rotation about the vertical, elevation


@dataclasses.dataclass(frozen=True)
class View:
    """A parallel projection, given by the directions that point right, up and towards the viewer."""

    title: str
    right: tuple
    up: tuple
    towards: tuple

    @property
    def axes(self):
        """Axes along right and up, such as (0, 2) for x and z; None if right or up is not along an axis."""
        if max(np.abs(self.right)) < 1.0 or max(np.abs(self.up)) < 1.0:
            return None
        return int(np.argmax(np.abs(self.right))), int(np.argmax(np.abs(self.up)))

    @property
    def signs(self):
        """Signs of right and up in a view with axes; -1 means opposite to the axis."""
        return tuple(int(np.sign(sum(direction))) for direction in (self.right, self.up))

    def project(self, points):
        """Points [..., 3] in the plane of the view: [..., 2]."""
        return np.asarray(points) @ np.array([self.right, self.up]).T

    def depth(self, points):
        """Distance towards the viewer, [...] for points [..., 3]."""
        return np.asarray(points) @ np.array(self.towards)


def corners_of(lower, upper):
    """Corners of a box, [8, 3]; bit k of the row is set at the upper end of axis k."""
    return np.where(np.arange(8)[:, None] >> np.arange(3) & 1, upper, lower)


def edges_of(boxes):
    """Ends [12 R, 2, 3] of the edges of boxes, [R, 2, 3]: their lower and upper corners."""
    corners = np.arange(8)[:, None] >> np.arange(3) & 1  # bit k: at the upper end of axis k
    edges = [(corner, corner | 1 << axis) for axis in range(3) for corner in range(8) if not corner >> axis & 1]
    positions = np.where(corners[None], boxes[:, None, 1], boxes[:, None, 0])  # [R, 8, 3]
    return positions[:, edges].reshape(-1, 2, 3)


def gravity(snapshot):
    """Gravity in the last step before a snapshot, [3] in m/s^2; zero if its configuration has none."""
    try:
        text = scree.configuration.at(snapshot.configuration, snapshot.time).get("scene", "gravity", fallback="")
        value = scree.units.in_si(text, scree.units.ACCELERATIONS)
    except (configparser.Error, ValueError):
        return np.zeros(3)
    return value if len(value) == 3 else np.zeros(3)


def vertical(snapshot):
    """Direction against gravity, a unit vector [3]; z without gravity."""
    acceleration = gravity(snapshot)
    norm = np.linalg.norm(acceleration)
    return -acceleration / norm if norm > 0.0 else np.array([0.0, 0.0, 1.0])


def _unit(axis, sign=1.0):
    return tuple(sign * (k == axis) for k in range(3))


def _up_axis(snapshot):
    """Axis nearest to the vertical and its sign, (2, 1.0) for z."""
    up = vertical(snapshot)
    axis = int(np.argmax(np.abs(up)))
    return axis, float(np.sign(up[axis]))


def _horizontal(snapshot):
    """Two horizontal axes; first, second and up are right-handed."""
    axis, sign = _up_axis(snapshot)
    pair = ((axis + 1) % 3, (axis + 2) % 3)
    return pair if sign > 0.0 else pair[::-1]


def _flat(title, right, up):
    towards = np.cross(right, up) + 0.0  # no -0
    axis = int(np.argmax(np.abs(towards)))
    sign = "+" if towards[axis] > 0.0 else "−"
    return View(f"{title}, from {sign}{'xyz'[axis]}", right, up, tuple(map(float, towards)))


def turned(snapshot, angle, elevation, title=""):
    """Side view rotated by `angle` about the vertical, from `elevation` above the horizon [rad].

    Gravity points down.
    """
    up = vertical(snapshot)
    right = np.array(_unit(_horizontal(snapshot)[0]))
    right = right - (right @ up) * up
    right /= np.linalg.norm(right)
    away_from_viewer = np.cross(up, right)
    right = np.cos(angle) * right - np.sin(angle) * away_from_viewer
    horizontal = np.cross(right, up)  # towards the viewer
    towards = np.cos(elevation) * horizontal + np.sin(elevation) * up
    return View(title, tuple(right), tuple(np.cross(towards, right)), tuple(towards))


def views(snapshot):
    """{name: View} of a snapshot's scene: above, side, front, oblique."""
    axis, sign = _up_axis(snapshot)
    first, second = _horizontal(snapshot)
    up = _unit(axis, sign)
    return {
        "above": _flat("top view", _unit(first), _unit(second)),
        "side": _flat("side view", _unit(first), up),
        "front": _flat("front view", _unit(second), up),
        "oblique": turned(snapshot, OBLIQUE_ROTATION, OBLIQUE_ELEVATION, "oblique view"),
    }


NAMES = ("above", "side", "front", "oblique")


def main_name(snapshot):
    """Name of the most informative view: "side", "front" or "above", along the shortest side of the domain.

    A horizontal side that is at most SIDE_TOLERANCE times the shortest is preferred, so that the vertical is visible.
    """
    axis, _ = _up_axis(snapshot)
    first, second = _horizontal(snapshot)
    extent = snapshot.upper - snapshot.lower
    for name, sight_axis in (("side", second), ("front", first), ("above", axis)):
        if extent[sight_axis] <= SIDE_TOLERANCE * extent.min():
            return name
    raise AssertionError("the shortest side is one of the three")


def default_views(snapshot):
    """Names of the two views that a picture shows by default."""
    return [main_name(snapshot), "oblique"]


def main(snapshot):
    """The View of `main_name`."""
    return views(snapshot)[main_name(snapshot)]


def of_axis(snapshot, axis):
    """Flat View that looks along an axis."""
    flat_views = [view for view in views(snapshot).values() if view.axes]
    return next(view for view in flat_views if axis not in view.axes)


def of_plane(snapshot, plane):
    """The View in which the first of two axes of space runs right and the second up, as in a map."""
    matching = [view for view in views(snapshot).values() if view.axes == tuple(plane)]
    if matching:
        return matching[0]
    return _flat("view", _unit(plane[0]), _unit(plane[1]))
