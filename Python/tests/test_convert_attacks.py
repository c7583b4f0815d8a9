"""Files that are damaged, huge, or made to harm."""

import json
import struct
import time
import unittest
import zipfile
from unittest import mock

from hark import _sheets

from .questionnaires import HEAD, MAIN, ConvertTest, sheet_xml, workbook, workbook_of, SAMPLES

SURVEY = [["type", "name", "label"], ["text", "a", "A?"]]
CELLS = '<c r="A1" t="inlineStr"><is><t>type</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is></c>' \
        '<c r="C1" t="inlineStr"><is><t>label</t></is></c>'


def worksheet(data, behind=""):
    return f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData><row r="1">{CELLS}</row>{data}</sheetData>{behind}</worksheet>'


def row(third, number=2, name="a"):
    return f'<row r="{number}"><c r="A{number}" t="inlineStr"><is><t>text</t></is></c>' \
           f'<c r="B{number}" t="inlineStr"><is><t>{name}</t></is></c>{third}</row>'


class Workbooks(ConvertTest):
    def book(self, survey, **others):
        return workbook(self.folder / "f.xlsx", {"survey": survey}, **others)

    def labels(self, path):
        return [question["question"] for question in self.converted(path)["questions"]]

    def test_entities_are_not_expanded(self):
        secret = self.folder / "secret"
        secret.write_text("hunter2")
        laughs = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 10))
        for doctype in [
                f'<!DOCTYPE worksheet [<!ENTITY x SYSTEM "file://{secret}">]>', f'<!DOCTYPE w [<!ENTITY l0 "ha">{laughs}]>',
                '<!DOCTYPE w SYSTEM "http://127.0.0.1:9/x.dtd">', '<!DOCTYPE w [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>']:
            for place in ("sheet", "shared", "workbook"):
                with self.subTest(f"{doctype[:40]} in {place}"):
                    body = worksheet(row('<c r="C2" t="inlineStr"><is><t>&x;&l9;</t></is></c>'))
                    sheet = body.replace(HEAD, HEAD + doctype) if place == "sheet" else sheet_xml(SURVEY)
                    shared = f'{HEAD}{doctype}<sst><si><t>&x;</t></si></sst>' if place == "shared" else ""
                    others = {"xl/workbook.xml": f"{HEAD}{doctype}<workbook/>"} if place == "workbook" else None
                    with mock.patch("warnings.warn"):
                        path = workbook(self.folder / "f.xlsx", {"survey": sheet}, shared, others)
                    begun = time.monotonic()
                    said = self.refused(path)
                    self.assertIn("DOCTYPE", said)
                    self.assertNotIn("hunter2", said)
                    self.assertLess(time.monotonic() - begun, 5)

    def test_an_entity_that_is_not_declared_is_refused(self):
        self.assertIn("no XML that can be read", self.refused(self.book(worksheet(row('<c r="C2"><v>&x;</v></c>')))))

    def test_bombs_are_refused_with_a_sentence(self):
        begun = time.monotonic()
        self.assertIn("unpacks to more than 64 MiB", self.refused(self.book(f"{HEAD}<worksheet>{' ' * 100_000_000}</worksheet>")))
        many = "".join(f'<row><c><v>{number}</v></c></row>' for number in range(30_000))
        self.assertIn("more than 20000 rows", self.refused(self.book(f"{HEAD}<worksheet>{many}</worksheet>")))
        wide = "<c><v>1</v></c>" * 1_000_000
        self.assertIn("more than 16384 columns", self.refused(self.book(f"{HEAD}<worksheet><row>{wide}</row></worksheet>")))
        self.assertIn(
            "more than 1000000 texts", self.refused(self.book(sheet_xml(SURVEY), shared=f"<sst>{'<si/>' * 1_100_000}</sst>")))
        long = f'<c r="C2" t="inlineStr"><is><t>{"x" * 1_100_000}</t></is></c>'
        self.assertIn("row 2, column C: it has more than 1000000 characters", self.refused(self.book(worksheet(row(long)))))
        with mock.patch.object(_sheets, "MOST_BYTES", 1000):
            self.assertIn("MiB", self.refused(self.book(sheet_xml([[str(number) + "x" * 50] for number in range(500)]))))
        self.assertLess(time.monotonic() - begun, 60)

    def test_a_million_rows_without_anything_in_them_are_nothing(self):
        empty = "".join(f'<row r="{number}"/>' for number in range(3, 1_048_577, 4))
        self.assertEqual(self.labels(self.book(worksheet(row('<c r="C2" t="inlineStr"><is><t>A?</t></is></c>') + empty))), ["A?"])

    def test_cells_that_no_spreadsheet_has_are_refused(self):
        for cell, words in [
                ('<c r="XFE2"><v>1</v></c>', "columns"), ('<c r="ZZZ2"><v>1</v></c>', "columns"),
                ('<c r="AAAA2"><v>1</v></c>', "no name"),
                ('<c r="C0"><v>1</v></c>', "numbered"), ('<c r="C9999999"><v>1</v></c>', "numbered"),
                ('<c r="C-1"><v>1</v></c>', "no name"),
                ('<c r="C2" t="s"><v>0</v></c>', "shared text 0, and there are 0"),
                ('<c r="C2" t="s"><v>-1</v></c>', "shared text -1"),
                ('<c r="C2" t="s"><v>x</v></c>', "shared text x"),
                ('<c r="C2" t="s"><v>99999999999999999999</v></c>', "shared text"),
                ('<c r="C²"><v>1</v></c>', "no name")]:
            with self.subTest(cell):
                self.assertIn(words, self.refused(self.book(worksheet(row(cell)))))

    def test_formulas_have_the_value_they_had_and_errors_none(self):
        self.assertEqual(self.labels(self.book(worksheet(row('<c r="C2" t="str"><f>A1&amp;"?"</f><v>type?</v></c>')))), ["type?"])
        for cell, words in [('<c r="C2"><f>A1</f></c>', "a formula without its value"),
        ('<c r="C2" t="e"><v>#REF!</v></c>', "#REF!")]:
            code, output, errors = self.run_main(self.book(worksheet(row(cell))))
            self.assertEqual(code, 0)
            self.assertIn(f"sheet survey, row 2, column C: {'an error of the spreadsheet (' * (words[0] == '#')}{words}", errors)
            self.assertEqual(json.loads(output)["surveys"][0]["questions"][0]["question"], "a")

    def test_merged_cells_are_told(self):
        path = self.book(worksheet(row('<c r="C2"><v>1</v></c>'), '<mergeCells><mergeCell ref="C2:C3"/></mergeCells>'))
        self.assertIn("the cells C2:C3 are merged", self.run_main(path)[2])
        path = self.book(worksheet(row('<c r="C2"><v>1</v></c>'), '<mergeCell ref="A1:B2"/>' * 5000))
        errors = self.run_main(path)[2]
        self.assertLess(errors.count("\n"), 1_010)
        self.assertRegex(errors, r"\d+ more lines are not printed")

    def test_numbers_truth_and_runs_are_texts(self):
        for cell, text in [
                ('<c r="C2"><v>12</v></c>', "12"), ('<c r="C2"><v>3.0</v></c>', "3"), ('<c r="C2"><v>1.5</v></c>', "1.5"),
                ('<c r="C2"><v>1E2</v></c>', "100"), ('<c r="C2"><v>1e999</v></c>', "1e999"),
                ('<c r="C2" t="b"><v>1</v></c>', "TRUE"),
                ('<c r="C2" t="str"><v>007</v></c>', "007"),
                ('<c r="C2" t="inlineStr"><is><r><t>So </t></r><r><t>what?</t></r><rPh><t>no</t></rPh></is></c>', "So what?"),
                ('<c r="C2" t="inlineStr"><is><t>a_x000D__x000A_b_xD800_</t></is></c>', "a\nb")]:
            with self.subTest(cell):
                self.assertEqual(self.labels(self.book(worksheet(row(cell)))), [text])

    def test_choices_that_are_numbers_are_chosen_by_conditions(self):
        path = workbook(self.folder / "f.xlsx", {
            "Survey": sheet_xml([["type", "name", "label", "relevant"], ["select_one l", "a", "A?"], ["text", "b", "B?",
            "${a} = 2"]]),
            "CHOICES": sheet_xml([["list_name", "name", "label"], ["l", "1", "One"], ["l", "2", "Two"]])})
        self.assertEqual(self.converted(path)["questions"][1]["when"], "answer.a = '2'")

    def test_what_is_missing_is_named(self):
        self.assertIn("no sheet 'survey'", self.refused(workbook(self.folder / "f.xlsx", {"choices": sheet_xml(SURVEY)})))
        self.assertIn("no column 'type'", self.refused(self.book(sheet_xml([]))))
        self.assertIn("no column 'name'", self.refused(self.book(sheet_xml([["type", "label"], ["text", "A?"]]))))
        self.assertIn("no question", self.refused(self.book(sheet_xml(SURVEY[:1]))))
        self.assertIn("no part xl/worksheets/sheet1.xml", self.refused(self.without("xl/worksheets/sheet1.xml")))
        self.assertIn("no part xl/workbook.xml", self.refused(self.without("xl/workbook.xml")))

    def without(self, part):
        with zipfile.ZipFile(self.book(sheet_xml(SURVEY))) as whole, zipfile.ZipFile(self.folder / "g.xlsx", "w") as less:
            for name in whole.namelist():
                if name != part:
                    less.writestr(name, whole.read(name))
        return self.folder / "g.xlsx"

    def test_paths_that_lead_out_of_the_workbook_lead_nowhere(self):
        relations = f'{HEAD}<Relationships><Relationship Id="rId1" Target="../../../../etc/passwd"/></Relationships>'
        said = self.refused(self.book(sheet_xml(SURVEY), others={"xl/_rels/workbook.xml.rels": relations}))
        self.assertIn("no part etc/passwd", said)

    def test_damaged_files_are_refused(self):
        whole = workbook_of(SAMPLES / "xlsform-visit", self.folder / "whole.xlsx").read_bytes()
        path = self.folder / "f.xlsx"
        for content, words in [
                (b"", "no workbook"), (b"PK\x03\x04", "no workbook"), (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password"),
                (whole[:-40], "no workbook"),
                (b"type,name\n", "no workbook")]:
            path.write_bytes(content)
            self.assertIn(words, self.refused(path))
        # Each part damaged somewhere: a sentence or a survey, and never a traceback.
        for place in range(0, len(whole), 7):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1:])
            code, output, errors = self.run_main(path)
            self.assertIn(code, (0, 65), errors)
        # A flag that says that a part is encrypted.
        at = whole.index(b"PK\x01\x02")
        path.write_bytes(whole[:at + 8] + struct.pack("<H", 1) + whole[at + 10:])
        self.assertIn("no workbook", self.refused(path))


