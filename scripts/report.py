#!/usr/bin/env python3
"""Makes one HTML page on one run, or on several runs side by side, of any scene.

The page has checks at a glance, key figures, the last frames, maps or profiles of velocity, spin and solid fraction,
the radial distribution function, contacts and force chains, series, stress of a periodic cell, loads of the walls,
averages. It includes its pictures and needs no network. Folded sections have the time per phase, machine, versions and
configuration. If a section does not apply to a scene, the page gives the reason instead. In pictures gravity
points down, maps look along the shortest side of the domain, and walls are drawn.

--from and --to select a window of the run, by default all of it. Key figures are averages over the window, without
--from over the later half of the run. They are also written to a CSV file next to the page; key_figures.py --help
defines them. Maps, distribution functions and contacts are averages over the later half of the window, but at most
over its last ten snapshots. For apps/scenes/channel.ini the page shows table 2 and figures 9 to 12 of the paper that
describes this channel (T. Preclik, S. Eibl, U. Ruede, arXiv:1706.00221).
"""

import math
import pathlib

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import _command_line
import scree.figure
import scree.html
import scree.whole_file
from _report import origin, paper, particles, tables
from _report.glance import glance
from _report.part import NotApplicable, gather, labels
from scree.html import State, Verdict

SECTIONS = (
    ("Key figures", tables.key_figures),
    ("Last frames", particles.frames),
    ("Paths of the particles", particles.paths),
    ("Velocity, spin and solid fraction", particles.fields),
    ("Radial distribution function", particles.rdf),
    ("Contacts", particles.contacts),
    ("Force chains", particles.chains),
    ("Mixing", particles.mixing),
    ("Series", tables.series),
    ("Periodic cell", tables.cell),
    ("Loads of the walls", tables.loads),
    ("Averages taken during the run", tables.averages),
)


def make_section(title, section, parts, window, left_out):
    """A section with its heading. If it does not apply or fails, adds a line to `left_out`."""
    try:
        return [scree.html.heading(title), *section(parts, window)]
    except NotApplicable as reason:
        left_out.append((Verdict(State.NONE, "left out"), f"{title}: {reason}."))
    except Exception as error:  # an error in one section must not prevent the page
        _command_line.warn(f"the section '{title}' could not be made: {error!r}")
        left_out.append((Verdict(State.OFF, "failed"), f"{title}: {error or repr(error)}"))
    scree.figure.plt.close("all")
    return []


def report(parts, window):
    """The page as text.  parts: [Part];  window: words for the time window"""
    sections, left_out = [], []
    differences = [("Where the runs differ", origin.differences)] if len(parts) > 1 else []
    for title, section in (*SECTIONS, *differences):
        sections += make_section(title, section, parts, window, left_out)
    sections += origin.provenance(parts)
    if left_out:
        sections += [scree.html.heading("What is left out"), scree.html.at_a_glance(left_out)]
    opening = [scree.html.paragraph(paper.NOTE)] if paper.has_paper(parts) else []
    opening.append(scree.html.at_a_glance(glance(parts)))
    title = parts[0].label if len(parts) == 1 else "comparison of runs"
    return scree.html.page(f"Scree: {title}", sections, opening)


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("run", nargs="+", type=pathlib.Path, help="output directories of runs")
    parser.add_argument(
        "--output", type=pathlib.Path, metavar="HTML",
        help="page to write; the numbers go to the same name with .csv (default: report.html, in the directory of a "
        "single run)",
    )
    _command_line.add_window(parser, "beginning of the run; for key figures its middle")
    arguments = parser.parse_args()
    begin, end = _command_line.window(arguments)
    until = "the end" if end == math.inf else f"{end:g} s"
    window = f"from {max(begin, 0.0):g} s to {until}" if arguments.window_begin else f"over the later half of the run, until {until}"
    labelled = zip(arguments.run, labels(arguments.run))
    parts = [gather(directory, label, begin, end, _command_line.every(arguments)) for directory, label in labelled]
    page = report(parts, window)
    output = arguments.output or (arguments.run[0] if len(parts) == 1 else pathlib.Path()) / "report.html"
    scree.whole_file.write(_command_line.make_parent(output), page)
    tables.write_numbers(output.with_suffix(".csv"), parts)
    print(f"{output} ({len(page.encode()) / 1e6:.2g} MB)")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
