"""The schema of survey documents, checked by a standard validator.

The Swift tests read the same documents: what is right or wrong here is right or wrong there.
"""

import json
import pathlib
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "Tests" / "Fixtures" / "surveys"
SCHEMA = json.loads((ROOT / "packaging" / "schema" / "survey.schema.json").read_text())


def faults(document):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))


class SurveySchema(unittest.TestCase):
    def documents(self, folder="."):
        found = sorted((DOCUMENTS / folder).glob("*.json"))
        self.assertTrue(found)
        for path in found:
            with self.subTest(path.name):
                yield json.loads(path.read_text())

    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_right_documents_pass(self):
        for document in self.documents():
            self.assertEqual([fault.message for fault in faults(document)], [])

    def test_wrong_documents_fail(self):
        for document in self.documents("refused"):
            self.assertTrue(faults(document))

    def test_what_only_the_reader_can_see_passes(self):
        for document in self.documents("refused-by-reader"):
            self.assertEqual(faults(document), [])

    def test_an_unknown_member_is_pointed_out_to_editors(self):
        for path in (
            [],
            ["surveys", 0],
            ["surveys", 0, "response"],
            ["surveys", 0, "response", "textField"],
            ["surveys", 0, "trigger"],
            ["surveys", 0, "trigger", "event"],
            ["surveys", 0, "notification"],
        ):
            with self.subTest(path=path):
                document = json.loads((DOCUMENTS / "visit.json").read_text())
                place = document
                for step in path:
                    place = place[step]
                place["colour"] = "red"
                self.assertTrue(faults(document))

    def test_an_unknown_member_of_a_question_is_pointed_out(self):
        document = json.loads((DOCUMENTS / "extended.json").read_text())
        for question in document["surveys"][0]["questions"]:
            with self.subTest(question["id"]):
                question["colour"] = "red"
                self.assertTrue(faults(document))
                del question["colour"]
        self.assertEqual(faults(document), [])

    def test_everything_that_is_described_is_read(self):
        """Every member the schema knows stands as a word in the reader's sources."""
        sources = "".join(
            path.read_text()
            for folder in ("Surveys", "Questions", "Matching")
            for path in (ROOT / "Sources" / "HarkCore" / folder).glob("*Reading.swift")
        )
        for name in members(SCHEMA):
            self.assertTrue(f'"{name}"' in sources, f"nothing reads '{name}'")


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


if __name__ == "__main__":
    unittest.main()
