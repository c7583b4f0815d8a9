"""Has promtool and the text collector of node_exporter read metrics: `metrics_check.py FILE`; prints what is served of Hark's."""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

metrics = pathlib.Path(sys.argv[1]).read_bytes()
checked = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True)
if checked.returncode != 0 or checked.stdout or checked.stderr:
    sys.exit(f"promtool ends with {checked.returncode}: {(checked.stdout + checked.stderr).decode()}")

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
folder = tempfile.mkdtemp(prefix="hark-metrics-")
(pathlib.Path(folder) / "hark.prom").write_bytes(metrics)
exporter = subprocess.Popen(
    ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
     f"--collector.textfile.directory={folder}", f"--web.listen-address=127.0.0.1:{port}"],
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
try:
    deadline = time.monotonic() + 30
    while True:
        try:
            served = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
            break
        except (urllib.error.URLError, ConnectionError):
            if exporter.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
finally:
    exporter.kill()
    said = exporter.communicate()[1].decode()
    shutil.rmtree(folder)
if "node_textfile_scrape_error 0" not in served:
    sys.exit(f"the collector refuses it: {said}")
print("\n".join(line for line in served.splitlines() if line.startswith(("hark_", "# TYPE hark_"))))
