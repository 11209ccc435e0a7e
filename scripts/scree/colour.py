"""Quantities that colour the particles of a picture, and their colour scales."""

import dataclasses
from collections.abc import Callable

import matplotlib
import matplotlib.colors
import matplotlib.lines
import numpy as np

import scree.bond_order
import scree.bonds
import scree.contacts
import scree.figure
import scree.units
import scree.view
from scree.errors import UsageError, did_you_mean

DEFAULT_SHARE = 0.999  # fraction of the particles of a frame within the scale, so that outliers do not count
ROUNDING = 1e-18  # a scale with a smaller upper end would show rounding errors, as of a zero field
REST_SPEED = 1e-4  # slower particles count as at rest, because solver errors move them [(g d)^(1/2)]
FEW_SIZES = 6  # up to this number of different sizes, each size has its own colour
SIGNED_MAP = "RdBu_r"  # colour map of signed quantities
NAMES = ("speed", "spin", "size", "material", "shape", "id", "q6", "cluster", "pressure")
SINGLE = "lightgray"  # colour of clusters of one particle
CLUSTERS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#8c510a", "#762a83", "#1b7837", "#b2182b")


@dataclasses.dataclass(frozen=True)
class Colouring:
    """A quantity that colours the particles."""

    name: str
    label: str  # of the scale, with the unit
    values: Callable  # Snapshot -> [N]
    fields: tuple = ()  # fields that `values` requires
    is_signed: bool = False  # whether the scale is symmetric about zero
    from_zero: bool = True  # whether the scale begins at zero
    categories: bool = False  # whether values are indices of kinds


@dataclasses.dataclass(frozen=True)
class Scale:
    """A colour scale for several frames."""

    colouring: Colouring
    norm: matplotlib.colors.Normalize
    colours: matplotlib.colors.Colormap
    names: tuple = ()  # names of the kinds, by their indices; empty for a continuous scale
    present: tuple = ()  # indices of the kinds in the frames


def pressure(snapshot):
    """Mean normal stress of each particle from its contacts, sum of f.r / (3 V), [N] in Pa.

    f is the force of a contact on the particle, r the vector from the contact to the particle's centre, V the volume.
    Zero at step 0, which has no contacts. Raises UsageError if the run did not record contacts.
    """
    contacts = scree.contacts.recorded(snapshot)
    if contacts is None and snapshot.step == 0:
        return np.zeros(len(snapshot))
    if contacts is None:
        raise UsageError(f"'{snapshot.path}' has no contacts for a pressure; a run records them with "
                         "output.contacts = yes")
    sides = contacts.sides(snapshot)
    virial = np.einsum("ij,ij->i", sides.force, sides.arm)
    return np.bincount(sides.particle, virial, minlength=len(snapshot)) / (3.0 * snapshot.volumes)


