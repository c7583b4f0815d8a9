import json
import os
import re
import stat
import unittest

from .daemon import ROOT
from .questionnaires import SAMPLES, ConvertTest, records_of, sheet_xml, workbook, workbook_of

FOLDERS = ["xlsform-simple", "xlsform-visit", "xlsform-everything"]
DICTIONARIES = ["redcap-simple", "redcap-sleep", "redcap-everything"]


def labels_of(question):
    return [option if isinstance(option, str) else option["label"] for option in question["options"]]


def values_of(question):
    return [option if isinstance(option, str) else option["value"] for option in question["options"]]


def rows_of(question):
    """A question; of a matrix each row as one."""
    return [{"id": row["id"], "question": row["label"], "options": question["columns"]} for row in question.get("rows", [])] or [question]


class Samples(ConvertTest):
    maxDiff = None

    def sample(self, name):
        """What there is to convert, and what it must become."""
        path = SAMPLES / name if name in FOLDERS else SAMPLES / f"{name}.csv"
        return path, json.loads((SAMPLES / f"{name}.expected.json").read_text())

    def test_each_becomes_what_is_expected(self):
        for name in FOLDERS + DICTIONARIES:
            with self.subTest(name):
                path, expected = self.sample(name)
                code, output, _ = self.run_main(path)
                self.assertEqual(code, 0)
                self.assertEqual(json.loads(output), expected)

    def test_a_workbook_becomes_what_its_csv_files_become(self):
        for name in FOLDERS:
            with self.subTest(name):
                path, expected = self.sample(name)
                book = workbook_of(path, self.folder / f"{name}.xlsx")
                code, output, errors = self.run_main(book)
                self.assertEqual((code, json.loads(output)), (0, expected))
                said = self.run_main(path)[2]
                # But for the names of the files, the same is told of it.
                plain = [re.sub(r"^hark\.convert: [^:]*?(: |$)", "", line) for line in errors.splitlines()]
                self.assertEqual(plain, [re.sub(r"^hark\.convert: [^:]*?(: |$)", "", line) for line in said.splitlines()])

    def test_each_fits_the_schemas(self):
        for name in FOLDERS + DICTIONARIES:
            for kind in ("survey", "form"):
                with self.subTest(f"{name} as {kind}"):
                    self.check_schema(json.loads(self.run_main(self.sample(name)[0], "--to", kind)[1]))

    def test_each_is_taken_by_hark(self):
        for name in FOLDERS + DICTIONARIES:
            for kind in ("survey", "form"):
                with self.subTest(f"{name} as {kind}"):
                    target = self.folder / f"{name}.{kind}s.json"
                    self.assertEqual(self.run_main(self.sample(name)[0], "--to", kind, "-o", target)[0], 0)
                    # Not even a warning: each question can be reached, each way can be taken.
                    self.assertRegex(self.check_validates(target), r"^\S+: fine\n$")

    def test_what_is_written_has_the_texts_of_the_sheet_in_their_order(self):
        for name in ("xlsform-simple", "xlsform-visit"):
            path = SAMPLES / name
            survey = self.converted(path)
            lists = {}
            for row in records_of(path / "choices.csv"):
                lists.setdefault(row["list_name"], []).append(row)
            asked = [row for row in records_of(path / "survey.csv") if row["type"].split("_")[0] not in ("begin", "end", "note")]
            self.assertEqual([question["id"] for question in survey["questions"]], [row["name"] for row in asked])
            for own, language in (("label::English (en)", None), ("label::Deutsch (de)", "de")):
                texts = survey["translations"]["de"]["questions"] if language and "translations" in survey else {}
                for row, question in zip(asked, survey["questions"]):
                    label = row.get(own, row.get("label"))
                    written = texts.get(question["id"], question)
                    self.assertIn(label, written["question"].split("\n\n"))
                    if " " in row["type"]:
                        self.assertEqual(
                            labels_of(written), [choice.get(own, choice.get("label")) for choice in lists[row["type"].split()[1]]])
                        self.assertEqual(values_of(question), [choice["name"] for choice in lists[row["type"].split()[1]]])
        for name in ("redcap-simple", "redcap-sleep"):
            path, expected = self.sample(name)
            rows = records_of(SAMPLES / f"{name}.csv")[1:]
            written = [row for survey in expected["surveys"] for question in survey["questions"] for row in rows_of(question)]
            self.assertEqual([question["id"] for question in written], [row["Variable / Field Name"] for row in rows])
            for row, question in zip(rows, written):
                self.assertIn(row["Field Label"], question["question"].split("\n\n"))
                choices = row["Choices, Calculations, OR Slider Labels"]
                if choices:
                    self.assertEqual(labels_of(question), [part.split(",")[1].strip() for part in choices.split("|")])
                    self.assertEqual(values_of(question), [part.split(",")[0].strip() for part in choices.split("|")])

    def test_an_image_is_that_of_the_survey_s_own_language_and_its_text_the_nearest_one(self):
        survey = self.converted(self.survey_csv(
            "type,name,label::English (en),label::German (de),media::image::English (en),image::German (de)\n"
            "text,a,What is this?,Was ist das?,what.png,was.png\n"
            "select_one l,b,Which one?,Welches?,https://example.org/b.png,\n"
            "note,n,See,Siehe,n.png,\ntext,c,And this?,Und das?,,\n",
            "list_name,name,label::English (en),label::German (de),media::image::English (en)\n"
            "l,x,Ex,Iks,x.png\nl,y,Why,Ypsilon,\n"), "--language", "en")
        first, second, last = survey["questions"]
        self.assertEqual((first["image"], first["alt"]), ("what.png", "What is this?"))
        # Nothing is fetched, and a note is a part of the question below it.
        self.assertNotIn("image", second)
        self.assertNotIn("image", last)
        self.assertEqual(second["options"], [
            {"value": "x", "label": "Ex", "image": "x.png", "alt": "Ex"}, {"value": "y", "label": "Why"}])
        german = survey["translations"]["de"]["questions"]
        self.assertEqual(german["a"], {"question": "Was ist das?", "alt": "Was ist das?"})
        self.assertEqual(german["b"]["options"], [{"label": "Iks", "alt": "Iks"}, "Ypsilon"])

    def test_all_that_cannot_be_expressed_is_told_by_row_and_column(self):
        told = self.run_main(SAMPLES / "xlsform-everything")[2]
        for row, column in [
                (4, "type"), (5, "required_message"), (5, "constraint_message"),
                (6, "guidance_hint"),
                (6, "default"), (7, "label"), (7, "choice_filter"), (8, "required"), (8, "constraint"),
                (11, "type"), (12, "type"), (16, "type"),
                (16, "repeat_count"),
                (17, "constraint"), (20, "type"), (21, "type"), (23, "relevant"), (24, "relevant"), (29, "relevant"), (30, "relevant"), (31, "relevant"),
                (32, "relevant"), (33, "relevant")]:
            self.assertRegex(told, rf"survey\.csv: sheet survey, row {row}, column {column}: (?!note)")
        for words in [
                "column label::Klingon: the language has no code", "sheet choices, row 2, column media::audio",
                "row 8, column media::image: note: the image's 'alt'",
                "sheet choices, row 5, column name",
                "sheet choices, row 6: a choice needs", "sheet settings, row 2, column public_key",
                "row 10: note: the note has a page of its own",
                "row 27: the row has no type", "row 28: note: the note has a page of its own",
                "'count-selected(${seen}) > 1' of 'few' cannot be expressed: it counts choices or characters; the note is left out."]:
            self.assertIn(words, told)
        told = self.run_main(SAMPLES / "redcap-everything.csv")[2]
        for row, column in [
                (3, "Identifier"), (4, "Field Label"),
                (6, "Field Type"), (7, "Field Type"), (8, "Field Type"), (9, "Field Annotation"),
                (12, "Matrix Ranking"),
                (14, "Choices"), (14, "Field Annotation"), (15, "Choices"), (17, "Branching Logic"), (18, "Branching Logic"), (19, "Field Type"),
                (22, "Text Validation Min"), *((row, "Branching Logic") for row in range(24, 29))]:
            self.assertRegex(told, rf"redcap-everything\.csv: row {row}, column {column}[^:]*: (?!note)")
        self.assertIn("row 5: note: the description has a page of its own", told)

    def test_strict_writes_nothing_if_something_is_lost(self):
        target = self.folder / "surveys.json"
        target.write_text("before")
        code, output, errors = self.run_main(SAMPLES / "redcap-everything.csv", "--strict", "-o", target)
        self.assertEqual((code, output, target.read_text()), (1, "", "before"))
        self.assertRegex(errors.splitlines()[-1], r"^hark\.convert: \d+ things could not be expressed: nothing is written")
        self.assertEqual(self.run_main(SAMPLES / "xlsform-everything", "--strict")[:2], (1, ""))
        for name in ("xlsform-simple", "xlsform-visit", "redcap-simple.csv", "redcap-sleep.csv"):
            code, output, errors = self.run_main(SAMPLES / name, "--strict")
            self.assertEqual(code, 0, errors)
        # A form has no translations.
        code, output, errors = self.run_main(SAMPLES / "xlsform-visit", "--to", "form", "--strict")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("texts in 'de'", errors)


