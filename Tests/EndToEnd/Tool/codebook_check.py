"""Opens what `hark answers --codebook` has written with pandas, R and PSPP, and compares what each of them sees.

codebook_check.py FOLDER RESULTS.json: RESULTS is `hark results --json` of the same survey, whose intervals are compared with R's.
Ends with 1 and says so if anything differs from `expected`, which is written down here and comes from no program.
"""

import csv
import io
import json
import math
import subprocess
import sys

import pandas

folder, results_path = sys.argv[1:]
package = json.load(open(f"{folder}/datapackage.json", encoding="utf-8"))
resource = package["resources"][0]
fields = {field["name"]: field for field in resource["schema"]["fields"]}
MISSING = {-77: "not asked", -99: "passed over"}
LONG = "ä" * 125

# Of each answer: its type, how many values there are, how many are missing and why, and the labels of its codes.
expected = {
    "q1st": ("integer", 40, {-77: 1}, {1: "So so, \"maybe\"", 2: "It's $fine `now`", 3: "gone"}),
    "rating": ("integer", 40, {-77: 1}, {1: "bad", 2: "2", 3: "3", 4: "4", 5: "good"}),
    "RATING_2": ("integer", 40, {-77: 1}, {}),
    "with_q": ("string", 40, {}, {}),
    "with_a": ("integer", 40, {-77: 1}, {0: "not chosen", 1: "chosen"}),
    "with_b_c": ("integer", 40, {-77: 1}, {0: "not chosen", 1: "chosen"}),
    "gr__e": ("string", 20, {}, {}),
}


def same(what, found, wanted):
    assert found == wanted, f"{what}: {found!r} is not {wanted!r}"


def check_package(table):
    same("columns", list(table.columns), list(fields))
    for name, (kind, count, missing, labels) in expected.items():
        field = fields[name]
        same(f"type of {name}", field["type"], kind)
        same(f"labels of {name}", {one["value"]: one["label"] for one in field.get("categories", [])}, labels)
        codes = {int(one["value"]): one["label"] for one in field.get("missingValues", []) if one["value"]}
        same(f"missing codes of {name}", codes, MISSING if kind == "integer" else {})
        column = table[name]
        if kind == "integer":
            numbers = column.dropna().astype(int)
            same(f"codes in {name}", {code: int((numbers == code).sum()) for code in MISSING if (numbers == code).any()}, missing)
            column = numbers[~numbers.isin(list(MISSING))]
        same(f"values of {name}", int(column.count()), count)


def read_pandas():
    kinds = {"string": "string", "datetime": "string", "integer": "Int64", "number": "Float64"}
    table = pandas.read_csv(
        f"{folder}/{resource['path']}", dtype={name: kinds[field["type"]] for name, field in fields.items()},
        encoding=resource["encoding"], keep_default_na=False, na_values=resource["schema"]["missingValues"])
    for name, field in fields.items():
        if field["type"] == "datetime":
            table[name] = pandas.to_datetime(table[name], utc=True)
    return table


R = r"""
source(file.path(commandArgs(TRUE)[1], "read.R"), encoding = "UTF-8")
out <- function(...) cat(paste(..., sep = "\t"), "\n", sep = "")
for (name in names(answers)) {
  column <- answers[[name]]
  out("column", name, class(column)[1], sum(!is.na(column)), enc2utf8(attr(column, "label")))
  for (level in levels(column)) out("level", name, enc2utf8(level))
  labels <- attr(column, "labels")
  for (label in names(labels)) out("level", name, enc2utf8(label))
}
interval <- function(what, two) out("interval", what, format(two[1], digits = 12), format(two[2], digits = 12))
ratings <- answers$rating[!is.na(answers$rating)]
scores <- answers$RATING_2[!is.na(answers$RATING_2)]
interval("mean", t.test(ratings)$conf.int)
share <- sum(ratings == 5)
interval("share", prop.test(share, length(ratings), correct = FALSE)$conf.int)
n <- length(scores) + 3
p <- (sum(scores >= 9) + 0.75) / n
d <- (sum(scores <= 6) + 0.75) / n
interval("nps", 100 * (p - d + c(-1, 1) * qnorm(0.975) * sqrt((p + d - (p - d)^2) / n)))
"""


