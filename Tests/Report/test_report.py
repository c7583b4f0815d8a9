"""The page of `hark report` in a browser: what it loads, how it looks on a phone, in the dark and on paper."""

import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from chromium import Chromium
from scene import EVIL, Scene

#: Where the pictures are left to be looked at; nowhere if empty.
PICTURES = os.environ.get("HARK_REPORT_PICTURES", "")


@unittest.skipUnless(shutil.which("chromium"), "there is no Chromium")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="hark-report-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        scene = Scene(destinations=[{"name": "hook", "kind": "http", "url": "http://127.0.0.1:1/in"}])
        cls.addClassCleanup(scene.remove)
        cls.scene = scene
        scene.fill()
        for number in range(3):
            scene.call("event.record", name=EVIL, app="kiosk")
        scene.call("event.record", name="שלום עולם", app=EVIL[:128])
        cls.path = cls.folder / "report.html"
        cls.text = scene.report(to=cls.path)
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.browser.look(1_000)

    def open(self, path=None) -> Chromium:
        self.browser.open(path or self.path)
        return self.browser

    def keep(self, name) -> None:
        if PICTURES:
            self.browser.picture(Path(PICTURES) / name)

    def test_nothing_runs_and_nothing_is_asked_for(self) -> None:
        browser = self.open()
        self.assertEqual(browser.requests(), [f"file://{self.path}"])
        self.assertEqual(browser.complaints(), [])
        for selector in ("script", "iframe", "img", "link", "[src]", "[href]", "[onclick]", "[onload]", "[onerror]"):
            self.assertEqual(browser.evaluate(f"document.querySelectorAll('{selector}').length"), 0, selector)
        seen = browser.evaluate("document.body.innerText")
        self.assertIn("<script>fetch('http://evil.example/s')</script>", seen)
        self.assertIn("\"'&\\u{202e}\\x07</bdi>", seen)
        self.assertNotIn("My secret reason", self.text)

    def test_what_would_get_in_all_the_same_is_kept_from_doing_anything(self) -> None:
        attack = ("<script>document.title = 'taken'</script><img src='http://evil.example/i'>"
                  "<link rel='stylesheet' href='http://evil.example/c'><iframe src='http://evil.example/f'></iframe>")
        for name, text, is_held in (
                ("held.html", self.text, True), ("open.html", re.sub("<meta http-equiv[^>]*>", "", self.text), False)):
            path = self.folder / name
            path.write_text(text.replace("</main>", attack + "</main>"))
            browser = self.open(path)
            asked = [url for url in browser.requests() if "evil" in url]
            taken = browser.evaluate("document.title") == "taken"
            self.assertEqual((asked == [], taken), (is_held, not is_held), f"{name}: {asked}")

    def test_it_is_as_wide_as_its_reader_has_room(self) -> None:
        for width in (320, 360, 414, 736, 737, 1_280):
            self.browser.look(width, 740)
            browser = self.open()
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
            # Of the two drawings one is shown, and its letters can be read.
            shown = browser.evaluate(
                "[...document.querySelectorAll('figure svg')].filter(one => one.getClientRects().length > 0).map(one => "
                "13 * one.getBoundingClientRect().width / one.viewBox.baseVal.width)")
            self.assertEqual(len(shown), 1)
            self.assertGreaterEqual(shown[0], 9, f"{width}")
            smallest = browser.evaluate(
                "Math.min(...[...document.querySelectorAll('main *')].filter(one => !one.closest('svg')).map(one => "
                "parseFloat(getComputedStyle(one).fontSize)))")
            self.assertGreaterEqual(smallest, 13)
            if width == 360:
                self.keep("phone.png")

    def test_an_owner_sees_it_whole_on_a_phone(self) -> None:
        path = self.folder / "owner.html"
        text = self.scene.report("--since", "-1w", "--chart", "checkout amount", "--chart", "checkout", "--texts",
                                 "--title", "Caf\u00e9", to=path)
        self.assertIn("My secret reason", text)
        for width in (320, 360, 1_280):
            self.browser.look(width, 740)
            browser = self.open(path)
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
            # Bars are below their labels where there is little room, and as wide as the table.
            bar, table = browser.evaluate(
                "['.barred tbody .bars', '.barred'].map(one => document.querySelector(one).getBoundingClientRect().width)")
            self.assertEqual(bar > 0.9 * table, width < 700, f"{width}: {bar} of {table}")
            # The hours of the week fit without scrolling.
            hours = browser.evaluate("document.querySelector('.hours').getBoundingClientRect().right")
            self.assertLessEqual(hours, width)
            if width == 360:
                self.keep("owner-phone.png")
        faces = browser.evaluate(
            "[...document.querySelectorAll('.emoji')].map(one => getComputedStyle(one).fontFamily.split(',')[0])")
        self.assertTrue(faces and set(faces) == {'"Noto Color Emoji"'}, faces)
        self.keep("owner.png")

    def test_it_is_light_or_dark_as_its_reader_likes(self) -> None:
        for dark in (False, True):
            self.browser.look(1_000, dark=dark)
            browser = self.open()
            colours = browser.evaluate(
                "[...document.querySelectorAll('body, h1, .soft, caption, th, td, dt, dd, figure svg.wide text')].map(one => "
                "{ const style = getComputedStyle(one); return one instanceof SVGElement ? style.fill : style.color })")
            ground = luminance(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
            tile = luminance(browser.evaluate("getComputedStyle(document.querySelector('.tiles div')).backgroundColor"))
            self.assertEqual(ground < 0.2, dark)
            for colour in set(colours):
                for behind in (ground, tile):
                    # What WCAG asks of text (1.4.3).
                    self.assertGreaterEqual(contrast(luminance(colour), behind), 4.5, f"{colour} where it is dark: {dark}")
            self.keep("dark.png" if dark else "light.png")

    def test_it_is_printed_light_with_its_bars(self) -> None:
        self.browser.look(1_000, dark=True, media="print")
        browser = self.open()
        self.assertGreater(luminance(browser.evaluate(
            "getComputedStyle(document.querySelector('figure svg.wide')).backgroundColor")), 0.9)
        self.assertEqual(browser.evaluate("getComputedStyle(document.querySelector('.fill')).printColorAdjust"), "exact")
        self.keep("print.png")
        pdf = self.folder / "report.pdf"
        browser.pdf(pdf)
        self.assertTrue(pdf.read_bytes().startswith(b"%PDF"))
        self.assertGreater(pdf.stat().st_size, 10_000)
        if PICTURES:
            shutil.copy(pdf, Path(PICTURES) / "report.pdf")

    def test_a_screen_reader_finds_its_way(self) -> None:
        browser = self.open()
        headings = browser.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(one => Number(one.tagName[1]))")
        self.assertEqual(headings[0], 1)
        for before, after in zip(headings, headings[1:]):
            self.assertLessEqual(after, before + 1)
        self.assertEqual(browser.evaluate("document.documentElement.lang"), "en")
        self.assertEqual(browser.evaluate("document.querySelectorAll('main').length"), 1)
        tables = browser.evaluate("document.querySelectorAll('table').length")
        self.assertGreater(tables, 5)
        for selector in ("table > caption:first-child", "table > thead th[scope=col]:first-child"):
            self.assertEqual(browser.evaluate(f"document.querySelectorAll('{selector}').length"), tables)
        names = browser.evaluate(
            "[...document.querySelectorAll('svg:not([aria-hidden])')].map(one => [one.getAttribute('role'), one.getAttribute('aria-label'), "
            "one.querySelector(':scope > title').textContent, one.querySelector(':scope > desc').textContent])")
        self.assertEqual(len(names), 2)
        for role, label, title, description in names:
            self.assertEqual((role, label), ("img", title))
            self.assertIn("the most, ", description)


def luminance(colour) -> float:
    """WCAG's relative luminance of `rgb(…)`."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other) -> float:
    light, dark = max(one, other), min(one, other)
    return (light + 0.05) / (dark + 0.05)


if __name__ == "__main__":
    unittest.main()
