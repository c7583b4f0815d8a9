"""What happens to a kiosk: nothing closes it, the daemon goes away, it starts anew; and a window that waits beside it."""

import json
import subprocess
import unittest

from kiosk import KioskScene, ask_to_close
from scene import BUILT, ROOT, Dialog, Scene, wait_until
from screen import PATIENCE
from test_surveys import COMBINED, OPTIONS, QUESTIONS


class Life(KioskScene):
    def test_nothing_closes_it_or_puts_it_off(self):
        daemon = self.daemon(COMBINED)
        dialog = self.kiosk(daemon)
        for page in ("rest", "survey", "thanks"):
            if page == "survey":
                self.come(daemon, "combined")
                dialog.find("radio button", "Great")
                for name in ("Later", "Don't Ask Again", "Close", "Previous"):
                    self.assertFalse(dialog.has_text(name), name)
                # Large enough for a finger.
                for node in dialog.nodes():
                    if node.get_role_name() in ("push button", "radio button"):
                        size = node.get_component_iface().get_size()
                        self.assertTrue(min(size.x, size.y) >= 48, f"{node.get_name()}: {size.x} x {size.y}")
            if page == "thanks":
                dialog.press("radio button", "Great")
                dialog.press("push button", "Submit")
                dialog.find("alert", "Thank You")
            # On the resting screen nothing has the focus.
            (dialog.activate if page == "rest" else dialog.focus)()
            ask_to_close(int(dialog.window()))
            dialog.keys("Escape", "alt+F4", "ctrl+q", "ctrl+w")
            if page == "survey":
                # What came after those keys is taken.
                dialog.keys("3")
                dialog.wait_for_check("radio button", "Good")
        self.until_rest(dialog)
        self.assertEqual(daemon.responses()[0]["option"], "Great")
        self.assertIsNone(dialog.process.poll())
        self.assertEqual(daemon.call("mute.list")["mutes"], [])

    def test_while_the_daemon_is_away_the_screen_stays_and_then_is_clean(self):
        daemon = self.daemon(QUESTIONS)
        dialog = self.kiosk(daemon, "--idle-reset", "40")
        self.come(daemon, "questions")
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.find("check box", "A")
        daemon.kill()
        dialog.wait_for_text("The daemon is away; your text stays here.")
        daemon.start()
        dialog.wait_until_gone(lambda node: "The daemon is away" in node.get_name(), "the notice")
        dialog.press("check box", "A")
        dialog.press("push button", "Next")
        # It goes on where it was.
        dialog.press("radio button", "4")
        dialog.press("push button", "Next")
        wait_until(lambda: "rating" in self.history(daemon, "questions")[0]["answers"], "it is kept", PATIENCE)
        daemon.kill()
        self.until_rest(dialog)
        daemon.start()
        left = wait_until(lambda: [one for one in self.history(daemon, "questions") if one["state"] == "dismissed"],
                          "what was begun is closed", PATIENCE)
        self.assertEqual((left[0]["reason"], left[0]["answers"]["rating"]), ("abandoned", 4))
        self.until_next_visit(daemon, left[0])
        self.come(daemon, "questions")
        dialog.find("radio button", "Café")
        self.assertFalse(dialog.is_checked("radio button", "Café"))

    def test_a_kiosk_that_starts_anew_goes_on_with_nothing(self):
        daemon = self.daemon(QUESTIONS)
        dialog = self.kiosk(daemon)
        self.come(daemon, "questions")
        dialog.press("radio button", "Café")
        dialog.press("push button", "Next")
        dialog.find("check box", "A")
        dialog.end()
        wait_until(lambda: daemon.pending("questions")[0]["state"] == "ready", "it is given back", PATIENCE)
        tool = subprocess.run(
            [BUILT / "hark", "ask"], env=daemon.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((tool.returncode, "Café" in tool.stdout), (66, False), tool)
        dialog = self.kiosk(daemon)
        closed = wait_until(
            lambda: [one for one in self.history(daemon, "questions") if one.get("reason")], "it is closed", PATIENCE)
        self.assertEqual(closed[0]["reason"], "abandoned")
        self.until_next_visit(daemon, closed[0])
        self.come(daemon, "questions")
        dialog.find("radio button", "Café")
        self.assertFalse(dialog.is_checked("radio button", "Café"))

    def walk(self, daemon, start, visit, look, options):
        """Starts a kiosk as a page says, has visitors take an option each, and gives what the page looks at."""
        environment = {**daemon.environment, "PATH": f"{BUILT}:{daemon.environment['PATH']}"}
        shell = subprocess.Popen(["sh", "-c", f"cd; exec {start.strip()}"], env=environment)
        self.addCleanup(shell.wait)
        self.addCleanup(shell.kill)
        dialog = Dialog.of(shell.pid)
        dialog.find("heading", "Welcome!")
        for option in options:
            # Before it listens nobody would miss a survey either, but nothing is asked twice at a time.
            subprocess.run(["sh", "-euc", visit], env=environment, check=True)
            dialog.press("push button", option)
            dialog.find("alert", "Thank You")
            dialog.find("heading", "Welcome!")
        return subprocess.run(
            ["sh", "-euc", f"cd; {look}"], env=environment, check=True, capture_output=True, text=True).stdout

    def test_the_guides_kiosk(self):
        recipe = (ROOT / "docs/guides/kiosk.md").read_text().split("\n## A question after each visit\n")[1].split("\n## ")[0]
        surveys, = (block.split("```")[0] for block in recipe.split("```json\n")[1:])
        start, visit, look = (block.split("```")[0] for block in recipe.split("```sh\n")[1:])
        daemon = self.daemon(*json.loads(surveys)["surveys"])
        said = self.walk(daemon, start, visit, look + "\ncat visits.csv", ("Great", "Bad"))
        self.assertIn("answered     2", said)
        self.assertIn("visit,answer,option,Great,1,", said)

    def test_the_tutorials_kiosk(self):
        page = (ROOT / "docs/start/shop.md").read_text()
        add, visit, look = (next(line[2:] for line in page.splitlines() if line.startswith(f"$ hark {words}"))
                            for words in ("survey add", "record visit.end", "results"))
        start, = (block.split("```")[0] for block in page.split("```sh\n")[1:] if block.startswith("hark-dialog"))
        daemon = self.daemon()
        subprocess.run(["sh", "-euc", add], check=True, stdout=subprocess.DEVNULL,
                       env={**daemon.environment, "PATH": f"{BUILT}:{daemon.environment['PATH']}"})
        said = self.walk(daemon, start, visit, look, ("Great", "So-so"))
        self.assertIn("answered     2", said)

    def test_a_wrong_command_line_says_what_is_wrong(self):
        daemon = self.daemon()
        for words, told in (
                (["--kiosk", "--form", "x"], "'--kiosk' and 'x' contradict"), (["--min-gap", "3"], "is for '--kiosk'"),
                (["--kiosk", "--idle-reset", "5"], "from 12 to"), (["--kiosk", "--min-gap", "x"], "not 'x'"),
                (["--always", "x"], "is for '--kiosk'"),
                (["--kiosk", "--always", "x", "--languages", "en"], "'--always' and '--languages' contradict"),
                (["--kiosk", "--languages", "en,german!"], "'german!' is no language")):
            dialog = self.dialog(daemon, *words)
            self.assert_ends(dialog, 64)
            self.assertIn(told, dialog.errors)


class Waiting(Scene):
    PATIENCE = 120

    def test_a_window_that_waits_goes_on_after_a_restart_of_the_daemon(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, "--wait")
        daemon.ask("combined")
        dialog.press("radio button", "Great")
        daemon.kill()
        dialog.wait_for_text("The daemon is away; your text stays here.")
        daemon.start()
        dialog.wait_until_gone(lambda node: "The daemon is away" in node.get_name(), "the notice")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        wait_until(lambda: daemon.responses(), "the answer counts", PATIENCE)
        self.assertEqual(daemon.responses()[0]["option"], "Great")

    def test_later_leaves_a_window_that_waits_free_for_the_next(self):
        daemon = self.daemon(OPTIONS, COMBINED)
        dialog = self.dialog(daemon, "--wait")
        daemon.ask("options")
        dialog.press("push button", "Later")
        dialog.wait_until_gone(lambda node: node.get_name() == "Good", "the window")
        put_off = wait_until(
            lambda: [one for one in daemon.pending("options") if one["state"] == "scheduled"], "it is put off", PATIENCE)
        self.assertEqual(len(put_off), 1)
        daemon.ask("combined")
        dialog.press("radio button", "Great")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")


if __name__ == "__main__":
    unittest.main()
