"""A daemon that has seen two weeks, and its report."""

import datetime
import os
import random
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests" / "Python"))

from programs import hark, hark_path  # noqa: E402
from tests.daemon import Daemon  # noqa: E402

#: What somebody may call anything who wants a page to do something.
EVIL = "\"'&\u202e\x07</bdi><script>fetch('http://evil.example/s')</script><img src='http://evil.example/i'>"


def survey(name, title, questions):
    return {"id": name, "title": title, "message": "Please tell us.", "trigger": {"event": {"name": f"ask_{name}"}},
            "questions": questions}


SURVEYS = {"surveys": [
    survey("visit", "Your visit", [
        {"id": "mood", "type": "single", "question": "How was it?", "options": ["Great", "Okay", "Poor"]},
        {"id": "rooms", "type": "multiple", "question": "Which rooms do you use?", "maxSelections": 3,
         "options": ["Laboratory", "Workshop", "Library", "Garden"]},
        {"id": "why", "type": "text", "question": "Why?", "required": False}]),
    survey("recommend", "Would you recommend us?", [
        {"id": "score", "type": "nps", "question": "How likely are you to recommend us?"}]),
    survey("unused", "Nobody saw this", [{"id": "q", "type": "rating", "question": "Stars?", "scale": 5}]),
]}


class Scene:
    def __init__(self, destinations=(), seed: int = 7) -> None:
        self.chance = random.Random(seed)
        settings = {"retention": "none", "debug": "debug", "notify": None, "archive": False,
                    "destinations": list(destinations)}
        self.daemon = Daemon(settings, surveys=SURVEYS).start()
        self.client = hark.Client(self.daemon.path)
        self.now = datetime.datetime.now(datetime.timezone.utc)

    def remove(self) -> None:
        self.client.close(60)
        self.daemon.remove()

    def call(self, method, **params):
        return self.client.call(method, params)

    def ago(self, hours) -> str:
        return (self.now - datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def record(self, count) -> None:
        """Events of two weeks, more by day than by night, most of one name."""
        names = ["door.open"] * 9 + ["checkout"] * 6 + ["search"] * 4 + ["backup", "login", "sync.failed"]
        made = 0
        while made < count:
            hours = self.chance.uniform(0, 14 * 24)
            hour = (self.now - datetime.timedelta(hours=hours)).hour
            if self.chance.random() > (0.1 if hour < 6 else 1 if 8 < hour < 19 else 0.5):
                continue
            made += 1
            self.client.record_soon(
                self.chance.choice(names), timestamp=self.ago(hours), app=self.chance.choice(["kiosk", "shop"]),
                properties={"amount": self.chance.randint(1, 100)})

    def sessions(self, count, app="kiosk") -> None:
        for number in range(count):
            start = self.chance.uniform(4, 14 * 24)
            length = min(self.chance.expovariate(1 / 0.4), 3)
            self.call("session.import", session={
                "id": str(uuid.UUID(int=self.chance.getrandbits(128))), "userId": f"user-{self.chance.randint(1, 25)}",
                "app": app, "startedAt": self.ago(start), "endedAt": self.ago(start - length), "metadata": {}})

    def answers(self, name, count, answer) -> None:
        for number in range(count):
            user = f"guest-{name}-{number}"
            self.call("session.start", userId=user, app="desk")
            self.call("event.record", name=f"ask_{name}", app="desk")
            shown = self.call("survey.present", app="desk")["survey"]["presentationId"]
            if number % 5 == 4:
                self.call("survey.dismiss", presentationId=shown)
            else:
                self.call("survey.answer", presentationId=shown, answers=answer())
        self.call("session.end", app="desk")

    def fill(self, answers: int = 50) -> None:
        pick = self.chance
        for app in ("kiosk", "shop"):
            self.call("session.start", userId="ada", app=app)
        self.record(4_000)
        self.sessions(90)
        self.sessions(30, "shop")
        self.answers("visit", answers, lambda: {
            "mood": pick.choice(["Great"] * 5 + ["Okay"] * 2 + ["Poor"]),
            "rooms": pick.sample(["Laboratory", "Workshop", "Library", "Garden"], pick.randint(1, 3)),
            **({"why": "My secret reason"} if pick.random() < 0.3 else {})})
        self.answers("recommend", answers // 2, lambda: {"score": pick.choice([6, 7, 8, 9, 9, 10, 10, 10])})

    def report(self, *words, to: Path) -> str:
        run = subprocess.run(
            [hark_path(), "report", "--out", to, *words], capture_output=True, text=True, timeout=120,
            env={"PATH": os.environ["PATH"], "HARK_SOCKET": self.daemon.path, "TZ": "UTC"})
        assert run.returncode == 0, run
        return to.read_text()
