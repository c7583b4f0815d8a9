"""systemd's journal as a source: a real journald, the real daemon, kills, rotation, vacuum, bursts and entries of all kinds."""

import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest

from journald import Journald
from programs import daemon_path, hark, hark_path
from tests.daemon import Daemon
from waiting import wait_until

#: Where chance begins, and how much is written in a burst.
SEED = int(os.environ.get("HARK_JOURNAL_SEED", "0")) or random.randrange(1 << 32)
BURST = int(os.environ.get("HARK_JOURNAL_BURST", "40000"))
#: How many entries are written while the daemon is killed again and again.
WALK = int(os.environ.get("HARK_JOURNAL_WALK", "6000"))
#: How long a client may wait beside a burst, in seconds; a debug build on a busy machine is slow.
PATIENCE = float(os.environ.get("HARK_JOURNAL_PATIENCE", "1"))


class Story(unittest.TestCase):
    most, file = "1G", "8M"

    def setUp(self):
        self.journal = Journald(self.most, self.file)
        self.addCleanup(self.journal.remove)

    def daemon(self, *sources, start=True):
        self.sources = [{"folder": str(self.journal.folder), **source} for source in sources]
        self.made = Daemon({"notify": None, "journal": self.sources})
        self.addCleanup(self.made.remove)
        if start:
            self.begin()
        return self.made

    def begin(self):
        self.made.start()
        self.client = hark.Client(self.made.path)
        self.addCleanup(self.client.close)
        # It listens before it reads, and answers when it does.
        self.client.call("hello")

    def status(self):
        return self.client.call("daemon.status")

    def source(self, place=0):
        return self.status()["journal"][place]

    def events(self, name):
        return list(self.client.events(name=name))

    def numbers(self, name="entry"):
        return [event.properties["n"] for event in self.events(name)]

    def count(self):
        return int(self.tool("sql", "--csv", "SELECT count(*) FROM events WHERE name = 'entry'").stdout.split()[-1])

    def tool(self, *words):
        return subprocess.run(
            [hark_path(), *words], env={**os.environ, "HARK_SOCKET": self.made.path}, capture_output=True, text=True)

    def comes(self, count, name="entry", seconds=60):
        """The numbers of the events once there are so many."""
        wait_until(lambda: len(self.events(name)) >= count, f"{count} events", seconds)
        return self.numbers(name)


NUMBERED = {"name": "numbered", "match": {"KIND": "wanted"}, "event": "entry", "properties": {"n": {"field": "N", "as": "integer"}}}


