"""Python's logging, sent to Hark: ``logging.getLogger().addHandler(hark.LogHandler())``."""

from __future__ import annotations

import datetime
import logging
from concurrent.futures import Future
from typing import Any

from ._client import Client
from ._errors import BufferFull, Closed, NotYet
from ._types import Recorded

_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warning"))


class LogHandler(logging.Handler):
    """Keeps what is logged in Hark, which sends it to the servers that take logs.

    Never makes the program wait and never raises. Lines wait for the daemon in memory, up to the ``limit`` of the client; those
    that were too many, or that the daemon refused, are counted in ``dropped``.
    """

    def __init__(self, client: Client | None = None, *, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self._owns_client = client is None
        self._client = client or Client()
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
        message = record.getMessage()
        metadata: dict[str, Any] = {"logger": record.name, "file": record.filename, "line": record.lineno}
        if record.exc_info and record.exc_info[0] is not None:
            metadata["exception"] = record.exc_info[0].__name__
            message += "\n" + logging.Formatter().formatException(record.exc_info)
        level = next((name for number, name in _LEVELS if record.levelno >= number), "info")
        when = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        return self._client.log_soon(message, level, metadata, timestamp=when)

    def _ended(self, future: Future[Recorded]) -> None:
        if future.exception() is not None:
            self.dropped += 1

    def flush(self) -> None:
        """Waits a moment for what is on its way."""
        try:
            self._client.flush(1.0)
        except NotYet:
            pass  # It is sent when the daemon is there.

    def close(self) -> None:
        """Sends what waits, as far as the daemon is there, and ends."""
        try:
            if self._owns_client:
                self._client.close()
        except NotYet:
            self.dropped += self._client.waiting_events
        finally:
            super().close()
