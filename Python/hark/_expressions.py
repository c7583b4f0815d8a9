"""Conditions of XLSForm and of REDCap: comparisons of answers with values, joined by and, or and not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Tuple, Union

from ._sheets import Place, shown

#: The longest condition, how deep its brackets may lie in each other, and how many comparisons it may have.
_MOST_CHARACTERS, _MOST_DEPTH, _MOST_TESTS = 10_000, 40, 1_000


class Unsupported(Exception):
    """Why a condition cannot be expressed."""

    def __init__(self, why: str, advice: str = "Mend it in the sheet, or write the question's 'when' by hand") -> None:
        """
        :param why: a clause without a subject of its own, such as "it compares two answers with each other".
        :param advice: a sentence that says what to do.
        """
        super().__init__(why)
        self.advice = advice


@dataclass(frozen=True)
class Clause:
    """A condition as a sheet has it: that of a question, or that of a group around it."""

    text: str
    place: Place


@dataclass(frozen=True)
class Test:
    """A comparison of one answer with one value. The value "" stands for no answer."""

    name: str
    #: =, !=, <, <=, >, >=; selected: a choice is one of those that were chosen; contains: a text is a part of the answer.
    op: str
    value: str
    #: Whether the value was written as a number, so that 1 equals 1.0.
    is_number: bool = False

    def holds(self, text: str) -> bool:
        """Whether it holds for the code of a choice; of "", whether it holds without an answer."""
        if self.op in ("=", "!="):
            return self._equals(text) == (self.op == "=")
        mine, other = number(text), number(self.value)
        if mine is None or other is None:
            return False
        return {"<": mine < other, "<=": mine <= other, ">": mine > other, ">=": mine >= other}[self.op]

    def _equals(self, text: str) -> bool:
        mine = number(text) if self.is_number else None
        return text == self.value or mine is not None and mine == number(self.value)


@dataclass(frozen=True)
class Condition:
    """Tests that are joined; `op` is and, or, not, true or false."""

    op: str
    parts: Tuple[Union["Condition", Test], ...] = ()


def number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", text.strip()) else None


_TOKEN = re.compile(
    r"""\s*(?:(?P<question>\$\{[^}]*\}|\[[^\]]*\])|(?P<text>'[^']*'|"[^"]*"|[“”„][^“”„"]*[“”"]|[‘’][^‘’']*[‘’'])"""
    r"""|(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<name>[^\W\d][\w.-]*)|(?P<sign><=|>=|!=|<>|[=<>(),])|(?P<sum>[-+*/|]))""")
_COMPARE = "Compare the answer itself with a value"
#: What a count of choices or characters says, where it only says whether there is an answer.
_COUNTED = {(">", "0"): "!=", (">=", "1"): "!=", ("!=", "0"): "!=", ("=", "0"): "=", ("<", "1"): "=", ("<=", "0"): "="}


def parse(text: str) -> Condition:
    """
    The condition of a text that is not empty.

    :raises Unsupported: if it is more than comparisons of answers with values.
    """
    if len(text) > _MOST_CHARACTERS:
        raise Unsupported(f"it has more than {_MOST_CHARACTERS} characters", "Shorten it")
    return _Parser(text).whole()


