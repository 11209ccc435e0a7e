"""The friction with which a packing has a given solid fraction."""

from scree.errors import UsageError

# With friction μ = HALF x/(1 − x) the solid fraction falls about evenly over x, from x = 0 to that of LOOSEST.
HALF, LOOSEST = 0.15, 10.0
MAX_RUNS = 10


def _friction(x):
    return HALF * x / (1.0 - x)


def friction_of(fraction_at, target, tolerance):
    """Returns the friction, with which fraction_at(friction) was called last; raises UsageError if there is none.

    fraction_at falls with friction, apart from scatter. Regula falsi: while one end stays, its value is halved each
    time (the Illinois algorithm).
    """
    low, high = 0.0, LOOSEST / (LOOSEST + HALF)
    wanted = f"--solid-fraction {target:g}"
    above = fraction_at(_friction(low)) - target
    if abs(above) <= tolerance:
        return _friction(low)
    if above < 0.0:
        raise UsageError(f"{wanted} is more than these spheres have without friction, {above + target:.4f}")
    below = fraction_at(_friction(high)) - target
    if abs(below) <= tolerance:
        return _friction(high)
    if below > 0.0:
        raise UsageError(f"{wanted} is less than these spheres have with friction {LOOSEST:g}, {below + target:.4f}")
    stays = 0
    for _ in range(MAX_RUNS - 2):
        x = (low * below - high * above) / (below - above)
        off = fraction_at(_friction(x)) - target
        if abs(off) <= tolerance:
            return _friction(x)
        if off > 0.0:
            low, above, below, stays = x, off, below * (0.5 if stays == 1 else 1.0), 1
        else:
            high, below, above, stays = x, off, above * (0.5 if stays == -1 else 1.0), -1
    raise UsageError(f"{wanted} within {tolerance:g} was not found in {MAX_RUNS} runs, the last had {off + target:.4f}; "
                     "more spheres scatter less, or raise --tolerance")  # fmt: skip
