"""A written survey asks exactly the questions that the conditions of its sheet say."""

import json
import random
import time

import hark
from hark import _expressions, _whens

from .daemon import Daemon
from .questionnaires import ConvertTest

HEAD = "type,name,label,required,relevant,constraint,parameters\n"
CHOICES = "list_name,name,label\nl,a,Ant\nl,b,Bee\nl,c,Cat\nn,1,One\nn,2,Two\nn,10,Ten\nn,x 'y',Ex\n"
DICTIONARY = ("field_name,form_name,field_type,field_label,select_choices_or_calculations,"
              "text_validation_type_or_show_slider_number,required_field,branching_logic\nid,f,text,Id,,,,\n")
NUMBERS = {"1": 1, "2": 2, "10": 10}


def compared(op, mine, other):
    return {"=": mine == other, "!=": mine != other, "<": mine < other, "<=": mine <= other, ">": mine > other, ">=": mine >= other}[op]


class Model:
    """A questionnaire of random questions, what XLSForm and REDCap write for it, and what both say of it."""

    kinds = {"select_one l": "radio", "select_one n": "radio", "select_multiple l": "checkbox", "integer": "text", "text": "notes"}

    def __init__(self, chance, is_redcap):
        self.chance, self.is_redcap = chance, is_redcap
        self.questions = []
        for number in range(chance.randint(2, 9)):
            kind = chance.choice([*self.kinds] + ([] if is_redcap else ["range"]))
            condition = self.condition() if self.questions and chance.random() < 0.7 else None
            self.questions.append((f"q{number}", kind, chance.random() < 0.5, condition))

    def condition(self, depth=0):
        """A text as the sheet has it, and a function of the answers."""
        chance = self.chance.random()
        if depth < 3 and chance < 0.35:
            parts = [self.condition(depth + 1) for _ in range(self.chance.randint(2, 3))]
            op, holds = self.chance.choice([("and", all), ("or", any)])
            text = f" {op.upper() if self.is_redcap else op} ".join(part[0] for part in parts)
            return f"({text})", lambda answers: holds([part[1](answers) for part in parts])
        if depth < 3 and chance < 0.45:
            text, holds = self.condition(depth + 1)
            return f"not({text})", lambda answers: not holds(answers)
        if depth < 3 and chance < 0.55:
            # "and" binds closer than "or".
            (one, first), (two, second), (three, third) = (self.condition(3) for _ in range(3))
            return f"({one} or {two} and {three})", lambda answers: first(answers) or second(answers) and third(answers)
        return self.comparison(*self.chance.choice(self.questions)[:2])

    def comparison(self, name, kind):
        chance = self.chance
        said = f"[{name}]" if self.is_redcap else f"${{{name}}}"
        unequal = "<>" if self.is_redcap else "!="
        if chance.random() < 0.15:
            return chance.choice([
                (f"{said} = ''", lambda answers: name not in answers), (f'{said} {unequal} ""', lambda answers: name in answers)])
        if kind in ("integer", "range") or kind == "select_one n" and chance.random() < 0.6:
            op, value = chance.choice(["=", "!=", "<", "<=", ">", ">="]), chance.choice([-1, 0, 1, 2, 2.5, 3, 4, 7])

            def holds(answers):
                mine = NUMBERS.get(answers.get(name), answers.get(name))
                # Nothing, and a code that is no number, equal no number and are neither more nor less.
                return compared(op, mine, value) if isinstance(mine, int) else op == "!="
            written = op.replace("!=", unequal)
            if chance.random() < 0.3 and not self.is_redcap:
                swapped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
                return f"{value} {swapped.get(written, written)} {said}", holds
            return f'{said} {written} {value}', holds
        if kind == "select_multiple l":
            code = chance.choice("abcz")
            if self.is_redcap:
                is_ticked = chance.random() < 0.5
                return (f"[{name}({code})] = '{int(is_ticked)}'",
                        lambda answers: (code in answers.get(name, [])) == is_ticked)
            if chance.random() < 0.2:
                return f"count-selected({said}) >= 1", lambda answers: name in answers
            return f"selected({said}, '{code}')", lambda answers: code in answers.get(name, [])
        if kind == "text" and chance.random() < 0.3 and not self.is_redcap:
            part = chance.choice("abz")
            return f"contains({said}, '{part}')", lambda answers: part in answers.get(name, "")
        code = chance.choice(["a", "b", "c", "z"] if kind != "select_one n" else ["1", "2", "10", "x 'y'", "3"])
        quoted = f'"{code}"'
        if chance.random() < 0.3 and kind != "text":
            return f"selected({said}, {quoted})", lambda answers: answers.get(name) == code
        if chance.random() < 0.4:
            return f"{said} {unequal} {quoted}", lambda answers: answers.get(name) != code
        return f"{said} = {quoted}", lambda answers: answers.get(name) == code

    def sheet(self):
        if self.is_redcap:
            lists = {"select_one l": "a, Ant | b, Bee | c, Cat", "select_one n": "1, One | 2, Two | 10, Ten | x 'y', Ex"}
            lists["select_multiple l"] = lists["select_one l"]
            return DICTIONARY + "".join(
                f'{name},f,{self.kinds[kind]},{name}?,"{lists.get(kind, "")}",{"integer" * (kind == "integer")},{"y" * required},'
                f'"{(condition[0] if condition else "").replace(chr(34), chr(34) * 2)}"\n'
                for name, kind, required, condition in self.questions)
        return HEAD + "".join(
            f'{kind},{name},{name}?,{"yes" if required else "no"},"{(condition[0] if condition else "").replace(chr(34), chr(34) * 2)}",'
            f',{"start=1 end=4" if kind == "range" else ""}\n'
            for name, kind, required, condition in self.questions)

    def answer(self, kind, required):
        if not required and self.chance.random() < 0.3:
            return None
        if kind == "select_multiple l":
            return [code for code in "abc" if self.chance.random() < 0.5] or [self.chance.choice("abc")]
        return self.chance.choice({
            "select_one l": ["a", "b", "c"], "select_one n": [*NUMBERS, "x 'y'"], "integer": range(-1, 8), "range": range(1, 5),
            "text": ["a", "b", "ab", "A", "é"]}[kind])

    def asked(self):
        """Answers at random, and the questions that come up with them."""
        answers, way = {}, []
        for name, kind, required, condition in self.questions:
            if condition is None or condition[1](answers):
                way.append(name)
                given = self.answer(kind, required)
                if given is not None:
                    answers[name] = given
        return answers, way


