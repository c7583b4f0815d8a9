"""Whatever ends, is cut off or is set back: PostgreSQL has every record once, and as it was recorded."""

import os
import pathlib
import random
import shutil
import tempfile
import threading
import time
import unittest

from servers import Postgres, Source, Way, World, wait_until

SECONDS = float(os.environ.get("HARK_FAULT_SECONDS", 12))
SEED = os.environ.get("HARK_FAULT_SEED")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hark-sinks-"))
        self.programs = []
        self.ways = []
        self.base = self.add(Postgres(self.folder))
        self.base.start()
        self.base.wait()

    def tearDown(self):
        for program in reversed(self.programs):
            if program.is_up:
                program.kill()
        for way in self.ways:
            way.close()
        if hasattr(self, "_outcome") and any(error for _, error in getattr(self._outcome.result, "errors", [])):
            for file in self.folder.glob("*.log"):
                print(f"== {file.name}\n{file.read_text(errors='replace')[-3000:]}")
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, program):
        self.programs.append(program)
        return program

    def way(self) -> Way:
        self.ways.append(Way(self.base.port))
        return self.ways[-1]

    def source(self, way: Way = None, name: str = "hub", url: str = None, **more) -> Source:
        destination = {"name": "pg", "kind": "postgresql", "url": url or self.base.url(way), "retryCapSeconds": 1,
                       "timeoutSeconds": 3, **more}
        source = self.add(Source(self.folder, destination, name=name))
        source.start()
        source.wait()
        return source

    def lines(self) -> list:
        return self.base.sql("SELECT line FROM hark.lines ORDER BY log, seq").split("\n")[:-1]

    def compare(self, source: Source):
        source.wait_until_through("pg")
        own, there = source.lines(), self.lines()
        self.assertEqual(len(own), len(there))
        for mine, theirs in zip(own, there):
            self.assertEqual(mine, theirs)


