"""What the formats of text share: the particles of a snapshot as columns."""

import numpy as np

DIGITS = "%.17g"  # which give every double back


def rows(*columns):
    """Columns [N] or [N, K] of numbers as lines of text, whole numbers without a point."""
    if not len(columns[0]):
        return ""
    flat = [column for values in columns for column in np.reshape(values, (len(values), -1)).T]
    texts = [["%d" % value for value in column] if column.dtype.kind in "iu" else
             [DIGITS % value for value in column] for column in flat]
    return "".join(" ".join(row) + "\n" for row in zip(*texts))


def material_names(snapshot):
    """Names of the materials, without blanks, for all that particles may have."""
    count = max(len(snapshot.densities), len(snapshot.materials))
    names = [*snapshot.materials, *(f"material{k}" for k in range(len(snapshot.materials), count))]
    return np.array([name.replace(" ", "_") for name in names])