def check_r(table):
    said = subprocess.run(["Rscript", "-e", R, folder], capture_output=True, text=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
    assert said.returncode == 0, said.stderr
    lines = [line.split("\t") for line in said.stdout.splitlines()]
    columns = {line[1]: line[2:] for line in lines if line[0] == "column"}
    same("columns in R", list(columns), list(fields))
    classes = {"string": "character", "datetime": "POSIXct", "integer": "integer", "number": "numeric"}
    for name, (kind, count, sample, label) in ((name, (f["type"], *columns[name])) for name, f in fields.items()):
        same(f"class of {name} in R", count, "factor" if name == "q1st" else classes[kind])
        same(f"label of {name} in R", label, fields[name]["description"].replace("\n", " "))
        wanted = expected[name][1] if name in expected else int(table[name].count())
        same(f"values of {name} in R", int(sample), wanted)
    for name in ("q1st", "rating"):
        same(f"levels of {name} in R", [line[2] for line in lines if line[:2] == ["level", name]], list(expected[name][3].values()))
    return {line[1]: (float(line[2]), float(line[3])) for line in lines if line[0] == "interval"}


def check_intervals(intervals):
    questions = {question["questionId"]: question for question in json.load(open(results_path))["questions"]}
    shares = {answer["value"]: answer["share"] for answer in questions["rating"]["answers"]}
    for what, found in {"mean": questions["rating"]["meanInterval"], "share": shares["5"], "nps": questions["RATING"]["netPromoterInterval"]}.items():
        for mine, other in zip((found["low"], found["high"]), intervals[what]):
            assert math.isclose(mine, other, rel_tol=1e-5, abs_tol=1e-5), (what, found, intervals[what])


def check_pspp(table):
    script = open(f"{folder}/labels.sps", encoding="utf-8").read() + "DISPLAY DICTIONARY.\nDESCRIPTIVES q1st rating.\n"
    said = subprocess.run(
        ["pspp", "-O", "format=csv", "-"], input=script, capture_output=True, text=True, cwd=folder,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "HOME": folder})
    assert said.returncode == 0 and "error" not in said.stdout, said.stdout[:4000] + said.stderr
    tables, name = {}, None
    for row in csv.reader(io.StringIO(said.stdout)):
        if len(row) == 1 and row[0].startswith("Table: "):
            name = row[0][7:]
            tables[name] = []
        elif name and row:
            tables[name].append(row)
    variables = {row[0]: dict(zip(tables["Variables"][0], row)) for row in tables["Variables"][1:]}
    same("variables in PSPP", list(variables), list(fields))
    for name, field in fields.items():
        label = field["description"].replace("\n", " ")
        while len(label.encode()) > 251:
            label = label[:-1]
        same(f"label of {name} in PSPP", variables[name]["Label"], label)
        numeric = field["type"] in ("integer", "number")
        same(f"type of {name} in PSPP", variables[name]["Print Format"].startswith("A"), not numeric)
        codes = variables[name].get("Missing Values", "")
        same(f"missing codes of {name} in PSPP", codes, "-77; -99" if name in expected and numeric else "")
    assert LONG in variables["RATING_2"]["Label"]
    # Variables are called by their labels there, and only in the first row of each.
    labels, last = {}, None
    for row in (row for row in tables["Value Labels"][1:] if len(row) == 3):
        last = row[0] or last
        labels.setdefault(last, {})[int(row[1].replace("[a]", ""))] = row[2]
    for name in ("q1st", "rating", "with_a"):
        same(f"labels of {name} in PSPP", labels[variables[name]["Label"]], {**expected[name][3], **MISSING})
    counts = {row[0]: row[1] for row in tables["Descriptive Statistics"][1:]}
    for name in ("rating", "q1st"):
        same(f"values of {name} in PSPP", int(counts[variables[name]["Label"]]), expected[name][1])


table = read_pandas()
check_package(table)
check_intervals(check_r(table))
check_pspp(table)
print(f"{len(table)} showings in {len(table.columns)} columns")
