"""Machines of a page's reader: each a folder with a daemon of its own, on which commands run as they stand on the page."""

import json
import re
import subprocess
from pathlib import Path

from brokers import ROOT, SECONDS, Folder, free_port, wait_until
from programs import daemon_path

#: What changes the system is done in the folder, or left out; `scp` copies from one machine's folder into another's.
PRELUDE = r"""
sudo() { "$@"; }
apt-get() { :; }
chown() { :; }
install() {
    [ "$3" != -o ] || set -- "$1" "$2" "${@:5}"
    command install "$@"
}
systemctl() { echo "$*" >> "$WORLD/systemctl"; }
scp() { cp "$1" "$WORLD/machines/${2%%:*}/${2#*:}"; }
"""


class Page:
    """Pages of the documentation, by their headings."""

    def __init__(self, *paths: str) -> None:
        self.text = "".join((ROOT / path).read_text() for path in paths)

    def blocks(self, heading: str, language: str = "sh") -> list[str]:
        found = re.split(r"^#{2,3} ", self.text, flags=re.M)
        parts = [part for part in found if part.startswith(heading + "\n")]
        assert len(parts) == 1, heading
        return re.findall(rf"^```{language}\n(.*?)^```$", parts[0], flags=re.M | re.S)


class World:
    """A broker's machine and others, all in one folder."""

    def __init__(self) -> None:
        self.folder = Folder()
        self.path = self.folder.path
        self.port = free_port()
        self.secure_port = free_port()
        self.broker: subprocess.Popen | None = None
        self.machines: dict[str, Machine] = {}
        for name in ["mosquitto/conf.d", "mosquitto/certs", "machines"]:
            (self.path / name).mkdir(parents=True)

    def machine(self, name: str) -> "Machine":
        self.machines[name] = Machine(self, name)
        return self.machines[name]

    def translate(self, text: str) -> str:
        """The same on this machine: other folders, other ports, and one host."""
        for old, new in [("/etc/mosquitto", f"{self.path}/mosquitto"), ("/usr/share/hark", f"{ROOT}/packaging"),
                         ("DNS:hub.example", "IP:127.0.0.1"), ("hub.example", "127.0.0.1"),
                         ('"127.0.0.1", 1883', f'"127.0.0.1", {self.port}'),
                         ("mqtt://127.0.0.1/", f"mqtt://127.0.0.1:{self.port}/"),
                         ("mqtts://127.0.0.1/", f"mqtts://127.0.0.1:{self.secure_port}/")]:
            text = text.replace(old, new)
        return text

    def restart_broker(self) -> None:
        """As `systemctl restart mosquitto` does it: with what lies in the folder of its settings."""
        self.stop_broker()
        conf = self.path / "mosquitto/conf.d/hark.conf"
        settings = self.translate(conf.read_text())
        for old, port in [(1883, self.port), (8883, self.secure_port)]:
            settings = re.sub(rf"^listener {old}$", f"listener {port} 127.0.0.1", settings, flags=re.M)
        (self.path / "mosquitto/mosquitto.conf").write_text(
            f"persistence true\npersistence_location {self.path}/mosquitto/\n{settings}")
        # One that root has started gives up its rights, and chown is not for everybody.
        for path in (self.path / "mosquitto").rglob("*"):
            path.chmod(0o777 if path.is_dir() else 0o644)
        (self.path / "mosquitto").chmod(0o777)
        with (self.path / "broker.log").open("ab") as log:
            self.broker = subprocess.Popen(
                ["mosquitto", "-c", str(self.path / "mosquitto/mosquitto.conf")], stdout=log, stderr=log)

    def stop_broker(self) -> None:
        if self.broker is not None:
            self.broker.terminate()
            self.broker.wait(SECONDS)
            self.broker = None

    def restarts(self) -> int:
        """How often a reader has had the broker started anew."""
        told = self.path / "systemctl"
        return told.read_text().count("restart mosquitto") if told.exists() else 0

    def remove(self) -> None:
        for machine in self.machines.values():
            machine.stop()
        self.stop_broker()
        self.folder.remove()


class Machine:
    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.home = world.path / "machines" / name
        self.home.mkdir()
        programs = Path(daemon_path()).parent
        self.variables = {
            "HOME": str(self.home), "WORLD": str(world.path), "PATH": f"{programs}:/usr/sbin:/usr/bin:/bin", "TZ": "UTC",
            "LANG": "C.UTF-8", "HARK_SOCKET": str(self.home / "s"), "HARK_STATE": str(self.home / "state"),
            "HARK_CONFIG": str(self.home / ".config/hark")}
        self.daemon: subprocess.Popen | None = None
        self.start()

    def start(self) -> None:
        with (self.home / "harkd.log").open("ab") as log:
            self.daemon = subprocess.Popen([daemon_path()], stdin=subprocess.DEVNULL, stderr=log, env=self.variables)
        wait_until(lambda: self.run("hark status >/dev/null 2>&1 || true; hark status").returncode == 0, "the daemon answers")

    def kill(self) -> None:
        self.daemon.kill()
        self.daemon.wait(SECONDS)

    def stop(self) -> None:
        if self.daemon is not None and self.daemon.poll() is None:
            self.daemon.terminate()
            self.daemon.wait(SECONDS)

    def run(self, script: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-euc", PRELUDE + script], capture_output=True, text=True, env=self.variables, cwd=self.home, timeout=120)

    def do(self, block: str) -> str:
        """Runs commands of the page, and has the broker follow them."""
        before = self.world.restarts()
        done = self.run(self.world.translate(block))
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}{(self.home / 'harkd.log').read_text()}"
        if self.world.restarts() > before:
            self.world.restart_broker()
        return done.stdout

    def json(self, command: str):
        done = self.run(command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def fleet(self) -> dict:
        return self.json("hark fleet status --json")[0]

    def log(self) -> str:
        return (self.home / "harkd.log").read_text()
