"""docs/guides/fleet.md and the pages beside it, walked from its first command to its last: Mosquitto, a hub and three machines come to be as it says."""

import json
import os
import subprocess
import sys
import unittest

from brokers import wait_until
from walk import Page, World

KIOSKS = ["kiosk-1", "kiosk-2", "kiosk-3"]


class PageTests(unittest.TestCase):
    def setUp(self):
        self.page = Page("docs/guides/fleet.md", "docs/guides/fleet-documents.md", "docs/guides/fleet-tls.md",
                         "docs/guides/fleet-bridge.md")
        self.world = World()
        self.addCleanup(self.world.remove)
        self.hub = self.world.machine("hub")
        self.kiosks = {name: self.world.machine(name) for name in KIOSKS}

    def walk(self):
        """A quarter of an hour."""
        for block in self.page.blocks("1. The broker"):
            self.hub.do(block)
        join, copy = self.page.blocks("2. The hub")
        self.assertIn("serving the fleet", self.hub.do(join))
        self.hub.do(copy)
        [block] = self.page.blocks("3. The machines")
        for name, kiosk in self.kiosks.items():
            self.assertIn(f"joined the fleet shop as {name}", kiosk.do(block.replace("kiosk-1", name)))

    def all_came(self, count: int = 3):
        return wait_until(
            lambda: len(self.hub.json("hark events --name door.opened --json")) == count, f"{count} events are at the hub", 60)

    def test_a_fleet_in_a_quarter_of_an_hour(self):
        self.walk()
        self.all_came()
        [look] = self.page.blocks("4. Look")
        wait_until(lambda: all(one["here"] for one in self.hub.fleet()["machines"]), "all are connected")
        told = self.hub.do(look)
        self.assertIn("3 of 3 machines are connected; none is behind", told)
        self.assertEqual(told.count("door.opened"), 3)
        for name, kiosk in self.kiosks.items():
            self.assertIn(name, told)
            self.assertEqual(kiosk.fleet()["state"], "ready")
            self.assertIn("connected; what is recorded goes to the hub", kiosk.do("hark fleet"))
        # Who is away is missed by nobody: what it records comes later, once.
        self.kiosks["kiosk-2"].run("hark record door.opened door=right")
        self.kiosks["kiosk-2"].kill()
        wait_until(lambda: "2 of 3 machines are connected" in self.hub.do("hark fleet"), "it is away", 60)
        self.kiosks["kiosk-2"].start()
        self.all_came(4)

    def test_documents_go_to_machines_and_back(self):
        self.walk()
        [surveys] = self.page.blocks("Push a survey", "json")
        (self.hub.home / "surveys.json").write_text(surveys)
        [block] = self.page.blocks("Push a survey")
        everywhere, group, back = block.splitlines()
        self.assertRegex(self.hub.do(everywhere), r"^surveys [0-9a-f]+ for all machines\n$")
        for kiosk in self.kiosks.values():
            wait_until(lambda: '"surveyId":"door"' in kiosk.run("hark surveys --rules --json").stdout.replace(" ", ""),
                       "the survey is there", 60)
        self.assertRegex(self.hub.do(group), r"^surveys [0-9a-f]+ for group north\n$")
        self.assertEqual(self.hub.do(back), "surveys withdrawn for group north\n")
        self.hub.do("hark fleet withdraw surveys")
        for kiosk in self.kiosks.values():
            wait_until(lambda: "door" not in kiosk.run("hark surveys --rules --json").stdout, "the survey is gone", 60)
        # A broken one goes nowhere, and its fault is told with its place.
        (self.hub.home / "surveys.json").write_text(surveys.replace('"title"', '"titel"'))
        refused = self.hub.run("hark fleet push surveys.json")
        self.assertEqual(refused.returncode, 65)
        self.assertRegex(refused.stderr, r"(?m)^surveys\.json:\d+:\d+: error: \$\.surveys\[0\]")
        at_a_machine = self.kiosks["kiosk-1"].run("hark fleet push - --kind flags < /dev/null")
        self.assertEqual(at_a_machine.returncode, 78)

    def test_over_tls(self):
        self.walk()
        self.all_came()
        encrypt, rejoin = self.page.blocks("Encrypt the connections")
        self.hub.do(encrypt)
        as_hub = rejoin.replace("--machine kiosk-1 --group north --user kiosk-1", "--hub --user hub")
        self.assertNotEqual(as_hub, rejoin)
        self.assertIn("serving the fleet", self.hub.do(as_hub))
        for name, kiosk in self.kiosks.items():
            (kiosk.home / "ca.crt").write_text((self.hub.home / "ca.crt").read_text())
            kiosk.do(rejoin.replace("kiosk-1", name))
            self.assertTrue(kiosk.fleet()["broker"].startswith("mqtts://"))
            self.assertEqual(kiosk.fleet()["group"], "north")
            kiosk.do("hark record door.opened door=right")
        self.all_came(6)

    def test_a_bridge_gets_each_record(self):
        self.walk()
        passwords = self.world.path / "mosquitto/hark.passwd"
        subprocess.run(["mosquitto_passwd", "-b", passwords, "bridge", "secret"], check=True, timeout=60)
        with (self.world.path / "mosquitto/hark.acl").open("a") as acl:
            acl.write("\nuser bridge\ntopic read hark/shop/up/#\n")
        self.world.restart_broker()
        [script] = self.page.blocks("A bridge into ClickHouse", "python")
        bridge = subprocess.Popen(
            [sys.executable, "-c", self.world.translate(script)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "BRIDGE_PASSWORD": "secret"})
        self.addCleanup(bridge.stdout.close)
        self.addCleanup(bridge.wait)
        self.addCleanup(bridge.kill)
        wait_until(lambda: "bridge" in (self.world.path / "broker.log").read_text(), "the bridge is there")
        seen = {}
        self.kiosks["kiosk-3"].do("hark record bridge.passed toll:=3")
        while not any(json.loads(row["record"]).get("name") == "bridge.passed" for row in seen.values()):
            row = json.loads(bridge.stdout.readline())
            self.assertEqual(set(row), {"machine", "log", "seq", "kind", "time", "record"})
            seen[row["log"], row["seq"]] = row
        [row] = [row for row in seen.values() if "bridge.passed" in row["record"]]
        self.assertEqual((row["machine"], row["kind"]), ("kiosk-3", "event"))
        self.assertEqual(json.loads(row["record"])["properties"], {"toll": 3})

    def test_the_first_recipe(self):
        """The same in short, without passwords."""
        broker, hub, machine, look = self.page.blocks("Without passwords, in a network of your own")
        self.hub.do(broker)
        self.assertIn("serving the fleet", self.hub.do(hub))
        for name, kiosk in self.kiosks.items():
            kiosk.do(machine.replace("kiosk-1", name))
        self.all_came()
        self.assertIn("door.opened", self.hub.do(look))


if __name__ == "__main__":
    unittest.main()