class Routes(ConvertTest):
    def test_hark_asks_of_random_questionnaires_what_their_conditions_say(self):
        models, forms, conditions = [], [], 0
        for seed in range(120):
            model = Model(random.Random(seed), is_redcap=seed % 2 == 1)
            if model.is_redcap:
                path = self.folder / "d.csv"
                path.write_text(model.sheet())
            else:
                path = self.survey_csv(model.sheet(), CHOICES)
            code, output, errors = self.run_main(path, "--to", "form", "--id", f"f{seed}")
            self.assertEqual(code, 0, errors)
            # Nothing is lost but questions that come up with no answers at all.
            self.assertNotIn("cannot be expressed", errors, model.sheet())
            form, = json.loads(output)["forms"]
            self.assertNotIn("next", output)
            conditions += output.count('"when"')
            models.append((f"f{seed}", model, form))
            forms.append(form)
        self.assertGreater(conditions, 250)
        file = self.folder / "forms.json"
        file.write_text(json.dumps({"forms": forms}))
        self.check_schema({"forms": forms})
        daemon = Daemon(forms={"forms": forms}).start()
        self.addCleanup(daemon.remove)
        with hark.Client(daemon.path) as client:
            for form, model, written in models:
                for number in range(25):
                    answers, way = model.asked()
                    reply = client.call("form.answer", {"formId": form, "userId": f"u{number}", "answers": answers or {
                        written["questions"][0]["id"]: None}})
                    self.assertEqual(reply["form"]["route"], way, f"{form}\n{model.sheet()}\n{answers}\n{json.dumps(written, indent=1)}")


