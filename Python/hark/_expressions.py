"""Conditions of XLSForm and of REDCap, as far as they compare answers with values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, FrozenSet, Iterator, Tuple, Union

from ._sheets import shown

_MOST_CHARACTERS, _MOST_DEPTH = 10_000, 40

#: An answer while conditions are weighed: the code of a choice or a text, a number, the codes of several choices; None: no answer.
Given = Union[str, int, float, FrozenSet[str], None]

#: A text that none of the conditions names.
OTHER = "\0"


class Unsupported(Exception):
    """What a condition has that cannot be weighed; the message says what."""


@dataclass(frozen=True)
class Test:
    """A comparison of one answer with one value."""

    name: str
    op: str
    value: str
    #: Whether the value was written as a number, so that 1 equals 1.0.
    is_number: bool = False

    def holds(self, given: Given) -> bool:
        if self.op == "selected":
            return self.value in given if isinstance(given, frozenset) else given is not None and self._equals(str(given))
        if isinstance(given, frozenset):
            if self.value == "" and self.op in ("=", "!="):
                return self.op == "!="
            raise Unsupported(f"it compares all choices of '{shown(self.name)}' at once")
        text = "" if given is None else str(given)
        if self.op in ("=", "!="):
            return self._equals(text) == (self.op == "=")
        if given == OTHER:
            raise Unsupported(f"it compares '{shown(self.name)}', which is asked as text, as a number")
        mine, other = _number(text), _number(self.value)
        if mine is None or other is None:
            return False
        return {"<": mine < other, "<=": mine <= other, ">": mine > other, ">=": mine >= other}[self.op]

    def _equals(self, text: str) -> bool:
        if text == self.value:
            return True
        mine, other = _number(text), _number(self.value)
        return self.is_number and mine is not None and mine == other


@dataclass(frozen=True)
class Condition:
    """Tests that are joined; `op` is and, or, not, true, false, or unreadable."""

    op: str
    parts: Tuple[Union["Condition", Test], ...] = ()
    #: Why it is unreadable.
    why: str = ""

    def holds(self, holds: Callable[[Test], bool]) -> bool:
        if self.op in ("true", "false"):
            return self.op == "true"
        values = (part.holds(holds) if isinstance(part, Condition) else holds(part) for part in self.parts)
        if self.op == "not":
            return not next(values)
        return all(values) if self.op == "and" else any(values)

    def problem(self) -> str:
        """Why it cannot be read, or ""."""
        return self.why or next(filter(None, (part.problem() for part in self.parts if isinstance(part, Condition))), "")

    def tests(self) -> Iterator[Test]:
        for part in self.parts:
            if isinstance(part, Condition):
                yield from part.tests()
            else:
                yield part


def unanswered(condition: Condition | None, name: str) -> Condition | None:
    """A condition where the question of a name has no answer, as it is never asked."""
    if condition is None:
        return None
    parts: list[Condition | Test] = []
    for part in condition.parts:
        if isinstance(part, Condition):
            parts.append(unanswered(part, name) or part)
        elif part.name == name:
            parts.append(Condition("true" if part.holds(None) else "false"))
        else:
            parts.append(part)
    return Condition(condition.op, tuple(parts), condition.why)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", text.strip()) else None


_TOKEN = re.compile(
    r"""\s*(?:(?P<question>\$\{[^}]*\}|\[[^\]]*\])|(?P<text>'[^']*'|"[^"]*")|(?P<number>-?[0-9]+(?:\.[0-9]+)?)"""
    r"""|(?P<name>[^\W\d][\w.-]*)|(?P<sign><=|>=|!=|<>|[=<>(),]))""")
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " "})


