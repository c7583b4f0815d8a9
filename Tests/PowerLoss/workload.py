"""Clients that use a daemon in every way that changes what it keeps, and remember what they did.

Nothing here knows of power losses. A step remembers by the ids of requests what it asked for: what was promised at any
moment follows from the ids that were answered until then (`promises.py`).
"""

import os
import random
import threading
import uuid
from dataclasses import dataclass, field

from daemon import Client, Failure


@dataclass(eq=False)
class Thing:
    """Something that was asked to be stored by one request, and perhaps to be removed by others later."""

    made: str
    kind: str
    key: str
    """Of an event or log entry its mark, of a session its id."""
    user: str
    content: dict = field(default_factory=dict)
    gone: list = field(default_factory=list)
    """Requests that remove it from the events."""
    cleared: list = field(default_factory=list)
    """Those of them that leave nothing: a rule of retention lets an answer outlast its events."""
    session: object = None
    is_kept_with_answer: bool = False
    """A showing keeps properties of the event that brought it about for as long as it is kept itself."""


@dataclass(eq=False)
class Value:
    """Something that has one value at a time: (request, value) in their order."""

    name: tuple
    values: list = field(default_factory=list)


class Writer:
    """One client of one app, with users of its own."""

    def __init__(self, number, run, path, seed):
        self.number = number
        self.run = run
        self.path = path
        self.chance = random.Random(seed)
        self.app = f"app-{number}"
        self.users = [f"user-{number}-{n}" for n in range(4)]
        self.marks = 0
        self.requests = 0
        self.sessions = []
        self.current = None
        # Whether the daemon may have another current session.
        self.is_adrift = False
        self.things = []
        self.values = {}
        # Counters of which it is not known whether the last change was carried out.
        self.unsure = set()
        self.client = None

    def connect(self):
        self.client = Client(self.path)

    def harkd_was_killed(self):
        """What was not answered may have been done or not: from here on nothing rests on it."""
        self.current = None
        self.is_adrift = True
        self.unsure = {key for key in self.values if key[0] == "counter"}

    # MARK: Requests

    def id(self):
        self.requests += 1
        return f"w{self.number}-{self.requests}"

    def mark(self):
        self.marks += 1
        return f"mark-{self.number}-{self.marks}-end"

    def ask(self, *requests):
        """Sends requests and returns their results; a refusal is a failure of the test."""
        self.run.begun(id for id, _, _ in requests)
        self.client.send(*requests)
        results = {}
        for _ in requests:
            reply = self.client.receive()
            if "error" in reply:
                raise Failure(f"{reply['id']}: {reply['error']['message']}")
            results[reply["id"]] = reply["result"]
        return [results[id] for id, _, _ in requests]

    def ask_one(self, id, method, **params):
        return self.ask((id, method, params))[0]

    def note(self, name, request, value):
        self.values.setdefault(name, Value(name)).values.append((request, value))

    # MARK: Steps

    def step(self):
        steps = {
            self.start: 3, self.record: 8, self.end: 1, self.clear_user: 3, self.clear_session: 2, self.count: 3,
            self.answer_form: 2, self.answer_survey: 2, self.take_in: 2, self.log: 3, self.new_device: 1,
            self.start_many: 1,
        }
        self.chance.choices(list(steps), list(steps.values()))[0]()

    def start(self):
        id, user = self.id(), self.chance.choice(self.users)
        metadata = {"n": self.requests, "plan": self.chance.choice(["pro", "free"])}
        ended = self.current
        session = self.ask_one(id, "session.start", app=self.app, userId=user, metadata=metadata)["session"]
        self.current = Thing(id, "session", session["id"], user, {"metadata": metadata})
        self.current.content["startedAt"] = session["startedAt"]
        self.sessions.append(self.current)
        self.things.append(self.current)
        self.is_adrift = False
        if ended:
            ended.content["ended"] = id

    def start_many(self):
        """So many sessions at a time that the archive syncs all at once."""
        asked = [(self.id(), self.chance.choice(self.users), {"n": n}) for n in range(self.chance.randint(9, 14))]
        sessions = self.ask(*[
            (id, "session.start", {"app": self.app, "userId": user, "metadata": metadata})
            for id, user, metadata in asked])
        for (id, user, metadata), result in zip(asked, sessions):
            ended, session = self.current, result["session"]
            content = {"metadata": metadata, "startedAt": session["startedAt"]}
            self.current = Thing(id, "session", session["id"], user, content)
            self.sessions.append(self.current)
            self.things.append(self.current)
            if ended:
                ended.content["ended"] = id
        self.is_adrift = False
        self.record()

    def record(self):
        if not self.current:
            self.start()
        events = []
        # Now and then long ones: a line may then be far longer than a sector.
        filler = self.chance.choice(["", "", "x" * 700, "y" * 5000])
        for _ in range(self.chance.randint(1, 12)):
            mark = self.mark()
            properties = {"mark": mark, "n": self.marks, "ratio": self.marks / 8, "is": self.marks % 2 == 0, "filler": filler}
            events.append(Thing(self.id(), "event", mark, self.current.user, properties, session=self.current))
        self.things += events
        self.ask(*[
            (event.made, "event.record", {"name": "tapped", "app": self.app, "properties": event.content})
            for event in events])

    def end(self):
        if not self.current:
            return
        id = self.id()
        self.current.content["ended"] = id
        self.current = None
        self.ask_one(id, "session.end", app=self.app)

    def remove(self, id, selected, by_rule=False):
        for thing in self.things:
            if selected(thing):
                thing.gone.append(id)
                if not (by_rule and (thing.kind == "answer" or thing.is_kept_with_answer)):
                    thing.cleared.append(id)
        self.sessions = [session for session in self.sessions if not session.gone]
        if self.current and self.current.gone:
            self.current = None

    def clear_user(self):
        id, user = self.id(), self.chance.choice(self.users)
        self.remove(id, lambda thing: thing.user == user)
        # Whether answers of a form go along is the form's business.
        self.values.pop(("form", user), None)
        self.ask_one(id, "event.clear", userId=user)

    def clear_session(self):
        if not self.sessions:
            return
        id, session = self.id(), self.chance.choice(self.sessions)
        self.remove(id, lambda thing: thing is session or thing.session is session)
        self.ask_one(id, "event.clear", sessionId=session.key)

    def count(self):
        name = self.chance.choice(["opens", "shares"])
        key = ("counter", self.app, name)
        if key not in self.values:
            id = self.id()
            self.note(key, id, 0)
            self.ask_one(id, "counter.register", name=name, app=self.app)
        requests = []
        for _ in range(self.chance.randint(1, 5)):
            id = self.id()
            if key in self.unsure or self.chance.random() < 0.2:
                value = self.chance.randint(-5, 5)
                requests.append((id, "counter.set", {"name": name, "app": self.app, "value": value}))
                self.unsure.discard(key)
            else:
                value = self.values[key].values[-1][1] + 1
                requests.append((id, "counter.trigger", {"name": name, "app": self.app}))
            self.note(key, id, value)
        self.ask(*requests)

    def answer_form(self):
        id, user, answer = self.id(), self.chance.choice(self.users), self.mark()
        self.note(("form", user), id, answer)
        self.ask_one(id, "form.answer", formId="start", questionId="goal", answer=answer, userId=user)

    def answer_survey(self):
        if not self.current:
            self.start()
        mark = self.mark()
        asked = Thing(
            self.id(), "event", mark, self.current.user, {"mark": mark}, session=self.current, is_kept_with_answer=True)
        self.things.append(asked)
        self.ask_one(asked.made, "event.record", name="asked", app=self.app, properties=asked.content)
        shown = self.ask_one(self.id(), "survey.present", app=self.app)["survey"]
        if not shown:
            return
        text = self.mark()
        answer = Thing(self.id(), "answer", text, shown["userId"], {"text": text})
        # The answer is an event of the session in which it was asked for.
        answer.session = next((session for session in self.sessions if session.key == shown["sessionId"]), None)
        if answer.session:
            self.things.append(answer)
        self.ask_one(answer.made, "survey.answer", presentationId=shown["presentationId"], text=text)

    def take_in(self):
        key = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        started = f"2026-01-{self.chance.randint(1, 28):02}T{self.chance.randint(0, 23):02}:00:00.000Z"
        session = Thing(self.id(), "session", key, self.chance.choice(self.users), {"metadata": {"from": "afar"}, "startedAt": started})
        self.things.append(session)
        self.ask_one(session.made, "session.import", session={
            "id": key, "userId": session.user, "app": self.app, "startedAt": started, "endedAt": started,
            "metadata": session.content["metadata"]})
        self.sessions.append(session)
        events = []
        for _ in range(self.chance.randint(1, 6)):
            mark = self.mark()
            events.append(Thing(self.id(), "event", mark, session.user, {"mark": mark, "n": self.marks}, session=session))
        self.things += events
        self.ask(*[
            (event.made, "event.import", {"sessionId": key, "event": {
                "id": str(uuid.UUID(int=self.chance.getrandbits(128), version=4)), "name": "old", "timestamp": started,
                "properties": event.content}})
            for event in events])

    def log(self):
        if self.is_adrift:
            self.start()
        mark, user = self.mark(), self.chance.choice(self.users)
        # An entry about the current session's user lies in that session, and goes with it.
        session = self.current if self.current and self.current.user == user else None
        entry = Thing(self.id(), "log", mark, user, session=session)
        self.things.append(entry)
        self.ask_one(entry.made, "log.write", message=mark, userId=user, app=self.app)

    def new_device(self):
        if self.number:
            return
        id = self.id()
        # A value is only known with the reply: until then any is right.
        self.note(("device",), id, None)
        device = self.ask_one(id, "log.device", reset=True)["deviceId"]
        self.values[("device",)].values[-1] = (id, device)

    def retire(self, keep):
        """What `retention.apply` with so many sessions a user removes of this writer's; all others rest meanwhile."""
        gone = []
        for user in self.users:
            sessions = [session for session in self.sessions if session.user == user]
            order = sorted(range(len(sessions)), key=lambda at: (sessions[at].content["startedAt"], at), reverse=True)
            gone += [sessions[at] for at in order[keep:] if sessions[at] is not self.current]
        return gone


