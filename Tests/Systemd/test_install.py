"""What `make install` puts where, and that `make uninstall` takes all of it away again."""

import pathlib
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
                     "share/hark/forms.schema.json", "share/hark/samples/onboarding.json"):
            self.assertIn(f"opt/hark/{name}", files)

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

    def test_nothing_is_said_when_all_is_there(self):
        done = self.run_script("build", path=self.stand_in("6.10"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_an_unknown_set_is_refused(self):
        self.assertEqual(self.run_script("everything", path=self.stand_in("6.2")).returncode, 64)


if __name__ == "__main__":
    unittest.main()
