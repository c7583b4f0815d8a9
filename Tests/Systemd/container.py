"""A Debian container under real systemd, for as long as a test needs it.

The bootstrapped tree is kept in the clone's own .build folder; every container runs on a copy of it, in a cgroup of its
own, so any number of them run beside each other. Whatever way the test ends, the container and its traces go with it.
"""

import atexit
import contextlib
import fcntl
import os
import pathlib
import platform
import secrets
import shutil
import signal
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests" / "Python"))

from waiting import Failure, wait_until
WORK = ROOT / ".build" / "boot"
# The release of this machine, whose libraries the programs were built against.
SUITE = platform.freedesktop_os_release()["VERSION_CODENAME"]
# What harkd is linked to is among them, for a container has no network to get it by; simdjson's has its version in its name.
SIMDJSON = subprocess.run(
    ["dpkg-query", "-W", "-f", "${Package}", "libsimdjson[0-9]*"], capture_output=True, encoding="utf-8").stdout
PACKAGES = ["systemd", "systemd-sysv", "dbus", "libpam-systemd", "libsqlite3-0", "sudo", SIMDJSON or "libsimdjson14"]


def bootstrapped_tree():
    """The folder of a fresh Debian, made on first use; two test runs of one clone do not make it twice."""
    name = f"{SUITE}-{zlib.crc32(' '.join(PACKAGES).encode()):x}"
    tree = WORK / name
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tree.exists():
            print(f"bootstrapping Debian {SUITE} into {tree} (once; about 40 s) …", file=sys.stderr, flush=True)
            unfinished = WORK / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            with open(WORK / "debootstrap.log", "w") as log:
                subprocess.run(
                    ["debootstrap", "--variant=minbase", "--include=" + ",".join(PACKAGES), SUITE, unfinished],
                    check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            unfinished.rename(tree)
    return tree


def process_name_and_parent(pid):
    """What a process is called and the process that started it, or None when it has ended."""
    try:
        name, _, rest = pathlib.Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return name, int(rest.split()[1])


def end_on_signals():
    """Lets SIGTERM and SIGHUP end the run like Ctrl-C does: with everything cleared away."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


class Container:
    """One booted system. `start()` returns when its systemd answers; `stop()` may be called any number of times."""

    def __init__(self):
        self.process = None
        self.init = None
        self.folder = None
        self.cgroups = []

    # Life

    def start(self, prepare):
        """Copies the tree, lets `prepare(folder)` install into it, and boots it."""
        tree = bootstrapped_tree()
        atexit.register(self.stop)
        name = f"hark-boot-{secrets.token_hex(6)}"
        self.folder = WORK / name
        self.folder.mkdir()
        system = self.folder / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", tree, system], check=True)
        prepare(system)
        self._make_cgroups(name)
        with open(self.folder / "console.log", "wb") as console:
            self.process = self._boot(system, name, console)
        self.init = wait_until(self._find_init, "the container's init runs")
        wait_until(self._is_up, "the container's systemd is up", seconds=60)

    def _boot(self, system, name, console):
        # The container gets SIGTERM, and powers off, should this test be killed outright.
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM",
             "systemd-nspawn", "--directory", system, "--boot", "--machine", name,
             "--register=no", "--keep-unit", "--private-network", "--console=pipe"],
            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=self._enter_cgroups)

    def stop(self):
        """Ends the container by the process that was started, then removes its cgroup and its files."""
        atexit.unregister(self.stop)
        process, self.process = self.process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for group in self.cgroups:
            self._remove_cgroup(group)
        self.cgroups = []
        folder, self.folder = self.folder, None
        if folder is not None:
            shutil.rmtree(folder)

    def _make_cgroups(self, name):
        mounts = [pathlib.Path("/sys/fs/cgroup", part) for part in ("", "unified", "systemd")]
        for mount in mounts:
            if (mount / "cgroup.procs").exists():
                group = mount / name
                group.mkdir()
                self.cgroups.append(group)

    def _enter_cgroups(self):
        for group in self.cgroups:
            (group / "cgroup.procs").write_text(str(os.getpid()))

    @staticmethod
    def _remove_cgroup(group):
        def is_gone():
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            return not group.exists()

        wait_until(is_gone, f"{group} is empty")

    def _find_init(self):
        if self.process.poll() is not None:
            raise Failure("systemd-nspawn ended: " + (self.folder / "console.log").read_text(errors="replace"))
        # Before it becomes the container's init, that child is another copy of systemd-nspawn.
        wanted = ("systemd", self.process.pid)
        pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
        return next((pid for pid in pids if process_name_and_parent(pid) == wanted), None)

    def _is_up(self):
        state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
        return state in ("running", "degraded")

    # Use

    def _inside(self, command, user):
        """The command line that runs a command inside, as root or as `user`, with a bare environment."""
        if user is not None:
            command = ("runuser", "-u", user, "--", *command)
        environment = ("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8")
        return ["nsenter", "-t", str(self.init), "-a", *environment, *command]

    @contextlib.contextmanager
    def started(self, *command, user=None):
        """A command that runs inside while the body of `with` does; it is killed if it outlives that."""
        process = subprocess.Popen(
            self._inside(command, user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8")
        with process:
            try:
                yield process
            finally:
                process.kill()

    def run(self, *command, user=None, check=True, text="", timeout=60):
        """Runs a command inside, with `text` on its standard input, and waits for it."""
        done = subprocess.run(
            self._inside(command, user), input=text, capture_output=True, encoding="utf-8", timeout=timeout)
        if check and done.returncode != 0:
            raise Failure(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def show(self, unit, member):
        """One property of a unit, as `systemctl show` gives it."""
        return self.run("systemctl", "show", "--property", member, "--value", unit).stdout.strip()
