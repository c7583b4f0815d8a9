"""The journal of a machine under real systemd as a source of events: units that fail, and who may read it."""

import json
import os
import re
import unittest

from container import ROOT, Container, end_on_signals, wait_until
from test_boot import install

end_on_signals()
PAGE = (ROOT / "docs" / "guides" / "journal.md").read_text()
FAILS = "[Service]\nExecStart=/bin/sh -c 'exit 3'\n"


@unittest.skipUnless(os.geteuid() == 0, "only root can boot a container: run this with sudo")
class JournalOfTheMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Container()
        cls.addClassCleanup(cls.machine.stop)
        cls.machine.start(install)
        cls.machine.run("systemd-sysusers")
        # So accounts have a journal of their own.
        cls.machine.run("mkdir", "-p", "/var/log/journal")
        cls.machine.run("systemctl", "restart", "systemd-journald")
        cls.machine.run("journalctl", "--flush")
        cls.machine.run("systemctl", "enable", "--now", "harkd.socket")

    def write(self, path, text):
        self.machine.run("sh", "-c", f'mkdir -p "$(dirname {path})" && cat > {path}', text=text)

    def failures(self, *session, user=None):
        listed = self.machine.run(*session, "hark", "call", "event.list", '{"name":"unit_failed"}', user=user).stdout
        return [event["properties"] for event in json.loads(listed)["events"]]

    def test_the_page_has_every_unit_of_the_machine_that_fails_recorded(self):
        settings = re.search(r"```jsonc\n(.*?)```", PAGE, re.DOTALL).group(1)
        self.write("/etc/hark/harkd.json", settings)
        self.machine.run("systemctl", "restart", "harkd")
        # Nobody has let it read yet: that is told with the group that is missing.
        for words in (("status",), ("doctor",)):
            said = self.machine.run("hark", *words, check=False).stdout
            self.assertIn("group systemd-journal", said)
        drop_in = re.search(r"```ini\n(.*?)```", PAGE, re.DOTALL).group(1)
        self.write("/etc/systemd/system/harkd.service.d/journal.conf", drop_in)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "harkd")
        self.assertNotIn("systemd-journal", self.machine.run("hark", "status").stdout)
        self.write("/run/systemd/system/nightly.service", FAILS)
        self.machine.run("systemctl", "daemon-reload")
        for _ in range(2):
            self.machine.run("systemctl", "start", "nightly.service")
            self.machine.run("systemctl", "restart", "harkd")
        wanted = {"unit": "nightly.service", "result": "exit-code"}
        wait_until(lambda: len(self.failures()) >= 2, "both failures are recorded")
        # What pretends to be systemd is not believed.
        self.machine.run(
            "logger", "--journald", text="MESSAGE_ID=d9b373ed55a64feb8242e02dbe79a49c\nUNIT=forged.service\nMESSAGE=x\n")
        self.machine.run("systemctl", "start", "nightly.service")
        wait_until(lambda: len(self.failures()) >= 3, "the next one is recorded")
        self.assertEqual(self.failures(), [wanted] * 3)

    def test_a_users_daemon_reads_that_users_journal_without_rights(self):
        self.machine.run("useradd", "--create-home", "erna")
        self.machine.run("loginctl", "enable-linger", "erna")
        self.addCleanup(self.machine.run, "loginctl", "disable-linger", "erna", check=False)
        number = self.machine.run("id", "-u", "erna").stdout.strip()
        session = ("env", f"XDG_RUNTIME_DIR=/run/user/{number}")
        wait_until(
            lambda: self.machine.run(*session, "systemctl", "--user", "is-system-running", user="erna", check=False)
            .stdout.strip() in ("running", "degraded"), "erna's systemd is up")
        for path, text in ((".config/hark/harkd.json", '{"journal": [{"name": "failed-units", "preset": "failed-units"}]}'),
                           (".config/systemd/user/mine.service", FAILS)):
            self.machine.run("sh", "-c", f'mkdir -p "$(dirname /home/erna/{path})" && cat > /home/erna/{path}', user="erna", text=text)
        self.machine.run(*session, "systemctl", "--user", "daemon-reload", user="erna")
        self.machine.run(*session, "systemctl", "--user", "enable", "--now", "harkd.socket", user="erna")
        status = json.loads(self.machine.run(*session, "hark", "status", "--json", user="erna").stdout)
        self.assertEqual([problem for problem in status["problems"] if problem["about"] == "journal"], [])
        self.machine.run(*session, "systemctl", "--user", "start", "mine.service", user="erna", check=False)
        failed = wait_until(lambda: self.failures(*session, user="erna"), "the failure is recorded")
        self.assertEqual(failed, [{"unit": "mine.service", "result": "exit-code"}])


if __name__ == "__main__":
    unittest.main()
