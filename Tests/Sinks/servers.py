"""A PostgreSQL of its own, a daemon that hands over to it, and a way between them that can be cut."""

import os
import pathlib
import pwd
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Fleet"))

from world import Daemon, Program, Way, eventually, free_port, tree  # noqa: E402,F401

INSTALLED = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Postgres(Program):
    """It does not run as root, so as `nobody` where the tests do."""

    def __init__(self, folder: pathlib.Path, name: str = "postgres"):
        super().__init__(name, folder / f"{name}.log")
        self.folder = folder / name
        self.port = free_port()
        self.user = "nobody" if os.getuid() == 0 else None
        folder.chmod(0o755)
        self.folder.mkdir()
        self.own(self.folder)
        self.make()

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
        eventually("the database answers", lambda: self.answers(), 60)

    def answers(self) -> bool:
        try:
            return self.sql("SELECT 1") == "1\n"
        except AssertionError:
            return False

    def end(self, how=None):
        """Kills the postmaster; those that it started end with it, and have let go of everything before it can start again."""
        import signal
        super().end(how or signal.SIGINT)
        eventually("the database's processes have ended", lambda: not self.is_held(), 30)

    def kill(self):
        import signal
        self.end(signal.SIGKILL)

    def is_held(self) -> bool:
        """Whether a process has the data still, by the working directory that all have."""
        for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(link) == os.path.realpath(self.data):
                    return True
            except OSError:
                continue
        return False

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
        eventually(f"all is in {name}", lambda: self.is_through(name), seconds)

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
