"""The client for programs that wait."""

from __future__ import annotations

import atexit
import os
import queue
import selectors
import socket
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Iterator, Mapping, Sequence

from ._errors import Closed, ConnectionLost, NotYet, RequestError, Unavailable
from ._requests import (
    answer_params, event_params, filter_params, given, list_params, log_params, only_reads, present_params, recorded,
    session_params, turn_page)
from ._prompt import ask, prompt_params
from ._session import Conversation, Pauses, socket_paths
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time


def connect_socket(paths: list[str]) -> socket.socket:
    """Connects to the first daemon there is."""
    problem: OSError | None = None
    for path in paths:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.connect(path)
            return made
        except OSError as error:
            made.close()
            # What is not there says less than what refuses.
            if problem is None or not isinstance(error, FileNotFoundError):
                problem = error
    raise Unavailable(f"no daemon at {' or '.join(paths)}: {problem}; start one with 'harkd' or its unit")


class Client:
    """A connection to the daemon, which is made when it is needed and made again when it breaks.

    Threads may share one. Events are kept in memory, up to ``limit`` of them, until the daemon has them on disk: while it
    is away they wait, and what is sent again after a broken connection is recorded once. Everything else is asked once.

    After a fork the child needs a client of its own.
    """

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
        self._paths = [path] if path is not None else socket_paths()
        self._conversation = Conversation(app=app, limit=limit)
        self._lock = threading.Condition()
        self._process = os.getpid()
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._wake_write.setblocking(False)
        self._streams: set[queue.SimpleQueue[Any]] = set()
        #: Why there is no connection at the moment.
        self._problem: Unavailable | None = None
        atexit.register(self.close)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Events

    def record(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, timeout: float | None = None,
    ) -> Recorded:
        """Records an event, and waits until it is on disk.

        :param user: whose session to start if there is none.
        :param timestamp: when it happened; None: now.
        :raises NotYet: when that took longer than the timeout. The event is still on its way, and is recorded once.
        :raises BufferFull: when too many wait already. This one was not taken.
        :raises RequestError: when the daemon refuses it.
        """
        future = self.record_soon(name, properties, user=user, timestamp=timestamp, app=app)
        return self._result(future, timeout, "the event is not on disk yet, but on its way")

    def record_soon(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None,
    ) -> Future[Recorded]:
        """Takes an event and returns at once; the future has what :meth:`record` returns.

        Without a ``timestamp`` it is the time of this call that counts, however long the daemon is away.
        """
        return self._send("event.record", event_params(name, properties, user, timestamp, app or self.app))

    def _send(self, method: str, params: dict[str, Any]) -> Future[Recorded]:
        future: Future[Recorded] = Future()

        def outcome(result: Any, error: Exception | None) -> None:
            if error is None:
                future.set_result(recorded(result))
            else:
                future.set_exception(error)

        with self._lock:
            self._check()
            self._conversation.record(method, params, outcome)
        self._start()
        return future

    def flush(self, timeout: float | None = None) -> None:
        """Waits until all events that were taken are on disk, or refused.

        :raises NotYet: when that took longer than the timeout; without one it waits as long as it takes.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            while self._conversation.waiting_events:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise NotYet(f"{self._conversation.waiting_events} events are not on disk yet{self._why()}")
                self._lock.wait(left)

    def events(
        self, *, name: str | None = None, user: str | None = None, app: str | None = None, since: Time | None = None,
        until: Time | None = None, newest_first: bool = False, page: int = 1_000,
    ) -> Iterator[Event]:
        """Events that are stored, in the order of their numbers, fetched a page at a time.

        :param name: only of this name; ``*`` stands for any characters.
        """
        params = list_params(name, user, app or self.app, since, until, page, newest_first)
        more = True
        while more:
            reply = self.call("event.list", params)
            for event in reply["events"]:
                yield Event.read(event)
            more = turn_page(params, reply)

    def stream(
        self, *, name: str | None = None, user: str | None = None, app: str | None = None, after: int | None = None
    ) -> Iterator[Event]:
        """Events as they are stored, without end; over broken connections nothing is lost or doubled.

        :param after: begin after this number, with what is stored already; None: from now on.
        """
        params: dict[str, Any] = {**filter_params(name, user, app or self.app), "include": ["events"]}
        place = after
        has_begun = False
        while True:
            heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
            if place is not None:
                params["afterSeq"] = place
            try:
                reply = self._ask("event.subscribe", params, lambda *message: heard.put(message), heard)
            except (ConnectionLost, Unavailable) as error:
                if isinstance(error, Unavailable) and not has_begun:
                    raise
                time.sleep(0.2)
                continue
            has_begun = True
            number = reply["subscription"]
            place = reply["afterSeq"] if place is None else place
            try:
                while True:
                    message = heard.get()
                    # The connection has ended, or the daemon has ended the stream: it begins again where it was.
                    if message is None or message[0] == "subscription.closed":
                        break
                    if message[0] == "event":
                        event = Event.read(message[1]["event"])
                        place = event.seq
                        yield event
            except GeneratorExit:
                self._forget(number, heard)
                raise
            if self._is_closed:
                raise Closed("the client was closed")

    # Everything else

    def call(self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> dict[str, Any]:
        """Calls a method of the protocol, and gives its result.

        :raises RequestError: when the daemon refuses it.
        :raises Unavailable: when there is no daemon.
        :raises ConnectionLost: when the connection ended before the reply: it may have been carried out.
        """
        return self._ask(method, dict(params or {}), timeout=timeout)

    def start_session(
        self, user: str | None = None, metadata: Mapping[str, Primitive] | None = None, *, app: str | None = None
    ) -> Session:
        """Starts a session and makes it the current one of the app; the one before ends. None: anonymous."""
        return Session.read(self.call("session.start", session_params(user, metadata, app or self.app))["session"])

    def end_session(self, *, app: str | None = None) -> None:
        """Ends the current session of the app, if there is one."""
        self.call("session.end", given(app=app or self.app))

    def log(
        self, message: str, level: str = "info", metadata: Mapping[str, Any] | None = None, *, user: str | None = None,
        app: str | None = None, timeout: float | None = None,
    ) -> Recorded:
        """Keeps a line of log, which goes to the servers that take logs, and waits until it is on disk.

        Levels: ``info``, ``warning``, ``error``. Raises as :meth:`record` does.
        """
        future = self.log_soon(message, level, metadata, user=user, app=app)
        return self._result(future, timeout, "the line is not on disk yet, but on its way")

    def log_soon(
        self, message: str, level: str = "info", metadata: Mapping[str, Any] | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None,
    ) -> Future[Recorded]:
        """Takes a line of log and returns at once; the future has what :meth:`log` returns."""
        return self._send("log.write", log_params(message, level, metadata, user, timestamp, app or self.app))

    def surveys(self, *, app: str | None = None) -> list[Survey]:
        """The surveys that wait, are ready or are being shown."""
        found: list[Survey] = []
        params = given(app=app or self.app)
        while True:
            reply = self.call("survey.pending", params)
            found += [Survey.read(survey) for survey in reply["surveys"]]
            if reply.get("next") is None:
                return found
            params["after"] = reply["next"]

    def present(self, survey: str | None = None, *, app: str | None = None) -> Survey:
        """Takes a ready survey to show it: the one with this id, or the next. The attempt counts from here.

        It is ready again when the connection ends without an answer.

        :raises RequestError: ``notFound`` when there is none.
        """
        return Survey.read(self.call("survey.present", present_params(survey, app or self.app))["survey"])

    def answer(
        self, survey: str, option: str | None = None, *, text: str | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> Survey:
        """Answers a survey: with an option, a text, or answers by the ids of its questions."""
        return Survey.read(self.call("survey.answer", answer_params(survey, option, text, answers))["survey"])

    def dismiss(self, survey: str) -> None:
        """Closes a survey without an answer."""
        self.call("survey.dismiss", {"presentationId": survey})

    def ask(
        self, question: str, options: Sequence[str] | None = None, *, message: str | None = None, multiple: bool = False,
        text: bool = False, scale: int | None = None, timeout: float | None = None, default: Any = None,
        name: str | None = None, uids: Sequence[int] | None = None, app: str | None = None,
    ) -> Any:
        """Asks whoever is there, and waits for the answer: one of the options, several of them as a list, a text, or a
        number.

        :param multiple: several options may be chosen.
        :param text: a text is the answer.
        :param scale: a rating from 1 to this (2 to 10) is the answer.
        :param timeout: how long somebody may take, in seconds; None: seven days, if somebody is there at all.
        :param default: the answer when time runs out, or nobody is there.
        :param name: under which answers are recorded and counted.
        :param uids: the accounts of the machine that are asked, for administrators; the first answer counts.
        :raises NoAnswer: when it was dismissed, has expired or was taken back, or nobody is there to ask.
        """
        if text and options is not None:
            raise ValueError("options with a text have two answers; call prompt.ask for those")
        return ask(self, prompt_params(
            question, options, message, multiple, text, scale, timeout, default, name, uids, app or self.app))

    def trigger(self, counter: str, *, app: str | None = None) -> int | float:
        """Adds 1 to a counter, and gives its value."""
        value: int | float = self.call("counter.trigger", given(name=counter, app=app or self.app))["value"]
        return value

    @property
    def waiting_events(self) -> int:
        """How many events are not known to be on disk."""
        return self._conversation.waiting_events

    def close(self, timeout: float = 5.0) -> None:
        """Waits for the events that were taken, so long at most, and ends the connection.

        :raises NotYet: when some are not on disk by then; whether they will be is not known.
        """
        atexit.unregister(self.close)
        if self._is_closed or self._process != os.getpid():
            return
        try:
            if self._conversation.waiting_events:
                self.flush(timeout)
        finally:
            with self._lock:
                self._is_closed = True
            self._wake()
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join()
            self._wake_read.close()
            self._wake_write.close()

    # Within

    def _check(self) -> None:
        if self._is_closed:
            raise Closed("the client was closed")
        if self._process != os.getpid():
            raise Closed("a client does not outlive a fork; make one in the child")

    def _why(self) -> str:
        return f" ({self._problem})" if self._problem is not None else ""

    def _result(self, future: Future[Recorded], timeout: float | None, what: str) -> Recorded:
        try:
            return future.result(self.timeout if timeout is None else timeout)
        except FutureTimeout:
            raise NotYet(what + self._why()) from None

    def _ask(
        self, method: str, params: dict[str, Any], on_message: Any = None, heard: queue.SimpleQueue[Any] | None = None,
        *, timeout: float | None = None,
    ) -> dict[str, Any]:
        future: Future[dict[str, Any]] = Future()

        def outcome(result: Any, error: Exception | None) -> None:
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        with self._lock:
            self._check()
            if heard is not None:
                self._streams.add(heard)
            self._conversation.call(method, params, outcome, is_repeatable=only_reads(method), on_begin=on_message)
        self._start()
        limit = self.timeout if timeout is None else timeout
        try:
            return future.result(limit)
        except FutureTimeout:
            if self._problem is not None:
                raise Unavailable(str(self._problem)) from None
            raise NotYet(f"there is no reply to {method} after {limit} seconds") from None

    def _forget(self, number: int, heard: queue.SimpleQueue[Any]) -> None:
        self._streams.discard(heard)
        try:
            self.call("subscription.cancel", {"subscription": number}, timeout=1)
        except Exception:  # noqa: BLE001 - it ends with the connection at the latest
            pass

    # The thread that reads and writes

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="hark", daemon=True)
                self._thread.start()
        self._wake()

    def _wake(self) -> None:
        try:
            self._wake_write.send(b"\0")
        except (BlockingIOError, OSError):
            pass  # There is something in it already, or the client is closed.

    def _sleep(self, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_read, selectors.EVENT_READ)
            deadline = time.monotonic() + seconds
            while not self._is_closed and (left := deadline - time.monotonic()) > 0:
                if selector.select(left):
                    self._drain()

    def _drain(self) -> None:
        try:
            while self._wake_read.recv(4096):
                pass
        except BlockingIOError:
            pass

    def _run(self) -> None:
        pauses = Pauses()
        while not self._is_closed:
            try:
                connection = connect_socket(self._paths)
            except Unavailable as error:
                with self._lock:
                    self._problem = error
                    # Who asks something is told at once; events wait.
                    self._conversation.fail_calls(error)
                    self._lock.notify_all()
                self._sleep(pauses.take())
                continue
            with self._lock:
                self._problem = None
                self._conversation.connected()
            why = "the connection ended"
            try:
                with connection:
                    why = self._serve(connection, pauses)
            except OSError as error:
                why = f"the connection ended ({error})"
            finally:
                with self._lock:
                    self._conversation.disconnected(why)
                    heard = list(self._streams)
                    self._streams.clear()
                    self._lock.notify_all()
                for stream in heard:
                    stream.put(None)
            if not self._is_closed:
                self._sleep(pauses.take())
        with self._lock:
            self._conversation.fail_all(Closed("the client was closed"))
            self._lock.notify_all()

    def _serve(self, connection: socket.socket, pauses: Pauses) -> str:
        connection.setblocking(False)
        output = memoryview(b"")
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_read, selectors.EVENT_READ)
            selector.register(connection, selectors.EVENT_READ)
            while not self._is_closed:
                while True:
                    if not output:
                        with self._lock:
                            output = memoryview(self._conversation.take_output())
                    if not output:
                        break
                    try:
                        output = output[connection.send(output) :]
                    except BlockingIOError:
                        break
                selector.modify(connection, selectors.EVENT_READ | (selectors.EVENT_WRITE if output else 0))
                ready = selector.select(None if not self._conversation.is_held else pauses.take())
                if not ready:
                    self._conversation.is_held = False
                for key, events in ready:
                    if key.fileobj is self._wake_read:
                        self._drain()
                    elif events & selectors.EVENT_READ:
                        data = connection.recv(1 << 18)
                        if not data:
                            return "the daemon has ended the connection"
                        with self._lock:
                            self._conversation.receive(data)
                            self._lock.notify_all()
                        if not self._conversation.is_held:
                            pauses.reset()
        return "the client was closed"
