"""scree.whole_file: a folder appears only when complete, and the old folder stays until then."""

import os
import pathlib
import tempfile
import unittest
import unittest.mock

import made_snapshot  # adds the package to the path

import scree.whole_file

assert made_snapshot


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = pathlib.Path(temporary.name) / "manual"

    def fill(self, text):
        with scree.whole_file.folder_of(self.path) as part:
            (part / "page").write_text(text)

    def assert_content(self, text):
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["manual"])
        self.assertEqual((self.path / "page").read_text(), text)

    def test_folder_is_replaced_at_the_end(self):
        for text in ("first", "second"):
            self.fill(text)
            self.assert_content(text)

    def test_folder_stays_if_the_block_raises(self):
        self.fill("first")
        with self.assertRaises(KeyboardInterrupt), scree.whole_file.folder_of(self.path):
            raise KeyboardInterrupt
        self.assert_content("first")

    def test_folder_stays_if_either_rename_fails(self):
        self.fill("first")
        for failing in (self.path.with_name("manual.old"), self.path):

            def rename(source, target, failing=failing):
                if target == failing and source.name != "manual.old":
                    raise OSError("refused")
                rename_all(source, target)

            rename_all = os.rename
            with unittest.mock.patch("os.rename", rename), self.assertRaisesRegex(OSError, "refused"):
                self.fill("second")
            self.assert_content("first")

    def test_folder_is_restored_after_a_kill_between_the_renames(self):
        self.fill("first")
        self.path.rename(self.path.with_name("manual.old"))
        with self.assertRaises(OSError), scree.whole_file.folder_of(self.path):
            raise OSError
        self.assert_content("first")


if __name__ == "__main__":
    unittest.main()
