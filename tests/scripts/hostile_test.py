"""Scripts refuse manipulated snapshots, tables and walls at once, with exit code 2 or 3 and no traceback.

Links in the manipulated files point to a pipe: a script that opens it hangs until the time limit of the test.
"""

import os
import pathlib
import resource
import shutil
import time
import unittest

import made_run
import made_snapshot
import script_process
from script_test import ScriptTest

import h5py
import numpy as np
import scree.contacts
import scree.directory
import scree.snapshot
from scree.errors import FileError

GRAINS, CONTACTS, WALLS = "particles/grains", scree.contacts.GROUP, "scree/walls"
CONFIGURATION = "[time]\nstep = 1e-05 s\n"
ROWS = 300_000_000  # rows of a dataset without stored values
MAX_TIME = 1.0  # processor time of a refusal [s]
MEMORY = 2 << 30  # address space that a test may add [bytes]


def write(path):
    """Writes a snapshot with every dataset that a snapshot can have."""
    fields = made_snapshot.made_fields(60) | {"shape": np.resize(np.array([0, 1], np.int32), 60)}
    upward = np.tile([0.0, 0.0, 1e-7], (2, 1))
    contacts = {"id": [[100, 101], [102, -1]], "position": fields["position"][:2], "gap": np.zeros(2), "normal": upward,
                "impulse": upward}  # fmt: skip
    made_snapshot.write(path, fields, configuration=CONFIGURATION, shapes=[made_snapshot.DUMBBELL],
                        periodic=(True, False, False), contacts=contacts)  # fmt: skip


def datasets(path):
    """The datasets that the scripts read, {path: dtype}."""
    result = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset):
            result[name] = item.dtype

    with h5py.File(path, "r") as file:
        file.visititems(add)
    # Steps and times are read from the positions only, although the other fields have them too.
    other_fields = [f"{GRAINS}/{name}" for name in ("velocity", "angular_velocity", "orientation")]
    unused = [f"{name}/{part}" for name in other_fields for part in ("step", "time")]
    return {name: dtype for name, dtype in result.items() if name not in unused}


def replacement(name, make_dataset):
    """An edit that replaces a dataset.  make_dataset: (file, name, old values) -> None"""

    def edit(file):
        old = file[name][()]
        del file[name]
        make_dataset(file, name, np.asarray(old))

    return edit


def make_huge(file, name, old):
    """Makes a dataset of ROWS rows or frames, none of which is stored."""
    trailing = old.shape[1:] if old.ndim else ()
    file.create_dataset(name, (ROWS, *trailing), old.dtype, chunks=(1 << 20, *trailing))


def kinds(pipe):
    """Objects that can replace a dataset, {description: make_dataset of `replacement`}."""

    def make_external(file, name, old):
        file.create_dataset(name, old.shape or (1,), old.dtype, external=[(pipe, 0, h5py.h5f.UNLIMITED)])

    def make_virtual(file, name, old):
        layout = h5py.VirtualLayout(old.shape or (1,), old.dtype)
        layout[...] = h5py.VirtualSource(pipe, "x", old.shape or (1,))
        file.create_virtual_dataset(name, layout)

    def make_link(link):
        return lambda file, name, old: file.__setitem__(name, link)

    return {
        "group": lambda file, name, old: file.create_group(name),
        "external storage": make_external,
        "virtual": make_virtual,
        "external link": make_link(h5py.ExternalLink(pipe, "x")),
        "soft link": make_link(h5py.SoftLink("/scree/configuration")),
        "endless": make_huge,
        "compressed": lambda file, name, old: file.create_dataset(
            name, data=np.ravel(old), chunks=True, compression="gzip"),
        "null": lambda file, name, old: file.create_dataset(name, data=h5py.Empty(old.dtype)),
        "references": lambda file, name, old: file.create_dataset(name, data=file.ref),
        "deep": lambda file, name, old: file.create_dataset(name, data=old.reshape(*old.shape, 1, 1, 1)),
    }  # fmt: skip


def edits(path, pipe):
    """All edits, {description: (edit, whether only the contacts are damaged)}."""
    result = {}
    for name, dtype in datasets(path).items():
        replacements = dict(kinds(pipe))
        if dtype.kind == "f":
            replacements["no number"] = lambda file, name, old: file.__setitem__(name, np.full_like(old, np.nan))
            replacements["too large"] = lambda file, name, old: file.__setitem__(name, np.full_like(old, 1e200))
        if dtype.kind in "fi":
            replacements["text"] = lambda file, name, old: file.__setitem__(name, np.full(old.shape, b"12"))
            replacements["scalar"] = lambda file, name, old: file.__setitem__(name, old.dtype.type(1))
        for kind, make_dataset in replacements.items():
            if (kind, name) in (("scalar", f"{GRAINS}/position/step"), ("scalar", f"{GRAINS}/position/time")):
                continue  # equivalent to an array of one frame
            if kind == "deep" and name in (f"{GRAINS}/position/step", f"{GRAINS}/position/time"):
                continue
            result[f"{kind} {name}"] = (replacement(name, make_dataset), name.startswith(CONTACTS))
    return result | {words: (edit, False) for words, edit in values()}


