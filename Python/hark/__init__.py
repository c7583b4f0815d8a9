"""Hark for Python: record events, ask people, follow what happens. Only the standard library is needed.

    import hark

    hark.record("door_opened", {"door": "north"})

waits until the event is on the daemon's disk. For more than that make a client::

    with hark.Client(app="shop") as client:
        client.record("checkout", {"amount": 59.5})
        for event in client.stream(name="door_*"):
            print(event.name, event.properties)

What is stored is asked in SQL: ``hark.sql("SELECT name, count(*) FROM events GROUP BY name").to_pandas()``.

With asyncio it is ``hark.aio.Client``; for the logging of the standard library there is ``hark.LogHandler``.
"""

from __future__ import annotations

from typing import Any, Collection, Sequence

from . import _sql
from ._client import Client
from ._errors import BufferFull, Closed, ConnectionLost, Error, NoAnswer, NotYet, RequestError, SQLError, Unavailable
from ._session import socket_paths
from ._table import Events, Row, Table, Value
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time
from .logs import LogHandler

__all__ = [
    "BufferFull", "Client", "Closed", "ConnectionLost", "Error", "Event", "Events", "LogHandler", "NoAnswer", "NotYet",
    "Primitive", "Properties", "Recorded", "RequestError", "Row", "SQLError", "Session", "Survey", "Table", "Time",
    "Unavailable", "Value", "ask", "log", "record", "sql",
]

_own: Client | None = None


def _shared() -> Client:
    """The client of this process; another one where the environment names another daemon."""
    global _own
    client = _own
    if client is None or client._link.paths != socket_paths():
        client = _own = Client()
    return client


def record(name: str, properties: Properties | None = None, *, user: str | None = None, timestamp: Time | None = None,
           app: str | None = None, unattended: bool | None = None, timeout: float | None = None) -> Recorded:
    """Records an event, and waits until it is on disk; see :meth:`Client.record`."""
    return _shared().record(
        name, properties, user=user, timestamp=timestamp, app=app, unattended=unattended, timeout=timeout)


def ask(question: str, options: Sequence[str] | None = None, *, message: str | None = None, multiple: bool = False,
        text: bool = False, scale: int | None = None, timeout: float | None = None, default: Any = None,
        name: str | None = None, app: str | None = None) -> Any:
    """Asks whoever is there, and waits for the answer; see :meth:`Client.ask`."""
    return _shared().ask(
        question, options, message=message, multiple=multiple, text=text, scale=scale, timeout=timeout, default=default,
        name=name, app=app)


def log(message: str, level: str = "info", metadata: Properties | None = None, *, user: str | None = None,
        app: str | None = None) -> None:
    """Stores a log line; see :meth:`Client.log`."""
    _shared().log(message, level, metadata, user=user, app=app)


def sql(statement: str, parameters: _sql.Parameters | None = None, *, times: Collection[str] = (),
        timeout: float | None = None) -> Table:
    """Asks what is stored in SQLite's SQL, and gives its rows; ``hark sql --help`` tells the tables. Needs the tool ``hark``.

    :param parameters: the values of ``?`` as a list, or of ``:name`` as a dict. They are given to SQLite as values and never
        become part of the text. A datetime is a time; a naive one is local.
    :param times: columns made by an expression that are times, as of ``max(time) AS last``; a table's own are known.
    :param timeout: how long it may take, in seconds; None: as long as it takes.
    :raises SQLError: where the statement is wrong, would change something, or needs more memory than it may have.
    :raises NotYet: when it took longer than the timeout.
    """
    return _sql.run(statement, parameters, times, None, timeout)
