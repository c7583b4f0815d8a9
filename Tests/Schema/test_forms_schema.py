"""The schema of form documents, checked by a standard validator."""

import unittest

from documents import ROOT, DocumentSchema, read_schema


class FormsSchema(DocumentSchema, unittest.TestCase):
    schema = read_schema("forms.schema.json")
    folder = ROOT / "Tests" / "Fixtures" / "forms"
    readers = ("Forms", "Profiles", "Questions", "Matching", "Servers")
    sample = ROOT / "packaging" / "samples" / "onboarding.json"
    places = (
        [],
        ["forms", 0],
        ["forms", 0, "questions", 0],
        ["profile"],
        ["profile", "values", "sessionMinutes"],
    )

    def test_questions_are_those_of_surveys(self):
        surveys = read_schema("survey.schema.json")["$defs"]
        for name in ("name", "choices", "options", "characters", "question", "primitive", "matcher"):
            self.assertEqual(self.schema["$defs"][name], surveys[name])


if __name__ == "__main__":
    unittest.main()
