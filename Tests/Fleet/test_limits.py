"""Brokers that do not take messages of every length, and machines whose network dies, with real brokers."""

import base64
import os
import unittest

from world import Mosquitto, World, is_brought, wait_until


def noise(count: int) -> str:
    return base64.b64encode(os.urandom(count * 3 // 4)).decode()


class Limits(unittest.TestCase):
    LIMIT = 40_000

    def world(self, more: str) -> World:
        world = World(Mosquitto)
        self.addCleanup(world.close)
        world.broker.configuration = f"{more}\nlistener {world.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
        return world

    def deliver(self, more: str):
        world = self.world(more)
        hub, kiosk = world.hub(), world.machine("kiosk-1")
        world.start(world.broker)
        world.start(hub, kiosk)
        for number in range(40):
            kiosk.call("event.record", name="e", properties={"n": number, "t": noise(3_000)})
        kiosk.call("event.record", name="long", properties={"t": noise(120_000)})
        kiosk.call("event.record", name="after")
        wait_until(lambda: is_brought(kiosk), "all is there", 120)
        names = [event["name"] for event in hub.call("event.list", limit=100)["events"]]
        self.assertEqual(sorted(names), ["after"] + ["e"] * 40)
        letters = kiosk.call("delivery.deadletters", destination="fleet")["deadLetters"]
        self.assertEqual([letter["cause"] for letter in letters], ["tooLarge"])
        self.assertIn("max_packet_size", letters[0]["reason"])
        self.assertNotIn("ACL", letters[0]["reason"])
        self.assertIsNone(kiosk.status()["problem"])

    def test_a_broker_that_says_its_limit(self):
        self.deliver(f"max_packet_size {self.LIMIT}")

    def test_a_broker_that_refuses_with_a_word(self):
        self.deliver(f"message_size_limit {self.LIMIT}")

    def test_a_machine_whose_network_dies_is_away_and_back(self):
        world = self.world("")
        way = world.way()
        hub, kiosk = world.hub(livenessSeconds=2, awaySeconds=0.5), world.machine("kiosk-1", way=way)
        world.start(world.broker)
        world.start(hub, kiosk)
        kiosk.call("event.record", name="e")
        wait_until(lambda: is_brought(kiosk), "it is there")

        def told():
            return [event["name"] for event in hub.call("event.list", name="machine.*")["events"]]

        self.assertEqual(told(), [])
        way.is_silent = True
        wait_until(lambda: told() == ["machine.away"], "it is told", 30)
        self.assertFalse(hub.status()["machines"][0]["here"])
        way.mend()
        wait_until(lambda: told() == ["machine.away", "machine.back"], "it is back", 60)
        self.assertTrue(hub.status()["machines"][0]["here"])


if __name__ == "__main__":
    unittest.main()
