"""Connecting to the daemon, and waking up who waits for it."""

from __future__ import annotations

import select
import socket
import time

from ._errors import Unavailable


def connect_socket(paths: list[str]) -> socket.socket:
    """Connects to the first daemon there is."""
    problem: OSError | None = None
    for path in paths:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # It would wait without end for a daemon that hangs.
        made.setblocking(False)
        try:
            _connect(made, path)
            return made
        except OSError as error:
            made.close()
            problem = problem or error
            # What is not there says less than what refuses. Where a user's daemon is only down, nothing goes to the machine's.
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                problem = error
                break
    raise Unavailable(f"no daemon at {' or '.join(paths)}: {problem}; start one with 'harkd' or its unit")


def _connect(made: socket.socket, path: str) -> None:
    for _ in range(100):
        try:
            return made.connect(path)
        except BlockingIOError:
            # Its queue of new connections is full, for some milliseconds.
            time.sleep(0.01)
    raise TimeoutError("it takes no connections, as one that hangs")


class Bell:
    """Wakes up the thread that waits for it; may be rung in any thread and in a signal handler."""

    def __init__(self) -> None:
        self._hears, self._rings = socket.socketpair()
        self._hears.setblocking(False)
        self._rings.setblocking(False)

    def fileno(self) -> int:
        return self._hears.fileno()

    def ring(self) -> None:
        try:
            self._rings.send(b"\0")
        except OSError:
            pass  # It rings already, or nobody is there any more.

    def hear(self) -> None:
        """It has rung, once or often."""
        try:
            while self._hears.recv(4096):
                pass
        except BlockingIOError:
            pass

    def wait(self, seconds: float) -> None:
        poll = select.poll()
        poll.register(self, select.POLLIN)
        if poll.poll(int(seconds * 1000) + 1):
            self.hear()

    def close(self) -> None:
        self._hears.close()
        self._rings.close()
