"""A kiosk whose survey stands on the screen, without a page of rest."""

import time
import unittest

from kiosk import QUESTION, KioskScene
from scene import survey, wait_until
from screen import PATIENCE

REST = {"event": {"name": "kiosk_rest", "where": "id = faces"}}
FACES = {**survey("faces", "How was it?", response={"type": "options", "options": ["Bad", "Good", "Great"]}), "trigger": REST}
PAGES = {**survey("faces", "How was it?", questions=[
    {"id": "face", "type": "single", "question": "How was it?", "options": ["Bad", "Good", "Great"]},
    {"id": "why", "type": "single", "question": "Why?", "options": ["Queue", "Staff"]}]), "trigger": REST}
OTHER = survey("other", "And this?", response={"type": "options", "options": ["Yes", "No"]})


class Always(KioskScene):
    def standing(self, *surveys, more=()):
        daemon = self.daemon(*surveys)
        dialog = self.dialog(daemon, "--kiosk", "--always", "faces", "--rest", "Welcome!", *more)
        return daemon, dialog

    def test_faces_stand_each_tap_is_a_showing_of_its_own_and_they_are_there_again_after_the_thanks(self):
        daemon, dialog = self.standing(FACES)
        for option in ("Good", "Bad", "Great"):
            dialog.press("push button", option)
            dialog.find("alert", "Thank You")
            dialog.wait_until_gone(lambda node: node.get_name() == "Thank You", "the thanks")
        dialog.find("push button", "Good")
        self.assertFalse(dialog.has_text("Welcome!"))
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good", "Bad", "Great"])
        shown = self.history(daemon, "faces")
        self.assertEqual(len({one["presentationId"] for one in shown}), len(shown))
        self.assertEqual(len({one["sessionId"] for one in shown}), len(shown))
        self.assertEqual([one["state"] for one in shown].count("answered"), 3)

    def test_presses_during_the_pause_do_not_count(self):
        daemon, dialog = self.standing(FACES, more=("--min-gap", "6"))
        dialog.find("push button", "Good")
        dialog.focus()
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        dialog.keys("1", "2")
        dialog.wait_until_gone(lambda node: node.get_name() == "Thank You", "the thanks")
        dialog.find("push button", "Bad")
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good"])
        ignored = wait_until(
            lambda: daemon.call("event.list", name="survey_ignored")["events"], "what did not count is told", PATIENCE)
        self.assertEqual(ignored[0]["properties"], {"id": "faces", "presses": 2})

    def test_it_counts_down_only_once_somebody_has_begun_and_the_first_question_is_there_again(self):
        daemon, dialog = self.standing(PAGES, more=("--idle-reset", "12"))
        dialog.press("radio button", "Good")
        dialog.press("push button", "Next")
        dialog.find("radio button", "Queue")
        dialog.wait_for_text(QUESTION)
        dialog.find("radio button", "Great")
        dialog.wait_until_gone(lambda node: QUESTION in node.get_name(), "the countdown")
        self.assertFalse(dialog.is_checked("radio button", "Good"))
        wait_until(lambda: daemon.call("survey.results", surveyId="faces")["abandoned"] == 1, "somebody left", PATIENCE)
        # Longer than the time until it would start over: nobody has begun, so nobody is asked to go on.
        begun = self.history(daemon, "faces")[-1]["presentationId"]
        seen = []

        def is_late():
            seen.append(dialog.has_text(QUESTION))
            return len(seen) > 3 and time.monotonic() > deadline

        deadline = time.monotonic() + 14
        wait_until(is_late, "the time in which somebody would have left", PATIENCE)
        self.assertNotIn(True, seen)
        self.assertEqual(self.history(daemon, "faces")[-1]["presentationId"], begun)

    def test_another_survey_comes_between_and_the_faces_are_there_again(self):
        daemon, dialog = self.standing(FACES, OTHER)
        dialog.find("push button", "Good")
        self.come(daemon, "other")
        dialog.press("push button", "Good")
        dialog.press("push button", "Yes")
        dialog.press("push button", "Great")
        wait_until(lambda: [answer["option"] for answer in daemon.responses()] == ["Good", "Yes", "Great"],
                   "all three count", PATIENCE)

    def test_a_survey_that_does_not_come_leaves_the_page_of_rest_and_is_told(self):
        daemon, dialog = self.standing(OTHER)
        dialog.find("heading", "Welcome!")
        self.come(daemon, "other")
        dialog.press("push button", "Yes")
        dialog.find("alert", "Thank You")
        dialog.find("heading", "Welcome!")
        dialog.process.terminate()
        self.assert_ends(dialog)
        self.assertEqual(dialog.errors.count("'hark explain faces' says why"), 1)


if __name__ == "__main__":
    unittest.main()
