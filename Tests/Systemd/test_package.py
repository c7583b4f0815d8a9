"""Hark as Debian's packages leave it: installed, upgraded under load, removed, purged, installed again (row P1)."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from container import ROOT, Container, bootstrapped_tree, end_on_signals, wait_until

end_on_signals()
BUILT = ROOT / ".build" / "deb"
# What a machine notes of every package and user, and what systemd and the journal write meanwhile.
NOISE = ("/var/lib/dpkg/", "/var/cache/", "/var/log/", "/var/lib/systemd/", "/var/tmp/", "/tmp/", "/run/", "/proc/",
         "/sys/", "/dev/", "/etc/ld.so.cache", "/home/", "/root/")
# The system user stays, as Debian has it.
KEPT = {"/etc/passwd", "/etc/passwd-", "/etc/group", "/etc/group-", "/etc/shadow", "/etc/shadow-", "/etc/gshadow",
        "/etc/gshadow-", "/etc/.pwd.lock"}


def setUpModule():
    # They are larger for it, and there sooner.
    quick = {**os.environ, "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
    subprocess.run(["make", "--no-print-directory", "-C", ROOT, "deb"], check=True, stdout=subprocess.DEVNULL, env=quick)


def package(name="hark"):
    return next(BUILT.glob(f"{name}_*.deb"))


def of_before(folder):
    """The package as an earlier version would have had it: another number, and a unit that says so."""
    tree, old = folder / "tree", folder / "hark-of-before.deb"
    subprocess.run(["dpkg-deb", "-R", package(), tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text("".join(
        line.rstrip("\n") + "~before\n" if line.startswith("Version:") else line
        for line in control.read_text().splitlines(keepends=True)))
    unit = tree / "lib/systemd/system/harkd.service"
    unit.write_text(unit.read_text().replace("Description=Hark,", "Description=Hark of before,"))
    (tree / "DEBIAN" / "md5sums").unlink()
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, old], check=True, stdout=subprocess.DEVNULL)
    return old


def files_of(system):
    """All there is, but for what every machine writes by itself."""
    found = set()
    for folder, folders, names in os.walk(system):
        place = "/" + os.path.relpath(folder, system) + "/" if folder != str(system) else "/"
        folders[:] = [name for name in folders if not (place + name + "/").startswith(NOISE)]
        found.update(place + name for name in [*folders, *names] if not (place + name).startswith(NOISE))
    return found - KEPT


@unittest.skipUnless(os.geteuid() == 0, "only root can boot a container: run this with sudo")
class Packages(unittest.TestCase):
    """One machine, from nothing over an upgrade to nothing; each test begins with nothing installed."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.old = of_before(pathlib.Path(folder.name))
        cls.machine = Container()
        cls.addClassCleanup(cls.machine.stop)
        cls.machine.start(cls.put_packages)
        cls.machine.run("useradd", "--create-home", "alice")

    @classmethod
    def put_packages(cls, system):
        cls.system = system
        for source, name in ((cls.old, "old.deb"), (package(), "new.deb")):
            shutil.copy(source, system / "opt" / name)

    def setUp(self):
        self.addCleanup(self.machine.run, "dpkg", "--purge", "hark", check=False)

    def dpkg(self, *words):
        return self.machine.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", *words)

    def events(self, *which):
        lines = self.machine.run("hark", "events", "--json", *which, user="alice").stdout
        return [json.loads(line) for line in lines.splitlines()]

    def numbers(self, name, *which):
        return [event["properties"]["n"] for event in self.events("--name", name, *which)]

    def reached(self):
        """How far both writers have come."""
        return [max(self.numbers(name, "--limit", "1"), default=0) for name in ("single", "streamed")]

    def test_the_first_record_of_any_user_needs_nothing_but_the_package(self):
        self.dpkg("-i", "/opt/new.deb")
        self.assertEqual(self.machine.show("harkd.service", "ActiveState"), "inactive")
        self.machine.run("hark", "record", "first", "n:=1", user="alice")
        self.assertEqual([event["name"] for event in self.events()], ["first"])
        self.assertEqual(self.machine.run("systemctl", "is-enabled", "harkd.socket").stdout, "enabled\n")
        # One daemon is everybody's, logged in or not, and its questions come to each desktop.
        for unit, state in (("harkd.socket", "disabled\n"), ("hark-agent.service", "enabled\n")):
            done = self.machine.run("systemctl", "--global", "is-enabled", unit, check=False)
            self.assertEqual(done.stdout, state, unit)
        self.assertEqual(self.machine.run("stat", "-c", "%U %a", "/var/lib/hark").stdout, "hark 700\n")
        self.machine.run("hark", "config", "validate", "/etc/hark/harkd.json")

    def test_what_the_readme_says_works_word_for_word_for_somebody_with_sudo(self):
        readme = (ROOT / "README.md").read_text()
        install = readme.split("```sh\nmake deb && ")[1].split("\n```")[0]
        clone = self.system / "home" / "alice" / "clone" / ".build" / "deb"
        clone.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, clone.parents[1])
        for built in BUILT.glob("*.deb"):
            shutil.copy(built, clone)
        # What is not installed is not to be had, as there is no network; a recommended library may be missing.
        self.machine.run("sh", "-c", """
            rm -rf /var/lib/apt/lists/*
            usermod --append --groups sudo alice
            echo 'alice ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/alice""")
        self.addCleanup(self.machine.run, "rm", "/etc/sudoers.d/alice")

        def shell(line):
            return self.machine.run("sh", "-euc", f"cd /home/alice/clone; {line}", user="alice").stdout

        self.machine.run("chown", "-R", "alice:", "/home/alice/clone")
        shell(install)
        tour = readme.split("```console\n")[1].split("```")[0]
        for line in tour.splitlines():
            if line.startswith("$ "):
                shell(line[2:])
        self.assertIn("checkout", shell("hark events"))

    def test_an_upgrade_under_load_loses_no_request(self):
        self.dpkg("-i", "/opt/old.deb")
        self.machine.run("hark", "record", "before", user="alice")
        # One that waits for each reply in a process of its own, and one that sends as fast as it can.
        single = """n=0; while [ ! -e /tmp/enough ]; do n=$((n+1)); hark record single n:=$n --quiet || echo "failed $n"; done; echo "$n" """
        stream = """n=0; while [ ! -e /tmp/enough ]; do n=$((n+1)); echo '{"name":"streamed","properties":{"n":'$n'}}'; done | hark record --stdin"""
        self.addCleanup(self.machine.run, "rm", "-f", "/tmp/enough")
        with self.machine.started("sh", "-c", single, user="alice") as singles, \
                self.machine.started("sh", "-c", stream, user="alice") as stream_program:
            wait_until(lambda: min(self.reached()) > 20, "both writers write")
            before = self.machine.show("harkd.service", "MainPID")
            self.dpkg("-i", "/opt/new.deb")
            self.assertNotEqual(self.machine.show("harkd.service", "MainPID"), before)
            single, streamed = self.reached()
            wait_until(
                lambda: self.reached()[0] > single + 20 and self.reached()[1] > streamed + 20,
                "both go on after the upgrade")
            self.machine.run("touch", "/tmp/enough")
            said = singles.communicate(timeout=60)[0]
            self.assertEqual(stream_program.wait(60), 0)
        self.assertNotIn("failed", said)
        self.assertEqual(self.machine.show("harkd.service", "Description"), "Hark, the event daemon")
        self.assertEqual(self.numbers("single"), list(range(1, int(said) + 1)))
        streamed = self.numbers("streamed")
        self.assertEqual(streamed, list(range(1, len(streamed) + 1)))

    def test_what_was_changed_in_the_settings_is_kept_and_removal_keeps_what_was_recorded(self):
        self.dpkg("-i", "/opt/old.deb")
        self.machine.run("sh", "-c", """echo '{"retention": {"maxAgeDays": 9}}' > /etc/hark/harkd.json""")
        self.machine.run("hark", "record", "kept", user="alice")
        self.dpkg("-i", "/opt/new.deb")
        self.assertIn("9", self.machine.run("hark", "config", "show").stdout)
        self.dpkg("--remove", "hark")
        self.assertEqual(self.machine.show("harkd.socket", "ActiveState"), "inactive")
        self.assertFalse((self.system / "usr/bin/hark").exists())
        self.assertFalse((self.system / "run/hark/hark.sock").exists())
        self.dpkg("-i", "/opt/new.deb")
        self.assertEqual([event["name"] for event in self.events()], ["kept"])
        self.assertIn("9", (self.system / "etc/hark/harkd.json").read_text())

    def test_a_purge_leaves_nothing_but_the_system_user(self):
        # The user may have been left by another test.
        self.machine.run("sh", "-c", "getent passwd hark || useradd --system hark")
        before = files_of(self.system)
        self.dpkg("-i", "/opt/new.deb")
        self.machine.run("hark", "record", "gone", user="alice")
        self.dpkg("--purge", "hark")
        self.assertEqual(sorted(files_of(self.system) - before), [])
        self.assertEqual(self.machine.run("getent", "passwd", "hark").stdout.split(":")[0], "hark")

    def test_a_socket_that_was_turned_off_stays_off_over_an_upgrade(self):
        self.dpkg("-i", "/opt/old.deb")
        self.machine.run("systemctl", "disable", "--now", "harkd.socket")
        self.dpkg("-i", "/opt/new.deb")
        self.assertEqual(self.machine.run("systemctl", "is-enabled", "harkd.socket", check=False).stdout, "disabled\n")


