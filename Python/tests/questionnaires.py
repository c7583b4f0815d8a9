"""Sheets for the tests of the converters: workbooks are made of the CSV files of the samples."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from hark import convert

from .daemon import ROOT, daemon_path

SAMPLES = Path(__file__).resolve().parent / "samples"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def letters(column: int) -> str:
    return letters(column // 26 - 1) + chr(65 + column % 26) if column > 25 else chr(65 + column)


def sheet_xml(rows: list[list[str]], shared: list[str] | None = None) -> str:
    """A sheet: numbers as numbers, texts shared (with a list to put them into) or in their cells."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, text in enumerate(row):
            name = f"{letters(column)}{number}"
            if not text:
                continue
            if text.isdecimal():
                cells.append(f'<c r="{name}"><v>{text}</v></c>')
            elif shared is not None:
                shared.append(text)
                cells.append(f'<c r="{name}" t="s"><v>{len(shared) - 1}</v></c>')
            else:
                cells.append(f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def workbook(path: Path, sheets: dict[str, str], shared: list[str] | str = "", others: dict[str, str] | None = None) -> Path:
    """Writes a workbook of the XML of its sheets."""
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>' for number, name in enumerate(sheets, 1))
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number, _ in enumerate(sheets, 1))
    if isinstance(shared, list):
        items = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in shared)
        shared = f'{HEAD}<sst xmlns="{MAIN}">{items}</sst>'
    parts = {
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels":
            f'{HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{related}</Relationships>',
        **{f"xl/worksheets/sheet{number}.xml": xml for number, xml in enumerate(sheets.values(), 1)},
        **({"xl/sharedStrings.xml": shared} if shared else {}), **(others or {})}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def records_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def workbook_of(folder: Path, path: Path) -> Path:
    shared: list[str] = []
    sheets = {sheet: sheet_xml(rows_of(folder / f"{sheet}.csv"), shared) for sheet in ("survey", "choices", "settings")}
    return workbook(path, {"Notes": sheet_xml([["Made by us"]]), **sheets}, shared)


class ConvertTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="hark-convert-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_main(self, *arguments: Any) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        output, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = convert.main([str(argument) for argument in arguments])
            except SystemExit as ended:
                code = int(ended.code or 0)
        output.flush()
        return code, output.buffer.getvalue().decode(), errors.getvalue()

    def survey_csv(self, text: str | bytes, choices: str = "") -> Path:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "survey.csv").write_bytes(text.encode() if isinstance(text, str) else text)
        if choices:
            (folder / "choices.csv").write_text(choices)
        return folder

    def converted(self, *arguments: Any) -> dict[str, Any]:
        """The only survey that is made of files."""
        code, output, errors = self.run_main(*arguments)
        self.assertEqual(code, 0, errors)
        survey, = json.loads(output)["surveys"]
        return survey

    def refused(self, *arguments: Any, code: int = 65) -> str:
        """What is said of files that cannot be converted: one line, and nothing is written."""
        found, output, errors = self.run_main(*arguments)
        self.assertEqual((found, output), (code, ""), errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        return errors

    def check_schema(self, document: dict[str, Any]) -> None:
        try:
            import jsonschema
        except ImportError:
            return
        name = "survey.schema.json" if "surveys" in document else "forms.schema.json"
        schema = json.loads((ROOT / "packaging/schema" / name).read_text())
        faults = [fault.message for fault in jsonschema.Draft202012Validator(schema).iter_errors(document)]
        self.assertEqual(faults, [])

    def check_validates(self, path: Path) -> str:
        """What `hark config validate` says of a file that it takes."""
        tool = Path(daemon_path()).parent
        run = subprocess.run(
            [str(tool / "hark"), "config", "validate", str(path)], capture_output=True, text=True, timeout=60,
            env={**os.environ, "PATH": f"{tool}:{os.environ['PATH']}"})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout + run.stderr
