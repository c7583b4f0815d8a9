"""Scales and limits, as far as a question can have them."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from ._items import Item
from ._sheets import Place, Report

#: The most steps of a scale.
_MOST_STEPS = 10_000


def set_scale(item: Item, start: float, end: float, step: float, place: Place, report: Report) -> None:
    """Makes a question one for a number of a scale: a rating, from 0 to 10, or a scale with ends of its own."""
    if (start, step) == (1, 1) and end in range(2, 11):
        item.kind, item.scale = "rating", int(end)
    elif (start, end, step) == (0, 10, 1):
        report.tell(place, "from 0 to 10: asked as 'nps', so results tell a Net Promoter Score")
        item.kind = "nps"
    elif step > 0 and start < end and _is_whole((end - start) / step) and (end - start) / step < _MOST_STEPS:
        item.kind, item.limits = "scale", {"min": _plain(start), "max": _plain(end), "step": _plain(step)}
    else:
        report.lose(place, f"there is no scale from {start:.10g} to {end:.10g} in steps of {step:.10g}",
                    "asked as text, without a check")


def set_number(item: Item, is_whole: bool, least: str, most: str) -> bool:
    """Makes a question one for a number, with limits where there are any. Returns whether they can be so."""
    item.kind = "number"
    found = {"min": _number(least), "max": _number(most)}
    limits: dict[str, Any] = {name: number for name, number in found.items() if number is not None}
    if is_whole:
        limits["integer"] = True
    is_right = all(text == "" or name in limits for name, text in (("min", least), ("max", most)))
    if is_whole and not all(isinstance(limits.get(name, 0), int) for name in ("min", "max")):
        is_right = False
    if "min" in limits and "max" in limits and limits["min"] >= limits["max"]:
        is_right = False
    item.limits = limits if is_right else ({"integer": True} if is_whole else {})
    return is_right


def set_bound(item: Item, op: str, number: str) -> bool:
    """Takes over a limit of a number, such as ``. >= 5``. Returns whether it can be so."""
    given = _number(number)
    if item.kind not in ("number", "scale") or given is None or op not in ("<", "<=", ">", ">="):
        return False
    if op in ("<", ">"):
        # Only of whole numbers the next one is known.
        if not item.limits.get("integer") or not isinstance(given, int):
            return False
        given += 1 if op == ">" else -1
    if item.kind == "scale":
        return False
    limits = dict(item.limits)
    name = "min" if op in (">", ">=") else "max"
    limits[name] = given
    if "min" in limits and "max" in limits and limits["min"] >= limits["max"]:
        return False
    if limits.get("integer") and not isinstance(given, int):
        return False
    item.limits = limits
    return True


def set_moment(item: Item, kind: str, least: str = "", most: str = "") -> bool:
    """Makes a question one for a date or a time, with limits where there are any. Returns whether they can be so."""
    item.kind, item.limits = kind, {}
    for name, text in (("min", least), ("max", most)):
        if text and not set_moment_bound(item, name, text):
            return False
    return True


def set_moment_bound(item: Item, name: str, text: str) -> bool:
    """Takes over the first or last date or time. Returns whether it can be so."""
    shape = r"today|[0-9]{4}-[0-9]{2}-[0-9]{2}" if item.kind == "date" else r"([01][0-9]|2[0-3]):[0-5][0-9]"
    if item.kind not in ("date", "time") or not re.fullmatch(shape, text):
        return False
    if item.kind == "date" and text != "today":
        try:
            date.fromisoformat(text)
        except ValueError:
            return False
    limits = {**item.limits, name: text}
    both = [limits[end] for end in ("min", "max") if end in limits]
    if len(both) == 2 and "today" not in both and (both[0] > both[1] if item.kind == "date" else both[0] >= both[1]):
        return False
    item.limits = limits
    return True


def _number(text: str) -> int | float | None:
    return _plain(float(text)) if re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,6})?", text) else None


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-9


def set_limit(item: Item, what: str, op: str, number: int) -> bool:
    """Takes over how many choices (count-selected), or characters (string-length), an answer has. Returns whether it can be so."""
    if item.kind != ("multiple" if what == "count-selected" else "text"):
        return False
    least = number + 1 if op == ">" else number if op in (">=", "=") else None
    most = number - 1 if op == "<" else number if op in ("<=", "=") else None
    suffix, bound = ("Selections", len(item.codes())) if item.kind == "multiple" else ("Length", 10**6)
    limits = dict(item.limits)
    if "pattern" in limits:
        bound = 250
    if least is not None and least > 0:
        limits["min" + suffix] = max(least, limits.get("min" + suffix, 0))
    if most is not None:
        limits["max" + suffix] = min(most, limits.get("max" + suffix, bound), bound)
    low, high = limits.get("min" + suffix, 1), limits.get("max" + suffix, bound)
    if high < 1 or low > high:
        return False
    item.limits = limits
    return True
