"""The schema of form documents, checked by a standard validator.

The Swift tests read the same documents: what is right or wrong here is right or wrong there.
"""

import json
import pathlib
import unittest

import jsonschema

from test_survey_schema import members

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "Tests" / "Fixtures" / "forms"
SAMPLE = ROOT / "packaging" / "samples" / "onboarding.json"
SCHEMAS = ROOT / "packaging" / "schema"
SCHEMA = json.loads((SCHEMAS / "forms.schema.json").read_text())


def faults(document):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))


class FormsSchema(unittest.TestCase):
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

    def test_the_sample_passes(self):
        self.assertEqual([fault.message for fault in faults(json.loads(SAMPLE.read_text()))], [])

    def test_wrong_documents_fail(self):
        for document in self.documents("refused"):
            self.assertTrue(faults(document))

    def test_what_only_the_reader_can_see_passes(self):
        for document in self.documents("refused-by-reader"):
            self.assertEqual(faults(document), [])

    def test_an_unknown_member_is_pointed_out_to_editors(self):
        for path in (
            [],
            ["forms", 0],
            ["forms", 0, "questions", 0],
            ["profile"],
            ["profile", "values", "sessionMinutes"],
        ):
            with self.subTest(path=path):
                document = json.loads(SAMPLE.read_text())
                place = document
                for step in path:
                    place = place[step]
                place["colour"] = "red"
                self.assertTrue(faults(document))

    def test_questions_are_those_of_surveys(self):
        surveys = json.loads((SCHEMAS / "survey.schema.json").read_text())["$defs"]
        for name in ("name", "choices", "characters", "question", "primitive", "matcher"):
            self.assertEqual(SCHEMA["$defs"][name], surveys[name])

    def test_everything_that_is_described_is_read(self):
        """Every member the schema knows stands as a word in the reader's sources."""
        sources = "".join(
            path.read_text()
            for folder in ("Forms", "Profiles", "Questions", "Matching")
            for path in (ROOT / "Sources" / "HarkCore" / folder).glob("*Reading.swift")
        )
        for name in members(SCHEMA):
            self.assertTrue(f'"{name}"' in sources, f"nothing reads '{name}'")


if __name__ == "__main__":
    unittest.main()
