"""An answer that is undone while the thanks for it are shown, and what becomes of it when it is not."""

import os
import signal
import unittest

from kiosk import KioskScene
from scene import Scene, wait_until
from screen import PATIENCE
from test_surveys import COMBINED, OPTIONS, QUESTIONS

# Thanks stay as long as the slowest machine takes to press a button.
LONG = {"HARK_THANKS_SECONDS": "900"}


class Undo(Scene):
    def opened(self, survey, environment=LONG):
        daemon = self.daemon(survey)
        return daemon, self.dialog(daemon, daemon.ask(survey["id"]), environment=environment)

    def undo(self, dialog):
        dialog.press("push button", "Undo")
        dialog.wait_until_gone(lambda node: node.get_name() == "Undo", "the thanks")

    def test_nothing_counts_before_the_thanks_are_over_and_another_answer_is_given_instead(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.press("push button", "Good")
        dialog.find("push button", "Undo")
        self.assertEqual(daemon.responses(), [])
        self.undo(dialog)
        dialog.press("push button", "Poor")
        dialog.find("push button", "Undo")
        self.assertEqual(daemon.responses(), [])
        dialog.focus()
        dialog.keys("Return")
        self.assert_ends(dialog)
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Poor"])

    def test_it_counts_once_the_time_is_over(self):
        daemon, dialog = self.opened(OPTIONS, environment={})
        dialog.press("push button", "Good")
        self.assert_ends(dialog)
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good"])

    def test_what_was_undone_is_as_it_was_and_nothing_of_it_is_kept_when_the_window_goes(self):
        daemon, dialog = self.opened(COMBINED)
        dialog.press("radio button", "Great")
        dialog.write("Tell us more", "Kind.")
        dialog.press("push button", "Submit")
        self.undo(dialog)
        dialog.wait_for_check("radio button", "Great")
        dialog.find("label", "5/200")
        self.assertTrue(dialog.is_sensitive("push button", "Submit"))
        dialog.end()
        wait_until(lambda: daemon.pending("combined")[0]["state"] == "ready", "it is asked again", PATIENCE)
        self.assertNotIn("answers", daemon.pending("combined")[0])
        self.assertEqual(daemon.responses(), [])

    def test_the_last_page_is_there_again_with_the_way_back(self):
        daemon, dialog = self.opened(QUESTIONS)
        dialog.press("radio button", "Garden")
        dialog.press("push button", "Next")
        self.undo(dialog)
        dialog.wait_for_check("radio button", "Garden")
        dialog.press("radio button", "Library")
        dialog.press("push button", "Next")
        dialog.press("push button", "Previous")
        dialog.press("radio button", "Garden")
        dialog.press("push button", "Next")
        dialog.find("push button", "Undo")
        dialog.focus()
        dialog.keys("Escape")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"single": "Garden"})

    def test_an_answer_outlives_its_window_however_that_ends(self):
        for end in (signal.SIGTERM, signal.SIGKILL):
            daemon, dialog = self.opened(OPTIONS)
            dialog.press("push button", "Good")
            dialog.find("push button", "Undo")
            self.assertEqual(daemon.responses(), [])
            os.kill(dialog.process.pid, end)
            self.assertEqual(dialog.wait(), 0 if end == signal.SIGTERM else -end)
            wait_until(lambda: len(daemon.responses()) == 1, "the answer counts", PATIENCE)

    def test_an_answer_outlives_a_daemon_that_is_killed_or_restarted(self):
        for end in ("kill", "end"):
            daemon, dialog = self.opened(OPTIONS)
            dialog.press("push button", "Good")
            dialog.find("push button", "Undo")
            getattr(daemon, end)()
            daemon.start()
            dialog.focus()
            dialog.keys("Return")
            self.assert_ends(dialog)
            self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good"])

    def test_while_the_daemon_is_away_the_answer_stays_with_retry(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.press("push button", "Good")
        dialog.find("push button", "Undo")
        daemon.kill()
        dialog.focus()
        dialog.keys("Escape")
        dialog.find("push button", "Retry")
        daemon.start()
        dialog.wait_until_gone(lambda node: node.get_name().startswith("The daemon"), "what was refused")
        dialog.press("push button", "Good")
        dialog.find("push button", "Undo")
        dialog.keys("Escape")
        self.assert_ends(dialog)
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good"])


class Kiosk(KioskScene):
    def test_no_visitor_undoes_what_the_one_before_has_answered(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.kiosk(daemon, environment=LONG)
        self.come(daemon, "options")
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        self.assertFalse(dialog.has_text("Undo"))
        self.assertEqual(len(daemon.responses()), 1)


if __name__ == "__main__":
    unittest.main()
