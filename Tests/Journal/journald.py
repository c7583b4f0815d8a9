"""A journald of one's own, the real one, in a mount namespace: its files lie in a folder of the test, and nothing of the machine's is touched."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Python"), str(ROOT / "Tests" / "Python")]

from waiting import wait_until  # noqa: E402

PROGRAM = "/lib/systemd/systemd-journald"

SETTINGS = """[Journal]
Storage=persistent
Seal=no
RateLimitIntervalSec=0
SystemMaxUse={most}
SystemMaxFileSize={file}
SystemMaxFiles=10000
SystemKeepFree=1M
ReadKMsg=no
Audit=no
ForwardToSyslog=no
ForwardToWall=no
"""

BEGIN = """
mount --make-rprivate /
mount -t tmpfs tmpfs /run/systemd
mkdir -p /run/systemd/journal /run/log /var/log/journal
mount -t tmpfs tmpfs /run/log
mount --bind "$1/files" /var/log/journal
mount --bind "$1/journald.conf" /etc/systemd/journald.conf
exec """ + PROGRAM + "\n"


class Journald:
    def __init__(self, most: str = "1G", file: str = "8M") -> None:
        if os.getuid() != 0 or not pathlib.Path(PROGRAM).exists():
            raise unittest.SkipTest("a journald of one's own needs root, and systemd")
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hark-journal-"))
        # Other accounts read here as well.
        self.root.chmod(0o755)
        (self.root / "files").mkdir()
        (self.root / "journald.conf").write_text(SETTINGS.format(most=most, file=file))
        self.process = None
        self.start()

    @property
    def folder(self) -> pathlib.Path:
        return self.root / "files" / pathlib.Path("/etc/machine-id").read_text().strip()

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", BEGIN, "sh", str(self.root)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        path = f"/proc/{self.process.pid}/root/run/systemd/journal/socket"

        def connect():
            # Until the mounts are made, this is the machine's own.
            if pathlib.Path(f"/proc/{self.process.pid}/comm").read_text().strip() != "systemd-journal":
                return None
            made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                made.connect(path)
                return made
            except OSError:
                made.close()
                return None

        def blocks_signals():
            # One that comes before it asks for them would end it.
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            return int(status.split("SigBlk:")[1].split()[0], 16) >> signal.SIGUSR1 - 1 & 1

        self.socket = wait_until(connect, "journald listens")
        wait_until(blocks_signals, "journald takes signals")
        # From now on what it has goes to disk.
        self.process.send_signal(signal.SIGUSR1)
        wait_until(lambda: (self.folder / "system.journal").exists(), "journald writes")

    def write(self, message: str = "", **fields) -> None:
        """An entry; a value of bytes may be any."""
        data = b""
        for name, value in {"MESSAGE": message, **fields}.items():
            value = value if isinstance(value, bytes) else str(value).encode()
            data += name.encode() + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"
        if len(data) < 200_000:
            self.socket.send(data)
            return
        # What is too long for a datagram is handed over as a file.
        memory = os.memfd_create("entry", os.MFD_ALLOW_SEALING)
        os.write(memory, data)
        import fcntl
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
        socket.send_fds(self.socket, [b""], [memory])
        os.close(memory)

    def settle(self, field: str = "N", last=None) -> None:
        """Waits until an entry is in the files."""
        wait_until(lambda: self.read(f"{field}={last}", "-n1"), "the last entry is written", 120)

    def read(self, *arguments: str) -> str:
        return subprocess.run(
            ["journalctl", "-D", str(self.folder), "-o", "cat", "-q", *arguments], capture_output=True, text=True).stdout

    def archived(self) -> int:
        return len(list(self.folder.glob("system@*.journal")))

    def rotate(self) -> None:
        before = self.archived()
        self.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: self.archived() > before, "journald rotates")

    def vacuum(self, files: int = 1) -> None:
        subprocess.run(
            ["journalctl", "-D", str(self.folder), "-q", f"--vacuum-files={files}"], check=True, capture_output=True)

    def end(self) -> None:
        if self.process is not None:
            self.socket.close()
            self.process.terminate()
            self.process.wait()
            self.process = None

    def remove(self) -> None:
        self.end()
        shutil.rmtree(self.root)
