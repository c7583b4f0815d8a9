"""ClickHouse's engine (chdb) behind a small HTTP server that speaks as ClickHouse's does: `clickhouse.py PORT FOLDER`."""

import http.server
import re
import sys
import threading
import urllib.parse

from chdb import session

# What belongs to HTTP, and not to the statement.
OF_HTTP = {"query", "wait_end_of_query", "database"}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, folder: str):
        super().__init__(("127.0.0.1", port), Handler)
        self.session = session.Session(folder)
        self.lock = threading.Lock()
        # What the next requests come to: "before" (nothing is done), "after" (it is done, and nobody hears of it), "silent" (it
        # is done, and nothing is heard either of the connection's end).
        self.mishaps = []
        self.tokens = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802
        parts = urllib.parse.urlsplit(self.path)
        options = dict(urllib.parse.parse_qsl(parts.query))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if parts.path == "/mishap":
            self.server.mishaps.append(body)
            return self.answer(200, "")
        if parts.path == "/tokens":
            return self.answer(200, "\n".join(self.server.tokens))
        if self.headers.get("X-ClickHouse-Key", "") != "secret":
            return self.answer(403, "Code: 516. DB::Exception: Authentication failed", "516")
        statement = options.get("query", "")
        mishap = self.server.mishaps.pop(0) if self.server.mishaps and statement.startswith("INSERT") else None
        if mishap == "before":
            return self.hang_up()
        settings = ", ".join(f"{key} = '{value}'" for key, value in options.items() if key not in OF_HTTP)
        if statement.startswith("INSERT"):
            self.server.tokens.append(options.get("insert_deduplication_token", ""))
            text = statement.replace(" FORMAT", f" SETTINGS {settings} FORMAT") + "\n" + body
        else:
            text = statement + body
        try:
            with self.server.lock:
                result = self.server.session.query(text, "TabSeparated").bytes()
        except Exception as error:  # chdb tells all in one kind.
            code = re.search(r"Code: (\d+)", str(error))
            return self.answer(500, str(error), code.group(1) if code else "1")
        if mishap == "silent":
            return
        if mishap == "after":
            return self.hang_up()
        self.answer(200, result)

    def hang_up(self):
        self.close_connection = True

    def answer(self, status, body, code=None):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2]).serve_forever()
