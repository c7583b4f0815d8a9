"""Questions as every format has them, and how they are written into a file of surveys or forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Tuple

from ._expressions import Clause, Unsupported
from ._matrices import fold, settle
from ._sheets import Place, Refused, Report, Row, shown
from ._whens import Known, NotSaid, Work, when

#: Texts by language tag; "" is the language of columns that name none.
Texts = Dict[str, str]

MOST_QUESTIONS = 200
#: The most choices that somebody is to look through.
MOST_CHOICES = 2_000


@dataclass
class Choice:
    code: str
    texts: Texts
    #: The file of its image; "" for none.
    image: str = ""


@dataclass
class Item:
    """A question."""

    row: Row
    #: Its name in the sheet; conditions know it by this.
    name: str
    texts: Texts
    kind: str = "text"
    hints: Texts = field(default_factory=dict)
    #: Texts that stand above it: notes, titles of sections.
    above: list[Texts] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    #: The matrix whose row it is; "" for none.
    matrix: str = ""
    #: Whether choices are shown in an order by chance.
    shuffled: bool = False
    #: The option that takes a text.
    other: Choice | None = None
    required: bool = False
    scale: int = 5
    #: The file of its image; "" for none.
    image: str = ""
    #: What is said of a text that has not the form of its pattern.
    messages: Texts = field(default_factory=dict)
    #: minSelections, maxSelections, minLength, maxLength, pattern; of a scale or number min, max, step, integer.
    limits: dict[str, Any] = field(default_factory=dict)
    #: The conditions on which it is asked; all must hold.
    clauses: Tuple[Clause, ...] = ()

    def say(self, language: str, own: str) -> str:
        """All of its texts in a language; what is not there in it is said in the survey's own."""
        texts = [*self.above, self.texts, {} if self.kind == "text" else self.hints]
        return joined(texts, language, own)

    def has(self, language: str) -> bool:
        return any(language in texts for texts in [*self.above, self.texts, {} if self.kind == "text" else self.hints])

    def codes(self) -> list[Choice]:
        """All of its choices, with the one that takes a text."""
        return self.choices + ([self.other] if self.other else [])

    def said(self) -> list[str]:
        """The texts of its conditions, wherever they stand."""
        return [clause.text for clause in self.clauses]

    def bounds(self) -> dict[str, Any]:
        """What limits its answers, with the ends and steps of every scale."""
        ends = {"rating": (1, self.scale), "nps": (0, 10)}.get(self.kind)
        return {"min": ends[0], "max": ends[1], "step": 1} if ends else self.limits

    def options(self, language: str, fallback: str) -> list[str]:
        """The texts of its choices, each another one."""
        found: dict[str, None] = {}
        for choice in self.choices:
            text = pick(choice.texts, language, fallback) or choice.code
            while text in found:
                text += f" ({choice.code})"
            found[text] = None
        return list(found)


@dataclass
class Questionnaire:
    id: str
    title: str
    place: Place
    items: list[Item] = field(default_factory=list)
    #: Texts above the first question.
    message: list[Texts] = field(default_factory=list)


def pick(texts: Texts, *languages: str) -> str:
    """The text in the first of the languages that it is there in, or else in any."""
    return next((texts[language] for language in (*languages, "", *texts) if texts.get(language)), "")


def joined(texts: Iterable[Texts], *languages: str) -> str:
    return "\n\n".join(filter(None, (pick(each, *languages) for each in texts)))