def parse(text: str) -> Condition | None:
    """The condition of a text, which is unreadable if it is more than comparisons of answers with values; None if it is empty."""
    if not text:
        return None
    if len(text) > _MOST_CHARACTERS:
        return Condition("unreadable", why=f"it has more than {_MOST_CHARACTERS} characters")
    try:
        return _Parser(text.translate(_CURLY)).whole()
    except Unsupported as problem:
        return Condition("unreadable", why=str(problem))


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._place = self._depth = 0
        at = 0
        text = text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found or not found.lastgroup:
                raise Unsupported(f"'{shown(text[at:].strip(), 20)}' is not understood")
            self._tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()

    def whole(self) -> Condition:
        condition = self._either()
        if self._place < len(self._tokens):
            raise Unsupported(f"'{shown(self._peek()[1], 20)}' is not understood")
        return condition

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "its end")

    def _take(self, kind: str = "", word: str = "") -> str:
        found, text = self._peek()
        if (kind and found != kind) or (word and text != word):
            raise Unsupported(f"'{shown(text, 20)}' is not understood")
        self._place += 1
        return text

    def _joined(self, word: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._peek()[0] == "name" and self._peek()[1].lower() == word:
            self._place += 1
            parts.append(part())
        return parts[0] if len(parts) == 1 else Condition(word, tuple(parts))

    def _either(self) -> Condition:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise Unsupported("its brackets are nested too deep")
        condition = self._joined("or", lambda: self._joined("and", self._one))
        self._depth -= 1
        return condition

    def _one(self) -> Condition:
        kind, text = self._peek()
        if text == "(":
            self._place += 1
            condition = self._either()
            self._take(word=")")
            return condition
        if kind == "name":
            return self._function(self._take().lower())
        return self._comparison()

    def _function(self, name: str) -> Condition:
        if name in ("true", "false", "not", "selected"):
            self._take(word="(")
            if name == "not":
                condition = Condition("not", (self._either(),))
            elif name == "selected":
                question = self._question()
                self._take(word=",")
                condition = Condition("and", (Test(question, "selected", self._literal()[0]),))
            else:
                condition = Condition(name)
            self._take(word=")")
            return condition
        raise Unsupported(f"'{shown(name, 30)}' cannot be expressed")

    def _comparison(self) -> Condition:
        swapped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        if self._peek()[0] == "question":
            question = self._question()
            op = self._op()
            value, is_number = self._literal()
        else:
            value, is_number = self._literal()
            op = self._op()
            op = swapped.get(op, op)
            question = self._question()
        # [tried(2)] is the box of the choice 2, which is 1 where it is ticked and 0 where it is not.
        box = re.fullmatch(r"(.+)\((.+)\)", question)
        if not box:
            return Condition("and", (Test(question, op, value, is_number),))
        if value not in ("0", "1") or op not in ("=", "!="):
            raise Unsupported(f"a box is compared with '{shown(value, 20)}' and not with 0 or 1")
        ticked = Condition("and", (Test(box.group(1).strip(), "selected", box.group(2).strip()),))
        return ticked if (value == "1") == (op == "=") else Condition("not", (ticked,))

    def _op(self) -> str:
        op = self._take("sign")
        if op in "(),":
            raise Unsupported(f"'{op}' is not understood")
        return "!=" if op == "<>" else op

    def _question(self) -> str:
        text = self._take("question")
        if self._peek()[0] == "question":
            raise Unsupported("it looks at an answer of another event or form")
        name = text[2:-1] if text.startswith("$") else text[1:-1]
        if not text.startswith("["):
            return name.strip()
        # Names of REDCap are in small letters; the codes of boxes are as they are written.
        name, bracket, code = name.partition("(")
        return name.strip().lower() + bracket + code.strip()

    def _literal(self) -> tuple[str, bool]:
        kind, text = self._peek()
        if kind == "question":
            raise Unsupported("it compares two answers with each other")
        self._place += 1
        if kind == "number":
            return text, True
        if kind == "text":
            return text[1:-1], False
        raise Unsupported(f"'{shown(text, 20)}' is not understood")
