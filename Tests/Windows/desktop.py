"""A desktop of the tests' own: a screen nobody sees, a session bus, and the accessibility bus on it."""

import atexit
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Python"))
from programs import call, hark  # noqa: E402
from waiting import Failure, wait_until  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = pathlib.Path(os.environ.get("HARK_BUILT", ROOT / ".build/release"))
PR_SET_CHILD_SUBREAPER = 36


def descendants(pid):
    """The processes below that one, the deepest last."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child] + descendants(child)
    return found


class Desktop:
    """Lives as long as this process; what it started ends with it."""

    def __init__(self, size="1280x1024"):
        # What is left behind by others (the accessibility bus leaves its parents) becomes ours to end.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hark-windows-"))
        atexit.register(self.end)
        # Whoever loses patience with the tests leaves nothing behind either.
        signal.signal(signal.SIGTERM, self.give_up)
        reading, writing = os.pipe()
        with open(self.folder / "xvfb.log", "wb") as log:
            # It looks for a free number itself, so desktops can be side by side.
            subprocess.Popen(
                ["Xvfb", "-displayfd", str(writing), "-screen", "0", size + "x24", "-nolisten", "tcp", "-ac", "-noreset",
                 "-fbdir", str(self.folder)], pass_fds=[writing], stdout=log, stderr=log)
        os.close(writing)
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        if not number:
            raise Failure("Xvfb did not start: " + (self.folder / "xvfb.log").read_text())
        (self.folder / "run").mkdir(mode=0o700)
        (self.folder / "config/gtk-4.0").mkdir(parents=True)
        (self.folder / "config/gtk-4.0/settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 11\n")
        bus = f"unix:path={self.folder}/bus"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", "DISPLAY": f":{number}",
            "DBUS_SESSION_BUS_ADDRESS": bus, "DBUS_SYSTEM_BUS_ADDRESS": bus, "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_CONFIG_HOME": str(self.folder / "config"), "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
            # Thanks need not stay longer than it takes to find them.
            "HARK_THANKS_SECONDS": "3",
            # No graphics card, and no library looked for that would draw with one; nobody's settings.
            "GSK_RENDERER": "cairo", "GDK_DEBUG": "gl-disable", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory",
        }
        with open(self.folder / "bus.log", "wb") as log:
            subprocess.Popen(
                ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", f"--address={bus}"],
                env=self.environment, stdout=log, stderr=log)
        wait_until((self.folder / "bus").exists, "a session bus")
        os.environ.update({name: self.environment[name] for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")})

    def give_up(self, *_):
        self.end()
        os._exit(143)

    def end(self):
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            for pid in descendants(os.getpid()):
                try:
                    os.kill(pid, signal_number)
                except ProcessLookupError:
                    pass
            try:
                wait_until(self.reaped, "everything to end", seconds=3)
                break
            except Failure:
                continue
        shutil.rmtree(self.folder, ignore_errors=True)

    def reaped(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        return not descendants(os.getpid())

    def picture(self, path, geometry=None):
        """What is on the screen, or on that part of it (`WxH+X+Y`)."""
        crop = ["-crop", geometry, "+repage"] if geometry else []
        subprocess.run(["convert", f"xwd:{self.folder}/Xvfb_screen0", *crop, str(path)], check=True)


def survey(name, title="How was it?", message="Tell us.", **more):
    """A survey that comes with the event of its name."""
    return {"id": name, "title": title, "message": message, "trigger": {"event": {"name": name}},
            "oncePerSession": False, **more}


class Daemon:
    """A `harkd` with settings, surveys and forms of a test's own."""

    def __init__(self, desktop, surveys=None, forms=None, settings=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="daemon-", dir=desktop.folder))
        self.environment = dict(
            desktop.environment, XDG_STATE_HOME=str(self.folder / "state"),
            HARK_SOCKET=str(self.folder / "hark.sock"))
        config = self.folder / "config/hark"
        config.mkdir(parents=True)
        (config / "harkd.json").write_text(json.dumps(settings if settings is not None else {"notify": None}))
        if surveys is not None:
            (config / "surveys.json").write_text(json.dumps({"surveys": surveys}))
        if forms is not None:
            (config / "forms.json").write_text(json.dumps({"forms": forms}))
        self.start()

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [BUILT / "harkd"], env=dict(self.environment, XDG_CONFIG_HOME=str(self.folder / "config")),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self.is_there, "the daemon; it says " + (self.folder / "log").read_text())

    def is_there(self):
        try:
            return self.call("daemon.status")
        except hark.Error:
            return None

    def ask(self, name):
        """Brings a survey about; its presentation."""
        self.call("event.record", name=name, properties={})
        return self.pending(name)[0]["presentationId"]

    def pending(self, name):
        return self.call("survey.pending", surveyId=name)["surveys"]

    def responses(self):
        """What was answered, as the events say that are on disk."""
        events = self.call("event.list", name="survey_response")["events"]
        return [{name: value for name, value in event["properties"].items() if name not in ("title", "message")}
                for event in events]

    def answers(self):
        """The answers of a survey of questions, by their ids."""
        return {name.removeprefix("answer."): value for name, value in self.responses()[-1].items()
                if name.startswith("answer.")}

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def call(self, method, **params):
        """The result of a call, over the socket as any program does it."""
        return call(self.environment["HARK_SOCKET"], method, **params)
