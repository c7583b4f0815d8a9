"""What may happen to a window while it is open."""

import datetime
import unittest

from scene import STATE, Scene, survey, wait_until
from test_surveys import COMBINED, OPTIONS, QUESTIONS, TEXT

HUNDRED = survey("hundred", questions=[
    {"id": "one", "type": "single", "question": "Which?", "options": [f"Option number {n}" for n in range(1, 101)]}])
LONG = survey("long", response={"type": "text", "placeholder": "Everything", "maxLength": 10_000})
TRANSLATED = survey("translated", "Hello", questions=[{"id": "q", "type": "single", "question": "Well?",
                                                       "options": ["Yes", "No"]}],
                    translations={"de": {"title": "Hallo", "message": "Sag es.", "questions": {
                        "q": {"question": "Gut?", "options": ["Ja", "Nein"]}}}})
ARABIC = survey("arabic", "كيف كانت زيارتك؟", "أخبرنا", questions=[{"id": "q", "type": "nps", "question": "ما رأيك؟"}])


class Course(Scene):
    def test_a_daemon_that_is_killed_and_comes_back_takes_what_was_written_meanwhile(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, daemon.ask("combined"))
        dialog.press("radio button", "Great")
        daemon.kill()
        dialog.wait_for_text("The daemon is away; your text stays here.")
        dialog.write("Tell us more", "Still here.")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("The daemon does not answer; nothing was sent yet.")
        daemon.start()
        dialog.wait_until_gone(lambda node: "The daemon" in node.get_name(), "the words of a daemon that is away")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], "Great||Still here.")

    def test_a_survey_that_ends_elsewhere_says_so(self):
        daemon = self.daemon(TEXT)
        presentation = daemon.ask("text")
        dialog = self.dialog(daemon, presentation)
        dialog.find("text", "Your thoughts")
        daemon.call("survey.dismiss", presentationId=presentation)
        dialog.wait_for_text("It was dismissed elsewhere.")
        dialog.focus()
        dialog.keys("Escape")
        self.assert_ends(dialog, 66)

    def test_what_was_written_is_asked_about_before_it_is_thrown_away(self):
        daemon = self.daemon(TEXT)
        dialog = self.dialog(daemon, daemon.ask("text"))
        dialog.focus()
        dialog.type("Hello there")
        dialog.keys("Escape")
        dialog.press("push button", "Go On Writing")
        dialog.find("label", "11/20")
        dialog.press("push button", "Send feedback")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], "Hello there")

    def test_discarding_dismisses(self):
        daemon = self.daemon(TEXT)
        presentation = daemon.ask("text")
        dialog = self.dialog(daemon, presentation)
        dialog.focus()
        dialog.type("Hello")
        dialog.keys("Escape")
        dialog.press("push button", "Discard")
        self.assert_ends(dialog, 1)
        self.assertEqual(daemon.call("survey.results", surveyId="text")["dismissed"], 1)

    def test_escape_dismisses_at_once_where_nothing_was_written(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"))
        dialog.find("push button", "Good")
        dialog.focus()
        dialog.keys("Escape")
        self.assert_ends(dialog, 1)
        self.assertEqual(daemon.call("survey.results", surveyId="options")["dismissed"], 1)

    def test_never_again_is_asked_about_and_then_nothing_of_it_waits(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon, daemon.ask("options"))
        dialog.press("push button", "Ask Me Later")
        dialog.press("push button", "Don't Ask Again")
        dialog.press("push button", "Cancel")
        # The question that was answered stays for as long as it takes to fade, and its buttons do nothing more.
        dialog.wait_until_gone(lambda node: node.get_name() == "Never Again", "the question")
        dialog.find("push button", "Good")
        dialog.press("push button", "Ask Me Later")
        dialog.press("push button", "Don't Ask Again")
        dialog.press("push button", "Never Again")
        self.assert_ends(dialog, 1)
        self.assertEqual(daemon.call("mute.list")["mutes"][0]["surveyId"], "options")
        self.assertEqual(daemon.pending("options"), [])

    def test_later_puts_it_off_and_answers_of_pages_are_there_again(self):
        daemon = self.daemon(QUESTIONS)
        presentation = daemon.ask("questions")
        dialog = self.dialog(daemon, presentation)
        dialog.press("push button", "Later")
        self.assert_ends(dialog, 1)
        dialog = self.dialog(daemon, presentation)
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.find("check box", "A")
        # Told to end, as by a desktop that closes down.
        dialog.process.terminate()
        self.assert_ends(dialog, 1)
        self.assertEqual(wait_until(lambda: daemon.pending("questions"), "it is ready")[0]["answers"], {"single": "Café"})
        dialog = self.dialog(daemon, presentation)
        dialog.find("check box", "A")

    def test_later_may_say_when(self):
        for choice, seconds in (("In an Hour", 3_600), ("Tomorrow", 86_400)):
            daemon = self.daemon(OPTIONS)
            dialog = self.dialog(daemon, daemon.ask("options"))
            dialog.press("push button", "Ask Me Later")
            dialog.press("push button", choice)
            self.assert_ends(dialog, 1)
            shown = daemon.pending("options")[0]
            self.assertEqual(shown["state"], "scheduled")
            until = datetime.datetime.fromisoformat(shown["triggerAt"]) - datetime.datetime.now(datetime.timezone.utc)
            self.assertTrue(seconds - 100 < until.total_seconds() <= seconds, until)

    def test_one_that_is_not_there_is_told(self):
        daemon = self.daemon(OPTIONS)
        dialog = self.dialog(daemon)
        self.assert_ends(dialog, 66)
        self.assertIn("no survey waits for an answer", dialog.errors)

    def test_without_a_daemon_it_says_what_to_do(self):
        daemon = self.daemon(OPTIONS)
        daemon.kill()
        dialog = self.dialog(daemon)
        self.assert_ends(dialog, 69)
        self.assertIn("systemctl --user start harkd", dialog.errors)


class Sizes(Scene):
    def test_a_hundred_options(self):
        daemon = self.daemon(HUNDRED)
        dialog = self.dialog(daemon, daemon.ask("hundred"))
        dialog.find("radio button", "Option number 1")
        width, height = map(int, dialog.geometry().split("+")[0].split("x"))
        self.assertLess(height, 1024)
        dialog.focus()
        dialog.keys("End", "Up", "ctrl+Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"one": "Option number 99"})

    def test_a_long_list_has_a_search(self):
        daemon = self.daemon(HUNDRED)
        dialog = self.dialog(daemon, daemon.ask("hundred"))
        dialog.focus()
        # Letters go to it, and every word has to be there.
        dialog.type("number 9")
        dialog.wait_until_gone(lambda node: node.get_name() == "Option number 1", "what does not match")
        dialog.type("x")
        dialog.find("alert", "Nothing matches.")
        dialog.keys("BackSpace", "Down", "Down", "ctrl+Return")
        self.assert_ends(dialog)
        # The second of 9, 19, 29 …
        self.assertEqual(daemon.answers(), {"one": "Option number 19"})

    def test_ten_thousand_characters(self):
        daemon = self.daemon(LONG)
        dialog = self.dialog(daemon, daemon.ask("long"))
        text = ("Wörter 👍🏽 und mehr. " * 600)[:9_999].strip()
        dialog.write("Everything", text + "!!")
        count = len(text) + 2 - 1 * text.count("🏽")
        dialog.find("label", f"{count}/10000")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], text + "!!")

    def test_one_character_too_many_is_told(self):
        daemon = self.daemon(LONG)
        dialog = self.dialog(daemon, daemon.ask("long"))
        dialog.write("Everything", "x" * 10_001)
        dialog.find("alert", "Write at most 10,000 characters, 1 fewer.")
        self.assertFalse(dialog.is_sensitive("push button", "Submit"))

    def test_large_texts_and_high_contrast(self):
        daemon = self.daemon(COMBINED)
        config = daemon.folder / "large/gtk-4.0"
        config.mkdir(parents=True)
        (config / "settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 22\n")
        environment = {"XDG_CONFIG_HOME": str(config.parent), "ADW_DEBUG_HIGH_CONTRAST": "1"}
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=environment)
        # The window grows with the texts, so that faces still are beside each other.
        rows = {dialog.box("radio button", name).y for name in ("Poor", "Fair", "Good", "Great", "Excellent")}
        self.assertEqual(len(rows), 1)
        width, height = map(int, dialog.geometry().split("+")[0].split("x"))
        self.assertTrue(600 < width <= 1280 and height <= 1024, (width, height))
        # The title is still the largest.
        title, message = dialog.box("heading", "How was it?"), dialog.box("label", "Tell us.")
        self.assertGreater(title.height, 1.5 * message.height)
        dialog.focus()
        dialog.keys("4", "Tab")
        dialog.type("Large")
        dialog.keys("ctrl+Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses()[0]["text"], "Great||Large")


class Languages(Scene):
    def test_the_translation_of_the_desktops_language_is_shown(self):
        daemon = self.daemon(TRANSLATED)
        dialog = self.dialog(daemon, daemon.ask("translated"), environment={"LC_ALL": "de_AT.UTF-8"})
        dialog.find("heading", "Hallo")
        dialog.press("radio button", "Ja")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"q": "Yes"})

    def test_a_script_from_right_to_left_turns_the_window_round(self):
        daemon = self.daemon(ARABIC)
        dialog = self.dialog(daemon, daemon.ask("arabic"))
        dialog.find("radio button", "0")
        self.assertGreater(dialog.left_edge("push button", "Later"), dialog.left_edge("push button", "Close"))
        # The first choice is on the right, and the arrow to the left leads on from it.
        self.assertGreater(dialog.left_edge("radio button", "0"), dialog.left_edge("radio button", "10"))
        dialog.focus()
        dialog.keys("Left", "Left", "Left", "Right", "Return")
        self.assert_ends(dialog)
        self.assertEqual(daemon.answers(), {"q": 1})


