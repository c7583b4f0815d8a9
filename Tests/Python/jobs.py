"""Runs jobs side by side, as many as there is room for. The output of each is kept together, and nothing is left behind.

A job is a command in a session of its own, so that it ends with everything it has started: when it is over, when its time is
over, when it is broken off with Ctrl-C. Temporary files are in a folder of the run's, which goes with it. What a job says goes
to a file, and is shown when it has ended: all of it where it failed.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Lines of a success that are shown; all are in its file.
SHOWN = 40
# Lines that say what a suite came to, for the table at the end.
SUMMARY = re.compile(
    r"(Ran \d+ tests?.*|Test run with .*|power loss: .*|sanitizers: .*|\d+ tests of windows .*|\d+ steps of fleets.*?(?=\()"
    r"|Build complete!.*)")
# Lines that say what failed, for those who see no more of a log than its end.
FAILURE = re.compile(
    r"✘ Test .* recorded an issue|^ *↳ |^error: |^(?!harkd: ).*: error: |Fatal error|^(FAIL|ERROR): | failed after .* s:$|^\w*Error: ")
NO_FAILURE = re.compile(r"↳ (Testing Library Version|Target Platform):")
FAILURES = 40
# Seconds that a job has to end by itself after it was told to.
GRACE = 20


@dataclasses.dataclass(frozen=True)
class Job:
    """A command. It runs once the jobs that it needs have passed, and takes so much of the room that there is."""

    name: str
    command: tuple
    folder: pathlib.Path = pathlib.Path(".")
    needs: tuple = ()
    room: int = 1
    # In seconds; it is ended then, and has failed.
    limit: float = 3600


class Running:
    """A job that has been started."""

    def __init__(self, job, log, temporary):
        self.job = job
        self.log = log
        self.start = time.monotonic()
        self.is_late = False
        # Seconds of the processor's, of everything that was waited for.
        self.worked = 0.0
        with open(log, "wb") as file:
            # Without this process it is ended as well.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *map(str, job.command)], cwd=job.folder, stdin=subprocess.DEVNULL,
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, "TMPDIR": temporary})

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def code(self):
        """What the command ended with, or None while it runs."""
        if self.process.returncode is None:
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.worked = used.ru_utime + used.ru_stime
        return self.process.returncode

    def members(self):
        """The processes of its session that are still there."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, session = path.read_bytes().rpartition(b")")[2].split()[:4]
            except OSError:
                continue
            if int(session) == self.process.pid and state != b"Z":
                found.append(int(path.parent.name))
        return found

    def signal(self, number):
        for pid in self.members():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def end(self):
        """Waits for a command that was told to end, and kills what is there when it has, or has not in time."""
        deadline = time.monotonic() + GRACE
        while self.code() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.clear()

    def clear(self):
        """Kills all that is there of it."""
        while self.members():
            self.signal(signal.SIGKILL)
            time.sleep(0.01)
        while self.code() is None:
            time.sleep(0.01)


class Run:
    """Jobs, and what has become of them. Those that take all the room come first; else they begin in the order given."""

    def __init__(self, jobs, room, logs, say=None):
        self.waiting = sorted(jobs, key=lambda job: job.room < room)
        self.names = {job.name for job in jobs}
        self.room = room
        self.logs = pathlib.Path(logs)
        self.say = say or self.write
        self.running = []
        self.passed = set()
        # (how it ended, seconds, seconds of the processor's, name, its summary)
        self.rows = []
        self.failures = []
        # The signal that has broken it off. It is only noted, as in the middle of starting a job that would be lost.
        self.broken = 0

    @staticmethod
    def write(text):
        # What a suite says need not be UTF-8.
        sys.stdout.buffer.write(text.encode(errors="surrogateescape") + b"\n")
        sys.stdout.buffer.flush()

    def run(self):
        """What to exit with: 0 where all have passed, 1 where some have not, as a shell does it where it was broken off."""
        self.logs.mkdir(parents=True, exist_ok=True)
        before = {number: signal.signal(number, self.break_off) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        self.temporary = tempfile.mkdtemp(prefix="hark-")
        # Some programs of root's tests run as other accounts.
        os.chmod(self.temporary, 0o755)
        try:
            while (self.waiting or self.running) and not self.broken:
                self.begin()
                time.sleep(0.05)
                for one in list(self.running):
                    self.look_at(one)
        finally:
            for one in self.running:
                one.signal(signal.SIGINT)
            for one in self.running:
                one.end()
            shutil.rmtree(self.temporary, ignore_errors=True)
            for number, handler in before.items():
                signal.signal(number, handler)
        return 128 + self.broken if self.broken else self.tell()

    def break_off(self, number, _):
        self.broken = number

    def begin(self):
        """Starts those there is room for, and gives up those that need what has failed."""
        for job in list(self.waiting):
            needs = [name for name in job.needs if name in self.names and name not in self.passed]
            pending = {one.name for one in self.waiting} | {one.job.name for one in self.running}
            if any(name not in pending for name in needs):
                self.waiting.remove(job)
                self.rows.append(("not run", 0, 0, job.name, f"needs {needs[0]}"))
                return self.begin()
            free = self.room - sum(one.job.room for one in self.running)
            if not needs and (job.room <= free or not self.running):
                self.waiting.remove(job)
                self.say(f"▶ {job.name}")
                self.running.append(Running(job, self.logs / f"{re.sub(r'[^A-Za-z0-9]+', '-', job.name)}.log", self.temporary))

    def look_at(self, one):
        if one.code() is None:
            if one.seconds < one.job.limit:
                return
            one.is_late = True
            one.signal(signal.SIGINT)
            one.end()
        one.clear()
        self.running.remove(one)
        self.take(one)

    def take(self, one):
        """Shows what an ended job has said, and remembers what came of it."""
        lines = one.log.read_text(errors="surrogateescape").splitlines()
        has_passed = one.code() == 0 and not one.is_late
        ending = "passed" if has_passed else "took too long" if one.is_late else f"failed with {one.code()}"
        self.say(f"\n── {one.job.name}: {ending} after {one.seconds:.0f} s ──")
        if has_passed and len(lines) > SHOWN:
            self.say(f"({len(lines) - SHOWN} lines before are in {one.log})")
            lines_shown = lines[-SHOWN:]
        else:
            lines_shown = lines
        self.say("\n".join(lines_shown) + "\n")
        found = [match.group(1).strip() for line in lines if (match := SUMMARY.search(line))]
        self.rows.append((ending, one.seconds, one.worked, one.job.name, "; ".join(found[-3:])))
        if has_passed:
            self.passed.add(one.job.name)
        else:
            told = [line[:300] for line in lines if FAILURE.search(line) and not NO_FAILURE.search(line)]
            self.failures += [f"{one.job.name} {ending}; the whole output is in {one.log}"]
            self.failures += [f"  {line}" for line in (told or lines)[-FAILURES:]]

    def tell(self):
        has_passed = all(ending == "passed" for ending, *_ in self.rows)
        text = ["In all, in seconds (and those of the processor's):"]
        text += [f"{ending:>14} {seconds:5.0f} ({worked:4.0f})  {name}{f': {summary}' if summary else ''}"
                 for ending, seconds, worked, name, summary in self.rows]
        if self.failures:
            text += ["", "What failed:", *self.failures]
        self.say("\n".join(text))
        return 0 if has_passed else 1
