"""The client for programs with asyncio: ``from hark import aio``."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any, AsyncIterator, Callable, Mapping, TypeVar

from ._base import BaseClient
from ._errors import Closed, ConnectionLost, NotYet, Unavailable
from ._requests import (
    answer_params, event_params, filter_params, given, list_params, log_params, present_params, session_params, turn_page)
from ._session import Notified
from ._stream import Course, Feed
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time

T = TypeVar("T")


class Client(BaseClient):
    """As :class:`hark.Client`, for coroutines: in any event loop, in several, and in one after the other.

    Use it as ``async with aio.Client() as client``, or call :meth:`close` at the end.
    """

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def record(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, unattended: bool | None = None, timeout: float | None = None,
    ) -> Recorded:
        """Records an event, and waits until it is on disk; see :meth:`hark.Client.record`."""
        params = event_params(name, properties, user, timestamp, app or self.app, unattended)
        return await self._recorded("event.record", params, timeout)

    def record_soon(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, unattended: bool | None = None,
    ) -> asyncio.Future[Recorded]:
        """Takes an event and returns at once; the future has what :meth:`record` returns."""
        params = event_params(name, properties, user, timestamp, app or self.app, unattended)
        return _told(self._link.send("event.record", params))

    async def log(
        self, message: str, level: str = "info", metadata: Mapping[str, Any] | None = None, *, user: str | None = None,
        app: str | None = None,
    ) -> Recorded:
        """Keeps a line of log, and waits until it is on disk; see :meth:`hark.Client.log`."""
        params = log_params(message, level, metadata, user, None, app or self.app)
        return await self._recorded("log.write", params, None)

    async def _recorded(self, method: str, params: dict[str, Any], timeout: float | None) -> Recorded:
        future = self._link.send(method, params)
        try:
            # A caller who gives up does not take the event back.
            return await _within(self.timeout if timeout is None else timeout, future)
        except asyncio.TimeoutError:
            raise NotYet("it is not on disk yet, but on its way" + self._link.why()) from None

    async def flush(self, timeout: float | None = None) -> None:
        """Waits until all events that were taken are on disk, or refused; :class:`hark.NotYet` after the timeout."""
        waiting = [_told(event, lambda _: None) for event in self._link.waiting()]
        late = (await asyncio.wait(waiting, timeout=timeout))[1] if waiting else ()
        if late:
            raise NotYet(f"{len(late)} events are not on disk yet{self._link.why()}")

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
        course = Course(self._link, filter_params(name, user, app or self.app), after)
        loop = asyncio.get_running_loop()
        while True:
            heard: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()

            def put(event: Mapping[str, Any] | None, heard: asyncio.Queue[Mapping[str, Any] | None] = heard) -> None:
                _call_in(loop, heard.put_nowait, event)

            feed = Feed(self._link, put)
            try:
                course.begun(await self._ask("event.subscribe", course.params(), feed))
                while (event := await heard.get()) is not None:
                    feed.taken += 1
                    yield course.read(event)
            except (ConnectionLost, Unavailable) as error:
                if not course.goes_on(error):
                    raise
                await asyncio.sleep(0.2)
            finally:
                # Also when the task is cancelled.
                feed.end()
            if self._link.is_closed:
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

    async def close(self, timeout: float = 5.0) -> None:
        """Waits for the events that were taken, so long at most, and ends the connection."""
        if self._link.is_closed:
            return
        try:
            await self.flush(timeout)
        finally:
            await _told(self._link.close())

    async def _ask(
        self, method: str, params: dict[str, Any], listener: Notified | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        future = self._link.ask(method, params, listener)
        limit = self.timeout if timeout is None else timeout
        try:
            return await _within(limit, future)
        except asyncio.TimeoutError:
            raise NotYet(f"there is no reply to {method} after {limit} seconds{self._link.why()}") from None
        finally:
            future.cancel()


async def _within(seconds: float, future: Future[T]) -> T:
    told = _told(future)
    try:
        # Not wait_for, which overlooks that it is cancelled when the outcome comes at the same time (before Python 3.12).
        if not (await asyncio.wait([told], timeout=seconds))[0]:
            raise asyncio.TimeoutError
        return told.result()  # type: ignore[no-any-return]
    finally:
        if not told.cancel() and not told.cancelled():
            told.exception()  # Who was cancelled does not look, and asyncio would complain.


def _told(future: Future[T], take: Callable[[Future[T]], Any] = Future.result) -> asyncio.Future[Any]:
    """The same outcome for a coroutine; cancelling it leaves the other alone."""
    loop = asyncio.get_running_loop()
    own: asyncio.Future[Any] = loop.create_future()

    def settle() -> None:
        if own.done():
            return
        try:
            own.set_result(take(future))
        except Exception as error:  # noqa: BLE001 - it is told
            own.set_exception(error)

    future.add_done_callback(lambda _: _call_in(loop, settle))
    return own


def _call_in(loop: asyncio.AbstractEventLoop, what: Callable[..., object], *arguments: Any) -> None:
    try:
        loop.call_soon_threadsafe(what, *arguments)
    except RuntimeError:
        pass  # The loop has ended, and with it all who would hear of it.
