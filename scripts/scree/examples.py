"""Lists, copies, runs and films the shipped scenes.

    python -m scree.examples                          # names and titles
    python -m scree.examples copy hopper mine         # hopper.ini and its meshes and tables, into the folder mine
    python -m scree.examples run hopper mine          # copies and runs it, with its output in mine/output
    python -m scree.examples run hopper mine --ranks 2 --time.end "0.2 s"      # any option of scree-run
    python -m scree.examples film wheel mine          # runs a scene that has a film plan; writes mine/wheel.gif
    python -m scree.examples film wheel mine --time.end "0.5 s"                # any option of scree-run
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import scree.program
from scree.errors import FileError, UsageError, did_you_mean, exit_code

# Folders of the scenes, relative to that of the package: in a wheel, in an installed tree, in the source.
PLACES = ("tree/share/scree/scenes", "../../scenes", "../../apps/scenes")
LINE = 120  # width of the list [characters]


def folder() -> pathlib.Path:
    """Folder of the shipped scenes; raises FileError."""
    package = pathlib.Path(__file__).resolve().parent
    for candidate in PLACES:
        if (package / candidate / "hopper.ini").is_file():
            return (package / candidate).resolve()
    raise FileError(f"the scenes are not installed with '{package}'; expected them in {' or '.join(PLACES)}")


def names() -> list[str]:
    """Names of all scenes, as "hopper" or "benchmark/drum"."""
    scenes = folder()
    files = sorted(scenes.glob("*.ini")) + sorted(scenes.glob("benchmark/*.ini"))
    return [str(file.relative_to(scenes).with_suffix("")) for file in files]


def path(name: str) -> pathlib.Path:
    """File of a scene; raises UsageError."""
    if name not in names():
        raise UsageError(f"there is no scene '{name}'{did_you_mean(name, names())}; expected one of {', '.join(names())}")
    return folder() / f"{name}.ini"


def head(name: str) -> str:
    """Comment at the beginning of a scene, without comment marks."""
    lines = []
    for line in path(name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines).strip()


def title(name: str) -> str:
    """Title of a scene: the first sentence of its comment."""
    first = " ".join(head(name).split("\n\n")[0].split())
    return re.split(r"(?<=\w[\w)])[.;](?=\s|$)|: (?=\w+'s law)", first)[0].rstrip(",")


def files(name: str) -> list[pathlib.Path]:
    """A scene, its film plan and the files that the scene names, relative to its folder."""
    scene = path(name)
    plan = scree.program.film_plan(scene)
    return [pathlib.Path(file.name) for file in (scene, plan) if file.is_file()] + scree.program.named_files(scene)


def copy(name: str, where: str | pathlib.Path) -> pathlib.Path:
    """Copies a scene with its files into a folder; returns the path of the copy.

    Raises UsageError if a file with this name and other content exists.
    """
    target = pathlib.Path(where)
    sources = {target / file: path(name).parent / file for file in files(name)}
    for destination, source in sources.items():
        if destination.exists() and (not destination.is_file() or destination.read_bytes() != source.read_bytes()):
            raise UsageError(f"'{destination}' differs from the shipped file; choose another folder, or run the "
                             f"changed scene with `scree-run {target / path(name).name}`")  # fmt: skip
    for destination, source in sources.items():
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, destination)
    return target / path(name).name


def run(name: str, where: str | pathlib.Path, ranks: int = 1, options: list[str] | None = None) -> int:
    """Copies a scene, runs it in the foreground and draws its last frame. Returns the exit code.

    options: of scree-run
    """
    words = options or []
    program = [*scree.program.launcher(ranks), str(scree.program.found())]
    scene = copy(name, where)
    output = _output_directory(words)
    if output is None:
        output = scene.parent / "output"
        words = [*words, "--output.directory", str(output)]
    code = subprocess.run([*program, str(scene), *words], check=False).returncode
    if code != 0:
        return code
    print(f"scene     {scene}\nresults   {output}")
    if any(output.glob("snapshots/*.h5")):
        print(f"picture   {_draw(output) or 'none: the package matplotlib, scipy or h5py is missing'}")
    return 0


def film(name: str, where: str | pathlib.Path, file: str = "", ranks: int = 1, options: list[str] | None = None) -> int:
    """Copies a scene, runs it in the foreground and draws its film. Returns the exit code.  file: name of the film

    Raises UsageError if the scene has no film plan or a package is missing.
    """
    if not scree.program.film_plan(path(name)).is_file():
        known = [known_scene for known_scene in names() if scree.program.film_plan(path(known_scene)).is_file()]
        raise UsageError(f"the scene '{name}' has no film plan; expected one of {', '.join(known)} "
                         "(`scripts/render.py` draws films of all runs)")  # fmt: skip
    try:
        from scree.film import make
    except ImportError as error:
        raise UsageError(f"a film needs the package {error.name}, which is not installed") from error
    scene = copy(name, where)
    return make(scene, scene.parent / file if file else scene.with_suffix(".gif"), ranks, options)


def _output_directory(options: list[str]) -> pathlib.Path | None:
    """Folder in the options of scree-run, from `--output.directory DIR` or `--output.directory=DIR`, or None."""
    for option, following in zip(options, [*options[1:], ""]):
        name, equals, value = option.partition("=")
        if name == "--output.directory" and (value or following):
            return pathlib.Path(value if equals else following)
    return None


def _draw(output: pathlib.Path) -> pathlib.Path | None:
    """Draws the last frame of a run, and returns the file; None if a Python package is missing."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import scree.ask
        import scree.directory

        picture = output / "last.png"
        scree.ask.picture(scree.directory.read(output).frames[-1], picture)
    except ImportError:
        return None
    return picture


def _arguments(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Parsed command line, and the options for scree-run."""
    parser = argparse.ArgumentParser(prog="python -m scree.examples", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("list", help="lists names and titles (default)")
    for command, purpose in (("copy", "copies a scene and its files"), ("run", "copies, runs and draws a scene"),
                          ("film", "copies and runs a scene, and draws its film")):  # fmt: skip
        subparser = commands.add_parser(command, help=purpose)
        subparser.add_argument("name", help="name of a scene, such as hopper")
        subparser.add_argument("folder", nargs="?", type=pathlib.Path, help="target of the files (default: a folder with the name of the scene)")
        if command == "film":
            subparser.add_argument("--film", default="", metavar="FILE", help="name of the film, .gif or .mp4 (default: NAME.gif)")
        if command != "copy":
            subparser.add_argument("--ranks", type=int, default=1, metavar="N", help="MPI processes (default: 1)")
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.command not in ("run", "film"):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return arguments, rest


def _execute(arguments: argparse.Namespace, rest: list[str]) -> int:
    if arguments.command in (None, "list"):
        width = max(map(len, names()))
        for name in names():
            print(f"{name:{width}}  {textwrap.shorten(title(name), LINE - width - 2, placeholder=' ...')}")
        return 0
    target = arguments.folder or pathlib.Path(arguments.name.replace("/", "_"))
    if arguments.command == "run":
        return run(arguments.name, target, arguments.ranks, rest)
    if arguments.command == "film":
        return film(arguments.name, target, arguments.film, arguments.ranks, rest)
    print(copy(arguments.name, target))
    return 0


def main(words: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    arguments, rest = _arguments(sys.argv[1:] if words is None else words)
    return exit_code(lambda: _execute(arguments, rest))


if __name__ == "__main__":
    sys.exit(main())
