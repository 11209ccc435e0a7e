"""HTML for notebooks, of runs, frames and simulations: a text, and a small picture if it is quick to draw."""

import io

import scree.html
import scree.picture
import scree.view

MAX_PARTICLES = 20_000  # largest number of particles for a picture, which takes about a second
DPI = 120


def html(words, snapshot=None):
    """For _repr_html_: a text, and the main view of a Snapshot with 1 to MAX_PARTICLES particles."""
    if snapshot is None or not 0 < len(snapshot) <= MAX_PARTICLES:
        return f"<code>{scree.html.escape(words)}</code>"
    picture = io.BytesIO()
    scree.picture.render(snapshot, picture, [scree.view.main(snapshot)], dpi=DPI)
    return scree.html.picture_of(picture, words)
