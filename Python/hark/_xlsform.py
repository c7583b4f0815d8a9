"""XLSForm: a workbook, or CSV files, with the sheets survey, choices and settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Tuple

from ._expressions import Clause
from ._items import Choice, Collected, Item, Questionnaire, Texts
from ._patterns import set_pattern
from ._scales import set_bound, set_limit, set_moment, set_moment_bound, set_number, set_scale
from ._sheets import Place, Refused, Report, Row, Sheet, shown, tidy

SHEETS = ("survey", "choices", "settings")
COLUMNS = frozenset({
    "type", "name", "label", "list_name", "list name", "form_title", "form_id", "title", "id_string", "default_language",
    "version", "relevant", "required", "hint"})

_TAGS = {
    "arabic": "ar", "chinese": "zh", "dutch": "nl", "english": "en", "french": "fr", "german": "de", "hebrew": "he", "hindi": "hi",
    "italian": "it", "japanese": "ja", "polish": "pl", "portuguese": "pt", "russian": "ru", "spanish": "es", "swahili": "sw",
    "turkish": "tr", "ukrainian": "uk"}
_TAG = r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"

#: What every showing has anyway, by type: the columns of `hark answers --csv`.
_METADATA = {
    "start": "opened", "end": "answered", "today": "local_time", "username": "participant", "deviceid": "machine"}
_LEFT_OUT = {
    "geopoint", "geotrace", "geoshape", "start-geopoint", "image", "audio", "background-audio", "video", "file", "calculate",
    "hidden", "xml-external", "csv-external", "phonenumber", "email", "audit", "simserial", "subscriberid", "osm", "entity"}
_NUMBERS = {"integer": True, "int": True, "decimal": False}
_AS_TEXT = {
    "datetime": "dates with a time", "barcode": "barcodes"}
_MOST_GROUPS = 50
#: The parts of a constraint. What stands between quotes is no "and" of it.
_CONSTRAINTS = re.compile(r"""(?:'[^']*'|"[^"]*"|(?!\sand\s)[^'"])+|\sand\s|['"]""", re.IGNORECASE)
#: Columns that say more than a question can; of the others that are known none is told.
_LOST_COLUMNS = (
    "guidance_hint", "required_message", "constraint_message", "default", "readonly", "read_only", "trigger", "choice_filter",
    "media", "image", "audio", "video", "big-image", "autoplay", "calculation", "repeat_count", "intent", "parameters", "save_to",
    "body", "bind", "instance")
_KNOWN = {"type", "name", "label", "hint", "required", "relevant", "relevance", "constraint", "appearance", "disabled",
          *_LOST_COLUMNS}


class XLSForm:
    """A form of XLSForm, read into questions."""

    def __init__(self, sheets: dict[str, Sheet], place: Place, language: str | None, report: Report) -> None:
        self._report = report
        if "survey" not in sheets:
            raise Refused(f"{place}: there is no sheet 'survey', which has the questions")
        self._survey = sheets["survey"]
        missing = [name for name in ("type", "name") if name not in self._survey.columns]
        if missing:
            raise Refused(f"{self._survey.place}: there is no column '{missing[0]}' in its first row")
        settings = sheets.get("settings")
        self._settings = settings.rows[0] if settings and settings.rows else Row(Place(place.file, "settings"), {})
        self._choices_sheet = sheets.get("choices")
        self._tags: dict[str, str | None] = {}
        self._find_languages()
        self.languages = sorted({tag for tag in self._tags.values() if tag is not None})
        self.language = self._own_language(language)
        self._lists = self._read_lists()
        #: Of each group that is open its condition, or none.
        self._groups: list[Tuple[Clause, ...]] = []
        # A name of a file may hold what is no text.
        stem = tidy(Path(place.file).stem) or "questionnaire"
        name = self._settings["form_id"] or self._settings["id_string"] or stem
        title = self._settings["form_title"] or self._settings["title"] or name
        self.questionnaire = Questionnaire(name, title, Place(place.file), [])
        self._read_settings()
        self._collected = Collected(self.questionnaire, report)
        for column in self._survey.columns:
            if column.partition("::")[0] not in _KNOWN:
                at = Place(self._survey.place.file, "survey", 0, column)
                report.tell(at, "the column is not one of XLSForm's, and is not read")
        for row in self._survey.rows:
            self._read(row)
        self._collected.end()

    def _find_languages(self) -> None:
        for sheet in filter(None, (self._survey, self._choices_sheet)):
            for column in sheet.columns:
                base, _, name = column.partition("::")
                if base in ("label", "hint") and name not in self._tags:
                    tag = _tag(name)
                    if tag is None:
                        self._report.lose(Place(sheet.place.file, sheet.place.sheet, 0, column),
                                          f"the language has no code: write it as '{base}::{shown(name, 30)} (de)'")
                    self._tags[name] = tag

    def _own_language(self, wanted: str | None) -> str:
        if wanted is not None:
            tag = _tag(wanted)
            if tag not in self.languages or not tag:
                there = ", ".join(filter(None, self.languages)) or "no column with a language"
                raise Refused(f"{self._survey.place}: there are no texts in '{shown(wanted)}'; there are: {there}")
            return tag
        default = _tag(self._settings["default_language"])
        if default in self.languages and default is not None:
            return default
        if "" in self.languages or not self.languages:
            return ""
        # The first column that has a language is the one people wrote first.
        return next(tag for name in self._tags if (tag := self._tags[name]) is not None)

    def _read_settings(self) -> None:
        for column in self._settings.cells:
            if column in ("version", "instance_name", "style"):
                self._report.tell(self._settings.at(column), "it has no place in the file, and is left out")
            elif column not in ("form_title", "form_id", "title", "id_string", "default_language"):
                self._report.lose(self._settings.at(column), "the setting has no place in the file")

    def _texts(self, row: Row, base: str) -> Texts:
        texts: Texts = {}
        for column in row.cells:
            kind, _, name = column.partition("::")
            tag = self._tags.get(name)
            if kind != base or tag is None or tag in texts:
                continue
            texts[tag] = re.sub(r"\$\{[^}]*\}", "…", row[column])
            if texts[tag] != row[column]:
                self._report.lose(row.at(column), "a text cannot have the value of an answer in it", "'…' stands in its place")
        return texts

    def _image(self, row: Row) -> str:
        """The column of the image in the survey's own language, or of one without a language; "" for none."""
        found: dict[str | None, str] = {}
        for column in row.cells:
            base, _, name = column.removeprefix("media::").partition("::")
            # Images are files, and are not fetched.
            if base == "image" and row[column] and "://" not in row[column]:
                found.setdefault(_tag(name), column)
        return found.get(self.language) or found.get("") or ""

    def _read_lists(self) -> dict[str, list[Choice]]:
        lists: dict[str, list[Choice]] = {}
        if self._choices_sheet is None:
            return lists
        names: set[tuple[str, str]] = set()
        lost = set()
        for row in self._choices_sheet.rows:
            name = row["list_name"] or row["list name"]
            code = row["name"] or row["value"]
            if not name or not code:
                self._report.lose(row.place, "a choice needs a list_name and a name")
                continue
            if (name, code) in names:
                self._report.lose(row.at("name"), f"the list '{shown(name)}' has another choice '{shown(code)}'")
                continue
            names.add((name, code))
            image = self._image(row)
            lists.setdefault(name, []).append(Choice(code, self._texts(row, "label"), row[image] if image else ""))
            for column in row.cells:
                kind = column.partition("::")[0]
                if column != image and kind in ("media", "image", "audio", "video", "big-image") and kind not in lost:
                    lost.add(kind)
                    self._report.lose(row.at(column), "choices have one image, a file, and no sound")
        return lists

    def _read(self, row: Row) -> None:
        kind = " ".join(row["type"].split())
        word = kind.lower()
        if row["disabled"].lower() in ("yes", "true"):
            return
        if not kind:
            self._report.lose(row.place, "the row has no type")
        elif found := re.fullmatch(r"(begin|end)[ _](group|repeat|loop)", word):
            self._group(row, found.group(1) == "begin", found.group(2))
        elif word in _METADATA:
            self._report.tell(row.at("type"), f"every showing has it: the column '{_METADATA[word]}' of the export")
        elif word in _LEFT_OUT:
            self._report.lose(row.at("type"), f"there are no questions of the type '{word}'")
        elif word == "note":
            self._tell_columns(row, set())
            if texts := self._texts(row, "label"):
                self._collected.text(row.place, "the note", Item(row, row["name"], texts, clauses=self._within(row)))
        else:
            self._question(row, kind)

    def _within(self, row: Row | None = None) -> Tuple[Clause, ...]:
        """The conditions of the groups that are open, and that of a row."""
        return (*(clause for group in self._groups for clause in group), *(_clause(row) if row else ()))

    def _group(self, row: Row, begins: bool, kind: str) -> None:
        if not begins:
            if self._groups:
                self._groups.pop()
            else:
                self._report.lose(row.at("type"), "nothing begins that could end here")
            return
        if kind == "group":
            self._report.tell(row.at("type"), "questions have no groups: those in it follow each other")
        else:
            self._report.lose(row.at("type"), "questions cannot repeat", "those in it are asked once")
        self._groups.append(_clause(row))
        if len(self._groups) > _MOST_GROUPS:
            raise Refused(f"{row.place}: groups are nested more than {_MOST_GROUPS} deep")
        self._tell_columns(row, set())
        texts = self._texts(row, "label")
        if texts:
            self._collected.text(
                row.place, "the title of the group", Item(row, row["name"], texts, clauses=self._within()))

    def _tell_columns(self, row: Row, used: set[str]) -> None:
        for column in row.cells:
            base = column.partition("::")[0]
            if column in used:
                continue
            if base in _LOST_COLUMNS and base not in used:
                self._report.lose(row.at(column), f"'{shown(base)}' cannot be expressed")
            elif base == "appearance" and base not in used:
                self._report.tell(row.at(column), "how a question looks is the surface's own")

    def _question(self, row: Row, kind: str) -> None:
        item = Item(row, row["name"], self._texts(row, "label"), hints=self._texts(row, "hint"), clauses=self._within(row))
        if not item.texts:
            item.texts = {"": row["name"] or "…"}
            if item.hints:
                item.texts, item.hints = item.hints, {}
            self._report.tell(row.at("label"), "there is no label, so its hint or name is asked")
        item.required = self._required(row)
        used = self._kind(item, row, kind)
        if column := self._image(row):
            item.image = row[column]
            used = used | {column}
            self._report.tell(row.at(column), "the image's 'alt' is the text of the question; write what it shows")
        self._constraint(item, row)
        if "pattern" in item.limits:
            # It is said of the whole constraint, of which a text has little else.
            item.messages = self._texts(row, "constraint_message")
            used = used | {"constraint_message"}
        self._tell_columns(row, used)
        self._collected.question(item)

    def _kind(self, item: Item, row: Row, kind: str) -> set[str]:
        """Reads the type. Returns the columns that it used up."""
        word = kind.lower()
        found = re.fullmatch(r"(select[ _]one|select1|select[ _]multiple|rank)\s+(\S+)(\s+or[ _]other)?", kind, re.IGNORECASE)
        if found:
            item.choices = list(self._lists.get(found.group(2), []))
            if not item.choices:
                self._report.lose(row.at("type"), f"there is no list '{shown(found.group(2))}'", "asked as text")
            elif found.group(1).lower() == "rank":
                item.kind = "ranking" if len(item.choices) > 1 else "single"
            else:
                item.kind = "multiple" if "multiple" in found.group(1).lower() else "single"
                if found.group(3):
                    # A choice of that name is the one that takes the text.
                    own = [choice for choice in item.choices if choice.code == "other"]
                    item.choices = [choice for choice in item.choices if choice.code != "other"]
                    item.other = own[0] if own else Choice("other", {"": "Other"})
            if item.kind != "text" and re.search(r"\brandomize\s*=\s*true\b", row["parameters"], re.IGNORECASE):
                item.shuffled = True
                # The seed is the showing's own.
                return {"parameters"}
        elif word == "range":
            given = dict(re.findall(r"(start|end|step)\s*=\s*(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)", row["parameters"]))
            start, end, step = (float(given.get(name, usual)) for name, usual in (("start", "1"), ("end", "10"), ("step", "1")))
            set_scale(item, start, end, step, row.at("parameters"), self._report)
            return {"parameters", "appearance" if row["appearance"] == "rating" else ""}
        elif word in ("acknowledge", "trigger"):
            item.kind, item.choices = "single", [Choice("OK", {"": "OK"})]
        elif word in _NUMBERS:
            set_number(item, _NUMBERS[word], "", "")
        elif word in ("date", "time"):
            set_moment(item, word)
        elif word in _AS_TEXT:
            self._report.lose(row.at("type"), f"there are no questions for {_AS_TEXT[word]}", "asked as text, without a check")
        elif word not in ("text", "string"):
            self._report.lose(row.at("type"), f"the type '{shown(kind)}' is not known", "asked as text")
        return set()

    def _required(self, row: Row) -> bool:
        word = row["required"].lower()
        if word in ("yes", "true", "true()", "1", "y"):
            return True
        if word not in ("", "no", "false", "false()", "0", "n"):
            self._report.lose(row.at("required"), "a question is required or not, on no condition", "it may be passed over")
        return False

    def _constraint(self, item: Item, row: Row) -> None:
        for part in _CONSTRAINTS.findall(row["constraint"]):
            if part.strip().lower() == "and":
                continue
            pattern = re.fullmatch(r"""\(?\s*regex\(\s*\.\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)\s*\)?""", part.strip())
            if pattern and set_pattern(item, pattern.group(1) or pattern.group(2) or "", row.at("constraint"), self._report):
                continue
            found = re.fullmatch(
                r"\(?\s*(count-selected|string-length)\(\s*\.\s*\)\s*(<=|>=|=|<|>)\s*([0-9]{1,6})\s*\)?", part.strip())
            bound = re.fullmatch(r"\(?\s*\.\s*(<=|>=|<|>)\s*(-?[0-9.]{1,20})\s*\)?", part.strip())
            if bound and set_bound(item, bound.group(1), bound.group(2)):
                continue
            moment = re.fullmatch(
                r"""\(?\s*\.\s*(<=|>=)\s*(?:(today)\(\)|(?:date\()?['"]([0-9:-]{5,10})['"]\)?)\s*\)?""", part.strip())
            if moment and set_moment_bound(item, "min" if moment.group(1) == ">=" else "max", moment.group(2) or moment.group(3)):
                continue
            if not found or not set_limit(item, found.group(1), found.group(2), int(found.group(3))):
                self._report.lose(row.at("constraint"), f"'{shown(part.strip())}' cannot be checked")


def _clause(row: Row) -> Tuple[Clause, ...]:
    """The condition of a row, or none."""
    column = "relevant" if row["relevant"] else "relevance"
    return (Clause(row[column], row.at(column)),) if row[column] else ()


def _tag(name: str) -> str | None:
    """The code of a language, as in 'German (de)', 'de' or 'German'; "" where none is named."""
    if not name:
        return ""
    found = re.search(rf"\(\s*({_TAG})\s*\)\s*$", name) or re.fullmatch(rf"({_TAG})", name.strip())
    if name.strip().lower() in _TAGS:
        return _TAGS[name.strip().lower()]
    return found.group(1).lower() if found else None
