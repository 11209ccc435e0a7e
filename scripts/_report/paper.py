"""The channel of T. Preclik, S. Eibl, U. Rüde, arXiv:1706.00221: its numbers and remarks on them."""

import numpy as np

# Table 2 and section 4.3 of the paper: (value with Coulomb's law, value with maximum dissipation).
NUMBERS = {
    "particles": ("246992.29", "247005.05"),
    "solid fraction": ("0.572", "0.572"),
    "closed contacts": ("320276.51", "320196.82"),
    "closed contacts per particle": ("2.5934", "2.5926"),
    "largest penetration": ("39.06", "46.50"),
    "largest penetration / radius": ("8.31", "9.89"),
    "peak of the speed profile, last": ("1.42", "1.39"),
}
EXTENT = (0.15, 0.065, 0.02)  # of the paper's channel [m]
RADIUS = 4.7e-4  # [m]

NOTE = (
    "Granular flow computed by Scree, compared with T. Preclik, S. Eibl, U. Rüde, “The Maximum Dissipation "
    "Principle in Rigid-Body Dynamics with Purely Inelastic Impacts”, arXiv:1706.00221, section 4.3: table 2, "
    "figures 9 to 12."
)
TWO_LAWS = (
    "Coulomb's law and the maximum dissipation principle cannot differ for spheres: their contact "
    "operator is diagonal with one entry for both tangents, so that the impulse which opposes the slip "
    "also dissipates most. Runs by the two general kernels differ by rounding only. The closed form for "
    "spheres relaxes the contacts in another order, as runs on other numbers of ranks do, so such runs "
    "differ like two seeds."
)
DIFFERENCES = (
    "Differences from the paper: the paper averages over 10 s, including the filling; the window here may "
    "leave the filling out. The paper counts touching contacts. Here they are called closed contacts and "
    "include those at walls; solver.position_sweeps = 0 and speculative contacts give fewer of them. The "
    "ten sweeps of the paper start from zero in each step and leave penetration, which speculative "
    "contacts and a warm start remove. The diameter of 0.47 mm in the paper is the radius, as its "
    "figures show (apps/scenes/channel.ini)."
)


def is_channel(snapshot):
    extent = snapshot.upper - snapshot.lower
    return np.allclose(extent, EXTENT) and np.allclose(snapshot["radius"], RADIUS)


def has_paper(parts):
    """Whether all runs are of the paper's channel."""
    return all(part.paths and len(part.last) and is_channel(part.last) for part in parts)
