"""Parts of a self-contained HTML page (summary, contents, tables, embedded pictures), and the page itself."""

import base64
import dataclasses
import enum
import html
import io
import math
import re

import matplotlib
import PIL.Image

import scree.figure

COLOURS = 256  # number of colours of a picture; so few reduce its file to a third
DPI = 112  # pixels of the page per inch of a figure
SHARP = 2  # pixels of a picture per pixel of the page, for screens with high resolution
MAX_SVG_RATIO = 2  # largest size of an SVG relative to the PNG; an SVG is sharp on any screen
TINY = 1e-9  # smaller numbers are rounding errors and are written with two digits
STYLE = """
:root { --ink: #1b1f23; --quiet: #57606a; --line: #d5d9de; --ground: #f5f7f9;
        --held: #1a7f37; --look: #9a6700; --off: #b42318 }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--ink);
       max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0 }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.5rem; padding-top: 0.7rem; border-top: 1px solid var(--line) }
p { max-width: 46rem } a { color: #0550ae }
nav { background: var(--ground); border-radius: 8px; padding: 0.8rem 1.2rem; margin: 1.2rem 0 }
nav ol { margin: 0; padding-left: 1.4rem; columns: 18rem }
.scroll { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: 0.92rem }
caption { text-align: left; color: var(--quiet); padding: 0.2rem 0 0.5rem }
th, td { padding: 0.3rem 0.8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top }
thead th { border-bottom: 2px solid var(--ink); white-space: nowrap } tbody th { font-weight: 500 }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
figure { margin: 1rem 1rem 1rem 0; display: inline-block; max-width: 100%; vertical-align: top }
figcaption { color: var(--quiet); font-size: 0.9rem; max-width: 46rem }
img { max-width: 100%; height: auto; display: block }
pre { background: var(--ground); border-radius: 6px; padding: 0.8rem; overflow-x: auto; font-size: 0.85rem }
details { margin: 0.6rem 0 } summary { cursor: pointer; color: #0550ae }
.verdict { font-weight: 600; border-radius: 1em; padding: 0.05em 0.65em; color: white; white-space: nowrap;
           font-size: 0.88em }
.held { background: var(--held) } .look { background: var(--look) } .off { background: var(--off) }
.none { background: #6e7781 }
.formula { font-family: "STIX Two Math", "Cambria Math", "DejaVu Serif", serif; font-size: 1.05rem }
.glance { list-style: none; padding: 0; margin: 1rem 0 } .glance li { margin: 0.35rem 0; max-width: 50rem }
@media (max-width: 600px) { body { padding: 1rem 0.7rem 3rem; font-size: 15px } h1 { font-size: 1.5rem }
  th, td { padding: 0.25rem 0.5rem } figure { margin-right: 0 } }
@media print { nav { display: none } }
"""


class State(enum.Enum):
    """Result of a check; the value is the CSS class of its colour."""

    HELD = "held"  # passed
    LOOK = "look"  # should be inspected
    OFF = "off"  # failed
    NONE = "none"  # no verdict


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A word in the colour of its state, in a cell of a table or a line of the summary."""

    state: State
    word: str

    def __str__(self):
        return self.word


class Heading(str):
    """A heading as HTML."""

    words = ""  # text of the heading, for the table of contents


def escape(text):
    return html.escape(str(text))


def number(value, digits=4):
    """A number as text with `digits` significant digits, or two for a rounding error; whole numbers in full."""
    if math.isfinite(value) and value == round(value) and abs(value) < 1e15:
        return f"{value:.0f}"
    return f"{value:.{2 if abs(value) < TINY else digits}g}"


def round_value(value, scale):
    """A number rounded to a hundredth of a scale, such as its error; without a scale the text of `number`."""
    if not scale or not math.isfinite(scale) or not math.isfinite(value) or abs(value) < TINY:
        return number(value)
    digits = 2 - math.floor(math.log10(abs(scale)))
    if digits > 6 or abs(value) >= 1e7:
        return number(value)
    return f"{value:.{max(0, digits)}f}"


def _verdict(verdict):
    return f'<span class="verdict {verdict.state.value}">{escape(verdict.word)}</span>'


def _cell(value):
    if isinstance(value, Verdict):
        return f"<td>{_verdict(value)}</td>"
    is_number = re.match(r"[-−+>(]?[\d.]|\(-|nan|$", str(value))
    return f'<td{" class=number" if is_number else ""}>{escape(value)}</td>'


def table(header, rows, caption):
    """A table with rows of texts and Verdicts. The first entry of a row is its title; numbers are right-aligned."""
    lines = [f'<div class="scroll"><table><caption>{escape(caption)}</caption>', "<thead><tr>"]
    lines += [f"<th>{escape(text)}</th>" for text in header]
    lines.append("</tr></thead><tbody>")
    for title, *values in rows:
        lines.append(f"<tr><th>{escape(title)}</th>{''.join(map(_cell, values))}</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def at_a_glance(lines):
    """Summary of the page, a list of [(Verdict, text)]."""
    items = "".join(f"<li>{_verdict(verdict)} {escape(text)}</li>" for verdict, text in lines)
    return f'<ul class="glance">{items}</ul>'


class _TooLarge(Exception):
    pass


class _LimitedBuffer(io.BytesIO):
    """A file in memory that raises _TooLarge beyond a number of bytes."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def write(self, data):
        if self.tell() + len(data) > self.limit:
            raise _TooLarge
        return super().write(data)


