"""Conditions of a sheet as the `when` of a question: what docs/reference/conditions.md says, over earlier answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, Tuple, Union

from ._expressions import Clause, Condition, Test, Unsupported, number, parse
from ._sheets import Place, Refused, shown

#: The most that a condition of Hark weighs: a comparison 1, a search 100.
_MOST_WEIGHT, _SEARCH = 1_000, 100
#: The longest condition as a text, in bytes, and the depth of its parts. One beyond that is written as JSON.
_MOST_BYTES, _MOST_DEPTH = 8_192, 32
#: The longest id that a condition can name, in bytes.
_MOST_NAME = 1_024


class Work:
    """How much may be weighed, over all conditions of a file."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._left = 2_000_000
        self._parsed: Dict[str, Union[Condition, Unsupported]] = {}

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Refused(f"{self._place}: its conditions are too many and too long: take some of them out")

    def parse(self, text: str) -> Condition:
        """The condition of a text. That of a group is the same for each of its questions."""
        if text not in self._parsed:
            self.spend(len(text))
            try:
                self._parsed[text] = parse(text)
            except Unsupported as problem:
                self._parsed[text] = problem
        found = self._parsed[text]
        if isinstance(found, Unsupported):
            # Each time it is raised it would keep one more traceback.
            raise found.with_traceback(None)
        return found


@dataclass
class Known:
    """An earlier question, as conditions see it."""

    id: str
    kind: str
    codes: Dict[str, None] = field(default_factory=dict)
    #: As the question has them, with min, max and step of every scale.
    limits: Dict[str, Any] = field(default_factory=dict)
    #: Whether there always is an answer.
    is_certain: bool = False
    #: Whether it is never asked.
    is_gone: bool = False


@dataclass(frozen=True)
class _Leaf:
    """A comparison of an answer. One that is missing fails each of them."""

    id: str
    #: in, not in (of several values), lt, lte, gt, gte, contains, exists
    op: str
    values: Tuple[Union[str, int, float], ...] = ()


@dataclass(frozen=True)
class _Join:
    op: str  # all, any, not
    parts: Tuple[Union["_Join", _Leaf], ...]


_When = Union[bool, _Join, _Leaf]


def when(clauses: Tuple[Clause, ...], find: Callable[[str], Known], work: Work, tell: Callable[[Clause, str], None]) -> Any:
    """
    The `when` of a question: a text or an object; True if it is always asked, False if it never is.

    :param find: the earlier question of a name; raises Unsupported.
    :param tell: what is worth knowing of a clause.
    :raises NotSaid: if one of the clauses cannot be expressed.
    """
    whole: _When = True
    for clause in clauses:
        try:
            whole = _all([whole, _Reading(clause, find, work, tell).of(work.parse(clause.text))])
            if not isinstance(whole, bool) and _weight(whole) > _MOST_WEIGHT:
                raise Unsupported(
                    f"it weighs more than {_MOST_WEIGHT}: a comparison weighs 1, a look for one of several choices or a part of a "
                    f"text {_SEARCH}", "Shorten it, or put questions between that stand for a part of it")
        except Unsupported as problem:
            raise NotSaid(clause, problem) from None
    return whole if isinstance(whole, bool) else _written(whole)


class NotSaid(Exception):
    """A clause that cannot be expressed."""

    def __init__(self, clause: Clause, problem: Unsupported) -> None:
        super().__init__(str(problem))
        self.clause = clause
        self.advice = problem.advice


