"""Programs that tests in Python start and kill, ports for them, and calls of a daemon."""

import pathlib
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Python"))

import hark  # noqa: E402
from tests.daemon import daemon_path  # noqa: E402,F401

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def hark_path() -> str:
    """The tool that was built with the daemon."""
    return str(pathlib.Path(daemon_path()).with_name("hark"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def call(path: str, method: str, **params) -> dict:
    """The result of a method, on a connection of its own."""
    with hark.Client(path) as client:
        return client.call(method, params)


class Program:
    """A program that is started and killed as often as one likes."""

    def __init__(self, name: str, log: pathlib.Path):
        self.name = name
        self.log = log
        self.process = None

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {"PATH": PATH, "HOME": str(self.log.parent), "LANG": "C.UTF-8"}

    def start(self):
        assert self.process is None
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment())

    @property
    def is_up(self) -> bool:
        return self.process is not None

    def end(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} did not end")
        finally:
            self.process = None

    def kill(self):
        self.end(signal.SIGKILL)
