"""What every test of windows has: one desktop for them all, a daemon for each."""

import signal
import unittest

from desktop import BUILT, ROOT, Daemon, Desktop, Failure, descendants, survey, wait_until  # noqa: F401

DESKTOP = Desktop()

from screen import STATE, Dialog  # noqa: E402,F401  (the screen reader looks for the bus that is set by now)


class Scene(unittest.TestCase):
    """A window that does not end is a failure, not a test that hangs."""

    PATIENCE = 120

    def setUp(self):
        signal.signal(signal.SIGALRM, self.expired)
        signal.alarm(self.PATIENCE)
        self.addCleanup(signal.alarm, 0)

    def expired(self, *_):
        raise Failure(f"{self.id()} takes longer than {self.PATIENCE} s")

    def daemon(self, *surveys, forms=None, settings=None):
        daemon = Daemon(DESKTOP, list(surveys), forms, settings)
        self.addCleanup(daemon.end)
        return daemon

    def dialog(self, daemon, *arguments, **more):
        dialog = Dialog(daemon, *arguments, **more)
        self.addCleanup(dialog.end)
        return dialog

    def assert_ends(self, dialog, code=0):
        self.assertEqual(dialog.wait(), code, dialog.errors)
        self.assertEqual(descendants(dialog.process.pid), [])
