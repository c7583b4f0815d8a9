"""One account, one daemon: logged in, logged out and by cron, under real systemd."""

import json
import os
import unittest

from container import Container, end_on_signals, wait_until
from test_boot import install

end_on_signals()


@unittest.skipUnless(os.geteuid() == 0, "only root can boot a container: run this with sudo")
class OneDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Container()
        cls.addClassCleanup(cls.machine.stop)
        cls.machine.start(install)
        cls.machine.run("systemd-sysusers")
        cls.machine.run("systemctl", "enable", "--now", "harkd.socket")
        for user in ("alice", "carol", "lab05"):
            cls.machine.run("useradd", "--create-home", user)

    def login(self, user):
        """A session of `user`, as one that logs in has it; it ends with the body of `with`."""
        return self.machine.started(
            "systemd-run", "--quiet", "--wait", "--pipe", "--collect", "-p", "PAMName=login", "-p", f"User={user}",
            "--unit", f"login-{user}", "sleep", "infinity")

    def uid(self, user):
        return self.machine.run("id", "-u", user).stdout.strip()

    def is_logged_in(self, user):
        """Whether its systemd runs, by which its own daemon is started."""
        return self.machine.show(f"user@{self.uid(user)}.service", "ActiveState") == "active"

    def log_in(self, user):
        self.enterContext(self.login(user))
        wait_until(lambda: self.is_logged_in(user), f"{user} is logged in")

    def log_out(self, user):
        self.machine.run("systemctl", "stop", f"login-{user}.service", check=False)
        self.machine.run("loginctl", "terminate-user", user, check=False)
        folder = f"/run/user/{self.uid(user)}"
        wait_until(
            lambda: self.machine.run("test", "-e", folder, check=False).returncode != 0, f"{user} is logged out")

    def logged_in(self, user, *command, check=True):
        """Runs a command as a program of a session does."""
        return self.machine.run(
            "env", f"HOME=/home/{user}", f"USER={user}", f"XDG_RUNTIME_DIR=/run/user/{self.uid(user)}", *command,
            user=user, check=check)

    def by_cron(self, user, *command, check=True):
        """Runs a command as cron does: with the variables that crontab(5) names, and no session."""
        return self.machine.run(
            "env", f"HOME=/home/{user}", f"LOGNAME={user}", "SHELL=/bin/sh", *command, user=user, check=check)

    def names(self, run, user, *socket):
        lines = run(user, "env", *socket, "hark", "events", "--json").stdout.splitlines()
        return [json.loads(line)["name"] for line in lines]

    def machines_names(self, user):
        """What the machine's daemon has of an account."""
        return self.names(self.by_cron, user, "HARK_SOCKET=/run/hark/hark.sock")

    def doubts(self, user):
        checks = json.loads(self.by_cron(user, "hark", "doctor", "--json", check=False).stdout)["checks"]
        return {check["id"]: check for check in checks if check["id"] in ("place", "lingering")}

    def test_logged_in_logged_out_and_by_cron_an_account_has_the_machines_daemon(self):
        self.by_cron("alice", "hark", "run", "--name", "first", "--no-start", "--", "true")
        self.log_in("alice")
        self.logged_in("alice", "hark", "record", "here")
        self.by_cron("alice", "hark", "run", "--name", "second", "--no-start", "--", "true")
        self.log_out("alice")
        self.by_cron("alice", "hark", "run", "--name", "third", "--no-start", "--", "true")
        wanted = ["first", "here", "second", "third"]
        self.assertEqual(self.names(self.by_cron, "alice"), wanted)
        self.assertEqual(self.machines_names("alice"), wanted)
        self.log_in("alice")
        self.assertEqual(self.names(self.logged_in, "alice"), wanted)
        self.assertNotEqual(self.machine.run("test", "-e", "/home/alice/.local/state/hark", check=False).returncode, 0)
        self.assertEqual(self.doubts("alice"), {})
        # Root, and whoever administers, sees it without asking elsewhere.
        root = self.machine.run("hark", "events", "--name", "third", "--json").stdout.splitlines()
        self.assertEqual([json.loads(line)["source"]["uid"] for line in root], [int(self.uid("alice"))])

    def test_an_account_that_has_chosen_its_own_daemon_uses_no_other(self):
        self.by_cron("carol", "hark", "record", "before")
        self.log_in("carol")
        self.logged_in("carol", "systemctl", "--user", "enable", "--now", "harkd.socket")
        self.logged_in("carol", "hark", "record", "here")
        self.by_cron("carol", "hark", "record", "job")
        self.assertEqual(self.names(self.by_cron, "carol"), ["here", "job"])
        # What was recorded before is found, and the command that is given brings it along.
        doubts = self.doubts("carol")
        self.assertEqual(set(doubts), {"place", "lingering"})
        self.by_cron("carol", "sh", "-c", doubts["place"]["mend"])
        self.assertEqual(sorted(self.names(self.by_cron, "carol")), ["before", "here", "job"])
        self.assertEqual(self.machines_names("carol"), [])

        # While it is away, nothing goes elsewhere.
        self.log_out("carol")
        refused = self.by_cron("carol", "hark", "record", "late", check=False)
        self.assertEqual(refused.returncode, 69, refused.stderr)
        self.assertIn("enable-linger", refused.stderr)
        self.machine.run("loginctl", "enable-linger", "carol")
        self.addCleanup(self.machine.run, "loginctl", "disable-linger", "carol")
        wait_until(lambda: self.is_logged_in("carol"), "its systemd runs without a session")
        wait_until(
            lambda: self.by_cron("carol", "hark", "record", "late", check=False).returncode == 0, "its daemon is there")
        self.assertEqual(sorted(self.names(self.by_cron, "carol")), ["before", "here", "job", "late"])
        self.assertEqual(self.machines_names("carol"), [])
        self.assertEqual(self.doubts("carol"), {})

    def test_root_asks_an_account_and_gets_its_answer(self):
        question = ["hark", "prompt", "--user", "lab05", "Is the lab free?", "Yes", "No", "--timeout", "50s"]
        with self.machine.started(*question) as asking:
            def waiting():
                told = json.loads(self.by_cron("lab05", "hark", "surveys", "--json").stdout)["surveys"]
                return told and told[0]["presentationId"]

            self.by_cron("lab05", "hark", "answer", wait_until(waiting, "the question has come"), "--option", "No")
            self.assertEqual(asking.communicate(timeout=60)[0], "No\n")
            self.assertEqual(asking.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
