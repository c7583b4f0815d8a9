"""`hark sql` beside SQLite itself, and against whoever would break it."""

import json
import math
import os
import random
import tempfile
import unittest

from queries import Queries
from scene import Scene

#: How many statements are damaged, and where chance begins.
MUTATIONS = int(os.environ.get("HARK_SQL_MUTATIONS", "800"))
SEED = int(os.environ.get("HARK_SQL_SEED", "0")) or random.randrange(1 << 32)


def is_same(ours, theirs) -> bool:
    # Of 0 and 0.0, min() and DISTINCT give whichever comes first.
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(ours, theirs, rel_tol=1e-9) or ours == theirs
    return type(ours) is type(theirs) and ours == theirs


def in_order(rows):
    def key(value):
        number = float(f"{value:.9g}") if isinstance(value, (int, float)) else 0
        kind = "number" if isinstance(value, (int, float)) else str(type(value))
        return (kind, number, str(value) if isinstance(value, str) else "")

    return sorted(rows, key=lambda row: [key(value) for value in row])


class SQLTests(unittest.TestCase):
    def test_a_thousand_queries_give_what_sqlite_gives(self):
        scene = Scene(events=2_000, seed=SEED)
        self.addCleanup(scene.remove)
        reference = scene.reference()
        self.addCleanup(reference.close)
        numbers = [row[0] for row in reference.execute("SELECT seq FROM events")]
        sessions = [row[0] for row in reference.execute("SELECT id FROM sessions")]
        queries = Queries(random.Random(SEED), numbers, sessions)
        texts = [queries.one() for _ in range(1_000)]
        run = scene.sql(";\n".join(f"{text};\nSELECT 'end of one'" for text in texts), "--json")
        self.assertEqual(run.returncode, 0, f"seed {SEED}: {run.stderr.decode()}")
        answers = iter(run.stdout.decode().splitlines())
        rows = filled = 0
        for text in texts:
            ours = []
            for line in answers:
                if line == '{"\'end of one\'":"end of one"}':
                    break
                ours.append(list(json.loads(line).values()))
            theirs = [list(row) for row in reference.execute(text)]
            if "ORDER BY seq" not in text and "ORDER BY e.seq" not in text and "ORDER BY l.seq" not in text:
                ours, theirs = in_order(ours), in_order(theirs)
            same = len(ours) == len(theirs) and all(
                len(a) == len(b) and all(map(is_same, a, b)) for a, b in zip(ours, theirs))
            self.assertTrue(same, f"seed {SEED}: {text}\n ours: {ours[:5]} ({len(ours)})\n theirs: {theirs[:5]} ({len(theirs)})")
            rows += len(ours)
            filled += bool(ours)
        self.assertEqual(list(answers), [])
        # Statements that find nothing prove nothing.
        self.assertGreater(filled, 500)
        self.assertGreater(rows, 20_000)

    def test_a_collation_in_one_of_several_conditions_holds_for_it(self):
        scene = Scene(events=200, seed=SEED)
        self.addCleanup(scene.remove)
        reference = scene.reference()
        self.addCleanup(reference.close)
        session, time = next(reference.execute("SELECT session, time FROM events WHERE session IS NOT NULL"))
        for text in (
                "user = 'ADA' COLLATE NOCASE OR user = 'none'", "user = 'none' OR user = 'ADA' collate nocase",
                "name = 'TAP' COLLATE/**/NOCASE OR name = 'none'", "app = 'SHOP' COLLATE \"NOCASE\" OR app = 'kiosk'",
                f"session = '{session.upper()}' COLLATE NOCASE OR session = 'none'",
                f"time = '{time.lower()}' COLLATE NOCASE OR time = '2001-01-01'", "seq = 5 COLLATE NOCASE OR seq = 7",
                " AND ".join(f"n + {number} > 0" for number in range(40)) + " OR user = 'ADA' COLLATE NOCASE",
                " AND ".join(f"name <> 'a{number}'" for number in range(5)) + "".join(
                    f" AND seq > -{number}" for number in range(40)) + " AND (user = 'ADA' COLLATE NOCASE OR user = 'x')",
                "user IN ('ada', 'Ada') OR user = 'ADA' COLLATE NOCASE", "user COLLATE NOCASE IN ('ADA', 'none')"):
            text = f"SELECT seq FROM events WHERE {text} ORDER BY seq"
            run = scene.sql(f"SELECT 'a';\n{text};\nSELECT 'z'", "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            ours = [list(json.loads(line).values()) for line in run.stdout.decode().splitlines()][1:-1]
            theirs = [list(row) for row in reference.execute(text)]
            self.assertEqual(ours, theirs, f"seed {SEED}: {text}")
            self.assertGreater(len(theirs), 0, text)

    def test_damaged_statements_change_nothing_and_crash_nothing(self):
        scene = Scene(events=80, seed=SEED)
        self.addCleanup(scene.remove)
        chance = random.Random(SEED)
        sessions = [one["id"] for one in scene.pages("session.list", "sessions", "next", "after")]
        queries = Queries(chance, list(range(1, 80)), sessions)
        listed = list(scene.pages("event.list", "events", "nextAfterSeq", "afterSeq"))
        codes = {}
        with tempfile.TemporaryDirectory(prefix="hark-sql-") as folder:
            for _ in range(MUTATIONS):
                text = damaged(queries.one(), chance, folder)
                try:
                    run = scene.sql(text, chance.choice(["--json", "--csv"]), folder=folder, seconds=2)
                except TimeoutError:
                    continue
                except Exception as error:
                    # A statement may well take for ever; it is its author's time.
                    if type(error).__name__ != "TimeoutExpired":
                        raise
                    continue
                codes[run.returncode] = codes.get(run.returncode, 0) + 1
                self.assertIn(run.returncode, (0, 65, 75, 77), f"seed {SEED}: {text!r}\n{run.stderr.decode()}")
            self.assertEqual(os.listdir(folder), [], f"seed {SEED}")
        for code in (0, 65, 77):
            self.assertGreater(codes.get(code, 0), MUTATIONS // 100, codes)
        self.assertEqual(list(scene.pages("event.list", "events", "nextAfterSeq", "afterSeq")), listed)


#: What somebody would try.
ATTACKS = [
    "ATTACH '{folder}/a' AS a", "VACUUM INTO '{folder}/v'", "VACUUM", "DELETE FROM events", "DROP TABLE events",
    "UPDATE events SET name = 'x'", "INSERT INTO events(name) VALUES ('x')", "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)",
    "CREATE TEMP VIEW v AS SELECT * FROM events", "PRAGMA writable_schema = 1", "PRAGMA temp_store_directory = '{folder}'",
    "PRAGMA journal_mode = DELETE", "SELECT load_extension('{folder}/x')", "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "CREATE VIRTUAL TABLE t USING fts5(x)", "CREATE VIRTUAL TABLE t USING events(x)", "BEGIN IMMEDIATE", "SAVEPOINT s",
    "REINDEX", "ANALYZE", "DETACH main", "ALTER TABLE events ADD COLUMN x", "SELECT writefile('{folder}/w', 'x')",
    "SELECT * FROM sqlite_dbpage", "SELECT * FROM pragma_database_list", "SELECT hex(zeroblob(90000000))",
    "SELECT readfile('/etc/passwd')", "SELECT edit('x')", "EXPLAIN DELETE FROM events", "PRAGMA hard_heap_limit = 0",
    "SELECT * FROM sqlite_stmt, sqlite_schema, dbstat", "SELECT * FROM fts5vocab('a', 'b')", "COMMIT", "SELECT eval('DROP TABLE events')",
]
PIECES = [
    "(", ")", "'", '"', ",", ";", "--", "/*", "*/", "NULL", "SELECT", "FROM", "WHERE", "events", "logs", "sessions", "answers",
    "presentations", "counters", "*", "9223372036854775808", "1e999", "-", "||", "->>", "'$.x'", "x'00'", "?1", ":a", "[", "`",
    "IN", "OVER", "ORDER BY", "LIMIT -1", "COLLATE hark_time", "COLLATE none", "\x01", "\u202e", "😀", "e.e.e.e", '"a.b"', "\\",
]


def damaged(text: str, chance: random.Random, folder: str) -> str:
    if chance.random() < 0.2:
        attack = chance.choice(ATTACKS).format(folder=folder)
        text = chance.choice([attack, f"{text}; {attack}", f"{attack}; {text}", f"{text} UNION {attack}"])
        if chance.random() < 0.7:
            return text
    for _ in range(chance.randint(1, 4)):
        place = chance.randint(0, len(text))
        kind = chance.randint(0, 4)
        words = text.split(" ")
        if kind == 0:
            text = text[:place] + text[place + chance.randint(1, 6):]
        elif kind == 1:
            text = text[:place] + " " + chance.choice(PIECES) + " " + text[place:]
        elif kind == 2:
            words[chance.randrange(len(words))] = chance.choice(PIECES)
            text = " ".join(words)
        elif kind == 3:
            one, other = chance.randrange(len(words)), chance.randrange(len(words))
            words[one], words[other] = words[other], words[one]
            text = " ".join(words)
        else:
            text = text[:place] + text[:place]
    return text


if __name__ == "__main__":
    unittest.main()
