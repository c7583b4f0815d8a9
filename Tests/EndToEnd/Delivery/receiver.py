"""A receiver of logs that fails as it is told to, and remembers everything it took.

It has doors, each a port of its own with its own weather and its own memory, and a Unix socket `control` in the folder
it is started with, which takes requests as harkd's own socket does: a JSON object a line. An entry is known by the
properties `w` (who wrote it) and `n` (its number, ascending for each writer and session).
"""

import collections
import email.utils
import gzip
import json
import os
import pathlib
import random
import socket
import socketserver
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Python"))

import web  # noqa: E402


class Door:
    """A port with a weather. What the weather says is used up from its front; where it is empty, all is well."""

    def __init__(self, name, certificate=None, host="127.0.0.1"):
        self.name = name
        self.host = host
        self.lock = threading.Lock()
        self.certificate = certificate
        self.port = 0
        self.server = None
        self.weather = []
        self.limit = None
        self.epoch = 0
        self.requests = collections.Counter()
        self.times = []
        self.connections = set()
        self.made = 0
        self.seen = {}
        self.last = {}
        self.entries = 0
        self.duplicates = collections.Counter()
        self.disorder = []
        self.bodies = []
        self.keep = 0
        self.strict = None
        self.headers = {}

    def open(self):
        if self.server:
            return
        self.server = Server(Handler, self.port, self.host, self.certificate)
        self.server.door = self
        self.port = self.server.start().server_port

    def close(self):
        """From now on connections are refused; those that there are break off."""
        if not self.server:
            return
        self.server.shutdown()
        self.server.server_close()
        self.server = None
        with self.lock:
            connections = list(self.connections)
        for connection in connections:
            cut(connection)

    def next(self):
        """What the weather says about the request that has come."""
        with self.lock:
            self.times.append(time.time())
            if not self.weather:
                return {"do": "accept"}
            rule = self.weather[0]
            if "times" in rule:
                rule["times"] -= 1
                if rule["times"] <= 0:
                    self.weather.pop(0)
            if rule["do"] == "random":
                dice = random.random()
                for kind in rule["kinds"]:
                    dice -= kind["chance"]
                    if dice < 0:
                        return kind
                return {"do": "accept"}
            return rule

    def take(self, entries, incident):
        """Writes down what came. `incident`: the sender will not hear of it, and send it again."""
        with self.lock:
            for writer, number, text in entries:
                key = (writer, number)
                self.entries += 1
                before = self.seen.get(key)
                if before is None:
                    if number <= self.last.get(writer, -1):
                        self.disorder.append([writer, number, self.last.get(writer)])
                    self.last[writer] = max(number, self.last.get(writer, -1))
                elif before[1]:
                    self.duplicates["incident"] += 1
                elif before[0] != self.epoch:
                    self.duplicates["restart"] += 1
                else:
                    self.duplicates["unexplained"] += 1
                self.seen[key] = (self.epoch, incident)

    def blame(self, entries):
        """The sender may not have heard that these were accepted."""
        with self.lock:
            for writer, number, _ in entries:
                self.seen[(writer, number)] = (self.epoch, True)


