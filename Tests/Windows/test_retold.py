"""Texts with values: a screen reader hears those of this moment, in a window and in a notification."""

import json
import subprocess
import unittest

from scene import BUILT, Scene, survey, wait_until

WANTS = survey("wants", title="For {event.name|you}", message="It is about {event.thing|something}.", piping=True, questions=[
    {"id": "goal", "type": "single", "question": "What do you want, {event.name|you}?", "options": ["Sleep", "Run"]},
    {"id": "often", "type": "single", "question": "How often do you {answer.goal}?",
     "options": [{"value": "much", "label": "{answer.goal} much"}, "Little"]},
    {"id": "parts", "type": "matrix", "question": "When you {answer.goal}:", "rows": [{"id": "well", "label": "{answer.goal} well"}],
     "columns": ["Yes", "No"]},
    {"id": "why", "type": "text", "question": "Why {answer.goal}?", "required": False}])

ASKED = survey(
    "asked", title="For {event.name|you}", message="?", piping=True, options=["Yes", "No"],
    notification={"title": "For {event.name|you}", "body": "It is about {event.thing|something}."})


class Retold(Scene):
    def begin(self, daemon, name):
        daemon.call("event.record", name=name, properties={"name": "Ada", "thing": "<b>tea</b>"})
        return daemon.pending(name)[0]["presentationId"]

    def test_a_window_tells_the_answer_that_counts_now(self):
        daemon = self.daemon(WANTS)
        dialog = self.dialog(daemon, self.begin(daemon, "wants"))
        dialog.wait_for_text("For Ada")
        dialog.wait_for_text("It is about <b>tea</b>.")
        dialog.wait_for_text("What do you want, Ada?")
        for goal, other in (("Sleep", "Run"), ("Run", "Sleep")):
            dialog.press("radio button", goal)
            dialog.press("push button", "Next")
            dialog.find("radio button", f"{goal} much")
            dialog.wait_for_text(f"How often do you {goal}?")
            dialog.press("radio button", "Little")
            dialog.press("push button", "Next")
            # A row of a matrix is told with its own text and that of all rows.
            dialog.find("radio button", f"{goal} well: Yes")
            dialog.wait_for_text(f"When you {goal}:")
            # Nothing of another answer is left for a screen reader, not even hidden.
            for old in (f"{other} much", f"do you {other}?", f"{other} well", f"When you {other}"):
                dialog.wait_until_gone(lambda node: old in node.get_name() + node.get_description(), f"the words {old!r}")
            if goal == "Sleep":
                dialog.press("push button", "Previous")
                dialog.find("radio button", "Sleep much")
                dialog.press("push button", "Previous")
        dialog.press("radio button", "Run well: Yes")
        dialog.press("push button", "Next")
        dialog.write("Why Run?", "It is fun")
        dialog.press("push button", "Submit")
        self.assert_ends(dialog)
        self.assertEqual(
            daemon.answers(), {"goal": "Run", "often": "Little", "parts.well": "Yes", "why": "It is fun"})

    def test_a_notification_tells_values_unless_they_are_private(self):
        for asked, texts in (
                (ASKED, ("For Ada", "It is about <b>tea</b>.\nYes · No")),
                (dict(ASKED, private=True), ("For you", "It is about something.\nYes · No"))):
            with self.subTest(private="private" in asked):
                daemon = self.daemon(asked)
                self.assertEqual(self.notified(daemon), texts)

    def notified(self, daemon):
        """The title and the text that a server of notifications was given, and so a screen reader."""
        with open(daemon.folder / "dunst.log", "wb") as log:
            dunst = subprocess.Popen(["dunst", "-config", "/dev/null"], env=daemon.environment, stdout=log, stderr=log)
        self.addCleanup(dunst.wait)
        self.addCleanup(dunst.kill)

        def dunstctl(*words):
            return subprocess.run(
                ["dunstctl", *words], env=daemon.environment, capture_output=True, text=True).stdout.strip()

        wait_until(lambda: dunstctl("count", "displayed") == "0", "a notification server")
        agent = subprocess.Popen(
            [BUILT / "hark", "agent"], env=daemon.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        self.begin(daemon, "asked")
        wait_until(lambda: dunstctl("count", "displayed") == "1", "the notification")
        dunstctl("close-all")
        wait_until(lambda: dunstctl("count", "history") == "1", "its end")
        told = json.loads(dunstctl("history"))["data"][0][0]
        agent.kill()
        dunst.kill()
        dunst.wait()
        return told["summary"]["data"], told["body"]["data"]


if __name__ == "__main__":
    unittest.main()
