#!/usr/bin/env python3
"""Makes the manual: pages in DIR/html, and man pages of the programs in DIR/man/man1.

The pages come from the READMEs of the tree, the tutorials next to this script, the tutorial of the Python package
with its pictures, the keys of scenes, and the --help of programs and scripts. For the gallery each shipped scene is
run for a while and drawn; existing pictures are not made again. Sphinx builds the pages, and a broken reference is an
error. On Debian: python3-sphinx, python3-myst-parser, furo.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
from unittest import mock

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL", "sphinx", "myst_parser")

import _command_line
from _manual import equations, gallery, keys
from _manual.keys import escape
import scree.native
import scree.program
import scree.whole_file
from scree.errors import FileError

SCRIPTS = pathlib.Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
PRINTED = "printed.txt"  # output of the tutorial
# Pages that are files of the tree.
READMES = {
    "README.md": "overview", "io/README.md": "files", "apps/scenes/README.md": "scenes", "solvers/README.md": "solvers",
    "apps/scenes/two_laws.md": "two_laws", "apps/scenes/benchmark/README.md": "benchmark",
    "apps/single/README.md": "impact", "engine/README.md": "engine", "engine/time_steps.md": "time_steps",
    "engine/performance.md": "engine_performance", "solvers/performance.md": "solvers_performance",
    "tests/README.md": "tests", "scripts/cluster/README.md": "cluster",
}  # fmt: skip
# Files that are not pages -> pages that are made from them. Links to the files lead to the pages.
GENERATED = {
    "tests/data/every_key.ini": "keys", "scripts/_manual/gallery.py": "gallery", "scripts/scree/__init__.py": "python",
    "scripts/tutorial.py": "analysis",
}  # fmt: skip
PROGRAMS = {
    "run": "Runs a scene of particles", "bench": "Measures how fast the engine is", "info": "Describes a file",
    "contact": "Solves problems of single contacts", "damping": "Calibrates the damping of contact forces",
    "restitution": "Computes coefficients of restitution", "integrators": "Compares numerical methods for an impact",
    "pendulum": "Computes pendulums with impacts",
}  # fmt: skip
SCRIPT_NAMES = (
    "run", "study", "calibrate", "pack", "python", "reproduce_channel", "report.py",
    "render.py", "view.py", "key_figures.py", "profiles.py", "fields.py", "rdf.py", "contacts.py", "mixing.py",
    "motion.py", "order.py", "residence.py", "avalanches.py", "heap.py",
    "export.py", "compare.py", "clump.py", "bonded_cells.py", "terrain.py", "urdf.py", "plot_table.py",
    "manual.py",
)  # fmt: skip
NOTEBOOKS = ("run", "look", "servo", "drawbar")
GENERATED |= {f"scripts/notebooks/{name}.ipynb": f"notebooks/{name}" for name in NOTEBOOKS}
# Contents of the page on Python: module, names.
API = (
    ("program", ("start", "run", "Running", "RunFailed")), ("directory", ("read", "Run")), ("frames", ("Frames",)),
    ("snapshot", ("Snapshot", "Wall", "WallPart", "Shape")), ("contacts", ("Contacts",)), ("region", ("Region", "make")),
    ("means", ("mean_error", "frame_mean")), ("force_network", ("anisotropies", "scalar", "without_rattlers", "tail")),
    ("motion", ("mean_square_displacement", "non_affine", "sonine")),
    ("voronoi", ("cells", "solid_fractions")), ("orientation", ("nematic", "cubatic", "orders")),
    ("residence", ("residence", "survival")), ("avalanches", ("bursts", "falls")),
    ("heap", ("over_time", "runout", "base_stress")), ("repose", ("angle",)), ("film", ("Plan", "read_plan", "make", "draw")),
    ("ask", ("rdf", "profile", "fields", "contact_statistics", "mixing", "key_figures", "picture")),
    ("errors", ("FileError", "MissingField", "OutputError", "SimulationError", "UnknownName", "UsageError")),
)  # fmt: skip
# Contents from the compiled modules, if these exist.
COMPILED_API = (
    ("engine", ("read", "parse", "Scene", "Simulation", "State", "Grains", "Observables", "Report")),
    ("steering", ("Wall", "Joint", "Link", "Parts", "StepContacts")), ("environment", ("Task", "Environments")),
    ("solvers", ("max_dissipation", "coulomb", "coulomb_solutions", "rebound", "contact_block", "Body", "Solution",
                 "Solutions", "Rebound", "State")),
    ("impact", ("viscoelastic", "path", "restitution_of_speed", "dissipation_of", "physical_dissipation",
                "critical_dissipation", "critical_load", "hertz_stiffness", "optimal_damping", "restitution_of_damping",
                "hysteresis_factor", "restitution_of_hysteresis", "hunt_crossley", "routh", "Viscoelastic", "Path",
                "HuntCrossley", "Routh", "RouthMode")),
)  # fmt: skip


def output_of(*command, **options):
    """The output of a command; raises FileError if it fails."""
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if process.returncode != 0:
        raise FileError(f"{' '.join(map(str, command))} ended with exit code {process.returncode}: {process.stderr.strip()}")
    return process.stdout


def report(step):
    """Prints the present step of the work on stderr."""
    print(f"manual: {step}", file=sys.stderr, flush=True)


def _join_lines(lines):
    """Lines of help as one paragraph."""
    return escape(" ".join(filter(None, (line.strip() for line in lines))))


def describe(text, level):
    """The help of a program or a command as parts in Markdown: synopsis, description, options as definitions."""
    usage, _, rest = text.partition("\n\n")
    rest = rest.split("\nKeys of a scene.")[0]
    parts = ["#" * level + " Synopsis", "```\n" + usage.removeprefix("usage: ") + "\n```"]
    parts.append("#" * level + " Description")
    for paragraph in re.split(r"\n\s*\n", rest):
        lines = paragraph.splitlines()
        if lines and lines[0] == "Options:":
            del lines[0]
        if not lines:
            continue
        if not lines[0].startswith("  "):
            parts.append(_join_lines(lines))
            continue
        parts += _definitions(lines)
    return parts


def _definitions(lines):
    """Lines of options, each with its meaning on the same line or below, as definitions."""
    definitions = []
    for line in lines:
        match = re.match(r"  (\S+(?: \S+)*)(?:\s{2,}(\S.*))?$", line)
        if match and not line.startswith("   "):
            definitions.append((match[1], [match[2] or ""]))
        elif definitions:
            definitions[-1][1].append(line)
    return [f"`{name}`\n: {_join_lines(meaning) or '-'}" for name, meaning in definitions]


def program_page(name, path):
    """The page of a program, also used as its man page: its help and that of its commands."""
    text = output_of(path, "--help")
    parts = [f"# scree-{name}", f"% {PROGRAMS[name]}", *describe(text, 2)]
    if "COMMAND [options]" in text:
        for command in re.findall(r"^  ([a-z][\w-]*)$", text, re.M):
            parts += [f"## {command}", *describe(output_of(path, command, "--help"), 3)]
    if name == "run":
        parts += ["## Keys of a scene", "Each may be given as `--section.key value`."]
        for title, description, rows in keys.keys_of(text):
            parts += [f"### {escape(title)}", escape(description)]
            parts += [f"`{key}`\n: {escape(meaning)}" for key, meaning in rows]
    return "\n\n".join(parts) + "\n"


def tutorial_page(text, pictures, printed):
    """The tutorial of the Python package as Markdown: comments become text, and each picture follows its code.

    printed: output of the tutorial
    """
    parts = []
    for cell in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, body = cell.partition("\n")
        if head.strip() == "[markdown]":
            parts.append("\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()))
            continue
        if head.strip() == "[script]":  # code that readers do not need
            continue
        parts += [head.strip(), f"```python\n{body.strip()}\n```"]
        drawn = [name for name in re.findall(r"\"(\w+\.png)\"", body) if name in pictures]
        parts += [f"![{name.removesuffix('.png')}](tutorial/{name})" for name in drawn]
    parts += ["## What it prints", f"```\n{printed.strip()}\n```"]
    return "\n\n".join(filter(None, parts)) + "\n"


def notebook_page(text):
    """The cells of a notebook as Markdown."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    return "\n\n".join(words if kind == "markdown" else f"```python\n{words}\n```" for kind, words in cells) + "\n"


