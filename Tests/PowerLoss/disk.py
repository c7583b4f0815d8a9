"""What a disk may hold after a power loss, from the journal of what was done to it.

The model. A file has content that was synced, and changes since: writes, each cut into the 512-byte sectors it touches,
and changes of its length. A folder has names that were synced, and changes of names since: made, removed, renamed. After
a power loss there is what was synced; of the changes since, each may have reached the disk or not:

* `fsync` and `fdatasync` of a file make its content and length safe, as of when the sync began. Not its name: that
  needs a sync of the folder, whose own name needs a sync of *its* folder, and so on.
* A sector that was not synced has its old or its new bytes, independently of all others, also of later ones in the same file
  (the kernel writes back in any order). Where a file grew and a sector did not arrive there are zeros.
* A name that was not synced is there or not, independently of all others. Only a rename is whole: both names change,
  or neither does.

That is about what POSIX leaves open. ext4 (data=ordered) promises more: names reach the disk in their order, and a sync of a
new file takes the changes of names before it along. XFS and btrfs each promise something else, so nothing rests on it. What
no common file system does is not modelled either: bytes that were synced and are damaged, sectors torn within, stale content
of other files where a file grew, or a device that lies about having synced.
"""

import os
import random
import struct

SECTOR = 512
HEAD = struct.Struct("<cqqqII")


