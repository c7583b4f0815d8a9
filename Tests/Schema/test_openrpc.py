"""The OpenRPC document, checked by a standard validator; and each example of the protocol by the schemas it gives."""

import datetime
import json
import unittest
import uuid

import jsonschema

from documents import ROOT, read_schema

DOCUMENT = read_schema("openrpc.json")
META = json.loads((ROOT / "Tests" / "Fixtures" / "openrpc" / "document.schema.json").read_text())


def strict(schema):
    """A schema that takes no member that it does not name; those for clients do, as later versions may have more."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    by_name = schema.get("properties", {})
    copy = {key: strict(value) for key, value in schema.items() if key != "properties"}
    if by_name:
        copy["properties"] = {name: strict(value) for name, value in by_name.items()}
        copy["additionalProperties"] = False
    return copy


SCHEMAS = {name: strict(schema) for name, schema in DOCUMENT["components"]["schemas"].items()}


FORMATS = jsonschema.FormatChecker(())
FORMATS.checks("uuid", ValueError)(lambda text: not isinstance(text, str) or uuid.UUID(text))
FORMATS.checks("date-time", ValueError)(
    lambda text: not isinstance(text, str) or datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
)


def faults(schema, value):
    whole = {"allOf": [strict(schema)], "components": {"schemas": SCHEMAS}}
    return [fault.message for fault in jsonschema.Draft7Validator(whole, format_checker=FORMATS).iter_errors(value)]


def schemas(value):
    """All schemas in the document."""
    if isinstance(value, list):
        for each in value:
            yield from schemas(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key == "schema":
                yield each
            elif key != "examples":
                yield from schemas(each)


class OpenRPC(unittest.TestCase):
    def methods(self):
        for method in DOCUMENT["methods"]:
            with self.subTest(method["name"]):
                yield method

    def meta_faults(self, document):
        return [fault.message for fault in jsonschema.Draft7Validator(META).iter_errors(document)]

    def test_it_is_an_openrpc_document(self):
        jsonschema.Draft7Validator.check_schema(META)
        self.assertEqual(self.meta_faults(DOCUMENT), [])

    def test_what_is_no_openrpc_document_is_found(self):
        for spoil in (
            lambda document: document.pop("info"),
            lambda document: document.update(openrpc="1"),
            lambda document: document["methods"][0].pop("params"),
            lambda document: document["methods"][0]["params"].append({"name": "x"}),
            lambda document: document["methods"][0].update(colour="red"),
            lambda document: document["methods"][0].update(paramStructure="by-heart"),
            lambda document: document["components"]["errors"].update(conflict={"code": "-1", "message": ""}),
        ):
            document = json.loads(json.dumps(DOCUMENT))
            spoil(document)
            self.assertTrue(self.meta_faults(document))

    def test_each_schema_is_one(self):
        for schema in [*schemas(DOCUMENT), *DOCUMENT["components"]["schemas"].values()]:
            jsonschema.Draft7Validator.check_schema(schema)

    def test_each_reference_leads_somewhere(self):
        text = json.dumps(DOCUMENT)
        named = {part.split('"', 1)[0] for part in text.split('"#/components/schemas/')[1:]}
        self.assertEqual(named, set(SCHEMAS))

    def test_names_and_codes_are_there_once(self):
        names = [method["name"] for method in DOCUMENT["methods"]]
        self.assertEqual(len(names), len(set(names)))
        for method in self.methods():
            params = [param["name"] for param in method["params"]]
            self.assertEqual(len(params), len(set(params)))
            codes = [error["code"] for error in method.get("errors", [])]
            self.assertEqual(len(codes), len(set(codes)))

    def test_required_parameters_come_first(self):
        for method in self.methods():
            required = [param["required"] for param in method["params"]]
            self.assertEqual(required, sorted(required, reverse=True))

    def test_examples_are_what_the_schemas_say(self):
        for method in self.methods():
            self.assertTrue(method["examples"])
            declared = {param["name"]: param for param in method["params"]}
            for example in method["examples"]:
                given = {param["name"]: param["value"] for param in example["params"]}
                self.assertLessEqual({name for name, param in declared.items() if param["required"]}, set(given))
                for name, value in given.items():
                    self.assertEqual(faults(declared[name]["schema"], value), [], name)
                self.assertEqual(faults(method["result"]["schema"], example["result"]["value"]), [])

    def test_formats_are_looked_at(self):
        self.assertTrue(faults({"type": "string", "format": "uuid"}, "no"))
        self.assertTrue(faults({"type": "string", "format": "date-time"}, "no"))

    def test_a_reply_that_lacks_a_member_is_found(self):
        """Each member that has to be there is asked for, and each is of a type."""
        for method in self.methods():
            schema = method["result"]["schema"]
            for example in method["examples"]:
                for name in schema.get("required", []):
                    less = {key: value for key, value in example["result"]["value"].items() if key != name}
                    self.assertTrue(faults(schema, less), name)
                self.assertTrue(faults(schema, {**example["result"]["value"], "colour": "red"}))


if __name__ == "__main__":
    unittest.main()
