"""All cases, in the order of the page."""

from _validation import apparatus, blocks, clumps, flows, free_walls, gas, packing, piles, rebound, rest, shear, silo, single, stress

MODULES = (single, clumps, blocks, rebound, rest, gas, packing, silo, piles, flows, shear, free_walls, apparatus, stress)
CASES = {case.name: case for module in MODULES for case in module.CASES}
