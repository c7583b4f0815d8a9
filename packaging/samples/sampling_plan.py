#!/usr/bin/env python3
"""Computes the prompts of one participant's day, as Hark does; docs/reference/sampling.md says how.

    sampling_plan.py SEED SURVEY PARTICIPANT DATE ZONE PLAN

PLAN is the plan part as 'hark study plan --json' has it ("plan"), such as 'blocks 6 1800 540-1260'. The prompts are printed as
seconds since 1970 and as times of the zone. Needs Python 3.9 and nothing else.

    sampling_plan.py --check FILE

compares lines of SEED, SURVEY, PARTICIPANT, DATE, ZONE, PLAN and prompts (parted by commas), the fields parted by tabs.
"""

import datetime
import sys
import zoneinfo

MASK = 2**64 - 1
UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)


def fnv1a_then_fmix64(fields):
    value = 0xCBF29CE484222325
    for field in fields:
        for byte in field.encode("utf-8") + b"\0":
            value = ((value ^ byte) * 0x100000001B3) & MASK
    value = ((value ^ (value >> 33)) * 0xFF51AFD7ED558CCD) & MASK
    value = ((value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53) & MASK
    return value ^ (value >> 33)


class Draw:
    """SplitMix64."""

    def __init__(self, fields):
        self.state = fnv1a_then_fmix64(fields)

    def below(self, end):
        if end <= 0:
            return 0
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        mixed ^= mixed >> 31
        return (mixed * end) >> 64


def moment(zone, date, minute):
    """The first second at which the clocks show that minute of a date, or a later one."""
    wanted = datetime.datetime.combine(date, datetime.time()) + datetime.timedelta(minutes=minute)
    # Of a time that comes twice, fold 0 is the first; one that is skipped does not come back as itself.
    aware = wanted.replace(tzinfo=zone, fold=0)
    there = aware.astimezone(UTC)
    if there.astimezone(zone).replace(tzinfo=None) == wanted:
        return round(there.timestamp())

    def shows(second):
        at = datetime.datetime.fromtimestamp(second, UTC).astimezone(zone).replace(tzinfo=None)
        return at >= wanted

    offsets = [aware.replace(fold=fold).utcoffset() for fold in (0, 1)]
    low, high = sorted(round((wanted - offset - EPOCH).total_seconds()) for offset in offsets)
    low -= 1
    while high - low > 1:
        middle = (low + high) // 2
        if shows(middle):
            high = middle
        else:
            low = middle
    return high


def plan(seed, survey, participant, date, zone, text):
    day = datetime.date.fromisoformat(date)
    kind, *numbers = text.split()
    if kind == "at":
        return sorted({moment(zone, day, int(minute)) for minute in numbers[0].split(",")})
    first, last = (int(minute) for minute in numbers[2].split("-"))
    begin = moment(zone, day, first)
    end = max(begin, moment(zone, day, last))
    draw = Draw([seed, survey, participant, date, text])
    if kind == "every":
        seconds, percent = int(numbers[0]), int(numbers[1])
        jitter = seconds * percent // 100
        times, time = [], begin + draw.below(jitter + 1)
        while time < end and len(times) < 288:
            times.append(time)
            time += seconds - jitter + draw.below(2 * jitter + 1)
        return times
    count, gap = int(numbers[0]), int(numbers[1])
    length = min(end, moment(zone, day + datetime.timedelta(days=1), first) - gap) - begin
    if kind == "free":
        while count > 0 and (count - 1) * gap + 1 > length:
            count -= 1
        slack = length - (count - 1) * gap
        return [begin + at + place * gap for place, at in enumerate(sorted(draw.below(slack) for _ in range(count)))]
    assert kind == "blocks", kind
    while count > 0 and (count * (gap + 1) if count > 1 else 1) > length:
        count -= 1
    if count == 0:
        return []
    ends = [place * length // count for place in range(count + 1)]
    for _ in range(100):
        times = [low + draw.below(high - low) for low, high in zip(ends, ends[1:])]
        if all(later - earlier >= gap for earlier, later in zip(times, times[1:])):
            break
    else:
        times = []
        for low, high in zip(ends, ends[1:]):
            low = max(low, times[-1] + gap) if times else low
            times.append(low + draw.below(high - low))
    return [begin + at for at in times]


def check(path):
    zones, count, wrong = {}, 0, 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            *fields, name, text, prompts = line.rstrip("\n").split("\t")
            zone = zones.get(name) or zones.setdefault(name, zoneinfo.ZoneInfo(name))
            mine = plan(*fields, zone, text)
            count += 1
            if mine != [int(prompt) for prompt in prompts.split(",") if prompt]:
                wrong += 1
                print("different:", *fields, name, text, mine, prompts)
                if wrong >= 20:
                    break
    print(f"{count} compared, {wrong} different")
    return 1 if wrong else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        return check(sys.argv[2])
    if len(sys.argv) != 7:
        print(__doc__, file=sys.stderr)
        return 64
    seed, survey, participant, date, name, text = sys.argv[1:]
    zone = zoneinfo.ZoneInfo(name)
    for prompt in plan(seed, survey, participant, date, zone, text):
        print(prompt, datetime.datetime.fromtimestamp(prompt, UTC).astimezone(zone).isoformat())
    return 0


if __name__ == "__main__":
    sys.exit(main())
