"""Sections on the particles: frames, paths, fields, distribution functions, contacts, mixing.

Each section is a function of the parts that returns pieces of the page or raises NotApplicable.
"""

import numpy as np

import scree.colour
import scree.contact_statistics
import scree.contacts
import scree.figure
import scree.grid
import scree.html
import scree.means
import scree.mixing
import scree.picture
import scree.profiles
import scree.rdf
import scree.region
import scree.snapshot
import scree.view
from _report import paper
from _report.part import ENOUGH, NotApplicable, results_of_parts, pictures

MIXING_FRAMES = 30
PARTIAL_FIELDS = ("position", "radius", "material")
# Range of x for g(r) in a flow: 12 to 14 cm in the paper's channel of 15 cm, the same fractions of other lengths.
RDF_REGION = (12.0 / 15.0, 14.0 / 15.0)
FEW = 12  # largest number of particles whose paths are drawn individually


def frames(parts, window):
    """The last frames with one colour scale."""
    drawn = [part.last for part, _ in results_of_parts(parts, lambda part: part.last_with_particles())]
    scale = scree.colour.scale(scree.colour.of(scree.colour.default(drawn), drawn[0]), drawn)

    def draw(part, last):
        views = scree.view.views(last)
        names = scree.view.default_views(last)[: 1 if paper.has_paper(parts) else 2]
        return scree.picture.figure_of(last, [views[name] for name in names], scale)[0], part.label

    return pictures(parts, lambda part: part.last_with_particles(), draw)


def paths(parts, window):
    """Positions over time of each particle, if there are few."""

    def find_paths(part):
        if len(part.last_with_particles()) > FEW:
            raise NotApplicable(f"there are {len(part.last)} particles, but paths are drawn for at most {FEW}")
        if len(part.paths) < 3:
            raise NotApplicable("a path needs three snapshots")
        frames = list(scree.snapshot.read_frames(part.paths, ("position",)))
        return [frame.time for frame in frames], scree.picture.paths(frames, FEW)

    def draw(part, found_paths):
        time, positions = found_paths
        figure, panels = scree.figure.panels(3, 3, (3.0, 2.1))
        for axis, axes in enumerate(panels):
            coordinate = positions[:, :, axis]
            axes.plot(time, coordinate.T, marker=".", linewidth=1.0)
            axes.set(xlabel="time $t$ [s]", ylabel=f"${'xyz'[axis]}$ [m]")
            axes.ticklabel_format(axis="y", useOffset=False)
            if np.nanmax(coordinate) - np.nanmin(coordinate) < 1e-9:
                axes.set_ylim(part.last.lower[axis], part.last.upper[axis])  # otherwise the axis would magnify rounding
        return figure, f"{part.label}: positions in the snapshots"

    return pictures(parts, find_paths, draw)


def _means_over(profile, region):
    return f"{scree.means.over(profile.times)}, over {scree.grid.across(region, profile.axes)}"


def fields(parts, window):
    """Maps of each run with one colour scale, or profiles of all runs along one axis in one drawing."""
    profiles = results_of_parts(parts, lambda part: part.profile)
    names = scree.profiles.PANELS
    section = []
    lines = {part.label: profile for part, (profile, _) in profiles if len(profile.axes) == 1}
    if lines:
        figure = scree.grid.lines_figure(lines, names)
        scree.figure.legend(figure.axes[0])
        words = [f"{part.label}, {_means_over(profile, region)}" for part, (profile, region) in profiles if part.label in lines]
        section.append(scree.html.picture(figure, "; ".join(words)))
    maps = [(part, *profile_and_region) for part, profile_and_region in profiles if len(profile_and_region[0].axes) == 2]
    tops = {column: max((scree.grid.colour_top(profile.columns[column]) or 0.0 for _, profile, _ in maps), default=0.0)
            for column, _ in names}  # fmt: skip
    for part, profile, region in maps:
        counts = "x".join(str(len(edges) - 1) for edges in profile.edges)
        peak = np.nanmax(profile.columns["speed"])
        caption = f"{part.label}, {_means_over(profile, region)}; {counts} cells, maximum mean speed {peak:.4g} m/s"
        section.append(scree.html.picture(scree.grid.figure_of(profile, names, part.last, tops), caption))
    return section