@dataclass
class _Operand:
    #: question, count (of its choices or characters), or value.
    kind: str
    text: str
    is_number: bool = False


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._place = self._depth = self._tests = 0
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
            raise self._problem()
        return condition

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "its end")

    def _problem(self) -> Unsupported:
        """What is wrong with the next token."""
        kind, text = self._peek()
        if kind == "sum" or kind == "name" and text.lower() in ("div", "mod") or kind == "number" and text.startswith("-"):
            return Unsupported("it computes a value", _COMPARE)
        return Unsupported(f"'{shown(text, 20)}' is not understood")

    def _take(self, kind: str = "", word: str = "") -> str:
        found, text = self._peek()
        if (kind and found != kind) or (word and text != word):
            raise self._problem()
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
            raise Unsupported("its brackets are nested too deep", "Take brackets out that are not needed")
        condition = self._joined("or", lambda: self._joined("and", self._one))
        self._depth -= 1
        return condition

    def _one(self) -> Condition:
        kind, text = self._peek()
        if text == "(" and kind == "sign":
            self._place += 1
            condition = self._either()
            self._take(word=")")
            return condition
        if kind == "name" and text.lower() in ("not", "true", "false", "selected", "contains"):
            return self._function(self._take().lower())
        return self._comparison()

    def _function(self, name: str) -> Condition:
        self._take(word="(")
        if name == "not":
            condition = Condition("not", (self._either(),))
        elif name in ("selected", "contains"):
            # Only XPath's contains() is known to tell capital letters from small ones, as Hark's does.
            if name == "contains" and not self._peek()[1].startswith("$"):
                raise self._unknown(name)
            question = self._question()
            self._take(word=",")
            value = self._operand()
            if value.kind != "value" or not value.text:
                raise Unsupported(f"{name}() looks for no text of its own", _COMPARE)
            condition = self._test(Test(question, name, value.text))
        else:
            condition = Condition(name)
        self._take(word=")")
        return condition

    def _unknown(self, name: str) -> Unsupported:
        return Unsupported(f"there is no '{shown(name, 30)}()' in a 'when'", _COMPARE)

    def _test(self, test: Test) -> Condition:
        self._tests += 1
        if self._tests > _MOST_TESTS:
            raise Unsupported(f"it has more than {_MOST_TESTS} comparisons", "Shorten it")
        return Condition("and", (test,))

    def _comparison(self) -> Condition:
        left = self._operand()
        if self._peek()[0] == "end" or self._peek()[1].lower() in ("and", "or", ")"):
            raise Unsupported(f"'{shown(left.text, 20)}' stands there without a comparison", _COMPARE)
        op = self._op()
        right = self._operand()
        if left.kind == "value":
            left, right = right, left
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        if left.kind == "value":
            raise Unsupported("it compares two values and no answer", "Compare an answer with a value")
        if right.kind != "value":
            raise Unsupported("it compares two answers with each other", "Compare each of them with a value")
        if left.kind == "count":
            if (op, right.text) not in _COUNTED:
                raise Unsupported("it counts choices or characters", "Ask whether there is an answer, or name the choices")
            return self._test(Test(left.text, _COUNTED[op, right.text], ""))
        # [tried(2)] is the box of the choice 2, which is 1 where it is ticked and 0 where it is not.
        box = re.fullmatch(r"([^()]+)\(([^()]+)\)", left.text)
        if not box:
            return self._test(Test(left.text, op, right.text, right.is_number))
        if right.text not in ("0", "1") or op not in ("=", "!="):
            raise Unsupported(f"a box is compared with '{shown(right.text, 20)}'", "Compare it with '1' or '0'")
        ticked = self._test(Test(box.group(1).strip(), "selected", box.group(2).strip()))
        return ticked if (right.text == "1") == (op == "=") else Condition("not", (ticked,))

    def _op(self) -> str:
        op = self._take("sign")
        if op in "(),":
            raise Unsupported(f"'{op}' is not understood")
        return "!=" if op == "<>" else op

    def _operand(self) -> _Operand:
        kind, text = self._peek()
        if kind == "question":
            return _Operand("question", self._question())
        if kind not in ("number", "text", "name"):
            raise self._problem()
        self._place += 1
        if kind == "number":
            return _Operand("value", text, is_number=True)
        if kind == "text":
            return _Operand("value", text[1:-1])
        if self._peek() != ("sign", "("):
            self._place -= 1
            raise self._problem()
        name = text.lower()
        if name not in ("count-selected", "string-length", "date"):
            raise self._unknown(text)
        self._place += 1
        operand = _Operand("value", self._take("text")[1:-1]) if name == "date" else _Operand("count", self._question())
        self._take(word=")")
        return operand

    def _question(self) -> str:
        text = self._take("question")
        if self._peek()[0] == "question":
            raise Unsupported("it looks at an answer of another event or form", "Let it look at answers of the same form")
        if text.startswith("$"):
            return text[2:-1].strip()
        # Names of REDCap are in small letters; the codes of boxes are as they are written.
        name, bracket, code = text[1:-1].partition("(")
        return name.strip().lower() + bracket + code.strip()
