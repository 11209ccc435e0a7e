#!/usr/bin/env python3
"""Finds parameters of scenes from measured targets: friction from an angle of repose, restitution from a rebound.

A plan names experiments (scenes and figures to measure, as in plans of a study), parameters with bounds, and targets
with tolerances; the manual describes it. The calibration chooses the runs that narrow the posterior most. The same
command continues a stopped calibration and repeats no run, not even a failed one.
OUTPUT/calibrate.html has best values, posterior and advice, calibrate.csv the figures of every point, posterior.csv
samples of the parameters.
"""

import sys

import _environment

_environment.require("numpy", "scipy", "h5py", "xxhash", "matplotlib", "PIL")

import _command_line


def main():
    import _calibrate.command

    return _calibrate.command.calibrate(sys.argv[1:], __doc__)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    _command_line.run(main)
