"""Settings of Sphinx for the pages that scripts/manual.py lays out."""

import importlib.util
import inspect
import pathlib
import re
import sys

# manual.py copies this file to the pages, and writes the path of the package into package_path.
sys.path.insert(0, pathlib.Path("package_path").read_text(encoding="utf-8").strip())

project = "Scree"
copyright = "the authors of Scree"
version = release = pathlib.Path("version").read_text(encoding="utf-8").strip()
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
html_theme = "furo" if importlib.util.find_spec("furo") else "alabaster"
html_title = f"Scree {version}"
html_static_path = ["manual.css", *(["cards"] if pathlib.Path("cards").is_dir() else [])]
html_css_files = ["manual.css"]
html_show_sphinx = False
html_copy_source = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}
smartquotes = False  # keeps the hyphens of --key
pygments_style = "default"
highlight_language = "none"


def parameters_as_fields(app, what, name, obj, options, lines):
    """Converts lines such as `ranks: number of processes` in docstrings to fields of Sphinx if `ranks` is a parameter."""
    if what not in ("function", "method"):
        return
    for k, line in enumerate(lines):
        match = re.match(r"(\w+): (.+)", line)
        if match and match[1] in inspect.signature(obj).parameters:
            lines[k] = f":param {match[1]}: {match[2]}"


def setup(app):
    app.connect("autodoc-process-docstring", parameters_as_fields)


# Pages of programs are also man pages; the third line of a page, a comment, is the summary.
man_pages = []
for page in sorted(pathlib.Path("programs").glob("scree-*.md")):
    summary = page.read_text(encoding="utf-8").splitlines()[2].removeprefix("% ")
    man_pages.append((f"programs/{page.stem}", page.stem, summary[0].lower() + summary[1:], [], 1))