class Names(Scene):
    """What a screen reader says of each control."""

    CONTROLS = {"push button", "radio button", "check box", "text", "list", "list item", "heading", "label", "alert"}

    def check(self, dialog):
        seen = set()
        for node in dialog.nodes():
            role, name = node.get_role_name(), node.get_name()
            states = node.get_state_set()
            if role in self.CONTROLS:
                seen.add(role)
                self.assertTrue(name or role == "alert" or not states.contains(STATE.FOCUSABLE), f"a {role} without a name")
                self.assertFalse(name.startswith(("Gtk", "Adw")) and states.contains(STATE.FOCUSABLE), name)
            elif states.contains(STATE.FOCUSED):
                # A question has the focus until a key goes to a choice.
                self.assertTrue(role == "frame" or role == "panel" and name, f"the focus is on a {role} {name!r}")
        return seen

    def test_every_control_has_a_name_and_a_role(self):
        daemon = self.daemon(COMBINED, QUESTIONS, LONG)
        dialog = self.dialog(daemon, daemon.ask("combined"))
        dialog.find("push button", "Submit")
        self.assertLessEqual({"push button", "radio button", "text", "heading"}, self.check(dialog))
        dialog.press("push button", "Later")
        self.assert_ends(dialog, 1)
        daemon.call("survey.reset")
        dialog = self.dialog(daemon, daemon.ask("questions"))
        dialog.find("radio button", "Café")
        self.assertLessEqual({"list", "list item", "radio button"}, self.check(dialog))
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.find("check box", "A")
        # The page before is not there any more.
        dialog.wait_until_gone(lambda node: node.get_name() == "Café", "the page before")
        self.assertLessEqual({"list", "list item", "check box"}, self.check(dialog))
        # How much there is to choose belongs to the question, and the bar has a name.
        self.assertEqual(dialog.find("panel", "Which ones?").get_description(), "Select all that apply, 1 to 2")
        dialog.find("progress bar", "Progress")


if __name__ == "__main__":
    unittest.main()
