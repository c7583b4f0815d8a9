"""Numbers, scales, yes and no, and notes, answered with a screen reader alone and with keys alone."""

import datetime
import unittest

from scene import Scene, survey
from screen import Atspi

KINDS = survey("kinds", questions=[
    {"id": "hello", "type": "note", "question": "Three short questions."},
    {"id": "slept", "type": "number", "question": "How long did you sleep?", "min": 0, "max": 24, "unit": "h"},
    {"id": "pain", "type": "scale", "question": "How strong is it?", "labels": {"0": "none", "100": "worst"}},
    {"id": "took", "type": "yes-no", "question": "Did you take it?"},
    {"id": "visit", "type": "csat", "question": "And the visit?", "shape": "numbers"}])
ANSWERS = {"id": "kinds", "type": "questions", "answer.slept": 7.5, "answer.pain": 12, "answer.took": "no", "answer.visit": 4}


class Kinds(Scene):
    def test_with_a_screen_reader_alone(self):
        daemon = self.daemon(KINDS)
        dialog = self.dialog(daemon, daemon.ask("kinds"))
        dialog.wait_for_text("Three short questions.")
        dialog.press("push button", "Next")
        dialog.write("How long did you sleep?", "1e5")
        dialog.find("alert", "Write all digits of the number, without an “e”.")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        field = dialog.find("text", "How long did you sleep?")
        self.assertTrue(dialog.is_invalid(field))
        Atspi.EditableText.delete_text(field, 0, -1)
        dialog.write("How long did you sleep?", "7,5")
        dialog.press("push button", "Next")
        slider = dialog.find("slider", "How strong is it?")
        # Nothing is chosen before it is touched.
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        Atspi.Value.set_current_value(slider, 0)
        dialog.wait_for_text("0: none")
        Atspi.Value.set_current_value(slider, 12)
        dialog.press("push button", "Next")
        dialog.press("radio button", "No")
        dialog.press("push button", "Next")
        dialog.press("radio button", "Satisfied")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [ANSWERS])

    def test_with_keys_alone(self):
        daemon = self.daemon(KINDS)
        dialog = self.dialog(daemon, daemon.ask("kinds"))
        dialog.wait_for_text("Three short questions.")
        dialog.focus()
        dialog.keys("Return")
        dialog.find("text", "How long did you sleep?")
        dialog.type("25")
        dialog.keys("Return")
        dialog.find("alert", "Write a number from 0 to 24.")
        dialog.keys("BackSpace", "BackSpace")
        dialog.type("7.5")
        dialog.keys("Return")
        dialog.find("slider", "How strong is it?")
        dialog.keys("Right")
        dialog.wait_for_text("0: none")
        dialog.keys("End")
        dialog.wait_for_text("100: worst")
        dialog.keys("Home", "Page_Up", "Up", "Right", "Right", "Down")
        dialog.wait_for_text("12")
        dialog.keys("Return")
        dialog.find("radio button", "Yes")
        dialog.keys("n", "Return")
        dialog.find("radio button", "Satisfied")
        dialog.keys("4", "Return")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [ANSWERS])

    def test_right_to_left_the_arrows_go_the_other_way_and_numbers_are_arabic(self):
        daemon = self.daemon(survey("arabic", title="كيف حالك؟", message="أخبرنا.", questions=[
            {"id": "pain", "type": "scale", "question": "ما شدة الألم؟", "max": 20},
            {"id": "count", "type": "number", "question": "كم؟"}]))
        dialog = self.dialog(daemon, daemon.ask("arabic"), environment={"LC_ALL": "ar_EG.UTF-8"})
        dialog.find("slider", "ما شدة الألم؟")
        dialog.focus()
        dialog.keys("Home", "Left", "Left", "Right")
        dialog.wait_for_text("1")
        dialog.keys("Return")
        dialog.write("كم؟", "٣٫٥")
        dialog.keys("Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [{"id": "arabic", "type": "questions", "answer.pain": 1, "answer.count": 3.5}])

    def test_dates_and_times_by_a_screen_reader_by_keys_and_by_the_calendar(self):
        daemon = self.daemon(survey("when", questions=[
            {"id": "born", "type": "date", "question": "When were you born?", "max": "-18y"},
            {"id": "woke", "type": "time", "question": "When did you wake?"},
            {"id": "next", "type": "date", "question": "When next?"}]))
        dialog = self.dialog(daemon, daemon.ask("when"))
        dialog.write("When were you born?", "31.2.2000")
        dialog.find("alert", "2000-02 has 29 days.")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        field = dialog.find("text", "When were you born?")
        self.assertTrue(dialog.is_invalid(field))
        Atspi.EditableText.delete_text(field, 0, -1)
        dialog.write("When were you born?", "29.2.2000")
        dialog.press("push button", "Next")
        dialog.find("text", "When did you wake?")
        dialog.focus()
        dialog.type("6:45")
        dialog.keys("Return")
        dialog.find("text", "When next?")
        # The calendar comes up on the day that it is.
        dialog.keys("Tab", "space")
        dialog.wait_for_text(str(datetime.date.today().year))
        dialog.keys("Right", "space", "Escape")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        [answers] = daemon.responses()
        self.assertEqual((answers["answer.born"], answers["answer.woke"]), ("2000-02-29", "06:45"))
        self.assertRegex(answers["answer.next"], "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")

    def test_a_ranking_by_a_screen_reader_and_by_keys_and_a_consent(self):
        daemon = self.daemon(survey("order", questions=[
            {"id": "agree", "type": "consent", "question": "May we keep your answers?"},
            {"id": "first", "type": "ranking", "question": "What first?", "options": ["Lift", "Stairs", "Doors"], "top": 2},
            {"id": "then", "type": "ranking", "question": "And then?", "options": ["Lift", "Stairs"]},
            {"id": "used", "type": "multiple", "question": "What did you use?", "options": ["Lift", "Stairs", "None"],
             "exclusive": ["None"]}]))
        dialog = self.dialog(daemon, daemon.ask("order"))
        dialog.find("radio button", "I agree")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        dialog.press("radio button", "I agree")
        dialog.press("push button", "Next")
        dialog.wait_for_text("Choose 2 in your order, the best first")
        dialog.press("check box", "Doors")
        dialog.wait_for_text("1.")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        dialog.press("check box", "Lift")
        dialog.wait_for_text("2.")
        dialog.press("push button", "Next")
        dialog.wait_for_text("Choose all in your order, the best first")
        dialog.focus()
        dialog.keys("2", "1")
        dialog.wait_for_text("2.")
        dialog.keys("Return")
        dialog.find("check box", "None")
        dialog.keys("1", "2", "3", "Return")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        [answers] = daemon.responses()
        self.assertEqual(answers["answer.agree"], "yes")
        self.assertEqual([answers[f"answer.{id}"] for id in ("first", "then", "used")], ["Doors||Lift", "Stairs||Lift", "None"])

    def test_a_text_of_a_form_says_what_is_wrong_with_it(self):
        daemon = self.daemon(survey("form", questions=[
            {"id": "zip", "question": "Your ZIP code?", "pattern": "[0-9]{5}", "patternMessage": "Five digits, please."},
            {"id": "word", "question": "A word?", "pattern": "[a-z]+"}]))
        dialog = self.dialog(daemon, daemon.ask("form"))
        dialog.write("Your ZIP code?", "1234")
        dialog.find("alert", "Five digits, please.")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        self.assertTrue(dialog.is_invalid(dialog.find("text", "Your ZIP code?")))
        dialog.focus()
        dialog.keys("End")
        dialog.type("5")
        dialog.keys("Return")
        dialog.write("A word?", "Two words")
        dialog.find("alert", "Write the answer in the requested form.")
        Atspi.EditableText.delete_text(dialog.find("text", "A word?"), 0, -1)
        dialog.write("A word?", "one")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        [answers] = daemon.responses()
        self.assertEqual((answers["answer.zip"], answers["answer.word"]), ("12345", "one"))

    def test_other_has_a_line_once_it_is_chosen(self):
        daemon = self.daemon(survey("came", questions=[
            {"id": "came", "type": "single", "question": "How did you come?", "options": ["By bus", "On foot"], "other": True},
            {"id": "used", "type": "multiple", "question": "What did you use?", "options": ["Lift"], "other": "Something else"},
            {"id": "last", "type": "yes-no", "question": "Again?"}]))
        dialog = self.dialog(daemon, daemon.ask("came"))
        # With a screen reader alone.
        dialog.press("radio button", "Other")
        dialog.find("text", "Other")
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        dialog.press("radio button", "By bus")
        dialog.wait_until_gone(lambda node: (node.get_role_name(), node.get_name()) == ("text", "Other"), "the line")
        dialog.press("radio button", "Other")
        dialog.write("Other", "By boat")
        dialog.press("push button", "Next")
        # With keys alone: the line comes behind the option that Space takes.
        dialog.find("check box", "Something else")
        dialog.focus()
        dialog.keys("1", "2")
        dialog.find("text", "Something else")
        dialog.keys("Tab")
        dialog.type("A 2nd rope")
        dialog.keys("Return")
        dialog.find("radio button", "Yes")
        dialog.press("push button", "Previous")
        dialog.wait_for_check("check box", "Something else")
        dialog.find("text", "Something else")
        dialog.press("push button", "Next")
        # A page that still turns takes no press.
        again = ("radio button", "Yes")
        dialog.until(lambda: dialog.is_checked(*again) or dialog.press(*again), "a choice on the page that came back")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        [answers] = daemon.responses()
        self.assertEqual((answers["answer.came"], answers["answer.came.other"]), ("other", "By boat"))
        self.assertEqual((answers["answer.used"], answers["answer.used.other"]), ("Lift||other", "A 2nd rope"))

    def test_the_keys_are_those_of_the_order_that_is_seen(self):
        names = list("abcdefgh")
        daemon = self.daemon(survey("order", questions=[
            {"id": "one", "type": "single", "question": "Which?", "options": names, "shuffle": True, "other": True}]))
        dialog = self.dialog(daemon, daemon.ask("order"))
        dialog.find("radio button", "a")
        seen = [node.get_name() for node in dialog.nodes() if node.get_role_name() == "radio button"]
        self.assertEqual(sorted(seen[:8]), names)
        self.assertEqual(seen[8], "Other")
        dialog.focus()
        dialog.keys("3")
        dialog.wait_for_check("radio button", seen[2])
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        [answers] = daemon.responses()
        self.assertEqual(answers["answer.one"], seen[2])


if __name__ == "__main__":
    unittest.main()
