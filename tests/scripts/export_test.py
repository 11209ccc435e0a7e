"""Tests of scripts/export.py: reads each format back, with independent readers if they are installed."""

import csv
import dataclasses
import importlib.util
import json
import pathlib
import unittest

import made_run
import made_snapshot
from script_test import ScriptTest, skipped_unless

import h5py
import numpy as np
import scree.errors
import scree.export
import scree.export.h5md
import scree.snapshot
import scree.solids
import scree.table

COUNT = 40
DT = 1e-5


def is_installed(module):
    return importlib.util.find_spec(module) is not None


def contacts_of(fields):
    """Contacts for /scree/contacts: between two particles, and between a particle and a wall."""
    ids = fields["id"]
    return {"id": np.array([[ids[0], ids[1]], [ids[2], -1]]), "position": np.full((2, 3), 0.01),
            "normal": np.array([[1.0, 0, 0], [0, 0, 1.0]]), "gap": np.array([-1e-6, 0.0]),
            "impulse": np.array([[2e-8, 0, 0], [0, 1e-9, 3e-8]]), "pull": np.array([[-5e-9, 0, 0], [0, 0, -4e-8]])}


class Export(ScriptTest):
    script = "export.py"

    def test_no_partial_file_is_left_after_an_error(self):
        """A missing run and a damaged last frame are errors, and an existing file is kept."""
        last_snapshot = sorted((self.run_directory / "snapshots").iterdir())[-1]
        last_snapshot.write_bytes(last_snapshot.read_bytes()[:1000])
        out = self.folder / "made"
        out.mkdir()
        (out / "a.xyz").write_text("before")
        frames = sorted((self.run_directory / "snapshots").iterdir())
        for paths in (frames, [self.folder / "none.h5"]):
            for name, write in scree.export.FORMATS.items():
                with self.subTest(paths=paths, format=name):
                    with self.assertRaises((scree.errors.FileError, KeyError)):  # the run has walls but no scene
                        write(scree.snapshot.read_frames(paths), out / "a")
                    self.assertEqual([path.name for path in out.iterdir()], ["a.xyz"])
        self.assert_refused(3, ["none.h5"], self.folder / "none.h5", "--format", "xyz", "--output", out / "b")
        self.assertEqual([path.name for path in out.iterdir()], ["a.xyz"])
        self.assertEqual((out / "a.xyz").read_text(), "before")

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.frames = {}
        for k in (1, 2, 3):
            fields = made_snapshot.made_fields(COUNT, seed=k)
            rows = np.random.default_rng(k).permutation(COUNT)
            self.frames[100 * k] = {name: values[rows] for name, values in fields.items()}
        rows = [{"step": k} for k in range(2)]
        self.run_directory = made_run.write(self.folder / "run", rows, self.frames, contacts_of=contacts_of)

    def export(self, *formats):
        printed = self.assert_runs(self.run_directory, "--format", *formats, "--output", self.out).stdout
        return printed.splitlines()

    def snapshots(self):
        return [scree.snapshot.read_snapshot(path) for path in sorted((self.run_directory / "snapshots").iterdir())]

    @skipped_unless(is_installed("ase"), "python3-ase is not installed: no independent reader of LAMMPS dumps and extended XYZ")
    def test_lammps_dump_is_read_by_ase(self):
        import ase.io

        (path,) = self.export("lammps")
        read_frames = ase.io.read(path, index=":", format="lammps-dump-text", units="metal", specorder=["X"])
        self.assertEqual(len(read_frames), 3)
        for atoms, frame in zip(read_frames, self.snapshots()):
            order = np.argsort(frame["id"])  # ASE sorts atoms by id
            np.testing.assert_array_equal(atoms.positions, frame["position"][order])
            np.testing.assert_allclose(np.diag(atoms.cell), frame.upper - frame.lower)

    def test_lammps_dump_has_all_digits(self):
        (path,) = self.export("lammps")
        lines = pathlib.Path(path).read_text().splitlines()
        self.assertEqual(lines[:2], ["ITEM: UNITS", "si"])
        starts = [k for k, line in enumerate(lines) if line.startswith("ITEM: ATOMS")]
        names = lines[starts[1]].split()[2:]
        table = np.array([line.split() for line in lines[starts[1] + 1 : starts[1] + 1 + COUNT]], dtype=float)
        frame = self.snapshots()[1]
        self.assertEqual(lines[lines.index("ITEM: TIMESTEP", starts[0]) + 1], "200")
        for name, values in (("id", frame["id"]), ("radius", frame["radius"]), ("mass", frame.masses),
                             ("vy", frame["velocity"][:, 1]), ("omegaz", frame["angular_velocity"][:, 2])):
            np.testing.assert_array_equal(table[:, names.index(name)], values)

    @skipped_unless(is_installed("ase"), "python3-ase is not installed")
    def test_extended_xyz_is_read_by_ase(self):
        import ase.io

        (path,) = self.export("xyz")
        read_frames = ase.io.read(path, index=":", format="extxyz")
        self.assertEqual(len(read_frames), 3)
        for atoms, frame in zip(read_frames, self.snapshots()):
            np.testing.assert_array_equal(atoms.positions, frame["position"])
            np.testing.assert_array_equal(atoms.arrays["radius"], frame["radius"])
            np.testing.assert_array_equal(atoms.arrays["id"], frame["id"])
            np.testing.assert_array_equal(atoms.arrays["velo"], frame["velocity"])
            np.testing.assert_array_equal(np.diag(atoms.cell), frame.upper - frame.lower)
            self.assertEqual((atoms.info["Time"], list(atoms.pbc)), (frame.time, [False] * 3))

    def test_learning_data_are_read_back(self):
        """Reads them as the loader of GNS does: positions, types and radii of a trajectory, and statistics of the
        differences of positions between frames (velocities, accelerations)."""
        archive, head = self.export("gns")
        with np.load(archive, allow_pickle=True) as file:
            trajectories = [trajectory for _, trajectory in file.items()]
        (positions, types, radii), = trajectories
        frames = [frame.by_id() for frame in self.snapshots()]
        positions_of_frames = np.array([frame["position"] for frame in frames])
        np.testing.assert_array_equal(positions, positions_of_frames.astype(np.float32))
        np.testing.assert_array_equal(radii, frames[0]["radius"].astype(np.float32))
        self.assertEqual((set(types), types.shape), ({6}, (COUNT,)))
        head = json.loads(pathlib.Path(head).read_text())
        self.assertEqual((head["sequence_length"], head["dim"]), (3, 3))
        self.assertAlmostEqual(head["dt"], frames[1].time - frames[0].time)
        np.testing.assert_array_equal(head["bounds"], np.transpose([frames[0].lower, frames[0].upper]))
        for name, order in (("vel", 1), ("acc", 2)):
            values = np.diff(positions_of_frames, order, axis=0).reshape(-1, 3)
            np.testing.assert_allclose(head[f"{name}_mean"], values.mean(axis=0))
            np.testing.assert_allclose(head[f"{name}_std"], values.std(axis=0))

    def test_learning_data_continue_beyond_periodic_ends(self):
        def frame(number, x):
            return made_snapshot.in_memory(made_snapshot.fields_at([[x, 0.01, 0.01]]), periodic=(True, False, False), time=0.1 * number)

        frames_of_walk = [frame(k, x) for k, x in enumerate((0.09, 0.095, 0.0, 0.005, 0.098))]
        archive, _ = scree.export.FORMATS["gns"](frames_of_walk, self.out)
        with np.load(archive, allow_pickle=True) as file:
            positions = file["simulation_0"][0]
        np.testing.assert_allclose(positions[:, 0, 0], [0.09, 0.095, 0.1, 0.105, 0.098], rtol=1e-6)

    def test_bounds_of_learning_data_contain_the_domains_of_all_frames(self):
        extents = ([0.1, 0.06, 0.02], [0.11, 0.05, 0.02], [0.12, 0.04, 0.03])
        fields = made_snapshot.fields_at([[0.01, 0.01, 0.01]])
        frames_of_cell = [made_snapshot.in_memory(fields, extent, (True, True, True), time=0.1 * k, configuration="[cell]\n")
                          for k, extent in enumerate(extents)]  # fmt: skip
        _, head = scree.export.FORMATS["gns"](frames_of_cell, self.out)
        self.assertEqual(json.loads(pathlib.Path(head).read_text())["bounds"], [[0.0, 0.12], [0.0, 0.06], [0.0, 0.03]])

    def test_frames_unsuitable_as_learning_data_are_refused(self):
        paths = sorted((self.run_directory / "snapshots").iterdir())
        options = ["--format", "gns", "--output", self.out]
        self.assert_refused(2, ["three frames or more", "there are 2"], *paths[:2], *options)
        frames = [made_snapshot.in_memory(made_snapshot.fields_at([[0.01, 0.01, 0.01]]), time=time) for time in (0.0, 0.1, 0.3)]
        with self.assertRaisesRegex(scree.errors.UsageError, "equal intervals, but these are 0.1 to 0.2 s apart"):
            scree.export.FORMATS["gns"](frames, self.out)

    def test_table_for_a_scene_has_the_spheres_of_the_last_frame(self):
        """The table has every bit of the spheres; positions are relative to the lower corner of the domain."""
        frames = [dataclasses.replace(frame, lower=np.array([-0.01, 0.0, -0.02])) for frame in self.snapshots()]
        (path,) = scree.export.FORMATS["initial"](frames, self.out)
        table, frame = scree.table.read(path), frames[-1]
        np.testing.assert_array_equal(table["radius"], frame["radius"])
        for k, axis in enumerate("xyz"):
            np.testing.assert_array_equal(table[axis], frame["position"][:, k] - frame.lower[k])
            np.testing.assert_array_equal(table[f"v{axis}"], frame["velocity"][:, k])
        np.testing.assert_array_equal([float(edge) for edge in table.notes[0].split()[1:]], frame.upper - frame.lower)

    @skipped_unless(is_installed("vtkmodules"), "python3-vtk9 is not installed: no independent reader of VTP")
    def test_vtp_is_read_by_vtk(self):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

        self.assertEqual(self.export("vtk"), [f"{self.out}_{kind}.pvd" for kind in ("grains", "walls", "contacts")])

        def read(kind, step):
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(f"{self.out}_{kind}_{step:012d}.vtp")
            reader.Update()
            return reader.GetOutput()

        for frame in self.snapshots():
            grains = read("grains", frame.step)
            np.testing.assert_array_equal(vtk_to_numpy(grains.GetPoints().GetData()), frame["position"])
            for name in ("radius", "id", "velocity", "orientation"):
                np.testing.assert_array_equal(vtk_to_numpy(grains.GetPointData().GetArray(name)), frame[name])
            self.assertEqual(grains.GetNumberOfVerts(), COUNT)
            contacts = read("contacts", frame.step)
            self.assertEqual(contacts.GetNumberOfLines(), 2)
            force = vtk_to_numpy(contacts.GetCellData().GetArray("normal_force"))
            np.testing.assert_allclose(force, [1.5e-8 / DT, -1e-8 / DT])
            ends = vtk_to_numpy(contacts.GetPoints().GetData()).reshape(2, 2, 3)
            row = list(frame["id"]).index(self.frames[frame.step]["id"][0])
            np.testing.assert_array_equal(ends[0, 0], frame["position"][row])
            walls = read("walls", frame.step)
            self.assertEqual(set(vtk_to_numpy(walls.GetCellData().GetArray("wall"))), {1})
            bounds = walls.GetBounds()
            np.testing.assert_allclose(bounds[:2], (0.03, 0.05), atol=1e-5)

    @skipped_unless(is_installed("vtkmodules"), "python3-vtk9 is not installed: no independent reader of VTP")
    def test_subdomains_are_boxes_of_lines(self):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

        boxes = np.array([[0, 0, 0, 0.04, 0.06, 0.02], [0.04, 0, 0, 0.1, 0.06, 0.02]])
        for path in (self.run_directory / "snapshots").iterdir():
            with h5py.File(path, "a") as file:
                del file["scree/subdomains"]
                file["scree/subdomains"] = boxes
        self.assertIn(f"{self.out}_subdomains.pvd", self.export("vtk"))
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(f"{self.out}_subdomains_{100:012d}.vtp")
        reader.Update()
        lines = reader.GetOutput()
        self.assertEqual(lines.GetNumberOfLines(), 24)
        np.testing.assert_array_equal(vtk_to_numpy(lines.GetCellData().GetArray("rank")), [0] * 12 + [1] * 12)
        ends = vtk_to_numpy(lines.GetPoints().GetData()).reshape(2, 12, 2, 3)
        for box, edges in zip(boxes, ends):
            extent = box[3:] - box[:3]
            lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
            np.testing.assert_allclose(np.sort(lengths), np.sort(np.repeat(extent, 4)))
            np.testing.assert_array_equal(edges.min(axis=(0, 1)), box[:3])
            np.testing.assert_array_equal(edges.max(axis=(0, 1)), box[3:])

    def test_pvd_lists_files_and_times(self):
        self.export("vtk")
        text = (self.folder / "out_grains.pvd").read_text()
        self.assertEqual(text.count("<DataSet"), 3)
        self.assertIn('timestep="0.001', text)
        self.assertIn('file="out_grains_000000000100.vtp"', text)

    @skipped_unless(is_installed("MDAnalysis"), "python3-mdanalysis is not installed: no independent reader of H5MD")
    def test_h5md_is_read_by_mdanalysis(self):
        from MDAnalysis.coordinates.H5MD import H5MDReader

        (path,) = self.export("h5md")
        reader = H5MDReader(path, convert_units=True)
        self.addCleanup(reader.close)
        self.assertEqual((reader.n_frames, reader.n_atoms), (3, COUNT))
        for step, frame in zip(reader, self.snapshots()):
            order = np.argsort(frame["id"])
            # Stored in single precision, in Å and Å/ps; times are in ps.
            np.testing.assert_allclose(step.positions * 1e-10, frame["position"][order], rtol=3e-7)
            np.testing.assert_allclose(step.velocities * 1e2, frame["velocity"][order], rtol=3e-7)
            np.testing.assert_allclose(step.dimensions[:3] * 1e-10, frame.upper - frame.lower, rtol=3e-7)
            self.assertAlmostEqual(step.time * 1e-12 / frame.time, 1.0, places=6)

    def test_h5md_has_the_box_of_each_frame_of_a_cell(self):
        frames = self.snapshots()
        for k, frame in enumerate(frames):
            frame.lower[:], frame.upper[:] = 0.001 * k, frame.upper - 0.001 * k
        scree.export.h5md.write(frames, str(self.out))
        with h5py.File(f"{self.out}.h5md") as file:
            edges = file["particles/trajectory/box/edges/value"][:]
            self.assertNotIn("offset", file["particles/trajectory/box"].attrs)
        np.testing.assert_allclose(edges[:, 0, 0] * 1e-9, [f.upper[0] - f.lower[0] for f in frames])

    def test_axes_that_are_periodic_only_before_the_shear_are_not_periodic(self):
        fields = made_snapshot.fields_at([[0.01, 0.01, 0.01]])
        frames = [made_snapshot.in_memory(fields, periodic=(True, True, k == 0), time=0.1 * k, shear=(8.0, 0, 2) if k else None)
                  for k in range(3)]  # fmt: skip
        _, head = scree.export.FORMATS["gns"](frames, self.out)
        self.assertEqual(json.loads(pathlib.Path(head).read_text())["periodic"], [True, True, False])
        scree.export.h5md.write(frames, str(self.out))
        with h5py.File(f"{self.out}.h5md") as file:
            self.assertEqual(list(file["particles/trajectory/box"].attrs["boundary"]), ["periodic", "periodic", "none"])

    def test_h5md_has_the_particles_that_are_in_every_frame(self):
        path = self.run_directory / "snapshots" / "step_000000000200.h5"
        fields = {name: values[5:] for name, values in self.frames[200].items()}
        made_snapshot.write(path, fields, time=2e-3)
        h5md = (self.run_directory, "--format", "h5md", "--output", self.out)
        self.assert_warns("35 particles that are in all frames, of up to 40", *h5md)
        with h5py.File(f"{self.out}.h5md") as file:
            np.testing.assert_array_equal(file["particles/trajectory/id"], np.sort(fields["id"]))
        made_snapshot.write(path, {**fields, "id": fields["id"] + 10**6}, time=2e-3)
        self.assert_refused(2, ["particles that are in all frames, but there are none"], *h5md)

    def test_csv_has_the_fields_of_all_particles(self):
        grains, contacts = self.export("csv")
        with open(grains, newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual(len(rows), 3 * COUNT)
        frame = self.snapshots()[0]
        self.assertEqual([float(row["position_y"]) for row in rows[:COUNT]], frame["position"][:, 1].tolist())
        with open(contacts, newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual([row["b"] for row in rows[:2]], [str(self.frames[100]["id"][1]), "-1"])
        self.assertAlmostEqual(float(rows[1]["impulse_z"]), -1e-8, delta=1e-20)

    def test_frame_without_particles_is_written(self):
        path = self.folder / "empty.h5"
        made_snapshot.write(path, made_snapshot.made_fields(0))
        self.assert_runs(path, "--format", "lammps", "xyz", "vtk", "csv", "--output", f"{self.out}.xyz")
        self.assertIn("ITEM: NUMBER OF ATOMS\n0\n", (self.folder / "out.dump").read_text())

    def test_files_in_any_order_are_frames_in_the_order_of_time(self):
        paths = sorted((self.run_directory / "snapshots").iterdir())
        options = ["--every", "2", "ms", "--format", "lammps", "gltf", "--output", self.out]  # --every needs the order too
        self.assert_runs(*paths[::-1], *options)
        lines = (self.folder / "out.dump").read_text().splitlines()
        self.assertEqual([step for name, step in zip(lines, lines[1:]) if name == "ITEM: TIMESTEP"], ["100", "300"])
        self.assert_runs(paths[2], paths[0], "--format", "gltf", "--output", self.folder / "reverse")
        self.assertEqual((self.folder / "reverse.glb").read_bytes(), (self.folder / "out.glb").read_bytes())

    def test_files_of_the_same_step_or_time_are_refused_by_name(self):
        """Their frames would replace each other, or have no order in an animation."""
        paths = [self.folder / "a.h5", self.folder / "b.h5"]
        fields = made_snapshot.made_fields(2)
        made_snapshot.write(paths[0], fields, step=10**8, time=0.1)
        for step, time, words in ((10**8, 0.2, "the step 100000000"), (2 * 10**8, 0.1, "the time 0.1 s")):
            made_snapshot.write(paths[1], fields, step=step, time=time)
            self.assert_refused(2, [*map(str, paths), words], *paths, "--format", "vtk", "--output", self.out)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.h5", "b.h5", "run"])

    def test_bad_input_is_refused(self):
        output = ("--output", self.out)
        self.assert_refused(2, ["--format"], self.run_directory, *output)
        self.assert_refused(2, ["pdb"], self.run_directory, "--format", "pdb", *output)
        self.assert_refused(3, ["output directory of a run"], self.folder, "--format", "csv", *output)


def walls_text(*keys, name="w", more=""):
    """A configuration with one wall.  keys: lines of its section;  more: further sections"""
    return "[scene]\nseed = 1\n" + f"[wall.{name}]\n" + "".join(f"{line}\n" for line in keys) + more


class LammpsData(ScriptTest):
    """A data file for LAMMPS, parsed as its command read_data does, and the walls as text."""

    script = "export.py"
    NO_MOTION = ("velocity = 0 0 0 m/s", "amplitude = 0 0 0 m", "angular_velocity = 0 0 0 1/s", "free = no")

    def setUp(self):
        super().setUp()
        self.path, self.out = self.folder / "frame.h5", self.folder / "out"

    def write(self, fields, **others):
        made_snapshot.write(self.path, fields, **others)
        return self.path, "--format", "lammps-data", "--output", self.out

    def walls(self, configuration, wall):
        made_snapshot.write(self.path, made_snapshot.made_fields(2), configuration=configuration, walls=[wall])
        self.assert_runs(self.path, "--format", "lammps-data", "--output", self.out)
        return (self.folder / "out_000000000025.walls").read_text()

    def test_spheres_are_read_back(self):
        fields = made_snapshot.made_fields(COUNT) | {"material": np.arange(COUNT, dtype=np.int32) % 2}
        printed = self.assert_runs(*self.write(fields, periodic=(True, False, False), materials=2, walls=())).stdout
        self.assertEqual(printed.splitlines(), [f"{self.out}_000000000025.{end}" for end in ("data", "walls")])
        head, *sections = (self.folder / "out_000000000025.data").read_text().split("\n\n")
        self.assertIn("units si, boundary p f f", head)
        self.assertEqual(sections[0], f"{COUNT} atoms\n2 atom types")
        edges = [line.split() for line in sections[1].splitlines()]
        self.assertEqual([(float(low), float(high), *names) for low, high, *names in edges],
                         [(0.0, length, f"{axis}lo", f"{axis}hi") for length, axis in ((0.1, "x"), (0.06, "y"), (0.02, "z"))])
        self.assertEqual((sections[2], sections[4]), ("Atoms # sphere", "Velocities"))
        atoms, velocities = (np.array([line.split() for line in sections[k].splitlines()], dtype=float) for k in (3, 5))
        material, radius = fields["material"], fields["radius"]
        np.testing.assert_array_equal(atoms, np.column_stack([
            fields["id"] + 1, material + 1, 2.0 * radius, np.full(COUNT, made_snapshot.DENSITY), fields["position"]]))
        np.testing.assert_array_equal(
            velocities, np.column_stack([fields["id"] + 1, fields["velocity"], fields["angular_velocity"]]))

    def test_walls_are_regions(self):
        rotated = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x to y, y to z, z to x
        tube = "from = 0 0 1 m", "to = 0 0 3 m"
        for keys, motion, expected in (
            (("shape = plane", "point = 0 0 1 m", "normal = 0 0 1"), {}, "plane 0.0 0.0 1.0 0.0 0.0 1.0 side in"),
            (("shape = sphere", "point = 0 0 1 m", "radius = 2 m"), {"displacement": (3.0, 0.0, 0.0)},
             "sphere 3.0 0.0 1.0 2.0 side out"),
            (("shape = box", "lower = 0 1 2 m", "upper = 3 4 5 m"), {}, "block 0.0 3.0 1.0 4.0 2.0 5.0 side out"),
            (("shape = cylinder", *tube, "radius = 2 m"), {}, "cylinder z 0.0 0.0 2.0 1.0 3.0 side out"),
            (("shape = pipe", "from = 1 5 2 m", "to = 1 3 2 m", "radius = 2 m"), {},
             "cylinder y 1.0 2.0 2.0 3.0 5.0 side in open 1 open 2"),
            (("shape = pipe", *tube, "radius = 2 m"), {"turn": rotated},
             "cylinder x 0.0 0.0 2.0 1.0 3.0 side in open 1 open 2"),
            (("shape = cone", "from = 0 0 3 m", "to = 0 0 1 m", "from_radius = 5 m", "to_radius = 4 m"), {},
             "cone z 0.0 0.0 4.0 5.0 1.0 3.0 side in open 1 open 2"),
        ):  # fmt: skip
            with self.subTest(expected):
                text = self.walls(walls_text(*keys, *self.NO_MOTION), made_snapshot.wall("w", "none", **motion))
                self.assertEqual(text, f"region wall_w {expected} units box\n"
                                       "fix wall_w all wall/gran/region ${walls} region wall_w\n")

    def test_moving_walls_have_variables_and_parts_have_regions(self):
        plane = "shape = plane", "point = 0 0 1 m", "normal = 0 0 1"
        moving_plane = *plane, "velocity = 1 0 -2 m/s", "angular_velocity = 0 0 -4 1/s", "centre = 1 0 0 m"
        wall = made_snapshot.wall("w", "half space", displacement=(0.5, 0.0, 0.0))
        text = self.walls(walls_text(*moving_plane), wall)
        self.assertEqual(text.splitlines()[:4], [f"variable w_{name} equal {speed}*time" for name, speed in (
            ("x", "1.0"), ("y", "0.0"), ("z", "-2.0"), ("angle", "4.0"))])  # fmt: skip
        self.assertIn(" units box move v_w_x v_w_y v_w_z rotate v_w_angle 1.5 0.0 0.0 0.0 0.0 -1.0\n", text)
        self.assertNotIn(" move ", self.walls(walls_text(*moving_plane, "moves_from = 0.3 s"), wall))
        self.assertNotIn(" rotate ", self.walls(walls_text(*moving_plane, "moves_until = 0.25 s"), wall))
        ball = "[wall.w.ball]\nshape = sphere\npoint = 0 0 1 m\nradius = 2 m\n[wall.wide]\nshape = mesh\n"
        text = self.walls(walls_text(*plane, more=ball), made_snapshot.wall("w", "half space", "none"))
        self.assertEqual([line.split()[1] for line in text.splitlines()], ["wall_w"] * 2 + ["wall_w_2"] * 2)
        text = self.walls(walls_text(*self.NO_MOTION, more=ball), made_snapshot.wall("w", "none"))  # the wall has only parts
        self.assertEqual(text.splitlines()[0], "region wall_w sphere 0.0 0.0 1.0 2.0 side out units box")
        removed = made_snapshot.wall("w", "none", is_there=False)
        self.assertEqual(self.walls(walls_text("shape = mesh"), removed), "")

    def test_walls_have_the_values_of_the_step_before_their_frame(self):
        plane = "shape = plane", "point = 0 0 1 m", "normal = 0 0 1"
        wall = made_snapshot.wall("w", "half space")  # in a frame at 0.25 s
        time = "[time]\nstep = 1 ms\n"
        starts, stops = (f"{time}[at \"{{}}\"]\nwall.w.surface_velocity = {value}\n" for value in ("1 0 0 m/s", "unset"))
        self.assert_refused(2, ["wall w is a belt"], *self.write(
            made_snapshot.made_fields(2), walls=[wall], configuration=walls_text(*plane, more=starts.format("0.2 s"))))  # fmt: skip
        self.assertIn("region wall_w plane", self.walls(walls_text(*plane, more=starts.format("0.25 s")), wall))
        belt = walls_text(*plane, "surface_velocity = 1 0 0 m/s", more=stops.format("0.2 s"))
        self.assertIn("region wall_w plane", self.walls(belt, wall))

    def test_walls_that_stop_all_materials_are_regions(self):
        made_snapshot.write(self.path, made_snapshot.made_fields(2), walls=[made_snapshot.wall("w", "half space")], materials=2,
                            configuration=walls_text("shape = plane", "point = 0 0 1 m", "normal = 0 0 1", "stops = large small"))  # fmt: skip
        with h5py.File(self.path, "r+") as file:
            file["scree/materials"].attrs["name"] = np.bytes_(["small", "large"])
        self.assert_runs(self.path, "--format", "lammps-data", "--output", self.out)

    def test_walls_that_lammps_cannot_represent_are_refused_by_name(self):
        plane = "shape = plane", "point = 0 0 1 m", "normal = 0 0 1"
        rotated = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
        for keys, motion, reason in (
            (("shape = mesh",), {}, "wall w is a mesh"), (("shape = disk",), {}, "wall w is a disk"),
            ((*plane, "amplitude = 0 0 1 mm"), {}, "wall w oscillates"),
            ((*plane, "surface_velocity = 1 0 0 m/s"), {}, "wall w is a belt"),
            ((*plane, "motion = press.csv"), {}, "wall w moves by a table"),
            ((*plane, "free = along"), {}, "wall w is moved by forces"),
            ((*plane, "stops = large"), {}, "wall w stops only large"),
            (("shape = pipe", "from = 0 0 0 m", "to = 0 1 1 m", "radius = 1 m"), {},
             "wall w is a pipe that is not parallel to x, y or z"),
            (("shape = box", "lower = 0 1 2 m", "upper = 3 4 5 m"), {"turn": rotated},
             "wall w is a box that has turned"),
        ):  # fmt: skip
            with self.subTest(reason):
                walls = [made_snapshot.wall("w", "none", **motion)]
                self.assert_refused(2, [reason], *self.write(made_snapshot.made_fields(2), walls=walls,
                                                             configuration=walls_text(*keys)))  # fmt: skip
        self.assert_refused(2, ["several motions"], *self.write(
            made_snapshot.made_fields(2), walls=[made_snapshot.wall("w", "none")],
            configuration=walls_text(*plane, more="[motion.a]\nwall = w\n")))  # fmt: skip
        self.assert_refused(2, ["wall w is moved by forces"], *self.write(
            made_snapshot.made_fields(2), walls=[made_snapshot.wall("w", "none")],
            configuration=walls_text(*plane, more="[link.arm]\nwalls = v w\n")))  # fmt: skip
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01]], id=np.array([2**40]))
        self.assert_refused(2, ["id 1099511627776"], *self.write(fields, walls=()))
        fields = made_snapshot.fields_at([[0.02, 0.02, 0.01]], shape=np.array([1]))
        self.assert_refused(2, ["bodies other than spheres"],
                            *self.write(fields, walls=(), shapes=[made_snapshot.DUMBBELL]))  # fmt: skip


