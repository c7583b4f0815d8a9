"""What can go wrong."""

from __future__ import annotations

from typing import Any, Mapping


class Error(Exception):
    """The base of all errors of this module."""


class RequestError(Error):
    """The daemon has refused a request; nothing of it was done."""

    def __init__(self, reason: str, message: str, path: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        #: A word that programs can rely on, as in the table of errors of the protocol: ``notFound``, ``conflict``.
        self.reason = reason
        #: A sentence for people that says what to do.
        self.message = message
        #: The JSON path of the parameter at fault, where there is one.
        self.path = path
        #: All that came with the error.
        self.data: dict[str, Any] = dict(data or {})


class ConnectionLost(Error):
    """The connection ended before the reply: whether the request was carried out is not known.

    Events are sent again by themselves and recorded once, so recording does not raise it.
    """


class SQLError(Error):
    """A statement was not understood, would change something, or could not be carried out; the message says where and what to do."""


class Unavailable(Error):
    """There is no daemon to talk to, or for :func:`hark.sql` no tool."""


class NotYet(Error, TimeoutError):
    """It took longer than the caller would wait. An event is still on its way, and is recorded once."""


class NoAnswer(Error):
    """Nobody has answered what was asked."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        #: ``dismissed``, ``expired``, ``cancelled``, or ``nobody``: nobody is there to ask.
        self.reason = reason


class BufferFull(Error):
    """As many events wait as may: the daemon is away, or slower than they come. This one was not taken."""


class Closed(Error):
    """The client was closed."""