class Basics(Case):
    def test_all_there_is_is_brought_once_and_byte_for_byte(self):
        source = self.source(name="early", url=self.base.url(), enabled=False)
        source.record(50)
        source.end()
        # What was recorded before there was a database goes there as well.
        source.settings["destinations"] = [{"name": "db", "kind": "postgresql", "url": self.base.url()}]
        source.configure()
        source.start()
        source.wait()
        source.record(3_000, 50)
        source.call("session.start", app="shop", userId="größe", metadata={"a": 1})
        source.record(10, 5_000)
        source.call("log.write", message="a line", level="error", metadata={"code": 7})
        source.wait_until_through("db")
        self.assertEqual(source.lines(), self.lines())
        ask = self.base.sql
        self.assertEqual(ask("SELECT count(*), count(DISTINCT id), min(properties->>'n') FROM hark.events"), "3060|3060|1\n")
        self.assertEqual(ask("SELECT level, message, metadata->>'code' FROM hark.logs"), "error|a line|7\n")
        self.assertEqual(ask("SELECT user_id, metadata->>'a' FROM hark.sessions WHERE user_id IS NOT NULL"), "größe|1\n")
        # The character that jsonb has not.
        self.assertIn("\ufffd", ask("SELECT properties->>'text' FROM hark.events WHERE properties->>'n' = '3'"))
        self.assertEqual(source.standing("db")["deadLetters"], 0)

    def test_one_command_adds_it(self):
        source = self.add(Source(self.folder))
        source.start()
        source.wait()
        source.record(5)
        source.tool("destination", "add", self.base.url(), "--name", "pg", "--content", "event")
        source.record(5, 5)
        self.compare(source)
        self.assertEqual(self.base.sql("SELECT count(*) FROM hark.record"), "10\n")
        wrong = source.tool("destination", "add", "postgresql://ada:secret@db/x", check=False)
        self.assertNotIn("secret", wrong + str(source.call("config.get")))

    def test_answers_are_rows(self):
        source = self.source()
        source.tool("record", "survey_response", "id=rating", "type=choice", "option=Good")
        source.tool("record", "survey_response", "id=lab", "type=questions", "answer.a:=1", "answer.b=two")
        source.wait_until_through("pg")
        self.assertEqual(
            self.base.sql("SELECT survey, question, answer FROM hark.answers ORDER BY seq, question"),
            "rating||\"Good\"\nlab|a|1\nlab|b|\"two\"\n")

    def test_filters_hold(self):
        source = self.source(kinds=["event"], names=["want*"], where="n > 2")
        source.record(5, name="wanted")
        source.record(5, 10, name="other")
        source.wait_until_through("pg")
        self.assertEqual(self.base.sql("SELECT name, count(*) FROM hark.events GROUP BY 1"), "wanted|3\n")
        source.end()
        source.start()
        source.wait()
        wait_until(lambda: source.is_through("pg"), "it is asked")
        time.sleep(0.3)
        self.assertNotIn("set back", source.log.read_text())

    def test_months_have_tables_of_their_own(self):
        source = self.source(partitionBy="month")
        for day in ("2024-01-31T23:59:59.999Z", "2024-02-01T00:00:00Z", "0999-01-01T00:00:00Z"):
            source.call("event.record", name="old", timestamp=day)
        source.record(5)
        source.wait_until_through("pg")
        self.assertEqual(
            self.base.sql("SELECT relname FROM hark.record r JOIN pg_class c ON c.oid = r.tableoid WHERE name = 'old' ORDER BY seq"),
            "record_2024_01\nrecord_2024_02\nrecord_other\n")
        self.compare(source)

    def test_what_is_removed_is_removed_there_where_that_is_asked_for(self):
        source = self.source(followRemovals=True)
        source.call("session.start", app="shop", userId="ada")
        source.record(5)
        source.call("session.start", app="shop", userId="bob")
        source.record(5, 5)
        source.wait_until_through("pg")
        source.tool("clear", "--user", "ada", "--yes")
        self.assertEqual(self.base.sql("SELECT DISTINCT user_id FROM hark.events"), "bob\n")
        # Also while it is away: what is removed is hidden here, and goes once it is back.
        self.base.end()
        cleared = source.tool("clear", "--user", "bob", "--yes", check=False)
        self.assertEqual(source.tool("events", "--user", "bob"), "", cleared)
        self.base.start()
        self.base.wait()
        wait_until(lambda: self.base.sql("SELECT count(*) FROM hark.events") == "0\n", "it is gone there")

    def test_tables_that_somebody_else_makes(self):
        self.base.sql("CREATE ROLE owner LOGIN; CREATE ROLE writer LOGIN; GRANT CREATE ON DATABASE postgres TO owner;")
        source = self.source(url=self.base.url(user="writer"))
        source.record(10)
        wait_until(lambda: "42501" in (source.standing("pg")["lastError"] or ""), "it says so")
        self.base.sql(source.tool("delivery", "schema", "pg"), "owner")
        self.base.sql(
            "GRANT USAGE ON SCHEMA hark TO writer; GRANT SELECT ON hark.meta TO writer;"
            "GRANT SELECT, INSERT ON hark.record TO writer; GRANT SELECT, INSERT, UPDATE ON hark.position TO writer;", "owner")
        self.compare(source)


