"""Workbooks (.xlsx) as grids of texts, read with bounds and without entities."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from pathlib import Path
from typing import Callable, Dict, List
from xml.parsers import expat

from ._sheets import MOST_BYTES, MOST_CELLS, MOST_CHARACTERS, Grid, Place, Refused, Report, Sheet, check_size, read_bytes, shown

Attributes = Dict[str, str]

#: The last row and column that a spreadsheet has.
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


def read_workbook(path: Path, wanted: tuple[str, ...], report: Report) -> dict[str, Sheet]:
    """The sheets that have one of these names, in whatever case."""
    place = Place(str(path))
    content = read_bytes(path)
    if content[:4] == b"\xd0\xcf\x11\xe0":
        raise Refused(f"{place}: this is a workbook of the old format, or has a password: save it as .xlsx without one")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _Workbook(archive, place, report).sheets(wanted)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError) as error:
        raise Refused(f"{place}: this is no workbook that can be read: {shown(str(error))}") from None


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, place: Place, report: Report) -> None:
        self._archive = archive
        self._place = place
        self._report = report
        # Bytes that may still be unpacked, over all parts.
        self._left = 2 * MOST_BYTES

    def sheets(self, wanted: tuple[str, ...]) -> dict[str, Sheet]:
        targets: dict[str, str] = {}

        def relation(name: str, attributes: Attributes) -> None:
            if name == "Relationship":
                targets[attributes.get("Id", "")] = attributes.get("Target", "")

        parts: dict[str, str] = {}

        def sheet(name: str, attributes: Attributes) -> None:
            called = attributes.get("name", "").strip().lower()
            if name == "sheet" and called in wanted and called not in parts:
                target = targets.get(attributes.get("id", ""), "")
                parts[called] = posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")

        self._parse("xl/_rels/workbook.xml.rels", relation)
        self._parse("xl/workbook.xml", sheet)
        shared = self._shared_strings() if "xl/sharedStrings.xml" in self._archive.namelist() else []
        found = {}
        for name, part in parts.items():
            place = Place(self._place.file, name)
            found[name] = Sheet.of(self._grid(part, place, shared), place, self._report)
        return found

    def _parse(
        self, part: str, start: Callable[[str, Attributes], None], end: Callable[[str], None] = lambda name: None,
        text: Callable[[str], None] = lambda text: None
    ) -> None:
        """Walks a part. A DOCTYPE is refused, as entities are declared in it."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True

        def refuse(*_: object) -> None:
            raise Refused(f"{self._place}: its part {part} has a DOCTYPE, which no spreadsheet writes: it is not read")

        parser.StartDoctypeDeclHandler = refuse
        parser.StartElementHandler = lambda name, attributes: start(
            _local(name), {_local(key): value for key, value in attributes.items()})
        parser.EndElementHandler = lambda name: end(_local(name))
        parser.CharacterDataHandler = text
        try:
            with self._archive.open(part) as file:
                while chunk := file.read(65536):
                    self._left -= len(chunk)
                    if self._left < 0:
                        raise Refused(f"{self._place}: it unpacks to more than {2 * MOST_BYTES // 1024 // 1024} MiB: "
                                      "no questionnaire has that many")
                    parser.Parse(chunk, False)
                parser.Parse(b"", True)
        except KeyError:
            raise Refused(f"{self._place}: this is no workbook: it has no part {shown(part)}") from None
        except expat.ExpatError as error:
            raise Refused(f"{self._place}: its part {shown(part)} is no XML that can be read: {error}") from None

    def _shared_strings(self) -> list[str]:
        strings: list[str] = []
        reader = _Text()

        def start(name: str, attributes: Attributes) -> None:
            if name == "si":
                reader.clear()
            reader.start(name)

        def end(name: str) -> None:
            reader.end(name)
            if name == "si":
                strings.append(reader.text())
                if len(strings) > MOST_CELLS:
                    raise Refused(f"{self._place}: there are more than {MOST_CELLS} texts: no questionnaire has that many")

        self._parse("xl/sharedStrings.xml", start, end, reader.add)
        return strings

    def _grid(self, part: str, place: Place, shared: list[str]) -> Grid:
        reader = _Cells(place, shared, self._report)
        self._parse(part, reader.start, reader.end, reader.add)
        return reader.grid