def cluster_kinds(snapshot):
    """Colour of each particle: 0 without intact bonds, otherwise an index of CLUSTERS from 1, [N].

    The index is a hash of the cluster's label, so it is the same in all frames.
    """
    labels = scree.bonds.clusters(snapshot)
    _, number, count = np.unique(labels, return_inverse=True, return_counts=True)
    hashed = (labels.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    return np.where(count[number] == 1, 0, 1 + hashed % np.uint64(len(CLUSTERS))).astype(int)


def _of_field(name, snapshot):
    """The Colouring of any field: its values, the norm of a vector, or a component such as velocity_x."""
    if name in snapshot.fields:
        values = snapshot[name]
        label = f"{name.replace('_', ' ')}{_in_unit(snapshot, name)}"
        if values.ndim > 1:
            return Colouring(name, label, lambda frame: np.linalg.norm(frame[name], axis=1), (name,))
        is_whole = values.dtype.kind in "iu"
        return Colouring(name, label, lambda frame: frame[name], (name,), categories=is_whole,
                         is_signed=not is_whole and len(values) > 0 and values.min() < 0.0)
    field, _, component = name.rpartition("_")
    if field in snapshot.fields and component in ("x", "y", "z") and snapshot[field].shape[1:] == (3,):
        axis = "xyz".index(component)
        label = f"{field.replace('_', ' ')} in {component}{_in_unit(snapshot, field)}"
        is_position = field == "position"
        return Colouring(name, label, lambda frame: frame[field][:, axis], (field,),
                         is_signed=not is_position, from_zero=False)
    known_names = [*NAMES, *(field_name for field_name in snapshot.fields if field_name not in NAMES)]
    guess = did_you_mean(name, known_names)
    raise UsageError(f"particles have no quantity '{name}'{guess}; expected one of {', '.join(known_names)}, "
                     "or a component as in velocity_x")


def _in_unit(snapshot, field):
    unit = snapshot.units.get(field, "1")
    return "" if unit == "1" else f" [{unit}]"


def of(name, snapshot):
    """The Colouring of this name for a Snapshot with all its fields; raises UsageError."""
    colourings = {
        "speed": Colouring("speed", scree.units.LABELS["speed"], lambda frame: frame.speed, ("velocity",)),
        "spin": Colouring("spin", scree.units.LABELS["angular_speed"],
                          lambda frame: np.linalg.norm(frame["angular_velocity"], axis=1), ("angular_velocity",)),
        "size": Colouring("size", "diameter $d$ [mm]", lambda frame: 2e3 * frame["radius"], ("radius",), from_zero=False),
        "material": Colouring("material", "material", lambda frame: frame["material"], ("material",),
                              categories=True),
        "shape": Colouring("shape", "shape", lambda frame: frame.shape_numbers, ("radius",), categories=True),
        "id": Colouring("id", "id", lambda frame: frame["id"].astype(float), ("id",), from_zero=False),
        "q6": Colouring("q6", "bond order $Q_6$", scree.bond_order.q6, ("position", "radius")),
        "cluster": Colouring("cluster", "clusters of bonds", cluster_kinds, ("id",), categories=True),
        "pressure": Colouring("pressure", "contact " + scree.units.LABELS["pressure"], pressure, ("radius", "velocity")),
    }  # fmt: skip
    return colourings.get(name) or _of_field(name, snapshot)


def default(snapshots):
    """Name of the default quantity to colour by: the speed or, if all particles rest, material, shape or size.

    The speed of a single particle in the first frame does not count, because there is nothing to compare it with.
    """
    last = None
    for frame in snapshots:
        is_alone, last = last is None and len(frame) == 1, frame
        diameter = 2.0 * float(np.mean(frame["radius"])) if len(frame) else 0.0
        unit_speed = np.sqrt(diameter * np.linalg.norm(scree.view.gravity(frame)))
        if not is_alone and np.any(frame.speed > max(REST_SPEED * unit_speed, scree.units.AT_REST["speed"])):
            return "speed"
    if last is None or not len(last):
        return "speed"
    names = ("material", "shape", "size")
    values = (last["material"], last.shape_numbers, last["radius"])
    return next((name for name, field_values in zip(names, values) if np.ptp(field_values) > 0.0), "material")


def scale(colouring, snapshots, top=None):
    """The Scale for all of these Snapshots.  top: its upper end; None: computed from the values"""
    first, values = None, []
    for frame in snapshots:  # read each frame once, because this may be an iterator
        first = frame if first is None else first
        values += [colouring.values(frame)] if len(frame) else []
    if colouring.categories:
        return _category_scale(colouring, first, values)
    sizes = np.unique(np.concatenate([np.unique(frame_values) for frame_values in values])) if colouring.name == "size" and values else []
    if 1 < len(sizes) <= FEW_SIZES and top is None:
        edges = [sizes[0] - 1.0, *0.5 * (sizes[1:] + sizes[:-1]), sizes[-1] + 1.0]
        return _banded_scale(colouring, edges, tuple(f"{size:.4g}" for size in sizes), tuple(range(len(sizes))))
    if colouring.is_signed:
        end = top or max((np.quantile(np.abs(frame_values), DEFAULT_SHARE) for frame_values in values), default=0.0) or 1.0
        return Scale(colouring, matplotlib.colors.Normalize(-end, end), matplotlib.colormaps[SIGNED_MAP])
    end = top or max((np.quantile(frame_values, DEFAULT_SHARE) for frame_values in values), default=0.0)
    low = 0.0 if colouring.from_zero else min((float(frame_values.min()) for frame_values in values), default=0.0)
    if not low < end or end < scree.units.AT_REST.get(colouring.name, ROUNDING):
        end = low + (abs(low) or 1.0)
    return Scale(colouring, matplotlib.colors.Normalize(low, end), matplotlib.colormaps[scree.figure.COLOUR_MAP])


def _category_scale(colouring, first, values):
    if colouring.name == "cluster":
        names = ("single", *(f"cluster {k}" for k in range(len(CLUSTERS))))
        norm = matplotlib.colors.BoundaryNorm(np.arange(len(names) + 1) - 0.5, len(names))
        is_any_single = any((frame_values == 0).any() for frame_values in values)
        return Scale(colouring, norm, matplotlib.colors.ListedColormap([SINGLE, *CLUSTERS]), names, (0,) if is_any_single else ())
    count = max((int(frame_values.max()) + 1 for frame_values in values), default=1)
    names = first.kinds(colouring.name)[1] if colouring.name in ("material", "shape") else tuple(map(str, range(count)))
    present = sorted({int(kind) for frame_values in values for kind in np.unique(frame_values)})
    return _banded_scale(colouring, np.arange(len(names) + 1) - 0.5, names, tuple(present))


def _banded_scale(colouring, edges, names, present):
    """The Scale of kinds; kind k has the values from edges[k] to edges[k + 1].  present: kinds in the frames"""
    # A kind with the name of a colour has this colour.
    colours = [name if name in matplotlib.colors.CSS4_COLORS else scree.figure.COLOURS[k % len(scree.figure.COLOURS)]
              for k, name in enumerate(names)]
    norm = matplotlib.colors.BoundaryNorm(edges, len(names))
    return Scale(colouring, norm, matplotlib.colors.ListedColormap(colours), names, present)


def draw_bar(figure, place, scale, snapshot):
    """Draws a legend of kinds, or a colour bar, with arrows if values exceed the scale.

    place: left, bottom, width and height, as fractions of the figure
    """
    if scale.names:
        marks = [matplotlib.lines.Line2D([], [], linestyle="", marker="o", markersize=9, markeredgecolor="black",
                                         markeredgewidth=0.3, color=scale.colours.colors[kind]) for kind in scale.present]  # fmt: skip
        names = [scale.names[kind] for kind in scale.present]
        figure.legend(marks, names, title=scale.colouring.label, loc="upper left", frameon=False, borderaxespad=0.0,
                      handletextpad=0.1, bbox_to_anchor=(place[0], place[1] + place[3]))  # fmt: skip
        return
    bar = figure.add_axes(place)
    mappable = matplotlib.cm.ScalarMappable(scale.norm, scale.colours)
    values = scale.colouring.values(snapshot)
    extend = "neither"
    if len(values):
        below, above = values.min() < scale.norm.vmin, values.max() > scale.norm.vmax
        extend = ("both" if below else "max") if above else ("min" if below else "neither")
    scree.figure.label(figure.colorbar(mappable, cax=bar, extend=extend).ax.yaxis, scale.colouring.label)
