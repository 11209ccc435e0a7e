"""The page of the suite and the table beside it."""

import _html
import _table

VERDICT = {True: "passed", False: "FAILED"}


def number(value):
    return f"{value:.6g}"


def expected_text(figure):
    """`2 ± 0.1`, or `0.5 to 0.6`; without a tolerance the number alone."""
    if figure.is_range:
        return f"{figure.expected - figure.tolerance:.4g} to {figure.expected + figure.tolerance:.4g}"
    return number(figure.expected) + (f" ± {figure.tolerance:.3g}" if figure.tolerance else "")


def summary(outcomes):
    """The table of all figures, and the CSV's columns: outcomes is {Case: Result or the exception}."""
    rows = []
    for case, result in outcomes.items():
        if isinstance(result, Exception):
            rows.append([case.name, "", "", "", "FAILED: not measured"])
            continue
        rows += [
            [case.name, f.quantity + (f" [{f.unit}]" if f.unit else ""), number(f.measured), expected_text(f),
             VERDICT[f.passed]]
            for f in result.figures
        ]  # fmt: skip
    return rows


def case_section(case, result):
    section = [
        _html.heading(case.title),
        _html.paragraph(f"Law: {case.law}"),
        _html.paragraph(f"Source: {case.source}"),
    ]
    if isinstance(result, Exception):
        return section + [_html.paragraph(f"FAILED: {result}")]
    rows = [[f.quantity, f.unit, number(f.measured), expected_text(f), VERDICT[f.passed]] for f in result.figures]
    section.append(_html.table(["quantity", "unit", "measured", "expected", ""], rows, case.name))
    if result.note:
        section.append(_html.paragraph(result.note))
    return section + [_html.picture(result.picture, case.title)]


def page(outcomes, notes):
    """The page, as text; notes: paragraphs on how it was made."""
    rows = summary(outcomes)
    failed = sum(row[-1] != VERDICT[True] for row in rows)
    words = f"{len(outcomes)} cases, {len(rows)} figures, {failed} of them off." if failed else \
        f"All {len(rows)} figures of {len(outcomes)} cases are within their tolerances."
    parts = [_html.paragraph(words), *map(_html.paragraph, notes)]
    parts.append(_html.table(["case", "quantity", "measured", "expected", ""], rows, "All figures"))
    for case, result in outcomes.items():
        parts += case_section(case, result)
    return _html.page("Scree: validation", parts)


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
    _table.write(path, notes, columns)
