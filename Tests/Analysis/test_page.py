"""The code of docs/guides/analysis.md, run from the page as it is."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Python"), str(ROOT / "Tests" / "Python")]

import hark  # noqa: E402
from tests.daemon import Daemon, daemon_path, wait_until  # noqa: E402

PAGE = (ROOT / "docs" / "guides" / "analysis.md").read_text()

#: The views of a hub's schema in PostgreSQL, as tables.
VIEWS = """
CREATE SCHEMA hark;
CREATE TABLE hark.events(
    log text, seq bigint, id text, name text, "timestamp" timestamptz, user_id text, session_id text, app text, machine text,
    "group" text, properties jsonb);
CREATE TABLE hark.logs(
    log text, seq bigint, id text, level text, "timestamp" timestamptz, user_id text, session_id text, app text, machine text,
    "group" text, message text, metadata jsonb);
CREATE TABLE hark.answers(
    log text, seq bigint, id text, "timestamp" timestamptz, user_id text, session_id text, app text, machine text, "group" text,
    source text, survey text, question text, answer jsonb, comment text, presentation_id text, revises text);
"""


def blocks(language, heading):
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


class Page(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="hark-analysis-")
        self.addCleanup(self.home.cleanup)
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        state = pathlib.Path(self.home.name, ".local", "state")
        state.mkdir(parents=True)
        (state / "hark").symlink_to(self.daemon.folder / "state")
        self.daemon.start()
        self.environment = {
            "HOME": self.home.name, "HARK_SOCKET": self.daemon.path, "PYTHONPATH": str(ROOT / "Python"), "LANG": "C.UTF-8",
            "PATH": f"{pathlib.Path(daemon_path()).parent}:/usr/bin:/bin"}
        with hark.Client(self.daemon.path) as client:
            for number, user in enumerate(["ada", "bob", None, "ada", "bob", "ada"]):
                client.start_session(user)
                client.record("checkout", {"amount": 12.5 + number, "plan": "pro" if number % 2 else "free"})
                client.record("visit", {"amount": "none", "plan": "free"})
            client.end_session()

    def run_program(self, arguments):
        run = subprocess.run(arguments, capture_output=True, text=True, timeout=120, env=self.environment, cwd=self.home.name)
        self.assertEqual((run.returncode, run.stderr), (0, ""), f"{arguments}\n{run.stdout}")
        return run.stdout

    def test_python(self):
        first, frame, events, arrow = (
            self.run_program([sys.executable, "-B", "-c", block]) for block in blocks("python", "Python"))
        self.assertIn("['time', 'app', 'amount'] 6", first)
        self.assertEqual(first.count("\n"), 7)
        self.assertRegex(frame, r"time +datetime64\[ns, UTC\]\nuser +string\namount +Float64")
        self.assertIn("90.0", frame)
        self.assertIn("[6 rows x 4 columns]" if "[" in events else "timestamp", events)
        self.assertIn("pro", events)
        self.assertIn("15.0", arrow)

    def test_r(self):
        block, = blocks("r", "R")
        said = self.run_program(["Rscript", "--vanilla", "-e", block])
        self.assertRegex(said, r"free +14\.5\n2 +pro +15\.5")

    def test_duckdb_reads_the_archive(self):
        archive = self.daemon.folder / "state" / "archive"

        def lines():
            return sum(len(path.read_text().splitlines()) for path in archive.rglob("events.jsonl"))

        wait_until(lambda: lines() == 12, "the archive has all events")
        block, = blocks("python", "DuckDB")
        said = self.run_program([sys.executable, "-B", "-c", block])
        self.assertRegex(said, r"ada +│ +3 +│ +45\.5")
        self.assertRegex(said, r"NULL +│ +1 +│ +14\.5")

    def test_the_panels_of_grafana_are_sql(self):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        if not programs:
            self.skipTest("there is no PostgreSQL here")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hark-pg-"))
        self.addCleanup(shutil.rmtree, folder)
        # The server does not run as root.
        as_server = []
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
            as_server = ["runuser", "-u", "postgres", "--"]
        data = folder / "data"

        def run(*arguments, **more):
            done = subprocess.run(
                [*as_server, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd="/", **more)
            self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
            return done.stdout

        run(programs[-1].with_name("initdb"), "-D", data, "-A", "trust", "--no-sync")
        control = programs[-1].with_name("pg_ctl")
        run(control, "-D", data, "-l", folder / "log", "-w", "-o", f"-k {folder} -c listen_addresses= -c fsync=off", "start")
        self.addCleanup(run, control, "-D", data, "-m", "immediate", "-w", "stop")

        def psql(text):
            return run("psql", "-h", folder, "-d", "postgres", "-XAt", "-v", "ON_ERROR_STOP=1", input=text)

        with hark.Client(self.daemon.path) as client:
            rows = [{
                "log": "l", "seq": event.seq, "id": event.id, "name": event.name, "timestamp": event.timestamp.isoformat(),
                "user_id": event.user, "session_id": event.session_id, "app": "default", "machine": "till",
                "properties": event.properties} for event in client.events()]
        text = json.dumps(rows).replace("'", "''")
        psql(VIEWS + f"INSERT INTO hark.events SELECT * FROM jsonb_populate_recordset(NULL::hark.events, '{text}'); "
             "INSERT INTO hark.logs(level, message, machine, \"timestamp\") VALUES ('error', 'failed', 'till', now()); "
             "INSERT INTO hark.answers(survey, answer, \"timestamp\") VALUES ('rating', '\"Good\"', now()), ('rating', '4', now());")
        said = [psql(self.without_macros(block)) for block in blocks("sql", "Grafana")]
        self.assertIn("|checkout|6\n", said[0])
        self.assertEqual(said[1], "till|90\n")
        self.assertTrue(said[2].endswith("|till||failed\n"), said[2])
        self.assertEqual(sorted(said[3].splitlines()), ["4|1", "Good|1"])

    def without_macros(self, block):
        """What Grafana makes of its macros for the last hour, at an interval of a minute."""
        text = re.sub(r"\$__timeFilter\((.*?)\)", r"\1 BETWEEN now() - interval '1 hour' AND now()", block)
        text = re.sub(
            r"\$__timeGroupAlias\((.*?), \$__interval\)", r'floor(extract(epoch from \1) / 60) * 60 AS "time"', text)
        self.assertNotIn("$__", text)
        return text


if __name__ == "__main__":
    unittest.main()
