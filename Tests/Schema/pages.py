"""The pages of the documentation, as their readers have them: headings, links, code and sentences.

`pages.py [FILE …]` prints how long sentences are, and those that are too long."""

import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A page of measurements, and one that is printed from code.
OLD = {"docs/performance.md", "docs/protocol.md"}
MOST_WORDS = 40
# A private language that nobody else speaks.
AVOIDED = re.compile(r"\b(whoever|whatever|of which|so many|beside)\b", re.IGNORECASE)


def code_of(line):
    """The text of a line of Markdown without its markup."""
    line = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"[*_`]", "", line)


class Page:
    """A file of Markdown."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = str(self.path.relative_to(ROOT))
        self.text = self.path.read_text()
        self.prose, self.code = [], []
        block = None
        for number, line in enumerate(self.text.split("\n"), 1):
            fence = re.match(r"\s*```(\w*)\s*$", line)
            if fence and block is None:
                block = (fence.group(1), number, [])
            elif fence:
                self.code.append((block[0], block[1], "\n".join(block[2])))
                block = None
            elif block is not None:
                block[2].append(line)
            else:
                self.prose.append((number, line))
        assert block is None, f"{self.name}:{block and block[1]}: code without an end"

    @property
    def anchors(self):
        """What a link may name behind its `#`, as GitHub makes it of headings."""
        found = {}
        for _, line in self.prose:
            heading = re.match(r"#+ (.*)", line)
            if heading:
                slug = re.sub(r"[^\w\- ]", "", code_of(heading.group(1)).strip().lower()).replace(" ", "-")
                count = found.get(slug, 0)
                found[slug] = count + 1
                if count:
                    found[f"{slug}-{count}"] = 1
        return set(found)

    @property
    def links(self):
        """Of each link to a file or a heading: its line, the path from the top, and the heading."""
        for number, line in self.prose:
            line = re.sub(r"`[^`]*`", lambda code: "`" if "](" in code.group(0) else code.group(0), line)
            for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", line):
                target = target[0] or target[1]
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                place = (self.path.parent / path).resolve() if path else self.path
                yield number, place, anchor

    @property
    def sentences(self):
        """Sentences of prose and lists; tables, headings and what introduces code are none."""
        text = []
        for _, line in self.prose:
            item = re.match(r"\s*([-*]|\d+\.) (.*)", line)
            if not line.strip() or re.match(r"\s*(\||#|<|!\[)", line):
                text.append("\n")
            else:
                text.append("\n" + item.group(2) if item else line.strip())
        for paragraph in re.split(r"\n\s*", " ".join(text)):
            paragraph = re.sub(r"`[^`]*`", "x", re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", paragraph)).strip()
            yield from (one for one in re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ*`\"x])", paragraph) if one)


def words(sentence):
    return len(re.findall(r"[\w'’.-]*\w[\w'’.-]*", sentence))


def all_pages():
    paths = [ROOT / "README.md", ROOT / "Python/README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    return [Page(path) for path in paths + sorted((ROOT / "docs").rglob("*.md"))]


def new_pages():
    """Pages of docs and the README, but for those of before."""
    return [page for page in all_pages()
            if page.name not in OLD and (page.name == "README.md" or page.name.startswith("docs/"))]


if __name__ == "__main__":
    pages = [Page(pathlib.Path(name).resolve()) for name in sys.argv[1:]] or new_pages()
    found = [(words(sentence), page.name, sentence) for page in pages for sentence in page.sentences]
    counts = [count for count, _, _ in found]
    print(f"{len(pages)} pages, {len(found)} sentences, median {statistics.median(counts):g} words, "
          f"{sum(count > 30 for count in counts)} over 30, {sum(count > MOST_WORDS for count in counts)} over {MOST_WORDS}; "
          f"{sum(len(AVOIDED.findall(page.text)) for page in pages)} words of a private language")
    for count, name, sentence in sorted(found, reverse=True):
        if count > 30:
            print(f"{count:3} {name}: {sentence}")
