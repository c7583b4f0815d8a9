"""Visitors of a kiosk: what one of them leaves, the next does not see."""

import unittest

from kiosk import QUESTION, SOON, KioskScene, pixels, touch
from scene import survey, wait_until
from screen import PATIENCE
from test_languages import FOLDER, catalogues
from test_surveys import COMBINED, OPTIONS, QUESTIONS

TRANSLATED = survey("translated", "How was it?", response={"type": "options", "options": ["Yes", "No"]}, translations={
    "de": {"title": "Wie war es?", "options": ["Ja", "Nein"]}, "ar": {"title": "كيف كان؟", "options": ["نعم", "لا"]}})


class Visitors(KioskScene):
    def test_the_second_visitor_sees_nothing_of_the_first_who_leaves_in_the_middle(self):
        daemon = self.daemon(QUESTIONS, COMBINED)
        nothing = pixels()
        # Longer than a slow machine takes to look twice before it counts down.
        dialog = self.kiosk(daemon, "--idle-reset", "24")
        rest = self.settled(nothing)
        self.come(daemon, "questions")
        dialog.find("radio button", "Café")
        fresh = self.settled(rest)
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.press("check box", "B")
        wait_until(lambda: self.history(daemon, "questions")[0].get("answers"), "the first answer is kept", PATIENCE)
        dialog.wait_for_text(QUESTION)
        self.until_rest(dialog)
        wait_until(lambda: pixels() == rest, "the rest page as it was", PATIENCE)
        wait_until(lambda: self.history(daemon, "questions")[0]["state"] == "dismissed", "the daemon knows", PATIENCE)
        # What counts is how far the first got.
        results = daemon.call("survey.results", surveyId="questions")
        self.assertEqual((results["shown"], results["abandoned"], results["answered"]), (1, 1, 0))
        ways = {way["questionId"]: (way["answered"], way["left"]) for way in results["dropOff"]}
        self.assertEqual((ways["single"], ways["multiple"]), ((1, 0), (0, 1)))
        # The second one begins at the beginning, and nothing is chosen.
        self.until_next_visit(daemon, self.history(daemon, "questions")[0])
        self.come(daemon, "questions")
        dialog.find("radio button", "Café")
        self.assertFalse(dialog.is_checked("radio button", "Café"))
        wait_until(lambda: pixels() == fresh, "the first page as the first visitor saw it", PATIENCE)
        dialog.press("radio button", "Garden")
        dialog.press("push button", "Next")
        dialog.find("alert", "Thank You")
        self.until_rest(dialog)
        self.assertEqual(daemon.answers(), {"single": "Garden"})
        first, second = self.history(daemon, "questions")
        self.assertNotEqual(first["sessionId"], second["sessionId"])
        self.assertEqual({first["times"]["surface"], second["times"]["surface"]}, {"kiosk"})

    def test_a_survey_that_is_higher_than_the_screen_is_shown_from_its_question_on(self):
        options = [f"{number}: {'much to say about it ' * 4}" for number in range(1, 13)]
        daemon = self.daemon(survey("high", "How was it, all in all?", response={"type": "options", "options": options}))
        dialog = self.kiosk(daemon, "--idle-reset", "60")
        self.come(daemon, "high")
        dialog.find("heading", "How was it, all in all?")
        # The question gets the focus a moment later, once keys count.
        dialog.focus()
        self.assertGreaterEqual(dialog.box("heading", "How was it, all in all?").y, 0)

    def test_what_was_half_written_is_gone_as_well(self):
        daemon = self.daemon(COMBINED)
        dialog = self.kiosk(daemon, *SOON)
        self.come(daemon, "combined")
        dialog.press("radio button", "Great")
        dialog.write("Tell us more", "My secret")
        self.until_rest(dialog)
        self.until_left(daemon, "combined")
        self.come(daemon, "combined")
        dialog.find("radio button", "Great")
        self.assertFalse(dialog.is_checked("radio button", "Great"))
        self.assertNotIn("My secret", dialog.tree())
        dialog.find("label", "0/200")
        self.assertEqual(daemon.call("survey.results", surveyId="combined")["abandoned"], 1)

    def test_a_touch_stops_the_countdown(self):
        daemon = self.daemon(COMBINED)
        dialog = self.kiosk(daemon, *SOON)
        for _ in range(5):
            self.come(daemon, "combined")
            dialog.press("radio button", "Great")
            alert = dialog.until(
                lambda: dialog.first(lambda node: node.get_role_name() == "alert" and QUESTION in node.get_name()), QUESTION)
            self.assertIn("Touch the screen, or it starts over in", alert.get_name())
            touch()
            dialog.wait_until_gone(lambda node: QUESTION in node.get_name(), "the countdown")
            # Where the machine had so much else to do that the touch came too late, once more.
            if dialog.is_checked("radio button", "Great"):
                break
            self.until_rest(dialog)
            self.until_left(daemon, "combined")
        # It counts down anew.
        dialog.wait_for_text(QUESTION)
        dialog.press("push button", "Submit")
        dialog.find("alert", "Thank You")
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Great"])

    def test_presses_right_after_an_answer_do_not_count_and_what_comes_meanwhile_waits(self):
        daemon = self.daemon(OPTIONS, COMBINED)
        dialog = self.kiosk(daemon, "--min-gap", "8")
        self.come(daemon, "options")
        dialog.find("push button", "Good")
        self.come(daemon, "combined")
        dialog.focus()
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        touch()
        dialog.keys("1", "Return")
        dialog.find("heading", "Welcome!")
        # The next one's screen is as it would be without that.
        dialog.find("radio button", "Great")
        self.assertFalse(any(dialog.is_checked("radio button", name) for name in ("Poor", "Fair", "Good", "Great")))
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good"])
        ignored = wait_until(
            lambda: daemon.call("event.list", name="survey_ignored")["events"], "what did not count is told", PATIENCE)
        self.assertEqual(ignored[0]["properties"], {"id": "options", "presses": 3})
        answered, shown = self.history(daemon, "options")[0], self.history(daemon, "combined")[0]
        self.assertNotEqual(shown["sessionId"], answered["sessionId"])
        gap = self.seconds(shown["presentedAt"]) - self.seconds(answered["closedAt"])
        self.assertGreater(gap % 86_400, 7.5)

    @staticmethod
    def seconds(time):
        hours, minutes, seconds = time[11:-1].split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)

    def test_each_visitor_chooses_a_language_and_the_next_has_the_usual_one(self):
        list(catalogues())
        daemon = self.daemon(TRANSLATED)
        dialog = self.kiosk(
            daemon, "--languages", "en,de,ar", environment={"TEXTDOMAINDIR": str(FOLDER), "LC_ALL": "en_GB.UTF-8"})
        dialog.wait_for_check("radio button", "English")
        left = dialog.left_edge("radio button", "English")
        for language, title, option, thanks in (
                ("Deutsch", "Wie war es?", "Ja", "Vielen Dank"), ("العربية", "كيف كان؟", "نعم", "شكرًا لك"),
                (None, "How was it?", "Yes", "Thank You")):
            if language:
                dialog.press("radio button", language)
                dialog.wait_for_check("radio button", language)
            if language == "العربية":
                # It is read from right to left.
                dialog.until(lambda: dialog.left_edge("radio button", "English") > left, "the page to turn round")
            self.come(daemon, "translated")
            dialog.find("heading", title)
            dialog.press("push button", option)
            dialog.wait_for_text(thanks)
            dialog.wait_until_gone(lambda node: thanks in node.get_name(), "the thanks")
            dialog.wait_for_check("radio button", "English")
            dialog.until(lambda: dialog.left_edge("radio button", "English") == left, "the usual direction")
            dialog.until(lambda: dialog.is_sensitive("radio button", "Deutsch"), "the next visitor's turn")
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Yes"] * 3)
        languages = [shown.get("language") for shown in self.history(daemon, "translated")]
        self.assertEqual(languages, ["de", "ar", "en_GB.UTF-8"])

    def test_a_language_that_nobody_makes_use_of_is_given_up(self):
        daemon = self.daemon(TRANSLATED)
        dialog = self.kiosk(daemon, "--languages", "en,de", *SOON)
        dialog.press("radio button", "Deutsch")
        dialog.wait_for_check("radio button", "Deutsch")
        dialog.wait_for_check("radio button", "English")
        self.come(daemon, "translated")
        dialog.find("heading", "How was it?")


if __name__ == "__main__":
    unittest.main()