def cut(connection):
    """Ends a connection at once, whatever it waits for."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Handler(web.Handler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.door = self.server.door
        with self.door.lock:
            self.door.connections.add(self.connection)
            self.door.made += 1

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass
        with self.door.lock:
            self.door.connections.discard(self.connection)

    def do_POST(self):
        started = time.monotonic()
        door = self.door
        length = int(self.headers.get("Content-Length", 0))
        rule = door.next()
        what = rule["do"]
        with door.lock:
            door.requests[what if what != "status" else str(rule["status"])] += 1
            door.headers = dict(self.headers.items())
        if what == "reset":
            self.rfile.read(length // 2)
            return self.reset()
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        if what == "hang":
            return self.hang(rule)
        if door.limit is not None and length > door.limit:
            with door.lock:
                door.requests["413"] += 1
            return self.reply(413, b"")
        if what == "status":
            return self.status(rule)
        if what == "flaky":
            # A fault for some records, whatever else there is in the request.
            if any(text and rule["mark"] in text for _, _, text in self.entries(body)):
                return self.status(rule)
        try:
            entries = self.entries(body)
        except Exception as error:
            with door.lock:
                door.disorder.append(["unreadable", repr(error), body[:2000].decode("utf-8", "replace")])
            return self.reply(400, repr(error).encode())
        if door.keep:
            with door.lock:
                door.bodies.append((body, dict(self.headers.items()), self.path))
                del door.bodies[: -door.keep]
        incident = what in ("acceptThenReset", "acceptThenHang", "garbage", "slow")
        door.take(entries, incident)
        if what == "acceptThenReset":
            return self.reset()
        if what == "acceptThenHang":
            return self.hang(rule)
        if what == "garbage":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nthis is no chunk\r\n")
            self.wfile.flush()
            return self.reset()
        if what == "slow":
            return self.drip(rule)
        if what == "delay":
            time.sleep(rule["seconds"])
        answer = rule.get("answer", {"partialSuccess": {}} if self.place.endswith("/v1/logs") else {})
        closes = what == "close"
        self.reply(200, (answer if isinstance(answer, str) else json.dumps(answer)).encode())
        if closes:
            # Without a word before, as servers do that think a connection has idled long enough.
            self.close_connection = True
        if time.monotonic() - started > 1:
            door.blame(entries)

    do_PUT = do_POST

    def do_GET(self):
        self.reply(200, b'{"new_onboarding":true}')

    @property
    def place(self):
        """The path without what is asked of it."""
        return self.path.partition("?")[0]

    def entries(self, body):
        body = plain(body, self.headers)
        if self.place.endswith("/v1/logs"):
            if self.door.strict:
                return self.door.strict(body)
            return list(otlp(json.loads(body)))
        if self.place.startswith("/chat/"):
            # A message of whatever form, known by its place in the order of what came.
            return [("chat", self.door.entries, body.decode())]
        if self.place.endswith("/api/logs"):
            entry = json.loads(body)
            return [known(entry["metadata"], entry["content"])]
        if self.headers.get("Content-Type") == "application/x-ndjson":
            items = [json.loads(line) for line in body.splitlines()]
        else:
            items = json.loads(body)
        return [hooked(item) for item in items]

    def reply(self, status, body, headers={}):
        try:
            super().reply(status, body, headers)
        except OSError:
            self.close_connection = True

    def status(self, rule):
        headers = dict(rule.get("headers", {}))
        if "retryDate" in rule:
            headers["Retry-After"] = email.utils.formatdate(time.time() + rule["retryDate"], usegmt=True)
        body = rule.get("body", "")
        self.reply(rule["status"], (body if isinstance(body, str) else json.dumps(body)).encode(), headers)

    def hang(self, rule):
        """Says nothing until the other side, or the door, has had enough."""
        self.close_connection = True
        self.connection.settimeout(rule.get("seconds", 60))
        try:
            self.connection.recv(1)
        except OSError:
            pass

    def drip(self, rule):
        """An answer that comes a byte at a time."""
        body = b'{"partialSuccess":{}}'
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            for byte in body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(rule["seconds"] / len(body))
        except OSError:
            self.close_connection = True

    def reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server(web.Server):
    def shutdown_request(self, request):
        # Without the usual goodbye: a socket that is to reset does so when it is closed.
        self.close_request(request)


def plain(body, headers):
    return gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body


def known(properties, text=""):
    return (properties.get("w", "?"), properties.get("n", -1), text)


def hooked(item):
    kind = item["kind"]
    if kind == "log":
        return known(item["log"]["metadata"], item["log"]["message"])
    if kind == "event":
        return known(item["event"]["properties"], item["event"]["name"])
    if kind in ("form", "profile"):
        return known(item[kind]["properties"], kind)
    return (kind, item["seq"], kind)


def otlp(request):
    for resource in request["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                properties = {}
                for attribute in record["attributes"]:
                    [(kind, value)] = attribute["value"].items()
                    properties[attribute["key"]] = int(value) if kind == "intValue" else value
                yield known(properties, record["body"]["stringValue"])


doors = {}


def ranges(numbers):
    """Ascending numbers as pairs of first and last."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def answer(method, params):
    if method == "door":
        certificate = params.get("certificate")
        door = doors[params["name"]] = Door(params["name"], certificate, params.get("host", "127.0.0.1"))
        if "modules" in params:
            sys.path.append(params["modules"])
            from otlp_check import entries

            door.strict = lambda body: list(entries(body))
        door.open()
        return {"port": door.port}
    door = doors[params["name"]]
    if method == "open":
        door.open()
    elif method == "close":
        door.close()
    elif method == "weather":
        with door.lock:
            door.weather = params["rules"]
            door.limit = params.get("limit")
    elif method == "keep":
        door.keep = params["bodies"]
    elif method == "epoch":
        # A daemon has gone, and with it what it had sent and not written down.
        for door in doors.values():
            door.epoch += 1
    elif method == "report":
        with door.lock:
            return {
                "requests": sum(door.requests.values()),
                "by": dict(door.requests),
                "weather": len(door.weather),
                "connections": door.made,
                "times": door.times[-200:],
                "entries": door.entries,
                "unique": len(door.seen),
                "duplicates": dict(door.duplicates),
                "disorder": door.disorder[:5],
                "headers": door.headers,
            }
    elif method == "numbers":
        with door.lock:
            numbers = collections.defaultdict(list)
            for writer, number in sorted(door.seen):
                numbers[writer].append(number)
        return {writer: ranges(found) for writer, found in numbers.items()}
    elif method == "decoded":
        from otlp_check import decoded

        with door.lock:
            bodies = [plain(body, headers) for body, headers, _ in door.bodies]
        return {"records": [record for body in bodies for record in decoded(body)]}
    elif method == "bodies":
        with door.lock:
            return {
                "bodies": [
                    {
                        "headers": headers,
                        "path": path,
                        "text": plain(body, headers).decode(),
                    }
                    for body, headers, path in door.bodies
                ]
            }
    return {}


class Control(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            request = json.loads(line)
            try:
                reply = {"id": request["id"], "result": answer(request["method"], request["params"])}
            except Exception as error:
                reply = {"id": request["id"], "error": {"code": -1, "message": repr(error)}}
            self.wfile.write(json.dumps(reply).encode() + b"\n")


class ControlServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


if __name__ == "__main__":
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    path = os.path.join(sys.argv[1], "control")
    server = ControlServer(path + ".new", Control)
    os.rename(path + ".new", path)
    server.serve_forever()
