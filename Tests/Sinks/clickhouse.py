"""ClickHouse's engine (chdb) behind a small HTTP server that speaks as ClickHouse's does: `clickhouse.py PORT FOLDER`."""

import pathlib
import re
import sys
import threading
import urllib.parse

from chdb import session

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Python"))

import web  # noqa: E402

# What belongs to HTTP, and not to the statement.
OF_HTTP = {"query", "wait_end_of_query", "database"}


class Server(web.Server):
    def __init__(self, port: int, folder: str):
        super().__init__(Handler, port)
        self.session = session.Session(folder)
        self.lock = threading.Lock()
        # What the next requests come to: "before" (nothing is done), "after" (it is done, and nobody hears of it), "silent" (it
        # is done, and nothing is heard either of the connection's end).
        self.mishaps = []
        self.tokens = []


class Handler(web.Handler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802
        parts = urllib.parse.urlsplit(self.path)
        options = dict(urllib.parse.parse_qsl(parts.query))
        body = self.body.decode()
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
        self.reply(status, body, {"X-ClickHouse-Exception-Code": code} if code else {})


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2]).serve_forever()
