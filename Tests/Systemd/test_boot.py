"""Hark as `make install` leaves it, under real systemd: started, watched, reloaded, confined (rows D2, D3, E4)."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from container import ROOT, Container, end_on_signals, wait_until

end_on_signals()
# Other programs than the released ones, while one works on it: HARK_BUILT.
BUILT = pathlib.Path(os.environ.get("HARK_BUILT", ROOT / ".build" / "release"))
WATCHDOG_SECONDS = 2


def install(system):
    """`make install` into the tree, and the libraries that a package would depend on."""
    subprocess.run(
        ["make", "--no-print-directory", "-C", ROOT, "install", f"BIN={BUILT}", f"DESTDIR={system}", "PREFIX=/usr"],
        check=True, stdout=subprocess.DEVNULL)
    listing = subprocess.run(["ldd", BUILT / "harkd"], check=True, capture_output=True, encoding="utf-8").stdout
    for word in listing.split():
        if word.startswith("/") and not os.path.exists(f"{system}{word}"):
            os.makedirs(os.path.dirname(f"{system}{word}"), exist_ok=True)
            shutil.copy(word, f"{system}{word}")
    drop_in = system / "etc/systemd/system/harkd.service.d/test.conf"
    drop_in.parent.mkdir(parents=True)
    drop_in.write_text(f"[Service]\nWatchdogSec={WATCHDOG_SECONDS}\n")


@unittest.skipUnless(os.geteuid() == 0, "only root can boot a container: run this with sudo")
class HarkUnderSystemd(unittest.TestCase):
    """One boot serves all tests; each begins with the socket listening and the daemon not yet running."""

    @classmethod
    def setUpClass(cls):
        cls.machine = Container()
        cls.addClassCleanup(cls.machine.stop)
        cls.machine.start(install)
        cls.machine.run("systemd-sysusers")
        cls.machine.run("systemctl", "enable", "--now", "harkd.socket")
        for user in ("alice", "bob"):
            cls.machine.run("useradd", "--create-home", user)

    def setUp(self):
        self.machine.run("systemctl", "stop", "harkd.service")
        self.machine.run("systemctl", "reset-failed", "harkd.service", check=False)

    def call(self, method, user=None, **params):
        return json.loads(self.machine.run("hark", "call", method, json.dumps(params), user=user).stdout)

    def is_active(self):
        return self.machine.show("harkd.service", "ActiveState") == "active"

    def main_pid(self):
        return self.machine.show("harkd.service", "MainPID")

    def signal(self, name):
        self.machine.run("sh", "-c", f"kill -{name} {self.main_pid()}")

    def restarts(self):
        return int(self.machine.show("harkd.service", "NRestarts"))

    def record(self, name, count=1, user=None):
        return [self.call("event.record", user=user, name=name, app=self.id())["id"] for _ in range(count)]

    def recorded(self, user=None):
        return [event["id"] for event in self.call("event.list", user=user, app=self.id())["events"]]

    def journal(self):
        """What the daemon's present run has written, as the journal keeps it."""
        lines = self.machine.run(
            "journalctl", "--unit", "harkd.service", "--output", "json", "--no-pager",
            "_SYSTEMD_INVOCATION_ID=" + self.machine.show("harkd.service", "InvocationID")).stdout
        return [json.loads(line) for line in lines.splitlines()]

    # Starting

    def test_the_first_record_starts_the_daemon(self):
        self.assertEqual(self.machine.show("harkd.service", "ActiveState"), "inactive")
        self.machine.run("hark", "record", "first", "n:=1", user="alice")
        self.assertTrue(self.is_active())
        self.assertEqual(self.machine.run("stat", "-c", "%U", f"/proc/{self.main_pid()}").stdout, "hark\n")

    def test_the_status_line_says_what_the_daemon_does(self):
        self.record("seen")
        self.assertIn('Status: "Recording', self.machine.run("systemctl", "status", "harkd.service").stdout)

    def test_it_answers_on_the_socket_of_systemd(self):
        self.record("seen")
        status = self.call("daemon.status")
        self.assertEqual(str(status["pid"]), self.main_pid())
        self.assertTrue(status["store"]["path"].startswith("/var/lib/hark/"), status["store"]["path"])
        self.assertEqual(self.machine.run("stat", "-c", "%U %a", "/var/lib/hark").stdout.split(), ["hark", "700"])

    # Bad days

    def test_the_watchdog_ends_a_daemon_that_hangs_and_nothing_acknowledged_is_lost(self):
        ids = self.record("before", 20)
        before = self.restarts()
        self.signal("STOP")
        wait_until(lambda: self.restarts() > before and self.is_active(), "restarted by the watchdog", 30)
        said = self.machine.run("journalctl", "--unit", "harkd.service", "--no-pager", "--output", "cat").stdout
        self.assertIn("Watchdog timeout", said)
        self.assertEqual(self.recorded(), ids)
        self.assertEqual(len(self.record("after")), 1)

    def test_a_killed_daemon_comes_back_with_what_it_acknowledged(self):
        ids = self.record("before", 20)
        before = self.restarts()
        self.signal("KILL")
        wait_until(lambda: self.restarts() > before and self.is_active(), "restarted")
        self.assertEqual(self.recorded(), ids)

    def test_it_feeds_the_watchdog_while_it_is_well(self):
        self.record("before")
        pid, fed = self.main_pid(), self.machine.show("harkd.service", "WatchdogTimestampMonotonic")
        wait_until(lambda: self.machine.show("harkd.service", "WatchdogTimestampMonotonic") != fed, "fed again")
        self.assertEqual(self.main_pid(), pid)

    def test_a_stop_is_clean_and_the_socket_outlives_it(self):
        ids = self.record("before", 3)
        self.machine.run("systemctl", "stop", "harkd.service")
        self.assertEqual(self.machine.show("harkd.service", "Result"), "success")
        self.assertEqual(self.machine.show("harkd.service", "ExecMainStatus"), "0")
        self.assertEqual(self.recorded(), ids)

    def test_records_during_restarts_are_kept_when_they_were_acknowledged(self):
        script = f'for n in $(seq 120); do hark record n --json --app "{self.id()}"; done'
        with self.machine.started("sh", "-c", script, user="alice") as writer:
            for _ in range(3):
                self.machine.run("systemctl", "restart", "harkd.service")
            acknowledged = [json.loads(line)["id"] for line in writer.communicate(timeout=60)[0].splitlines()]
        self.assertGreater(len(acknowledged), 60)
        self.assertLessEqual(set(acknowledged), set(self.recorded(user="alice")))

    # Reload

    def set_config(self, text):
        self.machine.run("sh", "-c", "cat > /etc/hark/harkd.json", text=text)
        self.addCleanup(self.machine.run, "rm", "-f", "/etc/hark/harkd.json")

    def test_a_reload_is_over_when_the_new_settings_are_in_force(self):
        self.record("before")
        pid = self.main_pid()
        self.set_config('{"retention": "aggressive"}')
        self.machine.run("systemctl", "reload", "harkd.service")
        self.assertEqual(self.call("config.get")["config"]["retention"], "aggressive")
        self.assertEqual(self.main_pid(), pid)
        self.assertTrue(self.is_active())

    def test_a_reload_of_bad_settings_fails_and_the_old_ones_stay(self):
        self.record("before")
        kept = self.call("config.get")["config"]
        self.set_config('{"retention": 7')
        self.assertNotEqual(self.machine.run("systemctl", "reload", "harkd.service", check=False).returncode, 0)
        self.assertTrue(self.is_active())
        self.assertEqual(self.call("config.get")["config"], kept)

    def test_bad_settings_are_not_tried_again_at_once_and_the_socket_goes_on_listening(self):
        self.set_config('{"retention": 7')
        with self.machine.started("hark", "record", "waited", "--app", self.id()) as waiting:
            def refusals():
                return self.machine.run(
                    "journalctl", "--unit", "harkd.service", "--output", "cat", "--no-pager").stdout.count("is not usable")

            before = refusals()
            begin = time.monotonic()
            # Six at once would be too many for systemd, which would end the socket.
            wait_until(lambda: refusals() >= before + 4, "who waits has it started", seconds=60)
            self.assertGreater(time.monotonic() - begin, 8)
            self.assertEqual(self.restarts(), 0)
            self.assertEqual(self.machine.show("harkd.socket", "ActiveState"), "active")
            self.set_config("{}")
            self.assertEqual(waiting.wait(60), 0)
        self.assertEqual([event["name"] for event in self.call("event.list", app=self.id())["events"]], ["waited"])

    # Journal

    def test_the_journal_has_structured_fields(self):
        self.record("before")
        entries = self.journal()
        own = [entry for entry in entries if entry.get("_COMM") == "harkd"]
        self.assertTrue(own)
        for entry in own:
            self.assertEqual(entry["SYSLOG_IDENTIFIER"], "harkd")
            self.assertIn("PRIORITY", entry)
            self.assertIn("CODE_FUNC", entry)
        self.assertTrue([name for entry in own for name in entry if name.startswith("HARK_")], own)

    # Units

    def test_the_units_are_free_of_faults(self):
        # The compositor is the kiosk's own business; what is looked at is the unit.
        self.machine.run("ln", "-s", "/bin/true", "/usr/bin/cage")
        self.addCleanup(self.machine.run, "rm", "/usr/bin/cage")
        kiosk = self.machine.run(
            "systemd-analyze", "verify", "--man=no", "hark-kiosk.service")
        self.assertEqual(kiosk.stdout + kiosk.stderr, "")
        self.assertEqual(self.machine.show("hark-kiosk.service", "UnitFileState"), "disabled")
        for scope in ("--system", "--user"):
            done = self.machine.run(
                "env", "XDG_RUNTIME_DIR=/run", "systemd-analyze", "verify", scope, "--man=no", "harkd.service",
                "harkd.socket", "hark-failed@broken.service")
            self.assertEqual(done.stdout + done.stderr, "")

    def test_a_unit_that_fails_is_recorded(self):
        broken = "[Unit]\nOnFailure=hark-failed@%n.service\n[Service]\nExecStart=/bin/sh -c 'exit 3'\n"
        self.machine.run("sh", "-c", "cat > /run/systemd/system/broken-nightly.service", text=broken)
        self.addCleanup(self.machine.run, "rm", "/run/systemd/system/broken-nightly.service")
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "start", "broken-nightly.service")
        failed = wait_until(
            lambda: self.call("event.list", name="unit_failed")["events"], "the failure is recorded")
        self.assertEqual([event["properties"] for event in failed], [{
            "unit": "broken-nightly.service", "result": "exit-code", "exitCode": "exited", "exitStatus": "3"}])

    def test_the_guide_has_a_failing_unit_recorded(self):
        recipe = (ROOT / "docs" / "guides" / "programs.md").read_text().split("\n## A unit that fails\n")[1].split("\n## ")[0]
        drop_in, look = (recipe.split(f"```{language}\n")[1].split("```")[0] for language in ("ini", "sh"))
        self.machine.run("mkdir", "-p", "/run/systemd/system/reports.service.d")
        for place, text in (("reports.service", "[Service]\nExecStart=/bin/false\n"),
                            ("reports.service.d/hark.conf", drop_in)):
            self.machine.run("sh", "-c", f"cat > /run/systemd/system/{place}", text=text)
        self.addCleanup(self.machine.run, "rm", "-r", "/run/systemd/system/reports.service.d",
                        "/run/systemd/system/reports.service")
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "start", "reports.service")
        wait_until(lambda: "unit=reports.service" in self.machine.run("sh", "-c", look).stdout, "it is in the list")

    def test_the_system_units_are_confined(self):
        for unit, bound in (("harkd.service", 10), ("hark-failed@x.service", 15)):
            done = self.machine.run("systemd-analyze", "security", "--no-pager", f"--threshold={bound}", unit, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_service_has_bounds_and_leaves_no_core(self):
        for member, value in {
            "MemoryMax": str(1 << 30), "TasksMax": "512", "LimitCORE": "0", "OOMPolicy": "continue",
        }.items():
            self.assertEqual(self.machine.show("harkd.service", member), value, member)

    def test_without_a_network_a_destination_is_told_what_it_lacks_and_the_drop_in_gives_it(self):
        self.record("before")
        self.set_config('{"destinations": [{"name": "x", "kind": "http", "url": "http://127.0.0.1:9/"}]}')
        reloaded = self.machine.run("hark", "call", "daemon.reload")
        problems = json.loads(reloaded.stdout)["problems"]
        self.assertEqual([problem["path"] for problem in problems], ["$.destinations[0].url"])
        self.assertIn("/usr/share/hark/network.conf", problems[0]["message"])
        self.record("sent")
        wait_until(lambda: "network.conf" in self.machine.run("hark", "status").stdout, "hark status says what to do")
        self.assertIn("network.conf", self.machine.run("hark", "delivery").stdout)
        said = self.machine.run("journalctl", "--unit", "harkd.service", "--no-pager", "--output", "cat").stdout
        self.assertIn("network.conf", said)

        drop_in = "/etc/systemd/system/harkd.service.d/network.conf"
        self.machine.run("install", "-D", "-m", "644", "/usr/share/hark/network.conf", drop_in)
        self.addCleanup(self.machine.run, "systemctl", "daemon-reload")
        self.addCleanup(self.machine.run, "rm", drop_in)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "harkd.service")
        # The daemon has opened a socket of that family to see; there is no network here to go further.
        self.assertEqual(self.call("config.get")["problems"], [])

    def test_the_confined_daemon_is_told_how_the_machine_is_connected(self):
        network = self.call("network.status")["network"]
        self.assertEqual(network["interfaces"][0]["name"], "lo")
        self.assertEqual(network["interfaces"][0]["kind"], "loopback")
        self.assertFalse(network["satisfied"])  # a container with no network of its own

    # The doctor

    def examine(self):
        """What `hark doctor` finds wrong, by its ids."""
        checks = json.loads(self.machine.run("hark", "doctor", "--json", check=False).stdout)["checks"]
        return {check["id"]: check for check in checks if check["state"] != "ok"}

    def mend(self, words):
        """Runs the command that comes with what is wrong with the unit, and all is well then."""
        found = self.examine()["service"]
        self.assertIn(words, found["message"])
        self.machine.run("sh", "-c", found["mend"])
        left = self.examine()
        self.assertEqual({"service", "daemon"} & set(left), set(), left)

    def test_the_doctor_mends_a_unit_that_is_masked(self):
        self.machine.run("systemctl", "mask", "--now", "harkd.service")
        self.mend("masked")

    def test_the_doctor_mends_a_unit_that_is_not_enabled(self):
        self.machine.run("systemctl", "disable", "--now", "harkd.socket")
        self.mend("not enabled")
        self.assertEqual(self.machine.run("systemctl", "is-enabled", "harkd.socket").stdout, "enabled\n")

    def test_the_doctor_opens_the_settings_that_a_unit_has_failed_for(self):
        self.machine.run("sh", "-c", "mkdir -p /etc/hark && echo '{\"archive\": 1}' > /etc/hark/harkd.json")
        self.addCleanup(self.machine.run, "rm", "-f", "/etc/hark/harkd.json")
        self.machine.run("systemctl", "start", "harkd.service", check=False)
        wait_until(lambda: self.machine.show("harkd.service", "ActiveState") == "failed", "it has failed", seconds=60)
        line = self.examine()["configuration"]["mend"]
        self.machine.run("env", "EDITOR=sed -i s/1/false/", "sh", "-c", line.replace("+1 ", ""))
        # The socket has gone on listening, so whoever asks starts the daemon again.
        wait_until(lambda: not {"configuration", "service", "daemon"} & set(self.examine()), "all is well")

    # Who may do what

    def test_any_user_records_and_reads_only_their_own(self):
        own = self.record("mine", user="alice")
        other = self.record("mine", user="bob")
        self.assertEqual(self.recorded(user="alice"), own)
        self.assertEqual(self.recorded(user="bob"), other)
        self.assertEqual(self.recorded(), own + other)

    def test_another_users_session_cannot_be_read_or_cleared(self):
        own = self.record("mine", user="alice")
        session = self.call("session.current", user="alice", app=self.id())["session"]["id"]
        self.assertEqual(self.call("event.list", user="bob", sessionId=session)["events"], [])
        for method in ("session.get", "session.end", "event.clear"):
            done = self.machine.run(
                "hark", "call", method, json.dumps({"sessionId": session}), user="bob", check=False)
            self.assertNotEqual(done.returncode, 0, f"{method}: {done.stdout}")
        self.assertEqual(self.recorded(user="alice"), own)

    def test_a_user_cannot_reload_the_systems_daemon(self):
        self.record("before")
        self.assertNotEqual(self.machine.run("hark", "call", "daemon.reload", user="alice", check=False).returncode, 0)

    def test_a_user_has_a_daemon_of_their_own(self):
        # Of a user whom no other test has: her choice of a daemon holds when she is logged out as well.
        self.machine.run("useradd", "--create-home", "dora")
        self.machine.run("loginctl", "enable-linger", "dora")
        folder = "/run/user/" + self.machine.run("id", "-u", "dora").stdout.strip()
        self.addCleanup(self.machine.run, "loginctl", "disable-linger", "dora", check=False)
        session = ("env", f"XDG_RUNTIME_DIR={folder}")
        up = (*session, "systemctl", "--user", "is-system-running")
        wait_until(
            lambda: self.machine.run(*up, user="dora", check=False).stdout.strip() in ("running", "degraded"),
            "dora's systemd is up")
        self.machine.run(*session, "systemctl", "--user", "enable", "--now", "harkd.socket", user="dora")
        self.machine.run(*session, "hark", "record", "own", "n:=1", user="dora")
        self.assertEqual(
            self.machine.run(*session, "systemctl", "--user", "is-active", "harkd", user="dora").stdout, "active\n")
        events = json.loads(self.machine.run(*session, "hark", "call", "event.list", "{}", user="dora").stdout)["events"]
        self.assertEqual([event["name"] for event in events], ["own"])
        self.assertFalse(self.is_active())
        modes = self.machine.run("stat", "-c", "%a", f"{folder}/hark", f"{folder}/hark/hark.sock").stdout.split()
        self.assertEqual(modes, ["700", "600"])
        # What is confined without a file system of its own reaches that daemon as well.
        self.machine.run(*session, "systemctl", "--user", "start", "hark-failed@mine.service", user="dora")
        events = json.loads(self.machine.run(*session, "hark", "call", "event.list", "{}", user="dora").stdout)["events"]
        self.assertEqual([event["properties"].get("unit") for event in events], [None, "mine"])
        # Logged out, what she records does not go astray into the machine's daemon: it is refused with what to do.
        self.machine.run("loginctl", "disable-linger", "dora")
        wait_until(lambda: self.machine.run("test", "-e", folder, check=False).returncode != 0, "dora is gone")
        done = self.machine.run("hark", "record", "own", user="dora", check=False)
        self.assertEqual(done.returncode, 69, done.stdout)
        self.assertIn("loginctl enable-linger", done.stderr)
        self.assertFalse(self.is_active())


if __name__ == "__main__":
    unittest.main()
