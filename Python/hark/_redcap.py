"""REDCap's data dictionary: one CSV with 18 columns, a row for each field."""

from __future__ import annotations

import re

from ._collected import Collected
from ._expressions import Clause
from ._items import Choice, Item, Questionnaire, Texts
from ._patterns import VALIDATIONS, set_pattern
from ._scales import set_moment, set_number, set_scale
from ._sheets import Place, Refused, Report, Row, Sheet, shown

#: Each column as the dictionary calls it, and as the API of REDCap does.
_NAMES = {
    "variable / field name": "field_name", "form name": "form_name", "section header": "section_header", "field type": "field_type",
    "field label": "field_label", "choices, calculations, or slider labels": "select_choices_or_calculations",
    "field note": "field_note", "text validation type or show slider number": "text_validation_type_or_show_slider_number",
    "text validation min": "text_validation_min", "text validation max": "text_validation_max", "identifier?": "identifier",
    "branching logic (show field only if...)": "branching_logic", "required field?": "required_field",
    "custom alignment": "custom_alignment", "question number (surveys only)": "question_number",
    "matrix group name": "matrix_group_name", "matrix ranking?": "matrix_ranking", "field annotation": "field_annotation"}
COLUMNS = frozenset(_NAMES) | frozenset(_NAMES.values())

_LEFT_OUT = {"calc": "is computed and not asked", "file": "takes a file", "sql": "has its choices in a database"}


