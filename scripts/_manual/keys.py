"""The page of all keys of a scene: one row per key, with an anchor of its full name and an example from a scene."""

import html
import re

from scree.errors import UsageError

from . import gallery

EVERY_KEY = gallery.ROOT / "tests" / "data" / "every_key.ini"
# Examples of keys that no scene has.
MORE_EXAMPLES = {"path": "time_s 0 1, x_kPa 1 10", "rate_x": "-0.1 /s", "rate_y": "-0.1 /s", "rate_z": "-0.1 /s",
                 "shear_stress": "300 Pa", "fracture_energy": "5 J/m^2", "problems": "0.1 0.25 s", "base_step": "1 us",
                 "apart": "yes", "accuracy": "0.003", "force_accuracy": "0.1", "balance": "every 500 steps",
                 "vertices": "0 0 0  4 0 0  0 3 0  1 1 5 mm", "sides": "12", "rounding": "0.1 mm",
                 "parent": "arm", "inertia_products": "0.1 0 0 kg m^2", "lower_angle": "-30 deg", "upper_angle": "90 deg",
                 "torque": "2 N m", "torsion_spring": "5 N m", "torsion_rest": "10 deg", "torsion_damping": "0.1 N m s",
                 "friction_force": "3 N", "force": "2 N", "angle": "45 deg", "travel": "2 cm", "speed": "5 cm/s",
                 "largest_rate": "10 rpm", "largest_speed": "20 cm/s", "largest_force": "30 N",
                 "mimic": "shaft", "ratio": "-0.5", "lead": "5 mm",
                 "table": "time_s 0 2 4, angle_deg 0 40 0"}  # fmt: skip
INTRODUCTION = """# All keys of a scene

The same keys as in `scree-run --help`, with an example from the [shipped scenes](gallery.md) if a scene has the key. A
quantity is a number with a unit (`0.94 mm`, `15 6.5 2 cm`); a number without a unit is in the SI unit shown. On the
command line a key has its full name and overrides the file: `--time.end "20 ms"`. A key without default is required
where its section or feature is used, or follows from other keys, which its row names.

**at** marks keys that may change during a run. In a scene, a section with the time in its name changes them

```ini
[at "0.2 s"]
contact.friction   = 0.3             # full names; any keys that are marked
wall.lid.pressure  = 2 kPa
scene.gravity      = 0 0 0 m/s^2
```

from the first step at or after 0.2 s on. After a stop, `--restart DIR --allow-changes` changes them."""


def keys_of(text):
    """The sections of scree-run's help: [(title, description, [(key, meaning)])]."""
    sections = []
    for line in text.splitlines():
        title = re.match(r"(\[.+\])  (\S.*)$", line)
        key = re.match(r"  (\S+)\s+(\S.*)$", line)
        if title:
            sections.append((title[1], title[2], []))
        elif key and sections:
            sections[-1][2].append((key[1], key[2]))
    return sections


def full_names(title, key):
    """Full names of a key, as --list-keys prints them: fill.lower and fill.NAME.lower for `[fill or fill.NAME]`."""
    return [f"{name}.{key}" for name in title.strip("[]").split(" or ")]


def parts_of(meaning):
    """A meaning as (words, unit, default, whether the key may change during a run)."""
    can_change = meaning.endswith("; [at]")
    meaning = meaning.removesuffix("; [at]")
    unit = re.search(r" \[([^\]]+)\](?=;|$)", meaning)
    if unit:
        meaning = meaning[: unit.start()] + meaning[unit.end() :]
    default = re.search(r"; (?:default (.+)|((?:[^;]+ if not given)))$", meaning)
    if default:
        meaning = meaning[: default.start()]
    return meaning, unit[1] if unit else "", (default[1] or default[2]) if default else "", can_change


def _kind(section):
    """The section of the help for a section of a scene: wall.lid -> wall, pair.a.b -> pair."""
    return re.split(r"[.\s]", section)[0]


