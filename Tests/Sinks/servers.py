"""A PostgreSQL of its own, a daemon that hands over to it, and a way between them that can be cut."""

import gzip
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Fleet"))

from world import Daemon, Program, Way, World, free_port, listens, wait_until  # noqa: E402,F401

INSTALLED = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Postgres(Program):
    """It does not run as root, so as `nobody` where the tests do."""

    def __init__(self, folder: pathlib.Path, name: str = "postgres", of=None):
        """`of`: the primary that it is a standby of."""
        super().__init__(name, folder / f"{name}.log")
        self.folder = folder / name
        self.port = free_port()
        self.user = "nobody" if os.getuid() == 0 else None
        folder.chmod(0o755)
        self.folder.mkdir()
        self.own(self.folder)
        if of is None:
            self.make()
        else:
            self.run("pg_basebackup", "-D", str(self.data), "-h", "127.0.0.1", "-p", str(of.port), "-U", "hark", "-R", "--no-sync")
            with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
                file.write(f"port = {self.port}\nunix_socket_directories = '{self.folder}'\n")

    @property
    def data(self) -> pathlib.Path:
        return self.folder / "data"

    def own(self, path: pathlib.Path):
        if self.user:
            entry = pwd.getpwnam(self.user)
            for one in [path, *path.rglob("*")]:
                os.chown(one, entry.pw_uid, entry.pw_gid, follow_symlinks=False)

    def as_user(self, *words: str) -> list:
        return ["setpriv", "--reuid", self.user, "--regid", "nogroup", "--clear-groups", *words] if self.user else [*words]

    def run(self, program: str, *words: str):
        done = subprocess.run(
            self.as_user(str(INSTALLED / program), *words), capture_output=True, text=True, cwd="/", timeout=120,
            env=self.environment())
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    def make(self):
        self.run("initdb", "-D", str(self.data), "-U", "hark", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{self.folder}'\n"
                "shared_buffers = 16MB\nmax_connections = 30\nwal_level = replica\nmax_wal_senders = 4\n"
                "shared_preload_libraries = ''\n")

    def command(self):
        return self.as_user(str(INSTALLED / "postgres"), "-D", str(self.data))

    def wait(self):
        wait_until(self.answers, "the database answers", 60)

    def answers(self) -> bool:
        try:
            return self.sql("SELECT 1") == "1\n"
        except AssertionError:
            return False

    def end(self, how=signal.SIGINT):
        super().end(how)
        wait_until(lambda: not self.processes(), "the database's processes have ended", 30)

    def kill(self):
        """As a power cut does, but for what the disk has."""
        self.process.kill()
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.end(signal.SIGKILL)

    def processes(self) -> list:
        """Those that it started, by the working directory that all have."""
        found = []
        for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(link) == os.path.realpath(self.data):
                    found.append(int(link.parent.name))
            except OSError:
                continue
        return found

    def sql(self, text: str, user: str = "hark") -> str:
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", user,
             "postgres", "-f", "-"], input=text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def url(self, way: Way = None, user: str = "hark", more: str = "") -> str:
        port = way.port if way else self.port
        return f"postgresql://{user}@127.0.0.1:{port}/postgres?sslmode=disable{more}"

    # What was, and is again.

    def keep(self, name: str = "kept"):
        """A copy of the disk as it is; the server is stopped for it."""
        assert not self.is_up
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.data, self.folder / name, symlinks=True)

    def set_back(self, name: str = "kept"):
        assert not self.is_up
        shutil.rmtree(self.data)
        shutil.copytree(self.folder / name, self.data, symlinks=True)
        self.own(self.data)
        self.data.chmod(0o700)


