"""All cases, in the order of the page."""

from _validation import (
    apparatus, blocks, bonds, cells, clumps, drums, flows, fluids, free_walls, gas, impacts, packing, piles, rebound,
    rest, settings, shear, silo, single, stress,
)  # fmt: skip

MODULES = (
    single, impacts, settings, clumps, blocks, bonds, rebound, rest, gas, packing, silo, piles, drums, flows, shear,
    cells, fluids, free_walls, apparatus, stress,
)  # fmt: skip
CASES = {case.name: case for module in MODULES for case in module.CASES}
