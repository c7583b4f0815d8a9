"""Streams of events that go on over broken connections, for both clients."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ._errors import ConnectionLost
from ._link import Link
from ._types import Event

#: How many events wait for who reads slowly; then the stream is ended, and begins again where it was.
_MOST = 10_000


class Feed:
    """Hears one subscription, and puts each event where its reader finds it; None after the last."""

    def __init__(self, link: Link, put: Callable[[Mapping[str, Any] | None], None]) -> None:
        self._link = link
        self._put = put
        self._given = 0
        self._is_over = False
        #: How many of them were read.
        self.taken = 0

    def __call__(self, method: str, params: Mapping[str, Any]) -> None:
        if self._is_over:
            return
        if method == "event" and self._given - self.taken < _MOST:
            self._given += 1
            self._put(params["event"])
        elif method in ("event", "subscription.closed", "connection.ended"):
            self.end()
            self._put(None)

    def end(self) -> None:
        """Nothing more is wanted of it."""
        self._is_over = True
        self._link.end_listening(self)


class Course:
    """Where a stream is, over all its subscriptions."""

    def __init__(self, link: Link, filters: Mapping[str, Any], after: int | None) -> None:
        self._link = link
        self._filters = filters
        self._place = after

    def params(self) -> dict[str, Any]:
        place = {} if self._place is None else {"afterSeq": self._place}
        return {**self._filters, "include": ["events"], **place}

    def begun(self, reply: Mapping[str, Any]) -> None:
        if self._place is None:
            self._place = reply["afterSeq"]

    def goes_on(self, error: Exception) -> bool:
        """Whether to try again after that, in a moment: where there was a daemon, there will be one."""
        return isinstance(error, ConnectionLost) or self._link.has_connected

    def read(self, event: Mapping[str, Any]) -> Event:
        read = Event.read(event)
        self._place = read.seq
        return read