class Once(Story):
    most, file = "8G", "64M" if WALK > 100_000 else "8M"

    def test_each_entry_once_over_kills_rotation_and_vacuum(self):
        chance = random.Random(SEED)
        self.daemon(NUMBERED)
        total, wanted, ended, writing = WALK, [], threading.Event(), threading.Lock()

        def write():
            for number in range(total):
                is_wanted = chance.random() < 0.5
                with writing:
                    if is_wanted:
                        wanted.append(number)
                    self.journal.write(f"entry {number}", N=number, KIND="wanted" if is_wanted else "other", PAD="x" * 500)
                if number % (total // 150) == 0:
                    time.sleep(0.02)
                if number % (total * 3 // 20) == total * 3 // 20 - 1:
                    self.journal.rotate()
            ended.set()

        writer = threading.Thread(target=write)
        writer.start()
        self.addCleanup(writer.join)
        kills = 0
        while not ended.is_set():
            time.sleep(random.Random(SEED + kills).uniform(0.05, 0.4))
            self.made.end(signal.SIGKILL if kills % 3 else signal.SIGTERM)
            kills += 1
            self.begin()
            if kills % 4 == 0:
                # What was read may go, also while it is open. What is written meanwhile would go unread; and so would entries
                # that are not wanted, behind the last one that is.
                with writing:
                    wanted.append(-kills)
                    self.journal.write("last one", N=-kills, KIND="wanted")
                    wait_until(lambda: self.count() >= len(wanted), f"all that was there is read (seed {SEED})", 120)
                    self.journal.vacuum()
        writer.join()
        self.assertGreater(kills, 3)
        wait_until(lambda: self.count() >= len(wanted), f"all are read (seed {SEED})", 120)
        self.assertEqual(self.numbers(), wanted, f"seed {SEED}")
        # A last one shows that nothing came twice behind them.
        self.journal.write(KIND="wanted", N=total)
        self.assertEqual(self.comes(len(wanted) + 1), [*wanted, total], f"seed {SEED}")
        self.assertEqual(self.events("journal.gap"), [])

    def test_what_came_while_the_daemon_was_away_is_read_and_what_came_before_the_first_start_is_not(self):
        self.journal.write(KIND="wanted", N=1)
        self.journal.settle(last=1)
        self.daemon(NUMBERED, {**NUMBERED, "name": "all", "since": "oldest", "event": "every"})
        self.assertEqual(self.comes(1, "every"), [1])
        self.made.end()
        self.journal.write(KIND="wanted", N=2)
        self.journal.settle(last=2)
        self.begin()
        self.assertEqual(self.comes(1), [2])
        self.assertEqual(self.comes(2, "every"), [1, 2])
        # The event has the time of the entry, and is nobody's.
        event, = self.events("entry")
        self.assertLess(event.timestamp.timestamp(), time.time())
        self.assertEqual((event.user, event.uid), (None, os.getuid()))

    def test_a_clear_does_not_bring_back_what_was_read(self):
        self.daemon(NUMBERED)
        self.journal.write(KIND="wanted", N=1)
        self.comes(1)
        subprocess.run(
            [hark_path(), "clear", "--all", "--yes"], env={**os.environ, "HARK_SOCKET": self.made.path}, check=True,
            capture_output=True)
        self.made.end()
        self.begin()
        self.journal.write(KIND="wanted", N=2)
        self.assertEqual(self.comes(1), [2])

    def test_a_source_that_comes_back_goes_on_where_it_was(self):
        self.daemon(NUMBERED)
        self.journal.write(KIND="wanted", N=1)
        self.comes(1)
        settings = self.made.folder / "config" / "harkd.json"
        settings.write_text(json.dumps({"notify": None}))
        self.client.call("daemon.reload")
        self.assertEqual(self.status()["journal"], [])
        self.journal.write(KIND="wanted", N=2)
        self.journal.settle(last=2)
        settings.write_text(json.dumps({"notify": None, "journal": self.sources}))
        self.client.call("daemon.reload")
        self.assertEqual(self.comes(2), [1, 2])


class Gap(Story):
    most, file = "6M", "1M"

    def test_entries_that_were_gone_before_they_were_read_are_told_once(self):
        self.daemon(NUMBERED)
        self.journal.write(KIND="wanted", N=0)
        self.comes(1)
        self.made.end(signal.SIGTERM)
        # journald itself removes the oldest for want of room.
        for number in range(1, 20_001):
            self.journal.write("x", N=number, KIND="wanted", PAD=os.urandom(100).hex())
        self.journal.settle(last=20_000)
        left = [int(number) for number in self.journal.read("--output-fields=N", "KIND=wanted").split()]
        self.assertGreater(left[0], 1)
        self.begin()
        self.assertEqual(self.comes(1 + len(left)), [0, *left])
        gap, = self.events("journal.gap")
        self.assertEqual(gap.properties["source"], "numbered")
        self.assertLess(gap.properties["after"], gap.properties["until"])
        self.assertEqual(self.source()["gaps"], 1)
        for _ in range(2):
            self.made.end()
            self.begin()
        self.journal.write(KIND="wanted", N=20_001)
        self.assertEqual(self.comes(2 + len(left)), [0, *left, 20_001])
        self.assertEqual(len(self.events("journal.gap")), 1)

    def test_a_vacuum_of_what_was_looked_at_is_no_gap(self):
        self.daemon(NUMBERED)
        self.journal.write(KIND="wanted", N=0)
        self.comes(1)
        for number in range(1, 12_001):
            self.journal.write("x", N=number, KIND="other", PAD=os.urandom(100).hex())
        self.journal.settle(last=12_000)
        self.assertEqual(self.journal.read("KIND=wanted"), "")
        # Entries of the last 200 ms count as not looked at, because they get their time before they are to be seen.
        written = time.time()
        wait_until(lambda: time.time() > written + 0.3, "all that is there is older than that")
        self.made.end(signal.SIGTERM)
        self.begin()
        self.journal.write(KIND="wanted", N=1)
        self.assertEqual(self.comes(2), [0, 1])
        self.assertEqual(self.events("journal.gap"), [])

    def test_entries_that_were_gone_are_told_where_none_was_taken_before(self):
        self.daemon(NUMBERED, {**NUMBERED, "name": "all", "since": "oldest", "event": "every"})
        wait_until(lambda: all(source["state"] == "waiting" for source in self.status()["journal"]), "all is read")
        self.made.end(signal.SIGKILL)
        for number in range(20_000):
            self.journal.write("x", N=number, KIND="wanted", PAD=os.urandom(100).hex())
        self.journal.settle(last=19_999)
        left = [int(number) for number in self.journal.read("--output-fields=N", "KIND=wanted").split()]
        self.assertGreater(left[0], 0)
        self.begin()
        self.assertEqual(self.comes(len(left)), left)
        self.assertEqual(self.comes(len(left), "every"), left)
        self.assertEqual(sorted(gap.properties["source"] for gap in self.events("journal.gap")), ["all", "numbered"])


class Burst(Story):
    most, file = "8G", "64M"

    def test_a_burst_is_recorded_whole_and_holds_no_client_up(self):
        # The second looks at all of them and takes none.
        self.daemon(NUMBERED, {**NUMBERED, "name": "none", "match": {"KIND": "wanted", "NEVER": "1"}})
        self.made.end(signal.SIGTERM)
        for number in range(BURST):
            self.journal.write("x", N=number, KIND="wanted")
        self.journal.settle(last=BURST - 1)
        self.begin()
        start, slowest, records = time.monotonic(), 0.0, 0
        while self.source()["taken"] < BURST:
            before = time.monotonic()
            self.client.record("tick")
            slowest = max(slowest, time.monotonic() - before)
            records += 1
            self.assertLess(time.monotonic() - start, 600)
        seconds = time.monotonic() - start
        if "HARK_JOURNAL_BURST" in os.environ:
            print(f"\n{BURST} entries in {seconds:.1f} s; {records} records meanwhile, the slowest {slowest * 1000:.0f} ms")
        self.assertLess(slowest, PATIENCE)
        self.assertEqual(self.numbers(), list(range(BURST)))
        wait_until(lambda: self.source(1)["state"] == "waiting", "the other one has looked at all", 60)
        self.assertEqual(self.source(1)["taken"], 0)


class Content(Story):
    def test_fields_become_properties_of_their_types_whatever_is_in_them(self):
        self.daemon({
            "name": "all", "match": {}, "event": "entry", "properties": {
                "n": {"field": "N", "as": "integer"}, "half": {"field": "HALF", "as": "number"},
                "yes": {"field": "YES", "as": "bool"}, "text": "TEXT", "either": ["FIRST", "SECOND"], "who": {"field": "_PID", "as": "integer"},
                "bad": {"field": "BAD", "as": "integer"}, "none": "NONE"}})
        long = "é" * 5_000
        self.journal.write(
            "m", N=-7, HALF="2.5e3", YES="true", TEXT=b"a\x00\xff\xfe\nb", SECOND="2", BAD="12x", HUGE=os.urandom(1 << 21))
        self.journal.write(N=1, TEXT=long, FIRST="1", SECOND="2")
        self.journal.write(N=2, TEXT="")
        self.comes(3)
        first, second, third = (event.properties for event in self.events("entry"))
        self.assertEqual(first, {
            "n": -7, "half": 2500.0, "yes": True, "text": "a\ufffd\ufffd\ufffd\nb", "either": "2", "who": os.getpid()})
        self.assertEqual(second["either"], "1")
        self.assertEqual(second["text"], "é" * 2_048 + "…")
        self.assertEqual(third, {"n": 2, "text": "", "who": os.getpid()})

    def test_matches_are_any_of_several_and_all_fields_of_each(self):
        self.daemon({
            "name": "matches", "event": "entry", "properties": {"n": {"field": "N", "as": "integer"}}, "match": [
                {"A": ["1", "2"], "B": 5}, {"priority": "err", "identifier": "tool"},
                {"messageId": "D9B373ED-55A6-4FEB-8242-E02DBE79A49C"}]})
        wanted = []
        for number, (is_wanted, fields) in enumerate([
                (True, {"A": 1, "B": 5}), (True, {"A": 2, "B": 5, "C": 1}), (False, {"A": 3, "B": 5}), (False, {"A": 1}),
                (False, {"B": 5}), (True, {"PRIORITY": 3, "SYSLOG_IDENTIFIER": "tool"}),
                (True, {"PRIORITY": 0, "SYSLOG_IDENTIFIER": "tool"}), (False, {"PRIORITY": 4, "SYSLOG_IDENTIFIER": "tool"}),
                (False, {"PRIORITY": 3, "SYSLOG_IDENTIFIER": "tools"}), (False, {"A": "11", "B": 5}),
                (True, {"MESSAGE_ID": "d9b373ed55a64feb8242e02dbe79a49c"}), (False, {"MESSAGE_ID": "0" * 32})]):
            self.journal.write(N=number, **fields)
            if is_wanted:
                wanted.append(number)
        self.assertEqual(self.comes(len(wanted)), wanted)

    def test_log_entries_have_message_level_and_origin(self):
        self.daemon({"name": "log", "match": {"KIND": "log"}, "log": True})
        for priority, message in [(2, "bad"), (4, "odd"), (6, "so"), (None, b"\xffbytes")]:
            self.journal.write(message, KIND="log", SYSLOG_IDENTIFIER="till", **({} if priority is None else {"PRIORITY": priority}))
        entries = wait_until(
            lambda: (found := self.client.call("log.list")["entries"]) and len(found) == 4 and found, "the lines are there")
        self.assertEqual(
            [(entry["level"], entry["message"]) for entry in entries],
            [("error", "bad"), ("warning", "odd"), ("info", "so"), ("info", "\ufffdbytes")])
        self.assertEqual(entries[0]["metadata"], {"identifier": "till", "pid": os.getpid()})

    def test_what_the_daemon_writes_itself_is_not_recorded(self):
        self.daemon(NUMBERED)
        # A daemon's line is known by its process, or by what it calls itself while its program has that name. journald looks
        # for the name when it reads the line, so the program stays until then.
        script = ("import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(sys.argv[1]); "
                  "[s.send(text.encode()) for text in sys.argv[2:]]; sys.stdin.read()")
        copy = self.made.folder / "harkd"
        copy.symlink_to("/usr/bin/python3")
        path = f"/proc/{self.journal.process.pid}/root/run/systemd/journal/socket"
        lines = [f"KIND=wanted\nN={n}\nSYSLOG_IDENTIFIER={name}\n" for n, name in [(1, "harkd"), (2, "other")]]
        with subprocess.Popen([copy, "-c", script, path, *lines], stdin=subprocess.PIPE) as program:
            self.comes(1)
            self.journal.write(KIND="wanted", N=3, SYSLOG_IDENTIFIER="harkd")
            found = self.comes(2)
            program.stdin.close()
        self.assertEqual(found, [2, 3])


class Telling(Story):
    def test_status_tells_how_far_it_is(self):
        self.daemon(NUMBERED)
        self.journal.write(KIND="wanted", N=1)
        self.comes(1)
        wait_until(lambda: self.source()["state"] == "waiting", "all is read")
        source = self.source()
        self.assertEqual((source["name"], source["taken"], source["refused"], source["gaps"]), ("numbered", 1, 0, 0))
        self.assertRegex(self.tool("status").stdout, r"journal +numbered is read up to .*, 1 taken")

    def test_a_folder_that_may_not_be_read_or_is_not_there_is_told_and_tried_again(self):
        self.daemon(NUMBERED, {**NUMBERED, "name": "lost", "folder": str(self.journal.root / "none")})
        self.assertEqual([source["state"] for source in self.status()["journal"]][1], "failed")
        problem, = self.status()["problems"]
        self.assertEqual(problem["about"], "journal")
        self.assertIn("lost: there is no folder", problem["message"])
        self.assertIn("there is no folder", self.tool("status").stdout)
        self.assertIn("there is no folder", self.tool("doctor").stdout)

    def test_an_account_without_rights_is_told_the_group(self):
        folder = self.journal.root / "account"
        folder.mkdir()
        os.chown(folder, 65534, 65534)
        for source, words in [
                ({"files": "system"}, "group systemd-journal"), ({"folder": str(self.journal.folder)}, "may not be read")]:
            (folder / "harkd.json").write_text(json.dumps({"notify": None, "journal": [{**NUMBERED, **source}]}))
            process = subprocess.Popen(
                ["unshare", "-m", "sh", "-c", 'mount --bind "$1/files" /var/log/journal && shift && exec setpriv --reuid 65534 --regid '
                 '65534 --clear-groups "$@"', "sh", str(self.journal.root), daemon_path(), "--socket", str(folder / "s"),
                 "--state", str(folder / "state"), "--config", str(folder)], stderr=subprocess.DEVNULL)
            try:
                client = wait_until(lambda: self.reachable(folder / "s"), "the daemon listens")
                problems = wait_until(lambda: client.call("daemon.status")["problems"], "the problem is told")
                self.assertIn(words, problems[0]["message"])
                client.close()
            finally:
                process.kill()
                process.wait()

    def reachable(self, path):
        client = hark.Client(str(path), timeout=1)
        try:
            client.call("hello")
            return client
        except hark.Error:
            client.close()
            return None

    def test_wrong_settings_are_told_with_their_place(self):
        self.daemon(start=False)
        settings = self.made.folder / "config" / "harkd.json"
        for source, words in [
                ({}, "the member 'name' is missing"), ({"name": "a b"}, "letters, digits"), ({"name": "a"}, "'match' is missing"),
                ({"name": "a", "match": {}}, 'give "event"'), ({"name": "a", "match": {}, "event": "e", "log": True}, "not both"),
                ({"name": "a", "match": {"Unit": "x"}, "log": True}, "did you mean 'unit'"),
                ({"name": "a", "match": {"__CURSOR": "x"}, "log": True}, "no field of the journal"),
                ({"name": "a", "match": {"priority": "bad"}, "log": True}, "emerg, alert"),
                ({"name": "a", "match": {"messageId": "12"}, "log": True}, "32 hexadecimal"),
                ({"name": "a", "match": {"A": []}, "log": True}, "1 to 64"), ({"name": "a", "match": [], "log": True}, "1 to 16"),
                ({"name": "a", "match": {}, "log": True, "properties": {"x": "lower"}}, "a field of the journal"),
                ({"name": "a", "match": {}, "log": True, "properties": {"x": {"field": "A", "as": "date"}}}, "one of text"),
                ({"name": "a", "match": {}, "log": True, "since": "yesterday-ish"}, '"now", "oldest"'),
                ({"name": "a", "match": {}, "log": True, "files": "system", "folder": "/x"}, "not both"),
                ({"name": "a", "match": {}, "log": True, "folder": "x"}, "begins with /"),
                ({"name": "a", "preset": "failed-unit"}, "failed-units"),
                ({"name": "a", "preset": "failed-units", "match": {}}, "with a preset")]:
            settings.write_text(json.dumps({"journal": [source]}, indent=1))
            run = self.tool("config", "validate", str(settings))
            self.assertEqual(run.returncode, 78, source)
            self.assertIn(words, run.stdout + run.stderr, source)
            self.assertRegex(run.stdout + run.stderr, r"harkd.json:\d+:\d+: error: \$\.journal\[0\]")


if __name__ == "__main__":
    unittest.main()
