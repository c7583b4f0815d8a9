"""What a sheet has, one after the other: questions, and the texts that stand between them."""

from __future__ import annotations

from ._items import Item, Questionnaire
from ._sheets import Place, Report


class Collected:
    """Questions as a sheet has them, one after the other, with the texts that stand between them."""

    def __init__(self, questionnaire: Questionnaire, report: Report) -> None:
        self.questionnaire = questionnaire
        self._report = report
        #: Texts that wait for the question below: where they are, what to call them, and each as a note.
        self._waiting: list[tuple[Place, str, Item]] = []

    def text(self, place: Place, what: str, note: Item) -> None:
        """A text that is no question: a note, the title of a section."""
        note.kind = "note"
        if not self.questionnaire.items and not self._waiting and not note.clauses:
            self._report.tell(place, f"{what} above the first question is part of the survey's message")
            self.questionnaire.message.append(note.texts)
        else:
            self._waiting.append((place, what, note))

    def question(self, item: Item) -> None:
        """A question. The texts right above it that are shown on the same condition become a part of its own."""
        count = len(self._waiting)
        while count and self._waiting[count - 1][2].said() == item.said():
            count -= 1
        for place, what, note in self._waiting[count:]:
            self._report.tell(place, f"{what} stands above the text of the question below")
            item.above.append(note.texts)
        del self._waiting[count:]
        self.end()
        self.questionnaire.items.append(item)

    def end(self) -> None:
        """The texts that wait become pages of their own: one page for those on the same condition."""
        page: Item | None = None
        for place, what, note in self._waiting:
            if page is not None and page.said() == note.said():
                self._report.tell(place, f"{what} stands below the one before it")
                page.above.append(page.texts)
                page.texts = note.texts
            else:
                self._report.tell(place, f"{what} has a page of its own, without an answer")
                page = note
                self.questionnaire.items.append(note)
        self._waiting = []