def _rdf_region(part):
    """The region of g(r), Snapshot -> Region: near the outflow of a flow, otherwise the middle half of the particles."""
    if not part.run.scene.has_section("inflow"):
        return scree.region.middle
    last = part.last
    lower, upper = last.lower.copy(), last.upper.copy()
    lower[0], upper[0] = last.lower[0] + np.array(RDF_REGION) * (upper[0] - lower[0])
    return lambda snapshot: scree.region.make(snapshot, lower, upper)


def _rdf_range(part, frames, region_of):
    """(largest r that fits in all frames [diameters], whether pairs are counted in a window, see scree.rdf)."""
    if part.run.scene.has_section("inflow"):
        return scree.rdf.fitting_r_max(part.last, region_of(part.last)), False
    return scree.rdf.natural_way(frames, region_of)


def _distributions(part):
    """[corrected Rdf, uncorrected Rdf as in the paper] of the last frames of a run."""
    part.last_with_particles(ENOUGH)
    region_of = _rdf_region(part)
    count_inside = np.count_nonzero(region_of(part.last).holds(part.last["position"]))
    if count_inside < ENOUGH:
        raise NotApplicable(f"there are {count_inside} particles in the region of g(r), too few to count their pairs")
    frames = [frame for frame in part.frames(("position", "radius")) if len(frame) >= ENOUGH]
    r_max, window = _rdf_range(part, frames, region_of)
    if r_max < 1.5:
        raise NotApplicable(f"only distances up to {scree.html.number(r_max, 2)} diameters fit into the region of g(r)")
    return [scree.rdf.of_frames(frames, region_of, r_max, corrected=corrected, window=window and corrected)
            for corrected in (True, False)]  # fmt: skip


def _partials(part):
    """g_ij of a run with several materials or shapes, {(name, name): Rdf}; None for other runs."""
    frames = [frame for frame in part.frames(PARTIAL_FIELDS) if len(frame) >= ENOUGH]
    for property_name in ("material", "shape"):
        if len(np.unique(part.last.kinds(property_name)[0])) > 1:
            region_of = _rdf_region(part)
            return scree.rdf.partial(frames, region_of, scree.rdf.window_r_max(frames, region_of), property_name)
    return None


def rdf(parts, window):
    """g(r) of all runs in one drawing; for the paper's channel also as in the paper."""
    distributions = results_of_parts(parts, _distributions)
    with_paper = paper.has_paper(parts)
    figure, panels = scree.figure.panels(1 + with_paper, 1)
    for number, axes in enumerate(panels):
        scree.rdf.draw(axes, {part.label: variants[number] for part, variants in distributions})
    if with_paper:
        panels[0].set_title("complete shells")
        panels[1].set_title("all pairs in the region, as in the paper")
    scree.figure.legend(panels[0])
    longest = max((variants[0].times for _, variants in distributions), key=len)
    first = distributions[0][0]
    caption = (f"Region {_rdf_region(first)(first.last).text()} in the last frame, {scree.means.over(longest)}; "
               "r in mean diameters d.")
    if with_paper:
        caption += " The paper shows a strong peak at one diameter, then no order (g = 1)."
    kinds = [(part, partials) for part, _ in distributions for partials in [_partials(part)] if partials]
    return [scree.html.picture(figure, caption)] + [
        scree.html.picture(scree.rdf.partial_figure(partials), f"{part.label}: pairs of kinds; r in the mean diameter of both")
        for part, partials in kinds]  # fmt: skip


