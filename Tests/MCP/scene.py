"""A daemon, `hark mcp` as a program that lines are written to, and the person who answers."""

import contextlib
import itertools
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp_types import methods
from mcp_types._v2026_07_28 import JSONRPCErrorResponse

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests" / "Python"))

from programs import call, hark_path  # noqa: E402
from tests.daemon import Daemon  # noqa: E402
from waiting import wait_until  # noqa: E402

LEGACY, MODERN = "2025-11-25", "2026-07-28"
PATIENCE = 60


class Client:
    """A client that knows nothing but lines. Each that comes is held against the protocol's own types."""

    numbers = itertools.count(1)

    def __init__(self, daemon, name="test client", environment=None, program=None):
        self.name = name
        self.process = subprocess.Popen(
            [program or hark_path(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env={**os.environ, "HARK_SOCKET": daemon.path, **(environment or {})})
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.buffer = b""
        self.asked = {}
        self.others = []
        self.schemas = {}

    # Sending.

    def send_bytes(self, data: bytes):
        """In one write."""
        self.process.stdin.write(data)

    def send_all(self, data: bytes):
        while data:
            data = data[self.process.stdin.write(data):]

    def send(self, message):
        self.send_all(json.dumps(message).encode() + b"\n")

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def message(self, method, params=None, version=MODERN, id=None, token=None, name=None):
        """A request, of which is remembered what its reply has to be."""
        params = dict(params or {})
        meta = {}
        if version == MODERN:
            meta = {"io.modelcontextprotocol/protocolVersion": version,
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": {"name": name or self.name, "version": "1"}}
        if token is not None:
            meta["progressToken"] = token
        if meta:
            params["_meta"] = meta
        id = next(self.numbers) if id is None else id
        self.asked[id] = (method, version, params.get("name"))
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}

    def begin(self, method, params=None, **more):
        """Sends a request; its id."""
        message = self.message(method, params, **more)
        self.send(message)
        return message["id"]

    def begin_tool(self, tool, arguments=None, **more):
        return self.begin("tools/call", {"name": tool, "arguments": arguments or {}}, **more)

    # Receiving.

    def line(self, seconds=PATIENCE):
        """The next line as it came; None at the end, and where none comes in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            if not self.selector.select(max(0, end - time.monotonic())):
                return None
            data = self.process.stdout.read(1 << 16)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def receive(self, seconds=PATIENCE):
        line = self.line(seconds)
        if line is None:
            return None
        message = json.loads(line)
        self.check(message)
        return message

    def check(self, message):
        assert message["jsonrpc"] == "2.0", message
        if "method" in message:
            methods.parse_server_notification(message["method"], LEGACY, message["params"])
            methods.parse_server_notification(message["method"], MODERN, message["params"])
        elif "error" in message:
            JSONRPCErrorResponse.model_validate(message)
            assert message.get("id", 0) is not None, message
        else:
            method, version, tool = self.asked[message["id"]]
            methods.validate_server_result(method, version, message["result"])
            if version == LEGACY:
                assert "resultType" not in message["result"], message
            if method == "tools/call":
                self.check_tool(tool, message["result"])

    def check_tool(self, tool, result):
        schema = self.schemas.get(tool)
        if not result.get("isError") and schema:
            Draft202012Validator(schema).validate(result["structuredContent"])
            assert json.loads(result["content"][0]["text"]) == result["structuredContent"], result

    def reply(self, id, seconds=PATIENCE):
        """The reply to a request; what else comes meanwhile is kept in `others`."""
        for place, other in enumerate(self.others):
            if other.get("id") == id:
                return self.others.pop(place)
        while True:
            message = self.receive(seconds)
            assert message is not None, f"no reply to {id}"
            if message.get("id") == id:
                return message
            self.others.append(message)

    def call(self, method, params=None, **more):
        reply = self.reply(self.begin(method, params, **more))
        assert "result" in reply, reply
        return reply["result"]

    def error(self, method, params=None, **more):
        return self.reply(self.begin(method, params, **more))["error"]

    def tool(self, tool, arguments=None, **more):
        """What a tool gives back as data."""
        result = self.call("tools/call", {"name": tool, "arguments": arguments or {}}, **more)
        assert not result["isError"], result
        return result["structuredContent"]

    def fault(self, tool, arguments=None, **more):
        """What a tool tells the model that it has to mend."""
        result = self.call("tools/call", {"name": tool, "arguments": arguments or {}}, **more)
        assert result["isError"], result
        return result["content"][0]["text"]

    def initialize(self, version=LEGACY, name=None):
        result = self.call(
            "initialize", {"protocolVersion": version, "capabilities": {},
                           "clientInfo": {"name": name or self.name, "version": "1"}}, version=LEGACY)
        self.notify("notifications/initialized", {})
        return result

    def learn(self):
        """From here on results are held against what the tools say of them."""
        self.schemas = {tool["name"]: tool.get("outputSchema") for tool in self.call("tools/list")["tools"]}
        return self

    def children(self):
        """The programs that it runs."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return file.read().split()

    # Ending.

    def close(self):
        """Closes its end; what the program ended with."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def remove(self):
        self.selector.close()
        self.process.kill()
        self.process.wait()
        for end in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                end.close()


class Between:
    """Stands between a program and the daemon, and keeps back the replies to one method until it is told to let them go."""

    def __init__(self, daemon, method):
        self.daemon = daemon
        self.method = f'"{method}"'.encode()
        self.path = str(daemon.folder / "between")
        self.released = threading.Event()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.links = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.daemon.path)
                self.links += [client, server]
                threading.Thread(target=self.carry, args=(client, server), daemon=True).start()

    def carry(self, client, server):
        """A request and its reply at a time, as each request has a connection of its own."""
        with contextlib.suppress(OSError):
            requests, replies = client.makefile("rb"), server.makefile("rb")
            for request in requests:
                server.sendall(request)
                reply = replies.readline()
                if self.method in request:
                    self.released.wait(PATIENCE)
                client.sendall(reply)
        client.close()
        server.close()

    def release(self):
        self.released.set()

    def remove(self):
        self.release()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for link in self.links:
            link.close()


class Scene(unittest.TestCase):
    """A test that hangs is a failure."""

    settings = {}
    files = {}

    def setUp(self):
        signal.signal(signal.SIGALRM, self.expired)
        signal.alarm(120)
        self.addCleanup(signal.alarm, 0)
        self.daemon = Daemon(self.settings, **self.files).start()
        self.addCleanup(self.daemon.remove)

    def expired(self, *_):
        raise AssertionError(f"{self.id()} hangs")

    def client(self, *arguments, **more):
        client = Client(self.daemon, *arguments, **more)
        self.addCleanup(client.remove)
        return client.learn()

    def ask_daemon(self, method, params=None):
        return call(self.daemon.path, method, **(params or {}))

    def hark(self, *words, code=0, environment=None):
        run = subprocess.run(
            [hark_path(), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
            env={**os.environ, "HARK_SOCKET": self.daemon.path, **(environment or {})})
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout

    # The person.

    def waiting(self):
        """What waits for an answer."""
        return self.ask_daemon("survey.pending")["surveys"]

    def shown(self, question):
        return wait_until(
            lambda: next((one for one in self.waiting() if one["title"] == question), None),
            f"the question {question}")

    def answer(self, question, **answer):
        self.ask_daemon("survey.answer", {"presentationId": self.shown(question)["presentationId"], **answer})

    def dismiss(self, question):
        self.ask_daemon("survey.dismiss", {"presentationId": self.shown(question)["presentationId"]})

    def events(self, name):
        return self.ask_daemon("event.list", {"app": "mcp", "name": name, "form": "objects"})["events"]
