"""Images of questions and options: what is seen of them, what a screen reader reads, and what becomes of a file that cannot be shown."""

import struct
import subprocess
import unittest
import zlib

import test_looks
from kiosk import KioskScene
from scene import DESKTOP, Scene, survey, wait_until
from screen import PATIENCE
from test_looks import fonts

PICTURES = DESKTOP.folder / "pictures"
COLOURS = {"wide": "#c01c28", "red": "#e01b24", "green": "#2ec27e", "blue": "#3584e4"}
SIZES = {"wide": "1600x800", "red": "600x600", "green": "300x600", "blue": "600x300"}


def pictures():
    """Files of one colour each."""
    if PICTURES.exists():
        return
    PICTURES.mkdir()
    for name, colour in COLOURS.items():
        subprocess.run(["convert", "-size", SIZES[name], f"xc:{colour}", str(PICTURES / f"{name}.png")], check=True)


def option(value, name=None):
    return {"value": value, "image": str(PICTURES / f"{name or value.lower()}.png"), "alt": f"A {value.lower()} thing"}


LUNCH = survey("lunch", questions=[
    {"id": "kind", "type": "single", "question": "Which one?", "image": str(PICTURES / "wide.png"), "alt": "Three things in a row",
     "options": [option("Red"), option("Green"), option("Blue")]},
    {"id": "more", "type": "multiple", "question": "And with it?", "options": [option("Red"), "Nothing"]}])
DOORS = survey("doors", response={
    "type": "options", "image": str(PICTURES / "wide.png"), "alt": "Two doors", "options": [option("Red"), option("Blue")]})


def white(side):
    """A square PNG of white pixels, which need a bit each."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\xff" * ((side + 7) // 8)) * side, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Images(Scene):
    def most(self, box):
        colours = test_looks.Contrast.colours(self, box)
        return max(set(colours), key=colours.count)

    def setUp(self):
        super().setUp()
        pictures()

    def centre(self, box, size=10):
        box.x, box.y = box.x + box.width // 2 - size // 2, box.y + box.height // 2 - size // 2
        box.width = box.height = size
        return box

    def until_colour(self, box, name):
        colour = tuple(bytes.fromhex(COLOURS[name][1:]))
        wait_until(lambda: self.most(box) == colour, f"{name}: {self.most(box)}", PATIENCE)

    def description(self, dialog, role, name):
        return dialog.find(role, name).get_description()

    def test_they_are_seen_and_their_texts_are_read(self):
        daemon = self.daemon(LUNCH)
        dialog = self.dialog(daemon, daemon.ask("lunch"), environment=fonts(daemon, 11))
        image = dialog.box("image", "Three things in a row")
        # As wide as the page, and as the file twice as wide as high.
        self.assertTrue(380 <= image.width <= 412, image.width)
        self.assertAlmostEqual(image.width / image.height, 2, delta=0.02)
        self.until_colour(self.centre(image), "wide")
        for name in ("Red", "Green", "Blue"):
            self.assertEqual(self.description(dialog, "radio button", name), f"A {name.lower()} thing")
            box = dialog.box("radio button", name)
            self.assertLess(box.height, 190)
            # Above the label.
            box.height -= 24
            self.until_colour(self.centre(box), name.lower())
        dialog.press("radio button", "Green")
        dialog.wait_for_check("radio button", "Green")
        self.assertEqual(self.description(dialog, "radio button", "Green"), "A green thing")
        dialog.press("push button", "Next")
        dialog.find("check box", "Nothing")
        self.assertEqual(self.description(dialog, "check box", "Red"), "A red thing")
        dialog.press("check box", "Red")
        dialog.press("push button", "Submit")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        self.assertEqual(daemon.responses(), [{"id": "lunch", "type": "questions", "answer.kind": "Green", "answer.more": "Red"}])

    def test_an_option_with_an_image_answers_at_once(self):
        daemon = self.daemon(DOORS)
        dialog = self.dialog(daemon, daemon.ask("doors"))
        dialog.find("image", "Two doors")
        self.assertEqual(self.description(dialog, "push button", "Blue"), "A blue thing")
        dialog.press("push button", "Blue")
        dialog.wait_for_text("Thank You")
        self.assert_ends(dialog)
        self.assertEqual([answer["option"] for answer in daemon.responses()], ["Blue"])

    def test_a_file_that_cannot_be_shown_leaves_its_text(self):
        large = DESKTOP.folder / "large-image.png"
        large.write_bytes(b"\0" * ((1 << 20) + 1))
        bomb = DESKTOP.folder / "bomb.png"
        bomb.write_bytes(white(9000))
        self.assertLess(bomb.stat().st_size, 1 << 20)
        for file, told in (("missing.png", "cannot be read"), (str(large), "at most 1 MB"), (str(bomb), "at most 50 million pixels")):
            daemon = self.daemon(survey("s", response={
                "type": "options", "image": file, "alt": "What is to be seen",
                "options": [{"value": "A", "image": file, "alt": "An A"}, {"value": "B", "image": file, "alt": "A B"}]}))
            dialog = self.dialog(daemon, daemon.ask("s"))
            dialog.find("label", "What is to be seen")
            self.assertEqual(self.description(dialog, "push button", "A"), "An A")
            dialog.press("push button", "Later")
            self.assert_ends(dialog, 1)
            self.assertIn(f"the image '{file if file.startswith('/') else daemon.folder / 'config/hark' / file}'", dialog.errors)
            self.assertIn(told, dialog.errors)


class OnAPhone(Scene):
    screen = test_looks.Fits.screen

    def test_images_are_whole(self):
        pictures()
        daemon = self.daemon(LUNCH)
        for size, points in (("320x640", 11), ("320x640", 22)):
            screen = {**self.screen(size), **fonts(daemon, points)}
            dialog = self.dialog(daemon, daemon.ask("lunch"), environment=screen)
            dialog.find("radio button", "Blue")
            image = dialog.box("image", "Three things in a row")
            self.assertTrue(0 <= image.x and image.x + image.width <= 320, f"{image.x}, {image.width}")
            self.assertAlmostEqual(image.width / image.height, 2, delta=0.05)
            dialog.end()
            daemon.call("survey.reset")


class InAKiosk(KioskScene):
    def test_they_are_larger(self):
        pictures()
        daemon = self.daemon(DOORS)
        dialog = self.kiosk(daemon)
        self.come(daemon, "doors")
        image = dialog.box("image", "Two doors")
        self.assertGreater(image.width, 412)
        self.assertLessEqual(image.height, 1024 // 3)
        self.assertAlmostEqual(image.width / image.height, 2, delta=0.05)
        dialog.press("push button", "Red")
        dialog.find("alert", "Thank You")
        wait_until(lambda: [answer["option"] for answer in daemon.responses()] == ["Red"], "the answer", PATIENCE)


if __name__ == "__main__":
    unittest.main()
