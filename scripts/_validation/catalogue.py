"""All cases, in the order of the page."""

from _validation import clumps, flows, gas, packing, piles, rebound, rest, silo, single, stress

MODULES = (single, clumps, rebound, rest, gas, packing, silo, piles, flows, stress)
CASES = {case.name: case for module in MODULES for case in module.CASES}