def _contact_statistics(part):
    part.last_with_particles(ENOUGH // 2)
    statistics = []
    for frame in part.frames(scree.contact_statistics.FIELDS):
        if len(frame):
            try:
                contacts = scree.contacts.of_snapshot(frame)
            except scree.contacts.UnknownContacts as error:
                raise NotApplicable(str(error)) from error
            statistics.append(scree.contact_statistics.statistics(frame, contacts, scree.region.make(frame)))
    if not any(frame_statistics.mean_coordination for frame_statistics in statistics):
        raise NotApplicable("no particles touch in the snapshots")
    return statistics


def contacts(parts, window):
    """Coordination, forces and contact directions of each run, and quantities of its force network."""

    def draw(part, statistics):
        words = "Z: neighbours that touch, walls included; forces: of pairs, summed over their contact points"
        if not scree.contact_statistics.force_density(statistics):
            words = "Z: neighbours that touch, without walls, which output.contacts = yes adds"
        caption = f"{part.label}, {scree.means.over([frame_statistics.time for frame_statistics in statistics])}. {words}"
        return scree.contact_statistics.figure_of(statistics), caption

    results = results_of_parts(parts, _contact_statistics)
    return [scree.html.picture(*draw(part, statistics)) for part, statistics in results] + _networks(results)


def _networks(results):
    """[table of the force networks with a column for each run]; [] if no network is known."""
    known = {part.label: scree.contact_statistics.network_numbers(statistics) for part, statistics in results}
    known = {label: numbers for label, numbers in known.items() if numbers}
    names = dict.fromkeys(name for numbers in known.values() for name in numbers)
    rows = [[name, *(_with_error(*numbers.get(name, (np.nan, np.nan))) for numbers in known.values())] for name in names]
    caption = ("Loaded contacts, with standard errors: anisotropies of directions, normal and tangential forces, q/p of the "
               "contact stress and its prediction from these, mobilised friction, decay of P(f) beyond the mean force. Formulas: "
               "scripts/scree/force_network.py")  # fmt: skip
    return [scree.html.table(["quantity", *known], rows, caption)] if rows else []


def _with_error(mean, error):
    if np.isnan(mean):
        return ""
    return scree.means.with_error(mean, error) if error > 0.0 else scree.html.number(mean)


def chains(parts, window):
    """The loaded contacts of the last frame."""

    def loaded_contacts(part):
        contacts = scree.contacts.recorded(part.last_with_particles())
        if contacts is None:
            raise NotApplicable("the run did not record its contacts; output.contacts = yes records them")
        if not np.any(contacts.normal_impulse > 0.0):
            raise NotApplicable("no contact of the last snapshot has an impulse")
        return contacts

    def draw(part, contacts):
        plane = scree.view.main(part.last).axes
        figure = scree.contact_statistics.chain_figure(part.last, contacts, scree.region.taken(part.last), plane)
        return figure, f"{part.label}, t = {part.last.time:.6g} s"

    return pictures(parts, loaded_contacts, draw)


def mixing(parts, window):
    """Lacey's index over time of runs with several materials or shapes."""

    def mixing_over_time(part):
        last = part.last_with_particles(ENOUGH)
        for property_name in ("material", "shape"):
            if len(np.unique(last.kinds(property_name)[0])) > 1:
                chosen = np.unique(np.linspace(0, len(part.paths) - 1, MIXING_FRAMES).astype(int))
                return scree.mixing.over_time(scree.snapshot.read_frames([part.paths[k] for k in chosen]), property_name)
        raise NotApplicable("the particles are of one material and one shape")

    results = {part.label: result for part, result in results_of_parts(parts, mixing_over_time)}
    kinds = "; ".join(dict.fromkeys(", ".join(result.kinds) for result in results.values()))
    caption = (f"Kinds: {kinds}. Lacey's index in cubes of some {scree.mixing.PER_CELL:g} particles: 0 separated, "
               "1 mixed at random. Segregation of heights: 0 if no kind is higher.")
    return [scree.html.picture(scree.mixing.figure_of(results), caption)]
