"""The thread that talks to the daemon for one client."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Callable, Mapping

from . import _life
from ._errors import BufferFull, Closed, NotYet, Unavailable
from ._requests import only_reads, recorded
from ._session import Conversation, Notified, Pauses, Request, encode
from ._socket import Bell, connect_socket
from ._taken import Taken
from ._types import Recorded

class Link:
    """Has one thread hold the conversation, and gives it what callers want said.

    Callers hand their work over without waiting for a lock, so a signal handler may as well. Whatever happens in the thread,
    it goes on; should it end all the same, the next call begins another.
    """

    def __init__(self, paths: list[str], limit: int) -> None:
        self.paths = paths
        self.limit = limit
        self.conversation = Conversation()
        #: Why there is no connection at the moment.
        self.problem: Unavailable | None = None
        self.has_connected = False
        self.is_closed = False
        #: Tells that the thread of a closed one has ended.
        self.ended: Future[None] = Future()
        #: The client is gone: the thread ends when all is said.
        self._is_left = False
        #: This is the child of a fork, and the parent's link.
        self._is_abandoned = False
        self._inbox: deque[Callable[[], None]] = deque()
        self._events: dict[Future[Recorded], None] = {}
        self._thread: threading.Thread | None = None
        self._starting = threading.RLock()
        self._is_starting = False
        #: Until when a caller does the work, where no thread can be had; and until when without a daemon.
        self._until: tuple[float, float] | None = None
        #: Somebody waits to hear whether there is a daemon.
        self._is_urgent = False
        self._connection: socket.socket | None = None
        self._output = memoryview(b"")
        #: While there is a thread: what wakes it up.
        self._bell: Bell | None = None

    # What callers do

    def send(self, method: str, params: Mapping[str, Any]) -> Taken[Recorded]:
        """Takes an event or a line of log, which cannot be taken back."""
        self._check()
        if len(self._events) >= self.limit:
            raise BufferFull(f"{self.limit} events wait for the daemon; this one was not taken")
        future: Taken[Recorded] = Taken()
        future.begin()

        def outcome(result: Any, error: Exception | None) -> None:
            self._events.pop(future, None)
            future.settle(None if error else recorded(result), error)

        request = Request(method, encode(params), outcome, is_event=True, is_repeatable=True)
        self._events[future] = None
        self._do(partial(self.conversation.add, request))
        if _life.has_exited:
            self.finish(time.monotonic() + _life.EXIT_SECONDS)
        return future

    def ask(self, method: str, params: Mapping[str, Any], listener: Notified | None = None) -> Taken[dict[str, Any]]:
        """Asks something once. Cancelling the future takes it back where it has not been sent."""
        self._check()
        future: Taken[dict[str, Any]] = Taken()

        def outcome(result: Any, error: Exception | None) -> None:
            if future.begin():
                future.settle(result, error)

        request = Request(
            method, encode(params), outcome, is_repeatable=only_reads(method), is_wanted=future.begin, listener=listener)
        self._is_urgent = True
        self._do(partial(self.conversation.add, request))
        return future

    def end_listening(self, listener: Notified) -> None:
        if not self.is_closed:
            self._do(partial(self.conversation.end, listener))

    def waiting(self) -> list[Future[Recorded]]:
        """The events that are not known to be on disk."""
        return list(self._events.copy())

    def must_wait(self) -> None:
        """Before a caller waits."""
        if threading.current_thread() is self._thread:
            raise RuntimeError(
                "a callback cannot wait for the daemon: it is called by the thread that hears it. Use record_soon, or a thread")

    def flush(self, timeout: float | None) -> None:
        self.must_wait()
        late = wait(self.waiting(), timeout).not_done
        if late:
            raise NotYet(f"{len(late)} events are not on disk yet{self.why()}")

    def finish(self, deadline: float) -> int:
        """Waits for what was taken: until then where a daemon is, and a moment where none is. How many events are left."""
        alone = min(deadline, time.monotonic() + _life.EXIT_SECONDS_ALONE)
        self._is_urgent = True
        self._wake()
        while (events := self.waiting()) and threading.current_thread() is not self._thread:
            left = (deadline if self.problem is None else alone) - time.monotonic()
            if left <= 0:
                break
            wait(events, min(left, 0.05))
        return len(self._events)

    def why(self) -> str:
        return f" ({self.problem})" if self.problem is not None else ""

    def close(self) -> Future[None]:
        """Ends it: what is not sent by now is not sent any more."""
        self.is_closed = True
        self._wake()
        if not self._has_thread():
            self._end()
        return self.ended

    def join(self) -> None:
        """Waits for the end of a closed one."""
        if threading.current_thread() is not self._thread:
            wait([self.ended], 5)

    def leave(self) -> None:
        """Ends it when all is said."""
        self._is_left = True
        self._wake()

    def abandon(self) -> None:
        """In the child of a fork: what was taken is the parent's to send."""
        self._is_abandoned = True
        for each in (self._connection, self._bell):
            if each is not None:
                each.close()
        self.conversation.end_streams()

    def _check(self) -> None:
        if self.is_closed:
            raise Closed("the client was closed")

    def _do(self, work: Callable[[], None]) -> None:
        self._inbox.append(work)
        if not self._has_thread():
            self._start()
        self._wake()

    def _wake(self) -> None:
        if (bell := self._bell) is not None:
            bell.ring()

    # The thread

    def _has_thread(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _start(self) -> None:
        with self._starting:
            # A signal handler comes in between where its own thread is starting another.
            if self._is_starting or self._has_thread():
                return
            self._is_starting = True
            _life.begins(self)
            try:
                self._thread = threading.Thread(target=self._run, name="hark", daemon=True)
                self._thread.start()
            except RuntimeError:
                # There are no new threads at the end of a program, or at its limit of them.
                self._thread = None
                now = time.monotonic()
                self._until = now + _life.EXIT_SECONDS, now + _life.EXIT_SECONDS_ALONE
                self._run()
                self._until = None
            finally:
                self._is_starting = False

    def _run(self) -> None:
        # One that has died has left all as it was.
        self._hang_up("the connection ended")
        if self._bell is not None:
            self._bell.close()
        self._bell = Bell()
        pauses = Pauses()
        while not self._is_over():
            try:
                why = self._attempt(self._bell, pauses)
            except BaseException as error:  # noqa: BLE001 - what has gone wrong goes with its connection
                why = f"the connection ended ({error})"
            self._hang_up(why)
            self._sleep(self._bell, pauses.take())
        self._bell.close()
        if self._is_abandoned:
            return
        _life.ends(self)
        self._thread = None
        if self.is_closed:
            self._end()
        elif self._inbox and not self._until:
            # It came while this one was ending.
            self._start()

    def _is_over(self) -> bool:
        is_idle = not self._inbox and self.conversation.is_idle()
        if self._is_abandoned or self.is_closed or is_idle and (self._is_left or self._until):
            return True
        return self._until is not None and time.monotonic() >= self._until[self.problem is not None]

    def _end(self) -> None:
        self._take_in()
        self.conversation.fail_all(Closed("the client was closed"))
        if not self.ended.done():
            self.ended.set_result(None)

    def _take_in(self) -> None:
        while self._inbox:
            self._inbox.popleft()()

    def _attempt(self, bell: Bell, pauses: Pauses) -> str:
        self._is_urgent = False
        try:
            self._connection = connect_socket(self.paths)
        except Unavailable as error:
            self.problem = error
            # Who asks something is told at once; events wait.
            self._take_in()
            self.conversation.fail_calls(error)
            return str(error)
        self.problem, self.has_connected = None, True
        self.conversation.connected()
        return self._serve(self._connection, bell, pauses)

    def _serve(self, connection: socket.socket, bell: Bell, pauses: Pauses) -> str:
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        held_until: float | None = None
        while not self._is_over():
            self._take_in()
            self._write(connection)
            poll.register(connection, select.POLLIN | (select.POLLOUT if self._output else 0))
            if self.conversation.is_held and held_until is None:
                held_until = time.monotonic() + pauses.take()
            ends = [each for each in (held_until, self._until and self._until[0]) if each is not None]
            ready = poll.poll(max(0.0, min(ends) - time.monotonic()) * 1000 + 1 if ends else None)
            if held_until is not None and time.monotonic() >= held_until:
                self.conversation.is_held, held_until = False, None
            for descriptor, event in ready:
                if descriptor == bell.fileno():
                    bell.hear()
                elif event != select.POLLOUT:
                    if not (data := connection.recv(1 << 18)):
                        return "the daemon has ended the connection"
                    self.conversation.receive(data)
                    if not self.conversation.is_held:
                        pauses.reset()
        return "the client was closed"

    def _write(self, connection: socket.socket) -> None:
        while self._output or (output := self.conversation.take_output()):
            if not self._output:
                self._output = memoryview(output)
            try:
                # A program may have signals end it when nobody reads what it writes.
                self._output = self._output[connection.send(self._output, socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                return
            except OSError:
                # What the daemon has said before it went is still to be heard.
                while data := connection.recv(1 << 18):
                    self.conversation.receive(data)
                raise

    def _hang_up(self, why: str) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        self.conversation.disconnected(why, len(self._output))
        self._output = memoryview(b"")

    def _sleep(self, bell: Bell, seconds: float) -> None:
        begin = time.monotonic()
        while not self._is_over():
            if (left := begin + (min(seconds, 0.05) if self._is_urgent else seconds) - time.monotonic()) <= 0:
                return
            bell.wait(left if self._until is None else min(left, 0.05))
