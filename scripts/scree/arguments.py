"""Checks of arguments from users for `engine`, `environment` and `steering`."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scree.errors import UsageError


def numbers(values: ArrayLike, name: str, expected: str = "numbers") -> NDArray[Any]:
    """The values as an array of real numbers or truth values, of their own type; raises UsageError."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biuf":
            return array
    except (TypeError, ValueError):  # for example rows of different lengths
        pass
    raise UsageError(f"{name} = {reprlib.repr(values)}; expected {expected}")
