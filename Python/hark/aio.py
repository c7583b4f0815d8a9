"""The client for programs with asyncio: ``from hark import aio``."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Mapping

from ._errors import Closed, ConnectionLost, NotYet, Unavailable
from ._requests import (
    answer_params, event_params, filter_params, given, list_params, log_params, only_reads, present_params, recorded,
    session_params, turn_page)
from ._session import Conversation, Pauses, socket_paths
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time


class Client:
    """As :class:`hark.Client`, for one event loop.

    Use it as ``async with aio.Client() as client``, or call :meth:`close` at the end.
    """

    def __init__(
        self, path: str | None = None, *, app: str | None = None, limit: int = 10_000, timeout: float = 30.0
    ) -> None:
        self.app = app
        self.timeout = timeout
        self._paths = [path] if path is not None else socket_paths()
        self._conversation = Conversation(app=app, limit=limit)
        self._task: asyncio.Task[None] | None = None
        self._work = asyncio.Event()
        self._changed = asyncio.Event()
        self._is_closed = False
        self._problem: Unavailable | None = None
        self._streams: set[asyncio.Queue[Any]] = set()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def record(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, timeout: float | None = None,
    ) -> Recorded:
        """Records an event, and waits until it is on disk; see :meth:`hark.Client.record`."""
        return await self._await(self.record_soon(name, properties, user=user, timestamp=timestamp, app=app), timeout)

    async def _await(self, future: asyncio.Future[Recorded], timeout: float | None) -> Recorded:
        try:
            # A caller who gives up does not take the event back.
            return await asyncio.wait_for(asyncio.shield(future), self.timeout if timeout is None else timeout)
        except asyncio.TimeoutError:
            future.add_done_callback(_look)
            raise NotYet("it is not on disk yet, but on its way" + self._why()) from None

    def record_soon(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None,
    ) -> asyncio.Future[Recorded]:
        """Takes an event and returns at once; the future has what :meth:`record` returns."""
        return self._send("event.record", event_params(name, properties, user, timestamp, app or self.app))

    async def log(
        self, message: str, level: str = "info", metadata: Mapping[str, Any] | None = None, *, user: str | None = None,
        app: str | None = None,
    ) -> Recorded:
        """Keeps a line of log, and waits until it is on disk; see :meth:`hark.Client.log`."""
        params = log_params(message, level, metadata, user, None, app or self.app)
        return await self._await(self._send("log.write", params), None)

    def _send(self, method: str, params: dict[str, Any]) -> asyncio.Future[Recorded]:
        self._check()
        future: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()

        def outcome(result: Any, error: Exception | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(recorded(result))
            else:
                future.set_exception(error)

        self._conversation.record(method, params, outcome)
        self._start()
        return future

    async def flush(self, timeout: float | None = None) -> None:
        """Waits until all events that were taken are on disk, or refused; :class:`hark.NotYet` after the timeout."""

        async def all_answered() -> None:
            while self._conversation.waiting_events:
                self._changed.clear()
                await self._changed.wait()

        try:
            await asyncio.wait_for(all_answered(), timeout)
        except asyncio.TimeoutError:
            raise NotYet(f"{self._conversation.waiting_events} events are not on disk yet{self._why()}") from None

    async def events(
        self, *, name: str | None = None, user: str | None = None, app: str | None = None, since: Time | None = None,
        until: Time | None = None, newest_first: bool = False, page: int = 1_000,
    ) -> AsyncIterator[Event]:
        """Events that are stored, fetched a page at a time; see :meth:`hark.Client.events`."""
        params = list_params(name, user, app or self.app, since, until, page, newest_first)
        more = True
        while more:
            reply = await self.call("event.list", params)
            for event in reply["events"]:
                yield Event.read(event)
            more = turn_page(params, reply)

    async def stream(
        self, *, name: str | None = None, user: str | None = None, app: str | None = None, after: int | None = None
    ) -> AsyncIterator[Event]:
        """Events as they are stored, without end; over broken connections nothing is lost or doubled."""
        params: dict[str, Any] = {**filter_params(name, user, app or self.app), "include": ["events"]}
        place = after
        has_begun = False
        while True:
            heard: asyncio.Queue[Any] = asyncio.Queue()
            if place is not None:
                params["afterSeq"] = place
            self._streams.add(heard)
            try:
                reply = await self._ask("event.subscribe", params, lambda *message: heard.put_nowait(message))
            except (ConnectionLost, Unavailable) as error:
                self._streams.discard(heard)
                if isinstance(error, Unavailable) and not has_begun:
                    raise
                await asyncio.sleep(0.2)
                continue
            has_begun = True
            place = reply["afterSeq"] if place is None else place
            try:
                while True:
                    message = await heard.get()
                    if message is None or message[0] == "subscription.closed":
                        break
                    if message[0] == "event":
                        event = Event.read(message[1]["event"])
                        place = event.seq
                        yield event
            except GeneratorExit:
                self._streams.discard(heard)
                if not self._is_closed:
                    self._conversation.call(
                        "subscription.cancel", {"subscription": reply["subscription"]}, lambda *_: None)
                    self._work.set()
                raise
            if self._is_closed:
                raise Closed("the client was closed")

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Calls a method of the protocol, and gives its result; see :meth:`hark.Client.call`."""
        return await self._ask(method, dict(params or {}), timeout=timeout)

    async def start_session(
        self, user: str | None = None, metadata: Mapping[str, Primitive] | None = None, *, app: str | None = None
    ) -> Session:
        """Starts a session and makes it the current one of the app; the one before ends. None: anonymous."""
        reply = await self.call("session.start", session_params(user, metadata, app or self.app))
        return Session.read(reply["session"])

    async def end_session(self, *, app: str | None = None) -> None:
        """Ends the current session of the app, if there is one."""
        await self.call("session.end", given(app=app or self.app))

    async def present(self, survey: str | None = None, *, app: str | None = None) -> Survey:
        """Takes a ready survey to show it: the one with this id, or the next."""
        reply = await self.call("survey.present", present_params(survey, app or self.app))
        return Survey.read(reply["survey"])

    async def answer(
        self, survey: str, option: str | None = None, *, text: str | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> Survey:
        """Answers a survey: with an option, a text, or answers by the ids of its questions."""
        reply = await self.call("survey.answer", answer_params(survey, option, text, answers))
        return Survey.read(reply["survey"])

    @property
    def waiting_events(self) -> int:
        """How many events are not known to be on disk."""
        return self._conversation.waiting_events

    async def close(self, timeout: float = 5.0) -> None:
        """Waits for the events that were taken, so long at most, and ends the connection."""
        if self._is_closed:
            return
        try:
            if self._conversation.waiting_events:
                await self.flush(timeout)
        finally:
            self._is_closed = True
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
            self._conversation.fail_all(Closed("the client was closed"))

    # Within

    def _check(self) -> None:
        if self._is_closed:
            raise Closed("the client was closed")

    def _why(self) -> str:
        return f" ({self._problem})" if self._problem is not None else ""

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="hark")
        self._work.set()

    async def _ask(
        self, method: str, params: dict[str, Any], on_message: Any = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        self._check()
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def outcome(result: Any, error: Exception | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        self._conversation.call(method, params, outcome, is_repeatable=only_reads(method), on_begin=on_message)
        self._start()
        limit = self.timeout if timeout is None else timeout
        try:
            return await asyncio.wait_for(future, limit)
        except asyncio.TimeoutError:
            raise NotYet(f"there is no reply to {method} after {limit} seconds{self._why()}") from None

    async def _run(self) -> None:
        pauses = Pauses()
        while True:
            connection = await self._connect()
            if connection is None:
                self._changed.set()
                await asyncio.sleep(pauses.take())
                continue
            reader, writer = connection
            self._conversation.connected()
            self._work.set()
            why = "the connection ended"
            writing = asyncio.get_running_loop().create_task(self._write(writer, pauses))
            try:
                while data := await reader.read(1 << 18):
                    self._conversation.receive(data)
                    self._changed.set()
                    self._work.set()
                    if not self._conversation.is_held:
                        pauses.reset()
            except OSError as error:
                why = f"the connection ended ({error})"
            finally:
                writing.cancel()
                writer.close()
                self._conversation.disconnected(why)
                self._changed.set()
                for heard in self._streams:
                    heard.put_nowait(None)
                self._streams.clear()
            await asyncio.sleep(pauses.take())

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        problem: OSError | None = None
        for path in self._paths:
            try:
                connection = await asyncio.open_unix_connection(path)
                self._problem = None
                return connection
            except OSError as error:
                if problem is None or not isinstance(error, FileNotFoundError):
                    problem = error
        self._problem = Unavailable(
            f"no daemon at {' or '.join(self._paths)}: {problem}; start one with 'harkd' or its unit")
        self._conversation.fail_calls(self._problem)
        return None

    async def _write(self, writer: asyncio.StreamWriter, pauses: Pauses) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            if self._conversation.is_held:
                await asyncio.sleep(pauses.take())
                self._conversation.is_held = False
            while output := self._conversation.take_output():
                writer.write(output)
                try:
                    await writer.drain()
                except OSError:
                    return  # The reader hears of it.


def _look(future: asyncio.Future[Any]) -> None:
    # Nobody waits for it any more; asyncio would complain that nobody looked.
    if not future.cancelled():
        future.exception()
