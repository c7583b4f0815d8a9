"""The conversation with the daemon, without the socket: lines in, lines out, and what is to be said again.

One thread uses it, that of the link.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from ._errors import ConnectionLost, RequestError

Outcome = Callable[[Any, "Exception | None"], None]
Notified = Callable[[str, Mapping[str, Any]], None]


@dataclass
class Request:
    """Something to say to the daemon, and who hears what came of it."""

    method: str
    #: An object, as JSON. The number of a producer comes in when it is sent.
    params: bytes
    outcome: Outcome
    is_event: bool = False
    #: It may be sent again after a broken connection: it reads, or it bears the number of a producer.
    is_repeatable: bool = False
    #: It means something to this connection only.
    is_of_connection: bool = False
    #: False: its caller has given up, and it need not be sent.
    is_wanted: Callable[[], bool] = lambda: True
    #: Who hears what the subscription tells that this begins.
    listener: Notified | None = None
    #: Which number of the producer it was first sent with.
    seq: int | None = None

    def line(self, number: int, producer: str) -> bytes:
        params = self.params
        if self.is_event:
            params = params[:-1] + b"," + encode({"producer": {"id": producer, "seq": self.seq}})[1:]
        return b'{"id":%d,"method":%s,"params":%s}\n' % (number, json.dumps(self.method).encode(), params)


def socket_paths(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Where a daemon may listen, in the order in which the protocol says to look."""
    if environment.get("HARK_SOCKET"):
        return [environment["HARK_SOCKET"]]
    paths = []
    runtime = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    if os.path.isdir(runtime):
        paths.append(os.path.join(runtime, "hark", "hark.sock"))
    else:
        state = environment.get("HARK_STATE")
        if not state:
            home = environment.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
            state = os.path.join(home, "hark")
        paths.append(os.path.join(state, "hark.sock"))
    # Who has enabled a daemon of their own never records into the machine's while that one is away.
    settings = environment.get("XDG_CONFIG_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".config")
    is_own = os.path.exists(os.path.join(settings, "systemd/user/sockets.target.wants/harkd.socket"))
    return paths if is_own else paths + ["/run/hark/hark.sock"]


def encode(value: Mapping[str, Any]) -> bytes:
    """An object as JSON in one line."""
    # A lone surrogate is no text, and a float that is no number no JSON: both raise ValueError before anything is sent.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


class Conversation:
    """Requests on their way, in order, and those who listen to subscriptions."""

    def __init__(self, producer: str | None = None) -> None:
        self.producer = producer or str(uuid.uuid4())
        self._event_number = 0
        self._request_number = 0
        #: Taken and not answered, by number; of those not sent since the connection began, `_unsent` has the numbers.
        self._pending: OrderedDict[int, Request] = OrderedDict()
        self._unsent: list[int] = []
        #: What the output that was taken last is made of: numbers, and how long their lines are.
        self._taken: list[tuple[int, int]] = []
        self._input = bytearray()
        self._listeners: dict[int, Notified] = {}
        self.is_connected = False
        #: The daemon stores nothing at the moment: nothing is said until whoever carries it has waited, and sets it to false.
        self.is_held = False
        #: False once the daemon has said that it knows no producers: then what is sent again may be recorded twice.
        self.is_exactly_once = True

    @property
    def waiting_events(self) -> int:
        """How many events are not known to be on disk."""
        return sum(request.is_event for request in self._pending.values())

    def is_idle(self) -> bool:
        return not self._pending

    # What to say

    def record(self, method: str, params: Mapping[str, Any], outcome: Outcome) -> None:
        """Takes an event or a line of log; it is sent until the daemon has answered it."""
        self.add(Request(method, encode(params), outcome, is_event=True, is_repeatable=True))

    def add(self, request: Request) -> None:
        self._request_number += 1
        self._pending[self._request_number] = request
        self._unsent.append(self._request_number)

    def end(self, listener: Notified) -> None:
        """Ends the subscription that this one listens to, also where it is only being begun."""
        for request in self._pending.values():
            if request.listener == listener:
                request.listener = _nobody
        for number in [number for number, each in self._listeners.items() if each == listener]:
            del self._listeners[number]
            self._cancel(number)

    def _cancel(self, subscription: int) -> None:
        self.add(Request(
            "subscription.cancel", encode({"subscription": subscription}), lambda *_: None, is_of_connection=True))

    def take_output(self, most: int = 1 << 18) -> bytes:
        """What is to be written now; about so many bytes of it. All that was taken before has been written."""
        if not self.is_connected or self.is_held:
            return b""
        output = bytearray()
        passed = 0
        self._taken = []
        for number in self._unsent:
            if len(output) >= most:
                break
            passed += 1
            request = self._pending.get(number)
            if request is None:
                continue
            if not request.is_wanted():
                del self._pending[number]
                continue
            if request.is_event and request.seq is None:
                # Here and not where it was taken: what an interruption takes meanwhile does not come between.
                self._event_number += 1
                request.seq = self._event_number
            line = request.line(number, self.producer)
            self._taken.append((number, len(line)))
            output += line
        del self._unsent[:passed]
        return bytes(output)

    # What is heard

    def connected(self) -> None:
        """A connection has begun: what was not answered is said again, in the order in which it came."""
        self.is_connected = True
        self.is_held = False
        self._input.clear()
        self._taken = []
        self._unsent = list(self._pending)

    def disconnected(self, why: str, unwritten: int = 0) -> None:
        """It has ended: what cannot be said again is lost to its caller, and who listens hears of it.

        :param unwritten: how many bytes of the output that was taken last were not written.
        """
        self.is_connected = False
        unsent = set(self._unsent)
        for number, length in reversed(self._taken):
            if length > unwritten:
                break
            unsent.add(number)
            unwritten -= length
        self._unsent = [number for number in self._pending if number in unsent]
        self._taken = []
        for number, request in list(self._pending.items()):
            # What was not sent has not been carried out: the next daemon is asked.
            if request.is_of_connection or not (request.is_repeatable or number in unsent):
                self._settle(number, None, ConnectionLost(f"{why} before the reply to {request.method}"))
        self.end_streams()

    def end_streams(self) -> None:
        """Has those who listen hear that there is nothing more to be heard here."""
        listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            _tell(listener, "connection.ended", {})

    def fail_calls(self, error: Exception) -> None:
        """There is no daemon: who asks something hears it now, and events wait."""
        for number, request in list(self._pending.items()):
            if not request.is_event:
                self._settle(number, None, error)

    def fail_all(self, error: Exception) -> None:
        for number in list(self._pending):
            self._settle(number, None, error)

    def receive(self, data: bytes) -> None:
        self._input += data
        while (end := self._input.find(b"\n")) >= 0:
            line = bytes(self._input[:end])
            del self._input[: end + 1]
            if line.strip():
                self._hear(json.loads(line))

    def _hear(self, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method is not None:
            params = message.get("params") or {}
            listener = self._listeners.get(params.get("subscription", 0))
            if listener is not None and not _tell(listener, method, params):
                self.end(listener)
            return
        number = message.get("id")
        error = message.get("error")
        if number is None and error is not None:
            # A line that was too long to be read is refused without its number: it is the longest that was sent.
            unsent = set(self._unsent)
            sent = [each for each in self._pending if each not in unsent]
            number = max(sent, key=lambda each: len(self._pending[each].params)) if sent else None
        if not isinstance(number, int) or number not in self._pending:
            return
        if error is None:
            self._settle(number, message.get("result") or {}, None)
            return
        data = error.get("data") or {}
        reason = data.get("reason", "internalError")
        request = self._pending[number]
        if reason == "shuttingDown" or (request.is_event and reason == "storeUnavailable"):
            # Nothing was done: it is said again, to the next daemon or when there is room. An event under a number of its own, as
            # those behind it may be stored already, and the daemon takes a lower number for what it has.
            del self._pending[number]
            request.seq = None
            self.add(request)
            self.is_held = True
            return
        self._settle(number, None, RequestError(reason, str(error.get("message")), data.get("path"), data))

    def _settle(self, number: int, result: Mapping[str, Any] | None, error: Exception | None) -> None:
        request = self._pending.pop(number, None)
        if request is None:
            return
        if request.is_event and result and any("producer" in warning for warning in result.get("warnings", ())):
            self.is_exactly_once = False
        if result is not None and request.listener is not None:
            if request.listener is _nobody:
                self._cancel(result["subscription"])
            else:
                self._listeners[result["subscription"]] = request.listener
        _tell(request.outcome, result, error)


def _nobody(method: str, params: Mapping[str, Any]) -> None:
    """Listens to a subscription that its caller has given up before it began."""


def _tell(hears: Callable[..., None], *what: Any) -> bool:
    """False: it has raised something. That ends nothing here, and is told as what ends a thread is."""
    try:
        hears(*what)
    except BaseException:  # noqa: BLE001
        kind, error, trace = sys.exc_info()
        if kind is not None:
            threading.excepthook(threading.ExceptHookArgs((kind, error, trace, threading.current_thread())))
        return False
    return True


class Pauses:
    """How long to wait before each attempt to connect: from a twentieth of a second, doubling, to five seconds."""

    def __init__(self) -> None:
        self._next = 0.05

    def reset(self) -> None:
        self._next = 0.05

    def take(self) -> float:
        pause, self._next = self._next, min(self._next * 2, 5.0)
        return pause