def write(
    questionnaire: Questionnaire, kind: str, language: str, languages: Iterable[str], work: Work, report: Report
) -> dict[str, Any]:
    """
    A survey or a form of a questionnaire.

    :param language: the survey's own.
    :param languages: all of them; in the others there are translations.
    """
    items = questionnaire.items
    if not items:
        raise Refused(f"{questionnaire.place}: there is no question that can be asked")
    if len(items) > MOST_QUESTIONS:
        raise Refused(f"{questionnaire.place}: there are {len(items)} questions, and at most {MOST_QUESTIONS} can be in one file's "
                      "survey or form: part them into several sheets")
    for item in items:
        if len(item.choices) > MOST_CHOICES:
            report.lose(item.row.place, f"there are more than {MOST_CHOICES} choices", "asked as text")
            item.kind, item.choices, item.other, item.limits = "text", [], None, {}
    settle(items, report)
    ids = _ids(items, report)
    for item in items:
        _tell_options(item, language, report)
    whens = _conditions(questionnaire, ids, work, report)
    questions = [
        _question(item, ids[id(item)], language, condition) for item, condition in zip(questionnaire.items, whens)]
    questions = fold(
        questions, questionnaire.items, lambda item: joined([item.texts, item.hints], language),
        lambda item: joined(item.above, language))
    message = joined(questionnaire.message, language)
    if kind == "form":
        for other in sorted(set(languages) - {language, ""}):
            report.lose(questionnaire.place, f"a form has one language, so the texts in '{other}' have no place (a survey has)")
        head: dict[str, Any] = {"id": questionnaire.id, "title": questionnaire.title}
        return {**head, **({"message": message} if message else {}), "questions": questions}
    event = f"ask_{questionnaire.id}"
    report.tell(questionnaire.place, f"the event '{shown(event)}' triggers the survey; 'trigger' can name another one")
    survey: dict[str, Any] = {
        "id": questionnaire.id, "title": questionnaire.title, "message": message,
        "trigger": {"event": {"name": event}}, "questions": questions}
    translations = {}
    for other in languages:
        if other not in (language, ""):
            translation = _translation(questionnaire, ids, other, language)
            if translation:
                translations[other] = translation
    return {**survey, **({"translations": translations} if translations else {})}


def _ids(items: list[Item], report: Report) -> dict[int, str]:
    """Of each item its id: the name in the sheet, unless it cannot be one."""
    taken = {"end"}
    found = {}
    for number, item in enumerate(items, 1):
        name = item.name or f"q{number}"
        if item.matrix:
            name = f"{item.matrix}.{name}"
        free, count = name, 1
        # The text of an option "other" is an answer of its own, called ID.other.
        while free in taken or item.other and f"{free}.other" in taken:
            count += 1
            free = f"{name}_{count}"
        if free != item.name and not item.matrix:
            why = "there is no name" if not item.name else "the name is there twice"
            why = "'end' stands for the end" if name == "end" else why
            report.tell(item.row.place, f"{why}, so the question is called '{shown(free)}'")
        taken.update({free, f"{free}.other"} if item.other else {free})
        found[id(item)] = free
    return found


def _tell_options(item: Item, language: str, report: Report) -> None:
    if [pick(choice.texts, language) for choice in item.choices] != item.options(language, language):
        report.tell(item.row.place, "two choices have the same text, or one has none: their names stand beside or in its place")


def _conditions(questionnaire: Questionnaire, ids: dict[int, str], work: Work, report: Report) -> list[Any]:
    """Of each question that may be asked its `when`, or None. The others are taken out."""
    # Of two questions of one name the first is meant.
    places: dict[str, int] = {}
    for number, item in enumerate(questionnaire.items):
        if item.kind != "note":
            places.setdefault(item.name, number)
    known: dict[str, Known] = {}
    asked: list[Item] = []
    whens: list[Any] = []
    for number, item in enumerate(questionnaire.items):
        condition = _condition(item, number, places, known, work, report)
        if condition is False:
            known.setdefault(item.name, Known(ids[id(item)], item.kind, is_gone=True))
            continue
        if item.kind != "note" and places[item.name] == number:
            known[item.name] = Known(
                ids[id(item)], item.kind, dict.fromkeys(choice.code for choice in item.codes()), item.bounds(),
                is_certain=item.required and condition is True)
        asked.append(item)
        whens.append(None if condition is True else condition)
    if all(item.kind == "note" for item in asked):
        raise Refused(f"{questionnaire.place}: there is no question that can be asked")
    questionnaire.items = asked
    return whens


