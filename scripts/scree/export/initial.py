"""PREFIX_initial.csv, a table for `initial.file` of a scene, with the spheres of the last frame.

Positions are relative to the lower corner of the domain. The line `# box` has the edges of the domain, for a scene with
`domain.lower = 0 0 0` and these edges as `domain.upper`.
"""

import scree.table
from scree.errors import UsageError
from scree.export import columns


def write(frames, prefix):
    """Writes the file. Raises UsageError for clumps, polyhedra and sheared domains, which the table cannot describe."""
    frame = None
    for frame in frames:
        pass
    if frame is None:
        raise UsageError("there is no frame")
    if frame.shapes or frame.shear:
        obstacle = "bodies other than spheres" if frame.shapes else "a sheared domain"
        raise UsageError(f"'{frame.path}' has {obstacle}, which `--format initial` cannot write; "
                         "use the snapshot itself as initial.file")
    path = f"{prefix}_initial.csv"
    position = frame["position"] - frame.lower
    edges = " ".join(columns.NUMBER_FORMAT % edge for edge in frame.upper - frame.lower)
    materials = [frame.materials[row] for row in frame.material_numbers]
    table = {axis: position[:, k] for k, axis in enumerate("xyz")} | {"radius": frame["radius"]}
    table |= {f"v{axis}": frame["velocity"][:, k] for k, axis in enumerate("xyz")}
    table |= {f"w{axis}": frame["angular_velocity"][:, k] for k, axis in enumerate("xyz")} | {"material": materials}
    scree.table.write(path, [f"box {edges}"], table)
    return [path]
