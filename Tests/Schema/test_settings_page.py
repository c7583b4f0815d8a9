"""harkd.json(5) tells every setting that there is, and is what `make docs` makes of docs/reference/settings.md."""

import json
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "packaging" / "man" / "harkd.json.5"


class SettingsPage(unittest.TestCase):
    def test_it_is_made_of_the_documentation(self):
        made = subprocess.run([ROOT / "packaging" / "settings-page"], check=True, capture_output=True, encoding="utf-8").stdout
        self.assertEqual(PAGE.read_text(), made, "run 'make docs'")

    def test_every_setting_is_told(self):
        told = set(re.findall(r"^\.It Cm (.*)$", PAGE.read_text(), re.MULTILINE))
        schema = json.loads((ROOT / "packaging" / "schema" / "harkd.schema.json").read_text())
        settings = set(schema["properties"]) - {"$schema"}
        self.assertGreater(len(settings), 10)
        self.assertEqual(settings - {name.partition(".")[0] for name in told}, set())
        self.assertLessEqual({f"limits.{name}" for name in schema["properties"]["limits"]["properties"]}, told)

    def test_a_manual_reader_finds_no_fault(self):
        said = subprocess.run(
            ["groff", "-mdoc", "-Tutf8", "-ww", "-z", PAGE], capture_output=True, encoding="utf-8")
        self.assertEqual((said.returncode, said.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
