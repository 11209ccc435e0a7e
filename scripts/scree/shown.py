"""How notebooks show runs, frames and simulations: a text, and a small picture if it is quickly drawn."""

import io

import scree.html
import scree.picture
import scree.view

MOST = 20_000  # particles of a picture, which takes about a second then
DPI = 120


def html(words, snapshot=None):
    """For _repr_html_: words, and the main view of a Snapshot that has some particles and not too many."""
    if snapshot is None or not 0 < len(snapshot) <= MOST:
        return f"<code>{scree.html.escape(words)}</code>"
    picture = io.BytesIO()
    scree.picture.render(snapshot, picture, [scree.view.main(snapshot)], dpi=DPI)
    return scree.html.picture_of(picture, words)
