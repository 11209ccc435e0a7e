"""The gallery of the shipped scenes: for each scene a page, and a picture from a shortened run.

The comment at the beginning of a scene file describes the scene, its laws and its run time. The expected figures of a
scene are rows of the table in apps/scenes/README.md, found by the names of the cases of `scripts/study validation`.
"""

import csv
import dataclasses
import functools
import html
import pathlib
import re
import shutil

import matplotlib.pyplot as plt
import PIL.Image

import scree
import scree.colour
import scree.figure
import scree.picture
import scree.view
import scree.whole_file
from _validation.catalogue import CASES
from scree.examples import head, names, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "apps" / "scenes"
FIGURES = SCENES / "README.md"
DONE = "done.txt"


@dataclasses.dataclass(frozen=True)
class Shot:
    """Time and options of the picture of a scene."""

    end: str = ""  # time of the picture; empty: the end of the scene
    view: str = "oblique"
    colour: str = ""  # empty: the default of render.py
    column: str = ""  # column of the series to draw over time instead of the bodies
    changes: dict = dataclasses.field(default_factory=dict)  # section -> values that make the run faster
    stored: str = ""  # path of a stored picture, for scenes that take too long


SHOTS = {
    "blade_mixer": Shot("0.5 s", colour="material"),
    "ballast_box": Shot("0.4 s", colour="id"),
    "blocks_arch": Shot("0.1 s", colour="shape"),
    "bonded_wall": Shot("0.3 s", colour="cluster"),
    "brazilian_disk": Shot("10 ms", "side", colour="cluster"),
    "bouncing_sphere": Shot(column="kinetic_energy"),
    "bouncing_sphere_viscoelastic": Shot("20 s", column="kinetic_energy"),
    "centrifuge": Shot("0.3 s", "front"),
    "channel": Shot(stored="channel_speed.png"),
    "channel_clumps": Shot("2 ms"),
    "channel_small": Shot("50 ms", "above"),
    "clumps": Shot("0.12 s", colour="shape"),
    "column_collapse": Shot("0.6 s", colour="size"),
    "cubes": Shot("0.3 s", colour="shape"),
    "drum_tetrapods": Shot("0.4 s"),
    "drum_cubes": Shot("0.5 s"),
    "excavator": Shot("1.1 s", "side"),
    "feed_and_heap": Shot("1 s", "front", "material"),
    "granular_gas": Shot("25 ms"),
    "granular_gas_viscoelastic": Shot("100 ms", column="kinetic_energy"),
    "heap_tetrapods": Shot("0.6 s", colour="id"),
    "gripper": Shot("0.5 s"),
    "hopper": Shot("0.3 s"),
    "hopper_pebbles": Shot("0.25 s", colour="shape"),
    "inclined_plane": Shot("0.5 s", "side"),
    "isotropic": Shot("35 ms", colour="size"),
    "masonry_wall": Shot("0.4 s", "side", colour="cluster"),
    "mill": Shot("0.8 s", "side"),
    "mixing_drum": Shot("0.5 s", colour="material"),
    "periodic_shear": Shot("0.1 s", colour="velocity_x"),
    "press": Shot("0.25 s", colour="size"),
    "raft": Shot("1 s", colour="id"),
    "rockfall": Shot("3 s", colour="shape"),
    "rotating_drum": Shot("0.3 s"),
    "rotary_valve": Shot("0.55 s", "side"),
    "screen": Shot("1 s", colour="material"),
    "screw_conveyor": Shot("0.9 s"),
    "sedimentation": Shot("0.2 s", "front"),
    "settle_box": Shot("0.4 s", colour="id"),
    "shear_cell": Shot("0.2 s", "side", "velocity_x"),
    "shear_cell_pressure": Shot("0.2 s", "side", "velocity_x"),
    "shear_constant_pressure": Shot("0.1 s", "side", "velocity_x"),
    "silo": Shot("0.4 s"),
    "suspension": Shot("0.2 s"),
    "triaxial": Shot("0.25 s", colour="size"),
    "triaxial_periodic": Shot("0.1 s", colour="size"),
    "v_blender": Shot("1.6 s", colour="material"),
    "vibrated_box": Shot("1 s", "front", "material"),
    "wet_heap": Shot("1 s", "front"),
    "wheel": Shot("0.8 s"),
    "benchmark/drum": Shot("0.4 s", "front", "material"),
    "benchmark/hopper": Shot("0.4 s", "front", changes={"fill": {"upper": "2.6 2.6 11.4 cm"}}),
    "benchmark/impact": Shot("0.41 s", "front", changes={
        "fill": {"upper": "39 39 40 mm"}, "inflow.ball": {"centre": "0 0 45 mm"}}),
    "benchmark/silo": Shot("0.32 s", "front", changes={"fill": {"to": "0 0 90 mm"}}),
}  # fmt: skip


