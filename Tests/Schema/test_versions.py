"""The page of members and the versions they came with, held against the schemas of version 0.1.0 and of today."""

import json
import pathlib
import re
import unittest

from documents import ROOT, read_schema

FIRST = json.loads((pathlib.Path(__file__).parent / "members-0.1.0.json").read_text())

# Where the page says that a member is, by where the schemas have it.
PLACES = {
    "surveys": {
        "": "a file of surveys",
        "#survey": "`surveys[]`",
        "#trigger": "`surveys[].trigger`",
        "#response": "`surveys[].response`",
        "#textField": "`surveys[].response.textField`",
        "#question": "`questions[]`",
        "#options": "`questions[].options[]`",
        "#texts": "`translations.*`",
        "#texts.textField": "`translations.*.textField`",
        "#texts.questions": "`translations.*.questions.*`",
    },
    "forms": {
        "": "a file of forms",
        "#form": "`forms[]`",
        "#question": "`questions[]`",
        "#options": "`questions[].options[]`",
    },
}


def described(schema, path=""):
    """Each member and word of a schema, by its definition and the members on the way."""
    if isinstance(schema, list):
        return set().union(*(described(value, path) for value in schema))
    if not isinstance(schema, dict):
        return set()
    found = set()
    for keyword, value in schema.items():
        if keyword == "$defs":
            found |= set().union(*(described(inner, "#" + name) for name, inner in value.items()))
        elif keyword == "properties":
            for name, inner in value.items():
                found |= {f"{path}.{name}"} | described(inner, f"{path}.{name}")
        elif keyword in ("enum", "const"):
            found |= {f"{path}={word}" for word in (value if keyword == "enum" else [value])}
        elif keyword not in ("examples", "default"):
            found |= described(value, path)
    return found


def page():
    """The members of the page's table, by place."""
    found = {}
    text = (ROOT / "docs" / "reference" / "versions.md").read_text()
    for line in text[text.index("| where |") :].splitlines()[2:]:
        where, members, _, _ = (cell.strip() for cell in line.strip("|").split("|"))
        found.setdefault(where, set()).update(re.findall(r"`([^`]+)`( with objects)?", members))
    return {where: {name for name, objects in names if not objects} for where, names in found.items()}


class Versions(unittest.TestCase):
    def test_each_new_member_is_in_the_table_and_no_other(self):
        table = page()
        wanted = {where: set() for where in table}
        for kind, name in (("surveys", "survey.schema.json"), ("forms", "forms.schema.json")):
            first = set(FIRST[kind])
            kinds = {item.split(".")[0].split("=")[0] for item in first}
            new = described(read_schema(name)) - first
            for item in sorted(new):
                definition = re.split(r"[.=]", item, maxsplit=1)[0]
                # What a new member leads to comes with it.
                parents = [other for other in new if other != item and item.startswith((other + ".", other + "="))]
                # Objects in the options of a response are a line of their own.
                if definition not in kinds or parents or item.startswith("#response.options."):
                    continue
                with self.subTest(item):
                    place, member = re.fullmatch(r"(.*)\.(.*)", item).groups()
                    self.assertIn(place, PLACES[kind], "say with which version it came, in DocumentMember.all")
                    where = PLACES[kind][place]
                    wanted.setdefault(where, set()).add(member.replace("=", ": "))
        for where in sorted(wanted):
            with self.subTest(where):
                self.assertEqual(wanted[where], table.get(where, set()))


if __name__ == "__main__":
    unittest.main()