class _Reading:
    """A clause, read against the questions before."""

    def __init__(
        self, clause: Clause, find: Callable[[str], Known], work: Work, tell: Callable[[Clause, str], None]
    ) -> None:
        self._clause, self._find, self._work, self._tell = clause, find, work, tell

    def of(self, part: Union[Condition, Test]) -> _When:
        if isinstance(part, Test):
            return self._test(part)
        if part.op in ("true", "false"):
            return part.op == "true"
        parts = [self.of(inner) for inner in part.parts]
        return _not(parts[0]) if part.op == "not" else _all(parts) if part.op == "and" else _any(parts)

    def _test(self, test: Test) -> _When:
        self._work.spend(1)
        known = self._find(test.name)
        if known.is_gone:
            found: _When = test.op not in ("selected", "contains") and test.holds("")
        elif test.value == "" and test.op in ("=", "!="):
            found = _exists(known)
            return found if test.op == "!=" else _not(found)
        else:
            found = self._compared(test, known)
        if isinstance(found, bool):
            why = f"holds for {'every' if found else 'no'} answer" + (", as the question is never asked" if known.is_gone else "")
            self._tell(self._clause, f"'{shown(test.name)} {test.op} {shown(test.value, 30)}' {why}")
        return found

    def _compared(self, test: Test, known: Known) -> _When:
        name = f"'{shown(test.name)}'"
        if len(known.id.encode()) > _MOST_NAME:
            raise Unsupported(f"the name {name} has more than {_MOST_NAME} bytes", "Shorten the name")
        if test.op == "contains" and known.kind != "text":
            raise Unsupported(f"it looks for a part of {name}, which is not asked as text", "Compare the whole answer with '='")
        if known.kind == "single":
            self._work.spend(len(known.codes) if test.is_number or test.op in ("<", "<=", ">", ">=") else 1)
            return _chosen(test, known)
        if known.kind in ("multiple", "ranking"):
            if test.op != "selected" or known.kind == "ranking":
                what = "the order" if known.kind == "ranking" else "all choices at once"
                raise Unsupported(f"it compares {what} of {name}", "Ask for one choice: selected(${name}, 'code') or [name(code)] = '1'")
            return test.value in known.codes and _Leaf(known.id, "contains", (test.value,))
        if known.kind in ("rating", "nps", "number", "scale"):
            return _numbered(test, known)
        if test.op in ("<", "<=", ">", ">=") or test.is_number:
            if known.kind in ("date", "time") and not test.is_number:
                raise Unsupported(
                    f"it asks whether the {known.kind} {name} is before or after another, and only numbers are compared so",
                    "Ask for a number, or for one of several choices")
            raise Unsupported(f"it compares the text {name} with a number", "Ask for a number, or put the value in quotes")
        if test.op == "selected":
            raise Unsupported(f"it looks for a choice of {name}, which has none", "Compare the answer with '='")
        return _worded(test, known)


def _exists(known: Known) -> _When:
    return not known.is_gone and (known.is_certain or _Leaf(known.id, "exists"))


def _chosen(test: Test, known: Known) -> _When:
    """A comparison with the answer to a question that has one choice, as a list of choices."""
    if test.op == "selected" or test.op == "=" and not test.is_number:
        fitting = [test.value] if test.value in known.codes else []
        is_empty = False
    elif test.op == "!=" and not test.is_number:
        return _not(_chosen(Test(test.name, "=", test.value), known), known)
    else:
        fitting = [code for code in known.codes if test.holds(code)]
        is_empty = test.holds("")
    count = len(known.codes)
    if is_empty:
        # It is shorter, and says the same, to name the choices that do not fit.
        return _not(_one_of(known, [code for code in known.codes if code not in set(fitting)]), known)
    if len(fitting) == count:
        return _exists(known)
    if len(fitting) > count // 2:
        left = set(fitting)
        return _Leaf(known.id, "not in", tuple(code for code in known.codes if code not in left))
    return _one_of(known, fitting)


def _one_of(known: Known, codes: list[str]) -> _When:
    if len(codes) == len(known.codes):
        return _exists(known)
    return bool(codes) and _Leaf(known.id, "in", tuple(codes))


