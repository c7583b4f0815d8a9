"""How a window comes: by the tool, by a click on a notification, by a kiosk that waits; and where there is none."""

import signal
import subprocess
import unittest

from scene import BUILT, Dialog, Scene, descendants, wait_until
from screen import PATIENCE
from test_forms import ONBOARDING
from test_surveys import COMBINED, OPTIONS, TEXT


def below(process, name):
    """The process of that name below another."""
    for pid in descendants(process.pid):
        try:
            with open(f"/proc/{pid}/comm") as comm:
                if comm.read().strip() == name:
                    return pid
        except OSError:
            continue
    return None


class Ways(Scene):
    def tool(self, daemon, *arguments, environment=None, stdin=subprocess.DEVNULL):
        process = subprocess.Popen(
            [BUILT / "hark", *arguments], env={**daemon.environment, **(environment or {})}, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def window_of(self, process):
        pid = wait_until(lambda: below(process, "hark-dialog"), "a hark-dialog below it")
        return Dialog.of(pid)

    def test_hark_ask_window(self):
        daemon = self.daemon(OPTIONS)
        daemon.ask("options")
        tool = self.tool(daemon, "ask", "options", "--window")
        self.window_of(tool).press("push button", "Great")
        self.assertEqual(tool.wait(PATIENCE), 0)
        self.assertEqual(daemon.responses()[0]["option"], "Great")

    def test_hark_ask_window_passes_on_how_it_ended_and_signals(self):
        daemon = self.daemon(OPTIONS)
        daemon.ask("options")
        tool = self.tool(daemon, "ask", "--window")
        window = self.window_of(tool)
        window.find("push button", "Great")
        tool.terminate()
        self.assertEqual(tool.wait(PATIENCE), 1)
        wait_until(lambda: daemon.pending("options")[0]["state"] == "ready", "it is ready again")
        self.assertEqual(self.tool(daemon, "ask", "nothing", "--window").wait(PATIENCE), 66)

    def test_hark_form_window(self):
        daemon = self.daemon(forms=ONBOARDING)
        tool = self.tool(daemon, "form", "onboarding", "--window", "--user", "ada")
        window = self.window_of(tool)
        window.press("push button", "Start")
        window.press("radio button", "Doing okay")
        window.press("push button", "Next")
        window.find("label", "2 of 5")
        self.assertEqual(
            daemon.call("form.progress", formId="onboarding", userId="ada")["form"]["answers"],
            {"emotionalState": "Doing okay"})
        tool.terminate()
        self.assertEqual(tool.wait(PATIENCE), 1)

    def test_without_a_display_it_is_asked_on_the_terminal(self):
        daemon = self.daemon(OPTIONS)
        daemon.ask("options")
        for environment in ({"DISPLAY": ""}, {"DISPLAY": ":4711"}):
            tool = self.tool(daemon, "ask", "--window", environment=environment, stdin=subprocess.PIPE)
            output, errors = tool.communicate("d\n", timeout=PATIENCE)
            self.assertIn("How was it?", output)
            self.assertIn("asking on the terminal", errors)
            self.assertEqual(tool.returncode, 1)
            daemon.call("survey.reset")
            daemon.ask("options")

    def test_a_click_on_the_notification_opens_it(self):
        settings = {"notify": {"command": ["echo", "open"]}}
        daemon = self.daemon(OPTIONS, settings=settings)
        daemon.ask("options")
        window = self.window_of(daemon.process)
        window.press("push button", "Poor")
        wait_until(lambda: below(daemon.process, "hark-dialog") is None, "the window ends")
        self.assertEqual(daemon.responses()[0]["option"], "Poor")

    def test_a_click_on_a_notification_of_the_agent_opens_it(self):
        daemon = self.daemon(OPTIONS)
        log = open(daemon.folder / "dunst.log", "wb")
        self.addCleanup(log.close)
        dunst = subprocess.Popen(["dunst", "-config", "/dev/null"], env=daemon.environment, stdout=log, stderr=log)
        self.addCleanup(dunst.wait)
        self.addCleanup(dunst.kill)

        def dunstctl(*words):
            return subprocess.run(
                ["dunstctl", *words], env=daemon.environment, capture_output=True, text=True).stdout.strip()

        wait_until(lambda: dunstctl("count", "displayed") == "0", "a notification server")
        agent = self.tool(daemon, "agent")
        daemon.ask("options")
        wait_until(lambda: dunstctl("count", "displayed") == "1", "the notification")
        dunstctl("action")
        self.window_of(agent).press("push button", "Good")
        wait_until(lambda: below(agent, "hark-dialog") is None, "the window ends")
        self.assertEqual(daemon.responses()[0]["option"], "Good")
        self.assertIsNone(agent.poll())

    def test_a_script_asks_in_a_window(self):
        daemon = self.daemon()
        window = self.dialog(daemon, "--wait")
        for question, form, press in [
                (["Deploy now?", "Yes", "No"], None, ("push button", "No")),
                (["Which hosts?", "web", "db", "mail", "--multiple"], ("check box", "db"), ("push button", "Submit")),
                (["How was the demo?", "--rating"], ("radio button", "4"), ("push button", "Submit")),
                (["What is new?", "--text"], "Everything", ("push button", "Submit"))]:
            tool = self.tool(daemon, "prompt", *question, "--timeout", "1m")
            window.wait_for_text(question[0])
            if isinstance(form, str):
                window.write(question[0], form)
            elif form:
                window.press(*form)
            window.press(*press)
            answer = form if isinstance(form, str) else (form or press)[1]
            self.assertEqual(tool.communicate(timeout=PATIENCE)[0], answer + "\n")
            self.assertEqual(tool.returncode, 0)
            window.wait_until_gone(lambda node: node.get_name() == question[0], "the question")

    def test_a_prompt_goes_from_the_window_once_its_script_is_stopped(self):
        daemon = self.daemon()
        window = self.dialog(daemon, "--wait")
        tool = self.tool(daemon, "prompt", "Deploy now?", "Yes", "No", "--timeout", "1m")
        window.find("push button", "Yes")
        tool.terminate()
        self.assertEqual(tool.wait(PATIENCE), -signal.SIGTERM)
        window.wait_for_text("No Answer Is Needed Any More")

    def test_a_kiosk_rests_between_surveys(self):
        daemon = self.daemon(OPTIONS, COMBINED)
        dialog = self.dialog(daemon, "--wait", "--fullscreen", "--rest", "Welcome!")
        dialog.find("label", "Welcome!")
        daemon.call("event.record", name="options", properties={})
        dialog.press("push button", "Good")
        dialog.find("alert", "Thank You")
        dialog.find("label", "Welcome!")
        daemon.kill()
        daemon.start()
        daemon.call("event.record", name="combined", properties={})
        dialog.press("radio button", "Great")
        dialog.press("push button", "Submit")
        dialog.find("label", "Welcome!")
        self.assertEqual([answer.get("option") or answer["text"] for answer in daemon.responses()], ["Good", "Great"])
        dialog.process.terminate()
        self.assert_ends(dialog)

    def test_a_full_screen_is_full_also_where_no_window_manager_sees_to_it(self):
        dialog = self.dialog(self.daemon(), "--wait", "--fullscreen", "--rest", "Welcome!")
        dialog.find("label", "Welcome!")
        screen = subprocess.run(["xdotool", "getdisplaygeometry"], capture_output=True, text=True, check=True).stdout.split()
        wait_until(lambda: dialog.geometry() == "x".join(screen) + "+0+0", "the window is as large as the screen")
        dialog.process.terminate()
        self.assert_ends(dialog)

    def test_waiting_without_a_full_screen_shows_a_window_for_each(self):
        daemon = self.daemon(OPTIONS, TEXT)
        dialog = self.dialog(daemon, "--wait")
        wait_until(lambda: self.records(daemon, dialog, "options"), "the survey is shown")
        dialog.press("push button", "Good")
        dialog.wait_until_gone(lambda node: node.get_name() == "Good", "the window")
        daemon.call("event.record", name="text", properties={})
        dialog.write("Your thoughts", "Here again")
        dialog.press("push button", "Send feedback")
        wait_until(lambda: len(daemon.responses()) == 2, "both are answered")
        dialog.process.terminate()
        self.assert_ends(dialog)

    def records(self, daemon, dialog, name):
        """Records until the presenter has subscribed, and shows it."""
        if not daemon.pending(name):
            daemon.call("event.record", name=name, properties={})
        return dialog.has_text("Good")

    def test_a_wrong_command_line_says_what_is_wrong(self):
        daemon = self.daemon()
        for words, told in ((["--nonsense"], "--nonsense"), (["--wait", "x"], "contradict"), (["--form"], "needs a value")):
            dialog = self.dialog(daemon, *words)
            self.assert_ends(dialog, 64)
            self.assertIn(told, dialog.errors)
        dialog = self.dialog(daemon, "--help", environment={"DISPLAY": ""})
        self.assert_ends(dialog)
        self.assertIn("--fullscreen", dialog.output)
        dialog = self.dialog(daemon, environment={"DISPLAY": ""})
        self.assert_ends(dialog, 71)


if __name__ == "__main__":
    unittest.main()