def help_of(name):
    """The --help of a script. Python scripts run in this process, which has already imported their packages."""
    if not name.endswith(".py"):
        return output_of(SCRIPTS / name, "--help", env=os.environ | {"COLUMNS": "100"})
    printed, arguments = io.StringIO(), [str(SCRIPTS / name), "--help"]
    with mock.patch.object(sys, "argv", arguments), mock.patch.dict(os.environ, COLUMNS="100"):
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            runpy.run_path(arguments[0], run_name="__main__")
    return printed.getvalue()


def commands_table():
    """A table of all programs and scripts with their purpose; for a script the first sentence of its file."""
    rows = [f"| [scree-{name}](programs/scree-{name}.md) | {purpose} |" for name, purpose in PROGRAMS.items()]
    for name in SCRIPT_NAMES:
        if name.endswith(".py"):
            words = ast.get_docstring(ast.parse((SCRIPTS / name).read_text(encoding="utf-8")))
        else:
            words = (SCRIPTS / name).read_text(encoding="utf-8").splitlines()[1].lstrip('# "')
        first = re.split(r"(?<=\w[.:])\s", " ".join(words.split()))[0].rstrip(".:")
        rows.append(f"| [{name}](scripts.md#{name.replace('.', '')}) | {escape(first)} |")
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def script_page():
    """The --help of each script."""
    parts = ["# Scripts", "Each is started from anywhere in the tree, and is installed in `share/scree/scripts`."]
    for name in SCRIPT_NAMES:
        parts += [f"## {name}", f"```\n{help_of(name).strip()}\n```"]
    return "\n\n".join(parts) + "\n"


