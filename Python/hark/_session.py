"""The conversation with the daemon, without the socket: lines in, lines out, and what is to be said again.

One object for both clients, the one that waits and the one of asyncio; whoever uses it sees that one thread at a time does.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from ._errors import BufferFull, ConnectionLost, RequestError

Outcome = Callable[[Any, "Exception | None"], None]
Notified = Callable[[str, Mapping[str, Any]], None]


@dataclass
class _Request:
    method: str
    params: dict[str, Any]
    outcome: Outcome
    #: It may be sent again after a broken connection: it reads, or it bears the number of a producer.
    is_repeatable: bool
    is_event: bool
    on_begin: Notified | None = None


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
    return paths + ["/run/hark/hark.sock"]


def encode(value: Mapping[str, Any]) -> bytes:
    """One line of the protocol."""
    # A lone surrogate is no text, and a float that is no number no JSON: both raise ValueError before anything is sent.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n"


class Conversation:
    """Requests on their way, in order, and the streams that begin again after each break."""

    def __init__(self, app: str | None = None, producer: str | None = None, limit: int = 10_000) -> None:
        self.app = app
        self.limit = limit
        self.producer = producer or str(uuid.uuid4())
        self._event_number = 0
        self._request_number = 0
        #: Taken and not answered, by number; of those not sent since the connection began, `_unsent` has the numbers.
        self._pending: OrderedDict[int, _Request] = OrderedDict()
        self._unsent: list[int] = []
        self._events = 0
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
        return self._events

    def is_idle(self) -> bool:
        return not self._pending

    # What to say

    def record(self, method: str, params: dict[str, Any], outcome: Outcome) -> None:
        """Takes an event or a line of log; it is sent until the daemon has answered it."""
        if self._events >= self.limit:
            raise BufferFull(f"{self.limit} events wait for the daemon; this one was not taken")
        # What cannot be sent at all is found before it has a number.
        encode(params)
        self._event_number += 1
        params["producer"] = {"id": self.producer, "seq": self._event_number}
        self._events += 1
        self._add(_Request(method, params, outcome, is_repeatable=True, is_event=True))

    def call(
        self, method: str, params: dict[str, Any], outcome: Outcome, *, is_repeatable: bool = False,
        on_begin: Notified | None = None,
    ) -> None:
        encode(params)
        self._add(_Request(method, params, outcome, is_repeatable, is_event=False, on_begin=on_begin))

    def _add(self, request: _Request) -> None:
        self._request_number += 1
        self._pending[self._request_number] = request
        self._unsent.append(self._request_number)

    def take_output(self, most: int = 1 << 18) -> bytes:
        """What is to be written now; about so many bytes of it."""
        if not self.is_connected or self.is_held:
            return b""
        output = bytearray()
        taken = 0
        for number in self._unsent:
            if len(output) >= most:
                break
            taken += 1
            request = self._pending.get(number)
            if request is not None:
                output += encode({"id": number, "method": request.method, "params": request.params})
        del self._unsent[:taken]
        return bytes(output)

    # What is heard

    def connected(self) -> None:
        """A connection has begun: what was not answered is said again, in the order in which it came."""
        self.is_connected = True
        self.is_held = False
        self._input.clear()
        self._unsent = list(self._pending)

    def disconnected(self, why: str) -> None:
        """It has ended: what cannot be said again is lost to its caller, and the streams begin again elsewhere."""
        self.is_connected = False
        self._listeners.clear()
        unsent = set(self._unsent)
        for number, request in list(self._pending.items()):
            # What was not sent has not been carried out, and waits.
            if not request.is_repeatable and number not in unsent:
                self._settle(number, None, ConnectionLost(f"{why} before the reply to {request.method}"))

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
            if listener is not None:
                listener(method, params)
            return
        number = message.get("id")
        error = message.get("error")
        if number is None and error is not None:
            # A line that was too long to be read is refused without its number: it is the longest that was sent.
            unsent = set(self._unsent)
            sent = [each for each in self._pending if each not in unsent]
            number = max(sent, key=self._length) if sent else None
        if not isinstance(number, int) or number not in self._pending:
            return
        if error is None:
            self._settle(number, message.get("result") or {}, None)
            return
        data = error.get("data") or {}
        reason = data.get("reason", "internalError")
        request = self._pending[number]
        if request.is_event and reason in ("shuttingDown", "storeUnavailable"):
            # Nothing was stored: it is said again, to the next daemon or when there is room. Under a number of its own, as
            # those behind it may be stored already, and the daemon takes a lower number for what it has.
            del self._pending[number]
            self._event_number += 1
            request.params["producer"] = {"id": self.producer, "seq": self._event_number}
            self._add(request)
            self.is_held = True
            return
        self._settle(number, None, RequestError(reason, str(error.get("message")), data.get("path"), data))

    def _length(self, number: int) -> int:
        return len(encode(self._pending[number].params))

    def _settle(self, number: int, result: Mapping[str, Any] | None, error: Exception | None) -> None:
        request = self._pending.pop(number)
        if request.is_event:
            self._events -= 1
            if result is not None and any("producer" in warning for warning in result.get("warnings", ())):
                self.is_exactly_once = False
        if result is not None and request.on_begin is not None:
            self._listeners[result["subscription"]] = request.on_begin
        request.outcome(result, error)


class Pauses:
    """How long to wait before each attempt to connect: from a twentieth of a second, doubling, to five seconds."""

    def __init__(self) -> None:
        self._next = 0.05

    def reset(self) -> None:
        self._next = 0.05

    def take(self) -> float:
        pause, self._next = self._next, min(self._next * 2, 5.0)
        return pause
