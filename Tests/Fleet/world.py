"""A fleet of real programs: a broker, a hub and machines, each with folders of its own, and ways between them that can be cut."""

import json
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Python"))

from programs import Program, call, daemon_path, free_port, hark, hark_path, listens  # noqa: E402
from waiting import wait_until  # noqa: E402


class Broker(Program):
    def __init__(self, folder: pathlib.Path, port: int, configuration: str = ""):
        super().__init__("broker", folder / "broker.log")
        self.folder = folder / "broker"
        self.folder.mkdir()
        self.port = port
        self.configuration = configuration

    def forget(self):
        """Its disk is lost."""
        assert not self.is_up
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def wait(self):
        wait_until(lambda: listens(self.port), "the broker listens")


class Mosquitto(Broker):
    def command(self):
        file = self.folder / "mosquitto.conf"
        file.write_text(self.configuration or (
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nautosave_interval 1\nuser root\n"))
        return ["mosquitto", "-c", str(file)]


class Nats(Broker):
    def command(self):
        file = self.folder / "nats.conf"
        file.write_text(self.configuration or (
            f"host: 127.0.0.1\nport: -1\nserver_name: one\njetstream {{ store_dir: \"{self.folder}/js\" }}\n"
            f"mqtt {{ host: 127.0.0.1\n port: {self.port} }}\n"))
        return ["nats-server", "-c", str(file)]


class Way:
    """A way to the broker that can be cut, and that can fall silent."""

    def __init__(self, port: int):
        self.target = port
        self.port = free_port()
        self.is_silent = False
        self.is_cut = False
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.listener.settimeout(0.2)
        self.ended = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended:
            with self.lock:
                sockets = [end for pair in self.pairs for end in pair]
            try:
                ready, _, _ = select.select([self.listener] + ([] if self.is_silent else sockets), [], [], 0.05)
            except (OSError, ValueError):
                continue
            for one in ready:
                if one is self.listener:
                    self.accept()
                else:
                    self.pump(one)

    def accept(self):
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        if self.is_cut:
            client.close()
            return
        try:
            broker = socket.create_connection(("127.0.0.1", self.target), 1)
        except OSError:
            client.close()
            return
        with self.lock:
            self.pairs.append((client, broker))

    def pump(self, one):
        with self.lock:
            pair = next((pair for pair in self.pairs if one in pair), None)
        if pair is None:
            return
        other = pair[1] if one is pair[0] else pair[0]
        try:
            data = one.recv(65536)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        self.drop(pair)

    def drop(self, pair):
        with self.lock:
            if pair in self.pairs:
                self.pairs.remove(pair)
        for end in pair:
            end.close()

    def cut(self):
        """Connections break, and no others come about."""
        self.is_cut = True
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self.drop(pair)

    def mend(self):
        self.is_cut = False
        self.is_silent = False

    def close(self):
        self.ended = True
        self.thread.join(5)
        self.cut()
        self.listener.close()


class Daemon(Program):
    def __init__(self, name: str, folder: pathlib.Path, fleet: dict, **settings):
        super().__init__(name, folder / f"{name}.log")
        self.folder = folder / name
        (self.folder / "config").mkdir(parents=True)
        self.socket = str(self.folder / "sock")
        self.state = self.folder / "state"
        self.settings = {"fleet": fleet, **settings}
        self.configure()

    def configure(self):
        (self.folder / "config/harkd.json").write_text(json.dumps(self.settings))

    def command(self):
        return [daemon_path()]

    def environment(self):
        return {
            **super().environment(), "HARK_SOCKET": self.socket, "HARK_STATE": str(self.state),
            "HARK_CONFIG": str(self.folder / "config")}

    def wait(self):
        wait_until(self.is_there, f"{self.name} serves")

    def is_there(self) -> bool:
        try:
            self.call("hello")
            return True
        except hark.Error:
            return False

    def call(self, method: str, **params):
        return call(self.socket, method, **params)

    def send(self, requests) -> int:
        """Sends requests without waiting in between; how many were answered well."""
        done = 0
        try:
            with socket.socket(socket.AF_UNIX) as end:
                end.settimeout(20)
                end.connect(self.socket)
                end.sendall(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
                with end.makefile("rb") as file:
                    for _ in requests:
                        line = file.readline()
                        if not line:
                            break
                        done += b'"result"' in line
        except OSError:
            pass
        return done

    def status(self):
        return self.call("fleet.status")

    def tool(self, *arguments: str, check: bool = True) -> str:
        result = subprocess.run(
            [hark_path(), *arguments], env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120)
        if check and result.returncode != 0:
            raise AssertionError(f"hark {' '.join(arguments)}: {result.returncode}: {result.stderr}")
        return result.stdout


class World:
    """All of it, in a folder that goes with it."""

    def __init__(self, broker=Mosquitto):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hark-fleet-"))
        self.programs = []
        self.ways = []
        self.port = free_port()
        self.broker = broker(self.folder, self.port)
        self.programs.append(self.broker)

    def way(self) -> Way:
        way = Way(self.port)
        self.ways.append(way)
        return way

    def hub(self, name: str = "hub", way: Way = None, **more) -> Daemon:
        port = way.port if way else self.port
        hub = Daemon(name, self.folder, {"broker": f"mqtt://127.0.0.1:{port}", "name": "shop", "role": "hub", **more},
                     retention="none")
        self.programs.append(hub)
        return hub

    def machine(self, name: str, way: Way = None, settings=None, **more) -> Daemon:
        port = way.port if way else self.port
        machine = Daemon(
            name, self.folder, {
                "broker": f"mqtt://127.0.0.1:{port}", "name": "shop", "machine": name, "ackTimeoutSeconds": 2, **more},
            **{"retention": "none", **(settings or {})})
        self.programs.append(machine)
        return machine

    def start(self, *programs):
        for program in programs:
            program.start()
        for program in programs:
            program.wait()

    def close(self):
        for program in reversed(self.programs):
            if program.is_up:
                program.kill()
        for way in self.ways:
            way.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self) -> str:
        return "\n".join(
            f"== {file.name}\n{file.read_text(errors='replace')[-3000:]}" for file in sorted(self.folder.glob("*.log")))


def is_brought(machine: Daemon) -> bool:
    """Whether all of a machine is at the hub."""
    status = machine.status()
    return status["state"] == "ready" and status["pending"] == 0


def tree(folder: pathlib.Path) -> dict:
    """The files of an export, byte for byte."""
    return {
        str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def compare(machine: Daemon, hub: Daemon, folder: pathlib.Path, name: str = None):
    """The hub has what the machine has: its export is the same, byte for byte."""
    own, there = folder / f"own-{machine.name}", folder / f"there-{machine.name}"
    for path in (own, there):
        shutil.rmtree(path, ignore_errors=True)
    machine.tool("export", str(own))
    hub.tool("export", "--machine", name or machine.name, str(there))
    mine, theirs = tree(own), tree(there)
    missing = sorted(set(mine) - set(theirs))
    assert not missing, f"{machine.name}: the hub lacks {missing[:5]}"
    surplus = sorted(set(theirs) - set(mine))
    assert not surplus, f"{machine.name}: the hub has besides {surplus[:5]}"
    for path, content in mine.items():
        if theirs[path] != content:
            lines = content.splitlines(), theirs[path].splitlines()
            at = next((n for n, (a, b) in enumerate(zip(*lines)) if a != b), min(map(len, lines)))
            raise AssertionError(
                f"{machine.name}: {path} differs in line {at + 1} of {len(lines[0])} and {len(lines[1])}:\n"
                f"{lines[0][at:at + 1]}\n{lines[1][at:at + 1]}")
