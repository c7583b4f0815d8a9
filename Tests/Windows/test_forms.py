"""Forms in a window: pages, drafts, servers that refuse, and what stands at the end."""

import json
import signal
import time
import unittest

from scene import ROOT, Scene, wait_until
import web  # noqa: I001  (scene knows where it is)

ONBOARDING = json.loads((ROOT / "packaging/samples/onboarding.json").read_text())["forms"]


class Server(web.Server):
    """Has questions and takes answers, if it is not told otherwise."""

    def __init__(self):
        self.status = 200
        self.questions_status = 200
        self.answers = []
        super().__init__(Handler)
        self.start()

    def form(self, name="favourites"):
        url = f"http://127.0.0.1:{self.server_port}"
        return {"id": name, "title": "Your favourites", "message": "Two or three words each.",
                "questionsURL": url + "/questions", "submitURL": url + "/answers", "completionMessage": "All of it!"}


class Handler(web.Handler):
    def do_GET(self):
        questions = [{"id": 1, "question": "Which colour?"}, {"id": 2, "question": "Which food?"}]
        self.reply(self.server.questions_status, json.dumps(questions).encode())

    def do_POST(self):
        answer = json.loads(self.body)
        if self.server.status == 200:
            self.server.answers.append(answer)
        self.reply(self.server.status, b"{}")


class Onboarding(Scene):
    ANSWERS = {"emotionalState": "Doing okay", "primaryGoal": "Improve sleep", "timeCommitment": "Flexible",
               "experienceLevel": "Regular", "preferredActivities": ["Guided meditation", "Sleep stories"]}

    def answers(self, daemon):
        return daemon.call("form.progress", formId="onboarding")["form"]

    def test_with_a_screen_reader(self):
        daemon = self.daemon(forms=ONBOARDING)
        dialog = self.dialog(daemon, "--form", "onboarding")
        dialog.find("label", "5 questions")
        dialog.press("push button", "Start")
        dialog.find("label", "1 of 5")
        self.assertFalse(dialog.is_sensitive("push button", "Previous"))
        self.assertFalse(dialog.is_sensitive("push button", "Next"))
        for place, answer in enumerate(list(self.ANSWERS.values())[:4]):
            dialog.find("label", f"{place + 1} of 5")
            dialog.press("radio button", answer)
            dialog.press("push button", "Next")
        dialog.find("label", "Select all that apply")
        self.assertFalse(dialog.is_sensitive("push button", "Finish"))
        for answer in self.ANSWERS["preferredActivities"]:
            dialog.press("check box", answer)
            dialog.wait_for_check("check box", answer)
        dialog.press("push button", "Finish")
        dialog.find("alert", "All set! Your journey can begin.")
        dialog.press("push button", "Begin Journey")
        self.assert_ends(dialog)
        form = self.answers(daemon)
        self.assertEqual((form["completed"], form["answers"]), (True, self.ANSWERS))

    def test_with_keys_and_a_change_of_mind(self):
        daemon = self.daemon(forms=ONBOARDING)
        dialog = self.dialog(daemon, "--form", "onboarding")
        dialog.focus()
        dialog.find("push button", "Start")
        dialog.keys("Return")
        for name, keys in (("Doing okay", ["3"]), ("Improve sleep", ["Down", "Down", "Down", "Up"]),
                           ("Flexible", ["End"]), ("Regular", ["3"])):
            dialog.find("radio button", name)
            dialog.keys(*keys)
            dialog.until(lambda: dialog.is_sensitive("push button", "Next"), "an answer is chosen")
            dialog.keys("Return")
        dialog.find("check box", "Journaling")
        dialog.keys("Down", "space", "4")
        dialog.wait_for_check("check box", "Sleep stories")
        dialog.keys("Return")
        dialog.find("alert", "All set! Your journey can begin.")
        # Back from the end, and forth again.
        dialog.press("push button", "Previous")
        dialog.wait_until_gone(lambda node: node.get_name().startswith("All set!"), "the end")
        dialog.wait_for_check("check box", "Guided meditation")
        dialog.keys("ctrl+Return")
        dialog.find("push button", "Begin Journey")
        dialog.keys("Return")
        self.assert_ends(dialog)
        answers = self.answers(daemon)["answers"]
        self.assertEqual(answers["primaryGoal"], "Improve sleep")
        self.assertEqual(answers["preferredActivities"], self.ANSWERS["preferredActivities"])

    def test_what_is_begun_is_there_again(self):
        form = {"id": "f", "title": "Form", "questions": [
            {"id": "a", "type": "single", "question": "Which?", "options": ["A", "B"]},
            {"id": "b", "type": "text", "question": "Why?", "required": False}]}
        daemon = self.daemon(forms=[form])
        dialog = self.dialog(daemon, "--form", "f", "--user", "ada")
        dialog.press("push button", "Start")
        dialog.press("radio button", "B")
        dialog.press("push button", "Next")
        dialog.write("Why?", "Half a")
        draft = lambda: daemon.call("form.progress", formId="f", userId="ada")["form"]["draft"]  # noqa: E731
        wait_until(lambda: draft() == {"page": "b", "answers": {"b": "Half a"}}, "the draft is kept by itself")
        dialog.process.kill()
        dialog.wait()
        dialog = self.dialog(daemon, "--form", "f", "--user", "ada")
        dialog.wait_for_written("Why?", "Half a")
        dialog.focus()
        dialog.keys("ctrl+End")
        dialog.type(" sentence")
        dialog.wait_for_written("Why?", "Half a sentence")
        # Told to end, it keeps the rest at once.
        dialog.process.terminate()
        self.assert_ends(dialog, 1)
        self.assertEqual(draft()["answers"], {"b": "Half a sentence"})
        dialog = self.dialog(daemon, "--form", "f", "--user", "ada")
        dialog.wait_for_written("Why?", "Half a sentence")
        dialog.press("push button", "Finish")
        dialog.press("push button", "Close")
        self.assert_ends(dialog)
        form = daemon.call("form.progress", formId="f", userId="ada")["form"]
        self.assertEqual(form["answers"], {"a": "B", "b": "Half a sentence"})

    def test_a_window_closed_while_its_answers_are_sent_closes_after_that(self):
        form = {"id": "f", "title": "Form", "questions": [
            {"id": "a", "type": "single", "question": "Which?", "options": ["A", "B"]}]}
        daemon = self.daemon(forms=[form])
        dialog = self.dialog(daemon, "--form", "f", "--user", "ada")
        dialog.press("push button", "Start")
        dialog.press("radio button", "B")
        progress = lambda: daemon.call("form.progress", formId="f", userId="ada")["form"]  # noqa: E731
        wait_until(lambda: progress().get("draft"), "the draft is kept by itself")
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            dialog.press("push button", "Finish")
            dialog.until(lambda: not dialog.is_sensitive("push button", "Finish"), "it to be sent")
            dialog.press("push button", "Close")
            # GTK presses a button a quarter of a second after it is told to, and nothing on the screen says so.
            time.sleep(0.6)
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        self.assert_ends(dialog)
        self.assertEqual(progress()["answers"], {"a": "B"})

    def test_leaving_by_escape_keeps_it_and_asks_nothing(self):
        daemon = self.daemon(forms=ONBOARDING)
        dialog = self.dialog(daemon, "--form", "onboarding")
        dialog.press("push button", "Start")
        dialog.press("radio button", "Doing okay")
        dialog.wait_for_check("radio button", "Doing okay")
        dialog.focus()
        dialog.keys("Escape")
        self.assert_ends(dialog, 1)
        self.assertEqual(self.answers(daemon)["draft"]["answers"], {"emotionalState": "Doing okay"})

    def test_a_form_that_is_not_there(self):
        dialog = self.dialog(self.daemon(forms=[]), "--form", "none")
        self.assert_ends(dialog, 66)
        self.assertIn("none", dialog.errors)


