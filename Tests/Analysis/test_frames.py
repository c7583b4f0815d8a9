"""Tables in what analysts have: the newest pandas, pyarrow, Polars and DuckDB of PyPI, and Debian's pandas."""

import datetime
import pathlib
import subprocess
import sys
import unittest

import duckdb
import pandas
import polars
import pyarrow

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))

from hark import Table  # noqa: E402

UTC = datetime.timezone.utc
WHEN = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_000, UTC)

#: What holds for the pandas of anybody: run in this Python, and as a program in Debian's.
PANDAS = """
import datetime
import pandas
from hark import Table

when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_000, datetime.timezone.utc)
columns = ["time", "whole", "half", "yes", "text", "raw", "mixed", "nothing", "none of ours"]
types = {"time": "time", "nothing": "integer"}
table = Table(columns, [
    ["2026-01-02 03:04:05.678", 2**63 - 1, 1, True, "é", b"\\0", 1, None, None], [None, None, 0.5, None, None, None, "x", None, None]], types)
frame = table.to_pandas()
assert [str(kind) for kind in frame.dtypes] == [
    "datetime64[ns, UTC]", "Int64", "Float64", "boolean", "string", "object", "string", "Int64", "string"], frame.dtypes
assert frame["time"][0] == pandas.Timestamp(when), frame
assert frame["time"].isna().tolist() == [False, True]
assert frame["whole"][0] == 2**63 - 1 and frame["whole"][1] is pandas.NA
assert frame["half"].sum() == 1.5 and frame["yes"][0] and frame["raw"][0] == b"\\0"
assert frame["mixed"].tolist() == ["1", "x"]
empty = Table(columns, [], types).to_pandas()
assert (len(empty), list(empty.columns)) == (0, columns), empty
assert str(empty["time"].dtype) == "datetime64[ns, UTC]", empty.dtypes
assert Table([], []).to_pandas().shape == (0, 0)
early = Table(["t"], [["1677-09-22 00:00:00.000"], ["2262-04-11 00:00:00.000"]], {"t": "time"}).to_pandas()
assert early["t"][0].year == 1677 and early["t"][1].year == 2262
for text in ["1600-01-01 00:00:00.000", "9999-12-31 23:59:59.999"]:
    try:
        Table(["t"], [[text]], {"t": "time"}).to_pandas()
        raise AssertionError(text)
    except OverflowError as error:
        assert "'t'" in str(error), error
"""


class Frames(unittest.TestCase):
    def table(self):
        rows = [
            ["2026-01-02 03:04:05.678", 2**63 - 1, 1, True, "é", b"\0", 1], ["9999-12-31 23:59:59.999", None, 0.5, None, None, None, "x"]]
        return Table(["time", "whole", "half", "yes", "text", "raw", "mixed"], rows, {"time": "time"})

    def test_pandas_of_pypi(self):
        exec(PANDAS, {})

    def test_pandas_of_debian(self):
        run = subprocess.run(
            ["/usr/bin/python3", "-B", "-W", "error", "-c", PANDAS], capture_output=True, text=True,
            env={"PYTHONPATH": str(ROOT / "Python")})
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_arrow(self):
        table = self.table().to_arrow()
        self.assertEqual([str(kind) for kind in table.schema.types], [
            "timestamp[ms, tz=UTC]", "int64", "double", "bool", "string", "binary", "string"])
        self.assertEqual(table.to_pylist()[0], {
            "time": WHEN, "whole": 2**63 - 1, "half": 1.0, "yes": True, "text": "é", "raw": b"\0", "mixed": "1"})
        self.assertEqual(table.column("whole").null_count, 1)
        self.assertEqual(Table(["a"], [], {"a": "time"}).to_arrow().num_rows, 0)

    def test_polars(self):
        frame = self.table().to_polars()
        self.assertEqual(frame.dtypes, [
            polars.Datetime("ms", "UTC"), polars.Int64, polars.Float64, polars.Boolean, polars.String, polars.Binary,
            polars.String])
        self.assertEqual(frame.row(0), (WHEN, 2**63 - 1, 1.0, True, "é", b"\0", "1"))
        self.assertEqual(frame.null_count().row(0), (0, 1, 0, 1, 1, 1, 0))
        self.assertEqual(Table(["a"], [], {"a": "time"}).to_polars().dtypes, [polars.Datetime("ms", "UTC")])

    def test_what_reads_arrow_takes_the_table_itself(self):
        ours = table = self.table()
        self.assertTrue(hasattr(table, "__arrow_c_stream__"))
        self.assertEqual(pyarrow.table(table), table.to_arrow())
        self.assertEqual(polars.DataFrame(table).shape, (2, 7))
        self.assertEqual(pandas.DataFrame.from_arrow(table).shape, (2, 7))
        self.assertEqual(duckdb.sql("SELECT max(whole), count(*) FROM ours").fetchall(), [(2**63 - 1, 2)])


if __name__ == "__main__":
    unittest.main()
