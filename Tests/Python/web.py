"""The HTTP server of tests: silent, with replies in one call, with or without TLS."""

import hashlib
import http.server
import os
import ssl
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """What a test asks for is written in `do_GET` and the like."""

    # A reply leaves as a whole.
    wbufsize = 65536

    @property
    def body(self) -> bytes:
        """What came with the request; to be read once."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(self, status: int, body: bytes = b"", headers: dict = {}):
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def reply_tagged(self, status: int, body: bytes) -> int:
        """With a tag of the content; who has it already is told so. Returns the status."""
        tag = '"' + hashlib.sha256(body).hexdigest() + '"'
        if status == 200 and self.headers.get("If-None-Match") == tag:
            status, body = 304, b""
        self.reply(status, body, {"ETag": tag})
        return status

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """On a port of this machine, a free one unless it is given; `certificate` has the paths of that and of its key."""

    request_queue_size = 512

    def __init__(self, handler, port=0, host="127.0.0.1", certificate=None):
        super().__init__((host, port), handler)
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)

    def start(self):
        """Serves on a thread of its own."""
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def finish_request(self, request, address):
        if not self.context:
            return super().finish_request(request, address)
        # Here and not where it is taken: a handshake that hangs must not hold up the others.
        with self.context.wrap_socket(request, server_side=True) as encrypted:
            super().finish_request(encrypted, address)

    def handle_error(self, *_):
        pass


def serve(handler):
    """A program of one server, on the port of the first argument; 0 is a free one, which the file `port` tells."""
    server = Server(handler, int(sys.argv[1]))
    with open("port.new", "w") as file:
        file.write(str(server.server_port))
    os.rename("port.new", "port")
    server.serve_forever()
