"""Real brokers on ports and in folders of their own, with the settings that are installed, and clients to try them."""

import queue
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import paho.mqtt.client as mqtt

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "packaging" / "fleet"
sys.path.append(str(ROOT / "Tests" / "Python"))

from programs import free_port, listens  # noqa: E402
from waiting import wait_until  # noqa: E402

SECONDS = 60


def run(*words: str, **options) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


class Folder:
    """A folder with an authority's certificate, the broker's, and one for each machine; removed at the end."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="hark-fleet-"))
        # Mosquitto gives up root's rights.
        self.path.chmod(0o755)

    def make_authority(self, *names: str) -> None:
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", "/CN=shop", "-keyout", "ca.key", "-out", "ca.crt")
        for name in names:
            common = "127.0.0.1" if name == "broker" else name
            self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                          f"/CN={common}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            (self.path / "extensions").write_text("subjectAltName=IP:127.0.0.1\n" if name == "broker" else "")
            self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "2",
                          "-CAcreateserial", "-extfile", "extensions", "-out", f"{name}.crt")
        for key in self.path.glob("*.key"):
            key.chmod(0o644)

    def _openssl(self, *words: str) -> None:
        run("openssl", *words, cwd=self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path)


class Broker:
    """A broker that runs; its settings are those that lie in packaging/fleet, with other ports and paths."""

    def __init__(self, words: list[str], port: int, folder: Folder) -> None:
        self.port = port
        self.folder = folder
        self.log = folder.path / "broker.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder.path)
        try:
            wait_until(self._listens, "the broker listens")
        except AssertionError as error:
            self.stop()
            raise AssertionError(f"{error}\n{self.log.read_text()}") from None

    def _listens(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"the broker ended with {self.process.returncode}")
        return listens(self.port)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(SECONDS)


def mosquitto(folder: Folder, settings: str, acl: str | None = None) -> Broker:
    """`settings` as they lie, but for the port and the paths."""
    port = free_port()
    settings, found = re.subn(r"^listener \d+$", f"listener {port} 127.0.0.1", settings, flags=re.M)
    assert found == 1, settings
    settings = settings.replace("/etc/mosquitto/certs", str(folder.path)).replace("/etc/mosquitto", str(folder.path))
    (folder.path / "mosquitto.conf").write_text(settings)
    (folder.path / "hark.acl").write_text(acl if acl is not None else (SAMPLES / "acl").read_text())
    # One that root has started gives up its rights.
    for name in ["hark.acl", "hark.passwd"]:
        if (folder.path / name).exists():
            (folder.path / name).chmod(0o644)
    return Broker(["mosquitto", "-c", str(folder.path / "mosquitto.conf")], port, folder)


def mosquitto_passwords(folder: Folder, passwords: dict[str, str]) -> None:
    lines = "".join(f"{name}:{password}\n" for name, password in passwords.items())
    (folder.path / "hark.passwd").write_text(lines)
    run("mosquitto_passwd", "-U", str(folder.path / "hark.passwd"))


def nats(folder: Folder) -> Broker:
    port = free_port()
    settings = (SAMPLES / "nats-server.conf").read_text()
    for old, new in [("0.0.0.0:8883", f"127.0.0.1:{port}"), ("127.0.0.1:4222", f"127.0.0.1:{free_port()}"),
                     ("/etc/nats", str(folder.path)), ("/var/lib/nats", str(folder.path / "store"))]:
        assert old in settings, old
        settings = settings.replace(old, new)
    (folder.path / "nats.conf").write_text(settings)
    return Broker(["nats-server", "-c", str(folder.path / "nats.conf")], port, folder)


class Client:
    """Somebody at a broker; what comes for them waits in `came`."""

    def __init__(self, broker: Broker, user: str | None = None, password: str | None = None,
                 certificate: str | None = None, will: str | None = None, is_encrypted: bool = True,
                 newest: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED) -> None:
        self.came: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.code: int | None = None
        self.is_connected = False
        self.subscribed: dict[int, tuple[int, ...]] = {}
        self.client = mqtt.Client(client_id=f"test-{uuid.uuid4().hex[:12]}", clean_session=True)
        if is_encrypted:
            context = ssl.create_default_context(cafile=str(broker.folder.path / "ca.crt"))
            context.maximum_version = newest
            if certificate:
                context.load_cert_chain(broker.folder.path / f"{certificate}.crt", broker.folder.path / f"{certificate}.key")
            self.client.tls_set_context(context)
        if user:
            self.client.username_pw_set(user, password)
        if will:
            self.client.will_set(will, b"gone", qos=1)
        self.client.on_connect = self._connected
        self.client.on_disconnect = self._disconnected
        self.client.on_subscribe = lambda client, data, number, granted: self.subscribed.__setitem__(number, granted)
        self.client.on_message = lambda client, data, message: self.came.put((message.topic, message.payload))
        self.error: Exception | None = None
        try:
            self.client.connect("127.0.0.1", broker.port)
        except OSError as error:
            self.error = error
            return
        self.client.loop_start()
        wait_until(lambda: self.code is not None, "the broker answers")

    def _connected(self, client, data, flags, code) -> None:
        self.code = code
        self.is_connected = code == 0

    def _disconnected(self, client, data, code) -> None:
        self.is_connected = False
        if self.code is None:
            self.code = -1

    @property
    def is_refused(self) -> bool:
        return self.error is not None or self.code != 0

    def hear(self, *topics: str) -> None:
        """Listens, whether the broker allows it or not."""
        for topic in topics:
            code, number = self.client.subscribe(topic, 1)
            wait_until(lambda: number in self.subscribed or not self.is_connected, f"an answer about {topic}")

    def say(self, topic: str, text: str, retain: bool = False) -> None:
        sent = self.client.publish(topic, text.encode(), qos=1, retain=retain)
        wait_until(lambda: sent.is_published() or not self.is_connected, f"an answer about {topic}")

    def next(self, seconds: float = SECONDS) -> tuple[str, str]:
        topic, payload = self.came.get(timeout=seconds)
        return topic, payload.decode()

    def all(self) -> list[tuple[str, str]]:
        found = []
        while not self.came.empty():
            topic, payload = self.came.get()
            found.append((topic, payload.decode()))
        return found

    def vanish(self) -> None:
        """Is gone without a word."""
        self.client.loop_stop()
        self.client._sock.close()
        self.client._sock = None

    def close(self) -> None:
        if self.error is None and self.client._sock is not None:
            self.client.disconnect()
        self.client.loop_stop()
