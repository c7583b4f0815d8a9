"""The schema of survey documents, checked by a standard validator."""

import json
import unittest

from documents import ROOT, DocumentSchema, read_schema

DOCUMENTS = ROOT / "Tests" / "Fixtures" / "surveys"


class SurveySchema(DocumentSchema, unittest.TestCase):
    schema = read_schema("survey.schema.json")
    folder = DOCUMENTS
    readers = ("Surveys", "People", "Questions", "Matching", "Sampling", "Pacing", "Variants")
    sample = DOCUMENTS / "visit.json"
    places = (
        [],
        ["surveys", 0],
        ["surveys", 0, "response"],
        ["surveys", 0, "response", "textField"],
        ["surveys", 0, "trigger"],
        ["surveys", 0, "trigger", "event"],
        ["surveys", 0, "notification"],
    )

    def test_an_unknown_member_of_a_question_is_pointed_out(self):
        document = json.loads((DOCUMENTS / "extended.json").read_text())
        for question in document["surveys"][0]["questions"]:
            with self.subTest(question["id"]):
                question["colour"] = "red"
                self.assertTrue(self.faults(document))
                del question["colour"]
        self.assertEqual(self.faults(document), [])


if __name__ == "__main__":
    unittest.main()