def python_page():
    parts = ["# Python", "```{eval-rst}\n.. automodule:: scree\n   :no-members:\n```"]
    for module, names in API + (COMPILED_API if scree.native.found() else ()):
        parts.append(f"## scree.{module}")
        if module in ("engine", "steering"):
            parts.append(f"```{{eval-rst}}\n.. automodule:: scree.{module}\n   :no-members:\n```")
        for name in names:
            kind = "autofunction" if name[0].islower() else "autoclass"
            parts.append(f"```{{eval-rst}}\n.. {kind}:: scree.{module}.{name}\n```")
    return "\n\n".join(parts) + "\n"


def with_links(text, file):
    """A page in which names of READMEs become links, and links to files lead to pages of the manual.

    So the same link works in the tree and in the manual.  file: path of the page in the tree
    """
    folder = pathlib.PurePosixPath(file).parent

    def page_of(target):
        for path in (os.path.normpath(folder / target), os.path.normpath(target)):
            if path.startswith("scripts/manual/") and (ROOT / path).is_file():  # pages and pictures next to this script
                return path.removeprefix("scripts/manual/")
            if name := READMES.get(path) or GENERATED.get(path):
                return f"{name}.md"
        return None

    def link(match):
        page = page_of(match[1])
        return f"]({page}{match[2]})" if page else match[0]

    blocks = re.split(r"(^```[\s\S]*?^```|^(?:    .*\n)+)", text, flags=re.M)
    for k in range(0, len(blocks), 2):
        blocks[k] = re.sub(r"\]\(([\w./]+)((?:#[\w-]+)?)\)", link, blocks[k])
        blocks[k] = re.sub(r"(?<!\[)`((?:[\w./]+/)?\w+\.md)`", lambda m: (
            f"[{m[1]}]({page_of(m[1])})" if page_of(m[1]) and page_of(m[1]) != f"{READMES.get(file)}.md" else m[0]), blocks[k])
    return "".join(blocks)


