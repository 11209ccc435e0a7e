"""All cases, in the order of the page."""

from _validation import flows, gas, packing, piles, rebound, rest, silo, single

CASES = {case.name: case for module in (single, rebound, rest, gas, packing, silo, piles, flows) for case in module.CASES}
