"""Hark's own words in windows, in the language of the desktop."""

import gettext
import pathlib
import re
import subprocess
import unittest

from scene import BUILT, DESKTOP, ROOT, Scene
from test_surveys import COMBINED, TEXT

WORDS = re.compile(r'Words\.say\(\s*"((?:[^"\\]|\\.)*)"(?:,\s*"((?:[^"\\]|\\.)*)",\s*count:)?')
FOLDER = DESKTOP.folder / "locale"


def words():
    """What the sources say: single texts, and pairs of one and many."""
    found = set()
    for folder in ("HarkAsking", "HarkDialog"):
        for path in (ROOT / "Sources" / folder).rglob("*.swift"):
            found |= {match.groups() for match in WORDS.finditer(path.read_text())}
    return found


def catalogues():
    """The language of each catalogue and its translations, compiled as they are for an installation."""
    for path in sorted((ROOT / "po").glob("*.po")):
        target = FOLDER / path.stem / "LC_MESSAGES/hark.mo"
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["msgfmt", "--check-format", "--check-domain", "-o", str(target), str(path)], check=True)
        with open(target, "rb") as file:
            yield path.stem, gettext.GNUTranslations(file)


def holes(text):
    return set(re.findall(r"\{\w+\}", text))


class Catalogues(unittest.TestCase):
    def test_each_has_every_word_and_no_other(self):
        wanted = words()
        self.assertGreater(len(wanted), 50)
        self.assertGreater(len(list(catalogues())), 5)
        for language, translations in catalogues():
            there = {key[0] if isinstance(key, tuple) else key for key in translations._catalog if key}
            self.assertEqual(there, {one for one, _ in wanted}, language)
            for one, many in wanted:
                if many is None:
                    self.assertEqual(holes(translations.gettext(one)), holes(one), f"{language}: {one}")
                    continue
                for count in (0, 1, 2, 3, 11, 100):
                    text = translations.ngettext(one, many, count)
                    # A language may say "one" and "two" in words.
                    self.assertEqual(holes(text) | {"{count}"}, holes(one), f"{language}: {text}")


class Windows(Scene):
    def setUp(self):
        super().setUp()
        list(catalogues())

    def environment(self, locale):
        return {"LC_ALL": locale, "TEXTDOMAINDIR": str(FOLDER)}

    def test_the_desktops_language_even_where_its_locale_was_not_made(self):
        daemon = self.daemon(TEXT, COMBINED)
        made = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("de_AT", made)
        dialog = self.dialog(daemon, daemon.ask("text"), environment=self.environment("de_AT.UTF-8"))
        dialog.write("Your thoughts", "Hm")
        dialog.find("alert", "Schreiben Sie mindestens 5 Zeichen, noch 3.")
        dialog.press("push button", "Später")
        dialog.find("push button", "Weiterschreiben")
        dialog.press("push button", "Später antworten")
        self.assert_ends(dialog, 1)

    def test_a_language_of_many_plurals_from_right_to_left(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=self.environment("ar_EG.UTF-8"))
        dialog.press("radio button", "Great")
        dialog.press("push button", "إرسال")
        dialog.wait_for_text("شكرًا لك")
        self.assert_ends(dialog)

    def test_a_language_that_nobody_has_translated_is_english(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=self.environment("tlh_AQ.UTF-8"))
        dialog.press("push button", "Later")
        self.assert_ends(dialog, 1)

    def test_an_installed_window_finds_its_words(self):
        subprocess.run(
            [ROOT / "packaging/install", BUILT], check=True, capture_output=True,
            env={**DESKTOP.environment, "DESTDIR": str(DESKTOP.folder / "installed"), "PREFIX": "/usr"})
        installed = DESKTOP.folder / "installed/usr"
        self.assertTrue((installed / "share/locale/pt_BR/LC_MESSAGES/hark.mo").exists())
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(
            daemon, daemon.ask("combined"), environment={"LANG": "fr_FR.UTF-8"}, program=installed / "bin/hark-dialog")
        dialog.press("push button", "Plus tard")
        self.assert_ends(dialog, 1)


if __name__ == "__main__":
    unittest.main()
