"""The network of loaded contacts: anisotropies, rose diagrams, mobilised friction, coordination without rattlers.

Anisotropies are the second harmonics of three functions of the direction n: the density E of normals, the mean normal
force f_n and the mean tangential force f_t,

    E(n) = (1 + a_c : n n)/(4 pi),   f_n(n) = f_0 (1 + a_n : n n),   f_t(n) = f_0 (a_t . n - n (a_t : n n)).

The tensors follow from moments (H. Ouadfel, L. Rothenburg, Mech. Mater. 33, 201 (2001)). With means < > over contacts
and f_0 = tr <f_n n n/(1 + a_c : n n)>, they are

    a_c = 15/2 dev <n n>,   a_n = 15/2 dev <f_n n n/(1 + a_c : n n)>/f_0,   a_t = 5 dev <f_t n/(1 + a_c : n n)>/f_0

The scalar of a tensor a is +-sqrt(3/2 a : a), negative if a is opposite to the deviator s of the stress. For spheres
of about one size and small anisotropies, q/p = 2/5 (a_c + a_n + 3/2 a_t) with the pressure p and q = sqrt(3/2 s : s)
(X. Guo, J. Zhao, Comput. Geotech. 47, 1 (2013)). With E ~ 1 + a (3 cos^2 - 1), a is a third of this a_c.

In a plane, with the angle theta of the projected normals (L. Rothenburg, R. J. Bathurst, Geotechnique 39, 601 (1989)):

    E(theta) = (1 + a_c cos 2(theta - theta_c))/(2 pi),   f_n(theta) = f_0 (1 + a_n cos 2(theta - theta_n))
"""

from __future__ import annotations

import configparser
import dataclasses

import numpy as np

import scree.configuration
import scree.figure
import scree.means

ROSE = 18  # number of sectors in half a turn
FRICTION_BINS = 20  # number of bins of mobilised friction
SLIDING_FRACTION = 0.999  # contacts above this fraction of the friction limit count as sliding
MIN_NEIGHBOURS, MIN_NEIGHBOURS_SMOOTH = 2, 4  # bodies with fewer neighbours are rattlers, with and without friction
TAIL = 1.0  # beginning of the tail of P(f) [mean forces]


@dataclasses.dataclass
class Network:
    """Network of one frame with C loaded contacts. Without loaded contacts the tensors are NaN."""

    time: float  # [s]
    contacts: int  # C
    density: np.ndarray  # a_c, [3, 3]
    normal: np.ndarray  # a_n
    tangential: np.ndarray  # a_t
    pairs: int  # pairs of bodies, or of a body and a wall, with these contacts
    points: np.ndarray  # fractions of these pairs with 1, 2, and 3 or more contact points
    points_load: np.ndarray  # fractions of the sum of all normal forces that the pairs of each kind carry
    plane: tuple[int, int]  # axes of the rose
    counts: np.ndarray  # contacts per sector of half a turn, [ROSE]; the first sector is centred on the first axis
    loads: np.ndarray  # sums of their normal forces, divided by the mean force, [ROSE]
    limited: int  # contacts with a known, nonzero limit of friction
    mobilised: np.ndarray  # fractions of these contacts in equal bins of |f_t|/(mu f_n) from 0 to 1, [FRICTION_BINS]
    mean_mobilised: float  # mean of |f_t|/(mu f_n)
    sliding: float  # fraction of these contacts that slide
    carrying: int  # bodies in the region that are not rattlers
    coordination: float  # mean number of neighbours of these bodies; rattlers do not count
    rattlers: float  # fraction of the bodies in the region that are rattlers


def deviator(tensor: np.ndarray) -> np.ndarray:
    """Traceless part of a tensor [3, 3]."""
    return tensor - np.trace(tensor) / 3.0 * np.eye(3)