def picture(figure, caption):
    """A matplotlib figure as part of the page: an SVG, or a PNG if the SVG is more than MAX_SVG_RATIO times larger.

    Closes the figure.
    """
    bitmap, box = io.BytesIO(), scree.figure.draw(figure, DPI)
    width = round(box.width * DPI)
    figure.savefig(bitmap, dpi=SHARP * DPI, bbox_inches=box)
    png = _compressed_png(bitmap)
    # The size of the PNG limits the SVG, because writing an SVG of thousands of particles takes seconds.
    svg = _LimitedBuffer(MAX_SVG_RATIO * len(png))
    try:
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "scree"}):
            figure.savefig(svg, format="svg", dpi=SHARP * DPI, bbox_inches=box, metadata={"Date": None})
    except _TooLarge:
        return _embed("png", png, width, caption)
    finally:
        scree.figure.plt.close(figure)
    return _embed("svg+xml", svg.getvalue(), width, caption)


def picture_of(file, caption):
    """A picture from a file or from memory as part of the page."""
    with PIL.Image.open(file) as image:
        width = round(image.width * DPI / image.info.get("dpi", (DPI, DPI))[0])
    return _embed("png", _compressed_png(file), width, caption)


def _compressed_png(file):
    """A PNG with COLOURS colours, as bytes."""
    output = io.BytesIO()
    with PIL.Image.open(file) as image:
        # An octree palette would show steps on round walls; a median cut without k-means would fade the ends of colour scales.
        colours = image.convert("RGB").quantize(COLOURS, PIL.Image.Quantize.MEDIANCUT, kmeans=1)
        colours.save(output, "png", optimize=True)
    return output.getvalue()


def _embed(kind, data, width, caption):
    text = escape(caption)
    data = base64.b64encode(data).decode("ascii")
    return (
        f'<figure><img alt="{text}" width="{width}" src="data:image/{kind};base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def paragraph(text):
    return f"<p>{escape(text)}</p>"


def formula(text):
    """A formula in one line of text, `T_0/(1 + t/tau)^(5/3)`, as HTML with indices, powers and Greek letters."""
    text = escape(text)
    greek = "alpha beta gamma delta epsilon theta lambda mu nu pi rho sigma tau phi chi psi omega".split()
    text = re.sub(rf"(?<![A-Za-z])({'|'.join(greek)})(?![A-Za-z])", r"&\1;", text)
    text = re.sub(r"\^\(([^()]*)\)", r"<sup>\1</sup>", text)
    text = re.sub(r"\^(-?[\w.,]+)", r"<sup>\1</sup>", text)
    text = re.sub(r"(?<=[\w;])_([A-Za-z0-9]+)", r"<sub>\1</sub>", text)
    return f'<span class="formula">{text}</span>'


def heading(text):
    anchor = re.sub(r"\W+", "-", text.lower()).strip("-")
    element = Heading(f'<h2 id="{escape(anchor)}">{escape(text)}</h2>')
    element.words, element.anchor = text, anchor
    return element


def details(title, text):
    """Preformatted text that unfolds under its title."""
    return fold(title, [f"<pre>{escape(text)}</pre>"])


def fold(title, parts):
    """Parts of a page that unfold under their title."""
    content = "\n".join(parts)
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _contents(parts):
    """Links to the headings among the parts; empty for fewer than three."""
    headings = [part for part in parts if isinstance(part, Heading)]
    if len(headings) < 3:
        return ""
    items = "".join(f'<li><a href="#{escape(entry.anchor)}">{escape(entry.words)}</a></li>' for entry in headings)
    return f"<nav><ol>{items}</ol></nav>"


def page(title, parts, opening=(), refresh=None):
    """Page as HTML: title, opening, contents, parts.  refresh: time until the browser reloads the page [s]"""
    refresh_tag = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{refresh_tag}<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>"
    )
    return "\n".join([head, *opening, _contents(parts), *parts, "</body></html>\n"])
