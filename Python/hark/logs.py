"""Python's logging, sent to Hark: ``logging.getLogger().addHandler(hark.LogHandler())``."""

from __future__ import annotations

import datetime
import logging
import math
import time
from concurrent.futures import Future
from typing import Any

from ._client import Client
from ._errors import BufferFull, Closed
from ._types import Primitive, Recorded, time_text

_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warning"))
#: What every record has; what one has beside is what its caller gave as `extra`.
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class LogHandler(logging.Handler):
    """Keeps what is logged in Hark, which sends it to the servers that take logs.

    Lines are what the formatter makes of them. The metadata has what the call gave as ``extra``, and ``logger``, ``file``, ``line``
    and ``levelname``: Hark knows info, warning and error, so a line of DEBUG is an info there, and one of CRITICAL an error.

    Never makes the program wait and never raises. Lines wait for the daemon in memory, up to the ``limit`` of the client; those
    that were too many, or that the daemon refused, are counted in ``dropped``.
    """

    def __init__(self, client: Client | None = None, *, level: int | str = logging.NOTSET, app: str | None = None) -> None:
        """
        :param client: whose connection to use; None: one of its own.
        :param app: which application the lines are about, without a client that says so.
        """
        super().__init__(level)
        self._owns_client = client is None
        self._client = client or Client(app=app)
        self._app = app
        #: Lines that were not kept.
        self.dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._write(record).add_done_callback(self._ended)
        except (BufferFull, Closed):
            self.dropped += 1
        except Exception:  # noqa: BLE001 - as logging does: a line that cannot be made is told by handleError
            self.handleError(record)

    def _write(self, record: logging.LogRecord) -> Future[Recorded]:
        metadata: dict[str, Any] = {
            "logger": record.name, "file": record.filename, "line": record.lineno, "levelname": record.levelname}
        if record.exc_info and record.exc_info[0] is not None:
            metadata["exception"] = record.exc_info[0].__name__
        for name, value in vars(record).items():
            if name not in _USUAL and value is not None:
                metadata[name] = _primitive(value)
        level = next((name for number, name in _LEVELS if record.levelno >= number), "info")
        when = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        # A file name may hold what is no text.
        message, metadata = _text(self.format(record)), {_text(name): value for name, value in metadata.items()}
        return self._client.log_soon(message, level, metadata, timestamp=when, app=self._app)

    def _ended(self, future: Future[Recorded]) -> None:
        if future.exception() is not None:
            self.dropped += 1

    def flush(self) -> None:
        """Waits a moment for what is on its way, if a daemon is there."""
        self._client._link.finish(time.monotonic() + 1.0)

    def close(self) -> None:
        """Sends what waits, as far as the daemon is there, and ends."""
        link = self._client._link
        if self._owns_client and not link.is_closed:
            link.finish(time.monotonic() + 1.0)
            # What is left is told as dropped.
            link.close()
            link.join()
        super().close()


def _primitive(value: Any) -> Primitive:
    """A value as metadata can keep it: as it is, or as text."""
    if isinstance(value, bool) or isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return int(value)
    if isinstance(value, datetime.datetime):
        return time_text(value)
    return _text(str(value))


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
