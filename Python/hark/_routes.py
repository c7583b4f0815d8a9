"""Conditions on questions as ways from one question to the next.

A question says where to go on by its own answer alone. So conditions can be expressed if, at each question and for each of its
answers, the next question is the same whatever was answered before on the ways that lead there. That is found by walking all of
them, with answers that no condition tells apart taken as one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Tuple

from ._expressions import OTHER, Condition, Given, Test, Unsupported
from ._sheets import Place, Refused, shown

#: The most choices of one question that conditions name, and the most ways that are told apart at a question.
_MOST_NAMED, _MOST_WAYS = 8, 3_000

#: Of questions before, by their numbers: which tests their answers pass. One that was not asked is not there.
_State = FrozenSet[Tuple[int, Tuple[bool, ...]]]


class Unrouted(Exception):
    """A question whose condition cannot be expressed, or that is never asked."""

    def __init__(self, number: int, why: str, is_never_asked: bool = False) -> None:
        super().__init__(why)
        self.number = number
        self.is_never_asked = is_never_asked


@dataclass
class Asked:
    name: str
    id: str
    kind: str
    #: Of each choice its code and the text that stands for it in the file.
    values: Dict[str, str]
    required: bool
    scale: int
    limits: Dict[str, Any]
    when: Condition | None


class Work:
    """How much may be weighed, over all that is tried with one questionnaire."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._left = 2_000_000

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Refused(f"{self._place}: its conditions are too many and too tangled: take some of them out")


@dataclass(frozen=True)
class _Literal:
    """A comparison with the answer, as the file has it."""

    matcher: Any
    holds: Callable[[Given], bool]


def routes(questions: List[Asked], numbers: Dict[str, int], work: Work) -> List[List[Dict[str, Any]]]:
    """Of each question the members of its `next`.

    :param numbers: of each name that conditions may have, the number of its question.
    :raises Unrouted: for the first condition that cannot be expressed.
    """
    return _Walk(questions, numbers, work).result()


