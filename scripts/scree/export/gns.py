"""Learning data in the layout of graph network simulators (GNS, A. Sanchez-Gonzalez et al., arXiv:2002.09405).

PREFIX_gns/train.npz holds one array of objects, simulation_0: positions [T, N, 3] as float32 in m, the type of each
particle [N], and its radius [N] in m if radii differ. PREFIX_gns/metadata.json has the bounds (of the smallest box around
the domains of all frames, because a [cell] deforms), the time between frames, and mean and standard deviation of velocities
[m per frame] and accelerations [m per frame^2], as differences between frames. Rows are sorted by id. Positions are
unwrapped along periodic axes, so that their differences are displacements. For a data set of several runs, put their
trajectories into one file as simulation_0, simulation_1, ...; the statistics here are those of one trajectory.
"""

import json
import pathlib

import numpy as np

import scree.snapshot
import scree.whole_file
from scree.errors import UsageError
from scree.export import columns

# Types of the first, second, ... material. In GNS data sets 6 is sand and 3 (left out here) a driven particle; the others
# have no meaning.
TYPES = (6, 5, 7, 8, 0, 1, 2, 4)
REACH = 1.5  # distance up to which particles are connected [largest diameters]
INTERVAL_TOLERANCE = 1e-6  # largest allowed relative difference of the times between frames


def write(frames, prefix):
    """Writes both files. Raises UsageError for fewer than three frames, unequal intervals, or more than 8 materials."""
    frames = list(frames)
    if len(frames) < 3:
        raise UsageError(f"gns needs three frames or more for accelerations, but there are {len(frames)}")
    times = np.array([frame.time for frame in frames])
    intervals = np.diff(times)
    if np.any(np.abs(intervals - intervals.mean()) > INTERVAL_TOLERANCE * intervals.mean()):
        raise UsageError(f"gns needs frames at equal intervals, but these are {intervals.min():g} to {intervals.max():g} s "
                         "apart; select others with --from, --to and --every")  # fmt: skip
    first = frames[0]
    if len(first.materials) > len(TYPES):
        raise UsageError(f"gns has types for {len(TYPES)} materials, but there are {len(first.materials)}")
    ids = columns.common_ids(frames, "gns")
    _, positions, _ = scree.snapshot.unwrapped(frames)
    rows = first.rows_of(ids)
    radii = first["radius"][rows]
    arrays = [positions.astype(np.float32), np.array(TYPES)[first.material_numbers[rows]]]
    if np.ptp(radii) > 0.0:
        arrays.append(radii.astype(np.float32))
    trajectory = np.empty(len(arrays), dtype=object)
    trajectory[:] = arrays
    folder = pathlib.Path(f"{prefix}_gns")
    folder.mkdir(exist_ok=True)
    paths = [folder / "train.npz", folder / "metadata.json"]
    with scree.whole_file.path_of(paths[0]) as partial_path, open(partial_path, "wb") as file:
        np.savez_compressed(file, simulation_0=trajectory)
    scree.whole_file.write(paths[1], json.dumps(_metadata(frames, positions, intervals.mean(), radii.max()), indent=1) + "\n")
    return [str(path) for path in paths]


def _metadata(frames, positions, dt, radius):
    first = frames[0]
    lower, upper = np.min([frame.lower for frame in frames], axis=0), np.max([frame.upper for frame in frames], axis=0)
    velocities = np.diff(positions, axis=0)
    statistics = {}
    for name, values in (("vel", velocities), ("acc", np.diff(velocities, axis=0))):
        components = values.reshape(-1, 3)
        statistics |= {f"{name}_mean": components.mean(axis=0).tolist(), f"{name}_std": components.std(axis=0).tolist()}
    return {
        "bounds": np.stack([lower, upper], axis=1).tolist(), "sequence_length": len(positions), "dim": 3,
        "dt": float(dt), "default_connectivity_radius": 2.0 * REACH * float(radius), **statistics,
        "periodic": columns.common_periodic(frames).tolist(), "materials": dict(zip(first.materials, TYPES)),
        "unit_of_length": "m", "unit_of_time": "s",
    }  # fmt: skip