class Conditions(ConvertTest):
    def whens(self, lines, choices=CHOICES):
        """Of each question of a sheet its `when`; Hark takes the file without a warning."""
        survey = self.converted(self.survey_csv(HEAD + lines, choices))
        file = self.folder / "s.json"
        file.write_text(json.dumps({"surveys": [survey]}))
        self.assertRegex(self.check_validates(file), r"^\S+: fine\n$")
        self.check_schema({"surveys": [survey]})
        return {question["id"]: question.get("when") for question in survey["questions"]}

    def test_each_comparison_is_written_as_hark_says_it(self):
        sources = ("select_one l,one,A?,yes,,,\nselect_one l,may,A?,no,,,\nselect_one n,num,A?,yes,,,\nselect_multiple l,many,A?,no,,,\n"
                   "integer,age,A?,no,,. >= 0 and . <= 120,\nrange,stars,A?,yes,,,start=1 end=5\ntext,name,A?,no,,,\n"
                   "date,day,A?,no,,,\ntime,hour,A?,no,,,\nrank l,order,A?,no,,,\nselect_one l or_other,else,A?,yes,,,\n")
        expected = [
                ("${one} = 'a'", "answer.one = a"), ("'a' = ${one}", "answer.one = a"), ("${ one } != 'a'", "answer.one != a"),
                ("${may} != 'a'", "not answer.may = a"), ("not(${one} = 'a')", "not answer.one = a"),
                ("not(not(${one} = 'a'))", "answer.one = a"), ("selected(${one}, 'b')", "answer.one = b"),
                ("${one} = 'a' or ${one} = 'b'", "answer.one in (a, b)"), ("${one} != 'a' and ${one} != 'b'", "answer.one not in (a, b)"),
                ("${one} = “a”", "answer.one = a"), ("${one} = ‘a’", "answer.one = a"), ("(((${one} = 'a')))", "answer.one = a"),
                ("${num} = 1", "answer.num = '1'"), ("${num} = 1.0", "answer.num = '1'"), ("${num} = '1'", "answer.num = '1'"),
                ("${num} > 1", "answer.num in ('2', '10')"), ("2 > ${num}", "answer.num = '1'"),
                ("${num} = \"x 'y'\"", r"answer.num = 'x \'y\''"),
                ("selected(${many}, 'a')", "answer.many contains a"), ("not(selected(${many}, 'a'))", "not answer.many contains a"),
                ("${many} = ''", "not answer.many exists"), ("count-selected(${many}) > 0", "answer.many exists"),
                ("count-selected(${many}) = 0", "not answer.many exists"),
                ("${age} >= 18", "answer.age >= 18"), ("${age} > '17'", "answer.age > 17"), ("${age} = 5.0", "answer.age = 5"),
                ("${age} > 1.50", "answer.age > 1.5"), ("${age} != 5", "not answer.age = 5"), ("${age} <= 120", "answer.age exists"),
                ("${age} >= 0.0000001", "answer.age >= 0.0000001"), ("${stars} < 3", "answer.stars < 3"),
                ("${stars} != 3", "answer.stars != 3"), ("selected(${stars}, 4)", "answer.stars = 4"),
                ("${name} = 'Ada'", "answer.name = Ada"), ("${name} != ''", "answer.name exists"), ("${name} = 'not'", "answer.name = 'not'"),
                ("${name} = 'a\\b'", r"answer.name = 'a\\b'"), ("${name} = 'null'", "answer.name = 'null'"), ("${name} = '5'", "answer.name = '5'"),
                ("contains(${name}, 'a b')", "answer.name contains 'a b'"), ("string-length(${name}) > 0", "answer.name exists"),
                ("${name} = 'é'", "answer.name = 'é'"), ("${name} = 'אב'", {"answer.name": "אב"}), ("${name} != 'e\u0301'", {"not": {"answer.name": "e\u0301"}}),
                ("${day} = '2026-01-31'", "answer.day = '2026-01-31'"), ("${day} = date('2026-01-31')", "answer.day = '2026-01-31'"),
                ("${hour} != '14:30'", "not answer.hour = '14:30'"), ("${order} != ''", "answer.order exists"),
                ("${else} = 'other'", "answer.else = other"),
                ("${one} = 'a' and ${many} = '' or ${age} > 5", "(answer.one = a and not answer.many exists) or answer.age > 5"),
                ("${one} = 'a' and (${many} = '' or ${age} > 5)", "answer.one = a and (not answer.many exists or answer.age > 5)"),
                ("${one} = 'a' AND ${age} > 5 and ${one} = 'a'", "answer.one = a and answer.age > 5"),
                ("not(${one} = 'a' or ${age} > 5)", "not (answer.one = a or answer.age > 5)"),
                ("${one} = 'b' or false()", "answer.one = b"), ("${one} = 'b' and true()", "answer.one = b"),
                # What always holds is no condition.
                ("${one} != ''", None), ("true()", None), ("${age} <= 120 or ${age} = ''", "answer.age exists or not answer.age exists"),
                ("${one} != 'z'", None), ("${stars} >= 1", None), ("not(false())", None), ("${one} = 'b' or true()", None)]
        lines = ""
        for number, (text, _) in enumerate(expected):
            quoted = text.replace('"', '""')
            lines += f'text,q{number},Q?,no,"{quoted}",,\n'
        found = self.whens(sources + lines)
        for number, (text, written) in enumerate(expected):
            with self.subTest(text):
                self.assertEqual(found.pop(f"q{number}"), written)
        self.assertEqual({*found.values()}, {None})

    def test_boxes_of_redcap(self):
        for text, written in [
                ('[tried(2)] = "1"', "answer.tried contains '2'"), ("[tried(2)]='0'", "not answer.tried contains '2'"),
                ("[tried(2)] <> '1'", "not answer.tried contains '2'"), ("[Tried(2)] != 0", "answer.tried contains '2'"),
                ("'1' = [tried(A_b)] AND [tried(2)] = 1", "answer.tried contains A_b and answer.tried contains '2'"),
                ('[tried] <> ""', "answer.tried exists")]:
            with self.subTest(text):
                path = self.folder / "d.csv"
                quoted = text.replace('"', '""')
                path.write_text(DICTIONARY + f'tried,f,checkbox,T?,"2, Tea | A_b, Else",,,\nb,f,text,B?,,,,"{quoted}"\n')
                self.assertEqual(self.converted(path)["questions"][1]["when"], written)

    def test_conditions_of_groups_and_of_their_questions_hold_together(self):
        self.assertEqual(self.whens(
            "select_one l,a,A?,yes,,,\nbegin group,g,,,${a} = 'b',,\ntext,b,B?,,,,\nbegin group,h,,,${b} != '',,\ntext,c,C?,,${a} = 'b',,\n"
            "end group,,,,,,\nend group,,,,,,\ntext,d,D?,,,,\n"),
            {"a": None, "b": "answer.a = b", "c": "answer.a = b and answer.b exists", "d": None})

    def test_a_question_further_back_may_be_looked_at(self):
        self.assertEqual(
            self.whens("select_one l,a,A?,yes,,,\ntext,b,B?,,,,\nselect_one l,c,C?,yes,${a} = 'b',,\ntext,d,D?,,${c} = '',,\n"),
            # It is required and has an answer only where it is asked.
            {"a": None, "b": None, "c": "answer.a = b", "d": "not answer.c exists"})

    def test_notes_on_a_condition_of_their_own_have_a_page(self):
        survey = self.converted(self.survey_csv(
            HEAD + "select_one l,a,A?,yes,,,\nnote,m,One,,${a} = 'a',,\nnote,n,Two,,${a} = 'a',,\nnote,o,Three,,${a} = 'b',,\n"
            "text,b,B?,,${a} = 'b',,\nnote,p,Bye,,,,\nnote,q,Lost,,${a} = ${b},,\n", CHOICES))
        self.assertEqual([(question["id"], question["question"], question.get("when")) for question in survey["questions"]], [
            ("a", "A?", None), ("m", "One\n\nTwo", "answer.a = a"), ("b", "Three\n\nB?", "answer.a = b"), ("p", "Bye", None)])
        self.assertNotIn("required", survey["questions"][1])

    def test_what_is_never_asked_is_left_out_and_has_no_answer_for_the_others(self):
        for lines, written in [
                ("text,a,A?,,false(),,\ntext,b,B?,,${a} = 'x',,\ntext,c,C?,,${a} = '',,\n", {"c": None}),
                ("text,a,A?,,,,\ntext,b,B?,,\"selected(${a}, '') or false() or ${a} = ' x'\",,\n", None),
                ("select_one l,a,A?,,,,\ntext,b,B?,,${a} = 'z',,\ntext,c,C?,,${b} != 'x' and ${a} = 'b',,\n", {"a": None, "c": "answer.a = b"}),
                ("integer,a,A?,,,. >= 5,\ntext,b,B?,,${a} < 5,,\n", {"a": None}), ("integer,a,A?,,,,\ntext,b,B?,,${a} = 1.5,,\n", {"a": None}),
                ("range,a,A?,,,,start=10 end=20 step=5\ntext,b,B?,,${a} = 12,,\n", {"a": None}),
                ("text,a,A?,,,string-length(.) <= 3,\ntext,b,B?,,${a} = 'four',,\n", {"a": None})]:
            with self.subTest(lines):
                if written is None:
                    errors = self.run_main(self.survey_csv(HEAD + lines, CHOICES))[2]
                    self.assertIn("row 3, column relevant: the condition", errors)
                    continue
                self.assertEqual(self.whens(lines), written)
                errors = self.run_main(self.survey_csv(HEAD + lines, CHOICES))[2]
                self.assertRegex(errors, r"column relevant: '\w' is never asked, as its condition cannot hold; left out")
        errors = self.run_main(self.survey_csv(
            HEAD + "select_one l,a,A?,,,,\ntext,b,B?,,${a} = 'z' or ${a} = 'a',,\n", CHOICES))[2]
        self.assertIn("row 3, column relevant: note: of the condition of 'b', 'a = z' holds for no answer", errors)

    def test_conditions_that_cannot_be_expressed_are_told_and_nothing_of_them_is_kept(self):
        for text, why, advice in [
                ("${a} + 1 = 2", "it computes a value", "Compare the answer itself"), ("${n} -1 = 2", "it computes", ""),
                ("${n} div 2 = 2", "it computes", ""), ("2 * ${n} = 2", "it computes", ""),
                ("count-selected(${m}) > 1", "it counts choices", "name the choices"), ("${a} = ${n}", "two answers", "Compare each"),
                ("1 = 1", "no answer", ""), ("${n}", "stands there without a comparison", ""), ("${n} and ${n} = 1", "without a comparison", ""),
                ("${no} = 'x'", "it looks at 'no', which is not asked$", ""), ("${c} = 'x'", "'c', which is not asked before", "Put the question behind 'c'"),
                ("${b} = 'x'", "'b', which is not asked before", ""), ("${hint} = 'x'", "'hint', which is not asked$", ""),
                ("(" * 60 + "${a} = 'x'" + ")" * 60, "nested", "brackets"), ("${a} = 'x", "not understood", "by hand"),
                ("${a} = 'x' or", "'its end' is not understood", ""), ("${a} = 'x' ${a}", "not understood", ""), ("${a} = 'x' " * 2000, "10000 characters", "Shorten"),
                ("selected(${m}", "not understood", ""), ("not ${a}", "not understood", ""), ("= 1", "not understood", ""), ("${a} == 1", "not understood", ""),
                ("not(" * 3000 + ")", "nested|characters", ""), ("or".join(["${n}=1"] * 1001), "1000 comparisons", "Shorten"),
                ("${d} > today()", r"no 'today\(\)'", ""), ("${d} > '2026-01-01'", "before or after", ""), ("${d} = '1.2.2026'", "is no date", "2026-01-31"),
                ("if(${a} = 'x', 1, 2) = 1", r"no 'if\(\)'", ""), ("regex(${a}, 'x')", r"no 'regex\(\)'", ""),
                ("${a} > 3", "compares the text 'a' with a number", "Ask for a number"), ("${a} = 3", "with a number", "quotes"),
                ("selected(${a}, 'x')", "has none", "'='"), ("contains(${m}, 'x')", "a part of 'm'", ""), ("${m} = 'a'", "all choices at once of 'm'", "Ask for one choice"),
                ("${o} = 'a'", "the order of 'o'", ""), ("${n} > 12345678901234567", "larger", ""), ("${n} > 1.00000000000000000001", "digits", ""),
                ("${n} = 1 and " + " and ".join(f"contains(${{a}}, '{number}')" for number in range(10)), "weighs more than 1000", "Shorten"),
                ("${n} = 1 and (${a} + 1 = 2 or ${n} = 3)", "it computes", ""), ("[a][b] = '1'", "another event", "same form")]:
            with self.subTest(text[:60]):
                folder = self.survey_csv(HEAD + "text,a,A?,,,,\ninteger,n,N?,,,,\nselect_multiple l,m,M?,,,,\ndate,d,D?,,,,\nrank l,o,O?,,,,\n"
                                         f"note,hint,H,,,,\ntext,b,B?,yes,\"{text}\",,\ntext,c,C?,,,,\n", CHOICES)
                code, output, errors = self.run_main(folder)
                self.assertEqual(code, 0, errors)
                line = next(line for line in errors.splitlines() if "row 8" in line and "note" not in line.split("row 8")[1][:20])
                said, _, instead = line.partition("; everybody is asked, and may pass the question over. ")
                self.assertRegex(said, rf"row 8, column relevant: the condition '.*' of 'b' cannot be expressed: .*({why})")
                self.assertIn(text[:90], said)
                self.assertRegex(instead, "^[A-Z]")
                self.assertIn(advice, instead)
                self.assertNotIn('"when"', output)
                question = next(question for question in json.loads(output)["surveys"][0]["questions"] if question["id"] == "b")
                self.assertEqual(question["required"], False)
                self.assertEqual(self.run_main(folder, "--strict")[:2], (1, ""))

    def test_of_a_group_s_condition_that_is_lost_nothing_is_kept_for_its_questions(self):
        folder = self.survey_csv(
            HEAD + "select_one l,a,A?,yes,,,\nbegin group,g,,,${a} = ${a},,\ntext,b,B?,yes,${a} = 'a',,\nend group,,,,,,\n", CHOICES)
        code, output, errors = self.run_main(folder)
        self.assertIn("row 3, column relevant: the condition '${a} = ${a}' of 'b' cannot be expressed", errors)
        self.assertEqual(json.loads(output)["surveys"][0]["questions"][1], {
            "id": "b", "type": "text", "question": "B?", "required": False})

    def test_questions_that_look_at_each_other_in_a_circle_are_told(self):
        errors = self.run_main(self.survey_csv(
            HEAD + "text,a,A?,,${c} = 'x',,\ntext,b,B?,,${a} = 'x',,\ntext,c,C?,,${b} = 'x',,\n"))[2]
        self.assertIn("row 2, column relevant: the condition '${c} = 'x'' of 'a' cannot be expressed: it looks at 'c', which is not asked before", errors)
        self.assertEqual(errors.count("cannot be expressed:"), 1)

    def test_a_condition_that_is_too_long_for_a_text_is_written_as_json(self):
        names = [f"x{number:030}" for number in range(300)]
        choices = "list_name,name,label\n" + "".join(f"l,{name},{name}\n" for name in names)
        lines = "select_one l,a,A?,yes,,,\nselect_one l,b,B?,yes,,,\n"
        parts = [f"(${{a}} = '{name}' and ${{b}} = '{name}')" for name in names[:100]]
        found = self.whens(lines + f"text,c,C?,,{' or '.join(parts)},,\n", choices)
        self.assertEqual(len(found["c"]["any"]), 100)
        self.assertEqual(found["c"]["any"][1], {"all": [{"answer.a": names[1]}, {"answer.b": names[1]}]})
        # So is one whose parts lie too deep in each other.
        text = f"${{a}} = '{names[0]}'"
        for depth in range(36):
            text = f"(${{{'ab'[depth % 2]}}} = '{names[depth]}' {('and', 'or')[depth % 2]} {text})"
        self.assertIsInstance(self.whens(lines + f"text,c,C?,,{text},,\n", choices)["c"], dict)

    def test_what_is_too_much_is_told_or_refused_in_time(self):
        begun = time.monotonic()
        groups = "".join(f"begin group,g{number},,,${{a}} = 'x',,\n" for number in range(3000))
        self.assertIn(
            "nested more than 50 deep", self.refused(self.survey_csv(HEAD + "text,a,A?,,,,\n" + groups + "text,b,B?,,,,\n")))
        for text in ("(" * 999_000, "not(" * 249_000, "${a" * 300_000, "'" * 999_000, "[" * 999_000, "${a}=1 or " * 99_000):
            folder = self.survey_csv(HEAD + f'text,a,A?,,,,\ntext,b,B?,,"{text}",,\n')
            code, output, errors = self.run_main(folder)
            self.assertEqual((code, len(json.loads(output)["surveys"][0]["questions"])), (0, 2))
            self.assertIn("it has more than 10000 characters; everybody is asked, and may pass the question over. Shorten it", errors)
            self.assertLess(len(errors), 2_000)
        choices = "list_name,name,label\n" + "".join(f"l,c{number},Same\n" for number in range(15_000))
        errors = self.run_main(self.survey_csv(HEAD + "select_one l,a,A?,yes,,,\n" * 199, choices))[2]
        self.assertIn("more than 2000 choices", errors)
        # Many long conditions, and many choices that each comparison has to look through.
        many = "".join(
            "text,q" + str(number) + ",Q?,,\"" + " or ".join(f"${{a}}='{number}'" for _ in range(700)) + "\",,\n" for number in range(190))
        form = self.survey_csv(HEAD + "text,a,A?,,,,\n" + many)
        self.assertEqual(self.run_main(form)[0], 0)
        dictionary = self.folder / "d.csv"
        dictionary.write_text(DICTIONARY + "".join(
            f"a{part},f{part},text,A?,,,,\n" + "".join(
                f"q{part}_{number},f{part},text,Q?,,,,\"" + " or ".join(f"[a{part}]='{number}'" for _ in range(700)) + "\"\n"
                for number in range(190)) for part in range(2)))
        self.assertIn("too many and too long", self.refused(dictionary))
        choices = "list_name,name,label\n" + "".join(f"l,{number},Same {number}\n" for number in range(1_900))
        lines = "select_one l,a,A?,yes,,,\n" + "".join(
            f"text,q{number},Q?,,\"" + " or ".join(f"${{a}} < {-test}" for test in range(400)) + "\",,\n" for number in range(190))
        self.assertIn("too many and too long", self.refused(self.survey_csv(HEAD + lines, choices)))
        self.assertLess(time.monotonic() - begun, 60)

    def test_many_choices_and_many_questions_end_in_time(self):
        choices = "list_name,name,label\n" + "".join(f"l,c{number},Choice {number}\n" for number in range(1000))
        lines = "".join(
            f"select_multiple l,q{number},Q{number}?,,"
            + "\"" + " or ".join(f"selected(${{q{number - 1}}}, 'c{choice}')" for choice in range(number % 12 + 1)) * (number > 0) + "\",,\n"
            for number in range(190))
        code, output, errors = self.run_main(self.survey_csv(HEAD + lines, choices))
        self.assertEqual((code, len(json.loads(output)["surveys"][0]["questions"])), (0, 190))
        # A look for a choice weighs 100, so eleven of them are too many for Hark.
        self.assertEqual(errors.count("weighs more than 1000"), 30)


class Bounds(ConvertTest):
    def test_the_work_is_bounded_over_all_conditions_of_a_file(self):
        work = _whens.Work(_whens.Place("f"))
        with self.assertRaises(_whens.Refused):
            for number in range(1000):
                work.parse("${a} = 1 or " * 800 + f"${{a}} = {number}")
        # The same condition is read once.
        work = _whens.Work(_whens.Place("f"))
        for _ in range(1000):
            work.parse("${a} = 1 or " * 800 + "${a} = 1")
        self.assertIsInstance(_expressions.parse("${a} = 1"), _expressions.Condition)
