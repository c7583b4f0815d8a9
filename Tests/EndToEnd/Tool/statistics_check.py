"""Compares what `hark stats` says with what a plain walk over the same events says.

statistics_check.py EVENTS.jsonl STATS.json: the events as `hark events --json` has them, and `hark stats sold amount --by
plan,@user --distinct item --percentiles 0,50,95,100 --every 1d --json` of them. Ends with 1 and says so if they differ.
"""

import collections
import json
import math
import sys
from datetime import datetime, timezone


def group(event):
    return (event["properties"].get("plan"), event.get("userId"))


def key(value):
    # For Python true is 1; numbers are the same however they are written.
    return (isinstance(value, bool), value)


def check(cell, events, percentiles):
    numbers = sorted(
        value for value in (event["properties"].get("amount") for event in events)
        if isinstance(value, (int, float)) and not isinstance(value, bool))
    assert cell["count"] == len(events), (cell["count"], len(events))
    assert cell["numbers"] == len(numbers)
    assert math.isclose(cell["sum"], math.fsum(numbers), rel_tol=1e-12), (cell["sum"], math.fsum(numbers))
    if numbers:
        assert math.isclose(cell["mean"], math.fsum(numbers) / len(numbers), rel_tol=1e-12)
        assert (cell["min"], cell["max"]) == (numbers[0], numbers[-1])
        for percent, value in zip(percentiles, cell["percentiles"]):
            exact = numbers[max(1, math.ceil(percent / 100 * len(numbers))) - 1]
            # A number at the edge of a bin is as far beside its middle as can be.
            assert abs(value - exact) <= abs(exact) * cell["percentileError"] * (1 + 1e-9), (percent, value, exact)
        assert cell["percentileError"] <= 0.008
    values = {key(event["properties"]["item"]) for event in events if "item" in event["properties"]}
    assert abs(cell["distinct"] - len(values)) <= 4 * cell["distinctError"] * len(values), (cell["distinct"], len(values))


def main():
    percentiles = [0, 50, 95, 100]
    with open(sys.argv[1]) as lines:
        events = [event for event in map(json.loads, lines) if event["name"] == "sold"]
    with open(sys.argv[2]) as text:
        stats = json.load(text)
    groups = collections.defaultdict(list)
    for event in events:
        groups[group(event)].append(event)
    assert stats["groupCount"] == len(groups) == len(stats["groups"]) and stats["rest"] is None
    assert sum(cell["count"] for cell in stats["groups"]) == len(events)
    check(stats["total"], events, percentiles)
    for cell in stats["groups"]:
        members = groups[tuple(cell["by"])]
        check(cell, members, percentiles)
        days = collections.defaultdict(list)
        for event in members:
            # The test's clocks show UTC.
            at = datetime.strptime(event["timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
            days[at.strftime("%Y-%m-%dT00:00:00.000Z")].append(event)
        assert len(days) == len(cell["buckets"])
        for bucket in cell["buckets"]:
            check(bucket, days[bucket["from"]], percentiles)
    print(f"{len(events)} events in {len(groups)} groups are as they should be")


main()