class Details(ConvertTest):
    def test_limits_of_numbers(self):
        for kind, constraint, limits in [
                ("integer", ". >= 0 and . <= 120", {"min": 0, "max": 120}), ("integer", ". > 0", {"min": 1}),
                ("integer", ".<5", {"max": 4}), ("decimal", ". >= -0.5", {"min": -0.5}), ("decimal", ". > 0.5", None),
                ("integer", ". >= 0.5", None), ("integer", ". >= 5 and . <= 5", {"min": 5}), ("text", ". > 3", None),
                ("decimal", ". <= 1e5", None), ("integer", ". != 3", None)]:
            with self.subTest(f"{kind} {constraint}"):
                folder = self.survey_csv(f"type,name,label,constraint\n{kind},a,A?,{constraint}\n", "")
                code, output, errors = self.run_main(folder)
                question, = json.loads(output)["surveys"][0]["questions"]
                self.assertEqual(question["type"], "text" if kind == "text" else "number")
                self.assertEqual(question.get("integer", False), kind == "integer")
                self.assertEqual({name: question[name] for name in ("min", "max") if name in question}, limits or {})
                self.assertEqual("cannot be checked" in errors, limits is None or constraint.endswith("<= 5"))

    def test_limits_of_choices_and_of_characters(self):
        choices = "list_name,name,label\n" + "".join(f"l,{code},{code}\n" for code in "abcd")
        for kind, constraint, limits in [
                ("select_multiple l", "count-selected(.) < 3", {"maxSelections": 2}),
                ("select_multiple l", "count-selected(.) > 1", {"minSelections": 2}),
                ("select_multiple l", "(count-selected(.) >= 1) and count-selected( . )<=9", {"minSelections": 1, "maxSelections": 4}),
                ("select_multiple l", "count-selected(.) = 3", {"minSelections": 3, "maxSelections": 3}),
                ("select_multiple l", "count-selected(.) >= 5", None), ("select_multiple l", "count-selected(.) < 1", None),
                ("select_multiple l", "count-selected(.) > 2 and count-selected(.) < 2", {"minSelections": 3}),
                ("select_one l", "count-selected(.) < 3", None), ("text", "string-length(.) < 10", {"maxLength": 9}),
                ("text", "string-length(.) > 10 AND string-length(.) <= 20", {"minLength": 11, "maxLength": 20}),
                ("text", "string-length(.) < 1", None), ("text", "count-selected(.) < 3", None)]:
            with self.subTest(constraint):
                folder = self.survey_csv(f"type,name,label,constraint\n{kind},a,A?,{constraint}\n", choices)
                code, output, errors = self.run_main(folder)
                question, = json.loads(output)["surveys"][0]["questions"]
                found = {name: value for name, value in question.items() if name[:3] in ("min", "max")}
                self.assertEqual(found, limits or {})
                self.assertEqual("cannot be checked" in errors, limits is None or constraint.endswith("< 2"))

    def test_the_form_of_a_text(self):
        for constraint, members in [
                ("regex(., '[0-9]{5}')", {"pattern": "[0-9]{5}"}), ("(regex( . , '^a and b$'))", {"pattern": "^a and b$"}),
                ("regex(., 'x') and string-length(.) <= 9", {"maxLength": 9, "pattern": "x"}),
                ("string-length(.) > 2 and regex(., '\\p{L}+')", {"minLength": 3, "pattern": "\\p{L}+"}),
                ("regex(., 'a(b')", None), ("regex(., '')", None), ("regex(., 'a') and regex(., 'b')", {"pattern": "a"}),
                ("string-length(.) < 999 and regex(., 'x')", {"pattern": "x"}), ("regex(.,'" + "x" * 501 + "')", None),
                ("string-length(.) > 300 and regex(., 'x')", {"minLength": 301}), ("regex(.. , 'x')", None),
                ("'" * 3000, None), ("not(regex(., 'x'))", None)]:
            with self.subTest(constraint[:60]):
                folder = self.survey_csv(f'type,name,label,constraint,constraint_message\ntext,a,A?,"{constraint}",Like 5\n', "")
                code, output, errors = self.run_main(folder)
                question, = json.loads(output)["surveys"][0]["questions"]
                found = {name: question[name] for name in ("minLength", "maxLength", "pattern") if name in question}
                self.assertEqual(found, members or {})
                self.assertEqual(question.get("patternMessage"), "Like 5" if "pattern" in found else None)
                self.assertEqual("'constraint_message' cannot be expressed" in errors, "pattern" not in found)
        survey = self.converted(self.survey_csv(
            "type,name,label::English (en),label::German (de),constraint,constraint_message::English (en),"
            "constraint_message::German (de)\ntext,a,A?,Ah?,\"regex(., 'x')\",An x,Ein x\n", ""), "--language", "en")
        self.assertEqual(survey["questions"][0]["patternMessage"], "An x")
        self.assertEqual(survey["translations"]["de"]["questions"]["a"], {"question": "Ah?", "patternMessage": "Ein x"})

    def test_validations_of_redcap_are_patterns(self):
        for validation, right, wrong in [
                ("zipcode", "12345-6789", "1234"), ("phone", "(415) 555-2671 x12", "115-555-2671"), ("email", "a.b@c.org", "a@b"),
                ("ssn", "078-05-1120", "078051120"), ("postalcode_canada", "k1a 0b1", "D1A 0B1"), ("time_mm_ss", "59:00", "60:00"),
                ("datetime_ymd", "2026-01-31 14:30", "2026-13-01 14:30"), ("postalcode_germany", "01067", "00999")]:
            with self.subTest(validation):
                path = self.folder / "d.csv"
                path.write_text(
                    "field_name,form_name,field_type,field_label,text_validation_type_or_show_slider_number\n"
                    f"id,f,text,Id,\na,f,text,A?,{validation}\n")
                question, = self.converted(path)["questions"]
                self.assertIsNotNone(re.fullmatch(question["pattern"], right))
                self.assertIsNone(re.fullmatch(question["pattern"], wrong))

    def test_a_matrix_of_redcap_is_one_where_its_rows_differ_in_nothing_but_their_texts(self):
        head = ("field_name,form_name,section_header,field_type,field_label,select_choices_or_calculations,branching_logic,"
                "required_field,matrix_group_name\nid,f,,text,Id,,,,\n")
        first = 'a,f,How?,radio,A,"1, X | 2, Y",,y,grid\n'
        for rows, told, expected in [
                ('b,f,,radio,B,"1, X | 2, Y",,,grid\n', "called 'grid.a'",
                 [("grid", [{"id": "a", "label": "A"}, {"id": "b", "label": "B", "required": False}])]),
                # A matrix may be the last of the fields, and there may be several.
                ('b,f,Else?,radio,B,"1, X | 2, Y",,y,more\n', "called 'more.b'",
                 [("grid", [{"id": "a", "label": "A"}]), ("more", [{"id": "b", "label": "B"}])]),
                ('b,f,,radio,B,"1, X | 3, Z",,,grid\n', "rows differ", [("a", None), ("b", None)]),
                ('b,f,,checkbox,B,"1, X | 2, Y",,,grid\n', "rows differ", [("a", None), ("b", None)]),
                ('b,f,,radio,B,"1, X | 2, Y",[a] = "1",,grid\n', "rows differ", [("a", None), ("b", None)]),
                # The name of a field is that of no matrix.
                ('grid,f,,radio,B,"1, X | 2, Y",,,grid\n', "rows differ", [("a", None), ("grid", None)])]:
            with self.subTest(rows):
                path = self.folder / "d.csv"
                path.write_text(head + first + rows)
                code, output, errors = self.run_main(path)
                survey, = json.loads(output)["surveys"]
                self.assertEqual(code, 0)
                self.assertEqual([(question["id"], question.get("rows")) for question in survey["questions"]], expected)
                self.assertIn(told, errors)
                self.check_schema({"surveys": [survey]})
        # A condition of all rows is that of the matrix, and one may look at a row.
        path.write_text(
            head + 'q,f,,text,Q,,,y,\na,f,How?,radio,A,"1, X | 2, Y",[q] = "x",y,grid\n'
            'b,f,,radio,B,"1, X | 2, Y",[q] = "x",y,grid\nlast,f,,text,Why?,,[b] = "2",,\n')
        _, matrix, last = self.converted(path)["questions"]
        self.assertEqual((matrix["when"], last["when"]), ("answer.q = x", "answer.grid.b = '2'"))

    def test_or_other_is_an_option_with_a_text_of_its_own(self):
        for kind, label, other in [
                ("select_one l or_other", "", True), ("select_multiple l or other", "", True),
                ("select_one l or_other", "Else", "Else")]:
            with self.subTest(kind + label):
                own = f"l,other,{label}\n" if label else ""
                survey = self.converted(self.survey_csv(
                    f"type,name,label,relevant,constraint\n{kind},a,A?,,count-selected(.) <= 3\n"
                    "text,b,B?,\"selected(${a}, 'other')\",\n", f"list_name,name,label\n{own}l,x,X\nl,y,Y\n"))
                first, second = survey["questions"]
                self.assertEqual((first["other"], values_of(first)), (other, ["x", "y"]))
                self.assertEqual(first.get("maxSelections"), 3 if "multiple" in kind else None)
                # The option can be a condition as each other.
                self.assertEqual(second["when"], f"answer.a {'contains' if 'multiple' in kind else '='} other")
        survey = self.converted(self.survey_csv(
            "type,name,label::English (en),label::German (de)\nselect_one l or_other,a,A?,Ah?\n",
            "list_name,name,label::English (en),label::German (de)\nl,x,X,Iks\nl,other,Else,Sonst\n"), "--language", "en")
        self.assertEqual(survey["questions"][0]["other"], "Else")
        self.assertEqual(survey["translations"]["de"]["questions"]["a"]["other"], "Sonst")

    def test_choices_in_an_order_by_chance(self):
        for kind, parameters, is_shuffled in [
                ("select_one l", "randomize=true", True), ("rank l", "randomize = TRUE seed=5", True),
                ("select_multiple l", "randomize=false", False), ("text", "randomize=true", False)]:
            with self.subTest(kind + parameters):
                survey = self.converted(self.survey_csv(
                    f"type,name,label,parameters\n{kind},a,A?,{parameters}\n", "list_name,name,label\nl,x,X\nl,y,Y\n"))
                self.assertEqual(survey["questions"][0].get("shuffle", False), is_shuffled)

    def test_brackets_that_name_no_field_are_text(self):
        path = self.folder / "d.csv"
        path.write_text(
            "field_name,form_name,field_type,field_label\nid,f,text,Id\na,f,text,How [kindly] was it?\n"
            "b,f,text,\"Why [a], [a(2)], [a:value]?\"\n")
        self.assertEqual(
            [question["question"] for question in self.converted(path)["questions"]], ["How [kindly] was it?", "Why …, …, …?"])


