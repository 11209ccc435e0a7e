"""Tables and figures of the comparison of the two laws."""

import numpy as np
from scipy.special import stdtr

import _study.page
import scree.html
from _study.page import mean_over_seeds, text
from _two_laws.studies import LAWS
from scree.figure import COLOURS, PAGE, SMALL, panels as panels_of
from scree.html import State, Verdict

WORDS = {"max_dissipation": "maximum dissipation", "coulomb": "Coulomb"}
SIGNIFICANT = 0.01  # a difference is significant if its probability by chance is below this


def chance(first, second):
    """Probability that two samples differ at least as much if the true means are equal, by Welch's test; NaN for single
    values."""
    if min(len(first), len(second)) < 2:
        return np.nan
    parts = [np.var(values, ddof=1) / len(values) for values in (first, second)]
    total = sum(parts)
    if total == 0.0:
        return 1.0 if np.mean(first) == np.mean(second) else 0.0
    freedom = total**2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, (first, second)))
    return float(2.0 * stdtr(freedom, -abs(np.mean(first) - np.mean(second)) / np.sqrt(total)))


def compare(by_law):
    """Rows (figure, (mean, error) of each law, relative difference, error of the difference, chance).

    by_law: {law: [{figure: value} of each seed]}
    """
    rows = []
    for name in by_law[LAWS[0]][0]:
        values = [[seed[name] for seed in by_law[law]] for law in LAWS]
        (max_dissipation, max_dissipation_error, _), (coulomb, coulomb_error, _) = (
            mean_over_seeds([(value, np.nan) for value in values_of_seeds]) for values_of_seeds in values)
        scale = abs(coulomb) or 1.0
        rows.append((name, (max_dissipation, max_dissipation_error), (coulomb, coulomb_error), (max_dissipation - coulomb) / scale,
                     np.hypot(max_dissipation_error, coulomb_error) / scale, chance(*values)))  # fmt: skip
    return rows


def figures_table(by_law, caption):
    """Table of means and differences; significant differences are marked."""
    rows = []
    for name, max_dissipation, coulomb, difference, error, probability in compare(by_law):
        words = f"{100 * difference:+.2g} ± {100 * error:.2g} %" if np.isfinite(error) else f"{100 * difference:+.2g} %"
        rows.append([name, text(*max_dissipation), text(*coulomb), Verdict(State.LOOK, words) if probability < SIGNIFICANT else words,
                     "" if np.isnan(probability) else f"{probability:.2g}"])  # fmt: skip
    return scree.html.table(["", *(WORDS[law] for law in LAWS), "difference", "chance"], rows, caption)


def contacts_table(contact_statistics, several_fractions):
    """Table of the statistics of contacts.

    contact_statistics: {study: {law: ContactStatistics}}
    several_fractions: {study: {law: {mu: fraction of contacts with several solutions}}}
    """
    rows = []
    for study, by_law in contact_statistics.items():
        for law, statistics in by_law.items():
            sliding, quantile = len(statistics.angle) / max(statistics.loaded, 1), np.quantile
            angles = np.degrees(quantile(statistics.angle, [0.5, 0.9, 1.0])) if len(statistics.angle) else [np.nan] * 3
            distances = 100 * quantile(statistics.distance, [0.5, 0.9]) if len(statistics.distance) else [np.nan] * 2
            excess = 100 * (statistics.energies[0] / statistics.energies[1] - 1.0) if statistics.energies[1] else np.nan
            several = ", ".join(f"{100 * fraction:.2g} % at {mu:g}" for mu, fraction in several_fractions[study][law].items())
            rows.append([study.title, WORDS[law], f"{statistics.loaded}", f"{100 * sliding:.0f} %",
                         "{:.1f}°, {:.1f}°, {:.1f}°".format(*angles), "{:.2f} %, {:.2f} %".format(*distances),
                         f"{excess:.3f} %", f"{statistics.several}", several])  # fmt: skip
    header = ["flow", "its law", "loaded", "sliding", "angle: median, 90 %, largest", "velocity difference: median, 90 %",
              "dissipation above Coulomb's", "several solutions", "several solutions if μ were"]  # fmt: skip
    return scree.html.table(header, rows, "Contacts between bodies, of all frames and seeds")