class Source(Daemon):
    """A daemon with destinations."""

    def __init__(self, folder: pathlib.Path, *destinations: dict, name: str = "hub", fleet=None, **settings):
        super().__init__(name, folder, fleet, destinations=list(destinations), retention="none", **settings)
        if fleet is None:
            del self.settings["fleet"]
            self.configure()

    def record(self, count: int, start: int = 0, app: str = "shop", name: str = "tap"):
        requests = [
            {"id": n, "method": "event.record", "params": {
                "name": name, "app": app, "properties": {
                    "n": n, "price": n / 4, "whole": float(n), "text": "äöü \u2028\"\\ \u0000 \t" * (n % 5), "ok": n % 2 == 0}}}
            for n in range(start + 1, start + count + 1)]
        done = self.send(requests)
        assert done == count, f"{done} of {count} were recorded"

    def standing(self, name: str) -> dict:
        return self.call("delivery.status", destination=name)["destinations"][0]

    def is_through(self, name: str) -> bool:
        standing = self.standing(name)
        return standing["pending"] == 0 and standing["state"] == "idle"

    def wait_until_through(self, name: str, seconds: float = 90):
        try:
            wait_until(lambda: self.is_through(name), f"all is in {name}", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.standing(name)}\n{self.log.read_text(errors='replace')[-3000:]}") from None

    def keep(self):
        """A copy of the state; the daemon is not running."""
        assert not self.is_up
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        shutil.copytree(self.state, self.folder / "kept", symlinks=True)

    def set_back(self):
        assert not self.is_up
        shutil.rmtree(self.state)
        shutil.copytree(self.folder / "kept", self.state, symlinks=True)

    def lines(self) -> list:
        """The lines of `hark export`, by number."""
        place = self.folder / "exported"
        shutil.rmtree(place, ignore_errors=True)
        self.tool("export", str(place))
        lines = [
            line for file in place.rglob("events.jsonl") for line in file.read_text(encoding="utf-8").split("\n") if line]
        return sorted(lines, key=lambda line: int(line.split('"seq":', 1)[1].split(",", 1)[0]))


CLIENTS = pathlib.Path(__file__).resolve().parents[2] / ".build/sink-servers/bin"


class Listener(Program):
    """A server of Python's on a port of its own."""

    def __init__(self, folder: pathlib.Path, name: str):
        super().__init__(name, folder / f"{name}.log")
        self.folder = folder / name
        self.folder.mkdir()
        self.port = free_port()

    def wait(self):
        wait_until(lambda: listens(self.port), f"{self.name} listens")

    def ask(self, method: str, path: str, body: str = "", headers: dict = None, check: bool = True) -> str:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request(method, path, body.encode(), headers or {})
            reply = link.getresponse()
            text = reply.read()
            assert not check or reply.status < 300, f"{reply.status}: {text[:500]}"
            return text
        finally:
            link.close()


class ClickHouse(Listener):
    def command(self):
        return [str(CLIENTS / "python"), "-B", str(pathlib.Path(__file__).with_name("clickhouse.py")), str(self.port),
                str(self.folder)]

    def sql(self, text: str) -> str:
        return self.ask("POST", "/", text, {"X-ClickHouse-Key": "secret"}).decode()

    def mishap(self, kind: str):
        self.ask("POST", "/mishap", kind)

    def tokens(self) -> list:
        return self.ask("POST", "/tokens").decode().split("\n")


class Bucket(Listener):
    """Moto's S3, which forgets all when it ends."""

    def command(self):
        return [str(CLIENTS / "moto_server"), "-H", "127.0.0.1", "-p", str(self.port)]

    def environment(self):
        return {**super().environment(), "MOTO_S3_CUSTOM_ENDPOINTS": f"http://127.0.0.1:{self.port}"}

    SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"}

    def make(self, name: str = "records"):
        self.ask("PUT", f"/{name}", headers=self.SIGNED)

    def names(self, name: str = "records") -> list:
        text = self.ask("GET", f"/{name}?list-type=2", headers=self.SIGNED).decode()
        return re.findall(r"<Key>([^<]*)</Key>", text)

    def rows(self, name: str = "records") -> list:
        rows = []
        for key in self.names(name):
            data = self.ask("GET", f"/{name}/{urllib.parse.quote(key)}", headers=self.SIGNED)
            rows += [json.loads(line) for line in gzip.decompress(data).decode().split("\n") if line]
        return rows

    def remove(self, key: str, name: str = "records"):
        self.ask("DELETE", f"/{name}/{urllib.parse.quote(key)}", headers=self.SIGNED)
