"""Waiting for something to become true, for all tests that are written in Python."""

import time


class Failure(AssertionError):
    """Something did not come, or came otherwise than the test says."""


def wait_until(condition, what, seconds=20.0):
    """The first true value of `condition()`, or a failure that names what did not come."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"after {seconds:g} s still not: {what}")
        time.sleep(0.01)
