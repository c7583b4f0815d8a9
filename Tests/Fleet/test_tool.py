"""What the tool says of a fleet with a real broker: who is not let in, groups that nobody is in, and where events come from."""

import os
import subprocess
import unittest

from world import Mosquitto, World, hark_path, is_brought, wait_until


class Tool(unittest.TestCase):
    def setUp(self):
        self.world = World(Mosquitto)
        self.addCleanup(self.world.close)

    def guard(self, **passwords):
        """Has the broker let these in alone."""
        file = self.world.folder / "passwords"
        file.write_text("".join(f"{name}:{password}\n" for name, password in passwords.items()))
        subprocess.run(["mosquitto_passwd", "-U", str(file)], check=True)
        file.chmod(0o600)
        self.world.broker.configuration = (
            f"listener {self.world.port} 127.0.0.1\nallow_anonymous false\npassword_file {file}\nuser root\n")

    def join(self, daemon, password: str, *words: str) -> subprocess.CompletedProcess:
        (self.world.folder / "given").write_text(password + "\n")
        return subprocess.run(
            [hark_path(), "fleet", "join", f"mqtt://127.0.0.1:{self.world.port}/shop", "--user", daemon.name,
             "--password-file", str(self.world.folder / "given"), *words],
            env=daemon.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def test_joining_with_a_wrong_password_is_no_success(self):
        self.guard(hub="right")
        daemon = self.world.hub()
        daemon.settings = {"archive": False, "notify": None}
        daemon.configure()
        self.world.start(self.world.broker)
        self.world.start(daemon)
        done = self.join(daemon, "wrong", "--hub")
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("not there yet", done.stderr)
        daemon.tool("fleet", "leave")
        done = self.join(daemon, "right", "--hub", "--liveness", "30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("serving the fleet", done.stdout)
        daemon.tool("fleet", "leave")
        # That nobody is there yet is no error: the daemon goes on trying.
        self.world.broker.kill()
        done = self.join(daemon, "right", "--hub")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_hub_tells_where_events_come_from_and_that_nobody_is_in_a_group(self):
        hub = self.world.hub()
        kiosk = self.world.machine("kiosk-1", group="north")
        self.world.start(self.world.broker)
        self.world.start(hub, kiosk)
        hub.tool("record", "own")
        kiosk.tool("record", "door.opened", "door=left")
        kiosk.tool("log", "Paper is out")
        wait_until(lambda: is_brought(kiosk), "all is there")
        lines = hub.tool("events").splitlines()
        self.assertTrue(any("kiosk-1" in line and "door.opened" in line for line in lines), lines)
        self.assertIn("kiosk-1", hub.tool("logs"))
        self.assertIn("kiosk-1", hub.tool("session", "list"))
        header, *rows = hub.tool("events", "--csv").splitlines()
        place = header.split(",").index("machine")
        self.assertEqual(sorted(row.split(",")[place] for row in rows), ["", "kiosk-1"])
        self.assertNotIn("kiosk-1", kiosk.tool("events"))
        self.assertNotIn("machine", kiosk.tool("events", "--csv").splitlines()[0])
        flags = self.world.folder / "flags.json"
        flags.write_text("{}")
        done = subprocess.run(
            [hark_path(), "fleet", "push", str(flags), "--group", "nroth"], env=hub.environment(),
            capture_output=True, text=True, timeout=120)
        self.assertIn("no machine is in the group 'nroth'; did you mean 'north'?", done.stderr)
        self.assertNotIn("warning", hub.tool("fleet", "push", str(flags), "--group", "north"))

    def test_what_was_cleared_on_a_machine_is_listed_with_the_command_that_removes_it(self):
        hub = self.world.hub()
        kiosk = self.world.machine("kiosk-1")
        self.world.start(self.world.broker)
        self.world.start(hub, kiosk)
        kiosk.tool("session", "start", "--user", "ada l.")
        kiosk.tool("record", "door.opened")
        wait_until(lambda: is_brought(kiosk), "all is there")
        kiosk.tool("clear", "--user", "ada l.", "--yes")
        line = wait_until(lambda: next((
            line for line in hub.tool("fleet").splitlines() if line.startswith("to clear")), None), "it waits")
        command = line[line.index("hark clear"):]
        self.assertEqual(command, "hark clear --machine kiosk-1 --user 'ada l.'")
        subprocess.run(
            ["sh", "-ec", f"PATH={os.path.dirname(hark_path())}:$PATH\n{command} --yes"], env=hub.environment(), check=True,
            capture_output=True, timeout=120)
        self.assertNotIn("to clear", hub.tool("fleet"))
        self.assertNotIn("door.opened", hub.tool("events"))


if __name__ == "__main__":
    unittest.main()
