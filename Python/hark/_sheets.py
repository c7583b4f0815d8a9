"""Sheets of questionnaires as rows of named cells, and what is told about them."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping

# Exit codes, as `hark` has them.
USAGE, DATA, NO_INPUT, CANNOT_CREATE, IO_ERROR = 64, 65, 66, 73, 74

#: The most bytes of a file, and of a part of a workbook once it is unpacked.
MOST_BYTES = 32 * 1024 * 1024
#: The most rows with something in them, and the most cells, of a sheet.
MOST_ROWS, MOST_CELLS = 20_000, 1_000_000
#: The most characters of a cell.
MOST_CHARACTERS = 1_000_000

#: Of each row with something in it: its number, and its texts by the numbers of their columns, from 0.
Grid = Mapping[int, Mapping[int, str]]


class Refused(Exception):
    """What was given cannot be converted at all."""

    def __init__(self, message: str, code: int = DATA) -> None:
        super().__init__(message)
        self.code = code


def shown(text: str, most: int = 60) -> str:
    """A text of a sheet for a message: on one line, without control characters, not long."""
    text = "".join(character if character.isprintable() else " " for character in text[: most * 2])
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True)
class Place:
    """Where in a file something stands."""

    file: str
    sheet: str = ""
    row: int = 0
    column: str = ""

    def __str__(self) -> str:
        parts = [f"sheet {shown(self.sheet)}" if self.sheet else "", f"row {self.row}" if self.row else "",
                 f"column {shown(self.column)}" if self.column else ""]
        return ": ".join(part for part in (shown(self.file, 200), ", ".join(part for part in parts if part)) if part)


class Report:
    """What cannot be expressed, and what is worth knowing."""

    #: The most lines; what is beyond is counted.
    most = 1_000

    def __init__(self) -> None:
        self._told: list[tuple[Place, str]] = []
        #: How many things could not be expressed.
        self.lost = 0
        #: How many lines there were too many.
        self.more = 0

    def lose(self, place: Place, what: str, instead: str = "left out") -> None:
        """Something that is not expressed, or not as it was meant."""
        self.lost += 1
        self._add(place, f"{what}; {instead}")

    def tell(self, place: Place, what: str) -> None:
        """Something that is expressed, in a way that is worth knowing."""
        self._add(place, f"note: {what}")

    def _add(self, place: Place, what: str) -> None:
        if len(self._told) < self.most:
            self._told.append((place, what))
        else:
            self.more += 1

    def clear(self) -> None:
        self._told.clear()
        self.lost = self.more = 0

    @property
    def lines(self) -> list[str]:
        """In the order of the rows; what is about no sheet comes last."""
        files = list(dict.fromkeys((place.file, place.sheet) for place, _ in self._told if place.row))
        order = {file: number for number, file in enumerate(files)}
        told = sorted(self._told, key=lambda told: (order.get((told[0].file, told[0].sheet), len(files)), told[0].row))
        return [f"{place}: {what}" for place, what in told]


@dataclass
class Row:
    place: Place
    cells: dict[str, str]
    #: Of each column its name as it is written.
    titles: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def at(self, column: str) -> Place:
        return Place(self.place.file, self.place.sheet, self.place.row, self.titles.get(column, column))


@dataclass
class Sheet:
    """A table whose first row names its columns. Empty cells are not in its rows."""

    place: Place
    columns: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def of(cls, grid: Grid, place: Place, report: Report) -> Sheet:
        sheet = cls(place)
        names: dict[int, str] = {}
        titles: dict[str, str] = {}
        for number in sorted(grid):
            texts = {column: text for column, cell in grid[number].items() if (text := tidy(cell))}
            if not texts:
                continue
            at = Place(place.file, place.sheet, number)
            if not names:
                for column in sorted(texts):
                    name = column_name(texts[column])
                    if name in names.values():
                        report.lose(Place(at.file, at.sheet, number, name), "there is another column of this name")
                    else:
                        names[column] = name
                        titles[name] = " ".join(texts[column].split())
                sheet.columns = list(names.values())
                continue
            row = Row(at, {names[column]: text for column, text in texts.items() if column in names}, titles)
            if len(row.cells) < len(texts):
                report.lose(at, "there are cells in columns that have no name of their own")
            if row.cells:
                sheet.rows.append(row)
        return sheet


def tidy(text: str) -> str:
    """A text without white space at its ends, with line feeds alone, and without other control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", "", text).strip()


def column_name(text: str) -> str:
    """A name of a column: its kind in small letters, and a language behind `::` as it is written."""
    kind, separator, rest = " ".join(text.split()).partition("::")
    if not separator and re.match(r"(label|hint|required_message|constraint_message):\S", kind, re.IGNORECASE):
        kind, separator, rest = kind.partition(":")
    return kind.strip().lower() + ("::" + rest.strip() if separator else "")


def read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise Refused(f"there is no file {shown(str(path), 200)}", NO_INPUT) from None
    except OSError as error:
        raise Refused(f"{shown(str(path), 200)} cannot be read: {error.strerror}", NO_INPUT) from None
    if len(content) > MOST_BYTES:
        raise Refused(f"{shown(str(path), 200)} has more than {MOST_BYTES // 1024 // 1024} MiB: no questionnaire has that many")
    return content


def read_csv(path: Path, sheet: str, known: frozenset[str], report: Report) -> Sheet:
    """
    :param sheet: the name of the sheet that the file stands for, or "".
    :param known: names of columns, by which the separator is found.
    """
    place = Place(str(path), sheet)
    content = read_bytes(path)
    if content[:4] == b"PK\x03\x04" or content[:4] == b"\xd0\xcf\x11\xe0":
        raise Refused(f"{place}: this is a workbook and no CSV: give it a name that ends in .xlsx")
    text = _decoded(content, place, report)
    return Sheet.of(_rows(text, _separator(text, known), place), place, report)


def _decoded(content: bytes, place: Place, report: Report) -> str:
    try:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return content.decode("utf-16")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        report.tell(place, "this is not UTF-8, and is read as Windows-1252; look at its letters with accents")
        return content.decode("cp1252", errors="replace")


def _separator(text: str, known: frozenset[str]) -> str:
    head = text.lstrip("\n\r")[:20_000]
    best = ","
    most = 0
    for separator in (",", ";", "\t"):
        try:
            first: list[str] = next(csv.reader(io.StringIO(head, newline=""), delimiter=separator), [])
        except csv.Error:
            continue
        count = sum(column_name(cell).partition("::")[0] in known for cell in first)
        if count > most:
            best, most = separator, count
    return best


def _rows(text: str, separator: str, place: Place) -> dict[int, dict[int, str]]:
    grid: dict[int, dict[int, str]] = {}
    cells = 0
    # The limit belongs to the whole process, so it is put back.
    before = csv.field_size_limit(MOST_CHARACTERS)
    try:
        for number, line in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
            texts = {column: cell for column, cell in enumerate(line) if cell}
            if texts:
                grid[number] = texts
            cells += len(texts)
            check_size(len(grid), cells, place)
    except csv.Error as error:
        raise Refused(f"{place}: this is no CSV that can be read: {error}") from None
    finally:
        csv.field_size_limit(before)
    return grid


def check_size(rows: int, cells: int, place: Place) -> None:
    if rows > MOST_ROWS:
        raise Refused(f"{place}: there are more than {MOST_ROWS} rows: no questionnaire has that many")
    if cells > MOST_CELLS:
        raise Refused(f"{place}: there are more than {MOST_CELLS} cells: no questionnaire has that many")
