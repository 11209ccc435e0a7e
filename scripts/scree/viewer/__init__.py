"""Prepares the page of scripts/view.py, a run in 3D in any browser: data for viewer.js and three.js."""

import base64
import dataclasses
import json
import pathlib
import re

import numpy as np

import scree.bonds
import scree.colour
import scree.contacts
import scree.html
import scree.solids
import scree.view
import scree.walls
from scree.errors import FileError
from scree.export import columns

PARTS = pathlib.Path(__file__).resolve().parent
THREE = pathlib.Path("/usr/share/javascript/three")
LIBRARY = (THREE / "build/three.min.js", THREE / "examples/js/controls/OrbitControls.js")
MAX_GRAINS, FRAMES = 20000, 100  # largest numbers of grains and of frames in a page, by default
STEPS = 65535  # number of steps into which the domain, and the range of a quantity, are divided
TURNS = 32767  # number of steps into which components of quaternions from 0 to 1 are divided
CONSTANT = ("size", "material", "shape", "id")  # colourings that do not change in time


class Arrays:
    """A buffer of little-endian arrays, each at a multiple of 8 bytes."""

    def __init__(self):
        self.data = bytearray()

    def add(self, values, kind):
        """Appends values as this dtype; returns their offset [bytes]."""
        self.data += bytes(-len(self.data) % 8)
        offset = len(self.data)
        self.data += np.ascontiguousarray(values, dtype=kind).tobytes()
        return offset


