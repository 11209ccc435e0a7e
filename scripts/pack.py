#!/usr/bin/env python3
"""Makes a packing of spheres: random close packing, or a looser one by friction, periodic or in a container.

The spheres start at random positions. A periodic cube is compressed until the stress along each axis is --pressure; a
box or a cylinder is filled under gravity. Without friction the result is random close packing, with much friction
random loose packing. --solid-fraction searches for the friction that gives a value in between; each trial makes a
packing.

OUTPUT/packing.ini           the scene, which scree-run reads; OUTPUT/run has its series and snapshot
OUTPUT/packing_initial.csv   the spheres as `initial.file` of a scene reads them (format initial)
OUTPUT/packing.xyz, ...      the other formats of scripts/export.py
OUTPUT/packing.h5            the snapshot
OUTPUT/packing_report.csv    the printed values: solid fraction, coordination, stress, sizes
OUTPUT/packing_rdf.csv, .png the radial distribution function g(r)

The coordination counts neighbours at gaps of at most 0.01 of the smallest radius. The coordination without rattlers
counts gaps of at most 5e-4 mean radii between spheres that carry load, which have at least four such contacts (three
under weight, two with friction). The solid fraction of random close packing in the report is that of Desmond and Weeks
for these sizes without friction.

A sieve curve is a CSV file with the columns opening_mm and passing_percent, the mass that passes, from 0 to 100 %.
The same seed gives the same bits on the same number of ranks; with --scheme jacobi, on any number of ranks.
"""

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import math
import pathlib
import shutil
import sys

import _command_line
import scree.configuration
import scree.export
import scree.packing
import scree.program
import scree.rdf
import scree.region
import scree.snapshot
import scree.table
import scree.units
import scree.whole_file
from _pack import scenes, search, sizes
from scree.errors import UsageError

MAX_SPHERES = 50_000_000  # largest value of the key fill.number
PRESSURES = {"": 1.0, "Pa": 1.0, "kPa": 1e3, "MPa": 1e6}
MIN_WIDTH, MIN_EDGE = 3.0, 3.5  # smallest widths of a container and of a periodic packing [largest diameters]
FORMATS = ("initial", "xyz", "lammps-data")


def _options():
    parser = _command_line.parser(__doc__)
    parser.add_argument("number", type=_command_line.count, metavar="N", help=f"number of spheres, up to {MAX_SPHERES}")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--radius", nargs="+", metavar=("R", "UNIT"), help="radius of equal spheres (default: 0.5 mm)")
    kinds.add_argument("--uniform", nargs="+", metavar=("SMALLEST", "LARGEST UNIT"), help="radii between two values, as in 0.4 0.6 mm")
    kinds.add_argument("--lognormal", nargs="+", metavar=("R", "UNIT"), help="radii with this median, see --spread")
    kinds.add_argument("--sieves", type=pathlib.Path, metavar="FILE.csv", help="a sieve curve, of diameters")
    parser.add_argument("--spread", type=_command_line.positive, metavar="S",
                        help="standard deviation of ln r for --lognormal; radii end at three of them (default: 0.3)")
    density = parser.add_mutually_exclusive_group()
    density.add_argument("--friction", type=float, default=0.0, metavar="MU", help="friction coefficient (default: 0)")
    density.add_argument("--solid-fraction", type=float, metavar="PHI",
                    help="solid fraction of a periodic packing; searches for the friction that gives it")
    parser.add_argument("--tolerance", type=_command_line.positive, default=0.002, metavar="DPHI",
                        help="largest deviation from --solid-fraction (default: %(default)s)")
    parser.add_argument("--container", choices=("periodic", "box", "cylinder"), default="periodic",
                        help="default: %(default)s")
    parser.add_argument("--width", nargs="+", metavar=("W", "UNIT"),
                        help="edge of the box's floor, or diameter (default: about the height of the packing)")
    parser.add_argument("--pressure", nargs="+", metavar=("P", "UNIT"), help="pressure on a periodic packing (default: 1 kPa)")
    parser.add_argument("--seed", type=_command_line.count, default=1, metavar="N", help="seed of sizes and positions (default: 1)")
    parser.add_argument("--ranks", type=_command_line.count, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--scheme", choices=("gauss_seidel", "jacobi"), default="gauss_seidel",
                        help="jacobi: the same bits on any number of ranks, slower")
    parser.add_argument("--format", nargs="+", choices=tuple(scree.export.FORMATS), default=FORMATS,
                        help=f"one or several formats (default: {' '.join(FORMATS)})")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("output/pack"), metavar="DIR",
                        help="default: %(default)s; output of an earlier packing is replaced")
    return parser.parse_args()  # fmt: skip