class _Walk:
    def __init__(self, questions: List[Asked], numbers: Dict[str, int], work: Work) -> None:
        self._work = work
        self._questions = questions
        self._numbers = numbers
        #: Of each question the tests that conditions make of its answer, with their numbers.
        self._tests: List[Dict[Test, int]] = [{} for _ in questions]
        #: The last question whose condition looks at the answer.
        self._last_use = [-1] * len(questions)
        for number, question in enumerate(questions):
            if question.when and question.when.problem():
                raise Unrouted(number, question.when.problem())
            for test in question.when.tests() if question.when else ():
                source = numbers.get(test.name)
                if source is None:
                    raise Unrouted(number, f"it looks at '{shown(test.name)}', which is not asked")
                if source >= number:
                    raise Unrouted(number, f"it looks at '{shown(test.name)}', which is not asked before")
                self._tests[source].setdefault(test, len(self._tests[source]))
                self._last_use[source] = number
        self._answers = [self._possible(number) for number in range(len(questions))]
        self._none = [tuple(self._check(test, None) for test in tests) for tests in self._tests]

    def result(self) -> List[List[Dict[str, Any]]]:
        count = len(self._questions)
        states: List[set[_State]] = [set() for _ in range(count + 1)]
        first = self._target(-1, frozenset())
        states[first].add(frozenset())
        found = []
        for number in range(count):
            if len(states[number]) > _MOST_WAYS:
                raise Unrouted(self._next_conditional(number), "there are too many ways through the questions before")
            targets: Dict[Given, int] = {}
            for given in self._answers[number]:
                passed = tuple(self._check(test, given) for test in self._tests[number])
                reached = set()
                for state in states[number]:
                    self._work.spend(len(state))
                    after = state | {(number, passed)}
                    target = self._target(number, after)
                    reached.add(target)
                    states[target].add(frozenset(pair for pair in after if self._last_use[pair[0]] > target))
                if len(reached) > 1:
                    raise Unrouted(min(reached), "it depends on more than the answer to the question that is asked before it")
                targets[given] = next(iter(reached), number + 1)
            found.append(self._next(number, targets))
        for number in range(count):
            if not states[number]:
                raise Unrouted(number, "no answer leads to it", is_never_asked=True)
        return found

    def _next_conditional(self, number: int) -> int:
        """The next question that has a condition. There is one wherever states are told apart."""
        return next(place for place, question in enumerate(self._questions) if place >= number and question.when is not None)

    def _target(self, number: int, state: _State) -> int:
        known = dict(state)

        def holds(test: Test) -> bool:
            self._work.spend(1)
            source = self._numbers[test.name]
            return known.get(source, self._none[source])[self._tests[source][test]]

        for place in range(number + 1, len(self._questions)):
            when = self._questions[place].when
            self._work.spend(1)
            if when is None or when.holds(holds):
                return place
        return len(self._questions)

    def _check(self, test: Test, given: Given) -> bool:
        self._work.spend(1)
        try:
            return test.holds(given)
        except Unsupported as problem:
            raise Unrouted(self._user(test), str(problem)) from None

    def _user(self, test: Test) -> int:
        """The first question whose condition has a test of an answer."""
        return next(place for place, question in enumerate(self._questions)
                    if question.when is not None and test in question.when.tests())

    def _possible(self, number: int) -> List[Given]:
        question, tests = self._questions[number], self._tests[number]
        answers: List[Given] = [] if question.required else [None]
        if question.kind == "single":
            return answers + list(question.values)
        if question.kind in ("rating", "nps"):
            return answers + list(range(1, question.scale + 1) if question.kind == "rating" else range(11))
        if question.kind in ("number", "scale"):
            # A number for each that a condition names, and one for each gap around them.
            numbers = self._numbers_named(number)
            gaps = [(one + other) / 2 for one, other in zip(numbers, numbers[1:])]
            around = [numbers[0] - 1, numbers[-1] + 1] if numbers else [0.0]
            ends = [question.limits[name] for name in ("min", "max") if name in question.limits]
            return answers + [given for given in sorted({*numbers, *gaps, *around, *ends}) if _is_within(given, question.limits)]
        if question.kind == "multiple":
            tested = {test.value for test in tests if test.op == "selected"}
            named = [code for code in question.values if code in tested]
            if len(named) > _MOST_NAMED:
                raise Unrouted(
                    self._user(next(iter(tests))), f"conditions name more than {_MOST_NAMED} choices of '{shown(question.name)}'")
            others = len(question.values) - len(named)
            least = question.limits.get("minSelections", 1)
            most = question.limits.get("maxSelections", len(question.values))
            return answers + [
                frozenset(chosen) for size in range(min(len(named), most) + 1) if size + others >= least
                for chosen in itertools.combinations(named, size)]
        return answers + sorted({test.value for test in tests if test.value and test.value == test.value.strip()}) + [OTHER]

    def _next(self, number: int, targets: Dict[Given, int]) -> List[Dict[str, Any]]:
        """A list of comparisons, the first of which that fits says where to go on."""
        left = dict(targets)
        following = number + 1
        ways: List[Dict[str, Any]] = []
        literals = self._literals(number) if len(set(left.values())) > 1 else []
        while len(set(left.values())) > 1:
            best: Tuple[bool, int] = (False, 0)
            chosen: Tuple[_Literal, List[Given], int] | None = None
            for literal in literals:
                self._work.spend(len(left))
                fitting = [given for given in left if literal.holds(given)]
                reached = {left[given] for given in fitting}
                if len(reached) == 1:
                    target = next(iter(reached))
                    if (target != following, len(fitting)) > best:
                        best, chosen = (target != following, len(fitting)), (literal, fitting, target)
            if chosen is None:
                raise Unrouted(
                    min(target for target in left.values() if self._is_conditional(target)),
                    f"it needs several comparisons at once with the answer to '{shown(self._questions[number].name)}'")
            literal, fitting, target = chosen
            ways.append({"when": literal.matcher, "to": self._id(target)})
            for given in fitting:
                del left[given]
        target = next(iter(left.values()), following)
        if target != following:
            ways.append({"to": self._id(target)})
        return ways

    def _numbers_named(self, number: int) -> List[float]:
        """The numbers that conditions compare an answer with, in order."""
        named = set()
        for test in self._tests[number]:
            try:
                named.add(float(test.value))
            except ValueError:
                continue
        if len(named) > _MOST_NAMED:
            raise Unrouted(
                self._user(next(iter(self._tests[number]))),
                f"conditions name more than {_MOST_NAMED} numbers for '{shown(self._questions[number].name)}'")
        return sorted(value for value in named if math.isfinite(value))

    def _is_conditional(self, number: int) -> bool:
        return number < len(self._questions) and self._questions[number].when is not None

    def _id(self, number: int) -> str:
        return self._questions[number].id if number < len(self._questions) else "end"

    def _literals(self, number: int) -> List[_Literal]:
        question = self._questions[number]
        found: List[_Literal] = []
        if question.kind in ("rating", "nps", "number", "scale"):
            numbers: Iterable[float] = range(1, question.scale + 1) if question.kind == "rating" else range(11)
            if question.kind in ("number", "scale"):
                numbers = self._numbers_named(number)
                found += [_compared("lt", value, lambda mine, other: mine < other) for value in numbers]
                found += [_compared("gt", value, lambda mine, other: mine > other) for value in numbers]
            for value in numbers:
                found += [_Literal(int(value) if value == int(value) else value, _compared("eq", value, lambda mine, other: mine == other).holds),
                          _compared("lte", value, lambda mine, other: mine <= other),
                          _compared("gte", value, lambda mine, other: mine >= other)]
        elif question.kind == "multiple":
            tested = {test.value for test in self._tests[number]}
            for code, text in question.values.items():
                if code in tested:
                    found += [_contains(code, text, True), _contains(code, text, False)]
        else:
            values = question.values if question.kind == "single" else {
                given: given for given in self._answers[number] if isinstance(given, str) and given != OTHER}
            found += [_equal(code, text, True) for code, text in values.items()]
            found += [_equal(code, text, False) for code, text in values.items()]
        return found + [_Literal({"op": "notExists"}, lambda given: given is None),
                        _Literal({"op": "exists"}, lambda given: given is not None)]


def _is_within(given: float, limits: Dict[str, Any]) -> bool:
    return bool(limits.get("min", given) <= given <= limits.get("max", given))


def _compared(op: str, value: float, holds: Callable[[float, float], bool]) -> _Literal:
    plain = int(value) if value == int(value) else value
    return _Literal({"op": op, "value": plain}, lambda given: isinstance(given, (int, float)) and holds(given, value))


def _contains(code: str, text: str, is_in: bool) -> _Literal:
    return _Literal(
        {"op": "contains" if is_in else "notContains", "value": text},
        lambda given: isinstance(given, frozenset) and (code in given) == is_in)


def _equal(code: str, text: str, is_equal: bool) -> _Literal:
    return _Literal(
        text if is_equal else {"op": "ne", "value": text}, lambda given: given is not None and (given == code) == is_equal)
