"""A web server that behaves as well and as badly as a test asks.

Says where it is in one line of JSON, and ends when its standard input does.
"""

import base64
import collections
import gzip
import itertools
import json
import os
import pathlib
import shutil
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import parse_qs, unquote, urlsplit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Python"))

import web  # noqa: E402

connections = itertools.count(1)
lock = threading.Lock()
alive = set()
gone = set()
busy = collections.Counter()
peak = collections.Counter()
scripts = {}
asked = collections.defaultdict(list)
boxes = collections.defaultdict(list)


class Handler(web.Handler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.number = next(connections)
        with lock:
            alive.add(self.number)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass
        with lock:
            alive.discard(self.number)

    def address_string(self):
        return "client"

    def serve(self):
        self.sent = self.body
        if self.path.startswith("http://"):
            return self.reply(200, b"by proxy: " + self.path.encode())
        url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        name, _, rest = url.path[1:].partition("/")
        getattr(self, "on_" + name, self.missing)(unquote(rest))
        self.wfile.flush()

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve

    def missing(self, rest):
        self.reply(404, b"not here")

    def reply(self, status, body=b"", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().reply(status, body, {"X-Connection": str(self.number), **headers})

    def on_hello(self, rest):
        self.reply(200, b"hello", Content_Type="text/plain")

    def described(self):
        return {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": base64.b64encode(self.sent).decode(),
        }

    def on_echo(self, rest):
        self.reply(200, json.dumps(self.described()).encode())

    def on_box(self, rest):
        """GET: what was sent here. Anything else is kept, and answered with the status and body the query asks for."""
        if self.command == "GET":
            with lock:
                return self.reply(200, json.dumps(boxes[rest]).encode())
        with lock:
            boxes[rest].append(self.described())
        headers = {"Retry-After": self.query["after"]} if "after" in self.query else {}
        self.reply(int(self.query.get("status", "200")), self.query.get("body", "").encode(), **headers)

    def on_status(self, rest):
        self.reply(int(rest), b"as you wish")

    def on_hang(self, rest):
        """Says nothing until the client has gone."""
        self.wait_for_end(rest)

    def on_stall(self, rest):
        """Stops in the middle of the body."""
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"0123456789")
        self.wfile.flush()
        self.wait_for_end(rest)

    def wait_for_end(self, name):
        with lock:
            busy[name] += 1
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass
        with lock:
            gone.add(name)
        self.close_connection = True

    def on_begun(self, rest):
        with lock:
            self.reply(200, str(busy[rest]).encode())

    def on_gone(self, rest):
        with lock:
            self.reply(200, b"yes" if rest in gone else b"no")

    def on_alive(self, rest):
        with lock:
            self.reply(200, b"yes" if int(rest) in alive else b"no")

    def on_reset(self, rest):
        """Breaks off in the middle of the body: by a reset, or by an ordinary end."""
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"0123456789")
        self.wfile.flush()
        if rest == "hard":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def on_garbage(self, rest):
        self.wfile.write(b"This is no HTTP secret=4711\r\n\r\n")
        self.close_connection = True

    def on_silence(self, rest):
        self.close_connection = True

    def on_once(self, rest):
        """Answers the first request on a connection, and closes it when a second one has come."""
        with lock:
            asked[rest].append({})
        if getattr(self, "served", False):
            self.close_connection = True
            return
        self.served = True
        self.reply(200)

    def on_announced(self, rest):
        self.send_response(200)
        self.send_header("Content-Length", rest)
        self.end_headers()
        self.zeros(int(rest), lambda chunk: chunk)

    def on_chunked(self, rest):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.zeros(int(rest), lambda chunk: b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def zeros(self, count, pack):
        while count > 0:
            chunk = bytes(min(count, 65536))
            count -= len(chunk)
            self.wfile.write(pack(chunk))

    def on_bomb(self, rest):
        self.reply(200, gzip.compress(bytes(int(rest))), Content_Encoding="gzip")

    def on_headers(self, rest):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        if rest:
            self.wfile.write(b"".join(b"X-%d: y\r\n" % number for number in range(int(rest))))
            self.wfile.write(b"Content-Length: 0\r\n\r\n")
            return
        for number in itertools.count():
            self.wfile.write(b"X-%d: %s\r\n" % (number, b"x" * 1000))

    def on_redirect(self, rest):
        self.reply(int(self.query.get("status", "302")), b"over there", Location=self.query["to"])

    def on_loop(self, rest):
        self.reply(302, b"round", Location="/loop/" + str(int(rest or 0) + 1))

    def on_slow(self, rest):
        with lock:
            busy[rest] += 1
            peak[rest] = max(peak[rest], busy[rest])
        time.sleep(0.03)
        with lock:
            busy[rest] -= 1
        self.reply(200, b"slow")

    def on_peak(self, rest):
        with lock:
            self.reply(200, str(peak[rest]).encode())

    def on_script(self, rest):
        """PUT: the answers to give under /document/NAME, the last one for ever. GET: what was asked there so far."""
        with lock:
            if self.command == "PUT":
                scripts[rest] = json.loads(self.sent)
                return self.reply(200)
            self.reply(200, json.dumps(asked[rest]).encode())

    def on_document(self, rest):
        with lock:
            asked[rest].append({name.lower(): value for name, value in self.headers.items()})
            answers = scripts[rest]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if "as" in answer:
            name, _, argument = answer["as"].partition("/")
            return getattr(self, "on_" + name)(argument)
        tag = answer.get("etag")
        if tag and self.headers.get("If-None-Match") == tag:
            return self.reply(304, ETag=tag)
        headers = {"ETag": tag} if tag else {}
        self.reply(answer.get("status", 200), answer.get("body", "").encode(), **headers)


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def certificate(folder, name, alternative):
    paths = [f"{folder}/{name}.pem", f"{folder}/{name}.key"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        + ["-out", paths[0], "-keyout", paths[1], "-days", "2", "-subj", f"/CN={name}"]
        + ["-addext", f"subjectAltName={alternative}"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return paths


def main():
    folder = tempfile.mkdtemp(prefix="hark-test-server-")
    local = ("127.0.0.1", 0)
    servers = {
        "http": web.Server(Handler),
        "https": web.Server(Handler, certificate=certificate(folder, "own", "IP:127.0.0.1")),
        "elsewhere": web.Server(Handler, certificate=certificate(folder, "elsewhere", "DNS:elsewhere.test")),
    }
    ports = {name: server.server_address[1] for name, server in servers.items()}
    servers["unix"] = UnixServer(folder + "/socket", Handler)
    for server in servers.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # A port that nobody listens on for as long as we live: bound, but not listened on.
    closed = socket.socket()
    closed.bind(local)
    ports["closed"] = closed.getsockname()[1]
    # One that takes connections into its backlog and never answers them.
    mute = socket.create_server(local)
    ports["mute"] = mute.getsockname()[1]
    print(json.dumps({"ports": ports, "folder": folder}), flush=True)
    sys.stdin.read()
    shutil.rmtree(folder)
    os._exit(0)


main()
