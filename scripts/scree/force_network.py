"""The network of loaded contacts: anisotropies, rose diagrams, mobilised friction, coordination without rattlers.

Anisotropies are those of the second harmonics of the density E of the normals n, and of the mean normal and tangential
force in a direction, over the sphere of directions,

    E(n) = (1 + a_c : n n)/(4 pi),   f_n(n) = f_0 (1 + a_n : n n),   f_t(n) = f_0 (a_t . n - n (a_t : n n)),

with tensors a from moments (H. Ouadfel, L. Rothenburg, Mech. Mater. 33, 201 (2001)), f_0 = tr <f_n n n/(1 + a_c : n n)>:

    a_c = 15/2 dev <n n>,   a_n = 15/2 dev <f_n n n/(1 + a_c : n n)>/f_0,   a_t = 5 dev <f_t n/(1 + a_c : n n)>/f_0

The scalars are a = +-sqrt(3/2 a : a), negative if the tensor is opposite to the deviator s of the stress. For spheres
of about one size these carry the shear: q/p = 2/5 (a_c + a_n + 3/2 a_t) with q = sqrt(3/2 s : s), if their products
are small (X. Guo, J. Zhao, Comput. Geotech. 47, 1 (2013)). With P = 1 + a (3 cos^2 - 1) other authors define a_c as a third of this.

In a plane, over the angle of the normals' projection (L. Rothenburg, R. J. Bathurst, Geotechnique 39, 601 (1989)):

    E(theta) = (1 + a_c cos 2(theta - theta_c))/(2 pi),   f_n(theta) = f_0 (1 + a_n cos 2(theta - theta_n))
"""

from __future__ import annotations

import configparser
import dataclasses

import numpy as np

import scree.configuration
import scree.figure
import scree.means
import scree.units

ROSE = 18  # sectors of half a turn
PARTS = 20  # of the range of mobilised friction
SLIDING = 0.999  # fraction of the friction limit from which a contact slides; solvers reach the limit up to rounding
STABLE, STABLE_SMOOTH = 2, 4  # neighbours that hold a body with and without friction; with fewer it is a rattler
TAIL = 1.0  # beginning of the tail of P(f) [mean forces]


@dataclasses.dataclass
class Network:
    """The network of one frame with C loaded contacts. Without loaded contacts the tensors are NaN."""

    time: float  # [s]
    contacts: int  # C
    density: np.ndarray  # a_c, [3, 3]
    normal: np.ndarray  # a_n
    tangential: np.ndarray  # a_t
    pairs: int  # number of pairs of bodies, or of a body and a wall, of these contacts
    points: np.ndarray  # fractions of these pairs with 1, 2, and 3 or more contact points
    points_load: np.ndarray  # their fractions of the sum of the normal forces
    plane: tuple[int, int]  # axes of the rose
    counts: np.ndarray  # contacts in the sectors of half a turn; the first is centred on the first axis, [ROSE]
    loads: np.ndarray  # sums of their normal forces, relative to the mean force, [ROSE]
    limited: int  # contacts with a known, nonzero limit of friction
    mobilised: np.ndarray  # fractions of these in equal bins of |f_t|/(mu f_n) from 0 to 1, [PARTS]
    mean_mobilised: float
    sliding: float  # fraction of these that slides
    carrying: int  # bodies in the region that are not rattlers
    coordination: float  # of these bodies, without neighbours that are rattlers
    rattlers: float  # fraction of the bodies in the region


def deviator(tensor: np.ndarray) -> np.ndarray:
    return tensor - np.trace(tensor) / 3.0 * np.eye(3)


