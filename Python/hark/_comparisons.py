"""Comparisons of answers as Hark has them, joined, and how they are written: docs/reference/conditions.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Tuple, Union

#: What a search in a list or a text weighs, where a comparison weighs 1.
SEARCH = 100
#: The longest condition as a text, in bytes, and the depth of its parts. One beyond that is written as JSON.
_MOST_BYTES, _MOST_DEPTH = 8_192, 32


@dataclass(frozen=True)
class Leaf:
    """A comparison of an answer. One that is missing fails each of them."""

    id: str
    #: in, not in (of several values), lt, lte, gt, gte, contains, exists
    op: str
    values: Tuple[Union[str, int, float], ...] = ()


@dataclass(frozen=True)
class Join:
    op: str  # all, any, not
    parts: Tuple[Union["Join", Leaf], ...]


When = Union[bool, Join, Leaf]


def negated(part: When, is_certain: bool = False) -> When:
    """
    :param is_certain: whether there always is an answer. Without one, a comparison fails and its negation holds.
    """
    if isinstance(part, bool):
        return not part
    if isinstance(part, Join) and part.op == "not":
        return part.parts[0]
    if is_certain and isinstance(part, Leaf) and part.op == "in":
        return Leaf(part.id, "not in", part.values)
    return Join("not", (part,))


def all_of(parts: list[When]) -> When:
    return False if any(part is False for part in parts) else _joined("all", parts, True)


def any_of(parts: list[When]) -> When:
    return True if any(part is True for part in parts) else _joined("any", parts, False)


def _joined(op: str, parts: list[When], without: bool) -> When:
    listed = "in" if op == "any" else "not in"
    #: Of what is a list of values for an answer, by its id, the values: two lists for the same answer are one.
    found: Dict[Union[str, Join, Leaf], Dict[Union[str, int, float], None]] = {}
    for part in parts:
        for one in part.parts if isinstance(part, Join) and part.op == op else () if isinstance(part, bool) else (part,):
            if isinstance(one, Leaf) and one.op == listed:
                found.setdefault(one.id, {}).update(dict.fromkeys(one.values))
            else:
                found[one] = {}
    joined = tuple(Leaf(key, listed, tuple(values)) if isinstance(key, str) else key for key, values in found.items())
    return without if not joined else joined[0] if len(joined) == 1 else Join(op, joined)


def weight(part: Union[Join, Leaf]) -> int:
    if isinstance(part, Join):
        return sum(map(weight, part.parts))
    return SEARCH if part.op == "contains" else max(1, len(part.values))


#: Texts in which no letter joins with the quote beside it.
_PLAIN = re.compile(r"[ -~\u00a1-\u024f]*")
_RESERVED = {"and", "or", "not", "in", "contains", "exists", "true", "false", "null"}
_SIGNS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "contains": "contains"}


def written(part: Union[Join, Leaf]) -> Any:
    """The condition as a text, or as JSON where a text cannot hold it."""
    text, depth = _text(part)
    is_text = depth <= _MOST_DEPTH and len(text.encode()) <= _MOST_BYTES and _PLAIN.fullmatch(text)
    return text if is_text else _json(part)


def _text(part: Union[Join, Leaf]) -> Tuple[str, int]:
    """The condition as a text, and how deep its parts lie in each other."""
    if isinstance(part, Join):
        texts, deepest = [], 0
        for inner in part.parts:
            text, depth = _text(inner)
            if isinstance(inner, Join) and inner.op != "not":
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


def _json(part: Union[Join, Leaf]) -> Any:
    if isinstance(part, Join):
        return {part.op: _json(part.parts[0]) if part.op == "not" else [_json(inner) for inner in part.parts]}
    name = f"answer.{part.id}"
    if part.op == "exists":
        return {name: {"op": "exists"}}
    if part.op in ("in", "not in"):
        each: list[Any] = [{name: value if part.op == "in" else {"op": "ne", "value": value}} for value in part.values]
        return each[0] if len(each) == 1 else {"any" if part.op == "in" else "all": each}
    return {name: {"op": part.op, "value": part.values[0]}}
