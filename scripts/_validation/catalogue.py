"""All cases, in the order of the page."""

from _validation import gas, packing, piles, rebound, silo, single

CASES = {case.name: case for module in (single, rebound, gas, packing, silo, piles) for case in module.CASES}
