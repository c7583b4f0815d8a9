"""The model of the disk itself: what it lets go, and what it keeps."""

import pathlib
import random
import tempfile
import unittest

from disk import Disk, tree


class Model(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.disk = Disk("/d")
        self.count = 0

    def take(self, kind, a=0, b=0, c=0, first=b"", second=b""):
        self.disk.take(kind, a, b, c, first, second)

    def make(self, inode, path, content):
        self.take(b"O", inode, 1, 0, path)
        self.take(b"W", inode, 0, 0, content)

    def sync(self, inode=0, folder=None):
        self.take(b"s", 1, int(folder is not None), inode, folder or b"")
        self.take(b"S", 1)

    def rebuilt(self, bytes_arrive, names_arrive, seed=1):
        self.count += 1
        target = self.folder / str(self.count)
        self.disk.rebuild(target, random.Random(seed), bytes_arrive, names_arrive)
        return {name: content for name, content in tree(target).items() if name != "."}

    def test_a_synced_file_without_its_name_is_gone(self):
        self.make(7, b"/d/a", b"text")
        self.sync(7)
        self.assertEqual(self.rebuilt(0, 0), {})
        self.assertEqual(self.rebuilt(0, 1), {"a": b"text"})
        self.sync(folder=b"/d")
        self.assertEqual(self.rebuilt(0, 0), {"a": b"text"})

    def test_a_synced_name_without_its_bytes_is_an_empty_file(self):
        self.make(7, b"/d/a", b"text")
        self.sync(folder=b"/d")
        self.assertEqual(self.rebuilt(0, 0), {"a": b""})

    def test_what_is_synced_in_a_folder_without_a_name_is_gone(self):
        self.take(b"M", first=b"/d/f")
        self.make(7, b"/d/f/a", b"text")
        self.sync(7)
        self.sync(folder=b"/d/f")
        self.assertEqual(self.rebuilt(1, 0), {})

    def test_what_is_written_while_a_sync_runs_is_not_synced(self):
        self.make(7, b"/d/a", b"text")
        self.sync(folder=b"/d")
        self.take(b"s", 1, 0, 7)
        self.take(b"W", 7, 4, 0, b" more")
        self.take(b"S", 1)
        self.assertEqual(self.rebuilt(0, 0), {"a": b"text"})
        self.assertEqual(self.rebuilt(1, 0), {"a": b"text more"})

    def test_sectors_arrive_in_any_order(self):
        self.make(7, b"/d/a", b"x" * 2048)
        self.sync(folder=b"/d")
        seen = {self.rebuilt(0.5, 0, seed)["a"] for seed in range(60)}
        self.assertIn(bytes(512) + b"x" * 1536, seen)
        self.assertIn(b"x" * 512 + bytes(1024) + b"x" * 512, seen)
        self.assertTrue(all(set(content) <= {0, ord("x")} for content in seen))

    def test_a_rename_is_whole(self):
        self.make(7, b"/d/a", b"old")
        self.make(8, b"/d/a.new", b"new")
        self.sync(7)
        self.sync(8)
        self.sync(folder=b"/d")
        self.take(b"N", first=b"/d/a.new", second=b"/d/a")
        self.assertEqual(self.rebuilt(1, 0), {"a": b"old", "a.new": b"new"})
        self.assertEqual(self.rebuilt(1, 1), {"a": b"new"})

    def test_a_removal_that_was_not_synced_may_come_back(self):
        self.make(7, b"/d/a", b"text")
        self.sync(7)
        self.sync(folder=b"/d")
        self.take(b"U", first=b"/d/a")
        self.assertEqual(self.rebuilt(0, 0), {"a": b"text"})
        self.sync(folder=b"/d")
        self.assertEqual(self.rebuilt(0, 0), {})


if __name__ == "__main__":
    unittest.main()
