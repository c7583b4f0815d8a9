"""The client for programs that wait."""

from __future__ import annotations

import queue
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Collection, Iterator, Mapping, Sequence

from . import _sql
from ._base import BaseClient
from ._errors import Closed, ConnectionLost, NotYet, Unavailable
from ._prompt import ask, prompt_params
from ._requests import (
    answer_params, event_params, filter_params, given, list_params, log_params, present_params, session_params, turn_page)
from ._session import Notified
from ._stream import Course, Feed
from ._table import Events, Table
from ._types import Event, Primitive, Properties, Recorded, Session, Survey, Time


class Client(BaseClient):
    """A connection to the daemon, which is made when it is needed and made again when it breaks.

    Threads may share one. Events are kept in memory, up to ``limit`` of them, until the daemon has them on disk: while it
    is away they wait, and what is sent again after a broken connection is recorded once. Everything else is asked once.

    After a fork the child has a connection of its own; what the parent had taken before, the parent sends.
    """

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Events

    def record(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, unattended: bool | None = None, timeout: float | None = None,
    ) -> Recorded:
        """Records an event, and waits until it is on disk.

        :param user: whose session to start if there is none.
        :param timestamp: when it happened; None: now.
        :param unattended: recorded by a job and not by a person, so it belongs to no user. None:
            as ``HARK_UNATTENDED`` in the environment says.
        :raises NotYet: when that took longer than the timeout. The event is still on its way, and is recorded once.
        :raises BufferFull: when too many wait already. This one was not taken.
        :raises RequestError: when the daemon refuses it.
        """
        self._link.must_wait()
        future = self.record_soon(
            name, properties, user=user, timestamp=timestamp, app=app, unattended=unattended)
        return self._result(future, timeout, "the event is not on disk yet, but on its way")

    def record_soon(
        self, name: str, properties: Properties | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None, unattended: bool | None = None,
    ) -> Future[Recorded]:
        """Takes an event and returns at once; the future has what :meth:`record` returns.

        Without a ``timestamp`` it is the time of this call that counts, however long the daemon is away.
        """
        params = event_params(name, properties, user, timestamp, app or self.app, unattended)
        return self._link.send("event.record", params)

    def flush(self, timeout: float | None = None) -> None:
        """Waits until all events that were taken are on disk, or refused.

        :raises NotYet: when that took longer than the timeout; without one it waits as long as it takes.
        """
        self._link.flush(timeout)

    def events(
        self, *, name: str | None = None, user: str | None = None, app: str | None = None, since: Time | None = None,
        until: Time | None = None, newest_first: bool = False, page: int = 1_000,
    ) -> Events:
        """Events that are stored, in the order of their numbers, fetched a page at a time.

        They are iterated over, or handed on: ``client.events(name="visit").to_pandas()``.

        :param name: only of this name; ``*`` stands for any characters.
        """
        return Events(self._pages(list_params(name, user, app or self.app, since, until, page, newest_first)))

    def _pages(self, params: dict[str, Any]) -> Iterator[Event]:
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
        course = Course(self._link, filter_params(name, user, app or self.app), after)
        while True:
            heard: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()
            feed = Feed(self._link, heard.put)
            try:
                course.begun(self._ask("event.subscribe", course.params(), feed))
                while (event := heard.get()) is not None:
                    feed.taken += 1
                    yield course.read(event)
            except (ConnectionLost, Unavailable) as error:
                if not course.goes_on(error):
                    raise
                time.sleep(0.2)
            finally:
                feed.end()
            if self._link.is_closed:
                raise Closed("the client was closed")

    # Everything else

    def sql(
        self, statement: str, parameters: _sql.Parameters | None = None, *, times: Collection[str] = (),
        timeout: float | None = None,
    ) -> Table:
        """Asks what is stored in SQL; see :func:`hark.sql`. Events on their way are not seen: :meth:`flush` waits for them."""
        paths = self._link.paths
        return _sql.run(statement, parameters, times, paths[0] if len(paths) == 1 else None, timeout)

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
        self._link.must_wait()
        future = self.log_soon(message, level, metadata, user=user, app=app)
        return self._result(future, timeout, "the line is not on disk yet, but on its way")

    def log_soon(
        self, message: str, level: str = "info", metadata: Mapping[str, Any] | None = None, *, user: str | None = None,
        timestamp: Time | None = None, app: str | None = None,
    ) -> Future[Recorded]:
        """Takes a line of log and returns at once; the future has what :meth:`log` returns."""
        return self._link.send("log.write", log_params(message, level, metadata, user, timestamp, app or self.app))

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

    def dismiss(self, survey: str, *, ever: bool = False) -> None:
        """Closes a survey without an answer.

        :param ever: this account is not asked it again, by any app; ``hark unmute`` undoes that.
        """
        self.call("survey.dismiss", {"presentationId": survey, **({"for": "ever"} if ever else {})})

    def ask(
        self, question: str, options: Sequence[str] | None = None, *, message: str | None = None, multiple: bool = False,
        text: bool = False, scale: int | None = None, kind: Mapping[str, Any] | None = None,
        timeout: float | None = None, default: Any = None,
        name: str | None = None, uids: Sequence[int] | None = None, app: str | None = None,
    ) -> Any:
        """Asks whoever is there, and waits for the answer: one of the options, several of them as a list, a text, or a
        number.

        :param multiple: several options may be chosen.
        :param text: a text is the answer.
        :param scale: a rating from 1 to this (2 to 10) is the answer.
        :param kind: a question of another type, with the members that it has in a survey file, such as
            ``{"type": "number", "min": 0, "unit": "km"}``, ``{"type": "scale", "min": 0, "max": 100}`` or
            ``{"type": "yes-no"}``. With ``"other": True`` the text stands in the place of the option.
        :param timeout: how long somebody may take, in seconds; None: seven days, if somebody is there at all.
        :param default: the answer when time runs out, or nobody is there.
        :param name: under which answers are recorded and counted.
        :param uids: the accounts of the machine that are asked, for administrators; the first answer counts.
        :raises NoAnswer: when it was dismissed, has expired or was taken back, or nobody is there to ask.
        """
        if text and options is not None:
            raise ValueError("options with a text have two answers; call prompt.ask for those")
        return ask(self, prompt_params(
            question, options, message, multiple, text, scale, kind, timeout, default, name, uids, app or self.app))

    def trigger(self, counter: str, *, app: str | None = None) -> int | float:
        """Adds 1 to a counter, and gives its value."""
        value: int | float = self.call("counter.trigger", given(name=counter, app=app or self.app))["value"]
        return value

    def close(self, timeout: float = 5.0) -> None:
        """Waits for the events that were taken, so long at most, and ends the connection.

        :raises NotYet: when some are not on disk by then; whether they will be is not known.
        """
        if self._link.is_closed:
            return
        link = self._link
        try:
            link.flush(timeout)
        finally:
            link.close()
            link.join()

    # Within

    def _result(self, future: Future[Recorded], timeout: float | None, what: str) -> Recorded:
        try:
            return future.result(self.timeout if timeout is None else timeout)
        except FutureTimeout:
            raise NotYet(what + self._link.why()) from None

    def _ask(
        self, method: str, params: dict[str, Any], listener: Notified | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        link = self._link
        link.must_wait()
        future = link.ask(method, params, listener)
        limit = self.timeout if timeout is None else timeout
        try:
            return future.result(limit)
        except FutureTimeout:
            if link.problem is not None:
                raise Unavailable(str(link.problem)) from None
            raise NotYet(f"there is no reply to {method} after {limit} seconds") from None
        finally:
            # Who has given up does not have it done later.
            future.cancel()