TOPICS = {
    "Hoppers and silos": ("hopper", "hopper_pebbles", "silo", "feed_and_heap"),
    "Machines": ("rotating_drum", "mixing_drum", "drum_cubes", "drum_tetrapods", "blade_mixer", "screw_conveyor", "rotary_valve", "screen", "mill",
                 "v_blender", "wheel", "gripper", "excavator", "raft", "centrifuge"),
    "Channels, slopes and heaps": ("channel_small", "channel", "channel_clumps", "inclined_plane", "rockfall", "column_collapse",
                                   "heap_tetrapods", "wet_heap"),
    "Packings, clumps and blocks": ("settle_box", "cubes", "clumps", "ballast_box", "blocks_arch", "bonded_wall", "masonry_wall",
                                    "vibrated_box"),
    "Tests of materials": ("press", "triaxial", "triaxial_periodic", "isotropic", "shear_cell", "shear_cell_pressure",
                           "shear_constant_pressure", "periodic_shear", "brazilian_disk"),
    "Gases, fluids and single spheres": ("granular_gas", "granular_gas_viscoelastic", "sedimentation", "suspension",
                                         "bouncing_sphere", "bouncing_sphere_viscoelastic"),
    "Comparisons with other programs": ("benchmark/drum", "benchmark/hopper", "benchmark/impact", "benchmark/silo"),
}  # fmt: skip
CARD = 480, 320  # pixels


def anchor(name):
    return name.replace("/", "_")


def draw(name, folder):
    """Draws FOLDER/NAME.png and the small picture NAME_card.png of a scene, and returns a description of the run.

    A run or picture that exists with the same settings is not made again.
    """
    shot, directory = SHOTS[name], folder / anchor(name)
    picture, note = directory.with_suffix(".png"), directory / DONE
    if shot.stored:
        shutil.copy(SCENES / shot.stored, picture)
        make_card(picture)
        return ""
    inputs = [repr((shot.end, shot.column, shot.changes)), repr(shot)]
    done = note.read_text(encoding="utf-8").splitlines() if note.is_file() else ["", ""]
    if done[:2] == inputs and picture.is_file():
        return done[2]
    if done[0] == inputs[0]:
        run = scree.open(directory)
    else:
        run = scree.run(SCENES / f"{name}.ini", directory, overwrite=True, output=output_of(shot),
                        **({"time": {"end": shot.end}} if shot.end else {}), **shot.changes)  # fmt: skip
    frame = run.frames[-1]
    make_card(picture, draw_series(run, shot, picture) if shot.column else draw_frame(run, shot, picture))
    count = f"{len(frame)} {'body' if len(frame) == 1 else 'bodies'}"
    words = f"{count}, at {frame.time:.4g} s" + (", fewer than the scene has" if shot.changes else "")
    scree.whole_file.write(note, "\n".join([*inputs, words]))
    return words


def make_card(picture, image=None):
    """Writes the small picture NAME_card.png, from `image`, the scene without axes, or else from the picture."""
    image = PIL.Image.open(picture).convert("RGB") if image is None else PIL.Image.fromarray(image)
    image.thumbnail(CARD)
    with scree.whole_file.path_of(picture.with_name(f"{picture.stem}_card.png")) as path:
        image.save(path, format="png")


def output_of(shot):
    """Output keys of the run: one snapshot at the end, or the series."""
    return {"every": shot.end or "unset", "energy_book": "no"} if not shot.column else {"energy_book": "no"}


def draw_frame(run, shot, picture):
    """Draws the last frame, and returns it without axes for the card."""
    frame = run.frames[-1]
    scale = scree.colour.scale(scree.colour.of(shot.colour or scree.colour.default([frame]), frame), [frame])
    view = scree.view.views(frame)[shot.view]
    scree.figure.save(scree.picture.figure_of(frame, [view], scale)[0], picture, 150)
    return scree.picture.image(frame, view, scale, *CARD)


def draw_series(run, shot, picture):
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    axes.semilogy(run.series.time, run.series[shot.column])
    unit = run.series.attrs["units"][shot.column]
    axes.set(xlabel="time $t$ [s]", ylabel=f"{shot.column.replace('_', ' ')} [{unit}]")
    scree.figure.save(figure, picture, 100)


@functools.cache
def cases_of_scenes():
    """Scene -> names of the cases of `scripts/study validation` that run it."""
    cases_of_scene = {}
    for case in CASES.values():
        for run in case.runs(False):
            cases = cases_of_scene.setdefault(str(run.scene), [])
            if case.name not in cases:
                cases.append(case.name)
    return cases_of_scene


def figure_rows():
    """The rows of the table of figures: [(names of cases, quantity, measured, expected)]."""
    rows = []
    for line in FIGURES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"(?:`\w+` ?)+", cells[0]):
            rows.append((re.findall(r"`(\w+)`", cells[0]), *cells[1:]))
    return rows


