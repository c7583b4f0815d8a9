"""The ways through a written survey are those that the conditions of the sheet say."""

import json
import random
import unittest

from hark import _expressions

from .questionnaires import ConvertTest

HEAD = "type,name,label,required,relevant,constraint,parameters\n"
CHOICES = "list_name,name,label\n" + "".join(f"l,{code},{text}\n" for code, text in zip("abc", ("Ant", "Bee", "Cat")))


def fits(matcher, given):
    """Whether an answer fits the `when` of a branch, by docs/reference/conditions.md."""
    op, value = (matcher["op"], matcher.get("value")) if isinstance(matcher, dict) else ("eq", matcher)
    if given is None or op == "notExists":
        return op == "notExists" and given is None
    return {
        "exists": lambda: True, "eq": lambda: given == value, "ne": lambda: given != value, "lte": lambda: given <= value,
        "gte": lambda: given >= value, "lt": lambda: given < value, "gt": lambda: given > value, "contains": lambda: value in given, "notContains": lambda: value not in given}[op]()


def asked_by(survey, answers):
    """The ids of the questions that a survey asks of somebody who answers so."""
    questions = survey["questions"]
    places = {question["id"]: place for place, question in enumerate(questions)}
    way, place = [], 0
    while place < len(questions):
        question = questions[place]
        way.append(question["id"])
        next_ = question.get("next", [])
        branches = [{"to": next_}] if isinstance(next_, str) else next_
        given = answers.get(question["id"])
        target = next((branch["to"] for branch in branches if "when" not in branch or fits(branch["when"], given)), None)
        place = place + 1 if target is None else len(questions) if target == "end" else places[target]
    return way


class Model:
    """A questionnaire of random questions, and what XLSForm says of it."""

    def __init__(self, chance):
        self.chance = chance
        self.questions = []
        for number in range(chance.randint(2, 9)):
            kind = chance.choice(["select_one l", "select_multiple l", "range", "integer", "text"])
            condition = self.condition() if self.questions and chance.random() < 0.7 else None
            self.questions.append((f"q{number}", kind, chance.random() < 0.5, condition))

    def condition(self, depth=0):
        """A text as the sheet has it, and a function of the answers."""
        if depth < 2 and self.chance.random() < 0.3:
            parts = [self.condition(depth + 1) for _ in range(2)]
            op, holds = self.chance.choice([("and", all), ("or", any)])
            return f"({parts[0][0]} {op} {parts[1][0]})", lambda answers: holds([part[1](answers) for part in parts])
        if self.chance.random() < 0.1:
            text, holds = self.condition(depth + 1)
            return f"not({text})", lambda answers: not holds(answers)
        # Mostly of the question right before, as people write them.
        name, kind, _, _ = self.chance.choice(self.questions[-2:])
        if self.chance.random() < 0.1:
            return f"${{{name}}} = ''", lambda answers: answers.get(name) in (None, "")
        code = self.chance.choice("abc")
        if kind == "select_one l":
            op = self.chance.choice(["=", "!="])
            return f"${{{name}}} {op} '{code}'", lambda answers: (answers.get(name) == code) == (op == "=")
        if kind == "select_multiple l":
            return f"selected(${{{name}}}, '{code}')", lambda answers: code in answers.get(name, "")
        if kind in ("range", "integer"):
            number = self.chance.randint(1, 4)
            op = self.chance.choice([">", "<="])
            return f"${{{name}}} {op} {number}", lambda answers: name in answers and (answers[name] > number) == (op == ">")
        return f"${{{name}}} = '{code}'", lambda answers: answers.get(name) == code

    def sheet(self):
        lines = [
            f'{kind},{name},{name}?,{"yes" if required else "no"},"{condition[0] if condition else ""}",,'
            f'{"start=1 end=4" if kind == "range" else ""}\n'
            for name, kind, required, condition in self.questions]
        return HEAD + "".join(lines)

    def answer(self, kind, required):
        if not required and self.chance.random() < 0.3:
            return None
        if kind == "select_one l":
            return self.chance.choice("abc")
        if kind == "select_multiple l":
            return "".join(code for code in "abc" if self.chance.random() < 0.5) or self.chance.choice("abc")
        if kind == "integer":
            return self.chance.randint(-1, 6)
        return self.chance.randint(1, 4) if kind == "range" else self.chance.choice("abcd")

    def asked(self, lost, gone):
        """Answers at random, and the questions that come up with them. In `lost` are those that everybody is asked."""
        answers, way = {}, []
        for name, kind, required, condition in self.questions:
            if name not in gone and (name in lost or condition is None or condition[1](answers)):
                way.append(name)
                given = self.answer(kind, required and name not in lost)
                if given is not None:
                    answers[name] = given
        return answers, way


