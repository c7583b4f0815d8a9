"""Statements of SQL, which the tool runs: it has SQLite over what the daemon has."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import threading
import warnings
from typing import Any, Collection, Iterator, Mapping, Sequence, Union

from ._errors import Error, NotYet, SQLError, Unavailable
from ._table import Table, Value

#: The values of parameters: of ``?`` in their order, or of ``:name`` by their names.
Parameters = Union[Sequence[Any], Mapping[str, Any]]

# The exit codes of the tool.
_USAGE, _NO_DAEMON = 64, 69


def run(
    statement: str, parameters: Parameters | None, times: Collection[str], path: str | None, timeout: float | None
) -> Table:
    tool = shutil.which("hark")
    if tool is None:
        raise Unavailable("hark.sql needs the tool 'hark', which is not on the PATH: install Hark, or add its folder to PATH")
    arguments = [tool, "sql", "--arrays"]
    environment = dict(os.environ) if path is None else {**os.environ, "HARK_SOCKET": path}
    with _Memory(statement) as text, _Memory(_json(parameters)) as values, _Memory() as errors:
        if parameters is not None:
            arguments += ["--params-file", f"/dev/fd/{values.descriptor}"]
        process = subprocess.Popen(
            arguments, stdin=text.descriptor, stdout=subprocess.PIPE, stderr=errors.descriptor,
            pass_fds=[values.descriptor], env=environment)
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = None if timeout is None else threading.Timer(timeout, give_up)
        try:
            if timer is not None:
                timer.daemon = True
                timer.start()
            table = _read(iter(process.stdout or ()), times)
            status = process.wait()
        finally:
            if timer is not None:
                timer.cancel()
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        said = errors.text()
    if late.is_set():
        raise NotYet(f"the statement was not done after {timeout} seconds")
    if status != 0:
        raise _failure(status, said)
    for line in said.splitlines():
        warnings.warn(line[len("hark: "):] if line.startswith("hark: ") else line, stacklevel=3)
    if table is None:
        raise SQLError("there is no statement in the text")
    return table


def _read(lines: Iterator[bytes], times: Collection[str]) -> Table | None:
    head: dict[str, Any] | None = None
    rows: list[list[Value]] = []
    for line in lines:
        try:
            read = json.loads(line)
        except ValueError:
            # It was killed in the middle of a line; what ended it is told by its exit code.
            return None
        if isinstance(read, dict):
            if head is not None:
                raise SQLError("there is more than one statement in the text: give them one after the other")
            head = read
        else:
            rows.append([bytes.fromhex(value["bytes"]) if isinstance(value, dict) else value for value in read])
    if head is None:
        return None
    unknown = [name for name in times if name not in head["columns"]]
    if unknown:
        raise SQLError(f"no column of the statement is called {unknown[0]!r}, as 'times' has it")
    types = {name: kind for name, kind in zip(head["columns"], head["types"]) if kind is not None}
    return Table(head["columns"], rows, {**types, **{name: "time" for name in times}})


def _failure(status: int, said: str) -> Error:
    message = said.strip()
    for prefix in ("hark sql: ", "hark: "):
        message = message[len(prefix):] if message.startswith(prefix) else message
    if status == _NO_DAEMON:
        return Unavailable(message)
    if status == _USAGE:
        return Error(f"the tool does not take what this module asks of it, and may be an older one: {message}")
    return SQLError(message or f"the tool ended with {status}")


def _json(parameters: Parameters | None) -> str:
    if isinstance(parameters, (str, bytes)):
        raise TypeError("parameters are a list, a tuple or a dict: for one value write [value]")
    if isinstance(parameters, Mapping):
        return json.dumps({name: _value(value) for name, value in parameters.items()}, allow_nan=False)
    return json.dumps([_value(value) for value in parameters or ()], allow_nan=False)


def _value(value: Any) -> Any:
    """A value of a parameter as SQL has it."""
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError("a whole number of more than 64 bits is no value of SQL")
        return value
    if isinstance(value, datetime.datetime):
        utc = value.astimezone(datetime.timezone.utc)
        return utc.strftime("%Y-%m-%d %H:%M:%S.") + f"{utc.microsecond // 1000:03d}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no type of a parameter: give texts, numbers, truth, times or None")


class _Memory:
    """A file in memory, as what is asked and what comes of it may tell about somebody."""

    def __init__(self, text: str = "") -> None:
        self.descriptor = os.memfd_create("hark-sql")
        left = memoryview(text.encode())
        while left:
            left = left[os.write(self.descriptor, left):]
        os.lseek(self.descriptor, 0, os.SEEK_SET)

    def __enter__(self) -> _Memory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def text(self) -> str:
        return os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0).decode(errors="replace")
