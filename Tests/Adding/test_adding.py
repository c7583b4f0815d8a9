"""docs/adding.md is true: its files are there, its code compiles, and what it puts into the sources works."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from sources import ROOT, Targets

PAGE = ROOT / "docs" / "adding.md"
PROGRAM = pathlib.Path(__file__).parent / "added.swift"
#: What stands before a block of code.
PLACE = re.compile(r"<!-- (from|into): (.+?)(?:, (after|in place of): (.+?))? -->\n```swift\n(.*?)```\n", re.S)
#: The targets of which the program is made that tries what was added.
OF_THE_PROGRAM = ("HarkAsking", "HarkCore", "HarkStore", "HarkWire")


def place(text, how, line, block):
    """A text with a block behind a line that is there once, or in its place; with the indentation of the line."""
    lines = text.split("\n")
    found = [number for number, one in enumerate(lines) if one.strip() == line]
    assert len(found) == 1, f"there are {len(found)} lines '{line}'"
    [number] = found
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    new = textwrap.indent(block.rstrip("\n"), indent).split("\n")
    lines[number + (how == "after") : number + 1] = new
    return "\n".join(lines)


class Adding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = PAGE.read_text()
        cls.blocks = PLACE.findall(cls.text)

    def test_each_file_it_names_is_there(self):
        names = set(re.findall(r"`((?:Sources|Tests|docs|packaging|Python)/[^`… ]+)`", self.text))
        names |= {name for _, name, *_ in self.blocks}
        self.assertGreater(len(names), 40)
        for name in sorted(names):
            with self.subTest(name):
                self.assertTrue((ROOT / name).exists())

    def test_each_block_has_a_place(self):
        self.assertEqual(len(self.blocks), self.text.count("```") // 2)
        self.assertEqual({kind for kind, *_ in self.blocks}, {"from", "into"})

    def test_what_it_shows_is_what_the_tests_compile(self):
        for kind, name, _, _, block in self.blocks:
            if kind == "from":
                with self.subTest(block):
                    # Blocks begin at the margin.
                    indents = (textwrap.indent(block, " " * indent) for indent in (0, 4, 8, 12))
                    self.assertTrue(any("\n" + lines in (ROOT / name).read_text() for lines in indents), name)

    def test_a_migration_leads_to_the_next_version_of_the_store(self):
        files = (ROOT / "Sources" / "HarkStore").rglob("*.swift")
        known = {int(number) for file in files for number in re.findall(r"[\[ ](\d+): (?:Schema\.|\")", file.read_text())}
        shown = re.findall(r"^ *(\d+): \"ALTER", self.text, re.M)
        self.assertEqual(shown, [str(max(known) + 1)])

    def test_what_it_puts_into_the_sources_works(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            shutil.copytree(ROOT / "Sources", folder / "Sources")
            changed = set()
            for kind, name, how, line, block in self.blocks:
                if kind == "into":
                    file = folder / name
                    file.write_text(place(file.read_text(), how, line, block))
                    changed.add(pathlib.Path(name).parts[1])
            self.assertGreater(len(changed), 4)
            targets = Targets(folder)
            targets.make(changed, objects=OF_THE_PROGRAM)
            program = targets.program(PROGRAM, OF_THE_PROGRAM)
            shutil.copy(ROOT / "Tests/Fixtures/stores/0.1.0/hark.db", folder / "earlier.db")
            said = subprocess.run(
                [program, folder / "new.db", folder / "earlier.db"], capture_output=True, encoding="utf-8", timeout=600)
            self.assertEqual((said.returncode, said.stdout, said.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