def examples():
    """{(section, key): [(value, scene)]}, shortest scenes first; last the values of EVERY_KEY, with "" as scene."""
    values = {}
    files = [(name, gallery.SCENES / f"{name}.ini") for name in gallery.names()]
    files.sort(key=lambda entry: len(entry[0]) + entry[1].stat().st_size / 1000)
    for name, file in [*files, ("", EVERY_KEY)]:
        section = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif "=" in line and not section.startswith("at "):
                key, value = (word.strip() for word in line.split("=", 1))
                values.setdefault((_kind(section), key), []).append((value, name))
    return values


def _examples_of_key(values, kind, key):
    """Examples of a key from its section, else from any section with a key of this name."""
    shared = next((examples for (_, name), examples in values.items() if name == key), [(MORE_EXAMPLES.get(key, ""), "")])
    return values.get((kind, key), shared)


def _example(examples, default):
    """An example that is not the default, if there is one."""
    return next((example for example in examples if example[0] not in (default, "0")), examples[0] if examples else ("", ""))


def _row(title, key, meaning, values):
    words, unit, default, can_change = parts_of(meaning)
    names = full_names(title, key)
    value, scene = _example(values, default)
    shown = f"<code>{html.escape(value)}</code>" if value else ""
    if scene:
        shown += f' <a href="gallery/{gallery.anchor(scene)}.html">{scene.rpartition("/")[2]}</a>'
    anchors = "".join(f'<span id="{html.escape(name)}"></span>' for name in names[1:])
    return (f'<tr id="{html.escape(names[0])}"><td>{anchors}<a href="#{html.escape(names[0])}"><code>{key}</code></a>'
            f'{" <small>at</small>" if can_change else ""}</td><td>{html.escape(words)}</td><td>{html.escape(unit)}</td>'
            f"<td>{html.escape(default)}</td><td>{shown}</td></tr>")  # fmt: skip


def page(text):
    """The page, from the help of scree-run; raises UsageError if there are no keys."""
    sections = keys_of(text)
    if not sections:
        raise UsageError("the help of scree-run has no keys; is it the program of this version?")
    all_examples, parts = examples(), [INTRODUCTION]
    for title, description, keys in sections:
        if not keys:  # [at "TIME"], which the introduction explains
            continue
        parts.append(f"## {escape(title)}\n\n{escape(description)}")
        rows = [_row(title, key, meaning, _examples_of_key(all_examples, _kind(title.strip("[]")), key)) for key, meaning in keys]
        head = "".join(f"<th>{word}</th>" for word in ("key", "meaning", "SI unit", "default", "example"))
        body = "\n".join(rows)
        parts.append(f'<table class="keys"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>')
    return "\n\n".join(parts) + "\n"


def names_of(text):
    """The set of full names of all keys of the help."""
    return {name for title, _, keys in keys_of(text) for key, _ in keys for name in full_names(title, key)}


def with_links(page, names, root=""):
    """A page in which full names of keys, such as `output.contacts`, link to their rows.

    root: path to the root of the pages, "../" from a folder
    """
    generic = {re.sub(r"\.[A-Z]+", "", name): name for name in sorted(names, reverse=True)}

    def link(match):
        words = match[1]
        key = re.match(r"(?:--)?([a-z_]+(?:\.[a-z_]+)+)(?= |$)", words)
        if not key:
            return match[0]
        parts = key[1].split(".")
        anchor = key[1] if key[1] in names else generic.get(f"{parts[0]}.{parts[-1]}")
        if not anchor:
            return match[0]
        code = f'<code class="docutils literal notranslate">{html.escape(words)}</code>'
        return f'<a href="{root}keys.html#{anchor}">{code}</a>'

    blocks = re.split(r"(^```[\s\S]*?^```|^(?:    .*\n)+)", page, flags=re.M)
    for k in range(0, len(blocks), 2):
        blocks[k] = re.sub(r"(?<![`\[])`([^`\n]+)`(?!\])", link, blocks[k])
    return "".join(blocks)


def escape(text):
    """Plain text escaped for Markdown."""
    return re.sub(r"([\\`*_\[\]<>|$#])", r"\\\1", text)