def anisotropies(normals: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tensors a_c, a_n, a_t [3, 3] of contacts with normals [C, 3] and forces [C, 3] on the body to which these point.

    a_t.n is along the tangential force: its second index is that of the normal.
    """
    count = len(normals)
    if not count:
        return (np.full((3, 3), np.nan),) * 3
    density = 7.5 * deviator(normals.T @ normals / count)
    load = np.einsum("ni,ni->n", forces, normals)
    # With few contacts the series may be zero or negative.
    share = 1.0 / np.maximum(1.0 + np.einsum("ij,ni,nj->n", density, normals, normals), 0.1) / count
    normal_moment = (share * load * normals.T) @ normals
    tangential_moment = (share[:, None] * (forces - load[:, None] * normals)).T @ normals
    mean = np.trace(normal_moment)
    return density, 7.5 * deviator(normal_moment) / mean, 5.0 * deviator(tangential_moment) / mean


def scalar(tensor: np.ndarray, stress: np.ndarray) -> float:
    """sqrt(3/2 a : a), negative if a is opposite to the deviator of the stress."""
    sign = -1.0 if np.sum(tensor * deviator(stress)) < 0.0 else 1.0
    return float(sign * np.sqrt(1.5 * np.sum(tensor * tensor)))


def stress_ratio(stress: np.ndarray) -> float:
    """q/p with q = sqrt(3/2 s : s)."""
    part = deviator(0.5 * (stress + stress.T))
    return float(np.sqrt(1.5 * np.sum(part * part)) / (np.trace(stress) / 3.0))


def rose(normals: np.ndarray, weights: np.ndarray, plane: tuple[int, int]) -> np.ndarray:
    """Sums of weights [C] of normals [C, 3] in the sectors of half a turn in a plane of two axes, [ROSE].

    The first sector is centred on the first axis, so that normals at walls are not between two sectors.
    Both ends of a normal count. Only normals closer to the plane than to its normal count: for others, such as those at
    walls parallel to the plane, the direction in the plane is arbitrary.
    """
    first, second = normals[:, plane[0]], normals[:, plane[1]]
    is_near_plane = first**2 + second**2 > 0.5
    angle = np.mod(np.arctan2(second[is_near_plane], first[is_near_plane]), np.pi)
    sector = np.round(angle / np.pi * ROSE).astype(int) % ROSE
    return np.bincount(sector, weights[is_near_plane], minlength=ROSE)


def second_harmonic(values: np.ndarray) -> tuple[float, float]:
    """Second harmonic of values in the sectors of half a turn [ROSE]: relative amplitude, and angle of the maximum."""
    middles = np.arange(ROSE) * np.pi / ROSE
    wave = np.sum(values * np.exp(2j * middles)) / np.sum(values)
    narrow = np.sinc(1.0 / ROSE)  # reduction by the width of a sector
    return float(2.0 * np.abs(wave) / narrow), float(np.mod(0.5 * np.angle(wave), np.pi))


def coefficients(snapshot, contacts) -> np.ndarray:
    """Coefficient of friction of each contact, [C], from the configuration at the time of a Snapshot.

    NaN for contacts with walls if pairs of materials differ, because records do not name the wall.
    """
    scene = scree.configuration.parsed(snapshot.configuration)
    values = {name: dict(scene[name]) for name in scene.sections() if name == "contact" or name.startswith("pair.")}
    for name in sorted((name_of_change for name_of_change in scene.sections() if name_of_change.startswith("at ")), key=_moment):
        if _moment(name) < snapshot.time:
            for key, value in scene[name].items():
                section, _, last = key.rpartition(".")
                values.setdefault(section, {})[last] = value
    default = float(values.get("contact", {}).get("friction", "nan"))
    pairs = {name[5:]: float(keys["friction"]) for name, keys in values.items() if name != "contact" and "friction" in keys}
    table = np.full((len(snapshot.materials),) * 2, default)
    for row, name_of_change in enumerate(snapshot.materials):
        for column, other in enumerate(snapshot.materials):
            table[row, column] = pairs.get(f"{name_of_change}.{other}", pairs.get(f"{other}.{name_of_change}", default))
    wall_coefficient = default if all(value == default for value in pairs.values()) else np.nan
    material = snapshot.material_numbers
    return np.where(contacts.b < 0, wall_coefficient, table[material[contacts.a], material[contacts.b]])


def _moment(section: str) -> float:
    """The time of a section `at "40 ms"` [s]."""
    return float(scree.units.in_si(section[3:].strip().strip('"'), scree.units.SECONDS)[0])


def without_rattlers(a: np.ndarray, b: np.ndarray, count: int, fewest: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of `count` bodies is held, [count] of bool, and its number of held neighbours, [count].

    a, b: bodies of the loaded pairs, -1 for a wall.  Bodies with fewer neighbours than `fewest` are removed with their
    pairs, until there are no such bodies.
    """
    is_carrying = np.ones(count, bool)
    while True:
        stays = is_carrying[a] & ((b < 0) | is_carrying[b])
        ends = np.concatenate([a[stays], b[stays & (b >= 0)]])
        neighbours = np.bincount(ends, minlength=count)
        loose = is_carrying & (neighbours < fewest)
        if not loose.any():
            return is_carrying, neighbours
        is_carrying &= ~loose


def point_kinds(pairs: np.ndarray, loads: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """The number of pairs, and fractions of pairs [3] and of the load [3] with 1, 2, and 3 or more contact points.

    Between polyhedra these are contacts of a vertex or of crossed edges, of an edge with a face, and of two faces: simple,
    double, triple (E. Azéma, F. Radjai, G. Saussine, Mech. Mater. 41, 729 (2009)).  pairs: of each contact [C];
    loads: [C]
    """
    numbers, row, count = np.unique(pairs, return_inverse=True, return_counts=True)
    kind = np.minimum(count, 3) - 1
    with np.errstate(invalid="ignore"):
        shares = np.bincount(kind, minlength=3) / np.float64(len(numbers))
        load_share = np.bincount(kind[row.ravel()], loads, minlength=3) / np.sum(loads)
    return len(numbers), shares, load_share


def network(snapshot, contacts, region, plane: tuple[int, int]) -> Network:
    """The Network of a Snapshot's Contacts, whose impulses are known, in a Region; rattlers are determined among all bodies."""
    carries = contacts.taken(contacts.normal_impulse > 0.0)
    pairs = carries.taken(np.unique(carries.pairs(), return_index=True)[1])
    friction = _friction(snapshot, carries)
    fewest = STABLE_SMOOTH if len(friction) and np.nanmax(friction, initial=0.0) == 0.0 else STABLE
    is_held, neighbours = without_rattlers(pairs.a, pairs.b, len(snapshot), fewest)
    bodies = region.holds(snapshot["position"])
    inside = carries.within(region, snapshot)
    friction = _friction(snapshot, inside)
    load = inside.normal_impulse
    tangential = np.linalg.norm(inside.impulse - load[:, None] * inside.normal, axis=1)
    known = friction > 0.0
    share = np.minimum(tangential[known] / (friction * load)[known], 1.0)
    mean = load.mean() if len(load) else np.nan
    is_held = is_held & bodies
    with np.errstate(invalid="ignore", divide="ignore"):
        return Network(
            snapshot.time, len(inside), *anisotropies(inside.normal, inside.impulse), *point_kinds(inside.pairs(), load), plane,
            rose(inside.normal, np.ones(len(inside)), plane), rose(inside.normal, load / mean, plane),
            len(share), np.histogram(share, PARTS, (0.0, 1.0))[0] / np.float64(len(share)),
            float(np.mean(share)) if len(share) else np.nan, float(np.mean(share > SLIDING)) if len(share) else np.nan,
            int(is_held.sum()), float(neighbours[is_held].mean()) if is_held.any() else np.nan,
            float(1.0 - is_held.sum() / bodies.sum()),
        )  # fmt: skip


def _friction(snapshot, contacts):
    """The result of `coefficients`; NaN if the configuration does not determine them."""
    try:
        return coefficients(snapshot, contacts)
    except (configparser.Error, ValueError):
        return np.full(len(contacts), np.nan)


# Number of items over which each quantity is a mean.
_COUNTS = {"points": "pairs", "points_load": "pairs", "mobilised": "limited", "mean_mobilised": "limited", "sliding": "limited", "coordination": "carrying"}


def average(networks: list[Network], name: str):
    """Mean and standard error of a quantity over frames, each contact or body counted once; NaN if no frame has it."""
    weights = [getattr(network, _COUNTS.get(name, "contacts")) for network in networks]
    return scree.means.frame_mean([getattr(network, name) for network in networks], weights)


def tail(forces: list[np.ndarray], start: float = TAIL) -> tuple[float, float]:
    """beta of P(f) ~ exp(-beta f) for f > start, and its standard error; forces: of the frames, over their means.

    The maximum-likelihood value is the inverse of the mean of f - start over f > start. NaN without such forces.
    """
    excesses = [values[values > start] - start for values in forces if np.any(values > start)]
    if not excesses:
        return np.nan, np.nan
    counts = [len(values) for values in excesses]
    mean, error = scree.means.frame_mean([values.mean() for values in excesses], counts)
    if len(excesses) == 1:
        error = mean / np.sqrt(counts[0])
    return float(1.0 / mean), float(error / mean**2)


def numbers(networks: list[Network], stresses: list[np.ndarray], forces: list[np.ndarray]) -> dict[str, tuple[float, float]]:
    """{quantity: (mean, standard error)} for tables.  stresses, forces: of the same frames"""
    stress = np.mean(stresses, axis=0)
    results = {"coordination without rattlers": average(networks, "coordination"), "share of rattlers": average(networks, "rattlers")}
    for name, tensor in (("a_c", "density"), ("a_n", "normal"), ("a_t", "tangential")):
        mean, _ = average(networks, tensor)
        values = [scalar(getattr(network, tensor), stress) for network, stress in zip(networks, stresses)]
        results[name] = scalar(mean, stress), scree.means.frame_mean(values, [network.contacts for network in networks])[1]
    results["2/5 (a_c + a_n + 3/2 a_t)"] = 0.4 * (results["a_c"][0] + results["a_n"][0] + 1.5 * results["a_t"][0]), np.nan
    results["q/p of the stress"] = stress_ratio(stress), scree.means.frame_mean([stress_ratio(frame_stress) for frame_stress in stresses])[1]
    results |= {"mobilised friction |f_t|/(mu f_n)": average(networks, "mean_mobilised"),
              "share of contacts that slide": average(networks, "sliding"), "beta of P(f)": tail(forces)}  # fmt: skip
    points, load = average(networks, "points"), average(networks, "points_load")
    if points[0][0] < 1.0:  # spheres touch in one
        for kind, words in enumerate(("1 point", "2 points", "3 points or more")):
            results[f"share of pairs that touch in {words}"] = points[0][kind], points[1][kind]
            results[f"share of the normal forces that these of {words} carry"] = load[0][kind], load[1][kind]
    return {name: (float(mean), float(error)) for name, (mean, error) in results.items() if np.isfinite(mean)}


def draw_rose(axes, counts: np.ndarray, loads: np.ndarray | None, plane: tuple[int, int]) -> None:
    """Draws the density of the normals' directions in the plane (1: isotropic), and the mean normal force in each direction.

    axes: polar;  counts, loads: of contacts and of their normal forces over the mean, in the sectors [ROSE]
    """
    width = np.pi / ROSE
    turn = np.concatenate([np.arange(ROSE) * width + half for half in (0.0, np.pi)])
    axes.bar(turn, np.tile(counts, 2) / counts.mean(), width, color=scree.figure.COLOURS[5], edgecolor="white", linewidth=0.3)
    fine = np.linspace(0.0, 2.0 * np.pi, 181)
    size, angle = second_harmonic(counts)
    axes.plot(fine, 1.0 + size * np.cos(2.0 * (fine - angle)), color=scree.figure.COLOURS[0], linewidth=1.2,
              label=f"contacts, $a_c$ = {size:.2g}")  # fmt: skip
    if loads is not None:
        mean = np.divide(loads, counts, where=counts > 0, out=np.zeros(ROSE))
        size, angle = second_harmonic(mean)
        axes.plot(np.append(turn, turn[0]), np.append(np.tile(mean, 2), mean[0]), color=scree.figure.COLOURS[1], linewidth=1.2,
                  label=rf"$f_n\,/\,\langle f_n\rangle$, $a_n$ = {size:.2g}")  # fmt: skip
    h, v = plane
    axes.set_xticks(np.arange(4) * np.pi / 2.0, [f"${'xyz'[h]}$", f"${'xyz'[v]}$", "", ""])
    axes.set_rlabel_position(45.0)
    axes.set_rmin(0.0)
    axes.yaxis.get_major_locator().base.set_params(nbins=3)
    axes.tick_params(axis="y", labelsize=scree.figure.SMALL)
    axes.tick_params(axis="x", pad=-2)
    axes.legend(fontsize=scree.figure.SMALL, loc="upper center", bbox_to_anchor=(0.5, -0.04), frameon=False, handlelength=1.2)
    axes.set_title("directions of the normals", fontsize="medium")


def draw_mobilised(axes, networks: list[Network]) -> None:
    """Draws the density of |f_t|/(mu f_n)."""
    share, error = average(networks, "mobilised")
    edges = np.linspace(0.0, 1.0, PARTS + 1)
    axes.stairs(PARTS * share, edges, fill=True, color=axes._get_lines.get_next_color())
    axes.errorbar(0.5 * (edges[:-1] + edges[1:]), PARTS * share, PARTS * np.nan_to_num(error), fmt="none", ecolor="black",
                  elinewidth=0.8)  # fmt: skip
    axes.set(xlim=(0.0, 1.0), xlabel=r"mobilised friction $|f_t|\,/\,(\mu f_n)$", ylabel="probability density")
    axes.set_ylim(bottom=0.0)
    axes.set_title(f"{100.0 * average(networks, 'sliding')[0]:.3g} % of the contacts slide", fontsize="medium")
