"""A quota over a fleet of real programs: machines away, killed and set back ask for what they were dealt, and never for more."""

import json
import random
import shutil
import unittest

from world import Mosquitto, World, is_brought, wait_until

from hark import RequestError  # noqa: E402

ANSWERS = 6
SURVEYS = {"surveys": [{
    "id": "rating", "title": "T", "message": "?", "options": ["Yes", "No"], "oncePerSession": False,
    "trigger": {"event": {"name": "go"}}, "quota": {"answers": ANSWERS}}]}


class Quota(unittest.TestCase):
    def setUp(self):
        self.world = World(Mosquitto)
        self.addCleanup(self.world.close)
        self.hub = self.world.hub()
        self.ways = {f"kiosk-{number}": self.world.way() for number in range(3)}
        self.kiosks = [
            self.world.machine(name, way, settings={"notify": None, "archive": False})
            for name, way in self.ways.items()]
        self.world.start(self.world.broker)
        self.world.start(self.hub, *self.kiosks)
        file = self.world.folder / "surveys.json"
        file.write_text(json.dumps(SURVEYS))
        self.hub.tool("fleet", "push", str(file))
        for kiosk in self.kiosks:
            wait_until(lambda: kiosk.call("survey.list")["surveys"], "the survey is there")
            kiosk.call("mute.set", everySeconds=0)
        self.users = 0

    def go(self, kiosk):
        """A new user does what the survey asks after."""
        self.users += 1
        kiosk.call("session.start", userId=f"u{self.users}")
        kiosk.call("event.record", name="go")

    def ask(self, kiosk):
        """Shows what may be shown, and answers it; whether there was something."""
        try:
            survey = kiosk.call("survey.present")["survey"]
        except RequestError as error:
            self.assertEqual(error.reason, "notFound")
            return False
        kiosk.call("survey.answer", presentationId=survey["presentationId"], option="Yes")
        return True

    def answers(self):
        return len(self.hub.call("event.list", name="survey_response", limit=1000)["events"])

    def test_there_is_never_an_answer_too_many(self):
        chance = random.Random(7)
        one = self.kiosks[0]
        asked = 0
        # What one holds can be asked while it is away, and by nobody else.
        self.go(one)
        wait_until(lambda: self.ask(one), "the hub lets it ask")
        asked += 1
        for step in range(40):
            kiosk = chance.choice(self.kiosks)
            what = chance.randrange(6)
            if what == 0:
                self.ways[kiosk.name].cut()
            elif what == 1:
                self.ways[kiosk.name].mend()
            elif what == 2:
                kiosk.kill()
                self.world.start(kiosk)
            elif what == 3 and step % 4 == 0:
                self.hub.kill()
                self.world.start(self.hub)
            else:
                self.go(kiosk)
                asked += self.ask(kiosk)
            self.assertLessEqual(asked, ANSWERS, f"step {step}")
        for way in self.ways.values():
            way.mend()

        def finish():
            nonlocal asked
            for kiosk in self.kiosks:
                if asked < ANSWERS:
                    self.go(kiosk)
                asked += self.ask(kiosk)
            return asked >= ANSWERS
        wait_until(finish, "all answers are in")
        self.assertEqual(asked, ANSWERS)
        for kiosk in self.kiosks:
            wait_until(lambda: is_brought(kiosk), "all is at the hub")
        wait_until(lambda: self.answers() == ANSWERS, "the hub has all answers")
        wait_until(lambda: self.hub.call("event.list", name="survey_quota")["events"], "the hub says so")
        for kiosk in self.kiosks:
            self.go(kiosk)
            self.assertFalse(self.ask(kiosk))
        self.assertIn("6 are in", one.tool("explain", "rating", check=False))

    def test_a_machine_that_is_set_back_uses_nothing_again(self):
        one = self.kiosks[0]
        self.go(one)
        wait_until(lambda: one.call("survey.pending")["surveys"], "it waits")
        wait_until(lambda: self.ask(one), "the hub lets it ask")
        one.kill()
        shutil.copytree(one.state, self.world.folder / "copy")
        self.world.start(one)
        done = 1

        def more():
            nonlocal done
            self.go(one)
            done += self.ask(one)
            return done == ANSWERS
        wait_until(more, "all answers are in")
        wait_until(lambda: is_brought(one), "all is at the hub")
        one.kill()
        shutil.rmtree(one.state)
        shutil.copytree(self.world.folder / "copy", one.state)
        # Without the hub it asks for nothing, whatever its store says.
        self.ways[one.name].cut()
        self.world.start(one)
        for _ in range(3):
            self.go(one)
            self.assertFalse(self.ask(one))
        self.ways[one.name].mend()
        wait_until(lambda: one.status()["state"] == "ready", "it has met the hub")
        self.go(one)
        self.assertFalse(self.ask(one))
        self.assertEqual(self.answers(), ANSWERS)


if __name__ == "__main__":
    unittest.main()