class Faults(Case):
    def test_rights_that_are_taken_away(self):
        source = self.source()
        source.record(10)
        source.wait_until_through("pg")
        self.base.sql(
            "CREATE ROLE less LOGIN; GRANT USAGE ON SCHEMA hark TO less; GRANT SELECT ON ALL TABLES IN SCHEMA hark TO less;"
            "GRANT INSERT, UPDATE ON hark.position TO less; GRANT INSERT ON hark.record TO less;")
        source.settings["destinations"][0]["url"] = self.base.url(user="less")
        source.configure()
        source.call("config.reload")
        source.record(10, 10)
        source.wait_until_through("pg")
        self.base.sql("REVOKE INSERT ON hark.record FROM less")
        source.record(10, 20)
        wait_until(lambda: "rights" in (source.standing("pg")["lastError"] or ""), "it says so")
        self.assertEqual(source.standing("pg")["deadLetters"], 0)
        self.base.sql("GRANT INSERT ON hark.record TO less")
        self.compare(source)

    def test_a_table_that_somebody_has_altered(self):
        source = self.source()
        source.record(10)
        source.wait_until_through("pg")
        self.base.sql("ALTER TABLE hark.record RENAME COLUMN app TO application")
        source.record(10, 10)
        wait_until(lambda: "not as Hark made them" in (source.standing("pg")["lastError"] or ""), "it says so")
        self.base.sql("ALTER TABLE hark.record RENAME COLUMN application TO app; ALTER TABLE hark.record ADD COLUMN own text")
        self.compare(source)
        # A rule of somebody's that one record breaks makes that one a dead letter, which can be tried again.
        self.base.sql("ALTER TABLE hark.record ADD CHECK (name <> 'bad')")
        source.record(3, 30)
        source.call("event.record", name="bad", app="shop")
        source.record(3, 40)
        source.wait_until_through("pg")
        self.assertEqual(source.standing("pg")["deadLetters"], 1)
        self.base.sql("ALTER TABLE hark.record DROP CONSTRAINT record_name_check")
        source.call("delivery.replay", destination="pg")
        wait_until(lambda: source.standing("pg")["deadLetters"] == 0, "it is taken")
        self.compare(source)

    def test_a_database_that_was_set_back(self):
        source = self.source()
        source.record(500)
        source.wait_until_through("pg")
        self.base.end()
        self.base.keep()
        self.base.start()
        self.base.wait()
        source.record(700, 500)
        source.wait_until_through("pg")
        self.base.end()
        self.base.set_back()
        self.base.start()
        self.base.wait()
        # It is noticed without anything that is recorded.
        wait_until(lambda: len(self.lines()) == 1200, "it is given again")
        self.compare(source)
        self.assertIn("set back to an earlier state", str(source.call("daemon.status")["problems"]))
        self.assertIn("set back to an earlier state", source.tool("doctor", check=False))
        # A schema that is dropped is one that stands at the beginning.
        self.base.sql("DROP SCHEMA hark CASCADE")
        source.record(1, 5000)
        wait_until(lambda: len(self.lines()) == 1201 if self.base.sql(
            "SELECT to_regclass('hark.lines')") != "\n" else False, "all is there")
        self.compare(source)

    def test_a_store_that_was_set_back(self):
        source = self.source()
        source.record(300)
        source.wait_until_through("pg")
        source.end()
        source.keep()
        source.start()
        source.wait()
        source.record(200, 300)
        source.wait_until_through("pg")
        before = self.lines()
        source.end()
        source.set_back()
        source.start()
        source.wait()
        source.record(400, 1000)
        source.wait_until_through("pg")
        there = self.lines()
        self.assertEqual(sorted(set(before) - set(there)), [])
        logs = [int(n) for n in self.base.sql("SELECT count(*) FROM hark.events GROUP BY log ORDER BY min(timestamp)").split()]
        self.assertEqual(logs, [500, 400])
        # What the store has is there, once: up to where it was set back in the first log, and behind that in the second.
        own = source.lines()
        self.assertEqual(len(own), 700)
        self.assertEqual(set(own) - set(there), set())
        self.assertIn("set back to an earlier state", str(source.call("daemon.status")["problems"]))
        # It knows so after a start as well, and says nothing of it again.
        source.end()
        source.start()
        source.wait()
        source.record(5, 5000)
        source.wait_until_through("pg")
        self.assertEqual(len(self.lines()), 905)

    def test_a_store_that_was_set_back_while_the_database_was_away(self):
        source = self.source()
        source.record(300)
        source.wait_until_through("pg")
        source.end()
        source.keep()
        source.start()
        source.wait()
        source.record(100, 300)
        source.wait_until_through("pg")
        source.end()
        self.base.end()
        source.set_back()
        source.start()
        source.wait()
        # Past the number that the database knows.
        source.record(250, 1000)
        self.base.start()
        self.base.wait()
        source.wait_until_through("pg")
        logs = [int(n) for n in self.base.sql("SELECT count(*) FROM hark.events GROUP BY log ORDER BY min(timestamp)").split()]
        self.assertEqual(logs, [400, 250])
        self.assertEqual(set(source.lines()) - set(self.lines()), set())

    def test_a_standby_that_is_promoted(self):
        standby = self.add(Postgres(self.folder, "standby", of=self.base))
        standby.start()
        standby.wait()
        url = (f"postgresql://hark@127.0.0.1:{self.base.port},127.0.0.1:{standby.port}/postgres?sslmode=disable"
               "&target_session_attrs=read-write")
        source = self.source(url=url)
        source.record(300)
        source.wait_until_through("pg")
        # It follows a moment later, also with the table.
        wait_until(lambda: "events" in standby.sql("SELECT to_regclass('hark.events')"), "the standby has the table")
        wait_until(lambda: "300" in standby.sql("SELECT count(*) FROM hark.events"), "the standby has it")
        # What comes now the standby does not get any more.
        standby.end()
        source.record(200, 300)
        source.wait_until_through("pg")
        self.base.kill()
        standby.start()
        standby.wait()
        standby.sql("SELECT pg_promote()")
        source.record(50, 1000)
        self.base = standby
        self.compare(source)
        self.assertIn("set back to an earlier state", str(source.call("daemon.status")["problems"]))

    def test_a_disk_that_is_full(self):
        if os.getuid() != 0:
            self.skipTest("only root makes a small disk")
        import subprocess
        self.base.end()
        disk = self.folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", str(disk)], check=True)
        try:
            shutil.copytree(self.base.data, disk / "data", symlinks=True)
            shutil.rmtree(self.base.data)
            os.symlink(disk / "data", self.base.data)
            self.base.own(disk)
            (disk / "data").chmod(0o700)
            self.base.start()
            self.base.wait()
            source = self.source()
            source.record(500)
            source.wait_until_through("pg")
            with open(disk / "ballast", "wb") as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                        file.flush()
                except OSError:
                    pass
            wait_until(lambda: self.fill(source), "it is full")
            os.unlink(disk / "ballast")
            if not self.base.answers():
                self.base.end()
                self.base.start()
                self.base.wait()
            self.compare(source)
            self.base.end()
        finally:
            for program in self.programs:
                if program.is_up:
                    program.kill()
            subprocess.run(["umount", str(disk)], check=True)

    def fill(self, source) -> bool:
        self.filled = getattr(self, "filled", 1000) + 500
        source.record(500, self.filled)
        return (source.standing("pg")["lastError"] or "") != ""

    def test_all_of_it_at_random(self):
        seed = int(SEED) if SEED else random.SystemRandom().randrange(1 << 32)
        try:
            self.play(random.Random(seed))
        except BaseException:
            print(f"seed {seed}")
            raise

    def play(self, chance):
        way = self.way()
        source = self.source(way, batchEntries=chance.choice([20, 100, 2048]))
        ended = threading.Event()

        def work():
            number = 0
            while not ended.is_set():
                count = chance.randint(1, 300)
                source.send([
                    {"id": n, "method": "event.record", "params": {"name": "tap", "properties": {"n": number + n, "t": "ä\u0000"}}}
                    for n in range(count)])
                number += count
                ended.wait(0.05)
        thread = threading.Thread(target=work)
        thread.start()
        end = time.monotonic() + SECONDS
        try:
            while time.monotonic() < end:
                time.sleep(chance.random() * 0.7)
                match chance.randrange(6):
                    case 0:
                        self.base.kill()
                        time.sleep(chance.random() * 0.5)
                        self.base.start()
                    case 1:
                        source.kill()
                        time.sleep(chance.random() * 0.3)
                        source.start()
                    case 2:
                        way.cut()
                        time.sleep(chance.random())
                        way.mend()
                    case 3:
                        way.is_silent = True
                        time.sleep(chance.random() * 4)
                        way.cut()
                        way.mend()
                    case 4:
                        source.kill()
                        self.base.kill()
                        self.base.start()
                        source.start()
                    case 5:
                        self.base.end()
                        self.base.start()
        finally:
            ended.set()
            thread.join(60)
        way.mend()
        for program in (self.base, source):
            program.wait()
        self.compare(source)
        ids = self.base.sql("SELECT count(*), count(DISTINCT id) FROM hark.record").strip().split("|")
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(source.standing("pg")["deadLetters"], 0)