@unittest.skipUnless(os.geteuid() == 0, "only root can enter a container")
class PackagesWithoutSystemd(unittest.TestCase):
    def test_it_installs_runs_and_goes_where_systemd_is_not_the_first_process(self):
        with tempfile.TemporaryDirectory(dir=ROOT / ".build") as folder:
            system = pathlib.Path(folder) / "root"
            subprocess.run(["cp", "-a", "--reflink=auto", bootstrapped_tree(), system], check=True)
            shutil.copy(package(), system / "opt" / "new.deb")

            def run(*command):
                inside = ["systemd-nspawn", "--quiet", "--directory", system, "--register=no", "--keep-unit",
                          "--private-network", "--pipe", *command]
                return subprocess.run(inside, check=True, capture_output=True, encoding="utf-8", timeout=120).stdout

            run("dpkg", "-i", "/opt/new.deb")
            run("sh", "-c", """
                mkdir -p /run/hark
                harkd --system & daemon=$!
                trap 'kill $daemon' EXIT
                n=0; until hark record first --quiet; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.05; done""")
            self.assertTrue((system / "var/lib/hark/hark.db").exists())
            run("dpkg", "--purge", "hark")
            for left in ("var/lib/hark", "etc/hark", "usr/bin/hark"):
                self.assertFalse((system / left).exists(), left)


