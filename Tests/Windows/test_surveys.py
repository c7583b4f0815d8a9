"""Every kind of survey, answered with a screen reader alone and with keys alone; the daemon tells what came of it."""

import unittest

from scene import Scene, survey

QUESTIONS = survey("questions", questions=[
    {"id": "single", "type": "single", "question": "Which one?", "options": ["Library", "Café", "Garden"],
     "next": [{"when": "Garden", "to": "end"}]},
    {"id": "multiple", "type": "multiple", "question": "Which ones?", "options": ["A", "B", "C"], "maxSelections": 2},
    {"id": "rating", "type": "rating", "question": "How was it?", "scale": 5},
    {"id": "nps", "type": "nps", "question": "Would you recommend it?"},
    {"id": "text", "type": "text", "question": "Why?", "required": False, "maxLength": 50}])
OPTIONS = survey("options", response={"type": "options", "options": ["Poor", "Good", "Great"]})
LIST = survey("list", response={"type": "options", "options": ["A long answer that fits below no face", "Another"]})
TEXT = survey("text", response={"type": "text", "placeholder": "Your thoughts", "minLength": 5, "maxLength": 20,
                                "submitLabel": "Send feedback"})
SCALE = survey("scale", questions=[{"id": "scale", "type": "rating", "question": "How was it?", "scale": 10}])
ENDS = survey("ends", thanks={"title": "See you soon", "message": "The next coffee is on us."}, questions=[
    {"id": "nps", "type": "nps", "question": "Would you recommend it?", "lowLabel": "Never", "highLabel": "Surely"},
    {"id": "stars", "type": "rating", "question": "How was it?", "shape": "stars"},
    {"id": "thumbs", "type": "rating", "question": "Again?", "shape": "thumbs", "labels": ["No", "Yes"]}])
COMBINED = survey("combined", response={
    "type": "combined", "options": ["Poor", "Fair", "Good", "Great", "Excellent"], "optionsLabel": "Your rating?",
    "textField": {"label": "Tell us more", "maxLength": 200}})


class WithAScreenReader(Scene):
    """Names and actions of the accessibility tree, and nothing else."""

    def test_options_answer_at_once(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"))
        dialog.press("push button", "Good")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [{"id": "options", "type": "choice", "option": "Good"}])

    def test_long_options_are_buttons_as_well(self):
        daemon = self.daemon(LIST)
        dialog = self.dialog(daemon, daemon.ask("list"))
        dialog.press("push button", "Another")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["option"], "Another")

    def test_a_text_is_sent_once_it_keeps_the_rules(self):
        daemon = self.daemon(TEXT)
        dialog = self.dialog(daemon, daemon.ask("text"))
        dialog.find("push button", "Send feedback")
        self.assertFalse(dialog.is_sensitive("push button", "Send feedback"))
        dialog.write("Your thoughts", "Kin")
        alert = dialog.find("alert", "Write at least 5 characters, 2 more.")
        text = dialog.find("text", "Your thoughts")
        self.assertEqual(text.get_description(), alert.get_name())
        self.assertTrue(dialog.is_invalid(text))
        self.assertFalse(dialog.is_sensitive("push button", "Send feedback"))
        dialog.write("Your thoughts", "  Fast and ")
        dialog.find("label", "12/20")
        self.assertFalse(dialog.is_invalid(text))
        dialog.press("push button", "Send feedback")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [{"id": "text", "type": "text", "text": "Fast and Kin"}])

    def test_a_rating_and_a_text(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, daemon.ask("combined"))
        dialog.find("radio button", "Great")
        self.assertFalse(dialog.is_sensitive("push button", "Submit"))
        dialog.press("radio button", "Fair")
        dialog.press("radio button", "Great")
        dialog.wait_for_check("radio button", "Great")
        self.assertFalse(dialog.is_checked("radio button", "Fair"))
        dialog.write("Tell us more", "Kind.")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [
            {"id": "combined", "type": "text", "text": "Great||Kind.", "option": "Great", "comment": "Kind."}])

    def test_questions_of_every_kind(self):
        daemon = self.daemon(QUESTIONS)
        dialog = self.dialog(daemon, daemon.ask("questions"))
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.press("check box", "A")
        dialog.press("check box", "C")
        dialog.press("check box", "B")
        dialog.find("alert", "Choose at most 2, not 3.")
        dialog.press("check box", "A")
        dialog.press("push button", "Next")
        dialog.press("radio button", "4")
        dialog.press("push button", "Next")
        dialog.press("radio button", "10")
        dialog.press("push button", "Next")
        dialog.write("Why?", "Sun")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(
            daemon.answers(),
            {"single": "Café", "multiple": "B||C", "rating": 4, "nps": 10, "text": "Sun"})

    def test_the_ends_of_a_scale_are_described_and_the_thanks_are_the_surveys_own(self):
        daemon = self.daemon(ENDS)
        dialog = self.dialog(daemon, daemon.ask("ends"))
        self.assertEqual(dialog.find("radio button", "0").get_description(), "Never")
        self.assertEqual(dialog.find("radio button", "10").get_description(), "Surely")
        self.assertEqual(dialog.find("radio button", "5").get_description(), "")
        dialog.press("radio button", "10")
        dialog.press("push button", "Next")
        dialog.wait_until_gone(lambda node: node.get_name() == "10", "the page of before")
        dialog.press("radio button", "4")
        dialog.press("push button", "Next")
        dialog.press("radio button", "Yes")
        dialog.press("push button", "Submit")
        dialog.find("alert", "See you soon")
        dialog.find("label", "The next coffee is on us.")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"nps": 10, "stars": 4, "thumbs": 2})

    def test_a_branch_ends_it_and_the_way_back_keeps_answers(self):
        daemon = self.daemon(QUESTIONS)
        dialog = self.dialog(daemon, daemon.ask("questions"))
        dialog.press("radio button", "Library")
        dialog.press("push button", "Next")
        dialog.find("check box", "A")
        # What was answered is with the daemon already.
        self.assertEqual(daemon.pending("questions")[0]["answers"], {"single": "Library"})
        dialog.press("push button", "Previous")
        dialog.wait_for_check("radio button", "Library")
        dialog.press("radio button", "Garden")
        dialog.press("push button", "Next")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"single": "Garden"})


