"""A daemon of one's own for each test."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests" / "Python"))

from waiting import wait_until  # noqa: E402


def daemon_path() -> str:
    if "HARK_TEST_DAEMON" in os.environ:
        return os.environ["HARK_TEST_DAEMON"]
    built = [path for kind in ("release", "debug") if (path := ROOT / ".build" / kind / "harkd").exists()]
    if not built:
        raise unittest.SkipTest("harkd is not built (make build)")
    return str(built[0])


class Daemon:
    def __init__(self, configuration: dict[str, Any] | None = None, **files: Any) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hark-py-"))
        (self.folder / "config").mkdir()
        self.path = str(self.folder / "s")
        self.process: subprocess.Popen[bytes] | None = None
        for name, content in {"harkd": configuration or {}, **files}.items():
            (self.folder / "config" / f"{name}.json").write_text(json.dumps(content))

    def start(self) -> Daemon:
        self.process = subprocess.Popen(
            [daemon_path(), "--socket", self.path, "--state", str(self.folder / "state"),
             "--config", str(self.folder / "config")],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "HARK_LOG": "error"})
        wait_until(self._listens, "the daemon listens")
        return self

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.path) == 0

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.communicate()
            self.process = None

    def remove(self) -> None:
        self.end()
        shutil.rmtree(self.folder)


class DaemonTest(unittest.TestCase):
    configuration: dict[str, Any] = {}
    files: dict[str, Any] = {}

    def setUp(self) -> None:
        self.daemon = Daemon(self.configuration, **self.files).start()
        self.addCleanup(self.daemon.remove)
