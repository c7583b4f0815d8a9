"""What the tests of schemas for documents have in common."""

import json
import pathlib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_schema(name):
    return json.loads((ROOT / "packaging" / "schema" / name).read_text())


def members(schema):
    """The names of all members that a schema and the schemas inside it describe."""
    if isinstance(schema, list):
        return set().union(*map(members, schema))
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", {}))
    for keyword, value in schema.items():
        by_name = keyword in ("properties", "$defs", "dependentSchemas")
        found |= members(list(value.values()) if by_name else value)
    return found


class DocumentSchema:
    """The tests of a schema; the Swift tests read the same documents with the daemon's own reader."""

    schema = None
    """The folder of the documents."""
    folder = None
    """The folders of the sources that read them."""
    readers = ()
    """A right document, and the places in it that must not have a member of another name."""
    sample = None
    places = ()

    def faults(self, document):
        return [fault.message for fault in jsonschema.Draft202012Validator(self.schema).iter_errors(document)]

    def documents(self, folder="."):
        found = sorted((self.folder / folder).glob("*.json"))
        self.assertTrue(found)
        for path in found:
            with self.subTest(path.name):
                yield json.loads(path.read_text())

    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_right_documents_pass(self):
        for document in self.documents():
            self.assertEqual(self.faults(document), [])

    def test_the_sample_passes(self):
        self.assertEqual(self.faults(json.loads(self.sample.read_text())), [])

    def test_wrong_documents_fail(self):
        for document in self.documents("refused"):
            self.assertTrue(self.faults(document))

    def test_what_only_the_reader_can_see_passes(self):
        for document in self.documents("refused-by-reader"):
            self.assertEqual(self.faults(document), [])

    def test_an_unknown_member_is_pointed_out_to_editors(self):
        for path in self.places:
            with self.subTest(path=path):
                document = json.loads(self.sample.read_text())
                place = document
                for step in path:
                    place = place[step]
                place["colour"] = "red"
                self.assertTrue(self.faults(document))

    def test_everything_that_is_described_is_read(self):
        """Every member the schema knows stands as a word in the reader's sources."""
        sources = "".join(
            path.read_text()
            for folder in self.readers
            for path in (ROOT / "Sources" / "HarkCore" / folder).glob("*Reading.swift")
        )
        for name in members(self.schema):
            self.assertTrue(f'"{name}"' in sources, f"nothing reads '{name}'")