def anisotropies(normals: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tensors a_c, a_n, a_t [3, 3] of contacts with normals [C, 3] and forces [C, 3] on the body to which normals
    point.

    The second index of a_t is that of the normal, so that a_t . n is along the tangential force.
    """
    count = len(normals)
    if not count:
        return (np.full((3, 3), np.nan),) * 3
    density = 7.5 * deviator(normals.T @ normals / count)
    load = np.einsum("ni,ni->n", forces, normals)
    # With few contacts 1 + a_c : n n may be zero or negative.
    weight = 1.0 / np.maximum(1.0 + np.einsum("ij,ni,nj->n", density, normals, normals), 0.1) / count
    normal_moment = (weight * load * normals.T) @ normals
    tangential_moment = (weight[:, None] * (forces - load[:, None] * normals)).T @ normals
    mean = np.trace(normal_moment)
    return density, 7.5 * deviator(normal_moment) / mean, 5.0 * deviator(tangential_moment) / mean


def scalar(tensor: np.ndarray, stress: np.ndarray) -> float:
    """sqrt(3/2 a : a), negative if a : s is negative for the deviator s of the stress."""
    sign = -1.0 if np.sum(tensor * deviator(stress)) < 0.0 else 1.0
    return float(sign * np.sqrt(1.5 * np.sum(tensor * tensor)))


def stress_ratio(stress: np.ndarray) -> float:
    """q/p with q = sqrt(3/2 s : s)."""
    deviatoric = deviator(0.5 * (stress + stress.T))
    return float(np.sqrt(1.5 * np.sum(deviatoric * deviatoric)) / (np.trace(stress) / 3.0))


def rose(normals: np.ndarray, weights: np.ndarray, plane: tuple[int, int]) -> np.ndarray:
    """Sums of weights [C] of normals [C, 3] in the sectors of half a turn in a plane of two axes, [ROSE].

    The first sector is centred on the first axis, so that normals at walls are not between two sectors. n and -n are in
    the same sector. Normals at more than 45 degrees to the plane, as at walls parallel to it, do not count.
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
    width_factor = np.sinc(1.0 / ROSE)  # attenuation by the width of a sector
    return float(2.0 * np.abs(wave) / width_factor), float(np.mod(0.5 * np.angle(wave), np.pi))


def coefficients(snapshot, contacts) -> np.ndarray:
    """Coefficient of friction of each contact, [C], from the configuration at the time of a Snapshot.

    NaN for contacts with walls if pairs of materials differ, because snapshots do not have the materials of walls, and
    for pairs with a kinetic_friction, because the slip at the beginning of the step is not known.
    """
    scene = scree.configuration.at(snapshot.configuration, snapshot.time)

    def coefficient(section):
        """From a [pair], or else from [contact]."""
        friction, kinetic = (scene.get(section, key, fallback=scene.get("contact", key, fallback=other))
                             for key, other in (("friction", "nan"), ("kinetic_friction", "auto")))  # fmt: skip
        return float(friction) if kinetic == "auto" or float(kinetic) == float(friction) else np.nan

    default = coefficient("contact")
    pairs = {name[5:]: coefficient(name) for name in scene if name.startswith("pair.")}
    table = np.full((len(snapshot.materials),) * 2, default)
    for row, material_name in enumerate(snapshot.materials):
        for column, other_name in enumerate(snapshot.materials):
            table[row, column] = pairs.get(f"{material_name}.{other_name}", pairs.get(f"{other_name}.{material_name}", default))
    wall_coefficient = default if set(pairs.values()) <= {default} else np.nan
    material = snapshot.material_numbers
    return np.where(contacts.b < 0, wall_coefficient, table[material[contacts.a], material[contacts.b]])


def without_rattlers(a: np.ndarray, b: np.ndarray, count: int, min_neighbours: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of `count` bodies is not a rattler, and its number of neighbours without rattlers, [count] each.

    a, b: bodies of the loaded pairs, -1 for a wall
    min_neighbours: smallest number of neighbours of a body that is not a rattler

    Bodies with fewer neighbours are removed with their pairs, until there are no such bodies.
    """
    is_carrying = np.ones(count, bool)
    while True:
        is_kept = is_carrying[a] & ((b < 0) | is_carrying[b])
        ends = np.concatenate([a[is_kept], b[is_kept & (b >= 0)]])
        neighbours = np.bincount(ends, minlength=count)
        is_rattler = is_carrying & (neighbours < min_neighbours)
        if not is_rattler.any():
            return is_carrying, neighbours
        is_carrying &= ~is_rattler


def point_kinds(pairs: np.ndarray, loads: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """Number of pairs, and fractions of pairs [3] and of the load [3] with 1, 2, and 3 or more contact points.

    Between polyhedra these are contacts of a vertex or of crossed edges, of an edge with a face, and of two faces:
    simple, double, triple (E. Azéma, F. Radjai, G. Saussine, Mech. Mater. 41, 729 (2009)).
    pairs: pair of each contact, [C];  loads: normal forces, [C]
    """
    numbers, row, count = np.unique(pairs, return_inverse=True, return_counts=True)
    kind = np.minimum(count, 3) - 1
    with np.errstate(invalid="ignore"):
        pair_fractions = np.bincount(kind, minlength=3) / np.float64(len(numbers))
        load_fractions = np.bincount(kind[row.ravel()], loads, minlength=3) / np.sum(loads)
    return len(numbers), pair_fractions, load_fractions


def network(snapshot, contacts, region, plane: tuple[int, int]) -> Network:
    """The Network of a Snapshot's Contacts with impulses in a Region; rattlers are determined among all bodies."""
    loaded = contacts.taken(contacts.normal_impulse > 0.0)
    pairs = loaded.taken(np.unique(loaded.pairs(), return_index=True)[1])
    friction = _friction(snapshot, loaded)
    min_neighbours = MIN_NEIGHBOURS_SMOOTH if len(friction) and np.nanmax(friction, initial=0.0) == 0.0 else MIN_NEIGHBOURS
    is_carrying, neighbours = without_rattlers(pairs.a, pairs.b, len(snapshot), min_neighbours)
    is_in_region = region.holds(snapshot["position"])
    region_contacts = loaded.within(region, snapshot)
    friction = _friction(snapshot, region_contacts)
    load = region_contacts.normal_impulse
    tangential = np.linalg.norm(region_contacts.impulse - load[:, None] * region_contacts.normal, axis=1)
    has_limit = friction > 0.0
    mobilised = np.minimum(tangential[has_limit] / (friction * load)[has_limit], 1.0)
    mean = load.mean() if len(load) else np.nan
    is_carrying = is_carrying & is_in_region
    with np.errstate(invalid="ignore", divide="ignore"):
        return Network(
            snapshot.time, len(region_contacts), *anisotropies(region_contacts.normal, region_contacts.impulse), *point_kinds(region_contacts.pairs(), load), plane,
            rose(region_contacts.normal, np.ones(len(region_contacts)), plane), rose(region_contacts.normal, load / mean, plane),
            len(mobilised), np.histogram(mobilised, FRICTION_BINS, (0.0, 1.0))[0] / np.float64(len(mobilised)),
            float(np.mean(mobilised)) if len(mobilised) else np.nan, float(np.mean(mobilised > SLIDING_FRACTION)) if len(mobilised) else np.nan,
            int(is_carrying.sum()), float(neighbours[is_carrying].mean()) if is_carrying.any() else np.nan,
            float(1.0 - is_carrying.sum() / is_in_region.sum()),
        )  # fmt: skip


def _friction(snapshot, contacts):
    """Result of `coefficients`; NaN if the configuration does not determine them."""
    try:
        return coefficients(snapshot, contacts)
    except (configparser.Error, ValueError):
        return np.full(len(contacts), np.nan)


# Quantity -> field with the number of items that it is a mean of; for quantities that are not listed: contacts.
_COUNTS = {"points": "pairs", "points_load": "pairs", "mobilised": "limited", "mean_mobilised": "limited", "sliding": "limited", "coordination": "carrying"}


def average(networks: list[Network], name: str):
    """Mean and standard error of a quantity over frames, in which all contacts or bodies have equal weights.

    NaN if no frame has it.
    """
    weights = [getattr(network, _COUNTS.get(name, "contacts")) for network in networks]
    return scree.means.frame_mean([getattr(network, name) for network in networks], weights)


def tail(forces: list[np.ndarray], start: float = TAIL) -> tuple[float, float]:
    """beta of P(f) ~ exp(-beta f) for f > start, and its standard error.  forces: of each frame, divided by their mean

    beta is the maximum-likelihood estimate: 1/(mean of f - start over all f > start). NaN if there is no such f.
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
    if points[0][0] < 1.0:  # only with bodies other than spheres
        for kind, count_text in enumerate(("1 point", "2 points", "3 points or more")):
            results[f"share of pairs that touch in {count_text}"] = points[0][kind], points[1][kind]
            results[f"share of the normal forces that pairs with {count_text} carry"] = load[0][kind], load[1][kind]
    return {name: (float(mean), float(error)) for name, (mean, error) in results.items() if np.isfinite(mean)}


def draw_rose(axes, counts: np.ndarray, loads: np.ndarray | None, plane: tuple[int, int]) -> None:
    """Draws the density of the directions of normals in the plane (1: isotropic), and the mean normal force in each
    direction.

    axes: polar
    counts, loads: number of contacts, and sum of their normal forces divided by the mean force, in each sector
        [ROSE]
    """
    width = np.pi / ROSE
    angles = np.concatenate([np.arange(ROSE) * width + half_turn for half_turn in (0.0, np.pi)])
    axes.bar(angles, np.tile(counts, 2) / counts.mean(), width, color=scree.figure.COLOURS[5], edgecolor="white", linewidth=0.3)
    curve_angles = np.linspace(0.0, 2.0 * np.pi, 181)
    amplitude, angle = second_harmonic(counts)
    axes.plot(curve_angles, 1.0 + amplitude * np.cos(2.0 * (curve_angles - angle)), color=scree.figure.COLOURS[0], linewidth=1.2,
              label=f"contacts, $a_c$ = {amplitude:.2g}")  # fmt: skip
    if loads is not None:
        mean = np.divide(loads, counts, where=counts > 0, out=np.zeros(ROSE))
        amplitude, angle = second_harmonic(mean)
        axes.plot(np.append(angles, angles[0]), np.append(np.tile(mean, 2), mean[0]), color=scree.figure.COLOURS[1], linewidth=1.2,
                  label=rf"$f_n\,/\,\langle f_n\rangle$, $a_n$ = {amplitude:.2g}")  # fmt: skip
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
    fractions, error = average(networks, "mobilised")
    edges = np.linspace(0.0, 1.0, FRICTION_BINS + 1)
    axes.stairs(FRICTION_BINS * fractions, edges, fill=True, color=axes._get_lines.get_next_color())
    axes.errorbar(0.5 * (edges[:-1] + edges[1:]), FRICTION_BINS * fractions, FRICTION_BINS * np.nan_to_num(error), fmt="none", ecolor="black",
                  elinewidth=0.8)  # fmt: skip
    axes.set(xlim=(0.0, 1.0), xlabel=r"mobilised friction $|f_t|\,/\,(\mu f_n)$", ylabel="probability density")
    axes.set_ylim(bottom=0.0)
    axes.set_title(f"{100.0 * average(networks, 'sliding')[0]:.3g} % of the contacts slide", fontsize="medium")
