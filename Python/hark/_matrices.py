"""Matrices: questions of a sheet with one title and the same choices, which become the rows of one question."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Callable

from ._sheets import Report, shown

if TYPE_CHECKING:
    from ._items import Item

MOST_ROWS = 50
MOST_COLUMNS = 20


def settle(items: list[Item], report: Report) -> None:
    """Takes the mark from questions that cannot be the rows of a matrix: they are asked one by one."""
    taken = {"end"} | {item.name for item in items}
    for name, run in groupby(items, lambda item: item.matrix):
        rows = list(run)
        if not name:
            continue
        first = rows[0]
        # The titles of all, and texts above the first.
        are_alike = first.above and all(
            row.kind == "single" and row.choices == first.choices and row.said() == first.said() and not row.image
            and not row.other and row.above == (first.above if row is first else first.above[-1:]) for row in rows)
        if are_alike and len(rows) <= MOST_ROWS and 2 <= len(first.choices) <= MOST_COLUMNS and name not in taken:
            taken.add(name)
            report.tell(first.row.place, f"the matrix is one question, and its answers are called '{shown(name)}.{shown(first.name)}' "
                        "and so on")
            continue
        for row in rows:
            row.matrix = ""
        report.tell(first.row.place, f"the matrix '{shown(name)}' has no title, or its rows differ in more than their texts, so they "
                    "are questions of their own")


def fold(
    questions: list[dict[str, Any]], items: list[Item], label: Callable[[Item], str], title: Callable[[Item], str]
) -> list[dict[str, Any]]:
    """The questions, with the rows of each matrix as one."""
    folded: list[dict[str, Any]] = []
    for name, run in groupby(zip(questions, items), lambda pair: pair[1].matrix):
        pairs = list(run)
        rows = [question for question, _ in pairs]
        if not name or any(row.get("when") != rows[0].get("when") for row in rows):
            folded.extend(rows)
            continue
        matrix: dict[str, Any] = {"id": name, "type": "matrix", "question": title(pairs[0][1]), "rows": []}
        is_optional = not any(item.required for _, item in pairs)
        for question, item in pairs:
            row = {"id": question["id"][len(name) + 1:], "label": label(item)}
            matrix["rows"].append(row if item.required or is_optional else {**row, "required": False})
        matrix["columns"] = rows[0]["options"]
        if is_optional:
            matrix["required"] = False
        if "when" in rows[0]:
            matrix["when"] = rows[0]["when"]
        folded.append(matrix)
    return folded
