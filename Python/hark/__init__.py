"""Hark for Python: record events, ask people, follow what happens. Only the standard library is needed.

    import hark

    hark.record("door_opened", {"door": "north"})

waits until the event is on the daemon's disk. For more than that make a client::

    with hark.Client(app="shop") as client:
        client.record("checkout", {"amount": 59.5})
        for event in client.stream(name="door_*"):
            print(event.name, event.properties)

With asyncio it is ``hark.aio.Client``; for the logging of the standard library there is ``hark.LogHandler``.
"""

from __future__ import annotations

from typing import Any, Sequence

from ._client import Client
from ._errors import BufferFull, Closed, ConnectionLost, Error, NoAnswer, NotYet, RequestError, Unavailable
from ._session import socket_paths
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time
from .logs import LogHandler

__all__ = [
    "BufferFull", "Client", "Closed", "ConnectionLost", "Error", "Event", "LogHandler", "NoAnswer", "NotYet", "Primitive",
    "Properties", "Recorded", "RequestError", "Session", "Survey", "Time", "Unavailable", "ask", "log", "record",
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
    """Keeps a line of log; see :meth:`Client.log`."""
    _shared().log(message, level, metadata, user=user, app=app)
