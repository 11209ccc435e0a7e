"""One VTP file per frame, and PVD indices with their times, for ParaView and VTK; SI units.

PREFIX_grains.pvd       points with all fields
PREFIX_walls.pvd        triangles of the walls at their positions in the frame, with `wall` (row in the scene)
PREFIX_members.pvd      with clumps: spheres of the bodies, with `body`, `radius`, `velocity`, `material` and `shape`
PREFIX_solids.pvd       with polyhedra: faces with sharp edges, with `body`, `velocity`, `material` and `shape`
PREFIX_contacts.pvd     with recorded contacts: for each a line from centre to centre, or from the centre to the wall's
                        surface, with `gap`, `force` on the first particle, cohesion included, and its normal
                        component `normal_force` (< 0: it pulls)
PREFIX_subdomains.pvd   on several ranks: the edges of their boxes, with `rank`
"""

import base64
import os
import pathlib
import xml.sax.saxutils

import numpy as np

import scree.configuration
import scree.contacts
import scree.solids
import scree.view
import scree.walls
import scree.whole_file
from scree.export import columns

NAMES = {"f": "Float64", "i": "Int64", "u": "UInt64"}  # dtype.kind of numpy -> type in VTK


def write(frames, prefix):
    return _write_kinds(frames, prefix, {"grains": _grains, **SURROUNDINGS})


def write_surroundings(frames, prefix):
    """Writes all kinds except the particles, which are in snapshots.xdmf of the run."""
    return _write_kinds(frames, prefix, SURROUNDINGS)


def _write_kinds(frames, prefix, kinds):
    """Writes files for kinds, {name: function of a frame}; returns the paths of the indices."""
    index = {kind: [] for kind in kinds}
    with scree.whole_file.all_of() as files:
        for frame in frames:
            for kind, make in kinds.items():
                content = make(frame)
                if content is None:
                    continue
                files.append(f"{prefix}_{kind}_{frame.step:012d}.vtp")
                _write_vtp(files[-1], *content)
                index[kind].append((frame.time, files[-1]))
        paths = []
        for kind, entries in index.items():
            if entries:
                paths.append(f"{prefix}_{kind}.pvd")
                _write_pvd(paths[-1], entries)
    return paths


def _grains(frame):
    fields = {name: frame[name] for name in frame.fields if name != "position"}
    points = np.arange(len(frame))
    return frame["position"], {"Verts": (points, points + 1)}, fields, {}


def _members_of(frame):
    """All spheres, which are bodies or members of clumps; None without clumps."""
    if not any(len(shape.spheres) for shape in frame.shapes):
        return None
    spheres = columns.spheres(frame)
    spheres = spheres.taken(spheres.solid == 0)
    fields = {"body": spheres.body, "radius": spheres.radius, "velocity": spheres.velocity, "material": frame["material"][spheres.row],
              "shape": frame.shape_numbers[spheres.row]}  # fmt: skip
    points = np.arange(len(spheres))
    return spheres.position, {"Verts": (points, points + 1)}, fields, {}


def _solids_of(frame):
    """Faces of all polyhedra; None if there are none."""
    if not scree.solids.any_in(frame):
        return None
    corners, counts, row, _ = scree.solids.faces_of(frame)
    cells = {"body": frame["id"][row], "velocity": frame["velocity"][row], "material": frame["material"][row],
             "shape": frame.shape_numbers[row]}  # fmt: skip
    return corners, {"Polys": (np.arange(len(corners)), np.cumsum(counts))}, {}, cells


def _walls_of(frame):
    """Triangles of all present walls; None if there are none."""
    rows = {wall.name: row for row, wall in enumerate(frame.walls)}
    parts = scree.walls.surfaces(frame)
    if not parts:
        return None
    triangles = np.concatenate([part for _, part, _ in parts])
    owner = np.repeat([rows[wall] for wall, *_ in parts], [len(part) for _, part, _ in parts])
    corners = np.arange(3 * len(triangles))
    return triangles.reshape(-1, 3), {"Polys": (corners, corners[2::3] + 1)}, {}, {"wall": owner}


def _contacts_of(frame):
    """Lines of the contacts along their branch vectors; None if the run did not record contacts."""
    contacts = scree.contacts.recorded(frame)
    if contacts is None:
        return None
    start = frame["position"][contacts.a]
    points = np.stack([start, start - contacts.branch(frame)], axis=1).reshape(-1, 3)
    ends = np.arange(len(points))
    dt = scree.configuration.time_step_of(frame)
    force = contacts.total_impulse / dt
    cells = {"gap": contacts.gap, "force": force, "normal_force": np.einsum("ij,ij->i", force, contacts.normal)}
    return points, {"Lines": (ends, ends[1::2] + 1)}, {}, cells


def _subdomains_of(frame):
    """Boxes of the ranks as lines; None with one rank."""
    if len(frame.subdomains) < 2:
        return None
    points = scree.view.edges_of(frame.subdomains).reshape(-1, 3)
    ends = np.arange(len(points))
    rank = np.repeat(np.arange(len(frame.subdomains)), 12)
    return points, {"Lines": (ends, ends[1::2] + 1)}, {}, {"rank": rank}


SURROUNDINGS = {"walls": _walls_of, "members": _members_of, "solids": _solids_of, "contacts": _contacts_of,
                "subdomains": _subdomains_of}  # fmt: skip


def _array(name, values):
    """A DataArray in base64: its length in bytes as UInt64, then the values."""
    values = np.ascontiguousarray(values)
    kind = values.dtype.kind
    values = values.astype({"f": "<f8", "i": "<i8", "u": "<u8"}[kind])
    data = base64.b64encode(np.uint64(values.nbytes).tobytes() + values.tobytes()).decode("ascii")
    components = values.shape[1] if values.ndim > 1 else 1
    return (f'<DataArray type="{NAMES[kind]}" Name={xml.sax.saxutils.quoteattr(name)} '
            f'NumberOfComponents="{components}" format="binary">{data}</DataArray>\n')


def _write_vtp(path, points, cells, point_data, cell_data):
    """Writes a VTP file.  cells: {"Verts" | "Lines" | "Polys": (connectivity, offsets)}"""
    counts = {kind: len(cells[kind][1]) if kind in cells else 0 for kind in ("Verts", "Lines", "Strips", "Polys")}
    numbers = " ".join(f'NumberOf{kind}="{count}"' for kind, count in counts.items())
    with scree.whole_file.opened(path) as file:
        file.write('<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
                   f'header_type="UInt64">\n<PolyData>\n<Piece NumberOfPoints="{len(points)}" {numbers}>\n')
        file.write("<PointData>\n" + "".join(_array(*entry) for entry in point_data.items()) + "</PointData>\n")
        file.write("<CellData>\n" + "".join(_array(*entry) for entry in cell_data.items()) + "</CellData>\n")
        file.write(f"<Points>\n{_array('Points', np.asarray(points, float).reshape(-1, 3))}</Points>\n")
        for kind, (connectivity, offsets) in cells.items():
            file.write(f"<{kind}>\n{_array('connectivity', connectivity)}{_array('offsets', offsets)}</{kind}>\n")
        file.write("</Piece>\n</PolyData>\n</VTKFile>\n")


def _write_pvd(path, entries):
    folder = pathlib.Path(path).resolve().parent
    lines = [f'<DataSet timestep="{time:.17g}" file={xml.sax.saxutils.quoteattr(os.path.relpath(file, folder))}/>\n'
             for time, file in entries]
    with scree.whole_file.opened(path) as file:
        file.write('<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n'
                   f"<Collection>\n{''.join(lines)}</Collection>\n</VTKFile>\n")
