"""Python's logging, sent to Hark: ``logging.getLogger().addHandler(hark.LogHandler())``."""

from __future__ import annotations

import datetime
import logging
import queue
import threading
from typing import Any

from ._client import Client
from ._errors import Error, RequestError
from ._types import time_text

_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warning"))


class LogHandler(logging.Handler):
    """Keeps what is logged in Hark, which sends it to the servers that take logs.

    Never makes the program wait and never raises: lines wait in memory, up to ``limit`` of them, for a thread that sends
    them, again until the daemon is there. Beyond that they are dropped and counted in ``dropped``.
    """

    def __init__(self, client: Client | None = None, *, limit: int = 10_000, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self._owns_client = client is None
        self._client = client or Client()
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue(limit)
        #: Lines that were not kept: there were too many, or the daemon refused them.
        self.dropped = 0
        self._is_closing = threading.Event()
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self._line(record)
        except Exception:  # noqa: BLE001 - as logging does: a line that cannot be made is told by handleError
            self.handleError(record)
            return
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.dropped += 1
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="hark-log", daemon=True)
            self._thread.start()

    def _line(self, record: logging.LogRecord) -> dict[str, Any]:
        message = record.getMessage()
        metadata: dict[str, Any] = {"logger": record.name, "file": record.filename, "line": record.lineno}
        if record.exc_info and record.exc_info[0] is not None:
            metadata["exception"] = record.exc_info[0].__name__
            message += "\n" + logging.Formatter().formatException(record.exc_info)
        level = next((name for number, name in _LEVELS if record.levelno >= number), "info")
        when = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        line = {"message": message, "level": level, "metadata": metadata, "timestamp": time_text(when)}
        if self._client.app is not None:
            line["app"] = self._client.app
        return line

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            while True:
                try:
                    self._client.call("log.write", line)
                except Error as error:
                    # There is no daemon, or it stores nothing: the line waits. One that is refused would be for ever.
                    if isinstance(error, RequestError) and error.reason not in ("storeUnavailable", "shuttingDown"):
                        self.dropped += 1
                    elif not self._is_closing.wait(0.5):
                        continue
                    else:
                        self.dropped += 1
                break
            self._lines.task_done()
        self._lines.task_done()

    def close(self) -> None:
        """Sends what waits, as far as the daemon is there, and ends."""
        self._is_closing.set()
        if self._thread is not None:
            self._lines.put(None)
            self._thread.join(5)
            self._thread = None
        if self._owns_client:
            self._client.close()
        super().close()