def _quantity(words, option, units, count):
    """The `count` numbers of an option in SI; raises UsageError unless all are above 0."""
    values = _command_line.quantity(words, option, units, count)
    if not all(0.0 < value < math.inf for value in values):
        raise UsageError(f"{option} {' '.join(words)} must be greater than 0")
    return [float(value) for value in values]


def _sizes(arguments):
    """Keys of a [fill] from the options."""
    if arguments.spread is not None and not arguments.lognormal:
        raise UsageError("--spread belongs to --lognormal, which is not given")
    if arguments.sieves:
        return sizes.sieved(arguments.sieves)
    if arguments.uniform:
        smallest, largest = _quantity(arguments.uniform, "--uniform", scree.units.METRES, 2)
        if smallest >= largest:
            raise UsageError(f"--uniform {' '.join(arguments.uniform)}: the smallest radius must be below the largest")
        return sizes.uniform(smallest, largest)
    if arguments.lognormal:
        spread = arguments.spread or 0.3
        if spread > 1.0:
            raise UsageError(f"--spread {spread:g} makes the largest radius {math.exp(6 * spread):.0f} times the smallest; expected at most 1")
        return sizes.lognormal(*_quantity(arguments.lognormal, "--lognormal", scree.units.METRES, 1), spread)
    return sizes.equal(*_quantity(arguments.radius or ["0.5", "mm"], "--radius", scree.units.METRES, 1))


def _plan(arguments):
    """The scenes.Plan of the options; raises UsageError."""
    if arguments.number > MAX_SPHERES:
        raise UsageError(f"{arguments.number} spheres are too many; expected at most {MAX_SPHERES}")
    if not 0.0 <= arguments.friction < math.inf:
        raise UsageError(f"--friction {arguments.friction:g} must be a number from 0")
    is_periodic = arguments.container == "periodic"
    target = arguments.solid_fraction
    if target is not None and not 0.0 < target < 1.0:
        raise UsageError(f"--solid-fraction {target:g} is impossible; expected 0.56 to 0.64 for equal spheres, and below 1")
    for name, value, is_allowed in (("solid-fraction", target, is_periodic), ("pressure", arguments.pressure, is_periodic),
                                    ("width", arguments.width, not is_periodic)):  # fmt: skip
        if value is not None and not is_allowed:
            where = "a periodic packing" if is_periodic is False else "a box or a cylinder"
            raise UsageError(f"--{name} belongs to {where}, not to --container {arguments.container}")
    keys = _sizes(arguments)
    width = _quantity(arguments.width, "--width", scree.units.METRES, 1)[0] if arguments.width else None
    pressure = _quantity(arguments.pressure or ["1", "kPa"], "--pressure", PRESSURES, 1)[0]
    return scenes.Plan(arguments.number, keys, arguments.seed, pressure, arguments.container, width, arguments.scheme)


