"""Makes the pictures of docs/guides/windows.md: `Tests/Windows/pictures.py FOLDER` (run by `make pictures`)."""

import pathlib
import subprocess
import sys
import time

from scene import DESKTOP, ROOT, Dialog, survey  # noqa: F401
from desktop import Daemon
from test_forms import ONBOARDING

VISIT = survey("visit", "How was your visit?", "We’d love to hear your thoughts. It takes less than a minute.", response={
    "type": "combined", "options": ["Poor", "Fair", "Good", "Great", "Excellent"],
    "optionsLabel": "How would you rate it?",
    "textField": {"label": "Tell us more", "placeholder": "What went well, what could be better?", "maxLength": 200}})
QUESTIONS = survey("questions", "Your quarter with us", "Four questions.", questions=[
    {"id": "recommend", "type": "nps", "question": "How likely are you to recommend us?"},
    {"id": "rooms", "type": "multiple", "question": "Which rooms do you use?",
     "options": ["Laboratory", "Workshop", "Library", "Garden"], "maxSelections": 3}])
ARABIC = survey("arabic", "كيف كانت زيارتك؟", "يسعدنا أن نسمع رأيك.", questions=[
    {"id": "q", "type": "rating", "question": "ما تقييمك؟", "scale": 5},
    {"id": "t", "type": "text", "question": "؟"}])


class Album:
    def __init__(self, folder, scheme):
        self.folder, self.scheme = folder, scheme
        self.daemon = Daemon(DESKTOP, [VISIT, QUESTIONS, ARABIC], ONBOARDING)

    def open(self, *words):
        return Dialog(self.daemon, *words, environment={"ADW_DEBUG_COLOR_SCHEME": f"prefer-{self.scheme}"})

    def take(self, dialog, name):
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

    def all(self):
        for scene in (self.survey, self.form, self.questions, self.right_to_left, self.away):
            yield from scene()
        self.daemon.end()


def main(folder):
    made = DESKTOP.folder / "album"
    made.mkdir()
    for scheme, ground in (("light", "#d6d6d6"), ("dark", "#0f0f0f")):
        pictures = list(Album(made, scheme).all())
        subprocess.run(
            ["montage", *map(str, pictures), "-tile", "4x", "-geometry", "+18+18", "-gravity", "center", "-background", ground,
             "-strip", "-resize", "70%", "+dither", "-colors", "128", str(folder / f"windows-{scheme}.png")], check=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