class Dictionary:
    """A data dictionary, read into a questionnaire for each of its forms."""

    language = ""
    languages: list[str] = []

    def __init__(self, sheet: Sheet, report: Report) -> None:
        self._report = report
        self._columns = {_NAMES.get(column, column): column for column in sheet.columns}
        missing = [name for name in ("field_name", "form_name", "field_type", "field_label") if name not in self._columns]
        if missing:
            called = next(name for name, short in _NAMES.items() if short == missing[0])
            raise Refused(f"{sheet.place}: there is no column '{called}' in its first row: this is no data dictionary of REDCap")
        if not sheet.rows:
            raise Refused(f"{sheet.place}: there are no fields in it")
        for column in sheet.columns:
            if column not in COLUMNS:
                report.tell(Place(sheet.place.file, "", 0, column), "the column is not one of REDCap's, and is not read")
        self._fields = {self._cell(row, "field_name").lower() for row in sheet.rows}
        self._forms: dict[str, Collected] = {}
        self._file = sheet.place
        #: Of the matrix that is read: its name, and its title.
        self._matrix: tuple[str, Texts] = ("", {})
        for number, row in enumerate(sheet.rows):
            self._read(row, number == 0)
        self.questionnaires: list[Questionnaire] = []
        for collected in self._forms.values():
            collected.end()
            items = collected.questionnaire.items
            if any(item.kind != "note" for item in items):
                self.questionnaires.append(collected.questionnaire)
            elif items:
                report.lose(items[0].row.place, f"the form '{shown(collected.questionnaire.id)}' has no question, only texts")

    def _cell(self, row: Row, name: str) -> str:
        return row[self._columns.get(name, name)]

    def _at(self, row: Row, name: str) -> Place:
        return row.at(self._columns.get(name, name))

    def _text(self, row: Row, name: str) -> Texts:
        """A text without markup, and without the values of answers."""
        text = self._cell(row, name)
        plain = re.sub(r"[ \t]*<br ?/?>[ \t]*", "\n", text, flags=re.IGNORECASE)
        plain = re.sub(r"</?[A-Za-z][^<>]{0,2000}>", "", plain).strip()
        if plain != text:
            self._report.tell(self._at(row, name), "texts have no markup: its tags are left out")
        filled = re.sub(
            r"\[([a-z][a-z0-9_]*)(?:\([^)\]]*\))?(?::[a-z]+)?\]",
            lambda found: "…" if found.group(1) in self._fields else found.group(0), plain)
        if filled != plain:
            self._report.lose(self._at(row, name), "a text cannot have the value of an answer in it", "'…' stands in its place")
        return {"": filled} if filled else {}

    def _read(self, row: Row, is_first: bool) -> None:
        form = self._cell(row, "form_name") or "questionnaire"
        if form not in self._forms:
            title = form.replace("_", " ").strip() or form
            self._forms[form] = Collected(Questionnaire(form, title[:1].upper() + title[1:], self._file), self._report)
        collected = self._forms[form]
        kind = self._cell(row, "field_type").lower()
        if is_first and kind == "text" and not self._cell(row, "section_header"):
            self._report.tell(row.place, "the first field is the id of the record, which a showing has: left out")
            return
        annotation = self._cell(row, "field_annotation").upper()
        if re.search(r"@(HIDDEN|READONLY)(-SURVEY|-FORM)?\b", annotation):
            self._report.lose(self._at(row, "field_annotation"), "the field is hidden from people, or not theirs to fill in")
            return
        logic = self._cell(row, "branching_logic")
        clauses = (Clause(logic, self._at(row, "branching_logic")),) if logic else ()
        name = self._cell(row, "field_name").lower()
        matrix = self._cell(row, "matrix_group_name").lower()
        header = self._header(row)
        if header and not matrix:
            collected.text(
                self._at(row, "section_header"), "the title of the section", Item(row, f"{name}_header", header, clauses=clauses))
        if kind == "descriptive":
            texts = self._text(row, "field_label")
            if texts:
                collected.text(row.place, "the description", Item(row, name, texts, clauses=clauses))
        elif kind in _LEFT_OUT:
            self._report.lose(self._at(row, "field_type"), f"a field of the type '{kind}' {_LEFT_OUT[kind]}")
        else:
            item = Item(row, name, self._text(row, "field_label"), hints=self._text(row, "field_note"), clauses=clauses)
            if not item.texts:
                item.texts = {"": item.name or "…"}
                self._report.tell(self._at(row, "field_label"), "there is no label, so its name is asked")
            item.required = self._cell(row, "required_field").lower() in ("y", "yes", "1")
            self._kind(item, row, kind)
            self._annotation(item, row)
            self._tell_columns(row)
            collected.question(item)
            if matrix:
                # What is asked stands above each of its rows.
                item.matrix = matrix
                item.above.extend([header] if header else [])

    def _header(self, row: Row) -> Texts:
        """The title above a field. That of a matrix is the one above its first row."""
        header = self._text(row, "section_header")
        matrix = self._cell(row, "matrix_group_name")
        if matrix and matrix == self._matrix[0]:
            return header or self._matrix[1]
        self._matrix = (matrix, header)
        return header

    def _kind(self, item: Item, row: Row, kind: str) -> None:
        if kind in ("radio", "dropdown", "checkbox"):
            item.choices = self._choices(row)
            item.kind = "multiple" if kind == "checkbox" else "single"
            if not item.choices:
                item.kind = "text"
                self._report.lose(self._at(row, "select_choices_or_calculations"), "there are no choices", "asked as text")
        elif kind in ("yesno", "truefalse"):
            yes, no = ("Yes", "No") if kind == "yesno" else ("True", "False")
            item.kind, item.choices = "single", [Choice("1", {"": yes}), Choice("0", {"": no})]
        elif kind == "slider":
            self._slider(item, row)
        elif kind in ("text", "notes"):
            validation = self._cell(row, "text_validation_type_or_show_slider_number")
            least, most = self._cell(row, "text_validation_min"), self._cell(row, "text_validation_max")
            if validation in ("integer", "number"):
                if not set_number(item, validation == "integer", least, most):
                    self._report.lose(self._at(row, "text_validation_min"), "these limits are not numbers, or contradict each other",
                                      "a number without them")
                return
            moment = "date" if validation in ("date_ymd", "date_mdy", "date_dmy") else validation if validation == "time" else ""
            if moment:
                if not set_moment(item, moment, least, most):
                    self._report.lose(self._at(row, "text_validation_min"),
                                      f"these limits are no {moment}s, or contradict each other", f"a {moment} without some of them")
                return
            if validation in VALIDATIONS:
                set_pattern(item, VALIDATIONS[validation], row.place, self._report)
            elif validation:
                self._report.lose(self._at(row, "text_validation_type_or_show_slider_number"),
                                  f"there are no questions of the kind '{shown(validation)}'", "asked as text, without a check")
            for name in ("text_validation_min", "text_validation_max"):
                if self._cell(row, name):
                    self._report.lose(self._at(row, name), "a text has no least and no greatest value")
        else:
            self._report.lose(self._at(row, "field_type"), f"the type '{shown(kind)}' is not known", "asked as text")

    def _slider(self, item: Item, row: Row) -> None:
        start, end = (
            float(text) if re.fullmatch(r"-?[0-9]{1,9}", text := self._cell(row, name)) else usual
            for name, usual in (("text_validation_min", 0.0), ("text_validation_max", 100.0)))
        set_scale(item, start, end, 1, self._at(row, "field_type"), self._report)
        labels = [part.strip() for part in self._cell(row, "select_choices_or_calculations").split("|")]
        if any(labels):
            self._report.tell(self._at(row, "select_choices_or_calculations"), "the labels of the slider stand behind the question")
            item.hints = {"": "\n\n".join(filter(None, [item.hints.get("", ""), " – ".join(filter(None, labels))]))}

    def _choices(self, row: Row) -> list[Choice]:
        found: list[Choice] = []
        for part in self._cell(row, "select_choices_or_calculations").split("|"):
            code, comma, text = (word.strip() for word in part.partition(","))
            if not code:
                continue
            if any(choice.code == code for choice in found):
                self._report.lose(self._at(row, "select_choices_or_calculations"), f"there is another choice '{shown(code)}'")
                continue
            text = re.sub(r"</?[A-Za-z][^<>]{0,2000}>", "", text).strip()
            found.append(Choice(code, {"": text or code}))
        return found

    def _annotation(self, item: Item, row: Row) -> None:
        for tag, value in re.findall(r"(@[A-Za-z-]+)(?:\s*=\s*[\"']?([^\"'\s@]*))?", self._cell(row, "field_annotation")):
            name, limit = tag.upper(), int(value) if re.fullmatch(r"[0-9]{1,6}", value) else 0
            if name == "@MAXCHECKED" and item.kind == "multiple" and 0 < limit:
                item.limits["maxSelections"] = min(limit, len(item.choices))
            elif name == "@CHARLIMIT" and item.kind == "text" and 0 < limit:
                item.limits["maxLength"] = limit
            else:
                self._report.lose(self._at(row, "field_annotation"), f"'{shown(name)}' cannot be expressed")

    def _tell_columns(self, row: Row) -> None:
        if self._cell(row, "identifier").lower() in ("y", "yes", "1"):
            self._report.lose(self._at(row, "identifier"), "no question can be marked as one that identifies a person",
                              "asked without the mark: 'redactTextAfterSeconds' of a survey can remove its text")
        if self._cell(row, "matrix_ranking").lower() in ("y", "yes", "1"):
            self._report.lose(self._at(row, "matrix_ranking"), "choices cannot be put in order", "each row takes any choice")
        for name in ("custom_alignment", "question_number"):
            if self._cell(row, name):
                self._report.tell(self._at(row, name), "how a question looks is the surface's own")