def figures(name, measured):
    """The expected figures of a scene as a table in Markdown; empty if there are none.

    measured: rows of validation.csv of a local run, {case: [row]}
    """
    cases = cases_of_scenes().get(name, [])
    local_rows = [row for case in cases for row in measured.get(case, [])]
    if local_rows:
        rows = [(f"{r['quantity']} {'[' + r['unit'] + ']' if r['unit'] else ''}", f"{float(r['measured']):.4g}",
                 f"{float(r['expected']):.4g} ± {float(r['tolerance']):.2g}" + ("" if r["passed"] == "1" else ": off"))
                for r in local_rows]  # fmt: skip
    else:
        rows = [tuple(row[1:]) for row in figure_rows() if set(row[0]) & set(cases)]
    if not rows:
        return ""
    table = "\n".join(f"| {quantity} | {value} | {law} |" for quantity, value, law in rows)
    return (f"| figure | measured | expected |\n|---|---|---|\n{table}\n\n"
            f"By `scripts/study validation {' '.join(cases)}`, whose page compares them with the laws.")  # fmt: skip


def read_measured(file):
    """{case: [row]} of a validation.csv."""
    rows_of_cases = {}
    with open(file, encoding="utf-8") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            rows_of_cases.setdefault(row["case"], []).append(row)
    return rows_of_cases


def related_pages(name, pages):
    """Headings of other pages that mention a scene: [(heading, page)].  pages: {page: text}"""
    related = []
    for page, text in pages.items():
        for part in re.split(r"^(?=#{1,2} )", text, flags=re.M):
            if re.search(rf"(?<![\w/]){re.escape(name)}\.ini\b", part):
                words = part.splitlines()[0].lstrip("# ")
                related.append((words, page))
    return related


def scene_page(name, words, measured, pages, picture):
    """The page of a scene.  words: caption of its picture;  pages: {page: text} that may mention the scene"""
    scene = SCENES / f"{name}.ini"
    parts = [f"# {name}"]
    if picture:
        parts += [f"![{html.escape(title(name))}](pictures/{anchor(name)}.png)", f"*{words}*" if words else ""]
    parts += [head(name), f"    scripts/run apps/scenes/{name}.ini"]
    table = figures(name, measured)
    if table:
        parts += ["## Expected figures", table]
    related = related_pages(name, pages)
    if related:
        parts.append("See also: " + ", ".join(f"[{heading}](../{page}.md)" for heading, page in related) + ".")
    text = re.sub(r"\A(#.*\n)*", "", scene.read_text(encoding="utf-8")).strip()  # without its head, which is above
    parts += ["## The scene", f"```ini\n{text}\n```"]
    return "\n\n".join(filter(None, parts)) + "\n"


def cards(names_shown, pictures):
    """A card for each of these scenes, in HTML."""
    elements = []
    for name in names_shown:
        image = f'<img src="_static/{anchor(name)}_card.png" alt="" loading="lazy">' if pictures else ""
        label = f"<b>{name}</b> {html.escape(title(name))}"
        elements.append(f'<a class="card" href="gallery/{anchor(name)}.html">{image}{label}</a>')
    return '<div class="cards">\n' + "\n".join(elements) + "\n</div>"


def index_page(pictures):
    """The gallery: a card for each scene, by topic."""
    return "\n\n".join([
        "# Gallery",
        "All shipped scenes with their purpose, expected figures, run time and text. The pictures come from runs on one "
        "core, most of which are shorter than the run of the scene.",
        *(f"## {topic}\n\n{cards(names_shown, pictures)}" for topic, names_shown in TOPICS.items()),
        "```{toctree}\n:hidden:\n" + "\n".join(f"gallery/{anchor(name)}" for name in names()) + "\n```",
    ]) + "\n"  # fmt: skip


def with_links(page, pictures, root=""):
    """A page in which names of scenes, such as `hopper.ini`, link to the pages of the scenes.

    Comments <!-- picture of NAME --> and <!-- cards: NAMES --> become a picture and cards.
    pictures: whether there are pictures; if not, comments of pictures are removed
    root: path to the root of the pages, "../" from a folder
    """
    image = rf'<a href="{root}gallery/\1.html"><img class="aside" src="{root}_static/\1_card.png" alt="\1"></a>'
    page = re.sub(r"<!-- picture of (\w+) -->", image if pictures else "", page)
    page = re.sub(r"<!-- cards: ([\w ]+) -->", lambda match: cards(match[1].split(), pictures), page)

    def link(match):
        name = known.get(match[1])
        return f"[`{match[1]}.ini`]({root}gallery/{anchor(name)}.md)" if name else match[0]

    known = {**{name: name for name in names()}, **{f"apps/scenes/{name}": name for name in names()}}
    blocks = re.split(r"(^```[\s\S]*?^```|^(?:    .*\n)+)", page, flags=re.M)
    for k in range(0, len(blocks), 2):
        blocks[k] = re.sub(r"(?<![`\[])`([\w/]+)\.ini`(?!\])", link, blocks[k])
    return "".join(blocks)