def values():
    """Edits of single values, (description, edit)."""

    def edit_value(name, row, value):
        return f"{name} {value}", lambda file: file[name].__setitem__(row, value)

    def edit_attribute(owner, name, value):
        return f"{owner} {name} {value}", lambda file: file[owner].attrs.__setitem__(name, value)

    for value in (-0.1, 0.0, np.inf, np.nan, 1e200):
        yield edit_value(f"{GRAINS}/box/edges", 1, value)
        yield edit_value(f"{GRAINS}/radius", 7, -abs(value))
        yield edit_value(f"{GRAINS}/position/value", (0, 3, 0), 1e9 * (1.0 + abs(value)))
    for value in (1e-300, 1e-12, 1e100):
        yield edit_value(f"{GRAINS}/radius", slice(None), value)
    for value in (-1, 1, 2**31 - 1):
        yield edit_value(f"{GRAINS}/material", 5, value)
    for value in (-1, 2, 2**31 - 1):
        yield edit_value(f"{GRAINS}/shape", 5, value)
    for value in (-1, 2**62, 1000):
        yield edit_value(f"{WALLS}/corners_of_part", 1, value)
        yield edit_value(f"{WALLS}/wall_of_part", 1, value)
    yield edit_value(f"{WALLS}/corners", slice(None), 0.01)
    for bad in (1.0, [1.0, 2.0], [np.nan] * 3, np.bytes_("here")):
        yield edit_attribute(f"{GRAINS}/box", "offset", bad)
    for bad in (np.bytes_("none"), 1.0, np.bytes_(["open"] * 3)):
        yield edit_attribute(f"{GRAINS}/box", "boundary", bad)
    for owner, name in (("scree/materials", "density"), (WALLS, "name"), (WALLS, "interior"), ("scree/shapes", "name"),
                        ("scree/shapes/dumbbell", "members"), ("scree/shapes/dumbbell", "inertia"),
                        ("scree/shapes/dumbbell", "volume"), ("scree/shapes/dumbbell", "density")):  # fmt: skip
        for value in (np.nan, np.bytes_("x"), np.zeros((2, 2)), np.arange(3.0), h5py.Empty("f8")):
            yield edit_attribute(owner, name, value)
    for name in (WALLS, "scree/materials", "scree/shapes/dumbbell", f"{GRAINS}/box", GRAINS):
        yield f"array {name}", group_replacement(name)


def group_replacement(name):
    """An edit that replaces a group by an array."""
    def edit(file):
        del file[name]
        file[name] = np.zeros(3)

    return edit