def chosen_ids(frames, max_spheres):
    """Sorted ids of the grains to show, the number of all grains, and n if every n-th grain is shown.

    max_spheres: approximate largest number of spheres in a frame, including members of clumps
    """
    every = max(1, -(-max(len(frame.pieces()[0]) for frame in frames) // max_spheres))
    ids = np.unique(np.concatenate([frame["id"] for frame in frames]))
    return ids[::every], len(ids), every


def colourings(snapshot, names):
    """The Colourings of the page: the default ones for which the snapshot has data, and those with these names."""
    chosen = {}
    for name in (*scree.colour.NAMES, *names):
        if name == "pressure" and name not in names and scree.contacts.recorded(snapshot) is None:
            continue
        if name == "cluster" and name not in names and not scree.bonds.has_record(snapshot.path):
            continue
        if name == "q6" and name not in names:  # too slow to compute for all frames by default
            continue
        if name == "shape" and name not in names and not snapshot.shapes:
            continue
        chosen[name] = scree.colour.of(name, snapshot)
    return list(chosen.values())


def _field(colouring, values, frames):
    """Description of a quantity for the page, and its values as uint16.  values: of each frame, [[N]]"""
    scale = scree.colour.scale(colouring, frames)
    colours = scale.colours(np.arange(len(scale.names) or 256))
    field = {
        "name": colouring.name, "label": re.sub(r" ?\$.*?\$", "", colouring.label),  # without formula
        "unit": colouring.label.partition("[")[2].rstrip("]"),
        "palette": base64.b64encode(np.round(255 * colours).astype(np.uint8).tobytes()).decode("ascii"),
        "constant": None,
    }  # fmt: skip
    if scale.names:
        return {**field, "names": scale.names, "present": scale.present}, [np.asarray(scale.norm(column)).astype("<u2") for column in values]
    low = min((float(column.min()) for column in values if len(column)), default=0.0)
    high = max((float(column.max()) for column in values if len(column)), default=1.0)
    if colouring.from_zero:
        low = min(low, 0.0)
    bottom, top = scale.norm.vmin, scale.norm.vmax
    if not colouring.is_signed:  # the scale must not exceed the range of values
        bottom, top = max(bottom, low), min(top, high)
    field |= {"low": low, "high": high, "bottom": float(bottom), "top": float(top)}
    return field, [_quantised((column - low) / ((high - low) or 1.0)) for column in values]


def _shades(keys, max_members):
    """Brightness, up to 255, of members of clumps.  keys: body * max_members + member"""
    _, body, counts = np.unique(keys // max_members, return_inverse=True, return_counts=True)
    return np.round(255.0 * scree.solids.member_shade(keys % max_members, counts[body]))


def _quantised(values):
    """Fractions from 0 to 1 as uint16."""
    return np.round(np.clip(values, 0.0, 1.0) * STEPS).astype("<u2")


def opening(values):
    """Index of the frame with the largest spread of values [[N]]; frames with few grains do not count."""
    min_count = 0.5 * max(map(len, values))
    spread = [np.std(column.astype(float)) if len(column) and len(column) >= min_count else -1.0 for column in values]
    return int(np.argmax(spread))


def _solids(snapshot):
    """All polyhedra for the page; lengths are in radii of their bounding balls."""
    solids = []
    for shape in snapshot.shapes:
        for _, faces in shape.solids:
            fans = [np.stack([face[[0, k, k + 1]] for k in range(1, len(face) - 1)]) for face in faces]
            solids.append({"name": shape.name, "triangles": np.round(np.concatenate(fans).ravel(), 6).tolist()})
    return solids


def _pose(snapshot, name, normal, lower):
    """Rotation and displacement of a wall's surface in a frame for the page; None if the wall is not present.

    lower: lower corner of the box of all frames [m]
    """
    wall = next((candidate for candidate in snapshot.walls if candidate.name == name), None)
    if wall is None or not wall.is_there:
        return None
    turn, displacement = wall.turn, wall.displacement
    if normal is not None and np.allclose(np.abs(normal @ (turn @ normal)), 1.0):
        # A plane that slides within itself looks the same, so keep its drawn part in view.
        turn, displacement = np.eye(3), normal * (normal @ displacement)
    # Surfaces are relative to the lower corner, so that x moves to R (x + lower) + d - lower.
    shift = displacement + turn @ lower - lower
    return {"turn": turn.ravel().tolist(), "displacement": shift.tolist()}


def describe(frames, max_spheres, names=()):
    """Data of the frames for the page: (dict for JSON, Arrays).

    An entry of the page is a sphere or polyhedron; a clump has several entries. The dict has the offsets of the arrays:

    of all entries: `ids`, `radius`, `material`, `shade`, `solid` (0: a sphere, k: solids[k - 1])
    of a frame: `rows`, uint32 [count], the row of each present entry in the arrays above; `places`, uint16 [count, 3],
        fractions of the box of all frames; each of the `fields`, uint16 [count], fractions of its range; with solids also `turns`,
        int16 [count, 4], quaternions x y z w
    """
    arrays, first = Arrays(), frames[0]
    # The edges of a [cell] change, so that the page has the smallest box that contains the domains of all frames.
    lower = np.min([frame.lower for frame in frames], axis=0)
    upper = np.max([frame.upper for frame in frames], axis=0)
    ids, total, every = chosen_ids(frames, max_spheres)
    spheres = [columns.spheres(frame) for frame in frames]
    is_shown = [np.isin(entry.body, ids) for entry in spheres]
    keys = np.unique(np.concatenate([entry.id[mask] for entry, mask in zip(spheres, is_shown)]))
    rows = [np.searchsorted(keys, entry.id[mask]) for entry, mask in zip(spheres, is_shown)]
    columns_of_entries = {name: np.zeros(len(keys), kind) for name, kind in (("radius", "<f4"), ("material", "u1"), ("solid", "u1"))}
    columns_of_entries["shade"] = _shades(keys, columns.most_members(first)).astype("u1")
    solids = _solids(first)
    fields, values = [], []
    for colouring in colourings(frames[-1], names):
        field, numbers = _field(colouring, [colouring.values(frame) for frame in frames], frames)
        fields.append(field)
        values.append([column[entry.row[mask]] for column, entry, mask in zip(numbers, spheres, is_shown)])
        if colouring.name in CONSTANT:
            field["constant"] = np.zeros(len(keys), "<u2")
    # Surfaces at time zero, also of walls that enter the domain later.
    at_start = dataclasses.replace(scree.walls.at_time_zero(first), lower=lower, upper=upper)
    surfaces = scree.walls.surfaces(at_start, in_domain_only=False)
    frame_data = []
    for number, frame in enumerate(frames):
        frame_spheres, selected = spheres[number], is_shown[number]
        columns_of_entries["radius"][rows[number]] = frame_spheres.radius[selected]
        columns_of_entries["material"][rows[number]] = frame["material"][frame_spheres.row[selected]]
        columns_of_entries["solid"][rows[number]] = frame_spheres.solid[selected]
        for field, columns_of_frames in zip(fields, values):
            if field["constant"] is not None:
                field["constant"][rows[number]] = columns_of_frames[number]
        frame_data.append({
            "time": frame.time, "count": len(rows[number]), "rows": arrays.add(rows[number], "<u4"),
            "places": arrays.add(_quantised((frame_spheres.position[selected] - lower) / (upper - lower)), "<u2"),
            "fields": {field["name"]: arrays.add(columns_of_frames[number], "<u2")
                       for field, columns_of_frames in zip(fields, values) if field["constant"] is None},
            "walls": [_pose(frame, name, normal, lower) for name, _, normal in surfaces],
        })  # fmt: skip
        if solids:
            quaternions = np.roll(frame["orientation"][frame_spheres.row[selected]], -1, axis=1)
            frame_data[-1]["turns"] = arrays.add(np.round(TURNS * quaternions), "<i2")
    for field in fields:
        if field["constant"] is not None:
            field["constant"] = arrays.add(field["constant"], "<u2")
    return {
        "lower": lower.tolist(), "extent": (upper - lower).tolist(),
        "up": scree.view.vertical(first).tolist(), "towards": list(scree.view.views(first)["oblique"].towards),
        "grains": len(keys), "shown": len(ids), "known": total, "every": every, "most": max(map(len, rows)),
        "overlapping": any(len(shape.spheres) for shape in first.shapes), "solids": solids, "opens": opening(values[0]),
        "ids": arrays.add(keys // columns.most_members(first), "<f8"), "materials": list(first.materials),
        **{name: arrays.add(column, column.dtype) for name, column in columns_of_entries.items()},
        "fields": fields, "frames": frame_data,
        "walls": [{"name": name, "triangles": np.round((part - lower).ravel(), 9).tolist()}
                  for name, part, _ in surfaces],
    }, arrays  # fmt: skip


def notice(run, frames, all_frames):
    """A sentence with the numbers of grains and frames that are shown; empty if all are.

    run: from `describe`
    """
    parts = []
    if run["every"] > 1:
        parts.append(f"one grain in {run['every']} ({run['shown']} of {run['known']})")
    if frames < all_frames:
        parts.append(f"{frames} of {all_frames} frames")
    return f"Shown: {', '.join(parts)}." if parts else ""


def page(title, run, arrays, words):
    """Page as HTML.  run, arrays: from `describe`;  words: a sentence below the controls"""
    try:
        library = [path.read_text(encoding="utf-8") for path in LIBRARY]
    except OSError as error:
        raise FileError(f"three.js is missing ({error}); on Debian: apt-get install libjs-three") from error
    parts = {name: (PARTS / name).read_text(encoding="utf-8") for name in ("viewer.css", "viewer.js", "three_licence.txt")}
    data = json.dumps(run, separators=(",", ":")).replace("<", "\\u003c")
    scripts = "".join(f"<script>{text}</script>\n" for text in (*library, parts["viewer.js"]))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{scree.html.escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{parts["viewer.css"]}</style></head><body>
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
<canvas id="scene"></canvas>
<div id="bar"><button id="play">Play</button><input type="range" id="slider" min="0" value="0" aria-label="frame">
<span id="time"></span></div>
<script type="application/json" id="run">{data}</script>
<script type="text/plain" id="data">{base64.b64encode(arrays.data).decode("ascii")}</script>
{scripts}</body></html>
"""
