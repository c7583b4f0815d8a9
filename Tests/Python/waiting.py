"""Waiting for something to become true, for all tests that are written in Python."""

import time


class Failure(AssertionError):
    """Something did not come, or came otherwise than the test says."""


def wait_until(condition, what, seconds=60.0):
    """The first true value of `condition()`, or a failure that names what did not come.

    It is asked at once, then a little later each time, at most ten times a second: asking costs what is waited for its time.
    """
    start = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - start
        if waited > seconds:
            raise Failure(f"after {seconds:g} s still not: {what}")
        time.sleep(min(max(waited / 10, 0.005), 0.1))
