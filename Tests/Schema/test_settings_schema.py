"""The schema of harkd.json, checked by a standard validator over the documents that the daemon's own reader is tested with."""

import json
import pathlib
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "Tests" / "Fixtures" / "settings"
SCHEMA = json.loads((ROOT / "packaging" / "schema" / "harkd.schema.json").read_text())


def is_valid(document):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


class SettingsSchema(unittest.TestCase):
    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_right_settings_pass_and_wrong_ones_fail(self):
        for folder, expected in ((".", True), ("refused", False)):
            found = sorted((DOCUMENTS / folder).glob("*.json"))
            self.assertTrue(found)
            for path in found:
                with self.subTest(path.name):
                    self.assertEqual(is_valid(json.loads(path.read_text())), expected)

    def test_an_unknown_setting_is_pointed_out_to_editors(self):
        self.assertFalse(is_valid({"archives": True}))
        self.assertFalse(is_valid({"limits": {"lines": 1}}))