def _numbered(test: Test, known: Known) -> _When:
    """A comparison with a number that is the answer."""
    value = number(test.value)
    if value is None:
        return test.op == "!="
    if abs(value) >= 1e15:
        raise Unsupported(f"'{shown(test.value, 30)}' is larger than a number can be", "Compare with a smaller number")
    if test.op in ("!=", "selected"):
        equal = _numbered(Test(test.name, "=", test.value), known)
        return _not(equal, known) if test.op == "!=" else equal
    exact = Fraction(test.value.strip())
    if exact != Fraction(repr(value)):
        raise Unsupported(f"'{shown(test.value, 30)}' has more digits than a number can have", "Compare with a number of fewer digits")
    least, most = (Fraction(str(known.limits[end])) if end in known.limits else None for end in ("min", "max"))
    above = least is not None and least > exact, least is not None and least >= exact
    below = most is not None and most < exact, most is not None and most <= exact
    if test.op == "=":
        step = Fraction(str(known.limits.get("step", 1))) if "step" in known.limits or "integer" in known.limits else None
        if above[0] or below[0] or step and (exact - (least or 0)) % step:
            return False
        return _Leaf(known.id, "in", (_plain(value),))
    never, always = {
        "<": (above[1], below[0]), "<=": (above[0], below[1]), ">": (below[1], above[0]), ">=": (below[0], above[1])}[test.op]
    if never:
        return False
    op = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}[test.op]
    return _exists(known) if always else _Leaf(known.id, op, (_plain(value),))


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _worded(test: Test, known: Known) -> _When:
    """A comparison with a text, a date or a time."""
    if test.op == "!=":
        return _not(_worded(Test(test.name, "=", test.value), known), known)
    if test.op == "contains":
        return _Leaf(known.id, "contains", (test.value,))
    shape = {"date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "time": r"[0-9]{2}:[0-9]{2}"}.get(known.kind)
    if shape and not re.fullmatch(shape, test.value):
        form = "2026-01-31" if known.kind == "date" else "14:30"
        raise Unsupported(f"'{shown(test.value, 30)}' is no {known.kind}", f"Write it as {form}")
    length = len(test.value)
    # Of other letters, several code points may be one character.
    is_short_or_long = shape is None and test.value.isascii() and not (
        known.limits.get("minLength", 1) <= length <= known.limits.get("maxLength", length))
    # An answer has no white space at its ends.
    return test.value.strip() == test.value and not is_short_or_long and _Leaf(known.id, "in", (test.value,))


def _not(part: _When, known: Known | None = None) -> _When:
    if isinstance(part, bool):
        return not part
    if isinstance(part, _Join) and part.op == "not":
        return part.parts[0]
    if known is not None and known.is_certain and isinstance(part, _Leaf) and part.op == "in":
        return _Leaf(part.id, "not in", part.values)
    return _Join("not", (part,))


def _all(parts: list[_When]) -> _When:
    return False if any(part is False for part in parts) else _joined("all", parts, True)


def _any(parts: list[_When]) -> _When:
    return True if any(part is True for part in parts) else _joined("any", parts, False)


def _joined(op: str, parts: list[_When], without: bool) -> _When:
    listed = "in" if op == "any" else "not in"
    #: Of what is a list of values for an answer, by its id, the values: two lists for the same answer are one.
    found: Dict[Union[str, _Join, _Leaf], Dict[Union[str, int, float], None]] = {}
    for part in parts:
        for one in part.parts if isinstance(part, _Join) and part.op == op else () if isinstance(part, bool) else (part,):
            if isinstance(one, _Leaf) and one.op == listed:
                found.setdefault(one.id, {}).update(dict.fromkeys(one.values))
            else:
                found[one] = {}
    joined = tuple(_Leaf(key, listed, tuple(values)) if isinstance(key, str) else key for key, values in found.items())
    return without if not joined else joined[0] if len(joined) == 1 else _Join(op, joined)


def _weight(part: Union[_Join, _Leaf]) -> int:
    if isinstance(part, _Join):
        return sum(map(_weight, part.parts))
    return _SEARCH if part.op == "contains" else max(1, len(part.values))


#: Texts in which no letter joins with the quote beside it.
_PLAIN = re.compile(r"[ -~\u00a1-\u024f]*")
_RESERVED = {"and", "or", "not", "in", "contains", "exists", "true", "false", "null"}
_SIGNS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "contains": "contains"}


def _written(part: Union[_Join, _Leaf]) -> Any:
    """The condition as a text, or as JSON where a text cannot hold it."""
    text, depth = _text(part)
    is_text = depth <= _MOST_DEPTH and len(text.encode()) <= _MOST_BYTES and _PLAIN.fullmatch(text)
    return text if is_text else _json(part)


def _text(part: Union[_Join, _Leaf]) -> Tuple[str, int]:
    """The condition as a text, and how deep its parts lie in each other."""
    if isinstance(part, _Join):
        texts, deepest = [], 0
        for inner in part.parts:
            text, depth = _text(inner)
            if isinstance(inner, _Join) and inner.op != "not":
                text, depth = f"({text})", depth + 1
            texts.append(text)
            deepest = max(deepest, depth)
        return ("not " + texts[0], deepest + 1) if part.op == "not" else (f" {'and' if part.op == 'all' else 'or'} ".join(texts), deepest)
    name = f"answer.{part.id}"
    name = name if re.fullmatch(r"[A-Za-z0-9_.-]+", name) else _quoted(name)
    values = [_word(value) for value in part.values]
    if part.op == "exists":
        return f"{name} exists", 1
    if part.op in ("in", "not in"):
        if len(values) > 1:
            return f"{name} {part.op} ({', '.join(values)})", 1
        return f"{name} {'=' if part.op == 'in' else '!='} {values[0]}", 1
    return f"{name} {_SIGNS[part.op]} {values[0]}", 1


def _word(value: Union[str, int, float]) -> str:
    if not isinstance(value, str):
        return _digits(value)
    is_word = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) and value.lower() not in _RESERVED
    return value if is_word else _quoted(value)


def _digits(value: Union[int, float]) -> str:
    """A number without an exponent."""
    return format(Decimal(repr(value)), "f")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _json(part: Union[_Join, _Leaf]) -> Any:
    if isinstance(part, _Join):
        return {part.op: _json(part.parts[0]) if part.op == "not" else [_json(inner) for inner in part.parts]}
    name = f"answer.{part.id}"
    if part.op == "exists":
        return {name: {"op": "exists"}}
    if part.op in ("in", "not in"):
        each: list[Any] = [{name: value if part.op == "in" else {"op": "ne", "value": value}} for value in part.values]
        return each[0] if len(each) == 1 else {"any" if part.op == "in" else "all": each}
    return {name: {"op": part.op, "value": part.values[0]}}
