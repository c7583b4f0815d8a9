import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from .daemon import DaemonTest, ROOT, daemon_path
from .test_client import RATING


class Readme(DaemonTest):
    files = {"surveys": RATING}

    def test_every_example_runs(self):
        text = (ROOT / "Python" / "README.md").read_text()
        examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        self.assertGreaterEqual(len(examples), 6)
        said = ""
        for example in examples:
            run = subprocess.run(
                [sys.executable, "-c", example], capture_output=True, text=True, timeout=60,
                env={**os.environ, "HARK_SOCKET": self.daemon.path, "PYTHONPATH": str(ROOT / "Python"),
                     "PATH": f"{Path(daemon_path()).parent}:{os.environ['PATH']}"})
            self.assertEqual(run.returncode, 0, f"{example}\n{run.stderr}")
            said += run.stdout
        self.assertIn("'door': 'north'", said)
        self.assertIn("{'guests': 2}", said)


class Types(unittest.TestCase):
    def test_the_types_hold(self):
        try:
            import mypy.api
        except ImportError:
            self.skipTest("mypy is not installed")
        said, problems, status = mypy.api.run(
            ["--strict", "--cache-dir", os.devnull, str(ROOT / "Python" / "hark")])
        self.assertEqual(status, 0, said + problems)


if __name__ == "__main__":
    unittest.main()
