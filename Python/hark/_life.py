"""What becomes of clients when the process forks, and when it ends."""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any, Protocol
from weakref import WeakSet

#: How long a program that ends waits for what it has recorded: while a daemon is there, and while none is.
EXIT_SECONDS, EXIT_SECONDS_ALONE = 3.0, 0.3


class _Link(Protocol):
    def finish(self, deadline: float) -> int: ...
    def why(self) -> str: ...
    def leave(self) -> None: ...
    def abandon(self) -> None: ...


class _Client(Protocol):
    def _forked(self) -> None: ...


#: Those with a thread.
running: set[Any] = set()
clients: WeakSet[Any] = WeakSet()
#: The program has ended but for handlers that come later still: what these take has to be waited for at once.
has_exited = False
_exits: set[str] = set()


def begins(link: _Link) -> None:
    """A link has a thread from now on."""
    running.add(link)
    # A process of these ends without the handlers of atexit, but calls their own.
    for name in ("multiprocessing.util", "billiard.util"):
        module = sys.modules.get(name)
        if module is not None and name not in _exits:
            _exits.add(name)
            module.Finalize(None, _exit, exitpriority=0)


def ends(link: _Link) -> None:
    running.discard(link)


def _exit() -> None:
    """Waits a short while for what was recorded, and says what is lost."""
    global has_exited
    has_exited = True
    deadline = time.monotonic() + EXIT_SECONDS
    for link in list(running):
        lost = link.finish(deadline)
        if lost and sys.stderr is not None:
            try:
                print(f"hark: {lost} events were not recorded before the program ended{link.why()}", file=sys.stderr)
            except (OSError, ValueError):
                pass  # It is closed.
        link.leave()


def _fork() -> None:
    """In the child: the parent sends what it had, and each client begins anew."""
    global has_exited
    has_exited = False
    _exits.clear()
    for link in list(running):
        link.abandon()
    running.clear()
    for client in list(clients):
        client._forked()


atexit.register(_exit)
os.register_at_fork(after_in_child=_fork)