class Hostile(ScriptTest):
    """Tests with a memory limit, which must suffice to refuse a manipulated file."""

    def setUp(self):
        super().setUp()
        self.good, self.bad, self.pipe = self.folder / "good.h5", self.folder / "bad.h5", str(self.folder / "pipe")
        write(self.good)
        os.mkfifo(self.pipe)
        old_limit = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, old_limit)
        resource.setrlimit(resource.RLIMIT_AS, (self.used_memory() + MEMORY, old_limit[1]))

    def used_memory(self):
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
        return pages * resource.getpagesize()

    def edited_snapshot(self, edit):
        shutil.copy(self.good, self.bad)
        with h5py.File(self.bad, "a") as file:
            edit(file)
        return self.bad

    def test_unedited_snapshot_is_valid(self):
        self.assertEqual(len(scree.contacts.recorded(scree.snapshot.read_snapshot(self.good))), 2)

    def test_edited_snapshots_are_refused_quickly(self):
        all_edits = edits(self.good, self.pipe)
        self.assertGreater(len(all_edits), 100)
        for words, (edit, is_of_contacts) in all_edits.items():
            with self.subTest(words):
                path = self.edited_snapshot(edit)
                start = time.process_time()
                with self.assertRaises(scree.snapshot.SnapshotError) as context:
                    snapshot = scree.snapshot.read_snapshot(path)
                    self.assertTrue(is_of_contacts, "was read")
                    scree.contacts.recorded(snapshot)
                self.assertIn(str(path), str(context.exception))
                self.assertLess(time.process_time() - start, MAX_TIME)
                self.assertTrue(scree.contacts.has_record(path), "would be skipped")

    def assert_each_ends(self, code, words, paths, scripts):
        """Checks that these scripts end with this exit code and a message that contains these words."""
        for script, *options in scripts:
            with self.subTest(words, script=script):
                process = script_process.run_in_fork(made_snapshot.SCRIPTS / script, *paths, *options)
                self.assertEqual(process.returncode, code, process.stderr)
                self.assertNotIn("Traceback", process.stderr)
                self.assertIn(words, process.stderr)

    def test_exit_code_distinguishes_bad_input_from_bad_output(self):
        all_edits, output = edits(self.good, self.pipe), self.folder / "out.gif"
        scripts = [(f"{name}.py", "--output") for name in "profiles fields rdf contacts render view".split()]
        scripts += [("export.py", "--format", kind, "--output") for kind in ("lammps", "vtk", "csv")]
        scripts += [("mixing.py", "--by", "shape", "--output")]
        complete_commands = [(*script, output) for script in scripts]
        # All scripts read with scree.snapshot, so it is enough to test each kind of damage with one script.
        path = self.edited_snapshot(all_edits[f"endless {GRAINS}/position/value"][0])
        self.assert_each_ends(3, str(path), [path], [*complete_commands, ("compare.py", self.good)])
        truncated = self.folder / "cut.h5"
        truncated.write_bytes(self.good.read_bytes()[:5000])
        paths = [truncated, self.folder / "none.h5", made_snapshot.SCRIPTS / "rdf.py"]
        for path, script in zip(paths, complete_commands):
            self.assert_each_ends(3, str(path), [path], [script])
        for words, script in zip((f"external storage {GRAINS}/radius", f"scalar {GRAINS}/id"), complete_commands[3:]):
            self.assert_each_ends(3, str(self.bad), [self.edited_snapshot(all_edits[words][0])], [script])

        def make_later_frame_of_another_domain(file):
            file[f"{GRAINS}/box"].attrs["boundary"] = np.bytes_(["none"] * 3)
            for name in ("step", "time"):  # export.py takes only frames of different steps and times
                file[f"{GRAINS}/position/{name}"][-1] += 1

        self.edited_snapshot(make_later_frame_of_another_domain)
        self.assert_each_ends(3, "differ in their domain", [self.good, self.bad], complete_commands)
        (self.folder / "file").write_text("")
        no_folder = self.folder / "file/such.gif"
        self.assert_each_ends(5, "file", [self.good], [(*script, no_folder) for script in scripts])

    def test_pipes_in_place_of_files_are_refused_at_once(self):
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "regular file"):
            scree.snapshot.read_snapshot(self.pipe)
        digest_file = pathlib.Path(f"{self.good}.xxh64")
        os.mkfifo(digest_file)
        with self.assertRaisesRegex(scree.snapshot.SnapshotError, "regular file"):
            scree.snapshot.read_snapshot(self.good)
        run = made_run.steady(self.folder / "run", count=3)
        for name in ("config.ini", "series.csv"):
            (run / name).unlink()
            os.mkfifo(run / name)
            with self.assertRaisesRegex(FileError, "not a file"):
                scree.directory.read(run)

    def test_edited_tables_and_walls_are_refused(self):
        run = made_run.steady(self.folder / "run", count=3)
        series = (run / "series.csv").read_text()
        walls = "POINTS 3 float 0 0 0 1 0 0 0 1 0 POLYGONS 1 4 3 0 1 7 CELL_DATA 1"
        for text in (series.replace("\n200,", "\nx,"), series.replace("\n200,", "\nnan,"), series + "\0" * 9 + "\n",
                     series + "1" * 200_000 + "\n", series.replace("time", "tame"), "\xff\n" * 9):  # fmt: skip
            (run / "series.csv").write_text(text, encoding="latin-1")
            for script in ("key_figures.py", "report.py"):
                process = script_process.run_in_fork(made_snapshot.SCRIPTS / script, run)
                self.assertEqual(process.returncode, 3, process.stderr)
                self.assertNotIn("Traceback", process.stderr)
        (run / "series.csv").write_text(series)
        made_snapshot.write(run / "snapshots/step_000000000001.h5", made_snapshot.made_fields(9),
                            walls=[made_snapshot.wall("mesh", "none")])  # fmt: skip
        for text in ("", "POINTS", "POINTS 99999999999 float 1", walls, walls.replace("3 float 0", "3 float nan")):
            (run / "walls.vtk").write_text(text)
            path, output = run / "snapshots/step_000000000001.h5", self.folder / "a.png"
            process = script_process.run_in_fork(made_snapshot.SCRIPTS / "render.py", path, "--output", output)
            self.assertEqual(process.returncode, 3, process.stderr)
            self.assertNotIn("Traceback", process.stderr)


if __name__ == "__main__":
    unittest.main()