class _Text:
    """The text of a cell or of a shared string: all of its runs, without what tells how to pronounce them."""

    def __init__(self) -> None:
        self._parts: List[str] = []
        self._is_open = False
        self._phonetic = 0

    def clear(self) -> None:
        self._parts = []

    def start(self, name: str) -> None:
        self._phonetic += name == "rPh"
        self._is_open = name in ("t", "v") and not self._phonetic

    def end(self, name: str) -> None:
        self._phonetic -= name == "rPh"
        self._is_open = False

    def add(self, text: str) -> None:
        if self._is_open:
            self._parts.append(text)

    def text(self) -> str:
        # A character that XML cannot have is written as _x000D_.
        text = re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found.group(1), 16)), "".join(self._parts))
        return text[: MOST_CHARACTERS + 1]


class _Cells:
    """Makes a grid of the elements of a sheet."""

    def __init__(self, place: Place, shared: list[str], report: Report) -> None:
        self.grid: dict[int, dict[int, str]] = {}
        self._place = place
        self._shared = shared
        self._report = report
        self._reader = _Text()
        self._row = self._column = self._cells = 0
        self._type = ""
        self._has_formula = self._has_value = False

    def add(self, text: str) -> None:
        self._reader.add(text)

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "row":
            self._row = self._number(attributes["r"], _LAST_ROW) if "r" in attributes else self._row + 1
            self._column = -1
        elif name == "c":
            self._column += 1
            if "r" in attributes:
                found = re.fullmatch(r"([A-Za-z]{1,3})([0-9]{1,7})", attributes["r"])
                if not found:
                    raise self._refusal(f"a cell is called '{shown(attributes['r'])}', which is no name of a cell")
                self._column = _column_number(found.group(1)) - 1
                self._row = self._number(found.group(2), _LAST_ROW)
            if self._column >= _LAST_COLUMN:
                raise self._refusal(f"there are more than {_LAST_COLUMN} columns: no spreadsheet has that many")
            self._type = attributes.get("t", "n")
            self._has_formula = self._has_value = False
            self._reader.clear()
        elif name == "f":
            self._has_formula = True
        elif name in ("v", "is"):
            self._has_value = True
        elif name == "mergeCell":
            self._report.tell(self._place, f"the cells {shown(attributes.get('ref', ''))} are merged: the first has the value, "
                                           "the others are empty")
        self._reader.start(name)

    def end(self, name: str) -> None:
        self._reader.end(name)
        if name != "c":
            return
        where = Place(self._place.file, self._place.sheet, self._row, _column_letters(self._column))
        if self._has_formula and not self._has_value:
            self._report.lose(where, "a formula without its value: open and save the workbook in a spreadsheet", "read as empty")
        text = self._value(self._reader.text(), where)
        if len(text) > MOST_CHARACTERS:
            raise Refused(f"{where}: it has more than {MOST_CHARACTERS} characters: no question has that many")
        if text:
            self.grid.setdefault(self._row, {})[self._column] = text
            self._cells += 1
            check_size(len(self.grid), self._cells, self._place)

    def _value(self, text: str, where: Place) -> str:
        if self._type == "s" and self._has_value:
            if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) >= len(self._shared):
                raise Refused(f"{where}: it names the shared text {shown(text)}, and there are {len(self._shared)}")
            return self._shared[int(text)]
        if self._type == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        if self._type == "e":
            self._report.lose(where, f"an error of the spreadsheet ({shown(text)})", "read as empty")
            return ""
        # A whole number may be written as 1.0 or 1E0.
        if self._type == "n" and re.fullmatch(r"-?[0-9]{1,15}(\.0+)?([eE]\+?0?[0-9])?", text) and float(text).is_integer():
            return str(int(float(text)))
        return text

    def _number(self, text: str, last: int) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= last:
            raise self._refusal(f"a row is numbered '{shown(text)}', which no spreadsheet has")
        return int(text)

    def _refusal(self, message: str) -> Refused:
        return Refused(f"{self._place}: {message}")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _column_letters(column: int) -> str:
    letters = ""
    column += 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