class Packer:
    """Runs the scenes of a plan, and keeps the last packing."""

    def __init__(self, plan, folder, ranks):
        self.plan, self.folder, self.ranks = plan, folder, ranks
        self.friction, self.frame, self.path = 0.0, None, None
        self.radii = self._radii()
        self._check_width()

    def _radii(self):
        """Radii that the engine draws at random for the plan's seed, [N] [m]."""
        run = self._run("sizes", scenes.sampling(self.plan, sizes.largest(self.plan.sizes)))
        radii = scree.snapshot.read_snapshot(run.snapshots[-1], ("id", "radius")).by_id()["radius"]
        shutil.rmtree(run.path)
        (self.folder / "sizes.ini").unlink()
        return radii

    def _check_width(self):
        if self.plan.container == "periodic":
            edge = scenes.edge_of(self.radii) / (2.0 * self.radii.max())
            if edge < MIN_EDGE:
                needed = math.ceil(self.plan.number * (MIN_EDGE / edge) ** 3)
                raise UsageError(f"{self.plan.number} spheres are too few: the periodic packing would be {edge:.2g} largest "
                                 f"diameters wide; expected at least {MIN_EDGE:g}, which takes about {needed} spheres")  # fmt: skip
            return
        width, narrowest = scenes.width_of(self.plan, self.radii), 2.0 * MIN_WIDTH * self.radii.max()
        if width < narrowest:
            raise UsageError(f"a {self.plan.container} of the width {1e3 * width:.3g} mm is narrower than {MIN_WIDTH:g} largest "
                             f"diameters, {1e3 * narrowest:.3g} mm; give a larger --width or more spheres")  # fmt: skip

    def _run(self, name, scene, noun=None):
        """Writes a scene as FOLDER/NAME.ini and runs it in FOLDER/run; returns the finished run."""
        file = self.folder / f"{name}.ini"
        scree.whole_file.write(file, scree.configuration.text(scene))
        running = scree.program.start(file, self.folder / "run", ranks=self.ranks, overwrite=True)
        rows = _command_line.progress(running.follow(), scenes.rows_of(scene), noun) if noun else running.follow()
        for _ in rows:
            pass
        return running.wait()

    def pack(self, friction):
        """Makes a packing with this friction and keeps it as `frame`; returns its solid fraction."""
        is_periodic = self.plan.container == "periodic"
        make = scenes.compression if is_periodic else scenes.settling
        noun = f"{'compression' if is_periodic else 'settling'}, friction {friction:.3g}: part"
        run = self._run("packing", make(self.plan, self.radii, friction), noun)
        self.friction, self.path = friction, run.snapshots[-1]
        self.frame = scree.snapshot.read_snapshot(self.path)
        self.summary = scree.packing.summary(self.frame, friction, not is_periodic)
        return self.summary["solid fraction"][0]

    def try_friction(self, friction):
        """Makes a packing like `pack`, and prints its solid fraction."""
        fraction = self.pack(friction)
        print(f"friction {friction:.4f}: solid fraction {fraction:.4f}", flush=True)
        return fraction


def _write_rdf(packer, prefix):
    """Writes g(r) up to the largest r that fits the domain, and returns the files; warns if there are too few spheres."""
    region_of = scree.rdf.natural_region
    try:
        r_max, window = scree.rdf.natural_way([packer.frame], region_of)
        result = scree.rdf.of_frames([packer.frame], region_of, r_max, window=window)
    except UsageError as error:
        _command_line.warn(f"there is no g(r): {error}")
        return []
    scree.rdf.write_table(f"{prefix}_rdf.csv", result, region_of(packer.frame), window=window)
    scree.rdf.write_picture(f"{prefix}_rdf.png", result)
    return [f"{prefix}_rdf.csv", f"{prefix}_rdf.png"]


def _write_results(packer, arguments):
    """Writes the results, and prints the report."""
    prefix = arguments.output / "packing"
    written = [f"{prefix}.h5"]
    with scree.whole_file.path_of(written[0]) as part:
        shutil.copyfile(packer.path, part)
    for name in dict.fromkeys(arguments.format):
        written += scree.export.FORMATS[name](scree.snapshot.read_frames([packer.path]), prefix)
    rows = packer.summary
    columns = {"quantity": list(rows), "unit": [unit for _, unit in rows.values()], "value": [value for value, _ in rows.values()]}
    scree.table.write(f"{prefix}_report.csv", [f"packing of {len(packer.frame)} spheres, {arguments.container}"], columns)
    written.append(f"{prefix}_report.csv")
    written += _write_rdf(packer, prefix)
    for name, (value, unit) in rows.items():
        print(f"{name:42} {value:.6g}{'' if unit == '1' else ' ' + unit}")
    print(*written, sep="\n")


def main():
    arguments = _options()
    plan = _plan(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        packer = Packer(plan, arguments.output, arguments.ranks)
        if arguments.solid_fraction is None:
            packer.pack(arguments.friction)
        else:
            search.friction_of(packer.try_friction, arguments.solid_fraction, arguments.tolerance)
    except scree.program.RunFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    _write_results(packer, arguments)
    return 0


if __name__ == "__main__":
    _command_line.run(main)