class Routes(ConvertTest):
    def test_random_questionnaires_ask_what_their_conditions_say(self):
        kept = lost_ones = ways = 0
        for seed in range(400):
            model = Model(random.Random(seed))
            folder = self.survey_csv(model.sheet(), CHOICES)
            code, output, errors = self.run_main(folder)
            if "no question that can be asked" in errors:
                continue
            self.assertEqual(code, 0, errors)
            survey, = json.loads(output)["surveys"]
            rows = {number: question[0] for number, question in enumerate(model.questions, 2)}
            lost, gone = set(), set()
            for number, name in rows.items():
                told = [line for line in errors.splitlines() if f"row {number}, column relevant" in line]
                if told:
                    (gone if "never asked" in told[0] else lost).add(name)
            kept += sum(question[3] is not None and question[0] not in lost for question in model.questions)
            lost_ones += len(lost)
            for _ in range(60):
                answers, way = model.asked(lost, gone)
                given = {}
                for name, kind, _, _ in model.questions:
                    if name in answers:
                        value = answers[name]
                        given[name] = list(value) if kind == "select_multiple l" else value
                self.assertEqual(asked_by(survey, given), way, f"seed {seed}\n{model.sheet()}\n{given}\n{output}")
                ways += 1
        # Not by taking all conditions out.
        self.assertGreater(kept, 3 * lost_ones // 2, (kept, lost_ones))
        self.assertGreater(ways, 20_000)

    def ways(self, lines, choices=CHOICES):
        return {question["id"]: question.get("next") for question in
                self.converted(self.survey_csv(HEAD + lines, choices))["questions"]}

    def test_a_box_that_is_ticked_and_one_that_is_not(self):
        def tests(text):
            condition = _expressions.parse(text)
            return [condition.holds(lambda test: test.holds(frozenset(given))) for given in ([], ["2"], ["1"], ["1", "2"])]
        self.assertEqual(tests('[tried(2)] = "1"'), [False, True, False, True])
        self.assertEqual(tests("[tried(2)]='0'"), [True, False, True, False])
        self.assertEqual(tests("[tried(2)] <> '1'"), [True, False, True, False])
        self.assertEqual(tests("'1' = [Tried(2)] AND [tried(1)] = 1"), [False, False, False, True])
        self.assertEqual(_expressions.parse("[tried(A_b)] = '1'").parts[0], _expressions.Test("tried", "selected", "A_b"))

    def test_a_block_that_hangs_on_one_answer_is_passed_over_as_a_whole(self):
        self.assertEqual(self.ways(
            "select_one l,a,A?,yes,,,\nbegin group,g,,,${a} = 'b',,\ntext,b,B?,,,,\ntext,c,C?,,,,\nend group,,,,,,\ntext,d,D?,,,,\n"),
            {"a": [{"when": {"op": "ne", "value": "b"}, "to": "d"}], "b": None, "c": None, "d": None})

    def test_each_answer_has_a_question_of_its_own(self):
        self.assertEqual(self.ways(
            "select_one l,a,A?,yes,,,\ntext,b,B?,,${a} = 'a',,\ntext,c,C?,,${a} = 'b',,\ntext,d,D?,,,,\n"),
            {"a": [{"when": "b", "to": "c"}, {"when": "c", "to": "d"}], "b": "d", "c": None, "d": None})

    def test_a_condition_on_an_answer_further_back_is_told_and_its_question_may_be_passed_over(self):
        folder = self.survey_csv(HEAD + "select_one l,a,A?,yes,,,\ntext,b,B?,,,,\ntext,c,C?,yes,${a} = 'b',,\n", CHOICES)
        code, output, errors = self.run_main(folder)
        self.assertEqual(code, 0)
        self.assertIn("row 4, column relevant: the condition cannot be expressed", errors)
        self.assertIn("1 thing could not be expressed", errors)
        last = json.loads(output)["surveys"][0]["questions"][-1]
        self.assertEqual((last["id"], last["required"]), ("c", False))

    def test_what_is_never_asked_has_no_answer_for_the_others(self):
        self.assertEqual(self.ways("text,a,A?,,false(),,\ntext,b,B?,,${a} = 'x',,\ntext,c,C?,,${a} = '',,\n"), {"c": None})

    def test_conditions_that_cannot_be_read_are_told(self):
        for text, words in [
                ("${a} + 1 = 2", r"'\+ 1"), ("count-selected(${a}) > 1", "'count-selected'"), ("${a} = ${b}", "two answers"),
                ("${no} = 'x'", "not asked$|not asked;"),
                ("${c} = 'x'", "not asked before"), ("${b} = 'x'", "not asked before"), ("(" * 60 + "${a} = 'x'" + ")" * 60, "nested"), ("${a} = 'x", "not understood"),
                ("${a} = 'x' or", "its end"), ("${a} = 'x' " * 2000, "characters"), ("selected(${a}", "not understood"),
                ("not ${a}", "not understood"), ("not(" * 3000 + ")", "not understood|nested|characters"),
                ("= 1", "not understood")]:
            with self.subTest(text[:40]):
                folder = self.survey_csv(HEAD + f"text,a,A?,,,,\ntext,b,B?,,\"{text}\",,\ntext,c,C?,,,,\n")
                code, output, errors = self.run_main(folder)
                self.assertEqual(code, 0, errors)
                self.assertRegex(errors, f"row 3, column relevant: the condition cannot be expressed: .*({words})")
                self.assertNotIn("next", output)

    def test_what_is_too_much_is_refused_in_time(self):
        groups = "".join(f"begin group,g{number},,,${{a}} = 'x',,\n" for number in range(3000))
        self.assertIn(
            "nested more than 50 deep", self.refused(self.survey_csv(HEAD + "text,a,A?,,,,\n" + groups + "text,b,B?,,,,\n")))
        choices = "list_name,name,label\n" + "".join(f"l,c{number},Same\n" for number in range(15_000))
        errors = self.run_main(self.survey_csv(HEAD + "select_one l,a,A?,yes,,,\n" * 199, choices))[2]
        self.assertIn("more than 2000 choices", errors)
        choices = "list_name,name,label\n" + "".join(f"l,c{number},Same\n" for number in range(1_900))
        lines = "".join(
            f"select_one l,q{number},Q?,,\"" + " or ".join(f"${{q{number // 2}}} != 'c{number * 7 + test}'" for test in range(400))
            * (number > 0) + "\",,\n" for number in range(199))
        self.assertIn("too many and too tangled", self.refused(self.survey_csv(HEAD + lines, choices)))

    def test_many_choices_and_many_questions_end_in_time(self):
        choices = "list_name,name,label\n" + "".join(f"l,c{number},Choice {number}\n" for number in range(1000))
        lines = "".join(
            f"select_multiple l,q{number},Q{number}?,,"
            + "\"" + " or ".join(f"selected(${{q{number - 1}}}, 'c{choice}')" for choice in range(number % 12 + 1)) * (number > 0) + "\",,\n"
            for number in range(190))
        code, output, _ = self.run_main(self.survey_csv(HEAD + lines, choices))
        self.assertEqual((code, len(json.loads(output)["surveys"][0]["questions"])), (0, 190))


if __name__ == "__main__":
    unittest.main()
