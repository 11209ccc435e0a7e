"""Figures of a disk that is crushed: ../brazilian_disk.ini."""

import numpy as np
import scree.bonds


def energy(run):
    """Work of the upper plate over the mass of the disk [J/kg]."""
    return float(run.columns["energy_walls"][-1]) / float(run.frames[0].masses.sum())


def _size_passing(run, fraction):
    """Size (diameter of a sphere of equal volume) up to which fragments have this fraction of the mass [m]."""
    diameters, passing = scree.bonds.fragments(run.frames[-1]).passing()
    return float(diameters[np.searchsorted(passing, fraction)])


def median_size(run):
    """Size up to which fragments have half of the mass [m]."""
    return _size_passing(run, 0.5)


def size_80(run):
    """Size up to which fragments have 80 % of the mass [m]."""
    return _size_passing(run, 0.8)


def largest(run):
    """Mass of the largest fragment over that of the disk."""
    mass = scree.bonds.fragments(run.frames[-1]).mass
    return float(mass.max() / mass.sum())
