"""harkd, a client of it, and the server that its records go to."""

import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Python"))

from waiting import Failure, wait_until

# Every record of a run bears one of these in its properties, so that it is found in any file and any request.
MARK = re.compile(rb"mark-[0-9]+-[0-9]+-end")

SURVEYS = {
    "surveys": [
        {
            "id": "words", "title": "In your own words", "message": "How was it?",
            "response": {"type": "text", "maxLength": 200}, "oncePerSession": False, "oncePerUser": False,
            "trigger": {"event": {"name": "asked", "properties": {}}},
        }
    ]
}

FORMS = {"forms": [{"id": "start", "title": "Before you begin", "questions": [{"id": "goal", "question": "What for?"}]}]}


class Hark:
    """A daemon on a state folder, one user's or the machine's."""

    def __init__(self, program, state, scratch, port, environment=None, is_system=False):
        self.socket = str(scratch / "hark.sock")
        self.config = scratch / "config"
        self.config.mkdir(exist_ok=True)
        (self.config / "surveys.json").write_text(json.dumps(SURVEYS))
        (self.config / "forms.json").write_text(json.dumps(FORMS))
        (self.config / "harkd.json").write_text(json.dumps({
            "retention": "none",
            "notify": None,
            # A survey that was answered is asked again.
            "debug": {"bypassGating": True, "scheduleDelaySeconds": None, "attemptCooldownSeconds": None},
            "destinations": [{
                "name": "server", "kind": "http", "url": f"http://127.0.0.1:{port}/", "kinds": ["log", "event"],
                "maxPendingLogs": None, "pendingLogMaxAge": None,
            }],
        }))
        self.log = scratch / "harkd.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [program, "--state", state, "--socket", self.socket, "--config", self.config] + ["--system"] * is_system,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), **(environment or {})})
        wait_until(self._answers, f"harkd serves {state}", 60)

    def _answers(self):
        if self.process.poll() is not None:
            raise Failure(f"harkd ended with {self.process.returncode}: {self.log.read_text()[-1000:]}")
        try:
            Client(self.socket).close()
            return True
        except OSError:
            return False

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)


class Client:
    """One connection. Ids of requests are given by the caller, or made up."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(120)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("rb")
        self.made = 0

    def close(self):
        self.lines.close()
        self.socket.close()

    def send(self, *requests):
        """Several (id, method, params) in one go."""
        self.socket.sendall(b"".join(
            json.dumps({"id": id, "method": method, "params": params}).encode() + b"\n" for id, method, params in requests))

    def receive(self):
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("harkd hung up")
        return json.loads(line)

    def call(self, method, **params):
        self.made += 1
        self.send((self.made, method, params))
        reply = self.receive()
        if "error" in reply:
            raise Failure(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def pages(self, method, member, cursor, next, **params):
        """All of a list that comes in pages."""
        found = []
        while True:
            result = self.call(method, **params)
            found += result[member]
            if result[next] is None:
                return found
            params[cursor] = result[next]


class Server:
    """Where records are sent to: wants nothing for a day, or takes everything and remembers the marks."""

    def __init__(self):
        self.is_open = False
        self.marks = set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if outer.is_open:
                    outer.marks.update(MARK.findall(body))
                self.send_response(200 if outer.is_open else 429)
                if not outer.is_open:
                    self.send_header("Retry-After", "86400")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def build_journal(folder):
    """Compiles what harkd is run with."""
    source = pathlib.Path(__file__).with_name("journal.c")
    library = folder / "journal.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source], check=True)
    return library