class Fleet(unittest.TestCase):
    def test_a_hub_hands_over_what_its_machines_sent_by_their_own_logs(self):
        world = World()
        base = None
        try:
            base = Postgres(world.folder)
            base.start()
            base.wait()
            hub = world.hub()
            hub.settings["destinations"] = [
                {"name": "pg", "kind": "postgresql", "url": base.url(), "retryCapSeconds": 1, "followRemovals": True}]
            hub.settings["fleet"]["followClears"] = True
            hub.configure()
            machines = [world.machine(f"kiosk-{n}", group="hall") for n in range(2)]
            world.start(world.broker)
            world.start(hub, *machines)
            for count, machine in enumerate(machines):
                for user in ("ada", "bob"):
                    machine.call("session.start", userId=user)
                    for number in range(20 + count):
                        machine.call("event.record", name="tap", properties={"n": number, "t": "\u0000 ä"})
            hub.call("event.record", name="own")

            def is_there(expected):
                return base.sql("SELECT count(*) FROM hark.events WHERE name = 'tap'") == f"{expected}\n"
            wait_until(lambda: is_there(82), "all is there")
            for machine in machines:
                place = world.folder / f"own-{machine.name}"
                machine.tool("export", str(place))
                lines = [line for file in place.rglob("events.jsonl") for line in file.read_text("utf-8").split("\n") if line]
                lines.sort(key=lambda line: int(line.split('"seq":', 1)[1].split(",", 1)[0]))
                there = base.sql(
                    "SELECT line FROM hark.lines JOIN hark.record USING (log, seq) "
                    f"WHERE machine = '{machine.name}' ORDER BY log, seq").split("\n")[:-1]
                self.assertEqual(lines, there)
            # The hub's store is set back: what machines send again is there already.
            hub.end()
            shutil.copytree(hub.state, world.folder / "kept", symlinks=True)
            hub.start()
            hub.wait()
            for machine in machines:
                machine.call("event.record", name="tap")
            wait_until(lambda: is_there(84), "all is there")
            hub.end()
            shutil.rmtree(hub.state)
            shutil.copytree(world.folder / "kept", hub.state, symlinks=True)
            hub.start()
            hub.wait()
            for machine in machines:
                machine.call("event.record", name="tap")
            wait_until(lambda: is_there(86), "all is there")
            self.assertEqual(base.sql("SELECT count(*), count(DISTINCT id) FROM hark.record WHERE machine IS NOT NULL")
                             .strip().split("|")[0],
                             base.sql("SELECT count(DISTINCT id) FROM hark.record WHERE machine IS NOT NULL").strip())
            # What is cleared on a machine leaves the hub, and with it the database.
            machines[0].tool("clear", "--user", "ada", "--yes")
            wait_until(lambda: base.sql(
                "SELECT count(*) FROM hark.events WHERE user_id = 'ada' AND machine = 'kiosk-0'") == "0\n", "it is gone")
        except BaseException:
            print(world.logs())
            raise
        finally:
            if base is not None and base.is_up:
                base.kill()
            world.close()


if __name__ == "__main__":
    unittest.main()
