"""Makes the pictures of the report in docs/guides/report.md: `Tests/Report/pictures.py FOLDER` (run by `make pictures`)."""

import socket
import sys
import tempfile
from pathlib import Path

from chromium import Chromium
from scene import Scene


def main(folder: Path) -> None:
    scene = Scene(destinations=[{"name": "hook", "kind": "http", "url": "http://127.0.0.1:1/in"}])
    browser = Chromium()
    with tempfile.TemporaryDirectory() as place:
        try:
            # What is answered is answered now: more would be all that can be seen.
            scene.fill(answers=12)
            page = Path(place) / "report.html"
            text = scene.report(
                "--since", "-1w", "--title", "Corner shop", "--chart", "checkout amount", "--texts", to=page)
            # Not the name of whichever machine makes the picture.
            page.write_text(text.replace(f"<bdi>{socket.gethostname()}</bdi>", "<bdi>till-1</bdi>"))
            for name, dark in (("light", False), ("dark", True)):
                browser.look(920, 620, dark=dark)
                browser.open(page)
                browser.picture(folder / f"report-{name}.png", whole=False)
        finally:
            browser.close()
            scene.remove()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
