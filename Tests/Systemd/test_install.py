"""What `make install` puts where, and that `make uninstall` takes all of it away again."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from container import ROOT


class Installation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = pathlib.Path(folder.name)

    def make(self, goal):
        subprocess.run(
            ["make", "--no-print-directory", "-C", ROOT, goal, f"DESTDIR={self.target}", "PREFIX=/opt/hark"], check=True)

    def files(self):
        return sorted(str(path.relative_to(self.target)) for path in self.target.rglob("*") if path.is_file())

    def test_everything_goes_below_the_prefix(self):
        self.make("install")
        files = self.files()
        self.assertEqual([name for name in files if not name.startswith("opt/hark/")], [])
        for name in ("bin/harkd", "bin/hark", "lib/systemd/system/harkd.service", "lib/systemd/user/harkd.socket",
                     "share/hark/forms.schema.json", "share/hark/samples/onboarding.json",
                     "share/hark/fleet/acl", "share/hark/fleet/mosquitto.conf", "share/hark/fleet/nats-server.conf",
                     "share/man/man5/harkd.json.5", "share/doc/hark/README.md", "share/doc/hark/docs/guides/sql.md", "share/doc/hark/docs/README.md",
                     "share/doc/hark/docs/images/windows-light.png"):
            self.assertIn(f"opt/hark/{name}", files)

    def test_a_release_is_refused_where_something_is_not_committed_or_not_told(self):
        clone = self.target / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)

        def release():
            return subprocess.run([clone / "packaging/release"], capture_output=True, encoding="utf-8")

        (clone / "left-over").touch()
        done = release()
        self.assertEqual((done.returncode, "left-over" in done.stderr), (65, True))
        (clone / "left-over").unlink()
        for name, pattern in (("CHANGELOG.md", "## "), ("debian/changelog", "hark ("), ("Python/pyproject.toml", 'version = "')):
            text = (clone / name).read_text()
            (clone / name).write_text(text.replace(pattern, pattern + "9", 1))
            git = ["git", "-C", clone, "-c", "user.name=t", "-c", "user.email=t@t.invalid"]
            subprocess.run([*git, "commit", "--quiet", "--all", "-m", "another version"], check=True)
            done = release()
            self.assertEqual((done.returncode, name in done.stderr), (65, True), done.stderr)
            subprocess.run([*git, "reset", "--quiet", "--hard", "HEAD~"], check=True)

    def test_the_units_name_the_installed_programs(self):
        self.make("install")
        for kind in ("system", "user"):
            unit = (self.target / f"opt/hark/lib/systemd/{kind}/harkd.service").read_text()
            self.assertIn("ExecStart=/opt/hark/bin/harkd", unit)
            self.assertNotIn("/usr/bin/", unit)

    def test_an_uninstall_leaves_nothing(self):
        self.make("install")
        self.make("uninstall")
        self.assertEqual(self.files(), [])


class PrefixesAndUsers(unittest.TestCase):
    """`packaging/install` with programs that stand in for the built ones."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.built = self.folder / "built"
        self.built.mkdir()
        for name in ("harkd", "hark"):
            shutil.copy("/bin/true", self.built / name)
        self.home = self.folder / "home"
        self.home.mkdir()

    def install(self, prefix, what=None, tools=None, wrapper=()):
        path = (f"{tools}:" if tools else "") + "/usr/bin:/bin:/usr/sbin:/sbin"
        return subprocess.run(
            [*wrapper, ROOT / "packaging/install", what or self.built], capture_output=True, encoding="utf-8",
            env={"PATH": path, "HOME": str(self.home), "PREFIX": str(prefix)})

    def tool(self, name, text):
        folder = self.folder / "tools"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
        return folder

    def test_a_prefix_in_the_home_folder_has_units_where_the_users_systemd_reads_them(self):
        prefix = self.home / ".local"
        done = self.install(prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        unit = (prefix / "share/systemd/user/harkd.service").read_text()
        self.assertIn(f"ExecStart={prefix}/bin/harkd", unit)
        self.assertFalse((prefix / "lib").exists())
        self.assertIn("systemctl --user enable --now harkd.socket", done.stdout)
        self.assertNotIn("sudo systemctl", done.stdout)
        self.assertIn("PATH", done.stdout)
        self.assertEqual(self.install(prefix, "--remove").returncode, 0)
        self.assertEqual([path for path in prefix.rglob("*") if path.is_file()], [])

    def test_a_prefix_that_is_no_whole_path_is_refused(self):
        for prefix in ("opt", "~/.local"):
            done = self.install(prefix)
            self.assertEqual((done.returncode, done.stdout), (64, ""), done)
            self.assertIn(f"'{prefix}'", done.stderr)
            self.assertFalse((ROOT / prefix).exists())

    def test_units_where_systemd_does_not_look_are_to_be_linked(self):
        prefix = self.folder / "opt"
        done = self.install(prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"systemctl link {prefix}/lib/systemd/system/harkd.service", done.stdout)
        self.assertIn("journalctl --user -u harkd", done.stdout)

    @unittest.skipUnless(os.getuid() == 0, "only root can become nobody")
    def test_who_may_not_write_is_told_what_to_do(self):
        prefix = self.folder / "closed"
        prefix.mkdir(mode=0o755)
        wrapper = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
        for what in (None, "--remove"):
            done = self.install(prefix, what, wrapper=wrapper)
            self.assertEqual(done.returncode, 77, done)
            self.assertIn("sudo make", done.stderr)
            self.assertIn("PREFIX=", done.stderr)
            self.assertNotIn("Permission denied", done.stderr)
        self.assertEqual(list(prefix.iterdir()), [])

    def test_missing_libraries_are_named_with_their_packages_before_anything_is_installed(self):
        tools = self.tool("ldd", r"""printf '\tlibsimdjson.so.14 => not found\n\tlibsqlite3.so.0 => not found\n'
            printf '\tlibsystemd.so.0 => not found\n\tlibz.so.1 => not found\n\tlibm.so.6 => /lib/libm.so.6\n'""")
        prefix = self.folder / "opt"
        done = self.install(prefix, tools=tools)
        self.assertEqual(done.returncode, 69)
        self.assertIn("apt-get install libsimdjson14 libsqlite3-0 libsystemd0 zlib1g)", done.stderr)
        self.assertFalse(prefix.exists())


class Dependencies(unittest.TestCase):
    def run_script(self, *arguments, path):
        return subprocess.run(
            [ROOT / "packaging/dependencies", *arguments], env={"PATH": path}, capture_output=True, encoding="utf-8")

    def stand_in(self, version):
        """A folder with a `swift` of that version."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        swift = pathlib.Path(folder.name, "swift")
        swift.write_text(f"#!/bin/sh\necho 'Swift version {version} (swift-{version}-RELEASE)'\n")
        swift.chmod(0o755)
        return f"{folder.name}:/usr/bin:/bin"

    def test_an_old_swift_is_named_with_what_to_do(self):
        done = self.run_script("build", path=self.stand_in("5.10.1"))
        self.assertEqual(done.returncode, 69)
        self.assertIn("is 5.10.1", done.stderr)
        self.assertIn("swift.org/install", done.stderr)

    def stand_in_that_fails(self, text):
        path = self.stand_in("6.2")
        pathlib.Path(path.split(":")[0], "swift").write_text(f"#!/bin/sh\n{text}\n")
        return path

    def test_a_swift_that_does_not_start_is_told_with_its_own_words_and_the_packages_it_lacks(self):
        error = "swift: error while loading shared libraries: libncurses.so.6: cannot open shared object file"
        path = self.stand_in_that_fails(f"echo '{error}' >&2; exit 127")
        ldd = pathlib.Path(path.split(":")[0], "ldd")
        ldd.write_text(r"""#!/bin/sh
printf '\tlibncurses.so.6 => not found\n\tlibedit.so.2 => not found\n\tlibpython3.11.so.1.0 => not found\n'
""")
        ldd.chmod(0o755)
        done = self.run_script("build", path=path)
        self.assertEqual(done.returncode, 69)
        self.assertIn(error, done.stderr)
        self.assertIn("does not start", done.stderr)
        self.assertIn("apt-get install libedit2 libncurses6 libpython3.11\n", done.stderr)
        self.assertNotIn("unknown version", done.stderr)

    def test_a_swift_whose_package_manager_does_not_start_is_told_as_well(self):
        error = "swift-build: error while loading shared libraries: libxml2.so.2: cannot open shared object file"
        path = self.stand_in_that_fails(
            f"[ $1 = build ] || exec echo 'Swift version 6.2 (swift-6.2-RELEASE)'; echo '{error}' >&2; exit 127")
        ldd = pathlib.Path(path.split(":")[0], "ldd")
        ldd.write_text("#!/bin/sh\ncase $1 in */swift-build) printf '\\tlibxml2.so.2 => not found\\n' ;; esac\n")
        ldd.chmod(0o755)
        done = self.run_script("build", path=path)
        self.assertEqual(done.returncode, 69)
        self.assertIn(error, done.stderr)
        self.assertIn("apt-get install libxml2\n", done.stderr)

    def test_a_swift_that_fails_for_another_reason_is_told_with_its_own_words(self):
        done = self.run_script("build", path=self.stand_in_that_fails("echo 'no such toolchain: 6.9' >&2; exit 1"))
        self.assertEqual(done.returncode, 69)
        self.assertIn("no such toolchain: 6.9", done.stderr)
        self.assertIn("swift.org/install", done.stderr)

    @unittest.skipUnless(os.getuid() == 0, "only root can become nobody")
    def test_who_is_not_root_and_has_no_terminal_is_told_what_root_is_to_run(self):
        path = self.stand_in("6.2")
        folder = pathlib.Path(path.split(":")[0])
        folder.chmod(0o755)
        for name, text in (("dpkg-query", "exit 1"), ("sudo", "echo 'sudo: a terminal is required' >&2; exit 1")):
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        done = subprocess.run(
            ["setsid", "--wait", "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
             ROOT / "packaging/dependencies", "build"],
            env={"PATH": path}, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 77, done)
        self.assertIn("no terminal on which sudo could ask", done.stderr)
        self.assertIn("apt-get install --no-install-recommends g++", done.stderr)
        self.assertNotIn("sudo: a terminal", done.stderr)

    def test_make_needs_no_column(self):
        done = subprocess.run(
            ["/usr/bin/make", "-C", ROOT, "--no-print-directory", "help"], capture_output=True, encoding="utf-8",
            env={"PATH": self.folder_of("awk", "sh", "od", "tr")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  make install", done.stdout)

    def folder_of(self, *names):
        """A folder with these programs and no others."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in names:
            pathlib.Path(folder.name, name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        return folder.name

    def test_nothing_is_said_when_all_is_there(self):
        done = self.run_script("build", path=self.stand_in("6.10"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_unknown_set_is_refused(self):
        self.assertEqual(self.run_script("everything", path=self.stand_in("6.2")).returncode, 64)


if __name__ == "__main__":
    unittest.main()