class Clumps(ScriptTest):
    """Two dumbbells, one rotated about z by 90 degrees; a sphere lies between them in the file."""

    script = "export.py"

    def setUp(self):
        super().setUp()
        rotated = np.sqrt(0.5) * np.array([1.0, 0.0, 0.0, 1.0])
        unrotated = [1.0, 0.0, 0.0, 0.0]
        self.fields = made_snapshot.fields_at([[0.02, 0.02, 0.01], [0.03, 0.02, 0.01], [0.04, 0.02, 0.01]], radius=2e-3,
                                              shape=np.array([1, 0, 1]), orientation=np.array([unrotated, unrotated, rotated]),
                                              velocity=np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]),
                                              angular_velocity=np.array([[0, 0, 10.0], [0, 0, 10.0], [0, 0, 0]]))  # fmt: skip
        self.path, self.out = self.folder / "clumps.h5", self.folder / "out"
        made_snapshot.write(self.path, self.fields, shapes=[made_snapshot.DUMBBELL])

    def rows_of(self, kind, mark):
        (path,) = self.assert_runs(self.path, "--format", kind, "--output", self.out).stdout.splitlines()
        lines = pathlib.Path(path).read_text().splitlines()
        start = next(k for k, line in enumerate(lines) if mark in line)
        return lines[start], [line.split() for line in lines[start + 1 :]]

    def test_members_are_atoms_of_molecules_in_lammps(self):
        head, rows = self.rows_of("lammps", "ITEM: ATOMS")
        names = head.split()[2:]
        table = {name: np.array(column, dtype=float) for name, column in zip(names, zip(*rows))}
        self.assertEqual(table["mol"].tolist(), [0, 0, 1, 2, 2])
        self.assertEqual(len(set(table["id"])), 5)
        np.testing.assert_allclose(table["radius"], [1e-3, 1e-3, 2e-3, 1e-3, 1e-3])
        np.testing.assert_allclose(table["x"], [0.021, 0.019, 0.03, 0.04, 0.04], atol=1e-15)
        np.testing.assert_allclose(table["y"], [0.02, 0.02, 0.02, 0.021, 0.019], atol=1e-15)
        # v + omega x arm
        np.testing.assert_allclose(table["vy"], [0.01, -0.01, 1.0, 0.0, 0.0], atol=1e-15)
        np.testing.assert_allclose(table["mass"].sum(), made_snapshot.DENSITY * 8e-9 * (2 + 4) * np.pi / 3.0)

    def test_members_beyond_an_end_of_a_sheared_domain_are_wrapped(self):
        # U = 5 1/s x 0.02 m = 0.1 m/s: after 0.25 s the image above is 0.025 m ahead.
        self.fields["orientation"][0] = np.sqrt(0.5) * np.array([1.0, 0.0, 1.0, 0.0])  # along z
        self.fields["position"][0, 2] = 0.0195
        self.fields["angular_velocity"][:] = 0.0
        shear = "[domain]\nperiodic = x y z\nshear_rate = 5 1/s\n"
        made_snapshot.write(self.path, self.fields, shapes=[made_snapshot.DUMBBELL], periodic=(True, True, True),
                            configuration=shear)  # fmt: skip
        head, rows = self.rows_of("lammps", "ITEM: ATOMS")
        atoms = [dict(zip(head.split()[2:], map(float, row))) for row in rows]
        upper, lower = sorted((atom for atom in atoms if atom["mol"] == 0), key=lambda atom: atom["z"])
        np.testing.assert_allclose([upper["x"], upper["z"], upper["vx"]], [0.095, 0.0005, 0.9], atol=1e-14)
        np.testing.assert_allclose([lower["x"], lower["z"], lower["vx"]], [0.02, 0.0185, 1.0], atol=1e-14)

    def test_extended_xyz_has_members_with_their_body(self):
        head, rows = self.rows_of("xyz", "Lattice")
        self.assertIn("id:I:1:body:I:1:material:S:1", head)
        self.assertEqual([row[-2] for row in rows], ["0", "0", "1", "2", "2"])

    def test_csv_has_the_shape_of_bodies(self):
        head, rows = self.rows_of("csv", "position_x")
        column = head.split(",").index("shape")
        self.assertEqual([row[0].split(",")[column] for row in rows], ["1", "0", "1"])

    def test_vtp_has_the_members_of_bodies(self):
        for kind in ("vtk", "surroundings"):
            printed = self.assert_runs(self.path, "--format", kind, "--output", self.out).stdout
            self.assertIn(f"{self.out}_members.pvd", printed)
        self.assertIn('NumberOfPoints="5"', (self.folder / "out_members_000000000025.vtp").read_text())

    def test_polyhedra_are_single_spheres_in_lammps_and_faces_in_vtk(self):
        self.fields["shape"] = np.array([1, 0, 2])
        made_snapshot.write(self.path, self.fields, shapes=[made_snapshot.DUMBBELL, made_snapshot.CUBE])
        head, rows = self.rows_of("lammps", "ITEM: ATOMS")
        table = {name: np.array(column, dtype=float) for name, column in zip(head.split()[2:], zip(*rows))}
        self.assertEqual(table["mol"].tolist(), [0, 0, 1, 2])
        np.testing.assert_allclose(table["radius"], [1e-3, 1e-3, 2e-3, 2e-3])
        self.assert_runs(self.path, "--format", "vtk", "--output", self.out)
        self.assertIn('NumberOfPoints="3"', (self.folder / "out_members_000000000025.vtp").read_text())
        self.assertIn('NumberOfPolys="6"', (self.folder / "out_solids_000000000025.vtp").read_text())
        corners, counts, row, _ = scree.solids.faces_of(scree.snapshot.read_snapshot(self.path))
        self.assertEqual((counts.tolist(), set(row)), ([4] * 6, {2}))
        np.testing.assert_allclose(np.abs(corners - self.fields["position"][2]), 2e-3 / np.sqrt(3.0), atol=1e-12)

    def test_snapshot_has_the_inertia_of_bodies(self):
        snapshot = scree.snapshot.read_snapshot(self.path)
        moments = np.linalg.eigvalsh(snapshot.inertia()) / (snapshot.masses * 4e-6)[:, None]
        np.testing.assert_allclose(moments, [[0.1, 0.35, 0.35], [0.4] * 3, [0.1, 0.35, 0.35]])


if __name__ == "__main__":
    unittest.main()