class WithKeys(Scene):
    def opened(self, survey):
        daemon = self.daemon(survey)
        dialog = self.dialog(daemon, daemon.ask(survey["id"]))
        dialog.focus()
        return daemon, dialog

    def test_a_digit_answers_options(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.keys("3")
        dialog.wait_for_text("Thank You")
        dialog.keys("Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["option"], "Great")

    def test_keys_for_another_window_answer_nothing(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"))
        dialog.activate()
        # They come before it is there, while it comes, and (Return, Space) where something might have the focus.
        dialog.keys("2", "Return", "space", "Tab", "3", "Escape")
        dialog.focus()
        self.assertEqual(dialog.focused().get_role_name(), "panel")
        dialog.keys("Return", "space")
        self.assertEqual(daemon.responses(), [])
        self.assertEqual(daemon.pending("options")[0]["state"], "presented")
        # It is the same survey, which still can be answered.
        dialog.keys("Right", "Return")
        self.assert_ends(dialog)
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Poor"])

    def test_arrows_and_enter_answer_options(self):
        daemon, dialog = self.opened(OPTIONS)
        dialog.keys("Right", "Right", "Right", "Left", "Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["option"], "Good")

    def test_a_text_is_sent_by_control_enter(self):
        daemon, dialog = self.opened(TEXT)
        dialog.type("abc")
        dialog.keys("ctrl+Return")
        dialog.find("alert", "Write at least 5 characters, 2 more.")
        dialog.keys("Return")
        dialog.type("12")
        dialog.find("label", "6/20")
        dialog.keys("ctrl+Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], "abc\n12")

    def test_a_rating_and_a_text_by_tab(self):
        daemon, dialog = self.opened(COMBINED)
        dialog.keys("4", "Left", "Tab")
        # A digit is a letter where one writes.
        dialog.type("2 stars")
        dialog.find("label", "7/200")
        dialog.keys("Tab", "space")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], "Good||2 stars")

    def test_a_scale_to_ten_takes_both_digits_of_its_last(self):
        daemon, dialog = self.opened(SCALE)
        dialog.find("radio button", "10")
        dialog.keys("1", "0")
        dialog.wait_for_check("radio button", "10")
        dialog.keys("ctrl+Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"scale": 10})

    def test_questions_of_every_kind(self):
        daemon, dialog = self.opened(QUESTIONS)
        dialog.keys("Down", "Down")
        dialog.wait_for_check("radio button", "Café")
        dialog.keys("Return")
        dialog.find("check box", "A")
        dialog.keys("2", "space", "Down", "Home", "space")
        dialog.wait_for_check("check box", "A")
        dialog.keys("b")
        dialog.keys("Return")
        dialog.find("radio button", "5")
        dialog.keys("End", "Return")
        dialog.find("radio button", "10")
        dialog.keys("0", "Return")
        dialog.find("text", "Why?")
        dialog.type("Rain")
        dialog.find("label", "4/50")
        dialog.keys("ctrl+Return")
        self.assert_ends(dialog)
        self.assertEqual(
            daemon.answers(),
            {"single": "Café", "multiple": "A", "rating": 5, "nps": 0, "text": "Rain"})


if __name__ == "__main__":
    unittest.main()
