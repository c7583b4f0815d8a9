"""The documentation leads where it says, names what there is, and reads well."""

import json
import re
import shlex
import statistics
import unittest

import jsonschema

from documents import read_schema
from pages import AVOIDED, MOST_WORDS, ROOT, all_pages, new_pages, words

#: What people come with, each to be found from the README by one link or two.
TASKS = {
    "ask an hour after": "docs/guides/ask-after-an-event.md",
    "who answered": "docs/guides/results.md",
    "delete a person's data": "docs/guides/person.md",
    "forward logs": "docs/guides/send.md",
    "why was it not shown": "docs/guides/why-not-shown.md",
}


def plain(text):
    """JSON of JSON with comments and trailing commas."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda found: found.group(1) or "", text)
    return re.sub(r",(\s*[}\]])", r"\1", text)


def commands():
    """Of each command of hark: its options, as the manual has them."""
    found = {}
    for section in (ROOT / "packaging/man/hark.1").read_text().split("\n.Ss ")[1:]:
        name, text = section.split("\n", 1)
        options = re.findall(r"\bFl (-?[\w-]+)", " ".join(re.findall(r"^\.It (Fl .*)", text.split("\n.Sh ")[0], re.M)))
        parts = name.split()
        for count in range(2, len(parts) + 1):
            found.setdefault(" ".join(parts[:count]), {"--help", "-h"})
        found[name].update("-" + option for option in options)
    return found


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = all_pages()
        cls.anchors = {page.path: page.anchors for page in cls.pages}

    def test_every_link_leads_somewhere(self):
        for page in self.pages:
            for number, place, anchor in page.links:
                with self.subTest(f"{page.name}:{number}"):
                    self.assertTrue(place.exists(), f"there is no {place}")
                    if anchor:
                        self.assertIn(anchor, self.anchors[place], f"{place.name} has no such heading")

    def test_every_page_is_two_links_from_the_readme(self):
        by_path = {page.path: page for page in self.pages}
        near = {ROOT / "README.md"}
        steps = [set(near)]
        for _ in range(2):
            near = {place for path in near if path in by_path for _, place, _ in by_path[path].links} | near
            steps.append(near)
        self.assertEqual([page.name for page in self.pages if page.path not in near], ["CHANGELOG.md"])
        for task, name in TASKS.items():
            self.assertIn(ROOT / name, steps[1], task)

    def test_every_command_and_option_exists(self):
        known = commands()
        self.assertGreater(len(known), 60)
        seen = set()
        for page in self.pages:
            # The changelog also tells of what there was.
            if page.name == "CHANGELOG.md":
                continue
            lines = [(number, line) for language, number, text in page.code if language in ("sh", "console", "crontab")
                     for line in text.replace("\\\n", " ").split("\n") if language != "console" or line.startswith("$ ")]
            lines += [(number, code) for number, line in page.prose for code in re.findall(r"`(hark [^`]*)`", line)]
            for number, line in lines:
                # What stands in quotes is a value, and so is what another program prints.
                line = re.sub(r"\$\((?!hark)[^)]*\)", "x", re.sub(r"'[^']*'|\"[^\"]*\"", "x", line))
                for found in re.finditer(r"(?:^|[$(|;&`] ?|\s)hark ((?:[a-z]+ ?)+)([^|;&)]*)", line):
                    parts = found.group(1).split()
                    name = "hark"
                    while parts and f"{name} {parts[0]}" in known:
                        name += f" {parts.pop(0)}"
                    with self.subTest(f"{page.name}:{number}: {line}"):
                        self.assertNotEqual(name, "hark")
                        seen.add(name)
                        rest = (found.group(2) + " ").split(" -- ")[0]
                        options = set(re.findall(r"(?<=\s)(--[a-z][\w-]*)", " " + rest))
                        self.assertEqual(options - known[name], set())
        self.assertGreater(len(seen), 50)

    def test_every_document_is_a_right_one(self):
        schemas = {"surveys": read_schema("survey.schema.json"), "forms": read_schema("forms.schema.json")}
        settings = read_schema("harkd.schema.json")
        survey = {**schemas["surveys"]["$defs"]["survey"], "$defs": schemas["surveys"]["$defs"]}
        count = 0
        for page in self.pages:
            for language, number, text in page.code:
                if language not in ("json", "jsonc") or "…" in text:
                    continue
                try:
                    document = json.loads(plain(text))
                except json.JSONDecodeError:
                    # Lines of records, or a part of a list.
                    continue
                kind = next((kind for kind in schemas if isinstance(document.get(kind), list)), None)
                schema = schemas[kind] if kind else None
                if schema is None and set(document) <= set(settings["properties"]):
                    schema = settings
                if schema is None and set(document) <= set(survey["properties"]):
                    # Some members of a survey.
                    schema = {**survey, "required": []}
                    schema = {name: value for name, value in schema.items() if name not in ("anyOf", "oneOf", "allOf")}
                if schema is None:
                    continue
                with self.subTest(f"{page.name}:{number}"):
                    count += 1
                    faults = [fault.message for fault in jsonschema.Draft202012Validator(schema).iter_errors(document)]
                    self.assertEqual(faults, [])
        self.assertGreater(count, 15)

    def test_what_the_glossary_names_is_in_the_code(self):
        sources = "".join(path.read_text() for path in (ROOT / "Sources").rglob("*.swift"))
        words_of_it = re.findall(r"\| `([^`]+)` \|$", (ROOT / "docs/background/glossary.md").read_text(), re.M)
        self.assertGreater(len(words_of_it), 40)
        for word in words_of_it:
            self.assertRegex(sources, rf"\b{re.escape(word)}\b")

    def test_lines_for_the_shell_can_be_read_by_one(self):
        for page in self.pages:
            for language, number, text in page.code:
                if language == "console":
                    for line in text.split("\n"):
                        if line.startswith("$ ") and not line.endswith("\\"):
                            with self.subTest(f"{page.name}:{number}"):
                                shlex.split(line[2:], comments=True)

    def test_sentences_are_short_and_words_are_plain(self):
        counts = []
        for page in new_pages():
            for sentence in page.sentences:
                counts.append(words(sentence))
                with self.subTest(page.name):
                    self.assertLessEqual(counts[-1], MOST_WORDS, sentence)
            with self.subTest(page.name):
                self.assertEqual(AVOIDED.findall(page.text), [])
        self.assertLessEqual(statistics.median(counts), 16)


if __name__ == "__main__":
    unittest.main()