class File:
    """Content that was synced, and what was done since as (entry, offset or None, bytes or length)."""

    def __init__(self):
        self.synced = bytearray()
        self.changes = []

    def sync(self, before):
        """Makes safe what was done before an entry."""
        for entry, offset, what in self.changes:
            if entry < before:
                File.apply(self.synced, offset, what)
        self.changes = [change for change in self.changes if change[0] >= before]

    @staticmethod
    def apply(content, offset, what):
        if offset is None:
            del content[what:]
            content.extend(bytes(what - len(content)))
        else:
            content.extend(bytes(max(0, offset - len(content))))
            content[offset:offset + len(what)] = what

    def rebuilt(self, arrives):
        content = bytearray(self.synced)
        for _, offset, what in self.changes:
            if offset is None:
                if arrives():
                    File.apply(content, None, what)
                continue
            end = offset + len(what)
            # The length may have arrived without the bytes.
            if end > len(content) and arrives():
                content.extend(bytes(end - len(content)))
            at = offset
            while at < end:
                stop = min(end, (at // SECTOR + 1) * SECTOR)
                if arrives():
                    File.apply(content, at, what[at - offset:stop - offset])
                at = stop
        return content


class Rename:
    """One change of names: what each of them leads to afterwards, None for nothing. It arrives as a whole."""

    def __init__(self, entry, effects):
        self.entry = entry
        self.effects = effects


class Folder:
    """The names that were synced, those there are, and the changes in between."""

    def __init__(self):
        self.synced = {}
        self.names = {}
        self.changes = []

    def sync(self, before):
        """Makes the names safe that were changed before an entry."""
        for change in [change for change in self.changes if change.entry < before]:
            for folder, name, node in change.effects:
                put(folder.synced, name, node)
                if change in folder.changes:
                    folder.changes.remove(change)


def put(names, name, node):
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


class Disk:
    """Follows a journal; `entry` counts what it has taken in."""

    def __init__(self, root):
        self.root = os.fspath(root)
        self.top = Folder()
        self.files = {}
        self.syncs = {}
        self.entry = 0

    @classmethod
    def found(cls, root):
        """A disk on which all that is there now is safe."""
        disk = cls(root)

        def look(path, folder):
            with os.scandir(path) as found:
                for entry in found:
                    if entry.is_dir():
                        node = Folder()
                        look(entry.path, node)
                    else:
                        node = disk.files[entry.inode()] = File()
                        with open(entry.path, "rb") as file:
                            node.synced.extend(file.read())
                    folder.names[entry.name] = folder.synced[entry.name] = node

        look(disk.root, disk.top)
        return disk

    def mkdir_synced(self, path):
        """A folder that was there before everything."""
        folder = self.top
        for name in path.split("/"):
            folder.names[name] = folder.synced.setdefault(name, Folder())
            folder = folder.names[name]

    def _find(self, path):
        """The folder a path lies in, and its name there."""
        folder = self.top
        *parents, name = path[len(self.root) + 1:].rstrip("/").split("/")
        for parent in parents:
            folder = folder.names[parent]
        return folder, name

    def _node(self, path):
        if path.rstrip("/") == self.root:
            return self.top
        folder, name = self._find(path)
        return folder.names[name]

    def _change(self, *effects):
        change = Rename(self.entry, effects)
        for folder, name, node in effects:
            put(folder.names, name, node)
            if change not in folder.changes:
                folder.changes.append(change)

    def take(self, kind, a, b, c, first, second):
        path = first.decode("utf-8", "surrogateescape") if kind in b"OMRUNLs" else ""
        if kind == b"O":
            folder, name = self._find(path)
            if b:
                self.files[a] = File()
                self._change((folder, name, self.files[a]))
        elif kind == b"W":
            self.files[a].changes.append((self.entry, b, first))
        elif kind == b"T":
            self.files[a].changes.append((self.entry, None, b))
        elif kind == b"s":
            self.syncs[a] = (self.entry, [self._node(path) if b else self.files[c]])
        elif kind == b"g":
            self.syncs[a] = (self.entry, list(self.files.values()) + list(self._folders(self.top)))
        elif kind == b"S":
            before, nodes = self.syncs.pop(a)
            for node in nodes:
                node.sync(before)
        elif kind == b"M":
            self._change((*self._find(path), Folder()))
        elif kind in b"RU":
            self._change((*self._find(path), None))
        elif kind in b"NL":
            node = self._node(path)
            to = (*self._find(second.decode("utf-8", "surrogateescape")), node)
            self._change(*([(*self._find(path), None)] if kind == b"N" else []), to)
        self.entry += 1

    def _folders(self, folder):
        yield folder
        for node in folder.names.values():
            if isinstance(node, Folder):
                yield from self._folders(node)

    def rebuild(self, target, chance, bytes_arrive, names_arrive):
        """Writes a disk as it may be after a power loss now. The two give how likely it is that a change that was not
        synced has arrived: 0 none, 1 all."""
        arrived = {}

        def names_of(folder):
            names = dict(folder.synced)
            for change in folder.changes:
                if arrived.setdefault(change, chance.random() < names_arrive):
                    for place, name, node in change.effects:
                        if place is folder:
                            put(names, name, node)
            return names

        def write(folder, path):
            os.mkdir(path, 0o700)
            for name, node in names_of(folder).items():
                place = os.path.join(path, name)
                if isinstance(node, Folder):
                    write(node, place)
                elif not name.endswith("-shm"):
                    with open(place, "wb") as file:
                        file.write(node.rebuilt(lambda: chance.random() < bytes_arrive))

        write(self.top, target)


def entries(path):
    """The entries of a journal, and the number of the byte at which each ends."""
    with open(path, "rb") as file:
        journal = file.read()
    at = 0
    while at + HEAD.size <= len(journal):
        kind, a, b, c, n, m = HEAD.unpack_from(journal, at)
        at += HEAD.size
        if at + n + m > len(journal):
            # The daemon was killed while it wrote this.
            return
        yield (kind, a, b, c, journal[at:at + n], journal[at + n:at + n + m]), at + n + m
        at += n + m


def tree(path):
    """Every file of a folder with its content, and every folder, for comparing two."""
    found = {}
    for place, _, names in os.walk(path):
        found[os.path.relpath(place, path)] = None
        for name in names:
            if not name.endswith("-shm"):
                with open(os.path.join(place, name), "rb") as file:
                    found[os.path.relpath(os.path.join(place, name), path)] = file.read()
    return found
