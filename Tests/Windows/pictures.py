"""Makes the pictures of docs/guides/windows.md and docs/guides/kiosk.md: `Tests/Windows/pictures.py FOLDER` (run by `make pictures`)."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

from scene import DESKTOP, ROOT, Dialog, survey, wait_until  # noqa: F401
from desktop import Daemon
from test_forms import ONBOARDING

DRAWINGS = pathlib.Path(__file__).parent / "drawings"
VISIT = survey("visit", "How was your visit?", "We’d love to hear your thoughts. It takes less than a minute.", response={
    "type": "combined", "options": ["Poor", "Fair", "Good", "Great", "Excellent"],
    "optionsLabel": "How would you rate it?",
    "textField": {"label": "Tell us more", "placeholder": "What went well, what could be better?", "maxLength": 200}})
QUESTIONS = survey("questions", "Your quarter with us", "Two questions.", questions=[
    {"id": "recommend", "type": "nps", "question": "How likely are you to recommend us?",
     "lowLabel": "Not at all likely", "highLabel": "Extremely likely"},
    {"id": "rooms", "type": "multiple", "question": "Which rooms do you use?",
     "options": ["Laboratory", "Workshop", "Library", "Garden"], "maxSelections": 3}])
ARABIC = survey("arabic", "كيف كانت زيارتك؟", "يسعدنا أن نسمع رأيك.", questions=[
    {"id": "q", "type": "rating", "question": "ما تقييمك؟", "scale": 5},
    {"id": "t", "type": "text", "question": "؟"}])
LUNCH = survey("lunch", "Your lunch", "One question.", questions=[
    {"id": "took", "type": "single", "question": "What did you take?", "image": "counter.svg",
     "alt": "The counter, with soups, salads and cakes",
     "options": [{"value": value, "image": f"{value.lower()}.svg", "alt": alt}
                 for value, alt in (("Soup", "A bowl"), ("Salad", "Leaves on a plate"), ("Cake", "A piece of cake"))]}])


VISITOR = survey("visitor", "How was your visit?", "One tap is enough.", response={
    "type": "options", "options": ["Poor", "Fair", "Good", "Great", "Excellent"]})


VISITOR_OF_THREE = survey("visitor", "How was your visit?", "One click helps us to get better.", response={
    "type": "options", "options": ["Poor", "Good", "Great"]})


# No wider than the window can be: 320 pixels and its shadow.
NARROW = ("320", "800")


class Album:
    def __init__(self, folder, scheme, **environment):
        self.folder, self.scheme, self.environment = folder, scheme, environment
        self.daemon = Daemon(DESKTOP, [VISIT, QUESTIONS, ARABIC, LUNCH], ONBOARDING)
        for drawing in DRAWINGS.glob("*.svg"):
            shutil.copy(drawing, self.daemon.folder / "config/hark")

    def open(self, *words):
        return Dialog(self.daemon, *words, environment={
            "ADW_DEBUG_COLOR_SCHEME": f"prefer-{self.scheme}", **self.environment})

    def take(self, dialog, name):
        # Wholly on the screen, with its shadow.
        subprocess.run(["xdotool", "windowmove", "--sync", dialog.window(), "60", "40"], check=True)
        # Until nothing moves any more: only a picture waits for time, as nobody tells when a screen has settled.
        time.sleep(1.0)
        path = self.folder / f"{name}-{self.scheme}.png"
        DESKTOP.picture(path, dialog.geometry())
        return path

    def survey(self):
        dialog = self.open(self.daemon.ask("visit"))
        dialog.press("radio button", "Great")
        dialog.wait_for_check("radio button", "Great")
        dialog.write("Tell us more", "Fast and kind. The second floor was hard to find, though.")
        yield self.take(dialog, "survey")
        dialog.press("push button", "Submit")
        dialog.find("alert", "Thank You")
        yield self.take(dialog, "thanks")
        dialog.end()

    def questions(self):
        dialog = self.open(self.daemon.ask("questions"))
        dialog.press("radio button", "9")
        dialog.wait_for_check("radio button", "9")
        yield self.take(dialog, "numbers")
        dialog.end()

    def form(self):
        dialog = self.open("--form", "onboarding")
        dialog.find("push button", "Start")
        dialog.press("push button", "Start")
        for answer in ("Doing okay", "Improve sleep", "Flexible", "Regular"):
            dialog.press("radio button", answer)
            dialog.wait_for_check("radio button", answer)
            if answer == "Improve sleep":
                yield self.take(dialog, "form")
            dialog.press("push button", "Next")
        for answer in ("Guided meditation", "Sleep stories"):
            dialog.press("check box", answer)
            dialog.wait_for_check("check box", answer)
        yield self.take(dialog, "several")
        dialog.press("push button", "Finish")
        dialog.find("push button", "Begin Journey")
        yield self.take(dialog, "completed")
        dialog.end()

    def away(self):
        self.daemon.call("survey.reset")
        dialog = self.open(self.daemon.ask("visit"))
        dialog.press("radio button", "Good")
        dialog.wait_for_check("radio button", "Good")
        self.daemon.kill()
        dialog.wait_for_text("The daemon is away")
        dialog.press("push button", "Submit")
        dialog.find("push button", "Retry")
        yield self.take(dialog, "away")
        dialog.end()
        self.daemon.start()

    def right_to_left(self):
        dialog = self.open(self.daemon.ask("arabic"))
        dialog.press("radio button", "4")
        dialog.wait_for_check("radio button", "4")
        yield self.take(dialog, "right-to-left")
        dialog.end()

    def narrow(self):
        """On a phone of 320 pixels."""
        for name, survey, choice in (("survey", "visit", "Great"), ("numbers", "questions", "9")):
            dialog = self.open(self.daemon.ask(survey))
            dialog.press("radio button", choice)
            dialog.wait_for_check("radio button", choice)
            subprocess.run(["xdotool", "windowsize", "--sync", dialog.window(), *NARROW], check=True)
            yield self.take(dialog, f"narrow-{name}")
            dialog.end()
        self.daemon.call("survey.reset")

    def images(self):
        """A question with images: as usual, on a phone, and with texts of twice the size."""
        large = self.daemon.folder / "large/gtk-4.0"
        large.mkdir(parents=True)
        (large / "settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 22\n")
        for name, size, more in (("images", None, {}), ("images-narrow", NARROW, {}),
                                 ("images-large", None, {"XDG_CONFIG_HOME": str(large.parent)})):
            self.environment = more
            dialog = self.open(self.daemon.ask("lunch"))
            dialog.press("radio button", "Soup")
            dialog.wait_for_check("radio button", "Soup")
            if size:
                subprocess.run(["xdotool", "windowsize", "--sync", dialog.window(), *size], check=True)
            yield self.take(dialog, name)
            dialog.end()
            self.daemon.call("survey.reset")

    def some(self, *scenes):
        for scene in scenes:
            yield from scene()
        self.daemon.end()

    def all(self):
        for scene in (self.survey, self.form, self.questions, self.right_to_left, self.away):
            yield from scene()
        self.daemon.end()


def montage(pictures, columns, ground, path):
    # Each has a palette of its own: one for all of them would tint each.
    for picture in pictures:
        subprocess.run(["convert", picture, "-shave", "16x14", "-resize", "70%", "+dither", "-colors", "256", picture], check=True)
    subprocess.run(
        ["montage", *map(str, pictures), "-tile", f"{columns}x", "-geometry", "+0+0", "-gravity", "center",
         "-background", ground, "-strip", "-define", "png:compression-level=9", str(path)], check=True)


def notification(folder):
    """What dunst shows of a survey, with the icon."""
    icons = DESKTOP.folder / "icons"
    icons.mkdir()
    shutil.copy(ROOT / "packaging/icons/org.hark.Dialog.svg", icons)
    rules = DESKTOP.folder / "dunstrc"
    rules.write_text(
        f'[global]\nfont = Cantarell 11\nwidth = 440\noffset = 12x12\ncorner_radius = 12\nframe_width = 1\n'
        f'frame_color = "#5e5c64"\npadding = 14\nhorizontal_padding = 16\ntext_icon_padding = 14\n'
        f'min_icon_size = 56\nmax_icon_size = 56\nshow_indicators = no\nmarkup = full\nformat = "<b>%s</b>\\n%b"\n'
        f'icon_path = "{icons}"\n[urgency_normal]\nbackground = "#303030"\nforeground = "#ffffff"\ntimeout = 0\n')
    dunst = subprocess.Popen(
        ["dunst", "-config", str(rules)], env=DESKTOP.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def count():
        return subprocess.run(["dunstctl", "count", "displayed"], env=DESKTOP.environment, capture_output=True,
                              text=True).stdout.strip()

    wait_until(lambda: count() == "0", "a notification server")
    daemon = Daemon(DESKTOP, [VISITOR_OF_THREE], settings={})
    daemon.ask("visitor")
    wait_until(lambda: count() == "1", "the notification")
    time.sleep(1.0)
    DESKTOP.picture(folder / "notification.png", "500x130+780+0")
    daemon.end()
    dunst.terminate()
    dunst.wait()


def kiosk(folder, made):
    """What a visitor sees on a screen of 1920 x 1080, with faces in colours."""
    reading, writing = os.pipe()
    xvfb = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-ac", "-noreset",
         "-fbdir", str(made)], pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        display = f":{answer.readline().strip()}"
    daemon = Daemon(DESKTOP, [VISITOR])
    dialog = Dialog(
        daemon, "--kiosk", "--rest", "Welcome!", "--colors", environment={"DISPLAY": display})
    dialog.find("heading", "Welcome!")
    daemon.call("event.record", name="visitor", properties={})
    dialog.find("push button", "Excellent")
    time.sleep(1.0)
    subprocess.run(
        ["convert", f"xwd:{made}/Xvfb_screen0", "-strip", "-resize", "50%", str(folder / "kiosk.png")], check=True)
    dialog.end()
    daemon.end()
    xvfb.terminate()
    xvfb.wait()


def compose():
    """Has windows with their corners and shadows, as on a desktop."""
    quiet = {"env": DESKTOP.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(["xfwm4", "--compositor=on"], **quiet)
    wait_until(lambda: "0x" in subprocess.run(
        ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], env=DESKTOP.environment, capture_output=True,
        text=True).stdout, "a window manager")


def paint(ground):
    """Paints the desktop, and takes the pointer out of the pictures."""
    subprocess.run(["hsetroot", "-solid", ground], env=DESKTOP.environment, check=True)
    subprocess.run(["xdotool", "mousemove", "1279", "1023"], env=DESKTOP.environment, check=True)


def main(folder):
    made = DESKTOP.folder / "album"
    made.mkdir()
    compose()
    for scheme, ground in (("light", "#d6d6d6"), ("dark", "#0f0f0f")):
        paint(ground)
        montage(list(Album(made, scheme).all()), 4, ground, folder / f"windows-{scheme}.png")
    paint("#d6d6d6")
    pictures = [picture for number, more in enumerate(({}, {"ADW_DEBUG_HIGH_CONTRAST": "1"}))
                for picture in moved(Album(made, "light", **more), made / str(number))]
    montage(pictures, 4, "#d6d6d6", folder / "windows-narrow.png")
    album = Album(made, "light")
    montage(list(album.some(album.images)), 3, "#d6d6d6", folder / "window-images.png")
    notification(folder)
    kiosk(folder, made)
    shutil.copy(ROOT / "packaging/icons/org.hark.Dialog.svg", folder / "icon.svg")


def moved(album, folder):
    """The narrow pictures of an album, in a folder of their own."""
    folder.mkdir()
    album.folder = folder
    return list(album.some(album.narrow))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
