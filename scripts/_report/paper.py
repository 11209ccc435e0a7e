"""The channel of T. Preclik, S. Eibl, U. Rüde, arXiv:1706.00221: its numbers and remarks on them."""

import numpy as np

# Table 2 and section 4.3 of the paper: Coulomb, maximum dissipation; in the units of `shown`.
NUMBERS = {
    "particles": ("246992.29", "247005.05"),
    "solid fraction": ("0.572", "0.572"),
    "closed contacts": ("320276.51", "320196.82"),
    "closed contacts per particle": ("2.5934", "2.5926"),
    "largest penetration": ("39.06", "46.50"),
    "largest penetration / radius": ("8.31", "9.89"),
    "peak of the speed profile, last": ("1.42", "1.39"),
}
EXTENT = (0.15, 0.065, 0.02)  # of its channel [m]
RADIUS = 4.7e-4  # [m]

NOTE = (
    "Granular flow computed by Scree, compared with T. Preclik, S. Eibl, U. Rüde, “The Maximum Dissipation "
    "Principle in Rigid-Body Dynamics with Purely Inelastic Impacts”, arXiv:1706.00221, section 4.3: table 2, "
    "figures 9 to 12."
)
TWO_LAWS = (
    "Coulomb's law and the maximum dissipation principle cannot differ for spheres: their contact "
    "operator is diagonal with one entry for both tangents, so that the impulse which opposes the slip "
    "is also the one that dissipates most. Runs by the two general kernels part by rounding only; the "
    "closed form for spheres relaxes the contacts in another order, as runs on different numbers of "
    "ranks do, and that too makes them differ like two seeds."
)
DIFFERENCES = (
    "Where these runs differ from the paper: it averages over 10 s, the filling included, while a "
    "window here may leave the filling out; its contacts are those that touch, which closed contacts "
    "count here too, walls included, and of which there are fewer where velocities push overlaps apart "
    "(solver.position_sweeps = 0 with contacts that are active before they close); and its "
    "ten sweeps, started from zero in each step, leave penetration that contacts which are active "
    "before they close, and better starting values, remove. What the paper calls a "
    "diameter of 0.47 mm is the radius, as its own figures show (apps/scenes/channel.ini)."
)


def is_channel(snapshot):
    extent = snapshot.upper - snapshot.lower
    return np.allclose(extent, EXTENT) and np.allclose(snapshot["radius"], RADIUS)


def has_paper(parts):
    """Whether all runs are of the paper's channel."""
    return all(part.paths and len(part.last) and is_channel(part.last) for part in parts)