class PackagesApart(unittest.TestCase):
    def test_the_python_module_of_the_package_is_the_one_of_the_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", package("python3-hark"), folder], check=True)
            place = pathlib.Path(folder, "usr/lib/python3/dist-packages")
            said = subprocess.run(
                ["/usr/bin/python3", "-B", "-c", "import hark, hark.aio; print(hark.__file__)"], cwd=place, check=True,
                capture_output=True, encoding="utf-8").stdout
            self.assertEqual(pathlib.Path(said.strip()).parent, place / "hark")
            tree = ROOT / "Python" / "hark"
            self.assertEqual(
                {path.name: path.read_bytes() for path in (place / "hark").iterdir() if path.is_file()},
                {path.name: path.read_bytes() for path in tree.iterdir() if path.suffix in (".py", ".typed")})

    def test_what_the_manual_names_is_there_to_read(self):
        listing = subprocess.run(
            ["dpkg-deb", "-c", package()], check=True, capture_output=True, encoding="utf-8").stdout
        named = set(re.findall(r"docs/[a-z/-]+\.md", (ROOT / "packaging" / "man" / "hark.1").read_text()))
        self.assertGreaterEqual(len(named), 2)
        for name in sorted(named | {"README.md"}):
            self.assertIn(f"./usr/share/doc/hark/{name}\n", listing)
        self.assertIn("./usr/share/man/man5/harkd.json.5.gz\n", listing)

    def test_the_documentation_for_a_browser_is_a_package_of_its_own(self):
        listing = subprocess.run(
            ["dpkg-deb", "-c", package("hark-doc")], check=True, capture_output=True, encoding="utf-8").stdout
        for name in ("index.html", "docs/start/desktop.html", "search.js", "words.js"):
            self.assertIn(f"./usr/share/doc/hark/html/{name}\n", listing)
        self.assertNotIn("./usr/bin/", listing)

    def test_windows_are_a_package_of_their_own_that_needs_the_same_version(self):
        fields = subprocess.run(
            ["dpkg-deb", "-f", package("hark-dialog"), "Depends", "Version"], check=True, capture_output=True,
            encoding="utf-8").stdout
        version = fields.split("Version: ")[1].strip()
        self.assertIn(f"hark (= {version})", fields)
        self.assertIn("libadwaita", fields)
        for name, has in (("hark", False), ("hark-dialog", True)):
            listing = subprocess.run(
                ["dpkg-deb", "-c", package(name)], check=True, capture_output=True, encoding="utf-8").stdout
            self.assertEqual("/usr/bin/hark-dialog" in listing, has)
        needs = subprocess.run(
            ["dpkg-deb", "-f", package(), "Depends", "Recommends"], check=True, capture_output=True,
            encoding="utf-8").stdout
        self.assertNotIn("gtk", needs)
        for library in ("libcurl4", "libmosquitto1"):
            self.assertNotIn(library, needs.split("Recommends")[0])
            self.assertIn(library, needs.split("Recommends")[1])


if __name__ == "__main__":
    unittest.main()
