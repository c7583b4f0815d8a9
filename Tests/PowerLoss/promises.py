"""Looks on a rebuilt disk for everything that was promised until a moment, and for everything that was to be gone."""

import json
import os
import pathlib

from daemon import MARK, Client, Hark, wait_until


class Moment:
    """What had been asked for and answered when the power went."""

    def __init__(self, run, entry, length, answered):
        self.run = run
        self.entry = entry
        self.length = length
        self.answered = answered

    def is_promised(self, id):
        return self.answered.get(id, self.entry + 1) <= self.entry

    def may_have_begun(self, id):
        return self.run.asked[id] <= self.length


class Verdict:
    """What is wrong with one disk, in words, sorted by what kind of fault it is."""

    def __init__(self):
        self.faults = {}

    def add(self, kind, what):
        self.faults.setdefault(kind, []).append(what)

    def __str__(self):
        return "; ".join(f"{kind} ({len(what)}): {', '.join(map(str, what[:3]))}" for kind, what in self.faults.items())


def examine(program, state, scratch, server, moment):
    """Starts a daemon on a rebuilt disk and compares what it has with what was promised."""
    verdict = Verdict()
    things = moment.run.things
    promised = [thing for thing in things if moment.is_promised(thing.made)]
    # In between, while it is being removed, it may be there or not.
    staying = [thing for thing in promised if not any(moment.may_have_begun(id) for id in thing.gone)]
    gone = [thing for thing in things if any(moment.is_promised(id) for id in thing.gone)]
    answered = sum(map(moment.is_promised, moment.run.asked))
    if answered and not (pathlib.Path(state) / "hark.db").exists():
        verdict.add("the store is gone", f"{answered} requests were answered")
        return verdict

    server.marks.clear()
    server.is_open = True
    hark = Hark(program, state, scratch, server.port, is_system=moment.run.is_system)
    try:
        client = Client(hark.socket)
        # Waits until what was left of earlier removals is carried out.
        client.call("event.clear", userId="nobody")
        client.call("delivery.resume")
        wait_until(lambda: all(
            destination["pending"] == 0 for destination in client.call("delivery.status")["destinations"]),
            "everything is delivered", 60)
        look_at_records(client, verdict, staying, gone)
        look_at_answers(client, verdict, moment, promised)
        look_at_values(client, verdict, moment)
        look_at_archive(client, verdict, pathlib.Path(state) / "archive")
        look_at_server(server, verdict, staying, gone)
        client.close()
    finally:
        hark.end()
        server.is_open = False
    look_for_traces(verdict, state, [thing for thing in things if any(map(moment.is_promised, thing.cleared))])
    return verdict


def look_at_records(client, verdict, staying, gone):
    events = client.pages("event.list", "events", "afterSeq", "nextAfterSeq", limit=10000)
    sessions = {session["id"]: session for session in client.pages("session.list", "sessions", "after", "next", limit=1000)}
    found = {}
    for event in events:
        for mark in MARK.findall(json.dumps(event["properties"]).encode()):
            found.setdefault(mark.decode(), []).append(event)
    for thing in staying:
        if thing.kind == "session":
            session = sessions.get(thing.key)
            if not session:
                verdict.add("an acknowledged session is missing", thing.key)
            elif session["userId"] != thing.user or session["metadata"] != thing.content["metadata"]:
                verdict.add("a session is another", thing.key)
        elif thing.kind == "event":
            there = found.get(thing.key, [])
            if len(there) != 1:
                verdict.add("an acknowledged event is missing" if not there else "an event is there twice", thing.key)
            elif there[0]["properties"] != thing.content or there[0].get("userId") != thing.user or (
                    there[0]["sessionId"] != thing.session.key):
                verdict.add("an event is another", thing.key)
        elif thing.kind == "answer":
            there = [event for event in found.get(thing.key, []) if event["name"] == "survey_response"]
            if len(there) != 1:
                verdict.add("an acknowledged answer is missing", thing.key)
    for thing in gone:
        if thing.key in (sessions if thing.kind == "session" else found):
            verdict.add("what was cleared is back in the store", thing.key)
    if len({event["id"] for event in events}) != len(events):
        verdict.add("two events have one id", "")


def look_at_answers(client, verdict, moment, promised):
    """An answer outlasts the session in which it was given, and goes when it is cleared."""
    showings = client.pages("survey.history", "presentations", "after", "next", limit=1000)
    there = {showing.get("answers", {}).get("text") for showing in showings}
    for thing in promised:
        if thing.kind != "answer":
            continue
        if thing.key not in there and not any(map(moment.may_have_begun, thing.cleared)):
            verdict.add("an answer is not in the history", thing.key)
        if thing.key in there and any(map(moment.is_promised, thing.cleared)):
            verdict.add("a cleared answer is in the history", thing.key)


def look_at_values(client, verdict, moment):
    for value in moment.run.values:
        promised = [at for at, (id, _) in enumerate(value.values) if moment.is_promised(id)]
        if not promised:
            continue
        allowed = [it for id, it in value.values[promised[-1]:] if moment.is_promised(id) or moment.may_have_begun(id)]
        match value.name:
            case "counter", app, name:
                now = client.call("counter.get", name=name, app=app)["value"]
            case "form", user:
                now = client.call("form.progress", formId="start", userId=user)["form"]["answers"].get("goal")
            case _:
                now = client.call("log.device")["deviceId"]
        if now not in allowed and None not in allowed:
            verdict.add(f"a {value.name[0]} is another", f"{value.name} is {now} instead of {allowed}")


def look_at_archive(client, verdict, archive):
    """The tree holds exactly what the store holds, in the same words."""
    sessions = {session["id"] for session in client.pages("session.list", "sessions", "after", "next", limit=1000)}
    folders = {}
    for folder in archive.glob("users/*/sessions/*"):
        folders[folder.name] = folder
        if folder.name not in sessions:
            verdict.add("what was cleared is back in the archive", folder.name)
    for id in sessions:
        if id not in folders:
            verdict.add("a session is missing in the archive", id)
            continue
        lines = client.pages("event.list", "lines", "afterSeq", "nextAfterSeq", sessionId=id, **{"as": "lines"})
        path = folders[id] / "events.jsonl"
        there = path.read_text(errors="replace").split("\n")[:-1] if path.exists() else []
        if there != lines:
            verdict.add("a file of the archive differs from the store", f"{path}: {len(there)} lines for {len(lines)}")
        try:
            described = json.loads((folders[id] / "session.json").read_text())["id"]
        except (OSError, ValueError) as problem:
            described = str(problem)
        if described != id:
            verdict.add("a session.json is not that of its session", described)


def look_at_server(server, verdict, staying, gone):
    """Until the end of the run it took nothing, so everything waited for it."""
    marks = {mark.decode() for mark in server.marks}
    for thing in staying:
        if thing.kind in ("event", "log") and thing.key not in marks:
            verdict.add(f"an acknowledged {thing.kind} was never delivered", thing.key)
    for thing in gone:
        if thing.key in marks:
            verdict.add("what was cleared was delivered", thing.key)


def look_for_traces(verdict, state, gone):
    """Whatever was cleared is in no file any more, in no form."""
    marks = {thing.key.encode() for thing in gone if thing.kind != "session"}
    for place, _, names in os.walk(state):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                content = file.read()
            left = marks.intersection(MARK.findall(content))
            if left:
                verdict.add("what was cleared is left in a file", f"{name}: {sorted(left)[0].decode()}")
