"""The friction with which a packing has a given solid fraction."""

from scree.errors import UsageError

# With friction μ = HALF x/(1 − x) the solid fraction falls about linearly as x grows from 0 to its value at μ = LOOSEST.
HALF, LOOSEST = 0.15, 10.0
MAX_RUNS = 10


def _friction(x):
    return HALF * x / (1.0 - x)


def friction_of(fraction_at, target, tolerance):
    """Finds the friction with the target fraction; the last call of fraction_at is with this friction. Raises UsageError.

    fraction_at falls with friction, apart from scatter. Regula falsi by the Illinois algorithm: if the same end
    of the interval stays twice in a row, the value at this end is halved.
    """
    low, high = 0.0, LOOSEST / (LOOSEST + HALF)
    request = f"--solid-fraction {target:g}"
    above = fraction_at(_friction(low)) - target
    if abs(above) <= tolerance:
        return _friction(low)
    if above < 0.0:
        raise UsageError(f"{request} is more than these spheres have without friction, {above + target:.4f}")
    below = fraction_at(_friction(high)) - target
    if abs(below) <= tolerance:
        return _friction(high)
    if below > 0.0:
        raise UsageError(f"{request} is less than these spheres have with friction {LOOSEST:g}, {below + target:.4f}")
    last_side = 0  # 1: the last step moved the lower end, -1: the upper end
    for _ in range(MAX_RUNS - 2):
        x = (low * below - high * above) / (below - above)
        excess = fraction_at(_friction(x)) - target
        if abs(excess) <= tolerance:
            return _friction(x)
        if excess > 0.0:
            low, above, below, last_side = x, excess, below * (0.5 if last_side == 1 else 1.0), 1
        else:
            high, below, above, last_side = x, excess, above * (0.5 if last_side == -1 else 1.0), -1
    raise UsageError(f"{request} within {tolerance:g} was not found in {MAX_RUNS} runs, the last had {excess + target:.4f}; "
                     "use more spheres, which scatter less, or raise --tolerance")  # fmt: skip
