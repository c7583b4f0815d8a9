"""What both clients are made of."""

from __future__ import annotations

import weakref
from typing import Any

from . import _life
from ._link import Link
from ._session import Conversation, socket_paths


class BaseClient:
    """Has a link to the daemon, another one in each process."""

    def __init__(
        self, path: str | None = None, *, app: str | None = None, limit: int = 10_000, timeout: float = 30.0
    ) -> None:
        """
        :param path: of the socket; None: as the protocol says, ``HARK_SOCKET`` first.
        :param app: which application all calls are about, unless they say otherwise.
        :param limit: how many events may wait for the daemon.
        :param timeout: how long a call waits for its reply, in seconds.
        """
        self.app = app
        self.timeout = timeout
        self._begin(Link([path] if path is not None else socket_paths(), limit))

    def _begin(self, link: Link) -> None:
        self._link = link
        # A client that nobody has any more sends what it was given, and ends.
        self._left = weakref.finalize(self, link.leave)
        self._left.atexit = False
        _life.clients.add(self)

    def _forked(self) -> None:
        """In the child of a fork."""
        old = self._link
        self._left.detach()
        old.abandon()
        new = Link(old.paths, old.limit)
        new.is_closed = old.is_closed
        self._begin(new)

    def __getstate__(self) -> dict[str, Any]:
        """A client may be given to another process, where it begins anew."""
        state = {**self.__dict__, "_link": (self._link.paths, self._link.limit)}
        del state["_left"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin(Link(*state["_link"]))

    @property
    def _conversation(self) -> Conversation:
        return self._link.conversation

    @property
    def waiting_events(self) -> int:
        """How many events are not known to be on disk."""
        return len(self._link.waiting())