def lay_out(source, programs, tutorial, pictures=None, validation=None):
    """Writes all pages into an empty folder.

    tutorial: folder of the tutorial's pictures;  pictures: folder for the gallery's pictures, None: no pictures
    validation: a validation.csv, whose figures the gallery shows instead of the figures of apps/scenes/README.md
    """
    shutil.copytree(SCRIPTS / "manual", source)
    help_of_run = output_of(programs / "scree-run", "--help")
    names = keys.names_of(help_of_run)

    def write(page, text):
        """Writes a page with links for names of keys and scenes, and with typeset equations."""
        path = source / page
        path.parent.mkdir(exist_ok=True)
        root = "../" * page.count("/")
        text = gallery.with_links(keys.with_links(equations.render(text), names, root), pictures is not None, root)
        path.write_text(text, encoding="utf-8")

    pages = {}
    for file, name in READMES.items():
        path = ROOT / file
        pages[name] = with_links(path.read_text(encoding="utf-8"), file)
        write(f"{name}.md", pages[name])
        for picture in re.findall(r"\]\((\w+\.png)\)", path.read_text(encoding="utf-8")):
            shutil.copy(path.parent / picture, source)
    for path in sorted((SCRIPTS / "manual").glob("*.md")):
        pages[path.stem] = with_links(path.read_text(encoding="utf-8"), f"scripts/manual/{path.name}")
        write(path.name, pages[path.stem].replace("<!-- commands -->", commands_table()))
    write("gallery.md", gallery.index_page(pictures is not None))
    measured = gallery.read_measured(validation) if validation else {}
    for name in _command_line.progress(gallery.names(), len(gallery.names()), "scene"):
        words = gallery.draw(name, pictures) if pictures else ""
        page = gallery.scene_page(name, words, measured, pages, pictures is not None)
        write(f"gallery/{gallery.anchor(name)}.md", page)
    if pictures:
        for folder, end in ((source / "gallery" / "pictures", ""), (source / "cards", "_card")):
            folder.mkdir()
            for name in gallery.names():
                shutil.copy(pictures / f"{gallery.anchor(name)}{end}.png", folder)
    (source / "programs").mkdir()
    for name in PROGRAMS:
        page = program_page(name, programs / f"scree-{name}")
        (source / "programs" / f"scree-{name}.md").write_text(page, encoding="utf-8")
    listed = "\n".join(f"scree-{name}" for name in PROGRAMS)
    (source / "programs" / "index.md").write_text(f"# Programs\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
    (source / "keys.md").write_text(keys.page(help_of_run), encoding="utf-8")
    lay_out_python(source, tutorial)
    (source / "scripts.md").write_text(script_page(), encoding="utf-8")
    (source / "package_path").write_text(str(SCRIPTS), encoding="utf-8")
    version = output_of(programs / "scree-run", "--version").split()[1]
    (source / "version").write_text(version, encoding="utf-8")


def lay_out_python(source, tutorial):
    """Writes the pages of the Python package: tutorial, notebooks, and reference."""
    drawn = sorted(path.name for path in tutorial.glob("*.png"))
    (source / "tutorial").mkdir()
    for name in drawn:
        shutil.copy(tutorial / name, source / "tutorial")
    text = (SCRIPTS / "tutorial.py").read_text(encoding="utf-8")
    printed = (tutorial / PRINTED).read_text(encoding="utf-8")
    (source / "analysis.md").write_text(tutorial_page(text, drawn, printed), encoding="utf-8")
    (source / "notebooks").mkdir()
    for name in NOTEBOOKS:
        page = notebook_page((SCRIPTS / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))
        (source / f"notebooks/{name}.md").write_text(page, encoding="utf-8")
    (source / "python.md").write_text(python_page(), encoding="utf-8")


def build(source, doctrees, builder, folder):
    """Runs Sphinx; raises FileError for broken references and other warnings."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder, source, folder]
    output_of(*command, "-d", doctrees, cwd=source)


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/manual"), metavar="DIR",
                        help="default: output/manual")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR",
                        help="folder of the programs (default: that of scree-run)")
    parser.add_argument("--without-gallery", action="store_true",
                        help="no pictures of the scenes, whose runs take some ten minutes on one core the first time")
    parser.add_argument("--validation", type=pathlib.Path, metavar="CSV",
                        help="validation.csv of `scripts/study validation`: its figures go into the gallery")
    arguments = parser.parse_args()
    programs = (arguments.programs or scree.program.found().parent).resolve()
    output = arguments.output.resolve()
    source, doctrees = output / "source", output / "doctrees"
    for folder in (source, doctrees):
        shutil.rmtree(folder, ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)
    tutorial = output / "tutorial"
    if not (tutorial / PRINTED).is_file():
        report("running the tutorial, some seconds")
        printed = output_of(SCRIPTS / "tutorial.py", tutorial, env=os.environ | {"SCREE_RUN": str(programs / "scree-run")})
        scree.whole_file.write(tutorial / PRINTED, printed)
    pictures = None if arguments.without_gallery else output / "gallery"
    if pictures:
        os.environ["SCREE_RUN"] = str(programs / "scree-run")
        pictures.mkdir(exist_ok=True)
    with scree.whole_file.folder_of(output / "html") as html, scree.whole_file.folder_of(output / "man") as man:
        report("writing pages" + (", with runs of all scenes: ten minutes the first time (--without-gallery)" if pictures else ""))
        lay_out(source, programs, tutorial, pictures, arguments.validation)
        report("building HTML")
        build(source, doctrees, "html", html)
        report("building man pages")
        build(source, doctrees, "man", man / "man1")
    print(output / "html" / "index.html")
    return 0


if __name__ == "__main__":
    _command_line.run(main)