def differences_figure(results):
    """Relative differences of all figures with standard errors, with a panel for each study."""
    counts = [len(compare(by_law)) for by_law in results.values()]
    plot, panels = panels_of(len(results), 1, (PAGE, 0.75 + 0.18 * np.mean(counts)), height_ratios=counts, sharex=True)
    for axes, (study, by_law) in zip(panels, results.items()):
        rows = compare(by_law)[::-1]
        positions = np.arange(len(rows))
        for position, (_, _, _, difference, error, probability) in zip(positions, rows):
            colour = COLOURS[1] if probability < SIGNIFICANT else COLOURS[0]
            axes.errorbar(100 * difference, position, xerr=100 * error, fmt="o", color=colour, markersize=4, capsize=2)
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_yticks(positions, [row[0].split(" [")[0] for row in rows], fontsize=SMALL)
        axes.set_title(study.title, fontsize="medium")
    panels[-1].set(xlabel="maximum dissipation / Coulomb − 1 [%]")
    return plot


ANGLES = np.linspace(0.0, 30.0, 31)  # [°]
DISSIPATION = np.linspace(-8.0, 2.0, 41)  # powers of ten


def contacts_figure(contact_statistics):
    """Distributions over contacts: the angle between friction and slip, and the dissipated energy."""
    plot, (above, below) = panels_of(2, 1, (PAGE, 3.4))
    for colour, (study, by_law) in zip(COLOURS, contact_statistics.items()):
        statistics = by_law[LAWS[0]]
        if len(statistics.angle):
            density = np.histogram(np.degrees(statistics.angle), ANGLES, density=True)[0]
            above.stairs(density, ANGLES, baseline=None, color=colour, label=study.title)
        for law, style in zip(LAWS, ("-", ":")):
            loaded = by_law[law].dissipated
            counted = np.histogram(np.log10(np.maximum(loaded, 1e-300)), DISSIPATION)[0]
            below.stairs(counted / max(len(loaded), 1) / np.diff(DISSIPATION), DISSIPATION, baseline=None, color=colour,
                         linestyle=style)  # fmt: skip
    above.set(xlabel="angle between friction and the direction against slip [°]", ylabel="probability density [1/°]",
              xlim=(0, ANGLES[-1]))  # fmt: skip
    above.set_title("contacts that slide, maximum dissipation", fontsize="medium")
    above.legend(fontsize=SMALL)
    below.set(xlabel="log₁₀ of the energy that a contact dissipates in a step\nover the mean kinetic energy of a body",
              ylabel="share of the loaded\ncontacts per decade")  # fmt: skip
    below.set_title("solid: maximum dissipation, dotted: Coulomb", fontsize="medium")
    return plot


def costs_table(times):
    """Table of the time per relaxation.  times: {study: {law: [time of each seed]}} [ns]"""
    rows = []
    for study, by_law in times.items():
        smallest = [min(by_law[law]) for law in LAWS]
        rows.append([study.title, *(f"{value:.0f}" for value in smallest), f"{smallest[1] / smallest[0]:.2f}"])
    return scree.html.table(["", *(WORDS[law] for law in LAWS), "ratio"], rows, "ns per relaxation, smallest of the seeds")


def write(results, parts, notes, path):
    """Writes the page, and one row for each figure of each run as CSV."""
    rows = [(study.name, law, seed, name, float(value))
            for study, by_law in results.items() for law, seeds in by_law.items()
            for seed, values in enumerate(seeds, start=1) for name, value in values.items()]  # fmt: skip
    glance = [(Verdict(State.NONE, "compared"), f"{study.title}: {sum(row[-1] < SIGNIFICANT for row in compare(by_law))} of "
               f"{len(compare(by_law))} figures differ more than equal laws would by chance.")
              for study, by_law in results.items()]  # fmt: skip
    page = _study.page.text_of("Two laws: tables", glance, parts, notes)
    _study.page.save(page, ("study", "law", "seed", "figure", "value"), rows, notes, path)