class Questionnaire(Scene):
    """Answers go to a server, each on its own."""

    def test_a_server_that_refuses_is_tried_again(self):
        server = Server()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        daemon = self.daemon(forms=[server.form()])
        dialog = self.dialog(daemon, "--form", "favourites")
        dialog.press("push button", "Start")
        dialog.find("label", "0 of 2 Questions Answered")
        self.assertFalse(dialog.is_sensitive("push button", "Submit"))
        server.status = 400
        dialog.write("Which colour?", "Blue")
        dialog.press("push button", "Submit")
        dialog.find("label", "Not accepted by the server")
        server.status = 200
        dialog.press("push button", "Retry")
        dialog.wait_for_text("Success!")
        dialog.find("label", "1 of 2 Questions Answered")
        dialog.find("label", "✓ Submitted")
        self.assertFalse(dialog.is_sensitive("push button", "Submit"))
        dialog.press("push button", "Next")
        dialog.write("Which food?", "Bread")
        dialog.press("push button", "Submit")
        dialog.find("alert", "All of it!")
        dialog.press("push button", "Close")
        self.assert_ends(dialog)
        self.assertEqual(server.answers, [{"id": 1, "answer": "Blue"}, {"id": 2, "answer": "Bread"}])

    def test_questions_that_cannot_be_had_are_asked_for_again(self):
        server = Server()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        server.questions_status = 500
        daemon = self.daemon(forms=[server.form()])
        dialog = self.dialog(daemon, "--form", "favourites")
        dialog.find("alert", "The Questions Could Not Be Loaded")
        server.questions_status = 200
        dialog.focus()
        dialog.keys("Return")
        dialog.press("push button", "Start")
        dialog.find("text", "Which colour?")


if __name__ == "__main__":
    unittest.main()
