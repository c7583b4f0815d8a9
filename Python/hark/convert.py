"""Questionnaires of XLSForm and REDCap as surveys or forms of Hark: ``python3 -m hark.convert FILE…``.

What Hark cannot express is told on standard error, a line each, with file, sheet, row and column, and what was done instead.

Exit codes: 0, it is written; 1, with ``--strict``, something cannot be expressed and nothing is written; 64, the command line is
wrong; 65, the file cannot be converted; 66, it is not there; 73, the new file cannot be made; 74, writing failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn, Sequence

from . import _redcap, _xlsform
from ._items import Questionnaire, write
from ._sheets import CANNOT_CREATE, IO_ERROR, NO_INPUT, USAGE, Place, Refused, Report, Sheet, read_csv, shown, tidy
from ._whens import Work
from ._xlsx import read_workbook


def convert(
    files: Sequence[str | os.PathLike[str]], kind: str | None = None, to: str = "survey", name: str | None = None,
    language: str | None = None
) -> tuple[dict[str, Any], Report]:
    """
    A file of surveys or forms, and what is to tell about it.

    :param files: an .xlsx, a folder with survey.csv, choices.csv and settings.csv, these files, or a data dictionary (CSV).
    :param kind: "xlsform" or "redcap"; None: what the files look like.
    :param to: "survey" or "form".
    :param name: the id of the survey or form; None: the one in the file.
    :param language: the survey's own; the other languages become translations.
    :raises Refused: if nothing can be made of the files.
    """
    report = Report()
    paths = [Path(file) for file in files]
    read = _read(paths, kind, language, report)
    questionnaires = [read.questionnaire] if isinstance(read, _xlsform.XLSForm) else read.questionnaires
    if not questionnaires:
        raise Refused(f"{Place(str(paths[0]))}: there is no question that can be asked")
    if name is not None:
        if len(questionnaires) > 1:
            raise Refused(f"{Place(str(paths[0]))}: it has {len(questionnaires)} forms, and --id is the id of one", USAGE)
        questionnaires[0].id = name
    work = Work(Place(str(paths[0])))
    written = [write(questionnaire, to, read.language, read.languages, work, report) for questionnaire in questionnaires]
    return {"surveys" if to == "survey" else "forms": written}, report


def _read(paths: list[Path], kind: str | None, language: str | None, report: Report) -> _xlsform.XLSForm | _redcap.Dictionary:
    first = Place(str(paths[0]))
    if len(paths) == 1 and paths[0].is_dir():
        folder = paths[0]
        paths = [folder / f"{sheet}.csv" for sheet in _xlsform.SHEETS if (folder / f"{sheet}.csv").exists()]
        if not paths:
            raise Refused(f"{first}: the folder has no survey.csv", NO_INPUT)
    if paths[0].suffix.lower() in (".xlsx", ".xlsm"):
        if len(paths) > 1:
            raise Refused(f"{first}: one workbook is converted at a time", USAGE)
        if kind == "redcap":
            raise Refused(f"{first}: a data dictionary is a CSV file: export it as one", USAGE)
        return _xlsform.XLSForm(read_workbook(paths[0], _xlsform.SHEETS, report), first, language, report)
    if paths[0].suffix.lower() == ".xls":
        raise Refused(f"{first}: this is a workbook of the old format: save it as .xlsx")
    sheets = {path: _sheet_name(path) for path in paths}
    if kind is None:
        kind = "xlsform" if len(paths) > 1 or "survey" in sheets.values() else None
    if kind != "xlsform":
        table = read_csv(paths[0], "", _redcap.COLUMNS | _xlsform.COLUMNS, report)
        if kind == "redcap" or "type" not in table.columns or "name" not in table.columns:
            if len(paths) > 1:
                raise Refused(f"{first}: one data dictionary is converted at a time", USAGE)
            if language is not None:
                raise Refused(f"{first}: a data dictionary has one language: leave out --language", USAGE)
            return _redcap.Dictionary(table, report)
        # The file is read once more, as a sheet.
        report.clear()
    found: dict[str, Sheet] = {}
    for path, sheet in sheets.items():
        sheet = sheet or ("survey" if len(paths) == 1 else "")
        if not sheet or sheet in found:
            raise Refused(f"{Place(str(path))}: which sheet is it? Call the files survey.csv, choices.csv and settings.csv", USAGE)
        found[sheet] = read_csv(path, sheet, _xlsform.COLUMNS, report)
    return _xlsform.XLSForm(found, Place(str(paths[0].parent if "survey" in sheets.values() else paths[0])), language, report)


def _sheet_name(path: Path) -> str:
    stem = path.stem.lower()
    return next((sheet for sheet in _xlsform.SHEETS if stem == sheet or stem.endswith(("-" + sheet, "_" + sheet))), "")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        document, report = convert(options.files, options.kind, options.to, options.id, options.language)
        text = _json(document) + "\n"
    except Refused as refused:
        _say(str(refused))
        return refused.code
    for line in report.lines:
        _say(line)
    if report.more:
        _say(f"{report.more} more lines are not printed")
    if report.lost:
        count = "1 thing" if report.lost == 1 else f"{report.lost} things"
        _say(f"{count} could not be expressed" + (": nothing is written (--strict)" if options.strict else ""))
        if options.strict:
            return 1
    try:
        _put(text, options.output)
    except OSError as error:
        _say(f"{shown(options.output or 'standard output', 200)} cannot be written: {error.strerror}")
        return IO_ERROR if options.output is None else CANNOT_CREATE
    return 0


def _json(value: Any, indent: int = 0, used: int = 0) -> str:
    """JSON with what is short on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or indent + used + len(line) <= 110 and indent > 4:
        return line
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{margin}{(key := json.dumps(name, ensure_ascii=False))}: {_json(part, indent + 2, len(key) + 2)}"
                 for name, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(margin + _json(part, indent + 2) for part in value) + "\n" + " " * indent + "]"


def _say(line: str) -> None:
    print(f"hark.convert: {line}", file=sys.stderr)


def _put(text: str, output: str | None) -> None:
    """Writes a file whole, or not at all."""
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    # Behind a link, the file it leads to is the one to write.
    target = os.path.realpath(output)
    descriptor, beside = tempfile.mkstemp(prefix=".hark-convert-", dir=os.path.dirname(target))
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, _mode(target))
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _mode(target: str) -> int:
    try:
        return os.stat(target).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"hark.convert: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python3 -m hark.convert", description="Converts a questionnaire of XLSForm or REDCap into a survey or form of Hark.")
    parser.add_argument("files", metavar="FILE", nargs="+", help="an .xlsx, a folder with survey.csv, or CSV files")
    parser.add_argument("--kind", choices=("xlsform", "redcap"), help="what the files are (without it, what they look like)")
    parser.add_argument("--to", choices=("survey", "form"), default="survey", help="what to make of them (survey)")
    parser.add_argument("--id", type=_name, help="the id of the survey or form (without it, the one in the file)")
    parser.add_argument("--language", help="the survey's own language, as de; the others become translations")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write (without it, standard output)")
    parser.add_argument("--strict", action="store_true", help="write nothing if something cannot be expressed")
    return parser


def _name(text: str) -> str:
    if not tidy(text):
        raise argparse.ArgumentTypeError("an id is not empty")
    return tidy(text)


if __name__ == "__main__":
    sys.exit(main())
