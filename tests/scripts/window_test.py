"""Options --from, --to and --every of the scripts that analyse runs; messages; folders that the scripts create."""

import contextlib
import io
import sys
import unittest
from unittest import mock

import made_run
import made_snapshot
from script_test import new_folder, skipped_unless

import contacts
import export
import fields
import key_figures
import mixing
import profiles
import rdf
import render
import report
import scree.snapshot
import scree.table
import scree.viewer
import view
from scree.errors import UsageError

STEPS = (1000, 2000, 3000, 4000, 5000)  # 10 ms each
SCRIPTS = {  # {module: (further options, suffix of a file that it writes)}
    contacts: ([], ".png"), fields: (["--cells", "4x3"], ".csv"), mixing: ([], ".csv"), profiles: (["--cells", "4x3"], ".csv"),
    rdf: (["--r-max", "2"], ".csv"), export: (["--format", "xyz"], ".xyz"),
}  # fmt: skip


def output_of(script, *arguments):
    """Runs a script in this process; returns its output and the times of the snapshots that it read."""
    output, times = io.StringIO(), []
    read_frames = scree.snapshot.read_frames

    def record_times(paths, *others):
        for frame in read_frames(paths, *others):
            times.append(round(frame.time, 6))
            yield frame

    with mock.patch.object(sys, "argv", [script.__name__, *map(str, arguments)]), contextlib.redirect_stdout(output), \
            contextlib.redirect_stderr(io.StringIO()), mock.patch.object(scree.snapshot, "read_frames", record_times):  # fmt: skip
        if script.main():
            raise AssertionError(arguments)
    return output.getvalue(), times


class Window(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = new_folder(cls.addClassCleanup)
        frames = {}
        for step in STEPS:
            frames[step] = made_snapshot.made_fields(300, step)
            frames[step]["material"] = frames[step]["id"].astype("int32") % 2
        cls.path = made_run.write(cls.folder / "run", [{"step": 100 * k, "particles": 300} for k in range(51)], frames)

    def test_all_scripts_use_the_window_and_create_folders(self):
        for script, (options, file) in SCRIPTS.items():
            with self.subTest(script=script.__name__):
                prefix = self.folder / "new" / script.__name__ / "result"
                output, times = output_of(script, self.path, "--from", "15 ms", "--to", "0.05", "s", "--every", "20 ms",
                                   *options, "--output", prefix)  # fmt: skip
                self.assertEqual(sorted(set(times)), [0.02, 0.04])
                self.assertIn(f"{prefix}{file}", output)
                if script not in (export, mixing):
                    self.assertIn("mean of 2 snapshots, t = 0.02 to 0.04 s", output)
                if script not in (export, mixing, contacts):
                    self.assertIn("mean of 2 snapshots, t = 0.02 to 0.04 s", " ".join(scree.table.read(f"{prefix}.csv").notes))

    def test_means_are_over_the_later_half_by_default(self):
        for options, times in (((), "0.03 to 0.05 s"), (("--from", 0.02, "s"), "0.02 to 0.05 s"),
                               (("--to", 0.04, "s"), "0.03 to 0.04 s")):  # fmt: skip
            printed, _ = output_of(profiles, self.path, "--cells", "4x3", "--output", self.folder / "half", *options)
            self.assertIn(f"t = {times}", printed)

    def test_window_applies_to_single_files(self):
        files = sorted((self.path / "snapshots").glob("*.h5"))
        output, _ = output_of(rdf, *files, "--to", "25 ms", "--r-max", 2, "--output", self.folder / "f")
        self.assertIn("mean of 2 snapshots, t = 0.01 to 0.02 s", output)

    def test_key_figures_and_report_use_the_window(self):
        window = ("--from", "15 ms", "--to", "50 ms", "--every", "20 ms")
        output, times = output_of(key_figures, self.path, *window, "--output", self.folder / "there" / "k.csv")
        self.assertEqual((times, (self.folder / "there" / "k.csv").is_file()), ([0.02, 0.04], True))
        with mock.patch.object(report, "SECTIONS", report.SECTIONS[:1]):
            output, times = output_of(report, self.path, *window, "--output", self.folder / "page" / "r.html")
        self.assertEqual((times, (self.folder / "page" / "r.html").is_file()), ([0.02, 0.04], True))

    def test_pictures_use_the_window(self):
        picture = self.folder / "pictures" / "a.png"
        output, _ = output_of(render, self.path, "--to", "35 ms", "--output", picture, "--dpi", 30, "--view", "side")
        self.assertEqual((output, picture.is_file()), (f"{picture}\n", True))
        with mock.patch("scree.picture.film") as film:
            output_of(render, self.path, "--from", "25 ms", "--every", "15 ms", "--output", self.folder / "a.gif")
        self.assertEqual([round(frame.time, 6) for frame in film.call_args[0][0]], [0.03, 0.05])

    @skipped_unless(all(path.is_file() for path in scree.viewer.LIBRARY), "libjs-three is not installed")
    def test_page_in_three_dimensions_uses_the_window(self):
        output, times = output_of(view, self.path, "--from", "25 ms", "--output", self.folder / "pages" / "v.html")
        self.assertEqual((times, (self.folder / "pages" / "v.html").is_file()), ([0.03, 0.04, 0.05], True))

    def test_window_without_snapshots_is_refused(self):
        for words, window in (("no snapshot from 0.2", ["--from", "0.2 s"]), ("is after", ["--from", "2 s", "--to", "1 s"]),
                              ("--every", ["--every", "2 cm"])):  # fmt: skip
            with self.assertRaisesRegex(UsageError, words):
                output_of(profiles, self.path, *window)


if __name__ == "__main__":
    unittest.main()
