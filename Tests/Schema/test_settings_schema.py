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

    def test_a_fleet_has_machines_and_a_hub(self):
        fleet = {"broker": "mqtt://b:1883", "name": "shop"}
        for right in (
            {}, {"machine": "kiosk-1", "group": "north", "kinds": ["form"], "batchBytes": 4096, "where": "ok = true"},
            {"broker": "mqtts://[::1]/", "role": "hub", "shards": 2, "serves": [0, 1], "followClears": True},
            {"userName": "a", "passwordFile": "b", "caFile": "c", "certificateFile": "d", "keyFile": "e"},
        ):
            self.assertTrue(is_valid({"fleet": {**fleet, **right}}), right)
        self.assertTrue(is_valid({"fleet": None}))
        for wrong in (
            {"broker": "mqtt://ada:secret@b"}, {"broker": "mqtt://b/shop"}, {"broker": "http://b"}, {"name": "a.b"},
            {"serves": [0]}, {"role": "hub", "machine": "a"}, {"role": "hub", "serves": []}, {"shards": 0}, {"role": "spy"},
            {"keyFile": "a"}, {"passwordFile": "a", "passwordEnv": "b"}, {"machines": "a"}, {"ackTimeoutSeconds": 0},
        ):
            self.assertFalse(is_valid({"fleet": {**fleet, **wrong}}), wrong)
        self.assertFalse(is_valid({"fleet": {"name": "shop"}}))

    def test_an_unknown_setting_is_pointed_out_to_editors(self):
        self.assertFalse(is_valid({"archives": True}))
        self.assertFalse(is_valid({"limits": {"lines": 1}}))
