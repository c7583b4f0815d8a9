"""A fleet with a machine of version 0.1.0: what it gets of the hub's documents, and who tells of it."""

import json
import unittest
import uuid

from brokers import Client
from world import Mosquitto, World, wait_until

SURVEYS = {"surveys": [
    {"id": "plain", "title": "T", "message": "?", "options": ["Yes", "No"], "trigger": {"event": {"name": "go"}}},
    {"id": "few", "title": "T", "message": "?", "options": ["Yes", "No"], "trigger": {"event": {"name": "go"}},
     "quota": {"answers": 3}},
    {"id": "nice", "title": "T", "message": "?", "options": ["Yes", "No"], "trigger": {"event": {"name": "go"}},
     "thanks": {"title": "Thanks"}},
]}


class OldMachine:
    """What a machine of version 0.1.0 says to a hub, and takes from it."""

    def __init__(self, world: World, name: str):
        self.client = Client(world.broker, is_encrypted=False)
        self.client.hear("hark/shop/config/all/+")
        hello = {"v": 1, "log": str(uuid.uuid4()), "run": str(uuid.uuid4()), "hello": 1, "cursor": 0, "newest": 0,
                 "harkd": "0.1.0", "config": {"surveys": {"version": "00"}}}
        self.client.say(f"hark/shop/hello/0/{name}", json.dumps(hello))

    def next(self):
        """The surveys that it gets next."""
        document = json.loads(self.client.next()[1])
        return json.loads(document["text"])["surveys"]

    def close(self):
        self.client.close()


class Versions(unittest.TestCase):
    def setUp(self):
        self.world = World(Mosquitto)
        self.addCleanup(self.world.close)

    def test_an_older_machine_gets_what_it_can_read_and_the_hub_tells_what_it_lacks(self):
        hub = self.world.hub()
        kiosk = self.world.machine("kiosk-1")
        self.world.start(self.world.broker)
        self.world.start(hub, kiosk)
        wait_until(lambda: kiosk.status()["state"] == "ready", "the hub serves")
        old = OldMachine(self.world, "old")
        self.addCleanup(old.close)
        wait_until(lambda: {"kiosk-1", "old"} <= {m["machine"] for m in hub.status()["machines"]}, "both are known")
        file = self.world.folder / "surveys.json"
        file.write_text(json.dumps(SURVEYS))
        told = json.loads(hub.tool("fleet", "push", str(file), "--json"))
        self.assertIn("1 machine reads what version 0.1.0 reads", told["issues"][0]["message"])
        surveys = old.next()
        self.assertEqual([survey["id"] for survey in surveys], ["plain", "nice"])
        self.assertNotIn("thanks", surveys[1])
        wait_until(lambda: len(kiosk.call("survey.list")["surveys"]) == 3, "the other has all")
        self.assertRegex(hub.tool("fleet"), r"1 machine has an older Hark")
        text = hub.tool("fleet", "status", "old")
        self.assertIn("old: survey few needs Hark 0.2.0 (quota)", text)
        self.assertIn("old: survey nice goes without thanks (Hark 0.2.0)", text)
        self.assertNotIn("held back", kiosk.tool("fleet"))
        # A hub that is killed and back has the same for it, and so has the broker that has lost all.
        hub.kill()
        self.world.broker.kill()
        self.world.broker.forget()
        self.world.start(self.world.broker)
        self.world.start(hub)
        late = OldMachine(self.world, "late")
        self.addCleanup(late.close)
        self.assertEqual([survey["id"] for survey in late.next()], ["plain", "nice"])


if __name__ == "__main__":
    unittest.main()
