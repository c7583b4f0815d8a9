"""An answer that is changed in the thanks for it."""

import unittest

from kiosk import KioskScene
from scene import STATE, Scene, wait_until
from screen import PATIENCE
from test_languages import FOLDER, catalogues
from test_surveys import COMBINED, OPTIONS, QUESTIONS

# Thanks stay as long as the slowest machine takes to press a button.
LONG = {"HARK_THANKS_SECONDS": "900"}


def changeable(survey):
    return {**survey, "changeableSeconds": 3600}


class Changing(Scene):
    # Some open a window more than once.
    PATIENCE = 240

    def opened(self, survey, environment=None):
        daemon = self.daemon(changeable(survey))
        return daemon, self.dialog(daemon, daemon.ask(survey["id"]), environment={**LONG, **(environment or {})})

    def versions(self, daemon, name):
        return [one.get("answers") for one in
                daemon.call("survey.history", surveyId=name, allVersions=True)["presentations"]]

    def test_options_are_changed_as_often_as_somebody_likes(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.press("push button", "Good")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        # What was answered is marked, and has the focus.
        good = dialog.find("push button", "Good")
        dialog.until(lambda: good.get_state_set().contains(STATE.PRESSED), "the answer to be marked")
        self.assertFalse(dialog.find("push button", "Poor").get_state_set().contains(STATE.PRESSED))
        for name in ("Later", "Don't Ask Again"):
            self.assertIsNone(dialog.look("push button", name))
        dialog.press("push button", "Great")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        dialog.press("push button", "Poor")
        dialog.find("push button", "Change Answer")
        self.assertEqual(self.versions(daemon, "options"), [{"option": name} for name in ("Good", "Great", "Poor")])
        dialog.focus()
        dialog.keys("Escape")
        self.assert_ends(dialog)
        self.assertEqual(daemon.call("survey.results", surveyId="options")["answered"], 1)

    def test_what_was_written_is_there_and_what_is_taken_out_of_it_goes(self):
        daemon, dialog = self.opened(COMBINED)
        dialog.press("radio button", "Great")
        dialog.write("Tell us more", "Kind.")
        dialog.press("push button", "Submit")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        dialog.wait_for_check("radio button", "Great")
        dialog.find("label", "5/200")
        dialog.focus()
        # Where one writes; all of it goes.
        dialog.keys("Tab", "ctrl+a", "BackSpace")
        dialog.find("label", "0/200")
        dialog.press("push button", "Submit")
        dialog.find("push button", "Change Answer")
        self.assertEqual(self.versions(daemon, "combined"), [{"option": "Great", "text": "Kind."}, {"option": "Great"}])

    def test_pages_follow_the_way_of_the_changed_answers(self):
        daemon, dialog = self.opened(QUESTIONS)
        dialog.press("radio button", "Garden")
        dialog.press("push button", "Next")
        dialog.press("push button", "Change Answer")
        dialog.wait_for_check("radio button", "Garden")
        dialog.press("radio button", "Library")
        dialog.press("push button", "Next")
        dialog.press("check box", "B")
        self.assertEqual(self.versions(daemon, "questions"), [{"single": "Garden"}])
        dialog.press("push button", "Next")
        dialog.press("radio button", "4")
        dialog.press("push button", "Next")
        dialog.press("radio button", "10")
        dialog.press("push button", "Next")
        dialog.find("text", "Why?")
        dialog.press("push button", "Submit")
        dialog.find("push button", "Change Answer")
        self.assertEqual(self.versions(daemon, "questions")[1:],
                         [{"single": "Library", "multiple": ["B"], "rating": 4, "nps": 10}])

    def test_cancel_and_escape_leave_it_as_it_was(self):
        daemon = self.daemon(changeable(COMBINED))
        for leave in (lambda dialog: dialog.press("push button", "Cancel"), lambda dialog: dialog.keys("Escape")):
            dialog = self.dialog(daemon, daemon.ask("combined"), environment=LONG)
            dialog.press("radio button", "Great")
            dialog.press("push button", "Submit")
            dialog.press("push button", "Change Answer")
            dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
            dialog.press("radio button", "Poor")
            dialog.wait_for_check("radio button", "Poor")
            dialog.write("Tell us more", "Oh no")
            dialog.focus()
            leave(dialog)
            self.assert_ends(dialog)
            self.assertEqual(self.versions(daemon, "combined"), [{"option": "Great"}])
            daemon.call("event.clear", all=True)

    def test_enter_and_space_close_the_thanks_as_escape_does(self):
        daemon = self.daemon(changeable(OPTIONS))
        for key in ("Return", "space", "Escape"):
            dialog = self.dialog(daemon, daemon.ask("options"), environment=LONG)
            dialog.find("push button", "Good")
            dialog.focus()
            dialog.keys("2")
            dialog.find("push button", "Change Answer")
            dialog.keys("x", "Down", key)
            self.assert_ends(dialog)
            daemon.call("survey.reset")
        self.assertEqual(self.versions(daemon, "options"), [{"option": "Good"}] * 3)

    def test_after_tab_enter_and_space_press_the_button(self):
        daemon = self.daemon(changeable(OPTIONS))
        for key in ("Return", "space"):
            dialog = self.dialog(daemon, daemon.ask("options"), environment=LONG)
            dialog.find("push button", "Good")
            dialog.focus()
            dialog.keys("2")
            button = dialog.find("push button", "Change Answer")
            dialog.keys("Tab")
            dialog.until(lambda: button.get_state_set().contains(STATE.FOCUSED), "the focus on the button")
            dialog.keys(key)
            dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
            good = dialog.find("push button", "Good")
            dialog.until(lambda: good.get_state_set().contains(STATE.FOCUSED), "the focus on the answer")
            dialog.keys("3")
            dialog.find("push button", "Change Answer")
            dialog.keys("Escape")
            self.assert_ends(dialog)
            daemon.call("survey.reset")
        self.assertEqual(self.versions(daemon, "options"), [{"option": "Good"}, {"option": "Great"}] * 2)

    def test_a_daemon_that_is_away_meanwhile_takes_the_change_once_it_is_back(self):
        daemon, dialog = self.opened(COMBINED)
        dialog.press("radio button", "Great")
        dialog.press("push button", "Submit")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        daemon.kill()
        dialog.wait_for_text("The daemon is away; your text stays here.")
        dialog.press("radio button", "Poor")
        daemon.start()
        dialog.wait_until_gone(lambda node: "The daemon is away" in node.get_name(), "the notice")
        dialog.press("push button", "Submit")
        dialog.find("push button", "Change Answer")
        self.assertEqual(self.versions(daemon, "combined"), [{"option": "Great"}, {"option": "Poor"}])

    def test_what_may_not_be_changed_any_more_says_why_and_stays(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.press("push button", "Good")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        shown = daemon.call("survey.history", surveyId="options")["presentations"][0]["presentationId"]
        daemon.call("survey.change", presentationId=shown, takeBack=True)
        dialog.press("push button", "Great")
        dialog.wait_for_text("These answers were changed already")
        dialog.press("push button", "Cancel")
        self.assert_ends(dialog)

    def test_told_to_end_it_says_that_it_was_answered(self):
        for presses in ([], ["Change Answer"]):
            daemon, dialog = self.opened(OPTIONS)
            dialog.press("push button", "Good")
            dialog.find("push button", "Change Answer")
            for name in presses:
                dialog.press("push button", name)
                dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
                dialog.find("push button", "Cancel")
            dialog.process.terminate()
            self.assert_ends(dialog)

    def test_where_answers_stay_there_is_no_button(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"), environment={"HARK_THANKS_SECONDS": "3"})
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        self.assertFalse(dialog.has_text("Change Answer"))
        self.assert_ends(dialog)

    def test_a_window_that_waits_goes_on_with_the_next_survey(self):
        daemon = self.daemon(changeable(OPTIONS), COMBINED)
        dialog = self.dialog(daemon, "--wait", environment=LONG)
        daemon.ask("options")
        dialog.press("push button", "Good")
        dialog.press("push button", "Change Answer")
        dialog.wait_until_gone(lambda node: node.get_name() == "Change Answer", "the thanks")
        # It comes while somebody changes what was answered, and waits.
        daemon.call("event.record", name="combined", properties={})
        dialog.press("push button", "Great")
        dialog.find("push button", "Change Answer")
        dialog.focus()
        dialog.keys("Escape")
        dialog.press("radio button", "Fair")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assertEqual(self.versions(daemon, "options"), [{"option": "Good"}, {"option": "Great"}])
        wait_until(lambda: self.versions(daemon, "combined") == [{"option": "Fair"}], "the next is answered", PATIENCE)

    def test_the_word_is_in_the_desktops_language(self):
        list(catalogues())
        _, dialog = self.opened(OPTIONS, {"LC_ALL": "de_DE.UTF-8", "TEXTDOMAINDIR": str(FOLDER)})
        dialog.press("push button", "Good")
        dialog.press("push button", "Antwort ändern")
        dialog.press("push button", "Abbrechen")
        self.assert_ends(dialog)


class Kiosk(KioskScene):
    def test_no_visitor_changes_what_the_one_before_has_answered(self):
        daemon = self.daemon(changeable(OPTIONS))
        dialog = self.kiosk(daemon, environment=LONG)
        self.come(daemon, "options")
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        self.assertFalse(dialog.has_text("Change Answer"))
        dialog.focus()
        dialog.keys("Tab", "Return")
        self.until_rest(dialog)
        self.assertEqual(len(daemon.responses()), 1)

    def test_tried_on_a_desktop_it_asks_what_was_answered_there_and_forgets_nothing(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"))
        dialog.press("push button", "Good")
        self.assert_ends(dialog)
        dialog = self.kiosk(daemon)
        self.come(daemon, "options")
        dialog.press("push button", "Poor")
        dialog.find("alert", "Thank You")
        self.until_rest(dialog)
        dialog.end()
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Good", "Poor"])

        def completion():
            checks = daemon.call("survey.explain", surveyId="options")["checks"]
            return next(check["passed"] for check in checks if check["check"] == "completion")

        wait_until(lambda: completion() is False, "limits hold again", PATIENCE)


if __name__ == "__main__":
    unittest.main()
