"""ClickHouse and S3: each record once, whatever ends or is cut off, and whichever side was set back."""

import json
import pathlib
import random
import shutil
import tempfile
import unittest

from servers import Bucket, ClickHouse, Source, wait_until


class Case(unittest.TestCase):
    server = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hark-sinks-"))
        self.programs = []
        self.base = self.add(self.server(self.folder, "server"))
        self.base.start()
        self.base.wait()

    def tearDown(self):
        for program in reversed(self.programs):
            if program.is_up:
                program.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, program):
        self.programs.append(program)
        return program

    def source(self, **more) -> Source:
        source = self.add(Source(self.folder, {
            "name": "db", "url": f"http://127.0.0.1:{self.base.port}", "retryCapSeconds": 1, "timeoutSeconds": 5, **more}))
        (source.folder / "config/key").write_text("secret\n")
        source.start()
        source.wait()
        return source

    def own(self, source: Source) -> list:
        """What the daemon has, as rows are told."""
        return [json.loads(line) for line in source.lines()]


class InClickHouse(Case):
    server = ClickHouse

    def source(self, **more) -> Source:
        return super().source(kind="clickhouse", passwordFile="key", **more)

    def rows(self, final: str = "FINAL") -> list:
        text = self.base.sql(
            "SELECT toString(id) AS id, seq, name, properties, milliseconds FROM hark_record " + final
            + " WHERE kind = 'event' ORDER BY log, seq FORMAT JSONEachRow")
        return [json.loads(line) for line in text.split("\n") if line]

    def compare(self, source: Source):
        source.wait_until_through("db")
        own = self.own(source)
        # Without FINAL: nothing is there twice, not even for now.
        for final in ("FINAL", ""):
            there = self.rows(final)
            self.assertEqual([row["id"] for row in there], [event["id"] for event in own])
        for mine, theirs in zip(source.lines(), there):
            self.assertIn(f'"properties":{theirs["properties"]}', mine)
            self.assertEqual(int(theirs["seq"]), json.loads(mine)["seq"])

    def test_every_record_is_there_once_though_answers_are_lost(self):
        source = self.source(batchEntries=50)
        source.record(300)
        self.compare(source)
        for kind in ("after", "before", "silent", "after", "after"):
            self.base.mishap(kind)
        source.record(300, 1000)
        self.compare(source)
        tokens = [token for token in self.base.tokens() if token]
        for token in tokens:
            self.assertRegex(token, r"^[0-9a-f-]{36}:\d+-\d+$")

    def test_kills_in_the_middle(self):
        chance = random.Random(7)
        source = self.source(batchEntries=20)
        source.record(10)
        for turn in range(6):
            self.base.mishap(chance.choice(["before", "after"]))
            source.record(200, 1000 * (turn + 1))
            source.kill()
            source.start()
            source.wait()
        self.compare(source)

    def test_what_is_removed_is_removed_there_where_that_is_asked_for(self):
        source = self.source(followRemovals=True)
        source.call("session.start", app="shop", userId="ada")
        source.record(5)
        source.call("session.start", app="shop", userId="bob")
        source.record(5, 5)
        source.wait_until_through("db")
        source.tool("clear", "--user", "ada", "--yes")
        self.assertEqual(self.base.sql("SELECT DISTINCT userId FROM hark_events FORMAT TabSeparated"), "bob\n")
        # That the last rows are gone does not look as if the server had been set back; and a start removes as well as any time.
        source.end()
        source.start()
        source.wait()
        source.tool("clear", "--user", "bob", "--yes")
        source.end()
        source.start()
        source.wait()
        source.record(3, 50)
        source.wait_until_through("db")
        self.assertEqual(self.base.sql("SELECT count() FROM hark_events FORMAT TabSeparated"), "3\n")
        self.assertNotIn("set back", source.log.read_text())

    def test_a_store_that_was_set_back(self):
        source = self.source()
        source.record(100)
        source.wait_until_through("db")
        source.end()
        source.keep()
        source.start()
        source.wait()
        source.record(50, 100)
        source.wait_until_through("db")
        source.end()
        source.set_back()
        source.start()
        source.wait()
        source.record(120, 1000)
        source.wait_until_through("db")
        there = self.base.sql("SELECT log, count() FROM hark_record FINAL WHERE kind = 'event' GROUP BY log FORMAT TabSeparated")
        self.assertEqual(sorted(int(line.split("\t")[1]) for line in there.split("\n")[:-1]), [120, 150])
        ids = {row["id"] for row in self.rows()}
        self.assertEqual({event["id"] for event in self.own(source)} - ids, set())

    def test_a_password_that_is_wrong_waits(self):
        source = self.source()
        source.record(5)
        source.wait_until_through("db")
        (source.folder / "config/key").write_text("other\n")
        source.record(5, 5)
        wait_until(lambda: "does not let us" in (source.standing("db")["lastError"] or ""), "it says so")
        (source.folder / "config/key").write_text("secret\n")
        self.compare(source)


class InBucket(Case):
    server = Bucket

    def source(self, **more) -> Source:
        self.base.make()
        return super().source(kind="s3", bucket="records", accessKey="key", secretKeyFile="key", **more)

    def compare(self, source: Source):
        source.wait_until_through("db")
        own = self.own(source)
        there = [row for row in self.base.rows() if row["kind"] == "event"]
        self.assertEqual([row["id"] for row in there], [event["id"] for event in own])
        self.assertEqual([row["seq"] for row in there], [event["seq"] for event in own])
        self.assertEqual([row["properties"] for row in there], [event["properties"] for event in own])

    def test_every_record_is_there_once(self):
        source = self.source(batchEntries=50)
        source.record(300)
        self.compare(source)
        for name in self.base.names():
            self.assertRegex(name, r"^hark/log=[0-9a-f-]{36}/\d{20}-\d{20}\.jsonl\.gz$")
        for turn in range(4):
            source.record(150, 1000 * (turn + 1))
            source.kill()
            source.start()
            source.wait()
        self.compare(source)

    def test_an_object_that_is_lost_is_put_there_again(self):
        source = self.source(batchEntries=50)
        source.record(200)
        source.wait_until_through("db")
        source.end()
        for name in self.base.names()[-2:]:
            self.base.remove(name)
        source.start()
        source.wait()
        wait_until(lambda: "set back" in str(source.call("daemon.status")["problems"]), "it is noticed")
        self.compare(source)

    def test_a_bucket_that_was_emptied(self):
        source = self.source()
        source.record(20)
        source.wait_until_through("db")
        source.end()
        self.base.end()
        self.base.start()
        self.base.wait()
        self.base.make()
        source.start()
        source.wait()
        source.record(20, 100)
        self.compare(source)

    def test_a_store_that_was_set_back(self):
        source = self.source()
        source.record(100)
        source.wait_until_through("db")
        source.end()
        source.keep()
        source.start()
        source.wait()
        source.record(50, 100)
        source.wait_until_through("db")
        source.end()
        source.set_back()
        source.start()
        source.wait()
        source.record(120, 1000)
        source.wait_until_through("db")
        ids = [row["id"] for row in self.base.rows() if row["kind"] == "event"]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(ids), 270)
        self.assertEqual({event["id"] for event in self.own(source)} - set(ids), set())


if __name__ == "__main__":
    unittest.main()
