#!/usr/bin/env python3
"""Key figures of a run with their errors, from series.csv and the snapshots.

Averages are over the later half of the run, because the first half is usually the filling. --from and --to select
another window, for example the steady flow, and --from 0 the whole run. The first printed line has the window.
The first key figures are those of table 2 of T. Preclik, S. Eibl, U. Ruede, arXiv:1706.00221.

Prints a table; with --output also writes it as CSV: quantity, unit, value, error, samples. Values are means over the
rows of the series or over snapshots, unless their names contain "largest" or "last". Errors are standard errors of the
mean. For the series they come from blocks longer than the correlation time; if the window is too short for this, there
is a ">" before the error (`error_is_bound` in the CSV), and the true error is larger. For snapshots they come from the
scatter. Particles are counted at the end of a step, contacts in its middle. A contact with a wall counts as one
contact. Contacts per particle are 2 x contacts / particles. Bodies touch if their gap is at most 0.01 of the smallest
radius. Closed contacts have gaps of at most 2.13e-5 radii, as in the paper. Their number and that of the contacts in
the solve depend on the length of the step. The solid fraction refers to the domain without walls and without the space
excluded by pipes and cones. The solid fraction amid the particles refers to the box that contains their middle half
along each axis.

Mass flows are those through planes of [average.NAME]. They are means over the whole intervals of the average; without
`interval` there is one value, over the whole time of the average and without an error.

The stresses and the solid fraction of a periodic cell are means over the last part of the window in which the same
stresses have targets and the shear is driven in the same way, for example from the end of the compaction on.

If the last snapshot is a round heap at rest, the angle of repose is fitted to its surface between a fifth and four
fifths of its height; the error comes from eight sectors. If a pipe rotates about a horizontal axis, the angle of the
bed is the angle between straight down and the line from the axis to the centre of mass. It is positive in the sense
of rotation, and a mean over the snapshots.
"""

import pathlib

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib")

import _command_line
import scree.directory
import scree.key_figures


def main():
    parser = _command_line.parser(__doc__)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run")
    parser.add_argument("--output", type=pathlib.Path, metavar="CSV", help="table to write")
    parser.add_argument("--mean", nargs="+", default=[], metavar="COLUMN",
                        help="also means of these columns of series.csv, such as joint_screw_motor")  # fmt: skip
    _command_line.add_window(parser, "middle of the run")
    arguments = parser.parse_args()
    begin, end = _command_line.window(arguments)
    run = scree.directory.read(arguments.run)
    begin = begin if arguments.window_begin else None
    figures = scree.key_figures.key_figures(run, begin, end, _command_line.every(arguments))
    figures |= scree.key_figures.chosen(run, arguments.mean, begin, end)
    begin = scree.key_figures.begin_of(run, begin, end)
    time = run.rows(begin, end)["time"]
    if arguments.output:
        scree.key_figures.write_table(_command_line.make_parent(arguments.output), run, figures, time[0], time[-1])
    half = "" if arguments.window_begin else ", the later half of the run (--from TIME selects another window, --from 0 the whole run)"
    print(f"from {time[0]:g} to {time[-1]:g} s{half}")
    for figure in map(scree.key_figures.shown, figures.values()):
        unit = "" if figure.unit == "1" else figure.unit
        print(f"{figure.quantity:48} {scree.key_figures.text(figure):>24} {unit}".rstrip())
    return 0


if __name__ == "__main__":
    _command_line.run(main)
