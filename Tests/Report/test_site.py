"""The site of the documentation in a browser, from files alone: links, search, light and dark, a phone."""

import html.parser
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from chromium import Chromium

ROOT = Path(__file__).resolve().parents[2]
#: Where pictures are left to be looked at; nowhere if empty.
PICTURES = os.environ.get("HARK_REPORT_PICTURES", "")


class Links(html.parser.HTMLParser):
    """Where a page leads to, and the places in it that others may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes) -> None:
        for name, value in attributes:
            if name in ("href", "src", "srcset"):
                self.targets.append(value)
            if name == "id":
                self.ids.add(value)


@unittest.skipUnless(shutil.which("pandoc") and shutil.which("chromium"), "there is no pandoc or no Chromium")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="hark-site-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([ROOT / "packaging/site/build", cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.pages = {path: Links(path.read_text()) for path in cls.folder.rglob("*.html")}
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def open(self, name="index.html", width=1_100, dark=False) -> Chromium:
        self.browser.look(width, dark=dark)
        self.browser.open(self.folder / name)
        return self.browser

    def keep(self, name) -> None:
        if PICTURES:
            self.browser.picture(Path(PICTURES) / name, whole=False)

    def search(self, browser, words) -> list[str]:
        """Types words, and gives where what is found leads to."""
        browser.evaluate("document.getElementById('search').focus()")
        browser.call("Input.insertText", text=words)
        return browser.evaluate("[...document.querySelectorAll('#found a')].map(one => one.getAttribute('href'))")

    def test_every_link_leads_into_the_site_or_to_the_web(self) -> None:
        self.assertGreater(len(self.pages), 60)
        for path, page in self.pages.items():
            for target in page.targets:
                if target.startswith("https://"):
                    continue
                name, _, anchor = target.partition("#")
                place = (path.parent / name).resolve() if name else path
                with self.subTest(f"{path.relative_to(self.folder)}: {target}"):
                    self.assertTrue(place.is_file() and place.is_relative_to(self.folder))
                    if anchor:
                        self.assertIn(anchor, self.pages[place].ids)

    def test_it_asks_for_nothing_but_its_own_files(self) -> None:
        for name in ("index.html", "docs/guides/windows.html"):
            browser = self.open(name)
            self.assertEqual([url for url in browser.requests() if not url.startswith(f"file://{self.folder}/")], [])
            self.assertEqual(browser.complaints(), [])
            self.assertEqual(browser.evaluate("[...document.images].filter(one => !one.naturalWidth).length"), 0)

    def test_a_search_finds_pages_without_a_server(self) -> None:
        for words, page in (("delete a person", "docs/guides/person.html"), ("forward logs", "docs/guides/send.html"),
                            ("kiosk", "docs/guides/kiosk.html"), ("maxAttempts", "docs/guides/limit-how-often.html")):
            found = self.search(self.open("docs/index.html"), words)
            self.assertTrue(any(f"../{page}#" in link for link in found[:4]), f"{words}: {found}")
        browser = self.open("docs/guides/sql.html")
        self.assertTrue(self.search(browser, "quiet hours"))
        self.keep("site-search.png")
        browser.events = []
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13)
        while not any(event.get("method") == "Page.loadEventFired" for event in browser.events):
            browser.events.append(browser.message())
        self.assertIn("quiet-hours", browser.evaluate("location.hash"))
        self.assertEqual(self.search(self.open(), "kiosk xyzzy"), [])
        self.assertIn("Nothing has these words", browser.evaluate("document.getElementById('found').innerText"))

    def test_what_is_found_is_text_and_nothing_else(self) -> None:
        browser = self.open()
        browser.evaluate("sections.push(['index.html', '', 'evil <u>1</u>', 'evil <img src=x onerror=document.title=1>'])")
        self.assertEqual(self.search(browser, "evil"), ["index.html#"])
        self.assertEqual(browser.evaluate("document.querySelectorAll('#found u, #found img').length"), 0)
        self.assertIn("<img src=x", browser.evaluate("document.getElementById('found').innerText"))

    def test_it_is_light_or_dark_and_as_wide_as_there_is_room(self) -> None:
        grounds = set()
        for dark in (False, True):
            browser = self.open("docs/start/shop.html", dark=dark)
            grounds.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.keep(f"site-{'dark' if dark else 'light'}.png")
        self.assertEqual(len(grounds), 2)
        for name in ("index.html", "docs/reference/settings.html", "docs/guides/slow-backup.html", "docs/protocol.html"):
            for width in (320, 1_920):
                browser = self.open(name, width)
                self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width, name)
        self.open("docs/start/shop.html", 360)
        self.keep("site-phone.png")


if __name__ == "__main__":
    unittest.main()