def _condition(item: Item, number: int, places: dict[str, int], known: dict[str, Known], work: Work, report: Report) -> Any:
    """The `when` of a question; True: it is always asked, False: it is left out."""
    name = item.name or pick(item.texts)

    def find(source: str) -> Known:
        place = places.get(source)
        if place is None:
            raise Unsupported(f"it looks at '{shown(source)}', which is not asked", "Let it look at a question that is asked")
        if place >= number:
            raise Unsupported(
                f"it looks at '{shown(source)}', which is not asked before", f"Put the question behind '{shown(source)}'")
        return known[source]

    def tell(clause: Clause, what: str) -> None:
        report.tell(clause.place, f"of the condition of '{shown(name)}', {what}")

    try:
        condition = when(item.clauses, find, work, tell)
    except NotSaid as problem:
        what = f"the condition '{shown(problem.clause.text, 100)}' of '{shown(name)}' cannot be expressed: {problem}"
        if item.kind == "note":
            report.lose(problem.clause.place, what, f"the note is left out. {problem.advice}")
            return False
        report.lose(problem.clause.place, what, f"everybody is asked, and may pass the question over. {problem.advice}")
        item.required = False
        return True
    if condition is False:
        report.lose(item.clauses[-1].place, f"'{shown(name)}' is never asked, as its condition cannot hold")
    return condition


def _option(choice: Choice, label: str) -> Any:
    named = {} if choice.code == label else {"label": label}
    image = {"image": choice.image, "alt": label} if choice.image else {}
    return {"value": choice.code, **named, **image} if named or image else label


def _question(item: Item, name: str, language: str, condition: Any) -> dict[str, Any]:
    question: dict[str, Any] = {"id": name, "type": item.kind, "question": item.say(language, language)}
    if item.image:
        # What it shows is not in the sheet: the question's own text is the nearest to it.
        question.update(image=item.image, alt=pick(item.texts, language) or name)
    if item.kind in ("single", "multiple", "ranking"):
        question["options"] = [
            _option(choice, label) for choice, label in zip(item.choices, item.options(language, language))]
    if item.shuffled and item.choices:
        question["shuffle"] = True
    if item.other:
        label = pick(item.other.texts, language)
        # Hark says "Other" in the language of the person.
        question["other"] = label if label not in ("", "Other") else True
    if item.kind == "rating":
        question["scale"] = item.scale
    if item.kind == "text" and pick(item.hints, language):
        question["placeholder"] = pick(item.hints, language)
    question.update(item.limits)
    if "pattern" in item.limits and pick(item.messages, language):
        question["patternMessage"] = pick(item.messages, language)
    if not item.required and item.kind != "note":
        question["required"] = False
    if condition is not None:
        question["when"] = condition
    return question


def _translation(questionnaire: Questionnaire, ids: dict[int, str], language: str, own: str) -> dict[str, Any]:
    questions = {}
    for item in questionnaire.items:
        texts: dict[str, Any] = {}
        if item.has(language):
            texts["question"] = item.say(language, own)
        if item.image and language in item.texts:
            texts["alt"] = item.texts[language]
        if item.kind in ("single", "multiple", "ranking") and any(language in choice.texts for choice in item.choices):
            texts["options"] = [
                {"label": label, "alt": label} if choice.image else label
                for choice, label in zip(item.choices, item.options(language, own))]
        if item.other and language and language in item.other.texts:
            texts["other"] = item.other.texts[language]
        if item.kind == "text" and language in item.hints:
            texts["placeholder"] = item.hints[language]
        if "pattern" in item.limits and language in item.messages:
            texts["patternMessage"] = item.messages[language]
        if texts:
            questions[ids[id(item)]] = texts
    translation: dict[str, Any] = {}
    if any(language in texts for texts in questionnaire.message):
        translation["message"] = joined(questionnaire.message, language, own)
    return {**translation, **({"questions": questions} if questions else {})}
