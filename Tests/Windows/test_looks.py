"""Nothing is cut off, on small screens and large ones, in every language; and everything has contrast enough to be read."""

import os
import subprocess
import unittest

from kiosk import KioskScene
from scene import DESKTOP, Scene, survey, wait_until
from screen import Atspi, PATIENCE
from test_languages import FOLDER, catalogues
from test_surveys import COMBINED

PAGES = survey("pages", "How was your visit?", "We would love to hear your thoughts.", questions=[
    {"id": "n", "type": "nps", "question": "Would you recommend us?", "lowLabel": "Not at all likely",
     "highLabel": "Extremely likely"},
    {"id": "r", "type": "rating", "question": "How was it?", "labels": ["Poor", "Fair", "Good", "Great", "Excellent"]},
    {"id": "t", "type": "text", "question": "Why?", "maxLength": 50}])
LOCALES = ["ar_EG", "de_DE", "es_ES", "fr_FR", "it_IT", "nl_NL", "pl_PL", "pt_BR"]
CONTROLS = {"push button", "radio button", "check box", "text", "heading", "alert"}


def fonts(daemon, points):
    """A configuration with texts of that size."""
    config = daemon.folder / f"fonts-{points}/gtk-4.0"
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.ini").write_text(
        f"[Settings]\ngtk-font-name=Cantarell {points}\ngtk-enable-animations=0\n")
    return {"XDG_CONFIG_HOME": str(config.parent)}


class Fits(Scene):
    """Every control of a first page lies in the window, and the window on the screen."""

    PATIENCE = 240

    def screen(self, size):
        """Another screen, for programs that are told of it."""
        reading, writing = os.pipe()
        process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", size + "x24", "-nolisten", "tcp", "-ac", "-noreset"],
            pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        with os.fdopen(reading) as answer:
            return {"DISPLAY": f":{answer.readline().strip()}"}

    def fits(self, dialog, size, what):
        width, height = map(int, size.split("x"))

        def cut():
            found = []
            for node in dialog.nodes():
                states = node.get_state_set()
                if node.get_role_name() not in CONTROLS or not states.contains(Atspi.StateType.VISIBLE):
                    continue
                box = Atspi.Component.get_extents(node, Atspi.CoordType.WINDOW)
                if box.width and (box.x < 0 or box.x + box.width > width or box.y < 0 or box.y + box.height > height):
                    found.append((node.get_name(), box.x, box.y, box.width, box.height))
            return found

        dialog.until(lambda: not cut(), f"everything to be inside of {size} ({what}): {cut()}")

    def check(self, size, *, points=11, wants_kiosk=False):
        list(catalogues())
        daemon = self.daemon(COMBINED, PAGES)
        screen = {**self.screen(size), **fonts(daemon, points)}
        for locale in LOCALES:
            environment = {**screen, "LC_ALL": f"{locale}.UTF-8", "TEXTDOMAINDIR": str(FOLDER)}
            for one, role, name in ((COMBINED, "radio button", "Excellent"), (PAGES, "radio button", "10")):
                if wants_kiosk:
                    dialog = self.dialog(daemon, "--kiosk", "--rest", "Welcome!", "--colors", environment=environment)
                    dialog.find("heading", "Welcome!")
                    daemon.call("event.record", name=one["id"], properties={})
                else:
                    dialog = self.dialog(daemon, daemon.ask(one["id"]), environment=environment)
                dialog.find(role, name)
                self.fits(dialog, size, f"{locale}, {one['id']}")
                dialog.end()
                daemon.call("survey.reset")

    def test_on_a_phone_of_320_pixels(self):
        self.check("320x640")

    def test_a_window_that_is_made_narrow(self):
        daemon = self.daemon(COMBINED)
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=fonts(daemon, 11))
        dialog.find("radio button", "Excellent")
        subprocess.run(["xdotool", "windowsize", dialog.window(), "320", "640"], check=True)
        dialog.until(lambda: dialog.geometry().startswith("320x640+"), "a window of 320 pixels")
        self.fits(dialog, "320x640", "made narrow")

    def test_on_a_phone_of_360_pixels(self):
        self.check("360x720")

    def test_with_texts_of_twice_the_size(self):
        self.check("1280x1024", points=22)

    def test_in_a_kiosk(self):
        self.check("1920x1080", wants_kiosk=True)

    def test_on_a_wall(self):
        self.check("3840x2160", wants_kiosk=True)


