"""The page of the validation suite, and the table of its results."""

import math

import _study.page
import scree.figure
import scree.html
from scree.html import State, Verdict

PASSED, FAILED = Verdict(State.HELD, "passed"), Verdict(State.OFF, "FAILED")


def verdict(figure):
    return PASSED if figure.passed else FAILED


def measured_text(figure):
    """The value with the digits that are significant at this tolerance."""
    return scree.html.round_value(figure.measured, figure.tolerance)


def expected_text(figure):
    """The expected value as text: `2 ± 0.1` or `0.5 to 0.6`, or the number alone without a tolerance."""
    if figure.is_range:
        return f"{figure.expected - figure.tolerance:.4g} to {figure.expected + figure.tolerance:.4g}"
    text = scree.html.round_value(figure.expected, figure.tolerance)
    return text + (f" ± {scree.html.number(figure.tolerance, 2)}" if figure.tolerance else "")


def summary(results):
    """Rows of the table of all figures.  results: {Case: Result, or the exception of a case that failed}"""
    rows = []
    for case, result in results.items():
        if isinstance(result, Exception):
            rows.append([case.name, "", "", "", Verdict(State.OFF, "FAILED: not measured")])
            continue
        rows += [
            [case.name, f.quantity + (f" [{f.unit}]" if f.unit else ""), measured_text(f), expected_text(f),
             verdict(f)]
            for f in result.figures
        ]  # fmt: skip
    return rows


def add_legends(figure):
    """Adds a legend to each axes with labels, and a tight layout if the picture has no layout."""
    for axes in figure.axes:
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=scree.figure.SMALL)
    if figure.get_layout_engine() is None:
        figure.tight_layout()
    return figure


def case_section(case, result):
    section = [
        scree.html.heading(case.title),
        f"<p>{scree.html.formula(case.law)}</p>",
        scree.html.paragraph(f"Source: {case.source}"),
    ]
    if isinstance(result, Exception):
        return section + [scree.html.at_a_glance([(FAILED, str(result))])]
    rows = [[f.quantity, f.unit, measured_text(f), expected_text(f), verdict(f)] for f in result.figures]
    section.append(scree.html.table(["quantity", "unit", "measured", "expected", ""], rows, case.name))
    if result.note:
        section.append(scree.html.paragraph(result.note))
    return section + [scree.html.picture(add_legends(result.picture), case.title)]


def glance(results, rows):
    """The summary: names of the cases that failed, or a statement that none failed."""
    failed = [row for row in rows if row[-1] is not PASSED]
    if not failed:
        return [(PASSED, f"All {len(rows)} figures of {len(results)} cases are within their tolerances.")]
    words = f"{len(results)} cases, {len(rows)} figures, {len(failed)} of them off."
    return [(FAILED, words)] + [
        (FAILED, f"{name}: {quantity} {measured}, expected {expected}" if quantity else f"{name}: not measured")
        for name, quantity, measured, expected, _ in failed
    ]


def page(results, notes):
    """The page as text.  notes: paragraphs about the program and machine of the runs"""
    rows = summary(results)
    header = ["case", "quantity", "measured", "expected", ""]
    parts = [scree.html.heading("All figures"), scree.html.table(header, rows, "Measured in the cases below")]
    for case, result in results.items():
        parts += case_section(case, result)
    return _study.page.text_of("Scree: validation", glance(results, rows), parts, notes)


def write(results, notes, path):
    """Writes the page, and the results as CSV; a case that could not be measured has one row without numbers."""
    header = ("case", "quantity", "unit", "measured", "expected", "tolerance", "passed")
    rows = []
    for case, result in results.items():
        if isinstance(result, Exception):
            rows.append((case.name, "", "", *[math.nan] * 3, 0))
            continue
        rows += [(case.name, f.quantity, f.unit, float(f.measured), float(f.expected), float(f.tolerance), int(f.passed))
                 for f in result.figures]  # fmt: skip
    _study.page.save(page(results, notes), header, rows, notes, path)
