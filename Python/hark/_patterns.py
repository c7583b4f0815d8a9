"""Patterns: the form that a text has, as a regular expression."""

from __future__ import annotations

import re
import warnings
from typing import Any

from ._items import Item
from ._sheets import Place, Report

#: The longest expression in bytes, and the longest text that is compared with one, in characters.
_MOST_BYTES, _MOST_CHARACTERS = 500, 250

#: Of each validation of REDCap that says no more than what a text looks like, a pattern.
VALIDATIONS = {
    "alpha_only": r"[A-Za-z]+",
    "datetime_ymd": r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d",
    "email": r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+",
    "mrn_10d": r"\d{10}",
    "mrn_generic": r"[A-Za-z0-9_-]+",
    "phone": r"(\+?1[-. ]?)?\(?[2-9]\d{2}\)?[-. ]?[2-9]\d{2}[-. ]?\d{4}( ?(x|ext\.?) ?\d{1,6})?",
    "phone_australia": r"(\(0[2-8]\)|0[2-8]) ?\d{4} ?\d{4}",
    "postalcode_australia": r"\d{4}",
    "postalcode_canada": r"(?i)[ABCEGHJKLMNPRSTVXY]\d[A-Z] ?\d[A-Z]\d",
    "postalcode_french": r"(0[1-9]|[1-8]\d|9[0-8])\d{3}",
    "postalcode_germany": r"(0[1-9]|[1-9]\d)\d{3}",
    "ssn": r"\d{3}-\d{2}-\d{4}",
    "time_hh_mm_ss": r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d",
    "time_mm_ss": r"[0-5]\d:[0-5]\d",
    "zipcode": r"\d{5}(-\d{4})?",
}


def set_pattern(item: Item, pattern: str, place: Place, report: Report) -> bool:
    """Takes over the form of a text. Returns whether it can be so."""
    if item.kind != "text" or "pattern" in item.limits or not pattern.strip():
        return False
    if len(pattern.encode()) > _MOST_BYTES or not _is_regular(pattern):
        return False
    limits: dict[str, Any] = {**item.limits, "pattern": pattern}
    if limits.get("minLength", 0) > _MOST_CHARACTERS:
        return False
    if limits.get("maxLength", 0) > _MOST_CHARACTERS:
        report.lose(place, f"a text with a pattern has at most {_MOST_CHARACTERS} characters")
        del limits["maxLength"]
    item.limits = limits
    return True


def _is_regular(pattern: str) -> bool:
    """Whether it can be read. Python's expressions are nearly those of PCRE2, but for properties such as ``\\p{L}``."""
    plain = re.sub(r"\\[pP](\{\^?[A-Za-z_&]{1,40}\}|[A-Z])", "x", pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(plain)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
