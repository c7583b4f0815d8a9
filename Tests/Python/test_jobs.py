"""Jobs side by side: the room that there is, their order, their output, and that nothing is left of them."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from jobs import Job, Run
from waiting import wait_until

SLEEPER = "sleep 600 & echo $! > {0}; wait"


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.said = []

    def job(self, name, script, **more):
        return Job(name, ("sh", "-c", script), self.folder, **more)

    def run_all(self, *jobs, room=2):
        self.made = Run(jobs, room, self.folder / "logs", self.said.append)
        return self.made.run()

    def text(self):
        return "\n".join(self.said)

    def written(self):
        return (self.folder / "order").read_text().split()

    def pid(self, name):
        path = self.folder / name
        wait_until(lambda: path.exists() and path.read_text().endswith("\n"), "the job works")
        return int(path.read_text())

    def test_as_many_run_at_once_as_there_is_room_for(self):
        # Each waits for the other; a third would see both.
        meet = "touch {0}; until [ -e {1} ]; do sleep 0.01; done; ls > saw-{0}"
        jobs = [self.job("a", meet.format("a", "b")), self.job("b", meet.format("b", "a")), self.job("c", "ls > saw-c; touch c")]
        self.assertEqual(0, self.run_all(*jobs))
        self.assertNotIn("c", (self.folder / "saw-a").read_text().split())

    def test_one_that_takes_all_the_room_is_alone_and_first(self):
        write = "echo {0}< >> order; sleep 0.1; echo {0}> >> order"
        jobs = [self.job("a", write.format("a").replace("<", "'<'").replace("> >>", "'>' >>")),
                self.job("alone", write.format("alone").replace("<", "'<'").replace("> >>", "'>' >>"), room=2)]
        self.assertEqual(0, self.run_all(*jobs))
        self.assertEqual(self.written(), ["alone<", "alone>", "a<", "a>"])

    def test_what_needs_another_comes_after_it_or_not_at_all(self):
        jobs = [self.job("c", "echo c >> order", needs=("b",)), self.job("b", "echo b >> order; exit 3", needs=("a",)),
                self.job("a", "echo a >> order")]
        self.assertEqual(1, self.run_all(*jobs))
        self.assertEqual(self.written(), ["a", "b"])
        self.assertIn("failed with 3", self.text())
        self.assertRegex(self.said[-1], "not run .* c: needs b")
        # A need that nobody asked for is taken to be there.
        self.assertEqual(0, self.run_all(self.job("c", "true", needs=("b",))))

    def test_a_failure_is_shown_whole_and_a_success_by_its_end(self):
        lines = "seq -f 'line %.0f.' 1000; echo 'Ran 7 tests in 1.0s'; "
        failing = lines + "echo 'FAIL: test_x'; printf '\\377\\n'; exit 1"
        self.assertEqual(1, self.run_all(self.job("good", lines), self.job("bad", failing)))
        good, bad = (next(text for text in self.said if text.startswith("line ") and ("line 1." in text) == whole)
                     for whole in (False, True))
        self.assertEqual(len(good.splitlines()), 40)
        self.assertEqual(len(bad.splitlines()), 1003)
        self.assertEqual(len((self.folder / "logs/good.log").read_text().splitlines()), 1001)
        # The end tells what it all came to.
        self.assertIn("good: Ran 7 tests in 1.0s", self.said[-1])
        self.assertIn("  FAIL: test_x", self.said[-1])

    def test_output_of_one_is_not_mixed_with_that_of_another(self):
        script = "for n in 1 2 3 4 5; do echo {0}; sleep 0.02; done"
        self.assertEqual(0, self.run_all(self.job("x", script.format("x")), self.job("y", script.format("y"))))
        self.assertIn("\nx\nx\nx\nx\nx\n", self.text())
        self.assertIn("\ny\ny\ny\ny\ny\n", self.text())

    def test_what_a_job_leaves_behind_is_ended(self):
        self.assertEqual(0, self.run_all(self.job("a", "sleep 600 & echo $! > left")))
        self.assertFalse(is_there(self.pid("left")))

    def test_temporary_files_go_with_the_run(self):
        self.assertEqual(0, self.run_all(self.job("a", "mktemp > kept; mktemp -d >> kept")))
        paths = (self.folder / "kept").read_text().split()
        self.assertEqual([os.path.exists(path) for path in paths], [False, False])

    def test_one_that_takes_too_long_is_ended_and_has_failed(self):
        self.assertEqual(1, self.run_all(self.job("a", "trap 'exit 0' INT; " + SLEEPER.format("slow"), limit=0.3)))
        self.assertIn("took too long", self.said[-1])
        self.assertFalse(is_there(self.pid("slow")))

    def test_broken_off_it_ends_all_of_them(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            script = (
                "import pathlib, sys; from jobs import *; folder = pathlib.Path(sys.argv[1]);"
                "made = [Job(n, ('sh', '-c', sys.argv[2].replace('{0}', n)), folder) for n in ('one', 'two')];"
                "sys.exit(Run(made, 2, folder / 'logs').run())")
            for name in ("one", "two"):
                (self.folder / name).unlink(missing_ok=True)
            with subprocess.Popen(
                    [sys.executable, "-B", "-c", script, str(self.folder), SLEEPER], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, cwd=pathlib.Path(__file__).resolve().parent) as process:
                pids = [self.pid("one"), self.pid("two")]
                start = time.monotonic()
                process.send_signal(number)
                self.assertEqual(process.wait(30), 128 + number)
                self.assertLess(time.monotonic() - start, 20)
            for pid in pids:
                self.assertFalse(is_there(pid))


if __name__ == "__main__":
    unittest.main()
