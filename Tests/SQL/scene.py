"""A daemon with events, logs and sessions of many kinds, and the same in tables of Python's own SQLite."""

import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests" / "Python"))

from programs import hark, hark_path  # noqa: E402
from tests.daemon import Daemon  # noqa: E402

NAMES = ["checkout", "tap", "Tap", "door.open", "door.close", "a*b", "übung", "x"]
USERS = ["ada", "bob", "Ada", "日本", None]
APPS = ["default", "shop", "kiosk"]
#: What properties are called; each is a column of the reference.
PROPERTIES = ["amount", "plan", "ok", "n", "cart.total", "größe"]
#: What sessions have beside.
METADATA = ["tier", "beta"]
#: What log entries have beside.
LOG_METADATA = ["category", "code"]


class Scene:
    """Everything is made by chance, the same for the same seed."""

    def __init__(self, events: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.daemon = Daemon().start()
        self.client = hark.Client(self.daemon.path)
        for part in range(40):
            self.begin_session()
            made = [self.record() for _ in range(events // 40)] + [self.log() for _ in range(events // 200)]
            for one in made:
                one.result(60)

    def remove(self) -> None:
        self.client.close()
        self.daemon.remove()

    # What there is.

    def begin_session(self) -> None:
        metadata = {"tier": self.chance.choice(["pro", "free", 3])} if self.chance.random() < 0.7 else {}
        if self.chance.random() < 0.5:
            metadata["beta"] = self.chance.random() < 0.5
        self.app = self.chance.choice(APPS)
        self.client.start_session(self.chance.choice(USERS), metadata, app=self.app)

    def time(self) -> str:
        day, hour = self.chance.randint(1, 5), self.chance.randint(0, 23)
        minute, second, milli = (self.chance.randint(0, limit) for limit in (59, 59, 999))
        return f"2026-01-0{day}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"

    def value(self):
        return self.chance.choice([
            self.chance.randint(-5, 50), self.chance.randint(-500, 5000) / 100, float(self.chance.randint(0, 9)),
            "pro", "12", "", "tëxt 'q' \"d\" \\", True, False, 2**53 + 1, 1e300, "a\nb"])

    def record(self):
        names = [name for name in PROPERTIES if self.chance.random() < 0.4]
        properties = {name: self.value() for name in names}
        if "plan" in properties:
            properties["plan"] = self.chance.choice(["pro", "free", "Pro"])
        return self.client.record_soon(self.chance.choice(NAMES), properties, app=self.app, timestamp=self.time())

    def log(self):
        metadata = {name: self.value() for name in LOG_METADATA if self.chance.random() < 0.5}
        return self.client.log_soon(
            self.chance.choice(["paid", "failed", "Größe"]), self.chance.choice(["info", "warning", "error", "messages"]), metadata,
            app=self.app, timestamp=self.time())

    # The daemon.

    def pages(self, method: str, member: str, cursor: str, after: str):
        place = None
        while True:
            page = self.client.call(method, {} if place is None else {after: place})
            yield from page[member]
            place = page[cursor]
            if place is None:
                return

    # The reference.

    def reference(self) -> sqlite3.Connection:
        base = sqlite3.connect(":memory:")
        base.create_collation("hark_time", compare_times)

        def table(name, columns, more, rows):
            quoted = "".join(f', "{column}" BLOB' for column in more)
            base.execute(f"CREATE TABLE {name}({columns}{quoted})")
            for row in rows:
                base.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)

        time = "TEXT COLLATE hark_time"
        sessions = {session["id"]: session for session in self.pages("session.list", "sessions", "next", "after")}
        record = f"seq INTEGER PRIMARY KEY, time {time}, {{}} user TEXT, app TEXT, session TEXT, {{}} TEXT, id TEXT, uid INTEGER, pid INTEGER"

        def rows(records, head, object, more):
            for one in records:
                yield [
                    one["seq"], plain(one["timestamp"]), *(one[name] for name in head), one.get("userId"),
                    sessions[one["sessionId"]]["app"], one["sessionId"],
                    json.dumps(one[object], ensure_ascii=False, separators=(",", ":")), one["id"],
                    one["source"]["uid"], one["source"]["pid"], *(one[object].get(name) for name in more)]

        events = self.pages("event.list", "events", "nextAfterSeq", "afterSeq")
        logs = self.pages("log.list", "entries", "nextAfterSeq", "afterSeq")
        table("events", record.format("name TEXT,", "properties"), PROPERTIES, rows(events, ["name"], "properties", PROPERTIES))
        table(
            "logs", record.format("level TEXT, message TEXT,", "metadata"), LOG_METADATA,
            rows(logs, ["level", "message"], "metadata", LOG_METADATA))
        table(
            "sessions",
            f"id TEXT, user TEXT, app TEXT, started {time}, ended {time}, events INTEGER, metadata TEXT, uid INTEGER", METADATA,
            ([one["id"], one["userId"], one["app"], plain(one["startedAt"]), plain(one["endedAt"]), one["eventCount"],
              json.dumps(one["metadata"], ensure_ascii=False, separators=(",", ":")), one["uid"],
              *(one["metadata"].get(name) for name in METADATA)] for one in sessions.values()))
        return base

    # The tool.

    def sql(self, text: str, *options: str, folder: str | None = None, seconds: float = 120) -> subprocess.CompletedProcess:
        return subprocess.run(
            [hark_path(), "sql", *options], input=text.encode(), capture_output=True,
            timeout=seconds, cwd=folder, env={"HARK_SOCKET": self.daemon.path, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"})


def plain(time: str | None) -> str | None:
    return time if time is None else time.replace("T", " ").removesuffix("Z")


def compare_times(left: str, right: str) -> int:
    def ready(text: str) -> bytes:
        text = text[:10] + text[10:11].replace("T", " ") + text[11:]
        return (text.removesuffix("Z") if len(text) > 10 else text).encode()

    return (ready(left) > ready(right)) - (ready(left) < ready(right))
