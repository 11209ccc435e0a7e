"""Pieces of a self-contained HTML page: tables, pictures inside the page, the page itself."""

import base64
import html
import io

import PIL.Image

import _figure

COLOURS = 256  # of a picture's palette, which makes files a third as long
DPI = 80
STYLE = """
body { font-family: sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; line-height: 1.4 }
table { border-collapse: collapse; margin: 1em 0 } caption { text-align: left; padding: 0.3em 0 }
td, th { border: 1px solid #bbb; padding: 0.2em 0.7em; text-align: left }
td.number { text-align: right; white-space: nowrap }
figure { margin: 1em 0; display: inline-block } figcaption { color: #444; max-width: 70em }
img { max-width: 100% } pre { background: #f4f4f4; padding: 0.7em; overflow-x: auto }
"""


def escape(text):
    return html.escape(str(text))


def table(header, rows, caption):
    """Rows of texts, the first of each being its title; the others are set as numbers."""
    lines = [f"<table><caption>{escape(caption)}</caption>", "<tr>"]
    lines += [f"<th>{escape(text)}</th>" for text in header]
    lines.append("</tr>")
    for title, *values in rows:
        cells = "".join(f'<td class="number">{escape(value)}</td>' for value in values)
        lines.append(f"<tr><th>{escape(title)}</th>{cells}</tr>")
    lines.append("</table>")
    return "\n".join(lines)


def picture(figure, caption):
    """A matplotlib figure as part of the page; closes it."""
    buffer = io.BytesIO()
    _figure.save(figure, buffer, DPI)
    return picture_of(buffer, caption)


def picture_of(file, caption):
    """A picture that stands in a file, or in memory, as part of the page."""
    small = io.BytesIO()
    with PIL.Image.open(file) as image:
        # The octree keeps the ends of the colour scale; the median cut would dull them.
        colours = image.convert("RGB").quantize(COLOURS, PIL.Image.Quantize.FASTOCTREE)
        colours.save(small, "png", optimize=True)
    data = base64.b64encode(small.getvalue()).decode("ascii")
    text = escape(caption)
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def paragraph(text):
    return f"<p>{escape(text)}</p>"


def heading(text):
    return f"<h2>{escape(text)}</h2>"


def details(title, text):
    """Preformatted text that unfolds under its title."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def page(title, parts):
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>"
    )
    return "\n".join([head, *parts, "</body></html>\n"])