class Tables(ConvertTest):
    SHEET = "type,name,label\ntext,a,Ärger?\n"

    def test_encodings_separators_and_line_ends(self):
        for content in [
                self.SHEET.encode(), b"\xef\xbb\xbf" + self.SHEET.encode(), self.SHEET.encode("utf-16"), self.SHEET.encode("latin-1"),
                self.SHEET.replace(",", ";").encode(), self.SHEET.replace(",", "\t").encode(), self.SHEET.replace("\n", "\r\n").encode(),
                self.SHEET.replace("\n", "\r").encode(), ("\n\n" + self.SHEET + "\n,,\n").encode(),
                'Type ;"NAME";label;"note, or so"\ntext;a;Ärger?\n'.encode()]:
            with self.subTest(content):
                folder = self.survey_csv(content)
                self.assertEqual(self.converted(folder)["questions"], [
                    {"id": "a", "type": "text", "question": "Ärger?", "required": False}])
        self.assertIn("read as Windows-1252", self.run_main(self.survey_csv(self.SHEET.encode("latin-1")))[2])

    def test_a_dictionary_of_a_spreadsheet_in_german(self):
        text = (SAMPLES / "redcap-simple.csv").read_text()
        path = self.folder / "d.csv"
        path.write_bytes(b"\xef\xbb\xbf" + text.replace('"1, Bad', "1, Bad").replace('Good"', "Good").encode())
        semicolons = text.replace(",", ";").replace('"1; Bad | 2; So-so | 3; Good"', '"1, Bad | 2, So-so | 3, Good"')
        semicolons = semicolons.replace("Choices; Calculations; OR", "Choices, Calculations, OR")
        path.write_bytes(semicolons.replace("\n", "\r\n").encode("cp1252"))
        self.assertEqual(self.converted(path), self.converted(SAMPLES / "redcap-simple.csv"))

    def test_names_that_are_no_ids(self):
        survey = self.converted(self.survey_csv("type,name,label\ntext,a,A?\ntext,a,B?\ntext,end,C?\ntext,,D?\ntext,a_2,E?\n"))
        self.assertEqual([question["id"] for question in survey["questions"]], ["a", "a_2", "end_2", "q4", "a_2_2"])
        survey = self.converted(self.survey_csv(
            "type,name,label\nselect_one l or_other,a,A?\ntext,a.other,B?\ntext,c.other,C?\nselect_one l or_other,c,D?\n",
            "list_name,name,label\nl,x,X\n"))
        self.assertEqual([question["id"] for question in survey["questions"]], ["a", "a.other_2", "c.other", "c_2"])
        target = self.folder / "s.json"
        target.write_text(json.dumps({"surveys": [survey]}))
        self.check_validates(target)
        self.run_main(self.survey_csv('type,name,label\ntext,"a ""b"" \x07\u202e {|}",A?\n'), "-o", target)
        self.check_validates(target)
        said = self.run_main(self.survey_csv("type,name,label\n\x1b[31mred \u202eder,a,A?\n"))[2]
        self.assertIn("the type '[31mred  der' is not known", said)

    def test_line_ends_in_cells_are_line_feeds(self):
        survey = self.converted(self.survey_csv('type,name,label\r\ntext,a,"A\r\nB\rC\x0b\r\n "\r\n'))
        self.assertEqual(survey["questions"][0]["question"], "A\nB\nC")

    def test_of_two_columns_of_one_name_the_first_is_read(self):
        code, output, errors = self.run_main(self.survey_csv("type,name,label,Label \ntext,a,A?,B?\n"))
        self.assertEqual((code, json.loads(output)["surveys"][0]["questions"][0]["question"]), (0, "A?"))
        self.assertIn("row 1, column label: there is another column of this name; left out", errors)

    def test_texts_of_any_script_and_length(self):
        for text in ("שלום, מה שלומך?", "كيف حالك؟ \u2067", "x" * 100_000, "👩‍👩‍👧 e\u0301", "\u200b."):
            target = self.folder / "s.json"
            self.assertEqual(self.run_main(self.survey_csv(f'type,name,label\ntext,a,"{text}"\n'), "-o", target)[0], 0)
            self.assertEqual(json.loads(target.read_text())["surveys"][0]["questions"][0]["question"], text.strip())
            self.check_validates(target)

    def test_too_much_is_refused(self):
        self.assertIn("more than 20000 rows", self.refused(self.survey_csv("type,name,label\n" + "text,a,A?\n" * 30_000)))
        self.assertIn("more than 1000000 cells", self.refused(self.survey_csv("a," * 1_100_000 + "\n")))
        self.assertIn("larger than field limit", self.refused(self.survey_csv("type,name,label\ntext,a," + "x" * 1_100_000)))
        lines = "".join(f"text,a{number},A?\n" for number in range(201))
        self.assertIn("201 questions, and at most 200", self.refused(self.survey_csv("type,name,label\n" + lines)))
        with mock.patch.object(_sheets, "MOST_BYTES", 10):
            self.assertIn("MiB", self.refused(self.survey_csv(self.SHEET)))

    def test_what_is_no_table_is_refused(self):
        for content, words in [
                (b"", "no column 'type'"), (b"\0\0\0", "no column|no CSV"), (b"\n\n\n", "no column 'type'"),
                (b"type,name\n", "no question"),
                (b"PK\x03\x04...", "a workbook and no CSV"), (b'{"a": 1}', "no column 'type'")]:
            with self.subTest(content):
                self.assertRegex(self.refused(self.survey_csv(content)), words)
        path = self.folder / "x.csv"
        path.write_text("a,b\n1,2\n")
        self.assertIn("no data dictionary of REDCap", self.refused(path))
        path.write_text("field_name,form_name,field_type,field_label\n")
        self.assertIn("no fields", self.refused(path))
        path.write_text("field_name,form_name,field_type,field_label\nid,a,text,Id\n")
        self.assertIn("no question", self.refused(path))
        self.assertIn("no survey.csv", self.refused(self.folder, code=66))
        self.assertIn("old format", self.refused(self.folder / "x.xls"))

    def test_lists_that_are_odd(self):
        choices = "list_name,name,label,label::de,label::German (de)\nl,a,Same,,\nl,b,Same,Eins,\nl,c,,,Zwei\nl,a (b),Same (b),,\n"
        survey = self.converted(self.survey_csv("type,name,label\nselect_one l,q,Q?\n", choices))
        self.assertEqual(survey["questions"][0]["options"], [
            {"value": code, "label": label}
            for code, label in (("a", "Same"), ("b", "Same (b)"), ("c", "Zwei"), ("a (b)", "Same (b) (a (b))"))])
        self.assertEqual(survey["translations"]["de"]["questions"]["q"]["options"], ["Same", "Eins", "Zwei", "Same (b)"])


if __name__ == "__main__":
    unittest.main()
