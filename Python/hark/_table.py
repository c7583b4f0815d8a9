"""Rows with named columns, and what they are handed to: pandas, Arrow, Polars, a notebook. None of these is needed here."""

from __future__ import annotations

import datetime
import html
import importlib
import importlib.util
import re
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Sequence, Union, overload

from ._types import Event, read_time

#: A value of a row. A time is aware, in UTC.
Value = Union[str, int, float, bool, bytes, datetime.datetime, None]
Row = Dict[str, Value]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MILLISECOND = datetime.timedelta(milliseconds=1)
#: How SQL has a time, to the millisecond.
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", re.ASCII)

#: What a notebook shows: so many rows and columns, and so many characters of a value.
_SHOWN_ROWS, _SHOWN_COLUMNS, _SHOWN_CHARACTERS = 50, 40, 200


class Table(Sequence[Row]):
    """Rows by their names of columns; all of them are held in memory.

    A column is of one type where all its values are, NULL aside: whole numbers, numbers, truth, times, bytes, else texts. What is
    mixed is text once it is handed on, and stays as it is in the rows.
    """

    def __init__(
        self, columns: Sequence[str], rows: Iterable[Sequence[Value]], types: Mapping[str, str] | None = None
    ) -> None:
        """
        :param types: of columns that say it: ``integer``, ``real``, ``text``, ``time``. Times come as texts of SQL.
        """
        #: The names of the columns. One that comes twice has a number behind it.
        self.columns: list[str] = _apart(columns)
        self._rows = [tuple(row) for row in rows]
        columnwise = list(zip(*self._rows)) if self._rows else [()] * len(self.columns)
        self._values: dict[str, Sequence[Value]] = dict(zip(self.columns, columnwise))
        #: The type of each column, by its name: ``int``, ``float``, ``bool``, ``str``, ``bytes`` or ``datetime``.
        self.types: dict[str, type] = {}
        for name, original in zip(self.columns, columns):
            declared = (types or {}).get(original)
            if declared == "time":
                self._values[name] = _times(self._values[name])
            self.types[name] = _type_of(self._values[name], declared)

    # Rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self._row(index) for index in range(*place.indices(len(self)))]
        return self._row(range(len(self))[place])

    def __iter__(self) -> Iterator[Row]:
        return (self._row(index) for index in range(len(self)))

    def _row(self, index: int) -> Row:
        return {name: self._values[name][index] for name in self.columns}

    def column(self, name: str) -> list[Value]:
        """The values of a column, in the order of the rows.

        :raises KeyError: where no column is called so.
        """
        return list(self._values[name])

    def __repr__(self) -> str:
        return f"<hark.Table of {len(self)} rows: {', '.join(self.columns)}>"

    # What takes tables

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``: times are ``datetime64[ns, UTC]``, numbers ``Int64`` or ``Float64``, truth ``boolean``,
        texts ``string``, and what is not there is NA.

        :raises ImportError: where there is no pandas.
        :raises OverflowError: of a time beyond 1677 to 2262, which pandas' nanoseconds cannot have.
        """
        pandas, numpy = _needed("pandas", "to_pandas()"), _needed("numpy", "to_pandas()")
        kinds = {int: "Int64", float: "Float64", bool: "boolean", str: "string"}

        def series(name: str) -> Any:
            values, kind = self._typed(name)
            if kind in kinds:
                return pandas.Series(pandas.array(values, dtype=kinds[kind]))
            if kind is bytes:
                return pandas.Series(values, dtype=object)
            missing = -(2**63)
            nanoseconds = [missing if value is None else value * 1_000_000 for value in values]
            if any(abs(value) >= 2**63 and value != missing for value in nanoseconds):
                raise OverflowError(
                    f"the column {name!r} has a time beyond 1677 to 2262, which pandas cannot have in nanoseconds: leave such rows "
                    "out, or take to_arrow() or to_polars()")
            naive = pandas.Series(numpy.array(nanoseconds, dtype="int64").view("datetime64[ns]"))
            return naive.dt.tz_localize("UTC")

        frame = pandas.DataFrame({name: series(name) for name in self.columns}, columns=self.columns)
        return frame if self.columns else pandas.DataFrame(index=range(len(self)))

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``: times are ``timestamp[ms, UTC]``, numbers ``int64`` or ``double``.

        :raises ImportError: where there is no pyarrow.
        """
        arrow = _needed("pyarrow", "to_arrow()")
        kinds = {
            int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), str: arrow.string(), bytes: arrow.binary(),
            datetime.datetime: arrow.timestamp("ms", "UTC")}
        typed = {name: self._typed(name) for name in self.columns}
        return arrow.table({name: arrow.array(values, type=kinds[kind]) for name, (values, kind) in typed.items()})

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``: times are ``Datetime("ms", "UTC")``, numbers ``Int64`` or ``Float64``.

        :raises ImportError: where there is no polars.
        """
        polars = _needed("polars", "to_polars()")
        kinds = {
            int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String, bytes: polars.Binary,
            datetime.datetime: polars.Int64}

        def series(name: str) -> Any:
            values, kind = self._typed(name)
            made = polars.Series(name, values, dtype=kinds[kind])
            return made.cast(polars.Datetime("ms", "UTC")) if kind is datetime.datetime else made

        return polars.DataFrame([series(name) for name in self.columns])

    def __getattr__(self, name: str) -> Any:
        # What takes Arrow looks whether there is this method: there is where there is pyarrow.
        if name == "__arrow_c_stream__" and importlib.util.find_spec("pyarrow") is not None:
            stream: Callable[..., Any] = self.to_arrow().__arrow_c_stream__
            return stream
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _typed(self, name: str) -> tuple[list[Any], type]:
        """The values of a column as its type has them; times as milliseconds since 1970."""
        values, kind = self._values[name], self.types[name]
        if kind is datetime.datetime:
            return [
                (value - _EPOCH) // _MILLISECOND if isinstance(value, datetime.datetime) else None for value in values], kind
        if kind is str:
            return [value if value is None or isinstance(value, str) else _text(value) for value in values], kind
        if kind is float:
            return [float(value) if isinstance(value, (int, float)) else None for value in values], kind
        return list(values), kind

    def _repr_html_(self) -> str:
        """What a notebook shows: the first rows and columns, with long values cut."""
        shown = self.columns[:_SHOWN_COLUMNS]
        left_out = "<th>…</th>" if len(shown) < len(self.columns) else ""
        lines = ["<table><thead><tr>", *(f"<th>{_escaped(name)}</th>" for name in shown), left_out, "</tr></thead><tbody>"]
        for index in range(min(len(self), _SHOWN_ROWS)):
            lines.append("<tr>")
            for name in shown:
                value = self._values[name][index]
                lines.append("<td><i>NULL</i></td>" if value is None else f"<td>{_escaped(_text(value))}</td>")
            lines.append("<td>…</td></tr>" if left_out else "</tr>")
        lines.append("</tbody></table>")
        if len(self) > _SHOWN_ROWS or left_out:
            lines.append(f"<p>{len(self)} rows, {len(self.columns)} columns</p>")
        return "".join(lines)


class Events(Iterator[Event]):
    """Stored events, one after the other; what is not taken yet can be handed on as a table."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def to_table(self) -> Table:
        """The rest of them: a row each, with a column for every property. One that is called as a column of the event is
        ``properties.NAME``."""
        own = ("seq", "timestamp", "name", "user", "session_id", "id", "uid", "pid")
        events = list(self._events)
        names = list(dict.fromkeys(name for event in events for name in event.properties))
        return Table(
            [*own, *(f"properties.{name}" if name in own else name for name in names)],
            ([*(getattr(event, member) for member in own), *(event.properties.get(name) for name in names)]
             for event in events),
            {"seq": "integer", "timestamp": "time", "uid": "integer", "pid": "integer"})

    def to_pandas(self) -> Any:
        """See :meth:`Table.to_pandas`."""
        return self.to_table().to_pandas()

    def to_arrow(self) -> Any:
        """See :meth:`Table.to_arrow`."""
        return self.to_table().to_arrow()

    def to_polars(self) -> Any:
        """See :meth:`Table.to_polars`."""
        return self.to_table().to_polars()


def _apart(columns: Sequence[str]) -> list[str]:
    """The same names, of which those that come twice get a number."""
    taken: dict[str, None] = {}
    for column in columns:
        name, count = column, 1
        while name in taken:
            name, count = f"{column}:{count}", count + 1
        taken[name] = None
    return list(taken)


def _times(values: Sequence[Value]) -> Sequence[Value]:
    """Texts of SQL as times; as they are where one of them is none."""
    if all(value is None or isinstance(value, str) and _TIME.fullmatch(value) for value in values):
        try:
            return [read_time(value + "Z") if isinstance(value, str) else None for value in values]
        except ValueError:
            pass
    return values


def _type_of(values: Sequence[Value], declared: str | None) -> type:
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return {"integer": int, "real": float, "time": datetime.datetime}.get(declared or "", str)
    if kinds == {int} and any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        return str
    if len(kinds) == 1:
        return kinds.pop()
    # A whole number that a floating-point one cannot have is kept as it is, as text.
    if kinds == {int, float} and all(float(value) == value for value in values if isinstance(value, int)):
        return float
    return str


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _escaped(text: str) -> str:
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return html.escape(cut)


def _needed(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module}, which cannot be imported ({error}): pip install {module}") from error
