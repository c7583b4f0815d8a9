"""Scales and limits, as far as a question can have them."""

from __future__ import annotations

from ._items import Choice, Item
from ._sheets import Place, Report

#: The most numbers that are offered as choices.
_MOST_CHOICES = 21


def set_scale(item: Item, start: float, end: float, step: float, place: Place, report: Report) -> None:
    """Makes a question one for a number of a scale: a rating, from 0 to 10, or with the numbers as choices."""
    if (start, step) == (1, 1) and end in range(2, 11):
        item.kind, item.scale = "rating", int(end)
    elif (start, end, step) == (0, 10, 1):
        report.tell(place, "from 0 to 10: asked as 'nps', so results tell a Net Promoter Score")
        item.kind = "nps"
    elif step > 0 and start < end and (end - start) / step < _MOST_CHOICES:
        report.tell(place, "there is no such scale: its numbers are choices")
        numbers = (start + step * count for count in range(int((end - start) / step + 1e-9) + 1))
        item.kind, item.choices = "single", [Choice(text, {"": text}) for text in (f"{number:.10g}" for number in numbers)]
    else:
        report.lose(place, f"there is no scale from {start:.10g} to {end:.10g} in steps of {step:.10g}",
                    "asked as text, without a check")


def set_limit(item: Item, what: str, op: str, number: int) -> bool:
    """Takes over how many choices (count-selected), or characters (string-length), an answer has. Returns whether it can be so."""
    if item.kind != ("multiple" if what == "count-selected" else "text"):
        return False
    least = number + 1 if op == ">" else number if op in (">=", "=") else None
    most = number - 1 if op == "<" else number if op in ("<=", "=") else None
    suffix, bound = ("Selections", len(item.choices)) if item.kind == "multiple" else ("Length", 10**6)
    limits = dict(item.limits)
    if least is not None and least > 0:
        limits["min" + suffix] = max(least, limits.get("min" + suffix, 0))
    if most is not None:
        limits["max" + suffix] = min(most, limits.get("max" + suffix, bound), bound)
    low, high = limits.get("min" + suffix, 1), limits.get("max" + suffix, bound)
    if high < 1 or low > high:
        return False
    item.limits = limits
    return True