def luminance(colour):
    parts = [part / 255 for part in colour]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """As WCAG 2 has it, from 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Contrast(Scene):
    """What is on the screen is looked at: the ground of a text is its most frequent colour, the text what differs most."""

    def colours(self, box):
        said = subprocess.run(
            ["convert", f"xwd:{DESKTOP.folder}/Xvfb_screen0", "-crop", f"{box.width}x{box.height}+{box.x}+{box.y}",
             "-depth", "8", "rgb:-"], capture_output=True, check=True).stdout
        return [tuple(said[place:place + 3]) for place in range(0, len(said) - 2, 3)]

    def of(self, box):
        colours = self.colours(box)
        ground = max(set(colours), key=colours.count)
        return max(contrast(ground, colour) for colour in set(colours))

    def check(self, environment, settings=None):
        daemon = self.daemon(COMBINED, PAGES, settings=settings)
        environment = {**fonts(daemon, 11), **environment}
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=environment)
        dialog.press("radio button", "Great")
        dialog.wait_for_check("radio button", "Great")
        dialog.until(lambda: dialog.is_sensitive("push button", "Submit"), "it can be sent")
        for role, name in (("heading", "How was it?"), ("label", "Tell us."), ("radio button", "Fair"),
                           ("radio button", "Great"), ("label", "0/200"), ("push button", "Later"),
                           ("push button", "Submit")):
            box = dialog.box(role, name)
            if role == "radio button":
                # Its caption, without the face and its edge.
                box.y, box.height = box.y + box.height * 2 // 3, box.height // 4
                box.x, box.width = box.x + 4, box.width - 8
            wait_until(lambda: self.of(box) >= 4.5, f"contrast of {name!r}: {self.of(box):.2f}", PATIENCE)
        self.check_edge(dialog, "Fair")
        dialog.end()
        daemon.call("survey.reset")
        dialog = self.dialog(daemon, daemon.ask("pages"), environment=environment)
        dialog.press("radio button", "9")
        dialog.wait_for_check("radio button", "9")
        for name in ("0", "9"):
            box = dialog.box("radio button", name)
            wait_until(lambda: self.of(box) >= 4.5, f"contrast of {name!r}: {self.of(box):.2f}", PATIENCE)
        for name in ("0", "9"):
            self.check_edge(dialog, name)

    def check_edge(self, dialog, name):
        """What can be pressed has an edge, chosen or not."""
        box = dialog.box("radio button", name)
        box.x, box.width, box.y, box.height = box.x - 4, 8, box.y + box.height // 2, 2
        wait_until(lambda: self.of(box) >= 3, f"the edge of {name!r}: {self.of(box):.2f}", PATIENCE)

    def test_light(self):
        self.check({})

    def test_dark(self):
        self.check({"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"})

    def test_high_contrast(self):
        self.check({"ADW_DEBUG_HIGH_CONTRAST": "1"})

    def test_with_colours_of_the_settings_that_would_be_hard_to_read(self):
        # White letters on yellow, and yellow ones on white; a dark ground in a light desktop and the reverse.
        for look, scheme in (({"accent": "#f6d32d"}, "prefer-light"), ({"accent": "#241f31"}, "prefer-dark"),
                             ({"accent": "#1c71d8", "background": "#10233f"}, "prefer-light"),
                             ({"accent": "#f6d32d", "background": "#fff8e7"}, "prefer-dark")):
            self.check({"ADW_DEBUG_COLOR_SCHEME": scheme}, {"notify": None, "look": look})


class Branding(Scene):
    def most(self, box):
        colours = Contrast.colours(self, box)
        return max(set(colours), key=colours.count)

    def until_most(self, dialog, role, name, colour):
        box = dialog.box(role, name)
        wait_until(lambda: self.most(box) == colour, f"the ground of {name!r} to be {colour}: {self.most(box)}", PATIENCE)

    def test_accent_background_and_logo_are_those_of_the_settings(self):
        logo = DESKTOP.folder / "logo.png"
        subprocess.run(["convert", "-size", "96x96", "xc:#00b050", str(logo)], check=True)
        daemon = self.daemon(COMBINED, settings={"notify": None, "look": {
            "accent": "#7a1fa2", "background": "#fff8e7", "logo": str(logo)}})
        dialog = self.dialog(daemon, daemon.ask("combined"), environment=fonts(daemon, 11))
        dialog.press("radio button", "Great")
        dialog.until(lambda: dialog.is_sensitive("push button", "Submit"), "it can be sent")
        self.until_most(dialog, "push button", "Submit", (0x7a, 0x1f, 0xa2))
        title = dialog.box("heading", "How was it?")
        self.until_most(dialog, "heading", "How was it?", (0xff, 0xf8, 0xe7))
        # The logo is above the title.
        title.y, title.height = title.y - 40, 20
        title.x, title.width = title.x + title.width // 2 - 10, 20
        wait_until(lambda: self.most(title) == (0, 0xb0, 0x50), "the logo", PATIENCE)

    def test_a_logo_that_cannot_be_shown_is_passed_over_and_told(self):
        large = DESKTOP.folder / "large.png"
        large.write_bytes(b"\0" * ((1 << 20) + 1))
        for logo, told in (("missing.svg", "cannot be read"), (str(large), "is too large"), (str(DESKTOP.folder), "no file")):
            daemon = self.daemon(COMBINED, settings={"notify": None, "look": {"logo": logo}})
            dialog = self.dialog(daemon, daemon.ask("combined"), environment=fonts(daemon, 11))
            dialog.find("heading", "How was it?")
            dialog.press("push button", "Later")
            self.assert_ends(dialog, 1)
            self.assertIn(told, dialog.errors)


class Colours(KioskScene):
    def test_faces_of_a_kiosk_have_their_colours_and_a_picture_that_cannot_be_read_is_told(self):
        daemon = self.daemon(COMBINED)
        dialog = self.kiosk(daemon, "--colors", "--rest-image", str(daemon.folder / "missing.png"))
        self.come(daemon, "combined")
        grounds = []
        for name in ("Poor", "Good", "Excellent"):
            box = dialog.box("radio button", name)
            box.y, box.height = box.y + 2 * box.height // 3, 4

            def ground():
                colours = Contrast.colours(self, box)
                return max(set(colours), key=colours.count)

            wait_until(lambda: max(ground()) - min(ground()) > 20, f"a colour below {name!r}", PATIENCE)
            grounds.append(ground())
        self.assertGreater(grounds[0][0], grounds[0][1], "the worst is red")
        self.assertGreater(grounds[2][1], grounds[2][0], "the best is green")
        dialog.process.terminate()
        dialog.wait()
        self.assertIn("cannot be read", dialog.errors)


if __name__ == "__main__":
    unittest.main()