class Page(ConvertTest):
    def test_the_example_of_the_page_is_what_is_written(self):
        page = (ROOT / "docs/guides/import-questionnaires.md").read_text()
        example = page[page.index("## From a sheet"):page.index("## Options")]
        tables = [[[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table.splitlines() if "|---|" not in line]
                  for table in re.findall(r"(?:^\|.*\n)+", example, re.MULTILINE)]
        self.assertEqual(len(tables), 3)
        book = workbook(self.folder / "visit.xlsx", dict(zip(("survey", "choices", "settings"), map(sheet_xml, tables))))
        document = json.loads(re.search(r"```json\n(.*?)```", example, re.DOTALL).group(1))
        self.assertEqual([self.converted(book)], document["surveys"])
        # Each option that the page names is one, and the other way round.
        said = self.run_main("--help")[1]
        self.assertEqual(set(re.findall(r"`(--\w+|-o)\b", page)), set(re.findall(r"(?:^|\s)(--(?!help|output)\w+|-o)\b", said)))


class Options(ConvertTest):
    def test_another_language_can_be_the_surveys_own(self):
        survey = self.converted(SAMPLES / "xlsform-visit", "--language", "de")
        self.assertEqual(labels_of(survey["questions"][0]), ["Ja", "Nein"])
        self.assertEqual(survey["questions"][1]["when"], "answer.came = no")
        self.assertEqual(survey["translations"]["en"]["questions"]["came"]["options"], ["Yes", "No"])
        self.assertEqual(survey["message"], "Danke für Ihren Besuch.")
        said = self.refused(SAMPLES / "xlsform-visit", "--language", "fr")
        self.assertIn("no texts in 'fr'; there are: de, en", said)

    def test_the_id_is_that_of_the_option_the_settings_or_the_file(self):
        self.assertEqual(self.converted(SAMPLES / "xlsform-visit", "--id", "mine")["trigger"], {"event": {"name": "ask_mine"}})
        self.assertEqual(self.converted(SAMPLES / "xlsform-visit")["id"], "visit")
        path = self.survey_csv("type,name,label\ntext,a,A?\n") / "survey.csv"
        other = path.rename(self.folder / "tea-survey.csv")
        self.assertEqual(self.converted(other, "--kind", "xlsform")["questions"][0]["question"], "A?")
        said = self.refused(SAMPLES / "redcap-sleep.csv", "--id", "x", code=64)
        self.assertIn("2 forms", said)

    def test_a_lone_sheet_of_any_name_is_told_of_once(self):
        path = self.folder / "tea.csv"
        path.write_bytes("type,name,label\ntext,a,Ärger?\n".encode("latin-1"))
        code, output, errors = self.run_main(path)
        self.assertEqual((code, json.loads(output)["surveys"][0]["id"], errors.count("Windows-1252")), (0, "tea", 1))

    def test_what_is_no_text_is_in_no_id(self):
        folder = self.survey_csv("type,name,label\ntext,a,A?\n")
        odd = folder.rename(folder.with_name("caf\udce9"))
        self.assertEqual(self.converted(odd)["id"], "caf")
        self.assertEqual(self.converted(odd, "--id", "t\udce9a\x07")["id"], "ta")

    def test_files_are_named_one_by_one_or_by_their_folder(self):
        files = [SAMPLES / "xlsform-visit" / f"{sheet}.csv" for sheet in ("settings", "survey", "choices")]
        self.assertEqual(self.converted(*files), self.converted(SAMPLES / "xlsform-visit"))
        self.assertIn("which sheet is it?", self.refused(files[1], SAMPLES / "redcap-simple.csv", code=64))

    def test_the_file_is_there_whole_or_not_at_all(self):
        target = self.folder / "surveys.json"
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        self.assertEqual(self.run_main(SAMPLES / "xlsform-simple", "-o", target)[0], 0)
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
        link = self.folder / "link.json"
        link.symlink_to(target)
        target.chmod(0o604)
        self.assertEqual(self.run_main(SAMPLES / "xlsform-visit", "-o", link)[0], 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o604)
        self.assertEqual(json.loads(target.read_text())["surveys"][0]["id"], "visit")
        self.assertEqual(self.refused(SAMPLES / "nothing.csv", "-o", target, code=66).count("there is no file"), 1)
        self.assertEqual(json.loads(target.read_text())["surveys"][0]["id"], "visit")
        self.assertEqual(self.run_main(SAMPLES / "xlsform-simple", "-o", self.folder / "no" / "such.json")[0], 73)
        (self.folder / "place").mkdir()
        self.assertEqual(self.run_main(SAMPLES / "xlsform-simple", "-o", self.folder / "place")[0], 73)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["link.json", "place", "surveys.json"])

    def test_a_wrong_command_line_ends_with_64(self):
        for arguments in ([], ["--kind", "csv", "x"], ["x", "--id", " "], ["x", "--unknown"]):
            self.assertEqual(self.run_main(*arguments)[0], 64)


if __name__ == "__main__":
    unittest.main()
