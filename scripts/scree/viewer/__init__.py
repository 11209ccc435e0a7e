"""The page of scripts/view.py: a run in 3D for any browser, described for viewer.js and drawn by three.js."""

import base64
import json
import pathlib

import matplotlib
import numpy as np

import scree.colour
import scree.contacts
import scree.figure
import scree.html
import scree.view
import scree.walls
from scree.errors import FileError
from scree.export import columns

PARTS = pathlib.Path(__file__).resolve().parent
THREE = pathlib.Path("/usr/share/javascript/three")
LIBRARY = (THREE / "build/three.min.js", THREE / "examples/js/controls/OrbitControls.js")
MOST, FRAMES = 20000, 100
STEPS = 65535  # of a place in the domain, of a value in its range
CONSTANT = ("size", "material", "id")  # what a sphere keeps


class Arrays:
    """Little-endian arrays one after the other, each at a multiple of eight bytes."""

    def __init__(self):
        self.data = bytearray()

    def add(self, values, kind):
        """Appends values as this dtype; returns where they begin [bytes]."""
        self.data += bytes(-len(self.data) % 8)
        begin = len(self.data)
        self.data += np.ascontiguousarray(values, dtype=kind).tobytes()
        return begin


def chosen_ids(frames, most):
    """Ids of the grains to show, sorted, the number of all, and one in how many is shown.

    At most about `most` spheres, members of clumps counted, in any frame.
    """
    every = max(1, -(-max(len(frame.members()[0]) for frame in frames) // most))
    ids = np.unique(np.concatenate([frame["id"] for frame in frames]))
    return ids[::every], len(ids), every


def colourings(snapshot, names):
    """Those of the page: the usual ones that the snapshot has, and those of these names."""
    found = {}
    for name in (*scree.colour.NAMES, *names):
        if name == "pressure" and name not in names and scree.contacts.recorded(snapshot) is None:
            continue
        if name == "shape" and name not in names and not snapshot.shapes:
            continue
        found[name] = scree.colour.of(name, snapshot)
    return list(found.values())


def _field(colouring, values, frames):
    """What the page is told of a quantity.  values: of the frames, [[N]]"""
    scale = scree.colour.scale(colouring, frames)
    kept = colouring.name in CONSTANT and not (colouring.name == "size" and frames[0].shapes)
    told = {
        "name": colouring.name, "label": colouring.label,
        "unit": colouring.label.partition("[")[2].rstrip("]"),
        "kind": "constant" if kept else "changing",  # a member has the size of its clump in bounding radii
        "low": min((float(each.min()) for each in values if len(each)), default=0.0),
        "high": max((float(each.max()) for each in values if len(each)), default=1.0),
    }  # fmt: skip
    if scale.names:
        return {**told, "names": scale.names}
    if colouring.from_zero and told["low"] > 0.0 and told["kind"] == "changing":
        told["low"] = 0.0
    return {**told, "top": float(min(scale.norm.vmax, told["high"]))}


def _shares(values, low, high):
    """Values as whole shares of their range, uint16."""
    return np.round(np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0) * STEPS)


def _pose(snapshot, name, normal):
    """Turn and shift of a wall's surface in a frame as the page has them; None: it is not there."""
    wall = next((one for one in snapshot.walls if one.name == name), None)
    if wall is None or not wall.is_there:
        return None
    turn, displacement = wall.turn, wall.displacement
    if normal is not None and np.allclose(np.abs(normal @ (turn @ normal)), 1.0):
        turn, displacement = np.eye(3), normal * (normal @ displacement)  # a plane that slides stays in view
    # The page counts places from the lower corner: R (x + lower) + d - lower.
    shift = displacement + turn @ snapshot.lower - snapshot.lower
    return {"turn": turn.ravel().tolist(), "displacement": shift.tolist()}


def described(frames, most, names=()):
    """What the page knows of the frames: (dict for JSON, Arrays).

    Its entries are spheres, of which a clump has several. `rows`, `places` and each of the `fields` of a frame
    are where its arrays begin: uint32 [count], row of the sphere in `ids`, `radius`, `material`; uint16
    [count, 3] and [count], shares of domain and range.
    """
    arrays, first = Arrays(), frames[0]
    ids, known, every = chosen_ids(frames, most)
    spheres = [columns.spheres(frame) for frame in frames]
    shown = [np.isin(its.body, ids) for its in spheres]
    keys = np.unique(np.concatenate([its.id[here] for its, here in zip(spheres, shown)]))
    radius, material = np.zeros(len(keys)), np.zeros(len(keys))
    quantities = colourings(frames[-1], names)
    values = {one.name: [one.values(frame) for frame in frames] for one in quantities}
    fields = [_field(one, values[one.name], frames) for one in quantities]
    # Where they were at time zero; some move into the domain later.
    surfaces = scree.walls.surfaces(scree.walls.at_time_zero(first), in_domain_only=False)
    told = []
    for number, frame in enumerate(frames):
        its, of_it = spheres[number], shown[number]
        here, rows = its.row[of_it], np.searchsorted(keys, its.id[of_it])
        radius[rows], material[rows] = its.radius[of_it], frame["material"][here]
        share = (its.position[of_it] - first.lower) / (first.upper - first.lower)
        told.append({
            "time": frame.time, "count": len(here), "rows": arrays.add(rows, "<u4"),
            "places": arrays.add(np.round(np.clip(share, 0.0, 1.0) * STEPS), "<u2"),
            "fields": {
                field["name"]: arrays.add(
                    values[field["name"]][number][here] if "names" in field
                    else _shares(values[field["name"]][number][here], field["low"], field["high"]), "<u2")
                for field in fields if field["kind"] == "changing"
            },
            "walls": [_pose(frame, name, normal) for name, _, normal in surfaces],
        })  # fmt: skip
    rainbow = np.round(255 * matplotlib.colormaps[scree.figure.COLOUR_MAP](np.arange(256))[:, :3]).astype(np.uint8)
    return {
        "lower": first.lower.tolist(), "extent": (first.upper - first.lower).tolist(),
        "up": scree.view.vertical(first).tolist(), "towards": list(scree.view.views(first)["oblique"].towards),
        "grains": len(keys), "shown": len(ids), "known": known, "every": every, "most": max((f["count"] for f in told), default=0),
        "ids": arrays.add(keys // columns.most_members(first), "<f8"), "radius": arrays.add(radius, "<f4"), "material": arrays.add(material, "u1"),
        "materials": list(first.materials), "kinds": list(scree.figure.COLOURS),
        "colours": base64.b64encode(rainbow.tobytes()).decode("ascii"),
        "fields": fields, "frames": told,
        "walls": [{"name": name, "triangles": np.round((part - first.lower).ravel(), 9).tolist()}
                  for name, part, _ in surfaces],
    }, arrays  # fmt: skip


def notice(run, frames, all_frames):
    """What was left out, in a sentence; empty if nothing was."""
    parts = []
    if run["every"] > 1:
        parts.append(f"one grain in {run['every']} ({run['shown']} of {run['known']})")
    if frames < all_frames:
        parts.append(f"{frames} of {all_frames} frames")
    return f"Shown: {', '.join(parts)}." if parts else ""


def page(title, run, arrays, words):
    """The page, as text."""
    try:
        library = [path.read_text(encoding="utf-8") for path in LIBRARY]
    except OSError as error:
        raise FileError(f"three.js is missing ({error}); on Debian: apt-get install libjs-three") from error
    parts = {name: (PARTS / name).read_text(encoding="utf-8") for name in ("viewer.css", "viewer.js", "three_licence.txt")}
    told = json.dumps(run, separators=(",", ":")).replace("<", "\\u003c")
    scripts = "".join(f"<script>{text}</script>\n" for text in (*library, parts["viewer.js"]))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{scree.html.escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{parts["viewer.css"]}</style></head><body>
<canvas id="scene"></canvas>
<details id="panel" open><summary>{scree.html.escape(title)}</summary><div>
<label>Colour <select id="colour"></select></label>
<div id="legend"><canvas id="gradient" width="256" height="1"></canvas><div id="ends"><span id="low"></span>
<span id="high"></span></div><div id="kinds"></div></div>
<label>Cut</label><div class="row"><select id="axis" aria-label="axis of the cut"><option value="-1">none</option>
<option value="0">across x</option><option value="1">across y</option><option value="2">across z</option></select>
<span><input type="checkbox" id="flip" aria-label="other side"> other side</span></div>
<input type="range" id="place" min="0" max="1000" value="500" aria-label="place of the cut">
<label>Walls <input type="range" id="walls" min="0" max="100" value="25"></label>
<div id="picked"></div><p class="quiet" id="hint"></p>
<p class="quiet">{scree.html.escape(words)} <span id="fps"></span></p>
<details class="quiet"><summary>Keys, licence</summary>Drag to turn, right-drag to move, wheel to zoom; space plays, arrows step.
<pre>{scree.html.escape(parts["three_licence.txt"])}</pre></details></div></details>
<div id="bar"><button id="play">Play</button><input type="range" id="slider" min="0" value="0" aria-label="frame">
<span id="time"></span></div>
<script type="application/json" id="run">{told}</script>
<script type="text/plain" id="data">{base64.b64encode(arrays.data).decode("ascii")}</script>
{scripts}</body></html>
"""