class Run:
    """All writers on one daemon, and what was asked for until when."""

    def __init__(self, journal, path, seed, writers, is_system):
        self.journal = journal
        self.is_system = is_system
        self.chance = random.Random(seed)
        self.lock = threading.Lock()
        self.asked = {}
        self.writers = [Writer(number, self, path, seed * 100 + number) for number in range(writers)]
        self.admin = Writer(len(self.writers), self, path, seed * 100 + 99)

    def begun(self, ids):
        """Called before requests are sent: what they do comes behind this place in the journal."""
        length = os.stat(self.journal).st_size
        with self.lock:
            for id in ids:
                self.asked[id] = length

    @property
    def things(self):
        return [thing for writer in self.writers for thing in writer.things]

    @property
    def values(self):
        return [value for writer in self.writers for value in writer.values.values()]

    def phase(self, steps, is_stopped=lambda: False):
        """Lets every writer do so many steps, side by side. With `is_stopped` the daemon may be killed meanwhile."""
        failures = []

        def work(writer):
            try:
                writer.connect()
                for _ in range(steps):
                    writer.step()
                writer.client.close()
            except (ConnectionError, OSError) as problem:
                if not is_stopped():
                    failures.append(problem)
            except Exception as problem:  # To be told by the main thread, whatever it is.
                failures.append(problem)

        threads = [threading.Thread(target=work, args=(writer,)) for writer in self.writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def apply_retention(self):
        """While all writers rest, so that it is known what it removes."""
        id, keep = self.admin.id(), self.chance.randint(1, 4)
        for writer in self.writers:
            gone = writer.retire(keep)
            writer.remove(id, lambda thing: thing in gone or thing.session in gone, by_rule=True)
        self.admin.connect()
        self.admin.ask_one(id, "retention.apply", policy={"maxSessionsPerUser": keep})
        self.admin.client.close()
