import datetime
import os
import subprocess
import sys
import unittest
import unittest.mock
import warnings
from pathlib import Path

import hark
from hark import Table

from .daemon import DaemonTest, ROOT, daemon_path

UTC = datetime.timezone.utc


class Asking(DaemonTest):
    def setUp(self):
        super().setUp()
        folder = str(Path(daemon_path()).parent)
        change = unittest.mock.patch.dict(
            os.environ, HARK_SOCKET=self.daemon.path, PATH=f"{folder}:{os.environ['PATH']}")
        change.start()
        self.addCleanup(change.stop)
        self.client = hark.Client(self.daemon.path)
        self.addCleanup(self.client.close)

    def test_rows_have_the_names_and_the_types_of_their_columns(self):
        when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_000, UTC)
        self.client.record("sale", {"amount": 2.0, "pieces": 3, "who": "ü", "paid": True}, timestamp=when)
        self.client.record("sale", {"amount": 5, "mixed": "x"}, timestamp=when)
        table = hark.sql(
            "SELECT seq, time, amount, pieces, who, paid, amount AS mixed, x'00ff' AS raw, seq FROM events ORDER BY seq")
        self.assertEqual(
            table.columns, ["seq", "time", "amount", "pieces", "who", "paid", "mixed", "raw", "seq:1"])
        self.assertEqual(table[0], {
            "seq": table[0]["seq"], "time": when, "amount": 2.0, "pieces": 3, "who": "ü", "paid": 1, "mixed": 2.0,
            "raw": b"\x00\xff", "seq:1": table[0]["seq"]})
        self.assertEqual([type(value) for value in table.column("amount")], [float, int])
        self.assertEqual(
            table.types, {
                "seq": int, "time": datetime.datetime, "amount": float, "pieces": int, "who": str, "paid": int, "mixed": float,
                "raw": bytes, "seq:1": int})
        self.assertEqual(len(table), 2)
        self.assertEqual(table[-1], list(table)[1])
        self.assertEqual(table[:1], [table[0]])

    def test_a_statement_that_finds_nothing_has_its_columns_all_the_same(self):
        table = hark.sql("SELECT seq, time, name FROM events")
        self.assertEqual((len(table), list(table)), (0, []))
        self.assertEqual(table.types, {"seq": int, "time": datetime.datetime, "name": str})

    def test_parameters_are_values_and_never_text(self):
        nasty = "x'; DROP TABLE events; -- \" \\ \n é 😀 \x01"
        self.client.record("a", {"note": nasty})
        self.client.record("b", {"note": "plain", "n": 2**63 - 1})
        self.assertEqual(hark.sql("SELECT name FROM events WHERE note = ?", [nasty])[0], {"name": "a"})
        given = {"note": nasty, "none": None, "yes": True, "half": 0.5, "least": -(2**63), "unused": 1}
        row, = hark.sql("SELECT :note AS note, :none AS none, $yes AS yes, @half AS half, :least AS least", given)
        self.assertEqual(row, {"note": nasty, "none": None, "yes": 1, "half": 0.5, "least": -(2**63)})
        self.assertEqual(hark.sql("SELECT count(*) AS n FROM events WHERE name IN (?, ?)", ("a", "b"))[0]["n"], 2)
        self.assertEqual(hark.sql("SELECT ?2 || ?1 AS both", ["a", "b"])[0]["both"], "ba")

    def test_times_are_parameters_and_those_of_expressions_are_named(self):
        when = datetime.datetime(2026, 1, 2, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        self.client.record("x", timestamp=when)
        self.assertEqual(len(hark.sql("SELECT 1 FROM events WHERE time = ?", [when])), 1)
        self.assertEqual(len(hark.sql("SELECT 1 FROM events WHERE time > ?", [when])), 0)
        self.assertEqual(len(hark.sql("SELECT 1 FROM events WHERE time > ?", [when.date()])), 1)
        statement = "SELECT max(time) AS last, min(time) AS first FROM events"
        self.assertEqual(hark.sql(statement, times=["last"])[0], {"last": when, "first": "2026-01-02 10:00:00.000"})
        with self.assertRaisesRegex(hark.SQLError, "'lost'"):
            hark.sql(statement, times=["lost"])

    def test_what_is_wrong_says_why(self):
        for statement, parameters, words in [
                ("SELECT nonsense(", None, "incomplete"), ("DELETE FROM events", None, "only reads"), ("", None, "no statement"),
                ("SELECT 1; SELECT 2", None, "more than one"), ("SELECT ?", None, "no values are given"),
                ("SELECT ?", [1, 2], "1 parameters, and 2 values"), ("SELECT :a", {"b": 1}, "for the parameter :a"),
                ("SELECT ?", {"a": 1}, "without a name")]:
            with self.subTest(statement, parameters=parameters), self.assertRaisesRegex(hark.SQLError, words):
                hark.sql(statement, parameters)
        for parameters, error in [
                ("text", TypeError), ([object()], TypeError), ([[1]], TypeError), ([2**63], OverflowError),
                ([float("nan")], ValueError)]:
            with self.subTest(parameters=parameters), self.assertRaises(error):
                hark.sql("SELECT ?", parameters)

    def test_a_name_that_no_row_has_is_pointed_out(self):
        self.client.record("x")
        with self.assertWarnsRegex(UserWarning, "'amuont'"):
            hark.sql("SELECT amuont FROM events")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hark.sql("SELECT name FROM events")

    def test_a_statement_without_end_is_ended(self):
        forever = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        with self.assertRaises(hark.NotYet):
            hark.sql(forever, timeout=0.5)

    def test_without_a_daemon_or_the_tool_it_says_so(self):
        with unittest.mock.patch.dict(os.environ, HARK_SOCKET=self.daemon.path + "-none"):
            with self.assertRaises(hark.Unavailable):
                hark.sql("SELECT * FROM events")
            # A client asks its own daemon, whatever the environment says.
            self.assertEqual(len(self.client.sql("SELECT * FROM events")), 0)
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere"), self.assertRaisesRegex(hark.Unavailable, "PATH"):
            hark.sql("SELECT 1")

    def test_parameters_are_in_no_list_of_processes(self):
        seen = []
        popen = hark._sql.subprocess.Popen

        def spy(arguments, **more):
            seen.append(arguments)
            return popen(arguments, **more)

        with unittest.mock.patch.object(hark._sql.subprocess, "Popen", spy):
            hark.sql("SELECT ? AS x", ["a secret"])
            before = os.listdir("/proc/self/fd")
            hark.sql("SELECT 1")
        self.assertNotIn("secret", str(seen))
        self.assertEqual(len(os.listdir("/proc/self/fd")), len(before))

    def test_events_are_a_table_too(self):
        self.client.start_session("ada")
        self.client.record("sale", {"amount": 2, "paid": True, "name": "inner"})
        self.client.record("sale", {"amount": 0.5})
        events = self.client.events(name="sale")
        self.assertEqual(next(events).properties["amount"], 2)
        table = events.to_table()
        self.assertEqual(table.column("amount"), [0.5])
        table = self.client.events(name="sale").to_table()
        self.assertEqual(table.columns, [
            "seq", "timestamp", "name", "user", "session_id", "id", "uid", "pid", "amount", "paid", "properties.name"])
        self.assertEqual(table.column("user"), ["ada", "ada"])
        self.assertEqual(table.column("properties.name"), ["inner", None])
        self.assertEqual((table.types["amount"], table.types["paid"]), (float, bool))
        self.assertEqual(self.client.events(name="none").to_table().types["timestamp"], datetime.datetime)


class Tables(unittest.TestCase):
    def test_a_column_of_several_types_is_text_and_keeps_its_values_in_rows(self):
        table = Table(["a", "b", "c", "d"], [[1, 2**53 + 1, 2**63, None], ["x", 0.5, 1, None]])
        self.assertEqual(table.types, {"a": str, "b": str, "c": str, "d": str})
        self.assertEqual(table[0]["a"], 1)
        self.assertEqual(table._typed("b")[0], ["9007199254740993", "0.5"])
        self.assertEqual(Table(["a"], [[True], [1]])._typed("a")[0], ["true", "1"])

    def test_a_text_that_is_no_time_leaves_its_column_as_it_is(self):
        for text in ["2026-01-02", "2026-13-02 00:00:00.000", "2026-01-02 00:00:00.000 ", "٢٠٢٦-01-02 00:00:00.000"]:
            table = Table(["t"], [["2026-01-02 00:00:00.000"], [text]], {"t": "time"})
            self.assertEqual((table.types["t"], table[1]["t"]), (str, text))

    def test_a_notebook_shows_a_bounded_harmless_table(self):
        table = Table(["<b>", "n"], [["<script>alert('&')</script>", None], ["x" * 5_000, 1]])
        shown = table._repr_html_()
        self.assertIn("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;", shown)
        self.assertNotIn("<script", shown)
        self.assertNotIn("<b>", shown)
        self.assertIn("<i>NULL</i>", shown)
        self.assertLess(len(shown), 1_000)
        wide = Table([f"c{place}" for place in range(500)], [["y" * 1_000] * 500] * 2_000)._repr_html_()
        self.assertLess(len(wide), 500_000)
        self.assertIn("2000 rows, 500 columns", wide)
        self.assertEqual(repr(Table(["a"], [[1]])), "<hark.Table of 1 rows: a>")

    def test_what_is_not_installed_is_named_and_nothing_is_imported_before_it_is_needed(self):
        table = Table(["a"], [[1]])
        names = ("pandas", "pyarrow", "polars")
        said = subprocess.run(
            [sys.executable, "-B", "-c", f"import sys, hark; print([name for name in {names} if name in sys.modules])"],
            capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "Python")})
        self.assertEqual(said.stdout, "[]\n", said.stderr)
        with unittest.mock.patch.dict(sys.modules, {name: None for name in names}):
            for convert, name in [(table.to_pandas, "pandas"), (table.to_arrow, "pyarrow"), (table.to_polars, "polars")]:
                with self.assertRaisesRegex(ImportError, f"pip install {name}"):
                    convert()
        with unittest.mock.patch("importlib.util.find_spec", lambda name: None):
            self.assertFalse(hasattr(table, "__arrow_c_stream__"))


if __name__ == "__main__":
    unittest.main()
