"""What becomes of a request."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import TypeVar

from ._errors import Closed

T = TypeVar("T")


class Taken(Future[T]):
    """The outcome of something that was taken, for the process that took it."""

    def __init__(self) -> None:
        super().__init__()
        self._process = os.getpid()

    def result(self, timeout: float | None = None) -> T:
        self._look()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._look()
        return super().exception(timeout)

    def begin(self) -> bool:
        """From here on it cannot be cancelled; false: it was."""
        return self.running() or self.set_running_or_notify_cancel()

    def settle(self, result: T | None, error: Exception | None) -> None:
        if error is not None:
            self.set_exception(error)
        elif result is not None:
            self.set_result(result)

    def _look(self) -> None:
        if self._process != os.getpid() and not self.done():
            raise Closed("this was taken before a fork: the process that took it sends it, and hears what becomes of it")
