"""The page of the suite and the table beside it."""

import scree.html
import scree.table
from scree.html import State, Verdict

PASSED, FAILED = Verdict(State.HELD, "passed"), Verdict(State.OFF, "FAILED")


def verdict(figure):
    return PASSED if figure.passed else FAILED


def measured_text(figure):
    """As many digits as the tolerance lets mean something."""
    return scree.html.rounded(figure.measured, figure.tolerance)


def expected_text(figure):
    """`2 ± 0.1`, or `0.5 to 0.6`; without a tolerance the number alone."""
    if figure.is_range:
        return f"{figure.expected - figure.tolerance:.4g} to {figure.expected + figure.tolerance:.4g}"
    text = scree.html.rounded(figure.expected, figure.tolerance)
    return text + (f" ± {scree.html.number(figure.tolerance, 2)}" if figure.tolerance else "")


def summary(outcomes):
    """The table of all figures, and the CSV's columns: outcomes is {Case: Result or the exception}."""
    rows = []
    for case, result in outcomes.items():
        if isinstance(result, Exception):
            rows.append([case.name, "", "", "", Verdict(State.OFF, "FAILED: not measured")])
            continue
        rows += [
            [case.name, f.quantity + (f" [{f.unit}]" if f.unit else ""), measured_text(f), expected_text(f),
             verdict(f)]
            for f in result.figures
        ]  # fmt: skip
    return rows


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
    return section + [scree.html.picture(result.picture, case.title)]


def glance(outcomes, rows):
    """The summary: what is off, by name, or that nothing is."""
    failed = [row for row in rows if row[-1] is not PASSED]
    if not failed:
        return [(PASSED, f"All {len(rows)} figures of {len(outcomes)} cases are within their tolerances.")]
    words = f"{len(outcomes)} cases, {len(rows)} figures, {len(failed)} of them off."
    return [(FAILED, words)] + [
        (FAILED, f"{name}: {quantity} {measured}, expected {expected}" if quantity else f"{name}: not measured")
        for name, quantity, measured, expected, _ in failed
    ]


def page(outcomes, notes):
    """The page, as text; notes: paragraphs on how it was made."""
    rows = summary(outcomes)
    parts = [scree.html.heading("All figures")]
    header = ["case", "quantity", "measured", "expected", ""]
    parts.append(scree.html.table(header, rows, "Measured in the cases below"))
    for case, result in outcomes.items():
        parts += case_section(case, result)
    parts += [scree.html.heading("How it was made"), *map(scree.html.paragraph, notes)]
    return scree.html.page("Scree: validation", parts, [scree.html.at_a_glance(glance(outcomes, rows))])


def write_table(path, outcomes, notes):
    """The figures as CSV; a case that could not be measured has one row without numbers."""
    nan = float("nan")
    columns = {name: [] for name in ("case", "quantity", "unit", "measured", "expected", "tolerance", "passed")}
    for case, result in outcomes.items():
        rows = [("", "", nan, nan, nan, 0)] if isinstance(result, Exception) else [
            (f.quantity, f.unit, float(f.measured), float(f.expected), float(f.tolerance), int(f.passed))
            for f in result.figures
        ]  # fmt: skip
        for row in rows:
            for values, value in zip(columns.values(), (case.name, *row)):
                values.append(value)
    scree.table.write(path, notes, columns)
