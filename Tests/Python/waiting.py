"""Waiting for something to become true, for all tests that are written in Python."""

import time


class Failure(AssertionError):
    """Something did not come, or came otherwise than the test says."""


def wait_until(condition, what, seconds=60.0):
    """The first true value of `condition()`, or a failure that names what did not come.

    It is asked at once, then a little later each time, at most ten times a second. Asking takes at most half of the time, because
    it slows down the program that is waited for.
    """
    start = time.monotonic()
    while True:
        asked = time.monotonic()
        value = condition()
        if value:
            return value
        now = time.monotonic()
        if now - start > seconds:
            raise Failure(f"after {seconds:g} s still not: {what}")
        time.sleep(max(min(max((now - start) / 10, 0.005), 0.1), min(now - asked, 0.5)))
